/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Four numbers side by side: each lane as the scalar function says, to the last bit. */
#include "base/lanes.h"
#include "support/builders.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Everything a lane may hold. */
static const double numbers[] = {0.0,    -0.0,    1.0,      -1.0,     0.1,    -3.7,
                                 5e-324, -5e-324, DBL_MIN,  -DBL_MIN, 1e-200, -1e30,
                                 1e300,  -1e300,  HUGE_VAL, -HUGE_VAL};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

/* Number i and the three after it. */
TL_INLINE TlDouble4 lanes_at(int32_t i) {
    return (TlDouble4){numbers[i % NUMBERS], numbers[(i + 1) % NUMBERS], numbers[(i + 2) % NUMBERS],
                       numbers[(i + 3) % NUMBERS]};
}

/* The same bits; any NaN is one. */
static void expect_same(double got, double want) {
    ck_assert_msg((isnan(got) && isnan(want)) || (got == want && signbit(got) == signbit(want)),
                  "got %g, wanted %g", got, want);
}

START_TEST(lanes_take_one_number) {
    TlDouble4 a = tl_double4(0.1);
    TlFloat4 b = tl_float4(0.1F);
    for (int l = 0; l < TL_LANES; l++) {
        expect_same(a[l], 0.1);
        ck_assert(b[l] == 0.1F);
    }
}
END_TEST

START_TEST(lanes_abs_loses_the_sign_alone) {
    for (int32_t i = 0; i < NUMBERS; i++) {
        TlDouble4 a = tl_abs4(lanes_at(i));
        for (int l = 0; l < TL_LANES; l++) {
            expect_same(a[l], fabs(numbers[(i + l) % NUMBERS]));
        }
    }
    ck_assert(!signbit(tl_abs4(tl_double4(-0.0))[2]));
    ck_assert(isnan(tl_abs4(tl_double4((double)NAN))[1]));
    ck_assert(isnan(tl_abs4(tl_double4(-(double)NAN))[3]));
}
END_TEST

START_TEST(lanes_sign_is_one_or_minus_one) {
    for (int32_t i = 0; i < NUMBERS; i++) {
        TlDouble4 a = tl_sign4(lanes_at(i));
        for (int l = 0; l < TL_LANES; l++) {
            expect_same(a[l], copysign(1.0, numbers[(i + l) % NUMBERS]));
        }
    }
    /* whatever is no number has a sign too: a quotient by it goes on as no number */
    expect_same(fabs(tl_sign4(tl_double4((double)NAN))[0]), 1.0);
}
END_TEST

START_TEST(lanes_positive_part) {
    for (int32_t i = 0; i < NUMBERS; i++) {
        TlDouble4 a = tl_positive4(lanes_at(i));
        for (int l = 0; l < TL_LANES; l++) {
            double from = numbers[(i + l) % NUMBERS];
            /* infinity less infinity is no number */
            if (from != -HUGE_VAL) {
                expect_same(a[l], from > 0.0 ? from : 0.0);
            }
        }
    }
    ck_assert(isnan(tl_positive4(tl_double4((double)NAN))[0]));
}
END_TEST

START_TEST(lanes_roots_are_those_of_sqrt) {
    TestRandom random = test_random(161);
    for (int32_t i = 0; i < 100; i++) {
        TlDouble4 a;
        for (int l = 0; l < TL_LANES; l++) {
            a[l] = test_between(&random, 0, 10);
        }
        TlDouble4 b = tl_sqrt4(a);
        for (int l = 0; l < TL_LANES; l++) {
            expect_same(b[l], sqrt(a[l]));
        }
    }
    expect_same(tl_sqrt4(tl_double4(-0.0))[3], -0.0);
    ck_assert(isnan(tl_sqrt4(tl_double4(-1.0))[0]));
}
END_TEST

START_TEST(lanes_narrow_rounds_and_widen_is_exact) {
    TestRandom random = test_random(162);
    for (int32_t i = 0; i < 100; i++) {
        TlDouble4 a;
        for (int l = 0; l < TL_LANES; l++) {
            a[l] = test_between(&random, -1, 1);
        }
        TlFloat4 narrow = tl_narrow4(a);
        TlDouble4 wide = tl_widen4(narrow);
        for (int l = 0; l < TL_LANES; l++) {
            expect_same((double)narrow[l], (double)(float)a[l]);
            expect_same(wide[l], (double)narrow[l]);
        }
    }
    /* what is too large becomes infinite, what is too small zero of its sign */
    expect_same((double)tl_narrow4(tl_double4(-1e300))[2], -HUGE_VAL);
    expect_same((double)tl_narrow4(tl_double4(-1e-300))[1], -0.0);
    ck_assert(isnan(tl_narrow4(tl_double4((double)NAN))[0]));
}
END_TEST

START_TEST(lanes_transpose_turns_rows_to_columns) {
    TlFloat4 m[TL_LANES];
    for (int i = 0; i < TL_LANES; i++) {
        for (int j = 0; j < TL_LANES; j++) {
            m[i][j] = (float)(10 * i + j);
        }
    }
    tl_transpose4(&m[0], &m[1], &m[2], &m[3]);
    for (int i = 0; i < TL_LANES; i++) {
        for (int j = 0; j < TL_LANES; j++) {
            ck_assert(m[i][j] == (float)(10 * j + i));
        }
    }
    tl_transpose4(&m[0], &m[1], &m[2], &m[3]);
    for (int j = 0; j < TL_LANES; j++) {
        ck_assert(m[2][j] == (float)(20 + j));
    }
}
END_TEST

START_TEST(lanes_eight_are_twice_four) {
    TlFloat4 low = {1, 2, 3, 4}, high = {5, 6, 7, 8};
    TlFloat8 all = tl_join8(low, high);
    low = tl_low4(all);
    high = tl_high4(all);
    for (int l = 0; l < TL_WIDE; l++) {
        ck_assert(all[l] == (float)(l + 1));
        ck_assert((l < TL_LANES ? low[l % TL_LANES] : high[l % TL_LANES]) == (float)(l + 1));
    }
}
END_TEST

/* the last vertex ends an array of its very size, which a sanitizer watches */
START_TEST(lanes_take_vertices_up_to_the_last) {
    enum { VERTICES = 5 };
    double *x = test_alloc(3 * sizeof(double) * VERTICES);
    memcpy(x, numbers, 3 * sizeof(double) * VERTICES);
    for (int32_t v = 0; v < VERTICES; v++) {
        TlDouble4 a = tl_vertex4(x, v, VERTICES - 1);
        for (int i = 0; i < 3; i++) {
            expect_same(a[i], x[3 * v + i]);
        }
    }
    free(x);
}
END_TEST

TEST_MAIN("lanes", lanes_take_one_number, lanes_abs_loses_the_sign_alone,
          lanes_sign_is_one_or_minus_one, lanes_positive_part, lanes_roots_are_those_of_sqrt,
          lanes_narrow_rounds_and_widen_is_exact, lanes_transpose_turns_rows_to_columns,
          lanes_eight_are_twice_four, lanes_take_vertices_up_to_the_last)
