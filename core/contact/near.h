/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of a world that are near; for touch.c, which goes by tl_world_look of world.h too. */
#ifndef TL_NEAR_H
#define TL_NEAR_H

#include "contact/world.h"

/* Loops over pairs are cut into so many parts, whatever the number of workers. */
enum { TL_NEAR_PARTS = 64 };

/* What is solid and round is felt by vertices; between them from this part of the distance on. */
#define TL_BETWEEN 0.5

/* Room for `count` things that will be more: half as much again. */
static inline int32_t tl_near_room(int32_t count) {
    return count + count / 2 + 256;
}

/* The pairs that can be pressed at positions x, after motion `u` from where `least` holds (NULL:
 * none), and their closest points there; false when memory is refused. */
bool tl_near_find(TlWorld *world, const double *u, const double *x);
/* The part of a vertex that near pair i bears: all of it for the nearest on its side, less where
 * others are about as near. 0 to 1. */
double tl_near_part(const TlWorld *world, int32_t i);

#endif
