/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The longest step that an explicit integrator may take on the cloth as it stands. */
#ifndef TL_STABILITY_H
#define TL_STABILITY_H

#include "solve/integrator.h"

/* Errors of explicit Euler, which is never stable without damping, may grow e-fold in this time. */
#define TL_GROWTH_TIME_S 1.0

/* Largest eigenvalue, from below, of M^-1 (K + C/dt) over the free vertices at x, 1/s^2: K is the
 * positive semi-definite Hessian, less `less` times the bending matrix; C that of damping, left out
 * when dt_s is 0. Infinite when it is not finite. Uses the arrays of the system. */
double tl_largest_eigenvalue(TlSystem *system, const double *x, double dt_s, double less);
/* The stable step with a margin, s; infinite when any step is. */
double tl_stable_step(TlSystem *system, TlBound bound, bool damped, const TlExternal *external,
                      const double *x);

#endif
