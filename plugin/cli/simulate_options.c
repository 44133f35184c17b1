/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `toile simulate` and its help. */
#include "simulate_options.h"

#include "cli.h"
#include "progress.h"

#include <string.h>

const char tl_simulate_help[] =
    "usage: toile simulate SCENE [options]\n\n"
    "Simulates the scene from its first frame and writes a cache.\n\n"
    "  -o, --output FILE    cache to write: .abc; .pc2 or .mdd (one cloth); .obj: one file a "
    "frame\n"
    "                       (name.0001.obj); default: output.cache of the scene\n"
    "  --frames R           frames to write, such as 1-48, 1-100x5 or 1,10,20; default: the "
    "scene's\n"
    "  --threads N          workers; results never depend on it. Default: TOILE_THREADS, the "
    "scene,\n"
    "                       SLURM_CPUS_PER_TASK, CUE_THREADS, OMP_NUM_THREADS, else all "
    "processors\n"
    "  --wedge W            one of the scene's wedges, counted from 0 (see 'toile wedge list'); "
    "the\n"
    "                       scene's cache and preview get its name: skirt.abc is skirt.W0003.abc\n"
    "  --set KEY=VALUE      replaces a value of the scene, such as cloth.skirt.fabric=denim; "
    "repeatable\n"
    "  --preview FILE.png   contact sheet of the result; default: output.preview of the scene, or "
    "none\n                       with -o\n"
    "  --progress D         plain, openjd, alfred, json or bar; several by commas or by "
    "repeating.\n"
    "                       Default: bar on a terminal, else plain. json: one object a line, that "
    "of a\n"
    "                       frame with every number of ToileStats (toile/types.h) by its name\n"
    "  --grace S            seconds a stopped run may take to finish its frame; default 10\n"
    "  --interrupted-exit-code N   default 75\n"
    "  -q, --quiet          only warnings, errors and the result\n\n"
    "Ctrl-C finishes the frame, closes the cache with what is done (complete = 0) and exits with "
    "75.\n";

enum {
    OPTION_FRAMES = 256,
    OPTION_THREADS,
    OPTION_SET,
    OPTION_PREVIEW,
    OPTION_PROGRESS,
    OPTION_GRACE,
    OPTION_INTERRUPTED,
    OPTION_RESUME,
    OPTION_WEDGE,
    OPTION_OUT
};

static const struct option option_table[] = {
    {"output", required_argument, NULL, 'o'},
    {"frames", required_argument, NULL, OPTION_FRAMES},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"set", required_argument, NULL, OPTION_SET},
    {"preview", required_argument, NULL, OPTION_PREVIEW},
    {"progress", required_argument, NULL, OPTION_PROGRESS},
    {"grace", required_argument, NULL, OPTION_GRACE},
    {"interrupted-exit-code", required_argument, NULL, OPTION_INTERRUPTED},
    {"resume", optional_argument, NULL, OPTION_RESUME},
    {"wedge", required_argument, NULL, OPTION_WEDGE},
    {"out", required_argument, NULL, OPTION_OUT},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int unavailable(const char *option) {
    tl_message("this version does not have %s; write one cache by -o FILE from the first frame.",
               option);
    return TL_EXIT_USAGE;
}

static int take_option(TlSimulateOptions *options, int letter) {
    const TlCommand *command = &tl_command_simulate;
    switch (letter) {
    case 'o':
        options->output = optarg;
        return TL_EXIT_OK;
    case 'q':
        options->quiet = true;
        return TL_EXIT_OK;
    case OPTION_FRAMES:
        options->frames = optarg;
        return TL_EXIT_OK;
    case OPTION_PREVIEW:
        options->preview = optarg;
        return TL_EXIT_OK;
    case OPTION_SET:
        if (!strchr(optarg, '=') || optarg[0] == '=')
            return tl_usage(command, "--set takes KEY=VALUE, not '%s'", optarg);
        options->sets[options->set_count++] = optarg;
        return TL_EXIT_OK;
    case OPTION_THREADS:
        if (!tl_parse_int(optarg, 0, TL_THREADS_MAX, &options->threads))
            return tl_usage(command, "--threads takes 0 (all) to %d, not '%s'", TL_THREADS_MAX,
                            optarg);
        return TL_EXIT_OK;
    case OPTION_PROGRESS:
        if (!tl_progress_parse(optarg, &options->dialects))
            return tl_usage(
                command, "--progress takes plain, openjd, alfred, json or bar, not '%s'", optarg);
        return TL_EXIT_OK;
    case OPTION_GRACE:
        if (!tl_parse_number(optarg, 0.0, 1e6, &options->grace_s))
            return tl_usage(command, "--grace takes seconds, 0 or more, not '%s'", optarg);
        return TL_EXIT_OK;
    case OPTION_INTERRUPTED:
        if (!tl_parse_int(optarg, 1, 125, &options->interrupted_exit))
            return tl_usage(command, "--interrupted-exit-code takes 1 to 125, not '%s'", optarg);
        return TL_EXIT_OK;
    case OPTION_RESUME:
        return unavailable("--resume");
    case OPTION_WEDGE:
        return tl_parse_wedge(command, optarg, &options->wedge);
    default:
        return unavailable("--out");
    }
}

int tl_simulate_parse(TlSimulateOptions *options, int argc, char **argv) {
    const TlCommand *command = &tl_command_simulate;
    options->threads = -1;
    options->wedge = TL_NO_WEDGE;
    options->grace_s = 10.0;
    options->interrupted_exit = TL_EXIT_STOPPED;
    int letter;
    while ((letter = tl_next_option(command, argc, argv, ":o:qh", option_table)) != TL_OPTION_END) {
        if (letter == TL_OPTION_HELP)
            return TL_EXIT_OK;
        int code = letter == TL_OPTION_BAD ? TL_EXIT_USAGE : take_option(options, letter);
        if (code != TL_EXIT_OK)
            return code;
    }
    if (optind == argc)
        return tl_usage(command, "simulate needs a scene file");
    if (optind + 1 < argc)
        return tl_usage(command, "simulate takes one scene, but '%s' follows '%s'",
                        argv[optind + 1], argv[optind]);
    options->scene = argv[optind];
    return TL_EXIT_OK;
}
