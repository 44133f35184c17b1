/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of a frame: energies, momenta, percentiles, rescues, times. */
#include "support/builders.h"
#include "toile/draft.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 6, VERTICES = (CELLS + 1) * (CELLS + 1) };

/* sums over a few dozen vertices */
#define ROUNDING 1e-12
#define DENSITY_KG_PER_M2 0.15

static ToileSim *sheet(const ToileSimDef *def, double height, const int32_t *pins, int32_t count,
                       ToileClothId *cloth) {
    TestMesh mesh = test_grid(CELLS, CELLS, 0.6, 0.6, TEST_DIAGONAL_NONE);
    test_lay_flat(&mesh, height);
    ToileSim *sim = test_sim(def);
    *cloth = test_add(sim, &mesh, NULL, pins, count);
    test_mesh_free(&mesh);
    return sim;
}

/* ---- energy and momentum ---- */

START_TEST(stats_energies_are_those_of_the_state) {
    static const int32_t pins[2] = {0, CELLS};
    ToileSimDef def = toile_sim_def_default();
    ToileEnergies energies = toile_energies_default();
    ToileClothId cloth;
    ToileSim *sim = sheet(&def, 1.0, pins, 2, &cloth);
    test_step(sim, 5);
    ToileStats stats = test_stats(sim);
    ASSERT_OK(toile_sim_get_energies(sim, &energies, NULL));
    ck_assert_double_eq(stats.kinetic_J, energies.kinetic_J);
    ck_assert_double_eq(stats.gravity_J, energies.gravity_J);
    ck_assert_double_eq(stats.stretch_J, energies.stretch_J);
    ck_assert_double_eq(stats.bend_J, energies.bend_J);
    ck_assert_double_gt(stats.stretch_J, 0.0);
    ck_assert_double_gt(stats.bend_J, 0.0);
    ASSERT_RELATIVE(stats.energy_J,
                    stats.kinetic_J + stats.gravity_J + stats.stretch_J + stats.bend_J, ROUNDING);
    toile_sim_destroy(sim);
}
END_TEST

/* By hand: centre of mass, momentum, and angular momentum about that centre. */
static void momenta(ToileSim *sim, ToileClothId cloth, double c[3], double p[3], double L[3]) {
    double areas[VERTICES], mass = 0.0, mv[3 * VERTICES], origin[3];
    double *x = test_positions(sim, cloth), *v = test_velocities(sim, cloth);
    ASSERT_OK(toile_sim_get_vertex_areas(sim, cloth, areas, NULL));
    memset(c, 0, 3 * sizeof *c);
    for (int32_t i = 0; i < 3 * VERTICES; i++) {
        double m = DENSITY_KG_PER_M2 * areas[i / 3];
        mass += i % 3 == 0 ? m : 0.0;
        c[i % 3] += m * x[i];
        mv[i] = m * v[i];
    }
    test_resultants(x, mv, VERTICES, p, origin);
    for (int i = 0; i < 3; i++) {
        c[i] /= mass;
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        L[i] = origin[i] - (c[j] * p[k] - c[k] * p[j]);
    }
    free(x);
    free(v);
}

START_TEST(stats_momenta_are_those_of_the_state) {
    ToileSimDef def = toile_sim_def_default();
    ToileClothId cloth;
    TestRandom random = test_random(71);
    ToileSim *sim = sheet(&def, 10.0, NULL, 0, &cloth);
    double v[3 * VERTICES], c[3], p[3], L[3];
    for (int32_t i = 0; i < 3 * VERTICES; i++) {
        v[i] = test_between(&random, -1, 1);
    }
    ASSERT_OK(toile_sim_set_velocities(sim, cloth, v, NULL));
    test_step(sim, 3);
    ToileStats stats = test_stats(sim);
    momenta(sim, cloth, c, p, L);
    for (int i = 0; i < 3; i++) {
        ASSERT_NEAR(stats.center_m[i], c[i], 10.0 * ROUNDING);
        ASSERT_NEAR(stats.momentum_kg_m_per_s[i], p[i], ROUNDING);
        ASSERT_NEAR(stats.angular_momentum_kg_m2_per_s[i], L[i], 10.0 * ROUNDING);
    }
    ck_assert_double_gt(fabs(L[0]) + fabs(L[1]) + fabs(L[2]), 1e-4);
    toile_sim_destroy(sim);
}
END_TEST

/* a sheet in free fall: momentum grows by weight times time, and nothing turns, wherever it is */
START_TEST(stats_momenta_of_free_fall) {
    static const double heights[2] = {0.0, 1000.0};
    for (int i = 0; i < 2; i++) {
        ToileSimDef def = toile_sim_def_default();
        ToileClothId cloth;
        ToileSim *sim = sheet(&def, heights[i], NULL, 0, &cloth);
        test_step(sim, 12);
        ToileStats stats = test_stats(sim);
        double weight = 0.36 * DENSITY_KG_PER_M2 * 9.81;
        ASSERT_RELATIVE(stats.momentum_kg_m_per_s[1], -0.5 * weight, 1e-9);
        for (int k = 0; k < 3; k++) {
            ASSERT_NEAR(stats.angular_momentum_kg_m2_per_s[k], 0.0, 1e-9);
        }
        toile_sim_destroy(sim);
    }
}
END_TEST

/* ---- stretch ---- */

/* a row of cells, all held, the k-th stretched by k per cent; the order does not matter */
START_TEST(stats_percentiles_of_stretch) {
    enum { N = 101 };
    static const double step = 0.01;
    TestRandom random = test_random(72);
    ToileSimDef def = toile_sim_def_default();
    TestMesh mesh = test_grid(N, 1, N * step, step, TEST_DIAGONAL_NONE);
    int32_t order[N], pins[2 * (N + 1)];
    for (int32_t i = 0; i < N; i++) {
        order[i] = i;
    }
    test_shuffle(&random, order, N);
    double start[6 * (N + 1)], at = 0.0;
    for (int32_t i = 0; i <= N; i++) {
        for (int32_t row = 0; row < 2; row++) {
            int32_t v = row * (N + 1) + i;
            pins[v] = v;
            start[3 * v] = at;
            start[3 * v + 1] = row * step;
            start[3 * v + 2] = 0.0;
        }
        at += i < N ? step * (1.0 + 0.01 * order[i]) : 0.0;
    }
    ToileMeshDef mesh_def = test_mesh_def(&mesh);
    ToileClothDef cloth = toile_cloth_def_default();
    cloth.mesh = &mesh_def;
    cloth.start_positions_m = start;
    cloth.pin_vertices = pins;
    cloth.pin_count = 2 * (N + 1);
    ToileSim *sim = test_sim(&def);
    ASSERT_OK(toile_sim_add_cloth(sim, &cloth, NULL, NULL));
    test_step(sim, 1);
    ToileStats stats = test_stats(sim);
    ASSERT_NEAR(stats.stretch_p50, 1.50, 100.0 * ROUNDING);
    ASSERT_NEAR(stats.stretch_p90, 1.90, 100.0 * ROUNDING);
    ASSERT_NEAR(stats.stretch_p99, 1.99, 100.0 * ROUNDING);
    ASSERT_NEAR(stats.stretch_max, 2.00, 100.0 * ROUNDING);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- work ---- */

static void add_plate(ToileSim *sim, double y) {
    ToileColliderDef plate = toile_collider_def_default();
    plate.shape = TOILE_COLLIDER_BOX;
    plate.half_m[0] = plate.half_m[2] = 2.0;
    plate.half_m[1] = 0.005;
    plate.center_m[1] = y;
    ASSERT_OK(toile_sim_add_collider(sim, &plate, NULL, NULL));
}

/* a sheet that falls on a thin plate: easy in the air, shortened and solved longer at the impact */
START_TEST(stats_count_every_rescue) {
    ToileSimDef def = toile_sim_def_default();
    ToileClothId cloth;
    ToileSim *sim = sheet(&def, 1.0, NULL, 0, &cloth);
    int32_t shortened = 0, easy = 0;
    add_plate(sim, 0.0);
    for (int frame = 0; frame < 14; frame++) {
        test_step(sim, 1);
        ToileStats stats = test_stats(sim);
        ck_assert_int_eq(stats.substeps_planned, 4);
        ck_assert_int_eq(stats.rescues, stats.substeps_added + stats.substeps_shortened +
                                            stats.retries + stats.newton_rescues);
        ck_assert_int_ge(stats.substeps, stats.substeps_planned);
        ck_assert_int_eq(stats.substeps > stats.substeps_planned,
                         stats.substeps_shortened + stats.retries > 0);
        shortened += stats.substeps_shortened;
        easy += stats.rescues == 0;
    }
    ck_assert_int_gt(shortened, 0);
    ck_assert_int_gt(easy, 8);
    toile_sim_destroy(sim);
}
END_TEST

START_TEST(stats_of_an_explicit_integrator) {
    static const int32_t pins[2] = {0, CELLS};
    ToileSimDef def = toile_sim_def_default();
    ToileClothId cloth;
    def.integrator = TOILE_INTEGRATOR_SYMPLECTIC_EULER;
    ToileSim *sim = sheet(&def, 1.0, pins, 2, &cloth);
    test_step(sim, 2);
    ToileStats stats = test_stats(sim);
    ck_assert_int_gt(stats.substeps_added, 0);
    ck_assert_int_eq(stats.substeps_planned, 4 + stats.substeps_added);
    ck_assert_int_eq(stats.substeps, stats.substeps_planned);
    ck_assert_int_eq(stats.rescues, stats.substeps_added);
    ck_assert_int_eq(stats.newton_iterations, 0);
    ck_assert_double_eq(stats.newton_step_m, 0.0);
    ck_assert_double_eq(stats.linear_s + stats.search_s, 0.0);
    toile_sim_destroy(sim);
}
END_TEST

/* the solver says how far it got */
START_TEST(stats_residuals_follow_the_tolerances) {
    static const int32_t pins[2] = {0, CELLS};
    ToileSimDef def = toile_sim_def_default();
    ToileClothId cloth;
    def.tolerance_m = 1e-7;
    def.linear_tolerance = 1e-5;
    ToileSim *sim = sheet(&def, 1.0, pins, 2, &cloth);
    test_step(sim, 4);
    ToileStats stats = test_stats(sim);
    ck_assert_double_le(stats.newton_step_m, 1e-7);
    ck_assert_double_gt(stats.linear_residual, 0.0);
    ck_assert_double_le(stats.linear_residual, 1e-5);
    toile_sim_destroy(sim);
}
END_TEST

/* ---- time and determinism ---- */

static void expect_times(const ToileStats *stats) {
    double stages = stats->assembly_s + stats->linear_s + stats->search_s + stats->contact_s;
    ck_assert_double_ge(stats->assembly_s, 0.0);
    ck_assert_double_ge(stats->linear_s, 0.0);
    ck_assert_double_ge(stats->search_s, 0.0);
    ck_assert_double_ge(stats->contact_s, 0.0);
    ck_assert_double_gt(stats->total_s, 0.0);
    ck_assert_double_le(stages, stats->total_s * (1.0 + ROUNDING));
}

START_TEST(stats_stages_are_parts_of_the_whole) {
    static const int32_t pins[2] = {0, CELLS};
    for (int32_t method = 0; method <= TOILE_INTEGRATOR_RK4; method++) {
        ToileSimDef def = toile_sim_def_default();
        ToileClothId cloth;
        def.integrator = method;
        ToileSim *sim = sheet(&def, 1.0, pins, 2, &cloth);
        add_plate(sim, 0.9);
        test_step(sim, 2);
        ToileStats stats = test_stats(sim);
        expect_times(&stats);
        ck_assert_double_gt(stats.assembly_s, 0.0);
        ck_assert_double_gt(stats.contact_s, 0.0);
        ASSERT_OK(toile_sim_settle(sim, NULL, NULL, NULL));
        stats = test_stats(sim);
        ck_assert_int_gt(stats.newton_iterations, 0);
        ck_assert_int_eq(stats.rescues, 0);
        expect_times(&stats);
        toile_sim_destroy(sim);
    }
}
END_TEST

/* all but the seconds, which are last, and no part of the state */
START_TEST(stats_are_the_same_for_any_workers) {
    static const int32_t pins[2] = {0, CELLS};
    ToileStats first = toile_stats_default();
    uint64_t hash = 0;
    for (int32_t workers = 1; workers <= 3; workers++) {
        ToileSimDef def = toile_sim_def_default();
        ToileClothId cloth;
        def.threads = workers;
        ToileSim *sim = sheet(&def, 1.0, pins, 2, &cloth);
        add_plate(sim, 0.7);
        test_step(sim, 8);
        ToileStats stats = test_stats(sim);
        first = workers == 1 ? stats : first;
        hash = workers == 1 ? toile_sim_state_hash(sim) : hash;
        ck_assert_mem_eq(&stats, &first, offsetof(ToileStats, total_s));
        ck_assert_uint_eq(toile_sim_state_hash(sim), hash);
        toile_sim_destroy(sim);
    }
}
END_TEST

START_TEST(stats_of_nothing) {
    ToileSimDef def = toile_sim_def_default();
    ToileSim *sim = test_sim(&def);
    test_step(sim, 1);
    ToileStats stats = test_stats(sim);
    ck_assert_int_eq(stats.rescues, 0);
    ck_assert_double_eq(stats.energy_J, 0.0);
    ck_assert_double_eq(stats.stretch_max, 0.0);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq(stats.center_m[i], 0.0);
    }
    toile_sim_destroy(sim);
}
END_TEST

TEST_MAIN("stats", stats_energies_are_those_of_the_state, stats_momenta_are_those_of_the_state,
          stats_momenta_of_free_fall, stats_percentiles_of_stretch, stats_count_every_rescue,
          stats_of_an_explicit_integrator, stats_residuals_follow_the_tolerances,
          stats_stages_are_parts_of_the_whole, stats_are_the_same_for_any_workers, stats_of_nothing)
