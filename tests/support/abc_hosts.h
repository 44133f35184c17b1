/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* One sheet in the ways that the exporters of other programs write it, by the official library. */
#ifndef TEST_ABC_HOSTS_H
#define TEST_ABC_HOSTS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program, the path of the sheet in its archive, and the uv map that it names. */
typedef struct AbcHost {
    const char *name, *path, *uv_name;
} AbcHost;

int abc_host_count(void);
AbcHost abc_host(int host);
/* Writes frames 1 to 3 at 24 fps; false when the library refused. In its own space the sheet has
 * 3 x 3 vertices (i / 2, 0, j / 2), rows of i first, and looks along y. In the world it is turned
 * by a quarter about the y axis through (1, 0, 0), so that z goes to x, and at frame f moved by (2
 * f, 1, 0). */
bool abc_host_write(int host, const char *path);

#ifdef __cplusplus
}
#endif
#endif
