/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The cloth of the session tests. Calls that must work are asserted here. */
#include "support/session_grid.h"

#include <check.h>
#include <math.h>
#include <string.h>

/* ---- a cloth ---- */

Grid make_grid(void) {
    Grid grid;
    memset(&grid, 0, sizeof grid);
    for (int32_t v = 0; v < VERTICES; v++) {
        grid.positions[3 * v] = (float)(v % SIDE) / 8.0F - 0.5F;
        grid.positions[3 * v + 1] = (float)(v / SIDE) / 8.0F - 0.5F;
        grid.positions[3 * v + 2] = (float)(v % SIDE * (v % SIDE) + v / SIDE) / 512.0F;
    }
    grid.weights[0] = grid.weights[SIDE - 1] = 1.0F;
    grid.weights[1] = 0.5F; /* not above one half: free */
    for (int32_t f = 0; f < FACES; f++) {
        int32_t v = f / (SIDE - 1) * SIDE + f % (SIDE - 1);
        const int32_t around[4] = {v, v + 1, v + SIDE + 1, v + SIDE};
        grid.sizes[f] = 4;
        grid.starts[f] = 4 * f;
        for (int32_t k = 0; k < 4; k++) {
            grid.corners[4 * f + k] = around[k];
            grid.uvs[2 * (4 * f + k)] = (float)(around[k] % SIDE) / 8.0F;
            grid.uvs[2 * (4 * f + k) + 1] = (float)(around[k] / SIDE) / 8.0F;
        }
    }
    return grid;
}

ToileSessionCloth cloth_of(const Grid *grid) {
    ToileSessionCloth cloth;
    toile_session_cloth_init(&cloth, (uint32_t)sizeof cloth);
    cloth.vertex_count = VERTICES;
    cloth.face_count = FACES;
    cloth.corner_count = CORNERS;
    cloth.name = "Flag.001";
    cloth.positions = grid->positions;
    cloth.face_sizes = grid->sizes;
    cloth.corners = grid->corners;
    cloth.corner_uvs = grid->uvs;
    cloth.uv_name = "UVMap";
    cloth.pin_weights = grid->weights;
    return cloth;
}

/* ---- sessions ---- */

ToileSessionDef def_default(void) {
    ToileSessionDef def;
    toile_session_def_init(&def, (uint32_t)sizeof def);
    def.threads = 1;
    def.last_frame = LAST;
    return def;
}

ToileSessionCollider collider_default(void) {
    ToileSessionCollider collider;
    toile_session_collider_init(&collider, (uint32_t)sizeof collider);
    collider.name = "Ball";
    return collider;
}

ToileSessionCollider ball(void) {
    ToileSessionCollider collider = collider_default();
    collider.radius = 0.25;
    collider.matrix[11] = -0.3125;
    return collider;
}

Block make_block(void) {
    static const int32_t corners[24] = {0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1,
                                        2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3};
    Block block;
    for (int32_t v = 0; v < 8; v++) {
        block.positions[3 * v] = v & 1 ? 0.28125F : -0.28125F;
        block.positions[3 * v + 1] = v & 2 ? 0.21875F : -0.21875F;
        block.positions[3 * v + 2] = v & 4 ? -0.0625F : -0.5625F;
    }
    for (int32_t f = 0; f < 6; f++)
        block.starts[f] = 4 * f;
    memcpy(block.corners, corners, sizeof corners);
    return block;
}

ToileSessionCollider collider_of(const Block *block) {
    ToileSessionCollider collider = collider_default();
    collider.shape = TOILE_COLLIDER_MESH;
    collider.name = "Block";
    collider.vertex_count = 8;
    collider.face_count = 6;
    collider.corner_count = 24;
    collider.positions = block->positions;
    collider.face_starts = block->starts;
    collider.corners = block->corners;
    return collider;
}

ToileSession *create(const ToileSessionDef *def) {
    ToileSession *session = NULL;
    ToileError error = toile_error_default();
    ck_assert_msg(toile_session_create(def, &session, &error) == TOILE_STATUS_OK, "%s",
                  error.message);
    return session;
}

void add_cloth(ToileSession *session, const ToileSessionCloth *cloth) {
    ToileError error = toile_error_default();
    ck_assert_msg(toile_session_add_cloth(session, cloth, NULL, &error) == TOILE_STATUS_OK, "%s",
                  error.message);
}

void add_collider(ToileSession *session, const ToileSessionCollider *collider) {
    ToileError error = toile_error_default();
    ck_assert_msg(toile_session_add_collider(session, collider, NULL, &error) == TOILE_STATUS_OK,
                  "%s", error.message);
}

void begin(ToileSession *session) {
    ToileError error = toile_error_default();
    ck_assert_msg(toile_session_begin(session, &error) == TOILE_STATUS_OK, "%s", error.message);
}

void step(ToileSession *session) {
    ToileError error = toile_error_default();
    ck_assert_msg(toile_session_step(session, &error) == TOILE_STATUS_OK, "%s", error.message);
}

void finish(ToileSession *session) {
    ToileError error = toile_error_default();
    ck_assert_msg(toile_session_finish(session, &error) == TOILE_STATUS_OK, "%s", error.message);
}

void positions_of(const ToileSession *session, float *positions) {
    ck_assert_int_eq(toile_session_get_positions(session, 0, positions, NULL), TOILE_STATUS_OK);
}

ToileSession *start(const ToileSessionDef *def, const ToileSessionCloth *cloth,
                    const ToileSessionCollider *collider) {
    ToileSession *session = create(def);
    add_cloth(session, cloth);
    if (collider)
        add_collider(session, collider);
    begin(session);
    return session;
}

bool is_elsewhere(const float *a, const float *b) {
    for (int32_t i = 0; i < VALUES; i++)
        if (fabs((double)a[i] - (double)b[i]) > 1e-4)
            return true;
    return false;
}

void run_to_end(ToileSession *session, int32_t last, float *positions) {
    while (toile_session_frame(session) < last)
        step(session);
    positions_of(session, positions);
    toile_session_destroy(session);
}

/* ---- matrices ---- */

void set_matrix(double m[16], const double linear[9], double x, double y, double z) {
    const double t[3] = {x, y, z};
    memset(m, 0, 16 * sizeof *m);
    for (int32_t i = 0; i < 3; i++) {
        memcpy(m + 4 * i, linear + 3 * i, 3 * sizeof *m);
        m[4 * i + 3] = t[i];
    }
    m[15] = 1.0;
}

void apply(const double m[16], const float p[3], double out[3]) {
    for (int32_t i = 0; i < 3; i++)
        out[i] = m[4 * i] * (double)p[0] + m[4 * i + 1] * (double)p[1] +
                 m[4 * i + 2] * (double)p[2] + m[4 * i + 3];
}

void general_linear(double angle, double scale, double linear[9]) {
    const double n[3] = {1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0};
    double c = cos(angle), s = sin(angle);
    const double cross[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
    for (int32_t i = 0; i < 9; i++)
        linear[i] =
            scale * ((i % 4 == 0 ? c : 0.0) + (1.0 - c) * n[i / 3] * n[i % 3] + s * cross[i]);
}
