/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients with block Jacobi plus the coarse space: z = D^-1 r + P Ac^-1 P^T r. Sums are
 * taken in fixed chunks. */
#include "solve/cg.h"

#include "base/vec.h"

#include <string.h>

enum { GRAIN = 256 };

bool tl_cg_alloc(TlArena *arena, int32_t n, TlCg *out) {
    out->inverse = TL_NEW(arena, double, 9 * (int64_t)n);
    out->r = NULL;
    out->z = TL_NEW(arena, double, 3 * (int64_t)n);
    out->p = TL_NEW(arena, double, 3 * (int64_t)n);
    out->q = TL_NEW(arena, double, 3 * (int64_t)n);
    return out->inverse != NULL && out->z != NULL && out->p != NULL && out->q != NULL;
}

static void invert_rows(void *data, int32_t begin, int32_t end) {
    TlCg *cg = data;
    for (int32_t v = begin; v < end; v++) {
        double *out = cg->inverse + 9 * (int64_t)v;
        memset(out, 0, 9 * sizeof *out);
        const double *block = cg->A->block + 9 * (int64_t)cg->A->diagonal[v];
        if (!cg->fixed[v] && !tl_invert_spd3(block, out)) {
            for (int i = 0; i < 9; i += 4) {
                out[i] = block[i] > 0.0 ? 1.0 / block[i] : 0.0;
            }
        }
    }
}

void tl_cg_precondition(TlCg *cg, bool with_coarse) {
    tl_parallel_for(cg->pool, cg->A->n, GRAIN, invert_rows, cg);
    if (with_coarse) {
        tl_coarse_factor(cg->coarse, cg->pool, cg->A, cg->fixed);
    }
}

static double precondition_rows(void *data, int32_t begin, int32_t end) {
    TlCg *cg = data;
    double sum = 0.0;
    for (int32_t v = begin; v < end; v++) {
        const double *d = cg->inverse + 9 * (int64_t)v, *r = cg->r + 3 * (int64_t)v;
        double z[3];
        for (int i = 0; i < 3; i++) {
            z[i] = d[3 * i] * r[0] + d[3 * i + 1] * r[1] + d[3 * i + 2] * r[2];
        }
        if (cg->coarse->ready && !cg->fixed[v]) {
            tl_coarse_add(cg->coarse, v, z);
        }
        memcpy(cg->z + 3 * (int64_t)v, z, sizeof z);
        sum += z[0] * r[0] + z[1] * r[1] + z[2] * r[2];
    }
    return sum;
}

/* z from r; answers r.z */
static double precondition(TlCg *cg) {
    if (cg->coarse->ready) {
        tl_coarse_solve(cg->coarse, cg->pool, cg->r);
    }
    return tl_parallel_sum(cg->pool, cg->A->n, GRAIN, precondition_rows, cg);
}

static double multiply_rows(void *data, int32_t begin, int32_t end) {
    TlCg *cg = data;
    double sum = 0.0;
    for (int32_t v = begin; v < end; v++) {
        double *q = cg->q + 3 * (int64_t)v;
        const double *p = cg->p + 3 * (int64_t)v;
        if (cg->fixed[v]) {
            q[0] = q[1] = q[2] = 0.0;
            continue;
        }
        tl_block_matrix_row(cg->A, v, cg->p, q);
        sum += p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    }
    return sum;
}

typedef struct Update {
    TlCg *cg;
    double *y;
    double s;
} Update;

static void advance_rows(void *data, int32_t begin, int32_t end) {
    Update *in = data;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        in->y[i] += in->s * in->cg->p[i];
        in->cg->r[i] -= in->s * in->cg->q[i];
    }
}

static void turn_rows(void *data, int32_t begin, int32_t end) {
    Update *in = data;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        in->cg->p[i] = in->cg->z[i] + in->s * in->cg->p[i];
    }
}

static void prolong_rows(void *data, int32_t begin, int32_t end) {
    Update *in = data;
    for (int32_t v = begin; v < end; v++) {
        double *p = in->cg->p + 3 * (int64_t)v;
        p[0] = p[1] = p[2] = 0.0;
        if (!in->cg->fixed[v]) {
            tl_coarse_add(in->cg->coarse, v, p);
        }
    }
}

/* y = P Ac^-1 P^T b and r = b - A y: common translations, such as free fall, are then exact. The
 * coarse space still holds the solution for b. */
static void start_from_coarse(Update *update) {
    TlCg *cg = update->cg;
    tl_parallel_for(cg->pool, cg->A->n, GRAIN, prolong_rows, update);
    tl_parallel_sum(cg->pool, cg->A->n, GRAIN, multiply_rows, cg);
    update->s = 1.0;
    tl_parallel_for(cg->pool, cg->A->n, GRAIN, advance_rows, update);
}

int32_t tl_cg_solve(TlCg *cg, double *b, double tolerance, int32_t most, double *y) {
    int32_t n = cg->A->n;
    cg->r = b;
    for (int32_t v = 0; v < n; v++) {
        if (cg->fixed[v]) {
            memset(b + 3 * (int64_t)v, 0, 3 * sizeof *b);
        }
    }
    memset(y, 0, 3 * sizeof *y * (size_t)n);
    Update update = {cg, y, 0.0};
    double rz = precondition(cg), enough = tolerance * tolerance * rz;
    if (cg->coarse->ready && rz > 0.0) {
        start_from_coarse(&update);
        rz = precondition(cg);
    }
    memcpy(cg->p, cg->z, 3 * sizeof *y * (size_t)n);
    int32_t iteration = 0;
    while (iteration < most && rz > enough) {
        double pq = tl_parallel_sum(cg->pool, n, GRAIN, multiply_rows, cg);
        if (!(pq > 0.0)) {
            break;
        }
        update.s = rz / pq;
        tl_parallel_for(cg->pool, n, GRAIN, advance_rows, &update);
        double next = precondition(cg);
        update.s = next / rz;
        tl_parallel_for(cg->pool, n, GRAIN, turn_rows, &update);
        rz = next;
        iteration++;
    }
    return iteration;
}
