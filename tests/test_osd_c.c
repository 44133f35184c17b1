/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The C face of OpenSubdiv: known masks, properties of all tables, and what is refused. */
#include "support/osd_cages.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EXACT 1e-7  /* weights are stored as floats; coordinates are about 1 */
#define GATHER 4e-7 /* sums of up to a hundred of them */

/* A refined cage with the positions of its last level. */
typedef struct Refined {
    osdc_mesh *mesh;
    osdc_sizes sizes;
    double *x;
} Refined;

static osdc_table *make_table(const osdc_mesh *mesh, osdc_kind kind) {
    osdc_table *table = NULL;
    osdc_error error = {0};
    osdc_status status = osdc_table_create(mesh, kind, 0, &table, &error);
    ck_assert_msg(status == OSDC_OK, "%s", error.text);
    return table;
}

/* The points of a table of `width` numbers each, for free(). */
static double *evaluate(const osdc_mesh *mesh, osdc_kind kind, const double *src, uint32_t width) {
    uint32_t rows = 0;
    osdc_error error = {0};
    osdc_table *table = make_table(mesh, kind);
    ck_assert_int_eq(osdc_table_rows(table, &rows, NULL, NULL, NULL, NULL, &error), OSDC_OK);
    double *dst = calloc((size_t)width * rows + 1, sizeof *dst);
    osdc_status status = osdc_apply_double(table, src, width, dst, width, width, 0, rows, &error);
    ck_assert_msg(status == OSDC_OK, "%s", error.text);
    osdc_table_free(table);
    return dst;
}

static osdc_mesh *create(const TestCage *cage, const osdc_options *options) {
    osdc_mesh *mesh = NULL;
    osdc_error error = {0};
    osdc_status status = osdc_create(&cage->cage, options, &mesh, &error);
    ck_assert_msg(status == OSDC_OK, "%s", error.text);
    return mesh;
}

static Refined refine_with(const TestCage *cage, const osdc_options *options) {
    Refined refined = {.mesh = create(cage, options), .sizes = osdc_sizes_default()};
    ck_assert_int_eq(osdc_size(refined.mesh, options->level, &refined.sizes, NULL), OSDC_OK);
    refined.x = evaluate(refined.mesh, OSDC_VERTEX, cage->x, 3);
    return refined;
}

static Refined refine(const TestCage *cage, uint32_t level) {
    osdc_options options = osdc_options_default();
    options.level = level;
    return refine_with(cage, &options);
}

static void let_go(Refined *refined) {
    osdc_free(refined->mesh);
    free(refined->x);
}

static void is_at(const double *x, double a, double b, double c) {
    const double wanted[3] = {a, b, c};
    for (int32_t k = 0; k < 3; k++)
        ck_assert_msg(fabs(x[k] - wanted[k]) < EXACT, "(%.9g %.9g %.9g), not (%.9g %.9g %.9g)",
                      x[0], x[1], x[2], a, b, c);
}

/* Whether one of the points is there. */
static bool has_point(const Refined *refined, double a, double b, double c) {
    for (uint32_t v = 0; v < refined->sizes.verts; v++)
        if (fabs(refined->x[3 * v] - a) + fabs(refined->x[3 * v + 1] - b) +
                fabs(refined->x[3 * v + 2] - c) <
            3 * EXACT)
            return true;
    return false;
}

/* ---- known answers ---- */

START_TEST(cube_becomes_the_textbook_catmull_clark_solid) {
    TestCage *cube = make_cube();
    Refined refined = refine(cube, 1);
    ck_assert_uint_eq(refined.sizes.verts, 26);
    ck_assert_uint_eq(refined.sizes.faces, 24);
    ck_assert_uint_eq(refined.sizes.corners, 96);
    is_at(refined.x, -5.0 / 9, -5.0 / 9, -5.0 / 9); /* (F + 2R) / 3 */
    ck_assert(has_point(&refined, 0.75, 0.75, 0.0));
    ck_assert(has_point(&refined, 1.0, 0.0, 0.0));
    let_go(&refined);
    free(cube);
}
END_TEST

START_TEST(limit_of_a_cube_is_the_same_from_any_level) {
    TestCage *cube = make_cube();
    for (uint32_t level = 1; level <= 4; level++) {
        osdc_options options = osdc_options_default();
        options.level = level;
        Refined refined = refine_with(cube, &options);
        free(refined.x);
        refined.x = evaluate(refined.mesh, OSDC_LIMIT, cube->x, 3);
        is_at(refined.x, -0.5, -0.5, -0.5);                  /* (9 v + 4 sum e + sum f) / 24 */
        ck_assert(has_point(&refined, 68.0 / 81, 0.0, 0.0)); /* middle of a face */
        let_go(&refined);
    }
    free(cube);
}
END_TEST

START_TEST(limit_normals_of_a_cube_point_outwards) {
    TestCage *cube = make_cube();
    Refined refined = refine(cube, 2);
    double *p = evaluate(refined.mesh, OSDC_LIMIT, cube->x, 3);
    double *du = evaluate(refined.mesh, OSDC_LIMIT_DU, cube->x, 3);
    double *dv = evaluate(refined.mesh, OSDC_LIMIT_DV, cube->x, 3);
    for (uint32_t v = 0; v < refined.sizes.verts; v++) {
        const double *a = du + 3 * v, *b = dv + 3 * v, *x = p + 3 * v;
        double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                       a[0] * b[1] - a[1] * b[0]};
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        double radius = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        double cosine = (n[0] * x[0] + n[1] * x[1] + n[2] * x[2]) / (length * radius);
        ck_assert_msg(cosine > 0.95, "vertex %u: cosine %g", v, cosine);
    }
    /* at a corner of the cube it is the diagonal, by symmetry */
    double across = fabs(du[0] + du[1] + du[2]) + fabs(dv[0] + dv[1] + dv[2]);
    ck_assert_double_lt(across, 1e-6);
    free(p);
    free(du);
    free(dv);
    let_go(&refined);
    free(cube);
}
END_TEST

START_TEST(rim_is_a_cubic_curve_whose_corners_stay) {
    TestCage *grid = make_grid(3, 3, 0, 0.0, 0.0, 0);
    grid->x[3 * 1 + 2] = 1.0; /* one vertex of the lower rim */
    Refined refined = refine(grid, 1);
    is_at(refined.x, 0, 0, 0);
    is_at(refined.x + 3, 1, 0, 3.0 / 4);
    is_at(refined.x + 6, 2, 0, 1.0 / 8);
    ck_assert(has_point(&refined, 1.5, 0, 0.5));
    let_go(&refined);
    osdc_options round = osdc_options_default();
    round.boundary = OSDC_EDGE_ONLY;
    refined = refine_with(grid, &round);
    is_at(refined.x, 1.0 / 8, 1.0 / 8, 1.0 / 8);
    let_go(&refined);
    osdc_options linear = osdc_options_default();
    linear.boundary = OSDC_EDGE_LINEAR;
    linear.level = 3;
    refined = refine_with(grid, &linear);
    is_at(refined.x + 3, 1, 0, 1);
    ck_assert(has_point(&refined, 1.125, 0, 0.875));
    let_go(&refined);
    free(grid);
}
END_TEST

START_TEST(creases_follow_the_rules_of_the_rim) {
    TestCage *cube = make_cube();
    add_crease(cube, 0, 1, 10.0f);
    add_crease(cube, 1, 3, 10.0f);
    Refined refined = refine(cube, 1);
    /* vertex 1 lies on the crease: 1/8, 3/4, 1/8 of 0, 1, 3 */
    is_at(refined.x + 3, -1.0 / 8 + 7.0 / 8, -7.0 / 8 + 1.0 / 8, -1.0);
    ck_assert(has_point(&refined, 0, -1, -1)); /* the middle of a sharp edge */
    let_go(&refined);
    add_crease(cube, 1, 5, 10.0f); /* three make a corner */
    refined = refine(cube, 1);
    is_at(refined.x + 3, 1, -1, -1);
    let_go(&refined);
    free(cube);
}
END_TEST

START_TEST(semi_sharp_edges_lie_between_sharp_and_smooth) {
    TestCage *cube = make_cube();
    add_crease(cube, 0, 1, 0.25f);
    Refined refined = refine(cube, 1);
    /* a quarter of (0, -1, -1), three quarters of (0, -3/4, -3/4) */
    ck_assert(has_point(&refined, 0, -0.8125, -0.8125));
    let_go(&refined);
    cube->cage.creases = 0;
    add_corner(cube, 7, 0.5f);
    refined = refine(cube, 1);
    is_at(refined.x + 21, 7.0 / 9, 7.0 / 9, 7.0 / 9); /* halfway between 5/9 and 1 */
    let_go(&refined);
    free(cube);
}
END_TEST

/* A hexagon of triangles about vertex 0, lifted by 1. */
static TestCage *make_hexagon(void) {
    static const int32_t faces[18] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 6, 0, 6, 1};
    static const double rim[12] = {2, 0, 1, 2, -1, 2, -2, 0, -1, -2, 1, -2};
    TestCage *cage = make_grid(1, 1, 0, 0, 0, 0);
    cage->cage.fvars = 0;
    cage->cage.verts = 7;
    cage->cage.faces = 6;
    cage->cage.corners = 18;
    for (int32_t f = 0; f < 6; f++)
        cage->sizes[f] = 3;
    for (int32_t c = 0; c < 18; c++)
        cage->index[c] = faces[c];
    for (int32_t v = 0; v < 7; v++) {
        cage->x[3 * v] = v ? rim[2 * v - 2] : 0;
        cage->x[3 * v + 1] = v ? rim[2 * v - 1] : 0;
        cage->x[3 * v + 2] = v ? 0 : 1;
    }
    return cage;
}

START_TEST(loop_and_bilinear_have_their_own_masks) {
    TestCage *cage = make_hexagon();
    osdc_options options = osdc_options_default();
    options.scheme = OSDC_LOOP;
    Refined refined = refine_with(cage, &options);
    ck_assert_uint_eq(refined.sizes.faces, 24);
    is_at(refined.x, 0, 0, 5.0 / 8);
    ck_assert(has_point(&refined, 1, 0, 3.0 / 8)); /* 3/8, 3/8, 1/8, 1/8 */
    let_go(&refined);
    options.scheme = OSDC_BILINEAR;
    refined = refine_with(cage, &options);
    is_at(refined.x, 0, 0, 1);
    ck_assert(has_point(&refined, 1, 0, 0.5));
    let_go(&refined);
    free(cage);
}
END_TEST

/* ---- properties ---- */

static TestCage *make_rich(void) {
    TestCage *cage = make_grid(7, 6, 1, 0.3, 0.5, 1);
    add_crease(cage, 9, 10, 1.5f);
    add_crease(cage, 10, 11, 2.5f);
    add_crease(cage, 11, 19, 10.0f);
    add_corner(cage, 29, 0.7f);
    add_corner(cage, 3, 1.2f);
    return cage;
}

START_TEST(rows_sum_to_one_and_tangents_to_zero) {
    TestCage *cage = make_rich();
    Refined refined = refine(cage, 3);
    for (osdc_kind kind = OSDC_VERTEX; kind <= OSDC_LIMIT_FVAR; kind++) {
        const uint64_t *offset;
        const int32_t *index;
        const float *weight;
        uint32_t rows, sources;
        double wanted = kind == OSDC_LIMIT_DU || kind == OSDC_LIMIT_DV ? 0.0 : 1.0;
        osdc_table *table = make_table(refined.mesh, kind);
        osdc_table_rows(table, &rows, &sources, &offset, &index, &weight, NULL);
        ck_assert_uint_eq(sources, kind == OSDC_FVAR || kind == OSDC_LIMIT_FVAR ? cage->fvar.values
                                                                                : cage->cage.verts);
        for (uint32_t r = 0; r < rows; r++) {
            double sum = 0;
            for (uint64_t t = offset[r]; t < offset[r + 1]; t++) {
                sum += (double)weight[t];
                ck_assert(t == offset[r] || index[t] > index[t - 1]);
                ck_assert(kind != OSDC_VARYING || weight[t] > 0.0f);
            }
            ck_assert_msg(fabs(sum - wanted) < GATHER, "kind %d row %u: %.9g", kind, r, sum);
        }
        osdc_table_free(table);
    }
    let_go(&refined);
    free(cage);
}
END_TEST

START_TEST(constants_stay_and_distance_costs_nothing) {
    TestCage *cage = make_rich();
    Refined refined = refine(cage, 2);
    float src[3 * CAGE_MAX], *dst = calloc(3 * (size_t)refined.sizes.verts, sizeof *dst);
    osdc_table *table = make_table(refined.mesh, OSDC_LIMIT);
    for (uint32_t i = 0; i < 3 * cage->cage.verts; i++)
        src[i] = 0.1f;
    ck_assert_int_eq(osdc_apply(table, src, 3, dst, 3, 3, 0, refined.sizes.verts, NULL), OSDC_OK);
    for (uint32_t i = 0; i < 3 * refined.sizes.verts; i++)
        ck_assert(dst[i] == 0.1f);
    /* a kilometre away, where doubles hold 1e-13 */
    double far_away[3 * CAGE_MAX];
    for (uint32_t i = 0; i < 3 * cage->cage.verts; i++)
        far_away[i] = cage->x[i] + 1024.0;
    double *moved = evaluate(refined.mesh, OSDC_VERTEX, far_away, 3);
    for (uint32_t i = 0; i < 3 * refined.sizes.verts; i++)
        ck_assert_double_lt(fabs(moved[i] - 1024.0 - refined.x[i]), 1e-11);
    free(moved);
    free(dst);
    osdc_table_free(table);
    let_go(&refined);
    free(cage);
}
END_TEST

START_TEST(any_split_and_width_gives_the_same_bits) {
    TestCage *cage = make_rich();
    Refined refined = refine(cage, 2);
    osdc_table *table = make_table(refined.mesh, OSDC_VERTEX);
    uint32_t rows = refined.sizes.verts;
    double wide[5 * CAGE_MAX], *parts = calloc((size_t)rows * 7, sizeof *parts);
    for (uint32_t v = 0; v < cage->cage.verts; v++)
        for (uint32_t k = 0; k < 5; k++)
            wide[5 * v + k] = k < 3 ? cage->x[3 * v + k] : -9.0;
    for (uint32_t step = 1; step < 100; step = 3 * step + 1)
        for (uint32_t row = 0; row < rows; row += step) {
            uint32_t end = row + step < rows ? row + step : rows;
            osdc_apply_double(table, wide, 5, parts, 7, 4, row, end, NULL);
            for (uint32_t r = row; r < end; r++)
                for (uint32_t k = 0; k < 3; k++)
                    ck_assert(parts[7 * r + k] == refined.x[3 * r + k]);
        }
    ck_assert(parts[4] == 0.0);
    free(parts);
    osdc_table_free(table);
    let_go(&refined);
    free(cage);
}
END_TEST

START_TEST(a_refined_level_with_its_tags_is_a_cage_of_the_same_surface) {
    TestCage *cage = make_rich();
    for (osdc_edge edge = OSDC_EDGE_ONLY; edge <= OSDC_EDGE_LINEAR; edge++) {
        osdc_options options = osdc_options_default();
        options.boundary = edge;
        options.level = 2;
        Refined twice = refine_with(cage, &options);
        options.level = 1;
        Refined once = refine_with(cage, &options);
        TestCage *next = make_cube();
        next->cage.verts = once.sizes.verts;
        next->cage.faces = once.sizes.faces;
        next->cage.corners = once.sizes.corners;
        next->cage.creases = once.sizes.creases;
        next->cage.corner_tags = once.sizes.corner_tags;
        ck_assert_int_eq(osdc_faces(once.mesh, 1, next->sizes, next->index, NULL, NULL, NULL),
                         OSDC_OK);
        ck_assert_int_eq(osdc_tags(once.mesh, 1, next->pairs, next->sharpness, next->corners,
                                   next->corner_sharpness, NULL),
                         OSDC_OK);
        ck_assert_uint_eq(once.sizes.creases, 6);
        /* that of 1.2, which at a linear rim counts for nothing */
        ck_assert_uint_eq(once.sizes.corner_tags, edge == OSDC_EDGE_LINEAR ? 0 : 1);
        for (uint32_t i = 0; i < 3 * once.sizes.verts; i++)
            next->x[i] = once.x[i];
        Refined again = refine_with(next, &options);
        ck_assert_uint_eq(again.sizes.verts, twice.sizes.verts);
        /* edges are numbered in another way, and with them their vertices */
        for (uint32_t v = 0; v < twice.sizes.verts; v++)
            ck_assert(has_point(&again, twice.x[3 * v], twice.x[3 * v + 1], twice.x[3 * v + 2]));
        let_go(&again);
        let_go(&once);
        let_go(&twice);
        free(next);
    }
    free(cage);
}
END_TEST

START_TEST(mirrored_cage_gives_the_mirrored_surface) {
    /* by exchanging x and y and turning every face over, each quad's diagonals change places */
    TestCage *cage = make_grid(6, 6, 0, 0.3, 0.5, 0), *mirror = make_grid(6, 6, 0, 0.3, 0.5, 0);
    mirror->cage.fvars = 0;
    for (int32_t v = 0; v < 49; v++) {
        int32_t w = v % 7 * 7 + v / 7;
        mirror->x[3 * w] = cage->x[3 * v + 1];
        mirror->x[3 * w + 1] = cage->x[3 * v];
        mirror->x[3 * w + 2] = cage->x[3 * v + 2];
    }
    osdc_options options = osdc_options_default();
    options.level = 2;
    Refined a = refine_with(cage, &options), b = refine_with(mirror, &options);
    double *p = evaluate(a.mesh, OSDC_LIMIT, cage->x, 3);
    free(b.x);
    b.x = evaluate(b.mesh, OSDC_LIMIT, mirror->x, 3);
    for (uint32_t v = 0; v < a.sizes.verts; v++)
        ck_assert(has_point(&b, p[3 * v + 1], p[3 * v], p[3 * v + 2]));
    free(p);
    let_go(&a);
    let_go(&b);
    free(cage);
    free(mirror);
}
END_TEST

START_TEST(flat_cage_with_linear_rim_is_its_own_pattern) {
    TestCage *cage = make_grid(7, 5, 1, 0.3, 0.0, 0);
    osdc_options options = osdc_options_default();
    options.boundary = OSDC_EDGE_LINEAR;
    options.level = 2;
    Refined refined = refine_with(cage, &options);
    double *uv = evaluate(refined.mesh, OSDC_FVAR, cage->uv, 2);
    int32_t *sizes = calloc(refined.sizes.faces, sizeof *sizes);
    int32_t *index = calloc(refined.sizes.corners, sizeof *index);
    uint32_t *uv_index = calloc(refined.sizes.corners, sizeof *uv_index);
    ck_assert_int_eq(osdc_faces(refined.mesh, 2, sizes, index, NULL, NULL, NULL), OSDC_OK);
    ck_assert_int_eq(osdc_fvar_index(refined.mesh, 2, 0, uv_index, NULL), OSDC_OK);
    for (uint32_t c = 0; c < refined.sizes.corners; c++)
        for (uint32_t k = 0; k < 2; k++)
            ck_assert_double_lt(
                fabs(uv[2 * uv_index[c] + k] - refined.x[3 * (uint32_t)index[c] + k]), GATHER);
    free(sizes);
    free(index);
    free(uv_index);
    free(uv);
    let_go(&refined);
    free(cage);
}
END_TEST

START_TEST(islands_keep_their_outline_and_stay_apart) {
    TestCage *cage = make_grid(6, 4, 0, 0.3, 0.5, 1);
    Refined refined = refine(cage, 2);
    double *uv = evaluate(refined.mesh, OSDC_FVAR, cage->uv, 2);
    int32_t left = 0, right = 0;
    for (uint32_t i = 0; i < refined.sizes.fvar_values; i++) {
        double u = uv[2 * i];
        ck_assert(u < 3.4 || u > 12.6);
        left += u < 5;
        right += u > 5;
    }
    ck_assert_int_eq(left, right);
    ck_assert_int_eq(left + right, 13 * 17 * 2);
    free(uv);
    let_go(&refined);
    free(cage);
}
END_TEST

START_TEST(refined_faces_know_their_cage_face_and_holes) {
    TestCage *cage = make_grid(4, 3, 0, 0, 0, 0);
    const int32_t hole = 5;
    cage->cage.holes = 1;
    cage->cage.hole = &hole;
    Refined refined = refine(cage, 2);
    int32_t sizes[CAGE_MAX], index[4 * CAGE_MAX];
    uint32_t parent[CAGE_MAX];
    uint8_t holes[CAGE_MAX];
    ck_assert_uint_eq(refined.sizes.faces, 12 * 16);
    ck_assert_int_eq(osdc_faces(refined.mesh, 2, sizes, index, parent, holes, NULL), OSDC_OK);
    for (uint32_t f = 0; f < refined.sizes.faces; f++) {
        const double *x = refined.x + 3 * (uint32_t)index[4 * f];
        const double *y = refined.x + 3 * (uint32_t)index[4 * f + 2];
        int32_t i = (int32_t)floor((x[0] + y[0]) / 2), j = (int32_t)floor((x[1] + y[1]) / 2);
        ck_assert_uint_eq(parent[f], (uint32_t)(4 * j + i));
        ck_assert_int_eq(holes[f], parent[f] == 5);
    }
    let_go(&refined);
    free(cage);
}
END_TEST

START_TEST(vertex_without_face_stays_where_it_is) {
    TestCage *cube = make_cube();
    cube->cage.verts = 9;
    cube->x[24] = 5;
    Refined refined = refine(cube, 2);
    double *limit = evaluate(refined.mesh, OSDC_LIMIT, cube->x, 3);
    is_at(refined.x + 24, 5, 0, 0);
    is_at(limit + 24, 5, 0, 0);
    is_at(limit, -0.5, -0.5, -0.5);
    free(limit);
    let_go(&refined);
    free(cube);
}
END_TEST

/* ---- refusals ---- */

static void refuses(const TestCage *cage, const osdc_options *options, osdc_status wanted,
                    uint32_t where, const char *sentence) {
    osdc_mesh *mesh = NULL;
    osdc_error error = {0};
    osdc_status status = osdc_create(&cage->cage, options, &mesh, &error);
    ck_assert_ptr_null(mesh);
    ck_assert_int_eq(status, wanted);
    ck_assert_int_eq(error.code, wanted);
    ck_assert_uint_eq(error.where, where);
    ck_assert_msg(strstr(error.text, sentence) != NULL, "\"%s\" lacks \"%s\"", error.text,
                  sentence);
}

START_TEST(bad_faces_are_refused_by_number) {
    osdc_options options = osdc_options_default();
    TestCage *cage = make_cube();
    cage->index[9] = 8;
    refuses(cage, &options, OSDC_E_INDEX, 2, "face 2 names vertex 8, but there are 0 to 7");
    cage->index[9] = -1;
    refuses(cage, &options, OSDC_E_INDEX, 2, "face 2 names vertex -1");
    cage->index[9] = cage->index[11];
    refuses(cage, &options, OSDC_E_FACE, 2, "face 2 has vertex 4 twice");
    cage->index[9] = 1;
    cage->sizes[3] = 2;
    refuses(cage, &options, OSDC_E_FACE, 3, "face 3 has 2 corners; at least 3");
    cage->sizes[3] = -4;
    refuses(cage, &options, OSDC_E_FACE, 3, "face 3 has -4 corners");
    cage->sizes[3] = 3;
    refuses(cage, &options, OSDC_E_ARG, OSDC_NOWHERE, "have 23 corners in sum, but 24");
    cage->sizes[3] = 4;
    options.scheme = OSDC_LOOP;
    refuses(cage, &options, OSDC_E_FACE, 0, "face 0 has 4 corners; Loop");
    free(cage);
}
END_TEST

START_TEST(edges_of_three_faces_and_turned_faces_are_refused) {
    osdc_options options = osdc_options_default();
    TestCage *cage = make_grid(2, 1, 0, 0, 0, 0);
    cage->cage.fvars = 0;
    const int32_t third[4] = {1, 4, 7, 6}, turned[4] = {1, 4, 5, 2};
    cage->cage.verts = 8;
    cage->cage.faces = 3;
    cage->cage.corners = 12;
    cage->sizes[2] = 4;
    memcpy(cage->index + 8, third, sizeof third);
    refuses(cage, &options, OSDC_E_TOPOLOGY, 2,
            "between vertices 1 and 4 is shared by the faces 0, 1 and 2");
    cage->cage.faces = 2;
    cage->cage.corners = 8;
    memcpy(cage->index + 4, turned, sizeof turned);
    refuses(cage, &options, OSDC_E_TOPOLOGY, 1, "faces 0 and 1 run along the edge");
    free(cage);
}
END_TEST

START_TEST(bad_tags_and_channels_are_refused) {
    osdc_options options = osdc_options_default();
    TestCage *cage = make_grid(3, 3, 0, 0, 0, 0);
    add_crease(cage, 0, 5, 2.0f); /* a diagonal */
    refuses(cage, &options, OSDC_E_INDEX, 0, "crease 0 joins the vertices 0 and 5, which no face");
    cage->pairs[1] = 99;
    refuses(cage, &options, OSDC_E_INDEX, 0, "crease 0 joins the vertices 0 and 99");
    cage->pairs[1] = 1;
    cage->sharpness[0] = NAN;
    refuses(cage, &options, OSDC_E_ARG, 0, "sharpness of crease 0");
    cage->sharpness[0] = 1.0f;
    add_corner(cage, 16, 1.0f);
    refuses(cage, &options, OSDC_E_INDEX, 0, "corner 0 is vertex 16");
    cage->corners[0] = 15;
    cage->corner_sharpness[0] = -1.0f;
    refuses(cage, &options, OSDC_E_ARG, 0, "sharpness of corner 0");
    cage->corner_sharpness[0] = 1.0f;
    const int32_t hole = 9;
    cage->cage.hole = &hole;
    cage->cage.holes = 1;
    refuses(cage, &options, OSDC_E_INDEX, 0, "hole 0 is face 9");
    cage->cage.holes = 0;
    cage->uv_index[7] = 16;
    refuses(cage, &options, OSDC_E_INDEX, 7, "corner 7 names value 16 of channel 0, which has 16");
    free(cage);
}
END_TEST

START_TEST(what_grows_too_large_is_refused_before_it_does) {
    osdc_options options = osdc_options_default();
    TestCage *cube = make_cube();
    options.level = 11;
    refuses(cube, &options, OSDC_E_LIMIT, OSDC_NOWHERE, "level 11 is too deep");
    options.level = 3;
    options.max_faces = 383;
    refuses(cube, &options, OSDC_E_LIMIT, OSDC_NOWHERE, "6 faces refined 3 times are 384");
    options.max_faces = 384;
    osdc_free(create(cube, &options));
    free(cube);
    /* a fan of very many triangles */
    enum { FAN = 20000 };
    osdc_cage fan = osdc_cage_default();
    int32_t *sizes = calloc(FAN, sizeof *sizes), *index = calloc(3 * FAN, sizeof *index);
    for (int32_t f = 0; f < FAN; f++) {
        sizes[f] = 3;
        index[3 * f + 1] = 1 + f;
        index[3 * f + 2] = 1 + (f + 1) % FAN;
    }
    fan.verts = FAN + 1;
    fan.faces = FAN;
    fan.corners = 3 * FAN;
    fan.face_count = sizes;
    fan.index = index;
    osdc_mesh *mesh = NULL;
    osdc_error error = {0};
    options = osdc_options_default();
    ck_assert_int_eq(osdc_create(&fan, &options, &mesh, &error), OSDC_E_LIMIT);
    ck_assert_msg(strstr(error.text, "vertex 0 of 20000 faces"), "%s", error.text);
    free(sizes);
    free(index);
}
END_TEST

/* A few faces between few vertices at random: most are refused, the rest must be refined whole. */
static bool try_random(TestCage *cage, uint32_t *seed) {
    osdc_options options = osdc_options_default();
    osdc_mesh *mesh = NULL;
    osdc_error error = {0};
    uint32_t corner = 0;
    cage->cage.verts = 4 + (*seed >> 8) % 9;
    cage->cage.faces = 1 + (*seed >> 16) % 6;
    for (uint32_t f = 0; f < cage->cage.faces; f++) {
        int32_t last = -1;
        cage->sizes[f] = 3 + (int32_t)(2.0 * fabs(test_noise(seed)));
        for (int32_t c = 0; c < cage->sizes[f]; c++, corner++) {
            /* rising vertices are seldom refused */
            last += 1 + (int32_t)(2.2 * fabs(test_noise(seed)));
            cage->index[corner] = last;
        }
    }
    cage->cage.corners = corner;
    options.level = 1 + corner % 3;
    options.boundary = (osdc_edge)(1 + corner % 3);
    if (osdc_create(&cage->cage, &options, &mesh, &error) != OSDC_OK) {
        ck_assert(error.text[0] != 0 && error.code != OSDC_E_INTERNAL);
        return false;
    }
    for (osdc_kind kind = OSDC_VERTEX; kind <= OSDC_LIMIT; kind += kind == OSDC_VARYING ? 2 : 1) {
        double *x = evaluate(mesh, kind, cage->x, 3);
        osdc_sizes sizes = osdc_sizes_default();
        osdc_size(mesh, options.level, &sizes, NULL);
        for (uint32_t i = 0; i < 3 * sizes.verts; i++)
            ck_assert(fabs(x[i]) < 3.0);
        free(x);
    }
    osdc_free(mesh);
    return true;
}

START_TEST(random_cages_are_refused_or_refined) {
    uint32_t seed = 20261116, accepted = 0;
    TestCage *cage = make_cube();
    for (int32_t i = 0; i < 3 * 16; i++)
        cage->x[i] = test_noise(&seed);
    for (int32_t round = 0; round < 4000; round++)
        accepted += try_random(cage, &seed);
    printf("random_cages: %u of 4000 accepted\n", accepted);
    ck_assert_uint_gt(accepted, 400);
    ck_assert_uint_lt(accepted, 3600);
    free(cage);
}
END_TEST

START_TEST(wrong_calls_are_told_apart_from_bad_cages) {
    osdc_error error = {0};
    osdc_mesh *mesh = NULL;
    osdc_table *table = NULL;
    osdc_options options = osdc_options_default();
    TestCage *cube = make_cube();
    osdc_cage blank = {0};
    ck_assert_int_eq(osdc_create(&blank, &options, &mesh, &error), OSDC_E_ARG);
    ck_assert_int_eq(osdc_create(NULL, &options, &mesh, NULL), OSDC_E_ARG);
    ck_assert_int_eq(osdc_create(&cube->cage, &options, NULL, &error), OSDC_E_ARG);
    mesh = create(cube, &options);
    osdc_sizes sizes = osdc_sizes_default();
    ck_assert_int_eq(osdc_size(mesh, 2, &sizes, &error), OSDC_E_ARG);
    ck_assert_int_eq(osdc_size(NULL, 0, &sizes, &error), OSDC_E_ARG);
    ck_assert_int_eq(osdc_table_create(mesh, OSDC_FVAR, 0, &table, &error), OSDC_E_ARG);
    ck_assert_msg(strstr(error.text, "no channel 0"), "%s", error.text);
    ck_assert_int_eq(osdc_table_create(mesh, (osdc_kind)9, 0, &table, &error), OSDC_E_ARG);
    ck_assert_int_eq(osdc_table_create(mesh, OSDC_VERTEX, 0, &table, &error), OSDC_OK);
    double out[3];
    ck_assert_int_eq(osdc_apply_double(table, cube->x, 3, out, 3, 3, 0, 27, &error), OSDC_E_ARG);
    ck_assert_msg(strstr(error.text, "table of 26 rows"), "%s", error.text);
    ck_assert_int_eq(osdc_apply_double(table, cube->x, 2, out, 3, 3, 0, 1, &error), OSDC_E_ARG);
    ck_assert_int_eq(osdc_apply(NULL, NULL, 3, NULL, 3, 3, 0, 0, &error), OSDC_E_ARG);
    osdc_table_free(table);
    osdc_free(mesh);
    options.level = 0;
    mesh = create(cube, &options);
    ck_assert_int_eq(osdc_table_create(mesh, OSDC_LIMIT, 0, &table, &error), OSDC_E_ARG);
    ck_assert_int_eq(osdc_table_create(mesh, OSDC_VERTEX, 0, &table, &error), OSDC_OK);
    osdc_table_free(table);
    osdc_free(mesh);
    osdc_table_free(NULL);
    osdc_free(NULL);
    free(cube);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("osd_c");
    TCase *known = tcase_create("known_answers");
    tcase_add_test(known, cube_becomes_the_textbook_catmull_clark_solid);
    tcase_add_test(known, limit_of_a_cube_is_the_same_from_any_level);
    tcase_add_test(known, limit_normals_of_a_cube_point_outwards);
    tcase_add_test(known, rim_is_a_cubic_curve_whose_corners_stay);
    tcase_add_test(known, creases_follow_the_rules_of_the_rim);
    tcase_add_test(known, semi_sharp_edges_lie_between_sharp_and_smooth);
    tcase_add_test(known, loop_and_bilinear_have_their_own_masks);
    suite_add_tcase(suite, known);
    TCase *properties = tcase_create("properties");
    tcase_add_test(properties, rows_sum_to_one_and_tangents_to_zero);
    tcase_add_test(properties, constants_stay_and_distance_costs_nothing);
    tcase_add_test(properties, any_split_and_width_gives_the_same_bits);
    tcase_add_test(properties, a_refined_level_with_its_tags_is_a_cage_of_the_same_surface);
    tcase_add_test(properties, mirrored_cage_gives_the_mirrored_surface);
    tcase_add_test(properties, flat_cage_with_linear_rim_is_its_own_pattern);
    tcase_add_test(properties, islands_keep_their_outline_and_stay_apart);
    tcase_add_test(properties, refined_faces_know_their_cage_face_and_holes);
    tcase_add_test(properties, vertex_without_face_stays_where_it_is);
    suite_add_tcase(suite, properties);
    TCase *refusals = tcase_create("refusals");
    tcase_add_test(refusals, bad_faces_are_refused_by_number);
    tcase_add_test(refusals, edges_of_three_faces_and_turned_faces_are_refused);
    tcase_add_test(refusals, bad_tags_and_channels_are_refused);
    tcase_add_test(refusals, what_grows_too_large_is_refused_before_it_does);
    tcase_add_test(refusals, random_cages_are_refused_or_refined);
    tcase_add_test(refusals, wrong_calls_are_told_apart_from_bad_cages);
    suite_add_tcase(suite, refusals);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
