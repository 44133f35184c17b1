/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The list of pairs that moves look at.
 *
 * Why the list is enough. It was made for a sweep: vertex i may be anywhere in
 *   origin_i + t common_i + box_i,
 * for one t in [0, 1] that all share. A pair that is not listed cannot touch at any t, by
 * the boxes of its vertices or by its distance. A move is linear; if it begins and ends within the
 * sweep, for any t at either end, all of it is within, since the sweep is convex in positions and t
 * together. So before every move its end is looked at, for one t that is chosen then. Where most
 * would leave, the list is made anew from here, for this very move, and for the same motion in the
 * sub-steps to come as long as that is not far: the first move of a sub-step takes its part of t,
 * and those that correct it stay where t is. Where few would leave, or are cut and so stay behind
 * what moves along with them, the boxes of these stragglers are made anew, for their whole way, any
 * s in [0, 1] and for any part of what its company does, see carry.c: pairs without a straggler are
 * listed as they must be, and those with one are looked for again. Where these are many, the list
 * is made anew with such boxes for them. Who has such a box leaves it only when the company
 * becomes another; when all have one, as after some rounds in world.c, from where on nobody is
 * carried, nobody can, so this ends. Rounding is far less than the contact distance, which is what
 * unlisted pairs keep. */
#include "contact/list.h"

#include "base/platform.h"

#include <string.h>

enum { GRAIN = 512, TILE = 64 };
/* where pairs are more than so many a vertex, as in stacks, what hardly moves may only stray so
 * much of that, and else as far as so much of its way */
#define DENSE 30.0
#define CALM 0.13
#define STRAYS 0.5
/* how far lists look ahead on average, over that: what goes farther does not go on like that */
#define LOOKS_AHEAD 8.0
/* the same as TL_MOST_STRAGGLERS where pairs are not so many a vertex, which takes less */
#define MOST_IN_SPARSE 0.12
#define SPARSE 3.0
/* contact distance of one cloth over its distance at rest, and up to which of those that counts */
#define REST_PART 0.7
#define REST_REACH 2.0
/* the nearest that motion brings a pair, over its contact distance */
#define FLOOR 0.02

/* ---- all of it ---- */

/* What vertex i is to do beyond its planned way, or as much of it as that is long. */
static TlVec3 fall_of(const TlWorld *world, int32_t i) {
    if (world->fall == NULL || i >= world->cloth) {
        return tl_vec3(0, 0, 0);
    }
    TlVec3 fall = tl_load3(world->fall + 3 * (int64_t)i);
    double way = tl_length3(tl_load3(world->u + 3 * (int64_t)i)), size = tl_length3(fall);
    return tl_scale3(size > way ? way / size : 1.0, fall);
}

/* How far vertex i may stray from its planned way. */
static double margin_of(const TlWorld *world, int32_t i) {
    if (!world->dense) {
        return world->margin;
    }
    double way = tl_length3(tl_load3(world->u + 3 * (int64_t)i)) / world->stride;
    return tl_min(world->margin, tl_max(CALM * world->margin, STRAYS * way));
}

static const double *carry_of(const TlWorld *world, int32_t i) {
    return world->carry + 3 * (int64_t)world->def.surface->body[i];
}

/* The sweep for the move u from x, and more of it after that. The boxes of stragglers take in all
 * of u, those of others what comes after it. */
static void sweep_range(void *data, int32_t begin, int32_t end) {
    TlWorld *world = data;
    for (int32_t i = begin; i < end; i++) {
        double grown = margin_of(world, i), fall[3];
        tl_store3(fall, fall_of(world, i));
        for (int d = 0; d < 3; d++) {
            int64_t k = 3 * (int64_t)i + d;
            double u = world->u[k], way = world->straggler[i] ? u : fall[d];
            double carry = world->straggler[i] ? carry_of(world, i)[d] : 0.0;
            world->origin[k] = world->x[k];
            world->common[k] = world->straggler[i] ? 0.0 : u / world->stride;
            world->low[k] = -grown + tl_min(way, tl_min(carry, 0.0));
            world->high[k] = grown + tl_max(way, tl_max(carry, 0.0));
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

typedef struct Describe {
    const TlWorld *world;
    TlPairs *pairs;
} Describe;

static void describe_pair(const TlWorld *world, TlPair *pair, int32_t split) {
    const TlSurface *surface = world->def.surface;
    pair->radius = largest2(surface->half, pair->vertex, 0, split) +
                   largest2(surface->half, pair->vertex, split, 4);
    pair->solid = largest2(surface->solid, pair->vertex, 0, split) +
                  largest2(surface->solid, pair->vertex, split, 4);
}

/* Cloth that is near itself at rest keeps less: pairs `list` of one kind. */
static void shrink_at_rest(const TlWorld *world, TlPair *pairs, const int32_t *list, int32_t count,
                           bool edges) {
    TlClosest rest[TILE];
    tl_closest_pairs(pairs, list, 0, count, edges, world->def.surface->rest, rest);
    for (int32_t i = 0; i < count; i++) {
        TlPair *pair = &pairs[list[i]];
        if (rest[i].distance < REST_REACH * (double)pair->radius) {
            pair->radius = (float)tl_min((double)pair->radius, REST_PART * rest[i].distance);
        }
    }
}

/* Pairs [begin, end) of one kind, whose contact distance is known but for the shape at rest. */
static void finish_tile(const TlWorld *world, TlPair *pairs, int32_t begin, int32_t end,
                        bool edges) {
    const int32_t *body = world->def.surface->body;
    int32_t list[TILE], count = 0;
    for (int32_t i = begin; i < end; i++) {
        const int32_t *v = pairs[i].vertex;
        list[count] = i;
        count += v[0] < world->cloth && v[3] < world->cloth && body[v[0]] == body[v[3]];
    }
    shrink_at_rest(world, pairs, list, count, edges);
    for (int32_t i = begin; i < end; i++) {
        pairs[i].floor = (float)tl_max(FLOOR * (double)pairs[i].radius, world->grain);
    }
}

static void describe_range(void *data, int32_t begin, int32_t end) {
    Describe *in = data;
    for (int32_t i = begin; i < end; i++) {
        describe_pair(in->world, &in->pairs->pair[i], i < in->pairs->vertex_triangle ? 1 : 2);
    }
}

static void finish_range(void *data, int32_t begin, int32_t end) {
    Describe *in = data;
    int32_t middle = in->pairs->vertex_triangle;
    for (int32_t from = begin, to; from < end; from = to) {
        to = end - from < TILE ? end : from + TILE;
        to = from < middle && middle < to ? middle : to;
        finish_tile(in->world, in->pairs->pair, from, to, from >= middle);
    }
}

/* Fills what the broad phase leaves open, and takes out what cannot come near. The sieve looks at
 * all vertices first, which pays where pairs are many. */
static void describe(TlWorld *world, TlPairs *pairs, TlSweep *sweep) {
    Describe in = {world, pairs};
    sweep->sifted = pairs->count > world->n ? world->sifted : NULL;
    tl_parallel_for(world->pool, pairs->count, GRAIN, describe_range, &in);
    tl_pairs_cull(world->pool, pairs, sweep);
    tl_parallel_for(world->pool, pairs->count, GRAIN, finish_range, &in);
}

static TlSweep sweep_of(const TlWorld *world) {
    return (TlSweep){.x = world->origin,
                     .common = world->common,
                     .low = world->low,
                     .high = world->high,
                     .around = world->around,
                     .vertex_count = world->n};
}

static void count_list(TlWorld *world, double clock_s) {
    if (world->pairs.count > world->counts.candidates) {
        world->counts.candidates = world->pairs.count;
    }
    world->counts.broad_s += tl_clock_s() - clock_s;
}

/* Root of the mean square of the ways of cloth that are planned, m. */
static double mean_way(const TlWorld *world) {
    double sum = 0.0;
    for (int64_t i = 0; i < 3 * (int64_t)world->cloth; i++) {
        sum += world->u[i] * world->u[i];
    }
    return sqrt(sum / world->cloth);
}

/* The part that the planned move is of all that a list is made for. */
static double stride_of(const TlWorld *world) {
    if (!world->fresh) {
        return 1.0;
    }
    double far = LOOKS_AHEAD * world->margin / mean_way(world); /* may be infinite */
    double ahead = tl_min(far, world->left);
    return ahead > 1.0 ? 1.0 / ahead : 1.0;
}

/* All pairs whose boxes meet in the sweep for the move u from x; false when memory is refused. */
static bool find_pairs(TlWorld *world) {
    tl_parallel_for(world->pool, world->n, GRAIN, sweep_range, world);
    TlSweep sweep = sweep_of(world);
    return tl_broad_find(world->broad, world->pool, &sweep, world->def.self, world->arena,
                         &world->pairs);
}

bool tl_list_make(TlWorld *world) {
    double clock_s = tl_clock_s();
    world->stride = world->t_end = stride_of(world);
    world->t = 0.0;
    world->listed = find_pairs(world);
    if (world->listed && !world->dense && world->pairs.count > DENSE * world->n) {
        world->dense = true; /* for the rest of the frame */
        world->listed = find_pairs(world);
    }
    TlSweep sweep = sweep_of(world);
    world->holds = false;
    if (world->listed) {
        describe(world, &world->pairs, &sweep);
        world->counts.refreshes++;
    }
    count_list(world, clock_s);
    return world->listed;
}

/* ---- some of it ---- */

/* The boxes of stragglers take in all of the way u, and nothing else. */
static void resweep_range(void *data, int32_t begin, int32_t end) {
    TlWorld *world = data;
    for (int32_t i = begin; i < end; i++) {
        for (int d = 0; world->straggler[i] && d < 3; d++) {
            int64_t k = 3 * (int64_t)i + d;
            double from = world->x[k] - world->origin[k], common = world->common[k];
            double now = from - world->t * common, behind = from - world->t_end * common;
            double there = behind + world->u[k], carried = behind + carry_of(world, i)[d];
            world->low[k] = tl_min(tl_min(now, carried), tl_min(behind, there)) - world->margin;
            world->high[k] = tl_max(tl_max(now, carried), tl_max(behind, there)) + world->margin;
        }
    }
}

/* Takes pairs with stragglers off the list. */
static void drop_stragglers(TlWorld *world) {
    TlPairs *pairs = &world->pairs;
    int32_t kept = 0, triangles = 0;
    for (int32_t i = 0; i < pairs->count; i++) {
        const int32_t *v = pairs->pair[i].vertex;
        bool drop = (world->straggler[v[0]] | world->straggler[v[1]] | world->straggler[v[2]] |
                     world->straggler[v[3]]) != 0;
        pairs->pair[kept] = pairs->pair[i];
        kept += !drop;
        triangles += !drop && i < pairs->vertex_triangle;
    }
    pairs->count = kept;
    pairs->vertex_triangle = triangles;
}

/* Room for so many pairs; those there are stay. */
static bool reserve_pairs(TlWorld *world, int32_t count) {
    TlPairs *pairs = &world->pairs;
    if (count <= pairs->capacity) {
        return true;
    }
    if (count > INT32_MAX / 2) {
        return false;
    }
    TlPair *pair = TL_NEW(world->arena, TlPair, (int64_t)count + count / 2);
    pairs->growths++;
    if (pair == NULL) {
        return false;
    }
    if (pairs->count > 0) {
        memcpy(pair, pairs->pair, sizeof *pair * (size_t)pairs->count);
    }
    tl_arena_drop(world->arena, pairs->pair);
    pairs->pair = pair;
    pairs->capacity = count + count / 2;
    return true;
}

/* Adds `more` to the list, each kind after its own. */
static bool append_more(TlWorld *world) {
    TlPairs *to = &world->pairs;
    const TlPairs *from = &world->more;
    if (from->count == 0) {
        return true;
    }
    if (!reserve_pairs(world, to->count + from->count)) {
        return false;
    }
    TlPair *edges = to->pair + to->vertex_triangle;
    size_t size = sizeof *edges, count = (size_t)(to->count - to->vertex_triangle);
    memmove(edges + from->vertex_triangle, edges, size * count);
    memcpy(edges, from->pair, size * (size_t)from->vertex_triangle);
    memcpy(to->pair + to->count + from->vertex_triangle, from->pair + from->vertex_triangle,
           size * (size_t)(from->count - from->vertex_triangle));
    to->vertex_triangle += from->vertex_triangle;
    to->count += from->count;
    return true;
}

bool tl_list_again(TlWorld *world) {
    double clock_s = tl_clock_s();
    tl_parallel_for(world->pool, world->n, GRAIN, resweep_range, world);
    TlSweep sweep = sweep_of(world);
    /* cloth may have strayed even where t has not moved */
    sweep.now = world->x;
    sweep.from = world->t;
    bool ok = tl_broad_find_some(world->broad, world->pool, &sweep, world->def.self,
                                 world->straggler, world->arena, &world->more);
    world->holds = false;
    if (ok) {
        describe(world, &world->more, &sweep);
        drop_stragglers(world);
        ok = append_more(world);
    }
    world->listed = ok;
    count_list(world, clock_s);
    return ok;
}

bool tl_list_follow(TlWorld *world, int32_t leaving) {
    bool sparse = world->pairs.count < SPARSE * world->n;
    if (leaving <= (sparse ? MOST_IN_SPARSE : TL_MOST_STRAGGLERS) * world->n) {
        return leaving == 0 || tl_list_again(world);
    }
    memset(world->straggler, 0, (size_t)world->n);
    return tl_list_make(world);
}

bool tl_world_list_here(TlWorld *world) {
    world->carrying = false;
    memset(world->u, 0, 3 * sizeof *world->u * (size_t)world->n);
    memset(world->straggler, 0, (size_t)world->n);
    return tl_list_make(world);
}
