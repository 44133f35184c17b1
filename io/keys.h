/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the keys of JSON objects with findings that name the key's path, the value found and what
 * is allowed. Every getter leaves its output alone when the key is absent or refused, so that
 * defaults are set before it is called. */
#ifndef TL_IO_KEYS_H
#define TL_IO_KEYS_H

#include "json.h"

#define TL_PATH_SIZE 160

/* One object being read. */
typedef struct TlKeys {
    TlReport *report;
    const TlJson *object; /* NULL when it was absent or refused: every key then counts as absent */
    char path[TL_PATH_SIZE];
} TlKeys;

typedef enum TlKeyFlags {
    TL_KEY_PLAIN = 0,
    TL_KEY_REQUIRED = 1, /* absence is an error */
    TL_KEY_NULLABLE = 2, /* null counts as absent */
    TL_KEY_ANIMATED = 4  /* may be a list of keys one day: says so instead of "wrong type" */
} TlKeyFlags;

/* Numbers from `low` to `high`; `above` leaves `low` itself out. */
typedef struct TlRange {
    double low;
    double high;
    bool above;
} TlRange;

/* A word and what it stands for. */
typedef struct TlChoice {
    const char *word;
    int32_t value;
    bool available; /* false: known, but not in this version */
} TlChoice;

/* Starts reading `object`, whose keys must be among the `known_count` words of `known`. A value
 * that is not an object is refused. NULL is allowed. */
void tl_keys_open(TlKeys *keys, TlReport *report, const TlJson *object, const char *path,
                  const char *const *known, int32_t known_count);
/* The same for the object under `key` of `parent`. */
void tl_keys_open_child(TlKeys *keys, const TlKeys *parent, const char *key, int flags,
                        const char *const *known, int32_t known_count);

/* The value of a key, or NULL when absent. */
const TlJson *tl_keys_get(const TlKeys *keys, const char *key, int flags);

void tl_keys_number(const TlKeys *keys, const char *key, int flags, TlRange range, double *out);
void tl_keys_integer(const TlKeys *keys, const char *key, int flags, int32_t low, int32_t high,
                     int32_t *out);
void tl_keys_bool(const TlKeys *keys, const char *key, int flags, bool *out);
/* The string lives as long as the tree. An empty one is refused. */
void tl_keys_string(const TlKeys *keys, const char *key, int flags, const char **out);
void tl_keys_choice(const TlKeys *keys, const char *key, int flags, const TlChoice *choices,
                    int32_t choice_count, int32_t *out);
void tl_keys_vector(const TlKeys *keys, const char *key, int flags, double limit, double out[3]);
/* The array under a key, or NULL when absent or refused. */
const TlJson *tl_keys_list(const TlKeys *keys, const char *key, int flags);

/* Reports an error about `value` (NULL: the object) under `key`. */
void tl_keys_error(const TlKeys *keys, const char *key, const TlJson *value, ToileStatus status,
                   const char *format, ...) TL_IO_PRINTF(5, 6);
void tl_keys_warning(const TlKeys *keys, const char *key, const TlJson *value, const char *format,
                     ...) TL_IO_PRINTF(4, 5);
/* Reports that what stands under `key` is not available; `what` is the subject of the sentence,
 * such as "seams are". */
void tl_keys_unavailable(const TlKeys *keys, const char *key, const TlJson *value, const char *what,
                         const char *advice);
/* As above when the key is there and is neither null nor empty. */
void tl_keys_refuse(const TlKeys *keys, const char *key, const char *what);

/* "path[index]" for the element of a list, "path.key" for a key. */
void tl_path_element(char out[TL_PATH_SIZE], const char *path, const char *key, int32_t index);
void tl_path_key(char out[TL_PATH_SIZE], const char *path, const char *key);

#endif
