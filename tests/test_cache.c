/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Frames written by io/cache.c, read back through abc_c.h and as text. States are set by hand, so
 * that every number of a file is known. */
#define _POSIX_C_SOURCE 200809L

#include "support/io_files.h"
#include "toile_io/abc_c.h"
#include "toile_io/cache.h"
#include "toile_io/pointcache.h"

#include <check.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERTICES 4
#define FRAMES 3

static char folder[] = "/tmp/toile-cache.XXXXXX";

static const int32_t frames_1_to_3[FRAMES] = {1, 2, 3};

/* ---- scenes ---- */

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

/* one triangle and one quad's worth of corners: two triangles with a uv seam between them */
static void write_mesh(void) {
    write_text("mesh.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                           "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.25 0.25\n"
                           "f 1/1 2/2 3/3\nf 1/5 3/3 4/4\n");
}

/* A scene with its simulation, at the first frame. */
typedef struct Fixture {
    ToileScene *scene;
    ToileSim *sim;
    ToileClothId cloths[4];
    int32_t cloth_count;
} Fixture;

/* `cloths` is the list of the scene, `more` further keys that begin with a comma */
static Fixture open_scene(const char *cloths, const char *more) {
    Fixture fixture = {0};
    char text[2000];
    ToileError error = toile_error_default();
    ToileSimDef def = toile_sim_def_default();
    write_mesh();
    snprintf(text, sizeof text,
             "{\"toile\": 1, \"fps\": 24, \"frames\": \"1-3\", \"cloth\": [%s]%s}", cloths, more);
    write_text("scene.json", text);
    ToileStatus status =
        toile_scene_load("scene.json", NULL, 0, NULL, NULL, &fixture.scene, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    ToileSceneInfo info = {0};
    info.struct_size = (uint32_t)sizeof info;
    ck_assert_int_eq(toile_scene_get_info(fixture.scene, &info, &error), TOILE_STATUS_OK);
    fixture.cloth_count = info.cloth_count;
    def.threads = 1;
    status = toile_scene_create_sim(fixture.scene, &def, &fixture.sim, fixture.cloths, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    return fixture;
}

static Fixture open_one(const char *more) {
    return open_scene("{\"name\": \"flag\", \"mesh\": \"mesh.obj\"}", more);
}

static void close_scene(Fixture *fixture) {
    toile_sim_destroy(fixture->sim);
    toile_scene_free(fixture->scene);
}

/* position and velocity of value k of vertex i in frame f: not representable as float; positions
 * are the nearest doubles to decimals, which a simulation gives back bit for bit */
static double position(int32_t f, int32_t i, int32_t k) {
    return (f + 7 * i - 3 * k) / 10.0;
}

static double velocity(int32_t f, int32_t i, int32_t k) {
    return 0.9 * k - 0.2 * i + 0.1 * f;
}

/* puts every cloth into the state of frame f, moved by `shift` */
static void set_state(Fixture *fixture, int32_t f, const double shift[3]) {
    double x[3 * VERTICES], v[3 * VERTICES];
    for (int32_t i = 0; i < VERTICES; i++)
        for (int32_t k = 0; k < 3; k++) {
            x[3 * i + k] = position(f, i, k) + (shift ? shift[k] : 0.0);
            v[3 * i + k] = velocity(f, i, k);
        }
    for (int32_t c = 0; c < fixture->cloth_count; c++) {
        ck_assert_int_eq(toile_sim_set_positions(fixture->sim, fixture->cloths[c], x, NULL), 0);
        ck_assert_int_eq(toile_sim_set_velocities(fixture->sim, fixture->cloths[c], v, NULL), 0);
    }
}

/* writes `count` of three frames and finishes */
static void write_cache(Fixture *fixture, const char *path, int32_t count, const double shift[3]) {
    ToileError error = toile_error_default();
    ToileCache *cache = NULL;
    ToileStatus status =
        toile_cache_create(path, fixture->scene, frames_1_to_3, FRAMES, &cache, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    for (int32_t f = 0; f < count; f++) {
        set_state(fixture, frames_1_to_3[f], shift);
        status = toile_cache_add(cache, fixture->sim, fixture->cloths, &error);
        ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    }
    status = toile_cache_finish(cache, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
}

/* ---- reading back ---- */

static abcc_reader *open_archive(const char *path) {
    abcc_error error = {0};
    abcc_reader *reader = NULL;
    ck_assert_msg(abcc_open(path, 0, NULL, &reader, &error) == ABCC_OK, "%s", error.text);
    return reader;
}

static abcc_obj find(abcc_reader *reader, const char *path) {
    abcc_obj obj = 0;
    ck_assert_msg(abcc_find(reader, path, &obj, NULL) == ABCC_OK, "no object %s", path);
    return obj;
}

/* reads property `name` of an object; strings must fit into `size` bytes */
static void read_property(abcc_reader *reader, abcc_obj obj, const char *name, void *value,
                          uint64_t size) {
    uint32_t count = 0;
    ck_assert_int_eq(abcc_param_count(reader, obj, &count, NULL), ABCC_OK);
    for (uint32_t i = 0; i < count; i++) {
        abcc_param param = abcc_param_default();
        uint64_t bytes = 0, values = 0, indices = 0;
        ck_assert_int_eq(abcc_param_get(reader, obj, i, &param, NULL), ABCC_OK);
        if (strcmp(param.name, name) != 0)
            continue;
        ck_assert_int_eq(abcc_param_size(reader, obj, i, 0, &bytes, &values, &indices, NULL), 0);
        ck_assert_uint_le(bytes, size);
        ck_assert_int_eq(abcc_param_read(reader, obj, i, 0, value, bytes, NULL, 0, NULL), ABCC_OK);
        return;
    }
    ck_abort_msg("no property %s", name);
}

static int32_t int_property(abcc_reader *reader, abcc_obj obj, const char *name) {
    int32_t value = -1;
    read_property(reader, obj, name, &value, sizeof value);
    return value;
}

/* P, and v when it is not NULL, of one sample */
static void read_sample(abcc_reader *reader, abcc_obj obj, uint32_t sample, float *P, float *v) {
    abcc_error error = {0};
    abcc_mesh_out out = abcc_mesh_out_default();
    out.cap_verts = VERTICES;
    out.P = P;
    out.v = v;
    ck_assert_msg(abcc_mesh_read(reader, obj, sample, &out, &error) == ABCC_OK, "%s", error.text);
}

static size_t file_content(const char *path, char *bytes, size_t size) {
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "no file %s", path);
    size_t length = fread(bytes, 1, size, file);
    fclose(file);
    return length;
}

static int files_here(void) {
    int count = 0;
    DIR *here = opendir(".");
    while (readdir(here))
        count++;
    closedir(here);
    return count - 2;
}

static void remove_files(void) {
    DIR *here = opendir(".");
    for (struct dirent *entry = readdir(here); entry; entry = readdir(here))
        if (entry->d_name[0] != '.')
            remove(entry->d_name);
    closedir(here);
}

/* ---- archives ---- */

START_TEST(cache_archive_holds_every_frame) {
    Fixture fixture = open_one(", \"output\": {\"velocities\": true}");
    write_cache(&fixture, "a.abc", FRAMES, NULL);
    abcc_reader *reader = open_archive("a.abc");
    abcc_obj mesh = find(reader, "/flag/flagShape");
    abcc_object object = abcc_object_default();
    ck_assert_int_eq(abcc_object_get(reader, find(reader, "/flag"), &object, NULL), ABCC_OK);
    ck_assert_int_eq(object.kind, ABCC_XFORM);
    ck_assert_int_eq(abcc_object_get(reader, mesh, &object, NULL), ABCC_OK);
    ck_assert_int_eq(object.kind, ABCC_MESH);
    ck_assert_uint_eq(object.samples, FRAMES);
    for (uint32_t s = 0; s < FRAMES; s++) {
        float P[3 * VERTICES], v[3 * VERTICES];
        double seconds = 0.0;
        ck_assert_int_eq(abcc_sample_time(reader, mesh, s, &seconds, NULL), ABCC_OK);
        ck_assert_double_eq_tol(seconds, (1 + s) / 24.0, 1e-15);
        read_sample(reader, mesh, s, P, v);
        for (int32_t i = 0; i < 3 * VERTICES; i++) {
            ck_assert(P[i] == (float)position((int32_t)s + 1, i / 3, i % 3));
            ck_assert(v[i] == (float)velocity((int32_t)s + 1, i / 3, i % 3));
        }
    }
    abcc_close(reader);
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_archive_keeps_faces_and_uvs) {
    const int32_t corners[6] = {0, 1, 2, 0, 2, 3};
    const uint32_t corner_uvs[6] = {0, 1, 2, 4, 2, 3};
    Fixture fixture = open_one("");
    write_cache(&fixture, "a.abc", FRAMES, NULL);
    abcc_reader *reader = open_archive("a.abc");
    abcc_obj mesh = find(reader, "/flag/flagShape");
    abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
    ck_assert_int_eq(abcc_mesh_size(reader, mesh, 2, &sizes, NULL), ABCC_OK);
    ck_assert_uint_eq(sizes.faces, 2);
    ck_assert_uint_eq(sizes.uv_values, 5);
    ck_assert_int_eq(sizes.uv_scope, ABCC_FACEVARYING);
    ck_assert_int_eq(sizes.topology, ABCC_TOPO_FIXED);
    ck_assert_str_eq(sizes.uv_name, "uv");
    int32_t counts[2], index[6];
    uint32_t uv_index[6];
    float uv[10];
    abcc_mesh_out out = abcc_mesh_out_default();
    out.cap_faces = 2;
    out.cap_corners = 6;
    out.cap_uv = 5;
    out.face_count = counts;
    out.index = index;
    out.uv = uv;
    out.uv_index = uv_index;
    ck_assert_int_eq(abcc_mesh_read(reader, mesh, 2, &out, NULL), ABCC_OK);
    for (int32_t f = 0; f < 2; f++) {
        /* a face may begin at another corner, but turns the same way */
        int32_t turn = 0;
        while (turn < 3 && index[3 * f] != corners[3 * f + turn])
            turn++;
        ck_assert_int_lt(turn, 3);
        for (int32_t k = 0; k < 3; k++) {
            int32_t from = 3 * f + (k + turn) % 3;
            ck_assert_int_eq(index[3 * f + k], corners[from]);
            ck_assert_uint_eq(uv_index[3 * f + k], corner_uvs[from]);
        }
    }
    ck_assert(uv[8] == 0.25F);
    abcc_close(reader);
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_archive_records_where_it_came_from) {
    char text[64] = "", hash[32];
    double unit = 0.0;
    Fixture fixture = open_one("");
    ToileSceneInfo info = {0};
    info.struct_size = (uint32_t)sizeof info;
    toile_scene_get_info(fixture.scene, &info, NULL);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)info.hash);
    write_cache(&fixture, "a.abc", FRAMES, NULL);
    abcc_reader *reader = open_archive("a.abc");
    abcc_obj mesh = find(reader, "/flag/flagShape");
    ck_assert_int_eq(int_property(reader, mesh, "complete"), 1);
    ck_assert_int_eq(int_property(reader, mesh, "first_frame"), 1);
    ck_assert_int_eq(int_property(reader, mesh, "last_frame"), 3);
    ck_assert_int_eq(int_property(reader, mesh, "frame_step"), 1);
    read_property(reader, mesh, "unit_m", &unit, sizeof unit);
    ck_assert_double_eq(unit, 1.0);
    read_property(reader, mesh, "toile_version", text, sizeof text);
    ck_assert_str_eq(text, toile_version_string());
    read_property(reader, mesh, "scene_hash", text, sizeof text);
    ck_assert_str_eq(text, hash);
    abcc_close(reader);
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_cut_short_is_not_complete) {
    abcc_object object = abcc_object_default();
    Fixture fixture = open_one("");
    write_cache(&fixture, "a.abc", 2, NULL);
    abcc_reader *reader = open_archive("a.abc");
    abcc_obj mesh = find(reader, "/flag/flagShape");
    ck_assert_int_eq(abcc_object_get(reader, mesh, &object, NULL), ABCC_OK);
    ck_assert_uint_eq(object.samples, 2);
    ck_assert_int_eq(int_property(reader, mesh, "complete"), 0);
    ck_assert_int_eq(int_property(reader, mesh, "last_frame"), 2);
    abcc_close(reader);
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_velocities_only_on_request) {
    abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
    Fixture fixture = open_one(", \"output\": {\"velocities\": false}");
    write_cache(&fixture, "a.abc", FRAMES, NULL);
    abcc_reader *reader = open_archive("a.abc");
    abcc_obj mesh = find(reader, "/flag/flagShape");
    ck_assert_int_eq(abcc_mesh_size(reader, mesh, 0, &sizes, NULL), ABCC_OK);
    ck_assert_uint_eq(sizes.velocities, 0);
    abcc_close(reader);
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_z_up_is_turned_exactly) {
    float P[3 * VERTICES], v[3 * VERTICES];
    Fixture fixture = open_one(", \"up\": \"z\", \"output\": {\"velocities\": true}");
    write_cache(&fixture, "a.abc", FRAMES, NULL);
    abcc_reader *reader = open_archive("a.abc");
    read_sample(reader, find(reader, "/flag/flagShape"), 1, P, v);
    for (int32_t i = 0; i < VERTICES; i++) {
        ck_assert(P[3 * i] == (float)position(2, i, 0));
        ck_assert(P[3 * i + 1] == (float)position(2, i, 2));
        ck_assert(P[3 * i + 2] == -(float)position(2, i, 1));
        ck_assert(v[3 * i + 1] == (float)velocity(2, i, 2));
        ck_assert(v[3 * i + 2] == -(float)velocity(2, i, 1));
    }
    abcc_close(reader);
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_is_in_units_of_the_cloth) {
    float P[3 * VERTICES], v[3 * VERTICES];
    double unit = 0.0;
    Fixture fixture = open_one(", \"unit_m\": 0.01, \"output\": {\"velocities\": true}");
    write_cache(&fixture, "a.abc", FRAMES, NULL);
    abcc_reader *reader = open_archive("a.abc");
    abcc_obj mesh = find(reader, "/flag/flagShape");
    read_sample(reader, mesh, 0, P, v);
    for (int32_t i = 0; i < 3 * VERTICES; i++) {
        ck_assert(P[i] == (float)(position(1, i / 3, i % 3) / 0.01));
        ck_assert(v[i] == (float)(velocity(1, i / 3, i % 3) / 0.01));
    }
    read_property(reader, mesh, "unit_m", &unit, sizeof unit);
    ck_assert_double_eq(unit, 0.01);
    abcc_close(reader);
    close_scene(&fixture);
}
END_TEST

/* one archive has one unit, whatever the units of the meshes it came from */
START_TEST(cache_archive_is_in_the_unit_of_the_scene) {
    Fixture fixture = open_scene("{\"name\": \"a\", \"mesh\": \"mesh.obj\", \"unit_m\": 0.5},"
                                 "{\"name\": \"b\", \"mesh\": \"mesh.obj\"}",
                                 ", \"unit_m\": 0.01");
    static char text[4096];
    write_cache(&fixture, "a.abc", FRAMES, NULL);
    abcc_reader *reader = open_archive("a.abc");
    abcc_info info = abcc_info_default();
    ck_assert_int_eq(abcc_info_get(reader, &info, NULL), ABCC_OK);
    ck_assert_ptr_nonnull(strstr(info.description, "0.01 m a unit"));
    for (int32_t c = 0; c < 2; c++) {
        abcc_obj mesh = find(reader, c ? "/b/bShape" : "/a/aShape");
        float P[3 * VERTICES], v[3 * VERTICES];
        double unit = 0.0;
        read_sample(reader, mesh, 0, P, v);
        for (int32_t i = 0; i < 3 * VERTICES; i++) {
            ck_assert(P[i] == (float)(position(1, i / 3, i % 3) / 0.01));
            ck_assert(v[i] == (float)(velocity(1, i / 3, i % 3) / 0.01));
        }
        read_property(reader, mesh, "unit_m", &unit, sizeof unit);
        ck_assert_double_eq(unit, 0.01);
    }
    abcc_close(reader);
    /* a file of one cloth is in its unit */
    write_cache(&fixture, "a.obj", FRAMES, NULL);
    text[file_content("a.a.0002.obj", text, sizeof text - 1)] = '\0';
    ck_assert_ptr_nonnull(strstr(text, "v 0.4 -0.2 -0.8\n"));
    close_scene(&fixture);
}
END_TEST

/* a scene whose cloth starts in the state of frame 1, moved by `shift` */
static Fixture open_moved(const double shift[3]) {
    char text[500];
    size_t used = 0;
    for (int32_t i = 0; i < VERTICES; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "v %.17g %.17g %.17g\n",
                                 position(1, i, 0) + shift[0], position(1, i, 1) + shift[1],
                                 position(1, i, 2) + shift[2]);
    write_text("start.obj", text);
    return open_scene("{\"name\": \"flag\", \"mesh\": \"mesh.obj\", \"start\": \"start.obj\"}", "");
}

/* box of frame 1: x 0.1 to 2.2, y -0.2 to 1.9, z -0.5 to 1.6 */
START_TEST(cache_far_from_the_origin_keeps_its_precision) {
    const double shift[3] = {1000.0, -200.0, 3000.0};
    const double offset[3] = {1001.0, -199.0, 3001.0};
    float P[3 * VERTICES];
    double m[16];
    Fixture fixture = open_moved(shift);
    write_cache(&fixture, "a.abc", FRAMES, shift);
    abcc_reader *reader = open_archive("a.abc");
    ck_assert_int_eq(abcc_xform_read(reader, find(reader, "/flag"), 0.0, m, NULL, NULL), ABCC_OK);
    for (int32_t k = 0; k < 3; k++)
        ck_assert_double_eq(m[12 + k], offset[k]);
    read_sample(reader, find(reader, "/flag/flagShape"), 2, P, NULL);
    for (int32_t i = 0; i < 3 * VERTICES; i++) {
        double world = (double)P[i] + m[12 + i % 3];
        ck_assert_double_eq_tol(world, position(3, i / 3, i % 3) + shift[i % 3], 2e-7);
    }
    abcc_close(reader);
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_near_the_origin_has_no_offset) {
    const double shift[3] = {4.0, 4.0, 4.0};
    double m[16];
    Fixture fixture = open_moved(shift);
    write_cache(&fixture, "a.abc", FRAMES, shift);
    abcc_reader *reader = open_archive("a.abc");
    ck_assert_int_eq(abcc_xform_read(reader, find(reader, "/flag"), 0.0, m, NULL, NULL), ABCC_OK);
    for (int32_t k = 0; k < 3; k++)
        ck_assert(m[12 + k] >= -0.0 && m[12 + k] <= 0.0);
    abcc_close(reader);
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_names_are_plain_and_distinct) {
    char name[64] = "";
    Fixture fixture = open_scene("{\"name\": \"left sleeve\", \"mesh\": \"mesh.obj\"},"
                                 "{\"name\": \"left.sleeve\", \"mesh\": \"mesh.obj\"},"
                                 "{\"name\": \"h\xc3\xa9 1\", \"mesh\": \"mesh.obj\"}",
                                 "");
    write_cache(&fixture, "a.abc", FRAMES, NULL);
    abcc_reader *reader = open_archive("a.abc");
    abcc_obj mesh = find(reader, "/left_sleeve_2/left_sleeve_2Shape");
    read_property(reader, mesh, "source_name", name, sizeof name);
    ck_assert_str_eq(name, "left.sleeve");
    find(reader, "/left_sleeve/left_sleeveShape");
    find(reader, "/h___1/h___1Shape");
    abcc_close(reader);
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_same_input_same_bytes) {
    static char a[1 << 20], b[1 << 20];
    Fixture fixture = open_one("");
    write_cache(&fixture, "a.abc", FRAMES, NULL);
    write_cache(&fixture, "other.abc", FRAMES, NULL);
    size_t length = file_content("a.abc", a, sizeof a);
    ck_assert_uint_eq(file_content("other.abc", b, sizeof b), length);
    ck_assert_mem_eq(a, b, length);
    close_scene(&fixture);
}
END_TEST

/* ---- OBJ files ---- */

START_TEST(cache_obj_is_one_file_a_frame) {
    static char text[4096];
    Fixture fixture = open_one(", \"up\": \"z\"");
    write_cache(&fixture, "a.obj", FRAMES, NULL);
    ck_assert_int_eq(access("a.0001.obj", F_OK), 0);
    ck_assert_int_eq(access("a.0003.obj", F_OK), 0);
    ck_assert_int_ne(access("a.obj", F_OK), 0);
    /* scene axes, enough digits for every float */
    text[file_content("a.0002.obj", text, sizeof text - 1)] = '\0';
    ck_assert_ptr_nonnull(strstr(text, "v 0.2 -0.1 -0.4\n"));
    ck_assert_ptr_nonnull(strstr(text, "vt 0.25 0.25\n"));
    ck_assert_ptr_nonnull(strstr(text, "f 1/5 3/3 4/4\n"));
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_obj_names_several_cloths) {
    Fixture fixture = open_scene("{\"name\": \"a b\", \"mesh\": \"mesh.obj\"},"
                                 "{\"name\": \"c\", \"mesh\": \"mesh.obj\"}",
                                 "");
    write_cache(&fixture, "x.obj", FRAMES, NULL);
    ck_assert_int_eq(access("x.a_b.0001.obj", F_OK), 0);
    ck_assert_int_eq(access("x.c.0003.obj", F_OK), 0);
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_obj_frames_may_be_negative_and_uneven) {
    const int32_t frames[3] = {-7, 0, 12345};
    ToileCache *cache = NULL;
    Fixture fixture = open_one("");
    ck_assert_int_eq(toile_cache_create("n.obj", fixture.scene, frames, 3, &cache, NULL), 0);
    for (int32_t i = 0; i < 3; i++)
        ck_assert_int_eq(toile_cache_add(cache, fixture.sim, fixture.cloths, NULL), 0);
    ck_assert_int_eq(toile_cache_finish(cache, NULL), 0);
    ck_assert_int_eq(access("n.-0007.obj", F_OK), 0);
    ck_assert_int_eq(access("n.0000.obj", F_OK), 0);
    ck_assert_int_eq(access("n.12345.obj", F_OK), 0);
    close_scene(&fixture);
}
END_TEST

/* ---- refusals ---- */

static void refused(const Fixture *fixture, const char *path, const int32_t *frames, int32_t count,
                    ToileStatus expected) {
    ToileError error = toile_error_default();
    ToileCache *cache = NULL;
    int before = files_here();
    ToileStatus status = toile_cache_create(path, fixture->scene, frames, count, &cache, &error);
    ck_assert_int_eq(status, expected);
    ck_assert_ptr_null(cache);
    ck_assert_int_gt((int)strlen(error.message), 10);
    ck_assert_int_eq(files_here(), before);
}

START_TEST(cache_refuses_what_it_cannot_write) {
    const int32_t uneven[3] = {1, 2, 5}, falling[2] = {2, 1};
    Fixture fixture = open_one("");
    refused(&fixture, "a.abc", uneven, 3, TOILE_STATUS_INVALID_ARGUMENT);
    refused(&fixture, "a.abc", falling, 2, TOILE_STATUS_INVALID_ARGUMENT);
    refused(&fixture, "a.abc", uneven, 0, TOILE_STATUS_INVALID_ARGUMENT);
    refused(&fixture, "a.pc2", uneven, 3, TOILE_STATUS_INVALID_ARGUMENT);
    refused(&fixture, "a.mdd", uneven, 3, TOILE_STATUS_INVALID_ARGUMENT);
    refused(&fixture, "a.usd", frames_1_to_3, 3, TOILE_STATUS_UNSUPPORTED);
    refused(&fixture, "no/such/folder/a.pc2", frames_1_to_3, 3, TOILE_STATUS_CANNOT_CREATE);
    refused(&fixture, ".abc", frames_1_to_3, 3, TOILE_STATUS_UNSUPPORTED);
    ck_assert_int_eq(mkdir("d.abc", 0777) | mkdir("d.pc2", 0777), 0);
    refused(&fixture, "d.abc", frames_1_to_3, 3, TOILE_STATUS_CANNOT_CREATE);
    refused(&fixture, "d.pc2", frames_1_to_3, 3, TOILE_STATUS_CANNOT_CREATE);
    refused(&fixture, "no/such/folder/a.abc", frames_1_to_3, 3, TOILE_STATUS_CANNOT_CREATE);
    refused(&fixture, "no/such/folder/a.obj", frames_1_to_3, 3, TOILE_STATUS_CANNOT_CREATE);
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_refuses_a_frame_too_many) {
    ToileError error = toile_error_default();
    ToileCache *cache = NULL;
    Fixture fixture = open_one("");
    ck_assert_int_eq(toile_cache_create("a.abc", fixture.scene, frames_1_to_3, 1, &cache, NULL), 0);
    ck_assert_int_eq(toile_cache_add(cache, fixture.sim, fixture.cloths, &error), 0);
    ck_assert_int_eq(toile_cache_add(cache, fixture.sim, fixture.cloths, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_cache_finish(cache, NULL), 0);
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_abandoned_leaves_the_old_file) {
    static char before[1 << 20], after[1 << 20];
    ToileCache *cache = NULL;
    Fixture fixture = open_one("");
    write_cache(&fixture, "a.abc", FRAMES, NULL);
    size_t length = file_content("a.abc", before, sizeof before);
    int count = files_here();
    ck_assert_int_eq(toile_cache_create("a.abc", fixture.scene, frames_1_to_3, 3, &cache, NULL), 0);
    ck_assert_int_eq(toile_cache_add(cache, fixture.sim, fixture.cloths, NULL), 0);
    toile_cache_abandon(cache);
    toile_cache_abandon(NULL);
    ck_assert_int_eq(files_here(), count);
    ck_assert_uint_eq(file_content("a.abc", after, sizeof after), length);
    ck_assert_mem_eq(before, after, length);
    close_scene(&fixture);
}
END_TEST

/* makes a file as a process of number `process` on `host` would leave it for `name` */
static void leave_temporary(const char *name, const char *host, long process, char path[256]) {
    snprintf(path, 256, "%s.%s.%ld.tmp", name, host, process);
    write_text(path, "left");
}

START_TEST(cache_removes_only_stale_temporary_files) {
    char host[64] = "", stale[2][256], kept[6][256];
    ToileCache *cache = NULL;
    Fixture fixture = open_one("");
    pid_t dead = fork();
    if (dead == 0)
        _exit(0);
    ck_assert_int_gt(dead, 0);
    ck_assert_int_eq(waitpid(dead, NULL, 0), dead);
    gethostname(host, sizeof host - 1);
    for (char *c = host; *c; c++)
        *c = *c == '_' || *c == '-' || *c == '.' || isalnum((unsigned char)*c) ? *c : '_';
    leave_temporary("a.abc", host, dead, stale[0]);
    leave_temporary("s.0007.obj", host, dead, stale[1]);
    leave_temporary("a.abc", host, getppid(), kept[0]);
    leave_temporary("a.abc", "elsewhere", dead, kept[1]);
    leave_temporary("ba.abc", host, dead, kept[2]);
    leave_temporary("a.abc.x", host, dead, kept[3]);
    leave_temporary("t.0007.obj", host, dead, kept[4]);
    leave_temporary("s.0007.obj", host, getppid(), kept[5]);
    ck_assert_int_eq(toile_cache_create("a.abc", fixture.scene, frames_1_to_3, 3, &cache, NULL), 0);
    toile_cache_abandon(cache);
    ck_assert_int_eq(toile_cache_create("s.obj", fixture.scene, frames_1_to_3, 3, &cache, NULL), 0);
    toile_cache_abandon(cache);
    for (int32_t i = 0; i < 2; i++)
        ck_assert_msg(access(stale[i], F_OK) != 0, "%s is still there", stale[i]);
    for (int32_t i = 0; i < 6; i++)
        ck_assert_msg(access(kept[i], F_OK) == 0, "%s was removed", kept[i]);
    close_scene(&fixture);
}
END_TEST

/* ---- point caches ---- */

START_TEST(cache_points_are_in_scene_axes_and_units) {
    Fixture fixture = open_one(", \"up\": \"z\", \"unit_m\": 0.01");
    ToilePointCacheInfo info = {0};
    ToilePointCacheReader *reader = NULL;
    float P[3 * VERTICES];
    write_cache(&fixture, "a.pc2", 2, NULL);
    info.struct_size = (uint32_t)sizeof info;
    ck_assert_int_eq(toile_pointcache_open("a.pc2", &info, &reader, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(info.point_count, VERTICES);
    ck_assert_int_eq(info.sample_count, 2);
    ck_assert_double_eq(info.first, 1.0);
    ck_assert_double_eq(info.step, 1.0);
    for (int32_t s = 0; s < 2; s++) {
        ck_assert_int_eq(toile_pointcache_read(reader, s, P, NULL), TOILE_STATUS_OK);
        for (int32_t i = 0; i < 3 * VERTICES; i++)
            ck_assert(P[i] == (float)(position(s + 1, i / 3, i % 3) / 0.01));
    }
    toile_pointcache_close(reader);
    close_scene(&fixture);
}
END_TEST

START_TEST(cache_points_of_two_cloths_are_refused) {
    ToileError error = toile_error_default();
    ToileCache *cache = NULL;
    Fixture fixture = open_scene("{\"name\": \"a\", \"mesh\": \"mesh.obj\"},"
                                 "{\"name\": \"b\", \"mesh\": \"mesh.obj\"}",
                                 "");
    int count = files_here();
    ck_assert_int_eq(toile_cache_create("a.pc2", fixture.scene, frames_1_to_3, 3, &cache, &error),
                     TOILE_STATUS_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.message, "'a' and 'b'"));
    ck_assert_int_eq(files_here(), count);
    close_scene(&fixture);
}
END_TEST

/* ---- objects of a host ---- */

static ToileCacheDef host_def(void) {
    ToileCacheDef def = toile_cache_def_default();
    def.frames = frames_1_to_3;
    def.frame_count = FRAMES;
    def.up = TOILE_UP_Z;
    return def;
}

/* opens a cache with one triangle, whose arrays and names are gone when this returns */
static ToileCache *open_triangle(const char *path, int32_t has_matrix) {
    const int32_t sizes[1] = {3}, corners[3] = {0, 1, 2};
    char name[8] = "tri";
    ToileCacheDef def = host_def();
    ToileMeshDef mesh = toile_mesh_def_default();
    ToileCacheObject object = toile_cache_object_default();
    ToileCache *cache = NULL;
    mesh.vertex_count = 3;
    mesh.face_count = 1;
    mesh.corner_count = 3;
    mesh.face_sizes = sizes;
    mesh.corners = corners;
    object.name = name;
    object.mesh = &mesh;
    object.has_matrix = has_matrix;
    ck_assert_int_eq(toile_cache_open(path, &def, &cache, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_cache_add_object(cache, &object, NULL), TOILE_STATUS_OK);
    return cache;
}

START_TEST(cache_objects_keep_their_space_and_matrix) {
    /* row-major for column vectors; Y up it is (x, y, z) -> (x, z, -y) on both sides */
    const double matrix[16] = {1, 2, 3, 10, 4, 5, 6, 20, 7, 8, 10, 30, 0, 0, 0, 1};
    const double turned[16] = {1, 7, -4, 0, 3, 10, -6, 0, -2, -8, 5, 0, 10, 30, -20, 1};
    const float P[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10}, v[9] = {9, 8, 7, 6, 5, 4, 3, 2, 1};
    const float *const positions[1] = {P}, *const velocities[1] = {v};
    const double *const matrices[1] = {matrix};
    ToileCache *cache = open_triangle("a.abc", 1);
    for (int32_t f = 0; f < FRAMES; f++)
        ck_assert_int_eq(toile_cache_add_arrays(cache, positions, velocities, matrices, NULL), 0);
    ck_assert_int_eq(toile_cache_finish(cache, NULL), TOILE_STATUS_OK);
    abcc_reader *reader = open_archive("a.abc");
    abcc_obj mesh = find(reader, "/tri/triShape");
    float found[9], speed[9];
    double m[16];
    read_sample(reader, mesh, 2, found, speed);
    for (int32_t i = 0; i < 9; i += 3) {
        ck_assert(found[i] == P[i] && found[i + 1] == P[i + 2] && found[i + 2] == -P[i + 1]);
        ck_assert(speed[i] == v[i] && speed[i + 1] == v[i + 2] && speed[i + 2] == -v[i + 1]);
    }
    ck_assert_int_eq(abcc_xform_read(reader, find(reader, "/tri"), 0.1, m, NULL, NULL), ABCC_OK);
    for (int32_t i = 0; i < 16; i++)
        ck_assert_double_eq(m[i], turned[i]);
    abcc_close(reader);
}
END_TEST

START_TEST(cache_objects_as_obj_files) {
    const float P[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10};
    const float *const positions[1] = {P};
    char text[200] = "";
    ToileCache *cache = open_triangle("a.obj", 0);
    ck_assert_int_eq(toile_cache_add_arrays(cache, positions, NULL, NULL, NULL), 0);
    ck_assert_int_eq(toile_cache_finish(cache, NULL), TOILE_STATUS_OK);
    file_content("a.0001.obj", text, sizeof text - 1);
    ck_assert_ptr_nonnull(strstr(text, "v 1 2 3\nv 4 5 6\nv 7 8 10\nf 1 2 3\n"));
}
END_TEST

START_TEST(cache_objects_refuse_what_is_missing) {
    const float P[9] = {0};
    const float *const positions[1] = {P};
    const ToileStatus wrong = TOILE_STATUS_INVALID_ARGUMENT;
    ToileCacheDef def = host_def();
    ToileCacheObject object = toile_cache_object_default();
    ToileCache *cache = NULL;
    ck_assert_int_eq(toile_cache_open("a.abc", &def, &cache, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_cache_add_arrays(cache, positions, positions, NULL, NULL), wrong);
    ck_assert_int_eq(toile_cache_add_object(cache, &object, NULL), wrong);
    toile_cache_abandon(cache);
    cache = open_triangle("a.abc", 1);
    /* neither velocities nor a matrix */
    ck_assert_int_eq(toile_cache_add_arrays(cache, positions, NULL, NULL, NULL), wrong);
    ck_assert_int_eq(toile_cache_add_arrays(cache, positions, positions, NULL, NULL), wrong);
    ck_assert_int_eq(toile_cache_add_arrays(cache, NULL, NULL, NULL, NULL), wrong);
    toile_cache_abandon(cache);
    cache = open_triangle("a.pc2", 0);
    ck_assert_int_eq(toile_cache_add_arrays(cache, positions, NULL, NULL, NULL), 0);
    ck_assert_int_eq(toile_cache_add_object(cache, &object, NULL), wrong);
    toile_cache_abandon(cache);
    ck_assert_int_eq(files_here(), 0);
    def.up = 2;
    ck_assert_int_eq(toile_cache_open("a.abc", &def, &cache, NULL), wrong);
    def = host_def();
    def.fps = 0.0;
    ck_assert_int_eq(toile_cache_open("a.abc", &def, &cache, NULL), wrong);
    def = host_def();
    def.struct_size = 0;
    ck_assert_int_eq(toile_cache_open("a.abc", &def, &cache, NULL), wrong);
    ck_assert_ptr_null(cache);
}
END_TEST

START_TEST(cache_outlives_its_scene) {
    Fixture fixture = open_one("");
    ToileCache *cache = NULL;
    ck_assert_int_eq(toile_cache_create("a.abc", fixture.scene, frames_1_to_3, 3, &cache, NULL), 0);
    toile_scene_free(fixture.scene);
    fixture.scene = NULL;
    ck_assert_int_eq(toile_cache_add(cache, fixture.sim, fixture.cloths, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_cache_finish(cache, NULL), TOILE_STATUS_OK);
    close_scene(&fixture);
}
END_TEST

static Suite *cache_suite(void) {
    Suite *suite = suite_create("cache");
    TCase *archives = tcase_create("archives");
    tcase_add_checked_fixture(archives, NULL, remove_files);
    tcase_add_test(archives, cache_archive_holds_every_frame);
    tcase_add_test(archives, cache_archive_keeps_faces_and_uvs);
    tcase_add_test(archives, cache_archive_records_where_it_came_from);
    tcase_add_test(archives, cache_cut_short_is_not_complete);
    tcase_add_test(archives, cache_velocities_only_on_request);
    tcase_add_test(archives, cache_z_up_is_turned_exactly);
    tcase_add_test(archives, cache_is_in_units_of_the_cloth);
    tcase_add_test(archives, cache_archive_is_in_the_unit_of_the_scene);
    tcase_add_test(archives, cache_far_from_the_origin_keeps_its_precision);
    tcase_add_test(archives, cache_near_the_origin_has_no_offset);
    tcase_add_test(archives, cache_names_are_plain_and_distinct);
    tcase_add_test(archives, cache_same_input_same_bytes);
    suite_add_tcase(suite, archives);
    TCase *others = tcase_create("OBJ files and refusals");
    tcase_add_checked_fixture(others, NULL, remove_files);
    tcase_add_test(others, cache_obj_is_one_file_a_frame);
    tcase_add_test(others, cache_obj_names_several_cloths);
    tcase_add_test(others, cache_obj_frames_may_be_negative_and_uneven);
    tcase_add_test(others, cache_refuses_what_it_cannot_write);
    tcase_add_test(others, cache_refuses_a_frame_too_many);
    tcase_add_test(others, cache_abandoned_leaves_the_old_file);
    tcase_add_test(others, cache_removes_only_stale_temporary_files);
    suite_add_tcase(suite, others);
    TCase *hosts = tcase_create("point caches and objects of a host");
    tcase_add_checked_fixture(hosts, NULL, remove_files);
    tcase_add_test(hosts, cache_points_are_in_scene_axes_and_units);
    tcase_add_test(hosts, cache_points_of_two_cloths_are_refused);
    tcase_add_test(hosts, cache_objects_keep_their_space_and_matrix);
    tcase_add_test(hosts, cache_objects_as_obj_files);
    tcase_add_test(hosts, cache_objects_refuse_what_is_missing);
    tcase_add_test(hosts, cache_outlives_its_scene);
    suite_add_tcase(suite, hosts);
    return suite;
}

int main(void) {
    return io_run_in_folder(folder, cache_suite());
}
