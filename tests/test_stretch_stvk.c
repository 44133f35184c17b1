/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* St. Venant-Kirchhoff triangles: rest, derivatives, momentum, invariance, projection, directions,
 * strain-rate damping and the laws of compression; and the patch test of triangles and quads
 * together. */
#include "force/stretch_quad.h"
#include "force/stretch_stvk.h"
#include "rest/compression.h"
#include "support/laws.h"
#include "support/properties.h"

#include <stdlib.h>
#include <string.h>

enum { LOOPS = 5 };

/* A jittered patch in a random state. */
static void set_up(TestCloth *f, TestRandom random, Law law, double amplitude, double damping_s) {
    *f = (TestCloth){.random = random, .fabric = law_fabric(law), .pattern = TOILE_PATTERN_METRIC};
    f->fabric.stretch_damping_s = damping_s;
    f->mesh = test_jittered(3, 3, &f->random);
    test_cloth(f, tl_stretch_stvk, amplitude);
}

START_TEST(stretch_zero_force_at_rest) {
    TestCloth f;
    set_up(&f, test_random(1), LAW_PLAIN, 0.0, 0.0);
    test_rest_is_free(&f, 1000.0);
    test_cloth_free(&f);
}
END_TEST

/* Laws have kinks in their second derivatives, which spoil the order of differences, not the limit.
 */
START_TEST(stretch_derivatives_momentum_and_positive_hessian) {
    TestRandom random = test_random(2);
    for (int i = 0; i < LOOPS * LAWS; i++) {
        TestCloth f;
        set_up(&f, random, (Law)(i % LAWS), 0.1 * (i / LAWS + 1), 0.02);
        const TlPoint points[2] = {test_still(&f), test_stepping(&f)};
        for (int k = 0; k < 2; k++) {
            test_gradient_is_exact(&f.elements, &points[k], i % LAWS == LAW_PLAIN ? 0.01 : 0.0);
            /* arms reach about ten units from the origin */
            test_momentum_is_kept(&f.elements, &points[k], 10.0);
            test_hessian_is_positive(&f.elements, &points[k]);
        }
        random = test_cloth_free(&f);
    }
}
END_TEST

START_TEST(stretch_energy_ignores_rigid_motion_and_numbering) {
    for (int law = 0; law < LAWS; law++) {
        TestCloth f;
        set_up(&f, test_random(5), (Law)law, 0.3, 0.0);
        test_rigid_motion_is_free(&f.elements, f.x, 1.0);
        test_numbering_is_free(&f);
        test_cloth_free(&f);
    }
}
END_TEST

/* with damping too, when all stresses, damping included, are tensile */
START_TEST(stretch_hessian_is_exact_under_tension) {
    TestCloth f;
    set_up(&f, test_random(8), LAW_PLAIN, 0.02, 0.02);
    memcpy(f.start, f.x, sizeof(double) * (size_t)f.n);
    for (int32_t i = 0; i < f.n; i++) {
        f.x[i] *= 1.3;
    }
    const TlPoint points[2] = {test_still(&f), test_stepping(&f)};
    for (int k = 0; k < 2; k++) {
        test_hessian_is_exact(&f.elements, &points[k], 1e-5, DIFFERENCE);
    }
    test_cloth_free(&f);
}
END_TEST

/* A tension field has no compressive stress to clamp, so its Hessian is exact in any state. */
START_TEST(stretch_hessian_of_a_tension_field_is_exact) {
    TestRandom random = test_random(15);
    for (int i = 0; i < LOOPS; i++) {
        TestCloth f;
        set_up(&f, random, LAW_TENSION_FIELD, 0.3, 0.0);
        TlPoint at = test_still(&f);
        test_hessian_is_exact(&f.elements, &at, 1e-6, 1e-7);
        random = test_cloth_free(&f);
    }
}
END_TEST

/* A finite rotation within one step strains nothing, so damping adds no force and no energy. */
START_TEST(stretch_damping_takes_power_and_spares_rigid_motion) {
    TestRandom random = test_random(16);
    for (int i = 0; i < LOOPS * LAWS; i++) {
        TestCloth f;
        set_up(&f, random, (Law)(i % LAWS), 0.3, 0.05);
        test_damping_takes_power(&f.elements, f.x, 10.0, &f.random);
        test_rigid_step_is_free(&f.elements, f.x);
        test_damping_is_a_limit(&f.elements, f.x, 2e-6, 50.0, &f.random);
        random = test_cloth_free(&f);
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
    ToileFabric fabric = law_fabric(law);
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

/* A law that changes nothing answers what the plain path does, in the same energy of two cloths. */
START_TEST(stretch_cloths_of_a_model_keep_their_fabrics) {
    TestMesh mesh = test_grid(3, 1, 3, 1, TEST_DIAGONAL_SINGLE);
    ToileFabric fabrics[2] = {law_fabric(LAW_PLAIN), law_fabric(LAW_TENSION_FIELD)};
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
        TestMesh mesh = test_mixed(4, 4, &random);
        ToileFabric fabric = law_fabric(LAW_PLAIN);
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
        TestMesh mesh = test_mixed(4, 4, &random);
        Law law = loop < 4 ? LAW_TENSION_FIELD : LAW_FACTOR;
        ToileFabric fabric = law_fabric(law);
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

TEST_MAIN("stretch_stvk", stretch_zero_force_at_rest,
          stretch_derivatives_momentum_and_positive_hessian,
          stretch_energy_ignores_rigid_motion_and_numbering, stretch_hessian_is_exact_under_tension,
          stretch_hessian_of_a_tension_field_is_exact,
          stretch_damping_takes_power_and_spares_rigid_motion,
          stretch_stiffness_follows_weft_and_warp, stretch_larger_principal_stretch_is_reported,
          compression_stress_and_tangent_are_those_of_the_energy,
          compression_stress_is_continuous_at_the_switches, compression_known_energies,
          stretch_cloths_of_a_model_keep_their_fabrics, stretch_patch_test_on_mixed_meshes,
          stretch_patch_test_holds_for_laws_of_compression)
