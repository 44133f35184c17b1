/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Where the parts of a sound Ogawa file are, so that a fuzzer can aim. */
#ifndef FUZZ_OGAWA_MAP_H
#define FUZZ_OGAWA_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run of bytes: content of a data block. */
typedef struct OgawaBlock {
    size_t at, size;
    bool header; /* names and types of properties or objects, times, dimensions: few bytes that
                  * steer much */
} OgawaBlock;

typedef struct OgawaMap {
    size_t *fields; /* positions of 8-byte numbers: counts of groups, their entries, block sizes */
    OgawaBlock *blocks;
    size_t field_count, block_count, field_room, block_room;
} OgawaMap;

/* Walks a sound file; of another nothing or a part is found. */
OgawaMap ogawa_map_make(const uint8_t *bytes, size_t size);
void ogawa_map_free(OgawaMap *map);

uint64_t ogawa_get(const uint8_t *bytes, size_t at);
void ogawa_put(uint8_t *bytes, size_t at, uint64_t value);

#endif
