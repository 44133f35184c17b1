/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Published and independently computed numbers: hinge pairs, a triangle, grid energies, a
 * time step and the hanging strip. */
#include "force/bend_linear.h"
#include "force/stretch_stvk.h"
#include "support/builders.h"
#include "toile/draft.h"

#include <stdlib.h>
#include <string.h>

/* the references carry 15 digits */
#define EXACT 1e-10
/* references printed with 12 digits */
#define PRINTED 2e-11
/* the stretch energy that must be there but must not show: far below EXACT of every force in play
 */
#define FAINT 1e-13

/* ---- hinge pairs ---- */

typedef struct Pair {
    double rest[4][3], now[4][3];
    double mu;
    double alpha[4], l, hA, hB, lambda_third, lambda, k_e;
    double R[3], r, gamma, E, F[4][3], theta;
} Pair;

static const Pair convex = {
    {{0.2, 0.9, 0}, {0.9, -0.6, 0}, {0, 0, 0}, {1.0, 0.2, 0}},
    {{0.25, 0.8, 0.3}, {0.85, -0.55, 0.2}, {0, 0.05, -0.02}, {1.02, 0.18, 0.03}},
    0.01,
    {0.475609756097561, 0.524390243902439, -0.432926829268293, -0.567073170731707},
    1.01980390271856,
    0.843299381094191,
    0.764852927038918,
    0.0262804719267672,
    0.0788414157803017,
    0.0126829268292683,
    {-0.0137804878048779, -0.0316463414634147, 0.239207317073171},
    0.24143436635483,
    0.748633694123503,
    0.00230262399216745,
    {{0.000516737238762325, 0.00118666649078606, -0.00896973534364873},
     {0.000569735929917435, 0.00130837587445642, -0.00988970819940758},
     {-0.000470363384001603, -0.00108017078007449, 0.00816475909485974},
     {-0.000616109784678156, -0.00141487158516799, 0.0106946844481966}},
    0.656203239636278};

static const Pair nonconvex = {
    {{1.6, 0.5, 0}, {1.3, -0.4, 0}, {0, 0, 0}, {1, 0, 0}},
    {{1.5, 0.45, 0.2}, {1.2, -0.35, 0.1}, {0, 0, 0}, {1, 0.02, 0.05}},
    0.002,
    {0.444444444444444, 0.555555555555556, 0.433333333333334, -1.43333333333333},
    1.0,
    0.5,
    0.4,
    0.03,
    0.09,
    0.00444444444444444,
    {-0.1, -0.0231111111111111, 0.0727777777777778},
    0.0794931025137342,
    0.794931025137342,
    0.00071238277777778,
    {{0.00400000000000001, 0.000924444444444444, -0.00291111111111111},
     {0.00500000000000001, 0.00115555555555555, -0.00363888888888889},
     {0.00390000000000001, 0.000901333333333333, -0.00283833333333333},
     {-0.0129, -0.00298133333333333, 0.00938833333333333}},
    0.395490174251204};

static const Pair rest3d = {
    {{0.3, 0.7, 0.25}, {0.5, -0.6, 0.2}, {0, 0, 0}, {0.9, 0.1, 0.05}},
    {{0.3, 0.7, 0.4}, {0.5, -0.6, 0.3}, {0, 0, 0}, {0.9, 0.1, 0}},
    0.05,
    {0.490503107375953, 0.509496892624047, -0.542004738723839, -0.457995261276161},
    0.906917857360853,
    0.701019665507731,
    0.67488600861187,
    0.185829264655808,
    0.557487793967425,
    0.0659142464792262,
    {-0.0102963566237354, -0.0081454865388771, 0.349050310737595},
    0.348572076409504,
    1.47354011437417,
    0.0340091201103413,
    {{0.00281553352183081, 0.00222737918274532, -0.0954476312933522},
     {0.00292455961823732, 0.00231363013860463, -0.0991436564233941},
     {-0.00311115768263313, -0.0024612485707608, 0.10546940005685},
     {-0.00262893545743501, -0.00207976075058915, 0.0891218876598958}},
    0.974634604931965};

/* The only hinge of a pair, seen through the public functions. */
static ToileHingeDetail hinge_of(const Pair *pair, const ToileFabric *fabric,
                                 ToileEnergies *energies) {
    ToileSimDef sim_def = test_exact_def(0.01);
    ToileSim *sim = test_sim(&sim_def);
    TestMesh mesh = test_hinge(pair->rest);
    ToileClothId cloth = test_add(sim, &mesh, fabric, NULL, 0);
    ToileHingeDetail detail = {.struct_size = sizeof detail};
    ASSERT_OK(toile_sim_set_positions(sim, cloth, &pair->now[0][0], NULL));
    ck_assert_int_eq(toile_sim_hinge_count(sim, cloth), 1);
    ASSERT_OK(toile_sim_get_hinge(sim, cloth, 0, &detail, NULL));
    ASSERT_OK(toile_sim_get_energies(sim, energies, NULL));
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
    return detail;
}

static void check_pair_forces(const Pair *pair) {
    TestMesh mesh = test_hinge(pair->rest);
    ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, pair->mu);
    TestModel model;
    double grad[12], scale = test_largest(&pair->F[0][0], 12);
    test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
    TlElements bend = tl_bend_linear(&model.model);
    TlPoint at = {&pair->now[0][0], NULL, 0.0};
    test_gradient(&bend, &at, grad);
    for (int i = 0; i < 12; i++) {
        ASSERT_NEAR(-grad[i], pair->F[i / 3][i % 3], EXACT * scale);
    }
    test_model_free(&model);
    test_mesh_free(&mesh);
}

static void check_pair(const Pair *pair) {
    ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, pair->mu);
    ToileEnergies energies = toile_energies_default();
    ToileHingeDetail hinge = hinge_of(pair, &fabric, &energies);
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(hinge.vertices[k], k);
        ASSERT_RELATIVE(hinge.alpha[k], pair->alpha[k], EXACT);
    }
    for (int k = 0; k < 3; k++) {
        ASSERT_NEAR(hinge.R_m[k], pair->R[k], EXACT * pair->r);
    }
    ASSERT_RELATIVE(hinge.length_m, pair->l, EXACT);
    ASSERT_RELATIVE(hinge.height_a_m, pair->hA, EXACT);
    ASSERT_RELATIVE(hinge.height_b_m, pair->hB, EXACT);
    ASSERT_RELATIVE(hinge.lambda_N_per_m, pair->lambda, EXACT);
    ASSERT_RELATIVE(hinge.k_e_N_m, pair->k_e, EXACT);
    ASSERT_RELATIVE(hinge.mu_N_m, pair->mu, EXACT);
    ASSERT_RELATIVE(hinge.r_m, pair->r, EXACT);
    ASSERT_RELATIVE(hinge.gamma_per_m, pair->gamma, EXACT);
    ASSERT_RELATIVE(hinge.theta_rad, pair->theta, EXACT);
    ASSERT_RELATIVE(energies.bend_J, pair->E, EXACT);
    fabric.bend_scale = TOILE_BEND_PAPER;
    hinge = hinge_of(pair, &fabric, &energies);
    ASSERT_RELATIVE(hinge.lambda_N_per_m, pair->lambda_third, EXACT);
    ASSERT_RELATIVE(hinge.k_e_N_m, pair->k_e / 3, EXACT);
    ASSERT_RELATIVE(energies.bend_J, pair->E / 3, EXACT);
    check_pair_forces(pair);
}

START_TEST(pair_convex_matches_published_numbers) {
    check_pair(&convex);
}
END_TEST

START_TEST(pair_nonconvex_uses_the_signed_coefficients) {
    check_pair(&nonconvex);
}
END_TEST

START_TEST(pair_with_curved_rest_is_flattened_isometrically) {
    check_pair(&rest3d);
}
END_TEST

START_TEST(pair_modulus_follows_the_edge_direction) {
    TestMesh mesh = test_hinge(convex.rest);
    ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 0.01);
    fabric.bend_warp_N_m = 0.03;
    TestModel model;
    test_model(&mesh, &fabric, TOILE_PATTERN_METRIC, &model);
    ASSERT_RELATIVE(model.rest.sets.hinges[TL_HINGE_LINEAR].mu[0], 0.0292307692307692, EXACT);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- triangles ---- */

typedef struct Triangle {
    double uv[3][3], P[3][3];
    double E1, E2, G, nu12;
    double K11, K12, K22, strain[3], E, grad[3][3], psd_trace, psd_norm;
} Triangle;

static const Triangle stretched = {{{0, 0, 0}, {1, 0.1, 0}, {0.2, 0.9, 0}},
                                   {{0, 0, 0}, {1.1, 0.05, 0.2}, {0.1, 0.8, -0.1}},
                                   1000,
                                   600,
                                   150,
                                   0.3,
                                   1057.08245243129,
                                   190.274841437632,
                                   634.249471458774,
                                   {0.144192277892562, -0.0750903925619834, -0.221913739669422},
                                   6.34061290021312,
                                   {{-49.6220549884403, 20.8711233681389, -12.4581544125151},
                                    {74.6988957705086, -14.2394155003153, 16.201647791057},
                                    {-25.0768407820683, -6.63170786782357, -3.74349337854195}},
                                   2231.75270751675,
                                   1386.21846836792};

static const Triangle pressed = {{{0, 0, 0}, {0.4, 0, 0}, {0.1, 0.3, 0}},
                                 {{0, 0, 0}, {0.3, 0.02, 0.05}, {0.12, 0.2, 0.02}},
                                 50,
                                 80,
                                 10,
                                 0.2,
                                 53.4188034188034,
                                 17.0940170940171,
                                 85.4700854700855,
                                 {-0.2096875, -0.2771875, 0.148125},
                                 0.333665744441106,
                                 {{2.20692728365385, 2.62339002403846, 0.367821213942308},
                                  {-1.61084555288462, 0.907630809294872, -0.268474258814103},
                                  {-0.596081730769231, -3.53102083333334, -0.0993469551282052}},
                                 76.1627359330484,
                                 53.8047212901643};

static void check_triangle(const Triangle *t) {
    static const int32_t face[1][3] = {{0, 1, 2}};
    TestMesh mesh = test_triangles(3, t->uv, 1, face);
    ToileFabric fabric = test_fabric(t->E1, t->E2, t->G, t->nu12, 0);
    TestModel model;
    test_model(&mesh, &fabric, TOILE_PATTERN_METRIC, &model);
    ASSERT_RELATIVE(model.material.K11, t->K11, EXACT);
    ASSERT_RELATIVE(model.material.K12, t->K12, EXACT);
    ASSERT_RELATIVE(model.material.K22, t->K22, EXACT);
    ck_assert_double_eq(model.material.K33, t->G);
    TlStvkDetail detail = tl_stretch_stvk_detail(&model.model, &t->P[0][0], 0);
    for (int i = 0; i < 3; i++) {
        ASSERT_RELATIVE(detail.strain[i], t->strain[i], EXACT);
    }
    ASSERT_RELATIVE(detail.energy_J, t->E, EXACT);
    ASSERT_RELATIVE(detail.psd_trace, t->psd_trace, EXACT);
    TlElements stretch = tl_stretch_stvk(&model.model);
    TlPoint at = {&t->P[0][0], NULL, 0.0};
    double grad[9], hess[81], norm2 = 0.0;
    test_gradient(&stretch, &at, grad);
    test_hessian(&stretch, &at, hess);
    for (int i = 0; i < 9; i++) {
        ASSERT_NEAR(grad[i], t->grad[i / 3][i % 3], EXACT * test_largest(&t->grad[0][0], 9));
    }
    for (int i = 0; i < 81; i++) {
        norm2 += hess[i] * hess[i];
    }
    ASSERT_RELATIVE(sqrt(norm2), t->psd_norm, EXACT);
    test_model_free(&model);
    test_mesh_free(&mesh);
}

START_TEST(triangle_stretched_matches_published_numbers) {
    check_triangle(&stretched);
}
END_TEST

START_TEST(triangle_compressed_matches_published_numbers) {
    check_triangle(&pressed);
}
END_TEST

/* free sides: lambda2^2 = 1 - nu12 (lambda1^2 - 1); 5.5125 J/m^2 and 115.5 N/m at lambda1 = 1.1 */
START_TEST(uniaxial_stretch_has_the_energy_and_force_of_the_law) {
    TestMesh mesh = test_grid(4, 3, 0.4, 0.3, TEST_DIAGONAL_NONE);
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0);
    ToileSimDef def = test_exact_def(0.01);
    ToileSim *sim = test_sim(&def);
    ToileClothId cloth = test_add(sim, &mesh, &fabric, NULL, 0);
    double lambda2 = sqrt(1.0 - 0.3 * (1.1 * 1.1 - 1.0)), side = 0.0, force[3 * 20];
    ASSERT_RELATIVE(lambda2, 0.967987603226405, EXACT);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        mesh.positions[3 * v] *= 1.1;
        mesh.positions[3 * v + 1] *= lambda2;
    }
    ASSERT_OK(toile_sim_set_positions(sim, cloth, mesh.positions, NULL));
    ToileEnergies energies = toile_energies_default();
    ASSERT_OK(toile_sim_get_energies(sim, &energies, NULL));
    ASSERT_RELATIVE(energies.stretch_J / (0.4 * 0.3), 5.5125, EXACT);
    ASSERT_OK(toile_sim_get_internal_forces(sim, cloth, force, NULL));
    for (int32_t j = 0; j < 4; j++) {
        side += force[3 * (5 * j + 4)];
    }
    ASSERT_RELATIVE(-side / 0.3, 115.5, EXACT);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        ASSERT_NEAR(force[3 * v + 1], 0.0, EXACT * 115.5 * 0.1);
    }
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- grid energies ---- */

typedef void (*Map)(double u, double v, double out[3]);

static void roll_0(double u, double v, double out[3]) {
    out[0] = sin(1.5 * u) / 1.5;
    out[1] = v;
    out[2] = (1.0 - cos(1.5 * u)) / 1.5;
}

static void roll_30(double u, double v, double out[3]) {
    double c = sqrt(0.75), s = 0.5;
    roll_0(c * u + s * v, c * v - s * u, out);
}

static void bilinear_map(double u, double v, double out[3]) {
    out[0] = 1.05 * u + 0.1 * u * v;
    out[1] = 0.97 * v + 0.05 * u * u;
    out[2] = 0.3 * u * u - 0.2 * u * v + 0.1 * v * v;
}

static ToileEnergies grid_energies(Map map, int32_t bend_scale, ToilePattern pattern) {
    /* quads split themselves along (i,j)-(i+1,j+1) */
    TestMesh mesh = test_grid(8, 4, 1.0, 0.5, TEST_DIAGONAL_NONE);
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 1.0);
    fabric.bend_scale = bend_scale;
    ToileSimDef sim_def = test_exact_def(0.01);
    ToileSim *sim = test_sim(&sim_def);
    ToileMeshDef mesh_def = test_mesh_def(&mesh);
    ToileClothDef def = toile_cloth_def_default();
    double start[45][3];
    for (int32_t v = 0; v < 45; v++) {
        map(mesh.uvs[2 * v], mesh.uvs[2 * v + 1], start[v]);
    }
    def.mesh = &mesh_def;
    def.fabric = &fabric;
    def.pattern = pattern;
    def.elements = TOILE_ELEMENTS_TRIANGLES;
    def.start_positions_m = &start[0][0];
    ToileClothId cloth;
    ASSERT_OK(toile_sim_add_cloth(sim, &def, &cloth, NULL));
    ck_assert_int_eq(toile_sim_hinge_count(sim, cloth), 84);
    ToileEnergies energies = toile_energies_default();
    ASSERT_OK(toile_sim_get_energies(sim, &energies, NULL));
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
    return energies;
}

static void check_grid(Map map, double bend, double bend_third, double stretch) {
    for (int32_t pattern = TOILE_PATTERN_NONE; pattern <= TOILE_PATTERN_METRIC; pattern++) {
        ToileEnergies e = grid_energies(map, TOILE_BEND_CALIBRATED, (ToilePattern)pattern);
        ASSERT_RELATIVE(e.bend_J, bend, PRINTED);
        ASSERT_RELATIVE(e.stretch_J, stretch, PRINTED * (stretch < 0.01 ? 100 : 1));
        e = grid_energies(map, TOILE_BEND_PAPER, (ToilePattern)pattern);
        ASSERT_RELATIVE(e.bend_J, bend_third, PRINTED);
    }
}

START_TEST(grid_rolled_along_x_has_the_reference_energies) {
    check_grid(roll_0, 0.48931118092, 0.163103726973, 0.000565735774072);
}
END_TEST

START_TEST(grid_rolled_at_30_degrees_has_the_reference_energies) {
    check_grid(roll_30, 1.29979543196, 0.433265143987, 0.000841171938159);
}
END_TEST

START_TEST(grid_under_a_polynomial_map_has_the_reference_energies) {
    check_grid(bilinear_map, 0.09125, 0.0304166666667, 4.91081109309);
}
END_TEST

/* ---- time stepping; the rest of it in test_integrators.c ---- */

START_TEST(implicit_euler_of_the_pair_matches_the_dense_solution) {
    static const double want[4] = {-0.100757884291242, -0.101331050660425, -0.0968313132049466,
                                   -0.0964381989867611};
    TestMesh mesh = test_hinge(convex.rest);
    ToileFabric fabric = test_fabric(FAINT, FAINT, FAINT, 0, 0.01);
    ToileSimDef def = test_exact_def(0.01);
    def.gravity_m_per_s2[2] = -9.81;
    ToileSim *sim = test_sim(&def);
    ToileClothId cloth = test_add(sim, &mesh, &fabric, NULL, 0);
    double x[12];
    memcpy(x, mesh.positions, sizeof x);
    x[2] = 0.1;
    x[5] = 0.2;
    ASSERT_OK(toile_sim_set_positions(sim, cloth, x, NULL));
    test_step(sim, 1);
    double *v = test_velocities(sim, cloth);
    for (int i = 0; i < 4; i++) {
        ASSERT_RELATIVE(v[3 * i + 2], want[i], EXACT);
        ASSERT_NEAR(v[3 * i], 0.0, EXACT * 0.1);
        ASSERT_NEAR(v[3 * i + 1], 0.0, EXACT * 0.1);
    }
    free(v);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- statics ---- */

static ToileSettleResult settle(ToileSim *sim, double tolerance) {
    ToileSettleDef def = toile_settle_def_default();
    ToileSettleResult result = toile_settle_result_default();
    def.tolerance = tolerance;
    ASSERT_OK(toile_sim_settle(sim, &def, &result, NULL));
    ck_assert_msg(result.converged, "residual %g after %d iterations", result.residual,
                  result.iterations);
    return result;
}

/* Root near 1 of lambda^3 - lambda = 2 P/k. */
static double stretch_under(double P_over_k) {
    double lambda = 1.0;
    for (int i = 0; i < 50; i++) {
        lambda -=
            (lambda * lambda * lambda - lambda - 2.0 * P_over_k) / (3.0 * lambda * lambda - 1.0);
    }
    return lambda;
}

/* A tube has no side edges, so that every row carries exactly its share. k = 10 rho g L. */
START_TEST(hanging_strip_matches_the_discrete_chain) {
    static const int32_t pins[6] = {0, 1, 2, 3, 4, 5};
    TestMesh mesh = test_tube(6, 20, 0.05, 1.0);
    ToileFabric fabric = test_fabric(10, 10, 5, 0, 0);
    fabric.density_kg_per_m2 = 1.0;
    ToileSimDef def = test_exact_def(0.01);
    def.gravity_m_per_s2[1] = -1.0;
    ToileSim *sim = test_sim(&def);
    ToileClothId cloth = test_add(sim, &mesh, &fabric, pins, 6);
    settle(sim, 1e-11);
    double *x = test_positions(sim, cloth), length = 0.0, lambda[21];
    for (int i = 0; i < 6; i++) {
        length -= x[3 * (120 + i) + 1] / 6;
        for (int row = 1; row <= 20; row++) {
            lambda[row] = 20 * (x[3 * (6 * row - 6) + 1] - x[3 * (6 * row) + 1]);
            ASSERT_RELATIVE(lambda[row], stretch_under((1.0 - (row - 0.5) / 20) / 10), EXACT);
        }
    }
    ASSERT_RELATIVE(length, 1.04579993668342, EXACT);
    /* extrapolated to the pins it is the continuous value, to the second order of the row height */
    ASSERT_NEAR(1.5 * lambda[1] - 0.5 * lambda[2], 1.08803391469129, 2e-5);
    free(x);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

TEST_MAIN("known_answers", pair_convex_matches_published_numbers,
          pair_nonconvex_uses_the_signed_coefficients,
          pair_with_curved_rest_is_flattened_isometrically, pair_modulus_follows_the_edge_direction,
          triangle_stretched_matches_published_numbers,
          triangle_compressed_matches_published_numbers,
          uniaxial_stretch_has_the_energy_and_force_of_the_law,
          grid_rolled_along_x_has_the_reference_energies,
          grid_rolled_at_30_degrees_has_the_reference_energies,
          grid_under_a_polynomial_map_has_the_reference_energies,
          implicit_euler_of_the_pair_matches_the_dense_solution,
          hanging_strip_matches_the_discrete_chain)
