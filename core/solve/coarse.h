/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Coarse space of the two-level preconditioner: a few hundred smooth functions over the mesh, built
 * from the rest shape alone, and the Galerkin matrix on them. It carries the slow, global part of
 * the motion that block Jacobi alone would need hundreds of iterations for. */
#ifndef TL_COARSE_H
#define TL_COARSE_H

#include "solve/block_matrix.h"

enum { TL_COARSE_SUPPORT = 4 }; /* coarse nodes a vertex takes part in */

typedef struct TlCoarse {
    int32_t node_count;
    int32_t *node;  /* TL_COARSE_SUPPORT per vertex; -1: none */
    double *weight; /* same order */
    int32_t *start; /* per node: range of its vertices */
    int32_t *vertex;
    double *vertex_weight;
    double
        *matrix; /* lower half, row-major, (3 node_count)^2: Galerkin matrix, then its factor L */
    double *transpose; /* L^T, so that both triangular solves run along rows */
    double *column;    /* work */
    double *value;     /* 3 node_count: right-hand side, then solution */
    bool ready;        /* the factor exists */
} TlCoarse;

/* Chooses nodes and weights; false when memory is refused. */
bool tl_coarse_build(TlArena *arena, const TlModel *model, const TlBlockMatrix *pattern,
                     TlCoarse *out);
/* Galerkin matrix of A over the free vertices, factored; `ready` becomes false when it is not
 * positive definite. */
void tl_coarse_factor(TlCoarse *coarse, TlPool *pool, const TlBlockMatrix *A, const uint8_t *fixed);
/* value = (P^T A P)^-1 P^T r. */
void tl_coarse_solve(TlCoarse *coarse, TlPool *pool, const double *r);
/* Adds row v of P value to z. */
static inline void tl_coarse_add(const TlCoarse *coarse, int32_t v, double z[3]) {
    for (int k = 0; k < TL_COARSE_SUPPORT; k++) {
        int32_t node = coarse->node[TL_COARSE_SUPPORT * (int64_t)v + k];
        if (node >= 0) {
            double w = coarse->weight[TL_COARSE_SUPPORT * (int64_t)v + k];
            for (int i = 0; i < 3; i++) {
                z[i] += w * coarse->value[3 * (int64_t)node + i];
            }
        }
    }
}

#endif
