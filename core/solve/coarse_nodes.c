/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and hubs by farthest-point sampling over rest distances along edges (ties by index, so the
 * choice depends on the mesh alone), each vertex joined to its four nearest nodes by w = (1 -
 * d/d5)^2, normalised; d5 is the distance of the fifth. Weights are then shifted so that positions
 * at rest are interpolated as well as can be: turning a part of the mesh is soft, and must not
 * stretch anything for the coarse levels. A node is joined to hubs as the vertex is where it
 * stands. */
#include "base/vec.h"
#include "solve/coarse.h"

#include <stdlib.h>
#include <string.h>

enum { LABELS = TL_COARSE_SUPPORT + 1, CHUNK = 256 };
/* vertices per node; nodes that need no hubs; hubs at most */
enum { PER_NODE = 20, FEW_NODES = 64, MOST_HUBS = 150 };
/* of the spread of the nodes of a vertex: what keeps the shift of their weights small where they
 * are in a row; iterations change little from 0.05 to 0.2 */
#define STEADY 0.1

typedef struct HeapItem {
    double distance;
    int32_t vertex, seed;
} HeapItem;

typedef struct Heap {
    HeapItem *items;
    int64_t count;
} Heap;

static bool item_before(const HeapItem *a, const HeapItem *b) {
    if (a->distance != b->distance) {
        return a->distance < b->distance;
    }
    return a->seed != b->seed ? a->seed < b->seed : a->vertex < b->vertex;
}

static void heap_push(Heap *heap, HeapItem item) {
    int64_t i = heap->count++;
    for (; i > 0 && item_before(&item, &heap->items[(i - 1) / 2]); i = (i - 1) / 2) {
        heap->items[i] = heap->items[(i - 1) / 2];
    }
    heap->items[i] = item;
}

static HeapItem heap_pop(Heap *heap) {
    HeapItem top = heap->items[0], last = heap->items[--heap->count];
    int64_t i = 0, child;
    while ((child = 2 * i + 1) < heap->count) {
        if (child + 1 < heap->count && item_before(&heap->items[child + 1], &heap->items[child])) {
            child++;
        }
        if (!item_before(&heap->items[child], &last)) {
            break;
        }
        heap->items[i] = heap->items[child];
        i = child;
    }
    heap->items[i] = last;
    return top;
}

/* Neighbours of vertices along edges, springs and diagonals of quads, with lengths at rest. */
typedef struct Graph {
    int32_t *start, *neighbour;
    double *length;
} Graph;

static double diagonal_length(const TlQuadSet *set, int32_t q, int which) {
    const double *r = set->rest + 6 * (int64_t)q;
    /* diagonals Q + P and Q - P from (P.P/2, Q.Q/2, P.Q) */
    return sqrt(tl_max(0.0, 2.0 * (r[0] + r[1] + (which ? -r[2] : r[2]))));
}

static int64_t link_count(const TlSets *sets) {
    return 2 * ((int64_t)sets->edges.count + sets->springs.count + 2 * (int64_t)sets->quads.count);
}

/* Link i of all, counted over edges, springs, quads. */
static double link_at(const TlSets *sets, int32_t i, int32_t ends[2]) {
    if (i < sets->edges.count) {
        memcpy(ends, sets->edges.vertex + 2 * (int64_t)i, 2 * sizeof *ends);
        return sets->edges.length[i];
    }
    i -= sets->edges.count;
    if (i < sets->springs.count) {
        memcpy(ends, sets->springs.vertex + 2 * (int64_t)i, 2 * sizeof *ends);
        return sets->springs.length[i];
    }
    i -= sets->springs.count;
    const int32_t *corner = sets->quads.vertex + 4 * (int64_t)(i / 2);
    ends[0] = corner[i % 2];
    ends[1] = corner[2 + i % 2];
    return diagonal_length(&sets->quads, i / 2, i % 2);
}

static bool build_graph(TlArena *arena, const TlModel *model, Graph *out) {
    int32_t n = model->vertex_count, links = (int32_t)(link_count(&model->sets) / 2), ends[2];
    out->start = TL_NEW(arena, int32_t, n + 2);
    out->neighbour = TL_NEW(arena, int32_t, 2 * (int64_t)links);
    out->length = TL_NEW(arena, double, 2 * (int64_t)links);
    if (arena->failed) {
        return false;
    }
    for (int32_t i = 0; i < links; i++) {
        link_at(&model->sets, i, ends);
        out->start[ends[0] + 2]++;
        out->start[ends[1] + 2]++;
    }
    for (int32_t v = 0; v < n; v++) {
        out->start[v + 2] += out->start[v + 1];
    }
    for (int32_t i = 0; i < links; i++) {
        double length = link_at(&model->sets, i, ends);
        for (int k = 0; k < 2; k++) {
            int32_t at = out->start[ends[k] + 1]++;
            out->neighbour[at] = ends[1 - k];
            out->length[at] = length;
        }
    }
    return true;
}

/* Distances of vertices from the nearest seed, with the largest of every CHUNK. */
typedef struct Field {
    int32_t n;
    double *distance;
    double *largest; /* per chunk */
    bool *stale;     /* per chunk: `largest` may be too large */
} Field;

/* Lowers distances by a new seed; only vertices that come nearer are visited. */
static void spread_seed(const Graph *graph, Heap *heap, int32_t seed, Field *field) {
    double *distance = field->distance;
    heap->count = 0;
    distance[seed] = 0.0;
    field->stale[seed / CHUNK] = true;
    heap_push(heap, (HeapItem){0.0, seed, 0});
    while (heap->count > 0) {
        HeapItem item = heap_pop(heap);
        if (item.distance > distance[item.vertex]) {
            continue;
        }
        for (int32_t s = graph->start[item.vertex]; s < graph->start[item.vertex + 1]; s++) {
            int32_t v = graph->neighbour[s];
            double d = item.distance + graph->length[s];
            if (d < distance[v]) {
                distance[v] = d;
                field->stale[v / CHUNK] = true;
                heap_push(heap, (HeapItem){d, v, 0});
            }
        }
    }
}

/* The first of the vertices farthest from all seeds. */
static int32_t farthest(Field *field) {
    int32_t chunks = (field->n + CHUNK - 1) / CHUNK, best = 0;
    for (int32_t c = 0; c < chunks; c++) {
        int32_t end = c + 1 < chunks ? CHUNK * (c + 1) : field->n;
        if (field->stale[c]) {
            field->largest[c] = 0.0;
            for (int32_t v = CHUNK * c; v < end; v++) {
                field->largest[c] = tl_max(field->largest[c], field->distance[v]);
            }
            field->stale[c] = false;
        }
        best = field->largest[c] > field->largest[best] ? c : best;
    }
    int32_t v = CHUNK * best;
    while (field->distance[v] < field->largest[best]) {
        v++;
    }
    return v;
}

typedef struct Labels {
    int32_t *seed;    /* LABELS per vertex */
    double *distance; /* same */
    int32_t *count;
} Labels;

/* Whether a vertex needs no more labels, or has this one. */
static bool has_label(const Labels *labels, int32_t v, int32_t seed) {
    int32_t count = labels->count[v];
    bool found = count == LABELS;
    for (int32_t k = 0; k < count; k++) {
        found = found || labels->seed[LABELS * (int64_t)v + k] == seed;
    }
    return found;
}

/* The LABELS nearest seeds of every vertex, by one wave from all seeds at once. */
static void label_vertices(const Graph *graph, Heap *heap, const int32_t *seeds, int32_t seed_count,
                           Labels *labels) {
    heap->count = 0;
    for (int32_t i = 0; i < seed_count; i++) {
        heap_push(heap, (HeapItem){0.0, seeds[i], i});
    }
    while (heap->count > 0) {
        HeapItem item = heap_pop(heap);
        if (has_label(labels, item.vertex, item.seed)) {
            continue;
        }
        int64_t at = LABELS * (int64_t)item.vertex + labels->count[item.vertex]++;
        labels->seed[at] = item.seed;
        labels->distance[at] = item.distance;
        for (int32_t s = graph->start[item.vertex]; s < graph->start[item.vertex + 1]; s++) {
            int32_t v = graph->neighbour[s];
            if (!has_label(labels, v, item.seed)) {
                heap_push(heap, (HeapItem){item.distance + graph->length[s], v, item.seed});
            }
        }
    }
}

/* What is used while the levels are made. */
typedef struct Builder {
    Graph graph;
    Heap heap;
    Field field;
    Labels labels;
    int32_t *seeds;
    const double *position; /* 3 per vertex */
} Builder;

/* Shifts the `count` weights w of vertex v, which sum to 1, towards those that reproduce linear
 * functions of space, by moving least squares: w_k (1 - q_k . M^-1 c) with c the weighted mean of
 * the nodes from the vertex, q_k the nodes from that mean and M = sum w_k q_k q_k^T. None becomes
 * negative. */
static void shift_weights(const Builder *b, int32_t v, int32_t count, double *w) {
    TlVec3 own = tl_load3(b->position + 3 * (int64_t)v), c = {0, 0, 0}, q[TL_COARSE_SUPPORT];
    double M[9] = {0}, inverse[9], shift[TL_COARSE_SUPPORT], most = 1.0;
    for (int32_t k = 0; k < count; k++) {
        int32_t node = b->seeds[b->labels.seed[LABELS * (int64_t)v + k]];
        q[k] = tl_sub3(tl_load3(b->position + 3 * (int64_t)node), own);
        c = tl_madd3(c, w[k], q[k]);
    }
    for (int32_t k = 0; k < count; k++) {
        q[k] = tl_sub3(q[k], c);
        const double at[3] = {q[k].x, q[k].y, q[k].z};
        for (int i = 0; i < 9; i++) {
            M[i] += w[k] * at[i / 3] * at[i % 3];
        }
    }
    double spread = STEADY * (M[0] + M[4] + M[8]);
    M[0] += spread;
    M[4] += spread;
    M[8] += spread;
    if (!(spread > 0.0) || !tl_invert_spd3(M, inverse)) {
        return;
    }
    TlVec3 turn = {inverse[0] * c.x + inverse[1] * c.y + inverse[2] * c.z,
                   inverse[3] * c.x + inverse[4] * c.y + inverse[5] * c.z,
                   inverse[6] * c.x + inverse[7] * c.y + inverse[8] * c.z};
    for (int32_t k = 0; k < count; k++) {
        shift[k] = tl_dot3(q[k], turn);
        most = tl_max(most, shift[k]);
    }
    for (int32_t k = 0; k < count && tl_is_finite(most); k++) {
        w[k] *= 1.0 - shift[k] / most;
    }
}

/* Nearest first. Weights are rounded to multiples of 2^-20, the nearest node takes what is missing
 * to 1: their sums, and sums of differences between vertices, are then exact in single precision.
 */
static void weigh_vertex(const Builder *b, int32_t v, int32_t *node, float *weight) {
    const Labels *labels = &b->labels;
    const double grid = 1048576.0;
    int64_t at = LABELS * (int64_t)v;
    int32_t count = labels->count[v], used = count < LABELS ? count : TL_COARSE_SUPPORT;
    double reach = count == 0 ? 1.0 : 2.0 * labels->distance[at + count - 1];
    if (count == LABELS) {
        reach = labels->distance[at + TL_COARSE_SUPPORT];
    }
    double sum = 0.0, w[TL_COARSE_SUPPORT], left = 1.0;
    for (int32_t k = 0; k < TL_COARSE_SUPPORT; k++) {
        node[k] = k < used ? labels->seed[at + k] : -1;
        double part = k < used && reach > 0.0 ? 1.0 - labels->distance[at + k] / reach : 0.0;
        w[k] = k < used && reach == 0.0 ? 1.0 : part * part;
        sum += w[k];
    }
    for (int32_t k = 0; k < used; k++) {
        w[k] = sum > 0.0 ? w[k] / sum : 1.0 / used;
    }
    shift_weights(b, v, used, w);
    for (int32_t k = 1; k < used; k++) {
        double part = floor(grid * w[k]) / grid;
        weight[k] = (float)part;
        left -= part;
    }
    weight[0] = used > 0 ? (float)left : 0.0F;
}

/* 510 nodes and 67 hubs for 10201 vertices; the smallest meshes have few vertices per node. */
static int32_t node_count_for(int32_t n) {
    int32_t many = n / PER_NODE, few = (int32_t)sqrt((double)n);
    return many > few ? many : few;
}

static int32_t hub_count_for(int32_t n, int32_t nodes) {
    int32_t count = (int32_t)(sqrt((double)n) / 1.5);
    count = count < FEW_NODES ? FEW_NODES : count > MOST_HUBS ? MOST_HUBS : count;
    return count < nodes ? count : nodes;
}

static int compare_vertices(const void *a, const void *b) {
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left > right) - (left < right);
}

/* Seeds in the order of vertices: those that belong together are then near each other. */
static void choose_seeds(Builder *b, int32_t count) {
    for (int32_t v = 0; v < b->field.n; v++) {
        b->field.distance[v] = (double)INFINITY;
        b->field.stale[v / CHUNK] = true;
    }
    for (int32_t i = 0; i < count; i++) {
        b->seeds[i] = farthest(&b->field);
        spread_seed(&b->graph, &b->heap, b->seeds[i], &b->field);
    }
    qsort(b->seeds, (size_t)count, sizeof *b->seeds, compare_vertices);
}

/* Seeds, and the labels of all vertices with them. */
static void label_seeds(Builder *b, int32_t count) {
    choose_seeds(b, count);
    memset(b->labels.count, 0, sizeof *b->labels.count * (size_t)b->field.n);
    label_vertices(&b->graph, &b->heap, b->seeds, count, &b->labels);
}

static bool build_builder(TlArena *arena, const TlModel *model, int32_t seeds, Builder *out) {
    int32_t n = model->vertex_count, chunks = n / CHUNK + 1;
    int64_t pushes = LABELS * link_count(&model->sets) + seeds + n + 1;
    out->heap = (Heap){TL_NEW(arena, HeapItem, pushes), 0};
    out->field = (Field){n, TL_NEW(arena, double, n), TL_NEW(arena, double, chunks),
                         TL_NEW(arena, bool, chunks)};
    out->labels = (Labels){TL_NEW(arena, int32_t, LABELS * (int64_t)n),
                           TL_NEW(arena, double, LABELS *(int64_t)n), TL_NEW(arena, int32_t, n)};
    out->seeds = TL_NEW(arena, int32_t, seeds);
    out->position = model->position;
    return build_graph(arena, model, &out->graph);
}

static bool alloc_interpolation(TlArena *arena, int32_t rows, int32_t count, TlInterpolation *out) {
    out->rows = rows;
    out->count = count;
    out->node = TL_NEW(arena, int32_t, TL_COARSE_SUPPORT * (int64_t)rows);
    out->weight = TL_NEW(arena, float, TL_COARSE_SUPPORT *(int64_t)rows);
    return !arena->failed;
}

/* Row `row` as vertex v is labelled. */
static void weigh_row(const Builder *b, int32_t v, int32_t row, TlInterpolation *out) {
    int64_t at = TL_COARSE_SUPPORT * (int64_t)row;
    weigh_vertex(b, v, out->node + at, out->weight + at);
}

/* Hubs that are the nodes themselves. */
static void copy_nodes(TlInterpolation *out) {
    for (int64_t i = 0; i < TL_COARSE_SUPPORT * (int64_t)out->rows; i++) {
        out->node[i] = i % TL_COARSE_SUPPORT == 0 ? (int32_t)(i / TL_COARSE_SUPPORT) : -1;
        out->weight[i] = i % TL_COARSE_SUPPORT == 0 ? 1.0F : 0.0F;
    }
}

bool tl_coarse_nodes(TlArena *arena, const TlModel *model, TlCoarse *out) {
    int32_t n = model->vertex_count, nodes = node_count_for(n), hubs = hub_count_for(n, nodes);
    if (!alloc_interpolation(arena, n, nodes, &out->nodes) ||
        !alloc_interpolation(arena, nodes, hubs, &out->hubs) || n == 0) {
        return !arena->failed;
    }
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    Builder b = {.seeds = NULL};
    int32_t *place = TL_NEW(&scratch, int32_t, nodes);
    bool ok = build_builder(&scratch, model, nodes, &b) && place != NULL;
    if (ok) {
        label_seeds(&b, nodes);
        memcpy(place, b.seeds, sizeof *place * (size_t)nodes);
        for (int32_t v = 0; v < n; v++) {
            weigh_row(&b, v, v, &out->nodes);
        }
        copy_nodes(&out->hubs);
        if (hubs < nodes) {
            label_seeds(&b, hubs);
            for (int32_t i = 0; i < nodes; i++) {
                weigh_row(&b, place[i], i, &out->hubs);
            }
        }
    }
    tl_arena_free(&scratch);
    return ok;
}
