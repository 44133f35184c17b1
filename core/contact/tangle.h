/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Cloth that is tangled; see tangle.c. */
#ifndef TL_TANGLE_H
#define TL_TANGLE_H

#include "contact/world.h"

/* Whether the edge a b and the triangle p q r have a point in common; edges in its plane have none.
 */
bool tl_edge_crosses(TlVec3 a, TlVec3 b, TlVec3 p, TlVec3 q, TlVec3 r);
/* Where edges cross triangles at the current positions, and who is loose; false when memory is
 * refused. */
bool tl_world_look_for_crossings(TlWorld *world);
/* Who is loose, and which crossings pull: again, once world->pinched has changed. */
void tl_world_sort_crossings(TlWorld *world);
/* The pull of a crossing; false when it has no direction. */
bool tl_crossing_pull(const TlWorld *world, const TlCrossing *at, TlTouch *touch);

#endif
