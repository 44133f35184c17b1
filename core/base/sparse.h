/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse n x n matrix of scalars, applied to vectors of three: L (x) I3. Rows are sorted by column.
 */
#ifndef TL_SPARSE_H
#define TL_SPARSE_H

#include <stdint.h>

typedef struct TlScalarMatrix {
    int32_t row_count;
    int32_t *row_start; /* row_count + 1 */
    int32_t *column;
    double *value;
} TlScalarMatrix;

#endif
