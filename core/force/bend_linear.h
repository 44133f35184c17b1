/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Linear bending of Volino and Magnenat-Thalmann; see bend_linear.c. */
#ifndef TL_BEND_LINEAR_H
#define TL_BEND_LINEAR_H

#include "base/sparse.h"
#include "force/energy.h"
#include "rest/hinge.h"

/* The hinges that are flat at rest. The solver uses the constant matrix below for their gradient
 * and Hessian. */
TlElements tl_bend_linear(const TlModel *model);
/* The constant matrix of some sets of hinges over n vertices: gradient = (L (x) I3) x. False when
 * memory is refused. */
bool tl_bend_linear_matrix(TlArena *arena, const TlHingeSet *const *sets, int32_t set_count,
                           int32_t n, TlScalarMatrix *out);

typedef struct TlHingeState {
    double R[3];
    double r, gamma, theta;
    double grad_theta[3 * TL_HINGE_CORNERS]; /* per corner */
} TlHingeState;

/* Bending vector, height r = R.N, curvature gamma (2 r/(hA hB) over an edge) and fold angle of one
 * hinge of any kind at positions x. */
TlHingeState tl_bend_linear_state(const TlHingeSet *set, const double *x, int32_t hinge);

#endif
