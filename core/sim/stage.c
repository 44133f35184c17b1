/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of a frame that step.c puts in order: options, pins, backup, arrival. */
#include "sim/sim_internal.h"

#include "base/vec.h"

#include <string.h>

enum {
    SUBSTEPS_PER_SECOND = 96, /* of the automatic choice */
    MOST_CG = 400,
    MOST_RESCUES = 6,
};

/* an impact whose last correction is larger than this is not yet solved, whatever the quality */
#define RESCUE_M 0.005

TlNewton tl_newton_options(const ToileSimDef *def, double dt_s, double most_move_m) {
    static const struct {
        int32_t iterations;
        double tolerance_m, linear;
    } levels[] = {{1, 0.0, 0.03}, {2, 0.0, 0.1}, {20, 2e-4, 0.03}};
    TlNewton options;
    options.dt_s = dt_s;
    options.most_iterations = levels[def->quality].iterations;
    options.tolerance_m = levels[def->quality].tolerance_m;
    options.linear_tolerance = levels[def->quality].linear;
    options.most_rescues = def->newton_iterations > 0 ? 0 : MOST_RESCUES;
    options.rescue_m = RESCUE_M;
    options.most_cg = MOST_CG;
    options.most_move_m = most_move_m;
    if (def->newton_iterations > 0) {
        options.most_iterations = def->newton_iterations;
    }
    if (def->tolerance_m > 0.0) {
        options.tolerance_m = def->tolerance_m;
        options.most_iterations = def->newton_iterations > 0 ? def->newton_iterations : 100;
    }
    if (def->linear_tolerance > 0.0) {
        options.linear_tolerance = def->linear_tolerance;
        options.most_cg = 10 * MOST_CG;
    }
    return options;
}

int32_t tl_substep_count(const ToileSimDef *def) {
    if (def->substeps > 0) {
        return def->substeps;
    }
    double wanted = SUBSTEPS_PER_SECOND / def->fps;
    int32_t count = (int32_t)wanted;
    return (double)count < wanted - 1e-9 || count < 1 ? count + 1 : count;
}

void tl_fix_vertices(ToileSim *sim) {
    for (int32_t v = 0; v < sim->state.vertex_count; v++) {
        sim->system.fixed[v] = sim->state.pinned[v] || !(sim->model.mass[v] > 0.0);
    }
}

void tl_place_pins(ToileSim *sim, double part) {
    TlState *state = &sim->state;
    for (int32_t v = 0; v < state->vertex_count; v++) {
        for (int i = 0; i < 3; i++) {
            int64_t at = 3 * (int64_t)v + i;
            double start = state->x_backup[at],
                   end = state->pinned[v] ? state->pin_target[at] : start;
            state->pin_now[at] = part >= 1.0 ? end : start + part * (end - start);
        }
    }
}

static void copy3(double *to, const double *from, int32_t n) {
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) {
        to[i] = from[i];
    }
}

void tl_back_up(ToileSim *sim) {
    copy3(sim->state.x_backup, sim->state.x, sim->state.vertex_count);
    copy3(sim->state.v_backup, sim->state.v, sim->state.vertex_count);
}

void tl_roll_back(ToileSim *sim) {
    copy3(sim->state.x, sim->state.x_backup, sim->state.vertex_count);
    copy3(sim->state.v, sim->state.v_backup, sim->state.vertex_count);
}

void tl_arrive(ToileSim *sim) {
    for (int32_t i = 0; i < sim->collider_capacity; i++) {
        sim->colliders[i].now = sim->colliders[i].target;
    }
}

bool tl_too_far(ToileSim *sim, double from, double to) {
    double dt_s = (to - from) / sim->def.fps;
    TlContacts contacts = tl_sim_contacts(sim, from, to, dt_s);
    const double *g = sim->def.gravity_m_per_s2;
    TlVec3 fall = tl_vec3(dt_s * g[0], dt_s * g[1], dt_s * g[2]);
    for (int32_t i = 0; i < contacts.collider_count; i++) {
        double safe = tl_collider_safe_move(contacts.now[i].collider);
        for (int32_t v = 0; safe < (double)INFINITY && v < sim->state.vertex_count; v++) {
            if (sim->system.fixed[v]) {
                continue;
            }
            TlVec3 x = tl_load3(sim->state.x + 3 * (int64_t)v), n;
            TlVec3 velocity = tl_add3(tl_load3(sim->state.v + 3 * (int64_t)v), fall);
            TlVec3 carried = tl_collider_carry_back(&contacts.before[i], &contacts.now[i], x);
            TlVec3 move = tl_add3(tl_scale3(dt_s, velocity), tl_sub3(carried, x));
            double travel = tl_length3(move);
            if (travel > safe && tl_collider_distance(&contacts.before[i], x, &n) < travel) {
                return true;
            }
        }
    }
    return false;
}
