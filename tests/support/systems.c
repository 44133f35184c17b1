/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Systems and their matrices by plain sums; see systems.h. */
#include "support/systems.h"

#include <stdlib.h>
#include <string.h>

static void build(TestSystem *out, TestMesh mesh, const ToileFabric *fabric, const double *rest,
                  int32_t workers, double amplitude, TestRandom *random) {
    memset(out, 0, sizeof *out);
    out->mesh = mesh;
    out->n = 3 * mesh.vertex_count;
    test_model_with(&out->mesh, fabric, TOILE_PATTERN_METRIC, true, rest, NULL, &out->model);
    out->pool = tl_pool_create(workers, NULL);
    ck_assert_ptr_nonnull(out->pool);
    ck_assert(tl_system_build(&out->model.arena, &out->model.model, out->pool, &out->system));
    out->x = test_deformed(&out->mesh, random, amplitude);
    out->start = test_deformed(&out->mesh, random, amplitude);
}

void test_system(TestSystem *out, TestMesh mesh, const ToileFabric *fabric, int32_t workers,
                 double amplitude, TestRandom *random) {
    build(out, mesh, fabric, NULL, workers, amplitude, random);
}

void test_system_bent(TestSystem *out, TestMesh mesh, const ToileFabric *fabric, double bent,
                      double amplitude, TestRandom *random) {
    double *rest = test_deformed(&mesh, random, bent);
    build(out, mesh, fabric, rest, 1, amplitude, random);
    free(rest);
}

void test_system_unpack(TestSystem *system) {
    TlSystem *own = &system->system;
    TlArena *arena = &system->model.arena;
    const TlModel *model = &system->model.model;
    for (int32_t i = 0; i < own->energy_count; i++) {
        TlElements elements = own->energies[i].elements;
        elements.vectors = 0;
        memset(&own->energies[i], 0, sizeof own->energies[i]);
        ck_assert(tl_gather_build(arena, &elements, model->vertex_count, &own->energies[i]));
    }
    memset(&own->matrix, 0, sizeof own->matrix);
    memset(&own->coarse, 0, sizeof own->coarse);
    ck_assert(tl_operator_build(arena, own->energies, own->energy_count, &own->bend_matrix,
                                own->weight, own->fixed, &own->matrix));
    ck_assert(tl_coarse_build(arena, model, &own->matrix, &own->coarse));
    ck_assert(tl_cg_alloc(arena, &own->matrix, &own->cg));
}

void test_system_free(TestSystem *system) {
    free(system->x);
    free(system->start);
    tl_pool_destroy(system->pool);
    test_model_free(&system->model);
    test_mesh_free(&system->mesh);
}

TlPoint test_system_at(const TestSystem *system, double dt_s) {
    return (TlPoint){system->x, system->start, dt_s};
}

void test_system_weigh(TestSystem *system, double low, double high, TestRandom *random) {
    for (int32_t v = 0; v < system->mesh.vertex_count; v++) {
        system->system.weight[v] = test_between(random, low, high);
    }
}

void test_system_touch(TestSystem *system, int32_t every, double k, TestRandom *random) {
    TlOperator *A = &system->system.matrix;
    for (int32_t v = 0; v < A->n; v++) {
        double normal[3];
        A->touched[v] = test_below(random, every) == 0;
        for (int i = 0; i < 3; i++) {
            normal[i] = test_between(random, -1, 1);
        }
        for (int i = 0; i < 9; i++) {
            A->contact[9 * v + i] = 0.3 * k * normal[i / 3] * normal[i % 3];
            A->contact[9 * v + i] += i % 4 == 0 ? 0.1 * k : 0.0;
        }
    }
}

void test_system_fix(TestSystem *system, int32_t every, TestRandom *random) {
    for (int32_t v = 0; v < system->mesh.vertex_count; v++) {
        system->system.fixed[v] = test_below(random, every) == 0;
    }
}

/* ---- blocks ---- */

static void add(TestBlocks *blocks, int32_t row, int32_t column, const double block[9]) {
    if (blocks->count == blocks->room) {
        blocks->room = 2 * blocks->room + 1000;
        size_t room = (size_t)blocks->room;
        blocks->row = realloc(blocks->row, room * sizeof *blocks->row);
        blocks->column = realloc(blocks->column, room * sizeof *blocks->column);
        blocks->block = realloc(blocks->block, room * sizeof *blocks->block);
        ck_assert(blocks->row != NULL && blocks->column != NULL && blocks->block != NULL);
    }
    blocks->row[blocks->count] = row;
    blocks->column[blocks->count] = column;
    memcpy(blocks->block[blocks->count++], block, 9 * sizeof *block);
}

static void add_elements(TestBlocks *blocks, const TlElements *elements, const TlPoint *at) {
    int32_t corners = tl_first_corner(elements, elements->count);
    double *grad = test_alloc(3 * sizeof(double) * (size_t)(corners + 1));
    double *hess = test_alloc(sizeof(double) * (size_t)(tl_hessian_size(elements) + 1));
    elements->derive(elements->model, at, 0, elements->count, grad, hess);
    for (int32_t e = 0; e < elements->count; e++) {
        int32_t first = tl_first_corner(elements, e), end = tl_first_corner(elements, e + 1);
        for (int32_t a = first; a < end; a++) {
            for (int32_t b = first; b < end; b++) {
                double block[9];
                test_element_block(elements, hess, e, a - first, b - first, block);
                add(blocks, elements->vertex[a], elements->vertex[b], block);
            }
        }
    }
    free(grad);
    free(hess);
}

/* The sum of lambda alpha alpha^T, for x, y and z. */
static void add_hinges(TestBlocks *blocks, const TlHingeSet *set) {
    for (int32_t h = 0; h < set->count; h++) {
        for (int32_t a = set->first[h]; a < set->first[h + 1]; a++) {
            for (int32_t b = set->first[h]; b < set->first[h + 1]; b++) {
                double s = set->lambda[h] * set->alpha[a] * set->alpha[b];
                const double block[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
                add(blocks, set->vertex[a], set->vertex[b], block);
            }
        }
    }
}

static int compare_places(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Joins what has the same row and column, so that absolute values are those of the matrix. */
static TestBlocks joined(TestBlocks *all, int64_t vertex_count) {
    TestBlocks out = {0};
    int64_t *place = test_alloc(2 * sizeof(int64_t) * (size_t)(all->count + 1));
    for (int64_t i = 0; i < all->count; i++) {
        place[2 * i] = vertex_count * all->row[i] + all->column[i];
        place[2 * i + 1] = i;
    }
    qsort(place, (size_t)all->count, 2 * sizeof *place, compare_places);
    for (int64_t i = 0; i < all->count; i++) {
        int64_t from = place[2 * i + 1];
        if (i > 0 && place[2 * i] == place[2 * i - 2]) {
            for (int k = 0; k < 9; k++) {
                out.block[out.count - 1][k] += all->block[from][k];
            }
        } else {
            add(&out, all->row[from], all->column[from], all->block[from]);
        }
    }
    free(place);
    test_blocks_free(all);
    return out;
}

TestBlocks test_blocks(const TestSystem *system, const TlPoint *at) {
    const TlOperator *A = &system->system.matrix;
    const TlHingeSet *hinges = system->model.model.sets.hinges;
    TestBlocks all = {0};
    for (int32_t i = 0; i < system->system.energy_count; i++) {
        const TlElements *elements = &system->system.energies[i].elements;
        if (elements->hessian >= 0) {
            add_elements(&all, elements, at);
        }
    }
    add_hinges(&all, &hinges[TL_HINGE_LINEAR]);
    add_hinges(&all, &hinges[TL_HINGE_CURVED]);
    for (int32_t v = 0; v < A->n; v++) {
        double block[9] = {0};
        for (int i = 0; i < 9; i++) {
            block[i] += i % 4 == 0 ? system->system.weight[v] : 0.0;
            block[i] += A->touched[v] ? A->contact[9 * v + i] : 0.0;
        }
        add(&all, v, v, block);
    }
    return joined(&all, A->n);
}

void test_blocks_free(TestBlocks *blocks) {
    free(blocks->row);
    free(blocks->column);
    free(blocks->block);
}

void test_blocks_times(const TestBlocks *blocks, int32_t n, const double *p, double *out,
                       double *size) {
    memset(out, 0, sizeof *out * (size_t)n);
    if (size != NULL) {
        memset(size, 0, sizeof *size * (size_t)n);
    }
    for (int64_t i = 0; i < blocks->count; i++) {
        for (int k = 0; k < 9; k++) {
            double term = blocks->block[i][k] * p[3 * blocks->column[i] + k % 3];
            out[3 * blocks->row[i] + k / 3] += term;
            if (size != NULL) {
                size[3 * blocks->row[i] + k / 3] += fabs(term);
            }
        }
    }
}

double *test_blocks_dense(const TestBlocks *blocks, int32_t n, const uint8_t *fixed) {
    double *out = test_alloc(sizeof(double) * (size_t)n * (size_t)n);
    for (int64_t i = 0; i < blocks->count; i++) {
        int32_t row = blocks->row[i], column = blocks->column[i];
        for (int k = 0; k < 9 && (fixed == NULL || (!fixed[row] && !fixed[column])); k++) {
            out[(3 * row + k / 3) * n + 3 * column + k % 3] = blocks->block[i][k];
        }
    }
    for (int32_t i = 0; i < n && fixed != NULL; i++) {
        out[i * n + i] = fixed[i / 3] ? 1.0 : out[i * n + i];
    }
    return out;
}

/* ---- the solver's product ---- */

double test_system_times(TestSystem *system, const double *p, double *q) {
    TlOperator *A = &system->system.matrix;
    TlFloat4 *from = system->system.cg.p, *to = system->system.cg.q;
    for (int32_t v = 0; v < A->n; v++) {
        from[v] = A->fixed[v]
                      ? tl_float4(0.0F)
                      : (TlFloat4){(float)p[3 * v], (float)p[3 * v + 1], (float)p[3 * v + 2], 0.0F};
    }
    double answer = tl_operator_multiply(A, system->pool, from, to);
    for (int32_t i = 0; i < system->n; i++) {
        q[i] = (double)to[i / 3][i % 3];
    }
    return answer;
}
