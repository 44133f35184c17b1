/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the potential of a step has beside the energies of elements: inertia, constant forces,
 * contact and friction. Layer 4. */
#ifndef TL_TERMS_H
#define TL_TERMS_H

#include "solve/system.h"

/* Inertia, constant force, contact with analytic colliders and their friction at x. */
double tl_terms_value(TlSystem *system, const TlContacts *contacts, const double *x);
/* Adds all of them at x, where the world stands, to `grad`, which holds the gradient of the
 * elements, and fills the contact part of the matrix. `ahead`, 3 per vertex: motion that is known
 * to come; NULL: none. False when memory is refused. */
bool tl_terms_derive(TlSystem *system, const TlContacts *contacts, const double *x,
                     const double *ahead, double *grad);
/* Adds to a right-hand side what contacts know of motion to come. */
void tl_terms_push(TlSystem *system, const TlContacts *contacts, double *out);

/* Distances kept by the projection, over the contact distance: where a step starts (inside the
 * quadratic part of the contact potential, so that the first linearisation sees the right stiffness
 * and a moderate force), and how near one Newton step may come. */
#define TL_START_GAP 0.9
#define TL_NEWTON_GAP 0.6

/* Moves every free vertex of x that is nearer than `gap` to a collider out to it; answers how many
 * were moved. `from` (may be NULL): see tl_contact_project. */
int32_t tl_terms_project(TlSystem *system, const TlContacts *contacts, double gap,
                         const double *from, double *x);
/* Free vertices on their way from `from` to x that come to an analytic collider end at their
 * contact distance: deeper in, friction would stop them, and a few would make a line search shorten
 * the step of all. */
void tl_terms_land(TlSystem *system, const TlContacts *contacts, const double *from, double *x);

#endif
