/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile bench`: the benchmarks of the README, as ratios of times on this machine. */
#include "bench.h"
#include "cli.h"

#include <string.h>

#define BENCH_COUNT 8
#define DEFAULT_PAIRS 5

static const char help[] =
    "usage: toile bench [NAME] [--pairs N] [--frames N] [--json]\n"
    "       toile bench cache|contact|solver [--part PART] [--small] ...\n\n"
    "Measures two or more ways of doing the same, in turns, and prints the ratios of their times:\n"
    "median and quartiles over the rounds of runs. Without a name, all of them:\n\n"
    "  elements     quads as bilinear patches against quads split into triangles, 100 x 100 of\n"
    "               them hung by two corners; below 1: the patches are faster\n"
    "  solver       the implicit solver at qualities standard and fast against XPBD with 200\n"
    "               sub-steps a frame, on three meshes: times and errors; how iterations depend\n"
    "               on stiffness and resolution; threads and large meshes; below 1: Toile is\n"
    "               faster\n"
    "  contact      100 x 100 quads that drape over a sphere with self-collision against the same\n"
    "               sheet without any contact, and one thread against two; the time of a frame by\n"
    "               stage there, in 200 x 200 quads that fall and fold, and in a stack of 50\n"
    "               layers; memory\n"
    "  bending      one evaluation of the bending forces of a wavy sheet of 10082 triangles, and\n"
    "               of 10000 quads: the linear model against springs and normal-based ones; below\n"
    "               1: the linear model is faster\n"
    "  choi-ko      one evaluation of the bending forces of 31 x 31 vertices: springs that\n"
    "               buckle, exact against a table; above 1: the table is faster\n"
    "  implicit     implicit steps of a draping disk of 4056 triangles: the rate with linear and\n"
    "               with normal-based bending over the rate without bending, with one linear\n"
    "               solve a step and with those of the quality fast; 1: bending costs nothing\n"
    "  integrators  every integrator on two sheets hung by two corners: time a frame, sub-steps,\n"
    "               distance and energy against a fine reference; ratios are to implicit-euler\n"
    "  cache        writing an archive of 100489 vertices with velocities against the same bytes\n"
    "               by write and fsync, as speeds, so that above 0.5 is more than half as fast;\n"
    "               reading a collider of that size against a frame with it; peak memory of a\n"
    "               clip and of one ten times as long. Files go to the current folder\n\n"
    "  --pairs N    runs of each way, 1 to 1000; default 5\n"
    "  --frames N   frames of each run, 1 to 10000; default 12, of solver 24, of cache 48,\n"
    "               of contact 72. A frame is 25 evaluations of bending, 100 of choi-ko, and 100 "
    "ms of\n"
    "               implicit\n"
    "  --part PART  one part of solver: sheet, garment, mixed, iterations or scaling; of contact:\n"
    "               drape, fall, stack or memory; of cache: memory, write or read\n"
    "  --small      these on small meshes, to try them out: the ratios mean nothing\n"
    "  --json       as JSON, a list of results without a name\n";

static const struct option option_table[] = {
    {"pairs", required_argument, NULL, 'p'},
    {"frames", required_argument, NULL, 'f'},
    {"json", no_argument, NULL, 'j'},
    {"part", required_argument, NULL, 'a'},
    {"small", no_argument, NULL, 's'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* A benchmark and its frames where none are asked for. */
typedef struct Entry {
    const TlBench *bench;
    int32_t frames;
    bool has_parts; /* and a small form */
} Entry;

static Entry entry_at(int32_t index) {
    const Entry entries[BENCH_COUNT] = {
        {&tl_bench_elements, 12, false},    {&tl_bench_solver, 24, true},
        {&tl_bench_contact, 72, true},      {&tl_bench_bending, 12, false},
        {&tl_bench_choi_ko, 12, false},     {&tl_bench_implicit, 12, false},
        {&tl_bench_integrators, 12, false}, {&tl_bench_cache, 48, true}};
    return entries[index];
}

static int run_entry(const TlBenchOptions *options, int32_t index) {
    TlBenchOptions own = *options;
    own.frames = own.frames > 0 ? own.frames : entry_at(index).frames;
    return entry_at(index).bench->run(&own);
}

static int run_all(const TlBenchOptions *options) {
    int code = TL_EXIT_OK;
    fputs(options->json ? "[" : "", stdout);
    for (int32_t i = 0; i < BENCH_COUNT && code == TL_EXIT_OK; i++) {
        fputs(options->json && i ? "," : "", stdout);
        code = run_entry(options, i);
    }
    fputs(options->json ? "]\n" : "", stdout);
    return code;
}

static int refuse_parts(void) {
    return tl_usage(&tl_command_bench,
                    "--part and --small belong to the benchmarks 'cache', 'contact' and 'solver'");
}

static int run_named(const TlBenchOptions *options, const char *name) {
    const char *names[BENCH_COUNT];
    for (int32_t i = 0; i < BENCH_COUNT; i++) {
        names[i] = entry_at(i).bench->name;
        if (strcmp(names[i], name) != 0)
            continue;
        return (options->part || options->small) && !entry_at(i).has_parts ? refuse_parts()
                                                                           : run_entry(options, i);
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
    else if (letter == 's')
        options->small = true;
    else if (letter == 'a')
        options->part = optarg;
    else if (letter == 'p' && !tl_parse_int(optarg, 1, 1000, &options->pairs))
        return tl_usage(&tl_command_bench, "--pairs takes 1 to 1000, not '%s'", optarg);
    else if (letter == 'f' && !tl_parse_int(optarg, 1, 10000, &options->frames))
        return tl_usage(&tl_command_bench, "--frames takes 1 to 10000, not '%s'", optarg);
    return TL_EXIT_OK;
}

static int run_bench(int argc, char **argv) {
    const TlCommand *command = &tl_command_bench;
    TlBenchOptions options = {.pairs = DEFAULT_PAIRS};
    int letter;
    while ((letter = tl_next_option(command, argc, argv, ":h", option_table)) != TL_OPTION_END) {
        if (letter == TL_OPTION_HELP)
            return TL_EXIT_OK;
        int code = letter == TL_OPTION_BAD ? TL_EXIT_USAGE : take_option(&options, letter);
        if (code != TL_EXIT_OK)
            return code;
    }
    if (optind == argc)
        return options.part || options.small ? refuse_parts() : run_all(&options);
    if (optind + 1 < argc)
        return tl_usage(command, "bench takes one name, but '%s' follows '%s'", argv[optind + 1],
                        argv[optind]);
    return run_named(&options, argv[optind]);
}

const TlCommand tl_command_bench = {"bench", "measures this machine, as ratios of times", help,
                                    true, run_bench};
