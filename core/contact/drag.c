/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Cloth that pins drag into colliders, and through them. Pins go where they are told to; cloth that
 * were kept out all the same would hang from them through the collider, stretched to many times its
 * length. So it comes along, as far as it would be torn otherwise, and is put out as soon as it
 * would not.
 *
 * Who is dragged: pins that are inside an analytic collider, and what is cut off together with pins
 * where cloth crosses a body; who is inside and could not be put out without being farther from its
 * pin, or from a neighbour, than its cloth reaches, as long as that pin pulls or is inside itself;
 * who is torn from a neighbour nearer to their pin, in a collider or beyond it; and who is
 * joined to one of those, kept from it by the same collider, and would be too far from it outside.
 *
 * Who is led: who would be torn in the same way while no pin pulls, and all who are inside and
 * joined to them. They leave colliders together, on the side of their pins, instead of each at the
 * side that is nearest to it. Cloth that is farther from the pins is hauled after them, into the
 * collider or up to it, no farther than it would be torn: springs that were left to draw it would
 * throw it. It is led out in the steps to come.
 * All this is seen from where things are and go, so that nothing has to be remembered. */
#include "contact/drag.h"

#include "contact/regions.h"

#include <string.h>

/* longer than this, over their length at rest, edges and tethers are torn */
#define TORN 1.3
/* pins pull when they go away by more than this a second, over their distance */
#define PULLS_PER_S 1e-2
/* cosine of the way out and of the way from the pin, for cloth that it tethers */
#define AWAY 0.5
/* those who are led have pins on one side: the mean of the unit vectors to them is not less */
#define ONE_SIDE 0.5
/* how exactly exits are found; ways out of planes are no longer than this, over the depth */
enum { HALVINGS = 40 };
#define MOST_DEPTHS 1e3
/* hauled cloth is as near as it is to be up to this much; sweeps until all of it is, at most */
#define TAUT 1.001
enum { MOST_HAULS = 100 };
/* cloth that is nearer than this to a collider, over the contact distance, lies against it */
#define AGAINST 2.0

/* Who is led; those whom nobody can lead, but whose tether would be torn, are dragged. Who is
 * hauled comes after somebody who is led. */
enum { LED = 1, TETHERED = 2, HAULED = 4 };

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
    double dt = in->step->dt_s, sign = dt < 0.0 ? -1.0 : 1.0;
    return sign * tl_dot3(way, apart) > PULLS_PER_S * fabs(dt) * tl_dot3(apart, apart);
}

/* Whether the pin of v goes away from it, seen from a collider that v is in. */
static bool is_pulled(const Drag *in, int32_t v) {
    int32_t pin = in->world->anchor[v];
    TlVec3 x = tl_load3(in->step->x + 3 * (int64_t)v),
           at = tl_load3(in->step->x + 3 * (int64_t)pin), unused;
    TlVec3 to = tl_load3(in->step->pin_target + 3 * (int64_t)pin), apart = tl_sub3(at, x);
    for (int32_t i = 0; in->world->def.fixed[pin] && i < in->contacts->collider_count; i++) {
        const TlPlaced *now = &in->contacts->now[i], *before = &in->contacts->before[i];
        if (tl_collider_distance(before, x, &unused) < 0.0) {
            TlVec3 away = tl_sub3(to, tl_collider_carry_back(now, before, at));
            if (goes_away(in, away, apart)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether v is to stay inside: its pin pulls, or is inside itself. */
static bool is_kept(const Drag *in, int32_t v) {
    int32_t pin = in->world->anchor[v];
    return in->passing || (in->world->def.fixed[pin] && in->pinched[pin] != 0) || is_pulled(in, v);
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

/* Whether two neighbours that are inside would be torn from each other by being put out. */
static bool tears(const Drag *in, int32_t edge) {
    const int32_t *v = in->world->def.surface->edge + 2 * (int64_t)edge;
    const uint8_t *pinched = in->pinched;
    if (pinched[v[0]] != TL_LEAVING || pinched[v[1]] != TL_LEAVING) {
        return false;
    }
    TlVec3 a = tl_load3(in->step->x + 3 * (int64_t)v[0]);
    TlVec3 b = tl_load3(in->step->x + 3 * (int64_t)v[1]);
    double length = tl_max(in->world->length[edge], tl_length3(tl_sub3(a, b)));
    return is_torn(in, v[0], tl_load3(in->out + 3 * (int64_t)v[1]), length);
}

/* Whether v is inside, and would be torn by being put out from its neighbour w, which is outside
 * and nearer to their pin, while no pin pulls. */
static bool is_left_behind(const Drag *in, int32_t v, int32_t w, double length) {
    const TlWorld *world = in->world;
    if (in->pinched[v] != TL_LEAVING || in->pinched[w] != 0 || world->def.fixed[v] ||
        !(world->tether[w] < world->tether[v])) {
        return false;
    }
    TlVec3 a = tl_load3(in->step->x + 3 * (int64_t)v), b = tl_load3(in->step->x + 3 * (int64_t)w);
    return is_torn(in, v, b, tl_max(length, tl_length3(tl_sub3(a, b)))) && !is_kept(in, v);
}

/* Whether the middle of an edge, or of a half of it, is in a collider. */
static bool is_through(const Drag *in, TlVec3 a, TlVec3 b) {
    TlVec3 unused;
    for (int32_t i = 0; i < in->contacts->collider_count; i++) {
        const TlPlaced *at = &in->contacts->before[i];
        for (int k = 1; k < 4; k++) {
            if (tl_collider_distance(at, tl_madd3(a, 0.25 * k, tl_sub3(b, a)), &unused) < 0.0) {
                return true;
            }
        }
    }
    return false;
}

/* Whether v, outside, is torn from its neighbour w, nearer to their pin, by a collider between them
 * or around w. */
static bool is_drawn(const Drag *in, int32_t v, int32_t w, double length) {
    const TlWorld *world = in->world;
    TlVec3 a = tl_load3(in->step->x + 3 * (int64_t)v), b = tl_load3(in->step->x + 3 * (int64_t)w);
    return !world->def.fixed[v] && in->pinched[v] != TL_LEAVING &&
           world->tether[w] < world->tether[v] && tl_length3(tl_sub3(a, b)) > TORN * length &&
           is_through(in, a, b);
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

/* Whether the pin of v, seen from a body that goes `way`, draws it through that body. */
static bool is_passing(const Drag *in, int32_t v, TlVec3 way) {
    int32_t pin = in->world->anchor[v];
    TlVec3 x = tl_load3(in->step->x + 3 * (int64_t)v),
           at = tl_load3(in->step->x + 3 * (int64_t)pin);
    TlVec3 to = tl_load3(in->step->pin_target + 3 * (int64_t)pin), apart = tl_sub3(at, x);
    TlVec3 away = tl_sub3(tl_sub3(to, at), way);
    return in->world->def.fixed[pin] && goes_away(in, away, apart);
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

/* Those whom nobody drags or leads but a pin. */
static void mark_first(Drag *in) {
    TlWorld *world = in->world;
    int32_t leaving = 0, pulled = 0;
    memset(world->dragged, 0, (size_t)world->cloth);
    memset(world->led, 0, (size_t)world->cloth);
    if (world->crossings.count > 0) {
        measure_tethers(world);
        mark_cut_off(in);
    }
    for (int32_t v = 0; v < world->cloth; v++) {
        world->dragged[v] |= world->def.fixed[v] && in->pinched[v] == TL_PINCHED;
        leaving += in->pinched[v] == TL_LEAVING;
    }
    if (leaving == 0 && world->crossings.count == 0) {
        return;
    }
    measure_tethers(world);
    for (int32_t v = 0; v < world->cloth; v++) {
        pulled += in->pinched[v] == TL_LEAVING && is_pulled(in, v);
    }
    in->passing = 2 * pulled > leaving;
    for (int32_t v = 0; v < world->cloth; v++) {
        if (is_tethered(in, v)) {
            bool kept = is_kept(in, v);
            world->dragged[v] |= kept;
            world->led[v] = kept ? world->led[v] : TETHERED;
        }
    }
    for (int32_t e = 0; e < world->def.surface->edges.cloth; e++) {
        const int32_t *v = world->def.surface->edge + 2 * (int64_t)e;
        if (tears(in, e)) {
            uint8_t *mark = is_kept(in, v[0]) || is_kept(in, v[1]) ? world->dragged : world->led;
            mark[v[0]] |= LED;
            mark[v[1]] |= LED;
        }
        for (int k = 0; k < 2; k++) {
            world->dragged[v[k]] |= is_drawn(in, v[k], v[1 - k], world->length[e]);
            world->led[v[k]] |= is_left_behind(in, v[k], v[1 - k], world->length[e]);
        }
    }
}

/* ---- who is led ---- */

/* The collider that v is deepest in when the step begins; -1: none. */
static int32_t collider_around(const Drag *in, int32_t v) {
    TlVec3 x = tl_load3(in->step->x + 3 * (int64_t)v), unused;
    double deepest = 0.0;
    int32_t found = -1;
    for (int32_t i = 0; i < in->contacts->collider_count; i++) {
        double d = tl_collider_distance(&in->contacts->before[i], x, &unused);
        if (d < deepest) {
            deepest = d;
            found = i;
        }
    }
    return found;
}

/* Once to and fro over all edges: who is in the same collider as one who is led, and joined to it,
 * is led too, and of the same group; whether anything changed. */
static bool sweep_led(const Drag *in) {
    TlWorld *world = in->world;
    int32_t count = world->def.surface->edges.cloth;
    bool changed = false;
    for (int32_t i = 0; i < 2 * count; i++) {
        int32_t e = i < count ? i : 2 * count - 1 - i;
        const int32_t *v = world->def.surface->edge + 2 * (int64_t)e;
        for (int k = 0; k < 2; k++) {
            int32_t a = v[k], b = v[1 - k];
            bool joins = world->led[b] && in->pinched[a] == TL_LEAVING && !world->dragged[a] &&
                         !world->def.fixed[a];
            if (joins && (!world->led[a] || world->group[b] < world->group[a]) &&
                collider_around(in, a) == collider_around(in, b)) {
                world->group[a] = world->led[a] || world->group[b] < a ? world->group[b] : a;
                world->led[a] |= LED;
                changed = true;
            }
        }
    }
    return changed;
}

/* From the collider around v to the pin of v; 0 where that is none, or in the collider too. */
static TlVec3 pin_side(const Drag *in, int32_t v) {
    int32_t pin = in->world->anchor[v], around = collider_around(in, v);
    TlVec3 n = {0, 0, 0}, at = tl_load3(in->step->x + 3 * (int64_t)pin);
    bool outside = around >= 0 && in->world->def.fixed[pin] &&
                   tl_collider_distance(&in->contacts->before[around], at, &n) > 0.0;
    return outside ? n : tl_vec3(0, 0, 0);
}

/* Where v comes out of the collider around it on a straight way; false where that leads nowhere.
 * All of these colliders are convex, so that a way leaves once. */
static bool find_exit(const Drag *in, int32_t v, TlVec3 way, TlVec3 *exit) {
    int32_t around = collider_around(in, v);
    if (around < 0) {
        return false;
    }
    const TlPlaced *at = &in->contacts->before[around];
    TlVec3 x = tl_load3(in->step->x + 3 * (int64_t)v), unused;
    double low = 0.0, high = -2.0 * tl_collider_distance(at, x, &unused);
    /* a solid is left within its size, a plane within some times the depth */
    double most = at->bound < HUGE_VAL ? 2.0 * at->bound : MOST_DEPTHS * high;
    while (tl_collider_distance(at, tl_madd3(x, high, way), &unused) < 0.0) {
        low = high;
        high *= 2.0;
        if (low > most) {
            return false;
        }
    }
    for (int32_t i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        bool inside = tl_collider_distance(at, tl_madd3(x, middle, way), &unused) < 0.0;
        low = inside ? middle : low;
        high = inside ? high : middle;
    }
    *exit = tl_madd3(x, high, way);
    /* not farther from its pin than it reaches */
    TlVec3 pin = tl_load3(in->step->x + 3 * (int64_t)in->world->anchor[v]);
    return tl_length3(tl_sub3(*exit, pin)) <= TORN * in->world->tether[v];
}

/* Finds for every group, at its lowest vertex, the unit vector to the side of its pins, or 0 where
 * they are on no one side. */
static void find_ways(const Drag *in, double *way, double *count) {
    TlWorld *world = in->world;
    memset(way, 0, 3 * sizeof *way * (size_t)world->cloth);
    memset(count, 0, sizeof *count * (size_t)world->cloth);
    for (int32_t v = 0; v < world->cloth; v++) {
        int32_t group = world->group[v];
        TlVec3 n = world->led[v] ? pin_side(in, v) : tl_vec3(0, 0, 0);
        double *sum = way + 3 * (int64_t)group;
        tl_store3(sum, tl_add3(tl_load3(sum), n));
        count[group] += tl_dot3(n, n) > 0.0;
    }
    for (int32_t v = 0; v < world->cloth; v++) {
        TlVec3 sum = tl_load3(way + 3 * (int64_t)v);
        double size = tl_length3(sum);
        bool one = size > 0.0 && size >= ONE_SIDE * count[v];
        tl_store3(way + 3 * (int64_t)v, tl_scale3(one ? 1.0 / size : 0.0, sum));
    }
}

/* Finds who is led, and where to: all of a group go the same way, to the side of their pins. */
static void lead_out(const Drag *in) {
    TlWorld *world = in->world;
    world->leading = false;
    for (int32_t v = 0; v < world->cloth; v++) {
        world->led[v] = world->dragged[v] ? 0 : world->led[v];
        world->group[v] = v;
    }
    while (sweep_led(in)) {
    }
    find_ways(in, world->trial, world->exit);
    for (int32_t v = 0; v < world->cloth; v++) {
        TlVec3 way = tl_load3(world->trial + 3 * (int64_t)world->group[v]), out;
        if (world->led[v] && tl_dot3(way, way) > 0.0 && find_exit(in, v, way, &out)) {
            tl_store3(world->exit + 3 * (int64_t)v, out);
            tl_store3(in->out + 3 * (int64_t)v, out);
            world->leading = true;
        } else {
            world->dragged[v] |= (world->led[v] & TETHERED) != 0;
            world->led[v] = 0;
        }
    }
}

/* Puts v, farther from their pin than w, no farther from where w comes to than it is, or than torn
 * edges are; whether it was. */
static bool haul_after(const Drag *in, int32_t v, int32_t w, double length) {
    TlWorld *world = in->world;
    if (!world->led[w] || (world->led[v] & ~HAULED) != 0 || world->def.fixed[v] ||
        !(world->tether[w] < world->tether[v])) {
        return false;
    }
    TlVec3 x = tl_load3(in->step->x + 3 * (int64_t)v),
           from = tl_load3(in->step->x + 3 * (int64_t)w);
    TlVec3 at = world->led[v] ? tl_load3(world->exit + 3 * (int64_t)v) : x;
    TlVec3 to = tl_load3(world->exit + 3 * (int64_t)w), apart = tl_sub3(at, to);
    double most = tl_max(TORN * length, tl_length3(tl_sub3(x, from))), d = tl_length3(apart);
    if (d <= TAUT * most) {
        return false;
    }
    TlVec3 place = tl_madd3(to, most / d, apart);
    tl_store3(world->exit + 3 * (int64_t)v, place);
    tl_store3(in->out + 3 * (int64_t)v, place);
    world->led[v] = HAULED;
    return true;
}

/* Once to and fro over all edges; whether anybody was hauled. */
static bool sweep_hauled(const Drag *in) {
    TlWorld *world = in->world;
    int32_t count = world->def.surface->edges.cloth;
    bool more = false;
    for (int32_t i = 0; i < 2 * count; i++) {
        int32_t e = i < count ? i : 2 * count - 1 - i;
        const int32_t *v = world->def.surface->edge + 2 * (int64_t)e;
        more = haul_after(in, v[0], v[1], world->length[e]) || more;
        more = haul_after(in, v[1], v[0], world->length[e]) || more;
    }
    return more;
}

/* Hauls cloth after those who are led, instead of tearing it from them, which would throw it. */
static void haul(const Drag *in) {
    TlWorld *world = in->world;
    for (int32_t i = 0; i < MOST_HAULS && sweep_hauled(in); i++) {
    }
    for (int32_t v = 0; v < world->cloth; v++) {
        TlVec3 unused, place = tl_load3(world->exit + 3 * (int64_t)v);
        for (int32_t i = 0; world->led[v] == HAULED && i < in->contacts->collider_count; i++) {
            double d = tl_collider_distance(&in->contacts->before[i], place, &unused);
            world->dragged[v] |= d < 0.0;
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
    if (!(world->dragged[w] || world->led[w]) || world->dragged[v] || world->led[v] ||
        world->def.fixed[v]) {
        return false;
    }
    TlVec3 held =
        tl_load3((world->def.fixed[w] ? in->step->pin_target : in->step->x) + 3 * (int64_t)w);
    TlVec3 to = world->led[w] ? tl_load3(world->exit + 3 * (int64_t)w) : held;
    return is_torn(in, v, to, world->length[edge]) &&
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
    lead_out(&in);
    if (world->leading) {
        haul(&in);
    }
    while (sweep_dragged(&in)) {
    }
    bool any = false;
    for (int32_t v = 0; v < world->cloth; v++) {
        pinched[v] = world->dragged[v] ? TL_PINCHED : pinched[v];
        any = any || world->dragged[v];
    }
    return any;
}
