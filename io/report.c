/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences into error records, findings to a host, and the nearest word by the Damerau-Levenshtein
 * distance (optimal string alignment). */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WORD_LENGTH 64

/* Takes an incomplete UTF-8 character off the end of a text that filled its buffer. */
static void trim_character(char *text, size_t size) {
    size_t length = strlen(text);
    if (length + 1 < size)
        return;
    size_t start = length;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t need = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (length - (start - 1) < need)
        text[start - 1] = '\0';
}

static void fill_error(ToileError *error, ToileStatus status, const char *message) {
    if (!error || error->struct_size < sizeof error->struct_size)
        return;
    ToileError full;
    memset(&full, 0, sizeof full);
    full.struct_size = error->struct_size;
    full.status = (int32_t)status;
    full.frame = INT64_MIN;
    full.face = -1;
    full.vertex = -1;
    snprintf(full.message, sizeof full.message, "%s", message);
    trim_character(full.message, sizeof full.message);
    size_t size = error->struct_size < sizeof full ? error->struct_size : sizeof full;
    memcpy(error, &full, size);
}

ToileStatus tl_io_fail(ToileError *error, ToileStatus status, const char *format, ...) {
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fill_error(error, status, message);
    return status;
}

ToileStatus tl_io_out_of_memory(ToileError *error) {
    return tl_io_fail(error, TOILE_STATUS_OUT_OF_MEMORY, "There is not enough memory");
}

static void keep_first(TlReport *report, ToileStatus status, TlIoPlace place, const char *message) {
    report->status = status;
    if (place.line > 0 && place.column > 0)
        tl_io_fail(report->error, status, "%s:%d:%d: %s", place.file, place.line, place.column,
                   message);
    else if (place.line > 0)
        tl_io_fail(report->error, status, "%s:%d: %s", place.file, place.line, message);
    else
        tl_io_fail(report->error, status, "%s: %s", place.file, message);
}

static void report_any(TlReport *report, ToileLogLevel level, ToileStatus status, TlIoPlace place,
                       const char *format, va_list arguments) {
    char message[1024];
    vsnprintf(message, sizeof message, format, arguments);
    trim_character(message, sizeof message);
    if (level == TOILE_LOG_ERROR && report->error_count++ == 0)
        keep_first(report, status, place, message);
    if (level == TOILE_LOG_WARNING)
        report->warning_count++;
    if (!report->sink)
        return;
    ToileDiagnostic diagnostic = {.level = (int32_t)level,
                                  .status = (int32_t)status,
                                  .file = place.file,
                                  .line = place.line,
                                  .column = place.column,
                                  .message = message};
    report->sink(report->user, &diagnostic);
}

void tl_report_error(TlReport *report, ToileStatus status, TlIoPlace place, const char *format,
                     ...) {
    va_list arguments;
    va_start(arguments, format);
    report_any(report, TOILE_LOG_ERROR, status, place, format, arguments);
    va_end(arguments);
}

void tl_report_warning(TlReport *report, TlIoPlace place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report_any(report, TOILE_LOG_WARNING, TOILE_STATUS_OK, place, format, arguments);
    va_end(arguments);
}

void tl_report_out_of_memory(TlReport *report) {
    report->error_count++;
    report->status = TOILE_STATUS_OUT_OF_MEMORY;
    tl_io_out_of_memory(report->error);
}

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

/* Number of single-letter edits from `a` to `b`; words are cut at WORD_LENGTH letters. */
static int32_t edit_distance(const char *a, const char *b) {
    int32_t rows[3][WORD_LENGTH + 1];
    int32_t *before = rows[0];
    int32_t *above = rows[1];
    int32_t *row = rows[2];
    int32_t a_length = least((int32_t)strlen(a), WORD_LENGTH);
    int32_t b_length = least((int32_t)strlen(b), WORD_LENGTH);
    memset(rows, 0, sizeof rows);
    for (int32_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (int32_t i = 1; i <= a_length; i++) {
        int32_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[0] = i;
        for (int32_t j = 1; j <= b_length; j++) {
            int32_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = least(change, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return row[b_length];
}

const char *tl_io_nearest(const char *word, const char *const *words, int32_t count) {
    const char *nearest = NULL;
    int32_t length = least((int32_t)strlen(word), WORD_LENGTH);
    /* with more than a third of its letters changed it is another word */
    int32_t best = 1 + (length < 2 ? 0 : length < 5 ? 1 : (length + 1) / 3);
    for (int32_t i = 0; i < count; i++) {
        int32_t distance = edit_distance(word, words[i]);
        bool is_begin = length >= 3 && strncmp(word, words[i], (size_t)length) == 0;
        if (is_begin && best > 1)
            distance = 1;
        if (distance < best) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}
