/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Quads to triangles. A quad is cut through its lowest-numbered vertex, whatever its winding or
 * first corner, so that a mesh alone tells the split. */
#ifndef TL_SPLIT_H
#define TL_SPLIT_H

#include <stdint.h>

/* Triangles of one face of 3 or 4 corners as offsets into its corners; answers 1 or 2. Winding is
 * kept. */
int32_t tl_split_face(const int32_t *corners, int32_t size, int32_t out[2][3]);
/* The other split of a quad. */
void tl_split_other(int32_t split[2][3], int32_t out[2][3]);

#endif
