/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The levels put together: B on the nodes gives the dense matrix C on the hubs, which is factored
 * by Cholesky; all inner loops run along rows. See coarse.h. */
#include "solve/coarse.h"

#include "base/vec.h"
#include "solve/cholesky.h"

#include <string.h>

enum { ROWS = 3, NODE_GRAIN = 64, HUB_GRAIN = 4 };
/* weights that differ by less are the same, of sub-steps whose lengths differ by rounding */
#define SAME_WEIGHT 1e-9

static bool alloc_hubs(TlArena *arena, TlCoarse *out) {
    int64_t nodes = out->nodes.count, hubs = out->hubs.count, size = 3 * hubs;
    out->stride = (int32_t)((size + TL_LANES - 1) / TL_LANES * TL_LANES);
    out->inverse = TL_NEW(arena, TlFloat4, 2 * nodes);
    out->touch_diagonal = TL_NEW(arena, TlDouble4, 2 * nodes);
    out->rest = TL_NEW(arena, TlDouble4, nodes);
    out->value = TL_NEW(arena, double, 3 * nodes);
    out->value4 = TL_NEW(arena, TlFloat4, nodes);
    out->square = TL_NEW(arena, TlDouble4, ROWS * hubs * hubs);
    out->dense = TL_NEW(arena, double, size *size);
    out->panel = TL_NEW(arena, double, tl_cholesky_work(size));
    out->pivot = TL_NEW(arena, double, size);
    out->hub_value = TL_NEW(arena, double, size);
    out->factor = TL_NEW(arena, float, size * out->stride);
    out->hub_single = TL_NEW(arena, float, out->stride);
    out->place = TL_NEW(arena, int32_t, hubs);
    for (int64_t i = 0; !arena->failed && i < hubs; i++) {
        out->place[i] = -1;
    }
    return !arena->failed;
}

/* Where a hub stands in a list; at its end: not yet. */
TL_INLINE int32_t place_of(const int32_t *list, int32_t count, int32_t hub) {
    int32_t i = 0;
    while (i < count && list[i] != hub) {
        i++;
    }
    return i;
}

/* The hubs that row a of U Q has, in the order they are met; answers how many. */
static int32_t list_hubs(const TlCoarse *coarse, int32_t a, int32_t *list) {
    int32_t count = 0;
    for (int32_t s = coarse->matrix.row_start[a]; s < coarse->matrix.row_start[a + 1]; s++) {
        const int32_t *hub =
            coarse->hubs.node + TL_COARSE_SUPPORT * (int64_t)coarse->matrix.column[s];
        for (int k = 0; k < TL_COARSE_SUPPORT && hub[k] >= 0; k++) {
            int32_t place = place_of(list, count, hub[k]);
            list[place] = hub[k];
            count += place == count;
        }
    }
    return count;
}

static bool build_rows(TlArena *arena, TlCoarse *out) {
    int32_t nodes = out->nodes.count;
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    int32_t *list = TL_NEW(&scratch, int32_t, out->hubs.count);
    out->rows.start = TL_NEW(arena, int32_t, nodes + 1);
    bool ok = list != NULL && !arena->failed;
    for (int32_t a = 0; ok && a < nodes; a++) {
        out->rows.start[a + 1] = out->rows.start[a] + list_hubs(out, a, list);
    }
    if (ok) {
        out->rows.hub = TL_NEW(arena, int32_t, out->rows.start[nodes]);
        out->rows.block = TL_NEW(arena, TlDouble4, ROWS * (int64_t)out->rows.start[nodes]);
        ok = !arena->failed;
    }
    for (int32_t a = 0; ok && a < nodes; a++) {
        list_hubs(out, a, out->rows.hub + out->rows.start[a]);
    }
    tl_arena_free(&scratch);
    return ok;
}

bool tl_coarse_build(TlArena *arena, const TlModel *model, const TlOperator *A, TlCoarse *out) {
    return tl_coarse_nodes(arena, model, out) && tl_coarse_pattern(arena, A, out) &&
           alloc_hubs(arena, out) && build_rows(arena, out);
}

/* ---- factor ---- */

/* Whether the hubs are the nodes themselves: the exact solution then does all. */
static bool has_hubs_only(const TlCoarse *coarse) {
    return coarse->hubs.count == coarse->nodes.count;
}

static void invert_nodes(void *data, int32_t begin, int32_t end) {
    TlCoarse *coarse = data;
    for (int32_t a = begin; a < end; a++) {
        const TlDouble4 *row = coarse->matrix.block + ROWS * (int64_t)coarse->matrix.row_start[a];
        const TlDouble4 *touch = coarse->touch_diagonal + 2 * (int64_t)a;
        double xy = touch[0][1], xz = touch[0][2], yz = touch[1][0];
        const double block[9] = {
            row[0][0] + touch[0][0], row[0][1] + xy,          row[0][2] + xz,
            row[1][0] + xy,          row[1][1] + touch[0][3], row[1][2] + yz,
            row[2][0] + xz,          row[2][1] + yz,          row[2][2] + touch[1][1]};
        double m[9] = {0};
        if (has_hubs_only(coarse) || !tl_invert_spd3(block, m)) {
            memset(m, 0, sizeof m);
        }
        TlFloat4 *out = coarse->inverse + 2 * (int64_t)a;
        out[0] = (TlFloat4){(float)m[0], (float)m[1], (float)m[2], (float)m[4]};
        out[1] = (TlFloat4){(float)m[5], (float)m[8], 0.0F, 0.0F};
    }
}

/* Adds w times a block. */
TL_INLINE void add_rows(TlDouble4 *to, double w, const TlDouble4 *from) {
    for (int i = 0; i < ROWS; i++) {
        to[i] += w * from[i];
    }
}

/* Rows [begin, end) of U Q. */
TL_HOT static void weigh_rows(void *data, int32_t begin, int32_t end) {
    TlCoarse *coarse = data;
    const TlNodeMatrix *B = &coarse->matrix;
    for (int32_t a = begin; a < end; a++) {
        int32_t first = coarse->rows.start[a], count = coarse->rows.start[a + 1] - first;
        TlDouble4 *row = coarse->rows.block + ROWS * (int64_t)first;
        for (int32_t i = 0; i < ROWS * count; i++) {
            row[i] = tl_double4(0.0);
        }
        for (int32_t s = B->row_start[a]; s < B->row_start[a + 1]; s++) {
            int64_t at = TL_COARSE_SUPPORT * (int64_t)B->column[s];
            for (int k = 0; k < TL_COARSE_SUPPORT && coarse->hubs.node[at + k] >= 0; k++) {
                int32_t i = place_of(coarse->rows.hub + first, count, coarse->hubs.node[at + k]);
                double w = (double)coarse->hubs.weight[at + k] * (B->column[s] == a ? 0.5 : 1.0);
                add_rows(row + ROWS * (int64_t)i, w, B->block + ROWS * (int64_t)s);
            }
        }
    }
}

/* Rows [begin, end) of square = Q^T U Q. */
TL_HOT static void join_rows(void *data, int32_t begin, int32_t end) {
    TlCoarse *coarse = data;
    const TlRestriction *down = &coarse->hub_down;
    int64_t hubs = coarse->hubs.count;
    for (int64_t p = begin; p < end; p++) {
        TlDouble4 *square = coarse->square + ROWS * hubs * p;
        for (int64_t i = 0; i < ROWS * hubs; i++) {
            square[i] = tl_double4(0.0);
        }
        for (int32_t s = down->start[p]; s < down->start[p + 1]; s++) {
            int32_t first = coarse->rows.start[down->row[s]];
            for (int32_t i = first; i < coarse->rows.start[down->row[s] + 1]; i++) {
                add_rows(square + ROWS * (int64_t)coarse->rows.hub[i], (double)down->weight[s],
                         coarse->rows.block + ROWS * (int64_t)i);
            }
        }
    }
}

/* Lower half of C = Q^T U Q + (Q^T U Q)^T, of hubs [begin, end). */
static void turn_rows(void *data, int32_t begin, int32_t end) {
    TlCoarse *coarse = data;
    int64_t hubs = coarse->hubs.count, size = 3 * hubs;
    for (int64_t p = begin; p < end; p++) {
        for (int64_t q = 0; q <= p; q++) {
            const TlDouble4 *block = coarse->square + ROWS * (hubs * p + q);
            const TlDouble4 *other = coarse->square + ROWS * (hubs * q + p);
            for (int i = 0; i < ROWS; i++) {
                for (int j = 0; j < ROWS; j++) {
                    coarse->dense[(3 * p + i) * size + 3 * q + j] = block[i][j] + other[j][i];
                }
            }
        }
        for (int64_t i = 3 * p; i < 3 * p + 3; i++) {
            coarse->pivot[i] = coarse->dense[i * size + i];
        }
    }
}

/* Rows [begin, end) of the factor in single precision. */
static void narrow_rows(void *data, int32_t begin, int32_t end) {
    TlCoarse *coarse = data;
    int64_t size = 3 * (int64_t)coarse->hubs.count;
    for (int64_t i = begin; i < end; i++) {
        const double *from = coarse->dense + i * size;
        float *to = coarse->factor + i * coarse->stride;
        for (int64_t j = 0; j < i; j++) {
            to[j] = (float)from[j];
        }
        to[i] = (float)(1.0 / from[i]);
    }
}

void tl_coarse_factor(TlCoarse *coarse, TlPool *pool, const TlOperator *A) {
    int32_t hubs = coarse->hubs.count, nodes = coarse->nodes.count;
    tl_coarse_matrix(coarse, pool, A);
    tl_parallel_for(pool, nodes, NODE_GRAIN, weigh_rows, coarse);
    tl_parallel_for(pool, hubs, HUB_GRAIN, join_rows, coarse);
    tl_coarse_touches(coarse, A);
    coarse->pressed = tl_coarse_is_pressed(A);
    tl_parallel_for(pool, hubs, HUB_GRAIN, turn_rows, coarse);
    tl_parallel_for(pool, nodes, NODE_GRAIN, invert_nodes, coarse);
    coarse->ready = tl_cholesky(pool, coarse->dense, coarse->panel, coarse->pivot, 3 * hubs);
    if (coarse->ready) {
        tl_parallel_for(pool, 3 * hubs, 3 * HUB_GRAIN, narrow_rows, coarse);
    }
}

bool tl_coarse_serves(const TlCoarse *coarse, const TlOperator *A) {
    if (!coarse->ready || !coarse->known_own ||
        memcmp(coarse->fixed, A->fixed, sizeof *A->fixed * (size_t)A->n) != 0) {
        return false;
    }
    bool same = true;
    for (int32_t v = 0; v < A->n; v++) {
        same = same && fabs(A->weight[v] - coarse->weight[v]) <= SAME_WEIGHT * A->weight[v];
    }
    return same;
}

/* ---- solve ---- */

typedef struct Restrict {
    TlCoarse *coarse;
    const TlFloat4 *r;
    const double *exact;
} Restrict;

/* Four sums side by side, so that none waits for the one before it. */
TL_HOT static void restrict_nodes(void *data, int32_t begin, int32_t end) {
    Restrict *in = data;
    const TlRestriction *down = &in->coarse->down;
    for (int32_t a = begin; a < end; a++) {
        TlFloat4 sum[TL_LANES];
        for (int k = 0; k < TL_LANES; k++) {
            sum[k] = tl_float4(0.0F);
        }
        int32_t i = down->start[a], last = down->start[a + 1];
        for (; i + TL_LANES <= last; i += TL_LANES) {
            for (int k = 0; k < TL_LANES; k++) {
                sum[k] += down->weight[i + k] * in->r[down->row[i + k]];
            }
        }
        for (; i < last; i++) {
            sum[0] += down->weight[i] * in->r[down->row[i]];
        }
        in->coarse->rest[a] = tl_widen4((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
}

static void restrict_nodes_exact(void *data, int32_t begin, int32_t end) {
    Restrict *in = data;
    const TlRestriction *down = &in->coarse->down;
    for (int32_t a = begin; a < end; a++) {
        TlDouble4 sum = tl_double4(0.0);
        for (int32_t i = down->start[a]; i < down->start[a + 1]; i++) {
            const double *r = in->exact + 3 * (int64_t)down->row[i];
            if (!in->coarse->fixed[down->row[i]]) {
                sum += (double)down->weight[i] * (TlDouble4){r[0], r[1], r[2], 0.0};
            }
        }
        in->coarse->rest[a] = sum;
    }
}

void tl_coarse_restrict(TlCoarse *coarse, TlPool *pool, const TlFloat4 *r) {
    Restrict in = {coarse, r, NULL};
    tl_parallel_for(pool, coarse->nodes.count, NODE_GRAIN, restrict_nodes, &in);
}

void tl_coarse_restrict_exact(TlCoarse *coarse, TlPool *pool, const double *r) {
    Restrict in = {coarse, NULL, r};
    tl_parallel_for(pool, coarse->nodes.count, NODE_GRAIN, restrict_nodes_exact, &in);
}

/* hub_value = Q^T rest */
static void restrict_hubs(TlCoarse *coarse) {
    memset(coarse->hub_value, 0, 3 * sizeof *coarse->hub_value * (size_t)coarse->hubs.count);
    for (int32_t a = 0; a < coarse->nodes.count; a++) {
        const int32_t *hub = coarse->hubs.node + TL_COARSE_SUPPORT * (int64_t)a;
        const float *weight = coarse->hubs.weight + TL_COARSE_SUPPORT * (int64_t)a;
        for (int k = 0; k < TL_COARSE_SUPPORT && hub[k] >= 0; k++) {
            for (int i = 0; i < 3; i++) {
                coarse->hub_value[3 * (int64_t)hub[k] + i] +=
                    (double)weight[k] * coarse->rest[a][i];
            }
        }
    }
}

double tl_coarse_solve_exact(TlCoarse *coarse) {
    int64_t size = 3 * (int64_t)coarse->hubs.count;
    double *y = coarse->hub_value, square = 0.0;
    restrict_hubs(coarse);
    for (int64_t i = 0; i < size; i++) {
        const double *row = coarse->dense + i * size;
        double sum = y[i];
        for (int64_t j = 0; j < i; j++) {
            sum -= row[j] * y[j];
        }
        y[i] = sum / row[i];
        square += y[i] * y[i];
    }
    for (int64_t i = size - 1; i >= 0; i--) {
        const double *row = coarse->dense + i * size;
        double s = y[i] /= row[i];
        for (int64_t j = 0; j < i; j++) {
            y[j] -= s * row[j];
        }
    }
    for (int32_t a = 0; a < coarse->nodes.count; a++) {
        const int32_t *hub = coarse->hubs.node + TL_COARSE_SUPPORT * (int64_t)a;
        const float *weight = coarse->hubs.weight + TL_COARSE_SUPPORT * (int64_t)a;
        double *value = coarse->value + 3 * (int64_t)a;
        TlFloat4 r = tl_narrow4(coarse->rest[a]);
        square += tl_sum3(r * tl_symmetric_times(coarse->inverse + 2 * (int64_t)a, r));
        value[0] = value[1] = value[2] = 0.0;
        for (int k = 0; k < TL_COARSE_SUPPORT && hub[k] >= 0; k++) {
            for (int i = 0; i < 3; i++) {
                value[i] += (double)weight[k] * y[3 * (int64_t)hub[k] + i];
            }
        }
    }
    return square;
}

/* Sum of a[j] b[j] over j < count, in a fixed order of lanes. */
TL_INLINE float dot_rows(const float *a, const float *b, int64_t count) {
    const TlFloat4 *u = (const TlFloat4 *)a, *v = (const TlFloat4 *)b;
    TlFloat4 s0 = tl_float4(0.0F), s1 = s0, s2 = s0, s3 = s0;
    int64_t whole = count / TL_LANES, k = 0;
    for (; k + 3 < whole; k += 4) {
        s0 += u[k] * v[k];
        s1 += u[k + 1] * v[k + 1];
        s2 += u[k + 2] * v[k + 2];
        s3 += u[k + 3] * v[k + 3];
    }
    for (; k < whole; k++) {
        s0 += u[k] * v[k];
    }
    s0 = (s0 + s1) + (s2 + s3);
    float sum = (s0[0] + s0[1]) + (s0[2] + s0[3]);
    for (int64_t j = TL_LANES * whole; j < count; j++) {
        sum += a[j] * b[j];
    }
    return sum;
}

/* L L^T y = y in single precision, along rows of L both ways. */
TL_HOT static void solve_single(const TlCoarse *coarse, float *y) {
    int64_t size = 3 * (int64_t)coarse->hubs.count;
    for (int64_t i = 0; i < size; i++) {
        const float *row = coarse->factor + i * coarse->stride;
        y[i] = (y[i] - dot_rows(row, y, i)) * row[i];
    }
    for (int64_t i = size - 1; i >= 0; i--) {
        const float *row = coarse->factor + i * coarse->stride;
        float s = y[i] *= row[i];
        for (int64_t j = 0; j < i; j++) {
            y[j] -= s * row[j];
        }
    }
}

void tl_coarse_solve(TlCoarse *coarse) {
    float *y = coarse->hub_single;
    restrict_hubs(coarse);
    for (int64_t i = 0; i < 3 * (int64_t)coarse->hubs.count; i++) {
        y[i] = (float)coarse->hub_value[i];
    }
    solve_single(coarse, y);
    for (int32_t a = 0; a < coarse->nodes.count; a++) {
        const int32_t *hub = coarse->hubs.node + TL_COARSE_SUPPORT * (int64_t)a;
        const float *weight = coarse->hubs.weight + TL_COARSE_SUPPORT * (int64_t)a;
        TlFloat4 z =
            tl_symmetric_times(coarse->inverse + 2 * (int64_t)a, tl_narrow4(coarse->rest[a]));
        for (int k = 0; k < TL_COARSE_SUPPORT && hub[k] >= 0; k++) {
            const float *at = y + 3 * (int64_t)hub[k];
            z += weight[k] * (TlFloat4){at[0], at[1], at[2], 0.0F};
        }
        coarse->value4[a] = z;
    }
}
