/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Filling the caller's error record and talking to the host's log. */
#ifndef TL_ERROR_H
#define TL_ERROR_H

#include "toile/base.h"

#if defined(__GNUC__)
#define TL_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define TL_PRINTF(format_index, first)
#endif

/* Writes status and sentence into `error` (may be NULL) and answers the status, so that a failing
 * function ends with `return tl_fail(error, ...)`. Object, frame, face and vertex are reset. */
ToileStatus tl_fail(ToileError *error, ToileStatus status, const char *format, ...) TL_PRINTF(3, 4);
/* Add the name of the object (may be NULL), and the place, to a record that tl_fail has filled. */
void tl_fail_object(ToileError *error, const char *object);
void tl_fail_at(ToileError *error, const char *object, int64_t face, int64_t vertex);
void tl_fail_frame(ToileError *error, int64_t frame);
/* The sentence for a refused allocation. */
ToileStatus tl_fail_memory(ToileError *error);

void tl_log(const ToileLog *log, ToileLogLevel level, const char *format, ...) TL_PRINTF(3, 4);

#endif
