/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the methods have in common that take forces where they stand: begin, accelerate, meet the
 * colliders. Explicit and symplectic Euler, Verlet, RK4 and IMEX; the semi-implicit one meets the
 * colliders in the same way. */
#ifndef TL_EXPLICIT_H
#define TL_EXPLICIT_H

#include "solve/integrator.h"

/* Keeps the start in system->x_start and work->v_start; fixed vertices get the velocity that takes
 * them to their targets. */
void tl_explicit_begin(TlSystem *system, const TlStep *step, TlIntegration *work);
/* a = M^-1 f(x, v): elements, their damping, gravity and, when `drag`, drag; 0 for fixed vertices.
 * Uses system->force. */
void tl_explicit_accelerate(TlSystem *system, const TlStep *step, const TlIntegration *work,
                            const double *x, const double *v, bool drag, double *a);
/* y = base + h rate, 3 per vertex; y may be base or rate. */
void tl_explicit_advance(TlSystem *system, const double *base, double h, const double *rate,
                         double *y);
/* Fixed vertices arrive, the others leave the colliders. `lead`: the part of a change of velocity
 * that shows in the position within the same step, 0 to 1. When something is not finite, x and v
 * are those of the start and ok is false. */
TlStepResult tl_explicit_end(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                             const TlIntegration *work, double lead);

#endif
