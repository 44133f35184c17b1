/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of weights in compressed rows, and the loop that applies them. Each row is summed by
 * itself in the order of its terms, so that neither threads nor vectors change a bit. */
#include "osd_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH_MAX 64u

osdc_status tl_osd_fail(osdc_error *error, osdc_status status, uint32_t where, const char *format,
                        ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        error->code = status;
        error->where = where;
    }
    return status;
}

uint32_t osdc_version(void) {
    return 1u << 16;
}

/* ---- tables ---- */

osdc_table *tl_osd_table_alloc(uint32_t rows, uint32_t sources, uint64_t terms) {
    osdc_table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->rows = rows;
    table->sources = sources;
    table->offset = calloc((size_t)rows + 1, sizeof *table->offset);
    table->index = malloc(((size_t)terms + 1) * sizeof *table->index);
    table->weight = malloc(((size_t)terms + 1) * sizeof *table->weight);
    if (table->offset && table->index && table->weight)
        return table;
    osdc_table_free(table);
    return NULL;
}

bool tl_osd_table_grow(osdc_table *table, uint64_t terms) {
    int32_t *index = realloc(table->index, ((size_t)terms + 1) * sizeof *index);
    if (index)
        table->index = index;
    float *weight = realloc(table->weight, ((size_t)terms + 1) * sizeof *weight);
    if (weight)
        table->weight = weight;
    return index && weight;
}

osdc_status osdc_table_create(const osdc_mesh *mesh, osdc_kind kind, uint32_t channel,
                              osdc_table **out, osdc_error *error) {
    if (!mesh || !out || (unsigned)kind > OSDC_LIMIT_FVAR)
        return tl_osd_fail(error, OSDC_E_ARG, OSDC_NOWHERE,
                           "osdc_table_create needs a refined cage, a kind from 0 to 6 (not "
                           "%d) and a place for the table",
                           (int)kind);
    *out = NULL;
    return tl_osd_make_table(mesh, kind, channel, out, error);
}

void osdc_table_free(osdc_table *table) {
    if (!table)
        return;
    free(table->offset);
    free(table->index);
    free(table->weight);
    free(table);
}

osdc_status osdc_table_rows(const osdc_table *table, uint32_t *rows, uint32_t *sources,
                            const uint64_t **offset, const int32_t **index, const float **weight,
                            osdc_error *error) {
    if (!table)
        return tl_osd_fail(error, OSDC_E_ARG, OSDC_NOWHERE, "osdc_table_rows needs a table");
    if (rows)
        *rows = table->rows;
    if (sources)
        *sources = table->sources;
    if (offset)
        *offset = table->offset;
    if (index)
        *index = table->index;
    if (weight)
        *weight = table->weight;
    return OSDC_OK;
}

/* ---- the loop ---- */

/* Points of three numbers, which is nearly all there is, keep their sums in registers. The first
 * term of a row is its origin o: sum w (s - o), plus o where weights sum to 1. */
#define DEFINE_APPLY(NAME, REAL)                                                                   \
    static void NAME##_3(const osdc_table *table, const REAL *src, size_t src_stride, REAL *dst,   \
                         size_t dst_stride, uint32_t row0, uint32_t row1) {                        \
        const REAL keep = table->sums_to_zero ? 0 : 1;                                             \
        const int32_t *index = table->index;                                                       \
        const float *weight = table->weight;                                                       \
        for (uint32_t r = row0; r < row1; r++) {                                                   \
            uint64_t t = table->offset[r], end = table->offset[r + 1];                             \
            const REAL *o = src + src_stride * (size_t)index[t];                                   \
            REAL *out = dst + dst_stride * (size_t)r;                                              \
            REAL x = 0, y = 0, z = 0;                                                              \
            for (t++; t < end; t++) {                                                              \
                const REAL *s = src + src_stride * (size_t)index[t];                               \
                REAL w = (REAL)weight[t];                                                          \
                x += w * (s[0] - o[0]);                                                            \
                y += w * (s[1] - o[1]);                                                            \
                z += w * (s[2] - o[2]);                                                            \
            }                                                                                      \
            out[0] = keep * o[0] + x;                                                              \
            out[1] = keep * o[1] + y;                                                              \
            out[2] = keep * o[2] + z;                                                              \
        }                                                                                          \
    }                                                                                              \
    static void NAME##_n(const osdc_table *table, const REAL *src, size_t src_stride, REAL *dst,   \
                         size_t dst_stride, uint32_t width, uint32_t row0, uint32_t row1) {        \
        const REAL keep = table->sums_to_zero ? 0 : 1;                                             \
        for (uint32_t r = row0; r < row1; r++) {                                                   \
            uint64_t t = table->offset[r], end = table->offset[r + 1];                             \
            const REAL *o = src + src_stride * (size_t)table->index[t];                            \
            REAL *out = dst + dst_stride * (size_t)r;                                              \
            REAL sum[WIDTH_MAX] = {0};                                                             \
            for (t++; t < end; t++) {                                                              \
                const REAL *s = src + src_stride * (size_t)table->index[t];                        \
                REAL w = (REAL)table->weight[t];                                                   \
                for (uint32_t k = 0; k < width; k++)                                               \
                    sum[k] += w * (s[k] - o[k]);                                                   \
            }                                                                                      \
            for (uint32_t k = 0; k < width; k++)                                                   \
                out[k] = keep * o[k] + sum[k];                                                     \
        }                                                                                          \
    }

DEFINE_APPLY(apply_floats, float)
DEFINE_APPLY(apply_doubles, double)

static osdc_status check_apply(const osdc_table *table, const void *src, uint32_t src_stride,
                               const void *dst, uint32_t dst_stride, uint32_t width, uint32_t row0,
                               uint32_t row1, osdc_error *error) {
    if (!table || !src || !dst)
        return tl_osd_fail(error, OSDC_E_ARG, OSDC_NOWHERE,
                           "osdc_apply needs a table, points and a place for the result, not NULL");
    if (width < 1 || width > WIDTH_MAX || src_stride < width || dst_stride < width)
        return tl_osd_fail(error, OSDC_E_ARG, OSDC_NOWHERE,
                           "points of %u numbers at a distance of %u and %u: 1 to %u numbers and "
                           "distances no smaller than that are allowed",
                           (unsigned)width, (unsigned)src_stride, (unsigned)dst_stride, WIDTH_MAX);
    if (row0 > row1 || row1 > table->rows)
        return tl_osd_fail(error, OSDC_E_ARG, OSDC_NOWHERE,
                           "rows %u to %u are not in a table of %u rows", (unsigned)row0,
                           (unsigned)row1, (unsigned)table->rows);
    return OSDC_OK;
}

osdc_status osdc_apply(const osdc_table *table, const float *src, uint32_t src_stride, float *dst,
                       uint32_t dst_stride, uint32_t width, uint32_t row0, uint32_t row1,
                       osdc_error *error) {
    osdc_status status =
        check_apply(table, src, src_stride, dst, dst_stride, width, row0, row1, error);
    if (status == OSDC_OK && width == 3)
        apply_floats_3(table, src, src_stride, dst, dst_stride, row0, row1);
    else if (status == OSDC_OK)
        apply_floats_n(table, src, src_stride, dst, dst_stride, width, row0, row1);
    return status;
}

osdc_status osdc_apply_double(const osdc_table *table, const double *src, uint32_t src_stride,
                              double *dst, uint32_t dst_stride, uint32_t width, uint32_t row0,
                              uint32_t row1, osdc_error *error) {
    osdc_status status =
        check_apply(table, src, src_stride, dst, dst_stride, width, row0, row1, error);
    if (status == OSDC_OK && width == 3)
        apply_doubles_3(table, src, src_stride, dst, dst_stride, row0, row1);
    else if (status == OSDC_OK)
        apply_doubles_n(table, src, src_stride, dst, dst_stride, width, row0, row1);
    return status;
}
