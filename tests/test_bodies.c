/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The surface of a simulation: what each cloth and collider brings to it, where colliders are on
 * their way, whose a triangle is. */
#include "sim/sim_internal.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

/* rounding of a few products of numbers of about one */
#define ROUNDING 1e-13
/* 45 x 50 vertices, over the 2048 below which no order is changed */
enum { COLUMNS = 44, ROWS = 49, MOST_REQUESTS = 3000 };

static ToileSim *make_sim(TestMemory *memory) {
    ToileSimDef def = toile_sim_def_default();
    def.threads = 1;
    if (memory != NULL) {
        def.allocator = test_allocator(memory);
    }
    return test_sim(&def);
}

static ToileColliderDef collider_def(ToileColliderShape shape, const char *name) {
    ToileColliderDef def = toile_collider_def_default();
    def.shape = shape;
    def.name = name;
    def.thickness_m = 0.002;
    def.center_m[0] = 3;
    return def;
}

/* One of each: a cloth of 4 quads, one of a quad, and every shape, a mesh of a quad among them. */
typedef struct World {
    ToileSim *sim;
    ToileClothId cloth[2];
    ToileColliderId sphere, plane, box, capsule, mesh;
    double positions[12];
} World;

static const int32_t quad_size[1] = {4}, quad_corners[4] = {3, 0, 1, 2};
static const double quad_at[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const double quad_thickness[4] = {0, 0.001, 0.002, 0.003};
static const double quad_friction[4] = {0.5, -1, 0, 0.25};

static ToileStatus add_quad(ToileSim *sim, bool maps, const ToilePose *pose, ToileColliderId *out,
                            ToileError *error) {
    ToileColliderDef def = collider_def(TOILE_COLLIDER_MESH, "sheet");
    ToileMeshDef mesh = toile_mesh_def_default();
    mesh.vertex_count = mesh.corner_count = 4;
    mesh.face_count = 1;
    mesh.positions_m = quad_at;
    mesh.face_sizes = quad_size;
    mesh.corners = quad_corners;
    def.mesh = &mesh;
    def.vertex_thickness_m = maps ? quad_thickness : NULL;
    def.vertex_friction = maps ? quad_friction : NULL;
    if (pose != NULL) {
        def.pose = *pose;
    }
    return toile_sim_add_collider(sim, &def, out, error);
}

static ToileColliderId add(ToileSim *sim, ToileColliderShape shape, const char *name) {
    ToileColliderDef def = collider_def(shape, name);
    ToileColliderId id;
    ASSERT_OK(toile_sim_add_collider(sim, &def, &id, NULL));
    return id;
}

static World make_world(TestMemory *memory) {
    World w = {.sim = make_sim(memory)};
    TestMesh a = test_grid(2, 2, 1, 1, TEST_DIAGONAL_NONE),
             b = test_grid(1, 1, 1, 1, TEST_DIAGONAL_NONE);
    ToileFabric silk = toile_fabric_default();
    silk.thickness_m = 0.004;
    silk.friction = 0.7;
    test_lay_flat(&a, 5);
    test_lay_flat(&b, 6);
    w.cloth[0] = test_add(w.sim, &a, NULL, NULL, 0);
    w.sphere = add(w.sim, TOILE_COLLIDER_SPHERE, "ball");
    w.plane = add(w.sim, TOILE_COLLIDER_PLANE, "floor");
    w.box = add(w.sim, TOILE_COLLIDER_BOX, "crate");
    w.cloth[1] = test_add(w.sim, &b, &silk, NULL, 0);
    w.capsule = add(w.sim, TOILE_COLLIDER_CAPSULE, "arm");
    ASSERT_OK(add_quad(w.sim, true, NULL, &w.mesh, NULL));
    memcpy(w.positions, quad_at, sizeof quad_at);
    test_mesh_free(&a);
    test_mesh_free(&b);
    return w;
}

static void prepare(ToileSim *sim) {
    ASSERT_OK(tl_sim_prepare(sim, NULL));
}

/* World positions of all collider vertices; caller frees. */
static double *points(const ToileSim *sim, double part) {
    int32_t n = sim->surface.vertices.count - sim->surface.vertices.cloth;
    double *out = test_alloc(3 * sizeof *out * (size_t)(n + 1));
    tl_sim_collider_points(sim, part, out);
    for (int32_t i = 0; i < 3 * n; i++) {
        out[i] += sim->origin[i % 3];
    }
    return out;
}

/* ---- surface ---- */

/* cloths in order, then colliders in theirs; the plane has nothing */
START_TEST(bodies_stand_one_behind_the_other) {
    static const TlBody want[] = {{0, 0, 9, 0, 8},   {1, 9, 4, 8, 2},    {0, 13, 1, 10, 0},
                                  {1, 14, 0, 10, 0}, {2, 14, 8, 10, 12}, {3, 22, 2, 22, 1},
                                  {4, 24, 4, 23, 2}};
    World w = make_world(NULL);
    prepare(w.sim);
    const TlSurface *s = &w.sim->surface;
    ck_assert_int_eq(w.sim->cloth_count, 2);
    ck_assert_int_eq(w.sim->body_count, 7);
    ck_assert_mem_eq(w.sim->bodies, want, sizeof want);
    ck_assert(s->vertices.cloth == 13 && s->vertices.count == 28);
    ck_assert(s->triangles.cloth == 10 && s->triangles.count == 25);
    /* 12 sides and 4 diagonals, 4 and 1; 12 and 6 of the box, 1 of the capsule, 5 of the mesh */
    ck_assert(s->edges.cloth == 21 && s->edges.count == 45);
    for (int32_t b = 0; b < 7; b++) {
        for (int32_t i = 0; i < want[b].vertex_count; i++) {
            ck_assert_int_eq(s->body[want[b].first_vertex + i], b);
        }
        for (int32_t k = 0; k < 3 * want[b].triangle_count; k++) {
            ck_assert_int_eq(s->body[s->triangle[3 * want[b].first_triangle + k]], b);
        }
    }
    toile_sim_destroy(w.sim);
}
END_TEST

START_TEST(bodies_have_thickness_friction_and_what_is_solid) {
    /* twice the fabric's thickness, at least 1 mm, is between two layers */
    static const double half[7] = {0.0005, 0.004, 0.002, 0, 0.002, 0.002, -1};
    static const double friction[7] = {0.3, 0.7, -1, 0, -1, -1, 0};
    static const double solid[7] = {0, 0, 0.5, 0, 0, 0.5, 0};
    World w = make_world(NULL);
    prepare(w.sim);
    const TlSurface *s = &w.sim->surface;
    for (int32_t v = 0; v < 24; v++) {
        ck_assert_double_eq(s->half[v], half[s->body[v]]);
        ck_assert_double_eq(s->friction[v], friction[s->body[v]]);
        ck_assert_double_eq(s->solid[v], solid[s->body[v]]);
    }
    for (int32_t i = 0; i < 4; i++) {
        ck_assert_double_eq(s->half[24 + i], quad_thickness[i]);
        ck_assert_double_eq(s->friction[24 + i], quad_friction[i]);
        ck_assert_double_eq(s->solid[24 + i], 0.0);
    }
    toile_sim_destroy(w.sim);
}
END_TEST

START_TEST(bodies_take_the_simulation_s_thickness_and_friction) {
    static const double given[3] = {0.006, 0.0, 1e-7};
    for (int i = 0; i < 3; i++) {
        ToileSimDef def = toile_sim_def_default();
        TestMesh mesh = test_grid(1, 1, 1, 1, TEST_DIAGONAL_NONE);
        def.threads = 1;
        def.contact_thickness_m = given[i];
        def.contact_friction = 0.9;
        ToileSim *sim = test_sim(&def);
        test_add(sim, &mesh, NULL, NULL, 0);
        ASSERT_OK(add_quad(sim, false, NULL, NULL, NULL));
        prepare(sim);
        /* two layers are never nearer than what is resolved */
        double least = 0.5 * TL_LEAST_RADIUS_M;
        ck_assert_double_eq(sim->surface.half[0], tl_max(0.5 * given[i], least));
        ck_assert_double_eq(sim->surface.friction[0], 0.9);
        ck_assert_double_eq(sim->surface.half[4], 0.002);
        ck_assert_double_eq(sim->surface.friction[4], -1.0);
        toile_sim_destroy(sim);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* meshes have no distance function: tables of the others leave them out */
START_TEST(bodies_that_are_meshes_are_not_analytic) {
    World w = make_world(NULL);
    ASSERT_OK(toile_sim_remove_collider(w.sim, w.box, NULL));
    /* into the slot between others */
    ASSERT_OK(add_quad(w.sim, false, NULL, NULL, NULL));
    prepare(w.sim);
    TlContacts contacts = tl_sim_contacts(w.sim, 0.0, 1.0, 0.01);
    static const ToileColliderShape want[] = {TOILE_COLLIDER_SPHERE, TOILE_COLLIDER_PLANE,
                                              TOILE_COLLIDER_CAPSULE};
    ck_assert_int_eq(contacts.collider_count, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(contacts.now[i].collider->shape, want[i]);
        ck_assert_int_eq(contacts.before[i].collider->shape, want[i]);
        ck_assert_double_eq(contacts.radius[i], 0.0025);
        ck_assert_double_eq(contacts.radius[3 + i], 0.006);
        ck_assert_double_eq(contacts.friction[i], 0.3);
        ck_assert_double_eq(contacts.friction[3 + i], 0.7);
    }
    toile_sim_destroy(w.sim);
}
END_TEST

START_TEST(bodies_come_and_go) {
    World w = make_world(NULL);
    test_step(w.sim, 1);
    ASSERT_OK(toile_sim_remove_collider(w.sim, w.mesh, NULL));
    ASSERT_OK(toile_sim_remove_cloth(w.sim, w.cloth[0], NULL));
    prepare(w.sim);
    ck_assert(w.sim->cloth_count == 1 && w.sim->body_count == 5);
    ck_assert(w.sim->surface.vertices.cloth == 4 && w.sim->surface.vertices.count == 15);
    ck_assert_int_eq(w.sim->bodies[0].slot, 1);
    ASSERT_OK(add_quad(w.sim, false, NULL, &w.mesh, NULL));
    test_step(w.sim, 1);
    ck_assert_int_eq(w.sim->surface.vertices.count, 19);
    toile_sim_destroy(w.sim);
}
END_TEST

/* whole metres from the first cloth, by cloth, shape and pose, wherever all are */
START_TEST(bodies_are_placed_beside_the_first_cloth) {
    for (int far = 0; far < 2; far++) {
        ToileSim *sim = make_sim(NULL);
        TestMesh mesh = test_grid(1, 1, 1, 1, TEST_DIAGONAL_NONE);
        ToileColliderDef def = collider_def(TOILE_COLLIDER_BOX, "crate");
        for (int32_t b = 0; b < 2; b++) {
            for (int32_t i = 0; i < mesh.vertex_count; i++) {
                mesh.positions[3 * i] += b == 0 ? 1000.0 * far : 7.0;
            }
            test_add(sim, &mesh, NULL, NULL, 0);
        }
        def.pose.translate_m[0] = 1000.0 * far + 2.0;
        def.pose.rotate_rad[1] = 3.141592653589793;
        ASSERT_OK(toile_sim_add_collider(sim, &def, NULL, NULL));
        prepare(sim);
        const double *place = sim->surface.place;
        ck_assert_double_eq(place[0], 0.0);
        ck_assert_double_eq(place[3], 7.0);
        /* 3 m before the turn, and the middle of the cloth is half a metre, which is rounded up */
        ck_assert_double_eq(place[6],
                            2.0 - 3.0 - sim->cloths[0].cloth->rest_from[0] + 1000.0 * far);
        test_mesh_free(&mesh);
        toile_sim_destroy(sim);
    }
}
END_TEST

START_TEST(bodies_of_an_empty_simulation) {
    ToileSim *sim = make_sim(NULL);
    prepare(sim);
    ck_assert(sim->body_count == 0 && sim->surface.vertices.count == 0);
    ck_assert(sim->surface.edges.count == 0 && sim->surface.triangles.count == 0);
    free(points(sim, 0.5));
    toile_sim_destroy(sim);
}
END_TEST

/* ---- order ---- */

/* A triangle by the user's vertices, turned so that the lowest comes first. */
typedef struct Cut {
    int32_t v[3];
} Cut;

static Cut cut_of(int32_t a, int32_t b, int32_t c) {
    return a < b && a < c ? (Cut){{a, b, c}} : b < c ? (Cut){{b, c, a}} : (Cut){{c, a, b}};
}

/* Whether a triangle of the user's vertices is one of those of his face, which is cut through its
 * lowest-numbered vertex. */
static bool is_cut_of_face(const TestMesh *mesh, const int32_t *start, int32_t face, Cut cut) {
    int32_t size = mesh->face_sizes[face], low = 0;
    const int32_t *c = mesh->corners + start[face];
    for (int32_t k = 1; k < size; k++) {
        low = c[k] < c[low] ? k : low;
    }
    for (int32_t k = 1; k + 1 < size; k++) {
        Cut own = cut_of(c[low], c[(low + k) % size], c[(low + k + 1) % size]);
        if (memcmp(&own, &cut, sizeof cut) == 0) {
            return true;
        }
    }
    return false;
}

/* Every triangle of the surface is one of the user's mesh, of the face it names, and every face has
 * its own; rest positions are those of the vertices, but for whole metres. */
static void expect_mesh(const ToileSim *sim, const TestMesh *mesh, const double *rest,
                        ToileClothId id) {
    const TlSurface *s = &sim->surface;
    const TlCloth *cloth = sim->cloths[id.slot - 1].cloth;
    int32_t *start = test_alloc(sizeof *start * (size_t)(mesh->face_count + 1));
    int32_t *found = test_alloc(sizeof *found * (size_t)mesh->face_count);
    start[0] = 0;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        start[f + 1] = start[f] + mesh->face_sizes[f];
        found[f] = 0;
    }
    for (int32_t t = 0; t < s->triangles.count; t++) {
        int32_t v[3];
        for (int k = 0; k < 3; k++) {
            v[k] = tl_user_vertex(cloth, s->triangle[3 * t + k]);
        }
        ck_assert(is_cut_of_face(mesh, start, s->face[t], cut_of(v[0], v[1], v[2])));
        found[s->face[t]]++;
    }
    for (int32_t f = 0; f < mesh->face_count; f++) {
        ck_assert_int_eq(found[f], mesh->face_sizes[f] - 2);
    }
    double from[3], *own = test_alloc(3 * sizeof *own * (size_t)mesh->vertex_count);
    tl_whole_middle(rest, mesh->vertex_count, from);
    tl_relative_points(rest, mesh->vertex_count, from, own);
    for (int32_t v = 0; v < s->vertices.count; v++) {
        ck_assert_mem_eq(s->rest + 3 * v, own + 3 * tl_user_vertex(cloth, v), 3 * sizeof(double));
    }
    free(start);
    free(found);
    free(own);
}

static void check_order(const TestMesh *mesh, bool kept) {
    ToileSim *sim = make_sim(NULL);
    ToileMeshDef mesh_def = test_mesh_def(mesh);
    ToileClothDef def = toile_cloth_def_default();
    ToileClothId id;
    double *rest = test_alloc(3 * sizeof *rest * (size_t)mesh->vertex_count);
    for (int32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        rest[i] = 1.5 * mesh->positions[i];
    }
    def.mesh = &mesh_def;
    def.rest_positions_m = rest;
    ASSERT_OK(toile_sim_add_cloth(sim, &def, &id, NULL));
    prepare(sim);
    const TlCloth *cloth = sim->cloths[id.slot - 1].cloth;
    ck_assert((cloth->order.vertex == NULL) == kept);
    expect_mesh(sim, mesh, rest, id);
    /* sorted as elements are, so that memory is read in order */
    int32_t last = -1;
    for (int32_t t = 0; !kept && t < sim->surface.triangles.count; t++) {
        const int32_t *v = sim->surface.triangle + 3 * t;
        int32_t low = cut_of(v[0], v[1], v[2]).v[0];
        ck_assert_int_ge(low, last);
        last = low;
    }
    toile_sim_destroy(sim);
    free(rest);
}

START_TEST(bodies_of_reordered_cloth_are_cut_by_the_user_s_numbers) {
    TestRandom random = test_random(511);
    TestMesh mesh = test_mixed(COLUMNS, ROWS, &random);
    int32_t n = mesh.vertex_count, *called = test_alloc(sizeof *called * (size_t)n);
    for (int32_t v = 0; v < n; v++) {
        called[v] = v;
    }
    test_shuffle(&random, called, n);
    TestMesh other = test_renumbered(&mesh, called);
    check_order(&mesh, true);
    check_order(&other, false);
    test_mesh_free(&mesh);
    test_mesh_free(&other);
    free(called);
}
END_TEST

/* ---- motion ---- */

START_TEST(points_are_where_colliders_are_defined) {
    World w = make_world(NULL);
    prepare(w.sim);
    double *at = points(w.sim, 0.0);
    static const double want[] = {3, 0, 0};
    ck_assert_mem_eq(at, want, sizeof want);
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) {
            double side = (i >> k & 1) != 0 ? 0.5 : -0.5;
            ck_assert_double_eq(at[3 + 3 * i + k], side + (k == 0 ? 3 : 0));
        }
    }
    static const double ends[] = {3, 0, 0, 0, 1, 0};
    ck_assert_mem_eq(at + 27, ends, sizeof ends);
    ck_assert_mem_eq(at + 33, quad_at, sizeof quad_at);
    /* and that is what the surface calls their rest, but for whole metres */
    const TlSurface *s = &w.sim->surface;
    for (int32_t v = s->vertices.cloth; v < s->vertices.count; v++) {
        const TlColliderSlot *slot = &w.sim->colliders[w.sim->bodies[s->body[v]].slot];
        for (int k = 0; k < 3; k++) {
            ck_assert_double_eq(s->rest[3 * v + k] + slot->own_from[k],
                                at[3 * (v - s->vertices.cloth) + k]);
        }
    }
    free(at);
    toile_sim_destroy(w.sim);
}
END_TEST

/* The pose comes after the positions, and both go evenly. */
START_TEST(points_travel_evenly) {
    const double half_pi = 1.57079632679489661923;
    World w = make_world(NULL);
    ToilePose pose = {{4, 0, 0}, {0, 0, half_pi}};
    prepare(w.sim);
    for (int32_t i = 0; i < 4; i++) {
        w.positions[3 * i + 2] += 2;
    }
    ASSERT_OK(toile_sim_set_collider_positions(w.sim, w.mesh, w.positions, NULL));
    ASSERT_OK(toile_sim_set_collider_pose(w.sim, w.mesh, &pose, NULL));
    for (int step = 0; step <= 8; step++) {
        double part = step / 8.0, c = cos(part * half_pi), s = sin(part * half_pi);
        double *at = points(w.sim, part);
        for (int i = 0; i < 4; i++) {
            double x = quad_at[3 * i], y = quad_at[3 * i + 1];
            ASSERT_NEAR(at[33 + 3 * i], c * x - s * y + 4 * part, ROUNDING);
            ASSERT_NEAR(at[34 + 3 * i], s * x + c * y, ROUNDING);
            ASSERT_NEAR(at[35 + 3 * i], 2 * part, ROUNDING);
        }
        free(at);
    }
    toile_sim_destroy(w.sim);
}
END_TEST

/* The end of a frame is the start of the next, and who stands still does not move by a bit. */
START_TEST(points_begin_where_they_ended) {
    ToilePose odd = {{0.1, 0.2, 0.3}, {0.7, -0.4, 1.1}}, pose = {{1.1, 0, 0}, {0.3, 0.2, 2.1}};
    ToileSim *sim = make_sim(NULL);
    ToileColliderId moving;
    ASSERT_OK(add_quad(sim, false, &odd, NULL, NULL));
    ASSERT_OK(add_quad(sim, false, &odd, &moving, NULL));
    ASSERT_OK(toile_sim_set_collider_pose(sim, moving, &pose, NULL));
    prepare(sim);
    double rest[24];
    memcpy(rest, sim->surface.rest, sizeof rest);
    double *start = points(sim, 0.0), *way = points(sim, 0.3), *end = points(sim, 1.0);
    ck_assert_mem_eq(start, way, 12 * sizeof *start);
    ck_assert_mem_eq(start, end, 12 * sizeof *start);
    ck_assert_mem_eq(start, start + 12, 12 * sizeof *start);
    ck_assert(memcmp(start + 12, end + 12, 12 * sizeof *start) != 0);
    test_step(sim, 1);
    double *next = points(sim, 0.0);
    ck_assert_mem_eq(next, end, 24 * sizeof *next);
    /* the rest of the surface does not follow */
    ck_assert_mem_eq(sim->surface.rest, rest, sizeof rest);
    sim->dirty = true;
    prepare(sim);
    ck_assert_mem_eq(sim->surface.rest, rest, sizeof rest);
    free(start);
    free(way);
    free(end);
    free(next);
    toile_sim_destroy(sim);
}
END_TEST

/* ---- names ---- */

START_TEST(bodies_have_the_user_s_names) {
    static const char *const names[] = {"cloth", "cloth", "ball", "floor", "crate", "arm", "sheet"};
    World w = make_world(NULL);
    prepare(w.sim);
    for (int32_t b = 0; b < w.sim->body_count; b++) {
        ck_assert_str_eq(tl_sim_body_name(w.sim, b), names[b]);
    }
    toile_sim_destroy(w.sim);
}
END_TEST

START_TEST(triangles_are_told_as_the_user_knows_them) {
    World w = make_world(NULL);
    prepare(w.sim);
    for (int32_t t = 0; t < w.sim->surface.triangles.count; t++) {
        TlPlaceOnBody place = tl_sim_triangle(w.sim, t);
        ToileClothId none = {0, 0}, cloth = t < 8 ? w.cloth[0] : t < 10 ? w.cloth[1] : none;
        ToileColliderId nothing = {0, 0}, collider = t < 10   ? nothing
                                                     : t < 22 ? w.box
                                                     : t < 23 ? w.capsule
                                                              : w.mesh;
        ck_assert_int_eq(place.body, t < 8 ? 0 : t < 10 ? 1 : t < 22 ? 4 : t < 23 ? 5 : 6);
        ck_assert(place.is_cloth == (t < 10));
        ck_assert_mem_eq(&place.cloth, &cloth, sizeof cloth);
        ck_assert_mem_eq(&place.collider, &collider, sizeof collider);
        ck_assert_int_eq(place.face, t < 8 ? t / 2 : t < 10 ? 0 : t < 22 ? (t - 10) / 2 : 0);
    }
    toile_sim_destroy(w.sim);
}
END_TEST

/* ---- memory ---- */

START_TEST(bodies_are_built_again_after_memory_was_refused) {
    TestMemory memory = {0};
    World w = make_world(&memory);
    uint64_t hash = toile_sim_state_hash(w.sim);
    bool done = false;
    for (int64_t k = 1; !done; k++) {
        ck_assert_int_lt(k, MOST_REQUESTS);
        memory.requests = 0;
        memory.fail_at = k;
        ToileStatus status = tl_sim_prepare(w.sim, NULL);
        done = status == TOILE_STATUS_OK;
        ck_assert(done || status == TOILE_STATUS_OUT_OF_MEMORY);
    }
    memory.fail_at = 0;
    ck_assert_uint_eq(toile_sim_state_hash(w.sim), hash);
    ck_assert_int_eq(w.sim->surface.edges.count, 45);
    toile_sim_destroy(w.sim);
    ck_assert_int_eq(memory.live_blocks, 0);
    ck_assert_int_eq(memory.live_bytes, 0);
}
END_TEST

TEST_MAIN(
    "bodies", bodies_stand_one_behind_the_other, bodies_have_thickness_friction_and_what_is_solid,
    bodies_take_the_simulation_s_thickness_and_friction, bodies_that_are_meshes_are_not_analytic,
    bodies_come_and_go, bodies_are_placed_beside_the_first_cloth, bodies_of_an_empty_simulation,
    bodies_of_reordered_cloth_are_cut_by_the_user_s_numbers, points_are_where_colliders_are_defined,
    points_travel_evenly, points_begin_where_they_ended, bodies_have_the_user_s_names,
    triangles_are_told_as_the_user_knows_them, bodies_are_built_again_after_memory_was_refused)
