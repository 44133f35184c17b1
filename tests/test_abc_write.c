/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Writing beyond plain meshes: cages, shutter samples, instances, visibility, bounds of what moves,
 * parameters, face sets, and passing parameters through. Where it matters what others see, the file
 * is read by the official library. */
#include "support/abc_cloth.h"
#include "support/abc_official.h"
#include "support/run_suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double still[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static void write_grid(abcc_writer *writer, abcc_obj mesh, const AbcGrid *grid, bool faces) {
    abcc_mesh_in in = abc_grid_sample(grid, faces, true);
    OK(abcc_mesh_write(writer, mesh, &in, &abc_error));
}

/* ---- float for float ---- */

START_TEST(official_library_reads_the_floats_that_were_written) {
    AbcGrid grid = abc_grid_make();
    float found[3 * VERTS];
    abc_write_cloth(abc_path, 0);
    for (int frame = 0; frame < FRAMES; frame++) {
        abc_grid_move(&grid, frame);
        ck_assert_int_eq(
            abc_official_floats(abc_path, "/cloth/clothShape", "P", frame, found, 3 * VERTS),
            3 * VERTS);
        ck_assert_mem_eq(found, grid.P, sizeof found);
        ck_assert_int_eq(abc_official_floats(abc_path, "/cloth/clothShape", ".velocities", frame,
                                             found, 3 * VERTS),
                         3 * VERTS);
        ck_assert_mem_eq(found, grid.v, sizeof found);
    }
}
END_TEST

START_TEST(comparison_notices_one_bit) {
    char other[320], text[400] = "";
    abcc_obj mesh = 0;
    AbcGrid grid = abc_grid_make();
    snprintf(other, sizeof other, "%s/other.abc", abc_folder);
    abc_write_cloth(abc_path, 0);
    abc_write_cloth(other, 0);
    ck_assert_msg(abc_official_equal(abc_path, other, text, sizeof text), "%s", text);
    for (int turn = 0; turn < 2; turn++) {
        abcc_writer *writer = abc_begin_cloth(turn ? other : abc_path, 0, &mesh);
        for (int frame = 0; frame < 2; frame++) {
            abc_grid_move(&grid, frame);
            if (turn && frame == 1)
                grid.P[7] = nextafterf(grid.P[7], 100.0f);
            write_grid(writer, mesh, &grid, frame == 0);
        }
        OK(abcc_finish(writer, &abc_error));
    }
    ck_assert(!abc_official_equal(abc_path, other, text, sizeof text));
    ck_assert_msg(strstr(text, "clothShape .geom P sample 1: values differ at number 7") != NULL,
                  "%s", text);
}
END_TEST

START_TEST(normals_turn_with_their_faces) {
    AbcGrid grid = abc_grid_make();
    float normals[3 * CORNERS], found[3 * CORNERS];
    abcc_obj mesh = 0;
    for (int i = 0; i < 3 * CORNERS; i++)
        normals[i] = (float)i;
    abcc_writer *writer = abc_begin_cloth(abc_path, 0, &mesh);
    abcc_mesh_in in = abc_grid_sample(&grid, true, true);
    in.normal = normals;
    OK(abcc_mesh_write(writer, mesh, &in, &abc_error));
    in.normal = NULL;
    REFUSED(ABCC_E_ORDER, "normals", abcc_mesh_write(writer, mesh, &in, &abc_error));
    OK(abcc_finish(writer, &abc_error));
    abcc_reader *reader = abc_open(abc_path, 0);
    abcc_mesh_out out = abcc_mesh_out_default();
    out.cap_corners = CORNERS;
    out.normal = found;
    OK(abcc_mesh_read(reader, abc_find(reader, "/cloth/clothShape"), 0, &out, &abc_error));
    ck_assert_mem_eq(found, normals, sizeof normals);
    abcc_close(reader);
    abc_official_floats(abc_path, "/cloth/clothShape", "N", 0, found, 3 * CORNERS);
    ck_assert(found[0] == normals[6] && found[6] == normals[0]);
}
END_TEST

/* ---- cages ---- */

static const int32_t crease_length[] = {2, 3}, crease_vert[] = {0, 1, 5, 6, 7};
static const int32_t corner_vert[] = {4}, hole[] = {3};
static const float crease_sharpness[] = {2.5f, 10.0f}, corner_sharpness[] = {7.0f};

static abcc_subd_in creased(void) {
    abcc_subd_in in = abcc_subd_in_default();
    in.creases = 2;
    in.crease_verts = 5;
    in.crease_sharps = 2;
    in.crease_length = crease_length;
    in.crease_vert = crease_vert;
    in.crease_sharpness = crease_sharpness;
    in.corners = 1;
    in.corner_vert = corner_vert;
    in.corner_sharpness = corner_sharpness;
    in.holes = 1;
    in.hole = hole;
    in.boundary = 1;
    in.fvar_boundary = 3;
    in.scheme = "bilinear";
    return in;
}

static abcc_writer *begin_cage(abcc_obj *cage) {
    abcc_writer *writer = abc_begin(abc_path, 0);
    abcc_time time = 0;
    OK(abcc_time_uniform(writer, 1 / FPS, 1 / FPS, &time, &abc_error));
    OK(abcc_add_subd(writer, 0, "cage", time, "UVMap", cage, &abc_error));
    return writer;
}

START_TEST(cage_keeps_creases_corners_holes_and_rules) {
    AbcGrid grid = abc_grid_make(), found;
    abcc_obj cage = 0;
    abcc_subd_in subd = creased();
    abcc_writer *writer = begin_cage(&cage);
    for (int frame = 0; frame < 3; frame++) {
        abc_grid_move(&grid, frame);
        abcc_mesh_in in = abc_grid_sample(&grid, frame == 0, true);
        OK(abcc_subd_write(writer, cage, &in, frame == 0 ? &subd : NULL, &abc_error));
    }
    OK(abcc_finish(writer, &abc_error));

    abcc_reader *reader = abc_open(abc_path, 0);
    abcc_obj obj = abc_find(reader, "/cage");
    abcc_subd_sizes sizes = abcc_subd_sizes_default();
    OK(abcc_subd_size(reader, obj, 2, &sizes, &abc_error));
    ck_assert(sizes.creases == 2 && sizes.crease_verts == 5 && sizes.crease_sharps == 2);
    ck_assert(sizes.corners == 1 && sizes.holes == 1 && sizes.boundary == 1);
    ck_assert(sizes.fvar_boundary == 3 && sizes.fvar_propagate_corners == 0);
    ck_assert_str_eq(sizes.scheme, "bilinear");
    int32_t lengths[2], verts[5], corner[1], holes[1];
    float sharps[2], corner_sharps[1];
    abcc_subd_out out = abcc_subd_out_default();
    out.cap_creases = out.cap_crease_sharps = 2;
    out.cap_crease_verts = 5;
    out.cap_corners = out.cap_holes = 1;
    out.crease_length = lengths;
    out.crease_vert = verts;
    out.crease_sharpness = sharps;
    out.corner_vert = corner;
    out.corner_sharpness = corner_sharps;
    out.hole = holes;
    OK(abcc_subd_read(reader, obj, 2, &out, &abc_error));
    ck_assert_mem_eq(lengths, crease_length, sizeof lengths);
    ck_assert_mem_eq(verts, crease_vert, sizeof verts);
    ck_assert_mem_eq(sharps, crease_sharpness, sizeof sharps);
    ck_assert(corner[0] == 4 && corner_sharps[0] == 7.0f && holes[0] == 3);
    abcc_mesh_out mesh = abc_grid_room(&found);
    OK(abcc_mesh_read(reader, obj, 2, &mesh, &abc_error));
    ck_assert_mem_eq(&found, &grid, sizeof found);
    abcc_close(reader);
}
END_TEST

START_TEST(cage_refuses_what_does_not_fit) {
    static const int32_t far_vert[] = {0, 1, 5, 6, VERTS}, far_hole[] = {FACES};
    static const int32_t short_run[] = {1, 4};
    static const float negative[] = {-1.0f};
    AbcGrid grid = abc_grid_make();
    abcc_obj cage = 0;
    abcc_writer *writer = begin_cage(&cage);
    abcc_mesh_in in = abc_grid_sample(&grid, true, true);
    abcc_subd_in subd = creased();
    subd.scheme = "doo-sabin";
    REFUSED(ABCC_E_ARG, "scheme", abcc_subd_write(writer, cage, &in, &subd, &abc_error));
    subd = creased();
    subd.crease_vert = far_vert;
    REFUSED(ABCC_E_ARG, "crease", abcc_subd_write(writer, cage, &in, &subd, &abc_error));
    subd = creased();
    subd.crease_length = short_run;
    REFUSED(ABCC_E_ARG, "2 are the least", abcc_subd_write(writer, cage, &in, &subd, &abc_error));
    subd = creased();
    subd.crease_sharps = 1;
    REFUSED(ABCC_E_ARG, "sharpnesses", abcc_subd_write(writer, cage, &in, &subd, &abc_error));
    subd = creased();
    subd.hole = far_hole;
    REFUSED(ABCC_E_ARG, "hole", abcc_subd_write(writer, cage, &in, &subd, &abc_error));
    subd = creased();
    subd.corner_sharpness = negative;
    REFUSED(ABCC_E_ARG, "below 0", abcc_subd_write(writer, cage, &in, &subd, &abc_error));
    REFUSED(ABCC_E_ARG, "not a mesh", abcc_mesh_write(writer, cage, &in, &abc_error));
    OK(abcc_subd_write(writer, cage, &in, NULL, &abc_error));
    subd = creased();
    in = abc_grid_sample(&grid, false, true);
    REFUSED(ABCC_E_ORDER, "from the first", abcc_subd_write(writer, cage, &in, &subd, &abc_error));
    OK(abcc_finish(writer, &abc_error));
}
END_TEST

/* ---- time ---- */

START_TEST(shutter_samples_are_cyclic) {
    static const double shutter[] = {0.75 / FPS, 1.0 / FPS, 1.25 / FPS}, falling[] = {0.1, 0.0},
                        wide[] = {0.0, 1.0};
    AbcGrid grid = abc_grid_make();
    abcc_writer *writer = abc_begin(abc_path, 0);
    abcc_time time = 0, again = 9;
    abcc_obj mesh = 0;
    double seconds = 0;
    REFUSED(ABCC_E_ARG, "rise", abcc_time_cyclic(writer, 1, falling, 2, &time, &abc_error));
    REFUSED(ABCC_E_ARG, "rise", abcc_time_cyclic(writer, 1, wide, 2, &time, &abc_error));
    REFUSED(ABCC_E_ARG, "period", abcc_time_cyclic(writer, 0, wide, 1, &time, &abc_error));
    OK(abcc_time_cyclic(writer, 1 / FPS, shutter, 3, &time, &abc_error));
    OK(abcc_time_cyclic(writer, 1 / FPS, shutter, 3, &again, &abc_error));
    ck_assert_uint_eq(time, again);
    OK(abcc_add_mesh(writer, 0, "cloth", time, NULL, &mesh, &abc_error));
    abc_write_frames(writer, mesh, &grid, 6);
    OK(abcc_finish(writer, &abc_error));
    abcc_reader *reader = abc_open(abc_path, 0);
    for (uint32_t k = 0; k < 6; k++) {
        OK(abcc_sample_time(reader, abc_find(reader, "/cloth"), k, &seconds, &abc_error));
        ck_assert(fabs(seconds - (shutter[k % 3] + (k / 3) / FPS)) < 1e-15);
    }
    /* the bounds follow the same times: the cloth sinks by 0.3 each sample */
    double box[6];
    int known = 0;
    OK(abcc_child_bounds(reader, 0, 2.0 / FPS, box, &known, &abc_error));
    ck_assert(known && box[1] == (double)(-0.3f * 4.0f));
    abcc_close(reader);
}
END_TEST

/* ---- instances, visibility, bounds ---- */

START_TEST(instance_shows_its_source_and_counts_in_bounds) {
    static const double aside[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -50, 0, 0, 1};
    AbcGrid grid = abc_grid_make();
    abcc_obj mesh = 0, place = 0, inside = 0;
    double box[6];
    int known = 0;
    abcc_writer *writer = abc_begin_cloth(abc_path, 0, &mesh);
    OK(abcc_add_xform(writer, 0, "place", 0, &place, &abc_error));
    OK(abcc_xform_write(writer, place, aside, 1, &abc_error));
    OK(abcc_add_instance(writer, place, "copy", 1, &abc_error));
    REFUSED(ABCC_E_ARG, "below itself", abcc_add_instance(writer, 1, "x", 1, &abc_error));
    REFUSED(ABCC_E_ARG, "below itself", abcc_add_instance(writer, 1, "x", place, &abc_error));
    REFUSED(ABCC_E_ARG, "is an instance", abcc_add_instance(writer, 0, "x", 4, &abc_error));
    REFUSED(ABCC_E_ARG, "instance", abcc_add_xform(writer, 4, "x", 0, &inside, &abc_error));
    write_grid(writer, mesh, &grid, true);
    OK(abcc_finish(writer, &abc_error));
    abcc_reader *reader = abc_open(abc_path, 0);
    abcc_object object = abcc_object_default();
    OK(abcc_object_get(reader, abc_find(reader, "/place/copy"), &object, &abc_error));
    ck_assert_uint_eq(object.instance_of, abc_find(reader, "/cloth"));
    ck_assert_int_eq(abc_read_mesh(reader, abc_find(reader, "/place/copy/clothShape"), 0), ABCC_OK);
    OK(abcc_child_bounds(reader, 0, 0, box, &known, &abc_error));
    ck_assert(known && box[0] == -50 + (double)0.1f && box[3] == (double)(COLUMNS + 0.1f));
    abcc_close(reader);
}
END_TEST

START_TEST(visibility_follows_the_samples) {
    AbcGrid grid = abc_grid_make();
    abcc_obj mesh = 0;
    int seen[4] = {1, 0, 0, -1}, value = 9;
    uint32_t samples = 0;
    abcc_writer *writer = abc_begin_cloth(abc_path, 0, &mesh);
    REFUSED(ABCC_E_ARG, "allowed", abcc_visible_write(writer, mesh, 2, &abc_error));
    OK(abcc_visible_write(writer, 1, 1, &abc_error));
    for (int frame = 0; frame < 4; frame++) {
        if (frame != 2)
            OK(abcc_visible_write(writer, mesh, seen[frame], &abc_error));
        write_grid(writer, mesh, &grid, frame == 0);
    }
    OK(abcc_finish(writer, &abc_error));
    abcc_reader *reader = abc_open(abc_path, 0);
    for (int frame = 0; frame < 4; frame++) {
        OK(abcc_visibility(reader, abc_find(reader, "/cloth/clothShape"),
                           (FIRST_FRAME + frame) / FPS, &value, &samples, &abc_error));
        ck_assert(value == seen[frame] && samples == 4);
    }
    OK(abcc_visibility(reader, abc_find(reader, "/cloth"), 0, &value, &samples, &abc_error));
    ck_assert(value == 1 && samples == 1);
    abcc_close(reader);
}
END_TEST

START_TEST(bounds_follow_moving_mirrored_and_free_transforms) {
    AbcGrid grid = abc_grid_make();
    abcc_writer *writer = abc_begin(abc_path, 0);
    abcc_time time = 0;
    abcc_obj outer = 0, mirror = 0, alone = 0, mesh = 0, other = 0;
    double m[16], box[6];
    int known = 0;
    OK(abcc_time_uniform(writer, 0, 1 / FPS, &time, &abc_error));
    OK(abcc_add_xform(writer, 0, "outer", time, &outer, &abc_error));
    OK(abcc_add_xform(writer, outer, "mirror", 0, &mirror, &abc_error));
    OK(abcc_add_mesh(writer, mirror, "mesh", 0, NULL, &mesh, &abc_error));
    OK(abcc_add_xform(writer, outer, "alone", 0, &alone, &abc_error));
    OK(abcc_add_mesh(writer, alone, "mesh", 0, NULL, &other, &abc_error));
    memcpy(m, still, sizeof m);
    for (int frame = 0; frame < 3; frame++, m[12] += 10)
        OK(abcc_xform_write(writer, outer, m, 1, &abc_error));
    memcpy(m, still, sizeof m);
    m[0] = -2;
    OK(abcc_xform_write(writer, mirror, m, 1, &abc_error));
    memcpy(m, still, sizeof m);
    m[13] = 100;
    OK(abcc_xform_write(writer, alone, m, 0, &abc_error));
    write_grid(writer, mesh, &grid, true);
    write_grid(writer, other, &grid, true);
    OK(abcc_finish(writer, &abc_error));
    abcc_reader *reader = abc_open(abc_path, 0);
    /* the moving transform at frame 2 is at 20: the mirrored mesh spans 20 - 2 * 4.1 to 20 - 0.2,
     * the free one stays in the world at 0.1 to 4.1 and 100 up */
    OK(abcc_child_bounds(reader, 0, 2 / FPS, box, &known, &abc_error));
    ck_assert(known && fabs(box[0] - 0.1) < 1e-6 && fabs(box[3] - 19.8) < 1e-6);
    ck_assert(box[1] == 0 && fabs(box[4] - (100 + ROWS)) < 1e-6);
    OK(abcc_child_bounds(reader, abc_find(reader, "/outer"), 2 / FPS, box, &known, &abc_error));
    ck_assert(known && fabs(box[0] - -19.9) < 1e-6 && fabs(box[3] - -0.2) < 1e-6);
    OK(abcc_child_bounds(reader, abc_find(reader, "/outer/mirror"), 0, box, &known, &abc_error));
    ck_assert(known && box[0] == (double)0.1f && box[3] == (double)(COLUMNS + 0.1f));
    abcc_close(reader);
}
END_TEST

/* ---- parameters ---- */

static uint32_t add_param(abcc_writer *writer, abcc_obj obj, const char *name, abcc_param param) {
    uint32_t id = 99;
    param.struct_size = sizeof param;
    param.name = name;
    OK(abcc_param_add(writer, obj, &param, &id, &abc_error));
    return id;
}

/* The number of a parameter by name. */
static uint32_t find_param(abcc_reader *reader, abcc_obj obj, const char *name, abcc_param *param) {
    uint32_t count = 0;
    OK(abcc_param_count(reader, obj, &count, &abc_error));
    for (uint32_t i = 0; i < count; i++) {
        *param = abcc_param_default();
        OK(abcc_param_get(reader, obj, i, param, &abc_error));
        if (strcmp(param->name, name) == 0)
            return i;
    }
    ck_abort_msg("there is no parameter %s", name);
    return 0;
}

START_TEST(second_uv_set_turns_with_the_faces) {
    AbcGrid grid = abc_grid_make();
    abcc_obj mesh = 0;
    uint32_t found_index[CORNERS], number = 9, values = 0;
    float found[2 * (VERTS + 1)];
    abcc_writer *writer = abc_begin_cloth(abc_path, 0, &mesh);
    uint32_t id = add_param(writer, mesh, "detail",
                            (abcc_param){.where = ABCC_IN_ARB,
                                         .type = ABCC_F32,
                                         .width = 2,
                                         .scope = ABCC_FACEVARYING,
                                         .indexed = 1,
                                         .meaning = "vector"});
    for (int i = 0; i < 2 * (VERTS + 1); i++)
        grid.uv[i] += 1.0f;
    for (int frame = 0; frame < 2; frame++) {
        if (frame == 0)
            OK(abcc_param_write(writer, mesh, id, grid.uv, VERTS + 1, grid.uv_index, CORNERS,
                                &abc_error));
        write_grid(writer, mesh, &grid, frame == 0);
    }
    OK(abcc_finish(writer, &abc_error));
    abcc_reader *reader = abc_open(abc_path, 0);
    abcc_obj obj = abc_find(reader, "/cloth/clothShape");
    OK(abcc_uv_find(reader, obj, "detail", &number, &abc_error));
    OK(abcc_uv_size(reader, obj, number, 1, &values, &abc_error));
    ck_assert_uint_eq(values, VERTS + 1);
    OK(abcc_uv_read(reader, obj, number, 1, found, VERTS + 1, found_index, CORNERS, &abc_error));
    ck_assert_mem_eq(found, grid.uv, sizeof found);
    ck_assert_mem_eq(found_index, grid.uv_index, sizeof found_index);
    abcc_close(reader);
}
END_TEST

START_TEST(parameters_of_all_types_and_scopes_come_back) {
    static const uint32_t counts[] = {0, 1, FACES, VERTS, VERTS, CORNERS};
    static const uint32_t bytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    AbcGrid grid = abc_grid_make();
    abcc_obj mesh = 0;
    uint8_t data[CORNERS * 8 * 3], found[sizeof data];
    char name[32];
    abcc_writer *writer = abc_begin_cloth(abc_path, ABCC_RAW_WINDING, &mesh);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 7 % 2);
    for (int type = ABCC_BOOL; type <= ABCC_F64; type++)
        for (int scope = ABCC_CONSTANT; scope <= ABCC_FACEVARYING; scope++) {
            snprintf(name, sizeof name, "p%d_%d", type, scope);
            uint32_t id = add_param(writer, mesh, name,
                                    (abcc_param){.where = ABCC_IN_ARB,
                                                 .type = (abcc_type)type,
                                                 .width = 3,
                                                 .scope = (abcc_scope)scope});
            OK(abcc_param_write(writer, mesh, id, data, counts[scope], NULL, 0, &abc_error));
        }
    write_grid(writer, mesh, &grid, true);
    OK(abcc_finish(writer, &abc_error));
    abcc_reader *reader = abc_open(abc_path, 0);
    abcc_obj obj = abc_find(reader, "/cloth/clothShape");
    for (int type = ABCC_BOOL; type <= ABCC_F64; type++)
        for (int scope = ABCC_CONSTANT; scope <= ABCC_FACEVARYING; scope++) {
            abcc_param param;
            snprintf(name, sizeof name, "p%d_%d", type, scope);
            uint32_t number = find_param(reader, obj, name, &param);
            uint64_t size = (uint64_t)counts[scope] * 3 * bytes[type], got = 0;
            ck_assert(param.type == (abcc_type)type && param.scope == (abcc_scope)scope);
            ck_assert(param.width == 3 && !param.indexed && !param.scalar && param.samples == 1);
            OK(abcc_param_size(reader, obj, number, 0, &got, NULL, NULL, &abc_error));
            ck_assert_uint_eq(got, size);
            OK(abcc_param_read(reader, obj, number, 0, found, size, NULL, 0, &abc_error));
            ck_assert_mem_eq(found, data, size);
        }
    abcc_close(reader);
}
END_TEST

START_TEST(user_properties_may_be_animated_arrays_and_texts) {
    static const char texts[] = "silk\0\0wool"; /* the second one is empty */
    AbcGrid grid = abc_grid_make();
    abcc_obj mesh = 0;
    abcc_param param;
    char found[32];
    double number = 0;
    uint64_t bytes = 0, values = 0;
    abcc_writer *writer = abc_begin_cloth(abc_path, 0, &mesh);
    uint32_t energy =
        add_param(writer, mesh, "energy",
                  (abcc_param){.where = ABCC_IN_USER, .type = ABCC_F64, .width = 1, .scalar = 1});
    uint32_t names = add_param(
        writer, mesh, "names",
        (abcc_param){.where = ABCC_IN_USER, .type = ABCC_STRING, .width = 1, .samples = 1});
    for (int frame = 0; frame < 4; frame++) {
        number = frame == 2 ? 1.25 : 1.25 * frame;
        if (frame != 3)
            OK(abcc_param_write(writer, mesh, energy, &number, 1, NULL, 0, &abc_error));
        write_grid(writer, mesh, &grid, frame == 0);
    }
    OK(abcc_param_write(writer, mesh, names, texts, 3, NULL, 0, &abc_error));
    OK(abcc_finish(writer, &abc_error));
    abcc_reader *reader = abc_open(abc_path, 0);
    abcc_obj obj = abc_find(reader, "/cloth/clothShape");
    uint32_t id = find_param(reader, obj, "energy", &param);
    ck_assert(param.where == ABCC_IN_USER && param.scalar && param.samples == 4);
    for (uint32_t frame = 0; frame < 4; frame++) {
        OK(abcc_param_read(reader, obj, id, frame, &number, 8, NULL, 0, &abc_error));
        ck_assert(number == (frame == 0 ? 0.0 : 1.25));
    }
    id = find_param(reader, obj, "names", &param);
    ck_assert(param.type == ABCC_STRING && !param.scalar && param.samples == 1);
    OK(abcc_param_size(reader, obj, id, 0, &bytes, &values, NULL, &abc_error));
    ck_assert(bytes == sizeof texts && values == 3);
    OK(abcc_param_read(reader, obj, id, 0, found, sizeof found, NULL, 0, &abc_error));
    ck_assert_mem_eq(found, texts, sizeof texts);
    abcc_close(reader);
}
END_TEST

START_TEST(parameters_that_do_not_fit_are_refused) {
    AbcGrid grid = abc_grid_make();
    abcc_obj mesh = 0;
    uint32_t id = 0, index[2] = {0, 5};
    float values[VERTS] = {0};
    abcc_mesh_in in = abc_grid_sample(&grid, true, true);
    abcc_writer *writer = abc_begin_cloth(abc_path, 0, &mesh);
    abcc_param param = abcc_param_default();
    param.name = "weight";
    param.where = ABCC_IN_ARB;
    param.type = ABCC_F32;
    REFUSED(ABCC_E_ARG, "numbers a value", abcc_param_add(writer, mesh, &param, &id, &abc_error));
    param.width = 1;
    REFUSED(ABCC_E_ARG, "scope", abcc_param_add(writer, mesh, &param, &id, &abc_error));
    param.scope = ABCC_VERTEX;
    param.type = ABCC_WSTRING;
    REFUSED(ABCC_E_ARG, "type", abcc_param_add(writer, mesh, &param, &id, &abc_error));
    param.type = ABCC_F32;
    OK(abcc_param_add(writer, mesh, &param, &id, &abc_error));
    REFUSED(ABCC_E_ORDER, "already", abcc_param_add(writer, mesh, &param, &id, &abc_error));
    REFUSED(ABCC_E_ORDER, "no value for the first sample",
            abcc_mesh_write(writer, mesh, &in, &abc_error));
    OK(abcc_param_write(writer, mesh, id, values, VERTS - 1, NULL, 0, &abc_error));
    REFUSED(ABCC_E_ARG, "entries", abcc_mesh_write(writer, mesh, &in, &abc_error));
    REFUSED(ABCC_E_ARG, "not indexed",
            abcc_param_write(writer, mesh, id, values, 2, index, 2, &abc_error));
    REFUSED(ABCC_E_ARG, "no parameter",
            abcc_param_write(writer, mesh, 7, values, 2, NULL, 0, &abc_error));
    OK(abcc_param_write(writer, mesh, id, values, VERTS, NULL, 0, &abc_error));
    OK(abcc_mesh_write(writer, mesh, &in, &abc_error));
    param.name = "late";
    REFUSED(ABCC_E_ORDER, "too late", abcc_param_add(writer, mesh, &param, &id, &abc_error));
    param.samples = 1;
    param.indexed = 1;
    OK(abcc_param_add(writer, mesh, &param, &id, &abc_error));
    REFUSED(ABCC_E_ARG, "index number 1 is 5 of 2",
            abcc_param_write(writer, mesh, id, values, 2, index, 2, &abc_error));
    REFUSED(ABCC_E_ORDER, "has no value", abcc_finish(writer, &abc_error));
    ck_assert_int_eq(abc_files(false), 0);
}
END_TEST

START_TEST(face_sets_come_back) {
    static const int32_t panel[] = {0, 2, 5}, unsorted[] = {2, 1}, far_face[] = {FACES};
    AbcGrid grid = abc_grid_make();
    abcc_obj mesh = 0, set = 0;
    int32_t found[3];
    uint32_t count = 0;
    abcc_writer *writer = abc_begin_cloth(abc_path, 0, &mesh);
    REFUSED(ABCC_E_ARG, "rise", abcc_add_faceset(writer, mesh, "x", unsorted, 2, &set, &abc_error));
    REFUSED(ABCC_E_ARG, "not a mesh", abcc_add_faceset(writer, 1, "x", panel, 3, &set, &abc_error));
    OK(abcc_add_faceset(writer, mesh, "panel", panel, 3, &set, &abc_error));
    OK(abcc_add_faceset(writer, mesh, "nothing", NULL, 0, &set, &abc_error));
    OK(abcc_property_string(writer, set, "fabric", "silk", &abc_error));
    write_grid(writer, mesh, &grid, true);
    REFUSED(ABCC_E_ARG, "has 13 faces",
            abcc_add_faceset(writer, mesh, "x", far_face, 1, &set, &abc_error));
    OK(abcc_finish(writer, &abc_error));
    abcc_reader *reader = abc_open(abc_path, 0);
    abcc_obj obj = abc_find(reader, "/cloth/clothShape/panel");
    OK(abcc_faceset_size(reader, obj, 0, &count, &abc_error));
    ck_assert_uint_eq(count, 3);
    OK(abcc_faceset_read(reader, obj, 0, FACES, found, 3, &abc_error));
    ck_assert_mem_eq(found, panel, sizeof panel);
    OK(abcc_faceset_size(reader, abc_find(reader, "/cloth/clothShape/nothing"), 0, &count,
                         &abc_error));
    ck_assert_uint_eq(count, 0);
    abcc_close(reader);
}
END_TEST

/* ---- passing through ---- */

static const char *shared(char path[400], const char *name) {
    const char *folder = getenv("TOILE_SHARED");
    snprintf(path, 400, "%s/data/abc/%s.abc", folder ? folder : "../shared", name);
    if (abc_exists(path))
        return path;
    printf("note: left out: there is no %s; set TOILE_SHARED to the folder of the archives\n",
           path);
    return NULL;
}

/* A mesh read whole. */
typedef struct Whole {
    abcc_mesh_sizes sizes;
    abcc_mesh_out out;
} Whole;

static Whole read_whole(abcc_reader *reader, abcc_obj obj) {
    Whole whole = {abcc_mesh_sizes_default(), abcc_mesh_out_default()};
    OK(abcc_mesh_size(reader, obj, 0, &whole.sizes, &abc_error));
    whole.out.cap_verts = whole.sizes.verts;
    whole.out.cap_faces = whole.sizes.faces;
    whole.out.cap_corners = whole.sizes.corners;
    whole.out.P = calloc(whole.sizes.verts, 12);
    whole.out.face_count = calloc(whole.sizes.faces, 4);
    whole.out.index = calloc(whole.sizes.corners, 4);
    OK(abcc_mesh_read(reader, obj, 0, &whole.out, &abc_error));
    return whole;
}

static void free_whole(Whole *whole) {
    free(whole->out.P);
    free(whole->out.face_count);
    free(whole->out.index);
}

static void write_whole(abcc_writer *writer, abcc_obj mesh, const Whole *whole, bool faces) {
    abcc_mesh_in in = abcc_mesh_in_default();
    in.verts = whole->sizes.verts;
    in.P = whole->out.P;
    if (faces) {
        in.faces = whole->sizes.faces;
        in.corners = whole->sizes.corners;
        in.face_count = whole->out.face_count;
        in.index = whole->out.index;
    }
    OK(abcc_mesh_write(writer, mesh, &in, &abc_error));
}

/* Writes three frames of a mesh of another file with all of its parameters. */
static void pass_through(const char *from, const char *object, unsigned reader_flags,
                         unsigned writer_flags) {
    abcc_obj mesh = 0;
    abcc_reader *reader = abc_open(from, reader_flags);
    abcc_obj source = abc_find(reader, object);
    Whole whole = read_whole(reader, source);
    abcc_writer *writer = abc_begin_cloth(abc_path, writer_flags, &mesh);
    for (int frame = 0; frame < 3; frame++) {
        OK(abcc_params_copy(reader, source, 0, 0, writer, mesh, &abc_error));
        write_whole(writer, mesh, &whole, frame == 0);
    }
    OK(abcc_finish(writer, &abc_error));
    free_whole(&whole);
    abcc_close(reader);
}

/* Compares the parameters and face sets of the copy with those of the source. */
static void assert_passed(const char *from, const char *object) {
    static const char *compounds[] = {".arbGeomParams", ".userProperties", NULL};
    char text[400] = "";
    for (int i = 0; i < 3; i++)
        ck_assert_msg(abc_official_equal_params(from, object, abc_path, "/cloth/clothShape",
                                                compounds[i], text, sizeof text),
                      "%s", text);
}

START_TEST(everything_unknown_passes_through_bit_for_bit) {
    char path[400];
    if (!shared(path, "indexed_fvar_uvs"))
        return;
    for (unsigned raw = 0; raw < 2; raw++) {
        pass_through(path, "/cubeSeams", raw, raw);
        assert_passed(path, "/cubeSeams");
    }
}
END_TEST

static const char *write_strange(void) {
    static char path[320];
    snprintf(path, sizeof path, "%s/strange.abc", abc_folder);
    abc_official_write_strange(path);
    return path;
}

START_TEST(strange_parameters_pass_through_bit_for_bit) {
    const char *path = write_strange();
    abcc_obj mesh = 0;
    abcc_reader *reader = abc_open(path, 0);
    abcc_obj source = abc_find(reader, "/source");
    Whole whole = read_whole(reader, source);
    abcc_writer *writer = abc_begin_cloth(abc_path, 0, &mesh);
    for (uint32_t k = 0; k < 3; k++) {
        OK(abcc_params_copy(reader, source, k, 0, writer, mesh, &abc_error));
        write_whole(writer, mesh, &whole, k == 0);
    }
    REFUSED(ABCC_E_ARG, "3 samples",
            abcc_params_copy(reader, source, 3, 0, writer, mesh, &abc_error));
    OK(abcc_finish(writer, &abc_error));
    free_whole(&whole);
    abcc_close(reader);
    assert_passed(path, "/source");
}
END_TEST

START_TEST(copied_values_stay_when_not_copied_again) {
    const char *path = write_strange();
    abcc_obj mesh = 0;
    abcc_param param;
    double value = 9;
    abcc_reader *reader = abc_open(path, 0);
    abcc_obj source = abc_find(reader, "/source");
    Whole whole = read_whole(reader, source);
    abcc_writer *writer = abc_begin_cloth(abc_path, 0, &mesh);
    OK(abcc_params_copy(reader, source, 2, 0, writer, mesh, &abc_error));
    for (int k = 0; k < 2; k++)
        write_whole(writer, mesh, &whole, k == 0);
    OK(abcc_finish(writer, &abc_error));
    free_whole(&whole);
    abcc_close(reader);
    reader = abc_open(abc_path, 0);
    mesh = abc_find(reader, "/cloth/clothShape");
    uint32_t id = find_param(reader, mesh, "outer/inner/moving", &param);
    ck_assert_uint_eq(param.samples, 2);
    OK(abcc_param_read(reader, mesh, id, 1, &value, 8, NULL, 0, &abc_error));
    ck_assert(value == 0.1);
    abcc_close(reader);
}
END_TEST

START_TEST(own_parameters_go_before_copied_ones) {
    const char *path = write_strange();
    abcc_obj mesh = 0;
    abcc_param param;
    int32_t value = 0;
    abcc_reader *reader = abc_open(path, 0);
    abcc_obj source = abc_find(reader, "/source");
    Whole whole = read_whole(reader, source);
    abcc_writer *writer = abc_begin_cloth(abc_path, 0, &mesh);
    OK(abcc_property_int(writer, mesh, "outer", 7, &abc_error));
    OK(abcc_params_copy(reader, source, 0, 0, writer, mesh, &abc_error));
    write_whole(writer, mesh, &whole, true);
    OK(abcc_finish(writer, &abc_error));
    free_whole(&whole);
    abcc_close(reader);
    reader = abc_open(abc_path, 0);
    mesh = abc_find(reader, "/cloth/clothShape");
    uint32_t id = find_param(reader, mesh, "outer", &param);
    ck_assert(param.where == ABCC_IN_USER && param.type == ABCC_I32);
    OK(abcc_param_read(reader, mesh, id, 0, &value, 4, NULL, 0, &abc_error));
    ck_assert_int_eq(value, 7);
    abcc_close(reader);
}
END_TEST

/* Turned faces and everything per corner turned with them: going through a file of the other
 * winding twice must give the source again. */
START_TEST(what_is_per_corner_turns_when_the_winding_does) {
    const char *path = write_strange();
    char turned[320], text[400] = "";
    snprintf(turned, sizeof turned, "%s/turned.abc", abc_folder);
    pass_through(path, "/source", 0, ABCC_RAW_WINDING);
    ck_assert(!abc_official_equal_params(path, "/source", abc_path, "/cloth/clothShape",
                                         ".arbGeomParams", text, sizeof text));
    ck_assert_msg(strstr(text, "texts") != NULL, "%s", text);
    ck_assert_int_eq(rename(abc_path, turned), 0);
    pass_through(turned, "/cloth/clothShape", 0, ABCC_RAW_WINDING);
    ck_assert_msg(abc_official_equal_params(path, "/source", abc_path, "/cloth/clothShape",
                                            ".userProperties", text, sizeof text) ||
                      strstr(text, "moving") != NULL,
                  "%s", text);
    abcc_reader *reader = abc_open(abc_path, ABCC_RAW_WINDING);
    abcc_param param;
    char words[64];
    abcc_obj mesh = abc_find(reader, "/cloth/clothShape");
    uint32_t id = find_param(reader, mesh, "texts", &param);
    OK(abcc_param_read(reader, mesh, id, 0, words, sizeof words, NULL, 0, &abc_error));
    ck_assert_mem_eq(words, "a\0\0b c\0\xc3\xa9\0e\0f\0g", 15);
    abcc_close(reader);
}
END_TEST

START_TEST(mesh_with_other_faces_takes_only_what_counts_nothing) {
    const char *path = write_strange();
    AbcGrid grid = abc_grid_make();
    abcc_obj mesh = 0;
    uint32_t count = 0;
    char names[400] = "";
    abcc_reader *reader = abc_open(path, 0);
    abcc_writer *writer = abc_begin_cloth(abc_path, 0, &mesh);
    OK(abcc_params_copy(reader, abc_find(reader, "/source"), 0, ABCC_COPY_CONSTANT, writer, mesh,
                        &abc_error));
    write_grid(writer, mesh, &grid, true);
    OK(abcc_finish(writer, &abc_error));
    abcc_close(reader);
    reader = abc_open(abc_path, 0);
    mesh = abc_find(reader, "/cloth/clothShape");
    OK(abcc_param_count(reader, mesh, &count, &abc_error));
    for (uint32_t i = 0; i < count; i++) {
        abcc_param param = abcc_param_default();
        OK(abcc_param_get(reader, mesh, i, &param, &abc_error));
        strncat(names, param.name, 40);
        strcat(names, param.where == ABCC_IN_ARB ? " " : "; ");
    }
    ck_assert(strstr(names, "texts") == NULL && strstr(names, "numbers") == NULL);
    ck_assert(strstr(names, "halves ") == NULL && strstr(names, "halves; ") != NULL);
    ck_assert(strstr(names, "table ") != NULL && strstr(names, "moving ") != NULL);
    ck_assert_uint_eq(abcc_object_count(reader), 3);
    abcc_close(reader);
}
END_TEST

/* ---- the suite ---- */

int main(void) {
    Suite *suite = suite_create("abc_write");
    TCase *tests = abc_case(suite, "writing");
    tcase_add_test(tests, official_library_reads_the_floats_that_were_written);
    tcase_add_test(tests, comparison_notices_one_bit);
    tcase_add_test(tests, normals_turn_with_their_faces);
    tcase_add_test(tests, cage_keeps_creases_corners_holes_and_rules);
    tcase_add_test(tests, cage_refuses_what_does_not_fit);
    tcase_add_test(tests, shutter_samples_are_cyclic);
    tcase_add_test(tests, instance_shows_its_source_and_counts_in_bounds);
    tcase_add_test(tests, visibility_follows_the_samples);
    tcase_add_test(tests, bounds_follow_moving_mirrored_and_free_transforms);
    tcase_add_test(tests, second_uv_set_turns_with_the_faces);
    tcase_add_test(tests, parameters_of_all_types_and_scopes_come_back);
    tcase_add_test(tests, user_properties_may_be_animated_arrays_and_texts);
    tcase_add_test(tests, parameters_that_do_not_fit_are_refused);
    tcase_add_test(tests, face_sets_come_back);
    tcase_add_test(tests, everything_unknown_passes_through_bit_for_bit);
    tcase_add_test(tests, strange_parameters_pass_through_bit_for_bit);
    tcase_add_test(tests, copied_values_stay_when_not_copied_again);
    tcase_add_test(tests, own_parameters_go_before_copied_ones);
    tcase_add_test(tests, what_is_per_corner_turns_when_the_winding_does);
    tcase_add_test(tests, mesh_with_other_faces_takes_only_what_counts_nothing);
    return run_suite(suite);
}
