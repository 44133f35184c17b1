/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Explicit Euler: x+ = x + h v, v+ = v + h M^-1 f(x, v), both from the state at the start. First
 * order, and without damping never stable: an oscillation grows by sqrt(1 + h^2 omega^2) a step. It
 * is here for comparison. */
#include "solve/explicit.h"

TlStepResult tl_explicit_euler(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                               TlIntegration *work) {
    tl_explicit_begin(system, step, work);
    tl_explicit_accelerate(system, step, work, step->x, step->v, true, work->a);
    tl_explicit_advance(system, step->x, step->dt_s, step->v, step->x);
    tl_explicit_advance(system, step->v, step->dt_s, work->a, step->v);
    return tl_explicit_end(system, contacts, step, work, 0.0);
}
