/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The worker pool: every item once, sums that do not depend on the workers, many small jobs, many
 * pools. */
#include "base/parallel.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

static const int32_t worker_counts[] = {1, 2, 3, 8, 16};
enum { POOLS = 5, HOSTS = 2 };

/* Pools of every size, then pools on the host's tasks. */
static TlPool *pool_number(int i) {
    ToileTasks hosts[HOSTS] = {test_tasks_reversed(), test_tasks_threads()};
    TlPool *pool =
        i < POOLS ? tl_pool_create(worker_counts[i], NULL) : tl_pool_create(4, &hosts[i - POOLS]);
    ck_assert_ptr_nonnull(pool);
    return pool;
}

static void count_items(void *context, int32_t begin, int32_t end) {
    unsigned char *seen = context;
    for (int32_t i = begin; i < end; i++) {
        seen[i]++;
    }
}

START_TEST(parallel_every_item_exactly_once) {
    static const int32_t counts[] = {0, 1, 2, 7, 256, 257, 65537};
    unsigned char *seen = test_alloc(65537);
    for (int p = 0; p < POOLS + HOSTS; p++) {
        TlPool *pool = pool_number(p);
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            for (int32_t grain = 1; grain <= 300; grain = 16 * grain + 1) {
                memset(seen, 0, 65537);
                tl_parallel_for(pool, counts[c], grain, count_items, seen);
                int32_t wrong = 0;
                for (int32_t i = 0; i < counts[c]; i++) {
                    wrong += seen[i] != 1;
                }
                ck_assert_int_eq(wrong, 0);
                ck_assert(counts[c] == 65537 || seen[counts[c]] == 0);
            }
        }
        tl_pool_destroy(pool);
    }
    free(seen);
}
END_TEST

/* a sum whose rounding depends on the order */
static double add_range(void *context, int32_t begin, int32_t end) {
    const double *values = context;
    double sum = 0.0;
    for (int32_t i = begin; i < end; i++) {
        sum += values[i];
    }
    return sum;
}

START_TEST(parallel_sums_are_the_same_bits_for_all_workers) {
    static const int32_t sizes[] = {1, 100, 5000, 100000};
    TestRandom random = test_random(101);
    double *values = test_alloc(100000 * sizeof *values);
    for (int i = 0; i < 100000; i++) {
        values[i] = test_between(&random, -1, 1) * pow(10, test_between(&random, -8, 8));
    }
    for (int s = 0; s < 4; s++) {
        double want = 0.0;
        for (int p = 0; p < POOLS + HOSTS; p++) {
            TlPool *pool = pool_number(p);
            for (int repeat = 0; repeat < 3; repeat++) {
                double got = tl_parallel_sum(pool, sizes[s], 64, add_range, values);
                want = p == 0 ? got : want;
                ck_assert_mem_eq(&got, &want, sizeof got);
            }
            tl_pool_destroy(pool);
        }
    }
    free(values);
}
END_TEST

/* in another order the one would drown */
START_TEST(parallel_sums_add_chunks_in_order) {
    double values[3] = {1e16, -1e16, 1.0};
    for (int p = 0; p < POOLS + HOSTS; p++) {
        TlPool *pool = pool_number(p);
        ck_assert_double_eq(tl_parallel_sum(pool, 3, 1, add_range, values), 1.0);
        tl_pool_destroy(pool);
    }
}
END_TEST

static double item_of(void *context, int32_t begin, int32_t end) {
    (void)context;
    /* the largest is in the middle */
    double most = 0.0;
    for (int32_t i = begin; i < end; i++) {
        double item = (double)(i < 5000 ? i : 10000 - i);
        most = item > most ? item : most;
    }
    return most;
}

START_TEST(parallel_max_is_the_largest_of_all) {
    static const int32_t workers[] = {1, 2, 3, 8};
    for (int w = 0; w < 4; w++) {
        TlPool *pool = tl_pool_create(workers[w], NULL);
        ck_assert(tl_parallel_max(pool, 10000, 64, item_of, NULL) == 5000.0);
        ck_assert(tl_parallel_max(pool, 100, 64, item_of, NULL) == 99.0);
        ck_assert(tl_parallel_max(pool, 0, 64, item_of, NULL) == 0.0);
        ck_assert_int_eq(tl_pool_is_parallel(pool), workers[w] > 1);
        tl_pool_destroy(pool);
    }
}
END_TEST

START_TEST(parallel_empty_sum_is_zero) {
    TlPool *pool = tl_pool_create(2, NULL);
    ck_assert_double_eq(tl_parallel_sum(pool, 0, 1, add_range, NULL), 0.0);
    tl_pool_destroy(pool);
}
END_TEST

START_TEST(parallel_many_small_jobs) {
    double values[64];
    for (int i = 0; i < 64; i++) {
        values[i] = i;
    }
    for (int p = 1; p < POOLS; p++) {
        TlPool *pool = pool_number(p);
        for (int job = 0; job < 500; job++) {
            int32_t count = 2 + job % 63;
            ck_assert_double_eq(tl_parallel_sum(pool, count, 1, add_range, values),
                                0.5 * count * (count - 1));
        }
        tl_pool_destroy(pool);
    }
}
END_TEST

START_TEST(parallel_pools_come_and_go) {
    double values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int i = 0; i < 50; i++) {
        TlPool *pool = tl_pool_create(worker_counts[i % POOLS], NULL);
        ck_assert_ptr_nonnull(pool);
        ck_assert_int_le(tl_pool_workers(pool), worker_counts[i % POOLS]);
        /* some are destroyed before they did anything */
        if (i % 3 != 0) {
            ck_assert_double_eq(tl_parallel_sum(pool, 8, 1, add_range, values), 36.0);
        }
        tl_pool_destroy(pool);
    }
    tl_pool_destroy(NULL);
}
END_TEST

START_TEST(parallel_one_worker_is_the_caller) {
    TlPool *pool = tl_pool_create(1, NULL);
    ck_assert_int_eq(tl_pool_workers(pool), 1);
    tl_pool_destroy(pool);
    pool = tl_pool_create(0, NULL);
    ck_assert_int_ge(tl_pool_workers(pool), 1);
    tl_pool_destroy(pool);
}
END_TEST

/* jobs with pauses between them, so that workers fall asleep and are woken */
START_TEST(parallel_sleeping_workers_wake_up) {
    double values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    TlPool *pool = tl_pool_create(2, NULL);
    for (int job = 0; job < 50; job++) {
        volatile double waste = 0.0;
        for (int i = 0; i < 20000; i++) {
            waste += i;
        }
        (void)waste;
        ck_assert_double_eq(tl_parallel_sum(pool, 8, 1, add_range, values), 36.0);
    }
    tl_pool_destroy(pool);
}
END_TEST

TEST_MAIN("parallel", parallel_every_item_exactly_once,
          parallel_sums_are_the_same_bits_for_all_workers, parallel_sums_add_chunks_in_order,
          parallel_max_is_the_largest_of_all, parallel_empty_sum_is_zero, parallel_many_small_jobs,
          parallel_pools_come_and_go, parallel_one_worker_is_the_caller,
          parallel_sleeping_workers_wake_up)
