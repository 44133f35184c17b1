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
#include "support/hinge_pairs.h"
#include "support/properties.h"

#include <stdlib.h>
#include <string.h>

/* central differences at 1e-5 of a cell, where folds are sharp */
#define SHARP_DIFFERENCE 1e-7
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

/* ---- random states ---- */

/* Triangles, or quads beside triangles, with a curved rest shape over a flat pattern, or over none.
 */
static void set_up(TestCloth *f, const ToileFabric *fabric, bool map, bool native,
                   ToilePattern pattern, TestRandom random) {
    *f = (TestCloth){.random = random, .fabric = *fabric, .pattern = pattern, .native = native};
    f->mesh = native ? test_mixed(SIDE, SIDE, &f->random) : test_jittered(SIDE, SIDE, &f->random);
    f->rest = test_deformed(&f->mesh, &f->random, 0.15);
    f->curvature = map ? test_alloc(sizeof(double) * VERTICES) : NULL;
    for (int v = 0; v < VERTICES && map; v++) {
        f->curvature[v] = test_between(&f->random, -1, 1);
    }
    test_cloth(f, elements_of, 0.2);
}

/* Runs a check over all settings, on triangles and on mixed meshes. */
static void for_all(uint64_t seed, void (*check)(TestCloth *, const Setting *)) {
    TestRandom random = test_random(seed);
    for (int i = 0; i < 2 * SETTINGS; i++) {
        const Setting *s = &settings[i / 2];
        TestCloth f;
        ToileFabric fabric = fabric_of(s);
        set_up(&f, &fabric, s->map, i % 2 == 1, TOILE_PATTERN_METRIC, random);
        check(&f, s);
        random = test_cloth_free(&f);
    }
}

static double largest_stiffness(const TestCloth *f) {
    const TlHingeSet *set = &f->model.model.sets.hinges[kind_of(&f->model.model)];
    return test_largest(set->lambda, set->count);
}

/* ---- properties ---- */

static void check_rest(TestCloth *f, const Setting *s) {
    if (s->curvature != 0.0) {
        return;
    }
    if (s->rest == TOILE_REST_CURVATURE_GIVEN) {
        free(f->rest);
        f->rest = NULL; /* flat, as the pattern */
    }
    test_rest_is_free(f, largest_stiffness(f));
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
        TestCloth f;
        ToileFabric fabric = fabric_of(&settings[i]);
        set_up(&f, &fabric, false, true, TOILE_PATTERN_NONE, random);
        ck_assert_int_gt(f.model.rest.sets.quads.count, 0);
        test_rest_is_free(&f, largest_stiffness(&f));
        /* and it is the only place like this */
        test_gradient(&f.elements, &(TlPoint){.x = f.mesh.positions}, f.grad);
        ck_assert(test_largest(f.grad, f.n) > 1e-3 * largest_stiffness(&f));
        random = test_cloth_free(&f);
    }
}
END_TEST

static void check_forces(TestCloth *f, const Setting *s) {
    (void)s;
    TlPoint at = test_still(f);
    test_gradient(&f->elements, &at, f->grad);
    ASSERT_BELOW(test_gradient_error(&f->elements, &at, f->grad, 1e-5), SHARP_DIFFERENCE);
    test_momentum_is_kept(&f->elements, &at, 5.0);
    test_hessian_is_positive(&f->elements, &at);
}

START_TEST(hinges_derivatives_momentum_and_positive_hessian) {
    for_all(103, check_forces);
}
END_TEST

static void check_invariance(TestCloth *f, const Setting *s) {
    test_rigid_motion_is_free(&f->elements, f->x, 10.0);
    test_numbering_is_free(f);
    /* and without the pattern, where weft is each face's first edge, of isotropic cloth */
    TestCloth bent;
    ToileFabric isotropic = f->fabric;
    isotropic.bend_warp_N_m = isotropic.bend_weft_N_m;
    set_up(&bent, &isotropic, s->map, f->native, TOILE_PATTERN_NONE, f->random);
    test_numbering_is_free(&bent);
    f->random = test_cloth_free(&bent);
}

START_TEST(hinges_ignore_rigid_motion_and_numbering) {
    for_all(105, check_invariance);
}
END_TEST

/* the third that the paper's coefficient differs by */
static void check_paper(TestCloth *f, const Setting *s) {
    (void)s;
    TestModel paper;
    f->fabric.bend_scale = TOILE_BEND_PAPER;
    test_model_with(&f->mesh, &f->fabric, f->pattern, f->native, f->rest, f->curvature, &paper);
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
    TestCloth f;
    const Setting *s = &settings[9];
    ToileFabric fabric = fabric_of(s);
    ck_assert_int_eq(s->rest, TOILE_REST_CURVATURE_FROM_REST);
    set_up(&f, &fabric, false, true, TOILE_PATTERN_METRIC, test_random(110));
    test_hessian_is_exact(&f.elements, &(TlPoint){.x = f.rest}, 1e-5, SHARP_DIFFERENCE);
    test_cloth_free(&f);
}
END_TEST

/* with a law that rises everywhere, and a flat rest shape, there is nothing to clamp either */
START_TEST(hinges_law_hessian_is_exact) {
    for (int native = 0; native < 2; native++) {
        TestCloth f;
        ToileFabric fabric = fabric_of(&settings[4]);
        set_up(&f, &fabric, false, native == 1, TOILE_PATTERN_METRIC, test_random(111));
        TlPoint at = test_still(&f);
        test_hessian_is_exact(&f.elements, &at, 1e-5, SHARP_DIFFERENCE);
        test_cloth_free(&f);
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

/* The viscous elements of a model. */
static TlElements viscous_of(const TlModel *model) {
    return tl_bend_viscous(model, kind_of(model));
}

/* Runs a check over all settings and both forms of damping. */
static void for_all_damped(uint64_t seed, void (*check)(TestCloth *, const TlElements *)) {
    TestRandom random = test_random(seed);
    for (int i = 0; i < 4 * SETTINGS; i++) {
        TestCloth f;
        const Setting *s = &settings[i / 4];
        ToileFabric fabric = damped_fabric(s, (ToileBendDamping)(i / 2 % 2));
        set_up(&f, &fabric, s->map, i % 2 == 1, TOILE_PATTERN_METRIC, random);
        TlElements viscous = viscous_of(&f.model.model);
        check(&f, &viscous);
        random = test_cloth_free(&f);
    }
}

static void check_step(TestCloth *f, const TlElements *viscous) {
    TlPoint at = test_stepping(f), still = test_still(f);
    test_gradient(viscous, &at, f->grad);
    ASSERT_BELOW(test_gradient_error(viscous, &at, f->grad, 1e-5), SHARP_DIFFERENCE);
    test_hessian_is_positive(viscous, &at);
    /* at the start of a step nothing is left out */
    test_hessian_is_exact(viscous, &(TlPoint){f->x, f->x, 0.01}, 1e-5, SHARP_DIFFERENCE);
    /* without a step there is no damping */
    ck_assert_double_eq(test_value(viscous, &still), 0.0);
    test_gradient(viscous, &still, f->grad);
    ck_assert_double_eq(test_largest(f->grad, f->n), 0.0);
}

START_TEST(viscous_derivatives_are_those_of_the_potential) {
    for_all_damped(121, check_step);
}
END_TEST

static void check_damping(TestCloth *f, const TlElements *viscous) {
    test_damping_takes_power(viscous, f->x, 5.0, &f->random);
    test_damping_is_a_limit(viscous, f->x, 1e-5, 100.0, &f->random);
}

START_TEST(viscous_forces_keep_momentum_and_spare_rigid_motion) {
    for_all_damped(122, check_damping);
}
END_TEST

/* a turn of any size within one step is not damped by the scalar form */
static void check_turn(TestCloth *f, const TlElements *viscous) {
    static const double axis[3] = {0.3, 1.1, -0.6}, shift[3] = {1, 2, 3};
    if (f->fabric.bend_damping_model != TOILE_BEND_DAMPING_SCALAR) {
        return;
    }
    double *moved = test_moved(f->x, VERTICES, axis, shift);
    TlPoint damped = test_stepping(f), rigid = {moved, f->x, 0.01};
    test_gradient(viscous, &damped, f->grad);
    double scale = test_largest(f->grad, f->n);
    test_gradient(viscous, &rigid, f->grad);
    ASSERT_BELOW(test_largest(f->grad, f->n), 10 * ROUNDING * scale);
    free(moved);
}

START_TEST(viscous_scalar_spares_finite_turns) {
    for_all_damped(124, check_turn);
}
END_TEST

/* nothing to do without a viscosity, and one row suffices without projection */
START_TEST(viscous_elements_are_made_only_where_needed) {
    TestCloth f;
    ToileFabric fabric = fabric_of(&settings[0]);
    set_up(&f, &fabric, false, false, TOILE_PATTERN_METRIC, test_random(125));
    for (int32_t kind = 0; kind < TL_HINGE_KINDS; kind++) {
        ck_assert_int_eq(tl_bend_viscous(&f.model.model, (TlHingeKind)kind).count, 0);
    }
    TestRandom random = test_cloth_free(&f);
    for (int32_t damping = 0; damping < 2; damping++) {
        fabric = damped_fabric(&settings[0], (ToileBendDamping)damping);
        set_up(&f, &fabric, false, false, TOILE_PATTERN_METRIC, random);
        TlElements viscous = viscous_of(&f.model.model);
        ck_assert_int_eq(viscous.count, f.elements.count);
        ck_assert_int_eq(viscous.hessian, damping == 1 ? 3 : 1);
        test_cloth_free(&f);
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
          hinges_curved_rest_without_pattern_has_no_force,
          hinges_derivatives_momentum_and_positive_hessian,
          hinges_ignore_rigid_motion_and_numbering, hinges_paper_scale_is_a_third,
          hinges_dihedral_hessian_is_exact_but_for_its_negative_part,
          hinges_dihedral_hessian_is_exact_at_rest, hinges_law_hessian_is_exact,
          viscous_derivatives_are_those_of_the_potential,
          viscous_forces_keep_momentum_and_spare_rigid_motion, viscous_scalar_spares_finite_turns,
          viscous_elements_are_made_only_where_needed,
          viscous_projection_survives_a_collapsed_hinge, pair_state_matches_published_numbers,
          pair_rest_curvature_matches_published_numbers, pair_viscosity_matches_published_numbers,
          pair_angle_models_match_published_numbers, pair_angle_models_damp_the_angle,
          pair_angle_damping_goes_on_through_half_a_turn, grid_energies_match_published_numbers,
          grid_of_quads_bends_like_triangles_along_its_lines)
