/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a session share: sentences, the space of an object, the fit of a collider, and
 * solids and garments as the session keeps them. */
#ifndef TL_SESSION_INTERNAL_H
#define TL_SESSION_INTERNAL_H

#include "toile_session/session.h"

#if defined(__MINGW32__) && !defined(__clang__)
#define TL_SESSION_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define TL_SESSION_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TL_SESSION_PRINTF(text, first)
#endif

/* ---- sentences (report.c) ---- */

/* Fills `error` (may be NULL) about the object `name` (may be NULL) and answers `status`. */
ToileStatus tl_session_fail(ToileError *error, ToileStatus status, const char *name,
                            const char *format, ...) TL_SESSION_PRINTF(4, 5);
ToileStatus tl_session_out_of_memory(ToileError *error);
/* Adds to an error what the layer below did not know. */
void tl_session_name_object(ToileError *error, const char *name);
void tl_session_name_frame(ToileError *error, int64_t frame);

/* How many corners each face has, from its size or, where `face_sizes` is NULL, from its start.
 * `sizes` has room for face_count. */
ToileStatus tl_session_read_sizes(const char *name, int32_t face_count, int32_t corner_count,
                                  const int32_t *face_sizes, const int32_t *face_starts,
                                  int32_t *sizes, ToileError *error);
/* A copy for free(); NULL when memory runs out. */
char *tl_session_copy_text(const char *text);

/* Three numbers as "1, 0.5, 2", whatever the locale. */
typedef struct TlTriple {
    char text[96];
} TlTriple;
TlTriple tl_session_triple(double a, double b, double c);

/* Copies a caller's struct over the defaults in `local`; false when it is NULL or its struct_size
 * was never set. */
bool tl_session_read_def(void *local, size_t size, const void *def);

/* ---- spaces (convert.c) ---- */

/* The space of an object at one frame. */
typedef struct TlSpace {
    double m[16];      /* object to world, host units */
    double inverse[9]; /* of its upper left part */
    double unit_m;
    bool identity; /* the matrix changes nothing: values are kept bit for bit */
} TlSpace;

/* Refuses a matrix that is not finite, not affine or without inverse, naming the object. */
ToileStatus tl_space_make(const double matrix[16], double unit_m, const char *name, TlSpace *out,
                          ToileError *error);
/* `count` points of the object to metres, and back. */
void tl_space_to_world(const TlSpace *space, const float *points, int32_t count,
                       double *positions_m);
/* How far from zero the farthest coordinate of points of the object is, metres of the world. */
double tl_space_extent_m(const TlSpace *space, const float *points, int32_t count);
void tl_space_to_object(const TlSpace *space, const double *positions_m, int32_t count,
                        float *points);
/* How fast the points move within the object's own space, host units a second, when the object
 * itself came from the space `before` within 1 / fps seconds. */
void tl_space_velocities(const TlSpace *space, const TlSpace *before, double fps,
                         const double *positions_m, const double *velocities_m_per_s, int32_t count,
                         float *velocities);

/* ---- colliders (fit.c) ---- */

/* A matrix as a rigid motion after an upper triangular one: M = R U, and the translation. */
typedef struct TlFit {
    double U[9]; /* host units, row-major; the last diagonal value is below 0 when mirrored */
    ToilePose pose;
} TlFit;

ToileStatus tl_fit_matrix(const double matrix[16], double unit_m, const char *name, TlFit *out,
                          ToileError *error);
/* The collider as the simulation takes it; `fit` of its matrix. */
ToileStatus tl_fit_collider(const ToileSessionCollider *collider, const TlFit *fit, double unit_m,
                            ToileColliderDef *def, ToileError *error);
/* `count` points of the object as the simulation takes them: before the pose of the fit. */
void tl_fit_points(const TlFit *fit, double unit_m, const float *points, int32_t count,
                   double *positions_m);
/* Whether two matrices shape an object alike, but for rounding. */
bool tl_fit_is_alike(const TlFit *a, const TlFit *b);
/* Refuses a matrix of another scale, shear or mirroring than the collider began with. */
ToileStatus tl_fit_same_size(const TlFit *fit, const TlFit *first, const char *name,
                             ToileError *error);

/* ---- solids (solid.c) ---- */

/* A collider as the session keeps it. */
typedef struct TlSolid {
    char *name;
    int32_t shape;
    TlFit first; /* of the matrix it began with */
    TlFit next;  /* of that at the next frame */
    ToileColliderId id;
    /* of a mesh */
    int32_t vertex_count;
    float *points;       /* at the next frame, object space */
    double *positions_m; /* room for the same as the simulation takes them */
} TlSolid;

/* Copies and converts what the host gave, and adds it to the simulation. The solid must be all
 * zero, and is to be freed also after a failure. */
ToileStatus tl_solid_add(const ToileSessionCollider *collider, double unit_m, ToileSim *sim,
                         TlSolid *solid, ToileError *error);
void tl_solid_free(TlSolid *solid);
/* Where it is at the next frame. A refusal changes nothing. */
ToileStatus tl_solid_set_matrix(TlSolid *solid, const double matrix[16], double unit_m,
                                ToileSim *sim, ToileError *error);
ToileStatus tl_solid_set_positions(TlSolid *solid, const float *positions, int32_t vertex_count,
                                   double unit_m, ToileSim *sim, ToileError *error);

/* ---- garments (garment.c) ---- */

typedef struct TlGarment {
    char *name;
    char *uv_name;     /* NULL: no uvs, or the default name */
    ToileMeshDef mesh; /* metres, host axes; its arrays belong to the garment */
    int32_t pin_count;
    int32_t *pins;
    float *pin_points; /* 3 per pin, object space */
    double *pin_targets_m;
    TlSpace space; /* at the current frame */
    TlSpace next;  /* at the next one */
    ToileClothId id;
    double *x; /* room for positions or velocities of the simulation */
    double *v;
    float *points; /* of the current frame, object space */
    float *velocities;
} TlGarment;

/* Copies and converts what the host gave. The garment must be all zero, and is to be freed also
 * after a failure. */
ToileStatus tl_garment_read(const ToileSessionCloth *cloth, double unit_m, TlGarment *garment,
                            ToileError *error);
void tl_garment_free(TlGarment *garment);

#endif
