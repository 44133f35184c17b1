/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Cloth that pins drag into colliders; see drag.c. Layer 3b. */
#ifndef TL_DRAG_H
#define TL_DRAG_H

#include "contact/world.h"

/* Cloth vertices at the begin of a step, 3 each; a step back in time has a negative length. */
typedef struct TlCarried {
    const double *x;          /* m */
    const double *pin_target; /* where those that are fixed go, m */
    double dt_s;
} TlCarried;

/* Flags vertices as pinched that would be torn from what is held inside a collider if they were
 * kept out of it; answers whether there are any. After crossings were looked for, and vertices
 * flagged by themselves. world->leading tells whether some who leave are to come out at
 * world->exit: those with world->led. */
bool tl_world_drag(TlWorld *world, const TlContacts *contacts, const TlCarried *step,
                   uint8_t *pinched);

#endif
