/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Triangles of faces, and from triangles the edges: each once, sorted by their vertices, so that
 * those of cloths come first, as their vertices do. Uses of an edge are sorted by triangle
 * (mesh/topology.h), so that the first one is the owner. */
#include "contact/surface.h"

#include "mesh/split.h"
#include "mesh/topology.h"

#include <string.h>

static int32_t count_triangles(const ToileMeshDef *mesh) {
    int32_t count = 0;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        count += mesh->face_sizes[f] - 2;
    }
    return count;
}

bool tl_triangles_build(TlArena *arena, const ToileMeshDef *mesh, TlTriangles *out) {
    int32_t count = count_triangles(mesh), begin = 0, next = 0;
    int32_t *vertex = TL_NEW(arena, int32_t, 3 * (int64_t)count);
    int32_t *face = TL_NEW(arena, int32_t, count);
    *out = (TlTriangles){count, vertex, face};
    if (vertex == NULL || face == NULL) {
        return false;
    }
    for (int32_t f = 0; f < mesh->face_count; f++) {
        int32_t split[2][3],
            parts = tl_split_face(mesh->corners + begin, mesh->face_sizes[f], split);
        for (int32_t t = 0; t < parts; t++) {
            for (int32_t k = 0; k < 3; k++) {
                vertex[3 * (int64_t)next + k] = mesh->corners[begin + split[t][k]];
            }
            face[next++] = f;
        }
        begin += mesh->face_sizes[f];
    }
    return true;
}

bool tl_surface_alloc(TlArena *arena, TlCounts vertices, TlCounts triangles, TlSurface *out) {
    int64_t n = vertices.count, m = triangles.count;
    memset(out, 0, sizeof *out);
    out->vertices = vertices;
    out->triangles = triangles;
    out->triangle = TL_NEW(arena, int32_t, 3 * m);
    out->side = TL_NEW(arena, int32_t, 3 * m);
    out->face = TL_NEW(arena, int32_t, m);
    out->owner = TL_NEW(arena, int32_t, n);
    out->body = TL_NEW(arena, int32_t, n);
    out->half = TL_NEW(arena, double, n);
    out->friction = TL_NEW(arena, double, n);
    out->solid = TL_NEW(arena, double, n);
    out->rest = TL_NEW(arena, double, 3 * n);
    return !arena->failed;
}

static void find_owners(TlSurface *s) {
    for (int32_t v = 0; v < s->vertices.count; v++) {
        s->owner[v] = -1;
    }
    for (int64_t k = 3 * (int64_t)s->triangles.count - 1; k >= 0; k--) {
        s->owner[s->triangle[k]] = (int32_t)(k / 3);
    }
}

/* Counts of edges; uses whose ends are equal are none. */
static TlCounts count_edges(const TlSurface *s, const TlEdges *edges) {
    TlCounts span = {0, 0};
    for (int32_t u = 0; u < edges->use_count; u = tl_edges_next(edges, u)) {
        const TlEdgeUse *use = &edges->uses[u];
        span.count += use->lo != use->hi;
        span.cloth += use->lo != use->hi && use->lo < s->vertices.cloth;
    }
    return span;
}

/* One edge: its vertices, its first triangle, and itself as a side of all its triangles. The edge
 * that begins at corner k of a triangle is opposite to corner k + 2. */
static void fill_edge(TlSurface *s, const TlEdgeUse *uses, int32_t count, int32_t edge) {
    if (edge >= 0) {
        s->edge[2 * (int64_t)edge] = uses->lo;
        s->edge[2 * (int64_t)edge + 1] = uses->hi;
        s->edge_owner[edge] = uses->face;
    }
    for (int32_t i = 0; i < count; i++) {
        s->side[3 * (int64_t)uses[i].face + (uses[i].corner + 2) % 3] = edge;
    }
}

static bool find_edges(TlArena *arena, TlArena *scratch, TlSurface *s) {
    int32_t *start = TL_NEW(scratch, int32_t, (int64_t)s->triangles.count + 1), next = 0;
    TlEdges edges;
    if (start == NULL) {
        return false;
    }
    for (int32_t t = 0; t <= s->triangles.count; t++) {
        start[t] = 3 * t;
    }
    if (!tl_edges_build(scratch, s->vertices.count, s->triangles.count, start, s->triangle,
                        &edges)) {
        return false;
    }
    s->edges = count_edges(s, &edges);
    s->edge = TL_NEW(arena, int32_t, 2 * (int64_t)s->edges.count);
    s->edge_owner = TL_NEW(arena, int32_t, s->edges.count);
    if (s->edge == NULL || s->edge_owner == NULL) {
        return false;
    }
    for (int32_t u = 0; u < edges.use_count;) {
        int32_t after = tl_edges_next(&edges, u);
        bool real = edges.uses[u].lo != edges.uses[u].hi;
        fill_edge(s, &edges.uses[u], after - u, real ? next : -1);
        next += real;
        u = after;
    }
    return true;
}

bool tl_surface_connect(TlArena *arena, TlSurface *surface) {
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    bool ok = find_edges(arena, &scratch, surface);
    tl_arena_free(&scratch);
    find_owners(surface);
    return ok;
}
