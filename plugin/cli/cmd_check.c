/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile check`: everything `toile simulate` would refuse, all at once, and what it would warn of.
 * Reads the scene and every file it names, builds the simulation, and writes nothing. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: toile check SCENE [--wedge W] [--set KEY=VALUE]...\n\n"
    "Prints every error and warning of a scene, of its wedges and of the files it names, one a\n"
    "line, as file:line:column: sentence. Exits with 0 when there are only warnings. Writes\n"
    "nothing.\n\n"
    "  --wedge W         only this wedge, counted from 0\n"
    "  --set KEY=VALUE   replaces a value of the scene first; repeatable\n";

static const struct option option_table[] = {
    {"set", required_argument, NULL, 's'},
    {"wedge", required_argument, NULL, 'w'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

typedef struct Check {
    const char *path;
    const char **sets;
    int32_t set_count;
    int32_t wedge;
    TlFindings findings;
} Check;

/* what only building can tell, such as a pattern without area */
static void try_to_build(Check *check, const ToileScene *scene, int32_t wedge) {
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
    ToileError named = error;
    if (wedge != TL_NO_WEDGE)
        snprintf(named.message, sizeof named.message, "%.100s: wedge %d: %.380s", check->path,
                 (int)wedge, error.message);
    tl_report_failure(status, &named);
    if (check->findings.errors++ == 0)
        check->findings.first_exit = tl_exit_code(status);
}

/* answers how many wedges the scene has */
static int32_t check_one(Check *check, int32_t wedge) {
    ToileSceneInfo info = {0};
    info.struct_size = (uint32_t)sizeof info;
    ToileScene *scene =
        tl_load_scene(check->path, check->sets, check->set_count, wedge, &check->findings);
    if (!scene)
        return 0;
    toile_scene_get_info(scene, &info, NULL);
    try_to_build(check, scene, wedge);
    toile_scene_free(scene);
    return info.wedge_count;
}

static int check_scene(Check *check) {
    const TlFindings *findings = &check->findings;
    int32_t wedge_count = check_one(check, check->wedge);
    for (int32_t i = 0; check->wedge == TL_NO_WEDGE && i < wedge_count; i++)
        check_one(check, i);
    printf("%s: %d error(s), %d warning(s)\n", check->path, (int)findings->errors,
           (int)findings->warnings);
    return findings->errors ? findings->first_exit : TL_EXIT_OK;
}

static int parse(Check *check, int argc, char **argv) {
    const TlCommand *command = &tl_command_check;
    int letter;
    while ((letter = tl_next_option(command, argc, argv, ":h", option_table)) != TL_OPTION_END) {
        if (letter == TL_OPTION_HELP)
            return TL_EXIT_OK;
        if (letter == TL_OPTION_BAD)
            return TL_EXIT_USAGE;
        if (letter == 'w') {
            int code = tl_parse_wedge(command, optarg, &check->wedge);
            if (code != TL_EXIT_OK)
                return code;
            continue;
        }
        if (!strchr(optarg, '=') || optarg[0] == '=')
            return tl_usage(command, "--set takes KEY=VALUE, not '%s'", optarg);
        check->sets[check->set_count++] = optarg;
    }
    if (optind == argc)
        return tl_usage(command, "check needs a scene file");
    if (optind + 1 < argc)
        return tl_usage(command, "check takes one scene, but '%s' follows '%s'", argv[optind + 1],
                        argv[optind]);
    check->path = argv[optind];
    return check_scene(check);
}

static int run_check(int argc, char **argv) {
    Check check = {.wedge = TL_NO_WEDGE};
    check.sets = calloc((size_t)argc, sizeof *check.sets);
    if (!check.sets) {
        tl_message("there is not enough memory.");
        return TL_EXIT_FAILURE;
    }
    int code = parse(&check, argc, argv);
    free(check.sets);
    return code;
}

const TlCommand tl_command_check = {"check", "lists every error and warning of a scene", help, true,
                                    run_check};
