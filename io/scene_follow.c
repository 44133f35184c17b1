/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Pins on a mesh that deforms. At the start each vertex looks for the triangle nearest to it, and
 * from then on keeps its place there: the nearest point of the triangle by its weights at the three
 * corners, and the way from there to the vertex in a frame that turns with the triangle. A vertex
 * that lies on a vertex of the mesh so follows exactly that one. The nearest point of a triangle is
 * found by the regions of its corners, edges and inside (Ericson, Real-Time Collision Detection,
 * section 5.1.5). */
#include "rotation.h"
#include "scene_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Vec {
    double x, y, z;
} Vec;

static Vec load(const double *p) {
    return (Vec){p[0], p[1], p[2]};
}

static Vec sub(Vec a, Vec b) {
    return (Vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static Vec add_scaled(Vec a, double s, Vec b) {
    return (Vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static double dot(Vec a, Vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static Vec cross(Vec a, Vec b) {
    return (Vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Weights of the second and third corner in the point of a triangle nearest to `p`. */
static void nearest_point(Vec p, Vec a, Vec b, Vec c, double *v, double *w) {
    Vec ab = sub(b, a), ac = sub(c, a), ap = sub(p, a), bp = sub(p, b), cp = sub(p, c);
    double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp);
    double d5 = dot(ab, cp), d6 = dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    *v = *w = 0;
    if (d1 <= 0 && d2 <= 0)
        return;
    if (d3 >= 0 && d4 <= d3) {
        *v = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        *w = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        *v = d1 / (d1 - d3);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        *w = d2 / (d2 - d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        *w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        *v = 1 - *w;
    } else {
        double sum = va + vb + vc;
        *v = vb / sum;
        *w = vc / sum;
    }
}

/* ---- carrying ---- */

typedef struct Corners {
    Vec a, b, c;
} Corners;

static Corners corners_of(const double *positions_m, const int32_t triangle[3]) {
    return (Corners){load(positions_m + 3 * (size_t)triangle[0]),
                     load(positions_m + 3 * (size_t)triangle[1]),
                     load(positions_m + 3 * (size_t)triangle[2])};
}

/* Three unit vectors that turn with a triangle; false: it has no area. */
static bool frame_of(const Corners *t, Vec axes[3]) {
    Vec along = sub(t->b, t->a), normal = cross(along, sub(t->c, t->a));
    double length = sqrt(dot(along, along)), area = sqrt(dot(normal, normal));
    if (!(length > 0) || !(area > 0))
        return false;
    axes[0] = add_scaled((Vec){0, 0, 0}, 1 / length, along);
    axes[2] = add_scaled((Vec){0, 0, 0}, 1 / area, normal);
    axes[1] = cross(axes[2], axes[0]);
    return true;
}

void tl_scene_carry(const double *from_m, const double *to_m, const int32_t triangle[3],
                    const double in_m[3], double out_m[3]) {
    Corners from = corners_of(from_m, triangle), to = corners_of(to_m, triangle);
    Vec before[3], after[3];
    double v, w;
    nearest_point(load(in_m), from.a, from.b, from.c, &v, &w);
    /* at a corner the point is that corner, to the last bit */
    Vec point = v == 1 ? from.b : w == 1 ? from.c : from.a;
    Vec moved = v == 1 ? to.b : w == 1 ? to.c : to.a;
    if (v != 1 && w != 1) {
        point = add_scaled(add_scaled(from.a, v, sub(from.b, from.a)), w, sub(from.c, from.a));
        moved = add_scaled(add_scaled(to.a, v, sub(to.b, to.a)), w, sub(to.c, to.a));
    }
    Vec way = sub(load(in_m), point);
    if (frame_of(&from, before) && frame_of(&to, after)) {
        Vec turned = {0, 0, 0};
        for (int32_t k = 0; k < 3; k++)
            turned = add_scaled(turned, dot(way, before[k]), after[k]);
        way = turned;
    }
    out_m[0] = moved.x + way.x;
    out_m[1] = moved.y + way.y;
    out_m[2] = moved.z + way.z;
}

/* ---- finding what to hold on to ---- */

/* A triangle and a ball about it. */
typedef struct Candidate {
    int32_t vertices[3];
    Vec centre;
    double radius;
} Candidate;

static Candidate make_candidate(const double *positions_m, int32_t a, int32_t b, int32_t c) {
    Candidate candidate = {.vertices = {a, b, c}};
    Corners t = corners_of(positions_m, candidate.vertices);
    Vec sum = add_scaled(add_scaled(t.a, 1, t.b), 1, t.c);
    candidate.centre = add_scaled((Vec){0, 0, 0}, 1.0 / 3.0, sum);
    double most = 0;
    for (int32_t k = 0; k < 3; k++) {
        Vec r = sub(k == 0 ? t.a : k == 1 ? t.b : t.c, candidate.centre);
        most = dot(r, r) > most ? dot(r, r) : most;
    }
    candidate.radius = sqrt(most);
    return candidate;
}

/* All triangles of a mesh, quads as two; for free(). */
static Candidate *list_candidates(const ToileMeshDef *mesh, const double *positions_m,
                                  int32_t *count) {
    Candidate *list = malloc(((size_t)mesh->corner_count + 1) * sizeof *list);
    const int32_t *corners = mesh->corners;
    *count = 0;
    for (int32_t f = 0; list && f < mesh->face_count; f++) {
        for (int32_t k = 2; k < mesh->face_sizes[f]; k++)
            list[(*count)++] = make_candidate(positions_m, corners[0], corners[k - 1], corners[k]);
        corners += mesh->face_sizes[f];
    }
    return list;
}

/* The triangle nearest to a point, the first of several. */
static const Candidate *find_nearest(const Candidate *list, int32_t count,
                                     const double *positions_m, Vec p) {
    const Candidate *nearest = NULL;
    double least = HUGE_VAL, least2 = HUGE_VAL;
    for (int32_t i = 0; i < count; i++) {
        Vec away = sub(p, list[i].centre);
        double reach = least + list[i].radius;
        if (dot(away, away) >= reach * reach)
            continue;
        Corners t = corners_of(positions_m, list[i].vertices);
        double v, w;
        nearest_point(p, t.a, t.b, t.c, &v, &w);
        Vec point = add_scaled(add_scaled(t.a, v, sub(t.b, t.a)), w, sub(t.c, t.a));
        Vec way = sub(p, point);
        if (dot(way, way) < least2) {
            least2 = dot(way, way);
            least = sqrt(least2);
            nearest = &list[i];
        }
    }
    return nearest;
}

/* The mesh that a pin follows in the world at the first frame; for free(). */
static double *start_of(const ToileScene *scene, const TlScenePin *pin,
                        const TlSceneSurface *surface) {
    size_t count = (size_t)surface->mesh.vertex_count;
    ToilePose none = {{0, 0, 0}, {0, 0, 0}}, pose = none;
    double *positions_m = malloc(3 * count * sizeof *positions_m);
    if (!pin->target)
        pose = tl_scene_pose(&scene->colliders[pin->follow], scene->sim.start_frame);
    for (size_t i = 0; positions_m && i < count; i++)
        tl_pose_carry(&none, &pose, surface->mesh.positions_m + 3 * i, positions_m + 3 * i);
    return positions_m;
}

void tl_scene_hold(TlSceneReader *reader, const TlSceneCloth *cloth, TlScenePin *pin) {
    const ToileScene *scene = reader->scene;
    const TlSceneSurface *surface =
        pin->target ? pin->target : scene->colliders[pin->follow].surface;
    const ToileObj *start = cloth->start ? cloth->start : cloth->mesh;
    int32_t count = 0;
    double *positions_m = start_of(scene, pin, surface);
    Candidate *list = positions_m ? list_candidates(&surface->mesh, positions_m, &count) : NULL;
    pin->hold = tl_io_arena_array(&reader->scene->arena, 3 * (size_t)pin->vertex_count + 1,
                                  sizeof *pin->hold);
    if (!list || !pin->hold)
        tl_report_out_of_memory(reader->report);
    for (int32_t i = 0; list && pin->hold && i < pin->vertex_count; i++) {
        Vec p = load(start->mesh.positions_m + 3 * (size_t)pin->vertices[i]);
        const Candidate *nearest = find_nearest(list, count, positions_m, p);
        if (nearest)
            memcpy(pin->hold + 3 * (size_t)i, nearest->vertices, sizeof nearest->vertices);
    }
    free(positions_m);
    free(list);
}
