/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* New functions that may still change between minor versions: the parts of the energies, for `toile
 * eval --detail` and for tests against published numbers. Not included by toile.h. */
#ifndef TOILE_DRAFT_H
#define TOILE_DRAFT_H

#include "toile/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One bending hinge: edge C-D with the opposite vertices A and B. Signs and names follow Volino &
 * Magnenat-Thalmann. */
typedef struct ToileHingeDetail {
    uint32_t struct_size;
    int32_t vertices[4];   /* A, B, C, D in the cloth's numbering */
    double alpha[4];       /* ratio */
    double length_m;       /* l */
    double height_a_m;     /* hA */
    double height_b_m;     /* hB */
    double lambda_N_per_m; /* energy = lambda / 2 |R|^2 */
    double k_e_N_m;        /* stiffness of the equivalent angular spring */
    double mu_N_m;         /* modulus in the edge's direction */
    double R_m[3];         /* bending vector, now */
    double r_m;            /* R . N */
    double gamma_per_m;    /* curvature 2 r / (hA hB) */
    double theta_rad;      /* fold angle; positive is a valley seen from +N */
} ToileHingeDetail;

/* One stretch element (a triangle; a split quad gives two). */
typedef struct ToileElementDetail {
    uint32_t struct_size;
    int32_t face;        /* face of the mesh it came from */
    int32_t vertices[3]; /* in the cloth's numbering */
    double area_m2;      /* at rest */
    double K_N_per_m[6]; /* K11 K12 K13 K22 K23 K33 in weft and warp axes */
    double strain[3];    /* weft, warp, engineering shear; ratio */
    double energy_J;
    double psd_trace; /* trace of the projected Hessian, N/m */
} ToileElementDetail;

/* Number of hinges and elements of a cloth; -1 for a stale id or when memory runs out. [one thread
 * per sim] */
TOILE_API int32_t toile_sim_hinge_count(ToileSim *sim, ToileClothId cloth);
TOILE_API int32_t toile_sim_element_count(ToileSim *sim, ToileClothId cloth);
/* Hinge `index` of a cloth at the current state. `detail` must have struct_size set. [one thread
 * per sim] */
TOILE_API ToileStatus toile_sim_get_hinge(ToileSim *sim, ToileClothId cloth, int32_t index,
                                          ToileHingeDetail *detail, ToileError *error);
TOILE_API ToileStatus toile_sim_get_element(ToileSim *sim, ToileClothId cloth, int32_t index,
                                            ToileElementDetail *detail, ToileError *error);

#ifdef __cplusplus
}
#endif
#endif
