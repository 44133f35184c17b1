/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Strain limit of edges, as a barrier on their length l: with the rest length L and the limit m, E
 * = k (m L)^2 b(t), t = 2 (l - L)/(m L) - 1 from 0 at half the limit to 1 at the limit.
 *
 * [LFS20] Li et al.: Incremental potential contact, 2020, Eq. 6: b(t) = -t^2 ln(1 - t), here of a
 * length instead of a distance, 0 for t <= 0. It is C2 at 0. From T_END on it continues as the
 * parabola with the same value, slope and curvature: a cloth that starts beyond its limit is pulled
 * back instead of having no energy, and the stiffness stays finite (2700 k). At the limit an edge
 * bears 112 times k m L, the force its own stiffness k has there. Edges resist lengthening only, so
 * that the exact Hessian is positive semi-definite. */
#include "force/stretch_limit.h"

#include "base/elementary.h"
#include "force/spring.h"

#define T_END 0.96

/* Value, slope and curvature of the logarithmic part, t in (0, 1). */
static void barrier(double t, double b[3]) {
    double gap = 1.0 - t, ln = tl_ln(gap);
    b[0] = -t * t * ln;
    b[1] = -2.0 * t * ln + t * t / gap;
    b[2] = -2.0 * ln + 4.0 * t / gap + t * t / (gap * gap);
}

/* The same with what follows behind T_END. */
static void limit_of(double t, double b[3]) {
    double beyond = t - T_END;
    barrier(tl_min(t, T_END), b);
    if (beyond > 0.0) {
        b[0] += beyond * (b[1] + 0.5 * beyond * b[2]);
        b[1] += beyond * b[2];
    }
}

/* m L: by how much an edge may lengthen; 0: it has no limit. */
static double most_of(const TlModel *model, int32_t e) {
    const TlEdgeSet *set = &model->sets.edges;
    return model->materials[set->material[e]].stretch_limit * set->length[e];
}

/* t: how far an edge is between half its limit and the limit; 0 or less: it is free. */
static double reach(double longer, double most) {
    return most > 0.0 ? 2.0 * longer / most - 1.0 : 0.0;
}

static double limit_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    const TlEdgeSet *set = &model->sets.edges;
    double total = 0.0, b[3];
    for (int32_t e = begin; e < end; e++) {
        double length = tl_span(at->x, set->vertex + 2 * (int64_t)e).length;
        double most = most_of(model, e), t = reach(length - set->length[e], most);
        if (t > 0.0) {
            limit_of(t, b);
            total += set->stiffness[e] * most * most * b[0];
        }
    }
    return total;
}

static void limit_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                         double *grad, double *hess) {
    const TlEdgeSet *set = &model->sets.edges;
    for (int32_t e = begin; e < end; e++) {
        TlSpan span = tl_span(at->x, set->vertex + 2 * (int64_t)e);
        double most = most_of(model, e), t = reach(span.length - set->length[e], most);
        double tension = 0.0, along = 0.0, b[3];
        if (t > 0.0) {
            limit_of(t, b);
            /* dt/dl = 2/(m L) */
            tension = 2.0 * set->stiffness[e] * most * b[1];
            along = 4.0 * set->stiffness[e] * b[2];
        }
        tl_spring_derive(span, tension, along, e, grad, hess);
    }
}

TlElements tl_stretch_limit(const TlModel *model) {
    const TlEdgeSet *set = &model->sets.edges;
    bool any = false;
    for (int32_t m = 0; m < model->material_count; m++) {
        any = any || model->materials[m].stretch_limit > 0.0;
    }
    return (TlElements){.name = "stretch limit",
                        .group = TL_ENERGY_STRETCH,
                        .count = any ? set->count : 0,
                        .arity = 2,
                        .vertex = set->vertex,
                        .hessian = TL_HESSIAN_BLOCKS,
                        .model = model,
                        .value = limit_value,
                        .derive = limit_derive};
}
