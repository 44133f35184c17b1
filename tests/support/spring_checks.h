/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of springs share: an irregular sheet of triangles and quads in a random state, and
 * the properties that every energy has. */
#ifndef TEST_SPRING_CHECKS_H
#define TEST_SPRING_CHECKS_H

#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

/* rounding of a sum of about a hundred terms of one size */
#define ROUNDING 1e-12

typedef TlElements (*MakeElements)(const TlModel *model);

typedef struct Fixture {
    TestRandom random;
    TestMesh mesh;
    ToileFabric fabric;
    TestModel model;
    MakeElements make;
    TlElements elements;
    int32_t n; /* 3 per vertex */
    double *x, *start, *grad;
} Fixture;

/* A grid of unit quads, about half of them split, inner vertices moved by up to a fifth. */
static inline TestMesh mixed_mesh(int32_t nx, int32_t ny, TestRandom *random) {
    TestMesh mesh = test_grid(nx, ny, nx, ny, TEST_DIAGONAL_NONE);
    int32_t cells = nx * ny, face = 0, corner = 0;
    int32_t *sizes = test_alloc(2 * sizeof(int32_t) * (size_t)cells);
    int32_t *corners = test_alloc(6 * sizeof(int32_t) * (size_t)cells);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        int32_t i = v % (nx + 1), j = v / (nx + 1);
        bool inside = i > 0 && i < nx && j > 0 && j < ny;
        for (int k = 0; k < 2; k++) {
            mesh.positions[3 * v + k] += inside ? test_between(random, -0.2, 0.2) : 0.0;
            mesh.uvs[2 * v + k] = mesh.positions[3 * v + k];
        }
    }
    for (int32_t c = 0; c < cells; c++) {
        const int32_t *q = mesh.corners + 4 * c;
        const int32_t split[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
        bool quad = test_below(random, 2) == 1;
        memcpy(corners + corner, quad ? q : split, (quad ? 4 : 6) * sizeof(int32_t));
        for (int32_t k = 0; k < (quad ? 1 : 2); k++) {
            sizes[face++] = quad ? 4 : 3;
        }
        corner += quad ? 4 : 6;
    }
    free(mesh.face_sizes);
    free(mesh.corners);
    free(mesh.corner_uvs);
    mesh.face_count = face;
    mesh.corner_count = corner;
    mesh.face_sizes = sizes;
    mesh.corners = corners;
    mesh.corner_uvs = test_alloc(sizeof(int32_t) * (size_t)corner);
    memcpy(mesh.corner_uvs, corners, sizeof(int32_t) * (size_t)corner);
    return mesh;
}

/* The sheet with a fabric, moved by up to `amplitude` and rigidly. */
static inline void set_up(Fixture *f, MakeElements make, const ToileFabric *fabric,
                          TestRandom random, double amplitude) {
    f->random = random;
    f->mesh = mixed_mesh(4, 3, &f->random);
    f->fabric = *fabric;
    f->make = make;
    test_model_with(&f->mesh, fabric, TOILE_PATTERN_METRIC, true, NULL, NULL, &f->model);
    f->elements = make(&f->model.model);
    ck_assert_int_gt(f->elements.count, 10);
    f->n = 3 * f->mesh.vertex_count;
    f->x = test_deformed(&f->mesh, &f->random, amplitude);
    f->start = test_deformed(&f->mesh, &f->random, amplitude);
    f->grad = test_alloc(sizeof(double) * (size_t)f->n);
}

static inline void tear_down(Fixture *f) {
    free(f->x);
    free(f->start);
    free(f->grad);
    test_model_free(&f->model);
    test_mesh_free(&f->mesh);
}

/* At rest, and at rest elsewhere; `scale` is the largest force that a strain of 1 would make. */
static inline void check_rest(Fixture *f, double scale) {
    static const double axis[3] = {0.5, -0.9, 1.4}, shift[3] = {1, 2, -3};
    double *moved = test_moved(f->mesh.positions, f->n / 3, axis, shift);
    const double *const poses[2] = {f->mesh.positions, moved};
    for (int i = 0; i < 2; i++) {
        TlPoint at = {poses[i], NULL, 0.0};
        test_gradient(&f->elements, &at, f->grad);
        ASSERT_BELOW(test_largest(f->grad, f->n), scale * ROUNDING);
        ASSERT_BELOW(test_value(&f->elements, &at), scale * ROUNDING * ROUNDING);
    }
    free(moved);
}

static inline void check_no_resultant(const Fixture *f, const TlPoint *at) {
    double force[3], torque[3];
    test_gradient(&f->elements, at, f->grad);
    test_resultants(at->x, f->grad, f->n / 3, force, torque);
    double scale = test_largest(f->grad, f->n);
    ck_assert(scale > 0.0);
    ASSERT_BELOW(test_largest(force, 3), ROUNDING * scale);
    ASSERT_BELOW(test_largest(torque, 3), ROUNDING * scale);
}

/* Energy and turned forces are the same after a rigid motion. */
static inline void check_rigid_motion(Fixture *f) {
    static const double axis[3] = {0.7, -1.9, 0.4}, shift[3] = {3, -2, 5}, none[3] = {0, 0, 0};
    double *moved = test_moved(f->x, f->n / 3, axis, shift);
    double *turned = test_alloc(sizeof(double) * (size_t)f->n);
    TlPoint at = {f->x, NULL, 0.0}, there = {moved, NULL, 0.0};
    ASSERT_RELATIVE(test_value(&f->elements, &there), test_value(&f->elements, &at), ROUNDING);
    test_gradient(&f->elements, &at, f->grad);
    test_gradient(&f->elements, &there, turned);
    double *wanted = test_moved(f->grad, f->n / 3, axis, none), scale = test_largest(f->grad, f->n);
    for (int32_t i = 0; i < f->n; i++) {
        ASSERT_NEAR(turned[i], wanted[i], ROUNDING * scale);
    }
    free(moved);
    free(turned);
    free(wanted);
}

/* Other numbers of vertices, other order and first corners of faces. */
static inline void check_renumbering(Fixture *f) {
    int32_t count = f->n / 3, *order = test_alloc(sizeof(int32_t) * (size_t)count);
    double *x = test_alloc(sizeof(double) * (size_t)f->n),
           *grad = test_alloc(sizeof(double) * (size_t)f->n);
    TestModel model;
    test_shuffle(&f->random, order, count);
    TestMesh other = test_renumbered(&f->mesh, order);
    test_model_with(&other, &f->fabric, TOILE_PATTERN_METRIC, true, NULL, NULL, &model);
    for (int32_t v = 0; v < count; v++) {
        memcpy(x + 3 * order[v], f->x + 3 * v, 3 * sizeof(double));
    }
    TlElements elements = f->make(&model.model);
    TlPoint at = {f->x, NULL, 0.0}, there = {x, NULL, 0.0};
    ck_assert_int_eq(elements.count, f->elements.count);
    ASSERT_RELATIVE(test_value(&elements, &there), test_value(&f->elements, &at), ROUNDING);
    test_gradient(&f->elements, &at, f->grad);
    test_gradient(&elements, &there, grad);
    for (int32_t i = 0; i < f->n; i++) {
        ASSERT_NEAR(grad[3 * order[i / 3] + i % 3], f->grad[i],
                    ROUNDING * test_largest(f->grad, f->n));
    }
    free(order);
    free(x);
    free(grad);
    test_model_free(&model);
    test_mesh_free(&other);
}

static inline void check_positive(const Fixture *f, const TlPoint *at) {
    double *hess = test_alloc(sizeof(double) * (size_t)(f->n * f->n)), *values = f->grad;
    test_hessian(&f->elements, at, hess);
    test_eigenvalues(hess, f->n, values);
    double largest = test_largest(values, f->n);
    ck_assert(largest > 0.0);
    for (int32_t i = 0; i < f->n; i++) {
        ck_assert_msg(values[i] >= -ROUNDING * largest * test_scale(),
                      "eigenvalue %g of largest %g", values[i], largest);
    }
    free(hess);
}

#endif
