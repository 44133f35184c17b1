/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Colliders under rigid motion: spheres, half-spaces, boxes and capsules as analytic shapes, and
 * the few vertices and triangles by which they stand in a surface. Meshes are surfaces only. Layer
 * 3b: never includes force. */
#ifndef TL_COLLIDER_H
#define TL_COLLIDER_H

#include "base/vec.h"
#include "contact/surface.h"

/* A rigid motion: x -> R x + t, with R kept as a unit quaternion (w, x, y, z). */
typedef struct TlMotion {
    double q[4];
    double t[3];
} TlMotion;

typedef struct TlCollider {
    ToileColliderShape shape;
    TlVec3 center, end, normal, half; /* before the motion, and relative to what its owner knows;
                                         normal is a unit vector */
    double radius;
    double thickness;
    double friction; /* below 0: not given */
} TlCollider;

/* A collider placed at one instant. */
typedef struct TlPlaced {
    const TlCollider *collider;
    TlMat3 R;
    TlVec3 t;
    TlVec3 middle; /* of a ball that holds it */
    double bound;  /* radius of that; infinite: none does */
} TlPlaced;

/* Whether x is farther than r from a collider for sure: quick, for the many vertices that are. */
static inline bool tl_is_beyond(const TlPlaced *placed, TlVec3 x, double r) {
    TlVec3 d = tl_sub3(x, placed->middle);
    double least = placed->bound + r;
    return tl_dot3(d, d) > least * least;
}

/* From axis times angle. */
TlMotion tl_motion_from_pose(const ToilePose *pose);
/* `part` of the way from a to b: translation evenly, rotation along the shortest arc. */
TlMotion tl_motion_between(const TlMotion *a, const TlMotion *b, double part);
TlCollider tl_collider(const ToileColliderDef *def);
TlPlaced tl_place(const TlCollider *collider, const TlMotion *motion);

/* Half its thickness at the thinnest place; infinite for a plane, which has no back, and for a
 * mesh, which has no inside. */
double tl_collider_safe_move(const TlCollider *collider);
/* Signed distance of x from the surface, negative inside; *normal (unit, outwards) is the direction
 * in which it grows fastest. Not for meshes, which are infinitely far. */
double tl_collider_distance(const TlPlaced *placed, TlVec3 x, TlVec3 *normal);
/* Where a point that moves with the collider, and stands at x in placement `to`, stood in placement
 * `from`. */
TlVec3 tl_collider_carry_back(const TlPlaced *from, const TlPlaced *to, TlVec3 x);
/* A point of the collider's own frame where that is placed. */
TlVec3 tl_placed_point(const TlPlaced *placed, TlVec3 p);

/* ---- as part of a surface; of a mesh, which brings its own, there is nothing ---- */

enum { TL_COLLIDER_MOST_VERTICES = 8 };
/* How many vertices: the centre of a sphere, the ends of a capsule, the corners of a box. */
int32_t tl_collider_vertex_count(const TlCollider *collider);
/* Where they are, before the motion. */
void tl_collider_vertices(const TlCollider *collider, TlVec3 out[TL_COLLIDER_MOST_VERTICES]);
/* Two triangles a side of a box, outwards, sides in the order -x, +x, -y, +y, -z, +z; one for a
 * capsule, with two equal vertices. */
TlTriangles tl_collider_triangles(const TlCollider *collider);
/* The radius of what is solid around every vertex, m. */
double tl_collider_solid(const TlCollider *collider);

#endif
