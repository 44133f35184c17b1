/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks of `toile bench` share. Machines differ and share their cores, so that each
 * measures two or more ways of doing the same, in rounds of runs that follow one another, and tells
 * the ratio of their times. */
#ifndef TL_CLI_BENCH_H
#define TL_CLI_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <toile/toile.h>

typedef struct TlBenchOptions {
    int32_t pairs;  /* runs of each way */
    int32_t frames; /* of each run */
    bool json;
    bool small;       /* meshes as small as a test wants them; cache, contact and solver only */
    const char *part; /* of the benchmark; NULL: all; cache, contact and solver only */
} TlBenchOptions;

typedef struct TlBench {
    const char *name;
    const char *summary;
    /* prints the result; answers an exit code, with a sentence when it is not 0 */
    int (*run)(const TlBenchOptions *options);
} TlBench;

extern const TlBench tl_bench_bending;
extern const TlBench tl_bench_cache;
extern const TlBench tl_bench_choi_ko;
extern const TlBench tl_bench_contact;
extern const TlBench tl_bench_elements;
extern const TlBench tl_bench_implicit;
extern const TlBench tl_bench_integrators;
extern const TlBench tl_bench_solver;

/* ---- statistics ---- */

/* The middle of some values and of their halves, linear between neighbours. */
typedef struct TlQuartiles {
    double q1, median, q3;
} TlQuartiles;

/* Sorts `values`, of which there is at least one. */
TlQuartiles tl_quartiles(double *values, int32_t count);

/* ---- rounds ---- */

/* Runs one way once; answers the seconds it took, in the unit that is compared. */
typedef ToileStatus (*TlBenchRun)(void *context, int32_t way, double *seconds, ToileError *error);

/* What each way took in each round. */
typedef struct TlRounds {
    int32_t count, way_count;
    double *seconds; /* [round * way_count + way] */
    double *work;    /* per round */
} TlRounds;

/* False when memory is refused; free it in either case. */
bool tl_rounds_alloc(TlRounds *rounds, int32_t count, int32_t way_count);
void tl_rounds_free(TlRounds *rounds);
/* Every way once a round, forwards and backwards by turns, so that no way of two always comes
 * first. */
ToileStatus tl_rounds_run(TlRounds *rounds, TlBenchRun run, void *context, ToileError *error);
/* Quartiles of the seconds of a way, and of the ratio of two ways within a round. */
TlQuartiles tl_rounds_seconds(const TlRounds *rounds, int32_t way);
TlQuartiles tl_rounds_ratio(const TlRounds *rounds, int32_t over, int32_t under);

/* ---- parts ---- */

/* What the options mean to the parts of a benchmark. */
typedef struct TlBenchPlan {
    int32_t pairs, frames;
    int32_t smaller; /* meshes have so many times fewer quads along each side */
    bool json;
} TlBenchPlan;

typedef struct TlBenchPart {
    const char *name;
    ToileStatus (*run)(const TlBenchPlan *plan, ToileError *error);
} TlBenchPart;

/* A benchmark in parts; `about` ends its heading. */
typedef struct TlBenchParts {
    const char *name, *about;
    const TlBenchPart *parts;
    int32_t count;
} TlBenchParts;

/* Runs the part of a name, or all when it is NULL, below a heading; answers an exit code. */
int tl_bench_run_parts(const TlBenchParts *bench, const TlBenchPlan *plan, const char *part);

/* ---- printing ---- */

/* `, "name": {"median": ..., "q1": ..., "q3": ...}` */
void tl_json_quartiles(const char *name, TlQuartiles quartiles);
/* `, "name": value` */
void tl_json_field(const char *name, double value);
/* Answers the exit code of a benchmark that ended with a status, or without memory. */
int tl_bench_code(ToileStatus status, const ToileError *error);

#endif
