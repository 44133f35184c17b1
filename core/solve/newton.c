/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Newton with conjugate gradients and an Armijo line search over the step's potential; see
 * newton.h. Trial points are put outside the colliders before they are judged, so that one vertex
 * at a surface does not shorten the step of all others. */
#include "solve/newton.h"

#include "base/platform.h"
#include "base/vec.h"

#include <string.h>

enum { GRAIN = 128, MOST_CUTS = 12 };
#define ARMIJO 1e-4
/* changes of the potential below this part of its size are rounding and count as descent */
#define ROUNDING 1e-13

typedef struct Job {
    TlSystem *system;
    const TlContacts *contacts;
    const double *x;
    double *out;
    double part;
} Job;

/* Inertia, constant force, contact and friction of vertices [begin, end). */
static double vertex_value(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    const TlSystem *system = job->system;
    double total = 0.0;
    for (int32_t v = begin; v < end; v++) {
        if (system->fixed[v]) {
            continue;
        }
        TlVec3 x = tl_load3(job->x + 3 * (int64_t)v);
        TlVec3 d = tl_sub3(x, tl_load3(system->x_start + 3 * (int64_t)v));
        total += 0.5 * system->weight[v] * tl_dot3(d, d);
        total -= tl_dot3(tl_load3(system->force + 3 * (int64_t)v), d);
        if (job->contacts->collider_count == 0) {
            continue;
        }
        total += tl_contact_value(job->contacts, system->model->vertex_material[v],
                                  system->model->area[v], x);
        if (system->friction[v].force > 0.0) {
            total += tl_friction_value(&system->friction[v], job->contacts->slip_m, x);
        }
    }
    return total;
}

/* Energy of the elements, without that of the bending matrix, of which only changes are needed. */
static double elastic_value(TlSystem *system, double dt_s, const double *x) {
    TlPoint at = {x, system->x_start, dt_s};
    return tl_system_varying(system, &at);
}

static double vertex_sum(TlSystem *system, const TlContacts *contacts, const double *x) {
    Job job = {system, contacts, x, NULL, 0.0};
    return tl_parallel_sum(system->pool, system->model->vertex_count, GRAIN, vertex_value, &job);
}

/* Adds the vertex terms to grad and to the diagonal blocks, and lags the friction. */
static void vertex_derive(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    TlSystem *system = job->system;
    for (int32_t v = begin; v < end; v++) {
        double *grad = job->out + 3 * (int64_t)v;
        if (system->fixed[v]) {
            grad[0] = grad[1] = grad[2] = 0.0;
            continue;
        }
        int32_t cloth = system->model->vertex_material[v];
        TlVec3 x = tl_load3(job->x + 3 * (int64_t)v),
               start = tl_load3(system->x_start + 3 * (int64_t)v);
        TlVec3 d = tl_sub3(x, start), normal = {0, 0, 0};
        double *block = system->matrix.contact + 9 * (int64_t)v;
        double w = system->weight[v], pressed;
        const double *f = system->force + 3 * (int64_t)v;
        grad[0] += w * d.x - f[0];
        grad[1] += w * d.y - f[1];
        grad[2] += w * d.z - f[2];
        system->matrix.touched[v] = false;
        TlFriction *friction = &system->friction[v];
        friction->force = 0.0;
        if (job->contacts->collider_count == 0) {
            continue;
        }
        memset(block, 0, 9 * sizeof *block);
        int32_t collider = tl_contact_derive(job->contacts, cloth, system->model->area[v], x, grad,
                                             block, &pressed, &normal);
        system->matrix.touched[v] = collider >= 0;
        if (collider >= 0 && job->contacts->slip_m > 0.0) {
            *friction = tl_friction_lag(job->contacts, cloth, collider, pressed, normal, x, start);
            tl_friction_derive(friction, job->contacts->slip_m, x, grad, block);
        }
    }
}

void tl_newton_gradient(TlSystem *system, const TlContacts *contacts, const double *x,
                        double *grad) {
    TlPoint at = {x, system->x_start, 0.0};
    tl_system_derive(system, &at, false, grad);
    Job job = {system, contacts, x, grad, 0.0};
    tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, vertex_derive, &job);
}

static double project_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    int32_t moved = 0;
    for (int32_t v = begin; v < end; v++) {
        if (!job->system->fixed[v]) {
            TlVec3 x = tl_load3(job->out + 3 * (int64_t)v), from = x;
            if (job->x != NULL) {
                from = tl_load3(job->x + 3 * (int64_t)v);
            }
            if (tl_contact_project(job->contacts, job->system->model->vertex_material[v], job->part,
                                   job->x != NULL ? &from : NULL, &x)) {
                tl_store3(job->out + 3 * (int64_t)v, x);
                moved++;
            }
        }
    }
    return (double)moved;
}

int32_t tl_newton_project(TlSystem *system, const TlContacts *contacts, double gap,
                          const double *from, double *x) {
    Job job = {system, contacts, from, x, gap};
    if (contacts->collider_count == 0) {
        return 0;
    }
    return (int32_t)tl_parallel_sum(system->pool, system->model->vertex_count, GRAIN, project_range,
                                    &job);
}

static void try_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        job->out[i] = job->x[i] + job->part * job->system->step[i];
    }
}

static void scale_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        job->out[i] = job->part * job->x[i];
    }
}

static double dot_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    double sum = 0.0;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        sum += job->x[i] * job->out[i];
    }
    return sum;
}

static double dot(TlSystem *system, const double *a, double *b) {
    Job job = {system, NULL, a, b, 0.0};
    return tl_parallel_sum(system->pool, system->model->vertex_count, GRAIN, dot_range, &job);
}

/* Largest size of to[i] - from[i] among 3 n values; `from` of NULL stands for 0. */
TL_HOT static double largest_change(const double *from, const double *to, int32_t n) {
    int64_t count = 3 * (int64_t)n, whole = count / TL_LANES * TL_LANES;
    TlDouble4 most = tl_double4(0.0);
    double out = 0.0;
    for (int64_t i = 0; i < whole; i += TL_LANES) {
        TlDouble4 a = tl_double4(0.0), b;
        memcpy(&b, to + i, sizeof b);
        if (from != NULL) {
            memcpy(&a, from + i, sizeof a);
        }
        b = tl_abs4(b - a);
        most = tl_max4(most, b);
    }
    for (int64_t i = whole; i < count; i++) {
        out = tl_max(out, fabs(to[i] - (from != NULL ? from[i] : 0.0)));
    }
    for (int l = 0; l < TL_LANES; l++) {
        out = tl_max(out, most[l]);
    }
    return out;
}

/* Finds a part of system->step that lowers the potential, leaving the accepted point in
 * system->trial; false when there is none. `elastic` is that part of the potential at x, then at
 * the accepted point. */
static bool line_search(TlSystem *system, const TlContacts *contacts, const TlNewton *options,
                        const double *x, double slope, double *elastic, TlNewtonResult *result) {
    int32_t n = system->model->vertex_count;
    double before = *elastic + vertex_sum(system, contacts, x);
    double part = tl_min(1.0, options->most_move_m / largest_change(NULL, system->step, n));
    for (int32_t cut = 0; cut <= MOST_CUTS; cut++, part *= 0.5) {
        Job job = {system, NULL, x, system->trial, part};
        tl_parallel_for(system->pool, n, GRAIN, try_range, &job);
        tl_newton_project(system, contacts, TL_NEWTON_GAP, x, system->trial);
        double stored = elastic_value(system, options->dt_s, system->trial);
        double after = stored + vertex_sum(system, contacts, system->trial) +
                       tl_system_bend_change(system, x, system->trial);
        if (after <= before + ARMIJO * part * slope + ROUNDING * fabs(before)) {
            *elastic = stored;
            result->part = part;
            result->gain = (before - after) / (-slope * part * (1.0 - 0.5 * part));
            return true;
        }
        result->cuts++;
    }
    return false;
}

/* Seconds since *clock_s, which moves on to now. */
static double lap(double *clock_s) {
    double before = *clock_s;
    *clock_s = tl_clock_s();
    return *clock_s - before;
}

static bool goes_on(const TlNewton *options, int32_t k, double last_step_m) {
    int32_t most = options->most_iterations;
    return k < most || (k < most + options->most_rescues && last_step_m > options->rescue_m);
}

TlNewtonResult tl_newton(TlSystem *system, const TlContacts *contacts, const TlNewton *options,
                         double *x) {
    int32_t n = system->model->vertex_count;
    TlNewtonResult result = {.finite = true};
    double clock_s = tl_clock_s();
    double elastic = options->most_iterations > 0 ? elastic_value(system, options->dt_s, x) : 0.0;
    for (int32_t k = 0; goes_on(options, k, result.last_step_m); k++) {
        /* gradient and matrix at x; negative gradient becomes the right-hand side */
        TlPoint at = {x, system->x_start, options->dt_s};
        tl_system_derive(system, &at, true, system->grad);
        Job job = {system, contacts, x, system->grad, 0.0};
        tl_parallel_for(system->pool, n, GRAIN, vertex_derive, &job);
        result.seconds.assembly_s += lap(&clock_s);
        if (!tl_cg_precondition(&system->cg, k > 0 || options->keep_coarse)) {
            result.finite = false;
            return result;
        }
        Job turn = {system, NULL, system->grad, system->trial, -1.0};
        tl_parallel_for(system->pool, n, GRAIN, scale_range, &turn);
        double tolerance = options->linear_tolerance;
        if (k > 0 && options->later_tolerance > 0.0) {
            tolerance = options->later_tolerance;
        }
        result.cg_iterations += tl_cg_solve(&system->cg, system->trial, tolerance, options->most_cg,
                                            system->step, &result.residual_ratio);
        result.seconds.linear_s += lap(&clock_s);
        double slope = dot(system, system->grad, system->step);
        if (!tl_is_finite(slope)) {
            result.finite = false;
            return result;
        }
        result.iterations++;
        result.rescues += k >= options->most_iterations;
        if (slope >= 0.0) {
            /* no direction: fine at rest, a failure of the linear solve anywhere else */
            result.stuck = largest_change(NULL, system->grad, n) > 0.0;
            break;
        }
        bool found = line_search(system, contacts, options, x, slope, &elastic, &result);
        result.seconds.search_s += lap(&clock_s);
        if (!found) {
            result.stuck = true;
            break;
        }
        result.last_step_m = largest_change(x, system->trial, n);
        Job accept = {system, NULL, system->trial, x, 1.0};
        tl_parallel_for(system->pool, n, GRAIN, scale_range, &accept);
        if (!(result.last_step_m > options->tolerance_m)) {
            break;
        }
    }
    return result;
}
