/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A strict JSON reader (RFC 8259) whose values and keys know where they stand, and a writer of the
 * same tree. Duplicate keys, comments, invalid UTF-8 and U+0000 are refused. */
#ifndef TL_IO_JSON_H
#define TL_IO_JSON_H

#include "arena.h"
#include "report.h"

#define TL_JSON_MAX_BYTES ((size_t)16 * 1024 * 1024)
#define TL_JSON_MAX_DEPTH 64
#define TL_JSON_MAX_KEYS 1024 /* of one object */

typedef enum TlJsonKind {
    TL_JSON_NULL = 0,
    TL_JSON_BOOL,
    TL_JSON_NUMBER,
    TL_JSON_STRING,
    TL_JSON_ARRAY,
    TL_JSON_OBJECT
} TlJsonKind;

typedef struct TlJson TlJson;
struct TlJson {
    TlJsonKind kind;
    int32_t count;   /* values in an array or object */
    TlIoPlace place; /* where the value begins */
    TlIoPlace key_place;
    const char *key;    /* inside an object, else NULL */
    const char *string; /* UTF-8 without U+0000 */
    double number;      /* finite */
    bool boolean;
    TlJson *first; /* children in the order of the text */
    TlJson *last;
    TlJson *next;
};

/* Reads one value. `file` names it in places and must outlive the tree, which lives in `arena`.
 * Answers NULL after reporting what was wrong. Columns count characters, from 1. */
TlJson *tl_json_parse(const char *text, size_t size, const char *file, TlIoArena *arena,
                      TlReport *report);

/* The value of a key, or NULL. */
TlJson *tl_json_get(const TlJson *object, const char *key);
/* Element of an array, or NULL. */
TlJson *tl_json_at(const TlJson *array, int32_t index);

/* A copy of the whole tree, keys and places included, whose strings are those of the original; NULL
 * when memory runs out. */
TlJson *tl_json_copy(const TlJson *value, TlIoArena *arena);

/* Appends the tree as compact text: no spaces, keys in their order, numbers with the fewest digits
 * that keep them. */
void tl_json_write(const TlJson *value, TlIoText *text);
/* Appends a string in quotes. */
void tl_json_write_string(const char *string, TlIoText *text);

/* A short description of a value for a sentence, such as `"abc"`, `12`, `a list of 3 values`. */
#define TL_JSON_DESCRIBE_SIZE 72
void tl_json_describe(const TlJson *value, char text[TL_JSON_DESCRIBE_SIZE]);

#endif
