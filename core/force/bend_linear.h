/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Linear bending of Volino and Magnenat-Thalmann; see bend_linear.c. */
#ifndef TL_BEND_LINEAR_H
#define TL_BEND_LINEAR_H

#include "base/sparse.h"
#include "force/energy.h"

/* The hinges as elements of arity 4. The solver uses the constant matrix below instead of their
 * Hessians. */
TlElements tl_bend_linear(const TlModel *model);
/* The constant matrix: gradient = (L (x) I3) x. False when memory is refused. */
bool tl_bend_linear_matrix(TlArena *arena, const TlModel *model, TlScalarMatrix *out);

typedef struct TlHingeState {
    double R[3];
    double r, gamma, theta;
} TlHingeState;

/* Bending vector, height r = R.N, curvature gamma = 2 r/(hA hB) and fold angle of one hinge at
 * positions x. */
TlHingeState tl_bend_linear_state(const TlModel *model, const double *x, int32_t hinge);

#endif
