/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* St. Venant-Kirchhoff triangles: rest, derivatives, momentum, invariance, projection, directions,
 * strain-rate damping and the laws of compression; and the patch test of triangles and quads
 * together. */
#include "force/stretch_quad.h"
#include "force/stretch_stvk.h"
#include "rest/compression.h"
#include "support/builders.h"
#include "support/mixed.h"

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

/* A jittered patch in a random state. */
static void set_up_law(Fixture *f, TestRandom random, Law law, double amplitude, double damping_s) {
    f->random = random;
    f->mesh = test_jittered(3, 3, &f->random);
    f->fabric = fabric_of(law);
    f->fabric.stretch_damping_s = damping_s;
    test_model(&f->mesh, &f->fabric, TOILE_PATTERN_METRIC, &f->model);
    f->elements = tl_stretch_stvk(&f->model.model);
    f->n = 3 * f->mesh.vertex_count;
    f->x = test_deformed(&f->mesh, &f->random, amplitude);
    f->start = test_deformed(&f->mesh, &f->random, amplitude);
    f->grad = test_alloc(sizeof(double) * (size_t)f->n);
}

/* The same with the plain orthotropic fabric. */
static void set_up(Fixture *f, TestRandom random, double amplitude, double damping_s) {
    set_up_law(f, random, LAW_PLAIN, amplitude, damping_s);
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

/* ---- laws of compression ---- */

/* Strains of every state, the switches among them. */
static void random_strain(TestRandom *random, double eps[3]) {
    for (int i = 0; i < 3; i++) {
        eps[i] = test_between(random, -0.3, 0.3);
    }
}

static TlMaterial material_of(Law law, TlArena *arena) {
    ToileFabric fabric = fabric_of(law);
    TlMaterial material;
    tl_arena_init(arena, tl_allocator_or_default(NULL));
    ck_assert(tl_material(arena, &fabric, &material));
    return material;
}

START_TEST(compression_stress_and_tangent_are_those_of_the_energy) {
    TestRandom random = test_random(12);
    static const double h = 1e-5;
    for (int loop = 0; loop < 300; loop++) {
        TlArena arena;
        TlMaterial m = material_of((Law)(loop % LAWS), &arena);
        double eps[3], C[9], values[3];
        random_strain(&random, eps);
        TlMembrane law = tl_compression(&m, eps);
        for (int i = 0; i < 3; i++) {
            double high[3], low[3];
            memcpy(high, eps, sizeof high);
            memcpy(low, eps, sizeof low);
            high[i] += h;
            low[i] -= h;
            TlMembrane up = tl_compression(&m, high), down = tl_compression(&m, low);
            /* a switch within h makes an error of h in the tangent, h^2 in the stress */
            ASSERT_NEAR((up.energy_J_per_m2 - down.energy_J_per_m2) / (2 * h), law.S[i], 1e-6);
            static const int upper[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
            for (int j = 0; j < 3; j++) {
                C[3 * i + j] = law.C[upper[3 * i + j]];
                ASSERT_NEAR((up.S[j] - down.S[j]) / (2 * h), C[3 * i + j], 1e-4);
            }
        }
        test_eigenvalues(C, 3, values);
        for (int i = 0; i < 3; i++) {
            ck_assert_msg(values[i] >= -1e-12 * test_largest(values, 3), "eigenvalue %g",
                          values[i]);
        }
        tl_arena_free(&arena);
    }
}
END_TEST

/* On both sides of a switch, and at it: energy and stress agree to what the distance allows. */
static void check_switch(const TlMaterial *m, const double eps[3], const double across[3]) {
    static const double gap = 1e-9;
    double before[3], behind[3];
    for (int i = 0; i < 3; i++) {
        before[i] = eps[i] - gap * across[i];
        behind[i] = eps[i] + gap * across[i];
    }
    TlMembrane a = tl_compression(m, before), b = tl_compression(m, behind);
    /* the switch lies between: the tangents differ */
    double difference = 0.0;
    for (int i = 0; i < 6; i++) {
        difference = fmax(difference, fabs(a.C[i] - b.C[i]));
    }
    ck_assert(difference > 10.0);
    ASSERT_NEAR(a.energy_J_per_m2, b.energy_J_per_m2, 2 * gap * 1000);
    for (int i = 0; i < 3; i++) {
        ASSERT_NEAR(a.S[i], b.S[i], 4 * gap * 1000);
    }
}

START_TEST(compression_stress_is_continuous_at_the_switches) {
    TestRandom random = test_random(13);
    for (int loop = 0; loop < 100; loop++) {
        TlArena arena;
        TlMaterial m = material_of(LAW_TENSION_FIELD, &arena);
        /* principal strains at the switches, in axes at any angle */
        double angle = test_between(&random, 0, 3), c = cos(2 * angle), s = sin(2 * angle);
        double e1 = test_between(&random, 0.01, 0.3);
        const double pairs[2][2] = {{e1, -0.3 * e1}, {0.0, -e1}};
        for (int k = 0; k < 2; k++) {
            double mean = 0.5 * (pairs[k][0] + pairs[k][1]),
                   radius = 0.5 * (pairs[k][0] - pairs[k][1]);
            const double eps[3] = {mean + radius * c, mean - radius * c, 2 * radius * s};
            const double across[3] = {1, 1, 0};
            check_switch(&m, eps, across);
        }
        tl_arena_free(&arena);
        m = material_of(LAW_FACTOR, &arena);
        const double weft[3] = {0, test_between(&random, -0.3, 0.3), 0.1}, u[3] = {1, 0, 0};
        const double warp[3] = {test_between(&random, -0.3, 0.3), 0, 0.1}, v[3] = {0, 1, 0};
        check_switch(&m, weft, u);
        check_switch(&m, warp, v);
        tl_arena_free(&arena);
    }
}
END_TEST

/* Slack, uniaxial and taut; half of weft and warp compressed. */
START_TEST(compression_known_energies) {
    TlArena arena;
    TlMaterial field = material_of(LAW_TENSION_FIELD, &arena);
    static const double slack[3] = {-0.1, -0.2, 0.05}, drawn[3] = {0.1, -0.2, 0.0};
    static const double free_side[3] = {0.1, -0.03, 0.0}, taut[3] = {0.1, 0.05, 0.0};
    ck_assert(tl_compression(&field, slack).energy_J_per_m2 == 0.0);
    ASSERT_RELATIVE(tl_compression(&field, drawn).energy_J_per_m2, 5.0, ROUNDING);
    ASSERT_RELATIVE(tl_compression(&field, drawn).S[0], 100.0, ROUNDING);
    ASSERT_BELOW(tl_compression(&field, drawn).S[1], ROUNDING);
    ASSERT_RELATIVE(tl_compression(&field, free_side).energy_J_per_m2, 5.0, ROUNDING);
    ASSERT_RELATIVE(tl_compression(&field, taut).energy_J_per_m2,
                    500 / 0.91 * (0.01 + 0.0025 + 0.6 * 0.005), ROUNDING);
    tl_arena_free(&arena);
    TlMaterial factor = material_of(LAW_FACTOR, &arena);
    static const double mixed[3] = {-0.1, 0.2, 0.3};
    double d = 1 - 0.3 * 0.3 * 0.6;
    ASSERT_RELATIVE(tl_compression(&factor, mixed).energy_J_per_m2,
                    0.5 * (0.4 * 1000 / d * 0.01 + 600 / d * 0.04 + 150 * 0.09) - 180 / d * 0.02,
                    ROUNDING);
    tl_arena_free(&arena);
}
END_TEST

/* Everything that holds for the plain fabric holds for the laws. */
START_TEST(stretch_laws_keep_gradient_momentum_and_positive_hessian) {
    TestRandom random = test_random(14);
    for (int i = 0; i < 2 * LOOPS; i++) {
        Fixture f;
        set_up_law(&f, random, i % 2 ? LAW_FACTOR : LAW_TENSION_FIELD, 0.1 * (i / 2 + 1), 0.02);
        TlPoint still = {f.x, NULL, 0.0}, damped = {f.x, f.start, 0.01};
        const TlPoint *at[2] = {&still, &damped};
        for (int k = 0; k < 2; k++) {
            test_gradient(&f.elements, at[k], f.grad);
            ASSERT_BELOW(test_gradient_error(&f.elements, at[k], f.grad, 1e-5), DIFFERENCE);
            check_no_resultant(&f, at[k]);
            check_positive(&f, at[k]);
        }
        random = f.random;
        tear_down(&f);
    }
}
END_TEST

/* A tension field has no compressive stress to clamp, so its Hessian is exact in any state. */
START_TEST(stretch_hessian_of_a_tension_field_is_exact) {
    TestRandom random = test_random(15);
    for (int i = 0; i < LOOPS; i++) {
        Fixture f;
        set_up_law(&f, random, LAW_TENSION_FIELD, 0.3, 0.0);
        double *hess = test_alloc(sizeof(double) * (size_t)(f.n * f.n));
        TlPoint at = {f.x, NULL, 0.0};
        test_hessian(&f.elements, &at, hess);
        ASSERT_BELOW(test_hessian_error(&f.elements, &at, hess, 1e-6), 1e-7);
        random = f.random;
        free(hess);
        tear_down(&f);
    }
}
END_TEST

/* A law that changes nothing answers what the plain path does, in the same energy of two cloths. */
START_TEST(stretch_cloths_of_a_model_keep_their_fabrics) {
    TestMesh mesh = test_grid(3, 1, 3, 1, TEST_DIAGONAL_SINGLE);
    ToileFabric fabrics[2] = {fabric_of(LAW_PLAIN), fabric_of(LAW_TENSION_FIELD)};
    TestModel parts[2];
    double x[48], grad[48], sum = 0.0;
    for (int i = 0; i < 48; i++) {
        x[i] = mesh.positions[i % 24] * (i % 3 == 0 ? 1.1 : 0.8) + (i >= 24 ? 5.0 : 0.0);
    }
    for (int i = 0; i < 2; i++) {
        test_model(&mesh, &fabrics[i], TOILE_PATTERN_METRIC, &parts[i]);
        TlElements part = tl_stretch_stvk(&parts[i].model);
        TlPoint at = {x + 24 * i, NULL, 0.0};
        sum += test_value(&part, &at);
        test_gradient(&part, &at, grad + 24 * i);
    }
    TlArena arena;
    TlModel model;
    TlRest *rests[2] = {&parts[0].rest, &parts[1].rest};
    TlMaterial materials[2] = {parts[0].material, parts[1].material};
    tl_arena_init(&arena, tl_allocator_or_default(NULL));
    ck_assert(tl_model_build(&arena, rests, materials, 2, &model));
    TlElements both = tl_stretch_stvk(&model);
    TlPoint at = {x, NULL, 0.0};
    double together[48];
    ASSERT_RELATIVE(test_value(&both, &at), sum, ROUNDING);
    test_gradient(&both, &at, together);
    ck_assert_mem_eq(together, grad, sizeof grad);
    tl_arena_free(&arena);
    test_model_free(&parts[0]);
    test_model_free(&parts[1]);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(stretch_damping_force_is_the_limit_of_small_steps_and_takes_energy) {
    TestRandom random = test_random(16);
    for (int loop = 0; loop < LOOPS * LAWS; loop++) {
        Fixture f;
        set_up_law(&f, random, (Law)(loop % LAWS), 0.3, 0.05);
        size_t size = sizeof(double) * (size_t)f.n;
        double *v = test_alloc(size), *exact = test_alloc(size), *plain = test_alloc(size);
        double *local = test_alloc(9 * sizeof(double) * (size_t)f.elements.count);
        double power = 0.0, error = 0.0, dt = 1e-7, spin[3] = {2, -1, 3};
        for (int32_t i = 0; i < f.n; i++) {
            v[i] = test_between(&f.random, -1, 1);
            f.start[i] = f.x[i] - dt * v[i];
        }
        f.elements.damp(&f.model.model, f.x, v, 0, f.elements.count, local);
        for (int32_t i = 0; i < 9 * f.elements.count; i++) {
            exact[3 * f.elements.vertex[i / 3] + i % 3] += local[i];
        }
        TlPoint still = {f.x, NULL, 0.0}, damped = {f.x, f.start, dt};
        test_gradient(&f.elements, &still, plain);
        test_gradient(&f.elements, &damped, f.grad);
        for (int32_t i = 0; i < f.n; i++) {
            error = fmax(error, fabs(f.grad[i] - plain[i] - exact[i]));
            power -= exact[i] * v[i];
        }
        /* of first order in dt */
        ASSERT_BELOW(error, 50 * dt * test_largest(exact, f.n));
        ck_assert_msg(power < 0.0, "damping did the work %g", power);
        for (int32_t i = 0; i < f.n; i++) {
            const double *p = f.x + i / 3 * 3;
            int a = (i + 1) % 3, b = (i + 2) % 3;
            v[i] = spin[a] * p[b] - spin[b] * p[a] + 1.0;
        }
        f.elements.damp(&f.model.model, f.x, v, 0, f.elements.count, local);
        /* scale: stiffness times time times velocity over length */
        ASSERT_BELOW(test_largest(local, 9 * f.elements.count), ROUNDING * 1000 * 0.05 * 20);
        random = f.random;
        free(v);
        free(exact);
        free(plain);
        free(local);
        tear_down(&f);
    }
}
END_TEST

/* ---- patch test ---- */

/* Strain, energy per area and equilibrium of inner vertices of a patch under a uniform map, all
 * stretch elements together. */
static void check_patch(const TestMesh *mesh, int32_t nx, int32_t ny, const ToileFabric *fabric,
                        ToilePattern pattern, const double F[3][2], const double eps[3],
                        double density) {
    TestModel model;
    test_model_with(mesh, fabric, pattern, true, NULL, NULL, &model);
    TlElements quads = tl_stretch_quad(&model.model), triangles = tl_stretch_stvk(&model.model);
    int32_t n = 3 * mesh->vertex_count;
    double *x = mapped(mesh, F), *grad = test_alloc(sizeof(double) * (size_t)n),
           *other = test_alloc(sizeof(double) * (size_t)n);
    TlPoint at = {x, NULL, 0.0};
    for (int32_t q = 0; q < quads.count; q++) {
        TlQuadDetail detail = tl_stretch_quad_detail(&model.model, x, q);
        for (int i = 0; i < 3; i++) {
            ASSERT_NEAR(detail.strain[i], eps[i], 1e-12);
        }
        /* uniform inside the quad too, not at its middle only */
        double exact = density * model.model.sets.quads.area[q];
        ASSERT_NEAR(detail.energy_J, exact, fmax(1e-11 * fabs(exact), 1e-12));
    }
    for (int32_t t = 0; t < triangles.count; t++) {
        TlStvkDetail detail = tl_stretch_stvk_detail(&model.model, x, t);
        for (int i = 0; i < 3; i++) {
            ASSERT_NEAR(detail.strain[i], eps[i], 1e-12);
        }
        double exact = density * model.model.sets.triangles.area[t];
        ASSERT_NEAR(detail.energy_J, exact, fmax(1e-11 * fabs(exact), 1e-12));
    }
    test_gradient(&quads, &at, grad);
    test_gradient(&triangles, &at, other);
    double scale = fmax(test_largest(grad, n), 1e-3), area = (double)nx * ny;
    ASSERT_RELATIVE(test_value(&quads, &at) + test_value(&triangles, &at) + 1.0,
                    density * area + 1.0, 1e-12);
    for (int32_t i = 0; i < n; i++) {
        int32_t column = i / 3 % (nx + 1), row = i / 3 / (nx + 1);
        if (column > 0 && column < nx && row > 0 && row < ny) {
            ASSERT_BELOW(grad[i] + other[i], ROUNDING * scale);
        }
    }
    free(x);
    free(grad);
    free(other);
    test_model_free(&model);
}

/* Green strain of F in axes turned by `angle`. */
static void strain_in(const double F[3][2], double angle, double eps[3]) {
    double c = cos(angle), s = sin(angle), U[3], V[3];
    eps[0] = eps[1] = -0.5;
    eps[2] = 0.0;
    for (int i = 0; i < 3; i++) {
        U[i] = c * F[i][0] + s * F[i][1];
        V[i] = c * F[i][1] - s * F[i][0];
        eps[0] += 0.5 * U[i] * U[i];
        eps[1] += 0.5 * V[i] * V[i];
        eps[2] += U[i] * V[i];
    }
}

START_TEST(stretch_patch_test_on_mixed_meshes) {
    static const double maps[][3][2] = {
        {{1.2, 0.0}, {0.0, 1.0}, {0.0, 0.0}},    /* stretch */
        {{1.0, 0.3}, {0.0, 1.0}, {0.0, 0.0}},    /* shear */
        {{1.1, 0.2}, {-0.1, 0.9}, {0.3, -0.15}}, /* both, turned out of the plane */
        {{0.9, 0.05}, {0.0, 0.85}, {0.1, 0.0}},  /* compression */
    };
    TestRandom random = test_random(21);
    for (int loop = 0; loop < 4 * LOOPS; loop++) {
        const double(*F)[2] = maps[loop % 4];
        TestMesh mesh = mixed_mesh(4, 4, &random);
        ToileFabric fabric = fabric_of(LAW_PLAIN);
        /* weft at an angle to the mesh */
        double angle = test_between(&random, -3, 3), eps[3], S[3];
        for (int32_t v = 0; v < mesh.vertex_count; v++) {
            const double *p = mesh.positions + 3 * v;
            mesh.uvs[2 * v] = cos(angle) * p[0] + sin(angle) * p[1];
            mesh.uvs[2 * v + 1] = cos(angle) * p[1] - sin(angle) * p[0];
        }
        strain_in(F, angle, eps);
        double d = 1 - 0.3 * 0.3 * 0.6;
        S[0] = (1000 * eps[0] + 0.3 * 600 * eps[1]) / d;
        S[1] = (600 * eps[1] + 0.3 * 600 * eps[0]) / d;
        S[2] = 150 * eps[2];
        double density = 0.5 * (S[0] * eps[0] + S[1] * eps[1] + S[2] * eps[2]);
        check_patch(&mesh, 4, 4, &fabric, TOILE_PATTERN_METRIC, F, eps, density);
        check_patch(&mesh, 4, 4, &fabric, TOILE_PATTERN_ORIENTATION, F, eps, density);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* Slack, wrinkled and taut cloth; half of weft and warp compressed. */
START_TEST(stretch_patch_test_holds_for_laws_of_compression) {
    static const double stretch[][2] = {{1.2, 1.1}, {1.2, 0.7}, {0.7, 1.2}, {0.9, 0.8}};
    TestRandom random = test_random(22);
    for (int loop = 0; loop < 8; loop++) {
        const double *l = stretch[loop % 4];
        const double F[3][2] = {{l[0], 0.0}, {0.0, 0.6 * l[1]}, {0.0, 0.8 * l[1]}};
        double eps[3] = {0.5 * (l[0] * l[0] - 1), 0.5 * (l[1] * l[1] - 1), 0.0};
        TestMesh mesh = mixed_mesh(4, 4, &random);
        Law law = loop < 4 ? LAW_TENSION_FIELD : LAW_FACTOR;
        ToileFabric fabric = fabric_of(law);
        double density;
        if (law == LAW_TENSION_FIELD) {
            double high = fmax(eps[0], eps[1]), low = fmin(eps[0], eps[1]);
            density = high <= 0 ? 0
                      : low + 0.3 * high < 0
                          ? 0.5 * 1000 * high * high
                          : 500 / 0.91 * (high * high + low * low + 0.6 * high * low);
        } else {
            double d = 1 - 0.3 * 0.3 * 0.6;
            double k[2] = {1000 / d * (eps[0] < 0 ? 0.4 : 1), 600 / d * (eps[1] < 0 ? 0.4 : 1)};
            density =
                0.5 * (k[0] * eps[0] * eps[0] + k[1] * eps[1] * eps[1]) + 180 / d * eps[0] * eps[1];
        }
        check_patch(&mesh, 4, 4, &fabric, TOILE_PATTERN_METRIC, F, eps, density);
        test_mesh_free(&mesh);
    }
}
END_TEST

TEST_MAIN("stretch_stvk", stretch_zero_force_at_rest, stretch_gradient_is_that_of_the_energy,
          stretch_damping_gradient_is_that_of_its_potential, stretch_forces_and_torques_sum_to_zero,
          stretch_energy_ignores_rigid_motion, stretch_renumbering_changes_nothing,
          stretch_projected_hessian_has_no_negative_eigenvalue,
          stretch_hessian_is_exact_under_tension, stretch_damping_hessian_is_exact_under_tension,
          stretch_damping_ignores_rigid_motion, stretch_damping_takes_energy,
          stretch_stiffness_follows_weft_and_warp, stretch_larger_principal_stretch_is_reported,
          compression_stress_and_tangent_are_those_of_the_energy,
          compression_stress_is_continuous_at_the_switches, compression_known_energies,
          stretch_laws_keep_gradient_momentum_and_positive_hessian,
          stretch_hessian_of_a_tension_field_is_exact, stretch_cloths_of_a_model_keep_their_fabrics,
          stretch_damping_force_is_the_limit_of_small_steps_and_takes_energy,
          stretch_patch_test_on_mixed_meshes, stretch_patch_test_holds_for_laws_of_compression)
