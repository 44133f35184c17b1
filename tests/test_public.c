/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The shared library as a host sees it: public headers and exported symbols alone. */
#include "toile/draft.h"
#include "toile/toile.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define ASSERT_OK(status) ck_assert_int_eq((status), TOILE_STATUS_OK)

/* A square of four vertices, level at height 1. */
static const double positions[12] = {0, 1, 0, 1, 1, 0, 1, 1, -1, 0, 1, -1};
static const int32_t face_sizes[1] = {4}, corners[4] = {0, 1, 2, 3};

static ToileMeshDef square(void) {
    ToileMeshDef mesh = toile_mesh_def_default();
    mesh.vertex_count = 4;
    mesh.face_count = 1;
    mesh.corner_count = 4;
    mesh.positions_m = positions;
    mesh.face_sizes = face_sizes;
    mesh.corners = corners;
    return mesh;
}

static ToileSim *make_sim(ToileClothId *cloth) {
    ToileSimDef def = toile_sim_def_default();
    ToileClothDef cloth_def = toile_cloth_def_default();
    ToileMeshDef mesh = square();
    ToileSim *sim = NULL;
    ASSERT_OK(toile_sim_create(&def, &sim, NULL));
    cloth_def.mesh = &mesh;
    ASSERT_OK(toile_sim_add_cloth(sim, &cloth_def, cloth, NULL));
    return sim;
}

START_TEST(public_small_simulation) {
    ToileClothId cloth;
    ToileColliderId floor;
    ToileSim *sim = make_sim(&cloth);
    ToileColliderDef def = toile_collider_def_default();
    ToileStats stats = toile_stats_default();
    double x[12];
    def.shape = TOILE_COLLIDER_PLANE;
    ASSERT_OK(toile_sim_add_collider(sim, &def, &floor, NULL));
    ck_assert_int_eq(toile_sim_frame(sim), 1);
    for (int i = 0; i < 24; i++) {
        ASSERT_OK(toile_sim_step(sim, NULL));
    }
    ck_assert_int_eq(toile_sim_frame(sim), 25);
    ASSERT_OK(toile_sim_get_positions(sim, cloth, x, NULL));
    ck_assert(x[1] > 0.0 && x[1] < 0.01);
    ASSERT_OK(toile_sim_get_stats(sim, &stats, NULL));
    ck_assert_int_eq(stats.contacts, 4);
    ck_assert_int_eq(toile_sim_element_count(sim, cloth), 1);
    ck_assert_int_eq(toile_sim_hinge_count(sim, cloth), 1);
    toile_sim_destroy(sim);
}
END_TEST

START_TEST(public_version_and_status_names) {
    uint32_t version = TOILE_VERSION_MAJOR << 16 | TOILE_VERSION_MINOR << 8 | TOILE_VERSION_PATCH;
    ck_assert_uint_eq(toile_version(), version);
    ck_assert_int_eq(toile_version_string()[0], '0' + TOILE_VERSION_MAJOR);
    ck_assert_str_eq(toile_status_name(TOILE_STATUS_OK), "OK");
    ck_assert_str_eq(toile_status_name(TOILE_STATUS_INTERNAL), "INTERNAL");
    ck_assert_str_eq(toile_status_name((ToileStatus)99), "UNKNOWN");
    for (int i = 0; i <= TOILE_STATUS_INTERNAL; i++) {
        ck_assert_str_ne(toile_status_name((ToileStatus)i), "UNKNOWN");
    }
}
END_TEST

/* ---- struct sizes ---- */

typedef void (*InitBytes)(unsigned char *bytes, uint32_t size);

#define DEFINE_INIT(name, Type, init)                                                              \
    static void name(unsigned char *bytes, uint32_t size) {                                        \
        init((Type *)(void *)bytes, size);                                                         \
    }
DEFINE_INIT(init_mesh, ToileMeshDef, toile_mesh_def_init)
DEFINE_INIT(init_fabric, ToileFabric, toile_fabric_init)
DEFINE_INIT(init_cloth, ToileClothDef, toile_cloth_def_init)
DEFINE_INIT(init_collider, ToileColliderDef, toile_collider_def_init)
DEFINE_INIT(init_sim, ToileSimDef, toile_sim_def_init)
DEFINE_INIT(init_settle, ToileSettleDef, toile_settle_def_init)
DEFINE_INIT(init_stats, ToileStats, toile_stats_init)
DEFINE_INIT(init_energies, ToileEnergies, toile_energies_init)
DEFINE_INIT(init_result, ToileSettleResult, toile_settle_result_init)
DEFINE_INIT(init_error, ToileError, toile_error_init)

/* For every size: that size is stored, nothing beyond it is touched. */
START_TEST(public_init_never_writes_beyond_the_size_it_was_told) {
    static const struct {
        InitBytes init;
        uint32_t size;
    } all[] = {{init_mesh, sizeof(ToileMeshDef)},        {init_fabric, sizeof(ToileFabric)},
               {init_cloth, sizeof(ToileClothDef)},      {init_collider, sizeof(ToileColliderDef)},
               {init_sim, sizeof(ToileSimDef)},          {init_settle, sizeof(ToileSettleDef)},
               {init_stats, sizeof(ToileStats)},         {init_energies, sizeof(ToileEnergies)},
               {init_result, sizeof(ToileSettleResult)}, {init_error, sizeof(ToileError)}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        /* from a caller that knows less, to one that knows more */
        for (uint32_t size = 8; size <= all[i].size + 16; size += 8) {
            unsigned char *bytes = malloc(size + 8);
            uint32_t stored;
            memset(bytes, 0xee, size + 8);
            all[i].init(bytes, size);
            memcpy(&stored, bytes, sizeof stored);
            ck_assert_uint_eq(stored, size);
            for (uint32_t k = size; k < size + 8; k++) {
                ck_assert_uint_eq(bytes[k], 0xee);
            }
            free(bytes);
        }
    }
}
END_TEST

/* A definition cut down to `size` bytes, in memory of just that size. */
static void *cut(const void *def, uint32_t size) {
    volatile size_t length = size; /* so that the compiler does not warn of the very thing tested */
    unsigned char *bytes = malloc(length);
    memcpy(bytes, def, length);
    memcpy(bytes, &size, sizeof size);
    return bytes;
}

START_TEST(public_smaller_structs_of_older_callers_work) {
    ToileSimDef def = toile_sim_def_default();
    ToileClothDef cloth_def = toile_cloth_def_default();
    ToileFabric fabric = toile_fabric_default();
    ToileMeshDef mesh = square();
    ToileColliderDef collider = toile_collider_def_default();
    ToileSim *sim = NULL;
    ToileClothId cloth;
    ToileColliderId id;
    def.start_frame = 7;
    /* each without its last fields, which take their defaults */
    void *old_sim = cut(&def, offsetof(ToileSimDef, allocator));
    ASSERT_OK(toile_sim_create(old_sim, &sim, NULL));
    ck_assert_int_eq(toile_sim_frame(sim), 7);
    void *old_fabric = cut(&fabric, offsetof(ToileFabric, bend_weft_N_m));
    void *old_mesh = cut(&mesh, offsetof(ToileMeshDef, uvs));
    cloth_def.fabric = old_fabric;
    cloth_def.mesh = old_mesh;
    void *old_cloth = cut(&cloth_def, offsetof(ToileClothDef, rest_positions_m));
    ASSERT_OK(toile_sim_add_cloth(sim, old_cloth, &cloth, NULL));
    void *old_collider = cut(&collider, offsetof(ToileColliderDef, pose));
    ASSERT_OK(toile_sim_add_collider(sim, old_collider, &id, NULL));
    ASSERT_OK(toile_sim_step(sim, NULL));
    ASSERT_OK(toile_mesh_check(old_mesh, false, NULL, 0, NULL, NULL));
    toile_sim_destroy(sim);
    free(old_sim);
    free(old_fabric);
    free(old_mesh);
    free(old_cloth);
    free(old_collider);
}
END_TEST

/* Results follow the same rule: the part that fits is written, the caller's size stays. */
START_TEST(public_smaller_results_of_older_callers_work) {
    ToileClothId cloth;
    ToileSim *sim = make_sim(&cloth);
    ToileStats stats = toile_stats_default();
    ToileEnergies energies = toile_energies_default();
    ToileSettleResult result = toile_settle_result_default();
    static const int32_t pins[4] = {0, 1, 2, 3};
    uint32_t size;
    ASSERT_OK(toile_sim_set_pinned(sim, cloth, pins, 4, true, NULL));
    ASSERT_OK(toile_sim_step(sim, NULL));
    ToileStats *old_stats = cut(&stats, offsetof(ToileStats, residual_N));
    ASSERT_OK(toile_sim_get_stats(sim, old_stats, NULL));
    memcpy(&size, old_stats, sizeof size);
    ck_assert_uint_eq(size, offsetof(ToileStats, residual_N));
    ck_assert_int_gt(old_stats->substeps, 0);
    ToileEnergies *old_energies = cut(&energies, offsetof(ToileEnergies, kinetic_J));
    ASSERT_OK(toile_sim_get_energies(sim, old_energies, NULL));
    ck_assert_double_gt(old_energies->gravity_J, 1.0);
    ToileSettleResult *old_result = cut(&result, offsetof(ToileSettleResult, largest_force_N));
    ASSERT_OK(toile_sim_settle(sim, NULL, old_result, NULL));
    ck_assert_int_eq(old_result->converged, 1);
    free(old_stats);
    free(old_energies);
    free(old_result);
    toile_sim_destroy(sim);
}
END_TEST

START_TEST(public_larger_structs_of_newer_callers_work) {
    struct {
        ToileSimDef def;
        double unknown[4];
    } newer;
    ToileSim *sim = NULL;
    memset(&newer, 0xff, sizeof newer);
    toile_sim_def_init(&newer.def, (uint32_t)sizeof newer);
    ASSERT_OK(toile_sim_create(&newer.def, &sim, NULL));
    toile_sim_destroy(sim);
}
END_TEST

START_TEST(public_structs_not_initialised_are_refused) {
    ToileClothId cloth;
    ToileSim *sim = make_sim(&cloth), *none = sim;
    ToileSimDef def = toile_sim_def_default();
    ToileClothDef cloth_def = toile_cloth_def_default();
    ToileColliderDef collider = toile_collider_def_default();
    ToileSettleDef settle = toile_settle_def_default();
    ToileSettleResult result = toile_settle_result_default();
    ToileStats stats = toile_stats_default();
    ToileEnergies energies = toile_energies_default();
    ToileHingeDetail hinge = {0};
    ToileMeshDef mesh = square();
    def.struct_size = cloth_def.struct_size = collider.struct_size = settle.struct_size = 0;
    result.struct_size = stats.struct_size = energies.struct_size = mesh.struct_size = 0;
    ck_assert_int_eq(toile_sim_create(&def, &none, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(toile_sim_add_cloth(sim, &cloth_def, &cloth, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    cloth_def = toile_cloth_def_default();
    cloth_def.mesh = &mesh;
    ck_assert_int_eq(toile_sim_add_cloth(sim, &cloth_def, NULL, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_add_collider(sim, &collider, NULL, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_settle(sim, &settle, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_settle(sim, NULL, &result, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_get_stats(sim, &stats, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_get_energies(sim, &energies, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_get_hinge(sim, cloth, 0, &hinge, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    toile_sim_destroy(sim);
}
END_TEST

/* ---- ids, NULLs and errors ---- */

START_TEST(public_stale_ids_are_reported) {
    ToileClothId cloth;
    ToileSim *sim = make_sim(&cloth);
    ToileError error = toile_error_default();
    double x[12] = {0};
    ASSERT_OK(toile_sim_remove_cloth(sim, cloth, NULL));
    ck_assert_int_eq(toile_sim_get_positions(sim, cloth, x, &error), TOILE_STATUS_STALE_ID);
    ck_assert_int_eq(error.status, TOILE_STATUS_STALE_ID);
    ck_assert_int_eq(toile_sim_set_positions(sim, cloth, x, NULL), TOILE_STATUS_STALE_ID);
    ck_assert_int_eq(toile_sim_get_internal_forces(sim, cloth, x, NULL), TOILE_STATUS_STALE_ID);
    ck_assert_int_eq(toile_sim_vertex_count(sim, cloth), -1);
    ck_assert_int_eq(toile_sim_hinge_count(sim, cloth), -1);
    ck_assert_int_eq(toile_sim_element_count(sim, cloth), -1);
    ck_assert_int_eq(toile_sim_remove_collider(sim, (ToileColliderId){0, 0}, NULL),
                     TOILE_STATUS_STALE_ID);
    toile_sim_destroy(sim);
}
END_TEST

START_TEST(public_nulls_are_reported) {
    ToileClothId cloth;
    ToileSim *sim = (ToileSim *)&cloth;
    ToileClothDef no_mesh = toile_cloth_def_default();
    ToileColliderDef ball = toile_collider_def_default();
    ToileColliderId id;
    ck_assert_int_eq(toile_sim_create(NULL, &sim, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_ptr_null(sim);
    sim = make_sim(&cloth);
    ASSERT_OK(toile_sim_add_collider(sim, &ball, &id, NULL));
    ck_assert_int_eq(toile_sim_add_cloth(sim, NULL, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_add_cloth(sim, &no_mesh, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_add_cloth(NULL, &no_mesh, NULL, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_add_collider(sim, NULL, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_set_collider_pose(sim, id, NULL, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_get_positions(sim, cloth, NULL, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_set_positions(sim, cloth, NULL, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_get_stats(sim, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_get_energies(sim, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_get_hinge(sim, cloth, 0, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_step(NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_settle(NULL, NULL, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_ne(toile_sim_get_positions(NULL, cloth, NULL, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_sim_vertex_count(NULL, cloth), -1);
    toile_sim_frame(NULL);
    toile_sim_destroy(sim);
    toile_sim_destroy(NULL);
}
END_TEST

/* a cloth without a name still gives a usable message */
START_TEST(public_cloth_name_may_be_null) {
    static const int32_t pins[1] = {77};
    ToileClothId cloth;
    ToileSim *sim = make_sim(&cloth);
    ToileClothDef def = toile_cloth_def_default();
    ToileMeshDef mesh = square();
    ToileError error = toile_error_default();
    def.name = NULL;
    def.mesh = &mesh;
    def.pin_vertices = pins;
    def.pin_count = 1;
    ck_assert_int_eq(toile_sim_add_cloth(sim, &def, NULL, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(error.vertex, 77);
    ck_assert_ptr_null(strstr(error.object, "(null)"));
    def.pin_count = 0;
    ASSERT_OK(toile_sim_add_cloth(sim, &def, NULL, NULL));
    toile_sim_destroy(sim);
}
END_TEST

START_TEST(public_error_record_tells_what_and_where) {
    static const int32_t pins[2] = {1, 99};
    ToileClothId cloth;
    ToileSim *sim = make_sim(&cloth);
    ToileClothDef def = toile_cloth_def_default();
    ToileMeshDef mesh = square();
    ToileError error = toile_error_default();
    ck_assert_int_eq(error.status, TOILE_STATUS_OK);
    ck_assert(error.face == -1 && error.vertex == -1 && error.frame == INT64_MIN);
    def.name = "cape";
    def.mesh = &mesh;
    def.pin_vertices = pins;
    def.pin_count = 2;
    ck_assert_int_eq(toile_sim_add_cloth(sim, &def, NULL, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(error.status, TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_str_eq(error.object, "cape");
    ck_assert_int_eq(error.vertex, 99);
    /* the value found and the allowed range */
    ck_assert_ptr_nonnull(strstr(error.message, "99"));
    ck_assert_ptr_nonnull(strstr(error.message, "0 to 3"));
    toile_sim_destroy(sim);
}
END_TEST

/* untouched on success, and when it says that it was not initialised */
START_TEST(public_error_record_is_left_alone) {
    ToileClothId cloth;
    ToileSim *sim = make_sim(&cloth);
    ToileError error = toile_error_default(), before;
    strcpy(error.message, "mine");
    before = error;
    ASSERT_OK(toile_sim_step(sim, &error));
    ck_assert_mem_eq(&error, &before, sizeof error);
    error.struct_size = 0;
    before = error;
    ck_assert_int_eq(toile_sim_step(NULL, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_mem_eq(&error, &before, sizeof error);
    toile_sim_destroy(sim);
}
END_TEST

/* an older caller's record has a shorter message; what fits is written */
START_TEST(public_error_record_of_an_older_caller_is_filled) {
    ToileError error = toile_error_default();
    ToileError *old = cut(&error, offsetof(ToileError, message) + 128);
    ck_assert_int_eq(toile_sim_step(NULL, old), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(old->status, TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_uint_eq(old->struct_size, offsetof(ToileError, message) + 128);
    free(old);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("public");
    TCase *all = tcase_create("public");
    const TTest *const tests[] = {public_small_simulation,
                                  public_version_and_status_names,
                                  public_init_never_writes_beyond_the_size_it_was_told,
                                  public_smaller_structs_of_older_callers_work,
                                  public_smaller_results_of_older_callers_work,
                                  public_larger_structs_of_newer_callers_work,
                                  public_structs_not_initialised_are_refused,
                                  public_stale_ids_are_reported,
                                  public_nulls_are_reported,
                                  public_cloth_name_may_be_null,
                                  public_error_record_tells_what_and_where,
                                  public_error_record_is_left_alone,
                                  public_error_record_of_an_older_caller_is_filled};
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        tcase_add_test(all, tests[i]);
    }
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
