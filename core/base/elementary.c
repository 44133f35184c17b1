/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Argument reduction and power series; see elementary.h. */
#include "base/elementary.h"

#include <math.h>

#define PI 3.14159265358979323846
/* pi/2 in three parts of decreasing size: multiples up to 2^20 of the first two are exact */
#define HALF_PI_1 1.57079632673412561417e+00
#define HALF_PI_2 6.07710050630396597660e-11
#define HALF_PI_3 2.02226624879595063154e-21

/* Taylor series on [-pi/4, pi/4]; the first term left out is below 1e-17. */
static double sine_series(double x) {
    double x2 = x * x, sum = 0.0;
    static const double c[] = {-1.0 / 6,
                               1.0 / 120,
                               -1.0 / 5040,
                               1.0 / 362880,
                               -1.0 / 39916800,
                               1.0 / 6227020800.0,
                               -1.0 / 1307674368000.0,
                               1.0 / 355687428096000.0};
    for (int i = 7; i >= 0; i--) {
        sum = (sum + c[i]) * x2;
    }
    return x + x * sum;
}

static double cosine_series(double x) {
    double x2 = x * x, sum = 0.0;
    static const double c[] = {-1.0 / 2,
                               1.0 / 24,
                               -1.0 / 720,
                               1.0 / 40320,
                               -1.0 / 3628800,
                               1.0 / 479001600,
                               -1.0 / 87178291200.0,
                               1.0 / 20922789888000.0,
                               -1.0 / 6402373705728000.0};
    for (int i = 8; i >= 0; i--) {
        sum = (sum + c[i]) * x2;
    }
    return 1.0 + sum;
}

/* sin(x + quarter pi/2) */
static double sine_quarter(double x, int quarter) {
    double n = floor(x / (PI / 2) + 0.5);
    double r = ((x - n * HALF_PI_1) - n * HALF_PI_2) - n * HALF_PI_3;
    double turns = n + quarter;
    int phase = (int)(turns - 4.0 * floor(turns / 4.0));
    double value = phase % 2 == 0 ? sine_series(r) : cosine_series(r);
    return phase >= 2 ? -value : value;
}

double tl_sin(double x) {
    return sine_quarter(x, 0);
}

double tl_cos(double x) {
    return sine_quarter(x, 1);
}

/* Arc tangent on [0, 1] by halving the angle twice: atan t = 2 atan(t / (1 + sqrt(1 + t^2))). */
static double arc_tangent_unit(double t) {
    t = t / (1.0 + sqrt(1.0 + t * t));
    t = t / (1.0 + sqrt(1.0 + t * t));
    double t2 = t * t, sum = 0.0;
    for (int k = 13; k >= 1; k--) {
        sum = (1.0 / (2 * k + 1) - sum) * t2;
    }
    return 4.0 * (t - t * sum);
}

double tl_atan2(double y, double x) {
    double ax = fabs(x), ay = fabs(y);
    if (ax == 0.0 && ay == 0.0) {
        return 0.0;
    }
    double angle = ay <= ax ? arc_tangent_unit(ay / ax) : PI / 2 - arc_tangent_unit(ax / ay);
    if (x < 0.0) {
        angle = PI - angle;
    }
    return y < 0.0 ? -angle : angle;
}

double tl_ln(double x) {
    /* x = m 2^e with m in [sqrt(1/2), sqrt(2)), ln m = 2 artanh((m - 1) / (m + 1)) */
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752440) {
        m *= 2.0;
        e--;
    }
    double y = (m - 1.0) / (m + 1.0), y2 = y * y, sum = 0.0;
    for (int k = 12; k >= 1; k--) {
        sum = (sum + 1.0 / (2 * k + 1)) * y2;
    }
    /* ln 2 in two parts, the first exact under small multiples */
    return e * 6.93147180369123816490e-01 + (e * 1.90821492927058770002e-10 + 2.0 * (y + y * sum));
}
