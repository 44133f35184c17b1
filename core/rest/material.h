/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Fabric numbers to the constants the energies use. Layer 2: what is computed once and never
 * changes. */
#ifndef TL_MATERIAL_H
#define TL_MATERIAL_H

#include "base/alloc.h"
#include "rest/buckling.h"
#include "toile/types.h"

/* Moment over curvature, linear between the points and beyond the last. */
typedef struct TlBendLaw {
    int32_t count; /* 0: none */
    double *curvature, *moment;
    double *energy; /* integral of the moment up to each point */
} TlBendLaw;

typedef struct TlMaterial {
    double K11, K12, K22, K33; /* membrane, in weft and warp axes, N/m; engineering shear */
    double E1, E2, poisson;    /* as given */
    ToileStretchModel stretch_model;
    ToileCompression compression;
    double compression_factor;
    int32_t gauss_points;
    double stretch_damping_s;
    double stretch_limit; /* 0: none */
    double density_kg_per_m2;
    ToileBendModel bend_model;
    double bend_weft_N_m, bend_warp_N_m;
    double bend_factor; /* c of the bending coefficient: 1 calibrated, 1/3 as in the paper */
    double bend_damping_N_m_s;
    ToileBendDamping bend_damping_model;
    double bend_poisson, in_element_weight;
    int32_t fold_exponent;
    ToileRestCurvature rest_curvature;
    double rest_curvature_per_m;
    TlBendLaw law;
    TlArcTable arcs; /* choi-ko-table only */
    double thickness_m;
    double friction;
} TlMaterial;

/* From a fabric that passed the check. K11 = E1/d, K22 = E2/d, K12 = nu12 E2/d, K33 = G, d = 1 -
 * nu12 nu21. The law's table is copied into the arena, that of Choi-Ko made there; false when
 * memory is refused. */
bool tl_material(TlArena *arena, const ToileFabric *fabric, TlMaterial *out);

#endif
