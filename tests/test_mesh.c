/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Every defect of a mesh is found and named by face and vertex; sound meshes pass. */
#include "mesh/mesh.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

typedef struct Found {
    ToileStatus status;
    ToileMeshIssue issues[MOST];
    int32_t count;
    ToileError error;
} Found;

static Found check_def(const ToileMeshDef *def, bool uv_is_pattern) {
    Found found;
    memset(&found, 0, sizeof found);
    found.error = toile_error_default();
    found.status =
        toile_mesh_check(def, uv_is_pattern, found.issues, MOST, &found.count, &found.error);
    return found;
}

static Found check(const TestMesh *mesh, bool uv_is_pattern) {
    ToileMeshDef def = test_mesh_def(mesh);
    return check_def(&def, uv_is_pattern);
}

/* Exactly one issue, of this kind, at this place, with the right status and a sentence. */
static void expect_one(const Found *found, ToileMeshIssueKind kind, bool is_error, int32_t face,
                       int32_t vertex) {
    ck_assert_int_eq(found->count, 1);
    ck_assert_int_eq(found->issues[0].kind, (int)kind);
    ck_assert_int_eq(found->issues[0].is_error, is_error);
    ck_assert_int_eq(found->issues[0].face, face);
    ck_assert_int_eq(found->issues[0].vertex, vertex);
    ck_assert_int_gt((int)strlen(found->issues[0].message), 20);
    ck_assert_int_eq(found->status, is_error ? TOILE_STATUS_INVALID_DATA : TOILE_STATUS_OK);
    if (is_error) {
        ck_assert_int_eq(found->error.status, TOILE_STATUS_INVALID_DATA);
        ck_assert_str_eq(found->error.message, found->issues[0].message);
        ck_assert_int_eq(found->error.face, face);
        ck_assert_int_eq(found->error.vertex, vertex);
    }
}

START_TEST(mesh_sound_ones_have_no_issue) {
    TestRandom random = test_random(51);
    for (int loop = 0; loop < 50; loop++) {
        TestMesh mesh =
            test_jittered(1 + test_below(&random, 6), 1 + test_below(&random, 6), &random);
        Found found = check(&mesh, true);
        ck_assert_int_eq(found.count, 0);
        ASSERT_OK(found.status);
        test_mesh_free(&mesh);
    }
    TestMesh quads = test_grid(4, 4, 1, 1, TEST_DIAGONAL_NONE), tube = test_tube(5, 3, 0.1, 1);
    ck_assert_int_eq(check(&quads, true).count, 0);
    ck_assert_int_eq(check(&tube, false).count, 0);
    test_mesh_free(&quads);
    test_mesh_free(&tube);
}
END_TEST

START_TEST(mesh_ngon_is_refused) {
    static const int32_t corners[5] = {0, 1, 2, 5, 4};
    TestMesh mesh = test_grid(2, 1, 1, 1, TEST_DIAGONAL_NONE);
    int32_t sizes[2] = {4, 5}, all[9];
    ToileMeshDef def = test_mesh_def(&mesh);
    memcpy(all, mesh.corners, 4 * sizeof *all);
    memcpy(all + 4, corners, sizeof corners);
    def.face_sizes = sizes;
    def.corners = all;
    def.corner_count = 9;
    def.uv_count = 0;
    Found found = check_def(&def, false);
    expect_one(&found, TOILE_MESH_NGON, true, 1, -1);
    ck_assert_ptr_nonnull(strstr(found.issues[0].message, "5 corners"));
    /* two corners are no face either */
    sizes[1] = 2;
    def.corner_count = 6;
    found = check_def(&def, false);
    expect_one(&found, TOILE_MESH_NGON, true, 1, -1);
    /* a huge one is told once, not by each pair of its corners */
    int32_t huge = 200000, *many = test_alloc(sizeof(int32_t) * (size_t)huge);
    def.face_count = 1;
    def.face_sizes = &huge;
    def.corners = many;
    def.corner_count = huge;
    found = check_def(&def, false);
    expect_one(&found, TOILE_MESH_NGON, true, 0, -1);
    free(many);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(mesh_vertex_index_out_of_range_is_refused) {
    static const int32_t bad[3] = {9, -1, INT32_MAX};
    for (int i = 0; i < 3; i++) {
        TestMesh mesh = test_grid(2, 2, 1, 1, TEST_DIAGONAL_NONE);
        mesh.corners[4 * 2 + 1] = bad[i];
        Found found = check(&mesh, false);
        expect_one(&found, TOILE_MESH_INDEX_OUT_OF_RANGE, true, 2, bad[i]);
        test_mesh_free(&mesh);
    }
}
END_TEST

START_TEST(mesh_uv_index_out_of_range_is_refused) {
    TestMesh mesh = test_grid(2, 2, 1, 1, TEST_DIAGONAL_NONE);
    mesh.corner_uvs[4 * 3 + 2] = 9;
    Found found = check(&mesh, false);
    expect_one(&found, TOILE_MESH_INDEX_OUT_OF_RANGE, true, 3, mesh.corners[4 * 3 + 2]);
    ck_assert_ptr_nonnull(strstr(found.issues[0].message, "uv 9"));
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(mesh_repeated_corner_is_refused) {
    TestMesh mesh = test_grid(2, 2, 1, 1, TEST_DIAGONAL_NONE);
    mesh.corners[4 * 1 + 3] = mesh.corners[4 * 1 + 1];
    Found found = check(&mesh, false);
    expect_one(&found, TOILE_MESH_REPEATED_CORNER, true, 1, mesh.corners[4 * 1 + 1]);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(mesh_not_finite_position_is_refused_once_per_vertex) {
    static const double bad[3] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 3; i++) {
        TestMesh mesh = test_grid(2, 2, 1, 1, TEST_DIAGONAL_NONE);
        mesh.positions[3 * 4] = mesh.positions[3 * 4 + 2] = bad[i];
        Found found = check(&mesh, false);
        expect_one(&found, TOILE_MESH_NOT_FINITE, true, -1, 4);
        test_mesh_free(&mesh);
    }
}
END_TEST

START_TEST(mesh_not_finite_uv_is_refused) {
    TestMesh mesh = test_grid(2, 2, 1, 1, TEST_DIAGONAL_NONE);
    mesh.uvs[2 * 7 + 1] = (double)NAN;
    Found found = check(&mesh, false);
    expect_one(&found, TOILE_MESH_NOT_FINITE, true, -1, -1);
    ck_assert_ptr_nonnull(strstr(found.issues[0].message, "uv 7"));
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(mesh_face_without_area_is_refused) {
    static const double line[4][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}};
    static const int32_t faces[2][3] = {{0, 1, 3}, {0, 2, 1}};
    TestMesh mesh = test_triangles(4, line, 2, faces);
    Found found = check(&mesh, false);
    expect_one(&found, TOILE_MESH_ZERO_AREA, true, 1, 0);
    test_mesh_free(&mesh);
}
END_TEST

/* three corners of a quad in a row: one of its splits is flat, whatever the numbering, and the
 * other one is taken; with all four in a row there is none */
START_TEST(mesh_quad_with_a_straight_corner_is_a_warning) {
    for (int32_t turn = 0; turn < 4; turn++) {
        TestMesh mesh = test_grid(1, 1, 1, 1, TEST_DIAGONAL_NONE);
        int32_t first = mesh.corners[0], straight = mesh.corners[turn];
        const int32_t *c = mesh.corners;
        const double *p = mesh.positions + 3 * c[(turn + 1) % 4];
        const double *q = mesh.positions + 3 * c[(turn + 3) % 4];
        for (int i = 0; i < 3; i++) {
            mesh.positions[3 * straight + i] = 0.5 * (p[i] + q[i]);
        }
        Found found = check(&mesh, false);
        expect_one(&found, TOILE_MESH_NOT_CONVEX, false, 0, first);
        for (int32_t v = 0; v < 4; v++) {
            mesh.positions[3 * v + 1] = 0.0;
            mesh.positions[3 * v] = v;
        }
        ck_assert_int_eq(check(&mesh, false).issues[0].kind, TOILE_MESH_ZERO_AREA);
        test_mesh_free(&mesh);
    }
}
END_TEST

START_TEST(mesh_all_vertices_in_one_place_is_refused) {
    static const double point[3][3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    static const int32_t face[1][3] = {{0, 1, 2}};
    TestMesh mesh = test_triangles(3, point, 1, face);
    Found found = check(&mesh, false);
    expect_one(&found, TOILE_MESH_ZERO_AREA, true, 0, 0);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(mesh_face_without_uv_area_is_refused_for_patterns_only) {
    TestMesh mesh = test_grid(2, 1, 1, 1, TEST_DIAGONAL_SINGLE);
    /* last triangle: all uvs in one place */
    mesh.corner_uvs[9] = mesh.corner_uvs[10] = mesh.corner_uvs[11] = 3;
    ck_assert_int_eq(check(&mesh, false).count, 0);
    Found found = check(&mesh, true);
    expect_one(&found, TOILE_MESH_ZERO_UV_AREA, true, 3, mesh.corners[9]);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(mesh_non_manifold_edge_is_a_warning) {
    static const double fan[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
    static const int32_t faces[3][3] = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
    TestMesh mesh = test_triangles(5, fan, 3, faces);
    Found found = check(&mesh, false);
    expect_one(&found, TOILE_MESH_NON_MANIFOLD_EDGE, false, 2, 0);
    ck_assert_ptr_nonnull(strstr(found.issues[0].message, "0-1"));
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(mesh_flipped_neighbour_is_a_warning) {
    static const double pair[4][3] = {{0, 1, 0}, {0, -1, 0}, {0, 0, 0}, {1, 0, 0}};
    static const int32_t faces[2][3] = {{0, 2, 3}, {1, 2, 3}};
    TestMesh mesh = test_triangles(4, pair, 2, faces);
    Found found = check(&mesh, false);
    expect_one(&found, TOILE_MESH_FLIPPED_NEIGHBOUR, false, 1, 2);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(mesh_isolated_vertex_is_a_warning) {
    static const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {5, 5, 5}, {0, 1, 0}};
    static const int32_t face[1][3] = {{0, 1, 3}};
    TestMesh mesh = test_triangles(4, points, 1, face);
    Found found = check(&mesh, false);
    expect_one(&found, TOILE_MESH_ISOLATED_VERTEX, false, -1, 2);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(mesh_sliver_is_a_warning) {
    static const double points[3][3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 5e-4, 0}};
    static const int32_t face[1][3] = {{0, 1, 2}};
    TestMesh mesh = test_triangles(3, points, 1, face);
    Found found = check(&mesh, false);
    expect_one(&found, TOILE_MESH_SLIVER, false, 0, 0);
    mesh.positions[7] = 2e-3;
    ck_assert_int_eq(check(&mesh, false).count, 0);
    test_mesh_free(&mesh);
}
END_TEST

/* such a quad has no bilinear patch; it is cut in two */
START_TEST(mesh_quad_that_is_not_convex_is_a_warning) {
    TestMesh mesh = test_grid(2, 1, 2, 1, TEST_DIAGONAL_NONE);
    ck_assert_int_eq(check(&mesh, true).count, 0);
    /* the far corner of face 1 pulled into it */
    mesh.positions[3 * 5] = 1.2;
    mesh.positions[3 * 5 + 1] = 0.2;
    Found found = check(&mesh, true);
    expect_one(&found, TOILE_MESH_NOT_CONVEX, false, 1, mesh.corners[4]);
    ck_assert_ptr_nonnull(strstr(found.issues[0].message, "at rest"));
    /* almost in line with its neighbours, on either side of the least sine of 0.02 */
    mesh.positions[3 * 5] = 1.51;
    mesh.positions[3 * 5 + 1] = 0.51;
    ck_assert_int_eq(check(&mesh, true).count, 0);
    mesh.positions[3 * 5] = 1.5045;
    mesh.positions[3 * 5 + 1] = 0.5045;
    found = check(&mesh, true);
    expect_one(&found, TOILE_MESH_NOT_CONVEX, false, 1, mesh.corners[4]);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(mesh_quad_that_is_not_convex_in_uv_is_a_warning_for_patterns_only) {
    TestMesh mesh = test_grid(2, 1, 2, 1, TEST_DIAGONAL_NONE);
    mesh.uvs[2 * 3] = 0.8;
    mesh.uvs[2 * 3 + 1] = 0.3;
    ck_assert_int_eq(check(&mesh, false).count, 0);
    Found found = check(&mesh, true);
    expect_one(&found, TOILE_MESH_NOT_CONVEX, false, 0, mesh.corners[0]);
    ck_assert_ptr_nonnull(strstr(found.issues[0].message, "uv pattern"));
    /* crossed over like a bow tie, and mirrored, which is fine */
    for (int k = 0; k < 2; k++) {
        TestMesh other = test_grid(1, 1, 1, 1, TEST_DIAGONAL_NONE);
        other.corner_uvs[0] = k == 0 ? 1 : 3;
        other.corner_uvs[k == 0 ? 1 : 2] = 0;
        found = check(&other, true);
        ck_assert_int_eq(found.count, k == 0);
        test_mesh_free(&other);
    }
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(mesh_all_defects_are_counted_beyond_the_capacity) {
    TestMesh mesh = test_grid(3, 1, 1, 1, TEST_DIAGONAL_NONE);
    ToileMeshDef def = test_mesh_def(&mesh);
    ToileMeshIssue issue;
    int32_t count = 0;
    for (int32_t f = 0; f < 3; f++) {
        mesh.corners[4 * f] = 100 + f;
    }
    ck_assert_int_eq(toile_mesh_check(&def, false, &issue, 1, &count, NULL),
                     TOILE_STATUS_INVALID_DATA);
    ck_assert_int_eq(count, 3);
    ck_assert_int_eq(issue.face, 0);
    ck_assert_int_eq(toile_mesh_check(&def, false, NULL, 0, &count, NULL),
                     TOILE_STATUS_INVALID_DATA);
    ck_assert_int_eq(count, 3);
    ck_assert_int_eq(toile_mesh_check(&def, false, NULL, 0, NULL, NULL), TOILE_STATUS_INVALID_DATA);
    test_mesh_free(&mesh);
}
END_TEST

/* ---- counts ---- */

static void expect_refused(ToileMeshDef def, ToileStatus status) {
    Found found = check_def(&def, false);
    ck_assert_int_eq(found.status, (int)status);
    ck_assert_int_gt((int)strlen(found.error.message), 10);
}

START_TEST(mesh_missing_arrays_and_wrong_counts_are_refused) {
    TestMesh mesh = test_grid(2, 2, 1, 1, TEST_DIAGONAL_NONE);
    int32_t negative[4] = {4, 4, 4, -4};
    ToileMeshDef def = test_mesh_def(&mesh), d;
    d = def, d.vertex_count = 0;
    expect_refused(d, TOILE_STATUS_INVALID_DATA);
    d = def, d.vertex_count = -5;
    expect_refused(d, TOILE_STATUS_INVALID_DATA);
    d = def, d.face_count = 0;
    expect_refused(d, TOILE_STATUS_INVALID_DATA);
    d = def, d.corner_count = 15;
    expect_refused(d, TOILE_STATUS_INVALID_DATA);
    d = def, d.face_sizes = negative;
    expect_refused(d, TOILE_STATUS_INVALID_DATA);
    d = def, d.positions_m = NULL;
    expect_refused(d, TOILE_STATUS_INVALID_DATA);
    d = def, d.face_sizes = NULL;
    expect_refused(d, TOILE_STATUS_INVALID_DATA);
    d = def, d.corners = NULL;
    expect_refused(d, TOILE_STATUS_INVALID_DATA);
    d = def, d.uvs = NULL;
    expect_refused(d, TOILE_STATUS_INVALID_DATA);
    d = def, d.corner_uvs = NULL;
    expect_refused(d, TOILE_STATUS_INVALID_DATA);
    d = def, d.uv_count = -1;
    expect_refused(d, TOILE_STATUS_INVALID_DATA);
    d = def, d.struct_size = 0;
    expect_refused(d, TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_mesh_check(NULL, false, NULL, 0, NULL, NULL),
                     TOILE_STATUS_INVALID_ARGUMENT);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(mesh_copy_holds_the_same_values) {
    TestMesh mesh = test_grid(3, 2, 1, 1, TEST_DIAGONAL_NONE);
    ToileMeshDef def = test_mesh_def(&mesh);
    TlArena arena;
    TlMesh copy;
    tl_arena_init(&arena, tl_allocator_or_default(NULL));
    ck_assert(tl_mesh_copy(&arena, &def, &copy));
    ck_assert_mem_eq(copy.positions, mesh.positions,
                     3 * sizeof(double) * (size_t)mesh.vertex_count);
    ck_assert_mem_eq(copy.corners, mesh.corners, sizeof(int32_t) * (size_t)mesh.corner_count);
    ck_assert_mem_eq(copy.uvs, mesh.uvs, 2 * sizeof(double) * (size_t)mesh.uv_count);
    ck_assert_int_eq(copy.face_start[mesh.face_count], mesh.corner_count);
    def.uv_count = 0;
    ck_assert(tl_mesh_copy(&arena, &def, &copy));
    ck_assert_ptr_null(copy.uvs);
    ck_assert_ptr_null(copy.corner_uvs);
    tl_arena_free(&arena);
    test_mesh_free(&mesh);
}
END_TEST

TEST_MAIN("mesh", mesh_sound_ones_have_no_issue, mesh_ngon_is_refused,
          mesh_vertex_index_out_of_range_is_refused, mesh_uv_index_out_of_range_is_refused,
          mesh_repeated_corner_is_refused, mesh_not_finite_position_is_refused_once_per_vertex,
          mesh_not_finite_uv_is_refused, mesh_face_without_area_is_refused,
          mesh_quad_with_a_straight_corner_is_a_warning, mesh_all_vertices_in_one_place_is_refused,
          mesh_face_without_uv_area_is_refused_for_patterns_only,
          mesh_non_manifold_edge_is_a_warning, mesh_flipped_neighbour_is_a_warning,
          mesh_isolated_vertex_is_a_warning, mesh_sliver_is_a_warning,
          mesh_quad_that_is_not_convex_is_a_warning,
          mesh_quad_that_is_not_convex_in_uv_is_a_warning_for_patterns_only,
          mesh_all_defects_are_counted_beyond_the_capacity,
          mesh_missing_arrays_and_wrong_counts_are_refused, mesh_copy_holds_the_same_values)
