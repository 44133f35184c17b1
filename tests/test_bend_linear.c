/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Linear bending: rest, derivatives, momentum, the constant matrix, invariance, uv seams and
 * directions, the nonlinear law, and the accuracy of native quads. What all hinge models share is
 * in test_bend_hinges.c. */
#include "force/bend_dihedral.h"
#include "force/bend_law.h"
#include "force/bend_linear.h"
#include "force/bend_normal.h"
#include "support/properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOPS = 5 };

/* an energy that is quadratic has exact central differences, up to 1e-16 E/(h g) */
#define QUADRATIC 1e-10
/* the table of quads has four digits */
#define TABLE 1e-4

static void set_up(TestCloth *f, TestRandom random, double amplitude) {
    *f = (TestCloth){.random = random,
                     .fabric = test_fabric(1000, 1000, 50, 0.2, 0.01),
                     .pattern = TOILE_PATTERN_METRIC};
    f->fabric.bend_warp_N_m = 0.03;
    f->mesh = test_jittered(3, 3, &f->random);
    test_cloth(f, tl_bend_linear, amplitude);
}

static double largest_lambda(const TestCloth *f) {
    const TlHingeSet *set = &f->model.rest.sets.hinges[TL_HINGE_LINEAR];
    return test_largest(set->lambda, set->count);
}

START_TEST(bend_zero_force_at_rest) {
    TestCloth f;
    set_up(&f, test_random(21), 0.0);
    test_rest_is_free(&f, largest_lambda(&f));
    test_cloth_free(&f);
}
END_TEST

/* R vanishes under every affine map of a flat rest shape */
START_TEST(bend_zero_force_under_affine_maps) {
    TestCloth f;
    set_up(&f, test_random(22), 0.0);
    for (int32_t v = 0; v < f.n / 3; v++) {
        double u = f.mesh.uvs[2 * v], w = f.mesh.uvs[2 * v + 1];
        f.x[3 * v] = 1.3 * u - 0.4 * w + 2;
        f.x[3 * v + 1] = 0.2 * u + 0.8 * w - 1;
        f.x[3 * v + 2] = 0.7 * u + 0.1 * w;
    }
    TlPoint at = {f.x, NULL, 0.0};
    test_gradient(&f.elements, &at, f.grad);
    ASSERT_BELOW(test_largest(f.grad, f.n), ROUNDING * largest_lambda(&f));
    test_cloth_free(&f);
}
END_TEST

START_TEST(bend_gradient_is_that_of_the_energy) {
    TestRandom random = test_random(23);
    for (int i = 0; i < LOOPS; i++) {
        TestCloth f;
        set_up(&f, random, 0.3);
        TlPoint at = test_still(&f);
        test_gradient(&f.elements, &at, f.grad);
        ASSERT_BELOW(test_gradient_error(&f.elements, &at, f.grad, 1e-2), QUADRATIC);
        ASSERT_BELOW(test_gradient_error(&f.elements, &at, f.grad, 1.0), QUADRATIC);
        test_momentum_is_kept(&f.elements, &at, 10.0);
        random = test_cloth_free(&f);
    }
}
END_TEST

START_TEST(bend_energy_ignores_rigid_motion_and_numbering) {
    TestCloth f;
    set_up(&f, test_random(25), 0.3);
    test_rigid_motion_is_free(&f.elements, f.x, 10.0);
    test_numbering_is_free(&f);
    test_cloth_free(&f);
}
END_TEST

/* the sums run over differences, so distance from the origin costs digits of x only */
START_TEST(bend_far_from_the_origin_loses_no_more_than_the_coordinates) {
    TestCloth f;
    set_up(&f, test_random(26), 0.3);
    double *grad = test_alloc(sizeof(double) * (size_t)f.n), scale, at_origin;
    TlPoint at = {f.x, NULL, 0.0};
    at_origin = test_value(&f.elements, &at);
    test_gradient(&f.elements, &at, f.grad);
    scale = test_largest(f.grad, f.n);
    for (int32_t i = 0; i < f.n; i++) {
        f.x[i] += 1e4;
    }
    /* coordinates of 1e4 are rounded by 2e-12 */
    ASSERT_RELATIVE(test_value(&f.elements, &at), at_origin, 1e-10);
    test_gradient(&f.elements, &at, grad);
    for (int32_t i = 0; i < f.n; i++) {
        ASSERT_NEAR(grad[i], f.grad[i], 1e-10 * scale);
    }
    free(grad);
    test_cloth_free(&f);
}
END_TEST

START_TEST(bend_hessian_is_positive_and_constant) {
    TestCloth f;
    set_up(&f, test_random(28), 0.3);
    size_t size = sizeof(double) * (size_t)(f.n * f.n);
    double *hess = test_alloc(size), *rest = test_alloc(size);
    TlPoint at = test_still(&f), flat = {.x = f.mesh.positions};
    test_hessian(&f.elements, &at, hess);
    test_hessian(&f.elements, &flat, rest);
    ck_assert_mem_eq(hess, rest, size);
    test_hessian_is_exact(&f.elements, &at, 0.1, QUADRATIC);
    test_hessian_is_positive(&f.elements, &at);
    free(hess);
    free(rest);
    test_cloth_free(&f);
}
END_TEST

START_TEST(bend_matrix_is_the_sum_of_the_hinges) {
    TestCloth f;
    set_up(&f, test_random(29), 0.3);
    double *hess = test_alloc(sizeof(double) * (size_t)(f.n * f.n));
    TlScalarMatrix L;
    TlPoint at = {f.x, NULL, 0.0};
    const TlHingeSet *set = &f.model.model.sets.hinges[TL_HINGE_LINEAR];
    ck_assert(tl_bend_linear_matrix(&f.model.arena, &set, 1, f.n / 3, &L));
    test_hessian(&f.elements, &at, hess);
    double scale = test_largest(hess, (int64_t)f.n * f.n);
    for (int32_t v = 0; v < L.row_count; v++) {
        double sum = 0.0;
        for (int32_t s = L.row_start[v]; s < L.row_start[v + 1]; s++) {
            int32_t w = L.column[s];
            ck_assert(s == L.row_start[v] || w > L.column[s - 1]);
            ASSERT_NEAR(L.value[s], hess[3 * v * f.n + 3 * w], ROUNDING * scale);
            hess[3 * v * f.n + 3 * w] = 0.0;
            sum += L.value[s];
        }
        ASSERT_BELOW(sum, ROUNDING * scale);
        /* nothing is left out of the row */
        for (int32_t w = 0; w < L.row_count; w++) {
            ASSERT_BELOW(hess[3 * v * f.n + 3 * w], ROUNDING * scale);
        }
    }
    free(hess);
    test_cloth_free(&f);
}
END_TEST

START_TEST(bend_matrix_gives_the_hinge_forces) {
    TestCloth f;
    set_up(&f, test_random(30), 0.3);
    TlScalarMatrix L;
    TlPoint at = {f.x, NULL, 0.0};
    const TlHingeSet *set = &f.model.model.sets.hinges[TL_HINGE_LINEAR];
    ck_assert(tl_bend_linear_matrix(&f.model.arena, &set, 1, f.n / 3, &L));
    test_gradient(&f.elements, &at, f.grad);
    for (int32_t i = 0; i < f.n; i++) {
        double sum = 0.0;
        for (int32_t s = L.row_start[i / 3]; s < L.row_start[i / 3 + 1]; s++) {
            sum += L.value[s] * f.x[3 * L.column[s] + i % 3];
        }
        ASSERT_NEAR(sum, f.grad[i], 10 * ROUNDING * test_largest(f.grad, f.n));
    }
    test_cloth_free(&f);
}
END_TEST

/* ---- seams and directions ---- */

static const double square[4][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 0}, {1.2, 0.9, 0}};

static void check_same_hinge(const TestModel *a, const TestModel *b) {
    const TlHingeSet *p = &a->rest.sets.hinges[TL_HINGE_LINEAR],
                     *q = &b->rest.sets.hinges[TL_HINGE_LINEAR];
    ck_assert_int_eq(p->count, 1);
    ck_assert_int_eq(q->count, 1);
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(p->vertex[k], q->vertex[k]);
        ASSERT_NEAR(q->alpha[k], p->alpha[k], ROUNDING);
    }
    ASSERT_RELATIVE(q->lambda[0], p->lambda[0], ROUNDING);
    ASSERT_RELATIVE(q->length[0], p->length[0], ROUNDING);
    ASSERT_RELATIVE(q->mu[0], p->mu[0], ROUNDING);
}

/* Gives the second triangle uvs of its own: those of the first layout under x -> sign x + shift. */
static void cut_uvs(TestMesh *mesh, double sign, double shift) {
    mesh->uv_count = 8;
    mesh->uvs = realloc(mesh->uvs, 16 * sizeof(double));
    for (int v = 0; v < 4; v++) {
        mesh->uvs[2 * (4 + v)] = sign * mesh->uvs[2 * v] + shift;
        mesh->uvs[2 * (4 + v) + 1] = mesh->uvs[2 * v + 1] - shift;
    }
    for (int c = 3; c < 6; c++) {
        mesh->corner_uvs[c] += 4;
    }
}

static void check_cut(double sign, double shift) {
    TestMesh whole = test_hinge(square), cut = test_hinge(square);
    ToileFabric fabric = test_fabric(1000, 600, 50, 0.2, 0.01);
    fabric.bend_warp_N_m = 0.03;
    TestModel a, b;
    cut_uvs(&cut, sign, shift);
    for (int32_t pattern = TOILE_PATTERN_ORIENTATION; pattern <= TOILE_PATTERN_METRIC; pattern++) {
        test_model(&whole, &fabric, (ToilePattern)pattern, &a);
        test_model(&cut, &fabric, (ToilePattern)pattern, &b);
        check_same_hinge(&a, &b);
        ASSERT_RELATIVE(b.rest.sets.triangles.area[1], a.rest.sets.triangles.area[1], ROUNDING);
        test_model_free(&a);
        test_model_free(&b);
    }
    test_mesh_free(&whole);
    test_mesh_free(&cut);
}

START_TEST(bend_uv_seam_changes_no_coefficient) {
    check_cut(1.0, 5.0);
}
END_TEST

START_TEST(bend_mirrored_uv_panel_changes_no_coefficient) {
    check_cut(-1.0, 5.0);
}
END_TEST

START_TEST(bend_modulus_follows_weft_and_warp) {
    static const struct {
        double angle, mu;
    } cases[] = {{0.0, 0.03}, {90.0, 0.01}, {45.0, 0.02}, {30.0, 0.25 * 0.01 + 0.75 * 0.03}};
    for (int i = 0; i < 4; i++) {
        double c = cos(cases[i].angle * atan(1.0) / 45), s = sin(cases[i].angle * atan(1.0) / 45);
        const double flat[4][3] = {{-s, c, 0}, {s + c, s - c, 0}, {0, 0, 0}, {c, s, 0}};
        TestMesh mesh = test_hinge(flat);
        ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 0.01);
        fabric.bend_warp_N_m = 0.03;
        TestModel model;
        test_model(&mesh, &fabric, TOILE_PATTERN_ORIENTATION, &model);
        ASSERT_RELATIVE(model.rest.sets.hinges[TL_HINGE_LINEAR].mu[0], cases[i].mu, ROUNDING);
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* a valley seen from the front is positive, and r, gamma and theta agree in sign */
START_TEST(bend_angle_is_positive_in_a_valley) {
    static const double flat[4][3] = {{0.5, 1, 0}, {0.5, -1, 0}, {0, 0, 0}, {1, 0, 0}};
    TestMesh mesh = test_hinge(flat);
    ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 0.01);
    TestModel model;
    double x[12];
    test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
    for (int sign = -1; sign <= 1; sign += 2) {
        memcpy(x, mesh.positions, sizeof x);
        x[2] = sign * 0.1;
        TlHingeState state = tl_bend_linear_state(&model.model.sets.hinges[TL_HINGE_LINEAR], x, 0);
        ASSERT_NEAR(state.theta, sign * atan(0.1), ROUNDING);
        ck_assert(sign * state.r > 0.0 && sign * state.gamma > 0.0);
    }
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- nonlinear law ---- */

/* Points of a law; 1/m and N. */
static const double bent_law[] = {0, 0, 2, 0.04, 5, 0.07};

static double law_energy(double gamma) {
    return gamma <= 2 ? 0.5 * 0.02 * gamma * gamma
                      : 0.04 + 0.04 * (gamma - 2) + 0.5 * 0.01 * (gamma - 2) * (gamma - 2);
}

/* one fold of two equal triangles, each half a square metre: curvature = 2 R over 1, area 1 */
START_TEST(law_energy_is_the_integral_of_the_moment) {
    static const double flat[4][3] = {{0.5, 1, 0}, {0.5, -1, 0}, {0, 0, 0}, {1, 0, 0}};
    TestMesh mesh = test_hinge(flat);
    ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 0.02);
    TestModel model;
    double x[12], grad[12];
    fabric.bend_warp_N_m = 0.06;
    fabric.bend_law = bent_law;
    fabric.bend_law_count = 3;
    /* the edge lies along the weft, so that the warp is bent: the law times three */
    test_model(&mesh, &fabric, TOILE_PATTERN_METRIC, &model);
    TlElements elements = tl_bend_law(&model.model);
    TlPoint at = {x, NULL, 0.0};
    ck_assert_int_eq(elements.count, 1);
    for (int i = 0; i < 100; i++) {
        /* lifting both ends by z makes R = z; beyond the last point the law goes on */
        double z = (i % 2 == 0 ? 0.03 : -0.03) * (i + 1);
        memcpy(x, mesh.positions, sizeof x);
        x[2] = x[5] = z;
        ASSERT_RELATIVE(test_value(&elements, &at), 3 * law_energy(2 * fabs(z)), ROUNDING);
        test_gradient(&elements, &at, grad);
        double gamma = 2 * fabs(z), M = gamma <= 2 ? 0.02 * gamma : 0.02 + 0.01 * gamma;
        /* half of dE/dz at each end */
        ASSERT_RELATIVE(grad[2], 3 * M * (z > 0 ? 1 : -1), ROUNDING);
    }
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* a twist k has the principal curvatures k and -k, and each follows the law over the whole area */
START_TEST(law_of_twist_is_that_of_both_principal_curvatures) {
    TestMesh mesh = test_grid(1, 1, 0.5, 0.2, TEST_DIAGONAL_NONE);
    ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 0.02);
    TestModel model;
    fabric.bend_law = bent_law;
    fabric.bend_law_count = 3;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
    TlElements elements = tl_bend_law(&model.model);
    ck_assert_int_eq(elements.count, 1);
    for (int i = -5; i <= 5; i++) {
        double x[12], k = 0.9 * i;
        memcpy(x, mesh.positions, sizeof x);
        for (int v = 0; v < 4; v++) {
            x[3 * v + 2] = k * x[3 * v] * x[3 * v + 1];
        }
        ASSERT_RELATIVE(test_value(&elements, &(TlPoint){x, NULL, 0.0}),
                        2 * 0.1 * law_energy(fabs(k)), ROUNDING);
    }
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(law_without_weft_stiffness_is_taken_as_it_is) {
    static const double flat[4][3] = {{0.5, 1, 0}, {0.5, -1, 0}, {0, 0, 0}, {1, 0, 0}};
    TestMesh mesh = test_hinge(flat);
    ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 0);
    TestModel model;
    double x[12];
    fabric.bend_law = bent_law;
    fabric.bend_law_count = 3;
    test_model(&mesh, &fabric, TOILE_PATTERN_METRIC, &model);
    TlElements elements = tl_bend_law(&model.model);
    memcpy(x, mesh.positions, sizeof x);
    x[2] = x[5] = 1.3;
    ASSERT_RELATIVE(test_value(&elements, &(TlPoint){x, NULL, 0.0}), law_energy(2.6), ROUNDING);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* a straight law is linear bending, in every direction, on triangles and quads */
START_TEST(law_that_is_straight_is_linear_bending) {
    static const double straight[] = {0, 0, 1, 0.01, 2, 0.02};
    TestRandom random = test_random(31);
    for (int native = 0; native < 2; native++) {
        TestMesh mesh =
            native == 1 ? test_grid(3, 3, 2, 3, TEST_DIAGONAL_NONE) : test_jittered(3, 3, &random);
        int32_t n = 3 * mesh.vertex_count;
        double *x = test_deformed(&mesh, &random, 0.3);
        double *grad = test_alloc(2 * sizeof(double) * (size_t)n);
        ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 0.01);
        TestModel linear, bent;
        TlPoint at = {x, NULL, 0.0};
        fabric.bend_warp_N_m = 0.03;
        test_model_with(&mesh, &fabric, TOILE_PATTERN_METRIC, native == 1, NULL, NULL, &linear);
        fabric.bend_law = straight;
        fabric.bend_law_count = 3;
        test_model_with(&mesh, &fabric, TOILE_PATTERN_METRIC, native == 1, NULL, NULL, &bent);
        TlElements a = tl_bend_linear(&linear.model), b = tl_bend_law(&bent.model);
        ASSERT_RELATIVE(test_value(&b, &at), test_value(&a, &at), ROUNDING);
        test_gradient(&a, &at, grad);
        test_gradient(&b, &at, grad + n);
        for (int32_t i = 0; i < n; i++) {
            ASSERT_NEAR(grad[n + i], grad[i], ROUNDING * test_largest(grad, n));
        }
        free(x);
        free(grad);
        test_model_free(&linear);
        test_model_free(&bent);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* ---- native quads ---- */

/* A periodic sheet: cell (i, j) has its own uvs, the vertices wrap around. */
typedef struct Sheet {
    double p[2], q[2]; /* sides of a cell */
    double jitter;     /* of every vertex, part of a cell */
    double taper;      /* of the cells' lower and upper sides, alternating */
    int32_t cut;       /* 0: no cell is cut into triangles, 1: every second, 2: every second row,
                          the diagonals alternating, 3: all along one diagonal, 4: all, the
                          diagonal flipping with the row */
} Sheet;

enum { CELLS = 8, SHEET = CELLS * CELLS };

static const double *vertex_offset(const double (*moved)[2], int32_t i, int32_t j) {
    return moved[i % CELLS + CELLS * (j % CELLS)];
}

static TestMesh periodic_mesh(const Sheet *s, const double (*moved)[2]) {
    static const int32_t cuts[2][6] = {{0, 1, 2, 0, 2, 3}, {0, 1, 3, 1, 2, 3}};
    TestMesh mesh = {.vertex_count = SHEET, .uv_count = 4 * SHEET};
    mesh.positions = test_alloc(3 * sizeof(double) * SHEET);
    mesh.uvs = test_alloc(8 * sizeof(double) * SHEET);
    mesh.corners = test_alloc(6 * sizeof(int32_t) * SHEET);
    mesh.corner_uvs = test_alloc(6 * sizeof(int32_t) * SHEET);
    mesh.face_sizes = test_alloc(2 * sizeof(int32_t) * SHEET);
    for (int32_t f = 0; f < SHEET; f++) {
        int32_t i = f % CELLS, j = f / CELLS, vertex[4];
        bool cut = s->cut == 1 ? (i + j) % 2 == 1 : s->cut == 2 ? j % 2 == 1 : s->cut > 2;
        for (int32_t k = 0; k < 4; k++) {
            int32_t a = i + (k == 1 || k == 2), b = j + (k >= 2);
            const double *offset = vertex_offset(moved, a, b);
            vertex[k] = a % CELLS + CELLS * (b % CELLS);
            for (int d = 0; d < 2; d++) {
                mesh.uvs[2 * (4 * f + k) + d] = a * s->p[d] + b * s->q[d] + offset[d];
            }
        }
        const int32_t *order = cuts[s->cut == 2 ? j / 2 % 2 : s->cut == 4 ? j % 2 : 0];
        for (int32_t k = 0; k < (cut ? 6 : 4); k++) {
            int32_t corner = cut ? order[k] : k;
            mesh.corners[mesh.corner_count] = vertex[corner];
            mesh.corner_uvs[mesh.corner_count++] = 4 * f + corner;
        }
        mesh.face_sizes[mesh.face_count++] = cut ? 3 : 4;
        if (cut) {
            mesh.face_sizes[mesh.face_count++] = 3;
        }
    }
    return mesh;
}

/* Vector from vertex v to w, over the shortest way around. */
static void nearest(const Sheet *s, const double (*moved)[2], int32_t v, int32_t w, double d[2]) {
    int32_t i = (w % CELLS - v % CELLS + CELLS + CELLS / 2) % CELLS - CELLS / 2;
    int32_t j = (w / CELLS - v / CELLS + CELLS + CELLS / 2) % CELLS - CELLS / 2;
    for (int k = 0; k < 2; k++) {
        d[k] = i * s->p[k] + j * s->q[k] + moved[w][k] - moved[v][k];
    }
}

/* Energy of a small height field of curvature k = (xx, yy, xy) over that of the plate, minimised
 * over fluctuations from vertex to vertex. */
static double relaxed_ratio(const TlHingeSet *set, const Sheet *s, const double (*moved)[2],
                            const double k[3]) {
    double *L = test_alloc(SHEET * SHEET * sizeof(double)), *g = test_alloc(SHEET * sizeof(double));
    double energy = 0.0, trace = 0.0, *w = test_alloc(SHEET * sizeof(double));
    for (int32_t h = 0; h < set->count; h++) {
        double R = 0.0;
        for (int32_t c = set->first[h]; c < set->first[h + 1]; c++) {
            double d[2];
            nearest(s, moved, set->vertex[set->first[h]], set->vertex[c], d);
            R += set->alpha[c] *
                 (0.5 * k[0] * d[0] * d[0] + 0.5 * k[1] * d[1] * d[1] + k[2] * d[0] * d[1]);
        }
        energy += 0.5 * set->lambda[h] * R * R;
        for (int32_t a = set->first[h]; a < set->first[h + 1]; a++) {
            g[set->vertex[a]] += set->lambda[h] * set->alpha[a] * R;
            for (int32_t b = set->first[h]; b < set->first[h + 1]; b++) {
                L[SHEET * set->vertex[a] + set->vertex[b]] +=
                    set->lambda[h] * set->alpha[a] * set->alpha[b];
            }
            trace += set->lambda[h] * set->alpha[a] * set->alpha[a];
        }
    }
    /* constants are the only null mode of a periodic sheet; this fixes them */
    for (int32_t i = 0; i < SHEET * SHEET; i++) {
        L[i] += trace / SHEET / SHEET;
    }
    memcpy(w, g, SHEET * sizeof(double));
    test_cholesky_solve(L, w, SHEET);
    for (int32_t i = 0; i < SHEET; i++) {
        energy -= 0.5 * g[i] * w[i];
    }
    double area = SHEET * fabs(s->p[0] * s->q[1] - s->p[1] * s->q[0]);
    free(L);
    free(g);
    free(w);
    return energy / (0.5 * (k[0] * k[0] + k[1] * k[1] + 2 * k[2] * k[2]) * area);
}

enum { FIELDS = 7 };

/* The fields of PHYSICS 1.3: cylinders at 0, 30, 45 and -45 degrees, sphere, saddles at 0 and 45.
 */
static const double fields[FIELDS][3] = {{1, 0, 0},       {0.75, 0.25, 0.4330127018922193},
                                         {0.5, 0.5, 0.5}, {0.5, 0.5, -0.5},
                                         {1, 1, 0},       {1, -1, 0},
                                         {0, 0, 1}};

static void table_row(const Sheet *s, double ratios[FIELDS]) {
    TestRandom random = {7}; /* always the same: the table tells its result */
    double moved[SHEET][2];
    for (int32_t v = 0; v < SHEET; v++) {
        double side = (v % CELLS + v / CELLS) % 2 == 0 ? 0.5 : -0.5;
        for (int k = 0; k < 2; k++) {
            moved[v][k] = test_between(&random, -s->jitter, s->jitter) + side * s->taper * s->p[k];
        }
    }
    TestMesh mesh = periodic_mesh(s, (const double(*)[2])moved);
    ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 1);
    TestModel model;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_METRIC, true, NULL, NULL, &model);
    const TlHingeSet *set = &model.model.sets.hinges[TL_HINGE_LINEAR];
    for (int k = 0; k < FIELDS; k++) {
        ratios[k] = relaxed_ratio(set, s, (const double(*)[2])moved, fields[k]);
    }
    test_model_free(&model);
    test_mesh_free(&mesh);
}

/* every field is exact on rectangles, whatever their sides */
START_TEST(quads_are_exact_plates_on_rectangles) {
    static const Sheet sheets[] = {
        {{1, 0}, {0, 1}, 0, 0, 0}, {{2, 0}, {0, 1}, 0, 0, 0}, {{0.3, 0}, {0, 1.1}, 0, 0, 0}};
    for (int i = 0; i < 3; i++) {
        double ratios[FIELDS];
        table_row(&sheets[i], ratios);
        for (int k = 0; k < FIELDS; k++) {
            ASSERT_RELATIVE(ratios[k], 1.0, 100 * ROUNDING);
        }
    }
}
END_TEST

/* E/E_exact of linear bending, relaxed. Native quads: measured. Triangles: known from an
 * independent computation. */
START_TEST(quads_of_other_shapes_have_known_errors) {
    static const struct {
        Sheet sheet;
        double ratios[FIELDS]; /* cylinders at 0, 30, 45 and -45, sphere, saddles at 0 and 45 */
    } rows[] = {
        /* sheared by 10, 15 and 30 degrees */
        {{{1, 0}, {0.17364817766693, 0.984807753012208}, 0, 0, 0},
         {1.0052, 1.0015, 1.0006, 0.9713, 0.9752, 1.0300, 0.9968}},
        {{{1, 0}, {0.258819045102521, 0.965925826289068}, 0, 0, 0},
         {1.0069, 0.9840, 0.9840, 0.9583, 0.9401, 1.0668, 1.0021}},
        {{{1, 0}, {0.5, 0.866025403784439}, 0, 0, 0},
         {0.9848, 0.9069, 0.9324, 0.9587, 0.6983, 1.2865, 1.1928}},
        /* vertices moved by up to 10 and 20 % */
        {{{1, 0}, {0, 1}, 0.1, 0, 0}, {1.0025, 1.0016, 1.0014, 1.0017, 0.9917, 1.0149, 1.0114}},
        {{{1, 0}, {0, 1}, 0.2, 0, 0}, {1.0090, 1.0049, 1.0037, 1.0066, 0.9672, 1.0595, 1.0432}},
        /* trapezoids, sides 1 +- 20 % */
        {{{1, 0}, {0, 1}, 0, 0.2, 0}, {1.0437, 1.0379, 1.0288, 1.0288, 0.9818, 1.0618, 1.0757}},
        /* beside triangles: every second cell, every second row */
        {{{1, 0}, {0, 1}, 0, 0, 1}, {0.9286, 1.3367, 1.4286, 0.8571, 0.8571, 1.0000, 1.4286}},
        {{{1, 0}, {0, 1}, 0, 0, 2}, {1.0000, 1.2813, 1.3750, 1.3750, 1.0000, 1.0000, 1.7500}},
        /* triangles alone: one diagonal, herringbone, equilateral */
        {{{1, 0}, {0, 1}, 0, 0, 3}, {1.0000, 2.6160, 3.0000, 1.0000, 1.0000, 1.0000, 3.0000}},
        {{{1, 0}, {0, 1}, 0, 0, 4}, {1.0000, 1.5625, 1.7500, 1.7500, 1.0000, 1.0000, 2.5000}},
        {{{1, 0}, {-0.5, 0.866025403784439}, 0, 0, 3},
         {1.0000, 1.0000, 1.0000, 1.0000, 0.6667, 1.3333, 1.3333}},
        /* beyond what it is good for: sheared by 45 degrees, sides 3 to 1 */
        {{{1, 0}, {0.707106781186548, 0.707106781186548}, 0, 0, 0},
         {1.4591, 1.5915, 1.4591, 1.0000, 0.3472, 2.1119, 2.1119}},
        {{{1, 0}, {0, 1}, 0, 0.5, 0}, {1.2465, 1.1230, 1.0408, 1.0408, 0.8732, 1.3732, 1.2083}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double ratios[FIELDS];
        table_row(&rows[i].sheet, ratios);
        for (int k = 0; k < FIELDS; k++) {
            printf("%.4f%s", ratios[k], k + 1 < FIELDS ? " " : "\n");
            ASSERT_NEAR(ratios[k], rows[i].ratios[k], TABLE);
        }
    }
}
END_TEST

/* kuu, kvv and kuv at their own moduli when the grid follows the fabric */
START_TEST(quads_are_orthotropic) {
    static const double k[3] = {0.7, -0.4, 0.5};
    static const Sheet sheet = {{1.5, 0}, {0, 1}, 0, 0, 0};
    double moved[SHEET][2] = {{0, 0}};
    TestMesh mesh = periodic_mesh(&sheet, (const double(*)[2])moved);
    ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 0.4);
    TestModel model;
    fabric.bend_warp_N_m = 0.9;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_METRIC, true, NULL, NULL, &model);
    double ratio = relaxed_ratio(&model.model.sets.hinges[TL_HINGE_LINEAR], &sheet,
                                 (const double(*)[2])moved, k);
    double plain = k[0] * k[0] + k[1] * k[1] + 2 * k[2] * k[2];
    double wanted = 0.4 * k[0] * k[0] + 0.9 * k[1] * k[1] + 2 * 0.6 * k[2] * k[2];
    ASSERT_RELATIVE(ratio, wanted / plain, 100 * ROUNDING);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* a free sheet of quads, regular or not, costs nothing only where it is flat: three modes */
START_TEST(quads_have_no_soft_modes) {
    TestRandom random = test_random(33);
    for (int loop = 0; loop < 4; loop++) {
        TestMesh mesh = test_grid(4, 3, 4, 3, TEST_DIAGONAL_NONE);
        ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 1);
        TestModel model;
        TlScalarMatrix L;
        int32_t n = mesh.vertex_count, soft = 0;
        double *dense = test_alloc(sizeof(double) * (size_t)(n * n)),
               *values = test_alloc(sizeof(double) * (size_t)n);
        for (int32_t v = 0; v < n; v++) {
            mesh.positions[3 * v] += test_between(&random, -0.1, 0.1) * loop;
            mesh.positions[3 * v + 1] += test_between(&random, -0.1, 0.1) * loop;
        }
        test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
        const TlHingeSet *set = &model.model.sets.hinges[TL_HINGE_LINEAR];
        ck_assert_int_eq(model.rest.sets.quads.count, 12);
        ck_assert(tl_bend_linear_matrix(&model.arena, &set, 1, n, &L));
        for (int32_t v = 0; v < n; v++) {
            for (int32_t s = L.row_start[v]; s < L.row_start[v + 1]; s++) {
                dense[v * n + L.column[s]] = L.value[s];
            }
        }
        test_eigenvalues(dense, n, values);
        double largest = test_largest(values, n);
        for (int32_t i = 0; i < n; i++) {
            soft += fabs(values[i]) < ROUNDING * largest;
            ck_assert(fabs(values[i]) < ROUNDING * largest || values[i] > 1e-4 * largest);
        }
        ck_assert_int_eq(soft, 3);
        free(dense);
        free(values);
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* On a flat quad the pairs over both diagonals are one and the same relation but for its sign, so
 * the choice of the diagonal means nothing. */
START_TEST(quads_both_diagonals_measure_the_same) {
    TestRandom random = test_random(34);
    for (int loop = 0; loop < 20; loop++) {
        TestMesh mesh = test_grid(1, 1, 1, 1, TEST_DIAGONAL_NONE);
        for (int i = 0; i < 12; i++) {
            mesh.positions[i] += i % 3 == 2 ? 0.0 : test_between(&random, -0.25, 0.25);
        }
        const int32_t *q = mesh.corners;
        double pairs[2][4][3], alpha[2][4], lambda = 0.0;
        for (int k = 0; k < 2; k++) {
            const int32_t abcd[4] = {q[k], q[(k + 2) % 4], q[(k + 1) % 4], q[(k + 3) % 4]};
            for (int i = 0; i < 4; i++) {
                memcpy(pairs[k][i], mesh.positions + 3 * abcd[i], sizeof pairs[k][i]);
            }
            TestMesh pair = test_hinge((const double(*)[3])pairs[k]);
            ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 1);
            TestModel model;
            test_model(&pair, &fabric, TOILE_PATTERN_NONE, &model);
            for (int i = 0; i < 4; i++) {
                alpha[k][abcd[i]] = model.model.sets.hinges[TL_HINGE_LINEAR].alpha[i];
            }
            test_model_free(&model);
            test_mesh_free(&pair);
        }
        for (int i = 0; i < 4; i++) {
            ASSERT_NEAR(alpha[0][i], -alpha[1][i], ROUNDING);
        }
        /* and the quad's own hinge is this relation, whichever corner comes first */
        for (int first = 0; first < 4; first++) {
            int32_t turned[4];
            for (int i = 0; i < 4; i++) {
                turned[i] = q[(i + 1) % 4];
            }
            memcpy(mesh.corners, turned, sizeof turned);
            ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 1);
            TestModel model;
            test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
            const TlHingeSet *set = &model.model.sets.hinges[TL_HINGE_LINEAR];
            ck_assert_int_eq(set->count, 1);
            double sign = set->alpha[0] * alpha[0][set->vertex[0]] > 0.0 ? 1.0 : -1.0;
            for (int i = 0; i < 4; i++) {
                ASSERT_NEAR(set->alpha[i], sign * alpha[0][set->vertex[i]], ROUNDING);
            }
            lambda = first == 0 ? set->lambda[0] : lambda;
            ASSERT_RELATIVE(set->lambda[0], lambda, 10 * ROUNDING);
            test_model_free(&model);
        }
        test_mesh_free(&mesh);
    }
}
END_TEST

/* in shallow folds the three hinge models are one: the difference falls with the square of the
 * depth */
START_TEST(quads_shallow_folds_are_the_same_for_all_hinge_models) {
    TestRandom random = test_random(35);
    TestMesh mesh = test_grid(4, 3, 4, 3, TEST_DIAGONAL_NONE);
    int32_t n = mesh.vertex_count;
    double *x = test_alloc(3 * sizeof(double) * (size_t)n), heights[20];
    for (int32_t v = 0; v < n; v++) {
        mesh.positions[3 * v] += test_between(&random, -0.2, 0.2);
        mesh.positions[3 * v + 1] += test_between(&random, -0.2, 0.2);
        heights[v] = test_between(&random, -1, 1);
    }
    double energies[2][3];
    for (int i = 0; i < 2; i++) {
        double depth = i == 0 ? 2e-3 : 1e-3;
        memcpy(x, mesh.positions, 3 * sizeof(double) * (size_t)n);
        for (int32_t v = 0; v < n; v++) {
            x[3 * v + 2] = depth * heights[v];
        }
        for (int32_t bend = TOILE_BEND_LINEAR; bend <= TOILE_BEND_NORMAL; bend++) {
            ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 1);
            TestModel model;
            fabric.bend_model = bend;
            fabric.bend_warp_N_m = 2;
            test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
            TlElements elements = bend == TOILE_BEND_LINEAR     ? tl_bend_linear(&model.model)
                                  : bend == TOILE_BEND_DIHEDRAL ? tl_bend_dihedral(&model.model)
                                                                : tl_bend_normal(&model.model);
            energies[i][bend] = test_value(&elements, &(TlPoint){x, NULL, 0.0});
            test_model_free(&model);
        }
    }
    for (int bend = 1; bend < 3; bend++) {
        double coarse = fabs(energies[0][bend] / energies[0][0] - 1.0);
        double fine = fabs(energies[1][bend] / energies[1][0] - 1.0);
        ck_assert_msg(fine < 1e-4 && coarse / fine > 3.5 && coarse / fine < 4.5, "%g after %g",
                      fine, coarse);
    }
    free(x);
    test_mesh_free(&mesh);
}
END_TEST

TEST_MAIN("bend_linear", bend_zero_force_at_rest, bend_zero_force_under_affine_maps,
          bend_gradient_is_that_of_the_energy, bend_energy_ignores_rigid_motion_and_numbering,
          bend_far_from_the_origin_loses_no_more_than_the_coordinates,
          bend_hessian_is_positive_and_constant, bend_matrix_is_the_sum_of_the_hinges,
          bend_matrix_gives_the_hinge_forces, bend_uv_seam_changes_no_coefficient,
          bend_mirrored_uv_panel_changes_no_coefficient, bend_modulus_follows_weft_and_warp,
          bend_angle_is_positive_in_a_valley, law_energy_is_the_integral_of_the_moment,
          law_of_twist_is_that_of_both_principal_curvatures,
          law_without_weft_stiffness_is_taken_as_it_is, law_that_is_straight_is_linear_bending,
          quads_are_exact_plates_on_rectangles, quads_of_other_shapes_have_known_errors,
          quads_are_orthotropic, quads_have_no_soft_modes, quads_both_diagonals_measure_the_same,
          quads_shallow_folds_are_the_same_for_all_hinge_models)
