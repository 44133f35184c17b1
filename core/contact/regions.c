/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The line along which surfaces cross divides a cloth into parts; the smaller one is taken to be on
 * the wrong side. That tells the way out also where the line could not get shorter, as where a
 * sheet hangs through a board from one edge to the other. [BWK03] Baraff, Witkin, Kass: Untangling
 * cloth, 2003, which colours the same parts.
 *
 * Vertices are of one region when edges join them that are not crossed, or are crossed an even
 * number of times. An edge that crosses several triangles of a body at one place, where they join,
 * crosses it once. A region is known by its lowest vertex. Those of colliders count as endless,
 * because colliders do not give way. A region of cloth that is inside a body is held there when a
 * pin is part of it. [vOS83] van Oosterom, Strackee: The solid angle of a plane triangle, 1983. */
#include "contact/regions.h"

#include "base/elementary.h"

#include <string.h>

enum { GRAIN = 1024 };
/* the solid angle of half of all directions */
#define HALF_SPHERE 6.283185307179586
/* crossings of an edge that are no farther apart, over its length, are one */
#define SAME_PLACE 1e-6

static int32_t root_of(int32_t *region, int32_t v) {
    while (region[v] != v) {
        region[v] = region[region[v]];
        v = region[v];
    }
    return v;
}

static void join(int32_t *region, int32_t a, int32_t b) {
    a = root_of(region, a);
    b = root_of(region, b);
    region[a > b ? a : b] = a > b ? b : a;
}

static TlVec3 point(const TlWorld *world, int32_t v) {
    return tl_load3(world->x + 3 * (int64_t)v);
}

static TlVec3 normal_of(const TlWorld *world, const int32_t *t) {
    TlVec3 a = point(world, t[0]);
    return tl_unit3(tl_cross3(tl_sub3(point(world, t[1]), a), tl_sub3(point(world, t[2]), a)));
}

/* The solid angle of a triangle seen from p, by [vOS83]. */
static double solid_angle(const TlWorld *world, const int32_t *t, TlVec3 p) {
    TlVec3 a = tl_sub3(point(world, t[0]), p), b = tl_sub3(point(world, t[1]), p);
    TlVec3 c = tl_sub3(point(world, t[2]), p);
    double la = tl_length3(a), lb = tl_length3(b), lc = tl_length3(c);
    return 2.0 * tl_atan2(tl_dot3(a, tl_cross3(b, c)), la * lb * lc + tl_dot3(a, b) * lc +
                                                           tl_dot3(a, c) * lb + tl_dot3(b, c) * la);
}

typedef struct View {
    const TlWorld *world;
    TlVec3 from;
    int32_t first; /* triangle */
} View;

static double see_range(void *data, int32_t begin, int32_t end) {
    const View *view = data;
    double seen = 0.0;
    for (int32_t i = begin; i < end; i++) {
        const int32_t *t = view->world->def.surface->triangle + 3 * (int64_t)(view->first + i);
        seen += solid_angle(view->world, t, view->from);
    }
    return seen;
}

bool tl_regions_is_inside(const TlWorld *world, int32_t region) {
    for (int32_t b = 0; b < world->shell_count; b++) {
        const TlShell *shell = &world->shells[b];
        View view = {world, point(world, region), shell->first};
        if (shell->inside < HUGE_VAL && fabs(tl_parallel_sum(world->pool, shell->count, GRAIN,
                                                             see_range, &view)) > shell->inside) {
            return true;
        }
    }
    return false;
}

/* What has an inside: a body whose triangles all face the same way, whatever that is. Seen from
 * there, more than half of all directions are its inner side; of an open one it must be three
 * quarters. */
static double inside_of(const TlWorld *world, const TlShell *shell, int8_t *turn, uint8_t *count) {
    const TlSurface *surface = world->def.surface;
    int64_t first = 3 * (int64_t)shell->first, end = first + 3 * (int64_t)shell->count;
    bool same = true, closed = true;
    for (int64_t i = first; i < end; i++) {
        int32_t e = surface->side[i];
        if (e >= 0) {
            int64_t t = i / 3 * 3;
            int32_t a = surface->triangle[t + (i - t + 1) % 3];
            turn[e] = (int8_t)(turn[e] + (a == surface->edge[2 * (int64_t)e] ? 1 : -1));
            count[e] = (uint8_t)(count[e] + (count[e] < 3));
            same = same && turn[e] >= -1 && turn[e] <= 1;
        }
    }
    for (int64_t i = first; i < end; i++) {
        closed = closed && (surface->side[i] < 0 || count[surface->side[i]] == 2);
    }
    return !same ? HUGE_VAL : closed ? HALF_SPHERE : 1.5 * HALF_SPHERE;
}

bool tl_regions_build(TlWorld *world) {
    const TlSurface *surface = world->def.surface;
    int32_t first = surface->triangles.cloth, all = surface->triangles.count;
    TlArena scratch;
    tl_arena_init(&scratch, world->arena->allocator);
    int8_t *turn = TL_NEW(&scratch, int8_t, surface->edges.count);
    uint8_t *count = TL_NEW(&scratch, uint8_t, surface->edges.count);
    world->shells = TL_NEW(world->arena, TlShell, all - first);
    bool ok = !scratch.failed && world->shells != NULL;
    for (int32_t t = first; ok && t < all; t++) {
        int32_t body = surface->body[surface->triangle[3 * (int64_t)t]];
        if (t == first || body != surface->body[surface->triangle[3 * (int64_t)t - 3]]) {
            world->shells[world->shell_count++].first = t;
        }
        world->shells[world->shell_count - 1].count++;
    }
    for (int32_t b = 0; ok && b < world->shell_count; b++) {
        world->shells[b].inside = inside_of(world, &world->shells[b], turn, count);
    }
    tl_arena_free(&scratch);
    return ok;
}

bool tl_regions_corners(const TlWorld *world, const TlCrossing *at, int32_t corner[5]) {
    memcpy(corner, world->def.surface->edge + 2 * (int64_t)at->edge, 2 * sizeof *corner);
    memcpy(corner + 2, world->def.surface->triangle + 3 * (int64_t)at->triangle,
           3 * sizeof *corner);
    return corner[0] >= world->cloth || corner[2] >= world->cloth;
}

/* Finds the regions at crossings with bodies that pins hold inside. */
static void find_held(TlWorld *world) {
    uint8_t *pinned = world->marked; /* per region: it has a pin, and nobody has looked */
    memset(world->region_held, 0, (size_t)world->cloth);
    memset(pinned, 0, (size_t)world->cloth);
    for (int32_t v = 0; v < world->cloth; v++) {
        pinned[world->region[v]] |= world->def.fixed[v];
    }
    for (int32_t i = 0; i < world->crossings.count; i++) {
        int32_t corner[5];
        bool body = tl_regions_corners(world, &world->crossings.at[i], corner);
        for (int k = 0; body && k < 5; k++) {
            int32_t region = corner[k] < world->cloth ? world->region[corner[k]] : -1;
            if (region >= 0 && pinned[region]) {
                world->region_held[region] = tl_regions_is_inside(world, region);
                pinned[region] = 0;
            }
        }
    }
}

bool tl_regions_is_held(const TlWorld *world, const TlCrossing *at) {
    int32_t corner[5];
    bool body = tl_regions_corners(world, at, corner), held = false;
    for (int k = 0; k < 5; k++) {
        int32_t v = corner[k];
        held = held ||
               (v < world->cloth && (world->def.fixed[v] || world->region_held[world->region[v]]));
    }
    return body && held;
}

/* Finds where a crossing is on its edge, and which way it goes. */
static void measure(const TlWorld *world, TlCrossing *at) {
    const int32_t *e = world->def.surface->edge + 2 * (int64_t)at->edge;
    const int32_t *t = world->def.surface->triangle + 3 * (int64_t)at->triangle;
    TlVec3 on = point(world, t[0]), n = normal_of(world, t);
    double from = tl_dot3(n, tl_sub3(point(world, e[0]), on));
    double to = tl_dot3(n, tl_sub3(point(world, e[1]), on));
    at->place = from != to ? from / (from - to) : 0.0;
    at->back = from > to;
}

/* Whether an earlier crossing of its edge is the same: with the same body, at the same place, the
 * same way. One that comes back there has only touched a ridge. */
static bool is_known(const TlWorld *world, const TlCrossing *at) {
    const TlSurface *surface = world->def.surface;
    int32_t body = surface->body[surface->triangle[3 * (int64_t)at->triangle]];
    for (int32_t i = at->next; i >= 0; i = world->crossings.at[i].next) {
        const TlCrossing *other = &world->crossings.at[i];
        if (other->edge == at->edge && other->back == at->back &&
            fabs(other->place - at->place) < SAME_PLACE &&
            surface->body[surface->triangle[3 * (int64_t)other->triangle]] == body) {
            return true;
        }
    }
    return false;
}

/* Finds the edges that are crossed an odd number of times. */
static void cut_edges(TlWorld *world) {
    const TlSurface *surface = world->def.surface;
    int32_t *last = world->chain; /* per vertex: crossing of the edges of which it is the first */
    memset(world->edge_cut, 0, (size_t)surface->edges.count);
    memset(last, 0xff, sizeof *last * (size_t)world->n);
    for (int32_t i = 0; i < world->crossings.count; i++) {
        TlCrossing *at = &world->crossings.at[i];
        int32_t v = surface->edge[2 * (int64_t)at->edge];
        at->next = last[v];
        last[v] = i;
        measure(world, at);
        world->edge_cut[at->edge] ^= !is_known(world, at);
    }
}

void tl_regions_find(TlWorld *world) {
    const TlSurface *surface = world->def.surface;
    cut_edges(world);
    for (int32_t v = 0; v < world->n; v++) {
        world->region[v] = v;
        world->region_area[v] = 0.0;
    }
    for (int32_t i = 0; i < surface->edges.count; i++) {
        if (!world->edge_cut[i]) {
            join(world->region, surface->edge[2 * (int64_t)i], surface->edge[2 * (int64_t)i + 1]);
        }
    }
    for (int32_t v = 0; v < world->n; v++) {
        world->region[v] = root_of(world->region, v);
        double area = v < world->cloth ? world->def.area[v] : HUGE_VAL;
        world->region_area[world->region[v]] += area;
    }
    find_held(world);
}

/* Of the triangles at an edge, as far as they agree with the first. */
static TlVec3 normal_at(const TlWorld *world, int32_t edge) {
    TlVec3 sum = {0, 0, 0};
    for (int32_t i = world->fan_start[edge]; i < world->fan_start[edge + 1]; i++) {
        const int32_t *t = world->def.surface->triangle + 3 * (int64_t)world->fan[i];
        TlVec3 n = normal_of(world, t);
        sum = tl_madd3(sum, tl_dot3(sum, n) < 0.0 ? -1.0 : 1.0, n);
    }
    return tl_unit3(sum);
}

/* The smallest region among `count` vertices; -1 when all are of one. */
static int32_t smallest(const TlWorld *world, const int32_t *vertex, int count) {
    int32_t best = world->region[vertex[0]];
    bool same = true;
    for (int i = 1; i < count; i++) {
        int32_t other = world->region[vertex[i]];
        same = same && other == world->region[vertex[0]];
        best = world->region_area[other] < world->region_area[best] ? other : best;
    }
    return same ? -1 : best;
}

/* On which side of a plane the vertices of a region are: 1 or -1. */
static double side_of(const TlWorld *world, int32_t region, const int32_t *vertex, int count,
                      TlVec3 on, TlVec3 normal) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        if (world->region[vertex[i]] == region) {
            sum += tl_dot3(normal, tl_sub3(point(world, vertex[i]), on));
        }
    }
    return sum < 0.0 ? -1.0 : 1.0;
}

bool tl_regions_way(const TlWorld *world, const TlCrossing *at, TlVec3 *way) {
    const TlSurface *surface = world->def.surface;
    const int32_t *e = surface->edge + 2 * (int64_t)at->edge;
    const int32_t *t = surface->triangle + 3 * (int64_t)at->triangle;
    int32_t of_edge = smallest(world, e, 2), of_triangle = smallest(world, t, 3);
    double edge_area = of_edge >= 0 ? world->region_area[of_edge] : HUGE_VAL;
    double triangle_area = of_triangle >= 0 ? world->region_area[of_triangle] : HUGE_VAL;
    if (edge_area < HUGE_VAL && edge_area <= triangle_area) {
        TlVec3 n = normal_of(world, t);
        *way = tl_scale3(-side_of(world, of_edge, e, 2, point(world, t[0]), n), n);
        return true;
    }
    if (triangle_area < HUGE_VAL) {
        TlVec3 n = normal_at(world, at->edge);
        *way = tl_scale3(side_of(world, of_triangle, t, 3, point(world, e[0]), n), n);
        return true;
    }
    return false;
}
