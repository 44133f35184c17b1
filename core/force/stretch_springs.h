/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Mass-spring stretch; see stretch_springs.c. Structural springs along all edges, shear springs
 * along the diagonals of quads; triangles have the structural kind only. */
#ifndef TL_STRETCH_SPRINGS_H
#define TL_STRETCH_SPRINGS_H

#include "force/energy.h"
#include "force/spring.h"

/* The elements of a model. */
TlElements tl_stretch_springs(const TlModel *model);
/* One spring at positions x. */
TlSpringDetail tl_stretch_springs_detail(const TlModel *model, const double *x, int32_t spring);

#endif
