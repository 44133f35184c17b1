/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What energies of the distance of two vertices have in common. With the distance l, the unit
 * vector n from the first vertex to the second and T = dE/dl, the gradient is -T n and T n; the
 * Hessian is H, -H, H over the pairs of vertices with H = T' n n^T + T/l (I - n n^T). */
#ifndef TL_SPRING_H
#define TL_SPRING_H

#include "base/vec.h"
#include "rest/sets.h"

enum { TL_SPRING_GRADIENT = 6, TL_SPRING_HESSIAN = 27 };

typedef struct TlSpan {
    TlVec3 n; /* zero where both vertices are in one place */
    double length;
} TlSpan;

static inline TlSpan tl_span(const double *x, const int32_t vertex[2]) {
    TlVec3 d = tl_sub3(tl_load3(x + 3 * (int64_t)vertex[1]), tl_load3(x + 3 * (int64_t)vertex[0]));
    double length = tl_length3(d);
    return (TlSpan){length > 0.0 ? tl_scale3(1.0 / length, d) : d, length};
}

static inline void tl_spring_gradient(TlVec3 n, double tension, double grad[TL_SPRING_GRADIENT]) {
    tl_store3(grad, tl_scale3(-tension, n));
    tl_store3(grad + 3, tl_scale3(tension, n));
}

/* H = along n n^T + across (I - n n^T), in blocks. */
static inline void tl_spring_hessian(TlVec3 n, double along, double across,
                                     double hess[TL_SPRING_HESSIAN]) {
    const double unit[3] = {n.x, n.y, n.z};
    for (int i = 0; i < 9; i++) {
        double h = (along - across) * unit[i / 3] * unit[i % 3] + (i % 4 == 0 ? across : 0.0);
        hess[i] = hess[18 + i] = h;
        hess[9 + i] = -h;
    }
}

/* Gradient and, unless `hess` is NULL, the Hessian of spring s, without the negative stiffness T/l
 * across it under pressure; `along` is T'. */
static inline void tl_spring_derive(TlSpan span, double tension, double along, int32_t s,
                                    double *grad, double *hess) {
    tl_spring_gradient(span.n, tension, grad + TL_SPRING_GRADIENT * (int64_t)s);
    if (hess != NULL) {
        double across = tension > 0.0 ? tension / span.length : 0.0;
        tl_spring_hessian(span.n, along, across, hess + TL_SPRING_HESSIAN * (int64_t)s);
    }
}

/* One spring at some positions; what does not apply is 0. */
typedef struct TlSpringDetail {
    int32_t vertices[2];
    double rest_length, length; /* m */
    double k;                   /* stretch and crossover: N/m */
    double kb;                  /* Choi-Ko: N m^2 */
    double kappa_length;        /* Choi-Ko: curvature of the arc times rest length */
    double phi;                 /* Choi-Ko: force of the arc times rest length^2/kb */
    double energy_J;
} TlSpringDetail;

/* A spring of energy k/2 (l - L)^2. */
static inline TlSpringDetail tl_spring_detail(const TlSpringSet *set, const double *x, int32_t s) {
    const int32_t *vertex = set->vertex + 2 * (int64_t)s;
    double length = tl_span(x, vertex).length, longer = length - set->length[s];
    return (TlSpringDetail){.vertices = {vertex[0], vertex[1]},
                            .rest_length = set->length[s],
                            .length = length,
                            .k = set->k[s],
                            .energy_J = 0.5 * set->k[s] * longer * longer};
}

#endif
