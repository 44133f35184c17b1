/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* PC2 and MDD files byte by byte, read back, cut short and spoilt. */
#define _POSIX_C_SOURCE 200809L

#include "support/io_files.h"
#include "toile_io/pointcache.h"

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POINTS 3
#define SAMPLES 4
#define HEADER 32
#define FILE_SIZE (HEADER + 12 * POINTS * SAMPLES)
#define MDD_SIZE (8 + 4 * SAMPLES + 12 * POINTS * SAMPLES)

static char folder[] = "/tmp/toile-pointcache.XXXXXX";

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

static float value(int32_t sample, int32_t i) {
    return 0.1F * (float)sample - 0.7F * (float)i;
}

static ToileStatus begin(const char *path, int32_t points, double first, double step,
                         ToilePointCacheWriter **writer, ToileError *error) {
    ToilePointCacheDef def = toile_pointcache_def_default();
    def.point_count = points;
    def.sample_count = SAMPLES;
    def.first_frame = first;
    def.frame_step = step;
    return toile_pointcache_create(path, &def, writer, error);
}

static void write_file(const char *path, int32_t samples) {
    ToilePointCacheWriter *writer = NULL;
    ToileError error = toile_error_default();
    ToileStatus status = begin(path, POINTS, -2.0, 0.5, &writer, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    for (int32_t s = 0; s < samples; s++) {
        float positions[3 * POINTS];
        for (int32_t i = 0; i < 3 * POINTS; i++)
            positions[i] = value(s, i);
        ck_assert_int_eq(toile_pointcache_add(writer, positions, &error), TOILE_STATUS_OK);
    }
    ck_assert_int_eq(toile_pointcache_finish(writer, &error), TOILE_STATUS_OK);
}

static size_t read_bytes(const char *path, unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t length = fread(bytes, 1, size, file);
    fclose(file);
    return length;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static ToilePointCacheInfo info_default(void) {
    ToilePointCacheInfo info = {0};
    info.struct_size = (uint32_t)sizeof info;
    return info;
}

START_TEST(pointcache_bytes_are_those_of_the_format) {
    /* version 1, 3 points, start -2, step 0.5, 4 samples */
    const unsigned char expected[HEADER] = {'P', 'O',  'I', 'N', 'T', 'C',  'A', 'C', 'H', 'E', '2',
                                            0,   1,    0,   0,   0,   3,    0,   0,   0,   0,   0,
                                            0,   0xC0, 0,   0,   0,   0x3F, 4,   0,   0,   0};
    unsigned char bytes[FILE_SIZE + 1];
    write_file("a.pc2", SAMPLES);
    ck_assert_uint_eq(read_bytes("a.pc2", bytes, sizeof bytes), FILE_SIZE);
    ck_assert_mem_eq(bytes, expected, HEADER);
    for (int32_t i = 0; i < 3 * POINTS * SAMPLES; i++) {
        const unsigned char *at = bytes + HEADER + 4 * (size_t)i;
        uint32_t word =
            at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        float found;
        memcpy(&found, &word, sizeof found);
        ck_assert(found == value(i / (3 * POINTS), i % (3 * POINTS)));
    }
    ck_assert_int_eq(files_here(), 1);
}
END_TEST

START_TEST(pointcache_reads_back_in_any_order) {
    ToilePointCacheInfo info = info_default();
    ToilePointCacheReader *reader = NULL;
    float positions[3 * POINTS];
    write_file("a.pc2", SAMPLES);
    ck_assert_int_eq(toile_pointcache_open("a.pc2", &info, &reader, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(info.point_count, POINTS);
    ck_assert_int_eq(info.sample_count, SAMPLES);
    ck_assert_double_eq(info.first, -2.0);
    ck_assert_double_eq(info.step, 0.5);
    for (int32_t s = SAMPLES - 1; s >= 0; s--) {
        ck_assert_int_eq(toile_pointcache_read(reader, s, positions, NULL), TOILE_STATUS_OK);
        for (int32_t i = 0; i < 3 * POINTS; i++)
            ck_assert(positions[i] == value(s, i));
    }
    ck_assert_int_eq(toile_pointcache_read(reader, SAMPLES, positions, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_pointcache_read(reader, -1, positions, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    toile_pointcache_close(reader);
}
END_TEST

START_TEST(pointcache_of_many_points_crosses_chunks) {
    const int32_t points = 5000;
    ToilePointCacheWriter *writer = NULL;
    ToilePointCacheReader *reader = NULL;
    ToilePointCacheInfo info = info_default();
    float *in = malloc(3 * (size_t)points * sizeof *in);
    float *out = malloc(3 * (size_t)points * sizeof *out);
    ck_assert(in && out);
    ck_assert_int_eq(begin("a.pc2", points, 1, 1, &writer, NULL), 0);
    for (int32_t s = 0; s < 2; s++) {
        for (int32_t i = 0; i < 3 * points; i++)
            in[i] = (float)(i + s);
        ck_assert_int_eq(toile_pointcache_add(writer, in, NULL), TOILE_STATUS_OK);
    }
    ck_assert_int_eq(toile_pointcache_finish(writer, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_pointcache_open("a.pc2", &info, &reader, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_pointcache_read(reader, 1, out, NULL), TOILE_STATUS_OK);
    ck_assert_mem_eq(in, out, 3 * (size_t)points * sizeof *in);
    toile_pointcache_close(reader);
    free(in);
    free(out);
}
END_TEST

START_TEST(pointcache_abandoned_leaves_the_old_file) {
    unsigned char before[FILE_SIZE], after[FILE_SIZE + 1];
    ToilePointCacheWriter *writer = NULL;
    const float positions[3 * POINTS] = {0};
    write_file("a.pc2", SAMPLES);
    read_bytes("a.pc2", before, sizeof before);
    ck_assert_int_eq(begin("a.pc2", POINTS, 1, 1, &writer, NULL), 0);
    ck_assert_int_eq(toile_pointcache_add(writer, positions, NULL), 0);
    toile_pointcache_abandon(writer);
    toile_pointcache_abandon(NULL);
    ck_assert_int_eq(files_here(), 1);
    ck_assert_uint_eq(read_bytes("a.pc2", after, sizeof after), FILE_SIZE);
    ck_assert_mem_eq(before, after, FILE_SIZE);
}
END_TEST

START_TEST(pointcache_refuses_what_it_cannot_write) {
    ToilePointCacheWriter *writer = NULL;
    ToileError error = toile_error_default();
    float positions[3 * POINTS] = {0};
    ck_assert_int_eq(begin("no/such/folder/a.pc2", 1, 1, 1, &writer, &error),
                     TOILE_STATUS_CANNOT_CREATE);
    ck_assert_ptr_null(writer);
    ck_assert_int_eq(begin("a.pc2", 0, 1, 1, &writer, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(begin("a.pc2", 1, 1, 0, &writer, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(begin("a.pc2", POINTS, 1, 1, &writer, &error), 0);
    positions[4] = NAN;
    ck_assert_int_eq(toile_pointcache_add(writer, positions, &error), TOILE_STATUS_INVALID_DATA);
    ck_assert_ptr_nonnull(strstr(error.message, "Point 1 "));
    /* the sample that was refused is not in the file */
    positions[4] = 0.0F;
    ck_assert_int_eq(toile_pointcache_add(writer, positions, &error), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_pointcache_finish(writer, &error), TOILE_STATUS_OK);
    unsigned char bytes[FILE_SIZE];
    ck_assert_uint_eq(read_bytes("a.pc2", bytes, sizeof bytes), HEADER + 12 * POINTS);
    ck_assert_int_eq(bytes[28], 1);
}
END_TEST

/* a file cut anywhere is refused, except that one longer than promised is fine */
START_TEST(pointcache_refuses_a_file_cut_anywhere) {
    unsigned char bytes[FILE_SIZE + 5] = {0};
    write_file("a.pc2", SAMPLES);
    read_bytes("a.pc2", bytes, FILE_SIZE);
    for (size_t length = 0; length <= FILE_SIZE + 5; length++) {
        ToilePointCacheInfo info = info_default();
        ToilePointCacheReader *reader = NULL;
        ToileError error = toile_error_default();
        write_bytes("cut.pc2", bytes, length);
        ToileStatus status = toile_pointcache_open("cut.pc2", &info, &reader, &error);
        if (length >= FILE_SIZE) {
            ck_assert_int_eq(status, TOILE_STATUS_OK);
        } else {
            ck_assert_int_eq(status, TOILE_STATUS_INVALID_DATA);
            ck_assert_ptr_null(reader);
            ck_assert_ptr_nonnull(strstr(error.message, "cut.pc2: "));
        }
        toile_pointcache_close(reader);
    }
}
END_TEST

START_TEST(pointcache_refuses_a_spoilt_header) {
    /* where, what, expected */
    const struct {
        size_t at;
        unsigned char byte;
        ToileStatus status;
    } cases[] = {{0, 'p', TOILE_STATUS_INVALID_DATA},   {11, 'x', TOILE_STATUS_INVALID_DATA},
                 {12, 2, TOILE_STATUS_UNSUPPORTED},     {16, 0, TOILE_STATUS_INVALID_DATA},
                 {19, 0xFF, TOILE_STATUS_INVALID_DATA}, {19, 0x7F, TOILE_STATUS_INVALID_DATA},
                 {31, 0xFF, TOILE_STATUS_INVALID_DATA}, {31, 0x7F, TOILE_STATUS_INVALID_DATA}};
    unsigned char bytes[FILE_SIZE];
    write_file("a.pc2", SAMPLES);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ToilePointCacheInfo info = info_default();
        ToilePointCacheReader *reader = NULL;
        read_bytes("a.pc2", bytes, sizeof bytes);
        bytes[cases[i].at] = cases[i].byte;
        write_bytes("bad.pc2", bytes, sizeof bytes);
        ck_assert_int_eq(toile_pointcache_open("bad.pc2", &info, &reader, NULL), cases[i].status);
        ck_assert_ptr_null(reader);
    }
    ToilePointCacheInfo info = info_default();
    ToilePointCacheReader *reader = NULL;
    ck_assert_int_eq(toile_pointcache_open("none.pc2", &info, &reader, NULL),
                     TOILE_STATUS_NOT_FOUND);
    ck_assert_int_eq(toile_pointcache_open(".", &info, &reader, NULL), TOILE_STATUS_NOT_FOUND);
    info.struct_size = 0;
    ck_assert_int_eq(toile_pointcache_open("a.pc2", &info, &reader, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
}
END_TEST

/* ---- MDD ---- */

static float big_float(const unsigned char *at) {
    uint32_t word = at[3] | (uint32_t)at[2] << 8 | (uint32_t)at[1] << 16 | (uint32_t)at[0] << 24;
    float found;
    memcpy(&found, &word, sizeof found);
    return found;
}

START_TEST(mdd_bytes_are_those_of_the_format) {
    const unsigned char expected[8] = {0, 0, 0, SAMPLES, 0, 0, 0, POINTS};
    unsigned char bytes[MDD_SIZE + 1];
    write_file("a.mdd", SAMPLES);
    ck_assert_uint_eq(read_bytes("a.mdd", bytes, sizeof bytes), MDD_SIZE);
    ck_assert_mem_eq(bytes, expected, sizeof expected);
    for (int32_t s = 0; s < SAMPLES; s++)
        ck_assert(big_float(bytes + 8 + 4 * s) == (float)((-2.0 + 0.5 * s) / 24.0));
    for (int32_t i = 0; i < 3 * POINTS * SAMPLES; i++)
        ck_assert(big_float(bytes + 8 + 4 * SAMPLES + 4 * i) ==
                  value(i / (3 * POINTS), i % (3 * POINTS)));
}
END_TEST

START_TEST(mdd_with_fewer_samples_has_no_gap) {
    unsigned char bytes[MDD_SIZE];
    ToilePointCacheInfo info = info_default();
    ToilePointCacheReader *reader = NULL;
    float positions[3 * POINTS];
    write_file("a.mdd", 2);
    ck_assert_uint_eq(read_bytes("a.mdd", bytes, sizeof bytes), 8 + 2 * (4 + 12 * POINTS));
    ck_assert_int_eq(toile_pointcache_open("a.mdd", &info, &reader, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(info.sample_count, 2);
    ck_assert_int_eq(info.in_seconds, 1);
    for (int32_t s = 0; s < 2; s++) {
        ck_assert_int_eq(toile_pointcache_read(reader, s, positions, NULL), TOILE_STATUS_OK);
        for (int32_t i = 0; i < 3 * POINTS; i++)
            ck_assert(positions[i] == value(s, i));
    }
    toile_pointcache_close(reader);
}
END_TEST

START_TEST(mdd_refuses_more_samples_than_announced) {
    ToilePointCacheWriter *writer = NULL;
    const float positions[3 * POINTS] = {0};
    ck_assert_int_eq(begin("a.mdd", POINTS, 1, 1, &writer, NULL), TOILE_STATUS_OK);
    for (int32_t s = 0; s < SAMPLES; s++)
        ck_assert_int_eq(toile_pointcache_add(writer, positions, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_pointcache_add(writer, positions, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    toile_pointcache_abandon(writer);
}
END_TEST

START_TEST(mdd_refuses_any_other_length) {
    unsigned char bytes[MDD_SIZE + 5] = {0};
    write_file("a.mdd", SAMPLES);
    read_bytes("a.mdd", bytes, MDD_SIZE);
    for (size_t length = 0; length <= MDD_SIZE + 5; length++) {
        ToilePointCacheInfo info = info_default();
        ToilePointCacheReader *reader = NULL;
        ToileError error = toile_error_default();
        write_bytes("cut.mdd", bytes, length);
        ck_assert_int_eq(toile_pointcache_open("cut.mdd", &info, &reader, &error),
                         length == MDD_SIZE ? TOILE_STATUS_OK : TOILE_STATUS_INVALID_DATA);
        ck_assert(length == MDD_SIZE || strstr(error.message, "cut.mdd: "));
        toile_pointcache_close(reader);
    }
}
END_TEST

START_TEST(mdd_refuses_counts_and_times_that_cannot_be) {
    /* where, what: no samples, 2^31 samples, no points, 2^31 points, a time that falls, NaN */
    const struct {
        size_t at;
        unsigned char bytes[4];
    } cases[] = {{0, {0, 0, 0, 0}},    {0, {0x80, 0, 0, 0}},  {4, {0, 0, 0, 0}},
                 {4, {0x80, 0, 0, 0}}, {12, {0xC7, 0, 0, 0}}, {12, {0x7F, 0xC0, 0, 0}}};
    unsigned char bytes[MDD_SIZE];
    write_file("a.mdd", SAMPLES);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ToilePointCacheInfo info = info_default();
        ToilePointCacheReader *reader = NULL;
        read_bytes("a.mdd", bytes, sizeof bytes);
        memcpy(bytes + cases[i].at, cases[i].bytes, 4);
        write_bytes("bad.mdd", bytes, sizeof bytes);
        ck_assert_int_eq(toile_pointcache_open("bad.mdd", &info, &reader, NULL),
                         TOILE_STATUS_INVALID_DATA);
        ck_assert_ptr_null(reader);
    }
}
END_TEST

/* samples at frames -2, -1.5, -1 and -0.5 */
START_TEST(pointcache_finds_the_samples_around_a_frame) {
    const struct {
        double frame;
        int32_t before, after;
        double weight;
    } cases[] = {{-9, 0, 0, 0},          {-2, 0, 0, 0},         {-1.875, 0, 1, 0.25},
                 {-1.5000001, 1, 1, 0},  {-1.4999999, 1, 1, 0}, {-1.125, 1, 2, 0.75},
                 {-0.50000001, 3, 3, 0}, {-0.5, 3, 3, 0},       {7, 3, 3, 0}};
    const char *const paths[] = {"a.pc2", "a.mdd"};
    for (size_t p = 0; p < 2; p++) {
        ToilePointCacheInfo info = info_default();
        ToilePointCacheReader *reader = NULL;
        write_file(paths[p], SAMPLES);
        ck_assert_int_eq(toile_pointcache_open(paths[p], &info, &reader, NULL), TOILE_STATUS_OK);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            int32_t before = -1, after = -1;
            double weight = -1;
            ck_assert_int_eq(
                toile_pointcache_find(reader, cases[i].frame, 24, &before, &after, &weight, NULL),
                TOILE_STATUS_OK);
            ck_assert_int_eq(before, cases[i].before);
            ck_assert_int_eq(after, cases[i].after);
            /* the times of MDD are float32 */
            ck_assert_double_eq_tol(weight, cases[i].weight, 1e-5);
        }
        toile_pointcache_close(reader);
    }
}
END_TEST

static Suite *pointcache_suite(void) {
    Suite *suite = suite_create("pointcache");
    TCase *files = tcase_create("PC2 files");
    tcase_add_checked_fixture(files, NULL, remove_files);
    tcase_add_test(files, pointcache_bytes_are_those_of_the_format);
    tcase_add_test(files, pointcache_reads_back_in_any_order);
    tcase_add_test(files, pointcache_of_many_points_crosses_chunks);
    tcase_add_test(files, pointcache_abandoned_leaves_the_old_file);
    tcase_add_test(files, pointcache_refuses_what_it_cannot_write);
    tcase_add_test(files, pointcache_refuses_a_file_cut_anywhere);
    tcase_add_test(files, pointcache_refuses_a_spoilt_header);
    tcase_add_test(files, pointcache_finds_the_samples_around_a_frame);
    suite_add_tcase(suite, files);
    TCase *mdd = tcase_create("MDD files");
    tcase_add_checked_fixture(mdd, NULL, remove_files);
    tcase_add_test(mdd, mdd_bytes_are_those_of_the_format);
    tcase_add_test(mdd, mdd_with_fewer_samples_has_no_gap);
    tcase_add_test(mdd, mdd_refuses_more_samples_than_announced);
    tcase_add_test(mdd, mdd_refuses_any_other_length);
    tcase_add_test(mdd, mdd_refuses_counts_and_times_that_cannot_be);
    suite_add_tcase(suite, mdd);
    return suite;
}

int main(void) {
    return io_run_in_folder(folder, pointcache_suite());
}
