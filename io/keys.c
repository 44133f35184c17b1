/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Typed access to the keys of JSON objects. */
#include "keys.h"

#include "number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_SIZE 896

/* ---- paths and complaints ---- */

void tl_path_key(char out[TL_PATH_SIZE], const char *path, const char *key) {
    char buffer[TL_PATH_SIZE];
    snprintf(buffer, sizeof buffer, "%.100s%s%.50s", path, path[0] && key[0] ? "." : "", key);
    memcpy(out, buffer, sizeof buffer);
}

void tl_path_element(char out[TL_PATH_SIZE], const char *path, const char *key, int32_t index) {
    char base[TL_PATH_SIZE];
    char buffer[TL_PATH_SIZE];
    tl_path_key(base, path, key);
    snprintf(buffer, sizeof buffer, "%.140s[%d]", base, index);
    memcpy(out, buffer, sizeof buffer);
}

static void complain(const TlKeys *keys, const char *key, const TlJson *value, bool is_error,
                     ToileStatus status, const char *message) {
    char path[TL_PATH_SIZE];
    const TlJson *at = value ? value : keys->object;
    TlIoPlace place = at ? at->place : (TlIoPlace){"", 0, 0};
    tl_path_key(path, keys->path, key);
    const char *colon = path[0] ? ": " : "";
    if (is_error)
        tl_report_error(keys->report, status, place, "%s%s%s", path, colon, message);
    else
        tl_report_warning(keys->report, place, "%s%s%s", path, colon, message);
}

void tl_keys_error(const TlKeys *keys, const char *key, const TlJson *value, ToileStatus status,
                   const char *format, ...) {
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    complain(keys, key, value, true, status, message);
}

void tl_keys_warning(const TlKeys *keys, const char *key, const TlJson *value, const char *format,
                     ...) {
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    complain(keys, key, value, false, TOILE_STATUS_OK, message);
}

void tl_keys_unavailable(const TlKeys *keys, const char *key, const TlJson *value, const char *what,
                         const char *advice) {
    tl_keys_error(keys, key, value, TOILE_STATUS_UNSUPPORTED, "%s not available in Toile %s; %s",
                  what, toile_version_string(), advice);
}

void tl_keys_refuse(const TlKeys *keys, const char *key, const char *what) {
    const TlJson *value = tl_keys_get(keys, key, TL_KEY_NULLABLE);
    if (!value)
        return;
    bool is_empty =
        (value->kind == TL_JSON_ARRAY || value->kind == TL_JSON_OBJECT) && value->count == 0;
    if (!is_empty)
        tl_keys_unavailable(keys, key, value, what, "remove the key");
}

static void wrong_type(const TlKeys *keys, const char *key, const TlJson *value,
                       const char *needed) {
    char found[TL_JSON_DESCRIBE_SIZE];
    tl_json_describe(value, found);
    tl_keys_error(keys, key, value, TOILE_STATUS_INVALID_DATA, "%s stands where %s is needed",
                  found, needed);
}

/* ---- objects ---- */

static void check_known(const TlKeys *keys, const char *const *known, int32_t known_count) {
    for (const TlJson *child = keys->object->first; child; child = child->next) {
        bool found = false;
        for (int32_t i = 0; i < known_count && !found; i++)
            found = strcmp(child->key, known[i]) == 0;
        if (found)
            continue;
        char path[TL_PATH_SIZE];
        tl_path_key(path, keys->path, child->key);
        const char *near = tl_io_nearest(child->key, known, known_count);
        if (near)
            tl_report_error(keys->report, TOILE_STATUS_INVALID_DATA, child->key_place,
                            "%s: the key \"%.64s\" is not known; did you mean \"%s\"?", path,
                            child->key, near);
        else
            tl_report_error(keys->report, TOILE_STATUS_INVALID_DATA, child->key_place,
                            "%s: the key \"%.64s\" is not known; remove it", path, child->key);
    }
}

void tl_keys_open(TlKeys *keys, TlReport *report, const TlJson *object, const char *path,
                  const char *const *known, int32_t known_count) {
    char copy[TL_PATH_SIZE];
    snprintf(copy, sizeof copy, "%s", path);
    *keys = (TlKeys){.report = report, .object = object};
    memcpy(keys->path, copy, sizeof copy);
    if (!object)
        return;
    if (object->kind != TL_JSON_OBJECT) {
        wrong_type(keys, "", object, "an object in braces");
        keys->object = NULL;
        return;
    }
    check_known(keys, known, known_count);
}

void tl_keys_open_child(TlKeys *keys, const TlKeys *parent, const char *key, int flags,
                        const char *const *known, int32_t known_count) {
    char path[TL_PATH_SIZE];
    const TlJson *object = tl_keys_get(parent, key, flags);
    tl_path_key(path, parent->path, key);
    tl_keys_open(keys, parent->report, object, path, known, known_count);
}

const TlJson *tl_keys_get(const TlKeys *keys, const char *key, int flags) {
    if (!keys->object)
        return NULL;
    const TlJson *value = tl_json_get(keys->object, key);
    if (value && value->kind == TL_JSON_NULL && (flags & TL_KEY_NULLABLE))
        value = NULL;
    if (!value && (flags & TL_KEY_REQUIRED))
        tl_keys_error(keys, "", NULL, TOILE_STATUS_INVALID_DATA,
                      "the key \"%s\" is missing; it must be given", key);
    return value;
}

/* ---- values ---- */

static void describe_range(TlRange range, char text[128]) {
    char low[TL_NUMBER_SIZE];
    char high[TL_NUMBER_SIZE];
    tl_number_shortest(range.low, low);
    tl_number_shortest(range.high, high);
    bool has_low = range.low > -HUGE_VAL;
    bool has_high = range.high < HUGE_VAL;
    if (has_low && has_high && range.above)
        snprintf(text, 128, "a number above %s, up to %s,", low, high);
    else if (has_low && has_high)
        snprintf(text, 128, "a number from %s to %s", low, high);
    else if (has_low)
        snprintf(text, 128, range.above ? "a number above %s" : "a number of %s or more", low);
    else
        snprintf(text, 128, "a number");
}

/* [[frame, value], ...]: the form animated numbers will have. */
static bool is_key_list(const TlJson *value) {
    return value->kind == TL_JSON_ARRAY && value->first && value->first->kind == TL_JSON_ARRAY;
}

static bool refuse_key_list(const TlKeys *keys, const char *key, int flags, const TlJson *value) {
    if (!(flags & TL_KEY_ANIMATED) || !is_key_list(value))
        return false;
    tl_keys_unavailable(keys, key, value, "lists of keys [[frame, value], ...] are",
                        "give one value for all frames");
    return true;
}

void tl_keys_number(const TlKeys *keys, const char *key, int flags, TlRange range, double *out) {
    char allowed[128];
    const TlJson *value = tl_keys_get(keys, key, flags);
    if (!value || refuse_key_list(keys, key, flags, value))
        return;
    describe_range(range, allowed);
    if (value->kind != TL_JSON_NUMBER) {
        wrong_type(keys, key, value, allowed);
        return;
    }
    double number = value->number;
    if (number < range.low || (range.above && number <= range.low) || number > range.high) {
        char found[TL_NUMBER_SIZE];
        tl_number_shortest(number, found);
        tl_keys_error(keys, key, value, TOILE_STATUS_INVALID_DATA,
                      "%s is out of range; %s is allowed", found, allowed);
        return;
    }
    *out = number;
}

void tl_keys_integer(const TlKeys *keys, const char *key, int flags, int32_t low, int32_t high,
                     int32_t *out) {
    char needed[96];
    const TlJson *value = tl_keys_get(keys, key, flags);
    if (!value)
        return;
    snprintf(needed, sizeof needed, "a whole number from %d to %d", low, high);
    if (value->kind != TL_JSON_NUMBER) {
        wrong_type(keys, key, value, needed);
        return;
    }
    if (value->number != floor(value->number) || value->number < low || value->number > high) {
        char found[TL_NUMBER_SIZE];
        tl_number_shortest(value->number, found);
        tl_keys_error(keys, key, value, TOILE_STATUS_INVALID_DATA,
                      "%s is out of range; %s is allowed", found, needed);
        return;
    }
    *out = (int32_t)value->number;
}

void tl_keys_bool(const TlKeys *keys, const char *key, int flags, bool *out) {
    const TlJson *value = tl_keys_get(keys, key, flags);
    if (!value)
        return;
    if (value->kind == TL_JSON_BOOL)
        *out = value->boolean;
    else
        wrong_type(keys, key, value, "true or false");
}

void tl_keys_string(const TlKeys *keys, const char *key, int flags, const char **out) {
    const TlJson *value = tl_keys_get(keys, key, flags);
    if (!value)
        return;
    if (value->kind != TL_JSON_STRING)
        wrong_type(keys, key, value, "a string");
    else if (value->string[0] == '\0')
        tl_keys_error(keys, key, value, TOILE_STATUS_INVALID_DATA,
                      "the string is empty; at least one character is needed");
    else
        *out = value->string;
}

/* The available words as "a, b or c". */
static void list_choices(const TlChoice *choices, int32_t count, char text[256]) {
    int32_t last = -1;
    size_t used = 0;
    text[0] = '\0';
    for (int32_t i = 0; i < count; i++)
        if (choices[i].available)
            last = i;
    for (int32_t i = 0; i <= last; i++) {
        if (!choices[i].available)
            continue;
        const char *joint = used == 0 ? "" : i == last ? " or " : ", ";
        int length = snprintf(text + used, 256 - used, "%s\"%s\"", joint, choices[i].word);
        used = length > 0 && used + (size_t)length < 256 ? used + (size_t)length : 255;
    }
}

static void refuse_word(const TlKeys *keys, const char *key, const TlJson *value,
                        const TlChoice *choices, int32_t choice_count) {
    const char *words[32];
    char allowed[256];
    char found[TL_JSON_DESCRIBE_SIZE];
    int32_t count = choice_count < 32 ? choice_count : 32;
    for (int32_t i = 0; i < count; i++)
        words[i] = choices[i].word;
    list_choices(choices, choice_count, allowed);
    tl_json_describe(value, found);
    const char *near = tl_io_nearest(value->string, words, count);
    if (near)
        tl_keys_error(keys, key, value, TOILE_STATUS_INVALID_DATA,
                      "%s is not known; did you mean \"%s\"? Allowed: %s", found, near, allowed);
    else
        tl_keys_error(keys, key, value, TOILE_STATUS_INVALID_DATA, "%s is not known; allowed: %s",
                      found, allowed);
}

void tl_keys_choice(const TlKeys *keys, const char *key, int flags, const TlChoice *choices,
                    int32_t choice_count, int32_t *out) {
    char allowed[256];
    const TlJson *value = tl_keys_get(keys, key, flags);
    if (!value)
        return;
    list_choices(choices, choice_count, allowed);
    if (value->kind != TL_JSON_STRING) {
        wrong_type(keys, key, value, allowed);
        return;
    }
    for (int32_t i = 0; i < choice_count; i++) {
        if (strcmp(choices[i].word, value->string) != 0)
            continue;
        if (!choices[i].available) {
            char what[96];
            char advice[288];
            snprintf(what, sizeof what, "\"%s\" is", choices[i].word);
            snprintf(advice, sizeof advice, "use %s", allowed);
            tl_keys_unavailable(keys, key, value, what, advice);
            return;
        }
        *out = choices[i].value;
        return;
    }
    refuse_word(keys, key, value, choices, choice_count);
}

void tl_keys_vector(const TlKeys *keys, const char *key, int flags, double limit, double out[3]) {
    double vector[3];
    int32_t k = 0;
    const TlJson *value = tl_keys_get(keys, key, flags);
    if (!value || refuse_key_list(keys, key, flags, value))
        return;
    if (value->kind != TL_JSON_ARRAY || value->count != 3) {
        wrong_type(keys, key, value, "a list of 3 numbers");
        return;
    }
    for (const TlJson *child = value->first; child; child = child->next, k++) {
        char name[TL_PATH_SIZE];
        char bound[TL_NUMBER_SIZE];
        tl_path_element(name, "", key, k);
        if (child->kind != TL_JSON_NUMBER) {
            wrong_type(keys, name, child, "a number");
            return;
        }
        if (fabs(child->number) > limit) {
            char found[TL_NUMBER_SIZE];
            tl_number_shortest(child->number, found);
            tl_number_shortest(limit, bound);
            tl_keys_error(keys, name, child, TOILE_STATUS_INVALID_DATA,
                          "%s is out of range; a number from -%s to %s is allowed", found, bound,
                          bound);
            return;
        }
        vector[k] = child->number;
    }
    memcpy(out, vector, sizeof vector);
}

const TlJson *tl_keys_list(const TlKeys *keys, const char *key, int flags) {
    const TlJson *value = tl_keys_get(keys, key, flags);
    if (value && value->kind != TL_JSON_ARRAY) {
        wrong_type(keys, key, value, "a list in brackets");
        return NULL;
    }
    return value;
}
