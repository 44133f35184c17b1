/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile bench implicit`: what bending costs an implicit step. The drape test of [V] Volino,
 * Magnenat-Thalmann: Simple linear bending stiffness in particle systems, 2006, Fig. 6: a disk of
 * 1 m radius in 4056 triangles, flat at first and held within half its radius, 0.1 kg/m2, 100 N/m,
 * bending stiffness 0.01 N m. One thread; implicit Euler, steps of 100 ms as in the paper and of 10
 * ms over the same time; stretch by springs as in the paper, and by StVK. Each of these with one
 * linear solve a step, as in the paper, where all ways do the same number of them; and with the
 * solves that the quality "fast" takes, more while vertices still move far, where a sheet that
 * bending calms needs fewer. Rates are steps per second; those with linear and with normal-based
 * bending are told over the rate without bending. */
#include "bench.h"

#include "bench_meshes.h"
#include "cli.h"
#include "platform.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    RINGS = 26,
    FACES = 6 * RINGS * RINGS,
    HELD_RINGS = 13,
    PINS = 1 + 3 * HELD_RINGS * (HELD_RINGS + 1)
};

enum { NONE, LINEAR, NORMAL, WAY_COUNT };

static const char *const way_names[WAY_COUNT] = {"none", "linear", "normal"};

/* How steps are taken. */
typedef struct Kind {
    int32_t stretch_model; /* a ToileStretchModel */
    int32_t step_ms;
    int32_t newton_iterations; /* a step; 0: as many as the quality takes */
} Kind;

static const Kind kinds[] = {{TOILE_STRETCH_SPRINGS, 100, 1}, {TOILE_STRETCH_SPRINGS, 10, 1},
                             {TOILE_STRETCH_STVK, 100, 1},    {TOILE_STRETCH_STVK, 10, 1},
                             {TOILE_STRETCH_SPRINGS, 100, 0}, {TOILE_STRETCH_SPRINGS, 10, 0},
                             {TOILE_STRETCH_STVK, 100, 0},    {TOILE_STRETCH_STVK, 10, 0}};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

/* What the runs of one way took, apart from time. */
typedef struct Work {
    int64_t steps, newton_iterations, cg_iterations, line_search_cuts, retries;
} Work;

/* One kind of steps on the disk. */
typedef struct Drape {
    const TlBenchMesh *mesh;
    Kind kind;
    int32_t steps;
    int32_t pins[PINS];
    Work work[WAY_COUNT];
} Drape;

static const char *stretch_name(const Kind *kind) {
    return kind->stretch_model == TOILE_STRETCH_STVK ? "stvk" : "springs";
}

static const char *solve_name(const Kind *kind) {
    return kind->newton_iterations == 1 ? "one" : "fast";
}

static ToileStatus make_sim(const Drape *drape, int32_t way, ToileSim **sim, ToileError *error) {
    ToileSimDef def = toile_sim_def_default();
    def.contact_self = 0;
    ToileFabric fabric = toile_fabric_default();
    ToileMeshDef mesh = tl_bench_mesh_def(drape->mesh);
    ToileClothDef cloth = toile_cloth_def_default();
    ToileClothId id;
    def.threads = 1;
    def.fps = 1000.0 / drape->kind.step_ms;
    def.substeps = 1;
    def.quality = TOILE_QUALITY_FAST;
    def.newton_iterations = drape->kind.newton_iterations;
    fabric.density_kg_per_m2 = 0.1;
    fabric.stretch_model = drape->kind.stretch_model;
    fabric.stretch_weft_N_per_m = fabric.stretch_warp_N_per_m = 100.0;
    fabric.stretch_shear_N_per_m = 40.0;
    fabric.stretch_poisson = 0.25;
    fabric.bend_model = way == NORMAL ? TOILE_BEND_NORMAL : TOILE_BEND_LINEAR;
    fabric.bend_weft_N_m = fabric.bend_warp_N_m = way == NONE ? 0.0 : 0.01;
    cloth.mesh = &mesh;
    cloth.fabric = &fabric;
    cloth.pin_vertices = drape->pins;
    cloth.pin_count = PINS;
    return tl_bench_sim(&def, &cloth, sim, &id, error);
}

static ToileStatus run_way(void *context, int32_t way, double *seconds, ToileError *error) {
    Drape *drape = context;
    Work *work = &drape->work[way];
    ToileSim *sim = NULL;
    ToileStatus status = make_sim(drape, way, &sim, error);
    double total_s = 0.0;
    for (int32_t i = 0; i < drape->steps && status == TOILE_STATUS_OK; i++) {
        ToileStats stats = toile_stats_default();
        double begun_s = tl_now_s();
        status = toile_sim_step(sim, error);
        total_s += tl_now_s() - begun_s;
        if (status == TOILE_STATUS_OK)
            status = toile_sim_get_stats(sim, &stats, error);
        work->steps++;
        work->newton_iterations += stats.newton_iterations;
        work->cg_iterations += stats.cg_iterations;
        work->line_search_cuts += stats.line_search_cuts;
        work->retries += stats.retries;
    }
    toile_sim_destroy(sim);
    *seconds = total_s / drape->steps;
    return status;
}

/* ---- the result ---- */

static double per_step(int64_t sum, const Work *work) {
    return (double)sum / (double)work->steps;
}

static void print_json(const Drape *drape, const TlRounds *rounds) {
    printf(
        "\n {\"stretch\": \"%s\", \"solves\": \"%s\", \"step_ms\": %d, \"steps\": %d, \"ways\": [",
        stretch_name(&drape->kind), solve_name(&drape->kind), (int)drape->kind.step_ms,
        (int)drape->steps);
    for (int32_t way = 0; way < WAY_COUNT; way++) {
        const Work *work = &drape->work[way];
        printf("%s\n  {\"name\": \"%s\"", way ? "," : "", way_names[way]);
        tl_json_field("steps_per_s", 1.0 / tl_rounds_seconds(rounds, way).median);
        tl_json_field("newton_iterations_per_step", per_step(work->newton_iterations, work));
        tl_json_field("cg_iterations_per_step", per_step(work->cg_iterations, work));
        tl_json_field("line_search_cuts_per_step", per_step(work->line_search_cuts, work));
        tl_json_field("retries_per_step", per_step(work->retries, work));
        if (way != NONE)
            tl_json_quartiles("ratio", tl_rounds_ratio(rounds, NONE, way));
        fputs("}", stdout);
    }
    fputs("]}", stdout);
}

static void print_table(const Drape *drape, const TlRounds *rounds) {
    printf("  stretch %s, solves a step: %s, %d steps of %d ms\n", stretch_name(&drape->kind),
           solve_name(&drape->kind), (int)drape->steps, (int)drape->kind.step_ms);
    for (int32_t way = 0; way < WAY_COUNT; way++) {
        const Work *work = &drape->work[way];
        TlQuartiles ratio = tl_rounds_ratio(rounds, NONE, way);
        printf("    %-6s %8.1f steps/s; a step has %.1f Newton and %.1f CG iterations, %.1f "
               "cuts, %.2f retries",
               way_names[way], 1.0 / tl_rounds_seconds(rounds, way).median,
               per_step(work->newton_iterations, work), per_step(work->cg_iterations, work),
               per_step(work->line_search_cuts, work), per_step(work->retries, work));
        if (way != NONE)
            printf("   over none: %.3f (%.3f to %.3f)", ratio.median, ratio.q1, ratio.q3);
        fputs("\n", stdout);
    }
}

static ToileStatus run_kind(const TlBenchOptions *options, const TlBenchMesh *mesh, Kind kind,
                            ToileError *error) {
    TlRounds rounds;
    Drape drape = {.mesh = mesh, .kind = kind, .steps = options->frames * 100 / kind.step_ms};
    for (int32_t i = 0; i < PINS; i++)
        drape.pins[i] = i;
    ToileStatus status = TOILE_STATUS_OUT_OF_MEMORY;
    if (tl_rounds_alloc(&rounds, options->pairs, WAY_COUNT))
        status = tl_rounds_run(&rounds, run_way, &drape, error);
    if (status == TOILE_STATUS_OK && options->json)
        print_json(&drape, &rounds);
    else if (status == TOILE_STATUS_OK)
        print_table(&drape, &rounds);
    tl_rounds_free(&rounds);
    return status;
}

static int run_implicit(const TlBenchOptions *options) {
    ToileError error = toile_error_default();
    TlBenchMesh mesh;
    ToileStatus status =
        tl_bench_disk(&mesh, RINGS, 1.0) ? TOILE_STATUS_OK : TOILE_STATUS_OUT_OF_MEMORY;
    if (options->json)
        printf("{\"bench\": \"implicit\", \"faces\": %d, \"bend_N_m\": 0.01, \"threads\": 1, "
               "\"pairs\": %d, \"ratio\": \"rate of this / rate without bending\", \"kinds\": [",
               FACES, (int)options->pairs);
    else
        printf("implicit: a disk of %d triangles drapes, bending 0.01 N m, %d pair(s) of runs, 1 "
               "thread; median (quartiles)\n",
               FACES, (int)options->pairs);
    for (int32_t i = 0; i < KIND_COUNT && status == TOILE_STATUS_OK; i++) {
        fputs(options->json && i ? "," : "", stdout);
        status = run_kind(options, &mesh, kinds[i], &error);
    }
    fputs(options->json ? "]}\n" : "", stdout);
    tl_bench_mesh_free(&mesh);
    return tl_bench_code(status, &error);
}

const TlBench tl_bench_implicit = {"implicit", "implicit steps with and without bending",
                                   run_implicit};
