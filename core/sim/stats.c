/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of the state at the end of a frame. */
#include "sim/sim_internal.h"

#include "base/vec.h"
#include "force/stretch_quad.h"
#include "force/stretch_springs.h"
#include "force/stretch_stvk.h"

#include <string.h>

/* The k-th smallest of `values`, which are reordered (quickselect with a fixed pivot rule). */
static double select_kth(double *values, int32_t count, int32_t k) {
    int32_t low = 0, high = count - 1;
    while (low < high) {
        double pivot = values[low + (high - low) / 2];
        int32_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot) {
                i++;
            }
            while (values[j] > pivot) {
                j--;
            }
            if (i <= j) {
                double swap = values[i];
                values[i++] = values[j];
                values[j--] = swap;
            }
        }
        if (k <= j) {
            high = j;
        } else if (k >= i) {
            low = i;
        } else {
            break;
        }
    }
    return values[k];
}

int32_t tl_stretch_count(const TlModel *model) {
    return model->sets.triangles.count + model->sets.quads.count + model->sets.springs.count;
}

/* Larger principal stretch of every triangle and quad, ratio of lengths of every spring. */
static void list_stretches(const TlModel *model, const double *x, double *out) {
    const TlSets *sets = &model->sets;
    for (int32_t t = 0; t < sets->triangles.count; t++) {
        *out++ = tl_stretch_stvk_stretch(model, x, t);
    }
    for (int32_t q = 0; q < sets->quads.count; q++) {
        *out++ = tl_stretch_quad_stretch(model, x, q);
    }
    for (int32_t s = 0; s < sets->springs.count; s++) {
        *out++ = tl_stretch_springs_detail(model, x, s).length / sets->springs.length[s];
    }
}

static void measure_stretch(ToileSim *sim) {
    int32_t count = tl_stretch_count(&sim->model);
    list_stretches(&sim->model, sim->state.x, sim->stretches);
    for (int32_t i = 0; i < count; i++) {
        sim->stats.stretch_max = tl_max(sim->stats.stretch_max, sim->stretches[i]);
    }
    if (count > 0) {
        sim->stats.stretch_p99 = select_kth(sim->stretches, count, (int32_t)(0.99 * (count - 1)));
    }
}

static void measure_contact(ToileSim *sim, const TlContacts *contacts, int32_t v) {
    TlVec3 x = tl_load3(sim->state.x + 3 * (int64_t)v), n;
    int32_t cloth = sim->model.vertex_material[v];
    for (int32_t i = 0; i < contacts->collider_count; i++) {
        double r = contacts->radius[cloth * contacts->collider_count + i];
        if (tl_collider_distance(&contacts->now[i], x, &n) < r) {
            sim->stats.contacts++;
            break;
        }
    }
    sim->stats.penetration_max_m =
        tl_max(sim->stats.penetration_max_m, tl_contact_depth(contacts, x));
}

void tl_sim_measure(ToileSim *sim) {
    ToileStats *stats = &sim->stats;
    TlContacts contacts = tl_sim_contacts(sim, 1.0, 1.0, 0.0);
    double fastest = 0.0, left = 0.0;
    for (int32_t v = 0; v < sim->state.vertex_count; v++) {
        TlVec3 velocity = tl_load3(sim->state.v + 3 * (int64_t)v);
        double speed2 = tl_dot3(velocity, velocity);
        stats->kinetic_J += 0.5 * sim->model.mass[v] * speed2;
        fastest = tl_max(fastest, speed2);
        if (!sim->system.fixed[v]) {
            TlVec3 g = tl_load3(sim->system.grad + 3 * (int64_t)v);
            left = tl_max(left, tl_dot3(g, g));
            measure_contact(sim, &contacts, v);
        }
    }
    stats->speed_max_m_per_s = sqrt(fastest);
    stats->residual_N = sqrt(left);
    measure_stretch(sim);
}

ToileStatus toile_sim_get_stats(const ToileSim *sim, ToileStats *stats, ToileError *error) {
    ToileStats unused;
    if (sim == NULL || stats == NULL || !tl_read_def(&unused, sizeof unused, stats)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "sim or stats is NULL, or stats not initialised");
    }
    tl_write_result(stats, &sim->stats, sizeof sim->stats);
    return TOILE_STATUS_OK;
}
