/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Frame ranges: ITEM(,ITEM)* with ITEM = F, A-B, A-BxS or A-B:S. The text is expanded into
 * a list; duplicates are found in a sorted copy, so that the order of the text is kept. */
#include "toile_io/frames.h"

#include "report.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 1000000

typedef struct Item {
    int32_t from;
    int32_t to;
    int32_t step; /* above 0 */
} Item;

typedef struct Cursor {
    const char *text;
    const char *at;
} Cursor;

/* Frames met so far, in the order of the text. */
typedef struct List {
    int32_t *frames;
    int32_t count;
    int32_t capacity;
} List;

static void skip_spaces(Cursor *cursor) {
    while (*cursor->at == ' ' || *cursor->at == '\t')
        cursor->at++;
}

static bool parse_integer(Cursor *cursor, bool allow_sign, int32_t *value) {
    bool negative = allow_sign && *cursor->at == '-';
    const char *at = cursor->at + (negative ? 1 : 0);
    int64_t number = 0;
    if (*at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        number = number * 10 + (*at - '0');
        if (number > INT32_MAX)
            return false;
    }
    *value = (int32_t)(negative ? -number : number);
    cursor->at = at;
    return true;
}

static ToileStatus malformed(const Cursor *cursor, ToileError *error) {
    int32_t place = (int32_t)(cursor->at - cursor->text) + 1;
    return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                      "The frame range \"%.80s\" cannot be read at character %d; write frames and "
                      "ranges such as 1-48, 1-100x5 or -5-10,20, of whole numbers up to %d",
                      cursor->text, place, INT32_MAX);
}

static ToileStatus parse_item(Cursor *cursor, Item *item, ToileError *error) {
    *item = (Item){.step = 1};
    if (!parse_integer(cursor, true, &item->from))
        return malformed(cursor, error);
    item->to = item->from;
    if (*cursor->at != '-')
        return TOILE_STATUS_OK;
    cursor->at++;
    if (!parse_integer(cursor, true, &item->to))
        return malformed(cursor, error);
    if (*cursor->at != 'x' && *cursor->at != ':')
        return TOILE_STATUS_OK;
    cursor->at++;
    if (!parse_integer(cursor, false, &item->step))
        return malformed(cursor, error);
    if (item->step == 0)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "The frame range \"%.80s\" has a step of 0; a step of 1 or more is "
                          "allowed",
                          cursor->text);
    return TOILE_STATUS_OK;
}

static ToileStatus append(List *list, const char *text, int64_t frame, ToileError *error) {
    if (list->count >= FRAMES_MAX)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "The frame range \"%.80s\" has more than the %d frames that are allowed",
                          text, FRAMES_MAX);
    if (list->count == list->capacity) {
        int32_t capacity = list->capacity * 2 + 256;
        int32_t *larger = realloc(list->frames, (size_t)capacity * sizeof *larger);
        if (!larger)
            return tl_io_out_of_memory(error);
        list->frames = larger;
        list->capacity = capacity;
    }
    list->frames[list->count++] = (int32_t)frame;
    return TOILE_STATUS_OK;
}

static ToileStatus expand(List *list, const char *text, const Item *item, bool ascending,
                          ToileError *error) {
    if (item->from > item->to && ascending)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "The frame range \"%.80s\" counts down from %d to %d; a simulation runs "
                          "forward, so write the smaller frame first",
                          text, item->from, item->to);
    int64_t step = item->from <= item->to ? item->step : -(int64_t)item->step;
    int64_t steps = ((int64_t)item->to - item->from) / step;
    for (int64_t k = 0; k <= steps; k++) {
        ToileStatus status = append(list, text, item->from + k * step, error);
        if (status != TOILE_STATUS_OK)
            return status;
    }
    return TOILE_STATUS_OK;
}

static ToileStatus parse_list(const char *text, bool ascending, List *list, ToileError *error) {
    Cursor cursor = {text, text};
    skip_spaces(&cursor);
    if (*cursor.at == '\0')
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "The frame range is empty; write one such as 1-48");
    for (;;) {
        Item item;
        ToileStatus status = parse_item(&cursor, &item, error);
        if (status == TOILE_STATUS_OK)
            status = expand(list, text, &item, ascending, error);
        if (status != TOILE_STATUS_OK)
            return status;
        skip_spaces(&cursor);
        if (*cursor.at == '\0')
            return TOILE_STATUS_OK;
        if (*cursor.at != ',')
            return malformed(&cursor, error);
        cursor.at++;
        skip_spaces(&cursor);
    }
}

/* A frame and where it stands in the list. */
typedef struct Ranked {
    int32_t frame;
    int32_t rank;
} Ranked;

static int compare_ranked(const void *a, const void *b) {
    const Ranked *left = a;
    const Ranked *right = b;
    if (left->frame != right->frame)
        return left->frame < right->frame ? -1 : 1;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

/* Keeps the first of equal frames, the others in their order. */
static ToileStatus collapse(List *list, ToileError *error) {
    Ranked *sorted = malloc((size_t)list->count * sizeof *sorted);
    bool *drop = calloc((size_t)list->count, sizeof *drop);
    if (!sorted || !drop) {
        free(sorted);
        free(drop);
        return tl_io_out_of_memory(error);
    }
    for (int32_t i = 0; i < list->count; i++)
        sorted[i] = (Ranked){list->frames[i], i};
    qsort(sorted, (size_t)list->count, sizeof *sorted, compare_ranked);
    for (int32_t i = 1; i < list->count; i++)
        if (sorted[i].frame == sorted[i - 1].frame)
            drop[sorted[i].rank] = true;
    int32_t kept = 0;
    for (int32_t i = 0; i < list->count; i++)
        if (!drop[i])
            list->frames[kept++] = list->frames[i];
    list->count = kept;
    free(sorted);
    free(drop);
    return TOILE_STATUS_OK;
}

static ToileStatus check_rising(const List *list, const char *text, ToileError *error) {
    for (int32_t i = 1; i < list->count; i++)
        if (list->frames[i] <= list->frames[i - 1])
            return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                              "The frame range \"%.80s\" goes back from %d to %d; a simulation "
                              "runs forward, so list frames in rising order",
                              text, list->frames[i - 1], list->frames[i]);
    return TOILE_STATUS_OK;
}

ToileStatus toile_frames_parse(const char *text, bool ascending, int32_t *frames, int32_t capacity,
                               int32_t *count, ToileError *error) {
    List list = {0};
    if (!text || !count || capacity < 0 || (capacity > 0 && !frames))
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_frames_parse needs a text, a count, and an array for %d frames",
                          capacity);
    *count = 0;
    ToileStatus status = parse_list(text, ascending, &list, error);
    if (status == TOILE_STATUS_OK)
        status = collapse(&list, error);
    if (status == TOILE_STATUS_OK && ascending)
        status = check_rising(&list, text, error);
    if (status == TOILE_STATUS_OK) {
        int32_t copied = list.count < capacity ? list.count : capacity;
        if (copied > 0)
            memcpy(frames, list.frames, (size_t)copied * sizeof *frames);
        *count = list.count;
    }
    free(list.frames);
    return status;
}
