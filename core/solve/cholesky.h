/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky's factor of a dense matrix, by all workers. Layer 4. */
#ifndef TL_CHOLESKY_H
#define TL_CHOLESKY_H

#include "base/parallel.h"

#include <stdbool.h>

/* Columns that are done at once. */
enum { TL_CHOLESKY_PANEL = 32 };

/* Numbers that work on a matrix of so many rows needs. */
static inline int64_t tl_cholesky_work(int64_t size) {
    return TL_CHOLESKY_PANEL * (size + 8);
}

/* The lower half of `matrix`, size x size by rows, becomes L; false when a pivot is negative. Rows
 * that depend on others, whose pivots are no more than rounding of `diagonal`, the diagonal as it
 * was, get an infinite pivot, which takes them out of all solutions. Every number is found by the
 * same operations in the same order for any number of workers. */
bool tl_cholesky(TlPool *pool, double *matrix, double *work, const double *diagonal, int64_t size);

#endif
