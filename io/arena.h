/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed all at once, and a text that grows. */
#ifndef TL_IO_ARENA_H
#define TL_IO_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TlIoBlock TlIoBlock;

/* All zero is an empty arena. */
typedef struct TlIoArena {
    TlIoBlock *blocks;
} TlIoArena;

/* `size` zeroed bytes fit for any type, or NULL when memory runs out. */
void *tl_io_arena_alloc(TlIoArena *arena, size_t size);
/* `count` zeroed elements; NULL also when the product overflows. */
void *tl_io_arena_array(TlIoArena *arena, size_t count, size_t element_size);
char *tl_io_arena_copy(TlIoArena *arena, const char *text, size_t length);
void tl_io_arena_free(TlIoArena *arena);

/* All zero is an empty text. `failed` says that memory ran out; the text then stays as it was. */
typedef struct TlIoText {
    char *data; /* ended by a zero byte once something was added */
    size_t length;
    size_t capacity;
    bool failed;
} TlIoText;

void tl_io_text_add(TlIoText *text, const char *data, size_t length);
void tl_io_text_add_string(TlIoText *text, const char *string);
void tl_io_text_free(TlIoText *text);

#endif
