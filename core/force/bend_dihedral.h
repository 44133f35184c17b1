/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Shells; see bend_dihedral.c. */
#ifndef TL_BEND_DIHEDRAL_H
#define TL_BEND_DIHEDRAL_H

#include "force/energy.h"

/* The elements of a model. */
TlElements tl_bend_dihedral(const TlModel *model);

#endif
