/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Colliders under the matrix of their object: the shapes they keep, and those that are refused.
 * What the simulation gets, in its pose, must stand where the matrix puts the object. */
#include "../plugin/session/session_internal.h"
#include "support/session_grid.h"

#include <check.h>
#include <math.h>
#include <string.h>

/* rounding of some dozen operations on numbers of a few metres, in centimetres */
#define ROUNDING_M 1e-14
#define UNIT_M 0.01

/* the collider as the simulation takes it */
static ToileColliderDef fitted(const ToileSessionCollider *collider) {
    ToileColliderDef def;
    ToileError error = toile_error_default();
    TlFit fit;
    ToileStatus status = tl_fit_matrix(collider->matrix, UNIT_M, collider->name, &fit, &error);
    if (status == TOILE_STATUS_OK)
        status = tl_fit_collider(collider, &fit, UNIT_M, &def, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    return def;
}

/* a point of the simulation's collider, turned and moved by its pose */
static void posed(const ToilePose *pose, const double p[3], double out[3]) {
    const double *r = pose->rotate_rad;
    double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), along = 0.0, n[3];
    for (int32_t k = 0; k < 3; k++) {
        n[k] = angle > 0.0 ? r[k] / angle : 0.0;
        along += n[k] * p[k];
    }
    for (int32_t k = 0; k < 3; k++) {
        int32_t i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = cos(angle) * p[k] + sin(angle) * (n[i] * p[j] - n[j] * p[i]) +
                 (1.0 - cos(angle)) * along * n[k] + pose->translate_m[k];
    }
}

/* a point of the object, where its matrix puts it, metres */
static void placed(const double m[16], const double p[3], double out[3]) {
    for (int32_t i = 0; i < 3; i++)
        out[i] =
            UNIT_M * (m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3]);
}

static double distance(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* a point of the simulation's collider stands where one of the object does */
static void same_place(const ToileColliderDef *def, const double p_m[3],
                       const ToileSessionCollider *collider, const double p[3]) {
    double found[3], expected[3];
    posed(&def->pose, p_m, found);
    placed(collider->matrix, p, expected);
    ck_assert_double_lt(distance(found, expected), ROUNDING_M);
}

/* mirrored where `mirror` is 1 */
static void turn(ToileSessionCollider *collider, double angle, double scale, int32_t mirror) {
    double linear[9];
    general_linear(angle, scale, linear);
    for (int32_t i = 0; i < 3 && mirror; i++)
        linear[3 * i + 1] *= -1.0;
    set_matrix(collider->matrix, linear, 0.5, -1.0, 0.25);
}

START_TEST(fit_sphere_is_scaled_turned_and_mirrored) {
    ToileSessionCollider collider = collider_default();
    collider.radius = 0.125;
    collider.center[0] = 0.25;
    collider.center[2] = -0.5;
    for (int32_t mirror = 0; mirror < 2; mirror++) {
        turn(&collider, 2.5, 2.0, mirror);
        ToileColliderDef def = fitted(&collider);
        same_place(&def, def.center_m, &collider, collider.center);
        ck_assert_double_eq_tol(def.radius_m, 0.25 * UNIT_M, ROUNDING_M);
    }
}
END_TEST

/* every corner of the object's box is one of the simulation's */
static void same_box(const ToileSessionCollider *collider) {
    ToileColliderDef def = fitted(collider);
    for (int32_t a = 0; a < 8; a++) {
        double p[3], expected[3], nearest = HUGE_VAL;
        for (int32_t k = 0; k < 3; k++)
            p[k] = collider->center[k] + (a >> k & 1 ? 1.0 : -1.0) * collider->half[k];
        placed(collider->matrix, p, expected);
        for (int32_t b = 0; b < 8; b++) {
            double q[3], found[3];
            for (int32_t k = 0; k < 3; k++)
                q[k] = def.center_m[k] + (b >> k & 1 ? 1.0 : -1.0) * def.half_m[k];
            posed(&def.pose, q, found);
            nearest = fmin(nearest, distance(found, expected));
        }
        ck_assert_double_lt(nearest, ROUNDING_M);
    }
}

START_TEST(fit_box_is_scaled_and_turned) {
    ToileSessionCollider collider = collider_default();
    /* its x points along the world's -z, its y along x, its z along -y: a rotation and a mirroring
     */
    const double linear[9] = {0, 0.5, 0, 0, 0, -0.25, -0.375, 0, 0};
    collider.shape = TOILE_COLLIDER_BOX;
    collider.half[1] = 0.25;
    collider.center[2] = 0.75;
    set_matrix(collider.matrix, linear, 0.0, 0.0, -0.25);
    same_box(&collider);
    for (int32_t i = 0; i < 3; i++)
        collider.matrix[4 * i] *= -1.0;
    same_box(&collider);
    turn(&collider, 1.2, 3.0, 1);
    same_box(&collider);
}
END_TEST

/* a plane stays a plane under any matrix, and keeps its free side */
START_TEST(fit_plane_is_bent_by_nothing) {
    ToileSessionCollider collider = collider_default();
    const double linear[9] = {2, 0.3, 0.5, 0, -0.7, 3, 0, 0.4, 0};
    /* two points of the plane, and one before it */
    const double points[3][3] = {{1, 0.125, 0}, {0, 0.125, 2}, {3, 0.5, -1}};
    collider.shape = TOILE_COLLIDER_PLANE;
    collider.normal[1] = 1.0;
    collider.normal[2] = 0.0;
    collider.center[1] = 0.125;
    set_matrix(collider.matrix, linear, 7.0, 3.0, -0.0625);
    ToileColliderDef def = fitted(&collider);
    const ToilePose turn_only = {
        {0, 0, 0}, {def.pose.rotate_rad[0], def.pose.rotate_rad[1], def.pose.rotate_rad[2]}};
    double center[3], normal[3];
    posed(&def.pose, def.center_m, center);
    posed(&turn_only, def.normal, normal);
    for (int32_t i = 0; i < 3; i++) {
        double p[3], height = 0.0;
        placed(collider.matrix, points[i], p);
        for (int32_t k = 0; k < 3; k++)
            height += (p[k] - center[k]) * normal[k];
        if (i < 2)
            ck_assert_double_eq_tol(height, 0.0, ROUNDING_M);
        else
            ck_assert_double_gt(height, 0.001);
    }
}
END_TEST

/* a scale along it moves its ends apart and leaves them round */
START_TEST(fit_capsule_is_scaled_and_turned) {
    /* three times as long as wide, along its z */
    const double along[9] = {0, 0, 1.5, 0.5, 0, 0, 0, 0.5, 0};
    ToileSessionCollider collider = collider_default();
    collider.shape = TOILE_COLLIDER_CAPSULE;
    collider.center[2] = -0.5;
    collider.end[2] = 0.5;
    collider.radius = 0.25;
    set_matrix(collider.matrix, along, 0.0, 0.0, -0.1875);
    ToileColliderDef def = fitted(&collider);
    same_place(&def, def.center_m, &collider, collider.center);
    same_place(&def, def.end_m, &collider, collider.end);
    ck_assert_double_eq_tol(def.radius_m, 0.125 * UNIT_M, ROUNDING_M);
    /* any direction when all scales are equal, mirrored too */
    collider.end[0] = 1.0;
    collider.end[1] = -2.0;
    for (int32_t mirror = 0; mirror < 2; mirror++) {
        turn(&collider, 0.7, 2.0, mirror);
        def = fitted(&collider);
        same_place(&def, def.center_m, &collider, collider.center);
        same_place(&def, def.end_m, &collider, collider.end);
        ck_assert_double_eq_tol(def.radius_m, 0.5 * UNIT_M, ROUNDING_M);
    }
}
END_TEST

/* a mesh is what the matrix makes of it: scaled unevenly, sheared, mirrored */
START_TEST(fit_mesh_takes_any_matrix) {
    const double linear[9] = {2, 0.5, 0, 0, -0.5, 0.25, 1, 0, 4};
    Block block = make_block();
    ToileSessionCollider collider = collider_of(&block);
    double positions_m[24];
    TlFit fit;
    set_matrix(collider.matrix, linear, 1.0, -2.0, 3.0);
    ToileColliderDef def = fitted(&collider);
    ck_assert_int_eq(tl_fit_matrix(collider.matrix, UNIT_M, "Block", &fit, NULL), TOILE_STATUS_OK);
    tl_fit_points(&fit, UNIT_M, block.positions, 8, positions_m);
    for (int32_t v = 0; v < 8; v++) {
        const double p[3] = {(double)block.positions[3 * v], (double)block.positions[3 * v + 1],
                             (double)block.positions[3 * v + 2]};
        same_place(&def, positions_m + 3 * v, &collider, p);
    }
}
END_TEST

static void refused_collider(const ToileSessionCollider *collider, const char *words) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileSession *session = create(&def);
    ToileError error = toile_error_default();
    ToileStatus status = toile_session_add_collider(session, collider, NULL, &error);
    ck_assert_int_ne(status, TOILE_STATUS_OK);
    ck_assert_int_eq(error.status, status);
    ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
    ck_assert_str_eq(error.object, collider->name);
    /* the session goes on without it */
    add_cloth(session, &cloth);
    begin(session);
    step(session);
    toile_session_destroy(session);
}

START_TEST(fit_refuses_colliders_that_lose_their_shape) {
    const double uneven[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.5};
    const double shear[9] = {1, 0.5, 0, 0, 1, 0, 0, 0, 1};
    const double flat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
    ToileSessionCollider collider = ball();
    set_matrix(collider.matrix, uneven, 0, 0, 0);
    refused_collider(&collider, "'Ball' is scaled by 1, 1, 0.5");
    set_matrix(collider.matrix, shear, 0, 0, 0);
    refused_collider(&collider, "'Ball' is sheared");
    collider.shape = TOILE_COLLIDER_BOX;
    refused_collider(&collider, "'Ball' is sheared");
    set_matrix(collider.matrix, flat, 0, 0, 0);
    refused_collider(&collider, "'Ball' is scaled by 1, 1, 0,");
    collider = ball();
    collider.matrix[6] = (double)NAN;
    refused_collider(&collider, "not a number");
    collider = ball();
    collider.matrix[12] = 0.5; /* a translation where it does not belong */
    refused_collider(&collider, "row by row");
    collider = ball();
    collider.radius = 0.0;
    refused_collider(&collider, "radius_m is 0");
    collider = ball();
    collider.shape = TOILE_COLLIDER_CAPSULE; /* along its z, which is scaled */
    set_matrix(collider.matrix, uneven, 0, 0, 0);
    collider.center[0] = 0.5;
    refused_collider(&collider, "'Ball' is scaled by 1, 1, 0.5, which flattens its capsule");
    collider.center[0] = 0.0;
    collider.matrix[5] = 0.9;
    refused_collider(&collider, "'Ball' is scaled by 1, 0.9, 0.5, which flattens its capsule");
    set_matrix(collider.matrix, shear, 0, 0, 0);
    refused_collider(&collider, "'Ball' is sheared");
    collider = ball();
    collider.shape = 7;
    refused_collider(&collider, "shape is 7");
}
END_TEST

START_TEST(fit_refuses_a_collider_that_changes_its_size) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileSessionCollider collider = ball();
    ToileError error = toile_error_default();
    ToileSession *session = start(&def, &cloth, &collider);
    step(session);
    collider.matrix[0] = collider.matrix[5] = collider.matrix[10] = 1.5;
    ck_assert_int_eq(toile_session_set_collider_matrix(session, 0, collider.matrix, &error),
                     TOILE_STATUS_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.message, "1.5, 1.5, 1.5 but began with 1, 1, 1"));
    ck_assert_str_eq(error.object, "Ball");
    ck_assert_int_eq(error.frame, 3);
    /* mirrored is another size, too */
    collider.matrix[0] = -1.0;
    collider.matrix[5] = collider.matrix[10] = 1.0;
    ck_assert_int_eq(toile_session_set_collider_matrix(session, 0, collider.matrix, &error),
                     TOILE_STATUS_UNSUPPORTED);
    ck_assert_int_eq(toile_session_set_collider_matrix(session, 1, collider.matrix, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_session_set_collider_matrix(session, 0, NULL, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    step(session);
    ck_assert_int_eq(toile_session_frame(session), 3);
    toile_session_destroy(session);
}
END_TEST

/* what float32 makes of a rotation is no change of size */
START_TEST(fit_takes_matrices_of_float32) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileSessionCollider collider = ball();
    ToileSession *session = start(&def, &cloth, &collider);
    for (int32_t f = 2; f <= LAST; f++) {
        double linear[9], matrix[16];
        general_linear(0.9 * f, 1.0, linear);
        for (int32_t i = 0; i < 9; i++)
            linear[i] = (double)(float)linear[i];
        set_matrix(matrix, linear, 0.0, 0.0, -0.3125);
        ck_assert_int_eq(toile_session_set_collider_matrix(session, 0, matrix, NULL), 0);
        step(session);
    }
    toile_session_destroy(session);
}
END_TEST

static Suite *fit_suite(void) {
    Suite *suite = suite_create("fit");
    TCase *colliders = tcase_create("colliders");
    tcase_add_test(colliders, fit_sphere_is_scaled_turned_and_mirrored);
    tcase_add_test(colliders, fit_box_is_scaled_and_turned);
    tcase_add_test(colliders, fit_plane_is_bent_by_nothing);
    tcase_add_test(colliders, fit_capsule_is_scaled_and_turned);
    tcase_add_test(colliders, fit_mesh_takes_any_matrix);
    tcase_add_test(colliders, fit_refuses_colliders_that_lose_their_shape);
    tcase_add_test(colliders, fit_refuses_a_collider_that_changes_its_size);
    tcase_add_test(colliders, fit_takes_matrices_of_float32);
    suite_add_tcase(suite, colliders);
    return suite;
}

int main(void) {
    SRunner *runner = srunner_create(fit_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
