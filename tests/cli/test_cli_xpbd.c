/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The XPBD yardstick of `toile bench solver` must be a fair opponent: it simulates the same cloth.
 * Its free fall has a closed form; on squares along weft and warp its springs are the fabric's, so
 * that it must follow Toile's explicit integrator, with and without stiff bending. */
#include "bench_xpbd.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 10, SIDE = CELLS + 1, VERTICES = SIDE * SIDE, FACES = CELLS * CELLS };

#define FPS 24.0
#define SUBSTEPS 200

/* single precision: velocities come from positions that are rounded in each of 1200 sub-steps;
 * measured 0.29 mm of 308 mm */
#define FALL_M 1e-3
#define FALL_ENERGY 0.005 /* ratio; measured 0.0025 */
/* of the way: on so few cells springs differ from bilinear quads near the pins (measured 0.018);
 * bending is the same (0.0055) */
#define LIGHT_PART 0.03
#define STIFF_PART 0.01

/* A lying sheet of one metre, of quads or, in every other cell, triangles. */
typedef struct Sheet {
    double x_m[3 * VERTICES];
    int32_t sizes[2 * FACES], face_corners[6 * FACES];
    ToileMeshDef mesh;
    ToileFabric fabric;
} Sheet;

/* two corners, or two rows */
static const int32_t corners[2] = {0, CELLS};
static int32_t rows[2 * SIDE];

typedef struct Hold {
    const int32_t *pins;
    int32_t count;
    double bend_N_m;
    double most_part;
} Hold;

static void add_face(ToileMeshDef *mesh, Sheet *sheet, int32_t size, const int32_t *q) {
    memcpy(sheet->face_corners + mesh->corner_count, q, (size_t)size * sizeof *q);
    sheet->sizes[mesh->face_count++] = size;
    mesh->corner_count += size;
}

static Sheet *new_sheet(double bend_N_m, bool triangles) {
    Sheet *sheet = malloc(sizeof *sheet);
    ck_assert_ptr_nonnull(sheet);
    sheet->mesh = toile_mesh_def_default();
    sheet->fabric = toile_fabric_default();
    sheet->fabric.density_kg_per_m2 = 0.187;
    sheet->fabric.stretch_poisson = 0.0;
    sheet->fabric.bend_weft_N_m = sheet->fabric.bend_warp_N_m = bend_N_m;
    for (int32_t v = 0; v < VERTICES; v++) {
        const double x[3] = {(double)(v % SIDE) / CELLS, 0.0, -(double)(v / SIDE) / CELLS};
        memcpy(sheet->x_m + 3 * v, x, sizeof x);
    }
    for (int32_t f = 0; f < FACES; f++) {
        int32_t a = f / CELLS * SIDE + f % CELLS;
        const int32_t quad[4] = {a + SIDE, a + SIDE + 1, a + 1, a};
        const int32_t half[3] = {a + SIDE, a + 1, a};
        bool split = triangles && f % 2;
        add_face(&sheet->mesh, sheet, split ? 3 : 4, quad);
        if (split)
            add_face(&sheet->mesh, sheet, 3, half);
    }
    sheet->mesh.vertex_count = VERTICES;
    sheet->mesh.positions_m = sheet->x_m;
    sheet->mesh.face_sizes = sheet->sizes;
    sheet->mesh.corners = sheet->face_corners;
    return sheet;
}

static TlXpbd *new_xpbd(const Sheet *sheet, const Hold *hold) {
    const TlXpbdDef def = {.mesh = &sheet->mesh,
                           .fabric = &sheet->fabric,
                           .pins = hold->pins,
                           .pin_count = hold->count,
                           .substeps = SUBSTEPS,
                           .fps = FPS,
                           .gravity_m_per_s2 = {0.0, -9.81, 0.0}};
    TlXpbd *xpbd = tl_xpbd_create(&def);
    ck_assert_ptr_nonnull(xpbd);
    return xpbd;
}

static void advance(TlXpbd *xpbd, int32_t frames, double *x_m) {
    for (int32_t i = 0; i < frames; i++)
        tl_xpbd_step(xpbd);
    tl_xpbd_get_positions(xpbd, x_m);
}

/* Root mean square of the distances between two states. */
static double rms(const double *a, const double *b) {
    double sum = 0.0;
    for (int32_t i = 0; i < 3 * VERTICES; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / VERTICES);
}

START_TEST(xpbd_falls_freely) {
    Sheet *sheet = new_sheet(5e-5, true);
    TlXpbd *xpbd = new_xpbd(sheet, &(Hold){0});
    double x_m[3 * VERTICES], steps = 6.0 * SUBSTEPS, h = 1.0 / (FPS * SUBSTEPS);
    advance(xpbd, 6, x_m);
    /* velocities first, then positions: the discrete solution */
    double drop = 9.81 * h * h * steps * (steps + 1.0) / 2.0;
    for (int32_t i = 0; i < 3 * VERTICES; i++) {
        double expected = sheet->x_m[i] - (i % 3 == 1 ? drop : 0.0);
        ck_assert_msg(fabs(x_m[i] - expected) < FALL_M, "value %d is off by %g m", (int)i,
                      x_m[i] - expected);
    }
    double mass = 0.187, speed = 9.81 * 6.0 / FPS;
    ck_assert_double_eq_tol(tl_xpbd_kinetic_J(xpbd) / (0.5 * mass * speed * speed), 1.0,
                            FALL_ENERGY);
    tl_xpbd_destroy(xpbd);
    free(sheet);
}
END_TEST

/* Toile's own explicit solution. */
static void step_toile(const Sheet *sheet, const Hold *hold, int32_t frames, double *x_m) {
    ToileError error = toile_error_default();
    ToileSimDef def = toile_sim_def_default();
    ToileClothDef cloth = toile_cloth_def_default();
    ToileSim *sim;
    ToileClothId id;
    def.threads = 1;
    def.substeps = SUBSTEPS;
    def.integrator = TOILE_INTEGRATOR_SYMPLECTIC_EULER;
    cloth.mesh = &sheet->mesh;
    cloth.fabric = &sheet->fabric;
    cloth.pin_vertices = hold->pins;
    cloth.pin_count = hold->count;
    ck_assert_int_eq(toile_sim_create(&def, &sim, &error), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_sim_add_cloth(sim, &cloth, &id, &error), TOILE_STATUS_OK);
    for (int32_t i = 0; i < frames; i++)
        ck_assert_msg(toile_sim_step(sim, &error) == TOILE_STATUS_OK, "%s", error.message);
    ck_assert_int_eq(toile_sim_get_positions(sim, id, x_m, &error), TOILE_STATUS_OK);
    toile_sim_destroy(sim);
}

/* Light cloth by two corners, then a stiff sheet that stands out from a clamp. */
START_TEST(xpbd_swings_as_the_fabric_does) {
    for (int32_t i = 0; i < 2 * SIDE; i++)
        rows[i] = i;
    const Hold holds[2] = {{corners, 2, 5e-5, LIGHT_PART}, {rows, 2 * SIDE, 0.5, STIFF_PART}},
               *hold = &holds[_i];
    Sheet *sheet = new_sheet(hold->bend_N_m, false);
    TlXpbd *xpbd = new_xpbd(sheet, hold);
    double x_m[3 * VERTICES], expected_m[3 * VERTICES];
    advance(xpbd, 6, x_m);
    step_toile(sheet, hold, 6, expected_m);
    double way = rms(expected_m, sheet->x_m), part = rms(x_m, expected_m) / way;
    ck_assert_msg(way > 0.05 && part < hold->most_part, "off by %g of the way of %g m", part, way);
    for (int32_t k = 0; k < hold->count; k++)
        for (int32_t i = 3 * hold->pins[k]; i < 3 * hold->pins[k] + 3; i++)
            ck_assert_double_eq(x_m[i], (double)(float)sheet->x_m[i]);
    tl_xpbd_destroy(xpbd);
    free(sheet);
}
END_TEST

START_TEST(xpbd_restarts_with_the_same_bits) {
    Sheet *sheet = new_sheet(5e-5, true);
    TlXpbd *xpbd = new_xpbd(sheet, &(Hold){.pins = corners, .count = 2});
    double first_m[3 * VERTICES], second_m[3 * VERTICES];
    advance(xpbd, 2, first_m);
    tl_xpbd_restart(xpbd);
    ck_assert_double_eq(tl_xpbd_kinetic_J(xpbd), 0.0);
    advance(xpbd, 2, second_m);
    ck_assert_mem_eq(first_m, second_m, sizeof first_m);
    tl_xpbd_destroy(xpbd);
    tl_xpbd_destroy(NULL);
    free(sheet);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("cli xpbd");
    TCase *cases = tcase_create("cli xpbd");
    tcase_add_test(cases, xpbd_falls_freely);
    tcase_add_loop_test(cases, xpbd_swings_as_the_fabric_does, 0, 2);
    tcase_add_test(cases, xpbd_restarts_with_the_same_bits);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
