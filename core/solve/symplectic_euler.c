/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Symplectic Euler: v+ = v + h M^-1 f(x, v), x+ = x + h v+. First order, stable for h omega < 2,
 * and the energy of undamped cloth neither grows nor shrinks in the long run. */
#include "solve/explicit.h"

TlStepResult tl_symplectic_euler(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                                 TlIntegration *work) {
    tl_explicit_begin(system, step, work);
    tl_explicit_accelerate(system, step, work, step->x, step->v, true, work->a);
    tl_explicit_advance(system, step->v, step->dt_s, work->a, step->v);
    tl_explicit_advance(system, step->x, step->dt_s, step->v, step->x);
    return tl_explicit_end(system, contacts, step, work, 1.0);
}
