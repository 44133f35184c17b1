/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Crossover springs: bending as a plain spring across the edge between two faces, E = k/2 (l -
 * L)^2.
 *
 * [P95] Provot: Deformation constraints in a mass-spring model to describe rigid cloth behavior,
 * 1995 (flexion springs). Which vertices they join and how stiff they are: rest/rest_spring.c. The
 * negative stiffness T/l across a spring under pressure is left out of the Hessian. */
#include "force/bend_crossover.h"

static double crossover_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    const TlSpringSet *set = &model->sets.crossover;
    double total = 0.0;
    for (int32_t s = begin; s < end; s++) {
        double longer = tl_span(at->x, set->vertex + 2 * (int64_t)s).length - set->length[s];
        total += 0.5 * set->k[s] * longer * longer;
    }
    return total;
}

static void crossover_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                             double *grad, double *hess) {
    const TlSpringSet *set = &model->sets.crossover;
    for (int32_t s = begin; s < end; s++) {
        TlSpan span = tl_span(at->x, set->vertex + 2 * (int64_t)s);
        double tension = set->k[s] * (span.length - set->length[s]);
        tl_spring_derive(span, tension, set->k[s], s, grad, hess);
    }
}

TlElements tl_bend_crossover(const TlModel *model) {
    const TlSpringSet *set = &model->sets.crossover;
    return (TlElements){.name = "bend crossover",
                        .group = TL_ENERGY_BEND,
                        .count = set->count,
                        .arity = 2,
                        .vertex = set->vertex,
                        .hessian = TL_HESSIAN_BLOCKS,
                        .model = model,
                        .value = crossover_value,
                        .derive = crossover_derive};
}

TlSpringDetail tl_bend_crossover_detail(const TlModel *model, const double *x, int32_t s) {
    return tl_spring_detail(&model->sets.crossover, x, s);
}
