/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Values and gradients of all energies together, conjugate gradients against dense algebra; Newton,
 * its line search, and steps from extreme states. */
#include "solve/implicit_euler.h"
#include "solve/settle.h"
#include "support/systems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* conjugate gradients are asked for 1e-13 */
#define SOLVED 1e-9
#define ROUNDING 1e-12
/* the least that one solve in single precision is asked for */
#define LEAST 1e-5
#define STEP_S 0.01
/* iterations that no solve here comes near to */
enum { MOST = 10000 };

static const TlContacts no_contacts = {.collider_count = 0};

typedef TestSystem Fixture;

static void set_up(Fixture *f, TestRandom *random, double amplitude) {
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0.01);
    test_system(f, test_jittered(4, 3, random), &fabric, 1, amplitude, random);
}

/* Mesh number i: triangles, quads, both. */
enum { MESHES = 3 };
static TestMesh any_mesh(int32_t i, TestRandom *random) {
    return i == 0   ? test_jittered(4, 3, random)
           : i == 1 ? test_grid(4, 3, 4, 3, TEST_DIAGONAL_NONE)
                    : test_mixed(4, 3, random);
}

/* ---- energies ---- */

START_TEST(solve_energy_and_gradient_are_those_of_the_elements) {
    TestRandom random = test_random(142);
    for (int32_t i = 0; i < TEST_FABRICS * MESHES; i++) {
        ToileFabric fabric = test_any_fabric(i / MESHES);
        TestSystem f;
        test_system_bent(&f, any_mesh(i % MESHES, &random), &fabric, 0.1, 0.2, &random);
        TlPoint at = test_system_at(&f, i % 2 * STEP_S);
        size_t room = sizeof(double) * (size_t)f.n;
        double *part = test_alloc(room), *sum = test_alloc(room), value = 0.0;
        for (int32_t k = 0; k < f.system.energy_count; k++) {
            value += test_value(&f.system.energies[k].elements, &at);
            test_gradient(&f.system.energies[k].elements, &at, part);
            for (int32_t j = 0; j < f.n; j++) {
                sum[j] += part[j];
            }
        }
        ASSERT_RELATIVE(tl_system_value(&f.system, &at), value, ROUNDING);
        tl_system_derive(&f.system, &at, false, f.system.grad);
        double scale = test_largest(sum, f.n);
        for (int32_t j = 0; j < f.n; j++) {
            ASSERT_NEAR(f.system.grad[j], sum[j], ROUNDING * scale);
        }
        free(part);
        free(sum);
        test_system_free(&f);
    }
}
END_TEST

/* Gains of the last iterations are differences of energies: what is nearly flat must be as exact as
 * what is not, wherever it lies. */
START_TEST(solve_energy_of_nearly_flat_cloth_is_exact) {
    TestRandom random = test_random(156);
    for (int32_t i = 0; i < MESHES; i++) {
        ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0.01);
        TestSystem f;
        test_system(&f, any_mesh(i, &random), &fabric, 1, 0.0, &random);
        for (int32_t v = 0; v < f.mesh.vertex_count; v++) {
            const double *rest = f.mesh.positions + 3 * v;
            memcpy(f.x + 3 * v, rest, 3 * sizeof(double));
            f.x[3 * v + 2] = 1e-4 * rest[0] * rest[1];
        }
        TlPoint at = test_system_at(&f, 0.0);
        double value = 0.0;
        for (int32_t k = 0; k < f.system.energy_count; k++) {
            value += test_value(&f.system.energies[k].elements, &at);
        }
        ASSERT_RELATIVE(tl_system_value(&f.system, &at), value, ROUNDING);
        test_system_free(&f);
    }
}
END_TEST

/* ---- conjugate gradients ---- */

/* Largest difference of y and `want` over the largest of `want`. */
static double error_of(const Fixture *f, const double *y, const double *want) {
    double worst = 0.0;
    for (int32_t i = 0; i < f->n; i++) {
        worst = fmax(worst, fabs(y[i] - want[i]));
    }
    return worst / test_largest(want, f->n);
}

/* Energy of a direction, p . A p. */
static double energy_of(const Fixture *f, const TestBlocks *blocks, const double *p) {
    double *q = test_alloc(sizeof(double) * (size_t)f->n), sum = 0.0;
    test_blocks_times(blocks, f->n, p, q, NULL);
    for (int32_t i = 0; i < f->n; i++) {
        sum += p[i] * q[i];
    }
    free(q);
    return sum;
}

/* The same as a quotient of energies, which is what conjugate gradients make small. */
static double energy_error_of(const Fixture *f, const TestBlocks *blocks, const double *y,
                              const double *want) {
    double *e = test_alloc(sizeof(double) * (size_t)f->n);
    for (int32_t i = 0; i < f->n; i++) {
        e[i] = y[i] - want[i];
    }
    double error = sqrt(energy_of(f, blocks, e) / energy_of(f, blocks, want));
    free(e);
    return error;
}

typedef struct Errors {
    double largest, energy;
} Errors;

/* Solves with the core and densely, and answers how much they differ. */
static Errors compare_solves(Fixture *f, bool with_coarse, double tolerance, TestRandom *random) {
    size_t room = sizeof(double) * (size_t)f->n;
    double *b = test_alloc(room), *y = test_alloc(room), *want = test_alloc(room), left;
    TlPoint at = test_system_at(f, 0.0);
    tl_system_derive(&f->system, &at, true, f->system.grad);
    TestBlocks blocks = test_blocks(f, &at);
    double *dense = test_blocks_dense(&blocks, f->n, f->system.fixed);
    for (int32_t i = 0; i < f->n; i++) {
        b[i] = test_between(random, -1, 1);
        want[i] = f->system.fixed[i / 3] ? 0.0 : b[i];
    }
    ck_assert(with_coarse ? tl_cg_precondition(&f->system.cg, false)
                          : tl_operator_prepare(&f->system.matrix, f->pool));
    int32_t iterations = tl_cg_solve(&f->system.cg, b, tolerance, MOST, y, &left);
    ck_assert(iterations > 0 && iterations < MOST && left <= tolerance);
    test_cholesky_solve(dense, want, f->n);
    for (int32_t i = 0; i < f->n; i++) {
        ck_assert(!f->system.fixed[i / 3] || y[i] == 0.0);
    }
    Errors errors = {error_of(f, y, want), energy_error_of(f, &blocks, y, want)};
    test_blocks_free(&blocks);
    free(b);
    free(y);
    free(want);
    free(dense);
    return errors;
}

/* The energy of the error is that of the solution times tolerance^2 times the condition of the
 * preconditioned matrix, which is below 4 with inertia ten times as strong as stretch. */
START_TEST(solve_cg_in_single_precision) {
    TestRandom random = test_random(143);
    for (int32_t i = 0; i < TEST_FABRICS * MESHES; i++) {
        ToileFabric fabric = test_any_fabric(i / MESHES);
        TestSystem f;
        test_system_bent(&f, any_mesh(i % MESHES, &random), &fabric, 0.1, 0.05, &random);
        test_system_weigh(&f, 3e4, 5e4, &random);
        test_system_touch(&f, 4, 500, &random);
        for (int loop = 0; loop < 4; loop++) {
            ASSERT_BELOW(compare_solves(&f, loop % 2 == 0, LEAST, &random).energy, 2 * LEAST);
            test_system_fix(&f, 4, &random);
        }
        test_system_free(&f);
    }
}
END_TEST

/* Beyond that residuals are taken in double precision, and bad condition costs rounds alone. */
START_TEST(solve_cg_agrees_with_cholesky) {
    TestRandom random = test_random(154);
    for (int32_t i = 0; i < TEST_FABRICS * MESHES; i++) {
        ToileFabric fabric = test_any_fabric(i / MESHES);
        TestSystem f;
        test_system_bent(&f, any_mesh(i % MESHES, &random), &fabric, 0.1, 0.2, &random);
        for (int loop = 0; loop < 6; loop++) {
            double weight = loop < 4 ? 10.0 : 0.1;
            test_system_weigh(&f, weight, weight, &random);
            ASSERT_BELOW(compare_solves(&f, loop % 2 == 0, 1e-13, &random).largest, SOLVED);
            test_system_fix(&f, 4, &random);
        }
        test_system_free(&f);
    }
}
END_TEST

/* Iterations of a solve by the sheet of side x side cells, which leaves no residual. */
static int32_t large_solve(int32_t side, bool with_coarse, double tolerance) {
    TestRandom random = test_random(157);
    ToileFabric fabric = test_any_fabric(0);
    TestSystem f;
    test_system(&f, test_mixed(side, side, &random), &fabric, 2, 0.0, &random);
    size_t room = sizeof(double) * (size_t)f.n;
    double *b = test_alloc(room), *y = test_alloc(room), *r = test_alloc(room), left;
    TlPoint at = test_system_at(&f, 0.0);
    test_system_weigh(&f, 1, 1, &random);
    f.system.fixed[0] = 1;
    tl_system_derive(&f.system, &at, true, f.system.grad);
    TestBlocks blocks = test_blocks(&f, &at);
    for (int32_t i = 3; i < f.n; i++) {
        b[i] = test_between(&random, -1, 1);
    }
    ck_assert(with_coarse ? tl_cg_precondition(&f.system.cg, false)
                          : tl_operator_prepare(&f.system.matrix, f.pool));
    int32_t iterations = tl_cg_solve(&f.system.cg, b, tolerance, MOST, y, &left);
    ck_assert(iterations < MOST && left <= tolerance);
    test_blocks_times(&blocks, f.n, y, r, NULL);
    for (int32_t i = 3; i < f.n && tolerance < LEAST; i++) {
        ASSERT_NEAR(r[i], b[i], SOLVED);
    }
    test_blocks_free(&blocks);
    free(b);
    free(y);
    free(r);
    test_system_free(&f);
    return iterations;
}

/* More hubs than free vertices make the matrix on the hubs singular; solutions stay right. */
START_TEST(solve_cg_with_few_free_vertices) {
    TestRandom random = test_random(158);
    ToileFabric fabric = test_any_fabric(0);
    for (int32_t few = 1; few <= 3; few++) {
        TestSystem f;
        test_system(&f, test_mixed(20, 20, &random), &fabric, 1, 0.0, &random);
        size_t room = sizeof(double) * (size_t)f.n;
        double *b = test_alloc(room), *y = test_alloc(room), *r = test_alloc(room), left;
        TlPoint at = test_system_at(&f, 0.0);
        test_system_weigh(&f, 1, 1, &random);
        for (int32_t v = 0; v < f.n / 3; v++) {
            f.system.fixed[v] = v < 200 || v >= 200 + few;
        }
        tl_system_derive(&f.system, &at, true, f.system.grad);
        TestBlocks blocks = test_blocks(&f, &at);
        for (int32_t i = 600; i < 600 + 3 * few; i++) {
            b[i] = test_between(&random, -1, 1);
        }
        ck_assert(tl_cg_precondition(&f.system.cg, false));
        ck_assert(f.system.coarse.ready);
        ck_assert_int_le(tl_cg_solve(&f.system.cg, b, 1e-12, 100, y, &left), 60);
        test_blocks_times(&blocks, f.n, y, r, NULL);
        for (int32_t i = 600; i < 600 + 3 * few; i++) {
            ASSERT_NEAR(r[i], b[i], SOLVED);
        }
        test_blocks_free(&blocks);
        free(b);
        free(y);
        free(r);
        test_system_free(&f);
    }
}
END_TEST

/* A kept factor serves as long as weights and fixed vertices are those it was made for. */
START_TEST(solve_factor_is_kept_only_where_it_serves) {
    TestRandom random = test_random(159);
    ToileFabric fabric = test_any_fabric(0);
    TestSystem f;
    test_system(&f, test_mixed(12, 12, &random), &fabric, 1, 0.0, &random);
    const TlCoarse *coarse = &f.system.coarse;
    TlPoint at = test_system_at(&f, 0.0);
    test_system_weigh(&f, 1, 2, &random);
    tl_system_derive(&f.system, &at, true, f.system.grad);
    ck_assert(!tl_coarse_serves(coarse, &f.system.matrix));
    ck_assert(tl_cg_precondition(&f.system.cg, true)); /* there is none to keep */
    ck_assert(coarse->ready && tl_coarse_serves(coarse, &f.system.matrix));
    double factor = coarse->dense[0];
    f.system.weight[3] *= 1.0 + 1e-12;
    ck_assert(tl_coarse_serves(coarse, &f.system.matrix));
    ck_assert(tl_cg_precondition(&f.system.cg, true));
    ck_assert(coarse->dense[0] == factor);
    f.system.fixed[5] = 1;
    ck_assert(!tl_coarse_serves(coarse, &f.system.matrix));
    f.system.fixed[5] = 0;
    for (int32_t v = 0; v < f.n / 3; v++) {
        f.system.weight[v] *= 4.0;
    }
    ck_assert(!tl_coarse_serves(coarse, &f.system.matrix));
    ck_assert(tl_cg_precondition(&f.system.cg, true));
    ck_assert(coarse->dense[0] != factor);
    test_system_free(&f);
}
END_TEST

/* A factor with which solves take longer than at first is made anew. */
START_TEST(solve_factor_is_kept_while_it_is_good) {
    TestRandom random = test_random(160);
    ToileFabric fabric = test_any_fabric(0);
    TestSystem f;
    test_system(&f, test_mixed(30, 30, &random), &fabric, 1, 0.0, &random);
    const TlCoarse *coarse = &f.system.coarse;
    TlCg *cg = &f.system.cg;
    size_t room = sizeof(double) * (size_t)f.n;
    double *b = test_alloc(room), *y = test_alloc(room), mark = 1e9;
    TlPoint at = test_system_at(&f, 0.0);
    test_system_weigh(&f, 1, 2, &random);
    tl_system_derive(&f.system, &at, true, f.system.grad);
    for (int32_t i = 0; i < f.n; i++) {
        b[i] = test_between(&random, -1, 1);
    }
    ck_assert(tl_cg_precondition(cg, false));
    int32_t first = tl_cg_solve(cg, b, 1e-2, MOST, y, NULL);
    ck_assert_int_eq(cg->fresh, first);
    coarse->dense[0] = mark;
    ck_assert(tl_cg_precondition(cg, true));
    ck_assert(coarse->dense[0] == mark);
    ck_assert_int_gt(tl_cg_solve(cg, b, 1e-4, MOST, y, NULL), first);
    cg->from_zero = true; /* the second of a step: no question */
    ck_assert(tl_cg_precondition(cg, true));
    ck_assert(coarse->dense[0] == mark);
    cg->from_zero = false;
    cg->patience = MOST; /* as much longer as they like */
    ck_assert(tl_cg_precondition(cg, true));
    ck_assert(coarse->dense[0] == mark);
    cg->patience = 0;
    ck_assert(tl_cg_precondition(cg, true));
    ck_assert(coarse->dense[0] != mark);
    free(b);
    free(y);
    test_system_free(&f);
}
END_TEST

/* Any multiple of the solution is as good as the solution; what has nothing to do with it costs an
 * iteration or two, and what is pinned or not a number of use does no harm. */
START_TEST(solve_cg_begins_with_a_guess) {
    TestRandom random = test_random(161);
    ToileFabric fabric = test_any_fabric(0);
    TestSystem f;
    test_system(&f, test_mixed(30, 30, &random), &fabric, 1, 0.0, &random);
    TlCg *cg = &f.system.cg;
    size_t room = sizeof(double) * (size_t)f.n;
    double *b = test_alloc(room), *y = test_alloc(room), *guess = test_alloc(room),
           *want = test_alloc(room), left;
    TlPoint at = test_system_at(&f, 0.0);
    test_system_weigh(&f, 1, 2, &random);
    f.system.fixed[7] = 1;
    tl_system_derive(&f.system, &at, true, f.system.grad);
    for (int32_t i = 0; i < f.n; i++) {
        b[i] = i / 3 == 7 ? 0.0 : test_between(&random, -1, 1);
    }
    ck_assert(tl_cg_precondition(cg, false));
    int32_t usual = tl_cg_solve(cg, b, 1e-3, MOST, y, NULL);
    tl_cg_solve(cg, b, 1e-10, MOST, want, NULL);
    double scale = test_largest(want, f.n);
    for (int kind = 0; kind < 3; kind++) {
        for (int32_t i = 0; i < f.n; i++) {
            /* the solution, chance, nothing */
            guess[i] = kind == 0 ? -3.0 * want[i] : kind == 1 ? test_between(&random, -1, 1) : 0.0;
        }
        guess[3 * 7] = 1e3;
        cg->guess = guess;
        int32_t taken = tl_cg_solve(cg, b, 1e-3, MOST, y, &left);
        ck_assert_int_le(taken, kind == 0 ? 0 : usual + 2);
        ck_assert(left <= 1e-3 && y[3 * 7] == 0.0 && cg->guess == NULL);
        for (int32_t i = 0; i < f.n; i++) {
            ASSERT_NEAR(y[i], want[i], (kind == 0 ? 1e-5 : 0.02) * scale);
        }
        cg->guess = guess; /* of no use to small tolerances, which are met all the same */
        tl_cg_solve(cg, b, 1e-10, MOST, y, &left);
        for (int32_t i = 0; i < f.n; i++) {
            ASSERT_NEAR(y[i], want[i], SOLVED * scale);
        }
    }
    free(b);
    free(y);
    free(guess);
    free(want);
    test_system_free(&f);
}
END_TEST

/* Coarse levels carry what is longer than edges: four times as many vertices need hardly more
 * iterations. */
START_TEST(solve_cg_is_fast_on_large_meshes) {
    int32_t with = large_solve(60, true, 1e-3), more = large_solve(120, true, 1e-3);
    int32_t without = large_solve(60, false, 1e-3);
    printf("%d and %d iterations, %d without coarse levels\n", (int)with, (int)more, (int)without);
    ck_assert_int_lt(2 * with, without);
    ck_assert_int_lt(2 * more, 3 * with);
    large_solve(60, true, 1e-12);
}
END_TEST

/* An answer to few iterations is a direction that goes down, and `left` says how far it is from
 * the end. */
START_TEST(solve_cg_stops_where_it_is_told) {
    TestRandom random = test_random(155);
    Fixture f;
    set_up(&f, &random, 0.2);
    size_t room = sizeof(double) * (size_t)f.n;
    double *b = test_alloc(room), *y = test_alloc(room), left, last = 2.0;
    TlPoint at = test_system_at(&f, 0.0);
    test_system_weigh(&f, 1, 10, &random);
    tl_system_derive(&f.system, &at, true, f.system.grad);
    ck_assert(tl_cg_precondition(&f.system.cg, false));
    for (int32_t i = 0; i < f.n; i++) {
        b[i] = test_between(&random, -1, 1);
    }
    for (double tolerance = 0.5; tolerance > 1e-4; tolerance *= 0.1) {
        int32_t iterations = tl_cg_solve(&f.system.cg, b, tolerance, 1000, y, &left);
        ck_assert_double_le(left, tolerance);
        ck_assert_double_le(left, last);
        last = left;
        double down = 0.0;
        for (int32_t i = 0; i < f.n; i++) {
            down += b[i] * y[i];
        }
        ck_assert_double_gt(down, 0.0);
        if (iterations > 1) {
            ck_assert_int_eq(tl_cg_solve(&f.system.cg, b, tolerance, iterations - 1, y, &left),
                             iterations - 1);
            ck_assert_double_gt(left, tolerance);
        }
    }
    /* those of all rounds together */
    ck_assert_int_le(tl_cg_solve(&f.system.cg, b, 1e-13, 4, y, &left), 4);
    free(b);
    free(y);
    test_system_free(&f);
}
END_TEST

START_TEST(solve_cg_of_nothing_is_nothing) {
    TestRandom random = test_random(144);
    Fixture f;
    set_up(&f, &random, 0.1);
    double *b = test_alloc(sizeof(double) * (size_t)f.n),
           *y = test_alloc(sizeof(double) * (size_t)f.n), left = 1.0;
    TlPoint at = {f.x, NULL, 0.0};
    tl_system_derive(&f.system, &at, true, f.system.grad);
    ck_assert(tl_cg_precondition(&f.system.cg, false));
    ck_assert_int_eq(tl_cg_solve(&f.system.cg, b, 1e-6, 100, y, &left), 0);
    ck_assert_double_eq(test_largest(y, f.n), 0.0);
    ck_assert_double_eq(left, 0.0);
    /* all fixed: nothing to solve whatever the right-hand side */
    memset(f.system.fixed, 1, (size_t)f.mesh.vertex_count);
    for (int32_t i = 0; i < f.n; i++) {
        b[i] = 1.0;
    }
    ck_assert(tl_cg_precondition(&f.system.cg, false));
    ck_assert_int_eq(tl_cg_solve(&f.system.cg, b, 1e-6, 100, y, NULL), 0);
    ck_assert_double_eq(test_largest(y, f.n), 0.0);
    free(b);
    free(y);
    test_system_free(&f);
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
                        .linear_tolerance = 1e-14};
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
    test_system_free(&f);
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
                        .linear_tolerance = 1e-13};
    TlNewtonResult result = tl_newton(&f.system, &no_contacts, &options, f.x);
    ck_assert(result.finite && result.iterations < 50);
    tl_newton_gradient(&f.system, &no_contacts, f.x, f.system.grad);
    /* forces of the sheet are about 150 N */
    ASSERT_BELOW(test_largest(f.system.grad, f.n), 1e-9 * 150);
    test_system_free(&f);
}
END_TEST

/* A patch pressed together in its plane: buckling has no stiffness there, so that whole Newton
 * steps fly off and must be cut; the potential never grows. */
static void press_patch(double gentle) {
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
                        .gentle = gentle};
    TlPoint at = {f.x, NULL, 0.0};
    double last = tl_system_value(&f.system, &at);
    int32_t cuts = 0, unseen = 0;
    for (int k = 0; k < 60; k++) {
        memcpy(f.system.x_start, f.x, sizeof(double) * (size_t)f.n);
        TlNewtonResult result = tl_newton(&f.system, &no_contacts, &options, f.x);
        double energy = tl_system_value(&f.system, &at);
        ck_assert(result.finite);
        ck_assert_msg(energy <= last * (1 + ROUNDING), "step %d: energy from %g to %g", k, last,
                      energy);
        last = energy;
        cuts += result.cuts;
        unseen += result.gain == 0.0;
    }
    printf("gentle %g: %d cuts, %d of 60 steps unseen\n", gentle, (int)cuts, (int)unseen);
    ck_assert_msg(cuts > 0, "no step was cut: the start is not hard enough");
    ck_assert(gentle == 0.0 || unseen > 30);
    test_system_free(&f);
}

START_TEST(newton_line_search_lowers_the_potential) {
    press_patch(0.0);
}
END_TEST

START_TEST(newton_gentle_steps_lower_the_potential_unseen) {
    press_patch(0.2);
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
    test_system_free(&f);
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
                        .linear_tolerance = 1e-6};
    tl_newton(&f.system, &no_contacts, &options, f.x);
    for (int32_t v = 0; v < f.mesh.vertex_count; v++) {
        if (f.system.fixed[v]) {
            ck_assert_mem_eq(f.x + 3 * v, before + 3 * v, 3 * sizeof(double));
        }
    }
    free(before);
    test_system_free(&f);
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
                        .linear_tolerance = 1e-3};
    TlNewtonResult result = tl_newton(&f.system, &no_contacts, &options, f.x);
    bool finite = true;
    for (int32_t i = 0; i < f.n; i++) {
        finite = finite && isfinite(f.x[i]);
    }
    ck_assert_msg(!result.finite || finite, "a result called finite holds an infinity or NaN");
    test_system_free(&f);
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
        .x = f.x,
        .v = v,
        .pin_target = x0,
        .dt_s = STEP_S,
        .external = {{0, -9.81, 0}, 0},
        .newton = {.dt_s = STEP_S, .most_iterations = 2, .most_cg = 400, .linear_tolerance = 0.1}};
    TlStepResult result = tl_implicit_euler(&f.system, &no_contacts, &step);
    ck_assert(!result.newton.finite);
    ck_assert_mem_eq(f.x, x0, size);
    ck_assert_mem_eq(v, v0, size);
    free(v);
    free(x0);
    free(v0);
    test_system_free(&f);
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
    test_system_free(&f);
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
        test_system_free(&f);
    }
}
END_TEST

TEST_MAIN("solve", newton_step_is_shortened_to_the_longest_move,
          solve_energy_and_gradient_are_those_of_the_elements,
          solve_energy_of_nearly_flat_cloth_is_exact, solve_cg_in_single_precision,
          solve_cg_agrees_with_cholesky, solve_cg_with_few_free_vertices,
          solve_factor_is_kept_only_where_it_serves, solve_factor_is_kept_while_it_is_good,
          solve_cg_begins_with_a_guess, solve_cg_is_fast_on_large_meshes,
          solve_cg_stops_where_it_is_told, solve_cg_of_nothing_is_nothing,
          newton_converges_quadratically_under_tension, newton_leaves_no_force_where_it_converges,
          newton_line_search_lowers_the_potential, newton_gentle_steps_lower_the_potential_unseen,
          newton_moves_no_fixed_vertex, newton_says_when_nothing_is_finite,
          implicit_euler_leaves_the_state_when_it_fails, settle_balances_forces,
          settle_residual_is_that_of_the_final_state)
