/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A whole simulation: ids, pins, cancel, log, memory, momentum, contact with each shape, friction,
 * settling and extreme states. */
#include "support/builders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* sums over a few dozen vertices */
#define ROUNDING 1e-12

static ToileSimDef plain_def(void) {
    ToileSimDef def = toile_sim_def_default();
    def.threads = 1;
    return def;
}

/* A level patch of n x n quads, `size` wide, centred over the origin. */
static TestMesh level_patch(int32_t n, double size, double height) {
    TestMesh mesh = test_grid(n, n, size, size, TEST_DIAGONAL_NONE);
    test_lay_flat(&mesh, height);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        mesh.positions[3 * v] -= 0.5 * size;
        mesh.positions[3 * v + 2] += 0.5 * size;
    }
    return mesh;
}

static ToileColliderId add_collider(ToileSim *sim, const ToileColliderDef *def) {
    ToileColliderId id;
    ASSERT_OK(toile_sim_add_collider(sim, def, &id, NULL));
    return id;
}

static void expect_finite(const double *values, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        ck_assert_msg(isfinite(values[i]), "value %d is %g", (int)i, values[i]);
    }
}

/* ---- ids ---- */

START_TEST(sim_removed_cloth_is_a_stale_id) {
    ToileSimDef def = plain_def();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(2, 1, 1);
    ToileClothId first = test_add(sim, &mesh, NULL, NULL, 0), second;
    ToileError error = toile_error_default();
    double x[27];
    ASSERT_OK(toile_sim_remove_cloth(sim, first, NULL));
    ck_assert_int_eq(toile_sim_vertex_count(sim, first), -1);
    ck_assert_int_eq(toile_sim_get_positions(sim, first, x, &error), TOILE_STATUS_STALE_ID);
    ck_assert_int_eq(error.status, TOILE_STATUS_STALE_ID);
    ck_assert_int_eq(toile_sim_remove_cloth(sim, first, NULL), TOILE_STATUS_STALE_ID);
    second = test_add(sim, &mesh, NULL, NULL, 0);
    /* same slot, another generation */
    ck_assert_uint_eq(second.slot, first.slot);
    ck_assert_uint_ne(second.generation, first.generation);
    ck_assert_int_eq(toile_sim_get_positions(sim, first, x, NULL), TOILE_STATUS_STALE_ID);
    ASSERT_OK(toile_sim_get_positions(sim, second, x, NULL));
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(sim_null_and_foreign_ids_are_stale) {
    ToileSimDef def = plain_def();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(1, 1, 1);
    ToileClothId cloth = test_add(sim, &mesh, NULL, NULL, 0);
    ToileClothId bad[4] = {
        {0, 0}, {cloth.slot, 0}, {cloth.slot + 1, cloth.generation}, {UINT32_MAX, UINT32_MAX}};
    double x[12];
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(toile_sim_get_positions(sim, bad[i], x, NULL), TOILE_STATUS_STALE_ID);
        ck_assert_int_eq(toile_sim_set_pinned(sim, bad[i], NULL, 0, true, NULL),
                         TOILE_STATUS_STALE_ID);
        ck_assert_int_eq(
            toile_sim_remove_collider(sim, (ToileColliderId){bad[i].slot, bad[i].generation}, NULL),
            TOILE_STATUS_STALE_ID);
    }
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(sim_removed_collider_is_a_stale_id_and_gone) {
    ToileSimDef def = plain_def();
    ToileColliderDef plane = toile_collider_def_default();
    ToilePose pose = {{0, 0, 0}, {0, 0, 0}};
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(1, 0.1, 0.05);
    ToileClothId cloth = test_add(sim, &mesh, NULL, NULL, 0);
    plane.shape = TOILE_COLLIDER_PLANE;
    ToileColliderId id = add_collider(sim, &plane);
    ASSERT_OK(toile_sim_remove_collider(sim, id, NULL));
    ck_assert_int_eq(toile_sim_remove_collider(sim, id, NULL), TOILE_STATUS_STALE_ID);
    ck_assert_int_eq(toile_sim_set_collider_pose(sim, id, &pose, NULL), TOILE_STATUS_STALE_ID);
    test_step(sim, 12);
    double *x = test_positions(sim, cloth);
    ck_assert_double_lt(x[1], -0.5);
    free(x);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(sim_many_cloths_and_colliders_keep_their_ids) {
    enum { MANY = 20 };
    ToileSimDef def = plain_def();
    ToileColliderDef sphere = toile_collider_def_default();
    ToileSim *sim = test_sim(&def);
    ToileClothId ids[MANY];
    for (int i = 0; i < MANY; i++) {
        TestMesh mesh = level_patch(1, 1, i);
        ids[i] = test_add(sim, &mesh, NULL, NULL, 0);
        sphere.center_m[0] = 100 + i;
        add_collider(sim, &sphere);
        test_mesh_free(&mesh);
    }
    for (int i = 0; i < MANY; i++) {
        double *x = test_positions(sim, ids[i]);
        ck_assert_double_eq(x[1], i);
        free(x);
    }
    test_step(sim, 1);
    toile_sim_destroy(sim);
}
END_TEST

START_TEST(sim_removing_a_cloth_keeps_the_others) {
    static const int32_t pins[1] = {0};
    ToileSimDef def = plain_def();
    ToileSim *sim = test_sim(&def);
    TestMesh a = level_patch(2, 1, 1), b = level_patch(3, 1, 3);
    ToileClothId first = test_add(sim, &a, NULL, NULL, 0),
                 second = test_add(sim, &b, NULL, pins, 1);
    test_step(sim, 3);
    double *before = test_positions(sim, second), *speed = test_velocities(sim, second);
    ASSERT_OK(toile_sim_remove_cloth(sim, first, NULL));
    double *x = test_positions(sim, second), *v = test_velocities(sim, second);
    ck_assert_mem_eq(x, before, 48 * sizeof(double));
    ck_assert_mem_eq(v, speed, 48 * sizeof(double));
    /* the pin is still one: it stays, and its target may be set */
    test_step(sim, 3);
    free(x);
    x = test_positions(sim, second);
    ck_assert_mem_eq(x, b.positions, 3 * sizeof(double));
    ASSERT_OK(toile_sim_set_pin_targets(sim, second, pins, 1, x, NULL));
    free(before);
    free(speed);
    free(x);
    free(v);
    toile_sim_destroy(sim);
    test_mesh_free(&a);
    test_mesh_free(&b);
}
END_TEST

START_TEST(sim_without_cloth_steps_and_settles) {
    ToileSimDef def = plain_def();
    ToileColliderDef sphere = toile_collider_def_default();
    ToileSim *sim = test_sim(&def);
    test_step(sim, 2);
    add_collider(sim, &sphere);
    test_step(sim, 2);
    ck_assert_int_eq(toile_sim_frame(sim), 5);
    ASSERT_OK(toile_sim_settle(sim, NULL, NULL, NULL));
    ck_assert_uint_ne(toile_sim_state_hash(sim), 0);
    toile_sim_destroy(sim);
}
END_TEST

/* ---- pins ---- */

START_TEST(sim_pins_stay_bit_for_bit) {
    static const int32_t pins[3] = {0, 4, 4};
    ToileSimDef def = plain_def();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(4, 1, 1.0 / 3);
    ToileClothId cloth = test_add(sim, &mesh, NULL, pins, 3);
    for (int frame = 0; frame < 10; frame++) {
        test_step(sim, 1);
        double *x = test_positions(sim, cloth), *v = test_velocities(sim, cloth);
        ck_assert_mem_eq(x, mesh.positions, 3 * sizeof(double));
        ck_assert_mem_eq(x + 12, mesh.positions + 12, 3 * sizeof(double));
        ck_assert(v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0);
        free(x);
        free(v);
    }
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

typedef struct Watch {
    ToileSim *sim;
    ToileClothId cloth;
    double seen[64][9]; /* of the first three vertices */
    int count, stop_at;
} Watch;

static bool watch_progress(void *user, double fraction) {
    Watch *watch = user;
    ck_assert(fraction >= 0.0 && fraction <= 1.0);
    double x[27];
    ASSERT_OK(toile_sim_get_positions(watch->sim, watch->cloth, x, NULL));
    if (watch->count < 64) {
        memcpy(watch->seen[watch->count], x, 9 * sizeof(double));
    }
    return ++watch->count != watch->stop_at;
}

START_TEST(sim_pins_travel_evenly_to_their_targets) {
    static const int32_t pins[1] = {0};
    Watch watch = {0};
    ToileSimDef def = plain_def();
    def.substeps = 8;
    def.progress = (ToileProgress){watch_progress, &watch};
    watch.sim = test_sim(&def);
    TestMesh mesh = level_patch(2, 1, 1);
    watch.cloth = test_add(watch.sim, &mesh, NULL, pins, 1);
    /* positions are multiples of 2^-10 m, so that what is read is what was given */
    const double target[3] = {mesh.positions[0] + 0.15625, mesh.positions[1] - 0.078125,
                              mesh.positions[2]};
    ASSERT_OK(toile_sim_set_pin_targets(watch.sim, watch.cloth, pins, 1, target, NULL));
    test_step(watch.sim, 1);
    /* once before each sub-step */
    ck_assert_int_eq(watch.count, 8);
    for (int k = 0; k < 8; k++) {
        for (int i = 0; i < 3; i++) {
            double start = mesh.positions[i];
            ASSERT_NEAR(watch.seen[k][i], start + k / 8.0 * (target[i] - start), 1e-15);
        }
    }
    double *x = test_positions(watch.sim, watch.cloth),
           *v = test_velocities(watch.sim, watch.cloth);
    ck_assert_mem_eq(x, target, sizeof target);
    ASSERT_RELATIVE(v[0], 0.15625 * 24, 1e-9);
    /* it arrived, and stays without a new target */
    test_step(watch.sim, 1);
    free(x);
    x = test_positions(watch.sim, watch.cloth);
    ck_assert_mem_eq(x, target, sizeof target);
    free(x);
    free(v);
    toile_sim_destroy(watch.sim);
    test_mesh_free(&mesh);
}
END_TEST

/* Pin 0 ends where the turn of a ball far below takes it, pin 2 elsewhere: it goes straight. */
START_TEST(sim_pins_go_with_a_collider_that_turns) {
    static const int32_t pins[2] = {0, 2};
    const double from = 0.25, turn = 0.5, by[3] = {0.0625, 0.0, -0.125};
    Watch watch = {0};
    ToileSimDef def = plain_def();
    ToileColliderDef ball = toile_collider_def_default();
    ToileColliderId id;
    def.substeps = 8;
    def.progress = (ToileProgress){watch_progress, &watch};
    watch.sim = test_sim(&def);
    TestMesh mesh = level_patch(2, 1, 1);
    watch.cloth = test_add(watch.sim, &mesh, NULL, pins, 2);
    ball.center_m[1] = -20.0;
    ball.pose = (ToilePose){{0, 0, 0}, {0, from, 0}};
    ASSERT_OK(toile_sim_add_collider(watch.sim, &ball, &id, NULL));
    const double *x = mesh.positions, *y = mesh.positions + 6;
    double c = cos(turn), s = sin(turn), target[6] = {0};
    for (int i = 0; i < 3; i++) {
        target[i] = by[i] + (i == 0 ? c * x[0] + s * x[2] : i == 1 ? x[1] : c * x[2] - s * x[0]);
        target[3 + i] = y[i] + 0.03125 * (i + 1);
    }
    ToilePose pose = {{by[0], by[1], by[2]}, {0, from + turn, 0}};
    ASSERT_OK(toile_sim_set_collider_pose(watch.sim, id, &pose, NULL));
    ASSERT_OK(toile_sim_set_pin_targets(watch.sim, watch.cloth, pins, 2, target, NULL));
    test_step(watch.sim, 1);
    ck_assert_int_eq(watch.count, 8);
    for (int k = 0; k < 8; k++) {
        double part = k / 8.0, ca = cos(part * turn), sa = sin(part * turn);
        const double at[3] = {ca * x[0] + sa * x[2], x[1], ca * x[2] - sa * x[0]};
        for (int i = 0; i < 3; i++) {
            ASSERT_NEAR(watch.seen[k][i], at[i] + part * by[i], 1e-12);
            ASSERT_NEAR(watch.seen[k][6 + i], y[i] + part * (target[3 + i] - y[i]), 1e-12);
        }
    }
    double *now = test_positions(watch.sim, watch.cloth);
    for (int i = 0; i < 3; i++) {
        ASSERT_NEAR(now[i], target[i], 1e-12);
        ASSERT_NEAR(now[6 + i], target[3 + i], 1e-12);
    }
    free(now);
    toile_sim_destroy(watch.sim);
    test_mesh_free(&mesh);
}
END_TEST

/* whatever the rounding of the way there */
START_TEST(sim_pins_arrive_bit_for_bit) {
    static const int32_t pins[2] = {0, 2};
    TestRandom random = test_random(163);
    ToileSimDef def = plain_def();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(2, 1, 1);
    ToileClothId cloth = test_add(sim, &mesh, NULL, pins, 2);
    for (int frame = 0; frame < 20; frame++) {
        double target[6];
        for (int i = 0; i < 6; i++) {
            /* far enough for the difference of start and end to be rounded */
            target[i] = (double)(float)test_between(&random, -0.3, 0.3);
        }
        ASSERT_OK(toile_sim_set_pin_targets(sim, cloth, pins, 2, target, NULL));
        test_step(sim, 1);
        double *x = test_positions(sim, cloth);
        ck_assert_mem_eq(x, target, 3 * sizeof(double));
        ck_assert_mem_eq(x + 6, target + 3, 3 * sizeof(double));
        free(x);
    }
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(sim_freed_pins_fall) {
    static const int32_t pins[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    ToileSimDef def = plain_def();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(2, 1, 1);
    ToileClothId cloth = test_add(sim, &mesh, NULL, pins, 9);
    test_step(sim, 3);
    double *x = test_positions(sim, cloth);
    ck_assert_mem_eq(x, mesh.positions, 27 * sizeof(double));
    free(x);
    ASSERT_OK(toile_sim_set_pinned(sim, cloth, pins, 9, false, NULL));
    test_step(sim, 24);
    x = test_positions(sim, cloth);
    /* a second of free fall in 96 steps: h^2 g k (k + 1)/2 */
    ASSERT_RELATIVE(x[1], 1.0 - 9.81 * 96 * 97 / (2.0 * 96 * 96), 1e-9);
    free(x);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(sim_pin_requests_are_checked) {
    static const int32_t high[2] = {0, 9}, low[1] = {-1}, fine[2] = {1, 2};
    static const double targets[6] = {0, 0, 0, 0, 0, (double)NAN}, good[6] = {0};
    ToileSimDef def = plain_def();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(2, 1, 1);
    ToileClothId cloth = test_add(sim, &mesh, NULL, NULL, 0);
    ToileError error = toile_error_default();
    ck_assert_int_eq(toile_sim_set_pinned(sim, cloth, high, 2, true, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(error.vertex, 9);
    ck_assert_str_eq(error.object, "cloth");
    ck_assert_int_eq(toile_sim_set_pinned(sim, cloth, low, 1, true, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_set_pinned(sim, cloth, NULL, 1, true, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_set_pinned(sim, cloth, fine, -1, true, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_set_pin_targets(sim, cloth, fine, 2, good, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(error.vertex, 1);
    ASSERT_OK(toile_sim_set_pinned(sim, cloth, fine, 2, true, NULL));
    ASSERT_OK(toile_sim_set_pin_targets(sim, cloth, fine, 2, good, NULL));
    ck_assert_int_eq(toile_sim_set_pin_targets(sim, cloth, fine, 2, targets, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(error.vertex, 2);
    ck_assert_int_eq(toile_sim_set_pin_targets(sim, cloth, fine, 2, NULL, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(sim_isolated_vertex_stays) {
    static const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {5, 5, 5}, {0, 0, 1}};
    static const int32_t face[1][3] = {{0, 3, 1}};
    ToileSimDef def = plain_def();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = test_triangles(4, points, 1, face);
    ToileClothId cloth = test_add(sim, &mesh, NULL, NULL, 0);
    test_step(sim, 5);
    double *x = test_positions(sim, cloth);
    ck_assert_mem_eq(x + 6, points[2], 3 * sizeof(double));
    ck_assert_double_lt(x[1], -0.01);
    free(x);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- cancel and log ---- */

START_TEST(sim_cancel_leaves_the_last_complete_frame) {
    static const int32_t pins[1] = {0};
    Watch watch = {0};
    ToileSimDef def = plain_def();
    def.substeps = 4;
    def.start_frame = 10;
    def.progress = (ToileProgress){watch_progress, &watch};
    watch.sim = test_sim(&def);
    TestMesh mesh = level_patch(2, 1, 1);
    watch.cloth = test_add(watch.sim, &mesh, NULL, pins, 1);
    ToileError error = toile_error_default();
    test_step(watch.sim, 2);
    uint64_t hash = toile_sim_state_hash(watch.sim);
    watch.stop_at = watch.count + 3;
    ck_assert_int_eq(toile_sim_step(watch.sim, &error), TOILE_STATUS_CANCELLED);
    ck_assert_int_eq(error.status, TOILE_STATUS_CANCELLED);
    ck_assert_int_eq(error.frame, 13);
    ck_assert_int_eq(toile_sim_frame(watch.sim), 12);
    ck_assert_uint_eq(toile_sim_state_hash(watch.sim), hash);
    watch.stop_at = watch.count + 2;
    ck_assert_int_eq(toile_sim_settle(watch.sim, NULL, NULL, NULL), TOILE_STATUS_CANCELLED);
    ck_assert_uint_eq(toile_sim_state_hash(watch.sim), hash);
    /* and it goes on as if nothing had happened */
    watch.stop_at = -1;
    test_step(watch.sim, 1);
    uint64_t after = toile_sim_state_hash(watch.sim);
    toile_sim_destroy(watch.sim);
    watch.sim = test_sim(&def);
    watch.cloth = test_add(watch.sim, &mesh, NULL, pins, 1);
    test_step(watch.sim, 3);
    ck_assert_uint_eq(toile_sim_state_hash(watch.sim), after);
    toile_sim_destroy(watch.sim);
    test_mesh_free(&mesh);
}
END_TEST

typedef struct Log {
    int warnings;
    char last[512];
} Log;

static void write_log(void *user, ToileLogLevel level, const char *message) {
    Log *log = user;
    log->warnings += level == TOILE_LOG_WARNING;
    snprintf(log->last, sizeof log->last, "%s", message);
}

START_TEST(sim_log_receives_mesh_warnings) {
    static const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {5, 5, 5}, {0, 0, 1}};
    static const int32_t face[1][3] = {{0, 3, 1}};
    Log log = {0};
    ToileSimDef def = plain_def();
    def.log = (ToileLog){write_log, &log};
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = test_triangles(4, points, 1, face);
    test_add(sim, &mesh, NULL, NULL, 0);
    ck_assert_int_eq(log.warnings, 1);
    ck_assert_ptr_nonnull(strstr(log.last, "vertex 2"));
    ck_assert_ptr_null(strchr(log.last, '\n'));
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(sim_refused_definitions_name_the_value) {
    ToileSimDef def = plain_def();
    ToileSim *sim = test_sim(&def), *none = sim;
    ToileError error = toile_error_default();
    TestMesh mesh = level_patch(1, 1, 1);
    ToileMeshDef mesh_def = test_mesh_def(&mesh);
    ToileFabric fabric = toile_fabric_default();
    ToileClothDef cloth = toile_cloth_def_default();
    ToileColliderDef collider = toile_collider_def_default();
    def.fps = -3;
    ck_assert_int_eq(toile_sim_create(&def, &none, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_ptr_null(none);
    ck_assert_ptr_nonnull(strstr(error.message, "fps is -3"));
    def.fps = 24;
    def.integrator = TOILE_INTEGRATOR_EXPLICIT_EULER + 1;
    ck_assert_int_eq(toile_sim_create(&def, &none, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "integrator is 8; allowed are 0 to 7"));
    cloth.name = "skirt";
    cloth.mesh = &mesh_def;
    cloth.fabric = &fabric;
    fabric.density_kg_per_m2 = 0;
    ck_assert_int_eq(toile_sim_add_cloth(sim, &cloth, NULL, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "density_kg_per_m2 is 0"));
    ck_assert_str_eq(error.object, "skirt");
    fabric = toile_fabric_default();
    fabric.stretch_poisson = 1.0;
    ck_assert_int_eq(toile_sim_add_cloth(sim, &cloth, NULL, &error), TOILE_STATUS_INVALID_ARGUMENT);
    cloth.fabric = NULL;
    mesh.positions[4] = (double)NAN;
    ck_assert_int_eq(toile_sim_add_cloth(sim, &cloth, NULL, &error), TOILE_STATUS_INVALID_DATA);
    ck_assert_int_eq(error.vertex, 1);
    ck_assert_str_eq(error.object, "skirt");
    collider.radius_m = (double)NAN;
    ck_assert_int_eq(toile_sim_add_collider(sim, &collider, NULL, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_str_eq(error.object, "collider");
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

/* a frame of billions of sub-steps is either refused or begun, never passed over */
START_TEST(sim_very_low_frame_rate_never_skips_time) {
    Watch watch = {.stop_at = 1};
    ToileSimDef def = plain_def();
    def.fps = 2e-6;
    def.progress = (ToileProgress){watch_progress, &watch};
    ToileStatus status = toile_sim_create(&def, &watch.sim, NULL);
    if (status == TOILE_STATUS_OK) {
        TestMesh mesh = level_patch(1, 1, 1);
        watch.cloth = test_add(watch.sim, &mesh, NULL, NULL, 0);
        status = toile_sim_step(watch.sim, NULL);
        ck_assert_msg(status == TOILE_STATUS_CANCELLED, "a step without a sub-step answered %s",
                      toile_status_name(status));
        toile_sim_destroy(watch.sim);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* ---- memory ---- */

START_TEST(sim_all_memory_comes_from_the_allocator_and_goes_back) {
    TestMemory memory = {0};
    ToileSimDef def = plain_def();
    def.allocator = test_allocator(&memory);
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(5, 1, 1);
    ToileColliderDef sphere = toile_collider_def_default();
    ToileClothId cloth = test_add(sim, &mesh, NULL, NULL, 0);
    test_add(sim, &mesh, NULL, NULL, 0);
    add_collider(sim, &sphere);
    test_step(sim, 2);
    ASSERT_OK(toile_sim_remove_cloth(sim, cloth, NULL));
    test_step(sim, 1);
    ck_assert_int_gt(memory.live_blocks, 10);
    toile_sim_destroy(sim);
    ck_assert_int_eq(memory.live_blocks, 0);
    ck_assert_int_eq(memory.live_bytes, 0);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(sim_steps_allocate_nothing_after_the_first) {
    TestMemory memory = {0};
    ToileSimDef def = plain_def();
    def.allocator = test_allocator(&memory);
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(6, 1, 0.55);
    ToileColliderDef sphere = toile_collider_def_default();
    ToileColliderId id;
    test_add(sim, &mesh, NULL, NULL, 0);
    id = add_collider(sim, &sphere);
    test_step(sim, 2);
    int64_t before = memory.requests - test_stats(sim).contact_growths;
    for (int i = 0; i < 10; i++) {
        ToilePose pose = {{0.01 * i, 0, 0}, {0, 0.1 * i, 0}};
        ASSERT_OK(toile_sim_set_collider_pose(sim, id, &pose, NULL));
        test_step(sim, 1);
    }
    ASSERT_OK(toile_sim_settle(sim, NULL, NULL, NULL));
    /* but for lists of contact that grow, which are counted */
    ck_assert_int_eq(memory.requests - test_stats(sim).contact_growths, before);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- momentum ---- */

/* Linear momentum, and angular momentum about the origin, of velocities v at x. */
static void momenta(const TestModel *model, const double *x, const double *v, double p[3],
                    double L[3]) {
    int32_t n = model->rest.vertex_count;
    double *mv = test_alloc(3 * sizeof(double) * (size_t)n);
    for (int32_t i = 0; i < 3 * n; i++) {
        mv[i] = model->rest.mass[i / 3] * v[i];
    }
    test_resultants(x, mv, n, p, L);
    free(mv);
}

/* Linear momentum is kept. Implicit Euler keeps no angular momentum: with x+ = x + h v+ and forces
 * that have no torque at x+, L+ = L + h sum m v+ x v exactly, a loss of order h. */
START_TEST(sim_free_cloth_keeps_its_momentum) {
    TestRandom random = test_random(161);
    ToileSimDef def = test_exact_def(0.01);
    ToileFabric fabric = toile_fabric_default();
    TestMesh mesh = level_patch(4, 1, 0);
    TestModel model;
    ToileSim *sim = test_sim(&def);
    ToileClothId cloth = test_add(sim, &mesh, &fabric, NULL, 0);
    test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
    double v0[75], p0[3], L0[3], p1[3], L1[3], turn[3];
    for (int i = 0; i < 75; i++) {
        v0[i] = test_between(&random, -1, 1) + (i % 3 == 0 ? 2 : 0);
    }
    ASSERT_OK(toile_sim_set_velocities(sim, cloth, v0, NULL));
    for (int step = 0; step < 10; step++) {
        double *x = test_positions(sim, cloth), *v = test_velocities(sim, cloth);
        test_step(sim, 1);
        double *x1 = test_positions(sim, cloth), *v1 = test_velocities(sim, cloth);
        momenta(&model, x, v, p0, L0);
        momenta(&model, x1, v1, p1, L1);
        /* sum m v+ x v */
        momenta(&model, v1, v, p0, turn);
        momenta(&model, x, v, p0, L0);
        for (int i = 0; i < 3; i++) {
            ASSERT_NEAR(p1[i], p0[i], ROUNDING * 0.3);
            ASSERT_NEAR(L1[i], L0[i] + 0.01 * turn[i], 1e-10);
        }
        free(x);
        free(v);
        free(x1);
        free(v1);
    }
    toile_sim_destroy(sim);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* without load nothing adds energy, whatever the tolerance */
START_TEST(sim_free_cloth_gains_no_energy) {
    TestRandom random = test_random(162);
    for (int32_t quality = TOILE_QUALITY_FAST; quality <= TOILE_QUALITY_ACCURATE; quality++) {
        ToileSimDef def = plain_def();
        memset(def.gravity_m_per_s2, 0, sizeof def.gravity_m_per_s2);
        def.quality = quality;
        ToileSim *sim = test_sim(&def);
        TestMesh mesh = level_patch(6, 1, 0);
        ToileClothId cloth = test_add(sim, &mesh, NULL, NULL, 0);
        ToileEnergies energies = toile_energies_default();
        double v[147], last = (double)INFINITY;
        for (int i = 0; i < 147; i++) {
            v[i] = test_between(&random, -1, 1);
        }
        ASSERT_OK(toile_sim_set_velocities(sim, cloth, v, NULL));
        for (int frame = 0; frame < 20; frame++) {
            ASSERT_OK(toile_sim_get_energies(sim, &energies, NULL));
            double total = energies.stretch_J + energies.bend_J + energies.kinetic_J;
            ck_assert_msg(total <= last * (1 + 1e-3), "quality %d, frame %d: energy from %g to %g",
                          (int)quality, frame, last, total);
            last = total;
            test_step(sim, 1);
        }
        toile_sim_destroy(sim);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* ---- contact ---- */

/* Distance of x from a sphere of radius 0.2 at (0, 0.2, 0), the plane y = 0, or a box of half size
 * 0.15 at (0, 0.15, 0). */
static double distance_to(ToileColliderShape shape, const double *x) {
    if (shape == TOILE_COLLIDER_SPHERE) {
        return sqrt(x[0] * x[0] + (x[1] - 0.2) * (x[1] - 0.2) + x[2] * x[2]) - 0.2;
    }
    if (shape == TOILE_COLLIDER_PLANE) {
        return x[1];
    }
    return fmax(fabs(x[0]), fmax(fabs(x[1] - 0.15), fabs(x[2]))) - 0.15;
}

static void drop_on(ToileColliderShape shape) {
    ToileSimDef def = plain_def();
    ToileColliderDef collider = toile_collider_def_default();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(10, 0.6, 0.6);
    ToileClothId cloth = test_add(sim, &mesh, NULL, NULL, 0);
    collider.shape = shape;
    collider.center_m[1] = shape == TOILE_COLLIDER_SPHERE ? 0.2
                           : shape == TOILE_COLLIDER_BOX  ? 0.15
                                                          : 0.0;
    collider.radius_m = 0.2;
    collider.half_m[0] = collider.half_m[1] = collider.half_m[2] = 0.15;
    add_collider(sim, &collider);
    int32_t touched = 0;
    for (int frame = 0; frame < 24; frame++) {
        test_step(sim, 1);
        double *x = test_positions(sim, cloth);
        for (int32_t v = 0; v < mesh.vertex_count; v++) {
            double d = distance_to(shape, x + 3 * v);
            ck_assert_msg(d > 0.0, "frame %d: vertex %d is %g m inside", frame, (int)v, -d);
        }
        ck_assert_double_eq(test_stats(sim).penetration_max_m, 0.0);
        touched += test_stats(sim).contacts > 0;
        free(x);
    }
    ck_assert_int_gt(touched, 5);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}

START_TEST(sim_dropped_on_a_sphere_stays_outside) {
    drop_on(TOILE_COLLIDER_SPHERE);
}
END_TEST

START_TEST(sim_dropped_on_a_plane_stays_outside) {
    drop_on(TOILE_COLLIDER_PLANE);
}
END_TEST

START_TEST(sim_dropped_on_a_box_stays_outside) {
    drop_on(TOILE_COLLIDER_BOX);
}
END_TEST

/* A small stiff patch resting on the plane y = 0 with friction mu, under gravity of the given
 * direction. */
static ToileSim *patch_on_plane(int32_t quality, double mu, double gx, double gy, TestMesh *mesh,
                                ToileClothId *cloth, ToileColliderId *plane) {
    ToileSimDef def = plain_def();
    ToileFabric fabric = test_fabric(5000, 5000, 2500, 0, 1e-4);
    ToileColliderDef collider = toile_collider_def_default();
    def.quality = quality;
    def.gravity_m_per_s2[0] = gx;
    def.gravity_m_per_s2[1] = gy;
    ToileSim *sim = test_sim(&def);
    /* contact distance 1.5 mm; start just inside it */
    *mesh = level_patch(4, 0.1, 0.00145);
    *cloth = test_add(sim, mesh, &fabric, NULL, 0);
    collider.shape = TOILE_COLLIDER_PLANE;
    collider.friction = mu;
    *plane = add_collider(sim, &collider);
    return sim;
}

static double mean_of(const double *values, int32_t count, int axis) {
    double sum = 0.0;
    for (int32_t v = 0; v < count; v++) {
        sum += values[3 * v + axis] / count;
    }
    return sum;
}

START_TEST(sim_moving_collider_carries_cloth_by_friction) {
    TestMesh mesh;
    ToileClothId cloth;
    ToileColliderId plane;
    ToileSim *sim = patch_on_plane(TOILE_QUALITY_STANDARD, 0.6, 0, -9.81, &mesh, &cloth, &plane);
    double *start = test_positions(sim, cloth), at = 0.0;
    test_step(sim, 6);
    /* 2 m/s^2 for a third of a second is below 0.6 g, then an even ride */
    for (int frame = 1; frame <= 24; frame++) {
        double t = frame / 24.0;
        at = frame <= 8 ? t * t : 1.0 / 9 + (t - 1.0 / 3) * 2.0 / 3;
        ToilePose pose = {{at, 0, 0}, {0, 0, 0}};
        ASSERT_OK(toile_sim_set_collider_pose(sim, plane, &pose, NULL));
        test_step(sim, 1);
    }
    double *x = test_positions(sim, cloth);
    double moved = mean_of(x, mesh.vertex_count, 0) - mean_of(start, mesh.vertex_count, 0);
    /* sticking creeps by less than the smoothing speed of friction, 5e-5 m/s, and a little at each
     * change of speed */
    ASSERT_NEAR(moved, at, 0.01 * at);
    free(x);
    free(start);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

/* Speed and way of the patch after a second on an incline, told by tilting gravity. */
static void slide(int32_t quality, double mu, double degrees, double *speed, double *way) {
    double angle = degrees * atan(1.0) / 45;
    TestMesh mesh;
    ToileClothId cloth;
    ToileColliderId plane;
    ToileSim *sim =
        patch_on_plane(quality, mu, 9.81 * sin(angle), -9.81 * cos(angle), &mesh, &cloth, &plane);
    double *start = test_positions(sim, cloth);
    test_step(sim, 24);
    double *x = test_positions(sim, cloth), *v = test_velocities(sim, cloth);
    *way = mean_of(x, mesh.vertex_count, 0) - mean_of(start, mesh.vertex_count, 0);
    *speed = mean_of(v, mesh.vertex_count, 0);
    free(start);
    free(x);
    free(v);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}

/* tan 16.7 degrees = 0.3 */
START_TEST(sim_patch_sticks_below_the_friction_angle) {
    double speed, way;
    for (int32_t quality = TOILE_QUALITY_FAST; quality <= TOILE_QUALITY_ACCURATE; quality++) {
        for (double degrees = 5; degrees <= 15; degrees += 5) {
            slide(quality, 0.3, degrees, &speed, &way);
            ck_assert_msg(fabs(way) < 1e-3 && fabs(speed) < 1e-3,
                          "at %g degrees it slid %g m and runs at %g m/s", degrees, way, speed);
        }
    }
}
END_TEST

/* a = g (sin - mu cos), to 5 % at every quality */
START_TEST(sim_patch_slides_above_the_friction_angle) {
    double speed, way;
    for (int32_t quality = TOILE_QUALITY_ACCURATE; quality >= TOILE_QUALITY_FAST; quality--) {
        for (double degrees = 20; degrees <= 40; degrees += 10) {
            double angle = degrees * atan(1.0) / 45, a = 9.81 * (sin(angle) - 0.3 * cos(angle));
            slide(quality, 0.3, degrees, &speed, &way);
            ASSERT_RELATIVE(speed, a, 0.05);
            ASSERT_RELATIVE(way, 0.5 * a, 0.05);
        }
    }
}
END_TEST

START_TEST(sim_patch_without_friction_slides_freely) {
    double speed, way;
    slide(TOILE_QUALITY_STANDARD, 0.0, 30, &speed, &way);
    ASSERT_RELATIVE(speed, 0.5 * 9.81, 1e-3);
}
END_TEST

/* ---- settle ---- */

START_TEST(sim_settle_residual_is_honest) {
    static const int32_t pins[2] = {0, 6};
    ToileSimDef def = plain_def();
    ToileSettleResult result = toile_settle_result_default();
    ToileFabric fabric = toile_fabric_default();
    TestMesh mesh = level_patch(6, 0.5, 1);
    TestModel model;
    ToileSim *sim = test_sim(&def);
    ToileClothId cloth = test_add(sim, &mesh, &fabric, pins, 2);
    double force[147], sum = 0.0, load = 0.0, largest = 0.0;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
    ASSERT_OK(toile_sim_settle(sim, NULL, &result, NULL));
    ck_assert_int_eq(result.converged, 1);
    ck_assert_double_le(result.residual, 1e-6);
    ASSERT_OK(toile_sim_get_internal_forces(sim, cloth, force, NULL));
    for (int32_t v = 0; v < 49; v++) {
        double weight = model.rest.mass[v] * 9.81, f2 = 0.0;
        if (v == 0 || v == 6) {
            continue;
        }
        force[3 * v + 1] -= weight;
        for (int i = 0; i < 3; i++) {
            f2 += force[3 * v + i] * force[3 * v + i];
        }
        sum += f2;
        largest = fmax(largest, sqrt(f2));
        load += weight * weight;
    }
    /* recomputed from public numbers; forces of 1e-2 N cancel down to 1e-8 */
    ASSERT_RELATIVE(result.residual, sqrt(sum / load), 1e-3);
    ASSERT_RELATIVE(result.largest_force_N, largest, 1e-3);
    double *v = test_velocities(sim, cloth);
    ck_assert_double_eq(test_largest(v, 147), 0.0);
    ck_assert_int_eq(toile_sim_frame(sim), 1);
    free(v);
    toile_sim_destroy(sim);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* a settled cloth stays where it is when time runs on */
START_TEST(sim_settled_cloth_rests_in_time) {
    static const int32_t pins[2] = {0, 6};
    ToileSimDef def = plain_def();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(6, 0.5, 1);
    ToileClothId cloth = test_add(sim, &mesh, NULL, pins, 2);
    ASSERT_OK(toile_sim_settle(sim, NULL, NULL, NULL));
    double *before = test_positions(sim, cloth);
    test_step(sim, 5);
    double *x = test_positions(sim, cloth);
    for (int32_t i = 0; i < 147; i++) {
        /* 1e-6 of the load over soft modes, and two Newton steps a sub-step */
        ASSERT_NEAR(x[i], before[i], 1e-5);
    }
    free(before);
    free(x);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(sim_settle_stops_at_its_limit_and_says_so) {
    static const int32_t pins[2] = {0, 6};
    ToileSimDef def = plain_def();
    ToileSettleDef settle = toile_settle_def_default();
    ToileSettleResult result = toile_settle_result_default();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(6, 0.5, 1);
    test_add(sim, &mesh, NULL, pins, 2);
    settle.max_iterations = 3;
    ASSERT_OK(toile_sim_settle(sim, &settle, &result, NULL));
    ck_assert_int_eq(result.converged, 0);
    ck_assert_int_le(result.iterations, 3);
    ck_assert_double_gt(result.residual, 1e-6);
    settle.max_iterations = 0;
    ck_assert_int_eq(toile_sim_settle(sim, &settle, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    settle.max_iterations = 10;
    settle.tolerance = (double)NAN;
    ck_assert_int_eq(toile_sim_settle(sim, &settle, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(sim_settle_of_an_unheld_cloth_is_refused) {
    ToileSimDef def = plain_def();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(3, 0.5, 1);
    test_add(sim, &mesh, NULL, NULL, 0);
    uint64_t hash = toile_sim_state_hash(sim);
    ToileError error = toile_error_default();
    ck_assert_int_eq(toile_sim_settle(sim, NULL, NULL, &error), TOILE_STATUS_DIVERGED);
    ck_assert_uint_eq(toile_sim_state_hash(sim), hash);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- extreme states ---- */

/* Whatever comes in, the state that comes out is finite, and untouched when the step is refused. */
static void try_speed(double speed, int32_t quality) {
    TestRandom random = test_random((uint64_t)(170 + quality));
    ToileSimDef def = plain_def();
    def.quality = quality;
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(4, 1, 1);
    ToileColliderDef sphere = toile_collider_def_default();
    ToileClothId cloth = test_add(sim, &mesh, NULL, NULL, 0);
    double v[75];
    add_collider(sim, &sphere);
    for (int i = 0; i < 75; i++) {
        v[i] = test_between(&random, -speed, speed);
    }
    ASSERT_OK(toile_sim_set_velocities(sim, cloth, v, NULL));
    for (int frame = 0; frame < 3; frame++) {
        uint64_t before = toile_sim_state_hash(sim);
        ToileStatus status = toile_sim_step(sim, NULL);
        ck_assert_msg(status == TOILE_STATUS_OK || status == TOILE_STATUS_DIVERGED, "%s",
                      toile_status_name(status));
        ck_assert(status == TOILE_STATUS_OK || toile_sim_state_hash(sim) == before);
        double *x = test_positions(sim, cloth), *after = test_velocities(sim, cloth);
        expect_finite(x, 75);
        expect_finite(after, 75);
        free(x);
        free(after);
    }
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}

START_TEST(sim_extreme_speeds_never_give_nan) {
    static const double speeds[] = {1e3, 1e6, 1e20, 1e60, 1e100, 1e150, 1e200, 1e300};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        for (int32_t quality = TOILE_QUALITY_FAST; quality <= TOILE_QUALITY_ACCURATE; quality++) {
            try_speed(speeds[i], quality);
        }
    }
}
END_TEST

/* halved sub-steps are counted, and the frame number moves on only when the frame was completed */
START_TEST(sim_diverging_step_says_at_which_frame) {
    ToileSimDef def = plain_def();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(2, 1, 1);
    ToileClothId cloth = test_add(sim, &mesh, NULL, NULL, 0);
    ToileError error = toile_error_default();
    double v[27];
    for (int i = 0; i < 27; i++) {
        v[i] = i % 2 == 0 ? 1e300 : -1e300;
    }
    ASSERT_OK(toile_sim_set_velocities(sim, cloth, v, NULL));
    ck_assert_int_eq(toile_sim_step(sim, &error), TOILE_STATUS_DIVERGED);
    ck_assert_int_eq(error.frame, 2);
    ck_assert_int_eq(toile_sim_frame(sim), 1);
    ck_assert_int_gt(test_stats(sim).retries, 0);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(sim_states_that_are_not_finite_are_refused) {
    ToileSimDef def = plain_def();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = level_patch(1, 1, 1);
    ToileClothId cloth = test_add(sim, &mesh, NULL, NULL, 0);
    ToileError error = toile_error_default();
    double bad[12] = {0, 0, 0, 0, 0, 0, 0, (double)INFINITY, 0, 0, 0, 0};
    uint64_t hash = toile_sim_state_hash(sim);
    ck_assert_int_eq(toile_sim_set_positions(sim, cloth, bad, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(error.vertex, 2);
    ck_assert_int_eq(toile_sim_set_velocities(sim, cloth, bad, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_uint_eq(toile_sim_state_hash(sim), hash);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

TEST_MAIN("sim", sim_removed_cloth_is_a_stale_id, sim_null_and_foreign_ids_are_stale,
          sim_removed_collider_is_a_stale_id_and_gone, sim_many_cloths_and_colliders_keep_their_ids,
          sim_removing_a_cloth_keeps_the_others, sim_without_cloth_steps_and_settles,
          sim_pins_stay_bit_for_bit, sim_pins_travel_evenly_to_their_targets,
          sim_pins_go_with_a_collider_that_turns, sim_pins_arrive_bit_for_bit, sim_freed_pins_fall,
          sim_pin_requests_are_checked, sim_isolated_vertex_stays,
          sim_cancel_leaves_the_last_complete_frame, sim_log_receives_mesh_warnings,
          sim_refused_definitions_name_the_value, sim_very_low_frame_rate_never_skips_time,
          sim_all_memory_comes_from_the_allocator_and_goes_back,
          sim_steps_allocate_nothing_after_the_first, sim_free_cloth_keeps_its_momentum,
          sim_free_cloth_gains_no_energy, sim_dropped_on_a_sphere_stays_outside,
          sim_dropped_on_a_plane_stays_outside, sim_dropped_on_a_box_stays_outside,
          sim_moving_collider_carries_cloth_by_friction, sim_patch_sticks_below_the_friction_angle,
          sim_patch_slides_above_the_friction_angle, sim_patch_without_friction_slides_freely,
          sim_settle_residual_is_honest, sim_settled_cloth_rests_in_time,
          sim_settle_stops_at_its_limit_and_says_so, sim_settle_of_an_unheld_cloth_is_refused,
          sim_extreme_speeds_never_give_nan, sim_diverging_step_says_at_which_frame,
          sim_states_that_are_not_finite_are_refused)
