/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Mesh colliders of sessions: against a simulation of the same thing, and what is refused. Their
 * matrices are in test_fit.c. */
#include "support/session_grid.h"

#include <check.h>
#include <math.h>
#include <string.h>

/* a mesh that bends, moves and grows against the core alone */
START_TEST(solid_mesh_equals_a_simulation) {
    Grid grid = make_grid();
    Block block = make_block();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileSessionCollider collider = collider_of(&block);
    cloth.pin_weights = NULL;

    double positions[VALUES], now[VALUES], solid[24];
    const int32_t sizes[6] = {4, 4, 4, 4, 4, 4};
    for (int32_t i = 0; i < VALUES; i++)
        positions[i] = (double)grid.positions[i];
    for (int32_t i = 0; i < 24; i++)
        solid[i] = (double)block.positions[i];
    ToileMeshDef mesh = toile_mesh_def_default();
    mesh.vertex_count = VERTICES;
    mesh.face_count = FACES;
    mesh.corner_count = CORNERS;
    mesh.positions_m = positions;
    mesh.face_sizes = grid.sizes;
    mesh.corners = grid.corners;
    ToileMeshDef body = toile_mesh_def_default();
    body.vertex_count = 8;
    body.face_count = 6;
    body.corner_count = 24;
    body.positions_m = solid;
    body.face_sizes = sizes;
    body.corners = block.corners;
    ToileClothDef cloth_def = toile_cloth_def_default();
    cloth_def.mesh = &mesh;
    ToileColliderDef collider_def = toile_collider_def_default();
    collider_def.shape = TOILE_COLLIDER_MESH;
    collider_def.mesh = &body;
    ToileSimDef sim_def = toile_sim_def_default();
    sim_def.threads = 1;
    sim_def.gravity_m_per_s2[1] = 0.0;
    sim_def.gravity_m_per_s2[2] = -9.81;
    ToileSim *sim = NULL;
    ToileClothId cloth_id;
    ToileColliderId id;
    ck_assert_int_eq(toile_sim_create(&sim_def, &sim, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_sim_add_cloth(sim, &cloth_def, &cloth_id, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_sim_add_collider(sim, &collider_def, &id, NULL), TOILE_STATUS_OK);

    ToileSession *session = start(&def, &cloth, &collider);
    for (int32_t f = 2; f <= LAST; f++) {
        float found[VALUES];
        /* one corner bends up, all of it moves, and from frame 5 on it is half as high again */
        double rise = f >= 5 ? 1.5 : 1.0;
        block.positions[3 * 7 + 2] += 0.01F;
        collider.matrix[3] += 0.01;
        collider.matrix[10] = rise;
        collider_def.pose.translate_m[0] += 0.01;
        for (int32_t i = 0; i < 24; i++)
            solid[i] = (double)block.positions[i] * (i % 3 == 2 ? rise : 1.0);
        if (f % 2)
            ck_assert_int_eq(toile_session_set_collider_matrix(session, 0, collider.matrix, NULL),
                             0);
        ck_assert_int_eq(toile_session_set_collider_positions(session, 0, block.positions, 8, NULL),
                         0);
        if (f % 2 == 0)
            ck_assert_int_eq(toile_session_set_collider_matrix(session, 0, collider.matrix, NULL),
                             0);
        ck_assert_int_eq(toile_sim_set_collider_pose(sim, id, &collider_def.pose, NULL), 0);
        ck_assert_int_eq(toile_sim_set_collider_positions(sim, id, solid, NULL), 0);
        step(session);
        ck_assert_int_eq(toile_sim_step(sim, NULL), TOILE_STATUS_OK);
        positions_of(session, found);
        ck_assert_int_eq(toile_sim_get_positions(sim, cloth_id, now, NULL), TOILE_STATUS_OK);
        for (int32_t i = 0; i < VALUES; i++)
            ck_assert(found[i] == (float)now[i]);
    }
    float found[VALUES], free_fall[VALUES];
    run_to_end(start(&def, &cloth, NULL), LAST, free_fall);
    run_to_end(session, LAST, found);
    ck_assert(is_elsewhere(found, free_fall));
    toile_sim_destroy(sim);
}
END_TEST

/* a hexagon on top and bottom are split on the way */
START_TEST(solid_mesh_may_have_ngons_and_maps) {
    static const float map[12] = {0.001F, 0.002F};
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileSessionCollider collider = collider_default();
    float prism[36];
    int32_t corners[36], sizes[8] = {6, 6, 4, 4, 4, 4, 4, 4};
    for (int32_t k = 0; k < 12; k++) {
        prism[3 * k] = (float)(0.25 * cos(k % 6 * 1.0471975511965976));
        prism[3 * k + 1] = (float)(0.25 * sin(k % 6 * 1.0471975511965976));
        prism[3 * k + 2] = k < 6 ? -0.25F : -0.0625F;
        corners[k] = k < 6 ? 5 - k : k;
    }
    for (int32_t k = 0; k < 6; k++) {
        const int32_t side[4] = {k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k};
        memcpy(corners + 12 + 4 * k, side, sizeof side);
    }
    collider.shape = TOILE_COLLIDER_MESH;
    collider.vertex_count = 12;
    collider.face_count = 8;
    collider.corner_count = 36;
    collider.positions = prism;
    collider.face_sizes = sizes;
    collider.corners = corners;
    collider.vertex_thickness_m = collider.vertex_friction = map;
    ToileSession *session = start(&def, &cloth, &collider);
    step(session);
    toile_session_destroy(session);
}
END_TEST

/* ---- refusals ---- */

/* the collider is refused with these words, and the session goes on without it */
static void refused_block(const ToileSessionCollider *collider, ToileStatus expected,
                          const char *words) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileError error = toile_error_default();
    ToileSession *session = create(&def);
    ck_assert_int_eq(toile_session_add_collider(session, collider, NULL, &error), expected);
    ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
    ck_assert_str_eq(error.object, "Block");
    add_cloth(session, &cloth);
    begin(session);
    step(session);
    toile_session_destroy(session);
}

START_TEST(solid_mesh_must_make_sense) {
    const ToileStatus data = TOILE_STATUS_INVALID_DATA, argument = TOILE_STATUS_INVALID_ARGUMENT;
    float map[8] = {0, 0, 0, 0, 0, 0, 0, -1};
    Block block = make_block();
    ToileSessionCollider collider = collider_of(&block);
    collider.face_count = 0;
    refused_block(&collider, data, "8 vertices, 0 faces and 24 corners");
    collider = collider_of(&block);
    collider.face_starts = NULL;
    refused_block(&collider, argument, "'Block' lacks positions");
    collider = collider_of(&block);
    collider.vertex_thickness_m = map;
    refused_block(&collider, argument, "vertex_thickness_m");
    block.corners[5] = 8;
    collider = collider_of(&block);
    refused_block(&collider, data, "face 1 (counted from 0) uses vertex 8");
    block = make_block();
    block.starts[2] = 3;
    refused_block(&collider, data, "Face 1 of 'Block' begins at corner 4 and ends at 3");
    block = make_block();
    block.positions[5] = NAN;
    refused_block(&collider, argument, "vertex 1");
}
END_TEST

START_TEST(solid_refuses_wrong_positions) {
    Grid grid = make_grid();
    Block block = make_block();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileSessionCollider collider = collider_of(&block), round = ball();
    ToileError error = toile_error_default();
    ToileSession *session = create(&def);
    add_cloth(session, &cloth);
    add_collider(session, &collider);
    add_collider(session, &round);
    const ToileStatus wrong = TOILE_STATUS_INVALID_ARGUMENT;
    ck_assert_int_eq(toile_session_set_collider_positions(session, 0, block.positions, 8, &error),
                     wrong);
    begin(session);
    step(session);
    ck_assert_int_eq(toile_session_set_collider_positions(session, 0, block.positions, 7, &error),
                     TOILE_STATUS_INVALID_DATA);
    ck_assert_ptr_nonnull(strstr(error.message, "'Block' has 7 vertices but began with 8"));
    ck_assert_str_eq(error.object, "Block");
    ck_assert_int_eq(error.frame, 3);
    ck_assert_int_eq(toile_session_set_collider_positions(session, 1, block.positions, 8, &error),
                     wrong);
    ck_assert_ptr_nonnull(strstr(error.message, "'Ball' is no mesh"));
    ck_assert_int_eq(toile_session_set_collider_positions(session, 2, block.positions, 8, &error),
                     wrong);
    ck_assert_int_eq(toile_session_set_collider_positions(session, 0, NULL, 8, &error), wrong);
    block.positions[0] = INFINITY;
    ck_assert_int_eq(toile_session_set_collider_positions(session, 0, block.positions, 8, &error),
                     wrong);
    ck_assert_str_eq(error.object, "Block");
    step(session);
    toile_session_destroy(session);
}
END_TEST

static Suite *solid_suite(void) {
    Suite *suite = suite_create("solid");
    TCase *meshes = tcase_create("meshes");
    tcase_add_test(meshes, solid_mesh_equals_a_simulation);
    tcase_add_test(meshes, solid_mesh_may_have_ngons_and_maps);
    tcase_add_test(meshes, solid_mesh_must_make_sense);
    tcase_add_test(meshes, solid_refuses_wrong_positions);
    suite_add_tcase(suite, meshes);
    return suite;
}

int main(void) {
    SRunner *runner = srunner_create(solid_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
