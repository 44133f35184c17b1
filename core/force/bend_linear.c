/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Bending energy of a hinge: E = lambda/2 |R|^2 with the bending vector R = sum alpha_J P_J.
 *
 * [V] Volino, Magnenat-Thalmann: Simple linear bending stiffness in particle systems, 2006. Eq. 4
 * (R), Eq. 7 (forces -lambda alpha_J R), Eq. 14 (Jacobian -lambda alpha_J alpha_K I). The Jacobian
 * is constant and the same for x, y and z, so all hinges together are one scalar matrix L, built
 * once. Rows of L sum to zero; the gradient is taken over differences to the row's own vertex,
 * which keeps a distant or translated cloth exact. */
#include "force/bend_linear.h"

#include "base/elementary.h"
#include "base/vec.h"

static TlVec3 bending_vector(const double *x, const int32_t *vertex, const double *alpha) {
    /* over differences to C: the same sum, without the rounding of large coordinates */
    TlVec3 c = tl_load3(x + 3 * (int64_t)vertex[2]), R = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        R = tl_madd3(R, alpha[k], tl_sub3(tl_load3(x + 3 * (int64_t)vertex[k]), c));
    }
    return R;
}

static double bend_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    const TlHingeSet *set = &model->hinges;
    double total = 0.0;
    for (int32_t h = begin; h < end; h++) {
        TlVec3 R = bending_vector(at->x, set->vertex + 4 * (int64_t)h, set->alpha + 4 * (int64_t)h);
        total += 0.5 * set->lambda[h] * tl_dot3(R, R);
    }
    return total;
}

static void bend_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                        double *grad, double *hess) {
    const TlHingeSet *set = &model->hinges;
    for (int32_t h = begin; h < end; h++) {
        const double *alpha = set->alpha + 4 * (int64_t)h;
        double lambda = set->lambda[h];
        TlVec3 R = bending_vector(at->x, set->vertex + 4 * (int64_t)h, alpha);
        for (int k = 0; k < 4; k++) {
            tl_store3(grad + 12 * (int64_t)h + 3 * k, tl_scale3(lambda * alpha[k], R));
        }
        for (int a = 0; hess != NULL && a < 4; a++) {
            for (int b = a; b < 4; b++) {
                double *block = hess + 90 * (int64_t)h + 9 * tl_block_index(4, a, b);
                for (int i = 0; i < 9; i++) {
                    block[i] = i % 4 == 0 ? lambda * alpha[a] * alpha[b] : 0.0;
                }
            }
        }
    }
}

TlElements tl_bend_linear(const TlModel *model) {
    return (TlElements){"bend", 4,          model->hinges.count, model->hinges.vertex,
                        model,  bend_value, bend_derive};
}

/* Adds `value` at `column` of a row of `count` sorted entries; answers the new count. */
static int32_t add_entry(int32_t *columns, double *values, int32_t count, int32_t column,
                         double value) {
    int32_t i = count;
    while (i > 0 && columns[i - 1] > column) {
        i--;
    }
    if (i > 0 && columns[i - 1] == column) {
        values[i - 1] += value;
        return count;
    }
    for (int32_t j = count; j > i; j--) {
        columns[j] = columns[j - 1];
        values[j] = values[j - 1];
    }
    columns[i] = column;
    values[i] = value;
    return count + 1;
}

/* Hinges around each vertex, as 4 * hinge + corner, in order. */
static bool hinges_of_vertices(TlArena *arena, const TlModel *model, int32_t **start,
                               int32_t **items) {
    const TlHingeSet *set = &model->hinges;
    int64_t corners = 4 * (int64_t)set->count;
    *start = TL_NEW(arena, int32_t, model->vertex_count + 2);
    *items = TL_NEW(arena, int32_t, corners);
    if (*start == NULL || *items == NULL) {
        return false;
    }
    for (int64_t i = 0; i < corners; i++) {
        (*start)[set->vertex[i] + 2]++;
    }
    for (int32_t v = 0; v < model->vertex_count; v++) {
        (*start)[v + 2] += (*start)[v + 1];
    }
    for (int64_t i = 0; i < corners; i++) {
        (*items)[(*start)[set->vertex[i] + 1]++] = (int32_t)i;
    }
    return true;
}

bool tl_bend_linear_matrix(TlArena *arena, const TlModel *model, TlScalarMatrix *out) {
    const TlHingeSet *set = &model->hinges;
    int32_t n = model->vertex_count, *start, *items;
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    int64_t capacity = 16 * (int64_t)set->count + n;
    int32_t *columns = TL_NEW(&scratch, int32_t, capacity);
    double *values = TL_NEW(&scratch, double, capacity);
    out->row_count = n;
    out->row_start = TL_NEW(arena, int32_t, n + 1);
    bool ok = columns != NULL && values != NULL && out->row_start != NULL &&
              hinges_of_vertices(&scratch, model, &start, &items);
    for (int32_t v = 0; ok && v < n; v++) {
        int32_t at = out->row_start[v];
        int32_t count = add_entry(columns + at, values + at, 0, v, 0.0);
        for (int32_t i = start[v]; i < start[v + 1]; i++) {
            int64_t first = 4 * (int64_t)(items[i] / 4);
            double scaled = set->lambda[items[i] / 4] * set->alpha[items[i]];
            for (int k = 0; k < 4; k++) {
                count = add_entry(columns + at, values + at, count, set->vertex[first + k],
                                  scaled * set->alpha[first + k]);
            }
        }
        out->row_start[v + 1] = at + count;
    }
    if (ok) {
        out->column = TL_NEW(arena, int32_t, out->row_start[n]);
        out->value = TL_NEW(arena, double, out->row_start[n]);
        ok = out->column != NULL && out->value != NULL;
    }
    for (int32_t i = 0; ok && i < out->row_start[n]; i++) {
        out->column[i] = columns[i];
        out->value[i] = values[i];
    }
    tl_arena_free(&scratch);
    return ok;
}

TlHingeState tl_bend_linear_state(const TlModel *model, const double *x, int32_t h) {
    const TlHingeSet *set = &model->hinges;
    const int32_t *vertex = set->vertex + 4 * (int64_t)h;
    TlVec3 A = tl_load3(x + 3 * (int64_t)vertex[0]), B = tl_load3(x + 3 * (int64_t)vertex[1]);
    TlVec3 C = tl_load3(x + 3 * (int64_t)vertex[2]), D = tl_load3(x + 3 * (int64_t)vertex[3]);
    TlVec3 R = bending_vector(x, vertex, set->alpha + 4 * (int64_t)h), e = tl_sub3(D, C);
    /* [V] Eq. 16: both normals of the paper's pair sums are parallel to (B - A) x (D - C) */
    TlVec3 N = tl_unit3(tl_cross3(tl_sub3(B, A), e));
    TlVec3 NA = tl_cross3(tl_sub3(C, A), tl_sub3(D, A)),
           NB = tl_cross3(tl_sub3(D, B), tl_sub3(C, B));
    TlHingeState state;
    tl_store3(state.R, R);
    state.r = tl_dot3(R, N);
    state.gamma = 2.0 * state.r / (set->height_a[h] * set->height_b[h]);
    state.theta = tl_atan2(-tl_dot3(tl_cross3(NA, NB), tl_unit3(e)), tl_dot3(NA, NB));
    return state;
}
