/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What a cache of a scene holds beside positions: what came with the input mesh, bit for bit, face
 * sets, cages with their creases, and samples between frames. */
#include "support/run_suite.h"
#include "support/scene_files.h"

#include "toile_io/abc_c.h"
#include "toile_io/cache.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 6, CORNERS = 8, FRAMES = 3, MESH_COLUMN = 82 };

static void ok(abcc_status status, const abcc_error *error) {
    ck_assert_msg(status == ABCC_OK, "%s", error->text);
}

static void path_of(const char *name, char path[IO_PATH_SIZE + 64]) {
    snprintf(path, IO_PATH_SIZE + 64, "%s/%s", scene_folder, name);
}

/* ---- an input with all kinds of parameters ---- */

/* a parameter of float32 with `count` values of `width`, told apart by `seed` */
static uint32_t add_param(abcc_writer *writer, abcc_obj mesh, const char *name, abcc_scope scope,
                          uint32_t width, uint32_t samples) {
    abcc_error error = {0};
    abcc_param param = abcc_param_default();
    uint32_t id = 0;
    param.where = scope == ABCC_NONE ? ABCC_IN_USER : ABCC_IN_ARB;
    param.type = ABCC_F32;
    param.scope = scope;
    param.width = width;
    param.samples = samples;
    param.name = name;
    param.meaning = "";
    ok(abcc_param_add(writer, mesh, &param, &id, &error), &error);
    return id;
}

static void put_param(abcc_writer *writer, abcc_obj mesh, uint32_t id, uint32_t count,
                      uint32_t width, int32_t seed) {
    abcc_error error = {0};
    float values[64];
    for (uint32_t i = 0; i < count * width; i++)
        values[i] = 0.37F * (float)(i + 1) + 10.0F * (float)seed;
    ok(abcc_param_write(writer, mesh, id, values, count, NULL, 0, &error), &error);
}

/* in.abc: /in/inShape, two quads side by side, 24 fps, frames 1 to 3. `mirrored` turns it over by
 * its transform, `cage` makes a subdivision surface of it. */
static void write_input(bool mirrored, bool cage) {
    static const float P[3 * VERTICES] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 1, 1, 0, 1, 2, 0, 1};
    static const int32_t counts[2] = {4, 4}, index[CORNERS] = {0, 3, 4, 1, 1, 4, 5, 2}, right = 1;
    static const float uv[2 * VERTICES] = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1};
    static const uint32_t uv_index[CORNERS] = {0, 3, 4, 1, 1, 4, 5, 2};
    static const int32_t crease_length = 2, crease_vert[2] = {1, 4}, corner_vert = 5;
    static const float crease_sharpness = 2.71828F, corner_sharpness = 7;
    const double m[16] = {mirrored ? -1.0 : 1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    char path[IO_PATH_SIZE + 64];
    abcc_writer *writer = NULL;
    abcc_error error = {0};
    abcc_time time = 0;
    abcc_obj xform = 0, mesh = 0, set = 0;
    abcc_create_info info = abcc_create_info_default();
    info.fps = 24;
    path_of("in.abc", path);
    ok(abcc_create(path, &info, &writer, &error), &error);
    ok(abcc_time_uniform(writer, 1 / 24.0, 1 / 24.0, &time, &error), &error);
    ok(abcc_add_xform(writer, 0, "in", 0, &xform, &error), &error);
    ok(abcc_xform_write(writer, xform, m, 1, &error), &error);
    ok((cage ? abcc_add_subd : abcc_add_mesh)(writer, xform, "inShape", time, "UVMap", &mesh,
                                              &error),
       &error);
    ok(abcc_add_faceset(writer, mesh, "right", &right, 1, &set, &error), &error);
    uint32_t heat = add_param(writer, mesh, "heat", ABCC_VERTEX, 1, 0);
    uint32_t flow = add_param(writer, mesh, "flow", ABCC_FACEVARYING, 3, 1);
    uint32_t scale = add_param(writer, mesh, "scale", ABCC_CONSTANT, 1, 1);
    uint32_t note = add_param(writer, mesh, "note", ABCC_NONE, 2, 1);
    uint32_t map2 = add_param(writer, mesh, "map2", ABCC_FACEVARYING, 2, 1);
    put_param(writer, mesh, flow, CORNERS, 3, 4);
    put_param(writer, mesh, scale, 1, 1, 5);
    put_param(writer, mesh, note, 1, 2, 6);
    put_param(writer, mesh, map2, CORNERS, 2, 7);
    /* values that tell where they belong: the rest positions, the uvs and the number of the face */
    static const float side[2] = {0, 1};
    float at_corner[2 * CORNERS];
    for (size_t c = 0; c < CORNERS; c++)
        memcpy(at_corner + 2 * c, uv + 2 * (size_t)uv_index[c], 2 * sizeof *uv);
    uint32_t rest = add_param(writer, mesh, "rest", ABCC_VERTEX, 3, 1);
    uint32_t uvs = add_param(writer, mesh, "uvs", ABCC_FACEVARYING, 2, 1);
    uint32_t face = add_param(writer, mesh, "face", ABCC_UNIFORM, 1, 1);
    ok(abcc_param_write(writer, mesh, rest, P, VERTICES, NULL, 0, &error), &error);
    ok(abcc_param_write(writer, mesh, uvs, at_corner, CORNERS, NULL, 0, &error), &error);
    ok(abcc_param_write(writer, mesh, face, side, 2, NULL, 0, &error), &error);
    for (int32_t frame = 1; frame <= FRAMES; frame++) {
        abcc_mesh_in in = abcc_mesh_in_default();
        abcc_subd_in tags = abcc_subd_in_default();
        in.verts = in.uv_values = VERTICES;
        in.faces = 2;
        in.corners = CORNERS;
        in.P = P;
        if (frame == 1) {
            in.face_count = counts;
            in.index = index;
            in.uv = uv;
            in.uv_index = uv_index;
        }
        tags.creases = tags.crease_sharps = tags.corners = 1;
        tags.crease_verts = 2;
        tags.crease_length = &crease_length;
        tags.crease_vert = crease_vert;
        tags.crease_sharpness = &crease_sharpness;
        tags.corner_vert = &corner_vert;
        tags.corner_sharpness = &corner_sharpness;
        put_param(writer, mesh, heat, VERTICES, 1, frame);
        if (cage)
            ok(abcc_subd_write(writer, mesh, &in, frame == 1 ? &tags : NULL, &error), &error);
        else
            ok(abcc_mesh_write(writer, mesh, &in, &error), &error);
    }
    ok(abcc_finish(writer, &error), &error);
}

/* ---- a run ---- */

/* Simulates the scene written last, and writes `count` frames from the one of number `first` on, 0
 * being all, as the command does. */
static void simulate_part(const char *name, int32_t first, int32_t count) {
    char path[IO_PATH_SIZE + 64];
    ToileError error = toile_error_default();
    ToileScene *scene = scene_load_good();
    ToileSceneInfo info = scene_info(scene);
    ToileSimDef def = toile_sim_def_default();
    ToileSim *sim = NULL;
    ToileClothId cloth;
    ToileCache *cache = NULL;
    path_of(name, path);
    ck_assert_int_eq(toile_scene_sim_def(scene, &def, NULL), TOILE_STATUS_OK);
    def.threads = 1;
    ck_assert_int_eq(toile_scene_create_sim(scene, &def, &sim, &cloth, NULL), TOILE_STATUS_OK);
    count = count > 0 ? count : info.frame_count;
    ToileStatus status =
        toile_cache_create(path, scene, info.frames + first, count, &cache, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    if (first == 0)
        status = toile_cache_add(cache, sim, &cloth, &error);
    int32_t steps = (first + count - 1) * info.samples_per_frame;
    for (int32_t i = 1; i <= steps && status == TOILE_STATUS_OK; i++) {
        double frame = info.frames[0] + (double)i / info.samples_per_frame;
        status = toile_scene_aim(scene, sim, frame, &error);
        if (status == TOILE_STATUS_OK)
            status = toile_sim_step(sim, &error);
        if (status == TOILE_STATUS_OK && i >= first * info.samples_per_frame)
            status = toile_cache_add(cache, sim, &cloth, &error);
    }
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    ck_assert_int_eq(toile_cache_finish(cache, &error), TOILE_STATUS_OK);
    toile_sim_destroy(sim);
    toile_scene_free(scene);
}

static void simulate(void) {
    simulate_part("out.abc", 0, 0);
}

/* chunks of the scene written last, joined, are out.abc byte for byte */
static void check_chunks(void) {
    char names[4][IO_PATH_SIZE + 64];
    static char bytes[2][1 << 17];
    size_t sizes[2];
    const char *chunks[2] = {names[0], names[1]};
    abcc_error error = {0};
    path_of("a.abc", names[0]);
    path_of("b.abc", names[1]);
    path_of("joined.abc", names[2]);
    path_of("out.abc", names[3]);
    simulate_part("a.abc", 0, 1);
    simulate_part("b.abc", 1, FRAMES - 1);
    ok(abcc_join(chunks, 2, names[2], NULL, &error), &error);
    for (size_t i = 0; i < 2; i++) {
        FILE *file = fopen(names[2 + i], "rb");
        ck_assert_ptr_nonnull(file);
        sizes[i] = fread(bytes[i], 1, sizeof bytes[i], file);
        fclose(file);
    }
    ck_assert_uint_eq(sizes[0], sizes[1]);
    ck_assert(memcmp(bytes[0], bytes[1], sizes[0]) == 0);
}

static abcc_reader *open_file(const char *name) {
    char path[IO_PATH_SIZE + 64];
    abcc_reader *reader = NULL;
    abcc_error error = {0};
    path_of(name, path);
    ok(abcc_open(path, 0, NULL, &reader, &error), &error);
    return reader;
}

static abcc_obj find(abcc_reader *reader, const char *object) {
    abcc_obj obj = 0;
    abcc_error error = {0};
    ok(abcc_find(reader, object, &obj, &error), &error);
    return obj;
}

/* the number of a parameter, or -1 */
static int32_t find_param(abcc_reader *reader, abcc_obj obj, const char *name, abcc_param *param) {
    uint32_t count = 0;
    abcc_error error = {0};
    ok(abcc_param_count(reader, obj, &count, &error), &error);
    for (uint32_t i = 0; i < count; i++) {
        *param = abcc_param_default();
        ok(abcc_param_get(reader, obj, i, param, &error), &error);
        if (strcmp(param->name, name) == 0)
            return (int32_t)i;
    }
    return -1;
}

/* two samples of a parameter of two archives have the same bytes */
static void check_same(abcc_reader *a, abcc_obj in_a, uint32_t sample_a, abcc_reader *b,
                       abcc_obj in_b, uint32_t sample_b, const char *name) {
    abcc_param params[2];
    abcc_error error = {0};
    uint64_t bytes[2] = {0}, values = 0, indices = 0;
    char data[2][512];
    int32_t i = find_param(a, in_a, name, &params[0]), j = find_param(b, in_b, name, &params[1]);
    ck_assert_msg(i >= 0 && j >= 0, "%s is not there", name);
    ck_assert_int_eq(params[0].scope, params[1].scope);
    ck_assert_uint_eq(params[0].width, params[1].width);
    sample_a = sample_a < params[0].samples ? sample_a : params[0].samples - 1;
    sample_b = sample_b < params[1].samples ? sample_b : params[1].samples - 1;
    ok(abcc_param_size(a, in_a, (uint32_t)i, sample_a, &bytes[0], &values, &indices, &error),
       &error);
    ok(abcc_param_size(b, in_b, (uint32_t)j, sample_b, &bytes[1], &values, &indices, &error),
       &error);
    ck_assert_uint_eq(bytes[0], bytes[1]);
    ck_assert_uint_le(bytes[0], sizeof data[0]);
    ok(abcc_param_read(a, in_a, (uint32_t)i, sample_a, data[0], bytes[0], NULL, 0, &error), &error);
    ok(abcc_param_read(b, in_b, (uint32_t)j, sample_b, data[1], bytes[1], NULL, 0, &error), &error);
    ck_assert_mem_eq(data[0], data[1], bytes[0]);
}

/* `mesh` may be followed by further keys of the cloth. */
static void write_scene(const char *mesh, const char *output) {
    char text[600], path[IO_PATH_SIZE];
    snprintf(text, sizeof text,
             "{\"toile\": 1, \"frames\": \"1-3\", \"cloth\": [{\"name\": \"c\", \"fabric\": "
             "\"denim\", \"mesh\": \"%s\"}], \"output\": {%s}}",
             mesh, output);
    io_file_write_text(scene_folder, "scene.json", text, path);
    snprintf(scene_path, sizeof scene_path, "%s", path);
}

/* ---- tests ---- */

START_TEST(source_parameters_are_passed_through_bit_for_bit) {
    static const char *const names[] = {"heat", "flow", "scale", "note"};
    write_input(false, false);
    write_scene("in.abc", "");
    simulate();
    abcc_reader *in = open_file("in.abc"), *out = open_file("out.abc");
    abcc_obj from = find(in, "/in/inShape"), to = find(out, "/c/cShape");
    check_chunks();
    for (uint32_t sample = 0; sample < FRAMES; sample++)
        for (size_t i = 0; i < 4; i++)
            check_same(in, from, sample, out, to, sample, names[i]);
    abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
    abcc_error error = {0};
    ok(abcc_mesh_size(out, to, 0, &sizes, &error), &error);
    ck_assert_str_eq(sizes.uv_name, "UVMap");
    uint32_t faces = 0;
    ok(abcc_faceset_size(out, find(out, "/c/cShape/right"), 0, &faces, &error), &error);
    ck_assert_uint_eq(faces, 1);
    abcc_close(in);
    abcc_close(out);
}
END_TEST

/* the file's own order of corners, `width` floats each */
static void read_corners(abcc_reader *reader, abcc_obj obj, const char *name, uint32_t width,
                         float *values) {
    abcc_param param;
    abcc_error error = {0};
    int32_t i = find_param(reader, obj, name, &param);
    ck_assert_msg(i >= 0, "%s is not there", name);
    ok(abcc_param_read(reader, obj, (uint32_t)i, 0, values, CORNERS * width * sizeof *values, NULL,
                       0, &error),
       &error);
}

/* the faces are turned round, and what is stored by corner with them */
START_TEST(source_mirrored_keeps_everything_at_its_corner) {
    static const char *const names[] = {"flow", "map2"}, *const kept[] = {"heat", "scale", "note"};
    static const uint32_t widths[] = {3, 2};
    write_input(true, false);
    write_scene("in.abc", "");
    simulate();
    abcc_reader *in = open_file("in.abc"), *out = open_file("out.abc");
    abcc_obj from = find(in, "/in/inShape"), to = find(out, "/c/cShape");
    for (size_t i = 0; i < 3; i++)
        check_same(in, from, 0, out, to, 0, kept[i]);
    for (size_t i = 0; i < 2; i++) {
        float a[3 * CORNERS], b[3 * CORNERS];
        read_corners(in, from, names[i], widths[i], a);
        read_corners(out, to, names[i], widths[i], b);
        for (size_t c = 0; c < CORNERS; c++)
            ck_assert_mem_eq(a + widths[i] * c, b + widths[i] * (4 * (c / 4) + 3 - c % 4),
                             widths[i] * sizeof *a);
    }
    find(out, "/c/cShape/right");
    abcc_close(in);
    abcc_close(out);
}
END_TEST

/* every uv set once, under its name and with its values, whichever is simulated */
static void check_uv_sets(const char *cloth, bool mirrored) {
    static const char *const names[] = {"UVMap", "map2"};
    write_input(mirrored, false);
    write_scene(cloth, "");
    simulate();
    abcc_reader *in = open_file("in.abc"), *out = open_file("out.abc");
    abcc_obj from = find(in, "/in/inShape"), to = find(out, "/c/cShape");
    abcc_error error = {0};
    uint32_t count = 0;
    ok(abcc_uv_count(out, to, &count, &error), &error);
    ck_assert_uint_eq(count, 3);
    for (uint32_t i = 0; i < 2; i++) {
        float a[2 * CORNERS], b[2 * CORNERS];
        uint32_t at_a[CORNERS], at_b[CORNERS];
        abcc_uv_set set = abcc_uv_set_default();
        ok(abcc_uv_get(out, to, i, &set, &error), &error);
        ck_assert_str_eq(set.name, names[i]);
        ck_assert_int_eq(set.main, i == 0);
        ok(abcc_uv_read(in, from, i, 0, a, CORNERS, at_a, CORNERS, &error), &error);
        ok(abcc_uv_read(out, to, i, 0, b, CORNERS, at_b, CORNERS, &error), &error);
        for (size_t c = 0; c < CORNERS; c++) {
            size_t d = mirrored ? 4 * (c / 4) + 3 - c % 4 : c;
            ck_assert_mem_eq(a + (size_t)2 * at_a[c], b + (size_t)2 * at_b[d], 2 * sizeof *a);
        }
    }
    abcc_close(in);
    abcc_close(out);
}

START_TEST(source_uv_sets_are_all_written_whichever_is_simulated) {
    check_uv_sets("in.abc", false);
    check_uv_sets("in.abc\", \"uv_set\": \"map2", false);
    check_uv_sets("in.abc\", \"uv_set\": \"UVMap", false);
    check_uv_sets("in.abc\", \"uv_set\": \"map2", true);
}
END_TEST

START_TEST(source_samples_between_frames_take_the_earlier_values) {
    write_input(false, false);
    write_scene("in.abc", "\"samples_per_frame\": 2");
    simulate();
    abcc_reader *in = open_file("in.abc"), *out = open_file("out.abc");
    abcc_obj from = find(in, "/in/inShape"), to = find(out, "/c/cShape");
    for (uint32_t sample = 0; sample < 2 * FRAMES - 1; sample++)
        check_same(in, from, sample / 2, out, to, sample, "heat");
    abcc_close(in);
    abcc_close(out);
}
END_TEST

START_TEST(cage_keeps_its_creases) {
    write_input(_i == 1, true);
    write_scene("in.abc", "\"schema\": \"subd\"");
    simulate();
    abcc_reader *out = open_file("out.abc");
    abcc_obj obj = find(out, "/c/cShape");
    abcc_object object = abcc_object_default();
    abcc_subd_sizes sizes = abcc_subd_sizes_default();
    abcc_subd_out to = abcc_subd_out_default();
    abcc_error error = {0};
    int32_t edge[2], corner = -1;
    float sharpness = 0, corner_sharpness = 0;
    ok(abcc_object_get(out, obj, &object, &error), &error);
    ck_assert_int_eq(object.kind, ABCC_SUBD);
    ck_assert_uint_eq(object.samples, FRAMES);
    ok(abcc_subd_size(out, obj, 0, &sizes, &error), &error);
    ck_assert_uint_eq(sizes.crease_edges, 1);
    ck_assert_uint_eq(sizes.corners, 1);
    to.cap_crease_edges = to.cap_corners = 1;
    to.edge = edge;
    to.edge_sharpness = &sharpness;
    to.corner_vert = &corner;
    to.corner_sharpness = &corner_sharpness;
    ok(abcc_subd_read(out, obj, 0, &to, &error), &error);
    ck_assert(edge[0] == 1 && edge[1] == 4 && sharpness == 2.71828F);
    ck_assert(corner == 5 && corner_sharpness == 7.0F);
    abcc_close(out);
}
END_TEST

/* without a rule for the rim a renderer leaves the faces there out */
START_TEST(cage_of_a_plain_mesh_has_rules_for_its_rim) {
    abcc_subd_sizes sizes = abcc_subd_sizes_default();
    abcc_error error = {0};
    write_input(false, false);
    write_scene("in.abc", "\"schema\": \"subd\"");
    simulate();
    abcc_reader *out = open_file("out.abc");
    ok(abcc_subd_size(out, find(out, "/c/cShape"), 0, &sizes, &error), &error);
    ck_assert_int_eq(sizes.boundary, 1);
    ck_assert_int_eq(sizes.fvar_boundary, 3);
    ck_assert_uint_eq(sizes.crease_edges, 0);
    abcc_close(out);
}
END_TEST

enum { REFINED_MAX = 1024 };
#define ROUNDING 1e-6 /* of float32 sums of coordinates up to 2 */

/* values of one parameter of out.abc; how many there are is the answer */
static uint32_t read_floats(abcc_reader *reader, abcc_obj obj, const char *name,
                            float values[REFINED_MAX]) {
    abcc_param param;
    abcc_error error = {0};
    uint64_t bytes = 0, count = 0, indices = 0;
    int32_t i = find_param(reader, obj, name, &param);
    ck_assert_msg(i >= 0, "%s is not there", name);
    ok(abcc_param_size(reader, obj, (uint32_t)i, 0, &bytes, &count, &indices, &error), &error);
    ck_assert_uint_le(bytes, REFINED_MAX * sizeof *values);
    ok(abcc_param_read(reader, obj, (uint32_t)i, 0, values, bytes, NULL, 0, &error), &error);
    return (uint32_t)count;
}

/* the parameters that equal the mesh's own data before, equal them afterwards */
static void check_refined(const char *uv_name, double x_sign) {
    abcc_reader *out = open_file("out.abc");
    abcc_obj obj = find(out, "/c/cShape");
    abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
    abcc_mesh_out to = abcc_mesh_out_default();
    abcc_error error = {0};
    static float P[REFINED_MAX], values[REFINED_MAX], a[REFINED_MAX], b[REFINED_MAX];
    static uint32_t at_a[REFINED_MAX], at_b[REFINED_MAX];
    static int32_t right[REFINED_MAX];
    uint32_t first = 0, second = 0, faces = 0, next = 0;
    ok(abcc_mesh_size(out, obj, 0, &sizes, &error), &error);
    to.cap_verts = sizes.verts;
    to.P = P;
    ck_assert_uint_le(3 * sizes.verts, REFINED_MAX);
    ok(abcc_mesh_read(out, obj, 0, &to, &error), &error);
    ck_assert_uint_eq(read_floats(out, obj, "rest", values), sizes.verts);
    for (size_t i = 0; i < 3 * (size_t)sizes.verts; i++)
        ck_assert_double_eq_tol((double)values[i], (double)P[i] * (i % 3 == 0 ? x_sign : 1),
                                ROUNDING);
    /* the uvs as they are simulated, and the parameter of the same values */
    ok(abcc_uv_find(out, obj, uv_name, &first, &error), &error);
    ok(abcc_uv_find(out, obj, "uvs", &second, &error), &error);
    ok(abcc_uv_read(out, obj, first, 0, a, REFINED_MAX / 2, at_a, REFINED_MAX, &error), &error);
    ok(abcc_uv_read(out, obj, second, 0, b, REFINED_MAX / 2, at_b, REFINED_MAX, &error), &error);
    for (size_t c = 0; c < sizes.corners; c++)
        for (size_t k = 0; k < 2; k++)
            ck_assert_double_eq_tol((double)a[2 * at_a[c] + k], (double)b[2 * at_b[c] + k],
                                    ROUNDING);
    /* the faces of the group are those cut from the face it held */
    ck_assert_uint_eq(read_floats(out, obj, "face", values), sizes.faces);
    abcc_obj set = find(out, "/c/cShape/right");
    ok(abcc_faceset_size(out, set, 0, &faces, &error), &error);
    ok(abcc_faceset_read(out, set, 0, sizes.faces, right, REFINED_MAX, &error), &error);
    for (uint32_t f = 0; f < sizes.faces; f++) {
        bool held = next < faces && right[next] == (int32_t)f;
        next += held;
        ck_assert(values[f] == (held ? 1.0F : 0.0F));
    }
    abcc_close(out);
}

/* what counts vertices, corners or faces is refined with the mesh; what cannot be is told */
START_TEST(source_parameters_are_subdivided_with_the_mesh) {
    static const char *const ways[] = {"\"output\": 2", "\"simulate\": 1",
                                       "\"simulate\": 1, \"output\": 1",
                                       "\"output\": 1, \"limit\": true"};
    for (size_t i = 0; i < 2 * sizeof ways / sizeof ways[0]; i++) {
        char cloth[200];
        bool mirrored = i % 2 == 1;
        snprintf(cloth, sizeof cloth, "in.abc\", \"subdivide\": {%s}, \"uv_set\": \"%s",
                 ways[i / 2], i % 4 < 2 ? "UVMap" : "map2");
        write_input(mirrored, i % 3 == 0);
        write_scene(cloth, "");
        scene_check_warning(1, MESH_COLUMN, "1 parameter(s) that cannot be subdivided");
        scene_check_warning(1, MESH_COLUMN, "fit the mesh: heat");
        simulate();
        check_refined("UVMap", mirrored ? -1 : 1);
        if (i == 0)
            check_chunks();
    }
}
END_TEST

/* every float of a value in in.abc becomes another one */
static void replace_float(float from, float to) {
    char path[IO_PATH_SIZE + 64], bytes[1 << 15];
    int32_t found = 0;
    path_of("in.abc", path);
    FILE *file = fopen(path, "r+b");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    for (size_t i = 0; i + sizeof from <= size; i++)
        if (memcmp(bytes + i, &from, sizeof from) == 0) {
            memcpy(bytes + i, &to, sizeof to);
            found++;
        }
    rewind(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
    ck_assert_int_eq(found, 1);
}

/* a sharpness that cannot be is told by check, and harms nothing */
START_TEST(cage_with_impossible_sharpness_is_mended_with_a_warning) {
    static const char *const outputs[] = {"", "\"schema\": \"subd\""};
    static const char *const cloths[] = {
        "in.abc\", \"subdivide\": {\"output\": 1}, \"uv_set\": \"UVMap", "in.abc"};
    write_input(false, true);
    replace_float(2.71828F, -2.71828F);
    replace_float(7.0F, (float)NAN);
    for (int32_t i = 0; i < 2; i++) {
        write_scene(cloths[i], outputs[i]);
        scene_check_warning(1, MESH_COLUMN, "between vertices 1 and 4 (counted from 0) has the");
        scene_check_warning(1, MESH_COLUMN, "corner at vertex 5 (counted from 0) has the");
        simulate();
    }
    abcc_reader *out = open_file("out.abc");
    abcc_subd_out to = abcc_subd_out_default();
    abcc_error error = {0};
    float sharpness[2] = {9, 9};
    to.cap_crease_edges = to.cap_corners = 1;
    to.edge_sharpness = &sharpness[0];
    to.corner_sharpness = &sharpness[1];
    ok(abcc_subd_read(out, find(out, "/c/cShape"), 0, &to, &error), &error);
    ck_assert(sharpness[0] == 0.0F && sharpness[1] == 0.0F);
    abcc_close(out);
}
END_TEST

/* groups that hold some faces become face sets, one that holds all does not */
START_TEST(groups_of_an_obj_become_face_sets) {
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 0 1\nv 1 0 1\nv 2 0 1\no all\n"
                              "g left part\nf 1 4 5 2\ng right\nf 2 5 6 3\n";
    char path[IO_PATH_SIZE];
    int32_t face = -1;
    abcc_error error = {0};
    io_file_write_text(scene_folder, "q.obj", obj, path);
    write_scene("q.obj", "");
    simulate();
    abcc_reader *out = open_file("out.abc");
    ok(abcc_faceset_read(out, find(out, "/c/cShape/right"), 0, 2, &face, 1, &error), &error);
    ck_assert_int_eq(face, 1);
    ok(abcc_faceset_read(out, find(out, "/c/cShape/left"), 0, 2, &face, 1, &error), &error);
    ck_assert_int_eq(face, 0);
    abcc_obj none = 0;
    ck_assert_int_ne(abcc_find(out, "/c/cShape/all", &none, &error), ABCC_OK);
    abcc_close(out);
}
END_TEST

/* cloth in free fall: implicit Euler has v = -g t at every sub-step */
START_TEST(samples_between_frames_have_their_own_velocities) {
    const double g = 9.81, fps = 24;
    write_scene("q.obj", "\"samples_per_frame\": 4");
    simulate();
    abcc_reader *out = open_file("out.abc");
    abcc_obj obj = find(out, "/c/cShape");
    abcc_object object = abcc_object_default();
    abcc_error error = {0};
    double last_y = 0;
    ok(abcc_object_get(out, obj, &object, &error), &error);
    ck_assert_uint_eq(object.samples, 9);
    for (uint32_t sample = 0; sample < 9; sample++) {
        abcc_mesh_out to = abcc_mesh_out_default();
        float P[12], v[12];
        double seconds = 0;
        to.cap_verts = 4;
        to.P = P;
        to.v = v;
        ok(abcc_mesh_read(out, obj, sample, &to, &error), &error);
        ok(abcc_sample_time(out, obj, sample, &seconds, &error), &error);
        ck_assert_double_eq_tol(seconds, (1 + 0.25 * sample) / fps, 1e-12);
        ck_assert_double_eq_tol((double)v[1], -g * 0.25 * sample / fps, 1e-5);
        ck_assert(sample == 0 || (double)P[1] < last_y);
        last_y = (double)P[1];
    }
    abcc_close(out);
}
END_TEST

START_TEST(samples_need_frames_that_follow_one_another) {
    const int32_t spread[2] = {1, 3};
    ToileError error = toile_error_default();
    ToileCache *cache = NULL;
    char path[IO_PATH_SIZE + 64];
    write_scene("q.obj", "\"samples_per_frame\": 2");
    ToileScene *scene = scene_load_good();
    path_of("out.abc", path);
    ck_assert_int_eq(toile_cache_create(path, scene, spread, 2, &cache, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "frames that follow one another"));
    path_of("out.obj", path);
    ck_assert_int_eq(toile_cache_create(path, scene, spread, 1, &cache, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "numbered by frame"));
    toile_scene_free(scene);
}
END_TEST

static Suite *source_suite(void) {
    Suite *suite = suite_create("cache source");
    TCase *all = tcase_create("what a cache takes along");
    tcase_add_checked_fixture(all, scene_make_folder, scene_remove_folder);
    tcase_add_test(all, source_parameters_are_passed_through_bit_for_bit);
    tcase_add_test(all, source_mirrored_keeps_everything_at_its_corner);
    tcase_add_test(all, source_uv_sets_are_all_written_whichever_is_simulated);
    tcase_add_test(all, source_samples_between_frames_take_the_earlier_values);
    tcase_add_loop_test(all, cage_keeps_its_creases, 0, 2); /* as it is, and mirrored */
    tcase_add_test(all, cage_of_a_plain_mesh_has_rules_for_its_rim);
    tcase_add_test(all, source_parameters_are_subdivided_with_the_mesh);
    tcase_add_test(all, cage_with_impossible_sharpness_is_mended_with_a_warning);
    tcase_add_test(all, groups_of_an_obj_become_face_sets);
    tcase_add_test(all, samples_between_frames_have_their_own_velocities);
    tcase_add_test(all, samples_need_frames_that_follow_one_another);
    suite_add_tcase(suite, all);
    return suite;
}

int main(void) {
    return run_suite(source_suite());
}
