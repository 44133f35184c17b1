/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics: what the sub-steps of a frame did, how stretched the elements are, and the state at
 * the end. */
#include "sim/sim_internal.h"

#include "base/lanes.h"
#include "base/platform.h"
#include "base/vec.h"

#include <string.h>

enum { GRAIN = 256 };

/* ---- what the sub-steps did ---- */

void tl_stats_begin(ToileSim *sim) {
    toile_stats_init(&sim->stats, sizeof sim->stats);
    sim->began_s = tl_clock_s();
}

double tl_lap(double *clock_s) {
    double before = *clock_s;
    *clock_s = tl_clock_s();
    return *clock_s - before;
}

void tl_count_substep(ToileSim *sim, const TlStepResult *result, bool kept, double seconds) {
    ToileStats *stats = &sim->stats;
    const TlNewtonResult *newton = &result->newton;
    stats->newton_iterations += newton->iterations;
    stats->newton_rescues += newton->rescues;
    stats->cg_iterations += newton->cg_iterations;
    stats->line_search_cuts += newton->cuts;
    bool judged = tl_is_judged(tl_integrator(sim->def.integrator));
    stats->assembly_s += judged ? newton->seconds.assembly_s : seconds;
    stats->linear_s += newton->seconds.linear_s;
    stats->search_s += newton->seconds.search_s;
    if (kept) {
        stats->substeps++;
        stats->projected += result->projected;
        stats->newton_step_m = tl_max(stats->newton_step_m, newton->last_step_m);
        stats->linear_residual = tl_max(stats->linear_residual, newton->residual_ratio);
    }
}

/* ---- stretch ---- */

/* The k-th smallest of `values` from `low` on, which are reordered so that none before it is larger
 * (quickselect with a fixed pivot rule). */
static double select_kth(double *values, int32_t low, int32_t count, int32_t k) {
    int32_t high = count - 1;
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

/* Inner products of U and V, what unit vectors along weft and warp became; in the middle of a quad.
 */
typedef struct Metric {
    double uu, vv, uv;
} Metric;

static inline Metric metric_of(TlVec3 s, TlVec3 t, const double g[4]) {
    TlVec3 U = tl_madd3(tl_scale3(g[0], s), g[2], t), V = tl_madd3(tl_scale3(g[1], s), g[3], t);
    return (Metric){tl_dot3(U, U), tl_dot3(V, V), tl_dot3(U, V)};
}

static inline Metric triangle_metric(const TlTriangleSet *set, const double *x, int32_t e) {
    const int32_t *vertex = set->vertex + 3 * (int64_t)e;
    TlVec3 x0 = tl_load3(x + 3 * (int64_t)vertex[0]);
    return metric_of(tl_sub3(tl_load3(x + 3 * (int64_t)vertex[1]), x0),
                     tl_sub3(tl_load3(x + 3 * (int64_t)vertex[2]), x0), set->g + 4 * (int64_t)e);
}

static inline Metric quad_metric(const TlQuadSet *set, const double *x, int32_t e) {
    const int32_t *vertex = set->vertex + 4 * (int64_t)e;
    TlVec3 d1 = tl_sub3(tl_load3(x + 3 * (int64_t)vertex[2]), tl_load3(x + 3 * (int64_t)vertex[0]));
    TlVec3 d2 = tl_sub3(tl_load3(x + 3 * (int64_t)vertex[1]), tl_load3(x + 3 * (int64_t)vertex[3]));
    return metric_of(tl_scale3(0.5, tl_add3(d1, d2)), tl_scale3(0.5, tl_sub3(d1, d2)),
                     set->h + 4 * (int64_t)e);
}

/* A spring has one direction. */
static inline Metric spring_metric(const TlSpringSet *set, const double *x, int32_t e) {
    const int32_t *vertex = set->vertex + 2 * (int64_t)e;
    TlVec3 d = tl_sub3(tl_load3(x + 3 * (int64_t)vertex[1]), tl_load3(x + 3 * (int64_t)vertex[0]));
    return (Metric){tl_dot3(d, d) / (set->length[e] * set->length[e]), 0.0, 0.0};
}

/* The larger principal stretch. */
static inline double stretch_of(Metric m) {
    double half = 0.5 * (m.uu - m.vv);
    return sqrt(0.5 * (m.uu + m.vv) + sqrt(half * half + m.uv * m.uv));
}

/* Triangles, quads and springs, in this order. */
static inline Metric element_metric(const TlSets *sets, const double *x, int32_t i) {
    int32_t quads = sets->triangles.count, springs = quads + sets->quads.count;
    return i < quads     ? triangle_metric(&sets->triangles, x, i)
           : i < springs ? quad_metric(&sets->quads, x, i - quads)
                         : spring_metric(&sets->springs, x, i - springs);
}

typedef struct StretchJob {
    const TlSets *sets;
    const double *before, *x;
    int32_t last; /* vertex */
    double large, growth;
    double *out;
} StretchJob;

static void stretch_range(void *data, int32_t begin, int32_t end) {
    const StretchJob *job = data;
    for (int32_t i = begin; i < end; i++) {
        job->out[i] = stretch_of(element_metric(job->sets, job->x, i));
    }
}

/* |U|^2 + |V|^2, which bounds the square of the larger stretch. */
TL_INLINE double squares_of(TlDouble4 s, TlDouble4 t, const double g[4]) {
    TlDouble4 U = g[0] * s + g[2] * t, V = g[1] * s + g[3] * t, sum = U * U + V * V;
    return sum[0] + sum[1] + sum[2];
}

/* The same of element i, three lanes for a vector. */
TL_INLINE double element_squares(const StretchJob *job, int32_t i) {
    const TlSets *sets = job->sets;
    const double *x = job->x;
    int32_t quads = sets->triangles.count, springs = quads + sets->quads.count, last = job->last;
    if (i < quads) {
        const int32_t *v = sets->triangles.vertex + 3 * (int64_t)i;
        TlDouble4 p = tl_vertex4(x, v[0], last);
        return squares_of(tl_vertex4(x, v[1], last) - p, tl_vertex4(x, v[2], last) - p,
                          sets->triangles.g + 4 * (int64_t)i);
    }
    if (i < springs) {
        const int32_t *v = sets->quads.vertex + 4 * (int64_t)(i - quads);
        TlDouble4 d1 = tl_vertex4(x, v[2], last) - tl_vertex4(x, v[0], last);
        TlDouble4 d2 = tl_vertex4(x, v[1], last) - tl_vertex4(x, v[3], last);
        return squares_of(0.5 * (d1 + d2), 0.5 * (d1 - d2),
                          sets->quads.h + 4 * (int64_t)(i - quads));
    }
    return spring_metric(&sets->springs, x, i - springs).uu;
}

TL_HOT static double strained_range(void *data, int32_t begin, int32_t end) {
    const StretchJob *job = data;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (!(element_squares(job, i) <= job->large * job->large)) {
            double after = stretch_of(element_metric(job->sets, job->x, i));
            double before = stretch_of(element_metric(job->sets, job->before, i));
            count += after > job->large && after > job->growth * before;
        }
    }
    return (double)count;
}

int32_t tl_strained_count(ToileSim *sim, double large, double growth) {
    StretchJob job = {.sets = &sim->model.sets,
                      .before = sim->state.x_start,
                      .x = sim->state.x,
                      .last = sim->state.vertex_count - 1,
                      .large = large,
                      .growth = growth};
    return (int32_t)tl_parallel_sum(sim->pool, tl_stretch_count(&sim->model), GRAIN, strained_range,
                                    &job);
}

static void measure_stretch(ToileSim *sim) {
    ToileStats *stats = &sim->stats;
    int32_t count = tl_stretch_count(&sim->model);
    StretchJob job = {.sets = &sim->model.sets, .x = sim->state.x, .out = sim->stretches};
    if (count == 0) {
        return;
    }
    tl_parallel_for(sim->pool, count, GRAIN, stretch_range, &job);
    for (int32_t i = 0; i < count; i++) {
        stats->stretch_max = tl_max(stats->stretch_max, sim->stretches[i]);
    }
    /* each leaves the larger ones behind it */
    int32_t k50 = (int32_t)(0.5 * (count - 1)), k90 = (int32_t)(0.9 * (count - 1)),
            k99 = (int32_t)(0.99 * (count - 1));
    stats->stretch_p50 = select_kth(sim->stretches, 0, count, k50);
    stats->stretch_p90 = select_kth(sim->stretches, k50, count, k90);
    stats->stretch_p99 = select_kth(sim->stretches, k90, count, k99);
}

/* ---- contact, energy, momentum ---- */

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

static void measure_vertices(ToileSim *sim) {
    ToileStats *stats = &sim->stats;
    TlContacts contacts = tl_sim_contacts(sim, 1.0, 1.0, 0.0);
    double fastest = 0.0, left = 0.0;
    for (int32_t v = 0; v < sim->state.vertex_count; v++) {
        TlVec3 velocity = tl_load3(sim->state.v + 3 * (int64_t)v);
        fastest = tl_max(fastest, tl_dot3(velocity, velocity));
        if (!sim->system.fixed[v]) {
            TlVec3 g = tl_load3(sim->system.grad + 3 * (int64_t)v);
            left = tl_max(left, tl_dot3(g, g));
            measure_contact(sim, &contacts, v);
        }
    }
    stats->speed_max_m_per_s = sqrt(fastest);
    stats->residual_N = sqrt(left);
}

static void measure_momentum(ToileSim *sim) {
    ToileStats *stats = &sim->stats;
    TlVec3 sum = {0, 0, 0}, momentum = {0, 0, 0}, angular = {0, 0, 0};
    double mass = 0.0;
    for (int32_t v = 0; v < sim->state.vertex_count; v++) {
        double m = sim->model.mass[v];
        mass += m;
        sum = tl_madd3(sum, m, tl_load3(sim->state.x + 3 * (int64_t)v));
        momentum = tl_madd3(momentum, m, tl_load3(sim->state.v + 3 * (int64_t)v));
    }
    TlVec3 center = mass > 0.0 ? tl_scale3(1.0 / mass, sum) : sum;
    for (int32_t v = 0; v < sim->state.vertex_count; v++) {
        TlVec3 arm = tl_sub3(tl_load3(sim->state.x + 3 * (int64_t)v), center);
        TlVec3 spin = tl_cross3(arm, tl_load3(sim->state.v + 3 * (int64_t)v));
        angular = tl_madd3(angular, sim->model.mass[v], spin);
    }
    tl_store3(stats->center_m, mass > 0.0 ? tl_add3(center, tl_load3(sim->origin)) : center);
    tl_store3(stats->momentum_kg_m_per_s, momentum);
    tl_store3(stats->angular_momentum_kg_m2_per_s, angular);
}

static void measure_energy(ToileSim *sim) {
    ToileStats *stats = &sim->stats;
    ToileEnergies energies = toile_energies_default();
    toile_sim_get_energies(sim, &energies, NULL);
    stats->kinetic_J = energies.kinetic_J;
    stats->gravity_J = energies.gravity_J;
    stats->stretch_J = energies.stretch_J;
    stats->bend_J = energies.bend_J;
    stats->energy_J = energies.total_J + energies.kinetic_J;
}

void tl_sim_measure(ToileSim *sim) {
    ToileStats *stats = &sim->stats;
    measure_vertices(sim);
    measure_momentum(sim);
    measure_energy(sim);
    measure_stretch(sim);
    tl_sim_measure_world(sim);
    stats->rescues =
        stats->substeps_added + stats->substeps_shortened + stats->retries + stats->newton_rescues;
    stats->total_s = tl_clock_s() - sim->began_s;
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
