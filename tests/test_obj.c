/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* OBJ files in and out, and the replacement of files in one step. */
#include "../io/arena.h"
#include "../io/obj_parse.h"
#include "../io/platform.h"
#include "support/io_files.h"
#include "support/run_suite.h"

#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[IO_PATH_SIZE];

static void make_folder(void) {
    io_folder_make(folder);
}

static void remove_folder(void) {
    io_folder_remove(folder);
}

static const char sheet[] = "# a sheet\r\n"
                            "o sheet\n"
                            "v 0 0 0\n"
                            "v 1 0 0 1.0\n"
                            "v 1 0.5 0 0.1 0.2 0.3\n"
                            "v 0 .5e0 0\n"
                            "v 2 0 -1.25e-1\n"
                            "vt 0 0\n"
                            "vt 1 0 0\n"
                            "vt 1 1\n"
                            "vt 0 1\n"
                            "vn 0 0 1\n"
                            "s off\n"
                            "usemtl cloth\\\n"
                            "g left\n"
                            "f 1/1/1 2/2/1 3/3/1 4/4/1\n"
                            "g right both\n"
                            "f 2/1 -1/2 \\\n"
                            "  -3/3 # continued\n";

static ToileObj *parse(const char *text, size_t size, bool need_faces, IoFindings *findings) {
    TlReport report = {.sink = io_findings_add, .user = findings};
    char *copy = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, size);
    ToileObj *obj = tl_obj_parse(copy, size, "a.obj", 1, need_faces, &report);
    free(copy);
    ck_assert((obj == NULL) == (report.status != TOILE_STATUS_OK));
    return obj;
}

/* ---- reading ---- */

START_TEST(obj_reads_vertices_faces_uvs_and_lines) {
    IoFindings findings = {0};
    ToileObj *obj = parse(sheet, strlen(sheet), true, &findings);
    ck_assert_msg(obj != NULL, "%s", findings.items[0].message);
    const ToileMeshDef *mesh = &obj->mesh;
    ck_assert_int_eq(mesh->vertex_count, 5);
    ck_assert_int_eq(mesh->face_count, 2);
    ck_assert_int_eq(mesh->corner_count, 7);
    ck_assert_int_eq(mesh->uv_count, 4);
    ck_assert_int_eq(mesh->face_sizes[0], 4);
    ck_assert_int_eq(mesh->face_sizes[1], 3);
    ck_assert_double_eq(mesh->positions_m[10], 0.5);
    ck_assert_double_eq(mesh->positions_m[14], -0.125);
    static const int32_t corners[] = {0, 1, 2, 3, 1, 4, 2};
    static const int32_t uvs[] = {0, 1, 2, 3, 0, 1, 2};
    ck_assert_mem_eq(mesh->corners, corners, sizeof corners);
    ck_assert_mem_eq(mesh->corner_uvs, uvs, sizeof uvs);
    ck_assert_int_eq(obj->vertex_lines[0], 3);
    ck_assert_int_eq(obj->face_lines[0], 16);
    ck_assert_int_eq(obj->face_lines[1], 18);
    ck_assert_int_eq(obj->bare_face, -1);
    toile_obj_free(obj);
}
END_TEST

START_TEST(obj_lists_the_vertices_of_groups) {
    IoFindings findings = {0};
    ToileObj *obj = parse(sheet, strlen(sheet), true, &findings);
    ck_assert_ptr_nonnull(obj);
    ck_assert_int_eq(obj->group_count, 4);
    ck_assert_str_eq(obj->group_names[0], "sheet");
    ck_assert_int_eq(obj->group_vertex_counts[0], 5);
    ck_assert_str_eq(obj->group_names[1], "left");
    ck_assert_int_eq(obj->group_vertex_counts[1], 4);
    ck_assert_str_eq(obj->group_names[3], "both");
    static const int32_t both[] = {1, 2, 4};
    ck_assert_int_eq(obj->group_vertex_counts[3], 3);
    ck_assert_mem_eq(obj->group_vertices[3], both, sizeof both);
    toile_obj_free(obj);
}
END_TEST

START_TEST(obj_keeps_faces_of_any_size) {
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 1 0\nf 1 2 3 4 5\n";
    IoFindings findings = {0};
    ToileObj *obj = parse(text, strlen(text), true, &findings);
    ck_assert_ptr_nonnull(obj);
    ck_assert_int_eq(obj->mesh.face_sizes[0], 5);
    ck_assert_int_eq(obj->mesh.uv_count, 0);
    ck_assert_ptr_null(obj->mesh.uvs);
    toile_obj_free(obj);
}
END_TEST

START_TEST(obj_drops_uvs_that_are_not_everywhere) {
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\n"
                               "f 1/1 2/2 3/3\nf 1//1 3//1 4//1\n";
    IoFindings findings = {0};
    ToileObj *obj = parse(text, strlen(text), true, &findings);
    ck_assert_ptr_nonnull(obj);
    ck_assert_int_eq(obj->mesh.uv_count, 0);
    ck_assert_int_eq(obj->bare_face, 1);
    ck_assert_int_eq(obj->face_lines[obj->bare_face], 9);
    toile_obj_free(obj);
}
END_TEST

START_TEST(obj_faces_may_come_before_their_vertices) {
    static const char text[] = "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 1 1 0\n";
    IoFindings findings = {0};
    ToileObj *obj = parse(text, strlen(text), true, &findings);
    ck_assert_ptr_nonnull(obj);
    toile_obj_free(obj);
}
END_TEST

START_TEST(obj_needs_no_face_for_a_pose) {
    IoFindings findings = {0};
    ToileObj *obj = parse("v 1 2 3", 7, false, &findings);
    ck_assert_ptr_nonnull(obj);
    ck_assert_int_eq(obj->mesh.vertex_count, 1);
    toile_obj_free(obj);
}
END_TEST

typedef struct Bad {
    const char *text;
    int32_t line;
    const char *part;
} Bad;

START_TEST(obj_refuses_with_line_and_reason) {
    static const Bad bads[] = {
        {"", 0, "the file has no vertex"},
        {"v 0 0 0\n", 0, "the file has no face"},
        {"v 0 0 0\nv 1 nan 0\n", 2,
         "the y coordinate is nan, which is not a finite number; clean the mesh and export it "
         "again"},
        {"v 0 0 -inf\n", 1,
         "the z coordinate is -inf, which is not a finite number; clean the mesh and export it "
         "again"},
        {"v 0 0 1e999\n", 1, "the z coordinate is 1e999, which is too large"},
        {"v 0 0\n", 1, "the z coordinate is missing"},
        {"v 0,5 0 0\n", 1, "the x coordinate is 0,5"},
        {"vt x 0\n", 1, "the texture coordinate u is x"},
        {"v 0 0 0\nf 1 2 3\n", 2,
         "this face uses vertex 2, but the file has only 1 (counted from 1)"},
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\n\nf 1/1 2/1 3/1\n", 5, "this face uses texture coordinate 1"},
        {"v 0 0 0\nf 0 1 1\n", 2, "the face corner 0 cannot be read"},
        {"v 0 0 0\nf 1 1 -2\n", 2,
         "the face corner -2 counts back beyond the first vertex; 1 came before it"},
        {"v 0 0 0\nvt 0 0\nf 1/1 1/-3 1/1\n", 3,
         "the face corner 1/-3 counts back beyond the first texture coordinate; 1 came"},
        {"v 0 0 0\nv 0 -2e9 0\n", 2, "the y coordinate is -2e+09 m; sizes up to 1e+09 m"},
        {"v 0 0 0\nf 1 a 1\n", 2, "the face corner a cannot be read"},
        {"v 0 0 0\nf 1 1/ 1/x\n", 2, "the face corner 1/x cannot be read"},
        {"v 0 0 0\nf 1 1/1/1/1 1\n", 2, "the face corner 1/1/1/1 cannot be read"},
        {"v 0 0 0\nf 1 99999999999 1\n", 2, "the face corner 99999999999 cannot be read"},
        {"v 0 0 0\nf 1 1\n", 2, "this face has 2 corners; at least 3 are needed"},
        {"v 0 0 0\nf\n", 2, "this face has 0 corners"},
    };
    for (size_t i = 0; i < sizeof bads / sizeof bads[0]; i++) {
        IoFindings findings = {0};
        ToileObj *obj = parse(bads[i].text, strlen(bads[i].text), true, &findings);
        ck_assert_msg(obj == NULL, "%s was accepted", bads[i].text);
        const IoFinding *finding = io_findings_find(&findings, bads[i].line, 0, bads[i].part);
        ck_assert_msg(finding != NULL, "%s: %d: %s", bads[i].text, findings.items[0].line,
                      findings.items[0].message);
        ck_assert_int_eq(finding->status, TOILE_STATUS_INVALID_DATA);
        ck_assert_str_eq(finding->file, "a.obj");
    }
}
END_TEST

START_TEST(obj_reports_several_mistakes_but_not_thousands) {
    TlIoText text = {0};
    IoFindings findings = {0};
    for (int32_t i = 0; i < 1000; i++)
        tl_io_text_add_string(&text, "v 0 x 0\n");
    ck_assert_ptr_null(parse(text.data, text.length, true, &findings));
    ck_assert_int_eq(findings.count, 20);
    tl_io_text_free(&text);
}
END_TEST

START_TEST(obj_survives_any_cut) {
    for (size_t length = 0; length < sizeof sheet; length++) {
        IoFindings findings = {0};
        toile_obj_free(parse(sheet, length, true, &findings));
    }
}
END_TEST

START_TEST(obj_survives_random_changes) {
    static const char letters[] = "vftgo/-0123456789.e\\\n\r #\xFF";
    uint64_t state = io_random_seed("obj_survives_random_changes");
    for (int32_t round = 0; round < 5000; round++) {
        char text[sizeof sheet];
        IoFindings findings = {0};
        memcpy(text, sheet, sizeof sheet);
        for (int32_t k = 0; k < 4; k++)
            text[io_random(&state) % (sizeof sheet - 1)] =
                letters[io_random(&state) % (sizeof letters - 1)];
        toile_obj_free(parse(text, sizeof sheet - 1, true, &findings));
    }
}
END_TEST

START_TEST(obj_read_names_a_missing_file) {
    ToileObj *obj = NULL;
    ToileError error = toile_error_default();
    char path[2 * IO_PATH_SIZE];
    char expected[3 * IO_PATH_SIZE];
    snprintf(path, sizeof path, "%s/none.obj", folder);
    ck_assert_int_eq(toile_obj_read(path, 1, true, &obj, &error), TOILE_STATUS_NOT_FOUND);
    ck_assert_ptr_null(obj);
    snprintf(expected, sizeof expected, "%s: there is no such file", path);
    ck_assert_str_eq(error.message, expected);
    ck_assert_int_eq(toile_obj_read(folder, 1, true, &obj, &error), TOILE_STATUS_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(error.message, "this is a folder"));
}
END_TEST

START_TEST(obj_read_puts_file_and_line_into_the_error) {
    char path[IO_PATH_SIZE];
    char expected[2 * IO_PATH_SIZE];
    ToileObj *obj = NULL;
    ToileError error = toile_error_default();
    io_file_write_text(folder, "bad.obj", "v 0 0 0\nv 0 nan 0\n", path);
    ck_assert_int_eq(toile_obj_read(path, 1, true, &obj, &error), TOILE_STATUS_INVALID_DATA);
    snprintf(expected, sizeof expected,
             "%s:2: the y coordinate is nan, which is not a finite number; clean the mesh and "
             "export it again",
             path);
    ck_assert_str_eq(error.message, expected);
}
END_TEST

START_TEST(obj_read_refuses_wrong_arguments) {
    ToileObj *obj = NULL;
    ck_assert_int_eq(toile_obj_read(NULL, 1, true, &obj, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_obj_read("a.obj", 0, true, &obj, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_obj_read("a.obj", (double)NAN, true, &obj, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_obj_read("a.obj", 1, true, NULL, NULL), TOILE_STATUS_INVALID_ARGUMENT);
    toile_obj_free(NULL);
}
END_TEST

/* ---- writing ---- */

START_TEST(obj_written_file_reads_back) {
    char path[IO_PATH_SIZE];
    char copy[2 * IO_PATH_SIZE];
    ToileObj *obj = NULL;
    ToileObj *back = NULL;
    ToileError error = toile_error_default();
    io_file_write_text(folder, "in.obj", sheet, path);
    ck_assert_int_eq(toile_obj_read(path, 0.01, true, &obj, &error), TOILE_STATUS_OK);
    ck_assert_double_eq(obj->mesh.positions_m[3], 0.01);
    snprintf(copy, sizeof copy, "%s/out.obj", folder);
    ck_assert_int_eq(toile_obj_write(copy, &obj->mesh, NULL, 0.01, &error), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_obj_read(copy, 0.01, true, &back, &error), TOILE_STATUS_OK);
    ck_assert_int_eq(back->mesh.vertex_count, obj->mesh.vertex_count);
    ck_assert_mem_eq(back->mesh.positions_m, obj->mesh.positions_m, 15 * sizeof(double));
    ck_assert_mem_eq(back->mesh.corners, obj->mesh.corners, 7 * sizeof(int32_t));
    ck_assert_mem_eq(back->mesh.corner_uvs, obj->mesh.corner_uvs, 7 * sizeof(int32_t));
    ck_assert_mem_eq(back->mesh.uvs, obj->mesh.uvs, 8 * sizeof(double));
    /* nothing but the two files: the temporary one is gone */
    ck_assert_int_eq(io_folder_count(folder), 2);
    toile_obj_free(obj);
    toile_obj_free(back);
}
END_TEST

START_TEST(obj_writes_nine_digits_in_any_locale) {
    static const double positions[9] = {1.0 / 3, -2e-7 / 3, 1e10 / 3, 0, 1, 0, 1, 0, 0};
    static const int32_t sizes[1] = {3};
    static const int32_t corners[3] = {0, 1, 2};
    char path[2 * IO_PATH_SIZE];
    char *text = NULL;
    size_t size = 0;
    ToileMeshDef mesh = toile_mesh_def_default();
    mesh.vertex_count = 3;
    mesh.face_count = 1;
    mesh.corner_count = 3;
    mesh.positions_m = positions;
    mesh.face_sizes = sizes;
    mesh.corners = corners;
    setlocale(LC_ALL, "de_DE.UTF-8");
    snprintf(path, sizeof path, "%s/out.obj", folder);
    ck_assert_int_eq(toile_obj_write(path, &mesh, NULL, 1, NULL), TOILE_STATUS_OK);
    setlocale(LC_ALL, "C");
    ck_assert_int_eq(tl_io_read_file(path, 10000, &text, &size, NULL), TOILE_STATUS_OK);
    ck_assert_ptr_nonnull(strstr(text, "\nv 0.333333333 -6.66666667e-08 3.33333333e+09\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nf 1 2 3\n"));
    free(text);
}
END_TEST

START_TEST(obj_write_refuses_what_is_not_finite_and_leaves_nothing) {
    double positions[3] = {0, (double)NAN, 0};
    char path[2 * IO_PATH_SIZE];
    ToileError error = toile_error_default();
    ToileMeshDef mesh = toile_mesh_def_default();
    mesh.vertex_count = 1;
    mesh.positions_m = positions;
    snprintf(path, sizeof path, "%s/out.obj", folder);
    ck_assert_int_eq(toile_obj_write(path, &mesh, NULL, 1, &error), TOILE_STATUS_INVALID_DATA);
    ck_assert_ptr_nonnull(strstr(error.message, "vertex 0 has a coordinate that is not finite"));
    ck_assert_int_eq(io_folder_count(folder), 0);
    snprintf(path, sizeof path, "%s/no/such/folder/out.obj", folder);
    positions[1] = 0;
    ck_assert_int_eq(toile_obj_write(path, &mesh, NULL, 1, &error), TOILE_STATUS_CANNOT_CREATE);
    ck_assert_ptr_nonnull(strstr(error.message, "cannot be created"));
}
END_TEST

/* ---- files ---- */

START_TEST(file_is_replaced_only_when_whole) {
    char path[IO_PATH_SIZE];
    char *text = NULL;
    size_t size = 0;
    TlIoWriter *writer = NULL;
    io_file_write_text(folder, "a.txt", "old", path);
    ck_assert_int_eq(tl_io_writer_open(path, &writer, NULL), TOILE_STATUS_OK);
    tl_io_writer_add(writer, "new", 3);
    ck_assert_int_eq(tl_io_read_file(path, 100, &text, &size, NULL), TOILE_STATUS_OK);
    ck_assert_str_eq(text, "old");
    free(text);
    tl_io_writer_abandon(writer);
    ck_assert_int_eq(io_folder_count(folder), 1);
    ck_assert_int_eq(tl_io_replace_file(path, "newer", 5, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(tl_io_read_file(path, 100, &text, &size, NULL), TOILE_STATUS_OK);
    ck_assert_str_eq(text, "newer");
    ck_assert_uint_eq(size, 5);
    free(text);
    ck_assert_int_eq(io_folder_count(folder), 1);
}
END_TEST

START_TEST(file_larger_than_allowed_is_refused) {
    char path[IO_PATH_SIZE];
    char *text = NULL;
    size_t size = 0;
    ToileError error = toile_error_default();
    io_file_write_text(folder, "a.txt", "12345", path);
    ck_assert_int_eq(tl_io_read_file(path, 4, &text, &size, &error), TOILE_STATUS_INVALID_DATA);
    ck_assert_ptr_nonnull(strstr(error.message, "larger than the 4 bytes"));
    ck_assert_ptr_null(text);
}
END_TEST

START_TEST(path_stands_beside_another_file) {
    static const char *const cases[][3] = {
        {"scenes/a.json", "b.obj", "scenes/b.obj"},
        {"a.json", "b.obj", "b.obj"},
        {"/x/y/a.json", "../b.obj", "/x/y/../b.obj"},
        {"/x/a.json", "/b.obj", "/b.obj"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *path = tl_io_path_beside(cases[i][0], cases[i][1]);
        ck_assert_str_eq(path, cases[i][2]);
        free(path);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("obj");
    TCase *tcase = tcase_create("obj");
    tcase_add_checked_fixture(tcase, make_folder, remove_folder);
    tcase_add_test(tcase, obj_reads_vertices_faces_uvs_and_lines);
    tcase_add_test(tcase, obj_lists_the_vertices_of_groups);
    tcase_add_test(tcase, obj_keeps_faces_of_any_size);
    tcase_add_test(tcase, obj_drops_uvs_that_are_not_everywhere);
    tcase_add_test(tcase, obj_faces_may_come_before_their_vertices);
    tcase_add_test(tcase, obj_needs_no_face_for_a_pose);
    tcase_add_test(tcase, obj_refuses_with_line_and_reason);
    tcase_add_test(tcase, obj_reports_several_mistakes_but_not_thousands);
    tcase_add_test(tcase, obj_survives_any_cut);
    tcase_add_test(tcase, obj_survives_random_changes);
    tcase_add_test(tcase, obj_read_names_a_missing_file);
    tcase_add_test(tcase, obj_read_puts_file_and_line_into_the_error);
    tcase_add_test(tcase, obj_read_refuses_wrong_arguments);
    tcase_add_test(tcase, obj_written_file_reads_back);
    tcase_add_test(tcase, obj_writes_nine_digits_in_any_locale);
    tcase_add_test(tcase, obj_write_refuses_what_is_not_finite_and_leaves_nothing);
    tcase_add_test(tcase, file_is_replaced_only_when_whole);
    tcase_add_test(tcase, file_larger_than_allowed_is_refused);
    tcase_add_test(tcase, path_stands_beside_another_file);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
