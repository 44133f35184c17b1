/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Up-looking L D L^T: row k of L solves a triangular system with the rows above it; its pattern are
 * the paths in the elimination tree from the entries of row k up to k.
 *
 * [L90] Liu: The role of elimination trees in sparse factorization, 1990. */
#include "solve/ldl.h"

#include "solve/dissection.h"

#include <string.h>

/* Marks the path from column i up to the part of the tree that row k has met already; answers its
 * length. `path` gets it from i upwards. Before the tree is known, k becomes the parent of a root.
 */
static int32_t climb(TlLdl *ldl, int32_t i, int32_t k, int32_t *path) {
    int32_t length = 0;
    while (ldl->mark[i] != k) {
        path[length++] = i;
        ldl->mark[i] = k;
        ldl->parent[i] = ldl->parent[i] < 0 ? k : ldl->parent[i];
        i = ldl->parent[i];
    }
    return length;
}

/* Elimination tree, and the number of entries of every column into start[column + 1]. */
static void find_pattern(TlLdl *ldl, const TlScalarMatrix *matrix) {
    for (int32_t k = 0; k < ldl->n; k++) {
        int32_t from = ldl->order[k];
        ldl->parent[k] = -1;
        ldl->mark[k] = k;
        for (int32_t s = matrix->row_start[from]; s < matrix->row_start[from + 1]; s++) {
            int32_t i = ldl->place[matrix->column[s]];
            int32_t length = i < k ? climb(ldl, i, k, ldl->path) : 0;
            for (int32_t j = 0; j < length; j++) {
                ldl->start[ldl->path[j] + 1]++;
            }
        }
    }
}

bool tl_ldl_build(TlArena *arena, const TlScalarMatrix *matrix, TlLdl *out) {
    int32_t n = matrix->row_count;
    out->n = n;
    out->order = TL_NEW(arena, int32_t, n);
    out->place = TL_NEW(arena, int32_t, n);
    out->parent = TL_NEW(arena, int32_t, n);
    out->start = TL_NEW(arena, int64_t, (int64_t)n + 1);
    out->pivot = TL_NEW(arena, double, n);
    out->mark = TL_NEW(arena, int32_t, n);
    out->path = TL_NEW(arena, int32_t, n);
    out->filled = TL_NEW(arena, int64_t, n);
    out->y = TL_NEW(arena, double, 3 * (int64_t)n);
    if (arena->failed || !tl_dissection(arena->allocator, matrix, out->order)) {
        return false;
    }
    for (int32_t k = 0; k < n; k++) {
        out->place[out->order[k]] = k;
    }
    find_pattern(out, matrix);
    for (int32_t k = 0; k < n; k++) {
        out->start[k + 1] += out->start[k];
    }
    out->row = TL_NEW(arena, int32_t, out->start[n]);
    out->value = TL_NEW(arena, double, out->start[n]);
    return out->row != NULL && out->value != NULL;
}

/* Entries of row k left of the diagonal into y; answers where their paths begin in ldl->path, from
 * there to the end in the order of elimination. */
static int32_t scatter_row(TlLdl *ldl, const TlScalarMatrix *matrix, double scale,
                           const uint8_t *fixed, int32_t k) {
    int32_t from = ldl->order[k], top = ldl->n;
    for (int32_t s = matrix->row_start[from]; s < matrix->row_start[from + 1]; s++) {
        int32_t column = matrix->column[s], i = ldl->place[column];
        if (column == from) {
            ldl->pivot[k] += fixed[from] ? 0.0 : scale * matrix->value[s];
        } else if (i < k) {
            ldl->y[i] += fixed[from] || fixed[column] ? 0.0 : scale * matrix->value[s];
            /* a later path ends in an earlier one, so it stands before it */
            int32_t length = climb(ldl, i, k, ldl->path);
            top -= length;
            memmove(ldl->path + top, ldl->path, sizeof *ldl->path * (size_t)length);
        }
    }
    return top;
}

/* y_i = a_ki - sum over j < i of L_kj D_j L_ij, column by column. */
static void eliminate_row(TlLdl *ldl, int32_t k, int32_t top) {
    for (int32_t t = top; t < ldl->n; t++) {
        int32_t i = ldl->path[t];
        double yi = ldl->y[i], l = yi / ldl->pivot[i];
        ldl->y[i] = 0.0;
        for (int64_t p = ldl->start[i]; p < ldl->filled[i]; p++) {
            ldl->y[ldl->row[p]] -= ldl->value[p] * yi;
        }
        ldl->pivot[k] -= l * yi;
        ldl->row[ldl->filled[i]] = k;
        ldl->value[ldl->filled[i]++] = l;
    }
}

bool tl_ldl_factor(TlLdl *ldl, const TlScalarMatrix *matrix, double scale, const double *diagonal,
                   const uint8_t *fixed) {
    bool positive = true;
    for (int32_t k = 0; k < ldl->n; k++) {
        ldl->mark[k] = -1;
        ldl->y[k] = 0.0;
        ldl->filled[k] = ldl->start[k];
    }
    for (int32_t k = 0; k < ldl->n; k++) {
        ldl->mark[k] = k;
        ldl->pivot[k] = diagonal[ldl->order[k]];
        eliminate_row(ldl, k, scatter_row(ldl, matrix, scale, fixed, k));
        positive = positive && ldl->pivot[k] > 0.0;
    }
    return positive;
}

void tl_ldl_solve(const TlLdl *ldl, double *b) {
    double *y = ldl->y;
    for (int32_t k = 0; k < ldl->n; k++) {
        memcpy(y + 3 * (int64_t)k, b + 3 * (int64_t)ldl->order[k], 3 * sizeof *y);
    }
    for (int32_t k = 0; k < ldl->n; k++) {
        const double *from = y + 3 * (int64_t)k;
        for (int64_t p = ldl->start[k]; p < ldl->start[k + 1]; p++) {
            double *to = y + 3 * (int64_t)ldl->row[p], l = ldl->value[p];
            to[0] -= l * from[0];
            to[1] -= l * from[1];
            to[2] -= l * from[2];
        }
    }
    for (int32_t k = ldl->n - 1; k >= 0; k--) {
        double *to = y + 3 * (int64_t)k, d = ldl->pivot[k];
        double sum[3] = {to[0] / d, to[1] / d, to[2] / d};
        for (int64_t p = ldl->start[k]; p < ldl->start[k + 1]; p++) {
            const double *from = y + 3 * (int64_t)ldl->row[p];
            for (int i = 0; i < 3; i++) {
                sum[i] -= ldl->value[p] * from[i];
            }
        }
        memcpy(to, sum, sizeof sum);
        memcpy(b + 3 * (int64_t)ldl->order[k], sum, sizeof sum);
    }
}
