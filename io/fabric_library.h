/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The table of fabrics, and a fabric as scene text. */
#ifndef TL_IO_FABRIC_LIBRARY_H
#define TL_IO_FABRIC_LIBRARY_H

#include "arena.h"
#include "toile_io/fabric.h"

/* One row. Units as in ToileFabric; bending is calibrated. */
typedef struct TlFabricRow {
    const char *name;
    const char *title;
    const char *source;
    double density_kg_per_m2, thickness_m, friction;
    double weft_N_per_m, warp_N_per_m, shear_N_per_m, poisson, damping_s;
    double bend_weft_N_m, bend_warp_N_m;
} TlFabricRow;

/* The rows in alphabetical order of names; *count receives their number. */
const TlFabricRow *tl_fabric_rows(int32_t *count);

/* Appends a fabric as the JSON object a scene may hold in its place: stiffness always, what is
 * particular to a model only where it is not at its default. */
void tl_fabric_write(const ToileFabricEntry *entry, TlIoText *text);

#endif
