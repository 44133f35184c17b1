/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Version, export macro, status, error record and the hooks a host may install: everything that is
 * not about cloth.
 *
 * Thread tags used in all public headers:
 *   [any thread]          may be called at any time from any thread
 *   [one thread per sim]  calls on one ToileSim must not overlap; different sims may run at once */
#ifndef TOILE_BASE_H
#define TOILE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read by CMake; the shared object's version is the major number. */
#define TOILE_VERSION_MAJOR 0
#define TOILE_VERSION_MINOR 1
#define TOILE_VERSION_PATCH 0

#if defined(_WIN32)
#if defined(TOILE_BUILD)
#define TOILE_API __declspec(dllexport)
#else
#define TOILE_API __declspec(dllimport)
#endif
#else
#define TOILE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a function that can fail answers. Values never change; new ones go at the end. */
typedef enum ToileStatus {
    TOILE_STATUS_OK = 0,
    TOILE_STATUS_INVALID_ARGUMENT = 1, /* the caller's mistake: NULL, a value out of range */
    TOILE_STATUS_INVALID_DATA = 2,     /* a mesh, scene or file whose content cannot be used */
    TOILE_STATUS_NOT_FOUND = 3,        /* a file or a named thing that is not there */
    TOILE_STATUS_STALE_ID = 4, /* an id of something that was removed, or of another simulation */
    TOILE_STATUS_OUT_OF_MEMORY = 5,
    TOILE_STATUS_CANCELLED = 6,     /* the progress callback answered false */
    TOILE_STATUS_DIVERGED = 7,      /* no finite state found; the sim keeps its last frame */
    TOILE_STATUS_CANNOT_CREATE = 8, /* an output file cannot be made */
    TOILE_STATUS_IO_ERROR = 9,      /* reading or writing failed; includes a full disk */
    TOILE_STATUS_UNSUPPORTED = 10,  /* valid, but not offered by this version */
    TOILE_STATUS_INTERNAL = 11
} ToileStatus;

/* The name of a status without its prefix, such as "INVALID_DATA"; never NULL. [any thread] */
TOILE_API const char *toile_status_name(ToileStatus status);

/* Filled by a failing call when the caller passes one; untouched on success. `message` is one
 * sentence: what was wrong, the value found, what is allowed or what to do. */
typedef struct ToileError {
    uint32_t struct_size; /* sizeof(ToileError); 0 means "not initialised" and nothing is written */
    int32_t status;       /* a ToileStatus */
    int64_t frame;        /* frame at which it happened, or INT64_MIN */
    int64_t face;         /* face index concerned, or -1 */
    int64_t vertex;       /* vertex index concerned, or -1 */
    char object[64];      /* name of the cloth or collider concerned, or "" */
    char message[512];
} ToileError;

/* Writes defaults, never more than `struct_size` bytes. [any thread] */
TOILE_API void toile_error_init(ToileError *error, uint32_t struct_size);

static inline ToileError toile_error_default(void) {
    ToileError error;
    toile_error_init(&error, (uint32_t)sizeof error);
    return error;
}

/* Version of the library that was loaded: major << 16 | minor << 8 | patch. [any thread] */
TOILE_API uint32_t toile_version(void);
/* "0.1.0"; never NULL. [any thread] */
TOILE_API const char *toile_version_string(void);

/* Memory. Both NULL: the C library's. `align` is a power of two up to 64. `alloc` may answer NULL,
 * which becomes TOILE_STATUS_OUT_OF_MEMORY. Called on the thread that called the library. */
typedef struct ToileAllocator {
    void *(*alloc)(void *user, size_t size, size_t align);
    void (*free)(void *user, void *ptr, size_t size);
    void *user;
} ToileAllocator;

typedef enum ToileLogLevel {
    TOILE_LOG_DEBUG = 0,
    TOILE_LOG_INFO = 1,
    TOILE_LOG_WARNING = 2,
    TOILE_LOG_ERROR = 3
} ToileLogLevel;

/* Receives one sentence without a newline. NULL: silence. Called on the thread that called the
 * library. */
typedef struct ToileLog {
    void (*write)(void *user, ToileLogLevel level, const char *message);
    void *user;
} ToileLog;

/* Called on the thread that called step or settle, at most once a sub-step; false cancels.
 * `fraction` is the part of the current call that is done, 0 to 1. */
typedef struct ToileProgress {
    bool (*report)(void *user, double fraction);
    void *user;
} ToileProgress;

/* The host's threads. `run` must call task(context, i) exactly once for every i in [0, count), in
 * any order and on any thread, and return when all are done. NULL: the library's own workers.
 * Results never depend on it, as long as all threads keep subnormal numbers or none does. */
typedef struct ToileTasks {
    void (*run)(void *user, void (*task)(void *context, int32_t i), void *context, int32_t count);
    void *user;
} ToileTasks;

#ifdef __cplusplus
}
#endif
#endif
