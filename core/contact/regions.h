/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that crossings cut a tangled cloth into; see regions.c. Layer 3b. */
#ifndef TL_REGIONS_H
#define TL_REGIONS_H

#include "contact/world.h"

/* The vertices of a crossing, of its edge and of its triangle; answers whether it is of cloth with
 * a body. */
bool tl_regions_corners(const TlWorld *world, const TlCrossing *at, int32_t corner[5]);
/* Finds the regions of all vertices, after crossings were found. */
void tl_regions_find(TlWorld *world);
/* The way of an edge, seen from the triangle it crosses, that brings the smaller part of a cloth
 * back to the other: a unit vector. False where nothing is cut off. */
bool tl_regions_way(const TlWorld *world, const TlCrossing *at, TlVec3 *way);
/* Finds which bodies have an inside; false when memory is refused. */
bool tl_regions_build(TlWorld *world);
/* Whether a region of cloth, known by its lowest vertex, is inside a body. */
bool tl_regions_is_inside(const TlWorld *world, int32_t region);
/* Whether a crossing of cloth with a body is not to be undone: pins hold its cloth there, or what
 * it cuts off from the rest, or draw that through. */
bool tl_regions_is_held(const TlWorld *world, const TlCrossing *at);

#endif
