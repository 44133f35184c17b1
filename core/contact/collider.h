/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Analytic colliders: spheres, half-spaces and boxes under rigid motion. Layer 3b: never includes
 * force. */
#ifndef TL_COLLIDER_H
#define TL_COLLIDER_H

#include "base/vec.h"
#include "toile/types.h"

/* A rigid motion: x -> R x + t, with R kept as a unit quaternion (w, x, y, z). */
typedef struct TlMotion {
    double q[4];
    double t[3];
} TlMotion;

typedef struct TlCollider {
    ToileColliderShape shape;
    TlVec3 center, normal, half; /* as defined, before the motion; normal is a unit vector */
    double radius;
    double thickness;
    double friction; /* below 0: not given */
} TlCollider;

/* A collider placed at one instant. */
typedef struct TlPlaced {
    const TlCollider *collider;
    TlMat3 R;
    TlVec3 t;
} TlPlaced;

/* From axis times angle. */
TlMotion tl_motion_from_pose(const ToilePose *pose);
/* `part` of the way from a to b: translation evenly, rotation along the shortest arc. */
TlMotion tl_motion_between(const TlMotion *a, const TlMotion *b, double part);
TlCollider tl_collider(const ToileColliderDef *def);
TlPlaced tl_place(const TlCollider *collider, const TlMotion *motion);

/* Half its thickness at the thinnest place; infinite for a plane, which has no back. */
double tl_collider_safe_move(const TlCollider *collider);
/* Signed distance of x from the surface, negative inside; *normal (unit, outwards) is the direction
 * in which it grows fastest. */
double tl_collider_distance(const TlPlaced *placed, TlVec3 x, TlVec3 *normal);
/* Where a point that moves with the collider, and stands at x in placement `to`, stood in placement
 * `from`. */
TlVec3 tl_collider_carry_back(const TlPlaced *from, const TlPlaced *to, TlVec3 x);

#endif
