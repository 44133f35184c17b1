/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile info`: what an Alembic archive or a scene holds, for people or as JSON. An archive is told
 * by its first bytes or its ending, and info_archive.c describes it; everything else is read as a
 * scene. */
#include "cli.h"
#include "info_archive.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: toile info FILE.abc|FILE.pc2|FILE.mdd|SCENE [--json] [--set KEY=VALUE]...\n\n"
    "Of an archive: who wrote it, and its objects as a tree with counts, times, uv sets, face "
    "sets,\n"
    "velocities, creases, transforms, visibility, instances and parameters. Of a point cache:\n"
    "points, samples and when. Of a scene: cloths, fabrics, colliders and frames.\n\n"
    "  --json            as JSON\n"
    "  --set KEY=VALUE   replaces a value of the scene first; repeatable\n";

static const struct option option_table[] = {
    {"json", no_argument, NULL, 'j'},
    {"set", required_argument, NULL, 's'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* ---- scenes ---- */

static void json_text(const char *before, const char *name, const char *value) {
    printf("%s\"%s\": ", before, name);
    tl_json_string(stdout, value);
}

static void say(const char *before, const char *text) {
    fputs(before, stdout);
    tl_text(stdout, text);
}

static int64_t triangle_count(const ToileMeshDef *mesh) {
    return (int64_t)mesh->corner_count - 2 * (int64_t)mesh->face_count;
}

static const char *pattern_name(int32_t pattern) {
    if (pattern == TOILE_PATTERN_METRIC)
        return "metric";
    return pattern == TOILE_PATTERN_ORIENTATION ? "orientation" : "none";
}

static const char *shape_name(int32_t shape) {
    static const char *const names[] = {"sphere", "plane", "box", "capsule", "mesh"};
    return shape >= 0 && shape < (int32_t)(sizeof names / sizeof names[0]) ? names[shape] : "?";
}

static void text_subdivision(const ToileSceneCloth *cloth) {
    if (cloth->subdivide_simulate > 0)
        printf("    simulated after %d subdivision%s of the file's %d vertices, %d faces\n",
               (int)cloth->subdivide_simulate, cloth->subdivide_simulate == 1 ? "" : "s",
               (int)cloth->file_vertex_count, (int)cloth->file_face_count);
    if (cloth->subdivide_output > 0)
        printf("    written after %d subdivision%s%s: %d vertices, %d faces\n",
               (int)cloth->subdivide_output, cloth->subdivide_output == 1 ? "" : "s",
               cloth->subdivide_limit ? ", on the limit surface" : "",
               (int)cloth->output_vertex_count, (int)cloth->output_face_count);
}

static void json_subdivision(const ToileSceneCloth *cloth) {
    printf(", \"subdivide\": {\"simulate\": %d, \"output\": %d, \"limit\": %s}, "
           "\"file_vertices\": %d, \"file_faces\": %d, \"output_vertices\": %d, "
           "\"output_faces\": %d",
           (int)cloth->subdivide_simulate, (int)cloth->subdivide_output,
           cloth->subdivide_limit ? "true" : "false", (int)cloth->file_vertex_count,
           (int)cloth->file_face_count, (int)cloth->output_vertex_count,
           (int)cloth->output_face_count);
}

static int print_cloths(const ToileScene *scene, int32_t count, bool json) {
    for (int32_t i = 0; i < count; i++) {
        ToileError error = toile_error_default();
        ToileSceneCloth cloth = {0};
        cloth.struct_size = (uint32_t)sizeof cloth;
        ToileStatus status = toile_scene_get_cloth(scene, i, &cloth, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        long long triangles = triangle_count(cloth.mesh);
        if (json) {
            json_text(i ? ",\n  {" : "\n  {", "name", cloth.name);
            json_text(", ", "mesh", cloth.mesh_file);
            json_text(", ", "fabric", cloth.fabric_name);
            printf(", \"vertices\": %d, \"faces\": %d, \"triangles\": %lld, \"pattern\": \"%s\", "
                   "\"pins\": %d, \"unit_m\": ",
                   (int)cloth.mesh->vertex_count, (int)cloth.mesh->face_count, triangles,
                   pattern_name(cloth.pattern), (int)cloth.pin_count);
            tl_json_number(stdout, cloth.unit_m);
            json_subdivision(&cloth);
            fputc('}', stdout);
        } else {
            say("  cloth ", cloth.name);
            printf(": %d vertices, %d faces (%lld triangles)", (int)cloth.mesh->vertex_count,
                   (int)cloth.mesh->face_count, triangles);
            say(", fabric ", cloth.fabric_name);
            printf(", pattern %s, %d pinned", pattern_name(cloth.pattern), (int)cloth.pin_count);
            say(", from ", cloth.mesh_file);
            fputc('\n', stdout);
            text_subdivision(&cloth);
        }
    }
    return TL_EXIT_OK;
}

static void text_collider(const ToileColliderDef *collider, const char *file, bool deforms) {
    say("  collider ", collider->name);
    printf(": %s", shape_name(collider->shape));
    if (collider->mesh) {
        printf(" of %d vertices, %d faces (%lld triangles)%s", (int)collider->mesh->vertex_count,
               (int)collider->mesh->face_count, (long long)triangle_count(collider->mesh),
               deforms ? ", deforming" : "");
        say(", from ", file);
    }
    fputc('\n', stdout);
}

static void json_collider(const ToileColliderDef *collider, const char *file, bool deforms) {
    json_text("{", "name", collider->name);
    json_text(", ", "shape", shape_name(collider->shape));
    if (collider->mesh) {
        json_text(", ", "mesh", file);
        printf(", \"vertices\": %d, \"faces\": %d, \"triangles\": %lld, \"deforms\": %s",
               (int)collider->mesh->vertex_count, (int)collider->mesh->face_count,
               (long long)triangle_count(collider->mesh), deforms ? "true" : "false");
    }
    fputc('}', stdout);
}

static int print_colliders(const ToileScene *scene, const ToileSceneInfo *info, bool json) {
    for (int32_t i = 0; i < info->collider_count; i++) {
        ToileError error = toile_error_default();
        ToileColliderDef collider = toile_collider_def_default();
        ToileStatus status = toile_scene_get_collider(scene, i, info->frames[0], &collider, &error);
        const char *file = NULL;
        int32_t deforms = 0;
        if (status == TOILE_STATUS_OK)
            status = toile_scene_get_collider_file(scene, i, &file, &deforms, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        if (json) {
            fputs(i ? ",\n  " : "\n  ", stdout);
            json_collider(&collider, file, deforms != 0);
        } else {
            text_collider(&collider, file, deforms != 0);
        }
    }
    return TL_EXIT_OK;
}

/* whether cloths meet themselves and each other */
static bool has_self_contact(const ToileScene *scene) {
    ToileSimDef def = toile_sim_def_default();
    return toile_scene_sim_def(scene, &def, NULL) == TOILE_STATUS_OK && def.contact_self;
}

static int json_scene(const ToileScene *scene, const ToileSceneInfo *info) {
    printf("{\"kind\": \"scene\", \"up\": \"%s\", \"settle\": %s, \"frames\": {\"first\": %d, "
           "\"last\": %d, \"count\": %d}, \"fps\": ",
           info->up == TOILE_UP_Z ? "z" : "y", info->settle ? "true" : "false",
           (int)info->frames[0], (int)info->frames[info->frame_count - 1], (int)info->frame_count);
    tl_json_number(stdout, info->fps);
    fputs(", \"unit_m\": ", stdout);
    tl_json_number(stdout, info->unit_m);
    json_text(", ", "cache", info->cache ? info->cache : "");
    printf(", \"self_contact\": %s", has_self_contact(scene) ? "true" : "false");
    printf(", \"hash\": \"%016llx\", \"wedges\": %d,\n\"cloth\": [", (unsigned long long)info->hash,
           (int)info->wedge_count);
    int code = print_cloths(scene, info->cloth_count, true);
    fputs("],\n\"colliders\": [", stdout);
    if (code == TL_EXIT_OK)
        code = print_colliders(scene, info, true);
    fputs("]}\n", stdout);
    return code;
}

static int text_scene(const ToileScene *scene, const ToileSceneInfo *info, const char *path) {
    say("", path);
    printf(": scene\n  frames %d to %d (%d written) at %g fps, up %s, %g m a unit%s%s\n",
           (int)info->frames[0], (int)info->frames[info->frame_count - 1], (int)info->frame_count,
           info->fps, info->up == TOILE_UP_Z ? "z" : "y", info->unit_m,
           info->settle ? ", settles" : "",
           has_self_contact(scene) ? "" : ", without self-collision");
    if (info->cache) {
        say("  cache ", info->cache);
        puts(info->velocities ? " with velocities" : "");
    }
    printf("  hash %016llx\n", (unsigned long long)info->hash);
    if (info->wedge_count > 0)
        printf("  %d wedges, which 'toile wedge list' lists\n", (int)info->wedge_count);
    int code = print_cloths(scene, info->cloth_count, false);
    return code == TL_EXIT_OK ? print_colliders(scene, info, false) : code;
}

static int info_scene(const char *path, const char *const *sets, int32_t set_count, bool json) {
    TlFindings findings = {0};
    ToileError error = toile_error_default();
    ToileScene *scene = tl_load_scene(path, sets, set_count, TL_NO_WEDGE, &findings);
    if (!scene)
        return findings.first_exit;
    ToileSceneInfo info = {0};
    info.struct_size = (uint32_t)sizeof info;
    ToileStatus status = toile_scene_get_info(scene, &info, &error);
    int code = TL_EXIT_OK;
    if (status != TOILE_STATUS_OK)
        code = tl_report_failure(status, &error);
    else
        code = json ? json_scene(scene, &info) : text_scene(scene, &info, path);
    toile_scene_free(scene);
    return code;
}

/* ---- the command ---- */

/* by its ending, or, whatever it is called, by its content */
static bool is_archive(const char *path) {
    if (tl_has_ending(path, ".abc"))
        return true;
    abcc_status status = abcc_check(path, NULL, NULL);
    return status != ABCC_E_OPEN && status != ABCC_E_NOT_ALEMBIC;
}

static int parse(int argc, char **argv, const char **sets) {
    const TlCommand *command = &tl_command_info;
    bool json = false;
    int32_t set_count = 0;
    int letter;
    while ((letter = tl_next_option(command, argc, argv, ":h", option_table)) != TL_OPTION_END) {
        if (letter == TL_OPTION_HELP)
            return TL_EXIT_OK;
        if (letter == TL_OPTION_BAD)
            return TL_EXIT_USAGE;
        if (letter == 'j')
            json = true;
        else if (!strchr(optarg, '=') || optarg[0] == '=')
            return tl_usage(command, "--set takes KEY=VALUE, not '%s'", optarg);
        else
            sets[set_count++] = optarg;
    }
    if (optind == argc)
        return tl_usage(command, "info needs an archive or a scene");
    if (optind + 1 < argc)
        return tl_usage(command, "info takes one file, but '%s' follows '%s'", argv[optind + 1],
                        argv[optind]);
    if (tl_has_ending(argv[optind], ".pc2") || tl_has_ending(argv[optind], ".mdd"))
        return tl_info_points(argv[optind], json);
    if (is_archive(argv[optind]))
        return tl_info_archive(argv[optind], json);
    return info_scene(argv[optind], sets, set_count, json);
}

static int run_info(int argc, char **argv) {
    const char **sets = calloc((size_t)argc, sizeof *sets);
    if (!sets) {
        tl_message("there is not enough memory.");
        return TL_EXIT_FAILURE;
    }
    int code = parse(argc, argv, sets);
    free(sets);
    return code;
}

const TlCommand tl_command_info = {"info", "says what an archive or a scene holds", help, true,
                                   run_info};
