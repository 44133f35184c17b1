/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Software renderer for previews: polygon meshes in, a shaded sRGB picture out, with neither
 * display nor GPU. World space is Y-up and right-handed; front faces turn counter-clockwise. The
 * same input gives the same pixels: of libm only sqrt, floor and fabs take part, and nothing
 * depends on the optimiser as long as multiplications and additions are not contracted. */
#ifndef TL_CLI_RASTER_H
#define TL_CLI_RASTER_H

#include "png.h"

#include <stdbool.h>
#include <stdint.h>

/* How a surface answers light. */
typedef enum TlFinish {
    TL_FINISH_CLOTH = 0, /* matte, two tones for the two sides, a little light shines through */
    TL_FINISH_SOLID = 1  /* opaque with a faint highlight: colliders */
} TlFinish;

/* One mesh; the arrays belong to the caller and are only read. Faces with fewer than three corners,
 * an index out of range or a vertex that is not finite are left out. Faces with more than three
 * corners become a fan around their mean point, so a quad shows no diagonal. */
typedef struct TlRenderMesh {
    const float *x;             /* 3 * vertex_count, metres */
    int32_t vertex_count;       /* 0 is allowed */
    const int32_t *face_counts; /* face_count corner counts */
    int32_t face_count;         /* 0 is allowed */
    const int32_t *corners;     /* corner_count vertex indices, face after face */
    int32_t corner_count;       /* faces that would reach beyond it are left out */
    float colour[3];            /* sRGB, 0 to 1 */
    TlFinish finish;
    float inset_m; /* draws the surface this far inside itself, so that a collider does not poke
                      through the flat faces of a coarse cloth lying on it; 0 is exact */
} TlRenderMesh;

/* What one frame shows. */
typedef struct TlRenderScene {
    const TlRenderMesh *meshes;
    int32_t mesh_count;
    bool has_ground;   /* a studio floor that receives soft shadows and fades into the backdrop */
    double ground_y_m; /* its height; hidden when the eye is below it */
} TlRenderScene;

/* A perspective view; made by tl_camera_fit in sheet.h. Lengths other than `centre` and `radius_m`
 * are in units of radius_m around `centre`, so the scale of a scene never matters. The lights
 * travel with the camera, and shadows are computed inside the ball of that radius. */
typedef struct TlCamera {
    double centre[3];                /* metres */
    double radius_m;                 /* above 0 */
    double eye[3];                   /* relative to the centre */
    double right[3], up[3], back[3]; /* orthonormal; back points from the scene to the eye */
    double half_width, half_height;  /* tangents of half the view angles */
} TlCamera;

/* Draws the scene over every pixel of `image`. False: an empty image, a camera without radius, more
 * than 2^31 triangles, or no memory; the pixels are then unspecified. */
bool tl_render(const TlRenderScene *scene, const TlCamera *camera, const TlImage *image);

#endif
