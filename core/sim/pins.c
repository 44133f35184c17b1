/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Pins within a frame. Hosts tell where they are at its end, and they go there straight; but the
 * pins of a waist on hips that turn would cut the corner, through the body by tens of degrees. So a
 * pin that ends where a collider that turns would have taken it goes with that collider, in whose
 * frame it is what moves straight. */
#include "sim/sim_internal.h"

#include <string.h>

/* a pin goes with a collider that takes it to its target but for this part of its way */
#define ALIKE 1e-3

void tl_fix_vertices(ToileSim *sim) {
    for (int32_t v = 0; v < sim->state.vertex_count; v++) {
        sim->system.fixed[v] = sim->state.pinned[v] || !(sim->model.mass[v] > 0.0);
    }
}

static bool turns(const TlColliderSlot *slot) {
    return slot->used && memcmp(slot->now.q, slot->target.q, sizeof slot->now.q) != 0;
}

/* How far from its target a pin would be that went all the way from `start` with a collider, over
 * its way. */
static double unlike(const TlPlaced *before, const TlPlaced *now, const double *start,
                     const double *target) {
    TlVec3 from = tl_load3(start), to = tl_load3(target);
    double miss = tl_length3(tl_sub3(tl_collider_carry_back(now, before, from), to));
    return miss / tl_length3(tl_sub3(to, from));
}

void tl_find_carriers(ToileSim *sim) {
    TlState *state = &sim->state;
    memset(state->carrier, 0, sizeof *state->carrier * (size_t)state->vertex_count);
    for (int32_t i = 0; i < sim->collider_capacity; i++) {
        const TlColliderSlot *slot = &sim->colliders[i];
        if (!turns(slot)) {
            continue;
        }
        TlPlaced before = tl_collider_place(sim, slot, &slot->now);
        TlPlaced now = tl_collider_place(sim, slot, &slot->target);
        for (int32_t v = 0; v < state->vertex_count; v++) {
            int64_t at = 3 * (int64_t)v;
            if (state->pinned[v] && state->carrier[v] == 0 &&
                unlike(&before, &now, state->x + at, state->pin_target + at) < ALIKE) {
                state->carrier[v] = i + 1;
            }
        }
    }
}

/* Pins that go with a collider, `part` of their way from the start of the frame. */
static void carry_pins(ToileSim *sim, int32_t collider, double part) {
    TlState *state = &sim->state;
    const TlColliderSlot *slot = &sim->colliders[collider];
    TlMotion motion = tl_motion_between(&slot->now, &slot->target, part);
    TlPlaced before = tl_collider_place(sim, slot, &slot->now);
    TlPlaced now = tl_collider_place(sim, slot, &slot->target);
    TlPlaced here = tl_collider_place(sim, slot, &motion);
    for (int32_t v = 0; v < state->vertex_count; v++) {
        int64_t at = 3 * (int64_t)v;
        if (state->carrier[v] == collider + 1) {
            TlVec3 from = tl_collider_carry_back(&here, &before, tl_load3(state->x_backup + at));
            TlVec3 to = tl_collider_carry_back(&here, &now, tl_load3(state->pin_target + at));
            tl_store3(state->pin_now + at, tl_madd3(from, part, tl_sub3(to, from)));
        }
    }
}

void tl_place_pins(ToileSim *sim, double part) {
    TlState *state = &sim->state;
    int32_t last = 0;
    for (int32_t v = 0; v < state->vertex_count; v++) {
        for (int64_t at = 3 * (int64_t)v; sim->system.fixed[v] && at < 3 * (int64_t)v + 3; at++) {
            double start = state->x_backup[at],
                   end = state->pinned[v] ? state->pin_target[at] : start;
            state->pin_now[at] = part >= 1.0 ? end : start + part * (end - start);
        }
        last = state->carrier[v] > last ? state->carrier[v] : last;
    }
    for (int32_t i = 0; i < last && part > 0.0 && part < 1.0; i++) {
        if (turns(&sim->colliders[i])) {
            carry_pins(sim, i, part);
        }
    }
}

double tl_pin_travel(ToileSim *sim) {
    const TlState *state = &sim->state;
    const TlModel *model = &sim->model;
    double *drift = sim->system.drift, most = 0.0;
    if (sim->world == NULL) {
        return 0.0;
    }
    memset(drift, 0, 4 * sizeof *drift * (size_t)model->material_count);
    for (int32_t v = 0; v < state->vertex_count; v++) {
        double *of = drift + 4 * (int64_t)model->vertex_material[v];
        for (int i = 0; i < 3; i++) {
            of[i] += model->mass[v] * state->v[3 * (int64_t)v + i];
        }
        of[3] += model->mass[v];
    }
    for (int32_t v = 0; v < state->vertex_count; v++) {
        int64_t at = 3 * (int64_t)v;
        const double *of = drift + 4 * (int64_t)model->vertex_material[v];
        double scale = of[3] > 0.0 ? -1.0 / (of[3] * sim->def.fps) : 0.0;
        TlVec3 way = tl_sub3(tl_load3(state->pin_target + at), tl_load3(state->x + at));
        double far = tl_length3(tl_madd3(way, scale, tl_load3(of)));
        if (state->pinned[v]) {
            most = tl_max(most, far / (2.0 * sim->world->def.surface->half[v]));
        }
    }
    return most;
}
