/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* St. Venant-Kirchhoff triangles: rest, derivatives, momentum, invariance, projection, directions
 * and strain-rate damping. */
#include "force/stretch_stvk.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

enum { LOOPS = 5 };

/* rounding of a sum of about a hundred terms of one size */
#define ROUNDING 1e-12
/* central differences at 1e-5 of a cell: h^2 from truncation, 1e-16/h from rounding */
#define DIFFERENCE 1e-8

typedef struct Fixture {
    TestRandom random;
    TestMesh mesh;
    ToileFabric fabric;
    TestModel model;
    TlElements elements;
    int32_t n; /* 3 per vertex */
    double *x, *start, *grad;
} Fixture;

/* A jittered patch with an orthotropic fabric in a random state. */
static void set_up(Fixture *f, TestRandom random, double amplitude, double damping_s) {
    f->random = random;
    f->mesh = test_jittered(3, 3, &f->random);
    f->fabric = test_fabric(1000, 600, 150, 0.3, 0.01);
    f->fabric.stretch_damping_s = damping_s;
    test_model(&f->mesh, &f->fabric, TOILE_PATTERN_METRIC, &f->model);
    f->elements = tl_stretch_stvk(&f->model.model);
    f->n = 3 * f->mesh.vertex_count;
    f->x = test_deformed(&f->mesh, &f->random, amplitude);
    f->start = test_deformed(&f->mesh, &f->random, amplitude);
    f->grad = test_alloc(sizeof(double) * (size_t)f->n);
}

static void tear_down(Fixture *f) {
    free(f->x);
    free(f->start);
    free(f->grad);
    test_model_free(&f->model);
    test_mesh_free(&f->mesh);
}

START_TEST(stretch_zero_force_at_rest) {
    Fixture f;
    set_up(&f, test_random(1), 0.0, 0.0);
    TlPoint rest = {f.mesh.positions, NULL, 0.0}, moved = {f.x, NULL, 0.0};
    test_gradient(&f.elements, &rest, f.grad);
    ASSERT_BELOW(test_largest(f.grad, f.n), 1000 * ROUNDING);
    ASSERT_BELOW(test_value(&f.elements, &rest), 1000 * ROUNDING * ROUNDING);
    test_gradient(&f.elements, &moved, f.grad);
    ASSERT_BELOW(test_largest(f.grad, f.n), 1000 * ROUNDING);
    tear_down(&f);
}
END_TEST

/* The ratio of errors at h and h/2 is 4 for a second-order difference. */
static void check_gradient(const Fixture *f, const TlPoint *at) {
    test_gradient(&f->elements, at, f->grad);
    double coarse = test_gradient_error(&f->elements, at, f->grad, 2e-2);
    double fine = test_gradient_error(&f->elements, at, f->grad, 1e-2);
    ck_assert_msg(coarse / fine > 3.6 && coarse / fine < 4.4, "order: %g", coarse / fine);
    ASSERT_BELOW(test_gradient_error(&f->elements, at, f->grad, 1e-5), DIFFERENCE);
}

START_TEST(stretch_gradient_is_that_of_the_energy) {
    TestRandom random = test_random(2);
    for (int i = 0; i < LOOPS; i++) {
        Fixture f;
        set_up(&f, random, 0.3, 0.0);
        TlPoint at = {f.x, NULL, 0.0};
        check_gradient(&f, &at);
        random = f.random;
        tear_down(&f);
    }
}
END_TEST

START_TEST(stretch_damping_gradient_is_that_of_its_potential) {
    TestRandom random = test_random(3);
    for (int i = 0; i < LOOPS; i++) {
        Fixture f;
        set_up(&f, random, 0.3, 0.02);
        TlPoint at = {f.x, f.start, 0.01};
        check_gradient(&f, &at);
        random = f.random;
        tear_down(&f);
    }
}
END_TEST

static void check_no_resultant(const Fixture *f, const TlPoint *at) {
    double force[3], torque[3];
    test_gradient(&f->elements, at, f->grad);
    test_resultants(at->x, f->grad, f->n / 3, force, torque);
    double scale = test_largest(f->grad, f->n);
    ASSERT_BELOW(test_largest(force, 3), ROUNDING * scale);
    /* arms reach about ten units from the origin */
    ASSERT_BELOW(test_largest(torque, 3), 10 * ROUNDING * scale);
}

START_TEST(stretch_forces_and_torques_sum_to_zero) {
    TestRandom random = test_random(4);
    for (int i = 0; i < LOOPS; i++) {
        Fixture f;
        set_up(&f, random, 0.3, 0.02);
        TlPoint still = {f.x, NULL, 0.0}, damped = {f.x, f.start, 0.01};
        check_no_resultant(&f, &still);
        check_no_resultant(&f, &damped);
        random = f.random;
        tear_down(&f);
    }
}
END_TEST

START_TEST(stretch_energy_ignores_rigid_motion) {
    static const double axis[3] = {0.7, -1.9, 0.4}, shift[3] = {3, -2, 5};
    Fixture f;
    set_up(&f, test_random(5), 0.3, 0.0);
    double *moved = test_moved(f.x, f.n / 3, axis, shift);
    double *turned = test_alloc(sizeof(double) * (size_t)f.n);
    static const double none[3] = {0, 0, 0};
    TlPoint at = {f.x, NULL, 0.0}, there = {moved, NULL, 0.0};
    ASSERT_RELATIVE(test_value(&f.elements, &there), test_value(&f.elements, &at), ROUNDING);
    test_gradient(&f.elements, &at, f.grad);
    test_gradient(&f.elements, &there, turned);
    double *wanted = test_moved(f.grad, f.n / 3, axis, none), scale = test_largest(f.grad, f.n);
    for (int32_t i = 0; i < f.n; i++) {
        ASSERT_NEAR(turned[i], wanted[i], ROUNDING * scale);
    }
    free(moved);
    free(turned);
    free(wanted);
    tear_down(&f);
}
END_TEST

START_TEST(stretch_renumbering_changes_nothing) {
    Fixture f;
    set_up(&f, test_random(6), 0.3, 0.0);
    int32_t count = f.n / 3, *order = test_alloc(sizeof(int32_t) * (size_t)count);
    double *x = test_alloc(sizeof(double) * (size_t)f.n),
           *grad = test_alloc(sizeof(double) * (size_t)f.n);
    test_shuffle(&f.random, order, count);
    TestMesh other = test_renumbered(&f.mesh, order);
    TestModel model;
    test_model(&other, &f.fabric, TOILE_PATTERN_METRIC, &model);
    for (int32_t v = 0; v < count; v++) {
        memcpy(x + 3 * order[v], f.x + 3 * v, 3 * sizeof(double));
    }
    TlElements elements = tl_stretch_stvk(&model.model);
    TlPoint at = {f.x, NULL, 0.0}, there = {x, NULL, 0.0};
    ASSERT_RELATIVE(test_value(&elements, &there), test_value(&f.elements, &at), ROUNDING);
    test_gradient(&f.elements, &at, f.grad);
    test_gradient(&elements, &there, grad);
    for (int32_t i = 0; i < f.n; i++) {
        ASSERT_NEAR(grad[3 * order[i / 3] + i % 3], f.grad[i],
                    ROUNDING * test_largest(f.grad, f.n));
    }
    free(order);
    free(x);
    free(grad);
    test_model_free(&model);
    test_mesh_free(&other);
    tear_down(&f);
}
END_TEST

static void check_positive(const Fixture *f, const TlPoint *at) {
    double *hess = test_alloc(sizeof(double) * (size_t)(f->n * f->n)), *values = f->grad;
    test_hessian(&f->elements, at, hess);
    test_eigenvalues(hess, f->n, values);
    double largest = test_largest(values, f->n);
    for (int32_t i = 0; i < f->n; i++) {
        ck_assert_msg(values[i] >= -ROUNDING * largest * test_scale(),
                      "eigenvalue %g of largest %g", values[i], largest);
    }
    free(hess);
}

START_TEST(stretch_projected_hessian_has_no_negative_eigenvalue) {
    TestRandom random = test_random(7);
    for (int i = 0; i < LOOPS; i++) {
        Fixture f;
        set_up(&f, random, 0.1 * (i + 1), 0.02);
        TlPoint still = {f.x, NULL, 0.0}, damped = {f.x, f.start, 0.01};
        check_positive(&f, &still);
        check_positive(&f, &damped);
        random = f.random;
        tear_down(&f);
    }
}
END_TEST

START_TEST(stretch_hessian_is_exact_under_tension) {
    Fixture f;
    set_up(&f, test_random(8), 0.02, 0.0);
    double *hess = test_alloc(sizeof(double) * (size_t)(f.n * f.n));
    for (int32_t i = 0; i < f.n; i++) {
        f.x[i] *= 1.3;
    }
    TlPoint at = {f.x, NULL, 0.0};
    test_hessian(&f.elements, &at, hess);
    ASSERT_BELOW(test_hessian_error(&f.elements, &at, hess, 1e-5), DIFFERENCE);
    free(hess);
    tear_down(&f);
}
END_TEST

/* the damping term's Hessian is exact too when all stresses, damping included, are tensile */
START_TEST(stretch_damping_hessian_is_exact_under_tension) {
    Fixture f;
    set_up(&f, test_random(9), 0.02, 0.02);
    double *hess = test_alloc(sizeof(double) * (size_t)(f.n * f.n));
    memcpy(f.start, f.x, sizeof(double) * (size_t)f.n);
    for (int32_t i = 0; i < f.n; i++) {
        f.x[i] *= 1.3;
    }
    TlPoint at = {f.x, f.start, 0.01};
    test_hessian(&f.elements, &at, hess);
    ASSERT_BELOW(test_hessian_error(&f.elements, &at, hess, 1e-5), DIFFERENCE);
    free(hess);
    tear_down(&f);
}
END_TEST

/* A finite rotation within one step strains nothing, so damping adds no force and no energy. */
START_TEST(stretch_damping_ignores_rigid_motion) {
    static const double axis[3] = {0.3, 1.1, -0.6}, shift[3] = {1, 2, 3};
    Fixture f;
    set_up(&f, test_random(10), 0.3, 0.05);
    double *moved = test_moved(f.x, f.n / 3, axis, shift),
           *plain = test_alloc(sizeof(double) * (size_t)f.n);
    TlPoint damped = {moved, f.x, 0.01}, still = {moved, NULL, 0.0};
    test_gradient(&f.elements, &damped, f.grad);
    test_gradient(&f.elements, &still, plain);
    ASSERT_RELATIVE(test_value(&f.elements, &damped), test_value(&f.elements, &still), ROUNDING);
    for (int32_t i = 0; i < f.n; i++) {
        ASSERT_NEAR(f.grad[i], plain[i], 10 * ROUNDING * test_largest(plain, f.n));
    }
    free(moved);
    free(plain);
    tear_down(&f);
}
END_TEST

/* Work of the damping part of the force over the step is never positive, to first order of small
 * steps. */
START_TEST(stretch_damping_takes_energy) {
    TestRandom random = test_random(11);
    for (int loop = 0; loop < LOOPS; loop++) {
        Fixture f;
        set_up(&f, random, 0.3, 0.05);
        double *plain = test_alloc(sizeof(double) * (size_t)f.n), work = 0.0;
        for (int32_t i = 0; i < f.n; i++) {
            f.start[i] = f.x[i] + test_between(&f.random, -1e-3, 1e-3);
        }
        TlPoint damped = {f.x, f.start, 0.01}, still = {f.x, NULL, 0.0};
        test_gradient(&f.elements, &damped, f.grad);
        test_gradient(&f.elements, &still, plain);
        for (int32_t i = 0; i < f.n; i++) {
            work -= (f.grad[i] - plain[i]) * (f.x[i] - f.start[i]);
        }
        ck_assert_msg(work < 0.0, "damping did the work %g", work);
        random = f.random;
        free(plain);
        tear_down(&f);
    }
}
END_TEST

START_TEST(stretch_stiffness_follows_weft_and_warp) {
    TestMesh mesh = test_grid(2, 2, 1, 1, TEST_DIAGONAL_SINGLE);
    ToileFabric fabric = test_fabric(1000, 200, 50, 0.0, 0);
    TestModel model;
    double x[27];
    test_model(&mesh, &fabric, TOILE_PATTERN_ORIENTATION, &model);
    TlElements elements = tl_stretch_stvk(&model.model);
    TlPoint at = {x, NULL, 0.0};
    for (int axis = 0; axis < 2; axis++) {
        memcpy(x, mesh.positions, sizeof x);
        for (int v = 0; v < 9; v++) {
            x[3 * v + axis] *= 1.2;
        }
        /* strain 0.22 along one axis: k/2 0.22^2 over one square metre */
        ASSERT_RELATIVE(test_value(&elements, &at), 0.5 * (axis == 0 ? 1000 : 200) * 0.22 * 0.22,
                        ROUNDING);
    }
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(stretch_larger_principal_stretch_is_reported) {
    static const double axis[3] = {0.2, 0.5, -1.1}, shift[3] = {1, 0, 0};
    TestMesh mesh = test_grid(1, 1, 1, 1, TEST_DIAGONAL_SINGLE);
    ToileFabric fabric = toile_fabric_default();
    TestModel model;
    test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
    /* stretched by 1.25 along the diagonal and by 0.9 across it */
    double x[12];
    for (int v = 0; v < 4; v++) {
        double s = 0.5 * 1.25 * (mesh.positions[3 * v] + mesh.positions[3 * v + 1]);
        double t = 0.5 * 0.9 * (mesh.positions[3 * v] - mesh.positions[3 * v + 1]);
        x[3 * v] = s + t;
        x[3 * v + 1] = s - t;
        x[3 * v + 2] = 0.0;
    }
    double *moved = test_moved(x, 4, axis, shift);
    ASSERT_RELATIVE(tl_stretch_stvk_stretch(&model.model, moved, 0), 1.25, ROUNDING);
    ASSERT_RELATIVE(tl_stretch_stvk_stretch(&model.model, moved, 1), 1.25, ROUNDING);
    free(moved);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

TEST_MAIN("stretch_stvk", stretch_zero_force_at_rest, stretch_gradient_is_that_of_the_energy,
          stretch_damping_gradient_is_that_of_its_potential, stretch_forces_and_torques_sum_to_zero,
          stretch_energy_ignores_rigid_motion, stretch_renumbering_changes_nothing,
          stretch_projected_hessian_has_no_negative_eigenvalue,
          stretch_hessian_is_exact_under_tension, stretch_damping_hessian_is_exact_under_tension,
          stretch_damping_ignores_rigid_motion, stretch_damping_takes_energy,
          stretch_stiffness_follows_weft_and_warp, stretch_larger_principal_stretch_is_reported)
