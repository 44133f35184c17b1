/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Crossover springs; see bend_crossover.c. They have no bending stiffness at small angles: on a
 * chain of spacing a that turns by theta, E = k a^2 theta^4/32 + ... Their stiffness k is therefore
 * a matter of definition; ours stores at a fold of one radian what the hinge of the same fabric
 * stores: k (L (1 - cos 1/2))^2 = k_e = 2 c mu l/(hA + hB). */
#ifndef TL_BEND_CROSSOVER_H
#define TL_BEND_CROSSOVER_H

#include "force/energy.h"
#include "force/spring.h"

/* The elements of a model. */
TlElements tl_bend_crossover(const TlModel *model);
/* One spring at positions x. */
TlSpringDetail tl_bend_crossover_detail(const TlModel *model, const double *x, int32_t spring);

#endif
