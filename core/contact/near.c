/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Which pairs of a world can press: those that are within their contact distance, or may get there
 * by motion that is known to come; and which part of a vertex each triangle bears. See touch.c for
 * the potential over them. */
#include "contact/near.h"

#include "base/platform.h"
#include "contact/closest4.h"

#include <string.h>

enum { PARTS = TL_NEAR_PARTS };
/* cosine of directions that count as the same side of a vertex */
#define SAME_SIDE 0.5
/* what is nearer to the nearest than this part of the contact distance shares with it */
#define SHARED 0.1
/* part of a vertex that a triangle must bear to stop it */
#define BEARS 0.3

/* By how much the distances of four pairs can shrink when their vertices move by u at most. */
TL_INLINE TlDouble4 closing4(const TlPair *const pair[4], bool edges, const double *u) {
    TlVec4 mean = {tl_double4(0.0), tl_double4(0.0), tl_double4(0.0)};
    TlDouble4 most2[2] = {tl_double4(0.0), tl_double4(0.0)};
    for (int c = 0; c < 4; c++) {
        mean = tl_less4(mean, tl_double4(-0.25), tl_gather4(u, pair, c));
    }
    for (int c = 0; c < 4; c++) {
        int side = c >= (edges ? 2 : 1);
        TlVec4 d = tl_sub4(tl_gather4(u, pair, c), mean);
        most2[side] = tl_max4(most2[side], tl_dot4(d, d));
    }
    return tl_sqrt4(most2[0]) + tl_sqrt4(most2[1]);
}

typedef struct Search {
    TlWorld *world;
    const double *u; /* 3 per vertex: motion to come, or NULL */
    const double *x;
    double most; /* that any pair can come nearer by it */
} Search;

/* The same for any pair, or a little more. */
static double most_closing(const double *u, int32_t n) {
    double most2 = 0.0;
    for (int32_t v = 0; v < n; v++) {
        TlVec3 at = tl_load3(u + 3 * (int64_t)v);
        double length2 = tl_dot3(at, at);
        most2 = length2 <= most2 ? most2 : length2;
    }
    return 4.000001 * sqrt(most2);
}

/* The farthest that a pair can press. */
static double reach_of(const TlPair *pair) {
    return (pair->solid > 0.0F ? TL_BETWEEN : 1.0) * (double)pair->radius;
}

/* Writes which pairs of [begin, end) of one kind can press; answers how many. */
TL_INLINE int32_t near_of_kind(const Search *in, int32_t begin, int32_t end, bool edges,
                               int32_t *out) {
    const TlPair *pairs = in->world->pairs.pair;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i += TL_LANES) {
        const TlPair *four[TL_LANES];
        TlDouble4 slack;
        bool open = false;
        for (int32_t k = 0; k < TL_LANES; k++) {
            four[k] = &pairs[i + k < end ? i + k : end - 1];
            slack[k] = (double)four[k]->least - reach_of(four[k]);
            open = open || !(slack[k] < 0.0 || slack[k] > in->most);
        }
        TlBits4 near = (TlBits4)(slack < tl_double4(0.0));
        if (in->u != NULL && open) {
            near |= (TlBits4)(closing4(four, edges, in->u) > slack);
        }
        for (int32_t k = 0; k < TL_LANES && i + k < end; k++) {
            out[count] = i + k;
            count += near[k] != 0;
        }
    }
    return count;
}

TL_HOT static void near_parts(void *data, int32_t begin, int32_t end) {
    Search *in = data;
    TlWorld *world = in->world;
    int32_t middle = world->pairs.vertex_triangle;
    for (int32_t part = begin; part < end; part++) {
        int32_t first = (int32_t)((int64_t)world->pairs.count * part / PARTS);
        int32_t last = (int32_t)((int64_t)world->pairs.count * (part + 1) / PARTS);
        int32_t split = middle < first ? first : middle > last ? last : middle;
        int32_t *out = world->near + first;
        int32_t count = near_of_kind(in, first, split, false, out);
        world->chunk[part] = count + near_of_kind(in, split, last, true, out + count);
    }
}

/* Room for all pairs to be near. */
static bool reserve(TlWorld *world) {
    if (world->near == NULL || world->near_room < world->pairs.count) {
        world->near_room = tl_near_room(world->pairs.count);
        world->near = TL_RENEW(world->arena, int32_t, world->near, world->near_room);
        world->held = TL_RENEW(world->arena, TlStiffness, world->held, world->near_room);
    }
    return world->near != NULL && world->held != NULL;
}

static bool reserve_closest(TlWorld *world) {
    if (world->near_count > world->closest_room) {
        world->closest_room = tl_near_room(world->near_count);
        world->closest = TL_RENEW(world->arena, TlClosest, world->closest, world->closest_room);
        world->next = TL_RENEW(world->arena, int32_t, world->next, world->closest_room);
    }
    return !world->arena->failed;
}

static void measure_parts(void *data, int32_t begin, int32_t end) {
    Search *in = data;
    TlWorld *world = in->world;
    for (int32_t part = begin; part < end; part++) {
        int32_t first = (int32_t)((int64_t)world->near_count * part / PARTS);
        int32_t last = (int32_t)((int64_t)world->near_count * (part + 1) / PARTS);
        int32_t middle = world->near_edges < first  ? first
                         : world->near_edges > last ? last
                                                    : world->near_edges;
        if (middle > first) {
            tl_closest_pairs(world->pairs.pair, world->near, first, middle, false, in->x,
                             world->closest + first);
        }
        if (last > middle) {
            tl_closest_pairs(world->pairs.pair, world->near, middle, last, true, in->x,
                             world->closest + middle);
        }
    }
}

/* A vertex meets what is nearest to it on each side: another triangle that is farther in about the
 * same direction is the same surface once more, or is behind it. Near pairs of a vertex are
 * chained.
 */
static void chain_vertices(TlWorld *world) {
    memset(world->chain, 0xff, sizeof *world->chain * (size_t)world->n);
    for (int32_t i = world->near_edges - 1; i >= 0; i--) {
        int32_t v = world->pairs.pair[world->near[i]].vertex[0];
        world->next[i] = world->chain[v];
        world->chain[v] = i;
    }
}

bool tl_near_find(TlWorld *world, const double *u, const double *x) {
    Search search = {world, u, x, u != NULL ? most_closing(u, world->n) : 0.0};
    if (!reserve(world)) {
        return false;
    }
    tl_parallel_for(world->pool, PARTS, 1, near_parts, &search);
    world->near_count = 0;
    for (int32_t part = 0; part < PARTS; part++) {
        int32_t first = (int32_t)((int64_t)world->pairs.count * part / PARTS);
        memmove(world->near + world->near_count, world->near + first,
                sizeof *world->near * (size_t)world->chunk[part]);
        world->near_count += world->chunk[part];
    }
    world->near_edges = 0;
    while (world->near_edges < world->near_count &&
           world->near[world->near_edges] < world->pairs.vertex_triangle) {
        world->near_edges++;
    }
    if (!reserve_closest(world)) {
        return false;
    }
    tl_parallel_for(world->pool, PARTS, 1, measure_parts, &search);
    chain_vertices(world);
    return true;
}

/* ---- which part of a vertex ---- */

/* How much a triangle at distance d counts before they share, with the nearest at `least`. Those
 * out of contact share only where none is in it, so that it does not matter who has been looked at.
 */
static double share_of(double d, double least, double r) {
    double part = 1.0 - (d - least) / (SHARED * r), depth = least < r ? r - d : r;
    return part > 0.0 && depth > 0.0 ? part * part * depth : 0.0;
}

double tl_near_part(const TlWorld *world, int32_t i) {
    const TlPair *pairs = world->pairs.pair;
    int32_t v = pairs[world->near[i]].vertex[0];
    if (world->def.surface->solid[v] > 0.0) {
        return 1.0; /* what is round meets all around it */
    }
    TlVec3 n = tl_load3(world->closest[i].normal);
    double d = world->closest[i].distance, r = (double)pairs[world->near[i]].radius, least = d;
    for (int32_t j = world->chain[v]; j >= 0; j = world->next[j]) {
        if (tl_dot3(n, tl_load3(world->closest[j].normal)) > SAME_SIDE) {
            least = tl_min(least, world->closest[j].distance);
        }
    }
    double own = share_of(d, least, r), sum = 0.0;
    for (int32_t j = world->chain[v]; own > 0.0 && j >= 0; j = world->next[j]) {
        if (tl_dot3(n, tl_load3(world->closest[j].normal)) > SAME_SIDE) {
            sum += share_of(world->closest[j].distance, least, r);
        }
    }
    return own > 0.0 ? own / sum : 0.0;
}

/* ---- what is ahead ---- */

/* Where inertia and weight lead vertex v, within its contact distance, and as far as its cloth lets
 * it: what hangs over an edge is held, and does not fall. */
static TlVec3 own_motion(const TlWorld *world, const TlAhead *ahead, int32_t v) {
    TlVec3 u = tl_load3(ahead->motion + 3 * (int64_t)v);
    TlVec3 pull = tl_load3(ahead->elastic + 3 * (int64_t)v);
    double held = tl_dot3(pull, u) / (ahead->weight[v] * tl_dot3(u, u));
    double part = tl_min(1.0, 2.0 * world->def.surface->half[v] / tl_length3(u));
    double goes = 1.0 - (held > 0.0 ? held : 0.0); /* not a number: at rest */
    return tl_scale3(goes > 0.0 ? part * goes : 0.0, u);
}

/* What is known to come: colliders go on to their goals, and cloth to where the last plan has cut
 * it, or where its own motion leads, within its contact distance: that is for what lies on
 * something, which else falls into it anew. */
static void fill_ahead(TlWorld *world, const TlAhead *ahead) {
    bool own = ahead != NULL && !world->tangled;
    for (int32_t v = 0; v < world->cloth; v++) {
        int64_t at = 3 * (int64_t)v;
        double left = world->cut > 0 ? 1.0 - world->s[v] : 0.0;
        TlVec3 u = tl_scale3(left, tl_load3(tl_world_apart(world) + at));
        if (own) {
            u = own_motion(world, ahead, v);
        }
        tl_store3(world->trial + at, u);
    }
    for (int64_t i = 3 * (int64_t)world->cloth; i < 3 * (int64_t)world->n; i++) {
        world->trial[i] = world->goal[i] - world->x[i];
    }
}

/* The triangle that bears a vertex ends its approach: takes what is behind it out of what is ahead,
 * so that contacts that the vertex will not reach do not pull at it. */
static void stop_at_triangles(TlWorld *world) {
    for (int32_t i = 0; i < world->near_edges; i++) {
        const TlPair *pair = &world->pairs.pair[world->near[i]];
        const TlClosest *closest = &world->closest[i];
        double *ahead = world->trial + 3 * (int64_t)pair->vertex[0];
        TlVec3 n = tl_load3(closest->normal);
        double apart = closest->distance - (double)pair->solid - (double)pair->radius;
        TlVec3 u = tl_load3(ahead), stopped = tl_contact_stop(n, apart, u);
        if (pair->vertex[0] < world->cloth &&
            !tl_is_pinched(world->pinched, world->cloth, pair->vertex) &&
            tl_dot3(n, tl_sub3(stopped, u)) > 0.0 && tl_near_part(world, i) > BEARS) {
            tl_store3(ahead, stopped);
        }
    }
}

/* The motion u of the vertex of a pair, relative to its triangle, as far as the contact distance of
 * that. Beside a triangle it would stop what slides. */
static TlVec3 land_on(const TlWorld *world, const TlPair *pair, TlVec3 u) {
    TlVec3 at[4];
    for (int k = 0; k < 4; k++) {
        at[k] = tl_load3(world->x + 3 * (int64_t)pair->vertex[k]);
    }
    TlClosest closest = tl_closest_vertex_triangle(at);
    double r = reach_of(pair);
    bool above = closest.weight[1] < 0.0 && closest.weight[2] < 0.0 && closest.weight[3] < 0.0;
    return above && closest.distance > r
               ? tl_contact_land_on(tl_load3(closest.normal), closest.distance, r, u)
               : u;
}

void tl_world_land(TlWorld *world, double *u) {
    double clock_s = tl_clock_s();
    for (int32_t i = 0; world->listed && i < world->pairs.vertex_triangle; i++) {
        const TlPair *pair = &world->pairs.pair[i];
        const int32_t *v = pair->vertex;
        if (v[0] >= world->cloth || v[1] < world->cloth || world->def.fixed[v[0]] ||
            world->def.analytic[v[1]] || tl_is_pinched(world->pinched, world->cloth, v)) {
            continue;
        }
        TlVec3 carried = {0, 0, 0};
        for (int k = 1; k < 4; k++) {
            int64_t at = 3 * (int64_t)v[k];
            carried = tl_madd3(carried, 1.0 / 3.0,
                               tl_sub3(tl_load3(world->goal + at), tl_load3(world->x + at)));
        }
        TlVec3 move = tl_sub3(tl_load3(u + 3 * (int64_t)v[0]), carried);
        double slack = (double)pair->least - reach_of(pair);
        if (!(slack > 0.0 && tl_dot3(move, move) <= slack * slack)) {
            tl_store3(u + 3 * (int64_t)v[0], tl_add3(carried, land_on(world, pair, move)));
        }
    }
    world->counts.narrow_s += tl_clock_s() - clock_s;
}

void tl_world_expect(TlWorld *world, const TlAhead *ahead) {
    double clock_s = tl_clock_s();
    fill_ahead(world, ahead);
    stop_at_triangles(world);
    world->counts.narrow_s += tl_clock_s() - clock_s;
}

bool tl_world_look(TlWorld *world, const TlAhead *ahead) {
    bool ok = world->listed || tl_world_list_here(world);
    double clock_s = tl_clock_s();
    fill_ahead(world, ahead);
    ok = ok && tl_near_find(world, world->trial, world->x);
    if (ok) {
        stop_at_triangles(world);
    }
    world->counts.narrow_s += tl_clock_s() - clock_s;
    return ok;
}
