/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Colliders under the matrix of their object: the shapes they keep, and those that are refused. */
#include "support/session_grid.h"

#include <check.h>
#include <math.h>
#include <string.h>

/* positions at the first frame that touches the collider: what follows makes much of the last bits
 */
static void drape(const ToileSessionCollider *collider, float *positions) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    cloth.pin_weights = NULL;
    def.last_frame = 12;
    ToileSession *session = start(&def, &cloth, collider);
    ToileStats stats = toile_stats_default();
    while (toile_session_frame(session) < 12 && stats.contacts == 0) {
        step(session);
        ck_assert_int_eq(toile_session_get_stats(session, &stats, NULL), TOILE_STATUS_OK);
    }
    ck_assert_int_gt(stats.contacts, 0);
    positions_of(session, positions);
    toile_session_destroy(session);
}

/* a rotation that is not exact changes the last bits of the collider, and contacts that come or go
 * a little earlier make more of it */
#define DRAPE_TOLERANCE_M 1e-5

static void same_drape(const ToileSessionCollider *a, const ToileSessionCollider *b) {
    float first[VALUES], second[VALUES];
    drape(a, first);
    drape(b, second);
    for (int32_t i = 0; i < VALUES; i++)
        ck_assert_double_eq_tol((double)first[i], (double)second[i], DRAPE_TOLERANCE_M);
}

START_TEST(fit_sphere_is_scaled_turned_and_mirrored) {
    ToileSessionCollider plain = ball(), scaled = ball();
    double linear[9];
    /* radius 0.125 under scale 2, its centre away from the object's origin */
    general_linear(2.5, 2.0, linear);
    scaled.radius = 0.125;
    scaled.center[0] = 0.25;
    scaled.center[2] = -0.5;
    for (int32_t mirror = 0; mirror < 2; mirror++) {
        double t[3];
        for (int32_t i = 0; i < 3 && mirror; i++)
            linear[3 * i + 1] *= -1.0;
        for (int32_t k = 0; k < 3; k++)
            t[k] = plain.matrix[4 * k + 3] - linear[3 * k] * 0.25 + linear[3 * k + 2] * 0.5;
        set_matrix(scaled.matrix, linear, t[0], t[1], t[2]);
        same_drape(&plain, &scaled);
    }
}
END_TEST

START_TEST(fit_box_is_scaled_and_turned) {
    ToileSessionCollider plain = collider_default(), turned = collider_default();
    plain.shape = turned.shape = TOILE_COLLIDER_BOX;
    plain.half[0] = 0.25;
    plain.half[1] = 0.125;
    plain.half[2] = 0.1875;
    plain.matrix[11] = -0.25;
    /* its x points along the world's -z, its y along x, its z along -y: a rotation and a mirroring
     */
    const double linear[9] = {0, 0.5, 0, 0, 0, -0.25, -0.375, 0, 0};
    for (int32_t k = 0; k < 3; k++)
        turned.half[k] = 0.5;
    set_matrix(turned.matrix, linear, 0.0, 0.0, -0.25);
    same_drape(&plain, &turned);
    for (int32_t i = 0; i < 3; i++)
        turned.matrix[4 * i] *= -1.0;
    same_drape(&plain, &turned);
}
END_TEST

/* a plane stays a plane under any matrix, and keeps its free side */
START_TEST(fit_plane_is_bent_by_nothing) {
    ToileSessionCollider plain = collider_default(), odd = collider_default();
    plain.shape = odd.shape = TOILE_COLLIDER_PLANE;
    plain.matrix[11] = -0.0625;
    /* the object's y-plane, sheared, unevenly scaled and mirrored, lies in the world's x-y plane */
    const double linear[9] = {2, 0.3, 0.5, 0, -0.7, 3, 0, 0.4, 0};
    odd.normal[1] = 1.0;
    odd.normal[2] = 0.0;
    set_matrix(odd.matrix, linear, 7.0, 3.0, -0.0625);
    same_drape(&plain, &odd);
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
