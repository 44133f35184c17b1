/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal text to double, correctly rounded. Short numbers take the exact path of Clinger (1990):
 * an integer below 2^53 times or over a power of ten up to 10^22 needs one rounding only. All
 * others are a quotient of two large integers, divided bit by bit. */
#include "number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* 768 digits decide every tie; what follows only matters as zero or not zero */
#define DIGITS_KEPT 780
/* 10^(780 + 345) has 3738 bits */
#define LIMBS 124

/* A text in parts: value = 0.d1 d2 d3... * 10^point. */
typedef struct Decimal {
    bool negative;
    int32_t count;
    int32_t point;
    uint8_t digits[DIGITS_KEPT + 1];
} Decimal;

typedef struct Big {
    int32_t count; /* limbs in use, the highest not zero */
    uint32_t limbs[LIMBS];
} Big;

/* ---- text to parts ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void add_digit(Decimal *decimal, char c) {
    if (decimal->count == 0 && c == '0')
        return;
    if (decimal->count < DIGITS_KEPT)
        decimal->digits[decimal->count++] = (uint8_t)(c - '0');
    else if (c != '0')
        decimal->digits[DIGITS_KEPT - 1] |= 1; /* keeps a tie from looking like one */
}

/* Adds the exponent of "e-12" at text[i]; huge ones are held at a bound far outside of doubles. */
static bool scan_exponent(const char *text, size_t length, size_t i, int64_t *point) {
    bool negative = i < length && text[i] == '-';
    if (i < length && (text[i] == '-' || text[i] == '+'))
        i++;
    if (i >= length)
        return false;
    int64_t exponent = 0;
    for (; i < length; i++) {
        if (!is_digit(text[i]))
            return false;
        if (exponent < 1000000000)
            exponent = exponent * 10 + (text[i] - '0');
    }
    *point += negative ? -exponent : exponent;
    return true;
}

static bool scan(const char *text, size_t length, Decimal *decimal) {
    size_t i = 0;
    int64_t point = 0;
    bool after_point = false;
    bool any = false;
    decimal->negative = length > 0 && text[0] == '-';
    decimal->count = 0;
    if (length > 0 && (text[0] == '-' || text[0] == '+'))
        i = 1;
    for (; i < length && (is_digit(text[i]) || (text[i] == '.' && !after_point)); i++) {
        if (text[i] == '.') {
            after_point = true;
            continue;
        }
        any = true;
        /* leading zeros move the point only when they stand behind it */
        if (!after_point && (decimal->count > 0 || text[i] != '0'))
            point++;
        if (after_point && decimal->count == 0 && text[i] == '0')
            point--;
        add_digit(decimal, text[i]);
    }
    if (!any)
        return false;
    if (i < length && (text[i] == 'e' || text[i] == 'E')) {
        if (!scan_exponent(text, length, i + 1, &point))
            return false;
    } else if (i < length) {
        return false;
    }
    while (decimal->count > 0 && decimal->digits[decimal->count - 1] == 0)
        decimal->count--;
    decimal->point = (int32_t)(point < -100000 ? -100000 : point > 100000 ? 100000 : point);
    return true;
}

/* ---- large integers ---- */

static void big_multiply_add(Big *a, uint32_t factor, uint32_t addend) {
    uint64_t carry = addend;
    for (int32_t i = 0; i < a->count; i++) {
        carry += (uint64_t)a->limbs[i] * factor;
        a->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && a->count < LIMBS)
        a->limbs[a->count++] = (uint32_t)carry;
}

static void big_multiply_power_of_ten(Big *a, int32_t power) {
    for (; power >= 9; power -= 9)
        big_multiply_add(a, 1000000000u, 0);
    for (; power > 0; power--)
        big_multiply_add(a, 10, 0);
}

static int32_t big_bits(const Big *a) {
    if (a->count == 0)
        return 0;
    int32_t bits = (a->count - 1) * 32;
    for (uint32_t top = a->limbs[a->count - 1]; top; top >>= 1)
        bits++;
    return bits;
}

static void big_shift_left(Big *a, int32_t bits) {
    int32_t whole = bits / 32;
    int32_t part = bits % 32;
    if (a->count == 0)
        return;
    if (part)
        big_multiply_add(a, 1u << part, 0);
    memmove(a->limbs + whole, a->limbs, (size_t)a->count * sizeof a->limbs[0]);
    memset(a->limbs, 0, (size_t)whole * sizeof a->limbs[0]);
    a->count += whole;
}

static bool big_less(const Big *a, const Big *b) {
    if (a->count != b->count)
        return a->count < b->count;
    for (int32_t i = a->count - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i];
    return false;
}

static void big_subtract(Big *a, const Big *b) {
    int64_t borrow = 0;
    for (int32_t i = 0; i < a->count; i++) {
        int64_t difference = (int64_t)a->limbs[i] - (i < b->count ? b->limbs[i] : 0) + borrow;
        a->limbs[i] = (uint32_t)difference;
        borrow = difference < 0 ? -1 : 0;
    }
    while (a->count > 0 && a->limbs[a->count - 1] == 0)
        a->count--;
}

/* ---- parts to double ---- */

/* Rounds quotient * 2^exponent, quotient's top bit set, to the nearest double. */
static double round_to_double(uint64_t quotient, int32_t exponent, bool more) {
    int32_t drop = 64 - DBL_MANT_DIG;
    int32_t lowest = DBL_MIN_EXP - DBL_MANT_DIG; /* -1074 */
    if (exponent + drop < lowest)
        drop = lowest - exponent;
    if (drop > 64)
        return 0;
    uint64_t kept = drop < 64 ? quotient >> drop : 0;
    uint64_t half = (uint64_t)1 << (drop - 1);
    uint64_t rest = drop < 64 ? quotient & (((uint64_t)1 << drop) - 1) : quotient;
    if (rest > half || (rest == half && (more || (kept & 1))))
        kept++;
    return ldexp((double)kept, exponent + drop);
}

static double divide(Big *numerator, Big *denominator) {
    int32_t exponent = big_bits(numerator) - big_bits(denominator);
    if (exponent < 0)
        big_shift_left(numerator, -exponent);
    else
        big_shift_left(denominator, exponent);
    if (big_less(numerator, denominator)) {
        big_multiply_add(numerator, 2, 0);
        exponent--;
    }
    uint64_t quotient = 0;
    for (int32_t bit = 0; bit < 64; bit++) {
        quotient <<= 1;
        if (!big_less(numerator, denominator)) {
            big_subtract(numerator, denominator);
            quotient |= 1;
        }
        big_multiply_add(numerator, 2, 0);
    }
    return round_to_double(quotient, exponent - 63, numerator->count > 0);
}

static double convert_exactly(const Decimal *decimal) {
    Big numerator = {0};
    Big denominator = {.count = 1, .limbs = {1}};
    for (int32_t i = 0; i < decimal->count; i++)
        big_multiply_add(&numerator, 10, decimal->digits[i]);
    int32_t power = decimal->point - decimal->count;
    big_multiply_power_of_ten(power > 0 ? &numerator : &denominator, power > 0 ? power : -power);
    return divide(&numerator, &denominator);
}

/* Clinger's fast path; answers false when the result might need two roundings. */
static bool convert_short(const Decimal *decimal, double *value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int32_t power = decimal->point - decimal->count;
    if (decimal->count > 15 || power > 22 || power < -22)
        return false;
    int64_t integer = 0;
    for (int32_t i = 0; i < decimal->count; i++)
        integer = integer * 10 + decimal->digits[i];
    *value = power < 0 ? (double)integer / powers[-power] : (double)integer * powers[power];
    return true;
}

bool tl_number_parse(const char *text, size_t length, double *value) {
    Decimal decimal;
    double magnitude = 0;
    if (!scan(text, length, &decimal))
        return false;
    if (decimal.count == 0 || decimal.point < -330)
        magnitude = 0;
    else if (decimal.point > 310)
        magnitude = HUGE_VAL;
    else if (!convert_short(&decimal, &magnitude))
        magnitude = convert_exactly(&decimal);
    *value = decimal.negative ? -magnitude : magnitude;
    return true;
}

/* ---- double to text ---- */

void tl_number_format(double value, int digits, char text[TL_NUMBER_SIZE]) {
    char raw[64];
    size_t used = 0;
    snprintf(raw, sizeof raw, "%.*g", digits, value);
    for (const char *c = raw; *c && used + 1 < TL_NUMBER_SIZE; c++) {
        bool plain = is_digit(*c) || *c == '-' || *c == '+' || (*c >= 'a' && *c <= 'z');
        /* whatever else there is, of one byte or more, is the locale's decimal point */
        if (plain)
            text[used++] = *c;
        else if (used == 0 || text[used - 1] != '.')
            text[used++] = '.';
        /* some C libraries write three digits of exponent always */
        if (used > 1 && (*c == '-' || *c == '+') && text[used - 2] == 'e' && c[1] == '0' &&
            is_digit(c[2]) && is_digit(c[3]))
            c++;
    }
    text[used] = '\0';
}

void tl_number_shortest(double value, char text[TL_NUMBER_SIZE]) {
    for (int digits = 15; digits <= 17; digits++) {
        double back = 0;
        tl_number_format(value, digits, text);
        if (tl_number_parse(text, strlen(text), &back) && back == value)
            return;
    }
}
