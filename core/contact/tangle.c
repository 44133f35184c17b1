/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Cloth that is tangled: where edges cross triangles, and the forces that undo it.
 *
 * Vertices of what crosses, and their neighbours, are loose: pairs of loose vertices alone have no
 * contact potential and may pass through each other, cloth through cloth where cloths cross, and
 * cloth through bodies where it crosses these. Every crossing pulls its edge, and its
 * triangle the other way, so that the contour along which the surfaces cross gets shorter:
 *
 *   G = sum over the triangles at the edge of R - 2 (E.R)/(E.N) N,
 *
 * E along the edge, N the normal of the triangle crossed, R along the contour, into the triangle at
 * the edge. [VM06] Volino, Magnenat-Thalmann: Resolving surface collisions through intersection
 * contour minimization, 2006. */
#include "contact/tangle.h"

#include "contact/regions.h"

#include <string.h>

/* E.N is not taken smaller: a contour along the edge itself has no useful direction */
#define LEAST_SINE 0.05
/* volumes over the cube of lengths that rounding makes of flat tetrahedra */
#define FLAT 1e-12
/* how far a pull goes in an iteration: over the contact distance, and over the edge, at least */
#define PULL 0.5
#define REACH 0.2
/* stiffness of a pull over that of the fabric, which is what it has to stretch; it is at least that
 * of contact, and of gentle ones a part of that */
#define FORCE 2.0
#define GENTLE 0.25

/* Six times the volume of the tetrahedron. */
static double volume(TlVec3 a, TlVec3 b, TlVec3 c, TlVec3 d) {
    return tl_dot3(tl_sub3(b, a), tl_cross3(tl_sub3(c, a), tl_sub3(d, a)));
}

/* 1, -1, or 0 where that is as much as rounding. */
static int side_of(double volume, double size) {
    return volume > FLAT * size ? 1 : volume < -FLAT * size ? -1 : 0;
}

static double longest(TlVec3 a, TlVec3 b, TlVec3 c) {
    TlVec3 ab = tl_sub3(b, a), ac = tl_sub3(c, a), bc = tl_sub3(c, b);
    return sqrt(tl_max(tl_dot3(ab, ab), tl_max(tl_dot3(ac, ac), tl_dot3(bc, bc))));
}

bool tl_edge_crosses(TlVec3 a, TlVec3 b, TlVec3 p, TlVec3 q, TlVec3 r) {
    double size = longest(p, q, r), reach = longest(a, b, p);
    double from = volume(p, q, r, a), to = volume(p, q, r, b);
    if (side_of(from, size * size * reach) == side_of(to, size * size * reach)) {
        return false;
    }
    /* where the edge meets the plane, which need not be sharp, it must be inside */
    TlVec3 at = tl_madd3(a, from / (from - to), tl_sub3(b, a));
    TlVec3 n = tl_cross3(tl_sub3(q, p), tl_sub3(r, p));
    double most = tl_dot3(n, n);
    double u = tl_dot3(n, tl_cross3(tl_sub3(q, at), tl_sub3(r, at)));
    double v = tl_dot3(n, tl_cross3(tl_sub3(r, at), tl_sub3(p, at)));
    double w = tl_dot3(n, tl_cross3(tl_sub3(p, at), tl_sub3(q, at)));
    return tl_min(u, tl_min(v, w)) >= -FLAT * most;
}

static TlVec3 point(const TlWorld *world, int32_t v) {
    return tl_load3(world->x + 3 * (int64_t)v);
}

static bool crosses(const TlWorld *world, const TlCrossing *at) {
    const int32_t *e = world->def.surface->edge + 2 * (int64_t)at->edge;
    const int32_t *t = world->def.surface->triangle + 3 * (int64_t)at->triangle;
    return tl_edge_crosses(point(world, e[0]), point(world, e[1]), point(world, t[0]),
                           point(world, t[1]), point(world, t[2]));
}

static void test_range(void *data, int32_t begin, int32_t end) {
    TlWorld *world = data;
    for (int32_t i = begin; i < end; i++) {
        if (!crosses(world, &world->crossings.at[i])) {
            world->crossings.at[i].edge = -1;
        }
    }
}

static void find_crossings(TlWorld *world) {
    TlCrossings *found = &world->crossings;
    int32_t count = 0;
    tl_parallel_for(world->pool, found->count, 256, test_range, world);
    for (int32_t i = 0; i < found->count; i++) {
        if (found->at[i].edge >= 0) {
            found->at[count++] = found->at[i];
        }
    }
    found->count = count;
}

/* Whether it is left to itself: what is pinched is not kept out of bodies. */
static bool is_pinched(const TlWorld *world, const TlCrossing *at) {
    int32_t corner[5];
    bool body = tl_regions_corners(world, at, corner), pinched = false;
    for (int i = 0; world->pinched != NULL && i < 5; i++) {
        pinched = pinched || (corner[i] < world->cloth && world->pinched[corner[i]] != 0);
    }
    return pinched && body;
}

/* Whether it does not pull, which would only stretch cloth that is held inside. */
static bool is_held(const TlWorld *world, const TlCrossing *at) {
    return tl_regions_is_held(world, at) || is_pinched(world, at);
}

/* Marks neighbours of who is marked. */
static void widen(const TlSurface *surface, uint8_t *mark) {
    for (int32_t i = 0; i < surface->edges.count; i++) {
        const int32_t *e = surface->edge + 2 * (int64_t)i;
        if (mark[e[0]] == 1 && mark[e[1]] == 0) {
            mark[e[1]] = 2;
        }
        if (mark[e[1]] == 1 && mark[e[0]] == 0) {
            mark[e[0]] = 2;
        }
    }
}

/* What is marked of crossings. */
typedef enum Kind { WITH_BODIES, OF_CLOTHS, THAT_PULL } Kind;

static bool is_kind(const TlWorld *world, const TlCrossing *at, Kind kind) {
    const TlSurface *surface = world->def.surface;
    bool body = surface->edge[2 * (int64_t)at->edge] >= world->cloth ||
                surface->triangle[3 * (int64_t)at->triangle] >= world->cloth;
    return kind == THAT_PULL ? !is_held(world, at)
                             : (kind == WITH_BODIES) == body && !is_pinched(world, at);
}

/* Sets `bit` in `mark` of the vertices of a kind of crossings, and of their neighbours. */
static void mark_crossings(const TlWorld *world, Kind kind, uint8_t bit, uint8_t *mark) {
    const TlSurface *surface = world->def.surface;
    uint8_t *work = world->marked;
    memset(work, 0, (size_t)world->n);
    for (int32_t i = 0; i < world->crossings.count; i++) {
        const TlCrossing *at = &world->crossings.at[i];
        const int32_t *e = surface->edge + 2 * (int64_t)at->edge;
        const int32_t *t = surface->triangle + 3 * (int64_t)at->triangle;
        if (is_kind(world, at, kind)) {
            work[e[0]] = work[e[1]] = work[t[0]] = work[t[1]] = work[t[2]] = 1;
        }
    }
    for (int32_t ring = 0; ring < (world->wide ? 2 : 1); ring++) {
        for (int32_t v = 0; v < world->n; v++) {
            work[v] = work[v] != 0;
        }
        widen(surface, work);
    }
    for (int32_t v = 0; v < world->n; v++) {
        mark[v] |= work[v] && !world->stuck[v] ? bit : 0;
    }
}

void tl_world_sort_crossings(TlWorld *world) {
    world->pulling = 0;
    world->tangled = false;
    for (int32_t i = 0; i < world->crossings.count; i++) {
        world->pulling += !is_held(world, &world->crossings.at[i]);
        world->tangled = world->tangled || !is_pinched(world, &world->crossings.at[i]);
    }
    memset(world->loose, 0, (size_t)world->n);
    memset(world->pulled, 0, (size_t)world->n);
    mark_crossings(world, WITH_BODIES, TL_LOOSE_IN_BODIES, world->loose);
    mark_crossings(world, OF_CLOTHS, TL_LOOSE_IN_CLOTH, world->loose);
    mark_crossings(world, THAT_PULL, 1, world->pulled);
}

bool tl_world_look_for_crossings(TlWorld *world) {
    if (!tl_broad_crossings(world->broad, world->pool, world->x, world->def.self, world->arena,
                            &world->crossings)) {
        return false;
    }
    find_crossings(world);
    tl_regions_find(world);
    tl_world_sort_crossings(world);
    return true;
}

/* ---- getting worse ---- */

static void add_crossings(const TlWorld *world, int32_t sign, int32_t *count) {
    const TlSurface *surface = world->def.surface;
    for (int32_t i = 0; i < world->crossings.count; i++) {
        const int32_t *e = surface->edge + 2 * (int64_t)world->crossings.at[i].edge;
        const int32_t *t = surface->triangle + 3 * (int64_t)world->crossings.at[i].triangle;
        for (int k = 0; k < 5; k++) {
            count[k < 2 ? e[k] : t[k - 2]] += sign;
        }
    }
}

void tl_world_note_crossings(TlWorld *world) {
    memset(world->crossed, 0, sizeof *world->crossed * (size_t)world->n);
    memset(world->stuck, 0, (size_t)world->n);
    world->gentle = world->frozen = false;
    add_crossings(world, 1, world->crossed);
}

void tl_world_hold_worse(TlWorld *world, bool all) {
    world->gentle = true;
    world->frozen = all;
    add_crossings(world, -1, world->crossed);
    for (int32_t v = 0; v < world->n; v++) {
        world->stuck[v] |= world->crossed[v] < 0;
    }
    add_crossings(world, 1, world->crossed);
}

/* ---- pulls ---- */

/* Adds one triangle at the edge to G. */
static TlVec3 add_triangle(const TlWorld *world, const int32_t *e, const int32_t *t, TlVec3 E,
                           TlVec3 N, TlVec3 G) {
    TlVec3 a = point(world, t[0]);
    TlVec3 M = tl_cross3(tl_sub3(point(world, t[1]), a), tl_sub3(point(world, t[2]), a));
    TlVec3 R = tl_cross3(N, M);
    double length = tl_length3(R);
    if (!(length > 1e-9 * tl_length3(M))) {
        return G;
    }
    R = tl_scale3(1.0 / length, R);
    int32_t other = t[0];
    for (int i = 0; i < 3; i++) {
        other = t[i] != e[0] && t[i] != e[1] ? t[i] : other;
    }
    TlVec3 in = tl_sub3(point(world, other), point(world, e[0]));
    in = tl_madd3(in, -tl_dot3(in, E), E);
    if (tl_dot3(in, R) < 0.0) {
        R = tl_scale3(-1.0, R);
    }
    double sine = tl_dot3(E, N);
    sine = fabs(sine) < LEAST_SINE ? (sine < 0.0 ? -LEAST_SINE : LEAST_SINE) : sine;
    return tl_add3(G, tl_madd3(R, -2.0 * tl_dot3(E, R) / sine, N));
}

/* Closest points of edge and triangle where they cross, as weights of e0 e1 and t0 t1 t2. */
static void crossing_weights(const TlWorld *world, const int32_t *e, const int32_t *t,
                             double on_edge[2], double on_triangle[3]) {
    TlVec3 p = point(world, t[0]), q = point(world, t[1]), r = point(world, t[2]);
    TlVec3 a = point(world, e[0]), b = point(world, e[1]);
    double from = volume(p, q, r, a), to = volume(p, q, r, b);
    on_edge[1] = from != to ? from / (from - to) : 0.5;
    on_edge[0] = 1.0 - on_edge[1];
    double w[3] = {fabs(volume(a, b, q, r)), fabs(volume(a, b, r, p)), fabs(volume(a, b, p, q))};
    double sum = w[0] + w[1] + w[2];
    for (int i = 0; i < 3; i++) {
        on_triangle[i] = sum > 0.0 ? w[i] / sum : 1.0 / 3.0;
    }
}

/* A touch has four corners: of the triangle's the one that counts least is left out. */
static void place_pull(const TlWorld *world, const int32_t *e, const int32_t *t, TlTouch *touch) {
    double on_edge[2], w[3];
    crossing_weights(world, e, t, on_edge, w);
    int least = w[1] < w[0] ? 1 : 0;
    least = w[2] < w[least] ? 2 : least;
    int first = (least + 1) % 3, second = (least + 2) % 3;
    double sum = w[first] + w[second];
    const int32_t vertex[4] = {e[0], e[1], t[first], t[second]};
    const double weight[4] = {on_edge[0], on_edge[1], -w[first] / sum, -w[second] / sum};
    int32_t any = 0;
    for (int i = 0; i < 4; i++) {
        any = vertex[i] < world->cloth ? vertex[i] : any;
    }
    for (int i = 0; i < 4; i++) {
        bool free = vertex[i] < world->cloth;
        touch->vertex[i] = free ? vertex[i] : any;
        touch->weight[i] = free ? weight[i] : 0.0;
    }
}

/* The way of the edge that makes the contour shorter; false where there is none. */
static bool shortening(const TlWorld *world, const TlCrossing *at, TlVec3 *way) {
    const TlSurface *surface = world->def.surface;
    const int32_t *e = surface->edge + 2 * (int64_t)at->edge;
    const int32_t *t = surface->triangle + 3 * (int64_t)at->triangle;
    TlVec3 a = point(world, t[0]), G = {0, 0, 0};
    TlVec3 N = tl_unit3(tl_cross3(tl_sub3(point(world, t[1]), a), tl_sub3(point(world, t[2]), a)));
    TlVec3 E = tl_unit3(tl_sub3(point(world, e[1]), point(world, e[0])));
    for (int32_t i = world->fan_start[at->edge]; i < world->fan_start[at->edge + 1]; i++) {
        G = add_triangle(world, e, surface->triangle + 3 * (int64_t)world->fan[i], E, N, G);
    }
    double length = tl_length3(G);
    *way = tl_scale3(1.0 / tl_max(length, 1.0), G);
    return length > 1e-9;
}

bool tl_crossing_pull(const TlWorld *world, const TlCrossing *at, TlTouch *touch) {
    const TlSurface *surface = world->def.surface;
    const int32_t *e = surface->edge + 2 * (int64_t)at->edge;
    const int32_t *t = surface->triangle + 3 * (int64_t)at->triangle;
    TlVec3 way;
    if (is_held(world, at) || (!tl_regions_way(world, at, &way) && !shortening(world, at, &way))) {
        return false;
    }
    memset(touch, 0, sizeof *touch);
    place_pull(world, e, t, touch);
    double r = surface->half[e[0]] + surface->half[t[0]], area = 0.0, stretch = 0.0;
    for (int i = 0; i < 4; i++) {
        area += 0.5 * fabs(touch->weight[i]) * world->def.area[touch->vertex[i]];
        stretch += 0.5 * fabs(touch->weight[i]) * world->def.stretch[touch->vertex[i]];
    }
    double k = area * TL_CONTACT_PRESSURE / r;
    k = world->gentle ? GENTLE * k : tl_max(k, FORCE * stretch);
    double reach =
        tl_max(PULL * r, REACH * tl_length3(tl_sub3(point(world, e[1]), point(world, e[0]))));
    double size = tl_length3(way);
    const double g[3] = {way.x / size, way.y / size, way.z / size};
    for (int i = 0; i < 3; i++) {
        touch->normal[i] = g[i];
        touch->grad[i] = -k * reach * size * g[i];
    }
    touch->linear = true;
    touch->hess[0] = (TlFloat4){(float)(k * g[0] * g[0]), (float)(k * g[0] * g[1]),
                                (float)(k * g[0] * g[2]), (float)(k * g[1] * g[1])};
    touch->hess[1] = (TlFloat4){(float)(k * g[1] * g[2]), (float)(k * g[2] * g[2]), 0.0F, 0.0F};
    return true;
}
