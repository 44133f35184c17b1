/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Closest points: known answers, and for random shapes a proof of each result: the points belong to
 * the two things, so that the distance is not smaller than it should be, and a plane across the
 * normal keeps the things apart by as much, so that it is not larger. */
#include "contact/distance.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

/* Sixty-four roundings at the size of the coordinates. */
#define EXACT 1e-14
/* Roundings of the size, seen under the angle that a distance of 1e-4 of the size leaves. */
#define PLANE 1e-10

typedef TlClosest (*Closest)(const TlVec3 x[4]);

static Closest closest_of(bool edges) {
    return edges ? tl_closest_edges : tl_closest_vertex_triangle;
}

static TlVec3 point_of(const TlVec3 x[4], const TlClosest *c, int begin, int end) {
    TlVec3 sum = {0, 0, 0};
    for (int i = begin; i < end; i++) {
        sum = tl_madd3(sum, fabs(c->weight[i]), x[i]);
    }
    return sum;
}

static double size_of(const TlVec3 x[4]) {
    double size = 0.0;
    for (int i = 1; i < 4; i++) {
        size = tl_max(size, tl_length3(tl_sub3(x[i], x[0])));
    }
    return size;
}

/* The weights are those of points of A and B, as far apart as said. */
static void check_points(const TlVec3 x[4], bool edges, const TlClosest *c) {
    int split = edges ? 2 : 1;
    double sum[2] = {0, 0}, size = size_of(x), far = tl_length3(x[0]) + size;
    for (int i = 0; i < 4; i++) {
        ck_assert(i < split ? c->weight[i] >= 0.0 : c->weight[i] <= 0.0);
        sum[i >= split] += c->weight[i];
    }
    ASSERT_NEAR(sum[0], 1.0, EXACT);
    ASSERT_NEAR(sum[1], -1.0, EXACT);
    TlVec3 apart = tl_sub3(point_of(x, c, 0, split), point_of(x, c, split, 4));
    ASSERT_NEAR(tl_length3(apart), c->distance, EXACT * far);
}

/* A plane across the normal parts the things by nearly all of the distance. */
static void check_plane(const TlVec3 x[4], bool edges, const TlClosest *c, double tolerance) {
    int split = edges ? 2 : 1;
    TlVec3 n = tl_load3(c->normal);
    double low = (double)INFINITY, high = -(double)INFINITY;
    ASSERT_NEAR(tl_length3(n), 1.0, EXACT);
    for (int i = 0; i < 4; i++) {
        double at = tl_dot3(n, tl_sub3(x[i], x[0]));
        low = i < split ? tl_min(low, at) : low;
        high = i < split ? high : tl_max(high, at);
    }
    ck_assert_msg(low - high >= c->distance - tolerance * test_scale(),
                  "the plane parts %.17g of %.17g, %.3g less", low - high, c->distance,
                  c->distance - (low - high));
}

static TlVec3 random_vec(TestRandom *random, double size) {
    return tl_vec3(test_between(random, -size, size), test_between(random, -size, size),
                   test_between(random, -size, size));
}

static TlVec3 mixed(TlVec3 a, TlVec3 b, double t) {
    return tl_madd3(tl_scale3(1.0 - t, a), t, b);
}

/* Shapes of size 1, less than a ten-thousandth of it apart at the least. */
typedef enum Shape { ANY, SLIVER, NEAR, PARALLEL, FLAT, LATTICE, SHAPES } Shape;

static void shape_of(Shape shape, TestRandom *random, TlVec3 x[4]) {
    double thin = pow(10.0, test_between(random, -12, -1));
    for (int i = 0; i < 4; i++) {
        x[i] = random_vec(random, 1.0);
        if (shape == LATTICE) {
            x[i] = tl_vec3(test_below(random, 3), test_below(random, 3), test_below(random, 3));
        }
        x[i].z *= shape == FLAT ? 0.0 : 1.0;
    }
    if (shape == SLIVER) {
        x[3] = tl_madd3(x[1], test_between(random, -1, 2), tl_sub3(x[2], x[1]));
        x[3] = tl_madd3(x[3], thin, random_vec(random, 1.0));
    } else if (shape == NEAR) {
        x[0] = tl_scale3(1.0 / 3.0, tl_add3(x[1], tl_add3(x[2], x[3])));
        x[0] = tl_madd3(x[0], test_between(random, 1e-4, 1e-3), random_vec(random, 1.0));
    } else if (shape == PARALLEL) {
        x[1] = tl_madd3(x[0], test_between(random, -2, 2), tl_sub3(x[3], x[2]));
        x[1] = tl_madd3(x[1], thin, random_vec(random, 1.0));
    }
}

START_TEST(distance_is_proved_by_points_and_plane) {
    TestRandom random = test_random(701);
    for (int trial = 0; trial < 400000; trial++) {
        bool edges = trial % 2;
        TlVec3 x[4];
        shape_of((Shape)(trial / 2 % SHAPES), &random, x);
        TlClosest c = closest_of(edges)(x);
        check_points(x, edges, &c);
        if (c.distance > 1e-5) {
            check_plane(x, edges, &c, PLANE);
        }
    }
}
END_TEST

/* brute force: the nearest of points spread over both things is never nearer */
START_TEST(distance_is_that_of_the_nearest_points) {
    TestRandom random = test_random(702);
    for (int trial = 0; trial < 3000; trial++) {
        bool edges = trial % 2;
        TlVec3 x[4];
        shape_of((Shape)(trial / 2 % SHAPES), &random, x);
        TlClosest c = closest_of(edges)(x);
        double least = (double)INFINITY;
        for (int k = 0; k < 1000; k++) {
            double s = test_between(&random, 0, 1), t = test_between(&random, 0, 1);
            double first[4] = {1 - s, s, 1 - t, t}, other[4] = {1, 1 - s, s * (1 - t), s * t};
            const double *w = edges ? first : other;
            TlVec3 d = tl_scale3(w[0], x[0]);
            for (int i = 1; i < 4; i++) {
                d = tl_madd3(d, edges && i == 1 ? w[i] : -w[i], x[i]);
            }
            least = tl_min(least, tl_length3(d));
        }
        ck_assert(c.distance <= least + EXACT);
        ck_assert(c.distance >= least - 0.5);
    }
}
END_TEST

typedef struct Known {
    TlVec3 x[4];
    double weight[4], normal[3], distance;
} Known;

static void check_known(const Known *known, bool edges) {
    TlClosest c = closest_of(edges)(known->x);
    for (int i = 0; i < 4; i++) {
        ASSERT_NEAR(c.weight[i], known->weight[i], EXACT);
        ck_assert(known->weight[i] != 0.0 || c.weight[i] == 0.0);
    }
    for (int i = 0; i < 3; i++) {
        ASSERT_NEAR(c.normal[i], known->normal[i], EXACT);
    }
    ASSERT_NEAR(c.distance, known->distance, EXACT);
}

/* inside, beside an edge, beyond a corner, on either side; touching */
START_TEST(distance_of_vertex_and_triangle_by_hand) {
    static const Known known[] = {
        {{{1, 1, 2}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {1, -0.5, -0.25, -0.25}, {0, 0, 1}, 2},
        {{{1, 1, -3}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {1, -0.5, -0.25, -0.25}, {0, 0, -1}, 3},
        {{{1, -3, 4}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {1, -0.75, -0.25, 0}, {0, -0.6, 0.8}, 5},
        {{{3, 3, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
         {1, 0, -0.5, -0.5},
         {0.70710678118654752, 0.70710678118654752, 0},
         1.4142135623730951},
        {{{7, 0, 4}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {1, 0, -1, 0}, {0.6, 0, 0.8}, 5},
        {{{-3, -4, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {1, -1, 0, 0}, {-0.6, -0.8, 0}, 5},
        {{{1, 1, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {1, -0.5, -0.25, -0.25}, {0, 0, 0}, 0},
        {{{4, 0, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {1, 0, -1, 0}, {0, 0, 0}, 0}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        check_known(&known[i], false);
    }
}
END_TEST

/* crossing, end to inside, end to end; touching */
START_TEST(distance_of_edges_by_hand) {
    static const Known known[] = {
        {{{0, -1, 2}, {0, 3, 2}, {-1, 0, 0}, {1, 0, 0}}, {0.75, 0.25, -0.5, -0.5}, {0, 0, 1}, 2},
        {{{0, -1, -2}, {0, 3, -2}, {-1, 0, 0}, {1, 0, 0}}, {0.75, 0.25, -0.5, -0.5}, {0, 0, -1}, 2},
        {{{0, 3, 4}, {0, 9, 4}, {-1, 0, 0}, {1, 0, 0}}, {1, 0, -0.5, -0.5}, {0, 0.6, 0.8}, 5},
        {{{0, -9, 4}, {0, -3, 4}, {-1, 0, 0}, {1, 0, 0}}, {0, 1, -0.5, -0.5}, {0, -0.6, 0.8}, 5},
        {{{4, -1, 4}, {4, 1, 4}, {-1, 0, 0}, {1, 0, 0}}, {0.5, 0.5, 0, -1}, {0.6, 0, 0.8}, 5},
        {{{4, 4, 0}, {4, 9, 0}, {-1, 0, 0}, {1, 0, 0}}, {1, 0, 0, -1}, {0.6, 0.8, 0}, 5},
        {{{0, -1, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}}, {0.5, 0.5, -0.5, -0.5}, {0, 0, 0}, 0}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        check_known(&known[i], true);
    }
}
END_TEST

/* two or three equal vertices, in every place: an edge, or a point */
START_TEST(distance_of_degenerate_triangles) {
    TestRandom random = test_random(703);
    for (int trial = 0; trial < 20000; trial++) {
        TlVec3 x[4];
        shape_of(trial % 2 ? ANY : LATTICE, &random, x);
        int a = 1 + test_below(&random, 3), b = 1 + a % 3;
        x[b] = x[a];
        if (trial % 5 == 0) {
            x[1] = x[2] = x[3] = x[a];
        }
        TlClosest c = tl_closest_vertex_triangle(x);
        /* the same as an edge against a point */
        TlVec3 e[4] = {x[0], x[0], x[a], x[6 - a - b]};
        ASSERT_NEAR(c.distance, tl_closest_edges(e).distance, EXACT);
        check_points(x, false, &c);
        if (c.distance > 0.0) {
            check_plane(x, false, &c, EXACT / tl_min(c.distance, 1.0));
        }
    }
}
END_TEST

START_TEST(distance_of_parallel_and_empty_edges) {
    TestRandom random = test_random(704);
    for (int trial = 0; trial < 20000; trial++) {
        TlVec3 x[4];
        shape_of(ANY, &random, x);
        TlVec3 along = tl_vec3(test_below(&random, 3) - 1, test_below(&random, 3) - 1, 1);
        /* exactly parallel, on the same line, one or both without extent */
        x[1] = trial % 4 == 3 ? x[0] : tl_add3(x[0], along);
        x[2] =
            trial % 4 == 1 ? tl_add3(x[0], tl_scale3(test_between(&random, -3, 3), along)) : x[2];
        x[3] = trial % 4 == 2 || trial % 8 == 3 ? x[2] : tl_add3(x[2], along);
        TlClosest c = tl_closest_edges(x);
        check_points(x, true, &c);
        if (c.distance > 1e-5) {
            check_plane(x, true, &c, PLANE);
        }
    }
}
END_TEST

/* shapes of all sizes have results of all sizes */
START_TEST(distance_does_not_depend_on_scale) {
    TestRandom random = test_random(705);
    for (int trial = 0; trial < 20000; trial++) {
        bool edges = trial % 2;
        double scale = ldexp(1.0, test_below(&random, 80) - 60);
        TlVec3 x[4], y[4];
        shape_of((Shape)(trial / 2 % SHAPES), &random, x);
        for (int i = 0; i < 4; i++) {
            y[i] = tl_scale3(scale, x[i]);
        }
        TlClosest c = closest_of(edges)(x), d = closest_of(edges)(y);
        ck_assert(c.distance * scale == d.distance);
        ck_assert_mem_eq(c.weight, d.weight, sizeof c.weight);
        ck_assert_mem_eq(c.normal, d.normal, sizeof c.normal);
    }
}
END_TEST

/* coordinates that the move does not round: nothing is lost by it */
START_TEST(distance_is_the_same_far_from_the_origin) {
    TestRandom random = test_random(706);
    for (int trial = 0; trial < 20000; trial++) {
        bool edges = trial % 2;
        TlVec3 x[4], y[4];
        for (int i = 0; i < 4; i++) {
            double v[3];
            for (int k = 0; k < 3; k++) {
                v[k] = ldexp(test_below(&random, 1 << 20), -30);
            }
            x[i] = tl_load3(v);
            y[i] = tl_add3(x[i], tl_vec3(1000, -1000, 1000));
        }
        TlClosest c = closest_of(edges)(x), d = closest_of(edges)(y);
        ck_assert_mem_eq(&c, &d, sizeof c);
    }
}
END_TEST

/* a vertex over the middle of a ground of one kilometre */
START_TEST(distance_normal_is_exact_over_large_triangles) {
    TestRandom random = test_random(707);
    for (int trial = 0; trial < 2000; trial++) {
        double yaw = test_between(&random, 0, 6.28), tilt = test_between(&random, -0.5, 0.5);
        TlVec3 e = tl_vec3(cos(yaw), sin(yaw), tilt), f = tl_vec3(-sin(yaw), cos(yaw), tilt);
        TlVec3 n = tl_unit3(tl_cross3(e, f)), x[4];
        x[1] = tl_scale3(-1000, e);
        x[2] = tl_madd3(tl_scale3(1000, e), -1000, f);
        x[3] = tl_scale3(1000, f);
        x[0] = tl_scale3(1e-4, n);
        TlClosest c = tl_closest_vertex_triangle(x);
        check_plane(x, false, &c, 1e-11);
    }
}
END_TEST

/* triangles down to a millionth of their length: their planes are rounded about the length alone */
START_TEST(distance_normal_is_exact_over_slivers) {
    TestRandom random = test_random(710);
    for (int trial = 0; trial < 20000; trial++) {
        double thin = pow(10.0, test_between(&random, -6, -1));
        TlVec3 x[4], along = random_vec(&random, 1.0), across;
        x[1] = random_vec(&random, 1.0);
        x[2] = tl_add3(x[1], along);
        across = tl_unit3(tl_cross3(along, random_vec(&random, 1.0)));
        x[3] = tl_madd3(mixed(x[1], x[2], test_between(&random, -0.5, 1.5)), thin, across);
        TlVec3 foot = tl_scale3(1.0 / 3.0, tl_add3(x[1], tl_add3(x[2], x[3])));
        x[0] = tl_madd3(foot, 1e-3, tl_unit3(tl_cross3(along, across)));
        TlClosest closest = tl_closest_vertex_triangle(x);
        check_points(x, false, &closest);
        check_plane(x, false, &closest, 1e-3 * PLANE);
    }
}
END_TEST

/* a closest point that is nearly at a corner, or nearly on an edge, still has the normal of its
 * place: distances alone do not tell the places apart */
START_TEST(distance_normal_is_exact_beside_corners_and_edges) {
    TestRandom random = test_random(709);
    for (int trial = 0; trial < 20000; trial++) {
        TlVec3 x[4], a, b, c;
        shape_of(ANY, &random, x);
        int first = test_below(&random, 3);
        a = x[1 + first];
        b = x[1 + (first + 1) % 3];
        c = x[1 + (first + 2) % 3];
        TlVec3 along = tl_unit3(tl_sub3(b, a)), up = tl_unit3(tl_cross3(along, tl_sub3(c, a)));
        TlVec3 inwards = tl_cross3(up, along);
        double side = 1e-4 * pow(10.0, test_between(&random, -12, -6));
        if (trial % 2) {
            x[0] = tl_madd3(tl_madd3(a, side, along), -0.6e-4, inwards);
        } else {
            x[0] = tl_madd3(mixed(a, b, test_between(&random, 0.1, 0.9)), side, inwards);
        }
        x[0] = tl_madd3(x[0], 0.8e-4, up);
        TlClosest closest = tl_closest_vertex_triangle(x);
        check_points(x, false, &closest);
        check_plane(x, false, &closest, PLANE);
    }
}
END_TEST

enum { COUNT = 1003 };

/* any number of them, by a list or all, has the bits of one at a time */
START_TEST(distance_of_many_has_the_bits_of_one) {
    TestRandom random = test_random(708);
    TlPair *pairs = test_alloc(COUNT * sizeof *pairs);
    double *x = test_alloc(12 * COUNT * sizeof *x);
    int32_t *list = test_alloc(COUNT * sizeof *list);
    TlClosest *out = test_alloc((COUNT + 1) * sizeof *out);
    for (int32_t i = 0; i < COUNT; i++) {
        TlVec3 at[4];
        shape_of((Shape)(i % SHAPES), &random, at);
        for (int k = 0; k < 4; k++) {
            tl_store3(x + 3 * (4 * i + k), at[k]);
            pairs[i].vertex[k] = 4 * i + k;
        }
        list[i] = (int32_t)((int64_t)i * 577 % COUNT);
    }
    for (int trial = 0; trial < 40; trial++) {
        bool edges = trial % 2, listed = trial / 2 % 2;
        int32_t begin = test_below(&random, COUNT),
                end = begin + test_below(&random, COUNT - begin);
        memset(out, 77, (COUNT + 1) * sizeof *out);
        tl_closest_pairs(pairs, listed ? list : NULL, begin, end, edges, x, out);
        for (int32_t i = begin; i < end; i++) {
            const double *p = x + 12 * (int64_t)(listed ? list[i] : i);
            TlVec3 at[4] = {tl_load3(p), tl_load3(p + 3), tl_load3(p + 6), tl_load3(p + 9)};
            TlClosest one = closest_of(edges)(at);
            ck_assert_mem_eq(&out[i - begin], &one, sizeof one);
        }
        /* and nothing behind them is written */
        ck_assert_int_eq(((unsigned char *)&out[end - begin])[0], 77);
    }
    free(pairs);
    free(x);
    free(list);
    free(out);
}
END_TEST

TEST_MAIN("distance", distance_is_proved_by_points_and_plane,
          distance_is_that_of_the_nearest_points, distance_of_vertex_and_triangle_by_hand,
          distance_of_edges_by_hand, distance_of_degenerate_triangles,
          distance_of_parallel_and_empty_edges, distance_does_not_depend_on_scale,
          distance_is_the_same_far_from_the_origin, distance_normal_is_exact_over_large_triangles,
          distance_normal_is_exact_over_slivers, distance_normal_is_exact_beside_corners_and_edges,
          distance_of_many_has_the_bits_of_one)
