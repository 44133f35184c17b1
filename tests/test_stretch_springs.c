/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Mass-spring stretch and the strain limit of edges: rest, derivatives, momentum, invariance,
 * projection, damping, the sheet they stand for, and a sheet held within its limit. */
#include "force/stretch_limit.h"
#include "force/stretch_springs.h"
#include "support/properties.h"

#include <stdlib.h>
#include <string.h>

enum { LOOPS = 5 };

static ToileFabric springs_fabric(double damping_s) {
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0.01);
    fabric.stretch_model = TOILE_STRETCH_SPRINGS;
    fabric.stretch_damping_s = damping_s;
    return fabric;
}

/* An irregular sheet of triangles and quads in a random state. */
static void set_up(TestCloth *f, TestEnergy energy, const ToileFabric *fabric, TestRandom random,
                   double amplitude) {
    *f = (TestCloth){
        .random = random, .fabric = *fabric, .pattern = TOILE_PATTERN_METRIC, .native = true};
    f->mesh = test_mixed(4, 3, &f->random);
    test_cloth(f, energy, amplitude);
}

static void set_up_springs(TestCloth *f, TestRandom random, double amplitude, double damping_s) {
    ToileFabric fabric = springs_fabric(damping_s);
    set_up(f, tl_stretch_springs, &fabric, random, amplitude);
}

/* Limit 1/4, so that a state moved by 0.3 of an edge has some on all parts of the barrier. */
static void set_up_limit(TestCloth *f, TestRandom random, double amplitude) {
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0.01);
    fabric.stretch_limit = 0.25;
    set_up(f, tl_stretch_limit, &fabric, random, amplitude);
}

/* ---- springs ---- */

START_TEST(springs_zero_force_at_rest) {
    TestCloth f;
    set_up_springs(&f, test_random(1), 0.0, 0.0);
    test_rest_is_free(&f, 1000.0);
    test_cloth_free(&f);
}
END_TEST

START_TEST(springs_derivatives_momentum_and_positive_hessian) {
    TestRandom random = test_random(2);
    for (int i = 0; i < LOOPS; i++) {
        TestCloth f;
        set_up_springs(&f, random, 0.1 * (i + 1), 0.02);
        const TlPoint points[2] = {test_still(&f), test_stepping(&f)};
        for (int k = 0; k < 2; k++) {
            test_gradient_is_exact(&f.elements, &points[k], 0.01);
            test_momentum_is_kept(&f.elements, &points[k], 1.0);
            test_hessian_is_positive(&f.elements, &points[k]);
        }
        random = test_cloth_free(&f);
    }
}
END_TEST

START_TEST(springs_energy_ignores_rigid_motion_and_numbering) {
    TestCloth f;
    set_up_springs(&f, test_random(4), 0.3, 0.0);
    test_rigid_motion_is_free(&f.elements, f.x, 1.0);
    test_numbering_is_free(&f);
    test_cloth_free(&f);
}
END_TEST

START_TEST(springs_hessian_is_exact_under_tension) {
    TestCloth f;
    set_up_springs(&f, test_random(6), 0.02, 0.02);
    memcpy(f.start, f.x, sizeof(double) * (size_t)f.n);
    for (int32_t i = 0; i < f.n; i++) {
        f.x[i] *= 1.3;
    }
    const TlPoint points[2] = {test_still(&f), test_stepping(&f)};
    for (int k = 0; k < 2; k++) {
        test_hessian_is_exact(&f.elements, &points[k], 1e-5, DIFFERENCE);
    }
    test_cloth_free(&f);
}
END_TEST

START_TEST(springs_damping_takes_power_and_spares_rigid_motion) {
    TestRandom random = test_random(8);
    for (int i = 0; i < LOOPS; i++) {
        TestCloth f;
        set_up_springs(&f, random, 0.3, 0.05);
        test_damping_takes_power(&f.elements, f.x, 1.0, &f.random);
        test_rigid_step_is_free(&f.elements, f.x);
        test_damping_is_a_limit(&f.elements, f.x, 1e-6, 10.0, &f.random);
        random = test_cloth_free(&f);
    }
}
END_TEST

/* ---- the sheet they stand for ---- */

/* Energy of a grid of nx x ny quads a x b of the fabric under x -> F x. */
static double grid_energy(int32_t nx, int32_t ny, double a, double b, const ToileFabric *fabric,
                          double F[2][2]) {
    TestMesh mesh = test_grid(nx, ny, nx * a, ny * b, TEST_DIAGONAL_NONE);
    TestModel model;
    test_model_with(&mesh, fabric, TOILE_PATTERN_METRIC, true, NULL, NULL, &model);
    TlElements elements = tl_stretch_springs(&model.model);
    ck_assert_int_eq(elements.count, nx * (ny + 1) + ny * (nx + 1) + 2 * nx * ny);
    double *x = test_alloc(3 * sizeof(double) * (size_t)mesh.vertex_count);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        const double *p = mesh.positions + 3 * v;
        x[3 * v] = F[0][0] * p[0] + F[0][1] * p[1];
        x[3 * v + 1] = F[1][0] * p[0] + F[1][1] * p[1];
    }
    TlPoint at = {x, NULL, 0.0};
    double energy = test_value(&elements, &at);
    free(x);
    test_model_free(&model);
    test_mesh_free(&mesh);
    return energy;
}

/* Energy of both shear springs of one cell a x b when their lengths become d1 and d2. */
static double diagonal_energy(double G, double a, double b, double d1, double d2) {
    double d = sqrt(a * a + b * b), k = G * d * d / (2.0 * a * b);
    return 0.5 * k * ((d1 - d) * (d1 - d) + (d2 - d) * (d2 - d));
}

START_TEST(springs_structural_stretch_is_that_of_the_sheet) {
    ToileFabric fabric = springs_fabric(0.0);
    double a = 0.2, b = 0.15, area = 20 * a * b, strain = 0.04;
    for (int axis = 0; axis < 2; axis++) {
        double F[2][2] = {{axis == 0 ? 1.0 + strain : 1.0, 0.0},
                          {0.0, axis == 1 ? 1.0 + strain : 1.0}};
        double E = axis == 0 ? 1000 : 600, p = F[0][0] * a, q = F[1][1] * b;
        double d = sqrt(p * p + q * q);
        ASSERT_RELATIVE(grid_energy(5, 4, a, b, &fabric, F),
                        0.5 * E * strain * strain * area + 20 * diagonal_energy(150, a, b, d, d),
                        ROUNDING);
    }
    /* without shear springs the structural part alone */
    double F[2][2] = {{1.0 + strain, 0.0}, {0.0, 1.0}};
    fabric.stretch_shear_N_per_m = 0.0;
    ASSERT_RELATIVE(grid_energy(5, 4, a, b, &fabric, F), 0.5 * 1000 * strain * strain * area,
                    ROUNDING);
}
END_TEST

START_TEST(springs_simple_shear_is_that_of_the_sheet) {
    ToileFabric fabric = springs_fabric(0.0);
    double a = 0.2, b = 0.15, area = 20 * a * b, gamma = 1e-3;
    double F[2][2] = {{1.0, gamma}, {0.0, 1.0}};
    /* structural springs along the warp lengthen by b gamma^2/2, the diagonals' second order is
     * gamma times the first: both gamma^2 of the energy, times a stiffness ratio of 4 */
    ASSERT_RELATIVE(grid_energy(5, 4, a, b, &fabric, F), 0.5 * 150 * gamma * gamma * area,
                    4 * gamma * gamma);
    gamma = F[0][1] = 0.4;
    double d1 = sqrt((a + gamma * b) * (a + gamma * b) + b * b);
    double d2 = sqrt((a - gamma * b) * (a - gamma * b) + b * b);
    double longer = sqrt(1.0 + gamma * gamma) - 1.0;
    ASSERT_RELATIVE(grid_energy(5, 4, a, b, &fabric, F),
                    0.5 * 600 * longer * longer * area + 20 * diagonal_energy(150, a, b, d1, d2),
                    ROUNDING);
}
END_TEST

START_TEST(springs_of_triangles_are_their_edges) {
    ToileFabric fabric = springs_fabric(0.0);
    TestMesh mesh = test_grid(3, 2, 3, 2, TEST_DIAGONAL_NONE);
    TestModel model;
    /* split quads: the diagonals are edges */
    test_model_with(&mesh, &fabric, TOILE_PATTERN_METRIC, false, NULL, NULL, &model);
    const TlSpringSet *set = &model.model.sets.springs;
    ck_assert_int_eq(set->count, 3 * 3 + 4 * 2 + 6);
    ck_assert_int_eq(set->count, model.model.sets.edges.count);
    ck_assert_int_eq(model.model.sets.triangles.count, 0);
    for (int32_t s = 0; s < set->count; s++) {
        TlSpringDetail detail = tl_stretch_springs_detail(&model.model, mesh.positions, s);
        ASSERT_RELATIVE(detail.length, detail.rest_length, ROUNDING);
        ASSERT_BELOW(detail.energy_J, 1000 * ROUNDING * ROUNDING);
        if (detail.rest_length > 1.2) {
            /* along the diagonal E = (1000 + 600)/2, two triangles of 1/2 */
            ASSERT_RELATIVE(detail.k, 800.0 / 2.0, ROUNDING);
        }
    }
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(springs_detail_is_the_energy_of_each) {
    TestCloth f;
    set_up_springs(&f, test_random(9), 0.3, 0.0);
    TlPoint at = {f.x, NULL, 0.0};
    for (int32_t s = 0; s < f.elements.count; s++) {
        TlSpringDetail detail = tl_stretch_springs_detail(&f.model.model, f.x, s);
        ck_assert_int_eq(detail.vertices[0], f.elements.vertex[2 * s]);
        ck_assert_int_eq(detail.vertices[1], f.elements.vertex[2 * s + 1]);
        double longer = detail.length - detail.rest_length;
        ASSERT_RELATIVE(detail.energy_J, 0.5 * detail.k * longer * longer, ROUNDING);
        ASSERT_RELATIVE(f.elements.value(&f.model.model, &at, s, s + 1), detail.energy_J, ROUNDING);
    }
    test_cloth_free(&f);
}
END_TEST

/* ---- limit ---- */

START_TEST(limit_gradient_and_hessian_are_those_of_the_energy) {
    TestRandom random = test_random(10);
    for (int i = 0; i < LOOPS; i++) {
        TestCloth f;
        set_up_limit(&f, random, 0.3);
        TlPoint at = test_still(&f);
        test_gradient(&f.elements, &at, f.grad);
        ck_assert(test_largest(f.grad, f.n) > 1000.0);
        ASSERT_BELOW(test_gradient_error(&f.elements, &at, f.grad, 1e-6), 1e-7);
        test_hessian_is_exact(&f.elements, &at, 1e-6, 1e-7);
        random = test_cloth_free(&f);
    }
}
END_TEST

START_TEST(limit_forces_balance_and_hessian_is_positive) {
    TestRandom random = test_random(11);
    for (int i = 0; i < LOOPS; i++) {
        TestCloth f;
        set_up_limit(&f, random, 0.1 * (i + 2));
        TlPoint at = test_still(&f);
        test_momentum_is_kept(&f.elements, &at, 1.0);
        test_hessian_is_positive(&f.elements, &at);
        random = test_cloth_free(&f);
    }
}
END_TEST

START_TEST(limit_ignores_rigid_motion_and_numbering) {
    TestCloth f;
    set_up_limit(&f, test_random(12), 0.3);
    test_rigid_motion_is_free(&f.elements, f.x, 1.0);
    test_numbering_is_free(&f);
    test_cloth_free(&f);
}
END_TEST

/* One edge of a limit at a stretch of `part` times the limit. */
typedef struct Edge {
    double tension, along, across, value;
} Edge;

static Edge edge_at(const TestModel *model, int32_t e, double part) {
    const TlEdgeSet *set = &model->model.sets.edges;
    double limit = model->material.stretch_limit, x[9] = {0}, *grad, *hess;
    TlElements elements = tl_stretch_limit(&model->model);
    grad = test_alloc(6 * sizeof(double) * (size_t)elements.count);
    hess = test_alloc(27 * sizeof(double) * (size_t)elements.count);
    x[3 * set->vertex[2 * e + 1]] = set->length[e] * (1.0 + part * limit);
    TlPoint at = {x, NULL, 0.0};
    elements.derive(elements.model, &at, e, e + 1, grad, hess);
    Edge edge = {grad[6 * e + 3], hess[27 * e], hess[27 * e + 4],
                 elements.value(elements.model, &at, e, e + 1)};
    free(grad);
    free(hess);
    return edge;
}

START_TEST(limit_is_free_below_half_and_bears_a_hundredfold_at_the_limit) {
    static const double p[3][3] = {{0, 0, 0}, {1, 0, 0}, {0.2, 0.8, 0}};
    static const int32_t face[1][3] = {{0, 1, 2}};
    TestMesh mesh = test_triangles(3, p, 1, face);
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0);
    TestModel model;
    fabric.stretch_limit = 0.05;
    test_model(&mesh, &fabric, TOILE_PATTERN_METRIC, &model);
    ck_assert_int_eq(tl_stretch_limit(&model.model).count, 3);
    for (int32_t e = 0; e < 3; e++) {
        const TlEdgeSet *set = &model.model.sets.edges;
        /* the force that the edge's own stiffness has at the limit */
        double k = set->stiffness[e], own = k * 0.05 * set->length[e], last = 0.0;
        for (double part = -10.0; part <= 0.5; part += 0.25) {
            Edge edge = edge_at(&model, e, part);
            ck_assert(edge.tension == 0.0 && edge.along == 0.0 && edge.value == 0.0);
        }
        for (double part = 0.51; part < 3.0; part += 0.01) {
            Edge edge = edge_at(&model, e, part);
            ck_assert(edge.tension > last && edge.along > 0.0 && edge.across > 0.0);
            last = edge.tension;
        }
        ck_assert(edge_at(&model, e, 0.75).tension < 3.0 * own);
        ck_assert(edge_at(&model, e, 1.0).tension > 100.0 * own);
        ck_assert(edge_at(&model, e, 3.0).along < 3000.0 * k);
        /* C2 where it begins, the stiffness rising by 48 k a limit, and where the parabola is */
        ASSERT_BELOW(edge_at(&model, e, 0.5 + 1e-6).along, 1e-4 * k);
        Edge low = edge_at(&model, e, 0.98 - 1e-9), high = edge_at(&model, e, 0.98 + 1e-9);
        ASSERT_RELATIVE(high.value, low.value, 1e-6);
        ASSERT_RELATIVE(high.tension, low.tension, 1e-6);
        ASSERT_RELATIVE(high.along, low.along, 1e-6);
        ck_assert(edge_at(&model, e, 0.97).along < 0.7 * low.along);
        ASSERT_RELATIVE(edge_at(&model, e, 2.0).along, high.along, 1e-6);
    }
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(limit_concerns_only_cloths_that_have_one) {
    TestMesh mesh = test_grid(2, 2, 2, 2, TEST_DIAGONAL_NONE);
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0);
    TestModel free_model, limited;
    TlModel both;
    test_model(&mesh, &fabric, TOILE_PATTERN_METRIC, &free_model);
    ck_assert_int_eq(tl_stretch_limit(&free_model.model).count, 0);
    fabric.stretch_limit = 0.1;
    test_model(&mesh, &fabric, TOILE_PATTERN_METRIC, &limited);
    TlRest *rests[2] = {&free_model.rest, &limited.rest};
    const TlMaterial materials[2] = {free_model.material, limited.material};
    ck_assert(tl_model_build(&limited.arena, rests, materials, 2, &both));
    TlElements elements = tl_stretch_limit(&both);
    int32_t edges = limited.model.sets.edges.count;
    ck_assert_int_eq(elements.count, 2 * edges);
    double x[54];
    for (int i = 0; i < 54; i++) {
        x[i] = 1.2 * mesh.positions[i % 27];
    }
    TlPoint at = {x, NULL, 0.0};
    ck_assert(elements.value(&both, &at, 0, edges) == 0.0);
    ck_assert(elements.value(&both, &at, edges, 2 * edges) > 1.0);
    test_model_free(&free_model);
    test_model_free(&limited);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- a heavy sheet, through the public functions ---- */

/* Largest stretch of the edges of a mesh at x, minus 1. */
static double largest_stretch(const TestMesh *mesh, const double *x) {
    double largest = 0.0;
    for (int32_t f = 0, first = 0; f < mesh->face_count; first += mesh->face_sizes[f++]) {
        for (int32_t k = 0; k < mesh->face_sizes[f]; k++) {
            int32_t a = mesh->corners[first + k];
            int32_t b = mesh->corners[first + (k + 1) % mesh->face_sizes[f]];
            double now = 0.0, rest = 0.0;
            for (int i = 0; i < 3; i++) {
                now += pow(x[3 * a + i] - x[3 * b + i], 2);
                rest += pow(mesh->positions[3 * a + i] - mesh->positions[3 * b + i], 2);
            }
            largest = fmax(largest, sqrt(now / rest) - 1.0);
        }
    }
    return largest;
}

/* Stretch of a sheet of 1 m, 6 kg and 300 N/m, that hangs from its upper row or, when swinging,
 * falls from level into two pinned corners; the worst of all frames. */
static double hang(TestDiagonal diagonal, ToileStretchModel model, double limit, bool swinging) {
    TestMesh mesh = test_grid(8, 8, 1.0, 1.0, diagonal);
    ToileFabric fabric = test_fabric(300, 300, 100, 0.0, 1e-4);
    ToileSimDef def = test_exact_def(1.0 / 24.0);
    int32_t row[9], corners[2] = {72, 80};
    double worst = 0.0;
    for (int32_t i = 0; i < 9; i++) {
        row[i] = 72 + i;
    }
    fabric.density_kg_per_m2 = 6.0;
    fabric.stretch_model = model;
    fabric.stretch_limit = limit;
    fabric.stretch_damping_s = 0.01;
    def.gravity_m_per_s2[swinging ? 2 : 1] = -9.81;
    def.tolerance_m = 1e-7;
    def.linear_tolerance = 1e-8;
    def.newton_iterations = 200;
    ToileSim *sim = test_sim(&def);
    ToileClothId cloth = test_add(sim, &mesh, &fabric, swinging ? corners : row, swinging ? 2 : 9);
    for (int i = 0; i < 24; i++) {
        test_step(sim, 1);
        double *x = test_positions(sim, cloth);
        worst = fmax(worst, largest_stretch(&mesh, x));
        free(x);
    }
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
    return worst;
}

START_TEST(limit_holds_a_heavy_sheet) {
    const struct {
        TestDiagonal diagonal;
        ToileStretchModel model;
    } sheets[2] = {{TEST_DIAGONAL_HERRINGBONE, TOILE_STRETCH_STVK},
                   {TEST_DIAGONAL_NONE, TOILE_STRETCH_SPRINGS}};
    for (int s = 0; s < 2; s++) {
        for (int swinging = 0; swinging < 2; swinging++) {
            double loose = hang(sheets[s].diagonal, sheets[s].model, 0.0, swinging);
            double held = hang(sheets[s].diagonal, sheets[s].model, 0.05, swinging);
            ck_assert_msg(loose > 0.12, "without a limit it stretches by %g", loose);
            ck_assert_msg(held > 0.03 && held <= 0.05 * 1.01, "held at %g of 0.05", held);
        }
    }
}
END_TEST

/* Stretch of a free sheet, one frame after it started stretched by 0.3; it is so heavy that its own
 * stiffness would take far longer to pull it back. */
static double released(double limit) {
    TestMesh mesh = test_grid(4, 4, 1.0, 1.0, TEST_DIAGONAL_SINGLE);
    ToileFabric fabric = test_fabric(300, 300, 100, 0.0, 1e-4);
    ToileMeshDef mesh_def = test_mesh_def(&mesh);
    ToileClothDef cloth_def = toile_cloth_def_default();
    ToileSimDef def = test_exact_def(1.0 / 24.0);
    ToileClothId cloth;
    double start[75];
    for (int i = 0; i < 75; i++) {
        start[i] = 1.3 * mesh.positions[i];
    }
    fabric.stretch_limit = limit;
    fabric.density_kg_per_m2 = 10.0;
    def.tolerance_m = 1e-9;
    def.newton_iterations = 200;
    cloth_def.mesh = &mesh_def;
    cloth_def.fabric = &fabric;
    cloth_def.start_positions_m = start;
    ToileSim *sim = test_sim(&def);
    ASSERT_OK(toile_sim_add_cloth(sim, &cloth_def, &cloth, NULL));
    test_step(sim, 1);
    double *x = test_positions(sim, cloth);
    double stretch = largest_stretch(&mesh, x);
    free(x);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
    return stretch;
}

START_TEST(limit_pulls_back_what_starts_beyond) {
    double loose = released(0.0), held = released(0.02);
    ck_assert_msg(loose > 0.2, "without a limit it is stretched by %g", loose);
    ck_assert_msg(held <= 0.02 * 1.01, "held at %g of 0.02", held);
}
END_TEST

TEST_MAIN("stretch_springs", springs_zero_force_at_rest,
          springs_derivatives_momentum_and_positive_hessian,
          springs_energy_ignores_rigid_motion_and_numbering, springs_hessian_is_exact_under_tension,
          springs_damping_takes_power_and_spares_rigid_motion,
          springs_structural_stretch_is_that_of_the_sheet,
          springs_simple_shear_is_that_of_the_sheet, springs_of_triangles_are_their_edges,
          springs_detail_is_the_energy_of_each, limit_gradient_and_hessian_are_those_of_the_energy,
          limit_forces_balance_and_hessian_is_positive, limit_ignores_rigid_motion_and_numbering,
          limit_is_free_below_half_and_bears_a_hundredfold_at_the_limit,
          limit_concerns_only_cloths_that_have_one, limit_holds_a_heavy_sheet,
          limit_pulls_back_what_starts_beyond)
