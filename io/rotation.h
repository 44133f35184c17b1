/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Rigid motions of colliders between keys. Sine, cosine and arc tangent are own code of additions,
 * products, quotients and square roots alone, so that every machine gets the same bits. */
#ifndef TL_IO_ROTATION_H
#define TL_IO_ROTATION_H

#include "toile/types.h"

/* Largest angle the functions below take, radians. */
#define TL_ANGLE_MAX 1e5

/* Sine and cosine of an angle of at most TL_ANGLE_MAX; error below 2 units in the last place for
 * angles up to pi, and below 1e-15 beyond. */
void tl_rotation_sin_cos(double angle_rad, double *sine, double *cosine);
/* Angle of the point (x, y) seen from the origin, 0 to pi, for y >= 0; (0, 0) gives 0. Error below
 * 4 units in the last place. */
double tl_rotation_atan2(double y, double x);

/* w, x, y, z of unit length. */
typedef struct TlQuaternion {
    double w, x, y, z;
} TlQuaternion;

TlQuaternion tl_rotation_from_vector(const double rotate_rad[3]);
/* Axis times angle, the angle from 0 to pi. */
void tl_rotation_to_vector(TlQuaternion q, double rotate_rad[3]);
TlQuaternion tl_rotation_multiply(TlQuaternion a, TlQuaternion b);
TlQuaternion tl_rotation_inverse(TlQuaternion q);
void tl_rotation_apply(TlQuaternion q, const double in[3], double out[3]);

/* The pose a part `t` (0 to 1) of the way from `a` to `b`: translation straight, rotation by the
 * shortest arc at even speed. */
ToilePose tl_pose_between(const ToilePose *a, const ToilePose *b, double t);
/* Moves a point that is fixed to a body from where it is at pose `from` to where it is at `to`. */
void tl_pose_carry(const ToilePose *from, const ToilePose *to, const double in_m[3],
                   double out_m[3]);

#endif
