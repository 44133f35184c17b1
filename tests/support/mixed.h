/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Patches of quads and triangles, and fabrics with every law of compression, for the tests of
 * stretch. */
#ifndef TEST_MIXED_H
#define TEST_MIXED_H

#include "support/builders.h"

#include <string.h>

/* A patch of quads and triangles in random order and with random first corners; uv = (x, y). */
static TestMesh mixed_mesh(int32_t nx, int32_t ny, TestRandom *random) {
    TestMesh mesh = test_grid(nx, ny, nx, ny, TEST_DIAGONAL_SINGLE);
    int32_t faces = 0, corners = 0;
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        int32_t i = v % (nx + 1), j = v / (nx + 1);
        if (i > 0 && i < nx && j > 0 && j < ny) {
            mesh.positions[3 * v] += test_between(random, -0.25, 0.25);
            mesh.positions[3 * v + 1] += test_between(random, -0.25, 0.25);
        }
        memcpy(mesh.uvs + 2 * v, mesh.positions + 3 * v, 2 * sizeof(double));
    }
    for (int32_t cell = 0; cell < nx * ny; cell++) {
        int32_t low = cell / nx * (nx + 1) + cell % nx;
        const int32_t q[4] = {low, low + 1, low + nx + 2, low + nx + 1};
        int32_t first = test_below(random, 4);
        /* two quads to one pair of triangles, and some of each for sure */
        if (cell % 3 == 1 || (cell > 2 && test_below(random, 4) == 0)) {
            for (int32_t t = 0; t < 2; t++) {
                mesh.face_sizes[faces++] = 3;
                mesh.corners[corners++] = q[(first + 2 * t) % 4];
                mesh.corners[corners++] = q[(first + 2 * t + 1) % 4];
                mesh.corners[corners++] = q[(first + 2 * t + 2) % 4];
            }
        } else {
            mesh.face_sizes[faces++] = 4;
            for (int32_t k = 0; k < 4; k++) {
                mesh.corners[corners++] = q[(first + k) % 4];
            }
        }
    }
    mesh.face_count = faces;
    mesh.corner_count = corners;
    memcpy(mesh.corner_uvs, mesh.corners, sizeof(int32_t) * (size_t)corners);
    return mesh;
}

/* Laws of compression that the properties below must hold for. */
typedef enum Law { LAW_PLAIN, LAW_FACTOR, LAW_TENSION_FIELD, LAWS } Law;

static ToileFabric fabric_of(Law law) {
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0.01);
    if (law == LAW_FACTOR) {
        fabric.compression_factor = 0.4;
    } else if (law == LAW_TENSION_FIELD) {
        fabric = test_fabric(1000, 1000, 1000 / 2.6, 0.3, 0.01);
        fabric.compression = TOILE_COMPRESSION_TENSION_FIELD;
    }
    return fabric;
}

/* x = F (u, v) for a mesh in the plane. */
static double *mapped(const TestMesh *mesh, const double F[3][2]) {
    double *x = test_alloc(3 * sizeof(double) * (size_t)mesh->vertex_count);
    for (int32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        const double *p = mesh->positions + 3 * (i / 3);
        x[i] = F[i % 3][0] * p[0] + F[i % 3][1] * p[1];
    }
    return x;
}

#endif
