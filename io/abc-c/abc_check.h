/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Structural check of an Ogawa file, made before the Alembic library sees it: the library trusts
 * much of what it reads and crashes where it should refuse. */
#ifndef TL_ABC_CHECK_H
#define TL_ABC_CHECK_H

#include "toile_io/abc_c.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file, or bytes in memory. `read` is only called for ranges inside `size`; false means that
 * reading failed. */
typedef struct TlAbcSource {
    void *user;
    uint64_t size;
    bool (*read)(void *user, uint64_t offset, void *data, size_t size);
} TlAbcSource;

/* `limits` with defaults in place of zeros; NULL gives the defaults. */
abcc_limits tl_abc_limits(const abcc_limits *limits);

/* Walks the whole file once. Allocates nothing. */
abcc_status tl_abc_check(const TlAbcSource *source, const abcc_limits *limits, abcc_error *error);

#ifdef __cplusplus
}
#endif
#endif
