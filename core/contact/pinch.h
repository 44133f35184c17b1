/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices that analytic colliders leave no room, in the way of [BWK03], Baraff, Witkin, Kass:
 * Untangling cloth, 2003: they go with the colliders that press them, as if glued to both, and are
 * not kept out of colliders. Layer 3b. */
#ifndef TL_PINCH_H
#define TL_PINCH_H

#include "contact/response.h"

/* Whether two colliders that face each other leave less than a tenth of its contact distances to a
 * vertex at x, where they are at the end of the step; then *way is where it goes with them: by the
 * mean of their motions, and towards the middle between them. What has room again at the end of the
 * way back is about where it was. */
bool tl_contact_pinch(const TlContacts *contacts, int32_t cloth, TlVec3 x, TlVec3 *way);

#endif
