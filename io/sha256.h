/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), for scene hashes and manifests. */
#ifndef TL_IO_SHA256_H
#define TL_IO_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct TlSha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    uint8_t block[64];
} TlSha256;

void tl_sha256_start(TlSha256 *sha);
void tl_sha256_add(TlSha256 *sha, const void *data, size_t size);
void tl_sha256_finish(TlSha256 *sha, uint8_t digest[32]);
/* A digest as 64 lower-case hexadecimal digits and a zero byte. */
void tl_sha256_text(const uint8_t digest[32], char text[65]);

#endif
