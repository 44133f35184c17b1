/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Point caches (PC2 and MDD): positions of one mesh, sample after sample, and nothing else. Played
 * by the Mesh Cache modifier of Blender and by most other programs, on a mesh with the same
 * vertices in the same order. Axes and units are those of the host. */
#ifndef TOILE_IO_POINTCACHE_H
#define TOILE_IO_POINTCACHE_H

#include "toile/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ToilePointCacheWriter ToilePointCacheWriter;
typedef struct ToilePointCacheReader ToilePointCacheReader;

/* ---- writing ---- */

typedef struct ToilePointCacheDef {
    uint32_t struct_size;
    int32_t point_count; /* at least 1 */
    int32_t
        sample_count; /* samples that may come, at least 1; fewer are allowed. Only MDD needs it */
    uint32_t reserved;
    double first_frame; /* of the first sample; default 1 */
    double frame_step;  /* frames from one sample to the next; default 1; above 0 */
    double fps;         /* MDD holds seconds: frame / fps; default 24; above 0 */
} ToilePointCacheDef;

/* Writes the defaults, never more than `struct_size` bytes. [any thread] */
TOILE_API void toile_pointcache_def_init(ToilePointCacheDef *def, uint32_t struct_size);

static inline ToilePointCacheDef toile_pointcache_def_default(void) {
    ToilePointCacheDef def;
    toile_pointcache_def_init(&def, (uint32_t)sizeof def);
    return def;
}

/* Begins a file under a temporary name: MDD when `path` ends in .mdd, else PC2. CANNOT_CREATE when
 * the folder does not allow it. [any thread] */
TOILE_API ToileStatus toile_pointcache_create(const char *path, const ToilePointCacheDef *def,
                                              ToilePointCacheWriter **out, ToileError *error);
/* Appends a sample: 3 * point_count finite floats. [one thread per writer] */
TOILE_API ToileStatus toile_pointcache_add(ToilePointCacheWriter *writer, const float *positions,
                                           ToileError *error);
/* Writes the number of samples, forces the file to disk and gives it its name. Frees the writer
 * whatever happens; after a failure no file is left. [one thread per writer] */
TOILE_API ToileStatus toile_pointcache_finish(ToilePointCacheWriter *writer, ToileError *error);
/* Removes the partial file and frees the writer; NULL is allowed. [one thread per writer] */
TOILE_API void toile_pointcache_abandon(ToilePointCacheWriter *writer);

/* ---- reading ---- */

typedef struct ToilePointCacheInfo {
    uint32_t struct_size;
    int32_t point_count;
    int32_t sample_count;
    int32_t in_seconds; /* 1 (MDD): `first`, `last` and `step` are seconds; 0 (PC2): frames */
    double first;       /* of the first sample */
    double last;        /* of the last sample */
    double step;        /* from one sample to the next; 0: they are not evenly spaced */
} ToilePointCacheInfo;

/* Opens a file, MDD when `path` ends in .mdd, else PC2, and checks that it holds what its header
 * promises. `info` needs struct_size set. [any thread] */
TOILE_API ToileStatus toile_pointcache_open(const char *path, ToilePointCacheInfo *info,
                                            ToilePointCacheReader **out, ToileError *error);
/* The samples around a frame and the weight of the later one, 0 to 1. Before the first and after
 * the last sample both are that sample. Within a thousandth of the gap from a sample it is that
 * sample. `fps` turns seconds into frames. [any thread] */
TOILE_API ToileStatus toile_pointcache_find(const ToilePointCacheReader *reader, double frame,
                                            double fps, int32_t *before, int32_t *after,
                                            double *weight, ToileError *error);
/* Copies sample `sample`, 3 * point_count floats. [one thread per reader] */
TOILE_API ToileStatus toile_pointcache_read(ToilePointCacheReader *reader, int32_t sample,
                                            float *positions, ToileError *error);
/* NULL is allowed. [one thread per reader] */
TOILE_API void toile_pointcache_close(ToilePointCacheReader *reader);

#ifdef __cplusplus
}
#endif
#endif
