/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Edges of a mesh's faces: sorted, each once, with the faces at it. Layer 1: geometry without
 * physics. */
#ifndef TL_TOPOLOGY_H
#define TL_TOPOLOGY_H

#include "base/alloc.h"

/* One use of an edge by a polygon: polygon `face`, whose corner number `corner` (counted over all
 * polygons) starts the edge. */
typedef struct TlEdgeUse {
    int32_t lo, hi; /* vertices, lo < hi */
    int32_t face;
    int32_t corner;
    int32_t forward; /* 1: the face runs from lo to hi */
} TlEdgeUse;

/* Uses sorted by (lo, hi, face); uses of one edge are neighbours. */
typedef struct TlEdges {
    int32_t use_count;
    TlEdgeUse *uses;
} TlEdges;

/* Edges of polygons given as an offset table into `corners`. All indices must lie in [0,
 * vertex_count). False when memory is refused. */
bool tl_edges_build(TlArena *arena, int32_t vertex_count, int32_t face_count,
                    const int32_t *face_start, const int32_t *corners, TlEdges *out);
/* First use after the run of uses of the edge at `use`. */
int32_t tl_edges_next(const TlEdges *edges, int32_t use);

#endif
