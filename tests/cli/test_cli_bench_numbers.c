/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmarks of kernels and integrators, in their smallest form: that their JSON is complete,
 * that ratios belong to the times beside them, and what does not depend on the clock. How long
 * anything takes is no matter of a test. Besides, the bending forces they time.
 *
 * TOILE_COMMAND names the command. */
#define _POSIX_C_SOURCE 200809L

#include "../../io/json.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <toile/draft.h>
#include <toile/toile.h>

/* two divisions in another order */
#define ROUNDING 1e-12
/* the default table of ten intervals is within 1.9 % of the arc */
#define TABLE_ERROR 0.019

static TlIoArena arena;

/* ---- trees ---- */

/* What `toile bench ARGUMENTS --json` prints. */
static const TlJson *bench(const char *arguments) {
    char command[1024], part[4096];
    size_t length;
    ToileError error = {.struct_size = sizeof error};
    TlReport report = {.error = &error};
    TlIoText printed = {0};
    const char *toile = getenv("TOILE_COMMAND");
    ck_assert_msg(toile != NULL, "TOILE_COMMAND does not name the command");
    snprintf(command, sizeof command, "'%s' bench %s --json", toile, arguments);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    while ((length = fread(part, 1, sizeof part, pipe)) > 0)
        tl_io_text_add(&printed, part, length);
    int status = pclose(pipe);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s failed", command);
    const TlJson *tree = tl_json_parse(printed.data, printed.length, "output", &arena, &report);
    ck_assert_msg(tree != NULL, "%s", error.message);
    tl_io_text_free(&printed);
    return tree;
}

static const TlJson *get(const TlJson *object, const char *key) {
    const TlJson *value = object ? tl_json_get(object, key) : NULL;
    ck_assert_msg(value != NULL, "there is no \"%s\"", key);
    return value;
}

/* A number that is not null, as it would be when it is not finite. */
static double number(const TlJson *object, const char *key) {
    const TlJson *value = get(object, key);
    ck_assert_msg(value->kind == TL_JSON_NUMBER, "\"%s\" is not a number", key);
    return value->number;
}

static double positive(const TlJson *object, const char *key) {
    double value = number(object, key);
    ck_assert_msg(value > 0.0, "\"%s\" is %g", key, value);
    return value;
}

static bool is(const TlJson *object, const char *key, const char *text) {
    const TlJson *value = get(object, key);
    return value->kind == TL_JSON_STRING && strcmp(value->string, text) == 0;
}

/* The way of this name in the list "ways". */
static const TlJson *way(const TlJson *object, const char *name) {
    for (const TlJson *child = get(object, "ways")->first; child; child = child->next)
        if (is(child, "name", name))
            return child;
    ck_abort_msg("there is no way '%s'", name);
    return NULL;
}

/* Quartiles in order; answers the median. */
static double ratio(const TlJson *object, const char *key) {
    const TlJson *quartiles = get(object, key);
    double q1 = positive(quartiles, "q1"), q3 = positive(quartiles, "q3");
    double median = positive(quartiles, "median");
    ck_assert(q1 <= median && median <= q3);
    return median;
}

static void assert_ratio(const TlJson *object, const char *key, double expected) {
    double found = ratio(object, key);
    ck_assert_msg(fabs(found - expected) <= ROUNDING * expected, "\"%s\" is %.17g instead of %.17g",
                  key, found, expected);
}

/* ---- benchmarks ---- */

START_TEST(bench_bending_compares_linear_with_the_others) {
    static const char *const names[] = {"springs", "crossover", "normal", "original normals"};
    static const double hinges[2] = {14981, 39800}, springs[2] = {14981, 19998};
    const TlJson *tree = bench("bending --pairs 1 --frames 1");
    ck_assert(is(tree, "bench", "bending"));
    ck_assert_int_eq(get(tree, "meshes")->count, 2);
    for (int32_t i = 0; i < 2; i++) {
        const TlJson *mesh = tl_json_at(get(tree, "meshes"), i);
        double linear_us = positive(way(mesh, "linear"), "us");
        ck_assert_double_eq(number(mesh, "hinges"), hinges[i]);
        ck_assert_double_eq(number(mesh, "springs"), springs[i]);
        /* quads have no original normals */
        for (int32_t k = 0; k < 4 - i; k++) {
            const TlJson *other = way(mesh, names[k]);
            assert_ratio(other, "ratio", linear_us / positive(other, "us"));
        }
    }
}
END_TEST

START_TEST(bench_choi_ko_buckles_every_spring) {
    const TlJson *tree = bench("choi-ko --pairs 1 --frames 1");
    ck_assert(is(tree, "bench", "choi-ko"));
    /* along 31 lines of 29 springs each, both ways */
    ck_assert_double_eq(number(tree, "springs"), 2 * 31 * 29);
    ck_assert(number(tree, "least_length") > 0.3 && number(tree, "most_length") < 0.95);
    ck_assert(positive(tree, "force_difference") < TABLE_ERROR);
    double exact_us = positive(get(tree, "exact"), "us");
    assert_ratio(tree, "per_evaluation", exact_us / positive(get(tree, "table"), "us"));
}
END_TEST

START_TEST(bench_takes_quartiles_over_pairs) {
    const TlJson *tree = bench("choi-ko --pairs 4 --frames 1");
    ck_assert_double_eq(number(tree, "pairs"), 4);
    ratio(tree, "per_evaluation");
}
END_TEST

START_TEST(bench_implicit_takes_the_steps_it_tells) {
    const TlJson *tree = bench("implicit --pairs 1 --frames 1");
    ck_assert(is(tree, "bench", "implicit"));
    ck_assert_int_eq(get(tree, "kinds")->count, 8);
    for (const TlJson *kind = get(tree, "kinds")->first; kind; kind = kind->next) {
        const TlJson *none = way(kind, "none");
        bool one = is(kind, "solves", "one");
        ck_assert_double_eq(number(kind, "steps") * number(kind, "step_ms"), 100);
        for (const TlJson *with = get(kind, "ways")->first; with; with = with->next) {
            double iterations = number(with, "newton_iterations_per_step");
            /* a step that is repeated in halves takes more */
            bool whole = number(with, "retries_per_step") == 0.0;
            ck_assert(one && whole ? iterations == 1.0 : iterations >= 1.0);
            number(with, "line_search_cuts_per_step");
            /* in its first step a flat sheet falls freely unless it bends: nothing to be solved */
            ck_assert(with == none ? number(with, "cg_iterations_per_step") >= 0.0
                                   : number(with, "cg_iterations_per_step") >= 1.0);
            double rate = positive(with, "steps_per_s");
            if (with != none)
                assert_ratio(with, "ratio", rate / positive(none, "steps_per_s"));
        }
    }
}
END_TEST

START_TEST(bench_integrators_finds_them_all_near_the_reference) {
    const TlJson *tree = bench("integrators --pairs 1 --frames 2");
    ck_assert(is(tree, "bench", "integrators"));
    ck_assert_int_eq(get(tree, "scenes")->count, 2);
    for (const TlJson *scene = get(tree, "scenes")->first; scene; scene = scene->next) {
        const TlJson *euler = way(scene, "implicit-euler");
        ck_assert_int_eq(get(scene, "ways")->count, 8);
        for (const TlJson *one = get(scene, "ways")->first; one; one = one->next) {
            if (tl_json_get(one, "refused"))
                continue;
            ck_assert(number(one, "substeps_per_frame") >= 4);
            /* the first two frames are 3.4 cm of free fall */
            ck_assert(number(one, "rms_m") < 0.01 && fabs(number(one, "energy_error")) < 1.0);
            double ms = positive(one, "ms_per_frame");
            assert_ratio(one, "ratio", ms / positive(euler, "ms_per_frame"));
        }
        ck_assert(number(way(scene, "rk4"), "rms_m") < 0.01 * number(euler, "rms_m"));
    }
    /* a result, not a failure: only the soft sheet is for explicit Euler */
    const TlJson *stiff = tl_json_at(get(tree, "scenes"), 0),
                 *soft = tl_json_at(get(tree, "scenes"), 1);
    ck_assert_ptr_nonnull(strstr(get(way(stiff, "explicit-euler"), "refused")->string, "10000"));
    positive(way(soft, "explicit-euler"), "ms_per_frame");
}
END_TEST

/* ---- the forces that are timed ---- */

/* Two quads side by side, the second folded up; vertices 2 and 3 in between. */
static const double rest[18] = {0, 0, 0, 0, 0, -1, 1, 0, 0, 1, 0, -1, 2, 0, 0, 2, 0, -1};
static const double fold[18] = {0, 0, 0, 0, 0, -1, 1, 0, 0, 1, 0, -1, 1.7, 0.8, 0, 1.9, 0.6, -1};

static ToileSim *make_fold(int32_t model, double bend_N_m, ToileClothId *id) {
    static const int32_t sizes[2] = {4, 4}, corners[8] = {0, 2, 3, 1, 2, 4, 5, 3};
    ToileSimDef def = toile_sim_def_default();
    ToileMeshDef mesh = toile_mesh_def_default();
    ToileFabric fabric = toile_fabric_default();
    ToileClothDef cloth = toile_cloth_def_default();
    ToileSim *sim = NULL;
    mesh.vertex_count = 6;
    mesh.face_count = 2;
    mesh.corner_count = 8;
    mesh.positions_m = rest;
    mesh.face_sizes = sizes;
    mesh.corners = corners;
    fabric.bend_model = model;
    fabric.bend_weft_N_m = fabric.bend_warp_N_m = bend_N_m;
    cloth.mesh = &mesh;
    cloth.fabric = &fabric;
    cloth.start_positions_m = fold;
    ck_assert_int_eq(toile_sim_create(&def, &sim, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_sim_add_cloth(sim, &cloth, id, NULL), TOILE_STATUS_OK);
    return sim;
}

/* Forces of bending are what all forces have more than those of the same cloth without it. */
START_TEST(bend_forces_leave_out_stretch) {
    static const int32_t models[] = {
        TOILE_BEND_LINEAR,  TOILE_BEND_DIHEDRAL,      TOILE_BEND_NORMAL, TOILE_BEND_CROSSOVER,
        TOILE_BEND_CHOI_KO, TOILE_BEND_CHOI_KO_TABLE, TOILE_BEND_KOITER};
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
        ToileClothId id[2];
        /* stiff enough to show beside stretch */
        ToileSim *with = make_fold(models[m], 1.0, &id[0]);
        ToileSim *without = make_fold(models[m], 0.0, &id[1]);
        double all[18], stretch[18], bend[18], again[18], size = 0.0, most = 0.0;
        ck_assert_int_eq(toile_sim_get_internal_forces(with, id[0], all, NULL), TOILE_STATUS_OK);
        ck_assert_int_eq(toile_sim_get_internal_forces(without, id[1], stretch, NULL),
                         TOILE_STATUS_OK);
        ck_assert_int_eq(toile_sim_get_bend_forces(with, id[0], 1, bend, NULL), TOILE_STATUS_OK);
        ck_assert_int_eq(toile_sim_get_bend_forces(with, id[0], 3, again, NULL), TOILE_STATUS_OK);
        for (int i = 0; i < 18; i++) {
            size = fmax(size, fabs(bend[i]));
            most = fmax(most, fabs(all[i]));
            ck_assert_msg(bend[i] == again[i], "repeats change the force");
        }
        ck_assert_msg(size > 1e-3, "model %d does not bend", (int)models[m]);
        for (int i = 0; i < 18; i++)
            ck_assert_msg(fabs(all[i] - stretch[i] - bend[i]) <= ROUNDING * most,
                          "model %d: %g instead of %g", (int)models[m], bend[i],
                          all[i] - stretch[i]);
        toile_sim_destroy(with);
        toile_sim_destroy(without);
    }
}
END_TEST

START_TEST(bend_forces_refuse_what_they_cannot_do) {
    ToileClothId id;
    ToileSim *sim = make_fold(TOILE_BEND_LINEAR, 1.0, &id);
    ToileError error = toile_error_default();
    double force[18];
    ck_assert_int_eq(toile_sim_get_bend_forces(sim, id, 0, force, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_str_eq(error.message, "repeats is 0; it must be 1 or more");
    ck_assert_int_eq(toile_sim_get_bend_forces(sim, id, 1, NULL, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_sim_get_bend_forces(sim, (ToileClothId){0, 0}, 1, force, NULL),
                     TOILE_STATUS_STALE_ID);
    toile_sim_destroy(sim);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("cli_bench_numbers");
    TCase *cases = tcase_create("benchmarks");
    tcase_add_test(cases, bench_bending_compares_linear_with_the_others);
    tcase_add_test(cases, bench_choi_ko_buckles_every_spring);
    tcase_add_test(cases, bench_takes_quartiles_over_pairs);
    tcase_add_test(cases, bench_implicit_takes_the_steps_it_tells);
    tcase_add_test(cases, bench_integrators_finds_them_all_near_the_reference);
    tcase_add_test(cases, bend_forces_leave_out_stretch);
    tcase_add_test(cases, bend_forces_refuse_what_they_cannot_do);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    tl_io_arena_free(&arena);
    return failed != 0;
}
