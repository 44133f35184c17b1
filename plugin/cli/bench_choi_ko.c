/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile bench choi-ko`: the bending force of springs that buckle, from the table and exact, on a
 * grid of 31 x 31 vertices, one thread. Exact means the arc of the spring's length found by at most
 * four steps of Newton's method, each over a series of twelve terms, from a start within 2.2 %. The
 * grid is pushed together in its plane, so that every spring is shortened, by between 8 and 62
 * percent, and buckles. Both ways see the same positions. */
#include "bench.h"

#include "bench_meshes.h"
#include "cli.h"
#include "platform.h"

#include <math.h>
#include <stdlib.h>
#include <toile/draft.h>

enum { CELLS = 30, VERTICES = (CELLS + 1) * (CELLS + 1), EVALUATIONS_PER_FRAME = 100 };

enum { EXACT, TABLE, WAY_COUNT };

static const char *const way_names[WAY_COUNT] = {"exact", "table"};

/* Both grids. */
typedef struct Grids {
    double x[3 * VERTICES];
    double force[3 * VERTICES];
    ToileSim *sims[WAY_COUNT];
    ToileClothId cloths[WAY_COUNT];
    int32_t springs;
    double least, most; /* length of a spring over that at rest, ratio */
    double apart;       /* difference of the forces of both over their size, ratio */
    int32_t evaluations;
} Grids;

/* Where the coordinate t in [0, 1] goes. */
static double push_together(double t) {
    return 0.93 * t - 0.28 * t * t;
}

static ToileStatus make_sim(Grids *grids, const TlBenchMesh *mesh, int32_t way, ToileError *error) {
    ToileSimDef def = toile_sim_def_default();
    def.contact_self = 0;
    ToileFabric fabric = toile_fabric_default();
    ToileMeshDef mesh_def = tl_bench_mesh_def(mesh);
    ToileClothDef cloth = toile_cloth_def_default();
    def.threads = 1;
    fabric.bend_model = way == EXACT ? TOILE_BEND_CHOI_KO : TOILE_BEND_CHOI_KO_TABLE;
    cloth.mesh = &mesh_def;
    cloth.fabric = &fabric;
    cloth.start_positions_m = grids->x;
    return tl_bench_sim(&def, &cloth, &grids->sims[way], &grids->cloths[way], error);
}

/* The range of the lengths. */
static ToileStatus look_at_springs(Grids *grids, ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    grids->springs = toile_sim_spring_count(grids->sims[EXACT], grids->cloths[EXACT]);
    grids->least = 1e300;
    for (int32_t s = 0; s < grids->springs && status == TOILE_STATUS_OK; s++) {
        ToileSpringDetail detail = {.struct_size = sizeof detail};
        status = toile_sim_get_spring(grids->sims[EXACT], grids->cloths[EXACT], s, &detail, error);
        double ratio = detail.length_m / detail.rest_length_m;
        grids->least = ratio < grids->least ? ratio : grids->least;
        grids->most = ratio > grids->most ? ratio : grids->most;
    }
    return status;
}

/* How far the forces of the table are from the exact ones. */
static ToileStatus compare(Grids *grids, ToileError *error) {
    double apart = 0.0, size = 0.0;
    ToileStatus status =
        toile_sim_get_bend_forces(grids->sims[EXACT], grids->cloths[EXACT], 1, grids->force, error);
    double *exact = malloc(sizeof grids->force);
    if (!exact)
        return TOILE_STATUS_OUT_OF_MEMORY;
    for (int32_t i = 0; i < 3 * VERTICES; i++)
        exact[i] = grids->force[i];
    if (status == TOILE_STATUS_OK)
        status = toile_sim_get_bend_forces(grids->sims[TABLE], grids->cloths[TABLE], 1,
                                           grids->force, error);
    for (int32_t i = 0; i < 3 * VERTICES; i++) {
        apart += (grids->force[i] - exact[i]) * (grids->force[i] - exact[i]);
        size += exact[i] * exact[i];
    }
    grids->apart = sqrt(apart / size);
    free(exact);
    return status;
}

static ToileStatus prepare(Grids *grids, ToileError *error) {
    TlBenchMesh mesh;
    bool room = tl_bench_sheet(&mesh, CELLS, false);
    ToileStatus status = room ? TOILE_STATUS_OK : TOILE_STATUS_OUT_OF_MEMORY;
    for (int32_t i = 0; i < 3 * VERTICES && room; i++) {
        double t = mesh.positions_m[i];
        grids->x[i] = t < 0.0 ? -push_together(-t) : push_together(t);
    }
    for (int32_t way = 0; way < WAY_COUNT && status == TOILE_STATUS_OK; way++)
        status = make_sim(grids, &mesh, way, error);
    tl_bench_mesh_free(&mesh);
    if (status == TOILE_STATUS_OK)
        status = look_at_springs(grids, error);
    return status == TOILE_STATUS_OK ? compare(grids, error) : status;
}

static ToileStatus run_way(void *context, int32_t way, double *seconds, ToileError *error) {
    Grids *grids = context;
    /* once beforehand, so that caches hold what this way needs */
    ToileStatus status =
        toile_sim_get_bend_forces(grids->sims[way], grids->cloths[way], 1, grids->force, error);
    double begun_s = tl_now_s();
    if (status == TOILE_STATUS_OK)
        status = toile_sim_get_bend_forces(grids->sims[way], grids->cloths[way], grids->evaluations,
                                           grids->force, error);
    *seconds = (tl_now_s() - begun_s) / grids->evaluations;
    return status;
}

/* ---- the result ---- */

static void print_json(const Grids *grids, const TlRounds *rounds) {
    printf("{\"bench\": \"choi-ko\", \"vertices\": %d, \"springs\": %d, \"threads\": 1, "
           "\"pairs\": %d, \"evaluations\": %d, \"ratio\": \"exact / table\",\n ",
           VERTICES, (int)grids->springs, (int)rounds->count, (int)grids->evaluations);
    fputs("\"least_length\": ", stdout);
    tl_json_number(stdout, grids->least);
    tl_json_field("most_length", grids->most);
    tl_json_field("force_difference", grids->apart);
    tl_json_quartiles("per_evaluation", tl_rounds_ratio(rounds, EXACT, TABLE));
    for (int32_t way = 0; way < WAY_COUNT; way++) {
        double us = 1e6 * tl_rounds_seconds(rounds, way).median;
        printf(",\n \"%s\": {\"us\": ", way_names[way]);
        tl_json_number(stdout, us);
        tl_json_field("ns_per_spring", 1000.0 * us / grids->springs);
        fputs("}", stdout);
    }
    fputs("}\n", stdout);
}

static void print_table(const Grids *grids, const TlRounds *rounds) {
    TlQuartiles ratio = tl_rounds_ratio(rounds, EXACT, TABLE);
    printf("choi-ko: bending forces of %d x %d vertices, %d springs at %.2f to %.2f of their "
           "length,\n  %d pair(s) of runs of %d evaluations, 1 thread\n",
           CELLS + 1, CELLS + 1, (int)grids->springs, grids->least, grids->most, (int)rounds->count,
           (int)grids->evaluations);
    for (int32_t way = 0; way < WAY_COUNT; way++) {
        double us = 1e6 * tl_rounds_seconds(rounds, way).median;
        printf("    %-6s %8.1f us, %6.1f ns a spring\n", way_names[way], us,
               1000.0 * us / grids->springs);
    }
    printf("  forces differ by %.2f %%\n"
           "  exact / table: median (quartiles) %.2f (%.2f to %.2f)\n",
           100.0 * grids->apart, ratio.median, ratio.q1, ratio.q3);
}

static int run_choi_ko(const TlBenchOptions *options) {
    ToileError error = toile_error_default();
    TlRounds rounds;
    Grids *grids = calloc(1, sizeof *grids);
    ToileStatus status = TOILE_STATUS_OUT_OF_MEMORY;
    if (tl_rounds_alloc(&rounds, options->pairs, WAY_COUNT) && grids) {
        grids->evaluations = EVALUATIONS_PER_FRAME * options->frames;
        status = prepare(grids, &error);
        if (status == TOILE_STATUS_OK)
            status = tl_rounds_run(&rounds, run_way, grids, &error);
        if (status == TOILE_STATUS_OK && options->json)
            print_json(grids, &rounds);
        else if (status == TOILE_STATUS_OK)
            print_table(grids, &rounds);
        for (int32_t way = 0; way < WAY_COUNT; way++)
            toile_sim_destroy(grids->sims[way]);
    }
    free(grids);
    tl_rounds_free(&rounds);
    return tl_bench_code(status, &error);
}

const TlBench tl_bench_choi_ko = {"choi-ko", "buckling springs from a table against exact ones",
                                  run_choi_ko};
