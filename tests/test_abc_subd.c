/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Creases, corners and holes of subdivision cages, and face sets. */
#include "support/abc_cloth.h"
#include "support/run_suite.h"

#include <stdlib.h>

START_TEST(shared_cage_has_its_creases_as_runs_and_as_edges) {
    static const int32_t pairs[10] = {0, 1, 2, 6, 6, 7, 7, 3, 3, 2};
    const char *name = abc_shared_file("subd_creases");
    abcc_subd_sizes sizes = abcc_subd_sizes_default();
    abcc_subd_out out = abcc_subd_out_default();
    int32_t length[2], vert[7], edge[10], corner[1], hole[1];
    float sharpness[2], edge_sharpness[5], corner_sharpness[1];
    if (!name)
        return;
    abcc_reader *reader = abc_open(name, 0);
    abcc_obj cube = abc_find(reader, "/cubeSubd");
    OK(abcc_subd_size(reader, cube, 0, &sizes, &abc_error));
    ck_assert_uint_eq(sizes.creases, 2);
    ck_assert_uint_eq(sizes.crease_verts, 7);
    ck_assert_uint_eq(sizes.crease_sharps, 2);
    ck_assert_uint_eq(sizes.crease_edges, 5);
    ck_assert_uint_eq(sizes.corners, 1);
    ck_assert_uint_eq(sizes.holes, 1);
    ck_assert_str_eq(sizes.scheme, "catmull-clark");
    out.cap_creases = out.cap_crease_sharps = 2;
    out.cap_crease_verts = 7;
    out.cap_crease_edges = 5;
    out.cap_corners = out.cap_holes = 1;
    out.crease_length = length;
    out.crease_vert = vert;
    out.crease_sharpness = sharpness;
    out.edge = edge;
    out.edge_sharpness = edge_sharpness;
    out.corner_vert = corner;
    out.corner_sharpness = corner_sharpness;
    out.hole = hole;
    OK(abcc_subd_read(reader, cube, 0, &out, &abc_error));
    ck_assert(length[0] == 2 && length[1] == 5);
    ck_assert_mem_eq(edge, pairs, sizeof pairs);
    ck_assert(edge_sharpness[0] == sharpness[0]);
    for (int i = 1; i < 5; i++)
        ck_assert(edge_sharpness[i] == sharpness[1]);
    out.cap_crease_edges = 4;
    REFUSED(ABCC_E_ARG, "edges of creases", abcc_subd_read(reader, cube, 0, &out, &abc_error));
    abcc_close(reader);
}
END_TEST

START_TEST(only_a_cage_has_creases) {
    abcc_subd_sizes sizes = abcc_subd_sizes_default();
    abc_write_cloth(abc_path, 0);
    abcc_reader *reader = abc_open(abc_path, 0);
    abcc_obj mesh = abc_find(reader, "/cloth/clothShape");
    uint32_t faces = 0;
    REFUSED(ABCC_E_ARG, "not a subdivision cage",
            abcc_subd_size(reader, mesh, 0, &sizes, &abc_error));
    REFUSED(ABCC_E_ARG, "not a face set", abcc_faceset_size(reader, mesh, 0, &faces, &abc_error));
    abcc_close(reader);
}
END_TEST

START_TEST(shared_face_sets_cover_the_cube) {
    static const char *const sets[2] = {"/cubeSeams/front", "/cubeSeams/back"};
    const char *name = abc_shared_file("indexed_fvar_uvs");
    int used[6] = {0};
    if (!name)
        return;
    abcc_reader *reader = abc_open(name, 0);
    for (int i = 0; i < 2; i++) {
        abcc_obj set = abc_find(reader, sets[i]);
        uint32_t count = 0;
        int32_t face[3];
        OK(abcc_faceset_size(reader, set, 0, &count, &abc_error));
        ck_assert_uint_eq(count, 3);
        OK(abcc_faceset_read(reader, set, 0, 6, face, 3, &abc_error));
        for (int k = 0; k < 3; k++)
            used[face[k]]++;
        REFUSED(ABCC_E_ARG, "3 faces", abcc_faceset_read(reader, set, 0, 6, face, 2, &abc_error));
        REFUSED(ABCC_E_CORRUPT, sets[i], abcc_faceset_read(reader, set, 0, 1, face, 3, &abc_error));
    }
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(used[i], 1);
    abcc_close(reader);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("abc_subd");
    TCase *tests = abc_case(suite, "cages and face sets");
    tcase_add_test(tests, shared_cage_has_its_creases_as_runs_and_as_edges);
    tcase_add_test(tests, only_a_cage_has_creases);
    tcase_add_test(tests, shared_face_sets_cover_the_cube);
    return run_suite(suite);
}
