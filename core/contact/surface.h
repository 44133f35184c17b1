/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that can touch: vertices, edges and triangles of all cloths, then those of colliders.
 * Quads are split through their lowest-numbered vertex. Spheres are single vertices and capsules
 * single edges with a radius of their own, boxes are meshes; planes are not here. Layer 3b. */
#ifndef TL_SURFACE_H
#define TL_SURFACE_H

#include "base/alloc.h"
#include "base/vec.h"
#include "toile/types.h"

/* Faces as triangles; quads are cut as mesh/split.h says. */
typedef struct TlTriangles {
    int32_t count;
    const int32_t *vertex; /* 3 each */
    const int32_t *face;   /* of the mesh they come from */
} TlTriangles;

/* Counts of one kind of thing: those of cloths come first. */
typedef struct TlCounts {
    int32_t cloth; /* things [0, cloth) are of cloths */
    int32_t count; /* the others, [cloth, count), of colliders, and have prescribed motion */
} TlCounts;

typedef struct TlSurface {
    TlCounts vertices, edges, triangles;
    int32_t *edge;       /* 2 vertices each, the lower first */
    int32_t *triangle;   /* 3 vertices each; a capsule has one with two equal vertices */
    int32_t *side;       /* 3 per triangle: edges opposite to its vertices; -1: none */
    int32_t *face;       /* per triangle: face of the user's mesh */
    int32_t *owner;      /* per vertex: its first triangle, -1: none */
    int32_t *edge_owner; /* per edge: the same */
    int32_t *body;       /* per vertex: its cloth, or cloths + its collider */
    double *half;        /* per vertex: its part of contact distances, m */
    double *friction;    /* per vertex: ratio; below 0, of colliders only: what the cloth has */
    double *solid;       /* per vertex: radius of what is solid around it, m; 0: nothing */
    double *rest;  /* 3 per vertex: positions by which neighbourhood within a body is judged */
    double *place; /* 3 per body: where that is beside the others, m; NULL: as it is */
} TlSurface;

/* Triangles of a mesh whose faces have 3 or 4 corners, in the order of its faces; false when memory
 * is refused. */
bool tl_triangles_build(TlArena *arena, const ToileMeshDef *mesh, TlTriangles *out);

/* Arrays for so many vertices and triangles, zeroed; false when memory is refused. */
bool tl_surface_alloc(TlArena *arena, TlCounts vertices, TlCounts triangles, TlSurface *out);
/* Edges, sides and owners, once all triangles have their vertices; false when memory is refused.
 * Two equal vertices of a triangle make no edge. */
bool tl_surface_connect(TlArena *arena, TlSurface *surface);

#endif
