/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Cages for the tests of subdivision. */
#ifndef TOILE_TEST_OSD_CAGES_H
#define TOILE_TEST_OSD_CAGES_H

#include "toile_io/osd_c.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAGE_MAX 4096

/* A cage with its positions, and with uvs in channel 0 where `fvar.values` is not 0. */
typedef struct TestCage {
    osdc_cage cage;
    double x[3 * CAGE_MAX];
    int32_t sizes[CAGE_MAX], index[4 * CAGE_MAX];
    double uv[2 * CAGE_MAX];
    uint32_t uv_index[4 * CAGE_MAX];
    osdc_fvar fvar;
    int32_t pairs[2 * CAGE_MAX];
    float sharpness[CAGE_MAX];
    int32_t corners[CAGE_MAX];
    float corner_sharpness[CAGE_MAX];
} TestCage;

/* Cubes and grids live until freed by free(). */
TestCage *make_cube(void); /* corners +-1; vertex i has the signs of the bits x 1, y 2, z 4 */
/* nx times ny cells of size 1 in the plane z = 0, vertex (i, j) is j (nx + 1) + i; every third cell
 * is two triangles when `mixed`. Inner vertices are moved by up to `noise`, z by up to `bump`. The
 * uvs are x and y, with a seam up the middle column when `seam`. */
TestCage *make_grid(int32_t nx, int32_t ny, int mixed, double noise, double bump, int seam);
void add_crease(TestCage *cage, int32_t a, int32_t b, float sharpness);
void add_corner(TestCage *cage, int32_t vertex, float sharpness);
/* A number in -1..1 that depends on `seed` alone, which moves on. */
double test_noise(uint32_t *seed);

#ifdef __cplusplus
}
#endif
#endif
