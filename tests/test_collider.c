/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Distances and normals of spheres, planes, boxes and capsules against sampled surfaces, rigid
 * motion, and what stands for them in a surface. */
#include "contact/collider.h"
#include "support/builders.h"

#include <string.h>

/* rounding of a few products of numbers of about one */
#define ROUNDING 1e-13
/* surfaces are sampled at GRID x GRID points a side: spacing 0.05, distances err by its square over
 * the distance */
#define SAMPLING 0.02
enum { GRID = 41, LOOPS = 40, AXIS_SAMPLES = 4000 };
/* the axis of a capsule, at most 6 long, is sampled at AXIS_SAMPLES points: distances err by half a
 * spacing at most, 8e-4, where x is on it */
#define AXIS_SAMPLING 1e-3

static ToilePose random_pose(TestRandom *random) {
    ToilePose pose;
    for (int i = 0; i < 3; i++) {
        pose.translate_m[i] = test_between(random, -1, 1);
        pose.rotate_rad[i] = test_between(random, -2, 2);
    }
    return pose;
}

static TlVec3 random_point(TestRandom *random, double reach) {
    return tl_vec3(test_between(random, -reach, reach), test_between(random, -reach, reach),
                   test_between(random, -reach, reach));
}

/* A point of the local surface: side 0..5, (s, t) in [-1, 1]. */
static TlVec3 surface_point(const TlCollider *c, int side, double s, double t) {
    double p[3];
    p[side % 3] = side < 3 ? -1.0 : 1.0;
    p[(side + 1) % 3] = s;
    p[(side + 2) % 3] = t;
    TlVec3 cube = tl_load3(p);
    if (c->shape == TOILE_COLLIDER_SPHERE) {
        return tl_madd3(c->center, c->radius, tl_unit3(cube));
    }
    return tl_add3(c->center, tl_vec3(c->half.x * cube.x, c->half.y * cube.y, c->half.z * cube.z));
}

/* Distance of x from the sampled surface of a placed collider. */
static double sampled_distance(const TlPlaced *placed, TlVec3 x) {
    double best = (double)INFINITY;
    for (int side = 0; side < 6; side++) {
        for (int i = 0; i < GRID * GRID; i++) {
            double s = -1.0 + 2.0 * (i % GRID) / (GRID - 1),
                   t = -1.0 + 2.0 * (i / GRID) / (GRID - 1);
            TlVec3 local = surface_point(placed->collider, side, s, t);
            TlVec3 p = tl_add3(tl_mul3(&placed->R, local), placed->t);
            best = tl_min(best, tl_length3(tl_sub3(p, x)));
        }
    }
    return best;
}

/* Distance against samples; moving by it against the normal ends on the surface; the gradient is
 * the normal. */
static void check_distance(const TlPlaced *placed, TlVec3 x) {
    TlVec3 n, m;
    double d = tl_collider_distance(placed, x, &n);
    ASSERT_NEAR(fabs(d), sampled_distance(placed, x), SAMPLING);
    ASSERT_NEAR(tl_length3(n), 1.0, ROUNDING);
    ASSERT_BELOW(tl_collider_distance(placed, tl_madd3(x, -d, n), &m), ROUNDING);
    if (d > -0.05 || placed->collider->shape == TOILE_COLLIDER_SPHERE) {
        ASSERT_NEAR(tl_collider_distance(placed, tl_madd3(x, 0.01, n), &m), d + 0.01, ROUNDING);
    }
}

static void check_shape(ToileColliderShape shape, uint64_t seed) {
    TestRandom random = test_random(seed);
    for (int loop = 0; loop < LOOPS; loop++) {
        ToileColliderDef def = toile_collider_def_default();
        def.shape = shape;
        for (int i = 0; i < 3; i++) {
            def.center_m[i] = test_between(&random, -1, 1);
            def.half_m[i] = test_between(&random, 0.3, 1.0);
        }
        def.radius_m = test_between(&random, 0.3, 1.0);
        ToilePose pose = random_pose(&random);
        TlCollider collider = tl_collider(&def);
        TlMotion motion = tl_motion_from_pose(&pose);
        TlPlaced placed = tl_place(&collider, &motion);
        TlVec3 middle = tl_add3(tl_mul3(&placed.R, collider.center), placed.t);
        check_distance(&placed, tl_add3(middle, random_point(&random, 1.5)));
        check_distance(&placed, tl_add3(middle, random_point(&random, 0.25)));
    }
}

START_TEST(collider_sphere_distance_matches_its_surface) {
    check_shape(TOILE_COLLIDER_SPHERE, 111);
}
END_TEST

START_TEST(collider_box_distance_matches_its_surface) {
    check_shape(TOILE_COLLIDER_BOX, 112);
}
END_TEST

/* ---- capsules ---- */

static TlPlaced place(const TlCollider *collider, const ToilePose *pose) {
    TlMotion motion = tl_motion_from_pose(pose);
    return tl_place(collider, &motion);
}

static ToileColliderDef random_capsule(TestRandom *random) {
    ToileColliderDef def = toile_collider_def_default();
    def.shape = TOILE_COLLIDER_CAPSULE;
    tl_store3(def.center_m, random_point(random, 1));
    tl_store3(def.end_m, random_point(random, 1));
    def.radius_m = test_between(random, 0.3, 1.0);
    return def;
}

/* The distance is that of the nearest point of the axis, less the radius; the normal is its
 * gradient. */
START_TEST(collider_capsule_distance_is_that_of_its_axis) {
    TestRandom random = test_random(115);
    for (int loop = 0; loop < LOOPS; loop++) {
        ToileColliderDef def = random_capsule(&random);
        ToilePose pose = random_pose(&random);
        TlCollider collider = tl_collider(&def);
        TlPlaced placed = place(&collider, &pose);
        TlVec3 a = tl_placed_point(&placed, collider.center),
               b = tl_placed_point(&placed, collider.end);
        TlVec3 x = tl_add3(a, random_point(&random, 2)), n, m;
        double best = (double)INFINITY;
        for (int i = 0; i <= AXIS_SAMPLES; i++) {
            TlVec3 p = tl_madd3(a, (double)i / AXIS_SAMPLES, tl_sub3(b, a));
            best = tl_min(best, tl_length3(tl_sub3(x, p)));
        }
        double d = tl_collider_distance(&placed, x, &n);
        ASSERT_NEAR(d, best - def.radius_m, AXIS_SAMPLING);
        ASSERT_NEAR(tl_length3(n), 1.0, ROUNDING);
        ASSERT_BELOW(tl_collider_distance(&placed, tl_madd3(x, -d, n), &m), 10 * ROUNDING);
        ASSERT_NEAR(tl_collider_distance(&placed, tl_madd3(x, 0.1, n), &m), d + 0.1, 10 * ROUNDING);
    }
}
END_TEST

START_TEST(collider_capsule_without_length_is_a_sphere) {
    TestRandom random = test_random(116);
    for (int loop = 0; loop < LOOPS; loop++) {
        ToileColliderDef def = random_capsule(&random);
        tl_store3(def.end_m, tl_load3(def.center_m));
        TlCollider capsule = tl_collider(&def), sphere = capsule;
        sphere.shape = TOILE_COLLIDER_SPHERE;
        ToilePose pose = random_pose(&random);
        TlPlaced one = place(&capsule, &pose), other = place(&sphere, &pose);
        TlVec3 x = random_point(&random, 2), n, m;
        ck_assert(tl_collider_distance(&one, x, &n) == tl_collider_distance(&other, x, &m));
        ck_assert(n.x == m.x && n.y == m.y && n.z == m.z);
    }
}
END_TEST

/* there the distance grows equally in all directions across the axis, and not along it */
START_TEST(collider_capsule_has_a_normal_across_its_axis_on_it) {
    static const double ends[][3] = {{0, 2, 0}, {3, 0, 0},    {0, 0, -1},
                                     {1, 1, 1}, {1e-9, 5, 0}, {-2, 0.5, 7}};
    ToilePose none = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 6; i++) {
        ToileColliderDef def = toile_collider_def_default();
        def.shape = TOILE_COLLIDER_CAPSULE;
        tl_store3(def.end_m, tl_load3(ends[i]));
        TlCollider collider = tl_collider(&def);
        TlPlaced placed = place(&collider, &none);
        TlVec3 n;
        for (int k = 0; k <= 4; k++) {
            TlVec3 x = tl_scale3(0.25 * k, tl_load3(ends[i]));
            ASSERT_NEAR(tl_collider_distance(&placed, x, &n), -def.radius_m, ROUNDING);
            ASSERT_NEAR(tl_length3(n), 1.0, ROUNDING);
            ASSERT_BELOW(tl_dot3(n, tl_unit3(tl_load3(ends[i]))), ROUNDING);
        }
    }
}
END_TEST

START_TEST(collider_safe_move_is_half_the_least_thickness) {
    ToileColliderDef def = toile_collider_def_default();
    def.radius_m = 0.4;
    def.half_m[1] = 0.1;
    static const double want[] = {0.2, (double)INFINITY, 0.05, 0.2, (double)INFINITY};
    for (int32_t shape = 0; shape <= TOILE_COLLIDER_MESH; shape++) {
        def.shape = shape;
        TlCollider collider = tl_collider(&def);
        ck_assert_double_eq(tl_collider_safe_move(&collider), want[shape]);
    }
}
END_TEST

/* ---- as part of a surface ---- */

START_TEST(collider_vertices_lie_on_its_shape) {
    static const int32_t counts[] = {1, 0, 8, 2, 0}, triangles[] = {0, 0, 12, 1, 0};
    ToilePose none = {{0, 0, 0}, {0, 0, 0}};
    for (int32_t shape = 0; shape <= TOILE_COLLIDER_MESH; shape++) {
        ToileColliderDef def = toile_collider_def_default();
        def.shape = shape;
        def.center_m[0] = 3;
        TlCollider collider = tl_collider(&def);
        TlPlaced placed = place(&collider, &none);
        TlVec3 at[TL_COLLIDER_MOST_VERTICES], n;
        ck_assert_int_eq(tl_collider_vertex_count(&collider), counts[shape]);
        ck_assert_int_eq(tl_collider_triangles(&collider).count, triangles[shape]);
        tl_collider_vertices(&collider, at);
        for (int32_t i = 0; i < counts[shape]; i++) {
            double d = tl_collider_distance(&placed, at[i], &n);
            ASSERT_NEAR(d, -tl_collider_solid(&collider), ROUNDING);
        }
    }
}
END_TEST

/* two triangles a side, whose normals point outwards, and whose areas are those of the sides */
START_TEST(collider_box_triangles_close_it) {
    ToileColliderDef def = toile_collider_def_default();
    def.shape = TOILE_COLLIDER_BOX;
    for (int i = 0; i < 3; i++) {
        def.center_m[i] = 1 + i;
        def.half_m[i] = 0.5 * (1 + i);
    }
    TlCollider collider = tl_collider(&def);
    TlTriangles triangles = tl_collider_triangles(&collider);
    TlVec3 at[TL_COLLIDER_MOST_VERTICES];
    tl_collider_vertices(&collider, at);
    static const double areas[3] = {6, 3, 2};
    double normals[6][3] = {{0}};
    for (int32_t t = 0; t < triangles.count; t++) {
        const int32_t *v = triangles.vertex + 3 * t;
        TlVec3 n = tl_cross3(tl_sub3(at[v[1]], at[v[0]]), tl_sub3(at[v[2]], at[v[0]]));
        double *sum = normals[triangles.face[t]];
        tl_store3(sum, tl_madd3(tl_load3(sum), 0.5, n));
    }
    for (int side = 0; side < 6; side++) {
        for (int k = 0; k < 3; k++) {
            double want = k == side / 2 ? (side % 2 == 0 ? -areas[k] : areas[k]) : 0.0;
            ASSERT_NEAR(normals[side][k], want, ROUNDING);
        }
    }
}
END_TEST

START_TEST(collider_signs_tell_inside_from_outside) {
    ToileColliderDef def = toile_collider_def_default();
    ToilePose none = {{0, 0, 0}, {0, 0, 0}};
    TlMotion motion = tl_motion_from_pose(&none);
    TlVec3 n;
    for (int32_t shape = TOILE_COLLIDER_SPHERE; shape <= TOILE_COLLIDER_CAPSULE; shape++) {
        def.shape = shape;
        TlCollider collider = tl_collider(&def);
        TlPlaced placed = tl_place(&collider, &motion);
        ck_assert_double_lt(tl_collider_distance(&placed, tl_vec3(0.1, -0.2, 0.1), &n), 0.0);
        ck_assert_double_gt(tl_collider_distance(&placed, tl_vec3(0.1, 2.0, 0.1), &n), 0.0);
        /* the very middle still has a direction */
        tl_collider_distance(&placed, tl_vec3(0, 0, 0), &n);
        ASSERT_NEAR(tl_length3(n), 1.0, ROUNDING);
    }
}
END_TEST

START_TEST(collider_box_normals_by_region) {
    static const struct {
        double at[3], normal[3], distance;
    } cases[] = {{{2, 0, 0}, {1, 0, 0}, 1},
                 {{0.5, -0.9, 0.2}, {0, -1, 0}, -0.1},
                 {{4, 5, 0}, {0.6, 0.8, 0}, 5},
                 {{2, 3, 3}, {1.0 / 3, 2.0 / 3, 2.0 / 3}, 3},
                 {{1, 0, 0}, {1, 0, 0}, 0}};
    ToileColliderDef def = toile_collider_def_default();
    ToilePose none = {{0, 0, 0}, {0, 0, 0}};
    TlMotion motion = tl_motion_from_pose(&none);
    def.shape = TOILE_COLLIDER_BOX;
    def.half_m[0] = def.half_m[1] = def.half_m[2] = 1.0;
    TlCollider collider = tl_collider(&def);
    TlPlaced placed = tl_place(&collider, &motion);
    for (int i = 0; i < 5; i++) {
        TlVec3 n;
        ASSERT_NEAR(tl_collider_distance(&placed, tl_load3(cases[i].at), &n), cases[i].distance,
                    ROUNDING);
        ASSERT_BELOW(tl_length3(tl_sub3(n, tl_load3(cases[i].normal))), ROUNDING);
    }
}
END_TEST

START_TEST(collider_plane_distance_is_along_its_normal) {
    TestRandom random = test_random(113);
    for (int loop = 0; loop < LOOPS; loop++) {
        ToileColliderDef def = toile_collider_def_default();
        def.shape = TOILE_COLLIDER_PLANE;
        tl_store3(def.center_m, random_point(&random, 1));
        /* need not be of unit length */
        tl_store3(def.normal, random_point(&random, 5));
        ToilePose pose = random_pose(&random);
        TlCollider collider = tl_collider(&def);
        TlMotion motion = tl_motion_from_pose(&pose);
        TlPlaced placed = tl_place(&collider, &motion);
        TlVec3 x = random_point(&random, 3), n, m;
        double d = tl_collider_distance(&placed, x, &n);
        TlVec3 on = tl_add3(tl_mul3(&placed.R, collider.center), placed.t);
        ASSERT_NEAR(d, tl_dot3(tl_sub3(x, on), n), ROUNDING * 10);
        ASSERT_NEAR(tl_length3(n), 1.0, ROUNDING);
        ASSERT_NEAR(tl_dot3(n, tl_mul3(&placed.R, tl_unit3(tl_load3(def.normal)))), 1.0, ROUNDING);
        ASSERT_BELOW(tl_collider_distance(&placed, tl_madd3(x, -d, n), &m), 10 * ROUNDING);
    }
}
END_TEST

START_TEST(motion_rotates_about_the_origin_then_translates) {
    const double half_pi = 1.57079632679489661923;
    ToilePose pose = {{10, 20, 30}, {0, 0, half_pi}};
    ToileColliderDef def = toile_collider_def_default();
    TlCollider collider = tl_collider(&def);
    TlMotion motion = tl_motion_from_pose(&pose);
    TlPlaced placed = tl_place(&collider, &motion);
    TlVec3 p = tl_add3(tl_mul3(&placed.R, tl_vec3(1, 2, 3)), placed.t);
    ASSERT_BELOW(tl_length3(tl_sub3(p, tl_vec3(8, 21, 33))), 10 * ROUNDING);
}
END_TEST

static TlMotion turned_about_z(double angle) {
    ToilePose pose = {{0, 0, 0}, {0, 0, angle}};
    return tl_motion_from_pose(&pose);
}

START_TEST(motion_between_goes_evenly) {
    ToilePose from = {{1, 2, 3}, {0, 0, 0.2}}, to = {{3, 2, -1}, {0, 0, 1.4}};
    TlMotion a = tl_motion_from_pose(&from), b = tl_motion_from_pose(&to);
    for (int i = 0; i <= 8; i++) {
        double part = i / 8.0;
        TlMotion m = tl_motion_between(&a, &b, part), want = turned_about_z(0.2 + part * 1.2);
        for (int k = 0; k < 4; k++) {
            ASSERT_NEAR(m.q[k], want.q[k], ROUNDING);
        }
        for (int k = 0; k < 3; k++) {
            ASSERT_NEAR(m.t[k],
                        from.translate_m[k] + part * (to.translate_m[k] - from.translate_m[k]),
                        ROUNDING);
        }
    }
    /* it arrives bit for bit */
    TlMotion end = tl_motion_between(&a, &b, 1.0);
    ck_assert_mem_eq(&end, &b, sizeof b);
}
END_TEST

/* from 170 to 190 degrees by the 20 degrees in between, also when the quaternions differ in sign */
START_TEST(motion_between_takes_the_shortest_arc) {
    const double degree = 3.14159265358979323846 / 180;
    TlMotion a = turned_about_z(170 * degree), b = turned_about_z(190 * degree),
             c = turned_about_z(-170 * degree);
    for (int flip = 0; flip < 2; flip++) {
        TlMotion m = tl_motion_between(&a, flip == 0 ? &b : &c, 0.5);
        /* half-way is 180 degrees: (0, 0, 0, +-1) */
        ASSERT_NEAR(fabs(m.q[3]), 1.0, ROUNDING);
        ASSERT_BELOW(m.q[0], ROUNDING);
    }
}
END_TEST

START_TEST(motion_between_equal_poses_stays) {
    TlMotion a = turned_about_z(1.1);
    TlMotion m = tl_motion_between(&a, &a, 0.3);
    for (int k = 0; k < 4; k++) {
        ASSERT_NEAR(m.q[k], a.q[k], 1e-15);
    }
}
END_TEST

START_TEST(motion_carries_points_back) {
    TestRandom random = test_random(114);
    ToileColliderDef def = toile_collider_def_default();
    TlCollider collider = tl_collider(&def);
    for (int loop = 0; loop < LOOPS; loop++) {
        ToilePose p = random_pose(&random), q = random_pose(&random);
        TlMotion a = tl_motion_from_pose(&p), b = tl_motion_from_pose(&q);
        TlPlaced from = tl_place(&collider, &a), to = tl_place(&collider, &b);
        TlVec3 local = random_point(&random, 2);
        TlVec3 was = tl_add3(tl_mul3(&from.R, local), from.t),
               now = tl_add3(tl_mul3(&to.R, local), to.t);
        TlVec3 got = tl_collider_carry_back(&from, &to, now);
        ASSERT_BELOW(tl_length3(tl_sub3(got, was)), 10 * ROUNDING);
    }
}
END_TEST

TEST_MAIN("collider", collider_sphere_distance_matches_its_surface,
          collider_box_distance_matches_its_surface, collider_capsule_distance_is_that_of_its_axis,
          collider_capsule_without_length_is_a_sphere,
          collider_capsule_has_a_normal_across_its_axis_on_it,
          collider_safe_move_is_half_the_least_thickness, collider_vertices_lie_on_its_shape,
          collider_box_triangles_close_it, collider_signs_tell_inside_from_outside,
          collider_box_normals_by_region, collider_plane_distance_is_along_its_normal,
          motion_rotates_about_the_origin_then_translates, motion_between_goes_evenly,
          motion_between_takes_the_shortest_arc, motion_between_equal_poses_stays,
          motion_carries_points_back)
