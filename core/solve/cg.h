/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Preconditioned conjugate gradients for A y = b, in single precision: what is wanted is a step of
 * Newton's method to a few percent. */
#ifndef TL_CG_H
#define TL_CG_H

#include "solve/coarse.h"

typedef struct TlCg {
    TlPool *pool;
    TlOperator *A;
    TlCoarse *coarse;
    TlFloat4 *r, *z, *p, *y;       /* per vertex */
    TlFloat4 *q;                   /* of the operator's extent */
    double *residual, *correction; /* 3 per vertex, for small tolerances */
    const double *guess;           /* 3 per vertex: solves begin with the best multiple of it; NULL:
                                      with the coarse solution */
    bool from_zero;                /* or with nothing */
    double begun;                  /* r.z that the last solve of the latter kinds began with */
    double spare;                  /* ratio: of which those that begin with nothing may leave so
                                      much, where that is more than their own tolerance; they take
                                      an iteration at least */
    int32_t served;                /* solves with this coarse factor */
    bool later;                    /* which was made for one that begins with nothing */
    int32_t patience;              /* iterations by which solves may get longer with it */
    int32_t fresh, latest;         /* iterations of the first solve with this coarse factor, and of
                                      the last, of those that do not begin with nothing */
} TlCg;

bool tl_cg_alloc(TlArena *arena, const TlOperator *A, TlCg *out);
/* Inverts the diagonal blocks, and makes the coarse factor anew unless `keep_coarse` and the last
 * one serves and is as good as it was, or nearly (`patience`); one that knows touches serves some
 * solves of a sub-step. False when A holds numbers too large to work with. */
bool tl_cg_precondition(TlCg *cg, bool keep_coarse);
/* Solves until r.z falls below tolerance^2 of its start, or `most` iterations; b and y have 3 per
 * vertex. Answers the iterations taken; `left` (may be NULL) is the square root of what r.z fell
 * to. Tolerances that single precision cannot reach are reached by solving again for the residual,
 * which is then taken in double precision. */
int32_t tl_cg_solve(TlCg *cg, const double *b, double tolerance, int32_t most, double *y,
                    double *left);

#endif
