/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The residual in double precision: Hessians of faces are made anew, a few at a time. */
#include "base/vec.h"
#include "solve/operator.h"

/* EXACT_BATCH: elements at a time; the others: of a quad */
enum { EXACT_BATCH = 8, MOST_CORNERS = 4, MOST_PACKED = 45, MOST_HESSIAN = 90, VERTEX_GRAIN = 256 };

typedef struct Exact {
    TlOperator *A;
    const double *b, *y;
    double *r;
} Exact;

/* H d of corner a over differences to corner 0, H the blocks of an element. */
static TlVec3 exact_corner(const double *hess, int32_t arity, int32_t a, const int32_t *vertex,
                           const double *y) {
    TlVec3 sum = {0, 0, 0}, origin = tl_load3(y + 3 * (int64_t)vertex[0]);
    for (int32_t b = 1; b < arity; b++) {
        TlVec3 d = tl_sub3(tl_load3(y + 3 * (int64_t)vertex[b]), origin);
        const double *m = hess + 9 * tl_block_index(arity, a < b ? a : b, a < b ? b : a);
        int row = a > b ? 1 : 3, column = a > b ? 3 : 1;
        sum.x += m[0] * d.x + m[column] * d.y + m[2 * column] * d.z;
        sum.y += m[row] * d.x + m[row + column] * d.y + m[row + 2 * column] * d.z;
        sum.z += m[2 * row] * d.x + m[2 * row + column] * d.y + m[2 * row + 2 * column] * d.z;
    }
    return sum;
}

static void exact_batch(const Exact *in, const TlGather *gather, int32_t begin, int32_t end) {
    const TlElements *elements = &gather->elements;
    int32_t arity = elements->arity, size = 9 * tl_block_count(arity);
    double grad[3 * MOST_CORNERS * EXACT_BATCH], hess[MOST_HESSIAN * EXACT_BATCH];
    TlFloat8 packed[MOST_PACKED * EXACT_BATCH / TL_WIDE];
    TlFloat4 diagonal[2 * MOST_CORNERS * EXACT_BATCH];
    elements->pack(elements->model, &in->A->at, begin, end, grad, (float *)packed,
                   (float *)diagonal, hess);
    for (int32_t e = begin; e < end; e++) {
        int64_t first = (int64_t)arity * e;
        const int32_t *vertex = elements->vertex + first;
        for (int32_t a = 0; a < arity; a++) {
            TlVec3 g = exact_corner(hess + (int64_t)size * (e - begin), arity, a, vertex, in->y);
            in->A->grad[gather->target[first + a]] += (TlDouble4){g.x, g.y, g.z, 0.0};
        }
    }
}

static void exact_parts(void *data, int32_t begin, int32_t end) {
    Exact *in = data;
    TlOperator *A = in->A;
    for (int32_t part = begin; part < end; part++) {
        for (int places = 0; places < 2; places++) {
            TlExtent span = tl_part_span(A, part, places);
            for (int32_t i = span.first; i < span.last; i++) {
                A->grad[i] = tl_double4(0.0);
            }
        }
        for (int32_t s = 0; s < A->set_count; s++) {
            const TlGather *gather = &A->sets[s];
            int32_t last =
                tl_is_packed(&gather->elements) ? tl_part_first(A, &gather->elements, part + 1) : 0;
            for (int32_t e = tl_is_packed(&gather->elements)
                                 ? tl_part_first(A, &gather->elements, part)
                                 : 0;
                 e < last; e += EXACT_BATCH) {
                exact_batch(in, gather, e, e + EXACT_BATCH < last ? e + EXACT_BATCH : last);
            }
        }
    }
}

/* Part of element e, from rows g, in its product at corner a. */
static TlVec3 exact_rank_one(const TlGather *gather, int32_t e, int32_t a, const double *y) {
    const TlElements *elements = &gather->elements;
    int32_t first = tl_first_corner(elements, e), arity = tl_first_corner(elements, e + 1) - first;
    const int32_t *vertex = elements->vertex + first;
    const double *row = gather->hess + (int64_t)3 * elements->hessian * first;
    TlVec3 sum = {0, 0, 0}, origin = tl_load3(y + 3 * (int64_t)vertex[0]);
    for (int32_t k = 0; k < elements->hessian; k++, row += 3 * arity) {
        double s = 0.0;
        for (int32_t b = 1; b < arity; b++) {
            s += tl_dot3(tl_load3(row + 3 * b),
                         tl_sub3(tl_load3(y + 3 * (int64_t)vertex[b]), origin));
        }
        sum = tl_madd3(sum, s, tl_load3(row + 3 * a));
    }
    return sum;
}

/* What sets that are not packed add at vertex v. */
static TlVec3 exact_others(const TlOperator *A, int32_t v, const double *y) {
    TlVec3 sum = {0, 0, 0};
    for (int32_t s = 0; s < A->set_count; s++) {
        const TlGather *gather = &A->sets[s];
        const TlElements *elements = &gather->elements;
        for (int32_t i = gather->start[v]; gather->hess != NULL && i < gather->start[v + 1]; i++) {
            int32_t e = tl_element_of(elements, gather->item[i]);
            int32_t a = gather->item[i] - tl_first_corner(elements, e), arity = elements->arity;
            TlVec3 g = elements->hessian == TL_HESSIAN_BLOCKS
                           ? exact_corner(gather->hess + (int64_t)9 * tl_block_count(arity) * e,
                                          arity, a, elements->vertex + (int64_t)arity * e, y)
                           : exact_rank_one(gather, e, a, y);
            sum = tl_add3(sum, g);
        }
    }
    return sum;
}

/* What touches add at vertex v. */
static TlVec3 exact_touches(const TlWorld *world, int32_t v, const double *y) {
    TlVec3 sum = {0, 0, 0};
    for (int32_t i = world->touch_start[v]; i < world->touch_start[v + 1]; i++) {
        const TlTouch *touch = &world->touch[world->touch_item[i] / 4];
        TlVec3 d = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            d = tl_madd3(d, touch->weight[k], tl_load3(y + 3 * (int64_t)touch->vertex[k]));
        }
        const TlFloat4 *h = touch->hess;
        TlMat3 H = {{(double)h[0][0], (double)h[0][1], (double)h[0][2], (double)h[0][1],
                     (double)h[0][3], (double)h[1][0], (double)h[0][2], (double)h[1][0],
                     (double)h[1][1]}};
        sum = tl_madd3(sum, touch->weight[world->touch_item[i] % 4], tl_mul3(&H, d));
    }
    return sum;
}

static void exact_rows(void *data, int32_t begin, int32_t end) {
    Exact *in = data;
    const TlOperator *A = in->A;
    for (int32_t v = begin; v < end; v++) {
        double q[3] = {0, 0, 0};
        TlVec3 own = tl_load3(in->y + 3 * (int64_t)v), sum = exact_others(A, v, in->y);
        tl_operator_gradient(A, v, q);
        for (int32_t s = A->bend->row_start[v]; s < A->bend->row_start[v + 1]; s++) {
            sum = tl_madd3(sum, A->bend->value[s],
                           tl_sub3(tl_load3(in->y + 3 * (int64_t)A->bend->column[s]), own));
        }
        sum = tl_madd3(sum, A->weight[v], own);
        if (tl_touch_count(A) > 0) {
            sum = tl_add3(sum, exact_touches(A->world, v, in->y));
        }
        const double *c = A->contact + 9 * (int64_t)v, all[3] = {sum.x, sum.y, sum.z};
        for (int i = 0; i < 3; i++) {
            q[i] += all[i];
            q[i] += A->touched[v] ? c[3 * i] * own.x + c[3 * i + 1] * own.y + c[3 * i + 2] * own.z
                                  : 0.0;
            int64_t at = 3 * (int64_t)v + i;
            in->r[at] = A->fixed[v] ? 0.0 : in->b[at] - q[i];
        }
    }
}

void tl_operator_residual(TlOperator *A, TlPool *pool, const double *b, const double *y,
                          double *r) {
    Exact in = {A, b, y, r};
    tl_parallel_for(pool, A->part_count, 1, exact_parts, &in);
    tl_parallel_for(pool, A->n, VERTEX_GRAIN, exact_rows, &in);
}
