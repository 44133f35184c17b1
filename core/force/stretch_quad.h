/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Bilinear quads with seven strains; see stretch_quad.c. */
#ifndef TL_STRETCH_QUAD_H
#define TL_STRETCH_QUAD_H

#include "force/energy.h"

/* The elements of a model. */
TlElements tl_stretch_quad(const TlModel *model);

typedef struct TlQuadDetail {
    double strain[3];     /* weft, warp, engineering shear at the middle */
    double strain_hat[7]; /* the seven strains, m^2 */
    double energy_J;
    double Khat[49];  /* stiffness over the seven strains, row by row; that of tension */
    double psd_trace; /* of the projected Hessian, N/m */
} TlQuadDetail;

/* One quad at positions x. */
TlQuadDetail tl_stretch_quad_detail(const TlModel *model, const double *x, int32_t quad);
/* Larger principal stretch at the middle of a quad: the square root of the larger eigenvalue of F^T
 * F. */
double tl_stretch_quad_stretch(const TlModel *model, const double *x, int32_t quad);

#endif
