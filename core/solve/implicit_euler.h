/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* One sub-step of implicit Euler. */
#ifndef TL_IMPLICIT_EULER_H
#define TL_IMPLICIT_EULER_H

#include "solve/integrator.h"

/* Advances x and v by dt_s; when result.ok is false no sound state was found and nothing moved. */
TlStepResult tl_implicit_euler(TlSystem *system, const TlContacts *contacts, const TlStep *step);

#endif
