/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Right-looking Cholesky by panels of columns: the square on the diagonal first, then the rows
 * below it, then what these columns take off all columns to come. What an entry loses it loses
 * column by column, as if there were no panels. */
#include "solve/cholesky.h"

#include "base/lanes.h"

#include <math.h>

enum { PANEL = TL_CHOLESKY_PANEL, ROW_GRAIN = 16 };
/* of a diagonal entry: pivots below it are rounding, also in single precision */
#define DEPENDENT 1e-10

typedef struct Factor {
    double *matrix;
    double *panel;            /* rows below the square, eight at a time, by columns of the panel */
    int64_t size, begin, end; /* columns of the panel */
} Factor;

/* The numbers of eight rows from row i on in the panel: TL_WIDE for each column. */
static double *tile_of(const Factor *in, int64_t i) {
    return in->panel + PANEL * TL_WIDE * (i / TL_WIDE) + i % TL_WIDE;
}

/* The part of row i within the panel, whose diagonal square is done as far as the row needs it. */
static void finish_row(const Factor *in, double *row, int64_t last) {
    for (int64_t k = in->begin; k < last; k++) {
        const double *above = in->matrix + k * in->size;
        double sum = row[k];
        for (int64_t j = in->begin; j < k; j++) {
            sum -= row[j] * above[j];
        }
        row[k] = sum / above[k];
    }
}

/* The square on the diagonal; false when a pivot is negative. */
static bool factor_square(const Factor *in, const double *diagonal) {
    for (int64_t k = in->begin; k < in->end; k++) {
        double *row = in->matrix + k * in->size, least = DEPENDENT * diagonal[k];
        finish_row(in, row, k);
        double pivot = row[k];
        for (int64_t j = in->begin; j < k; j++) {
            pivot -= row[j] * row[j];
        }
        if (!(pivot >= -least)) {
            return false;
        }
        row[k] = pivot > least ? sqrt(pivot) : (double)INFINITY;
    }
    return true;
}

/* Rows [begin, end) below the square. */
static void finish_rows(void *data, int32_t begin, int32_t end) {
    const Factor *in = data;
    for (int64_t i = in->end + begin; i < in->end + end; i++) {
        double *row = in->matrix + i * in->size, *tile = tile_of(in, i - in->end);
        finish_row(in, row, in->end);
        for (int64_t k = in->begin; k < in->end; k++, tile += TL_WIDE) {
            *tile = row[k];
        }
    }
}

TL_INLINE TlDouble4 load4(const double *at) {
    TlDouble4 out;
    __builtin_memcpy(&out, at, sizeof out);
    return out;
}
TL_INLINE void store4(double *at, TlDouble4 a) {
    __builtin_memcpy(at, &a, sizeof a);
}

/* Takes the columns of the panel off eight entries of two rows, a and b, from column j on. */
TL_INLINE void reduce_tile(const Factor *in, const double *tile, double *a, double *b, int64_t j) {
    TlDouble4 a0 = load4(a + j), a1 = load4(a + j + TL_LANES);
    TlDouble4 b0 = load4(b + j), b1 = load4(b + j + TL_LANES);
    for (int64_t k = in->begin; k < in->end; k++, tile += TL_WIDE) {
        TlDouble4 c0 = load4(tile), c1 = load4(tile + TL_LANES);
        a0 -= a[k] * c0;
        a1 -= a[k] * c1;
        b0 -= b[k] * c0;
        b1 -= b[k] * c1;
    }
    store4(a + j, a0);
    store4(a + j + TL_LANES, a1);
    store4(b + j, b0);
    store4(b + j + TL_LANES, b1);
}

/* The same one by one, from column j on to the diagonal of row i. */
TL_INLINE void reduce_rest(const Factor *in, double *row, int64_t j, int64_t i) {
    for (; j <= i; j++) {
        const double *tile = tile_of(in, j - in->end);
        for (int64_t k = in->begin; k < in->end; k++, tile += TL_WIDE) {
            row[j] -= row[k] * *tile;
        }
    }
}

/* Takes the columns of the panel off the rest of the same rows. Tiles may reach beyond the
 * diagonal, into numbers that nobody reads. */
TL_HOT static void reduce_rows(void *data, int32_t begin, int32_t end) {
    const Factor *in = data;
    for (int64_t i = in->end + begin; i < in->end + end; i += 2) {
        bool both = i + 1 < in->end + end;
        double *a = in->matrix + i * in->size, *b = both ? a + in->size : a;
        int64_t j = in->end;
        for (; both && j <= i + 1 && j + TL_WIDE <= in->size; j += TL_WIDE) {
            reduce_tile(in, tile_of(in, j - in->end), a, b, j);
        }
        reduce_rest(in, a, j, i);
        if (both) {
            reduce_rest(in, b, j, i + 1);
        }
    }
}

bool tl_cholesky(TlPool *pool, double *matrix, double *work, const double *diagonal, int64_t size) {
    Factor in = {matrix, work, size, 0, 0};
    bool ok = true;
    for (; ok && in.begin < size; in.begin = in.end) {
        in.end = size - in.begin < PANEL ? size : in.begin + PANEL;
        ok = factor_square(&in, diagonal);
        if (ok) {
            int32_t below = (int32_t)(size - in.end);
            tl_parallel_for(pool, below, ROW_GRAIN, finish_rows, &in);
            tl_parallel_for(pool, below, ROW_GRAIN, reduce_rows, &in);
        }
    }
    return ok;
}
