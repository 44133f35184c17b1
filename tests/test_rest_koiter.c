/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Koiter shells at rest: curvatures on regular meshes, weft and warp, patterns, seams, darts and
 * the topology of fans. */
#include "rest/koiter.h"
#include "support/koiter.h"

#include <stdlib.h>
#include <string.h>

enum { LOOPS = 6 };

/* rounding of a sum of about a hundred terms of one size */
#define ROUNDING 1e-12
/* as many digits as the known answers are given to */
#define KNOWN 1e-12

/* ---- known answers ---- */

/* From an independent program (numpy): the mixed mesh with the rest shape x, y + .05 x^2, z = .2
 * x^2 - .3 xy + .25 y^2, and flat with weft at 30 degrees, D1 = .5, D2 = .2. */
START_TEST(koiter_knows_a_curved_rest_and_an_orthotropic_fabric) {
    static const double curved[3] = {0.09103863087775718, 0.09502784389582178, 0.0992127945873542};
    static const double turned[3] = {0.07617298248926956, 0.07781285421214326, 0.07949076936740578};
    double rest[36], state[36];
    TestMesh mesh = reference_mixed(state);
    for (int v = 0; v < 12; v++) {
        double x = mesh.positions[3 * v], y = mesh.positions[3 * v + 1];
        tl_store3(rest + 3 * v,
                  tl_vec3(x, y + 0.05 * x * x, 0.2 * x * x - 0.3 * x * y + 0.25 * y * y));
        mesh.uvs[2 * v] = x * cos(PI / 6) + y * sin(PI / 6);
        mesh.uvs[2 * v + 1] = y * cos(PI / 6) - x * sin(PI / 6);
    }
    for (int32_t p = 0; p < 3; p++) {
        ToileFabric fabric = koiter_fabric(0.5, 0.5, 0.2, 1.0, p);
        Energies e = energies_at(&mesh, &fabric, TOILE_PATTERN_NONE, true, rest, state);
        ASSERT_RELATIVE(e.cross, curved[p], KNOWN);
        ASSERT_RELATIVE(e.in, 0.03326968152464977, KNOWN);
        fabric.bend_warp_N_m = 0.2;
        for (int pattern = TOILE_PATTERN_ORIENTATION; pattern <= TOILE_PATTERN_METRIC; pattern++) {
            e = energies_at(&mesh, &fabric, (ToilePattern)pattern, true, NULL, state);
            ASSERT_RELATIVE(e.cross, turned[p], KNOWN);
            ASSERT_RELATIVE(e.in, 0.000868853579679957, KNOWN);
        }
    }
    test_mesh_free(&mesh);
}
END_TEST

/* ---- accuracy on quadratic height fields ---- */

/* height = k11 x^2 / 2 + k12 xy + k22 y^2 / 2, shallow enough that the plate energy is exact */
typedef struct Field {
    double k11, k22, k12;
} Field;

static const double shallow = 1e-5;

static Field cylinder(double angle) {
    double c = cos(angle), s = sin(angle);
    return (Field){shallow * c * c, shallow * s * s, shallow * c * s};
}

/* Energy density of the rings that have a full turn of faces around them, and of all patches. */
static Energies density(const TestMesh *mesh, const ToileFabric *fabric, ToilePattern pattern,
                        Field field) {
    TestModel model;
    double *x = test_alloc(3 * sizeof(double) * (size_t)mesh->vertex_count), area = 0.0;
    test_model_with(mesh, fabric, pattern, true, NULL, NULL, &model);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        double a = mesh->positions[3 * v], b = mesh->positions[3 * v + 1];
        x[3 * v] = a;
        x[3 * v + 1] = b;
        x[3 * v + 2] = 0.5 * (field.k11 * a * a + field.k22 * b * b) + field.k12 * a * b;
    }
    const TlRingSet *rings = &model.model.sets.rings;
    const TlFanSet *fans = &model.model.sets.fans;
    Energies sum = {0, 0}, e;
    for (int32_t r = 0; r < rings->count; r++) {
        int32_t faces = fans->first[r + 1] - fans->first[r];
        if (faces == (mesh->face_sizes[0] == 4 ? 4 : 6)) {
            tl_koiter_energies(&model.model, x, r, r + 1, 0, 0, &e.cross, &e.in);
            sum.cross += e.cross;
            area += rings->area[r];
        }
    }
    ck_assert(area > 0.0);
    sum.cross /= area;
    area = 0.0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        area += model.model.area[v];
    }
    sum.in = energies_of(&model, x).in / area;
    free(x);
    test_model_free(&model);
    return sum;
}

/* Equilateral triangles of side 1, rows along x. */
static TestMesh equilateral(void) {
    TestMesh mesh = test_grid(6, 6, 6.0, 6.0, TEST_DIAGONAL_HERRINGBONE);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        int32_t row = v / 7;
        /* herringbone rows lean to the right and to the left in turn */
        mesh.positions[3 * v] += row % 2 == 1 ? -0.5 : 0.0;
        mesh.positions[3 * v + 1] *= 0.5 * sqrt(3.0);
    }
    return mesh;
}

/* PHYSICS 4.4: cross-element energy is that of the plate for every field on regular meshes; in
 * elements adds twist. */
START_TEST(koiter_plates_have_the_energy_of_the_continuum) {
    const Field fields[7] = {cylinder(0),       cylinder(PI / 6),      cylinder(PI / 4),
                             cylinder(-PI / 4), {shallow, shallow, 0}, {shallow, -shallow, 0},
                             {0, 0, shallow}};
    static const double inside[7] = {0, 0.375, 0.5, 0.5, 0, 0, 1.0};
    TestMesh meshes[3] = {test_grid(6, 6, 6.0, 6.0, TEST_DIAGONAL_NONE),
                          test_grid(6, 6, 6.0, 6.0, TEST_DIAGONAL_SINGLE), equilateral()};
    for (int m = 0; m < 3; m++) {
        for (int i = 0; i < 7; i++) {
            for (int k = 0; k < 2; k++) {
                double nu = 0.3 * k, tr = fields[i].k11 + fields[i].k22;
                double square = fields[i].k11 * fields[i].k11 + fields[i].k22 * fields[i].k22 +
                                2.0 * fields[i].k12 * fields[i].k12;
                double plate = 0.5 * 0.02 * (nu * tr * tr + (1.0 - nu) * square);
                double one = 0.5 * 0.02 * square;
                ToileFabric fabric = koiter_fabric(0.02, 0.02, nu, 1.0, k);
                Energies e = density(&meshes[m], &fabric, TOILE_PATTERN_NONE, fields[i]);
                ASSERT_RELATIVE(e.cross, plate, 1e-7);
                ASSERT_NEAR(e.in, m == 0 ? (1.0 - nu) * inside[i] * one : 0.0, 1e-7 * one);
            }
        }
        test_mesh_free(&meshes[m]);
    }
}
END_TEST

START_TEST(koiter_bends_by_weft_and_warp) {
    const double D1 = 0.05, D2 = 0.02, nu = 0.25, mean = sqrt(D1 * D2), grain = PI / 5;
    const Field fields[4] = {cylinder(0), cylinder(PI / 2), {0, 0, shallow}, cylinder(PI / 3)};
    TestMesh meshes[2] = {test_grid(6, 6, 6.0, 6.0, TEST_DIAGONAL_NONE), equilateral()};
    for (int m = 0; m < 2; m++) {
        for (int turned = 0; turned < 2; turned++) {
            double c = turned ? cos(grain) : 1.0, s = turned ? sin(grain) : 0.0;
            for (int32_t v = 0; v < meshes[m].vertex_count; v++) {
                const double *p = meshes[m].positions + 3 * v;
                meshes[m].uvs[2 * v] = c * p[0] + s * p[1];
                meshes[m].uvs[2 * v + 1] = c * p[1] - s * p[0];
            }
            for (int i = 0; i < 4; i++) {
                ToileFabric fabric = koiter_fabric(D1, D2, nu, 1.0, 1);
                Field f = fields[i], r; /* r: in weft and warp axes */
                r.k11 = c * c * f.k11 + s * s * f.k22 + 2.0 * c * s * f.k12;
                r.k22 = s * s * f.k11 + c * c * f.k22 - 2.0 * c * s * f.k12;
                r.k12 = c * s * (f.k22 - f.k11) + (c * c - s * s) * f.k12;
                double wanted =
                    0.5 * (D1 * r.k11 * r.k11 + D2 * r.k22 * r.k22 +
                           2.0 * mean * (nu * r.k11 * r.k22 + (1.0 - nu) * r.k12 * r.k12));
                Energies e = density(&meshes[m], &fabric, TOILE_PATTERN_ORIENTATION, f);
                ASSERT_RELATIVE(e.cross, wanted, 1e-7);
                if (m == 0 && !turned && i == 2) {
                    ASSERT_RELATIVE(e.in, (1.0 - nu) * mean * shallow * shallow, 1e-7);
                }
            }
        }
        test_mesh_free(&meshes[m]);
    }
}
END_TEST

/* ---- patterns ---- */

/* Gives every face uvs of its own: (x, y) turned, shifted and mirrored at random. */
static void cut_islands(TestMesh *mesh, TestRandom *random, bool turn, bool mirror) {
    free(mesh->uvs);
    mesh->uv_count = mesh->corner_count;
    mesh->uvs = test_alloc(2 * sizeof(double) * (size_t)mesh->uv_count);
    for (int32_t f = 0, at = 0; f < mesh->face_count; f++) {
        double angle = turn ? test_between(random, -PI, PI) : 0.0, c = cos(angle), s = sin(angle);
        double du = test_between(random, -9.0, 9.0), dv = test_between(random, -9.0, 9.0);
        double side = mirror && test_below(random, 2) == 1 ? -1.0 : 1.0;
        for (int32_t k = 0; k < mesh->face_sizes[f]; k++, at++) {
            const double *p = mesh->positions + 3 * mesh->corners[at];
            mesh->corner_uvs[at] = at;
            mesh->uvs[2 * at] = c * p[0] - s * p[1] + du;
            mesh->uvs[2 * at + 1] = side * (s * p[0] + c * p[1]) + dv;
        }
    }
}

/* The pattern of a flat mesh is the mesh itself, wherever its faces lie in uv; orthotropic fabric
 * sees mirroring as none when weft and warp are its axes. */
START_TEST(koiter_metric_pattern_may_be_cut_turned_and_mirrored) {
    TestRandom random = test_random(11);
    for (int i = 0; i < LOOPS; i++) {
        TestMesh mesh = test_mixed(4, 4, &random);
        double *x = test_deformed(&mesh, &random, 0.3);
        for (int kind = 0; kind < 4; kind++) {
            bool turned = kind == 2;
            ToileFabric fabric = koiter_fabric(0.02, turned ? 0.02 : 0.05, 0.3, 0.7, i % 3);
            TestMesh cut = test_polygons(mesh.vertex_count, mesh.positions, mesh.face_count,
                                         mesh.face_sizes, mesh.corners);
            if (kind > 0) {
                cut_islands(&cut, &random, turned, kind >= 2);
            }
            Energies wanted = energies_at(&mesh, &fabric, TOILE_PATTERN_ORIENTATION, true, NULL, x);
            Energies e = energies_at(&cut, &fabric, TOILE_PATTERN_METRIC, true, NULL, x);
            ASSERT_RELATIVE(e.cross, wanted.cross, ROUNDING);
            ASSERT_RELATIVE(e.in, wanted.in, ROUNDING);
            if (turned) {
                wanted = energies_at(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, x);
                ASSERT_RELATIVE(e.cross, wanted.cross, ROUNDING);
            }
            test_mesh_free(&cut);
        }
        free(x);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* Stretching the pattern stretches the metric: areas, gradients and curvature, not the rest. */
START_TEST(koiter_metric_pattern_gives_the_lengths_and_the_mesh_the_curvature) {
    TestMesh mesh = test_grid(6, 6, 6.0, 6.0, TEST_DIAGONAL_NONE);
    ToileFabric fabric = koiter_fabric(0.02, 0.02, 0.0, 0.0, 1);
    Field field = cylinder(0);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        mesh.uvs[2 * v] *= 2.0;
    }
    /* the tangent is half as long, and bends over twice the length: a quarter of the curvature */
    Energies e = density(&mesh, &fabric, TOILE_PATTERN_METRIC, field);
    ASSERT_RELATIVE(e.cross, 0.5 * 0.02 * shallow * shallow / 16, 1e-7);
    /* a rolled mesh over the flat pattern of itself is at rest */
    double *x = test_alloc(3 * sizeof(double) * (size_t)mesh.vertex_count);
    roll(&mesh, 0.2, 0.4, x);
    e = energies_at(&mesh, &fabric, TOILE_PATTERN_METRIC, true, x, x);
    ck_assert(e.cross == 0.0 && e.in == 0.0);
    e = energies_at(&mesh, &fabric, TOILE_PATTERN_METRIC, true, NULL, x);
    ck_assert(e.cross > 0.0);
    free(x);
    test_mesh_free(&mesh);
}
END_TEST

/* Five equilateral triangles of a pattern around a vertex: spread evenly over the full turn, so a
 * cone of them has the same curvature in all directions. */
START_TEST(koiter_metric_pattern_spreads_a_dart_evenly) {
    static const int32_t sizes[5] = {3, 3, 3, 3, 3};
    static const int32_t corners[15] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 1};
    double p[18] = {0}, flat[18], radius = 0.5 / sin(PI / 5), height = sqrt(1.0 - radius * radius);
    for (int k = 0; k < 5; k++) {
        tl_store3(p + 3 * (k + 1),
                  tl_vec3(radius * cos(0.4 * PI * k), radius * sin(0.4 * PI * k), height));
    }
    TestMesh mesh = test_polygons(6, p, 5, sizes, corners);
    free(mesh.uvs);
    mesh.uv_count = 15;
    mesh.uvs = test_alloc(2 * sizeof(double) * 15);
    for (int c = 0; c < 15; c++) {
        static const double corner[3][2] = {{0, 0}, {1, 0}, {0.5, 0.86602540378443864676}};
        double turn = 0.3 + c / 3, s = sin(turn), k = cos(turn);
        mesh.corner_uvs[c] = c;
        mesh.uvs[2 * c] = k * corner[c % 3][0] - s * corner[c % 3][1];
        mesh.uvs[2 * c + 1] = s * corner[c % 3][0] + k * corner[c % 3][1];
    }
    for (int i = 0; i < 18; i++) {
        flat[i] = i % 3 == 2 ? 0.0 : p[i];
    }
    ToileFabric fabric = koiter_fabric(0.02, 0.02, 0.0, 0.0, 1);
    TestModel model;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_METRIC, true, flat, NULL, &model);
    const TlSets *sets = &model.model.sets;
    TlRings rings = {&sets->rings, &sets->fans};
    int32_t apex = -1;
    for (int32_t r = 0; r < sets->rings.count; r++) {
        apex = sets->rings.vertex[sets->rings.first[r]] == 0 ? r : apex;
    }
    ck_assert(apex >= 0);
    TlRingShape s = tl_ring_shape(rings, 1, mesh.positions, apex);
    ck_assert(s.b[0] > 0.1);
    ASSERT_NEAR(s.b[1], s.b[0], ROUNDING);
    ASSERT_NEAR(s.b[2], 0.0, ROUNDING);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* Around an inner vertex whose angles do not make a full turn every piece lies in the middle of its
 * share: the same sheet seen from behind bends alike. */
START_TEST(koiter_metric_pattern_has_no_preferred_side) {
    TestRandom random = test_random(12);
    TestMesh mesh = test_mixed(4, 4, &random);
    cut_islands(&mesh, &random, true, true);
    double *x = test_deformed(&mesh, &random, 0.3);
    /* every face with lengths of its own: angles sum to anything */
    for (int32_t i = 0; i < 2 * mesh.uv_count; i++) {
        mesh.uvs[i] += test_between(&random, -0.1, 0.1);
    }
    ToileFabric fabric = koiter_fabric(0.02, 0.05, 0.3, 0.7, 1);
    Energies wanted = energies_at(&mesh, &fabric, TOILE_PATTERN_METRIC, true, NULL, x);
    for (int32_t f = 0, at = 0; f < mesh.face_count; at += mesh.face_sizes[f++]) {
        for (int k = 0; k < 2; k++) {
            int32_t *c = (k == 0 ? mesh.corners : mesh.corner_uvs) + at, swap = c[0];
            c[0] = c[2];
            c[2] = swap;
        }
    }
    Energies e = energies_at(&mesh, &fabric, TOILE_PATTERN_METRIC, true, NULL, x);
    ASSERT_RELATIVE(e.cross, wanted.cross, ROUNDING);
    ASSERT_RELATIVE(e.in, wanted.in, ROUNDING);
    free(x);
    test_mesh_free(&mesh);
}
END_TEST

/* At a seam of panels cut across each other the stiffness is the mean, whatever the numbering. */
START_TEST(koiter_grain_may_jump_at_a_seam) {
    TestMesh mesh = test_grid(2, 2, 2.0, 2.0, TEST_DIAGONAL_NONE);
    ToileFabric fabric = koiter_fabric(0.05, 0.02, 0.0, 0.0, 0);
    TestRandom random = test_random(13);
    double x[27];
    cut_islands(&mesh, &random, false, false);
    for (int32_t f = 0, at = 0; f < 4; f++) {
        for (int k = 0; k < 4; k++, at++) {
            double u = mesh.uvs[2 * at], v = mesh.uvs[2 * at + 1];
            mesh.uvs[2 * at] = f % 2 == 0 ? u : -v;
            mesh.uvs[2 * at + 1] = f % 2 == 0 ? v : u;
        }
    }
    for (int axis = 0; axis < 2; axis++) {
        for (int v = 0; v < 9; v++) {
            double a = mesh.positions[3 * v] - 1.0, b = mesh.positions[3 * v + 1] - 1.0;
            x[3 * v] = a;
            x[3 * v + 1] = b;
            x[3 * v + 2] = 0.5 * shallow * (axis == 0 ? a * a : b * b);
        }
        Energies e = energies_at(&mesh, &fabric, TOILE_PATTERN_METRIC, true, NULL, x);
        Energies o = energies_at(&mesh, &fabric, TOILE_PATTERN_ORIENTATION, true, NULL, x);
        /* vertices on the seam have the mean; along it also those of the borders, with their own */
        double wanted = 0.5 * 0.035 * shallow * shallow * (axis == 0 ? 2.0 : 1.0);
        wanted += axis == 0 ? 0.0 : 0.5 * (0.05 + 0.02) * shallow * shallow * 0.5;
        ASSERT_RELATIVE(e.cross, wanted, 1e-7);
        ASSERT_RELATIVE(o.cross, wanted, 1e-7);
    }
    test_mesh_free(&mesh);
}
END_TEST

/* ---- topology ---- */

START_TEST(koiter_flipped_faces_bend_as_others) {
    TestRandom random = test_random(14);
    for (int i = 0; i < LOOPS; i++) {
        TestMesh mesh = test_mixed(4, 4, &random);
        double *x = test_deformed(&mesh, &random, 0.3);
        for (int pattern = TOILE_PATTERN_ORIENTATION; pattern <= TOILE_PATTERN_METRIC; pattern++) {
            ToileFabric fabric = koiter_fabric(0.02, 0.05, 0.3, 0.7, i % 3);
            Energies wanted = energies_at(&mesh, &fabric, (ToilePattern)pattern, true, NULL, x);
            for (int32_t f = 0, at = 0; f < mesh.face_count; at += mesh.face_sizes[f++]) {
                int32_t *c = mesh.corners + at, swap = c[0];
                if (test_below(&random, 3) == 0) {
                    /* keeps the second corner (and the fourth) */
                    c[0] = c[2];
                    c[2] = swap;
                    mesh.corner_uvs[at] = c[0];
                    mesh.corner_uvs[at + 2] = c[2];
                }
            }
            Energies e = energies_at(&mesh, &fabric, (ToilePattern)pattern, true, NULL, x);
            ASSERT_RELATIVE(e.cross, wanted.cross, ROUNDING);
            ASSERT_RELATIVE(e.in, wanted.in, ROUNDING);
        }
        free(x);
        test_mesh_free(&mesh);
    }
}
END_TEST

/* Two sheets that touch in one vertex, and three that share an edge: no bending between them. */
START_TEST(koiter_sheets_that_share_a_vertex_or_an_edge_do_not_bend_each_other) {
    static const double p[9][3] = {{0, 0, 0},   {1, 0, 0},  {1, 1, 0},     {0, 1, 0},  {-1, 0, 0},
                                   {-1, -1, 0}, {0, -1, 0}, {0.2, 0.5, 1}, {2, 0.4, 0}};
    /* a bow tie at vertex 0, and a third sheet on the edge 0-2 */
    static const int32_t tie[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 4, 5}, {0, 5, 6}};
    static const int32_t book[3][3] = {{0, 1, 2}, {0, 2, 3}, {0, 2, 7}};
    TestRandom random = test_random(15);
    ToileFabric fabric = koiter_fabric(0.02, 0.02, 0.3, 0.7, 1);
    TestMesh both = test_triangles(9, p, 4, tie), one = test_triangles(9, p, 2, tie);
    TestMesh other = test_triangles(9, p, 2, tie + 2), three = test_triangles(9, p, 3, book);
    double *x = test_deformed(&both, &random, 0.3);
    Energies sum = energies_at(&both, &fabric, TOILE_PATTERN_NONE, true, NULL, x);
    Energies a = energies_at(&one, &fabric, TOILE_PATTERN_NONE, true, NULL, x);
    Energies b = energies_at(&other, &fabric, TOILE_PATTERN_NONE, true, NULL, x);
    ck_assert(a.cross > 0.0 && b.cross > 0.0);
    ASSERT_RELATIVE(sum.cross, a.cross + b.cross, ROUNDING);
    ASSERT_NEAR(energies_at(&three, &fabric, TOILE_PATTERN_NONE, true, NULL, x).cross, 0.0, 0.0);
    free(x);
    test_mesh_free(&both);
    test_mesh_free(&one);
    test_mesh_free(&other);
    test_mesh_free(&three);
}
END_TEST

/* A vertex with hundreds of faces: a fan of triangles around the middle of a disk. */
START_TEST(koiter_vertex_may_have_hundreds_of_faces) {
    enum { SPOKES = 400 };
    double p[3 * (SPOKES + 1)] = {0};
    int32_t sizes[SPOKES], corners[3 * SPOKES] = {0};
    TestRandom random = test_random(16);
    for (int k = 0; k < SPOKES; k++) {
        p[3 * k + 3] = cos(2.0 * PI * k / SPOKES);
        p[3 * k + 4] = sin(2.0 * PI * k / SPOKES);
        sizes[k] = 3;
        corners[3 * k + 1] = 1 + k;
        corners[3 * k + 2] = 1 + (k + 1) % SPOKES;
    }
    TestMesh mesh = test_polygons(SPOKES + 1, p, SPOKES, sizes, corners);
    ToileFabric fabric = koiter_fabric(0.02, 0.02, 0.3, 0.7, 1);
    double *grad = test_alloc(3 * sizeof(double) * (SPOKES + 1)), force[3], torque[3];
    TestModel model;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, NULL, NULL, &model);
    double *x = test_deformed(&mesh, &random, 0.003);
    TlElements cross = tl_bend_koiter_cross(&model.model);
    TlPoint at = {x, NULL, 0.0};
    test_gradient(&cross, &at, grad);
    test_resultants(x, grad, SPOKES + 1, force, torque);
    double scale = test_largest(grad, 3 * (SPOKES + 1));
    ASSERT_BELOW(test_largest(force, 3), ROUNDING * scale);
    ASSERT_BELOW(test_largest(torque, 3), 10 * ROUNDING * scale);
    /* the apex lifted: one curvature in all directions */
    double lifted[3 * (SPOKES + 1)], e, in;
    memcpy(lifted, mesh.positions, sizeof lifted);
    lifted[2] = 0.01;
    for (int32_t r = 0; r < model.model.sets.rings.count; r++) {
        if (model.model.sets.rings.vertex[model.model.sets.rings.first[r]] == 0) {
            TlRings rings = {&model.model.sets.rings, &model.model.sets.fans};
            TlRingShape s = tl_ring_shape(rings, 1, lifted, r);
            ck_assert(s.b[0] < -1e-3);
            ASSERT_RELATIVE(s.b[1], s.b[0], 1e-10);
            tl_koiter_energies(&model.model, lifted, r, r + 1, 0, 0, &e, &in);
            ASSERT_RELATIVE(e, 0.02 * 1.3 * s.b[0] * s.b[0] * model.model.sets.rings.area[r],
                            1e-10);
        }
    }
    free(x);
    free(grad);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

/* A rest shape folded flat onto itself has no normal at the fold; everything stays finite. */
START_TEST(koiter_rest_may_be_folded_flat) {
    TestRandom random = test_random(17);
    TestMesh mesh = test_grid(2, 2, 2.0, 2.0, TEST_DIAGONAL_NONE);
    ToileFabric fabric = koiter_fabric(0.02, 0.02, 0.3, 0.7, 1);
    double rest[27], grad[27];
    for (int i = 0; i < 27; i++) {
        bool over = i % 3 == 0 && mesh.positions[i] > 1.0;
        rest[i] = over ? 2.0 - mesh.positions[i] : mesh.positions[i];
    }
    double *x = test_deformed(&mesh, &random, 0.3);
    TestModel model;
    test_model_with(&mesh, &fabric, TOILE_PATTERN_NONE, true, rest, NULL, &model);
    Energies e = energies_of(&model, rest);
    ck_assert(e.cross == 0.0 && e.in == 0.0);
    for (int32_t r = 0; r < model.model.sets.rings.count; r++) {
        tl_koiter_energies(&model.model, x, r, r + 1, 0, 0, &e.cross, &e.in);
        ck_assert(e.cross > 0.0);
    }
    TlElements cross = tl_bend_koiter_cross(&model.model);
    TlPoint at = {x, NULL, 0.0};
    test_gradient(&cross, &at, grad);
    ASSERT_BELOW(test_gradient_error(&cross, &at, grad, 1e-5), 1e-8);
    free(x);
    test_model_free(&model);
    test_mesh_free(&mesh);
}
END_TEST

TEST_MAIN("rest_koiter", koiter_knows_a_curved_rest_and_an_orthotropic_fabric,
          koiter_plates_have_the_energy_of_the_continuum, koiter_bends_by_weft_and_warp,
          koiter_metric_pattern_may_be_cut_turned_and_mirrored,
          koiter_metric_pattern_gives_the_lengths_and_the_mesh_the_curvature,
          koiter_metric_pattern_spreads_a_dart_evenly, koiter_metric_pattern_has_no_preferred_side,
          koiter_grain_may_jump_at_a_seam, koiter_flipped_faces_bend_as_others,
          koiter_sheets_that_share_a_vertex_or_an_edge_do_not_bend_each_other,
          koiter_vertex_may_have_hundreds_of_faces, koiter_rest_may_be_folded_flat)
