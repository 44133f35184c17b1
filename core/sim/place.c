/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What a simulation's coordinates are relative to. Thin cloth buckles, and the last bits decide
 * how: a scene moves the same wherever it stands only if the numbers it is computed from are the
 * very same. So whole metres are taken off what the user gives, and put back on what he gets.
 *
 * For values of single precision that were moved by whole metres the difference is exact, if the
 * sum was; such are arrays all of whose differences are single again. Decimals are not: 1000.3 was
 * rounded where 0.3 was not, and 1000.3 - 1000 is another double than 0.3. That rounding is undone
 * where every coordinate of an array is, as nearly as doubles can be, a decimal of at most nine
 * places: such a number is a whole count of nanometres, counts below 2^53 are exact in a double,
 * and a count divided by 1e9 is rounded correctly. So 1000.3 becomes the double 0.3, and 0.3 stays
 * what it is. It is the array that decides and never a value, because one value may look like a
 * decimal by chance, the more so the farther away it is; whole arrays do not. Values of any other
 * kind are only subtracted from. */
#include "sim/sim_internal.h"

#include "base/vec.h"

/* decimals are counted in these */
#define PER_METRE 1e9
/* counts of twice as many metres are exact */
#define MOST_DECIMAL_M 4e6
/* from here on, 2^52, doubles have no parts of a metre to be kept */
#define MOST_WHOLE_M 4503599627370496.0

static double count_of(double x) {
    return floor(x * PER_METRE + 0.5);
}

/* Whether x, m, is a decimal of at most nine places to within rounding. */
static bool is_decimal(double x) {
    return fabs(x) < MOST_DECIMAL_M &&
           fabs(count_of(x) / PER_METRE - x) <= fabs(x) * 0x1p-52 + 0x1p-50;
}

TlNumbers tl_numbers_with(TlNumbers all, double x, double from) {
    return (TlNumbers){all.decimal && is_decimal(x), all.single && fabs(x) < MOST_DECIMAL_M &&
                                                         (double)(float)(x - from) == x - from};
}

double tl_relative(double x, double from, TlNumbers of) {
    return of.decimal && !of.single && fabs(from) < MOST_DECIMAL_M
               ? (count_of(x) - from * PER_METRE) / PER_METRE
               : x - from;
}

double tl_absolute(double x, double from) {
    double count = count_of(x);
    bool decimal = fabs(x) < MOST_DECIMAL_M && fabs(from) < MOST_DECIMAL_M;
    if (decimal && count / PER_METRE - x == 0.0) {
        return (count + from * PER_METRE) / PER_METRE;
    }
    return x + from;
}

void tl_whole_middle(const double *x, int64_t n, double out[3]) {
    bool decimal = true;
    for (int64_t i = 0; i < 3 * n && decimal; i++) {
        decimal = is_decimal(x[i]);
    }
    for (int k = 0; k < 3; k++) {
        double low = x[k], high = x[k];
        for (int64_t i = 1; i < n; i++) {
            low = tl_min(low, x[3 * i + k]);
            high = tl_max(high, x[3 * i + k]);
        }
        double middle =
            decimal ? (count_of(low) + count_of(high)) / (2.0 * PER_METRE) : 0.5 * low + 0.5 * high;
        out[k] = fabs(middle) < MOST_WHOLE_M ? floor(middle + 0.5) : 0.0;
    }
}

void tl_relative_points(const double *x, int64_t n, const double from[3], double *out) {
    TlNumbers all = TL_NUMBERS_NONE;
    for (int64_t i = 0; i < 3 * n; i++) {
        all = tl_numbers_with(all, x[i], from[i % 3]);
    }
    for (int64_t i = 0; i < 3 * n; i++) {
        out[i] = tl_relative(x[i], from[i % 3], all);
    }
}

void tl_relative_again(const double *x, int64_t n, const double from[3], double *now) {
    TlNumbers all = TL_NUMBERS_NONE;
    for (int64_t i = 0; i < 3 * n; i++) {
        bool kept = tl_absolute(now[i], from[i % 3]) == x[i];
        all = kept ? all : tl_numbers_with(all, x[i], from[i % 3]);
    }
    for (int64_t i = 0; i < 3 * n; i++) {
        bool kept = tl_absolute(now[i], from[i % 3]) == x[i];
        now[i] = kept ? now[i] : tl_relative(x[i], from[i % 3], all);
    }
}
