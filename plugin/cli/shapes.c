/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Builds ball, capsule, box and plane out of one part: a square grid spanned by two directions. A
 * ball is a cube of six grids whose points are moved onto the sphere, so it has no poles; a capsule
 * the same with a row of quads around its middle that is stretched. Below, the faces of
 * a scene become triangles: a face of more than three corners turns into a fan around its mean
 * point, which carries the mean normal, so that shading follows the bilinear patch of a quad and
 * shows neither of its diagonals. */
#include "shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPHERE_SIDE 24  /* quads along one side of a cube face of the ball */
#define CAPSULE_SIDE 25 /* the same for a capsule: odd, so that a row lies around its middle */
#define PLANE_SIDE 16   /* enough points for a soft shading of the plane */
#define FAR_AWAY 1e6    /* radii from the centre beyond which a point is not used */

/* ---- shapes ---- */

void tl_shape_destroy(TlShape *shape) {
    free(shape->x);
    free(shape->face_counts);
    free(shape->corners);
    memset(shape, 0, sizeof *shape);
}

TlRenderMesh tl_shape_mesh(const TlShape *shape, float red, float green, float blue) {
    TlRenderMesh mesh = {
        .x = shape->x,
        .vertex_count = shape->vertex_count,
        .face_counts = shape->face_counts,
        .face_count = shape->face_count,
        .corners = shape->corners,
        .corner_count = shape->corner_count,
        .colour = {red, green, blue},
        .finish = TL_FINISH_SOLID,
    };
    return mesh;
}

bool tl_shape_reserve(TlShape *shape, int32_t vertex_count, int32_t face_count,
                      int32_t corner_count) {
    memset(shape, 0, sizeof *shape);
    shape->x = malloc(((size_t)vertex_count * 3 + 1) * sizeof *shape->x);
    shape->face_counts = malloc(((size_t)face_count + 1) * sizeof *shape->face_counts);
    shape->corners = malloc(((size_t)corner_count + 1) * sizeof *shape->corners);
    if (shape->x == NULL || shape->face_counts == NULL || shape->corners == NULL) {
        tl_shape_destroy(shape);
        return false;
    }
    shape->vertex_count = vertex_count;
    shape->face_count = face_count;
    shape->corner_count = corner_count;
    return true;
}

/* Room for `grids` square grids; the counts start at zero and grow with add_grid. */
static bool reserve(TlShape *shape, int32_t grids, int32_t side) {
    int32_t faces = grids * side * side;
    if (!tl_shape_reserve(shape, grids * (side + 1) * (side + 1), faces, 4 * faces)) {
        return false;
    }
    shape->vertex_count = shape->face_count = shape->corner_count = 0;
    return true;
}

static void add_quad(TlShape *shape, int32_t first, int32_t row) {
    int32_t *corner = shape->corners + shape->corner_count;
    corner[0] = first;
    corner[1] = first + 1;
    corner[2] = first + row + 1;
    corner[3] = first + row;
    shape->corner_count += 4;
    shape->face_counts[shape->face_count++] = 4;
}

/* Adds the square centre + s a + t b for s, t in [-1, 1]; its front looks along a x b. */
static void add_grid(TlShape *shape, const double centre[3], const double a[3], const double b[3],
                     int32_t side) {
    int32_t first = shape->vertex_count;
    for (int32_t j = 0; j <= side; j++) {
        for (int32_t i = 0; i <= side; i++) {
            double s = 2.0 * i / side - 1.0, t = 2.0 * j / side - 1.0;
            float *x = shape->x + 3 * (size_t)shape->vertex_count++;
            for (int k = 0; k < 3; k++) {
                x[k] = (float)(centre[k] + s * a[k] + t * b[k]);
            }
        }
    }
    for (int32_t j = 0; j < side; j++) {
        for (int32_t i = 0; i < side; i++) {
            add_quad(shape, first + j * (side + 1) + i, side + 1);
        }
    }
}

/* Adds the six faces of a box; `axes` is a right-handed system of half lengths. */
static void add_box(TlShape *shape, const double centre[3], const double axes[3][3], int32_t side) {
    for (int k = 0; k < 3; k++) {
        const double *n = axes[k], *a = axes[(k + 1) % 3], *b = axes[(k + 2) % 3];
        double front[3], behind[3];
        for (int i = 0; i < 3; i++) {
            front[i] = centre[i] + n[i];
            behind[i] = centre[i] - n[i];
        }
        add_grid(shape, front, a, b, side);
        add_grid(shape, behind, b, a, side);
    }
}

/* Moves the points of the cube [-1, 1]^3 onto a ball. */
static void inflate(TlShape *shape, const double centre[3], double radius) {
    for (int32_t i = 0; i < shape->vertex_count; i++) {
        float *x = shape->x + 3 * (size_t)i;
        double p[3] = {(double)x[0], (double)x[1], (double)x[2]};
        double scale = radius / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        for (int k = 0; k < 3; k++) {
            x[k] = (float)(centre[k] + scale * p[k]);
        }
    }
}

bool tl_shape_sphere(TlShape *shape, const double centre_m[3], double radius_m) {
    static const double origin[3] = {0.0, 0.0, 0.0};
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    if (!reserve(shape, 6, SPHERE_SIDE)) {
        return false;
    }
    add_box(shape, origin, unit, SPHERE_SIDE);
    inflate(shape, centre_m, radius_m);
    return true;
}

bool tl_shape_box(TlShape *shape, const double centre_m[3], const double half_axes_m[3][3]) {
    if (!reserve(shape, 6, PLANE_SIDE)) {
        return false;
    }
    add_box(shape, centre_m, half_axes_m, PLANE_SIDE);
    return true;
}

/* Two directions of length `size` that span the plane across `n`; a x b looks along n. */
static void span_plane(const double n[3], double size, double a[3], double b[3]) {
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double u[3] = {0.0, 1.0, 0.0};
    for (int k = 0; k < 3 && length > 0.0; k++) {
        u[k] = n[k] / length;
    }
    /* a = helper x u, with the axis that lies flattest to the plane as helper */
    bool steep = fabs(u[2]) > 0.7;
    double helper[3] = {0.0, steep ? 1.0 : 0.0, steep ? 0.0 : 1.0};
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        a[k] = helper[i] * u[j] - helper[j] * u[i];
    }
    double scale = size / sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3; k++) {
        a[k] *= scale;
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        b[k] = u[i] * a[j] - u[j] * a[i];
    }
}

/* Moves the points of the cube [-1, 1]^3 onto a capsule along `axis`, which with `a` and `b` makes
 * a right-handed system of unit length. The middle row of quads along the cube's z becomes the
 * wall: the points above it go to the end `to`, those below to `from`. */
static void stretch(TlShape *shape, const double from[3], const double to[3], double radius,
                    const double a[3], const double b[3], const double axis[3]) {
    const double margin = 1.0 / CAPSULE_SIDE;
    for (int32_t i = 0; i < shape->vertex_count; i++) {
        float *x = shape->x + 3 * (size_t)i;
        bool above = x[2] > 0.0f;
        double rise = (fabs((double)x[2]) - margin) / (1.0 - margin);
        double p[3] = {(double)x[0], (double)x[1], above ? rise : -rise};
        double scale = radius / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        for (int k = 0; k < 3; k++) {
            x[k] = (float)((above ? to[k] : from[k]) +
                           scale * (p[0] * a[k] + p[1] * b[k] + p[2] * axis[k]));
        }
    }
}

bool tl_shape_capsule(TlShape *shape, const double from_m[3], const double to_m[3],
                      double radius_m) {
    static const double origin[3] = {0.0, 0.0, 0.0};
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double axis[3], a[3], b[3];
    double length = 0.0;
    if (!reserve(shape, 6, CAPSULE_SIDE)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        axis[k] = to_m[k] - from_m[k];
        length += axis[k] * axis[k];
    }
    length = sqrt(length);
    for (int k = 0; k < 3; k++) {
        axis[k] = length > 0.0 ? axis[k] / length : unit[1][k];
    }
    span_plane(axis, 1.0, a, b);
    add_box(shape, origin, unit, CAPSULE_SIDE);
    stretch(shape, from_m, to_m, radius_m, a, b, axis);
    return true;
}

bool tl_shape_plane(TlShape *shape, const double centre_m[3], const double normal[3],
                    double half_size_m) {
    double a[3], b[3];
    if (!reserve(shape, 1, PLANE_SIDE)) {
        return false;
    }
    span_plane(normal, half_size_m, a, b);
    add_grid(shape, centre_m, a, b, PLANE_SIDE);
    return true;
}

/* ---- triangles ---- */

/* The work of one gathering. */
typedef struct Gather {
    const TlRenderScene *scene;
    const double *centre;
    double radius;
    TlTriangles *out;
    int32_t base;              /* first point of the mesh at hand */
    int32_t points_made, made; /* points and triangles so far */
} Gather;

/* The point in radii from the centre; false when it is not finite or out of all proportion. */
static bool local_point(const Gather *g, const TlRenderMesh *mesh, int32_t i, float out[3]) {
    const float *x = mesh->x + 3 * (size_t)i;
    for (int k = 0; k < 3; k++) {
        double a = ((double)x[k] - g->centre[k]) / g->radius;
        if (!(fabs(a) < FAR_AWAY)) {
            return false;
        }
        out[k] = (float)a;
    }
    return true;
}

/* True when the face can be drawn: at least three corners, all valid. */
static bool face_usable(const Gather *g, const TlRenderMesh *mesh, const int32_t *corner,
                        int32_t count) {
    float p[3];
    for (int32_t k = 0; k < count; k++) {
        if (corner[k] < 0 || corner[k] >= mesh->vertex_count ||
            !local_point(g, mesh, corner[k], p)) {
            return false;
        }
    }
    return count >= 3;
}

/* Steps through the faces of a mesh. */
typedef struct FaceWalk {
    int32_t face, count;
    int64_t next; /* first corner of the following face */
    const int32_t *corner;
} FaceWalk;

/* Moves to the next usable face; false at the end. Starts from a walk that is all zero. */
static bool next_face(const Gather *g, const TlRenderMesh *mesh, FaceWalk *walk) {
    while (walk->face < mesh->face_count) {
        walk->count = mesh->face_counts[walk->face++];
        if (walk->count < 0 || walk->next + walk->count > mesh->corner_count) {
            return false;
        }
        walk->corner = mesh->corners + walk->next;
        walk->next += walk->count;
        if (face_usable(g, mesh, walk->corner, walk->count)) {
            return true;
        }
    }
    return false;
}

/* Counts the points and triangles of all meshes; false when they do not fit 32-bit indices. */
static bool count_elements(Gather *g) {
    int64_t points = 0, triangles = 0;
    for (int32_t m = 0; m < g->scene->mesh_count; m++) {
        const TlRenderMesh *mesh = g->scene->meshes + m;
        points += mesh->vertex_count;
        for (FaceWalk walk = {0}; next_face(g, mesh, &walk);) {
            points += walk.count > 3;
            triangles += walk.count > 3 ? walk.count : 1;
        }
    }
    if (points > INT32_MAX || triangles > INT32_MAX) {
        return false;
    }
    g->out->point_count = (int32_t)points;
    g->out->triangle_count = (int32_t)triangles;
    return true;
}

static bool allocate_triangles(TlTriangles *t) {
    size_t points = (size_t)t->point_count + 1, triangles = (size_t)t->triangle_count + 1;
    t->x = calloc(points, sizeof *t->x);
    t->normal = calloc(points, sizeof *t->normal);
    t->corner = calloc(triangles, sizeof *t->corner);
    t->owner = calloc(triangles, sizeof *t->owner);
    return t->x != NULL && t->normal != NULL && t->corner != NULL && t->owner != NULL;
}

/* Adds b x c, both seen from a, to `area`. */
static void add_cross(double area[3], const float a[3], const float b[3], const float c[3]) {
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)c[k] - (double)a[k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        area[k] += u[i] * v[j] - u[j] * v[i];
    }
}

/* Adds twice the area vector of a face to the normals of its corners. */
static void add_face_normal(const Gather *g, const FaceWalk *walk) {
    double area[3] = {0.0, 0.0, 0.0};
    float(*x)[3] = g->out->x + g->base;
    const int32_t *c = walk->corner;
    for (int32_t k = 1; k + 1 < walk->count; k++) {
        add_cross(area, x[c[0]], x[c[k]], x[c[k + 1]]);
    }
    for (int32_t k = 0; k < walk->count; k++) {
        float *n = g->out->normal[g->base + c[k]];
        for (int i = 0; i < 3; i++) {
            n[i] = (float)((double)n[i] + area[i]);
        }
    }
}

/* Scales to unit length; straight up when there is no direction. */
static void set_unit(float n[3], const double v[3]) {
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++) {
        n[k] = length > 0.0 ? (float)(v[k] / length) : k == 1 ? 1.0f : 0.0f;
    }
}

/* Places the points of a mesh, with normals, and moves them inwards by the inset. */
static void place_points(const Gather *g, const TlRenderMesh *mesh) {
    double inset = (double)mesh->inset_m / g->radius;
    for (int32_t i = 0; i < mesh->vertex_count; i++) {
        float *x = g->out->x[g->base + i];
        if (!local_point(g, mesh, i, x)) {
            x[0] = x[1] = x[2] = 0.0f;
        }
    }
    for (FaceWalk walk = {0}; next_face(g, mesh, &walk);) {
        add_face_normal(g, &walk);
    }
    for (int32_t i = 0; i < mesh->vertex_count; i++) {
        float *x = g->out->x[g->base + i], *n = g->out->normal[g->base + i];
        double sum[3] = {(double)n[0], (double)n[1], (double)n[2]};
        set_unit(n, sum);
        for (int k = 0; k < 3; k++) {
            x[k] = (float)((double)x[k] - inset * (double)n[k]);
        }
    }
}

/* Adds the mean point of a face with its mean normal and returns its index. */
static int32_t add_centre(Gather *g, const FaceWalk *walk) {
    double x[3] = {0.0, 0.0, 0.0}, n[3] = {0.0, 0.0, 0.0};
    int32_t centre = g->points_made++;
    for (int32_t k = 0; k < walk->count; k++) {
        int32_t point = g->base + walk->corner[k];
        for (int i = 0; i < 3; i++) {
            x[i] += (double)g->out->x[point][i];
            n[i] += (double)g->out->normal[point][i];
        }
    }
    for (int i = 0; i < 3; i++) {
        g->out->x[centre][i] = (float)(x[i] / walk->count);
    }
    set_unit(g->out->normal[centre], n);
    return centre;
}

static void add_triangle(Gather *g, int32_t a, int32_t b, int32_t c, int32_t owner) {
    int32_t *corner = g->out->corner[g->made];
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    g->out->owner[g->made++] = owner;
}

/* Splits the faces of mesh `m`. */
static void split_faces(Gather *g, int32_t m) {
    int32_t base = g->base;
    for (FaceWalk walk = {0}; next_face(g, g->scene->meshes + m, &walk);) {
        const int32_t *c = walk.corner;
        if (walk.count == 3) {
            add_triangle(g, base + c[0], base + c[1], base + c[2], m);
            continue;
        }
        int32_t centre = add_centre(g, &walk);
        for (int32_t k = 0; k < walk.count; k++) {
            int32_t next = k + 1 < walk.count ? k + 1 : 0;
            add_triangle(g, base + c[k], base + c[next], centre, m);
        }
    }
}

bool tl_triangles_gather(TlTriangles *triangles, const TlRenderScene *scene,
                         const double centre_m[3], double radius_m) {
    Gather g = {.scene = scene, .centre = centre_m, .radius = radius_m, .out = triangles};
    memset(triangles, 0, sizeof *triangles);
    if (!count_elements(&g) || !allocate_triangles(triangles)) {
        tl_triangles_destroy(triangles);
        return false;
    }
    for (int32_t m = 0; m < scene->mesh_count; m++) {
        g.base = g.points_made;
        place_points(&g, scene->meshes + m);
        g.points_made += scene->meshes[m].vertex_count;
        split_faces(&g, m);
    }
    return true;
}

void tl_triangles_destroy(TlTriangles *triangles) {
    free(triangles->x);
    free(triangles->normal);
    free(triangles->corner);
    free(triangles->owner);
    memset(triangles, 0, sizeof *triangles);
}
