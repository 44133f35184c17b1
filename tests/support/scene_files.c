/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of one cloth for the tests of scenes. */
#include "support/scene_files.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

char scene_folder[IO_PATH_SIZE];
char scene_path[IO_PATH_SIZE];

const char scene_quad_obj[] = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\n"
                              "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
                              "g all\n"
                              "f 1/1 4/4 3/3 2/2\n";

void scene_make_folder(void) {
    char path[IO_PATH_SIZE];
    io_folder_make(scene_folder);
    io_file_write_text(scene_folder, "q.obj", scene_quad_obj, path);
}

void scene_remove_folder(void) {
    io_folder_remove(scene_folder);
}

void scene_write(const char *cloth_keys, const char *root_keys) {
    char text[4096];
    snprintf(text, sizeof text,
             "{\n\"toile\": 1, \"frames\": \"1-3\",\n\"cloth\": [{\"name\": \"c\", \"mesh\": "
             "\"q.obj\"\n%s\n}]\n%s\n}\n",
             cloth_keys, root_keys);
    io_file_write_text(scene_folder, "scene.json", text, scene_path);
}

ToileStatus scene_load(const char *const *overrides, int32_t count, IoFindings *findings,
                       ToileScene **scene, ToileError *error) {
    memset(findings, 0, sizeof *findings);
    *scene = NULL;
    return toile_scene_load(scene_path, overrides, count, io_findings_add, findings, scene, error);
}

ToileScene *scene_load_good(void) {
    IoFindings findings;
    ToileScene *scene = NULL;
    ToileError error = toile_error_default();
    ToileStatus status = scene_load(NULL, 0, &findings, &scene, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    ck_assert_ptr_nonnull(scene);
    return scene;
}

ToileSceneInfo scene_info(const ToileScene *scene) {
    ToileSceneInfo info = {.struct_size = sizeof info};
    ck_assert_int_eq(toile_scene_get_info(scene, &info, NULL), TOILE_STATUS_OK);
    return info;
}

ToileSceneCloth scene_cloth(const ToileScene *scene, int32_t index) {
    ToileSceneCloth cloth = {.struct_size = sizeof cloth};
    ck_assert_int_eq(toile_scene_get_cloth(scene, index, &cloth, NULL), TOILE_STATUS_OK);
    return cloth;
}

void scene_check_bad(const Bad *bads, size_t count) {
    for (size_t i = 0; i < count; i++) {
        IoFindings findings;
        ToileScene *scene = NULL;
        ToileError error = toile_error_default();
        char place[2 * IO_PATH_SIZE];
        scene_write(bads[i].cloth_keys, bads[i].root_keys);
        ToileStatus status = scene_load(NULL, 0, &findings, &scene, &error);
        ck_assert_msg(scene == NULL, "accepted: %s %s", bads[i].cloth_keys, bads[i].root_keys);
        const IoFinding *found =
            io_findings_find(&findings, bads[i].line, bads[i].column, bads[i].part);
        ck_assert_msg(found != NULL, "%s %s: %s", bads[i].cloth_keys, bads[i].root_keys,
                      error.message);
        ck_assert_str_eq(found->file, scene_path);
        ck_assert_int_eq(found->level, TOILE_LOG_ERROR);
        ck_assert_msg(found->status == (int32_t)bads[i].status, "%s: status %d", found->message,
                      found->status);
        ck_assert_int_eq(status, bads[i].status);
        ck_assert_int_eq(error.status, bads[i].status);
        snprintf(place, sizeof place, "%s:%d:%d: ", scene_path, bads[i].line, bads[i].column);
        ck_assert_msg(strncmp(error.message, place, strlen(place)) == 0, "%s", error.message);
    }
}

void scene_check_warning(int32_t line, int32_t column, const char *part) {
    IoFindings findings;
    ToileScene *scene = NULL;
    ToileError error = toile_error_default();
    ToileStatus status = scene_load(NULL, 0, &findings, &scene, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    const IoFinding *found = io_findings_find(&findings, line, column, part);
    ck_assert_msg(found != NULL, "%d findings, none says %s", findings.count, part);
    ck_assert_int_eq(found->level, TOILE_LOG_WARNING);
    toile_scene_free(scene);
}

void scene_check_no_warning(void) {
    IoFindings findings;
    ToileScene *scene = scene_load_good();
    toile_scene_free(scene);
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, NULL), TOILE_STATUS_OK);
    toile_scene_free(scene);
    ck_assert_msg(findings.count == 0, "%s", findings.items[0].message);
}
