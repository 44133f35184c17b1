/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the methods have in common that find a sub-step as the minimum of a potential: implicit
 * Euler and BDF2, and with one linear solve the semi-implicit one. */
#ifndef TL_POTENTIAL_H
#define TL_POTENTIAL_H

#include "contact/drag.h"
#include "solve/integrator.h"

/* Flags the vertices that analytic colliders leave no room from `before` to `now`, those in one and
 * those that yield, at x, 3 per vertex, and fixed ones also at pin_target then. They are not kept
 * apart from colliders. */
void tl_potential_pinch(TlSystem *system, const TlContacts *contacts, const double *x,
                        const double *pin_target);
/* Flags in addition those that pins drag into colliders; after the world has looked for crossings
 * at x. */
void tl_potential_drag(TlSystem *system, const TlContacts *contacts, const TlCarried *carried);
/* Puts vertices that begin inside a collider out of it, so that this does not become velocity, and
 * keeps the start in system->x_start. */
void tl_potential_begin(TlSystem *system, const TlContacts *contacts, const TlStep *step);
/* Puts cloth out of colliders that do not move, for a static solution from there. */
void tl_potential_place(TlSystem *system, const TlContacts *contacts, double *x);
/* Weights and forces of implicit Euler: w = m/h^2 + c A/h, f = m (v/h + g). */
void tl_potential_euler(TlSystem *system, const TlStep *step);
/* The inertial guess x + h v; fixed vertices at their targets. */
void tl_potential_guess(TlSystem *system, const TlStep *step, double *guess);
/* Minimises from step->x. When nothing sound is found, x is the start again. */
TlStepResult tl_potential_minimise(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                                   const TlNewton *options);
/* v = (x - x_start)/h. */
void tl_potential_velocity(TlSystem *system, const TlStep *step);
/* Pulls that undo crossings are to move vertices, not to throw them: those at crossings go on
 * with the mean velocity of their cloth. */
void tl_potential_calm(TlSystem *system, const TlContacts *contacts, const TlStep *step);

#endif
