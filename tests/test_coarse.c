/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The coarse space: a partition of unity on every mesh, and a Galerkin solve that is one. */
#include "solve/coarse.h"

#include "force/bend_linear.h"
#include "force/stretch_stvk.h"
#include "solve/system.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

/* rounding of sums of four weights */
#define ROUNDING 1e-13

typedef struct Fixture {
    TestMesh mesh;
    TestModel model;
    TlPool *pool;
    TlSystem system;
} Fixture;

static void set_up(Fixture *f, TestMesh mesh) {
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0.01);
    memset(f, 0, sizeof *f);
    f->mesh = mesh;
    test_model(&f->mesh, &fabric, TOILE_PATTERN_METRIC, &f->model);
    f->pool = tl_pool_create(1, NULL);
    ck_assert(tl_system_build(&f->model.arena, &f->model.model, f->pool, &f->system));
}

static void tear_down(Fixture *f) {
    tl_pool_destroy(f->pool);
    test_model_free(&f->model);
    test_mesh_free(&f->mesh);
}

/* Weights are in [0, 1], on distinct nodes, and sum to 1; `alone` vertices may have none. */
static void check_weights(const TlCoarse *coarse, int32_t n, int32_t alone) {
    int32_t without = 0;
    for (int32_t v = 0; v < n; v++) {
        const int32_t *node = coarse->node + TL_COARSE_SUPPORT * v;
        double sum = 0.0;
        for (int k = 0; k < TL_COARSE_SUPPORT; k++) {
            double w = coarse->weight[TL_COARSE_SUPPORT * v + k];
            ck_assert(node[k] >= -1 && node[k] < coarse->node_count);
            ck_assert(w >= 0.0 && w <= 1.0 + ROUNDING && (node[k] >= 0 || w == 0.0));
            for (int j = 0; j < k; j++) {
                ck_assert(node[k] < 0 || node[j] != node[k]);
            }
            sum += w;
        }
        without += node[0] < 0;
        if (node[0] >= 0) {
            ASSERT_NEAR(sum, 1.0, ROUNDING);
        }
    }
    ck_assert_int_le(without, alone);
}

/* The lists of the nodes hold the same weights. */
static void check_lists(const TlCoarse *coarse, int32_t n) {
    int32_t total = 0;
    for (int32_t node = 0; node < coarse->node_count; node++) {
        for (int32_t m = coarse->start[node]; m < coarse->start[node + 1]; m++, total++) {
            int32_t v = coarse->vertex[m], found = 0;
            ck_assert(m == coarse->start[node] || v > coarse->vertex[m - 1]);
            for (int k = 0; k < TL_COARSE_SUPPORT; k++) {
                found += coarse->node[TL_COARSE_SUPPORT * v + k] == node &&
                         coarse->weight[TL_COARSE_SUPPORT * v + k] == coarse->vertex_weight[m];
            }
            ck_assert_int_eq(found, 1);
        }
    }
    int32_t want = 0;
    for (int32_t i = 0; i < TL_COARSE_SUPPORT * n; i++) {
        want += coarse->node[i] >= 0;
    }
    ck_assert_int_eq(total, want);
}

START_TEST(coarse_weights_are_a_partition_of_unity) {
    TestRandom random = test_random(131);
    for (int32_t size = 1; size <= 16; size *= 2) {
        Fixture f;
        set_up(&f, test_jittered(size, size, &random));
        check_weights(&f.system.coarse, f.mesh.vertex_count, 0);
        check_lists(&f.system.coarse, f.mesh.vertex_count);
        tear_down(&f);
    }
}
END_TEST

START_TEST(coarse_one_triangle) {
    static const double points[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const int32_t face[1][3] = {{0, 1, 2}};
    Fixture f;
    set_up(&f, test_triangles(3, points, 1, face));
    ck_assert_int_eq(f.system.coarse.node_count, 1);
    check_weights(&f.system.coarse, 3, 0);
    tear_down(&f);
}
END_TEST

/* Patches of one triangle each, far more than there are nodes, and an isolated vertex. */
START_TEST(coarse_disconnected_meshes) {
    enum { PATCHES = 30 };
    double points[3 * PATCHES + 1][3];
    int32_t faces[PATCHES][3];
    for (int i = 0; i < PATCHES; i++) {
        for (int k = 0; k < 3; k++) {
            points[3 * i + k][0] = 3.0 * i + (k == 1);
            points[3 * i + k][1] = k == 2;
            points[3 * i + k][2] = 0.0;
            faces[i][k] = 3 * i + k;
        }
    }
    points[3 * PATCHES][0] = points[3 * PATCHES][1] = points[3 * PATCHES][2] = -5.0;
    Fixture f;
    set_up(&f, test_triangles(3 * PATCHES + 1, (const double(*)[3])points, PATCHES,
                              (const int32_t(*)[3])faces));
    int32_t nodes = f.system.coarse.node_count;
    check_weights(&f.system.coarse, f.mesh.vertex_count, f.mesh.vertex_count - 3 * (nodes - 1) - 1);
    check_lists(&f.system.coarse, f.mesh.vertex_count);
    tear_down(&f);
}
END_TEST

/* The dense matrix of a system with unit mass on the diagonal. */
static void fill_matrix(Fixture *f) {
    TlPoint at = {f->mesh.positions, NULL, 0.0};
    tl_system_derive(&f->system, &at, true, f->system.grad);
    for (int32_t v = 0; v < f->mesh.vertex_count; v++) {
        for (int i = 0; i < 9; i += 4) {
            f->system.matrix.block[9 * f->system.matrix.diagonal[v] + i] += 1.0;
        }
    }
}

/* P e for one coarse value e: row v gets weight times e. */
static void prolong(const TlCoarse *coarse, int32_t n, double *out) {
    memset(out, 0, 3 * sizeof *out * (size_t)n);
    for (int32_t v = 0; v < n; v++) {
        tl_coarse_add(coarse, v, out + 3 * v);
    }
}

static void check_galerkin(Fixture *f) {
    int32_t n = f->mesh.vertex_count;
    TlCoarse *coarse = &f->system.coarse;
    double *y = test_alloc(3 * sizeof(double) * (size_t)n),
           *r = test_alloc(3 * sizeof(double) * (size_t)n);
    double *want = test_alloc(3 * sizeof(double) * (size_t)coarse->node_count);
    fill_matrix(f);
    tl_coarse_factor(coarse, f->pool, &f->system.matrix, f->system.fixed);
    ck_assert(coarse->ready);
    /* r = A P e, over the free vertices, gives e back */
    for (int32_t i = 0; i < 3 * coarse->node_count; i++) {
        want[i] = coarse->value[i] = sin(1.7 * i + 0.3);
    }
    prolong(coarse, n, y);
    for (int32_t v = 0; v < n; v++) {
        if (f->system.fixed[v]) {
            memset(y + 3 * v, 0, 3 * sizeof *y);
        }
    }
    for (int32_t v = 0; v < n; v++) {
        if (!f->system.fixed[v]) {
            tl_block_matrix_row(&f->system.matrix, v, y, r + 3 * v);
        }
    }
    tl_coarse_solve(coarse, f->pool, r);
    for (int32_t i = 0; i < 3 * coarse->node_count; i++) {
        /* the factor carries a shift of 1e-9 of its diagonal, amplified by the condition number */
        ASSERT_NEAR(coarse->value[i], want[i], 1e-3);
    }
    free(y);
    free(r);
    free(want);
}

START_TEST(coarse_solve_inverts_the_galerkin_matrix) {
    TestRandom random = test_random(132);
    Fixture f;
    set_up(&f, test_jittered(6, 5, &random));
    check_galerkin(&f);
    tear_down(&f);
}
END_TEST

START_TEST(coarse_solve_leaves_fixed_vertices_out) {
    TestRandom random = test_random(135);
    Fixture f;
    set_up(&f, test_jittered(8, 6, &random));
    for (int32_t v = 0; v < f.mesh.vertex_count; v += 5) {
        f.system.fixed[v] = 1;
    }
    check_galerkin(&f);
    tear_down(&f);
}
END_TEST

START_TEST(coarse_all_pinned_is_harmless) {
    TestRandom random = test_random(133);
    Fixture f;
    set_up(&f, test_jittered(4, 4, &random));
    fill_matrix(&f);
    memset(f.system.fixed, 1, (size_t)f.mesh.vertex_count);
    tl_coarse_factor(&f.system.coarse, f.pool, &f.system.matrix, f.system.fixed);
    tl_coarse_solve(&f.system.coarse, f.pool, f.system.grad);
    for (int32_t i = 0; i < 3 * f.system.coarse.node_count; i++) {
        ck_assert(isfinite(f.system.coarse.value[i]));
    }
    tear_down(&f);
}
END_TEST

/* the choice of nodes depends on the mesh alone */
START_TEST(coarse_is_the_same_each_time) {
    TestRandom random = test_random(134), again = random;
    Fixture f, g;
    set_up(&f, test_jittered(9, 7, &random));
    set_up(&g, test_jittered(9, 7, &again));
    size_t count = TL_COARSE_SUPPORT * (size_t)f.mesh.vertex_count;
    ck_assert_mem_eq(f.system.coarse.node, g.system.coarse.node, count * sizeof(int32_t));
    ck_assert_mem_eq(f.system.coarse.weight, g.system.coarse.weight, count * sizeof(double));
    tear_down(&f);
    tear_down(&g);
}
END_TEST

TEST_MAIN("coarse", coarse_weights_are_a_partition_of_unity, coarse_one_triangle,
          coarse_disconnected_meshes, coarse_solve_inverts_the_galerkin_matrix,
          coarse_solve_leaves_fixed_vertices_out, coarse_all_pinned_is_harmless,
          coarse_is_the_same_each_time)
