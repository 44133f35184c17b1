/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* IMEX: what is linear with a constant matrix implicitly, the rest explicitly,
 *
 *   (M + h C + h^2 Kb) v+ = M v + h (f_rest(x) - Kb x),   x+ = x + h v+
 *
 * with the matrix Kb of linear bending, one scalar matrix L for x, y and z, and linear drag C.
 * f_rest - Kb x are all forces at x but drag, whether bending is linear or curved at rest; with the
 * other bending models Kb is zero and this is symplectic Euler. M + h C + h^2 L is factored once
 * for a step length and a set of pins. Stable for h^2 (Ke - Kb) <= 4 M, Ke the stiffness of the
 * rest. */
#include "solve/explicit.h"

#include "base/vec.h"

#include <string.h>

/* The factor for this step; false when there is none. */
static bool prepare_factor(TlSystem *system, const TlStep *step, TlIntegration *work) {
    const TlModel *model = system->model;
    size_t n = (size_t)model->vertex_count;
    double h = step->dt_s, drag = step->external.drag_kg_per_m2_s;
    if (work->dt_s == h && work->drag == drag && memcmp(work->fixed, system->fixed, n) == 0) {
        return true;
    }
    for (int32_t v = 0; v < model->vertex_count; v++) {
        work->diagonal[v] = system->fixed[v] ? 1.0 : model->mass[v] + h * drag * model->area[v];
    }
    memcpy(work->fixed, system->fixed, n);
    bool ok = tl_ldl_factor(&work->ldl, &system->bend_matrix, h * h, work->diagonal, system->fixed);
    work->dt_s = ok ? h : 0.0;
    work->drag = drag;
    return ok;
}

/* M v + h f with f = M a, less what the prescribed velocities of fixed vertices bring; theirs are
 * their own right-hand side. */
static void right_hand_side(const TlSystem *system, const TlStep *step, const TlIntegration *work,
                            double *b) {
    const TlScalarMatrix *L = &system->bend_matrix;
    double h = step->dt_s;
    for (int32_t v = 0; v < system->model->vertex_count; v++) {
        double m = system->model->mass[v], *out = b + 3 * (int64_t)v;
        for (int i = 0; i < 3; i++) {
            int64_t at = 3 * (int64_t)v + i;
            out[i] = system->fixed[v] ? step->v[at] : m * (step->v[at] + h * work->a[at]);
        }
        for (int32_t s = L->row_start[v]; s < L->row_start[v + 1] && !system->fixed[v]; s++) {
            const double *u = step->v + 3 * (int64_t)L->column[s];
            for (int i = 0; i < 3 && system->fixed[L->column[s]]; i++) {
                out[i] -= h * h * L->value[s] * u[i];
            }
        }
    }
}

TlStepResult tl_imex(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                     TlIntegration *work) {
    if (!prepare_factor(system, step, work)) {
        return (TlStepResult){.ok = false};
    }
    tl_explicit_begin(system, step, work);
    tl_explicit_accelerate(system, step, work, step->x, step->v, false, work->a);
    right_hand_side(system, step, work, work->sum);
    tl_ldl_solve(&work->ldl, work->sum);
    memcpy(step->v, work->sum, 3 * sizeof(double) * (size_t)system->model->vertex_count);
    tl_explicit_advance(system, step->x, step->dt_s, step->v, step->x);
    return tl_explicit_end(system, contacts, step, work, 1.0);
}
