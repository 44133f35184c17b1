/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* PC2 files: a header of 32 bytes ("POINTCACHE2" with its zero, version 1, points, first frame,
 * frames a sample, samples), then 3 floats a point, sample after sample; all little-endian, float32
 * and int32. The number of samples is only known at the end and written over the header then. */
#include "toile_io/pointcache.h"

#include "platform.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "POINTCACHE2"
#define HEADER_SIZE 32
#define VERSION 1

/* where the numbers stand in the header */
enum { AT_VERSION = 12, AT_POINTS = 16, AT_START = 20, AT_STEP = 24, AT_SAMPLES = 28 };

/* values turned into bytes at a time */
#define CHUNK 4096

struct ToilePointCacheWriter {
    TlIoWriter *file;
    int32_t point_count;
    int32_t sample_count;
};

struct ToilePointCacheReader {
    TlIoReader *file;
    int32_t point_count;
    int32_t sample_count;
};

/* ---- bytes ---- */

static void put_word(unsigned char *bytes, uint32_t word) {
    for (int32_t i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(word >> (8 * i));
}

static uint32_t get_word(const unsigned char *bytes) {
    uint32_t word = 0;
    for (int32_t i = 0; i < 4; i++)
        word |= (uint32_t)bytes[i] << (8 * i);
    return word;
}

static void put_float(unsigned char *bytes, float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    put_word(bytes, word);
}

static float get_float(const unsigned char *bytes) {
    uint32_t word = get_word(bytes);
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* ---- writing ---- */

ToileStatus toile_pointcache_create(const char *path, int32_t point_count, double first_frame,
                                    double frame_step, ToilePointCacheWriter **out,
                                    ToileError *error) {
    if (!out)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_pointcache_create needs `out`");
    *out = NULL;
    if (!path || point_count < 1 || !isfinite(first_frame) || !isfinite(frame_step) ||
        !(frame_step > 0.0))
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "A point cache needs a path, at least one point, a first frame and a "
                          "step above 0");
    ToilePointCacheWriter *writer = calloc(1, sizeof *writer);
    if (!writer)
        return tl_io_out_of_memory(error);
    writer->point_count = point_count;
    ToileStatus status = tl_io_writer_open(path, &writer->file, error);
    if (status != TOILE_STATUS_OK) {
        free(writer);
        return status;
    }
    unsigned char header[HEADER_SIZE] = MAGIC;
    put_word(header + AT_VERSION, VERSION);
    put_word(header + AT_POINTS, (uint32_t)point_count);
    put_float(header + AT_START, (float)first_frame);
    put_float(header + AT_STEP, (float)frame_step);
    put_word(header + AT_SAMPLES, 0);
    tl_io_writer_add(writer->file, header, sizeof header);
    *out = writer;
    return TOILE_STATUS_OK;
}

ToileStatus toile_pointcache_add(ToilePointCacheWriter *writer, const float *positions,
                                 ToileError *error) {
    if (!writer || !positions)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_pointcache_add needs a writer and positions");
    size_t count = 3 * (size_t)writer->point_count;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(positions[i]))
            return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                              "Point %d of a point cache has a coordinate that is not finite",
                              (int)(i / 3));
    if (writer->sample_count == INT32_MAX)
        return tl_io_fail(error, TOILE_STATUS_UNSUPPORTED, "A point cache holds at most %d samples",
                          (int)INT32_MAX);
    unsigned char bytes[4 * CHUNK];
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        size_t part = count - begin < CHUNK ? count - begin : CHUNK;
        for (size_t i = 0; i < part; i++)
            put_float(bytes + 4 * i, positions[begin + i]);
        tl_io_writer_add(writer->file, bytes, 4 * part);
    }
    writer->sample_count++;
    return tl_io_writer_check(writer->file, error);
}

ToileStatus toile_pointcache_finish(ToilePointCacheWriter *writer, ToileError *error) {
    if (!writer)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_pointcache_finish needs a writer");
    unsigned char samples[4];
    put_word(samples, (uint32_t)writer->sample_count);
    tl_io_writer_patch(writer->file, AT_SAMPLES, samples, sizeof samples);
    ToileStatus status = tl_io_writer_commit(writer->file, error);
    free(writer);
    return status;
}

void toile_pointcache_abandon(ToilePointCacheWriter *writer) {
    if (!writer)
        return;
    tl_io_writer_abandon(writer->file);
    free(writer);
}

/* ---- reading ---- */

static ToileStatus read_header(ToilePointCacheReader *reader, const char *path, int64_t size,
                               ToilePointCacheInfo *info, ToileError *error) {
    unsigned char header[HEADER_SIZE] = {0};
    if (size >= HEADER_SIZE) {
        ToileStatus status = tl_io_reader_get(reader->file, 0, header, sizeof header, error);
        if (status != TOILE_STATUS_OK)
            return status;
    }
    if (memcmp(header, MAGIC, sizeof MAGIC) != 0)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "%s: this is not a PC2 point cache; it does not begin with " MAGIC, path);
    int32_t version = (int32_t)get_word(header + AT_VERSION);
    if (version != VERSION)
        return tl_io_fail(error, TOILE_STATUS_UNSUPPORTED,
                          "%s: the point cache is of version %d; only version 1 is known", path,
                          (int)version);
    info->point_count = reader->point_count = (int32_t)get_word(header + AT_POINTS);
    info->sample_count = reader->sample_count = (int32_t)get_word(header + AT_SAMPLES);
    info->first_frame = (double)get_float(header + AT_START);
    info->frame_step = (double)get_float(header + AT_STEP);
    if (reader->point_count < 1 || reader->sample_count < 0)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "%s: the point cache claims %d points and %d samples", path,
                          (int)reader->point_count, (int)reader->sample_count);
    /* counted in whole samples, since the product of three large numbers would overflow */
    int64_t present = (size - HEADER_SIZE) / ((int64_t)12 * reader->point_count);
    if (present < reader->sample_count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "%s: the point cache ends after %lld of %d samples; its writer was "
                          "stopped or the copy cut short",
                          path, (long long)present, (int)reader->sample_count);
    return TOILE_STATUS_OK;
}

ToileStatus toile_pointcache_open(const char *path, ToilePointCacheInfo *info,
                                  ToilePointCacheReader **out, ToileError *error) {
    if (!out)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_pointcache_open needs `out`");
    *out = NULL;
    if (!path || !info || info->struct_size < sizeof info->struct_size)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_pointcache_open needs a path and an info with struct_size set");
    ToilePointCacheReader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return tl_io_out_of_memory(error);
    ToilePointCacheInfo full;
    int64_t size = 0;
    memset(&full, 0, sizeof full);
    full.struct_size = info->struct_size;
    ToileStatus status = tl_io_reader_open(path, &reader->file, &size, error);
    if (status == TOILE_STATUS_OK)
        status = read_header(reader, path, size, &full, error);
    if (status != TOILE_STATUS_OK) {
        toile_pointcache_close(reader);
        return status;
    }
    memcpy(info, &full, info->struct_size < sizeof full ? info->struct_size : sizeof full);
    *out = reader;
    return TOILE_STATUS_OK;
}

ToileStatus toile_pointcache_read(ToilePointCacheReader *reader, int32_t sample, float *positions,
                                  ToileError *error) {
    if (!reader || !positions)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_pointcache_read needs a reader and a place for positions");
    if (sample < 0 || sample >= reader->sample_count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "There is no sample %d; the point cache has %d, counted from 0",
                          (int)sample, (int)reader->sample_count);
    size_t count = 3 * (size_t)reader->point_count;
    int64_t offset = HEADER_SIZE + (int64_t)sample * (int64_t)count * 4;
    unsigned char bytes[4 * CHUNK];
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        size_t part = count - begin < CHUNK ? count - begin : CHUNK;
        ToileStatus status =
            tl_io_reader_get(reader->file, offset + 4 * (int64_t)begin, bytes, 4 * part, error);
        if (status != TOILE_STATUS_OK)
            return status;
        for (size_t i = 0; i < part; i++)
            positions[begin + i] = get_float(bytes + 4 * i);
    }
    return TOILE_STATUS_OK;
}

void toile_pointcache_close(ToilePointCacheReader *reader) {
    if (!reader)
        return;
    tl_io_reader_close(reader->file);
    free(reader);
}
