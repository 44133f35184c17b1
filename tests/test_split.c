/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Quads are cut through their lowest-numbered vertex, whatever their first corner or winding. */
#include "mesh/split.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

/* The vertices that both triangles of a split quad use: its diagonal, in ascending order. */
static void diagonal_of(const int32_t quad[4], int32_t out[2]) {
    int32_t split[2][3], count = 0;
    ck_assert_int_eq(tl_split_face(quad, 4, split), 2);
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            if (split[0][a] == split[1][b]) {
                ck_assert_int_lt(count, 2);
                out[count++] = quad[split[0][a]];
            }
        }
    }
    ck_assert_int_eq(count, 2);
    if (out[0] > out[1]) {
        int32_t swap = out[0];
        out[0] = out[1];
        out[1] = swap;
    }
}

/* Both triangles run through the quad's corners in its own cyclic order. */
static void expect_winding(const int32_t quad[4]) {
    int32_t split[2][3];
    tl_split_face(quad, 4, split);
    for (int t = 0; t < 2; t++) {
        int steps = 0;
        for (int k = 0; k < 3; k++) {
            steps += (split[t][(k + 1) % 3] - split[t][k] + 4) % 4;
        }
        ck_assert_int_eq(steps, 4);
    }
}

START_TEST(split_diagonal_is_the_same_for_all_rotations_and_windings) {
    static const int32_t quads[6][4] = {{3, 7, 12, 5}, {7, 3, 12, 5},  {12, 7, 3, 5},
                                        {5, 7, 12, 3}, {100, 9, 8, 2}, {0, 1, 2, 3}};
    for (int q = 0; q < 6; q++) {
        int32_t want[2], got[2], turned[4];
        diagonal_of(quads[q], want);
        for (int first = 0; first < 4; first++) {
            for (int way = -1; way <= 1; way += 2) {
                for (int k = 0; k < 4; k++) {
                    turned[k] = quads[q][(first + way * k + 4) % 4];
                }
                diagonal_of(turned, got);
                ck_assert_mem_eq(got, want, sizeof want);
                expect_winding(turned);
            }
        }
    }
}
END_TEST

START_TEST(split_goes_through_the_lowest_vertex) {
    TestRandom random = test_random(71);
    for (int loop = 0; loop < 500; loop++) {
        int32_t order[50], diagonal[2], lowest = 50;
        test_shuffle(&random, order, 50);
        for (int k = 0; k < 4; k++) {
            lowest = order[k] < lowest ? order[k] : lowest;
        }
        diagonal_of(order, diagonal);
        ck_assert_int_eq(diagonal[0], lowest);
    }
}
END_TEST

START_TEST(split_keeps_triangles_as_they_are) {
    static const int32_t corners[3] = {9, 4, 7};
    int32_t split[2][3];
    ck_assert_int_eq(tl_split_face(corners, 3, split), 1);
    for (int k = 0; k < 3; k++) {
        ck_assert_int_eq(split[0][k], k);
    }
}
END_TEST

TEST_MAIN("split", split_diagonal_is_the_same_for_all_rotations_and_windings,
          split_goes_through_the_lowest_vertex, split_keeps_triangles_as_they_are)
