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

enum { TOILE_HINGE_CORNERS = 6 };

/* One bending hinge: edge C-D with the opposite points A and B, or with the diagonal of a quad as
 * edge. Opposite the edge of a quad stands a point of the far side, near over the middle of the
 * edge. Signs and names follow Volino & Magnenat-Thalmann. */
typedef struct ToileHingeDetail {
    uint32_t struct_size;
    int32_t corner_count;                  /* 4 to 6 */
    int32_t vertices[TOILE_HINGE_CORNERS]; /* A, B, C, D in the cloth's numbering; A and B are two
                                              vertices each where a quad is on that side */
    double alpha[TOILE_HINGE_CORNERS];     /* ratio */
    double length_m;                       /* l */
    double height_a_m;                     /* hA */
    double height_b_m;                     /* hB */
    double lambda_N_per_m;                 /* flat and linear: energy = lambda / 2 |R|^2 */
    double k_e_N_m;                        /* stiffness of the equivalent angular spring */
    double mu_N_m;                         /* modulus in the edge's direction */
    double nu_N_s_per_m;                   /* viscosity of the hinge, as lambda */
    double R_m[3];                         /* bending vector, now */
    double r_m;                            /* R . N */
    double r_rest_m;                       /* at rest */
    double gamma_per_m;                    /* curvature; 2 r / (hA hB) over an edge */
    double theta_rad;                      /* fold angle; positive is a valley seen from +N */
    double theta_rest_rad;                 /* at rest */
    double grad_theta_per_m[3 * TOILE_HINGE_CORNERS];
    double energy_J;
} ToileHingeDetail;

/* One stretch element: a triangle (a split quad gives two) or a quad. */
typedef struct ToileElementDetail {
    uint32_t struct_size;
    int32_t face;         /* face of the mesh it came from */
    int32_t corner_count; /* 3 or 4 */
    int32_t vertices[4];  /* in the cloth's numbering */
    uint32_t reserved;
    double area_m2;          /* at rest */
    double K_N_per_m[6];     /* K11 K12 K13 K22 K23 K33 in weft and warp axes */
    double strain[3];        /* weft, warp, engineering shear, at the middle; ratio */
    double Khat_N_per_m[49]; /* quads: stiffness over the seven strains, row by row; N/m^3 over the
                                strains in m^2, N/m in the last row and column, N m at their end */
    double strain_hat[7];    /* quads: the seven strains, m^2; the last is 1 */
    double energy_J;
    double psd_trace; /* trace of the projected Hessian, N/m */
} ToileElementDetail;

/* One spring: of the mass-spring stretch, or of the crossover and Choi-Ko bending models. */
typedef struct ToileSpringDetail {
    uint32_t struct_size;
    int32_t is_bend;     /* 1: bending */
    int32_t vertices[2]; /* in the cloth's numbering */
    double rest_length_m;
    double length_m;     /* now */
    double k_N_per_m;    /* stretch and crossover springs */
    double kb_N_m2;      /* Choi-Ko: bending stiffness of the strip it stands for */
    double kappa_length; /* Choi-Ko: curvature of the arc times rest length, rad */
    double phi;          /* Choi-Ko: force of the arc times rest length^2 over kb, ratio, also where
                            the ramp acts instead; 0 from the rest length on */
    double energy_J;
} ToileSpringDetail;

/* Bending energies of the Koiter model. */
typedef struct ToileKoiterDetail {
    uint32_t struct_size;
    uint32_t reserved;
    double cross_J;      /* curvature at vertices */
    double in_element_J; /* inside quads, weight included */
} ToileKoiterDetail;

/* Number of hinges, elements and springs of a cloth; -1 for a stale id. [one thread per sim] */
TOILE_API int32_t toile_sim_hinge_count(ToileSim *sim, ToileClothId cloth);
TOILE_API int32_t toile_sim_element_count(ToileSim *sim, ToileClothId cloth);
TOILE_API int32_t toile_sim_spring_count(ToileSim *sim, ToileClothId cloth);
/* Hinge `index` of a cloth at the current state. `detail` must have struct_size set. [one thread
 * per sim] */
TOILE_API ToileStatus toile_sim_get_hinge(ToileSim *sim, ToileClothId cloth, int32_t index,
                                          ToileHingeDetail *detail, ToileError *error);
TOILE_API ToileStatus toile_sim_get_element(ToileSim *sim, ToileClothId cloth, int32_t index,
                                            ToileElementDetail *detail, ToileError *error);
TOILE_API ToileStatus toile_sim_get_spring(ToileSim *sim, ToileClothId cloth, int32_t index,
                                           ToileSpringDetail *detail, ToileError *error);
TOILE_API ToileStatus toile_sim_get_koiter(ToileSim *sim, ToileClothId cloth,
                                           ToileKoiterDetail *detail, ToileError *error);
/* Rest area of each vertex, vertex_count values. [one thread per sim] */
TOILE_API ToileStatus toile_sim_get_vertex_areas(ToileSim *sim, ToileClothId cloth,
                                                 double *areas_m2, ToileError *error);
/* Damping forces of stretch and bend on each vertex at the current positions and velocities, 3 *
 * vertex_count values, newtons. [one thread per sim] */
TOILE_API ToileStatus toile_sim_get_damping_forces(ToileSim *sim, ToileClothId cloth,
                                                   double *forces_N, ToileError *error);

/* Gives a mesh collider another mesh, or none until it gets one again (NULL). It is there at once,
 * without a way from the old one; maps of thickness and friction end with the mesh they were made
 * for. Unlike new positions this prepares the simulation anew, which takes as long as adding a
 * collider. [one thread per sim] */
TOILE_API ToileStatus toile_sim_set_collider_mesh(ToileSim *sim, ToileColliderId collider,
                                                  const ToileMeshDef *mesh, ToileError *error);

/* Forces of the bending energies alone on each vertex, 3 * vertex_count values, newtons. They are
 * evaluated `repeats` times in a row, 1 or more, as a step evaluates them, so that a benchmark can
 * time that. [one thread per sim] */
TOILE_API ToileStatus toile_sim_get_bend_forces(ToileSim *sim, ToileClothId cloth, int32_t repeats,
                                                double *forces_N, ToileError *error);

#ifdef __cplusplus
}
#endif
#endif
