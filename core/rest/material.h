/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Fabric numbers to the constants the energies use. Layer 2: what is computed once and never
 * changes. */
#ifndef TL_MATERIAL_H
#define TL_MATERIAL_H

#include "toile/types.h"

typedef struct TlMaterial {
    double K11, K12, K22,
        K33; /* membrane stiffness in weft and warp axes, N/m; engineering shear */
    double stretch_damping_s;
    double density_kg_per_m2;
    double bend_weft_N_m, bend_warp_N_m;
    double
        bend_factor; /* c of the bending coefficient: 1 calibrated, 1/3 as printed in the paper */
    double thickness_m;
    double friction;
} TlMaterial;

/* From a fabric that passed the check. K11 = E1/d, K22 = E2/d, K12 = nu12 E2/d, K33 = G, d = 1 -
 * nu12 nu21. */
TlMaterial tl_material(const ToileFabric *fabric);

#endif
