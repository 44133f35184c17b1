/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A cache being written, as its files share it: cache.c (opening, objects, frames), cache_archive.c
 * (Alembic) and cache_scene.c (the cloths of a scene). */
#ifndef TL_IO_CACHE_TYPES_H
#define TL_IO_CACHE_TYPES_H

#include "scene_types.h"
#include "toile_io/abc_c.h"
#include "toile_io/cache.h"
#include "toile_io/osd_c.h"
#include "toile_io/pointcache.h"

typedef enum TlCacheFormat {
    TL_CACHE_NONE,
    TL_CACHE_ABC,
    TL_CACHE_POINTS,
    TL_CACHE_OBJ
} TlCacheFormat;

typedef struct TlCacheCloth {
    const char *source;  /* the name it was given */
    const char *name;    /* letters, digits and _ only, unlike any other cloth's */
    const char *uv_name; /* NULL: the mesh has no uvs */
    ToileMeshDef mesh;   /* copied, without positions */
    double unit_m;
    bool has_matrix;
    char *path; /* of its OBJ file; room for any frame */
    size_t path_size;
    abcc_obj xform;
    abcc_obj shape;
    const TlSceneSubdivision *rules; /* of a cloth that was subdivided, else NULL */
    TlSceneTags tags;                /* what is sharp on it then */
    const TlSceneArchive *archive;   /* of a scene: what is taken along from its archive; or NULL */
    unsigned copy_flags;             /* of abcc_params_copy */
    double offset_m[3]; /* what positions in the archive are relative to, axes as given */
    double *x;          /* 3 * vertex_count, of the frame being added */
    int32_t sim_count;  /* vertices that are simulated */
    osdc_table *smooth; /* makes x of these when what is written is subdivided, else NULL */
    double *sim_x;      /* 3 * sim_count, with `smooth` */
    float *P;           /* the same as the file takes it */
    float *v;           /* NULL: velocities are not written */
} TlCacheCloth;

struct ToileCache {
    TlIoArena arena;
    ToileCacheDef def; /* its frames are a copy */
    TlCacheFormat format;
    const char *path;
    int32_t first_frame;  /* of the simulation, whichever of its frames are written */
    int32_t added;        /* samples */
    int32_t sample_count; /* that make the cache complete */
    TlCacheCloth *cloths;
    int32_t cloth_count;
    int32_t cloth_capacity;
    abcc_writer *writer;           /* of an archive */
    abcc_time time;                /* sampling of all its objects */
    ToilePointCacheWriter *points; /* of a point cache */
};

/* ---- cache.c ---- */

/* What a cache cannot be made of, whatever its objects. */
ToileStatus tl_cache_check_def(const ToileCacheDef *def, const char *path, ToileError *error);
/* Adds a cloth without anything but its name, cleaned; false when memory runs out. */
bool tl_cache_add_name(ToileCache *cache, const char *source);
/* Fills cloth->path with the name of its OBJ file of a frame. */
void tl_cache_name_obj(const ToileCache *cache, const TlCacheCloth *cloth, int32_t frame);
/* Refuses a frame when there is no object, or no frame left. */
ToileStatus tl_cache_check_room(const ToileCache *cache, ToileError *error);
/* The frame of one cloth, axes as given. `velocities` and `matrix` may be NULL where not needed. */
ToileStatus tl_cache_put(ToileCache *cache, TlCacheCloth *cloth, const float *positions,
                         const float *velocities, const double *matrix, ToileError *error);
/* The OBJ file of one cloth, of the positions in cloth->x. */
ToileStatus tl_cache_put_obj(ToileCache *cache, const TlCacheCloth *cloth, double unit_m,
                             ToileError *error);

/* ---- cache_archive.c ---- */

ToileStatus tl_cache_open_archive(ToileCache *cache, ToileError *error);
/* Adds transform and mesh of a cloth. */
ToileStatus tl_cache_declare(ToileCache *cache, TlCacheCloth *cloth, ToileError *error);
/* The next sample of a transform: row-major for column vectors, axes as given. */
ToileStatus tl_cache_put_matrix(ToileCache *cache, const TlCacheCloth *cloth,
                                const double matrix[16], ToileError *error);
/* The next sample of a mesh, axes as given. */
ToileStatus tl_cache_put_sample(ToileCache *cache, TlCacheCloth *cloth, const float *P,
                                const float *v, ToileError *error);
/* The frame of a sample. */
double tl_cache_frame(const ToileCache *cache, int32_t sample);
/* Writes properties and closes; the writer is gone whatever happens. */
ToileStatus tl_cache_finish_archive(ToileCache *cache, ToileError *error);

/* ---- cache_source.c ---- */

/* Takes along what the file of a cloth holds beside the mesh; before its first sample. `written`
 * has the faces that are written, with their groups. */
ToileStatus tl_cache_take_along(ToileCache *cache, TlCacheCloth *cloth, const TlSceneCloth *from,
                                const ToileObj *written, ToileError *error);
/* The same for what changes with time, before each further sample. */
ToileStatus tl_cache_take_again(ToileCache *cache, const TlCacheCloth *cloth, ToileError *error);
/* The first sample of a cage, with the creases of the one it comes from. */
abcc_status tl_cache_put_cage(ToileCache *cache, const TlCacheCloth *cloth, const abcc_mesh_in *in,
                              abcc_error *abc);
/* A failure of the archive as one of the cache. */
ToileStatus tl_cache_pass_on(abcc_status status, const abcc_error *from, ToileError *error);

#endif
