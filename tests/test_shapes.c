/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes that the preview draws for colliders. Balls, boxes and planes are in test_raster.c. */
#include "plugin/cli/shapes.h"

#include <check.h>
#include <math.h>

/* float32 rounding of coordinates of about one metre */
#define TOLERANCE_M 1e-6

static const double from[3] = {0.1, -0.2, 0.3}, to[3] = {0.5, 0.6, -0.7};
static const double radius = 0.25;

/* the vector from the nearest point of the line between the ends */
static void offset(const float *x, double out[3]) {
    double along = 0.0, length2 = 0.0;
    for (int k = 0; k < 3; k++) {
        along += ((double)x[k] - from[k]) * (to[k] - from[k]);
        length2 += (to[k] - from[k]) * (to[k] - from[k]);
    }
    double t = along / length2;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    for (int k = 0; k < 3; k++)
        out[k] = (double)x[k] - from[k] - t * (to[k] - from[k]);
}

START_TEST(capsule_points_lie_on_its_surface) {
    TlShape shape;
    ck_assert(tl_shape_capsule(&shape, from, to, radius));
    double low = 0.0, high = 0.0;
    for (int32_t i = 0; i < shape.vertex_count; i++) {
        double d[3], end = 0.0;
        offset(shape.x + 3 * i, d);
        ck_assert_double_eq_tol(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), radius, TOLERANCE_M);
        for (int k = 0; k < 3; k++)
            end += d[k] * (to[k] - from[k]);
        low = end < low ? end : low;
        high = end > high ? end : high;
    }
    /* it reaches as far beyond either end as it is wide, but for the last quad */
    double length = sqrt(0.4 * 0.4 + 0.8 * 0.8 + 1.0);
    ck_assert_double_lt(low / length, -0.99 * radius);
    ck_assert_double_gt(high / length, 0.99 * radius);
    tl_shape_destroy(&shape);
}
END_TEST

START_TEST(capsule_faces_look_outwards) {
    TlShape shape;
    ck_assert(tl_shape_capsule(&shape, from, to, radius));
    ck_assert_int_eq(shape.corner_count, 4 * shape.face_count);
    for (int32_t f = 0; f < shape.face_count; f++) {
        const int32_t *c = shape.corners + 4 * f;
        const float *p[4];
        double out[3], normal[3], sum = 0.0;
        for (int i = 0; i < 4; i++)
            p[i] = shape.x + 3 * c[i];
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            normal[k] = (double)(p[2][i] - p[0][i]) * (double)(p[3][j] - p[1][j]) -
                        (double)(p[2][j] - p[0][j]) * (double)(p[3][i] - p[1][i]);
        }
        offset(p[0], out);
        for (int k = 0; k < 3; k++)
            sum += normal[k] * out[k];
        ck_assert_double_gt(sum, 0.0);
    }
    tl_shape_destroy(&shape);
}
END_TEST

/* both ends in one place: a ball */
START_TEST(capsule_without_length_is_a_ball) {
    TlShape shape;
    ck_assert(tl_shape_capsule(&shape, from, from, radius));
    for (int32_t i = 0; i < shape.vertex_count; i++) {
        double sum = 0.0;
        for (int k = 0; k < 3; k++)
            sum += ((double)shape.x[3 * i + k] - from[k]) * ((double)shape.x[3 * i + k] - from[k]);
        ck_assert_double_eq_tol(sqrt(sum), radius, TOLERANCE_M);
    }
    tl_shape_destroy(&shape);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("shapes");
    TCase *capsules = tcase_create("capsules");
    tcase_add_test(capsules, capsule_points_lie_on_its_surface);
    tcase_add_test(capsules, capsule_faces_look_outwards);
    tcase_add_test(capsules, capsule_without_length_is_a_ball);
    suite_add_tcase(suite, capsules);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
