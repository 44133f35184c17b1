/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The energies as the solver sees them. Adding one: its elements here, its gather in
 * tl_system_derive. */
#include "solve/system.h"

#include "force/bend_linear.h"
#include "force/stretch_stvk.h"

enum { ELEMENT_GRAIN = 256, VERTEX_GRAIN = 128 };

bool tl_system_build(TlArena *arena, const TlModel *model, TlPool *pool, TlSystem *out) {
    int32_t n = model->vertex_count;
    TlElements stretch = tl_stretch_stvk(model);
    out->model = model;
    out->pool = pool;
    out->bend = tl_bend_linear(model);
    out->grad = TL_NEW(arena, double, 3 * (int64_t)n);
    out->step = TL_NEW(arena, double, 3 * (int64_t)n);
    out->trial = TL_NEW(arena, double, 3 * (int64_t)n);
    out->x_start = TL_NEW(arena, double, 3 * (int64_t)n);
    out->force = TL_NEW(arena, double, 3 * (int64_t)n);
    out->weight = TL_NEW(arena, double, n);
    out->friction = TL_NEW(arena, TlFriction, n);
    out->fixed = TL_NEW(arena, uint8_t, n);
    if (arena->failed || !tl_bend_linear_matrix(arena, model, &out->bend_matrix) ||
        !tl_gather_build(arena, &stretch, n, &out->stretch) ||
        !tl_block_matrix_build(arena, &out->stretch, &out->bend_matrix, &out->matrix) ||
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

double tl_system_stretch(TlSystem *system, const TlPoint *at) {
    return elements_value(system, &system->stretch.elements, at);
}

double tl_system_bend(TlSystem *system, const TlPoint *at) {
    return elements_value(system, &system->bend, at);
}

typedef struct DeriveJob {
    TlSystem *system;
    const TlPoint *at;
    bool hessian;
    double *grad;
} DeriveJob;

static void derive_elements(void *data, int32_t begin, int32_t end) {
    DeriveJob *job = data;
    TlGather *gather = &job->system->stretch;
    gather->elements.derive(job->system->model, job->at, begin, end, gather->grad,
                            job->hessian ? gather->hess : NULL);
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

static void derive_vertices(void *data, int32_t begin, int32_t end) {
    DeriveJob *job = data;
    const TlGather *gather = &job->system->stretch;
    for (int32_t v = begin; v < end; v++) {
        double sum[3] = {0, 0, 0};
        for (int32_t i = gather->start[v]; i < gather->start[v + 1]; i++) {
            const double *g = gather->grad + 3 * (int64_t)gather->item[i];
            for (int k = 0; k < 3; k++) {
                sum[k] += g[k];
            }
        }
        bend_row(&job->system->bend_matrix, job->at->x, v, sum);
        for (int k = 0; k < 3; k++) {
            job->grad[3 * (int64_t)v + k] = sum[k];
        }
    }
    if (job->hessian) {
        tl_block_matrix_gather(&job->system->matrix, gather, begin, end);
    }
}

void tl_system_derive(TlSystem *system, const TlPoint *at, bool hessian, double *grad) {
    DeriveJob job = {system, at, hessian, grad};
    tl_parallel_for(system->pool, system->stretch.elements.count, ELEMENT_GRAIN, derive_elements,
                    &job);
    tl_parallel_for(system->pool, system->model->vertex_count, VERTEX_GRAIN, derive_vertices, &job);
}
