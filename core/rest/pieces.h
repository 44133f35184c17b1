/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces a mesh is made of at rest: triangles, and quads that are simulated as such. Every
 * piece has rest coordinates of its own, in space or on the pattern, and a frame of weft and warp
 * at each of its points; everything else at rest is computed from these, so that uv seams, islands
 * and mirrored panels need no special case. */
#ifndef TL_PIECES_H
#define TL_PIECES_H

#include "base/vec.h"
#include "mesh/split.h"
#include "mesh/topology.h"
#include "rest/material.h"

typedef struct TlRestInput {
    const TlMesh *mesh;
    const double *positions; /* 3D rest shape; of no effect on lengths with a metric pattern */
    ToilePattern pattern;
    double pattern_scale_m;
    bool native; /* quads as bilinear patches where they are convex */
    const TlMaterial *material;
    const double *curvature_map; /* per vertex; NULL: the material's */
} TlRestInput;

typedef struct TlPieces {
    TlRestInput in;
    int32_t count;
    int32_t triangle_count, quad_count;
    int32_t *start;  /* count + 1 offsets into the arrays below */
    int32_t *vertex; /* per corner */
    int32_t *corner; /* corner of the mesh, for uvs */
    int32_t *face;   /* per piece */
    TlEdges edges;   /* between pieces; face and corner of a use count pieces and their corners */
} TlPieces;

/* False when memory is refused. */
bool tl_pieces_build(TlArena *arena, const TlRestInput *in, TlPieces *out);
static inline int32_t tl_piece_size(const TlPieces *pieces, int32_t p) {
    return pieces->start[p + 1] - pieces->start[p];
}
/* Whether a quad is convex in its rest shape and, where it counts, in uv. `corners` are those of
 * the face in the mesh. */
bool tl_quad_is_convex(const TlRestInput *in, int32_t first_corner);

/* Rest coordinates of corner k of a piece: in space, or (u, v, 0) times the scale with a metric
 * pattern. */
TlVec3 tl_piece_rest(const TlPieces *pieces, int32_t p, int32_t k);
/* 3D rest position, whatever the pattern. */
TlVec3 tl_piece_position(const TlPieces *pieces, int32_t p, int32_t k);
/* Rest area; of a quad |P x Q|. */
double tl_piece_area(const TlPieces *pieces, int32_t p);

/* Tangents and frame at a point of a piece. */
typedef struct TlFrame {
    TlVec3 ps, pt; /* d p/ds, d p/dt of the rest shape; of a triangle: the edges from corner 0 */
    TlVec3 e1, e2; /* unit weft and warp, tangent to the rest shape */
} TlFrame;

/* At (s, t) in [0, 1]^2; a triangle has the same frame everywhere. */
TlFrame tl_piece_frame(const TlPieces *pieces, int32_t p, double s, double t);

/* Edge k of a piece, from corner k to corner k + 1, at rest. */
typedef struct TlPieceEdge {
    double length;
    double eu, ev; /* unit direction in weft and warp */
} TlPieceEdge;

TlPieceEdge tl_piece_edge(const TlPieces *pieces, int32_t p, int32_t k);

#endif
