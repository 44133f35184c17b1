/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Linear bending with a curved rest shape; see bend_curved.c. */
#ifndef TL_BEND_CURVED_H
#define TL_BEND_CURVED_H

#include "force/energy.h"

/* The elements of a model. */
TlElements tl_bend_curved(const TlModel *model);

#endif
