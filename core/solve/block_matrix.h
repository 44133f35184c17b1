/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of one Newton iteration: 3x3 blocks on the pattern of the elements, plus the part of
 * the bending matrix that reaches beyond it as scalars. Layer 4. Rows are whole (both halves), so
 * that a row is computed by one thread without help. */
#ifndef TL_BLOCK_MATRIX_H
#define TL_BLOCK_MATRIX_H

#include "base/parallel.h"
#include "base/sparse.h"
#include "force/energy.h"

/* Where the derivatives of one set of elements go. */
typedef struct TlGather {
    TlElements elements;
    double *grad;     /* 3 per corner */
    double *hess;     /* tl_hessian_size */
    int32_t *start;   /* per vertex: range of items */
    int32_t *item;    /* corners (counted over all elements), ascending */
    int32_t *element; /* per item: the element of that corner */
    int32_t *slot_at; /* per item: its first slot */
    int32_t *slot;    /* per item and corner b of its element: block of the vertex's row that
                         (corner, b) belongs to */
} TlGather;

typedef struct TlBlockMatrix {
    int32_t n;
    int32_t *row_start; /* n + 1 */
    int32_t *column;    /* sorted in each row */
    int32_t *diagonal;  /* block of (v, v) */
    double *block;      /* 9 each, row-major */
    double *near; /* per block: scalar that is always part of it (bending inside the pattern) */
    TlScalarMatrix far; /* bending beyond the pattern */
} TlBlockMatrix;

/* Gather tables of one set; false when memory is refused. */
bool tl_gather_build(TlArena *arena, const TlElements *elements, int32_t vertex_count,
                     TlGather *out);
/* Pattern of all sets with a Hessian, `bend` split into near and far, slots of the gathers; false
 * when memory is refused. */
bool tl_block_matrix_build(TlArena *arena, TlGather *gathers, int32_t count,
                           const TlScalarMatrix *bend, TlBlockMatrix *out);
/* Sums the elements' Hessians into rows [begin, end), on top of `near`. */
void tl_block_matrix_gather(TlBlockMatrix *A, const TlGather *gathers, int32_t count, int32_t begin,
                            int32_t end);
/* Row v of A p. */
void tl_block_matrix_row(const TlBlockMatrix *A, int32_t v, const double *p, double out[3]);

#endif
