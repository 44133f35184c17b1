/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the core's tests share: tolerances, seeded numbers, meshes, rest models, simulations,
 * differences, eigenvalues and an allocator that counts and fails on demand. Everything asserts by
 * itself; nothing here returns a status. What every energy must hold is in properties.h. */
#ifndef TEST_BUILDERS_H
#define TEST_BUILDERS_H

#include "force/energy.h"
#include "toile/toile.h"

#include <check.h>
#include <math.h>
#include <stdint.h>

/* ---- tolerances ---- */

/* TOILE_TOLERANCE_SCALE, default 1: a small value shows the true residuals. */
double test_scale(void);

/* |got - want| <= tolerance, scaled. */
#define ASSERT_NEAR(got, want, tolerance)                                                          \
    test_near((got), (want), (tolerance), #got, __FILE__, __LINE__)
/* The same, relative to |want|. */
#define ASSERT_RELATIVE(got, want, tolerance)                                                      \
    test_near((got), (want), (tolerance)*fabs(want), #got, __FILE__, __LINE__)
#define ASSERT_OK(status) ck_assert_int_eq((status), TOILE_STATUS_OK)
/* got <= most, scaled. */
#define ASSERT_BELOW(got, most) test_near((got), 0.0, (most), #got, __FILE__, __LINE__)

void test_near(double got, double want, double tolerance, const char *what, const char *file,
               int line);

/* ---- random numbers ---- */

typedef struct TestRandom {
    uint64_t state;
} TestRandom;

/* Prints the seed, so that a failing loop can be repeated; TOILE_TEST_SEED replaces it. */
TestRandom test_random(uint64_t seed);
uint64_t test_bits(TestRandom *random);
double test_between(TestRandom *random, double low, double high);
int32_t test_below(TestRandom *random, int32_t count);

/* ---- meshes ---- */

typedef struct TestMesh {
    int32_t vertex_count, face_count, corner_count, uv_count;
    double *positions;
    int32_t *face_sizes, *corners;
    double *uvs;
    int32_t *corner_uvs;
} TestMesh;

typedef enum TestDiagonal {
    TEST_DIAGONAL_NONE,        /* quads */
    TEST_DIAGONAL_SINGLE,      /* (i,j)-(i+1,j+1) */
    TEST_DIAGONAL_HERRINGBONE, /* flips with the row j */
    TEST_DIAGONAL_RANDOM
} TestDiagonal;

/* nx by ny cells over [0, width] x [0, height], vertices row by row, uv = (x, y), z = 0. */
TestMesh test_grid(int32_t nx, int32_t ny, double width, double height, TestDiagonal diagonal);
/* A grid with random diagonals and inner vertices moved by up to 30 % of a cell. */
TestMesh test_jittered(int32_t nx, int32_t ny, TestRandom *random);
/* A grid of quads and pairs of triangles with random first corners, inner vertices moved by up to
 * 25 % of a cell. */
TestMesh test_mixed(int32_t nx, int32_t ny, TestRandom *random);
/* Any faces; uv = (x, y). */
TestMesh test_polygons(int32_t vertex_count, const double *positions, int32_t face_count,
                       const int32_t *sizes, const int32_t *corners);
/* Faces of three vertices with the given rest positions; uv = (x, y). */
TestMesh test_triangles(int32_t vertex_count, const double (*positions)[3], int32_t face_count,
                        const int32_t (*faces)[3]);
/* The pair of PHYSICS: vertices A, B, C, D, faces (A, C, D) and (B, D, C). */
TestMesh test_hinge(const double (*abcd)[3]);
/* A closed tube of `columns` x `rows` cells hanging along -y from y = 0; bottom row last. */
TestMesh test_tube(int32_t columns, int32_t rows, double cell, double length);
/* The same surface with vertex v called order[v] and faces in reverse order, starting elsewhere. */
TestMesh test_renumbered(const TestMesh *mesh, const int32_t *order);
void test_shuffle(TestRandom *random, int32_t *order, int32_t count);
/* Moves the mesh so that its xy plane lies level at height y: (x, y, 0) -> (x, height, -y). */
void test_lay_flat(TestMesh *mesh, double height);
void test_mesh_free(TestMesh *mesh);
ToileMeshDef test_mesh_def(const TestMesh *mesh);

/* ---- rest models ---- */

typedef struct TestModel {
    TlArena arena;
    TlMesh mesh;
    TlMaterial material;
    TlRest rest;
    TlModel model;
} TestModel;

/* Fabric of stiffness E1, E2, G, nu12 and bending modulus mu, density 0.15. */
ToileFabric test_fabric(double E1, double E2, double G, double nu12, double mu);
/* Number i of TEST_FABRICS: every model of stretch and bending with every option, damped. */
ToileFabric test_any_fabric(int32_t i);
enum { TEST_FABRICS = 19 };
void test_model(const TestMesh *mesh, const ToileFabric *fabric, ToilePattern pattern,
                TestModel *out);
/* The same with quads as bilinear patches where `native`, another rest shape (NULL: the mesh's) and
 * a curvature per vertex (NULL: the fabric's). */
void test_model_with(const TestMesh *mesh, const ToileFabric *fabric, ToilePattern pattern,
                     bool native, const double *rest, const double *curvature, TestModel *out);
void test_model_free(TestModel *model);
/* Random positions: a rotated, sheared and wrinkled copy of the mesh; caller frees. */
double *test_deformed(const TestMesh *mesh, TestRandom *random, double amplitude);
/* Any positions x under a rotation about `axis` (axis times angle) and a translation; caller frees.
 */
double *test_moved(const double *x, int32_t count, const double axis[3], const double shift[3]);

/* Value and gradient of a whole set of elements, gathered by vertex (3 * vertex_count). */
double test_value(const TlElements *elements, const TlPoint *at);
void test_gradient(const TlElements *elements, const TlPoint *at, double *grad);
/* Minus the damping force, gathered alike. */
void test_damping(const TlElements *elements, const double *x, const double *v, double *grad);
/* Dense projected Hessian, (3 * vertex_count)^2. */
void test_hessian(const TlElements *elements, const TlPoint *at, double *hess);
/* Block (a, b) of element e from `derive`, in whichever form its Hessian is handed over. */
void test_element_block(const TlElements *elements, const double *hess, int32_t e, int32_t a,
                        int32_t b, double block[9]);

/* ---- numerics ---- */

/* Largest difference between `grad` and central differences of the value with step h, over the
 * largest gradient. */
double test_gradient_error(const TlElements *elements, const TlPoint *at, const double *grad,
                           double h);
/* Largest difference between `hess` and central differences of the gradient, over the largest
 * entry. */
double test_hessian_error(const TlElements *elements, const TlPoint *at, const double *hess,
                          double h);
/* Eigenvalues of a symmetric n x n matrix by Jacobi rotations; `a` is destroyed. */
void test_eigenvalues(double *a, int32_t n, double *values);
/* Solves the dense SPD system in place by Cholesky; both are destroyed, b becomes the solution. */
void test_cholesky_solve(double *a, double *b, int32_t n);
double test_largest(const double *values, int64_t count);
/* Net force and net torque about the origin of forces f at x. */
void test_resultants(const double *x, const double *f, int32_t count, double force[3],
                     double torque[3]);
void *test_alloc(size_t size);

/* ---- memory ---- */

typedef struct TestMemory {
    int64_t live_blocks, live_bytes;
    int64_t requests;
    int64_t fail_at; /* number of the request that is refused, counted from 1; 0: none */
} TestMemory;

ToileAllocator test_allocator(TestMemory *memory);

/* ---- host tasks ---- */

/* Runs tasks on the calling thread from last to first. */
ToileTasks test_tasks_reversed(void);
/* Runs tasks on three threads made for each call. */
ToileTasks test_tasks_threads(void);

/* ---- simulations ---- */

/* One worker, no gravity, tight Newton and linear tolerances, one sub-step. */
ToileSimDef test_exact_def(double dt_s);
ToileSim *test_sim(const ToileSimDef *def);
ToileClothId test_add(ToileSim *sim, const TestMesh *mesh, const ToileFabric *fabric,
                      const int32_t *pins, int32_t pin_count);
/* Positions or velocities; caller frees. */
double *test_positions(const ToileSim *sim, ToileClothId cloth);
double *test_velocities(const ToileSim *sim, ToileClothId cloth);
void test_step(ToileSim *sim, int32_t frames);
ToileStats test_stats(const ToileSim *sim);

/* ---- suites ---- */

/* Runs a suite of one case without time limit; answers the exit code. TOILE_TESTS=text runs the
 * tests alone whose names contain that text, and fails when there are none. */
int test_run(const char *name, const TTest *const *tests, int32_t count);
#define TEST_MAIN(name, ...)                                                                       \
    int main(void) {                                                                               \
        const TTest *const tests[] = {__VA_ARGS__};                                                \
        return test_run(name, tests, (int32_t)(sizeof tests / sizeof tests[0]));                   \
    }

#endif
