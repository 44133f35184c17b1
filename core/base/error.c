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

/* The caller's record as far as it goes, whatever version it was built for; false when there is
 * none. */
static bool read_error(const ToileError *error, ToileError *local) {
    if (error == NULL) {
        return false;
    }
    uint32_t size;
    memcpy(&size, error, sizeof size);
    if (size < 2 * sizeof size) {
        return false;
    }
    toile_error_init(local, (uint32_t)sizeof *local);
    memcpy(local, error, size < sizeof *local ? size : sizeof *local);
    return true;
}

static void write_error(ToileError *error, const ToileError *local) {
    memcpy(error, local, local->struct_size < sizeof *local ? local->struct_size : sizeof *local);
}

ToileStatus tl_fail(ToileError *error, ToileStatus status, const char *format, ...) {
    ToileError local;
    if (!read_error(error, &local)) {
        return status;
    }
    uint32_t size = local.struct_size;
    toile_error_init(&local, (uint32_t)sizeof local);
    local.struct_size = size;
    local.status = (int32_t)status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(local.message, sizeof local.message, format, arguments);
    va_end(arguments);
    write_error(error, &local);
    return status;
}

void tl_fail_object(ToileError *error, const char *object) {
    ToileError local;
    if (read_error(error, &local)) {
        snprintf(local.object, sizeof local.object, "%s", object != NULL ? object : "");
        write_error(error, &local);
    }
}

void tl_fail_at(ToileError *error, const char *object, int64_t face, int64_t vertex) {
    ToileError local;
    tl_fail_object(error, object);
    if (read_error(error, &local)) {
        local.face = face;
        local.vertex = vertex;
        write_error(error, &local);
    }
}

void tl_fail_frame(ToileError *error, int64_t frame) {
    ToileError local;
    if (read_error(error, &local)) {
        local.frame = frame;
        write_error(error, &local);
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
