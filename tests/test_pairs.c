/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The list of pairs after the cull: nothing is missing that some motion within the sweep brings
 * near, what cannot come near is gone, and order and bits do not depend on workers. */
#include "contact/distance.h"
#include "contact/truncate.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

/* what a float keeps of a distance */
#define SINGLE 1e-6
#define RADIUS 4e-3F

/* Pairs of vertices 4 i to 4 i + 3, each within its own sweep. */
typedef struct Field {
    int32_t n, pair_count;
    double *x, *common, *low, *high;
    double *now; /* at t = from, where that is not 0 */
    double from;
    TlPairs pairs;
    TlPair *all, *plain; /* before the cull, and after it without the sieve */
    TlSifted *sifted;
    int32_t sieved; /* pairs that only the sieve took out */
} Field;

static Field field_make(int32_t triangles, int32_t edges) {
    Field field = {.pair_count = triangles + edges, .n = 4 * (triangles + edges)};
    size_t values = 3 * (size_t)field.n + 1;
    double **arrays[5] = {&field.x, &field.common, &field.low, &field.high, &field.now};
    for (int i = 0; i < 5; i++) {
        *arrays[i] = test_alloc(sizeof(double) * values);
        memset(*arrays[i], 0, sizeof(double) * values);
    }
    field.all = test_alloc(sizeof(TlPair) * ((size_t)field.pair_count + 1));
    field.pairs.pair = test_alloc(sizeof(TlPair) * ((size_t)field.pair_count + 1));
    field.plain = test_alloc(sizeof(TlPair) * ((size_t)field.pair_count + 1));
    field.sifted = test_alloc(sizeof *field.sifted * (size_t)(field.n + 1));
    field.pairs.vertex_triangle = triangles;
    field.pairs.count = field.pairs.capacity = field.pair_count;
    for (int32_t i = 0; i < field.pair_count; i++) {
        field.all[i] = (TlPair){{4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3}, 0, RADIUS, 0, 8e-5F};
    }
    return field;
}

static void field_free(Field *field) {
    free(field->x);
    free(field->common);
    free(field->low);
    free(field->high);
    free(field->now);
    free(field->all);
    free(field->plain);
    free(field->sifted);
    free(field->pairs.pair);
}

/* What is left with the sieve: some of what is left without, the same otherwise. */
static void cull(Field *field, int32_t workers) {
    TlPool *pool = tl_pool_create(workers, NULL);
    TlSweep sweep = {.x = field->x,
                     .common = field->common,
                     .low = field->low,
                     .high = field->high,
                     .now = field->from > 0.0 ? field->now : NULL,
                     .from = field->from,
                     .vertex_count = field->n};
    TlPairs plain = field->pairs;
    plain.pair = field->plain;
    memcpy(plain.pair, field->all, sizeof(TlPair) * (size_t)field->pair_count);
    tl_pairs_cull(pool, &plain, &sweep);
    sweep.sifted = field->sifted;
    memcpy(field->pairs.pair, field->all, sizeof(TlPair) * (size_t)field->pair_count);
    tl_pairs_cull(pool, &field->pairs, &sweep);
    tl_pool_destroy(pool);
    field->sieved = plain.count - field->pairs.count;
    int32_t next = 0;
    for (int32_t i = 0; i < field->pairs.count; i++, next++) {
        while (next < plain.count && plain.pair[next].vertex[0] != field->pairs.pair[i].vertex[0]) {
            next++;
        }
        ck_assert_int_lt(next, plain.count);
        ck_assert_mem_eq(&plain.pair[next], &field->pairs.pair[i], sizeof(TlPair));
    }
}

static TlVec3 random_vec(TestRandom *random, double size) {
    return tl_vec3(test_between(random, -size, size), test_between(random, -size, size),
                   test_between(random, -size, size));
}

/* Pairs of centimetres, some centimetres apart, and motion of all kinds, of which the part until
 * `from` is over. Where they are single precision knows a few micrometres. */
static void scatter(Field *field, double from, TestRandom *random) {
    field->from = from;
    for (int32_t i = 0; i < field->pair_count; i++) {
        double own = pow(10.0, test_between(random, -5, -1.5));
        TlVec3 common = random_vec(random, 1.0), apart = random_vec(random, 0.03);
        TlVec3 place = random_vec(random, 50.0);
        int split = i < field->pairs.vertex_triangle ? 1 : 2;
        for (int32_t v = 4 * i; v < 4 * i + 4; v++) {
            TlVec3 at = tl_add3(place, random_vec(random, 0.01));
            tl_store3(field->x + 3 * v, v - 4 * i < split ? tl_add3(at, apart) : at);
            tl_store3(field->common + 3 * v, tl_add3(common, random_vec(random, own)));
            for (int32_t k = 3 * v; k < 3 * v + 3; k++) {
                field->low[k] = -test_between(random, -0.2, 1) * own;
                field->high[k] = field->low[k] + test_between(random, 0, 2) * own;
                double e = test_between(random, field->low[k], field->high[k]);
                field->now[k] = field->x[k] + from * field->common[k] + e;
            }
        }
        field->all[i].solid = test_below(random, 3) == 0 ? 0.01F : 0.0F;
    }
}

/* Distance of pair i with vertices where they are, or somewhere in the sweep that is left, mostly
 * in corners of their boxes. */
static double somewhere(const Field *field, int32_t i, TestRandom *random) {
    TlVec3 x[4];
    bool still = random == NULL;
    double t = still ? 0.0 : tl_min(1.0, tl_max(field->from, test_between(random, -0.5, 1.5)));
    const double *here = field->from > 0.0 ? field->now : field->x;
    for (int c = 0; c < 4; c++) {
        double at[3];
        for (int a = 0; a < 3; a++) {
            int32_t k = 3 * (4 * i + c) + a;
            double part = still ? 0.0 : tl_min(1.0, tl_max(0.0, test_between(random, -2, 3)));
            double e = field->low[k] + part * (field->high[k] - field->low[k]);
            at[a] = still ? here[k] : field->x[k] + t * field->common[k] + e;
        }
        x[c] = tl_load3(at);
    }
    TlClosest closest =
        i < field->pair_count / 2 ? tl_closest_vertex_triangle(x) : tl_closest_edges(x);
    return closest.distance - (double)field->all[i].solid;
}

START_TEST(cull_keeps_every_pair_that_can_come_near) {
    enum { COUNT = 4000 };
    TestRandom random = test_random(731);
    Field field = field_make(COUNT / 2, COUNT / 2);
    int32_t kept = 0, sieved = 0;
    for (int trial = 0; trial < 10; trial++) {
        field.pairs.vertex_triangle = COUNT / 2;
        field.pairs.count = COUNT;
        scatter(&field, trial % 2 == 1 ? test_between(&random, 0.01, 0.99) : 0.0, &random);
        cull(&field, 1);
        sieved += field.sieved;
        int32_t next = 0;
        for (int32_t i = 0; i < COUNT; i++) {
            bool is_kept = next < field.pairs.count && field.pairs.pair[next].vertex[0] == 4 * i;
            next += is_kept;
            for (int k = 0; k < 40 && !is_kept; k++) {
                ck_assert(somewhere(&field, i, &random) >= (double)RADIUS);
            }
        }
        /* all that are kept were met, so that they are in their old order */
        ck_assert_int_eq(next, field.pairs.count);
        kept += next;
    }
    ck_assert(kept > COUNT && kept < 9 * COUNT);
    /* its directions are others, and sometimes better ones */
    ck_assert_int_gt(sieved, 0);
    field_free(&field);
}
END_TEST

START_TEST(cull_tells_the_distance_from_below) {
    enum { COUNT = 4000 };
    TestRandom random = test_random(732);
    Field field = field_make(COUNT / 2, COUNT / 2);
    for (int later = 0; later < 2; later++) {
        field.pairs.vertex_triangle = COUNT / 2;
        field.pairs.count = COUNT;
        scatter(&field, later ? 0.4 : 0.0, &random);
        cull(&field, 1);
        for (int32_t p = 0; p < field.pairs.count; p++) {
            const TlPair *pair = &field.pairs.pair[p];
            double d = somewhere(&field, pair->vertex[0] / 4, NULL);
            ck_assert((double)pair->least <= d);
            ASSERT_NEAR((double)pair->least, d, SINGLE * fabs(d) + 1e-12);
            /* and everything else is as it was */
            TlPair same = field.all[pair->vertex[0] / 4];
            same.least = pair->least;
            ck_assert_mem_eq(&same, pair, sizeof same);
        }
    }
    field_free(&field);
}
END_TEST

/* A vertex or edge over a triangle or edge of two metres, `apart` from it along y. */
static Field one_pair(bool edges, double apart) {
    static const double triangle[12] = {0, 0, 0, -1, 0, -1, 1, 0, -1, 0, 0, 1};
    static const double cross[12] = {-1, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 1};
    Field field = field_make(!edges, edges);
    memcpy(field.x, edges ? cross : triangle, sizeof cross);
    for (int c = 0; c < (edges ? 2 : 1); c++) {
        field.x[3 * c + 1] = apart;
    }
    return field;
}

static bool is_kept(Field *field) {
    bool edges = field->pairs.vertex_triangle == 0;
    cull(field, 1);
    ck_assert_int_eq(field->pairs.vertex_triangle, edges ? 0 : field->pairs.count);
    bool kept = field->pairs.count == 1;
    field->pairs.count = 1;
    field->pairs.vertex_triangle = !edges;
    return kept;
}

/* boxes of a millimetre on both sides: 6 mm less 2 mm is the radius of 4 mm */
START_TEST(cull_takes_out_what_stays_beyond_the_radius) {
    for (int edges = 0; edges < 2; edges++) {
        for (int far = 0; far < 2; far++) {
            Field field = one_pair(edges, far ? 0.0061 : 0.0059);
            for (int32_t k = 0; k < 3 * field.n; k++) {
                field.low[k] = -0.001;
                field.high[k] = 0.001;
            }
            ck_assert(is_kept(&field) == !far);
            /* what is solid comes on top */
            field.x[1] += 0.25;
            field.x[4] += edges ? 0.25 : 0.0;
            field.all[0].solid = 0.25F;
            ck_assert(is_kept(&field) == !far);
            field_free(&field);
        }
    }
}
END_TEST

/* A kilometre from the first vertex single precision knows 30 micrometres, and a pair that is
 * within reach by a tenth of one is kept. */
START_TEST(cull_counts_what_single_precision_loses) {
    TestRandom random = test_random(734);
    for (int trial = 0; trial < 200; trial++) {
        bool edges = trial % 2 == 1;
        Field pair = one_pair(edges, (double)RADIUS - 1e-7), field = field_make(!edges, edges + 2);
        TlVec3 place = tl_vec3(1000.0, 1000.0 + test_between(&random, 0, 1), -1000.0);
        field.all[0] = field.all[1];
        for (int32_t c = 0; c < 4; c++) {
            /* the pair comes second, so that the first vertex is another one's */
            tl_store3(field.x + 3 * (4 + c), tl_add3(place, tl_load3(pair.x + 3 * c)));
            field.x[3 * c + 2] = 5.0 + (double)c;
        }
        field.pairs.count = field.pair_count = 1;
        field.pairs.vertex_triangle = !edges;
        ck_assert(is_kept(&field));
        field_free(&pair);
        field_free(&field);
    }
}
END_TEST

/* Nor what it loses of products: edges across each other, whose distance is that of the middle,
 * and which are within reach by a part in a hundred million. */
START_TEST(cull_counts_what_products_lose) {
    enum { COUNT = 20000 };
    TestRandom random = test_random(735);
    Field field = field_make(0, COUNT);
    for (int32_t i = 0; i < COUNT; i++) {
        double reach = (double)RADIUS * (1.0 - 1e-8);
        TlVec3 n = tl_unit3(random_vec(&random, 1.0));
        TlVec3 a = tl_unit3(tl_cross3(n, random_vec(&random, 1.0))), b = tl_cross3(n, a);
        a = tl_scale3(test_between(&random, 1e-4, 1e-2), a);
        b = tl_scale3(test_between(&random, 1e-4, 1e-2), b);
        for (int c = 0; c < 4; c++) {
            TlVec3 along = tl_scale3(c % 2 == 0 ? -1.0 : 1.0, c < 2 ? a : b);
            tl_store3(field.x + 3 * (4 * i + c), tl_madd3(along, c < 2 ? reach : 0.0, n));
        }
    }
    cull(&field, 1);
    ck_assert_int_eq(field.pairs.count, COUNT);
    field_free(&field);
}
END_TEST

/* 100 m/s together is no motion; a centimetre less of one side is a centimetre */
START_TEST(cull_does_not_count_common_motion) {
    for (int edges = 0; edges < 2; edges++) {
        Field field = one_pair(edges, 0.01);
        for (int32_t v = 0; v < 4; v++) {
            tl_store3(field.common + 3 * v, tl_vec3(0.3, -1.0, 0.2));
        }
        ck_assert(!is_kept(&field));
        /* along the surface */
        for (int32_t v = edges ? 2 : 1; v < 4; v++) {
            field.common[3 * v] += 0.01;
        }
        ck_assert(!is_kept(&field));
        /* towards each other */
        for (int32_t v = edges ? 2 : 1; v < 4; v++) {
            field.common[3 * v + 1] += 0.01;
        }
        ck_assert(is_kept(&field));
        field_free(&field);
    }
}
END_TEST

/* however small the radius, and whatever is no number */
START_TEST(cull_keeps_what_touches) {
    for (int edges = 0; edges < 2; edges++) {
        Field field = one_pair(edges, 0.0);
        field.all[0].radius = 0.0F;
        ck_assert(is_kept(&field));
        ck_assert(field.pairs.pair[0].least <= 0.0F);
        field.x[1] = (double)NAN;
        ck_assert(is_kept(&field));
        field_free(&field);
    }
}
END_TEST

/* more pairs than a block has, and parts of blocks of either kind */
START_TEST(cull_same_bytes_for_all_workers) {
    static const int32_t workers[] = {2, 3, 8};
    static const int32_t counts[][2] = {{0, 0}, {1, 0}, {0, 3}, {5, 700}, {1301, 2}, {9000, 70001}};
    TestRandom random = test_random(733);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        Field field = field_make(counts[c][0], counts[c][1]);
        scatter(&field, c % 2 == 0 ? 0.0 : 0.7, &random);
        cull(&field, 1);
        TlPairs one = field.pairs;
        one.pair = test_alloc(sizeof(TlPair) * (size_t)(one.count + 1));
        memcpy(one.pair, field.pairs.pair, sizeof(TlPair) * (size_t)one.count);
        for (int w = 0; w < 3; w++) {
            field.pairs.vertex_triangle = counts[c][0];
            field.pairs.count = field.pair_count;
            cull(&field, workers[w]);
            ck_assert_int_eq(field.pairs.count, one.count);
            ck_assert_int_eq(field.pairs.vertex_triangle, one.vertex_triangle);
            ck_assert(memcmp(field.pairs.pair, one.pair, sizeof(TlPair) * (size_t)one.count) == 0);
        }
        free(one.pair);
        field_free(&field);
    }
}
END_TEST

TEST_MAIN("pairs", cull_keeps_every_pair_that_can_come_near, cull_tells_the_distance_from_below,
          cull_takes_out_what_stays_beyond_the_radius, cull_counts_what_single_precision_loses,
          cull_counts_what_products_lose, cull_does_not_count_common_motion,
          cull_keeps_what_touches, cull_same_bytes_for_all_workers)
