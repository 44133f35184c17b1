/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Colliders of scenes: capsules, meshes from OBJ files, from files numbered by frame and from
 * archives, what they become, what is refused and where, and how they move a cloth. */
#include "support/run_suite.h"
#include "support/scene_files.h"
#include "toile_io/abc_c.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* rounding of a few operations on float32 numbers near 1, which archives hold */
#define FLOAT_ROUNDING 1e-6
/* the same on doubles */
#define ROUNDING 1e-14

/* a tetrahedron, a pentagon in the plane y = 0 and a quad; groups "solid" and "flat" */
static const char shapes_obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                 "v 5 0 0\nv 6 0 0\nv 6 0 1\nv 5.5 0 2\nv 5 0 1\n"
                                 "g solid\nf 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 4 3\n"
                                 "g flat\nf 6 7 8 9 5\nf 5 6 7 9\n";

static void write_file(const char *name, const char *text) {
    char path[IO_PATH_SIZE];
    io_file_write_text(scene_folder, name, text, path);
}

static ToileColliderDef collider_at(const ToileScene *scene, int32_t index, double frame) {
    ToileColliderDef def = toile_collider_def_default();
    ck_assert_int_eq(toile_scene_get_collider(scene, index, frame, &def, NULL), TOILE_STATUS_OK);
    return def;
}

static void check_positions(const ToileScene *scene, double frame, const double *expected,
                            int32_t count, double tolerance) {
    ToileObj *found = NULL;
    ToileError error = toile_error_default();
    ToileStatus status = toile_scene_read_collider(scene, 0, frame, &found, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    ck_assert_ptr_nonnull(found);
    ck_assert_int_eq(3 * found->mesh.vertex_count, count);
    for (int32_t i = 0; i < count; i++)
        ck_assert_double_eq_tol(found->mesh.positions_m[i], expected[i], tolerance);
    toile_obj_free(found);
}

static bool deforms(const ToileScene *scene, int32_t index, const char *ending) {
    const char *file = NULL;
    int32_t answer = -1;
    ck_assert_int_eq(toile_scene_get_collider_file(scene, index, &file, &answer, NULL), 0);
    ck_assert_ptr_nonnull(file);
    ck_assert_msg(strlen(file) >= strlen(ending) &&
                      strcmp(file + strlen(file) - strlen(ending), ending) == 0,
                  "%s", file);
    return answer == 1;
}

/* ---- capsules ---- */

START_TEST(scene_capsule_arrives) {
    scene_write("", ", \"colliders\": [{\"name\": \"arm\", \"capsule\": {\"from\": [1, 2, 3], "
                    "\"to\": [4, 5, 6], \"radius\": 0.25}, \"motion\": [{\"frame\": 1, "
                    "\"translate_m\": [0, 1, 0]}]}]");
    ToileScene *scene = scene_load_good();
    ToileColliderDef def = collider_at(scene, 0, 1);
    const char *file = "";
    ToileObj *obj = NULL;
    ck_assert_int_eq(def.shape, TOILE_COLLIDER_CAPSULE);
    ck_assert_double_eq(def.center_m[1], 2);
    ck_assert_double_eq(def.end_m[2], 6);
    ck_assert_double_eq(def.radius_m, 0.25);
    ck_assert_double_eq(def.pose.translate_m[1], 1);
    ck_assert_ptr_null(def.mesh);
    ck_assert_int_eq(toile_scene_get_collider_file(scene, 0, &file, NULL, NULL), TOILE_STATUS_OK);
    ck_assert_ptr_null(file);
    ck_assert_int_eq(toile_scene_read_collider(scene, 0, 1, &obj, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_refuses_wrong_capsules) {
    static const Bad bads[] = {
        {"", ", \"colliders\": [{\"capsule\": {\"to\": [0, 1, 0], \"radius\": 1}}]", INVALID, 6, 29,
         "colliders[0].capsule: the key \"from\" is missing"},
        {"", ", \"colliders\": [{\"capsule\": {\"from\": [0, 1, 0], \"radius\": 1}}]", INVALID, 6,
         29, "colliders[0].capsule: the key \"to\" is missing"},
        {"",
         ", \"colliders\": [{\"capsule\": {\"from\": [0, 0, 0], \"to\": [0, 1, 0], \"radius\": "
         "0}}]",
         INVALID, 6, 76, "colliders[0].capsule.radius: 0 is out of range"},
    };
    CHECK_BAD(bads);
}
END_TEST

/* ---- OBJ files ---- */

START_TEST(scene_mesh_collider_takes_its_unit_and_splits_ngons) {
    /* the pentagon as a fan about vertex 4, which is its lowest; the quad stays */
    static const int32_t sizes[] = {3, 3, 3, 3, 3, 3, 3, 4};
    static const int32_t fan[] = {4, 5, 6, 4, 6, 7, 4, 7, 8, 4, 5, 6, 8};
    write_file("b.obj", shapes_obj);
    scene_write("",
                ", \"unit_m\": 0.01, \"colliders\": [{\"mesh\": \"b.obj\"}, {\"name\": \"inch\", "
                "\"mesh\": \"b.obj\", \"unit_m\": 0.0254, \"thickness_m\": 0.002}]");
    ToileScene *scene = scene_load_good();
    ToileColliderDef def = collider_at(scene, 0, 1);
    ck_assert_int_eq(def.shape, TOILE_COLLIDER_MESH);
    ck_assert_int_eq(def.mesh->vertex_count, 9);
    ck_assert_int_eq(def.mesh->face_count, 8);
    ck_assert_int_eq(def.mesh->corner_count, 25);
    ck_assert_mem_eq(def.mesh->face_sizes, sizes, sizeof sizes);
    ck_assert_mem_eq(def.mesh->corners + 12, fan, sizeof fan);
    ck_assert_double_eq_tol(def.mesh->positions_m[3], 0.01, ROUNDING);
    ck_assert(!deforms(scene, 0, "/b.obj"));
    check_positions(scene, 77.5, def.mesh->positions_m, 27, ROUNDING);
    def = collider_at(scene, 1, 1);
    ck_assert_double_eq_tol(def.mesh->positions_m[3], 0.0254, ROUNDING);
    ck_assert_double_eq(def.thickness_m, 0.002);
    ck_assert_ptr_null(def.vertex_thickness_m);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_collider_maps_give_groups_their_values) {
    write_file("b.obj", shapes_obj);
    scene_write("", ", \"colliders\": [{\"mesh\": \"b.obj\", \"thickness_m\": 0.002, \"maps\": "
                    "{\"thickness\": {\"group\": \"flat\", \"value\": 0.005}, \"friction\": "
                    "[{\"group\": \"solid\", \"value\": 0.5}, {\"group\": \"flat\", \"value\": "
                    "0}]}}]");
    ToileScene *scene = scene_load_good();
    ToileColliderDef def = collider_at(scene, 0, 1);
    for (int32_t v = 0; v < 9; v++) {
        ck_assert_double_eq(def.vertex_thickness_m[v], v < 4 ? 0.002 : 0.005);
        ck_assert_double_eq(def.vertex_friction[v], v < 4 ? 0.5 : 0.0);
    }
    toile_scene_free(scene);
    /* the others keep the collider's own, which is the fabric's here */
    scene_write("", ", \"colliders\": [{\"mesh\": \"b.obj\", \"maps\": {\"friction\": {\"group\": "
                    "\"solid\", \"value\": 0.5}, \"thickness\": null}}]");
    scene = scene_load_good();
    def = collider_at(scene, 0, 1);
    ck_assert_ptr_null(def.vertex_thickness_m);
    ck_assert_double_lt(def.vertex_friction[8], 0);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_refuses_wrong_mesh_colliders) {
    static const Bad bads[] = {
        {"", ", \"colliders\": [{\"mesh\": 3}]", INVALID, 6, 26, "colliders[0].mesh: 3 stands"},
        {"", ", \"colliders\": [{\"mesh\": \"b.ply\"}]", INVALID, 6, 26,
         "\"b.ply\" is not the name of a mesh; it must end in .obj, or be FILE.abc:/path"},
        {"", ", \"colliders\": [{\"mesh\": \"none.obj\"}]", TOILE_STATUS_NOT_FOUND, 6, 26,
         "colliders[0].mesh: there is no file \"none.obj\" (looked for "},
        {"", ", \"colliders\": [{\"mesh\": \"b.obj\", \"plane\": {\"normal\": [0, 1, 0]}}]",
         INVALID, 6, 17, "this collider has 2 shapes"},
        {"",
         ", \"colliders\": [{\"mesh\": \"b.obj\", \"maps\": {\"friction\": {\"group\": \"sold\", "
         "\"value\": 1}}}]",
         INVALID, 6, 66, "did you mean \"solid\"?"},
        {"",
         ", \"colliders\": [{\"mesh\": \"b.obj\", \"maps\": {\"friction\": [{\"group\": "
         "\"solid\"}]}}]",
         INVALID, 6, 57, "colliders[0].maps.friction[0]: the key \"value\" is missing"},
        {"", ", \"colliders\": [{\"mesh\": \"b.obj\", \"maps\": {\"friction\": {\"value\": 0.5}}}]",
         INVALID, 6, 56, "colliders[0].maps.friction: the key \"group\" is missing"},
        {"",
         ", \"colliders\": [{\"mesh\": \"b.obj\", \"maps\": {\"thickness\": {\"group\": \"flat\", "
         "\"value\": -1}}}]",
         INVALID, 6, 84, "colliders[0].maps.thickness.value: -1 is out of range"},
        {"", ", \"colliders\": [{\"sphere\": {\"radius\": 1}, \"maps\": {\"friction\": {}}}]",
         INVALID, 6, 51, "only a mesh has groups of vertices"},
    };
    write_file("b.obj", shapes_obj);
    CHECK_BAD(bads);
}
END_TEST

/* what a collider may be and a cloth may not */
START_TEST(scene_mesh_collider_may_have_degenerate_faces) {
    write_file("b.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 1 1 2\nf 3 3 3 3 3\n");
    scene_write("", ", \"colliders\": [{\"mesh\": \"b.obj\"}]");
    ToileScene *scene = scene_load_good();
    ToileSim *sim = NULL;
    ToileSimDef def = toile_sim_def_default();
    ck_assert_int_eq(toile_scene_sim_def(scene, &def, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_scene_create_sim(scene, &def, &sim, NULL, NULL), TOILE_STATUS_OK);
    toile_sim_destroy(sim);
    toile_scene_free(scene);
}
END_TEST

/* ---- files numbered by frame ---- */

static void write_numbered(const char *format, int32_t first, int32_t last) {
    for (int32_t frame = first; frame <= last; frame++) {
        char name[64], text[160];
        snprintf(name, sizeof name, format, frame);
        snprintf(text, sizeof text, "v 0 %d 0\nv 2 %d 0\nv 0 %d 2\n%s", frame, frame, frame * frame,
                 frame == first ? "g all\nf 1 3 2\n" : "");
        write_file(name, text);
    }
}

START_TEST(scene_numbered_files_give_each_frame_its_positions) {
    static const struct {
        const char *format, *key;
        int32_t first;
    } cases[] = {{"arm.%04d.obj", "arm.%04d.obj", 1},
                 {"arm%d.obj", "arm%d.obj", 9},
                 {"arm.%03d.obj", "arm.%03d.obj", -2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char keys[160];
        double f = cases[i].first + 2;
        write_numbered(cases[i].format, cases[i].first, cases[i].first + 2);
        snprintf(keys, sizeof keys, ", \"colliders\": [{\"mesh\": \"%s\", \"unit_m\": 0.5}]",
                 cases[i].key);
        scene_write("", keys);
        char range[64];
        snprintf(range, sizeof range, "frames=%d-%d", cases[i].first, cases[i].first + 2);
        const char *const overrides[] = {range};
        IoFindings findings;
        ToileScene *scene = NULL;
        ToileError error = toile_error_default();
        ToileStatus status = scene_load(overrides, 1, &findings, &scene, &error);
        ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
        ck_assert(deforms(scene, 0, cases[i].key));
        const double last[9] = {0, 0.5 * f, 0, 1, 0.5 * f, 0, 0, 0.5 * f * f, 1};
        check_positions(scene, f, last, 9, ROUNDING);
        /* halfway to the frame before */
        const double half[9] = {
            0, 0.5 * f - 0.25, 0, 1, 0.5 * f - 0.25, 0, 0, 0.25 * (f * f + (f - 1) * (f - 1)), 1};
        check_positions(scene, f - 0.5, half, 9, ROUNDING);
        ck_assert_double_eq(collider_at(scene, 0, f).mesh->positions_m[1], 0.5 * (f - 2));
        toile_scene_free(scene);
    }
}
END_TEST

START_TEST(scene_numbered_files_must_be_there_for_every_frame) {
    static const Bad bads[] = {
        {"", ", \"colliders\": [{\"mesh\": \"arm.%04d.obj\"}]", TOILE_STATUS_NOT_FOUND, 6, 26,
         "there is no file for frame 2 (looked for "},
        {"", ", \"colliders\": [{\"mesh\": \"arm.%04d.obj\"}]", TOILE_STATUS_NOT_FOUND, 6, 26,
         "arm.0002.obj); 2 of the frames from 1 to 3 have none, and each needs one"},
    };
    write_numbered("arm.%04d.obj", 1, 1);
    CHECK_BAD(bads);
    /* a drape that is found at the first frame needs no other */
    scene_write("", ", \"solver\": {\"settle\": true}, \"colliders\": [{\"mesh\": "
                    "\"arm.%04d.obj\"}]");
    toile_scene_free(scene_load_good());
}
END_TEST

START_TEST(scene_numbered_files_must_keep_their_faces) {
    static const char *const others[] = {"v 0 0 0\nv 2 0 0\n",
                                         "v 0 0 0\nv 2 0 0\nv 0 0 2\nf 1 2 3\n", "v 0 x 0\n"};
    static const char *const words[] = {"has 2 vertices and 0 faces at frame 3, but began with 3",
                                        "its faces must stay the same", "arm.0003.obj:1"};
    ToileError error = toile_error_default();
    ToileObj *obj = NULL;
    write_numbered("arm.%04d.obj", 1, 3);
    scene_write("", ", \"colliders\": [{\"name\": \"arm\", \"mesh\": \"arm.%04d.obj\"}]");
    ToileScene *scene = scene_load_good();
    ToileSim *sim = NULL;
    ToileSimDef def = toile_sim_def_default();
    ck_assert_int_eq(toile_scene_create_sim(scene, &def, &sim, NULL, NULL), TOILE_STATUS_OK);
    for (size_t i = 0; i < 3; i++) {
        write_file("arm.0003.obj", others[i]);
        ck_assert_int_eq(toile_scene_read_collider(scene, 0, 3, &obj, &error), INVALID);
        ck_assert_msg(strstr(error.message, words[i]) != NULL, "%s", error.message);
        ck_assert_int_eq(toile_scene_aim(scene, sim, 3, &error), INVALID);
    }
    /* frames beyond those of the scene are asked for when they are needed */
    ck_assert_int_eq(toile_scene_aim(scene, sim, 4, &error), TOILE_STATUS_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(error.message, "arm.0004.obj"));
    ck_assert_int_eq(toile_scene_aim(scene, sim, 2, &error), TOILE_STATUS_OK);
    toile_sim_destroy(sim);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_hash_follows_every_numbered_file) {
    scene_write("", ", \"colliders\": [{\"mesh\": \"arm.%04d.obj\"}]");
    write_numbered("arm.%04d.obj", 1, 3);
    ToileScene *scene = scene_load_good();
    uint64_t hash = scene_info(scene).hash;
    toile_scene_free(scene);
    write_file("arm.0003.obj", "v 0 0 0\nv 1 1 0\nv 0 0 1\n");
    scene = scene_load_good();
    ck_assert_uint_ne(scene_info(scene).hash, hash);
    toile_scene_free(scene);
}
END_TEST

/* a percent sign alone is part of a name */
START_TEST(scene_file_name_may_have_a_percent_sign) {
    write_file("100%.obj", shapes_obj);
    scene_write("", ", \"colliders\": [{\"mesh\": \"100%.obj\"}]");
    ToileScene *scene = scene_load_good();
    ck_assert(!deforms(scene, 0, "/100%.obj"));
    toile_scene_free(scene);
}
END_TEST

/* ---- archives ---- */

/* what write_archive does beside one triangle that moves below a transform that moves */
enum { STILL = 1, TWO_MESHES = 2, NEW_FACES = 4, HIDDEN = 8, HIDDEN_LATE = 16 };

static void ok(abcc_status status, const abcc_error *error) {
    ck_assert_msg(status == ABCC_OK, "%s", error->text);
}

static void write_triangle(abcc_writer *writer, abcc_obj mesh, int32_t frame, int flags) {
    const float y = (float)frame;
    const float P[9] = {0, y, 0, 2, y, 0, 0, y, 2};
    const int32_t count = 3, index[3] = {0, 2, 1}, turned[3] = {2, 1, 0};
    abcc_error error = {0};
    abcc_mesh_in in = abcc_mesh_in_default();
    in.verts = 3;
    in.faces = 1;
    in.corners = 3;
    in.P = P;
    if (frame == 1 || (flags & NEW_FACES)) {
        in.face_count = &count;
        in.index = frame % 2 ? index : turned;
    }
    ok(abcc_mesh_write(writer, mesh, &in, &error), &error);
}

/* a.abc: /body moves by 10 along x a frame, /body/bodyShape by 1 along y; 24 fps, frames 1 to 3.
 * Every other frame is left out, so that frame 2 lies between samples. */
static void write_archive(int flags) {
    char path[IO_PATH_SIZE + 16];
    abcc_writer *writer = NULL;
    abcc_error error = {0};
    abcc_time time = 0;
    abcc_obj xform = 0, mesh = 0, second = 0;
    abcc_create_info info = abcc_create_info_default();
    info.fps = 24;
    snprintf(path, sizeof path, "%s/a.abc", scene_folder);
    ok(abcc_create(path, &info, &writer, &error), &error);
    ok(abcc_time_uniform(writer, 1 / 24.0, 2 / 24.0, &time, &error), &error);
    time = flags & STILL ? 0 : time;
    ok(abcc_add_xform(writer, 0, "body", time, &xform, &error), &error);
    ok(abcc_add_mesh(writer, xform, "bodyShape", time, NULL, &mesh, &error), &error);
    if (flags & TWO_MESHES)
        ok(abcc_add_mesh(writer, xform, "second", 0, NULL, &second, &error), &error);
    for (int32_t frame = 1; frame <= (flags & STILL ? 1 : 3); frame += 2) {
        const double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10.0 * frame, 0, 0, 1};
        if (flags & (HIDDEN | HIDDEN_LATE))
            ok(abcc_visible_write(writer, xform, !(flags & HIDDEN) && frame == 1, &error), &error);
        ok(abcc_xform_write(writer, xform, m, 1, &error), &error);
        write_triangle(writer, mesh, flags & NEW_FACES ? (frame + 1) / 2 : frame, flags);
    }
    if (flags & TWO_MESHES)
        write_triangle(writer, second, 1, 0);
    ok(abcc_finish(writer, &error), &error);
}

START_TEST(scene_archive_collider_is_read_at_the_time_of_the_frame) {
    static const double first[9] = {10, 1, 0, 12, 1, 0, 10, 1, 2};
    static const double second[9] = {20, 2, 0, 22, 2, 0, 20, 2, 2};
    static const double third[9] = {30, 3, 0, 32, 3, 0, 30, 3, 2};
    static const char *const paths[] = {"a.abc:/body/bodyShape", "a.abc:/body", "a.abc"};
    write_archive(0);
    for (size_t i = 0; i < 3; i++) {
        char keys[128];
        snprintf(keys, sizeof keys, ", \"colliders\": [{\"mesh\": \"%s\"}]", paths[i]);
        scene_write("", keys);
        ToileScene *scene = scene_load_good();
        ck_assert(deforms(scene, 0, "/a.abc:/body/bodyShape"));
        ToileColliderDef def = collider_at(scene, 0, 3);
        ck_assert_int_eq(def.mesh->vertex_count, 3);
        ck_assert_int_eq(def.mesh->face_count, 1);
        ck_assert_double_eq_tol(def.mesh->positions_m[0], 10, FLOAT_ROUNDING);
        check_positions(scene, 1, first, 9, FLOAT_ROUNDING);
        check_positions(scene, 2, second, 9, FLOAT_ROUNDING);
        check_positions(scene, 3, third, 9, FLOAT_ROUNDING);
        /* still before the first sample and after the last */
        check_positions(scene, -5, first, 9, FLOAT_ROUNDING);
        check_positions(scene, 30, third, 9, FLOAT_ROUNDING);
        toile_scene_free(scene);
    }
}
END_TEST

/* a.abc: /far at x = 10, below it /far/body without a motion of its own, which takes part in that
 * of /far at frame 3 but not at frame 1, and a triangle that stays */
static void write_late_child(void) {
    static const double far[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10, 0, 0, 1};
    static const double own[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    char path[IO_PATH_SIZE + 16];
    abcc_writer *writer = NULL;
    abcc_error error = {0};
    abcc_time time = 0;
    abcc_obj parent = 0, xform = 0, mesh = 0;
    abcc_create_info info = abcc_create_info_default();
    info.fps = 24;
    snprintf(path, sizeof path, "%s/a.abc", scene_folder);
    ok(abcc_create(path, &info, &writer, &error), &error);
    ok(abcc_time_uniform(writer, 1 / 24.0, 2 / 24.0, &time, &error), &error);
    ok(abcc_add_xform(writer, 0, "far", 0, &parent, &error), &error);
    ok(abcc_add_xform(writer, parent, "body", time, &xform, &error), &error);
    ok(abcc_add_mesh(writer, xform, "bodyShape", 0, NULL, &mesh, &error), &error);
    ok(abcc_xform_write(writer, parent, far, 1, &error), &error);
    ok(abcc_xform_write(writer, xform, own, 0, &error), &error);
    ok(abcc_xform_write(writer, xform, own, 1, &error), &error);
    write_triangle(writer, mesh, 1, 0);
    ok(abcc_finish(writer, &error), &error);
}

START_TEST(scene_archive_collider_moves_when_it_begins_to_inherit) {
    static const double first[9] = {0, 1, 0, 2, 1, 0, 0, 1, 2};
    static const double third[9] = {10, 1, 0, 12, 1, 0, 10, 1, 2};
    write_late_child();
    scene_write("", ", \"colliders\": [{\"mesh\": \"a.abc\"}]");
    ToileScene *scene = scene_load_good();
    ck_assert(deforms(scene, 0, "/a.abc:/far/body/bodyShape"));
    check_positions(scene, 1, first, 9, FLOAT_ROUNDING);
    check_positions(scene, 3, third, 9, FLOAT_ROUNDING);
    toile_scene_free(scene);
}
END_TEST

/* proxies for collision are hidden for good; what vanishes in between may be thought to be gone */
START_TEST(scene_archive_collider_may_be_hidden) {
    scene_write("", ", \"colliders\": [{\"mesh\": \"a.abc\"}]");
    write_archive(HIDDEN);
    scene_check_no_warning();
    write_archive(HIDDEN_LATE);
    scene_check_warning(6, 26, "is hidden from frame 3 on, but cloth meets it all the time");
}
END_TEST

START_TEST(scene_archive_collider_takes_units_and_axes) {
    static const double expected[9] = {0.1, 0, 0.01, 0.12, 0, 0.01, 0.1, -0.02, 0.01};
    write_archive(STILL);
    scene_write("",
                ", \"up\": \"z\", \"unit_m\": 0.01, \"colliders\": [{\"mesh\": \"a.abc:/body\"}]");
    ToileScene *scene = scene_load_good();
    ck_assert(!deforms(scene, 0, "/a.abc:/body/bodyShape"));
    check_positions(scene, 1, expected, 9, FLOAT_ROUNDING);
    check_positions(scene, 2, expected, 9, FLOAT_ROUNDING);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_hash_follows_the_archive) {
    scene_write("", ", \"colliders\": [{\"mesh\": \"a.abc:/body/bodyShape\"}]");
    write_archive(0);
    ToileScene *scene = scene_load_good();
    uint64_t hash = scene_info(scene).hash;
    toile_scene_free(scene);
    write_archive(STILL);
    scene = scene_load_good();
    ck_assert_uint_ne(scene_info(scene).hash, hash);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_refuses_archives_it_cannot_use) {
    static const Bad missing[] = {
        {"", ", \"colliders\": [{\"mesh\": \"b.abc:/body\"}]", TOILE_STATUS_NOT_FOUND, 6, 26,
         "there is no file \"b.abc:/body\" (looked for "},
        {"", ", \"colliders\": [{\"mesh\": \"x.abc:/body\"}]", INVALID, 6, 26, "x.abc: "},
        {"", ", \"colliders\": [{\"mesh\": \"a.abc:/head\"}]", INVALID, 6, 26, "/head"},
        {"",
         ", \"colliders\": [{\"mesh\": \"a.abc\", \"maps\": {\"friction\": {\"group\": \"x\", "
         "\"value\": 1}}}]",
         INVALID, 6, 66, "has no group \"x\", nor any other"},
    };
    static const Bad several[] = {
        {"", ", \"colliders\": [{\"mesh\": \"a.abc:/body\"}]", INVALID, 6, 26,
         "has 2 meshes below \"/body\", and one is needed; name it: /body/bodyShape, "
         "/body/second"}};
    static const Bad changing[] = {
        {"",
         ", \"colliders\": [{\"mesh\": \"a.abc\", \"maps\": {\"friction\": {\"group\": \"x\", "
         "\"value\": 1}}}]",
         INVALID, 6, 43, "change from sample to sample, so that its groups do not last"}};
    write_file("x.abc", "no archive");
    write_archive(0);
    CHECK_BAD(missing);
    write_archive(TWO_MESHES);
    CHECK_BAD(several);
    write_archive(NEW_FACES);
    CHECK_BAD(changing);
}
END_TEST

/* every object of the archives of bad data is refused with a sentence, or read */
START_TEST(scene_refuses_bad_objects_of_archives) {
    static const struct {
        const char *object;
        bool fine;
    } cases[] = {{"degenerate.abc:/degenerate", false},
                 {"degenerate.abc:/indexOutOfRange", false},
                 {"degenerate.abc:/countsDoNotSum", false},
                 {"degenerate.abc:/negativeCount", false},
                 {"empty_mesh.abc:/neverSet", false},
                 {"empty_mesh.abc:/zeroSized", false},
                 {"empty_mesh.abc:/appearsLater", true},
                 {"degenerate.abc:/uvTooShort", false},
                 {"degenerate.abc:/uvIndexOutOfRange", false},
                 {"degenerate.abc:/velocitiesTooShort", false},
                 {"animated_topology.abc", true},
                 {"same_count_new_order.abc", true},
                 {"points_only.abc", false},
                 {"empty_archive.abc", false},
                 {"mixed_ngons.abc:/triQuadPent", true},
                 {"instanced.abc:/copy1", true},
                 {"acyclic.abc", true},
                 {"shutter_cyclic.abc", true},
                 {"nested_xforms.abc:/root/mid/noInherit", true}};
    const char *shared = getenv("TOILE_SHARED");
    char path[512];
    snprintf(path, sizeof path, "%.400s/data/abc/README.md", shared ? shared : "");
    FILE *file = fopen(path, "r");
    if (!file) {
        /* these archives are handed round beside the repository, not in it, and cannot be made by
         * the library under test: some are broken on purpose. Wherever they are, CI included, all
         * cases run. */
        printf("note: bad objects of archives are left out: there is no %s\n", path);
        return;
    }
    fclose(file);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        IoFindings findings;
        ToileScene *scene = NULL;
        snprintf(path, sizeof path, ", \"colliders\": [{\"mesh\": \"%.300s/data/abc/%s\"}]", shared,
                 cases[i].object);
        scene_write("", path);
        ToileStatus status = scene_load(NULL, 0, &findings, &scene, NULL);
        ck_assert_msg((status == TOILE_STATUS_OK) == cases[i].fine, "%s: status %d",
                      cases[i].object, (int)status);
        ck_assert_int_eq(findings.count, cases[i].fine ? 0 : 1);
        toile_scene_free(scene);
    }
}
END_TEST

/* ---- what others make of them ---- */

START_TEST(scene_self_contact_reaches_the_simulation) {
    static const struct {
        const char *keys;
        int32_t self;
    } cases[] = {{"", 1},
                 {", \"contact\": {\"thickness_m\": 0.001}", 1},
                 {", \"contact\": {\"self\": true}", 1},
                 {", \"contact\": {\"self\": false}", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ToileSimDef def = toile_sim_def_default();
        scene_write("", cases[i].keys);
        scene_check_no_warning();
        ToileScene *scene = scene_load_good();
        ck_assert_int_eq(toile_scene_sim_def(scene, &def, NULL), TOILE_STATUS_OK);
        ck_assert_int_eq(def.contact_self, cases[i].self);
        toile_scene_free(scene);
    }
}
END_TEST

START_TEST(scene_survives_collider_files_cut_at_any_length) {
    IoFindings findings;
    ToileScene *scene = NULL;
    char path[IO_PATH_SIZE + 16], other[IO_PATH_SIZE];
    static char bytes[1 << 16];
    write_archive(0);
    snprintf(path, sizeof path, "%s/a.abc", scene_folder);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ck_assert_uint_gt(size, 100);
    scene_write("", ", \"colliders\": [{\"mesh\": \"cut.abc:/body\"}]");
    for (size_t length = 0; length < size; length += 7) {
        io_file_write(scene_folder, "cut.abc", bytes, length, other);
        ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), INVALID);
    }
    scene_write("", ", \"colliders\": [{\"mesh\": \"cut.obj\"}]");
    for (size_t length = 0; length < sizeof shapes_obj; length++) {
        io_file_write(scene_folder, "cut.obj", shapes_obj, length, other);
        scene_load(NULL, 0, &findings, &scene, NULL);
        toile_scene_free(scene);
    }
}
END_TEST

START_TEST(scene_collider_functions_refuse_wrong_arguments) {
    const char *file = NULL;
    ToileObj *obj = NULL;
    scene_write("", ", \"colliders\": [{\"mesh\": \"q.obj\"}]");
    ToileScene *scene = scene_load_good();
    const ToileStatus wrong = TOILE_STATUS_INVALID_ARGUMENT;
    ck_assert_int_eq(toile_scene_get_collider_file(NULL, 0, &file, NULL, NULL), wrong);
    ck_assert_int_eq(toile_scene_get_collider_file(scene, 0, NULL, NULL, NULL), wrong);
    ck_assert_int_eq(toile_scene_get_collider_file(scene, 1, &file, NULL, NULL), wrong);
    ck_assert_int_eq(toile_scene_read_collider(NULL, 0, 1, &obj, NULL), wrong);
    ck_assert_int_eq(toile_scene_read_collider(scene, -1, 1, &obj, NULL), wrong);
    ck_assert_int_eq(toile_scene_read_collider(scene, 0, (double)NAN, &obj, NULL), wrong);
    ck_assert_int_eq(toile_scene_read_collider(scene, 0, 1, NULL, NULL), wrong);
    toile_scene_free(scene);
}
END_TEST

/* ---- splitting ---- */

static ToileMeshDef polygon(const double *positions, int32_t vertex_count, const int32_t *size,
                            const int32_t *corners) {
    ToileMeshDef mesh = toile_mesh_def_default();
    mesh.vertex_count = vertex_count;
    mesh.face_count = 1;
    mesh.corner_count = *size;
    mesh.positions_m = positions;
    mesh.face_sizes = size;
    mesh.corners = corners;
    return mesh;
}

/* an L, for which only the inner corner and its opposite see everything */
START_TEST(mesh_fan_of_a_concave_face_does_not_fold) {
    static const double L[18] = {0, 0, 0, 2, 0, 0, 2, 0, 1, 1, 0, 1, 1, 0, 2, 0, 0, 2};
    static const int32_t around[6] = {1, 2, 3, 4, 5, 0};
    int32_t size = 6, sizes[6], corners[18], face_count = 0, corner_count = 0;
    for (int32_t turn = 0; turn < 6; turn++) {
        int32_t turned[6], numbered[6];
        double moved[18], area = 0;
        /* each corner gets to be the lowest number once */
        for (int32_t k = 0; k < 6; k++) {
            turned[k] = (around[k] + turn) % 6;
            memcpy(moved + 3 * turned[k], L + 3 * around[k], 3 * sizeof(double));
            numbered[k] = turned[k];
        }
        ToileMeshDef mesh = polygon(moved, 6, &size, numbered);
        ck_assert_int_eq(toile_mesh_fan(&mesh, sizes, corners, &face_count, &corner_count, NULL),
                         TOILE_STATUS_OK);
        ck_assert_int_eq(face_count, 4);
        ck_assert_int_eq(corner_count, 12);
        for (int32_t f = 0; f < 4; f++) {
            const double *a = moved + 3 * corners[3 * f], *b = moved + 3 * corners[3 * f + 1],
                         *c = moved + 3 * corners[3 * f + 2];
            double cross = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
            ck_assert_double_le(cross, 0);
            area -= cross / 2;
        }
        ck_assert_double_eq(area, 3);
    }
}
END_TEST

START_TEST(mesh_fan_refuses_what_is_no_face) {
    static const double x[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    static const int32_t fine[3] = {0, 1, 2}, outside[3] = {0, 1, 3};
    int32_t sizes[3], corners[9], face_count = 0, corner_count = 0, three = 3, two = 2;
    ToileError error = toile_error_default();
    ToileMeshDef mesh = polygon(x, 3, &three, fine);
    ck_assert_int_eq(toile_mesh_fan(&mesh, sizes, corners, &face_count, &corner_count, NULL), 0);
    ck_assert_mem_eq(corners, fine, sizeof fine);
    ck_assert_int_eq(toile_mesh_fan(&mesh, NULL, corners, &face_count, &corner_count, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    mesh.corner_count = 2;
    ck_assert_int_eq(toile_mesh_fan(&mesh, sizes, corners, &face_count, &corner_count, &error),
                     INVALID);
    ck_assert_ptr_nonnull(strstr(error.message, "ends at corner 3"));
    mesh = polygon(x, 3, &three, outside);
    ck_assert_int_eq(toile_mesh_fan(&mesh, sizes, corners, &face_count, &corner_count, &error),
                     INVALID);
    ck_assert_ptr_nonnull(strstr(error.message, "uses vertex 3, but the mesh has 3"));
    mesh = polygon(x, 3, &two, fine);
    ck_assert_int_eq(toile_mesh_fan(&mesh, sizes, corners, &face_count, &corner_count, &error),
                     INVALID);
    ck_assert_ptr_nonnull(strstr(error.message, "has 2 corners"));
}
END_TEST

/* ---- simulations ---- */

/* The lowest height of the cloth's corners after `last`; from frame 1 it falls from y = 0. */
static double lowest_at(const char *colliders, int32_t last) {
    ToileClothId cloth;
    ToileSim *sim = NULL;
    ToileError error = toile_error_default();
    double x[12], lowest = HUGE_VAL;
    scene_write("", colliders);
    ToileScene *scene = scene_load_good();
    ToileSimDef def = toile_sim_def_default();
    ck_assert_int_eq(toile_scene_sim_def(scene, &def, NULL), TOILE_STATUS_OK);
    def.threads = 1;
    ToileStatus status = toile_scene_create_sim(scene, &def, &sim, &cloth, &error);
    for (int32_t frame = 2; frame <= last && status == TOILE_STATUS_OK; frame++) {
        status = toile_scene_aim(scene, sim, frame, &error);
        if (status == TOILE_STATUS_OK)
            status = toile_sim_step(sim, &error);
    }
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    ck_assert_int_eq(toile_sim_get_positions(sim, cloth, x, NULL), TOILE_STATUS_OK);
    for (int32_t v = 0; v < 4; v++)
        lowest = x[3 * v + 1] < lowest ? x[3 * v + 1] : lowest;
    toile_sim_destroy(sim);
    toile_scene_free(scene);
    return lowest;
}

START_TEST(scene_cloth_lands_on_a_mesh) {
    /* a pentagon 5 cm below, as large as the cloth's surroundings */
    write_file(
        "floor.obj",
        "v -1 -0.05 -1\nv 2 -0.05 -1\nv 3 -0.05 0.5\nv 2 -0.05 2\nv -1 -0.05 2\nf 1 5 4 3 2\n");
    ck_assert_double_lt(lowest_at("", 12), -0.5);
    double lowest = lowest_at(", \"colliders\": [{\"mesh\": \"floor.obj\"}]", 12);
    ck_assert_double_gt(lowest, -0.05);
    ck_assert_double_lt(lowest, -0.04);
}
END_TEST

START_TEST(scene_cloth_is_carried_by_a_mesh_that_deforms) {
    for (int32_t frame = 1; frame <= 12; frame++) {
        char name[32], text[256];
        double y = -0.05 + 0.01 * (frame - 1);
        snprintf(name, sizeof name, "lift.%02d.obj", frame);
        snprintf(text, sizeof text, "v -1 %g -1\nv 2 %g -1\nv 2 %g 2\nv -1 %g 2\nf 1 4 3 2\n", y, y,
                 y, y);
        write_file(name, text);
    }
    double lowest = lowest_at(", \"colliders\": [{\"mesh\": \"lift.%02d.obj\"}]", 12);
    ck_assert_double_gt(lowest, 0.06);
    ck_assert_double_lt(lowest, 0.08);
}
END_TEST

static void add_reading(Suite *suite) {
    TCase *tcase = tcase_create("reading");
    tcase_add_checked_fixture(tcase, scene_make_folder, scene_remove_folder);
    tcase_add_test(tcase, scene_capsule_arrives);
    tcase_add_test(tcase, scene_refuses_wrong_capsules);
    tcase_add_test(tcase, scene_mesh_collider_takes_its_unit_and_splits_ngons);
    tcase_add_test(tcase, scene_collider_maps_give_groups_their_values);
    tcase_add_test(tcase, scene_refuses_wrong_mesh_colliders);
    tcase_add_test(tcase, scene_mesh_collider_may_have_degenerate_faces);
    tcase_add_test(tcase, scene_numbered_files_give_each_frame_its_positions);
    tcase_add_test(tcase, scene_numbered_files_must_be_there_for_every_frame);
    tcase_add_test(tcase, scene_numbered_files_must_keep_their_faces);
    tcase_add_test(tcase, scene_hash_follows_every_numbered_file);
    tcase_add_test(tcase, scene_file_name_may_have_a_percent_sign);
    tcase_add_test(tcase, scene_archive_collider_is_read_at_the_time_of_the_frame);
    tcase_add_test(tcase, scene_archive_collider_moves_when_it_begins_to_inherit);
    tcase_add_test(tcase, scene_archive_collider_may_be_hidden);
    tcase_add_test(tcase, scene_archive_collider_takes_units_and_axes);
    tcase_add_test(tcase, scene_hash_follows_the_archive);
    tcase_add_test(tcase, scene_refuses_archives_it_cannot_use);
    tcase_add_test(tcase, scene_refuses_bad_objects_of_archives);
    tcase_add_test(tcase, scene_self_contact_reaches_the_simulation);
    tcase_add_test(tcase, scene_survives_collider_files_cut_at_any_length);
    tcase_add_test(tcase, scene_collider_functions_refuse_wrong_arguments);
    suite_add_tcase(suite, tcase);
}

int main(void) {
    Suite *suite = suite_create("scene_colliders");
    add_reading(suite);
    TCase *fans = tcase_create("splitting");
    tcase_add_test(fans, mesh_fan_of_a_concave_face_does_not_fold);
    tcase_add_test(fans, mesh_fan_refuses_what_is_no_face);
    suite_add_tcase(suite, fans);
    TCase *simulations = tcase_create("simulations");
    tcase_add_checked_fixture(simulations, scene_make_folder, scene_remove_folder);
    tcase_add_test(simulations, scene_cloth_lands_on_a_mesh);
    tcase_add_test(simulations, scene_cloth_is_carried_by_a_mesh_that_deforms);
    suite_add_tcase(suite, simulations);
    return run_suite(suite);
}
