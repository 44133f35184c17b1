/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes of the benchmarks, and simulations of them that are ready to be timed. */
#ifndef TL_CLI_BENCH_MESHES_H
#define TL_CLI_BENCH_MESHES_H

#include <stdbool.h>
#include <stdint.h>
#include <toile/toile.h>

typedef struct TlBenchMesh {
    int32_t vertex_count, face_count, corner_count;
    double *positions_m;
    int32_t *face_sizes;
    int32_t *corners;
} TlBenchMesh;

/* A level sheet, 1 m wide, of cells x cells quads, or each of them as two triangles. Vertex
 * j * (cells + 1) + i stands at (i / cells, 0, -j / cells). False when memory is refused; free it
 * in either case. */
bool tl_bench_sheet(TlBenchMesh *mesh, int32_t cells, bool triangles);
/* A level disk around the origin of 6 * rings^2 nearly equilateral triangles, as
 * examples/make_disk makes it: ring i has 6 i vertices and follows the rings inside it. */
bool tl_bench_disk(TlBenchMesh *mesh, int32_t rings, double radius_m);
void tl_bench_mesh_free(TlBenchMesh *mesh);
/* Its arrays as a definition. */
ToileMeshDef tl_bench_mesh_def(const TlBenchMesh *mesh);

/* A simulation of one cloth on which all that is done once has been done. Destroy it in any case.
 */
ToileStatus tl_bench_sim(const ToileSimDef *def, const ToileClothDef *cloth, ToileSim **sim,
                         ToileClothId *id, ToileError *error);

#endif
