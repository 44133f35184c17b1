/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Distances to analytic shapes, and rigid motion by quaternions. Sines and arc tangents are own
 * code (base/elementary.h), so that placement is the same on every platform. */
#include "contact/collider.h"

#include "base/elementary.h"

#include <string.h>

/* bounds are larger by this part, which covers rounding */
#define ROUNDING 1e-9

TlMotion tl_motion_from_pose(const ToilePose *pose) {
    TlVec3 axis = tl_load3(pose->rotate_rad);
    double angle = tl_length3(axis);
    TlMotion motion = {{1, 0, 0, 0},
                       {pose->translate_m[0], pose->translate_m[1], pose->translate_m[2]}};
    if (angle > 0.0) {
        double s = tl_sin(0.5 * angle) / angle;
        motion.q[0] = tl_cos(0.5 * angle);
        motion.q[1] = s * axis.x;
        motion.q[2] = s * axis.y;
        motion.q[3] = s * axis.z;
    }
    return motion;
}

/* Weights of the two ends for spherical interpolation over `angle`. */
static void arc_weights(double angle, double sine, double part, double *wa, double *wb) {
    if (sine < 1e-9) {
        *wa = 1.0 - part;
        *wb = part;
    } else {
        *wa = tl_sin((1.0 - part) * angle) / sine;
        *wb = tl_sin(part * angle) / sine;
    }
}

TlMotion tl_motion_between(const TlMotion *a, const TlMotion *b, double part) {
    if (part >= 1.0) {
        return *b;
    }
    double cosine = 0.0, wa, wb;
    for (int i = 0; i < 4; i++) {
        cosine += a->q[i] * b->q[i];
    }
    double sign = cosine < 0.0 ? -1.0 : 1.0;
    cosine = tl_min(sign * cosine, 1.0);
    double sine = sqrt(1.0 - cosine * cosine);
    arc_weights(tl_atan2(sine, cosine), sine, part, &wa, &wb);
    TlMotion out;
    double length2 = 0.0;
    for (int i = 0; i < 4; i++) {
        out.q[i] = wa * a->q[i] + sign * wb * b->q[i];
        length2 += out.q[i] * out.q[i];
    }
    for (int i = 0; i < 4; i++) {
        out.q[i] /= sqrt(length2);
    }
    for (int i = 0; i < 3; i++) {
        out.t[i] = a->t[i] + part * (b->t[i] - a->t[i]);
    }
    return out;
}

TlCollider tl_collider(const ToileColliderDef *def) {
    TlCollider c;
    c.shape = (ToileColliderShape)def->shape;
    c.center = tl_load3(def->center_m);
    c.end = tl_load3(def->end_m);
    c.normal = tl_unit3(tl_load3(def->normal));
    c.half = tl_load3(def->half_m);
    c.radius = def->radius_m;
    c.thickness = def->thickness_m;
    c.friction = def->friction;
    return c;
}

TlPlaced tl_place(const TlCollider *collider, const TlMotion *motion) {
    double w = motion->q[0], x = motion->q[1], y = motion->q[2], z = motion->q[3];
    TlPlaced placed;
    placed.collider = collider;
    placed.R = (TlMat3){{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                         2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    placed.t = tl_load3(motion->t);
    TlVec3 middle = collider->center;
    placed.bound = (double)INFINITY;
    if (collider->shape == TOILE_COLLIDER_SPHERE) {
        placed.bound = collider->radius;
    } else if (collider->shape == TOILE_COLLIDER_CAPSULE) {
        middle = tl_scale3(0.5, tl_add3(collider->center, collider->end));
        placed.bound = tl_length3(tl_sub3(collider->end, middle)) + collider->radius;
    } else if (collider->shape == TOILE_COLLIDER_BOX) {
        placed.bound = tl_length3(collider->half);
    }
    placed.bound *= 1.0 + ROUNDING;
    placed.middle = tl_add3(tl_mul3(&placed.R, middle), placed.t);
    return placed;
}

double tl_collider_safe_move(const TlCollider *c) {
    switch (c->shape) {
    case TOILE_COLLIDER_SPHERE:
    case TOILE_COLLIDER_CAPSULE:
        return 0.5 * c->radius;
    case TOILE_COLLIDER_BOX:
        return 0.5 * tl_min(c->half.x, tl_min(c->half.y, c->half.z));
    case TOILE_COLLIDER_PLANE:
    case TOILE_COLLIDER_MESH:
        break;
    }
    return (double)INFINITY;
}

/* Into the collider's own frame, where it stands as defined. */
static TlVec3 to_local(const TlPlaced *placed, TlVec3 x) {
    return tl_mul3_transposed(&placed->R, tl_sub3(x, placed->t));
}

static double sphere_distance(const TlCollider *c, TlVec3 p, TlVec3 *normal) {
    TlVec3 d = tl_sub3(p, c->center);
    double length = tl_length3(d);
    *normal = length > 0.0 ? tl_scale3(1.0 / length, d) : tl_vec3(0, 1, 0);
    return length - c->radius;
}

/* A unit vector at right angles to an axis of any length; upwards when that is zero. */
static TlVec3 across(TlVec3 axis) {
    double x = fabs(axis.x), y = fabs(axis.y), z = fabs(axis.z);
    TlVec3 least = x <= y && x <= z ? tl_vec3(1, 0, 0)
                   : y <= z         ? tl_vec3(0, 1, 0)
                                    : tl_vec3(0, 0, 1);
    TlVec3 n = tl_unit3(tl_cross3(axis, least));
    return tl_dot3(n, n) > 0.0 ? n : tl_vec3(0, 1, 0);
}

static double capsule_distance(const TlCollider *c, TlVec3 p, TlVec3 *normal) {
    TlVec3 axis = tl_sub3(c->end, c->center), d = tl_sub3(p, c->center);
    double along = tl_dot3(d, axis), length2 = tl_dot3(axis, axis);
    double t = along <= 0.0 ? 0.0 : along >= length2 ? 1.0 : along / length2;
    TlVec3 away = tl_sub3(p, tl_madd3(c->center, t, axis));
    double length = tl_length3(away);
    *normal = length > 0.0 ? tl_scale3(1.0 / length, away) : across(axis);
    return length - c->radius;
}

static double box_distance(const TlCollider *c, TlVec3 p, TlVec3 *normal) {
    TlVec3 d = tl_sub3(p, c->center);
    const double at[3] = {d.x, d.y, d.z}, half[3] = {c->half.x, c->half.y, c->half.z};
    double out[3], n[3] = {0, 0, 0}, inner = -(double)INFINITY;
    int axis = 0;
    for (int i = 0; i < 3; i++) {
        double beyond = fabs(at[i]) - half[i];
        out[i] = at[i] < 0.0 ? -tl_max(beyond, 0.0) : tl_max(beyond, 0.0);
        if (beyond > inner) {
            inner = beyond;
            axis = i;
        }
    }
    if (inner > 0.0) {
        TlVec3 away = tl_load3(out);
        double length = tl_length3(away);
        *normal = tl_scale3(1.0 / length, away);
        return length;
    }
    /* inside: the nearest side */
    n[axis] = at[axis] < 0.0 ? -1.0 : 1.0;
    *normal = tl_load3(n);
    return inner;
}

double tl_collider_distance(const TlPlaced *placed, TlVec3 x, TlVec3 *normal) {
    const TlCollider *c = placed->collider;
    TlVec3 p = to_local(placed, x), n = c->normal;
    double distance = 0.0;
    switch (c->shape) {
    case TOILE_COLLIDER_SPHERE:
        distance = sphere_distance(c, p, &n);
        break;
    case TOILE_COLLIDER_PLANE:
        distance = tl_dot3(tl_sub3(p, c->center), n);
        break;
    case TOILE_COLLIDER_BOX:
        distance = box_distance(c, p, &n);
        break;
    case TOILE_COLLIDER_CAPSULE:
        distance = capsule_distance(c, p, &n);
        break;
    case TOILE_COLLIDER_MESH:
        distance = (double)INFINITY;
        break;
    }
    *normal = tl_mul3(&placed->R, n);
    return distance;
}

TlVec3 tl_collider_carry_back(const TlPlaced *from, const TlPlaced *to, TlVec3 x) {
    if (memcmp(&from->R, &to->R, sizeof from->R) == 0 &&
        memcmp(&from->t, &to->t, sizeof from->t) == 0) {
        return x; /* what stands still rounds nothing, wherever its frame is */
    }
    return tl_add3(tl_mul3(&from->R, to_local(to, x)), from->t);
}

TlVec3 tl_placed_point(const TlPlaced *placed, TlVec3 p) {
    return tl_add3(tl_mul3(&placed->R, p), placed->t);
}

/* ---- as part of a surface ---- */

int32_t tl_collider_vertex_count(const TlCollider *collider) {
    switch (collider->shape) {
    case TOILE_COLLIDER_SPHERE:
        return 1;
    case TOILE_COLLIDER_CAPSULE:
        return 2;
    case TOILE_COLLIDER_BOX:
        return 8;
    case TOILE_COLLIDER_PLANE:
    case TOILE_COLLIDER_MESH:
        break;
    }
    return 0;
}

void tl_collider_vertices(const TlCollider *c, TlVec3 out[TL_COLLIDER_MOST_VERTICES]) {
    out[0] = c->center;
    out[1] = c->end;
    for (int i = 0; c->shape == TOILE_COLLIDER_BOX && i < 8; i++) {
        out[i] = tl_add3(c->center, tl_vec3((i & 1) != 0 ? c->half.x : -c->half.x,
                                            (i & 2) != 0 ? c->half.y : -c->half.y,
                                            (i & 4) != 0 ? c->half.z : -c->half.z));
    }
}

TlTriangles tl_collider_triangles(const TlCollider *collider) {
    /* corners count x first, then y, then z */
    static const int32_t box[] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                  2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    static const int32_t box_side[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
    static const int32_t capsule[] = {0, 1, 1}, capsule_face[] = {0};
    switch (collider->shape) {
    case TOILE_COLLIDER_BOX:
        return (TlTriangles){12, box, box_side};
    case TOILE_COLLIDER_CAPSULE:
        return (TlTriangles){1, capsule, capsule_face};
    default:
        return (TlTriangles){0, NULL, NULL};
    }
}

double tl_collider_solid(const TlCollider *c) {
    bool round = c->shape == TOILE_COLLIDER_SPHERE || c->shape == TOILE_COLLIDER_CAPSULE;
    return round ? c->radius : 0.0;
}
