/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A cloth with all that solves it, and the matrix of one Newton iteration as a list of blocks in
 * double precision, to hold the solver's against. */
#ifndef TEST_SYSTEMS_H
#define TEST_SYSTEMS_H

#include "solve/system.h"
#include "support/builders.h"

/* Sixteen roundings of single precision: sums of some ten terms, of the size of all. */
#define SINGLE 1e-6

typedef struct TestSystem {
    TestMesh mesh;
    TestModel model;
    TlPool *pool;
    TlSystem system;
    int32_t n;         /* 3 per vertex */
    double *x, *start; /* n each: two states */
} TestSystem;

/* Takes the mesh; quads are bilinear patches. Both states are moved rigidly and every vertex by up
 * to `amplitude`; weights are 0, and no vertex is fixed. */
void test_system(TestSystem *out, TestMesh mesh, const ToileFabric *fabric, int32_t workers,
                 double amplitude, TestRandom *random);
/* The same over another rest shape: the mesh with every vertex moved by up to `bent`. */
void test_system_bent(TestSystem *out, TestMesh mesh, const ToileFabric *fabric, double bent,
                      double amplitude, TestRandom *random);
/* Builds the solver anew with elements that are not packed. */
void test_system_unpack(TestSystem *system);
void test_system_free(TestSystem *system);

/* The state, standing still (dt_s of 0) or coming from `start`. */
TlPoint test_system_at(const TestSystem *system, double dt_s);
/* Weights between `low` and `high`. */
void test_system_weigh(TestSystem *system, double low, double high, TestRandom *random);
/* Touches one vertex in `every`, with a stiffness up to k, positive semi-definite. */
void test_system_touch(TestSystem *system, int32_t every, double k, TestRandom *random);
/* Fixes one vertex in `every` at random, and sets the others free. */
void test_system_fix(TestSystem *system, int32_t every, TestRandom *random);

/* The matrix over all vertices: the Hessians of elements, the bending matrix, weights and contacts,
 * summed where rows and columns are the same. */
typedef struct TestBlocks {
    int64_t count, room;
    int32_t *row, *column;
    double (*block)[9];
} TestBlocks;

TestBlocks test_blocks(const TestSystem *system, const TlPoint *at);
void test_blocks_free(TestBlocks *blocks);
/* out = A p for all vertices, n each; `size` (may be NULL) is the same of absolute values. */
void test_blocks_times(const TestBlocks *blocks, int32_t n, const double *p, double *out,
                       double *size);
/* The n x n matrix; rows and columns of fixed vertices (NULL: none) are those of the unit matrix.
 * Caller frees. */
double *test_blocks_dense(const TestBlocks *blocks, int32_t n, const uint8_t *fixed);

/* q = A p by the solver, 0 where fixed; answers what it does. Any p: what it has where vertices are
 * fixed is left out. */
double test_system_times(TestSystem *system, const double *p, double *q);

#endif
