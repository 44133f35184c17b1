/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile check`: everything `toile simulate` would refuse, all at once, and what it would warn of.
 * Reads the scene and every file it names, for all its frames, builds the simulation, looks for
 * intersections of its start, and writes nothing. */
#include "cli.h"
#include "verify_frame.h"

#include <stdlib.h>
#include <string.h>
#include <toile_io/cache.h>

static const char help[] =
    "usage: toile check SCENE [--wedge W] [--set KEY=VALUE]...\n\n"
    "Prints every error and warning of a scene, of its wedges and of the files it names, one a\n"
    "line, as file:line:column: sentence, and counts the intersections of the start. Exits with 0\n"
    "when there are only warnings. Writes nothing.\n\n"
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

/* ---- intersections of the start ---- */

/* The start of a simulation as the checker wants it. */
typedef struct Start {
    const ToileScene *scene;
    const ToileSim *sim;
    const ToileClothId *ids;
    double **x; /* vertices of each cloth */
    TlVerifyFrame frame;
    TlCrossings crossings;
} Start;

static ToileStatus out_of_memory(ToileError *error) {
    error->status = TOILE_STATUS_OUT_OF_MEMORY;
    snprintf(error->message, sizeof error->message, "There is not enough memory");
    return TOILE_STATUS_OUT_OF_MEMORY;
}

static ToileStatus take_cloth(Start *start, int32_t index, ToileError *error) {
    ToileSceneCloth cloth = {0};
    cloth.struct_size = (uint32_t)sizeof cloth;
    ToileStatus status = toile_scene_get_cloth(start->scene, index, &cloth, error);
    if (status != TOILE_STATUS_OK)
        return status;
    const ToileMeshDef *mesh = cloth.mesh;
    start->x[index] = calloc(3 * (size_t)mesh->vertex_count + 1, sizeof **start->x);
    if (!start->x[index])
        return out_of_memory(error);
    start->frame.bodies[index] = (TlCrossBody){.name = cloth.name,
                                               .x = start->x[index],
                                               .vertex_count = mesh->vertex_count,
                                               .face_count = mesh->face_count,
                                               .face_sizes = mesh->face_sizes,
                                               .corners = mesh->corners};
    return toile_sim_get_positions(start->sim, start->ids[index], start->x[index], error);
}

static ToileStatus find_crossings(Start *start, const ToileSceneInfo *info, bool self,
                                  ToileError *error) {
    start->x = calloc((size_t)info->cloth_count + 1, sizeof *start->x);
    if (!start->x)
        return out_of_memory(error);
    ToileStatus status =
        tl_verify_frame_open(&start->frame, info->cloth_count, start->scene, error);
    for (int32_t i = 0; i < info->cloth_count && status == TOILE_STATUS_OK; i++)
        status = take_cloth(start, i, error);
    if (status == TOILE_STATUS_OK)
        status = tl_verify_frame_pose(&start->frame, info->frames[0], error);
    if (status != TOILE_STATUS_OK)
        return status;
    TlCrossScene scene = tl_verify_frame_scene(&start->frame, self);
    return tl_crossings_find(&start->crossings, &scene, error);
}

/* one warning for two things that meet, with the first faces */
static void warn_of_pair(Check *check, const Start *start, const TlCrossing *first) {
    const TlVerifyFrame *frame = &start->frame;
    const char *body = tl_verify_frame_name(frame, first->body);
    const char *other = tl_verify_frame_name(frame, first->other);
    long long count = (long long)tl_crossings_between(&start->crossings, first->body, first->other);
    const char *end = count == 1 ? "it will be untangled" : "they will be untangled";
    const char *s = count == 1 ? "" : "s";
    char text[512];
    if (first->body == first->other)
        snprintf(text, sizeof text,
                 "cloth '%.64s' has %lld intersection%s with itself at the start, first of faces "
                 "%d and %d; %s",
                 body, count, s, (int)first->face, (int)first->other_face, end);
    else if (first->other < frame->body_count)
        snprintf(text, sizeof text,
                 "cloth '%.64s' has %lld intersection%s with %s '%.64s' at the start, first of "
                 "its face %d with face %d; %s",
                 body, count, s, first->other < frame->cloth_count ? "cloth" : "collider", other,
                 (int)first->face, (int)first->other_face, end);
    else
        snprintf(text, sizeof text,
                 "cloth '%.64s' is inside collider '%.64s' at the start with %lld triangle%s, "
                 "first of face %d; %s",
                 body, other, count, s, (int)first->face, end);
    tl_add_warning(&check->findings, check->path, text);
}

/* the first of the pairs between two things; NULL when there is none */
static const TlCrossing *first_between(const TlCrossings *crossings, int32_t body, int32_t other) {
    for (int32_t i = 0; i < crossings->pair_count; i++)
        if (crossings->pairs[i].body == body && crossings->pairs[i].other == other)
            return &crossings->pairs[i];
    return NULL;
}

static void warn_of_pairs(Check *check, const Start *start) {
    for (int32_t body = 0; body < start->frame.cloth_count; body++)
        for (int32_t other = body; other < start->crossings.other_count; other++) {
            const TlCrossing *first = first_between(&start->crossings, body, other);
            if (first)
                warn_of_pair(check, start, first);
        }
}

/* a start that cannot be checked is a warning, for it can be simulated */
static void check_start(Check *check, const ToileScene *scene, const ToileSim *sim,
                        const ToileClothId *ids, bool self) {
    Start start = {.scene = scene, .sim = sim, .ids = ids};
    ToileError error = toile_error_default();
    ToileSceneInfo info = {0};
    info.struct_size = (uint32_t)sizeof info;
    ToileStatus status = toile_scene_get_info(scene, &info, &error);
    if (status == TOILE_STATUS_OK)
        status = find_crossings(&start, &info, self, &error);
    if (status == TOILE_STATUS_OK) {
        warn_of_pairs(check, &start);
    } else {
        char text[sizeof error.message + 64];
        snprintf(text, sizeof text, "the start was not searched for intersections: %s",
                 error.message);
        tl_add_warning(&check->findings, check->path, text);
    }
    for (int32_t i = 0; start.x && i < info.cloth_count; i++)
        free(start.x[i]);
    free(start.x);
    tl_crossings_free(&start.crossings);
    tl_verify_frame_close(&start.frame);
}

/* ---- the scene ---- */

static void report_build(Check *check, int32_t wedge, ToileStatus status, const ToileError *error) {
    ToileError named = *error;
    if (wedge != TL_NO_WEDGE)
        snprintf(named.message, sizeof named.message, "%.100s: wedge %d: %.380s", check->path,
                 (int)wedge, error->message);
    tl_report_failure(status, &named);
    if (check->findings.errors++ == 0)
        check->findings.first_exit = tl_exit_code(status);
}

/* what files hold at each frame after the first */
static ToileStatus read_frames(const ToileScene *scene, const ToileSceneInfo *info, ToileSim *sim,
                               ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t i = 1; i < info->frame_count && !info->settle && status == TOILE_STATUS_OK; i++)
        status = toile_scene_aim(scene, sim, info->frames[i], error);
    return status;
}

/* what only building can tell, such as a pattern without area, how it starts, and what is read
 * while it runs */
static void try_to_build(Check *check, const ToileScene *scene, const ToileSceneInfo *info,
                         int32_t wedge) {
    ToileError error = toile_error_default();
    ToileSimDef def = toile_sim_def_default();
    ToileSim *sim = NULL;
    ToileClothId *ids = calloc((size_t)info->cloth_count + 1, sizeof *ids);
    ToileStatus status = ids ? toile_scene_sim_def(scene, &def, &error) : out_of_memory(&error);
    def.threads = 1;
    if (status == TOILE_STATUS_OK)
        status = toile_scene_create_sim(scene, &def, &sim, ids, &error);
    if (status == TOILE_STATUS_OK) {
        check_start(check, scene, sim, ids, def.contact_self != 0);
        status = read_frames(scene, info, sim, &error);
    }
    if (status != TOILE_STATUS_OK)
        report_build(check, wedge, status, &error);
    toile_sim_destroy(sim);
    free(ids);
}

/* where simulate would write to */
static void check_output(Check *check, const ToileScene *scene, const ToileSceneInfo *info,
                         int32_t wedge) {
    ToileError error = toile_error_default();
    char *named = info->cache && wedge != TL_NO_WEDGE ? tl_wedge_path(info->cache, wedge) : NULL;
    const char *path = named ? named : info->cache;
    ToileStatus status = path ? toile_cache_check(path, scene, info->frames,
                                                  info->settle ? 1 : info->frame_count, &error)
                              : TOILE_STATUS_OK;
    if (status != TOILE_STATUS_OK)
        report_build(check, wedge, status, &error);
    free(named);
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
    check_output(check, scene, &info, wedge);
    try_to_build(check, scene, &info, wedge);
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
