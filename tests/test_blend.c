/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices between two others: what turns keeps its size, its mirror and its pace. */
#include "blend.h"
#include "rotation.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* elements of up to 10, after a dozen operations */
#define ROUNDING 1e-13

/* deterministic numbers from -1 to 1 */
static double noise(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1.0;
}

/* The matrix that stretches by the symmetric `s` (xx, yy, zz, xy, xz, yz), turns by `turn_rad` and
 * moves by `move`. */
static void compose(const double s[6], const double turn_rad[3], const double move[3],
                    double m[16]) {
    const double rows[3][3] = {{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}};
    memset(m, 0, 16 * sizeof *m);
    for (int i = 0; i < 3; i++) {
        tl_rotation_apply(tl_rotation_from_vector(turn_rad), rows[i], m + 4 * i);
        m[12 + i] = move[i];
    }
    m[15] = 1;
}

static void assert_near(const double a[16], const double b[16]) {
    for (int i = 0; i < 16; i++)
        ck_assert_msg(fabs(a[i] - b[i]) < ROUNDING, "element %d: %.17g, not %.17g", i, a[i], b[i]);
}

/* from stretch, turn and move to others: each goes its own straight way. `sign` -1 mirrors */
static void check_parts(uint32_t seed, double sign) {
    uint32_t state = seed;
    double s[3][6], turn[3][3], move[3][3], a[16], b[16], found[16], wanted[16];
    double t = 0.5 + 0.5 * noise(&state), axis[3] = {0, 0, 0}, angle = 3 * noise(&state);
    for (int i = 0; i < 3; i++)
        axis[i] = noise(&state);
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 6; i++) {
            /* diagonals outweigh the rest: definite */
            s[k][i] = sign * (i < 3 ? 3 + noise(&state) : 0.7 * noise(&state));
            move[k][i % 3] = noise(&state);
        }
    for (int i = 0; i < 3; i++) {
        turn[0][i] = 0;
        turn[1][i] = angle * axis[i] / length;
        turn[2][i] = t * turn[1][i];
        move[2][i] = (1 - t) * move[0][i] + t * move[1][i];
    }
    for (int i = 0; i < 6; i++)
        s[2][i] = (1 - t) * s[0][i] + t * s[1][i];
    compose(s[0], turn[0], move[0], a);
    compose(s[1], turn[1], move[1], b);
    compose(s[2], turn[2], move[2], wanted);
    tl_blend_matrix(a, b, t, found);
    assert_near(found, wanted);
}

START_TEST(blend_moves_stretch_turn_and_place_by_themselves) {
    for (uint32_t seed = 1; seed <= 200; seed++) {
        check_parts(seed, 1);
        check_parts(seed, -1);
    }
}
END_TEST

static double determinant(const double m[16]) {
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

START_TEST(blend_of_a_quarter_turn_does_not_shrink) {
    static const double a[16] = {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    static const double b[16] = {0, -1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    double found[16], half = sqrt(0.5);
    tl_blend_matrix(a, b, 0.5, found);
    const double wanted[16] = {-half, -half, 0, 0, -half, half, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    assert_near(found, wanted);
    ck_assert(fabs(determinant(found) + 1) < ROUNDING);
}
END_TEST

START_TEST(blend_gives_the_ends_bit_for_bit) {
    uint32_t state = 7;
    double a[16], b[16], found[16];
    for (int i = 0; i < 16; i++) {
        a[i] = noise(&state);
        b[i] = noise(&state);
    }
    tl_blend_matrix(a, b, 0, found);
    ck_assert_mem_eq(found, a, sizeof a);
    tl_blend_matrix(a, b, 1, found);
    ck_assert_mem_eq(found, b, sizeof b);
    tl_blend_matrix(a, a, 0.3, found);
    ck_assert_mem_eq(found, a, sizeof a);
}
END_TEST

/* what is scaled to nothing has no rotation */
START_TEST(blend_with_a_flat_matrix_goes_straight) {
    static const double a[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1};
    static const double flat[3][16] = {
        {[15] = 1}, {[0] = 2, [5] = 2, [15] = 1}, {[0] = 1e-30, [15] = 1}};
    for (int k = 0; k < 3; k++) {
        double found[16], back[16];
        tl_blend_matrix(a, flat[k], 0.25, found);
        tl_blend_matrix(flat[k], a, 0.75, back);
        for (int i = 0; i < 16; i++)
            ck_assert(fabs(found[i] - (0.75 * a[i] + 0.25 * flat[k][i])) < ROUNDING);
        assert_near(found, back);
    }
}
END_TEST

/* far from rotations, and very long and flat */
START_TEST(blend_of_extreme_stretches_is_exact_in_proportion) {
    static const double sizes[3][3] = {
        {1e-3, 1, 1e3}, {1e150, 1e150, 2e150}, {1e-150, 3e-150, 1e-150}};
    for (int k = 0; k < 3; k++) {
        const double *z = sizes[k], largest = z[2] > z[1] ? z[2] : z[1];
        double a[16] = {z[0], 0, 0, 0, 0, z[1], 0, 0, 0, 0, z[2], 0, 0, 0, 0, 1}, found[16];
        double b[16] = {0, z[0], 0, 0, -z[1], 0, 0, 0, 0, 0, z[2], 0, 0, 0, 0, 1};
        double h = sqrt(0.5);
        double wanted[16] = {h * z[0], h * z[0], 0, 0, -h * z[1], h * z[1], 0, 0, 0, 0, z[2]};
        tl_blend_matrix(a, b, 0.5, found);
        for (int i = 0; i < 12; i++)
            ck_assert_msg(fabs(found[i] - wanted[i]) <= ROUNDING * largest, "%d, %d: %g, not %g", k,
                          i, found[i], wanted[i]);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("blend");
    TCase *tests = tcase_create("matrices");
    tcase_add_test(tests, blend_moves_stretch_turn_and_place_by_themselves);
    tcase_add_test(tests, blend_of_a_quarter_turn_does_not_shrink);
    tcase_add_test(tests, blend_gives_the_ends_bit_for_bit);
    tcase_add_test(tests, blend_with_a_flat_matrix_goes_straight);
    tcase_add_test(tests, blend_of_extreme_stretches_is_exact_in_proportion);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
