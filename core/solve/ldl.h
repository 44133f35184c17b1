/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse factor of a symmetric positive definite matrix of scalars, for right-hand sides of three
 * values a row. */
#ifndef TL_LDL_H
#define TL_LDL_H

#include "base/alloc.h"
#include "base/sparse.h"

/* Rows and columns are counted in the order of elimination. */
typedef struct TlLdl {
    int32_t n;
    int32_t *order;  /* row of the matrix at each place */
    int32_t *place;  /* and the inverse */
    int32_t *parent; /* elimination tree; -1: a root */
    int64_t *start;  /* n + 1: columns of L below the diagonal */
    int32_t *row;
    double *value;
    double *pivot; /* D */
    /* work, n each */
    int32_t *mark, *path;
    int64_t *filled; /* per column: end of what is stored so far */
    double *y;       /* 3 n */
} TlLdl;

/* Order and pattern of the factor of any matrix with the pattern of `matrix`; false when memory is
 * refused. */
bool tl_ldl_build(TlArena *arena, const TlScalarMatrix *matrix, TlLdl *out);
/* Factors diag(diagonal) + scale * matrix without the rows and columns that are `fixed`; those keep
 * their value of `diagonal`. False when it is not positive definite. */
bool tl_ldl_factor(TlLdl *ldl, const TlScalarMatrix *matrix, double scale, const double *diagonal,
                   const uint8_t *fixed);
/* Solves in place, b holds 3 values a row. */
void tl_ldl_solve(const TlLdl *ldl, double *b);

#endif
