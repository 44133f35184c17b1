/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of runs, their quartiles, and how benchmarks print them. */
#include "bench.h"
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_numbers(const void *a, const void *b) {
    double l = *(const double *)a, r = *(const double *)b;
    return l < r ? -1 : l > r;
}

/* the value at a fraction of the way through sorted values */
static double at_fraction(const double *values, int32_t count, double fraction) {
    double place = fraction * (count - 1);
    int32_t below = (int32_t)floor(place);
    int32_t above = below + 1 < count ? below + 1 : below;
    return values[below] + (place - below) * (values[above] - values[below]);
}

TlQuartiles tl_quartiles(double *values, int32_t count) {
    qsort(values, (size_t)count, sizeof *values, compare_numbers);
    return (TlQuartiles){at_fraction(values, count, 0.25), at_fraction(values, count, 0.5),
                         at_fraction(values, count, 0.75)};
}

bool tl_rounds_alloc(TlRounds *rounds, int32_t count, int32_t way_count) {
    *rounds = (TlRounds){.count = count, .way_count = way_count};
    rounds->seconds = calloc((size_t)count * (size_t)way_count, sizeof *rounds->seconds);
    rounds->work = calloc((size_t)count, sizeof *rounds->work);
    return rounds->seconds && rounds->work;
}

void tl_rounds_free(TlRounds *rounds) {
    free(rounds->seconds);
    free(rounds->work);
    *rounds = (TlRounds){0};
}

ToileStatus tl_rounds_run(TlRounds *rounds, TlBenchRun run, void *context, ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t i = 0; i < rounds->count * rounds->way_count && status == TOILE_STATUS_OK; i++) {
        int32_t round = i / rounds->way_count, turn = i % rounds->way_count;
        int32_t way = round % 2 ? rounds->way_count - 1 - turn : turn;
        status = run(context, way, &rounds->seconds[round * rounds->way_count + way], error);
    }
    return status;
}

TlQuartiles tl_rounds_seconds(const TlRounds *rounds, int32_t way) {
    for (int32_t i = 0; i < rounds->count; i++)
        rounds->work[i] = rounds->seconds[i * rounds->way_count + way];
    return tl_quartiles(rounds->work, rounds->count);
}

TlQuartiles tl_rounds_ratio(const TlRounds *rounds, int32_t over, int32_t under) {
    for (int32_t i = 0; i < rounds->count; i++) {
        const double *seconds = rounds->seconds + (size_t)i * (size_t)rounds->way_count;
        rounds->work[i] = seconds[over] / seconds[under];
    }
    return tl_quartiles(rounds->work, rounds->count);
}

void tl_json_field(const char *name, double value) {
    fputs(", ", stdout);
    tl_json_string(stdout, name);
    fputs(": ", stdout);
    tl_json_number(stdout, value);
}

void tl_json_quartiles(const char *name, TlQuartiles quartiles) {
    fputs(", ", stdout);
    tl_json_string(stdout, name);
    fputs(": {\"median\": ", stdout);
    tl_json_number(stdout, quartiles.median);
    tl_json_field("q1", quartiles.q1);
    tl_json_field("q3", quartiles.q3);
    fputs("}", stdout);
}

int tl_bench_code(ToileStatus status, const ToileError *error) {
    if (status == TOILE_STATUS_OK)
        return TL_EXIT_OK;
    if (status != TOILE_STATUS_OUT_OF_MEMORY)
        return tl_report_failure(status, error);
    tl_message("there is not enough memory.");
    return TL_EXIT_FAILURE;
}

/* ---- parts ---- */

#define PARTS_MAX 16

static bool is_asked_for(const TlBenchPart *part, const char *name) {
    return !name || strcmp(part->name, name) == 0;
}

static int refuse_part(const TlBenchParts *bench, const char *name) {
    const char *names[PARTS_MAX];
    for (int32_t i = 0; i < bench->count; i++)
        names[i] = bench->parts[i].name;
    const char *nearest = tl_nearest(name, names, bench->count);
    return tl_usage(&tl_command_bench, "%s has no part '%s', perhaps '%s'", bench->name, name,
                    nearest ? nearest : names[0]);
}

int tl_bench_run_parts(const TlBenchParts *bench, const TlBenchPlan *plan, const char *part) {
    ToileError error = toile_error_default();
    ToileStatus status = TOILE_STATUS_OK;
    bool known = false;
    for (int32_t i = 0; i < bench->count; i++)
        known = known || is_asked_for(&bench->parts[i], part);
    if (!known)
        return refuse_part(bench, part);
    if (plan->json)
        printf("{\"bench\": \"%s\", \"pairs\": %d, \"frames\": %d", bench->name, (int)plan->pairs,
               (int)plan->frames);
    else
        printf("%s: %d round(s) of %d frame(s), %s\n", bench->name, (int)plan->pairs,
               (int)plan->frames, bench->about);
    for (int32_t i = 0; i < bench->count && status == TOILE_STATUS_OK; i++)
        if (is_asked_for(&bench->parts[i], part)) {
            status = bench->parts[i].run(plan, &error);
            fflush(stdout);
        }
    fputs(plan->json ? "}\n" : "", stdout);
    return tl_bench_code(status, &error);
}
