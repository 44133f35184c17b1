/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What one cloth is at rest: flat triangles in weft and warp coordinates, hinges, masses. Also the
 * same arrays of all cloths of a simulation, one after the other (TlModel's members have this
 * form). */
#ifndef TL_REST_SHAPE_H
#define TL_REST_SHAPE_H

#include "mesh/split.h"
#include "rest/material.h"

/* Stretch elements. */
typedef struct TlTriangleSet {
    int32_t count;
    int32_t *vertex;   /* 3 each */
    int32_t *face;     /* face of the mesh */
    int32_t *material; /* index into the materials */
    double *g;         /* 4 each: gradients (u, v) of the hat functions of corners 1 and 2, 1/m */
    double *area;      /* rest area, m^2 */
} TlTriangleSet;

/* Bending hinges; order of all groups of four is A, B, C, D with the edge C-D (PHYSICS of [V],
 * signed form). */
typedef struct TlHingeSet {
    int32_t count;
    int32_t *vertex;  /* 4 each */
    double *alpha;    /* 4 each, sum 0 */
    double *lambda;   /* N/m */
    double *length;   /* l, m */
    double *height_a; /* m */
    double *height_b; /* m */
    double *mu;       /* modulus for this edge's direction, N m */
    double *k_e;      /* equivalent angular spring, N m */
} TlHingeSet;

typedef struct TlRest {
    int32_t vertex_count;
    TlTriangleSet triangles;
    TlHingeSet hinges;
    double *mass; /* kg; 0 for a vertex without face */
    double *area; /* m^2, a third of each triangle around */
} TlRest;

/* Computes all of it. `positions` is the 3D rest shape; with a metric pattern only the uvs times
 * `scale` count. The mesh passed the check. False when memory is refused. */
bool tl_rest_build(TlArena *arena, const TlMesh *mesh, const TlTriangles *triangles,
                   const double *positions, ToilePattern pattern, double scale,
                   const TlMaterial *material, TlRest *out);

/* Empty arrays of the given sizes; false when memory is refused. */
bool tl_triangle_set_alloc(TlArena *arena, int32_t count, TlTriangleSet *out);
bool tl_hinge_set_alloc(TlArena *arena, int32_t count, TlHingeSet *out);

#endif
