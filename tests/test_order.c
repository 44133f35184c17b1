/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The order of vertices: a permutation, by breadth-first search in every piece, and taken only
 * where the mesh's own is bad. */
#include "mesh/order.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

/* A mesh as the core has it, with its edges and its order. */
typedef struct Ordered {
    TlArena arena;
    TlMesh mesh;
    TlEdges edges;
    TlOrder order;
} Ordered;

static Ordered ordered(const TestMesh *mesh) {
    Ordered out;
    ToileMeshDef def = test_mesh_def(mesh);
    tl_arena_init(&out.arena, tl_allocator_or_default(NULL));
    ck_assert(tl_mesh_copy(&out.arena, &def, &out.mesh));
    ck_assert(tl_edges_build(&out.arena, out.mesh.vertex_count, out.mesh.face_count,
                             out.mesh.face_start, out.mesh.corners, &out.edges));
    ck_assert(tl_order_build(&out.arena, &out.mesh, &out.order));
    return out;
}

static TestMesh shuffled(const TestMesh *mesh, TestRandom *random) {
    int32_t *called = test_alloc(sizeof *called * (size_t)mesh->vertex_count);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        called[v] = v;
    }
    test_shuffle(random, called, mesh->vertex_count);
    TestMesh out = test_renumbered(mesh, called);
    free(called);
    return out;
}

static void expect_permutation(const Ordered *it) {
    for (int32_t i = 0; i < it->mesh.vertex_count; i++) {
        int32_t v = it->order.vertex[i];
        ck_assert(v >= 0 && v < it->mesh.vertex_count);
        ck_assert_int_eq(it->order.place[v], i);
    }
}

/* The lowest vertex of the piece of every vertex, by passing it on along edges until all agree. */
static int32_t *pieces_of(const Ordered *it) {
    int32_t *piece = test_alloc(sizeof *piece * (size_t)it->mesh.vertex_count);
    for (int32_t v = 0; v < it->mesh.vertex_count; v++) {
        piece[v] = v;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t u = 0; u < it->edges.use_count; u++) {
            int32_t a = it->edges.uses[u].lo, b = it->edges.uses[u].hi;
            int32_t low = piece[a] < piece[b] ? piece[a] : piece[b];
            changed = changed || piece[a] != low || piece[b] != low;
            piece[a] = piece[b] = low;
        }
    }
    return piece;
}

/* Pieces follow each other by their lowest vertex; within one, every vertex but the first has a
 * neighbour before it, and those of its first neighbour never go back. */
static void expect_search(const Ordered *it) {
    int32_t n = it->mesh.vertex_count, last = -1;
    int32_t *piece = pieces_of(it), *first = test_alloc(sizeof *first * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        first[i] = i;
    }
    for (int32_t u = 0; u < it->edges.use_count; u++) {
        int32_t a = it->order.place[it->edges.uses[u].lo],
                b = it->order.place[it->edges.uses[u].hi];
        int32_t low = a < b ? a : b, high = a < b ? b : a;
        first[high] = low < first[high] ? low : first[high];
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t own = piece[it->order.vertex[i]];
        bool starts = i == 0 || own != piece[it->order.vertex[i - 1]];
        if (starts) {
            ck_assert_int_gt(own, last);
            last = own;
        }
        ck_assert(starts == (first[i] == i));
        ck_assert(starts || first[i] >= first[i - 1] || first[i - 1] == i - 1);
    }
    free(piece);
    free(first);
}

static void expect_order(const TestMesh *mesh) {
    Ordered a = ordered(mesh), b = ordered(mesh);
    expect_permutation(&a);
    expect_search(&a);
    ck_assert_mem_eq(a.order.vertex, b.order.vertex,
                     sizeof *a.order.vertex * (size_t)mesh->vertex_count);
    tl_arena_free(&a.arena);
    tl_arena_free(&b.arena);
}

START_TEST(order_is_a_breadth_first_search) {
    TestRandom random = test_random(71);
    for (int loop = 0; loop < 20; loop++) {
        int32_t nx = 1 + test_below(&random, 8), ny = 1 + test_below(&random, 8);
        TestMesh meshes[2] = {test_jittered(nx, ny, &random), test_mixed(nx, ny, &random)};
        for (int i = 0; i < 2; i++) {
            TestMesh other = shuffled(&meshes[i], &random);
            expect_order(&meshes[i]);
            expect_order(&other);
            test_mesh_free(&meshes[i]);
            test_mesh_free(&other);
        }
    }
    TestMesh tube = test_tube(7, 9, 0.1, 1);
    expect_order(&tube);
    test_mesh_free(&tube);
}
END_TEST

START_TEST(order_of_meshes_in_pieces) {
    static const double positions[3 * 12] = {0};
    static const int32_t sizes[4] = {3, 4, 3, 3};
    /* vertices 0, 5 and 11 stand alone; the last two faces and the first share an edge */
    static const int32_t corners[13] = {6, 2, 9, 1, 3, 10, 7, 6, 2, 4, 2, 6, 8};
    TestMesh mesh = test_polygons(12, positions, 4, sizes, corners);
    expect_order(&mesh);
    Ordered it = ordered(&mesh);
    ck_assert_int_eq(it.order.place[0], 0);
    ck_assert_int_eq(it.order.place[5], 10);
    ck_assert_int_eq(it.order.place[11], 11);
    tl_arena_free(&it.arena);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(order_of_next_to_nothing) {
    static const double positions[9] = {0};
    static const int32_t size[1] = {3}, corners[3] = {2, 0, 1};
    for (int32_t n = 0; n <= 3; n++) {
        TestMesh mesh = test_polygons(n, positions, n == 3, size, corners);
        Ordered it = ordered(&mesh);
        expect_permutation(&it);
        tl_arena_free(&it.arena);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* a long strip is numbered from one end to the other, wherever its first vertex is */
START_TEST(order_starts_at_an_end) {
    TestRandom random = test_random(72);
    TestMesh strip = test_grid(200, 1, 200, 1, TEST_DIAGONAL_NONE);
    for (int loop = 0; loop < 10; loop++) {
        TestMesh mesh = shuffled(&strip, &random);
        Ordered it = ordered(&mesh);
        for (int32_t i = 0; i < mesh.vertex_count; i++) {
            double x = mesh.positions[3 * it.order.vertex[i]];
            double from_end = mesh.positions[3 * it.order.vertex[0]] > 100.0 ? 200.0 - x : x;
            /* two vertices a column, one column ahead at most */
            ASSERT_NEAR(from_end, 0.5 * i, 1.0);
        }
        tl_arena_free(&it.arena);
        test_mesh_free(&mesh);
    }
    test_mesh_free(&strip);
}
END_TEST

static bool is_kept(const TestMesh *mesh) {
    Ordered it = ordered(mesh);
    TlOrder order;
    ck_assert(tl_order_choose(&it.arena, &it.mesh, &order));
    bool kept = order.vertex == NULL;
    ck_assert(kept == (order.place == NULL));
    ck_assert(kept || memcmp(order.vertex, it.order.vertex,
                             sizeof *order.vertex * (size_t)mesh->vertex_count) == 0);
    tl_arena_free(&it.arena);
    return kept;
}

START_TEST(order_of_a_good_mesh_is_kept) {
    TestRandom random = test_random(73);
    TestMesh meshes[] = {test_grid(50, 50, 1, 1, TEST_DIAGONAL_NONE),
                         test_grid(20, 200, 1, 10, TEST_DIAGONAL_SINGLE),
                         test_grid(40, 60, 1, 1, TEST_DIAGONAL_HERRINGBONE),
                         test_mixed(60, 40, &random), test_tube(40, 60, 0.1, 1)};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        ck_assert_msg(is_kept(&meshes[i]), "mesh %zu", i);
        TestMesh other = shuffled(&meshes[i], &random);
        ck_assert_msg(!is_kept(&other), "mesh %zu", i);
        test_mesh_free(&other);
        test_mesh_free(&meshes[i]);
    }
}
END_TEST

START_TEST(order_of_a_small_mesh_is_kept) {
    TestRandom random = test_random(74);
    for (int32_t columns = 63; columns <= 64; columns++) {
        TestMesh mesh = test_grid(columns - 1, 31, 1, 1, TEST_DIAGONAL_NONE);
        TestMesh other = shuffled(&mesh, &random);
        ck_assert(is_kept(&other) == (other.vertex_count < 2048));
        test_mesh_free(&mesh);
        test_mesh_free(&other);
    }
}
END_TEST

/* ten times as far apart as they need be, though in rows */
START_TEST(order_of_long_rows_is_not_kept) {
    TestMesh mesh = test_grid(200, 20, 10, 1, TEST_DIAGONAL_SINGLE);
    ck_assert(!is_kept(&mesh));
    test_mesh_free(&mesh);
}
END_TEST

/* good vertices do not help when faces come at random */
START_TEST(order_needs_faces_that_follow) {
    TestRandom random = test_random(75);
    TestMesh mesh = test_grid(50, 50, 1, 1, TEST_DIAGONAL_NONE);
    int32_t *from = test_alloc(sizeof *from * (size_t)mesh.face_count);
    int32_t *corners = test_alloc(sizeof *corners * (size_t)mesh.corner_count);
    for (int32_t f = 0; f < mesh.face_count; f++) {
        from[f] = f;
    }
    test_shuffle(&random, from, mesh.face_count);
    memcpy(corners, mesh.corners, sizeof *corners * (size_t)mesh.corner_count);
    for (int32_t f = 0; f < mesh.face_count; f++) {
        memcpy(mesh.corners + 4 * f, corners + 4 * from[f], 4 * sizeof *corners);
    }
    ck_assert(!is_kept(&mesh));
    free(from);
    free(corners);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(order_brings_neighbours_together) {
    TestRandom random = test_random(76);
    const TlOrder own = {NULL, NULL};
    TestMesh mesh = test_grid(60, 60, 1, 1, TEST_DIAGONAL_NONE), other = shuffled(&mesh, &random);
    Ordered good = ordered(&mesh), bad = ordered(&other);
    int64_t best = tl_order_spread(&own, &good.edges);
    /* rows of a grid: 60 + 1 across, 1 along, one half each */
    ck_assert_int_eq(best, 60 * 61 * (61 + 1));
    ck_assert_int_gt(tl_order_spread(&own, &bad.edges), 20 * best);
    /* levels are diagonals, 4/3 as far apart as rows, and two vertices side by side never are */
    ck_assert_int_lt(tl_order_spread(&bad.order, &bad.edges), 3 * best / 2);
    tl_arena_free(&good.arena);
    tl_arena_free(&bad.arena);
    test_mesh_free(&mesh);
    test_mesh_free(&other);
}
END_TEST

TEST_MAIN("order", order_is_a_breadth_first_search, order_of_meshes_in_pieces,
          order_of_next_to_nothing, order_starts_at_an_end, order_of_a_good_mesh_is_kept,
          order_of_a_small_mesh_is_kept, order_of_long_rows_is_not_kept,
          order_needs_faces_that_follow, order_brings_neighbours_together)
