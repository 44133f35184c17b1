/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Normal-based bending; see bend_normal.c. */
#ifndef TL_BEND_NORMAL_H
#define TL_BEND_NORMAL_H

#include "force/energy.h"

/* The elements of a model. */
TlElements tl_bend_normal(const TlModel *model);

#endif
