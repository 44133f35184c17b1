/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Analytic colliders as solids in the world: whether a triangle enters one. In double precision
 * relative to the solid, so that scenes far from the origin lose nothing. */
#ifndef TL_CLI_VERIFY_SOLIDS_H
#define TL_CLI_VERIFY_SOLIDS_H

#include <stdbool.h>
#include <toile/toile.h>

/* A sphere, plane, box or capsule at its pose. */
typedef struct TlSolid {
    const char *name; /* the definition's */
    int32_t shape;    /* a ToileColliderShape, never a mesh */
    double center_m[3];
    double end_m[3]; /* capsule: its other end */
    double radius_m;
    double half_m[3];
    double axes[3][3]; /* box: its directions; plane: the first is its normal; unit length */
} TlSolid;

/* A point of a collider at its pose, in the world. */
void tl_pose_point(const ToilePose *pose, const double in[3], double out[3]);

/* The solid of a collider that is not a mesh; its name is borrowed. */
TlSolid tl_solid_of(const ToileColliderDef *collider);

/* True when a point of the triangle lies deeper in the solid than `depth_m`: the solid, made
 * smaller by it on all sides, and the triangle have a point in common. `corners` are three points
 * in metres; the triangle may be a segment or a point. */
bool tl_solid_entered(const TlSolid *solid, const double corners[3][3], double depth_m);

#endif
