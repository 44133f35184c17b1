/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What a world is made of, and moves; see world.h. Before a move its end is looked at, for one t
 * that is chosen then, so that all of it is within the sweep that the list of pairs was made for;
 * see list.c. Ways that were shortened stay so when the list has got longer, and all of it is
 * looked at again. */
#include "contact/carry.h"
#include "contact/list.h"
#include "contact/regions.h"
#include "contact/tangle.h"

#include "base/platform.h"

#include <string.h>

enum { GRAIN = 512, ROUNDS = 8 };
/* how far cloth may stray from its planned way before it is looked for again: over the mean length
 * of edges; where contact distances leave more between neighbours, which are about so much of that
 * apart, this part of it; and at most in m */
#define MARGIN_OF_EDGE 0.1
#define NEIGHBOURS_APART 0.62
#define MARGIN_OF_GAP 0.225
#define MOST_MARGIN_M 0.0015
/* results are stored in single precision, whose roundings must not make a crossing: half a unit in
 * the last place for every coordinate of two points */
#define ROUNDING (1.7320508075688772 / 8388608.0)
/* Positions here are relative to where the scene began, and archives of scenes store cloth that
 * began farther than 10 m from the world's origin relative to a point in its middle, nearer cloth
 * as it is in the world: its coordinates are larger by this at most. It counts wherever the scene
 * is, so that all is the same there; it is less than the floor of most pairs. Hosts that store
 * cloth in its own space say how far from zero that is, if it is farther. */
#define STORED_FAR_M 11.0

static double rest_length(const TlSurface *surface, int32_t e) {
    TlVec3 a = tl_load3(surface->rest + 3 * (int64_t)surface->edge[2 * (int64_t)e]);
    TlVec3 b = tl_load3(surface->rest + 3 * (int64_t)surface->edge[2 * (int64_t)e + 1]);
    return tl_length3(tl_sub3(a, b));
}

/* How far cloth may stray: neighbours at rest should not come on the list by that. */
static double margin_at_rest(const TlSurface *surface) {
    double edge = 0.0, distance = 0.0;
    for (int32_t e = 0; e < surface->edges.cloth; e++) {
        edge += rest_length(surface, e) / surface->edges.cloth;
    }
    for (int32_t v = 0; v < surface->vertices.cloth; v++) {
        distance += 2.0 * surface->half[v] / surface->vertices.cloth;
    }
    double gap = MARGIN_OF_GAP * (NEIGHBOURS_APART * edge - distance);
    return tl_min(MOST_MARGIN_M, tl_max(MARGIN_OF_EDGE * edge, gap));
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

/* By how much a cloth is larger by its pattern than by the shape it was given in space: the root of
 * the ratio of areas. */
static double size_of(const TlWorld *world, int32_t body) {
    const TlSurface *surface = world->def.surface;
    double own = 0.0, given = 0.0;
    for (int32_t v = 0; v < world->cloth; v++) {
        own += surface->body[v] == body ? world->def.area[v] : 0.0;
    }
    for (int32_t i = 0; i < surface->triangles.cloth; i++) {
        const int32_t *t = surface->triangle + 3 * (int64_t)i;
        TlVec3 a = tl_load3(surface->rest + 3 * (int64_t)t[0]);
        TlVec3 ab = tl_sub3(tl_load3(surface->rest + 3 * (int64_t)t[1]), a);
        TlVec3 ac = tl_sub3(tl_load3(surface->rest + 3 * (int64_t)t[2]), a);
        given += surface->body[t[0]] == body ? 0.5 * tl_length3(tl_cross3(ab, ac)) : 0.0;
    }
    return own > 0.0 && given > 0.0 ? sqrt(own / given) : 1.0;
}

static void measure_edges(TlWorld *world) {
    const TlSurface *surface = world->def.surface;
    int32_t body = -1;
    double size = 1.0;
    for (int32_t e = 0; e < surface->edges.cloth; e++) {
        int32_t own = surface->body[surface->edge[2 * (int64_t)e]];
        size = own != body ? size_of(world, own) : size;
        body = own;
        world->length[e] = size * rest_length(surface, e);
    }
}

static void alloc_world(TlArena *arena, TlWorld *world) {
    int64_t n = world->n;
    world->x = TL_NEW(arena, double, 3 * n);
    world->start = TL_NEW(arena, double, 3 * n);
    world->goal = TL_NEW(arena, double, 3 * n);
    world->u = TL_NEW(arena, double, 3 * n);
    world->s = TL_NEW(arena, double, n);
    world->apart = TL_NEW(arena, double, 3 * n);
    world->airborne = TL_NEW(arena, uint8_t, world->bodies);
    world->company = TL_NEW(arena, int32_t, world->bodies);
    world->company_mass = TL_NEW(arena, double, world->bodies);
    world->leaders = TL_NEW(arena, int32_t, world->bodies);
    world->carry = TL_NEW(arena, double, 3 * (int64_t)world->bodies);
    world->origin = TL_NEW(arena, double, 3 * n);
    world->common = TL_NEW(arena, double, 3 * n);
    world->low = TL_NEW(arena, double, 3 * n);
    world->high = TL_NEW(arena, double, 3 * n);
    world->sifted = TL_NEW(arena, TlSifted, n);
    world->trial = TL_NEW(arena, double, 3 * n);
    world->motion = TL_NEW(arena, double, 3 * n);
    world->around = TL_NEW(arena, double, n);
    world->straggler = TL_NEW(arena, uint8_t, n);
    world->loose = TL_NEW(arena, uint8_t, n);
    world->marked = TL_NEW(arena, uint8_t, n);
    world->pulled = TL_NEW(arena, uint8_t, n);
    world->yielded = TL_NEW(arena, uint8_t, world->cloth);
    world->length = TL_NEW(arena, double, world->def.surface->edges.cloth);
    world->region_held = TL_NEW(arena, uint8_t, world->cloth);
    world->dragged = TL_NEW(arena, uint8_t, world->cloth);
    world->led = TL_NEW(arena, uint8_t, world->cloth);
    world->exit = TL_NEW(arena, double, 3 * (int64_t)world->cloth);
    world->group = TL_NEW(arena, int32_t, world->cloth);
    world->anchor = TL_NEW(arena, int32_t, world->cloth);
    world->tether = TL_NEW(arena, double, world->cloth);
    world->anchored = TL_NEW(arena, uint8_t, world->cloth);
    world->crossed = TL_NEW(arena, int32_t, n);
    world->stuck = TL_NEW(arena, uint8_t, n);
    world->region = TL_NEW(arena, int32_t, n);
    world->region_area = TL_NEW(arena, double, n);
    world->edge_cut = TL_NEW(arena, uint8_t, world->def.surface->edges.count);
    world->fan_start = TL_NEW(arena, int32_t, (int64_t)world->def.surface->edges.count + 2);
    world->fan = TL_NEW(arena, int32_t, 3 * (int64_t)world->def.surface->triangles.count);
    world->chain = TL_NEW(arena, int32_t, n);
    world->gripped = TL_NEW(arena, double, world->cloth);
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
    for (int32_t i = 0; i < world->n; i++) {
        int32_t body = def->surface->body[i];
        world->bodies = body >= world->bodies ? body + 1 : world->bodies;
    }
    alloc_world(arena, world);
    world->broad = tl_broad_build(arena, def->surface);
    world->truncation = tl_truncation_build(arena);
    if (arena->failed || world->broad == NULL || world->truncation == NULL ||
        !tl_regions_build(world)) {
        return NULL;
    }
    measure_edges(world);
    index_fans(world);
    for (int32_t i = 0; i < world->n; i++) {
        world->around[i] = def->surface->half[i] + def->surface->solid[i];
    }
    world->suspect = true;
    world->margin = margin_at_rest(def->surface);
    return world;
}

void tl_world_begin_frame(TlWorld *world, bool again) {
    world->listed = world->dense = world->yielding = false;
    memset(world->yielded, 0, (size_t)world->cloth);
    world->counts = again ? world->counts : (TlWorldCounts){0};
    world->counts.blocked = 0;
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
    world->left = 1.0;
    world->fresh = false;
    world->cut = 0;
    memset(world->airborne, 0, (size_t)world->bodies);
    memset(world->carry, 0, 3 * sizeof *world->carry * (size_t)world->bodies);
    world->carrying = false;
    world->grain =
        ROUNDING * (tl_max(STORED_FAR_M, world->def.stored_far_m) + extent_of(world->x, world->n));
    if (world->suspect || world->tangled) {
        world->suspect = !tl_world_look_for_crossings(world);
    }
}

void tl_world_start_here(TlWorld *world) {
    memcpy(world->start, world->x, 3 * sizeof *world->x * (size_t)world->n);
    world->fresh = true;
}

/* ---- moves ---- */

/* Whether vertex i ends within the sweep, at t_end. */
TL_INLINE bool ends_within(const TlWorld *world, int32_t i, int32_t last) {
    TlDouble4 s = tl_double4(world->s[i]), way = s * tl_vertex4(world->u, i, last);
    if (world->carrying) {
        way += (1.0 - s) * tl_vertex4(world->carry, world->def.surface->body[i], world->bodies - 1);
    }
    TlDouble4 e = (tl_vertex4(world->x, i, last) - tl_vertex4(world->origin, i, last)) + way -
                  world->t_end * tl_vertex4(world->common, i, last);
    TlBits4 in = (TlBits4)(e >= tl_vertex4(world->low, i, last)) &
                 (TlBits4)(e <= tl_vertex4(world->high, i, last));
    return (in[0] & in[1] & in[2]) != 0;
}

TL_HOT static double leave_range(void *data, int32_t begin, int32_t end) {
    TlWorld *world = data;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        bool leaves = !ends_within(world, i, world->n - 1);
        world->straggler[i] |= leaves;
        count += leaves;
    }
    return (double)count;
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

/* Shortens ways, from what is left of them: all pairs of the list are looked at. A translation that
 * all of a company shares changes nothing between them, so that it may be left out. */
static bool truncate_once(TlWorld *world, bool carry) {
    double clock_s = tl_clock_s();
    tl_world_find_carry(world, carry);
    bool pass = world->tangled && !world->frozen;
    TlMove move = {
        world->n,       world->x,    tl_world_apart(world), world->s, pass ? world->loose : NULL,
        world->pinched, world->cloth};
    TlTruncated done =
        tl_truncate(world->truncation, world->pool, world->arena, &world->pairs, &move);
    world->counts.truncate_s += tl_clock_s() - clock_s;
    return done.ok;
}

static int32_t count_cut(const TlWorld *world) {
    int32_t count = 0;
    for (int32_t i = 0; i < world->n; i++) {
        count += world->s[i] < 1.0;
    }
    return count;
}

bool tl_world_plan(TlWorld *world, double *u, bool others) {
    memcpy(world->u, u, 3 * sizeof *u * (size_t)world->cloth);
    for (int64_t i = 3 * (int64_t)world->cloth; i < 3 * (int64_t)world->n; i++) {
        world->u[i] = others ? world->goal[i] - world->x[i] : 0.0;
    }
    set_whole(world);
    memset(world->straggler, 0, (size_t)world->n);
    world->t_end = world->fresh ? tl_min(1.0, world->t + world->stride) : world->t;
    bool ok = tl_list_follow(world, world->listed ? count_leaving(world) : world->n);
    bool many = false;
    for (int32_t round = 1; ok && truncate_once(world, round <= ROUNDS); round++) {
        if (!many) {
            memset(world->straggler, 0, (size_t)world->n);
        }
        int32_t leaving = count_leaving(world);
        if (leaving == 0 || round > ROUNDS) {
            break; /* what is no number leaves for ever, and stays where it is */
        }
        many = many || leaving > TL_MOST_STRAGGLERS * world->n;
        if (round >= ROUNDS) {
            memset(world->straggler, 1, (size_t)world->n);
        }
        ok = many || round >= ROUNDS ? tl_list_make(world) : tl_list_again(world);
    }
    world->fresh = false;
    world->cut = count_cut(world);
    world->counts.cuts += world->cut;
    for (int32_t i = 0; i < world->cloth; i++) {
        tl_store3(u + 3 * (int64_t)i, tl_world_way(world, i));
    }
    return ok && !world->arena->failed;
}

void tl_world_commit(TlWorld *world, double part) {
    world->t += part * (world->t_end - world->t);
    for (int32_t i = 0; i < world->n; i++) {
        double *x = world->x + 3 * (int64_t)i;
        tl_store3(x, tl_madd3(tl_load3(x), part, tl_world_way(world, i)));
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
            TlVec3 u = tl_load3(tl_world_apart(world) + 3 * (int64_t)i);
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
