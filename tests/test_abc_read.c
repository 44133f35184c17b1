/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Reading Alembic files of any origin: cut, changed and hostile ones do no harm, those of the
 * shared collection are understood, the official tools understand ours.
 *
 * TOILE_ALEMBIC_ROOT names the folder of the official tools, TOILE_SHARED that of the shared test
 * archives (its data/abc is read); cases that need one are left out with a note when it is unset.
 */
#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "support/abc_cloth.h"
#include "support/run_suite.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- bad files ---- */

START_TEST(other_files_are_told_apart) {
    abcc_reader *reader = NULL;
    REFUSED(ABCC_E_OPEN, "no such file", abcc_open(abc_path, 0, NULL, &reader, &abc_error));
    REFUSED(ABCC_E_OPEN, "is a folder", abcc_open(abc_folder, 0, NULL, &reader, &abc_error));
    abc_save(abc_path, "", 0);
    REFUSED(ABCC_E_NOT_ALEMBIC, "not an Alembic",
            abcc_open(abc_path, 0, NULL, &reader, &abc_error));
    abc_save(abc_path, "o cube\nv 0 0 0\nv 1 0 0\n", 23);
    REFUSED(ABCC_E_NOT_ALEMBIC, "not an Alembic",
            abcc_open(abc_path, 0, NULL, &reader, &abc_error));
    abc_save(abc_path, "\x89HDF\r\n\x1a\n-----------", 19);
    REFUSED(ABCC_E_HDF5, "HDF5", abcc_open(abc_path, 0, NULL, &reader, &abc_error));
    abc_save(abc_path, "Ogawa\0\0\1\0\0\0\0\0\0\0\0", 16);
    REFUSED(ABCC_E_UNFINISHED, "stopped", abcc_open(abc_path, 0, NULL, &reader, &abc_error));
    ck_assert_ptr_null(reader);
}
END_TEST

START_TEST(file_cut_at_any_length_is_refused) {
    size_t size = 0;
    abcc_reader *reader = NULL;
    abc_write_cloth(abc_path, 0);
    free(abc_load(abc_path, &size));
    for (size_t length = size; length-- > 0;) {
        ck_assert_int_eq(truncate(abc_path, (off_t)length), 0);
        abcc_status status = abcc_open(abc_path, 0, NULL, &reader, &abc_error);
        ck_assert_msg(status != ABCC_OK, "cut at %zu of %zu bytes it was opened", length, size);
        ck_assert_ptr_null(reader);
        ck_assert(abc_error.text[0] != '\0' && strlen(abc_error.text) < sizeof abc_error.text);
    }
}
END_TEST

/* A small deterministic generator; the seed is printed with each failure by the case's number. */
static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

START_TEST(changed_bytes_do_no_harm) {
    size_t size = 0;
    uint32_t state = 1u + (uint32_t)_i;
    int refused = 0;
    abc_write_cloth(abc_path, 0);
    uint8_t *bytes = abc_load(abc_path, &size), *copy = malloc(size);
    ck_assert_ptr_nonnull(copy);
    for (int round = 0; round < 300; round++) {
        memcpy(copy, bytes, size);
        for (uint32_t i = next_random(&state) % 4 + 1; i > 0; i--) {
            static const uint8_t likely[6] = {0, 1, 0x7f, 0x80, 0xff, 16};
            size_t at = next_random(&state) % size;
            if (next_random(&state) % 2) /* headers stand at the end */
                at = size - 1 - next_random(&state) % (size / 3);
            copy[at] = next_random(&state) % 2 ? likely[next_random(&state) % 6]
                                               : (uint8_t)next_random(&state);
        }
        abc_save(abc_path, copy, size);
        refused += abc_read_all(abc_path) != ABCC_OK;
    }
    ck_assert_int_gt(refused, 0);
    free(bytes);
    free(copy);
}
END_TEST

START_TEST(limits_are_kept) {
    abcc_reader *reader = NULL;
    abcc_limits limits = abcc_limits_default();
    abc_write_cloth(abc_path, 0);
    limits.max_objects = 2;
    REFUSED(ABCC_E_LIMIT, "more objects", abcc_open(abc_path, 0, &limits, &reader, &abc_error));
    limits = abcc_limits_default();
    limits.max_depth = 2;
    REFUSED(ABCC_E_LIMIT, "deeper", abcc_open(abc_path, 0, &limits, &reader, &abc_error));
    limits = abcc_limits_default();
    limits.max_sample_bytes = 100;
    REFUSED(ABCC_E_LIMIT, "larger", abcc_open(abc_path, 0, &limits, &reader, &abc_error));
    limits.struct_size = 0;
    REFUSED(ABCC_E_ARG, "not initialised", abcc_open(abc_path, 0, &limits, &reader, &abc_error));
}
END_TEST

START_TEST(file_cut_while_open_is_an_error_not_a_crash) {
    abc_write_cloth(abc_path, 0);
    abcc_reader *reader = abc_open(abc_path, 0);
    abcc_obj mesh = abc_find(reader, "/cloth/clothShape");
    ck_assert_int_eq(truncate(abc_path, 100), 0);
    for (uint32_t k = 0; k < FRAMES; k++)
        REFUSED(ABCC_E_IO, "cut while", abc_read_mesh(reader, mesh, k));
    abcc_close(reader);
}
END_TEST

START_TEST(too_small_buffers_are_refused) {
    AbcGrid grid;
    abc_write_cloth(abc_path, 0);
    abcc_reader *reader = abc_open(abc_path, 0);
    abcc_obj mesh = abc_find(reader, "/cloth/clothShape");
    abcc_mesh_out out = abc_grid_room(&grid);
    out.cap_verts--;
    REFUSED(ABCC_E_ARG, "vertices", abcc_mesh_read(reader, mesh, 0, &out, &abc_error));
    out = abc_grid_room(&grid);
    out.cap_corners--;
    REFUSED(ABCC_E_ARG, "corners", abcc_mesh_read(reader, mesh, 0, &out, &abc_error));
    out = abc_grid_room(&grid);
    REFUSED(ABCC_E_ARG, "not a mesh",
            abcc_mesh_read(reader, abc_find(reader, "/cloth"), 0, &out, &abc_error));
    REFUSED(ABCC_E_ARG, "samples", abcc_mesh_read(reader, mesh, FRAMES, &out, &abc_error));
    abcc_close(reader);
}
END_TEST

/* ---- threads ---- */

static void *read_frames(void *user) {
    AbcGrid wanted = abc_grid_make(), found;
    abcc_obj mesh = 0;
    size_t wrong = 0;
    abcc_find(user, "/cloth/clothShape", &mesh, NULL);
    for (int round = 0; round < 50; round++) {
        abcc_mesh_out out = abc_grid_room(&found);
        uint32_t count = 0;
        int frame = round % FRAMES;
        abc_grid_move(&wanted, frame);
        wrong += abcc_mesh_read(user, mesh, (uint32_t)frame, &out, NULL) != ABCC_OK ||
                 memcmp(&found, &wanted, sizeof found) != 0;
        wrong += abcc_param_count(user, mesh, &count, NULL) != ABCC_OK || count != 3;
    }
    return (void *)wrong;
}

START_TEST(many_threads_read_one_file) {
    pthread_t threads[4];
    abc_write_cloth(abc_path, 0);
    abcc_reader *reader = abc_open(abc_path, 0);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, read_frames, reader), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong = NULL;
        ck_assert_int_eq(pthread_join(threads[i], &wrong), 0);
        ck_assert_ptr_null(wrong);
    }
    abcc_close(reader);
}
END_TEST

/* ---- the official tools ---- */

/* Output of one of the official tools on `path`; false when they are not there. */
static bool run_tool(const char *tool, const char *options, char *text, size_t size) {
    const char *root = getenv("TOILE_ALEMBIC_ROOT");
    char command[1500];
    if (!root || !*root) {
        printf("note: %s left out: TOILE_ALEMBIC_ROOT is not set\n", tool);
        return false;
    }
    snprintf(command, sizeof command, "'%s/bin/%s' %s '%s' 2>&1", root, tool, options, abc_path);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    size_t length = fread(text, 1, size - 1, pipe);
    text[length] = '\0';
    ck_assert_msg(pclose(pipe) == 0, "%s failed: %s", command, text);
    return true;
}

static void assert_contains(const char *text, const char *part) {
    ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in:\n%s", part, text);
}

START_TEST(official_tools_list_what_was_written) {
    static char text[20000];
    abc_write_cloth(abc_path, 0);
    if (!run_tool("abcecho", "", text, sizeof text))
        return;
    assert_contains(text, "file written by: Toile test");
    assert_contains(text, "Object name=/cloth\n");
    assert_contains(text, "Object name=/cloth/clothShape\n");
    assert_contains(text, "name=P;interpretation=point;datatype=float32_t[3];arraysize=20;"
                          "numsamps=6");
    assert_contains(text, "name=.velocities;interpretation=vector;datatype=float32_t[3];"
                          "arraysize=20;numsamps=6");
    assert_contains(text, "name=.faceCounts;interpretation=;datatype=int32_t;arraysize=13;"
                          "numsamps=6");
    assert_contains(text, "name=.indices;interpretation=;datatype=uint32_t;arraysize=50;"
                          "numsamps=6");
    assert_contains(text, "name=complete;");
    assert_contains(text, "name=.childBnds;interpretation=box;datatype=float64_t[6];arraysize=6;"
                          "numsamps=6");
}
END_TEST

START_TEST(official_tools_find_the_archives_bounds) {
    static char text[20000];
    abc_write_shifted();
    if (!run_tool("abcechobounds", "", text, sizeof text))
        return;
    assert_contains(text, "/ (100.1 0 0) (104.1 3 ");
}
END_TEST

/* ---- the shared archives ---- */

START_TEST(every_shared_archive_is_listed_or_refused) {
    DIR *listing = abc_shared_folder() ? opendir(abc_shared_folder()) : NULL;
    char name[1400];
    int listed = 0, hostile = 0;
    if (!abc_shared_file("the shared archives") || !listing)
        return;
    for (struct dirent *entry = readdir(listing); entry; entry = readdir(listing)) {
        abcc_reader *reader = NULL;
        if (!strstr(entry->d_name, ".abc"))
            continue;
        snprintf(name, sizeof name, "%s/%s", abc_shared_folder(), entry->d_name);
        if (strncmp(entry->d_name, "hostile", 7) == 0) {
            REFUSED(ABCC_E_CORRUPT, "'/a/loop'", abcc_open(name, 0, NULL, &reader, &abc_error));
            hostile++;
            continue;
        }
        OK(abcc_open(name, 0, NULL, &reader, &abc_error));
        abcc_close(reader);
        abcc_status status = abc_read_all(name);
        ck_assert_int_eq(status,
                         strcmp(entry->d_name, "degenerate.abc") ? ABCC_OK : ABCC_E_CORRUPT);
        listed++;
    }
    closedir(listing);
    ck_assert_int_ge(listed, 17);
    ck_assert_int_ge(hostile, 2);
}
END_TEST

START_TEST(shared_degenerate_objects_are_refused_one_by_one) {
    static const char *const wrong[6] = {"/indexOutOfRange",   "/countsDoNotSum",
                                         "/negativeCount",     "/uvTooShort",
                                         "/uvIndexOutOfRange", "/velocitiesTooShort"};
    const char *name = abc_shared_file("degenerate");
    if (!name)
        return;
    abcc_reader *reader = abc_open(name, 0);
    for (int i = 0; i < 6; i++)
        REFUSED(ABCC_E_CORRUPT, wrong[i], abc_read_mesh(reader, abc_find(reader, wrong[i]), 0));
    abcc_close(reader);
}
END_TEST

START_TEST(shared_instances_show_their_source) {
    const char *name = abc_shared_file("instanced");
    if (!name)
        return;
    abcc_reader *reader = abc_open(name, 0);
    abcc_obj source = abc_find(reader, "/source/shape");
    for (int i = 0; i < 3; i++) {
        char instance[32];
        double m[16];
        abcc_object object = abcc_object_default();
        snprintf(instance, sizeof instance, "/copy%d/inst", i);
        OK(abcc_object_get(reader, abc_find(reader, instance), &object, &abc_error));
        ck_assert(object.kind == ABCC_MESH && object.instance_of == source);
        ck_assert_str_eq(object.name, "inst");
        OK(abcc_world(reader, abc_find(reader, instance), 0, m, NULL, NULL, &abc_error));
        ck_assert(m[12] == 3.0 * i);
        ck_assert_int_eq(abc_read_mesh(reader, abc_find(reader, instance), 0), ABCC_OK);
    }
    abcc_close(reader);
}
END_TEST

START_TEST(shared_transforms_inherit_mirror_and_hide) {
    const char *name = abc_shared_file("nested_xforms");
    double m[16];
    int visible = 0, flips = 0;
    if (!name)
        return;
    abcc_reader *reader = abc_open(name, 0);
    OK(abcc_world(reader, abc_find(reader, "/root/mid/noInherit/cubeA"), 0, m, &visible, &flips,
                  &abc_error));
    ck_assert_int_eq(flips, 0);
    OK(abcc_world(reader, abc_find(reader, "/root/mid/sheared/cubeB"), 0, m, &visible, &flips,
                  &abc_error));
    ck_assert_int_eq(flips, 1);
    OK(abcc_world(reader, abc_find(reader, "/root/mid/emptyXform"), 0, m, &visible, &flips,
                  &abc_error));
    ck_assert_int_eq(flips, 1);
    abcc_close(reader);
}
END_TEST

START_TEST(shared_times_of_every_kind_are_found) {
    static const char *const files[3] = {"acyclic", "shutter_cyclic", "half_frames"};
    for (int i = 0; i < 3; i++) {
        const char *name = abc_shared_file(files[i]);
        abcc_object object = abcc_object_default();
        double before = -1e300, seconds = 0, weight = 0;
        uint32_t lower = 0, upper = 0;
        if (!name)
            return;
        abcc_reader *reader = abc_open(name, 0);
        OK(abcc_object_get(reader, 1, &object, &abc_error));
        for (uint32_t k = 0; k < object.samples; k++, before = seconds) {
            OK(abcc_sample_time(reader, 1, k, &seconds, &abc_error));
            ck_assert(seconds > before);
            OK(abcc_sample_at(reader, 1, seconds, &lower, &upper, &weight, &abc_error));
            ck_assert(lower == k && upper == k && weight == 0.0);
            if (k == 0)
                continue;
            OK(abcc_sample_at(reader, 1, (before + seconds) / 2, &lower, &upper, &weight,
                              &abc_error));
            ck_assert(lower == k - 1 && upper == k && fabs(weight - 0.5) < 1e-6);
        }
        abcc_close(reader);
    }
}
END_TEST

START_TEST(shared_changed_order_changes_the_key) {
    const char *name = abc_shared_file("same_count_new_order");
    abcc_mesh_sizes a = abcc_mesh_sizes_default(), b = abcc_mesh_sizes_default();
    if (!name)
        return;
    abcc_reader *reader = abc_open(name, 0);
    OK(abcc_mesh_size(reader, 1, 0, &a, &abc_error));
    OK(abcc_mesh_size(reader, 1, 1, &b, &abc_error));
    ck_assert(a.corners == b.corners && memcmp(a.topology_key, b.topology_key, 16) != 0);
    ck_assert_int_eq(a.topology, ABCC_TOPO_CHANGING);
    OK(abcc_mesh_size(reader, 1, 2, &b, &abc_error));
    ck_assert_mem_eq(a.topology_key, b.topology_key, 16);
    abcc_close(reader);
}
END_TEST

START_TEST(shared_uvs_per_vertex_reach_every_corner) {
    static const char *const meshes[2] = {"/vertexUV", "/varyingUV"};
    const char *name = abc_shared_file("vertex_and_varying_uvs");
    if (!name)
        return;
    abcc_reader *reader = abc_open(name, 0);
    for (int i = 0; i < 2; i++) {
        int32_t index[36];
        uint32_t uv_index[36];
        abcc_mesh_out out = abcc_mesh_out_default();
        out.cap_corners = 36;
        out.index = index;
        out.uv_index = uv_index;
        OK(abcc_mesh_read(reader, abc_find(reader, meshes[i]), 0, &out, &abc_error));
        for (int c = 0; c < 36; c++)
            ck_assert_int_eq(index[c], (int32_t)uv_index[c]);
    }
    abcc_close(reader);
}
END_TEST

/* ---- the suite ---- */

static void add_any(Suite *suite) {
    TCase *tests = abc_case(suite, "any file");
    tcase_add_test(tests, other_files_are_told_apart);
    tcase_add_test(tests, file_cut_at_any_length_is_refused);
    tcase_add_loop_test(tests, changed_bytes_do_no_harm, 0, 10);
    tcase_add_test(tests, limits_are_kept);
    tcase_add_test(tests, file_cut_while_open_is_an_error_not_a_crash);
    tcase_add_test(tests, too_small_buffers_are_refused);
    tcase_add_test(tests, many_threads_read_one_file);
}

static void add_foreign(Suite *suite) {
    TCase *tests = abc_case(suite, "other programs");
    tcase_add_test(tests, official_tools_list_what_was_written);
    tcase_add_test(tests, official_tools_find_the_archives_bounds);
    tcase_add_test(tests, every_shared_archive_is_listed_or_refused);
    tcase_add_test(tests, shared_degenerate_objects_are_refused_one_by_one);
    tcase_add_test(tests, shared_instances_show_their_source);
    tcase_add_test(tests, shared_transforms_inherit_mirror_and_hide);
    tcase_add_test(tests, shared_times_of_every_kind_are_found);
    tcase_add_test(tests, shared_changed_order_changes_the_key);
    tcase_add_test(tests, shared_uvs_per_vertex_reach_every_corner);
}

int main(void) {
    Suite *suite = suite_create("abc_read");
    add_any(suite);
    add_foreign(suite);
    return run_suite(suite);
}
