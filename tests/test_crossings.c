/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of intersections: its exact test against every basic solution of the linear system it
 * stands for, its search against all edges and all triangles, the rules of what counts, solids
 * against points sampled on triangles, and what is refused. */
#include "../plugin/cli/crossings.h"
#include "../plugin/cli/verify_exact.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRID TL_CROSSINGS_GRID_M

/* ---- random numbers ---- */

static uint64_t random_state;

/* 64 bits (splitmix64) */
static uint64_t random_bits(void) {
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 to count - 1 */
static int32_t random_below(int32_t count) {
    return (int32_t)(random_bits() % (uint64_t)count);
}

/* -1 to 1 */
static double random_unit(void) {
    return (double)(int64_t)(random_bits() >> 11) / 4503599627370496.0 - 1.0;
}

/* ---- the exact test ---- */

/* A row of r . (t, u, v) = rhs, or >= rhs. */
typedef struct Row {
    int64_t r[3], rhs;
} Row;

static int64_t determinant(const int64_t a[3], const int64_t b[3], const int64_t c[3]) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* solution of three rows as numerators over *below; false when they are not independent */
static bool solve(const Row *const rows[3], int64_t above[3], int64_t *below) {
    *below = determinant(rows[0]->r, rows[1]->r, rows[2]->r);
    for (int k = 0; k < 3; k++) {
        int64_t m[3][3];
        for (int i = 0; i < 3; i++) {
            memcpy(m[i], rows[i]->r, sizeof m[i]);
            m[i][k] = rows[i]->rhs;
        }
        above[k] = determinant(m[0], m[1], m[2]);
    }
    for (int k = 0; k < 3 && *below < 0; k++)
        above[k] = -above[k];
    *below = *below < 0 ? -*below : *below;
    return *below != 0;
}

/* p + t (q - p) = a + u (b - a) + v (c - a) with t in 0 to 1, u, v >= 0 and u + v <= 1 has a
 * solution if and only if one exists where three independent rows hold as equalities. Small
 * coordinates only. */
static bool meets_by_enumeration(int64_t x[5][3]) {
    Row rows[8];
    for (int k = 0; k < 3; k++)
        rows[k] =
            (Row){{x[1][k] - x[0][k], x[2][k] - x[3][k], x[2][k] - x[4][k]}, x[2][k] - x[0][k]};
    rows[3] = (Row){{1, 0, 0}, 0};
    rows[4] = (Row){{-1, 0, 0}, -1};
    rows[5] = (Row){{0, 1, 0}, 0};
    rows[6] = (Row){{0, 0, 1}, 0};
    rows[7] = (Row){{0, -1, -1}, -1};
    for (int i = 0; i < 8; i++)
        for (int j = i + 1; j < 8; j++)
            for (int k = j + 1; k < 8; k++) {
                const Row *const chosen[3] = {&rows[i], &rows[j], &rows[k]};
                int64_t above[3], below;
                bool holds = solve(chosen, above, &below);
                for (int n = 0; n < 8 && holds; n++) {
                    int64_t left = rows[n].r[0] * above[0] + rows[n].r[1] * above[1] +
                                   rows[n].r[2] * above[2] - rows[n].rhs * below;
                    holds = n < 3 ? left == 0 : left >= 0;
                }
                if (holds)
                    return true;
            }
    return false;
}

static bool meets(int64_t x[5][3]) {
    return tl_segment_meets_triangle(x[0], x[1], x[2], x[3], x[4]);
}

/* coordinates of few values make every kind of touching, flatness and coincidence common */
START_TEST(exact_test_agrees_with_enumeration) {
    int met = 0, count = 200000;
    random_state = 7;
    for (int n = 0; n < count; n++) {
        int64_t x[5][3];
        int32_t values = 2 + n % 6;
        for (int i = 0; i < 15; i++)
            x[i / 3][i % 3] = random_below(values);
        bool expected = meets_by_enumeration(x);
        met += expected;
        ck_assert_msg(meets(x) == expected,
                      "(%d %d %d)-(%d %d %d) and (%d %d %d) (%d %d %d) (%d %d %d): not %d",
                      (int)x[0][0], (int)x[0][1], (int)x[0][2], (int)x[1][0], (int)x[1][1],
                      (int)x[1][2], (int)x[2][0], (int)x[2][1], (int)x[2][2], (int)x[3][0],
                      (int)x[3][1], (int)x[3][2], (int)x[4][0], (int)x[4][1], (int)x[4][2],
                      expected);
    }
    ck_assert_int_gt(met, count / 10);
    ck_assert_int_lt(met, 9 * count / 10);
}
END_TEST

/* one unit above, on and below a plane whose coordinates fill the range */
START_TEST(exact_test_is_exact_at_the_limit) {
    const int64_t far = TL_EXACT_LIMIT;
    for (int64_t height = -1; height <= 1; height++) {
        /* the middle of the triangle's long side, and a point far above */
        int64_t x[5][3] = {
            {0, 0, height}, {1, 1, far}, {-far, -far, -far}, {far, far, far}, {far, -far, 0}};
        ck_assert_int_eq(meets(x), height <= 0);
    }
    for (int64_t height = 0; height <= 1; height++) {
        /* a sliver through three nearly collinear points: only exact signs tell its side */
        int64_t x[5][3] = {{far, far, far - 1},
                           {far, far, far},
                           {-far, -far, -far},
                           {0, 0, height},
                           {far - 1, far - 1, far - 1}};
        ck_assert_int_eq(meets(x), 0);
        memcpy(x[1], x[4], sizeof x[1]);
        ck_assert_int_eq(meets(x), 1);
    }
}
END_TEST

/* ---- scenes ---- */

/* A mesh that is built face by face. */
typedef struct Mesh {
    double x[3000];
    int32_t face_sizes[1000], corners[4000];
    int32_t vertex_count, face_count, corner_count;
} Mesh;

static void add_vertex(Mesh *mesh, double x, double y, double z) {
    double *at = mesh->x + (ptrdiff_t)3 * mesh->vertex_count++;
    at[0] = x;
    at[1] = y;
    at[2] = z;
}

static void add_face(Mesh *mesh, int32_t size, const int32_t *corners) {
    mesh->face_sizes[mesh->face_count++] = size;
    for (int32_t i = 0; i < size; i++)
        mesh->corners[mesh->corner_count++] = corners[i];
}

/* three new vertices and their triangle */
static void add_triangle(Mesh *mesh, const double x[9]) {
    int32_t v = mesh->vertex_count;
    for (int i = 0; i < 3; i++)
        add_vertex(mesh, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    add_face(mesh, 3, (const int32_t[]){v, v + 1, v + 2});
}

/* a square of n x n quads, one metre wide, at a height */
static void add_sheet(Mesh *mesh, int32_t n, double y) {
    int32_t first = mesh->vertex_count;
    for (int32_t j = 0; j <= n; j++)
        for (int32_t i = 0; i <= n; i++)
            add_vertex(mesh, (double)i / n, y, (double)j / n);
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < n; i++) {
            int32_t a = first + j * (n + 1) + i;
            add_face(mesh, 4, (const int32_t[]){a, a + 1, a + n + 2, a + n + 1});
        }
}

static TlCrossBody body_of(const Mesh *mesh, const char *name) {
    return (TlCrossBody){.name = name,
                         .x = mesh->x,
                         .vertex_count = mesh->vertex_count,
                         .face_count = mesh->face_count,
                         .face_sizes = mesh->face_sizes,
                         .corners = mesh->corners};
}

/* intersections of one cloth with itself; `crossings` is to be freed */
static int64_t find_in(TlCrossings *crossings, const Mesh *mesh) {
    TlCrossBody body = body_of(mesh, "cloth");
    TlCrossScene scene = {.bodies = &body, .cloth_count = 1, .body_count = 1, .cloth_cloth = true};
    ToileError error = toile_error_default();
    ToileStatus status = tl_crossings_find(crossings, &scene, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    return crossings->count;
}

static int64_t count_in(const Mesh *mesh) {
    TlCrossings crossings = {0};
    int64_t count = find_in(&crossings, mesh);
    tl_crossings_free(&crossings);
    return count;
}

/* two triangles; `b` is the second */
static int64_t count_of_two(const double a[9], const double b[9]) {
    static Mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    add_triangle(&mesh, a);
    add_triangle(&mesh, b);
    return count_in(&mesh);
}

static const double flat[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1};

START_TEST(edges_that_meet_triangles_are_counted) {
    /* one edge of each through the other; two edges of one; apart by a unit of the grid */
    ck_assert_int_eq(count_of_two(flat, (double[]){.2, -.5, .2, .2, .5, .2, 3, .5, .1}), 2);
    ck_assert_int_eq(count_of_two(flat, (double[]){.1, -.1, .1, .2, .5, .2, .4, .5, .1}), 2);
    ck_assert_int_eq(count_of_two(flat, (double[]){.2, GRID, .2, .2, .5, .2, 3, .5, .1}), 0);
    /* less than half of it is rounded away, and touching counts */
    ck_assert_int_ge(count_of_two(flat, (double[]){.2, .4 * GRID, .2, .2, .5, .2, 3, .5, .1}), 1);
}
END_TEST

START_TEST(touching_counts) {
    /* a corner on the face, on an edge, on a corner; an edge along the face, over two of its edges;
     * the same triangle again */
    ck_assert_int_eq(count_of_two(flat, (double[]){.25, 0, .25, .2, 1, .2, .3, 1, .2}), 2);
    ck_assert_int_eq(count_of_two(flat, (double[]){.5, 0, 0, .5, 1, -.2, .6, 1, -.2}), 3);
    ck_assert_int_eq(count_of_two(flat, (double[]){0, 0, 0, 0, 1, 0, -1, 1, 0}), 4);
    ck_assert_int_eq(count_of_two(flat, (double[]){0, 0, -1, .5, 0, 1, .5, 1, 0}), 3);
    ck_assert_int_eq(count_of_two(flat, flat), 6);
}
END_TEST

START_TEST(coplanar_overlap_counts_and_neighbours_do_not) {
    ck_assert_int_eq(count_of_two(flat, (double[]){.1, 0, .1, .2, 0, .1, .1, 0, .2}), 3);
    ck_assert_int_gt(count_of_two(flat, (double[]){-1, 0, .1, 2, 0, .1, -1, 0, .2}), 0);
    ck_assert_int_eq(count_of_two(flat, (double[]){2, 0, 0, 3, 0, 0, 2, 0, 1}), 0);
    static Mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    add_sheet(&mesh, 10, 0.0);
    ck_assert_int_eq(count_in(&mesh), 0);
    add_sheet(&mesh, 10, 0.0);
    ck_assert_int_gt(count_in(&mesh), 500);
}
END_TEST

START_TEST(folded_neighbours_are_not_reported) {
    static Mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    /* two triangles folded onto each other along their common edge, exactly */
    add_vertex(&mesh, 0, 0, 0);
    add_vertex(&mesh, 1, 0, 0);
    add_vertex(&mesh, 0.5, 0, 1);
    add_vertex(&mesh, 0.4, 0, 1.1);
    add_face(&mesh, 3, (const int32_t[]){0, 1, 2});
    add_face(&mesh, 3, (const int32_t[]){1, 0, 3});
    ck_assert_int_eq(count_in(&mesh), 0);
    /* a strip in pleats, a unit of the grid apart at the open ends */
    memset(&mesh, 0, sizeof mesh);
    for (int32_t i = 0; i < 40; i++)
        for (int32_t j = 0; j < 2; j++)
            add_vertex(&mesh, i % 2, i * GRID, j);
    for (int32_t i = 0; i < 39; i++)
        add_face(&mesh, 4, (const int32_t[]){2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2});
    ck_assert_int_eq(count_in(&mesh), 0);
}
END_TEST

START_TEST(faces_with_a_common_vertex_may_pass_through_each_other) {
    static Mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    add_triangle(&mesh, flat);
    add_vertex(&mesh, .5, -.5, .2);
    add_vertex(&mesh, .5, .5, .2);
    add_face(&mesh, 3, (const int32_t[]){0, 3, 4});
    /* the edge opposite the common vertex goes through */
    ck_assert_int_eq(count_in(&mesh), 1);
    /* on one side only the common vertex is left */
    mesh.x[3 * 3 + 1] = .1;
    ck_assert_int_eq(count_in(&mesh), 0);
}
END_TEST

/* ---- quads ---- */

/* A quad that is no plane: its diagonals pass each other at x = z = 1/2, the one at y = 0, the
 * other at y = 1. A short vertical segment (as a thin triangle) meets the one or the other. */
static int64_t count_at_quad(const int32_t order[4], int32_t lifted, double height) {
    static Mesh mesh;
    static const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    memset(&mesh, 0, sizeof mesh);
    for (int32_t i = 0; i < 4; i++)
        add_vertex(&mesh, square[i][0], i % 2 == lifted, square[i][1]);
    add_face(&mesh, 4, order);
    add_triangle(&mesh, (double[]){.5, height - .1, .5, .5, height + .1, .5, .501, height, .5});
    return count_in(&mesh);
}

START_TEST(quads_are_cut_through_their_lowest_vertex) {
    for (int32_t turn = 0; turn < 4; turn++)
        for (int32_t winding = -1; winding <= 1; winding += 2) {
            int32_t order[4];
            for (int32_t i = 0; i < 4; i++)
                order[i] = (turn + winding * i + 8) % 4;
            /* vertices 0 and 2 are low, so is their diagonal; and when these are lifted */
            ck_assert_int_gt(count_at_quad(order, 1, 0.0), 0);
            ck_assert_int_eq(count_at_quad(order, 1, 1.0), 0);
            ck_assert_int_gt(count_at_quad(order, 0, 1.0), 0);
            ck_assert_int_eq(count_at_quad(order, 0, 0.0), 0);
        }
}
END_TEST

/* the number of the vertex decides, not its place in the face */
START_TEST(renumbering_moves_the_diagonal) {
    static Mesh mesh;
    for (int32_t low = 0; low < 4; low++) {
        memset(&mesh, 0, sizeof mesh);
        static const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
        int32_t corners[4];
        for (int32_t i = 0; i < 4; i++) {
            /* place i of the square gets the number (i - low) mod 4 */
            int32_t place = (i + low) % 4;
            add_vertex(&mesh, square[place][0], place % 2, square[place][1]);
            corners[place] = i;
        }
        add_face(&mesh, 4, corners);
        add_triangle(&mesh, (double[]){.5, -.1, .5, .5, .1, .5, .501, 0, .5});
        ck_assert_int_eq(count_in(&mesh) > 0, low % 2 == 0);
    }
}
END_TEST

/* ---- search against brute force ---- */

/* All edges against all triangles, with lists of their own. */
typedef struct Brute {
    int32_t triangles[6000][3], face[6000], body[6000];
    int32_t triangle_count;
    int64_t count;
    int64_t between[8][8];
    TlCrossing *pairs;
    int32_t pair_count;
} Brute;

static int compare_pairs(const void *a, const void *b) {
    const TlCrossing *x = a, *y = b;
    if (x->body != y->body)
        return x->body < y->body ? -1 : 1;
    if (x->face != y->face)
        return x->face < y->face ? -1 : 1;
    if (x->other != y->other)
        return x->other < y->other ? -1 : 1;
    return (x->other_face > y->other_face) - (x->other_face < y->other_face);
}

static void brute_triangles(Brute *brute, const TlCrossScene *scene) {
    for (int32_t b = 0; b < scene->body_count; b++) {
        const TlCrossBody *body = &scene->bodies[b];
        const int32_t *corners = body->corners;
        for (int32_t f = 0; f < body->face_count; f++) {
            int32_t size = body->face_sizes[f], low = 0;
            while (low < size) {
                bool lowest = true;
                for (int32_t i = 0; i < size; i++)
                    lowest = lowest && corners[low] <= corners[i];
                if (lowest)
                    break;
                low++;
            }
            for (int32_t i = 1; i + 1 < size; i++) {
                int32_t t = brute->triangle_count++;
                brute->face[t] = f;
                brute->body[t] = b;
                brute->triangles[t][0] = corners[low];
                brute->triangles[t][1] = corners[(low + i) % size];
                brute->triangles[t][2] = corners[(low + i + 1) % size];
            }
            corners += size;
        }
    }
}

static void brute_point(const TlCrossBody *body, int32_t vertex, int64_t out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = (int64_t)floor(body->x[3 * vertex + k] / GRID + 0.5);
}

static bool has_edge(const int32_t *triangle, int32_t a, int32_t b) {
    for (int k = 0; k < 3; k++) {
        int32_t c = triangle[k], d = triangle[(k + 1) % 3];
        if ((c == a && d == b) || (c == b && d == a))
            return true;
    }
    return false;
}

/* side k of triangle t, if no triangle before has the edge */
static bool is_first(const Brute *brute, int32_t t, int k) {
    int32_t a = brute->triangles[t][k], b = brute->triangles[t][(k + 1) % 3];
    for (int j = 0; j < k; j++) {
        int32_t c = brute->triangles[t][j], d = brute->triangles[t][(j + 1) % 3];
        if ((c == a && d == b) || (c == b && d == a))
            return false;
    }
    for (int32_t i = 0; i < t; i++)
        if (brute->body[i] == brute->body[t] && has_edge(brute->triangles[i], a, b))
            return false;
    return a != b;
}

static void brute_edge(Brute *brute, const TlCrossScene *scene, int32_t t, int32_t a, int32_t b) {
    int64_t x[5][3];
    int32_t own = brute->body[t];
    brute_point(&scene->bodies[own], a, x[0]);
    brute_point(&scene->bodies[own], b, x[1]);
    for (int32_t i = 0; i < brute->triangle_count; i++) {
        int32_t other = brute->body[i], cloths = scene->cloth_count;
        const int32_t *corners = brute->triangles[i];
        bool shared = false;
        for (int k = 0; k < 3; k++) {
            shared = shared || (own == other && (corners[k] == a || corners[k] == b));
            brute_point(&scene->bodies[other], corners[k], x[2 + k]);
        }
        bool solids = own >= cloths && other >= cloths;
        bool cloth = own < cloths && other < cloths && !scene->cloth_cloth;
        if (shared || solids || cloth || !meets(x))
            continue;
        TlCrossing pair = {own, brute->face[t], other, brute->face[i]};
        TlCrossing back = {other, brute->face[i], own, brute->face[t]};
        pair = compare_pairs(&pair, &back) > 0 ? back : pair;
        if (pair.body > pair.other)
            pair = (TlCrossing){pair.other, pair.other_face, pair.body, pair.face};
        brute->count++;
        brute->between[pair.body][pair.other]++;
        brute->pairs[brute->pair_count++] = pair;
        ck_assert_int_lt(brute->pair_count, 4000000);
    }
}

static void brute_force(Brute *brute, const TlCrossScene *scene) {
    brute->pairs = malloc(4000000 * sizeof *brute->pairs);
    ck_assert_ptr_nonnull(brute->pairs);
    brute_triangles(brute, scene);
    for (int32_t t = 0; t < brute->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (is_first(brute, t, k))
                brute_edge(brute, scene, t, brute->triangles[t][k],
                           brute->triangles[t][(k + 1) % 3]);
    qsort(brute->pairs, (size_t)brute->pair_count, sizeof *brute->pairs, compare_pairs);
    int32_t kept = 0;
    for (int32_t i = 0; i < brute->pair_count; i++)
        if (i == 0 || compare_pairs(&brute->pairs[i], &brute->pairs[i - 1]) != 0)
            brute->pairs[kept++] = brute->pairs[i];
    brute->pair_count = kept;
}

static void assert_like_brute_force(TlCrossings *crossings, const TlCrossScene *scene) {
    static Brute brute;
    ToileError error = toile_error_default();
    memset(&brute, 0, sizeof brute);
    brute_force(&brute, scene);
    ToileStatus status = tl_crossings_find(crossings, scene, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    ck_assert_int_eq(crossings->count, brute.count);
    ck_assert_int_eq(crossings->pair_count, brute.pair_count);
    for (int32_t i = 0; i < brute.pair_count; i++)
        ck_assert_int_eq(compare_pairs(&crossings->pairs[i], &brute.pairs[i]), 0);
    for (int32_t a = 0; a < scene->cloth_count; a++)
        for (int32_t b = a; b < scene->body_count; b++)
            ck_assert_int_eq(tl_crossings_between(crossings, a, b), brute.between[a][b]);
    free(brute.pairs);
}

/* faces of 3 to 5 corners over random points; `size` of a face decides how much meets */
static void make_soup(Mesh *mesh, int32_t faces, double size, double reach) {
    memset(mesh, 0, sizeof *mesh);
    for (int32_t f = 0; f < faces; f++) {
        double middle[3] = {reach * random_unit(), reach * random_unit(), reach * random_unit()};
        int32_t corners[5], count = 3 + random_below(3);
        for (int32_t i = 0; i < count; i++) {
            /* half of the corners are those of earlier faces nearby */
            if (mesh->vertex_count > 4 && random_below(2) == 0) {
                corners[i] = mesh->vertex_count - 1 - random_below(4);
            } else {
                corners[i] = mesh->vertex_count;
                add_vertex(mesh, middle[0] + size * random_unit(), middle[1] + size * random_unit(),
                           middle[2] + size * random_unit());
            }
        }
        add_face(mesh, count, corners);
    }
}

/* of every size, from dust to triangles far larger than the rest, and on a grid so coarse that
 * nearly all is degenerate */
START_TEST(search_finds_what_brute_force_finds) {
    static Mesh meshes[4];
    static const double sizes[4] = {0.02, 0.1, 0.3, 20.0};
    TlCrossings crossings = {0};
    int64_t total = 0;
    random_state = 100 + (uint64_t)_i;
    for (int round = 0; round < 12; round++) {
        TlCrossBody bodies[4];
        for (int32_t b = 0; b < 4; b++) {
            int32_t faces = round == 0 ? b : 1 + random_below(60);
            make_soup(&meshes[b], faces, sizes[random_below(b == 3 ? 4 : 3)], 1.0);
            for (int32_t i = 0; round % 4 == 3 && i < 3 * meshes[b].vertex_count; i++)
                meshes[b].x[i] = floor(3.0 * meshes[b].x[i]) / 4.0;
            bodies[b] = body_of(&meshes[b], "soup");
        }
        TlCrossScene scene = {.bodies = bodies,
                              .cloth_count = round % 4,
                              .body_count = 4,
                              .cloth_cloth = round % 5 != 4};
        assert_like_brute_force(&crossings, &scene);
        total += crossings.count;
    }
    ck_assert_int_gt(total, 1000);
    tl_crossings_free(&crossings);
}
END_TEST

START_TEST(many_layers_are_searched_like_brute_force) {
    static Mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    for (int32_t layer = 0; layer < 8; layer++)
        add_sheet(&mesh, 10, 0.001 * layer);
    random_state = 3;
    for (int32_t v = 0; v < mesh.vertex_count; v++)
        mesh.x[3 * v + 1] += 0.0006 * random_unit();
    TlCrossBody body = body_of(&mesh, "stack");
    TlCrossScene scene = {.bodies = &body, .cloth_count = 1, .body_count = 1, .cloth_cloth = true};
    TlCrossings crossings = {0};
    assert_like_brute_force(&crossings, &scene);
    ck_assert_int_gt(crossings.count, 50);
    tl_crossings_free(&crossings);
}
END_TEST

/* ---- far away, large, refused ---- */

/* shifts by whole multiples of the grid change nothing */
START_TEST(far_scenes_give_the_same_faces) {
    static const double shifts[3][3] = {{1000, 0, 1000}, {-1e6, 3, 7}, {0.25, -1e6, 1e6}};
    static Mesh mesh;
    TlCrossings near = {0}, far = {0};
    random_state = 11;
    make_soup(&mesh, 300, 0.1, 1.0);
    /* positions that are doubles at a distance too */
    for (int32_t i = 0; i < 3 * mesh.vertex_count; i++)
        mesh.x[i] = floor(mesh.x[i] / GRID) * GRID;
    int64_t count = find_in(&near, &mesh);
    ck_assert_int_gt(count, 50);
    for (int s = 0; s < 3; s++) {
        static Mesh moved;
        moved = mesh;
        for (int32_t i = 0; i < 3 * mesh.vertex_count; i++)
            moved.x[i] += shifts[s][i % 3];
        ck_assert_int_eq(find_in(&far, &moved), count);
        ck_assert_int_eq(far.pair_count, near.pair_count);
        ck_assert_mem_eq(far.pairs, near.pairs, (size_t)near.pair_count * sizeof *near.pairs);
    }
    tl_crossings_free(&near);
    tl_crossings_free(&far);
}
END_TEST

START_TEST(collider_triangles_of_kilometres_are_met) {
    static Mesh sheet, floor_mesh;
    const double far = 5000.0;
    for (int below = 0; below <= 1; below++) {
        memset(&sheet, 0, sizeof sheet);
        memset(&floor_mesh, 0, sizeof floor_mesh);
        add_sheet(&sheet, 10, 0.0);
        sheet.x[3 * 60 + 1] = below ? -0.011 : -0.009;
        add_triangle(&floor_mesh, (double[]){-far, -0.01, -far, far, -0.01, -far, 0, -0.01, far});
        TlCrossBody bodies[2] = {body_of(&sheet, "sheet"), body_of(&floor_mesh, "floor")};
        TlCrossScene scene = {
            .bodies = bodies, .cloth_count = 1, .body_count = 2, .cloth_cloth = true};
        TlCrossings crossings = {0};
        ck_assert_int_eq(tl_crossings_find(&crossings, &scene, NULL), TOILE_STATUS_OK);
        /* the edges of the lowered vertex */
        ck_assert_int_eq(crossings.count, below ? 6 : 0);
        ck_assert_int_eq(tl_crossings_between(&crossings, 0, 1), crossings.count);
        ck_assert_int_eq(tl_crossings_between(&crossings, 0, 0), 0);
        tl_crossings_free(&crossings);
    }
}
END_TEST

static void assert_refused(const Mesh *mesh, const char *text) {
    TlCrossBody body = body_of(mesh, "torn");
    TlCrossScene scene = {.bodies = &body, .cloth_count = 1, .body_count = 1, .cloth_cloth = true};
    ToileError error = toile_error_default();
    TlCrossings crossings = {0};
    ck_assert_int_eq(tl_crossings_find(&crossings, &scene, &error), TOILE_STATUS_INVALID_DATA);
    ck_assert_msg(strstr(error.message, text) && strstr(error.message, "'torn'"), "%s",
                  error.message);
    tl_crossings_free(&crossings);
}

START_TEST(what_cannot_be_checked_is_refused) {
    static Mesh mesh;
    add_sheet(&mesh, 2, 0.0);
    mesh.x[3 * 4 + 2] = (double)NAN;
    assert_refused(&mesh, "Vertex 4 of");
    mesh.x[3 * 4 + 2] = -(double)INFINITY;
    assert_refused(&mesh, "Vertex 4 of");
    mesh.x[3 * 4 + 2] = 2.0 * TL_CROSSINGS_REACH_M + 10.0;
    assert_refused(&mesh, "exact arithmetic reaches 8192 m");
    mesh.x[3 * 4 + 2] = 0.0;
    mesh.face_sizes[3] = 2;
    assert_refused(&mesh, "Face 3 of 'torn' has 2 corners");
}
END_TEST

START_TEST(nothing_to_check_is_clean) {
    static Mesh mesh;
    TlCrossings crossings = {0};
    TlCrossScene scene = {.cloth_cloth = true};
    ck_assert_int_eq(tl_crossings_find(&crossings, &scene, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(crossings.count, 0);
    ck_assert_int_eq(find_in(&crossings, &mesh), 0);
    tl_crossings_free(&crossings);
}
END_TEST

/* ---- solids ---- */

static ToileColliderDef collider_of(int32_t shape) {
    ToileColliderDef def = toile_collider_def_default();
    def.shape = shape;
    def.radius_m = 0.5;
    for (int k = 0; k < 3; k++) {
        def.center_m[k] = 0.1 * (k + 1);
        def.end_m[k] = 0.7 - 0.5 * k;
        def.half_m[k] = 0.2 + 0.2 * k;
        def.normal[k] = k == 1 ? 2.0 : 0.3 * k;
    }
    return def;
}

/* how deep a point is in a collider without pose; below 0: outside */
static double depth_at(const ToileColliderDef *def, const double p[3]) {
    double along2 = 0.0, t = 0.0, d2 = 0.0, inside = HUGE_VAL, height = 0.0, length2 = 0.0;
    for (int k = 0; k < 3; k++) {
        double axis = def->end_m[k] - def->center_m[k], away = p[k] - def->center_m[k];
        along2 += axis * axis;
        t += axis * away;
        height -= def->normal[k] * away;
        length2 += def->normal[k] * def->normal[k];
        inside = def->half_m[k] - fabs(away) < inside ? def->half_m[k] - fabs(away) : inside;
    }
    t = def->shape == TOILE_COLLIDER_CAPSULE ? t / along2 : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    for (int k = 0; k < 3; k++) {
        double away = p[k] - def->center_m[k] - t * (def->end_m[k] - def->center_m[k]);
        d2 += away * away;
    }
    if (def->shape == TOILE_COLLIDER_BOX)
        return inside;
    return def->shape == TOILE_COLLIDER_PLANE ? height / sqrt(length2) : def->radius_m - sqrt(d2);
}

#define SAMPLES 60 /* of a triangle's sides */

/* greatest depth of points on a triangle; the triangle itself is deeper by up to *more */
static double sampled_depth(const ToileColliderDef *def, double x[3][3], double *more) {
    double deepest = -HUGE_VAL, longest2 = 0.0;
    for (int i = 0; i <= SAMPLES; i++)
        for (int j = 0; i + j <= SAMPLES; j++) {
            double p[3];
            for (int k = 0; k < 3; k++)
                p[k] = (i * x[0][k] + j * x[1][k] + (SAMPLES - i - j) * x[2][k]) / SAMPLES;
            double depth = depth_at(def, p);
            deepest = depth > deepest ? depth : deepest;
        }
    for (int i = 0; i < 3; i++) {
        double side2 = 0.0;
        for (int k = 0; k < 3; k++)
            side2 += (x[i][k] - x[(i + 1) % 3][k]) * (x[i][k] - x[(i + 1) % 3][k]);
        longest2 = side2 > longest2 ? side2 : longest2;
    }
    *more = sqrt(longest2) / SAMPLES;
    return deepest;
}

/* the depth at which a triangle begins to count lies between what sampling found and that plus the
 * distance of samples, for depth changes by no more than the distance does */
START_TEST(solids_are_entered_as_deep_as_sampled_points) {
    static const int32_t shapes[4] = {TOILE_COLLIDER_SPHERE, TOILE_COLLIDER_PLANE,
                                      TOILE_COLLIDER_BOX, TOILE_COLLIDER_CAPSULE};
    int entered = 0, missed = 0;
    random_state = 21;
    for (int n = 0; n < 8000; n++) {
        ToileColliderDef def = collider_of(shapes[n % 4]);
        TlSolid solid = tl_solid_of(&def);
        double x[3][3], more, size = n % 3 == 0 ? 2.0 : 0.3;
        for (int i = 0; i < 9; i++)
            x[i / 3][i % 3] = (i < 3 ? 1.2 : size) * random_unit() + (i < 3 ? 0.0 : x[0][i % 3]);
        /* some are segments */
        if (n % 7 == 0)
            memcpy(x[2], x[1], sizeof x[2]);
        double depth = sampled_depth(&def, x, &more);
        bool deep = depth > 1e-6;
        entered += deep;
        missed += !deep;
        if (deep) {
            ck_assert(tl_solid_entered(&solid, (const double(*)[3])x, depth - 1e-9));
            ck_assert(tl_solid_entered(&solid, (const double(*)[3])x, 0.0));
        }
        if (depth + more > 0.0)
            ck_assert(!tl_solid_entered(&solid, (const double(*)[3])x, depth + more + 1e-9));
        else
            ck_assert(!tl_solid_entered(&solid, (const double(*)[3])x, 0.0));
    }
    ck_assert_int_gt(entered, 1000);
    ck_assert_int_gt(missed, 1000);
}
END_TEST

/* turned by a third of a circle about (1, 1, 1), which makes x to y to z, and moved far away */
START_TEST(posed_solids_are_entered_like_those_at_rest) {
    const double third = 2.0943951023931953 / sqrt(3.0);
    int entered = 0;
    random_state = 22;
    for (int n = 0; n < 2000; n++) {
        ToileColliderDef def = collider_of(n % 4);
        TlSolid still = tl_solid_of(&def);
        def.pose = (ToilePose){{1000, -3, 1000}, {third, third, third}};
        TlSolid moved = tl_solid_of(&def);
        double x[3][3], y[3][3];
        for (int i = 0; i < 9; i++) {
            x[i / 3][i % 3] = random_unit();
            y[i / 3][(i + 1) % 3] = x[i / 3][i % 3] + def.pose.translate_m[(i + 1) % 3];
        }
        bool in = tl_solid_entered(&still, (const double(*)[3])x, 0.01);
        entered += in;
        ck_assert_int_eq(tl_solid_entered(&moved, (const double(*)[3])y, 0.01), in);
        ck_assert_str_eq(moved.name, def.name);
    }
    ck_assert_int_gt(entered, 200);
    ck_assert_int_lt(entered, 1900);
}
END_TEST

/* a sheet above a ball, with a vertex or only the middle of a face in it */
START_TEST(faces_in_solids_are_listed_beside_meshes) {
    static Mesh sheet, wall;
    memset(&sheet, 0, sizeof sheet);
    memset(&wall, 0, sizeof wall);
    add_sheet(&sheet, 1, 0.0);
    add_triangle(&wall, (double[]){2, -1, 0, 2, 1, 0, 2, 0, 1});
    ToileColliderDef ball = toile_collider_def_default();
    ball.center_m[0] = 0.75;
    ball.center_m[2] = 0.25;
    ball.radius_m = 0.1;
    TlCrossBody bodies[2] = {body_of(&sheet, "sheet"), body_of(&wall, "wall")};
    TlCrossings crossings = {0};
    /* deeper than the tolerance or not; coarse numbers are allowed more */
    static const double heights[4] = {-0.1 + 0.9e-6, -0.1 + 1.1e-6, -0.1 + 1.9e-5, -0.1 + 2.1e-5};
    for (int n = 0; n < 8; n++) {
        ball.center_m[1] = heights[n % 4];
        bodies[0].spacing_m = n < 4 ? 0.0 : 1e-5;
        TlSolid solid = tl_solid_of(&ball);
        TlCrossScene scene = {bodies, 1, 2, &solid, 1, true};
        ck_assert_int_eq(tl_crossings_find(&crossings, &scene, NULL), TOILE_STATUS_OK);
        bool expected = n % 4 > (n < 4 ? 0 : 2);
        ck_assert_int_eq(crossings.count, expected);
        ck_assert_int_eq(tl_crossings_between(&crossings, 0, 2), expected);
        if (expected) {
            const TlCrossing only = {0, 0, 2, -1};
            ck_assert_int_eq(crossings.pair_count, 1);
            ck_assert_mem_eq(crossings.pairs, &only, sizeof only);
        }
    }
    tl_crossings_free(&crossings);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("crossings");
    TCase *exact = tcase_create("exact");
    tcase_add_test(exact, exact_test_agrees_with_enumeration);
    tcase_add_test(exact, exact_test_is_exact_at_the_limit);
    suite_add_tcase(s, exact);
    TCase *rules = tcase_create("rules");
    tcase_add_test(rules, edges_that_meet_triangles_are_counted);
    tcase_add_test(rules, touching_counts);
    tcase_add_test(rules, coplanar_overlap_counts_and_neighbours_do_not);
    tcase_add_test(rules, folded_neighbours_are_not_reported);
    tcase_add_test(rules, faces_with_a_common_vertex_may_pass_through_each_other);
    tcase_add_test(rules, quads_are_cut_through_their_lowest_vertex);
    tcase_add_test(rules, renumbering_moves_the_diagonal);
    suite_add_tcase(s, rules);
    TCase *search = tcase_create("search");
    tcase_add_loop_test(search, search_finds_what_brute_force_finds, 0, 5);
    tcase_add_test(search, many_layers_are_searched_like_brute_force);
    tcase_add_test(search, far_scenes_give_the_same_faces);
    tcase_add_test(search, collider_triangles_of_kilometres_are_met);
    tcase_add_test(search, what_cannot_be_checked_is_refused);
    tcase_add_test(search, nothing_to_check_is_clean);
    suite_add_tcase(s, search);
    TCase *solids = tcase_create("solids");
    tcase_add_test(solids, solids_are_entered_as_deep_as_sampled_points);
    tcase_add_test(solids, posed_solids_are_entered_like_those_at_rest);
    tcase_add_test(solids, faces_in_solids_are_listed_beside_meshes);
    suite_add_tcase(s, solids);
    return s;
}

int main(void) {
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
