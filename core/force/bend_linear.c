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

#include "base/lanes.h"
#include "base/vec.h"

static TlVec3 bending_vector(const TlHingeSet *set, const double *x, int32_t h) {
    /* over differences to D: the same sum, without the rounding of large coordinates */
    int32_t last = set->first[h + 1] - 1;
    TlVec3 d = tl_load3(x + 3 * (int64_t)set->vertex[last]), R = {0, 0, 0};
    for (int32_t c = set->first[h]; c < last; c++) {
        R = tl_madd3(R, set->alpha[c], tl_sub3(tl_load3(x + 3 * (int64_t)set->vertex[c]), d));
    }
    return R;
}

/* By hinges, not by the matrix, in which the energy of nearly flat cloth would be lost in
 * rounding. */
TL_HOT static double bend_value(const TlModel *model, const TlPoint *at, int32_t begin,
                                int32_t end) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_LINEAR];
    int32_t last = model->vertex_count - 1, c = begin < end ? set->first[begin] : 0;
    double total = 0.0;
    for (int32_t h = begin; h < end; h++) {
        int32_t stop = set->first[h + 1] - 1;
        TlDouble4 d = tl_vertex4(at->x, set->vertex[stop], last), R = tl_double4(0.0);
        for (; c < stop; c++) {
            R += set->alpha[c] * (tl_vertex4(at->x, set->vertex[c], last) - d);
        }
        c++;
        R *= R;
        total += 0.5 * set->lambda[h] * (R[0] + R[1] + R[2]);
    }
    return total;
}

static void bend_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                        double *grad, double *hess) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_LINEAR];
    (void)hess;
    for (int32_t h = begin; h < end; h++) {
        TlVec3 R = bending_vector(set, at->x, h);
        for (int32_t c = set->first[h]; c < set->first[h + 1]; c++) {
            tl_store3(grad + 3 * (int64_t)c, tl_scale3(set->lambda[h] * set->alpha[c], R));
        }
    }
}

TlElements tl_bend_linear(const TlModel *model) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_LINEAR];
    return (TlElements){.name = "bend linear",
                        .group = TL_ENERGY_BEND,
                        .count = set->count,
                        .first = set->first,
                        .vertex = set->vertex,
                        .hessian = TL_HESSIAN_MATRIX,
                        .model = model,
                        .value = bend_value,
                        .derive = bend_derive};
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

/* The corners at each vertex, by set, then in order. */
typedef struct Around {
    int32_t *start; /* per vertex: range of the arrays below */
    int32_t *set, *hinge, *corner;
} Around;

static bool hinges_around(TlArena *arena, const TlHingeSet *const *sets, int32_t set_count,
                          int32_t n, Around *out) {
    int64_t corners = 0;
    for (int32_t s = 0; s < set_count; s++) {
        corners += sets[s]->corner_count;
    }
    out->start = TL_NEW(arena, int32_t, n + 2);
    out->set = TL_NEW(arena, int32_t, corners);
    out->hinge = TL_NEW(arena, int32_t, corners);
    out->corner = TL_NEW(arena, int32_t, corners);
    if (arena->failed || corners > INT32_MAX) {
        return false;
    }
    for (int32_t s = 0; s < set_count; s++) {
        for (int32_t c = 0; c < sets[s]->corner_count; c++) {
            out->start[sets[s]->vertex[c] + 2]++;
        }
    }
    for (int32_t v = 0; v < n; v++) {
        out->start[v + 2] += out->start[v + 1];
    }
    for (int32_t s = 0; s < set_count; s++) {
        for (int32_t h = 0; h < sets[s]->count; h++) {
            for (int32_t c = sets[s]->first[h]; c < sets[s]->first[h + 1]; c++) {
                int32_t at = out->start[sets[s]->vertex[c] + 1]++;
                out->set[at] = s;
                out->hinge[at] = h;
                out->corner[at] = c;
            }
        }
    }
    return true;
}

bool tl_bend_linear_matrix(TlArena *arena, const TlHingeSet *const *sets, int32_t set_count,
                           int32_t n, TlScalarMatrix *out) {
    TlArena scratch;
    Around around;
    tl_arena_init(&scratch, arena->allocator);
    int64_t capacity = n;
    for (int32_t s = 0; s < set_count; s++) {
        for (int32_t h = 0; h < sets[s]->count; h++) {
            int64_t size = sets[s]->first[h + 1] - sets[s]->first[h];
            capacity += size * size;
        }
    }
    int32_t *columns = TL_NEW(&scratch, int32_t, capacity);
    double *values = TL_NEW(&scratch, double, capacity);
    out->row_count = n;
    out->row_start = TL_NEW(arena, int32_t, n + 1);
    bool ok = columns != NULL && values != NULL && out->row_start != NULL &&
              hinges_around(&scratch, sets, set_count, n, &around);
    for (int32_t v = 0; ok && v < n; v++) {
        int32_t at = out->row_start[v];
        int32_t count = add_entry(columns + at, values + at, 0, v, 0.0);
        for (int32_t i = around.start[v]; i < around.start[v + 1]; i++) {
            const TlHingeSet *set = sets[around.set[i]];
            int32_t h = around.hinge[i];
            double scaled = set->lambda[h] * set->alpha[around.corner[i]];
            for (int32_t c = set->first[h]; c < set->first[h + 1]; c++) {
                count = add_entry(columns + at, values + at, count, set->vertex[c],
                                  scaled * set->alpha[c]);
            }
        }
        ok = at <= INT32_MAX - count;
        out->row_start[v + 1] = ok ? at + count : at;
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

TlHingeState tl_bend_linear_state(const TlHingeSet *set, const double *x, int32_t h) {
    TlHinge hinge = tl_hinge_at(set, x, h);
    TlHingeBend bend = tl_hinge_bend(&hinge);
    TlHingeAngle angle = tl_hinge_angle(&hinge);
    TlVec3 g[TL_HINGE_POINTS];
    TlHingeState state = {.r = bend.r, .gamma = bend.r / set->reach[h], .theta = angle.theta};
    tl_store3(state.R, bend.R);
    tl_hinge_grad_theta(&angle, g);
    tl_hinge_spread(set, h, 1.0, g, state.grad_theta);
    return state;
}
