/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A C face for Alembic archives (Ogawa files).
 *
 * Rules of the boundary
 *  - No C++ type, exception or allocation crosses it. A call that can fail answers an abcc_status
 *    and fills *error, which may be NULL and is untouched on success.
 *  - Strings are UTF-8. Those handed out belong to the handle and live until it is closed. Arrays
 *    are copied into buffers of the caller.
 *  - Structs start with struct_size; the inline abcc_..._default functions set it and zero the
 * rest. A struct whose size is 0 or too small is refused as not initialised.
 *  - Times are seconds. Frames exist only in the host.
 *  - Files hold faces clockwise seen from outside. The shim takes and hands over counter-clockwise
 *    faces, and reverses indices and everything else that is stored per corner together.
 *    ABCC_RAW_WINDING turns that off.
 *  - Axes and units are never changed here; the host owns them.
 *
 * Thread tags:
 *   [any thread]             at any time from any thread; calls on one reader wait for each other,
 *                            so that several threads read faster with a reader each
 *   [one thread per writer]  calls on one writer must not overlap */
#ifndef TOILE_IO_ABC_C_H
#define TOILE_IO_ABC_C_H

#include "toile/base.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct abcc_reader abcc_reader;
typedef struct abcc_writer abcc_writer;
typedef uint32_t abcc_obj;  /* index in depth-first order; 0 is the top object */
typedef uint32_t abcc_time; /* id of a time sampling; 0 is "static" */

/* What a function that can fail answers. Values never change; new ones go at the end. */
typedef enum abcc_status {
    ABCC_OK = 0,
    ABCC_E_ARG = 1,         /* the caller's mistake: NULL, unknown id, value out of range */
    ABCC_E_OPEN = 2,        /* no such file, no permission, cannot be created */
    ABCC_E_HDF5 = 3,        /* an Alembic file of the old HDF5 kind, which is not supported */
    ABCC_E_NOT_ALEMBIC = 4, /* something else altogether */
    ABCC_E_UNFINISHED = 5,  /* its writer was stopped before the end */
    ABCC_E_CORRUPT = 6,     /* the structure or a sample contradicts itself */
    ABCC_E_LIMIT = 7,       /* beyond abcc_limits */
    ABCC_E_IO = 8,          /* reading or writing failed */
    ABCC_E_NOSPACE = 9,     /* the disk, or the user's share of it, is full */
    ABCC_E_ORDER = 10,      /* writer calls that do not fit those made before */
    ABCC_E_MEMORY = 11,
    ABCC_E_INTERNAL = 12
} abcc_status;

/* One sentence: what was wrong, in which object, the value found, what is allowed. */
typedef struct abcc_error {
    abcc_status code;
    char text[252];
} abcc_error;

/* Flags of abcc_open and abcc_create. */
enum { ABCC_RAW_WINDING = 1 };

/* Defines `type`_default(), which answers a struct with its size set and all else zero. */
#define ABCC_DEFAULT(type)                                                                         \
    static inline type type##_default(void) {                                                      \
        type value;                                                                                \
        memset(&value, 0, sizeof value);                                                           \
        value.struct_size = (uint32_t)sizeof value;                                                \
        return value;                                                                              \
    }

/* Number of this interface: major << 16 | minor. [any thread] */
TOILE_API uint32_t abcc_version(void);

/* ---- archives, reading ---- */

/* What a file may ask for. A value of 0 takes the default. */
typedef struct abcc_limits {
    uint32_t struct_size;
    uint32_t max_depth;        /* levels of objects and of properties; default 256, at most 1000 */
    uint32_t max_objects;      /* objects, with those seen through instances; default 1 000 000 */
    uint64_t max_sample_bytes; /* of one array; default 4 GiB */
} abcc_limits;

ABCC_DEFAULT(abcc_limits)

/* Verifies the structure of a file without interpreting it: every part inside the file, headers
 * well formed, every sample there and of the size its header promises, strings terminated, times
 * increasing. Reads headers and strings only. The library behind this header crashes on files that
 * fail here. `limits` may be NULL. [any thread] */
TOILE_API abcc_status abcc_check(const char *path, const abcc_limits *limits, abcc_error *error);

/* Opens a file after abcc_check, lists its objects and resolves its instances. A file with an
 * instance that contains itself is refused. `limits` may be NULL. The file may be replaced by
 * renaming while it is open, but not be changed in place. [any thread] */
TOILE_API abcc_status abcc_open(const char *path, unsigned flags, const abcc_limits *limits,
                                abcc_reader **out, abcc_error *error);

/* NULL is allowed. [any thread, once no other call uses the reader] */
TOILE_API void abcc_close(abcc_reader *reader);

typedef struct abcc_info {
    uint32_t struct_size;
    uint32_t time_samplings; /* how many the file holds; id 0 is always there */
    const char *application; /* free texts; "" when not recorded */
    const char *description;
    const char *library;
    const char *date;
    double fps; /* frames a second of the program that wrote the file; 0 when not recorded */
} abcc_info;

ABCC_DEFAULT(abcc_info)

/* What the file says about itself. [any thread] */
TOILE_API abcc_status abcc_info_get(abcc_reader *reader, abcc_info *info, abcc_error *error);

/* ---- hierarchy ---- */

typedef enum abcc_kind {
    ABCC_OTHER = 0,
    ABCC_XFORM = 1,
    ABCC_MESH = 2,
    ABCC_SUBD = 3,
    ABCC_POINTS = 4,
    ABCC_CURVES = 5,
    ABCC_CAMERA = 6,
    ABCC_FACESET = 7
} abcc_kind;

typedef struct abcc_object {
    uint32_t struct_size;
    abcc_obj parent;      /* of the top object: 0 */
    abcc_obj instance_of; /* the object whose data this one shows; 0: its own */
    abcc_kind kind;
    uint32_t samples;   /* of positions or of the matrix; 0: never set */
    const char *name;   /* last part of the path */
    const char *path;   /* "/a/b"; of the top object "/" */
    const char *schema; /* "AbcGeom_PolyMesh_v1" and so on, or "" */
    int constant;       /* 1: those samples are all equal, and inherit or not all the time, so that
                         * nothing moves */
    const char *source; /* of an instance the path of what it stands for, else ""; when the file
                         * holds no such object, instance_of is 0 and there is no data */
} abcc_object;

ABCC_DEFAULT(abcc_object)

/* Objects of the file with the top object, which is number 0. An instance counts with all that
 * lies below its source. 0 when `reader` is NULL. [any thread] */
TOILE_API uint32_t abcc_object_count(abcc_reader *reader);

/* One object of the table. A child's number is greater than its parent's. [any thread] */
TOILE_API abcc_status abcc_object_get(abcc_reader *reader, abcc_obj obj, abcc_object *object,
                                      abcc_error *error);

/* The object at a full path such as "/skirt/skirtShape"; a '/' at the end changes nothing.
 * [any thread] */
TOILE_API abcc_status abcc_find(abcc_reader *reader, const char *path, abcc_obj *obj,
                                abcc_error *error);

/* ---- time ---- */

typedef enum abcc_time_kind {
    ABCC_TIME_UNIFORM = 0, /* first + k * period */
    ABCC_TIME_CYCLIC = 1,  /* several samples in each period, such as the ends of a shutter */
    ABCC_TIME_ACYCLIC = 2  /* a list of times */
} abcc_time_kind;

/* The times of an object's samples. */
typedef struct abcc_times {
    uint32_t struct_size;
    abcc_time_kind kind;
    uint32_t id;         /* number of the time sampling in the file */
    uint32_t per_period; /* samples in each period; of a list: its length */
    double period;       /* seconds; 0 for a list */
    double first, last;  /* seconds, of the object's samples; 0 when it has none */
} abcc_times;

ABCC_DEFAULT(abcc_times)

/* How the samples of an object are spread in time. [any thread] */
TOILE_API abcc_status abcc_times_get(abcc_reader *reader, abcc_obj obj, abcc_times *times,
                                     abcc_error *error);

/* Time of a sample in seconds. [any thread] */
TOILE_API abcc_status abcc_sample_time(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                       double *seconds, abcc_error *error);

/* The samples around a time and the weight of the later one, 0 to 1. Before the first and after the
 * last sample both are that sample. A time within a thousandth of the gap from a sample is
 * that sample, so that frame / fps finds its sample in spite of rounding. [any thread] */
TOILE_API abcc_status abcc_sample_at(abcc_reader *reader, abcc_obj obj, double seconds,
                                     uint32_t *floor_sample, uint32_t *ceil_sample, double *weight,
                                     abcc_error *error);

/* ---- transforms ---- */

/* The matrix of one transform, for row vectors: 16 doubles, translation in m[12..14]. Between two
 * samples each operation of the transform is blended by itself: translations and scales go
 * straight; rotations in a row turn together, by the shortest arc at even speed; a matrix is split
 * into translation, rotation and what is left, scale and shear. `inherits` gets 0 when the
 * transform ignores its parents; it may be NULL. [any thread] */
TOILE_API abcc_status abcc_xform_read(abcc_reader *reader, abcc_obj obj, double seconds,
                                      double m[16], int *inherits, abcc_error *error);

/* The matrix from an object's space to the world. `visible` gets 0 when the object or an ancestor
 * hides it, `mirrored` gets 1 when the matrix turns faces inside out; both may be NULL.
 * [any thread] */
TOILE_API abcc_status abcc_world(abcc_reader *reader, abcc_obj obj, double seconds, double m[16],
                                 int *visible, int *mirrored, abcc_error *error);

/* What an object says of its own visibility, at times between samples what the earlier one says:
 * -1 leaves it to the parent, 0 hides it and all below that leaves it to the parent, 1 shows it.
 * `samples` gets how often that is recorded, 0: never, which is -1; it may be NULL.
 * [any thread] */
TOILE_API abcc_status abcc_visibility(abcc_reader *reader, abcc_obj obj, double seconds, int *value,
                                      uint32_t *samples, abcc_error *error);

/* Bounds of everything below an object (0: of the whole file) in its own space, as the file claims
 * them: minimum, then maximum. `known` gets 0, and `bounds` zeros, when it makes no claim. At times
 * between samples the earlier one is taken. [any thread] */
TOILE_API abcc_status abcc_child_bounds(abcc_reader *reader, abcc_obj obj, double seconds,
                                        double bounds[6], int *known, abcc_error *error);

/* ---- meshes and subdivision cages ---- */

typedef enum abcc_scope {
    ABCC_NONE = 0,
    ABCC_CONSTANT = 1,
    ABCC_UNIFORM = 2,
    ABCC_VARYING = 3,
    ABCC_VERTEX = 4,
    ABCC_FACEVARYING = 5
} abcc_scope;

typedef enum abcc_topology {
    ABCC_TOPO_STATIC = 0, /* nothing moves */
    ABCC_TOPO_FIXED = 1,  /* points move, faces stay: samples may be blended */
    ABCC_TOPO_CHANGING = 2
} abcc_topology;

typedef struct abcc_mesh_sizes {
    uint32_t struct_size;
    uint32_t verts, faces, corners;
    uint32_t velocities; /* 0 or verts */
    uint32_t uv_values;  /* 0: the mesh has no uvs */
    abcc_scope uv_scope; /* as in the file; abcc_mesh_read hands over one index a corner anyway */
    abcc_topology topology;
    int has_bounds;
    double bounds[6];         /* the file's claim, object space: minimum, then maximum */
    uint8_t topology_key[16]; /* equal keys: same faces and counts, nothing need be read again */
    const char *uv_name;      /* the host's name of the uv map, or "" */
    uint32_t normals;         /* 0: the mesh has none */
    abcc_scope normal_scope;  /* as in the file; abcc_mesh_read hands over one a corner anyway */
} abcc_mesh_sizes;

ABCC_DEFAULT(abcc_mesh_sizes)

/* Counts of one sample of an ABCC_MESH or ABCC_SUBD. Reads no arrays. [any thread] */
TOILE_API abcc_status abcc_mesh_size(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                     abcc_mesh_sizes *sizes, abcc_error *error);

/* Where to put a sample. A NULL pointer means "not wanted". Capacities count elements: vertices,
 * faces, corners, uv pairs. */
typedef struct abcc_mesh_out {
    uint32_t struct_size;
    uint32_t cap_verts, cap_faces, cap_corners, cap_uv;
    float *P;            /* 3 * verts */
    float *v;            /* 3 * verts, units a second; only if the mesh has velocities */
    int32_t *face_count; /* faces: corners of each */
    int32_t *index;      /* corners: vertex of each */
    float *uv;           /* 2 * uv_values */
    uint32_t *uv_index;  /* corners: uv of each */
    float *normal;       /* 3 * corners, outwards; only if the mesh has normals */
} abcc_mesh_out;

ABCC_DEFAULT(abcc_mesh_out)

/* Reads one sample. Counts are checked against each other and every index against its range; what
 * fits together is handed over as it is, so that faces with fewer than three corners and points
 * that are not finite are left for the host to refuse. Nothing is written when a check fails.
 * [any thread] */
TOILE_API abcc_status abcc_mesh_read(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                     const abcc_mesh_out *out, abcc_error *error);

/* How many points one sample of ABCC_POINTS or ABCC_CURVES has. [any thread] */
TOILE_API abcc_status abcc_points_size(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                       uint32_t *points, abcc_error *error);

/* How many velocities one sample of ABCC_POINTS or ABCC_CURVES has; 0: none. [any thread] */
TOILE_API abcc_status abcc_points_velocities(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                             uint32_t *velocities, abcc_error *error);

/* ---- uv sets ---- */

/* One uv set of a mesh. */
typedef struct abcc_uv_set {
    uint32_t struct_size;
    int main;         /* 1: the one that abcc_mesh_read reads; always number 0 */
    abcc_scope scope; /* as in the file */
    int indexed;      /* values are shared through indices */
    uint32_t samples;
    const char *name; /* the host's name of it; of a main set without one "uv" */
} abcc_uv_set;

ABCC_DEFAULT(abcc_uv_set)

/* How many uv sets an ABCC_MESH or ABCC_SUBD has: the main one, and parameters of two floats that
 * can be looked up at a corner. [any thread] */
TOILE_API abcc_status abcc_uv_count(abcc_reader *reader, abcc_obj obj, uint32_t *count,
                                    abcc_error *error);

/* One uv set, by number below the count. [any thread] */
TOILE_API abcc_status abcc_uv_get(abcc_reader *reader, abcc_obj obj, uint32_t i, abcc_uv_set *set,
                                  abcc_error *error);

/* The number of the uv set with a name; the sentence of a failure lists those there are.
 * [any thread] */
TOILE_API abcc_status abcc_uv_find(abcc_reader *reader, abcc_obj obj, const char *name, uint32_t *i,
                                   abcc_error *error);

/* How many uvs a set has at a sample of the mesh; 0: none at that sample. [any thread] */
TOILE_API abcc_status abcc_uv_size(abcc_reader *reader, abcc_obj obj, uint32_t i, uint32_t sample,
                                   uint32_t *values, abcc_error *error);

/* Reads a uv set at a sample of the mesh: 2 * values floats, and one index a corner, checked and
 * in the order of the corners that abcc_mesh_read hands over. Either pointer may be NULL.
 * [any thread] */
TOILE_API abcc_status abcc_uv_read(abcc_reader *reader, abcc_obj obj, uint32_t i, uint32_t sample,
                                   float *uv, uint32_t cap_uv, uint32_t *uv_index,
                                   uint32_t cap_corners, abcc_error *error);

/* ---- subdivision cages ---- */

/* What an ABCC_SUBD holds beside the mesh that abcc_mesh_size and abcc_mesh_read handle. A crease
 * is a run of vertices, each joined to the next by a sharp edge. */
typedef struct abcc_subd_sizes {
    uint32_t struct_size;
    uint32_t creases;       /* runs */
    uint32_t crease_verts;  /* of all runs together */
    uint32_t crease_sharps; /* sharpnesses: one a run, or one an edge */
    uint32_t crease_edges;  /* edges of all runs together */
    uint32_t corners;       /* sharp vertices */
    uint32_t holes;         /* faces that are left out of the surface */
    int boundary;           /* 0 none, 1 edge and corner, 2 edge only */
    int fvar_boundary;      /* uvs: 0 linear, 1 corners plus 1, 2 smooth, 3 linear boundaries */
    int fvar_propagate_corners;
    const char *scheme; /* "catmull-clark", "loop", "bilinear"; free text of the file */
} abcc_subd_sizes;

ABCC_DEFAULT(abcc_subd_sizes)

/* Counts and rules of one sample of an ABCC_SUBD. [any thread] */
TOILE_API abcc_status abcc_subd_size(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                     abcc_subd_sizes *sizes, abcc_error *error);

/* Where to put them. A NULL pointer means "not wanted". Creases can be had as runs, as in the file,
 * or split into edges. Sharpness is 0 for smooth to 10 for sharp. */
typedef struct abcc_subd_out {
    uint32_t struct_size;
    uint32_t cap_creases, cap_crease_verts, cap_crease_sharps, cap_crease_edges, cap_corners,
        cap_holes;
    int32_t *crease_length;  /* creases: vertices of each run */
    int32_t *crease_vert;    /* crease_verts: run after run */
    float *crease_sharpness; /* crease_sharps */
    int32_t *edge;           /* 2 * crease_edges: the vertices of each */
    float *edge_sharpness;   /* crease_edges */
    int32_t *corner_vert;    /* corners */
    float *corner_sharpness; /* corners */
    int32_t *hole;           /* holes: the face of each */
} abcc_subd_out;

ABCC_DEFAULT(abcc_subd_out)

/* Reads creases, corners and holes of one sample. Counts are checked against each other and every
 * vertex and face against the mesh; nothing is written when a check fails. [any thread] */
TOILE_API abcc_status abcc_subd_read(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                     const abcc_subd_out *out, abcc_error *error);

/* ---- face sets ---- */

/* How many faces one sample of an ABCC_FACESET has. Its name is that of the object, its mesh is the
 * parent of the object. [any thread] */
TOILE_API abcc_status abcc_faceset_size(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                        uint32_t *faces, abcc_error *error);

/* The faces of one sample, in the file's order. A face that is not below `mesh_faces`, the number
 * of faces of the mesh they belong to, is refused. [any thread] */
TOILE_API abcc_status abcc_faceset_read(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                        uint32_t mesh_faces, int32_t *face, uint32_t cap_faces,
                                        abcc_error *error);

/* ---- other parameters: user properties and arbitrary geometry parameters ---- */

typedef enum abcc_type {
    ABCC_BOOL = 0,
    ABCC_U8 = 1,
    ABCC_I8 = 2,
    ABCC_U16 = 3,
    ABCC_I16 = 4,
    ABCC_U32 = 5,
    ABCC_I32 = 6,
    ABCC_U64 = 7,
    ABCC_I64 = 8,
    ABCC_F16 = 9,
    ABCC_F32 = 10,
    ABCC_F64 = 11,
    ABCC_STRING = 12,
    ABCC_WSTRING = 13
} abcc_type;

typedef enum abcc_where { ABCC_IN_ARB = 0, ABCC_IN_USER = 1 } abcc_where;

typedef struct abcc_param {
    uint32_t struct_size;
    abcc_where where;
    abcc_type type;
    abcc_scope scope; /* ABCC_NONE for user properties */
    uint32_t width;   /* how many of `type` make one value */
    uint32_t samples;
    int indexed;         /* values are shared through indices */
    int scalar;          /* one value a sample; 0: an array */
    const char *name;    /* below nested compounds "outer/inner" */
    const char *meaning; /* "vector", "rgb", ... or "" */
    int constant;        /* of what is read: 1: all samples are equal */
} abcc_param;

ABCC_DEFAULT(abcc_param)

/* How many parameters an object has. Of an ABCC_OTHER, of whose schema nothing is known, all its
 * properties count as user properties. [any thread] */
TOILE_API abcc_status abcc_param_count(abcc_reader *reader, abcc_obj obj, uint32_t *count,
                                       abcc_error *error);

/* One parameter, by number below the count. [any thread] */
TOILE_API abcc_status abcc_param_get(abcc_reader *reader, abcc_obj obj, uint32_t i,
                                     abcc_param *param, abcc_error *error);

/* Room needed for one sample: bytes of all values, how many values, how many indices. Strings are
 * stored one after the other, each with its terminating zero. Wide strings are not read.
 * [any thread] */
TOILE_API abcc_status abcc_param_size(abcc_reader *reader, abcc_obj obj, uint32_t i,
                                      uint32_t sample, uint64_t *bytes, uint64_t *values,
                                      uint64_t *indices, abcc_error *error);

/* Values and indices of one sample in the file's own order, into buffers of `bytes` bytes and
 * `index_count` indices. `indices` may be NULL. [any thread] */
TOILE_API abcc_status abcc_param_read(abcc_reader *reader, abcc_obj obj, uint32_t i,
                                      uint32_t sample, void *values, uint64_t bytes,
                                      uint32_t *indices, uint64_t index_count, abcc_error *error);

/* ---- writing ----
 *
 * Everything goes to "<path>.<host>.<pid>.tmp" in the same folder; abcc_finish gives it its name.
 * What killed processes of this machine left behind under such names is removed.
 * Until then, and after any failure, nothing appears or changes under the final name. Equal calls
 * give equal bytes. */

typedef struct abcc_create_info {
    uint32_t struct_size;
    unsigned flags;          /* ABCC_RAW_WINDING or 0 */
    double fps;              /* recorded for other programs; greater than 0 */
    const char *application; /* free texts, or NULL; ';' and '=' are stored as ',' and ':' */
    const char *description;
} abcc_create_info;

ABCC_DEFAULT(abcc_create_info)

/* Begins a file. ABCC_E_OPEN when it cannot be created. [any thread] */
TOILE_API abcc_status abcc_create(const char *path, const abcc_create_info *info, abcc_writer **out,
                                  abcc_error *error);

/* Declares samples at start + k * step seconds, step > 0. Equal calls give equal ids.
 * [one thread per writer] */
TOILE_API abcc_status abcc_time_uniform(abcc_writer *writer, double start, double step,
                                        abcc_time *time, abcc_error *error);

/* Declares `count` samples in each period of `period` seconds, such as the ends of a shutter:
 * sample k is at times[k % count] + period * (k / count). The times rise and span less than a
 * period. Equal calls give equal ids. [one thread per writer] */
TOILE_API abcc_status abcc_time_cyclic(abcc_writer *writer, double period, const double *times,
                                       uint32_t count, abcc_time *time, abcc_error *error);

/* Adds a transform below `parent` (0: the top). Without a sample it is the identity. `time` 0 is
 * for at most one sample. Names are not empty and hold no '/'. [one thread per writer] */
TOILE_API abcc_status abcc_add_xform(abcc_writer *writer, abcc_obj parent, const char *name,
                                     abcc_time time, abcc_obj *obj, abcc_error *error);

/* Adds a polygon mesh. `uv_name` is the host's name of its uv map, or NULL.
 * [one thread per writer] */
TOILE_API abcc_status abcc_add_mesh(abcc_writer *writer, abcc_obj parent, const char *name,
                                    abcc_time time, const char *uv_name, abcc_obj *obj,
                                    abcc_error *error);

/* Adds a subdivision cage; its samples go through abcc_subd_write. [one thread per writer] */
TOILE_API abcc_status abcc_add_subd(abcc_writer *writer, abcc_obj parent, const char *name,
                                    abcc_time time, const char *uv_name, abcc_obj *obj,
                                    abcc_error *error);

/* Adds another place where `source` and all below it is shown. `source` is no instance itself and
 * does not contain `parent`. [one thread per writer] */
TOILE_API abcc_status abcc_add_instance(abcc_writer *writer, abcc_obj parent, const char *name,
                                        abcc_obj source, abcc_error *error);

/* Adds a named set of faces below a mesh or cage, for the whole clip; hosts make a material slot of
 * it. The numbers rise and must exist whenever faces are given. [one thread per writer] */
TOILE_API abcc_status abcc_add_faceset(abcc_writer *writer, abcc_obj mesh, const char *name,
                                       const int32_t *faces, uint32_t count, abcc_obj *obj,
                                       abcc_error *error);

/* Writes the next sample of a transform: a matrix for row vectors. [one thread per writer] */
TOILE_API abcc_status abcc_xform_write(abcc_writer *writer, abcc_obj obj, const double m[16],
                                       int inherits, abcc_error *error);

/* One sample of a mesh. */
typedef struct abcc_mesh_in {
    uint32_t struct_size;
    uint32_t verts, faces, corners, uv_values;
    const float *P;            /* 3 * verts, finite */
    const float *v;            /* 3 * verts, units a second: in every sample or in none */
    const int32_t *face_count; /* faces; with `index` NULL after the first sample: unchanged */
    const int32_t *index;      /* corners */
    const float *uv;           /* 2 * uv_values; given with the first faces or never, and again
                                * whenever faces are given again */
    const uint32_t *uv_index;  /* corners */
    const float *normal; /* 3 * corners, outwards: in every sample or in none; not for cages */
} abcc_mesh_in;

ABCC_DEFAULT(abcc_mesh_in)

/* Writes the next sample of a mesh, with its bounds. The arrays are checked as abcc_mesh_read
 * checks them and are not kept. [one thread per writer] */
TOILE_API abcc_status abcc_mesh_write(abcc_writer *writer, abcc_obj obj, const abcc_mesh_in *in,
                                      abcc_error *error);

/* What a subdivision cage has beside the mesh. A crease is a run of vertices, each joined to the
 * next by a sharp edge. */
typedef struct abcc_subd_in {
    uint32_t struct_size;
    uint32_t creases;       /* runs */
    uint32_t crease_verts;  /* of all runs together */
    uint32_t crease_sharps; /* creases, or as many as all runs have edges */
    uint32_t corners;       /* sharp vertices */
    uint32_t holes;         /* faces that are left out of the surface */
    int boundary;           /* 0 none, 1 edge and corner, 2 edge only */
    int fvar_boundary;      /* uvs: 0 linear, 1 corners plus 1, 2 smooth, 3 linear boundaries */
    int fvar_propagate_corners;
    const char *scheme; /* "catmull-clark", "loop" or "bilinear"; NULL is the first */
    const int32_t *crease_length;
    const int32_t *crease_vert;
    const float *crease_sharpness; /* 0 to 10, greater is sharper */
    const int32_t *corner_vert;
    const float *corner_sharpness;
    const int32_t *hole;
} abcc_subd_in;

ABCC_DEFAULT(abcc_subd_in)

/* Writes the next sample of a subdivision cage. `subd` NULL means unchanged, and in the first
 * sample a Catmull-Clark surface without creases. Creases, corners and holes are there from the
 * first sample or never. [one thread per writer] */
TOILE_API abcc_status abcc_subd_write(abcc_writer *writer, abcc_obj obj, const abcc_mesh_in *in,
                                      const abcc_subd_in *subd, abcc_error *error);

/* What the next sample of an object says of its visibility: -1 leaves it to the parent, 0 hides it
 * and all below that leaves it to the parent, 1 shows it. Kept by later samples; given before the
 * first sample or never. [one thread per writer] */
TOILE_API abcc_status abcc_visible_write(abcc_writer *writer, abcc_obj obj, int visible,
                                         abcc_error *error);

/* Declares a parameter of an object: an arbitrary geometry parameter (further uv sets are of two
 * floats, with meaning "vector" and scope ABCC_FACEVARYING) or a user property. `samples` 0: it has
 * a sample with each of the object's, and is declared before the first of them; 1: it has one
 * value for the whole clip. Wide strings cannot be declared. [one thread per writer] */
TOILE_API abcc_status abcc_param_add(abcc_writer *writer, abcc_obj obj, const abcc_param *param,
                                     uint32_t *id, abcc_error *error);

/* The values of a parameter at the next sample of its object, or for the whole clip; given again
 * before that they are replaced, not given again they stay. What is stored per corner comes in the
 * order of the mesh's corners. Strings follow one another, each with its terminating zero.
 * `indices` are for indexed parameters only. The arrays are copied. [one thread per writer] */
TOILE_API abcc_status abcc_param_write(abcc_writer *writer, abcc_obj obj, uint32_t id,
                                       const void *values, uint64_t value_count,
                                       const uint32_t *indices, uint64_t index_count,
                                       abcc_error *error);

/* User properties with one value for the whole clip: abcc_param_add and abcc_param_write in one.
 * The last value given under a name is stored; its type must not change. [one thread per writer] */
TOILE_API abcc_status abcc_property_string(abcc_writer *writer, abcc_obj obj, const char *name,
                                           const char *text, abcc_error *error);
TOILE_API abcc_status abcc_property_int(abcc_writer *writer, abcc_obj obj, const char *name,
                                        int32_t value, abcc_error *error);
TOILE_API abcc_status abcc_property_double(abcc_writer *writer, abcc_obj obj, const char *name,
                                           double value, abcc_error *error);

/* Flags of abcc_params_copy. CONSTANT: only what does not count vertices, faces or corners, for a
 * mesh whose faces are not those of the source. TURNED: the faces are those of the source, each
 * turned round, so that what is stored per corner is turned with them. */
enum { ABCC_COPY_CONSTANT = 1, ABCC_COPY_TURNED = 2 };

/* Passes the parameters of an object through, bit for bit: arbitrary geometry parameters, user
 * properties, compounds with their metadata, and the face sets below it as they are at `sample`.
 * The first call, before the first sample of `to`, declares them and gives the values at `sample`
 * of `from` for the next sample of `to`; later calls give those that change again. Names that `to`
 * has already are left alone. What is stored per corner keeps the order of the file unless the
 * faces are turned, or reader and writer disagree on ABCC_RAW_WINDING. [one thread per writer] */
TOILE_API abcc_status abcc_params_copy(abcc_reader *reader, abcc_obj from, uint32_t sample,
                                       unsigned flags, abcc_writer *writer, abcc_obj to,
                                       abcc_error *error);

/* Adds the bounds of parents, closes the file, forces it to disk and gives it its name. Frees the
 * writer whatever happens; after a failure no file is left. [one thread per writer] */
TOILE_API abcc_status abcc_finish(abcc_writer *writer, abcc_error *error);

/* Removes the partial file and frees the writer; NULL is allowed. [one thread per writer] */
TOILE_API void abcc_abandon(abcc_writer *writer);

/* ---- joining ---- */

/* Joins chunks of one cache, files with the same objects over other times, to what a single run
 * would have written. The order does not matter and times may overlap. Refused are gaps, different
 * steps, lists of times, and chunks that differ in objects, properties, in what does not change
 * with time or at times they share; of user properties with one value that of the last chunk
 * counts, so that they may tell how far a run came. `info` NULL takes over what the chunks say.
 * Holds one sample in memory. The chunks stay; they must not include `path`. [any thread] */
TOILE_API abcc_status abcc_join(const char *const *chunks, uint32_t count, const char *path,
                                const abcc_create_info *info, abcc_error *error);

#ifdef __cplusplus
}
#endif
#endif
