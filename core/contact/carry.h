/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What cloths in the air do together; see carry.c. Layer 3b. */
#ifndef TL_CARRY_H
#define TL_CARRY_H

#include "contact/world.h"

/* Finds which cloths are near no analytic collider in a step of dt_s that begins with velocities v.
 */
void tl_world_find_airborne(TlWorld *world, const TlContacts *contacts, const double *x,
                            const double *v, const double gravity_m_per_s2[3], double dt_s);
/* Until the next step nobody is. */
void tl_world_carry_nobody(TlWorld *world);
/* Finds world->carry and world->apart for the pairs that there are and the ways that are planned;
 * without `any` nothing is carried. */
void tl_world_find_carry(TlWorld *world, bool any);

#endif
