/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Viscous bending of hinges; see bend_viscous.c. */
#ifndef TL_BEND_VISCOUS_H
#define TL_BEND_VISCOUS_H

#include "force/energy.h"

/* The elements of a model. */
TlElements tl_bend_viscous(const TlModel *model, TlHingeKind kind);

#endif
