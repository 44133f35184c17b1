/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader and writer: values, places, every refusal; exact numbers in any locale; and the
 * SHA-256 that hashes such texts. */
#include "../io/json.h"
#include "../io/number.h"
#include "../io/sha256.h"
#include "support/io_files.h"
#include "support/run_suite.h"

#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parses an exact copy, so that a read past the end is seen by the address sanitizer. */
static TlJson *parse(const char *text, size_t size, TlIoArena *arena, IoFindings *findings) {
    TlReport report = {.sink = io_findings_add, .user = findings};
    char *copy = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, size);
    TlJson *value = tl_json_parse(copy, size, "a.json", arena, &report);
    free(copy);
    ck_assert((value == NULL) == (report.status != TOILE_STATUS_OK));
    return value;
}

/* ---- reading ---- */

START_TEST(json_reads_every_kind_of_value) {
    static const char text[] =
        " {\"n\": null, \"t\": true, \"f\": false, \"x\": -1.5e-3, \"s\": \"a\\u00e9\\n\\\"b\","
        " \"l\": [1, [], {}], \"p\": \"\\ud83d\\ude00\"}\r\n";
    TlIoArena arena = {0};
    IoFindings findings = {0};
    TlJson *root = parse(text, strlen(text), &arena, &findings);
    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(root->count, 7);
    ck_assert_int_eq(tl_json_get(root, "n")->kind, TL_JSON_NULL);
    ck_assert(tl_json_get(root, "t")->boolean);
    ck_assert(!tl_json_get(root, "f")->boolean);
    ck_assert_double_eq(tl_json_get(root, "x")->number, -1.5e-3);
    ck_assert_str_eq(tl_json_get(root, "s")->string, "a\xC3\xA9\n\"b");
    ck_assert_str_eq(tl_json_get(root, "p")->string, "\xF0\x9F\x98\x80");
    ck_assert_int_eq(tl_json_get(root, "l")->count, 3);
    ck_assert_ptr_null(tl_json_get(root, "nothing"));
    ck_assert_ptr_null(tl_json_at(tl_json_get(root, "l"), 3));
    ck_assert_int_eq(tl_json_at(tl_json_get(root, "l"), 2)->kind, TL_JSON_OBJECT);
    tl_io_arena_free(&arena);
}
END_TEST

START_TEST(json_values_and_keys_know_their_places) {
    static const char text[] = "{\n  \"a\": [1,\n   22],\n\t\"\xC3\xA9\": {\"b\":  true}}";
    TlIoArena arena = {0};
    IoFindings findings = {0};
    TlJson *root = parse(text, strlen(text), &arena, &findings);
    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(root->place.line, 1);
    ck_assert_int_eq(root->place.column, 1);
    const TlJson *a = tl_json_get(root, "a");
    ck_assert_int_eq(a->key_place.line, 2);
    ck_assert_int_eq(a->key_place.column, 3);
    ck_assert_int_eq(a->place.column, 8);
    ck_assert_int_eq(tl_json_at(a, 1)->place.line, 3);
    ck_assert_int_eq(tl_json_at(a, 1)->place.column, 4);
    /* columns count characters, not bytes */
    const TlJson *b = tl_json_get(tl_json_get(root, "\xC3\xA9"), "b");
    ck_assert_int_eq(b->key_place.line, 4);
    ck_assert_int_eq(b->key_place.column, 8);
    ck_assert_int_eq(b->place.column, 14);
    tl_io_arena_free(&arena);
}
END_TEST

typedef struct Bad {
    const char *text;
    int32_t line, column;
    const char *part;
} Bad;

START_TEST(json_refuses_with_place_and_reason) {
    static const Bad bads[] = {
        {"", 1, 1, "the text ends where a value is needed"},
        {"{", 1, 2, "the text ends where a key in double quotes is needed"},
        {"[1, 2", 1, 6, "the text ends where a comma or ] is needed"},
        {"{\"a\": 1,}", 1, 9, "remove the comma"},
        {"[1,]", 1, 4, "remove the comma"},
        {"{\"a\" 1}", 1, 6, "'1' stands where a colon"},
        {"{a: 1}", 1, 2, "'a' stands where a key in double quotes"},
        {"{'a': 1}", 1, 2, "strings stand in double quotes"},
        {"// x\n1", 1, 1, "comments are not allowed"},
        {"[1, # x\n2]", 1, 5, "comments are not allowed"},
        {"{\"a\": 1,\n \"a\": 2}", 2, 2,
         "stands twice in this object; it was first given in line 1"},
        {"[NaN]", 1, 2, "NaN is not allowed; write a finite number"},
        {"[-Infinity]", 1, 2, "write a finite number"},
        {"[inf]", 1, 2, "write a finite number"},
        {"[1e999]", 1, 2, "too large for a number"},
        {"[01]", 1, 2, "01 is not a number as JSON writes it"},
        {"[+1]", 1, 2, "+1 is not a number"},
        {"[.5]", 1, 2, ".5 is not a number"},
        {"[1.]", 1, 2, "1. is not a number"},
        {"[1e]", 1, 2, "1e is not a number"},
        {"[0x10]", 1, 2, "0x10 is not a number"},
        {"[1,5.0.0]", 1, 4, "5.0.0 is not a number"},
        {"[True]", 1, 2, "True is not a value"},
        {"\"a\nb\"", 1, 3, "the line ends inside a string"},
        {"\"a\tb\"", 1, 3, "a control character stands in a string"},
        {"\"a\\x\"", 1, 4, "'x' stands where one of"},
        {"\"\\u12g4\"", 1, 6, "hexadecimal digit"},
        {"\"\\u0000\"", 1, 8, "U+0000"},
        {"\"\\ud800x\"", 1, 8, "first half of a surrogate pair"},
        {"\"\\udc00\"", 1, 8, "second half of a surrogate pair"},
        {"\"\xFF\"", 1, 2, "not UTF-8"},
        {"\"\xC0\x80\"", 1, 2, "not UTF-8"},
        {"\"\xED\xA0\x80\"", 1, 2, "not UTF-8"},
        {"\"abc", 1, 5, "the double quote that closes a string"},
        {"1 2", 1, 3, "'2' stands where the end of the text"},
        {"{} x", 1, 4, "'x' stands where the end of the text"},
        {"[\x01]", 1, 2, "0x01 stands where a value"},
    };
    for (size_t i = 0; i < sizeof bads / sizeof bads[0]; i++) {
        TlIoArena arena = {0};
        IoFindings findings = {0};
        TlJson *root = parse(bads[i].text, strlen(bads[i].text), &arena, &findings);
        ck_assert_msg(root == NULL, "%s was accepted", bads[i].text);
        ck_assert_int_eq(findings.count, 1);
        ck_assert_int_eq(findings.items[0].status, TOILE_STATUS_INVALID_DATA);
        ck_assert_msg(io_findings_find(&findings, bads[i].line, bads[i].column, bads[i].part),
                      "%s: %d:%d: %s", bads[i].text, findings.items[0].line,
                      findings.items[0].column, findings.items[0].message);
        tl_io_arena_free(&arena);
    }
}
END_TEST

START_TEST(json_limits_depth_and_keys) {
    TlIoArena arena = {0};
    IoFindings findings = {0};
    char deep[400];
    memset(deep, '[', sizeof deep);
    ck_assert_ptr_null(parse(deep, sizeof deep, &arena, &findings));
    ck_assert_ptr_nonnull(strstr(findings.items[0].message, "deeper than the 64 levels"));
    TlIoText text = {0};
    tl_io_text_add_string(&text, "{");
    for (int32_t i = 0; i <= TL_JSON_MAX_KEYS; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s\"k%d\":0", i ? "," : "", i);
        tl_io_text_add_string(&text, key);
    }
    tl_io_text_add_string(&text, "}");
    findings.count = 0;
    ck_assert_ptr_null(parse(text.data, text.length, &arena, &findings));
    ck_assert_ptr_nonnull(strstr(findings.items[0].message, "more than the 1024 keys"));
    tl_io_text_free(&text);
    tl_io_arena_free(&arena);
}
END_TEST

START_TEST(json_survives_any_cut) {
    static const char whole[] = "\xEF\xBB\xBF{\"a\": [1.5e-3, true, null, \"\\u00e9\\ud83d\\ude00"
                                "\xC3\xA9\"], \"b\": {\"c\": -0}}";
    for (size_t length = 0; length < sizeof whole - 1; length++) {
        TlIoArena arena = {0};
        IoFindings findings = {0};
        ck_assert_ptr_null(parse(whole, length, &arena, &findings));
        tl_io_arena_free(&arena);
    }
}
END_TEST

START_TEST(json_survives_random_changes) {
    static const char whole[] = "{\"a\": [1.5e-3, true, null, \"\\u00e9\"], \"b\": {\"c\": -0.0}}";
    static const char letters[] = "{}[]\",:\\0123456789eE+-.truefalsn \n\x80\xC3";
    uint64_t state = io_random_seed("json_survives_random_changes");
    for (int32_t round = 0; round < 5000; round++) {
        char text[sizeof whole];
        TlIoArena arena = {0};
        IoFindings findings = {0};
        memcpy(text, whole, sizeof whole);
        for (int32_t k = 0; k < 3; k++)
            text[io_random(&state) % (sizeof whole - 1)] =
                letters[io_random(&state) % (sizeof letters - 1)];
        parse(text, sizeof whole - 1, &arena, &findings);
        tl_io_arena_free(&arena);
    }
}
END_TEST

START_TEST(json_written_text_reads_back_the_same) {
    static const char text[] = "{\"a\":[1,2.5,1e-05,0.1],\"b\":\"x\\\"\\n\\u0001\",\"c\":null,"
                               "\"d\":{\"e\":[],\"f\":{}},\"g\":false}";
    TlIoArena arena = {0};
    IoFindings findings = {0};
    TlIoText out = {0};
    TlJson *root = parse(text, strlen(text), &arena, &findings);
    ck_assert_ptr_nonnull(root);
    tl_json_write(root, &out);
    ck_assert(!out.failed);
    ck_assert_str_eq(out.data, text);
    tl_io_text_free(&out);
    tl_io_arena_free(&arena);
}
END_TEST

/* ---- numbers ---- */

static double parse_number(const char *text) {
    double value = -1;
    ck_assert_msg(tl_number_parse(text, strlen(text), &value), "%s", text);
    return value;
}

static uint64_t bits_of(double value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

START_TEST(number_rounds_hard_cases_correctly) {
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "0.1",
        "1e22",
        "1e23",
        "9007199254740993",
        "9007199254740992.999999",
        "9007199254740993.0000000000000000000000000000000000001",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.797693134862315807e308",
        "1e308",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1e-324",
        "1e-400",
        "123456789012345678901234567890",
        "6.631236846766476e-316",
        "3.518437208883201171875e13",
        "62.5364939768271845828",
        "8.10109172351e-10",
        "1.50000000000000011102230246251565404236316680908203125",
        "1.50000000000000011102230246251565404236316680908203124",
        "1.50000000000000011102230246251565404236316680908203126",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000001e70",
        "179769313486231580793728971405301e276",
        "5e-324",
        "0.5e-323",
        "1448997445238699",
        "7.2057594037927933e16",
        "+12.5",
        "12.",
        ".5"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        ck_assert_msg(bits_of(parse_number(texts[i])) == bits_of(strtod(texts[i], NULL)), "%s",
                      texts[i]);
    ck_assert(isinf(parse_number("1e309")));
    ck_assert(isinf(parse_number("-1.7976931348623159e308")));
}
END_TEST

START_TEST(number_agrees_with_strtod_on_random_text) {
    uint64_t state = io_random_seed("number_agrees_with_strtod_on_random_text");
    for (int32_t round = 0; round < 100000; round++) {
        char text[64];
        size_t used = 0;
        uint64_t digits = 1 + io_random(&state) % 25;
        uint64_t point = io_random(&state) % (digits + 1);
        for (uint64_t i = 0; i < digits; i++) {
            if (i == point)
                text[used++] = '.';
            text[used++] = (char)('0' + io_random(&state) % 10);
        }
        int exponent = (int)(io_random(&state) % 700) - 350;
        if (round % 3 == 0)
            exponent = (int)(io_random(&state) % 30) - 15;
        snprintf(text + used, sizeof text - used, "e%d", exponent);
        ck_assert_msg(bits_of(parse_number(text)) == bits_of(strtod(text, NULL)), "%s", text);
    }
}
END_TEST

START_TEST(number_reads_its_own_text_back_exactly) {
    uint64_t state = io_random_seed("number_reads_its_own_text_back_exactly");
    for (int32_t round = 0; round < 100000; round++) {
        uint64_t bits = io_random(&state);
        double value = 0;
        char text[TL_NUMBER_SIZE];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        tl_number_format(value, 17, text);
        ck_assert_msg(bits_of(parse_number(text)) == bits, "%s", text);
        tl_number_shortest(value, text);
        ck_assert_msg(bits_of(parse_number(text)) == bits, "%s", text);
    }
}
END_TEST

START_TEST(number_survives_very_long_text) {
    TlIoText text = {0};
    tl_io_text_add_string(&text, "1.");
    for (int32_t i = 0; i < 5000; i++)
        tl_io_text_add_string(&text, "0123456789");
    ck_assert_double_eq(parse_number(text.data), strtod(text.data, NULL));
    tl_io_text_add_string(&text, "e-99999999999999999999");
    ck_assert_double_eq(parse_number(text.data), 0);
    tl_io_text_free(&text);
    /* one digit far behind decides the tie of 2^53 + 1 */
    tl_io_text_add_string(&text, "9007199254740993.");
    for (int32_t i = 0; i < 2000; i++)
        tl_io_text_add_string(&text, "0");
    ck_assert_double_eq(parse_number(text.data), 9007199254740992.0);
    tl_io_text_add_string(&text, "1");
    ck_assert_double_eq(parse_number(text.data), 9007199254740994.0);
    tl_io_text_free(&text);
}
END_TEST

START_TEST(number_refuses_what_is_none) {
    static const char *const texts[] = {"",    "-",   ".",  "e5", "1e",   "1e+", "nan",  "inf",
                                        "0x1", "1,5", "1 ", " 1", "1..2", "--1", "1e5.5"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value = 0;
        ck_assert_msg(!tl_number_parse(texts[i], strlen(texts[i]), &value), "%s", texts[i]);
    }
}
END_TEST

START_TEST(number_does_not_follow_the_locale) {
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF.UTF-8"};
    bool any = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[TL_NUMBER_SIZE];
        any = setlocale(LC_ALL, names[i]) != NULL || any;
        ck_assert_double_eq(parse_number("1234.5"), 1234.5);
        tl_number_format(-1234.5e-20, 9, text);
        ck_assert_str_eq(text, "-1.2345e-17");
        tl_number_shortest(0.1, text);
        ck_assert_str_eq(text, "0.1");
        tl_number_shortest(1e-300, text);
        ck_assert_str_eq(text, "1e-300");
    }
    setlocale(LC_ALL, "C");
    if (!any)
        printf("number_does_not_follow_the_locale: this machine has no locale with a comma\n");
}
END_TEST

/* ---- hash ---- */

static void check_digest(const char *text, size_t repeat, const char *expected) {
    TlSha256 sha;
    uint8_t digest[32];
    char hex[65];
    tl_sha256_start(&sha);
    for (size_t i = 0; i < repeat; i++)
        tl_sha256_add(&sha, text, strlen(text));
    tl_sha256_finish(&sha, digest);
    tl_sha256_text(digest, hex);
    ck_assert_str_eq(hex, expected);
}

/* the examples of FIPS 180-4 and NIST's long message */
START_TEST(sha256_gives_the_published_digests) {
    check_digest("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_digest("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_digest("aaaaaaaaaa", 100000,
                 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("json");
    TCase *tcase = tcase_create("json");
    tcase_add_test(tcase, json_reads_every_kind_of_value);
    tcase_add_test(tcase, json_values_and_keys_know_their_places);
    tcase_add_test(tcase, json_refuses_with_place_and_reason);
    tcase_add_test(tcase, json_limits_depth_and_keys);
    tcase_add_test(tcase, json_survives_any_cut);
    tcase_add_test(tcase, json_survives_random_changes);
    tcase_add_test(tcase, json_written_text_reads_back_the_same);
    suite_add_tcase(suite, tcase);
    TCase *number = tcase_create("number");
    tcase_add_test(number, number_rounds_hard_cases_correctly);
    tcase_add_test(number, number_agrees_with_strtod_on_random_text);
    tcase_add_test(number, number_reads_its_own_text_back_exactly);
    tcase_add_test(number, number_survives_very_long_text);
    tcase_add_test(number, number_refuses_what_is_none);
    tcase_add_test(number, number_does_not_follow_the_locale);
    tcase_add_test(number, sha256_gives_the_published_digests);
    suite_add_tcase(suite, number);
    return run_suite(suite);
}
