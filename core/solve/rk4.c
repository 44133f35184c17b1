/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The classical Runge-Kutta method of fourth order on (x, v)' = (v, M^-1 f(x, v)): four forces a
 * step, stable for h omega < 2 sqrt 2, slightly dissipative. Fixed vertices move evenly, also
 * between the stages. */
#include "solve/explicit.h"

#include <string.h>

TlStepResult tl_rk4(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                    TlIntegration *work) {
    /* where stage k + 1 is taken, and the weight of stage k */
    static const double part[4] = {0.5, 0.5, 1.0, 0.0}, weight[4] = {1, 2, 2, 1};
    size_t size = 3 * sizeof(double) * (size_t)system->model->vertex_count;
    double *x = system->trial, *v = work->stage, *dx = system->step, *dv = work->sum,
           h = step->dt_s;
    tl_explicit_begin(system, step, work);
    memcpy(x, step->x, size);
    memcpy(v, step->v, size);
    memset(dx, 0, size);
    memset(dv, 0, size);
    for (int k = 0; k < 4; k++) {
        tl_explicit_accelerate(system, step, work, x, v, true, work->a);
        tl_explicit_advance(system, dx, weight[k] / 6.0, v, dx);
        tl_explicit_advance(system, dv, weight[k] / 6.0, work->a, dv);
        tl_explicit_advance(system, step->x, part[k] * h, v, x);
        tl_explicit_advance(system, step->v, part[k] * h, work->a, v);
    }
    tl_explicit_advance(system, step->x, h, dx, step->x);
    tl_explicit_advance(system, step->v, h, dv, step->v);
    return tl_explicit_end(system, contacts, step, work, 0.5);
}
