/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A cloth that is kept in another order than its mesh: nobody sees it. Twins are the same cloth,
 * once numbered row by row, which is kept, and once at random, which is not. */
#include "mesh/order.h"
#include "support/builders.h"
#include "toile/draft.h"

#include <stdlib.h>
#include <string.h>

/* 45 x 50 vertices, over the 2048 below which no order is changed */
enum { COLUMNS = 44, ROWS = 49, PINS = 3, MOST_REQUESTS = 2000 };

/* Values of both twins come from the same formulas; sums run in another order, with some cancelled
 * digits where cloth is nearly flat. Relative to the largest value. */
#define ROUNDING 1e-12
/* The same after a step of 1e-5 s, m and m/s. */
#define ROUNDING_STEP 1e-12

typedef struct Twins {
    TestMesh mesh, other;
    int32_t *called; /* number of each vertex of `mesh` in `other` */
} Twins;

/* Whether the core keeps a mesh in its own order. */
static bool is_kept(const TestMesh *mesh) {
    ToileMeshDef def = test_mesh_def(mesh);
    TlArena arena;
    TlMesh copy;
    TlOrder order;
    tl_arena_init(&arena, tl_allocator_or_default(NULL));
    ck_assert(tl_mesh_copy(&arena, &def, &copy));
    ck_assert(tl_order_choose(&arena, &copy, &order));
    tl_arena_free(&arena);
    return order.vertex == NULL;
}

static Twins make_twins(TestRandom *random) {
    Twins twins = {.mesh = test_mixed(COLUMNS, ROWS, random)};
    int32_t n = twins.mesh.vertex_count;
    twins.called = test_alloc(sizeof *twins.called * (size_t)n);
    for (int32_t v = 0; v < n; v++) {
        twins.called[v] = v;
        for (int k = 0; k < 3; k++) {
            /* of single precision, which a simulation gives back bit for bit */
            twins.mesh.positions[3 * v + k] =
                (double)(float)(0.02 * twins.mesh.positions[3 * v + k]);
        }
    }
    for (int32_t i = 0; i < 2 * n; i++) {
        twins.mesh.uvs[i] *= 0.02;
    }
    test_shuffle(random, twins.called, n);
    twins.other = test_renumbered(&twins.mesh, twins.called);
    ck_assert(is_kept(&twins.mesh) && !is_kept(&twins.other));
    return twins;
}

static void free_twins(Twins *twins) {
    test_mesh_free(&twins->mesh);
    test_mesh_free(&twins->other);
    free(twins->called);
}

/* Values of the first twin as the second has them; caller frees. */
static double *renamed(const Twins *twins, const double *values) {
    int32_t n = twins->mesh.vertex_count;
    double *out = test_alloc(3 * sizeof *out * (size_t)n);
    for (int32_t v = 0; v < n; v++) {
        memcpy(out + 3 * twins->called[v], values + 3 * v, 3 * sizeof *out);
    }
    return out;
}

static void expect_near(const Twins *twins, const double *first, const double *second,
                        double tolerance) {
    for (int32_t v = 0; v < twins->mesh.vertex_count; v++) {
        for (int k = 0; k < 3; k++) {
            ASSERT_NEAR(second[3 * twins->called[v] + k], first[3 * v + k], tolerance);
        }
    }
}

/* With weft along u, so that the first corner of a face has no effect. */
static ToileClothId add(ToileSim *sim, const TestMesh *mesh, const ToileFabric *fabric,
                        const int32_t *pins, int32_t pin_count) {
    ToileMeshDef mesh_def = test_mesh_def(mesh);
    ToileClothDef def = toile_cloth_def_default();
    ToileClothId id;
    def.mesh = &mesh_def;
    def.fabric = fabric;
    def.pattern = TOILE_PATTERN_ORIENTATION;
    def.pin_vertices = pins;
    def.pin_count = pin_count;
    ASSERT_OK(toile_sim_add_cloth(sim, &def, &id, NULL));
    return id;
}

/* Both twins, each in a simulation of its own, in the same wrinkled state and motion. */
typedef struct Pair {
    ToileSim *sim[2];
    ToileClothId id[2];
} Pair;

static Pair make_pair(const Twins *twins, const ToileSimDef *def, const ToileFabric *fabric,
                      const double *x, const double *v) {
    const TestMesh *meshes[2] = {&twins->mesh, &twins->other};
    Pair pair;
    for (int i = 0; i < 2; i++) {
        int32_t corner[2] = {0, COLUMNS};
        for (int k = 0; k < 2 && i == 1; k++) {
            corner[k] = twins->called[corner[k]];
        }
        pair.sim[i] = test_sim(def);
        pair.id[i] = add(pair.sim[i], meshes[i], fabric, corner, 2);
        double *own_x = i == 1 ? renamed(twins, x) : NULL;
        double *own_v = i == 1 ? renamed(twins, v) : NULL;
        ASSERT_OK(toile_sim_set_positions(pair.sim[i], pair.id[i], i == 1 ? own_x : x, NULL));
        ASSERT_OK(toile_sim_set_velocities(pair.sim[i], pair.id[i], i == 1 ? own_v : v, NULL));
        free(own_x);
        free(own_v);
    }
    return pair;
}

static void free_pair(Pair *pair) {
    toile_sim_destroy(pair->sim[0]);
    toile_sim_destroy(pair->sim[1]);
}

/* Of single precision, which a simulation gives back bit for bit. */
static double *random_values(int32_t count, double size, TestRandom *random) {
    double *out = test_alloc(sizeof *out * (size_t)count);
    for (int32_t i = 0; i < count; i++) {
        out[i] = (double)(float)test_between(random, -size, size);
    }
    return out;
}

typedef ToileStatus (*Forces)(ToileSim *sim, ToileClothId cloth, double *forces_N,
                              ToileError *error);

static void expect_forces(const Twins *twins, const Pair *pair, Forces forces) {
    int64_t n = 3 * (int64_t)twins->mesh.vertex_count;
    double *f[2];
    for (int i = 0; i < 2; i++) {
        f[i] = test_alloc(sizeof *f[i] * (size_t)n);
        ASSERT_OK(forces(pair->sim[i], pair->id[i], f[i], NULL));
    }
    double largest = test_largest(f[0], n);
    ck_assert(largest > 0.0);
    expect_near(twins, f[0], f[1], ROUNDING * largest);
    free(f[0]);
    free(f[1]);
}

static ToileStatus bend_forces(ToileSim *sim, ToileClothId cloth, double *forces_N,
                               ToileError *error) {
    return toile_sim_get_bend_forces(sim, cloth, 1, forces_N, error);
}

static void expect_energies(const Pair *pair) {
    ToileEnergies e[2];
    for (int i = 0; i < 2; i++) {
        e[i] = toile_energies_default();
        ASSERT_OK(toile_sim_get_energies(pair->sim[i], &e[i], NULL));
    }
    ASSERT_RELATIVE(e[1].stretch_J, e[0].stretch_J, ROUNDING);
    ASSERT_RELATIVE(e[1].bend_J, e[0].bend_J, ROUNDING);
    ASSERT_RELATIVE(e[1].kinetic_J, e[0].kinetic_J, ROUNDING);
}

START_TEST(reorder_keeps_forces_of_every_fabric) {
    TestRandom random = test_random(81);
    Twins twins = make_twins(&random);
    ToileSimDef def = toile_sim_def_default();
    double *x = test_deformed(&twins.mesh, &random, 3e-4);
    double *v = random_values(3 * twins.mesh.vertex_count, 1.0, &random);
    def.threads = 1;
    for (int32_t i = 0; i < TEST_FABRICS; i++) {
        ToileFabric fabric = test_any_fabric(i);
        Pair pair = make_pair(&twins, &def, &fabric, x, v);
        expect_forces(&twins, &pair, toile_sim_get_internal_forces);
        expect_forces(&twins, &pair, toile_sim_get_damping_forces);
        expect_forces(&twins, &pair, bend_forces);
        expect_energies(&pair);
        free_pair(&pair);
    }
    free(x);
    free(v);
    free_twins(&twins);
}
END_TEST

static void expect_state(const Twins *twins, const Pair *pair, double x_m, double v_m_per_s) {
    double *x[2], *v[2];
    for (int i = 0; i < 2; i++) {
        x[i] = test_positions(pair->sim[i], pair->id[i]);
        v[i] = test_velocities(pair->sim[i], pair->id[i]);
    }
    expect_near(twins, x[0], x[1], x_m);
    expect_near(twins, v[0], v[1], v_m_per_s);
    for (int i = 0; i < 2; i++) {
        free(x[i]);
        free(v[i]);
    }
}

START_TEST(reorder_keeps_an_explicit_step) {
    TestRandom random = test_random(82);
    Twins twins = make_twins(&random);
    ToileSimDef def = toile_sim_def_default();
    double *x = test_deformed(&twins.mesh, &random, 1e-4);
    double *v = random_values(3 * twins.mesh.vertex_count, 0.1, &random);
    def.threads = 1;
    def.substeps = 1;
    def.fps = 1e5;
    def.integrator = TOILE_INTEGRATOR_SYMPLECTIC_EULER;
    Pair pair = make_pair(&twins, &def, NULL, x, v);
    test_step(pair.sim[0], 1);
    test_step(pair.sim[1], 1);
    ck_assert_int_eq(test_stats(pair.sim[1]).substeps, 1);
    expect_state(&twins, &pair, ROUNDING_STEP, ROUNDING_STEP);
    free_pair(&pair);
    free(x);
    free(v);
    free_twins(&twins);
}
END_TEST

/* Newton stops when no vertex moves by more than the tolerance, and its last correction, solved to
 * a thousandth, leaves less than that; four sub-steps pass it on. */
START_TEST(reorder_keeps_a_frame) {
    const double tolerance_m = 1e-7, linear = 1e-3, substeps = 4, fps = 24;
    TestRandom random = test_random(83);
    Twins twins = make_twins(&random);
    ToileSimDef def = toile_sim_def_default();
    double *v = random_values(3 * twins.mesh.vertex_count, 0.01, &random);
    def.threads = 1;
    def.tolerance_m = tolerance_m;
    def.linear_tolerance = linear;
    Pair pair = make_pair(&twins, &def, NULL, twins.mesh.positions, v);
    test_step(pair.sim[0], 1);
    test_step(pair.sim[1], 1);
    ck_assert_int_eq(test_stats(pair.sim[1]).substeps, (int32_t)substeps);
    expect_state(&twins, &pair, substeps * tolerance_m, substeps * substeps * fps * tolerance_m);
    free_pair(&pair);
    free(v);
    free_twins(&twins);
}
END_TEST

/* ---- the user's numbers ---- */

/* A simulation with the second twin alone, one worker. */
static ToileSim *alone(const Twins *twins, const int32_t *pins, ToileClothId *id) {
    ToileSimDef def = toile_sim_def_default();
    def.threads = 1;
    ToileSim *sim = test_sim(&def);
    *id = add(sim, &twins->other, NULL, pins, PINS);
    return sim;
}

/* Three vertices of the second twin: those at three corners of the sheet. */
static void corners_of(const Twins *twins, int32_t pins[PINS]) {
    pins[0] = twins->called[0];
    pins[1] = twins->called[COLUMNS];
    pins[2] = twins->called[(COLUMNS + 1) * ROWS];
}

static void expect_values(const ToileSim *sim, ToileClothId id, const double *x, const double *v) {
    size_t size = 3 * sizeof(double) * (size_t)toile_sim_vertex_count(sim, id);
    double *got_x = test_positions(sim, id), *got_v = test_velocities(sim, id);
    ck_assert_mem_eq(got_x, x, size);
    ck_assert_mem_eq(got_v, v, size);
    free(got_x);
    free(got_v);
}

START_TEST(reorder_hands_back_what_was_given) {
    TestRandom random = test_random(84);
    Twins twins = make_twins(&random);
    int32_t values = 3 * twins.other.vertex_count;
    double *x[2], *v[2];
    for (int i = 0; i < 2; i++) {
        x[i] = random_values(values, 1.0, &random);
        v[i] = random_values(values, 1.0, &random);
    }
    ToileSimDef sim_def = toile_sim_def_default();
    sim_def.threads = 1;
    ToileSim *sim = test_sim(&sim_def);
    ToileMeshDef mesh_def = test_mesh_def(&twins.other);
    ToileClothDef def = toile_cloth_def_default();
    ToileClothId id;
    def.mesh = &mesh_def;
    def.start_positions_m = x[0];
    def.start_velocities_m_per_s = v[0];
    ASSERT_OK(toile_sim_add_cloth(sim, &def, &id, NULL));
    expect_values(sim, id, x[0], v[0]);
    ASSERT_OK(toile_sim_set_positions(sim, id, x[1], NULL));
    ASSERT_OK(toile_sim_set_velocities(sim, id, v[1], NULL));
    expect_values(sim, id, x[1], v[1]);
    toile_sim_destroy(sim);
    for (int i = 0; i < 2; i++) {
        free(x[i]);
        free(v[i]);
    }
    free_twins(&twins);
}
END_TEST

/* those of the definition, one that is pinned later and goes where it is sent, one that is freed */
START_TEST(reorder_pins_the_vertices_named) {
    TestRandom random = test_random(85);
    Twins twins = make_twins(&random);
    const double *start = twins.other.positions;
    int32_t pins[PINS];
    ToileClothId id;
    corners_of(&twins, pins);
    int32_t late = twins.called[(COLUMNS + 1) * (ROWS + 1) - 1];
    ToileSim *sim = alone(&twins, pins, &id);
    const double target[3] = {start[3 * late], start[3 * late + 1] + 0.0078125,
                              start[3 * late + 2]};
    ASSERT_OK(toile_sim_set_pinned(sim, id, &late, 1, true, NULL));
    ASSERT_OK(toile_sim_set_pinned(sim, id, &pins[2], 1, false, NULL));
    ASSERT_OK(toile_sim_set_pin_targets(sim, id, &late, 1, target, NULL));
    test_step(sim, 1);
    double *x = test_positions(sim, id);
    ck_assert_mem_eq(x + 3 * late, target, sizeof target);
    for (int32_t v = 0; v < twins.other.vertex_count; v++) {
        bool same = memcmp(x + 3 * v, start + 3 * v, 3 * sizeof *x) == 0;
        ck_assert_msg(same == (v == pins[0] || v == pins[1]), "vertex %d", (int)v);
    }
    free(x);
    toile_sim_destroy(sim);
    free_twins(&twins);
}
END_TEST

START_TEST(reorder_errors_name_the_users_vertices) {
    TestRandom random = test_random(86);
    Twins twins = make_twins(&random);
    int32_t pins[PINS];
    ToileClothId id;
    corners_of(&twins, pins);
    ToileSim *sim = alone(&twins, pins, &id);
    double *x = test_positions(sim, id);
    ToileError error = toile_error_default();
    int32_t loose = twins.called[1];
    ck_assert_int_eq(toile_sim_set_pin_targets(sim, id, &loose, 1, x, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(error.vertex, loose);
    x[3 * loose + 1] = (double)NAN;
    ck_assert_int_eq(toile_sim_set_positions(sim, id, x, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(error.vertex, loose);
    free(x);
    toile_sim_destroy(sim);
    free_twins(&twins);
}
END_TEST

/* ---- details ---- */

/* As ck_assert, which writes to a pipe even when all is well, and there are a million of these. */
static void expect(bool holds, const char *what, int32_t index) {
    if (!holds) {
        ck_abort_msg("%s %d is not as the mesh has it", what, (int)index);
    }
}

static void expect_ok(ToileStatus status) {
    if (status != TOILE_STATUS_OK) {
        ck_abort_msg("status %d", (int)status);
    }
}

static void expect_elements(ToileSim *sim, ToileClothId id, const TlSets *want) {
    const TlTriangleSet *triangles = &want->triangles;
    const TlQuadSet *quads = &want->quads;
    ck_assert_int_eq(toile_sim_element_count(sim, id), triangles->count + quads->count);
    for (int32_t i = 0; i < triangles->count + quads->count; i++) {
        ToileElementDetail got = {.struct_size = sizeof got};
        expect_ok(toile_sim_get_element(sim, id, i, &got, NULL));
        bool is_triangle = i < triangles->count;
        int32_t e = is_triangle ? i : i - triangles->count, size = is_triangle ? 3 : 4;
        const int32_t *vertex = (is_triangle ? triangles->vertex : quads->vertex) + size * e;
        expect(got.corner_count == size, "element", i);
        expect(got.face == (is_triangle ? triangles->face : quads->face)[e], "element", i);
        expect(got.area_m2 == (is_triangle ? triangles->area : quads->area)[e], "element", i);
        expect(memcmp(got.vertices, vertex, sizeof *vertex * (size_t)size) == 0, "element", i);
    }
}

static void expect_hinges(ToileSim *sim, ToileClothId id, const TlSets *want) {
    const TlHingeSet *set = want->hinges;
    while (set < want->hinges + TL_HINGE_KINDS - 1 && set->count == 0) {
        set++;
    }
    ck_assert_int_eq(toile_sim_hinge_count(sim, id), set->count);
    for (int32_t h = 0; h < set->count; h++) {
        ToileHingeDetail got = {.struct_size = sizeof got};
        expect_ok(toile_sim_get_hinge(sim, id, h, &got, NULL));
        int32_t first = set->first[h], size = set->first[h + 1] - first;
        expect(got.corner_count == size, "hinge", h);
        expect(memcmp(got.vertices, set->vertex + first, sizeof(int32_t) * (size_t)size) == 0,
               "hinge", h);
        expect(memcmp(got.alpha, set->alpha + first, sizeof(double) * (size_t)size) == 0, "hinge",
               h);
        expect(got.lambda_N_per_m == set->lambda[h] && got.r_rest_m == set->rest_r[h], "hinge", h);
    }
}

static void expect_springs(ToileSim *sim, ToileClothId id, const TlSets *want) {
    const struct {
        int32_t count;
        const int32_t *vertex;
        const double *length;
    } sets[] = {{want->springs.count, want->springs.vertex, want->springs.length},
                {want->crossover.count, want->crossover.vertex, want->crossover.length},
                {want->choi_ko.count, want->choi_ko.vertex, want->choi_ko.length}};
    int32_t i = 0;
    for (int s = 0; s < 3; s++) {
        for (int32_t k = 0; k < sets[s].count; k++, i++) {
            ToileSpringDetail got = {.struct_size = sizeof got};
            expect_ok(toile_sim_get_spring(sim, id, i, &got, NULL));
            expect(memcmp(got.vertices, sets[s].vertex + 2 * k, 2 * sizeof(int32_t)) == 0, "spring",
                   i);
            expect(got.rest_length_m == sets[s].length[k] && got.is_bend == (s > 0), "spring", i);
        }
    }
    ck_assert_int_eq(toile_sim_spring_count(sim, id), i);
}

/* Every detail and the areas are those of the rest shape in the mesh's own order, to the bit. */
static void expect_details(const TestMesh *mesh, const ToileFabric *fabric, bool native,
                           const double *curvature) {
    TestModel want;
    ToileSimDef sim_def = toile_sim_def_default();
    ToileMeshDef mesh_def = test_mesh_def(mesh);
    ToileClothDef def = toile_cloth_def_default();
    ToileClothId id, small;
    TestMesh patch = test_grid(3, 3, 1, 1, TEST_DIAGONAL_SINGLE);
    test_model_with(mesh, fabric, TOILE_PATTERN_NONE, native, NULL, curvature, &want);
    sim_def.threads = 1;
    ToileSim *sim = test_sim(&sim_def);
    def.mesh = &mesh_def;
    def.fabric = fabric;
    def.elements = native ? TOILE_ELEMENTS_NATIVE : TOILE_ELEMENTS_TRIANGLES;
    def.rest_curvature_map_per_m = curvature;
    /* another cloth before it, so that numbers begin elsewhere */
    small = test_add(sim, &patch, fabric, NULL, 0);
    ASSERT_OK(toile_sim_add_cloth(sim, &def, &id, NULL));
    ck_assert_int_eq(toile_sim_vertex_count(sim, small), 16);
    expect_elements(sim, id, &want.rest.sets);
    expect_hinges(sim, id, &want.rest.sets);
    expect_springs(sim, id, &want.rest.sets);
    double *areas = test_alloc(sizeof *areas * (size_t)mesh->vertex_count);
    ASSERT_OK(toile_sim_get_vertex_areas(sim, id, areas, NULL));
    ck_assert_mem_eq(areas, want.rest.area, sizeof *areas * (size_t)mesh->vertex_count);
    free(areas);
    toile_sim_destroy(sim);
    test_model_free(&want);
    test_mesh_free(&patch);
}

START_TEST(reorder_details_are_those_of_the_mesh) {
    TestRandom random = test_random(87);
    Twins twins = make_twins(&random);
    double *curvature = random_values(twins.other.vertex_count, 5.0, &random);
    for (int32_t i = 0; i < TEST_FABRICS; i++) {
        ToileFabric fabric = test_any_fabric(i);
        bool hinges = fabric.bend_model <= TOILE_BEND_NORMAL;
        expect_details(&twins.other, &fabric, i % 2 == 0, hinges && i % 4 < 2 ? curvature : NULL);
    }
    free(curvature);
    free_twins(&twins);
}
END_TEST

/* quads are cut through the vertex that is lowest in the user's numbering */
START_TEST(reorder_splits_quads_by_the_users_numbers) {
    TestRandom random = test_random(88);
    Twins twins = make_twins(&random);
    const TestMesh *mesh = &twins.other;
    ToileMeshDef mesh_def = test_mesh_def(mesh);
    ToileClothDef def = toile_cloth_def_default();
    ToileSimDef sim_def = toile_sim_def_default();
    ToileClothId id;
    sim_def.threads = 1;
    ToileSim *sim = test_sim(&sim_def);
    def.mesh = &mesh_def;
    def.elements = TOILE_ELEMENTS_TRIANGLES;
    ASSERT_OK(toile_sim_add_cloth(sim, &def, &id, NULL));
    int32_t index = 0;
    for (int32_t f = 0, begin = 0; f < mesh->face_count; begin += mesh->face_sizes[f++]) {
        int32_t low = mesh->corners[begin];
        for (int32_t k = 1; k < mesh->face_sizes[f]; k++) {
            int32_t v = mesh->corners[begin + k];
            low = v < low && mesh->face_sizes[f] == 4 ? v : low;
        }
        for (int32_t t = 0; t < mesh->face_sizes[f] - 2; t++) {
            ToileElementDetail got = {.struct_size = sizeof got};
            expect_ok(toile_sim_get_element(sim, id, index++, &got, NULL));
            expect(got.face == f && got.vertices[0] == low, "face", f);
        }
    }
    toile_sim_destroy(sim);
    free_twins(&twins);
}
END_TEST

/* ---- life ---- */

START_TEST(reorder_snapshot_goes_on_with_the_same_bits) {
    TestRandom random = test_random(89);
    Twins twins = make_twins(&random);
    int32_t pins[PINS];
    ToileClothId id;
    corners_of(&twins, pins);
    ToileSim *sims[2] = {alone(&twins, pins, &id), alone(&twins, pins, &id)};
    test_step(sims[0], 2);
    size_t size = toile_sim_snapshot_size(sims[0]);
    void *buffer = test_alloc(size);
    ASSERT_OK(toile_sim_snapshot(sims[0], buffer, size, NULL));
    test_step(sims[0], 2);
    uint64_t want = toile_sim_state_hash(sims[0]);
    for (int i = 0; i < 2; i++) {
        ASSERT_OK(toile_sim_restore(sims[i], buffer, size, NULL));
        test_step(sims[i], 2);
        ck_assert_uint_eq(toile_sim_state_hash(sims[i]), want);
        toile_sim_destroy(sims[i]);
    }
    /* not into the same cloth with other numbers */
    ToileSimDef def = toile_sim_def_default();
    def.threads = 1;
    ToileSim *sorted = test_sim(&def);
    add(sorted, &twins.mesh, NULL, NULL, 0);
    ck_assert_int_eq(toile_sim_restore(sorted, buffer, size, NULL), TOILE_STATUS_INVALID_DATA);
    toile_sim_destroy(sorted);
    free(buffer);
    free_twins(&twins);
}
END_TEST

/* cloths of both kinds side by side move as if alone, and keep their state when others go */
START_TEST(reorder_cloths_come_and_go) {
    TestRandom random = test_random(91);
    Twins twins = make_twins(&random);
    /* in the same metre, so that rounding is the same */
    TestMesh patch = test_grid(4, 4, 0.9, 0.9, TEST_DIAGONAL_NONE);
    ToileSimDef def = toile_sim_def_default();
    int32_t pins[PINS];
    corners_of(&twins, pins);
    def.threads = 1;
    /* they stand in each other, and are not to meet */
    def.contact_self = 0;
    def.integrator = TOILE_INTEGRATOR_SYMPLECTIC_EULER;
    ToileSim *sim = test_sim(&def), *single = test_sim(&def);
    ToileClothId first = test_add(sim, &patch, NULL, NULL, 0);
    ToileClothId large = add(sim, &twins.other, NULL, pins, PINS);
    ToileClothId last = test_add(sim, &patch, NULL, NULL, 0);
    ToileClothId lone = add(single, &twins.other, NULL, pins, PINS);
    for (int loop = 0; loop < 3; loop++) {
        test_step(sim, 1);
        test_step(single, 1);
        double *x = test_positions(single, lone), *v = test_velocities(single, lone);
        expect_values(sim, large, x, v);
        if (loop < 2) {
            ASSERT_OK(toile_sim_remove_cloth(sim, loop == 0 ? first : last, NULL));
            expect_values(sim, large, x, v);
        }
        free(x);
        free(v);
    }
    ASSERT_OK(toile_sim_remove_cloth(sim, large, NULL));
    ck_assert_int_eq(toile_sim_vertex_count(sim, large), -1);
    toile_sim_destroy(sim);
    toile_sim_destroy(single);
    test_mesh_free(&patch);
    free_twins(&twins);
}
END_TEST

START_TEST(reorder_faults_in_add_cloth) {
    TestRandom random = test_random(92);
    Twins twins = make_twins(&random);
    TestMemory memory = {0};
    ToileSimDef sim_def = toile_sim_def_default();
    ToileMeshDef mesh_def = test_mesh_def(&twins.other);
    ToileClothDef def = toile_cloth_def_default();
    sim_def.threads = 1;
    sim_def.allocator = test_allocator(&memory);
    ToileSim *sim = test_sim(&sim_def);
    def.mesh = &mesh_def;
    ToileStatus status = TOILE_STATUS_OUT_OF_MEMORY;
    for (int64_t k = 1; status != TOILE_STATUS_OK; k++) {
        ck_assert_int_lt(k, MOST_REQUESTS);
        memory.requests = 0;
        memory.fail_at = k;
        status = toile_sim_add_cloth(sim, &def, NULL, NULL);
        ck_assert(status == TOILE_STATUS_OK || status == TOILE_STATUS_OUT_OF_MEMORY);
    }
    memory.fail_at = 0;
    test_step(sim, 1);
    toile_sim_destroy(sim);
    ck_assert_int_eq(memory.live_blocks, 0);
    free_twins(&twins);
}
END_TEST

TEST_MAIN("reorder", reorder_keeps_forces_of_every_fabric, reorder_keeps_an_explicit_step,
          reorder_keeps_a_frame, reorder_hands_back_what_was_given, reorder_pins_the_vertices_named,
          reorder_errors_name_the_users_vertices, reorder_details_are_those_of_the_mesh,
          reorder_splits_quads_by_the_users_numbers, reorder_snapshot_goes_on_with_the_same_bits,
          reorder_cloths_come_and_go, reorder_faults_in_add_cloth)
