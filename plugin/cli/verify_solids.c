/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Triangles against solids. Ball and capsule go by the distance of the triangle from their middle,
 * the half space by the lowest corner, and the box by the separating axes of convex bodies: its own
 * directions, the triangle's normal, and the directions across an edge of each. */
#include "verify_solids.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* start + t * along */
static void move(const double start[3], double t, const double along[3], double out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = start[k] + t * along[k];
}

static double clamp01(double t) {
    return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
}

/* ---- poses ---- */

/* a direction turned about an axis times an angle, by the formula of Rodrigues */
static void rotate(const double turn_rad[3], const double in[3], double out[3]) {
    double angle = sqrt(dot(turn_rad, turn_rad)), axis[3], side[3];
    memcpy(out, in, 3 * sizeof *out);
    if (!(angle > 0.0))
        return;
    for (int k = 0; k < 3; k++)
        axis[k] = turn_rad[k] / angle;
    cross(axis, in, side);
    double s = sin(angle), c = cos(angle), along = dot(axis, in);
    for (int k = 0; k < 3; k++)
        out[k] = c * in[k] + s * side[k] + (1.0 - c) * along * axis[k];
}

void tl_pose_point(const ToilePose *pose, const double in[3], double out[3]) {
    double turned[3];
    rotate(pose->rotate_rad, in, turned);
    for (int k = 0; k < 3; k++)
        out[k] = turned[k] + pose->translate_m[k];
}

TlSolid tl_solid_of(const ToileColliderDef *collider) {
    TlSolid solid = {.name = collider->name, .shape = collider->shape};
    const ToilePose *pose = &collider->pose;
    solid.radius_m = collider->radius_m;
    memcpy(solid.half_m, collider->half_m, sizeof solid.half_m);
    tl_pose_point(pose, collider->center_m, solid.center_m);
    tl_pose_point(pose, collider->end_m, solid.end_m);
    for (int k = 0; k < 3; k++) {
        double axis[3] = {k == 0, k == 1, k == 2};
        rotate(pose->rotate_rad, axis, solid.axes[k]);
    }
    if (solid.shape == TOILE_COLLIDER_PLANE) {
        double length = sqrt(dot(collider->normal, collider->normal));
        rotate(pose->rotate_rad, collider->normal, solid.axes[0]);
        for (int k = 0; k < 3; k++)
            solid.axes[0][k] /= length;
    }
    return solid;
}

/* ---- distances ----
 *
 * Every distance is measured between points that were found on both: where rounding finds the wrong
 * one, it is too large, never too small, and the ends and sides that are tried as well bound it. */

static double distance2(const double a[3], const double b[3]) {
    double d[3];
    subtract(a, b, d);
    return dot(d, d);
}

/* squared distance of a point from the segment a b, which may be a point */
static double point_segment2(const double point[3], const double a[3], const double b[3]) {
    double along[3], to[3], near[3];
    subtract(b, a, along);
    subtract(point, a, to);
    double length2 = dot(along, along);
    move(a, length2 > 0.0 ? clamp01(dot(to, along) / length2) : 0.0, along, near);
    return distance2(point, near);
}

/* squared distance from the foot of the perpendicular when that is inside the triangle, else
 * infinite, for then the nearest point is on a side */
static double point_inside2(const double point[3], const double corners[3][3]) {
    double u[3], v[3], normal[3], to[3], side[3], near[3];
    subtract(corners[1], corners[0], u);
    subtract(corners[2], corners[0], v);
    subtract(point, corners[0], to);
    cross(u, v, normal);
    double area2 = dot(normal, normal);
    cross(to, v, side);
    double s = dot(side, normal) / area2;
    cross(u, to, side);
    double t = dot(side, normal) / area2;
    if (!(area2 > 0.0 && s >= 0.0 && t >= 0.0 && s + t <= 1.0))
        return HUGE_VAL;
    move(corners[0], s, u, near);
    move(near, t, v, near);
    return distance2(point, near);
}

static double point_triangle2(const double point[3], const double corners[3][3]) {
    double best = point_inside2(point, corners);
    for (int k = 0; k < 3; k++) {
        double d2 = point_segment2(point, corners[k], corners[(k + 1) % 3]);
        best = d2 < best ? d2 : best;
    }
    return best;
}

/* squared distance between the points where two lines are nearest, when these are on the segments;
 * else infinite, for then an end is nearest */
static double crossing_segments2(const double p[3], const double q[3], const double a[3],
                                 const double b[3]) {
    double u[3], v[3], w[3], normal[3], side[3], on_pq[3], on_ab[3];
    subtract(q, p, u);
    subtract(b, a, v);
    subtract(a, p, w);
    cross(u, v, normal);
    double n2 = dot(normal, normal);
    cross(w, v, side);
    double s = dot(side, normal) / n2;
    cross(w, u, side);
    double t = dot(side, normal) / n2;
    if (!(n2 > 0.0 && s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0))
        return HUGE_VAL;
    move(p, s, u, on_pq);
    move(a, t, v, on_ab);
    return distance2(on_pq, on_ab);
}

/* squared distance of the point where the segment passes the triangle's plane; infinite when it
 * does not */
static double passing_point2(const double p[3], const double q[3], const double corners[3][3]) {
    double u[3], v[3], normal[3], to[3], along[3], point[3];
    subtract(corners[1], corners[0], u);
    subtract(corners[2], corners[0], v);
    cross(u, v, normal);
    subtract(p, corners[0], to);
    double from = dot(normal, to);
    subtract(q, corners[0], to);
    double until = dot(normal, to);
    if (!(from * until < 0.0))
        return HUGE_VAL;
    subtract(q, p, along);
    move(p, from / (from - until), along, point);
    return point_triangle2(point, corners);
}

static double segment_triangle2(const double p[3], const double q[3], const double corners[3][3]) {
    double best = passing_point2(p, q, corners);
    const double ends[2] = {point_triangle2(p, corners), point_triangle2(q, corners)};
    for (int i = 0; i < 2; i++)
        best = ends[i] < best ? ends[i] : best;
    for (int k = 0; k < 3; k++) {
        const double *a = corners[k], *b = corners[(k + 1) % 3];
        const double sides[2] = {crossing_segments2(p, q, a, b), point_segment2(a, p, q)};
        for (int i = 0; i < 2; i++)
            best = sides[i] < best ? sides[i] : best;
    }
    return best;
}

/* ---- solids ---- */

/* true when the box around the triangle stays away from the one around the middle, which is the
 * segment from 0 to `end`, by `radius` */
static bool is_far(const double corners[3][3], const double end[3], double radius) {
    for (int k = 0; k < 3; k++) {
        double low = corners[0][k], high = corners[0][k];
        for (int i = 1; i < 3; i++) {
            low = corners[i][k] < low ? corners[i][k] : low;
            high = corners[i][k] > high ? corners[i][k] : high;
        }
        if (low > radius + (end[k] > 0.0 ? end[k] : 0.0) ||
            high < -radius + (end[k] < 0.0 ? end[k] : 0.0))
            return true;
    }
    return false;
}

/* the triangle and the box of these half sizes about the origin are apart along `axis` */
static bool separates(const double axis[3], const double corners[3][3], const double half[3]) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    double reach = fabs(axis[0]) * half[0] + fabs(axis[1]) * half[1] + fabs(axis[2]) * half[2];
    for (int i = 0; i < 3; i++) {
        double at = dot(axis, corners[i]);
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    return low > reach || high < -reach;
}

/* `corners` relative to the box's middle, in its own directions */
static bool enters_box(const double corners[3][3], const double half[3]) {
    static const double units[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double sides[3][3], axis[3];
    for (int k = 0; k < 3; k++)
        if (separates(units[k], corners, half))
            return false;
    for (int i = 0; i < 3; i++) {
        subtract(corners[(i + 1) % 3], corners[i], sides[i]);
        for (int k = 0; k < 3; k++) {
            cross(sides[i], units[k], axis);
            if (separates(axis, corners, half))
                return false;
        }
    }
    cross(sides[0], sides[1], axis);
    return !separates(axis, corners, half);
}

static bool enters_plane(const TlSolid *solid, const double local[3][3], double depth_m) {
    for (int i = 0; i < 3; i++)
        if (dot(solid->axes[0], local[i]) < -depth_m)
            return true;
    return false;
}

bool tl_solid_entered(const TlSolid *solid, const double corners[3][3], double depth_m) {
    static const double middle[3] = {0.0, 0.0, 0.0};
    double local[3][3], turned[3][3], half[3], end[3];
    for (int i = 0; i < 3; i++)
        subtract(corners[i], solid->center_m, local[i]);
    if (solid->shape == TOILE_COLLIDER_PLANE)
        return enters_plane(solid, (const double(*)[3])local, depth_m);
    if (solid->shape == TOILE_COLLIDER_BOX) {
        for (int k = 0; k < 3; k++) {
            half[k] = solid->half_m[k] - depth_m;
            for (int i = 0; i < 3; i++)
                turned[i][k] = dot(solid->axes[k], local[i]);
        }
        return half[0] > 0.0 && half[1] > 0.0 && half[2] > 0.0 &&
               enters_box((const double(*)[3])turned, half);
    }
    bool capsule = solid->shape == TOILE_COLLIDER_CAPSULE;
    double radius = solid->radius_m - depth_m;
    subtract(capsule ? solid->end_m : solid->center_m, solid->center_m, end);
    if (!(radius > 0.0) || is_far((const double(*)[3])local, end, radius))
        return false;
    double nearest2 = capsule ? segment_triangle2(middle, end, (const double(*)[3])local)
                              : point_triangle2(middle, (const double(*)[3])local);
    return nearest2 < radius * radius;
}
