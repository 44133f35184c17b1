/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Finds edges that meet triangles. Triangles are sorted along a curve that fills space (Morton
 * order of their middles), and a binary tree of boxes is built over that order, one for all cloths
 * and one for all collider meshes: cloth edges look through both, collider edges through the
 * cloths'. Boxes are of grid coordinates, so nothing is lost before the exact test. */
#include "crossings.h"

#include "verify_exact.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAF_SIZE 4   /* triangles of a leaf, at most */
#define STACK_SIZE 64 /* nodes on the way down a tree: its depth is below 32 */
#define CODE_BITS 21  /* of a Morton code, by axis */
#define PAIRS_KEPT 1000000
/* A triangle may enter a solid by this many spacings of its stored numbers. */
#define DEPTH_SPACINGS 2.0

/* Low and high corner, both inside. */
typedef struct Box {
    int64_t low[3], high[3];
} Box;

/* An edge while equal ones are looked for, or a triangle while it is sorted. */
typedef struct Item {
    uint64_t key;
    int32_t value;
} Item;

/* Boxes over triangles in Morton order. Node 1 is the root, n has the children 2n and 2n + 1; leaf
 * i of leaf_count is node leaf_count + i. */
typedef struct Tree {
    int32_t count;
    int32_t leaf_count; /* a power of two */
    int32_t *order;     /* the triangles */
    Box *boxes;         /* of the triangles, in that order */
    Box *nodes;         /* 2 * leaf_count */
} Tree;

/* The surface of all bodies, numbered through. */
typedef struct TlCrossWork {
    int32_t vertex_count, triangle_count, edge_count;
    int32_t cloth_triangles, cloth_edges; /* the first ones */
    int32_t room_vertices, room_triangles;
    TlGridPoint *points;
    int32_t (*triangles)[3];
    int32_t *triangle_face;
    int32_t *triangle_body;
    int32_t (*edges)[2];
    int32_t *edge_face; /* the first face that has it */
    int32_t *edge_body;
    Item *items; /* 3 * triangle_count */
    Tree cloth, collider;
    int32_t room_pairs;
    int64_t room_between;
} TlCrossWork;

static ToileStatus fail(ToileError *error, ToileStatus status, const char *format, ...) {
    if (error && error->struct_size) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

static ToileStatus out_of_memory(ToileError *error) {
    return fail(error, TOILE_STATUS_OUT_OF_MEMORY, "There is not enough memory");
}

/* ---- memory ---- */

/* a new array in place of the old one, whose content is not needed */
static void *renew(void *old, size_t count, size_t size) {
    free(old);
    return malloc((count + 1) * size);
}

static bool renew_tree(Tree *tree, size_t count) {
    tree->order = renew(tree->order, count, sizeof *tree->order);
    tree->boxes = renew(tree->boxes, count, sizeof *tree->boxes);
    /* the leaves are at most half as many as the triangles, or one */
    tree->nodes = renew(tree->nodes, count + 2, sizeof *tree->nodes);
    return tree->order && tree->boxes && tree->nodes;
}

static void free_tree(Tree *tree) {
    free(tree->order);
    free(tree->boxes);
    free(tree->nodes);
}

static bool renew_vertices(TlCrossWork *work, size_t count) {
    work->points = renew(work->points, count, sizeof *work->points);
    return work->points != NULL;
}

static bool renew_triangles(TlCrossWork *work, size_t count) {
    bool trees = renew_tree(&work->cloth, count) && renew_tree(&work->collider, count);
    work->triangles = renew(work->triangles, count, sizeof *work->triangles);
    work->triangle_face = renew(work->triangle_face, count, sizeof *work->triangle_face);
    work->triangle_body = renew(work->triangle_body, count, sizeof *work->triangle_body);
    work->edges = renew(work->edges, 3 * count, sizeof *work->edges);
    work->edge_face = renew(work->edge_face, 3 * count, sizeof *work->edge_face);
    work->edge_body = renew(work->edge_body, 3 * count, sizeof *work->edge_body);
    work->items = renew(work->items, 3 * count, sizeof *work->items);
    return trees && work->triangles && work->triangle_face && work->triangle_body && work->edges &&
           work->edge_face && work->edge_body && work->items;
}

static bool make_room(TlCrossWork *work, int32_t vertices, int32_t triangles) {
    if (vertices > work->room_vertices || !work->points) {
        bool got = renew_vertices(work, (size_t)vertices);
        work->room_vertices = got ? vertices : -1;
    }
    if (triangles > work->room_triangles || !work->triangles) {
        bool got = renew_triangles(work, (size_t)triangles);
        work->room_triangles = got ? triangles : -1;
    }
    return work->room_vertices >= 0 && work->room_triangles >= 0;
}

void tl_crossings_free(TlCrossings *crossings) {
    TlCrossWork *work = crossings->work;
    if (work) {
        free(work->points);
        free(work->triangles);
        free(work->triangle_face);
        free(work->triangle_body);
        free(work->edges);
        free(work->edge_face);
        free(work->edge_body);
        free(work->items);
        free_tree(&work->cloth);
        free_tree(&work->collider);
    }
    free(work);
    free(crossings->pairs);
    free(crossings->between);
    memset(crossings, 0, sizeof *crossings);
}

/* ---- the surface ---- */

static ToileStatus check_positions(const TlCrossBody *body, ToileError *error) {
    for (size_t i = 0; i < 3 * (size_t)body->vertex_count; i++)
        if (!isfinite(body->x[i]))
            return fail(error, TOILE_STATUS_INVALID_DATA,
                        "Vertex %d of '%s' is not at a finite position", (int)(i / 3), body->name);
    return TOILE_STATUS_OK;
}

/* counts vertices and triangles, and refuses faces that have none */
static ToileStatus measure(const TlCrossScene *scene, int64_t *vertices, int64_t *triangles,
                           ToileError *error) {
    *vertices = *triangles = 0;
    for (int32_t b = 0; b < scene->body_count; b++) {
        const TlCrossBody *body = &scene->bodies[b];
        *vertices += body->vertex_count;
        for (int32_t f = 0; f < body->face_count; f++) {
            if (body->face_sizes[f] < 3)
                return fail(error, TOILE_STATUS_INVALID_DATA,
                            "Face %d of '%s' has %d corners; at least 3 are needed", (int)f,
                            body->name, (int)body->face_sizes[f]);
            *triangles += body->face_sizes[f] - 2;
        }
    }
    /* edges are numbered, and there are up to three a triangle */
    if (*vertices > INT32_MAX / 4 || *triangles > INT32_MAX / 4)
        return fail(error, TOILE_STATUS_INVALID_DATA,
                    "The frame has %lld vertices and %lld triangles; at most %d can be checked",
                    (long long)*vertices, (long long)*triangles, INT32_MAX / 4);
    return TOILE_STATUS_OK;
}

/* a face as a fan about its lowest-numbered vertex, the first of them when it stands twice */
static int32_t split_face(const int32_t *corners, int32_t size, int32_t base, int32_t (*out)[3]) {
    int32_t low = 0;
    for (int32_t i = 1; i < size; i++)
        low = corners[i] < corners[low] ? i : low;
    for (int32_t i = 0; i < size - 2; i++) {
        out[i][0] = base + corners[low];
        out[i][1] = base + corners[(low + i + 1) % size];
        out[i][2] = base + corners[(low + i + 2) % size];
    }
    return size - 2;
}

static void add_triangles(TlCrossWork *work, const TlCrossBody *body, int32_t index, int32_t base) {
    const int32_t *corners = body->corners;
    for (int32_t f = 0; f < body->face_count; f++) {
        int32_t first = work->triangle_count;
        work->triangle_count +=
            split_face(corners, body->face_sizes[f], base, work->triangles + first);
        for (int32_t t = first; t < work->triangle_count; t++) {
            work->triangle_face[t] = f;
            work->triangle_body[t] = index;
        }
        corners += body->face_sizes[f];
    }
}

static int compare_items(const void *a, const void *b) {
    const Item *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* the edges of triangles `first` to the last, each once; triangles are in the order of faces */
static void add_edges(TlCrossWork *work, int32_t first, int32_t body) {
    size_t count = 0;
    for (int32_t t = first; t < work->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            uint32_t a = (uint32_t)work->triangles[t][k];
            uint32_t b = (uint32_t)work->triangles[t][(k + 1) % 3];
            uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
            if (a != b)
                work->items[count++] = (Item){key, work->triangle_face[t]};
        }
    qsort(work->items, count, sizeof *work->items, compare_items);
    for (size_t i = 0; i < count; i++) {
        const Item *item = &work->items[i];
        int32_t edge = work->edge_count;
        if (i > 0 && item->key == item[-1].key)
            continue;
        work->edges[edge][0] = (int32_t)(item->key >> 32);
        work->edges[edge][1] = (int32_t)(item->key & UINT32_MAX);
        work->edge_face[edge] = item->value;
        work->edge_body[edge] = body;
        work->edge_count++;
    }
}

/* the middle of all cloth in whole metres, so that the grid is the same wherever it is */
static void find_origin(const TlCrossScene *scene, double origin[3]) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int32_t b = 0; b < scene->cloth_count; b++)
        for (size_t i = 0; i < 3 * (size_t)scene->bodies[b].vertex_count; i++) {
            double x = scene->bodies[b].x[i];
            low[i % 3] = x < low[i % 3] ? x : low[i % 3];
            high[i % 3] = x > high[i % 3] ? x : high[i % 3];
        }
    for (int k = 0; k < 3; k++)
        origin[k] = low[k] <= high[k] ? floor(0.5 * low[k] + 0.5 * high[k] + 0.5) : 0.0;
}

static ToileStatus add_points(TlCrossWork *work, const TlCrossBody *body, const double origin[3],
                              ToileError *error) {
    for (int32_t v = 0; v < body->vertex_count; v++) {
        int64_t *point = work->points[work->vertex_count++];
        for (int k = 0; k < 3; k++) {
            double away = body->x[3 * (size_t)v + (size_t)k] - origin[k];
            if (!(fabs(away) < TL_CROSSINGS_REACH_M))
                return fail(error, TOILE_STATUS_INVALID_DATA,
                            "Vertex %d of '%s' is %g m from the middle of the cloth; exact "
                            "arithmetic reaches %g m",
                            (int)v, body->name, fabs(away), TL_CROSSINGS_REACH_M);
            point[k] = (int64_t)floor(away / TL_CROSSINGS_GRID_M + 0.5);
        }
    }
    return TOILE_STATUS_OK;
}

static ToileStatus build_surface(TlCrossWork *work, const TlCrossScene *scene, ToileError *error) {
    int64_t vertices = 0, triangles = 0;
    double origin[3];
    ToileStatus status = measure(scene, &vertices, &triangles, error);
    for (int32_t b = 0; b < scene->body_count && status == TOILE_STATUS_OK; b++)
        status = check_positions(&scene->bodies[b], error);
    if (status != TOILE_STATUS_OK)
        return status;
    if (!make_room(work, (int32_t)vertices, (int32_t)triangles))
        return out_of_memory(error);
    find_origin(scene, origin);
    work->vertex_count = work->triangle_count = work->edge_count = 0;
    work->cloth_triangles = work->cloth_edges = 0;
    for (int32_t b = 0; b < scene->body_count && status == TOILE_STATUS_OK; b++) {
        int32_t base = work->vertex_count, first = work->triangle_count;
        status = add_points(work, &scene->bodies[b], origin, error);
        add_triangles(work, &scene->bodies[b], b, base);
        add_edges(work, first, b);
        if (b < scene->cloth_count) {
            work->cloth_triangles = work->triangle_count;
            work->cloth_edges = work->edge_count;
        }
    }
    return status;
}

/* ---- the tree ---- */

static Box box_of(const TlCrossWork *work, const int32_t *vertices, int count) {
    Box box;
    memcpy(box.low, work->points[vertices[0]], sizeof box.low);
    memcpy(box.high, work->points[vertices[0]], sizeof box.high);
    for (int i = 1; i < count; i++)
        for (int k = 0; k < 3; k++) {
            int64_t x = work->points[vertices[i]][k];
            box.low[k] = x < box.low[k] ? x : box.low[k];
            box.high[k] = x > box.high[k] ? x : box.high[k];
        }
    return box;
}

static void join(Box *box, const Box *other) {
    for (int k = 0; k < 3; k++) {
        box->low[k] = other->low[k] < box->low[k] ? other->low[k] : box->low[k];
        box->high[k] = other->high[k] > box->high[k] ? other->high[k] : box->high[k];
    }
}

static bool boxes_meet(const Box *a, const Box *b) {
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

/* the bits of the box's middle within `all`, those of the three axes by turns */
static uint64_t morton_code(const Box *box, const Box *all, int64_t size) {
    uint64_t code = 0;
    int shift = 0;
    while (size >> shift >= INT64_C(1) << CODE_BITS)
        shift++;
    for (int k = 0; k < 3; k++) {
        uint64_t middle = (uint64_t)((box->low[k] + box->high[k]) / 2 - all->low[k]) >> shift;
        for (int bit = 0; bit < CODE_BITS; bit++)
            code |= (middle >> bit & 1) << (3 * bit + k);
    }
    return code;
}

/* the triangles of one leaf in the order */
static int32_t leaf_begin(const Tree *tree, int32_t leaf) {
    return (int32_t)((int64_t)tree->count * leaf / tree->leaf_count);
}

static void sort_triangles(const TlCrossWork *work, Tree *tree, int32_t first) {
    Item *items = work->items;
    Box all = box_of(work, work->triangles[first], 3);
    int64_t size = 0;
    for (int32_t t = 1; t < tree->count; t++) {
        Box box = box_of(work, work->triangles[first + t], 3);
        join(&all, &box);
    }
    for (int k = 0; k < 3; k++)
        size = all.high[k] - all.low[k] > size ? all.high[k] - all.low[k] : size;
    for (int32_t t = 0; t < tree->count; t++) {
        Box box = box_of(work, work->triangles[first + t], 3);
        items[t] = (Item){morton_code(&box, &all, size), first + t};
    }
    qsort(items, (size_t)tree->count, sizeof *items, compare_items);
    for (int32_t i = 0; i < tree->count; i++) {
        tree->order[i] = items[i].value;
        tree->boxes[i] = box_of(work, work->triangles[items[i].value], 3);
    }
}

/* a tree of `count` triangles from `first` on */
static void build_tree(const TlCrossWork *work, Tree *tree, int32_t first, int32_t count) {
    tree->count = count;
    tree->leaf_count = 1;
    if (count == 0)
        return;
    while ((int64_t)tree->leaf_count * LEAF_SIZE < count)
        tree->leaf_count *= 2;
    sort_triangles(work, tree, first);
    for (int32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        int32_t begin = leaf_begin(tree, leaf), end = leaf_begin(tree, leaf + 1);
        Box *box = &tree->nodes[tree->leaf_count + leaf];
        *box = tree->boxes[begin];
        for (int32_t i = begin + 1; i < end; i++)
            join(box, &tree->boxes[i]);
    }
    for (int32_t node = tree->leaf_count - 1; node >= 1; node--) {
        tree->nodes[node] = tree->nodes[2 * node];
        join(&tree->nodes[node], &tree->nodes[2 * node + 1]);
    }
}

/* ---- the search ---- */

static bool make_room_for_pair(TlCrossings *crossings) {
    TlCrossWork *work = crossings->work;
    if (crossings->pair_count < work->room_pairs)
        return true;
    int32_t room = 2 * work->room_pairs + 64;
    TlCrossing *pairs = realloc(crossings->pairs, (size_t)room * sizeof *pairs);
    if (!pairs)
        return false;
    crossings->pairs = pairs;
    work->room_pairs = room;
    return true;
}

/* both triangles of a quad often meet the same face */
static bool is_last(const TlCrossings *crossings, const TlCrossing *pair) {
    int32_t count = crossings->pair_count;
    return count > 0 && memcmp(&crossings->pairs[count - 1], pair, sizeof *pair) == 0;
}

/* counts a pair and keeps it; false when memory runs out */
static bool add_pair(TlCrossings *crossings, TlCrossing pair) {
    crossings->count++;
    crossings->between[(int64_t)pair.body * crossings->other_count + pair.other]++;
    if (crossings->pair_count == PAIRS_KEPT || is_last(crossings, &pair))
        return true;
    if (!make_room_for_pair(crossings))
        return false;
    crossings->pairs[crossings->pair_count++] = pair;
    return true;
}

/* an edge met a triangle: the lesser object first, which is a cloth if one is */
static bool add_meeting(TlCrossings *crossings, int32_t edge, int32_t triangle) {
    const TlCrossWork *work = crossings->work;
    TlCrossing pair = {work->edge_body[edge], work->edge_face[edge], work->triangle_body[triangle],
                       work->triangle_face[triangle]};
    if (pair.body > pair.other || (pair.body == pair.other && pair.face > pair.other_face))
        pair = (TlCrossing){pair.other, pair.other_face, pair.body, pair.face};
    return add_pair(crossings, pair);
}

static bool edge_meets(const TlCrossWork *work, int32_t edge, int32_t triangle) {
    const int32_t *e = work->edges[edge], *t = work->triangles[triangle];
    for (int k = 0; k < 3; k++)
        if (t[k] == e[0] || t[k] == e[1])
            return false;
    return tl_segment_meets_triangle(work->points[e[0]], work->points[e[1]], work->points[t[0]],
                                     work->points[t[1]], work->points[t[2]]);
}

static bool search_leaf(TlCrossings *crossings, const Tree *tree, int32_t leaf, int32_t edge,
                        const Box *box) {
    int32_t end = leaf_begin(tree, leaf + 1);
    for (int32_t i = leaf_begin(tree, leaf); i < end; i++)
        if (boxes_meet(&tree->boxes[i], box) && edge_meets(crossings->work, edge, tree->order[i]) &&
            !add_meeting(crossings, edge, tree->order[i]))
            return false;
    return true;
}

static bool search_edge(TlCrossings *crossings, const Tree *tree, int32_t edge) {
    int32_t stack[STACK_SIZE], depth = 0;
    Box box = box_of(crossings->work, crossings->work->edges[edge], 2);
    if (tree->count > 0)
        stack[depth++] = 1;
    while (depth > 0) {
        int32_t node = stack[--depth];
        if (!boxes_meet(&tree->nodes[node], &box))
            continue;
        if (node >= tree->leaf_count) {
            if (!search_leaf(crossings, tree, node - tree->leaf_count, edge, &box))
                return false;
        } else {
            stack[depth++] = 2 * node;
            stack[depth++] = 2 * node + 1;
        }
    }
    return true;
}

static bool search_meshes(TlCrossings *crossings, bool cloth_cloth) {
    TlCrossWork *work = crossings->work;
    int32_t cloth = work->cloth_triangles;
    build_tree(work, &work->cloth, 0, cloth);
    build_tree(work, &work->collider, cloth, work->triangle_count - cloth);
    for (int32_t edge = 0; edge < work->edge_count; edge++) {
        bool of_cloth = edge < work->cloth_edges;
        if (of_cloth && !search_edge(crossings, &work->collider, edge))
            return false;
        if ((!of_cloth || cloth_cloth) && !search_edge(crossings, &work->cloth, edge))
            return false;
    }
    return true;
}

/* ---- solids ---- */

/* how deep a triangle may be in a solid before it counts */
static double allowed_depth(const TlCrossBody *body) {
    double coarse = DEPTH_SPACINGS * body->spacing_m;
    return coarse > TL_CROSSINGS_DEPTH_M ? coarse : TL_CROSSINGS_DEPTH_M;
}

static bool search_solids(TlCrossings *crossings, const TlCrossScene *scene) {
    const TlCrossWork *work = crossings->work;
    int32_t base = 0, body = 0;
    for (int32_t t = 0; t < work->cloth_triangles; t++) {
        double corners[3][3];
        for (; body < work->triangle_body[t]; body++)
            base += scene->bodies[body].vertex_count;
        for (int k = 0; k < 3; k++)
            memcpy(corners[k], scene->bodies[body].x + 3 * (size_t)(work->triangles[t][k] - base),
                   sizeof corners[k]);
        for (int32_t s = 0; s < scene->solid_count; s++)
            if (tl_solid_entered(&scene->solids[s], (const double(*)[3])corners,
                                 allowed_depth(&scene->bodies[body])) &&
                !add_pair(crossings,
                          (TlCrossing){body, work->triangle_face[t], scene->body_count + s, -1}))
                return false;
    }
    return true;
}

/* ---- the whole ---- */

static int compare_pairs(const void *a, const void *b) {
    const TlCrossing *x = a, *y = b;
    const int32_t left[4] = {x->body, x->face, x->other, x->other_face};
    const int32_t right[4] = {y->body, y->face, y->other, y->other_face};
    for (int i = 0; i < 4; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static void sort_pairs(TlCrossings *crossings) {
    int32_t kept = 0;
    if (crossings->pair_count == 0)
        return;
    qsort(crossings->pairs, (size_t)crossings->pair_count, sizeof *crossings->pairs, compare_pairs);
    for (int32_t i = 1; i < crossings->pair_count; i++)
        if (compare_pairs(&crossings->pairs[kept], &crossings->pairs[i]) != 0)
            crossings->pairs[++kept] = crossings->pairs[i];
    crossings->pair_count = kept + 1;
}

static bool start(TlCrossings *crossings, const TlCrossScene *scene) {
    crossings->count = 0;
    crossings->pair_count = 0;
    crossings->other_count = scene->body_count + scene->solid_count;
    if (!crossings->work)
        crossings->work = calloc(1, sizeof *crossings->work);
    if (!crossings->work)
        return false;
    size_t count = (size_t)scene->cloth_count * (size_t)crossings->other_count;
    free(crossings->between);
    crossings->between = calloc(count + 1, sizeof *crossings->between);
    return crossings->between != NULL;
}

ToileStatus tl_crossings_find(TlCrossings *crossings, const TlCrossScene *scene,
                              ToileError *error) {
    if (!start(crossings, scene))
        return out_of_memory(error);
    ToileStatus status = build_surface(crossings->work, scene, error);
    if (status != TOILE_STATUS_OK)
        return status;
    if (!search_meshes(crossings, scene->cloth_cloth) || !search_solids(crossings, scene))
        return out_of_memory(error);
    sort_pairs(crossings);
    return TOILE_STATUS_OK;
}

int64_t tl_crossings_between(const TlCrossings *crossings, int32_t body, int32_t other) {
    return crossings->between[(int64_t)body * crossings->other_count + other];
}
