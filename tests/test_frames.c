/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Frame ranges. */
#include "support/run_suite.h"
#include "toile_io/frames.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Good {
    const char *text;
    int32_t count;
    int32_t frames[12];
} Good;

static void check_good(const Good *good, bool ascending) {
    int32_t frames[16] = {0};
    int32_t count = -1;
    ToileError error = toile_error_default();
    ToileStatus status = toile_frames_parse(good->text, ascending, frames, 16, &count, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s: %s", good->text, error.message);
    ck_assert_msg(count == good->count, "%s: %d frames", good->text, count);
    for (int32_t i = 0; i < count; i++)
        ck_assert_msg(frames[i] == good->frames[i], "%s: frame %d is %d", good->text, i, frames[i]);
}

START_TEST(frames_reads_every_form) {
    static const Good goods[] = {
        {"7", 1, {7}},
        {"-7", 1, {-7}},
        {"1-4", 4, {1, 2, 3, 4}},
        {"4-4", 1, {4}},
        {"1-10x4", 3, {1, 5, 9}},
        {"1-10:4", 3, {1, 5, 9}},
        {"-3-2", 6, {-3, -2, -1, 0, 1, 2}},
        {"-3--1", 3, {-3, -2, -1}},
        {"1-3,10,20-24x2", 7, {1, 2, 3, 10, 20, 22, 24}},
        {" 1 , 2\t,3 ", 3, {1, 2, 3}},
        {"2147483646-2147483647", 2, {2147483646, 2147483647}},
        {"1-5,3-7", 7, {1, 2, 3, 4, 5, 6, 7}},
        {"1,1,1", 1, {1}},
    };
    for (size_t i = 0; i < sizeof goods / sizeof goods[0]; i++)
        check_good(&goods[i], true);
}
END_TEST

START_TEST(frames_counts_down_when_order_is_free) {
    static const Good goods[] = {
        {"4-1", 4, {4, 3, 2, 1}},
        {"10-1x4", 3, {10, 6, 2}},
        {"5,1-3", 4, {5, 1, 2, 3}},
        {"3-1,2,9", 4, {3, 2, 1, 9}},
    };
    for (size_t i = 0; i < sizeof goods / sizeof goods[0]; i++)
        check_good(&goods[i], false);
}
END_TEST

static void check_bad(const char *text, bool ascending, const char *part) {
    int32_t count = -1;
    ToileError error = toile_error_default();
    ToileStatus status = toile_frames_parse(text, ascending, NULL, 0, &count, &error);
    ck_assert_msg(status == TOILE_STATUS_INVALID_ARGUMENT, "%s was accepted", text);
    ck_assert_int_eq(error.status, TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_msg(strstr(error.message, part) != NULL, "%s: %s", text, error.message);
    ck_assert_int_eq(count, 0);
}

START_TEST(frames_refuses_what_cannot_be_read) {
    check_bad("", true, "empty");
    check_bad("   ", true, "empty");
    check_bad("a", true, "character 1");
    check_bad("1-", true, "character 3");
    check_bad("1,,2", true, "character 3");
    check_bad("1,", true, "character 3");
    check_bad(",1", true, "character 1");
    check_bad("1 2", true, "character 3");
    check_bad("1-5x", true, "character 5");
    check_bad("1-5x-1", true, "character 5");
    check_bad("1-5x0", true, "step of 0");
    check_bad("1.5", true, "character 2");
    check_bad("1-5x2x3", true, "character 6");
    check_bad("--1", true, "character 1");
    check_bad("2147483648", true, "2147483647");
    check_bad("99999999999999999999", true, "2147483647");
}
END_TEST

START_TEST(frames_refuses_what_does_not_rise) {
    check_bad("4-1", true, "counts down from 4 to 1");
    check_bad("5,1", true, "goes back from 5 to 1");
    check_bad("10-20,5-12", true, "goes back from 20 to 5");
}
END_TEST

START_TEST(frames_limits_their_number) {
    int32_t count = 0;
    ck_assert_int_eq(toile_frames_parse("1-1000000", true, NULL, 0, &count, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(count, 1000000);
    check_bad("1-1000001", true, "1000000 frames");
    check_bad("-2147483647-2147483647", true, "1000000 frames");
    /* a step keeps a long range small */
    ck_assert_int_eq(
        toile_frames_parse("-2147483647-2147483647x2147483647", true, NULL, 0, &count, NULL),
        TOILE_STATUS_OK);
    ck_assert_int_eq(count, 3);
}
END_TEST

START_TEST(frames_fills_no_more_than_told) {
    int32_t frames[4] = {-9, -9, -9, -9};
    int32_t count = 0;
    ck_assert_int_eq(toile_frames_parse("1-9", true, frames, 2, &count, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(count, 9);
    ck_assert_int_eq(frames[1], 2);
    ck_assert_int_eq(frames[2], -9);
}
END_TEST

START_TEST(frames_refuses_null) {
    int32_t count = 0;
    ToileError error = toile_error_default();
    ck_assert_int_eq(toile_frames_parse(NULL, true, NULL, 0, &count, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_frames_parse("1", true, NULL, 0, NULL, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_frames_parse("1", true, NULL, 4, &count, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
}
END_TEST

START_TEST(frames_survives_any_cut) {
    static const char whole[] = "-12--1x3, 4-90:7 ,100-200";
    for (size_t length = 0; length < sizeof whole; length++) {
        char *text = malloc(length + 1);
        int32_t count = 0;
        ck_assert_ptr_nonnull(text);
        memcpy(text, whole, length);
        text[length] = '\0';
        ToileStatus status = toile_frames_parse(text, true, NULL, 0, &count, NULL);
        ck_assert(status == TOILE_STATUS_OK || status == TOILE_STATUS_INVALID_ARGUMENT);
        free(text);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("frames");
    TCase *tcase = tcase_create("frames");
    tcase_add_test(tcase, frames_reads_every_form);
    tcase_add_test(tcase, frames_counts_down_when_order_is_free);
    tcase_add_test(tcase, frames_refuses_what_cannot_be_read);
    tcase_add_test(tcase, frames_refuses_what_does_not_rise);
    tcase_add_test(tcase, frames_limits_their_number);
    tcase_add_test(tcase, frames_fills_no_more_than_told);
    tcase_add_test(tcase, frames_refuses_null);
    tcase_add_test(tcase, frames_survives_any_cut);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
