/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The broad phase: which vertices and triangles, and which edges, may come near each other while
 * vertices move. Trees of boxes in an order that is found once from the rest shape; afterwards
 * boxes are only fitted anew. */
#ifndef TL_TREE_H
#define TL_TREE_H

#include "base/parallel.h"
#include "contact/pairs.h"
#include "contact/surface.h"

typedef struct TlBroad TlBroad;

/* Trees over a surface, which must outlive them; NULL when memory is refused. */
TlBroad *tl_broad_build(TlArena *arena, const TlSurface *surface);
/* All pairs whose boxes meet within the sweep, vertices and triangles first, in an order that
 * depends on the surface alone: of two cloth things, or one of a cloth and one of a collider,
 * without common vertices. `self`: also two things of cloths (the same or others). `pairs` has its
 * vertices filled, the rest is 0; it grows as needed from `arena`, geometrically. False when memory
 * is refused, or pairs are more than can be counted; there are none then. Vertices that are not at
 * a number meet nothing. */
bool tl_broad_find(TlBroad *broad, TlPool *pool, const TlSweep *sweep, bool self, TlArena *arena,
                   TlPairs *pairs);
/* The same, of things of which at least one has a chosen vertex. The sweep is the one of the last
 * tl_broad_find, but for the boxes of chosen vertices. */
bool tl_broad_find_some(TlBroad *broad, TlPool *pool, const TlSweep *sweep, bool self,
                        const uint8_t *chosen, TlArena *arena, TlPairs *pairs);
/* All edges and triangles whose boxes meet at positions x, 3 per vertex, by the same rules: those
 * that cross are among them. */
bool tl_broad_crossings(TlBroad *broad, TlPool *pool, const double *x, bool self, TlArena *arena,
                        TlCrossings *out);

#endif
