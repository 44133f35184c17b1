/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which vertices are kept while a cloth is simulated. Meshes come in any order, and
 * where neighbours are far apart memory is read at random; a cloth then has an order of its own,
 * which the user never sees. It is a function of the mesh's faces alone. Layer 1. */
#ifndef TL_ORDER_H
#define TL_ORDER_H

#include "mesh/mesh.h"
#include "mesh/topology.h"

typedef struct TlOrder {
    int32_t *vertex; /* at each place: the vertex of the mesh; NULL: the order is the mesh's own */
    int32_t *place;  /* of each vertex of the mesh: its place */
} TlOrder;

/* An order for this mesh. The mesh's own is kept when that is good enough: when the mesh has under
 * 2048 vertices, which caches hold in any order, or when the mean distance of two ends of an edge
 * is at most 1.5 times that of tl_order_build, and faces that are sorted by their lowest vertex
 * would move by at most 1/16 of all, on average. False when memory is refused. */
bool tl_order_choose(TlArena *arena, const TlMesh *mesh, TlOrder *out);
/* Vertices by Cuthill and McKee, whatever the mesh's own order is. False when memory is refused. */
bool tl_order_build(TlArena *arena, const TlMesh *mesh, TlOrder *out);
/* Sum over all edges, each once, of the distance of its ends in an order. */
int64_t tl_order_spread(const TlOrder *order, const TlEdges *edges);

#endif
