/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the operator: corners of vertices, parts and their places, the bending matrix inside
 * and beyond faces. */
#include "solve/operator.h"

/* so many that any number of workers finds enough, each with enough to do */
enum { MOST_PARTS = 16, PART_VERTICES = 1024 };

/* Corners of each vertex. */
static void list_corners(const TlElements *elements, int32_t vertex_count, TlGather *out) {
    int32_t corners = tl_first_corner(elements, elements->count);
    for (int32_t c = 0; c < corners; c++) {
        out->start[elements->vertex[c] + 2]++;
    }
    for (int32_t v = 0; v < vertex_count; v++) {
        out->start[v + 2] += out->start[v + 1];
    }
    for (int32_t c = 0; c < corners; c++) {
        out->item[out->start[elements->vertex[c] + 1]++] = c;
    }
}

bool tl_gather_build(TlArena *arena, const TlElements *elements, int32_t vertex_count,
                     TlGather *out) {
    int64_t corners = tl_first_corner(elements, elements->count);
    out->elements = *elements;
    out->grad = TL_NEW(arena, double, 3 * corners);
    out->start = TL_NEW(arena, int32_t, vertex_count + 2);
    out->item = TL_NEW(arena, int32_t, corners);
    if (tl_is_packed(elements)) {
        int64_t groups = tl_group_count(elements), padded = TL_WIDE * groups * elements->arity;
        out->packed = TL_NEW(arena, float, TL_WIDE *groups *tl_packed_size(elements));
        out->near = TL_NEW(arena, TlFloat8, tl_near_count(elements) * groups);
        out->corner = TL_NEW(arena, int32_t, padded);
        out->target = TL_NEW(arena, int32_t, padded);
        for (int64_t c = 0; !arena->failed && c < padded; c++) {
            int64_t last = corners - elements->arity + c % elements->arity;
            out->corner[c] = elements->vertex[c < corners ? c : last];
        }
    } else if (tl_has_hessian(elements)) {
        out->hess = TL_NEW(arena, double, tl_hessian_size(elements));
        out->product = TL_NEW(arena, TlFloat4, corners);
        if (elements->hessian == TL_HESSIAN_BLOCKS) {
            int64_t pairs = (int64_t)(elements->arity - 1) * (elements->arity - 1);
            out->column = TL_NEW(arena, TlFloat4, 3 * pairs * elements->count);
        }
    }
    if (arena->failed) {
        return false;
    }
    list_corners(elements, vertex_count, out);
    return true;
}

/* Whether vertex v belongs to a part. */
static bool in_part(const TlOperator *A, int32_t v, int32_t part) {
    return v >= tl_part_begin(A, A->n, part) && v < tl_part_begin(A, A->n, part + 1);
}

/* Targets of all corners: their vertex, or the next place behind. Answers the places. */
static int32_t find_targets(TlOperator *A) {
    int32_t place = A->n;
    for (int32_t part = 0; part < A->part_count; part++) {
        A->part_place[part] = place;
        for (int32_t s = 0; s < A->set_count; s++) {
            TlGather *gather = &A->sets[s];
            int32_t arity = gather->elements.arity;
            int64_t end = tl_is_packed(&gather->elements)
                              ? (int64_t)arity * tl_part_first(A, &gather->elements, part + 1)
                              : 0;
            int64_t c = tl_is_packed(&gather->elements)
                            ? (int64_t)arity * tl_part_first(A, &gather->elements, part)
                            : 0;
            for (; c < end; c++) {
                int32_t v = gather->corner[c];
                gather->target[c] = in_part(A, v, part) ? v : place++;
            }
        }
    }
    A->part_place[A->part_count] = place;
    return place - A->n;
}

/* Vertices of the places, then the places of each vertex, ascending. */
static bool list_places(TlArena *arena, TlOperator *A, int32_t places) {
    A->extent = A->n + places + 1;
    A->place_start = TL_NEW(arena, int32_t, A->n + 2);
    A->place_item = TL_NEW(arena, int32_t, places);
    if (arena->failed) {
        return false;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t s = 0; s < A->set_count; s++) {
            TlGather *gather = &A->sets[s];
            int64_t corners = (int64_t)gather->elements.arity * gather->elements.count;
            for (int64_t c = 0; tl_is_packed(&gather->elements) && c < corners; c++) {
                int32_t v = gather->corner[c];
                if (gather->target[c] < A->n) {
                    continue;
                }
                if (pass == 0) {
                    A->place_start[v + 2]++;
                } else {
                    A->place_item[A->place_start[v + 1]++] = gather->target[c];
                }
            }
            int64_t padded =
                (int64_t)TL_WIDE * gather->elements.arity * tl_group_count(&gather->elements);
            for (int64_t c = corners; tl_is_packed(&gather->elements) && c < padded; c++) {
                gather->target[c] = A->extent - 1;
            }
        }
        for (int32_t v = 0; pass == 0 && v < A->n; v++) {
            A->place_start[v + 2] += A->place_start[v + 1];
        }
    }
    return true;
}

/* The element of a set that has both v and w for corners, the first of them; -1: none. */
static int32_t shared_element(const TlGather *gather, int32_t v, int32_t w, int32_t *a,
                              int32_t *b) {
    int32_t arity = gather->elements.arity;
    for (int32_t i = gather->start[v]; i < gather->start[v + 1]; i++) {
        int32_t e = gather->item[i] / arity;
        *a = gather->item[i] % arity;
        for (*b = 0; *b < arity; (*b)++) {
            if (gather->elements.vertex[(int64_t)arity * e + *b] == w) {
                return e;
            }
        }
    }
    return -1;
}

/* Adds a spring k between corners a and b to an element: p_a - p_b = sum of c_A times vector A. */
static void add_near(TlGather *gather, int32_t e, int32_t a, int32_t b, double k) {
    static const double triangle[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const double quad[4][3] = {
        {-0.5, 0, 0.25}, {0, 0.5, -0.25}, {0.5, 0, 0.25}, {0, -0.5, -0.25}};
    int32_t m = gather->elements.vectors;
    const double(*corner)[3] = m == 2 ? triangle : quad;
    TlFloat8 *out = gather->near + (int64_t)tl_near_count(&gather->elements) * (e / TL_WIDE);
    double c[3];
    for (int i = 0; i < 3; i++) {
        c[i] = corner[a][i] - corner[b][i];
    }
    for (int32_t i = 0; i < m; i++) {
        out[i][e % TL_WIDE] += (float)(k * c[i] * c[i]);
        for (int32_t j = i + 1; j < m; j++) {
            out[m + i + j - 1][e % TL_WIDE] += (float)(k * c[i] * c[j]);
        }
    }
}

/* Gives entry (v, w) of the bending matrix to a face with both for corners; false: there is none.
 */
static bool give_to_face(TlOperator *A, int32_t v, int32_t w, double value) {
    for (int32_t s = 0; s < A->set_count; s++) {
        int32_t a, b;
        int32_t e =
            tl_is_packed(&A->sets[s].elements) ? shared_element(&A->sets[s], v, w, &a, &b) : -1;
        if (e >= 0) {
            if (v < w) {
                add_near(&A->sets[s], e, a, b, -value);
            }
            return true;
        }
    }
    return false;
}

/* What reaches beyond a face of one row of the bending matrix, for a lane of slices; the rest goes
 * to faces. Answers how many entries. */
static int32_t split_row(TlOperator *A, int32_t v, int32_t *column, float *value) {
    const TlScalarMatrix *bend = A->bend;
    int32_t count = 0;
    for (int32_t s = bend->row_start[v]; s < bend->row_start[v + 1]; s++) {
        if (bend->column[s] == v) {
            A->bend_diagonal[v] = bend->value[s];
        } else if (!give_to_face(A, v, bend->column[s], bend->value[s])) {
            column[TL_SLICE * (int64_t)count] = bend->column[s];
            value[TL_SLICE * (int64_t)count++] = (float)bend->value[s];
        }
    }
    return count;
}

/* Most entries of a row in a slice. */
static int32_t longest_row(const TlOperator *A, int32_t slice) {
    int32_t longest = 0;
    for (int32_t v = TL_SLICE * slice; v < A->n && v < TL_SLICE * (slice + 1); v++) {
        int32_t length = A->bend->row_start[v + 1] - A->bend->row_start[v];
        longest = length > longest ? length : longest;
    }
    return longest;
}

static bool split_bending(TlArena *arena, TlOperator *out) {
    int32_t slices = tl_slice_count(out), room = 0;
    for (int32_t slice = 0; slice < slices; slice++) {
        room += longest_row(out, slice);
    }
    out->bend_start = TL_NEW(arena, int32_t, slices + 1);
    out->bend_column = TL_NEW(arena, int32_t, TL_SLICE * (int64_t)room);
    out->bend_value = TL_NEW(arena, float, TL_SLICE *(int64_t)room);
    out->bend_diagonal = TL_NEW(arena, double, out->n);
    for (int32_t slice = 0; !arena->failed && slice < slices; slice++) {
        int32_t start = out->bend_start[slice], widest = 0, count[TL_SLICE] = {0};
        int32_t *column = out->bend_column + TL_SLICE * (int64_t)start;
        float *value = out->bend_value + TL_SLICE * (int64_t)start;
        for (int32_t k = 0; k < TL_SLICE && TL_SLICE * slice + k < out->n; k++) {
            count[k] = split_row(out, TL_SLICE * slice + k, column + k, value + k);
            widest = count[k] > widest ? count[k] : widest;
        }
        for (int32_t k = 0; k < TL_SLICE; k++) {
            int32_t v = TL_SLICE * slice + k;
            for (int32_t i = count[k]; i < widest; i++) {
                column[TL_SLICE * i + k] = v < out->n ? v : out->n - 1;
                value[TL_SLICE * i + k] = 0.0F;
            }
        }
        out->bend_start[slice + 1] = start + widest;
    }
    return !arena->failed;
}

bool tl_operator_build(TlArena *arena, TlGather *sets, int32_t set_count,
                       const TlScalarMatrix *bend, const double *weight, const uint8_t *fixed,
                       TlOperator *out) {
    int64_t n = bend->row_count;
    int32_t parts = bend->row_count / PART_VERTICES;
    out->n = bend->row_count;
    out->sets = sets;
    out->set_count = set_count;
    out->weight = weight;
    out->bend = bend;
    out->fixed = fixed;
    out->part_count = parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : parts;
    out->part_place = TL_NEW(arena, int32_t, out->part_count + 1);
    out->touched = TL_NEW(arena, uint8_t, n);
    out->contact = TL_NEW(arena, double, 9 * n);
    out->own = TL_NEW(arena, float, n);
    out->inverse = TL_NEW(arena, TlFloat4, 2 * n);
    if (arena->failed || !split_bending(arena, out) ||
        !list_places(arena, out, find_targets(out))) {
        return false;
    }
    out->grad = TL_NEW(arena, TlDouble4, out->extent);
    out->diagonal = TL_NEW(arena, TlFloat4, 2 * (int64_t)out->extent);
    return !arena->failed;
}
