/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Which vertices are pinched, and where they go. */
#include "contact/pinch.h"

#include "support/builders.h"
#include "support/run_suite.h"

/* roundings of numbers of the size of a metre */
#define EXACT 1e-12
/* contact distance of both colliders, m */
#define RADIUS 0.002

/* Two colliders, where they are when the step begins and when it ends. */
typedef struct Fixture {
    TlCollider collider[2];
    TlPlaced before[2], now[2];
    double radius[2];
    TlContacts contacts;
} Fixture;

/* Each moves along y by `by` in the step. */
static void set_up(Fixture *f, const ToileColliderDef def[2], const double by[2]) {
    for (int i = 0; i < 2; i++) {
        ToilePose start = {{0, 0, 0}, {0, 0, 0}}, end = {{0, by[i], 0}, {0, 0, 0}};
        TlMotion from = tl_motion_from_pose(&start), to = tl_motion_from_pose(&end);
        f->collider[i] = tl_collider(&def[i]);
        f->before[i] = tl_place(&f->collider[i], &from);
        f->now[i] = tl_place(&f->collider[i], &to);
        f->radius[i] = RADIUS;
    }
    f->contacts =
        (TlContacts){.collider_count = 2, .now = f->now, .before = f->before, .radius = f->radius};
}

/* Planes that face each other, the lower at -gap/2 and the upper at gap/2. */
static void set_planes(Fixture *f, double gap, double lower_by, double upper_by) {
    ToileColliderDef def[2] = {toile_collider_def_default(), toile_collider_def_default()};
    const double by[2] = {lower_by, upper_by};
    for (int i = 0; i < 2; i++) {
        double side = i == 0 ? 1.0 : -1.0;
        def[i].shape = TOILE_COLLIDER_PLANE;
        def[i].center_m[1] = -0.5 * side * gap;
        def[i].normal[1] = side;
    }
    set_up(f, def, by);
}

/* Spheres of 0.2 m whose centres are so far apart along y. */
static void set_spheres(Fixture *f, double apart, double lower_by, double upper_by) {
    ToileColliderDef def[2] = {toile_collider_def_default(), toile_collider_def_default()};
    const double by[2] = {lower_by, upper_by};
    for (int i = 0; i < 2; i++) {
        def[i].radius_m = 0.2;
        def[i].center_m[1] = (i == 0 ? -0.5 : 0.5) * apart;
    }
    set_up(f, def, by);
}

static bool pinches(const Fixture *f, TlVec3 x, TlVec3 *way) {
    return tl_contact_pinch(&f->contacts, 0, x, way);
}

START_TEST(pinch_is_less_than_a_tenth_of_the_contact_distances) {
    TlVec3 way, x = {0.3, 0, -0.2};
    Fixture f;
    /* a tenth of two times 2 mm */
    set_planes(&f, 0.0008, 0.00025, -0.0002);
    ck_assert(pinches(&f, x, &way));
    set_planes(&f, 0.0008, 0.00015, -0.0002);
    ck_assert(!pinches(&f, x, &way));
    /* what opens has to have room when the step begins */
    set_planes(&f, 0.0003, -0.001, 0.001);
    ck_assert(pinches(&f, x, &way));
    set_planes(&f, 0.0005, -0.001, 0.001);
    ck_assert(!pinches(&f, x, &way));
}
END_TEST

START_TEST(pinch_needs_colliders_that_move_or_overlap) {
    TlVec3 way, x = {0, 0, 0};
    Fixture f;
    set_planes(&f, 0.0003, 0.0, 0.0);
    ck_assert(!pinches(&f, x, &way));
    /* both go the same way: they leave what they leave */
    set_planes(&f, 0.0003, 0.001, 0.001);
    ck_assert(!pinches(&f, x, &way));
    set_planes(&f, -0.001, 0.0, 0.0);
    ck_assert(pinches(&f, x, &way));
    ASSERT_NEAR(tl_length3(way), 0.0, EXACT);
}
END_TEST

START_TEST(pinch_goes_with_both_and_to_the_middle) {
    TlVec3 way, x = {0.1, 0.0001, 0};
    Fixture f;
    /* by -0.4 mm with one and by -1 mm with the other, and 0.1 mm above the middle of both */
    set_planes(&f, -0.001, -0.0004, -0.001);
    ck_assert(pinches(&f, x, &way));
    ASSERT_NEAR(way.x, 0.0, EXACT);
    ASSERT_NEAR(way.y, -0.0007 - 0.0001, EXACT);
    ASSERT_NEAR(way.z, 0.0, EXACT);
    /* no farther than the contact distances at once */
    set_planes(&f, -0.2, 0.0, 0.0);
    x.y = 0.05;
    ck_assert(pinches(&f, x, &way));
    ASSERT_NEAR(way.y, -2.0 * RADIUS, EXACT);
}
END_TEST

START_TEST(pinch_between_spheres_is_where_they_face_each_other) {
    TlVec3 way;
    Fixture f;
    set_spheres(&f, 0.4, 0.0001, -0.0001);
    ck_assert(pinches(&f, tl_vec3(0, 0, 0), &way));
    /* 30 mm aside they are 4.5 mm apart */
    ck_assert(!pinches(&f, tl_vec3(0.03, 0, 0), &way));
    /* overlapping ones hold all that is in both, and nothing else */
    set_spheres(&f, 0.3, 0.0, 0.0);
    ck_assert(pinches(&f, tl_vec3(0.1, 0, 0), &way));
    ck_assert(!pinches(&f, tl_vec3(0.14, 0, 0), &way));
    ck_assert(!pinches(&f, tl_vec3(0, 0.1, 0), &way));
    /* as good as one sphere: there is a common way out */
    set_spheres(&f, 0.02, 0.0, 0.0);
    ck_assert(!pinches(&f, tl_vec3(0.15, 0, 0), &way));
}
END_TEST

int main(void) {
    TCase *one = tcase_create("pinch");
    tcase_add_test(one, pinch_is_less_than_a_tenth_of_the_contact_distances);
    tcase_add_test(one, pinch_needs_colliders_that_move_or_overlap);
    tcase_add_test(one, pinch_goes_with_both_and_to_the_middle);
    tcase_add_test(one, pinch_between_spheres_is_where_they_face_each_other);
    Suite *suite = suite_create("pinch");
    suite_add_tcase(suite, one);
    return run_suite(suite);
}
