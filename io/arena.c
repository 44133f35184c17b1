/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* An arena of linked blocks, each larger request in a block of its own, and a growing text. */
#include "arena.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)16 * 1024)

struct TlIoBlock {
    TlIoBlock *next;
    size_t used;
    size_t size;
    max_align_t data[];
};

static TlIoBlock *add_block(TlIoArena *arena, size_t size) {
    TlIoBlock *block = malloc(sizeof *block + size);
    if (!block)
        return NULL;
    block->used = 0;
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *tl_io_arena_alloc(TlIoArena *arena, size_t size) {
    size_t unit = sizeof(max_align_t);
    if (size > SIZE_MAX / 2)
        return NULL;
    size = size ? (size + unit - 1) / unit * unit : unit;
    TlIoBlock *block = arena->blocks;
    if (!block || block->size - block->used < size) {
        block = add_block(arena, size > BLOCK_SIZE / 4 ? size : BLOCK_SIZE);
        if (!block)
            return NULL;
        /* a block made for one large request must not hide the rest of the one before */
        if (size > BLOCK_SIZE / 4 && block->next) {
            arena->blocks = block->next;
            block->next = arena->blocks->next;
            arena->blocks->next = block;
        }
    }
    void *result = (char *)block->data + block->used;
    block->used += size;
    memset(result, 0, size);
    return result;
}

void *tl_io_arena_array(TlIoArena *arena, size_t count, size_t element_size) {
    if (element_size > 0 && count > SIZE_MAX / 2 / element_size)
        return NULL;
    return tl_io_arena_alloc(arena, count * element_size);
}

char *tl_io_arena_copy(TlIoArena *arena, const char *text, size_t length) {
    char *copy = tl_io_arena_alloc(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void tl_io_arena_free(TlIoArena *arena) {
    TlIoBlock *block = arena->blocks;
    while (block) {
        TlIoBlock *next = block->next;
        free(block);
        block = next;
    }
    arena->blocks = NULL;
}

void tl_io_text_add(TlIoText *text, const char *data, size_t length) {
    if (text->failed)
        return;
    if (text->capacity - text->length < length + 1) {
        size_t capacity = text->capacity * 2 + length + 64;
        char *larger = realloc(text->data, capacity);
        if (!larger) {
            text->failed = true;
            return;
        }
        text->data = larger;
        text->capacity = capacity;
    }
    memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void tl_io_text_add_string(TlIoText *text, const char *string) {
    tl_io_text_add(text, string, strlen(string));
}

void tl_io_text_free(TlIoText *text) {
    free(text->data);
    *text = (TlIoText){0};
}
