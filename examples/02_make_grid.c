/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a flat rectangle of quads with uvs in metres as an OBJ file:
 *     02_make_grid FILE.obj QUADS_X QUADS_Z SIZE_X_M SIZE_Z_M HEIGHT_M
 * The rectangle lies level at that height (Y up), its middle over the origin. */
#include "toile_io/obj.h"

#include <stdio.h>
#include <stdlib.h>

static void fill(ToileMeshDef *mesh, double *p, double *uv, int32_t *sizes, int32_t *corners,
                 int32_t nx, int32_t nz, double sx, double sz, double height) {
    for (int32_t j = 0; j <= nz; j++) {
        for (int32_t i = 0; i <= nx; i++) {
            int32_t v = j * (nx + 1) + i;
            p[3 * v] = sx * i / nx - 0.5 * sx;
            p[3 * v + 1] = height;
            p[3 * v + 2] = 0.5 * sz - sz * j / nz;
            uv[2 * v] = sx * i / nx;
            uv[2 * v + 1] = sz * j / nz;
        }
    }
    for (int32_t f = 0; f < nx * nz; f++) {
        int32_t first = f / nx * (nx + 1) + f % nx;
        int32_t quad[4] = {first, first + 1, first + nx + 2, first + nx + 1};
        sizes[f] = 4;
        for (int k = 0; k < 4; k++) {
            corners[4 * f + k] = quad[k];
        }
    }
    mesh->vertex_count = mesh->uv_count = (nx + 1) * (nz + 1);
    mesh->face_count = nx * nz;
    mesh->corner_count = 4 * nx * nz;
    mesh->positions_m = p;
    mesh->face_sizes = sizes;
    mesh->corners = mesh->corner_uvs = corners;
    mesh->uvs = uv;
}

int main(int argc, char **argv) {
    if (argc != 7) {
        fprintf(stderr, "usage: %s FILE.obj QUADS_X QUADS_Z SIZE_X_M SIZE_Z_M HEIGHT_M\n", argv[0]);
        return 64;
    }
    int32_t nx = atoi(argv[2]), nz = atoi(argv[3]);
    if (nx < 1 || nz < 1 || nx > 2000 || nz > 2000) {
        fprintf(stderr, "%s: QUADS_X and QUADS_Z must be 1 to 2000\n", argv[0]);
        return 64;
    }
    size_t vertices = (size_t)(nx + 1) * (size_t)(nz + 1), faces = (size_t)nx * (size_t)nz;
    double *p = malloc(3 * vertices * sizeof *p), *uv = malloc(2 * vertices * sizeof *uv);
    int32_t *sizes = malloc(faces * sizeof *sizes), *corners = malloc(4 * faces * sizeof *corners);
    ToileError error = toile_error_default();
    ToileMeshDef mesh = toile_mesh_def_default();
    int code = 1;
    if (p != NULL && uv != NULL && sizes != NULL && corners != NULL) {
        fill(&mesh, p, uv, sizes, corners, nx, nz, atof(argv[4]), atof(argv[5]), atof(argv[6]));
        code = toile_obj_write(argv[1], &mesh, NULL, 1.0, &error) == TOILE_STATUS_OK ? 0 : 73;
    }
    if (code != 0) {
        fprintf(stderr, "%s: %s\n", argv[0], error.message);
    }
    free(p);
    free(uv);
    free(sizes);
    free(corners);
    return code;
}
