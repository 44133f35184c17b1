/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Orthotropic membrane constants from engineering ones, the bending law with its integral, and the
 * table of arcs; see material.h.
 *
 * [VMF09] Volino, Magnenat-Thalmann, Faure: A simple approach to nonlinear tensile stiffness for
 * accurate cloth simulation, 2009. */
#include "rest/material.h"

#include <string.h>

static bool copy_law(TlArena *arena, const ToileFabric *fabric, TlBendLaw *law) {
    int32_t n = fabric->bend_law != NULL ? fabric->bend_law_count : 0;
    law->count = n;
    if (n == 0) {
        return true;
    }
    law->curvature = TL_NEW(arena, double, n);
    law->moment = TL_NEW(arena, double, n);
    law->energy = TL_NEW(arena, double, n);
    if (law->curvature == NULL || law->moment == NULL || law->energy == NULL) {
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        law->curvature[i] = fabric->bend_law[2 * (int64_t)i];
        law->moment[i] = fabric->bend_law[2 * (int64_t)i + 1];
        if (i > 0) {
            law->energy[i] = law->energy[i - 1] + 0.5 * (law->moment[i] + law->moment[i - 1]) *
                                                      (law->curvature[i] - law->curvature[i - 1]);
        }
    }
    return true;
}

/* The knots are exact; the energies integrate the lines between them. */
static bool make_arcs(TlArena *arena, const ToileFabric *fabric, TlArcTable *arcs) {
    int32_t n = fabric->bend_model == TOILE_BEND_CHOI_KO_TABLE ? fabric->bend_intervals : 0;
    arcs->intervals = n;
    if (n == 0) {
        return true;
    }
    arcs->phi = TL_NEW(arena, double, n + 1);
    arcs->energy = TL_NEW(arena, double, n + 1);
    if (arcs->phi == NULL || arcs->energy == NULL) {
        return false;
    }
    for (int32_t i = n; i >= 0; i--) {
        arcs->phi[i] = tl_arc((double)(n - i) / n).phi;
        if (i < n) {
            arcs->energy[i] = arcs->energy[i + 1] - 0.5 / n * (arcs->phi[i] + arcs->phi[i + 1]);
        }
    }
    return true;
}

bool tl_material(TlArena *arena, const ToileFabric *fabric, TlMaterial *out) {
    double E1 = fabric->stretch_weft_N_per_m, E2 = fabric->stretch_warp_N_per_m;
    double nu12 = fabric->stretch_poisson, nu21 = nu12 * E2 / E1;
    double d = 1.0 - nu12 * nu21;
    TlMaterial *m = out;
    memset(m, 0, sizeof *m);
    m->K11 = E1 / d;
    m->K22 = E2 / d;
    m->K12 = nu12 * E2 / d;
    m->K33 = fabric->stretch_shear_N_per_m;
    m->E1 = E1;
    m->E2 = E2;
    m->poisson = nu12;
    m->stretch_model = (ToileStretchModel)fabric->stretch_model;
    m->compression = (ToileCompression)fabric->compression;
    m->compression_factor = fabric->compression_factor;
    if (m->compression == TOILE_COMPRESSION_TENSION_FIELD) {
        /* isotropic up to the tolerance of the check: now to the last bit, so that no stress jumps
         */
        m->K22 = m->K11;
        m->K33 = 0.5 * E1 / (1.0 + nu12);
    }
    m->gauss_points = fabric->gauss_points;
    m->stretch_damping_s = fabric->stretch_damping_s;
    m->stretch_limit = fabric->stretch_limit;
    m->density_kg_per_m2 = fabric->density_kg_per_m2;
    m->bend_model = (ToileBendModel)fabric->bend_model;
    m->bend_weft_N_m = fabric->bend_weft_N_m;
    m->bend_warp_N_m = fabric->bend_warp_N_m;
    m->bend_factor = fabric->bend_scale == TOILE_BEND_PAPER ? 1.0 / 3.0 : 1.0;
    m->bend_damping_N_m_s = fabric->bend_damping_N_m_s;
    m->bend_damping_model = (ToileBendDamping)fabric->bend_damping_model;
    m->bend_poisson = fabric->bend_poisson;
    m->in_element_weight = fabric->bend_in_element_weight;
    m->fold_exponent = fabric->bend_fold_exponent;
    m->rest_curvature = (ToileRestCurvature)fabric->rest_curvature;
    m->rest_curvature_per_m = fabric->rest_curvature_per_m;
    m->thickness_m = fabric->thickness_m;
    m->friction = fabric->friction;
    return copy_law(arena, fabric, &m->law) && make_arcs(arena, fabric, &m->arcs);
}
