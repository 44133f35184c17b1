/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The stable step of explicit integrators: eigenvalues, bounds, sub-steps, warnings, refusal. */
#include "force/bend_linear.h"
#include "force/stretch_stvk.h"
#include "solve/stability.h"
#include "support/builders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Fixture {
    TestMesh mesh;
    TestModel model;
    TlPool *pool;
    TlSystem system;
    int32_t n; /* 3 per vertex */
    double *x;
} Fixture;

static void set_up(Fixture *f, TestMesh mesh, const ToileFabric *fabric) {
    memset(f, 0, sizeof *f);
    f->mesh = mesh;
    test_model(&f->mesh, fabric, TOILE_PATTERN_NONE, &f->model);
    f->pool = tl_pool_create(1, NULL);
    ck_assert(tl_system_build(&f->model.arena, &f->model.model, f->pool, &f->system));
    f->n = 3 * f->mesh.vertex_count;
    f->x = test_alloc(sizeof(double) * (size_t)f->n);
    memcpy(f->x, f->mesh.positions, sizeof(double) * (size_t)f->n);
}

static void tear_down(Fixture *f) {
    free(f->x);
    tl_pool_destroy(f->pool);
    test_model_free(&f->model);
    test_mesh_free(&f->mesh);
}

/* Largest eigenvalue of M^-1 (stretch + bend * `bend`) on the free vertices, densely. */
static double dense_largest(const Fixture *f, double bend) {
    int32_t n = f->n;
    size_t size = sizeof(double) * (size_t)n * (size_t)n;
    double *H = test_alloc(size), *B = test_alloc(size), *values = test_alloc(sizeof(double) * n);
    double largest = 0.0;
    TlElements stretch = tl_stretch_stvk(&f->model.model), linear = tl_bend_linear(&f->model.model);
    TlPoint at = {f->x, NULL, 0.0};
    test_hessian(&stretch, &at, H);
    test_hessian(&linear, &at, B);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            double m = sqrt(f->model.rest.mass[i / 3] * f->model.rest.mass[j / 3]);
            bool out = f->system.fixed[i / 3] || f->system.fixed[j / 3];
            H[i * n + j] = out ? 0.0 : (H[i * n + j] + bend * B[i * n + j]) / m;
        }
    }
    test_eigenvalues(H, n, values);
    for (int32_t i = 0; i < n; i++) {
        largest = fmax(largest, values[i]);
    }
    free(H);
    free(B);
    free(values);
    return largest;
}

/* from below, within the part that the margin leaves room for */
START_TEST(stability_eigenvalue_is_close_and_never_above) {
    TestRandom random = test_random(190);
    for (int trial = 0; trial < 6; trial++) {
        ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, trial % 2 == 0 ? 1e-3 : 0.5);
        Fixture f;
        set_up(&f, test_jittered(5, 4, &random), &fabric);
        free(f.x);
        f.x = test_deformed(&f.mesh, &random, trial > 2 ? 0.02 : 0.0);
        f.system.fixed[3] = trial > 3;
        double want = dense_largest(&f, 1.0), got = tl_largest_eigenvalue(&f.system, f.x, 0.0, 0.0);
        ck_assert_msg(got <= want * (1 + 1e-9) && got > 0.97 * want, "%g, dense %g", got, want);
        want = dense_largest(&f, -1.0);
        got = tl_largest_eigenvalue(&f.system, f.x, 0.0, 2.0);
        ck_assert_msg(got <= want * (1 + 1e-9) && got > 0.97 * want, "less bending: %g, dense %g",
                      got, want);
        tear_down(&f);
    }
}
END_TEST

/* larger meshes, against the numbers of infinite ones: 8.3 k/(rho a^2) for stretch with nu = 0, 64
 * D/(rho a^4) for bending, single diagonals; free edges may exceed them */
START_TEST(stability_eigenvalue_of_grids) {
    double a = 0.02;
    ToileFabric soft = test_fabric(1000, 1000, 500, 0, 1e-12);
    ToileFabric stiff = test_fabric(1e-9, 1e-9, 5e-10, 0, 0.01);
    Fixture f;
    set_up(&f, test_grid(30, 30, 30 * a, 30 * a, TEST_DIAGONAL_SINGLE), &soft);
    double k = tl_largest_eigenvalue(&f.system, f.x, 0.0, 0.0) * 0.15 * a * a / 1000;
    ck_assert_msg(k > 0.95 * 8.3 && k < 2 * 8.3, "stretch: %g", k);
    tear_down(&f);
    set_up(&f, test_grid(30, 30, 30 * a, 30 * a, TEST_DIAGONAL_SINGLE), &stiff);
    k = tl_largest_eigenvalue(&f.system, f.x, 0.0, 0.0) * 0.15 * a * a * a * a / 0.01;
    ck_assert_msg(k > 0.95 * 64 && k < 2 * 64, "bending: %g", k);
    /* with bending implicit nothing bounds the step */
    ck_assert_double_lt(
        tl_largest_eigenvalue(&f.system, f.x, 0.0, 2.0) * 0.15 * a * a * a * a / 0.01, 1e-3);
    tear_down(&f);
}
END_TEST

/* Growth of a tiny disturbance of the state at rest over so many steps. */
static double growth(Fixture *f, int32_t method, const TlExternal *external, double h,
                     int32_t steps) {
    TestRandom random = test_random(191);
    TlIntegration work;
    size_t size = sizeof(double) * (size_t)f->n;
    double *x = test_alloc(size), *v = test_alloc(size), *past = test_alloc(2 * size);
    TlHistory history = {past, past + f->n, 0.0};
    TlContacts none = {0};
    const TlIntegrator *integrator = tl_integrator(method);
    ck_assert(tl_integration_build(&f->model.arena, &f->system, integrator, &history, &work));
    memcpy(x, f->x, size);
    for (int32_t i = 0; i < f->n; i++) {
        v[i] = f->system.fixed[i / 3] ? 0.0 : 1e-8 * test_between(&random, -1, 1);
    }
    TlStep step = {.x = x, .v = v, .pin_target = f->x, .dt_s = h, .external = *external};
    double first = 0.0, most = 0.0;
    for (int32_t k = 0; k < steps; k++) {
        if (!integrator->step(&f->system, &none, &step, &work).ok) {
            most = (double)INFINITY;
            break;
        }
        most = fmax(most, test_largest(v, f->n));
        first = k < 50 ? most : first;
    }
    free(x);
    free(v);
    free(past);
    return most / first;
}

/* Bounds are sharp: a little below a disturbance stays small, a little above it explodes. */
START_TEST(stability_bounds_are_those_of_the_methods) {
    static const int32_t methods[4] = {TOILE_INTEGRATOR_SYMPLECTIC_EULER, TOILE_INTEGRATOR_VERLET,
                                       TOILE_INTEGRATOR_RK4, TOILE_INTEGRATOR_IMEX};
    for (int k = 0; k < 4; k++) {
        for (int stiff = 0; stiff < 2; stiff++) {
            /* bending far softer than stretch, and stiffer */
            ToileFabric fabric = test_fabric(100, 80, 30, 0.2, stiff ? 0.5 : 0.01);
            TlExternal none = {{0, 0, 0}, 0};
            Fixture f;
            set_up(&f, test_grid(2, 2, 0.6, 0.5, TEST_DIAGONAL_SINGLE), &fabric);
            memset(f.system.fixed, 1, 2);
            bool imex = methods[k] == TOILE_INTEGRATOR_IMEX;
            double reach = methods[k] == TOILE_INTEGRATOR_RK4 ? 2 * sqrt(2.0) : 2.0;
            double h = reach / sqrt(dense_largest(&f, imex ? -1.0 : 1.0));
            ck_assert_double_lt(growth(&f, methods[k], &none, 0.98 * h, 1000), 10);
            ck_assert_double_gt(growth(&f, methods[k], &none, 1.02 * h, 1000), 1e3);
            /* the estimate is on the safe side, and not by much */
            double safe =
                tl_stable_step(&f.system, tl_integrator(methods[k])->bound, false, &none, f.x);
            ck_assert_msg(safe < 0.9 * h && safe > 0.75 * h, "%s: %g of %g",
                          tl_integrator(methods[k])->name, safe, h);
            tear_down(&f);
        }
    }
}
END_TEST

/* damping bounds explicit steps too: drag, and strain rates so strong that they alone do */
START_TEST(stability_counts_damping) {
    for (int32_t method = TOILE_INTEGRATOR_IMEX; method <= TOILE_INTEGRATOR_EXPLICIT_EULER;
         method++) {
        ToileFabric fabric = test_fabric(100, 80, 30, 0.2, 0.01);
        TlExternal drag = {{0, 0, 0}, 300};
        Fixture f;
        fabric.stretch_damping_s = 0.05;
        set_up(&f, test_grid(2, 2, 0.6, 0.5, TEST_DIAGONAL_SINGLE), &fabric);
        TlBound bound = tl_integrator(method)->bound;
        double plain = tl_stable_step(&f.system, bound, false, &(TlExternal){{0, 0, 0}, 0}, f.x);
        double h = tl_stable_step(&f.system, bound, true, &drag, f.x);
        ck_assert(method == TOILE_INTEGRATOR_EXPLICIT_EULER || h < 0.5 * plain);
        ck_assert_double_lt(growth(&f, method, &drag, h, 300), 10);
        /* not far from where it ends; implicit drag holds IMEX longer */
        double far = method == TOILE_INTEGRATOR_IMEX ? 4.0 : 2.0;
        ck_assert_double_gt(growth(&f, method, &drag, far * h, 300), 1e3);
        tear_down(&f);
    }
}
END_TEST

START_TEST(stability_of_implicit_methods_is_never_in_question) {
    ToileFabric fabric = toile_fabric_default();
    TlExternal none = {{0, 0, 0}, 0};
    Fixture f;
    set_up(&f, test_grid(2, 2, 0.6, 0.5, TEST_DIAGONAL_SINGLE), &fabric);
    ck_assert(tl_stable_step(&f.system, TL_BOUND_NONE, true, &none, f.x) == (double)INFINITY);
    /* nor where nothing is free */
    memset(f.system.fixed, 1, 9);
    for (int bound = TL_BOUND_NONE; bound <= TL_BOUND_IMEX; bound++) {
        ck_assert(tl_stable_step(&f.system, (TlBound)bound, true, &none, f.x) == (double)INFINITY);
    }
    tear_down(&f);
}
END_TEST

/* ---- sub-steps ---- */

typedef struct Log {
    int32_t warnings;
    char last[512];
} Log;

static void write_log(void *user, ToileLogLevel level, const char *message) {
    Log *log = user;
    log->warnings += level == TOILE_LOG_WARNING;
    snprintf(log->last, sizeof log->last, "%s", message);
}

static ToileSim *make_sim(int32_t method, int32_t substeps, double stiffness, double drag,
                          Log *log) {
    ToileSimDef def = toile_sim_def_default();
    ToileFabric fabric = test_fabric(stiffness, stiffness, 0.3 * stiffness, 0.2, 1e-5);
    TestMesh mesh = test_grid(4, 4, 0.4, 0.4, TEST_DIAGONAL_NONE);
    def.threads = 1;
    def.integrator = method;
    def.substeps = substeps;
    def.drag_kg_per_m2_s = drag;
    def.log = (ToileLog){write_log, log};
    ToileSim *sim = test_sim(&def);
    test_add(sim, &mesh, &fabric, NULL, 0);
    test_mesh_free(&mesh);
    return sim;
}

START_TEST(stability_takes_more_substeps_and_says_so_once) {
    for (int32_t method = TOILE_INTEGRATOR_IMEX; method <= TOILE_INTEGRATOR_EXPLICIT_EULER;
         method++) {
        Log log = {0};
        bool explicit = method == TOILE_INTEGRATOR_EXPLICIT_EULER;
        ToileSim *sim = make_sim(method, 2, explicit ? 1 : 100, explicit ? 5 : 0, &log);
        test_step(sim, 3);
        ToileStats stats = test_stats(sim);
        ck_assert_int_gt(stats.substeps_added, 0);
        ck_assert_int_eq(stats.substeps, 2 + stats.substeps_added);
        ck_assert_int_eq(log.warnings, 1);
        ck_assert_ptr_nonnull(strstr(log.last, tl_integrator(method)->name));
        ck_assert_ptr_nonnull(strstr(log.last, "instead of 2"));
        ck_assert(explicit == (strstr(log.last, "never stable without damping") != NULL));
        ck_assert_double_eq(stats.residual_N, 0.0);
        toile_sim_destroy(sim);
        /* enough were asked for */
        log.warnings = 0;
        sim = make_sim(method, 10000, 100, explicit ? 30 : 0, &log);
        if (!explicit) {
            test_step(sim, 1);
            ck_assert_int_eq(test_stats(sim).substeps, 10000);
            ck_assert_int_eq(test_stats(sim).substeps_added, 0);
            ck_assert_int_eq(log.warnings, 0);
        }
        toile_sim_destroy(sim);
    }
}
END_TEST

START_TEST(stability_refuses_what_needs_too_many_substeps) {
    for (int32_t method = TOILE_INTEGRATOR_IMEX; method <= TOILE_INTEGRATOR_EXPLICIT_EULER;
         method++) {
        Log log = {0};
        ToileError error = toile_error_default();
        ToileSim *sim = make_sim(method, 0, 1e9, 0, &log);
        uint64_t before = toile_sim_state_hash(sim);
        ck_assert_int_eq(toile_sim_step(sim, &error), TOILE_STATUS_DIVERGED);
        ck_assert_ptr_nonnull(strstr(error.message, tl_integrator(method)->name));
        ck_assert_ptr_nonnull(strstr(error.message, "and at most 10000 are taken; use "));
        ck_assert_ptr_nonnull(strstr(error.message, "implicit-euler, softer fabric"));
        ck_assert((method == TOILE_INTEGRATOR_EXPLICIT_EULER) ==
                  (strstr(error.message, "never stable without damping") != NULL));
        ck_assert_int_eq(error.frame, 2);
        ck_assert_uint_eq(toile_sim_state_hash(sim), before);
        toile_sim_destroy(sim);
    }
}
END_TEST

/* implicit methods never ask */
START_TEST(stability_leaves_implicit_methods_alone) {
    for (int32_t method = 0; method < TOILE_INTEGRATOR_IMEX; method++) {
        Log log = {0};
        ToileSim *sim = make_sim(method, 0, 1e6, 0, &log);
        test_step(sim, 2);
        ck_assert_int_eq(test_stats(sim).substeps, 4);
        ck_assert_int_eq(test_stats(sim).substeps_added, 0);
        ck_assert_int_eq(log.warnings, 0);
        toile_sim_destroy(sim);
    }
}
END_TEST

START_TEST(stability_of_nothing) {
    for (int32_t method = 0; method <= TOILE_INTEGRATOR_EXPLICIT_EULER; method++) {
        ToileSimDef def = toile_sim_def_default();
        def.integrator = method;
        ToileSim *sim = test_sim(&def);
        test_step(sim, 2);
        ck_assert_int_eq(test_stats(sim).substeps_added, 0);
        toile_sim_destroy(sim);
    }
}
END_TEST

/* a state that is not finite is never kept, whatever the speed */
START_TEST(stability_never_keeps_a_state_that_is_not_finite) {
    for (int32_t method = 0; method <= TOILE_INTEGRATOR_EXPLICIT_EULER; method++) {
        for (double speed = 1e10; speed < 1e305; speed *= 1e70) {
            ToileSimDef def = toile_sim_def_default();
            TestMesh mesh = test_grid(1, 1, 0.4, 0.4, TEST_DIAGONAL_NONE);
            ToileFabric fabric = test_fabric(1e-3, 1e-3, 1e-3, 0, 0);
            def.threads = 1;
            def.integrator = method;
            ToileSim *sim = test_sim(&def);
            ToileClothId cloth = test_add(sim, &mesh, &fabric, NULL, 0);
            double v[12];
            for (int i = 0; i < 12; i++) {
                v[i] = i % 2 == 0 ? speed : -speed;
            }
            ASSERT_OK(toile_sim_set_velocities(sim, cloth, v, NULL));
            for (int k = 0; k < 3; k++) {
                ToileStatus status = toile_sim_step(sim, NULL);
                ck_assert(status == TOILE_STATUS_OK || status == TOILE_STATUS_DIVERGED);
                double *x = test_positions(sim, cloth), *u = test_velocities(sim, cloth);
                for (int i = 0; i < 12; i++) {
                    ck_assert_msg(isfinite(x[i]) && isfinite(u[i]), "%s at %g m/s",
                                  tl_integrator(method)->name, speed);
                }
                free(x);
                free(u);
            }
            toile_sim_destroy(sim);
            test_mesh_free(&mesh);
        }
    }
}
END_TEST

TEST_MAIN("stability", stability_eigenvalue_is_close_and_never_above, stability_eigenvalue_of_grids,
          stability_bounds_are_those_of_the_methods, stability_counts_damping,
          stability_of_implicit_methods_is_never_in_question,
          stability_takes_more_substeps_and_says_so_once,
          stability_refuses_what_needs_too_many_substeps, stability_of_nothing,
          stability_leaves_implicit_methods_alone, stability_never_keeps_a_state_that_is_not_finite)
