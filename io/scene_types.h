/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What a loaded scene holds, and the parts its reader is made of. */
#ifndef TL_IO_SCENE_TYPES_H
#define TL_IO_SCENE_TYPES_H

#include "keys.h"
#include "sha256.h"
#include "toile_io/obj.h"

/* Vertices that are held, in which frames, and by what. */
typedef struct TlScenePin {
    int32_t *vertices; /* ascending, each once */
    int32_t vertex_count;
    int32_t follow;  /* index of a collider, or -1 */
    int32_t *frames; /* ascending; NULL: always */
    int32_t frame_count;
    int32_t held_before; /* held without a break from the first frame to the one before this */
} TlScenePin;

typedef struct TlSceneCloth {
    const char *name;
    char *mesh_file; /* for free() */
    const char *fabric_name;
    ToileFabric fabric;
    ToileObj *mesh;
    ToileObj *start; /* or NULL */
    ToileObj *rest;  /* or NULL */
    int32_t pattern;
    int32_t elements;
    double pattern_scale_m;
    double unit_m;
    TlScenePin *pins;
    int32_t pin_count;
} TlSceneCloth;

typedef struct TlSceneKey {
    double frame;
    ToilePose pose;
} TlSceneKey;

typedef struct TlSceneCollider {
    ToileColliderDef def;
    TlSceneKey *keys; /* ascending frames */
    int32_t key_count;
} TlSceneCollider;

struct ToileScene {
    TlIoArena arena; /* the text's tree and all arrays and strings without a note */
    ToileSimDef sim;
    int32_t up;
    bool settle;
    bool velocities;
    int32_t *frames;
    int32_t frame_count;
    double unit_m;
    char *cache;   /* for free(), or NULL */
    char *preview; /* for free(), or NULL */
    TlSceneCloth *cloths;
    int32_t cloth_count;
    TlSceneCollider *colliders;
    int32_t collider_count;
    uint64_t hash;
};

/* What the parts of the reader share. */
typedef struct TlSceneReader {
    ToileScene *scene;
    const char *path; /* of the scene file */
    TlReport *report;
    TlSha256 sha;
} TlSceneReader;

/* Puts `count` strings "key.path=value" into the tree. */
void tl_scene_override(TlSceneReader *reader, TlJson *root, const char *const *overrides,
                       int32_t count);

/* Reads everything below the root; findings go to the report. */
void tl_scene_read(TlSceneReader *reader, const TlJson *root);
void tl_scene_read_cloth(TlSceneReader *reader, const TlKeys *root);
void tl_scene_read_colliders(TlSceneReader *reader, const TlKeys *root);
/* Reads pins of a cloth whose mesh was read. */
void tl_scene_read_pins(TlSceneReader *reader, const TlKeys *cloth_keys, TlSceneCloth *cloth);
/* Reads a mesh and reports its defects; NULL after an error. */
ToileObj *tl_scene_read_mesh(TlSceneReader *reader, const TlKeys *keys, const char *key,
                             double unit_m, bool need_faces, char **resolved);
void tl_scene_check_mesh(TlSceneReader *reader, const TlKeys *keys, const TlSceneCloth *cloth);

/* Reads a fabric: a name of the library, a file, or an object. */
void tl_scene_read_fabric(TlSceneReader *reader, const TlKeys *cloth_keys, ToileFabric *fabric,
                          const char **name);

/* Reads a file that `value` under `key` names, relative to the scene, and adds it to the hash. The
 * content and *resolved are for free(); NULL after an error. */
char *tl_scene_read_input(TlSceneReader *reader, const TlKeys *keys, const char *key,
                          const TlJson *value, size_t limit, char **resolved, size_t *size);
/* Reads the frame range under the key "frames" into the scene's arena. */
void tl_scene_read_frames(TlSceneReader *reader, const TlKeys *keys, int flags, bool ascending,
                          int32_t **frames, int32_t *count);
bool tl_scene_has_ending(const char *text, const char *ending);
/* Refuses names that cannot name an object in an archive or a file. */
void tl_scene_check_name(const TlKeys *keys, const char *name);

/* The pose of a collider at a frame. */
ToilePose tl_scene_pose(const TlSceneCollider *collider, double frame);
bool tl_scene_pin_holds(const TlScenePin *pin, int32_t frame);

#endif
