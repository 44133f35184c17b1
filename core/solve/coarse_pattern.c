/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes elements take part in, which pairs of nodes meet, and what the operator's parts
 * reach: all that the matrix on the nodes needs to be summed without searching. */
#include "solve/coarse.h"

#include <string.h>

/* VECTORS: differences of corners that weights are kept of, where a set is packed */
enum { ROWS = 3, VECTORS = 2 };

static int32_t corner_count(const TlElements *elements, int32_t e) {
    return tl_first_corner(elements, e + 1) - tl_first_corner(elements, e);
}

/* Weights per node of an element. */
static int32_t weight_count(const TlElements *elements, int32_t e) {
    return tl_is_packed(elements) ? VECTORS : corner_count(elements, e);
}

/* ---- which nodes an element takes part in ---- */

/* Puts the nodes of an element's corners, ascending, into `node`, which has room for all. */
static int32_t list_nodes(const TlCoarse *coarse, const TlElements *elements, int32_t e,
                          int32_t *node) {
    int32_t count = 0;
    for (int32_t c = tl_first_corner(elements, e); c < tl_first_corner(elements, e + 1); c++) {
        for (int k = 0; k < TL_COARSE_SUPPORT; k++) {
            int32_t own = coarse->nodes.node[TL_COARSE_SUPPORT * (int64_t)elements->vertex[c] + k];
            int32_t i = count;
            while (i > 0 && node[i - 1] > own) {
                i--;
            }
            if (own >= 0 && (i == 0 || node[i - 1] != own)) {
                memmove(node + i + 1, node + i, sizeof *node * (size_t)(count - i));
                node[i] = own;
                count++;
            }
        }
    }
    return count;
}

static bool build_spans(TlArena *arena, const TlCoarse *coarse, const TlElements *elements,
                        TlSpans *out) {
    int64_t most = TL_COARSE_SUPPORT * (int64_t)tl_first_corner(elements, elements->count);
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    int32_t *nodes = TL_NEW(&scratch, int32_t, most + 1);
    out->first = TL_NEW(arena, int32_t, elements->count + 1);
    out->offset = TL_NEW(arena, int64_t, elements->count + 1);
    bool ok = nodes != NULL && !arena->failed && most < INT32_MAX;
    for (int32_t e = 0; ok && e < elements->count; e++) {
        int32_t count = list_nodes(coarse, elements, e, nodes + out->first[e]);
        out->first[e + 1] = out->first[e] + count;
        out->offset[e + 1] = out->offset[e] + (int64_t)count * weight_count(elements, e);
    }
    if (ok) {
        int32_t total = out->first[elements->count];
        out->node = TL_NEW(arena, int32_t, total);
        out->weight = TL_NEW(arena, float, out->offset[elements->count]);
        ok = !arena->failed;
        if (ok) {
            memcpy(out->node, nodes, sizeof *nodes * (size_t)total);
        }
    }
    tl_arena_free(&scratch);
    return ok;
}

/* ---- pattern ---- */

/* The pairs of nodes that meet, as lists of columns from the diagonal on. */
typedef struct Pairs {
    int32_t n;
    int32_t *count, *capacity;
    int32_t **column; /* ascending */
    TlArena *arena;
} Pairs;

static bool add_pair(Pairs *pairs, int32_t a, int32_t b) {
    int32_t low = a < b ? a : b, high = a < b ? b : a, i = pairs->count[low];
    int32_t *row = pairs->column[low];
    while (i > 0 && row[i - 1] > high) {
        i--;
    }
    if (i > 0 && row[i - 1] == high) {
        return true;
    }
    if (pairs->count[low] == pairs->capacity[low]) {
        int32_t capacity = 2 * pairs->capacity[low] + 16;
        int32_t *larger = TL_NEW(pairs->arena, int32_t, capacity);
        if (larger == NULL) {
            return false;
        }
        for (int32_t k = 0; k < pairs->count[low]; k++) {
            larger[k] = row[k];
        }
        pairs->column[low] = row = larger;
        pairs->capacity[low] = capacity;
    }
    memmove(row + i + 1, row + i, sizeof *row * (size_t)(pairs->count[low] - i));
    row[i] = high;
    pairs->count[low]++;
    return true;
}

/* All pairs of nodes of vertices v and w. */
static bool add_vertices(Pairs *pairs, const TlInterpolation *nodes, int32_t v, int32_t w) {
    const int32_t *a = nodes->node + TL_COARSE_SUPPORT * (int64_t)v;
    const int32_t *b = nodes->node + TL_COARSE_SUPPORT * (int64_t)w;
    bool ok = true;
    for (int i = 0; i < TL_COARSE_SUPPORT && a[i] >= 0; i++) {
        for (int j = 0; j < TL_COARSE_SUPPORT && b[j] >= 0; j++) {
            ok = ok && add_pair(pairs, a[i], b[j]);
        }
    }
    return ok;
}

static bool add_spans(Pairs *pairs, const TlSpans *spans, int32_t count) {
    bool ok = true;
    for (int32_t e = 0; ok && e < count; e++) {
        for (int32_t i = spans->first[e]; i < spans->first[e + 1]; i++) {
            for (int32_t j = i; j < spans->first[e + 1]; j++) {
                ok = ok && add_pair(pairs, spans->node[i], spans->node[j]);
            }
        }
    }
    return ok;
}

static bool find_pairs(Pairs *pairs, const TlCoarse *coarse, const TlOperator *A) {
    bool ok = true;
    for (int32_t a = 0; ok && a < pairs->n; a++) {
        ok = add_pair(pairs, a, a);
    }
    for (int32_t v = 0; ok && v < A->n; v++) {
        ok = add_vertices(pairs, &coarse->nodes, v, v);
        int32_t slice = v / TL_SLICE;
        for (int32_t s = A->bend_start[slice]; ok && s < A->bend_start[slice + 1]; s++) {
            ok = add_vertices(pairs, &coarse->nodes, v,
                              A->bend_column[TL_SLICE * (int64_t)s + v % TL_SLICE]);
        }
    }
    for (int32_t k = 0; ok && k < A->set_count; k++) {
        if (tl_has_hessian(&A->sets[k].elements)) {
            ok = add_spans(pairs, &coarse->spans[k], A->sets[k].elements.count);
        }
    }
    return ok;
}

static bool build_blocks(TlArena *arena, const TlOperator *A, TlCoarse *out) {
    TlNodeMatrix *matrix = &out->matrix;
    int32_t n = out->nodes.count;
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    Pairs pairs = {n, TL_NEW(&scratch, int32_t, n), TL_NEW(&scratch, int32_t, n),
                   TL_NEW(&scratch, int32_t *, n), &scratch};
    matrix->n = n;
    matrix->row_start = TL_NEW(arena, int32_t, n + 1);
    bool ok = !scratch.failed && !arena->failed && find_pairs(&pairs, out, A);
    for (int32_t a = 0; ok && a < n; a++) {
        matrix->row_start[a + 1] = matrix->row_start[a] + pairs.count[a];
    }
    if (ok) {
        matrix->count = matrix->row_start[n];
        matrix->column = TL_NEW(arena, int32_t, matrix->count);
        matrix->block = TL_NEW(arena, TlDouble4, ROWS * (int64_t)matrix->count);
        ok = !arena->failed;
    }
    for (int32_t a = 0; ok && a < n; a++) {
        memcpy(matrix->column + matrix->row_start[a], pairs.column[a],
               sizeof *matrix->column * (size_t)pairs.count[a]);
    }
    tl_arena_free(&scratch);
    return ok;
}

/* Block (a, b), a <= b, which exists. */
int32_t tl_coarse_block(const TlNodeMatrix *matrix, int32_t a, int32_t b) {
    int32_t low = matrix->row_start[a], high = matrix->row_start[a + 1] - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (matrix->column[middle] < b) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The blocks of each element's pairs. */
static bool build_pairs(TlArena *arena, const TlNodeMatrix *matrix, int32_t count, TlSpans *spans) {
    spans->pair = TL_NEW(arena, int64_t, count + 1);
    for (int32_t e = 0; !arena->failed && e < count; e++) {
        int64_t nodes = spans->first[e + 1] - spans->first[e];
        spans->pair[e + 1] = spans->pair[e] + nodes * (nodes + 1) / 2;
    }
    if (!arena->failed) {
        spans->block = TL_NEW(arena, int32_t, spans->pair[count]);
    }
    for (int32_t e = 0; !arena->failed && e < count; e++) {
        int32_t *out = spans->block + spans->pair[e];
        for (int32_t to = spans->first[e]; to < spans->first[e + 1]; to++) {
            for (int32_t from = spans->first[e]; from <= to; from++) {
                *out++ = tl_coarse_block(matrix, spans->node[from], spans->node[to]);
            }
        }
    }
    return !arena->failed;
}

static void widen(TlReach *reach, int32_t at) {
    reach->first = at < reach->first ? at : reach->first;
    reach->last = at >= reach->last ? at + 1 : reach->last;
}

/* Which blocks each part touches: nodes are sorted along the mesh, so these are few. */
static void measure_part(TlCoarse *coarse, const TlOperator *A, int32_t part) {
    TlReach *blocks = &coarse->block_reach[part];
    blocks->first = coarse->matrix.count;
    for (int32_t v = tl_part_begin(A, A->n, part); v < tl_part_begin(A, A->n, part + 1); v++) {
        const int32_t *node = coarse->nodes.node + TL_COARSE_SUPPORT * (int64_t)v;
        for (int i = 0; i < TL_COARSE_SUPPORT && node[i] >= 0; i++) {
            for (int j = 0; j < TL_COARSE_SUPPORT && node[j] >= 0; j++) {
                if (node[i] <= node[j]) {
                    widen(blocks, tl_coarse_block(&coarse->matrix, node[i], node[j]));
                }
            }
        }
    }
    for (int32_t k = 0; k < A->set_count; k++) {
        const TlElements *elements = &A->sets[k].elements;
        if (tl_has_hessian(elements)) {
            const TlSpans *spans = &coarse->spans[k];
            int64_t end = spans->pair[tl_part_first(A, elements, part + 1)];
            for (int64_t i = spans->pair[tl_part_first(A, elements, part)]; i < end; i++) {
                widen(blocks, spans->block[i]);
            }
        }
    }
    blocks->first = blocks->last > 0 ? blocks->first : 0;
}

static bool build_reaches(TlArena *arena, const TlOperator *A, TlCoarse *out) {
    out->block_reach = TL_NEW(arena, TlReach, A->part_count);
    for (int32_t part = 0; !arena->failed && part < A->part_count; part++) {
        TlReach *blocks = &out->block_reach[part];
        measure_part(out, A, part);
        blocks->sum = TL_NEW(arena, TlDouble4, ROWS * (int64_t)(blocks->last - blocks->first));
    }
    return !arena->failed;
}

static bool build_restriction(TlArena *arena, const TlInterpolation *from, TlRestriction *out) {
    int64_t most = TL_COARSE_SUPPORT * (int64_t)from->rows;
    out->start = TL_NEW(arena, int32_t, from->count + 2);
    out->row = TL_NEW(arena, int32_t, most);
    out->weight = TL_NEW(arena, float, most);
    if (arena->failed || most > INT32_MAX) {
        return false;
    }
    for (int64_t i = 0; i < most; i++) {
        if (from->node[i] >= 0) {
            out->start[from->node[i] + 2]++;
        }
    }
    for (int32_t a = 0; a < from->count; a++) {
        out->start[a + 2] += out->start[a + 1];
    }
    for (int64_t i = 0; i < most; i++) {
        if (from->node[i] >= 0) {
            int32_t at = out->start[from->node[i] + 1]++;
            out->row[at] = (int32_t)(i / TL_COARSE_SUPPORT);
            out->weight[at] = from->weight[i];
        }
    }
    return true;
}

bool tl_coarse_pattern(TlArena *arena, const TlOperator *A, TlCoarse *out) {
    out->spans = TL_NEW(arena, TlSpans, A->set_count);
    out->fixed = TL_NEW(arena, uint8_t, A->n);
    out->weight = TL_NEW(arena, double, A->n);
    bool ok = !arena->failed;
    for (int32_t k = 0; ok && k < A->set_count; k++) {
        ok = !tl_has_hessian(&A->sets[k].elements) ||
             build_spans(arena, out, &A->sets[k].elements, &out->spans[k]);
    }
    ok = ok && build_restriction(arena, &out->nodes, &out->down) &&
         build_restriction(arena, &out->hubs, &out->hub_down) && build_blocks(arena, A, out);
    for (int32_t k = 0; ok && k < A->set_count; k++) {
        const TlElements *elements = &A->sets[k].elements;
        ok = !tl_has_hessian(elements) ||
             build_pairs(arena, &out->matrix, elements->count, &out->spans[k]);
    }
    out->bend = TL_NEW(arena, double, out->matrix.count);
    out->own = TL_NEW(arena, double, out->matrix.count);
    return ok && !arena->failed && build_reaches(arena, A, out);
}
