/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The block matrix and conjugate gradients against dense algebra; Newton, its line search, and
 * steps from extreme states. */
#include "force/bend_linear.h"
#include "force/stretch_stvk.h"
#include "solve/implicit_euler.h"
#include "solve/settle.h"
#include "support/builders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* conjugate gradients are asked for 1e-13 */
#define SOLVED 1e-9
#define ROUNDING 1e-12

static const TlContacts no_contacts = {0, NULL, NULL, NULL, NULL, 0.0};

typedef struct Fixture {
    TestMesh mesh;
    TestModel model;
    TlPool *pool;
    TlSystem system;
    int32_t n; /* 3 per vertex */
    double *x;
} Fixture;

static void set_up(Fixture *f, TestRandom *random, double amplitude) {
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0.01);
    memset(f, 0, sizeof *f);
    f->mesh = test_jittered(4, 3, random);
    test_model(&f->mesh, &fabric, TOILE_PATTERN_METRIC, &f->model);
    f->pool = tl_pool_create(1, NULL);
    ck_assert(tl_system_build(&f->model.arena, &f->model.model, f->pool, &f->system));
    f->n = 3 * f->mesh.vertex_count;
    f->x = test_deformed(&f->mesh, random, amplitude);
}

static void tear_down(Fixture *f) {
    free(f->x);
    tl_pool_destroy(f->pool);
    test_model_free(&f->model);
    test_mesh_free(&f->mesh);
}

/* Stretch and bend by their elements. */
static void dense_matrix(const Fixture *f, double *dense) {
    TlElements stretch = tl_stretch_stvk(&f->model.model);
    TlPoint at = {f->x, NULL, 0.0};
    double *bend = test_alloc(sizeof(double) * (size_t)(f->n * f->n));
    test_hessian(&stretch, &at, dense);
    TlElements linear = tl_bend_linear(&f->model.model);
    test_hessian(&linear, &at, bend);
    for (int32_t i = 0; i < f->n * f->n; i++) {
        dense[i] += bend[i];
    }
    free(bend);
}

/* Adds w to the diagonal of both matrices. */
static void add_weight(Fixture *f, double w, double *dense) {
    for (int32_t v = 0; v < f->mesh.vertex_count; v++) {
        for (int i = 0; i < 3; i++) {
            f->system.matrix.block[9 * f->system.matrix.diagonal[v] + 4 * i] += w;
            dense[(3 * v + i) * f->n + 3 * v + i] += w;
        }
    }
}

START_TEST(solve_matrix_is_the_sum_of_the_elements) {
    TestRandom random = test_random(141);
    Fixture f;
    set_up(&f, &random, 0.3);
    double *dense = test_alloc(sizeof(double) * (size_t)(f.n * f.n)),
           *p = test_alloc(sizeof(double) * (size_t)f.n);
    TlPoint at = {f.x, NULL, 0.0};
    tl_system_derive(&f.system, &at, true, f.system.grad);
    dense_matrix(&f, dense);
    for (int32_t i = 0; i < f.n; i++) {
        p[i] = test_between(&random, -1, 1);
    }
    double scale = test_largest(dense, (int64_t)f.n * f.n);
    for (int32_t v = 0; v < f.n / 3; v++) {
        double row[3];
        tl_block_matrix_row(&f.system.matrix, v, p, row);
        for (int i = 0; i < 3; i++) {
            double want = 0.0;
            for (int32_t j = 0; j < f.n; j++) {
                want += dense[(3 * v + i) * f.n + j] * p[j];
            }
            ASSERT_NEAR(row[i], want, 10 * ROUNDING * scale);
        }
    }
    free(dense);
    free(p);
    tear_down(&f);
}
END_TEST

START_TEST(solve_gradient_is_that_of_the_energies) {
    TestRandom random = test_random(142);
    Fixture f;
    set_up(&f, &random, 0.3);
    TlElements stretch = tl_stretch_stvk(&f.model.model);
    double *a = test_alloc(sizeof(double) * (size_t)f.n),
           *b = test_alloc(sizeof(double) * (size_t)f.n);
    TlPoint at = {f.x, NULL, 0.0};
    tl_system_derive(&f.system, &at, false, f.system.grad);
    test_gradient(&stretch, &at, a);
    TlElements bend = tl_bend_linear(&f.model.model);
    test_gradient(&bend, &at, b);
    for (int32_t i = 0; i < f.n; i++) {
        ASSERT_NEAR(f.system.grad[i], a[i] + b[i], ROUNDING * test_largest(f.system.grad, f.n));
    }
    free(a);
    free(b);
    tear_down(&f);
}
END_TEST

/* Solves with the core and densely; fixed rows and columns of the dense matrix are replaced by the
 * unit matrix. */
static void check_solve(Fixture *f, TestRandom *random, bool with_coarse, double weight) {
    double *dense = test_alloc(sizeof(double) * (size_t)(f->n * f->n));
    double *want = test_alloc(sizeof(double) * (size_t)f->n),
           *b = test_alloc(sizeof(double) * (size_t)f->n);
    double *y = test_alloc(sizeof(double) * (size_t)f->n);
    TlPoint at = {f->x, NULL, 0.0};
    tl_system_derive(&f->system, &at, true, f->system.grad);
    dense_matrix(f, dense);
    add_weight(f, weight, dense);
    for (int32_t i = 0; i < f->n; i++) {
        b[i] = want[i] = test_between(random, -1, 1);
        for (int32_t j = 0; f->system.fixed[i / 3] && j < f->n; j++) {
            dense[i * f->n + j] = dense[j * f->n + i] = i == j ? 1.0 : 0.0;
            want[i] = 0.0;
        }
    }
    tl_cg_precondition(&f->system.cg, with_coarse);
    int32_t iterations = tl_cg_solve(&f->system.cg, b, 1e-13, 10 * f->n, y);
    ck_assert_int_lt(iterations, 10 * f->n);
    test_cholesky_solve(dense, want, f->n);
    double scale = test_largest(want, f->n);
    for (int32_t i = 0; i < f->n; i++) {
        ASSERT_NEAR(y[i], want[i], SOLVED * scale);
        ck_assert(!f->system.fixed[i / 3] || y[i] == 0.0);
    }
    free(dense);
    free(want);
    free(b);
    free(y);
}

START_TEST(solve_cg_agrees_with_cholesky) {
    TestRandom random = test_random(143);
    for (int loop = 0; loop < 6; loop++) {
        Fixture f;
        set_up(&f, &random, 0.2);
        for (int32_t v = 0; loop >= 2 && v < f.mesh.vertex_count; v++) {
            f.system.fixed[v] = test_below(&random, 4) == 0;
        }
        check_solve(&f, &random, loop % 2 == 0, loop < 4 ? 10.0 : 0.1);
        tear_down(&f);
    }
}
END_TEST

START_TEST(solve_cg_of_nothing_is_nothing) {
    TestRandom random = test_random(144);
    Fixture f;
    set_up(&f, &random, 0.1);
    double *b = test_alloc(sizeof(double) * (size_t)f.n),
           *y = test_alloc(sizeof(double) * (size_t)f.n);
    TlPoint at = {f.x, NULL, 0.0};
    tl_system_derive(&f.system, &at, true, f.system.grad);
    tl_cg_precondition(&f.system.cg, true);
    ck_assert_int_eq(tl_cg_solve(&f.system.cg, b, 1e-6, 100, y), 0);
    ck_assert_double_eq(test_largest(y, f.n), 0.0);
    /* all fixed: nothing to solve whatever the right-hand side */
    memset(f.system.fixed, 1, (size_t)f.mesh.vertex_count);
    for (int32_t i = 0; i < f.n; i++) {
        b[i] = 1.0;
    }
    tl_cg_precondition(&f.system.cg, true);
    ck_assert_int_eq(tl_cg_solve(&f.system.cg, b, 1e-6, 100, y), 0);
    ck_assert_double_eq(test_largest(y, f.n), 0.0);
    free(b);
    free(y);
    tear_down(&f);
}
END_TEST

/* ---- Newton ---- */

/* A sheet stretched by 15 %, held at its border, the inside disturbed. */
static void stretched_sheet(Fixture *f, TestRandom *random) {
    set_up(f, random, 0.0);
    memcpy(f->x, f->mesh.positions, sizeof(double) * (size_t)f->n);
    for (int32_t v = 0; v < f->mesh.vertex_count; v++) {
        double *p = f->x + 3 * v;
        p[0] *= 1.15;
        p[1] *= 1.15;
        f->system.fixed[v] = p[0] < 1e-9 || p[1] < 1e-9 || p[0] > 4.599 || p[1] > 3.449;
        for (int i = 0; !f->system.fixed[v] && i < 3; i++) {
            p[i] += test_between(random, -0.05, 0.05);
        }
        f->system.weight[v] = 1e-6;
    }
    memcpy(f->system.x_start, f->x, sizeof(double) * (size_t)f->n);
}

/* under tension the Hessian is exact: each iteration squares the error */
START_TEST(newton_converges_quadratically_under_tension) {
    TestRandom random = test_random(145);
    Fixture f;
    stretched_sheet(&f, &random);
    TlNewton options = {.dt_s = 0.0,
                        .most_iterations = 1,
                        .most_cg = 10000,
                        .tolerance_m = 0.0,
                        .linear_tolerance = 1e-14,
                        .most_move_m = (double)INFINITY};
    double last = 1.0;
    for (int k = 0; k < 12; k++) {
        TlNewtonResult result = tl_newton(&f.system, &no_contacts, &options, f.x);
        printf("Newton step %d moved %.3g\n", k, result.last_step_m);
        ck_assert(result.finite && !result.stuck);
        if (k > 0 && last < 1e-2 && result.last_step_m > 1e-12) {
            ck_assert_double_le(result.last_step_m, 10 * last * last);
        }
        last = result.last_step_m;
    }
    ck_assert_double_lt(last, 1e-12);
    tear_down(&f);
}
END_TEST

START_TEST(newton_leaves_no_force_where_it_converges) {
    TestRandom random = test_random(146);
    Fixture f;
    stretched_sheet(&f, &random);
    TlNewton options = {.dt_s = 0.0,
                        .most_iterations = 50,
                        .most_cg = 10000,
                        .tolerance_m = 1e-12,
                        .linear_tolerance = 1e-13,
                        .most_move_m = (double)INFINITY};
    TlNewtonResult result = tl_newton(&f.system, &no_contacts, &options, f.x);
    ck_assert(result.finite && result.iterations < 50);
    tl_newton_gradient(&f.system, &no_contacts, f.x, f.system.grad);
    /* forces of the sheet are about 150 N */
    ASSERT_BELOW(test_largest(f.system.grad, f.n), 1e-9 * 150);
    tear_down(&f);
}
END_TEST

/* A patch pressed together in its plane: buckling has no stiffness there, so that whole Newton
 * steps fly off and must be cut; the potential never grows. */
START_TEST(newton_line_search_lowers_the_potential) {
    TestRandom random = test_random(147);
    Fixture f;
    stretched_sheet(&f, &random);
    for (int32_t i = 0; i < f.n; i++) {
        f.x[i] =
            (i % 3 == 2 ? 0.0 : 0.5 * f.mesh.positions[i]) + test_between(&random, -1e-3, 1e-3);
    }
    TlNewton options = {.dt_s = 0.0,
                        .most_iterations = 1,
                        .most_cg = 10000,
                        .tolerance_m = 0.0,
                        .linear_tolerance = 1e-6,
                        .most_move_m = (double)INFINITY};
    TlPoint at = {f.x, NULL, 0.0};
    double last = tl_system_value(&f.system, &at);
    int32_t cuts = 0;
    for (int k = 0; k < 60; k++) {
        memcpy(f.system.x_start, f.x, sizeof(double) * (size_t)f.n);
        TlNewtonResult result = tl_newton(&f.system, &no_contacts, &options, f.x);
        double energy = tl_system_value(&f.system, &at);
        ck_assert(result.finite);
        ck_assert_msg(energy <= last * (1 + ROUNDING), "step %d: energy from %g to %g", k, last,
                      energy);
        last = energy;
        cuts += result.cuts;
    }
    ck_assert_msg(cuts > 0, "no step was cut: the start is not hard enough");
    tear_down(&f);
}
END_TEST

START_TEST(newton_step_is_shortened_to_the_longest_move) {
    TestRandom random = test_random(153);
    Fixture f;
    stretched_sheet(&f, &random);
    TlNewton options = {.dt_s = 0.0,
                        .most_iterations = 1,
                        .most_cg = 10000,
                        .tolerance_m = 0.0,
                        .linear_tolerance = 1e-6,
                        .most_move_m = 1e-3};
    TlNewtonResult result = tl_newton(&f.system, &no_contacts, &options, f.x);
    ck_assert_double_le(result.last_step_m, 1e-3 * (1 + ROUNDING));
    ck_assert_double_gt(result.last_step_m, 1e-4);
    tear_down(&f);
}
END_TEST

START_TEST(newton_moves_no_fixed_vertex) {
    TestRandom random = test_random(148);
    Fixture f;
    stretched_sheet(&f, &random);
    double *before = test_alloc(sizeof(double) * (size_t)f.n);
    memcpy(before, f.x, sizeof(double) * (size_t)f.n);
    TlNewton options = {.dt_s = 0.0,
                        .most_iterations = 5,
                        .most_cg = 1000,
                        .tolerance_m = 0.0,
                        .linear_tolerance = 1e-6,
                        .most_move_m = (double)INFINITY};
    tl_newton(&f.system, &no_contacts, &options, f.x);
    for (int32_t v = 0; v < f.mesh.vertex_count; v++) {
        if (f.system.fixed[v]) {
            ck_assert_mem_eq(f.x + 3 * v, before + 3 * v, 3 * sizeof(double));
        }
    }
    free(before);
    tear_down(&f);
}
END_TEST

START_TEST(newton_says_when_nothing_is_finite) {
    TestRandom random = test_random(149);
    Fixture f;
    stretched_sheet(&f, &random);
    for (int32_t v = 0; v < f.mesh.vertex_count; v++) {
        f.x[3 * v] = f.system.fixed[v] ? f.x[3 * v] : 1e200;
    }
    TlNewton options = {.dt_s = 0.0,
                        .most_iterations = 5,
                        .most_cg = 100,
                        .tolerance_m = 0.0,
                        .linear_tolerance = 1e-3,
                        .most_move_m = (double)INFINITY};
    TlNewtonResult result = tl_newton(&f.system, &no_contacts, &options, f.x);
    bool finite = true;
    for (int32_t i = 0; i < f.n; i++) {
        finite = finite && isfinite(f.x[i]);
    }
    ck_assert_msg(!result.finite || finite, "a result called finite holds an infinity or NaN");
    tear_down(&f);
}
END_TEST

START_TEST(implicit_euler_leaves_the_state_when_it_fails) {
    TestRandom random = test_random(150);
    Fixture f;
    stretched_sheet(&f, &random);
    size_t size = sizeof(double) * (size_t)f.n;
    double *v = test_alloc(size), *x0 = test_alloc(size), *v0 = test_alloc(size);
    for (int32_t i = 0; i < f.n; i++) {
        v[i] = test_between(&random, -1e200, 1e200);
    }
    memcpy(x0, f.x, size);
    memcpy(v0, v, size);
    TlStep step = {
        f.x, v, x0, 0.01, {{0, -9.81, 0}, 0}, {0.01, 2, 400, 0.0, 0.1, (double)INFINITY, 0, 0.0}};
    TlStepResult result = tl_implicit_euler(&f.system, &no_contacts, &step);
    ck_assert(!result.newton.finite);
    ck_assert_mem_eq(f.x, x0, size);
    ck_assert_mem_eq(v, v0, size);
    free(v);
    free(x0);
    free(v0);
    tear_down(&f);
}
END_TEST

START_TEST(settle_balances_forces) {
    static const double gravity[3] = {0, 0, -9.81};
    TestRandom random = test_random(151);
    Fixture f;
    stretched_sheet(&f, &random);
    TlSettle options = {gravity, 500, 1e-8, NULL, NULL};
    TlSettleResult result = tl_settle(&f.system, &no_contacts, &options, f.x);
    ck_assert(result.converged && result.finite && !result.cancelled);
    ck_assert_double_le(result.residual, 1e-8);
    ck_assert_int_le(result.iterations, 500);
    tear_down(&f);
}
END_TEST

/* the residual told belongs to the state handed back, also when it did not converge */
START_TEST(settle_residual_is_that_of_the_final_state) {
    static const double gravity[3] = {0, 0, -9.81};
    TestRandom random = test_random(152);
    for (int32_t most = 1; most <= 6; most++) {
        Fixture f;
        stretched_sheet(&f, &random);
        TlSettle options = {gravity, most, 1e-15, NULL, NULL};
        TlSettleResult result = tl_settle(&f.system, &no_contacts, &options, f.x);
        ck_assert_int_le(result.iterations, most);
        memcpy(f.system.x_start, f.x, sizeof(double) * (size_t)f.n);
        tl_newton_gradient(&f.system, &no_contacts, f.x, f.system.grad);
        double sum = 0.0, load = 0.0;
        for (int32_t i = 0; i < f.n; i++) {
            double m = f.system.fixed[i / 3] || i % 3 != 2 ? 0.0 : f.model.rest.mass[i / 3] * 9.81;
            sum += f.system.grad[i] * f.system.grad[i];
            load += m * m;
        }
        ASSERT_RELATIVE(result.residual, sqrt(sum / load), 1e-6);
        tear_down(&f);
    }
}
END_TEST

TEST_MAIN("solve", newton_step_is_shortened_to_the_longest_move,
          solve_matrix_is_the_sum_of_the_elements, solve_gradient_is_that_of_the_energies,
          solve_cg_agrees_with_cholesky, solve_cg_of_nothing_is_nothing,
          newton_converges_quadratically_under_tension, newton_leaves_no_force_where_it_converges,
          newton_line_search_lowers_the_potential, newton_moves_no_fixed_vertex,
          newton_says_when_nothing_is_finite, implicit_euler_leaves_the_state_when_it_fails,
          settle_balances_forces, settle_residual_is_that_of_the_final_state)
