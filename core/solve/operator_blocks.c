/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Diagonal blocks of the operator and their inverses; see operator.h. */
#include "solve/operator.h"

#include "base/vec.h"

#include <string.h>

enum { ELEMENT_GRAIN = 256, VERTEX_GRAIN = 256 };
/* sums of squares of larger numbers are no numbers in single precision */
#define TOO_LARGE 1e18

/* Adds the diagonal block of one corner, in whichever form the Hessian of its element is. */
static void add_corner_block(const TlGather *gather, int32_t corner, double block[9]) {
    const TlElements *elements = &gather->elements;
    if (elements->hessian == TL_HESSIAN_BLOCKS) {
        int32_t arity = elements->arity, a = corner % arity;
        int64_t at =
            (int64_t)tl_block_count(arity) * (corner / arity) + tl_block_index(arity, a, a);
        for (int i = 0; i < 9; i++) {
            block[i] += gather->hess[9 * at + i];
        }
        return;
    }
    int32_t e = tl_element_of(elements, corner), first = tl_first_corner(elements, e);
    int32_t arity = tl_first_corner(elements, e + 1) - first;
    const double *row =
        gather->hess + (int64_t)3 * elements->hessian * first + 3 * (int64_t)(corner - first);
    for (int32_t k = 0; k < elements->hessian; k++, row += 3 * arity) {
        for (int i = 0; i < 9; i++) {
            block[i] += row[i / 3] * row[i % 3];
        }
    }
}

/* Adds what the touches of vertex v have on the diagonal, and keeps their weights for products. */
static void add_touch_blocks(const TlWorld *world, int32_t v, double block[9]) {
    for (int32_t i = world->touch_start[v]; i < world->touch_start[v + 1]; i++) {
        const TlTouch *touch = &world->touch[world->touch_item[i] / 4];
        double w = touch->weight[world->touch_item[i] % 4], w2 = w * w;
        const TlFloat4 *h = touch->hess;
        world->touch_share[i] = (float)w;
        block[0] += w2 * (double)h[0][0];
        block[1] += w2 * (double)h[0][1];
        block[2] += w2 * (double)h[0][2];
        block[4] += w2 * (double)h[0][3];
        block[5] += w2 * (double)h[1][0];
        block[8] += w2 * (double)h[1][1];
    }
    block[3] = block[1];
    block[6] = block[2];
    block[7] = block[5];
}

/* What products need of touches. */
static void pack_touches(void *data, int32_t begin, int32_t end) {
    const TlWorld *world = ((const TlOperator *)data)->world;
    for (int32_t t = begin; t < end; t++) {
        const TlTouch *touch = &world->touch[t];
        TlPress *press = &world->press[t];
        memcpy(press->hess, touch->hess, sizeof press->hess);
        for (int i = 0; i < 4; i++) {
            press->vertex[i] = touch->vertex[i];
            press->weight[i] = (float)touch->weight[i];
        }
    }
}

/* A symmetric block as xx xy xz yy and yz zz. */
typedef struct Half {
    TlFloat4 low, high;
} Half;

/* Sum of the packed elements' diagonal blocks at a vertex. */
TL_INLINE Half packed_block(const TlOperator *A, int32_t v) {
    Half sum = {A->diagonal[2 * (int64_t)v], A->diagonal[2 * (int64_t)v + 1]};
    for (int32_t i = A->place_start[v]; i < A->place_start[v + 1]; i++) {
        sum.low += A->diagonal[2 * (int64_t)A->place_item[i]];
        sum.high += A->diagonal[2 * (int64_t)A->place_item[i] + 1];
    }
    return sum;
}

/* The same with other elements, bending, weight and contact. */
TL_INLINE void diagonal_block(const TlOperator *A, int32_t v, double out[9]) {
    Half sum = packed_block(A, v);
    double own = A->bend_diagonal[v] + A->weight[v];
    out[0] = (double)sum.low[0] + own;
    out[1] = out[3] = (double)sum.low[1];
    out[2] = out[6] = (double)sum.low[2];
    out[4] = (double)sum.low[3] + own;
    out[5] = out[7] = (double)sum.high[0];
    out[8] = (double)sum.high[1] + own;
    for (int32_t s = 0; s < A->set_count; s++) {
        const TlGather *gather = &A->sets[s];
        for (int32_t i = gather->start[v]; gather->hess != NULL && i < gather->start[v + 1]; i++) {
            add_corner_block(gather, gather->item[i], out);
        }
    }
    for (int i = 0; i < 9 && A->touched[v]; i++) {
        out[i] += A->contact[9 * (int64_t)v + i];
    }
    if (tl_touch_count(A) > 0 && A->world->touch_start[v] < A->world->touch_start[v + 1]) {
        add_touch_blocks(A->world, v, out);
    }
}

/* Inverts the block of a vertex; false when it is too large. */
TL_INLINE bool prepare_row(TlOperator *A, int32_t v) {
    double block[9], m[9] = {0};
    diagonal_block(A, v, block);
    if (!A->fixed[v] && !tl_invert_spd3(block, m)) {
        for (int i = 0; i < 9; i += 4) {
            m[i] = block[i] > 0.0 ? 1.0 / block[i] : 0.0;
        }
    }
    TlFloat4 *out = A->inverse + 2 * (int64_t)v;
    A->own[v] = (float)A->weight[v];
    out[0] = (TlFloat4){(float)m[0], (float)m[1], (float)m[2], (float)m[4]};
    out[1] = (TlFloat4){(float)m[5], (float)m[8], 0.0F, 0.0F};
    return block[0] + block[4] + block[8] < TOO_LARGE;
}

TL_INLINE bool all_above(TlDouble4 a, double bound) {
    return a[0] > bound && a[1] > bound && a[2] > bound && a[3] > bound;
}

/* Four vertices at once that are alone, see tl_are_alone, without sets that are not packed; false,
 * and nothing is done, when a block is not invertible or too large. */
TL_INLINE bool prepare_four(TlOperator *A, int32_t v) {
    Half h[TL_LANES];
    TlFloat4 zero = tl_float4(0.0F), zero2 = zero;
    TlDouble4 own, weight;
    for (int k = 0; k < TL_LANES; k++) {
        h[k] = packed_block(A, v + k);
    }
    memcpy(&own, A->bend_diagonal + v, sizeof own);
    memcpy(&weight, A->weight + v, sizeof weight);
    own += weight;
    tl_transpose4(&h[0].low, &h[1].low, &h[2].low, &h[3].low);
    tl_transpose4(&h[0].high, &h[1].high, &h[2].high, &h[3].high);
    TlDouble4 xx = tl_widen4(h[0].low) + own, xy = tl_widen4(h[1].low), xz = tl_widen4(h[2].low);
    TlDouble4 yy = tl_widen4(h[3].low) + own, yz = tl_widen4(h[0].high);
    TlDouble4 zz = tl_widen4(h[1].high) + own;
    TlDouble4 c00 = yy * zz - yz * yz, c01 = yz * xz - xy * zz, c02 = xy * yz - yy * xz;
    TlDouble4 det = xx * c00 + xy * c01 + xz * c02;
    if (!all_above(det, 0.0) || !all_above(-(xx + yy + zz), -TOO_LARGE)) {
        return false;
    }
    TlDouble4 s = 1.0 / det;
    TlFloat4 low[TL_LANES] = {tl_narrow4(s * c00), tl_narrow4(s * c01), tl_narrow4(s * c02),
                              tl_narrow4(s * (xx * zz - xz * xz))};
    TlFloat4 high[2] = {tl_narrow4(s * (xy * xz - xx * yz)), tl_narrow4(s * (xx * yy - xy * xy))};
    TlFloat4 single = tl_narrow4(weight);
    tl_transpose4(&low[0], &low[1], &low[2], &low[3]);
    tl_transpose4(&high[0], &high[1], &zero, &zero2);
    TlFloat4 *out = A->inverse + 2 * (int64_t)v;
    const TlFloat4 second[TL_LANES] = {high[0], high[1], zero, zero2};
    for (int k = 0; k < TL_LANES; k++) {
        out[2 * k] = low[k];
        out[2 * k + 1] = second[k];
    }
    memcpy(A->own + v, &single, sizeof single);
    return true;
}

/* Answers how many blocks are too large. */
TL_HOT static double prepare_rows(void *data, int32_t begin, int32_t end) {
    TlOperator *A = data;
    bool others = false;
    int32_t bad = 0;
    for (int32_t s = 0; s < A->set_count; s++) {
        others = others || A->sets[s].hess != NULL;
    }
    for (int32_t v = begin; v < end;) {
        int32_t stop = v + TL_LANES;
        if (!others && stop <= end && tl_are_alone(A, v) && prepare_four(A, v)) {
            v = stop;
            continue;
        }
        for (; v < end && v < stop; v++) {
            bad += !prepare_row(A, v);
        }
    }
    return (double)bad;
}

bool tl_operator_prepare(TlOperator *A, TlPool *pool) {
    tl_parallel_for(pool, tl_touch_count(A), ELEMENT_GRAIN, pack_touches, A);
    return tl_parallel_sum(pool, A->n, VERTEX_GRAIN, prepare_rows, A) == 0.0;
}
