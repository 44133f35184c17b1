/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Sine, cosine, arc tangent and logarithm against libm in extended precision, with the errors the
 * header states. */
#include "base/elementary.h"
#include "support/builders.h"

#include <float.h>
#include <stdio.h>

enum { LOOPS = 200000 };

/* stated in elementary.h */
#define SINE_ERROR 4e-16
#define ARC_ERROR 1e-15
#define LOG_ERROR 1e-15

static double sine_error(double x) {
    double s = fabs((double)((long double)tl_sin(x) - sinl((long double)x)));
    double c = fabs((double)((long double)tl_cos(x) - cosl((long double)x)));
    return s > c ? s : c;
}

START_TEST(elementary_sine_and_cosine_keep_their_error) {
    TestRandom random = test_random(91);
    double worst = 0.0;
    for (int i = 0; i < LOOPS; i++) {
        double reach = i % 3 == 0   ? 1e4
                       : i % 3 == 1 ? 10.0
                                    : 1.0,
               x = test_between(&random, -reach, reach);
        worst = fmax(worst, sine_error(x));
    }
    /* near the multiples of pi/4, where quadrants and series change */
    for (int k = -12000; k <= 12000; k++) {
        double x = k * 0.78539816339744830962;
        worst = fmax(worst, fmax(sine_error(x), fmax(sine_error(nextafter(x, 1e9)),
                                                     sine_error(nextafter(x, -1e9)))));
    }
    printf("largest error of sine and cosine: %.3g\n", worst);
    ASSERT_BELOW(worst, SINE_ERROR);
}
END_TEST

START_TEST(elementary_sine_special_arguments) {
    ck_assert_double_eq(tl_sin(0.0), 0.0);
    ck_assert_double_eq(tl_cos(0.0), 1.0);
    /* small arguments are exact relative to themselves */
    for (int e = -300; e <= -9; e++) {
        double x = pow(10, e);
        ck_assert_double_eq(tl_sin(x), x);
        ck_assert_double_eq(tl_sin(-x), -x);
    }
    ck_assert(isnan(tl_sin((double)NAN)));
}
END_TEST

static double arc_error(double y, double x) {
    return fabs((double)((long double)tl_atan2(y, x) - atan2l((long double)y, (long double)x)));
}

START_TEST(elementary_arc_tangent_keeps_its_error) {
    TestRandom random = test_random(92);
    double worst = 0.0;
    for (int i = 0; i < LOOPS; i++) {
        double s = pow(10, test_between(&random, -150, 150)),
               t = i % 2 == 0 ? s : s * pow(10, test_between(&random, -9, 9));
        double y = s * test_between(&random, -1, 1), x = t * test_between(&random, -1, 1);
        worst = fmax(worst, arc_error(y, x));
    }
    printf("largest error of the arc tangent: %.3g\n", worst);
    ASSERT_BELOW(worst, ARC_ERROR);
}
END_TEST

START_TEST(elementary_arc_tangent_special_arguments) {
    const double pi = 3.14159265358979323846;
    ck_assert_double_eq(tl_atan2(0.0, 0.0), 0.0);
    ck_assert_double_eq(tl_atan2(0.0, 1.0), 0.0);
    ck_assert_double_eq(tl_atan2(0.0, -1.0), pi);
    ck_assert_double_eq(tl_atan2(1.0, 0.0), pi / 2);
    ck_assert_double_eq(tl_atan2(-1.0, 0.0), -pi / 2);
    ASSERT_NEAR(tl_atan2(1.0, 1.0), pi / 4, ARC_ERROR);
    ASSERT_NEAR(tl_atan2(-1.0, -1.0), -3 * pi / 4, ARC_ERROR);
    ck_assert_double_eq(tl_atan2(1e-300, 1e300), 0.0);
    ck_assert_double_eq(tl_atan2(DBL_MIN, DBL_MAX), 0.0);
}
END_TEST

static double log_error(double x) {
    long double want = logl((long double)x);
    return want == 0.0L ? fabs(tl_ln(x)) : fabs((double)(((long double)tl_ln(x) - want) / want));
}

START_TEST(elementary_logarithm_keeps_its_error) {
    TestRandom random = test_random(93);
    double worst = 0.0;
    for (int i = 0; i < LOOPS; i++) {
        double reach = i % 3 == 0 ? 300.0 : i % 3 == 1 ? 1.0 : 1e-6;
        worst = fmax(worst, log_error(pow(10, test_between(&random, -reach, reach))));
    }
    /* around the seams of the reduction */
    for (int e = -20; e <= 20; e++) {
        double x = ldexp(0.70710678118654752440, e);
        worst = fmax(worst, fmax(log_error(x),
                                 fmax(log_error(nextafter(x, 1e9)), log_error(nextafter(x, 0)))));
    }
    printf("largest relative error of the logarithm: %.3g\n", worst);
    ASSERT_BELOW(worst, LOG_ERROR);
}
END_TEST

START_TEST(elementary_logarithm_special_arguments) {
    ck_assert_double_eq(tl_ln(1.0), 0.0);
    ASSERT_RELATIVE(tl_ln(2.0), 0.69314718055994530942, LOG_ERROR);
    ASSERT_BELOW(log_error(DBL_MIN), LOG_ERROR);
    ASSERT_BELOW(log_error(DBL_MAX), LOG_ERROR);
    ASSERT_BELOW(log_error(0x1p-1074), LOG_ERROR);
    ASSERT_BELOW(log_error(nextafter(1.0, 2.0)), LOG_ERROR);
    ASSERT_BELOW(log_error(nextafter(1.0, 0.0)), LOG_ERROR);
}
END_TEST

TEST_MAIN("elementary", elementary_sine_and_cosine_keep_their_error,
          elementary_sine_special_arguments, elementary_arc_tangent_keeps_its_error,
          elementary_arc_tangent_special_arguments, elementary_logarithm_keeps_its_error,
          elementary_logarithm_special_arguments)
