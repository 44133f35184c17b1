/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* One way to report a failure through the C face of Alembic. */
#ifndef TL_ABC_ERROR_H
#define TL_ABC_ERROR_H

#include "toile_io/abc_c.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TL_ABC_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TL_ABC_PRINTF(text, first)
#endif

/* Fills `error` (may be NULL) and answers `status`. The text is made valid UTF-8 without control
 * characters, whatever a file's names hold, and is cut between characters when it is too long. */
abcc_status tl_abc_fail(abcc_error *error, abcc_status status, const char *format, ...)
    TL_ABC_PRINTF(3, 4);

#ifdef __cplusplus
}
#endif
#endif
