/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Status names, version, error record and log. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TL_TEXT(x) #x
#define TL_STRING(x) TL_TEXT(x)

uint32_t toile_version(void) {
    return TOILE_VERSION_MAJOR << 16 | TOILE_VERSION_MINOR << 8 | TOILE_VERSION_PATCH;
}

const char *toile_version_string(void) {
    return TL_STRING(TOILE_VERSION_MAJOR) "." TL_STRING(TOILE_VERSION_MINOR) "." TL_STRING(
        TOILE_VERSION_PATCH);
}

const char *toile_status_name(ToileStatus status) {
    static const char *const names[] = {"OK",        "INVALID_ARGUMENT", "INVALID_DATA",
                                        "NOT_FOUND", "STALE_ID",         "OUT_OF_MEMORY",
                                        "CANCELLED", "DIVERGED",         "CANNOT_CREATE",
                                        "IO_ERROR",  "UNSUPPORTED",      "INTERNAL"};
    size_t i = (size_t)status;
    return i < sizeof names / sizeof names[0] ? names[i] : "UNKNOWN";
}

void toile_error_init(ToileError *error, uint32_t struct_size) {
    ToileError init;
    memset(&init, 0, sizeof init);
    init.struct_size = struct_size;
    init.frame = INT64_MIN;
    init.face = -1;
    init.vertex = -1;
    memcpy(error, &init, struct_size < sizeof init ? struct_size : sizeof init);
}

ToileStatus tl_fail(ToileError *error, ToileStatus status, const char *format, ...) {
    if (error == NULL || error->struct_size < sizeof *error) {
        return status;
    }
    toile_error_init(error, (uint32_t)sizeof *error);
    error->status = (int32_t)status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

void tl_fail_at(ToileError *error, const char *object, int64_t face, int64_t vertex) {
    if (error == NULL || error->struct_size < sizeof *error) {
        return;
    }
    snprintf(error->object, sizeof error->object, "%s", object);
    error->face = face;
    error->vertex = vertex;
}

void tl_fail_frame(ToileError *error, int64_t frame) {
    if (error != NULL && error->struct_size >= sizeof *error) {
        error->frame = frame;
    }
}

ToileStatus tl_fail_memory(ToileError *error) {
    return tl_fail(error, TOILE_STATUS_OUT_OF_MEMORY,
                   "memory is exhausted; close other programs or use a coarser mesh");
}

void tl_log(const ToileLog *log, ToileLogLevel level, const char *format, ...) {
    if (log == NULL || log->write == NULL) {
        return;
    }
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log->write(log->user, level, text);
}
