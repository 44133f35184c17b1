/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* How the tests of io/ are run. */
#ifndef TL_TEST_RUN_SUITE_H
#define TL_TEST_RUN_SUITE_H

#include <check.h>
#include <stdlib.h>

/* What main answers. */
static inline int run_suite(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
