/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Rotations as unit quaternions. Sine and cosine: reduction by multiples of pi/2 in three parts,
 * then Taylor series on [-pi/4, pi/4]. Arc tangent: two halvings of the angle, then the Taylor
 * series below tan(pi/16). */
#include "rotation.h"

#include <math.h>

/* pi/2 cut into parts of 33 bits, so that their products with a quotient below 2^20 are exact */
#define HALF_PI_1 0x1.921fb544p+0
#define HALF_PI_2 0x1.0b4611a6p-34
#define HALF_PI_3 0x1.3198a2e037073p-69
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define PI 0x1.921fb54442d18p+1

/* sum of (-1)^k x^(2k+1) / (2k+1)!, up to x^17 */
static double sin_series(double x) {
    double s = x * x;
    double sum = 1.0 / 355687428096000.0;
    sum = -1.0 / 1307674368000.0 + s * sum;
    sum = 1.0 / 6227020800.0 + s * sum;
    sum = -1.0 / 39916800.0 + s * sum;
    sum = 1.0 / 362880.0 + s * sum;
    sum = -1.0 / 5040.0 + s * sum;
    sum = 1.0 / 120.0 + s * sum;
    sum = -1.0 / 6.0 + s * sum;
    return x + x * (s * sum);
}

/* sum of (-1)^k x^(2k) / (2k)!, up to x^18 */
static double cos_series(double x) {
    double s = x * x;
    double sum = -1.0 / 6402373705728000.0;
    sum = 1.0 / 20922789888000.0 + s * sum;
    sum = -1.0 / 87178291200.0 + s * sum;
    sum = 1.0 / 479001600.0 + s * sum;
    sum = -1.0 / 3628800.0 + s * sum;
    sum = 1.0 / 40320.0 + s * sum;
    sum = -1.0 / 720.0 + s * sum;
    sum = 1.0 / 24.0 + s * sum;
    return 1.0 - (0.5 * s - s * s * sum);
}

void tl_rotation_sin_cos(double angle_rad, double *sine, double *cosine) {
    double quotient = floor(angle_rad * TWO_OVER_PI + 0.5);
    double x = angle_rad - quotient * HALF_PI_1;
    x = x - quotient * HALF_PI_2;
    x = x - quotient * HALF_PI_3;
    double s = sin_series(x);
    double c = cos_series(x);
    switch ((int32_t)quotient & 3) {
    case 0:
        *sine = s;
        *cosine = c;
        break;
    case 1:
        *sine = c;
        *cosine = -s;
        break;
    case 2:
        *sine = -s;
        *cosine = -c;
        break;
    default:
        *sine = -c;
        *cosine = s;
        break;
    }
}

/* sum of (-1)^k t^(2k+1) / (2k+1), up to t^23, for t below tan(pi/16) */
static double atan_series(double t) {
    double s = t * t;
    double sum = 0;
    for (int32_t n = 23; n >= 3; n -= 2)
        sum = s * ((n & 2 ? -1.0 : 1.0) / (double)n + sum);
    return t + t * sum;
}

/* Arc tangent of a ratio between 0 and 1. */
static double atan_of_ratio(double t) {
    /* atan(t) = 2 atan(t / (1 + sqrt(1 + t^2))), twice */
    double half = t / (1.0 + sqrt(1.0 + t * t));
    double quarter = half / (1.0 + sqrt(1.0 + half * half));
    return 4.0 * atan_series(quarter);
}

double tl_rotation_atan2(double y, double x) {
    double a = fabs(x);
    if (y == 0 && a == 0)
        return 0;
    double angle = y <= a ? atan_of_ratio(y / a) : PI / 2 - atan_of_ratio(a / y);
    return x < 0 ? PI - angle : angle;
}

TlQuaternion tl_rotation_from_vector(const double r[3]) {
    double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double s = 0;
    double c = 1;
    if (angle == 0)
        return (TlQuaternion){1, 0, 0, 0};
    tl_rotation_sin_cos(0.5 * angle, &s, &c);
    double f = s / angle;
    return (TlQuaternion){c, f * r[0], f * r[1], f * r[2]};
}

void tl_rotation_to_vector(TlQuaternion q, double rotate_rad[3]) {
    double s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    /* of q and -q, which are the same rotation, the one with the smaller angle */
    double sign = q.w < 0 ? -1.0 : 1.0;
    double f = s == 0 ? 2.0 : 2.0 * tl_rotation_atan2(s, fabs(q.w)) / s;
    rotate_rad[0] = sign * f * q.x;
    rotate_rad[1] = sign * f * q.y;
    rotate_rad[2] = sign * f * q.z;
}

TlQuaternion tl_rotation_multiply(TlQuaternion a, TlQuaternion b) {
    return (TlQuaternion){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                          a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

TlQuaternion tl_rotation_inverse(TlQuaternion q) {
    return (TlQuaternion){q.w, -q.x, -q.y, -q.z};
}

void tl_rotation_apply(TlQuaternion q, const double in[3], double out[3]) {
    /* t = 2 q x in, out = in + w t + q x t */
    double tx = 2.0 * (q.y * in[2] - q.z * in[1]);
    double ty = 2.0 * (q.z * in[0] - q.x * in[2]);
    double tz = 2.0 * (q.x * in[1] - q.y * in[0]);
    double x = in[0] + q.w * tx + (q.y * tz - q.z * ty);
    double y = in[1] + q.w * ty + (q.z * tx - q.x * tz);
    double z = in[2] + q.w * tz + (q.x * ty - q.y * tx);
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

ToilePose tl_pose_between(const ToilePose *a, const ToilePose *b, double t) {
    ToilePose pose = *a;
    double step[3];
    if (t <= 0)
        return *a;
    if (t >= 1)
        return *b;
    for (int32_t k = 0; k < 3; k++)
        pose.translate_m[k] = a->translate_m[k] + t * (b->translate_m[k] - a->translate_m[k]);
    TlQuaternion from = tl_rotation_from_vector(a->rotate_rad);
    TlQuaternion to = tl_rotation_from_vector(b->rotate_rad);
    tl_rotation_to_vector(tl_rotation_multiply(to, tl_rotation_inverse(from)), step);
    for (int32_t k = 0; k < 3; k++)
        step[k] *= t;
    tl_rotation_to_vector(tl_rotation_multiply(tl_rotation_from_vector(step), from),
                          pose.rotate_rad);
    return pose;
}

void tl_pose_carry(const ToilePose *from, const ToilePose *to, const double in_m[3],
                   double out_m[3]) {
    double local[3];
    TlQuaternion back = tl_rotation_inverse(tl_rotation_from_vector(from->rotate_rad));
    for (int32_t k = 0; k < 3; k++)
        local[k] = in_m[k] - from->translate_m[k];
    tl_rotation_apply(back, local, local);
    tl_rotation_apply(tl_rotation_from_vector(to->rotate_rad), local, out_m);
    for (int32_t k = 0; k < 3; k++)
        out_m[k] += to->translate_m[k];
}
