/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics with every law of compression, and uniform maps, for the tests of stretch. */
#ifndef TEST_LAWS_H
#define TEST_LAWS_H

#include "support/builders.h"

typedef enum Law { LAW_PLAIN, LAW_FACTOR, LAW_TENSION_FIELD, LAWS } Law;

static inline ToileFabric law_fabric(Law law) {
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0.01);
    if (law == LAW_FACTOR) {
        fabric.compression_factor = 0.4;
    } else if (law == LAW_TENSION_FIELD) {
        fabric = test_fabric(1000, 1000, 1000 / 2.6, 0.3, 0.01);
        fabric.compression = TOILE_COMPRESSION_TENSION_FIELD;
    }
    return fabric;
}

/* x = F (u, v) for a mesh in the plane; caller frees. */
static inline double *mapped(const TestMesh *mesh, const double F[3][2]) {
    double *x = test_alloc(3 * sizeof(double) * (size_t)mesh->vertex_count);
    for (int32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        const double *p = mesh->positions + 3 * (i / 3);
        x[i] = F[i % 3][0] * p[0] + F[i % 3][1] * p[1];
    }
    return x;
}

#endif
