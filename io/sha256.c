/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 as written in FIPS 180-4, sections 4.1.2, 5 and 6.2; names follow the standard. */
#include "sha256.h"

#include <stdio.h>
#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}

static void schedule(const uint8_t *M, uint32_t W[64]) {
    for (int t = 0; t < 16; t++)
        W[t] = (uint32_t)M[4 * t] << 24 | (uint32_t)M[4 * t + 1] << 16 |
               (uint32_t)M[4 * t + 2] << 8 | M[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotr(W[t - 15], 7) ^ rotr(W[t - 15], 18) ^ W[t - 15] >> 3;
        uint32_t s1 = rotr(W[t - 2], 17) ^ rotr(W[t - 2], 19) ^ W[t - 2] >> 10;
        W[t] = s1 + W[t - 7] + s0 + W[t - 16];
    }
}

static void compress(uint32_t H[8], const uint8_t *M) {
    uint32_t W[64];
    uint32_t v[8]; /* a to h of the standard */
    schedule(M, W);
    memcpy(v, H, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t S1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
        uint32_t ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t T1 = v[7] + S1 + ch + K[t] + W[t];
        uint32_t S0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
        uint32_t maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += T1;
        v[0] = T1 + S0 + maj;
    }
    for (int i = 0; i < 8; i++)
        H[i] += v[i];
}

void tl_sha256_start(TlSha256 *sha) {
    static const uint32_t H0[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memset(sha, 0, sizeof *sha);
    memcpy(sha->state, H0, sizeof H0);
}

void tl_sha256_add(TlSha256 *sha, const void *data, size_t size) {
    const uint8_t *bytes = data;
    size_t held = (size_t)(sha->length % 64);
    sha->length += size;
    while (size > 0) {
        size_t take = 64 - held < size ? 64 - held : size;
        memcpy(sha->block + held, bytes, take);
        bytes += take;
        size -= take;
        held += take;
        if (held == 64) {
            compress(sha->state, sha->block);
            held = 0;
        }
    }
}

void tl_sha256_finish(TlSha256 *sha, uint8_t digest[32]) {
    static const uint8_t padding[64] = {0x80};
    uint64_t bits = sha->length * 8;
    uint8_t tail[8];
    size_t held = (size_t)(sha->length % 64);
    for (int i = 0; i < 8; i++)
        tail[i] = (uint8_t)(bits >> (56 - 8 * i));
    tl_sha256_add(sha, padding, held < 56 ? 56 - held : 120 - held);
    tl_sha256_add(sha, tail, sizeof tail);
    for (int i = 0; i < 32; i++)
        digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

void tl_sha256_text(const uint8_t digest[32], char text[65]) {
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}
