/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Small-step XPBD, the yardstick of `toile bench solver`: what engines that work on positions would
 * run on the same mesh. No contact, one thread. */
#ifndef TL_CLI_BENCH_XPBD_H
#define TL_CLI_BENCH_XPBD_H

#include <toile/toile.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct TlXpbd TlXpbd;

/* All is copied. */
typedef struct TlXpbdDef {
    const ToileMeshDef *mesh; /* the rest shape, and where it starts, at rest */
    const ToileFabric *fabric;
    const int32_t *pins;
    int32_t pin_count;
    int32_t substeps; /* a frame, of one iteration each */
    double fps;
    double gravity_m_per_s2[3];
} TlXpbdDef;

/* Bending takes the weft's stiffness; poisson, damping and what else a fabric has are left out.
 * NULL when out of memory. */
TlXpbd *tl_xpbd_create(const TlXpbdDef *def);
/* Accepts NULL. */
void tl_xpbd_destroy(TlXpbd *xpbd);
/* Back to the start. */
void tl_xpbd_restart(TlXpbd *xpbd);
/* One frame. */
void tl_xpbd_step(TlXpbd *xpbd);
/* 3 * vertex_count values, in the order of the mesh. */
void tl_xpbd_get_positions(const TlXpbd *xpbd, double *positions_m);
double tl_xpbd_kinetic_J(const TlXpbd *xpbd);

#endif
