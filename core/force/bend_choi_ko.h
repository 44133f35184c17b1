/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Choi-Ko buckling springs, exact and from a table; see bend_choi_ko.c. */
#ifndef TL_BEND_CHOI_KO_H
#define TL_BEND_CHOI_KO_H

#include "force/energy.h"
#include "force/spring.h"

/* The elements of a model; each material tells whether its own are exact or from its table. */
TlElements tl_bend_choi_ko(const TlModel *model);
/* One spring at positions x: kappa_length and phi are those of the arc, also where the ramp acts
 * instead, and 0 where the spring is not shortened; the energy is that of the force in use. */
TlSpringDetail tl_bend_choi_ko_detail(const TlModel *model, const double *x, int32_t spring);

#endif
