/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What a loaded scene holds, and the parts its reader is made of. */
#ifndef TL_IO_SCENE_TYPES_H
#define TL_IO_SCENE_TYPES_H

#include "keys.h"
#include "sha256.h"
#include "toile_io/abc_c.h"
#include "toile_io/obj.h"
#include "toile_io/osd_c.h"
#include "toile_io/pointcache.h"

/* A mesh of an archive that is kept open. All zero: none. */
typedef struct TlSceneArchive {
    abcc_reader *reader;
    abcc_obj object;
    char *file; /* for free(): "/x/body.abc:/body/bodyShape" */
    uint32_t samples;
    bool is_cage; /* a subdivision surface */
    bool moves;   /* its vertices, or a transform above it */
    bool changes; /* its faces, from sample to sample */
    bool turned;  /* its faces, because its transforms mirror it; once a mesh was read */
    double unit_m;
    double fps;
    bool z_up; /* of the scene; archives are Y up */
} TlSceneArchive;

/* The mesh that colliders and pins take from files: OBJ, numbered OBJ, OBJ with a point cache, or
 * an object of an archive. */
typedef struct TlSceneSurface {
    ToileMeshDef mesh; /* at the first frame, or the first in which it has faces; these have three
                          or four corners */
    char *file;        /* for free(): as toile_scene_get_collider_file hands it out */
    ToileObj *obj;     /* what `mesh` was made of, with its groups */
    /* for free(): what `mesh` holds beside the arrays of `obj` */
    double *positions_m;
    int32_t *face_sizes, *corners;
    bool deforms; /* vertices or faces change before the pose: files are read frame by frame */
    double unit_m;
    double fps;
    TlSceneArchive archive;
    ToilePointCacheReader *points; /* NULL: none */
    char *points_file;             /* for free() */
} TlSceneSurface;

/* Vertices that are held, in which frames, and by what. */
typedef struct TlScenePin {
    int32_t *vertices; /* ascending, each once */
    int32_t vertex_count;
    int32_t follow;         /* index of a collider, or -1 */
    TlSceneSurface *target; /* or a mesh of its own to follow, or NULL */
    int32_t *hold;          /* when that deforms: the triangle nearest to each vertex at the start,
                               as three of its vertices; else NULL */
    int32_t *frames;        /* ascending; NULL: always */
    int32_t frame_count;
    int32_t held_before; /* held without a break from the first frame to the one before this */
} TlScenePin;

/* What is sharp on a mesh that is subdivided; as in osdc_cage. */
typedef struct TlSceneTags {
    uint32_t creases, corners;
    int32_t *crease_pairs, *corner_vert;
    float *crease_sharpness, *corner_sharpness;
} TlSceneTags;

/* The last level of a refined mesh. */
typedef struct TlSceneLevel {
    ToileMeshDef mesh;   /* without positions */
    uint32_t *cage_face; /* the face that each of its faces comes from */
    TlSceneTags tags;
} TlSceneLevel;

/* How a cloth is subdivided before simulation and for output. */
typedef struct TlSceneSubdivision {
    int32_t simulate, output;                   /* levels; 0: not at all */
    bool limit;                                 /* output lies on the limit surface */
    osdc_options rule;                          /* scheme, boundary and uvs */
    TlSceneTags tags;                           /* of the simulated mesh */
    int32_t cage_vertex_count, cage_face_count; /* of the mesh in the file */
    osdc_table *by_vertex; /* from cage vertices to simulated ones, linear; NULL: the same */
    osdc_mesh *surface;    /* the simulated mesh refined for output, or NULL */
} TlSceneSubdivision;

/* A parameter of an archive, with values on some mesh. */
typedef struct TlSceneParam {
    const char *name, *meaning;
    abcc_type type;
    abcc_scope scope;
    uint32_t width; /* numbers a value */
    uint32_t count; /* values */
    const void *values;
    uint32_t *index; /* of face-varying ones: the value of each corner */
} TlSceneParam;

typedef struct TlSceneCloth {
    const char *name;
    char *mesh_file; /* for free() */
    const char *fabric_name;
    ToileFabric fabric;
    ToileObj *mesh;
    ToileObj *start;       /* or NULL */
    ToileObj *rest;        /* or NULL */
    TlSceneArchive source; /* of the mesh, when it is in an archive */
    const char *uv_set;    /* of that archive; NULL: the main one */
    int32_t pattern;
    int32_t elements;
    double pattern_scale_m;
    double unit_m;
    double *rest_curvature_map_per_m; /* one per vertex, or NULL */
    TlSceneSubdivision subdivide;
    TlScenePin *pins;
    int32_t pin_count;
} TlSceneCloth;

typedef struct TlSceneKey {
    double frame;
    ToilePose pose;
} TlSceneKey;

typedef struct TlSceneCollider {
    ToileColliderDef def;
    TlSceneSurface *surface; /* of a mesh, else NULL */
    TlSceneKey *keys;        /* ascending frames */
    int32_t key_count;
} TlSceneCollider;

/* A file that the scene was read from. */
typedef struct TlSceneInput {
    const char *path;
    const struct TlSceneInput *next;
} TlSceneInput;

/* One key of the wedges and the values it takes. */
typedef struct TlSceneWedgeKey {
    const char *key;
    const char **values; /* as JSON text */
    int32_t value_count;
} TlSceneWedgeKey;

struct ToileScene {
    TlIoArena arena; /* the text's tree and all arrays and strings without a note */
    ToileSimDef sim;
    int32_t up;
    bool settle;
    bool velocities;
    int32_t schema;
    int32_t samples; /* of the cache, a frame */
    int32_t *frames;
    int32_t frame_count;
    double unit_m;
    char *cache;   /* for free(), or NULL */
    char *preview; /* for free(), or NULL */
    TlSceneCloth *cloths;
    int32_t cloth_count;
    TlSceneCollider *colliders;
    int32_t collider_count;
    TlSceneWedgeKey *wedge_keys;
    int32_t wedge_key_count;
    int32_t wedge_count; /* product of all value counts; 0: no wedges */
    int32_t wedge;       /* the one this is, or -1 */
    uint64_t hash;
    const TlSceneInput *inputs; /* the last one read first */
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
/* Puts one value under "key.path"; findings have `place` and begin with `subject`. */
void tl_scene_put(TlSceneReader *reader, TlJson *root, const char *key, const TlJson *value,
                  TlIoPlace place, const char *subject);

/* Reads the table of wedges. */
void tl_scene_read_wedges(TlSceneReader *reader, const TlJson *root);
/* Puts the values of wedge `wedge` into the tree, unless it is -1. False after an error that leaves
 * nothing to be read. */
bool tl_scene_choose_wedge(TlSceneReader *reader, TlJson *root, int32_t wedge,
                           const char *const *overrides, int32_t override_count);

/* Reads everything below the root; findings go to the report. */
void tl_scene_read(TlSceneReader *reader, const TlJson *root);
void tl_scene_read_cloth(TlSceneReader *reader, const TlKeys *root);
void tl_scene_read_colliders(TlSceneReader *reader, const TlKeys *root);
/* Reads pins of a cloth whose mesh was read. */
void tl_scene_read_pins(TlSceneReader *reader, const TlKeys *cloth_keys, TlSceneCloth *cloth);
/* Reads scheme, rules and tags of a cloth that is a cage in an archive, if they are used; other
 * cloths are left alone. */
void tl_scene_read_cage(TlSceneReader *reader, const TlKeys *cloth_keys, TlSceneCloth *cloth,
                        bool used);
/* The creases and corners of an archive's cage, in arrays of `arena`, mended. */
abcc_status tl_scene_cage_tags(TlIoArena *arena, const TlSceneArchive *archive, TlSceneTags *tags,
                               abcc_error *error);
/* Makes 0 or more of every sharpness, as it then counts. */
void tl_scene_mend_sharpness(float *values, uint32_t count);
/* The scheme that an archive's free text stands for. */
const char *tl_scene_known_scheme(const char *scheme);
/* Reads "subdivide", whose keys stay open in `keys`, and what a subdivision surface of an archive
 * says of it. */
void tl_scene_read_subdivide(TlSceneReader *reader, const TlKeys *cloth_keys, TlSceneCloth *cloth,
                             TlKeys *keys);
/* Whether the mesh has faces of more than four corners, and subdivision makes quads of them. */
bool tl_scene_makes_quads(const TlSceneCloth *cloth);
/* Refines a sound mesh, its start and rest; everything read after it belongs to the refined one. */
void tl_scene_subdivide(TlSceneReader *reader, const TlKeys *keys, TlSceneCloth *cloth);
void tl_scene_free_subdivision(TlSceneSubdivision *sub);
/* A mesh as OpenSubdiv takes it, without face-varying channels. Indices were checked. */
osdc_cage tl_scene_osd_cage(const ToileMeshDef *mesh, const TlSceneTags *tags);
/* The rule that a cloth is subdivided by before simulation. */
osdc_options tl_scene_simulate_rule(const TlSceneCloth *cloth);
/* How many vertices the mesh has in its file. */
int32_t tl_scene_cage_vertices(const TlSceneCloth *cloth);
/* Puts the refined vertices in the place of a list of those in the file; false when memory ran out.
 */
bool tl_scene_refine_list(TlSceneReader *reader, const TlSceneCloth *cloth, int32_t **vertices,
                          int32_t *count);
/* The same for one value a vertex; NULL when memory ran out. */
double *tl_scene_refine_values(TlSceneReader *reader, const TlSceneCloth *cloth, double *values);
/* What is written of a cloth, in arrays of `arena`, and the table that makes its vertices of the
 * simulated ones, for osdc_table_free. Needs subdivide.surface. */
ToileStatus tl_scene_make_surface(const TlSceneCloth *cloth, TlIoArena *arena, TlSceneLevel *level,
                                  osdc_table **points, ToileError *error);
/* Puts copies in `arena` in the place of the arrays; false when memory runs out. */
bool tl_scene_copy_tags(TlIoArena *arena, TlSceneTags *tags);
/* Reads a mesh and reports its defects; NULL after an error. */
ToileObj *tl_scene_read_mesh(TlSceneReader *reader, const TlKeys *keys, const char *key,
                             double unit_m, bool need_faces, char **resolved);
void tl_scene_check_mesh(TlSceneReader *reader, const TlKeys *keys, const TlSceneCloth *cloth);
/* Warns when the rest shape is curved, but the fabric rests flat. */
void tl_scene_warn_if_curved(TlSceneReader *reader, const TlKeys *keys, const TlSceneCloth *cloth);
/* Adds twice the area of a polygon of `size` corners to a vector. */
void tl_scene_add_area(const double *positions, const int32_t *corners, int32_t size,
                       double area2[3]);
/* The group of the cloth's mesh that stands under the key "group", or -1. */
int32_t tl_scene_find_group(const TlKeys *keys, const TlSceneCloth *cloth);
/* The same for any mesh, read from `file`; NULL is allowed. */
int32_t tl_scene_find_group_of(const TlKeys *keys, const ToileObj *obj, const char *file);
/* Whether a text names an archive: FILE.abc or FILE.abc:/path. */
bool tl_scene_names_archive(const char *text);
/* Warns of the parameters of a cloth's archive that are lost when it is subdivided; before that. */
void tl_scene_warn_of_params(TlSceneReader *reader, const TlKeys *cloth_keys,
                             const TlSceneCloth *cloth);
/* The other parameters that count faces, vertices or corners, as they are on the mesh that is
 * written of a cloth that is subdivided. Arrays are in `arena`, strings belong to the archive. */
ToileStatus tl_scene_refine_params(const TlSceneCloth *cloth, double frame, TlIoArena *arena,
                                   TlSceneParam **params, int32_t *count, ToileError *error);
/* Whether two meshes have the same faces, or one has none at all. */
bool tl_scene_same_faces(const ToileMeshDef *a, const ToileMeshDef *b);

/* Reads a fabric: a name of the library, a file, or an object. The mesh was read before, or is NULL
 * after an error. */
void tl_scene_read_fabric(TlSceneReader *reader, const TlKeys *cloth_keys, TlSceneCloth *cloth);
/* Reads its bending part. */
void tl_scene_read_bend(TlSceneReader *reader, const TlKeys *fabric_keys, TlSceneCloth *cloth);

/* Reads a file that `value` under `key` names, relative to the scene, and adds it to the hash. The
 * content and *resolved are for free(); NULL after an error. */
char *tl_scene_read_input(TlSceneReader *reader, const TlKeys *keys, const char *key,
                          const TlJson *value, size_t limit, char **resolved, size_t *size);
/* Remembers that a file is read, which no output may take the place of. */
ToileStatus tl_scene_add_input(ToileScene *scene, const char *path, ToileError *error);
/* Adds a file of any size to the hash without keeping it. */
ToileStatus tl_scene_hash_file(TlSceneReader *reader, const char *path, ToileError *error);
/* Reports why a file could not be read, with the file as its place. */
void tl_scene_report_file(TlReport *report, const char *path, ToileStatus status,
                          const ToileError *cause);
/* Reports that a file which `value` under `key` names cannot be read. */
void tl_scene_cannot_read(const TlKeys *keys, const char *key, const TlJson *value,
                          const char *resolved, ToileStatus status, const ToileError *error);
/* Reads the frame range under the key "frames" into the scene's arena. */
void tl_scene_read_frames(TlSceneReader *reader, const TlKeys *keys, int flags, bool ascending,
                          int32_t **frames, int32_t *count);
/* Refuses names that cannot name an object in an archive or a file. */
void tl_scene_check_name(const TlKeys *keys, const char *name);

/* Reads the mesh under the key `key`, and its point cache under "points" if there is one; NULL
 * after an error. */
TlSceneSurface *tl_scene_read_surface(TlSceneReader *reader, const TlKeys *keys, const char *key,
                                      double unit_m);
/* NULL is allowed. */
void tl_scene_free_surface(TlSceneSurface *surface);
/* Where its vertices are at a frame: 3 values each; `name` of the collider for sentences. */
ToileStatus tl_scene_surface_positions(const TlSceneSurface *surface, const char *name,
                                       double frame, double *positions_m, ToileError *error);
/* The mesh at a frame, with faces of three or four corners. NULL in *out: it has none then. */
ToileStatus tl_scene_surface_mesh(const TlSceneSurface *surface, const char *name, double frame,
                                  ToileObj **out, ToileError *error);

/* Opens the archive that stands under `key`, finds the mesh and adds the file to the hash; false
 * after an error. */
bool tl_scene_archive_open(TlSceneReader *reader, const TlKeys *keys, const char *key,
                           double unit_m, TlSceneArchive *archive);
/* One that is all zero is allowed. */
void tl_scene_archive_close(TlSceneArchive *archive);
/* The mesh at a frame with its groups and a uv set (NULL: the main one); without faces it is
 * refused. */
ToileStatus tl_scene_archive_mesh(TlSceneArchive *archive, double frame, const char *uv_set,
                                  ToileObj **out, ToileError *error);
/* Its vertices at a frame, which must be `vertex_count` many. */
ToileStatus tl_scene_archive_positions(const TlSceneArchive *archive, double frame,
                                       int32_t vertex_count, double *positions_m,
                                       ToileError *error);
/* Moves *frame on to the first sample from there on that has faces; it stays where it is when the
 * next 20000 samples have none. */
ToileStatus tl_scene_archive_appears(const TlSceneArchive *archive, double *frame,
                                     ToileError *error);
/* How many vertices and faces it has at a frame; equal keys: the same faces. */
ToileStatus tl_scene_archive_faces(const TlSceneArchive *archive, double frame, uint8_t key[16],
                                   int32_t *vertex_count, int32_t *face_count, ToileError *error);

/* Puts the main uv set into a mesh that was read at a frame; none where the archive has only
 * parameters that serve as uvs. */
ToileStatus tl_scene_archive_main_uvs(const TlSceneArchive *archive, double frame, TlIoArena *arena,
                                      ToileMeshDef *mesh, ToileError *error);
/* The name of a uv set; NULL: the archive is none, or has no uvs. */
const char *tl_scene_archive_uv_name(const TlSceneArchive *archive, const char *uv_set);

/* Finds what each vertex of a pin holds on to, on a mesh that deforms. */
void tl_scene_hold(TlSceneReader *reader, const TlSceneCloth *cloth, TlScenePin *pin);
/* Moves what holds on to a triangle from where that is in `from_m` to where it is in `to_m`. */
void tl_scene_carry(const double *from_m, const double *to_m, const int32_t triangle[3],
                    const double in_m[3], double out_m[3]);

/* The pose of a collider at a frame. */
ToilePose tl_scene_pose(const TlSceneCollider *collider, double frame);
bool tl_scene_pin_holds(const TlScenePin *pin, int32_t frame);

#endif
