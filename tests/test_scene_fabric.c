/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics of scenes: what they become, what is refused and where, and what draws a warning. */
#include "../io/fabric_library.h"
#include "support/run_suite.h"
#include "support/scene_files.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a fabric becomes ---- */

START_TEST(scene_fabric_may_be_an_object_or_a_file) {
    static const char fabric[] = "{\"name\": \"mine\", \"density_kg_per_m2\": 0.2,\n\"stretch\": "
                                 "{\"model\": \"stvk\", \"weft_N_per_m\": 700, \"compression\": 1, "
                                 "\"gauss_points\": 4}, \"bend\": {\"model\": \"linear\", "
                                 "\"warp_N_m\": 1e-6, \"scale\": \"paper\", \"law\": null, "
                                 "\"rest_curvature_per_m\": 0, \"damping_N_m_s\": 0.0}}";
    char path[IO_PATH_SIZE];
    char keys[1024];
    for (int32_t from_file = 0; from_file < 2; from_file++) {
        io_file_write_text(scene_folder, "mine.json", fabric, path);
        snprintf(keys, sizeof keys, ", \"fabric\": %s", from_file ? "\"mine.json\"" : fabric);
        scene_write(keys, "");
        ToileScene *scene = scene_load_good();
        ToileSceneCloth cloth = scene_cloth(scene, 0);
        ck_assert_str_eq(cloth.fabric_name, "mine");
        ck_assert_double_eq(cloth.fabric->density_kg_per_m2, 0.2);
        ck_assert_double_eq(cloth.fabric->stretch_weft_N_per_m, 700);
        ck_assert_double_eq(cloth.fabric->stretch_warp_N_per_m, 1000);
        ck_assert_double_eq(cloth.fabric->bend_warp_N_m, 1e-6);
        ck_assert_int_eq(cloth.fabric->bend_scale, TOILE_BEND_PAPER);
        toile_scene_free(scene);
    }
}
END_TEST

START_TEST(scene_fabric_models_arrive) {
    scene_write(
        ", \"elements\": \"triangles\", \"fabric\": {\"stretch\": {\"model\": \"stvk\", "
        "\"compression\": 0.25, \"gauss_points\": 3, \"limit\": 0.1}, \"bend\": {\"model\": "
        "\"linear\", \"damping_N_m_s\": 1e-6, \"damping_model\": \"projected\", \"law\": [[10, "
        "1e-3], [20, 1.5e-3]], \"rest_curvature_per_m\": -2}}",
        "");
    ToileScene *scene = scene_load_good();
    ToileSceneCloth cloth = scene_cloth(scene, 0);
    const ToileFabric *fabric = cloth.fabric;
    static const double law[6] = {0, 0, 10, 1e-3, 20, 1.5e-3};
    ck_assert_int_eq(cloth.elements, TOILE_ELEMENTS_TRIANGLES);
    ck_assert_int_eq(fabric->compression, TOILE_COMPRESSION_FACTOR);
    ck_assert_double_eq(fabric->compression_factor, 0.25);
    ck_assert_int_eq(fabric->gauss_points, 3);
    ck_assert_double_eq(fabric->stretch_limit, 0.1);
    ck_assert_double_eq(fabric->bend_damping_N_m_s, 1e-6);
    ck_assert_int_eq(fabric->bend_damping_model, TOILE_BEND_DAMPING_PROJECTED);
    ck_assert_int_eq(fabric->bend_law_count, 3);
    ck_assert_mem_eq(fabric->bend_law, law, sizeof law);
    ck_assert_double_eq(fabric->rest_curvature_per_m, -2);
    ck_assert_ptr_null(cloth.rest_curvature_map_per_m);
    toile_scene_free(scene);
    scene_write(
        ", \"fabric\": {\"stretch\": {\"compression\": \"tension-field\", \"poisson\": 0.25, "
        "\"shear_N_per_m\": 400, \"limit\": null}, \"bend\": {\"model\": \"koiter\", "
        "\"poisson\": 0.3, \"in_element_weight\": 1, \"fold_exponent\": 2}}",
        "");
    scene = scene_load_good();
    fabric = scene_cloth(scene, 0).fabric;
    ck_assert_int_eq(scene_cloth(scene, 0).elements, TOILE_ELEMENTS_NATIVE);
    ck_assert_int_eq(fabric->compression, TOILE_COMPRESSION_TENSION_FIELD);
    ck_assert_double_eq(fabric->stretch_limit, 0);
    ck_assert_int_eq(fabric->bend_model, TOILE_BEND_KOITER);
    ck_assert_double_eq(fabric->bend_poisson, 0.3);
    ck_assert_double_eq(fabric->bend_in_element_weight, 1);
    ck_assert_int_eq(fabric->bend_fold_exponent, 2);
    toile_scene_free(scene);
    scene_write(", \"fabric\": {\"stretch\": {\"model\": \"springs\"}, \"bend\": {\"model\": "
                "\"choi-ko-table\", \"intervals\": 16}}",
                "");
    scene = scene_load_good();
    fabric = scene_cloth(scene, 0).fabric;
    ck_assert_int_eq(fabric->stretch_model, TOILE_STRETCH_SPRINGS);
    ck_assert_int_eq(fabric->bend_model, TOILE_BEND_CHOI_KO_TABLE);
    ck_assert_int_eq(fabric->bend_intervals, 16);
    toile_scene_free(scene);
}
END_TEST

/* Writes a fabric as a scene's, loads it and compares the two. */
static void check_written(const ToileFabric *fabric) {
    ToileFabricEntry entry = {.struct_size = sizeof entry,
                              .name = "mine",
                              .title = "",
                              .source = "a test",
                              .fabric = *fabric};
    TlIoText text = {0};
    tl_io_text_add_string(&text, ", \"fabric\": ");
    tl_fabric_write(&entry, &text);
    scene_write(text.data, "");
    tl_io_text_free(&text);
    ToileScene *scene = scene_load_good();
    ToileFabric read = *scene_cloth(scene, 0).fabric;
    ck_assert_int_eq(read.bend_law_count, fabric->bend_law_count);
    if (fabric->bend_law)
        ck_assert_mem_eq(read.bend_law, fabric->bend_law,
                         2 * (size_t)fabric->bend_law_count * sizeof(double));
    read.bend_law = fabric->bend_law;
    ck_assert_mem_eq(&read, fabric, sizeof read);
    toile_scene_free(scene);
}

START_TEST(scene_reads_every_fabric_as_it_is_written) {
    static const double law[6] = {0, 0, 12.5, 1e-3, 20, 1.25e-3};
    ToileFabric fabric = toile_fabric_default();
    check_written(&fabric);
    fabric.stretch_weft_N_per_m = 123;
    fabric.compression_factor = 0.75;
    fabric.gauss_points = 3;
    fabric.stretch_limit = 0.05;
    fabric.bend_scale = TOILE_BEND_PAPER;
    fabric.bend_damping_N_m_s = 1e-7;
    fabric.bend_damping_model = TOILE_BEND_DAMPING_PROJECTED;
    fabric.bend_law = law;
    fabric.bend_law_count = 3;
    fabric.rest_curvature_per_m = -3.5;
    check_written(&fabric);
    fabric = toile_fabric_default();
    fabric.stretch_poisson = 0.25;
    fabric.stretch_shear_N_per_m = 400;
    fabric.compression = TOILE_COMPRESSION_TENSION_FIELD;
    fabric.bend_model = TOILE_BEND_KOITER;
    fabric.bend_poisson = -0.25;
    fabric.bend_in_element_weight = 0.5;
    fabric.bend_fold_exponent = 0;
    check_written(&fabric);
    fabric = toile_fabric_default();
    fabric.stretch_model = TOILE_STRETCH_SPRINGS;
    fabric.bend_model = TOILE_BEND_CHOI_KO_TABLE;
    fabric.bend_intervals = 32;
    check_written(&fabric);
    fabric = toile_fabric_default();
    fabric.bend_model = TOILE_BEND_NORMAL;
    fabric.rest_curvature = TOILE_REST_CURVATURE_FROM_REST;
    check_written(&fabric);
}
END_TEST

START_TEST(scene_bending_models_have_their_names) {
    static const char *const words[] = {"linear",  "dihedral",      "normal", "crossover",
                                        "choi-ko", "choi-ko-table", "koiter"};
    for (int32_t model = 0; model <= TOILE_BEND_KOITER; model++) {
        char keys[128];
        snprintf(keys, sizeof keys, ", \"fabric\": {\"bend\": {\"model\": \"%s\"}}", words[model]);
        scene_write(keys, "");
        ToileScene *scene = scene_load_good();
        ck_assert_int_eq(scene_cloth(scene, 0).fabric->bend_model, model);
        toile_scene_free(scene);
    }
}
END_TEST

START_TEST(scene_rest_curvature_may_be_a_map) {
    char path[IO_PATH_SIZE];
    io_file_write_text(scene_folder, "q.obj",
                       "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 2 0 0\ng all\nf 1 4 3 2\n"
                       "g cuff\nf 2 3 5\n",
                       path);
    static const double by_group[5] = {0, 20, 20, 0, 20}, by_vertex[5] = {1, -2, 3, 0, 5};
    scene_write(", \"fabric\": {\"bend\": {\"rest_curvature_per_m\": {\"group\": \"cuff\", "
                "\"value\": 20}}}",
                "");
    ToileScene *scene = scene_load_good();
    ToileSceneCloth cloth = scene_cloth(scene, 0);
    ck_assert_ptr_nonnull(cloth.rest_curvature_map_per_m);
    ck_assert_mem_eq(cloth.rest_curvature_map_per_m, by_group, sizeof by_group);
    ck_assert_int_eq(cloth.fabric->rest_curvature, TOILE_REST_CURVATURE_GIVEN);
    toile_scene_free(scene);
    scene_write(", \"fabric\": {\"bend\": {\"model\": \"dihedral\", \"rest_curvature_per_m\": "
                "{\"values\": [1, -2, 3, 0, 5]}}}",
                "");
    scene = scene_load_good();
    cloth = scene_cloth(scene, 0);
    ck_assert_ptr_nonnull(cloth.rest_curvature_map_per_m);
    ck_assert_mem_eq(cloth.rest_curvature_map_per_m, by_vertex, sizeof by_vertex);
    toile_scene_free(scene);
    scene_write(", \"fabric\": {\"bend\": {\"rest_curvature_per_m\": \"from-rest\"}}", "");
    scene = scene_load_good();
    cloth = scene_cloth(scene, 0);
    ck_assert_ptr_null(cloth.rest_curvature_map_per_m);
    ck_assert_int_eq(cloth.fabric->rest_curvature, TOILE_REST_CURVATURE_FROM_REST);
    toile_scene_free(scene);
}
END_TEST

/* ---- refusals ---- */

START_TEST(scene_refuses_wrong_stretch) {
    static const Bad bads[] = {
        {STRETCH("\"model\": \"spring\""), "", INVALID, 4, 35, "did you mean \"springs\"?"},
        {STRETCH("\"compression\": 1.5"), "", INVALID, 4, 41,
         "stretch.compression: 1.5 is out of range; a number from 0 to 1 is allowed"},
        {STRETCH("\"compression\": \"field\""), "", INVALID, 4, 41,
         "\"field\" stands where a number from 0 to 1 or \"tension-field\" is needed"},
        {STRETCH("\"compression\": true"), "", INVALID, 4, 41, "true stands where a number from 0"},
        {STRETCH("\"compression\": 0.19"), "", INVALID, 4, 41,
         "0.19 is below |poisson| * sqrt(warp_N_per_m / weft_N_per_m), here 0.2"},
        {STRETCH("\"compression\": 0.39, \"warp_N_per_m\": 4000, \"poisson\": -0.2"), "", INVALID,
         4, 41, "here 0.4"},
        {STRETCH("\"compression\": 0.5, \"model\": \"springs\""), "", INVALID, 4, 41,
         "springs resist compression as they resist tension"},
        {STRETCH("\"compression\": \"tension-field\", \"model\": \"springs\""), "", INVALID, 4, 41,
         "use 1, or the model \"stvk\""},
        {STRETCH("\"compression\": \"tension-field\""), "", INVALID, 4, 41,
         "a tension field needs an isotropic fabric"},
        {STRETCH(
             "\"compression\": \"tension-field\", \"poisson\": 0.25, \"shear_N_per_m\": 400.001"),
         "", INVALID, 4, 41, "shear_N_per_m equal to weft_N_per_m / (2 * (1 + poisson))"},
        {STRETCH("\"gauss_points\": 13"), "", INVALID, 4, 42,
         "a whole number from 1 to 12 is allowed"},
        {STRETCH("\"gauss_points\": 0"), "", INVALID, 4, 42, "0 is out of range"},
        {STRETCH("\"limit\": 0"), "", INVALID, 4, 35,
         "0 is out of range; a number above 0 is allowed"},
        {STRETCH("\"limit\": \"5 %\""), "", INVALID, 4, 35,
         "\"5 %\" stands where a number above 0"},
    };
    CHECK_BAD(bads);
}
END_TEST

START_TEST(scene_refuses_wrong_bending) {
    static const Bad bads[] = {
        {BEND("\"model\": \"choi\""), "", INVALID, 4, 32, "did you mean \"choi-ko\"?"},
        {BEND("\"damping_N_m_s\": -1"), "", INVALID, 4, 40,
         "bend.damping_N_m_s: -1 is out of range"},
        {BEND("\"damping_model\": \"vector\""), "", INVALID, 4, 40,
         "allowed: \"scalar\" or \"projected\""},
        {BEND("\"damping_model\": \"projected\", \"model\": \"normal\""), "", INVALID, 4, 40,
         "but the model is \"normal\"; use \"scalar\""},
        {BEND("\"poisson\": 1"), "", INVALID, 4, 34,
         "1 is out of range; a number above -1 and below 1 is allowed"},
        {BEND("\"poisson\": -1"), "", INVALID, 4, 34, "-1 is out of range"},
        {BEND("\"in_element_weight\": -0.1"), "", INVALID, 4, 44, "-0.1 is out of range"},
        {BEND("\"fold_exponent\": 3"), "", INVALID, 4, 40, "a whole number from 0 to 2 is allowed"},
        {BEND("\"fold_exponent\": 0.5"), "", INVALID, 4, 40, "0.5 is out of range"},
        {BEND("\"intervals\": 1001"), "", INVALID, 4, 36,
         "a whole number from 1 to 1000 is allowed"},
    };
    CHECK_BAD(bads);
}
END_TEST

START_TEST(scene_refuses_wrong_bending_laws) {
    static const Bad bads[] = {
        {BEND("\"law\": 3"), "", INVALID, 4, 30, "3 stands where a list in brackets is needed"},
        {BEND("\"law\": [[0, 0]]"), "", INVALID, 4, 30, "the law has no point beyond [0, 0]"},
        {BEND("\"law\": []"), "", INVALID, 4, 30, "the law has no point beyond [0, 0]"},
        {BEND("\"law\": [[1, 2], [2, 1]]"), "", INVALID, 4, 30,
         "the last moment is below the one before"},
        {BEND("\"law\": [[0, 1], [1, 2]]"), "", INVALID, 4, 31,
         "bend.law[0]: [0,1] stands where the moment at curvature 0 must be 0"},
        {BEND("\"law\": [[0, 0], [2, 1], [2, 2]]"), "", INVALID, 4, 47,
         "bend.law[2]: [2,2] stands where a curvature above the one before is needed"},
        {BEND("\"law\": [[1, 1], [0, 0]]"), "", INVALID, 4, 39, "a curvature above the one before"},
        {BEND("\"law\": [[-1, -1], [0, 0], [1, 1]]"), "", INVALID, 4, 31,
         "[-1,-1] stands where the curvature must be 0 or more: a law holds in both directions"},
        {BEND("\"law\": [[1, 1], [2, -1]]"), "", INVALID, 4, 39,
         "[2,-1] stands where the moment must be 0 or more"},
        {BEND("\"law\": [[1, 2, 3]]"), "", INVALID, 4, 31,
         "a list of 3 values stands where a pair of numbers [curvature_per_m, moment_N] is needed"},
        {BEND("\"law\": [[1, \"2\"]]"), "", INVALID, 4, 31,
         "a list of 2 values stands where a pair"},
        {BEND("\"law\": [1, 2]"), "", INVALID, 4, 31, "1 stands where a pair of numbers"},
        {BEND("\"model\": \"koiter\", \"law\": [[1, 1]]"), "", INVALID, 4, 49,
         "a law bends the model \"linear\" only, but the model is \"koiter\""},
        {BEND("\"weft_N_m\": 0, \"law\": [[1, 1]]"), "", INVALID, 4, 45,
         "a law needs weft_N_m above 0"},
    };
    CHECK_BAD(bads);
}
END_TEST

START_TEST(scene_refuses_wrong_rest_curvature) {
    static const Bad bads[] = {
        {BEND("\"rest_curvature_per_m\": \"rest\""), "", INVALID, 4, 47,
         "\"rest\" stands where a number, \"from-rest\" or a map"},
        {BEND("\"rest_curvature_per_m\": [1]"), "", INVALID, 4, 47,
         "a list of 1 value stands where"},
        {BEND("\"rest_curvature_per_m\": 1e7"), "", INVALID, 4, 47, "10000000 is out of range"},
        {BEND("\"rest_curvature_per_m\": {}"), "", INVALID, 4, 47,
         "bend.rest_curvature_per_m: a map has either \"group\" and \"value\", or \"values\""},
        {BEND("\"rest_curvature_per_m\": {\"value\": 1, \"values\": [1, 2, 3, 4]}"), "", INVALID, 4,
         47, "a map has either"},
        {BEND("\"rest_curvature_per_m\": {\"group\": \"all\"}"), "", INVALID, 4, 47,
         "the key \"value\" is missing"},
        {BEND("\"rest_curvature_per_m\": {\"group\": \"al\", \"value\": 1}"), "", INVALID, 4, 57,
         "did you mean \"all\"?"},
        {BEND("\"rest_curvature_per_m\": {\"values\": [1, 2, 3]}"), "", INVALID, 4, 58,
         "the list has 3 values, but the mesh has 4 vertices"},
        {BEND("\"rest_curvature_per_m\": {\"values\": [1, 2, \"3\", 4]}"), "", INVALID, 4, 65,
         "rest_curvature_per_m.values[2]: \"3\" stands where a number"},
        {BEND("\"rest_curvature_per_m\": {\"gruop\": \"all\", \"values\": [1, 2, 3, 4]}"), "",
         INVALID, 4, 48, "did you mean \"group\"?"},
        {BEND("\"model\": \"crossover\", \"rest_curvature_per_m\": 1"), "", INVALID, 4, 69,
         "the bending model \"crossover\" knows no curvature at rest"},
        {BEND("\"model\": \"choi-ko\", \"rest_curvature_per_m\": \"from-rest\""), "", INVALID, 4,
         67, "the bending model \"choi-ko\" knows no curvature at rest"},
    };
    CHECK_BAD(bads);
}
END_TEST

/* ---- warnings ---- */

START_TEST(scene_warns_about_keys_that_the_model_ignores) {
    scene_write(BEND("\"model\": \"koiter\", \"intervals\": 5"), "");
    scene_check_warning(4, 55,
                        "bend.intervals: this key has no effect on the bending model \"koiter\"");
    scene_write(BEND("\"model\": \"normal\", \"fold_exponent\": 2"), "");
    scene_check_warning(4, 59, "this key has no effect on the bending model \"normal\"");
    scene_write(BEND("\"model\": \"choi-ko\", \"in_element_weight\": 1"), "");
    scene_check_warning(4, 64, "this key has no effect on the bending model \"choi-ko\"");
    scene_write(BEND("\"model\": \"koiter\", \"damping_N_m_s\": 1"), "");
    scene_check_no_warning();
    scene_write(BEND("\"model\": \"choi-ko\", \"scale\": \"paper\""), "");
    scene_check_no_warning();
    scene_write(BEND("\"model\": \"crossover\", \"damping_N_m_s\": 1"), "");
    scene_check_warning(4, 62, "this key has no effect on the bending model \"crossover\"");
    scene_write(BEND("\"model\": \"koiter\", \"scale\": \"paper\""), "");
    scene_check_warning(4, 51, "this key has no effect on the bending model \"koiter\"");
    scene_write(BEND("\"model\": \"koiter\", \"rest_curvature_per_m\": 3"), "");
    scene_check_warning(4, 66, "which always takes its curvature from the rest shape");
    scene_write(STRETCH("\"model\": \"springs\", \"gauss_points\": 3"), "");
    scene_check_warning(4, 62, "this key has no effect on the stretch model \"springs\"");
    scene_write(STRETCH("\"model\": \"springs\", \"poisson\": 0.3"), "");
    scene_check_warning(4, 57, "this key has no effect on the stretch model \"springs\"");
}
END_TEST

START_TEST(scene_warns_about_numbers_that_leave_quads_soft) {
    scene_write(STRETCH("\"gauss_points\": 1"), "");
    scene_check_warning(4, 42, "one point does not see two ways");
    scene_write(BEND("\"model\": \"koiter\", \"in_element_weight\": 0"), "");
    scene_check_warning(4, 63, "crease in a checkerboard");
    scene_write(BEND("\"model\": \"koiter\", \"in_element_weight\": 0.05"), "");
    scene_check_no_warning();
}
END_TEST

/* two triangles with a fold of 2 degrees */
static const char folded_obj[] = "v 0 0 0\nv 1 0 0\nv 0.5 0 1\nv 0.5 0.0349 -1\nvt 0 0\nvt 1 0\n"
                                 "vt 0.5 1\nvt 0.5 -1\nf 1/1 3/3 2/2\nf 1/1 2/2 4/4\n";

START_TEST(scene_warns_about_a_curved_mesh_that_rests_flat) {
    /* a flat quad whose halves face opposite ways, and one whose halves are folded */
    static const char arrow[] = "v 0 0 0\nv 1 0 0.2\nv 2 0 0\nv 1 0 2\nf 1 2 3 4\n";
    static const char saddle[] = "v 0 0 0\nv 1 0.1 0\nv 1 0 1\nv 0 0.1 1\nf 1 4 3 2\n";
    char path[IO_PATH_SIZE];
    io_file_write_text(scene_folder, "q.obj", folded_obj, path);
    scene_write("", "");
    scene_check_warning(3, 11,
                        "cloth[0].fabric: the fabric rests flat, but 1 of 1 edges inside the rest "
                        "shape are folded by more than 1 degree; if the cloth shall keep that "
                        "shape, set bend.rest_curvature_per_m to \"from-rest\"");
    scene_write(", \"pattern\": \"metric\", \"fabric\": \"linen\"", "");
    scene_check_warning(4, 34, "1 of 1 edges inside the rest shape");
    scene_write(BEND("\"model\": \"crossover\""), "");
    scene_check_warning(4, 13, "or \"koiter\"");
    io_file_write_text(scene_folder, "q.obj", saddle, path);
    scene_write("", "");
    scene_check_warning(3, 11, "1 of 1 edges and diagonals of quads inside");
    io_file_write_text(scene_folder, "q.obj", arrow, path);
    IoFindings findings;
    ToileScene *scene = NULL;
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(findings.count, 1);
    ck_assert_ptr_nonnull(io_findings_find(&findings, 5, 0, "is a quad that is not convex"));
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_does_not_warn_where_a_curved_mesh_is_meant) {
    static const char *const fine[] = {
        BEND("\"rest_curvature_per_m\": \"from-rest\""), BEND("\"rest_curvature_per_m\": 1"),
        BEND("\"model\": \"koiter\""), BEND("\"weft_N_m\": 0, \"warp_N_m\": 0"),
        /* what counts is the rest shape */
        ", \"rest\": \"flat.obj\""};
    /* a fold of half a degree */
    static const char little[] = "v 0 0 0\nv 1 0 0\nv 0.5 0 1\nv 0.5 0.0087 -1\nf 1 3 2\nf 1 2 4\n";
    /* flat, but one face is turned over, which draws another warning */
    static const char turned[] = "v 0 0 0\nv 1 0 0\nv 0.5 0 1\nv 0.5 0 -1\nf 1 3 2\nf 1 4 2\n";
    IoFindings findings;
    ToileScene *scene = NULL;
    char path[IO_PATH_SIZE];
    io_file_write_text(scene_folder, "q.obj", folded_obj, path);
    io_file_write_text(scene_folder, "flat.obj", "v 0 0 0\nv 1 0 0\nv 0.5 0 1\nv 0.5 0 -1\n", path);
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        scene_write(fine[i], "");
        scene_check_no_warning();
    }
    io_file_write_text(scene_folder, "q.obj", little, path);
    scene_write("", "");
    scene_check_no_warning();
    io_file_write_text(scene_folder, "q.obj", turned, path);
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), TOILE_STATUS_OK);
    for (int32_t i = 0; i < findings.count; i++)
        ck_assert_ptr_null(strstr(findings.items[i].message, "rests flat"));
    toile_scene_free(scene);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("scene_fabric");
    TCase *tcase = tcase_create("scene_fabric");
    tcase_add_checked_fixture(tcase, scene_make_folder, scene_remove_folder);
    tcase_add_test(tcase, scene_fabric_may_be_an_object_or_a_file);
    tcase_add_test(tcase, scene_fabric_models_arrive);
    tcase_add_test(tcase, scene_reads_every_fabric_as_it_is_written);
    tcase_add_test(tcase, scene_bending_models_have_their_names);
    tcase_add_test(tcase, scene_rest_curvature_may_be_a_map);
    tcase_add_test(tcase, scene_refuses_wrong_stretch);
    tcase_add_test(tcase, scene_refuses_wrong_bending);
    tcase_add_test(tcase, scene_refuses_wrong_bending_laws);
    tcase_add_test(tcase, scene_refuses_wrong_rest_curvature);
    tcase_add_test(tcase, scene_warns_about_keys_that_the_model_ignores);
    tcase_add_test(tcase, scene_warns_about_numbers_that_leave_quads_soft);
    tcase_add_test(tcase, scene_warns_about_a_curved_mesh_that_rests_flat);
    tcase_add_test(tcase, scene_does_not_warn_where_a_curved_mesh_is_meant);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
