/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Changes archives: single bits and bytes, the numbers that lead from part to part, the headers of
 * properties and objects, pieces of other archives, cuts. */
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BIT ((uint64_t)1 << 63)
#define PIECE_MAX 256

/* splitmix64 */
uint64_t mutate_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t below(uint64_t *state, size_t limit) {
    return limit ? (size_t)(mutate_random(state) % limit) : 0;
}

/* ---- where ---- */

/* A field of the seed that is still inside. */
static bool choose_field(uint64_t *state, const Seed *seed, const Mutant *mutant, size_t *at) {
    if (seed->map.field_count == 0)
        return false;
    *at = seed->map.fields[below(state, seed->map.field_count)];
    return *at + 8 <= mutant->size;
}

/* A byte, of a header in two cases of three. */
static size_t choose_byte(uint64_t *state, const Seed *seed, const Mutant *mutant) {
    for (int i = 0; i < 20 && seed->map.block_count > 0 && below(state, 3) < 2; i++) {
        const OgawaBlock *block = &seed->map.blocks[below(state, seed->map.block_count)];
        size_t at = block->at + below(state, block->size);
        if (block->header && at < mutant->size)
            return at;
    }
    return below(state, mutant->size);
}

/* ---- changes ---- */

static void flip_bit(uint64_t *state, const Seed *seed, Mutant *mutant) {
    mutant->bytes[choose_byte(state, seed, mutant)] ^= (uint8_t)(1u << below(state, 8));
}

static void set_byte(uint64_t *state, const Seed *seed, Mutant *mutant) {
    static const uint8_t likely[8] = {0, 1, 2, 0x7f, 0x80, 0xfe, 0xff, 16};
    size_t at = choose_byte(state, seed, mutant);
    mutant->bytes[at] = below(state, 2) ? likely[below(state, 8)] : (uint8_t)below(state, 256);
}

static void set_number(uint64_t *state, const Seed *seed, Mutant *mutant) {
    static const uint64_t likely[12] = {0,
                                        1,
                                        2,
                                        8,
                                        BLOCK_BIT,
                                        UINT64_MAX,
                                        UINT32_MAX,
                                        (uint64_t)1 << 31,
                                        (uint64_t)1 << 40,
                                        BLOCK_BIT - 1,
                                        32,
                                        1000000};
    size_t at = 0, from = 0;
    if (!choose_field(state, seed, mutant, &at))
        return;
    uint64_t value = ogawa_get(mutant->bytes, at);
    switch (below(state, 6)) {
    case 0:
        value = likely[below(state, 12)];
        break;
    case 1:
        value += below(state, 33) - 16;
        break;
    case 2:
        value ^= (uint64_t)1 << below(state, 64);
        break;
    case 3:
        value = mutant->size - below(state, 32);
        break;
    default: /* the number of another field, so that parts change places or meet twice */
        if (choose_field(state, seed, mutant, &from))
            value = ogawa_get(mutant->bytes, from);
        break;
    }
    ogawa_put(mutant->bytes, at, value);
}

static void swap_numbers(uint64_t *state, const Seed *seed, Mutant *mutant) {
    size_t a = 0, b = 0;
    if (!choose_field(state, seed, mutant, &a) || !choose_field(state, seed, mutant, &b))
        return;
    uint64_t first = ogawa_get(mutant->bytes, a), second = ogawa_get(mutant->bytes, b);
    ogawa_put(mutant->bytes, a, second);
    ogawa_put(mutant->bytes, b, first);
}

/* A number of two, four or eight bytes inside a header: a count, a length, a time. */
static void set_inside(uint64_t *state, const Seed *seed, Mutant *mutant) {
    static const uint64_t likely[8] = {0, 1, UINT64_MAX, 0x7fffffff, 0x80000000, 255, 256, 65536};
    size_t at = choose_byte(state, seed, mutant), width = (size_t)2 << below(state, 3);
    uint64_t value = likely[below(state, 8)];
    for (size_t i = 0; i < width && at + i < mutant->size; i++)
        mutant->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

/* A value of a sample, behind its hash: an index, a count, a coordinate, an operation. */
static void set_value(uint64_t *state, const Seed *seed, Mutant *mutant) {
    static const uint32_t likely[8] = {0,          1,          UINT32_MAX, INT32_MAX,
                                       0x80000000, 0x7fc00000, 0x7f800000, 1000};
    if (seed->map.block_count == 0)
        return;
    const OgawaBlock *block = &seed->map.blocks[below(state, seed->map.block_count)];
    size_t at = block->at + 16 + 4 * below(state, block->size / 4);
    uint32_t value = likely[below(state, 8)];
    for (size_t i = 0; i < 4 && at + i < block->at + block->size && at + i < mutant->size; i++)
        mutant->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

static void splice(uint64_t *state, const Seed *from, Mutant *mutant) {
    size_t length = 1 + below(state, PIECE_MAX);
    size_t source = below(state, from->size), target = below(state, mutant->size);
    if (from->map.block_count > 0 && below(state, 2)) {
        const OgawaBlock *block = &from->map.blocks[below(state, from->map.block_count)];
        source = block->at;
        length = block->size < PIECE_MAX ? block->size : PIECE_MAX;
    }
    length = length < from->size - source ? length : from->size - source;
    length = length < mutant->size - target ? length : mutant->size - target;
    memcpy(mutant->bytes + target, from->bytes + source, length);
}

/* Takes bytes out, so that all that follows moves. */
static void take_out(uint64_t *state, Mutant *mutant) {
    size_t at = below(state, mutant->size), length = 1 + below(state, 64);
    length = length < mutant->size - at ? length : mutant->size - at;
    if (length == mutant->size)
        return;
    memmove(mutant->bytes + at, mutant->bytes + at + length, mutant->size - at - length);
    mutant->size -= length;
}

static void change(uint64_t *state, const Seed *seed, const Seed *other, Mutant *mutant) {
    switch (below(state, 20)) {
    case 0:
        mutant->size = 1 + below(state, mutant->size);
        break;
    case 1:
        take_out(state, mutant);
        break;
    case 2:
        splice(state, below(state, 2) ? seed : other, mutant);
        break;
    case 3:
    case 4:
        swap_numbers(state, seed, mutant);
        break;
    case 5:
    case 6:
    case 7:
        set_number(state, seed, mutant);
        break;
    case 8:
    case 9:
        set_inside(state, seed, mutant);
        break;
    case 10:
    case 11:
        set_byte(state, seed, mutant);
        break;
    case 12:
    case 13:
        flip_bit(state, seed, mutant);
        break;
    default:
        set_value(state, seed, mutant);
        break;
    }
}

Mutant mutate(const Seed *seed, const Seed *other, uint64_t number) {
    uint64_t state = number * 0x2545f4914f6cdd1du + 1;
    Mutant mutant = {malloc(seed->size), seed->size};
    if (!mutant.bytes)
        abort();
    memcpy(mutant.bytes, seed->bytes, seed->size);
    for (size_t i = below(&state, 4) + 1; i > 0; i--)
        change(&state, seed, other, &mutant);
    return mutant;
}
