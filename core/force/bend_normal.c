/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Bending by half angles: E = 2 k_b s (1 - cos(phi/2)), phi = theta - theta0, which levels off in
 * sharp folds.
 *
 * [BMF03] Bridson, Marino, Fedkiw: Simulation of clothing with folds and wrinkles, 2003. Their
 * modes u_J are exactly the gradient of theta; their force k sin(theta/2) l^2/(|NA| + |NB|) u is a
 * gradient if the lengths are those of the rest shape, s = l^2/(|NA| + |NB|) = l/(hA + hB). For a
 * modulus mu, k_b = 4 c mu, so that k_b s = 2 k_e. Hessian: what comes from the second derivatives
 * of theta is left out. */
#include "force/bend_normal.h"

#include "base/elementary.h"
#include "rest/hinge.h"

static double normal_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_NORMAL];
    double total = 0.0;
    for (int32_t h = begin; h < end; h++) {
        TlHinge hinge = tl_hinge_at(set, at->x, h);
        double s = tl_sin(0.25 * (tl_hinge_angle(&hinge).theta - set->rest_theta[h]));
        total += 8.0 * set->k_e[h] * s * s;
    }
    return total;
}

static void normal_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                          double *grad, double *hess) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_NORMAL];
    for (int32_t h = begin; h < end; h++) {
        int64_t first = set->first[h];
        TlHinge hinge = tl_hinge_at(set, at->x, h);
        TlHingeAngle angle = tl_hinge_angle(&hinge);
        double half = 0.5 * (angle.theta - set->rest_theta[h]), k_e = set->k_e[h];
        TlVec3 u[TL_HINGE_POINTS];
        tl_hinge_grad_theta(&angle, u);
        tl_hinge_spread(set, h, 2.0 * k_e * tl_sin(half), u, grad + 3 * first);
        if (hess != NULL) {
            double stiffness = k_e * tl_max(0.0, tl_cos(half));
            tl_hinge_spread(set, h, sqrt(stiffness), u, hess + 3 * first);
        }
    }
}

TlElements tl_bend_normal(const TlModel *model) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_NORMAL];
    return (TlElements){.name = "bend normal",
                        .group = TL_ENERGY_BEND,
                        .count = set->count,
                        .first = set->first,
                        .vertex = set->vertex,
                        .hessian = 1,
                        .model = model,
                        .value = normal_value,
                        .derive = normal_derive};
}
