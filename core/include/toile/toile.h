/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The stable public API of Toile. */
#ifndef TOILE_TOILE_H
#define TOILE_TOILE_H

#include "toile/base.h"
#include "toile/sim.h"
#include "toile/types.h"

#endif
