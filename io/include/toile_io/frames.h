/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Frame ranges: "1-48", "1-100x5", "-5-10,20:2"... */
#ifndef TOILE_IO_FRAMES_H
#define TOILE_IO_FRAMES_H

#include "toile/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parses ITEM(,ITEM)* with ITEM = F, A-B, A-BxS or A-B:S; frames may be negative, spaces may stand
 * around commas, duplicates collapse. `frames` (may be NULL) receives at most `capacity` frames in
 * the order of the text, `count` the number there are (at most 1 000 000). A-B with A > B counts
 * down and is refused when `ascending`, as is a list that does not rise. [any thread] */
TOILE_API ToileStatus toile_frames_parse(const char *text, bool ascending, int32_t *frames,
                                         int32_t capacity, int32_t *count, ToileError *error);

#ifdef __cplusplus
}
#endif
#endif
