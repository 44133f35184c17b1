/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Static drape by damped Newton: each iteration minimises the static potential plus m/(2 h^2) |x -
 * x_now|^2, one Newton step with line search. The pseudo step h doubles while whole steps are taken
 * and shrinks when they are cut, so that the damping vanishes near the solution. The residual is
 * the true static force, without damping and friction. */
#include "solve/settle.h"

#include "base/vec.h"
#include "solve/potential.h"

#include <string.h>

#define FIRST_H 0.02
#define LEAST_H 1e-4
#define MOST_H 1e4
/* a step that goes farther jumps over colliders that would have held the cloth, m */
#define MOST_MOVE_M 0.5
/* no cloth travels this far to its drape: nothing holds it */
#define FALLEN_AWAY_M 1e4

static void describe(TlSystem *system, const double *gravity, double h, const double *x) {
    const TlModel *model = system->model;
    for (int32_t v = 0; v < model->vertex_count; v++) {
        system->weight[v] = model->mass[v] / (h * h);
        for (int i = 0; i < 3; i++) {
            system->force[3 * (int64_t)v + i] = model->mass[v] * gravity[i];
        }
    }
    memcpy(system->x_start, x, 3 * sizeof *x * (size_t)model->vertex_count);
}

/* Norm of the load on the free vertices. */
static double load_of(const TlSystem *system, const double *gravity) {
    double sum = 0.0, g2 = 0.0;
    for (int i = 0; i < 3; i++) {
        g2 += gravity[i] * gravity[i];
    }
    for (int32_t v = 0; v < system->model->vertex_count; v++) {
        if (!system->fixed[v]) {
            sum += system->model->mass[v] * system->model->mass[v] * g2;
        }
    }
    return sqrt(sum);
}

/* Force left at x; fills residual and largest force. x_start must be x, so that the damping term
 * vanishes. */
static void measure(TlSystem *system, const TlContacts *contacts, double load, const double *x,
                    TlSettleResult *result) {
    double sum = 0.0, largest = 0.0;
    tl_newton_gradient(system, contacts, x, system->grad);
    for (int32_t v = 0; v < system->model->vertex_count; v++) {
        TlVec3 g = tl_load3(system->grad + 3 * (int64_t)v);
        double f2 = tl_dot3(g, g);
        sum += f2;
        largest = tl_max(largest, f2);
    }
    result->residual = load > 0.0 ? sqrt(sum) / load : sqrt(sum);
    result->largest_force_N = sqrt(largest);
}

/* The next pseudo step, from how much of the last Newton step could be taken. */
static double adapt(double h, const TlNewtonResult *step) {
    if (step->stuck) {
        return tl_max(0.25 * h, LEAST_H);
    }
    if (step->gain > 0.75 && step->part == 1.0) {
        return tl_min(2.0 * h, MOST_H);
    }
    return step->gain < 0.25 || step->part < 0.25 ? tl_max(0.5 * h, LEAST_H) : h;
}

TlSettleResult tl_settle(TlSystem *system, const TlContacts *contacts, const TlSettle *options,
                         double *x) {
    TlSettleResult result;
    memset(&result, 0, sizeof result);
    result.finite = true;
    double h = FIRST_H, load = load_of(system, options->gravity), fallen = 0.0;
    TlNewton newton = {.most_iterations = 1,
                       .most_cg = 5 * system->model->vertex_count + 200,
                       .linear_tolerance = 1e-4,
                       .most_move_m = contacts->collider_count > 0 ? MOST_MOVE_M : 0.0};
    tl_potential_place(system, contacts, x);
    for (;;) {
        describe(system, options->gravity, h, x);
        measure(system, contacts, load, x, &result);
        result.converged = result.residual <= options->tolerance;
        if (result.converged || result.iterations == options->most_iterations) {
            return result;
        }
        if (options->watch != NULL &&
            !options->watch(options->user, result.iterations, result.residual)) {
            result.cancelled = true;
            return result;
        }
        TlNewtonResult step = tl_newton(system, contacts, &newton, x);
        result.iterations++;
        result.cg_iterations += step.cg_iterations;
        result.cuts += step.cuts;
        result.residual_ratio = step.residual_ratio;
        result.seconds.assembly_s += step.seconds.assembly_s;
        result.seconds.linear_s += step.seconds.linear_s;
        result.seconds.search_s += step.seconds.search_s;
        fallen += step.last_step_m;
        result.finite = step.finite;
        result.unheld = fallen > FALLEN_AWAY_M;
        if (!result.finite || result.unheld) {
            return result;
        }
        h = adapt(h, &step);
    }
}
