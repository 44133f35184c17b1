/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Rest shapes: areas, masses, patterns, directions and the hinges that are left out. */
#include "rest/rest_shape.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

/* rounding of short sums */
#define ROUNDING 1e-12

static double sum_of(const double *values, int32_t count) {
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum;
}

START_TEST(rest_masses_sum_to_density_times_area) {
    TestRandom random = test_random(41);
    for (int loop = 0; loop < 10; loop++) {
        TestMesh mesh = test_jittered(4, 3, &random);
        ToileFabric fabric = toile_fabric_default();
        TestModel model;
        fabric.density_kg_per_m2 = 0.37;
        test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
        ASSERT_RELATIVE(sum_of(model.rest.area, mesh.vertex_count), 12.0, ROUNDING);
        ASSERT_RELATIVE(sum_of(model.rest.mass, mesh.vertex_count), 0.37 * 12.0, ROUNDING);
        ASSERT_RELATIVE(sum_of(model.rest.sets.triangles.area, model.rest.sets.triangles.count),
                        12.0, ROUNDING);
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* Flat corners of triangle t: the inverse of its gradients. */
static void flat_corners(const TestModel *model, int32_t t, double q[2][2]) {
    const double *g = model->rest.sets.triangles.g + 4 * t;
    double det = g[0] * g[3] - g[1] * g[2];
    q[0][0] = g[3] / det;
    q[0][1] = -g[2] / det;
    q[1][0] = -g[1] / det;
    q[1][1] = g[0] / det;
}

static const double tilted[3][3] = {{0, 0, 0}, {2, 0, 2}, {0, 1, 0}};
static const int32_t one_face[1][3] = {{0, 1, 2}};

START_TEST(rest_without_pattern_lays_weft_along_the_first_edge) {
    TestMesh mesh = test_triangles(3, tilted, 1, one_face);
    ToileFabric fabric = toile_fabric_default();
    TestModel model;
    double q[2][2];
    test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
    flat_corners(&model, 0, q);
    ASSERT_NEAR(q[0][0], sqrt(8), ROUNDING);
    ASSERT_NEAR(q[0][1], 0.0, ROUNDING);
    ASSERT_NEAR(q[1][0], 0.0, ROUNDING);
    ASSERT_NEAR(q[1][1], 1.0, ROUNDING);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* u runs along the second edge here; lengths stay those of space whatever the uvs' scale */
START_TEST(rest_with_orientation_turns_weft_but_keeps_lengths) {
    static const double uv[6] = {0, 0, 0, 7, 3, 0};
    TestMesh mesh = test_triangles(3, tilted, 1, one_face);
    ToileFabric fabric = toile_fabric_default();
    TestModel model;
    double q[2][2];
    memcpy(mesh.uvs, uv, sizeof uv);
    test_model(&mesh, &fabric, TOILE_PATTERN_ORIENTATION, &model);
    flat_corners(&model, 0, q);
    ASSERT_NEAR(q[1][0], 1.0, ROUNDING);
    ASSERT_NEAR(q[1][1], 0.0, ROUNDING);
    ASSERT_NEAR(q[0][0], 0.0, ROUNDING);
    ASSERT_NEAR(q[0][1], sqrt(8), ROUNDING);
    ASSERT_RELATIVE(model.rest.sets.triangles.area[0], sqrt(2), ROUNDING);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(rest_with_metric_pattern_takes_lengths_from_the_uvs) {
    static const double uv[6] = {5, 5, 5.5, 5, 5.1, 5.2};
    TestMesh mesh = test_triangles(3, tilted, 1, one_face);
    ToileFabric fabric = toile_fabric_default();
    TestModel model;
    double q[2][2];
    memcpy(mesh.uvs, uv, sizeof uv);
    test_model(&mesh, &fabric, TOILE_PATTERN_METRIC, &model);
    flat_corners(&model, 0, q);
    ASSERT_NEAR(q[0][0], 0.5, ROUNDING);
    ASSERT_NEAR(q[1][0], 0.1, ROUNDING);
    ASSERT_NEAR(q[1][1], 0.2, ROUNDING);
    ASSERT_RELATIVE(model.rest.sets.triangles.area[0], 0.05, 1e-11);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(rest_scales_a_metric_pattern) {
    TestMesh mesh = test_grid(2, 2, 1, 1, TEST_DIAGONAL_NONE);
    ToileMeshDef mesh_def = test_mesh_def(&mesh);
    ToileSimDef sim_def = test_exact_def(0.01);
    ToileClothDef def = toile_cloth_def_default();
    ToileFabric fabric = test_fabric(100, 100, 50, 0, 0);
    ToileEnergies energies = toile_energies_default();
    ToileSim *sim = test_sim(&sim_def);
    ToileClothId cloth;
    def.mesh = &mesh_def;
    def.fabric = &fabric;
    def.pattern = TOILE_PATTERN_METRIC;
    def.pattern_scale_m = 0.5;
    ASSERT_OK(toile_sim_add_cloth(sim, &def, &cloth, NULL));
    ASSERT_OK(toile_sim_get_energies(sim, &energies, NULL));
    /* stretched to twice its size: strain 1.5 both ways over a quarter of a square metre */
    ASSERT_RELATIVE(energies.stretch_J, 0.25 * 0.5 * 2 * 100 * 1.5 * 1.5, ROUNDING);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

/* both halves of a quad agree on the weft of its first edge */
START_TEST(rest_halves_of_a_quad_share_their_weft) {
    for (int32_t first = 0; first < 4; first++) {
        TestMesh mesh = test_grid(1, 1, 2, 1, TEST_DIAGONAL_NONE);
        int32_t corners[4];
        for (int32_t k = 0; k < 4; k++) {
            corners[k] = mesh.corners[(k + first) % 4];
        }
        memcpy(mesh.corners, corners, sizeof corners);
        ToileFabric fabric = test_fabric(1000, 100, 50, 0, 0);
        TestModel model;
        test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
        for (int32_t t = 0; t < 2; t++) {
            const double *g = model.rest.sets.triangles.g + 4 * t;
            const int32_t *vertex = model.rest.sets.triangles.vertex + 3 * t;
            /* dx/du = sum of x times the u gradients */
            double x1 = mesh.positions[3 * vertex[1]] - mesh.positions[3 * vertex[0]];
            double x2 = mesh.positions[3 * vertex[2]] - mesh.positions[3 * vertex[0]];
            ASSERT_NEAR(fabs(g[0] * x1 + g[2] * x2), first % 2 == 0 ? 1.0 : 0.0, ROUNDING);
        }
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

START_TEST(rest_leaves_out_degenerate_hinges) {
    static const double flat[4][3] = {{0.5, 1e-7, 0}, {0.5, -1, 0}, {0, 0, 0}, {1, 0, 0}};
    static const double low[4][3] = {{0.5, 1e-3, 0}, {0.5, -1, 0}, {0, 0, 0}, {1, 0, 0}};
    ToileFabric fabric = test_fabric(1000, 1000, 50, 0, 0.01);
    TestMesh mesh = test_hinge(flat);
    TestModel model;
    test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
    ck_assert_int_eq(model.rest.sets.hinges[TL_HINGE_LINEAR].count, 0);
    test_model_free(&model);
    test_mesh_free(&mesh);
    mesh = test_hinge(low);
    test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
    ck_assert_int_eq(model.rest.sets.hinges[TL_HINGE_LINEAR].count, 1);
    /* a low height counts as 0.05 l in lambda, never in alpha */
    ASSERT_RELATIVE(model.rest.sets.hinges[TL_HINGE_LINEAR].lambda[0],
                    2 * (0.05 + 1) / (0.05 * 0.05) * 0.01, ROUNDING);
    ASSERT_RELATIVE(model.rest.sets.hinges[TL_HINGE_LINEAR].alpha[1], 1e-3 / (1 + 1e-3), ROUNDING);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(rest_boundaries_and_non_manifold_edges_carry_no_hinge) {
    static const double fan[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
    static const int32_t faces[3][3] = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
    ToileFabric fabric = toile_fabric_default();
    TestMesh mesh = test_triangles(5, fan, 3, faces);
    TestModel model;
    test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
    ck_assert_int_eq(model.rest.sets.hinges[TL_HINGE_LINEAR].count, 0);
    test_model_free(&model);
    test_mesh_free(&mesh);
    mesh = test_triangles(5, fan, 2, faces);
    test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
    ck_assert_int_eq(model.rest.sets.hinges[TL_HINGE_LINEAR].count, 1);
    /* vertex 4 belongs to no face of this one */
    ck_assert_double_eq(model.rest.mass[4], 0.0);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* flipped neighbours bend as if they were not */
START_TEST(rest_flipped_neighbour_has_the_same_hinge) {
    static const double pair[4][3] = {{0.2, 0.9, 0}, {0.9, -0.6, 0}, {0, 0, 0}, {1, 0.2, 0}};
    static const int32_t flipped[2][3] = {{0, 2, 3}, {1, 2, 3}};
    ToileFabric fabric = toile_fabric_default();
    TestMesh good = test_hinge(pair), bad = test_triangles(4, pair, 2, flipped);
    TestModel a, b;
    test_model(&good, &fabric, TOILE_PATTERN_NONE, &a);
    test_model(&bad, &fabric, TOILE_PATTERN_NONE, &b);
    ck_assert_int_eq(b.rest.sets.hinges[TL_HINGE_LINEAR].count, 1);
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(a.rest.sets.hinges[TL_HINGE_LINEAR].vertex[k],
                         b.rest.sets.hinges[TL_HINGE_LINEAR].vertex[k]);
        ASSERT_NEAR(b.rest.sets.hinges[TL_HINGE_LINEAR].alpha[k],
                    a.rest.sets.hinges[TL_HINGE_LINEAR].alpha[k], ROUNDING);
    }
    ASSERT_RELATIVE(b.rest.sets.hinges[TL_HINGE_LINEAR].lambda[0],
                    a.rest.sets.hinges[TL_HINGE_LINEAR].lambda[0], ROUNDING);
    test_model_free(&a);
    test_model_free(&b);
    test_mesh_free(&good);
    test_mesh_free(&bad);
}
END_TEST

START_TEST(rest_alphas_sum_to_zero_and_kill_the_flat_pair) {
    TestRandom random = test_random(42);
    ToileFabric fabric = toile_fabric_default();
    for (int loop = 0; loop < 200; loop++) {
        double p[4][3] = {{test_between(&random, -2, 3), test_between(&random, 0.1, 1), 0},
                          {test_between(&random, -2, 3), test_between(&random, -1, -0.1), 0},
                          {0, 0, 0},
                          {test_between(&random, 0.2, 2), 0, 0}};
        TestMesh mesh = test_hinge((const double(*)[3])p);
        TestModel model;
        test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
        const double *alpha = model.rest.sets.hinges[TL_HINGE_LINEAR].alpha;
        ASSERT_BELOW(alpha[0] + alpha[1] + alpha[2] + alpha[3], 1e-14);
        for (int i = 0; i < 2; i++) {
            double R =
                alpha[0] * p[0][i] + alpha[1] * p[1][i] + alpha[2] * p[2][i] + alpha[3] * p[3][i];
            ASSERT_BELOW(R, 1e-14);
        }
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* ---- hinges ---- */

static const double hinge_pair[4][3] = {{0.2, 0.9, 0}, {0.9, -0.6, 0}, {0, 0, 0}, {1, 0.2, 0}};

/* The kind that has hinges, and no other one has. */
static int32_t only_kind(const TestModel *model) {
    int32_t found = -1;
    for (int32_t kind = 0; kind < TL_HINGE_KINDS; kind++) {
        if (model->model.sets.hinges[kind].count > 0) {
            ck_assert_int_eq(found, -1);
            found = kind;
        }
    }
    return found;
}

START_TEST(rest_hinges_are_of_the_kind_their_fabric_needs) {
    static const double law[] = {0, 0, 1, 0.01}, flat[4] = {0, 0, 0, 0};
    static const struct {
        ToileBendModel model;
        ToileRestCurvature rest;
        double curvature;
        bool law, map;
        TlHingeKind kind;
    } cases[] = {
        {TOILE_BEND_LINEAR, TOILE_REST_CURVATURE_GIVEN, 0, false, false, TL_HINGE_LINEAR},
        {TOILE_BEND_LINEAR, TOILE_REST_CURVATURE_GIVEN, 0.1, false, false, TL_HINGE_CURVED},
        {TOILE_BEND_LINEAR, TOILE_REST_CURVATURE_GIVEN, 0, false, true, TL_HINGE_CURVED},
        {TOILE_BEND_LINEAR, TOILE_REST_CURVATURE_FROM_REST, 0, false, false, TL_HINGE_CURVED},
        {TOILE_BEND_LINEAR, TOILE_REST_CURVATURE_GIVEN, 0, true, false, TL_HINGE_LAW},
        {TOILE_BEND_LINEAR, TOILE_REST_CURVATURE_FROM_REST, 0, true, false, TL_HINGE_LAW},
        {TOILE_BEND_DIHEDRAL, TOILE_REST_CURVATURE_GIVEN, 0, false, false, TL_HINGE_DIHEDRAL},
        {TOILE_BEND_DIHEDRAL, TOILE_REST_CURVATURE_FROM_REST, 0, false, false, TL_HINGE_DIHEDRAL},
        {TOILE_BEND_NORMAL, TOILE_REST_CURVATURE_GIVEN, 0.1, false, false, TL_HINGE_NORMAL},
    };
    TestMesh mesh = test_hinge(hinge_pair);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ToileFabric fabric = toile_fabric_default();
        TestModel model;
        fabric.bend_model = (int32_t)cases[i].model;
        fabric.rest_curvature = (int32_t)cases[i].rest;
        fabric.rest_curvature_per_m = cases[i].curvature;
        fabric.bend_law = cases[i].law ? law : NULL;
        fabric.bend_law_count = cases[i].law ? 2 : 0;
        test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, false, NULL, cases[i].map ? flat : NULL,
                        &model);
        ck_assert_int_eq(only_kind(&model), (int32_t)cases[i].kind);
        test_model_free(&model);
    }
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(rest_given_curvature_bends_every_edge) {
    /* A, B, C, D: the map counts at C and D */
    static const double map[4] = {7, 8, 1, 2};
    TestMesh mesh = test_hinge(hinge_pair);
    ToileFabric fabric = toile_fabric_default();
    for (int i = 0; i < 2; i++) {
        TestModel model;
        fabric.rest_curvature_per_m = -0.4;
        test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, false, NULL, i == 1 ? map : NULL,
                        &model);
        const TlHingeSet *set = &model.model.sets.hinges[TL_HINGE_CURVED];
        double gamma0 = i == 1 ? 1.5 : -0.4, hA = set->height_a[0], hB = set->height_b[0];
        ASSERT_RELATIVE(set->rest_r[0], 0.5 * hA * hB * gamma0, ROUNDING);
        ASSERT_RELATIVE(set->rest_theta[0], 0.5 * (hA + hB) * gamma0, ROUNDING);
        test_model_free(&model);
    }
    test_mesh_free(&mesh);
}
END_TEST

/* curvature comes from the 3D shape, lengths from the pattern */
START_TEST(rest_curvature_from_the_shape_is_measured_in_space) {
    static const double flat[4][3] = {{0.5, 1, 0}, {0.5, -1, 0}, {0, 0, 0}, {1, 0, 0}};
    TestMesh mesh = test_hinge(flat);
    ToileFabric fabric = toile_fabric_default();
    TestModel model;
    double rest[12];
    memcpy(rest, mesh.positions, sizeof rest);
    /* lifted on one side: a valley of angle atan(0.4) */
    rest[2] = 0.4;
    fabric.rest_curvature = TOILE_REST_CURVATURE_FROM_REST;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_METRIC, false, rest, NULL, &model);
    const TlHingeSet *set = &model.model.sets.hinges[TL_HINGE_CURVED];
    ASSERT_RELATIVE(set->rest_theta[0], atan(0.4), ROUNDING);
    /* R = (0, 0, 0.2), N half way between up and the raised side */
    ASSERT_RELATIVE(set->rest_r[0], 0.2 / sqrt(1 + 0.2 * 0.2), ROUNDING);
    ASSERT_RELATIVE(set->height_a[0], 1.0, ROUNDING);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* Largest |R| of the hinges of a set at positions x. */
static double largest_bending(const TlHingeSet *set, const double *x) {
    double largest = 0.0;
    for (int32_t h = 0; h < set->count; h++) {
        for (int k = 0; k < 3; k++) {
            double sum = 0.0;
            for (int32_t c = set->first[h]; c < set->first[h + 1]; c++) {
                sum += set->alpha[c] * x[3 * set->vertex[c] + k];
            }
            largest = fmax(largest, fabs(sum));
        }
    }
    return largest;
}

/* four corners on either side of an edge, one hinge inside each quad; all vanish on the flat shape,
 * and every point is a mean of its corners */
START_TEST(rest_quads_have_hinges_over_edges_and_inside) {
    TestRandom random = test_random(43);
    for (int loop = 0; loop < 20; loop++) {
        TestMesh mesh = test_grid(3, 2, 3, 2, TEST_DIAGONAL_NONE);
        for (int32_t v = 0; v < mesh.vertex_count; v++) {
            mesh.positions[3 * v] += test_between(&random, -0.2, 0.2);
            mesh.positions[3 * v + 1] += test_between(&random, -0.2, 0.2);
        }
        for (int angles = 0; angles < 2; angles++) {
            ToileFabric fabric = toile_fabric_default();
            TestModel model;
            fabric.bend_model = angles == 1 ? TOILE_BEND_DIHEDRAL : TOILE_BEND_LINEAR;
            test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
            const TlHingeSet *set =
                &model.model.sets.hinges[angles == 1 ? TL_HINGE_DIHEDRAL : TL_HINGE_LINEAR];
            /* seven inner edges, six quads with one hinge, or one per diagonal */
            ck_assert_int_eq(set->count, angles == 1 ? 19 : 13);
            ck_assert_int_eq(set->corner_count, 7 * 6 + (angles == 1 ? 12 : 6) * 4);
            ASSERT_BELOW(largest_bending(set, mesh.positions), ROUNDING);
            for (int32_t h = 0; h < set->count; h++) {
                double sum = 0.0;
                for (int32_t c = set->first[h]; c < set->first[h + 1]; c++) {
                    sum += set->share[c];
                }
                ASSERT_NEAR(sum, 4.0, ROUNDING);
            }
            test_model_free(&model);
        }
        test_mesh_free(&mesh);
    }
}
END_TEST

/* Over the edge of a quad, A and B stand over its middle: so they do not show a cylinder along the
 * edge, however the quads are sheared. A little pull to the middle of the far side is left. */
START_TEST(rest_quad_apex_stands_over_the_middle_of_the_edge) {
    static const double shears[] = {0.0, 0.2, 0.5};
    for (int i = 0; i < 3; i++) {
        TestMesh mesh = test_grid(2, 1, 2, 1, TEST_DIAGONAL_NONE);
        for (int32_t v = 0; v < mesh.vertex_count; v++) {
            mesh.positions[3 * v + 1] += shears[i] * mesh.positions[3 * v];
        }
        ToileFabric fabric = toile_fabric_default();
        TestModel model;
        test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
        const TlHingeSet *set = &model.model.sets.hinges[TL_HINGE_LINEAR];
        ck_assert_int_eq(set->first[1], 6);
        double along = 0.0, edge = 0.0;
        for (int32_t c = 0; c < 2; c++) {
            along += set->share[c] * mesh.positions[3 * set->vertex[c] + 1];
            edge += 0.5 * mesh.positions[3 * set->vertex[4 + c] + 1];
        }
        ASSERT_NEAR(fabs(along - edge), shears[i] / 17, ROUNDING);
        ASSERT_NEAR(set->height_a[0], 1.0, ROUNDING);
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* far corners of very different heights could put the apex close to the edge, or beyond it */
START_TEST(rest_quad_apex_keeps_its_height) {
    static const double skewed[6][3] = {{0, 0, 0},     {1, 0, 0},  {2.5, 2, 0},
                                        {0.2, 0.3, 0}, {0, -1, 0}, {1, -1, 0}};
    static const int32_t corners[8] = {0, 1, 2, 3, 1, 0, 4, 5};
    TestMesh mesh = test_grid(2, 1, 2, 1, TEST_DIAGONAL_NONE);
    memcpy(mesh.positions, skewed, sizeof skewed);
    memcpy(mesh.corners, corners, sizeof corners);
    ToileFabric fabric = toile_fabric_default();
    TestModel model;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
    const TlHingeSet *set = &model.model.sets.hinges[TL_HINGE_LINEAR];
    ck_assert_int_eq(model.rest.sets.quads.count, 2);
    ck_assert_int_eq(set->first[1], 6);
    /* half the height of the middle of the far side, where the middle of the edge has less */
    ASSERT_RELATIVE(fmin(set->height_a[0], set->height_b[0]), 0.5 * 1.15, ROUNDING);
    ASSERT_BELOW(largest_bending(set, mesh.positions), ROUNDING);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* a given curvature is that of a sphere: patches of rectangles rest without twist, sheared ones
 * with as much as the sphere has */
START_TEST(rest_given_curvature_inside_quads_is_that_of_a_sphere) {
    static const double shears[] = {0.0, 0.6};
    for (int i = 0; i < 2; i++) {
        TestMesh mesh = test_grid(1, 1, 1, 1, TEST_DIAGONAL_NONE);
        double sphere[12];
        for (int32_t v = 0; v < 4; v++) {
            double *p = mesh.positions + 3 * v;
            p[0] += shears[i] * p[1];
            memcpy(sphere + 3 * v, p, 3 * sizeof(double));
            sphere[3 * v + 2] = 0.5 * 0.3 * (p[0] * p[0] + p[1] * p[1]);
        }
        ToileFabric fabric = toile_fabric_default();
        TestModel model;
        fabric.rest_curvature_per_m = 0.3;
        test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
        const TlHingeSet *set = &model.model.sets.hinges[TL_HINGE_CURVED];
        double height = 0.0;
        for (int c = 0; c < 4; c++) {
            height += set->alpha[c] * sphere[3 * set->vertex[c] + 2];
        }
        ck_assert_int_eq(set->count, 1);
        ASSERT_NEAR(set->rest_r[0], height, ROUNDING);
        ASSERT_NEAR(fabs(height), 0.5 * 0.3 * shears[i], ROUNDING);
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

TEST_MAIN("rest_shape", rest_masses_sum_to_density_times_area,
          rest_without_pattern_lays_weft_along_the_first_edge,
          rest_with_orientation_turns_weft_but_keeps_lengths,
          rest_with_metric_pattern_takes_lengths_from_the_uvs, rest_scales_a_metric_pattern,
          rest_halves_of_a_quad_share_their_weft, rest_leaves_out_degenerate_hinges,
          rest_boundaries_and_non_manifold_edges_carry_no_hinge,
          rest_flipped_neighbour_has_the_same_hinge, rest_alphas_sum_to_zero_and_kill_the_flat_pair,
          rest_hinges_are_of_the_kind_their_fabric_needs, rest_given_curvature_bends_every_edge,
          rest_curvature_from_the_shape_is_measured_in_space,
          rest_quads_have_hinges_over_edges_and_inside,
          rest_quad_apex_stands_over_the_middle_of_the_edge, rest_quad_apex_keeps_its_height,
          rest_given_curvature_inside_quads_is_that_of_a_sphere)
