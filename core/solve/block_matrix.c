/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Pattern, gathering and products of the block matrix; see block_matrix.h. */
#include "solve/block_matrix.h"

#include <string.h>

static bool has_hessian(const TlGather *gather) {
    return gather->elements.hessian >= 0;
}

/* Slots of one set: for every corner as many as its element has corners. */
static int64_t slot_count(const TlElements *elements) {
    int64_t total = 0;
    for (int32_t e = 0; e < elements->count; e++) {
        int64_t arity = tl_first_corner(elements, e + 1) - tl_first_corner(elements, e);
        total += arity * arity;
    }
    return total;
}

bool tl_gather_build(TlArena *arena, const TlElements *elements, int32_t vertex_count,
                     TlGather *out) {
    int32_t corners = tl_first_corner(elements, elements->count);
    out->elements = *elements;
    int64_t slots = has_hessian(out) ? slot_count(elements) : 0;
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    int32_t *owner = TL_NEW(&scratch, int32_t, corners);
    out->grad = TL_NEW(arena, double, 3 * (int64_t)corners);
    out->hess = TL_NEW(arena, double, tl_hessian_size(elements));
    out->start = TL_NEW(arena, int32_t, vertex_count + 2);
    out->item = TL_NEW(arena, int32_t, corners);
    out->element = TL_NEW(arena, int32_t, corners);
    out->slot_at = TL_NEW(arena, int32_t, corners + 1);
    out->slot = TL_NEW(arena, int32_t, slots);
    if (arena->failed || owner == NULL || slots > INT32_MAX) {
        tl_arena_free(&scratch);
        return false;
    }
    for (int32_t e = 0; e < elements->count; e++) {
        for (int32_t c = tl_first_corner(elements, e); c < tl_first_corner(elements, e + 1); c++) {
            owner[c] = e;
        }
    }
    for (int32_t c = 0; c < corners; c++) {
        out->start[elements->vertex[c] + 2]++;
    }
    for (int32_t v = 0; v < vertex_count; v++) {
        out->start[v + 2] += out->start[v + 1];
    }
    for (int32_t c = 0; c < corners; c++) {
        out->item[out->start[elements->vertex[c] + 1]++] = c;
    }
    for (int32_t i = 0; i < corners; i++) {
        int32_t e = out->element[i] = owner[out->item[i]];
        out->slot_at[i + 1] =
            out->slot_at[i] + tl_first_corner(elements, e + 1) - tl_first_corner(elements, e);
    }
    tl_arena_free(&scratch);
    return true;
}

/* Inserts a column into a sorted row of `count`; answers the new count. */
static int32_t insert_column(int32_t *row, int32_t count, int32_t column) {
    int32_t i = count;
    while (i > 0 && row[i - 1] > column) {
        i--;
    }
    if (i > 0 && row[i - 1] == column) {
        return count;
    }
    memmove(row + i + 1, row + i, sizeof *row * (size_t)(count - i));
    row[i] = column;
    return count + 1;
}

static int32_t find_column(const TlBlockMatrix *A, int32_t row, int32_t column) {
    int32_t low = A->row_start[row], high = A->row_start[row + 1];
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (A->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < A->row_start[row + 1] && A->column[low] == column ? low : -1;
}

/* Adds the columns that one set brings to row v of `count` entries; answers the new count. */
static int32_t add_columns(const TlGather *gather, int32_t v, int32_t *row, int32_t count) {
    const TlElements *elements = &gather->elements;
    for (int32_t i = gather->start[v]; i < gather->start[v + 1]; i++) {
        int32_t e = gather->element[i];
        for (int32_t c = tl_first_corner(elements, e); c < tl_first_corner(elements, e + 1); c++) {
            count = insert_column(row, count, elements->vertex[c]);
        }
    }
    return count;
}

/* Columns of all rows into `columns`, and row_start. */
static void build_rows(const TlGather *gathers, int32_t gather_count, int32_t n, int32_t *row_start,
                       int32_t *columns) {
    for (int32_t v = 0; v < n; v++) {
        int32_t *row = columns + row_start[v];
        int32_t count = insert_column(row, 0, v);
        for (int32_t g = 0; g < gather_count; g++) {
            count = has_hessian(&gathers[g]) ? add_columns(&gathers[g], v, row, count) : count;
        }
        row_start[v + 1] = row_start[v] + count;
    }
}

static void build_slots(const TlBlockMatrix *A, TlGather *gather) {
    const TlElements *elements = &gather->elements;
    for (int32_t v = 0; v < A->n; v++) {
        for (int32_t i = gather->start[v]; i < gather->start[v + 1]; i++) {
            const int32_t *vertex =
                elements->vertex + tl_first_corner(elements, gather->element[i]);
            for (int32_t s = gather->slot_at[i]; s < gather->slot_at[i + 1]; s++) {
                gather->slot[s] = find_column(A, v, *vertex++);
            }
        }
    }
}

/* Entries of `bend` inside the pattern go to near, the others to far. */
static bool split_bending(TlArena *arena, const TlScalarMatrix *bend, TlBlockMatrix *A) {
    int32_t total = bend->row_start[A->n];
    A->far.row_count = A->n;
    A->far.row_start = TL_NEW(arena, int32_t, A->n + 1);
    A->far.column = TL_NEW(arena, int32_t, total);
    A->far.value = TL_NEW(arena, double, total);
    if (A->far.row_start == NULL || A->far.column == NULL || A->far.value == NULL) {
        return false;
    }
    int32_t count = 0;
    for (int32_t v = 0; v < A->n; v++) {
        for (int32_t i = bend->row_start[v]; i < bend->row_start[v + 1]; i++) {
            int32_t slot = find_column(A, v, bend->column[i]);
            if (slot >= 0) {
                A->near[slot] = bend->value[i];
            } else {
                A->far.column[count] = bend->column[i];
                A->far.value[count] = bend->value[i];
                count++;
            }
        }
        A->far.row_start[v + 1] = count;
    }
    return true;
}

bool tl_block_matrix_build(TlArena *arena, TlGather *gathers, int32_t count,
                           const TlScalarMatrix *bend, TlBlockMatrix *out) {
    int32_t n = bend->row_count;
    int64_t most = n;
    for (int32_t g = 0; g < count; g++) {
        most += has_hessian(&gathers[g]) ? slot_count(&gathers[g].elements) : 0;
    }
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    int32_t *columns = TL_NEW(&scratch, int32_t, most);
    out->n = n;
    out->row_start = TL_NEW(arena, int32_t, n + 1);
    out->diagonal = TL_NEW(arena, int32_t, n);
    bool ok = columns != NULL && out->row_start != NULL && out->diagonal != NULL;
    if (ok) {
        build_rows(gathers, count, n, out->row_start, columns);
        int32_t total = out->row_start[n];
        out->column = TL_NEW(arena, int32_t, total);
        out->block = TL_NEW(arena, double, 9 * (int64_t)total);
        out->near = TL_NEW(arena, double, total);
        ok = out->column != NULL && out->block != NULL && out->near != NULL;
        if (ok) {
            memcpy(out->column, columns, sizeof *columns * (size_t)total);
        }
    }
    tl_arena_free(&scratch);
    if (!ok) {
        return false;
    }
    for (int32_t v = 0; v < n; v++) {
        out->diagonal[v] = find_column(out, v, v);
    }
    for (int32_t g = 0; g < count; g++) {
        if (has_hessian(&gathers[g])) {
            build_slots(out, &gathers[g]);
        }
    }
    return split_bending(arena, bend, out);
}

/* block += element block (a, b), transposed when it is stored as (b, a). */
static void add_block(double *block, const double *hess, int32_t arity, int32_t a, int32_t b) {
    if (a <= b) {
        const double *from = hess + 9 * tl_block_index(arity, a, b);
        for (int i = 0; i < 9; i++) {
            block[i] += from[i];
        }
        return;
    }
    const double *from = hess + 9 * tl_block_index(arity, b, a);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            block[3 * i + j] += from[3 * j + i];
        }
    }
}

/* Blocks of the elements around vertices [begin, end). */
static void gather_blocks(TlBlockMatrix *A, const TlGather *gather, int32_t begin, int32_t end) {
    int32_t arity = gather->elements.arity, stride = 9 * tl_block_count(arity);
    for (int32_t i = gather->start[begin]; i < gather->start[end]; i++) {
        int32_t a = gather->item[i] % arity;
        const int32_t *slot = gather->slot + gather->slot_at[i];
        const double *hess = gather->hess + (int64_t)gather->element[i] * stride;
        for (int32_t b = 0; b < arity; b++) {
            add_block(A->block + 9 * (int64_t)slot[b], hess, arity, a, b);
        }
    }
}

/* The same from rows g: block (a, b) = sum of g_a g_b^T. */
static void gather_rows(TlBlockMatrix *A, const TlGather *gather, int32_t begin, int32_t end) {
    const TlElements *elements = &gather->elements;
    for (int32_t i = gather->start[begin]; i < gather->start[end]; i++) {
        int32_t first = tl_first_corner(elements, gather->element[i]);
        int32_t a = gather->item[i] - first, arity = gather->slot_at[i + 1] - gather->slot_at[i];
        const int32_t *slot = gather->slot + gather->slot_at[i];
        const double *row = gather->hess + (int64_t)3 * elements->hessian * first;
        for (int32_t k = 0; k < elements->hessian; k++, row += 3 * arity) {
            const double *p = row + 3 * a;
            for (int32_t b = 0; b < arity; b++) {
                double *block = A->block + 9 * (int64_t)slot[b];
                const double *q = row + 3 * b;
                for (int j = 0; j < 3; j++) {
                    block[3 * j] += p[j] * q[0];
                    block[3 * j + 1] += p[j] * q[1];
                    block[3 * j + 2] += p[j] * q[2];
                }
            }
        }
    }
}

void tl_block_matrix_gather(TlBlockMatrix *A, const TlGather *gathers, int32_t count, int32_t begin,
                            int32_t end) {
    for (int32_t s = A->row_start[begin]; s < A->row_start[end]; s++) {
        for (int i = 0; i < 9; i++) {
            A->block[9 * (int64_t)s + i] = i % 4 == 0 ? A->near[s] : 0.0;
        }
    }
    for (int32_t g = 0; g < count; g++) {
        if (gathers[g].elements.hessian == TL_HESSIAN_BLOCKS) {
            gather_blocks(A, &gathers[g], begin, end);
        } else if (has_hessian(&gathers[g])) {
            gather_rows(A, &gathers[g], begin, end);
        }
    }
}

void tl_block_matrix_row(const TlBlockMatrix *A, int32_t v, const double *p, double out[3]) {
    double x = 0.0, y = 0.0, z = 0.0;
    for (int32_t s = A->row_start[v]; s < A->row_start[v + 1]; s++) {
        const double *b = A->block + 9 * (int64_t)s, *q = p + 3 * (int64_t)A->column[s];
        x += b[0] * q[0] + b[1] * q[1] + b[2] * q[2];
        y += b[3] * q[0] + b[4] * q[1] + b[5] * q[2];
        z += b[6] * q[0] + b[7] * q[1] + b[8] * q[2];
    }
    for (int32_t s = A->far.row_start[v]; s < A->far.row_start[v + 1]; s++) {
        const double *q = p + 3 * (int64_t)A->far.column[s];
        x += A->far.value[s] * q[0];
        y += A->far.value[s] * q[1];
        z += A->far.value[s] * q[2];
    }
    out[0] = x;
    out[1] = y;
    out[2] = z;
}
