/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Wedges of scenes: their order, their values, their hashes, and what is refused. */
#include "support/run_suite.h"
#include "support/scene_files.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char wedge_keys[] =
    ", \"wedges\": {\"cloth.c.fabric.bend.weft_N_m\": [1e-5, 1e-4, 1e-3],\n \"fps\": [24, 30]}";

static ToileScene *load_wedge(int32_t wedge) {
    IoFindings findings;
    ToileScene *scene = NULL;
    ToileError error = toile_error_default();
    memset(&findings, 0, sizeof findings);
    ToileStatus status = toile_scene_load_wedge(scene_path, NULL, 0, wedge, io_findings_add,
                                                &findings, &scene, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    return scene;
}

START_TEST(scene_wedges_are_the_cross_product_last_key_fastest) {
    static const double weft[6] = {1e-5, 1e-5, 1e-4, 1e-4, 1e-3, 1e-3};
    static const double fps[6] = {24, 30, 24, 30, 24, 30};
    scene_write(", \"fabric\": \"linen\"", wedge_keys);
    for (int32_t wedge = -1; wedge < 6; wedge++) {
        ToileScene *scene = load_wedge(wedge);
        ToileSceneInfo info = scene_info(scene);
        ToileSceneCloth cloth = scene_cloth(scene, 0);
        ck_assert_int_eq(info.wedge, wedge);
        ck_assert_int_eq(info.wedge_count, 6);
        ck_assert_int_eq(info.wedge_key_count, 2);
        ck_assert_double_eq(cloth.fabric->bend_weft_N_m, wedge < 0 ? 2.6e-5 : weft[wedge]);
        ck_assert_double_eq(info.fps, wedge < 0 ? 24 : fps[wedge]);
        /* the library's fabric was expanded first */
        ck_assert_str_eq(cloth.fabric_name, "linen");
        ck_assert_double_eq(cloth.fabric->stretch_poisson, 0.15);
        toile_scene_free(scene);
    }
}
END_TEST

START_TEST(scene_wedge_table_can_be_read) {
    const char *name = NULL, *value = NULL;
    ToileError error = toile_error_default();
    scene_write("", ", \"wedges\": {\"cloth.c.fabric\": [\"linen\", {\"name\": \"x\"}], "
                    "\"gravity_m_per_s2\": [[0, -1, 0], [0, -2.5, 0]]}");
    ToileScene *scene = load_wedge(-1);
    ck_assert_int_eq(toile_scene_get_wedge(scene, 1, 0, &name, &value, NULL), TOILE_STATUS_OK);
    ck_assert_str_eq(name, "cloth.c.fabric");
    ck_assert_str_eq(value, "\"linen\"");
    ck_assert_int_eq(toile_scene_get_wedge(scene, 3, 0, &name, &value, NULL), TOILE_STATUS_OK);
    ck_assert_str_eq(value, "{\"name\":\"x\"}");
    ck_assert_int_eq(toile_scene_get_wedge(scene, 3, 1, &name, &value, NULL), TOILE_STATUS_OK);
    ck_assert_str_eq(name, "gravity_m_per_s2");
    ck_assert_str_eq(value, "[0,-2.5,0]");
    ck_assert_int_eq(toile_scene_get_wedge(scene, 4, 0, &name, &value, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_scene_get_wedge(scene, 0, 2, &name, &value, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_scene_get_wedge(scene, -1, 0, &name, &value, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_scene_get_wedge(NULL, 0, 0, &name, &value, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    toile_scene_free(scene);
    /* a value is put whole, and parts of it may be changed by later keys */
    scene_write("", ", \"wedges\": {\"cloth.c.fabric\": [{\"bend\": {\"warp_N_m\": 3}}], "
                    "\"cloth.c.fabric.bend.warp_N_m\": [4, 5]}");
    scene = load_wedge(1);
    ck_assert_double_eq(scene_cloth(scene, 0).fabric->bend_warp_N_m, 5);
    ck_assert_int_eq(toile_scene_get_wedge(scene, 1, 0, &name, &value, NULL), TOILE_STATUS_OK);
    ck_assert_str_eq(value, "{\"bend\":{\"warp_N_m\":3}}");
    toile_scene_free(scene);
}
END_TEST

/* A wedge that is refused: one finding, at its place. */
static void check_bad_wedge(int32_t wedge, const char *override, ToileStatus status, int32_t line,
                            int32_t column, const char *part) {
    IoFindings findings;
    ToileScene *scene = NULL;
    ToileError error = toile_error_default();
    memset(&findings, 0, sizeof findings);
    ck_assert_int_eq(toile_scene_load_wedge(scene_path, &override, override ? 1 : 0, wedge,
                                            io_findings_add, &findings, &scene, &error),
                     status);
    ck_assert_ptr_null(scene);
    ck_assert_int_eq(findings.count, 1);
    ck_assert_msg(io_findings_find(&findings, line, column, part) != NULL, "%s", error.message);
}

START_TEST(scene_refuses_wedges_that_are_not_there_or_wrong) {
    scene_write("", wedge_keys);
    check_bad_wedge(6, NULL, TOILE_STATUS_INVALID_ARGUMENT, 6, 3,
                    "there is no wedge 6; the scene has wedges 0 to 5");
    check_bad_wedge(0, "fps=25", TOILE_STATUS_INVALID_ARGUMENT, 7, 2,
                    "wedges \"fps\": --set gives the same key a value");
    scene_write("", "");
    check_bad_wedge(0, NULL, TOILE_STATUS_INVALID_ARGUMENT, 0, 0,
                    "there is no wedge 0; the scene has no \"wedges\"");
    scene_write("", ", \"wedges\": {\"cloth.c.fabric.bend.weft\": [1]}");
    check_bad_wedge(0, NULL, INVALID, 6, 14,
                    "cloth[0].fabric.bend.weft: the key \"weft\" is not known; did you mean");
    scene_write("", ", \"wedges\": {\"fps\": [24, 0]}");
    check_bad_wedge(1, NULL, INVALID, 6, 26, "fps: 0 is out of range");
    scene_write("", ", \"wedges\": {\"cloth.d.mesh\": [\"q.obj\"]}");
    check_bad_wedge(0, NULL, INVALID, 6, 14,
                    "wedges \"cloth.d.mesh\": the list has no element \"d\"");
    scene_write("", ", \"wedges\": {\"fps\": []}");
    check_bad_wedge(0, NULL, INVALID, 6, 14, "the list is empty");
    scene_write("", ", \"wedges\": {\"cloth.c.fabric.bend.weft_N_m\": [1], \"cloth.c.fabric\": "
                    "[\"linen\"]}");
    check_bad_wedge(0, NULL, INVALID, 6, 51, "it would replace what");
}
END_TEST

static uint64_t hash_of_wedge(int32_t wedge) {
    ToileScene *scene = load_wedge(wedge);
    uint64_t hash = scene_info(scene).hash;
    toile_scene_free(scene);
    return hash;
}

START_TEST(scene_wedge_values_enter_the_hash_and_the_table_does_not) {
    static const char *const same[] = {"cloth.c.fabric.bend.weft_N_m=1e-4", "fps=30"};
    IoFindings findings;
    ToileScene *scene = NULL;
    scene_write(", \"fabric\": \"linen\"", wedge_keys);
    uint64_t plain = hash_of_wedge(-1), third = hash_of_wedge(3);
    ck_assert_uint_ne(plain, third);
    ck_assert_uint_ne(hash_of_wedge(2), third);
    scene_write(", \"fabric\": \"linen\"", "");
    ck_assert_uint_eq(hash_of_wedge(-1), plain);
    ck_assert_int_eq(scene_load(same, 2, &findings, &scene, NULL), TOILE_STATUS_OK);
    ck_assert_uint_eq(scene_info(scene).hash, third);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_refuses_wrong_wedges) {
    static const Bad bads[] = {
        {"", ", \"wedges\": [1]", INVALID, 6, 13,
         "wedges: a list of 1 value stands where an object in braces is needed"},
        {"", ", \"wedges\": {\"fps\": []}", INVALID, 6, 14,
         "wedges \"fps\": the list is empty; give at least one value"},
        {"", ", \"wedges\": {\"fps\": 24}", INVALID, 6, 14,
         "wedges \"fps\": a list in brackets is needed"},
        {"", ", \"wedges\": {\"a..b\": [1]}", INVALID, 6, 14,
         "wedges \"a..b\": the key cannot be read"},
        {"", ", \"wedges\": {\"\": [1]}", INVALID, 6, 14, "the key cannot be read"},
        {"", ", \"wedges\": {\"wedges.fps\": [1]}", INVALID, 6, 14,
         "wedges cannot change the wedges"},
    };
    CHECK_BAD(bads);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("scene_wedges");
    TCase *tcase = tcase_create("scene_wedges");
    tcase_add_checked_fixture(tcase, scene_make_folder, scene_remove_folder);
    tcase_add_test(tcase, scene_wedges_are_the_cross_product_last_key_fastest);
    tcase_add_test(tcase, scene_wedge_table_can_be_read);
    tcase_add_test(tcase, scene_refuses_wedges_that_are_not_there_or_wrong);
    tcase_add_test(tcase, scene_wedge_values_enter_the_hash_and_the_table_does_not);
    tcase_add_test(tcase, scene_refuses_wrong_wedges);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
