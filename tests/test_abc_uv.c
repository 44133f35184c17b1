/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The uv sets of a mesh, and normals, which are found at a corner the same way. */
#include "support/abc_cloth.h"
#include "support/run_suite.h"

#include <math.h>
#include <stdlib.h>

START_TEST(shared_cube_has_two_uv_sets_by_name) {
    const char *name = abc_shared_file("indexed_fvar_uvs");
    uint32_t count = 0, i = 9, values = 0, uv_index[24];
    float uv[8];
    abcc_uv_set set = abcc_uv_set_default();
    if (!name)
        return;
    abcc_reader *reader = abc_open(name, 0);
    abcc_obj cube = abc_find(reader, "/cubeSeams");
    OK(abcc_uv_count(reader, cube, &count, &abc_error));
    ck_assert_uint_eq(count, 2);
    OK(abcc_uv_find(reader, cube, "map2", &i, &abc_error));
    ck_assert_uint_eq(i, 1);
    OK(abcc_uv_get(reader, cube, 0, &set, &abc_error));
    ck_assert(set.main && set.indexed && set.scope == ABCC_FACEVARYING);
    OK(abcc_uv_get(reader, cube, 1, &set, &abc_error));
    ck_assert(!set.main && set.indexed && set.scope == ABCC_FACEVARYING && set.samples == 3);
    ck_assert_str_eq(set.name, "map2");
    OK(abcc_uv_size(reader, cube, 1, 0, &values, &abc_error));
    ck_assert_uint_eq(values, 4);
    OK(abcc_uv_read(reader, cube, 1, 0, uv, 4, uv_index, 24, &abc_error));
    for (int c = 0; c < 24; c++)
        ck_assert_uint_lt(uv_index[c], 4);
    REFUSED(ABCC_E_ARG, "uvs", abcc_uv_read(reader, cube, 1, 0, uv, 3, NULL, 0, &abc_error));
    REFUSED(ABCC_E_ARG, "'map2'", abcc_uv_find(reader, cube, "map3", &i, &abc_error));
    REFUSED(ABCC_E_ARG, "2 uv sets", abcc_uv_get(reader, cube, 2, &set, &abc_error));
    abcc_close(reader);
}
END_TEST

START_TEST(main_uv_set_is_the_one_the_mesh_is_read_with) {
    AbcGrid grid = abc_grid_make(), found;
    uint32_t uv_index[CORNERS];
    float uv[2 * (VERTS + 1)];
    abc_write_cloth(abc_path, 0);
    abcc_reader *reader = abc_open(abc_path, 0);
    abcc_obj mesh = abc_find(reader, "/cloth/clothShape");
    abcc_mesh_out out = abc_grid_room(&found);
    OK(abcc_mesh_read(reader, mesh, 2, &out, &abc_error));
    OK(abcc_uv_read(reader, mesh, 0, 2, uv, VERTS + 1, uv_index, CORNERS, &abc_error));
    ck_assert_mem_eq(uv_index, found.uv_index, sizeof uv_index);
    ck_assert_mem_eq(uv_index, grid.uv_index, sizeof uv_index);
    ck_assert_mem_eq(uv, grid.uv, sizeof uv);
    abcc_close(reader);
}
END_TEST

/* Normals of the file point outwards, and so away from the middle of the cube. */
START_TEST(shared_normals_follow_their_corners) {
    const char *name = abc_shared_file("indexed_fvar_uvs");
    abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
    abcc_mesh_out out = abcc_mesh_out_default();
    float P[24], normal[72];
    int32_t index[24];
    if (!name)
        return;
    abcc_reader *reader = abc_open(name, 0);
    abcc_obj cube = abc_find(reader, "/cubeSeams");
    OK(abcc_mesh_size(reader, cube, 0, &sizes, &abc_error));
    ck_assert(sizes.normals == 24 && sizes.normal_scope == ABCC_FACEVARYING);
    out.cap_verts = 8;
    out.cap_corners = 24;
    out.P = P;
    out.index = index;
    out.normal = normal;
    OK(abcc_mesh_read(reader, cube, 0, &out, &abc_error));
    float middle[3] = {0, 0, 0};
    for (int i = 0; i < 24; i++)
        middle[i % 3] += P[i] / 8;
    for (int c = 0; c < 24; c++) {
        float outwards = 0;
        for (int k = 0; k < 3; k++)
            outwards += normal[3 * c + k] * (P[3 * index[c] + k] - middle[k]);
        ck_assert(outwards > 0.1f);
    }
    abcc_close(reader);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("abc_uv");
    TCase *tests = abc_case(suite, "uv sets and normals");
    tcase_add_test(tests, shared_cube_has_two_uv_sets_by_name);
    tcase_add_test(tests, main_uv_set_is_the_one_the_mesh_is_read_with);
    tcase_add_test(tests, shared_normals_follow_their_corners);
    return run_suite(suite);
}
