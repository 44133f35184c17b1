/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A first simulation through the C API: a square of quads falls on a ball for one second. */
#include "toile/toile.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 20, VERTICES = (SIDE + 1) * (SIDE + 1), FACES = SIDE * SIDE };

static double positions[3 * VERTICES];
static int32_t face_sizes[FACES], corners[4 * FACES];

static ToileMeshDef make_square(void) {
    for (int32_t j = 0; j <= SIDE; j++) {
        for (int32_t i = 0; i <= SIDE; i++) {
            double *p = positions + 3 * (j * (SIDE + 1) + i);
            p[0] = (double)i / SIDE - 0.5;
            p[1] = 0.6;
            p[2] = 0.5 - (double)j / SIDE;
        }
    }
    for (int32_t f = 0; f < FACES; f++) {
        int32_t first = f / SIDE * (SIDE + 1) + f % SIDE;
        int32_t quad[4] = {first, first + 1, first + SIDE + 2, first + SIDE + 1};
        face_sizes[f] = 4;
        for (int k = 0; k < 4; k++) {
            corners[4 * f + k] = quad[k];
        }
    }
    ToileMeshDef mesh = toile_mesh_def_default();
    mesh.vertex_count = VERTICES;
    mesh.face_count = FACES;
    mesh.corner_count = 4 * FACES;
    mesh.positions_m = positions;
    mesh.face_sizes = face_sizes;
    mesh.corners = corners;
    return mesh;
}

int main(void) {
    ToileError error = toile_error_default();
    ToileSimDef sim_def = toile_sim_def_default();
    ToileSim *sim = NULL;
    if (toile_sim_create(&sim_def, &sim, &error) != TOILE_STATUS_OK) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }
    ToileMeshDef mesh = make_square();
    ToileClothDef cloth_def = toile_cloth_def_default();
    cloth_def.mesh = &mesh;
    ToileColliderDef ball = toile_collider_def_default();
    ball.radius_m = 0.25;
    ToileClothId cloth;
    int code = EXIT_FAILURE;
    if (toile_sim_add_cloth(sim, &cloth_def, &cloth, &error) != TOILE_STATUS_OK ||
        toile_sim_add_collider(sim, &ball, NULL, &error) != TOILE_STATUS_OK) {
        fprintf(stderr, "%s\n", error.message);
        goto done;
    }
    for (int frame = 2; frame <= 25; frame++) {
        if (toile_sim_step(sim, &error) != TOILE_STATUS_OK) {
            fprintf(stderr, "%s\n", error.message);
            goto done;
        }
    }
    if (toile_sim_get_positions(sim, cloth, positions, &error) == TOILE_STATUS_OK) {
        const double *middle = positions + 3 * (VERTICES / 2);
        printf("after one second the middle of the cloth is at %.4f, %.4f, %.4f m\n", middle[0],
               middle[1], middle[2]);
        code = EXIT_SUCCESS;
    }
done:
    toile_sim_destroy(sim);
    return code;
}
