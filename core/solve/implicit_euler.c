/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Implicit Euler as an incremental potential: x+ minimises |x - x^|^2_M / (2 h^2) + E(x) with
 * x^ = x + h v + h^2 g; v+ = (x+ - x)/h. Linear drag adds c A/(2h) |x - x_n|^2. Newton starts and
 * linearises at the inertial guess x + h v, which is far more accurate after one or two iterations
 * than the textbook start at x. */
#include "solve/implicit_euler.h"

#include "solve/potential.h"

TlStepResult tl_implicit_euler(TlSystem *system, const TlContacts *contacts, const TlStep *step) {
    tl_potential_begin(system, contacts, step);
    tl_potential_euler(system, step);
    tl_potential_guess(system, step, step->x);
    TlStepResult result = tl_potential_minimise(system, contacts, step, &step->newton);
    if (result.ok) {
        tl_potential_velocity(system, step);
        tl_potential_calm(system, contacts, step);
    }
    return result;
}
