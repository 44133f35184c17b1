/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A C face for OpenSubdiv: uniform refinement of cages, and tables that tell each refined or limit
 * point as a weighted sum of cage points.
 *
 * Topology work happens once, in osdc_create and osdc_table_create; after that only osdc_apply
 * runs, once a frame. The library behind this header does not protect itself, so every cage is
 * checked before it sees it.
 *
 * Rules of the boundary
 *  - No C++ type, exception or allocation crosses it. A call that can fail answers an osdc_status
 *    and fills *error, which may be NULL and is untouched on success.
 *  - Structs start with struct_size; the inline osdc_..._default functions set it and the defaults.
 *    A struct whose size is 0 or too small is refused as not initialised.
 *  - Arrays belong to the caller unless a comment says otherwise; nothing given is kept.
 *  - Handles never change after creation and may be shared between threads.
 *
 * All functions are [any thread]; freeing a handle must be the last use of it. */
#ifndef TOILE_IO_OSD_C_H
#define TOILE_IO_OSD_C_H

#include "toile/base.h"

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct osdc_mesh osdc_mesh;   /* a cage and its refined levels */
typedef struct osdc_table osdc_table; /* weights in compressed rows */

/* What a function that can fail answers. Values never change; new ones go at the end. */
typedef enum osdc_status {
    OSDC_OK = 0,
    OSDC_E_ARG = 1,      /* the caller's mistake: NULL, value out of range */
    OSDC_E_INDEX = 2,    /* an index that names nothing */
    OSDC_E_FACE = 3,     /* fewer than 3 corners, a corner twice, a quad under Loop */
    OSDC_E_TOPOLOGY = 4, /* faces that do not form a surface */
    OSDC_E_LIMIT = 5,    /* more faces or weights than allowed */
    OSDC_E_MEMORY = 6,
    OSDC_E_INTERNAL = 7
} osdc_status;

#define OSDC_NOWHERE UINT32_MAX

/* One sentence: what was wrong, where, what is allowed. */
typedef struct osdc_error {
    osdc_status code;
    uint32_t where; /* the face, vertex, crease, corner, hole or value at fault, or OSDC_NOWHERE */
    char text[248];
} osdc_error;

/* Number of this interface: major << 16 | minor. */
TOILE_API uint32_t osdc_version(void);

/* ---- cages ---- */

typedef enum osdc_scheme {
    OSDC_CATMULL_CLARK = 0,
    OSDC_LOOP = 1, /* triangles only */
    OSDC_BILINEAR = 2
} osdc_scheme;

/* What happens at the rim of an open cage. */
typedef enum osdc_edge {
    OSDC_EDGE_NONE = 0,       /* faces at the rim are holes */
    OSDC_EDGE_ONLY = 1,       /* the rim is a smooth curve */
    OSDC_EDGE_AND_CORNER = 2, /* the same, but vertices of one face only stay where they are */
    OSDC_EDGE_LINEAR = 3      /* every vertex of the rim stays where it is */
} osdc_edge;

/* What happens at the rims of face-varying islands; "smooth" follows the scheme. */
typedef enum osdc_uv_rule {
    OSDC_UV_SMOOTH = 0,
    OSDC_UV_CORNERS_ONLY = 1,
    OSDC_UV_CORNERS_PLUS1 = 2,
    OSDC_UV_CORNERS_PLUS2 = 3,
    OSDC_UV_BOUNDARIES = 4, /* every rim stays as it is, the inside is smooth */
    OSDC_UV_LINEAR = 5      /* linear everywhere */
} osdc_uv_rule;

/* Values that are shared by corners, such as uvs. */
typedef struct osdc_fvar {
    uint32_t values;
    const uint32_t *index; /* one for each corner */
} osdc_fvar;

/* Sharpness is 0 (smooth) to 10 and above (infinitely sharp); between them an edge or vertex is
 * sharp for that many levels. */
typedef struct osdc_cage {
    uint32_t struct_size;
    uint32_t verts, faces, corners;
    const int32_t *face_count; /* faces: corners of each */
    const int32_t *index;      /* corners: vertex of each, counter-clockwise */
    uint32_t creases;
    const int32_t *crease_pairs; /* 2 * creases: vertices that an edge joins */
    const float *crease_sharpness;
    uint32_t corner_tags;
    const int32_t *corner_vert;
    const float *corner_sharpness;
    uint32_t holes;
    const int32_t *hole; /* faces that are not drawn */
    uint32_t fvars;      /* face-varying channels */
    const osdc_fvar *fvar;
} osdc_cage;

static inline osdc_cage osdc_cage_default(void) {
    osdc_cage cage;
    memset(&cage, 0, sizeof cage);
    cage.struct_size = (uint32_t)sizeof cage;
    return cage;
}

typedef struct osdc_options {
    uint32_t struct_size;
    osdc_scheme scheme;   /* default Catmull-Clark */
    osdc_edge boundary;   /* default edge and corner */
    osdc_uv_rule uv;      /* default boundaries */
    int chaikin_creases;  /* 1: sharpness along a crease is evened out; default 0 */
    int smooth_triangles; /* 1: other weights for triangles under Catmull-Clark; default 0 */
    uint32_t level;       /* how often every face is cut, 0 to 10; default 1 */
    uint64_t max_faces;   /* refuse more faces than this; default 16 000 000, at most 50 000 000 */
} osdc_options;

static inline osdc_options osdc_options_default(void) {
    osdc_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = (uint32_t)sizeof options;
    options.boundary = OSDC_EDGE_AND_CORNER;
    options.uv = OSDC_UV_BOUNDARIES;
    options.level = 1;
    options.max_faces = 16000000;
    return options;
}

/* Checks a cage and refines it. Refused, with the face, vertex or crease at fault, are: an index
 * out of range, a face of fewer than 3 corners or with a corner twice, a face of more than 3 under
 * Loop, an edge of more than two faces or run along in the same direction by two, a crease that is
 * no edge, a sharpness below 0 or not a number, and what goes beyond limits. */
TOILE_API osdc_status osdc_create(const osdc_cage *cage, const osdc_options *options,
                                  osdc_mesh **out, osdc_error *error);

/* NULL is allowed. */
TOILE_API void osdc_free(osdc_mesh *mesh);

/* ---- refined levels ---- */

typedef struct osdc_sizes {
    uint32_t struct_size;
    uint32_t verts, faces, corners;
    uint32_t fvar_values; /* of channel 0; 0 without channels */
    uint32_t creases;     /* edges inside that are still sharp */
    uint32_t corner_tags; /* vertices that are still sharp */
} osdc_sizes;

static inline osdc_sizes osdc_sizes_default(void) {
    osdc_sizes sizes;
    memset(&sizes, 0, sizeof sizes);
    sizes.struct_size = (uint32_t)sizeof sizes;
    return sizes;
}

/* Counts of a level, 0 (the cage) to the level refined to. */
TOILE_API osdc_status osdc_size(const osdc_mesh *mesh, uint32_t level, osdc_sizes *sizes,
                                osdc_error *error);

/* Faces of a level: `face_count` as many as faces, `index` as many as corners. `cage_face` (may be
 * NULL) gets the face of the cage each comes from, `hole` (may be NULL) 1 where that is a hole. */
TOILE_API osdc_status osdc_faces(const osdc_mesh *mesh, uint32_t level, int32_t *face_count,
                                 int32_t *index, uint32_t *cage_face, uint8_t *hole,
                                 osdc_error *error);

/* The value of each corner of a level. */
TOILE_API osdc_status osdc_fvar_index(const osdc_mesh *mesh, uint32_t level, uint32_t channel,
                                      uint32_t *index, osdc_error *error);

/* What is still sharp at a level, so that it can be a cage itself: arrays as in osdc_cage, of the
 * counts that osdc_size tells. What is sharp only because it lies at the rim is left out, and with
 * OSDC_EDGE_LINEAR also what is not infinitely sharp there. */
TOILE_API osdc_status osdc_tags(const osdc_mesh *mesh, uint32_t level, int32_t *crease_pairs,
                                float *crease_sharpness, int32_t *corner_vert,
                                float *corner_sharpness, osdc_error *error);

/* ---- tables ---- */

typedef enum osdc_kind {
    OSDC_VERTEX = 0,    /* vertices of the last level, smooth */
    OSDC_VARYING = 1,   /* the same, linear over each cage face; never leaves the range of values */
    OSDC_FVAR = 2,      /* values of a face-varying channel */
    OSDC_LIMIT = 3,     /* where vertices of the last level end up on the limit surface */
    OSDC_LIMIT_DU = 4,  /* a tangent there; rows of the tangents sum to 0, all others to 1 */
    OSDC_LIMIT_DV = 5,  /* another; the normal is du x dv */
    OSDC_LIMIT_FVAR = 6 /* face-varying values that belong to limit points */
} osdc_kind;

/* Makes the table of a kind for the last level. `channel` counts for face-varying kinds only. */
TOILE_API osdc_status osdc_table_create(const osdc_mesh *mesh, osdc_kind kind, uint32_t channel,
                                        osdc_table **out, osdc_error *error);

/* NULL is allowed. */
TOILE_API void osdc_table_free(osdc_table *table);

/* The rows as they are stored; pointers live as long as the table, any of them may be NULL. Row r
 * has the terms from offset[r] to offset[r + 1], indices ascending. `sources` is the number of cage
 * points or values. */
TOILE_API osdc_status osdc_table_rows(const osdc_table *table, uint32_t *rows, uint32_t *sources,
                                      const uint64_t **offset, const int32_t **index,
                                      const float **weight, osdc_error *error);

/* dst[r] = sum of weight * src[index] for the rows row0 <= r < row1, so that a host may split the
 * work among its threads: the bits do not depend on the split. Points have `width` numbers, 1 to
 * 64, and stand `stride` numbers apart; dst is that of row 0, and does not overlap src. Differences
 * to the first point of a row are summed up, so that a surface far from the origin loses nothing
 * and a constant stays exactly constant. */
TOILE_API osdc_status osdc_apply(const osdc_table *table, const float *src, uint32_t src_stride,
                                 float *dst, uint32_t dst_stride, uint32_t width, uint32_t row0,
                                 uint32_t row1, osdc_error *error);

/* The same in double precision. */
TOILE_API osdc_status osdc_apply_double(const osdc_table *table, const double *src,
                                        uint32_t src_stride, double *dst, uint32_t dst_stride,
                                        uint32_t width, uint32_t row0, uint32_t row1,
                                        osdc_error *error);

#ifdef __cplusplus
}
#endif
#endif
