/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Contact potential, friction and projection of one vertex against colliders. */
#include "contact/response.h"
#include "support/builders.h"

#include <string.h>

#define RADIUS 0.01
#define AREA 0.002
#define FRICTION 0.4
/* central differences of a function with third derivatives of size 1/h^2 */
#define DIFFERENCE 1e-6
#define ROUNDING 1e-12

/* One sphere of radius 0.5 at the origin, or the plane y = 0, moving from `before` to `now`. */
typedef struct World {
    TlCollider collider[2];
    TlPlaced before[2], now[2];
    double radius[2], friction[2];
    TlContacts contacts;
} World;

static void make_world(World *world, ToileColliderShape shape, const ToilePose *from,
                       const ToilePose *to) {
    static const ToilePose still = {{0, 0, 0}, {0, 0, 0}};
    ToileColliderDef def = toile_collider_def_default();
    TlMotion a = tl_motion_from_pose(from != NULL ? from : &still);
    TlMotion b = tl_motion_from_pose(to != NULL ? to : &still);
    def.shape = shape;
    world->collider[0] = tl_collider(&def);
    world->before[0] = tl_place(&world->collider[0], &a);
    world->now[0] = tl_place(&world->collider[0], &b);
    world->radius[0] = world->radius[1] = RADIUS;
    world->friction[0] = world->friction[1] = FRICTION;
    world->contacts = (TlContacts){.collider_count = 1,
                                   .now = world->now,
                                   .before = world->before,
                                   .radius = world->radius,
                                   .friction = world->friction,
                                   .slip_m = 1e-4};
}

static double value_at(const World *world, double height) {
    return tl_contact_value(&world->contacts, 0, AREA, tl_vec3(0.1, height, 0.2));
}

/* Force and stiffness along y at a height above the plane. */
static double slope_at(const World *world, double height, double *stiffness) {
    double grad[3] = {0}, hess[9] = {0}, force;
    TlVec3 normal;
    tl_contact_derive(&world->contacts, 0, AREA, tl_vec3(0.1, height, 0.2), grad, hess, &force,
                      &normal);
    *stiffness = hess[4];
    return grad[1];
}

START_TEST(contact_potential_is_zero_beyond_its_reach) {
    World world;
    double stiffness;
    make_world(&world, TOILE_COLLIDER_PLANE, NULL, NULL);
    ck_assert_double_eq(value_at(&world, RADIUS), 0.0);
    ck_assert_double_eq(value_at(&world, 1.0), 0.0);
    ck_assert_double_eq(slope_at(&world, RADIUS, &stiffness), 0.0);
    ck_assert_double_gt(value_at(&world, 0.99 * RADIUS), 0.0);
}
END_TEST

/* Value, slope and curvature from both sides of a seam. */
static void check_seam(const World *world, double height, bool curvature) {
    double e = 1e-11 * height, below, above;
    double scale = value_at(world, 0.25 * RADIUS);
    ASSERT_NEAR(value_at(world, height - e), value_at(world, height + e), 1e-8 * scale);
    double low = slope_at(world, height - e, &below), high = slope_at(world, height + e, &above);
    ASSERT_NEAR(low, high, 1e-8 * fabs(low) + 1e-6 * scale / RADIUS);
    if (curvature) {
        ASSERT_RELATIVE(below, above, 1e-8);
    }
}

START_TEST(contact_potential_is_smooth_at_its_seams) {
    World world;
    make_world(&world, TOILE_COLLIDER_PLANE, NULL, NULL);
    check_seam(&world, RADIUS, false);
    check_seam(&world, 0.5 * RADIUS, true);
    /* and where the quadratic continuation starts */
    check_seam(&world, 5e-4 * RADIUS, true);
}
END_TEST

START_TEST(contact_potential_pushes_out_at_every_depth) {
    World world;
    double last = (double)INFINITY, stiffness;
    make_world(&world, TOILE_COLLIDER_PLANE, NULL, NULL);
    for (double height = -0.5; height < RADIUS; height += 0.0007) {
        double value = value_at(&world, height);
        ck_assert(isfinite(value) && value < last);
        ck_assert_double_lt(slope_at(&world, height, &stiffness), 0.0);
        ck_assert_double_gt(stiffness, 0.0);
        last = value;
    }
}
END_TEST

START_TEST(contact_gradient_is_that_of_the_potential) {
    TestRandom random = test_random(121);
    World world;
    make_world(&world, TOILE_COLLIDER_SPHERE, NULL, NULL);
    for (int loop = 0; loop < 100; loop++) {
        TlVec3 out = tl_unit3(tl_vec3(test_between(&random, -1, 1), test_between(&random, -1, 1),
                                      test_between(&random, -1, 1)));
        TlVec3 x = tl_scale3(0.5 + RADIUS * test_between(&random, -0.5, 0.99), out), normal;
        double grad[3] = {0}, hess[9] = {0}, force, p[3], h = 1e-8;
        ck_assert_int_eq(
            tl_contact_derive(&world.contacts, 0, AREA, x, grad, hess, &force, &normal), 0);
        ASSERT_RELATIVE(tl_length3(tl_load3(grad)), force, ROUNDING);
        tl_store3(p, x);
        for (int i = 0; i < 3; i++) {
            double old = p[i];
            p[i] = old + h;
            double high = tl_contact_value(&world.contacts, 0, AREA, tl_load3(p));
            p[i] = old - h;
            double low = tl_contact_value(&world.contacts, 0, AREA, tl_load3(p));
            p[i] = old;
            ASSERT_NEAR((high - low) / (2 * h), grad[i], DIFFERENCE * force + 1e-9);
        }
    }
}
END_TEST

START_TEST(contact_hessian_is_positive) {
    World world;
    double values[3];
    make_world(&world, TOILE_COLLIDER_SPHERE, NULL, NULL);
    for (double d = -RADIUS; d < RADIUS; d += 0.1 * RADIUS) {
        double grad[3] = {0}, hess[9] = {0}, force;
        TlVec3 normal;
        tl_contact_derive(&world.contacts, 0, AREA,
                          tl_scale3((0.5 + d) / sqrt(14), tl_vec3(1, -2, 3)), grad, hess, &force,
                          &normal);
        test_eigenvalues(hess, 3, values);
        double largest = test_largest(values, 3);
        for (int i = 0; i < 3; i++) {
            ck_assert_double_ge(values[i], -ROUNDING * largest);
        }
    }
}
END_TEST

/* refining a mesh shares the same stiffness among more vertices */
START_TEST(contact_stiffness_goes_with_area) {
    World world;
    make_world(&world, TOILE_COLLIDER_PLANE, NULL, NULL);
    TlVec3 x = tl_vec3(0, 0.3 * RADIUS, 0);
    ASSERT_RELATIVE(tl_contact_value(&world.contacts, 0, AREA, x),
                    4 * tl_contact_value(&world.contacts, 0, AREA / 4, x), ROUNDING);
}
END_TEST

/* ---- friction ---- */

static TlFriction lag(const World *world, double normal_force, TlVec3 x, TlVec3 start) {
    return tl_friction_lag(&world->contacts, 0, 0, normal_force, tl_vec3(0, 1, 0), x, start);
}

START_TEST(friction_gradient_is_that_of_its_potential) {
    TestRandom random = test_random(122);
    World world;
    make_world(&world, TOILE_COLLIDER_PLANE, NULL, NULL);
    TlVec3 start = tl_vec3(0.1, 0.005, 0.2);
    for (int loop = 0; loop < 100; loop++) {
        double reach = loop % 2 == 0 ? 0.5e-4 : 5e-4, grad[3] = {0}, hess[9] = {0}, p[3], h = 1e-8;
        TlVec3 x = tl_add3(start, tl_vec3(test_between(&random, -reach, reach),
                                          test_between(&random, -reach, reach),
                                          test_between(&random, -reach, reach)));
        TlFriction friction = lag(&world, 2.0, x, start);
        double slip_m = world.contacts.slip_m;
        tl_friction_derive(&friction, slip_m, NULL, x, grad, hess);
        tl_store3(p, x);
        for (int i = 0; i < 3; i++) {
            double old = p[i];
            p[i] = old + h;
            double high = tl_friction_value(&friction, slip_m, tl_load3(p));
            p[i] = old - h;
            double low = tl_friction_value(&friction, slip_m, tl_load3(p));
            p[i] = old;
            /* curvature changes over h/slip */
            ASSERT_NEAR((high - low) / (2 * h), grad[i], 1e-4 * FRICTION * 2.0);
        }
    }
}
END_TEST

/* never more than mu F, exactly mu F when slipping, against the slip, and nothing along the normal
 */
START_TEST(friction_opposes_slip_within_the_cone) {
    World world;
    make_world(&world, TOILE_COLLIDER_PLANE, NULL, NULL);
    TlVec3 start = tl_vec3(0, 0.005, 0);
    for (double slip = 1e-7; slip < 0.1; slip *= 1.7) {
        TlVec3 x = tl_add3(start, tl_vec3(0.6 * slip, 0.001, -0.8 * slip));
        TlFriction friction = lag(&world, 2.0, x, start);
        double grad[3] = {0}, hess[9] = {0}, size;
        tl_friction_derive(&friction, world.contacts.slip_m, NULL, x, grad, hess);
        size = tl_length3(tl_load3(grad));
        ck_assert_double_le(size, FRICTION * 2.0 * (1 + ROUNDING));
        ASSERT_NEAR(grad[1], 0.0, ROUNDING);
        ASSERT_RELATIVE(grad[0], 0.6 * size, 1e-9);
        ASSERT_RELATIVE(-grad[2], 0.8 * size, 1e-9);
        if (slip > world.contacts.slip_m) {
            ASSERT_RELATIVE(size, FRICTION * 2.0, ROUNDING);
        }
    }
}
END_TEST

START_TEST(friction_hessian_is_positive) {
    World world;
    double values[3];
    make_world(&world, TOILE_COLLIDER_PLANE, NULL, NULL);
    for (double slip = 0.0; slip < 5e-4; slip += 0.3e-4) {
        TlVec3 start = tl_vec3(0, 0.005, 0), x = tl_vec3(slip, 0.006, slip);
        TlFriction friction = lag(&world, 2.0, x, start);
        double grad[3] = {0}, hess[9] = {0};
        tl_friction_derive(&friction, world.contacts.slip_m, NULL, x, grad, hess);
        test_eigenvalues(hess, 3, values);
        for (int i = 0; i < 3; i++) {
            ck_assert(values[i] >= -ROUNDING * test_largest(values, 3));
        }
    }
}
END_TEST

/* a vertex that moves with the collider does not slip, whether it turns or travels */
START_TEST(friction_counts_slip_from_the_moving_surface) {
    ToilePose from = {{0, 0, 0}, {0, 0.1, 0}}, to = {{0.02, 0, 0.03}, {0, 0.3, 0}};
    World world;
    make_world(&world, TOILE_COLLIDER_SPHERE, &from, &to);
    TlVec3 local = tl_vec3(0.3, 0.4, 0.05);
    TlVec3 start = tl_add3(tl_mul3(&world.before[0].R, local), world.before[0].t);
    TlVec3 x = tl_add3(tl_mul3(&world.now[0].R, local), world.now[0].t);
    TlFriction friction = lag(&world, 2.0, x, start);
    ASSERT_BELOW(tl_length3(tl_sub3(friction.origin, x)), ROUNDING);
    ASSERT_BELOW(tl_friction_value(&friction, world.contacts.slip_m, x), ROUNDING);
}
END_TEST

START_TEST(friction_takes_energy) {
    TestRandom random = test_random(123);
    World world;
    make_world(&world, TOILE_COLLIDER_PLANE, NULL, NULL);
    for (int loop = 0; loop < 100; loop++) {
        TlVec3 start = tl_vec3(0, 0.005, 0);
        TlVec3 move =
            tl_vec3(test_between(&random, -1e-3, 1e-3), test_between(&random, -1e-3, 1e-3),
                    test_between(&random, -1e-3, 1e-3));
        TlVec3 x = tl_add3(start, move);
        TlFriction friction = lag(&world, 1.0, x, start);
        double grad[3] = {0}, hess[9] = {0};
        tl_friction_derive(&friction, world.contacts.slip_m, NULL, x, grad, hess);
        /* work of the force -grad over the move */
        ck_assert_double_lt(-tl_dot3(tl_load3(grad), move), 0.0);
    }
}
END_TEST

/* ---- projection ---- */

START_TEST(projection_leaves_the_gap) {
    TestRandom random = test_random(124);
    for (int32_t shape = TOILE_COLLIDER_SPHERE; shape <= TOILE_COLLIDER_BOX; shape++) {
        World world;
        make_world(&world, (ToileColliderShape)shape, NULL, NULL);
        for (int loop = 0; loop < 200; loop++) {
            TlVec3 n, x = tl_vec3(test_between(&random, -1, 1), test_between(&random, -1, 1),
                                  test_between(&random, -1, 1));
            TlVec3 before = x;
            double d = tl_collider_distance(&world.now[0], x, &n), gap = 0.1 * RADIUS;
            ck_assert_int_eq(tl_contact_project(&world.contacts, 0, 0.1, NULL, &x), d < gap);
            if (d < gap) {
                ck_assert_double_ge(tl_collider_distance(&world.now[0], x, &n), gap * (1 - 1e-9));
                ck_assert_double_eq(tl_contact_depth(&world.contacts, x), 0.0);
            } else {
                ck_assert_mem_eq(&x, &before, sizeof x);
            }
        }
    }
}
END_TEST

/* from a near place a vertex may come nearer, down to 0.6 of its distance, but never below the
 * least gap */
START_TEST(projection_lets_a_pressed_vertex_come_nearer_in_steps) {
    World world;
    TlVec3 n, from, x;
    make_world(&world, TOILE_COLLIDER_PLANE, NULL, NULL);
    for (double height = RADIUS; height > 1e-5 * RADIUS; height *= 0.5) {
        from = tl_vec3(0, height, 0);
        x = tl_vec3(0, -1, 0);
        ck_assert(tl_contact_project(&world.contacts, 0, 0.1, &from, &x));
        double want = fmax(fmin(0.1 * RADIUS, 0.6 * height), TL_LEAST_GAP * RADIUS);
        ASSERT_RELATIVE(tl_collider_distance(&world.now[0], x, &n), want, 1e-9);
    }
}
END_TEST

/* a wedge of two planes: projecting on one may push into the other, a few rounds clear both */
START_TEST(projection_clears_several_colliders) {
    World world;
    ToilePose tilt = {{0, 0, 0}, {0, 0, 0.9}};
    TlMotion motion = tl_motion_from_pose(&tilt);
    make_world(&world, TOILE_COLLIDER_PLANE, NULL, NULL);
    world.collider[1] = world.collider[0];
    world.now[1] = world.before[1] = tl_place(&world.collider[1], &motion);
    world.contacts.collider_count = 2;
    TlVec3 x = tl_vec3(0.2, -0.3, 0.0);
    ck_assert_double_gt(tl_contact_depth(&world.contacts, x), 0.1);
    ck_assert(tl_contact_project(&world.contacts, 0, 0.1, NULL, &x));
    ck_assert_double_eq(tl_contact_depth(&world.contacts, x), 0.0);
}
END_TEST

/* ---- what is clear ---- */

static TlVec3 random_vec(TestRandom *random, double size) {
    return tl_vec3(test_between(random, -size, size), test_between(random, -size, size),
                   test_between(random, -size, size));
}

/* Beyond its contact distance nothing is felt, nor kept apart. */
static void expect_nothing(const TlContacts *contacts, TlVec3 x) {
    double grad[3] = {0}, hess[9] = {0}, force;
    TlVec3 normal, put = x;
    ck_assert_double_eq(tl_contact_value(contacts, 0, AREA, x), 0.0);
    ck_assert_int_eq(tl_contact_derive(contacts, 0, AREA, x, grad, hess, &force, &normal), -1);
    ck_assert_double_eq(force, 0.0);
    ck_assert(test_largest(grad, 3) == 0.0 && test_largest(hess, 9) == 0.0);
    ck_assert(!tl_contact_project(contacts, 0, 1.0, NULL, &put));
    ck_assert_mem_eq(&put, &x, sizeof x);
    ck_assert_double_eq(tl_contact_depth(contacts, x), 0.0);
}

/* Beyond it by the length of its way, nothing is met on that. */
static void expect_no_meeting(const TlContacts *contacts, TlVec3 x, TlVec3 u, TestRandom *random) {
    double push[3] = {0}, hess[9] = {0};
    TlDrive drive = {random_vec(random, 1.0), 50.0};
    TlVec3 stopped = tl_contact_stop_all(contacts, 0, x, u);
    TlVec3 landed = tl_contact_land(contacts, 0, x, u);
    ck_assert_mem_eq(&stopped, &u, sizeof u);
    ck_assert_mem_eq(&landed, &u, sizeof u);
    ck_assert(!tl_contact_ahead(contacts, 0, AREA, x, u, &drive, hess, push));
    ck_assert(test_largest(push, 3) == 0.0 && test_largest(hess, 9) == 0.0);
}

START_TEST(response_leaves_alone_what_is_clear) {
    enum { COUNT = 4000 };
    TestRandom random = test_random(125);
    for (int32_t shape = TOILE_COLLIDER_SPHERE; shape <= TOILE_COLLIDER_CAPSULE; shape++) {
        int32_t clear = 0, free = 0;
        for (int32_t i = 0; i < COUNT; i++) {
            ToilePose pose = {{test_between(&random, -0.2, 0.2), 0.1, 0.0},
                              {test_between(&random, -3, 3), test_between(&random, -3, 3), 0.4}};
            World world;
            make_world(&world, (ToileColliderShape)shape, &pose, &pose);
            TlVec3 x = random_vec(&random, 1.0), n, u;
            double d = tl_collider_distance(&world.now[0], x, &n);
            /* half of them near the surface */
            x = i % 2 == 0 ? x : tl_madd3(x, test_between(&random, -0.01, 0.04) - d, n);
            u = random_vec(&random, pow(10.0, test_between(&random, -4, -1.5)));
            if (tl_is_clear(&world.contacts, world.now, 0, x, 0.0)) {
                expect_nothing(&world.contacts, x);
                clear++;
            }
            if (tl_is_clear(&world.contacts, world.now, 0, x, tl_length3(u))) {
                expect_no_meeting(&world.contacts, x, u, &random);
                free++;
            }
        }
        /* planes are everywhere */
        bool plane = shape == TOILE_COLLIDER_PLANE;
        ck_assert(plane ? clear == 0 : clear > COUNT / 8 && clear < COUNT);
        ck_assert(plane ? free == 0 : free > COUNT / 16 && free < clear);
    }
}
END_TEST

START_TEST(response_without_colliders_does_nothing) {
    TlContacts none = {.slip_m = 1e-4};
    double grad[3] = {0}, hess[9] = {0}, force;
    TlVec3 normal, x = tl_vec3(1, 2, 3);
    ck_assert_double_eq(tl_contact_value(&none, 0, AREA, x), 0.0);
    ck_assert_int_eq(tl_contact_derive(&none, 0, AREA, x, grad, hess, &force, &normal), -1);
    ck_assert_double_eq(test_largest(grad, 3), 0.0);
    ck_assert(!tl_contact_project(&none, 0, 0.1, NULL, &x));
    ck_assert_double_eq(tl_contact_depth(&none, x), 0.0);
}
END_TEST

TEST_MAIN("response", contact_potential_is_zero_beyond_its_reach,
          contact_potential_is_smooth_at_its_seams, contact_potential_pushes_out_at_every_depth,
          contact_gradient_is_that_of_the_potential, contact_hessian_is_positive,
          contact_stiffness_goes_with_area, friction_gradient_is_that_of_its_potential,
          friction_opposes_slip_within_the_cone, friction_hessian_is_positive,
          friction_counts_slip_from_the_moving_surface, friction_takes_energy,
          projection_leaves_the_gap, projection_lets_a_pressed_vertex_come_nearer_in_steps,
          projection_clears_several_colliders, response_leaves_alone_what_is_clear,
          response_without_colliders_does_nothing)
