/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The Galerkin matrix on the nodes is summed element by element, B = sum W^T H W with W the weights
 * of the nodes at the element's corners; of quads only the diagonals count, since smooth functions
 * hardly twist one, and where there are many triangles to a node every second one counts twice,
 * since their neighbours are strained alike. The parts of the constant bending matrix and of
 * inertia are known beforehand. The operator's parts sum for themselves, then all are added in
 * order. */
#include "base/vec.h"
#include "solve/coarse.h"

#include <string.h>

/* VECTORS: differences of corners that weights are kept of, where a set is packed */
enum { ROWS = 3, BLOCK_GRAIN = 256, NODE_GRAIN = 16, VECTORS = 2 };
/* corners of a set with blocks but the first; nodes of an element whose rows are kept */
enum { MOST_OTHERS = 3, MOST_KNOWN = 32 };

static int32_t corner_count(const TlElements *elements, int32_t e) {
    return tl_first_corner(elements, e + 1) - tl_first_corner(elements, e);
}

static float weight_at(const TlCoarse *coarse, int32_t v, int32_t node) {
    for (int k = 0; k < TL_COARSE_SUPPORT && !coarse->fixed[v]; k++) {
        if (coarse->nodes.node[TL_COARSE_SUPPORT * (int64_t)v + k] == node) {
            return coarse->nodes.weight[TL_COARSE_SUPPORT * (int64_t)v + k];
        }
    }
    return 0.0F;
}

/* Weights of the free vertices. */
static void weigh_spans(const TlCoarse *coarse, const TlElements *elements, TlSpans *spans) {
    for (int32_t e = 0; e < elements->count; e++) {
        const int32_t *v = elements->vertex + tl_first_corner(elements, e);
        float *w = spans->weight + spans->offset[e];
        for (int32_t i = spans->first[e]; i < spans->first[e + 1]; i++) {
            int32_t node = spans->node[i];
            if (elements->vectors == 2) {
                float own = weight_at(coarse, v[0], node);
                *w++ = weight_at(coarse, v[1], node) - own;
                *w++ = weight_at(coarse, v[2], node) - own;
                continue;
            }
            float c[4] = {0};
            for (int32_t k = 0; k < corner_count(elements, e); k++) {
                float own = weight_at(coarse, v[k], node);
                if (elements->vectors == 0) {
                    *w++ = own;
                } else {
                    c[k] = own;
                }
            }
            if (elements->vectors == 3) {
                *w++ = c[2] - c[0];
                *w++ = c[1] - c[3];
            }
        }
    }
}

/* What the scalars of blocks are summed from. */
typedef struct Scalars {
    const TlCoarse *coarse;
    const TlOperator *A;
    double *out; /* per block */
} Scalars;

/* Adds s times the unit matrix between a vertex of weight `from` at node a and vertex w. */
static void add_scalar(const TlCoarse *coarse, int32_t a, double from, int32_t w, double s,
                       double *out) {
    const int32_t *b = coarse->nodes.node + TL_COARSE_SUPPORT * (int64_t)w;
    const float *to = coarse->nodes.weight + TL_COARSE_SUPPORT * (int64_t)w;
    for (int j = 0; j < TL_COARSE_SUPPORT && b[j] >= 0; j++) {
        if (a <= b[j] && !coarse->fixed[w]) {
            out[tl_coarse_block(&coarse->matrix, a, b[j])] += s * from * (double)to[j];
        }
    }
}

static void clear_scalars(const Scalars *in, int32_t begin, int32_t end) {
    int32_t first = in->coarse->matrix.row_start[begin], last = in->coarse->matrix.row_start[end];
    memset(in->out + first, 0, sizeof *in->out * (size_t)(last - first));
}

/* The bending matrix, in the rows of nodes [begin, end). */
static void bend_nodes(void *data, int32_t begin, int32_t end) {
    const Scalars *in = data;
    const TlRestriction *down = &in->coarse->down;
    const TlScalarMatrix *bend = in->A->bend;
    clear_scalars(in, begin, end);
    for (int32_t a = begin; a < end; a++) {
        for (int32_t i = down->start[a]; i < down->start[a + 1]; i++) {
            int32_t v = down->row[i];
            for (int32_t s = bend->row_start[v];
                 !in->coarse->fixed[v] && s < bend->row_start[v + 1]; s++) {
                add_scalar(in->coarse, a, (double)down->weight[i], bend->column[s], bend->value[s],
                           in->out);
            }
        }
    }
}

/* The inertia of vertices, the same. */
static void inertia_nodes(void *data, int32_t begin, int32_t end) {
    const Scalars *in = data;
    const TlRestriction *down = &in->coarse->down;
    clear_scalars(in, begin, end);
    for (int32_t a = begin; a < end; a++) {
        for (int32_t i = down->start[a]; i < down->start[a + 1]; i++) {
            int32_t v = down->row[i];
            add_scalar(in->coarse, a, (double)down->weight[i], v, in->A->weight[v], in->out);
        }
    }
}

/* What depends on which vertices are fixed: weights of elements and the bending part. */
static void know_fixed(TlCoarse *coarse, TlPool *pool, const TlOperator *A) {
    if (coarse->known_fixed && memcmp(coarse->fixed, A->fixed, (size_t)A->n) == 0) {
        return;
    }
    memcpy(coarse->fixed, A->fixed, (size_t)A->n);
    coarse->known_fixed = true;
    coarse->known_own = false;
    for (int32_t k = 0; k < A->set_count; k++) {
        if (tl_has_hessian(&A->sets[k].elements)) {
            weigh_spans(coarse, &A->sets[k].elements, &coarse->spans[k]);
        }
    }
    Scalars scalars = {coarse, A, coarse->bend};
    tl_parallel_for(pool, coarse->nodes.count, NODE_GRAIN, bend_nodes, &scalars);
}

/* Where a part sums a block. */
TL_INLINE TlDouble4 *sums_of(TlReach reach, int32_t block) {
    return reach.sum + ROWS * (int64_t)(block - reach.first);
}

typedef struct Galerkin {
    TlCoarse *coarse;
    const TlOperator *A;
} Galerkin;

/* Rows of the blocks (A, B) of the first two vectors of a packed Hessian. */
typedef struct Blocks {
    TlDouble4 row[VECTORS][VECTORS][3];
} Blocks;

TL_INLINE TlDouble4 load_row(const float *packed, int a, int b, int c) {
    return (TlDouble4){(double)packed[TL_WIDE * a], (double)packed[TL_WIDE * b],
                       (double)packed[TL_WIDE * c], 0.0};
}

/* One lane of a group with m vectors, without the part of the bending matrix, `near`; `times` so
 * much. */
TL_INLINE void load_blocks(const float *lane, const float *near, int m, double times, Blocks *out) {
    for (int a = 0; a < VECTORS; a++) {
        const float *own = lane + TL_WIDE * 6 * a;
        out->row[a][a][0] = load_row(own, 0, 1, 2);
        out->row[a][a][1] = load_row(own, 1, 3, 4);
        out->row[a][a][2] = load_row(own, 2, 4, 5);
    }
    const float *mixed = lane + TL_WIDE * 6 * m;
    for (int i = 0; i < 3; i++) {
        out->row[0][1][i] = load_row(mixed, 3 * i, 3 * i + 1, 3 * i + 2);
        out->row[1][0][i] = load_row(mixed, i, 3 + i, 6 + i);
    }
    for (int i = 0; i < 3; i++) {
        out->row[0][0][i][i] -= (double)near[0];
        out->row[1][1][i][i] -= (double)near[TL_WIDE];
        out->row[0][1][i][i] -= (double)near[TL_WIDE * m];
        out->row[1][0][i][i] -= (double)near[TL_WIDE * m];
    }
    for (int i = 0; i < VECTORS * VECTORS * 3; i++) {
        out->row[i / 6][i / 3 % 2][i % 3] *= times;
    }
}

/* Adds W^T M W of an element, `count` nodes of weights w. */
TL_INLINE void add_packed(const Blocks *M, const int32_t *block, const float *w, int32_t count,
                          TlReach out) {
    for (int32_t to = 0; to < count; to++) {
        double u = (double)w[2 * to], v = (double)w[2 * to + 1];
        TlDouble4 Y[VECTORS][3];
        for (int i = 0; i < 3; i++) {
            Y[0][i] = u * M->row[0][0][i] + v * M->row[0][1][i];
            Y[1][i] = u * M->row[1][0][i] + v * M->row[1][1][i];
        }
        for (int32_t from = 0; from <= to; from++) {
            TlDouble4 *sums = sums_of(out, *block++);
            double p = (double)w[2 * from], q = (double)w[2 * from + 1];
            for (int i = 0; i < 3; i++) {
                sums[i] += p * Y[0][i] + q * Y[1][i];
            }
        }
    }
}

/* Every `stride`th element of [begin, end); begin is a multiple of it. */
TL_HOT static void packed_elements(const TlGather *gather, const TlSpans *spans, int32_t stride,
                                   int32_t begin, int32_t end, TlReach out) {
    int32_t m = gather->elements.vectors, size = tl_packed_size(&gather->elements);
    int32_t pairs = tl_near_count(&gather->elements);
    for (int32_t e = begin; e < end; e += stride) {
        Blocks M;
        int64_t group = e / TL_WIDE, lane = e % TL_WIDE;
        load_blocks(gather->packed + TL_WIDE * size * group + lane,
                    (const float *)gather->near + TL_WIDE * pairs * group + lane, m,
                    stride < end - e ? stride : end - e, &M);
        add_packed(&M, spans->block + spans->pair[e], spans->weight + spans->offset[e],
                   spans->first[e + 1] - spans->first[e], out);
    }
}

/* sum of w_b g_b over the corners of one row */
static TlVec3 weigh_row(const double *g, const float *w, int32_t arity) {
    TlVec3 sum = {0, 0, 0};
    for (int32_t b = 0; b < arity; b++) {
        sum = tl_madd3(sum, (double)w[b], tl_load3(g + 3 * b));
    }
    return sum;
}

static void add_rank_one(const double *g, int32_t arity, const int32_t *block, const float *w,
                         int32_t count, TlReach out) {
    TlVec3 known[MOST_KNOWN];
    for (int32_t to = 0; to < count; to++) {
        TlVec3 q = weigh_row(g, w + arity * to, arity);
        TlDouble4 row = {q.x, q.y, q.z, 0.0};
        known[to % MOST_KNOWN] = q;
        for (int32_t from = 0; from <= to; from++) {
            TlVec3 p = count <= MOST_KNOWN ? known[from] : weigh_row(g, w + arity * from, arity);
            TlDouble4 *sums = sums_of(out, *block++);
            sums[0] += p.x * row;
            sums[1] += p.y * row;
            sums[2] += p.z * row;
        }
    }
}

/* Row i of the block that columns make. */
TL_INLINE TlDouble4 row_of(const TlFloat4 *column, int i) {
    return (TlDouble4){(double)column[0][i], (double)column[1][i], (double)column[2][i], 0.0};
}

/* From the blocks of all corners but the first: its weight is subtracted from those of the others.
 */
static void add_blocks(const TlFloat4 *column, int32_t arity, const int32_t *block, const float *w,
                       int32_t count, TlReach out) {
    int32_t others = arity - 1;
    for (int32_t to = 0; to < count; to++) {
        const float *v = w + arity * to;
        TlDouble4 Y[MOST_OTHERS][3];
        for (int32_t a = 0; a < others; a++) {
            for (int i = 0; i < 3; i++) {
                Y[a][i] = tl_double4(0.0);
                for (int32_t b = 0; b < others; b++) {
                    Y[a][i] += (double)(v[1 + b] - v[0]) * row_of(column + 3 * (others * a + b), i);
                }
            }
        }
        for (int32_t from = 0; from <= to; from++) {
            const float *u = w + arity * from;
            TlDouble4 *sums = sums_of(out, *block++);
            for (int32_t a = 0; a < others; a++) {
                for (int i = 0; i < 3; i++) {
                    sums[i] += (double)(u[1 + a] - u[0]) * Y[a][i];
                }
            }
        }
    }
}

static void add_elements(const TlCoarse *coarse, const TlGather *gather, const TlSpans *spans,
                         int32_t begin, int32_t end, TlReach out) {
    const TlElements *elements = &gather->elements;
    if (tl_is_packed(elements)) {
        packed_elements(gather, spans, tl_coarse_stride(coarse, elements), begin, end, out);
        return;
    }
    for (int32_t e = begin; e < end; e++) {
        int32_t first = tl_first_corner(elements, e), arity = corner_count(elements, e);
        const int32_t *block = spans->block + spans->pair[e];
        const float *w = spans->weight + spans->offset[e];
        int32_t count = spans->first[e + 1] - spans->first[e];
        if (elements->hessian == TL_HESSIAN_BLOCKS) {
            add_blocks(gather->column + (int64_t)3 * (arity - 1) * (arity - 1) * e, arity, block, w,
                       count, out);
            continue;
        }
        const double *row = gather->hess + (int64_t)3 * elements->hessian * first;
        for (int32_t k = 0; k < elements->hessian; k++) {
            add_rank_one(row + (int64_t)3 * arity * k, arity, block, w, count, out);
        }
    }
}

/* The inertia of the free vertices, unless it is known. */
static void know_inertia(TlCoarse *coarse, TlPool *pool, const TlOperator *A) {
    size_t size = sizeof *A->weight * (size_t)A->n;
    if (coarse->known_own && memcmp(coarse->weight, A->weight, size) == 0) {
        return;
    }
    memcpy(coarse->weight, A->weight, size);
    coarse->known_own = true;
    Scalars scalars = {coarse, A, coarse->own};
    tl_parallel_for(pool, coarse->nodes.count, NODE_GRAIN, inertia_nodes, &scalars);
}

/* Contact of vertex v. */
static void add_contact(const TlCoarse *coarse, const double *c, int32_t v, TlReach out) {
    const int32_t *node = coarse->nodes.node + TL_COARSE_SUPPORT * (int64_t)v;
    const float *w = coarse->nodes.weight + TL_COARSE_SUPPORT * (int64_t)v;
    for (int i = 0; i < TL_COARSE_SUPPORT && node[i] >= 0; i++) {
        for (int j = 0; j < TL_COARSE_SUPPORT && node[j] >= 0; j++) {
            if (node[i] > node[j]) {
                continue;
            }
            TlDouble4 *sums = sums_of(out, tl_coarse_block(&coarse->matrix, node[i], node[j]));
            double s = (double)w[i] * (double)w[j];
            for (int k = 0; k < 3; k++) {
                sums[k] += s * (TlDouble4){c[3 * k], c[3 * k + 1], c[3 * k + 2], 0.0};
            }
        }
    }
}

static void sum_parts(void *data, int32_t begin, int32_t end) {
    Galerkin *in = data;
    const TlOperator *A = in->A;
    for (int32_t part = begin; part < end; part++) {
        TlReach *reach = &in->coarse->block_reach[part];
        for (int64_t i = 0; i < ROWS * (int64_t)(reach->last - reach->first); i++) {
            reach->sum[i] = tl_double4(0.0);
        }
        for (int32_t k = 0; k < A->set_count; k++) {
            const TlElements *elements = &A->sets[k].elements;
            if (tl_has_hessian(elements)) {
                add_elements(in->coarse, &A->sets[k], &in->coarse->spans[k],
                             tl_part_first(A, elements, part), tl_part_first(A, elements, part + 1),
                             *reach);
            }
        }
        for (int32_t v = tl_part_begin(A, A->n, part); v < tl_part_begin(A, A->n, part + 1); v++) {
            if (A->touched[v] && !A->fixed[v]) {
                add_contact(in->coarse, A->contact + 9 * (int64_t)v, v, *reach);
            }
        }
    }
}

/* Blocks [begin, end) from all parts. */
static void join_blocks(void *data, int32_t begin, int32_t end) {
    Galerkin *in = data;
    TlCoarse *coarse = in->coarse;
    for (int32_t i = begin; i < end; i++) {
        double s = coarse->bend[i] + coarse->own[i];
        TlDouble4 *out = coarse->matrix.block + ROWS * (int64_t)i;
        out[0] = (TlDouble4){s, 0.0, 0.0, 0.0};
        out[1] = (TlDouble4){0.0, s, 0.0, 0.0};
        out[2] = (TlDouble4){0.0, 0.0, s, 0.0};
    }
    for (int32_t part = 0; part < in->A->part_count; part++) {
        const TlReach *reach = &coarse->block_reach[part];
        int32_t first = begin > reach->first ? begin : reach->first;
        int32_t last = end < reach->last ? end : reach->last;
        for (int64_t i = ROWS * (int64_t)first; i < ROWS * (int64_t)last; i++) {
            coarse->matrix.block[i] += reach->sum[i - ROWS * (int64_t)reach->first];
        }
    }
}

void tl_coarse_matrix(TlCoarse *coarse, TlPool *pool, const TlOperator *A) {
    Galerkin in = {coarse, A};
    know_fixed(coarse, pool, A);
    know_inertia(coarse, pool, A);
    tl_parallel_for(pool, A->part_count, 1, sum_parts, &in);
    tl_parallel_for(pool, coarse->matrix.count, BLOCK_GRAIN, join_blocks, &in);
}
