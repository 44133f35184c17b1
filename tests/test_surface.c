/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Triangles of faces, and edges, sides and owners of triangles, against brute force. */
#include "contact/surface.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_REQUESTS = 100 };

/* A surface of these triangles, of which the first `cloth` with the first `cloth_vertices` are of
 * cloths. */
static bool build(TlArena *arena, TlCounts vertices, TlCounts triangles, const int32_t *corners,
                  TlSurface *out) {
    if (!tl_surface_alloc(arena, vertices, triangles, out)) {
        return false;
    }
    memcpy(out->triangle, corners, 3 * sizeof *corners * (size_t)triangles.count);
    return tl_surface_connect(arena, out);
}

static TlArena new_arena(void) {
    TlArena arena;
    tl_arena_init(&arena, tl_allocator_or_default(NULL));
    return arena;
}

/* The edge between two vertices, looked for among all; -1: none. */
static int32_t edge_between(const TlSurface *s, int32_t a, int32_t b) {
    for (int32_t e = 0; e < s->edges.count; e++) {
        int32_t lo = s->edge[2 * e], hi = s->edge[2 * e + 1];
        if ((lo == a && hi == b) || (lo == b && hi == a)) {
            return e;
        }
    }
    return -1;
}

static bool has_both(const int32_t *corners, int32_t a, int32_t b) {
    bool has_a = false, has_b = false;
    for (int k = 0; k < 3; k++) {
        has_a = has_a || corners[k] == a;
        has_b = has_b || corners[k] == b;
    }
    return has_a && has_b;
}

/* Sorted, the lower vertex first, each once, those of cloths first, and of its first triangle. */
static void expect_edges(const TlSurface *s) {
    for (int32_t e = 0; e < s->edges.count; e++) {
        int32_t lo = s->edge[2 * e], hi = s->edge[2 * e + 1], owner = 0;
        ck_assert_int_lt(lo, hi);
        ck_assert(e == 0 || s->edge[2 * e - 2] < lo ||
                  (s->edge[2 * e - 2] == lo && s->edge[2 * e - 1] < hi));
        ck_assert(hi < s->vertices.cloth || lo >= s->vertices.cloth);
        ck_assert((e < s->edges.cloth) == (lo < s->vertices.cloth));
        while (owner < s->triangles.count && !has_both(s->triangle + 3 * owner, lo, hi)) {
            owner++;
        }
        ck_assert_int_eq(s->edge_owner[e], owner);
    }
}

static void expect_sides(const TlSurface *s) {
    for (int32_t t = 0; t < s->triangles.count; t++) {
        for (int k = 0; k < 3; k++) {
            int32_t a = s->triangle[3 * t + (k + 1) % 3], b = s->triangle[3 * t + (k + 2) % 3];
            ck_assert_int_eq(s->side[3 * t + k], edge_between(s, a, b));
            ck_assert((a == b) == (s->side[3 * t + k] == -1));
        }
    }
}

static void expect_owners(const TlSurface *s) {
    for (int32_t v = 0; v < s->vertices.count; v++) {
        int32_t owner = 0;
        while (owner < s->triangles.count && !has_both(s->triangle + 3 * owner, v, v)) {
            owner++;
        }
        ck_assert_int_eq(s->owner[v], owner < s->triangles.count ? owner : -1);
    }
}

static void expect_connected(const TlSurface *s) {
    expect_edges(s);
    expect_sides(s);
    expect_owners(s);
}

/* ---- triangles ---- */

/* The user's faces in their order, quads through their lowest vertex, winding kept. */
START_TEST(triangles_of_a_mixed_mesh) {
    static const double at[18] = {0};
    static const int32_t sizes[] = {4, 3, 4}, corners[] = {5, 3, 1, 2, 4, 0, 5, 0, 1, 2, 3};
    static const int32_t want[] = {1, 2, 5, 1, 5, 3, 4, 0, 5, 0, 1, 2, 0, 2, 3},
                         face[] = {0, 0, 1, 2, 2};
    ToileMeshDef mesh = toile_mesh_def_default();
    TlArena arena = new_arena();
    TlTriangles triangles;
    mesh.vertex_count = 6;
    mesh.face_count = 3;
    mesh.corner_count = 11;
    mesh.positions_m = at;
    mesh.face_sizes = sizes;
    mesh.corners = corners;
    ck_assert(tl_triangles_build(&arena, &mesh, &triangles));
    ck_assert_int_eq(triangles.count, 5);
    ck_assert_mem_eq(triangles.vertex, want, sizeof want);
    ck_assert_mem_eq(triangles.face, face, sizeof face);
    tl_arena_free(&arena);
}
END_TEST

/* ---- edges ---- */

START_TEST(surface_of_a_quad) {
    static const int32_t corners[] = {0, 1, 2, 0, 2, 3};
    static const int32_t edges[] = {0, 1, 0, 2, 0, 3, 1, 2, 2, 3}, sides[] = {3, 1, 0, 4, 2, 1};
    static const int32_t owners[] = {0, 0, 0, 1}, edge_owners[] = {0, 0, 1, 0, 1};
    TlArena arena = new_arena();
    TlSurface s;
    ck_assert(build(&arena, (TlCounts){4, 4}, (TlCounts){2, 2}, corners, &s));
    ck_assert_int_eq(s.edges.count, 5);
    ck_assert_int_eq(s.edges.cloth, 5);
    ck_assert_mem_eq(s.edge, edges, sizeof edges);
    ck_assert_mem_eq(s.side, sides, sizeof sides);
    ck_assert_mem_eq(s.owner, owners, sizeof owners);
    ck_assert_mem_eq(s.edge_owner, edge_owners, sizeof edge_owners);
    tl_arena_free(&arena);
}
END_TEST

/* Any triangles: isolated vertices, repeated corners, several triangles at an edge. */
START_TEST(surface_of_random_triangles) {
    enum { LOOPS = 200, MOST = 40 };
    TestRandom random = test_random(501);
    for (int loop = 0; loop < LOOPS; loop++) {
        int32_t corners[3 * MOST], first = 1 + test_below(&random, 12);
        TlCounts vertices = {first, first + 1 + test_below(&random, 12)};
        TlCounts triangles = {test_below(&random, MOST), MOST};
        for (int32_t k = 0; k < 3 * MOST; k++) {
            bool cloth = k / 3 < triangles.cloth;
            corners[k] = cloth ? test_below(&random, first)
                               : first + test_below(&random, vertices.count - first);
        }
        TlArena arena = new_arena();
        TlSurface s;
        ck_assert(build(&arena, vertices, triangles, corners, &s));
        expect_connected(&s);
        tl_arena_free(&arena);
    }
}
END_TEST

/* (p, q, q): one edge, which is the side opposite to both corners at q */
START_TEST(surface_of_a_capsule) {
    static const int32_t corners[] = {0, 1, 1};
    TlArena arena = new_arena();
    TlSurface s;
    ck_assert(build(&arena, (TlCounts){0, 2}, (TlCounts){0, 1}, corners, &s));
    ck_assert_int_eq(s.edges.cloth, 0);
    ck_assert_int_eq(s.edges.count, 1);
    ck_assert(s.edge[0] == 0 && s.edge[1] == 1);
    ck_assert(s.side[0] == -1 && s.side[1] == 0 && s.side[2] == 0);
    ck_assert(s.owner[0] == 0 && s.owner[1] == 0 && s.edge_owner[0] == 0);
    tl_arena_free(&arena);
}
END_TEST

START_TEST(surface_without_triangles_has_vertices_only) {
    TlArena arena = new_arena();
    TlSurface s;
    ck_assert(build(&arena, (TlCounts){0, 0}, (TlCounts){0, 0}, (const int32_t[]){0}, &s));
    ck_assert_int_eq(s.edges.count, 0);
    ck_assert(build(&arena, (TlCounts){0, 3}, (TlCounts){0, 0}, (const int32_t[]){0}, &s));
    ck_assert_int_eq(s.edges.count, 0);
    ck_assert(s.owner[0] == -1 && s.owner[1] == -1 && s.owner[2] == -1);
    tl_arena_free(&arena);
}
END_TEST

START_TEST(surface_refuses_when_memory_is_refused) {
    static const int32_t corners[] = {0, 1, 2, 0, 2, 3};
    bool done = false;
    for (int64_t k = 1; !done; k++) {
        ck_assert_int_lt(k, MOST_REQUESTS);
        TestMemory memory = {.fail_at = k};
        TlArena arena;
        TlSurface s;
        tl_arena_init(&arena, test_allocator(&memory));
        done = build(&arena, (TlCounts){4, 4}, (TlCounts){2, 2}, corners, &s);
        tl_arena_free(&arena);
        ck_assert_int_eq(memory.live_blocks, 0);
    }
}
END_TEST

TEST_MAIN("surface", triangles_of_a_mixed_mesh, surface_of_a_quad, surface_of_random_triangles,
          surface_of_a_capsule, surface_without_triangles_has_vertices_only,
          surface_refuses_when_memory_is_refused)
