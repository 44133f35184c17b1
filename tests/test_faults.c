/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses allocation 1, 2, 3, ... of every call that allocates, until it succeeds: the right
 * status, nothing leaked, and a simulation that can still be used. */
#include "support/builders.h"
#include "toile/draft.h"

#include <stdlib.h>
#include <string.h>

/* no call of these sizes needs this many requests */
enum { MOST_REQUESTS = 2000 };

static const int32_t pins[1] = {0};

static ToileSim *make_sim(TestMemory *memory) {
    ToileSimDef def = toile_sim_def_default();
    def.threads = 1;
    def.allocator = test_allocator(memory);
    return test_sim(&def);
}

static ToileStatus add_fabric(ToileSim *sim, int32_t n, const ToileFabric *fabric,
                              ToileClothId *cloth, ToileError *error) {
    TestMesh mesh = test_grid(n, n, 1, 1, TEST_DIAGONAL_NONE);
    test_lay_flat(&mesh, 0.6);
    ToileMeshDef mesh_def = test_mesh_def(&mesh);
    ToileClothDef def = toile_cloth_def_default();
    def.mesh = &mesh_def;
    def.fabric = fabric;
    def.pin_vertices = pins;
    def.pin_count = 1;
    ToileStatus status = toile_sim_add_cloth(sim, &def, cloth, error);
    test_mesh_free(&mesh);
    return status;
}

static ToileStatus add_patch(ToileSim *sim, int32_t n, ToileClothId *cloth, ToileError *error) {
    return add_fabric(sim, n, NULL, cloth, error);
}

/* Arms the k-th request from now on. */
static void fail_at(TestMemory *memory, int64_t k) {
    memory->requests = 0;
    memory->fail_at = k;
}

/* OK ends the loop; anything but OUT_OF_MEMORY with its sentence is wrong. */
static bool succeeded(ToileStatus status, const ToileError *error) {
    if (status == TOILE_STATUS_OK) {
        return true;
    }
    ck_assert_int_eq(status, TOILE_STATUS_OUT_OF_MEMORY);
    ck_assert_int_eq(error->status, TOILE_STATUS_OUT_OF_MEMORY);
    ck_assert_int_gt((int)strlen(error->message), 10);
    return false;
}

START_TEST(faults_in_create) {
    bool done = false;
    for (int64_t k = 1; !done; k++) {
        ck_assert_int_lt(k, MOST_REQUESTS);
        TestMemory memory = {.fail_at = k};
        ToileSimDef def = toile_sim_def_default();
        ToileSim *sim = (ToileSim *)&def;
        ToileError error = toile_error_default();
        def.threads = 1;
        def.allocator = test_allocator(&memory);
        done = succeeded(toile_sim_create(&def, &sim, &error), &error);
        ck_assert(done == (sim != NULL));
        toile_sim_destroy(sim);
        ck_assert_int_eq(memory.live_blocks, 0);
    }
}
END_TEST

/* the first cloth and a second one beside it; what was there keeps its state */
START_TEST(faults_in_add_cloth) {
    TestMemory memory = {0};
    ToileSim *sim = make_sim(&memory);
    ToileClothId ids[2];
    for (int i = 0; i < 2; i++) {
        bool done = false;
        for (int64_t k = 1; !done; k++) {
            ck_assert_int_lt(k, MOST_REQUESTS);
            ToileError error = toile_error_default();
            uint64_t hash = toile_sim_state_hash(sim);
            fail_at(&memory, k);
            done = succeeded(add_patch(sim, 3 + i, &ids[i], &error), &error);
            ck_assert(done || toile_sim_state_hash(sim) == hash);
        }
        fail_at(&memory, 0);
        test_step(sim, 1);
    }
    ck_assert_int_eq(toile_sim_vertex_count(sim, ids[0]), 16);
    ck_assert_int_eq(toile_sim_vertex_count(sim, ids[1]), 25);
    toile_sim_destroy(sim);
    ck_assert_int_eq(memory.live_blocks, 0);
    ck_assert_int_eq(memory.live_bytes, 0);
}
END_TEST

START_TEST(faults_in_add_collider) {
    TestMemory memory = {0};
    ToileSim *sim = make_sim(&memory);
    ToileColliderDef def = toile_collider_def_default();
    for (int i = 0; i < 20; i++) {
        bool done = false;
        for (int64_t k = 1; !done; k++) {
            ToileError error = toile_error_default();
            fail_at(&memory, k);
            done = succeeded(toile_sim_add_collider(sim, &def, NULL, &error), &error);
        }
    }
    toile_sim_destroy(sim);
    ck_assert_int_eq(memory.live_blocks, 0);
}
END_TEST

START_TEST(faults_in_remove_cloth) {
    TestMemory memory = {0};
    ToileSim *sim = make_sim(&memory);
    ToileClothId ids[2];
    ToileError error = toile_error_default();
    bool done = false;
    ASSERT_OK(add_patch(sim, 2, &ids[0], NULL));
    ASSERT_OK(add_patch(sim, 3, &ids[1], NULL));
    for (int64_t k = 1; !done; k++) {
        uint64_t hash = toile_sim_state_hash(sim);
        fail_at(&memory, k);
        done = succeeded(toile_sim_remove_cloth(sim, ids[0], &error), &error);
        ck_assert(done || toile_sim_state_hash(sim) == hash);
        ck_assert_int_eq(toile_sim_vertex_count(sim, ids[0]), done ? -1 : 9);
    }
    ck_assert_int_eq(toile_sim_vertex_count(sim, ids[1]), 16);
    fail_at(&memory, 0);
    test_step(sim, 1);
    toile_sim_destroy(sim);
    ck_assert_int_eq(memory.live_blocks, 0);
}
END_TEST

typedef ToileStatus (*Call)(ToileSim *sim, ToileClothId cloth, ToileError *error);

static ToileStatus call_step(ToileSim *sim, ToileClothId cloth, ToileError *error) {
    (void)cloth;
    return toile_sim_step(sim, error);
}

static ToileStatus call_settle(ToileSim *sim, ToileClothId cloth, ToileError *error) {
    (void)cloth;
    return toile_sim_settle(sim, NULL, NULL, error);
}

static ToileStatus call_energies(ToileSim *sim, ToileClothId cloth, ToileError *error) {
    (void)cloth;
    ToileEnergies energies = toile_energies_default();
    return toile_sim_get_energies(sim, &energies, error);
}

static ToileStatus call_forces(ToileSim *sim, ToileClothId cloth, ToileError *error) {
    double forces[48];
    return toile_sim_get_internal_forces(sim, cloth, forces, error);
}

static ToileStatus call_hinge(ToileSim *sim, ToileClothId cloth, ToileError *error) {
    ToileHingeDetail detail = {.struct_size = sizeof detail};
    return toile_sim_get_hinge(sim, cloth, 0, &detail, error);
}

/* Each call builds the system when something changed: the state stays, and the same call works once
 * memory is there. */
static void check_call(Call call) {
    TestMemory memory = {0};
    ToileSim *sim = make_sim(&memory);
    ToileColliderDef def = toile_collider_def_default();
    ToileClothId cloth;
    bool done = false;
    ASSERT_OK(add_patch(sim, 3, &cloth, NULL));
    ASSERT_OK(toile_sim_add_collider(sim, &def, NULL, NULL));
    uint64_t hash = toile_sim_state_hash(sim);
    for (int64_t k = 1; !done; k++) {
        ck_assert_int_lt(k, MOST_REQUESTS);
        ToileError error = toile_error_default();
        fail_at(&memory, k);
        done = succeeded(call(sim, cloth, &error), &error);
        ck_assert(done || toile_sim_state_hash(sim) == hash);
    }
    fail_at(&memory, 0);
    test_step(sim, 2);
    toile_sim_destroy(sim);
    ck_assert_int_eq(memory.live_blocks, 0);
    ck_assert_int_eq(memory.live_bytes, 0);
}

START_TEST(faults_in_step) {
    check_call(call_step);
}
END_TEST

START_TEST(faults_in_settle) {
    check_call(call_settle);
}
END_TEST

START_TEST(faults_in_evaluation) {
    check_call(call_energies);
    check_call(call_forces);
    check_call(call_hinge);
}
END_TEST

/* every model: what its sets of elements need, and what the solver needs for them */
START_TEST(faults_in_every_model) {
    for (int32_t i = 0; i < TEST_FABRICS; i++) {
        TestMemory memory = {0};
        ToileSim *sim = make_sim(&memory);
        ToileFabric fabric = test_any_fabric(i);
        ToileClothId cloth;
        bool added = false, stepped = false;
        for (int64_t k = 1; !added; k++) {
            ck_assert_int_lt(k, MOST_REQUESTS);
            ToileError error = toile_error_default();
            fail_at(&memory, k);
            added = succeeded(add_fabric(sim, 3, &fabric, &cloth, &error), &error);
        }
        uint64_t hash = toile_sim_state_hash(sim);
        for (int64_t k = 1; !stepped; k++) {
            ck_assert_int_lt(k, MOST_REQUESTS);
            ToileError error = toile_error_default();
            fail_at(&memory, k);
            stepped = succeeded(toile_sim_step(sim, &error), &error);
            ck_assert(stepped || toile_sim_state_hash(sim) == hash);
        }
        toile_sim_destroy(sim);
        ck_assert_int_eq(memory.live_blocks, 0);
        ck_assert_int_eq(memory.live_bytes, 0);
    }
}
END_TEST

/* after a refusal in the middle of a run the run goes on with the same bits */
START_TEST(faults_do_not_change_results) {
    TestMemory memory = {0}, other = {0};
    ToileSim *sim = make_sim(&memory), *plain = make_sim(&other);
    ToileClothId cloth;
    ASSERT_OK(add_patch(sim, 4, &cloth, NULL));
    ASSERT_OK(add_patch(plain, 4, &cloth, NULL));
    test_step(plain, 3);
    test_step(sim, 1);
    for (int64_t k = 1; k < 20; k++) {
        ToileColliderId id;
        ToileColliderDef def = toile_collider_def_default();
        fail_at(&memory, 0);
        ASSERT_OK(toile_sim_add_collider(sim, &def, &id, NULL));
        fail_at(&memory, k);
        ck_assert_int_eq(toile_sim_step(sim, NULL), TOILE_STATUS_OUT_OF_MEMORY);
        fail_at(&memory, 0);
        ASSERT_OK(toile_sim_remove_collider(sim, id, NULL));
    }
    test_step(sim, 2);
    ck_assert_uint_eq(toile_sim_state_hash(sim), toile_sim_state_hash(plain));
    toile_sim_destroy(sim);
    toile_sim_destroy(plain);
}
END_TEST

TEST_MAIN("faults", faults_in_create, faults_in_add_cloth, faults_in_add_collider,
          faults_in_remove_cloth, faults_in_step, faults_in_settle, faults_in_evaluation,
          faults_in_every_model, faults_do_not_change_results)
