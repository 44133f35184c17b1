/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* How readers speak: one sentence into a ToileError, or a list of findings with their places. Also
 * the search for the nearest known word behind every "did you mean". */
#ifndef TL_IO_REPORT_H
#define TL_IO_REPORT_H

#include "toile_io/scene.h"

#if defined(__MINGW32__) && !defined(__clang__)
#define TL_IO_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define TL_IO_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TL_IO_PRINTF(text, first)
#endif

/* Fills `error` (may be NULL) and answers `status`. A sentence that is too long is cut between
 * characters. Numbers with a fraction must be given as text, since printf follows the locale. */
ToileStatus tl_io_fail(ToileError *error, ToileStatus status, const char *format, ...)
    TL_IO_PRINTF(3, 4);
ToileStatus tl_io_out_of_memory(ToileError *error);

/* A place in a file; line 0 is the file as a whole, column 0 the line as a whole. */
typedef struct TlIoPlace {
    const char *file;
    int32_t line;
    int32_t column;
} TlIoPlace;

/* Collects findings: passes each to the sink and keeps the first error. */
typedef struct TlReport {
    ToileDiagnosticSink sink; /* may be NULL */
    void *user;
    ToileError *error;  /* receives the first error as "file:line:column: sentence"; may be NULL */
    ToileStatus status; /* of the first error, or OK */
    int32_t error_count;
    int32_t warning_count;
} TlReport;

void tl_report_error(TlReport *report, ToileStatus status, TlIoPlace place, const char *format, ...)
    TL_IO_PRINTF(4, 5);
void tl_report_warning(TlReport *report, TlIoPlace place, const char *format, ...)
    TL_IO_PRINTF(3, 4);
/* Memory ran out while reading; later findings are of no interest. */
void tl_report_out_of_memory(TlReport *report);

/* The word of `words` (`count` of them) nearest to `word` by changed, added, lost and swapped
 * letters, or NULL when none is near. */
const char *tl_io_nearest(const char *word, const char *const *words, int32_t count);

#endif
