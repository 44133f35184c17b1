/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Everything the minimisation of one step works on: the elements of all energies, the matrix, the
 * preconditioner, work arrays. Built once per set of cloths; a step allocates nothing. */
#ifndef TL_SYSTEM_H
#define TL_SYSTEM_H

#include "contact/response.h"
#include "force/external.h"
#include "force/models.h"
#include "solve/cg.h"

/* A scalar matrix whose rows sum to zero, without its diagonal, for products with x, y and z. Rows
 * have an even number of entries: the last one again with the value 0 where it is odd. */
typedef struct TlRows {
    int32_t n;
    int32_t *start;
    int32_t *at; /* 3 times the column, ascending */
    double *value;
} TlRows;

typedef struct TlSystem {
    const TlModel *model;
    TlPool *pool;
    int32_t energy_count;
    TlGather energies[TL_MOST_ENERGIES];
    TlScalarMatrix bend_matrix; /* Hessian of linear bending, all of it or as approximation */
    TlRows bend_force;          /* the part of it whose product with x is the gradient */
    TlOperator matrix;
    TlCoarse coarse;
    TlCg cg;
    double *grad, *step, *trial; /* 3 per vertex */
    double *bend_grad;           /* 3 per vertex: the part of the bending matrix in the gradient */
    double *move;                /* 3 per vertex: work */
    double *ahead;               /* 3 per vertex: motion that is known to come, see TlNewton */
    double *borne;               /* the same, without the weight that colliders bear */
    double *push;         /* 3 per vertex: what contacts add to the right-hand side because of it */
    double *last;         /* 3 per vertex: what Newton added to the guess of the last sub-step */
    bool knows_last;      /* which is one of this frame */
    double *drift;        /* per material: work */
    double *x_start;      /* 3 per vertex: positions at the start of the step */
    double *force;        /* 3 per vertex: constant force of the step */
    double *weight;       /* per vertex: m/h^2 and drag, N/m */
    TlFriction *friction; /* per vertex */
    uint8_t *fixed;       /* per vertex: pinned or without mass */
    uint8_t *pinched;     /* per vertex: TL_PINCHED, TL_LEAVING or 0 */
    int32_t pinched_count;
} TlSystem;

bool tl_system_build(TlArena *arena, const TlModel *model, TlPool *pool, TlSystem *out);

/* Energy of all elements at a point, and that of one group. */
double tl_system_value(TlSystem *system, const TlPoint *at);
/* The same without what the bending matrix stands for, and how much that changes from `x`, where
 * the matrix was last taken, to `to`: g.d + d.L d/2 over d = to - x, which loses nothing in
 * rounding however flat the cloth is. */
double tl_system_varying(TlSystem *system, const TlPoint *at);
double tl_system_bend_change(TlSystem *system, const double *x, const double *to);
double tl_system_group(TlSystem *system, TlEnergyGroup group, const TlPoint *at);
/* Damping forces of all elements at positions x and velocities v. */
void tl_system_damping(TlSystem *system, const double *x, const double *v, double *force);
/* Gradient of stretch and bend into `grad`, and unless `hessian` is false the matrix. */
void tl_system_derive(TlSystem *system, const TlPoint *at, bool hessian, double *grad);

#endif
