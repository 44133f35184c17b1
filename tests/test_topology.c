/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Edges: each use once, sorted, with its face, corner and direction. */
#include "mesh/topology.h"
#include "support/builders.h"

#include <stdlib.h>

static TlEdges edges_of(TlArena *arena, const TestMesh *mesh) {
    int32_t *start = TL_NEW(arena, int32_t, mesh->face_count + 1);
    TlEdges edges;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        start[f + 1] = start[f] + mesh->face_sizes[f];
    }
    ck_assert(
        tl_edges_build(arena, mesh->vertex_count, mesh->face_count, start, mesh->corners, &edges));
    return edges;
}

/* The edge that starts at corner c, found by looking it up in the mesh. */
static void expect_use(const TestMesh *mesh, const TlEdgeUse *use) {
    int32_t begin = 0;
    for (int32_t f = 0; f < use->face; f++) {
        begin += mesh->face_sizes[f];
    }
    int32_t size = mesh->face_sizes[use->face], k = use->corner - begin;
    ck_assert(k >= 0 && k < size);
    int32_t a = mesh->corners[begin + k], b = mesh->corners[begin + (k + 1) % size];
    ck_assert_int_eq(use->lo, a < b ? a : b);
    ck_assert_int_eq(use->hi, a < b ? b : a);
    ck_assert_int_eq(use->forward, a < b);
}

START_TEST(topology_every_use_is_listed_once_in_order) {
    TestRandom random = test_random(61);
    for (int loop = 0; loop < 20; loop++) {
        TestMesh mesh =
            test_jittered(1 + test_below(&random, 5), 1 + test_below(&random, 5), &random);
        TlArena arena;
        tl_arena_init(&arena, tl_allocator_or_default(NULL));
        TlEdges edges = edges_of(&arena, &mesh);
        bool *seen = test_alloc((size_t)mesh.corner_count);
        ck_assert_int_eq(edges.use_count, mesh.corner_count);
        for (int32_t u = 0; u < edges.use_count; u++) {
            const TlEdgeUse *use = &edges.uses[u], *last = use - 1;
            expect_use(&mesh, use);
            ck_assert(!seen[use->corner]);
            seen[use->corner] = true;
            ck_assert(u == 0 || last->lo < use->lo || (last->lo == use->lo && last->hi < use->hi) ||
                      (last->lo == use->lo && last->hi == use->hi && last->face < use->face));
        }
        free(seen);
        tl_arena_free(&arena);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* Euler's formula of a disc: V - E + F = 1; inner edges have two uses. */
START_TEST(topology_counts_of_a_patch_are_those_of_a_disc) {
    TestMesh mesh = test_grid(5, 3, 1, 1, TEST_DIAGONAL_NONE);
    TlArena arena;
    tl_arena_init(&arena, tl_allocator_or_default(NULL));
    TlEdges edges = edges_of(&arena, &mesh);
    int32_t count = 0, borders = 0;
    for (int32_t u = 0; u < edges.use_count; count++) {
        int32_t next = tl_edges_next(&edges, u);
        ck_assert(next - u == 1 || next - u == 2);
        borders += next - u == 1;
        u = next;
    }
    ck_assert_int_eq(mesh.vertex_count - count + mesh.face_count, 1);
    ck_assert_int_eq(borders, 2 * (5 + 3));
    tl_arena_free(&arena);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(topology_closed_tube_has_borders_at_its_ends_only) {
    TestMesh mesh = test_tube(5, 3, 0.1, 1);
    TlArena arena;
    tl_arena_init(&arena, tl_allocator_or_default(NULL));
    TlEdges edges = edges_of(&arena, &mesh);
    int32_t borders = 0;
    for (int32_t u = 0; u < edges.use_count;) {
        int32_t next = tl_edges_next(&edges, u);
        if (next - u == 2) {
            /* neighbours that agree run along their edge in opposite directions */
            ck_assert_int_ne(edges.uses[u].forward, edges.uses[u + 1].forward);
        }
        borders += next - u == 1;
        u = next;
    }
    ck_assert_int_eq(borders, 2 * 5);
    tl_arena_free(&arena);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(topology_non_manifold_edge_is_one_run) {
    static const double fan[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
    static const int32_t faces[3][3] = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
    TestMesh mesh = test_triangles(5, fan, 3, faces);
    TlArena arena;
    tl_arena_init(&arena, tl_allocator_or_default(NULL));
    TlEdges edges = edges_of(&arena, &mesh);
    ck_assert_int_eq(tl_edges_next(&edges, 0), 3);
    for (int32_t u = 0; u < 3; u++) {
        ck_assert_int_eq(edges.uses[u].face, u);
    }
    tl_arena_free(&arena);
    test_mesh_free(&mesh);
}
END_TEST

TEST_MAIN("topology", topology_every_use_is_listed_once_in_order,
          topology_counts_of_a_patch_are_those_of_a_disc,
          topology_closed_tube_has_borders_at_its_ends_only, topology_non_manifold_edge_is_one_run)
