/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile bench elements`: quads as bilinear patches against the same quads split into triangles. A
 * sheet of 100 x 100 quads, one metre wide and flat at first, hangs by two corners: StVK with 1000
 * N/m and a shear stiffness of 50 N/m, linear bending of 5e-5 N m, 0.187 kg/m2, one thread. Only
 * steps are timed; the two ways take turns in going first. */
#include "bench.h"

#include "cli.h"
#include "platform.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS = 100, SIDE = CELLS + 1, VERTICES = SIDE * SIDE, FACES = CELLS * CELLS };

/* The sheet as arrays. */
typedef struct Sheet {
    double positions_m[3 * VERTICES];
    int32_t face_sizes[FACES];
    int32_t corners[4 * FACES];
} Sheet;

/* What one run, or the sum of several, took. */
typedef struct Cost {
    double seconds;
    int64_t newton_iterations;
    int32_t frames;
} Cost;

static void lay_out(Sheet *sheet) {
    for (int32_t j = 0; j < SIDE; j++)
        for (int32_t i = 0; i < SIDE; i++) {
            double *x = sheet->positions_m + 3 * (size_t)(j * SIDE + i);
            x[0] = (double)i / CELLS;
            x[1] = 0.0;
            x[2] = -(double)j / CELLS;
        }
    for (int32_t face = 0; face < FACES; face++) {
        int32_t a = face / CELLS * SIDE + face % CELLS;
        const int32_t corners[4] = {a, a + 1, a + SIDE + 1, a + SIDE};
        sheet->face_sizes[face] = 4;
        memcpy(sheet->corners + 4 * (size_t)face, corners, sizeof corners);
    }
}

static ToileStatus make_sim(const Sheet *sheet, ToileElements elements, ToileSim **sim,
                            ToileError *error) {
    static const int32_t pins[2] = {0, CELLS};
    ToileSimDef def = toile_sim_def_default();
    ToileMeshDef mesh = toile_mesh_def_default();
    ToileFabric fabric = toile_fabric_default();
    ToileClothDef cloth = toile_cloth_def_default();
    ToileClothId id;
    def.threads = 1;
    mesh.vertex_count = VERTICES;
    mesh.face_count = FACES;
    mesh.corner_count = 4 * FACES;
    mesh.positions_m = sheet->positions_m;
    mesh.face_sizes = sheet->face_sizes;
    mesh.corners = sheet->corners;
    fabric.density_kg_per_m2 = 0.187;
    fabric.stretch_weft_N_per_m = fabric.stretch_warp_N_per_m = 1000.0;
    fabric.stretch_shear_N_per_m = 50.0;
    fabric.bend_weft_N_m = fabric.bend_warp_N_m = 5e-5;
    cloth.mesh = &mesh;
    cloth.fabric = &fabric;
    cloth.elements = (int32_t)elements;
    cloth.pin_vertices = pins;
    cloth.pin_count = 2;
    ToileStatus status = toile_sim_create(&def, sim, error);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_add_cloth(*sim, &cloth, &id, error);
    /* what is done once is not of interest here */
    ToileEnergies energies = toile_energies_default();
    if (status == TOILE_STATUS_OK)
        status = toile_sim_get_energies(*sim, &energies, error);
    return status;
}

static ToileStatus step(ToileSim *sim, int32_t frames, Cost *cost, ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t i = 0; i < frames && status == TOILE_STATUS_OK; i++) {
        ToileStats stats = toile_stats_default();
        double begun_s = tl_now_s();
        status = toile_sim_step(sim, error);
        cost->seconds += tl_now_s() - begun_s;
        if (status == TOILE_STATUS_OK)
            status = toile_sim_get_stats(sim, &stats, error);
        cost->newton_iterations += stats.newton_iterations;
        cost->frames++;
    }
    return status;
}

static ToileStatus run_once(const Sheet *sheet, ToileElements elements, int32_t frames, Cost *cost,
                            ToileError *error) {
    ToileSim *sim = NULL;
    ToileStatus status = make_sim(sheet, elements, &sim, error);
    if (status == TOILE_STATUS_OK)
        status = step(sim, frames, cost, error);
    toile_sim_destroy(sim);
    return status;
}

static double per_frame_s(const Cost *cost) {
    return cost->seconds / cost->frames;
}

static double per_iteration_s(const Cost *cost) {
    return cost->seconds / (double)(cost->newton_iterations > 0 ? cost->newton_iterations : 1);
}

static void add(Cost *sum, const Cost *cost) {
    sum->seconds += cost->seconds;
    sum->newton_iterations += cost->newton_iterations;
    sum->frames += cost->frames;
}

/* Fills the ratios of each pair and the costs of all. */
static ToileStatus measure(const TlBenchOptions *options, const Sheet *sheet, double *by_frame,
                           double *by_iteration, Cost *native, Cost *split, ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t i = 0; i < options->pairs && status == TOILE_STATUS_OK; i++) {
        Cost costs[2] = {{0}}; /* native, split */
        for (int32_t turn = 0; turn < 2 && status == TOILE_STATUS_OK; turn++) {
            int32_t way = (turn + i) % 2;
            status = run_once(sheet, way ? TOILE_ELEMENTS_TRIANGLES : TOILE_ELEMENTS_NATIVE,
                              options->frames, &costs[way], error);
        }
        if (status != TOILE_STATUS_OK)
            return status;
        by_frame[i] = per_frame_s(&costs[0]) / per_frame_s(&costs[1]);
        by_iteration[i] = per_iteration_s(&costs[0]) / per_iteration_s(&costs[1]);
        add(native, &costs[0]);
        add(split, &costs[1]);
    }
    return status;
}

/* ---- the result ---- */

static void json_quartiles(const char *name, TlQuartiles quartiles) {
    printf(", \"%s\": {\"median\": ", name);
    tl_json_number(stdout, quartiles.median);
    fputs(", \"q1\": ", stdout);
    tl_json_number(stdout, quartiles.q1);
    fputs(", \"q3\": ", stdout);
    tl_json_number(stdout, quartiles.q3);
    fputs("}", stdout);
}

static void json_cost(const char *name, const Cost *cost) {
    printf(",\n \"%s\": {\"ms_per_frame\": ", name);
    tl_json_number(stdout, 1000.0 * per_frame_s(cost));
    fputs(", \"ms_per_newton_iteration\": ", stdout);
    tl_json_number(stdout, 1000.0 * per_iteration_s(cost));
    fputs(", \"newton_iterations_per_frame\": ", stdout);
    tl_json_number(stdout, (double)cost->newton_iterations / cost->frames);
    fputs("}", stdout);
}

static void print_json(const TlBenchOptions *options, TlQuartiles by_frame,
                       TlQuartiles by_iteration, const Cost *native, const Cost *split) {
    printf("{\"bench\": \"elements\", \"quads\": %d, \"threads\": 1, \"pairs\": %d, \"frames\": "
           "%d,\n \"ratio\": \"native / split\"",
           FACES, (int)options->pairs, (int)options->frames);
    json_quartiles("per_frame", by_frame);
    json_quartiles("per_newton_iteration", by_iteration);
    json_cost("native", native);
    json_cost("split", split);
    fputs("}\n", stdout);
}

static void print_table(const TlBenchOptions *options, TlQuartiles by_frame,
                        TlQuartiles by_iteration, const Cost *native, const Cost *split) {
    const Cost *costs[2] = {native, split};
    static const char *const names[2] = {"native quads", "split quads"};
    printf("elements: %d quads hung by two corners, %d pair(s) of runs of %d frame(s), 1 thread\n",
           FACES, (int)options->pairs, (int)options->frames);
    for (int32_t i = 0; i < 2; i++)
        printf("  %-13s %8.2f ms a frame, %7.3f ms a Newton iteration, %.1f of them a frame\n",
               names[i], 1000.0 * per_frame_s(costs[i]), 1000.0 * per_iteration_s(costs[i]),
               (double)costs[i]->newton_iterations / costs[i]->frames);
    printf("  native / split: median (quartiles)\n"
           "    a frame            %.3f (%.3f to %.3f)\n"
           "    a Newton iteration %.3f (%.3f to %.3f)\n",
           by_frame.median, by_frame.q1, by_frame.q3, by_iteration.median, by_iteration.q1,
           by_iteration.q3);
}

static int run_elements(const TlBenchOptions *options) {
    ToileError error = toile_error_default();
    Cost native = {0}, split = {0};
    Sheet *sheet = malloc(sizeof *sheet);
    double *ratios = calloc(2 * (size_t)options->pairs, sizeof *ratios);
    if (!sheet || !ratios) {
        free(sheet);
        free(ratios);
        tl_message("there is not enough memory.");
        return TL_EXIT_FAILURE;
    }
    lay_out(sheet);
    double *by_iteration = ratios + options->pairs;
    ToileStatus status = measure(options, sheet, ratios, by_iteration, &native, &split, &error);
    if (status == TOILE_STATUS_OK) {
        TlQuartiles frame = tl_quartiles(ratios, options->pairs);
        TlQuartiles iteration = tl_quartiles(by_iteration, options->pairs);
        if (options->json)
            print_json(options, frame, iteration, &native, &split);
        else
            print_table(options, frame, iteration, &native, &split);
    }
    free(sheet);
    free(ratios);
    return status == TOILE_STATUS_OK ? TL_EXIT_OK : tl_report_failure(status, &error);
}

const TlBench tl_bench_elements = {"elements", "native quads against split ones", run_elements};
