/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Vertex order by breadth-first search over edges, started at an end of every piece of the mesh.
 *
 * [CM69] Cuthill, McKee: Reducing the bandwidth of sparse symmetric matrices, 1969. [GL79] George,
 * Liu: An implementation of a pseudoperipheral node finder, 1979. The order is not reversed: that
 * saves fill of a factorisation, and makes no difference to distances. */
#include "mesh/order.h"

enum {
    LEAST_VERTICES = 2048, /* smaller meshes are left alone */
    MOST_STARTS = 8,       /* searches for an end of a piece; two or three are common */
    FACE_SHARE = 16        /* of all faces: how far they may be from their place */
};

/* neighbours of each vertex, those with fewer neighbours first, then by number */
typedef struct Graph {
    int32_t vertex_count;
    int32_t *start; /* vertex_count + 1 */
    int32_t *neighbour;
} Graph;

static int32_t degree(const Graph *graph, int32_t v) {
    return graph->start[v + 1] - graph->start[v];
}

/* Sums counts[i + 1] up, so that counts[i] is where item i begins. */
static void make_starts(int32_t *counts, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        counts[i + 1] += counts[i];
    }
}

/* Numbers 0 to count - 1 by their keys, which are below key_count; equal ones as they come. `start`
 * has room for key_count + 1 and is zero. */
static void sort_by_key(const int32_t *key, int32_t count, int32_t key_count, int32_t *start,
                        int32_t *sorted) {
    for (int32_t i = 0; i < count; i++) {
        start[key[i] + 1]++;
    }
    make_starts(start, key_count);
    for (int32_t i = 0; i < count; i++) {
        sorted[start[key[i]]++] = i;
    }
}

/* Neighbours by number: an edge (lo, hi) comes after those whose higher end is lo. */
static void fill_neighbours(const TlEdges *edges, Graph *graph, int32_t *next) {
    for (int32_t u = 0; u < edges->use_count; u = tl_edges_next(edges, u)) {
        graph->start[edges->uses[u].lo + 1]++;
        graph->start[edges->uses[u].hi + 1]++;
    }
    make_starts(graph->start, graph->vertex_count);
    for (int32_t v = 0; v < graph->vertex_count; v++) {
        next[v] = graph->start[v];
    }
    for (int32_t u = 0; u < edges->use_count; u = tl_edges_next(edges, u)) {
        int32_t lo = edges->uses[u].lo, hi = edges->uses[u].hi;
        graph->neighbour[next[lo]++] = hi;
        graph->neighbour[next[hi]++] = lo;
    }
}

/* Lists neighbours anew, by degree: every vertex, in that order, enters the lists it stands in. */
static bool sort_neighbours(TlArena *scratch, Graph *graph, int32_t *next) {
    int32_t n = graph->vertex_count, links = graph->start[n];
    int32_t *sorted = TL_NEW(scratch, int32_t, n), *count = TL_NEW(scratch, int32_t, n + 1);
    int32_t *key = TL_NEW(scratch, int32_t, n), *neighbour = TL_NEW(scratch, int32_t, links);
    if (scratch->failed) {
        return false;
    }
    for (int32_t v = 0; v < n; v++) {
        key[v] = degree(graph, v);
        next[v] = graph->start[v];
    }
    sort_by_key(key, n, n, count, sorted);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = graph->start[sorted[i]]; k < graph->start[sorted[i] + 1]; k++) {
            neighbour[next[graph->neighbour[k]]++] = sorted[i];
        }
    }
    graph->neighbour = neighbour;
    return true;
}

static bool build_graph(TlArena *scratch, const TlEdges *edges, int32_t vertex_count, Graph *out) {
    int32_t *next = TL_NEW(scratch, int32_t, vertex_count);
    out->vertex_count = vertex_count;
    out->start = TL_NEW(scratch, int32_t, (int64_t)vertex_count + 1);
    out->neighbour = TL_NEW(scratch, int32_t, 2 * (int64_t)edges->use_count);
    if (scratch->failed) {
        return false;
    }
    fill_neighbours(edges, out, next);
    return sort_neighbours(scratch, out, next);
}

/* What a search from one vertex reached. */
typedef struct Reach {
    int32_t count;
    int32_t depth; /* levels after the first */
    int32_t last;  /* where the last level begins in the list */
} Reach;

/* Lists the vertices of a piece by breadth-first search, [CM69]; they must not be seen yet. */
static Reach search(const Graph *graph, int32_t start, uint8_t *seen, int32_t *list) {
    Reach reach = {1, 0, 0};
    int32_t level_end = 1;
    list[0] = start;
    seen[start] = 1;
    for (int32_t i = 0; i < reach.count; i++) {
        if (i == level_end) {
            reach.depth++;
            reach.last = i;
            level_end = reach.count;
        }
        for (int32_t k = graph->start[list[i]]; k < graph->start[list[i] + 1]; k++) {
            int32_t v = graph->neighbour[k];
            if (!seen[v]) {
                seen[v] = 1;
                list[reach.count++] = v;
            }
        }
    }
    return reach;
}

/* Of the vertices farthest from the start of a search, the one with the fewest neighbours. */
static int32_t far_end(const Graph *graph, const Reach *reach, const int32_t *list) {
    int32_t best = list[reach->last];
    for (int32_t i = reach->last + 1; i < reach->count; i++) {
        int32_t more = degree(graph, list[i]) - degree(graph, best);
        best = more < 0 || (more == 0 && list[i] < best) ? list[i] : best;
    }
    return best;
}

/* Lists the piece of a vertex from one of its ends, [GL79]: searches from the far end of the one
 * before, as long as they go deeper. Answers how many vertices it has. */
static int32_t list_piece(const Graph *graph, int32_t start, uint8_t *seen, int32_t *list) {
    Reach reach = search(graph, start, seen, list);
    bool deeper = reach.depth > 0;
    for (int32_t i = 0; i < MOST_STARTS && deeper; i++) {
        int32_t end = far_end(graph, &reach, list), depth = reach.depth;
        for (int32_t k = 0; k < reach.count; k++) {
            seen[list[k]] = 0;
        }
        reach = search(graph, end, seen, list);
        deeper = reach.depth > depth;
    }
    return reach.count;
}

static bool order_edges(TlArena *arena, TlArena *scratch, const TlEdges *edges,
                        int32_t vertex_count, TlOrder *out) {
    Graph graph;
    uint8_t *seen = TL_NEW(scratch, uint8_t, vertex_count);
    out->vertex = TL_NEW(arena, int32_t, vertex_count);
    out->place = TL_NEW(arena, int32_t, vertex_count);
    if (seen == NULL || arena->failed || !build_graph(scratch, edges, vertex_count, &graph)) {
        return false;
    }
    int32_t count = 0;
    for (int32_t v = 0; v < vertex_count; v++) {
        if (!seen[v]) {
            count += list_piece(&graph, v, seen, out->vertex + count);
        }
    }
    for (int32_t i = 0; i < vertex_count; i++) {
        out->place[out->vertex[i]] = i;
    }
    return true;
}

static bool mesh_edges(TlArena *arena, const TlMesh *mesh, TlEdges *out) {
    return tl_edges_build(arena, mesh->vertex_count, mesh->face_count, mesh->face_start,
                          mesh->corners, out);
}

bool tl_order_build(TlArena *arena, const TlMesh *mesh, TlOrder *out) {
    TlArena scratch;
    TlEdges edges;
    tl_arena_init(&scratch, arena->allocator);
    bool ok = mesh_edges(&scratch, mesh, &edges) &&
              order_edges(arena, &scratch, &edges, mesh->vertex_count, out);
    tl_arena_free(&scratch);
    return ok;
}

int64_t tl_order_spread(const TlOrder *order, const TlEdges *edges) {
    int64_t sum = 0;
    for (int32_t u = 0; u < edges->use_count; u = tl_edges_next(edges, u)) {
        int32_t a = edges->uses[u].lo, b = edges->uses[u].hi;
        if (order->vertex != NULL) {
            a = order->place[a];
            b = order->place[b];
        }
        sum += a < b ? b - a : a - b;
    }
    return sum;
}

/* Sets *out to whether faces are near where they are when sorted by their lowest vertex. */
static bool faces_follow(TlArena *scratch, const TlMesh *mesh, bool *out) {
    int32_t count = mesh->face_count;
    int32_t *low = TL_NEW(scratch, int32_t, count), *sorted = TL_NEW(scratch, int32_t, count);
    int32_t *start = TL_NEW(scratch, int32_t, (int64_t)mesh->vertex_count + 1);
    if (scratch->failed) {
        return false;
    }
    for (int32_t f = 0; f < count; f++) {
        low[f] = mesh->corners[mesh->face_start[f]];
        for (int32_t c = mesh->face_start[f] + 1; c < mesh->face_start[f + 1]; c++) {
            low[f] = mesh->corners[c] < low[f] ? mesh->corners[c] : low[f];
        }
    }
    sort_by_key(low, count, mesh->vertex_count, start, sorted);
    int64_t moved = 0;
    for (int32_t i = 0; i < count; i++) {
        moved += i < sorted[i] ? sorted[i] - i : i - sorted[i];
    }
    *out = FACE_SHARE * moved <= (int64_t)count * count;
    return true;
}

static bool choose(TlArena *arena, TlArena *scratch, const TlMesh *mesh, TlOrder *out) {
    const TlOrder own = {NULL, NULL};
    TlEdges edges;
    bool follow;
    if (!mesh_edges(scratch, mesh, &edges) || !faces_follow(scratch, mesh, &follow) ||
        !order_edges(arena, scratch, &edges, mesh->vertex_count, out)) {
        return false;
    }
    if (follow && 2 * tl_order_spread(&own, &edges) <= 3 * tl_order_spread(out, &edges)) {
        *out = own;
    }
    return true;
}

bool tl_order_choose(TlArena *arena, const TlMesh *mesh, TlOrder *out) {
    *out = (TlOrder){NULL, NULL};
    if (mesh->vertex_count < LEAST_VERTICES) {
        return true;
    }
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    bool ok = choose(arena, &scratch, mesh, out);
    tl_arena_free(&scratch);
    return ok;
}
