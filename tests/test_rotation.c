/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Rotations and poses, against the C library's functions and by their properties. */
#include "../io/rotation.h"
#include "support/io_files.h"
#include "support/run_suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

/* rounding of a few dozen operations on numbers near 1 */
#define ROUNDING 1e-14

static double uniform(uint64_t *state, double low, double high) {
    return low + (high - low) * ((double)(io_random(state) >> 11) * 0x1p-53);
}

static double ulps(double a, double b) {
    double unit = nextafter(fabs(b), HUGE_VAL) - fabs(b);
    return fabs(a - b) / unit;
}

START_TEST(rotation_sin_cos_keep_their_stated_error) {
    uint64_t state = io_random_seed("rotation_sin_cos_keep_their_stated_error");
    double worst = 0;
    for (int32_t i = 0; i < 200000; i++) {
        double angle = uniform(&state, -3.2, 3.2);
        double s = 0;
        double c = 0;
        tl_rotation_sin_cos(angle, &s, &c);
        worst = fmax(worst, fmax(ulps(s, sin(angle)), ulps(c, cos(angle))));
        angle = uniform(&state, -TL_ANGLE_MAX, TL_ANGLE_MAX);
        tl_rotation_sin_cos(angle, &s, &c);
        ck_assert_double_le(fabs(s - sin(angle)), 1e-15);
        ck_assert_double_le(fabs(c - cos(angle)), 1e-15);
    }
    ck_assert_double_le(worst, 2.0);
}
END_TEST

START_TEST(rotation_sin_cos_of_zero_are_exact) {
    double s = -1;
    double c = -1;
    tl_rotation_sin_cos(0, &s, &c);
    ck_assert_double_eq(s, 0);
    ck_assert_double_eq(c, 1);
}
END_TEST

START_TEST(rotation_atan2_keeps_its_stated_error) {
    uint64_t state = io_random_seed("rotation_atan2_keeps_its_stated_error");
    for (int32_t i = 0; i < 200000; i++) {
        double y = uniform(&state, 0, 1);
        double x = uniform(&state, -1, 1);
        if (i % 4 == 0)
            y *= 1e-9;
        double expected = atan2(y, x);
        ck_assert_double_le(ulps(tl_rotation_atan2(y, x), expected), 4.0);
    }
    ck_assert_double_eq(tl_rotation_atan2(0, 0), 0);
    ck_assert_double_eq(tl_rotation_atan2(0, 1), 0);
    ck_assert_double_eq(tl_rotation_atan2(1, 0), acos(-1.0) / 2);
    ck_assert_double_eq(tl_rotation_atan2(0, -1), acos(-1.0));
}
END_TEST

START_TEST(rotation_vector_goes_there_and_back) {
    uint64_t state = io_random_seed("rotation_vector_goes_there_and_back");
    for (int32_t i = 0; i < 10000; i++) {
        double in[3];
        double out[3];
        for (int32_t k = 0; k < 3; k++)
            in[k] = uniform(&state, -1.8, 1.8); /* of length below pi */
        tl_rotation_to_vector(tl_rotation_from_vector(in), out);
        for (int32_t k = 0; k < 3; k++)
            ck_assert_double_le(fabs(in[k] - out[k]), ROUNDING);
    }
}
END_TEST

START_TEST(rotation_quarter_turn_about_y_takes_z_to_x) {
    static const double quarter[3] = {0, 1.5707963267948966, 0};
    static const double z[3] = {0, 0, 1};
    double out[3];
    tl_rotation_apply(tl_rotation_from_vector(quarter), z, out);
    ck_assert_double_eq_tol(out[0], 1, ROUNDING);
    ck_assert_double_eq_tol(out[1], 0, ROUNDING);
    ck_assert_double_eq_tol(out[2], 0, ROUNDING);
}
END_TEST

START_TEST(pose_between_takes_the_shortest_arc) {
    /* from 170 to 190 degrees about z goes over 180, whichever way the keys are written */
    const ToilePose a = {{0, 0, 0}, {0, 0, 2.96705972839036}};
    const ToilePose b = {{2, 4, 6}, {0, 0, -2.96705972839036}};
    ToilePose half = tl_pose_between(&a, &b, 0.5);
    static const double x[3] = {1, 0, 0};
    double out[3];
    tl_rotation_apply(tl_rotation_from_vector(half.rotate_rad), x, out);
    ck_assert_double_eq_tol(out[0], -1, ROUNDING);
    ck_assert_double_eq_tol(out[1], 0, ROUNDING);
    ck_assert_double_eq(half.translate_m[1], 2);
}
END_TEST

START_TEST(pose_between_turns_at_even_speed) {
    const ToilePose a = {{0, 0, 0}, {0.3, 0, 0}};
    const ToilePose b = {{0, 0, 0}, {1.3, 0, 0}};
    for (int32_t i = 0; i <= 10; i++) {
        ToilePose pose = tl_pose_between(&a, &b, 0.1 * i);
        ck_assert_double_eq_tol(pose.rotate_rad[0], 0.3 + 0.1 * i, ROUNDING);
    }
}
END_TEST

START_TEST(pose_between_gives_the_keys_themselves_at_the_ends) {
    const ToilePose a = {{1, 2, 3}, {0.1, 4, 0.2}};
    const ToilePose b = {{3, 2, 1}, {5, 0.4, 0.2}};
    ToilePose start = tl_pose_between(&a, &b, 0);
    ToilePose end = tl_pose_between(&a, &b, 1);
    ck_assert_double_eq(start.rotate_rad[1], 4);
    ck_assert_double_eq(end.rotate_rad[0], 5);
}
END_TEST

START_TEST(pose_carry_keeps_distances_and_returns) {
    uint64_t state = io_random_seed("pose_carry_keeps_distances_and_returns");
    for (int32_t i = 0; i < 1000; i++) {
        ToilePose a;
        ToilePose b;
        double p[3], q[3], moved_p[3], moved_q[3], back[3];
        for (int32_t k = 0; k < 3; k++) {
            a.translate_m[k] = uniform(&state, -1, 1);
            a.rotate_rad[k] = uniform(&state, -4, 4);
            b.translate_m[k] = uniform(&state, -1, 1);
            b.rotate_rad[k] = uniform(&state, -4, 4);
            p[k] = uniform(&state, -1, 1);
            q[k] = uniform(&state, -1, 1);
        }
        tl_pose_carry(&a, &b, p, moved_p);
        tl_pose_carry(&a, &b, q, moved_q);
        tl_pose_carry(&b, &a, moved_p, back);
        double before = 0;
        double after = 0;
        for (int32_t k = 0; k < 3; k++) {
            before += (p[k] - q[k]) * (p[k] - q[k]);
            after += (moved_p[k] - moved_q[k]) * (moved_p[k] - moved_q[k]);
            ck_assert_double_eq_tol(back[k], p[k], ROUNDING);
        }
        ck_assert_double_eq_tol(sqrt(before), sqrt(after), ROUNDING);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("rotation");
    TCase *tcase = tcase_create("rotation");
    tcase_add_test(tcase, rotation_sin_cos_keep_their_stated_error);
    tcase_add_test(tcase, rotation_sin_cos_of_zero_are_exact);
    tcase_add_test(tcase, rotation_atan2_keeps_its_stated_error);
    tcase_add_test(tcase, rotation_vector_goes_there_and_back);
    tcase_add_test(tcase, rotation_quarter_turn_about_y_takes_z_to_x);
    tcase_add_test(tcase, pose_between_takes_the_shortest_arc);
    tcase_add_test(tcase, pose_between_turns_at_even_speed);
    tcase_add_test(tcase, pose_between_gives_the_keys_themselves_at_the_ends);
    tcase_add_test(tcase, pose_carry_keeps_distances_and_returns);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
