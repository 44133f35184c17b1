/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A set of elements is a struct of arrays with one length. Its columns, listed once, serve to
 * allocate it and to append one set to another. */
#ifndef TL_COLUMNS_H
#define TL_COLUMNS_H

#include "base/alloc.h"

typedef enum TlColumnKind {
    TL_COLUMN_VALUE,    /* copied */
    TL_COLUMN_VERTEX,   /* int32_t, shifted by the first vertex of the cloth */
    TL_COLUMN_MATERIAL, /* int32_t, replaced by the number of the cloth */
    TL_COLUMN_FIRST     /* int32_t, one more than there are elements: where the corners of each
                           begin */
} TlColumnKind;

typedef struct TlColumn {
    void *data; /* address of the set's pointer to the array */
    TlColumnKind kind;
    bool by_corner; /* length is the number of corners, not of elements */
    int32_t width;  /* values per item */
    size_t size;    /* of a value */
} TlColumn;

/* A column of one item per element. */
#define TL_COLUMN(array, kind, width)                                                              \
    { &(array), kind, false, width, sizeof *(array) }
/* The same with one item per corner. */
#define TL_CORNER_COLUMN(array, kind, width)                                                       \
    { &(array), kind, true, width, sizeof *(array) }

/* Zeroed arrays of `elements` and `corners` items; false when memory is refused. */
bool tl_columns_alloc(TlArena *arena, const TlColumn *columns, int32_t count, int32_t elements,
                      int32_t corners);
/* Where a set is appended, and how many it has. */
typedef struct TlAppend {
    int32_t element_at, corner_at;       /* counts of the target so far */
    int32_t element_count, corner_count; /* of the source */
    int32_t vertex_offset;
    int32_t material;
} TlAppend;
/* Copies all columns of `from` behind those of `to`; both lists are of the same kind of set. */
void tl_columns_append(const TlColumn *to, const TlColumn *from, int32_t count,
                       const TlAppend *append);

#endif
