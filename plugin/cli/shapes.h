/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry for the renderer: meshes of the colliders, and the triangles of a whole scene.
 * Faces of shapes turn counter-clockwise seen from outside, and sharp edges have vertices of their
 * own. */
#ifndef TL_CLI_SHAPES_H
#define TL_CLI_SHAPES_H

#include "raster.h"

/* A mesh that owns its arrays. */
typedef struct TlShape {
    float *x; /* 3 * vertex_count, metres */
    int32_t vertex_count;
    int32_t *face_counts;
    int32_t face_count;
    int32_t *corners;
    int32_t corner_count;
} TlShape;

/* Frees the arrays. Accepts a shape that is all zero. */
void tl_shape_destroy(TlShape *shape);

/* The shape as a mesh for the renderer, with the finish of a solid; borrows the arrays. */
TlRenderMesh tl_shape_mesh(const TlShape *shape, float red, float green, float blue);

/* A ball as six bent squares of 24 by 24 quads. False when out of memory. */
bool tl_shape_sphere(TlShape *shape, const double centre_m[3], double radius_m);

/* A box with its edges along the given axes, each of which is scaled to half the box's length.
 * The three axes form a right-handed system. False when out of memory. */
bool tl_shape_box(TlShape *shape, const double centre_m[3], const double half_axes_m[3][3]);

/* A flat square around `centre`, facing along `normal` (any length; zero means up). False when out
 * of memory. */
bool tl_shape_plane(TlShape *shape, const double centre_m[3], const double normal[3],
                    double half_size_m);

/* A ball pulled apart: all within the radius of the line from one point to the other. False when
 * out of memory. */
bool tl_shape_capsule(TlShape *shape, const double from_m[3], const double to_m[3],
                      double radius_m);

/* Room for any mesh; the counts are set, the arrays for the caller to fill. False when out of
 * memory. */
bool tl_shape_reserve(TlShape *shape, int32_t vertex_count, int32_t face_count,
                      int32_t corner_count);

/* All that is drawn, as triangles with smooth normals; owns its arrays. */
typedef struct TlTriangles {
    int32_t point_count, triangle_count;
    float (*x)[3];        /* points, relative to a centre and in units of a radius */
    float (*normal)[3];   /* of each point: unit length, the faces around it weighted by area */
    int32_t (*corner)[3]; /* points of each triangle */
    int32_t *owner;       /* mesh of each triangle */
} TlTriangles;

/* Gathers every usable face of the scene. Points more than 1e6 radii from the centre count as not
 * finite. False: more than 2^31 - 1 points or triangles, or no memory; `triangles` is then all
 * zero. */
bool tl_triangles_gather(TlTriangles *triangles, const TlRenderScene *scene,
                         const double centre_m[3], double radius_m);

/* Frees the arrays. Accepts triangles that are all zero. */
void tl_triangles_destroy(TlTriangles *triangles);

#endif
