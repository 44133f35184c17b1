/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile eval`: energies and internal forces of a scene at one pose, with 17 digits. Simulates
 * nothing; meant for comparison with published numbers and for finding out why cloth behaves as it
 * does. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <toile/draft.h>
#include <toile_io/obj.h>

static const char help[] =
    "usage: toile eval SCENE [--pose FILE.obj] [--detail] [--json] [--set KEY=VALUE]...\n\n"
    "Prints the energies, the force of the internal energies on each vertex, and their sum and\n"
    "torque about the origin, at the start pose or at the pose given.\n\n"
    "  --pose FILE.obj   vertices of another pose; with several cloths CLOTH=FILE.obj, repeatable\n"
    "  --detail          also every bending hinge and every stretch element\n"
    "  --json            as JSON with 17 digits\n"
    "  --set KEY=VALUE   replaces a value of the scene first; repeatable\n";

enum { OPTION_POSE = 256, OPTION_VELOCITY, OPTION_DETAIL, OPTION_JSON, OPTION_SET };

static const struct option option_table[] = {
    {"pose", required_argument, NULL, OPTION_POSE},
    {"velocity", required_argument, NULL, OPTION_VELOCITY},
    {"detail", no_argument, NULL, OPTION_DETAIL},
    {"json", no_argument, NULL, OPTION_JSON},
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
}

static int get_forces(Eval *eval, ToileClothId cloth, Forces *forces) {
    ToileError error = toile_error_default();
    forces->count = toile_sim_vertex_count(eval->sim, cloth);
    size_t values = 3 * (size_t)forces->count + 1;
    forces->x_m = calloc(values, sizeof *forces->x_m);
    forces->force_N = calloc(values, sizeof *forces->force_N);
    if (!forces->x_m || !forces->force_N)
        return out_of_memory();
    ToileStatus status = toile_sim_get_positions(eval->sim, cloth, forces->x_m, &error);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_get_internal_forces(eval->sim, cloth, forces->force_N, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    sum_forces(forces);
    return TL_EXIT_OK;
}

/* ---- poses ---- */

static int apply_pose(Eval *eval, int32_t index, const ToileSceneCloth *cloth, const char *file) {
    ToileError error = toile_error_default();
    ToileObj *obj = NULL;
    ToileStatus status = toile_obj_read(file, cloth->unit_m, false, &obj, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    int code = TL_EXIT_OK;
    if (obj->mesh.vertex_count != cloth->mesh->vertex_count) {
        tl_message("%s: the pose has %d vertices, but cloth '%s' has %d.", file,
                   (int)obj->mesh.vertex_count, cloth->name, (int)cloth->mesh->vertex_count);
        code = TL_EXIT_DATA;
    } else {
        status =
            toile_sim_set_positions(eval->sim, eval->cloths[index], obj->mesh.positions_m, &error);
        if (status != TOILE_STATUS_OK)
            code = tl_report_failure(status, &error);
    }
    toile_obj_free(obj);
    return code;
}

/* `text` is CLOTH=FILE, or FILE alone when the scene has one cloth */
static int find_pose(Eval *eval, const char *text) {
    for (int32_t i = 0; i < eval->info.cloth_count; i++) {
        ToileError error = toile_error_default();
        ToileSceneCloth cloth = {0};
        cloth.struct_size = (uint32_t)sizeof cloth;
        ToileStatus status = toile_scene_get_cloth(eval->scene, i, &cloth, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        size_t length = strlen(cloth.name);
        if (strncmp(text, cloth.name, length) == 0 && text[length] == '=')
            return apply_pose(eval, i, &cloth, text + length + 1);
        if (eval->info.cloth_count == 1)
            return apply_pose(eval, i, &cloth, text);
    }
    return tl_usage(&tl_command_eval,
                    "the scene has %d cloths, so --pose takes CLOTH=FILE.obj, not '%s'",
                    (int)eval->info.cloth_count, text);
}

static int build(Eval *eval) {
    TlFindings findings = {0};
    ToileError error = toile_error_default();
    ToileSimDef def = toile_sim_def_default();
    eval->scene = tl_load_scene(eval->path, eval->sets, eval->set_count, &findings);
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
    int code = TL_EXIT_OK;
    for (int32_t i = 0; i < eval->pose_count && code == TL_EXIT_OK; i++)
        code = find_pose(eval, eval->poses[i]);
    return code;
}

/* ---- JSON ---- */

static void json_field(const char *indent, const char *name, double value) {
    printf("%s\"%s\": ", indent, name);
    tl_json_number(stdout, value);
}

static void json_hinge(const ToileHingeDetail *hinge) {
    const int32_t *v = hinge->vertices;
    printf("{\"vertices\": [%d, %d, %d, %d], \"alpha\": ", (int)v[0], (int)v[1], (int)v[2],
           (int)v[3]);
    tl_json_numbers(stdout, hinge->alpha, 4);
    json_field(", ", "l", hinge->length_m);
    json_field(", ", "hA", hinge->height_a_m);
    json_field(", ", "hB", hinge->height_b_m);
    json_field(", ", "lambda", hinge->lambda_N_per_m);
    json_field(", ", "k_e", hinge->k_e_N_m);
    json_field(", ", "mu", hinge->mu_N_m);
    fputs(", \"R\": ", stdout);
    tl_json_numbers(stdout, hinge->R_m, 3);
    json_field(", ", "r", hinge->r_m);
    json_field(", ", "gamma", hinge->gamma_per_m);
    json_field(", ", "theta", hinge->theta_rad);
    fputs("}", stdout);
}

static void json_element(const ToileElementDetail *element) {
    const double *K = element->K_N_per_m;
    const double rows[3][3] = {{K[0], K[1], K[2]}, {K[1], K[3], K[4]}, {K[2], K[4], K[5]}};
    printf("{\"face\": %d, \"vertices\": [%d, %d, %d]", (int)element->face,
           (int)element->vertices[0], (int)element->vertices[1], (int)element->vertices[2]);
    json_field(", ", "area", element->area_m2);
    fputs(", \"K\": [", stdout);
    for (int32_t i = 0; i < 3; i++) {
        fputs(i ? ", " : "", stdout);
        tl_json_numbers(stdout, rows[i], 3);
    }
    fputs("], \"strain\": ", stdout);
    tl_json_numbers(stdout, element->strain, 3);
    json_field(", ", "energy_J", element->energy_J);
    json_field(", ", "psd_trace", element->psd_trace);
    fputs("}", stdout);
}

static int json_hinges(Eval *eval, ToileClothId cloth) {
    ToileError error = toile_error_default();
    int32_t count = toile_sim_hinge_count(eval->sim, cloth);
    fputs(",\n\"hinges\": [", stdout);
    for (int32_t i = 0; i < count; i++) {
        ToileHingeDetail hinge = {0};
        hinge.struct_size = (uint32_t)sizeof hinge;
        ToileStatus status = toile_sim_get_hinge(eval->sim, cloth, i, &hinge, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        fputs(i ? ",\n  " : "\n  ", stdout);
        json_hinge(&hinge);
    }
    fputs("]", stdout);
    return count < 0 ? out_of_memory() : TL_EXIT_OK;
}

static int json_elements(Eval *eval, ToileClothId cloth) {
    ToileError error = toile_error_default();
    int32_t count = toile_sim_element_count(eval->sim, cloth);
    fputs(",\n\"faces\": [", stdout);
    for (int32_t i = 0; i < count; i++) {
        ToileElementDetail element = {0};
        element.struct_size = (uint32_t)sizeof element;
        ToileStatus status = toile_sim_get_element(eval->sim, cloth, i, &element, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        fputs(i ? ",\n  " : "\n  ", stdout);
        json_element(&element);
    }
    fputs("]", stdout);
    return count < 0 ? out_of_memory() : TL_EXIT_OK;
}

/* the members of one cloth, without the braces around them */
static int json_cloth(Eval *eval, int32_t index) {
    Forces forces = {0};
    int code = get_forces(eval, eval->cloths[index], &forces);
    if (code == TL_EXIT_OK) {
        fputs("\"force_N\": [", stdout);
        for (int32_t i = 0; i < forces.count; i++) {
            fputs(i ? ",\n  " : "\n  ", stdout);
            tl_json_numbers(stdout, forces.force_N + 3 * (size_t)i, 3);
        }
        fputs("],\n\"net_force_N\": ", stdout);
        tl_json_numbers(stdout, forces.net_N, 3);
        fputs(",\n\"net_torque_N_m\": ", stdout);
        tl_json_numbers(stdout, forces.torque_N_m, 3);
    }
    free_forces(&forces);
    if (code == TL_EXIT_OK && eval->detail)
        code = json_hinges(eval, eval->cloths[index]);
    if (code == TL_EXIT_OK && eval->detail)
        code = json_elements(eval, eval->cloths[index]);
    return code;
}

static int cloth_name(const Eval *eval, int32_t index, const char **name) {
    ToileError error = toile_error_default();
    ToileSceneCloth cloth = {0};
    cloth.struct_size = (uint32_t)sizeof cloth;
    ToileStatus status = toile_scene_get_cloth(eval->scene, index, &cloth, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    *name = cloth.name;
    return TL_EXIT_OK;
}

static int print_json(Eval *eval, const ToileEnergies *energies) {
    json_field("{\"energy_J\": {", "stretch", energies->stretch_J);
    json_field(", ", "bend", energies->bend_J);
    json_field(", ", "gravity", energies->gravity_J);
    json_field(", ", "total", energies->total_J);
    fputs("},\n", stdout);
    int code = TL_EXIT_OK;
    if (eval->info.cloth_count == 1) {
        code = json_cloth(eval, 0);
        fputs("}\n", stdout);
        return code;
    }
    fputs("\"cloth\": {", stdout);
    for (int32_t i = 0; i < eval->info.cloth_count && code == TL_EXIT_OK; i++) {
        const char *name = NULL;
        code = cloth_name(eval, i, &name);
        if (code != TL_EXIT_OK)
            break;
        fputs(i ? ",\n" : "\n", stdout);
        tl_json_string(stdout, name);
        fputs(": {", stdout);
        code = json_cloth(eval, i);
        fputs("}", stdout);
    }
    fputs("}}\n", stdout);
    return code;
}

/* ---- tables for people ---- */

static int table_detail(Eval *eval, ToileClothId cloth) {
    ToileError error = toile_error_default();
    int32_t hinges = toile_sim_hinge_count(eval->sim, cloth);
    int32_t elements = toile_sim_element_count(eval->sim, cloth);
    printf("    hinge  %23s %12s %12s %12s\n", "A B C D", "lambda N/m", "gamma 1/m", "theta rad");
    for (int32_t i = 0; i < hinges; i++) {
        ToileHingeDetail h = {0};
        h.struct_size = (uint32_t)sizeof h;
        ToileStatus status = toile_sim_get_hinge(eval->sim, cloth, i, &h, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        printf("  %7d  %5d %5d %5d %5d %12.5g %12.5g %12.5g\n", (int)i, (int)h.vertices[0],
               (int)h.vertices[1], (int)h.vertices[2], (int)h.vertices[3], h.lambda_N_per_m,
               h.gamma_per_m, h.theta_rad);
    }
    printf("     face  %12s %12s %12s %12s %12s\n", "area m2", "weft", "warp", "shear", "energy J");
    for (int32_t i = 0; i < elements; i++) {
        ToileElementDetail e = {0};
        e.struct_size = (uint32_t)sizeof e;
        ToileStatus status = toile_sim_get_element(eval->sim, cloth, i, &e, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        printf("  %7d  %12.5g %12.5g %12.5g %12.5g %12.5g\n", (int)e.face, e.area_m2, e.strain[0],
               e.strain[1], e.strain[2], e.energy_J);
    }
    return TL_EXIT_OK;
}

static int table_cloth(Eval *eval, int32_t index) {
    Forces forces = {0};
    const char *name = NULL;
    int code = cloth_name(eval, index, &name);
    if (code == TL_EXIT_OK)
        code = get_forces(eval, eval->cloths[index], &forces);
    if (code == TL_EXIT_OK) {
        const double *net = forces.net_N, *torque = forces.torque_N_m;
        printf("cloth %s\n  net force N    %13.6g %13.6g %13.6g\n"
               "  net torque N m %13.6g %13.6g %13.6g\n   vertex  %41s\n",
               name, net[0], net[1], net[2], torque[0], torque[1], torque[2], "force N");
        for (int32_t i = 0; i < forces.count; i++) {
            const double *f = forces.force_N + 3 * (size_t)i;
            printf("  %7d  %13.6g %13.6g %13.6g\n", (int)i, f[0], f[1], f[2]);
        }
    }
    free_forces(&forces);
    return code == TL_EXIT_OK && eval->detail ? table_detail(eval, eval->cloths[index]) : code;
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
    case OPTION_DETAIL:
        eval->detail = true;
        return TL_EXIT_OK;
    case OPTION_JSON:
        eval->json = true;
        return TL_EXIT_OK;
    case OPTION_SET:
        if (!strchr(optarg, '=') || optarg[0] == '=')
            return tl_usage(&tl_command_eval, "--set takes KEY=VALUE, not '%s'", optarg);
        eval->sets[eval->set_count++] = optarg;
        return TL_EXIT_OK;
    default:
        tl_message("this version does not have --velocity: eval prints forces of position only.");
        return TL_EXIT_USAGE;
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
    Eval eval = {0};
    eval.sets = calloc((size_t)argc, sizeof *eval.sets);
    eval.poses = calloc((size_t)argc, sizeof *eval.poses);
    int code = eval.sets && eval.poses ? parse(&eval, argc, argv) : out_of_memory();
    toile_sim_destroy(eval.sim);
    toile_scene_free(eval.scene);
    free(eval.cloths);
    free(eval.sets);
    free(eval.poses);
    return code;
}

const TlCommand tl_command_eval = {"eval", "prints energies and forces at one pose", help, true,
                                   run_eval};
