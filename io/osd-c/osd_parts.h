/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the C and C++ parts of the OpenSubdiv shim share. */
#ifndef TL_OSD_PARTS_H
#define TL_OSD_PARTS_H

#include "toile_io/osd_c.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TL_OSD_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TL_OSD_PRINTF(text, first)
#endif

#define TL_OSD_LEVEL_MAX 10u
#define TL_OSD_SHARP 10.0f /* infinitely sharp from here on */

/* Fills `error` (may be NULL) and answers `status`. */
osdc_status tl_osd_fail(osdc_error *error, osdc_status status, uint32_t where, const char *format,
                        ...) TL_OSD_PRINTF(4, 5);

/* Refuses whatever the library would not survive or not refuse itself. */
osdc_status tl_osd_check(const osdc_cage *cage, const osdc_options *options, osdc_error *error);

/* Weights in compressed rows. */
struct osdc_table {
    uint32_t rows, sources;
    bool sums_to_zero; /* tangents; all other rows sum to 1 */
    uint64_t *offset;  /* rows + 1 */
    int32_t *index;
    float *weight;
};

/* An empty table with room for rows and terms, or NULL when memory runs out. */
osdc_table *tl_osd_table_alloc(uint32_t rows, uint32_t sources, uint64_t terms);

/* Makes room for more terms; false when memory runs out. */
bool tl_osd_table_grow(osdc_table *table, uint64_t terms);

/* osdc_table_create after its arguments were checked. */
osdc_status tl_osd_make_table(const osdc_mesh *mesh, osdc_kind kind, uint32_t channel,
                              osdc_table **out, osdc_error *error);

#ifdef __cplusplus
}
#endif
#endif
