/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The heavy cantilever: a strip clamped level at one end, sagging under its weight, against Euler's
 * elastica. One number describes it, Gamma = rho g L^3 / D: from a board (1) to a rag (1000). */
#include "support/builders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Strip {
    ToileBendModel bend;
    TestDiagonal mesh;
    ToileElements elements;
} Strip;

/* Cells along and across, width over length. */
typedef struct Size {
    int32_t n, rows;
    double width;
} Size;

static const Size recipe = {40, 8, 0.2};

static const Strip linear_triangles = {TOILE_BEND_LINEAR, TEST_DIAGONAL_HERRINGBONE,
                                       TOILE_ELEMENTS_TRIANGLES};
static const Strip linear_quads = {TOILE_BEND_LINEAR, TEST_DIAGONAL_NONE, TOILE_ELEMENTS_NATIVE};
static const Strip dihedral_triangles = {TOILE_BEND_DIHEDRAL, TEST_DIAGONAL_HERRINGBONE,
                                         TOILE_ELEMENTS_TRIANGLES};
static const Strip dihedral_quads = {TOILE_BEND_DIHEDRAL, TEST_DIAGONAL_NONE,
                                     TOILE_ELEMENTS_NATIVE};
static const Strip koiter_quads = {TOILE_BEND_KOITER, TEST_DIAGONAL_NONE, TOILE_ELEMENTS_NATIVE};

typedef struct Tip {
    double x, z; /* mean over the free end */
} Tip;

/* Columns at -a/2, a/2, ... L, the first two pinned, so that the clamp line is x = 0. L = rho = g
 * = 1, k = 1e4, nu = 0. */
static Tip hang(const Strip *strip, double Gamma, Size size) {
    double a = 1.0 / (size.n + 0.5), k = 1e4;
    int32_t columns = size.n + 2, edge = size.rows + 1;
    TestMesh mesh = test_grid(size.n + 1, size.rows, (size.n + 1) * a, size.width, strip->mesh);
    ToileFabric fabric = test_fabric(k, k, 0.5 * k, 0, 1.0 / Gamma);
    ToileSimDef def = toile_sim_def_default();
    ToileSettleDef settle = toile_settle_def_default();
    ToileSettleResult result = toile_settle_result_default();
    int32_t *pins = test_alloc(2 * sizeof *pins * (size_t)edge);
    memset(def.gravity_m_per_s2, 0, sizeof def.gravity_m_per_s2);
    def.threads = 1;
    def.gravity_m_per_s2[2] = -1.0;
    fabric.density_kg_per_m2 = 1.0;
    fabric.bend_model = strip->bend;
    for (int32_t j = 0; j < edge; j++) {
        pins[2 * j] = j * columns;
        pins[2 * j + 1] = j * columns + 1;
    }
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        mesh.positions[3 * v] -= 0.5 * a;
    }
    ToileMeshDef mesh_def = test_mesh_def(&mesh);
    ToileClothDef cloth_def = toile_cloth_def_default();
    ToileClothId cloth;
    cloth_def.mesh = &mesh_def;
    cloth_def.fabric = &fabric;
    cloth_def.elements = strip->elements;
    cloth_def.pin_vertices = pins;
    cloth_def.pin_count = 2 * edge;
    ToileSim *sim = test_sim(&def);
    ASSERT_OK(toile_sim_add_cloth(sim, &cloth_def, &cloth, NULL));
    settle.tolerance = 1e-6;
    ASSERT_OK(toile_sim_settle(sim, &settle, &result, NULL));
    ck_assert_msg(result.converged, "Gamma %g: residual %g after %d iterations", Gamma,
                  result.residual, (int)result.iterations);
    double *x = test_positions(sim, cloth);
    Tip tip = {0, 0};
    for (int32_t j = 0; j < edge; j++) {
        tip.x += x[3 * (j * columns + columns - 1)] / edge;
        tip.z += x[3 * (j * columns + columns - 1) + 2] / edge;
    }
    free(x);
    free(pins);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
    return tip;
}

enum { GAMMAS = 5 };
static const double gammas[GAMMAS] = {1, 10, 100, 300, 1000};
/* H/W of the elastica */
static const double elastica[GAMMAS] = {0.124561766, 1.066802320, 5.888104623, 11.183116223,
                                        21.335440501};

/* A tip known from elsewhere; Gamma 0 ends the list. */
typedef struct Known {
    double Gamma, x, z;
} Known;

/* Errors of H/W allowed at Gamma up to 100, at 300 and at 1000; tips to 2e-4. */
static void check_strip(const char *name, const Strip *strip, const double allowed[3],
                        const Known *known) {
    for (int i = 0; i < GAMMAS; i++) {
        Tip tip = hang(strip, gammas[i], recipe);
        printf("%s, Gamma %g: H/W %+.3f %%\n", name, gammas[i],
               100 * (-tip.z / tip.x / elastica[i] - 1));
        ASSERT_RELATIVE(-tip.z / tip.x, elastica[i], allowed[i < 2 ? 0 : i - 2]);
        if (known->Gamma == gammas[i]) {
            ASSERT_NEAR(tip.x, known->x, 2e-4);
            ASSERT_NEAR(tip.z, known->z, 2e-4);
            known++;
        }
    }
    ck_assert(known->Gamma == 0);
}

/* tips of triangles: an independent 3D solver on the same mesh */
START_TEST(cantilever_linear_on_triangles) {
    static const Known known[] = {
        {1, 0.991233, -0.123570}, {10, 0.656035, -0.700523}, {100, 0.158772, -0.937451}, {0, 0, 0}};
    const double allowed[3] = {0.01, 0.02, 0.05};
    check_strip("linear, triangles", &linear_triangles, allowed, known);
}
END_TEST

/* tips of quads: discrete inextensible chains, which sheets of quads follow */
START_TEST(cantilever_linear_on_quads) {
    static const Known known[] = {
        {1, 0.991248087, -0.123434995}, {100, 0.158727346, -0.937236657}, {0, 0, 0}};
    const double allowed[3] = {0.01, 0.02, 0.05};
    check_strip("linear, quads", &linear_quads, allowed, known);
}
END_TEST

START_TEST(cantilever_dihedral_on_triangles) {
    static const Known known[] = {{10, 0.656237, -0.700360}, {0, 0, 0}};
    const double allowed[3] = {0.01, 0.01, 0.03};
    check_strip("dihedral, triangles", &dihedral_triangles, allowed, known);
}
END_TEST

START_TEST(cantilever_dihedral_on_quads) {
    static const Known known[] = {
        {10, 0.656456333, -0.699935198}, {100, 0.159503989, -0.936767258}, {0, 0, 0}};
    const double allowed[3] = {0.01, 0.01, 0.03};
    check_strip("dihedral, quads", &dihedral_quads, allowed, known);
}
END_TEST

START_TEST(cantilever_koiter_on_quads) {
    static const Known known[] = {
        {1, 0.991248087, -0.123434995}, {100, 0.158727346, -0.937236657}, {0, 0, 0}};
    const double allowed[3] = {0.01, 0.02, 0.05};
    check_strip("koiter, quads", &koiter_quads, allowed, known);
}
END_TEST

/* Fig. 5 of Volino & Magnenat-Thalmann: how far the edge of a cloth falls must not depend on
 * the mesh. Against each other and against the elastica of the same stiffness. */
static void check_resolutions(const char *name, const Strip *strip) {
    double fall[3], low = HUGE_VAL, high = 0.0;
    for (int i = 0; i < 3; i++) {
        int32_t n = 16 << i;
        fall[i] = -hang(strip, 10, (Size){n, n / 4, 0.25}).z;
        low = fmin(low, fall[i]);
        high = fmax(high, fall[i]);
    }
    printf("%s: falls by %.5f, %.5f, %.5f at 16, 32 and 64 cells, elastica 0.70020\n", name,
           fall[0], fall[1], fall[2]);
    ck_assert_msg(high - low < 0.01 * low, "falls from %g to %g", low, high);
    ASSERT_RELATIVE(fall[2], 0.7001997155, 0.01);
}

START_TEST(fall_of_an_edge_does_not_depend_on_the_resolution) {
    check_resolutions("linear, triangles", &linear_triangles);
    check_resolutions("linear, quads", &linear_quads);
}
END_TEST

TEST_MAIN("cantilever", cantilever_linear_on_triangles, cantilever_linear_on_quads,
          cantilever_dihedral_on_triangles, cantilever_dihedral_on_quads,
          cantilever_koiter_on_quads, fall_of_an_edge_does_not_depend_on_the_resolution)
