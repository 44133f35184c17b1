/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What every energy must hold: gradient and Hessian against differences, momentum, rigid motion,
 * numbering, projection, damping; and a cloth in a random state to hold it in. Everything asserts
 * by itself. */
#ifndef TEST_PROPERTIES_H
#define TEST_PROPERTIES_H

#include "support/builders.h"

/* rounding of a sum of about a hundred terms of one size */
#define ROUNDING 1e-12
/* central differences at 1e-5 of a cell: h^2 from truncation, 1e-16/h from rounding */
#define DIFFERENCE 1e-8

/* ---- a cloth in a random state ---- */

/* The elements of a model under test. */
typedef TlElements (*TestEnergy)(const TlModel *model);

typedef struct TestCloth {
    TestRandom random;
    TestMesh mesh;
    ToileFabric fabric;
    ToilePattern pattern;
    bool native;
    double *rest, *curvature; /* of the rest shape; NULL: those of mesh and fabric */
    TestModel model;
    TestEnergy energy;
    TlElements elements;
    int32_t n;                /* 3 per vertex */
    double *x, *start, *grad; /* n each: two states, room for a gradient */
} TestCloth;

/* Builds what follows the fields up to `curvature`, which the caller has set; both states are
 * moved rigidly and every vertex by up to `amplitude`. There must be some elements. */
void test_cloth(TestCloth *cloth, TestEnergy energy, double amplitude);
/* Frees all of it, the mesh too; answers the state of the random numbers. */
TestRandom test_cloth_free(TestCloth *cloth);
/* The state itself, standing still and coming from `start` within 0.01 s. */
TlPoint test_still(const TestCloth *cloth);
TlPoint test_stepping(const TestCloth *cloth);

/* At rest, and at rest elsewhere, nothing; `scale` is the force that a strain of 1 would make. */
void test_rest_is_free(const TestCloth *cloth, double scale);

/* ---- derivatives ---- */

/* Differences of the energy at 1e-5 are the gradient to DIFFERENCE; unless h is 0 their errors at
 * 2 h and h differ by the factor 4 of second order. */
void test_gradient_is_exact(const TlElements *elements, const TlPoint *at, double h);
/* Differences of the gradient with step h are the Hessian. */
void test_hessian_is_exact(const TlElements *elements, const TlPoint *at, double h,
                           double tolerance);
/* The Hessian has no negative eigenvalue. */
void test_hessian_is_positive(const TlElements *elements, const TlPoint *at);

/* ---- invariance ---- */

/* Forces f at x have no resultant; `arm` is the distance to the origin that rounding acts over. */
void test_no_resultant(const double *x, const double *f, int32_t count, double arm);
/* The forces of the elements are there and have none. */
void test_momentum_is_kept(const TlElements *elements, const TlPoint *at, double arm);
/* A rigid motion changes no energy and turns the forces, to `factor` times rounding. */
void test_rigid_motion_is_free(const TlElements *elements, const double *x, double factor);
/* Other numbers of vertices and faces, and other first corners, change nothing. */
void test_numbering_is_free(TestCloth *cloth);

/* ---- damping ---- */

/* Velocities of a rigid motion at x, 3 * count. */
void test_rigid_velocities(const double *x, int32_t count, double *v);
/* Damping of random velocities takes power and has no resultant; that of rigid motion is zero. */
void test_damping_takes_power(const TlElements *elements, const double *x, double arm,
                              TestRandom *random);
/* A finite rigid motion from x within one step adds no energy and no force. */
void test_rigid_step_is_free(const TlElements *elements, const double *x);
/* Over a step of dt the potential gives the damping force to `most` dt of its size; the error is
 * of first order. */
void test_damping_is_a_limit(const TlElements *elements, const double *x, double dt, double most,
                             TestRandom *random);

#endif
