/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Orthotropic membrane constants from engineering ones [Volino 2009]; see material.h. */
#include "rest/material.h"

TlMaterial tl_material(const ToileFabric *fabric) {
    double E1 = fabric->stretch_weft_N_per_m, E2 = fabric->stretch_warp_N_per_m;
    double nu12 = fabric->stretch_poisson, nu21 = nu12 * E2 / E1;
    double d = 1.0 - nu12 * nu21;
    TlMaterial m;
    m.K11 = E1 / d;
    m.K22 = E2 / d;
    m.K12 = nu12 * E2 / d;
    m.K33 = fabric->stretch_shear_N_per_m;
    m.stretch_damping_s = fabric->stretch_damping_s;
    m.density_kg_per_m2 = fabric->density_kg_per_m2;
    m.bend_weft_N_m = fabric->bend_weft_N_m;
    m.bend_warp_N_m = fabric->bend_warp_N_m;
    m.bend_factor = fabric->bend_scale == TOILE_BEND_PAPER ? 1.0 / 3.0 : 1.0;
    m.thickness_m = fabric->thickness_m;
    m.friction = fabric->friction;
    return m;
}
