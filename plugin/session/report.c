/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of a session, structs of callers that may be older than the library, and what garments
 * and solids share in reading their arrays. */
#include "session_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a text that does not fit is cut between characters */
static void copy_text(char *to, size_t size, const char *from) {
    size_t length = strlen(from);
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80)
            length--;
    }
    memcpy(to, from, length);
    to[length] = '\0';
}

ToileStatus tl_session_fail(ToileError *error, ToileStatus status, const char *name,
                            const char *format, ...) {
    char message[2 * sizeof error->message];
    va_list arguments;
    if (!error || error->struct_size < sizeof error->struct_size)
        return status;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ToileError full;
    uint32_t size = error->struct_size;
    toile_error_init(&full, (uint32_t)sizeof full);
    full.struct_size = size;
    full.status = (int32_t)status;
    copy_text(full.message, sizeof full.message, message);
    copy_text(full.object, sizeof full.object, name ? name : "");
    memcpy(error, &full, size < sizeof full ? size : sizeof full);
    return status;
}

ToileStatus tl_session_out_of_memory(ToileError *error) {
    return tl_session_fail(error, TOILE_STATUS_OUT_OF_MEMORY, NULL,
                           "Memory is exhausted; close other programs or use a coarser mesh.");
}

void tl_session_name_object(ToileError *error, const char *name) {
    if (error && error->struct_size >= sizeof *error && error->object[0] == '\0')
        copy_text(error->object, sizeof error->object, name);
}

void tl_session_name_frame(ToileError *error, int64_t frame) {
    if (error && error->struct_size >= sizeof *error)
        error->frame = frame;
}

TlTriple tl_session_triple(double a, double b, double c) {
    const double values[3] = {a, b, c};
    TlTriple triple = {""};
    size_t length = 0;
    for (int32_t i = 0; i < 3; i++) {
        char number[24];
        snprintf(number, sizeof number, "%.4g", values[i]);
        /* some locales write a comma for the point */
        for (char *at = number; *at; at++)
            if (*at == ',')
                *at = '.';
        length += (size_t)snprintf(triple.text + length, sizeof triple.text - length, "%s%s",
                                   i > 0 ? ", " : "", number);
    }
    return triple;
}

bool tl_session_read_def(void *local, size_t size, const void *def) {
    uint32_t given, own = (uint32_t)size;
    if (!def)
        return false;
    memcpy(&given, def, sizeof given);
    if (given < 2 * sizeof given)
        return false;
    memcpy(local, def, given < size ? given : size);
    memcpy(local, &own, sizeof own);
    return true;
}

char *tl_session_copy_text(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

ToileStatus tl_session_read_sizes(const char *name, int32_t face_count, int32_t corner_count,
                                  const int32_t *face_sizes, const int32_t *face_starts,
                                  int32_t *sizes, ToileError *error) {
    if (face_sizes) {
        memcpy(sizes, face_sizes, (size_t)face_count * sizeof *sizes);
        return TOILE_STATUS_OK;
    }
    for (int32_t f = 0; f < face_count; f++) {
        int32_t begin = face_starts[f];
        int32_t end = f + 1 < face_count ? face_starts[f + 1] : corner_count;
        if (begin < 0 || end < begin || (f == 0 && begin != 0))
            return tl_session_fail(error, TOILE_STATUS_INVALID_DATA, name,
                                   "Face %d of '%.64s' begins at corner %d and ends at %d; the "
                                   "faces must follow each other from corner 0 on.",
                                   (int)f, name, (int)begin, (int)end);
        sizes[f] = end - begin;
    }
    return TOILE_STATUS_OK;
}
