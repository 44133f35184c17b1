/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The sparse factor against a dense one, and the order of elimination. */
#include "force/bend_linear.h"
#include "solve/dissection.h"
#include "solve/ldl.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

/* 64 roundings of a well conditioned system */
#define EXACT 1e-13

typedef struct Fixture {
    TestMesh mesh;
    TestModel model;
    TlScalarMatrix L;
} Fixture;

/* The bending matrix of a mesh. */
static void set_up(Fixture *f, TestMesh mesh) {
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0.01);
    f->mesh = mesh;
    test_model(&f->mesh, &fabric, TOILE_PATTERN_NONE, &f->model);
    const TlHingeSet *sets[1] = {&f->model.model.sets.hinges[TL_HINGE_LINEAR]};
    ck_assert(tl_bend_linear_matrix(&f->model.arena, sets, 1, f->mesh.vertex_count, &f->L));
}

static void tear_down(Fixture *f) {
    test_model_free(&f->model);
    test_mesh_free(&f->mesh);
}

static void check_order(const TlScalarMatrix *L, const int32_t *order) {
    bool *seen = test_alloc(sizeof *seen * (size_t)L->row_count);
    memset(seen, 0, sizeof *seen * (size_t)L->row_count);
    for (int32_t k = 0; k < L->row_count; k++) {
        ck_assert(order[k] >= 0 && order[k] < L->row_count && !seen[order[k]]);
        seen[order[k]] = true;
    }
    free(seen);
}

/* Solves with a factor and densely: diag(d) + scale L without fixed rows and columns. */
static void check_solve(Fixture *f, double scale, const double *d, const uint8_t *fixed) {
    int32_t n = f->L.row_count;
    TlLdl ldl;
    ck_assert(tl_ldl_build(&f->model.arena, &f->L, &ldl));
    check_order(&f->L, ldl.order);
    ck_assert(tl_ldl_factor(&ldl, &f->L, scale, d, fixed));
    double *b = test_alloc(3 * sizeof(double) * (size_t)n);
    TestRandom random = test_random(7);
    for (int32_t i = 0; i < 3 * n; i++) {
        b[i] = test_between(&random, -1, 1);
    }
    for (int axis = 0; axis < 3; axis++) {
        double *dense = test_alloc(sizeof(double) * (size_t)n * (size_t)n);
        double *y = test_alloc(sizeof(double) * (size_t)n);
        memset(dense, 0, sizeof(double) * (size_t)n * (size_t)n);
        for (int32_t v = 0; v < n; v++) {
            dense[v * n + v] = d[v];
            y[v] = b[3 * v + axis];
            for (int32_t s = f->L.row_start[v]; s < f->L.row_start[v + 1]; s++) {
                bool out = fixed[v] || fixed[f->L.column[s]];
                dense[v * n + f->L.column[s]] += out ? 0.0 : scale * f->L.value[s];
            }
        }
        test_cholesky_solve(dense, y, n);
        double *all = test_alloc(3 * sizeof(double) * (size_t)n);
        memcpy(all, b, 3 * sizeof(double) * (size_t)n);
        tl_ldl_solve(&ldl, all);
        for (int32_t v = 0; v < n; v++) {
            ASSERT_NEAR(all[3 * v + axis], y[v], EXACT * test_largest(y, n));
        }
        free(dense);
        free(y);
        free(all);
    }
    free(b);
}

static void check_mesh(TestMesh mesh, TestRandom *random) {
    Fixture f;
    set_up(&f, mesh);
    int32_t n = f.L.row_count;
    double *d = test_alloc(sizeof *d * (size_t)n);
    uint8_t *fixed = test_alloc((size_t)n);
    for (int trial = 0; trial < 3; trial++) {
        for (int32_t v = 0; v < n; v++) {
            d[v] = test_between(random, 0.5, 1.0);
            fixed[v] = trial > 0 && test_below(random, 3) == 0;
        }
        check_solve(&f, trial == 2 ? 10.0 : 0.1, d, fixed);
    }
    free(d);
    free(fixed);
    tear_down(&f);
}

/* from one part without separator to several levels of them */
START_TEST(ldl_agrees_with_dense_cholesky) {
    TestRandom random = test_random(170);
    check_mesh(test_grid(1, 1, 1, 1, TEST_DIAGONAL_SINGLE), &random);
    check_mesh(test_grid(5, 4, 1, 1, TEST_DIAGONAL_SINGLE), &random);
    check_mesh(test_grid(14, 13, 1, 1, TEST_DIAGONAL_HERRINGBONE), &random);
    check_mesh(test_jittered(16, 9, &random), &random);
    check_mesh(test_tube(8, 20, 0.05, 1.0), &random);
}
END_TEST

/* the same factor object serves another step and other pins */
START_TEST(ldl_is_factored_again) {
    TestRandom random = test_random(171);
    Fixture f;
    set_up(&f, test_jittered(7, 7, &random));
    int32_t n = f.L.row_count;
    TlLdl once, twice;
    double d[64], b[192], c[192];
    uint8_t none[64] = {0}, some[64] = {0};
    ck_assert_int_eq(n, 64);
    some[3] = some[40] = 1;
    for (int32_t i = 0; i < 3 * n; i++) {
        d[i / 3] = 1.0;
        b[i] = c[i] = test_between(&random, -1, 1);
    }
    ck_assert(tl_ldl_build(&f.model.arena, &f.L, &once));
    ck_assert(tl_ldl_build(&f.model.arena, &f.L, &twice));
    ck_assert(tl_ldl_factor(&once, &f.L, 2.0, d, none));
    ck_assert(tl_ldl_factor(&twice, &f.L, 7.0, d, some));
    ck_assert(tl_ldl_factor(&twice, &f.L, 2.0, d, none));
    tl_ldl_solve(&once, b);
    tl_ldl_solve(&twice, c);
    ck_assert_mem_eq(b, c, sizeof b);
    d[5] = -1e6;
    ck_assert(!tl_ldl_factor(&twice, &f.L, 2.0, d, none));
    tear_down(&f);
}
END_TEST

/* rows without entries, and parts that are not connected */
START_TEST(ldl_takes_any_pattern) {
    int32_t start[121] = {0}, column[240];
    double value[240], d[120], b[360];
    uint8_t fixed[120] = {0};
    TlArena arena;
    TlLdl ldl;
    int32_t count = 0;
    tl_arena_init(&arena, tl_allocator_or_default(NULL));
    /* a chain of 50 rows at even places, the others empty */
    for (int32_t v = 0; v < 120; v++) {
        for (int32_t other = v - 2; other <= v + 2 && v % 2 == 0 && v < 100; other += 2) {
            if (other >= 0 && other < 100) {
                column[count] = other;
                value[count++] = other == v ? 2.0 : -1.0;
            }
        }
        start[v + 1] = count;
        d[v] = 1.0 + v;
        b[3 * v] = d[v];
        b[3 * v + 1] = 2.0 * d[v];
        b[3 * v + 2] = 0.0;
    }
    TlScalarMatrix L = {120, start, column, value};
    ck_assert(tl_ldl_build(&arena, &L, &ldl));
    check_order(&L, ldl.order);
    ck_assert(tl_ldl_factor(&ldl, &L, 0.0, d, fixed));
    tl_ldl_solve(&ldl, b);
    for (int32_t v = 0; v < 120; v++) {
        ASSERT_NEAR(b[3 * v], 1.0, EXACT);
        ASSERT_NEAR(b[3 * v + 1], 2.0, EXACT);
        ck_assert_double_eq(b[3 * v + 2], 0.0);
    }
    TlScalarMatrix nothing = {0, start, column, value};
    ck_assert(tl_ldl_build(&arena, &nothing, &ldl));
    ck_assert(tl_ldl_factor(&ldl, &nothing, 1.0, d, fixed));
    tl_ldl_solve(&ldl, b);
    tl_arena_free(&arena);
}
END_TEST

/* Of a grid of n rows the factor by bands has sqrt n entries a row, that by dissection about log n;
 * measured 52 at 51 x 51. */
START_TEST(ldl_stays_sparse) {
    Fixture f;
    TlLdl ldl;
    set_up(&f, test_grid(50, 50, 1, 1, TEST_DIAGONAL_SINGLE));
    ck_assert(tl_ldl_build(&f.model.arena, &f.L, &ldl));
    ck_assert_int_lt((int)(ldl.start[ldl.n] / ldl.n), 60);
    tear_down(&f);
}
END_TEST

TEST_MAIN("ldl", ldl_agrees_with_dense_cholesky, ldl_is_factored_again, ldl_takes_any_pattern,
          ldl_stays_sparse)
