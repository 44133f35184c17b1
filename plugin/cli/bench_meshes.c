/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Sheets and disks of the benchmarks. */
#include "bench_meshes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Room for these counts; faces are of one size. */
static bool alloc_mesh(TlBenchMesh *mesh, int32_t vertices, int32_t faces, int32_t face_size) {
    *mesh = (TlBenchMesh){vertices, faces, face_size * faces, NULL, NULL, NULL};
    mesh->positions_m = malloc(3 * (size_t)vertices * sizeof *mesh->positions_m);
    mesh->face_sizes = malloc((size_t)faces * sizeof *mesh->face_sizes);
    mesh->corners = malloc((size_t)mesh->corner_count * sizeof *mesh->corners);
    if (!mesh->positions_m || !mesh->face_sizes || !mesh->corners)
        return false;
    for (int32_t i = 0; i < faces; i++)
        mesh->face_sizes[i] = face_size;
    return true;
}

void tl_bench_mesh_free(TlBenchMesh *mesh) {
    free(mesh->positions_m);
    free(mesh->face_sizes);
    free(mesh->corners);
    *mesh = (TlBenchMesh){0};
}

ToileMeshDef tl_bench_mesh_def(const TlBenchMesh *mesh) {
    ToileMeshDef def = toile_mesh_def_default();
    def.vertex_count = mesh->vertex_count;
    def.face_count = mesh->face_count;
    def.corner_count = mesh->corner_count;
    def.positions_m = mesh->positions_m;
    def.face_sizes = mesh->face_sizes;
    def.corners = mesh->corners;
    return def;
}

bool tl_bench_sheet(TlBenchMesh *mesh, int32_t cells, bool triangles) {
    int32_t side = cells + 1, quads = cells * cells, used = 0;
    if (!alloc_mesh(mesh, side * side, triangles ? 2 * quads : quads, triangles ? 3 : 4))
        return false;
    for (int32_t v = 0; v < side * side; v++) {
        double *x = mesh->positions_m + 3 * (size_t)v;
        x[0] = (double)(v % side) / cells;
        x[1] = 0.0;
        x[2] = -(double)(v / side) / cells;
    }
    for (int32_t q = 0; q < quads; q++) {
        int32_t a = q / cells * side + q % cells;
        const int32_t quad[4] = {a + side, a + side + 1, a + 1, a};
        const int32_t halves[6] = {quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]};
        int32_t count = triangles ? 6 : 4;
        memcpy(mesh->corners + used, triangles ? halves : quad, (size_t)count * sizeof *quad);
        used += count;
    }
    return true;
}

/* ---- disks ---- */

static int32_t ring_size(int32_t ring) {
    return ring == 0 ? 1 : 6 * ring;
}

/* Vertex k of a ring, counted around it. */
static int32_t ring_vertex(int32_t ring, int32_t k) {
    return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + k % ring_size(ring);
}

/* Where it stands, in whole turns. Each ring is turned by a step that never repeats, so that the
 * mesh has no straight lines along which folds would start. */
static double ring_turn(int32_t ring, int32_t k) {
    double phase = ring * (3.0 - sqrt(5.0)) / 2.0;
    return (k + phase - floor(phase)) / ring_size(ring);
}

/* The band between a ring and the one inside it: walks around both at once, and the one that lags
 * takes the next step. Answers the corners written. */
static int32_t add_band(int32_t ring, int32_t *corners) {
    int32_t outer = 0, inner = 0, used = 0, all = ring == 1 ? 0 : ring_size(ring - 1);
    while (outer < ring_size(ring) || inner < all) {
        bool outside =
            inner == all || (outer < ring_size(ring) &&
                             ring_turn(ring, outer) + ring_turn(ring, outer + 1) <
                                 ring_turn(ring - 1, inner) + ring_turn(ring - 1, inner + 1));
        corners[used++] = ring_vertex(ring, outer);
        corners[used++] = outside ? ring_vertex(ring, outer + 1) : ring_vertex(ring - 1, inner + 1);
        corners[used++] = ring_vertex(ring - 1, inner);
        outer += outside;
        inner += !outside;
    }
    return used;
}

bool tl_bench_disk(TlBenchMesh *mesh, int32_t rings, double radius_m) {
    if (!alloc_mesh(mesh, 1 + 3 * rings * (rings + 1), 6 * rings * rings, 3))
        return false;
    for (int32_t ring = 0; ring <= rings; ring++)
        for (int32_t k = 0; k < ring_size(ring); k++) {
            double *x = mesh->positions_m + 3 * (size_t)ring_vertex(ring, k);
            double r = radius_m * ring / rings, angle = 2.0 * PI * ring_turn(ring, k);
            x[0] = r * cos(angle);
            x[1] = 0.0;
            x[2] = -r * sin(angle);
        }
    for (int32_t ring = 1, used = 0; ring <= rings; ring++)
        used += add_band(ring, mesh->corners + used);
    return true;
}

ToileStatus tl_bench_sim(const ToileSimDef *def, const ToileClothDef *cloth, ToileSim **sim,
                         ToileClothId *id, ToileError *error) {
    ToileEnergies energies = toile_energies_default();
    ToileStatus status = toile_sim_create(def, sim, error);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_add_cloth(*sim, cloth, id, error);
    return status == TOILE_STATUS_OK ? toile_sim_get_energies(*sim, &energies, error) : status;
}
