/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of a sub-step that minimises a potential; see potential.h. */
#include "solve/potential.h"

#include "base/vec.h"

#include <string.h>

/* a first iteration that got nowhere is a failure only when it wanted to go farther than this */
#define STUCK_STEP_M 1e-6

void tl_potential_begin(TlSystem *system, const TlContacts *contacts, const TlStep *step) {
    TlContacts before = *contacts;
    before.now = contacts->before;
    tl_newton_project(system, &before, TL_LEAST_GAP, NULL, step->x);
    memcpy(system->x_start, step->x, 3 * sizeof(double) * (size_t)system->model->vertex_count);
}

void tl_potential_euler(TlSystem *system, const TlStep *step) {
    const TlModel *model = system->model;
    double h = step->dt_s;
    for (int32_t v = 0; v < model->vertex_count; v++) {
        double m = model->mass[v];
        system->weight[v] = m / (h * h) + step->external.drag_kg_per_m2_s * model->area[v] / h;
        for (int i = 0; i < 3; i++) {
            int64_t at = 3 * (int64_t)v + i;
            system->force[at] = m * (step->v[at] / h + step->external.gravity[i]);
        }
    }
}

void tl_potential_guess(const TlSystem *system, const TlStep *step, double *guess) {
    for (int32_t v = 0; v < system->model->vertex_count; v++) {
        for (int i = 0; i < 3; i++) {
            int64_t at = 3 * (int64_t)v + i;
            guess[at] =
                system->fixed[v] ? step->pin_target[at] : step->x[at] + step->dt_s * step->v[at];
        }
    }
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

void tl_potential_velocity(const TlSystem *system, const TlStep *step) {
    for (int64_t i = 0; i < 3 * (int64_t)system->model->vertex_count; i++) {
        step->v[i] = (step->x[i] - system->x_start[i]) / step->dt_s;
    }
}
