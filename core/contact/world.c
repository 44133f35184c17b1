/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The list of pairs, and moves; see world.h.
 *
 * Why the list is enough. It was made for a sweep: vertex i may be anywhere in origin_i + t
 * common_i
 * + box_i, for one t in [0, 1] that all share. A pair that is not listed cannot touch at any t, by
 * the boxes of its vertices or by its distance. A move is linear; if it begins and ends within the
 * sweep, for any t at either end, all of it is within, since the sweep is convex in positions and t
 * together. So before every move its end is looked at: where a vertex would leave, the list is made
 * anew from here, for this very move. Vertices that are then cut, and so stay behind what moves
 * along with them, become stragglers: their box is the whole way and common_i is 0, and the list is
 * made once more. When all are stragglers every s in [0, 1] stays within, so this ends. */
#include "contact/tangle.h"

#include "base/platform.h"

#include <string.h>

enum { GRAIN = 512, ROUNDS = 3 };
/* how far cloth may stray from its planned way before the list is made anew: over the mean length
 * of edges, at most in m, and over the way itself */
#define MARGIN_OF_EDGE 0.1
#define MOST_MARGIN_M 0.001
#define MARGIN_OF_WAY 0.1
/* the nearest that motion brings a pair, over its contact distance */
#define FLOOR 0.02
/* results are stored in single precision, whose roundings must not make a crossing: half a unit in
 * the last place for every coordinate of two points */
#define ROUNDING (1.7320508075688772 / 8388608.0)

static double mean_edge(const TlSurface *surface) {
    double sum = 0.0;
    for (int32_t e = 0; e < surface->edges.cloth; e++) {
        TlVec3 a = tl_load3(surface->rest + 3 * (int64_t)surface->edge[2 * (int64_t)e]);
        TlVec3 b = tl_load3(surface->rest + 3 * (int64_t)surface->edge[2 * (int64_t)e + 1]);
        sum += tl_length3(tl_sub3(a, b));
    }
    return surface->edges.cloth > 0 ? sum / surface->edges.cloth : 0.0;
}

/* Triangles at every edge. */
static void index_fans(TlWorld *world) {
    const TlSurface *surface = world->def.surface;
    int32_t *start = world->fan_start;
    for (int64_t i = 0; i < 3 * (int64_t)surface->triangles.count; i++) {
        if (surface->side[i] >= 0) {
            start[surface->side[i] + 2]++;
        }
    }
    for (int32_t e = 0; e < surface->edges.count; e++) {
        start[e + 2] += start[e + 1];
    }
    for (int32_t i = 0; i < 3 * surface->triangles.count; i++) {
        if (surface->side[i] >= 0) {
            world->fan[start[surface->side[i] + 1]++] = i / 3;
        }
    }
}

static void alloc_world(TlArena *arena, TlWorld *world) {
    int64_t n = world->n;
    world->x = TL_NEW(arena, double, 3 * n);
    world->start = TL_NEW(arena, double, 3 * n);
    world->goal = TL_NEW(arena, double, 3 * n);
    world->u = TL_NEW(arena, double, 3 * n);
    world->s = TL_NEW(arena, double, n);
    world->origin = TL_NEW(arena, double, 3 * n);
    world->common = TL_NEW(arena, double, 3 * n);
    world->low = TL_NEW(arena, double, 3 * n);
    world->high = TL_NEW(arena, double, 3 * n);
    world->trial = TL_NEW(arena, double, 3 * n);
    world->motion = TL_NEW(arena, double, 3 * n);
    world->straggler = TL_NEW(arena, uint8_t, n);
    world->loose = TL_NEW(arena, uint8_t, n);
    world->fan_start = TL_NEW(arena, int32_t, (int64_t)world->def.surface->edges.count + 2);
    world->fan = TL_NEW(arena, int32_t, 3 * (int64_t)world->def.surface->triangles.count);
    world->chain = TL_NEW(arena, int32_t, n);
    world->touch_start = TL_NEW(arena, int32_t, (int64_t)world->cloth + 2);
}

TlWorld *tl_world_build(TlArena *arena, TlPool *pool, const TlWorldDef *def) {
    TlWorld *world = TL_NEW(arena, TlWorld, 1);
    if (world == NULL) {
        return NULL;
    }
    world->def = *def;
    world->arena = arena;
    world->pool = pool;
    world->n = def->surface->vertices.count;
    world->cloth = def->surface->vertices.cloth;
    alloc_world(arena, world);
    world->broad = tl_broad_build(arena, def->surface);
    world->truncation = tl_truncation_build(arena);
    if (arena->failed || world->broad == NULL || world->truncation == NULL) {
        return NULL;
    }
    index_fans(world);
    world->widen = true;
    world->suspect = true;
    world->margin = tl_min(MOST_MARGIN_M, MARGIN_OF_EDGE * mean_edge(def->surface));
    return world;
}

void tl_world_begin_frame(TlWorld *world) {
    world->listed = false;
    memset(&world->counts, 0, sizeof world->counts);
}

/* Largest coordinate of any vertex. */
static double extent_of(const double *x, int32_t n) {
    double most = 0.0;
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) {
        most = tl_max(most, fabs(x[i]));
    }
    return most;
}

void tl_world_begin(TlWorld *world, const double *x, const double *before, const double *goal,
                    double slip_m) {
    size_t cloth = 3 * sizeof(double) * (size_t)world->cloth;
    size_t others = 3 * sizeof(double) * (size_t)(world->n - world->cloth);
    int64_t at = 3 * (int64_t)world->cloth;
    /* a list serves where it was used last */
    world->listed = world->listed && memcmp(world->x, x, cloth) == 0 &&
                    memcmp(world->x + at, before, others) == 0;
    memcpy(world->x, x, cloth);
    memcpy(world->x + at, before, others);
    memcpy(world->goal + at, goal, others);
    memcpy(world->start, world->x, cloth + others);
    world->slip_m = slip_m;
    world->cut = 0;
    world->grain = ROUNDING * extent_of(world->x, world->n);
    if (world->suspect || world->tangled) {
        world->suspect = !tl_world_look_for_crossings(world);
    }
}

void tl_world_start_here(TlWorld *world) {
    memcpy(world->start, world->x, 3 * sizeof *world->x * (size_t)world->n);
}

/* ---- the list ---- */

/* How far vertex i may stray, m. */
static double margin_of(const TlWorld *world, int32_t i) {
    return world->margin + MARGIN_OF_WAY * tl_length3(tl_load3(world->u + 3 * (int64_t)i));
}

static void sweep_range(void *data, int32_t begin, int32_t end) {
    TlWorld *world = data;
    for (int32_t i = begin; i < end; i++) {
        double margin = margin_of(world, i);
        double grown = margin + world->def.surface->half[i] + world->def.surface->solid[i];
        for (int64_t k = 3 * (int64_t)i; k < 3 * (int64_t)i + 3; k++) {
            double u = world->u[k];
            world->origin[k] = world->x[k];
            world->common[k] = world->straggler[i] ? 0.0 : u;
            world->low[k] = -grown + (world->straggler[i] ? tl_min(u, 0.0) : 0.0);
            world->high[k] = grown + (world->straggler[i] ? tl_max(u, 0.0) : 0.0);
        }
    }
}

/* The boxes of motion alone, which the broad phase needs wider. */
static void unsweep_range(void *data, int32_t begin, int32_t end) {
    TlWorld *world = data;
    for (int32_t i = begin; i < end; i++) {
        double grown = world->def.surface->half[i] + world->def.surface->solid[i];
        for (int64_t k = 3 * (int64_t)i; k < 3 * (int64_t)i + 3; k++) {
            world->low[k] += grown;
            world->high[k] -= grown;
        }
    }
}

static float largest2(const double *of, const int32_t *vertex, int32_t begin, int32_t end) {
    double most = 0.0;
    for (int32_t i = begin; i < end; i++) {
        most = tl_max(most, of[vertex[i]]);
    }
    return (float)most;
}

static void describe_range(void *data, int32_t begin, int32_t end) {
    TlWorld *world = data;
    const TlSurface *surface = world->def.surface;
    for (int32_t i = begin; i < end; i++) {
        TlPair *pair = &world->pairs.pair[i];
        int32_t split = i < world->pairs.vertex_triangle ? 1 : 2;
        pair->radius = largest2(surface->half, pair->vertex, 0, split) +
                       largest2(surface->half, pair->vertex, split, 4);
        pair->solid = largest2(surface->solid, pair->vertex, 0, split) +
                      largest2(surface->solid, pair->vertex, split, 4);
        pair->floor = (float)tl_max(FLOOR * (double)pair->radius, world->grain);
    }
}

/* The list for the move u from x. */
static bool make_list(TlWorld *world) {
    double clock_s = tl_clock_s();
    tl_parallel_for(world->pool, world->n, GRAIN, sweep_range, world);
    TlSweep sweep = {world->origin, world->common, world->low, world->high};
    bool ok = tl_broad_find(world->broad, world->pool, &sweep, world->def.self, world->arena,
                            &world->pairs);
    world->listed = ok;
    world->holds = false;
    if (ok) {
        tl_parallel_for(world->pool, world->n, GRAIN, unsweep_range, world);
        tl_parallel_for(world->pool, world->pairs.count, GRAIN, describe_range, world);
        tl_pairs_cull(world->pool, &world->pairs, &sweep);
        world->counts.refreshes++;
        if (world->pairs.count > world->counts.candidates) {
            world->counts.candidates = world->pairs.count;
        }
    }
    world->counts.broad_s += tl_clock_s() - clock_s;
    return ok;
}

bool tl_world_list_here(TlWorld *world) {
    memset(world->u, 0, 3 * sizeof *world->u * (size_t)world->n);
    memset(world->straggler, 0, (size_t)world->n);
    return make_list(world);
}

/* ---- moves ---- */

/* Whether vertex i ends within the sweep, at t = 1. */
static bool ends_within(const TlWorld *world, int32_t i) {
    for (int64_t k = 3 * (int64_t)i; k < 3 * (int64_t)i + 3; k++) {
        double e = (world->x[k] - world->origin[k]) + world->s[i] * world->u[k] - world->common[k];
        if (!(e >= world->low[k] && e <= world->high[k])) {
            return false;
        }
    }
    return true;
}

static double leave_range(void *data, int32_t begin, int32_t end) {
    TlWorld *world = data;
    double count = 0.0;
    for (int32_t i = begin; i < end; i++) {
        if (!ends_within(world, i)) {
            world->straggler[i] = 1;
            count += 1.0;
        }
    }
    return count;
}

/* Marks and counts those that end outside. */
static int32_t count_leaving(TlWorld *world) {
    return (int32_t)tl_parallel_sum(world->pool, world->n, GRAIN, leave_range, world);
}

static void set_whole(TlWorld *world) {
    for (int32_t i = 0; i < world->n; i++) {
        world->s[i] = 1.0;
    }
}

static bool truncate_once(TlWorld *world) {
    double clock_s = tl_clock_s();
    TlMove move = {world->n, world->x, world->u, world->s, world->tangled ? world->loose : NULL};
    set_whole(world);
    TlTruncated done =
        tl_truncate(world->truncation, world->pool, world->arena, &world->pairs, &move);
    world->counts.truncate_s += tl_clock_s() - clock_s;
    world->cut = done.cut;
    return done.ok;
}

bool tl_world_plan(TlWorld *world, double *u, bool others) {
    memcpy(world->u, u, 3 * sizeof *u * (size_t)world->cloth);
    for (int64_t i = 3 * (int64_t)world->cloth; i < 3 * (int64_t)world->n; i++) {
        world->u[i] = others ? world->goal[i] - world->x[i] : 0.0;
    }
    set_whole(world);
    memset(world->straggler, 0, (size_t)world->n);
    bool ok = true;
    if (!world->listed || count_leaving(world) > 0) {
        memset(world->straggler, 0, (size_t)world->n);
        ok = make_list(world);
    }
    for (int32_t round = 1; ok && truncate_once(world) && count_leaving(world) > 0; round++) {
        if (round >= ROUNDS) {
            memset(world->straggler, 1, (size_t)world->n);
        }
        ok = make_list(world);
    }
    world->counts.cuts += world->cut;
    for (int64_t i = 0; i < 3 * (int64_t)world->cloth; i++) {
        u[i] = world->s[i / 3] * world->u[i];
    }
    return ok && !world->arena->failed;
}

void tl_world_commit(TlWorld *world, double part) {
    for (int64_t i = 0; i < 3 * (int64_t)world->n; i++) {
        world->x[i] += part * (world->s[i / 3] * world->u[i]);
    }
    for (int64_t i = 3 * (int64_t)world->cloth; part == 1.0 && i < 3 * (int64_t)world->n; i++) {
        /* who arrives, arrives to the last bit */
        if (world->s[i / 3] == 1.0 && world->u[i] != 0.0) {
            world->x[i] = world->goal[i];
        }
    }
}

double tl_world_lost(const TlWorld *world) {
    double most = 0.0;
    for (int32_t i = 0; i < world->cloth; i++) {
        if (world->s[i] < 1.0) {
            TlVec3 u = tl_load3(world->u + 3 * (int64_t)i);
            most = tl_max(most, (1.0 - world->s[i]) * tl_length3(u));
        }
    }
    return most;
}

double tl_world_missing(const TlWorld *world) {
    double most = 0.0;
    for (int64_t i = 3 * (int64_t)world->cloth; i < 3 * (int64_t)world->n; i++) {
        most = tl_max(most, fabs(world->goal[i] - world->x[i]));
    }
    return most;
}

void tl_world_force(TlWorld *world, const double *x) {
    int64_t at = 3 * (int64_t)world->cloth;
    memcpy(world->x, x, 3 * sizeof *x * (size_t)world->cloth);
    memcpy(world->x + at, world->goal + at, 3 * sizeof *x * (size_t)(world->n - world->cloth));
    world->counts.blocked++;
    world->listed = false;
    world->suspect = true;
}
