/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all energies of a model. Adding one: its elements here, nothing else. */
#ifndef TL_MODELS_H
#define TL_MODELS_H

#include "force/energy.h"

enum { TL_MOST_ENERGIES = 24 };

/* Writes the energies that have elements, in a fixed order; answers how many. */
int32_t tl_energies(const TlModel *model, TlElements out[TL_MOST_ENERGIES]);

#endif
