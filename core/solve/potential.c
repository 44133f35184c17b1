/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of a sub-step that minimises a potential; see potential.h. */
#include "solve/potential.h"

#include "base/vec.h"

#include <string.h>

enum { GRAIN = 1024 };

/* a first iteration that got nowhere is a failure only when it wanted to go farther than this */
#define STUCK_STEP_M 1e-6

void tl_potential_begin(TlSystem *system, const TlContacts *contacts, const TlStep *step) {
    TlContacts before = *contacts;
    before.now = contacts->before;
    tl_newton_project(system, &before, TL_LEAST_GAP, NULL, step->x);
    memcpy(system->x_start, step->x, 3 * sizeof(double) * (size_t)system->model->vertex_count);
}

/* What the loops over vertices work on. */
typedef struct Job {
    TlSystem *system;
    const TlStep *step;
    double *out;
} Job;

static void euler_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    TlSystem *system = job->system;
    const TlStep *step = job->step;
    double h = step->dt_s;
    for (int32_t v = begin; v < end; v++) {
        double m = system->model->mass[v], drag = step->external.drag_kg_per_m2_s;
        system->weight[v] = m / (h * h) + drag * system->model->area[v] / h;
        for (int i = 0; i < 3; i++) {
            int64_t at = 3 * (int64_t)v + i;
            system->force[at] = m * (step->v[at] / h + step->external.gravity[i]);
        }
    }
}

void tl_potential_euler(TlSystem *system, const TlStep *step) {
    Job job = {system, step, NULL};
    tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, euler_range, &job);
}

static void guess_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    const TlStep *step = job->step;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        bool fixed = job->system->fixed[i / 3];
        job->out[i] = fixed ? step->pin_target[i] : step->x[i] + step->dt_s * step->v[i];
    }
}

void tl_potential_guess(TlSystem *system, const TlStep *step, double *guess) {
    Job job = {system, step, guess};
    tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, guess_range, &job);
}

/* False when the first iteration got nowhere although some vertex had somewhere to go: by the step
 * that was found, or by its own inertia. */
static bool is_sound(const TlSystem *system, const TlNewtonResult *newton) {
    if (!newton->finite || !newton->stuck || newton->iterations > 1) {
        return newton->finite;
    }
    for (int32_t v = 0; v < system->model->vertex_count; v++) {
        for (int i = 0; i < 3 && !system->fixed[v]; i++) {
            int64_t at = 3 * (int64_t)v + i;
            double wanted =
                tl_max(fabs(system->step[at]), fabs(system->grad[at]) / system->weight[v]);
            if (!(wanted < STUCK_STEP_M)) {
                return false;
            }
        }
    }
    return true;
}

TlStepResult tl_potential_minimise(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                                   const TlNewton *options) {
    tl_newton_project(system, contacts, TL_START_GAP, NULL, step->x);
    TlStepResult result;
    result.newton = tl_newton(system, contacts, options, step->x);
    result.projected = 0;
    result.ok = is_sound(system, &result.newton);
    if (result.ok) {
        result.projected = tl_newton_project(system, contacts, TL_LEAST_GAP, NULL, step->x);
    } else {
        memcpy(step->x, system->x_start, 3 * sizeof(double) * (size_t)system->model->vertex_count);
    }
    return result;
}

static void velocity_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    const TlStep *step = job->step;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        step->v[i] = (step->x[i] - job->system->x_start[i]) / step->dt_s;
    }
}

void tl_potential_velocity(TlSystem *system, const TlStep *step) {
    Job job = {system, step, NULL};
    tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, velocity_range, &job);
}
