/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Linear bending: rest, derivatives, momentum, the constant matrix, invariance, uv seams and
 * directions. */
#include "force/bend_linear.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

enum { LOOPS = 5 };

/* rounding of sums of about a hundred terms of one size */
#define ROUNDING 1e-12
/* an energy that is quadratic has exact central differences, up to 1e-16 E/(h g) */
#define DIFFERENCE 1e-10

typedef struct Fixture {
    TestRandom random;
    TestMesh mesh;
    ToileFabric fabric;
    TestModel model;
    TlElements elements;
    int32_t n;
    double *x, *grad;
} Fixture;

static void set_up(Fixture *f, TestRandom random, double amplitude) {
    f->random = random;
    f->mesh = test_jittered(3, 3, &f->random);
    f->fabric = test_fabric(1000, 1000, 50, 0.2, 0.01);
    f->fabric.bend_warp_N_m = 0.03;
    test_model(&f->mesh, &f->fabric, TOILE_PATTERN_METRIC, &f->model);
    f->elements = tl_bend_linear(&f->model.model);
    f->n = 3 * f->mesh.vertex_count;
    f->x = test_deformed(&f->mesh, &f->random, amplitude);
    f->grad = test_alloc(sizeof(double) * (size_t)f->n);
}

static void tear_down(Fixture *f) {
    free(f->x);
    free(f->grad);
    test_model_free(&f->model);
    test_mesh_free(&f->mesh);
}

static double largest_lambda(const Fixture *f) {
    return test_largest(f->model.rest.hinges.lambda, f->model.rest.hinges.count);
}

START_TEST(bend_zero_force_at_rest) {
    Fixture f;
    set_up(&f, test_random(21), 0.0);
    TlPoint rest = {f.mesh.positions, NULL, 0.0}, moved = {f.x, NULL, 0.0};
    test_gradient(&f.elements, &rest, f.grad);
    ASSERT_BELOW(test_largest(f.grad, f.n), ROUNDING * largest_lambda(&f));
    test_gradient(&f.elements, &moved, f.grad);
    ASSERT_BELOW(test_largest(f.grad, f.n), ROUNDING * largest_lambda(&f));
    tear_down(&f);
}
END_TEST

/* R vanishes under every affine map of a flat rest shape */
START_TEST(bend_zero_force_under_affine_maps) {
    Fixture f;
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
    tear_down(&f);
}
END_TEST

START_TEST(bend_gradient_is_that_of_the_energy) {
    TestRandom random = test_random(23);
    for (int i = 0; i < LOOPS; i++) {
        Fixture f;
        set_up(&f, random, 0.3);
        TlPoint at = {f.x, NULL, 0.0};
        test_gradient(&f.elements, &at, f.grad);
        ASSERT_BELOW(test_gradient_error(&f.elements, &at, f.grad, 1e-2), DIFFERENCE);
        ASSERT_BELOW(test_gradient_error(&f.elements, &at, f.grad, 1.0), DIFFERENCE);
        random = f.random;
        tear_down(&f);
    }
}
END_TEST

START_TEST(bend_forces_and_torques_sum_to_zero) {
    TestRandom random = test_random(24);
    for (int i = 0; i < LOOPS; i++) {
        Fixture f;
        double force[3], torque[3];
        set_up(&f, random, 0.3);
        TlPoint at = {f.x, NULL, 0.0};
        test_gradient(&f.elements, &at, f.grad);
        test_resultants(f.x, f.grad, f.n / 3, force, torque);
        double scale = test_largest(f.grad, f.n);
        ASSERT_BELOW(test_largest(force, 3), ROUNDING * scale);
        ASSERT_BELOW(test_largest(torque, 3), 10 * ROUNDING * scale);
        random = f.random;
        tear_down(&f);
    }
}
END_TEST

START_TEST(bend_energy_ignores_rigid_motion) {
    static const double axis[3] = {2.1, -0.3, 0.8}, shift[3] = {3, -2, 5};
    Fixture f;
    set_up(&f, test_random(25), 0.3);
    double *moved = test_moved(f.x, f.n / 3, axis, shift);
    TlPoint at = {f.x, NULL, 0.0}, there = {moved, NULL, 0.0};
    ASSERT_RELATIVE(test_value(&f.elements, &there), test_value(&f.elements, &at), ROUNDING);
    free(moved);
    tear_down(&f);
}
END_TEST

/* the sums run over differences, so distance from the origin costs digits of x only */
START_TEST(bend_far_from_the_origin_loses_no_more_than_the_coordinates) {
    Fixture f;
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
    tear_down(&f);
}
END_TEST

START_TEST(bend_renumbering_changes_nothing) {
    Fixture f;
    set_up(&f, test_random(27), 0.3);
    int32_t count = f.n / 3, *order = test_alloc(sizeof(int32_t) * (size_t)count);
    double *x = test_alloc(sizeof(double) * (size_t)f.n);
    test_shuffle(&f.random, order, count);
    TestMesh other = test_renumbered(&f.mesh, order);
    TestModel model;
    test_model(&other, &f.fabric, TOILE_PATTERN_METRIC, &model);
    for (int32_t v = 0; v < count; v++) {
        memcpy(x + 3 * order[v], f.x + 3 * v, 3 * sizeof(double));
    }
    TlElements elements = tl_bend_linear(&model.model);
    TlPoint at = {f.x, NULL, 0.0}, there = {x, NULL, 0.0};
    ck_assert_int_eq(elements.count, f.elements.count);
    ASSERT_RELATIVE(test_value(&elements, &there), test_value(&f.elements, &at), ROUNDING);
    free(order);
    free(x);
    test_model_free(&model);
    test_mesh_free(&other);
    tear_down(&f);
}
END_TEST

START_TEST(bend_hessian_is_positive_and_constant) {
    Fixture f;
    set_up(&f, test_random(28), 0.3);
    size_t size = sizeof(double) * (size_t)(f.n * f.n);
    double *hess = test_alloc(size), *rest = test_alloc(size);
    TlPoint at = {f.x, NULL, 0.0}, flat = {f.mesh.positions, NULL, 0.0};
    test_hessian(&f.elements, &at, hess);
    test_hessian(&f.elements, &flat, rest);
    ck_assert_mem_eq(hess, rest, size);
    ASSERT_BELOW(test_hessian_error(&f.elements, &at, hess, 0.1), DIFFERENCE);
    test_eigenvalues(hess, f.n, f.grad);
    double largest = test_largest(f.grad, f.n);
    for (int32_t i = 0; i < f.n; i++) {
        ck_assert_msg(f.grad[i] >= -ROUNDING * largest * test_scale(),
                      "eigenvalue %g of largest %g", f.grad[i], largest);
    }
    free(hess);
    free(rest);
    tear_down(&f);
}
END_TEST

START_TEST(bend_matrix_is_the_sum_of_the_hinges) {
    Fixture f;
    set_up(&f, test_random(29), 0.3);
    double *hess = test_alloc(sizeof(double) * (size_t)(f.n * f.n));
    TlScalarMatrix L;
    TlPoint at = {f.x, NULL, 0.0};
    ck_assert(tl_bend_linear_matrix(&f.model.arena, &f.model.model, &L));
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
    tear_down(&f);
}
END_TEST

START_TEST(bend_matrix_gives_the_hinge_forces) {
    Fixture f;
    set_up(&f, test_random(30), 0.3);
    TlScalarMatrix L;
    TlPoint at = {f.x, NULL, 0.0};
    ck_assert(tl_bend_linear_matrix(&f.model.arena, &f.model.model, &L));
    test_gradient(&f.elements, &at, f.grad);
    for (int32_t i = 0; i < f.n; i++) {
        double sum = 0.0;
        for (int32_t s = L.row_start[i / 3]; s < L.row_start[i / 3 + 1]; s++) {
            sum += L.value[s] * f.x[3 * L.column[s] + i % 3];
        }
        ASSERT_NEAR(sum, f.grad[i], 10 * ROUNDING * test_largest(f.grad, f.n));
    }
    tear_down(&f);
}
END_TEST

/* ---- seams and directions ---- */

static const double square[4][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 0}, {1.2, 0.9, 0}};

static void check_same_hinge(const TestModel *a, const TestModel *b) {
    const TlHingeSet *p = &a->rest.hinges, *q = &b->rest.hinges;
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
        ASSERT_RELATIVE(b.rest.triangles.area[1], a.rest.triangles.area[1], ROUNDING);
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
        ASSERT_RELATIVE(model.rest.hinges.mu[0], cases[i].mu, ROUNDING);
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
        TlHingeState state = tl_bend_linear_state(&model.model, x, 0);
        ASSERT_NEAR(state.theta, sign * atan(0.1), ROUNDING);
        ck_assert(sign * state.r > 0.0 && sign * state.gamma > 0.0);
    }
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

TEST_MAIN("bend_linear", bend_zero_force_at_rest, bend_zero_force_under_affine_maps,
          bend_gradient_is_that_of_the_energy, bend_forces_and_torques_sum_to_zero,
          bend_energy_ignores_rigid_motion,
          bend_far_from_the_origin_loses_no_more_than_the_coordinates,
          bend_renumbering_changes_nothing, bend_hessian_is_positive_and_constant,
          bend_matrix_is_the_sum_of_the_hinges, bend_matrix_gives_the_hinge_forces,
          bend_uv_seam_changes_no_coefficient, bend_mirrored_uv_panel_changes_no_coefficient,
          bend_modulus_follows_weft_and_warp, bend_angle_is_positive_in_a_valley)
