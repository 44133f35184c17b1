/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients with block Jacobi plus the coarse space: z = D^-1 r + P Ac^-1 P^T r. The
 * coarse space is solved first, in double precision, unless the caller has a guess or knows that it
 * is not needed: common translations, such as free fall, are then exact. Sums of a few rows are
 * single, those of all double, in a fixed order. */
#include "solve/cg.h"

#include "base/vec.h"

#include <string.h>

enum { GRAIN = 256, RUN = 64 };
/* single precision finds no more; what is asked for beyond takes up to so many rounds */
#define LEAST_TOLERANCE 1e-5
enum { MOST_ROUNDS = 4 };
/* solves with one coarse factor that knows touches */
enum { PRESSED_SOLVES = 4 };

bool tl_cg_alloc(TlArena *arena, const TlOperator *A, TlCg *out) {
    int32_t n = A->n;
    out->r = TL_NEW(arena, TlFloat4, n);
    out->z = TL_NEW(arena, TlFloat4, n);
    out->p = TL_NEW(arena, TlFloat4, n);
    out->q = TL_NEW(arena, TlFloat4, A->extent);
    out->y = TL_NEW(arena, TlFloat4, n);
    out->residual = TL_NEW(arena, double, 3 * (int64_t)n);
    out->correction = TL_NEW(arena, double, 3 * (int64_t)n);
    return !arena->failed;
}

/* Whether the coarse factor that there is may serve once more. One that knows touches is good for
 * some solves of a sub-step, from the second on: they change, but mostly stay. */
static bool may_keep(const TlCg *cg, bool keep_coarse) {
    bool pressed = tl_coarse_is_pressed(cg->A);
    bool served = cg->from_zero || cg->fresh < 0 || cg->latest <= cg->fresh + cg->patience;
    bool knows = cg->coarse->pressed && cg->later && cg->from_zero && cg->served < PRESSED_SOLVES;
    return keep_coarse && served && (pressed ? knows : !cg->coarse->pressed) &&
           tl_coarse_serves(cg->coarse, cg->A);
}

bool tl_cg_precondition(TlCg *cg, bool keep_coarse) {
    bool ok = tl_operator_prepare(cg->A, cg->pool);
    if (ok && !may_keep(cg, keep_coarse)) {
        tl_coarse_factor(cg->coarse, cg->pool, cg->A);
        cg->fresh = -1;
        cg->later = cg->from_zero;
        cg->served = 0;
    }
    cg->served++;
    return ok;
}

TL_HOT static double precondition_rows(void *data, int32_t begin, int32_t end) {
    TlCg *cg = data;
    bool coarse = cg->coarse->ready;
    double total = 0.0;
    for (int32_t v = begin; v < end;) {
        TlFloat4 sum = tl_float4(0.0F);
        for (int32_t last = v + RUN < end ? v + RUN : end; v < last; v++) {
            TlFloat4 r = cg->r[v];
            TlFloat4 z = tl_symmetric_times(cg->A->inverse + 2 * (int64_t)v, r);
            if (coarse && !cg->A->fixed[v]) {
                z += tl_coarse_row(cg->coarse, v);
            }
            cg->z[v] = z;
            sum += r * z;
        }
        total += tl_sum3(sum);
    }
    return total;
}

/* Item 0 is the coarse solution, the others are block Jacobi of so many rows each. */
TL_HOT static void smooth_items(void *data, int32_t begin, int32_t end) {
    TlCg *cg = data;
    if (begin == 0) {
        tl_coarse_solve(cg->coarse);
    }
    int64_t first = begin > 0 ? begin - 1 : 0, last = (int64_t)(end - 1) * GRAIN;
    for (int64_t v = first * GRAIN; v < (last < cg->A->n ? last : cg->A->n); v++) {
        cg->z[v] = tl_symmetric_times(cg->A->inverse + 2 * v, cg->r[v]);
    }
}

/* What precondition_rows does where block Jacobi is done already. */
TL_HOT static double correct_rows(void *data, int32_t begin, int32_t end) {
    TlCg *cg = data;
    double total = 0.0;
    for (int32_t v = begin; v < end;) {
        TlFloat4 sum = tl_float4(0.0F);
        for (int32_t last = v + RUN < end ? v + RUN : end; v < last; v++) {
            if (!cg->A->fixed[v]) {
                cg->z[v] += tl_coarse_row(cg->coarse, v);
            }
            sum += cg->r[v] * cg->z[v];
        }
        total += tl_sum3(sum);
    }
    return total;
}

/* z from r; answers r.z. The coarse solution is one worker's work: others go on meanwhile, for the
 * same bits. */
static double precondition(TlCg *cg) {
    bool ready = cg->coarse->ready;
    if (ready) {
        tl_coarse_restrict(cg->coarse, cg->pool, cg->r);
    }
    if (ready && tl_pool_is_parallel(cg->pool) && cg->A->n > GRAIN) {
        tl_parallel_for(cg->pool, 1 + (cg->A->n + GRAIN - 1) / GRAIN, 1, smooth_items, cg);
        return tl_parallel_sum(cg->pool, cg->A->n, GRAIN, correct_rows, cg);
    }
    if (ready) {
        tl_coarse_solve(cg->coarse);
    }
    return tl_parallel_sum(cg->pool, cg->A->n, GRAIN, precondition_rows, cg);
}

typedef struct Update {
    TlCg *cg;
    const double *b;
    double *y;
    float s;
} Update;

/* Three numbers of vertex v, 0 where fixed. */
TL_INLINE TlDouble4 load_row(const TlCg *cg, const double *b, int32_t v) {
    const double *at = b + 3 * (int64_t)v;
    return cg->A->fixed[v] ? tl_double4(0.0) : (TlDouble4){at[0], at[1], at[2], 0.0};
}

/* r = b, y = 0 */
TL_HOT static void load_rows(void *data, int32_t begin, int32_t end) {
    Update *in = data;
    TlCg *cg = in->cg;
    for (int32_t v = begin; v < end; v++) {
        cg->y[v] = tl_float4(0.0F);
        cg->r[v] = tl_narrow4(load_row(cg, in->b, v));
        in->y[3 * (int64_t)v] = in->y[3 * (int64_t)v + 1] = in->y[3 * (int64_t)v + 2] = 0.0;
    }
}

/* y = row of the coarse solution, p the same */
static void prolong_rows(void *data, int32_t begin, int32_t end) {
    Update *in = data;
    for (int32_t v = begin; v < end; v++) {
        double *y = in->y + 3 * (int64_t)v;
        y[0] = y[1] = y[2] = 0.0;
        if (!in->cg->A->fixed[v]) {
            tl_coarse_row_exact(in->cg->coarse, v, y);
        }
        in->cg->p[v] = (TlFloat4){(float)y[0], (float)y[1], (float)y[2], 0.0F};
    }
}

/* r = b - q */
TL_HOT static void remainder_rows(void *data, int32_t begin, int32_t end) {
    Update *in = data;
    TlCg *cg = in->cg;
    for (int32_t v = begin; v < end; v++) {
        cg->r[v] = tl_narrow4(load_row(cg, in->b, v) - tl_widen4(cg->q[v]));
    }
}

TL_HOT static void advance_rows(void *data, int32_t begin, int32_t end) {
    Update *in = data;
    TlCg *cg = in->cg;
    for (int32_t v = begin; v < end; v++) {
        cg->y[v] += in->s * cg->p[v];
        cg->r[v] -= in->s * cg->q[v];
    }
}

static void turn_rows(void *data, int32_t begin, int32_t end) {
    Update *in = data;
    for (int32_t v = begin; v < end; v++) {
        in->cg->p[v] = in->cg->z[v] + in->s * in->cg->p[v];
    }
}

static void first_rows(void *data, int32_t begin, int32_t end) {
    Update *in = data;
    for (int32_t v = begin; v < end; v++) {
        in->cg->p[v] = in->cg->z[v];
    }
}

static void finish_rows(void *data, int32_t begin, int32_t end) {
    Update *in = data;
    for (int32_t v = begin; v < end; v++) {
        TlFloat4 y = in->cg->y[v];
        for (int i = 0; i < 3; i++) {
            in->y[3 * (int64_t)v + i] += (double)y[i];
        }
    }
}

static void for_rows(TlCg *cg, TlRange range, Update *update) {
    tl_parallel_for(cg->pool, cg->A->n, GRAIN, range, update);
}

/* r.z of block Jacobi alone. */
static double jacobi_rows(void *data, int32_t begin, int32_t end) {
    TlCg *cg = data;
    double total = 0.0;
    for (int32_t v = begin; v < end; v++) {
        TlFloat4 r = cg->r[v];
        total += tl_sum3(r * tl_symmetric_times(cg->A->inverse + 2 * (int64_t)v, r));
    }
    return total;
}

/* p = the guess */
static void guess_rows(void *data, int32_t begin, int32_t end) {
    Update *in = data;
    for (int32_t v = begin; v < end; v++) {
        in->cg->p[v] = tl_narrow4(load_row(in->cg, in->cg->guess, v));
    }
}

/* r . p */
TL_HOT static double guess_gain(void *data, int32_t begin, int32_t end) {
    TlCg *cg = data;
    double total = 0.0;
    for (int32_t v = begin; v < end; v++) {
        total += tl_sum3(cg->r[v] * cg->p[v]);
    }
    return total;
}

/* y = s guess, r = b - s A guess, with the s that leaves least of the error in the norm of A. */
static double begin_with_guess(TlCg *cg, Update *update) {
    for_rows(cg, guess_rows, update);
    double gain = tl_parallel_sum(cg->pool, cg->A->n, GRAIN, guess_gain, cg);
    double cost = tl_operator_multiply(cg->A, cg->pool, cg->p, cg->q);
    update->s = cost > 0.0 ? (float)(gain / cost) : 0.0F;
    for_rows(cg, advance_rows, update);
    return precondition(cg);
}

/* y = P Ac^-1 P^T b, or 0, r = b - A y and z from that; answers r.z of b, and of r in `rz`. */
static double begin_solve(TlCg *cg, Update *update, double *rz) {
    for_rows(cg, load_rows, update);
    if (!cg->coarse->ready || cg->from_zero) {
        return *rz = precondition(cg);
    }
    if (cg->guess != NULL) {
        double whole = precondition(cg);
        *rz = begin_with_guess(cg, update);
        return whole;
    }
    tl_coarse_restrict_exact(cg->coarse, cg->pool, update->b);
    double start = tl_parallel_sum(cg->pool, cg->A->n, GRAIN, jacobi_rows, cg) +
                   tl_coarse_solve_exact(cg->coarse);
    for_rows(cg, prolong_rows, update);
    tl_operator_multiply(cg->A, cg->pool, cg->p, cg->q);
    for_rows(cg, remainder_rows, update);
    *rz = precondition(cg);
    if (!(*rz <= start)) {
        /* an old factor can mislead, where contacts are new */
        for_rows(cg, load_rows, update);
        *rz = precondition(cg);
    }
    return start;
}

/* Solves in single precision; answers r.z at the start and at the end too. */
static int32_t solve_single(TlCg *cg, const double *b, double tolerance, int32_t most, double *y,
                            double *start, double *end) {
    Update update = {cg, b, y, 0.0F};
    double rz, least = tl_max(tolerance, LEAST_TOLERANCE);
    *start = begin_solve(cg, &update, &rz);
    double own = least * least * *start, enough = own;
    if (cg->from_zero) {
        enough = tl_max(own, cg->spare * cg->spare * cg->begun);
    } else {
        cg->begun = *start;
    }
    for_rows(cg, first_rows, &update);
    int32_t iteration = 0;
    while (iteration < most && rz > (iteration == 0 ? own : enough)) {
        double pq = tl_operator_multiply(cg->A, cg->pool, cg->p, cg->q);
        if (!(pq > 0.0)) {
            break;
        }
        update.s = (float)(rz / pq);
        for_rows(cg, advance_rows, &update);
        double next = precondition(cg);
        update.s = (float)(next / rz);
        for_rows(cg, turn_rows, &update);
        rz = next;
        iteration++;
    }
    for_rows(cg, finish_rows, &update);
    *end = rz;
    return iteration;
}

int32_t tl_cg_solve(TlCg *cg, const double *b, double tolerance, int32_t most, double *y,
                    double *left) {
    double start, end, unused;
    /* what single precision leaves of a guess is too much for small tolerances */
    cg->guess = tolerance > LEAST_TOLERANCE ? cg->guess : NULL;
    int32_t iterations = solve_single(cg, b, tolerance, most, y, &start, &end);
    cg->guess = NULL;
    for (int round = 0; round < MOST_ROUNDS && tolerance <= LEAST_TOLERANCE &&
                        end > tolerance * tolerance * start && iterations < most;
         round++) {
        tl_operator_residual(cg->A, cg->pool, b, y, cg->residual);
        iterations += solve_single(cg, cg->residual, LEAST_TOLERANCE, most - iterations,
                                   cg->correction, &unused, &end);
        for (int64_t i = 0; i < 3 * (int64_t)cg->A->n; i++) {
            y[i] += cg->correction[i];
        }
    }
    if (!cg->from_zero) {
        cg->fresh = cg->fresh < 0 ? iterations : cg->fresh;
        cg->latest = iterations;
    }
    if (left != NULL) {
        double whole = cg->from_zero && cg->spare > 0.0 ? tl_max(start, cg->begun) : start;
        *left = whole > 0.0 ? sqrt(tl_max(end, 0.0) / whole) : 0.0;
    }
    return iterations;
}
