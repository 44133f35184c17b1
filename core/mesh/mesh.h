/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A validated mesh of triangles and quads with face-corner uvs. */
#ifndef TL_MESH_H
#define TL_MESH_H

#include "base/alloc.h"
#include "base/vec.h"
#include "toile/types.h"

typedef struct TlMesh {
    int32_t vertex_count, face_count, corner_count, uv_count;
    double *positions;   /* 3 each */
    int32_t *face_start; /* face_count + 1 offsets into corners */
    int32_t *corners;
    double *uvs;         /* 2 each; NULL: none */
    int32_t *corner_uvs; /* NULL: none */
} TlMesh;

/* Receives findings one by one. */
typedef void (*TlMeshIssueSink)(void *user, const ToileMeshIssue *issue);

/* Reports every defect in the order of faces, then edges, then vertices; arrays of `def` must be
 * there and counts sane (see tl_mesh_check_counts). False when memory is refused. */
bool tl_mesh_check(const ToileMeshDef *def, bool uv_is_pattern, const double *rest_positions,
                   ToileAllocator allocator, TlMeshIssueSink sink, void *user);
/* NULL pointers, negative counts and a corner count that is not the sum of the face sizes: the
 * sentence, or NULL when fine. */
const char *tl_mesh_check_counts(const ToileMeshDef *def);
/* Whether four points, in order around, turn the same way at every corner and never too little for
 * a bilinear patch. */
bool tl_quad_turns_one_way(const TlVec3 points[4]);
/* Whether a triangle of a split (offsets into the points) has no area. */
bool tl_split_is_flat(const TlVec3 points[4], int32_t split[2][3]);
/* Copies a mesh that passed the check; false when memory is refused. */
bool tl_mesh_copy(TlArena *arena, const ToileMeshDef *def, TlMesh *out);

#endif
