/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all energies, and what every one of them answers where a cloth is no surface any
 * more: collapsed to a line or a point, folded onto itself, torn far apart. Numbers, always; how
 * good they are is the line search's business. */
#include "force/models.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

/* ---- poses ---- */

enum { SIDE = 3, VERTICES = (SIDE + 1) * (SIDE + 1), POSES = 44, STARTS = 4 };

/* Pose number i of a sheet of SIDE x SIDE cells of size 1. */
static void make_pose(const double *rest, int32_t i, TestRandom *random, double *x) {
    static const double sizes[8] = {1e-300, 1e-160, 1e-100, 1e-40, 1e-20, 1e5, 1e15, 1e30};
    static const double squash[7][3] = {{0, 0, 0}, {1, 0, 0},  {1, 1, 0},    {0, 0, 1},
                                        {2, 3, 0}, {-1, 1, 1}, {1, 1e-17, 1}};
    for (int32_t k = 0; k < 3 * VERTICES; k++) {
        int32_t axis = k % 3, v = k / 3;
        double p = rest[k];
        if (i < 7) { /* flattened, to a line or to a point */
            p *= squash[i][axis];
        } else if (i < 15) { /* tiny and huge, beside the origin */
            p = (p + 0.3) * sizes[i - 7];
        } else if (i < 23) { /* the same for one vertex */
            p = v == 5 ? (p + 0.3) * sizes[i - 15] : p;
        } else if (i < 25) { /* folded onto itself, along a line of the grid and between them */
            p = axis == 0 ? fabs(p - (i == 23 ? 1.0 : 1.5)) : p;
        } else if (i < 28) { /* a line askew */
            p = (axis + i - 25.0) * rest[3 * v + i % 2];
        } else if (i < 32) { /* two vertices in one place */
            static const int32_t other[4] = {6, 10, 1, 4};
            p = v == 5 ? rest[3 * other[i - 28] + axis] : p;
        } else if (i < 34) { /* a vertex on an edge opposite it */
            p = v == 5 ? 0.5 * (rest[3 * (i == 32 ? 9 : 10) + axis] + rest[18 + axis]) : p;
        } else { /* on the corners of a cube: every degeneracy there is */
            p = test_below(random, 2);
        }
        x[k] = p;
    }
}

/* ---- checks ---- */

/* One energy, at one pose coming from another one, and buffers for what it answers. */
typedef struct Case {
    const TlElements *elements;
    const ToileFabric *fabric;
    TlPoint at;
    int32_t pose, start;
    double *grad, *hess;
} Case;

static void check_numbers(const Case *c, const char *what, const double *values, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (!tl_is_finite(values[i])) {
            ck_abort_msg("%s: %s %d is %g (bending model %d, pose %d from %d, dt %g)",
                         c->elements->name, what, (int)i, values[i], (int)c->fabric->bend_model,
                         (int)c->pose, (int)c->start, c->at.dt_s);
        }
    }
}

static void check_case(const Case *c, const double *v) {
    const TlElements *elements = c->elements;
    int64_t corners = tl_first_corner(elements, elements->count), size = tl_hessian_size(elements);
    double value = test_value(elements, &c->at);
    check_numbers(c, "value", &value, 1);
    ck_assert_msg(value >= 0.0, "%s: the value is %g", elements->name, value);
    elements->derive(elements->model, &c->at, 0, elements->count, c->grad,
                     size > 0 ? c->hess : NULL);
    check_numbers(c, "gradient", c->grad, 3 * corners);
    /* rows are multiplied with each other */
    for (int64_t i = 0; i < size && elements->hessian > 0; i++) {
        c->hess[i] *= c->hess[i];
    }
    check_numbers(c, "Hessian", c->hess, size);
    if (elements->damp != NULL) {
        elements->damp(elements->model, c->at.x, v, 0, elements->count, c->grad);
        check_numbers(c, "damping", c->grad, 3 * corners);
    }
}

/* One energy at all poses, standing still and stepping there from another one. */
static void check_energy(Case c, double (*poses)[3 * VERTICES], TestRandom *random) {
    int64_t corners = tl_first_corner(c.elements, c.elements->count);
    double v[3 * VERTICES];
    c.grad = test_alloc(3 * sizeof(double) * (size_t)corners);
    c.hess = test_alloc(sizeof(double) * (size_t)(tl_hessian_size(c.elements) + 1));
    for (c.pose = 0; c.pose < POSES; c.pose++) {
        for (int32_t k = 0; k < 3 * VERTICES; k++) {
            v[k] = test_between(random, -1, 1) * (c.pose % 2 == 0 ? 1.0 : 1e15);
        }
        c.at = (TlPoint){.x = poses[c.pose]};
        check_case(&c, v);
        for (int32_t i = 0; i < STARTS; i++) {
            c.start = i == 0 ? c.pose : test_below(random, POSES);
            c.at = (TlPoint){poses[c.pose], poses[c.start], i % 2 == 0 ? 1e-2 : 1e-9};
            check_case(&c, v);
        }
    }
    free(c.grad);
    free(c.hess);
}

static void check_fabric(const ToileFabric *fabric, TestDiagonal diagonal, TestRandom *random) {
    TestMesh mesh = test_grid(SIDE, SIDE, SIDE, SIDE, diagonal);
    TestModel model;
    TlElements energies[TL_MOST_ENERGIES];
    double poses[POSES][3 * VERTICES], *rest = test_deformed(&mesh, random, 0.1);
    test_model_with(&mesh, fabric, TOILE_PATTERN_METRIC, true, rest, NULL, &model);
    for (int32_t i = 0; i < POSES; i++) {
        make_pose(mesh.positions, i, random, poses[i]);
    }
    int32_t count = tl_energies(&model.model, energies);
    ck_assert_int_ge(count, 2);
    for (int32_t e = 0; e < count; e++) {
        ck_assert_int_gt(energies[e].count, 0);
        check_energy((Case){.elements = &energies[e], .fabric = fabric}, poses, random);
    }
    free(rest);
    test_model_free(&model);
    test_mesh_free(&mesh);
}

START_TEST(models_answer_numbers_for_any_positions) {
    TestRandom random = test_random(1);
    for (int32_t i = 0; i < TEST_FABRICS; i++) {
        ToileFabric fabric = test_any_fabric(i);
        check_fabric(&fabric, TEST_DIAGONAL_HERRINGBONE, &random);
        check_fabric(&fabric, TEST_DIAGONAL_NONE, &random);
    }
}
END_TEST

/* ---- the list ---- */

static void expect_energies(const ToileFabric *fabric, TestDiagonal diagonal,
                            const char *const *names, int32_t count) {
    TestMesh mesh = test_grid(SIDE, SIDE, SIDE, SIDE, diagonal);
    TestModel model;
    TlElements energies[TL_MOST_ENERGIES];
    test_model_with(&mesh, fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
    ck_assert_int_eq(tl_energies(&model.model, energies), count);
    for (int32_t i = 0; i < count; i++) {
        ck_assert_str_eq(energies[i].name, names[i]);
    }
    test_model_free(&model);
    test_mesh_free(&mesh);
}

START_TEST(models_are_listed_only_where_they_have_elements) {
    static const char *const triangles[2] = {"stretch stvk", "bend linear"};
    static const char *const quads[4] = {"stretch quad", "stretch limit", "bend koiter",
                                         "bend koiter inside"};
    ToileFabric fabric = toile_fabric_default();
    expect_energies(&fabric, TEST_DIAGONAL_SINGLE, triangles, 2);
    fabric.bend_model = TOILE_BEND_KOITER;
    fabric.stretch_limit = 0.1;
    expect_energies(&fabric, TEST_DIAGONAL_NONE, quads, 4);
}
END_TEST

TEST_MAIN("models", models_answer_numbers_for_any_positions,
          models_are_listed_only_where_they_have_elements)
