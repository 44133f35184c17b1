/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Every model over hinges, with every rest shape, on triangles and on native quads beside
 * triangles: rest, derivatives, momentum, invariance, projection, viscosity, published numbers. */
#include "force/bend_curved.h"
#include "force/bend_dihedral.h"
#include "force/bend_law.h"
#include "force/bend_linear.h"
#include "force/bend_normal.h"
#include "force/bend_viscous.h"
#include "support/builders.h"
#include "support/hinge_pairs.h"

#include <stdlib.h>
#include <string.h>

/* rounding of sums of about a hundred terms of one size */
#define ROUNDING 1e-12
/* central differences at 1e-5 of a cell */
#define DIFFERENCE 1e-7
/* numbers published with 15 digits */
#define PUBLISHED 1e-9

enum { SIDE = 3, VERTICES = (SIDE + 1) * (SIDE + 1) };

/* ---- settings ---- */

typedef struct Setting {
    ToileBendModel model;
    ToileRestCurvature rest;
    double curvature; /* 1/m */
    bool map;         /* a different one at every vertex */
    bool law;
} Setting;

static const Setting settings[] = {
    {TOILE_BEND_LINEAR, TOILE_REST_CURVATURE_GIVEN, 0.0, false, false},
    {TOILE_BEND_LINEAR, TOILE_REST_CURVATURE_GIVEN, 1.5, false, false},
    {TOILE_BEND_LINEAR, TOILE_REST_CURVATURE_GIVEN, 1.5, true, false},
    {TOILE_BEND_LINEAR, TOILE_REST_CURVATURE_FROM_REST, 0.0, false, false},
    {TOILE_BEND_LINEAR, TOILE_REST_CURVATURE_GIVEN, 0.0, false, true},
    {TOILE_BEND_LINEAR, TOILE_REST_CURVATURE_GIVEN, -0.7, true, true},
    {TOILE_BEND_LINEAR, TOILE_REST_CURVATURE_FROM_REST, 0.0, false, true},
    {TOILE_BEND_DIHEDRAL, TOILE_REST_CURVATURE_GIVEN, 0.0, false, false},
    {TOILE_BEND_DIHEDRAL, TOILE_REST_CURVATURE_GIVEN, 0.8, true, false},
    {TOILE_BEND_DIHEDRAL, TOILE_REST_CURVATURE_FROM_REST, 0.0, false, false},
    {TOILE_BEND_NORMAL, TOILE_REST_CURVATURE_GIVEN, 0.0, false, false},
    {TOILE_BEND_NORMAL, TOILE_REST_CURVATURE_GIVEN, 0.8, true, false},
    {TOILE_BEND_NORMAL, TOILE_REST_CURVATURE_FROM_REST, 0.0, false, false},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* stiff at first, softer later, and stiffer again; smooth enough for differences off the points */
static const double law[] = {0, 0, 0.4, 0.008, 1.1, 0.011, 3, 0.04};

static ToileFabric fabric_of(const Setting *s) {
    ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 0.01);
    fabric.bend_warp_N_m = 0.03;
    fabric.bend_model = (int32_t)s->model;
    fabric.rest_curvature = (int32_t)s->rest;
    fabric.rest_curvature_per_m = s->map ? 0.0 : s->curvature;
    fabric.bend_law = s->law ? law : NULL;
    fabric.bend_law_count = s->law ? 4 : 0;
    return fabric;
}

static TlHingeKind kind_of(const TlModel *model) {
    for (int32_t kind = 0; kind < TL_HINGE_KINDS; kind++) {
        if (model->sets.hinges[kind].count > 0) {
            return (TlHingeKind)kind;
        }
    }
    ck_abort_msg("no hinges");
}

static TlElements elements_of(const TlModel *model) {
    switch (kind_of(model)) {
    case TL_HINGE_LINEAR:
        return tl_bend_linear(model);
    case TL_HINGE_CURVED:
        return tl_bend_curved(model);
    case TL_HINGE_LAW:
        return tl_bend_law(model);
    case TL_HINGE_DIHEDRAL:
        return tl_bend_dihedral(model);
    default:
        return tl_bend_normal(model);
    }
}

/* ---- meshes ---- */

/* Quads with moved inner vertices, each third cell cut in two. */
static TestMesh mixed_mesh(TestRandom *random) {
    TestMesh mesh = test_grid(SIDE, SIDE, SIDE, SIDE, TEST_DIAGONAL_NONE);
    int32_t *corners = test_alloc(6 * SIDE * SIDE * sizeof *corners), faces = 0, count = 0;
    int32_t *sizes = test_alloc(2 * SIDE * SIDE * sizeof *sizes);
    for (int32_t v = 0; v < VERTICES; v++) {
        if (v % (SIDE + 1) % SIDE != 0 && v / (SIDE + 1) % SIDE != 0) {
            mesh.positions[3 * v] += test_between(random, -0.2, 0.2);
            mesh.positions[3 * v + 1] += test_between(random, -0.2, 0.2);
        }
        mesh.uvs[2 * v] = mesh.positions[3 * v];
        mesh.uvs[2 * v + 1] = mesh.positions[3 * v + 1];
    }
    for (int32_t f = 0; f < mesh.face_count; f++) {
        const int32_t *q = mesh.corners + 4 * f;
        const int32_t halves[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
        bool cut = f % 3 == 1;
        memcpy(corners + count, cut ? halves : q, (cut ? 6 : 4) * sizeof *q);
        count += cut ? 6 : 4;
        sizes[faces++] = cut ? 3 : 4;
        if (cut) {
            sizes[faces++] = 3;
        }
    }
    free(mesh.corners);
    free(mesh.corner_uvs);
    free(mesh.face_sizes);
    mesh.corners = corners;
    mesh.face_sizes = sizes;
    mesh.face_count = faces;
    mesh.corner_count = count;
    mesh.corner_uvs = test_alloc(sizeof(int32_t) * (size_t)count);
    memcpy(mesh.corner_uvs, corners, sizeof(int32_t) * (size_t)count);
    return mesh;
}

typedef struct Fixture {
    TestRandom random;
    bool native;
    ToilePattern pattern;
    TestMesh mesh;
    ToileFabric fabric;
    TestModel model;
    TlElements elements;
    int32_t n;
    double *map, *rest, *x, *start, *grad;
} Fixture;

static void set_up(Fixture *f, const ToileFabric *fabric, bool map, bool native,
                   TestRandom random) {
    memset(f, 0, sizeof *f);
    f->random = random;
    f->native = native;
    f->pattern = TOILE_PATTERN_METRIC;
    f->mesh = native ? mixed_mesh(&f->random) : test_jittered(SIDE, SIDE, &f->random);
    f->fabric = *fabric;
    f->n = 3 * VERTICES;
    f->map = test_alloc(sizeof(double) * VERTICES);
    for (int v = 0; v < VERTICES; v++) {
        f->map[v] = test_between(&f->random, -1, 1);
    }
    f->rest = test_deformed(&f->mesh, &f->random, 0.15);
    test_model_with(&f->mesh, fabric, f->pattern, native, f->rest, map ? f->map : NULL, &f->model);
    f->elements = elements_of(&f->model.model);
    f->x = test_deformed(&f->mesh, &f->random, 0.2);
    f->start = test_deformed(&f->mesh, &f->random, 0.2);
    f->grad = test_alloc(sizeof(double) * (size_t)f->n);
}

static void tear_down(Fixture *f) {
    free(f->map);
    free(f->rest);
    free(f->x);
    free(f->start);
    free(f->grad);
    test_model_free(&f->model);
    test_mesh_free(&f->mesh);
}

/* Runs a check over all settings, on triangles and on mixed meshes. */
static void for_all(uint64_t seed, void (*check)(Fixture *, const Setting *)) {
    TestRandom random = test_random(seed);
    for (int i = 0; i < SETTINGS; i++) {
        for (int native = 0; native < 2; native++) {
            Fixture f;
            ToileFabric fabric = fabric_of(&settings[i]);
            set_up(&f, &fabric, settings[i].map, native == 1, random);
            check(&f, &settings[i]);
            random = f.random;
            tear_down(&f);
        }
    }
}

static double largest_stiffness(const Fixture *f) {
    const TlHingeSet *set = &f->model.model.sets.hinges[kind_of(&f->model.model)];
    return test_largest(set->lambda, set->count);
}

/* ---- properties ---- */

static void check_rest(Fixture *f, const Setting *s) {
    static const double axis[3] = {0.7, -1.9, 0.4}, shift[3] = {3, -2, 5};
    if (s->curvature != 0.0) {
        return;
    }
    bool flat = s->rest == TOILE_REST_CURVATURE_GIVEN;
    const double *rest = flat ? f->mesh.positions : f->rest;
    double *moved = test_moved(rest, VERTICES, axis, shift);
    TlPoint at = {rest, NULL, 0.0}, there = {moved, NULL, 0.0};
    test_gradient(&f->elements, &at, f->grad);
    ASSERT_BELOW(test_largest(f->grad, f->n), ROUNDING * largest_stiffness(f));
    test_gradient(&f->elements, &there, f->grad);
    ASSERT_BELOW(test_largest(f->grad, f->n), ROUNDING * largest_stiffness(f));
    ASSERT_BELOW(test_value(&f->elements, &there), ROUNDING * ROUNDING * largest_stiffness(f));
    free(moved);
}

START_TEST(hinges_rest_shape_has_no_force) {
    for_all(101, check_rest);
}
END_TEST

/* the same where the 3D shape is the metric too, with quads that are not flat */
START_TEST(hinges_curved_rest_without_pattern_has_no_force) {
    TestRandom random = test_random(102);
    for (int i = 0; i < SETTINGS; i++) {
        if (settings[i].rest != TOILE_REST_CURVATURE_FROM_REST) {
            continue;
        }
        Fixture f;
        TestModel model;
        ToileFabric fabric = fabric_of(&settings[i]);
        set_up(&f, &fabric, false, true, random);
        test_model_with(&f.mesh, &fabric, TOILE_PATTERN_NONE, true, f.rest, NULL, &model);
        TlElements elements = elements_of(&model.model);
        TlPoint at = {f.rest, NULL, 0.0};
        ck_assert_int_gt(model.rest.sets.quads.count, 0);
        test_gradient(&elements, &at, f.grad);
        ASSERT_BELOW(test_largest(f.grad, f.n), ROUNDING * largest_stiffness(&f));
        /* and it is the only place like this */
        test_gradient(&f.elements, &(TlPoint){f.mesh.positions, NULL, 0.0}, f.grad);
        ck_assert(test_largest(f.grad, f.n) > 1e-3 * largest_stiffness(&f));
        random = f.random;
        test_model_free(&model);
        tear_down(&f);
    }
}
END_TEST

static void check_gradient(Fixture *f, const Setting *s) {
    (void)s;
    TlPoint at = {f->x, NULL, 0.0};
    test_gradient(&f->elements, &at, f->grad);
    ASSERT_BELOW(test_gradient_error(&f->elements, &at, f->grad, 1e-5), DIFFERENCE);
}

START_TEST(hinges_gradient_is_that_of_the_energy) {
    for_all(103, check_gradient);
}
END_TEST

static void check_no_resultant(const double *x, const double *force, double arm) {
    double sum[3], torque[3], scale = test_largest(force, 3 * VERTICES);
    test_resultants(x, force, VERTICES, sum, torque);
    ASSERT_BELOW(test_largest(sum, 3), ROUNDING * scale);
    ASSERT_BELOW(test_largest(torque, 3), arm * ROUNDING * scale);
}

static void check_momenta(Fixture *f, const Setting *s) {
    (void)s;
    TlPoint at = {f->x, NULL, 0.0};
    test_gradient(&f->elements, &at, f->grad);
    ck_assert(test_largest(f->grad, f->n) > 0.0);
    check_no_resultant(f->x, f->grad, 5.0);
}

START_TEST(hinges_forces_and_torques_sum_to_zero) {
    for_all(104, check_momenta);
}
END_TEST

static void check_rigid(Fixture *f, const Setting *s) {
    static const double axis[3] = {2.1, -0.3, 0.8}, shift[3] = {3, -2, 5}, none[3] = {0, 0, 0};
    (void)s;
    double *moved = test_moved(f->x, VERTICES, axis, shift);
    double *turned = test_alloc(sizeof(double) * (size_t)f->n);
    TlPoint at = {f->x, NULL, 0.0}, there = {moved, NULL, 0.0};
    ASSERT_RELATIVE(test_value(&f->elements, &there), test_value(&f->elements, &at), ROUNDING);
    test_gradient(&f->elements, &at, f->grad);
    test_gradient(&f->elements, &there, turned);
    double *wanted = test_moved(f->grad, VERTICES, axis, none);
    for (int32_t i = 0; i < f->n; i++) {
        ASSERT_NEAR(turned[i], wanted[i], 10 * ROUNDING * test_largest(f->grad, f->n));
    }
    free(moved);
    free(turned);
    free(wanted);
}

START_TEST(hinges_ignore_rigid_motion) {
    for_all(105, check_rigid);
}
END_TEST

/* every vertex and face has another number, and every face another first corner */
static void check_renumbered(Fixture *f, const Setting *s) {
    int32_t order[VERTICES];
    double x[3 * VERTICES], rest[3 * VERTICES], map[VERTICES], grad[3 * VERTICES];
    TestModel model;
    test_shuffle(&f->random, order, VERTICES);
    TestMesh other = test_renumbered(&f->mesh, order);
    for (int32_t v = 0; v < VERTICES; v++) {
        memcpy(x + 3 * order[v], f->x + 3 * v, 3 * sizeof(double));
        memcpy(rest + 3 * order[v], f->rest + 3 * v, 3 * sizeof(double));
        map[order[v]] = f->map[v];
    }
    /* a flat pattern and, for isotropic cloth, the non-flat 3D shape */
    for (int bent = 0; bent < 2; bent++) {
        ToileFabric fabric = f->fabric;
        TestModel own;
        ToilePattern pattern = bent == 1 ? TOILE_PATTERN_NONE : TOILE_PATTERN_METRIC;
        fabric.bend_warp_N_m = bent == 1 ? fabric.bend_weft_N_m : fabric.bend_warp_N_m;
        test_model_with(&f->mesh, &fabric, pattern, f->native, f->rest, s->map ? f->map : NULL,
                        &own);
        test_model_with(&other, &fabric, pattern, f->native, rest, s->map ? map : NULL, &model);
        TlElements a = elements_of(&own.model), b = elements_of(&model.model);
        TlPoint at = {f->x, NULL, 0.0}, there = {x, NULL, 0.0};
        ck_assert_int_eq(a.count, b.count);
        ASSERT_RELATIVE(test_value(&b, &there), test_value(&a, &at), ROUNDING);
        test_gradient(&a, &at, f->grad);
        test_gradient(&b, &there, grad);
        for (int32_t i = 0; i < f->n; i++) {
            ASSERT_NEAR(grad[3 * order[i / 3] + i % 3], f->grad[i],
                        ROUNDING * test_largest(f->grad, f->n));
        }
        test_model_free(&own);
        test_model_free(&model);
    }
    test_mesh_free(&other);
}

START_TEST(hinges_renumbering_changes_nothing) {
    for_all(106, check_renumbered);
}
END_TEST

static void check_positive(const TlElements *elements, const TlPoint *at, int32_t n) {
    double *hess = test_alloc(sizeof(double) * (size_t)(n * n));
    double *values = test_alloc(sizeof(double) * (size_t)n);
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

static void check_projection(Fixture *f, const Setting *s) {
    (void)s;
    TlPoint at = {f->x, NULL, 0.0};
    check_positive(&f->elements, &at, f->n);
}

START_TEST(hinges_projected_hessian_has_no_negative_eigenvalue) {
    for_all(107, check_projection);
}
END_TEST

/* the third that the paper's coefficient differs by */
static void check_paper(Fixture *f, const Setting *s) {
    TestModel paper;
    f->fabric.bend_scale = TOILE_BEND_PAPER;
    test_model_with(&f->mesh, &f->fabric, f->pattern, f->native, f->rest, s->map ? f->map : NULL,
                    &paper);
    TlElements elements = elements_of(&paper.model);
    TlPoint at = {f->x, NULL, 0.0};
    ASSERT_RELATIVE(test_value(&elements, &at), test_value(&f->elements, &at) / 3, ROUNDING);
    test_model_free(&paper);
}

START_TEST(hinges_paper_scale_is_a_third) {
    for_all(108, check_paper);
}
END_TEST

/* ---- Hessians ---- */

/* Dense Hessian of a single hinge by differences of the gradient, step 1e-5. */
static void difference_hessian(const TlElements *elements, const double *x, double out[144]) {
    double moved[12], high[12], low[12];
    TlPoint at = {moved, NULL, 0.0};
    memcpy(moved, x, sizeof moved);
    for (int i = 0; i < 12; i++) {
        moved[i] = x[i] + 1e-5;
        test_gradient(elements, &at, high);
        moved[i] = x[i] - 1e-5;
        test_gradient(elements, &at, low);
        moved[i] = x[i];
        for (int j = 0; j < 12; j++) {
            out[12 * j + i] = (high[j] - low[j]) / 2e-5;
        }
    }
}

/* Number of eigenvalues above `least`; none may be below -`least`. */
static int positive_rank(const double hess[144], double least) {
    double copy[144], values[12];
    int rank = 0;
    memcpy(copy, hess, sizeof copy);
    test_eigenvalues(copy, 12, values);
    for (int i = 0; i < 12; i++) {
        ck_assert_msg(values[i] > -least, "eigenvalue %g", values[i]);
        rank += values[i] > least;
    }
    return rank;
}

/* The exact Hessian has four positive and four negative eigenvalues off the rest angle. Its clamped
 * form is positive of rank 4, and what was clamped away is positive of rank 4 too: so it is the
 * exact one with nothing but its negative part taken out. */
START_TEST(hinges_dihedral_hessian_is_exact_but_for_its_negative_part) {
    TestRandom random = test_random(109);
    static const double pair[4][3] = {{0.2, 0.9, 0}, {0.9, -0.6, 0}, {0, 0, 0}, {1, 0.2, 0}};
    for (int loop = 0; loop < 50; loop++) {
        TestMesh mesh = test_hinge(pair);
        ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 1);
        TestModel model;
        double x[12], exact[144], clamped[144], rest[144], largest;
        fabric.bend_model = TOILE_BEND_DIHEDRAL;
        fabric.rest_curvature_per_m = loop % 2 == 0 ? 0.0 : 0.9;
        test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
        TlElements elements = tl_bend_dihedral(&model.model);
        for (int i = 0; i < 12; i++) {
            x[i] = mesh.positions[i] + test_between(&random, -0.25, 0.25);
        }
        TlPoint at = {x, NULL, 0.0};
        difference_hessian(&elements, x, exact);
        test_hessian(&elements, &at, clamped);
        largest = test_largest(clamped, 144);
        for (int i = 0; i < 144; i++) {
            rest[i] = clamped[i] - exact[i];
        }
        ck_assert_int_eq(positive_rank(clamped, 1e-7 * largest), 4);
        ck_assert_int_eq(positive_rank(rest, 1e-7 * largest), 4);
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* at the rest angle nothing has to be clamped */
START_TEST(hinges_dihedral_hessian_is_exact_at_rest) {
    Fixture f;
    Setting s = settings[9];
    ToileFabric fabric = fabric_of(&s);
    ck_assert_int_eq(s.rest, TOILE_REST_CURVATURE_FROM_REST);
    set_up(&f, &fabric, false, true, test_random(110));
    double *hess = test_alloc(sizeof(double) * (size_t)(f.n * f.n));
    TlPoint at = {f.rest, NULL, 0.0};
    test_hessian(&f.elements, &at, hess);
    ASSERT_BELOW(test_hessian_error(&f.elements, &at, hess, 1e-5), DIFFERENCE);
    free(hess);
    tear_down(&f);
}
END_TEST

/* with a law that rises everywhere, and a flat rest shape, there is nothing to clamp either */
START_TEST(hinges_law_hessian_is_exact) {
    for (int native = 0; native < 2; native++) {
        Fixture f;
        ToileFabric fabric = fabric_of(&settings[4]);
        set_up(&f, &fabric, false, native == 1, test_random(111));
        double *hess = test_alloc(sizeof(double) * (size_t)(f.n * f.n));
        TlPoint at = {f.x, NULL, 0.0};
        test_hessian(&f.elements, &at, hess);
        ASSERT_BELOW(test_hessian_error(&f.elements, &at, hess, 1e-5), DIFFERENCE);
        free(hess);
        tear_down(&f);
    }
}
END_TEST

/* ---- viscosity ---- */

static ToileFabric damped_fabric(const Setting *s, ToileBendDamping damping) {
    ToileFabric fabric = fabric_of(s);
    fabric.bend_damping_N_m_s = 0.002;
    fabric.bend_damping_model = (int32_t)damping;
    return fabric;
}

/* The viscous elements of a fixture's model. */
static TlElements viscous_of(const Fixture *f) {
    return tl_bend_viscous(&f->model.model, kind_of(&f->model.model));
}

/* Runs a check over all settings and both forms of damping. */
static void for_all_damped(uint64_t seed, void (*check)(Fixture *)) {
    TestRandom random = test_random(seed);
    for (int i = 0; i < 2 * SETTINGS; i++) {
        for (int native = 0; native < 2; native++) {
            Fixture f;
            ToileFabric fabric = damped_fabric(&settings[i / 2], (ToileBendDamping)(i % 2));
            set_up(&f, &fabric, settings[i / 2].map, native == 1, random);
            check(&f);
            random = f.random;
            tear_down(&f);
        }
    }
}

static void damping_gradient(const TlElements *elements, const double *x, const double *v,
                             double *grad) {
    int32_t corners = tl_first_corner(elements, elements->count);
    double *local = test_alloc(3 * sizeof(double) * (size_t)corners);
    elements->damp(elements->model, x, v, 0, elements->count, local);
    memset(grad, 0, 3 * sizeof(double) * VERTICES);
    for (int32_t c = 0; c < corners; c++) {
        for (int i = 0; i < 3; i++) {
            grad[3 * elements->vertex[c] + i] += local[3 * c + i];
        }
    }
    free(local);
}

static void random_velocities(Fixture *f, double v[3 * VERTICES]) {
    for (int i = 0; i < 3 * VERTICES; i++) {
        v[i] = test_between(&f->random, -1, 1);
    }
}

static void check_step_gradient(Fixture *f) {
    TlElements elements = viscous_of(f);
    TlPoint at = {f->x, f->start, 0.01}, still = {f->x, f->start, 0.0};
    test_gradient(&elements, &at, f->grad);
    ASSERT_BELOW(test_gradient_error(&elements, &at, f->grad, 1e-5), DIFFERENCE);
    check_positive(&elements, &at, f->n);
    /* without a step there is no damping */
    ck_assert_double_eq(test_value(&elements, &still), 0.0);
    test_gradient(&elements, &still, f->grad);
    ck_assert_double_eq(test_largest(f->grad, f->n), 0.0);
}

START_TEST(viscous_gradient_is_that_of_its_potential) {
    for_all_damped(121, check_step_gradient);
}
END_TEST

/* at the start of a step nothing is left out */
static void check_step_hessian(Fixture *f) {
    TlElements elements = viscous_of(f);
    double *hess = test_alloc(sizeof(double) * (size_t)(f->n * f->n));
    TlPoint at = {f->x, f->x, 0.01};
    test_hessian(&elements, &at, hess);
    ASSERT_BELOW(test_hessian_error(&elements, &at, hess, 1e-5), DIFFERENCE);
    free(hess);
}

START_TEST(viscous_hessian_is_exact_at_the_start_of_a_step) {
    for_all_damped(126, check_step_hessian);
}
END_TEST

/* damping forces at a state have no resultant, take power, and vanish under rigid motion */
static void check_damping(Fixture *f) {
    TlElements elements = viscous_of(f);
    double v[3 * VERTICES], power = 0.0, scale;
    random_velocities(f, v);
    damping_gradient(&elements, f->x, v, f->grad);
    scale = test_largest(f->grad, f->n);
    check_no_resultant(f->x, f->grad, 5.0);
    for (int i = 0; i < 3 * VERTICES; i++) {
        power -= f->grad[i] * v[i];
    }
    ck_assert_msg(power < 0.0, "power %g", power);
    const double w[3] = {0.7, -0.4, 0.9}, c[3] = {2, -1, 3};
    for (int i = 0; i < 3 * VERTICES; i++) {
        const double *p = f->x + i / 3 * 3;
        v[i] = c[i % 3] + w[(i + 1) % 3] * p[(i + 2) % 3] - w[(i + 2) % 3] * p[(i + 1) % 3];
    }
    damping_gradient(&elements, f->x, v, f->grad);
    ASSERT_BELOW(test_largest(f->grad, f->n), ROUNDING * scale);
}

START_TEST(viscous_forces_keep_momentum_and_spare_rigid_motion) {
    for_all_damped(122, check_damping);
}
END_TEST

/* the potential over a short step gives the damping force: the difference falls with dt */
static void check_limit(Fixture *f) {
    TlElements elements = viscous_of(f);
    double v[3 * VERTICES], force[3 * VERTICES], errors[2];
    random_velocities(f, v);
    damping_gradient(&elements, f->x, v, force);
    for (int k = 0; k < 2; k++) {
        double dt = k == 0 ? 2e-5 : 1e-5;
        TlPoint at = {f->x, f->start, dt};
        for (int i = 0; i < 3 * VERTICES; i++) {
            f->start[i] = f->x[i] - dt * v[i];
        }
        test_gradient(&elements, &at, f->grad);
        errors[k] = 0.0;
        for (int i = 0; i < 3 * VERTICES; i++) {
            errors[k] = fmax(errors[k], fabs(f->grad[i] - force[i]));
        }
        ASSERT_BELOW(errors[k], 100 * dt * test_largest(force, f->n));
    }
    ck_assert_msg(errors[1] < 0.6 * errors[0], "%g after %g", errors[1], errors[0]);
}

START_TEST(viscous_step_tends_to_the_damping_force) {
    for_all_damped(123, check_limit);
}
END_TEST

/* a turn of any size within one step is not damped by the scalar form */
static void check_turn(Fixture *f) {
    static const double axis[3] = {0.3, 1.1, -0.6}, shift[3] = {1, 2, 3};
    if (f->fabric.bend_damping_model != TOILE_BEND_DAMPING_SCALAR) {
        return;
    }
    TlElements elements = viscous_of(f);
    double *moved = test_moved(f->x, VERTICES, axis, shift);
    TlPoint damped = {f->x, f->start, 0.01}, rigid = {moved, f->x, 0.01};
    test_gradient(&elements, &damped, f->grad);
    double scale = test_largest(f->grad, f->n);
    test_gradient(&elements, &rigid, f->grad);
    ASSERT_BELOW(test_largest(f->grad, f->n), 10 * ROUNDING * scale);
    free(moved);
}

START_TEST(viscous_scalar_spares_finite_turns) {
    for_all_damped(124, check_turn);
}
END_TEST

/* nothing to do without a viscosity, and one row suffices without projection */
START_TEST(viscous_elements_are_made_only_where_needed) {
    Fixture f;
    ToileFabric fabric = fabric_of(&settings[0]);
    set_up(&f, &fabric, false, false, test_random(125));
    for (int32_t kind = 0; kind < TL_HINGE_KINDS; kind++) {
        ck_assert_int_eq(tl_bend_viscous(&f.model.model, (TlHingeKind)kind).count, 0);
    }
    TestRandom random = f.random;
    tear_down(&f);
    for (int32_t damping = 0; damping < 2; damping++) {
        fabric = damped_fabric(&settings[0], (ToileBendDamping)damping);
        set_up(&f, &fabric, false, false, random);
        ck_assert_int_eq(viscous_of(&f).count, f.elements.count);
        ck_assert_int_eq(viscous_of(&f).hessian, damping == 1 ? 3 : 1);
        tear_down(&f);
    }
}
END_TEST

/* all four points on a line: a spin about it cannot be told from rest */
START_TEST(viscous_projection_survives_a_collapsed_hinge) {
    static const double flat[4][3] = {{0.5, 1, 0}, {0.5, -1, 0}, {0, 0, 0}, {1, 0, 0}};
    static const double along[4] = {0.5, 0.7, 0, 1};
    const double v[12] = {0.1, 0.2, 0, 0, 0, 0.3, 0, 0.1, 0, 0, 0, 0};
    TestRandom random = test_random(127);
    TestMesh mesh = test_hinge(flat);
    ToileFabric fabric = damped_fabric(&settings[0], TOILE_BEND_DAMPING_PROJECTED);
    TestModel model;
    test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
    TlElements elements = tl_bend_viscous(&model.model, TL_HINGE_LINEAR);
    for (int loop = 0; loop < 50; loop++) {
        double x[12], line[3], force[12], sum[3], torque[3];
        for (int i = 0; i < 3; i++) {
            line[i] = test_between(&random, 0.1, 1);
        }
        for (int i = 0; i < 12; i++) {
            x[i] = along[i / 3] * line[i % 3];
        }
        elements.damp(&model.model, x, v, 0, 1, force);
        /* corners are A, B, C, D, as the vertices */
        test_resultants(x, force, 4, sum, torque);
        double scale = test_largest(force, 12);
        ck_assert(scale > 0.0 && scale < 1.0);
        ASSERT_BELOW(test_largest(sum, 3), ROUNDING * scale);
        ASSERT_BELOW(test_largest(torque, 3), ROUNDING * scale);
    }
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- published numbers ---- */

enum { PAIRS = sizeof pairs / sizeof pairs[0] };

static void pair_model(const Pair *pair, const ToileFabric *changes, TestMesh *mesh,
                       TestModel *model) {
    ToileFabric fabric = *changes;
    fabric.bend_weft_N_m = fabric.bend_warp_N_m = pair->mu;
    *mesh = test_hinge(pair->rest);
    test_model(mesh, &fabric, TOILE_PATTERN_NONE, model);
}

static void assert_forces(const double grad[12], const double want[4][3]) {
    for (int i = 0; i < 12; i++) {
        ASSERT_NEAR(-grad[i], want[i / 3][i % 3], PUBLISHED * test_largest(&want[0][0], 12));
    }
}

START_TEST(pair_state_matches_published_numbers) {
    for (int p = 0; p < PAIRS; p++) {
        const Pair *pair = &pairs[p];
        ToileFabric fabric = toile_fabric_default();
        TestMesh mesh;
        TestModel model;
        pair_model(pair, &fabric, &mesh, &model);
        const TlHingeSet *set = &model.model.sets.hinges[TL_HINGE_LINEAR];
        TlHingeState state = tl_bend_linear_state(set, &pair->x[0][0], 0);
        ASSERT_RELATIVE(set->lambda[0], pair->lambda, PUBLISHED);
        ASSERT_RELATIVE(set->k_e[0], pair->k_e, PUBLISHED);
        TlElements elements = tl_bend_linear(&model.model);
        ASSERT_RELATIVE(test_value(&elements, &(TlPoint){&pair->x[0][0], NULL, 0.0}), pair->E,
                        PUBLISHED);
        ASSERT_RELATIVE(state.r, pair->r, PUBLISHED);
        ASSERT_RELATIVE(state.gamma, pair->gamma, PUBLISHED);
        ASSERT_RELATIVE(state.theta, pair->theta, PUBLISHED);
        for (int i = 0; i < 12; i++) {
            ASSERT_NEAR(state.grad_theta[i], pair->grad_theta[i / 3][i % 3],
                        PUBLISHED * test_largest(&pair->grad_theta[0][0], 12));
        }
        for (int i = 0; i < 3; i++) {
            ASSERT_NEAR(state.R[i], pair->R[i], PUBLISHED * pair->r);
        }
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

START_TEST(pair_rest_curvature_matches_published_numbers) {
    for (int p = 0; p < PAIRS; p++) {
        const Pair *pair = &pairs[p];
        ToileFabric fabric = toile_fabric_default();
        TestMesh mesh;
        TestModel model;
        double grad[12], force[3], torque[3];
        fabric.rest_curvature_per_m = pair->gamma0;
        pair_model(pair, &fabric, &mesh, &model);
        TlElements elements = tl_bend_curved(&model.model);
        TlPoint at = {&pair->x[0][0], NULL, 0.0};
        ck_assert_int_eq(elements.count, 1);
        ASSERT_RELATIVE(test_value(&elements, &at), pair->E_R0, PUBLISHED);
        test_gradient(&elements, &at, grad);
        assert_forces(grad, pair->F_R0);
        test_resultants(&pair->x[0][0], grad, 4, force, torque);
        ASSERT_BELOW(test_largest(torque, 3), ROUNDING * test_largest(grad, 12));
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

START_TEST(pair_viscosity_matches_published_numbers) {
    for (int p = 0; p < 2 * PAIRS; p++) {
        const Pair *pair = &pairs[p / 2];
        ToileFabric fabric = toile_fabric_default();
        TestMesh mesh;
        TestModel model;
        double grad[12];
        /* nu is to the viscous modulus what lambda is to mu */
        fabric.bend_damping_N_m_s = pair->visc * pair->mu / pair->lambda;
        fabric.bend_damping_model = p % 2;
        pair_model(pair, &fabric, &mesh, &model);
        TlElements elements = tl_bend_viscous(&model.model, TL_HINGE_LINEAR);
        elements.damp(&model.model, &pair->x[0][0], &pair->v[0][0], 0, 1, grad);
        assert_forces(grad, p % 2 == 0 ? pair->F_scalar : pair->F_projected);
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* energies and forces of the angle models from the published angle and its gradient */
START_TEST(pair_angle_models_match_published_numbers) {
    for (int p = 0; p < 2 * PAIRS; p++) {
        const Pair *pair = &pairs[p / 2];
        bool normal = p % 2 == 1;
        ToileFabric fabric = toile_fabric_default();
        TestMesh mesh;
        TestModel model;
        double grad[12], want[4][3];
        fabric.bend_model = normal ? TOILE_BEND_NORMAL : TOILE_BEND_DIHEDRAL;
        fabric.rest_curvature_per_m = pair->gamma0;
        pair_model(pair, &fabric, &mesh, &model);
        const TlHingeSet *set =
            &model.model.sets.hinges[normal ? TL_HINGE_NORMAL : TL_HINGE_DIHEDRAL];
        double theta0 = pair->gamma0 * 0.5 * (set->height_a[0] + set->height_b[0]);
        double phi = pair->theta - theta0,
               s = set->length[0] / (set->height_a[0] + set->height_b[0]);
        double moment = normal ? 4 * pair->mu * s * sin(0.5 * phi) : pair->k_e * phi;
        double E = normal ? 8 * pair->mu * s * (1 - cos(0.5 * phi)) : 0.5 * pair->k_e * phi * phi;
        TlElements elements = elements_of(&model.model);
        TlPoint at = {&pair->x[0][0], NULL, 0.0};
        ASSERT_RELATIVE(test_value(&elements, &at), E, PUBLISHED);
        for (int i = 0; i < 12; i++) {
            want[i / 3][i % 3] = -moment * pair->grad_theta[i / 3][i % 3];
        }
        test_gradient(&elements, &at, grad);
        assert_forces(grad, (const double(*)[3])want);
        double hess[144], k = 2 * pair->mu * s * fmax(0.0, cos(0.5 * phi));
        test_hessian(&elements, &at, hess);
        for (int i = 0; i < 144 && normal; i++) {
            const double *u = &pair->grad_theta[0][0];
            ASSERT_NEAR(hess[i], k * u[i / 12] * u[i % 12], PUBLISHED * test_largest(hess, 144));
        }
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* viscosity of the angle models: k_e with the viscous modulus, on the rate of the angle */
START_TEST(pair_angle_models_damp_the_angle) {
    for (int p = 0; p < 2 * PAIRS; p++) {
        const Pair *pair = &pairs[p / 2];
        TlHingeKind kind = p % 2 == 1 ? TL_HINGE_NORMAL : TL_HINGE_DIHEDRAL;
        ToileFabric fabric = toile_fabric_default();
        TestMesh mesh;
        TestModel model;
        double grad[12], want[4][3], rate = 0.0;
        fabric.bend_model = p % 2 == 1 ? TOILE_BEND_NORMAL : TOILE_BEND_DIHEDRAL;
        fabric.bend_damping_N_m_s = 0.3 * pair->mu;
        /* without effect on angles */
        fabric.bend_damping_model = TOILE_BEND_DAMPING_PROJECTED;
        pair_model(pair, &fabric, &mesh, &model);
        TlElements elements = tl_bend_viscous(&model.model, kind);
        for (int i = 0; i < 12; i++) {
            rate += pair->grad_theta[i / 3][i % 3] * pair->v[i / 3][i % 3];
        }
        for (int i = 0; i < 12; i++) {
            want[i / 3][i % 3] = -0.3 * pair->k_e * rate * pair->grad_theta[i / 3][i % 3];
        }
        elements.damp(&model.model, &pair->x[0][0], &pair->v[0][0], 0, 1, grad);
        assert_forces(grad, (const double(*)[3])want);
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* a fold that goes through half a turn within a step has turned by little */
START_TEST(pair_angle_damping_goes_on_through_half_a_turn) {
    static const double flat[4][3] = {{0.5, 1, 0}, {0.5, -1, 0}, {0, 0, 0}, {1, 0, 0}};
    TestMesh mesh = test_hinge(flat);
    ToileFabric fabric = test_fabric(1000, 1000, 50, 0.2, 1);
    TestModel model;
    double folds[2][12];
    fabric.bend_model = TOILE_BEND_DIHEDRAL;
    fabric.bend_damping_N_m_s = 1;
    test_model(&mesh, &fabric, TOILE_PATTERN_NONE, &model);
    for (int i = 0; i < 2; i++) {
        memcpy(folds[i], mesh.positions, sizeof folds[i]);
        /* angles 3 and 3.2, which is 3.2 - 2 pi */
        double angle = 3 + 0.2 * i;
        folds[i][1] = cos(angle);
        folds[i][2] = sin(angle);
    }
    TlElements elements = tl_bend_viscous(&model.model, TL_HINGE_DIHEDRAL);
    for (int i = 0; i < 2; i++) {
        TlPoint at = {folds[i], folds[1 - i], 0.1};
        /* k_e = 2 mu l/(hA + hB) = 1 */
        ASSERT_RELATIVE(test_value(&elements, &at), 0.5 / 0.1 * 0.2 * 0.2, ROUNDING);
    }
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- whole meshes ---- */

enum { NX = 8, NY = 4, GRID = (NX + 1) * (NY + 1) };

typedef void Pose(double u, double v, double x[3]);

/* curvature 1.5 along the direction of an angle */
static void roll(double u, double v, double angle, double x[3]) {
    double c = cos(angle), s = sin(angle), along = c * u + s * v, across = c * v - s * u;
    double bent = sin(1.5 * along) / 1.5;
    x[0] = c * bent - s * across;
    x[1] = s * bent + c * across;
    x[2] = (1 - cos(1.5 * along)) / 1.5;
}

static void roll_0(double u, double v, double x[3]) {
    roll(u, v, 0.0, x);
}

static void roll_30(double u, double v, double x[3]) {
    roll(u, v, atan(1.0) / 1.5, x);
}

static void stretch_and_bend(double u, double v, double x[3]) {
    x[0] = 1.05 * u + 0.1 * u * v;
    x[1] = 0.97 * v + 0.05 * u * u;
    x[2] = 0.3 * u * u - 0.2 * u * v + 0.1 * v * v;
}

/* Bending energy of the 8 by 4 grid of PHYSICS 6.4 with modulus 1. */
static double grid_energy(Pose *pose, ToileBendModel model_kind, bool native) {
    TestMesh mesh = test_grid(NX, NY, 1, 0.5, native ? TEST_DIAGONAL_NONE : TEST_DIAGONAL_SINGLE);
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 1);
    TestModel model;
    double x[3 * GRID];
    fabric.bend_model = (int32_t)model_kind;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, native, NULL, NULL, &model);
    for (int v = 0; v < GRID; v++) {
        pose(mesh.positions[3 * v], mesh.positions[3 * v + 1], x + 3 * v);
    }
    TlElements elements = elements_of(&model.model);
    ck_assert(native || elements.count == 84);
    double energy = test_value(&elements, &(TlPoint){x, NULL, 0.0});
    test_model_free(&model);
    test_mesh_free(&mesh);
    return energy;
}

START_TEST(grid_energies_match_published_numbers) {
    static const struct {
        Pose *pose;
        double linear, dihedral;
    } rows[] = {{roll_0, 0.48931118092, 0.4921875},
                {roll_30, 1.29979543196, 1.30314123607},
                {stretch_and_bend, 0.09125, 0.0701237532874}};
    for (int i = 0; i < 3; i++) {
        ASSERT_RELATIVE(grid_energy(rows[i].pose, TOILE_BEND_LINEAR, false), rows[i].linear,
                        PUBLISHED);
        ASSERT_RELATIVE(grid_energy(rows[i].pose, TOILE_BEND_DIHEDRAL, false), rows[i].dihedral,
                        PUBLISHED);
    }
}
END_TEST

/* a cylinder along the grid is the same on quads: no diagonal takes part */
START_TEST(grid_of_quads_bends_like_triangles_along_its_lines) {
    ASSERT_RELATIVE(grid_energy(roll_0, TOILE_BEND_LINEAR, true), 0.48931118092, PUBLISHED);
    ASSERT_RELATIVE(grid_energy(roll_0, TOILE_BEND_DIHEDRAL, true), 0.4921875, PUBLISHED);
    /* askew, triangles are 2.6 times too stiff (see PHYSICS 1.3); what is missing from 1/2 mu k^2 A
     * = 0.5625 are the two rows without hinges */
    double askew = grid_energy(roll_30, TOILE_BEND_LINEAR, true);
    ck_assert_msg(askew > 0.45 && askew < 0.52, "%g", askew);
    double angles = grid_energy(roll_30, TOILE_BEND_DIHEDRAL, true);
    ck_assert_msg(fabs(angles / askew - 1.0) < 0.02, "%g after %g", angles, askew);
}
END_TEST

TEST_MAIN("bend_hinges", hinges_rest_shape_has_no_force,
          hinges_curved_rest_without_pattern_has_no_force, hinges_gradient_is_that_of_the_energy,
          hinges_forces_and_torques_sum_to_zero, hinges_ignore_rigid_motion,
          hinges_renumbering_changes_nothing, hinges_projected_hessian_has_no_negative_eigenvalue,
          hinges_paper_scale_is_a_third, hinges_dihedral_hessian_is_exact_but_for_its_negative_part,
          hinges_dihedral_hessian_is_exact_at_rest, hinges_law_hessian_is_exact,
          viscous_gradient_is_that_of_its_potential,
          viscous_hessian_is_exact_at_the_start_of_a_step,
          viscous_forces_keep_momentum_and_spare_rigid_motion,
          viscous_step_tends_to_the_damping_force, viscous_scalar_spares_finite_turns,
          viscous_elements_are_made_only_where_needed,
          viscous_projection_survives_a_collapsed_hinge, pair_state_matches_published_numbers,
          pair_rest_curvature_matches_published_numbers, pair_viscosity_matches_published_numbers,
          pair_angle_models_match_published_numbers, pair_angle_models_damp_the_angle,
          pair_angle_damping_goes_on_through_half_a_turn, grid_energies_match_published_numbers,
          grid_of_quads_bends_like_triangles_along_its_lines)
