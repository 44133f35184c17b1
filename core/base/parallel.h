/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed partitions over a worker pool. Work is cut into chunks whose number and size depend on the
 * problem alone, and sums are taken chunk by chunk in order, so that the number of workers never
 * changes a bit. */
#ifndef TL_PARALLEL_H
#define TL_PARALLEL_H

#include "toile/base.h"

enum { TL_MAX_CHUNKS = 256 };

typedef struct TlPool TlPool;

/* Works on items [begin, end). */
typedef void (*TlRange)(void *context, int32_t begin, int32_t end);
/* The same, and answers that range's part of a sum, or its largest number. */
typedef double (*TlRangeSum)(void *context, int32_t begin, int32_t end);

/* `workers` of 1 makes no thread; 0 takes one per processor. `tasks` with a run function makes the
 * host do the work. When a thread cannot be had the pool goes on with fewer. NULL when memory is
 * refused. */
TlPool *tl_pool_create(int32_t workers, const ToileTasks *tasks);
void tl_pool_destroy(TlPool *pool);
int32_t tl_pool_workers(const TlPool *pool);
/* Whether chunks may be done side by side, by workers or by the host. */
bool tl_pool_is_parallel(const TlPool *pool);

/* Calls `range` on all of [0, count), cut into chunks of at least `grain` items. */
void tl_parallel_for(TlPool *pool, int32_t count, int32_t grain, TlRange range, void *context);
/* The sum over all chunks, added in the order of chunks. */
double tl_parallel_sum(TlPool *pool, int32_t count, int32_t grain, TlRangeSum range, void *context);
/* The largest answer of all chunks; 0 when there is none that is larger. */
double tl_parallel_max(TlPool *pool, int32_t count, int32_t grain, TlRangeSum range, void *context);

#endif
