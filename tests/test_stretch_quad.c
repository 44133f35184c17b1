/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Bilinear quads: known answers, rest shapes, frames, derivatives, momentum,
 * invariance, projection, damping and the laws of compression at quadrature points. */
#include "force/stretch_quad.h"
#include "support/known_quads.h"
#include "support/laws.h"
#include "support/properties.h"

#include <stdlib.h>
#include <string.h>

enum { LOOPS = 5 };

/* the numbers of PHYSICS have this many digits */
#define KNOWN 1e-9

/* ---- known answers ---- */

/* One quad with a fabric, and its elements. */
typedef struct OneQuad {
    TestMesh mesh;
    TestModel model;
    TlElements elements;
} OneQuad;

/* A quad with corners at `rest` and uvs, the face starting at corner `shift`. */
static void make_quad(OneQuad *quad, const double rest[12], const double *uv, ToilePattern pattern,
                      int32_t shift, const ToileFabric *fabric) {
    quad->mesh = test_grid(1, 1, 1, 1, TEST_DIAGONAL_NONE);
    memcpy(quad->mesh.positions, rest, 12 * sizeof(double));
    if (uv != NULL) {
        memcpy(quad->mesh.uvs, uv, 8 * sizeof(double));
    }
    for (int32_t k = 0; k < 4; k++) {
        quad->mesh.corners[k] = quad->mesh.corner_uvs[k] = (k + shift) % 4;
    }
    test_model_with(&quad->mesh, fabric, pattern, true, NULL, NULL, &quad->model);
    quad->elements = tl_stretch_quad(&quad->model.model);
    ck_assert_int_eq(quad->elements.count, 1);
}

static void free_quad(OneQuad *quad) {
    test_model_free(&quad->model);
    test_mesh_free(&quad->mesh);
}

static void make_known(OneQuad *quad, const Known *k, int32_t gauss_points) {
    ToileFabric fabric =
        test_fabric(k->constants[0], k->constants[1], k->constants[2], k->constants[3], 0.0);
    fabric.gauss_points = gauss_points;
    make_quad(quad, k->rest, k->uv, k->has_uv ? TOILE_PATTERN_ORIENTATION : TOILE_PATTERN_NONE, 0,
              &fabric);
}

START_TEST(quad_energy_is_known_for_every_order) {
    for (int i = 0; i < KNOWN_COUNT; i++) {
        TlPoint at = {known[i].p, NULL, 0.0};
        double error = HUGE_VAL;
        for (int n = 0; n < ORDERS; n++) {
            OneQuad quad;
            make_known(&quad, &known[i], orders[n]);
            double energy = test_value(&quad.elements, &at);
            ASSERT_RELATIVE(energy, known[i].energy[n], KNOWN);
            ck_assert_msg(fabs(energy - known[i].converged) <= error, "%s: order %d is no better",
                          known[i].name, (int)orders[n]);
            /* below this the errors are rounding */
            error = fmax(fabs(energy - known[i].converged), 1e-12);
            free_quad(&quad);
        }
        OneQuad quad;
        make_known(&quad, &known[i], 12);
        ASSERT_RELATIVE(test_value(&quad.elements, &at), known[i].converged, KNOWN);
        free_quad(&quad);
    }
}
END_TEST

START_TEST(quad_stiffness_strain_and_gradient_are_known) {
    for (int i = 0; i < KNOWN_COUNT; i++) {
        const Known *k = &known[i];
        OneQuad quad;
        make_known(&quad, k, 3);
        TlQuadDetail detail = tl_stretch_quad_detail(&quad.model.model, k->p, 0);
        TlPoint at = {k->p, NULL, 0.0};
        double grad[12], largest = test_largest(detail.Khat, 49), total = 0.0;
        for (int j = 0; j < 49; j++) {
            double want = k->Khat[j / 7][j % 7];
            ASSERT_NEAR(detail.Khat[j], want, fmax(KNOWN * fabs(want), 1e-12 * largest));
            ck_assert(detail.Khat[j] == detail.Khat[j % 7 * 7 + j / 7]);
        }
        for (int j = 0; j < 7; j++) {
            ASSERT_NEAR(detail.strain_hat[j], k->strain_hat[j], 1e-14);
        }
        for (int j = 0; j < 49; j++) {
            total += 0.5 * detail.strain_hat[j / 7] * detail.Khat[j] * detail.strain_hat[j % 7];
        }
        ASSERT_RELATIVE(total, k->energy[2], KNOWN);
        ASSERT_RELATIVE(detail.energy_J, k->energy[2], KNOWN);
        ASSERT_RELATIVE(detail.psd_trace, k->psd_trace, KNOWN);
        test_gradient(&quad.elements, &at, grad);
        for (int j = 0; j < 12; j++) {
            ASSERT_RELATIVE(grad[j], k->gradient[j], KNOWN);
        }
        free_quad(&quad);
    }
}
END_TEST

/* The Hessian without projection: the gradient is a cubic polynomial, for which this difference is
 * exact. */
static void full_hessian(const TlElements *elements, const double *x, int32_t n, double *hess) {
    static const double step = 0.25, weight[2] = {2.0 / 3.0, -1.0 / 12.0};
    double *moved = test_alloc(sizeof(double) * (size_t)n),
           *grad = test_alloc(sizeof(double) * (size_t)n);
    TlPoint at = {moved, NULL, 0.0};
    memset(hess, 0, sizeof(double) * (size_t)(n * n));
    memcpy(moved, x, sizeof(double) * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        for (int s = -2; s <= 2; s++) {
            if (s == 0) {
                continue;
            }
            moved[i] = x[i] + s * step;
            test_gradient(elements, &at, grad);
            for (int32_t j = 0; j < n; j++) {
                hess[j * n + i] += (s < 0 ? -1 : 1) * weight[abs(s) - 1] * grad[j] / step;
            }
        }
        moved[i] = x[i];
    }
    free(moved);
    free(grad);
}

static double least_of(const double *values, int32_t count) {
    double least = values[0];
    for (int32_t i = 1; i < count; i++) {
        least = fmin(least, values[i]);
    }
    return least;
}

static int32_t rank_of(double *matrix, int32_t n) {
    double values[12];
    int32_t rank = 0;
    ck_assert_int_le(n, 12);
    test_eigenvalues(matrix, n, values);
    for (int32_t i = 0; i < n; i++) {
        rank += values[i] > 1e-9 * test_largest(values, n);
    }
    return rank;
}

START_TEST(quad_hessian_eigenvalue_and_rank_are_known) {
    for (int i = 0; i < KNOWN_COUNT; i++) {
        const Known *k = &known[i];
        OneQuad quad;
        make_known(&quad, k, 3);
        double hess[144], values[12];
        full_hessian(&quad.elements, k->p, 12, hess);
        test_eigenvalues(hess, 12, values);
        ASSERT_NEAR(least_of(values, 12), k->least_eigenvalue,
                    fmax(KNOWN * fabs(k->least_eigenvalue), 1e-13 * test_largest(values, 12)));
        TlPoint rest = {quad.mesh.positions, NULL, 0.0};
        test_hessian(&quad.elements, &rest, hess);
        ck_assert_int_eq(rank_of(hess, 12), k->rank);
        /* and its stiffness has the null space of the rest strain alone */
        TlQuadDetail detail = tl_stretch_quad_detail(&quad.model.model, k->p, 0);
        ck_assert_int_eq(rank_of(detail.Khat, 7), 6);
        free_quad(&quad);
        /* one point leaves the two hourglass modes of the plane free */
        make_known(&quad, k, 1);
        rest.x = quad.mesh.positions;
        test_hessian(&quad.elements, &rest, hess);
        ck_assert_int_eq(rank_of(hess, 12), 3);
        free_quad(&quad);
    }
}
END_TEST

/* PHYSICS 6.4: a grid of 8 x 4 cells of 0.125 under a smooth map. */
START_TEST(quad_energy_of_a_mesh_is_known) {
    TestMesh mesh = test_grid(8, 4, 1.0, 0.5, TEST_DIAGONAL_NONE);
    double *x = test_alloc(3 * sizeof(double) * (size_t)mesh.vertex_count);
    for (int32_t i = 0; i < mesh.vertex_count; i++) {
        double u = mesh.positions[3 * i], v = mesh.positions[3 * i + 1];
        x[3 * i] = 1.05 * u + 0.1 * u * v;
        x[3 * i + 1] = 0.97 * v + 0.05 * u * u;
        x[3 * i + 2] = 0.3 * u * u - 0.2 * u * v + 0.1 * v * v;
    }
    for (int points = 3; points <= 6; points += 3) {
        ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0.0);
        TestModel model;
        fabric.gauss_points = points;
        test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
        TlElements elements = tl_stretch_quad(&model.model);
        TlPoint at = {x, NULL, 0.0};
        ASSERT_RELATIVE(test_value(&elements, &at), 4.90392985952, KNOWN);
        test_model_free(&model);
    }
    free(x);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- random states ---- */

/* A mixed patch with the quads' elements in a random state. */
static void set_up(TestCloth *f, TestRandom random, Law law, double amplitude, double damping_s) {
    *f = (TestCloth){.random = random,
                     .fabric = law_fabric(law),
                     .pattern = TOILE_PATTERN_ORIENTATION,
                     .native = true};
    f->fabric.stretch_damping_s = damping_s;
    f->mesh = test_mixed(3, 3, &f->random);
    test_cloth(f, tl_stretch_quad, amplitude);
    ck_assert_int_gt(f->elements.count, 1);
    ck_assert_int_gt(f->model.model.sets.triangles.count, 1);
}

/* ---- rest ---- */

/* Any rest shape, planar or not, is at rest to the bit. */
START_TEST(quad_zero_force_at_rest_is_exact) {
    TestRandom random = test_random(23);
    for (int law = 0; law < LAWS; law++) {
        TestMesh mesh = test_mixed(4, 3, &random);
        for (int32_t v = 0; v < mesh.vertex_count; v++) {
            mesh.positions[3 * v + 2] = test_between(&random, -0.3, 0.3);
        }
        ToileFabric fabric = law_fabric((Law)law);
        TestModel model;
        test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
        TlElements elements = tl_stretch_quad(&model.model);
        double *grad = test_alloc(3 * sizeof(double) * (size_t)mesh.vertex_count);
        TlPoint at = {mesh.positions, NULL, 0.0};
        test_gradient(&elements, &at, grad);
        ck_assert_int_gt(elements.count, 2);
        ck_assert(test_largest(grad, 3 * mesh.vertex_count) == 0.0);
        ck_assert(test_value(&elements, &at) == 0.0);
        free(grad);
        test_model_free(&model);
        test_mesh_free(&mesh);
    }
}
END_TEST

START_TEST(quad_zero_force_at_a_moved_rest) {
    TestCloth f;
    set_up(&f, test_random(24), LAW_PLAIN, 0.0, 0.0);
    test_rest_is_free(&f, 1000.0);
    test_cloth_free(&f);
}
END_TEST

/* ---- frames ---- */

static const double skew[12] = {0, 0, 0, 1.1, 0.1, 0.05, 1.0, 0.9, -0.1, 0.1, 0.8, 0.1};
static const double skew_uv[8] = {0.1, 0, 1.0, 0.3, 0.7, 1.2, -0.1, 0.8};
static const double skew_x[12] = {0, 0, 0.1, 1.2, 0.2, 0, 0.9, 1.1, 0.2, -0.1, 0.9, 0.1};

static double skew_energy(const double uv[8], ToilePattern pattern, int32_t shift,
                          const ToileFabric *fabric) {
    OneQuad quad;
    make_quad(&quad, skew, uv, pattern, shift, fabric);
    TlPoint at = {skew_x, NULL, 0.0};
    double energy = test_value(&quad.elements, &at);
    free_quad(&quad);
    return energy;
}

START_TEST(quad_uvs_give_orientation_only) {
    ToileFabric fabric = law_fabric(LAW_PLAIN);
    double scaled[8], turned[8];
    for (int i = 0; i < 8; i++) {
        scaled[i] = 37.5 * skew_uv[i] - 5.0;
        turned[i] = skew_uv[i / 2 * 2 + 1 - i % 2] * (i % 2 ? 1 : -1);
    }
    double energy = skew_energy(skew_uv, TOILE_PATTERN_ORIENTATION, 0, &fabric);
    ASSERT_RELATIVE(skew_energy(scaled, TOILE_PATTERN_ORIENTATION, 0, &fabric), energy, ROUNDING);
    /* turned by 90 degrees is another fabric: weft and warp change places */
    ck_assert(fabs(skew_energy(turned, TOILE_PATTERN_ORIENTATION, 0, &fabric) / energy - 1) > 0.05);
    ToileFabric swapped = test_fabric(600, 1000, 150, 0.18, 0.01);
    ToileFabric straight = test_fabric(1000, 600, 150, 0.3, 0.01);
    /* for constant directions exactly: a quad whose uvs are its coordinates */
    static const double plane[12] = {0, 0, 0, 1, 0, 0, 0.9, 0.8, 0, 0.2, 0.7, 0};
    double flat[8], across[8];
    for (int k = 0; k < 4; k++) {
        flat[2 * k] = across[2 * k + 1] = plane[3 * k];
        flat[2 * k + 1] = plane[3 * k + 1];
        across[2 * k] = -plane[3 * k + 1];
    }
    OneQuad a;
    make_quad(&a, plane, flat, TOILE_PATTERN_ORIENTATION, 0, &straight);
    OneQuad b;
    make_quad(&b, plane, across, TOILE_PATTERN_ORIENTATION, 0, &swapped);
    TlPoint at = {skew_x, NULL, 0.0};
    ASSERT_RELATIVE(test_value(&a.elements, &at), test_value(&b.elements, &at), ROUNDING);
    free_quad(&a);
    free_quad(&b);
}
END_TEST

/* A mirrored panel is the same fabric seen from behind; an orthotropic one is its own mirror image.
 */
START_TEST(quad_mirrored_uvs_change_nothing) {
    ToileFabric fabric = law_fabric(LAW_PLAIN);
    double mirrored[8];
    for (int i = 0; i < 8; i++) {
        mirrored[i] = skew_uv[i] * (i % 2 ? 1 : -1);
    }
    for (int p = 0; p < 2; p++) {
        ToilePattern pattern = p == 0 ? TOILE_PATTERN_ORIENTATION : TOILE_PATTERN_METRIC;
        ASSERT_RELATIVE(skew_energy(mirrored, pattern, 0, &fabric),
                        skew_energy(skew_uv, pattern, 0, &fabric), ROUNDING);
    }
}
END_TEST

START_TEST(quad_metric_uvs_are_the_rest_shape) {
    ToileFabric fabric = law_fabric(LAW_PLAIN);
    OneQuad quad;
    make_quad(&quad, skew, skew_uv, TOILE_PATTERN_METRIC, 0, &fabric);
    static const double axis[3] = {0.5, -1.2, 0.8}, shift[3] = {2, 1, -3};
    double flat[12] = {0}, *x;
    for (int k = 0; k < 8; k++) {
        flat[k / 2 * 3 + k % 2] = skew_uv[k];
    }
    x = test_moved(flat, 4, axis, shift);
    TlPoint at = {x, NULL, 0.0}, away = {skew, NULL, 0.0};
    ASSERT_BELOW(test_value(&quad.elements, &at), 1e-25);
    ck_assert(test_value(&quad.elements, &away) > 1.0);
    /* half the diagonals' cross product */
    double d[4] = {flat[6] - flat[0], flat[7] - flat[1], flat[9] - flat[3], flat[10] - flat[4]};
    ASSERT_RELATIVE(quad.model.model.sets.quads.area[0], 0.5 * (d[0] * d[3] - d[1] * d[2]),
                    ROUNDING);
    free(x);
    free_quad(&quad);
}
END_TEST

/* With uvs for any fabric, without uvs for an isotropic one: only then is weft the first edge. */
START_TEST(quad_first_corner_does_not_matter) {
    ToileFabric fabric = law_fabric(LAW_PLAIN), isotropic = law_fabric(LAW_TENSION_FIELD);
    isotropic.compression = TOILE_COMPRESSION_FACTOR;
    double with = skew_energy(skew_uv, TOILE_PATTERN_ORIENTATION, 0, &fabric);
    double metric = skew_energy(skew_uv, TOILE_PATTERN_METRIC, 0, &fabric);
    double none = skew_energy(skew_uv, TOILE_PATTERN_NONE, 0, &isotropic);
    for (int32_t shift = 1; shift < 4; shift++) {
        ASSERT_RELATIVE(skew_energy(skew_uv, TOILE_PATTERN_ORIENTATION, shift, &fabric), with,
                        ROUNDING);
        ASSERT_RELATIVE(skew_energy(skew_uv, TOILE_PATTERN_METRIC, shift, &fabric), metric,
                        ROUNDING);
        ASSERT_RELATIVE(skew_energy(skew_uv, TOILE_PATTERN_NONE, shift, &isotropic), none,
                        ROUNDING);
    }
    ck_assert(fabs(skew_energy(skew_uv, TOILE_PATTERN_NONE, 1, &fabric) /
                       skew_energy(skew_uv, TOILE_PATTERN_NONE, 0, &fabric) -
                   1) > 0.01);
}
END_TEST

START_TEST(quad_not_convex_becomes_two_triangles) {
    TestMesh mesh = test_grid(2, 1, 2, 1, TEST_DIAGONAL_NONE);
    ToileFabric fabric = law_fabric(LAW_PLAIN);
    TestModel model;
    mesh.positions[3 * 5] = 1.2; /* the far corner of the second cell, into it */
    mesh.positions[3 * 5 + 1] = 0.2;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
    ck_assert_int_eq(model.model.sets.quads.count, 1);
    ck_assert_int_eq(model.model.sets.triangles.count, 2);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- derivatives ---- */

/* Laws have kinks in their second derivatives, which spoil the order of differences, not the limit.
 */
START_TEST(quad_derivatives_momentum_and_positive_hessian) {
    TestRandom random = test_random(25);
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

START_TEST(quad_energy_ignores_rigid_motion_and_numbering) {
    for (int law = 0; law < LAWS; law++) {
        TestCloth f;
        set_up(&f, test_random(27), (Law)law, 0.3, 0.0);
        test_rigid_motion_is_free(&f.elements, f.x, 1.0);
        test_numbering_is_free(&f);
        test_cloth_free(&f);
    }
}
END_TEST

/* Quads are computed side by side; which ones share a pass must not change a bit. */
START_TEST(quad_ranges_change_no_bit) {
    TestRandom random = test_random(29);
    for (int law = 0; law < LAWS; law++) {
        TestCloth f;
        set_up(&f, random, (Law)law, 0.3, 0.02);
        int32_t count = f.elements.count;
        size_t grad_size = 12 * sizeof(double) * (size_t)count,
               hess_size = 90 * sizeof(double) * (size_t)count;
        double *grad = test_alloc(grad_size), *hess = test_alloc(hess_size), total = 0.0;
        double *grad2 = test_alloc(grad_size), *hess2 = test_alloc(hess_size);
        TlPoint at = {f.x, f.start, 0.01};
        f.elements.derive(&f.model.model, &at, 0, count, grad, hess);
        for (int32_t q = 0; q < count;) {
            int32_t end = q + 1 + test_below(&f.random, 3);
            end = end < count ? end : count;
            f.elements.derive(&f.model.model, &at, q, end, grad2, hess2);
            q = end;
        }
        ck_assert_mem_eq(grad, grad2, grad_size);
        ck_assert_mem_eq(hess, hess2, hess_size);
        for (int32_t q = 0; q < count; q++) {
            total += f.elements.value(&f.model.model, &at, q, q + 1);
        }
        ck_assert(total == test_value(&f.elements, &at));
        /* without Hessian the same gradient */
        f.elements.derive(&f.model.model, &at, 0, count, grad2, NULL);
        ck_assert_mem_eq(grad, grad2, grad_size);
        free(grad);
        free(grad2);
        free(hess);
        free(hess2);
        random = test_cloth_free(&f);
    }
}
END_TEST

/* ---- projection ---- */

START_TEST(quad_hessian_is_exact_under_tension) {
    for (int law = 0; law < LAW_TENSION_FIELD; law++) {
        TestCloth f;
        set_up(&f, test_random(31), (Law)law, 0.02, 0.02);
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
}
END_TEST

/* A tension field has no compressive stress to clamp, so its Hessian is exact in any state. */
START_TEST(quad_hessian_of_a_tension_field_is_exact) {
    TestRandom random = test_random(32);
    for (int i = 0; i < LOOPS; i++) {
        TestCloth f;
        set_up(&f, random, LAW_TENSION_FIELD, 0.3, 0.0);
        TlPoint at = test_still(&f);
        test_hessian_is_exact(&f.elements, &at, 1e-6, 1e-7);
        random = test_cloth_free(&f);
    }
}
END_TEST

/* c = a b of 3 x 3 matrices */
static void product3(const double a[9], const double b[9], double c[9]) {
    for (int i = 0; i < 9; i++) {
        c[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[3 + i % 3] +
               a[i / 3 * 3 + 2] * b[6 + i % 3];
    }
}

/* The projected Hessian differs from the full one by (W^T N W) (x) I, N the negative part of S3:
 * N = S+ - S3 with S+ and N positive and S+ N = 0. */
static void check_clamp(const OneQuad *quad, const double *x) {
    static const double W[3][4] = {{-0.5, 0.5, 0.5, -0.5}, {-0.5, -0.5, 0.5, 0.5}, {1, -1, 1, -1}};
    static const double square[3] = {1, 1, 4}; /* W W^T */
    double full[144], clamped[144], s[6] = {0}, N[9] = {0}, plus[9], zero[9], values[3];
    TlPoint at = {x, NULL, 0.0};
    TlQuadDetail detail = tl_stretch_quad_detail(&quad->model.model, x, 0);
    full_hessian(&quad->elements, x, 12, full);
    test_hessian(&quad->elements, &at, clamped);
    for (int i = 0; i < 42; i++) {
        s[i / 7] += detail.Khat[i] * detail.strain_hat[i % 7];
    }
    const double S[9] = {s[0], s[2], s[3], s[2], s[1], s[4], s[3], s[4], s[5]};
    double scale = fmax(test_largest(clamped, 144), test_largest(full, 144)),
           stress = test_largest(S, 9);
    for (int i = 0; i < 144; i++) {
        int a = i / 12, b = i % 12;
        double difference = clamped[i] - full[i];
        for (int j = 0; a % 3 == 0 && b % 3 == 0 && j < 9; j++) {
            N[j] +=
                W[j / 3][a / 3] * difference * W[j % 3][b / 3] / (square[j / 3] * square[j % 3]);
        }
        if (a % 3 != b % 3) {
            ASSERT_BELOW(difference, ROUNDING * scale);
        }
    }
    for (int i = 0; i < 9; i++) {
        plus[i] = S[i] + N[i];
    }
    product3(plus, N, zero);
    ASSERT_BELOW(test_largest(zero, 9), 10 * ROUNDING * (stress + ROUNDING * scale) * scale);
    test_eigenvalues(plus, 3, values);
    ck_assert_msg(least_of(values, 3) >= -ROUNDING * scale, "S+ has %g", least_of(values, 3));
    test_eigenvalues(N, 3, values);
    ck_assert_msg(least_of(values, 3) >= -ROUNDING * scale, "N has %g", least_of(values, 3));
}

START_TEST(quad_clamp_is_the_positive_part_of_the_stress) {
    TestRandom random = test_random(33);
    ToileFabric fabric = law_fabric(LAW_PLAIN);
    OneQuad quad;
    make_quad(&quad, skew, skew_uv, TOILE_PATTERN_ORIENTATION, 0, &fabric);
    for (int loop = 0; loop < 200; loop++) {
        double x[12], amplitude = loop % 4 == 0 ? 1e-6 : 0.1 * (loop % 4);
        for (int i = 0; i < 12; i++) {
            x[i] = skew[i] + test_between(&random, -amplitude, amplitude);
        }
        check_clamp(&quad, x);
    }
    /* at rest without stress, stretched and compressed as a whole, folded to a line and a point */
    static const double sizes[][3] = {{1, 1, 1}, {1.2, 1.2, 1.2}, {0.8, 0.8, 0.8}, {1, 0, 0},
                                      {0, 0, 0}, {1, 1, 0},       {3, 0.01, 1}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        double x[12];
        for (int i = 0; i < 12; i++) {
            x[i] = sizes[k][i % 3] * skew[i];
        }
        check_clamp(&quad, x);
    }
    free_quad(&quad);
    /* a square with equal stresses: double and triple eigenvalues */
    static const double square[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    ToileFabric isotropic = test_fabric(1000, 1000, 500, 0.0, 0.0);
    make_quad(&quad, square, NULL, TOILE_PATTERN_NONE, 0, &isotropic);
    for (int k = 0; k <= 8; k++) {
        double x[12];
        for (int i = 0; i < 12; i++) {
            x[i] = (0.8 + 0.05 * k) * square[i];
        }
        check_clamp(&quad, x);
        x[2] = x[8] = 0.4; /* and twisted out of the plane */
        check_clamp(&quad, x);
    }
    free_quad(&quad);
}
END_TEST

/* ---- damping ---- */

/* A finite rotation within one step strains nothing, so damping adds no force and no energy. */
START_TEST(quad_damping_takes_power_and_spares_rigid_motion) {
    TestRandom random = test_random(35);
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

START_TEST(quad_slack_cloth_is_not_damped) {
    TestMesh mesh = test_grid(2, 2, 2, 2, TEST_DIAGONAL_NONE);
    ToileFabric fabric = law_fabric(LAW_TENSION_FIELD);
    fabric.stretch_damping_s = 0.1;
    TestModel model;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
    TlElements elements = tl_stretch_quad(&model.model);
    double x[27], v[27], grad[27];
    for (int i = 0; i < 27; i++) {
        x[i] = 0.8 * mesh.positions[i];
        v[i] = mesh.positions[i];
    }
    test_damping(&elements, x, v, grad);
    ck_assert(test_largest(grad, 27) == 0.0);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- laws of compression ---- */

/* A strip drawn along its weft and free or crushed across it carries E e^2 / 2 per area. */
START_TEST(quad_tension_field_is_uniaxial_when_wrinkled) {
    static const double across[4] = {0.967987603226405, 0.9, 0.5, 0.1};
    TestMesh mesh = test_grid(3, 2, 3, 2, TEST_DIAGONAL_NONE);
    ToileFabric fabric = law_fabric(LAW_TENSION_FIELD);
    TestModel model;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
    TlElements elements = tl_stretch_quad(&model.model);
    for (int k = 0; k < 4; k++) {
        const double F[3][2] = {{1.1, 0}, {0, across[k]}, {0, 0}};
        double *x = mapped(&mesh, F), grad[36];
        TlPoint at = {x, NULL, 0.0};
        ASSERT_RELATIVE(test_value(&elements, &at), 6 * 0.5 * 1000 * 0.105 * 0.105, ROUNDING);
        test_gradient(&elements, &at, grad);
        /* PK1 = lambda E e over a height of 2 at the right side, nothing across */
        double pull = grad[3 * 3] + grad[3 * 7] + grad[3 * 11], push = 0.0;
        for (int v = 0; v < 12; v++) {
            push = fmax(push, fabs(grad[3 * v + 1]));
        }
        ASSERT_RELATIVE(pull, 2 * 1.1 * 1000 * 0.105, ROUNDING);
        ASSERT_BELOW(push, k == 0 ? 1e-9 : ROUNDING * pull);
        free(x);
    }
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* Along a path through the states of a quad, energy and force go on without a jump. */
START_TEST(quad_laws_pass_their_switches_smoothly) {
    for (int law = LAW_FACTOR; law < LAWS; law++) {
        ToileFabric fabric = law_fabric((Law)law);
        OneQuad quad;
        make_quad(&quad, skew, skew_uv, TOILE_PATTERN_ORIENTATION, 0, &fabric);
        enum { STEPS = 4000 };
        double grad[2][12], energy[2] = {0}, work = 0.0, first = 0.0, jump = 0.0;
        double step = 0.4 / STEPS, scale = 1000.0;
        for (int i = 0; i <= STEPS; i++) {
            double x[12], size = 1.2 - step * i;
            for (int k = 0; k < 12; k++) {
                x[k] = size * skew[k];
            }
            TlPoint at = {x, NULL, 0.0};
            energy[i % 2] = test_value(&quad.elements, &at);
            test_gradient(&quad.elements, &at, grad[i % 2]);
            first = i == 0 ? energy[0] : first;
            for (int k = 0; i > 0 && k < 12; k++) {
                work -= 0.5 * step * skew[k] * (grad[0][k] + grad[1][k]);
                jump = fmax(jump, fabs(grad[0][k] - grad[1][k]));
            }
        }
        /* no step changes a force by more than its stiffness allows */
        ASSERT_BELOW(jump, 4.0 * scale * step);
        /* and the work done is the change of energy, to the error of the trapezoid rule */
        ASSERT_NEAR(first + work, energy[STEPS % 2], scale * step * step);
        free_quad(&quad);
    }
}
END_TEST

/* Without compression the laws are the plain fabric to the bit: they use its stiffness. */
START_TEST(quad_taut_law_is_the_plain_law) {
    TestRandom random = test_random(36);
    for (int law = LAW_FACTOR; law < LAWS; law++) {
        TestCloth f;
        set_up(&f, random, (Law)law, 0.05, 0.0);
        ToileFabric plain_fabric = f.fabric;
        plain_fabric.compression = TOILE_COMPRESSION_FACTOR;
        plain_fabric.compression_factor = 1.0;
        TestModel plain;
        test_model_with(&f.mesh, &plain_fabric, TOILE_PATTERN_ORIENTATION, true, NULL, NULL,
                        &plain);
        TlElements elements = tl_stretch_quad(&plain.model);
        for (int32_t i = 0; i < f.n; i++) {
            f.x[i] *= 1.3;
        }
        TlPoint at = {f.x, NULL, 0.0};
        ck_assert(test_value(&elements, &at) == test_value(&f.elements, &at));
        /* and compressed they are softer */
        for (int32_t i = 0; i < f.n; i++) {
            f.x[i] *= 0.9 / 1.3;
        }
        ck_assert(test_value(&f.elements, &at) < 0.6 * test_value(&elements, &at));
        test_model_free(&plain);
        random = test_cloth_free(&f);
    }
}
END_TEST

/* ---- details ---- */

START_TEST(quad_larger_principal_stretch_is_reported) {
    static const double axis[3] = {0.2, 0.5, -1.1}, shift[3] = {1, 0, 0};
    TestRandom random = test_random(37);
    TestMesh mesh = test_mixed(3, 3, &random);
    ToileFabric fabric = toile_fabric_default();
    TestModel model;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
    /* stretched by 1.25 along the diagonal and by 0.9 across it */
    const double F[3][2] = {{1.075, 0.175}, {0.175, 1.075}, {0, 0}};
    double *x = mapped(&mesh, F), *moved = test_moved(x, mesh.vertex_count, axis, shift);
    for (int32_t q = 0; q < model.model.sets.quads.count; q++) {
        ASSERT_RELATIVE(tl_stretch_quad_stretch(&model.model, moved, q), 1.25, ROUNDING);
    }
    free(x);
    free(moved);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* Two cloths of different fabrics in one model, a law in one of them only. */
START_TEST(quad_cloths_of_a_model_keep_their_fabrics) {
    TestMesh mesh = test_grid(3, 1, 3, 1, TEST_DIAGONAL_NONE);
    ToileFabric fabrics[2] = {law_fabric(LAW_PLAIN), law_fabric(LAW_TENSION_FIELD)};
    TestModel parts[2];
    double x[48], sum = 0.0;
    for (int i = 0; i < 48; i++) {
        x[i] = mesh.positions[i % 24] * (i % 3 == 0 ? 1.1 : 0.8) + (i >= 24 ? 5.0 : 0.0);
    }
    for (int i = 0; i < 2; i++) {
        test_model_with(&mesh, &fabrics[i], TOILE_PATTERN_NONE, true, NULL, NULL, &parts[i]);
        TlElements part = tl_stretch_quad(&parts[i].model);
        TlPoint at = {x + 24 * i, NULL, 0.0};
        sum += test_value(&part, &at);
    }
    TlArena arena;
    TlModel model;
    TlRest *rests[2] = {&parts[0].rest, &parts[1].rest};
    TlMaterial materials[2] = {parts[0].material, parts[1].material};
    tl_arena_init(&arena, tl_allocator_or_default(NULL));
    ck_assert(tl_model_build(&arena, rests, materials, 2, &model));
    TlElements both = tl_stretch_quad(&model);
    TlPoint at = {x, NULL, 0.0};
    ASSERT_RELATIVE(test_value(&both, &at), sum, ROUNDING);
    ck_assert_int_eq(model.sets.quads.first[3], 0);
    ck_assert_int_eq(model.sets.quads.first[6], 3 * 16);
    tl_arena_free(&arena);
    test_model_free(&parts[0]);
    test_model_free(&parts[1]);
    test_mesh_free(&mesh);
}
END_TEST

TEST_MAIN("stretch_quad", quad_energy_is_known_for_every_order,
          quad_stiffness_strain_and_gradient_are_known, quad_hessian_eigenvalue_and_rank_are_known,
          quad_energy_of_a_mesh_is_known, quad_zero_force_at_rest_is_exact,
          quad_zero_force_at_a_moved_rest, quad_uvs_give_orientation_only,
          quad_mirrored_uvs_change_nothing, quad_metric_uvs_are_the_rest_shape,
          quad_first_corner_does_not_matter, quad_not_convex_becomes_two_triangles,
          quad_derivatives_momentum_and_positive_hessian,
          quad_energy_ignores_rigid_motion_and_numbering, quad_ranges_change_no_bit,
          quad_hessian_is_exact_under_tension, quad_hessian_of_a_tension_field_is_exact,
          quad_clamp_is_the_positive_part_of_the_stress,
          quad_damping_takes_power_and_spares_rigid_motion, quad_slack_cloth_is_not_damped,
          quad_tension_field_is_uniaxial_when_wrinkled, quad_laws_pass_their_switches_smoothly,
          quad_taut_law_is_the_plain_law, quad_larger_principal_stretch_is_reported,
          quad_cloths_of_a_model_keep_their_fabrics)
