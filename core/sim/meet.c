/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Contact of a simulation's surfaces: what is built for it, what a sub-step gets of it, and what is
 * told about it. */
#include "sim/sim_internal.h"

#include "base/platform.h"
#include "contact/tangle.h"
#include "solve/potential.h"

#include <inttypes.h>
#include <string.h>

/* a collider's vertex may go this many contact distances in a sub-step */
#define MOST_TRAVEL 5.0
/* what is tangled has more freedom in one frame of so many: where crossings do not come undone with
 * little they often do with more, which else makes new ones */
enum { WIDE_FRAMES = 3 };

static bool is_needed(const ToileSim *sim) {
    const TlSurface *surface = &sim->surface;
    return surface->vertices.cloth > 0 &&
           (sim->def.contact_self || surface->vertices.count > surface->vertices.cloth);
}

bool tl_sim_build_world(ToileSim *sim) {
    TlArena *arena = &sim->system_arena;
    const TlSurface *surface = &sim->surface;
    sim->world = NULL;
    if (!is_needed(sim)) {
        return true;
    }
    uint8_t *analytic = TL_NEW(arena, uint8_t, surface->vertices.count);
    double *stretch = TL_NEW(arena, double, surface->vertices.cloth);
    int64_t others = (int64_t)surface->vertices.count - surface->vertices.cloth;
    sim->points_before = TL_NEW(arena, double, 3 * others);
    sim->points_now = TL_NEW(arena, double, 3 * others);
    sim->inside = TL_NEW(arena, TlInside, surface->triangles.cloth);
    sim->inside_count = 0;
    if (arena->failed) {
        return false;
    }
    for (int32_t b = sim->cloth_count; b < sim->body_count; b++) {
        const TlBody *body = &sim->bodies[b];
        bool mesh = sim->colliders[body->slot].collider.shape == TOILE_COLLIDER_MESH;
        memset(analytic + body->first_vertex, !mesh, (size_t)body->vertex_count);
    }
    for (int32_t v = 0; v < surface->vertices.cloth; v++) {
        const TlMaterial *material = &sim->model.materials[sim->model.vertex_material[v]];
        stretch[v] = 0.5 * (material->E1 + material->E2);
    }
    TlWorldDef def = {surface,
                      sim->model.area,
                      sim->model.mass,
                      stretch,
                      analytic,
                      sim->system.fixed,
                      sim->def.contact_self != 0,
                      0.0};
    for (int32_t b = 0; b < sim->cloth_count; b++) {
        const TlCloth *cloth = sim->cloths[sim->bodies[b].slot].cloth;
        def.stored_far_m = tl_max(def.stored_far_m, cloth->stored_far_m);
    }
    sim->world = tl_world_build(arena, sim->pool, &def);
    return sim->world != NULL;
}

void tl_begin_contact(ToileSim *sim, bool again) {
    if (sim->world != NULL) {
        tl_world_begin_frame(sim->world, again);
        sim->world->wide = sim->frame % WIDE_FRAMES == WIDE_FRAMES - 1;
    }
}

int32_t tl_sim_crossings(ToileSim *sim, double at) {
    TlWorld *world = sim->world;
    if (world == NULL) {
        return 0;
    }
    TlContacts contacts = tl_sim_contacts(sim, at, at, 0.0);
    contacts.world = world;
    tl_potential_pinch(&sim->system, &contacts, sim->state.x, sim->state.x);
    if (world->tangled || world->suspect) {
        /* what moves with what is seen by the whole frame, from its end backwards */
        double to = at > 0.0 ? 0.0 : 1.0, dt_s = (to - at) / sim->def.fps;
        tl_sim_collider_points(sim, at, sim->points_before);
        tl_sim_collider_points(sim, to, sim->points_now);
        tl_world_begin(world, sim->state.x, sim->points_before, sim->points_now, 0.0);
        contacts = tl_sim_contacts(sim, at, to, dt_s);
        contacts.world = world;
        tl_place_pins(sim, to);
        const TlCarried carried = {sim->state.x, sim->state.pin_now, dt_s};
        tl_potential_drag(&sim->system, &contacts, &carried);
    } else {
        world->crossings.count = world->pulling = 0;
    }
    return world->pulling;
}

void tl_suspect_crossings(ToileSim *sim) {
    if (!sim->dirty && sim->world != NULL) {
        sim->world->suspect = true;
    }
}

TlContacts tl_sim_meet(ToileSim *sim, double from, double to, double dt_s) {
    TlContacts contacts = tl_sim_contacts(sim, from, to, dt_s);
    contacts.world = sim->world;
    contacts.left = to > from ? (1.0 - from) / (to - from) : 1.0;
    if (sim->world != NULL) {
        tl_sim_collider_points(sim, from, sim->points_before);
        tl_sim_collider_points(sim, to, sim->points_now);
        contacts.points_before = sim->points_before;
        contacts.points_now = sim->points_now;
    }
    return contacts;
}

ToileStatus tl_lacks_memory(ToileSim *sim, ToileError *error) {
    sim->dirty = true;
    return tl_fail_memory(error);
}

/* A box. */
typedef struct Bounds {
    double low[3], high[3];
} Bounds;

static void bound(Bounds *box, const double *x, int32_t n) {
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) {
        box->low[i % 3] = tl_min(box->low[i % 3], x[i]);
        box->high[i % 3] = tl_max(box->high[i % 3], x[i]);
    }
}

static Bounds no_bounds(void) {
    double most = (double)INFINITY;
    return (Bounds){{most, most, most}, {-most, -most, -most}};
}

/* Speed of the fastest vertex, or somewhat more. */
static double fastest(const ToileSim *sim) {
    double most = 0.0;
    for (int64_t i = 0; i < 3 * (int64_t)sim->state.vertex_count; i++) {
        most = tl_max(most, fabs(sim->state.v[i]));
    }
    return 2.0 * most;
}

/* The same of a plane, wherever it is. */
static bool plane_travels_far(ToileSim *sim, double from, double to) {
    TlContacts contacts = tl_sim_contacts(sim, from, to, 0.0);
    for (int32_t i = 0; i < contacts.collider_count; i++) {
        const TlPlaced *now = &contacts.now[i];
        if (now->collider->shape == TOILE_COLLIDER_PLANE) {
            TlVec3 at = tl_placed_point(now, now->collider->center), n;
            double way = fabs(tl_collider_distance(&contacts.before[i], at, &n));
            if (way > MOST_TRAVEL * contacts.radius[i]) {
                return true;
            }
        }
    }
    return false;
}

bool tl_sim_travels_far(ToileSim *sim, double from, double to) {
    if (sim->world == NULL) {
        return false;
    }
    if (plane_travels_far(sim, from, to)) {
        return true;
    }
    tl_sim_collider_points(sim, from, sim->points_before);
    tl_sim_collider_points(sim, to, sim->points_now);
    double reach = fastest(sim) * (to - from) / sim->def.fps;
    Bounds cloth = no_bounds();
    bound(&cloth, sim->state.x, sim->state.vertex_count);
    for (int32_t b = sim->cloth_count; b < sim->body_count; b++) {
        const TlBody *body = &sim->bodies[b];
        int64_t at = 3 * (int64_t)(body->first_vertex - sim->surface.vertices.cloth);
        double most = 0.0, r = sim->surface.half[body->first_vertex] + sim->surface.half[0];
        for (int64_t i = at; i < at + 3 * (int64_t)body->vertex_count; i++) {
            most = tl_max(most, fabs(sim->points_now[i] - sim->points_before[i]));
        }
        if (most <= MOST_TRAVEL * r) {
            continue;
        }
        Bounds box = no_bounds();
        bound(&box, sim->points_before + at, body->vertex_count);
        bound(&box, sim->points_now + at, body->vertex_count);
        bool apart = false;
        r += sim->surface.solid[body->first_vertex];
        for (int i = 0; i < 3; i++) {
            apart = apart || box.low[i] > cloth.high[i] + r + reach ||
                    box.high[i] < cloth.low[i] - r - reach;
        }
        if (!apart) {
            return true;
        }
    }
    return false;
}

void tl_sim_measure_world(ToileSim *sim) {
    TlWorld *world = sim->world;
    ToileStats *stats = &sim->stats;
    if (world == NULL) {
        return;
    }
    double clock_s = tl_clock_s();
    tl_sim_find_inside(sim);
    tl_sim_crossings(sim, 1.0);
    stats->intersections = world->crossings.count + sim->inside_count;
    stats->contact_pinched = sim->system.pinched_count;
    stats->contact_candidates = world->counts.candidates;
    stats->contact_touches = world->counts.touches;
    stats->contact_refreshes = world->counts.refreshes;
    stats->contact_cuts = world->counts.cuts;
    stats->contact_blocked = world->counts.blocked;
    stats->contact_growths = sim->system_arena.requests - sim->built_requests;
    stats->contacts += world->counts.pressed;
    stats->broad_s = world->counts.broad_s;
    stats->narrow_s = world->counts.narrow_s;
    stats->truncate_s = world->counts.truncate_s;
    stats->contact_s += tl_lap(&clock_s);
}

int32_t toile_sim_intersection_count(const ToileSim *sim) {
    return sim != NULL && !sim->dirty && sim->world != NULL ? sim->stats.intersections : 0;
}

static void tell_crossing(const ToileSim *sim, const TlCrossing *at, ToileIntersection *out) {
    TlPlaceOnBody own = tl_sim_triangle(sim, sim->surface.edge_owner[at->edge]);
    TlPlaceOnBody other = tl_sim_triangle(sim, at->triangle);
    out->face = own.face;
    out->cloth = own.cloth;
    out->collider = own.collider;
    out->other_face = other.face;
    out->other_cloth = other.cloth;
    out->other_collider = other.collider;
}

static void tell_inside(const ToileSim *sim, const TlInside *at, ToileIntersection *out) {
    TlPlaceOnBody own = tl_sim_triangle(sim, at->triangle);
    int32_t slot = tl_sim_analytic_slot(sim, at->column);
    out->face = own.face;
    out->cloth = own.cloth;
    out->other_face = -1;
    out->other_collider = (ToileColliderId){(uint32_t)slot + 1, sim->colliders[slot].generation};
}

ToileStatus toile_sim_get_intersection(const ToileSim *sim, int32_t index,
                                       ToileIntersection *intersection, ToileError *error) {
    ToileIntersection local = toile_intersection_default(), unused;
    if (sim == NULL || intersection == NULL || !tl_read_def(&unused, sizeof unused, intersection)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "sim or intersection is NULL, or intersection not initialised");
    }
    int32_t count = toile_sim_intersection_count(sim);
    if (index < 0 || index >= count) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "there is no intersection %" PRId32 "; there are %" PRId32, index, count);
    }
    int32_t crossings = count - sim->inside_count;
    if (index < crossings) {
        tell_crossing(sim, &sim->world->crossings.at[index], &local);
    } else {
        tell_inside(sim, &sim->inside[index - crossings], &local);
    }
    tl_write_result(intersection, &local, sizeof local);
    return TOILE_STATUS_OK;
}
