/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* xxHash64 (Yann Collet's public specification), streaming over blocks of doubles and integers.
 * Words are read as little-endian. */
#ifndef TL_HASH_H
#define TL_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct TlHash {
    uint64_t lane[4];
    uint64_t total;
    unsigned char buffer[32];
    uint32_t buffered;
    uint64_t seed;
} TlHash;

void tl_hash_init(TlHash *hash, uint64_t seed);
void tl_hash_add(TlHash *hash, const void *data, size_t size);
uint64_t tl_hash_end(const TlHash *hash);

#endif
