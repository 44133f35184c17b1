/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics, energies and states that the tests of Koiter bending share. */
#ifndef TEST_KOITER_H
#define TEST_KOITER_H

#include "force/bend_koiter.h"
#include "support/builders.h"

#define PI 3.14159265358979323846

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
    return test_polygons(12, rest, 9, sizes, corners);
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
