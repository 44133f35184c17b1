/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Pins on a mesh that deforms. At the start each vertex looks for the triangle nearest to it, and
 * from then on keeps its place there: the nearest point of the triangle by its weights at the three
 * corners, and the way from there to the vertex in a frame that turns with the triangle. A vertex
 * that lies on a vertex of the mesh so follows exactly that one. The nearest point of a triangle is
 * found by the regions of its corners, edges and inside (Ericson, Real-Time Collision Detection,
 * section 5.1.5), the nearest triangle by a tree of boxes. */
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

#define LEAF_SIZE 4
#define STACK_SIZE 128 /* above twice the depth of any tree */
/* of the coordinates: far above what rounding adds to a distance */
#define SLACK_RATIO 1e-12

typedef struct Box {
    double low[3], high[3];
} Box;

typedef struct Triangle {
    int32_t vertices[3];
    int32_t number; /* in the order of the faces */
    uint64_t place; /* of its centre on a curve through space */
} Triangle;

/* Triangles in the order of the curve, and a full binary tree of boxes about runs of them: the
 * children of box i are 2 i and 2 i + 1, the root is 1, the leaves are the last `leaf_count`. */
typedef struct Tree {
    const double *positions_m;
    Triangle *triangles;
    size_t count, leaf_count;
    Box *boxes;
    double slack;
} Tree;

static void free_tree(Tree *tree) {
    free(tree->triangles);
    free(tree->boxes);
}

/* Lists all triangles of a mesh, quads as two. */
static bool list_triangles(const ToileMeshDef *mesh, Tree *tree) {
    const int32_t *corners = mesh->corners;
    tree->triangles = malloc(((size_t)mesh->corner_count + 1) * sizeof *tree->triangles);
    for (int32_t f = 0; tree->triangles && f < mesh->face_count; f++) {
        for (int32_t k = 2; k < mesh->face_sizes[f]; k++, tree->count++)
            tree->triangles[tree->count] =
                (Triangle){.vertices = {corners[0], corners[k - 1], corners[k]},
                           .number = (int32_t)tree->count};
        corners += mesh->face_sizes[f];
    }
    return tree->triangles != NULL;
}

static void grow(Box *box, const double *low, const double *high) {
    for (int32_t k = 0; k < 3; k++) {
        box->low[k] = low[k] < box->low[k] ? low[k] : box->low[k];
        box->high[k] = high[k] > box->high[k] ? high[k] : box->high[k];
    }
}

static const Box nowhere = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};

static Box box_of(const Tree *tree, size_t begin, size_t end) {
    Box box = nowhere;
    for (size_t i = begin; i < end; i++)
        for (int32_t k = 0; k < 3; k++) {
            const double *x = tree->positions_m + 3 * (size_t)tree->triangles[i].vertices[k];
            grow(&box, x, x);
        }
    return box;
}

/* Puts two zeros before each of the lower 21 bits. */
static uint64_t spread(uint64_t bits) {
    bits = (bits | bits << 32) & 0x001f00000000ffffU;
    bits = (bits | bits << 16) & 0x001f0000ff0000ffU;
    bits = (bits | bits << 8) & 0x100f00f00f00f00fU;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3U;
    return (bits | bits << 2) & 0x1249249249249249U;
}

/* Where a triangle is on a Morton curve through the box of all. */
static uint64_t place_of(const Tree *tree, const Box *all, const Triangle *triangle) {
    uint64_t place = 0;
    for (int32_t k = 0; k < 3; k++) {
        double sum = 0, size = all->high[k] - all->low[k];
        for (int32_t c = 0; c < 3; c++)
            sum += tree->positions_m[3 * (size_t)triangle->vertices[c] + (size_t)k] - all->low[k];
        double part = size > 0 ? sum / (3 * size) : 0;
        place |= spread((uint64_t)(part * 0x1fffff)) << k;
    }
    return place;
}

static int by_place(const void *left, const void *right) {
    const Triangle *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static size_t leaf_begin(const Tree *tree, size_t leaf) {
    return leaf * tree->count / tree->leaf_count;
}

/* Makes a tree; false when memory runs out. Free it in any case. */
static bool make_tree(const ToileMeshDef *mesh, const double *positions_m, Tree *tree) {
    *tree = (Tree){.positions_m = positions_m, .leaf_count = 1};
    if (!list_triangles(mesh, tree))
        return false;
    Box all = box_of(tree, 0, tree->count);
    for (size_t i = 0; i < tree->count; i++)
        tree->triangles[i].place = place_of(tree, &all, &tree->triangles[i]);
    qsort(tree->triangles, tree->count, sizeof *tree->triangles, by_place);
    while (tree->leaf_count * LEAF_SIZE < tree->count)
        tree->leaf_count *= 2;
    tree->boxes = malloc(2 * tree->leaf_count * sizeof *tree->boxes);
    if (!tree->boxes)
        return false;
    for (size_t i = 0; i < tree->leaf_count; i++)
        tree->boxes[tree->leaf_count + i] =
            box_of(tree, leaf_begin(tree, i), leaf_begin(tree, i + 1));
    for (size_t i = tree->leaf_count - 1; i > 0; i--) {
        tree->boxes[i] = tree->boxes[2 * i];
        grow(&tree->boxes[i], tree->boxes[2 * i + 1].low, tree->boxes[2 * i + 1].high);
    }
    for (int32_t k = 0; k < 3; k++)
        tree->slack += SLACK_RATIO * (fabs(all.low[k]) + fabs(all.high[k]));
    return true;
}

/* The triangle found so far; the first of several as near. */
typedef struct Nearest {
    const Triangle *triangle;
    double distance2;
} Nearest;

static void try_triangle(const Tree *tree, const Triangle *triangle, Vec p, Nearest *nearest) {
    Corners t = corners_of(tree->positions_m, triangle->vertices);
    double v, w;
    nearest_point(p, t.a, t.b, t.c, &v, &w);
    Vec point = add_scaled(add_scaled(t.a, v, sub(t.b, t.a)), w, sub(t.c, t.a));
    Vec way = sub(p, point);
    double distance2 = dot(way, way);
    if (distance2 < nearest->distance2 ||
        (distance2 == nearest->distance2 && triangle->number < nearest->triangle->number))
        *nearest = (Nearest){triangle, distance2};
}

static double distance_to_box(const Box *box, Vec p) {
    const double at[3] = {p.x, p.y, p.z};
    double sum = 0;
    for (int32_t k = 0; k < 3; k++) {
        double below = box->low[k] - at[k], above = at[k] - box->high[k];
        double away = below > 0 ? below : above > 0 ? above : 0;
        sum += away * away;
    }
    return sqrt(sum);
}

/* The triangle nearest to a point, the first of several; NULL: there is none. */
static const Triangle *find_nearest(const Tree *tree, Vec p) {
    Nearest nearest = {NULL, HUGE_VAL};
    double slack = tree->slack + SLACK_RATIO * (fabs(p.x) + fabs(p.y) + fabs(p.z));
    size_t stack[STACK_SIZE];
    int32_t held = 0;
    stack[held++] = 1;
    while (held > 0) {
        size_t node = stack[--held];
        if (distance_to_box(&tree->boxes[node], p) > sqrt(nearest.distance2) + slack)
            continue;
        if (node >= tree->leaf_count) {
            size_t leaf = node - tree->leaf_count;
            for (size_t i = leaf_begin(tree, leaf); i < leaf_begin(tree, leaf + 1); i++)
                try_triangle(tree, &tree->triangles[i], p, &nearest);
            continue;
        }
        /* the nearer child last, so that it is looked into first */
        bool second = distance_to_box(&tree->boxes[2 * node + 1], p) <
                      distance_to_box(&tree->boxes[2 * node], p);
        stack[held++] = 2 * node + !second;
        stack[held++] = 2 * node + second;
    }
    return nearest.triangle;
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
    double *positions_m = start_of(scene, pin, surface);
    Tree tree = {0};
    bool fine = positions_m && make_tree(&surface->mesh, positions_m, &tree);
    pin->hold = tl_io_arena_array(&reader->scene->arena, 3 * (size_t)pin->vertex_count + 1,
                                  sizeof *pin->hold);
    if (!fine || !pin->hold)
        tl_report_out_of_memory(reader->report);
    for (int32_t i = 0; fine && pin->hold && i < pin->vertex_count; i++) {
        Vec p = load(start->mesh.positions_m + 3 * (size_t)pin->vertices[i]);
        const Triangle *nearest = find_nearest(&tree, p);
        if (nearest)
            memcpy(pin->hold + 3 * (size_t)i, nearest->vertices, sizeof nearest->vertices);
    }
    free_tree(&tree);
    free(positions_m);
}
