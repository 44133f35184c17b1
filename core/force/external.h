/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Forces that do not come from the cloth itself: gravity and linear drag. */
#ifndef TL_EXTERNAL_H
#define TL_EXTERNAL_H

#include "rest/model.h"

typedef struct TlExternal {
    double gravity[3];       /* m/s^2 */
    double drag_kg_per_m2_s; /* force -c A v on each vertex, so that refining changes nothing */
} TlExternal;

/* -sum m g.x, zero at the origin. */
double tl_gravity_energy(const TlModel *model, const TlExternal *external, const double *x);

#endif
