/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Coarse nodes by farthest-point sampling over rest distances along edges (ties by index, so the
 * choice depends on the mesh alone), each vertex joined to its four nearest by w = (1 - d/d5)^2,
 * normalised; d5 is the distance of the fifth. The Galerkin matrix is dense and factored by
 * Cholesky; all inner loops run along rows. */
#include "solve/coarse.h"

#include "base/vec.h"

#include <string.h>

enum { LABELS = TL_COARSE_SUPPORT + 1, MAX_NODES = 300 };

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

static void set_length(const TlBlockMatrix *A, int32_t a, int32_t b, double value, double *length) {
    for (int32_t s = A->row_start[a]; s < A->row_start[a + 1]; s++) {
        length[s] = A->column[s] == b ? value : length[s];
    }
}

static void set_lengths(const TlBlockMatrix *A, int32_t count, const int32_t *vertex,
                        const double *values, double *length) {
    for (int32_t i = 0; i < count; i++) {
        const int32_t *v = vertex + 2 * (int64_t)i;
        set_length(A, v[0], v[1], values[i], length);
        set_length(A, v[1], v[0], values[i], length);
    }
}

/* Lengths at rest of edges, springs and diagonals of quads on the pattern; infinite elsewhere. */
static void edge_lengths(const TlModel *model, const TlBlockMatrix *A, double *length) {
    const TlSets *sets = &model->sets;
    for (int32_t s = 0; s < A->row_start[A->n]; s++) {
        length[s] = HUGE_VAL;
    }
    set_lengths(A, sets->edges.count, sets->edges.vertex, sets->edges.length, length);
    set_lengths(A, sets->springs.count, sets->springs.vertex, sets->springs.length, length);
    for (int32_t q = 0; q < sets->quads.count; q++) {
        const int32_t *v = sets->quads.vertex + 4 * (int64_t)q;
        const double *r = sets->quads.rest + 6 * (int64_t)q;
        /* diagonals Q + P and Q - P from (P.P/2, Q.Q/2, P.Q) */
        const double diagonal[2] = {sqrt(2.0 * (r[0] + r[1] + r[2])),
                                    sqrt(2.0 * (r[0] + r[1] - r[2]))};
        const int32_t ends[4] = {v[0], v[2], v[1], v[3]};
        set_lengths(A, 2, ends, diagonal, length);
    }
}

/* Lowers `distance` by a new seed; only vertices that come nearer are visited. */
static void spread_seed(const TlBlockMatrix *A, const double *length, Heap *heap, int32_t seed,
                        double *distance) {
    heap->count = 0;
    distance[seed] = 0.0;
    heap_push(heap, (HeapItem){0.0, seed, 0});
    while (heap->count > 0) {
        HeapItem item = heap_pop(heap);
        if (item.distance > distance[item.vertex]) {
            continue;
        }
        for (int32_t s = A->row_start[item.vertex]; s < A->row_start[item.vertex + 1]; s++) {
            double d = item.distance + length[s];
            if (d < distance[A->column[s]]) {
                distance[A->column[s]] = d;
                heap_push(heap, (HeapItem){d, A->column[s], 0});
            }
        }
    }
}

static int32_t farthest(const double *distance, int32_t n) {
    int32_t best = 0;
    for (int32_t v = 1; v < n; v++) {
        best = distance[v] > distance[best] ? v : best;
    }
    return best;
}

typedef struct Labels {
    int32_t *seed;    /* LABELS per vertex */
    double *distance; /* same */
    int32_t *count;
} Labels;

/* The LABELS nearest seeds of every vertex, by one wave from all seeds at once. */
static void label_vertices(const TlBlockMatrix *A, const double *length, Heap *heap,
                           const int32_t *seeds, int32_t seed_count, Labels *labels) {
    heap->count = 0;
    for (int32_t i = 0; i < seed_count; i++) {
        heap_push(heap, (HeapItem){0.0, seeds[i], i});
    }
    while (heap->count > 0) {
        HeapItem item = heap_pop(heap);
        int64_t at = LABELS * (int64_t)item.vertex;
        bool known = labels->count[item.vertex] == LABELS;
        for (int32_t k = 0; k < labels->count[item.vertex] && !known; k++) {
            known = labels->seed[at + k] == item.seed;
        }
        if (known) {
            continue;
        }
        at += labels->count[item.vertex]++;
        labels->seed[at] = item.seed;
        labels->distance[at] = item.distance;
        for (int32_t s = A->row_start[item.vertex]; s < A->row_start[item.vertex + 1]; s++) {
            if (labels->count[A->column[s]] < LABELS) {
                heap_push(heap, (HeapItem){item.distance + length[s], A->column[s], item.seed});
            }
        }
    }
}

static void weigh_vertex(const Labels *labels, int32_t v, int32_t *node, double *weight) {
    int64_t at = LABELS * (int64_t)v;
    int32_t count = labels->count[v], used = count < LABELS ? count : TL_COARSE_SUPPORT;
    double reach = count == 0 ? 1.0 : 2.0 * labels->distance[at + count - 1];
    if (count == LABELS) {
        reach = labels->distance[at + TL_COARSE_SUPPORT];
    }
    double sum = 0.0;
    for (int32_t k = 0; k < TL_COARSE_SUPPORT; k++) {
        node[k] = k < used ? labels->seed[at + k] : -1;
        double part = k < used && reach > 0.0 ? 1.0 - labels->distance[at + k] / reach : 0.0;
        weight[k] = k < used && reach == 0.0 ? 1.0 : part * part;
        sum += weight[k];
    }
    for (int32_t k = 0; k < used; k++) {
        weight[k] = sum > 0.0 ? weight[k] / sum : 1.0 / used;
    }
}

/* Vertices of each node, ascending. */
static void list_vertices(TlCoarse *coarse, int32_t n) {
    for (int64_t i = 0; i < TL_COARSE_SUPPORT * (int64_t)n; i++) {
        if (coarse->node[i] >= 0) {
            coarse->start[coarse->node[i] + 2]++;
        }
    }
    for (int32_t k = 0; k < coarse->node_count; k++) {
        coarse->start[k + 2] += coarse->start[k + 1];
    }
    for (int64_t i = 0; i < TL_COARSE_SUPPORT * (int64_t)n; i++) {
        if (coarse->node[i] >= 0) {
            int32_t place = coarse->start[coarse->node[i] + 1]++;
            coarse->vertex[place] = (int32_t)(i / TL_COARSE_SUPPORT);
            coarse->vertex_weight[place] = coarse->weight[i];
        }
    }
}

/* The square root of the vertex count: 100 nodes for 10k vertices, 200 for 40k. */
static int32_t node_count_for(int32_t n) {
    int32_t count = (int32_t)sqrt((double)n);
    return count > MAX_NODES ? MAX_NODES : count;
}

static bool alloc_coarse(TlArena *arena, int32_t n, TlCoarse *out) {
    int64_t size = 3 * (int64_t)out->node_count;
    out->node = TL_NEW(arena, int32_t, TL_COARSE_SUPPORT * (int64_t)n);
    out->weight = TL_NEW(arena, double, TL_COARSE_SUPPORT *(int64_t)n);
    out->start = TL_NEW(arena, int32_t, out->node_count + 2);
    out->vertex = TL_NEW(arena, int32_t, TL_COARSE_SUPPORT * (int64_t)n);
    out->vertex_weight = TL_NEW(arena, double, TL_COARSE_SUPPORT *(int64_t)n);
    out->matrix = TL_NEW(arena, double, size *size);
    out->transpose = TL_NEW(arena, double, size *size);
    out->column = TL_NEW(arena, double, size);
    out->value = TL_NEW(arena, double, size);
    return out->node != NULL && out->weight != NULL && out->start != NULL && out->vertex != NULL &&
           out->vertex_weight != NULL && out->matrix != NULL && out->transpose != NULL &&
           out->column != NULL && out->value != NULL;
}

bool tl_coarse_build(TlArena *arena, const TlModel *model, const TlBlockMatrix *pattern,
                     TlCoarse *out) {
    int32_t n = model->vertex_count, total = pattern->row_start[n];
    out->node_count = node_count_for(n);
    if (!alloc_coarse(arena, n, out)) {
        return false;
    }
    if (n == 0) {
        return true;
    }
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    double *length = TL_NEW(&scratch, double, total);
    double *distance = TL_NEW(&scratch, double, n);
    int32_t *seeds = TL_NEW(&scratch, int32_t, out->node_count);
    Labels labels = {TL_NEW(&scratch, int32_t, LABELS * (int64_t)n),
                     TL_NEW(&scratch, double, LABELS *(int64_t)n), TL_NEW(&scratch, int32_t, n)};
    Heap heap = {TL_NEW(&scratch, HeapItem, LABELS * (int64_t)total + out->node_count + 1), 0};
    bool ok = !scratch.failed;
    if (ok) {
        edge_lengths(model, pattern, length);
        for (int32_t v = 0; v < n; v++) {
            distance[v] = (double)INFINITY;
        }
        for (int32_t i = 0; i < out->node_count; i++) {
            seeds[i] = farthest(distance, n);
            spread_seed(pattern, length, &heap, seeds[i], distance);
        }
        label_vertices(pattern, length, &heap, seeds, out->node_count, &labels);
        for (int32_t v = 0; v < n; v++) {
            int64_t at = TL_COARSE_SUPPORT * (int64_t)v;
            weigh_vertex(&labels, v, out->node + at, out->weight + at);
        }
        list_vertices(out, n);
    }
    tl_arena_free(&scratch);
    return ok;
}

typedef struct Galerkin {
    TlCoarse *coarse;
    const TlBlockMatrix *A;
    const uint8_t *fixed;
} Galerkin;

/* Adds w * block to the blocks of the nodes of column vertex j. */
static void add_coarse(const TlCoarse *coarse, int32_t j, double w, const double *block,
                       double *out) {
    for (int k = 0; k < TL_COARSE_SUPPORT; k++) {
        int32_t node = coarse->node[TL_COARSE_SUPPORT * (int64_t)j + k];
        if (node >= 0) {
            double s = w * coarse->weight[TL_COARSE_SUPPORT * (int64_t)j + k];
            for (int i = 0; i < 9; i++) {
                out[9 * node + i] += s * block[i];
            }
        }
    }
}

/* The same for a scalar times the unit matrix. */
static void add_coarse_scalar(const TlCoarse *coarse, int32_t j, double w, double *out) {
    for (int k = 0; k < TL_COARSE_SUPPORT; k++) {
        int32_t node = coarse->node[TL_COARSE_SUPPORT * (int64_t)j + k];
        if (node >= 0) {
            double s = w * coarse->weight[TL_COARSE_SUPPORT * (int64_t)j + k];
            out[9 * node] += s;
            out[9 * node + 4] += s;
            out[9 * node + 8] += s;
        }
    }
}

/* One node's row of P^T C P, where C is the upper half of A with half its diagonal. */
static void galerkin_row(const Galerkin *in, int32_t row, double *out) {
    const TlCoarse *coarse = in->coarse;
    const TlBlockMatrix *A = in->A;
    for (int32_t m = coarse->start[row]; m < coarse->start[row + 1]; m++) {
        int32_t v = coarse->vertex[m];
        if (in->fixed[v]) {
            continue;
        }
        double w = coarse->vertex_weight[m];
        add_coarse(coarse, v, 0.5 * w, A->block + 9 * (int64_t)A->diagonal[v], out);
        for (int32_t s = A->diagonal[v] + 1; s < A->row_start[v + 1]; s++) {
            if (!in->fixed[A->column[s]]) {
                add_coarse(coarse, A->column[s], w, A->block + 9 * (int64_t)s, out);
            }
        }
        for (int32_t s = A->far.row_start[v]; s < A->far.row_start[v + 1]; s++) {
            if (A->far.column[s] > v && !in->fixed[A->far.column[s]]) {
                add_coarse_scalar(coarse, A->far.column[s], w * A->far.value[s], out);
            }
        }
    }
}

static void galerkin_rows(void *data, int32_t begin, int32_t end) {
    Galerkin *in = data;
    int32_t nodes = in->coarse->node_count;
    for (int32_t row = begin; row < end; row++) {
        double blocks[9 * MAX_NODES] = {0};
        galerkin_row(in, row, blocks);
        double *out = in->coarse->transpose + 9 * (int64_t)row * nodes;
        for (int64_t i = 0; i < 9 * (int64_t)nodes; i++) {
            int64_t line = i / (3 * nodes), column = i % (3 * nodes);
            out[i] = blocks[column / 3 * 9 + 3 * line + column % 3];
        }
    }
}

/* Lower half of the Galerkin matrix P^T A P = P^T C P + (P^T C P)^T. */
static void galerkin(TlCoarse *coarse, TlPool *pool, const TlBlockMatrix *A, const uint8_t *fixed) {
    int64_t size = 3 * (int64_t)coarse->node_count;
    Galerkin in = {coarse, A, fixed};
    tl_parallel_for(pool, coarse->node_count, 1, galerkin_rows, &in);
    for (int64_t i = 0; i < size; i++) {
        for (int64_t j = 0; j <= i; j++) {
            coarse->matrix[i * size + j] =
                coarse->transpose[i * size + j] + coarse->transpose[j * size + i];
        }
        /* a node whose vertices are all fixed has an empty row */
        double *pivot = &coarse->matrix[i * size + i];
        *pivot = *pivot > 0.0 ? *pivot * (1.0 + 1e-9) : 1.0;
    }
}

/* Right-looking Cholesky of the lower half; false when a pivot is not positive. */
static bool cholesky(double *matrix, double *column, int64_t size) {
    for (int64_t k = 0; k < size; k++) {
        double pivot = matrix[k * size + k];
        if (!(pivot > 0.0)) {
            return false;
        }
        double root = sqrt(pivot);
        matrix[k * size + k] = root;
        for (int64_t i = k + 1; i < size; i++) {
            column[i] = matrix[i * size + k] /= root;
        }
        for (int64_t i = k + 1; i < size; i++) {
            double *row = matrix + i * size, s = column[i];
            if (s != 0.0) {
                for (int64_t j = k + 1; j <= i; j++) {
                    row[j] -= s * column[j];
                }
            }
        }
    }
    return true;
}

void tl_coarse_factor(TlCoarse *coarse, TlPool *pool, const TlBlockMatrix *A,
                      const uint8_t *fixed) {
    int64_t size = 3 * (int64_t)coarse->node_count;
    galerkin(coarse, pool, A, fixed);
    coarse->ready = cholesky(coarse->matrix, coarse->column, size);
    for (int64_t i = 0; i < size; i++) {
        for (int64_t j = 0; j <= i; j++) {
            coarse->transpose[j * size + i] = coarse->matrix[i * size + j];
        }
    }
}

typedef struct Restrict {
    TlCoarse *coarse;
    const double *r;
} Restrict;

static void restrict_nodes(void *data, int32_t begin, int32_t end) {
    Restrict *in = data;
    TlCoarse *coarse = in->coarse;
    for (int32_t node = begin; node < end; node++) {
        double sum[3] = {0, 0, 0};
        for (int32_t m = coarse->start[node]; m < coarse->start[node + 1]; m++) {
            const double *r = in->r + 3 * (int64_t)coarse->vertex[m];
            for (int i = 0; i < 3; i++) {
                sum[i] += coarse->vertex_weight[m] * r[i];
            }
        }
        memcpy(coarse->value + 3 * (int64_t)node, sum, sizeof sum);
    }
}

void tl_coarse_solve(TlCoarse *coarse, TlPool *pool, const double *r) {
    int64_t size = 3 * (int64_t)coarse->node_count;
    double *y = coarse->value;
    Restrict in = {coarse, r};
    tl_parallel_for(pool, coarse->node_count, 8, restrict_nodes, &in);
    for (int64_t i = 0; i < size; i++) {
        const double *row = coarse->transpose + i * size;
        double s = y[i] /= row[i];
        for (int64_t j = i + 1; j < size; j++) {
            y[j] -= s * row[j];
        }
    }
    for (int64_t i = size - 1; i >= 0; i--) {
        const double *row = coarse->matrix + i * size;
        double s = y[i] /= row[i];
        for (int64_t j = 0; j < i; j++) {
            y[j] -= s * row[j];
        }
    }
}
