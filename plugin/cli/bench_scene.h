/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The scenes of `toile bench solver`, `elements` and `contact`: cloths of one light fabric that
 * start at rest and fall from there, held somewhere or onto a collider. They are made by rule, so
 * that every machine has the same. */
#ifndef TL_CLI_BENCH_SCENE_H
#define TL_CLI_BENCH_SCENE_H

#include "bench_meshes.h"

/* A mesh with what holds it and what it falls on; owns its arrays. */
typedef struct TlBenchScene {
    TlBenchMesh mesh;
    int32_t uv_count, pin_count;
    double *uvs;         /* tell weft and warp; NULL: the first edge of a face is along the weft */
    int32_t *corner_uvs; /* NULL without uvs */
    int32_t *pins;
    double *start_m; /* where it begins; NULL: as the mesh, which is its rest shape */
    bool meets;      /* itself and the collider; else there is no contact */
    ToileColliderDef collider;
} TlBenchScene;

/* A square of one metre, `cells` x `cells` quads, held by two corners. False when out of memory;
 * free the scene in either case. The same holds for those below. */
bool tl_bench_hang(TlBenchScene *scene, int32_t cells);
/* The same square from cells of uneven shape, two fifths of which are two triangles. */
bool tl_bench_mixed(TlBenchScene *scene, int32_t cells);
/* A tube dress of two panels of irregular triangles, welded along the sides and open at both ends.
 * It is 0.7 m long and 0.4 m (at the top) to 0.6 m wide, stands upright and is held by the
 * shoulders as on a hanger. `rows` of triangles lie between top and hem, at least 2. Vertices and
 * faces are numbered at random, as in files of modelling programs. */
bool tl_bench_garment(TlBenchScene *scene, int32_t rows);
/* The level square over the top of a sphere, over which it drapes in folds. */
bool tl_bench_drape(TlBenchScene *scene, int32_t cells);
/* The same square, held by its middle vertex, with nothing to touch. `cells` is even. */
bool tl_bench_hang_by_middle(TlBenchScene *scene, int32_t cells);
/* The square upright and waved over a floor, on which it falls and folds. */
bool tl_bench_fall(TlBenchScene *scene, int32_t cells);
/* Squares of `cells` x `cells` quads of 15 mm over one another and a floor, each turned a little.
 */
bool tl_bench_stack(TlBenchScene *scene, int32_t layers, int32_t cells);
void tl_bench_scene_free(TlBenchScene *scene);
/* Its arrays as a definition. */
ToileMeshDef tl_bench_scene_mesh(const TlBenchScene *scene);

/* 0.187 kg/m2, the given stiffness along weft and warp, 50 N/m in shear, no contraction across,
 * linear bending of 5e-5 N m. */
ToileFabric tl_bench_fabric(double stretch_N_per_m);

/* How a scene is simulated. */
typedef struct TlBenchWay {
    ToileQuality quality;
    ToileElements elements;
    int32_t threads;
    double stretch_N_per_m;
    bool tight;               /* solve every sub-step to 0.01 mm, whatever the quality */
    ToileAllocator allocator; /* default: the C library's */
} TlBenchWay;

/* Standard quality, native elements, one thread, 1000 N/m. */
TlBenchWay tl_bench_way_default(void);

/* A simulation and its first state, to which it can be put back. */
typedef struct TlBenchSim {
    ToileSim *sim;
    ToileClothId cloth;
    void *start;
    size_t start_size;
} TlBenchSim;

/* Destroy it in any case. */
ToileStatus tl_bench_sim_create(const TlBenchScene *scene, const TlBenchWay *way, TlBenchSim *out,
                                ToileError *error);
ToileStatus tl_bench_sim_restart(TlBenchSim *sim, ToileError *error);
/* Accepts one that is all zero. */
void tl_bench_sim_destroy(TlBenchSim *sim);

/* What one run, or the sum of several, took and did. */
typedef struct TlBenchCost {
    double seconds; /* of steps alone */
    int64_t substeps;
    int64_t newton_iterations;
    int64_t cg_iterations;
    int32_t frames;
    double kinetic_J; /* sum over the ends of frames */
} TlBenchCost;

/* Steps on and adds what it took. */
ToileStatus tl_bench_step(TlBenchSim *sim, int32_t frames, TlBenchCost *cost, ToileError *error);

#endif
