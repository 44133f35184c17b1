/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Choi-Ko springs: strips across the edges that buckle into arcs when shortened.
 *
 * [CK02] Choi, Ko: Stable but responsive cloth, 2002. [E] ElBadrawy, Hemayed: Speeding up cloth
 * simulation by linearizing the bending function of the physical mass-spring model, 2011. The arc,
 * exact or as the table of [E], is in rest/buckling.h: with y = l/L the force is f = dE/dl =
 * phi(y) kb/L^2. It is 12 kb/L^2 strong at once when l falls below L, so [CK02]'s ramp leads up to
 * it: max(f, c_b (l - L)) for l < L and 0 beyond, c_b the stretch stiffness E l_edge/L of the same
 * strip, at least 1200 kb/L^3. Where the ramp meets the arc is computed at rest (ramp_length), so
 * that the energy is the exact integral of this force: c_b/2 (L - l)^2 on the ramp, and the arc's
 * shifted by a constant (ramp_energy) behind it. The Hessian keeps the derivative of the force
 * along the spring, which is positive, and drops the force over l across it, which is not. */
#include "force/bend_choi_ko.h"

/* ends nearer than this part of the length have no direction; the force there is zero */
#define NO_DIRECTION 1e-9

typedef struct Buckle {
    double energy, tension, stiffness; /* E, dE/dl, d^2E/dl^2 */
} Buckle;

/* Inline, so that what a caller does not look at is not computed. */
static inline Buckle buckle_of(const TlModel *model, int32_t s, double length) {
    const TlBuckleSet *set = &model->sets.choi_ko;
    double L = set->length[s], shorter = L - length, kb = set->kb[s];
    if (!(shorter > 0.0) || kb == 0.0) {
        return (Buckle){0.0, 0.0, 0.0};
    }
    if (shorter <= set->ramp_length[s]) {
        double k = set->ramp[s];
        return (Buckle){0.5 * k * shorter * shorter, -k * shorter, k};
    }
    double per_m = 1.0 / L, scale = kb * per_m, force = scale * per_m;
    TlArc arc = tl_arc_at(&model->materials[set->material[s]].arcs, length * per_m);
    return (Buckle){scale * arc.energy + set->ramp_energy[s], force * arc.phi,
                    force * per_m * arc.slope};
}

static double choi_ko_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    const TlBuckleSet *set = &model->sets.choi_ko;
    double total = 0.0;
    for (int32_t s = begin; s < end; s++) {
        double length = tl_span(at->x, set->vertex + 2 * (int64_t)s).length;
        total += buckle_of(model, s, length).energy;
    }
    return total;
}

static void choi_ko_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                           double *grad, double *hess) {
    const TlBuckleSet *set = &model->sets.choi_ko;
    for (int32_t s = begin; s < end; s++) {
        TlSpan span = tl_span(at->x, set->vertex + 2 * (int64_t)s);
        Buckle buckle = {0.0, 0.0, 0.0};
        if (span.length >= NO_DIRECTION * set->length[s]) {
            buckle = buckle_of(model, s, span.length);
        }
        tl_spring_gradient(span.n, buckle.tension, grad + TL_SPRING_GRADIENT * (int64_t)s);
        if (hess != NULL) {
            /* one row: H = g g^T */
            tl_spring_gradient(span.n, sqrt(buckle.stiffness),
                               hess + TL_SPRING_GRADIENT * (int64_t)s);
        }
    }
}

TlElements tl_bend_choi_ko(const TlModel *model) {
    const TlBuckleSet *set = &model->sets.choi_ko;
    return (TlElements){.name = "bend choi-ko",
                        .group = TL_ENERGY_BEND,
                        .count = set->count,
                        .arity = 2,
                        .vertex = set->vertex,
                        .hessian = 1,
                        .model = model,
                        .value = choi_ko_value,
                        .derive = choi_ko_derive};
}

TlSpringDetail tl_bend_choi_ko_detail(const TlModel *model, const double *x, int32_t s) {
    const TlBuckleSet *set = &model->sets.choi_ko;
    const int32_t *vertex = set->vertex + 2 * (int64_t)s;
    double length = tl_span(x, vertex).length, L = set->length[s];
    TlSpringDetail detail = {.vertices = {vertex[0], vertex[1]},
                             .rest_length = L,
                             .length = length,
                             .kb = set->kb[s],
                             .energy_J = buckle_of(model, s, length).energy};
    if (length < L) {
        detail.kappa_length = sqrt(2.0 * tl_arc((L - length) / L).energy);
        detail.phi = tl_arc_at(&model->materials[set->material[s]].arcs, length / L).phi;
    }
    return detail;
}
