/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Newton with conjugate gradients and an Armijo line search over the step's potential; see
 * newton.h. Trial points are put outside the colliders before they are judged, so that one vertex
 * at a surface does not shorten the step of all others. */
#include "solve/newton.h"

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
        total += tl_contact_value(job->contacts, system->model->vertex_material[v],
                                  system->model->area[v], x);
        if (system->friction[v].force > 0.0) {
            total += tl_friction_value(&system->friction[v], job->contacts->slip_m, x);
        }
    }
    return total;
}

static double psi(TlSystem *system, const TlContacts *contacts, double dt_s, const double *x) {
    TlPoint at = {x, system->x_start, dt_s};
    Job job = {system, contacts, x, NULL, 0.0};
    double elastic = tl_system_value(system, &at);
    return elastic +
           tl_parallel_sum(system->pool, system->model->vertex_count, GRAIN, vertex_value, &job);
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
        double *block = system->matrix.block + 9 * (int64_t)system->matrix.diagonal[v];
        double w = system->weight[v], pressed;
        const double *f = system->force + 3 * (int64_t)v;
        grad[0] += w * d.x - f[0];
        grad[1] += w * d.y - f[1];
        grad[2] += w * d.z - f[2];
        block[0] += w;
        block[4] += w;
        block[8] += w;
        TlFriction *friction = &system->friction[v];
        int32_t collider = tl_contact_derive(job->contacts, cloth, system->model->area[v], x, grad,
                                             block, &pressed, &normal);
        friction->force = 0.0;
        if (collider >= 0 && job->contacts->slip_m > 0.0) {
            *friction = tl_friction_lag(job->contacts, cloth, collider, pressed, normal, x, start);
            tl_friction_derive(friction, job->contacts->slip_m, x, grad, block);
        }
    }
}

void tl_newton_gradient(TlSystem *system, const TlContacts *contacts, const double *x,
                        double *grad) {
    TlPoint at = {x, system->x_start, 0.0};
    tl_system_derive(system, &at, true, grad);
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
    return (int32_t)tl_parallel_sum(system->pool, system->model->vertex_count, GRAIN, project_range,
                                    &job);
}

static void try_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        job->out[i] = job->x[i] + job->part * job->system->step[i];
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

/* Largest size among 3 n values. */
static double largest(const double *values, int32_t n) {
    double most = 0.0;
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) {
        most = tl_max(most, fabs(values[i]));
    }
    return most;
}

static double largest_move(const double *from, const double *to, int32_t n) {
    double most = 0.0;
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) {
        most = tl_max(most, fabs(to[i] - from[i]));
    }
    return most;
}

/* Finds a part of system->step that lowers the potential, leaving the accepted point in
 * system->trial; false when there is none. */
static bool line_search(TlSystem *system, const TlContacts *contacts, const TlNewton *options,
                        const double *x, double slope, TlNewtonResult *result) {
    int32_t n = system->model->vertex_count;
    double before = psi(system, contacts, options->dt_s, x);
    double part = tl_min(1.0, options->most_move_m / largest(system->step, n));
    for (int32_t cut = 0; cut <= MOST_CUTS; cut++, part *= 0.5) {
        Job job = {system, NULL, x, system->trial, part};
        tl_parallel_for(system->pool, n, GRAIN, try_range, &job);
        tl_newton_project(system, contacts, TL_NEWTON_GAP, x, system->trial);
        double after = psi(system, contacts, options->dt_s, system->trial);
        if (after <= before + ARMIJO * part * slope + ROUNDING * fabs(before)) {
            result->part = part;
            result->gain = (before - after) / (-slope * part * (1.0 - 0.5 * part));
            return true;
        }
        result->cuts++;
    }
    return false;
}

static bool goes_on(const TlNewton *options, int32_t k, double last_step_m) {
    int32_t most = options->most_iterations;
    return k < most || (k < most + options->most_rescues && last_step_m > options->rescue_m);
}

TlNewtonResult tl_newton(TlSystem *system, const TlContacts *contacts, const TlNewton *options,
                         double *x) {
    int32_t n = system->model->vertex_count;
    TlNewtonResult result = {0, 0, 0, false, true, 0.0, 0.0, 0.0};
    for (int32_t k = 0; goes_on(options, k, result.last_step_m); k++) {
        /* gradient and matrix at x; negative gradient becomes the right-hand side */
        TlPoint at = {x, system->x_start, options->dt_s};
        tl_system_derive(system, &at, true, system->grad);
        Job job = {system, contacts, x, system->grad, 0.0};
        tl_parallel_for(system->pool, n, GRAIN, vertex_derive, &job);
        tl_cg_precondition(&system->cg, k == 0);
        for (int64_t i = 0; i < 3 * (int64_t)n; i++) {
            system->trial[i] = -system->grad[i];
        }
        result.cg_iterations += tl_cg_solve(&system->cg, system->trial, options->linear_tolerance,
                                            options->most_cg, system->step);
        double slope = dot(system, system->grad, system->step);
        if (!tl_is_finite(slope)) {
            result.finite = false;
            return result;
        }
        result.iterations++;
        if (slope >= 0.0) {
            /* no direction: fine at rest, a failure of the linear solve anywhere else */
            result.stuck = largest(system->grad, n) > 0.0;
            break;
        }
        if (!line_search(system, contacts, options, x, slope, &result)) {
            result.stuck = true;
            break;
        }
        result.last_step_m = largest_move(x, system->trial, n);
        memcpy(x, system->trial, 3 * sizeof *x * (size_t)n);
        if (!(result.last_step_m > options->tolerance_m)) {
            break;
        }
    }
    return result;
}
