/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Sound archives of kinds that are seldom met, written by the official library. */
#ifndef TEST_ABC_UNUSUAL_H
#define TEST_ABC_UNUSUAL_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of kinds, and the name of each. */
int abc_unusual_count(void);
const char *abc_unusual_name(int kind);
/* Writes one; false when the library refused. */
bool abc_unusual_write(int kind, const char *path);
/* Writes a small archive whose instances unfold into 2^levels meshes, each with a path of `levels`
 * names of `name_length` letters. */
bool abc_unusual_unfold(int levels, int name_length, const char *path);
/* Writes an archive with that many user properties, which share one megabyte. */
bool abc_unusual_share(int properties, const char *path);

#ifdef __cplusplus
}
#endif
#endif
