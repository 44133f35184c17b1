/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Linear bending with a nonlinear law; see bend_law.c. */
#ifndef TL_BEND_LAW_H
#define TL_BEND_LAW_H

#include "force/energy.h"

/* The elements of a model. */
TlElements tl_bend_law(const TlModel *model);

#endif
