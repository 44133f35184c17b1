/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile wedge`: the variants of a scene. `list` prints the table that farms make their tasks from,
 * `show` one row of it, in the form that --set takes. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: toile wedge list SCENE [--json] [--set KEY=VALUE]...\n"
    "       toile wedge show SCENE W [--json] [--set KEY=VALUE]...\n\n"
    "Lists the wedges of a scene, or the values of one. \"wedges\" of a scene holds lists of "
    "values\n"
    "by keys as --set takes them; their cross product, the last key varying fastest, is counted\n"
    "from 0. 'toile simulate SCENE --wedge 3' runs one; unless -o says otherwise, its files carry\n"
    "W0003 before their ending.\n\n"
    "  --json            as JSON: index, name and the values of each wedge\n"
    "  --set KEY=VALUE   replaces a value of the scene first; repeatable\n";

static const struct option option_table[] = {
    {"json", no_argument, NULL, 'j'},
    {"set", required_argument, NULL, 's'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

typedef struct Wedges {
    const char *path;
    const char **sets;
    int32_t set_count;
    bool json;
    ToileScene *scene;
    ToileSceneInfo info;
} Wedges;

/* ---- printing ---- */

/* {"index": 3, "name": "W0003", "set": {...}}, or key=value, each after `before` and with `after`
 */
static int print_wedge(const Wedges *wedges, int32_t wedge, const char *before, const char *after) {
    char name[TL_WEDGE_NAME_SIZE];
    tl_wedge_name(wedge, name);
    if (wedges->json)
        printf("{\"index\": %d, \"name\": \"%s\", \"set\": {", (int)wedge, name);
    for (int32_t i = 0; i < wedges->info.wedge_key_count; i++) {
        ToileError error = toile_error_default();
        const char *key = NULL, *value = NULL;
        ToileStatus status = toile_scene_get_wedge(wedges->scene, wedge, i, &key, &value, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        if (wedges->json) {
            fputs(i ? ", " : "", stdout);
            tl_json_string(stdout, key);
            printf(": %s", value);
        } else {
            printf("%s%s=%s%s", before, key, value, after);
        }
    }
    if (wedges->json)
        fputs("}}", stdout);
    return TL_EXIT_OK;
}

static int list(const Wedges *wedges) {
    int code = TL_EXIT_OK;
    if (wedges->json)
        printf("{\"count\": %d, \"wedges\": [", (int)wedges->info.wedge_count);
    for (int32_t i = 0; i < wedges->info.wedge_count && code == TL_EXIT_OK; i++) {
        char name[TL_WEDGE_NAME_SIZE];
        tl_wedge_name(i, name);
        if (wedges->json)
            fputs(i ? ",\n  " : "\n  ", stdout);
        else
            printf("%d %s", (int)i, name);
        code = print_wedge(wedges, i, " ", "");
        if (!wedges->json)
            fputs("\n", stdout);
    }
    if (wedges->json)
        fputs("]}\n", stdout);
    else if (wedges->info.wedge_count == 0)
        printf("%s: no wedges\n", wedges->path);
    return code;
}

static int show(const Wedges *wedges, int32_t wedge) {
    int code = print_wedge(wedges, wedge, "", "\n");
    if (wedges->json)
        fputs("\n", stdout);
    return code;
}

/* ---- the command ---- */

/* loads the scene, then the wedge that is asked for, or the first, so that a key that is not known
 * is told before a farm makes tasks of it */
static int load(Wedges *wedges, int32_t wedge) {
    TlFindings findings = {0};
    ToileError error = toile_error_default();
    wedges->scene = tl_load_scene(wedges->path, wedges->sets, wedges->set_count, wedge, &findings);
    if (!wedges->scene)
        return findings.first_exit;
    wedges->info.struct_size = (uint32_t)sizeof wedges->info;
    ToileStatus status = toile_scene_get_info(wedges->scene, &wedges->info, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    if (wedge != TL_NO_WEDGE || wedges->info.wedge_count == 0)
        return TL_EXIT_OK;
    ToileScene *first = tl_load_scene(wedges->path, wedges->sets, wedges->set_count, 0, &findings);
    toile_scene_free(first);
    return first ? TL_EXIT_OK : findings.first_exit;
}

static int run_list(Wedges *wedges) {
    int code = load(wedges, TL_NO_WEDGE);
    return code == TL_EXIT_OK ? list(wedges) : code;
}

static int run_show(Wedges *wedges, const char *text) {
    int32_t wedge = 0;
    if (!tl_parse_int(text, 0, INT32_MAX, &wedge))
        return tl_usage(&tl_command_wedge, "show takes the number of a wedge, from 0, not '%s'",
                        text);
    int code = load(wedges, wedge);
    return code == TL_EXIT_OK ? show(wedges, wedge) : code;
}

static int dispatch(Wedges *wedges, int count, char **operands) {
    const TlCommand *command = &tl_command_wedge;
    bool is_list = count > 0 && strcmp(operands[0], "list") == 0;
    bool is_show = count > 0 && strcmp(operands[0], "show") == 0;
    if (!is_list && !is_show)
        return tl_usage(command, "wedge needs 'list' or 'show' and a scene file%s%s%s",
                        count ? ", not '" : "", count ? operands[0] : "", count ? "'" : "");
    if (count < 2)
        return tl_usage(command, "wedge %s needs a scene file", operands[0]);
    if (is_show && count < 3)
        return tl_usage(command, "wedge show needs the number of a wedge");
    if (count > (is_list ? 2 : 3))
        return tl_usage(command, "wedge %s takes no '%s'", operands[0], operands[is_list ? 2 : 3]);
    wedges->path = operands[1];
    return is_list ? run_list(wedges) : run_show(wedges, operands[2]);
}

static int parse(Wedges *wedges, int argc, char **argv) {
    const TlCommand *command = &tl_command_wedge;
    int letter;
    while ((letter = tl_next_option(command, argc, argv, ":h", option_table)) != TL_OPTION_END) {
        if (letter == TL_OPTION_HELP)
            return TL_EXIT_OK;
        if (letter == TL_OPTION_BAD)
            return TL_EXIT_USAGE;
        if (letter == 'j')
            wedges->json = true;
        else if (!strchr(optarg, '=') || optarg[0] == '=')
            return tl_usage(command, "--set takes KEY=VALUE, not '%s'", optarg);
        else
            wedges->sets[wedges->set_count++] = optarg;
    }
    return dispatch(wedges, argc - optind, argv + optind);
}

static int run_wedge(int argc, char **argv) {
    Wedges wedges = {0};
    wedges.sets = calloc((size_t)argc, sizeof *wedges.sets);
    if (!wedges.sets) {
        tl_message("there is not enough memory.");
        return TL_EXIT_FAILURE;
    }
    int code = parse(&wedges, argc, argv);
    toile_scene_free(wedges.scene);
    free(wedges.sets);
    return code;
}

const TlCommand tl_command_wedge = {"wedge", "lists the variants of a scene", help, true,
                                    run_wedge};
