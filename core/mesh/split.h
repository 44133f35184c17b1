/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Quads to triangles. A quad is cut through its lowest-numbered vertex, whatever its winding or
 * first corner, so that a mesh alone tells the split. */
#ifndef TL_SPLIT_H
#define TL_SPLIT_H

#include "mesh/mesh.h"

typedef struct TlTriangles {
    int32_t count;
    int32_t *vertex; /* 3 each */
    int32_t *corner; /* 3 each: the face corners they came from, for uvs */
    int32_t *face;   /* the face each came from */
} TlTriangles;

/* Triangles of one face of 3 or 4 corners as offsets into its corners; answers 1 or 2. Winding is
 * kept. */
int32_t tl_split_face(const int32_t *corners, int32_t size, int32_t out[2][3]);
/* All faces, in order; false when memory is refused. */
bool tl_split_mesh(TlArena *arena, const TlMesh *mesh, TlTriangles *out);

#endif
