/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Worker pool. One job at a time: `ticket` holds the job's number (high half), the number of its
 * chunks and how many were taken from its front and from its back (low half), so that a worker that
 * comes late can never take a chunk of another job. The caller and every second worker take from
 * the front, the others from the back: from job to job a worker then meets much the same part of
 * the arrays, which its cache still holds. A worker spins for the next job, then sleeps: for about
 * half a millisecond, longer than the caller works alone within a step, because waking takes long,
 * above all in virtual machines. */
#include "base/parallel.h"

#include "base/platform.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { TL_MAX_WORKERS = 256, TL_SPINS = 400000 };

typedef struct Worker {
    TlPool *pool;
    TlThread *thread;
    TlSemaphore *wake;
    atomic_int asleep;
} Worker;

typedef void (*ChunkFn)(void *context, int32_t chunk);

struct TlPool {
    int32_t worker_count; /* the caller included */
    int32_t spins;
    ToileTasks tasks;
    Worker *workers; /* worker_count - 1 */
    _Atomic(ChunkFn) job;
    _Atomic(void *) context;
    atomic_uint_fast64_t ticket;
    atomic_int_fast32_t done;
    atomic_bool quit;
};

/* Places in the low half of a ticket. */
enum { PART_BITS = 10, PART_MASK = (1 << PART_BITS) - 1 };

/* Takes and does chunks of the current job until none is left. */
static void work(TlPool *pool, bool from_back) {
    uint_fast64_t ticket = atomic_load(&pool->ticket);
    for (;;) {
        int32_t count = (int32_t)(ticket >> (2 * PART_BITS)) & PART_MASK;
        int32_t back = (int32_t)(ticket >> PART_BITS) & PART_MASK,
                front = (int32_t)ticket & PART_MASK;
        if (front + back >= count) {
            return;
        }
        ChunkFn job = atomic_load_explicit(&pool->job, memory_order_relaxed);
        void *context = atomic_load_explicit(&pool->context, memory_order_relaxed);
        uint_fast64_t taken = ticket + (from_back ? 1 << PART_BITS : 1);
        if (atomic_compare_exchange_weak(&pool->ticket, &ticket, taken)) {
            job(context, from_back ? count - 1 - back : front);
            atomic_fetch_add(&pool->done, 1);
            ticket = atomic_load(&pool->ticket);
        }
    }
}

/* Waits until the job number differs from `seen` or the pool quits. */
static void wait_for_job(Worker *worker, uint32_t seen) {
    TlPool *pool = worker->pool;
    for (int32_t i = 0; i < pool->spins; i++) {
        if ((uint32_t)(atomic_load(&pool->ticket) >> 32) != seen || atomic_load(&pool->quit)) {
            return;
        }
    }
    atomic_store(&worker->asleep, 1);
    if ((uint32_t)(atomic_load(&pool->ticket) >> 32) != seen || atomic_load(&pool->quit)) {
        int expected = 1;
        if (atomic_compare_exchange_strong(&worker->asleep, &expected, 0)) {
            return;
        }
    }
    tl_semaphore_wait(worker->wake);
}

static void worker_main(void *argument) {
    Worker *worker = argument;
    TlPool *pool = worker->pool;
    uint32_t seen = 0;
    while (!atomic_load(&pool->quit)) {
        wait_for_job(worker, seen);
        seen = (uint32_t)(atomic_load(&pool->ticket) >> 32);
        work(pool, (worker - pool->workers) % 2 == 0);
    }
}

static void wake_workers(TlPool *pool, int32_t most) {
    for (int32_t i = 0; i < pool->worker_count - 1 && i < most; i++) {
        Worker *worker = &pool->workers[i];
        if (atomic_exchange(&worker->asleep, 0) == 1) {
            tl_semaphore_post(worker->wake);
        }
    }
}

static bool start_worker(TlPool *pool, Worker *worker) {
    worker->pool = pool;
    worker->wake = tl_semaphore_create();
    if (worker->wake == NULL) {
        return false;
    }
    worker->thread = tl_thread_create(worker_main, worker);
    if (worker->thread == NULL) {
        tl_semaphore_destroy(worker->wake);
        return false;
    }
    return true;
}

TlPool *tl_pool_create(int32_t workers, const ToileTasks *tasks) {
    TlPool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) {
        return NULL;
    }
    int32_t processors = tl_processor_count();
    if (workers < 1) {
        workers = processors;
    }
    if (workers > TL_MAX_WORKERS) {
        workers = TL_MAX_WORKERS;
    }
    if (tasks != NULL && tasks->run != NULL) {
        pool->tasks = *tasks;
        workers = 1;
    }
    /* spinning only helps when every worker has a processor */
    pool->spins = workers <= processors ? TL_SPINS : 0;
    pool->worker_count = 1;
    pool->workers = calloc((size_t)workers, sizeof *pool->workers);
    if (pool->workers == NULL) {
        free(pool);
        return NULL;
    }
    while (pool->worker_count < workers &&
           start_worker(pool, &pool->workers[pool->worker_count - 1])) {
        pool->worker_count++;
    }
    return pool;
}

void tl_pool_destroy(TlPool *pool) {
    if (pool == NULL) {
        return;
    }
    atomic_store(&pool->quit, true);
    wake_workers(pool, pool->worker_count);
    for (int32_t i = 0; i < pool->worker_count - 1; i++) {
        tl_thread_join(pool->workers[i].thread);
        tl_semaphore_destroy(pool->workers[i].wake);
    }
    free(pool->workers);
    free(pool);
}

int32_t tl_pool_workers(const TlPool *pool) {
    return pool->worker_count;
}

bool tl_pool_is_parallel(const TlPool *pool) {
    return pool->worker_count > 1 || pool->tasks.run != NULL;
}

static void run_chunks(TlPool *pool, int32_t chunk_count, ChunkFn job, void *context) {
    if (chunk_count > 1 && pool->tasks.run != NULL) {
        pool->tasks.run(pool->tasks.user, job, context, chunk_count);
        return;
    }
    if (chunk_count <= 1 || pool->worker_count == 1) {
        for (int32_t i = 0; i < chunk_count; i++) {
            job(context, i);
        }
        return;
    }
    uint32_t number = (uint32_t)(atomic_load(&pool->ticket) >> 32) + 1;
    atomic_store_explicit(&pool->job, job, memory_order_relaxed);
    atomic_store_explicit(&pool->context, context, memory_order_relaxed);
    atomic_store(&pool->done, 0);
    atomic_store(&pool->ticket, (uint64_t)number << 32 | (uint64_t)chunk_count << (2 * PART_BITS));
    wake_workers(pool, chunk_count - 1);
    work(pool, false);
    for (int32_t spins = 0; atomic_load(&pool->done) < chunk_count; spins++) {
        if (spins >= pool->spins) {
            tl_thread_yield();
        }
    }
}

typedef struct Job {
    TlRange range;
    TlRangeSum sum;
    void *context;
    int32_t count, chunk;
    double partial[TL_MAX_CHUNKS];
} Job;

static void do_chunk(void *data, int32_t i) {
    Job *job = data;
    int32_t begin = i * job->chunk;
    int32_t end = job->count - begin < job->chunk ? job->count : begin + job->chunk;
    if (job->sum != NULL) {
        job->partial[i] = job->sum(job->context, begin, end);
    } else {
        job->range(job->context, begin, end);
    }
}

static int32_t run_job(TlPool *pool, Job *job, int32_t grain) {
    int32_t chunk = (job->count + TL_MAX_CHUNKS - 1) / TL_MAX_CHUNKS;
    job->chunk = chunk > grain ? chunk : grain;
    int32_t chunk_count = (job->count + job->chunk - 1) / job->chunk;
    run_chunks(pool, chunk_count, do_chunk, job);
    return chunk_count;
}

void tl_parallel_for(TlPool *pool, int32_t count, int32_t grain, TlRange range, void *context) {
    Job job;
    job.range = range;
    job.sum = NULL;
    job.context = context;
    job.count = count;
    run_job(pool, &job, grain);
}

static int32_t run_sum(TlPool *pool, Job *job, int32_t count, int32_t grain, TlRangeSum range,
                       void *context) {
    job->range = NULL;
    job->sum = range;
    job->context = context;
    job->count = count;
    return run_job(pool, job, grain);
}

double tl_parallel_sum(TlPool *pool, int32_t count, int32_t grain, TlRangeSum range,
                       void *context) {
    Job job;
    int32_t chunk_count = run_sum(pool, &job, count, grain, range, context);
    double total = 0.0;
    for (int32_t i = 0; i < chunk_count; i++) {
        total += job.partial[i];
    }
    return total;
}

double tl_parallel_max(TlPool *pool, int32_t count, int32_t grain, TlRangeSum range,
                       void *context) {
    Job job;
    int32_t chunk_count = run_sum(pool, &job, count, grain, range, context);
    double most = 0.0;
    for (int32_t i = 0; i < chunk_count; i++) {
        most = job.partial[i] > most ? job.partial[i] : most;
    }
    return most;
}
