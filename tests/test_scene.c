/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Scene files: what they become, what is refused and where, overrides, hashes, and the simulations
 * made from them. */
#include "../io/json.h"
#include "../io/platform.h"
#include "support/run_suite.h"
#include "support/scene_files.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* rounding of a few dozen operations on numbers near 1 */
#define ROUNDING 1e-14

static ToileSimDef sim_def_of(const ToileScene *scene) {
    ToileSimDef def = toile_sim_def_default();
    ck_assert_int_eq(toile_scene_sim_def(scene, &def, NULL), TOILE_STATUS_OK);
    return def;
}

/* ---- what a scene becomes ---- */

START_TEST(scene_without_options_takes_the_defaults) {
    scene_write("", "");
    ToileScene *scene = scene_load_good();
    ToileSceneInfo info = scene_info(scene);
    ToileSimDef def = sim_def_of(scene);
    ToileSceneCloth cloth = scene_cloth(scene, 0);
    ToileFabric fabric = toile_fabric_default();
    ck_assert_int_eq(info.frame_count, 3);
    ck_assert_int_eq(info.frames[2], 3);
    ck_assert_double_eq(info.fps, 24);
    ck_assert_double_eq(info.unit_m, 1);
    ck_assert_int_eq(info.up, TOILE_UP_Y);
    ck_assert_int_eq(info.velocities, 1);
    ck_assert_int_eq(info.settle, 0);
    ck_assert_ptr_null(info.cache);
    ck_assert_ptr_null(info.preview);
    ck_assert_int_eq(info.cloth_count, 1);
    ck_assert_int_eq(info.collider_count, 0);
    ck_assert_double_eq(def.gravity_m_per_s2[1], -9.81);
    ck_assert_int_eq(def.quality, TOILE_QUALITY_STANDARD);
    ck_assert_int_eq(def.integrator, TOILE_INTEGRATOR_IMPLICIT_EULER);
    ck_assert_int_eq(def.substeps, 0);
    ck_assert_int_eq(def.start_frame, 1);
    ck_assert_double_lt(def.contact_thickness_m, 0);
    ck_assert_double_lt(def.contact_friction, 0);
    ck_assert_double_eq(def.drag_kg_per_m2_s, 0);
    ck_assert_str_eq(cloth.name, "c");
    ck_assert_int_eq(cloth.pattern, TOILE_PATTERN_NONE);
    ck_assert_int_eq(cloth.pin_count, 0);
    ck_assert_double_eq(cloth.fabric->density_kg_per_m2, fabric.density_kg_per_m2);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_options_arrive) {
    scene_write(", \"unit_m\": 0.1, \"pattern\": \"metric\", \"fabric\": \"linen\", \"pins\": "
                "[{\"vertices\": [0, 3, 3], \"weight\": 1.0}, {\"group\": \"all\", \"frames\": "
                "\"2-3\"}], \"maps\": {}, \"seams\": null, \"subdivide\": {\"simulate\": 0}",
                ", \"up\": \"z\", \"unit_m\": 0.01, \"fps\": 25, \"solver\": {\"quality\": "
                "\"accurate\", \"substeps\": 8, \"newton_iterations\": 5, \"tolerance_m\": 1e-5, "
                "\"linear_tolerance\": 0.01, \"threads\": 2, \"settle\": true}, \"fields\": "
                "[{\"drag\": {\"coefficient_kg_per_m2_s\": 0.25}}, {\"drag\": "
                "{\"coefficient_kg_per_m2_s\": 0.5}}], \"contact\": {\"thickness_m\": 0.004, "
                "\"friction\": 0.5}, \"output\": {\"cache\": \"x.abc\", \"velocities\": false, "
                "\"preview\": \"x.png\", \"checkpoint_every\": 10}, \"wedges\": {}");
    ToileScene *scene = scene_load_good();
    ToileSceneInfo info = scene_info(scene);
    ToileSimDef def = sim_def_of(scene);
    ToileSceneCloth cloth = scene_cloth(scene, 0);
    char expected[2 * IO_PATH_SIZE];
    snprintf(expected, sizeof expected, "%s/x.abc", scene_folder);
    ck_assert_str_eq(info.cache, expected);
    ck_assert_int_eq(info.up, TOILE_UP_Z);
    ck_assert_int_eq(info.velocities, 0);
    ck_assert_int_eq(info.settle, 1);
    ck_assert_double_eq(info.unit_m, 0.01);
    ck_assert_double_eq(def.gravity_m_per_s2[1], 0);
    ck_assert_double_eq(def.gravity_m_per_s2[2], -9.81);
    ck_assert_double_eq(def.fps, 25);
    ck_assert_int_eq(def.quality, TOILE_QUALITY_ACCURATE);
    ck_assert_int_eq(def.substeps, 8);
    ck_assert_int_eq(def.newton_iterations, 5);
    ck_assert_double_eq(def.tolerance_m, 1e-5);
    ck_assert_double_eq(def.linear_tolerance, 0.01);
    ck_assert_int_eq(def.threads, 2);
    ck_assert_double_eq(def.drag_kg_per_m2_s, 0.75);
    ck_assert_double_eq(def.contact_thickness_m, 0.004);
    ck_assert_double_eq(def.contact_friction, 0.5);
    ck_assert_double_eq(cloth.unit_m, 0.1);
    ck_assert_double_eq(cloth.mesh->positions_m[3], 0.1);
    ck_assert_int_eq(cloth.pattern, TOILE_PATTERN_METRIC);
    ck_assert_str_eq(cloth.fabric_name, "linen");
    ck_assert_int_eq(cloth.pin_count, 2);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_sim_def_keeps_the_hosts_hooks) {
    int mark = 0;
    scene_write("", "");
    ToileScene *scene = scene_load_good();
    ToileSimDef def = toile_sim_def_default();
    def.log.user = &mark;
    def.progress.user = &mark;
    ck_assert_int_eq(toile_scene_sim_def(scene, &def, NULL), TOILE_STATUS_OK);
    ck_assert_ptr_eq(def.log.user, &mark);
    ck_assert_ptr_eq(def.progress.user, &mark);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_colliders_arrive_and_move) {
    scene_write("", ", \"colliders\": [{\"name\": \"ball\", \"sphere\": {\"center\": [1, 2, 3], "
                    "\"radius\": 0.25}, \"motion\": [{\"frame\": 1, \"translate_m\": [0, 0, 0]}, "
                    "{\"frame\": 5, \"translate_m\": [4, 0, 0], \"rotate_rad\": [0, 0, 1]}]}, "
                    "{\"plane\": {\"normal\": [0, 2, 0]}, \"thickness_m\": 0.002}, "
                    "{\"name\": \"crate\", \"box\": {\"half\": [1, 2, 3]}, \"friction\": 0.7}]");
    ToileScene *scene = scene_load_good();
    ToileColliderDef def = toile_collider_def_default();
    ck_assert_int_eq(toile_scene_get_collider(scene, 0, 3, &def, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(def.shape, TOILE_COLLIDER_SPHERE);
    ck_assert_double_eq(def.center_m[2], 3);
    ck_assert_double_eq(def.radius_m, 0.25);
    ck_assert_double_eq(def.pose.translate_m[0], 2);
    ck_assert_double_eq_tol(def.pose.rotate_rad[2], 0.5, ROUNDING);
    /* still before the first key and after the last */
    toile_scene_get_collider(scene, 0, -10, &def, NULL);
    ck_assert_double_eq(def.pose.translate_m[0], 0);
    toile_scene_get_collider(scene, 0, 99.5, &def, NULL);
    ck_assert_double_eq(def.pose.rotate_rad[2], 1);
    toile_scene_get_collider(scene, 1, 1, &def, NULL);
    ck_assert_int_eq(def.shape, TOILE_COLLIDER_PLANE);
    ck_assert_str_eq(def.name, "collider1");
    ck_assert_double_eq(def.thickness_m, 0.002);
    ck_assert_double_lt(def.friction, 0);
    toile_scene_get_collider(scene, 2, 1, &def, NULL);
    ck_assert_int_eq(def.shape, TOILE_COLLIDER_BOX);
    ck_assert_double_eq(def.half_m[1], 2);
    ck_assert_double_eq(def.friction, 0.7);
    ck_assert_int_eq(toile_scene_get_collider(scene, 3, 1, &def, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    toile_scene_free(scene);
}
END_TEST

/* ---- refusals ---- */

START_TEST(scene_refuses_unknown_keys_with_a_suggestion) {
    static const Bad bads[] = {
        {"", ", \"fsp\": 24", INVALID, 6, 3,
         "fsp: the key \"fsp\" is not known; did you mean \"fps\"?"},
        {", \"fabrik\": 1", "", INVALID, 4, 3,
         "cloth[0].fabrik: the key \"fabrik\" is not known; did you mean \"fabric\"?"},
        {"", ", \"qwertz\": 1", INVALID, 6, 3,
         "qwertz: the key \"qwertz\" is not known; remove it"},
        {"", ", \"solver\": {\"qualty\": 1}", INVALID, 6, 14, "did you mean \"quality\"?"},
        {", \"fabric\": {\"bend\": {\"weft\": 1}}", "", INVALID, 4, 23,
         "did you mean \"weft_N_m\"?"},
    };
    CHECK_BAD(bads);
}
END_TEST

START_TEST(scene_refuses_wrong_types_and_ranges) {
    static const Bad bads[] = {
        {"", ", \"fps\": \"24\"", INVALID, 6, 10, "fps: \"24\" stands where a number above 0"},
        {"", ", \"fps\": 0", INVALID, 6, 10,
         "fps: 0 is out of range; a number above 0, up to 10000, is allowed"},
        {"", ", \"fps\": null", INVALID, 6, 10, "fps: null stands where a number"},
        {"", ", \"up\": \"x\"", INVALID, 6, 9, "up: \"x\" is not known; allowed: \"y\" or \"z\""},
        {"", ", \"unit_m\": -1", INVALID, 6, 13, "unit_m: -1 is out of range"},
        {"", ", \"gravity_m_per_s2\": [0, 1]", INVALID, 6, 23,
         "a list of 2 values stands where a list of 3 numbers"},
        {"", ", \"gravity_m_per_s2\": [0, \"a\", 0]", INVALID, 6, 27,
         "gravity_m_per_s2[1]: \"a\" stands where a number"},
        {"", ", \"solver\": []", INVALID, 6, 13,
         "solver: a list of 0 values stands where an object"},
        {"", ", \"solver\": {\"substeps\": 0}", INVALID, 6, 26,
         "solver.substeps: 0 is out of range; a whole number from 1 to 10000"},
        {"", ", \"solver\": {\"substeps\": \"many\"}", INVALID, 6, 26,
         "\"many\" stands where \"auto\""},
        {"", ", \"solver\": {\"threads\": 1.5}", INVALID, 6, 25,
         "solver.threads: 1.5 is out of range"},
        {"", ", \"solver\": {\"settle\": 1}", INVALID, 6, 24,
         "solver.settle: 1 stands where true or false"},
        {"", ", \"solver\": {\"quality\": \"fats\"}", INVALID, 6, 25, "did you mean \"fast\"?"},
        {"", ", \"solver\": {\"linear_tolerance\": 2}", INVALID, 6, 34,
         "solver.linear_tolerance: 2 is out of range"},
        {"", ", \"contact\": {\"thickness_m\": 0}", INVALID, 6, 30,
         "contact.thickness_m: 0 is out of range"},
        {"", ", \"fields\": [{}]", INVALID, 6, 14, "fields[0]: this field has 0 keys"},
        {"", ", \"fields\": [{\"drag\": {\"coefficient_kg_per_m2_s\": -1}}]", INVALID, 6, 51,
         "fields[0].drag.coefficient_kg_per_m2_s: -1 is out of range"},
        {"", ", \"output\": {\"cache\": \"x.usd\"}", INVALID, 6, 23,
         "output.cache: \"x.usd\" has no ending that is known here; use .abc, .pc2, .mdd or .obj"},
        {"", ", \"output\": {\"preview\": \"\"}", INVALID, 6, 25,
         "output.preview: the string is empty"},
        {", \"pattern_scale_m\": 0", "", INVALID, 4, 22,
         "cloth[0].pattern_scale_m: 0 is out of range"},
        {", \"fabric\": 3", "", INVALID, 4, 13, "cloth[0].fabric: 3 stands where a fabric's name"},
        {", \"fabric\": \"linnen\"", "", INVALID, 4, 13, "did you mean \"linen\"?"},
        {", \"fabric\": {\"stretch\": {\"poisson\": 1}}", "", INVALID, 4, 37,
         "poisson * poisson * warp_N_per_m / weft_N_per_m is 1"},
        {", \"fabric\": {\"density_kg_per_m2\": 0}", "", INVALID, 4, 35,
         "cloth[0].fabric.density_kg_per_m2: 0 is out of range"},
    };
    CHECK_BAD(bads);
}
END_TEST

START_TEST(scene_refuses_wrong_pins_and_colliders) {
    static const Bad bads[] = {
        {", \"pins\": [{}]", "", INVALID, 4, 12, "cloth[0].pins[0]: the pin names no vertices"},
        {", \"pins\": [{\"vertices\": [4]}]", "", INVALID, 4, 26,
         "cloth[0].pins[0].vertices[0]: 4 is not a vertex of the mesh; whole numbers from 0 to 3"},
        {", \"pins\": [{\"vertices\": [0.5]}]", "", INVALID, 4, 26, "0.5 is not a vertex"},
        {", \"pins\": [{\"group\": \"al\"}]", "", INVALID, 4, 22, "did you mean \"all\"?"},
        {", \"pins\": [{\"group\": \"waist\"}]", "", INVALID, 4, 22,
         "q.obj has no group \"waist\", only \"all\""},
        {"", ", \"output\": {\"cache\": \".abc\"}", INVALID, 6, 23,
         "\".abc\" has no name before its ending"},
        {", \"pins\": [{\"group\": \"all\", \"frames\": \"x\"}]", "", INVALID, 4, 39,
         "cloth[0].pins[0].frames: The frame range \"x\" cannot be read"},
        {", \"pins\": [{\"group\": \"all\", \"follow\": \"bal\"}]",
         ", \"colliders\": [{\"name\": \"ball\", \"sphere\": {\"radius\": 1}}]", INVALID, 4, 39,
         "there is no collider \"bal\"; did you mean \"ball\"?"},
        {"", ", \"colliders\": [{}]", INVALID, 6, 17, "colliders[0]: this collider has 0 shapes"},
        {"", ", \"colliders\": [{\"sphere\": {\"radius\": 1}, \"box\": {\"half\": [1, 1, 1]}}]",
         INVALID, 6, 17, "colliders[0]: this collider has 2 shapes"},
        {"", ", \"colliders\": [{\"sphere\": {}}]", INVALID, 6, 28,
         "colliders[0].sphere: the key \"radius\" is missing"},
        {"", ", \"colliders\": [{\"plane\": {\"normal\": [0, 0, 0]}}]", INVALID, 6, 38,
         "the vector has no length"},
        {"", ", \"colliders\": [{\"box\": {\"half\": [1, 0, 1]}}]", INVALID, 6, 34,
         "a half size is 0 or less"},
        {"", ", \"colliders\": [{\"name\": \"a/b\", \"sphere\": {\"radius\": 1}}]", INVALID, 6, 26,
         "\"a/b\" has a slash"},
        {"",
         ", \"colliders\": [{\"sphere\": {\"radius\": 1}, \"motion\": [{\"frame\": 2}, {\"frame\": "
         "2}]}]",
         INVALID, 6, 78, "colliders[0].motion[1].frame: the frame does not come after"},
        {"", ", \"colliders\": [{\"sphere\": {\"radius\": 1}, \"motion\": [{}]}]", INVALID, 6, 54,
         "colliders[0].motion[0]: the key \"frame\" is missing"},
    };
    CHECK_BAD(bads);
}
END_TEST

START_TEST(scene_says_what_this_version_cannot_do) {
    static const Bad bads[] = {
        {", \"seams\": [{}]", "", UNSUPPORTED, 4, 12,
         "cloth[0].seams: seams are not available in Toile "},
        {", \"maps\": {\"stretch\": 1}", "", UNSUPPORTED, 4, 11,
         "maps of fabric factors are not available"},
        {", \"pins\": [{\"group\": \"all\", \"weight\": 0.5}]", "", UNSUPPORTED, 4, 39,
         "soft pins with a weight below 1 are not available"},
        {", \"pins\": [{\"group\": \"all\", \"weight\": [[1, 1], [9, 0]]}]", "", UNSUPPORTED, 4, 39,
         "lists of keys [[frame, value], ...] are not available"},
        {", \"pins\": [{\"group\": \"all\", \"stiffness\": 5}]", "", UNSUPPORTED, 4, 42,
         "soft pins with a stiffness are not available"},
        {"", ", \"gravity_m_per_s2\": [[1, [0, 0, 0]]]", UNSUPPORTED, 6, 23, "lists of keys"},
        {"", ", \"fields\": [{\"wind\": {\"gust\": 1}}]", UNSUPPORTED, 6, 23,
         "fields[0].wind: wind is not available"},
        {"", ", \"fields\": [{\"pressure\": {\"pascal\": 1}}]", UNSUPPORTED, 6, 27,
         "pressure is not available"},
    };
    CHECK_BAD(bads);
}
END_TEST

typedef struct BadText {
    const char *text;
    ToileStatus status;
    int32_t line, column;
    const char *part;
} BadText;

START_TEST(scene_refuses_a_wrong_frame_of_the_file) {
    static const BadText bads[] = {
        {"[]", INVALID, 1, 1, "a list of 0 values stands where an object in braces is needed"},
        {"{}", INVALID, 1, 1, "the key \"toile\" is missing"},
        {"{}", INVALID, 1, 1, "the key \"frames\" is missing"},
        {"{}", INVALID, 1, 1, "the key \"cloth\" is missing"},
        {"{\"toile\": 2}", UNSUPPORTED, 1, 11, "toile: 2 is not a format version"},
        {"{\"toile\": \"1\"}", INVALID, 1, 11, "toile: \"1\" is not a format version"},
        {"{\"frames\": \"5-1\"}", INVALID, 1, 12, "counts down from 5 to 1"},
        {"{\"frames\": 5.5}", INVALID, 1, 12, "frames: 5.5 is out of range"},
        {"{\"frames\": true}", INVALID, 1, 12, "frames: true stands where a string is needed"},
        {"{\"cloth\": {}}", INVALID, 1, 11, "cloth: an object of 0 keys stands where a list"},
        {"{\"cloth\": []}", INVALID, 1, 11, "a scene needs at least one cloth"},
        {"{\"cloth\": [{\"name\": \"c\"}]}", INVALID, 1, 12,
         "cloth[0]: the key \"mesh\" is missing"},
        {"{\"cloth\": [{\"mesh\": \"q.obj\"}]}", INVALID, 1, 12,
         "cloth[0]: the key \"name\" is missing"},
        {"{\"cloth\": [{\"name\": \"a/b\"}]}", INVALID, 1, 21, "\"a/b\" has a slash"},
        {"{\"cloth\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", INVALID, 1, 36,
         "also the name of cloth[0]"},
        {"{\"cloth\": [{\"mesh\": \"q.ply\"}]}", INVALID, 1, 21, "it must end in .obj"},
        {"{\"toile\": 1,}", INVALID, 1, 13, "remove the comma"},
    };
    for (size_t i = 0; i < sizeof bads / sizeof bads[0]; i++) {
        IoFindings findings;
        ToileScene *scene = NULL;
        io_file_write_text(scene_folder, "scene.json", bads[i].text, scene_path);
        ck_assert_int_ne(scene_load(NULL, 0, &findings, &scene, NULL), TOILE_STATUS_OK);
        const IoFinding *found =
            io_findings_find(&findings, bads[i].line, bads[i].column, bads[i].part);
        ck_assert_msg(found != NULL, "%s: %d:%d %s", bads[i].text, findings.items[0].line,
                      findings.items[0].column, findings.items[0].message);
        ck_assert_int_eq(found->status, bads[i].status);
    }
}
END_TEST

START_TEST(scene_reports_all_findings) {
    IoFindings findings;
    ToileScene *scene = NULL;
    ToileError error = toile_error_default();
    scene_write(", \"seams\": [1], \"fabric\": \"nope\"",
                ", \"fps\": -1, \"up\": \"w\", \"output\": {\"cache\": 3}");
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, &error), INVALID);
    ck_assert_int_eq(findings.count, 5);
}
END_TEST

/* ---- input files ---- */

START_TEST(scene_names_the_place_of_a_missing_file) {
    static const Bad bads[] = {
        {", \"rest\": \"r.obj\"", "", TOILE_STATUS_NOT_FOUND, 4, 11, "/r.obj)"},
        {", \"start\": \"s.obj\"", "", TOILE_STATUS_NOT_FOUND, 4, 12,
         "cloth[0].start: there is no file \"s.obj\" (looked for "},
        {", \"fabric\": \"f.json\"", "", TOILE_STATUS_NOT_FOUND, 4, 13,
         "there is no file \"f.json\""},
    };
    CHECK_BAD(bads);
    IoFindings findings;
    ToileScene *scene = NULL;
    ToileError error = toile_error_default();
    snprintf(scene_path, sizeof scene_path, "%.200s/none.json", scene_folder);
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, &error), TOILE_STATUS_NOT_FOUND);
    ck_assert_int_eq(findings.count, 1);
    ck_assert_str_eq(findings.items[0].message, "there is no such file");
    ck_assert_ptr_nonnull(strstr(error.message, "/none.json: there is no such file"));
}
END_TEST

START_TEST(scene_reports_mesh_defects_with_the_line_of_the_face) {
    static const char ngon[] =
        "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 1 0\n\nf 1 2 3\nf 1 2 3 4 5\n";
    char path[IO_PATH_SIZE];
    IoFindings findings;
    ToileScene *scene = NULL;
    ToileError error = toile_error_default();
    io_file_write_text(scene_folder, "q.obj", ngon, path);
    scene_write("", "");
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, &error), INVALID);
    const IoFinding *found = io_findings_find(&findings, 8, 0, "5 corners");
    ck_assert_msg(found != NULL, "%s", error.message);
    ck_assert_str_eq(found->file, path);
    /* a quad is two triangles, but one face */
    io_file_write_text(scene_folder, "q.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3 4\n",
                       path);
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, &error), INVALID);
    ck_assert_ptr_nonnull(io_findings_find(&findings, 5, 0, "has no area"));
    ck_assert_int_eq(findings.count, 1);
    io_file_write_text(scene_folder, "q.obj", "v 0 0 0\nv 0 nan 0\n", path);
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, &error), INVALID);
    ck_assert_ptr_nonnull(io_findings_find(&findings, 2, 0, "not a finite number"));
}
END_TEST

START_TEST(scene_lists_few_defects_of_a_kind_and_counts_the_rest) {
    TlIoText text = {0};
    char path[IO_PATH_SIZE];
    IoFindings findings;
    ToileScene *scene = NULL;
    tl_io_text_add_string(&text, "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2 3\n");
    for (int32_t i = 0; i < 30; i++)
        tl_io_text_add_string(&text, "f 1 1 2\n");
    io_file_write_text(scene_folder, "q.obj", text.data, path);
    tl_io_text_free(&text);
    scene_write("", "");
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), INVALID);
    ck_assert_int_le(findings.count, 40);
    ck_assert_ptr_nonnull(io_findings_find(&findings, 0, 0, "are not listed"));
}
END_TEST

START_TEST(scene_checks_that_poses_fit_the_mesh) {
    char path[IO_PATH_SIZE];
    IoFindings findings;
    ToileScene *scene = NULL;
    io_file_write_text(scene_folder, "r.obj", "v 0 0 0\nv 1 0 0\n", path);
    scene_write(", \"rest\": \"r.obj\"", "");
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), INVALID);
    ck_assert_ptr_nonnull(io_findings_find(&findings, 4, 11, "has 2 vertices, but the mesh"));
    io_file_write_text(scene_folder, "r.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\n", path);
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), INVALID);
    ck_assert_ptr_nonnull(io_findings_find(&findings, 4, 11, "the rest shape cannot be used"));
    io_file_write_text(scene_folder, "r.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3\n",
                       path);
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), INVALID);
    ck_assert_ptr_nonnull(io_findings_find(&findings, 4, 11, "are not those of the mesh"));
}
END_TEST

START_TEST(scene_pattern_needs_uvs) {
    static const char bare[] = "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 3 2\n";
    static const char half[] = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 1 1\n"
                               "f 1/1 3/3 2/2\nf 1 4 3\n";
    char path[IO_PATH_SIZE];
    IoFindings findings;
    ToileScene *scene = NULL;
    scene_write(", \"pattern\": \"metric\"", "");
    io_file_write_text(scene_folder, "q.obj", bare, path);
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), INVALID);
    ck_assert_ptr_nonnull(io_findings_find(&findings, 4, 14, "needs texture coordinates"));
    io_file_write_text(scene_folder, "q.obj", half, path);
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), INVALID);
    ck_assert_ptr_nonnull(io_findings_find(&findings, 9, 0, "corners without texture coordinates"));
}
END_TEST

START_TEST(scene_lists_ten_groups_at_most) {
    TlIoText text = {0};
    char path[IO_PATH_SIZE];
    IoFindings findings;
    ToileScene *scene = NULL;
    tl_io_text_add_string(&text, scene_quad_obj);
    for (int32_t i = 0; i < 12; i++) {
        char line[32];
        snprintf(line, sizeof line, "g seam%d\n", i);
        tl_io_text_add_string(&text, line);
    }
    io_file_write_text(scene_folder, "q.obj", text.data, path);
    tl_io_text_free(&text);
    scene_write(", \"pins\": [{\"group\": \"waistband\"}]", "");
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), INVALID);
    ck_assert_ptr_nonnull(io_findings_find(&findings, 4, 22, "only \"all\", \"seam0\", "));
    ck_assert_ptr_nonnull(io_findings_find(&findings, 4, 22, "\"seam8\" and 3 more"));
}
END_TEST

START_TEST(scene_point_cache_holds_one_cloth) {
    IoFindings findings;
    ToileScene *scene = NULL;
    char expected[2 * IO_PATH_SIZE];
    scene_write("", ", \"output\": {\"cache\": \"x.pc2\"}");
    scene = scene_load_good();
    snprintf(expected, sizeof expected, "%s/x.pc2", scene_folder);
    ck_assert_str_eq(scene_info(scene).cache, expected);
    toile_scene_free(scene);
    scene_write("}, {\"name\": \"d\", \"mesh\": \"q.obj\"", ", \"output\": {\"cache\": \"x.pc2\"}");
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), INVALID);
    ck_assert_ptr_nonnull(io_findings_find(&findings, 6, 23, "holds one mesh"));
}
END_TEST

START_TEST(scene_warns_about_odd_but_usable_content) {
    scene_write(", \"unit_m\": 0.001", "");
    scene_check_warning(0, 0, "the cloth \"c\" is 0.001 m across");
    scene_write(", \"unit_m\": 100", "");
    scene_check_warning(0, 0, "the cloth \"c\" is 100 m across");
    scene_write(", \"pattern\": \"metric\",\"pattern_scale_m\": 2", "");
    scene_check_warning(4, 42, "the pattern has an area of 4 m2, but the mesh one of 1 m2");
    scene_write(", \"pattern\": \"metric\", \"unit_m\": 2", "");
    scene_check_warning(3, 11, "set pattern_scale_m (2 would make them equal)");
    scene_write(", \"fabric\": {\"bend\": {\"poisson\": 0.3}}", "");
    scene_check_warning(4, 34, "has no effect on the bending model");
    scene_write("", "");
    scene_check_no_warning();
}
END_TEST

START_TEST(scene_warns_about_cloth_finer_than_contact) {
    char path[IO_PATH_SIZE];
    io_file_write_text(scene_folder, "q.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 4 3 2\n",
                       path);
    scene_write("", ", \"contact\": {\"thickness_m\": 0.9}");
    scene_check_no_warning();
    scene_write("", ", \"contact\": {\"thickness_m\": 2}");
    scene_check_warning(6, 30,
                        "contact.thickness_m: contact keeps cloth 2 m apart, but the edges of "
                        "\"c\" have 1 m on average");
    scene_write(", \"unit_m\": 0.0005", "");
    scene_check_warning(3, 10, "cloth: contact keeps cloth 0.001 m apart");
}
END_TEST

START_TEST(scene_warns_about_uvs_of_some_faces) {
    static const char half[] = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 1 1\n"
                               "f 1/1 3/3 2/2\nf 1 4 3\n";
    static const char mirrored[] = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 2 0 0\nvt 0 0\nvt 1 0\n"
                                   "vt 1 1\nvt 0 1\nvt 0.5 0\n"
                                   "f 1/1 3/3 2/2\nf 1/1 4/4 3/3\nf 2/2 3/3 5/4\n";
    char path[IO_PATH_SIZE];
    io_file_write_text(scene_folder, "q.obj", half, path);
    scene_write("", "");
    scene_check_warning(9, 0,
                        "face 1 (counted from 0) has corners without texture coordinates, so");
    io_file_write_text(scene_folder, "q.obj", mirrored, path);
    scene_write(", \"pattern\": \"metric\"", "");
    scene_check_warning(13, 0,
                        "face 2 (counted from 0) is turned over in uv against most others, as are "
                        "1 of 3 faces");
}
END_TEST

START_TEST(scene_survives_files_cut_at_any_length) {
    static const char fabric[] = "{\"bend\": {\"weft_N_m\": 1e-5}}";
    char *text = NULL;
    size_t size = 0;
    char path[IO_PATH_SIZE];
    IoFindings findings;
    ToileScene *scene = NULL;
    scene_write(", \"fabric\": \"f.json\", \"pins\": [{\"group\": \"all\", \"follow\": \"b\"}]",
                ", \"colliders\": [{\"name\": \"b\", \"sphere\": {\"radius\": 1}, \"motion\": "
                "[{\"frame\": 1}]}]");
    io_file_write_text(scene_folder, "f.json", fabric, path);
    ck_assert_int_eq(tl_io_read_file(scene_path, 10000, &text, &size, NULL), TOILE_STATUS_OK);
    for (size_t length = 0; length + 2 < size; length++) {
        io_file_write(scene_folder, "scene.json", text, length, scene_path);
        ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), INVALID);
        ck_assert_ptr_null(scene);
    }
    io_file_write(scene_folder, "scene.json", text, size, scene_path);
    free(text);
    for (size_t length = 0; length + 1 < sizeof fabric; length++) {
        io_file_write(scene_folder, "f.json", fabric, length, path);
        ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), INVALID);
    }
    io_file_write_text(scene_folder, "f.json", fabric, path);
    for (size_t length = 0; length <= strlen(scene_quad_obj); length++) {
        io_file_write(scene_folder, "q.obj", scene_quad_obj, length, path);
        scene_load(NULL, 0, &findings, &scene, NULL);
        toile_scene_free(scene);
    }
}
END_TEST

/* ---- overrides and hash ---- */

START_TEST(scene_overrides_change_the_scene) {
    static const char *const overrides[] = {"fps=30",
                                            "frames=5-9",
                                            "solver.substeps=7",
                                            "cloth.c.fabric=denim",
                                            "cloth.c.fabric.bend.weft_N_m=1e-3",
                                            "cloth.0.pins=[{\"vertices\": [1]}]",
                                            "output.cache=\"y.obj\""};
    IoFindings findings;
    ToileScene *scene = NULL;
    ToileError error = toile_error_default();
    scene_write(", \"fabric\": \"linen\"", "");
    ToileStatus status = scene_load(overrides, 7, &findings, &scene, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    ToileSceneInfo info = scene_info(scene);
    ToileSceneCloth cloth = scene_cloth(scene, 0);
    ck_assert_double_eq(info.fps, 30);
    ck_assert_int_eq(info.frames[0], 5);
    ck_assert_int_eq(sim_def_of(scene).substeps, 7);
    ck_assert_int_eq(sim_def_of(scene).start_frame, 5);
    ck_assert_str_eq(cloth.fabric_name, "denim");
    ck_assert_double_eq(cloth.fabric->bend_weft_N_m, 1e-3);
    ck_assert_double_eq(cloth.fabric->density_kg_per_m2, 0.297);
    ck_assert_int_eq(cloth.pin_count, 1);
    ck_assert_ptr_nonnull(strstr(info.cache, "/y.obj"));
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_override_of_a_fabric_file_expands_it) {
    static const char *const overrides[] = {"cloth.c.fabric.density_kg_per_m2=0.5"};
    char path[IO_PATH_SIZE];
    IoFindings findings;
    ToileScene *scene = NULL;
    io_file_write_text(scene_folder, "f.json", "{\"name\": \"mine\", \"thickness_m\": 0.002}",
                       path);
    scene_write(", \"fabric\": \"f.json\"", "");
    ck_assert_int_eq(scene_load(overrides, 1, &findings, &scene, NULL), TOILE_STATUS_OK);
    ToileSceneCloth cloth = scene_cloth(scene, 0);
    ck_assert_double_eq(cloth.fabric->density_kg_per_m2, 0.5);
    ck_assert_double_eq(cloth.fabric->thickness_m, 0.002);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_refuses_wrong_overrides_and_names_them) {
    static const char *const cases[][2] = {
        {"fps", "the override cannot be read"},
        {"=3", "the override cannot be read"},
        {"a..b=3", "the override cannot be read"},
        {"fps=0", "fps: 0 is out of range"},
        {"fps.x=0", "24 has no key \"x\""},
        {"cloth.d.mesh=x.obj", "the list has no element \"d\""},
        {"cloth.1.mesh=x.obj", "the list has no element \"1\""},
        {"cloth.c.fabrik=1", "did you mean \"fabric\"?"},
        {"up=[1", "the text ends where a comma or ] is needed"},
        {"cloth.c.mesh=none.obj", "there is no file \"none.obj\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        IoFindings findings;
        ToileScene *scene = NULL;
        ToileError error = toile_error_default();
        char place[128];
        scene_write("", ", \"fps\": 24");
        ck_assert_int_ne(scene_load(&cases[i][0], 1, &findings, &scene, &error), TOILE_STATUS_OK);
        ck_assert_msg(strstr(error.message, cases[i][1]) != NULL, "%s: %s", cases[i][0],
                      error.message);
        snprintf(place, sizeof place, "--set %s", cases[i][0]);
        ck_assert_str_eq(findings.items[0].file, place);
    }
}
END_TEST

static uint64_t hash_with(const char *override) {
    IoFindings findings;
    ToileScene *scene = NULL;
    ck_assert_int_eq(scene_load(&override, override ? 1 : 0, &findings, &scene, NULL),
                     TOILE_STATUS_OK);
    uint64_t hash = scene_info(scene).hash;
    toile_scene_free(scene);
    return hash;
}

START_TEST(scene_hash_leaves_out_threads_and_output) {
    scene_write("", "");
    uint64_t hash = hash_with(NULL);
    ck_assert_uint_eq(hash_with("solver.threads=3"), hash);
    ck_assert_uint_eq(hash_with("output.cache=elsewhere.abc"), hash);
    scene_write("",
                ", \"solver\": {\"threads\": 2, \"quality\": \"fast\"}, \"output\": {\"preview\": "
                "\"x.png\"}");
    uint64_t fast = hash_with(NULL);
    ck_assert_uint_ne(fast, hash);
    ck_assert_uint_eq(hash_with("solver.threads=5"), fast);
    ck_assert_uint_ne(hash_with("solver.quality=accurate"), fast);
    scene_write("", ", \"solver\": {\"quality\": \"fast\"}");
    ck_assert_uint_eq(hash_with(NULL), fast);
}
END_TEST

START_TEST(scene_hash_follows_content_not_spelling) {
    char path[IO_PATH_SIZE];
    scene_write("", ", \"fps\": 24");
    uint64_t hash = hash_with(NULL);
    ck_assert_uint_eq(hash_with(NULL), hash);
    ck_assert_uint_eq(hash_with("fps=24"), hash);
    ck_assert_uint_ne(hash_with("fps=25"), hash);
    scene_write("   ", "  , \"fps\" :\n 24.0");
    ck_assert_uint_eq(hash_with(NULL), hash);
    io_file_write_text(scene_folder, "q.obj",
                       "# one comment more\nv 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 3 2\n", path);
    ck_assert_uint_ne(hash_with(NULL), hash);
}
END_TEST

/* ---- simulations ---- */

static ToileSim *make_sim(const ToileScene *scene, ToileClothId *cloth) {
    ToileSim *sim = NULL;
    ToileError error = toile_error_default();
    ToileSimDef def = sim_def_of(scene);
    ToileStatus status = toile_scene_create_sim(scene, &def, &sim, cloth, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    return sim;
}

static void step_to(const ToileScene *scene, ToileSim *sim, int32_t frame) {
    ToileError error = toile_error_default();
    ToileStatus status = toile_scene_aim(scene, sim, frame, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    status = toile_sim_step(sim, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
}

START_TEST(scene_pins_follow_a_collider_rigidly) {
    ToileClothId cloth;
    double x[12];
    scene_write(", \"pins\": [{\"vertices\": [0, 3], \"follow\": \"arm\"}]",
                ", \"colliders\": [{\"name\": \"arm\", \"sphere\": {\"center\": [0, -9, 0], "
                "\"radius\": 0.1}, \"motion\": [{\"frame\": 1}, {\"frame\": 3, \"translate_m\": "
                "[0, 1, 0], \"rotate_rad\": [0, 1.5707963267948966, 0]}]}]");
    ToileScene *scene = scene_load_good();
    ToileSim *sim = make_sim(scene, &cloth);
    step_to(scene, sim, 2);
    ck_assert_int_eq(toile_sim_get_positions(sim, cloth, x, NULL), TOILE_STATUS_OK);
    /* half of a quarter turn takes z to (1, 0, 1) / sqrt(2) */
    ck_assert_double_eq_tol(x[9], sqrt(0.5), ROUNDING);
    ck_assert_double_eq_tol(x[10], 0.5, ROUNDING);
    ck_assert_double_eq_tol(x[11], sqrt(0.5), ROUNDING);
    step_to(scene, sim, 3);
    ck_assert_int_eq(toile_sim_get_positions(sim, cloth, x, NULL), TOILE_STATUS_OK);
    ck_assert_double_eq_tol(x[0], 0, ROUNDING);
    ck_assert_double_eq_tol(x[1], 1, ROUNDING);
    ck_assert_double_eq_tol(x[9], 1, ROUNDING);
    ck_assert_double_eq_tol(x[11], 0, ROUNDING);
    toile_sim_destroy(sim);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_pins_hold_only_in_their_frames) {
    ToileClothId cloth;
    double x[12];
    double held[12];
    scene_write(", \"pins\": [{\"group\": \"all\", \"frames\": \"1-2,4\"}]", "");
    ToileScene *scene = scene_load_good();
    ToileSim *sim = make_sim(scene, &cloth);
    step_to(scene, sim, 2);
    toile_sim_get_positions(sim, cloth, x, NULL);
    ck_assert_double_eq(x[1], 0);
    step_to(scene, sim, 3);
    toile_sim_get_positions(sim, cloth, held, NULL);
    ck_assert_double_lt(held[1], -1e-4);
    step_to(scene, sim, 4);
    toile_sim_get_positions(sim, cloth, x, NULL);
    ck_assert_mem_eq(x, held, sizeof x);
    step_to(scene, sim, 5);
    toile_sim_get_positions(sim, cloth, x, NULL);
    ck_assert_double_lt(x[1], held[1]);
    toile_sim_destroy(sim);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_pin_caught_again_follows_from_where_it_is) {
    ToileClothId cloth;
    double before[12];
    double x[12];
    scene_write(", \"pins\": [{\"group\": \"all\", \"frames\": \"3-9\", \"follow\": \"arm\"}]",
                ", \"colliders\": [{\"name\": \"arm\", \"sphere\": {\"center\": [0, -9, 0], "
                "\"radius\": 0.1}, \"motion\": [{\"frame\": 1}, {\"frame\": 5, \"translate_m\": "
                "[4, 0, 0]}]}]");
    ToileScene *scene = scene_load_good();
    ToileSim *sim = make_sim(scene, &cloth);
    step_to(scene, sim, 2);
    toile_sim_get_positions(sim, cloth, before, NULL);
    step_to(scene, sim, 3);
    step_to(scene, sim, 4);
    toile_sim_get_positions(sim, cloth, x, NULL);
    for (int32_t i = 0; i < 4; i++) {
        ck_assert_double_eq_tol(x[3 * i], before[3 * i] + 2, ROUNDING);
        ck_assert_double_eq_tol(x[3 * i + 1], before[3 * i + 1], ROUNDING);
    }
    toile_sim_destroy(sim);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_start_and_rest_reach_the_simulation) {
    char path[IO_PATH_SIZE];
    ToileClothId cloth;
    double x[12];
    io_file_write_text(scene_folder, "s.obj", "v 0 5 0\nv 1 5 0\nv 1 5 1\nv 0 5 1\n", path);
    io_file_write_text(scene_folder, "r.obj", "v 0 0 0\nv 0.5 0 0\nv 0.5 0 0.5\nv 0 0 0.5\n", path);
    scene_write(", \"start\": \"s.obj\", \"rest\": \"r.obj\"", "");
    ToileScene *scene = scene_load_good();
    ToileSim *sim = make_sim(scene, &cloth);
    ToileEnergies energies = toile_energies_default();
    toile_sim_get_positions(sim, cloth, x, NULL);
    ck_assert_double_eq(x[1], 5);
    ck_assert_int_eq(toile_sim_get_energies(sim, &energies, NULL), TOILE_STATUS_OK);
    ck_assert_double_gt(energies.stretch_J, 1);
    toile_sim_destroy(sim);
    toile_scene_free(scene);
}
END_TEST

START_TEST(scene_functions_refuse_wrong_arguments) {
    ToileScene *scene = NULL;
    ToileSceneInfo info = {.struct_size = 0};
    ToileSceneCloth cloth = {.struct_size = sizeof cloth};
    ToileSim *sim = NULL;
    ck_assert_int_eq(toile_scene_load(NULL, NULL, 0, NULL, NULL, &scene, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_scene_load("x", NULL, 1, NULL, NULL, &scene, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    scene_write("", "");
    scene = scene_load_good();
    ck_assert_int_eq(toile_scene_get_info(scene, &info, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_scene_get_cloth(scene, 1, &cloth, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_scene_get_cloth(scene, -1, &cloth, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_scene_create_sim(scene, NULL, &sim, NULL, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_scene_aim(scene, NULL, 1, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    toile_scene_free(scene);
    toile_scene_free(NULL);
}
END_TEST

/* ---- schema ---- */

/* Parses the schema; free the arena. */
static const TlJson *read_schema(TlIoArena *arena) {
    char *path = tl_io_path_beside(__FILE__, "../io/scene.schema.json");
    char *text = NULL;
    size_t size = 0;
    TlReport report = {0};
    ck_assert_int_eq(tl_io_read_file(path, TL_JSON_MAX_BYTES, &text, &size, NULL), TOILE_STATUS_OK);
    const TlJson *schema = tl_json_parse(text, size, "schema", arena, &report);
    ck_assert_ptr_nonnull(schema);
    free(text);
    free(path);
    return schema;
}

/* The value at "a/b/c" of a tree. */
static const TlJson *at(const TlJson *tree, const char *path) {
    char part[64];
    while (tree && *path) {
        size_t length = strcspn(path, "/");
        snprintf(part, sizeof part, "%.*s", (int)length, path);
        tree = tl_json_get(tree, part);
        path += length + (path[length] == '/');
    }
    ck_assert_ptr_nonnull(tree);
    return tree;
}

static void check_properties(const TlJson *object, const char *const *keys, size_t count) {
    const TlJson *properties = at(object, "properties");
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(tl_json_get(properties, keys[i]) != NULL, "%s", keys[i]);
    ck_assert_int_eq(properties->count, (int32_t)count);
}

START_TEST(scene_schema_is_valid_json_with_every_key) {
    static const char *const keys[] = {"toile",  "fps",    "frames",           "up",     "unit_m",
                                       "solver", "cloth",  "colliders",        "fields", "contact",
                                       "output", "wedges", "gravity_m_per_s2", "$schema"};
    static const char *const stretch[] = {"model",         "weft_N_per_m", "warp_N_per_m",
                                          "shear_N_per_m", "poisson",      "damping_s",
                                          "compression",   "gauss_points", "limit"};
    static const char *const bend[] = {
        "model",         "weft_N_m",  "warp_N_m", "damping_N_m_s",
        "damping_model", "scale",     "poisson",  "in_element_weight",
        "fold_exponent", "intervals", "law",      "rest_curvature_per_m"};
    static const char *const collider[] = {"name",        "sphere",   "plane",  "box",
                                           "capsule",     "mesh",     "points", "unit_m",
                                           "thickness_m", "friction", "maps",   "motion"};
    TlIoArena arena = {0};
    const TlJson *schema = read_schema(&arena);
    check_properties(at(schema, "$defs/collider"), collider, sizeof collider / sizeof collider[0]);
    check_properties(schema, keys, sizeof keys / sizeof keys[0]);
    const TlJson *fabric = at(schema, "$defs/fabric/properties");
    check_properties(at(fabric, "stretch"), stretch, sizeof stretch / sizeof stretch[0]);
    check_properties(at(fabric, "bend"), bend, sizeof bend / sizeof bend[0]);
    tl_io_arena_free(&arena);
}
END_TEST

/* Each word of an enum in the schema must be read. */
static void check_enum(const TlJson *schema, const char *path, const char *format) {
    const TlJson *words = at(schema, path);
    ck_assert_int_gt(words->count, 1);
    for (const TlJson *word = words->first; word; word = word->next) {
        char keys[256];
        char text[64] = "null";
        if (word->kind == TL_JSON_STRING)
            snprintf(text, sizeof text, "\"%s\"", word->string);
        snprintf(keys, sizeof keys, format, text);
        scene_write(keys, "");
        toile_scene_free(scene_load_good());
    }
}

START_TEST(scene_reads_every_integrator_of_the_schema) {
    static const char *const names[] = {
        "implicit-euler",   "bdf2",   "semi-implicit", "imex",
        "symplectic-euler", "verlet", "rk4",           "explicit-euler"};
    TlIoArena arena = {0};
    const TlJson *words = at(read_schema(&arena), "properties/solver/properties/integrator/enum");
    int32_t number = TOILE_INTEGRATOR_IMPLICIT_EULER;
    for (const TlJson *word = words->first; word; word = word->next) {
        char solver[128];
        ck_assert_str_eq(word->string, names[number]);
        snprintf(solver, sizeof solver, ", \"solver\": {\"integrator\": \"%s\"}", word->string);
        scene_write("", solver);
        ToileScene *scene = scene_load_good();
        ck_assert_int_eq(sim_def_of(scene).integrator, number);
        toile_scene_free(scene);
        number++;
    }
    ck_assert_int_eq(number, TOILE_INTEGRATOR_EXPLICIT_EULER + 1);
    tl_io_arena_free(&arena);
}
END_TEST

START_TEST(scene_reads_every_word_of_the_schema) {
    TlIoArena arena = {0};
    const TlJson *schema = read_schema(&arena);
    check_enum(schema, "$defs/fabric/properties/stretch/properties/model/enum",
               STRETCH("\"model\": %s"));
    check_enum(schema, "$defs/fabric/properties/bend/properties/model/enum", BEND("\"model\": %s"));
    check_enum(schema, "$defs/fabric/properties/bend/properties/damping_model/enum",
               BEND("\"damping_model\": %s"));
    check_enum(schema, "$defs/fabric/properties/bend/properties/scale/enum", BEND("\"scale\": %s"));
    check_enum(schema, "$defs/cloth/properties/elements/enum", ", \"elements\": %s");
    check_enum(schema, "$defs/cloth/properties/pattern/enum", ", \"pattern\": %s");
    tl_io_arena_free(&arena);
}
END_TEST

static void add_reading(Suite *suite) {
    TCase *tcase = tcase_create("reading");
    tcase_add_checked_fixture(tcase, scene_make_folder, scene_remove_folder);
    tcase_add_test(tcase, scene_without_options_takes_the_defaults);
    tcase_add_test(tcase, scene_options_arrive);
    tcase_add_test(tcase, scene_sim_def_keeps_the_hosts_hooks);
    tcase_add_test(tcase, scene_colliders_arrive_and_move);
    tcase_add_test(tcase, scene_overrides_change_the_scene);
    tcase_add_test(tcase, scene_override_of_a_fabric_file_expands_it);
    tcase_add_test(tcase, scene_refuses_wrong_overrides_and_names_them);
    tcase_add_test(tcase, scene_hash_follows_content_not_spelling);
    tcase_add_test(tcase, scene_hash_leaves_out_threads_and_output);
    tcase_add_test(tcase, scene_schema_is_valid_json_with_every_key);
    tcase_add_test(tcase, scene_reads_every_integrator_of_the_schema);
    tcase_add_test(tcase, scene_reads_every_word_of_the_schema);
    suite_add_tcase(suite, tcase);
}

static void add_refusals(Suite *suite) {
    TCase *tcase = tcase_create("refusals");
    tcase_add_checked_fixture(tcase, scene_make_folder, scene_remove_folder);
    tcase_add_test(tcase, scene_refuses_unknown_keys_with_a_suggestion);
    tcase_add_test(tcase, scene_refuses_wrong_types_and_ranges);
    tcase_add_test(tcase, scene_refuses_wrong_pins_and_colliders);
    tcase_add_test(tcase, scene_says_what_this_version_cannot_do);
    tcase_add_test(tcase, scene_refuses_a_wrong_frame_of_the_file);
    tcase_add_test(tcase, scene_reports_all_findings);
    tcase_add_test(tcase, scene_names_the_place_of_a_missing_file);
    tcase_add_test(tcase, scene_reports_mesh_defects_with_the_line_of_the_face);
    tcase_add_test(tcase, scene_lists_few_defects_of_a_kind_and_counts_the_rest);
    tcase_add_test(tcase, scene_checks_that_poses_fit_the_mesh);
    tcase_add_test(tcase, scene_pattern_needs_uvs);
    tcase_add_test(tcase, scene_warns_about_odd_but_usable_content);
    tcase_add_test(tcase, scene_warns_about_cloth_finer_than_contact);
    tcase_add_test(tcase, scene_warns_about_uvs_of_some_faces);
    tcase_add_test(tcase, scene_lists_ten_groups_at_most);
    tcase_add_test(tcase, scene_point_cache_holds_one_cloth);
    tcase_add_test(tcase, scene_survives_files_cut_at_any_length);
    tcase_add_test(tcase, scene_functions_refuse_wrong_arguments);
    suite_add_tcase(suite, tcase);
}

static void add_simulations(Suite *suite) {
    TCase *tcase = tcase_create("simulations");
    tcase_add_checked_fixture(tcase, scene_make_folder, scene_remove_folder);
    tcase_add_test(tcase, scene_pins_follow_a_collider_rigidly);
    tcase_add_test(tcase, scene_pins_hold_only_in_their_frames);
    tcase_add_test(tcase, scene_pin_caught_again_follows_from_where_it_is);
    tcase_add_test(tcase, scene_start_and_rest_reach_the_simulation);
    suite_add_tcase(suite, tcase);
}

int main(void) {
    Suite *suite = suite_create("scene");
    add_reading(suite);
    add_refusals(suite);
    add_simulations(suite);
    return run_suite(suite);
}
