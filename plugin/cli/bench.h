/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks of `toile bench` share. Machines differ and share their cores, so that each
 * measures two ways of doing the same, in pairs of runs that follow one another, and tells the
 * ratio of their times. */
#ifndef TL_CLI_BENCH_H
#define TL_CLI_BENCH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct TlBenchOptions {
    int32_t pairs;  /* runs of each way */
    int32_t frames; /* of each run */
    bool json;
} TlBenchOptions;

typedef struct TlBench {
    const char *name;
    const char *summary;
    /* prints the result; answers an exit code, with a sentence when it is not 0 */
    int (*run)(const TlBenchOptions *options);
} TlBench;

extern const TlBench tl_bench_elements;

/* The middle of some values and of their halves, linear between neighbours. */
typedef struct TlQuartiles {
    double q1, median, q3;
} TlQuartiles;

/* Sorts `values`, of which there is at least one. */
TlQuartiles tl_quartiles(double *values, int32_t count);

#endif
