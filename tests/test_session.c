/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions against plain simulations and scenes of the same thing; what they write, what they
 * refuse, and what they leave on disk. Matrices are in test_convert.c and test_fit.c. */
#define _XOPEN_SOURCE 700

#include "support/io_files.h"
#include "support/session_grid.h"

#include "toile_io/abc_c.h"
#include "toile_io/fabric.h"
#include "toile_io/pointcache.h"
#include "toile_io/scene.h"

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/toile-session.XXXXXX";

/* ---- files ---- */

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

static abcc_reader *open_archive(const char *path, const char *object, abcc_obj *obj) {
    abcc_reader *reader = NULL;
    abcc_error error = {0};
    ck_assert_msg(abcc_open(path, 0, NULL, &reader, &error) == ABCC_OK, "%s", error.text);
    ck_assert_msg(abcc_find(reader, object, obj, &error) == ABCC_OK, "%s", error.text);
    return reader;
}

static uint32_t sample_count(abcc_reader *reader, abcc_obj obj) {
    abcc_object object = abcc_object_default();
    ck_assert_int_eq(abcc_object_get(reader, obj, &object, NULL), ABCC_OK);
    return object.samples;
}

static void read_sample(abcc_reader *reader, abcc_obj obj, uint32_t sample, float *P, float *v) {
    abcc_mesh_out out = abcc_mesh_out_default();
    abcc_error error = {0};
    out.cap_verts = VERTICES;
    out.P = P;
    out.v = v;
    ck_assert_msg(abcc_mesh_read(reader, obj, sample, &out, &error) == ABCC_OK, "%s", error.text);
}

static int32_t int_property(abcc_reader *reader, abcc_obj obj, const char *name) {
    uint32_t count = 0;
    int32_t value = -1;
    ck_assert_int_eq(abcc_param_count(reader, obj, &count, NULL), ABCC_OK);
    for (uint32_t i = 0; i < count; i++) {
        abcc_param param = abcc_param_default();
        ck_assert_int_eq(abcc_param_get(reader, obj, i, &param, NULL), ABCC_OK);
        if (strcmp(param.name, name) == 0)
            ck_assert_int_eq(
                abcc_param_read(reader, obj, i, 0, &value, sizeof value, NULL, 0, NULL), ABCC_OK);
    }
    return value;
}

/* ---- the same as core and io ---- */

/* the same through the core alone, frame by frame; the ball moves */
START_TEST(session_equals_a_simulation_bit_for_bit) {
    Grid grid = make_grid();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileSessionCollider collider = ball();
    ToileSessionDef def = def_default();
    cloth.fabric_name = "cotton-poplin";
    ToileFabricEntry entry = {0};
    entry.struct_size = (uint32_t)sizeof entry;
    ck_assert_int_eq(toile_fabric_find("cotton-poplin", &entry, NULL), TOILE_STATUS_OK);

    double positions[VALUES], now[VALUES];
    int32_t pins[2] = {0, SIDE - 1};
    for (int32_t i = 0; i < VALUES; i++)
        positions[i] = (double)grid.positions[i];
    ToileMeshDef mesh = toile_mesh_def_default();
    mesh.vertex_count = VERTICES;
    mesh.face_count = FACES;
    mesh.corner_count = CORNERS;
    mesh.positions_m = positions;
    mesh.face_sizes = grid.sizes;
    mesh.corners = grid.corners;
    ToileClothDef cloth_def = toile_cloth_def_default();
    cloth_def.mesh = &mesh;
    cloth_def.fabric = &entry.fabric;
    cloth_def.pin_count = 2;
    cloth_def.pin_vertices = pins;
    ToileColliderDef collider_def = toile_collider_def_default();
    collider_def.radius_m = 0.25;
    collider_def.pose.translate_m[2] = -0.3125;
    ToileSimDef sim_def = toile_sim_def_default();
    sim_def.threads = 1;
    sim_def.gravity_m_per_s2[1] = 0.0;
    sim_def.gravity_m_per_s2[2] = -9.81;
    ToileSim *sim = NULL;
    ToileClothId cloth_id;
    ToileColliderId collider_id;
    ck_assert_int_eq(toile_sim_create(&sim_def, &sim, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_sim_add_cloth(sim, &cloth_def, &cloth_id, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_sim_add_collider(sim, &collider_def, &collider_id, NULL), 0);

    ToileSession *session = start(&def, &cloth, &collider);
    for (int32_t f = 2; f <= LAST; f++) {
        float found[VALUES];
        collider.matrix[3] += 0.013;
        collider_def.pose.translate_m[0] += 0.013;
        ck_assert_int_eq(toile_session_set_collider_matrix(session, 0, collider.matrix, NULL), 0);
        ck_assert_int_eq(toile_sim_set_collider_pose(sim, collider_id, &collider_def.pose, NULL),
                         0);
        step(session);
        ck_assert_int_eq(toile_sim_step(sim, NULL), TOILE_STATUS_OK);
        ck_assert_int_eq(toile_session_frame(session), f);
        positions_of(session, found);
        ck_assert_int_eq(toile_sim_get_positions(sim, cloth_id, now, NULL), TOILE_STATUS_OK);
        for (int32_t i = 0; i < VALUES; i++)
            ck_assert(found[i] == (float)now[i]);
    }
    ToileStats stats = toile_stats_default(), same = toile_stats_default();
    ck_assert_int_eq(toile_session_get_stats(session, &stats, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_sim_get_stats(sim, &same, NULL), TOILE_STATUS_OK);
    /* but for the seconds, and what was added after them */
    ck_assert_mem_eq(&stats, &same, offsetof(ToileStats, total_s));
    float found[VALUES], free_fall[VALUES];
    run_to_end(start(&def, &cloth, NULL), LAST, free_fall);
    run_to_end(session, LAST, found);
    ck_assert(is_elsewhere(found, free_fall));
    toile_sim_destroy(sim);
}
END_TEST

static void write_scene(const Grid *grid) {
    FILE *file = fopen("mesh.obj", "w");
    ck_assert_ptr_nonnull(file);
    for (int32_t v = 0; v < VERTICES; v++)
        fprintf(file, "v %.9g %.9g %.9g\n", 100.0 * (double)grid->positions[3 * v],
                100.0 * (double)grid->positions[3 * v + 1],
                100.0 * (double)grid->positions[3 * v + 2]);
    for (int32_t f = 0; f < FACES; f++)
        fprintf(file, "f %d %d %d %d\n", grid->corners[4 * f] + 1, grid->corners[4 * f + 1] + 1,
                grid->corners[4 * f + 2] + 1, grid->corners[4 * f + 3] + 1);
    fclose(file);
    file = fopen("scene.json", "w");
    ck_assert_ptr_nonnull(file);
    fprintf(
        file,
        "{\"toile\": 1, \"up\": \"z\", \"fps\": 24, \"frames\": \"1-%d\", \"unit_m\": 0.01,"
        " \"cloth\": [{\"name\": \"flag\", \"mesh\": \"mesh.obj\", \"fabric\": \"denim\","
        " \"pins\": [{\"vertices\": [0, %d]}]}],"
        " \"colliders\": [{\"name\": \"box\", \"box\": {\"center\": [0, 0, 0],"
        " \"half\": [0.2, 0.3, 0.1]}, \"motion\": [{\"frame\": 1, \"translate_m\": [0, 0, -0.15],"
        " \"rotate_rad\": [0, 0, 0]}, {\"frame\": %d, \"translate_m\": [0, 0, -0.15],"
        " \"rotate_rad\": [0, 0, 0.7]}]}],"
        " \"fields\": [{\"drag\": {\"coefficient_kg_per_m2_s\": 0.1}}]}",
        LAST, SIDE - 1, LAST);
    fclose(file);
}

/* centimetres, Z up, a box that turns */
START_TEST(session_equals_a_scene) {
    Grid grid = make_grid();
    write_scene(&grid);
    ToileScene *scene = NULL;
    ToileSim *sim = NULL;
    ToileClothId id;
    ToileError error = toile_error_default();
    ck_assert_msg(toile_scene_load("scene.json", NULL, 0, NULL, NULL, &scene, &error) == 0, "%s",
                  error.message);
    ToileSimDef sim_def = toile_sim_def_default();
    ck_assert_int_eq(toile_scene_sim_def(scene, &sim_def, NULL), TOILE_STATUS_OK);
    sim_def.threads = 1;
    ck_assert_int_eq(toile_scene_create_sim(scene, &sim_def, &sim, &id, NULL), TOILE_STATUS_OK);

    for (int32_t i = 0; i < VALUES; i++)
        grid.positions[i] *= 100.0F;
    ToileSessionDef def = def_default();
    def.unit_m = 0.01;
    def.drag_kg_per_m2_s = 0.1;
    ToileSessionCloth cloth = cloth_of(&grid);
    cloth.fabric_name = "denim";
    ToileSessionCollider box = collider_default();
    box.shape = TOILE_COLLIDER_BOX;
    box.half[0] = 20.0;
    box.half[1] = 30.0;
    box.half[2] = 10.0;
    box.matrix[11] = -15.0;
    ToileSession *session = start(&def, &cloth, &box);
    for (int32_t f = 2; f <= FEW; f++) {
        float found[VALUES];
        double now[VALUES], angle = 0.7 * (f - 1) / (LAST - 1);
        const double turn[9] = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};
        set_matrix(box.matrix, turn, 0.0, 0.0, -15.0);
        ck_assert_int_eq(toile_session_set_collider_matrix(session, 0, box.matrix, NULL), 0);
        step(session);
        ck_assert_int_eq(toile_scene_aim(scene, sim, f, NULL), TOILE_STATUS_OK);
        ck_assert_int_eq(toile_sim_step(sim, NULL), TOILE_STATUS_OK);
        positions_of(session, found);
        ck_assert_int_eq(toile_sim_get_positions(sim, id, now, NULL), TOILE_STATUS_OK);
        /* float32 of 50 cm resolves 4e-8 m */
        for (int32_t i = 0; i < VALUES; i++)
            ck_assert_double_eq_tol(0.01 * (double)found[i], now[i], TOLERANCE_M);
    }
    toile_session_destroy(session);
    toile_sim_destroy(sim);
    toile_scene_free(scene);
}
END_TEST

/* ---- caches ---- */

/* every frame of the archive is what was handed out, turned to Y up; matrices likewise */
static void check_archive(int32_t up) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    float handed[LAST][VALUES];
    double matrices[LAST][16];
    def.up = up;
    def.cache = "a.abc";
    ToileSession *session = create(&def);
    add_cloth(session, &cloth);
    begin(session);
    for (int32_t f = 0; f < LAST; f++) {
        double linear[9];
        general_linear(0.1 * f, 1.0, linear);
        set_matrix(matrices[f], linear, 0.2 * f, 0.3 * f, 0.4 * f);
        if (f > 0) {
            ck_assert_int_eq(toile_session_set_cloth_matrix(session, 0, matrices[f], NULL), 0);
            step(session);
        }
        positions_of(session, handed[f]);
    }
    ck_assert_mem_eq(handed[0], grid.positions, sizeof grid.positions);
    ck_assert_int_eq(files_here(), 1);
    finish(session);
    toile_session_destroy(session);

    abcc_obj shape = 0, xform = 0;
    abcc_reader *reader = open_archive("a.abc", "/Flag_001/Flag_001Shape", &shape);
    ck_assert_int_eq(abcc_find(reader, "/Flag_001", &xform, NULL), ABCC_OK);
    ck_assert_uint_eq(sample_count(reader, shape), LAST);
    ck_assert_int_eq(int_property(reader, shape, "complete"), 1);
    for (uint32_t s = 0; s < LAST; s++) {
        float P[VALUES], v[VALUES];
        double m[16], seconds = 0.0, world[3];
        read_sample(reader, shape, s, P, v);
        ck_assert_int_eq(abcc_sample_time(reader, shape, s, &seconds, NULL), ABCC_OK);
        ck_assert_double_eq_tol(seconds, (s + 1) / 24.0, 1e-12);
        ck_assert_int_eq(abcc_xform_read(reader, xform, seconds, m, NULL, NULL), ABCC_OK);
        for (int32_t i = 0; i < VERTICES; i++) {
            const float *p = handed[s] + 3 * i;
            ck_assert(P[3 * i] == p[0]);
            ck_assert(P[3 * i + 1] == (up ? p[2] : p[1]));
            ck_assert(P[3 * i + 2] == (up ? -p[1] : p[2]));
            apply(matrices[s], p, world);
            for (int32_t k = 0; k < 3; k++) {
                double w = m[12 + k];
                for (int32_t j = 0; j < 3; j++)
                    w += (double)P[3 * i + j] * m[4 * j + k];
                double expected = up && k > 0 ? (k == 1 ? world[2] : -world[1]) : world[k];
                ck_assert_double_eq_tol(w, expected, 1e-12);
            }
        }
        /* pins rest in their object, so that there they have no speed */
        for (int32_t k = 0; k < 3; k++)
            ck_assert_double_eq_tol((double)v[k], 0.0, 1e-5);
    }
    abcc_close(reader);
}

START_TEST(session_archive_equals_positions_z_up) {
    check_archive(1);
}
END_TEST

START_TEST(session_archive_equals_positions_y_up) {
    check_archive(0);
}
END_TEST

/* velocities of an object that stands still are those of the simulation, in its space: the
 * difference of positions over one sub-step is near that over one frame */
START_TEST(session_velocities_are_in_object_space) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    float P[2][VALUES], v[VALUES];
    cloth.pin_weights = NULL;
    for (int32_t k = 0; k < 3; k++)
        cloth.matrix[5 * k] = 0.5;
    def.cache = "a.abc";
    def.substeps = 1;
    def.last_frame = 3;
    ToileSession *session = start(&def, &cloth, NULL);
    step(session);
    step(session);
    finish(session);
    toile_session_destroy(session);
    abcc_obj shape = 0;
    abcc_reader *reader = open_archive("a.abc", "/Flag_001/Flag_001Shape", &shape);
    read_sample(reader, shape, 1, P[0], NULL);
    read_sample(reader, shape, 2, P[1], v);
    for (int32_t i = 0; i < VALUES; i++)
        ck_assert_double_eq_tol((double)v[i], 24.0 * (double)(P[1][i] - P[0][i]), 1e-4);
    abcc_close(reader);
}
END_TEST

START_TEST(session_archive_keeps_faces_and_uvs) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    /* a seam: one corner of the second face has its own uv */
    grid.uvs[2 * 4] = 0.75F;
    def.cache = "a.abc";
    def.velocities = 0;
    def.last_frame = 1;
    ToileSession *session = start(&def, &cloth, NULL);
    finish(session);
    toile_session_destroy(session);
    abcc_obj shape = 0;
    abcc_reader *reader = open_archive("a.abc", "/Flag_001/Flag_001Shape", &shape);
    abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
    ck_assert_int_eq(abcc_mesh_size(reader, shape, 0, &sizes, NULL), ABCC_OK);
    ck_assert_uint_eq(sizes.faces, FACES);
    ck_assert_uint_eq(sizes.velocities, 0);
    ck_assert_uint_eq(sizes.uv_values, VERTICES + 1);
    ck_assert_str_eq(sizes.uv_name, "UVMap");
    abcc_close(reader);
}
END_TEST

START_TEST(session_pointcache_equals_positions) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    float handed[LAST][VALUES], read[VALUES];
    double linear[9];
    general_linear(0.4, 1.5, linear);
    set_matrix(cloth.matrix, linear, 1.0, 2.0, 3.0);
    def.cache = "a.pc2";
    def.first_frame = -3;
    def.last_frame = LAST - 4;
    ToileSession *session = start(&def, &cloth, NULL);
    for (int32_t f = 0; f < LAST; f++) {
        if (f > 0)
            step(session);
        positions_of(session, handed[f]);
    }
    finish(session);
    positions_of(session, read);
    ck_assert_mem_eq(read, handed[LAST - 1], sizeof read);
    toile_session_destroy(session);
    ToilePointCacheInfo info = {0};
    ToilePointCacheReader *reader = NULL;
    info.struct_size = (uint32_t)sizeof info;
    ck_assert_int_eq(toile_pointcache_open("a.pc2", &info, &reader, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(info.point_count, VERTICES);
    ck_assert_int_eq(info.sample_count, LAST);
    ck_assert_double_eq(info.first, -3.0);
    for (int32_t f = 0; f < LAST; f++) {
        ck_assert_int_eq(toile_pointcache_read(reader, f, read, NULL), TOILE_STATUS_OK);
        ck_assert_mem_eq(read, handed[f], sizeof read);
    }
    toile_pointcache_close(reader);
}
END_TEST

START_TEST(session_of_two_cloths_needs_an_archive) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileError error = toile_error_default();
    int32_t index = -1;
    def.cache = "a.pc2";
    ToileSession *session = create(&def);
    add_cloth(session, &cloth);
    cloth.name = "Flag:001";
    cloth.matrix[3] = 2.0;
    ck_assert_int_eq(toile_session_add_cloth(session, &cloth, &index, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(index, 1);
    ck_assert_int_eq(toile_session_begin(session, &error), TOILE_STATUS_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.message, "one mesh"));
    toile_session_destroy(session);
    ck_assert_int_eq(files_here(), 0);
    def.cache = "a.abc";
    session = create(&def);
    add_cloth(session, &cloth);
    cloth.name = "Flag.001";
    add_cloth(session, &cloth);
    begin(session);
    step(session);
    finish(session);
    toile_session_destroy(session);
    abcc_obj obj = 0;
    abcc_close(open_archive("a.abc", "/Flag_001/Flag_001Shape", &obj));
    abcc_close(open_archive("a.abc", "/Flag_001_2/Flag_001_2Shape", &obj));
}
END_TEST

/* ---- cancel and failure ---- */

typedef struct Cancel {
    int32_t left; /* calls until it cancels */
} Cancel;

static bool count_down(void *user, double fraction) {
    Cancel *cancel = user;
    ck_assert(fraction >= 0.0 && fraction <= 1.0);
    return --cancel->left >= 0;
}

/* four sub-steps a frame: cancelled inside the step to frame 4 */
static ToileSession *cancelled(const char *cache, Cancel *cancel, float *before) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileError error = toile_error_default();
    float after[VALUES];
    *cancel = (Cancel){4 + 4 + 2};
    def.cache = cache;
    def.progress = (ToileProgress){count_down, cancel};
    ToileSession *session = start(&def, &cloth, NULL);
    step(session);
    step(session);
    positions_of(session, before);
    ck_assert_int_eq(toile_session_step(session, &error), TOILE_STATUS_CANCELLED);
    ck_assert_str_eq(error.message,
                     "The step to frame 4 was cancelled; the frames up to 3 are kept.");
    ck_assert_int_eq(error.frame, 4);
    ck_assert_int_eq(toile_session_frame(session), 3);
    positions_of(session, after);
    ck_assert_mem_eq(before, after, sizeof after);
    return session;
}

START_TEST(session_cancel_keeps_the_frames) {
    Cancel cancel;
    float handed[VALUES], P[VALUES];
    ToileSession *session = cancelled("a.abc", &cancel, handed);
    finish(session);
    toile_session_destroy(session);
    abcc_obj shape = 0;
    abcc_reader *reader = open_archive("a.abc", "/Flag_001/Flag_001Shape", &shape);
    ck_assert_uint_eq(sample_count(reader, shape), 3);
    ck_assert_int_eq(int_property(reader, shape, "complete"), 0);
    read_sample(reader, shape, 2, P, NULL);
    for (int32_t v = 0; v < VERTICES; v++)
        ck_assert(P[3 * v] == handed[3 * v] && P[3 * v + 1] == handed[3 * v + 2]);
    abcc_close(reader);
    session = cancelled("a.pc2", &cancel, handed);
    finish(session);
    toile_session_destroy(session);
    ToilePointCacheInfo info = {0};
    ToilePointCacheReader *points = NULL;
    info.struct_size = (uint32_t)sizeof info;
    ck_assert_int_eq(toile_pointcache_open("a.pc2", &info, &points, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(info.sample_count, 3);
    toile_pointcache_close(points);
}
END_TEST

/* going on after a cancel gives what an undisturbed session gives */
START_TEST(session_goes_on_after_a_cancel) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    Cancel cancel;
    float before[VALUES], found[VALUES], expected[VALUES];
    ToileSession *session = cancelled(NULL, &cancel, before);
    cancel.left = 1000;
    run_to_end(session, LAST, found);
    run_to_end(start(&def, &cloth, NULL), LAST, expected);
    ck_assert_mem_eq(found, expected, sizeof found);
}
END_TEST

/* files of more than 6000 bytes are refused from now on, until `old` is set again */
static struct rlimit limit_files(void) {
    struct rlimit old, small;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 6000;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    return old;
}

static void lift_limit(const struct rlimit *old) {
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, old), 0);
    signal(SIGXFSZ, SIG_DFL);
}

START_TEST(session_disk_full_ends_it) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileError error = toile_error_default();
    ToileStatus status = TOILE_STATUS_OK;
    float positions[VALUES];
    def.cache = "a.pc2";
    def.last_frame = 40;
    ToileSession *session = start(&def, &cloth, NULL);
    struct rlimit old = limit_files();
    while (status == TOILE_STATUS_OK && toile_session_frame(session) < 40)
        status = toile_session_step(session, &error);
    lift_limit(&old);
    ck_assert_int_eq(status, TOILE_STATUS_IO_ERROR);
    ck_assert_int_eq(error.frame, toile_session_frame(session));
    ck_assert_int_eq(files_here(), 0);
    ck_assert_int_eq(toile_session_step(session, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_session_finish(session, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "could not be written"));
    positions_of(session, positions);
    toile_session_destroy(session);
}
END_TEST

/* an archive of this size is still in memory when it is finished */
START_TEST(session_disk_full_at_the_end_leaves_nothing) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    def.cache = "a.abc";
    ToileSession *session = start(&def, &cloth, NULL);
    step(session);
    struct rlimit old = limit_files();
    ToileStatus status = toile_session_finish(session, NULL);
    lift_limit(&old);
    ck_assert_int_eq(status, TOILE_STATUS_IO_ERROR);
    ck_assert_int_eq(files_here(), 0);
    ck_assert_int_eq(toile_session_step(session, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    toile_session_destroy(session);
}
END_TEST

START_TEST(session_begin_can_be_tried_again) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileError error = toile_error_default();
    def.cache = "later/a.abc";
    ToileSession *session = create(&def);
    ck_assert_int_eq(toile_session_begin(session, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "no cloth"));
    add_cloth(session, &cloth);
    ck_assert_int_eq(toile_session_begin(session, &error), TOILE_STATUS_CANNOT_CREATE);
    ck_assert_int_eq(mkdir("later", 0700), 0);
    begin(session);
    step(session);
    toile_session_destroy(session);
    ck_assert_int_eq(rmdir("later"), 0); /* it is empty */
}
END_TEST

START_TEST(session_destroyed_anywhere_leaves_nothing) {
    Grid grid = make_grid();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileSessionCollider collider = ball();
    const char *const paths[3] = {"a.abc", "a.pc2", NULL};
    for (int32_t i = 0; i < 18; i++) {
        ToileSessionDef def = def_default();
        def.cache = paths[i % 3];
        ToileSession *session = create(&def);
        if (i / 3 >= 1)
            add_cloth(session, &cloth);
        if (i / 3 >= 2)
            add_collider(session, &collider);
        if (i / 3 >= 3)
            begin(session);
        for (int32_t s = 4; s <= i / 3; s++)
            step(session);
        toile_session_destroy(session);
        ck_assert_int_eq(files_here(), 0);
    }
    toile_session_destroy(NULL);
}
END_TEST

START_TEST(session_hundred_times_over) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileSessionCollider collider = ball();
    def.cache = "a.abc";
    def.threads = 2;
    for (int32_t i = 0; i < 100; i++) {
        ToileSession *session = start(&def, &cloth, &collider);
        step(session);
        if (i % 2)
            finish(session);
        toile_session_destroy(session);
    }
    ck_assert_int_eq(files_here(), 1);
}
END_TEST

/* ---- refusals ---- */

START_TEST(session_refuses_calls_out_of_order) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    ToileSessionCollider collider = ball();
    ToileError error = toile_error_default();
    float positions[VALUES];
    def.last_frame = 2;
    ToileSession *session = create(&def);
    const ToileStatus wrong = TOILE_STATUS_INVALID_ARGUMENT;
    ck_assert_int_eq(toile_session_step(session, &error), wrong);
    ck_assert_ptr_nonnull(strstr(error.message, "toile_session_begin"));
    ck_assert_int_eq(toile_session_finish(session, &error), wrong);
    ck_assert_int_eq(toile_session_set_collider_matrix(session, 0, collider.matrix, &error), wrong);
    ck_assert_int_eq(toile_session_set_cloth_matrix(session, 0, cloth.matrix, &error), wrong);
    ck_assert_int_eq(toile_session_get_positions(session, 0, positions, &error), wrong);
    add_cloth(session, &cloth);
    begin(session);
    ck_assert_int_eq(toile_session_begin(session, &error), wrong);
    ck_assert_int_eq(toile_session_add_cloth(session, &cloth, NULL, &error), wrong);
    ck_assert_ptr_nonnull(strstr(error.message, "nothing can be added"));
    ck_assert_int_eq(toile_session_add_collider(session, &collider, NULL, &error), wrong);
    ck_assert_int_eq(toile_session_set_cloth_matrix(session, 1, cloth.matrix, &error), wrong);
    ck_assert_int_eq(toile_session_get_positions(session, 0, NULL, &error), wrong);
    step(session);
    ck_assert_int_eq(toile_session_step(session, &error), wrong);
    ck_assert_str_eq(error.message, "Frame 2 is the last of this session; finish it.");
    finish(session);
    ck_assert_int_eq(toile_session_finish(session, &error), wrong);
    ck_assert_int_eq(toile_session_step(session, &error), wrong);
    ck_assert_ptr_nonnull(strstr(error.message, "is finished"));
    positions_of(session, positions);
    toile_session_destroy(session);
    ck_assert_int_eq(toile_session_step(NULL, &error), wrong);
    ck_assert_int_eq(toile_session_begin(NULL, NULL), wrong);
    ck_assert_int_eq(toile_session_get_stats(NULL, NULL, NULL), wrong);
    ck_assert_int_eq(toile_session_frame(NULL), INT32_MIN);
}
END_TEST

/* the cloth is refused with these words; the session goes on with a sound one */
static ToileError refused_cloth(const ToileSessionCloth *cloth, ToileStatus expected,
                                const char *words) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth sound = cloth_of(&grid);
    ToileError error = toile_error_default();
    ToileSession *session = create(&def);
    int32_t index = -7;
    ck_assert_int_eq(toile_session_add_cloth(session, cloth, &index, &error), expected);
    ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
    ck_assert_int_eq(index, -7);
    ck_assert_int_eq(toile_session_add_cloth(session, &sound, &index, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(index, 0);
    begin(session);
    step(session);
    toile_session_destroy(session);
    return error;
}

START_TEST(session_refuses_an_ngon_by_face_and_vertex) {
    Grid grid = make_grid();
    ToileSessionCloth cloth = cloth_of(&grid);
    /* faces 5 and 6 become one of eight corners */
    memmove(grid.starts + 6, grid.starts + 7, (FACES - 7) * sizeof *grid.starts);
    cloth.face_sizes = NULL;
    cloth.face_starts = grid.starts;
    cloth.face_count = FACES - 1;
    ToileError error = refused_cloth(&cloth, TOILE_STATUS_INVALID_DATA, "face 5 has 8 corners");
    ck_assert_str_eq(error.object, "Flag.001");
    ck_assert_int_eq(error.face, 5);
    ck_assert_int_eq(error.vertex, 5);
}
END_TEST

START_TEST(session_refuses_bad_meshes) {
    Grid grid = make_grid();
    ToileSessionCloth cloth = cloth_of(&grid);
    grid.corners[9] = VERTICES;
    ToileError error = refused_cloth(&cloth, TOILE_STATUS_INVALID_DATA, "face 2 uses vertex 81");
    ck_assert_int_eq(error.face, 2);
    grid = make_grid();
    grid.positions[3 * 17 + 1] = NAN;
    error = refused_cloth(&cloth, TOILE_STATUS_INVALID_DATA, "vertex 17");
    ck_assert_int_eq(error.vertex, 17);
    grid = make_grid();
    grid.starts[3] = 7;
    cloth.face_sizes = NULL;
    cloth.face_starts = grid.starts;
    refused_cloth(&cloth, TOILE_STATUS_INVALID_DATA, "Face 2 of 'Flag.001'");
    cloth.face_starts = NULL;
    refused_cloth(&cloth, TOILE_STATUS_INVALID_ARGUMENT, "lacks positions");
    cloth = cloth_of(&grid);
    cloth.face_count = 0;
    refused_cloth(&cloth, TOILE_STATUS_INVALID_DATA, "0 faces");
    cloth = cloth_of(&grid);
    cloth.matrix[5] = 0.0;
    refused_cloth(&cloth, TOILE_STATUS_INVALID_DATA, "'Flag.001' is scaled by 1, 0, 1,");
    cloth = cloth_of(&grid);
    cloth.pattern = TOILE_PATTERN_METRIC;
    cloth.corner_uvs = NULL;
    refused_cloth(&cloth, TOILE_STATUS_INVALID_DATA, "needs uvs");
    cloth.struct_size = 0;
    refused_cloth(&cloth, TOILE_STATUS_INVALID_ARGUMENT, "toile_session_cloth_init");
}
END_TEST

START_TEST(session_missing_fabric_names_the_nearest) {
    Grid grid = make_grid();
    ToileSessionCloth cloth = cloth_of(&grid);
    cloth.fabric_name = "coton-poplin";
    ToileError error = refused_cloth(&cloth, TOILE_STATUS_NOT_FOUND, "\"cotton-poplin\"");
    ck_assert_str_eq(error.object, "Flag.001");
}
END_TEST

START_TEST(session_refuses_bad_definitions) {
    ToileSessionDef def;
    ToileSession *session = NULL;
    ToileError error = toile_error_default();
    const struct {
        int32_t up, first, last;
        double unit, fps;
        const char *cache;
        ToileStatus status;
    } cases[] = {{2, 1, 2, 1.0, 24.0, NULL, TOILE_STATUS_INVALID_ARGUMENT},
                 {1, 3, 2, 1.0, 24.0, NULL, TOILE_STATUS_INVALID_ARGUMENT},
                 {1, INT32_MIN, INT32_MAX, 1.0, 24.0, NULL, TOILE_STATUS_INVALID_ARGUMENT},
                 {1, 1, 2, 0.0, 24.0, NULL, TOILE_STATUS_INVALID_ARGUMENT},
                 {1, 1, 2, (double)NAN, 24.0, NULL, TOILE_STATUS_INVALID_ARGUMENT},
                 {1, 1, 2, 1.0, 0.0, NULL, TOILE_STATUS_INVALID_ARGUMENT},
                 {1, 1, 2, 1.0, 24.0, "a.obj", TOILE_STATUS_UNSUPPORTED},
                 {1, 1, 2, 1.0, 24.0, ".abc", TOILE_STATUS_UNSUPPORTED}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        def = def_default();
        def.up = cases[i].up;
        def.first_frame = cases[i].first;
        def.last_frame = cases[i].last;
        def.unit_m = cases[i].unit;
        def.fps = cases[i].fps;
        def.cache = cases[i].cache;
        ck_assert_int_eq(toile_session_create(&def, &session, &error), cases[i].status);
        ck_assert_ptr_null(session);
        ck_assert_int_gt((int)strlen(error.message), 10);
    }
    def = def_default();
    def.struct_size = 0;
    ck_assert_int_eq(toile_session_create(&def, &session, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_session_create(NULL, &session, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    def = def_default();
    ck_assert_int_eq(toile_session_create(&def, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
}
END_TEST

/* an older caller's struct ends earlier: what it lacks is as before, and nothing beyond is written
 */
START_TEST(session_structs_may_be_shorter) {
    unsigned char bytes[sizeof(ToileSessionDef)];
    ToileSessionDef def;
    ToileSession *session = NULL;
    memset(bytes, 0xAB, sizeof bytes);
    uint32_t size = (uint32_t)offsetof(ToileSessionDef, drag_kg_per_m2_s);
    toile_session_def_init((ToileSessionDef *)(void *)bytes, size);
    for (size_t i = size; i < sizeof bytes; i++)
        ck_assert_int_eq(bytes[i], 0xAB);
    memcpy(&def, bytes, sizeof def);
    ck_assert_uint_eq(def.struct_size, size);
    ck_assert_int_eq(toile_session_create(&def, &session, NULL), TOILE_STATUS_OK);
    toile_session_destroy(session);
}
END_TEST

/* the height that a free sheet 2 cm above a pinned one has lost after 8 frames */
static double fallen(const ToileSessionDef *def) {
    Grid lower = make_grid(), upper = make_grid();
    ToileSessionCloth below = cloth_of(&lower), above = cloth_of(&upper);
    float before[VALUES], after[VALUES];
    for (int32_t v = 0; v < VERTICES; v++)
        lower.weights[v] = 1.0F;
    above.matrix[11] = 0.02;
    above.pin_weights = NULL;
    above.name = "Upper";
    ToileSession *session = create(def);
    add_cloth(session, &below);
    add_cloth(session, &above);
    begin(session);
    ck_assert_int_eq(toile_session_get_positions(session, 1, before, NULL), TOILE_STATUS_OK);
    while (toile_session_frame(session) < LAST)
        step(session);
    ck_assert_int_eq(toile_session_get_positions(session, 1, after, NULL), TOILE_STATUS_OK);
    toile_session_destroy(session);
    return (double)(before[3 * (VERTICES / 2) + 2] - after[3 * (VERTICES / 2) + 2]);
}

/* cloths meet unless the host says otherwise, or is from before it could */
START_TEST(session_cloths_meet_each_other_unless_switched_off) {
    ToileSessionDef def = def_default();
    ck_assert_double_lt(fallen(&def), 0.02);
    def.contact_self = 0;
    ck_assert_double_gt(fallen(&def), 0.1);
    def.contact_self = 1;
    def.struct_size = (uint32_t)offsetof(ToileSessionDef, contact_self);
    ck_assert_double_gt(fallen(&def), 0.1);
}
END_TEST

/* two sheets held across each other; the row where they cross is 4 of 8 */
START_TEST(session_names_the_faces_that_go_through_something) {
    Grid grid = make_grid();
    ToileSessionDef def = def_default();
    ToileSessionCloth cloth = cloth_of(&grid);
    const double upright[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    const ToileStatus wrong = TOILE_STATUS_INVALID_ARGUMENT;
    int32_t faces[FACES], few[2], count = -1, again = -1;
    /* but for the outer rows, they are held */
    for (int32_t v = 0; v < VERTICES; v++)
        grid.weights[v] = v / SIDE == 0 || v / SIDE == SIDE - 1 ? 0.0F : 1.0F;
    ToileSession *session = create(&def);
    add_cloth(session, &cloth);
    set_matrix(cloth.matrix, upright, 0.0, 0.03, 0.0);
    cloth.name = "Upright";
    add_cloth(session, &cloth);
    begin(session);
    step(session);
    for (int32_t index = 0; index < 2; index++) {
        ck_assert_int_eq(
            toile_session_get_intersecting_faces(session, index, faces, FACES, &count, NULL), 0);
        ck_assert_int_ge(count, SIDE - 1);
        for (int32_t i = 0; i < count; i++) {
            ck_assert(i == 0 || faces[i] > faces[i - 1]);
            int32_t row = faces[i] / (SIDE - 1);
            ck_assert(row >= 3 && row <= 5);
        }
        ck_assert_int_eq(toile_session_get_intersecting_faces(session, index, few, 2, &again, NULL),
                         0);
        ck_assert_int_eq(again, count);
        ck_assert_mem_eq(few, faces, sizeof few);
    }
    ck_assert_int_eq(toile_session_get_intersecting_faces(session, 0, NULL, 0, &count, NULL), 0);
    ck_assert_int_eq(toile_session_get_intersecting_faces(session, 2, NULL, 0, &count, NULL),
                     wrong);
    ck_assert_int_eq(toile_session_get_intersecting_faces(session, 0, NULL, 1, &count, NULL),
                     wrong);
    ck_assert_int_eq(toile_session_get_intersecting_faces(session, 0, faces, 1, NULL, NULL), wrong);
    toile_session_destroy(session);
}
END_TEST

static Suite *session_suite(void) {
    Suite *suite = suite_create("session");
    TCase *same = tcase_create("the same as core and io");
    tcase_add_checked_fixture(same, NULL, remove_files);
    tcase_add_test(same, session_equals_a_simulation_bit_for_bit);
    tcase_add_test(same, session_equals_a_scene);
    tcase_add_test(same, session_cloths_meet_each_other_unless_switched_off);
    tcase_add_test(same, session_names_the_faces_that_go_through_something);
    suite_add_tcase(suite, same);
    TCase *caches = tcase_create("caches");
    tcase_add_checked_fixture(caches, NULL, remove_files);
    tcase_add_test(caches, session_archive_equals_positions_z_up);
    tcase_add_test(caches, session_archive_equals_positions_y_up);
    tcase_add_test(caches, session_velocities_are_in_object_space);
    tcase_add_test(caches, session_archive_keeps_faces_and_uvs);
    tcase_add_test(caches, session_pointcache_equals_positions);
    tcase_add_test(caches, session_of_two_cloths_needs_an_archive);
    tcase_add_test(caches, session_cancel_keeps_the_frames);
    tcase_add_test(caches, session_goes_on_after_a_cancel);
    tcase_add_test(caches, session_disk_full_ends_it);
    tcase_add_test(caches, session_disk_full_at_the_end_leaves_nothing);
    tcase_add_test(caches, session_begin_can_be_tried_again);
    tcase_add_test(caches, session_destroyed_anywhere_leaves_nothing);
    tcase_add_test(caches, session_hundred_times_over);
    suite_add_tcase(suite, caches);
    TCase *refusals = tcase_create("refusals");
    tcase_add_test(refusals, session_refuses_calls_out_of_order);
    tcase_add_test(refusals, session_refuses_an_ngon_by_face_and_vertex);
    tcase_add_test(refusals, session_refuses_bad_meshes);
    tcase_add_test(refusals, session_missing_fabric_names_the_nearest);
    tcase_add_test(refusals, session_refuses_bad_definitions);
    tcase_add_test(refusals, session_structs_may_be_shorter);
    suite_add_tcase(suite, refusals);
    return suite;
}

int main(void) {
    return io_run_in_folder(folder, session_suite());
}
