/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile eval`: energies and internal forces of a scene at one pose, with 17 digits. Simulates
 * nothing; meant for comparison with published numbers and for finding out why cloth behaves as it
 * does. */
#include "cli.h"
#include "eval_detail.h"

#include <stdlib.h>
#include <string.h>
#include <toile/draft.h>
#include <toile_io/obj.h>

static const char help[] =
    "usage: toile eval SCENE [--pose FILE.obj] [--velocity FILE.obj] [--detail] [--json]\n"
    "                        [--wedge W] [--set KEY=VALUE]...\n\n"
    "Prints the energies, the force of the internal energies on each vertex, and their sum and\n"
    "torque about the origin, at the start pose or at the pose given.\n\n"
    "  --pose FILE.obj       vertices of another pose; with several cloths CLOTH=FILE.obj,\n"
    "                        repeatable\n"
    "  --velocity FILE.obj   velocities, a v line per vertex, in units of the cloth's files a\n"
    "                        second; adds the damping forces; with several cloths as --pose\n"
    "  --detail              also every bending hinge, stretch element and spring, the area of\n"
    "                        each vertex and the parts of Koiter's energy\n"
    "  --json                as JSON with 17 digits\n"
    "  --wedge W             one of the scene's wedges, counted from 0\n"
    "  --set KEY=VALUE       replaces a value of the scene first; repeatable\n";

enum { OPTION_POSE = 256, OPTION_VELOCITY, OPTION_DETAIL, OPTION_JSON, OPTION_WEDGE, OPTION_SET };

static const struct option option_table[] = {
    {"pose", required_argument, NULL, OPTION_POSE},
    {"velocity", required_argument, NULL, OPTION_VELOCITY},
    {"detail", no_argument, NULL, OPTION_DETAIL},
    {"json", no_argument, NULL, OPTION_JSON},
    {"wedge", required_argument, NULL, OPTION_WEDGE},
    {"set", required_argument, NULL, OPTION_SET},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

typedef struct Eval {
    const char *path;
    const char **sets;
    int32_t set_count;
    const char **poses;
    int32_t pose_count;
    const char **velocities;
    int32_t velocity_count;
    int32_t wedge;
    bool detail;
    bool json;
    ToileScene *scene;
    ToileSceneInfo info;
    ToileSim *sim;
    ToileClothId *cloths;
} Eval;

/* One cloth at the pose, with its sums. */
typedef struct Forces {
    int32_t count;
    double *x_m;
    double *force_N;
    double *damping_N; /* NULL unless velocities were given */
    double net_N[3];
    double torque_N_m[3];
} Forces;

static int out_of_memory(void) {
    tl_message("there is not enough memory.");
    return TL_EXIT_FAILURE;
}

/* ---- computation ---- */

static void sum_forces(Forces *forces) {
    memset(forces->net_N, 0, sizeof forces->net_N);
    memset(forces->torque_N_m, 0, sizeof forces->torque_N_m);
    for (int32_t i = 0; i < forces->count; i++) {
        const double *x = forces->x_m + 3 * (size_t)i;
        const double *f = forces->force_N + 3 * (size_t)i;
        for (int32_t k = 0; k < 3; k++) {
            int32_t a = (k + 1) % 3, b = (k + 2) % 3;
            forces->net_N[k] += f[k];
            forces->torque_N_m[k] += x[a] * f[b] - x[b] * f[a];
        }
    }
}

static void free_forces(Forces *forces) {
    free(forces->x_m);
    free(forces->force_N);
    free(forces->damping_N);
}

static int get_forces(Eval *eval, ToileClothId cloth, Forces *forces) {
    ToileError error = toile_error_default();
    forces->count = toile_sim_vertex_count(eval->sim, cloth);
    size_t values = 3 * (size_t)forces->count + 1;
    forces->x_m = calloc(values, sizeof *forces->x_m);
    forces->force_N = calloc(values, sizeof *forces->force_N);
    bool damped = eval->velocity_count > 0;
    if (damped)
        forces->damping_N = calloc(values, sizeof *forces->damping_N);
    if (!forces->x_m || !forces->force_N || (damped && !forces->damping_N))
        return out_of_memory();
    ToileStatus status = toile_sim_get_positions(eval->sim, cloth, forces->x_m, &error);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_get_internal_forces(eval->sim, cloth, forces->force_N, &error);
    if (status == TOILE_STATUS_OK && damped)
        status = toile_sim_get_damping_forces(eval->sim, cloth, forces->damping_N, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    sum_forces(forces);
    return TL_EXIT_OK;
}

/* ---- poses and velocities ---- */

typedef ToileStatus (*SetVertices)(ToileSim *sim, ToileClothId cloth, const double *values,
                                   ToileError *error);

/* What --pose and --velocity do with a file. */
typedef struct Input {
    const char *option;
    const char *what;
    SetVertices set;
} Input;

static int apply_file(Eval *eval, const Input *input, int32_t index, const ToileSceneCloth *cloth,
                      const char *file) {
    ToileError error = toile_error_default();
    ToileObj *obj = NULL;
    ToileStatus status = toile_obj_read(file, cloth->unit_m, false, &obj, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    int code = TL_EXIT_OK;
    if (obj->mesh.vertex_count != cloth->mesh->vertex_count) {
        tl_message("%s: the %s %d vertices, but cloth '%s' has %d.", file, input->what,
                   (int)obj->mesh.vertex_count, cloth->name, (int)cloth->mesh->vertex_count);
        code = TL_EXIT_DATA;
    } else {
        status = input->set(eval->sim, eval->cloths[index], obj->mesh.positions_m, &error);
        if (status != TOILE_STATUS_OK)
            code = tl_report_failure(status, &error);
    }
    toile_obj_free(obj);
    return code;
}

/* `text` is CLOTH=FILE, or FILE alone when the scene has one cloth */
static int find_file(Eval *eval, const Input *input, const char *text) {
    for (int32_t i = 0; i < eval->info.cloth_count; i++) {
        ToileError error = toile_error_default();
        ToileSceneCloth cloth = {0};
        cloth.struct_size = (uint32_t)sizeof cloth;
        ToileStatus status = toile_scene_get_cloth(eval->scene, i, &cloth, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        size_t length = strlen(cloth.name);
        if (strncmp(text, cloth.name, length) == 0 && text[length] == '=')
            return apply_file(eval, input, i, &cloth, text + length + 1);
        if (eval->info.cloth_count == 1)
            return apply_file(eval, input, i, &cloth, text);
    }
    return tl_usage(&tl_command_eval,
                    "the scene has %d cloths, so %s takes CLOTH=FILE.obj, not '%s'",
                    (int)eval->info.cloth_count, input->option, text);
}

static int apply_files(Eval *eval) {
    const Input pose = {"--pose", "pose has", toile_sim_set_positions};
    const Input velocity = {"--velocity", "velocities have", toile_sim_set_velocities};
    int code = TL_EXIT_OK;
    for (int32_t i = 0; i < eval->pose_count && code == TL_EXIT_OK; i++)
        code = find_file(eval, &pose, eval->poses[i]);
    for (int32_t i = 0; i < eval->velocity_count && code == TL_EXIT_OK; i++)
        code = find_file(eval, &velocity, eval->velocities[i]);
    return code;
}

static int build(Eval *eval) {
    TlFindings findings = {0};
    ToileError error = toile_error_default();
    ToileSimDef def = toile_sim_def_default();
    eval->scene = tl_load_scene(eval->path, eval->sets, eval->set_count, eval->wedge, &findings);
    if (!eval->scene)
        return findings.first_exit;
    eval->info.struct_size = (uint32_t)sizeof eval->info;
    ToileStatus status = toile_scene_get_info(eval->scene, &eval->info, &error);
    if (status == TOILE_STATUS_OK)
        status = toile_scene_sim_def(eval->scene, &def, &error);
    def.threads = 1;
    eval->cloths = calloc((size_t)eval->info.cloth_count + 1, sizeof *eval->cloths);
    if (!eval->cloths)
        return out_of_memory();
    if (status == TOILE_STATUS_OK)
        status = toile_scene_create_sim(eval->scene, &def, &eval->sim, eval->cloths, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    return apply_files(eval);
}

/* What the printers need of one cloth. */
static int get_cloth(const Eval *eval, int32_t index, ToileSceneCloth *cloth) {
    ToileError error = toile_error_default();
    *cloth = (ToileSceneCloth){.struct_size = (uint32_t)sizeof *cloth};
    ToileStatus status = toile_scene_get_cloth(eval->scene, index, cloth, &error);
    return status == TOILE_STATUS_OK ? TL_EXIT_OK : tl_report_failure(status, &error);
}

static bool is_koiter(const ToileSceneCloth *cloth) {
    return cloth->fabric->bend_model == TOILE_BEND_KOITER;
}

/* ---- JSON ---- */

static void json_field(const char *indent, const char *name, double value) {
    printf("%s\"%s\": ", indent, name);
    tl_json_number(stdout, value);
}

/* one list of three numbers a vertex */
static void json_vectors(const char *name, const double *values, int32_t count) {
    printf("\"%s\": [", name);
    for (int32_t i = 0; i < count; i++) {
        fputs(i ? ",\n  " : "\n  ", stdout);
        tl_json_numbers(stdout, values + 3 * (size_t)i, 3);
    }
    fputs("],\n", stdout);
}

/* the members of one cloth, without the braces around them */
static int json_cloth(Eval *eval, int32_t index, const ToileSceneCloth *cloth) {
    Forces forces = {0};
    int code = get_forces(eval, eval->cloths[index], &forces);
    if (code == TL_EXIT_OK) {
        json_vectors("force_N", forces.force_N, forces.count);
        if (forces.damping_N)
            json_vectors("damping_N", forces.damping_N, forces.count);
        fputs("\"net_force_N\": ", stdout);
        tl_json_numbers(stdout, forces.net_N, 3);
        fputs(",\n\"net_torque_N_m\": ", stdout);
        tl_json_numbers(stdout, forces.torque_N_m, 3);
    }
    free_forces(&forces);
    if (code == TL_EXIT_OK && eval->detail)
        code = tl_eval_json_detail(eval->sim, eval->cloths[index], is_koiter(cloth),
                                   eval->velocity_count > 0);
    return code;
}

static int print_json(Eval *eval, const ToileEnergies *energies) {
    json_field("{\"energy_J\": {", "stretch", energies->stretch_J);
    json_field(", ", "bend", energies->bend_J);
    json_field(", ", "gravity", energies->gravity_J);
    json_field(", ", "total", energies->total_J);
    fputs("},\n", stdout);
    ToileSceneCloth cloth;
    int code = get_cloth(eval, 0, &cloth);
    if (code == TL_EXIT_OK && eval->info.cloth_count == 1) {
        code = json_cloth(eval, 0, &cloth);
        fputs("}\n", stdout);
        return code;
    }
    fputs("\"cloth\": {", stdout);
    for (int32_t i = 0; i < eval->info.cloth_count && code == TL_EXIT_OK; i++) {
        code = get_cloth(eval, i, &cloth);
        if (code != TL_EXIT_OK)
            break;
        fputs(i ? ",\n" : "\n", stdout);
        tl_json_string(stdout, cloth.name);
        fputs(": {", stdout);
        code = json_cloth(eval, i, &cloth);
        fputs("}", stdout);
    }
    fputs("}}\n", stdout);
    return code;
}

/* ---- tables for people ---- */

static void table_forces(const Forces *forces) {
    printf("   vertex  %41s%s\n", "force N", forces->damping_N ? " and damping N" : "");
    for (int32_t i = 0; i < forces->count; i++) {
        const double *f = forces->force_N + 3 * (size_t)i;
        printf("  %7d  %13.6g %13.6g %13.6g", (int)i, f[0], f[1], f[2]);
        if (forces->damping_N) {
            f = forces->damping_N + 3 * (size_t)i;
            printf("  %13.6g %13.6g %13.6g", f[0], f[1], f[2]);
        }
        fputs("\n", stdout);
    }
}

static int table_cloth(Eval *eval, int32_t index) {
    Forces forces = {0};
    ToileSceneCloth cloth;
    int code = get_cloth(eval, index, &cloth);
    if (code == TL_EXIT_OK)
        code = get_forces(eval, eval->cloths[index], &forces);
    if (code == TL_EXIT_OK) {
        const double *net = forces.net_N, *torque = forces.torque_N_m;
        printf("cloth %s\n  net force N    %13.6g %13.6g %13.6g\n"
               "  net torque N m %13.6g %13.6g %13.6g\n",
               cloth.name, net[0], net[1], net[2], torque[0], torque[1], torque[2]);
        table_forces(&forces);
    }
    free_forces(&forces);
    if (code == TL_EXIT_OK && eval->detail)
        code = tl_eval_table_detail(eval->sim, eval->cloths[index], is_koiter(&cloth));
    return code;
}

static int print_table(Eval *eval, const ToileEnergies *energies) {
    printf("energy J\n  stretch %16.9g\n  bend    %16.9g\n  gravity %16.9g\n  total   %16.9g\n",
           energies->stretch_J, energies->bend_J, energies->gravity_J, energies->total_J);
    int code = TL_EXIT_OK;
    for (int32_t i = 0; i < eval->info.cloth_count && code == TL_EXIT_OK; i++)
        code = table_cloth(eval, i);
    return code;
}

static int evaluate(Eval *eval) {
    ToileError error = toile_error_default();
    ToileEnergies energies = toile_energies_default();
    int code = build(eval);
    if (code != TL_EXIT_OK)
        return code;
    ToileStatus status = toile_sim_get_energies(eval->sim, &energies, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    return eval->json ? print_json(eval, &energies) : print_table(eval, &energies);
}

/* ---- options ---- */

static int take_option(Eval *eval, int letter) {
    switch (letter) {
    case OPTION_POSE:
        eval->poses[eval->pose_count++] = optarg;
        return TL_EXIT_OK;
    case OPTION_VELOCITY:
        eval->velocities[eval->velocity_count++] = optarg;
        return TL_EXIT_OK;
    case OPTION_WEDGE:
        return tl_parse_wedge(&tl_command_eval, optarg, &eval->wedge);
    case OPTION_DETAIL:
        eval->detail = true;
        return TL_EXIT_OK;
    case OPTION_JSON:
        eval->json = true;
        return TL_EXIT_OK;
    default:
        if (!strchr(optarg, '=') || optarg[0] == '=')
            return tl_usage(&tl_command_eval, "--set takes KEY=VALUE, not '%s'", optarg);
        eval->sets[eval->set_count++] = optarg;
        return TL_EXIT_OK;
    }
}

static int parse(Eval *eval, int argc, char **argv) {
    const TlCommand *command = &tl_command_eval;
    int letter;
    while ((letter = tl_next_option(command, argc, argv, ":h", option_table)) != TL_OPTION_END) {
        if (letter == TL_OPTION_HELP)
            return TL_EXIT_OK;
        int code = letter == TL_OPTION_BAD ? TL_EXIT_USAGE : take_option(eval, letter);
        if (code != TL_EXIT_OK)
            return code;
    }
    if (optind == argc)
        return tl_usage(command, "eval needs a scene file");
    if (optind + 1 < argc)
        return tl_usage(command, "eval takes one scene, but '%s' follows '%s'", argv[optind + 1],
                        argv[optind]);
    eval->path = argv[optind];
    return evaluate(eval);
}

static int run_eval(int argc, char **argv) {
    Eval eval = {.wedge = TL_NO_WEDGE};
    eval.sets = calloc((size_t)argc, sizeof *eval.sets);
    eval.poses = calloc((size_t)argc, sizeof *eval.poses);
    eval.velocities = calloc((size_t)argc, sizeof *eval.velocities);
    bool fine = eval.sets && eval.poses && eval.velocities;
    int code = fine ? parse(&eval, argc, argv) : out_of_memory();
    toile_sim_destroy(eval.sim);
    toile_scene_free(eval.scene);
    free(eval.cloths);
    free(eval.sets);
    free(eval.poses);
    free(eval.velocities);
    return code;
}

const TlCommand tl_command_eval = {"eval", "prints energies and forces at one pose", help, true,
                                   run_eval};
