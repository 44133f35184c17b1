/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The structural check of archives, on files made by hand that no writer makes: small ones that
 * would cost time or memory without end. */
#include "abc-c/abc_check.h"
#include "support/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BIT ((uint64_t)1 << 63)
#define SLOTS                                                                                      \
    8192 /* blocks so far apart take the place of one another where texts are remembered */

/* ---- files in memory ---- */

static uint8_t *bytes;
static size_t size;
static uint64_t bytes_read;

static void put(const void *data, size_t count) {
    bytes = realloc(bytes, size + count);
    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes + size, data, count);
    size += count;
}

static void put_number(uint64_t value, size_t width) {
    uint8_t number[8];
    for (size_t i = 0; i < width; i++)
        number[i] = (uint8_t)(value >> (8 * i));
    put(number, width);
}

/* The entry of a group for a block of `count` bytes, which are letters with zeros at the end. */
static uint64_t put_letters(size_t count, size_t zeros) {
    uint64_t at = size;
    put_number(count, 8);
    for (size_t i = 0; i < count; i++)
        put_number(i < count - zeros ? 'a' : 0, 1);
    return BLOCK_BIT | at;
}

static uint64_t put_block(const void *data, size_t count) {
    uint64_t at = size;
    put_number(count, 8);
    put(data, count);
    return BLOCK_BIT | at;
}

/* A group of `first`, `count` times the pair `a` and `b` (0: `a` alone), and `last`. */
static uint64_t put_group(uint64_t first, uint64_t a, uint64_t b, size_t count, uint64_t last) {
    uint64_t at = size;
    put_number(count * (b ? 2 : 1) + 2, 8);
    put_number(first, 8);
    for (size_t i = 0; i < count; i++) {
        put_number(a, 8);
        if (b)
            put_number(b, 8);
    }
    put_number(last, 8);
    return at;
}

static void begin_file(void) {
    size = 0;
    bytes_read = 0;
    put("Ogawa\xff\0\1\0\0\0\0\0\0\0\0", 16);
}

/* The rest of a file whose top object is the group `top`. */
static void end_file(uint64_t top) {
    static const uint8_t times[24] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 1};
    static const uint8_t format[4] = {0}, library[4] = {0x69, 0x2a}; /* 10857 */
    uint64_t first = put_block(format, 4), second = put_block(library, 4);
    uint64_t third = put_block(times, 24), root = size;
    put_number(6, 8);
    put_number(first, 8);
    put_number(second, 8);
    put_number(top, 8);
    put_number(BLOCK_BIT, 8);
    put_number(third, 8);
    put_number(BLOCK_BIT, 8);
    memcpy(bytes + 8, &root, 8);
}

static bool read_bytes(void *user, uint64_t offset, void *data, size_t count) {
    (void)user;
    ck_assert(offset <= size && count <= size - offset);
    memcpy(data, bytes + offset, count);
    bytes_read += count;
    return true;
}

static void expect(abcc_status wanted, const char *part) {
    abcc_error error = {0};
    const TlAbcSource source = {NULL, size, read_bytes};
    abcc_status status = tl_abc_check(&source, NULL, &error);
    ck_assert_msg(status == wanted && (!part || strstr(error.text, part)), "%d: %s", (int)status,
                  error.text);
}

static void free_file(void) {
    free(bytes);
    bytes = NULL;
}

/* ---- headers ---- */

/* `count` objects, each with a child, all of which have the same header of 20 kB */
static void make_shared_headers(size_t count) {
    begin_file();
    uint64_t none = put_letters(32, 0), shared = size | BLOCK_BIT;
    put_number(4 + 1 + 1 + 4 + 20000 + 32, 8);
    put_number(1, 4);
    put("x", 1);
    put_number(255, 1);
    put_number(20000, 4);
    for (size_t i = 0; i < 20000 + 32; i++)
        put("m", 1);
    uint64_t leaf = put_group(0, 0, 0, 0, none);
    uint64_t object = put_group(0, leaf, 0, 1, shared), headers = size | BLOCK_BIT;
    put_number(6 * count + 32, 8);
    for (size_t i = 0; i < count; i++) {
        put_number(1, 4);
        put("o", 1);
        put_number(0, 1);
    }
    for (size_t i = 0; i < 32; i++)
        put("h", 1);
    end_file(put_group(0, object, 0, count, headers));
}

/* the library keeps a copy of every header, so that a megabyte could become many gigabytes */
START_TEST(headers_that_are_shared_are_refused) {
    make_shared_headers(1);
    expect(ABCC_OK, NULL);
    make_shared_headers(3);
    expect(ABCC_E_CORRUPT, "a list of names is used twice");
    free_file();
}
END_TEST

/* ---- texts ---- */

/* a text of `samples` samples, which are two blocks of `length` bytes in turn */
static void make_shared_texts(size_t samples, size_t length) {
    static const uint32_t scalar_text = 1 | 2 << 2 | 12 << 4 | 1 << 12;
    begin_file();
    uint64_t a = put_letters(length, 1), b = put_letters(length, 1), headers = 0;
    uint64_t group = put_group(a, b, a, samples / 2 - 1, b), none = put_letters(32, 0);
    headers = size | BLOCK_BIT;
    put_number(4 + 4 + 4 + 1, 8);
    put_number(scalar_text, 4);
    put_number(samples, 4);
    put_number(1, 4);
    put("p", 1);
    uint64_t properties = put_group(group, 0, 0, 0, headers);
    end_file(put_group(properties, 0, 0, 0, none));
}

/* writers store equal samples once, so that thousands of samples may share long texts */
START_TEST(texts_that_are_shared_are_read_once) {
    make_shared_texts(2000, 100000);
    expect(ABCC_OK, NULL);
    /* a sample costs two looks of 4 kB, not its 100 kB */
    ck_assert_uint_lt(bytes_read, 2000 * 10000);
    free_file();
}
END_TEST

START_TEST(texts_are_not_read_without_end) {
    make_shared_texts(2000, 20 * SLOTS - 8);
    expect(ABCC_E_LIMIT, "shares more text than the limit allows");
    free_file();
}
END_TEST

/* ---- versions ---- */

START_TEST(later_formats_are_named) {
    make_shared_headers(1);
    bytes[7] = 9;
    expect(ABCC_E_CORRUPT, "of a later format than this program knows");
    free_file();
}
END_TEST

int main(void) {
    Suite *suite = suite_create("abc_check");
    TCase *tests = tcase_create("structural check");
    tcase_add_test(tests, headers_that_are_shared_are_refused);
    tcase_add_test(tests, texts_that_are_shared_are_read_once);
    tcase_add_test(tests, texts_are_not_read_without_end);
    tcase_add_test(tests, later_formats_are_named);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
