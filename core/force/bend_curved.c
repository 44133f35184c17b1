/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Linear bending with a curved rest shape.
 *
 * [V] Volino, Magnenat-Thalmann: Simple linear bending stiffness in particle systems, 2006, Eq. 17,
 * which offsets the bending vector R by rho0 N. Two forms:
 *
 * - given curvature gamma0: E = lambda/2 |R - rho0 N|^2, rho0 = 1/2 hA hB gamma0. The paper keeps N
 *   fixed, which makes a torque; we differentiate it: grad = lambda (alpha_J R - rho0 grad_J r).
 *   The offset is subtracted; the paper's text says added. gamma0 > 0 is a valley seen from +N.
 * - from the rest shape: E = lambda/2 (r - r_rest)^2 with r = R.N, because R is not parallel to N
 *   in a fold of unequal heights; the rest shape then has no force at all.
 *
 * The solver takes the constant matrix lambda alpha_J alpha_K as Hessian of both: positive, and the
 * terms left out are those of the turning normal. */
#include "force/bend_curved.h"

#include "rest/hinge.h"

static bool is_from_rest(const TlModel *model, const TlHingeSet *set, int32_t h) {
    return model->materials[set->material[h]].rest_curvature == TOILE_REST_CURVATURE_FROM_REST;
}

static double curved_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_CURVED];
    double total = 0.0;
    for (int32_t h = begin; h < end; h++) {
        TlHinge hinge = tl_hinge_at(set, at->x, h);
        TlHingeBend bend = tl_hinge_bend(&hinge);
        double change = bend.r - set->rest_r[h];
        TlVec3 w = tl_madd3(bend.R, -set->rest_r[h], bend.N);
        double w2 = is_from_rest(model, set, h) ? change * change : tl_dot3(w, w);
        total += 0.5 * set->lambda[h] * w2;
    }
    return total;
}

static void curved_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                          double *grad, double *hess) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_CURVED];
    (void)hess;
    for (int32_t h = begin; h < end; h++) {
        TlHinge hinge = tl_hinge_at(set, at->x, h);
        TlHingeBend bend = tl_hinge_bend(&hinge);
        TlVec3 g[TL_HINGE_POINTS];
        double *out = grad + 3 * (int64_t)set->first[h];
        tl_hinge_grad_r(&hinge, &bend, g);
        if (is_from_rest(model, set, h)) {
            tl_hinge_spread(set, h, set->lambda[h] * (bend.r - set->rest_r[h]), g, out);
            continue;
        }
        for (int i = 0; i < TL_HINGE_POINTS; i++) {
            g[i] = tl_madd3(tl_scale3(hinge.alpha[i], bend.R), -set->rest_r[h], g[i]);
        }
        tl_hinge_spread(set, h, set->lambda[h], g, out);
    }
}

TlElements tl_bend_curved(const TlModel *model) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_CURVED];
    return (TlElements){.name = "bend curved",
                        .group = TL_ENERGY_BEND,
                        .count = set->count,
                        .first = set->first,
                        .vertex = set->vertex,
                        .hessian = TL_HESSIAN_NONE,
                        .model = model,
                        .value = curved_value,
                        .derive = curved_derive};
}
