/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What any DCC needs on top of core and io: one handle, meshes in as float arrays, frames out, the
 * cache written meanwhile. Made for ctypes: plain structs, no callbacks but one, no array of
 * structs.
 *
 * Positions come and go in each object's own space and units, as the host stores them; its matrix
 * (object to world, row-major, column vectors, host axes and units) says how it looks, scale and
 * mirroring included. The session simulates in metres in the host's axes and writes caches Y up
 * with the object's matrix on the transform above the mesh, so that a cache plays back on the
 * object it came from and stands in the right place everywhere else.
 *
 * Order: create, add cloths and colliders, begin, then for each further frame the matrices of what
 * moves, the positions of what deforms, and step; finish, or destroy at any time. A call that is
 * refused changes nothing, and the session goes on from where it was; only a cache that cannot be
 * written ends it.
 *
 * In an .abc cache a cloth is the mesh /<name>/<name>Shape, its name with every byte other than
 * letters, digits and _ as _, and _2, _3... behind a name that is taken. A .pc2 or .mdd cache holds
 * the positions of one cloth in its object's space and the host's axes. */
#ifndef TOILE_SESSION_SESSION_H
#define TOILE_SESSION_SESSION_H

#include "toile/toile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ToileSession ToileSession;

typedef struct ToileSessionDef {
    uint32_t struct_size;
    int32_t up;                 /* 0: the host's Y is up, 1: its Z; default 1 */
    int32_t first_frame;        /* default 1 */
    int32_t last_frame;         /* default 48; at least first_frame */
    int32_t quality;            /* a ToileQuality; default standard */
    int32_t substeps;           /* per frame; 0 (default): automatic */
    int32_t threads;            /* 0 (default): one per processor */
    int32_t velocities;         /* 1 (default): write velocities into .abc caches: the change of the
                                   positions a second, in the object's space */
    double fps;                 /* default 24 */
    double unit_m;              /* metres per host unit; default 1 */
    double gravity_m_per_s2[3]; /* host axes; default 0, 0, -9.81 whatever `up` says, so that a
                                   host whose Y is up sets it */
    double drag_kg_per_m2_s;    /* default 0 */
    double contact_thickness_m; /* below 0 (default): by fabric */
    const char *cache; /* .abc, .pc2 or .mdd to be written while stepping; NULL (default): none;
                          copied. PC2 and MDD hold one cloth. */
    ToileLog log;
    ToileProgress progress; /* called during a step; false cancels it */
    int32_t contact_self; /* 1 (default): cloths meet themselves and each other; 0: only colliders,
                             as for a caller whose struct ends before */
    uint32_t reserved;
} ToileSessionDef;

/* One garment. Arrays are copied. */
typedef struct ToileSessionCloth {
    uint32_t struct_size;
    int32_t vertex_count;
    int32_t face_count;
    int32_t corner_count;
    int32_t pattern; /* a ToilePattern; default none */
    uint32_t reserved;
    const char *name;          /* the object's name; NULL (default): "cloth" */
    const float *positions;    /* 3 * vertex_count, object space */
    const int32_t *face_sizes; /* NULL: see face_starts */
    const int32_t
        *face_starts; /* first corner of each face, for hosts that store that instead of sizes */
    const int32_t *corners;   /* corner_count vertex indices */
    const float *corner_uvs;  /* 2 * corner_count, one per corner; NULL: none */
    const char *uv_name;      /* kept in the cache; NULL: "uv" */
    const float *pin_weights; /* vertex_count; above 0.5 is pinned, and moves with the object; NULL:
                                 none */
    const char *fabric_name;  /* of the library; NULL: `fabric` */
    const ToileFabric *fabric; /* NULL: defaults */
    double pattern_scale_m;    /* metres per uv unit of a metric pattern; default 1 */
    double matrix[16];         /* object to world at the first frame; default identity */
} ToileSessionCloth;

/* Something the cloths fall on. Arrays are copied. */
typedef struct ToileSessionCollider {
    uint32_t struct_size;
    int32_t shape;        /* a ToileColliderShape */
    const char *name;     /* the object's name; NULL (default): "collider" */
    double center[3];     /* object space; default 0; of a capsule one end */
    double radius;        /* sphere and capsule, object space; default 0.5; above 0 */
    double half[3];       /* box, object space; default 0.5 each; above 0 */
    double normal[3];     /* plane, object space, to the free side; default 0, 0, 1 */
    double thickness_m;   /* default 0.001 */
    double friction;      /* below 0 (default): the fabric's */
    double matrix[16];    /* object to world at the first frame; default identity. A sphere under
                             uneven scale and a box under shear are refused with a sentence, a capsule
                             under any but along its own axis, which only moves its ends apart. */
    double end[3];        /* capsule, object space: its other end; default 0, 0, 1 */
    int32_t vertex_count; /* of the mesh; these are 0 (default) for other shapes */
    int32_t face_count;
    int32_t corner_count;
    uint32_t reserved;
    const float *positions;          /* 3 * vertex_count, object space, at the first frame */
    const int32_t *face_sizes;       /* 3 or more each; above 4 the face is split as a fan (see
                                        toile_mesh_fan). NULL: see face_starts */
    const int32_t *face_starts;      /* first corner of each face, in place of sizes */
    const int32_t *corners;          /* corner_count vertex indices */
    const float *vertex_thickness_m; /* one per vertex in place of thickness_m; NULL (default): the
                                        same everywhere */
    const float *vertex_friction; /* one per vertex in place of friction; NULL (default): the same
                                     everywhere */
} ToileSessionCollider;

/* Defaults, never more than `struct_size` bytes. [any thread] */
TOILE_API void toile_session_def_init(ToileSessionDef *def, uint32_t struct_size);
TOILE_API void toile_session_cloth_init(ToileSessionCloth *cloth, uint32_t struct_size);
TOILE_API void toile_session_collider_init(ToileSessionCollider *collider, uint32_t struct_size);

/* [any thread] */
TOILE_API ToileStatus toile_session_create(const ToileSessionDef *def, ToileSession **out,
                                           ToileError *error);
/* Frees everything; a cache not finished leaves nothing behind. NULL is allowed. [one thread per
 * sim] */
TOILE_API void toile_session_destroy(ToileSession *session);
/* Adds a garment; *index (may be NULL) counts from 0. A refused mesh names face and vertex in
 * `error`. [one thread per sim] */
TOILE_API ToileStatus toile_session_add_cloth(ToileSession *session, const ToileSessionCloth *cloth,
                                              int32_t *index, ToileError *error);
TOILE_API ToileStatus toile_session_add_collider(ToileSession *session,
                                                 const ToileSessionCollider *collider,
                                                 int32_t *index, ToileError *error);
/* Opens the cache and writes the first frame. Nothing can be added afterwards. [one thread per sim]
 */
TOILE_API ToileStatus toile_session_begin(ToileSession *session, ToileError *error);
/* The matrix a collider has at the next frame; unless it is a mesh, its scale must be the one it
 * began with. [one thread per sim] */
TOILE_API ToileStatus toile_session_set_collider_matrix(ToileSession *session, int32_t index,
                                                        const double matrix[16], ToileError *error);
/* Where the vertices of a mesh collider are at the next frame, 3 * vertex_count floats, object
 * space; they travel there evenly, and stay for the frames after. `vertex_count` must be the number
 * it began with: another one is refused as TOILE_STATUS_INVALID_DATA. [one thread per sim] */
TOILE_API ToileStatus toile_session_set_collider_positions(ToileSession *session, int32_t index,
                                                           const float *positions,
                                                           int32_t vertex_count, ToileError *error);
/* The matrix a cloth's object has at the next frame: its pinned vertices move with it, free ones do
 * not. Positions are then handed out in that moved space. [one thread per sim] */
TOILE_API ToileStatus toile_session_set_cloth_matrix(ToileSession *session, int32_t index,
                                                     const double matrix[16], ToileError *error);
/* Simulates the next frame and writes it. On cancel (TOILE_STATUS_CANCELLED) or divergence the
 * frames done are kept and the session is where it was: step again, finish or destroy it. When the
 * cache cannot be written, its partial file is removed and the session is over, except for
 * positions and statistics. [one thread per sim] */
TOILE_API ToileStatus toile_session_step(ToileSession *session, ToileError *error);
/* Positions of a cloth at the current frame, 3 * vertex_count floats, object space; the very
 * numbers of the cache. Before begin, those that were given. [one thread per sim] */
TOILE_API ToileStatus toile_session_get_positions(const ToileSession *session, int32_t index,
                                                  float *positions, ToileError *error);
/* The frame the session is at; it and those before are written. INT32_MIN when `session` is NULL.
 * [one thread per sim] */
TOILE_API int32_t toile_session_frame(const ToileSession *session);
/* Statistics of the last frame. [one thread per sim] */
TOILE_API ToileStatus toile_session_get_stats(const ToileSession *session, ToileStats *stats,
                                              ToileError *error);
/* The faces of a cloth that go through something at the current frame, ascending, each once: as
 * many as `capacity` has room for, and *count how many there are. `faces` may be NULL when
 * `capacity` is 0. [one thread per sim] */
TOILE_API ToileStatus toile_session_get_intersecting_faces(const ToileSession *session,
                                                           int32_t index, int32_t *faces,
                                                           int32_t capacity, int32_t *count,
                                                           ToileError *error);
/* Makes the cache appear with the frames done so far; in .abc the user property `complete` is 1
 * when that is all of them, else 0. After a failure no file is left. The session can be asked for
 * positions afterwards, but not stepped. [one thread per sim] */
TOILE_API ToileStatus toile_session_finish(ToileSession *session, ToileError *error);

#ifdef __cplusplus
}
#endif
#endif
