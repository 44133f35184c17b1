/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Joining chunks: what comes out equals a single run in all that the official library can see, and
 * byte for byte; what does not belong together is refused with a sentence. */
#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "support/abc_cloth.h"
#include "support/abc_official.h"
#include "support/abc_unusual.h"
#include "support/run_suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* What is written, and how it departs from the ordinary. */
typedef struct Run {
    int first, last;    /* frames */
    int planned;        /* the clip's last frame; 0: the run's own */
    int still_until;    /* frames up to here do not move */
    double fps;         /* 0: FPS */
    int shutter;        /* 1: three samples a frame */
    int new_faces_from; /* from this frame on the mesh has other faces; 0: never */
    int no_velocities, no_colour, other_uvs, other_place, extra_object;
    const char *application;
} Run;

typedef struct Places {
    abcc_obj body, mesh, cage;
    uint32_t colour, energy;
} Places;

static const int32_t panel[] = {0, 1};

static abcc_time add_time(abcc_writer *writer, const Run *run) {
    double fps = run->fps > 0 ? run->fps : FPS, start = run->first / fps;
    double shutter[3] = {start - 0.25 / fps, start, start + 0.25 / fps};
    abcc_time time = 0;
    if (run->shutter)
        OK(abcc_time_cyclic(writer, 1 / fps, shutter, 3, &time, &abc_error));
    else
        OK(abcc_time_uniform(writer, start, 1 / fps, &time, &abc_error));
    return time;
}

static Places add_objects(abcc_writer *writer, const Run *run) {
    Places places = {0};
    abcc_obj set = 0, other = 0, still = 0;
    double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1};
    abcc_time time = add_time(writer, run);
    OK(abcc_add_xform(writer, 0, "body", time, &places.body, &abc_error));
    OK(abcc_add_mesh(writer, places.body, "bodyShape", time, "UVMap", &places.mesh, &abc_error));
    OK(abcc_add_faceset(writer, places.mesh, "panel", panel, 2, &set, &abc_error));
    OK(abcc_add_xform(writer, 0, "still", 0, &still, &abc_error));
    m[12] += run->other_place;
    OK(abcc_xform_write(writer, still, m, 1, &abc_error));
    OK(abcc_add_subd(writer, still, "cage", time, NULL, &places.cage, &abc_error));
    OK(abcc_add_instance(writer, 0, "copy", places.body, &abc_error));
    if (run->extra_object)
        OK(abcc_add_xform(writer, 0, "extra", 0, &other, &abc_error));
    abcc_param colour = abcc_param_default(), energy = abcc_param_default();
    colour.name = "colour";
    colour.where = ABCC_IN_ARB;
    colour.type = ABCC_F32;
    colour.width = 3;
    colour.scope = ABCC_FACEVARYING;
    colour.meaning = "rgb";
    if (!run->no_colour)
        OK(abcc_param_add(writer, places.mesh, &colour, &places.colour, &abc_error));
    energy.name = "energy";
    energy.where = ABCC_IN_USER;
    energy.type = ABCC_F64;
    energy.width = 1;
    energy.scalar = 1;
    OK(abcc_param_add(writer, places.mesh, &energy, &places.energy, &abc_error));
    return places;
}

static void write_params(abcc_writer *writer, const Run *run, Places places, int number) {
    float colours[3 * CORNERS];
    double energy = number / 3;
    for (int i = 0; i < 3 * CORNERS; i++)
        colours[i] = (float)(i + number / 2);
    if (!run->no_colour)
        OK(abcc_param_write(writer, places.mesh, places.colour, colours,
                            run->new_faces_from ? 6 : CORNERS, NULL, 0, &abc_error));
    OK(abcc_param_write(writer, places.mesh, places.energy, &energy, 1, NULL, 0, &abc_error));
    OK(abcc_visible_write(writer, places.mesh, number < 4, &abc_error));
}

/* Sample `number`, counted from the start of time. */
static void write_sample(abcc_writer *writer, const Run *run, Places places, int number,
                         bool first) {
    AbcGrid grid = abc_grid_make();
    double m[16] = {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    bool faces = first || (run->new_faces_from && number >= run->new_faces_from);
    int moved = number > run->still_until ? number : 0;
    abc_grid_move(&grid, moved);
    m[13] = moved;
    OK(abcc_xform_write(writer, places.body, m, 1, &abc_error));
    write_params(writer, run, places, number);
    abcc_mesh_in in = abc_grid_sample(&grid, faces, !run->no_velocities);
    if (run->new_faces_from && faces) {
        in.faces = 2;
        in.corners = 6;
        if (number % 2)
            in.index = grid.index + 3; /* two other triangles */
    }
    if (run->other_uvs && faces)
        grid.uv[5] = 0.123f;
    OK(abcc_mesh_write(writer, places.mesh, &in, &abc_error));
    in = abc_grid_sample(&grid, first, false);
    OK(abcc_subd_write(writer, places.cage, &in, NULL, &abc_error));
}

static void write_run(const char *name, Run run) {
    abcc_create_info info = abcc_create_info_default();
    abcc_writer *writer = NULL;
    int each = run.shutter ? 3 : 1;
    info.fps = FPS;
    info.application = run.application ? run.application : "Toile test";
    OK(abcc_create(name, &info, &writer, &abc_error));
    Places places = add_objects(writer, &run);
    for (int number = run.first * each; number < (run.last + 1) * each; number++)
        write_sample(writer, &run, places, number, number == run.first * each);
    OK(abcc_property_int(writer, places.mesh, "last_frame", run.last, &abc_error));
    OK(abcc_property_int(writer, places.mesh, "complete",
                         run.last == (run.planned ? run.planned : run.last), &abc_error));
    OK(abcc_finish(writer, &abc_error));
}

/* Chunks of a clip: their first and last frames. */
typedef struct Part {
    int first, last;
} Part;

static char chunk_names[8][320];
static const char *chunk_paths[8];

static void write_parts(const Part *parts, uint32_t count, Run run) {
    for (uint32_t i = 0; i < count; i++) {
        snprintf(chunk_names[i], sizeof chunk_names[i], "%s/chunk%u.abc", abc_folder, i);
        chunk_paths[i] = chunk_names[i];
        run.planned = run.last;
        Run part = run;
        part.first = parts[i].first;
        part.last = parts[i].last;
        write_run(chunk_names[i], part);
    }
}

/* The joined parts equal a single run of all frames, byte for byte unless told otherwise. */
static void assert_joins(const Part *parts, uint32_t count, Run run) {
    char whole[320], text[400] = "";
    size_t size = 0, whole_size = 0;
    snprintf(whole, sizeof whole, "%s/whole.abc", abc_folder);
    abc_files(true);
    write_parts(parts, count, run);
    write_run(whole, run);
    OK(abcc_join(chunk_paths, count, abc_path, NULL, &abc_error));
    ck_assert_msg(abc_official_equal(whole, abc_path, text, sizeof text), "%s", text);
    uint8_t *bytes = abc_load(abc_path, &size), *whole_bytes = abc_load(whole, &whole_size);
    ck_assert_uint_eq(size, whole_size);
    for (size_t i = 0; i < size; i++)
        ck_assert_msg(bytes[i] == whole_bytes[i], "the bytes differ from number %zu on", i);
    free(bytes);
    free(whole_bytes);
    ck_assert_int_eq(abc_read_all(abc_path), ABCC_OK);
    ck_assert_int_eq(abc_files(false), (int)count + 2);
}

START_TEST(two_halves_equal_a_single_run) {
    assert_joins((Part[]){{1, 5}, {6, 10}}, 2, (Run){.first = 1, .last = 10});
}
END_TEST

START_TEST(single_frames_in_any_order_equal_a_single_run) {
    assert_joins((Part[]){{4, 4}, {1, 1}, {2, 3}, {5, 9}}, 4, (Run){.first = 1, .last = 9});
    assert_joins((Part[]){{3, 3}, {1, 1}, {2, 2}}, 3, (Run){.first = 1, .last = 3});
}
END_TEST

START_TEST(overlapping_chunks_equal_a_single_run) {
    assert_joins((Part[]){{1, 6}, {4, 8}, {2, 3}, {8, 10}}, 4, (Run){.first = 1, .last = 10});
}
END_TEST

START_TEST(one_chunk_is_copied) {
    assert_joins((Part[]){{1, 4}}, 1, (Run){.first = 1, .last = 4});
}
END_TEST

START_TEST(what_rests_in_one_chunk_and_moves_in_another_is_animated) {
    assert_joins((Part[]){{1, 4}, {5, 8}}, 2, (Run){.first = 1, .last = 8, .still_until = 4});
    assert_joins((Part[]){{1, 4}, {5, 8}}, 2, (Run){.first = 1, .last = 8, .still_until = 99});
}
END_TEST

START_TEST(shutter_samples_equal_a_single_run) {
    assert_joins((Part[]){{3, 5}, {1, 2}}, 2, (Run){.first = 1, .last = 5, .shutter = 1});
}
END_TEST

START_TEST(changing_faces_equal_a_single_run) {
    assert_joins((Part[]){{1, 3}, {4, 8}}, 2, (Run){.first = 1, .last = 8, .new_faces_from = 1});
}
END_TEST

START_TEST(cache_of_bare_meshes_equals_a_single_run) {
    assert_joins((Part[]){{1, 3}, {4, 8}}, 2,
                 (Run){.first = 1, .last = 8, .no_velocities = 1, .no_colour = 1});
}
END_TEST

START_TEST(info_replaces_what_the_chunks_say) {
    abcc_create_info info = abcc_create_info_default();
    abcc_info found = abcc_info_default();
    info.fps = 25;
    info.application = "Joiner";
    write_parts((Part[]){{1, 3}, {4, 8}}, 2, (Run){.first = 1, .last = 8});
    OK(abcc_join(chunk_paths, 2, abc_path, &info, &abc_error));
    abcc_reader *reader = abc_open(abc_path, 0);
    OK(abcc_info_get(reader, &found, &abc_error));
    ck_assert_str_eq(found.application, "Joiner");
    ck_assert(found.fps == 25);
    abcc_close(reader);
}
END_TEST

/* ---- what is refused ---- */

/* Joins frames 1 to 3 with another chunk. */
static abcc_status join_with(Run other) {
    write_parts((Part[]){{1, 3}}, 1, (Run){.first = 1, .last = 3});
    snprintf(chunk_names[1], sizeof chunk_names[1], "%s/other.abc", abc_folder);
    chunk_paths[1] = chunk_names[1];
    write_run(chunk_names[1], other);
    return abcc_join(chunk_paths, 2, abc_path, NULL, &abc_error);
}

START_TEST(chunks_that_do_not_fit_are_refused) {
    const struct {
        const char *sentence;
        Run run;
    } cases[] = {
        {"begins 2 samples after the end of", {.first = 6, .last = 8}},
        {"other steps", {.first = 4, .last = 8, .fps = 25}},
        {"other steps", {.first = 4, .last = 8, .shutter = 1}},
        {"lacks a property", {.first = 4, .last = 8, .no_velocities = 1}},
        {"lacks a property", {.first = 4, .last = 8, .no_colour = 1}},
        {"has an object '/extra'", {.first = 4, .last = 8, .extra_object = 1}},
        {"'/still' differs from the other chunks, though it does not change",
         {.first = 4, .last = 8, .other_place = 1}},
        {"'/body' differs from the other chunks at 0.125 s",
         {.first = 3, .last = 8, .still_until = 99}},
        {"uv .vals differs from the other chunks at 0.125 s",
         {.first = 3, .last = 8, .other_uvs = 1}},
        {"who wrote them", {.first = 4, .last = 8, .application = "Other"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        REFUSED(ABCC_E_ARG, cases[i].sentence, join_with(cases[i].run));
        ck_assert(!abc_exists(abc_path));
        ck_assert_int_eq(abc_files(false), 2);
    }
}
END_TEST

START_TEST(refused_join_keeps_the_older_file) {
    size_t size = 0;
    abc_save(abc_path, "old", 3);
    REFUSED(ABCC_E_ARG, "lacks a property",
            join_with((Run){.first = 4, .last = 8, .no_velocities = 1}));
    uint8_t *bytes = abc_load(abc_path, &size);
    ck_assert(size == 3 && memcmp(bytes, "old", 3) == 0);
    free(bytes);
    ck_assert_int_eq(abc_files(false), 3);
}
END_TEST

START_TEST(full_disk_during_a_join_keeps_the_older_file) {
    struct rlimit before, small;
    size_t size = 0;
    write_parts((Part[]){{1, 3}, {4, 8}}, 2, (Run){.first = 1, .last = 8});
    abc_save(abc_path, "old", 3);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1 << 12;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    abcc_status status = abcc_join(chunk_paths, 2, abc_path, NULL, &abc_error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    ck_assert_msg(status == ABCC_E_IO && strstr(abc_error.text, "writing failed") != NULL, "%s",
                  abc_error.text);
    uint8_t *bytes = abc_load(abc_path, &size);
    ck_assert(size == 3 && memcmp(bytes, "old", 3) == 0);
    free(bytes);
    ck_assert_int_eq(abc_files(false), 3);
}
END_TEST

START_TEST(bad_calls_and_files_are_refused) {
    const char *missing[] = {"/nowhere/at/all.abc"}, *null[] = {NULL};
    REFUSED(ABCC_E_ARG, "no chunks", abcc_join(missing, 0, abc_path, NULL, &abc_error));
    REFUSED(ABCC_E_ARG, "NULL", abcc_join(NULL, 1, abc_path, NULL, &abc_error));
    REFUSED(ABCC_E_ARG, "NULL", abcc_join(null, 1, abc_path, NULL, &abc_error));
    REFUSED(ABCC_E_OPEN, "no such file", abcc_join(missing, 1, abc_path, NULL, &abc_error));
    write_parts((Part[]){{1, 3}}, 1, (Run){.first = 1, .last = 3});
    REFUSED(ABCC_E_ARG, "both a chunk",
            abcc_join(chunk_paths, 1, chunk_paths[0], NULL, &abc_error));
    size_t size = 0;
    uint8_t *bytes = abc_load(chunk_paths[0], &size);
    abc_save(chunk_paths[0], bytes, size / 2);
    free(bytes);
    ck_assert_int_ne(abcc_join(chunk_paths, 1, abc_path, NULL, &abc_error), ABCC_OK);
    ck_assert_msg(strstr(abc_error.text, "chunk0.abc") != NULL, "%s", abc_error.text);
    ck_assert(!abc_exists(abc_path));
}
END_TEST

START_TEST(chunk_that_claims_more_than_its_size_allows_is_refused) {
    snprintf(chunk_names[0], sizeof chunk_names[0], "%s/claims.abc", abc_folder);
    chunk_paths[0] = chunk_names[0];
    for (int kind = 0; kind < abc_unusual_count(); kind++)
        if (strcmp(abc_unusual_name(kind), "claims") == 0)
            ck_assert(abc_unusual_write(kind, chunk_names[0]));
    REFUSED(ABCC_E_LIMIT, "claims far more samples",
            abcc_join(chunk_paths, 1, abc_path, NULL, &abc_error));
    ck_assert(!abc_exists(abc_path));
    ck_assert(abc_unusual_share(1000, chunk_names[0]));
    REFUSED(ABCC_E_LIMIT, "claims far more parameters",
            abcc_join(chunk_paths, 1, abc_path, NULL, &abc_error));
    ck_assert(abc_unusual_share(10, chunk_names[0]));
    OK(abcc_join(chunk_paths, 1, abc_path, NULL, &abc_error));
}
END_TEST

/* A step of xorshift, so that the same seed always gives the same file. */
static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* The first chunk with a few bytes changed, joined and passed through: anything may be said of it,
 * but no harm may come of it. */
START_TEST(damaged_chunks_do_no_harm) {
    enum { ROUNDS = 300 };
    size_t size = 0;
    uint32_t state = 2026, refused = 0;
    write_parts((Part[]){{1, 2}, {3, 4}}, 2, (Run){.first = 1, .last = 4});
    uint8_t *bytes = abc_load(chunk_paths[0], &size), *damaged = malloc(size);
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(damaged, bytes, size);
        for (uint32_t i = 0; i <= next_random(&state) % 3; i++)
            damaged[8 + next_random(&state) % (size - 8)] = (uint8_t)next_random(&state);
        abc_save(chunk_paths[0], damaged, size);
        refused += abcc_join(chunk_paths, 2, abc_path, NULL, &abc_error) != ABCC_OK;
        abcc_reader *reader = NULL;
        abcc_obj mesh = 0, source = 0;
        if (abcc_open(chunk_paths[0], 0, NULL, &reader, NULL) != ABCC_OK)
            continue;
        abcc_writer *writer = abc_begin_cloth(abc_path, 0, &mesh);
        if (abcc_find(reader, "/body/bodyShape", &source, NULL) == ABCC_OK &&
            abcc_params_copy(reader, source, 0, 0, writer, mesh, &abc_error) == ABCC_OK) {
            AbcGrid grid = abc_grid_make();
            abcc_mesh_in in = abc_grid_sample(&grid, true, true);
            abcc_mesh_write(writer, mesh, &in, &abc_error);
        }
        abcc_finish(writer, &abc_error);
        abcc_close(reader);
    }
    ck_assert_uint_gt(refused, ROUNDS / 4);
    ck_assert_uint_lt(refused, ROUNDS);
    free(bytes);
    free(damaged);
}
END_TEST

/* ---- the suite ---- */

int main(void) {
    Suite *suite = suite_create("abc_join");
    TCase *tests = abc_case(suite, "joining");
    tcase_add_test(tests, two_halves_equal_a_single_run);
    tcase_add_test(tests, single_frames_in_any_order_equal_a_single_run);
    tcase_add_test(tests, overlapping_chunks_equal_a_single_run);
    tcase_add_test(tests, one_chunk_is_copied);
    tcase_add_test(tests, what_rests_in_one_chunk_and_moves_in_another_is_animated);
    tcase_add_test(tests, shutter_samples_equal_a_single_run);
    tcase_add_test(tests, changing_faces_equal_a_single_run);
    tcase_add_test(tests, cache_of_bare_meshes_equals_a_single_run);
    tcase_add_test(tests, info_replaces_what_the_chunks_say);
    tcase_add_test(tests, chunks_that_do_not_fit_are_refused);
    tcase_add_test(tests, refused_join_keeps_the_older_file);
    tcase_add_test(tests, full_disk_during_a_join_keeps_the_older_file);
    tcase_add_test(tests, bad_calls_and_files_are_refused);
    tcase_add_test(tests, chunk_that_claims_more_than_its_size_allows_is_refused);
    tcase_add_test(tests, damaged_chunks_do_no_harm);
    return run_suite(suite);
}
