/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* xxHash64; see hash.h. */
#include "base/hash.h"

#include <string.h>

#define P1 11400714785074694791ULL
#define P2 14029467366897019727ULL
#define P3 1609587929392839161ULL
#define P4 9650029242287828579ULL
#define P5 2870177450012600261ULL

static uint64_t rotate_left(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

static uint64_t read64(const unsigned char *p) {
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--) {
        x = x << 8 | p[i];
    }
    return x;
}

static uint64_t read32(const unsigned char *p) {
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
}

static uint64_t mix(uint64_t lane, uint64_t word) {
    return rotate_left(lane + word * P2, 31) * P1;
}

void tl_hash_init(TlHash *hash, uint64_t seed) {
    memset(hash, 0, sizeof *hash);
    hash->seed = seed;
    hash->lane[0] = seed + P1 + P2;
    hash->lane[1] = seed + P2;
    hash->lane[2] = seed;
    hash->lane[3] = seed - P1;
}

static void add_stripe(TlHash *hash, const unsigned char *p) {
    for (int i = 0; i < 4; i++) {
        hash->lane[i] = mix(hash->lane[i], read64(p + 8 * i));
    }
}

void tl_hash_add(TlHash *hash, const void *data, size_t size) {
    const unsigned char *p = data;
    hash->total += size;
    while (size > 0) {
        if (hash->buffered == 0 && size >= 32) {
            add_stripe(hash, p);
            p += 32;
            size -= 32;
            continue;
        }
        size_t take = 32 - hash->buffered;
        take = take < size ? take : size;
        memcpy(hash->buffer + hash->buffered, p, take);
        hash->buffered += (uint32_t)take;
        p += take;
        size -= take;
        if (hash->buffered == 32) {
            add_stripe(hash, hash->buffer);
            hash->buffered = 0;
        }
    }
}

uint64_t tl_hash_end(const TlHash *hash) {
    uint64_t h;
    if (hash->total >= 32) {
        const uint64_t *lane = hash->lane;
        h = rotate_left(lane[0], 1) + rotate_left(lane[1], 7) + rotate_left(lane[2], 12) +
            rotate_left(lane[3], 18);
        for (int i = 0; i < 4; i++) {
            h = (h ^ mix(0, lane[i])) * P1 + P4;
        }
    } else {
        h = hash->seed + P5;
    }
    h += hash->total;
    const unsigned char *p = hash->buffer, *end = p + hash->buffered;
    for (; p + 8 <= end; p += 8) {
        h = rotate_left(h ^ mix(0, read64(p)), 27) * P1 + P4;
    }
    if (p + 4 <= end) {
        h = rotate_left(h ^ read32(p) * P1, 23) * P2 + P3;
        p += 4;
    }
    for (; p < end; p++) {
        h = rotate_left(h ^ *p * P5, 11) * P1;
    }
    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;
    return h ^ h >> 32;
}
