/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of an energy. Layer 3a.
 *
 * An energy is a set of elements, each of a fixed number of vertices (its arity). It answers its
 * value, and for a range of elements the gradient and a positive semi-definite Hessian, into
 * buffers with one place per element; the solver gathers them by vertex in a fixed order. Nothing
 * is scattered, so threads never change a bit. */
#ifndef TL_ENERGY_H
#define TL_ENERGY_H

#include "rest/model.h"

/* Where an energy is evaluated. */
typedef struct TlPoint {
    const double *x; /* positions, 3 per vertex */
    const double
        *x_start; /* positions at the start of the step, for damping; unused when dt_s is 0 */
    double dt_s;  /* 0: static, no damping */
} TlPoint;

typedef struct TlElements {
    const char *name;
    int32_t arity;
    int32_t count;
    const int32_t *vertex; /* arity each */
    const TlModel *model;
    /* sum of the energies of elements [begin, end), added in order */
    double (*value)(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end);
    /* for elements [begin, end): gradient, 3 * arity each, and unless `hess` is NULL the blocks (a,
     * b), a <= b, row by row, 9 each, of the projected Hessian. Both buffers start at element 0. */
    void (*derive)(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                   double *grad, double *hess);
} TlElements;

/* Blocks of one element's symmetric Hessian. */
static inline int32_t tl_block_count(int32_t arity) {
    return arity * (arity + 1) / 2;
}
/* Place of block (a, b), a <= b. */
static inline int32_t tl_block_index(int32_t arity, int32_t a, int32_t b) {
    return a * arity - a * (a - 1) / 2 + (b - a);
}

#endif
