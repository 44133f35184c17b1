/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* St. Venant-Kirchhoff triangles with an orthotropic stiffness; see stretch_stvk.c. */
#ifndef TL_STRETCH_STVK_H
#define TL_STRETCH_STVK_H

#include "force/energy.h"

/* The elements of a model. */
TlElements tl_stretch_stvk(const TlModel *model);

typedef struct TlStvkDetail {
    double strain[3]; /* weft, warp, engineering shear */
    double energy_J;
    double psd_trace;
} TlStvkDetail;

/* One triangle at positions x. */
TlStvkDetail tl_stretch_stvk_detail(const TlModel *model, const double *x, int32_t triangle);
/* Larger principal stretch of a triangle: the square root of the larger eigenvalue of F^T F. */
double tl_stretch_stvk_stretch(const TlModel *model, const double *x, int32_t triangle);

#endif
