/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Point caches, which are a header and then 3 float32 a point, sample after sample.
 *
 * PC2, little-endian: "POINTCACHE2" with its zero, version 1, points, first frame, frames a sample,
 * samples; 32 bytes. The number of samples is only known at the end and written over the header.
 *
 * MDD, big-endian: samples, points, and the time of each sample in seconds as float32. Room for the
 * times must be left before the first sample is written; what was not needed is cut out at the end.
 * The file has no mark of its kind, so that its size must be exactly what its numbers ask for. */
#include "toile_io/pointcache.h"

#include "platform.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "POINTCACHE2"
#define PC2_HEADER 32
#define PC2_VERSION 1
#define MDD_HEADER 8

/* where the numbers stand in the header of a PC2 file */
enum { AT_VERSION = 12, AT_POINTS = 16, AT_START = 20, AT_STEP = 24, AT_SAMPLES = 28 };

/* values turned into bytes at a time */
#define CHUNK 4096

/* a time this near to a sample, as a part of the gap, is that sample's */
#define NEAR 1e-3

struct ToilePointCacheWriter {
    TlIoWriter *file;
    bool mdd;
    ToilePointCacheDef def;
    int32_t added;
};

struct ToilePointCacheReader {
    TlIoReader *file;
    bool mdd;
    int64_t data; /* where the first sample begins */
    ToilePointCacheInfo info;
    float *times_s; /* of MDD: one a sample, rising */
};

/* ---- bytes ---- */

static void put_word(unsigned char *bytes, bool big, uint32_t word) {
    for (int32_t i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(word >> (8 * (big ? 3 - i : i)));
}

static uint32_t get_word(const unsigned char *bytes, bool big) {
    uint32_t word = 0;
    for (int32_t i = 0; i < 4; i++)
        word |= (uint32_t)bytes[i] << (8 * (big ? 3 - i : i));
    return word;
}

static void put_float(unsigned char *bytes, bool big, float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    put_word(bytes, big, word);
}

static float get_float(const unsigned char *bytes, bool big) {
    uint32_t word = get_word(bytes, big);
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static ToileStatus read_floats(TlIoReader *file, bool big, int64_t offset, size_t count,
                               float *values, ToileError *error) {
    unsigned char bytes[4 * CHUNK];
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        size_t part = count - begin < CHUNK ? count - begin : CHUNK;
        ToileStatus status =
            tl_io_reader_get(file, offset + 4 * (int64_t)begin, bytes, 4 * part, error);
        if (status != TOILE_STATUS_OK)
            return status;
        for (size_t i = 0; i < part; i++)
            values[begin + i] = get_float(bytes + 4 * i, big);
    }
    return TOILE_STATUS_OK;
}

/* ---- writing ---- */

void toile_pointcache_def_init(ToilePointCacheDef *def, uint32_t struct_size) {
    ToilePointCacheDef full;
    memset(&full, 0, sizeof full);
    full.struct_size = struct_size;
    full.sample_count = 1;
    full.first_frame = 1.0;
    full.frame_step = 1.0;
    full.fps = 24.0;
    memcpy(def, &full, struct_size < sizeof full ? struct_size : sizeof full);
}

static void write_pc2_header(ToilePointCacheWriter *writer) {
    const ToilePointCacheDef *def = &writer->def;
    unsigned char header[PC2_HEADER] = MAGIC;
    put_word(header + AT_VERSION, false, PC2_VERSION);
    put_word(header + AT_POINTS, false, (uint32_t)def->point_count);
    put_float(header + AT_START, false, (float)def->first_frame);
    put_float(header + AT_STEP, false, (float)def->frame_step);
    put_word(header + AT_SAMPLES, false, 0);
    tl_io_writer_add(writer->file, header, sizeof header);
}

static void write_mdd_header(ToilePointCacheWriter *writer) {
    const ToilePointCacheDef *def = &writer->def;
    unsigned char bytes[MDD_HEADER];
    put_word(bytes, true, (uint32_t)def->sample_count);
    put_word(bytes + 4, true, (uint32_t)def->point_count);
    tl_io_writer_add(writer->file, bytes, sizeof bytes);
    for (int32_t i = 0; i < def->sample_count; i++) {
        put_float(bytes, true, (float)((def->first_frame + i * def->frame_step) / def->fps));
        tl_io_writer_add(writer->file, bytes, 4);
    }
}

static bool def_is_good(const ToilePointCacheDef *def) {
    return def && def->struct_size >= sizeof *def && def->point_count >= 1 &&
           def->sample_count >= 1 && isfinite(def->first_frame) && isfinite(def->frame_step) &&
           def->frame_step > 0.0 && isfinite(def->fps) && def->fps > 0.0;
}

ToileStatus toile_pointcache_create(const char *path, const ToilePointCacheDef *def,
                                    ToilePointCacheWriter **out, ToileError *error) {
    if (!out)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_pointcache_create needs `out`");
    *out = NULL;
    if (!path || !def_is_good(def))
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "A point cache needs a path, and a definition with at least one point "
                          "and sample, a first frame, and a step and fps above 0");
    ToilePointCacheWriter *writer = calloc(1, sizeof *writer);
    if (!writer)
        return tl_io_out_of_memory(error);
    writer->def = *def;
    writer->mdd = tl_io_has_ending(path, ".mdd");
    ToileStatus status = tl_io_writer_open(path, &writer->file, error);
    if (status != TOILE_STATUS_OK) {
        free(writer);
        return status;
    }
    if (writer->mdd)
        write_mdd_header(writer);
    else
        write_pc2_header(writer);
    *out = writer;
    return TOILE_STATUS_OK;
}

ToileStatus toile_pointcache_add(ToilePointCacheWriter *writer, const float *positions,
                                 ToileError *error) {
    if (!writer || !positions)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_pointcache_add needs a writer and positions");
    size_t count = 3 * (size_t)writer->def.point_count;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(positions[i]))
            return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                              "Point %d of a point cache has a coordinate that is not finite",
                              (int)(i / 3));
    int32_t most = writer->mdd ? writer->def.sample_count : INT32_MAX;
    if (writer->added == most)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "The point cache was made for %d samples, and all of them are written",
                          (int)most);
    unsigned char bytes[4 * CHUNK];
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        size_t part = count - begin < CHUNK ? count - begin : CHUNK;
        for (size_t i = 0; i < part; i++)
            put_float(bytes + 4 * i, writer->mdd, positions[begin + i]);
        tl_io_writer_add(writer->file, bytes, 4 * part);
    }
    writer->added++;
    return tl_io_writer_check(writer->file, error);
}

ToileStatus toile_pointcache_finish(ToilePointCacheWriter *writer, ToileError *error) {
    if (!writer)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_pointcache_finish needs a writer");
    unsigned char samples[4];
    int32_t unused = writer->def.sample_count - writer->added;
    put_word(samples, writer->mdd, (uint32_t)writer->added);
    tl_io_writer_patch(writer->file, writer->mdd ? 0 : AT_SAMPLES, samples, sizeof samples);
    if (writer->mdd && unused > 0)
        tl_io_writer_cut(writer->file, MDD_HEADER + 4 * (int64_t)writer->added,
                         4 * (int64_t)unused);
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

static ToileStatus check_counts(const ToilePointCacheInfo *info, const char *path,
                                ToileError *error) {
    if (info->point_count >= 1 && info->sample_count >= 1)
        return TOILE_STATUS_OK;
    return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                      "%s: the point cache claims %d points and %d samples; at least one of each "
                      "is needed",
                      path, (int)info->point_count, (int)info->sample_count);
}

static ToileStatus read_pc2_header(ToilePointCacheReader *reader, const char *path, int64_t size,
                                   ToileError *error) {
    ToilePointCacheInfo *info = &reader->info;
    unsigned char header[PC2_HEADER] = {0};
    ToileStatus status = TOILE_STATUS_OK;
    if (size >= PC2_HEADER)
        status = tl_io_reader_get(reader->file, 0, header, sizeof header, error);
    if (status != TOILE_STATUS_OK)
        return status;
    if (memcmp(header, MAGIC, sizeof MAGIC) != 0)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "%s: this is not a PC2 point cache; it does not begin with " MAGIC, path);
    int32_t version = (int32_t)get_word(header + AT_VERSION, false);
    if (version != PC2_VERSION)
        return tl_io_fail(error, TOILE_STATUS_UNSUPPORTED,
                          "%s: the point cache is of version %d; only version 1 is known", path,
                          (int)version);
    info->point_count = (int32_t)get_word(header + AT_POINTS, false);
    info->sample_count = (int32_t)get_word(header + AT_SAMPLES, false);
    info->first = (double)get_float(header + AT_START, false);
    info->step = (double)get_float(header + AT_STEP, false);
    status = check_counts(info, path, error);
    if (status != TOILE_STATUS_OK)
        return status;
    if (!isfinite(info->first) || !isfinite(info->step) || !(info->step > 0.0))
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "%s: the samples begin at frame %g and are %g frames apart; finite "
                          "numbers are needed, the second above 0",
                          path, info->first, info->step);
    info->last = info->first + (info->sample_count - 1) * info->step;
    reader->data = PC2_HEADER;
    /* counted in whole samples, since the product of three large numbers would overflow */
    int64_t present = (size - PC2_HEADER) / ((int64_t)12 * info->point_count);
    if (present < info->sample_count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "%s: the point cache ends after %lld of %d samples; its writer was "
                          "stopped or the copy cut short",
                          path, (long long)present, (int)info->sample_count);
    return TOILE_STATUS_OK;
}

/* reads the times and finds out whether they are evenly spaced */
static ToileStatus read_times(ToilePointCacheReader *reader, const char *path, ToileError *error) {
    ToilePointCacheInfo *info = &reader->info;
    size_t count = (size_t)info->sample_count;
    reader->times_s = malloc(count * sizeof *reader->times_s);
    if (!reader->times_s)
        return tl_io_out_of_memory(error);
    ToileStatus status = read_floats(reader->file, true, MDD_HEADER, count, reader->times_s, error);
    if (status != TOILE_STATUS_OK)
        return status;
    const float *t = reader->times_s;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(t[i]) || (i > 0 && !(t[i] > t[i - 1])))
            return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                              "%s: sample %zu is at %g s; times must be finite and rise", path, i,
                              (double)t[i]);
    info->first = (double)t[0];
    info->last = (double)t[count - 1];
    info->step = count > 1 ? (info->last - info->first) / (double)(count - 1) : 0.0;
    for (size_t i = 0; i < count; i++)
        if (fabs((double)t[i] - (info->first + (double)i * info->step)) > NEAR * info->step)
            info->step = 0.0;
    return TOILE_STATUS_OK;
}

static ToileStatus read_mdd_header(ToilePointCacheReader *reader, const char *path, int64_t size,
                                   ToileError *error) {
    ToilePointCacheInfo *info = &reader->info;
    unsigned char header[MDD_HEADER] = {0};
    if (size < MDD_HEADER)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "%s: the file has %lld bytes; an MDD point cache has at least %d", path,
                          (long long)size, MDD_HEADER);
    ToileStatus status = tl_io_reader_get(reader->file, 0, header, sizeof header, error);
    if (status != TOILE_STATUS_OK)
        return status;
    info->in_seconds = 1;
    info->sample_count = (int32_t)get_word(header, true);
    info->point_count = (int32_t)get_word(header + 4, true);
    status = check_counts(info, path, error);
    if (status != TOILE_STATUS_OK)
        return status;
    reader->data = MDD_HEADER + 4 * (int64_t)info->sample_count;
    /* by division: the product of the two may be larger than any number here */
    int64_t sample = 4 + (int64_t)12 * info->point_count, rest = size - MDD_HEADER;
    if (rest % sample != 0 || rest / sample != info->sample_count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "%s: the file begins like an MDD point cache of %d samples of %d points, "
                          "but its %lld bytes do not fit; it is cut short or something else",
                          path, (int)info->sample_count, (int)info->point_count, (long long)size);
    return read_times(reader, path, error);
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
    int64_t size = 0;
    reader->mdd = tl_io_has_ending(path, ".mdd");
    ToileStatus status = tl_io_reader_open(path, &reader->file, &size, error);
    if (status == TOILE_STATUS_OK)
        status = reader->mdd ? read_mdd_header(reader, path, size, error)
                             : read_pc2_header(reader, path, size, error);
    if (status != TOILE_STATUS_OK) {
        toile_pointcache_close(reader);
        return status;
    }
    uint32_t wanted = info->struct_size;
    reader->info.struct_size = wanted;
    memcpy(info, &reader->info, wanted < sizeof *info ? wanted : sizeof *info);
    *out = reader;
    return TOILE_STATUS_OK;
}

/* the last sample not after a time, from 0 to count - 2 */
static int32_t search_times(const float *times_s, int32_t count, double seconds) {
    int32_t low = 0, high = count - 1;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        *((double)times_s[middle] <= seconds ? &low : &high) = middle;
    }
    return low;
}

ToileStatus toile_pointcache_find(const ToilePointCacheReader *reader, double frame, double fps,
                                  int32_t *before, int32_t *after, double *weight,
                                  ToileError *error) {
    if (!reader || !before || !after || !weight || !isfinite(frame) || !(fps > 0.0))
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_pointcache_find needs a reader, a finite frame, fps above 0 and "
                          "places for the answer");
    const ToilePointCacheInfo *info = &reader->info;
    double at = reader->mdd ? frame / fps : frame, position = 0.0;
    int32_t last = info->sample_count - 1;
    if (at >= info->last) {
        position = last;
    } else if (at > info->first && reader->mdd) {
        int32_t i = search_times(reader->times_s, info->sample_count, at);
        double low = (double)reader->times_s[i], high = (double)reader->times_s[i + 1];
        position = i + (at - low) / (high - low);
    } else if (at > info->first) {
        position = (at - info->first) / info->step;
    }
    double nearest = floor(position + 0.5);
    if (fabs(position - nearest) < NEAR)
        position = nearest;
    *before = (int32_t)position < last ? (int32_t)position : last;
    *weight = position - *before;
    *after = *weight > 0.0 && *before < last ? *before + 1 : *before;
    return TOILE_STATUS_OK;
}

ToileStatus toile_pointcache_read(ToilePointCacheReader *reader, int32_t sample, float *positions,
                                  ToileError *error) {
    if (!reader || !positions)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_pointcache_read needs a reader and a place for positions");
    if (sample < 0 || sample >= reader->info.sample_count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "There is no sample %d; the point cache has %d, counted from 0",
                          (int)sample, (int)reader->info.sample_count);
    size_t count = 3 * (size_t)reader->info.point_count;
    return read_floats(reader->file, reader->mdd,
                       reader->data + (int64_t)sample * (int64_t)count * 4, count, positions,
                       error);
}

void toile_pointcache_close(ToilePointCacheReader *reader) {
    if (!reader)
        return;
    tl_io_reader_close(reader->file);
    free(reader->times_s);
    free(reader);
}
