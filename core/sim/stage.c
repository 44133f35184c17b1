/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of a frame that step.c puts in order: options, pins, backup, arrival. */
#include "sim/sim_internal.h"

#include <string.h>

enum {
    SUBSTEPS_PER_SECOND = 96, /* of the automatic choice */
    MOST_CG = 400,
};

TlNewton tl_newton_options(const ToileSimDef *def, double dt_s) {
    static const struct {
        int32_t iterations;
        double tolerance_m, linear;
    } levels[] = {{1, 0.0, 0.03}, {2, 0.0, 0.1}, {20, 2e-4, 0.03}};
    TlNewton options;
    options.dt_s = dt_s;
    options.most_iterations = levels[def->quality].iterations;
    options.tolerance_m = levels[def->quality].tolerance_m;
    options.linear_tolerance = levels[def->quality].linear;
    options.most_cg = MOST_CG;
    options.most_move_m = INFINITY;
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

void tl_back_up(ToileSim *sim) {
    size_t size = 3 * sizeof(double) * (size_t)sim->state.vertex_count;
    memcpy(sim->state.x_backup, sim->state.x, size);
    memcpy(sim->state.v_backup, sim->state.v, size);
}

void tl_roll_back(ToileSim *sim) {
    size_t size = 3 * sizeof(double) * (size_t)sim->state.vertex_count;
    memcpy(sim->state.x, sim->state.x_backup, size);
    memcpy(sim->state.v, sim->state.v_backup, size);
}

void tl_arrive(ToileSim *sim) {
    for (int32_t i = 0; i < sim->collider_capacity; i++) {
        sim->colliders[i].now = sim->colliders[i].target;
    }
}
