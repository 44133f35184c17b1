/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Closest points of vertex and triangle, and of two edges: double precision, whatever the shape,
 * degenerate ones included, by the same operations one at a time and four at a time. */
#ifndef TL_DISTANCE_H
#define TL_DISTANCE_H

#include "base/lanes.h"
#include "base/vec.h"
#include "contact/pairs.h"

/* Closest points of the two things of a pair: sum of weight[i] x[i] over A is a point of A, minus
 * the sum over B one of B. weights of A sum to 1, those of B to -1; what the closest point does not
 * lie on has exactly 0. */
typedef struct TlClosest {
    double weight[4];
    double normal[3]; /* unit, from B to A; 0 where they touch */
    double distance;  /* of the points; what is solid is not taken off */
} TlClosest;

TlClosest tl_closest_vertex_triangle(const TlVec3 x[4]);
TlClosest tl_closest_edges(const TlVec3 x[4]);

/* The same for pairs[list[i]], i in [begin, end), at positions x, 3 per vertex, four at a time;
 * `list` of NULL: pairs[i]. Kinds must not be mixed in one call: `edges` says which. out[0] is that
 * of `begin`. */
void tl_closest_pairs(const TlPair *pairs, const int32_t *list, int32_t begin, int32_t end,
                      bool edges, const double *x, TlClosest *out);

#endif
