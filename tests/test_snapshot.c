/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots put the same bits back, refuse what does not fit, and the hash tells states apart. */
#include "sim/sim_internal.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

static const int32_t pins[2] = {0, 5};

typedef struct World {
    ToileSim *sim;
    ToileClothId cloth;
    ToileColliderId ball;
} World;

/* A patch of n x n quads with two pins falling on a ball. */
static World make_world_of(int32_t n, int32_t integrator) {
    World world;
    ToileSimDef def = toile_sim_def_default();
    ToileColliderDef ball = toile_collider_def_default();
    TestMesh mesh = test_grid(n, n, 1, 1, TEST_DIAGONAL_NONE);
    def.threads = 1;
    def.integrator = integrator;
    world.sim = test_sim(&def);
    test_lay_flat(&mesh, 0.55);
    world.cloth = test_add(world.sim, &mesh, NULL, pins, 2);
    ASSERT_OK(toile_sim_add_collider(world.sim, &ball, &world.ball, NULL));
    test_mesh_free(&mesh);
    return world;
}

static World make_world(int32_t n) {
    return make_world_of(n, TOILE_INTEGRATOR_IMPLICIT_EULER);
}

/* One frame of an animated scene: the ball moves and turns, a pin travels. */
static void advance(World *world) {
    double frame = (double)toile_sim_frame(world->sim);
    ToilePose pose = {{0.01 * frame, 0, 0}, {0, 0.05 * frame, 0}};
    const double target[3] = {0.002 * frame, 0.55, 0};
    ASSERT_OK(toile_sim_set_collider_pose(world->sim, world->ball, &pose, NULL));
    ASSERT_OK(toile_sim_set_pin_targets(world->sim, world->cloth, pins, 1, target, NULL));
    test_step(world->sim, 1);
}

static void *snapshot_of(const ToileSim *sim, size_t *size) {
    *size = toile_sim_snapshot_size(sim);
    void *buffer = test_alloc(*size);
    ASSERT_OK(toile_sim_snapshot(sim, buffer, *size, NULL));
    return buffer;
}

START_TEST(snapshot_restored_run_gives_the_same_bits) {
    World world = make_world(5), other = make_world(5);
    uint64_t hashes[6];
    size_t size;
    for (int i = 0; i < 4; i++) {
        advance(&world);
    }
    void *buffer = snapshot_of(world.sim, &size);
    uint64_t here = toile_sim_state_hash(world.sim);
    for (int i = 0; i < 6; i++) {
        advance(&world);
        hashes[i] = toile_sim_state_hash(world.sim);
    }
    /* into the same simulation, and into one made anew */
    World *both[2] = {&world, &other};
    for (int k = 0; k < 2; k++) {
        ASSERT_OK(toile_sim_restore(both[k]->sim, buffer, size, NULL));
        ck_assert_uint_eq(toile_sim_state_hash(both[k]->sim), here);
        ck_assert_int_eq(toile_sim_frame(both[k]->sim), 5);
        for (int i = 0; i < 6; i++) {
            advance(both[k]);
            ck_assert_uint_eq(toile_sim_state_hash(both[k]->sim), hashes[i]);
        }
    }
    free(buffer);
    toile_sim_destroy(world.sim);
    toile_sim_destroy(other.sim);
}
END_TEST

/* targets and poses that wait for the next step are part of the state */
START_TEST(snapshot_holds_targets_not_yet_reached) {
    static const double target[3] = {0.1, 0.6, 0.1};
    ToilePose pose = {{0.2, 0, 0}, {0.3, 0, 0}};
    World world = make_world(4), other = make_world(4);
    size_t size;
    advance(&world);
    ASSERT_OK(toile_sim_set_pin_targets(world.sim, world.cloth, pins, 1, target, NULL));
    ASSERT_OK(toile_sim_set_collider_pose(world.sim, world.ball, &pose, NULL));
    void *buffer = snapshot_of(world.sim, &size);
    ASSERT_OK(toile_sim_restore(other.sim, buffer, size, NULL));
    test_step(world.sim, 1);
    test_step(other.sim, 1);
    ck_assert_uint_eq(toile_sim_state_hash(other.sim), toile_sim_state_hash(world.sim));
    double *x = test_positions(other.sim, other.cloth);
    ck_assert_mem_eq(x, target, sizeof target);
    free(x);
    free(buffer);
    toile_sim_destroy(world.sim);
    toile_sim_destroy(other.sim);
}
END_TEST

/* ---- mesh colliders ---- */

/* A strip of n quads under the patch. */
static ToileColliderId add_strip(ToileSim *sim, int32_t n) {
    TestMesh mesh = test_grid(n, 1, 1, 1, TEST_DIAGONAL_NONE);
    ToileMeshDef mesh_def = test_mesh_def(&mesh);
    ToileColliderDef def = toile_collider_def_default();
    ToileColliderId id;
    def.shape = TOILE_COLLIDER_MESH;
    def.mesh = &mesh_def;
    ASSERT_OK(toile_sim_add_collider(sim, &def, &id, NULL));
    test_mesh_free(&mesh);
    return id;
}

/* where meshes are, and where they were sent, belongs to the state like poses do */
START_TEST(snapshot_holds_positions_of_mesh_colliders) {
    enum { N = 3, VALUES = 6 * (N + 1) };
    World world = make_world(3), other = make_world(3), late = make_world(3);
    ToileColliderId strip = add_strip(world.sim, N);
    double x[VALUES] = {0};
    size_t size, plain = toile_sim_snapshot_size(other.sim);
    add_strip(other.sim, N);
    add_strip(late.sim, N);
    ck_assert_uint_gt(toile_sim_snapshot_size(world.sim), plain + 2 * sizeof x);
    for (int i = 0; i < VALUES; i++) {
        x[i] = i / 100.0;
    }
    uint64_t hash = toile_sim_state_hash(world.sim);
    ck_assert_uint_eq(toile_sim_state_hash(other.sim), hash);
    ASSERT_OK(toile_sim_set_collider_positions(world.sim, strip, x, NULL));
    ck_assert_uint_ne(toile_sim_state_hash(world.sim), hash);
    /* on the way, and arrived */
    World *others[2] = {&other, &late};
    for (int i = 0; i < 2; i++) {
        void *buffer = snapshot_of(world.sim, &size);
        ASSERT_OK(toile_sim_restore(others[i]->sim, buffer, size, NULL));
        free(buffer);
        ck_assert_uint_eq(toile_sim_state_hash(others[i]->sim), toile_sim_state_hash(world.sim));
        const TlColliderMesh *mesh = &others[i]->sim->colliders[strip.slot - 1].mesh;
        const double *from = others[i]->sim->colliders[strip.slot - 1].own_from;
        for (int k = 0; k < VALUES; k++) {
            /* decimals come back as the very same doubles */
            ck_assert_double_eq(tl_absolute(mesh->target[k], from[k % 3]), x[k]);
        }
        ck_assert_mem_eq(mesh->now, i == 0 ? mesh->start : mesh->target, sizeof x);
        test_step(world.sim, 1);
        test_step(others[i]->sim, 1);
        ck_assert_uint_eq(toile_sim_state_hash(others[i]->sim), toile_sim_state_hash(world.sim));
    }
    toile_sim_destroy(world.sim);
    toile_sim_destroy(other.sim);
    toile_sim_destroy(late.sim);
}
END_TEST

/* as many colliders and as many vertices, but not the same of each */
START_TEST(snapshot_refuses_other_mesh_colliders) {
    static const int32_t cells[4][2] = {{2, 3}, {3, 2}, {1, 4}, {2, 2}};
    World worlds[4];
    size_t size;
    for (int i = 0; i < 4; i++) {
        worlds[i] = make_world(2);
        add_strip(worlds[i].sim, cells[i][0]);
        add_strip(worlds[i].sim, cells[i][1]);
    }
    void *buffer = snapshot_of(worlds[0].sim, &size);
    for (int i = 1; i < 4; i++) {
        uint64_t hash = toile_sim_state_hash(worlds[i].sim);
        ck_assert_int_eq(toile_sim_restore(worlds[i].sim, buffer, size, NULL),
                         TOILE_STATUS_INVALID_DATA);
        ck_assert_uint_eq(toile_sim_state_hash(worlds[i].sim), hash);
    }
    ck_assert_int_eq(toile_sim_restore(worlds[0].sim, buffer, size - 1, NULL),
                     TOILE_STATUS_INVALID_DATA);
    ASSERT_OK(toile_sim_restore(worlds[0].sim, buffer, size, NULL));
    free(buffer);
    for (int i = 0; i < 4; i++) {
        toile_sim_destroy(worlds[i].sim);
    }
}
END_TEST

static void refuse_shorter_buffers(int32_t integrator) {
    World world = make_world_of(2, integrator);
    size_t size;
    advance(&world);
    unsigned char *buffer = snapshot_of(world.sim, &size);
    uint64_t hash = toile_sim_state_hash(world.sim);
    for (size_t cut = 0; cut < size; cut++) {
        /* a copy of just that size, so that reading beyond it is seen */
        unsigned char *part = malloc(cut > 0 ? cut : 1);
        memcpy(part, buffer, cut);
        ck_assert_int_eq(toile_sim_restore(world.sim, part, cut, NULL), TOILE_STATUS_INVALID_DATA);
        ck_assert_uint_eq(toile_sim_state_hash(world.sim), hash);
        free(part);
    }
    ToileError error = toile_error_default();
    ck_assert_int_eq(toile_sim_snapshot(world.sim, buffer, size - 1, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(error.status, TOILE_STATUS_INVALID_ARGUMENT);
    free(buffer);
    toile_sim_destroy(world.sim);
}

/* also the history of a multi-step integrator belongs to it */
START_TEST(snapshot_refuses_every_shorter_buffer) {
    refuse_shorter_buffers(TOILE_INTEGRATOR_IMPLICIT_EULER);
    refuse_shorter_buffers(TOILE_INTEGRATOR_BDF2);
}
END_TEST

START_TEST(snapshot_refuses_other_cloths_and_colliders) {
    World world = make_world(3), larger = make_world(4), smaller = make_world(2),
          more = make_world(3);
    ToileColliderDef ball = toile_collider_def_default();
    size_t size;
    ASSERT_OK(toile_sim_add_collider(more.sim, &ball, NULL, NULL));
    void *buffer = snapshot_of(world.sim, &size);
    World *others[3] = {&larger, &smaller, &more};
    for (int i = 0; i < 3; i++) {
        uint64_t hash = toile_sim_state_hash(others[i]->sim);
        ToileError error = toile_error_default();
        ck_assert_int_eq(toile_sim_restore(others[i]->sim, buffer, size, &error),
                         TOILE_STATUS_INVALID_DATA);
        ck_assert_int_gt((int)strlen(error.message), 10);
        ck_assert_uint_eq(toile_sim_state_hash(others[i]->sim), hash);
        toile_sim_destroy(others[i]->sim);
    }
    free(buffer);
    toile_sim_destroy(world.sim);
}
END_TEST

/* every byte counts: of the header and of the state */
START_TEST(snapshot_refuses_a_damaged_byte) {
    for (int32_t integrator = 0; integrator <= TOILE_INTEGRATOR_BDF2; integrator++) {
        World world = make_world_of(2, integrator);
        size_t size;
        unsigned char *buffer = snapshot_of(world.sim, &size);
        for (size_t byte = 0; byte < size; byte++) {
            buffer[byte] ^= 0x04;
            ck_assert_int_eq(toile_sim_restore(world.sim, buffer, size, NULL),
                             TOILE_STATUS_INVALID_DATA);
            buffer[byte] ^= 0x04;
        }
        ASSERT_OK(toile_sim_restore(world.sim, buffer, size, NULL));
        free(buffer);
        toile_sim_destroy(world.sim);
    }
}
END_TEST

START_TEST(snapshot_null_is_refused) {
    World world = make_world(2);
    char buffer[8];
    ck_assert_int_eq(toile_sim_snapshot(NULL, buffer, 8, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_snapshot(world.sim, NULL, 1 << 20, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_restore(NULL, buffer, 8, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_restore(world.sim, NULL, 8, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_uint_eq(toile_sim_snapshot_size(NULL), 0);
    ck_assert_uint_eq(toile_sim_state_hash(NULL), 0);
    toile_sim_destroy(world.sim);
}
END_TEST

/* ---- hash ---- */

START_TEST(hash_of_equal_states_is_equal) {
    World a = make_world(3), b = make_world(3);
    ck_assert_uint_eq(toile_sim_state_hash(a.sim), toile_sim_state_hash(b.sim));
    advance(&a);
    ck_assert_uint_ne(toile_sim_state_hash(a.sim), toile_sim_state_hash(b.sim));
    advance(&b);
    ck_assert_uint_eq(toile_sim_state_hash(a.sim), toile_sim_state_hash(b.sim));
    toile_sim_destroy(a.sim);
    toile_sim_destroy(b.sim);
}
END_TEST

START_TEST(hash_changes_with_every_value) {
    World world = make_world(2);
    double *x = test_positions(world.sim, world.cloth),
           *v = test_velocities(world.sim, world.cloth);
    uint64_t hash = toile_sim_state_hash(world.sim);
    for (int i = 0; i < 27; i++) {
        double old = x[i], still = v[i];
        /* more than the rounding of a decimal */
        x[i] = old + 1e-14;
        ASSERT_OK(toile_sim_set_positions(world.sim, world.cloth, x, NULL));
        ck_assert_uint_ne(toile_sim_state_hash(world.sim), hash);
        x[i] = old;
        ASSERT_OK(toile_sim_set_positions(world.sim, world.cloth, x, NULL));
        v[i] = 1e-300;
        ASSERT_OK(toile_sim_set_velocities(world.sim, world.cloth, v, NULL));
        ck_assert_uint_ne(toile_sim_state_hash(world.sim), hash);
        v[i] = still;
        ASSERT_OK(toile_sim_set_velocities(world.sim, world.cloth, v, NULL));
        ck_assert_uint_eq(toile_sim_state_hash(world.sim), hash);
    }
    free(x);
    free(v);
    toile_sim_destroy(world.sim);
}
END_TEST

START_TEST(hash_changes_with_pins_and_poses) {
    static const int32_t one[1] = {3};
    World world = make_world(2);
    ToilePose pose = {{0, 0, 1e-9}, {0, 0, 0}};
    uint64_t hash = toile_sim_state_hash(world.sim);
    ASSERT_OK(toile_sim_set_pinned(world.sim, world.cloth, one, 1, true, NULL));
    ck_assert_uint_ne(toile_sim_state_hash(world.sim), hash);
    ASSERT_OK(toile_sim_set_pinned(world.sim, world.cloth, one, 1, false, NULL));
    ck_assert_uint_eq(toile_sim_state_hash(world.sim), hash);
    ASSERT_OK(toile_sim_set_collider_pose(world.sim, world.ball, &pose, NULL));
    ck_assert_uint_ne(toile_sim_state_hash(world.sim), hash);
    toile_sim_destroy(world.sim);
}
END_TEST

TEST_MAIN("snapshot", snapshot_restored_run_gives_the_same_bits,
          snapshot_holds_targets_not_yet_reached, snapshot_holds_positions_of_mesh_colliders,
          snapshot_refuses_other_mesh_colliders, snapshot_refuses_every_shorter_buffer,
          snapshot_refuses_other_cloths_and_colliders, snapshot_refuses_a_damaged_byte,
          snapshot_null_is_refused, hash_of_equal_states_is_equal, hash_changes_with_every_value,
          hash_changes_with_pins_and_poses)
