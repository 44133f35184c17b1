/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Small vectors and matrices, passed and returned by value. Layer 0: knows nothing of cloth. */
#ifndef TL_VEC_H
#define TL_VEC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct TlVec3 {
    double x, y, z;
} TlVec3;

/* Row-major. */
typedef struct TlMat3 {
    double m[9];
} TlMat3;

static inline TlVec3 tl_vec3(double x, double y, double z) {
    return (TlVec3){x, y, z};
}
static inline TlVec3 tl_load3(const double *p) {
    return (TlVec3){p[0], p[1], p[2]};
}
static inline void tl_store3(double *p, TlVec3 a) {
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}
static inline TlVec3 tl_add3(TlVec3 a, TlVec3 b) {
    return (TlVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline TlVec3 tl_sub3(TlVec3 a, TlVec3 b) {
    return (TlVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline TlVec3 tl_scale3(double s, TlVec3 a) {
    return (TlVec3){s * a.x, s * a.y, s * a.z};
}
/* a + s b */
static inline TlVec3 tl_madd3(TlVec3 a, double s, TlVec3 b) {
    return (TlVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double tl_dot3(TlVec3 a, TlVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline TlVec3 tl_cross3(TlVec3 a, TlVec3 b) {
    return (TlVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double tl_length3(TlVec3 a) {
    return sqrt(tl_dot3(a, a));
}
/* Unit vector; the zero vector stays zero. */
static inline TlVec3 tl_unit3(TlVec3 a) {
    double length = tl_length3(a);
    return length > 0.0 ? tl_scale3(1.0 / length, a) : a;
}
static inline double tl_min(double a, double b) {
    return a < b ? a : b;
}
static inline double tl_max(double a, double b) {
    return a > b ? a : b;
}
static inline TlVec3 tl_mul3(const TlMat3 *a, TlVec3 v) {
    const double *m = a->m;
    return (TlVec3){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                    m[6] * v.x + m[7] * v.y + m[8] * v.z};
}
static inline TlVec3 tl_mul3_transposed(const TlMat3 *a, TlVec3 v) {
    const double *m = a->m;
    return (TlVec3){m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                    m[2] * v.x + m[5] * v.y + m[8] * v.z};
}
/* Inverse of a symmetric positive definite matrix by cofactors; false when it is not invertible. */
static inline bool tl_invert_spd3(const double a[9], double out[9]) {
    double c00 = a[4] * a[8] - a[5] * a[7], c01 = a[5] * a[6] - a[3] * a[8];
    double c02 = a[3] * a[7] - a[4] * a[6];
    double det = a[0] * c00 + a[1] * c01 + a[2] * c02;
    if (!(det > 0.0)) {
        return false;
    }
    double s = 1.0 / det;
    out[0] = s * c00;
    out[1] = out[3] = s * c01;
    out[2] = out[6] = s * c02;
    out[4] = s * (a[0] * a[8] - a[2] * a[6]);
    out[5] = out[7] = s * (a[1] * a[6] - a[0] * a[7]);
    out[8] = s * (a[0] * a[4] - a[1] * a[3]);
    return true;
}
/* Exact test without libm: neither NaN nor infinite. */
static inline bool tl_is_finite(double a) {
    return a - a == 0.0;
}

#endif
