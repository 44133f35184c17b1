/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes, fabrics and energies that the tests of Koiter bending share. */
#ifndef TEST_KOITER_H
#define TEST_KOITER_H

#include "force/bend_koiter.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* A mesh of triangles and quads; uv = (x, y). */
static inline TestMesh polygons(int32_t vertex_count, const double *positions, int32_t face_count,
                                const int32_t *sizes, const int32_t *corners) {
    TestMesh mesh = {.vertex_count = vertex_count, .face_count = face_count};
    for (int32_t f = 0; f < face_count; f++) {
        mesh.corner_count += sizes[f];
    }
    mesh.uv_count = vertex_count;
    mesh.positions = test_alloc(3 * sizeof(double) * (size_t)vertex_count);
    mesh.face_sizes = test_alloc(sizeof(int32_t) * (size_t)face_count);
    mesh.corners = test_alloc(sizeof(int32_t) * (size_t)mesh.corner_count);
    mesh.corner_uvs = test_alloc(sizeof(int32_t) * (size_t)mesh.corner_count);
    mesh.uvs = test_alloc(2 * sizeof(double) * (size_t)vertex_count);
    memcpy(mesh.positions, positions, 3 * sizeof(double) * (size_t)vertex_count);
    memcpy(mesh.face_sizes, sizes, sizeof(int32_t) * (size_t)face_count);
    memcpy(mesh.corners, corners, sizeof(int32_t) * (size_t)mesh.corner_count);
    memcpy(mesh.corner_uvs, corners, sizeof(int32_t) * (size_t)mesh.corner_count);
    for (int32_t v = 0; v < vertex_count; v++) {
        memcpy(mesh.uvs + 2 * v, positions + 3 * v, 2 * sizeof(double));
    }
    return mesh;
}

enum { MIXED_CELLS = 4, MIXED_VERTICES = (MIXED_CELLS + 1) * (MIXED_CELLS + 1) };

/* Unit cells with vertices moved by up to 20 %: half of them quads, the others two triangles. */
static inline TestMesh mixed_mesh(TestRandom *random) {
    double p[3 * MIXED_VERTICES] = {0};
    int32_t sizes[2 * MIXED_CELLS * MIXED_CELLS], corners[6 * MIXED_CELLS * MIXED_CELLS];
    int32_t faces = 0, at = 0, row = MIXED_CELLS + 1;
    for (int32_t v = 0; v < MIXED_VERTICES; v++) {
        p[3 * v] = v % row + test_between(random, -0.2, 0.2);
        p[3 * v + 1] = v / row + test_between(random, -0.2, 0.2);
    }
    for (int32_t cell = 0; cell < MIXED_CELLS * MIXED_CELLS; cell++) {
        int32_t low = cell / MIXED_CELLS * row + cell % MIXED_CELLS;
        const int32_t q[4] = {low, low + 1, low + row + 1, low + row};
        int32_t kind = test_below(random, 4), turn = test_below(random, 4);
        const int32_t wide[4] = {q[turn], q[(turn + 1) % 4], q[(turn + 2) % 4], q[(turn + 3) % 4]};
        const int32_t cut[6] = {wide[0], wide[1], wide[2], wide[0], wide[2], wide[3]};
        int32_t count = kind < 2 ? 4 : 6;
        memcpy(corners + at, kind < 2 ? wide : cut, sizeof(int32_t) * (size_t)count);
        at += count;
        sizes[faces++] = kind < 2 ? 4 : 3;
        if (kind >= 2) {
            sizes[faces++] = 3;
        }
    }
    return polygons(MIXED_VERTICES, p, faces, sizes, corners);
}

static inline ToileFabric koiter_fabric(double weft, double warp, double nu, double w_in,
                                        int32_t p) {
    ToileFabric fabric = test_fabric(1000, 1000, 400, 0.2, weft);
    fabric.density_kg_per_m2 = 1.0;
    fabric.bend_warp_N_m = warp;
    fabric.bend_model = TOILE_BEND_KOITER;
    fabric.bend_poisson = nu;
    fabric.bend_in_element_weight = w_in;
    fabric.bend_fold_exponent = p;
    return fabric;
}

typedef struct Energies {
    double cross, in;
} Energies;

static inline Energies energies_of(const TestModel *model, const double *x) {
    Energies e;
    tl_koiter_energies(&model->model, x, 0, model->model.sets.rings.count, 0,
                       model->model.sets.patches.count, &e.cross, &e.in);
    return e;
}

/* Builds a model, evaluates it and frees it. */
static inline Energies energies_at(const TestMesh *mesh, const ToileFabric *fabric,
                                   ToilePattern pattern, bool native, const double *rest,
                                   const double *x) {
    TestModel model;
    test_model_with(mesh, fabric, pattern, native, rest, NULL, &model);
    Energies e = energies_of(&model, x);
    test_model_free(&model);
    return e;
}

/* The sheet of triangles and quads of the reference, flat at rest, and its deformed positions. */
static inline TestMesh reference_mixed(double x[36]) {
    static const int32_t sizes[9] = {4, 4, 4, 3, 3, 3, 3, 3, 3};
    static const int32_t corners[30] = {0, 1, 5, 4, 1, 2,  6, 5,  2, 3, 7, 6,  4, 5,  9,
                                        4, 9, 8, 5, 6, 10, 5, 10, 9, 6, 7, 11, 6, 11, 10};
    double rest[36];
    for (int i = 0; i < 12; i++) {
        double u = 0.8 * (i % 4), v = 0.6 * (i / 4);
        tl_store3(rest + 3 * i, tl_vec3(u, v, 0.0));
        tl_store3(x + 3 * i, tl_vec3(u + 0.05 * u * v, v,
                                     0.2 * u * u - 0.1 * u * v + 0.1 * v * v + 0.05 * u * u * v));
    }
    return polygons(12, rest, 9, sizes, corners);
}

/* Rolls the plane on a cylinder of curvature k whose axis is across the direction `angle`. */
static inline void roll(const TestMesh *mesh, double k, double angle, double *x) {
    double c = cos(angle), s = sin(angle);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const double *p = mesh->positions + 3 * v;
        double along = c * p[0] + s * p[1], shift = sin(k * along) / k - along;
        x[3 * v] = p[0] + shift * c;
        x[3 * v + 1] = p[1] + shift * s;
        x[3 * v + 2] = (1.0 - cos(k * along)) / k;
    }
}

#endif
