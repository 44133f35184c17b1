/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Walks an Ogawa file: groups are a count and positions of children, whose top bit marks data; data
 * is a size and bytes. See io/abc-c/abc_check.c for the whole layout. */
#include "ogawa_map.h"

#include <stdlib.h>

#define BLOCK_BIT ((uint64_t)1 << 63)
#define DEPTH_MAX 600
#define HEADER_BYTES 512 /* what is longer is rather values */

uint64_t ogawa_get(const uint8_t *bytes, size_t at) {
    uint64_t value = 0;
    for (size_t i = 8; i > 0; i--)
        value = value << 8 | bytes[at + i - 1];
    return value;
}

void ogawa_put(uint8_t *bytes, size_t at, uint64_t value) {
    for (size_t i = 0; i < 8; i++)
        bytes[at + i] = (uint8_t)(value >> (8 * i));
}

/* Makes room for one more; memory that runs out ends the test. */
static void *grow(void *array, size_t count, size_t *room, size_t size) {
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 64;
    void *grown = realloc(array, *room * size);
    if (!grown)
        abort();
    return grown;
}

static void add_field(OgawaMap *map, size_t at) {
    map->fields = grow(map->fields, map->field_count, &map->field_room, sizeof *map->fields);
    map->fields[map->field_count++] = at;
}

static void add_block(OgawaMap *map, OgawaBlock block) {
    map->blocks = grow(map->blocks, map->block_count, &map->block_room, sizeof *map->blocks);
    map->blocks[map->block_count++] = block;
}

static void walk_block(OgawaMap *map, const uint8_t *bytes, size_t size, uint64_t at, bool header) {
    if (at == 0 || at > size - 8 || ogawa_get(bytes, at) > size - 8 - at)
        return;
    size_t length = (size_t)ogawa_get(bytes, at);
    add_field(map, (size_t)at);
    if (length > 0)
        add_block(map, (OgawaBlock){(size_t)at + 8, length, header && length <= HEADER_BYTES});
}

static void walk_group(OgawaMap *map, const uint8_t *bytes, size_t size, uint64_t at, int depth) {
    if (at == 0 || at > size - 8 || depth > DEPTH_MAX)
        return;
    uint64_t count = ogawa_get(bytes, at);
    if (count > (size - 8 - at) / 8)
        return;
    add_field(map, (size_t)at);
    for (uint64_t i = 0; i < count; i++) {
        size_t entry_at = (size_t)(at + 8 + 8 * i);
        uint64_t entry = ogawa_get(bytes, entry_at);
        add_field(map, entry_at);
        /* headers stand last, dimensions second in a pair; the root has nothing but headers */
        if (entry & BLOCK_BIT)
            walk_block(map, bytes, size, entry & ~BLOCK_BIT,
                       depth == 0 || i + 1 == count || i % 2 == 1);
        else
            walk_group(map, bytes, size, entry, depth + 1);
    }
}

OgawaMap ogawa_map_make(const uint8_t *bytes, size_t size) {
    OgawaMap map = {0};
    if (size >= 24) {
        add_field(&map, 0);
        add_field(&map, 8);
        walk_group(&map, bytes, size, ogawa_get(bytes, 8), 0);
    }
    return map;
}

void ogawa_map_free(OgawaMap *map) {
    free(map->fields);
    free(map->blocks);
}
