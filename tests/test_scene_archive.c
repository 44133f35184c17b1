/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Archives and point caches in scenes: cloth, colliders whose faces change, and pins that follow a
 * mesh. Archives of other writers are those of the shared data, where they are. */
#include "support/abc_hosts.h"
#include "support/abc_unusual.h"
#include "support/run_suite.h"
#include "support/scene_files.h"

#include "toile_io/abc_c.h"
#include "toile_io/cache.h"
#include "toile_io/pointcache.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* float32 coordinates of a few metres */
#define FLOAT_ROUNDING 1e-6

static void ok(abcc_status status, const abcc_error *error) {
    ck_assert_msg(status == ABCC_OK, "%s", error->text);
}

static void path_of(const char *name, char path[IO_PATH_SIZE + 64]) {
    snprintf(path, IO_PATH_SIZE + 64, "%s/%s", scene_folder, name);
}

/* ---- the shared data ---- */

/* Whether the archives that are handed round beside the repository are here. They cannot be made by
 * the library under test, since some are broken on purpose. */
static bool has_shared(char folder[400]) {
    const char *shared = getenv("TOILE_SHARED");
    char path[512];
    snprintf(folder, 400, "%.300s/data/abc", shared ? shared : "");
    snprintf(path, sizeof path, "%s/README.md", folder);
    FILE *file = fopen(path, "r");
    if (file)
        fclose(file);
    else
        printf("note: archives of other writers are left out: there is no %s\n", path);
    return file != NULL;
}

/* a scene whose cloth is an object of the shared data; `more` are further keys */
static void write_cloth(const char *folder, const char *object, const char *more) {
    char keys[1024], path[IO_PATH_SIZE];
    snprintf(keys, sizeof keys,
             "{\"toile\": 1, \"frames\": \"1-3\", \"cloth\": [{\"name\": \"c\", \"fabric\": "
             "\"denim\", \"mesh\": \"%s/%s\"%s}]}",
             folder, object, more);
    io_file_write_text(scene_folder, "scene.json", keys, path);
    snprintf(scene_path, sizeof scene_path, "%s", path);
}

START_TEST(archive_cloth_is_refused_or_read_as_the_data_demands) {
    static const struct {
        const char *object, *words; /* NULL: it is read */
    } cases[] = {{"cloth_reference.abc", NULL},
                 {"subd_creases.abc", NULL},
                 {"half_frames.abc", NULL},
                 {"shutter_cyclic.abc", NULL},
                 {"acyclic.abc", NULL},
                 {"vertex_and_varying_uvs.abc:/vertexUV", NULL},
                 {"nested_xforms.abc:/root/mid/sheared", NULL},
                 {"animated_topology.abc", "change from sample to sample; cloth needs"},
                 {"same_count_new_order.abc", "change from sample to sample; cloth needs"},
                 {"mixed_ngons.abc:/triQuadPent", "face 2"},
                 {"points_only.abc:/sparkle", "is no mesh"},
                 {"points_only.abc:/vertsNoFaces", "has 4 vertices and 0 faces"},
                 {"empty_mesh.abc:/neverSet", "has 0 vertices and 0 faces at frame 1"},
                 {"empty_mesh.abc:/zeroSized", "has 0 vertices and 0 faces at frame 1"},
                 {"empty_mesh.abc:/appearsLater", "change from sample to sample"},
                 {"empty_archive.abc", "has no mesh at or below"},
                 {"degenerate.abc:/indexOutOfRange", "/indexOutOfRange"},
                 {"degenerate.abc:/countsDoNotSum", "/countsDoNotSum"},
                 {"degenerate.abc:/negativeCount", "/negativeCount"},
                 {"degenerate.abc:/uvTooShort", "/uvTooShort"},
                 {"degenerate.abc:/uvIndexOutOfRange", "/uvIndexOutOfRange"},
                 {"degenerate.abc:/velocitiesTooShort", "/velocitiesTooShort"},
                 {"degenerate.abc:/degenerate", "vertex"},
                 {"hostile_instance_of_parent.abc", "hostile_instance_of_parent"},
                 {"hostile_instance_through_itself.abc", "hostile_instance_through_itself"}};
    char folder[400];
    if (!has_shared(folder))
        return;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ToileError error = toile_error_default();
        IoFindings findings;
        ToileScene *scene = NULL;
        write_cloth(folder, cases[i].object, "");
        ToileStatus status = scene_load(NULL, 0, &findings, &scene, &error);
        ck_assert_msg((status == TOILE_STATUS_OK) == !cases[i].words, "%s: %s", cases[i].object,
                      error.message);
        if (cases[i].words)
            ck_assert_msg(strstr(error.message, cases[i].words) != NULL, "%s: %s", cases[i].object,
                          error.message);
        toile_scene_free(scene);
    }
}
END_TEST

START_TEST(archive_face_sets_are_groups) {
    char folder[400];
    if (!has_shared(folder))
        return;
    write_cloth(folder, "indexed_fvar_uvs.abc", ", \"pins\": [{\"group\": \"front\"}]");
    ToileScene *scene = scene_load_good();
    ck_assert_int_eq(scene_cloth(scene, 0).pin_count, 8);
    toile_scene_free(scene);
    IoFindings findings;
    ToileError error = toile_error_default();
    write_cloth(folder, "indexed_fvar_uvs.abc", ", \"pins\": [{\"group\": \"frnt\"}]");
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, &error), INVALID);
    ck_assert_msg(strstr(error.message, "did you mean \"front\"?"), "%s", error.message);
}
END_TEST

/* six times the signed volume of a closed mesh: above 0 when its faces look outwards */
static double volume6(const ToileMeshDef *mesh) {
    double sum = 0;
    const int32_t *corners = mesh->corners;
    for (int32_t f = 0; f < mesh->face_count; corners += mesh->face_sizes[f++])
        for (int32_t k = 2; k < mesh->face_sizes[f]; k++) {
            const double *a = mesh->positions_m + 3 * corners[0];
            const double *b = mesh->positions_m + 3 * corners[k - 1];
            const double *c = mesh->positions_m + 3 * corners[k];
            sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0]);
        }
    return sum;
}

START_TEST(archive_cloth_looks_outwards_even_when_mirrored) {
    static const char *const objects[] = {"nested_xforms.abc:/root/mid/sheared",
                                          "nested_xforms.abc:/root/mid/noInherit",
                                          "indexed_fvar_uvs.abc", "subd_creases.abc"};
    char folder[400];
    if (!has_shared(folder))
        return;
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        write_cloth(folder, objects[i], "");
        ToileScene *scene = scene_load_good();
        ck_assert_msg(volume6(scene_cloth(scene, 0).mesh) > 0, "%s", objects[i]);
        toile_scene_free(scene);
    }
}
END_TEST

/* ---- colliders whose faces change ---- */

static ToileSim *make_sim(const ToileScene *scene, ToileClothId *cloths) {
    ToileError error = toile_error_default();
    ToileSimDef def = toile_sim_def_default();
    ToileSim *sim = NULL;
    ck_assert_int_eq(toile_scene_sim_def(scene, &def, &error), TOILE_STATUS_OK);
    def.threads = 1;
    ToileStatus status = toile_scene_create_sim(scene, &def, &sim, cloths, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    return sim;
}

static void step_to(const ToileScene *scene, ToileSim *sim, int32_t frame) {
    ToileError error = toile_error_default();
    ToileStatus status = toile_scene_aim(scene, sim, frame, &error);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_step(sim, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "frame %d: %s", (int)frame, error.message);
}

START_TEST(archive_collider_may_change_its_faces) {
    static const char *const objects[] = {"animated_topology.abc", "same_count_new_order.abc",
                                          "empty_mesh.abc:/appearsLater"};
    char folder[400], keys[600];
    if (!has_shared(folder))
        return;
    for (size_t i = 0; i < 3; i++) {
        snprintf(keys, sizeof keys, ", \"colliders\": [{\"mesh\": \"%s/%s\"}]", folder, objects[i]);
        scene_write("", keys);
        ToileScene *scene = scene_load_good();
        ToileSim *sim = make_sim(scene, NULL);
        for (int32_t frame = 2; frame <= 4; frame++)
            step_to(scene, sim, frame);
        toile_sim_destroy(sim);
        toile_scene_free(scene);
    }
}
END_TEST

/* a few kilobytes may claim millions of samples, and a scene must not try them all */
START_TEST(archive_collider_is_not_sought_without_end) {
    char path[IO_PATH_SIZE + 64];
    path_of("claims.abc", path);
    for (int kind = 0; kind < abc_unusual_count(); kind++)
        if (strcmp(abc_unusual_name(kind), "claims") == 0)
            ck_assert(abc_unusual_write(kind, path));
    static const Bad bads[] = {
        {"", ", \"colliders\": [{\"mesh\": \"claims.abc:/late\"}]", INVALID, 6, 26,
         "has 0 vertices and 0 faces at frame 1"},
        {"", ", \"colliders\": [{\"mesh\": \"claims.abc:/broken\"}]", INVALID, 6, 26,
         "vertex 0 is not a finite number"},
    };
    CHECK_BAD(bads);
}
END_TEST

/* /slab: a triangle far away, and from frame 3 on a quad 4 m across at height 0. `still`: all
 * samples have all vertices, so that only the faces change */
static void write_late_slab(bool still) {
    static const float P[21] = {-2, 0, -2, 2, 0, -2, 2, 0, 2,  -2, 0,
                                2,  0, 90, 0, 1, 90, 0, 0, 90, 1};
    static const int32_t counts[2] = {3, 4}, quad[4] = {0, 3, 2, 1};
    const int32_t base = still ? 4 : 0, triangle[3] = {base, base + 2, base + 1};
    char path[IO_PATH_SIZE + 64];
    abcc_writer *writer = NULL;
    abcc_error error = {0};
    abcc_time time = 0;
    abcc_obj mesh = 0;
    abcc_create_info info = abcc_create_info_default();
    info.fps = 24;
    path_of("slab.abc", path);
    ok(abcc_create(path, &info, &writer, &error), &error);
    ok(abcc_time_uniform(writer, 1 / 24.0, 1 / 24.0, &time, &error), &error);
    ok(abcc_add_mesh(writer, 0, "slab", time, NULL, &mesh, &error), &error);
    for (int32_t frame = 1; frame <= 3; frame++) {
        abcc_mesh_in in = abcc_mesh_in_default();
        in.corners = frame < 3 ? 3 : 4;
        in.verts = still ? 7 : in.corners;
        in.faces = 1;
        in.P = still || frame == 3 ? P : P + 12;
        in.face_count = &counts[frame == 3];
        in.index = frame < 3 ? triangle : quad;
        ok(abcc_mesh_write(writer, mesh, &in, &error), &error);
    }
    ok(abcc_finish(writer, &error), &error);
}

/* How many corners the collider has at a frame. */
static int32_t corners_at(const ToileScene *scene, double frame) {
    ToileObj *found = NULL;
    ck_assert_int_eq(toile_scene_read_collider(scene, 0, frame, &found, NULL), 0);
    int32_t count = found->mesh.corner_count;
    toile_obj_free(found);
    return count;
}

/* Height of the first vertex of the cloth at frame 12. */
static double height_at_12(const ToileScene *scene) {
    ToileClothId cloth;
    double x[12];
    ToileSim *sim = make_sim(scene, &cloth);
    for (int32_t frame = 2; frame <= 12; frame++)
        step_to(scene, sim, frame);
    ck_assert_int_eq(toile_sim_get_positions(sim, cloth, x, NULL), TOILE_STATUS_OK);
    toile_sim_destroy(sim);
    return x[1];
}

/* the square of the tests falls from 0.1 m: on the slab when that is there in time */
START_TEST(archive_collider_has_new_faces_from_their_frame_on) {
    static const char square[] = "v 0 0.1 0\nv 0.5 0.1 0\nv 0.5 0.1 0.5\nv 0 0.1 0.5\nf 1 4 3 2\n";
    char path[IO_PATH_SIZE];
    io_file_write_text(scene_folder, "q.obj", square, path);
    scene_write(", \"pattern\": \"none\"", "");
    ToileScene *scene = scene_load_good();
    ck_assert_double_lt(height_at_12(scene), -0.5);
    toile_scene_free(scene);
    for (int32_t still = 0; still < 2; still++) {
        write_late_slab(still);
        scene_write(", \"pattern\": \"none\"", ", \"colliders\": [{\"mesh\": \"slab.abc\"}]");
        scene = scene_load_good();
        /* between samples of different faces the earlier one stays */
        ck_assert_int_eq(corners_at(scene, 2), 3);
        ck_assert_int_eq(corners_at(scene, 2.9), 3);
        ck_assert_int_eq(corners_at(scene, 3), 4);
        ck_assert_double_gt(height_at_12(scene), 0);
        toile_scene_free(scene);
    }
}
END_TEST

/* ---- archives of other programs ---- */

/* where a vertex of the sheet is at a frame: abc_hosts.h */
static void check_sheet(const ToileMeshDef *mesh, double frame, const char *name) {
    ck_assert_int_eq(mesh->vertex_count, 9);
    ck_assert_int_eq(mesh->face_count, 4);
    for (int32_t v = 0; v < 9; v++) {
        const double *x = mesh->positions_m + 3 * v;
        const double expected[3] = {0.5 * (v / 3) + 1 + 2 * frame, 1, 1 - 0.5 * (v % 3)};
        for (int32_t k = 0; k < 3; k++)
            ck_assert_msg(fabs(x[k] - expected[k]) < FLOAT_ROUNDING,
                          "%s, frame %g, vertex %d: coordinate %d is %g, not %g", name, frame, v, k,
                          x[k], expected[k]);
    }
    /* it looks along y: from the first corner z falls along the first side */
    const double *a = mesh->positions_m + 3 * mesh->corners[0];
    const double *b = mesh->positions_m + 3 * mesh->corners[1];
    const double *c = mesh->positions_m + 3 * mesh->corners[2];
    ck_assert_double_gt((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]), 0);
}

/* writes the archive of a program and a scene with its sheet; NAME.abc goes to `name` */
static void write_host(int host, bool as_cloth, char name[40]) {
    char path[IO_PATH_SIZE + 64], object[200], keys[300];
    AbcHost about = abc_host(host);
    snprintf(name, 40, "%s.abc", about.name);
    path_of(name, path);
    ck_assert(abc_host_write(host, path));
    snprintf(object, sizeof object, "%s:%s", name, about.path);
    if (as_cloth) {
        snprintf(keys, sizeof keys, ", \"uv_set\": \"%s\", \"pattern\": \"orientation\"",
                 about.uv_name);
        write_cloth(scene_folder, object, keys);
    } else {
        snprintf(keys, sizeof keys, ", \"colliders\": [{\"mesh\": \"%s\"}]", object);
        scene_write("", keys);
    }
}

START_TEST(archives_of_other_programs_are_colliders) {
    for (int host = 0; host < abc_host_count(); host++) {
        char name[40];
        write_host(host, false, name);
        ToileScene *scene = scene_load_good();
        for (double frame = 1; frame <= 3; frame += 0.25) {
            ToileObj *found = NULL;
            ck_assert_int_eq(toile_scene_read_collider(scene, 0, frame, &found, NULL), 0);
            check_sheet(&found->mesh, frame, name);
            toile_obj_free(found);
        }
        ToileSim *sim = make_sim(scene, NULL);
        step_to(scene, sim, 2);
        step_to(scene, sim, 3);
        toile_sim_destroy(sim);
        toile_scene_free(scene);
    }
}
END_TEST

START_TEST(archives_of_other_programs_are_cloth) {
    static const int32_t frames[3] = {1, 2, 3};
    for (int host = 0; host < abc_host_count(); host++) {
        char path[IO_PATH_SIZE + 64], name[40];
        ToileError error = toile_error_default();
        ToileCache *cache = NULL;
        ToileClothId id;
        write_host(host, true, name);
        ToileScene *scene = scene_load_good();
        check_sheet(scene_cloth(scene, 0).mesh, 1, name);
        ck_assert_int_eq(scene_cloth(scene, 0).mesh->uv_count, 9);
        ToileSim *sim = make_sim(scene, &id);
        path_of("out.abc", path);
        ToileStatus status = toile_cache_create(path, scene, frames, 3, &cache, &error);
        for (int32_t frame = 1; frame <= 3 && status == TOILE_STATUS_OK; frame++) {
            if (frame > 1)
                step_to(scene, sim, frame);
            status = toile_cache_add(cache, sim, &id, &error);
        }
        if (status == TOILE_STATUS_OK)
            status = toile_cache_finish(cache, &error);
        ck_assert_msg(status == TOILE_STATUS_OK, "%s: %s", name, error.message);
        toile_sim_destroy(sim);
        toile_scene_free(scene);
    }
}
END_TEST

/* ---- point caches ---- */

/* body.obj, the square of the tests, and body.pc2 or .mdd: frame f is `f` higher, `f` further */
static void write_points(const char *name, int32_t points) {
    char path[IO_PATH_SIZE + 64];
    ToilePointCacheWriter *writer = NULL;
    ToilePointCacheDef def = toile_pointcache_def_default();
    def.point_count = points;
    def.sample_count = 2;
    def.first_frame = 1;
    def.frame_step = 2;
    path_of(name, path);
    ck_assert_int_eq(toile_pointcache_create(path, &def, &writer, NULL), TOILE_STATUS_OK);
    for (int32_t frame = 1; frame <= 3; frame += 2) {
        const float f = (float)frame;
        const float x[15] = {f, f, 0, f + 1, f, 0, f + 1, f, 1, f, f, 1, 0, 0, 0};
        ck_assert_int_eq(toile_pointcache_add(writer, x, NULL), TOILE_STATUS_OK);
    }
    ck_assert_int_eq(toile_pointcache_finish(writer, NULL), TOILE_STATUS_OK);
}

START_TEST(points_move_the_mesh_of_a_collider) {
    static const char *const names[] = {"body.pc2", "body.mdd"};
    for (size_t i = 0; i < 2; i++) {
        char keys[200];
        write_points(names[i], 4);
        snprintf(keys, sizeof keys,
                 ", \"unit_m\": 0.5, \"colliders\": [{\"mesh\": \"q.obj\", \"points\": \"%s\"}]",
                 names[i]);
        scene_write("", keys);
        ToileScene *scene = scene_load_good();
        const double frames[] = {-3, 1, 2, 2.5, 3, 9}, expected[] = {1, 1, 2, 2.5, 3, 3};
        for (size_t k = 0; k < 6; k++) {
            ToileObj *found = NULL;
            ck_assert_int_eq(toile_scene_read_collider(scene, 0, frames[k], &found, NULL), 0);
            ck_assert_double_eq_tol(found->mesh.positions_m[3], 0.5 * (expected[k] + 1), 1e-5);
            ck_assert_double_eq_tol(found->mesh.positions_m[4], 0.5 * expected[k], 1e-5);
            toile_obj_free(found);
        }
        toile_scene_free(scene);
    }
}
END_TEST

START_TEST(points_that_do_not_fit_are_refused) {
    static const Bad bads[] = {
        {"", ", \"colliders\": [{\"mesh\": \"q.obj\", \"points\": \"five.pc2\"}]", INVALID, 6, 45,
         "has 5 points, but the mesh"},
        {"", ", \"colliders\": [{\"mesh\": \"q.obj\", \"points\": \"bad.pc2\"}]", INVALID, 6, 45,
         "this is not a PC2 point cache"},
        {"", ", \"colliders\": [{\"mesh\": \"q.obj\", \"points\": \"bad.mdd\"}]", INVALID, 6, 45,
         "bytes do not fit"},
        {"", ", \"colliders\": [{\"mesh\": \"q.obj\", \"points\": \"x.usd\"}]", INVALID, 6, 45,
         "it must end in .pc2 or .mdd"},
        {"", ", \"colliders\": [{\"mesh\": \"q.obj\", \"points\": \"none.mdd\"}]",
         TOILE_STATUS_NOT_FOUND, 6, 45, "there is no file \"none.mdd\""},
        {"", ", \"colliders\": [{\"mesh\": \"slab.abc\", \"points\": \"five.pc2\"}]", INVALID, 6,
         48, "an archive moves by itself"},
        {"", ", \"colliders\": [{\"sphere\": {\"radius\": 1}, \"points\": \"five.pc2\"}]", INVALID,
         6, 53, "give the collider a \"mesh\""}};
    char path[IO_PATH_SIZE];
    write_points("five.pc2", 5);
    write_late_slab(false);
    io_file_write_text(scene_folder, "bad.pc2", "no point cache, but a text of some length", path);
    io_file_write_text(scene_folder, "bad.mdd", "no point cache, but a text of some length", path);
    CHECK_BAD(bads);
}
END_TEST

/* ---- pins ---- */

/* the targets that the pins of the scene have at frame 3, after frame 2 */
static void pinned_at_3(double *x) {
    ToileClothId cloth;
    ToileScene *scene = scene_load_good();
    ToileSim *sim = make_sim(scene, &cloth);
    step_to(scene, sim, 2);
    step_to(scene, sim, 3);
    ck_assert_int_eq(toile_sim_get_positions(sim, cloth, x, NULL), TOILE_STATUS_OK);
    toile_sim_destroy(sim);
    toile_scene_free(scene);
}

/* the mesh that is followed begins at (1, 1, 0), the cloth at the origin, 1 m below it */
START_TEST(pins_follow_a_mesh_that_deforms) {
    static const char *const follows[] = {"{\"mesh\": \"q.obj\", \"points\": \"body.pc2\"}",
                                          "\"body\""};
    write_points("body.pc2", 4);
    for (size_t i = 0; i < 2; i++) {
        char pins[200];
        double x[12];
        snprintf(pins, sizeof pins, ", \"pins\": [{\"vertices\": [0, 1, 2, 3], \"follow\": %s}]",
                 follows[i]);
        scene_write(pins, ", \"colliders\": [{\"name\": \"body\", \"mesh\": \"q.obj\", "
                          "\"points\": \"body.pc2\"}]");
        pinned_at_3(x);
        for (size_t v = 0; v < 4; v++) {
            ck_assert_double_eq_tol(x[3 * v], (v == 1 || v == 2) + 2.0, FLOAT_ROUNDING);
            ck_assert_double_eq_tol(x[3 * v + 1], 2, FLOAT_ROUNDING);
        }
    }
}
END_TEST

/* numbered files: a triangle that turns by a quarter about y and doubles its size */
START_TEST(pins_keep_their_place_on_a_triangle) {
    char path[IO_PATH_SIZE];
    double x[12];
    io_file_write_text(scene_folder, "t.0001.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n", path);
    io_file_write_text(scene_folder, "t.0002.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n", path);
    io_file_write_text(scene_folder, "t.0003.obj", "v 5 0 0\nv 5 0 2\nv 3 0 0\nf 1 3 2\n", path);
    io_file_write_text(scene_folder, "q.obj",
                       "v 0 0.25 0\nv 1 0 0\nv 0.25 0.5 0.25\nv 0 0 1\nf 1 4 3 2\n", path);
    scene_write(", \"pattern\": \"none\", \"pins\": [{\"vertices\": [0, 1, 2, 3], \"follow\": "
                "\"t.%04d.obj\"}]",
                "");
    pinned_at_3(x);
    const double expected[12] = {5, 0.25, 0, 5, 0, 2, 4.5, 0.5, 0.5, 3, 0, 0};
    for (size_t i = 0; i < 12; i++)
        ck_assert_double_eq_tol(x[i], expected[i], 1e-12);
}
END_TEST

#define SIDE 7
#define LOOSE_COUNT (SIDE * SIDE * SIDE)

static double next_between(uint64_t *seed, double low, double high) {
    return low + (high - low) * ((double)io_random(seed) / 18446744073709551616.0);
}

/* Writes loose triangles 2 cm across, 15 cm apart or nearly so, the first at the place `first` of
 * a lattice; their centres go to `centres`. They all look along x + z. */
static void write_loose(const char *name, uint64_t seed, int32_t first,
                        double centres[3 * LOOSE_COUNT]) {
    char path[IO_PATH_SIZE + 64];
    path_of(name, path);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (int32_t t = 0; t < LOOSE_COUNT; t++) {
        double *c = centres + 3 * t;
        int32_t place = (first + t) % LOOSE_COUNT;
        for (int32_t k = 0; k < 3; k++, place /= SIDE)
            c[k] = 0.15 * (place % SIDE) + next_between(&seed, -0.02, 0.02);
        fprintf(file, "v %.17g %.17g %.17g\n", c[0] + 0.01, c[1], c[2] - 0.01);
        fprintf(file, "v %.17g %.17g %.17g\n", c[0], c[1] + 0.01, c[2]);
        fprintf(file, "v %.17g %.17g %.17g\n", c[0] - 0.01, c[1] - 0.01, c[2] + 0.01);
        fprintf(file, "f %d %d %d\n", 3 * t + 1, 3 * t + 2, 3 * t + 3);
    }
    ck_assert_int_eq(fclose(file), 0);
}

/* Writes a cloth with a vertex 2.8 cm in front of each triangle. */
static void write_beside(const double centres[3 * LOOSE_COUNT]) {
    char path[IO_PATH_SIZE + 64];
    path_of("q.obj", path);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (const double *c = centres; c < centres + 3 * LOOSE_COUNT; c += 3)
        fprintf(file, "v %.17g %.17g %.17g\n", c[0] + 0.02, c[1], c[2] + 0.02);
    fprintf(file, "g all\n");
    for (int32_t v = 1; v + 2 <= LOOSE_COUNT; v++)
        fprintf(file, "f %d %d %d\n", v, v + 1, v + 2);
    ck_assert_int_eq(fclose(file), 0);
}

/* the triangles all go to other places, so that one vertex that took another's would be lost */
START_TEST(pins_find_the_nearest_of_many_triangles) {
    static double from[3 * LOOSE_COUNT], to[3 * LOOSE_COUNT], x[3 * LOOSE_COUNT];
    write_loose("t.0003.obj", 6, 99, to);
    write_loose("t.0002.obj", 5, 0, from);
    write_loose("t.0001.obj", 5, 0, from);
    write_beside(from);
    scene_write(", \"pattern\": \"none\", \"pins\": [{\"group\": \"all\", \"follow\": "
                "\"t.%04d.obj\"}]",
                ", \"contact\": {\"self\": false}");
    pinned_at_3(x);
    for (int32_t i = 0; i < 3 * LOOSE_COUNT; i++)
        ck_assert_double_eq_tol(x[i], to[i] + (i % 3 == 1 ? 0 : 0.02), 1e-12);
}
END_TEST

START_TEST(pins_refuse_what_they_cannot_follow) {
    static const Bad bads[] = {
        {", \"pins\": [{\"group\": \"all\", \"follow\": \"slab.abc\"}]", "", INVALID, 4, 39,
         "so that a pin cannot keep its place on it"},
        {", \"pins\": [{\"group\": \"all\", \"follow\": \"none.obj\"}]", "", TOILE_STATUS_NOT_FOUND,
         4, 39, "there is no file \"none.obj\""},
        {", \"pins\": [{\"group\": \"all\", \"follow\": \"nobody\"}]", "", INVALID, 4, 39,
         "there is no collider \"nobody\""},
        {", \"pins\": [{\"group\": \"all\", \"follow\": 3}]", "", INVALID, 4, 39, "3"},
        {", \"pins\": [{\"group\": \"all\", \"follow\": {\"points\": \"body.pc2\"}}]", "", INVALID,
         4, 39, "mesh"}};
    write_late_slab(false);
    CHECK_BAD(bads);
}
END_TEST

/* ---- units ---- */

/* a second uv set, half as large as the first */
static void add_half_uvs(abcc_writer *writer, abcc_obj mesh, const uint32_t uv_index[4]) {
    static const float half[8] = {0, 0, 0.5F, 0, 0.5F, 0.5F, 0, 0.5F};
    abcc_error error = {0};
    abcc_param param = abcc_param_default();
    uint32_t id = 0;
    param.where = ABCC_IN_ARB;
    param.type = ABCC_F32;
    param.width = 2;
    param.scope = ABCC_FACEVARYING;
    param.indexed = 1;
    param.samples = 1;
    param.name = "half";
    param.meaning = "vector";
    ok(abcc_param_add(writer, mesh, &param, &id, &error), &error);
    ok(abcc_param_write(writer, mesh, id, half, 4, uv_index, 4, &error), &error);
}

/* body.abc: /arm/armShape, a square of 100 units below a transform by (20, 130, 5), with uvs */
static void write_body(void) {
    static const float P[12] = {0, 0, 0, 100, 0, 0, 100, 0, 100, 0, 0, 100};
    static const float uv[8] = {0, 0, 1, 0, 1, 1, 0, 1};
    static const int32_t count = 4, index[4] = {0, 3, 2, 1};
    static const uint32_t uv_index[4] = {0, 3, 2, 1};
    const double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 20, 130, 5, 1};
    char path[IO_PATH_SIZE + 64];
    abcc_writer *writer = NULL;
    abcc_error error = {0};
    abcc_obj xform = 0, mesh = 0;
    abcc_create_info info = abcc_create_info_default();
    abcc_mesh_in in = abcc_mesh_in_default();
    info.fps = 24;
    in.verts = in.corners = in.uv_values = 4;
    in.faces = 1;
    in.P = P;
    in.uv = uv;
    in.uv_index = uv_index;
    in.face_count = &count;
    in.index = index;
    path_of("body.abc", path);
    ok(abcc_create(path, &info, &writer, &error), &error);
    ok(abcc_add_xform(writer, 0, "arm", 0, &xform, &error), &error);
    ok(abcc_xform_write(writer, xform, m, 1, &error), &error);
    ok(abcc_add_mesh(writer, xform, "armShape", 0, "UVMap", &mesh, &error), &error);
    add_half_uvs(writer, mesh, uv_index);
    ok(abcc_mesh_write(writer, mesh, &in, &error), &error);
    ok(abcc_finish(writer, &error), &error);
}

/* a scene in centimetres whose cloth is the body; `more` are further keys of the cloth */
static void write_body_scene(const char *up, const char *more) {
    char text[500], path[IO_PATH_SIZE];
    snprintf(text, sizeof text,
             "{\"toile\": 1, \"frames\": \"1\", \"unit_m\": 0.01, \"up\": \"%s\", \"cloth\": "
             "[{\"name\": \"c\", \"fabric\": \"denim\", \"mesh\": \"body.abc:/arm\"%s}]}",
             up, more);
    io_file_write_text(scene_folder, "scene.json", text, path);
    snprintf(scene_path, sizeof scene_path, "%s", path);
}

START_TEST(archive_cloth_takes_the_uv_set_it_names) {
    static const char *const sets[] = {"", ", \"uv_set\": \"UVMap\"", ", \"uv_set\": \"half\""};
    static const double width[] = {1, 1, 0.5};
    IoFindings findings;
    ToileError error = toile_error_default();
    ToileScene *scene = NULL;
    write_body();
    for (size_t i = 0; i < 3; i++) {
        write_body_scene("y", sets[i]);
        scene = scene_load_good();
        ToileSceneCloth cloth = scene_cloth(scene, 0);
        ck_assert_int_eq(cloth.mesh->uv_count, 4);
        /* by corner, in the order of the faces: corner 1 is vertex 3, which is at (0, width) */
        ck_assert_int_eq(cloth.mesh->corners[1], 3);
        ck_assert_double_eq(cloth.mesh->uvs[2 * cloth.mesh->corner_uvs[1] + 1], width[i]);
        toile_scene_free(scene);
    }
    write_body_scene("y", ", \"uv_set\": \"haf\"");
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, &error), INVALID);
    ck_assert_msg(strstr(error.message, "UVMap") && strstr(error.message, "half"), "%s",
                  error.message);
    scene_write(", \"uv_set\": \"half\"", "");
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, &error), INVALID);
    ck_assert_msg(strstr(error.message, "has one uv set without a name"), "%s", error.message);
}
END_TEST

/* a vertex of the first mesh of an archive in its world */
static void world_vertex(const char *name, const char *object, int32_t vertex, double out[3]) {
    char path[IO_PATH_SIZE + 64];
    abcc_reader *reader = NULL;
    abcc_error error = {0};
    abcc_obj obj = 0;
    abcc_mesh_out to = abcc_mesh_out_default();
    float P[12];
    double m[16];
    path_of(name, path);
    ok(abcc_open(path, 0, NULL, &reader, &error), &error);
    ok(abcc_find(reader, object, &obj, &error), &error);
    to.cap_verts = 4;
    to.P = P;
    ok(abcc_mesh_read(reader, obj, 0, &to, &error), &error);
    ok(abcc_world(reader, obj, 1 / 24.0, m, NULL, NULL, &error), &error);
    abcc_close(reader);
    const float *p = P + 3 * vertex;
    for (size_t k = 0; k < 3; k++)
        out[k] =
            (double)p[0] * m[k] + (double)p[1] * m[4 + k] + (double)p[2] * m[8 + k] + m[12 + k];
}

START_TEST(a_scene_in_centimetres_overlays_its_input) {
    static const char *const ups[] = {"y", "z"};
    write_body();
    for (size_t i = 0; i < 2; i++) {
        char cache_path[IO_PATH_SIZE + 64];
        const int32_t frame = 1;
        ToileClothId cloth;
        ToileCache *cache = NULL;
        write_body_scene(ups[i], "");
        ToileScene *scene = scene_load_good();
        /* in metres, and where the scene's up is up */
        const double *x = scene_cloth(scene, 0).mesh->positions_m;
        ck_assert_double_eq_tol(x[3], 1.2, FLOAT_ROUNDING);
        ck_assert_double_eq_tol(x[i == 0 ? 4 : 5], 1.3, FLOAT_ROUNDING);
        ToileSim *sim = make_sim(scene, &cloth);
        path_of("out.abc", cache_path);
        ck_assert_int_eq(toile_cache_create(cache_path, scene, &frame, 1, &cache, NULL), 0);
        ck_assert_int_eq(toile_cache_add(cache, sim, &cloth, NULL), TOILE_STATUS_OK);
        ck_assert_int_eq(toile_cache_finish(cache, NULL), TOILE_STATUS_OK);
        for (int32_t v = 0; v < 4; v++) {
            double in[3], out[3];
            world_vertex("body.abc", "/arm/armShape", v, in);
            world_vertex("out.abc", "/c/cShape", v, out);
            for (size_t k = 0; k < 3; k++)
                ck_assert_double_eq_tol(out[k], in[k], 1e-5);
        }
        toile_sim_destroy(sim);
        toile_scene_free(scene);
    }
}
END_TEST

static Suite *archive_suite(void) {
    Suite *suite = suite_create("scene archives");
    TCase *all = tcase_create("archives and point caches");
    tcase_add_checked_fixture(all, scene_make_folder, scene_remove_folder);
    tcase_add_test(all, archive_cloth_is_refused_or_read_as_the_data_demands);
    tcase_add_test(all, archive_cloth_takes_the_uv_set_it_names);
    tcase_add_test(all, archive_face_sets_are_groups);
    tcase_add_test(all, archive_cloth_looks_outwards_even_when_mirrored);
    tcase_add_test(all, archive_collider_may_change_its_faces);
    tcase_add_test(all, archive_collider_is_not_sought_without_end);
    tcase_add_test(all, archive_collider_has_new_faces_from_their_frame_on);
    tcase_add_test(all, points_move_the_mesh_of_a_collider);
    tcase_add_test(all, points_that_do_not_fit_are_refused);
    tcase_add_test(all, pins_follow_a_mesh_that_deforms);
    tcase_add_test(all, pins_keep_their_place_on_a_triangle);
    tcase_add_test(all, archives_of_other_programs_are_colliders);
    tcase_add_test(all, archives_of_other_programs_are_cloth);
    tcase_add_test(all, pins_find_the_nearest_of_many_triangles);
    tcase_add_test(all, pins_refuse_what_they_cannot_follow);
    tcase_add_test(all, a_scene_in_centimetres_overlays_its_input);
    suite_add_tcase(suite, all);
    return suite;
}

int main(void) {
    return run_suite(archive_suite());
}
