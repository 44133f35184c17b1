/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The properties of energies; see properties.h. */
#include "support/properties.h"

#include <stdlib.h>
#include <string.h>

static const double axis[3] = {0.7, -1.9, 0.4}, shift[3] = {3, -2, 5};

static double *numbers(int64_t count) {
    return test_alloc(sizeof(double) * (size_t)count);
}

/* ---- a cloth in a random state ---- */

void test_cloth(TestCloth *cloth, TestEnergy energy, double amplitude) {
    test_model_with(&cloth->mesh, &cloth->fabric, cloth->pattern, cloth->native, cloth->rest,
                    cloth->curvature, &cloth->model);
    cloth->energy = energy;
    cloth->elements = energy(&cloth->model.model);
    ck_assert_int_gt(cloth->elements.count, 0);
    cloth->n = 3 * cloth->mesh.vertex_count;
    cloth->x = test_deformed(&cloth->mesh, &cloth->random, amplitude);
    cloth->start = test_deformed(&cloth->mesh, &cloth->random, amplitude);
    cloth->grad = numbers(cloth->n);
}

TestRandom test_cloth_free(TestCloth *cloth) {
    free(cloth->rest);
    free(cloth->curvature);
    free(cloth->x);
    free(cloth->start);
    free(cloth->grad);
    test_model_free(&cloth->model);
    test_mesh_free(&cloth->mesh);
    return cloth->random;
}

TlPoint test_still(const TestCloth *cloth) {
    return (TlPoint){.x = cloth->x};
}

TlPoint test_stepping(const TestCloth *cloth) {
    return (TlPoint){cloth->x, cloth->start, 0.01};
}

void test_rest_is_free(const TestCloth *cloth, double scale) {
    const double *rest = cloth->rest != NULL ? cloth->rest : cloth->mesh.positions;
    double *moved = test_moved(rest, cloth->n / 3, axis, shift);
    const double *const poses[2] = {rest, moved};
    for (int i = 0; i < 2; i++) {
        TlPoint at = {.x = poses[i]};
        test_gradient(&cloth->elements, &at, cloth->grad);
        ASSERT_BELOW(test_largest(cloth->grad, cloth->n), scale * ROUNDING);
        ASSERT_BELOW(test_value(&cloth->elements, &at), scale * ROUNDING * ROUNDING);
    }
    free(moved);
}

/* ---- derivatives ---- */

void test_gradient_is_exact(const TlElements *elements, const TlPoint *at, double h) {
    double *grad = numbers(3 * (int64_t)elements->model->vertex_count);
    test_gradient(elements, at, grad);
    if (h > 0.0) {
        double coarse = test_gradient_error(elements, at, grad, 2.0 * h);
        double fine = test_gradient_error(elements, at, grad, h);
        ck_assert_msg(coarse / fine > 3.6 && coarse / fine < 4.4, "order: %g", coarse / fine);
    }
    ASSERT_BELOW(test_gradient_error(elements, at, grad, 1e-5), DIFFERENCE);
    free(grad);
}

void test_hessian_is_exact(const TlElements *elements, const TlPoint *at, double h,
                           double tolerance) {
    int64_t n = 3 * (int64_t)elements->model->vertex_count;
    double *hess = numbers(n * n);
    test_hessian(elements, at, hess);
    ASSERT_BELOW(test_hessian_error(elements, at, hess, h), tolerance);
    free(hess);
}

void test_hessian_is_positive(const TlElements *elements, const TlPoint *at) {
    int32_t n = 3 * elements->model->vertex_count;
    double *hess = numbers((int64_t)n * n), *values = numbers(n);
    test_hessian(elements, at, hess);
    test_eigenvalues(hess, n, values);
    double largest = test_largest(values, n);
    ck_assert(largest > 0.0);
    for (int32_t i = 0; i < n; i++) {
        ck_assert_msg(values[i] >= -ROUNDING * largest * test_scale(),
                      "eigenvalue %g of largest %g", values[i], largest);
    }
    free(hess);
    free(values);
}

/* ---- invariance ---- */

void test_no_resultant(const double *x, const double *f, int32_t count, double arm) {
    double force[3], torque[3], scale = test_largest(f, 3 * (int64_t)count);
    test_resultants(x, f, count, force, torque);
    ck_assert(scale > 0.0);
    ASSERT_BELOW(test_largest(force, 3), ROUNDING * scale);
    ASSERT_BELOW(test_largest(torque, 3), arm * ROUNDING * scale);
}

void test_momentum_is_kept(const TlElements *elements, const TlPoint *at, double arm) {
    int32_t count = elements->model->vertex_count;
    double *grad = numbers(3 * (int64_t)count);
    test_gradient(elements, at, grad);
    test_no_resultant(at->x, grad, count, arm);
    free(grad);
}

void test_rigid_motion_is_free(const TlElements *elements, const double *x, double factor) {
    static const double none[3] = {0, 0, 0};
    int32_t count = elements->model->vertex_count, n = 3 * count;
    double *moved = test_moved(x, count, axis, shift), *grad = numbers(n), *turned = numbers(n);
    TlPoint at = {.x = x}, there = {.x = moved};
    ASSERT_RELATIVE(test_value(elements, &there), test_value(elements, &at), ROUNDING);
    test_gradient(elements, &at, grad);
    test_gradient(elements, &there, turned);
    double *wanted = test_moved(grad, count, axis, none), scale = test_largest(grad, n);
    for (int32_t i = 0; i < n; i++) {
        ASSERT_NEAR(turned[i], wanted[i], factor * ROUNDING * scale);
    }
    free(moved);
    free(grad);
    free(turned);
    free(wanted);
}

/* Values of `width` each, put where their vertices are after renumbering; NULL stays NULL. */
static double *reordered(const double *values, const int32_t *order, int32_t count, int32_t width) {
    if (values == NULL) {
        return NULL;
    }
    double *out = numbers((int64_t)width * count);
    for (int32_t v = 0; v < count; v++) {
        memcpy(out + width * order[v], values + width * v, sizeof *out * (size_t)width);
    }
    return out;
}

void test_numbering_is_free(TestCloth *cloth) {
    int32_t count = cloth->n / 3, *order = test_alloc(sizeof(int32_t) * (size_t)count);
    test_shuffle(&cloth->random, order, count);
    double *x = reordered(cloth->x, order, count, 3),
           *rest = reordered(cloth->rest, order, count, 3);
    double *curvature = reordered(cloth->curvature, order, count, 1), *grad = numbers(cloth->n);
    TestMesh mesh = test_renumbered(&cloth->mesh, order);
    TestModel model;
    test_model_with(&mesh, &cloth->fabric, cloth->pattern, cloth->native, rest, curvature, &model);
    TlElements elements = cloth->energy(&model.model);
    TlPoint at = test_still(cloth), there = {.x = x};
    ck_assert_int_eq(elements.count, cloth->elements.count);
    ASSERT_RELATIVE(test_value(&elements, &there), test_value(&cloth->elements, &at), ROUNDING);
    test_gradient(&cloth->elements, &at, cloth->grad);
    test_gradient(&elements, &there, grad);
    double scale = test_largest(grad, cloth->n);
    for (int32_t i = 0; i < cloth->n; i++) {
        ASSERT_NEAR(grad[3 * order[i / 3] + i % 3], cloth->grad[i], ROUNDING * scale);
    }
    free(order);
    free(x);
    free(rest);
    free(curvature);
    free(grad);
    test_model_free(&model);
    test_mesh_free(&mesh);
}

/* ---- damping ---- */

void test_rigid_velocities(const double *x, int32_t count, double *v) {
    for (int32_t i = 0; i < 3 * count; i++) {
        const double *p = x + i / 3 * 3;
        int a = (i + 1) % 3, b = (i + 2) % 3;
        v[i] = shift[i % 3] + axis[a] * p[b] - axis[b] * p[a];
    }
}

static double *random_velocities(int32_t count, TestRandom *random) {
    double *v = numbers(3 * (int64_t)count);
    for (int32_t i = 0; i < 3 * count; i++) {
        v[i] = test_between(random, -1, 1);
    }
    return v;
}

void test_damping_takes_power(const TlElements *elements, const double *x, double arm,
                              TestRandom *random) {
    int32_t count = elements->model->vertex_count, n = 3 * count;
    double *v = random_velocities(count, random), *grad = numbers(n), power = 0.0;
    test_damping(elements, x, v, grad);
    test_no_resultant(x, grad, count, arm);
    double scale = test_largest(grad, n);
    for (int32_t i = 0; i < n; i++) {
        power -= grad[i] * v[i];
    }
    ck_assert_msg(power < 0.0, "damping has the power %g", power);
    test_rigid_velocities(x, count, v);
    test_damping(elements, x, v, grad);
    ASSERT_BELOW(test_largest(grad, n), ROUNDING * scale);
    free(v);
    free(grad);
}

void test_rigid_step_is_free(const TlElements *elements, const double *x) {
    int32_t count = elements->model->vertex_count, n = 3 * count;
    double *moved = test_moved(x, count, axis, shift), *grad = numbers(n), *plain = numbers(n);
    TlPoint damped = {moved, x, 0.01}, still = {.x = moved};
    ASSERT_RELATIVE(test_value(elements, &damped), test_value(elements, &still), ROUNDING);
    test_gradient(elements, &damped, grad);
    test_gradient(elements, &still, plain);
    for (int32_t i = 0; i < n; i++) {
        ASSERT_NEAR(grad[i], plain[i], 10 * ROUNDING * test_largest(plain, n));
    }
    free(moved);
    free(grad);
    free(plain);
}

void test_damping_is_a_limit(const TlElements *elements, const double *x, double dt, double most,
                             TestRandom *random) {
    int32_t count = elements->model->vertex_count, n = 3 * count;
    double *v = random_velocities(count, random), *start = numbers(n), errors[2] = {0.0, 0.0};
    double *force = numbers(n), *plain = numbers(n), *grad = numbers(n);
    TlPoint still = {.x = x};
    test_damping(elements, x, v, force);
    test_gradient(elements, &still, plain);
    for (int k = 0; k < 2; k++) {
        TlPoint damped = {x, start, k == 0 ? 2.0 * dt : dt};
        for (int32_t i = 0; i < n; i++) {
            start[i] = x[i] - damped.dt_s * v[i];
        }
        test_gradient(elements, &damped, grad);
        for (int32_t i = 0; i < n; i++) {
            errors[k] = fmax(errors[k], fabs(grad[i] - plain[i] - force[i]));
        }
    }
    ASSERT_BELOW(errors[1], most * dt * test_largest(force, n));
    ASSERT_NEAR(errors[0] / errors[1], 2.0, 0.02);
    free(v);
    free(start);
    free(force);
    free(plain);
    free(grad);
}
