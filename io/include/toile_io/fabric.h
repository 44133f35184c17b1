/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric library: measured fabrics by name. Every number has a source; what was not measured
 * says so. */
#ifndef TOILE_IO_FABRIC_H
#define TOILE_IO_FABRIC_H

#include "toile/toile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ToileFabricEntry {
    uint32_t struct_size;
    uint32_t reserved;
    const char *name;   /* such as "cotton-poplin" */
    const char *title;  /* one line for people */
    const char *source; /* where the numbers come from; "estimated: ..." names those that were not
                           measured */
    ToileFabric fabric;
} ToileFabricEntry;

/* Number of fabrics in the library. [any thread] */
TOILE_API int32_t toile_fabric_count(void);
/* Fabric `index`, in alphabetical order of names. `entry` needs struct_size set. [any thread] */
TOILE_API ToileStatus toile_fabric_get(int32_t index, ToileFabricEntry *entry, ToileError *error);
/* The fabric of that name; NOT_FOUND suggests the nearest name. [any thread] */
TOILE_API ToileStatus toile_fabric_find(const char *name, ToileFabricEntry *entry,
                                        ToileError *error);

#ifdef __cplusplus
}
#endif
#endif
