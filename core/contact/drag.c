/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Cloth that pins drag into colliders, and through them. Pins go where they are told to; cloth that
 * were kept out all the same would hang from them through the collider, stretched to many times its
 * length. So it comes along, as far as it would be torn otherwise, and is put out as soon as it
 * would not.
 *
 * Who is dragged: pins that are inside an analytic collider, and what is cut off together with pins
 * where cloth crosses a body; who is inside and could not be put out without being farther from its
 * pin than its cloth reaches, or, as long as that pin pulls, than that from a neighbour; and who is
 * joined to one of those, kept from it by the same collider, and would be too far from it outside.
 * All this is seen from where things are and go, so that nothing has to be remembered. */
#include "contact/drag.h"

#include "contact/regions.h"

#include <string.h>

/* longer than this, over their length at rest, edges and tethers are torn */
#define TORN 1.3
/* pins pull when they go away by more than this, over their distance */
#define PULLS 1e-4
/* and what goes faster than this through a collider comes out by itself */
#define PASSES_M_PER_S 0.1
/* cosine of the way out and of the way from the pin, for cloth that it tethers */
#define AWAY 0.5
/* cloth that is nearer than this to a collider, over the contact distance, lies against it */
#define AGAINST 2.0

typedef struct Drag {
    TlWorld *world;
    const TlContacts *contacts;
    const TlCarried *step;
    const uint8_t *pinched;
    double *out;  /* 3 per vertex: x, or where it is put out of analytic colliders */
    bool passing; /* most of those that are inside go on through colliders */
} Drag;

/* ---- tethers: the way along edges to the nearest pin ---- */

static bool reach_over(TlWorld *world, int32_t from, int32_t to, double length) {
    double reach = world->tether[from] + length;
    if (!(reach < world->tether[to])) {
        return false;
    }
    world->tether[to] = reach;
    world->anchor[to] = world->anchor[from];
    return true;
}

/* Once to and fro over all edges; whether anything got nearer to a pin. */
static bool sweep_tethers(TlWorld *world) {
    const TlSurface *surface = world->def.surface;
    int32_t count = surface->edges.cloth;
    bool changed = false;
    for (int32_t i = 0; i < 2 * count; i++) {
        int32_t e = i < count ? i : 2 * count - 1 - i;
        const int32_t *v = surface->edge + 2 * (int64_t)e;
        double length = world->length[e];
        changed = reach_over(world, v[0], v[1], length) || changed;
        changed = reach_over(world, v[1], v[0], length) || changed;
    }
    return changed;
}

/* Tethers for the pins that there are now. */
static void measure_tethers(TlWorld *world) {
    if (world->tethered && memcmp(world->anchored, world->def.fixed, (size_t)world->cloth) == 0) {
        return;
    }
    memcpy(world->anchored, world->def.fixed, (size_t)world->cloth);
    world->tethered = true;
    for (int32_t v = 0; v < world->cloth; v++) {
        world->tether[v] = world->def.fixed[v] ? 0.0 : HUGE_VAL;
        world->anchor[v] = v;
    }
    while (sweep_tethers(world)) {
    }
}

/* ---- who is dragged ---- */

/* Those that are leaving are put outside. */
static void put_out(const Drag *in) {
    TlContacts before = *in->contacts;
    before.now = before.before;
    memcpy(in->out, in->step->x, 3 * sizeof *in->step->x * (size_t)in->world->cloth);
    for (int32_t v = 0; v < in->world->cloth; v++) {
        TlVec3 x = tl_load3(in->step->x + 3 * (int64_t)v);
        if (in->pinched[v] == TL_LEAVING && !in->world->def.fixed[v] &&
            tl_contact_project(&before, in->world->def.surface->body[v], TL_LEAST_GAP, NULL, &x)) {
            tl_store3(in->out + 3 * (int64_t)v, x);
        }
    }
}

/* Whether v, put out, would be too far from a place that is `length` away at rest. */
static bool is_torn(const Drag *in, int32_t v, TlVec3 held, double length) {
    return tl_length3(tl_sub3(tl_load3(in->out + 3 * (int64_t)v), held)) > TORN * length;
}

/* Whether what is `apart` goes away, on the way that it has in the step. */
static bool goes_away(const Drag *in, TlVec3 way, TlVec3 apart) {
    double sign = in->step->dt_s < 0.0 ? -1.0 : 1.0;
    return sign * tl_dot3(way, apart) > PULLS * tl_dot3(apart, apart);
}

static bool is_fast(const Drag *in, TlVec3 way) {
    return tl_length3(way) > PASSES_M_PER_S * fabs(in->step->dt_s);
}

/* Whether v, or its pin away from it, goes on seen from a collider that v is in. */
static bool is_pulled(const Drag *in, int32_t v) {
    int32_t pin = in->world->anchor[v];
    TlVec3 x = tl_load3(in->step->x + 3 * (int64_t)v),
           at = tl_load3(in->step->x + 3 * (int64_t)pin), unused;
    TlVec3 to = tl_load3(in->step->pin_target + 3 * (int64_t)pin), apart = tl_sub3(at, x);
    TlVec3 next = tl_madd3(x, in->step->dt_s, tl_load3(in->step->v + 3 * (int64_t)v));
    for (int32_t i = 0; in->world->def.fixed[pin] && i < in->contacts->collider_count; i++) {
        const TlPlaced *now = &in->contacts->now[i], *before = &in->contacts->before[i];
        if (tl_collider_distance(before, x, &unused) < 0.0) {
            TlVec3 away = tl_sub3(to, tl_collider_carry_back(now, before, at));
            TlVec3 way = tl_sub3(next, tl_collider_carry_back(now, before, x));
            if (goes_away(in, away, apart) || is_fast(in, way)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether v is inside, and would be torn from its pin because it is put out on the far side. */
static bool is_tethered(const Drag *in, int32_t v) {
    const TlWorld *world = in->world;
    TlVec3 x = tl_load3(in->step->x + 3 * (int64_t)v);
    TlVec3 pin = tl_load3(in->step->pin_target + 3 * (int64_t)world->anchor[v]);
    TlVec3 way = tl_sub3(tl_load3(in->out + 3 * (int64_t)v), x), away = tl_sub3(x, pin);
    return in->pinched[v] == TL_LEAVING && !world->def.fixed[v] &&
           tl_dot3(way, away) > AWAY * tl_length3(way) * tl_length3(away) &&
           is_torn(in, v, pin, world->tether[v]);
}

/* Whether two neighbours that are inside would be torn from each other by being put out, while pins
 * pull. */
static bool tears(const Drag *in, int32_t edge) {
    const int32_t *v = in->world->def.surface->edge + 2 * (int64_t)edge;
    const uint8_t *pinched = in->pinched;
    if (pinched[v[0]] != TL_LEAVING || pinched[v[1]] != TL_LEAVING) {
        return false;
    }
    TlVec3 a = tl_load3(in->step->x + 3 * (int64_t)v[0]);
    TlVec3 b = tl_load3(in->step->x + 3 * (int64_t)v[1]);
    double length = tl_max(in->world->length[edge], tl_length3(tl_sub3(a, b)));
    return is_torn(in, v[0], tl_load3(in->out + 3 * (int64_t)v[1]), length) &&
           (in->passing || is_pulled(in, v[0]) || is_pulled(in, v[1]));
}

/* How far the body of a crossing goes in the step. */
static TlVec3 body_way(const TlWorld *world, const int32_t corner[5]) {
    TlVec3 way = {0, 0, 0};
    double count = 0.0;
    for (int i = 0; i < 5; i++) {
        int64_t at = 3 * (int64_t)corner[i];
        if (corner[i] >= world->cloth) {
            TlVec3 goal = tl_load3(world->goal + at);
            way = tl_add3(way, tl_sub3(goal, tl_load3(world->start + at)));
            count += 1.0;
        }
    }
    return tl_scale3(1.0 / tl_max(count, 1.0), way);
}

/* Whether cloth of vertex v, seen from a body that goes `way`, passes through it: by itself, or
 * because its pin goes away. */
static bool is_passing(const Drag *in, int32_t v, TlVec3 way) {
    int32_t pin = in->world->anchor[v];
    TlVec3 x = tl_load3(in->step->x + 3 * (int64_t)v),
           at = tl_load3(in->step->x + 3 * (int64_t)pin);
    TlVec3 to = tl_load3(in->step->pin_target + 3 * (int64_t)pin), apart = tl_sub3(at, x);
    TlVec3 own = tl_scale3(in->step->dt_s, tl_load3(in->step->v + 3 * (int64_t)v));
    TlVec3 away = tl_sub3(tl_sub3(to, at), way);
    return in->world->def.fixed[pin] &&
           (goes_away(in, away, apart) || is_fast(in, tl_sub3(own, way)));
}

/* Finds regions that are inside bodies and pass through them. */
static void find_passing(const Drag *in) {
    TlWorld *world = in->world;
    uint8_t *seen = world->marked; /* per region */
    memset(seen, 0, (size_t)world->cloth);
    for (int32_t i = 0; i < world->crossings.count; i++) {
        int32_t corner[5];
        if (!tl_regions_corners(world, &world->crossings.at[i], corner)) {
            continue;
        }
        TlVec3 way = body_way(world, corner);
        for (int k = 0; k < 5; k++) {
            int32_t region = corner[k] < world->cloth ? world->region[corner[k]] : -1;
            if (region >= 0 && !seen[region] && !world->region_held[region] &&
                is_passing(in, corner[k], way)) {
                seen[region] = 1;
                world->region_held[region] = tl_regions_is_inside(world, region);
            }
        }
    }
}

/* Marks what crossings with bodies cut off together with pins, or what passes with them. */
static void mark_cut_off(const Drag *in) {
    TlWorld *world = in->world;
    find_passing(in);
    for (int32_t v = 0; v < world->cloth; v++) {
        world->dragged[v] |= world->region_held[world->region[v]];
    }
    for (int32_t i = 0; i < world->crossings.count; i++) {
        int32_t corner[5];
        bool body = tl_regions_corners(world, &world->crossings.at[i], corner);
        for (int k = 0; body && k < 5; k++) {
            if (corner[k] < world->cloth) {
                world->dragged[corner[k]] |= world->def.fixed[corner[k]];
            }
        }
    }
}

/* Those whom nobody drags but a pin. */
static void mark_first(Drag *in) {
    TlWorld *world = in->world;
    int32_t leaving = 0, pulled = 0;
    memset(world->dragged, 0, (size_t)world->cloth);
    if (world->crossings.count > 0) {
        measure_tethers(world);
        mark_cut_off(in);
    }
    for (int32_t v = 0; v < world->cloth; v++) {
        world->dragged[v] |= world->def.fixed[v] && in->pinched[v] == TL_PINCHED;
        leaving += in->pinched[v] == TL_LEAVING;
    }
    if (leaving == 0) {
        return;
    }
    measure_tethers(world);
    for (int32_t v = 0; v < world->cloth; v++) {
        pulled += in->pinched[v] == TL_LEAVING && is_pulled(in, v);
    }
    in->passing = 2 * pulled > leaving;
    for (int32_t v = 0; v < world->cloth; v++) {
        world->dragged[v] |= is_tethered(in, v);
    }
    for (int32_t e = 0; e < world->def.surface->edges.cloth; e++) {
        const int32_t *v = world->def.surface->edge + 2 * (int64_t)e;
        if (tears(in, e)) {
            world->dragged[v[0]] = world->dragged[v[1]] = 1;
        }
    }
}

/* Whether v lies against a collider that holds w, at `held`. */
static bool is_against(const Drag *in, int32_t v, TlVec3 held) {
    TlVec3 x = tl_load3(in->step->x + 3 * (int64_t)v), unused;
    const int32_t cloth = in->world->def.surface->body[v];
    for (int32_t i = 0; i < in->contacts->collider_count; i++) {
        const TlPlaced *at = &in->contacts->before[i];
        double r = in->contacts->radius[cloth * in->contacts->collider_count + i];
        if (!tl_is_beyond(at, x, AGAINST * r) && tl_collider_distance(at, held, &unused) < 0.0 &&
            tl_collider_distance(at, x, &unused) < AGAINST * r) {
            return true;
        }
    }
    return false;
}

/* Whether v follows w: it is kept from it by a collider, and would be torn from it. Cloth that is
 * stretched for other reasons does not follow. */
static bool follows(const Drag *in, int32_t v, int32_t w, int32_t edge) {
    const TlWorld *world = in->world;
    if (!world->dragged[w] || world->dragged[v] || world->def.fixed[v]) {
        return false;
    }
    TlVec3 held =
        tl_load3((world->def.fixed[w] ? in->step->pin_target : in->step->x) + 3 * (int64_t)w);
    return is_torn(in, v, held, world->length[edge]) &&
           (in->pinched[v] == TL_LEAVING || world->edge_cut[edge] || is_against(in, v, held));
}

/* Once to and fro over all edges: who is joined to a dragged vertex; whether there are more. */
static bool sweep_dragged(const Drag *in) {
    TlWorld *world = in->world;
    int32_t count = world->def.surface->edges.cloth;
    bool more = false;
    for (int32_t i = 0; i < 2 * count; i++) {
        int32_t e = i < count ? i : 2 * count - 1 - i;
        const int32_t *v = world->def.surface->edge + 2 * (int64_t)e;
        for (int k = 0; k < 2; k++) {
            if (follows(in, v[k], v[1 - k], e)) {
                world->dragged[v[k]] = 1;
                more = true;
            }
        }
    }
    return more;
}

bool tl_world_drag(TlWorld *world, const TlContacts *contacts, const TlCarried *step,
                   uint8_t *pinched) {
    Drag in = {world, contacts, step, pinched, world->motion, false};
    put_out(&in);
    mark_first(&in);
    while (sweep_dragged(&in)) {
    }
    bool any = false;
    for (int32_t v = 0; v < world->cloth; v++) {
        pinched[v] = world->dragged[v] ? TL_PINCHED : pinched[v];
        any = any || world->dragged[v];
    }
    return any;
}
