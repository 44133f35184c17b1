/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The line along which surfaces cross divides a cloth into parts; the smaller one is taken to be on
 * the wrong side. That tells the way out also where the line could not get shorter, as where a
 * sheet hangs through a board from one edge to the other. [BWK03] Baraff, Witkin, Kass: Untangling
 * cloth, 2003, which colours the same parts.
 *
 * Vertices are of one region when edges join them that are not crossed, or are crossed an even
 * number of times. A region is known by its lowest vertex. Those of colliders count as endless,
 * because colliders do not give way. */
#include "contact/regions.h"

#include <string.h>

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

void tl_regions_find(TlWorld *world) {
    const TlSurface *surface = world->def.surface;
    memset(world->edge_cut, 0, (size_t)surface->edges.count);
    for (int32_t i = 0; i < world->crossings.count; i++) {
        world->edge_cut[world->crossings.at[i].edge] ^= 1;
    }
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
}

static TlVec3 point(const TlWorld *world, int32_t v) {
    return tl_load3(world->x + 3 * (int64_t)v);
}

static TlVec3 normal_of(const TlWorld *world, const int32_t *t) {
    TlVec3 a = point(world, t[0]);
    return tl_unit3(tl_cross3(tl_sub3(point(world, t[1]), a), tl_sub3(point(world, t[2]), a)));
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
