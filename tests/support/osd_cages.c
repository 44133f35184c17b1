/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
#include "support/osd_cages.h"

#include <stdlib.h>
#include <string.h>

double test_noise(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

static TestCage *make_cage(void) {
    TestCage *cage = calloc(1, sizeof *cage);
    cage->cage = osdc_cage_default();
    cage->cage.face_count = cage->sizes;
    cage->cage.index = cage->index;
    cage->cage.crease_pairs = cage->pairs;
    cage->cage.crease_sharpness = cage->sharpness;
    cage->cage.corner_vert = cage->corners;
    cage->cage.corner_sharpness = cage->corner_sharpness;
    cage->cage.fvar = &cage->fvar;
    cage->fvar.index = cage->uv_index;
    return cage;
}

static void add_face(TestCage *cage, int32_t size, const int32_t *corners) {
    memcpy(cage->index + cage->cage.corners, corners, (size_t)size * sizeof *corners);
    cage->sizes[cage->cage.faces++] = size;
    cage->cage.corners += (uint32_t)size;
}

TestCage *make_cube(void) {
    static const int32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    TestCage *cage = make_cage();
    cage->cage.verts = 8;
    for (int32_t v = 0; v < 8; v++)
        for (int32_t k = 0; k < 3; k++)
            cage->x[3 * v + k] = v >> k & 1 ? 1.0 : -1.0;
    for (int32_t f = 0; f < 6; f++)
        add_face(cage, 4, faces[f]);
    return cage;
}

static void add_cell(TestCage *cage, int32_t at, int32_t row, int split) {
    const int32_t quad[4] = {at, at + 1, at + row + 1, at + row};
    const int32_t upper[3] = {quad[0], quad[2], quad[3]};
    add_face(cage, split ? 3 : 4, quad);
    if (split)
        add_face(cage, 3, upper);
}

/* corners right of the middle column take the second of the two values there */
static void add_uvs(TestCage *cage, int32_t nx, int seam) {
    uint32_t verts = cage->cage.verts, extra = verts;
    uint32_t second[CAGE_MAX] = {0};
    int32_t middle = nx / 2;
    for (uint32_t v = 0; v < verts; v++) {
        cage->uv[2 * v] = cage->x[3 * v];
        cage->uv[2 * v + 1] = cage->x[3 * v + 1];
        if (!seam || (int32_t)v % (nx + 1) != middle)
            continue;
        cage->uv[2 * extra] = cage->uv[2 * v] + 10.0;
        cage->uv[2 * extra + 1] = cage->uv[2 * v + 1];
        second[v] = extra++;
    }
    uint32_t corner = 0;
    for (uint32_t f = 0; f < cage->cage.faces; f++) {
        int32_t least = nx;
        for (int32_t c = 0; c < cage->sizes[f]; c++) {
            int32_t column = cage->index[corner + (uint32_t)c] % (nx + 1);
            least = column < least ? column : least;
        }
        for (int32_t c = 0; c < cage->sizes[f]; c++, corner++) {
            uint32_t v = (uint32_t)cage->index[corner];
            cage->uv_index[corner] = second[v] && least >= middle ? second[v] : v;
        }
    }
    for (uint32_t v = 0; seam && v < verts; v++)
        if ((int32_t)v % (nx + 1) > middle)
            cage->uv[2 * v] += 10.0;
    cage->fvar.values = extra;
    cage->cage.fvars = 1;
}

TestCage *make_grid(int32_t nx, int32_t ny, int mixed, double noise, double bump, int seam) {
    TestCage *cage = make_cage();
    uint32_t seed = 7;
    cage->cage.verts = (uint32_t)((nx + 1) * (ny + 1));
    for (int32_t v = 0; v < (nx + 1) * (ny + 1); v++) {
        int32_t i = v % (nx + 1), j = v / (nx + 1);
        double inside = i > 0 && j > 0 && i < nx && j < ny ? noise : 0.0;
        cage->x[3 * v] = (double)i + inside * test_noise(&seed);
        cage->x[3 * v + 1] = (double)j + inside * test_noise(&seed);
        cage->x[3 * v + 2] = bump * test_noise(&seed);
    }
    for (int32_t cell = 0; cell < nx * ny; cell++)
        add_cell(cage, cell / nx * (nx + 1) + cell % nx, nx + 1, mixed && cell % 3 == 1);
    add_uvs(cage, nx, seam);
    return cage;
}

void add_crease(TestCage *cage, int32_t a, int32_t b, float sharpness) {
    uint32_t i = cage->cage.creases++;
    cage->pairs[2 * i] = a;
    cage->pairs[2 * i + 1] = b;
    cage->sharpness[i] = sharpness;
}

void add_corner(TestCage *cage, int32_t vertex, float sharpness) {
    uint32_t i = cage->cage.corner_tags++;
    cage->corners[i] = vertex;
    cage->corner_sharpness[i] = sharpness;
}
