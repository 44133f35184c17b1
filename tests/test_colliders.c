/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Capsules and meshes as colliders of a simulation: what is refused, what is copied, where they go.
 */
#include "sim/sim_internal.h"
#include "support/builders.h"
#include "toile/draft.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REQUESTS = 100, VERTICES = 6 };

/* Two quads side by side, which tests change at will. */
typedef struct Shape {
    double positions[3 * VERTICES], thickness[VERTICES], friction[VERTICES];
    int32_t sizes[2], corners[8];
    ToileMeshDef mesh;
    ToileColliderDef def;
} Shape;

static void make_shape(Shape *s) {
    static const double at[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0};
    static const int32_t sizes[] = {4, 4}, corners[] = {0, 1, 4, 3, 1, 2, 5, 4};
    memset(s, 0, sizeof *s);
    memcpy(s->positions, at, sizeof at);
    memcpy(s->sizes, sizes, sizeof sizes);
    memcpy(s->corners, corners, sizeof corners);
    s->mesh = toile_mesh_def_default();
    s->mesh.vertex_count = VERTICES;
    s->mesh.face_count = 2;
    s->mesh.corner_count = 8;
    s->mesh.positions_m = s->positions;
    s->mesh.face_sizes = s->sizes;
    s->mesh.corners = s->corners;
    s->def = toile_collider_def_default();
    s->def.shape = TOILE_COLLIDER_MESH;
    s->def.name = "arm";
    s->def.mesh = &s->mesh;
    s->def.vertex_thickness_m = s->thickness;
    s->def.vertex_friction = s->friction;
}

static ToileSim *make_sim(TestMemory *memory) {
    ToileSimDef def = toile_sim_def_default();
    def.threads = 1;
    if (memory != NULL) {
        def.allocator = test_allocator(memory);
    }
    return test_sim(&def);
}

/* ---- definitions ---- */

START_TEST(colliders_have_defaults) {
    ToileColliderDef def = toile_collider_def_default();
    ck_assert(def.end_m[0] == 0.0 && def.end_m[1] == 1.0 && def.end_m[2] == 0.0);
    ck_assert(def.mesh == NULL && def.vertex_thickness_m == NULL && def.vertex_friction == NULL);
    ck_assert_int_eq(toile_sim_def_default().contact_self, 1);
}
END_TEST

/* A caller who was built before a field was there gets what he had then. */
START_TEST(colliders_of_older_callers_are_as_before) {
    ToileColliderDef def = toile_collider_def_default();
    ToileSimDef old = toile_sim_def_default();
    ToileSim *sim;
    old.struct_size = offsetof(ToileSimDef, contact_self);
    ASSERT_OK(toile_sim_create(&old, &sim, NULL));
    ck_assert_int_eq(sim->def.contact_self, 0);
    memset(&def.end_m, 0xff, sizeof def - offsetof(ToileColliderDef, end_m));
    def.struct_size = offsetof(ToileColliderDef, end_m);
    ASSERT_OK(toile_sim_add_collider(sim, &def, NULL, NULL));
    toile_sim_destroy(sim);
}
END_TEST

START_TEST(colliders_self_contact_is_on_or_off) {
    ToileSimDef def = toile_sim_def_default();
    ToileSim *sim;
    def.contact_self = 2;
    ck_assert_int_eq(toile_sim_create(&def, &sim, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    def.contact_self = 0;
    ASSERT_OK(toile_sim_create(&def, &sim, NULL));
    toile_sim_destroy(sim);
}
END_TEST

typedef void (*Change)(Shape *s);

static void no_mesh(Shape *s) {
    s->def.mesh = NULL;
}
static void not_initialised(Shape *s) {
    s->mesh.struct_size = 0;
}
static void no_faces(Shape *s) {
    s->mesh.face_count = s->mesh.corner_count = 0;
}
static void no_corners(Shape *s) {
    s->mesh.corners = NULL;
}
static void wrong_count(Shape *s) {
    s->mesh.corner_count = 7;
}
static void two_vertices(Shape *s) {
    memset(s->corners, 0, sizeof s->corners);
    s->mesh.vertex_count = 2;
}
static void five_corners(Shape *s) {
    s->sizes[0] = 3;
    s->sizes[1] = 5;
}
static void two_corners(Shape *s) {
    s->sizes[1] = 2;
    s->mesh.corner_count = 6;
}
static void index_high(Shape *s) {
    s->corners[6] = VERTICES;
}
static void index_negative(Shape *s) {
    s->corners[1] = -1;
}
static void not_a_number(Shape *s) {
    s->positions[10] = (double)NAN;
}
static void infinite(Shape *s) {
    s->positions[3 * VERTICES - 1] = (double)INFINITY;
}
static void thin(Shape *s) {
    s->thickness[4] = -1e-9;
}
static void thickness_nan(Shape *s) {
    s->thickness[0] = (double)NAN;
}
static void friction_nan(Shape *s) {
    s->friction[5] = (double)NAN;
}
static void thickness_below(Shape *s) {
    s->def.thickness_m = -0.001;
}
static void mesh_of_a_sphere(Shape *s) {
    s->def.shape = TOILE_COLLIDER_SPHERE;
}
static void map_of_a_capsule(Shape *s) {
    s->def.shape = TOILE_COLLIDER_CAPSULE;
    s->def.mesh = NULL;
    s->def.vertex_friction = NULL;
}
static void capsule(Shape *s) {
    s->def = toile_collider_def_default();
    s->def.name = "arm";
    s->def.shape = TOILE_COLLIDER_CAPSULE;
}
static void capsule_end_nan(Shape *s) {
    capsule(s);
    s->def.end_m[2] = (double)NAN;
}
static void capsule_radius_zero(Shape *s) {
    capsule(s);
    s->def.radius_m = 0.0;
}
static void shape_unknown(Shape *s) {
    capsule(s);
    s->def.shape = TOILE_COLLIDER_MESH + 1;
}

/* one clear sentence each, with the name and the place */
START_TEST(colliders_refuse_what_is_wrong) {
    static const struct {
        Change change;
        ToileStatus status;
        const char *says;
        int64_t face, vertex;
    } cases[] = {
        {no_mesh, TOILE_STATUS_INVALID_ARGUMENT, "has no mesh", -1, -1},
        {not_initialised, TOILE_STATUS_INVALID_ARGUMENT, "not initialised", -1, -1},
        {no_faces, TOILE_STATUS_INVALID_DATA, "no face", -1, -1},
        {no_corners, TOILE_STATUS_INVALID_DATA, "lacks", -1, -1},
        {wrong_count, TOILE_STATUS_INVALID_DATA, "corner_count", -1, -1},
        {two_vertices, TOILE_STATUS_INVALID_DATA, "has 2 vertices", -1, -1},
        {five_corners, TOILE_STATUS_INVALID_DATA, "has 5 corners", 1, -1},
        {two_corners, TOILE_STATUS_INVALID_DATA, "has 2 corners", 1, -1},
        {index_high, TOILE_STATUS_INVALID_DATA, "uses vertex 6", 1, 6},
        {index_negative, TOILE_STATUS_INVALID_DATA, "uses vertex -1", 0, -1},
        {not_a_number, TOILE_STATUS_INVALID_ARGUMENT, "vertex 3 is not a number", -1, 3},
        {infinite, TOILE_STATUS_INVALID_ARGUMENT, "vertex 5 is not a number", -1, 5},
        {thin, TOILE_STATUS_INVALID_ARGUMENT, "vertex_thickness_m of vertex 4", -1, 4},
        {thickness_nan, TOILE_STATUS_INVALID_ARGUMENT, "vertex_thickness_m of vertex 0", -1, 0},
        {friction_nan, TOILE_STATUS_INVALID_ARGUMENT, "vertex_friction of vertex 5", -1, 5},
        {thickness_below, TOILE_STATUS_INVALID_ARGUMENT, "thickness_m is -0.001", -1, -1},
        {mesh_of_a_sphere, TOILE_STATUS_INVALID_ARGUMENT, "shape is not mesh", -1, -1},
        {map_of_a_capsule, TOILE_STATUS_INVALID_ARGUMENT, "shape is not mesh", -1, -1},
        {capsule_end_nan, TOILE_STATUS_INVALID_ARGUMENT, "end_m", -1, -1},
        {capsule_radius_zero, TOILE_STATUS_INVALID_ARGUMENT, "radius_m is 0", -1, -1},
        {shape_unknown, TOILE_STATUS_INVALID_ARGUMENT, "shape is 5", -1, -1},
    };
    TestMemory memory = {0};
    ToileSim *sim = make_sim(&memory);
    int64_t blocks = memory.live_blocks;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ToileError error = toile_error_default();
        Shape shape;
        make_shape(&shape);
        cases[i].change(&shape);
        ck_assert_int_eq(toile_sim_add_collider(sim, &shape.def, NULL, &error), cases[i].status);
        ck_assert_msg(strstr(error.message, cases[i].says) != NULL, "case %zu: %s", i,
                      error.message);
        ck_assert_str_eq(error.object, "arm");
        ck_assert_int_eq(error.face, cases[i].face);
        ck_assert_int_eq(error.vertex, cases[i].vertex);
        ck_assert_int_eq(memory.live_blocks, blocks);
    }
    ck_assert_int_eq(toile_sim_add_collider(sim, NULL, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_add_collider(NULL, NULL, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    toile_sim_destroy(sim);
}
END_TEST

static void no_area(Shape *s) {
    memset(s->positions, 0, sizeof s->positions);
}
static void repeated_corners(Shape *s) {
    memset(s->corners, 0, sizeof s->corners);
    s->corners[5] = 3;
}
static void uvs_of_any_kind(Shape *s) {
    s->mesh.uv_count = 4;
}
static void no_maps(Shape *s) {
    s->def.vertex_thickness_m = s->def.vertex_friction = NULL;
}
static void friction_not_given(Shape *s) {
    s->friction[2] = -1.0;
}
static void capsule_without_length(Shape *s) {
    capsule(s);
    s->def.end_m[1] = 0.0;
}

START_TEST(colliders_take_what_is_odd_but_sound) {
    static const Change changes[] = {no_area, repeated_corners,   uvs_of_any_kind,
                                     no_maps, friction_not_given, capsule_without_length};
    ToileSim *sim = make_sim(NULL);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        Shape shape;
        make_shape(&shape);
        changes[i](&shape);
        ASSERT_OK(toile_sim_add_collider(sim, &shape.def, NULL, NULL));
    }
    test_step(sim, 1);
    toile_sim_destroy(sim);
}
END_TEST

/* ---- life ---- */

/* Whether positions of a mesh are those that were given; the numbers of these tests are exact. */
static void expect_given(const TlColliderSlot *slot, const double *values, const double *given) {
    for (int i = 0; i < 3 * slot->mesh.vertex_count; i++) {
        ck_assert_double_eq(values[i] + slot->own_from[i % 3], given[i]);
    }
}

/* all arrays may be gone as soon as it is added */
START_TEST(colliders_copy_their_mesh) {
    ToileSim *sim = make_sim(NULL);
    ToileColliderId id;
    Shape shape, same;
    make_shape(&shape);
    same = shape;
    ASSERT_OK(toile_sim_add_collider(sim, &shape.def, &id, NULL));
    memset(&shape, 0xff, sizeof shape);
    const TlColliderMesh *mesh = &sim->colliders[id.slot - 1].mesh;
    ck_assert_int_eq(mesh->vertex_count, VERTICES);
    ck_assert_int_eq(mesh->triangles.count, 4);
    expect_given(&sim->colliders[id.slot - 1], mesh->start, same.positions);
    expect_given(&sim->colliders[id.slot - 1], mesh->now, same.positions);
    expect_given(&sim->colliders[id.slot - 1], mesh->target, same.positions);
    ck_assert_mem_eq(mesh->thickness, same.thickness, sizeof same.thickness);
    ck_assert_mem_eq(mesh->friction, same.friction, sizeof same.friction);
    toile_sim_destroy(sim);
}
END_TEST

START_TEST(colliders_free_their_mesh) {
    TestMemory memory = {0};
    ToileSim *sim = make_sim(&memory);
    ToileColliderDef ball = toile_collider_def_default();
    ToileColliderId id, next;
    Shape shape;
    make_shape(&shape);
    /* the table of slots comes first */
    ASSERT_OK(toile_sim_add_collider(sim, &ball, NULL, NULL));
    int64_t blocks = memory.live_blocks;
    ASSERT_OK(toile_sim_add_collider(sim, &shape.def, &id, NULL));
    ck_assert_int_gt(memory.live_blocks, blocks);
    ASSERT_OK(toile_sim_remove_collider(sim, id, NULL));
    ck_assert_int_eq(memory.live_blocks, blocks);
    /* what comes into its slot is no mesh */
    ASSERT_OK(toile_sim_add_collider(sim, &ball, &next, NULL));
    ck_assert_uint_eq(next.slot, id.slot);
    ck_assert_int_eq(toile_sim_set_collider_positions(sim, next, shape.positions, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ASSERT_OK(toile_sim_add_collider(sim, &shape.def, NULL, NULL));
    toile_sim_destroy(sim);
    ck_assert_int_eq(memory.live_blocks, 0);
}
END_TEST

/* the table of slots grows under meshes that are there already */
START_TEST(colliders_keep_their_meshes_when_many) {
    enum { MANY = 20 };
    TestMemory memory = {0};
    ToileSim *sim = make_sim(&memory);
    ToileColliderId ids[MANY];
    Shape shape;
    make_shape(&shape);
    for (int i = 0; i < MANY; i++) {
        shape.positions[0] = i;
        ASSERT_OK(toile_sim_add_collider(sim, &shape.def, &ids[i], NULL));
    }
    for (int i = 0; i < MANY; i++) {
        const TlColliderSlot *slot = &sim->colliders[ids[i].slot - 1];
        ck_assert_double_eq(slot->mesh.now[0] + slot->own_from[0], i);
        ASSERT_OK(toile_sim_set_collider_positions(sim, ids[i], shape.positions, NULL));
    }
    test_step(sim, 1);
    toile_sim_destroy(sim);
    ck_assert_int_eq(memory.live_blocks, 0);
}
END_TEST

START_TEST(colliders_are_not_added_when_memory_is_refused) {
    TestMemory memory = {0};
    ToileSim *sim = make_sim(&memory);
    ToileColliderId id = {0, 0};
    Shape shape;
    make_shape(&shape);
    bool done = false;
    for (int64_t k = 1; !done; k++) {
        ck_assert_int_lt(k, MOST_REQUESTS);
        ToileError error = toile_error_default();
        memory.requests = 0;
        memory.fail_at = k;
        ToileStatus status = toile_sim_add_collider(sim, &shape.def, &id, &error);
        done = status == TOILE_STATUS_OK;
        ck_assert(done || status == TOILE_STATUS_OUT_OF_MEMORY);
        ck_assert_uint_eq(id.generation, done);
    }
    memory.fail_at = 0;
    test_step(sim, 1);
    toile_sim_destroy(sim);
    ck_assert_int_eq(memory.live_blocks, 0);
}
END_TEST

/* ---- motion ---- */

START_TEST(colliders_refuse_positions_that_are_wrong) {
    ToileSim *sim = make_sim(NULL);
    ToileColliderDef ball = toile_collider_def_default();
    ToileColliderId id, round;
    ToileError error = toile_error_default();
    Shape shape;
    make_shape(&shape);
    ASSERT_OK(toile_sim_add_collider(sim, &shape.def, &id, NULL));
    ASSERT_OK(toile_sim_add_collider(sim, &ball, &round, NULL));
    uint64_t hash = toile_sim_state_hash(sim);
    ck_assert_int_eq(toile_sim_set_collider_positions(sim, id, NULL, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_set_collider_positions(sim, round, shape.positions, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_str_eq(error.object, "collider");
    ck_assert_ptr_nonnull(strstr(error.message, "no mesh"));
    shape.positions[0] = 7;
    shape.positions[8] = (double)NAN;
    ck_assert_int_eq(toile_sim_set_collider_positions(sim, id, shape.positions, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_str_eq(error.object, "arm");
    ck_assert_int_eq(error.vertex, 2);
    ck_assert_int_eq(toile_sim_set_collider_positions(NULL, id, shape.positions, NULL),
                     TOILE_STATUS_STALE_ID);
    ck_assert_uint_eq(toile_sim_state_hash(sim), hash);
    ASSERT_OK(toile_sim_remove_collider(sim, id, NULL));
    ck_assert_int_eq(toile_sim_set_collider_positions(sim, id, shape.positions, NULL),
                     TOILE_STATUS_STALE_ID);
    toile_sim_destroy(sim);
}
END_TEST

START_TEST(colliders_arrive_after_a_step_and_a_settle) {
    ToileSim *sim = make_sim(NULL);
    ToilePose pose = {{1, 2, 3}, {0.1, 0.2, 0.3}};
    ToileColliderId id;
    Shape shape;
    make_shape(&shape);
    ASSERT_OK(toile_sim_add_collider(sim, &shape.def, &id, NULL));
    for (int i = 0; i < 2; i++) {
        TlColliderSlot *slot = &sim->colliders[id.slot - 1];
        shape.positions[4] += 0.5;
        pose.translate_m[0] += 1;
        ASSERT_OK(toile_sim_set_collider_positions(sim, id, shape.positions, NULL));
        ASSERT_OK(toile_sim_set_collider_pose(sim, id, &pose, NULL));
        ck_assert(slot->mesh.now[4] + slot->own_from[1] != shape.positions[4]);
        if (i == 0) {
            test_step(sim, 1);
        } else {
            ASSERT_OK(toile_sim_settle(sim, NULL, NULL, NULL));
        }
        expect_given(slot, slot->mesh.now, shape.positions);
        ck_assert_mem_eq(&slot->now, &slot->target, sizeof slot->now);
    }
    toile_sim_destroy(sim);
}
END_TEST

/* a patch that falls across a lying capsule hangs over it, and never comes into it */
START_TEST(colliders_capsule_holds_cloth) {
    ToileSim *sim = make_sim(NULL);
    ToileColliderDef bar = toile_collider_def_default();
    TestMesh mesh = test_grid(10, 10, 0.4, 0.4, TEST_DIAGONAL_NONE);
    TlVec3 n;
    ToilePose none = {{0, 0, 0}, {0, 0, 0}};
    test_lay_flat(&mesh, 0.15);
    ToileClothId cloth = test_add(sim, &mesh, NULL, NULL, 0);
    bar.shape = TOILE_COLLIDER_CAPSULE;
    bar.center_m[0] = -0.2;
    bar.center_m[2] = bar.end_m[2] = -0.2;
    bar.end_m[0] = 0.6;
    bar.end_m[1] = 0.0;
    bar.radius_m = 0.1;
    ASSERT_OK(toile_sim_add_collider(sim, &bar, NULL, NULL));
    TlCollider collider = tl_collider(&bar);
    TlMotion motion = tl_motion_from_pose(&none);
    TlPlaced placed = tl_place(&collider, &motion);
    double highest = -1.0;
    for (int frame = 0; frame < 24; frame++) {
        test_step(sim, 1);
        double *x = test_positions(sim, cloth);
        highest = -1.0;
        for (int32_t v = 0; v < mesh.vertex_count; v++) {
            ck_assert_double_gt(tl_collider_distance(&placed, tl_load3(x + 3 * v), &n), 0.0);
            highest = tl_max(highest, x[3 * v + 1]);
        }
        free(x);
    }
    ck_assert_double_gt(highest, 0.1);
    toile_sim_destroy(sim);
    test_mesh_free(&mesh);
}
END_TEST

/* another mesh is there at once; none is allowed, and what is wrong changes nothing */
START_TEST(colliders_change_their_mesh) {
    TestMemory memory = {0};
    ToileSim *sim = make_sim(&memory);
    ToileColliderDef ball = toile_collider_def_default();
    ToileColliderId id, round;
    Shape shape;
    make_shape(&shape);
    ASSERT_OK(toile_sim_add_collider(sim, &shape.def, &id, NULL));
    ASSERT_OK(toile_sim_add_collider(sim, &ball, &round, NULL));
    const TlColliderMesh *mesh = &sim->colliders[id.slot - 1].mesh;
    test_step(sim, 1);
    /* the first quad alone, elsewhere */
    shape.positions[1] = 7;
    shape.mesh.vertex_count = 5;
    shape.mesh.face_count = 1;
    shape.mesh.corner_count = 4;
    ASSERT_OK(toile_sim_set_collider_mesh(sim, id, &shape.mesh, NULL));
    ck_assert_int_eq(mesh->vertex_count, 5);
    ck_assert_int_eq(mesh->triangles.count, 2);
    expect_given(&sim->colliders[id.slot - 1], mesh->now, shape.positions);
    expect_given(&sim->colliders[id.slot - 1], mesh->target, shape.positions);
    expect_given(&sim->colliders[id.slot - 1], mesh->start, shape.positions);
    ck_assert_ptr_null(mesh->thickness);
    test_step(sim, 1);
    ck_assert_int_eq(toile_sim_set_collider_mesh(sim, round, &shape.mesh, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    shape.corners[0] = 5;
    ck_assert_int_ne(toile_sim_set_collider_mesh(sim, id, &shape.mesh, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(mesh->vertex_count, 5);
    ASSERT_OK(toile_sim_set_collider_mesh(sim, id, NULL, NULL));
    ck_assert_int_eq(mesh->vertex_count, 0);
    test_step(sim, 1);
    ck_assert_int_eq(toile_sim_set_collider_positions(sim, id, shape.positions, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    toile_sim_destroy(sim);
    ck_assert_int_eq(memory.live_blocks, 0);
}
END_TEST

TEST_MAIN("colliders", colliders_have_defaults, colliders_of_older_callers_are_as_before,
          colliders_self_contact_is_on_or_off, colliders_refuse_what_is_wrong,
          colliders_take_what_is_odd_but_sound, colliders_copy_their_mesh,
          colliders_free_their_mesh, colliders_keep_their_meshes_when_many,
          colliders_are_not_added_when_memory_is_refused, colliders_refuse_positions_that_are_wrong,
          colliders_arrive_after_a_step_and_a_settle, colliders_capsule_holds_cloth,
          colliders_change_their_mesh)
