/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Counting sort by the lower vertex, then insertion by the higher one: linear for meshes, and the
 * same on every platform. */
#include "mesh/topology.h"

static bool use_before(const TlEdgeUse *a, const TlEdgeUse *b) {
    return a->hi != b->hi ? a->hi < b->hi : a->corner < b->corner;
}

static void sort_row(TlEdgeUse *row, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        TlEdgeUse use = row[i];
        int32_t j = i;
        for (; j > 0 && use_before(&use, &row[j - 1]); j--) {
            row[j] = row[j - 1];
        }
        row[j] = use;
    }
}

static TlEdgeUse edge_use(const int32_t *corners, int32_t face, int32_t begin, int32_t end,
                          int32_t corner) {
    int32_t a = corners[corner], b = corners[corner + 1 < end ? corner + 1 : begin];
    return (TlEdgeUse){a < b ? a : b, a < b ? b : a, face, corner, a < b};
}

bool tl_edges_build(TlArena *arena, int32_t vertex_count, int32_t face_count,
                    const int32_t *face_start, const int32_t *corners, TlEdges *out) {
    int32_t use_count = face_start[face_count];
    int32_t *row_start = TL_NEW(arena, int32_t, vertex_count + 2);
    out->uses = TL_NEW(arena, TlEdgeUse, use_count);
    out->use_count = use_count;
    if (row_start == NULL || out->uses == NULL) {
        return false;
    }
    for (int32_t f = 0; f < face_count; f++) {
        for (int32_t c = face_start[f]; c < face_start[f + 1]; c++) {
            row_start[edge_use(corners, f, face_start[f], face_start[f + 1], c).lo + 2]++;
        }
    }
    for (int32_t v = 0; v < vertex_count; v++) {
        row_start[v + 2] += row_start[v + 1];
    }
    for (int32_t f = 0; f < face_count; f++) {
        for (int32_t c = face_start[f]; c < face_start[f + 1]; c++) {
            TlEdgeUse use = edge_use(corners, f, face_start[f], face_start[f + 1], c);
            out->uses[row_start[use.lo + 1]++] = use;
        }
    }
    for (int32_t v = 0; v < vertex_count; v++) {
        sort_row(out->uses + row_start[v], row_start[v + 1] - row_start[v]);
    }
    return true;
}

int32_t tl_edges_next(const TlEdges *edges, int32_t use) {
    const TlEdgeUse *first = &edges->uses[use];
    while (use < edges->use_count && edges->uses[use].lo == first->lo &&
           edges->uses[use].hi == first->hi) {
        use++;
    }
    return use;
}
