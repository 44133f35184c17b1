/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky's factor against its definition, column by column. */
#include "solve/cholesky.h"

#include "support/builders.h"
#include "support/run_suite.h"

#include <stdlib.h>
#include <string.h>

/* sizes around those of panels and tiles */
static const int32_t sizes[] = {1, 2, 7, 8, 9, 31, 32, 33, 47, 63, 64, 65, 100, 129, 200};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* A A^T plus a diagonal, of random numbers; `dependent`: row of A that is the sum of two others. */
static double *random_matrix(TestRandom *random, int64_t n, int64_t dependent) {
    double *a = test_alloc(sizeof *a * (size_t)(n * n)),
           *m = test_alloc(sizeof *m * (size_t)(n * n));
    for (int64_t i = 0; i < n * n; i++) {
        a[i] = test_between(random, -1.0, 1.0);
    }
    for (int64_t j = 0; dependent >= 2 && j < n; j++) {
        a[dependent * n + j] = a[j] + a[n + j];
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            m[i * n + j] = 0.0;
            for (int64_t k = 0; k < n; k++) {
                m[i * n + j] += a[i * n + k] * a[j * n + k];
            }
        }
        m[i * n + i] += dependent >= 0 ? 0.0 : 1.0;
    }
    free(a);
    return m;
}

static bool factor(double *m, int64_t n, int32_t workers) {
    TlPool *pool = tl_pool_create(workers, NULL);
    double *work = test_alloc(sizeof *work * (size_t)tl_cholesky_work(n));
    double *diagonal = test_alloc(sizeof *diagonal * (size_t)n);
    ck_assert_ptr_nonnull(pool);
    for (int64_t i = 0; i < n; i++) {
        diagonal[i] = m[i * n + i];
    }
    bool ok = tl_cholesky(pool, m, work, diagonal, n);
    free(work);
    free(diagonal);
    tl_pool_destroy(pool);
    return ok;
}

/* The same by the plain loop over columns. */
static void factor_plainly(double *m, int64_t n) {
    for (int64_t k = 0; k < n; k++) {
        m[k * n + k] = sqrt(m[k * n + k]);
        for (int64_t i = k + 1; i < n; i++) {
            m[i * n + k] /= m[k * n + k];
        }
        for (int64_t i = k + 1; i < n; i++) {
            for (int64_t j = k + 1; j <= i; j++) {
                m[i * n + j] -= m[i * n + k] * m[j * n + k];
            }
        }
    }
}

START_TEST(cholesky_has_the_bits_of_the_plain_loop_for_any_workers) {
    int64_t n = sizes[_i];
    TestRandom random = test_random((uint64_t)n);
    static const int32_t workers[] = {1, 2, 3, 8};
    double *m = random_matrix(&random, n, -1), *copy = test_alloc(sizeof *copy * (size_t)(n * n));
    double *plain = test_alloc(sizeof *plain * (size_t)(n * n));
    memcpy(plain, m, sizeof *m * (size_t)(n * n));
    factor_plainly(plain, n);
    for (int w = 0; w < 4; w++) {
        memcpy(copy, m, sizeof *m * (size_t)(n * n));
        ck_assert(factor(copy, n, workers[w]));
        for (int64_t i = 0; i < n; i++) {
            ck_assert_mem_eq(copy + i * n, plain + i * n, sizeof *copy * (size_t)(i + 1));
        }
    }
    free(plain);
    free(copy);
    free(m);
}
END_TEST

START_TEST(cholesky_refuses_negative_pivots) {
    int64_t n = sizes[_i];
    TestRandom random = test_random(7);
    double *m = random_matrix(&random, n, -1);
    m[(n - 1) * n + n - 1] = -1.0;
    ck_assert(!factor(m, n, 2));
    free(m);
}
END_TEST

START_TEST(cholesky_takes_dependent_rows_out) {
    enum { N = 70, ROW = 40 };
    TestRandom random = test_random(11);
    double *m = random_matrix(&random, N, ROW);
    ck_assert(factor(m, N, 2));
    ck_assert(isinf(m[ROW * N + ROW]));
    for (int64_t i = ROW + 1; i < N; i++) {
        ck_assert(m[i * N + ROW] == 0.0);
    }
    free(m);
}
END_TEST

int main(void) {
    TCase *one = tcase_create("cholesky");
    tcase_add_loop_test(one, cholesky_has_the_bits_of_the_plain_loop_for_any_workers, 0, SIZES);
    tcase_add_loop_test(one, cholesky_refuses_negative_pivots, 0, SIZES);
    tcase_add_test(one, cholesky_takes_dependent_rows_out);
    Suite *suite = suite_create("cholesky");
    suite_add_tcase(suite, one);
    return run_suite(suite);
}
