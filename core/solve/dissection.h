/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* An order of elimination that keeps a factor sparse. */
#ifndef TL_DISSECTION_H
#define TL_DISSECTION_H

#include "base/alloc.h"
#include "base/sparse.h"

/* Nested dissection of the graph of a symmetric matrix: order[k] is the row eliminated k-th.
 * Depends on the pattern alone. False when memory is refused. */
bool tl_dissection(ToileAllocator allocator, const TlScalarMatrix *matrix, int32_t *order);

#endif
