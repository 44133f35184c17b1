/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The energies as the solver sees them: elements are derived in parallel into buffers of their own,
 * then every vertex sums its own in a fixed order. */
#include "solve/system.h"

#include "force/bend_linear.h"

#include <string.h>

enum { ELEMENT_GRAIN = 256, VERTEX_GRAIN = 128 };

static bool build_gathers(TlArena *arena, const TlModel *model, TlSystem *out) {
    TlElements energies[TL_MOST_ENERGIES];
    out->energy_count = tl_energies(model, energies);
    for (int32_t i = 0; i < out->energy_count; i++) {
        if (!tl_gather_build(arena, &energies[i], model->vertex_count, &out->energies[i])) {
            return false;
        }
    }
    return true;
}

/* The matrix of the forces is a part of that of the Hessian, or the same. */
static bool build_bending(TlArena *arena, const TlModel *model, TlSystem *out) {
    const TlHingeSet *linear = &model->sets.hinges[TL_HINGE_LINEAR];
    const TlHingeSet *both[2] = {linear, &model->sets.hinges[TL_HINGE_CURVED]};
    int32_t n = model->vertex_count;
    if (!tl_bend_linear_matrix(arena, both, 2, n, &out->bend_matrix)) {
        return false;
    }
    out->bend_force = out->bend_matrix;
    return both[1]->count == 0 || tl_bend_linear_matrix(arena, both, 1, n, &out->bend_force);
}

bool tl_system_build(TlArena *arena, const TlModel *model, TlPool *pool, TlSystem *out) {
    int32_t n = model->vertex_count;
    out->model = model;
    out->pool = pool;
    out->grad = TL_NEW(arena, double, 3 * (int64_t)n);
    out->step = TL_NEW(arena, double, 3 * (int64_t)n);
    out->trial = TL_NEW(arena, double, 3 * (int64_t)n);
    out->x_start = TL_NEW(arena, double, 3 * (int64_t)n);
    out->force = TL_NEW(arena, double, 3 * (int64_t)n);
    out->weight = TL_NEW(arena, double, n);
    out->friction = TL_NEW(arena, TlFriction, n);
    out->fixed = TL_NEW(arena, uint8_t, n);
    if (arena->failed || !build_gathers(arena, model, out) || !build_bending(arena, model, out) ||
        !tl_block_matrix_build(arena, out->energies, out->energy_count, &out->bend_matrix,
                               &out->matrix) ||
        !tl_coarse_build(arena, model, &out->matrix, &out->coarse) ||
        !tl_cg_alloc(arena, n, &out->cg)) {
        return false;
    }
    out->cg.pool = pool;
    out->cg.A = &out->matrix;
    out->cg.coarse = &out->coarse;
    out->cg.fixed = out->fixed;
    return true;
}

typedef struct ValueJob {
    const TlElements *elements;
    const TlPoint *at;
} ValueJob;

static double value_range(void *data, int32_t begin, int32_t end) {
    ValueJob *job = data;
    return job->elements->value(job->elements->model, job->at, begin, end);
}

static double elements_value(TlSystem *system, const TlElements *elements, const TlPoint *at) {
    ValueJob job = {elements, at};
    return tl_parallel_sum(system->pool, elements->count, ELEMENT_GRAIN, value_range, &job);
}

double tl_system_value(TlSystem *system, const TlPoint *at) {
    double total = 0.0;
    for (int32_t i = 0; i < system->energy_count; i++) {
        total += elements_value(system, &system->energies[i].elements, at);
    }
    return total;
}

double tl_system_group(TlSystem *system, TlEnergyGroup group, const TlPoint *at) {
    double total = 0.0;
    for (int32_t i = 0; i < system->energy_count; i++) {
        const TlElements *elements = &system->energies[i].elements;
        total += elements->group == group ? elements_value(system, elements, at) : 0.0;
    }
    return total;
}

typedef struct DeriveJob {
    TlSystem *system;
    const TlPoint *at;
    const double *velocity; /* not NULL: damping */
    bool hessian;
    double *grad;
    TlGather *gather;
} DeriveJob;

static void derive_elements(void *data, int32_t begin, int32_t end) {
    DeriveJob *job = data;
    const TlElements *elements = &job->gather->elements;
    double *hess = job->hessian && elements->hessian >= 0 ? job->gather->hess : NULL;
    elements->derive(elements->model, job->at, begin, end, job->gather->grad, hess);
}

static void damp_elements(void *data, int32_t begin, int32_t end) {
    DeriveJob *job = data;
    const TlElements *elements = &job->gather->elements;
    elements->damp(elements->model, job->at->x, job->velocity, begin, end, job->gather->grad);
}

/* Bending gradient of vertex v: rows of the matrix sum to zero, so differences to the vertex itself
 * do. */
static void bend_row(const TlScalarMatrix *L, const double *x, int32_t v, double out[3]) {
    const double *own = x + 3 * (int64_t)v;
    for (int32_t s = L->row_start[v]; s < L->row_start[v + 1]; s++) {
        const double *other = x + 3 * (int64_t)L->column[s];
        for (int i = 0; i < 3; i++) {
            out[i] += L->value[s] * (other[i] - own[i]);
        }
    }
}

static void add_corners(const TlGather *gather, int32_t v, double sum[3]) {
    for (int32_t i = gather->start[v]; i < gather->start[v + 1]; i++) {
        const double *g = gather->grad + 3 * (int64_t)gather->item[i];
        for (int k = 0; k < 3; k++) {
            sum[k] += g[k];
        }
    }
}

static bool by_matrix(const TlGather *gather) {
    return gather->elements.hessian == TL_HESSIAN_MATRIX;
}

static void derive_vertices(void *data, int32_t begin, int32_t end) {
    DeriveJob *job = data;
    TlSystem *system = job->system;
    for (int32_t v = begin; v < end; v++) {
        double sum[3] = {0, 0, 0};
        for (int32_t i = 0; i < system->energy_count; i++) {
            if (!by_matrix(&system->energies[i])) {
                add_corners(&system->energies[i], v, sum);
            }
        }
        bend_row(&system->bend_force, job->at->x, v, sum);
        memcpy(job->grad + 3 * (int64_t)v, sum, sizeof sum);
    }
    if (job->hessian) {
        tl_block_matrix_gather(&system->matrix, system->energies, system->energy_count, begin, end);
    }
}

void tl_system_derive(TlSystem *system, const TlPoint *at, bool hessian, double *grad) {
    DeriveJob job = {.system = system, .at = at, .hessian = hessian, .grad = grad};
    for (int32_t i = 0; i < system->energy_count; i++) {
        job.gather = &system->energies[i];
        if (!by_matrix(job.gather)) {
            tl_parallel_for(system->pool, job.gather->elements.count, ELEMENT_GRAIN,
                            derive_elements, &job);
        }
    }
    tl_parallel_for(system->pool, system->model->vertex_count, VERTEX_GRAIN, derive_vertices, &job);
}

void tl_system_damping(TlSystem *system, const double *x, const double *v, double *force) {
    TlPoint at = {x, x, 0.0};
    DeriveJob job = {.system = system, .at = &at, .velocity = v};
    memset(force, 0, 3 * sizeof *force * (size_t)system->model->vertex_count);
    for (int32_t i = 0; i < system->energy_count; i++) {
        job.gather = &system->energies[i];
        if (job.gather->elements.damp == NULL) {
            continue;
        }
        tl_parallel_for(system->pool, job.gather->elements.count, ELEMENT_GRAIN, damp_elements,
                        &job);
        for (int32_t vertex = 0; vertex < system->model->vertex_count; vertex++) {
            double sum[3] = {0, 0, 0};
            add_corners(job.gather, vertex, sum);
            for (int k = 0; k < 3; k++) {
                force[3 * (int64_t)vertex + k] -= sum[k];
            }
        }
    }
}
