/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The coarse levels: a partition of unity on every mesh, the Galerkin matrices of every model, and
 * solves that are ones. */
#include "solve/coarse.h"

#include "support/systems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* rounding of triangular solves over some dozens of unknowns, of the size of their terms */
#define SOLVED 1e-13
/* rounding of the factor's own sums */
#define FACTORED 1e-12
/* pivots are raised by 1e-13, and stretch is a hundred times stronger than inertia */
#define FALL 1e-11
#define STEP_S 0.01
/* cells that vertices may be from where their weights put them, on average; by distance alone it is
 * 0.77, and most of the rest is at borders, since weights are not negative */
#define MISPLACED 0.4

static ToileFabric plain_fabric(void) {
    return test_fabric(1000, 600, 150, 0.3, 0.01);
}

/* ---- weights ---- */

/* Weights are in [0, 1], on distinct values of the next level, and sum to 1 to the last bit in any
 * order; `alone` rows may have none. */
static void check_weights(const TlInterpolation *p, int32_t alone) {
    int32_t without = 0;
    for (int32_t row = 0; row < p->rows; row++) {
        const int32_t *node = p->node + TL_COARSE_SUPPORT * row;
        const float *w = p->weight + TL_COARSE_SUPPORT * row;
        for (int k = 0; k < TL_COARSE_SUPPORT; k++) {
            ck_assert(node[k] >= -1 && node[k] < p->count);
            ck_assert(w[k] >= 0.0F && w[k] <= 1.0F && (node[k] >= 0 || w[k] == 0.0F));
            /* none comes last */
            ck_assert(k == 0 || node[k] < 0 || node[k - 1] >= 0);
            for (int j = 0; j < k; j++) {
                ck_assert(node[k] < 0 || node[j] != node[k]);
            }
        }
        without += node[0] < 0;
        if (node[0] >= 0) {
            ck_assert(((w[0] + w[1]) + w[2]) + w[3] == 1.0F);
            ck_assert(((w[3] + w[2]) + w[1]) + w[0] == 1.0F);
            ck_assert((w[0] + w[2]) + (w[3] + w[1]) == 1.0F);
        }
    }
    ck_assert_int_le(without, alone);
}

START_TEST(coarse_weights_are_a_partition_of_unity) {
    TestRandom random = test_random(131);
    ToileFabric fabric = plain_fabric();
    for (int32_t size = 1; size <= 64; size *= 2) {
        for (int mixed = 0; mixed < 2; mixed++) {
            TestSystem f;
            test_system(
                &f, mixed ? test_mixed(size, size, &random) : test_jittered(size, size, &random),
                &fabric, 1, 0.1, &random);
            check_weights(&f.system.coarse.nodes, 0);
            check_weights(&f.system.coarse.hubs, 0);
            ck_assert_int_eq(f.system.coarse.nodes.rows, f.mesh.vertex_count);
            ck_assert_int_eq(f.system.coarse.hubs.rows, f.system.coarse.nodes.count);
            test_system_free(&f);
        }
    }
}
END_TEST

/* The vertex a node stands on: the one it has most weight at. */
static int32_t place_of(const TlInterpolation *p, int32_t node) {
    int32_t best = 0;
    float most = 0.0F;
    for (int32_t i = 0; i < TL_COARSE_SUPPORT * p->rows; i++) {
        if (p->node[i] == node && p->weight[i] > most) {
            most = p->weight[i];
            best = i / TL_COARSE_SUPPORT;
        }
    }
    return best;
}

/* How far vertices are from where their nodes put them, m, on average. */
static double misplaced(const TlInterpolation *p, const double *x) {
    double sum = 0.0;
    for (int32_t v = 0; v < p->rows; v++) {
        TlVec3 d = tl_scale3(-1.0, tl_load3(x + 3 * (int64_t)v));
        for (int32_t i = TL_COARSE_SUPPORT * v; i < TL_COARSE_SUPPORT * (v + 1); i++) {
            if (p->node[i] >= 0) {
                int32_t place = place_of(p, p->node[i]);
                d = tl_madd3(d, (double)p->weight[i], tl_load3(x + 3 * (int64_t)place));
            }
        }
        sum += tl_length3(d);
    }
    return sum / p->rows;
}

START_TEST(coarse_weights_put_vertices_where_they_are) {
    TestRandom random = test_random(138);
    ToileFabric fabric = plain_fabric();
    TestSystem f;
    test_system(&f, test_jittered(32, 32, &random), &fabric, 1, 0.1, &random);
    double cell_m = sqrt(f.model.model.area[16 * 33 + 16]);
    double by_cells = misplaced(&f.system.coarse.nodes, f.model.model.position) / cell_m;
    printf("weights put vertices %.3f cells away\n", by_cells);
    ck_assert_double_le(by_cells, MISPLACED);
    test_system_free(&f);
}
END_TEST

START_TEST(coarse_one_triangle) {
    static const double points[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const int32_t face[1][3] = {{0, 1, 2}};
    TestRandom random = test_random(136);
    ToileFabric fabric = plain_fabric();
    TestSystem f;
    test_system(&f, test_triangles(3, points, 1, face), &fabric, 1, 0.1, &random);
    ck_assert_int_eq(f.system.coarse.nodes.count, 1);
    ck_assert_int_eq(f.system.coarse.hubs.count, 1);
    check_weights(&f.system.coarse.nodes, 0);
    check_weights(&f.system.coarse.hubs, 0);
    test_system_free(&f);
}
END_TEST

/* Patches of one triangle each, far more than there are nodes, and an isolated vertex. */
enum { PATCHES = 30 };
static TestMesh patches(void) {
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
    return test_triangles(3 * PATCHES + 1, (const double(*)[3])points, PATCHES,
                          (const int32_t(*)[3])faces);
}

START_TEST(coarse_disconnected_meshes) {
    TestRandom random = test_random(137);
    ToileFabric fabric = plain_fabric();
    TestSystem f;
    test_system(&f, patches(), &fabric, 1, 0.1, &random);
    int32_t nodes = f.system.coarse.nodes.count;
    check_weights(&f.system.coarse.nodes, f.mesh.vertex_count - 3 * (nodes - 1) - 1);
    check_weights(&f.system.coarse.hubs, nodes);
    test_system_free(&f);
}
END_TEST

static void expect_same_weights(const TlInterpolation *a, const TlInterpolation *b) {
    size_t count = TL_COARSE_SUPPORT * (size_t)a->rows;
    ck_assert_int_eq(a->rows, b->rows);
    ck_assert_int_eq(a->count, b->count);
    ck_assert_mem_eq(a->node, b->node, count * sizeof(int32_t));
    ck_assert_mem_eq(a->weight, b->weight, count * sizeof(float));
}

/* the choice of nodes and hubs depends on the mesh alone */
START_TEST(coarse_is_the_same_each_time) {
    TestRandom random = test_random(134), again = random;
    ToileFabric fabric = plain_fabric();
    TestSystem f, g;
    test_system(&f, test_jittered(60, 40, &random), &fabric, 1, 0.1, &random);
    test_system(&g, test_jittered(60, 40, &again), &fabric, 3, 0.1, &again);
    ck_assert_int_lt(f.system.coarse.hubs.count, f.system.coarse.nodes.count);
    expect_same_weights(&f.system.coarse.nodes, &g.system.coarse.nodes);
    expect_same_weights(&f.system.coarse.hubs, &g.system.coarse.hubs);
    test_system_free(&f);
    test_system_free(&g);
}
END_TEST

/* ---- the Galerkin matrices ---- */

/* out = P e, 3 per row, 0 where fixed (NULL: nowhere). */
static void spread(const TlInterpolation *p, const uint8_t *fixed, const double *e, double *out) {
    for (int32_t i = 0; i < 3 * p->rows; i++) {
        out[i] = 0.0;
        for (int k = 0; k < TL_COARSE_SUPPORT && (fixed == NULL || !fixed[i / 3]); k++) {
            int32_t at = TL_COARSE_SUPPORT * (i / 3) + k;
            if (p->node[at] >= 0) {
                out[i] += (double)p->weight[at] * e[3 * p->node[at] + i % 3];
            }
        }
    }
}

/* out = P^T r */
static void collect(const TlInterpolation *p, const uint8_t *fixed, const double *r, double *out) {
    memset(out, 0, 3 * sizeof *out * (size_t)p->count);
    for (int32_t i = 0; i < 3 * p->rows; i++) {
        for (int k = 0; k < TL_COARSE_SUPPORT && (fixed == NULL || !fixed[i / 3]); k++) {
            int32_t at = TL_COARSE_SUPPORT * (i / 3) + k;
            if (p->node[at] >= 0) {
                out[3 * p->node[at] + i % 3] += (double)p->weight[at] * r[i];
            }
        }
    }
}

/* B as a dense matrix; caller frees. */
static double *node_matrix(const TlCoarse *coarse) {
    const TlNodeMatrix *B = &coarse->matrix;
    int32_t size = 3 * B->n;
    double *out = test_alloc(sizeof(double) * (size_t)size * (size_t)size);
    for (int32_t a = 0; a < B->n; a++) {
        ck_assert_int_eq(B->column[B->row_start[a]], a);
        for (int32_t s = B->row_start[a]; s < B->row_start[a + 1]; s++) {
            ck_assert(s == B->row_start[a] || B->column[s] > B->column[s - 1]);
            for (int i = 0; i < 9; i++) {
                int32_t row = 3 * a + i / 3, column = 3 * B->column[s] + i % 3;
                double value = B->block[3 * s + i / 3][i % 3];
                out[row * size + column] = out[column * size + row] = value;
            }
        }
    }
    return out;
}

/* L L^T of the factor on the hubs; caller frees. */
static double *hub_matrix(const TlCoarse *coarse) {
    int32_t size = 3 * coarse->hubs.count;
    double *out = test_alloc(sizeof(double) * (size_t)size * (size_t)size);
    for (int32_t i = 0; i < size; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int32_t k = 0; k <= j; k++) {
                sum += coarse->dense[i * size + k] * coarse->dense[j * size + k];
            }
            out[i * size + j] = out[j * size + i] = sum;
        }
    }
    return out;
}

/* out = M p, dense */
static void times(const double *M, int32_t size, const double *p, double *out) {
    for (int32_t i = 0; i < size; i++) {
        out[i] = 0.0;
        for (int32_t j = 0; j < size; j++) {
            out[i] += M[i * size + j] * p[j];
        }
    }
}

/* Hessians of a packed set, at a point. Caller frees. */
static double *packed_hessians(const TlElements *elements, const TlPoint *at) {
    size_t corners = (size_t)elements->arity * (size_t)elements->count;
    double *grad = test_alloc(3 * sizeof(double) * (corners + 1));
    double *hess = test_alloc(sizeof(double) * (size_t)(tl_hessian_size(elements) + 1));
    elements->derive(elements->model, at, 0, elements->count, grad, hess);
    free(grad);
    return hess;
}

/* Takes the twist out of values at the corners of a quad, 3 each. */
static void untwist(double p[12]) {
    for (int i = 0; i < 3; i++) {
        double t = 0.25 * (p[i] - p[3 + i] + p[6 + i] - p[9 + i]);
        for (int c = 0; c < 4; c++) {
            p[3 * c + i] -= c % 2 == 0 ? t : -t;
        }
    }
}

/* out = H p of element e */
static void element_times(const TlElements *elements, const double *hess, int32_t e,
                          const double p[12], double out[12]) {
    int arity = elements->arity;
    memset(out, 0, 12 * sizeof *out);
    for (int k = 0; k < arity * arity; k++) {
        double block[9];
        test_element_block(elements, hess, e, k / arity, k % arity, block);
        for (int i = 0; i < 9; i++) {
            out[3 * (k / arity) + i / 3] += block[i] * p[3 * (k % arity) + i % 3];
        }
    }
}

/* How often an element counts in B. */
static double share_of(const TlElements *elements, int32_t stride, int32_t e) {
    int32_t left = elements->count - e;
    return e % stride > 0 ? 0.0 : (double)(left < stride ? left : stride);
}

/* Makes of r = A y what B knows of A: of quads their diagonals alone, and of many triangles some.
 */
static void leave_out(const TlElements *elements, const double *hess, int32_t stride,
                      const double *y, double *r) {
    int32_t arity = elements->arity;
    for (int32_t e = 0; e < elements->count; e++) {
        const int32_t *vertex = elements->vertex + arity * e;
        double p[12], all[12], some[12], share = share_of(elements, stride, e);
        for (int i = 0; i < 3 * arity; i++) {
            p[i] = y[3 * vertex[i / 3] + i % 3];
        }
        element_times(elements, hess, e, p, all);
        if (arity == 4) {
            untwist(p);
            element_times(elements, hess, e, p, some);
            untwist(some);
        } else {
            memcpy(some, all, sizeof some);
        }
        for (int i = 0; i < 3 * arity; i++) {
            r[3 * vertex[i / 3] + i % 3] -= all[i] - share * some[i];
        }
    }
}

enum { MOST_ENERGIES = 16 };

/* B is P^T A P of what it counts of A, column by column; `got` is B. */
static void check_nodes(const TestSystem *f, const TlPoint *at, const double *got) {
    const TlInterpolation *p = &f->system.coarse.nodes;
    int32_t size = 3 * p->count;
    size_t room = sizeof(double) * (size_t)f->n;
    double *e = test_alloc(sizeof(double) * (size_t)size), *y = test_alloc(room),
           *r = test_alloc(room), *want = test_alloc(sizeof(double) * (size_t)size);
    double scale = test_largest(got, (int64_t)size * size);
    TestBlocks blocks = test_blocks(f, at);
    double *hess[MOST_ENERGIES] = {NULL};
    ck_assert(f->system.energy_count <= MOST_ENERGIES);
    for (int32_t k = 0; k < f->system.energy_count; k++) {
        const TlElements *elements = &f->system.energies[k].elements;
        hess[k] = tl_is_packed(elements) ? packed_hessians(elements, at) : NULL;
    }
    for (int32_t j = 0; j < size; j++) {
        memset(e, 0, sizeof(double) * (size_t)size);
        e[j] = 1.0;
        spread(p, f->system.fixed, e, y);
        test_blocks_times(&blocks, f->n, y, r, NULL);
        for (int32_t k = 0; k < f->system.energy_count; k++) {
            const TlElements *elements = &f->system.energies[k].elements;
            if (hess[k] != NULL) {
                leave_out(elements, hess[k], tl_coarse_stride(&f->system.coarse, elements), y, r);
            }
        }
        collect(p, f->system.fixed, r, want);
        for (int32_t i = 0; i < size; i++) {
            ASSERT_NEAR(got[i * size + j], want[i], SINGLE * scale);
        }
    }
    test_blocks_free(&blocks);
    for (int32_t k = 0; k < MOST_ENERGIES; k++) {
        free(hess[k]);
    }
    free(e);
    free(y);
    free(r);
    free(want);
}

/* The factor is that of Q^T B Q. */
static void check_hubs(const TlCoarse *coarse, const double *B) {
    int32_t size = 3 * coarse->hubs.count, nodes = 3 * coarse->nodes.count;
    double *e = test_alloc(sizeof(double) * (size_t)size),
           *y = test_alloc(sizeof(double) * (size_t)nodes),
           *r = test_alloc(sizeof(double) * (size_t)nodes),
           *want = test_alloc(sizeof(double) * (size_t)size), *got = hub_matrix(coarse);
    double scale = test_largest(got, (int64_t)size * size);
    ck_assert(coarse->ready);
    for (int32_t j = 0; j < size; j++) {
        memset(e, 0, sizeof(double) * (size_t)size);
        e[j] = 1.0;
        spread(&coarse->hubs, NULL, e, y);
        times(B, nodes, y, r);
        collect(&coarse->hubs, NULL, r, want);
        /* a hub without free vertices has a row of its own */
        want[j] = want[j] == 0.0 ? 1.0 : want[j];
        for (int32_t i = 0; i < size; i++) {
            ASSERT_NEAR(got[i * size + j], want[i], FACTORED * scale);
        }
    }
    free(e);
    free(y);
    free(r);
    free(want);
    free(got);
}

/* Diagonal blocks of nodes, inverted where there are fewer hubs than nodes. */
static void check_inverses(const TlCoarse *coarse, const double *B) {
    static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    int32_t size = 3 * coarse->nodes.count;
    for (int32_t a = 0; a < coarse->nodes.count; a++) {
        const TlFloat4 *inverse = coarse->inverse + 2 * a;
        double own[9], turned[9];
        for (int i = 0; i < 9; i++) {
            own[i] = B[(3 * a + i / 3) * size + 3 * a + i % 3];
            turned[i] = (double)inverse[place[i] / 4][place[i] % 4];
        }
        bool none = coarse->hubs.count == coarse->nodes.count || test_largest(own, 9) == 0.0;
        double scale = 9.0 * test_largest(own, 9) * test_largest(turned, 9);
        for (int i = 0; i < 9; i++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                sum += own[3 * (i / 3) + k] * turned[3 * k + i % 3];
            }
            ASSERT_NEAR(sum, i % 4 == 0 && !none ? 1.0 : 0.0, SINGLE * scale);
        }
    }
}

static void check_galerkin(const TestSystem *f, const TlPoint *at) {
    double *B = node_matrix(&f->system.coarse);
    check_nodes(f, at, B);
    check_hubs(&f->system.coarse, B);
    check_inverses(&f->system.coarse, B);
    free(B);
}

static void make_matrix(TestSystem *f, const TlPoint *at) {
    tl_system_derive(&f->system, at, true, f->system.grad);
    ck_assert(tl_operator_prepare(&f->system.matrix, f->pool));
    tl_coarse_factor(&f->system.coarse, f->pool, &f->system.matrix);
}

/* Mesh number i: triangles, quads, both. */
enum { MESHES = 3 };
static TestMesh any_mesh(int32_t i, TestRandom *random) {
    return i == 0   ? test_jittered(6, 5, random)
           : i == 1 ? test_grid(6, 5, 6, 5, TEST_DIAGONAL_NONE)
                    : test_mixed(6, 5, random);
}

/* Blocks, rows and packed Hessians, with weights, contacts and bending, free and fixed by turns; at
 * last the faces as blocks too. */
START_TEST(coarse_matrix_is_that_of_galerkin) {
    TestRandom random = test_random(132);
    for (int32_t i = 0; i < TEST_FABRICS * MESHES; i++) {
        ToileFabric fabric = test_any_fabric(i / MESHES);
        TestSystem f;
        test_system_bent(&f, any_mesh(i % MESHES, &random), &fabric, 0.1, 0.2, &random);
        TlPoint at = test_system_at(&f, i % 2 * STEP_S);
        test_system_weigh(&f, 10, 100, &random);
        test_system_touch(&f, 4, 500, &random);
        make_matrix(&f, &at);
        check_galerkin(&f, &at);
        /* other weights, other fixed vertices, then none again: all are noticed */
        test_system_weigh(&f, 10, 100, &random);
        make_matrix(&f, &at);
        check_galerkin(&f, &at);
        test_system_fix(&f, 4, &random);
        make_matrix(&f, &at);
        check_galerkin(&f, &at);
        test_system_fix(&f, 3, &random);
        make_matrix(&f, &at);
        check_galerkin(&f, &at);
        memset(f.system.fixed, 0, (size_t)f.mesh.vertex_count);
        make_matrix(&f, &at);
        check_galerkin(&f, &at);
        test_system_fix(&f, 4, &random);
        test_system_unpack(&f);
        make_matrix(&f, &at);
        check_galerkin(&f, &at);
        test_system_free(&f);
    }
}
END_TEST

START_TEST(coarse_matrix_of_disconnected_meshes) {
    TestRandom random = test_random(138);
    ToileFabric fabric = plain_fabric();
    TestSystem f;
    test_system(&f, patches(), &fabric, 1, 0.1, &random);
    TlPoint at = test_system_at(&f, 0.0);
    test_system_weigh(&f, 10, 100, &random);
    make_matrix(&f, &at);
    check_galerkin(&f, &at);
    test_system_free(&f);
}
END_TEST

/* A mixed mesh with vertices in any order, of several parts and with fewer hubs than nodes. */
static void large_system(TestSystem *f, int32_t side, const ToileFabric *fabric,
                         TestRandom *random) {
    TestMesh plain = test_mixed(side, side, random);
    int32_t *order = test_alloc(sizeof(int32_t) * (size_t)plain.vertex_count);
    test_shuffle(random, order, plain.vertex_count);
    test_system(f, test_renumbered(&plain, order), fabric, 2, 0.2, random);
    test_system_weigh(f, 10, 100, random);
    test_system_touch(f, 10, 500, random);
    test_mesh_free(&plain);
    free(order);
}

START_TEST(coarse_matrices_of_parts_add_up) {
    static const int32_t fabrics[] = {0, 12, 18};
    TestRandom random = test_random(139);
    for (int i = 0; i < 3; i++) {
        ToileFabric fabric = test_any_fabric(fabrics[i]);
        TestSystem f;
        large_system(&f, 47, &fabric, &random);
        ck_assert_int_eq(f.system.matrix.part_count, 2);
        ck_assert_int_lt(f.system.coarse.hubs.count, f.system.coarse.nodes.count);
        /* some triangles stand for others here */
        int32_t thinned = 0;
        for (int32_t k = 0; k < f.system.energy_count; k++) {
            const TlElements *elements = &f.system.energies[k].elements;
            thinned += tl_is_packed(elements) && tl_coarse_stride(&f.system.coarse, elements) > 1;
        }
        ck_assert(i > 0 || thinned > 0);
        TlPoint at = test_system_at(&f, STEP_S);
        test_system_fix(&f, 20, &random);
        make_matrix(&f, &at);
        check_galerkin(&f, &at);
        test_system_free(&f);
    }
}
END_TEST

/* ---- the solve ---- */

/* Restricts r, 0 where fixed, in single precision. */
static void restrict_single(TestSystem *f, const double *r) {
    int32_t n = f->mesh.vertex_count;
    TlFloat4 *single = test_alloc(sizeof *single * (size_t)n);
    for (int32_t v = 0; v < n; v++) {
        for (int i = 0; i < 3 && !f->system.fixed[v]; i++) {
            single[v][i] = (float)r[3 * v + i];
        }
    }
    tl_coarse_restrict(&f->system.coarse, f->system.pool, single);
    free(single);
}

/* C times e is `want`, to `tolerance` of the terms that are summed. */
static void check_values(const TlCoarse *coarse, const double *e, const double *want,
                         double tolerance) {
    int32_t size = 3 * coarse->hubs.count;
    double *C = hub_matrix(coarse), *got = test_alloc(sizeof(double) * (size_t)size), scale = 0.0;
    for (int32_t i = 0; i < size; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < size; j++) {
            sum += fabs(C[i * size + j] * e[j]);
        }
        scale = fmax(scale, sum);
    }
    times(C, size, e, got);
    for (int32_t i = 0; i < size; i++) {
        ASSERT_NEAR(got[i], want[i], tolerance * scale);
    }
    free(C);
    free(got);
}

/* Adds D^-1 r to z, 3 per node; answers r . D^-1 r. */
static double add_jacobi(const TlCoarse *coarse, const double *r, double *z) {
    static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double dot = 0.0;
    for (int32_t i = 0; i < 3 * coarse->nodes.count; i++) {
        double sum = 0.0;
        for (int k = 0; k < 3; k++) {
            int at = place[3 * (i % 3) + k];
            sum += (double)coarse->inverse[2 * (i / 3) + at / 4][at % 4] * r[i / 3 * 3 + k];
        }
        z[i] += sum;
        dot += r[i] * sum;
    }
    return dot;
}

/* Rows of vertices are P times the values of nodes. */
static void check_rows(const TestSystem *f, const double *value, bool exact) {
    const TlCoarse *coarse = &f->system.coarse;
    double *y = test_alloc(sizeof(double) * (size_t)f->n);
    spread(&coarse->nodes, NULL, value, y);
    double scale = test_largest(y, f->n);
    for (int32_t i = 0; i < f->n; i++) {
        double row[3];
        tl_coarse_row_exact(coarse, i / 3, row);
        TlFloat4 single = tl_coarse_row(coarse, i / 3);
        ASSERT_NEAR(exact ? row[i % 3] : (double)single[i % 3], y[i],
                    (exact ? SOLVED : SINGLE) * scale);
        ck_assert(exact || single[3] == 0.0F);
    }
    free(y);
}

/* Both solves, of double and of single precision, for a random right-hand side. */
static void check_solve(TestSystem *f, TestRandom *random) {
    TlCoarse *coarse = &f->system.coarse;
    int32_t nodes = 3 * coarse->nodes.count, size = 3 * coarse->hubs.count;
    size_t room = sizeof(double) * (size_t)nodes;
    double *r = test_alloc(sizeof(double) * (size_t)f->n), *rest = test_alloc(room),
           *z = test_alloc(room), *want = test_alloc(sizeof(double) * (size_t)size),
           *e = test_alloc(sizeof(double) * (size_t)size), dot = 0.0;
    for (int32_t i = 0; i < f->n; i++) {
        r[i] = test_between(random, -1, 1);
    }
    collect(&coarse->nodes, f->system.fixed, r, rest);
    collect(&coarse->hubs, NULL, rest, want);

    tl_coarse_restrict_exact(coarse, f->system.pool, r);
    double answer = tl_coarse_solve_exact(coarse);
    check_values(coarse, coarse->hub_value, want, SOLVED);
    spread(&coarse->hubs, NULL, coarse->hub_value, z);
    double scale = test_largest(z, nodes);
    for (int32_t i = 0; i < nodes; i++) {
        ASSERT_NEAR(coarse->value[i], z[i], SOLVED * scale);
        dot += z[i] * rest[i];
    }
    check_rows(f, coarse->value, true);
    ASSERT_RELATIVE(answer, dot + add_jacobi(coarse, rest, z), SINGLE);

    restrict_single(f, r);
    tl_coarse_solve(coarse);
    for (int32_t i = 0; i < size; i++) {
        e[i] = (double)coarse->hub_single[i];
    }
    check_values(coarse, e, want, SINGLE);
    spread(&coarse->hubs, NULL, e, z);
    add_jacobi(coarse, rest, z);
    scale = test_largest(z, nodes);
    for (int32_t i = 0; i < nodes; i++) {
        ASSERT_NEAR((double)coarse->value4[i / 3][i % 3], z[i], SINGLE * scale);
    }
    check_rows(f, z, false);
    free(r);
    free(rest);
    free(z);
    free(want);
    free(e);
}

START_TEST(coarse_solve_is_exact) {
    TestRandom random = test_random(135);
    ToileFabric fabric = test_any_fabric(0);
    for (int32_t i = 0; i <= MESHES; i++) {
        TestSystem f;
        if (i < MESHES) {
            test_system(&f, any_mesh(i, &random), &fabric, 1, 0.2, &random);
        } else {
            large_system(&f, 47, &fabric, &random);
        }
        TlPoint at = test_system_at(&f, STEP_S);
        test_system_weigh(&f, 10, 100, &random);
        make_matrix(&f, &at);
        check_solve(&f, &random);
        test_system_fix(&f, 4, &random);
        make_matrix(&f, &at);
        check_solve(&f, &random);
        test_system_free(&f);
    }
}
END_TEST

/* ---- touches ---- */

enum { TOUCHES = 2400 };

/* A world of nothing but touches between vertices anywhere, as its operator sees it. */
typedef struct TestTouches {
    TlWorld world;
    TlTouch touch[TOUCHES];
    TlPress press[TOUCHES];
    TlFloat4 product[TOUCHES];
    int32_t item[4 * TOUCHES];
    float share[4 * TOUCHES];
} TestTouches;

static void fill_touch(TlTouch *touch, int32_t vertices, TestRandom *random) {
    double n[3];
    memset(touch, 0, sizeof *touch);
    for (int i = 0; i < 4; i++) {
        touch->vertex[i] = (int32_t)test_between(random, 0, vertices) % vertices;
        touch->weight[i] = i == 3 ? 0.0 : test_between(random, -1, 1);
    }
    for (int i = 0; i < 3; i++) {
        n[i] = test_between(random, -20, 20);
    }
    touch->hess[0] = (TlFloat4){(float)(n[0] * n[0]), (float)(n[0] * n[1]), (float)(n[0] * n[2]),
                                (float)(n[1] * n[1])};
    touch->hess[1] = (TlFloat4){(float)(n[1] * n[2]), (float)(n[2] * n[2]), 0.0F, 0.0F};
}

static void touch_system(TestSystem *f, TestTouches *out, TestRandom *random) {
    TlWorld *world = &out->world;
    memset(out, 0, sizeof *out);
    world->touch = out->touch;
    world->press = out->press;
    world->product = out->product;
    world->touch_item = out->item;
    world->touch_share = out->share;
    world->touch_count = TOUCHES;
    world->touch_start = test_alloc(sizeof(int32_t) * ((size_t)f->mesh.vertex_count + 1));
    for (int32_t t = 0; t < TOUCHES; t++) {
        fill_touch(&out->touch[t], f->mesh.vertex_count, random);
    }
    for (int32_t v = 0, count = 0; v < f->mesh.vertex_count; v++) {
        world->touch_start[v] = count;
        for (int32_t c = 0; c < 4 * TOUCHES; c++) {
            if (out->touch[c / 4].vertex[c % 4] == v && out->touch[c / 4].weight[c % 4] != 0.0) {
                out->item[count++] = c;
            }
        }
        world->touch_start[v + 1] = count;
    }
    f->system.matrix.world = world;
}

/* q = A p by the solver, without and with touches: what they add. */
static void touches_times(TestSystem *f, TestTouches *touches, const double *p, double *q) {
    double *without = test_alloc(sizeof(double) * (size_t)f->n);
    f->system.matrix.world = NULL;
    test_system_times(f, p, without);
    f->system.matrix.world = &touches->world;
    test_system_times(f, p, q);
    for (int32_t i = 0; i < f->n; i++) {
        q[i] -= without[i];
    }
    free(without);
}

/* The matrix on the hubs has become `before` and what touches do to one hub after the other. */
static void check_touches(TestSystem *f, TestTouches *touches, const double *before) {
    const TlCoarse *coarse = &f->system.coarse;
    int32_t size = 3 * coarse->hubs.count, nodes = 3 * coarse->nodes.count;
    double *after = hub_matrix(coarse), *e = test_alloc(sizeof(double) * (size_t)size),
           *value = test_alloc(sizeof(double) * (size_t)nodes),
           *got = test_alloc(sizeof(double) * (size_t)size),
           *p = test_alloc(sizeof(double) * (size_t)f->n),
           *q = test_alloc(sizeof(double) * (size_t)f->n);
    double scale = test_largest(after, (int64_t)size * size), most = 0.0;
    for (int32_t j = 0; j < size; j += 7) {
        memset(e, 0, sizeof(double) * (size_t)size);
        e[j] = 1.0;
        spread(&coarse->hubs, NULL, e, value);
        spread(&coarse->nodes, f->system.fixed, value, p);
        touches_times(f, touches, p, q);
        collect(&coarse->nodes, f->system.fixed, q, value);
        collect(&coarse->hubs, NULL, value, got);
        for (int32_t i = 0; i < size; i++) {
            double more = after[i * size + j] - before[i * size + j];
            ASSERT_NEAR(more, got[i], 10.0 * SINGLE * scale);
            most = fmax(most, fabs(more));
        }
    }
    ck_assert_double_gt(most, 1e-3 * scale);
    free(after);
    free(e);
    free(value);
    free(got);
    free(p);
    free(q);
}

START_TEST(coarse_hubs_know_touches_whole) {
    TestRandom random = test_random(141);
    ToileFabric fabric = plain_fabric();
    TestSystem f;
    static TestTouches touches;
    large_system(&f, 47, &fabric, &random);
    TlPoint at = test_system_at(&f, STEP_S);
    test_system_fix(&f, 20, &random);
    make_matrix(&f, &at);
    double *before = hub_matrix(&f.system.coarse);
    touch_system(&f, &touches, &random);
    make_matrix(&f, &at);
    ck_assert(f.system.coarse.ready);
    ck_assert_int_gt(TOUCHES, f.mesh.vertex_count);
    check_touches(&f, &touches, before);
    check_solve(&f, &random);
    free(before);
    free(touches.world.touch_start);
    f.system.matrix.world = NULL;
    test_system_free(&f);
}
END_TEST

/* The solve of what a common translation meets is that translation: inertia alone is in its way. */
START_TEST(coarse_solve_of_free_fall) {
    static const double fall[3] = {0.3, -9.81, 0.7};
    TestRandom random = test_random(140);
    ToileFabric fabric = plain_fabric();
    for (int32_t side = 8; side < 50; side *= 5) {
        TestSystem f;
        test_system(&f, test_mixed(side, side, &random), &fabric, 1, 0.0, &random);
        TlPoint at = test_system_at(&f, 0.0);
        double *r = test_alloc(sizeof(double) * (size_t)f.n);
        test_system_weigh(&f, 10, 100, &random);
        make_matrix(&f, &at);
        for (int32_t i = 0; i < f.n; i++) {
            r[i] = f.system.weight[i / 3] * fall[i % 3];
        }
        tl_coarse_restrict_exact(&f.system.coarse, f.system.pool, r);
        tl_coarse_solve_exact(&f.system.coarse);
        for (int32_t i = 0; i < f.n; i++) {
            double row[3];
            tl_coarse_row_exact(&f.system.coarse, i / 3, row);
            ASSERT_NEAR(row[i % 3], fall[i % 3], FALL * 9.81);
        }
        free(r);
        test_system_free(&f);
    }
}
END_TEST

START_TEST(coarse_all_pinned_is_harmless) {
    TestRandom random = test_random(133);
    ToileFabric fabric = plain_fabric();
    for (int32_t side = 4; side <= 40; side *= 10) {
        TestSystem f;
        test_system(&f, test_jittered(side, side, &random), &fabric, 1, 0.0, &random);
        TlPoint at = test_system_at(&f, 0.0);
        test_system_weigh(&f, 1, 1, &random);
        memset(f.system.fixed, 1, (size_t)f.mesh.vertex_count);
        make_matrix(&f, &at);
        ck_assert(f.system.coarse.ready);
        restrict_single(&f, f.system.grad);
        tl_coarse_solve(&f.system.coarse);
        tl_coarse_restrict_exact(&f.system.coarse, f.system.pool, f.system.grad);
        tl_coarse_solve_exact(&f.system.coarse);
        for (int32_t i = 0; i < 3 * f.system.coarse.nodes.count; i++) {
            ck_assert(f.system.coarse.value4[i / 3][i % 3] == 0.0F);
            ck_assert(f.system.coarse.value[i] == 0.0);
        }
        test_system_free(&f);
    }
}
END_TEST

/* A matrix with a negative eigenvalue has no factor; then there is one again. */
START_TEST(coarse_is_not_ready_without_a_factor) {
    TestRandom random = test_random(129);
    ToileFabric fabric = plain_fabric();
    for (int32_t side = 1; side <= 32; side *= 2) {
        TestSystem f;
        test_system(&f, test_mixed(side, side, &random), &fabric, 1, 0.1, &random);
        TlPoint at = test_system_at(&f, 0.0);
        test_system_weigh(&f, 10, 100, &random);
        make_matrix(&f, &at);
        ck_assert(f.system.coarse.ready);
        f.system.weight[f.mesh.vertex_count / 2] = -1e5;
        tl_coarse_factor(&f.system.coarse, f.pool, &f.system.matrix);
        ck_assert_msg(!f.system.coarse.ready, "ready with a negative weight, %d cells a side",
                      (int)side);
        f.system.weight[f.mesh.vertex_count / 2] = 10;
        make_matrix(&f, &at);
        check_galerkin(&f, &at);
        test_system_free(&f);
    }
}
END_TEST

TEST_MAIN("coarse", coarse_weights_are_a_partition_of_unity,
          coarse_weights_put_vertices_where_they_are, coarse_one_triangle,
          coarse_disconnected_meshes, coarse_is_the_same_each_time,
          coarse_matrix_is_that_of_galerkin, coarse_matrix_of_disconnected_meshes,
          coarse_matrices_of_parts_add_up, coarse_solve_is_exact, coarse_hubs_know_touches_whole,
          coarse_solve_of_free_fall, coarse_all_pinned_is_harmless,
          coarse_is_not_ready_without_a_factor)
