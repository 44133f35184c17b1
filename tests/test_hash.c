/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* xxHash64 against its published vectors, and independence of how the data arrives. */
#include "base/hash.h"
#include "support/builders.h"

#include <string.h>

static uint64_t hash_of(const void *data, size_t size, uint64_t seed) {
    TlHash hash;
    tl_hash_init(&hash, seed);
    tl_hash_add(&hash, data, size);
    return tl_hash_end(&hash);
}

START_TEST(hash_known_vectors) {
    static const struct {
        const char *text;
        uint64_t hash;
    } vectors[] = {
        {"", 0xef46db3751d8e999ULL},
        {"a", 0xd24ec4f1a98c6e5bULL},
        {"as", 0x1c330fb2d66be179ULL},
        {"asd", 0x631c37ce72a97393ULL},
        {"asdf", 0x415872f599cea71eULL},
        {"abc", 0x44bc2cf5ad770999ULL},
        {"Call me Ishmael. Some years ago--never mind how long precisely-", 0x02a2e85470d6fd96ULL},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        ck_assert_uint_eq(hash_of(vectors[i].text, strlen(vectors[i].text), 0), vectors[i].hash);
    }
}
END_TEST

/* the reference's own sanity buffer: bytes of a 64-bit generator, lengths and seeds as published */
START_TEST(hash_reference_sanity_values) {
    static const uint64_t prime32 = 2654435761U, prime64 = 11400714785074694797ULL;
    static const struct {
        size_t size;
        uint64_t plain, seeded;
    } wanted[] = {{1, 0xe934a84adb052768ULL, 0x5014607643a9b4c3ULL},
                  {4, 0x9136a0dca57457eeULL, 0xcaab286bd8e9fdb5ULL},
                  {14, 0x8282dcc4994e35c8ULL, 0xc3bd6bf63deb6df0ULL},
                  {222, 0xb641ae8cb691c174ULL, 0x20cb8ab7ae10c14aULL}};
    unsigned char buffer[222];
    uint64_t generator = prime32;
    for (int i = 0; i < 222; i++) {
        buffer[i] = (unsigned char)(generator >> 56);
        generator *= prime64;
    }
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(hash_of(buffer, wanted[i].size, 0), wanted[i].plain);
        ck_assert_uint_eq(hash_of(buffer, wanted[i].size, prime32), wanted[i].seeded);
    }
}
END_TEST

START_TEST(hash_any_chunking_gives_the_same) {
    TestRandom random = test_random(81);
    unsigned char data[300];
    for (int i = 0; i < 300; i++) {
        data[i] = (unsigned char)test_bits(&random);
    }
    for (int32_t size = 0; size <= 300; size++) {
        uint64_t whole = hash_of(data, (size_t)size, 7);
        TlHash hash;
        tl_hash_init(&hash, 7);
        for (int32_t at = 0; at < size;) {
            int32_t left = size - at, take = test_below(&random, left < 70 ? left + 1 : 70);
            tl_hash_add(&hash, data + at, (size_t)take);
            at += take;
        }
        ck_assert_uint_eq(tl_hash_end(&hash), whole);
    }
}
END_TEST

START_TEST(hash_every_bit_counts) {
    unsigned char data[67] = {0};
    uint64_t zero = hash_of(data, sizeof data, 0);
    for (int bit = 0; bit < 8 * 67; bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        ck_assert_uint_ne(hash_of(data, sizeof data, 0), zero);
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}
END_TEST

TEST_MAIN("hash", hash_known_vectors, hash_reference_sanity_values,
          hash_any_chunking_gives_the_same, hash_every_bit_counts)
