/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The coarse levels of the preconditioner, built from the rest shape alone. Nodes, one for some
 * twenty vertices, stand for smooth functions over the mesh; hubs, at most a hundred or so, for
 * smooth functions over the nodes. Block Jacobi of the Galerkin matrix on the nodes carries what is
 * longer than a few edges, an exact solution on the hubs what is global; together with block Jacobi
 * of the vertices conjugate gradients take about as many iterations on any mesh.
 *
 *   z = P (D^-1 + Q C^-1 Q^T) P^T r,  B = P^T A P or nearly,  D its diagonal blocks,  C = Q^T B Q
 *
 * D and C know touches too, where they are many; see coarse_touch.c. */
#ifndef TL_COARSE_H
#define TL_COARSE_H

#include "solve/operator.h"

enum { TL_COARSE_SUPPORT = 4 }; /* nodes a vertex takes part in, and hubs a node */

/* An interpolation: each row is a weighted mean of up to TL_COARSE_SUPPORT values of the next
 * level. Weights are multiples of 2^-20, so that those of a row sum to exactly 1; a row of a piece
 * of the mesh that no seed is on has none. */
typedef struct TlInterpolation {
    int32_t rows, count; /* values of this level and of the next */
    int32_t *node;       /* TL_COARSE_SUPPORT per row, nearest first; -1: none */
    float *weight;       /* same order */
} TlInterpolation;

/* The same the other way round: the rows that take part in each value of the next level. */
typedef struct TlRestriction {
    int32_t *start; /* per value: range */
    int32_t *row;   /* ascending in a range */
    float *weight;
} TlRestriction;

/* The nodes that elements of one set take part in, and how much: per node a weight of the first two
 * differences of corners that a packed Hessian acts on, or of every corner. */
typedef struct TlSpans {
    int32_t *first;  /* per element: range of nodes */
    int32_t *node;   /* ascending in an element */
    int64_t *offset; /* per element: first weight */
    float *weight;   /* per node: 2, or as many as the element has corners */
    int64_t *pair;   /* per element: first of its blocks */
    int32_t *block;  /* blocks (a, b) of pairs of nodes: for every b all a <= b */
} TlSpans;

/* Blocks of the matrix on the nodes, upper half. */
typedef struct TlNodeMatrix {
    int32_t n, count;
    int32_t *row_start; /* n + 1 */
    int32_t *column;    /* ascending in a row, from the diagonal on */
    TlDouble4 *block;   /* 3 each: rows, of which the fourth number is not used */
} TlNodeMatrix;

/* Rows of blocks over the hubs, by node: U Q, U the upper half of the matrix on the nodes with half
 * its diagonal. */
typedef struct TlHubRows {
    int32_t *start;   /* per node: range */
    int32_t *hub;     /* in the order they are met */
    TlDouble4 *block; /* 3 each */
} TlHubRows;

/* What the sums of one of the operator's parts reach: a range of blocks. */
typedef struct TlReach {
    int32_t first, last;
    TlDouble4 *sum;
} TlReach;

typedef struct TlCoarse {
    TlInterpolation nodes; /* P */
    TlInterpolation hubs;  /* Q */
    TlRestriction down;    /* P^T */
    TlNodeMatrix matrix;   /* B */
    TlSpans *spans;        /* per set of elements */
    TlReach *block_reach;  /* per part of the operator */
    double *bend;          /* per block: its part of the bending matrix, a scalar */
    double *own;           /* per block: inertia, a scalar */
    double *weight;        /* the weights of vertices that `own` was made of */
    uint8_t *fixed;        /* the vertices that spans, bend and own leave out */
    bool known_fixed, known_own;
    TlFloat4 *inverse;         /* 2 per node: the inverted diagonal block */
    TlDouble4 *touch_diagonal; /* 2 per node: what touches add to that block */
    TlDouble4 *rest;           /* per node: P^T r */
    double *value;             /* 3 per node: Q y, y the exact solution on the hubs */
    TlFloat4 *value4;          /* per node: z */
    /* hubs */
    TlRestriction hub_down; /* Q^T */
    TlHubRows rows;         /* work */
    TlDouble4 *square;      /* 3 per pair of hubs: work */
    double *dense;          /* (3 hubs)^2, lower half, row-major: C, then its factor L */
    double *panel, *pivot;  /* of the factor: work */
    double *hub_value;      /* 3 per hub */
    float *factor;          /* L in single precision, rows of `stride`, the diagonal inverted */
    float *hub_single;      /* stride */
    int32_t stride;
    int32_t *place; /* per hub: where it stands in the list of a touch, -1: not there; work */
    bool ready;     /* the factor exists */
    bool pressed;   /* and knows touches */
} TlCoarse;

/* Nodes, hubs and weights, from the mesh; false when memory is refused. coarse_nodes.c */
bool tl_coarse_nodes(TlArena *arena, const TlModel *model, TlCoarse *out);
/* Spans, pattern and reaches; false when memory is refused. coarse_pattern.c */
bool tl_coarse_pattern(TlArena *arena, const TlOperator *A, TlCoarse *out);
/* Block (a, b), a <= b, which exists. */
int32_t tl_coarse_block(const TlNodeMatrix *matrix, int32_t a, int32_t b);
/* B of the free vertices. coarse_matrix.c */
void tl_coarse_matrix(TlCoarse *coarse, TlPool *pool, const TlOperator *A);

/* Whether touches are so many, as in stacks, that coarse levels are made for them. Where
 * they are few, solves that know them end sooner than those few need. */
static inline bool tl_coarse_is_pressed(const TlOperator *A) {
    return tl_touch_count(A) > A->n;
}
/* Adds touches, where they are many, to the upper half of the matrix on the hubs, and finds their
 * part of the nodes' diagonal blocks. coarse_touch.c */
void tl_coarse_touches(TlCoarse *coarse, const TlOperator *A);

/* The whole; false when memory is refused. */
bool tl_coarse_build(TlArena *arena, const TlModel *model, const TlOperator *A, TlCoarse *out);
/* B, D and the factor of C; `ready` becomes false when C is not positive definite. */
void tl_coarse_factor(TlCoarse *coarse, TlPool *pool, const TlOperator *A);
/* Whether the last factor is there and was made for these weights, up to rounding, and fixed
 * vertices. */
bool tl_coarse_serves(const TlCoarse *coarse, const TlOperator *A);

/* rest = P^T r; r is 0 where fixed. The second is in double precision, of 3 per vertex, and leaves
 * out what was fixed when the factor was made. */
void tl_coarse_restrict(TlCoarse *coarse, TlPool *pool, const TlFloat4 *r);
void tl_coarse_restrict_exact(TlCoarse *coarse, TlPool *pool, const double *r);
/* value4 = (D^-1 + Q C^-1 Q^T) rest */
void tl_coarse_solve(TlCoarse *coarse);
/* value = Q C^-1 Q^T rest in double precision; answers rest . value4 as above. */
double tl_coarse_solve_exact(TlCoarse *coarse);

/* Row v of P value4. */
TL_INLINE TlFloat4 tl_coarse_row(const TlCoarse *coarse, int32_t v) {
    const int32_t *node = coarse->nodes.node + TL_COARSE_SUPPORT * (int64_t)v;
    const float *weight = coarse->nodes.weight + TL_COARSE_SUPPORT * (int64_t)v;
    const TlFloat4 *value = coarse->value4;
    _Static_assert(TL_COARSE_SUPPORT == 4, "the terms below");
    if (node[TL_COARSE_SUPPORT - 1] >= 0) {
        return ((weight[0] * value[node[0]] + weight[1] * value[node[1]]) +
                weight[2] * value[node[2]]) +
               weight[3] * value[node[3]];
    }
    TlFloat4 sum = tl_float4(0.0F);
    for (int k = 0; k < TL_COARSE_SUPPORT && node[k] >= 0; k++) {
        sum += weight[k] * value[node[k]];
    }
    return sum;
}

/* Every how many-th element of a packed set the matrix on the nodes counts, that many times: every
 * second triangle where there are many to a node. Quads often stand in rows, where every second one
 * would be a stripe: all of them. */
static inline int32_t tl_coarse_stride(const TlCoarse *coarse, const TlElements *elements) {
    enum { MANY = 16 };
    return elements->arity == 3 && elements->count >= MANY * (int64_t)coarse->nodes.count ? 2 : 1;
}

/* Row v of P value. */
static inline void tl_coarse_row_exact(const TlCoarse *coarse, int32_t v, double out[3]) {
    const int32_t *node = coarse->nodes.node + TL_COARSE_SUPPORT * (int64_t)v;
    const float *weight = coarse->nodes.weight + TL_COARSE_SUPPORT * (int64_t)v;
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k < TL_COARSE_SUPPORT && node[k] >= 0; k++) {
        for (int i = 0; i < 3; i++) {
            out[i] += (double)weight[k] * coarse->value[3 * (int64_t)node[k] + i];
        }
    }
}

#endif
