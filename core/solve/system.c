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

static bool copy_rows(TlArena *arena, const TlScalarMatrix *L, TlRows *out) {
    int32_t n = out->n = L->row_count, count = 0;
    out->start = TL_NEW(arena, int32_t, n + 1);
    /* a diagonal less, and at most one entry more */
    out->at = TL_NEW(arena, int32_t, L->row_start[n]);
    out->value = TL_NEW(arena, double, L->row_start[n]);
    for (int32_t v = 0; !arena->failed && v < n; v++) {
        for (int32_t s = L->row_start[v]; s < L->row_start[v + 1]; s++) {
            if (L->column[s] != v) {
                out->at[count] = 3 * L->column[s];
                out->value[count++] = L->value[s];
            }
        }
        if ((count - out->start[v]) % 2 != 0) {
            out->at[count] = out->at[count - 1];
            out->value[count++] = 0.0;
        }
        out->start[v + 1] = count;
    }
    return !arena->failed;
}

/* The matrix of the forces is a part of that of the Hessian, or the same. */
static bool build_bending(TlArena *arena, const TlModel *model, TlSystem *out) {
    const TlHingeSet *linear = &model->sets.hinges[TL_HINGE_LINEAR];
    const TlHingeSet *both[2] = {linear, &model->sets.hinges[TL_HINGE_CURVED]};
    int32_t n = model->vertex_count;
    TlArena scratch;
    TlScalarMatrix force;
    tl_arena_init(&scratch, arena->allocator);
    bool ok = tl_bend_linear_matrix(arena, both, 2, n, &out->bend_matrix);
    force = out->bend_matrix;
    ok = ok && (both[1]->count == 0 || tl_bend_linear_matrix(&scratch, both, 1, n, &force)) &&
         copy_rows(arena, &force, &out->bend_force);
    tl_arena_free(&scratch);
    return ok;
}

bool tl_system_build(TlArena *arena, const TlModel *model, TlPool *pool, TlSystem *out) {
    int32_t n = model->vertex_count;
    *out = (TlSystem){.model = model, .pool = pool};
    out->grad = TL_NEW(arena, double, 3 * (int64_t)n);
    out->bend_grad = TL_NEW(arena, double, 3 * (int64_t)n);
    out->move = TL_NEW(arena, double, 3 * (int64_t)n);
    out->step = TL_NEW(arena, double, 3 * (int64_t)n);
    out->trial = TL_NEW(arena, double, 3 * (int64_t)n);
    out->last = TL_NEW(arena, double, 3 * (int64_t)n);
    out->drift = TL_NEW(arena, double, 4 * (int64_t)model->material_count);
    out->x_start = TL_NEW(arena, double, 3 * (int64_t)n);
    out->ahead = TL_NEW(arena, double, 3 * (int64_t)n);
    out->borne = TL_NEW(arena, double, 3 * (int64_t)n);
    out->push = TL_NEW(arena, double, 3 * (int64_t)n);
    out->force = TL_NEW(arena, double, 3 * (int64_t)n);
    out->weight = TL_NEW(arena, double, n);
    out->friction = TL_NEW(arena, TlFriction, n);
    out->fixed = TL_NEW(arena, uint8_t, n);
    out->pinched = TL_NEW(arena, uint8_t, n);
    if (arena->failed || !build_gathers(arena, model, out) || !build_bending(arena, model, out) ||
        !tl_operator_build(arena, out->energies, out->energy_count, &out->bend_matrix, out->weight,
                           out->fixed, &out->matrix) ||
        !tl_coarse_build(arena, model, &out->matrix, &out->coarse) ||
        !tl_cg_alloc(arena, &out->matrix, &out->cg)) {
        return false;
    }
    out->cg.pool = pool;
    out->cg.A = &out->matrix;
    out->cg.coarse = &out->coarse;
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

static bool by_matrix(const TlGather *gather) {
    return gather->elements.hessian == TL_HESSIAN_MATRIX;
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

double tl_system_varying(TlSystem *system, const TlPoint *at) {
    double total = 0.0;
    for (int32_t i = 0; i < system->energy_count; i++) {
        const TlElements *elements = &system->energies[i].elements;
        total += by_matrix(&system->energies[i]) ? 0.0 : elements_value(system, elements, at);
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
    elements->derive(elements->model, job->at, begin, end, job->gather->grad,
                     job->hessian && tl_has_hessian(elements) ? job->gather->hess : NULL);
    if (job->hessian) {
        tl_gather_narrow(job->gather, begin, end);
    }
}

static void damp_elements(void *data, int32_t begin, int32_t end) {
    DeriveJob *job = data;
    const TlElements *elements = &job->gather->elements;
    elements->damp(elements->model, job->at->x, job->velocity, begin, end, job->gather->grad);
}

/* Three numbers, and in the fourth lane what follows them. */
TL_INLINE TlDouble4 load4(const double *at) {
    TlDouble4 out;
    memcpy(&out, at, sizeof out);
    return out;
}

/* Row v of L x over differences to the vertex itself. Two sums side by side, because each has to
 * wait for its last term. Nothing follows the last vertex, so rows with it are loaded with care. */
TL_INLINE TlDouble4 bend_row(const TlRows *L, const double *x, int32_t v) {
    int32_t s = L->start[v], stop = L->start[v + 1], last = 3 * (L->n - 1);
    TlDouble4 even = tl_double4(0.0), odd = tl_double4(0.0);
    if (s == stop) {
        return even;
    }
    if (v == L->n - 1 || L->at[stop - 1] == last) {
        TlDouble4 own = tl_vertex4(x, v, L->n - 1);
        for (; s < stop; s++) {
            TlDouble4 *sum = (s - L->start[v]) % 2 == 0 ? &even : &odd;
            *sum += L->value[s] * (tl_vertex4(x, L->at[s] / 3, L->n - 1) - own);
        }
        return even + odd;
    }
    TlDouble4 own = load4(x + 3 * (int64_t)v);
    for (; s < stop; s += 2) {
        even += L->value[s] * (load4(x + L->at[s]) - own);
        odd += L->value[s + 1] * (load4(x + L->at[s + 1]) - own);
    }
    return even + odd;
}

/* Bending gradient of vertices [begin, end). */
TL_HOT static void bend_rows(const TlRows *L, const double *x, int32_t begin, int32_t end,
                             double *out) {
    for (int32_t v = begin; v < end; v++) {
        TlDouble4 sum = bend_row(L, x, v);
        for (int i = 0; i < 3; i++) {
            out[3 * (int64_t)v + i] = sum[i];
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

/* Packed sets are derived by the operator when their Hessian is wanted too. */
static bool by_operator(const DeriveJob *job, const TlGather *gather) {
    return job->hessian && tl_is_packed(&gather->elements);
}

static void add_set(const TlGather *gather, int32_t begin, int32_t end, double *grad) {
    for (int32_t v = begin; v < end; v++) {
        add_corners(gather, v, grad + 3 * (int64_t)v);
    }
}

static void derive_vertices(void *data, int32_t begin, int32_t end) {
    DeriveJob *job = data;
    TlSystem *system = job->system;
    double *bend = job->hessian ? system->bend_grad : job->grad;
    bend_rows(&system->bend_force, job->at->x, begin, end, bend);
    if (job->hessian) {
        memcpy(job->grad + 3 * (int64_t)begin, bend + 3 * (int64_t)begin,
               3 * sizeof *bend * (size_t)(end - begin));
        for (int32_t v = begin; v < end; v++) {
            tl_operator_gradient(&system->matrix, v, job->grad + 3 * (int64_t)v);
        }
    }
    for (int32_t i = 0; i < system->energy_count; i++) {
        const TlGather *gather = &system->energies[i];
        if (gather->elements.count > 0 && !by_matrix(gather) && !by_operator(job, gather)) {
            add_set(gather, begin, end, job->grad);
        }
    }
}

void tl_system_derive(TlSystem *system, const TlPoint *at, bool hessian, double *grad) {
    DeriveJob job = {.system = system, .at = at, .hessian = hessian, .grad = grad};
    if (hessian) {
        tl_operator_derive(&system->matrix, system->pool, at);
    }
    for (int32_t i = 0; i < system->energy_count; i++) {
        job.gather = &system->energies[i];
        if (!by_matrix(job.gather) && !by_operator(&job, job.gather)) {
            tl_parallel_for(system->pool, job.gather->elements.count, ELEMENT_GRAIN,
                            derive_elements, &job);
        }
    }
    tl_parallel_for(system->pool, system->model->vertex_count, VERTEX_GRAIN, derive_vertices, &job);
}

typedef struct ChangeJob {
    TlSystem *system;
    const double *x, *to;
} ChangeJob;

static void move_range(void *data, int32_t begin, int32_t end) {
    ChangeJob *job = data;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        job->system->move[i] = job->to[i] - job->x[i];
    }
}

/* Vertices [begin, end). */
TL_HOT static double bend_change(void *data, int32_t begin, int32_t end) {
    ChangeJob *job = data;
    const TlRows *L = &job->system->bend_force;
    int32_t last = L->n - 1;
    double total = 0.0;
    for (int32_t v = begin; v < end; v++) {
        TlDouble4 own = tl_vertex4(job->system->move, v, last);
        TlDouble4 sum = bend_row(L, job->system->move, v);
        sum = own * (tl_vertex4(job->system->bend_grad, v, last) + 0.5 * sum);
        total += sum[0] + sum[1] + sum[2];
    }
    return total;
}

double tl_system_bend_change(TlSystem *system, const double *x, const double *to) {
    ChangeJob job = {system, x, to};
    int32_t n = system->model->vertex_count;
    tl_parallel_for(system->pool, n, VERTEX_GRAIN, move_range, &job);
    return tl_parallel_sum(system->pool, n, VERTEX_GRAIN, bend_change, &job);
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
