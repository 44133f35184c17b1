/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces a mesh is made of at rest: triangles, and quads that are simulated as such. Every
 * piece has rest coordinates of its own, in space or on the pattern, and a frame of weft and warp
 * at each of its points; everything else at rest is computed from these, so that uv seams, islands
 * and mirrored panels need no special case. */
#ifndef TL_PIECES_H
#define TL_PIECES_H

#include "base/vec.h"
#include "mesh/mesh.h"
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

/* Rest coordinates of corner k of a piece: in space, or (u, v, 0) times the scale with a metric
 * pattern. */
TlVec3 tl_piece_rest(const TlPieces *pieces, int32_t p, int32_t k);
/* Rest area; of a quad |P x Q|. */
double tl_piece_area(const TlPieces *pieces, int32_t p);

/* Tangents and frame at a point of a piece. */
typedef struct TlFrame {
    TlVec3 ps, pt; /* d p/ds, d p/dt of the rest shape; of a triangle: the edges from corner 0 */
    TlVec3 e1, e2; /* unit weft and warp, tangent to the rest shape */
} TlFrame;

/* At (s, t) in [0, 1]^2; a triangle has the same frame everywhere. */
TlFrame tl_piece_frame(const TlPieces *pieces, int32_t p, double s, double t);
/* H = J^-1 (Hsu Hsv Htu Htv), J the tangents in weft and warp; answers the determinant of J. */
double tl_frame_inverse(const TlFrame *frame, double H[4]);

/* Edge k of a piece, from corner k to corner k + 1, at rest. */
typedef struct TlPieceEdge {
    double length;
    double eu, ev; /* unit direction in weft and warp */
} TlPieceEdge;

TlPieceEdge tl_piece_edge(const TlPieces *pieces, int32_t p, int32_t k);

/* Pieces lower than this part of the edge they share do not bend over it. */
#define TL_LEAST_HEIGHT 1e-6

/* One side of an edge C-D in its own piece: the corners beyond the edge, as seen from C. */
typedef struct TlSide {
    int32_t far_count; /* 1 of a triangle, 2 of a quad */
    int32_t far[2];    /* their vertices, in the piece's order behind the edge */
    int32_t by_c;      /* which of them is the neighbour of C; that of D is the other or the same */
    TlVec3 offset[2];  /* their rest coordinates, from C */
    TlVec3 e;          /* D - C */
    TlPieceEdge edge;
} TlSide;

/* The edge of piece `p` that starts at its corner `first`; `from_c` tells whether that is C. */
TlSide tl_piece_side(const TlPieces *pieces, int32_t p, int32_t first, bool from_c);
/* Both sides of an edge that two pieces share, each from its use; C-D runs as the first one does,
 * also with flipped neighbours. */
void tl_piece_sides(const TlPieces *pieces, const TlEdgeUse uses[2], TlSide sides[2]);

/* Where a point stands over a line from the origin along e. */
typedef struct TlFoot {
    double along; /* foot of the point, as part of e */
    double height;
} TlFoot;

TlFoot tl_foot(TlVec3 point, TlVec3 e);

#endif
