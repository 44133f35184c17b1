/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method on the potential of one step:
 *
 *   Psi(x) = sum_i w_i/2 |d_i|^2 - f_i.d_i + E_stretch + E_bend + contact + friction
 *
 * over d = x - x_start. Implicit Euler has w = m/h^2 + c A/h and f = m (v/h + g); the static drape
 * has w small and f = m g. */
#ifndef TL_NEWTON_H
#define TL_NEWTON_H

#include "solve/system.h"

typedef struct TlNewton {
    double dt_s; /* for damping; 0: static */
    int32_t most_iterations;
    int32_t most_cg;
    double tolerance_m;      /* stop when no vertex moved more */
    double linear_tolerance; /* of the conjugate gradients */
    double most_move_m;      /* steps are shortened so that no vertex moves farther; 0: any is */
    double later_tolerance;  /* of later iterations where nothing touches; 0: the same */
    double gentle;           /* steps that change no edge by more than this part of its length are
                                taken without a line search, where only faces and the bending matrix
                                resist; 0: none is */
    int32_t most_rescues;    /* more iterations, only while a vertex moves over rescue_m */
    double rescue_m;
    double most_held; /* one more iteration when more than this part of the vertices was kept from
                         going where it wants to; 0: there is none */
    const double *guess; /* 3 per vertex: the first step is about a multiple of it; NULL: none */
    bool keep_coarse;    /* the coarse factor of the last call may serve again, */
    int32_t patience;    /* until solves take so many more iterations than the first with it */
    const double *pin_target; /* where fixed vertices have to go; NULL: they are there */
    bool look_ahead; /* system->ahead says what cloth would do next by inertia and weight */
} TlNewton;

/* Where the time went, seconds. Never part of a result that is compared. */
typedef struct TlStageTimes {
    double assembly_s; /* gradients, Hessians, the first energy */
    double linear_s;   /* diagonal blocks, coarse factor, conjugate gradients */
    double search_s;   /* line search and contact projection */
} TlStageTimes;

typedef struct TlNewtonResult {
    int32_t iterations;
    int32_t rescues; /* those beyond most_iterations */
    int32_t cg_iterations;
    int32_t cuts;          /* halvings of the step */
    bool stuck;            /* the last iteration found no direction or no descent */
    bool finite;           /* false: NaN or infinity turned up; x must not be used */
    double last_step_m;    /* largest motion of a vertex in the last iteration */
    double part;           /* of the last Newton step that was taken */
    double residual_ratio; /* what the last linear solve left, in its own norm, of what it began
                              with */
    TlStageTimes seconds;
    double gain; /* of the last step: fall of the potential over what the model promised; 0 where no
                    line search was */
} TlNewtonResult;

/* Minimises from x, which is changed in place; system->x_start, force, weight and fixed describe
 * the step, contacts its colliders. */
TlNewtonResult tl_newton(TlSystem *system, const TlContacts *contacts, const TlNewton *options,
                         double *x);
/* Gradient of Psi at x, with contact but without friction, into `grad`; fixed entries are 0. */
void tl_newton_gradient(TlSystem *system, const TlContacts *contacts, const double *x,
                        double *grad);

#endif
