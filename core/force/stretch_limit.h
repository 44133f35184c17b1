/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Strain limit: keeps every edge of a cloth with a stretch_limit within that ratio of its length;
 * see stretch_limit.c. */
#ifndef TL_STRETCH_LIMIT_H
#define TL_STRETCH_LIMIT_H

#include "force/energy.h"

/* The elements of a model: all edges, or none when no cloth has a limit. */
TlElements tl_stretch_limit(const TlModel *model);

#endif
