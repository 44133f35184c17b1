/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Mass-spring stretch: E = k/2 (l - L)^2 with the length l of a spring and L at rest.
 *
 * [P95] Provot: Deformation constraints in a mass-spring model to describe rigid cloth behavior,
 * 1995 (structural and shear springs). The stiffnesses, which the paper leaves open, are those of
 * the sheet: rest/rest_spring.c. A spring under pressure has a negative stiffness T/l across
 * itself; it is left out of the Hessian, which is exact under tension. Damping adds the tension tau
 * k dl/dt, over a step tau/dt k (l - l_start): it depends on lengths only, so rigid motion is never
 * damped. */
#include "force/stretch_springs.h"

static double springs_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    const TlSpringSet *set = &model->sets.springs;
    double total = 0.0;
    for (int32_t s = begin; s < end; s++) {
        const int32_t *vertex = set->vertex + 2 * (int64_t)s;
        double rate = tl_damping_rate(&model->materials[set->material[s]], at);
        double length = tl_span(at->x, vertex).length, longer = length - set->length[s];
        double square = longer * longer;
        if (rate > 0.0) {
            double change = length - tl_span(at->x_start, vertex).length;
            square += rate * change * change;
        }
        total += 0.5 * set->k[s] * square;
    }
    return total;
}

static void springs_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                           double *grad, double *hess) {
    const TlSpringSet *set = &model->sets.springs;
    for (int32_t s = begin; s < end; s++) {
        const int32_t *vertex = set->vertex + 2 * (int64_t)s;
        double rate = tl_damping_rate(&model->materials[set->material[s]], at), k = set->k[s];
        TlSpan span = tl_span(at->x, vertex);
        double tension = k * (span.length - set->length[s]);
        if (rate > 0.0) {
            tension += rate * k * (span.length - tl_span(at->x_start, vertex).length);
        }
        tl_spring_derive(span, tension, k * (1.0 + rate), s, grad, hess);
    }
}

/* Minus the damping force: tension tau k dl/dt. */
static void springs_damp(const TlModel *model, const double *x, const double *v, int32_t begin,
                         int32_t end, double *grad) {
    const TlSpringSet *set = &model->sets.springs;
    for (int32_t s = begin; s < end; s++) {
        const int32_t *vertex = set->vertex + 2 * (int64_t)s;
        TlVec3 n = tl_span(x, vertex).n;
        TlVec3 apart =
            tl_sub3(tl_load3(v + 3 * (int64_t)vertex[1]), tl_load3(v + 3 * (int64_t)vertex[0]));
        double tau = model->materials[set->material[s]].stretch_damping_s;
        tl_spring_gradient(n, tau * set->k[s] * tl_dot3(n, apart),
                           grad + TL_SPRING_GRADIENT * (int64_t)s);
    }
}

TlElements tl_stretch_springs(const TlModel *model) {
    const TlSpringSet *set = &model->sets.springs;
    return (TlElements){.name = "stretch springs",
                        .group = TL_ENERGY_STRETCH,
                        .count = set->count,
                        .arity = 2,
                        .vertex = set->vertex,
                        .hessian = TL_HESSIAN_BLOCKS,
                        .model = model,
                        .value = springs_value,
                        .derive = springs_derive,
                        .damp = springs_damp};
}

TlSpringDetail tl_stretch_springs_detail(const TlModel *model, const double *x, int32_t s) {
    return tl_spring_detail(&model->sets.springs, x, s);
}
