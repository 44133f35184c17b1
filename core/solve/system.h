/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Everything the minimisation of one step works on: the elements of all energies, the matrix, the
 * preconditioner, work arrays. Built once per set of cloths; a step allocates nothing. */
#ifndef TL_SYSTEM_H
#define TL_SYSTEM_H

#include "contact/response.h"
#include "force/external.h"
#include "solve/cg.h"

typedef struct TlSystem {
    const TlModel *model;
    TlPool *pool;
    TlElements bend; /* value of the bending energy */
    TlScalarMatrix bend_matrix;
    TlGather stretch;
    TlBlockMatrix matrix;
    TlCoarse coarse;
    TlCg cg;
    double *grad, *step, *trial; /* 3 per vertex */
    double *x_start;             /* 3 per vertex: positions at the start of the step */
    double *force;               /* 3 per vertex: constant force of the step */
    double *weight;              /* per vertex: m/h^2 and drag, N/m */
    TlFriction *friction;        /* per vertex */
    uint8_t *fixed;              /* per vertex: pinned or without mass */
} TlSystem;

bool tl_system_build(TlArena *arena, const TlModel *model, TlPool *pool, TlSystem *out);

/* Energies of all elements at a point. */
double tl_system_stretch(TlSystem *system, const TlPoint *at);
double tl_system_bend(TlSystem *system, const TlPoint *at);
/* Gradient of stretch and bend into `grad`, and unless `hessian` is false the matrix. */
void tl_system_derive(TlSystem *system, const TlPoint *at, bool hessian, double *grad);

#endif
