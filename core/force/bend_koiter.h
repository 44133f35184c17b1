/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Koiter shells: bending across faces at vertices, and inside quads; see bend_koiter.c. */
#ifndef TL_BEND_KOITER_H
#define TL_BEND_KOITER_H

#include "force/energy.h"

/* The elements of a model: rings and patches. */
TlElements tl_bend_koiter_cross(const TlModel *model);
TlElements tl_bend_koiter_in(const TlModel *model);

/* Elastic energies of ranges of rings and of patches, weight w_in included, J. */
void tl_koiter_energies(const TlModel *model, const double *x, int32_t ring_begin, int32_t ring_end,
                        int32_t patch_begin, int32_t patch_end, double *cross_J, double *in_J);

#endif
