/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Memory through the host's allocator. TlArena keeps every block of one object, so that freeing it,
 * or giving up half-way, is one call; blocks are zeroed and aligned to 64 bytes. */
#ifndef TL_ALLOC_H
#define TL_ALLOC_H

#include "toile/base.h"

typedef struct TlArenaBlock TlArenaBlock;

typedef struct TlArena {
    ToileAllocator allocator;
    TlArenaBlock *blocks;
    int32_t requests; /* since the arena was made or freed */
    bool failed;      /* some request was refused since the arena was made */
} TlArena;

/* The host's allocator, or the C library's when `alloc` or `free` is NULL. */
ToileAllocator tl_allocator_or_default(const ToileAllocator *allocator);

void tl_arena_init(TlArena *arena, ToileAllocator allocator);
/* `count` items of `size` bytes, zeroed; NULL when memory is refused or the product overflows. A
 * count of 0 gives one item. */
void *tl_arena_alloc(TlArena *arena, int64_t count, size_t size);
/* Gives an array of the arena back; NULL: there is none. */
void tl_arena_drop(TlArena *arena, void *array);
/* The same as tl_arena_drop, then tl_arena_alloc: a larger array, without what was in it. */
void *tl_arena_renew(TlArena *arena, void *array, int64_t count, size_t size);
/* Frees all blocks; the arena may be used again. */
void tl_arena_free(TlArena *arena);

/* An array of T from an arena. */
#define TL_NEW(arena, T, count) ((T *)tl_arena_alloc((arena), (int64_t)(count), sizeof(T)))
#define TL_RENEW(arena, T, array, count)                                                           \
    ((T *)tl_arena_renew((arena), (array), (int64_t)(count), sizeof(T)))

#endif
