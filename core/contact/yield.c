/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Cloth that stands in the way of what is prescribed and could not move as far as it wanted,
 * because something else, or the collider itself, is in its way: it has no room, and lets colliders
 * pass for the rest of the frame. What was free to move but is slow to give way is no such cloth.
 * Neighbours of such cloth are in the same pinch, and need not be looked at as closely. */
#include "contact/world.h"

#include <string.h>

/* vertices that got less than this part of their way are held up */
#define HELD_UP 0.99
/* colliders are slow, and shorter steps would find no room either, where they go less than this in
 * the step, over the contact distance */
#define SLOW 0.15
/* the same at neighbours of those who yield already */
#define NEAR_SLOW 2.0

/* What is left of the way of a vertex of a collider; of cloth none. */
static TlVec3 way_left(const TlWorld *world, int32_t v) {
    int64_t at = 3 * (int64_t)v;
    return v < world->cloth ? tl_vec3(0, 0, 0)
                            : tl_sub3(tl_load3(world->goal + at), tl_load3(world->x + at));
}

/* Whether the collider of a pair goes less than so far in the step, where the pair is nearest. */
static bool is_slow(const TlWorld *world, const TlPair *pair, const TlClosest *closest,
                    double slow) {
    TlVec3 way = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        int64_t at = 3 * (int64_t)pair->vertex[i];
        if (pair->vertex[i] >= world->cloth) {
            TlVec3 goal = tl_load3(world->goal + at);
            way = tl_madd3(way, closest->weight[i], tl_sub3(goal, tl_load3(world->start + at)));
        }
    }
    return tl_length3(way) < slow * (double)pair->radius;
}

/* Whether what is left of the ways of colliders brings a pair nearer than its floor, and they go
 * less than `slow` contact distances there in the step. */
static bool is_in_the_way(const TlWorld *world, const TlPair *pair, bool edges, double slow) {
    TlVec3 at[4], left[4];
    bool any = false;
    for (int i = 0; i < 4; i++) {
        at[i] = tl_load3(world->x + 3 * (int64_t)pair->vertex[i]);
        left[i] = way_left(world, pair->vertex[i]);
        any = any || tl_dot3(left[i], left[i]) > 0.0;
    }
    if (!any) {
        return false;
    }
    TlClosest closest = edges ? tl_closest_edges(at) : tl_closest_vertex_triangle(at);
    TlVec3 n = tl_load3(closest.normal);
    double coming = 0.0;
    for (int i = 0; i < 4; i++) {
        bool first = i < (edges ? 2 : 1);
        coming = tl_max(coming, (first ? -1.0 : 1.0) * tl_dot3(n, left[i]));
    }
    return closest.distance - (double)pair->solid - coming < (double)pair->floor &&
           is_slow(world, pair, &closest, slow);
}

/* Marks the neighbours of those that yield already. */
static void mark_near(TlWorld *world) {
    memset(world->marked, 0, (size_t)world->n);
    for (int32_t i = 0; world->yielding && i < world->def.surface->edges.cloth; i++) {
        const int32_t *e = world->def.surface->edge + 2 * (int64_t)i;
        world->marked[e[0]] |= world->yielded[e[1]];
        world->marked[e[1]] |= world->yielded[e[0]];
    }
}

int32_t tl_world_yield(TlWorld *world, TlYield how) {
    int32_t count = 0;
    mark_near(world);
    for (int32_t p = 0; p < world->pairs.count; p++) {
        const TlPair *pair = &world->pairs.pair[p];
        const int32_t *v = pair->vertex;
        bool held_up = false, near = false, analytic = false;
        if ((v[0] < world->cloth && v[3] < world->cloth) ||
            tl_is_pinched(world->pinched, world->cloth, v)) {
            continue;
        }
        for (int i = 0; i < 4; i++) {
            held_up = held_up || (v[i] < world->cloth && world->s[v[i]] < HELD_UP);
            near = near || world->marked[v[i]] != 0;
            analytic = analytic || world->def.analytic[v[i]];
        }
        near = near && !analytic;
        double slow = how == TL_YIELD_ALL ? HUGE_VAL : near ? NEAR_SLOW : SLOW;
        if (!held_up || (how == TL_YIELD_NEAR && !near) ||
            !is_in_the_way(world, pair, p >= world->pairs.vertex_triangle, slow)) {
            continue;
        }
        for (int i = 0; i < 4; i++) {
            if (v[i] < world->cloth && !world->yielded[v[i]]) {
                world->yielded[v[i]] = 1;
                count++;
            }
        }
    }
    world->yielding = world->yielding || count > 0;
    return count;
}
