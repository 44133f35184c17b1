/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* One sub-step of implicit Euler. */
#ifndef TL_IMPLICIT_EULER_H
#define TL_IMPLICIT_EULER_H

#include "solve/newton.h"

/* What a sub-step starts from and changes. */
typedef struct TlStep {
    double *x, *v;            /* state, 3 per vertex */
    const double *pin_target; /* 3 per vertex: where fixed vertices are at the end */
    double dt_s;
    TlExternal external;
    TlNewton newton;
} TlStep;

typedef struct TlStepResult {
    TlNewtonResult newton;
    bool ok;
    int32_t projected; /* vertices put back outside a collider */
} TlStepResult;

/* Advances x and v by dt_s; when result.ok is false no sound state was found and nothing moved. */
TlStepResult tl_implicit_euler(TlSystem *system, const TlContacts *contacts, const TlStep *step);

#endif
