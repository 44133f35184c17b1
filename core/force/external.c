/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Gravity's potential; drag enters the step as a potential of its own, see solve/implicit_euler.c.
 */
#include "force/external.h"

double tl_gravity_energy(const TlModel *model, const TlExternal *external, const double *x) {
    const double *g = external->gravity;
    double total = 0.0;
    for (int32_t v = 0; v < model->vertex_count; v++) {
        const double *p = x + 3 * (int64_t)v;
        total -= model->mass[v] * (g[0] * p[0] + g[1] * p[1] + g[2] * p[2]);
    }
    return total;
}
