/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Truncation of moves: what was apart is apart at every time of a move, by a distance of the test's
 * own and a bound between the times it looks at; and what need not be cut is not. TOILE_PAIRS is
 * how many random pairs are tried (default 100000). */
#include "contact/distance.h"
#include "contact/truncate.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

/* Roundings of positions up to 1000 m away. */
#define ROUNDING_M 1e-12
/* Roundings of the size of a pair, over its distance, tilt the plane between them: some of those.
 */
#define TILT 5e-15

/* ---- a distance of the test's own ---- */

typedef struct Wide3 {
    long double x, y, z;
} Wide3;

static Wide3 wide(TlVec3 a) {
    return (Wide3){(long double)a.x, (long double)a.y, (long double)a.z};
}
/* a + t b */
static Wide3 plus(Wide3 a, long double t, Wide3 b) {
    return (Wide3){a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
}
static Wide3 minus(Wide3 a, Wide3 b) {
    return plus(a, -1.0L, b);
}
static long double dot(Wide3 a, Wide3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static long double least(long double a, long double b) {
    return a < b ? a : b;
}

/* Squared distance of p from the edge a b. */
static long double point_edge(Wide3 p, Wide3 a, Wide3 b) {
    Wide3 e = minus(b, a), q = minus(p, a);
    long double ee = dot(e, e), t = ee > 0.0L ? dot(q, e) / ee : 0.0L;
    t = t < 0.0L ? 0.0L : t > 1.0L ? 1.0L : t;
    q = plus(q, -t, e);
    return dot(q, q);
}

/* The nearest on an edge, or by normal equations where the foot is inside. */
static long double point_triangle(const Wide3 x[4]) {
    Wide3 e = minus(x[2], x[1]), f = minus(x[3], x[1]), p = minus(x[0], x[1]);
    long double ee = dot(e, e), ef = dot(e, f), ff = dot(f, f);
    long double pe = dot(p, e), pf = dot(p, f), det = ee * ff - ef * ef;
    long double s = pe * ff - pf * ef, t = pf * ee - pe * ef;
    long double d2 = least(point_edge(x[0], x[1], x[2]),
                           least(point_edge(x[0], x[2], x[3]), point_edge(x[0], x[1], x[3])));
    if (det > 0.0L && s >= 0.0L && t >= 0.0L && s + t <= det) {
        p = plus(plus(p, -s / det, e), -t / det, f);
        d2 = least(d2, dot(p, p));
    }
    return d2;
}

static long double edge_edge(const Wide3 x[4]) {
    Wide3 u = minus(x[1], x[0]), v = minus(x[3], x[2]), r = minus(x[0], x[2]);
    long double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v);
    long double ur = dot(u, r), vr = dot(v, r), det = uu * vv - uv * uv;
    long double s = uv * vr - vv * ur, t = uu * vr - uv * ur;
    long double d2 = least(least(point_edge(x[0], x[2], x[3]), point_edge(x[1], x[2], x[3])),
                           least(point_edge(x[2], x[0], x[1]), point_edge(x[3], x[0], x[1])));
    if (det > 0.0L && s >= 0.0L && s <= det && t >= 0.0L && t <= det) {
        r = plus(plus(r, s / det, u), -t / det, v);
        d2 = least(d2, dot(r, r));
    }
    return d2;
}

static double own_distance(const TlVec3 x[4], bool edges) {
    Wide3 w[4] = {wide(x[0]), wide(x[1]), wide(x[2]), wide(x[3])};
    return (double)sqrtl(edges ? edge_edge(w) : point_triangle(w));
}

/* ---- scenes: vertices, their motion, pairs ---- */

typedef struct Scene {
    TestMemory memory;
    TlArena arena;
    TlPool *pool;
    TlTruncation *truncation;
    TlPairs pairs;
    int32_t n, cloth; /* vertices from `cloth` on are prescribed */
    double *x, *u, *s;
    uint8_t *loose;   /* NULL: none */
    uint8_t *pinched; /* NULL: none */
} Scene;

static Scene scene_make(int32_t n, int32_t pair_count, int32_t workers) {
    Scene scene = {.n = n, .cloth = n};
    scene.pool = tl_pool_create(workers, NULL);
    scene.x = test_alloc(3 * sizeof(double) * (size_t)n);
    scene.u = test_alloc(3 * sizeof(double) * (size_t)n);
    scene.s = test_alloc(sizeof(double) * (size_t)n);
    scene.pairs.pair = test_alloc(sizeof(TlPair) * (size_t)(pair_count + 1));
    scene.pairs.capacity = pair_count;
    memset(scene.u, 0, 3 * sizeof(double) * (size_t)n);
    return scene;
}

/* Memory is counted in the scene, which must not be copied any more. */
static void scene_start(Scene *scene) {
    tl_arena_init(&scene->arena, test_allocator(&scene->memory));
    scene->truncation = tl_truncation_build(&scene->arena);
    ck_assert_ptr_nonnull(scene->truncation);
}

static void scene_free(Scene *scene) {
    tl_arena_free(&scene->arena);
    ck_assert_int_eq(scene->memory.live_blocks, 0);
    tl_pool_destroy(scene->pool);
    free(scene->x);
    free(scene->u);
    free(scene->s);
    free(scene->loose);
    free(scene->pinched);
    free(scene->pairs.pair);
}

static TlPair *add_pair(Scene *scene, bool edges, const int32_t vertex[4]) {
    TlPair *pair = &scene->pairs.pair[scene->pairs.count++];
    ck_assert(scene->pairs.count <= scene->pairs.capacity);
    memset(pair, 0, sizeof *pair);
    memcpy(pair->vertex, vertex, sizeof pair->vertex);
    pair->radius = 4e-3F;
    pair->floor = 8e-5F;
    if (!edges) {
        ck_assert_int_eq(scene->pairs.vertex_triangle, scene->pairs.count - 1);
        scene->pairs.vertex_triangle++;
    }
    return pair;
}

static bool is_edges(const Scene *scene, int32_t p) {
    return p >= scene->pairs.vertex_triangle;
}

static void corners(const Scene *scene, int32_t p, double t, TlVec3 out[4]) {
    for (int c = 0; c < 4; c++) {
        int32_t v = scene->pairs.pair[p].vertex[c];
        out[c] = tl_madd3(tl_load3(scene->x + 3 * v), t * scene->s[v], tl_load3(scene->u + 3 * v));
    }
}

/* Distance of pair p at time t of the move, less what is solid. */
static double gap_at(const Scene *scene, int32_t p, double t) {
    TlVec3 x[4];
    corners(scene, p, t, x);
    return own_distance(x, is_edges(scene, p)) - (double)scene->pairs.pair[p].solid;
}

static void set_all(double *values, int32_t count, double value) {
    for (int32_t i = 0; i < count; i++) {
        values[i] = value;
    }
}

static TlTruncated truncate_now(Scene *scene) {
    TlMove move = {.vertex_count = scene->n,
                   .x = scene->x,
                   .u = scene->u,
                   .s = scene->s,
                   .loose = scene->loose,
                   .pinched = scene->pinched,
                   .cloth = scene->cloth};
    return tl_truncate(scene->truncation, scene->pool, &scene->arena, &scene->pairs, &move);
}

/* The same with whole steps, and with distances that are not known. */
static TlTruncated truncate_fresh(Scene *scene) {
    set_all(scene->s, scene->n, 1.0);
    for (int32_t p = 0; p < scene->pairs.count; p++) {
        scene->pairs.pair[p].least = 0.0F;
    }
    return truncate_now(scene);
}

static void move_on(Scene *scene) {
    for (int32_t i = 0; i < 3 * scene->n; i++) {
        scene->x[i] += scene->s[i / 3] * scene->u[i];
    }
}

/* ---- proof that a pair stays apart ---- */

/* The fastest that two points of the pair come nearer in the move. */
static double speed_of(const Scene *scene, int32_t p) {
    const int32_t *v = scene->pairs.pair[p].vertex;
    double most = 0.0;
    for (int i = 0; i < (is_edges(scene, p) ? 2 : 1); i++) {
        for (int j = is_edges(scene, p) ? 2 : 1; j < 4; j++) {
            TlVec3 a = tl_scale3(scene->s[v[i]], tl_load3(scene->u + 3 * v[i]));
            TlVec3 b = tl_scale3(scene->s[v[j]], tl_load3(scene->u + 3 * v[j]));
            most = tl_max(most, tl_length3(tl_sub3(a, b)));
        }
    }
    return most;
}

/* Whether the gap is at least `need` between times a and b, where it is ga and gb: between them it
 * cannot be less than the mean of both less half of what the speed allows. */
static bool stays(const Scene *scene, int32_t p, double need, double speed, double a, double b,
                  double ga, double gb) {
    if (ga < need || gb < need) {
        return false;
    }
    if (0.5 * (ga + gb - speed * (b - a)) >= need || b - a < 1.0 / 600.0) {
        return true;
    }
    double m = 0.5 * (a + b), gm = gap_at(scene, p, m);
    return stays(scene, p, need, speed, a, m, ga, gm) && stays(scene, p, need, speed, m, b, gm, gb);
}

static double rounding_of(const Scene *scene, int32_t p) {
    TlVec3 x[4];
    double size = 0.0;
    corners(scene, p, 0.0, x);
    for (int c = 1; c < 4; c++) {
        size = tl_max(size, tl_length3(tl_sub3(x[c], x[0])));
    }
    double apart = own_distance(x, is_edges(scene, p));
    return test_scale() * (ROUNDING_M + TILT * size * size / tl_max(apart, TILT * size));
}

static void check_pair(const Scene *scene, int32_t p) {
    double before = gap_at(scene, p, 0.0), after = gap_at(scene, p, 1.0);
    double need = tl_min(before, (double)scene->pairs.pair[p].floor) - rounding_of(scene, p);
    ck_assert_msg(stays(scene, p, need, speed_of(scene, p), 0.0, 1.0, before, after),
                  "pair %d comes nearer than %.17g: from %.17g to %.17g", p, need, before, after);
    ck_assert_msg((double)scene->pairs.pair[p].least <= after + rounding_of(scene, p),
                  "pair %d is said to be %.9g apart, and is %.17g", p,
                  (double)scene->pairs.pair[p].least, after);
}

static void check_all(const Scene *scene) {
    for (int32_t v = 0; v < scene->n; v++) {
        ck_assert(scene->s[v] >= 0.0 && scene->s[v] <= 1.0);
    }
    for (int32_t p = 0; p < scene->pairs.count; p++) {
        check_pair(scene, p);
    }
}

/* ---- random pairs ---- */

static TlVec3 random_vec(TestRandom *random, double size) {
    return tl_vec3(test_between(random, -size, size), test_between(random, -size, size),
                   test_between(random, -size, size));
}

static double random_size(TestRandom *random, int low, int high) {
    return pow(10.0, test_between(random, low, high));
}

static TlVec3 mix(TlVec3 a, TlVec3 b, double t) {
    return tl_add3(tl_scale3(1.0 - t, a), tl_scale3(t, b));
}

/* A pair of centimetres: thick or sliver, near or far, nearly touching. */
static void random_shape(bool edges, TestRandom *random, TlVec3 x[4], TlVec3 *between) {
    double s = test_between(random, -0.2, 1.2), t = test_between(random, -0.2, 1.2);
    for (int c = 0; c < 4; c++) {
        x[c] = random_vec(random, 0.01);
    }
    if (test_below(random, 3) == 0) {
        double thin = random_size(random, -6, -3);
        int other = edges ? 1 : 2;
        x[3] = edges ? tl_madd3(x[2], test_between(random, -1, 1), tl_sub3(x[1], x[0]))
                     : mix(x[1], x[other], test_between(random, -1, 2));
        x[3] = tl_add3(x[3], random_vec(random, thin));
    }
    TlVec3 e = edges ? tl_sub3(x[1], x[0]) : tl_sub3(x[2], x[1]), f = tl_sub3(x[3], x[2]);
    TlVec3 n = test_below(random, 2) ? tl_unit3(tl_cross3(e, f)) : random_vec(random, 1.0);
    TlVec3 on_a = edges ? mix(x[0], x[1], s) : x[0];
    TlVec3 on_b = edges ? mix(x[2], x[3], t) : mix(x[1], mix(x[2], x[3], t), s);
    TlVec3 shift = tl_madd3(tl_sub3(on_b, on_a), random_size(random, -7, -2), n);
    for (int c = 0; c < (edges ? 2 : 1); c++) {
        x[c] = tl_add3(x[c], shift);
    }
    *between = n;
}

/* Motion of it: slow or fast, common or not, towards each other or anyhow. */
static void random_motion(bool edges, TestRandom *random, TlVec3 between, TlVec3 u[4]) {
    double speed = random_size(random, -6, 0), towards = random_size(random, -6, 0);
    TlVec3 common = random_vec(random, random_size(random, -4, 1));
    int kind = test_below(random, 4);
    for (int c = 0; c < 4; c++) {
        bool b = c >= (edges ? 2 : 1);
        u[c] = random_vec(random, kind == 0 ? 0.0 : speed);
        if (kind != 1) {
            double part = test_between(random, 0.9, 1.0);
            u[c] = tl_madd3(u[c], (b ? 1.0 : -1.0) * towards * part, between);
        }
        if (kind == 2 || kind == 3) {
            u[c] = tl_add3(u[c], common);
        }
    }
    /* one side stands still */
    if (test_below(random, 4) == 0) {
        for (int c = edges ? 2 : 1; c < 4; c++) {
            u[c] = tl_vec3(0, 0, 0);
        }
    }
}

static void fill_random(Scene *scene, int32_t count, TlVec3 place, TestRandom *random) {
    scene->pairs.count = scene->pairs.vertex_triangle = 0;
    for (int32_t i = 0; i < count; i++) {
        bool edges = i >= count / 2;
        TlVec3 x[4], u[4], between;
        int32_t vertex[4] = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
        random_shape(edges, random, x, &between);
        random_motion(edges, random, between, u);
        for (int c = 0; c < 4; c++) {
            tl_store3(scene->x + 3 * vertex[c], tl_add3(x[c], place));
            tl_store3(scene->u + 3 * vertex[c], u[c]);
        }
        TlPair *pair = add_pair(scene, edges, vertex);
        pair->floor = (float)random_size(random, -6, -4);
        pair->solid = test_below(random, 4) == 0 ? (float)random_size(random, -5, -3) : 0.0F;
    }
}

static int64_t pairs_wanted(void) {
    const char *text = getenv("TOILE_PAIRS");
    return text != NULL ? atoll(text) : 100000;
}

/* near the origin and 1000 m away; three moves each, so that what is remembered is used */
START_TEST(truncate_random_pairs_stay_apart) {
    enum { BATCH = 2000 };
    TestRandom random = test_random(711);
    Scene scene = scene_make(4 * BATCH, BATCH, 1);
    scene_start(&scene);
    for (int64_t done = 0; done < pairs_wanted(); done += BATCH) {
        TlVec3 place = done / BATCH % 3 == 2 ? tl_vec3(1000, -1000, 1000) : tl_vec3(0, 0, 0);
        fill_random(&scene, BATCH, place, &random);
        for (int move = 0; move < 3; move++) {
            if (move == 0) {
                ck_assert(truncate_fresh(&scene).ok);
            } else {
                set_all(scene.s, scene.n, 1.0);
                ck_assert(truncate_now(&scene).ok);
            }
            check_all(&scene);
            move_on(&scene);
        }
    }
    scene_free(&scene);
}
END_TEST

/* ---- lines of colliders: long, and they turn ---- */

enum { LINES = 200, AROUND = 12 };

/* A line of half a metre, a capsule or an edge, that turns about any of its points and moves, and
 * AROUND small edges of cloth about it, or vertices, that follow it more or less. */
static void fill_line(Scene *scene, int32_t line, bool edges, TestRandom *random) {
    int32_t a = scene->cloth + 2 * line, b = a + 1;
    TlVec3 from = random_vec(random, 0.25), to = random_vec(random, 0.25);
    double solid = test_below(random, 2) ? random_size(random, -3, -1) : 0.0;
    double pivot = test_between(random, -0.2, 1.2);
    TlVec3 turn = random_vec(random, random_size(random, -4, -1));
    TlVec3 shift = random_vec(random, random_size(random, -5, -2));
    tl_store3(scene->x + 3 * a, from);
    tl_store3(scene->x + 3 * b, to);
    tl_store3(scene->u + 3 * a, tl_madd3(shift, pivot, turn));
    tl_store3(scene->u + 3 * b, tl_madd3(shift, pivot - 1.0, turn));
    for (int32_t k = 0; k < AROUND; k++) {
        int32_t v = 2 * (AROUND * line + k);
        double at = test_between(random, -0.05, 1.05);
        TlVec3 n = tl_cross3(tl_sub3(to, from), random_vec(random, 1.0));
        TlVec3 place =
            tl_madd3(mix(from, to, at), solid + random_size(random, -4, -2), tl_unit3(n));
        TlVec3 along = random_vec(random, 0.005);
        for (int c = 0; c < 2; c++) {
            TlVec3 carried = tl_madd3(shift, pivot - at, turn);
            TlVec3 u = tl_scale3(test_between(random, -0.2, 1.2), carried);
            tl_store3(scene->x + 3 * (v + c), tl_madd3(place, c, along));
            tl_store3(scene->u + 3 * (v + c), tl_add3(u, random_vec(random, 1e-4)));
        }
        TlPair *pair =
            add_pair(scene, edges, edges ? (int32_t[4]){v, v + 1, a, b} : (int32_t[4]){v, a, b, b});
        pair->solid = (float)solid;
    }
}

START_TEST(truncate_lines_of_colliders_stay_apart) {
    TestRandom random = test_random(713);
    Scene scene = scene_make(2 * LINES * AROUND + 2 * LINES, LINES * AROUND, 1);
    scene.cloth = 2 * LINES * AROUND;
    scene_start(&scene);
    int32_t cuts = 0;
    for (int trial = 0; trial < 20; trial++) {
        scene.pairs.count = scene.pairs.vertex_triangle = 0;
        for (int32_t line = 0; line < LINES; line++) {
            fill_line(&scene, line, line >= LINES / 2, &random);
        }
        for (int move = 0; move < 3; move++) {
            TlTruncated done;
            if (move == 0) {
                done = truncate_fresh(&scene);
            } else {
                set_all(scene.s, scene.n, 1.0);
                done = truncate_now(&scene);
            }
            ck_assert(done.ok);
            cuts += done.cut;
            check_all(&scene);
            move_on(&scene);
        }
    }
    ck_assert_int_gt(cuts, 1000);
    scene_free(&scene);
}
END_TEST

/* A rod of a metre turns about one end, by 10 mm at the other. Cloth that lies 1 mm beside it, 30
 * mm from the pivot, meets at most 0.5 mm of that motion, for which there is room. */
START_TEST(truncate_far_ends_of_lines_do_not_count) {
    static const double x[] = {0.03, 0.001, -0.005, 0.03, 0.001, 0.005, 0, 0, 0, 1, 0, 0};
    Scene scene = scene_make(4, 1, 1);
    scene.cloth = 2;
    scene_start(&scene);
    add_pair(&scene, true, (int32_t[4]){0, 1, 2, 3});
    memcpy(scene.x, x, sizeof x);
    scene.u[10] = 0.01;
    truncate_fresh(&scene);
    ck_assert(scene.s[3] == 1.0);
    /* as an edge of cloth it would be stopped by what parts all of it */
    scene.cloth = 4;
    truncate_fresh(&scene);
    ck_assert(scene.s[3] < 0.1);
    scene_free(&scene);
}
END_TEST

/* what is pinched passes colliders, and no cloth */
START_TEST(truncate_lets_pinched_vertices_pass_colliders_alone) {
    static const double x[] = {0, 0.002, 0, -0.01, 0, -0.01, 0.01, 0, -0.01, 0, 0, 0.01};
    Scene scene = scene_make(4, 1, 1);
    scene_start(&scene);
    add_pair(&scene, false, (int32_t[4]){0, 1, 2, 3});
    memcpy(scene.x, x, sizeof x);
    scene.u[1] = -0.01;
    scene.pinched = test_alloc(4);
    memset(scene.pinched, 0, 4);
    scene.pinched[0] = TL_PINCHED;
    truncate_fresh(&scene);
    ck_assert(scene.s[0] < 0.2);
    scene.cloth = 1;
    truncate_fresh(&scene);
    ck_assert(scene.s[0] == 1.0);
    scene.pinched[0] = 0;
    truncate_fresh(&scene);
    ck_assert(scene.s[0] < 0.2);
    scene_free(&scene);
}
END_TEST

/* ---- soups: every vertex has many pairs ---- */

/* All pairs of `count` triangles of vertices 3 i to 3 i + 2. */
static void pair_soup(Scene *scene, int32_t count) {
    for (int32_t v = 0; v < 3 * count; v++) {
        for (int32_t t = 0; t < count; t++) {
            if (v / 3 != t) {
                add_pair(scene, false, (int32_t[4]){v, 3 * t, 3 * t + 1, 3 * t + 2});
            }
        }
    }
    for (int32_t a = 0; a < 3 * count; a++) {
        for (int32_t b = a + 1; b < 3 * count; b++) {
            int32_t a1 = a / 3 * 3 + (a + 1) % 3, b1 = b / 3 * 3 + (b + 1) % 3;
            if (a / 3 != b / 3) {
                add_pair(scene, true, (int32_t[4]){a, a1, b, b1});
            }
        }
    }
}

/* Triangles of a centimetre in a box, none nearer to another than 1e-4. */
static Scene soup_make(int32_t count, double box, int32_t workers, TestRandom *random) {
    Scene scene = scene_make(3 * count, 9 * count * count, workers);
    pair_soup(&scene, count);
    for (int32_t t = 0; t < count; t++) {
        bool clear = false;
        while (!clear) {
            TlVec3 at = random_vec(random, box);
            for (int32_t c = 0; c < 3; c++) {
                tl_store3(scene.x + 3 * (3 * t + c), tl_add3(at, random_vec(random, 0.01)));
            }
            clear = true;
            for (int32_t p = 0; p < scene.pairs.count && clear; p++) {
                const int32_t *v = scene.pairs.pair[p].vertex;
                int32_t last = v[0] > v[3] ? v[0] : v[3];
                bool mine = last / 3 == t && v[0] / 3 <= t && v[3] / 3 <= t;
                clear = !mine || gap_at(&scene, p, 0.0) > 1e-4;
            }
        }
    }
    return scene;
}

static double volume(const double *a, const double *b, const double *c, const double *d) {
    TlVec3 o = tl_load3(a);
    return tl_dot3(tl_sub3(tl_load3(b), o),
                   tl_cross3(tl_sub3(tl_load3(c), o), tl_sub3(tl_load3(d), o)));
}

/* Whether the edge from p to q goes through triangle t: by signs alone. */
static bool pierces(const double *x, const double *p, const double *q, int32_t t) {
    const double *a = x + 9 * t, *b = a + 3, *c = a + 6;
    double ab = volume(p, q, a, b), bc = volume(p, q, b, c), ca = volume(p, q, c, a);
    bool through = (ab > 0.0 && bc > 0.0 && ca > 0.0) || (ab < 0.0 && bc < 0.0 && ca < 0.0);
    return through && (volume(p, a, b, c) > 0.0) != (volume(q, a, b, c) > 0.0);
}

/* One bit for every edge and triangle of a soup; answers how many are set. */
static int32_t crossings_of(const double *x, int32_t count, uint8_t *out) {
    int32_t set = 0;
    for (int32_t e = 0; e < 3 * count; e++) {
        const double *p = x + 3 * e, *q = x + 3 * (e / 3 * 3 + (e + 1) % 3);
        for (int32_t t = 0; t < count; t++) {
            out[e * count + t] = t != e / 3 && pierces(x, p, q, t);
            set += out[e * count + t];
        }
    }
    return set;
}

enum { SOUP = 24 };

/* triangles that cross go on to cross, others never begin to */
START_TEST(truncate_soups_stay_apart) {
    TestRandom random = test_random(712);
    int32_t cuts = 0;
    for (int trial = 0; trial < 30; trial++) {
        uint8_t before[3 * SOUP * SOUP], after[3 * SOUP * SOUP];
        Scene scene = soup_make(SOUP, 0.02, 1, &random);
        scene_start(&scene);
        crossings_of(scene.x, SOUP, before);
        double speed = random_size(&random, -4, 0);
        for (int move = 0; move < 6; move++) {
            TlVec3 common = random_vec(&random, move < 3 ? 1.0 : 0.0);
            for (int32_t v = 0; v < scene.n; v++) {
                tl_store3(scene.u + 3 * v, tl_add3(common, random_vec(&random, speed)));
            }
            set_all(scene.s, scene.n, 1.0);
            TlTruncated done = truncate_now(&scene);
            ck_assert(done.ok);
            cuts += done.cut;
            check_all(&scene);
            move_on(&scene);
            crossings_of(scene.x, SOUP, after);
            ck_assert_mem_eq(before, after, sizeof before);
        }
        scene_free(&scene);
    }
    ck_assert_int_gt(cuts, 1000);
}
END_TEST

/* the test above can fail: the same moves without truncation make crossings */
START_TEST(truncate_is_needed_by_soups) {
    TestRandom random = test_random(713);
    uint8_t before[3 * SOUP * SOUP], after[3 * SOUP * SOUP];
    Scene scene = soup_make(SOUP, 0.02, 1, &random);
    scene_start(&scene);
    crossings_of(scene.x, SOUP, before);
    for (int32_t i = 0; i < 3 * scene.n; i++) {
        scene.u[i] = test_between(&random, -0.01, 0.01);
    }
    set_all(scene.s, scene.n, 1.0);
    move_on(&scene);
    crossings_of(scene.x, SOUP, after);
    ck_assert(memcmp(before, after, sizeof before) != 0);
    scene_free(&scene);
}
END_TEST

/* ---- what is not cut ---- */

static void check_uncut(Scene *scene) {
    TlTruncated done = truncate_now(scene);
    ck_assert(done.ok);
    ck_assert_int_eq(done.cut, 0);
    ck_assert_int_eq(done.passes, 1);
    for (int32_t v = 0; v < scene->n; v++) {
        ck_assert(scene->s[v] == 1.0);
    }
}

/* 100 m/s for a hundredth of a second, of triangles a tenth of a millimetre apart */
START_TEST(truncate_leaves_free_fall_alone) {
    TestRandom random = test_random(714);
    Scene scene = soup_make(SOUP, 0.02, 1, &random);
    scene_start(&scene);
    for (int move = 0; move < 4; move++) {
        for (int32_t v = 0; v < scene.n; v++) {
            tl_store3(scene.u + 3 * v, tl_vec3(0.0, -1.0 - 1e-3 * move, 0.3));
        }
        set_all(scene.s, scene.n, 1.0);
        check_uncut(&scene);
        check_all(&scene);
        move_on(&scene);
    }
    scene_free(&scene);
}
END_TEST

/* a common motion and less than half of every distance on top of it */
START_TEST(truncate_leaves_motion_in_common_alone) {
    TestRandom random = test_random(715);
    Scene scene = soup_make(SOUP, 0.02, 1, &random);
    scene_start(&scene);
    for (int32_t v = 0; v < scene.n; v++) {
        tl_store3(scene.u + 3 * v, tl_add3(tl_vec3(0.2, -3.0, 0.1), random_vec(&random, 5e-6)));
    }
    set_all(scene.s, scene.n, 1.0);
    check_uncut(&scene);
    scene_free(&scene);
}
END_TEST

/* after distances are known nothing is measured while motion is small */
START_TEST(truncate_measures_no_pair_that_is_far) {
    TestRandom random = test_random(716);
    Scene scene = soup_make(SOUP, 0.02, 1, &random);
    scene_start(&scene);
    TlTruncated done;
    for (int move = 0; move < 5; move++) {
        for (int32_t i = 0; i < 3 * scene.n; i++) {
            scene.u[i] = test_between(&random, -1e-6, 1e-6);
        }
        set_all(scene.s, scene.n, 1.0);
        done = truncate_now(&scene);
        ck_assert_int_eq(done.measured, move == 0 ? scene.pairs.count : 0);
        check_all(&scene);
        move_on(&scene);
    }
    scene_free(&scene);
}
END_TEST

/* ---- one pair ---- */

/* A vertex `height` over the middle of a triangle, or two crossing edges: A above B. */
static Scene one_pair(bool edges, double height) {
    static const double triangle[12] = {0, 0, 0, -1, 0, -1, 1, 0, -1, 0, 0, 1};
    static const double cross[12] = {-1, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 1};
    Scene scene = scene_make(4, 1, 1);
    memcpy(scene.x, edges ? cross : triangle, sizeof cross);
    for (int c = 0; c < (edges ? 2 : 1); c++) {
        scene.x[3 * c + 1] = height;
    }
    add_pair(&scene, edges, (int32_t[4]){0, 1, 2, 3});
    set_all(scene.s, 4, 1.0);
    return scene;
}

static void move_sides(Scene *scene, TlVec3 a, TlVec3 b) {
    for (int c = 0; c < 4; c++) {
        tl_store3(scene->u + 3 * c, c < (is_edges(scene, 0) ? 2 : 1) ? a : b);
    }
}

#define GAP 0.01
/* a pair that is farther apart than its contact distance keeps half of that */
#define KEPT (0.5 * (double)4e-3F)
/* what of it a pair may lose: 0.9 of all but what it keeps */
static double grantable(void) {
    return 0.9 * (GAP - KEPT);
}

/* s of A and B after they wanted to move by a and b, upwards */
static void cut_sides(bool edges, double a, double b, double *sa, double *sb) {
    Scene scene = one_pair(edges, GAP);
    scene_start(&scene);
    move_sides(&scene, tl_vec3(0, a, 0), tl_vec3(0, b, 0));
    ck_assert(truncate_fresh(&scene).ok);
    check_all(&scene);
    *sa = scene.s[0];
    *sb = scene.s[3];
    for (int c = 0; c < 4; c++) {
        ck_assert(scene.s[c] == (c < (edges ? 2 : 1) ? *sa : *sb));
    }
    scene_free(&scene);
}

/* within the contact distance half the gap is kept, down to the floor */
START_TEST(truncate_keeps_half_of_a_small_gap) {
    for (double gap = 2e-3; gap > 1e-5; gap *= 0.5) {
        for (int edges = 0; edges < 2; edges++) {
            Scene scene = one_pair(edges, gap);
            scene_start(&scene);
            move_sides(&scene, tl_vec3(0, -1, 0), tl_vec3(0, 0, 0));
            truncate_fresh(&scene);
            double left = gap - scene.s[0], least = fmax(0.5 * gap, fmin(gap, (double)8e-5F));
            ck_assert_double_ge(left, least);
            ck_assert_double_le(left, least + 0.11 * gap);
            scene_free(&scene);
        }
    }
}
END_TEST

START_TEST(truncate_shares_the_gap_by_what_each_wants) {
    for (int edges = 0; edges < 2; edges++) {
        double sa, sb, whole = 0.9 * (GAP - KEPT);
        cut_sides(edges, -0.3, 0.1, &sa, &sb);
        ASSERT_NEAR(sa * 0.3, 0.75 * whole, 1e-15);
        ASSERT_NEAR(sb * 0.1, 0.25 * whole, 1e-15);
        /* who does not move leaves all of it to the other */
        cut_sides(edges, -0.3, 0.0, &sa, &sb);
        ASSERT_NEAR(sa * 0.3, whole, 1e-15);
        cut_sides(edges, 0.0, 0.2, &sa, &sb);
        ASSERT_NEAR(sb * 0.2, whole, 1e-15);
    }
}
END_TEST

/* who goes away is never cut, and who follows gets as much more */
START_TEST(truncate_follower_goes_as_far_as_the_other_leaves) {
    for (int edges = 0; edges < 2; edges++) {
        double sa, sb, whole = 0.9 * (GAP - KEPT);
        cut_sides(edges, 0.2, 0.3, &sa, &sb);
        ck_assert(sa == 1.0);
        ASSERT_NEAR(sb * 0.3, 0.2 + whole, 1e-15);
        cut_sides(edges, -0.5, -0.2, &sa, &sb);
        ck_assert(sb == 1.0);
        ASSERT_NEAR(sa * 0.5, 0.2 + whole, 1e-15);
        cut_sides(edges, 5.0, -3.0, &sa, &sb);
        ck_assert(sa == 1.0 && sb == 1.0);
    }
}
END_TEST

/* a corner that is farther away may come nearer by as much more */
START_TEST(truncate_grants_every_corner_its_own_height) {
    Scene scene = one_pair(true, GAP);
    scene_start(&scene);
    /* an edge that stands on its end below another */
    static const double upright[6] = {0, -1, 0, 0, 0, 0};
    memcpy(scene.x + 6, upright, sizeof upright);
    move_sides(&scene, tl_vec3(0, 0, 0), tl_vec3(0, 1.5, 0));
    ck_assert(truncate_fresh(&scene).ok);
    check_all(&scene);
    ASSERT_NEAR(scene.s[3] * 1.5, grantable(), 1e-15);
    ASSERT_NEAR(scene.s[2] * 1.5, 1.0 + grantable(), 1e-15);
    scene_free(&scene);
}
END_TEST

/* at the floor, and below it: away, along and together, never nearer */
START_TEST(truncate_pair_at_its_floor_separates_and_slides) {
    for (int trial = 0; trial < 4; trial++) {
        Scene scene = one_pair(trial % 2, trial < 2 ? (double)8e-5F : 1e-6);
        scene_start(&scene);
        static const double free[5][2][3] = {{{0, 0.1, 0}, {0, 0, 0}},
                                             {{0.1, 0, 0.2}, {0, 0, 0}},
                                             {{0.1, 0.3, 0}, {0, 0.2, 0.1}},
                                             {{0.01, -0.2, 0}, {0, -0.3, 0}},
                                             {{0.1, 0.2, 0}, {0.1, 0.2, 0}}};
        for (int k = 0; k < 5; k++) {
            move_sides(&scene, tl_load3(free[k][0]), tl_load3(free[k][1]));
            set_all(scene.s, 4, 1.0);
            scene.pairs.pair[0].least = 0.0F;
            check_uncut(&scene);
        }
        move_sides(&scene, tl_vec3(0.1, -1e-6, 0), tl_vec3(0, 0, 0));
        ck_assert(truncate_fresh(&scene).ok);
        ck_assert(scene.s[0] == 0.0 && scene.s[3] == 1.0);
        scene_free(&scene);
    }
}
END_TEST

/* Turns and moves a scene. */
static void turn(Scene *scene, TestRandom *random) {
    const double shift[3] = {test_between(random, -1, 1), test_between(random, -1, 1), 0.3};
    TlVec3 axis = random_vec(random, 2.0);
    double *turned = test_moved(scene->x, scene->n, (double[3]){axis.x, axis.y, axis.z}, shift);
    memcpy(scene->x, turned, 3 * sizeof *turned * (size_t)scene->n);
    free(turned);
}

/* in any direction: across the normal of the distance, together with fast motion of both */
START_TEST(truncate_pair_at_its_floor_slides_along_any_plane) {
    TestRandom random = test_random(720);
    for (int trial = 0; trial < 2000; trial++) {
        Scene scene = one_pair(trial % 2, (double)8e-5F - 1e-9);
        scene_start(&scene);
        turn(&scene, &random);
        TlVec3 x[4], common = random_vec(&random, 1.0);
        corners(&scene, 0, 0.0, x);
        TlClosest closest = trial % 2 ? tl_closest_edges(x) : tl_closest_vertex_triangle(x);
        TlVec3 n = tl_load3(closest.normal), slide = tl_cross3(n, random_vec(&random, 0.1));
        move_sides(&scene, tl_add3(common, slide), common);
        truncate_fresh(&scene);
        ck_assert_msg(scene.s[0] == 1.0 && scene.s[3] == 1.0, "trial %d: cut to %g and %g", trial,
                      scene.s[0], scene.s[3]);
        /* but a billionth of the motion nearer is too much */
        move_sides(&scene, tl_madd3(tl_add3(common, slide), -1e-9, n), common);
        truncate_fresh(&scene);
        ck_assert(scene.s[0] < 1.0 || scene.s[3] < 1.0);
        scene_free(&scene);
    }
}
END_TEST

START_TEST(truncate_takes_off_what_is_solid) {
    for (int edges = 0; edges < 2; edges++) {
        Scene scene = one_pair(edges, GAP + 0.5);
        scene_start(&scene);
        scene.pairs.pair[0].solid = 0.5F;
        move_sides(&scene, tl_vec3(0, -0.2, 0), tl_vec3(0, 0, 0));
        ck_assert(truncate_fresh(&scene).ok);
        ASSERT_NEAR(scene.s[0] * 0.2, grantable(), 1e-15);
        check_all(&scene);
        /* inside of what is solid: out, not in */
        scene.pairs.pair[0].solid = 0.75F;
        ck_assert(truncate_fresh(&scene).ok);
        ck_assert(scene.s[0] == 0.0);
        move_sides(&scene, tl_vec3(0.1, 0.2, 0), tl_vec3(0, 0, 0));
        ck_assert(truncate_fresh(&scene).ok);
        ck_assert(scene.s[0] == 1.0);
        scene_free(&scene);
    }
}
END_TEST

/* without a normal nothing moves, but for what moves as one */
START_TEST(truncate_holds_what_touches) {
    for (int edges = 0; edges < 2; edges++) {
        Scene scene = one_pair(edges, 0.0);
        scene_start(&scene);
        move_sides(&scene, tl_vec3(0, 0.1, 0), tl_vec3(0, 0, 0));
        ck_assert(truncate_fresh(&scene).ok);
        for (int c = 0; c < 4; c++) {
            ck_assert(scene.s[c] == 0.0);
        }
        move_sides(&scene, tl_vec3(0.1, 0.1, 0), tl_vec3(0.1, 0.1, 0));
        ck_assert(truncate_fresh(&scene).ok);
        ck_assert(scene.s[0] == 1.0 && scene.s[3] == 1.0);
        scene_free(&scene);
    }
}
END_TEST

/* a share that was given is never raised */
START_TEST(truncate_keeps_shares_that_are_given) {
    Scene scene = one_pair(false, GAP);
    scene_start(&scene);
    move_sides(&scene, tl_vec3(0, -1.0, 0), tl_vec3(0, 0, 0));
    scene.s[0] = 1e-3;
    scene.s[2] = 0.25;
    TlTruncated done = truncate_now(&scene);
    ck_assert(done.ok && done.cut == 0);
    ck_assert(scene.s[0] == 1e-3 && scene.s[2] == 0.25);
    scene_free(&scene);
}
END_TEST

/* ---- many pairs ---- */

/* pairs of loose vertices alone pass through each other; one that is not loose is kept apart */
START_TEST(truncate_does_not_look_at_loose_pairs) {
    Scene scene = one_pair(false, GAP);
    scene_start(&scene);
    scene.loose = test_alloc(4);
    memset(scene.loose, TL_LOOSE_IN_CLOTH, 4);
    move_sides(&scene, tl_vec3(0, -1.0, 0), tl_vec3(0, 0, 0));
    scene.pairs.pair[0].least = 0.005F;
    TlTruncated done = truncate_now(&scene);
    ck_assert(done.ok && done.cut == 0 && done.measured == 0);
    ck_assert(scene.s[0] == 1.0 && scene.pairs.pair[0].least == 0.0F);
    scene.loose[2] = 0;
    ck_assert(truncate_fresh(&scene).ok);
    ck_assert(scene.s[0] < 0.01);
    /* what is loose in bodies is not in cloth, and the reverse */
    for (int32_t cloth = 1; cloth <= 4; cloth += 3) {
        scene.cloth = cloth;
        memset(scene.loose, cloth == 1 ? TL_LOOSE_IN_CLOTH : TL_LOOSE_IN_BODIES, 4);
        truncate_fresh(&scene);
        ck_assert(scene.s[0] < 0.01);
    }
    scene_free(&scene);
}
END_TEST

/* A pile of `count` level triangles, GAP apart, with the pairs of neighbours. */
static Scene pile_make(int32_t count) {
    Scene scene = scene_make(3 * count, 15 * count, 1);
    for (int32_t t = 0; t < count; t++) {
        static const double corner[9] = {-1, 0, -1, 1, 0, -1, 0, 0, 1};
        for (int32_t k = 0; k < 9; k++) {
            scene.x[9 * t + k] = corner[k] + (k % 3 == 1 ? GAP * t : 0.0);
        }
    }
    for (int32_t v = 0; v < 3 * count; v++) {
        for (int32_t t = v / 3 - 1; t <= v / 3 + 1; t += 2) {
            if (t >= 0 && t < count) {
                add_pair(&scene, false, (int32_t[4]){v, 3 * t, 3 * t + 1, 3 * t + 2});
            }
        }
    }
    for (int32_t a = 0; a < 3 * count - 3; a++) {
        for (int32_t b = a / 3 * 3 + 3; b < a / 3 * 3 + 6; b++) {
            int32_t a1 = a / 3 * 3 + (a + 1) % 3, b1 = b / 3 * 3 + (b + 1) % 3;
            add_pair(&scene, true, (int32_t[4]){a, a1, b, b1});
        }
    }
    return scene;
}

/* the lowest is stopped in a fast fall: those above come down on it by their gaps, no less */
START_TEST(truncate_pile_comes_down_on_what_stands) {
    enum { COUNT = 6 };
    Scene scene = pile_make(COUNT);
    scene_start(&scene);
    for (int32_t v = 3; v < scene.n; v++) {
        scene.u[3 * v + 1] = -0.5;
    }
    TlTruncated done = truncate_fresh(&scene);
    ck_assert(done.ok && done.passes <= COUNT + 1);
    check_all(&scene);
    for (int32_t t = 1; t < COUNT; t++) {
        ASSERT_NEAR(scene.s[3 * t] * 0.5, t * 0.9 * (GAP - KEPT), 1e-12);
    }
    scene_free(&scene);
}
END_TEST

/* longer chains than there are passes: it ends all the same, safely */
START_TEST(truncate_long_chains_end) {
    static const int32_t counts[] = {9, 20, 60, 200};
    for (int i = 0; i < 4; i++) {
        Scene scene = pile_make(counts[i]);
        scene_start(&scene);
        for (int32_t v = 3; v < scene.n; v++) {
            scene.u[3 * v + 1] = -50.0;
        }
        TlTruncated done = truncate_fresh(&scene);
        ck_assert(done.ok && done.passes <= 42);
        check_all(&scene);
        ck_assert(scene.s[scene.n - 1] > 0.0);
        scene_free(&scene);
    }
}
END_TEST

/* ---- determinism, memory, bad input ---- */

/* Bytes of a soup after some moves. */
static void run_soup(int32_t workers, double *x, TlPair *pairs) {
    TestRandom random = {717};
    Scene scene = soup_make(SOUP, 0.02, workers, &random);
    scene_start(&scene);
    for (int move = 0; move < 4; move++) {
        for (int32_t i = 0; i < 3 * scene.n; i++) {
            scene.u[i] = test_between(&random, -0.003, 0.003);
        }
        set_all(scene.s, scene.n, 1.0);
        ck_assert(truncate_now(&scene).ok);
        move_on(&scene);
    }
    memcpy(x, scene.x, 3 * sizeof *x * (size_t)scene.n);
    memcpy(pairs, scene.pairs.pair, sizeof *pairs * (size_t)scene.pairs.count);
    scene_free(&scene);
}

START_TEST(truncate_same_bytes_for_all_workers) {
    static const int32_t workers[] = {1, 2, 3, 8};
    enum { VALUES = 9 * SOUP, PAIRS = 9 * SOUP * SOUP };
    double x[2][VALUES];
    TlPair *pairs[2] = {test_alloc(PAIRS * sizeof(TlPair)), test_alloc(PAIRS * sizeof(TlPair))};
    memset(pairs[0], 0, PAIRS * sizeof(TlPair));
    memset(pairs[1], 0, PAIRS * sizeof(TlPair));
    for (int w = 0; w < 4; w++) {
        run_soup(workers[w], x[w > 0], pairs[w > 0]);
        ck_assert_mem_eq(x[w > 0], x[0], sizeof x[0]);
        ck_assert_mem_eq(pairs[w > 0], pairs[0], PAIRS * sizeof(TlPair));
    }
    free(pairs[0]);
    free(pairs[1]);
}
END_TEST

/* memory is asked for when there is more than ever before, and then for half as much again */
START_TEST(truncate_asks_for_memory_only_when_counts_grow) {
    TestRandom random = test_random(718);
    Scene scene = soup_make(SOUP, 0.02, 1, &random);
    scene_start(&scene);
    for (int32_t i = 0; i < 3 * scene.n; i++) {
        scene.u[i] = test_between(&random, -0.01, 0.01);
    }
    ck_assert(truncate_fresh(&scene).ok);
    int64_t requests = scene.memory.requests;
    for (int move = 0; move < 5; move++) {
        ck_assert(truncate_fresh(&scene).ok);
    }
    ck_assert_int_eq(scene.memory.requests, requests);
    scene_free(&scene);
    int64_t grown = 0;
    scene = pile_make(300);
    scene_start(&scene);
    for (int32_t count = 1; count < 1000; count++) {
        scene.pairs.vertex_triangle = scene.pairs.count = count;
        requests = scene.memory.requests;
        TlTruncated done = truncate_fresh(&scene);
        grown += scene.memory.requests > requests;
        ck_assert(done.ok && done.growths >= grown);
    }
    ck_assert_int_lt(grown, 16);
    scene_free(&scene);
}
END_TEST

START_TEST(truncate_refused_memory_stops_everything) {
    int32_t refused = 0;
    for (int64_t fail = 2; fail < 12; fail++) {
        Scene scene = one_pair(false, GAP);
        scene_start(&scene);
        scene.memory.fail_at = fail;
        move_sides(&scene, tl_vec3(0, -1.0, 0), tl_vec3(0, 0, 0));
        TlTruncated done = truncate_fresh(&scene);
        for (int32_t v = 0; v < 4 && !done.ok; v++) {
            ck_assert(scene.s[v] == 0.0);
        }
        refused += !done.ok;
        /* and the next time it works */
        scene.memory.fail_at = 0;
        ck_assert(truncate_fresh(&scene).ok);
        check_all(&scene);
        scene_free(&scene);
    }
    ck_assert_int_eq(refused, 6);
}
END_TEST

/* points, lines, equal vertices, motion beyond all measure */
START_TEST(truncate_degenerate_input_gives_numbers) {
    TestRandom random = test_random(719);
    enum { COUNT = 4000 };
    Scene scene = scene_make(4 * COUNT, COUNT, 1);
    scene_start(&scene);
    for (int32_t i = 0; i < COUNT; i++) {
        int32_t vertex[4] = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
        double fast = random_size(&random, -200, 200);
        for (int32_t k = 12 * i; k < 12 * i + 12; k++) {
            scene.x[k] = test_below(&random, 3) - 1;
            scene.u[k] = fast * (test_below(&random, 3) - 1);
        }
        add_pair(&scene, i >= COUNT / 2, vertex);
    }
    ck_assert(truncate_fresh(&scene).ok);
    for (int32_t v = 0; v < scene.n; v++) {
        ck_assert(scene.s[v] >= 0.0 && scene.s[v] <= 1.0);
    }
    for (int32_t p = 0; p < COUNT; p++) {
        ck_assert(tl_is_finite((double)scene.pairs.pair[p].least));
    }
    scene_free(&scene);
}
END_TEST

START_TEST(truncate_nothing_is_fine) {
    Scene scene = scene_make(0, 0, 1);
    scene_start(&scene);
    TlTruncated done = truncate_now(&scene);
    ck_assert(done.ok && done.cut == 0 && done.measured == 0);
    scene_free(&scene);
}
END_TEST

TEST_MAIN("truncate", truncate_random_pairs_stay_apart, truncate_soups_stay_apart,
          truncate_is_needed_by_soups, truncate_leaves_free_fall_alone,
          truncate_leaves_motion_in_common_alone, truncate_measures_no_pair_that_is_far,
          truncate_keeps_half_of_a_small_gap, truncate_shares_the_gap_by_what_each_wants,
          truncate_follower_goes_as_far_as_the_other_leaves,
          truncate_grants_every_corner_its_own_height,
          truncate_pair_at_its_floor_separates_and_slides,
          truncate_pair_at_its_floor_slides_along_any_plane, truncate_takes_off_what_is_solid,
          truncate_holds_what_touches, truncate_keeps_shares_that_are_given,
          truncate_does_not_look_at_loose_pairs, truncate_lines_of_colliders_stay_apart,
          truncate_far_ends_of_lines_do_not_count,
          truncate_lets_pinched_vertices_pass_colliders_alone,
          truncate_pile_comes_down_on_what_stands, truncate_long_chains_end,
          truncate_same_bytes_for_all_workers, truncate_asks_for_memory_only_when_counts_grow,
          truncate_refused_memory_stops_everything, truncate_degenerate_input_gives_numbers,
          truncate_nothing_is_fine)
