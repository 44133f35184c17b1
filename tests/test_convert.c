/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Objects under matrices, units and axes: they simulate as they look, and come back in their own
 * space. */
#include "support/session_grid.h"

#include <check.h>
#include <math.h>
#include <string.h>

/* runs the cloth under `matrix`, and the mesh as it looks under it without one; the ball is in
 * world space. Answers the largest distance in metres. */
static double distance_to_baked(const double matrix[16], const ToileSessionCollider *collider,
                                double unit_m) {
    Grid grid = make_grid(), baked = grid;
    ToileSessionDef def = def_default();
    float found[VALUES], expected[VALUES];
    def.unit_m = unit_m;
    ToileSessionCloth cloth = cloth_of(&grid);
    memcpy(cloth.matrix, matrix, sizeof cloth.matrix);
    run_to_end(start(&def, &cloth, collider), LAST, found);
    for (int32_t v = 0; v < VERTICES; v++) {
        double world[3];
        apply(matrix, grid.positions + 3 * v, world);
        for (int32_t k = 0; k < 3; k++)
            baked.positions[3 * v + k] = (float)world[k];
    }
    cloth = cloth_of(&baked);
    run_to_end(start(&def, &cloth, collider), LAST, expected);
    double largest = 0.0;
    for (int32_t v = 0; v < VERTICES; v++) {
        double world[3];
        apply(matrix, found + 3 * v, world);
        for (int32_t k = 0; k < 3; k++) {
            double d = unit_m * fabs(world[k] - (double)expected[3 * v + k]);
            largest = d > largest ? d : largest;
        }
    }
    return largest;
}

/* scaled, mirrored and turned by right angles: the baked mesh is exact */
START_TEST(convert_scaled_mirrored_object_simulates_as_it_looks) {
    const double linears[4][9] = {{2, 0, 0, 0, 2, 0, 0, 0, 2},
                                  {0, -1, 0, 1, 0, 0, 0, 0, 1},
                                  {-1, 0, 0, 0, 1, 0, 0, 0, 1},
                                  {0, 0, 1, 0.5, 0, 0, 0, 2, 0}};
    for (int32_t i = 0; i < 4; i++) {
        double matrix[16];
        set_matrix(matrix, linears[i], 0.0, 0.0, 0.0);
        ck_assert_double_le(distance_to_baked(matrix, NULL, 1.0), 3e-7);
        ToileSessionCollider collider = ball();
        set_matrix(matrix, linears[i], 0.25, -0.5, 0.125);
        ck_assert_double_le(distance_to_baked(matrix, &collider, 1.0), TOLERANCE_M);
    }
}
END_TEST

START_TEST(convert_turned_object_simulates_as_it_looks) {
    double linear[9], matrix[16];
    general_linear(0.9, 1.25, linear);
    set_matrix(matrix, linear, 0.1, 0.2, 0.3);
    /* the baked mesh is rounded to float32, so that the two begin 3e-8 m apart */
    ck_assert_double_le(distance_to_baked(matrix, NULL, 1.0), 1e-5);
    /* shear is fine for cloth */
    linear[1] += 0.4;
    set_matrix(matrix, linear, 0.1, 0.2, 0.3);
    ck_assert_double_le(distance_to_baked(matrix, NULL, 1.0), 1e-5);
}
END_TEST

START_TEST(convert_unit_is_applied_to_everything) {
    Grid metres = make_grid(), cents = metres;
    float found[VALUES], expected[VALUES];
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&metres);
    ToileSessionCollider collider = ball();
    run_to_end(start(&def, &cloth, &collider), LAST, expected);
    for (int32_t i = 0; i < VALUES; i++)
        cents.positions[i] *= 100.0F;
    def.unit_m = 0.01;
    cloth = cloth_of(&cents);
    collider.radius *= 100.0;
    collider.matrix[11] *= 100.0;
    run_to_end(start(&def, &cloth, &collider), LAST, found);
    for (int32_t i = 0; i < VALUES; i++)
        ck_assert_double_eq_tol(0.01 * (double)found[i], (double)expected[i], TOLERANCE_M);
    /* an object in metres, scaled by 100 in a scene of centimetres */
    cloth = cloth_of(&metres);
    for (int32_t k = 0; k < 3; k++)
        cloth.matrix[5 * k] = 100.0;
    run_to_end(start(&def, &cloth, &collider), LAST, found);
    for (int32_t i = 0; i < VALUES; i++)
        ck_assert_double_eq_tol((double)found[i], (double)expected[i], TOLERANCE_M);
}
END_TEST

/* The same in a host whose Y is up: (x, y, z) -> (x, z, -y). Sums over x, y and z are then rounded
 * otherwise, in single precision where directions are solved for, so few frames are compared. */
START_TEST(convert_y_up_host_falls_along_y) {
    Grid z_up = make_grid(), y_up = z_up;
    float found[VALUES], expected[VALUES];
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&z_up);
    ToileSessionCollider collider = ball();
    run_to_end(start(&def, &cloth, &collider), FEW, expected);
    for (int32_t v = 0; v < VERTICES; v++) {
        y_up.positions[3 * v + 1] = z_up.positions[3 * v + 2];
        y_up.positions[3 * v + 2] = -z_up.positions[3 * v + 1];
    }
    def.up = 0;
    def.gravity_m_per_s2[1] = -9.81;
    def.gravity_m_per_s2[2] = 0.0;
    cloth = cloth_of(&y_up);
    collider.matrix[7] = collider.matrix[11];
    collider.matrix[11] = 0.0;
    run_to_end(start(&def, &cloth, &collider), FEW, found);
    for (int32_t v = 0; v < VERTICES; v++) {
        ck_assert_double_eq_tol((double)found[3 * v], (double)expected[3 * v], TOLERANCE_M);
        ck_assert_double_eq_tol((double)found[3 * v + 1], (double)expected[3 * v + 2], TOLERANCE_M);
        ck_assert_double_eq_tol((double)found[3 * v + 2], -(double)expected[3 * v + 1],
                                TOLERANCE_M);
    }
}
END_TEST

START_TEST(convert_pins_follow_the_object) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileSession *session = start(&def, &cloth, NULL);
    float found[VALUES];
    for (int32_t f = 2; f <= LAST; f++) {
        double linear[9], matrix[16];
        general_linear(0.1 * f, 1.0, linear);
        set_matrix(matrix, linear, 0.02 * f, 0.0, 0.01 * f);
        ck_assert_int_eq(toile_session_set_cloth_matrix(session, 0, matrix, NULL), 0);
        step(session);
        positions_of(session, found);
        /* pinned vertices rest in their object */
        for (int32_t k = 0; k < 3; k++) {
            ck_assert_double_eq_tol((double)found[k], (double)grid.positions[k], 2e-7);
            ck_assert_double_eq_tol((double)found[3 * (SIDE - 1) + k],
                                    (double)grid.positions[3 * (SIDE - 1) + k], 2e-7);
        }
    }
    /* a matrix given before a cancelled or missing step does not change what is handed out */
    double far[16];
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    float same[VALUES];
    set_matrix(far, identity, 5.0, 5.0, 5.0);
    ck_assert_int_eq(toile_session_set_cloth_matrix(session, 0, far, NULL), 0);
    positions_of(session, same);
    ck_assert_mem_eq(found, same, sizeof same);
    toile_session_destroy(session);
}
END_TEST

/* free vertices do not move with the object: in the world the cloth falls as if it stood still */
START_TEST(convert_free_vertices_do_not_follow) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    float still[VALUES], found[VALUES];
    double matrix[16];
    cloth.pin_weights = NULL;
    run_to_end(start(&def, &cloth, NULL), LAST, still);
    ToileSession *session = start(&def, &cloth, NULL);
    for (int32_t f = 2; f <= LAST; f++) {
        set_matrix(matrix, identity, 0.5 * f, 0.0, 0.0);
        ck_assert_int_eq(toile_session_set_cloth_matrix(session, 0, matrix, NULL), 0);
        step(session);
    }
    positions_of(session, found);
    for (int32_t v = 0; v < VERTICES; v++) {
        double world[3];
        apply(matrix, found + 3 * v, world);
        for (int32_t k = 0; k < 3; k++)
            ck_assert_double_eq_tol(world[k], (double)still[3 * v + k], TOLERANCE_M);
    }
    toile_session_destroy(session);
}
END_TEST

static Suite *convert_suite(void) {
    Suite *suite = suite_create("convert");
    TCase *spaces = tcase_create("spaces");
    tcase_add_test(spaces, convert_scaled_mirrored_object_simulates_as_it_looks);
    tcase_add_test(spaces, convert_turned_object_simulates_as_it_looks);
    tcase_add_test(spaces, convert_unit_is_applied_to_everything);
    tcase_add_test(spaces, convert_y_up_host_falls_along_y);
    tcase_add_test(spaces, convert_pins_follow_the_object);
    tcase_add_test(spaces, convert_free_vertices_do_not_follow);
    suite_add_tcase(suite, spaces);
    return suite;
}

int main(void) {
    SRunner *runner = srunner_create(convert_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
