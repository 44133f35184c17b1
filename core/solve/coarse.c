/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The levels put together: B on the nodes gives the dense matrix C on the hubs, which is factored
 * by Cholesky; all inner loops run along rows. See coarse.h. */
#include "solve/coarse.h"

#include "base/vec.h"

#include <string.h>

enum { ROWS = 3, NODE_GRAIN = 64 };
/* of a diagonal entry: pivots below it are rounding, also in single precision */
#define DEPENDENT 1e-10
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
    out->row = TL_NEW(arena, TlDouble4, ROWS * hubs);
    out->square = TL_NEW(arena, TlDouble4, ROWS * hubs * hubs);
    out->dense = TL_NEW(arena, double, size *size);
    out->column = TL_NEW(arena, double, size);
    out->pivot = TL_NEW(arena, double, size);
    out->hub_value = TL_NEW(arena, double, size);
    out->factor = TL_NEW(arena, float, size * out->stride);
    out->hub_single = TL_NEW(arena, float, out->stride);
    out->list = TL_NEW(arena, int32_t, hubs);
    return !arena->failed;
}

bool tl_coarse_build(TlArena *arena, const TlModel *model, const TlOperator *A, TlCoarse *out) {
    return tl_coarse_nodes(arena, model, out) && tl_coarse_pattern(arena, A, out) &&
           alloc_hubs(arena, out);
}

/* ---- factor ---- */

/* Whether the hubs are the nodes themselves: the exact solution then does all. */
static bool has_hubs_only(const TlCoarse *coarse) {
    return coarse->hubs.count == coarse->nodes.count;
}

static void invert_nodes(TlCoarse *coarse) {
    for (int32_t a = 0; a < coarse->nodes.count; a++) {
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

/* Row a of U Q, U the upper half of B with half its diagonal, into coarse->row, for the hubs in
 * coarse->list; answers how many. */
TL_INLINE int32_t node_row(TlCoarse *coarse, int32_t a) {
    int32_t *list = coarse->list;
    const TlNodeMatrix *B = &coarse->matrix;
    int32_t count = 0;
    for (int32_t s = B->row_start[a]; s < B->row_start[a + 1]; s++) {
        int64_t at = TL_COARSE_SUPPORT * (int64_t)B->column[s];
        for (int k = 0; k < TL_COARSE_SUPPORT && coarse->hubs.node[at + k] >= 0; k++) {
            int32_t hub = coarse->hubs.node[at + k], i = 0;
            TlDouble4 *row = coarse->row + ROWS * (int64_t)hub;
            while (i < count && list[i] != hub) {
                i++;
            }
            if (i == count) {
                list[count++] = hub;
                row[0] = row[1] = row[2] = tl_double4(0.0);
            }
            double w = (double)coarse->hubs.weight[at + k] * (B->column[s] == a ? 0.5 : 1.0);
            add_rows(row, w, B->block + ROWS * (int64_t)s);
        }
    }
    return count;
}

/* square = Q^T U Q */
TL_HOT static void join_nodes(TlCoarse *coarse) {
    const int32_t *list = coarse->list;
    int64_t hubs = coarse->hubs.count;
    for (int64_t i = 0; i < ROWS * hubs * hubs; i++) {
        coarse->square[i] = tl_double4(0.0);
    }
    for (int32_t a = 0; a < coarse->nodes.count; a++) {
        int32_t count = node_row(coarse, a);
        const int32_t *hub = coarse->hubs.node + TL_COARSE_SUPPORT * (int64_t)a;
        const float *weight = coarse->hubs.weight + TL_COARSE_SUPPORT * (int64_t)a;
        for (int k = 0; k < TL_COARSE_SUPPORT && hub[k] >= 0; k++) {
            for (int32_t i = 0; i < count; i++) {
                add_rows(coarse->square + ROWS * (hubs * hub[k] + list[i]), (double)weight[k],
                         coarse->row + ROWS * (int64_t)list[i]);
            }
        }
    }
}

/* Lower half of C = Q^T U Q + (Q^T U Q)^T. */
static void make_dense(TlCoarse *coarse, const TlOperator *A) {
    int64_t hubs = coarse->hubs.count, size = 3 * hubs;
    join_nodes(coarse);
    tl_coarse_touches(coarse, A);
    for (int64_t p = 0; p < hubs; p++) {
        for (int64_t q = 0; q <= p; q++) {
            const TlDouble4 *block = coarse->square + ROWS * (hubs * p + q);
            const TlDouble4 *other = coarse->square + ROWS * (hubs * q + p);
            for (int i = 0; i < ROWS; i++) {
                for (int j = 0; j < ROWS; j++) {
                    coarse->dense[(3 * p + i) * size + 3 * q + j] = block[i][j] + other[j][i];
                }
            }
        }
    }
    for (int64_t i = 0; i < size; i++) {
        coarse->pivot[i] = coarse->dense[i * size + i];
    }
}

/* Right-looking Cholesky of the lower half; false when a pivot is negative. Hubs whose vertices are
 * fixed, or more hubs than free vertices, make rows depend on others: what is left of their
 * diagonal is rounding then, and an infinite pivot takes them out of all solutions. */
TL_HOT static bool cholesky(double *matrix, double *column, const double *diagonal, int64_t size) {
    for (int64_t k = 0; k < size; k++) {
        double pivot = matrix[k * size + k], least = DEPENDENT * diagonal[k];
        if (!(pivot >= -least)) {
            return false;
        }
        double root = pivot > least ? sqrt(pivot) : (double)INFINITY;
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

static void narrow_factor(TlCoarse *coarse) {
    int64_t size = 3 * (int64_t)coarse->hubs.count;
    for (int64_t i = 0; i < size; i++) {
        const double *from = coarse->dense + i * size;
        float *to = coarse->factor + i * coarse->stride;
        for (int64_t j = 0; j < i; j++) {
            to[j] = (float)from[j];
        }
        to[i] = (float)(1.0 / from[i]);
    }
}

void tl_coarse_factor(TlCoarse *coarse, TlPool *pool, const TlOperator *A) {
    tl_coarse_matrix(coarse, pool, A);
    make_dense(coarse, A);
    invert_nodes(coarse);
    coarse->ready =
        cholesky(coarse->dense, coarse->column, coarse->pivot, 3 * (int64_t)coarse->hubs.count);
    if (coarse->ready) {
        narrow_factor(coarse);
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
