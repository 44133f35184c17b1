/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Arena over the host's allocator; see alloc.h. */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { TL_ALIGN = 64 };

/* Stands at the head of each block; the payload follows at the next multiple of TL_ALIGN. */
struct TlArenaBlock {
    TlArenaBlock *next;
    size_t size; /* whole block */
};

static void *default_alloc(void *user, size_t size, size_t align) {
    (void)user;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void default_free(void *user, void *ptr, size_t size) {
    (void)user;
    (void)size;
    free(ptr);
}

ToileAllocator tl_allocator_or_default(const ToileAllocator *allocator) {
    if (allocator != NULL && allocator->alloc != NULL && allocator->free != NULL) {
        return *allocator;
    }
    return (ToileAllocator){default_alloc, default_free, NULL};
}

void tl_arena_init(TlArena *arena, ToileAllocator allocator) {
    arena->allocator = allocator;
    arena->blocks = NULL;
    arena->requests = 0;
    arena->failed = false;
}

void *tl_arena_alloc(TlArena *arena, int64_t count, size_t size) {
    if (count < 1) {
        count = 1;
    }
    if ((uint64_t)count > (SIZE_MAX / 2 - TL_ALIGN) / size) {
        arena->failed = true;
        return NULL;
    }
    size_t total = (TL_ALIGN + (size_t)count * size + TL_ALIGN - 1) / TL_ALIGN * TL_ALIGN;
    TlArenaBlock *block = arena->allocator.alloc(arena->allocator.user, total, TL_ALIGN);
    if (block != NULL && (uintptr_t)block % TL_ALIGN != 0) {
        /* vectors would fault: a host that ignores the alignment is refused */
        arena->allocator.free(arena->allocator.user, block, total);
        block = NULL;
    }
    if (block == NULL) {
        arena->failed = true;
        return NULL;
    }
    memset(block, 0, total);
    arena->requests++;
    block->next = arena->blocks;
    block->size = total;
    arena->blocks = block;
    return (char *)block + TL_ALIGN;
}

void tl_arena_drop(TlArena *arena, void *array) {
    TlArenaBlock **link = &arena->blocks;
    while (*link != NULL && (char *)*link + TL_ALIGN != array) {
        link = &(*link)->next;
    }
    TlArenaBlock *block = *link;
    if (block != NULL) {
        *link = block->next;
        arena->allocator.free(arena->allocator.user, block, block->size);
    }
}

void *tl_arena_renew(TlArena *arena, void *array, int64_t count, size_t size) {
    tl_arena_drop(arena, array);
    return tl_arena_alloc(arena, count, size);
}

void tl_arena_free(TlArena *arena) {
    TlArenaBlock *block = arena->blocks;
    while (block != NULL) {
        TlArenaBlock *next = block->next;
        arena->allocator.free(arena->allocator.user, block, block->size);
        block = next;
    }
    arena->blocks = NULL;
    arena->requests = 0;
    arena->failed = false;
}
