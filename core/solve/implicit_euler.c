/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Implicit Euler as an incremental potential: x+ minimises |x - x^|^2_M / (2 h^2) + E(x) with
 * x^ = x + h v + h^2 g; v+ = (x+ - x)/h. Linear drag adds c A/(2h) |x - x_n|^2. Newton starts and
 * linearises at the inertial guess x + h v, which is far more accurate after one or two iterations
 * than the textbook start at x. */
#include "solve/implicit_euler.h"

#include "base/vec.h"

#include <string.h>

/* a first iteration that got nowhere is a failure only when it wanted to go farther than this */
#define STUCK_STEP_M 1e-6

static void describe_step(TlSystem *system, const TlStep *step) {
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
    memcpy(system->x_start, step->x, 3 * sizeof(double) * (size_t)model->vertex_count);
}

static void inertial_guess(const TlSystem *system, const TlStep *step, double *guess) {
    for (int32_t v = 0; v < system->model->vertex_count; v++) {
        for (int i = 0; i < 3; i++) {
            int64_t at = 3 * (int64_t)v + i;
            guess[at] =
                system->fixed[v] ? step->pin_target[at] : step->x[at] + step->dt_s * step->v[at];
        }
    }
}

/* Vertices that begin inside a collider are put out of it first, so that this does not become
 * velocity. */
static void leave_colliders(TlSystem *system, const TlContacts *contacts, double *x) {
    TlContacts before = *contacts;
    before.now = contacts->before;
    tl_newton_project(system, &before, TL_LEAST_GAP, NULL, x);
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

TlStepResult tl_implicit_euler(TlSystem *system, const TlContacts *contacts, const TlStep *step) {
    int64_t size = 3 * (int64_t)system->model->vertex_count;
    leave_colliders(system, contacts, step->x);
    describe_step(system, step);
    inertial_guess(system, step, step->x);
    tl_newton_project(system, contacts, TL_START_GAP, NULL, step->x);
    TlStepResult result;
    result.newton = tl_newton(system, contacts, &step->newton, step->x);
    result.projected = 0;
    result.ok = is_sound(system, &result.newton);
    if (!result.ok) {
        memcpy(step->x, system->x_start, sizeof(double) * (size_t)size);
        return result;
    }
    result.projected = tl_newton_project(system, contacts, TL_LEAST_GAP, NULL, step->x);
    for (int64_t i = 0; i < size; i++) {
        step->v[i] = (step->x[i] - system->x_start[i]) / step->dt_s;
    }
    return result;
}
