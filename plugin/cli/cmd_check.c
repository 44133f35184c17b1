/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile check`: everything `toile simulate` would refuse, all at once, and what it would warn of.
 * Reads the scene and every file it names, builds the simulation, and writes nothing. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: toile check SCENE [--set KEY=VALUE]...\n\n"
    "Prints every error and warning of a scene and of the files it names, one a line, as\n"
    "file:line:column: sentence. Exits with 0 when there are only warnings. Writes nothing.\n\n"
    "  --set KEY=VALUE   replaces a value of the scene first; repeatable\n";

static const struct option option_table[] = {
    {"set", required_argument, NULL, 's'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* what only building can tell, such as a pattern without area */
static void try_to_build(const ToileScene *scene, TlFindings *findings) {
    ToileError error = toile_error_default();
    ToileSimDef def = toile_sim_def_default();
    ToileSim *sim = NULL;
    ToileStatus status = toile_scene_sim_def(scene, &def, &error);
    def.threads = 1;
    if (status == TOILE_STATUS_OK)
        status = toile_scene_create_sim(scene, &def, &sim, NULL, &error);
    toile_sim_destroy(sim);
    if (status == TOILE_STATUS_OK)
        return;
    findings->errors++;
    findings->first_exit = tl_report_failure(status, &error);
}

static int check_scene(const char *path, const char *const *sets, int32_t set_count) {
    TlFindings findings = {0};
    ToileScene *scene = tl_load_scene(path, sets, set_count, &findings);
    if (scene)
        try_to_build(scene, &findings);
    toile_scene_free(scene);
    printf("%s: %d error(s), %d warning(s)\n", path, (int)findings.errors, (int)findings.warnings);
    return findings.errors ? findings.first_exit : TL_EXIT_OK;
}

static int parse(int argc, char **argv, const char **sets) {
    const TlCommand *command = &tl_command_check;
    int32_t set_count = 0;
    int letter;
    while ((letter = tl_next_option(command, argc, argv, ":h", option_table)) != TL_OPTION_END) {
        if (letter == TL_OPTION_HELP)
            return TL_EXIT_OK;
        if (letter == TL_OPTION_BAD)
            return TL_EXIT_USAGE;
        if (!strchr(optarg, '=') || optarg[0] == '=')
            return tl_usage(command, "--set takes KEY=VALUE, not '%s'", optarg);
        sets[set_count++] = optarg;
    }
    if (optind == argc)
        return tl_usage(command, "check needs a scene file");
    if (optind + 1 < argc)
        return tl_usage(command, "check takes one scene, but '%s' follows '%s'", argv[optind + 1],
                        argv[optind]);
    return check_scene(argv[optind], sets, set_count);
}

static int run_check(int argc, char **argv) {
    const char **sets = calloc((size_t)argc, sizeof *sets);
    if (!sets) {
        tl_message("there is not enough memory.");
        return TL_EXIT_FAILURE;
    }
    int code = parse(argc, argv, sets);
    free(sets);
    return code;
}

const TlCommand tl_command_check = {"check", "lists every error and warning of a scene", help, true,
                                    run_check};
