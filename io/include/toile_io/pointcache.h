/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Point caches (PC2): positions of one mesh, frame after frame, and nothing else. Played by the
 * Mesh Cache modifier of Blender and by most other programs, on a mesh with the same vertices in
 * the same order. Axes and units are those of the host. */
#ifndef TOILE_IO_POINTCACHE_H
#define TOILE_IO_POINTCACHE_H

#include "toile/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ToilePointCacheWriter ToilePointCacheWriter;
typedef struct ToilePointCacheReader ToilePointCacheReader;

/* Begins a file under a temporary name. `first_frame` is the frame of the first sample,
 * `frame_step` the frames from one sample to the next, above 0. CANNOT_CREATE when the folder does
 * not allow it. [any thread] */
TOILE_API ToileStatus toile_pointcache_create(const char *path, int32_t point_count,
                                              double first_frame, double frame_step,
                                              ToilePointCacheWriter **out, ToileError *error);
/* Appends a sample: 3 * point_count finite floats. [one thread per writer] */
TOILE_API ToileStatus toile_pointcache_add(ToilePointCacheWriter *writer, const float *positions,
                                           ToileError *error);
/* Writes the number of samples, forces the file to disk and gives it its name. Frees the writer
 * whatever happens; after a failure no file is left. [one thread per writer] */
TOILE_API ToileStatus toile_pointcache_finish(ToilePointCacheWriter *writer, ToileError *error);
/* Removes the partial file and frees the writer; NULL is allowed. [one thread per writer] */
TOILE_API void toile_pointcache_abandon(ToilePointCacheWriter *writer);

typedef struct ToilePointCacheInfo {
    uint32_t struct_size;
    int32_t point_count;
    int32_t sample_count;
    uint32_t reserved;
    double first_frame; /* of the first sample */
    double frame_step;  /* frames from one sample to the next */
} ToilePointCacheInfo;

/* Opens a file and checks that it holds what its header promises. `info` needs struct_size set.
 * [any thread] */
TOILE_API ToileStatus toile_pointcache_open(const char *path, ToilePointCacheInfo *info,
                                            ToilePointCacheReader **out, ToileError *error);
/* Copies sample `sample`, 3 * point_count floats. [one thread per reader] */
TOILE_API ToileStatus toile_pointcache_read(ToilePointCacheReader *reader, int32_t sample,
                                            float *positions, ToileError *error);
/* NULL is allowed. [one thread per reader] */
TOILE_API void toile_pointcache_close(ToilePointCacheReader *reader);

#ifdef __cplusplus
}
#endif
#endif
