/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The broad phase: the same pairs as from comparing everything with everything, in one order for
 * any workers, and memory that grows only when there is more to hold. */
#include "contact/tree_inside.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VERTICES = 8192, MOST_TRIANGLES = 16384 };

/* Floats hold what is within metres of the cloth to this, and boxes may be so much larger, m. */
static const double slack_m = 2e-6;

/* ---- scenes ---- */

/* A surface and a sweep of its vertices. */
typedef struct Scene {
    TlSurface surface;
    double *x, *common, *low, *high;
} Scene;

static Scene new_scene(void) {
    Scene scene;
    memset(&scene, 0, sizeof scene);
    TlSurface *s = &scene.surface;
    size_t numbers = 3 * MOST_VERTICES * sizeof(double);
    s->edge = test_alloc(6 * MOST_TRIANGLES * sizeof *s->edge);
    s->triangle = test_alloc(3 * MOST_TRIANGLES * sizeof *s->triangle);
    s->body = test_alloc(MOST_VERTICES * sizeof *s->body);
    s->rest = test_alloc(numbers);
    double **arrays[4] = {&scene.x, &scene.common, &scene.low, &scene.high};
    for (int i = 0; i < 4; i++) {
        *arrays[i] = test_alloc(numbers);
    }
    return scene;
}

static void free_scene(Scene *scene) {
    TlSurface *s = &scene->surface;
    void *all[] = {s->edge,  s->triangle,   s->body,    s->rest,
                   scene->x, scene->common, scene->low, scene->high};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]);
    }
}

static int32_t add_vertex(Scene *scene, double x, double y, double z, int32_t body) {
    int32_t v = scene->surface.vertices.count++;
    ck_assert_int_lt(v, MOST_VERTICES);
    const double at[3] = {x, y, z};
    memcpy(scene->surface.rest + 3 * v, at, sizeof at);
    memcpy(scene->x + 3 * v, at, sizeof at);
    scene->surface.body[v] = body;
    return v;
}

static void add_triangle(Scene *scene, int32_t a, int32_t b, int32_t c) {
    const int32_t corners[3] = {a, b, c};
    int32_t t = scene->surface.triangles.count++;
    ck_assert_int_lt(t, MOST_TRIANGLES);
    memcpy(scene->surface.triangle + 3 * t, corners, sizeof corners);
}

/* n by n cells of 1 cm in the plane of height y; answers its first vertex. */
static int32_t add_sheet(Scene *scene, int32_t n, double y, int32_t body) {
    int32_t first = scene->surface.vertices.count, row = n + 1;
    for (int32_t i = 0; i < row * row; i++) {
        add_vertex(scene, 0.01 * (i % row), y, 0.01 * (i / row), body);
    }
    for (int32_t i = 0; i < n * n; i++) {
        int32_t a = first + i / n * row + i % n;
        add_triangle(scene, a, a + 1, a + row + 1);
        add_triangle(scene, a, a + row + 1, a + row);
    }
    return first;
}

/* Two vertices, their edge and the triangle that stands for it; answers the first vertex. */
static int32_t add_capsule(Scene *scene, TlVec3 from, TlVec3 to, int32_t body) {
    int32_t a = add_vertex(scene, from.x, from.y, from.z, body);
    int32_t b = add_vertex(scene, to.x, to.y, to.z, body);
    add_triangle(scene, a, b, b);
    return a;
}

static int by_ends(const void *a, const void *b) {
    const int32_t *p = a, *q = b;
    int32_t k = p[0] != q[0] ? 0 : 1;
    return p[k] < q[k] ? -1 : p[k] > q[k];
}

/* Every edge of every triangle once, sorted: those of cloths come first. */
static void list_edges(TlSurface *s, int32_t cloth_vertices) {
    int32_t uses = 0;
    for (int32_t i = 0; i < 3 * s->triangles.count; i++) {
        int32_t a = s->triangle[i], b = s->triangle[i - i % 3 + (i + 1) % 3];
        if (a != b) {
            s->edge[2 * uses] = a < b ? a : b;
            s->edge[2 * uses++ + 1] = a < b ? b : a;
        }
    }
    qsort(s->edge, (size_t)uses, 2 * sizeof *s->edge, by_ends);
    s->edges = (TlCounts){0, 0};
    for (int32_t u = 0; u < uses; u++) {
        int32_t *last = s->edge + 2 * (s->edges.count - 1);
        if (s->edges.count == 0 || by_ends(last, s->edge + 2 * u) != 0) {
            memmove(s->edge + 2 * s->edges.count++, s->edge + 2 * u, 2 * sizeof *s->edge);
            s->edges.cloth += s->edge[2 * u] < cloth_vertices;
        }
    }
}

/* What was added so far is cloth, what comes is collider. */
static void end_cloth(Scene *scene) {
    scene->surface.vertices.cloth = scene->surface.vertices.count;
    scene->surface.triangles.cloth = scene->surface.triangles.count;
}

/* No more is added: lists edges, and lets every vertex be off by `reach`, m. */
static void end_scene(Scene *scene, double reach) {
    list_edges(&scene->surface, scene->surface.vertices.cloth);
    for (int32_t i = 0; i < 3 * scene->surface.vertices.count; i++) {
        scene->low[i] = -reach;
        scene->high[i] = reach;
    }
}

static double *numbers_of(const double *array, int32_t v) {
    return (double *)array + 3 * v;
}

/* Shakes vertices, gives some a larger box, and common motions that differ by `apart`, m. */
static void shake(Scene *scene, TestRandom *random, double by, double apart) {
    double together[3] = {test_between(random, -0.1, 0.1), test_between(random, -0.1, 0.1),
                          test_between(random, -0.1, 0.1)};
    for (int32_t i = 0; i < 3 * scene->surface.vertices.count; i++) {
        double thick = test_below(random, 40) == 0 ? test_between(random, 0, 0.02) : 0.0;
        scene->x[i] = scene->surface.rest[i] + test_between(random, -by, by);
        scene->low[i] = -test_between(random, 0.0, 0.003) - thick;
        scene->high[i] = test_between(random, 0.0, 0.003) + thick;
        scene->common[i] = together[i % 3] + test_between(random, -apart, apart);
    }
}

/* Two cloths, one with a vertex that belongs to nothing, over a mesh, two spheres, a capsule. */
static Scene mixed_scene(int32_t n, TestRandom *random) {
    Scene scene = new_scene();
    add_sheet(&scene, n, 0.0, 0);
    add_vertex(&scene, 0.02, 0.002, 0.02, 0);
    add_sheet(&scene, n / 2, 0.006, 1);
    end_cloth(&scene);
    add_sheet(&scene, n / 2, -0.006, 2);
    add_vertex(&scene, 0.031, 0.001, 0.012, 3);
    add_vertex(&scene, 0.013, 0.001, 0.025, 4);
    add_capsule(&scene, tl_vec3(0.0, 0.002, 0.0), tl_vec3(0.04, 0.002, 0.03), 5);
    end_scene(&scene, 0.002);
    shake(&scene, random, 0.004, 0.01);
    return scene;
}

/* ---- comparing everything with everything ---- */

enum { MOMENTS = 11 };

/* One thing: its vertices, -1 for none, and how far it reaches at moments evenly from 0 to 1, in
 * the directions x y z -x -y -z. */
typedef struct Thing {
    int32_t vertex[3];
    double reach[MOMENTS][6];
} Thing;

static Thing thing(const Scene *scene, int32_t a, int32_t b, int32_t c) {
    Thing out = {{a, b, c}, {{0.0}}};
    for (int i = 0; i < MOMENTS * 6; i++) {
        int moment = i / 6, axis = i % 3;
        bool up = i % 6 < 3;
        double most = -HUGE_VAL;
        for (int k = 0; k < 3 && out.vertex[k] >= 0; k++) {
            int32_t at = 3 * out.vertex[k] + axis;
            double end = scene->x[at] + (up ? scene->high : scene->low)[at] +
                         moment / (MOMENTS - 1.0) * scene->common[at];
            most = fmax(most, up ? end : -end);
        }
        out.reach[moment][i % 6] = most;
    }
    return out;
}

/* Whether two things are apart in a direction at a moment, by more than `slack`. */
static bool apart(const Thing *a, const Thing *b, int moment, int direction, double slack) {
    return a->reach[moment][direction] + b->reach[moment][(direction + 3) % 6] < -slack;
}

/* Whether boxes overlap as trees compare them: in every direction at the first or last moment. */
static bool overlap(const Thing *a, const Thing *b, double slack) {
    bool out = true;
    for (int d = 0; d < 6 && out; d++) {
        out = !apart(a, b, 0, d, slack) || !apart(a, b, MOMENTS - 1, d, slack);
    }
    return out;
}

static bool surely_meet(const Thing *a, const Thing *b) {
    return overlap(a, b, 0.0);
}

static bool may_meet(const Thing *a, const Thing *b) {
    return overlap(a, b, slack_m);
}

static bool meet_at_some_moment(const Thing *a, const Thing *b) {
    bool out = false;
    for (int moment = 0; moment < MOMENTS && !out; moment++) {
        out = true;
        for (int d = 0; d < 6 && out; d++) {
            out = !apart(a, b, moment, d, 0.0);
        }
    }
    return out;
}

static bool share(const Thing *a, const Thing *b) {
    for (int i = 0; i < 9; i++) {
        if (a->vertex[i / 3] >= 0 && a->vertex[i / 3] == b->vertex[i % 3]) {
            return true;
        }
    }
    return false;
}

/* A pair by its vertices; of two edges the one with lower vertices first. */
typedef struct Key {
    int32_t vertex[4];
    int32_t is_edges;
} Key;

static int by_vertices(const void *a, const void *b) {
    return memcmp(a, b, sizeof(Key));
}

/* Of a vertex and a triangle, or of two edges, in either order. */
static Key key_of(const int32_t *a, const int32_t *b, bool edges) {
    Key key = {{a[0], b[0], b[1], edges ? 0 : b[2]}, edges};
    if (edges) {
        bool turned = by_ends(a, b) > 0;
        memcpy(key.vertex, turned ? b : a, 2 * sizeof *a);
        memcpy(key.vertex + 2, turned ? a : b, 2 * sizeof *a);
    }
    return key;
}

/* A growing list of pairs. */
typedef struct Keys {
    Key *key;
    int32_t count, capacity;
} Keys;

static void add_key(Keys *keys, Key key) {
    if (keys->count == keys->capacity) {
        keys->capacity = 2 * keys->capacity + 1024;
        keys->key = realloc(keys->key, (size_t)keys->capacity * sizeof *keys->key);
        ck_assert_ptr_nonnull(keys->key);
    }
    keys->key[keys->count++] = key;
}

/* Sorts, and expects nothing twice. */
static Keys sorted(Keys keys) {
    qsort(keys.key, (size_t)keys.count, sizeof(Key), by_vertices);
    for (int32_t i = 1; i < keys.count; i++) {
        ck_assert_int_ne(by_vertices(&keys.key[i - 1], &keys.key[i]), 0);
    }
    return keys;
}

/* Whether two things are compared at all: one of a cloth at least, both only with `self`. */
static bool compared(const TlSurface *s, const Thing *a, const Thing *b, bool self) {
    int32_t cloth = s->vertices.cloth;
    bool first = a->vertex[0] < cloth, second = b->vertex[0] < cloth;
    return (first || second) && (self || !(first && second)) && !share(a, b);
}

/* Whether a pair is one, by some rule. */
typedef bool (*Rule)(const Thing *a, const Thing *b);

/* Adds the pairs of a with things [begin, end) of a list. */
static void add_pairs(Keys *keys, const TlSurface *s, const Thing *a, const Thing *list,
                      int32_t begin, int32_t end, bool self, Rule rule) {
    for (int32_t i = begin; i < end; i++) {
        if (rule(a, &list[i]) && compared(s, a, &list[i], self)) {
            add_key(keys, key_of(a->vertex, list[i].vertex, a->vertex[1] >= 0));
        }
    }
}

static Keys all_pairs(const Scene *scene, bool self, Rule rule) {
    const TlSurface *s = &scene->surface;
    Keys keys = {NULL, 0, 0};
    int32_t most = s->edges.count > s->triangles.count ? s->edges.count : s->triangles.count;
    Thing *list = test_alloc((size_t)most * sizeof *list);
    for (int32_t t = 0; t < s->triangles.count; t++) {
        const int32_t *v = s->triangle + 3 * t;
        list[t] = thing(scene, v[0], v[1], v[2]);
    }
    for (int32_t v = 0; v < s->vertices.count; v++) {
        Thing a = thing(scene, v, -1, -1);
        add_pairs(&keys, s, &a, list, 0, s->triangles.count, self, rule);
    }
    for (int32_t e = 0; e < s->edges.count; e++) {
        list[e] = thing(scene, s->edge[2 * e], s->edge[2 * e + 1], -1);
    }
    for (int32_t e = 0; e < s->edges.count; e++) {
        add_pairs(&keys, s, &list[e], list, e + 1, s->edges.count, self, rule);
    }
    free(list);
    return sorted(keys);
}

/* ---- finding ---- */

/* Trees over a scene, and what they found. */
typedef struct Finder {
    TestMemory memory;
    TlArena arena;
    TlPool *pool;
    TlBroad *broad;
    TlPairs pairs;
} Finder;

static void start(Finder *finder, const Scene *scene, int32_t workers) {
    memset(finder, 0, sizeof *finder);
    tl_arena_init(&finder->arena, test_allocator(&finder->memory));
    finder->pool = tl_pool_create(workers, NULL);
    finder->broad = tl_broad_build(&finder->arena, &scene->surface);
    ck_assert_ptr_nonnull(finder->broad);
}

static bool try_find(Finder *finder, const Scene *scene, bool self) {
    TlSweep sweep = {
        .x = scene->x, .common = scene->common, .low = scene->low, .high = scene->high};
    return tl_broad_find(finder->broad, finder->pool, &sweep, self, &finder->arena, &finder->pairs);
}

static void find(Finder *finder, const Scene *scene, bool self) {
    ck_assert(try_find(finder, scene, self));
    ck_assert_int_le(finder->pairs.vertex_triangle, finder->pairs.count);
    ck_assert_int_le(finder->pairs.count, finder->pairs.capacity);
}

static void stop(Finder *finder) {
    tl_pool_destroy(finder->pool);
    tl_arena_free(&finder->arena);
    ck_assert_int_eq(finder->memory.live_blocks, 0);
}

static Key key_of_pair(const TlPairs *pairs, int32_t i) {
    const int32_t *v = pairs->pair[i].vertex;
    bool edges = i >= pairs->vertex_triangle;
    return key_of(v, v + (edges ? 2 : 1), edges);
}

static Keys found_keys(const Finder *finder) {
    Keys keys = {NULL, 0, 0};
    for (int32_t i = 0; i < finder->pairs.count; i++) {
        add_key(&keys, key_of_pair(&finder->pairs, i));
    }
    return sorted(keys);
}

/* How many of `some` are not in `all`; both sorted. */
static int32_t missing(const Keys *some, const Keys *all) {
    int32_t count = 0;
    for (int32_t i = 0, k = 0; i < some->count; i++) {
        while (k < all->count && by_vertices(&all->key[k], &some->key[i]) < 0) {
            k++;
        }
        count += k == all->count || by_vertices(&all->key[k], &some->key[i]) != 0;
    }
    return count;
}

/* Expects all that are sure, and none that are not possible; frees the lists, answers the count. */
static int32_t expect_keys(Keys found, Keys sure, Keys possible) {
    ck_assert_int_eq(missing(&sure, &found), 0);
    ck_assert_int_eq(missing(&found, &possible), 0);
    free(found.key);
    free(sure.key);
    free(possible.key);
    return found.count;
}

/* Finds, and compares with all pairs; answers how many there are. */
static int32_t expect_all_pairs(Finder *finder, const Scene *scene, bool self) {
    find(finder, scene, self);
    return expect_keys(found_keys(finder), all_pairs(scene, self, surely_meet),
                       all_pairs(scene, self, may_meet));
}

static int32_t expect_scene(const Scene *scene, bool self) {
    Finder finder;
    start(&finder, scene, 1);
    int32_t count = expect_all_pairs(&finder, scene, self);
    stop(&finder);
    return count;
}

/* ---- which pairs ---- */

START_TEST(tree_finds_what_comparing_everything_finds) {
    TestRandom random = test_random(501);
    for (int32_t n = 2; n <= 16; n += 2) {
        Scene scene = mixed_scene(n, &random);
        Finder finder;
        start(&finder, &scene, 1);
        for (int repeat = 0; repeat < 2; repeat++) {
            shake(&scene, &random, 0.002 * repeat, 0.008 * repeat);
            ck_assert_int_gt(expect_all_pairs(&finder, &scene, true), 0);
        }
        stop(&finder);
        free_scene(&scene);
    }
}
END_TEST

/* Keys of found pairs that have a chosen vertex. */
static Keys chosen_keys(const Finder *finder, const uint8_t *chosen) {
    Keys keys = {NULL, 0, 0};
    for (int32_t i = 0; i < finder->pairs.count; i++) {
        const int32_t *v = finder->pairs.pair[i].vertex;
        if (chosen[v[0]] || chosen[v[1]] || chosen[v[2]] || chosen[v[3]]) {
            add_key(&keys, key_of_pair(&finder->pairs, i));
        }
    }
    return sorted(keys);
}

/* Finds from chosen vertices alone with so many workers, and compares with `expected`. */
static void expect_chosen(const Scene *scene, const uint8_t *chosen, int32_t workers,
                          Keys expected) {
    Finder some;
    TlSweep sweep = {
        .x = scene->x, .common = scene->common, .low = scene->low, .high = scene->high};
    start(&some, scene, workers);
    /* boxes were fitted when chosen vertices had none */
    size_t size = 3 * sizeof *scene->low * (size_t)scene->surface.vertices.count;
    double *low = test_alloc(size), *high = test_alloc(size);
    for (int32_t i = 0; i < 3 * scene->surface.vertices.count; i++) {
        low[i] = chosen[i / 3] ? 0.0 : scene->low[i];
        high[i] = chosen[i / 3] ? 0.0 : scene->high[i];
    }
    TlSweep before = {.x = scene->x, .common = scene->common, .low = low, .high = high};
    ck_assert(tl_broad_find(some.broad, some.pool, &before, true, &some.arena, &some.pairs));
    free(low);
    free(high);
    ck_assert(
        tl_broad_find_some(some.broad, some.pool, &sweep, true, chosen, &some.arena, &some.pairs));
    Keys found = found_keys(&some);
    ck_assert_int_eq(found.count, expected.count);
    ck_assert_mem_eq(found.key, expected.key, (size_t)expected.count * sizeof(Key));
    free(found.key);
    stop(&some);
}

START_TEST(tree_from_chosen_vertices_finds_their_pairs_and_no_others) {
    TestRandom random = test_random(510);
    for (int32_t part = 1; part <= 64; part *= 4) {
        Scene scene = mixed_scene(16, &random);
        int32_t n = scene.surface.vertices.count;
        uint8_t *chosen = test_alloc((size_t)n);
        for (int32_t v = 0; v < n; v++) {
            chosen[v] = test_between(&random, 0.0, part) < 1.0;
        }
        Finder all;
        start(&all, &scene, 1);
        find(&all, &scene, true);
        Keys expected = chosen_keys(&all, chosen);
        ck_assert_int_gt(expected.count, 0);
        ck_assert_int_eq(expected.count == all.pairs.count, part == 1);
        expect_chosen(&scene, chosen, 1, expected);
        expect_chosen(&scene, chosen, 3, expected);
        stop(&all);
        free(expected.key);
        free(chosen);
        free_scene(&scene);
    }
}
END_TEST

START_TEST(tree_misses_nothing_that_meets_at_some_moment) {
    TestRandom random = test_random(502);
    for (int32_t n = 4; n <= 10; n += 2) {
        Scene scene = mixed_scene(n, &random);
        shake(&scene, &random, 0.01, 0.05);
        Finder finder;
        start(&finder, &scene, 1);
        find(&finder, &scene, true);
        Keys sure = all_pairs(&scene, true, meet_at_some_moment);
        ck_assert_int_gt(sure.count, 0);
        expect_keys(found_keys(&finder), sure, all_pairs(&scene, true, may_meet));
        stop(&finder);
        free_scene(&scene);
    }
}
END_TEST

/* more than 16 * 16 * 16 edges: nodes over nodes over nodes */
START_TEST(tree_of_four_levels_finds_all_pairs) {
    TestRandom random = test_random(503);
    Scene scene = new_scene();
    add_sheet(&scene, 38, 0.0, 0);
    end_cloth(&scene);
    end_scene(&scene, 0.002);
    shake(&scene, &random, 0.003, 0.001);
    ck_assert_int_gt(scene.surface.edges.count, 16 * 16 * 16);
    ck_assert_int_gt(expect_scene(&scene, true), 1000);
    free_scene(&scene);
}
END_TEST

/* A sheet over another one; neither has pairs of its own beyond the flat ones. */
static Scene two_sheets(double height, bool second_is_collider) {
    Scene scene = new_scene();
    add_sheet(&scene, 6, 0.0, 0);
    end_cloth(&scene);
    add_sheet(&scene, 6, height, 1);
    if (!second_is_collider) {
        end_cloth(&scene);
    }
    end_scene(&scene, 0.001);
    return scene;
}

static int32_t count_found(const Scene *scene, bool self) {
    Finder finder;
    start(&finder, scene, 1);
    find(&finder, scene, self);
    int32_t count = finder.pairs.count;
    stop(&finder);
    return count;
}

START_TEST(tree_motion_in_common_brings_nothing_together) {
    Scene scene = two_sheets(0.02, false);
    int32_t still = count_found(&scene, true);
    for (int32_t v = 0; v < scene.surface.vertices.count; v++) {
        numbers_of(scene.common, v)[0] = -3.0;
        numbers_of(scene.common, v)[1] = 5.0;
    }
    ck_assert_int_eq(count_found(&scene, true), still);
    ck_assert_int_eq(expect_scene(&scene, true), still);
    free_scene(&scene);
}
END_TEST

START_TEST(tree_sheets_that_pass_through_each_other_meet) {
    Scene scene = two_sheets(0.5, true);
    ck_assert_int_eq(count_found(&scene, false), 0);
    for (int32_t v = scene.surface.vertices.cloth; v < scene.surface.vertices.count; v++) {
        numbers_of(scene.common, v)[1] = -1.0;
    }
    ck_assert_int_gt(expect_scene(&scene, false), 6 * 6);
    free_scene(&scene);
}
END_TEST

START_TEST(tree_colliders_do_not_meet_each_other) {
    Scene scene = new_scene();
    add_sheet(&scene, 4, 0.0, 0);
    end_cloth(&scene);
    add_sheet(&scene, 4, 1.0, 1);
    add_sheet(&scene, 4, 1.001, 2);
    end_scene(&scene, 0.002);
    ck_assert_int_eq(count_found(&scene, false), 0);
    Finder finder;
    start(&finder, &scene, 1);
    find(&finder, &scene, true);
    for (int32_t i = 0; i < 4 * finder.pairs.count; i++) {
        ck_assert_int_lt(finder.pairs.pair[i / 4].vertex[i % 4], scene.surface.vertices.cloth);
    }
    stop(&finder);
    free_scene(&scene);
}
END_TEST

START_TEST(tree_cloths_meet_cloths_only_when_asked) {
    Scene scene = two_sheets(0.001, false);
    ck_assert_int_eq(count_found(&scene, false), 0);
    ck_assert_int_gt(expect_scene(&scene, true), 0);
    free_scene(&scene);
    Scene other = two_sheets(0.001, true);
    int32_t outside = expect_scene(&other, false);
    ck_assert_int_gt(outside, 0);
    ck_assert_int_gt(expect_scene(&other, true), outside);
    free_scene(&other);
}
END_TEST

/* all triangles and edges of a fan meet in its middle */
START_TEST(tree_leaves_out_what_has_a_vertex_in_common) {
    Scene scene = new_scene();
    add_vertex(&scene, 0.0, 0.0, 0.0, 0);
    for (int i = 0; i < 40; i++) {
        add_vertex(&scene, 0.1 * cos(i), 0.1 * sin(i), 0.0, 0);
        add_triangle(&scene, 0, i + 1, (i + 1) % 40 + 1);
    }
    end_cloth(&scene);
    end_scene(&scene, 1.0);
    Finder finder;
    start(&finder, &scene, 1);
    expect_all_pairs(&finder, &scene, true);
    for (int32_t i = 0; i < finder.pairs.count; i++) {
        const int32_t *v = finder.pairs.pair[i].vertex;
        int32_t first = i < finder.pairs.vertex_triangle ? 1 : 2;
        for (int32_t a = 0; a < first; a++) {
            for (int32_t b = first; b < 4; b++) {
                ck_assert_int_ne(v[a], v[b]);
            }
        }
    }
    stop(&finder);
    free_scene(&scene);
}
END_TEST

START_TEST(tree_sphere_is_a_vertex_against_triangles) {
    Scene scene = new_scene();
    add_sheet(&scene, 4, 0.0, 0);
    end_cloth(&scene);
    int32_t sphere = add_vertex(&scene, 0.0175, 0.05, 0.0125, 1);
    end_scene(&scene, 0.001);
    ck_assert_int_eq(count_found(&scene, false), 0);
    numbers_of(scene.low, sphere)[1] = -0.06;
    Finder finder;
    start(&finder, &scene, 1);
    ck_assert_int_eq(expect_all_pairs(&finder, &scene, false), 2);
    ck_assert_int_eq(finder.pairs.vertex_triangle, 2);
    ck_assert_int_eq(finder.pairs.pair[0].vertex[0], sphere);
    stop(&finder);
    free_scene(&scene);
}
END_TEST

START_TEST(tree_capsule_is_an_edge_and_a_flat_triangle) {
    Scene scene = new_scene();
    add_sheet(&scene, 8, 0.0, 0);
    end_cloth(&scene);
    int32_t capsule =
        add_capsule(&scene, tl_vec3(0.0, 0.002, 0.041), tl_vec3(0.08, 0.002, 0.041), 1);
    end_scene(&scene, 0.0015);
    Finder finder;
    start(&finder, &scene, 1);
    ck_assert_int_gt(expect_all_pairs(&finder, &scene, false), 0);
    int32_t flat = 0, edges = 0;
    for (int32_t i = 0; i < finder.pairs.count; i++) {
        const int32_t *v = finder.pairs.pair[i].vertex;
        flat += i < finder.pairs.vertex_triangle && v[1] == capsule && v[2] == v[3];
        edges += i >= finder.pairs.vertex_triangle && v[2] == capsule && v[3] == capsule + 1;
    }
    /* the nine vertices of the row under it; edges of that row, across it and diagonals */
    ck_assert_int_eq(flat, 9);
    ck_assert_int_eq(edges, 8 + 2 * 9 + 2 * 8);
    stop(&finder);
    free_scene(&scene);
}
END_TEST

START_TEST(tree_vertex_without_triangles_meets_triangles) {
    Scene scene = new_scene();
    add_sheet(&scene, 2, 0.0, 0);
    add_vertex(&scene, 0.007, 0.0005, 0.003, 0);
    end_cloth(&scene);
    end_scene(&scene, 0.001);
    int32_t with = expect_scene(&scene, true);
    numbers_of(scene.x, scene.surface.vertices.count - 1)[1] = 1.0;
    ck_assert_int_gt(with, expect_scene(&scene, true));
    free_scene(&scene);
}
END_TEST

START_TEST(tree_far_from_the_origin_finds_the_same) {
    TestRandom random = test_random(504);
    Scene scene = mixed_scene(10, &random);
    int32_t near = expect_scene(&scene, true);
    for (int32_t v = 0; v < scene.surface.vertices.count; v++) {
        numbers_of(scene.x, v)[0] += 1000.0;
        numbers_of(scene.x, v)[2] += 1000.0;
    }
    ck_assert_int_eq(expect_scene(&scene, true), near);
    free_scene(&scene);
}
END_TEST

/* Vertex 0 of a cloth of four, and the collider 4 5 6, all at the origin. */
static Scene point_and_triangle(void) {
    Scene scene = new_scene();
    for (int32_t k = 0; k < 4; k++) {
        add_vertex(&scene, 0.0, 0.0, 0.0, 0);
    }
    end_cloth(&scene);
    for (int32_t k = 0; k < 3; k++) {
        add_vertex(&scene, 0.0, 0.0, 0.0, 1);
    }
    add_triangle(&scene, 4, 5, 6);
    end_scene(&scene, 0.0);
    return scene;
}

/* far from the rest of the cloth, where floats are metres apart; all sums are exact in double */
START_TEST(tree_boxes_that_just_touch_meet) {
    TestRandom random = test_random(505);
    Scene scene = point_and_triangle();
    Finder finder;
    start(&finder, &scene, 1);
    for (int repeat = 0; repeat < 2000; repeat++) {
        for (int axis = 0; axis < 3; axis++) {
            double x = 65536.0 * test_below(&random, 1000) + 0x1p-20 * test_below(&random, 1 << 20);
            double high = 0x1p-20 * test_below(&random, 1 << 20);
            double common = 0x1p-20 * test_below(&random, 1 << 20);
            numbers_of(scene.x, 0)[axis] = x;
            numbers_of(scene.high, 0)[axis] = high;
            numbers_of(scene.common, 0)[axis] = repeat % 2 * common;
            for (int32_t k = 4; k < 7; k++) {
                numbers_of(scene.x, k)[axis] = x + high + repeat % 2 * common;
            }
        }
        find(&finder, &scene, false);
        ck_assert_int_eq(finder.pairs.count, 1);
    }
    stop(&finder);
    free_scene(&scene);
}
END_TEST

/* -1 + 2^-54 + 1 is 0 in double precision, but the vertex reaches the triangle at 2^-54 */
START_TEST(tree_makes_up_for_what_sums_lose) {
    Scene scene = point_and_triangle();
    for (int side = -1; side <= 1; side += 2) {
        for (int axis = 0; axis < 3; axis++) {
            for (int32_t k = 4; k < 7; k++) {
                numbers_of(scene.x, k)[axis] = side * 0x1p-54;
            }
            numbers_of(scene.x, 0)[axis] = -side;
            numbers_of(scene.common, 0)[axis] = side;
            numbers_of(scene.low, 0)[axis] = side < 0 ? -0x1p-54 : 0.0;
            numbers_of(scene.high, 0)[axis] = side > 0 ? 0x1p-54 : 0.0;
        }
        ck_assert_int_eq(count_found(&scene, false), 1);
    }
    free_scene(&scene);
}
END_TEST

START_TEST(tree_empty_surfaces_have_no_pairs) {
    Scene scene = new_scene();
    end_cloth(&scene);
    end_scene(&scene, 1.0);
    ck_assert_int_eq(count_found(&scene, true), 0);
    /* a collider alone */
    add_sheet(&scene, 3, 0.0, 0);
    end_scene(&scene, 1.0);
    ck_assert_int_eq(count_found(&scene, true), 0);
    free_scene(&scene);
    /* a cloth of one vertex, alone and with a sphere */
    scene = new_scene();
    add_vertex(&scene, 0.0, 0.0, 0.0, 0);
    end_cloth(&scene);
    end_scene(&scene, 1.0);
    ck_assert_int_eq(count_found(&scene, true), 0);
    add_vertex(&scene, 0.0, 0.0, 0.0, 1);
    end_scene(&scene, 1.0);
    ck_assert_int_eq(count_found(&scene, true), 0);
    free_scene(&scene);
}
END_TEST

START_TEST(tree_vertex_that_is_nowhere_meets_nothing_and_harms_nobody) {
    Scene scene = two_sheets(0.001, true);
    Finder finder;
    start(&finder, &scene, 1);
    static const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 1e300, -1e300};
    int32_t whole = expect_all_pairs(&finder, &scene, true), last = 0;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        for (int k = 0; k < 3; k++) {
            numbers_of(scene.x, 0)[k] = bad[i];
        }
        find(&finder, &scene, true);
        /* pairs without that vertex are there, whatever became of the others */
        int32_t others = 0;
        for (int32_t p = 0; p < finder.pairs.count; p++) {
            const int32_t *v = finder.pairs.pair[p].vertex;
            others += v[0] != 0 && v[1] != 0 && v[2] != 0 && v[3] != 0;
        }
        ck_assert(others > whole / 2 && (i == 0 || others == last));
        last = others;
    }
    stop(&finder);
    free_scene(&scene);
}
END_TEST

/* ---- crossings ---- */

/* No motion and no thickness: positions alone. */
static void stand_still(Scene *scene) {
    size_t numbers = 3 * sizeof(double) * (size_t)scene->surface.vertices.count;
    memset(scene->common, 0, numbers);
    memset(scene->low, 0, numbers);
    memset(scene->high, 0, numbers);
}

/* Edges and triangles whose boxes meet, by comparing all. */
static Keys all_crossings(const Scene *scene, bool self, Rule rule) {
    const TlSurface *s = &scene->surface;
    Keys keys = {NULL, 0, 0};
    for (int32_t e = 0; e < s->edges.count; e++) {
        Thing a = thing(scene, s->edge[2 * e], s->edge[2 * e + 1], -1);
        for (int32_t t = 0; t < s->triangles.count; t++) {
            const int32_t *v = s->triangle + 3 * t;
            Thing b = thing(scene, v[0], v[1], v[2]);
            if (rule(&a, &b) && compared(s, &a, &b, self)) {
                add_key(&keys, (Key){{e, t, 0, 0}, 0});
            }
        }
    }
    return sorted(keys);
}

static Keys crossing_keys(const TlCrossings *found) {
    Keys keys = {NULL, 0, 0};
    for (int32_t i = 0; i < found->count; i++) {
        add_key(&keys, (Key){{found->at[i].edge, found->at[i].triangle, 0, 0}, 0});
    }
    return sorted(keys);
}

static bool try_cross(Finder *finder, const Scene *scene, bool self, TlCrossings *out) {
    return tl_broad_crossings(finder->broad, finder->pool, scene->x, self, &finder->arena, out);
}

START_TEST(tree_finds_edges_and_triangles_that_may_cross) {
    TestRandom random = test_random(510);
    for (int repeat = 0; repeat < 6; repeat++) {
        bool self = repeat % 2 == 0;
        Scene scene = mixed_scene(4 + repeat, &random);
        stand_still(&scene);
        Finder finder;
        start(&finder, &scene, 1);
        TlCrossings crossings = {NULL, 0, 0, 0};
        ck_assert(try_cross(&finder, &scene, self, &crossings));
        ck_assert_int_gt(expect_keys(crossing_keys(&crossings),
                                     all_crossings(&scene, self, surely_meet),
                                     all_crossings(&scene, self, may_meet)),
                         0);
        stop(&finder);
        free_scene(&scene);
    }
}
END_TEST

START_TEST(tree_crossings_are_the_same_for_all_workers_and_need_no_more_memory) {
    TestRandom random = test_random(511);
    Scene scene = mixed_scene(20, &random);
    static const int32_t workers[] = {1, 2, 3, 8};
    TlCrossings first = {NULL, 0, 0, 0};
    Finder one;
    start(&one, &scene, 1);
    ck_assert(try_cross(&one, &scene, true, &first));
    for (int i = 0; i < 4; i++) {
        Finder many;
        start(&many, &scene, workers[i]);
        TlCrossings again = {NULL, 0, 0, 0};
        for (int repeat = 0; repeat < 3; repeat++) {
            /* pairs in between leave them alone */
            find(&many, &scene, true);
            ck_assert(try_cross(&many, &scene, true, &again));
            ck_assert_int_eq(again.count, first.count);
            ck_assert_int_eq(again.growths, first.growths);
            ck_assert_mem_eq(again.at, first.at, (size_t)first.count * sizeof *first.at);
        }
        stop(&many);
    }
    stop(&one);
    free_scene(&scene);
}
END_TEST

/* ---- order ---- */

START_TEST(tree_order_is_the_same_for_all_workers) {
    TestRandom random = test_random(506);
    Scene scene = mixed_scene(24, &random);
    Finder one;
    start(&one, &scene, 1);
    find(&one, &scene, true);
    static const int32_t workers[] = {2, 3, 8};
    for (int i = 0; i < 3; i++) {
        Finder many;
        start(&many, &scene, workers[i]);
        for (int repeat = 0; repeat < 3; repeat++) {
            find(&many, &scene, true);
            ck_assert_int_eq(many.pairs.count, one.pairs.count);
            ck_assert_int_eq(many.pairs.vertex_triangle, one.pairs.vertex_triangle);
            ck_assert_mem_eq(many.pairs.pair, one.pairs.pair,
                             (size_t)one.pairs.count * sizeof *one.pairs.pair);
        }
        stop(&many);
    }
    stop(&one);
    free_scene(&scene);
}
END_TEST

START_TEST(tree_order_depends_on_the_surface_alone) {
    TestRandom random = test_random(507);
    Scene scene = mixed_scene(12, &random);
    Finder few, many;
    start(&few, &scene, 1);
    start(&many, &scene, 1);
    find(&few, &scene, true);
    for (int32_t i = 0; i < 3 * scene.surface.vertices.count; i++) {
        scene.low[i] -= 0.003;
        scene.high[i] += 0.003;
    }
    find(&many, &scene, true);
    /* the fewer pairs stand among the more in their order */
    int32_t k = 0;
    for (int32_t i = 0; i < many.pairs.count && k < few.pairs.count; i++) {
        Key wanted = key_of_pair(&few.pairs, k), got = key_of_pair(&many.pairs, i);
        k += by_vertices(&wanted, &got) == 0;
    }
    ck_assert_int_lt(few.pairs.count, many.pairs.count);
    ck_assert_int_eq(k, few.pairs.count);
    stop(&few);
    stop(&many);
    free_scene(&scene);
}
END_TEST

/* Small sheets side by side whose rest shapes lie on one another are in leaves as if they did not.
 */
START_TEST(tree_order_goes_by_the_place_of_bodies) {
    enum { SIDE = 12 };
    Scene scene = new_scene();
    double place[3 * SIDE * SIDE] = {0};
    for (int32_t b = 0; b < SIDE * SIDE; b++) {
        int32_t first = add_sheet(&scene, 1, 0.0, b);
        place[3 * b] = b % SIDE;
        place[3 * b + 2] = b / SIDE;
        for (int32_t v = first; v < scene.surface.vertices.count; v++) {
            scene.x[3 * v] += place[3 * b];
            scene.x[3 * v + 2] += place[3 * b + 2];
        }
    }
    end_cloth(&scene);
    end_scene(&scene, 0.001);
    Finder beside, placed;
    size_t size = 3 * sizeof(double) * (size_t)scene.surface.vertices.count;
    double *rest = test_alloc(size);
    memcpy(rest, scene.surface.rest, size);
    memcpy(scene.surface.rest, scene.x, size);
    start(&beside, &scene, 1);
    memcpy(scene.surface.rest, rest, size);
    scene.surface.place = place;
    start(&placed, &scene, 1);
    for (int32_t k = 0; k < TL_TREE_KINDS; k++) {
        const TlTree *a = &beside.broad->cloth[k], *b = &placed.broad->cloth[k];
        ck_assert_int_eq(a->count, b->count);
        ck_assert_mem_eq(a->thing, b->thing, sizeof *a->thing * (size_t)a->count);
    }
    stop(&beside);
    stop(&placed);
    free(rest);
    free_scene(&scene);
}
END_TEST

/* ---- memory ---- */

START_TEST(tree_grows_only_when_there_is_more_and_counts_it) {
    TestRandom random = test_random(508);
    Scene scene = mixed_scene(16, &random);
    Finder finder;
    start(&finder, &scene, 2);
    int64_t requests = finder.memory.requests;
    find(&finder, &scene, true);
    ck_assert_int_gt(finder.pairs.growths, 0);
    ck_assert_int_eq(finder.memory.requests - requests, finder.pairs.growths);
    /* the same again, fewer, and as many elsewhere: nothing */
    requests = finder.memory.requests;
    int32_t most = finder.pairs.count, growths = finder.pairs.growths;
    for (int repeat = 0; repeat < 20; repeat++) {
        shake(&scene, &random, 0.002 * (repeat % 3), 0.005 * (repeat % 2));
        expect_all_pairs(&finder, &scene, true);
        ck_assert(finder.pairs.count > most || finder.memory.requests == requests);
        most = finder.pairs.count > most ? finder.pairs.count : most;
        requests = finder.memory.requests;
    }
    ck_assert_int_le(finder.pairs.growths, growths + 2);
    stop(&finder);
    free_scene(&scene);
}
END_TEST

/* Lets the vertices of some rows of a sheet reach farther. */
static void thicken_rows(Scene *scene, int32_t row, int32_t first, int32_t count, double reach) {
    for (int32_t v = 0; v < scene->surface.vertices.count; v++) {
        bool thick = v / row >= first && v / row < first + count;
        for (int axis = 0; axis < 3; axis++) {
            numbers_of(scene->low, v)[axis] = thick ? -reach : 0.0;
            numbers_of(scene->high, v)[axis] = thick ? reach : 0.0;
        }
    }
}

START_TEST(tree_as_many_pairs_elsewhere_need_no_memory) {
    Scene scene = new_scene();
    add_sheet(&scene, 40, 0.0, 0);
    end_cloth(&scene);
    end_scene(&scene, 0.0);
    Finder finder;
    start(&finder, &scene, 2);
    thicken_rows(&scene, 41, 0, 5, 0.04);
    find(&finder, &scene, true);
    int32_t count = finder.pairs.count, growths = finder.pairs.growths;
    thicken_rows(&scene, 41, 36, 5, 0.04);
    find(&finder, &scene, true);
    ck_assert_int_gt(count, 10000);
    ck_assert_int_lt(abs(finder.pairs.count - count), count / 20);
    ck_assert_int_eq(finder.pairs.growths, growths);
    stop(&finder);
    free_scene(&scene);
}
END_TEST

START_TEST(tree_growth_is_geometric) {
    Scene scene = two_sheets(0.001, true);
    Finder finder;
    start(&finder, &scene, 1);
    for (int step = 1; step <= 200; step++) {
        for (int32_t i = 0; i < 3 * scene.surface.vertices.count; i++) {
            scene.low[i] = -0.0003 * step;
            scene.high[i] = 0.0003 * step;
        }
        find(&finder, &scene, true);
    }
    ck_assert_int_gt(finder.pairs.count, 10000);
    ck_assert_int_le(finder.pairs.growths, 12);
    stop(&finder);
    free_scene(&scene);
}
END_TEST

START_TEST(tree_refused_memory_leaves_nothing_behind) {
    TestRandom random = test_random(509);
    Scene scene = mixed_scene(8, &random);
    int32_t expected = count_found(&scene, true);
    bool built = false, done = false;
    for (int64_t fail_at = 1; !done; fail_at++) {
        Finder finder;
        memset(&finder, 0, sizeof finder);
        finder.memory.fail_at = fail_at;
        tl_arena_init(&finder.arena, test_allocator(&finder.memory));
        finder.pool = tl_pool_create(1, NULL);
        finder.broad = tl_broad_build(&finder.arena, &scene.surface);
        ck_assert(!built || finder.broad != NULL);
        built = finder.broad != NULL;
        if (built) {
            TlCrossings crossings = {NULL, 0, 0, 0};
            bool found = try_find(&finder, &scene, true);
            bool crossed = try_cross(&finder, &scene, true, &crossings);
            ck_assert_int_eq(finder.pairs.count, found ? expected : 0);
            ck_assert_int_eq(crossings.count > 0, crossed);
            /* and works when memory is there again */
            ck_assert(try_cross(&finder, &scene, true, &crossings));
            find(&finder, &scene, true);
            ck_assert_int_eq(finder.pairs.count, expected);
            done = found && crossed;
        }
        stop(&finder);
    }
    free_scene(&scene);
}
END_TEST

TEST_MAIN("tree", tree_finds_what_comparing_everything_finds,
          tree_from_chosen_vertices_finds_their_pairs_and_no_others,
          tree_misses_nothing_that_meets_at_some_moment, tree_of_four_levels_finds_all_pairs,
          tree_motion_in_common_brings_nothing_together,
          tree_sheets_that_pass_through_each_other_meet, tree_colliders_do_not_meet_each_other,
          tree_cloths_meet_cloths_only_when_asked, tree_leaves_out_what_has_a_vertex_in_common,
          tree_sphere_is_a_vertex_against_triangles, tree_capsule_is_an_edge_and_a_flat_triangle,
          tree_vertex_without_triangles_meets_triangles, tree_far_from_the_origin_finds_the_same,
          tree_boxes_that_just_touch_meet, tree_makes_up_for_what_sums_lose,
          tree_empty_surfaces_have_no_pairs,
          tree_vertex_that_is_nowhere_meets_nothing_and_harms_nobody,
          tree_finds_edges_and_triangles_that_may_cross,
          tree_crossings_are_the_same_for_all_workers_and_need_no_more_memory,
          tree_order_is_the_same_for_all_workers, tree_order_depends_on_the_surface_alone,
          tree_order_goes_by_the_place_of_bodies, tree_grows_only_when_there_is_more_and_counts_it,
          tree_as_many_pairs_elsewhere_need_no_memory, tree_growth_is_geometric,
          tree_refused_memory_leaves_nothing_behind)
