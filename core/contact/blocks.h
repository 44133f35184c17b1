/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A list of two kinds of items cut into blocks of one kind each, by their numbers alone, so that
 * what is collected block by block has the same order for any number of workers. */
#ifndef TL_BLOCKS_H
#define TL_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

enum { TL_LEAST_BLOCK = 512, TL_MOST_BLOCKS = 130 };

typedef struct TlBlocks {
    int32_t first, items; /* items [0, first) are of the first kind, [first, items) of the other */
    int32_t size;         /* items of a block */
    int32_t first_blocks, count;
} TlBlocks;

static inline TlBlocks tl_blocks(int32_t first, int32_t items) {
    int32_t size = items / (TL_MOST_BLOCKS - 2) + 1;
    size = size > TL_LEAST_BLOCK ? size : TL_LEAST_BLOCK;
    int32_t firsts = first / size + (first % size > 0);
    int32_t others = (items - first) / size + ((items - first) % size > 0);
    return (TlBlocks){first, items, size, firsts, firsts + others};
}
static inline bool tl_block_is_first(const TlBlocks *blocks, int32_t block) {
    return block < blocks->first_blocks;
}
static inline int32_t tl_block_begin(const TlBlocks *blocks, int32_t block) {
    return tl_block_is_first(blocks, block)
               ? block * blocks->size
               : blocks->first + (block - blocks->first_blocks) * blocks->size;
}
static inline int32_t tl_block_end(const TlBlocks *blocks, int32_t block) {
    int32_t begin = tl_block_begin(blocks, block);
    int32_t last = tl_block_is_first(blocks, block) ? blocks->first : blocks->items;
    return last - begin < blocks->size ? last : begin + blocks->size;
}

#endif
