/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Where frames go: one Alembic archive, one point cache (PC2 or MDD), or one OBJ file a frame.
 * Nothing appears under the final name before toile_cache_finish (OBJ: before each frame is whole).
 *
 * Two ways in: toile_cache_create and toile_cache_add write the cloths of a scene, in metres and
 * scene axes as the simulation has them; toile_cache_open, toile_cache_add_object and
 * toile_cache_add_arrays write the objects of a host, each in its own space.
 *
 * A cache copies all it is given. Definition, meshes and strings may be freed as soon as a call
 * returns; a scene and its simulation must live while toile_cache_add reads them. */
#ifndef TOILE_IO_CACHE_H
#define TOILE_IO_CACHE_H

#include "toile_io/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ToileCache ToileCache;

/* ---- scenes ---- */

/* Opens `path`, whose ending (.abc, .pc2, .mdd or .obj) picks the format, for the cloths of a
 * scene. `frames`: what will be written, evenly spaced but for .obj. PC2 and MDD hold one cloth.
 * Archives are in the scene's unit, the others in the unit of each cloth. With several samples a
 * frame the frames follow one another, the samples between the first and the last are added too,
 * those after the last up to the next frame as well if the scene has one, and .obj is refused. A
 * cloth that comes from an archive takes along what that holds beside the
 * mesh, parameters and face sets, bit for bit; otherwise its groups become face sets. Temporary
 * files of the same name that a process of this machine left when it was killed are removed.
 * [any thread] */
TOILE_API ToileStatus toile_cache_create(const char *path, const ToileScene *scene,
                                         const int32_t *frames, int32_t frame_count,
                                         ToileCache **out, ToileError *error);
/* Tells what toile_cache_create would refuse about these arguments, before it touches the disk: a
 * name without a known ending, frames that are not evenly spaced, and files that the scene itself
 * was read from. [any thread] */
TOILE_API ToileStatus toile_cache_check(const char *path, const ToileScene *scene,
                                        const int32_t *frames, int32_t frame_count,
                                        ToileError *error);
/* Appends the current state of every cloth as the next sample. `cloths` holds the scene's
 * cloth_count ids. [one thread per sim] */
TOILE_API ToileStatus toile_cache_add(ToileCache *cache, const ToileSim *sim,
                                      const ToileClothId *cloths, ToileError *error);

/* ---- objects of a host ---- */

/* The kind of object in an archive: what is rendered as it is, or subdivided first. */
typedef enum ToileSchema { TOILE_SCHEMA_POLYMESH = 0, TOILE_SCHEMA_SUBD = 1 } ToileSchema;

typedef struct ToileCacheDef {
    uint32_t struct_size;
    int32_t up;                /* a ToileUpAxis, of all positions and matrices given; default Y */
    int32_t velocities;        /* 1 (default): write velocities; .abc only */
    int32_t frame_count;       /* at least 1 */
    const int32_t *frames;     /* as for toile_cache_create */
    double fps;                /* default 24; above 0 */
    double unit_m;             /* metres per unit, recorded; default 1; above 0 */
    uint64_t hash;             /* of what the frames were made from, recorded; 0 (default): none */
    int32_t schema;            /* a ToileSchema; .abc only; default polygon meshes */
    int32_t samples_per_frame; /* default 1; above 1: frames must follow one another */
} ToileCacheDef;

/* One mesh. Its positions are not looked at: they come with each frame. */
typedef struct ToileCacheObject {
    uint32_t struct_size;
    int32_t has_matrix;       /* 1: every frame tells where the object is; default 0: the origin */
    const char *name;         /* default "cloth"; cleaned for the file, kept as a property */
    const ToileMeshDef *mesh; /* required: faces and uvs */
    const char *uv_name;      /* of the uv map; NULL (default): "uv" */
    double unit_m;            /* metres per unit of this object, recorded; default 1; above 0 */
} ToileCacheObject;

/* Each writes the defaults, never more than `struct_size` bytes. [any thread] */
TOILE_API void toile_cache_def_init(ToileCacheDef *def, uint32_t struct_size);
TOILE_API void toile_cache_object_init(ToileCacheObject *object, uint32_t struct_size);

static inline ToileCacheDef toile_cache_def_default(void) {
    ToileCacheDef def;
    toile_cache_def_init(&def, (uint32_t)sizeof def);
    return def;
}

static inline ToileCacheObject toile_cache_object_default(void) {
    ToileCacheObject object;
    toile_cache_object_init(&object, (uint32_t)sizeof object);
    return object;
}

/* Opens `path` as toile_cache_create does, without objects yet. [any thread] */
TOILE_API ToileStatus toile_cache_open(const char *path, const ToileCacheDef *def, ToileCache **out,
                                       ToileError *error);
/* Adds an object, before the first frame. After a refusal the cache can only be abandoned. [one
 * thread per cache] */
TOILE_API ToileStatus toile_cache_add_object(ToileCache *cache, const ToileCacheObject *object,
                                             ToileError *error);
/* Appends the next sample of every object. Each argument is an array with a pointer per object:
 * `positions` 3 * vertex_count floats in the object's space, axes and unit; `velocities` the same,
 * a second (NULL when they are not written); `matrices` 16 doubles, object to world, row-major for
 * column vectors, in the same axes and unit (NULL when no object has one). [one thread per cache]
 */
TOILE_API ToileStatus toile_cache_add_arrays(ToileCache *cache, const float *const *positions,
                                             const float *const *velocities,
                                             const double *const *matrices, ToileError *error);

/* ---- the end ---- */

/* Makes the file appear; in archives the user property `complete` is 1 when all frames were added,
 * else 0, `first_frame` the one where the simulation began, and `last_frame` the last one added.
 * Frees the cache whatever happens; after a failure no file is left. [one thread per sim]
 */
TOILE_API ToileStatus toile_cache_finish(ToileCache *cache, ToileError *error);
/* Leaves nothing behind (OBJ files already written stay); NULL is allowed. [one thread per sim] */
TOILE_API void toile_cache_abandon(ToileCache *cache);

#ifdef __cplusplus
}
#endif
#endif
