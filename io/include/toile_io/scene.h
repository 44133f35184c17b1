/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Scene files: JSON text to definitions, and the animation of a scene frame by frame. The format is
 * described by io/scene.schema.json. A loaded scene is immutable: meshes and fabrics are read, but
 * for the later frames of colliders that deform, whose files must stay as they are; SI units and
 * the scene's axes hold everywhere (unit_m is applied on the way in). */
#ifndef TOILE_IO_SCENE_H
#define TOILE_IO_SCENE_H

#include "toile/toile.h"
#include "toile_io/obj.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ToileScene ToileScene;

/* One finding about a file: an error or a warning, with its place. */
typedef struct ToileDiagnostic {
    int32_t level;       /* a ToileLogLevel: TOILE_LOG_WARNING or TOILE_LOG_ERROR */
    int32_t status;      /* the ToileStatus it leads to */
    const char *file;    /* as it would be opened; never NULL */
    int32_t line;        /* from 1; 0: the file as a whole */
    int32_t column;      /* from 1; 0: the line as a whole */
    const char *message; /* one sentence without place; valid during the call */
} ToileDiagnostic;

typedef void (*ToileDiagnosticSink)(void *user, const ToileDiagnostic *diagnostic);

/* Reads and checks a scene and every file it names, and reports all findings to `sink` (may be
 * NULL), not just the first. `overrides` are `override_count` strings "key.path=value" applied to
 * the text before it is checked; a list element is named by its "name" or its index
 * (cloth.skirt.fabric.bend.weft_N_m=1e-5, cloth.0.mesh="x.obj"); value is JSON, or a bare word
 * taken as a string. A fabric given by name or file is expanded before a part of it is set. A
 * finding about an override has "--set key.path=value" as its file and line 0. On failure *out is
 * NULL and `error` holds the first error as "file:line:column: sentence". [any thread] */
TOILE_API ToileStatus toile_scene_load(const char *path, const char *const *overrides,
                                       int32_t override_count, ToileDiagnosticSink sink, void *user,
                                       ToileScene **out, ToileError *error);
/* The same for one wedge of the scene. "wedges" holds lists of values by "key.path" as above; their
 * cross product, with the keys in the order of the file and the last varying fastest, is counted
 * from 0. The values of the wedge are put in place after the overrides and enter the hash as these
 * do; the table does not. -1: the scene itself. A wedge that is not there, or a key that an
 * override sets too, is TOILE_STATUS_INVALID_ARGUMENT. [any thread] */
TOILE_API ToileStatus toile_scene_load_wedge(const char *path, const char *const *overrides,
                                             int32_t override_count, int32_t wedge,
                                             ToileDiagnosticSink sink, void *user, ToileScene **out,
                                             ToileError *error);
/* NULL is allowed. [any thread] */
TOILE_API void toile_scene_free(ToileScene *scene);

typedef enum ToileUpAxis { TOILE_UP_Y = 0, TOILE_UP_Z = 1 } ToileUpAxis;

/* What the scene says outside of cloths and colliders. Strings and arrays belong to the scene. */
typedef struct ToileSceneInfo {
    uint32_t struct_size;
    int32_t up;            /* a ToileUpAxis */
    int32_t settle;        /* 1: find the static drape instead of the motion */
    int32_t frame_count;   /* frames to be written */
    const int32_t *frames; /* ascending; frames[0] is where the simulation starts */
    double fps;
    double unit_m;       /* metres per unit of geometry files */
    const char *cache;   /* resolved output path, or NULL */
    const char *preview; /* resolved output path, or NULL */
    int32_t velocities;  /* 1: write velocities into the cache */
    int32_t cloth_count;
    int32_t collider_count;
    uint32_t reserved;
    uint64_t hash; /* of the scene text after overrides and of every input file */
    int32_t wedge; /* the one that was loaded, or -1 */
    int32_t wedge_count;
    int32_t wedge_key_count;   /* values that each wedge sets */
    int32_t samples_per_frame; /* of the cache; the simulation steps from one to the next */
    int32_t schema;            /* of the cache: 0 polygon meshes, 1 subdivision surfaces */
    uint32_t reserved_schema;
} ToileSceneInfo;

/* One cloth. */
typedef struct ToileSceneCloth {
    uint32_t struct_size;
    uint32_t reserved;
    const char *name;
    const char *mesh_file; /* resolved path */
    const char *fabric_name;
    const ToileMeshDef *mesh; /* what is simulated; metres, scene axes */
    const ToileFabric *fabric;
    int32_t pattern;                        /* a ToilePattern */
    int32_t pin_count;                      /* vertices pinned at the first frame */
    double unit_m;                          /* metres per unit of this cloth's files */
    const double *rest_curvature_map_per_m; /* one per vertex, or NULL */
    int32_t elements;                       /* a ToileElements */
    int32_t subdivide_simulate; /* levels the mesh of the file was refined by to be `mesh` */
    int32_t subdivide_output;   /* levels `mesh` is refined by in caches */
    int32_t subdivide_limit;    /* 1: what is written lies on the limit surface */
    int32_t file_vertex_count;  /* of the mesh in the file */
    int32_t file_face_count;
    int32_t output_vertex_count; /* of the mesh in caches */
    int32_t output_face_count;
} ToileSceneCloth;

/* `info`, `cloth` and `collider` need struct_size set by the caller. [any thread] */
TOILE_API ToileStatus toile_scene_get_info(const ToileScene *scene, ToileSceneInfo *info,
                                           ToileError *error);
TOILE_API ToileStatus toile_scene_get_cloth(const ToileScene *scene, int32_t index,
                                            ToileSceneCloth *cloth, ToileError *error);
/* The definition, with the pose it has at `frame`. A mesh, whose arrays belong to the scene, is as
 * it is at the first frame, or the first in which it has faces; these have three or four corners.
 * [any thread] */
TOILE_API ToileStatus toile_scene_get_collider(const ToileScene *scene, int32_t index, double frame,
                                               ToileColliderDef *collider, ToileError *error);
/* What the mesh of a collider is read from: "/x/arm.obj", "/x/arm.%04d.obj" or
 * "/x/body.abc:/body/bodyShape"; NULL for other shapes. *deforms (may be NULL) becomes 1 when its
 * vertices move or its faces change from frame to frame before the pose moves them all, else 0.
 * [any thread] */
TOILE_API ToileStatus toile_scene_get_collider_file(const ToileScene *scene, int32_t index,
                                                    const char **file, int32_t *deforms,
                                                    ToileError *error);
/* The mesh of a collider at `frame`, before its pose is applied, with faces of three or four
 * corners, for toile_obj_free; NULL in *out: it has no faces then. Between the frames of numbered
 * files, and between samples with the same faces, vertices move evenly. What deforms is read from
 * its files during the call, so that a file that is missing or does not fit is an error of this
 * call. [any thread] */
TOILE_API ToileStatus toile_scene_read_collider(const ToileScene *scene, int32_t index,
                                                double frame, ToileObj **out, ToileError *error);
/* Splits faces of more than four corners into triangles, for a mesh that cloth only collides with:
 * a fan about the corner of the lowest number, or about the first one after it, in the order of the
 * face, whose fan does not fold over. Other faces stay; one of fewer than three corners is refused.
 * `face_sizes` needs room for corner_count values and `corners` for 3 * corner_count, *face_count
 * and *corner_count receive how many were written. A corner without a vertex is refused.
 * [any thread] */
TOILE_API ToileStatus toile_mesh_fan(const ToileMeshDef *mesh, int32_t *face_sizes,
                                     int32_t *corners, int32_t *face_count, int32_t *corner_count,
                                     ToileError *error);

/* True when both paths lead to one file that is there, by whatever names and links.
 * [any thread] */
TOILE_API bool toile_file_same(const char *a, const char *b);
/* True when `path` is a file that the scene was read from, under whatever name: what writes there
 * would take its place. False when it does not exist. [any thread] */
TOILE_API bool toile_scene_reads(const ToileScene *scene, const char *path);

/* Value `key` of wedge `wedge`, both counted from 0: its path, and what it is set to as JSON text.
 * Strings belong to the scene, which may have been loaded for any wedge or none. [any thread] */
TOILE_API ToileStatus toile_scene_get_wedge(const ToileScene *scene, int32_t wedge, int32_t key,
                                            const char **name, const char **value,
                                            ToileError *error);

/* Fills `def` (initialised) with the scene's solver, gravity, drag and contact settings; hooks stay
 * as they are. With several samples a frame, a step of the simulation goes from one to the next: it
 * counts them as frames from the scene's first on, at as many times the frames a second, and shares
 * the sub-steps of a frame among them. [any thread] */
TOILE_API ToileStatus toile_scene_sim_def(const ToileScene *scene, ToileSimDef *def,
                                          ToileError *error);
/* Makes a simulation of everything in the scene, at the first frame. `cloths` (may be NULL)
 * receives cloth_count ids in the order of the file; the slots of cloths, and those of colliders,
 * are 1, 2, 3... in that order. [any thread] */
TOILE_API ToileStatus toile_scene_create_sim(const ToileScene *scene, const ToileSimDef *def,
                                             ToileSim **out, ToileClothId *cloths,
                                             ToileError *error);
/* Sets pins and the targets of colliders and pins so that the next toile_sim_step arrives at
 * `frame`, which may lie between two when the scene has several samples a frame; pins then hold as
 * at the later of the two; colliders that deform are read from their files. Of several pins on one
 * vertex, one that holds at `frame` wins over one that does not, then the later one. The simulation
 * must come from toile_scene_create_sim of the same scene. [one thread per sim] */
TOILE_API ToileStatus toile_scene_aim(const ToileScene *scene, ToileSim *sim, double frame,
                                      ToileError *error);

#ifdef __cplusplus
}
#endif
#endif
