/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile bench`: the benchmarks of the README, as ratios of times on this machine. */
#include "bench.h"
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BENCH_COUNT 1
#define DEFAULT_PAIRS 5
#define DEFAULT_FRAMES 12

static const char help[] =
    "usage: toile bench [NAME] [--pairs N] [--frames N] [--json]\n\n"
    "Measures two ways of doing the same, in turns, and prints the ratio of their times: median\n"
    "and quartiles over the pairs of runs. Without a name, all of them:\n\n"
    "  elements     quads as bilinear patches against quads split into triangles, 100 x 100 of\n"
    "               them hung by two corners; below 1: the patches are faster\n\n"
    "  --pairs N    runs of each way, 1 to 1000; default 5\n"
    "  --frames N   frames of each run, 1 to 10000; default 12\n"
    "  --json       as JSON, a list of results without a name\n";

static const struct option option_table[] = {
    {"pairs", required_argument, NULL, 'p'},
    {"frames", required_argument, NULL, 'f'},
    {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const TlBench *bench_at(int32_t index) {
    const TlBench *const benches[BENCH_COUNT] = {&tl_bench_elements};
    return benches[index];
}

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

static int run_all(const TlBenchOptions *options) {
    int code = TL_EXIT_OK;
    fputs(options->json ? "[" : "", stdout);
    for (int32_t i = 0; i < BENCH_COUNT && code == TL_EXIT_OK; i++) {
        fputs(options->json && i ? "," : "", stdout);
        code = bench_at(i)->run(options);
    }
    fputs(options->json ? "]\n" : "", stdout);
    return code;
}

static int run_named(const TlBenchOptions *options, const char *name) {
    const char *names[BENCH_COUNT];
    for (int32_t i = 0; i < BENCH_COUNT; i++) {
        names[i] = bench_at(i)->name;
        if (strcmp(names[i], name) == 0)
            return bench_at(i)->run(options);
    }
    const char *nearest = tl_nearest(name, names, BENCH_COUNT);
    if (nearest)
        return tl_usage(&tl_command_bench, "there is no benchmark '%s', perhaps '%s'", name,
                        nearest);
    return tl_usage(&tl_command_bench, "there is no benchmark '%s'", name);
}

static int take_option(TlBenchOptions *options, int letter) {
    if (letter == 'j')
        options->json = true;
    else if (letter == 'p' && !tl_parse_int(optarg, 1, 1000, &options->pairs))
        return tl_usage(&tl_command_bench, "--pairs takes 1 to 1000, not '%s'", optarg);
    else if (letter == 'f' && !tl_parse_int(optarg, 1, 10000, &options->frames))
        return tl_usage(&tl_command_bench, "--frames takes 1 to 10000, not '%s'", optarg);
    return TL_EXIT_OK;
}

static int run_bench(int argc, char **argv) {
    const TlCommand *command = &tl_command_bench;
    TlBenchOptions options = {.pairs = DEFAULT_PAIRS, .frames = DEFAULT_FRAMES};
    int letter;
    while ((letter = tl_next_option(command, argc, argv, ":h", option_table)) != TL_OPTION_END) {
        if (letter == TL_OPTION_HELP)
            return TL_EXIT_OK;
        int code = letter == TL_OPTION_BAD ? TL_EXIT_USAGE : take_option(&options, letter);
        if (code != TL_EXIT_OK)
            return code;
    }
    if (optind == argc)
        return run_all(&options);
    if (optind + 1 < argc)
        return tl_usage(command, "bench takes one name, but '%s' follows '%s'", argv[optind + 1],
                        argv[optind]);
    return run_named(&options, argv[optind]);
}

const TlCommand tl_command_bench = {"bench", "measures this machine, as ratios of times", help,
                                    true, run_bench};
