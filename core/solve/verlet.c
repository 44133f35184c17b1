/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Velocity-less Verlet with variable steps, from the positions of two instants, h_ apart:
 *
 *   u = (x - x_)/h_,   u+ = u + a (h + h_)/2,   x+ = x + h u+,   a = M^-1 f(x, u)
 *
 * Second order. It starts from x_ = x - h v + h^2 a/2, that is u+ = v + h a/2 with the damping of
 * v; from x_ = x - h v it would be symplectic Euler. Damping takes u, which lags by half a step.
 * The velocity told, v+ = u+ + a h/2, is that at the end of the step; nothing but a new start reads
 * it. A contact changes u+, so the history becomes x_ = x+ - h u+. */
#include "solve/explicit.h"

#include <string.h>

/* u into step->v: the mean velocity of the step before. */
static void mean_velocity(const TlSystem *system, const TlStep *step, const TlHistory *past) {
    for (int64_t i = 0; i < 3 * (int64_t)system->model->vertex_count; i++) {
        if (!system->fixed[i / 3]) {
            step->v[i] = (step->x[i] - past->x[i]) / past->dt_s;
        }
    }
}

/* After the contacts: history and the velocity at the end. `mean` holds u+ before them. */
static void finish(const TlSystem *system, const TlStep *step, const TlIntegration *work,
                   const double *mean) {
    TlHistory *past = work->history;
    double h = step->dt_s;
    for (int32_t v = 0; v < system->model->vertex_count; v++) {
        int64_t at = 3 * (int64_t)v;
        bool met = false;
        for (int64_t i = at; i < at + 3; i++) {
            met = met || step->v[i] != mean[i] || step->x[i] != system->x_start[i] + h * mean[i];
        }
        for (int64_t i = at; i < at + 3; i++) {
            past->x[i] = met ? step->x[i] - h * step->v[i] : system->x_start[i];
            past->v[i] = work->v_start[i];
            step->v[i] += met ? 0.0 : 0.5 * h * work->a[i];
        }
    }
    past->dt_s = h;
}

TlStepResult tl_verlet(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                       TlIntegration *work) {
    TlHistory *past = work->history;
    bool first = !(past->dt_s > 0.0);
    size_t size = 3 * sizeof(double) * (size_t)system->model->vertex_count;
    tl_explicit_begin(system, step, work);
    if (!first) {
        mean_velocity(system, step, past);
    }
    double kick = first ? 0.5 * step->dt_s : 0.5 * (step->dt_s + past->dt_s);
    tl_explicit_accelerate(system, step, work, step->x, step->v, true, work->a);
    tl_explicit_advance(system, step->v, kick, work->a, step->v);
    tl_explicit_advance(system, step->x, step->dt_s, step->v, step->x);
    memcpy(work->stage, step->v, size);
    TlStepResult result = tl_explicit_end(system, contacts, step, work, 1.0);
    if (result.ok) {
        finish(system, step, work, work->stage);
    }
    return result;
}
