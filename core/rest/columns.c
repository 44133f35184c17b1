/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates and joins sets of elements by their columns; see columns.h. */
#include "rest/columns.h"

#include <string.h>

bool tl_columns_alloc(TlArena *arena, const TlColumn *columns, int32_t count, int32_t elements,
                      int32_t corners) {
    for (int32_t i = 0; i < count; i++) {
        const TlColumn *c = &columns[i];
        int64_t items = c->by_corner ? corners : elements;
        items += c->kind == TL_COLUMN_FIRST;
        void *array = tl_arena_alloc(arena, items * c->width, c->size);
        memcpy(c->data, &array, sizeof array);
    }
    return !arena->failed;
}

static void *array_of(const TlColumn *column) {
    void *array;
    memcpy(&array, column->data, sizeof array);
    return array;
}

void tl_columns_append(const TlColumn *to, const TlColumn *from, int32_t count,
                       const TlAppend *append) {
    for (int32_t i = 0; i < count; i++) {
        const TlColumn *c = &from[i];
        int64_t at = c->by_corner ? append->corner_at : append->element_at;
        int64_t n = c->by_corner ? append->corner_count : append->element_count;
        n += c->kind == TL_COLUMN_FIRST;
        at *= c->width;
        n *= c->width;
        if (c->kind == TL_COLUMN_VALUE) {
            memcpy((char *)array_of(&to[i]) + (size_t)at * c->size, array_of(c),
                   (size_t)n * c->size);
            continue;
        }
        int32_t *target = (int32_t *)array_of(&to[i]) + at;
        const int32_t *source = array_of(c);
        for (int64_t k = 0; k < n; k++) {
            target[k] = c->kind == TL_COLUMN_VERTEX  ? source[k] + append->vertex_offset
                        : c->kind == TL_COLUMN_FIRST ? source[k] + append->corner_at
                                                     : append->material;
        }
    }
}
