/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Preconditioned conjugate gradients on the free vertices. */
#ifndef TL_CG_H
#define TL_CG_H

#include "solve/coarse.h"

typedef struct TlCg {
    TlPool *pool;
    const TlBlockMatrix *A;
    TlCoarse *coarse;
    const uint8_t *fixed; /* per vertex: 1 keeps its row out */
    double *inverse;      /* 9 per vertex: inverse diagonal blocks, 0 for fixed */
    double *r, *z, *p, *q;
} TlCg;

bool tl_cg_alloc(TlArena *arena, int32_t n, TlCg *out);
/* Inverts the diagonal blocks of A, and factors the coarse matrix when `with_coarse`. */
void tl_cg_precondition(TlCg *cg, bool with_coarse);
/* Solves A y = b until r.z <= tolerance^2 b.z or `most` iterations; answers the iterations. `b` is
 * overwritten. Fixed entries of y are 0. */
int32_t tl_cg_solve(TlCg *cg, double *b, double tolerance, int32_t most, double *y);

#endif
