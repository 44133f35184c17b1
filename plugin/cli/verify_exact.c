/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Signs of determinants in 128-bit integers, and from these signs alone whether a segment meets a
 * triangle. In general position: the ends of the segment lie on different sides of the triangle's
 * plane, and its line passes all three sides of the triangle in the same sense. What lies in one
 * plane is decided in a projection along an axis that keeps the plane's points apart. */
#include "verify_exact.h"

__extension__ typedef __int128 Wide;

static int sign_of(Wide value) {
    return (value > 0) - (value < 0);
}

/* the side of the plane a b c on which d is: the sign of (b - a) x (c - a) . (d - a) */
static int side_of_plane(const TlGridPoint a, const TlGridPoint b, const TlGridPoint c,
                         const TlGridPoint d) {
    const int64_t u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const int64_t v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    const int64_t w[3] = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
    Wide x = (Wide)u[1] * v[2] - (Wide)u[2] * v[1];
    Wide y = (Wide)u[2] * v[0] - (Wide)u[0] * v[2];
    Wide z = (Wide)u[0] * v[1] - (Wide)u[1] * v[0];
    return sign_of(x * w[0] + y * w[1] + z * w[2]);
}

/* ---- in a plane: points seen along an axis ---- */

/* the side of the line a b on which c is, seen along the axis */
static int side_of_line(const TlGridPoint a, const TlGridPoint b, const TlGridPoint c, int axis) {
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    return sign_of((Wide)(b[i] - a[i]) * (c[j] - a[j]) - (Wide)(b[j] - a[j]) * (c[i] - a[i]));
}

/* c, known to be on the line a b, lies between these ends */
static bool is_between(const TlGridPoint a, const TlGridPoint b, const TlGridPoint c, int axis) {
    for (int k = 1; k <= 2; k++) {
        int i = (axis + k) % 3;
        int64_t low = a[i] < b[i] ? a[i] : b[i], high = a[i] < b[i] ? b[i] : a[i];
        if (c[i] < low || c[i] > high)
            return false;
    }
    return true;
}

/* two segments that may be points, seen along the axis */
static bool segments_meet_along(const TlGridPoint p, const TlGridPoint q, const TlGridPoint a,
                                const TlGridPoint b, int axis) {
    int sa = side_of_line(p, q, a, axis), sb = side_of_line(p, q, b, axis);
    int sp = side_of_line(a, b, p, axis), sq = side_of_line(a, b, q, axis);
    if (sa * sb < 0 && sp * sq < 0)
        return true;
    return (sa == 0 && is_between(p, q, a, axis)) || (sb == 0 && is_between(p, q, b, axis)) ||
           (sp == 0 && is_between(a, b, p, axis)) || (sq == 0 && is_between(a, b, q, axis));
}

/* a segment and a triangle that has an area, seen along the axis */
static bool segment_meets_flat(const TlGridPoint p, const TlGridPoint q, const TlGridPoint a,
                               const TlGridPoint b, const TlGridPoint c, int axis) {
    int u = side_of_line(a, b, p, axis), v = side_of_line(b, c, p, axis),
        w = side_of_line(c, a, p, axis);
    bool outside = (u > 0 || v > 0 || w > 0) && (u < 0 || v < 0 || w < 0);
    return !outside || segments_meet_along(p, q, a, b, axis) ||
           segments_meet_along(p, q, b, c, axis) || segments_meet_along(p, q, c, a, axis);
}

/* two segments in space. Of points in one plane at least one projection keeps all apart, and the
 * others only ever add meetings: so all three must agree. */
static bool segments_meet(const TlGridPoint p, const TlGridPoint q, const TlGridPoint a,
                          const TlGridPoint b) {
    if (side_of_plane(p, q, a, b) != 0)
        return false;
    for (int axis = 0; axis < 3; axis++)
        if (!segments_meet_along(p, q, a, b, axis))
            return false;
    return true;
}

/* a segment in the plane of a triangle, or a triangle without area, which is its sides */
static bool meets_without_crossing(const TlGridPoint p, const TlGridPoint q, const TlGridPoint a,
                                   const TlGridPoint b, const TlGridPoint c) {
    for (int axis = 0; axis < 3; axis++)
        if (side_of_line(a, b, c, axis) != 0)
            return segment_meets_flat(p, q, a, b, c, axis);
    return segments_meet(p, q, a, b) || segments_meet(p, q, b, c) || segments_meet(p, q, c, a);
}

bool tl_segment_meets_triangle(const TlGridPoint p, const TlGridPoint q, const TlGridPoint a,
                               const TlGridPoint b, const TlGridPoint c) {
    int sp = side_of_plane(a, b, c, p), sq = side_of_plane(a, b, c, q);
    if (sp * sq > 0)
        return false;
    if (sp == 0 && sq == 0)
        return meets_without_crossing(p, q, a, b, c);
    int u = side_of_plane(p, q, a, b), v = side_of_plane(p, q, b, c), w = side_of_plane(p, q, c, a);
    return !((u > 0 || v > 0 || w > 0) && (u < 0 || v < 0 || w < 0));
}
