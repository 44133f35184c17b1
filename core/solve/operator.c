/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives and products; see operator.h. */
#include "solve/operator.h"

#include "base/vec.h"

#include <string.h>

enum { ELEMENT_GRAIN = 256, VERTEX_GRAIN = 256, RUN = 16 };
/* elements that are derived at a time, so that what they answer stays in the cache */
enum { BATCH = 64, MOST_CORNERS = 4 };

/* ---- derivatives of packed sets ---- */

/* Adds the bending matrix inside `groups` of elements to their blocks. */
TL_INLINE void add_near_blocks(TlFloat8 *M, const TlFloat8 *near, int32_t m, int32_t groups) {
    for (int32_t g = 0; g < groups; g++) {
        for (int32_t i = 0; i < m; i++, M += 6, near++) {
            M[0] += *near;
            M[3] += *near;
            M[5] += *near;
        }
        for (int32_t i = 0; i < m * (m - 1) / 2; i++, M += 9, near++) {
            M[0] += *near;
            M[4] += *near;
            M[8] += *near;
        }
    }
}

/* What a batch answers. */
typedef struct Batch {
    double grad[3 * MOST_CORNERS * BATCH];
    TlFloat4 diagonal[2 * MOST_CORNERS * BATCH];
} Batch;

/* Elements [begin, end) of a packed set, at most BATCH. */
TL_HOT static void derive_batch(TlOperator *A, const TlGather *gather, const TlPoint *at,
                                int32_t begin, int32_t end) {
    const TlElements *elements = &gather->elements;
    int32_t m = elements->vectors, arity = elements->arity;
    int32_t groups = (end - begin + TL_WIDE - 1) / TL_WIDE;
    float *packed = gather->packed + (int64_t)tl_packed_size(elements) * begin;
    Batch batch;
    elements->pack(elements->model, at, begin, end, batch.grad, packed, (float *)batch.diagonal,
                   NULL);
    add_near_blocks((TlFloat8 *)packed,
                    gather->near + (int64_t)tl_near_count(elements) * (begin / TL_WIDE), m, groups);
    const int32_t *target = gather->target + (int64_t)arity * begin;
    for (int32_t c = 0; c < arity * (end - begin); c++) {
        const double *g = batch.grad + 3 * c;
        A->grad[target[c]] += (TlDouble4){g[0], g[1], g[2], 0.0};
        A->diagonal[2 * (int64_t)target[c]] += batch.diagonal[2 * c];
        A->diagonal[2 * (int64_t)target[c] + 1] += batch.diagonal[2 * c + 1];
    }
}

typedef struct Derive {
    TlOperator *A;
    const TlPoint *at;
} Derive;

static void clear_part(TlOperator *A, int32_t part) {
    for (int places = 0; places < 2; places++) {
        TlExtent span = tl_part_span(A, part, places);
        for (int64_t i = span.first; i < span.last; i++) {
            A->grad[i] = tl_double4(0.0);
            A->diagonal[2 * i] = A->diagonal[2 * i + 1] = tl_float4(0.0F);
        }
    }
}

static void derive_parts(void *data, int32_t begin, int32_t end) {
    Derive *in = data;
    TlOperator *A = in->A;
    for (int32_t part = begin; part < end; part++) {
        clear_part(A, part);
        for (int32_t s = 0; s < A->set_count; s++) {
            const TlGather *gather = &A->sets[s];
            if (!tl_is_packed(&gather->elements)) {
                continue;
            }
            int32_t last = tl_part_first(A, &gather->elements, part + 1);
            for (int32_t e = tl_part_first(A, &gather->elements, part); e < last; e += BATCH) {
                derive_batch(A, gather, in->at, e, e + BATCH < last ? e + BATCH : last);
            }
        }
    }
}

void tl_operator_derive(TlOperator *A, TlPool *pool, const TlPoint *at) {
    Derive in = {A, at};
    A->at = *at;
    tl_parallel_for(pool, A->part_count, 1, derive_parts, &in);
}

void tl_gather_narrow(TlGather *gather, int32_t begin, int32_t end) {
    int32_t arity = gather->elements.arity, others = arity - 1;
    for (int64_t e = begin; gather->column != NULL && e < end; e++) {
        const double *hess = gather->hess + 9 * tl_block_count(arity) * e;
        TlFloat4 *column = gather->column + 3 * (int64_t)others * others * e;
        for (int32_t i = 0; i < others * others; i++, column += 3) {
            int32_t a = 1 + i / others, b = 1 + i % others;
            const double *m = hess + 9 * tl_block_index(arity, a < b ? a : b, a < b ? b : a);
            int row = a <= b ? 3 : 1, step = a <= b ? 1 : 3;
            for (int k = 0; k < 3; k++) {
                column[k] = (TlFloat4){(float)m[step * k], (float)m[row + step * k],
                                       (float)m[2 * row + step * k], 0.0F};
            }
        }
    }
}

void tl_operator_without_own(TlOperator *A) {
    memset(A->own, 0, sizeof *A->own * (size_t)A->n);
    memset(A->touched, 0, sizeof *A->touched * (size_t)A->n);
    A->world = NULL;
}

/* ---- products ---- */

typedef struct Product {
    const TlOperator *A;
    const TlGather *gather;
    const TlFloat4 *p;
    TlFloat4 *q;
    bool others;  /* some sets are not packed */
    bool touches; /* surfaces touch */
} Product;

/* A vector of each of eight elements: x[component], one element per lane. */
typedef struct Lanes3 {
    TlFloat8 x[3];
} Lanes3;

/* Corner `k` of a group of elements with `arity` corners. */
TL_INLINE Lanes3 load_corner(const TlFloat4 *p, const int32_t *corner, int arity, int k) {
    TlFloat4 a = p[corner[k]], b = p[corner[arity + k]], c = p[corner[2 * arity + k]],
             d = p[corner[3 * arity + k]], e = p[corner[4 * arity + k]],
             f = p[corner[5 * arity + k]], g = p[corner[6 * arity + k]],
             h = p[corner[7 * arity + k]];
    tl_transpose4(&a, &b, &c, &d);
    tl_transpose4(&e, &f, &g, &h);
    return (Lanes3){{tl_join8(a, e), tl_join8(b, f), tl_join8(c, g)}};
}

TL_INLINE void add_four(TlFloat4 *q, const int32_t *target, int arity, TlFloat4 a, TlFloat4 b,
                        TlFloat4 c) {
    TlFloat4 d = tl_float4(0.0F);
    tl_transpose4(&a, &b, &c, &d);
    q[target[0]] += a;
    q[target[arity]] += b;
    q[target[2 * arity]] += c;
    q[target[3 * arity]] += d;
}

TL_INLINE void add_corner(TlFloat4 *q, const int32_t *target, int arity, int k, Lanes3 g) {
    add_four(q, target + k, arity, tl_low4(g.x[0]), tl_low4(g.x[1]), tl_low4(g.x[2]));
    add_four(q, target + 4 * arity + k, arity, tl_high4(g.x[0]), tl_high4(g.x[1]),
             tl_high4(g.x[2]));
}

TL_INLINE Lanes3 subtract(Lanes3 a, Lanes3 b) {
    return (Lanes3){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}
TL_INLINE Lanes3 add(Lanes3 a, Lanes3 b) {
    return (Lanes3){{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]}};
}
TL_INLINE Lanes3 negate(Lanes3 a) {
    return (Lanes3){{-a.x[0], -a.x[1], -a.x[2]}};
}

/* M d, of the upper half of M. */
TL_INLINE Lanes3 symmetric(const TlFloat8 *M, Lanes3 d) {
    return (Lanes3){{M[0] * d.x[0] + M[1] * d.x[1] + M[2] * d.x[2],
                     M[1] * d.x[0] + M[3] * d.x[1] + M[4] * d.x[2],
                     M[2] * d.x[0] + M[4] * d.x[1] + M[5] * d.x[2]}};
}
TL_INLINE Lanes3 full(const TlFloat8 *M, Lanes3 d) {
    return (Lanes3){{M[0] * d.x[0] + M[1] * d.x[1] + M[2] * d.x[2],
                     M[3] * d.x[0] + M[4] * d.x[1] + M[5] * d.x[2],
                     M[6] * d.x[0] + M[7] * d.x[1] + M[8] * d.x[2]}};
}
TL_INLINE Lanes3 transposed(const TlFloat8 *M, Lanes3 d) {
    return (Lanes3){{M[0] * d.x[0] + M[3] * d.x[1] + M[6] * d.x[2],
                     M[1] * d.x[0] + M[4] * d.x[1] + M[7] * d.x[2],
                     M[2] * d.x[0] + M[5] * d.x[1] + M[8] * d.x[2]}};
}

/* Adds groups [begin, end) of a set to q. */
TL_HOT static void multiply_triangles(const TlGather *gather, const TlFloat4 *p, TlFloat4 *q,
                                      int32_t begin, int32_t end) {
    for (int64_t g = begin; g < end; g++) {
        const int32_t *corner = gather->corner + 24 * g, *target = gather->target + 24 * g;
        const TlFloat8 *M = (const TlFloat8 *)gather->packed + 21 * g;
        Lanes3 p0 = load_corner(p, corner, 3, 0);
        Lanes3 a = subtract(load_corner(p, corner, 3, 1), p0);
        Lanes3 b = subtract(load_corner(p, corner, 3, 2), p0);
        Lanes3 ga = add(symmetric(M, a), full(M + 12, b));
        Lanes3 gb = add(symmetric(M + 6, b), transposed(M + 12, a));
        add_corner(q, target, 3, 0, negate(add(ga, gb)));
        add_corner(q, target, 3, 1, ga);
        add_corner(q, target, 3, 2, gb);
    }
}

/* Adds groups [begin, end) of a set to q. */
TL_HOT static void multiply_quads(const TlGather *gather, const TlFloat4 *p, TlFloat4 *q,
                                  int32_t begin, int32_t end) {
    for (int64_t g = begin; g < end; g++) {
        const int32_t *corner = gather->corner + 32 * g, *target = gather->target + 32 * g;
        const TlFloat8 *M = (const TlFloat8 *)gather->packed + 45 * g;
        Lanes3 p0 = load_corner(p, corner, 4, 0), p1 = load_corner(p, corner, 4, 1);
        Lanes3 p2 = load_corner(p, corner, 4, 2), p3 = load_corner(p, corner, 4, 3);
        Lanes3 a = subtract(p2, p0), b = subtract(p1, p3);
        Lanes3 t = add(subtract(p0, p1), subtract(p2, p3));
        Lanes3 ga = add(add(symmetric(M, a), full(M + 18, b)), full(M + 27, t));
        Lanes3 gb = add(add(symmetric(M + 6, b), transposed(M + 18, a)), full(M + 36, t));
        Lanes3 gt = add(add(symmetric(M + 12, t), transposed(M + 27, a)), transposed(M + 36, b));
        add_corner(q, target, 4, 0, subtract(gt, ga));
        add_corner(q, target, 4, 1, subtract(gb, gt));
        add_corner(q, target, 4, 2, add(ga, gt));
        add_corner(q, target, 4, 3, negate(add(gb, gt)));
    }
}

TL_HOT static void multiply_blocks(void *data, int32_t begin, int32_t end) {
    Product *in = data;
    const TlElements *elements = &in->gather->elements;
    int32_t arity = elements->arity, others = arity - 1;
    for (int64_t e = begin; e < end; e++) {
        const int32_t *vertex = elements->vertex + arity * e;
        const TlFloat4 *column = in->gather->column + 3 * (int64_t)others * others * e;
        TlFloat4 *out = in->gather->product + arity * e, sum = tl_float4(0.0F);
        for (int32_t a = 1; a < arity; a++) {
            TlFloat4 own = tl_float4(0.0F);
            for (int32_t b = 1; b < arity; b++, column += 3) {
                TlFloat4 d = in->p[vertex[b]] - in->p[vertex[0]];
                own += d[0] * column[0] + d[1] * column[1] + d[2] * column[2];
            }
            out[a] = own;
            sum += own;
        }
        out[0] = -sum;
    }
}

/* The same from rows g: the sum of g (g . p). */
static void multiply_rank_one(void *data, int32_t begin, int32_t end) {
    Product *in = data;
    const TlElements *elements = &in->gather->elements;
    for (int32_t e = begin; e < end; e++) {
        int32_t first = tl_first_corner(elements, e),
                arity = tl_first_corner(elements, e + 1) - first;
        const int32_t *vertex = elements->vertex + first;
        const double *row = in->gather->hess + (int64_t)3 * elements->hessian * first;
        TlFloat4 *out = in->gather->product + first;
        for (int32_t a = 0; a < arity; a++) {
            out[a] = tl_float4(0.0F);
        }
        for (int32_t k = 0; k < elements->hessian; k++, row += 3 * arity) {
            float s = 0.0F;
            for (int32_t b = 1; b < arity; b++) {
                TlFloat4 d = in->p[vertex[b]] - in->p[vertex[0]];
                const double *g = row + 3 * b;
                s += (float)g[0] * d[0] + (float)g[1] * d[1] + (float)g[2] * d[2];
            }
            for (int32_t a = 0; a < arity; a++) {
                const double *g = row + 3 * a;
                out[a] += s * (TlFloat4){(float)g[0], (float)g[1], (float)g[2], 0.0F};
            }
        }
    }
}

/* Contact of a vertex times p. */
TL_INLINE TlFloat4 contact_times(const double *block, TlFloat4 p) {
    TlFloat4 out = tl_float4(0.0F);
    for (int i = 0; i < 3; i++) {
        out[i] = (float)block[3 * i] * p[0] + (float)block[3 * i + 1] * p[1] +
                 (float)block[3 * i + 2] * p[2];
    }
    return out;
}

/* L p of the rows of a slice, over differences to the vertices themselves. */
TL_INLINE void far_rows(const TlOperator *A, const TlFloat4 *p, int32_t slice,
                        TlFloat4 out[TL_SLICE]) {
    const int32_t *column = A->bend_column + TL_SLICE * (int64_t)A->bend_start[slice];
    const float *value = A->bend_value + TL_SLICE * (int64_t)A->bend_start[slice];
    TlFloat4 own[TL_SLICE];
    for (int k = 0; k < TL_SLICE; k++) {
        int32_t v = TL_SLICE * slice + k;
        own[k] = p[v < A->n ? v : A->n - 1];
        out[k] = tl_float4(0.0F);
    }
    for (int32_t s = A->bend_start[slice]; s < A->bend_start[slice + 1];
         s++, column += TL_SLICE, value += TL_SLICE) {
        for (int k = 0; k < TL_SLICE; k++) {
            out[k] += value[k] * (p[column[k]] - own[k]);
        }
    }
}

/* Row v of A p but what other sets and touches add; `far` is that of L p. */
TL_INLINE TlFloat4 row_of(const TlOperator *A, const TlFloat4 *p, const TlFloat4 *q, int32_t v,
                          TlFloat4 far) {
    TlFloat4 sum = q[v] + A->own[v] * p[v] + far;
    for (int32_t i = A->place_start[v]; i < A->place_start[v + 1]; i++) {
        sum += q[A->place_item[i]];
    }
    if (A->touched[v]) {
        sum += contact_times(A->contact + 9 * (int64_t)v, p[v]);
    }
    return sum;
}

/* What sets that are not packed add to vertex v. */
static TlFloat4 other_sets(const TlOperator *A, int32_t v) {
    TlFloat4 sum = tl_float4(0.0F);
    for (int32_t k = 0; k < A->set_count; k++) {
        const TlGather *gather = &A->sets[k];
        for (int32_t i = gather->start[v]; gather->product != NULL && i < gather->start[v + 1];
             i++) {
            sum += gather->product[gather->item[i]];
        }
    }
    return sum;
}

static void multiply_touches(void *data, int32_t begin, int32_t end) {
    Product *in = data;
    const TlWorld *world = in->A->world;
    for (int32_t t = begin; t < end; t++) {
        const TlPress *press = &world->press[t];
        TlFloat4 d = tl_float4(0.0F);
        for (int i = 0; i < 4; i++) {
            d += press->weight[i] * in->p[press->vertex[i]];
        }
        world->product[t] = tl_symmetric_times(press->hess, d);
    }
}

/* What touches add to vertex v. */
static TlFloat4 touches_of(const TlWorld *world, int32_t v) {
    TlFloat4 sum = tl_float4(0.0F);
    for (int32_t i = world->touch_start[v]; i < world->touch_start[v + 1]; i++) {
        sum += world->touch_share[i] * world->product[world->touch_item[i] / 4];
    }
    return sum;
}

/* Whether a slice is whole and has free rows alone, to which nothing comes but packed elements of
 * its own part, bending and weight. */
TL_INLINE bool is_plain(const Product *in, int32_t v) {
    const TlOperator *A = in->A;
    return !in->others && v + TL_SLICE <= A->n &&
           A->place_start[v] == A->place_start[v + TL_SLICE] && tl_are_alone(A, v);
}

/* Slices [begin, end). Sums of RUN of them are single, those of runs double. */
TL_HOT static double multiply_slices(void *data, int32_t begin, int32_t end) {
    Product *in = data;
    const TlOperator *A = in->A;
    double total = 0.0;
    for (int32_t slice = begin; slice < end;) {
        TlFloat4 sum[TL_SLICE] = {0}, far[TL_SLICE];
        for (int32_t last = slice + RUN < end ? slice + RUN : end; slice < last; slice++) {
            int32_t v = TL_SLICE * slice, stop = v + TL_SLICE < A->n ? v + TL_SLICE : A->n;
            far_rows(A, in->p, slice, far);
            if (is_plain(in, v)) {
                for (int k = 0; k < TL_SLICE; k++) {
                    TlFloat4 p = in->p[v + k], row = in->q[v + k] + A->own[v + k] * p + far[k];
                    in->q[v + k] = row;
                    sum[k] += p * row;
                }
                continue;
            }
            for (int k = 0; v < stop; k++, v++) {
                TlFloat4 row = row_of(A, in->p, in->q, v, far[k]);
                row += in->others ? other_sets(A, v) : tl_float4(0.0F);
                row += in->touches ? touches_of(A->world, v) : tl_float4(0.0F);
                in->q[v] = A->fixed[v] ? tl_float4(0.0F) : row;
                sum[k] += in->p[v] * in->q[v];
            }
        }
        total += tl_sum3((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
    return total;
}

static void multiply_parts(void *data, int32_t begin, int32_t end) {
    Product *in = data;
    const TlOperator *A = in->A;
    for (int32_t part = begin; part < end; part++) {
        for (int places = 0; places < 2; places++) {
            TlExtent span = tl_part_span(A, part, places);
            for (int32_t i = span.first; i < span.last; i++) {
                in->q[i] = tl_float4(0.0F);
            }
        }
        for (int32_t s = 0; s < A->set_count; s++) {
            const TlGather *gather = &A->sets[s];
            int32_t groups = tl_group_count(&gather->elements);
            if (tl_is_packed(&gather->elements)) {
                (gather->elements.arity == 3 ? multiply_triangles : multiply_quads)(
                    gather, in->p, in->q, tl_part_begin(A, groups, part),
                    tl_part_begin(A, groups, part + 1));
            }
        }
    }
}

double tl_operator_multiply(TlOperator *A, TlPool *pool, const TlFloat4 *p, TlFloat4 *q) {
    Product in = {A, NULL, p, q, false, tl_touch_count(A) > 0};
    tl_parallel_for(pool, A->part_count, 1, multiply_parts, &in);
    for (int32_t s = 0; s < A->set_count; s++) {
        const TlElements *elements = &A->sets[s].elements;
        in.gather = &A->sets[s];
        if (in.gather->product != NULL && elements->count > 0) {
            in.others = true;
            tl_parallel_for(
                pool, elements->count, ELEMENT_GRAIN,
                elements->hessian == TL_HESSIAN_BLOCKS ? multiply_blocks : multiply_rank_one, &in);
        }
    }
    tl_parallel_for(pool, tl_touch_count(A), ELEMENT_GRAIN, multiply_touches, &in);
    return tl_parallel_sum(pool, tl_slice_count(A), VERTEX_GRAIN / TL_SLICE, multiply_slices, &in);
}
