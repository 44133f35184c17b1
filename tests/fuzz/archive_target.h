/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The entry of the archive fuzzer, and what its last input led to. */
#ifndef FUZZ_ARCHIVE_TARGET_H
#define FUZZ_ARCHIVE_TARGET_H

#include "../support/abc_everything.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern AbcSeen archive_seen;
extern abcc_status archive_status;
extern int archive_scenes; /* of two, how many took the archive */

/* The file through which inputs go. */
const char *archive_file(void);

#endif
