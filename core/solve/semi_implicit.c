/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Semi-implicit Euler: forces linearised at the start of the step, one linear solve,
 *
 *   (M + h C + h^2 K) dv = h (f - h K v),   v+ = v + dv,   x+ = x + h v+
 *
 * [BW98] Baraff, Witkin: Large steps in cloth simulation, 1998. It is one Newton iteration on
 * implicit Euler's potential from x_n: with dx = h (v + dv) its system (M/h^2 + C/h + K) dx =
 * M v/h + f is the one above. Pins are at their targets when the forces are taken. The line search
 * of Newton stays as a guard: it shortens a step that would raise the potential, and counts that.
 * Contact is that of the explicit methods: friction linearised where nothing slips yet would hold
 * on any slope. */
#include "solve/explicit.h"
#include "solve/potential.h"

#include <math.h>
#include <string.h>

/* of the one linear solve, unless it was asked for more accurately */
#define LINEAR_TOLERANCE 0.01

TlStepResult tl_semi_implicit(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                              TlIntegration *work) {
    TlContacts none = {.collider_count = 0};
    TlNewton once = step->newton;
    once.most_iterations = 1;
    once.most_rescues = 0;
    once.guess = NULL;
    once.linear_tolerance =
        once.linear_tolerance < LINEAR_TOLERANCE ? once.linear_tolerance : LINEAR_TOLERANCE;
    memcpy(work->v_start, step->v, 3 * sizeof(double) * (size_t)system->model->vertex_count);
    tl_potential_begin(system, &none, step);
    tl_potential_euler(system, step);
    for (int64_t i = 0; i < 3 * (int64_t)system->model->vertex_count; i++) {
        step->x[i] = system->fixed[i / 3] ? step->pin_target[i] : step->x[i];
    }
    TlStepResult result = tl_potential_minimise(system, &none, step, &once);
    if (result.ok) {
        tl_potential_velocity(system, step);
        TlNewtonResult newton = result.newton;
        result = tl_explicit_end(system, contacts, step, work, 1.0);
        result.newton = newton;
    }
    return result;
}
