/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Stability from the extreme eigenvalues omega^2 of M^-1 K and c of M^-1 C on the actual mesh. On
 * x'' = -omega^2 x - c x' one step is stable for
 *
 *   symplectic Euler, Verlet   h^2 omega^2 + 2 h c <= 4
 *   IMEX                       the same with K - 2 Kb in place of K, drag left out
 *   RK4                        h max(omega, c) <= 2.785, where its region meets the real axis
 *   explicit Euler             h omega^2 <= c; here c is drag alone, which every mode has, and
 *                              errors may grow by h omega^2 - c <= 2/TL_GROWTH_TIME_S; h c <= 2
 *
 * Eigenvalues come from a fixed number of steps of Lanczos' method, the power method with memory,
 * from a fixed start: a few percent below the true ones. The margin covers that, and stiffness that
 * grows with tension until the next estimate. */
#include "solve/stability.h"

#include "base/vec.h"

enum { GRAIN = 256, MOST_STEPS = 24, BISECTIONS = 60 };
#define MARGIN 0.8
#define RK4_REACH 2.785
/* so short that in K + C/dt only damping counts */
#define DAMPING_DT_S 1e-9
/* a vector this much shorter than the matrix is rounding: the space is exhausted */
#define EXHAUSTED 1e-6
/* rounding of products in single precision, by which an eigenvalue could come out too large */
#define ROUNDING 1e-6

typedef struct Job {
    TlSystem *system;
    const double *a, *b;
    double *out;
    double s, t;
} Job;

static double dot_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    double sum = 0.0;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        sum += job->a[i] * job->b[i];
    }
    return sum;
}

static double dot(TlSystem *system, const double *a, const double *b) {
    Job job = {.a = a, .b = b};
    return tl_parallel_sum(system->pool, system->model->vertex_count, GRAIN, dot_range, &job);
}

/* Values of size 1 without pattern, 0 for fixed vertices. */
static void start_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        uint64_t z = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        double value = (double)(z >> 11) / 4503599627370496.0 - 1.0;
        job->out[i] = job->system->fixed[i / 3] ? 0.0 : value;
    }
}

/* p = M^-1/2 a, 0 for fixed vertices. */
static void scale_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    for (int32_t v = begin; v < end; v++) {
        double s = job->system->fixed[v] ? 0.0 : 1.0 / sqrt(job->system->model->mass[v]);
        const double *a = job->a + 3 * (int64_t)v;
        job->system->cg.p[v] =
            (TlFloat4){(float)(s * a[0]), (float)(s * a[1]), (float)(s * a[2]), 0.0F};
    }
}

/* out = M^-1/2 (H - s L) p; q holds H p. */
static void multiply_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    const TlSystem *system = job->system;
    const TlScalarMatrix *L = &system->bend_matrix;
    for (int32_t v = begin; v < end; v++) {
        double *out = job->out + 3 * (int64_t)v;
        double scale = system->fixed[v] ? 0.0 : 1.0 / sqrt(system->model->mass[v]);
        for (int i = 0; i < 3; i++) {
            out[i] = scale * (double)system->cg.q[v][i];
        }
        for (int32_t s = L->row_start[v]; s < L->row_start[v + 1] && job->s != 0.0; s++) {
            TlFloat4 p = system->cg.p[L->column[s]];
            for (int i = 0; i < 3; i++) {
                out[i] -= scale * job->s * L->value[s] * (double)p[i];
            }
        }
    }
}

/* out = s out - t a. */
static void combine_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        job->out[i] = job->s * job->out[i] - job->t * job->a[i];
    }
}

static void combine(TlSystem *system, double *out, double s, double t, const double *a) {
    Job job = {.a = a, .out = out, .s = s, .t = t};
    tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, combine_range, &job);
}

/* The tridiagonal matrix that Lanczos' method makes. */
typedef struct Tridiagonal {
    int32_t count;
    double diagonal[MOST_STEPS];
    double beside[MOST_STEPS]; /* beside[k] couples k and k + 1 */
} Tridiagonal;

/* Whether some eigenvalue is above `value`: signs of the pivots of T - value. */
static bool reaches(const Tridiagonal *T, double value) {
    double pivot = 1.0, least = 1e-300;
    for (int32_t k = 0; k < T->count; k++) {
        double b = k > 0 ? T->beside[k - 1] : 0.0;
        pivot = T->diagonal[k] - value - b * b / pivot;
        if (!(pivot < 0.0)) {
            return true;
        }
        pivot = pivot > -least ? -least : pivot;
    }
    return false;
}

static double largest_of(const Tridiagonal *T) {
    double low = 0.0, high = 0.0;
    for (int32_t k = 0; k < T->count; k++) {
        double sum = fabs(T->diagonal[k]) + fabs(T->beside[k]);
        high = tl_max(high, sum + (k > 0 ? fabs(T->beside[k - 1]) : 0.0));
    }
    /* what has no positive eigenvalue bounds nothing */
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = 0.5 * (low + high);
        if (reaches(T, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

/* One step: w = B q - b q_before - a q; answers a, the diagonal entry. */
static double expand(TlSystem *system, double less, const double *q, const double *before, double b,
                     double *w) {
    int32_t n = system->model->vertex_count;
    Job job = {.system = system, .a = q, .out = w, .s = less};
    tl_parallel_for(system->pool, n, GRAIN, scale_range, &job);
    tl_operator_multiply(&system->matrix, system->pool, system->cg.p, system->cg.q);
    tl_parallel_for(system->pool, n, GRAIN, multiply_range, &job);
    if (b != 0.0) {
        combine(system, w, 1.0, b, before);
    }
    double a = dot(system, q, w);
    combine(system, w, 1.0, a, q);
    return a;
}

double tl_largest_eigenvalue(TlSystem *system, const double *x, double dt_s, double less) {
    double *q = system->step, *before = system->trial, *w = system->force;
    TlPoint at = {x, x, dt_s};
    Tridiagonal T = {.count = 0};
    tl_system_derive(system, &at, true, system->grad);
    tl_operator_without_own(&system->matrix);
    Job job = {.system = system, .out = q};
    tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, start_range, &job);
    double length = sqrt(dot(system, q, q)), scale = 0.0, b = 0.0;
    if (!(length > 0.0)) {
        return 0.0;
    }
    combine(system, q, 1.0 / length, 0.0, q);
    while (T.count < MOST_STEPS) {
        double a = expand(system, less, q, before, b, w);
        b = sqrt(dot(system, w, w));
        scale = tl_max(scale, fabs(a) + b);
        if (!tl_is_finite(a) || !tl_is_finite(b)) {
            return (double)INFINITY;
        }
        bool exhausted = !(b > EXHAUSTED * scale);
        T.diagonal[T.count] = a;
        T.beside[T.count] = exhausted || T.count == MOST_STEPS - 1 ? 0.0 : b;
        T.count++;
        if (exhausted) {
            break;
        }
        /* the next vector is w/b; the oldest gives its place */
        double *oldest = before;
        before = q;
        q = w;
        w = oldest;
        combine(system, q, 1.0 / b, 0.0, q);
    }
    return (1.0 - ROUNDING) * largest_of(&T);
}

/* The longest step with h^2 omega^2 + 2 h c <= 4. */
static double symplectic_step(double omega2, double c) {
    double root = c + sqrt(c * c + 4.0 * omega2);
    return root > 0.0 ? 4.0 / root : (double)INFINITY;
}

/* Least and largest drag over mass of the free vertices. */
static void drag_rates(const TlSystem *system, const TlExternal *external, double *least,
                       double *most) {
    *least = (double)INFINITY;
    *most = 0.0;
    for (int32_t v = 0; v < system->model->vertex_count; v++) {
        if (!system->fixed[v]) {
            double rate =
                external->drag_kg_per_m2_s * system->model->area[v] / system->model->mass[v];
            *least = tl_min(*least, rate);
            *most = tl_max(*most, rate);
        }
    }
}

double tl_stable_step(TlSystem *system, TlBound bound, bool damped, const TlExternal *external,
                      const double *x) {
    if (bound == TL_BOUND_NONE) {
        return (double)INFINITY;
    }
    double least, most;
    drag_rates(system, external, &least, &most);
    double less = bound == TL_BOUND_IMEX ? 2.0 : 0.0;
    double omega2 = tl_largest_eigenvalue(system, x, 0.0, less);
    double c = bound == TL_BOUND_IMEX ? 0.0 : most;
    if (damped) {
        c += DAMPING_DT_S * tl_largest_eigenvalue(system, x, DAMPING_DT_S, 0.0);
    }
    double h = symplectic_step(omega2, c);
    if (bound == TL_BOUND_RK4) {
        h = RK4_REACH / tl_max(sqrt(omega2), c);
    } else if (bound == TL_BOUND_GROWTH) {
        h = tl_min((least + 2.0 / TL_GROWTH_TIME_S) / omega2, 2.0 / c);
    }
    return MARGIN * h;
}
