/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Which faces of a frame pass through one another: the independent checker behind `toile verify`
 * and `toile check`. It shares nothing with the contact code it judges.
 *
 * Positions are rounded to a grid of TL_CROSSINGS_GRID_M; from there on all is exact. Faces are cut
 * into triangles through their lowest-numbered vertex, whatever their winding or first corner. An
 * intersection is an edge of these triangles that meets or touches a triangle with which it has no
 * vertex in common, within a cloth, between cloths, and between a cloth and a collider mesh in both
 * directions; each edge counts once, however many triangles share it. So faces that share an edge
 * are never compared, and of those that share a vertex only what does not contain it. Two triangles
 * without a common vertex meet if and only if an edge of one meets the other; coplanar and
 * coincident ones are no exception.
 *
 * Analytic colliders are solids: a triangle of cloth that enters one by more than
 * TL_CROSSINGS_DEPTH_M, or by more than twice the spacing of the numbers its positions were
 * stored with where that is coarser, is an intersection too. */
#ifndef TL_CLI_CROSSINGS_H
#define TL_CLI_CROSSINGS_H

#include "verify_solids.h"

#define TL_CROSSINGS_GRID_M (1.0 / 134217728.0) /* 2^-27 */
#define TL_CROSSINGS_REACH_M 8192.0             /* from the middle of the cloth, on every axis */
#define TL_CROSSINGS_DEPTH_M 1e-6

/* A mesh of the frame. Arrays belong to the caller. */
typedef struct TlCrossBody {
    const char *name;
    const double *x; /* 3 * vertex_count, metres */
    int32_t vertex_count;
    int32_t face_count;
    const int32_t *face_sizes; /* 3 or more each */
    const int32_t *corners;    /* vertices, in range */
    double spacing_m; /* of the numbers x was stored with, at its largest; 0: double precision */
} TlCrossBody;

/* Everything that may meet in a frame. */
typedef struct TlCrossScene {
    const TlCrossBody *bodies; /* cloths first, then collider meshes */
    int32_t cloth_count;
    int32_t body_count;
    const TlSolid *solids;
    int32_t solid_count;
    bool cloth_cloth; /* cloths are compared with themselves and each other */
} TlCrossScene;

/* Two faces that meet. The first is a cloth's, and the lesser where both are. */
typedef struct TlCrossing {
    int32_t body, face;
    int32_t other;      /* a body; or body_count and up: a solid */
    int32_t other_face; /* -1: the other is a solid */
} TlCrossing;

/* What was found, and memory that is used again. Start from all zero. */
typedef struct TlCrossings {
    int64_t count;       /* edges that meet triangles and triangles that enter solids */
    TlCrossing *pairs;   /* of faces, each pair once, ascending; of a million at most */
    int32_t pair_count;  /* an edge is taken for that of the first face that has it */
    int64_t *between;    /* count by cloth and other: tl_crossings_between */
    int32_t other_count; /* bodies and solids */
    struct TlCrossWork *work;
} TlCrossings;

/* Finds all intersections of a frame. Positions that are not finite or beyond the reach, and faces
 * with fewer than three corners, are refused as TOILE_STATUS_INVALID_DATA. `error` may be NULL. */
ToileStatus tl_crossings_find(TlCrossings *crossings, const TlCrossScene *scene, ToileError *error);
/* How many there are between two of the frame: the lesser is a cloth. */
int64_t tl_crossings_between(const TlCrossings *crossings, int32_t body, int32_t other);
void tl_crossings_free(TlCrossings *crossings);

#endif
