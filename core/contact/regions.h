/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that crossings cut a tangled cloth into; see regions.c. Layer 3b. */
#ifndef TL_REGIONS_H
#define TL_REGIONS_H

#include "contact/world.h"

/* Finds the regions of all vertices, after crossings were found. */
void tl_regions_find(TlWorld *world);
/* The way of an edge, seen from the triangle it crosses, that brings the smaller part of a cloth
 * back to the other: a unit vector. False where nothing is cut off. */
bool tl_regions_way(const TlWorld *world, const TlCrossing *at, TlVec3 *way);

#endif
