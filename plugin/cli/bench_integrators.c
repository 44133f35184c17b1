/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile bench integrators`: every integrator over the same time on the same cloth, one thread. A
 * sheet of quads, 1 m wide and level at first, hangs by two corners: of 30 x 30 quads as stiff as
 * cloth is, 1000 N/m, and of 20 x 20 quads at 100 N/m in heavy air, where explicit Euler, which is
 * never stable without damping, can be afforded as well. Steps are those each takes by default.
 * Told besides the time are sub-steps, and where the sheet is at the end against a reference: RK4
 * with four times the sub-steps that it needs. */
#include "bench.h"

#include "bench_meshes.h"
#include "cli.h"
#include "platform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SUBSTEPS = 10000, FINER = 4 };

/* the default comes first: ratios are to it */
static const struct {
    const char *name;
    ToileIntegrator integrator;
} ways[] = {{"implicit-euler", TOILE_INTEGRATOR_IMPLICIT_EULER},
            {"bdf2", TOILE_INTEGRATOR_BDF2},
            {"semi-implicit", TOILE_INTEGRATOR_SEMI_IMPLICIT},
            {"imex", TOILE_INTEGRATOR_IMEX},
            {"symplectic-euler", TOILE_INTEGRATOR_SYMPLECTIC_EULER},
            {"verlet", TOILE_INTEGRATOR_VERLET},
            {"rk4", TOILE_INTEGRATOR_RK4},
            {"explicit-euler", TOILE_INTEGRATOR_EXPLICIT_EULER}};

enum { WAY_COUNT = sizeof ways / sizeof ways[0] };

typedef struct Scene {
    const char *name;
    int32_t cells;
    double stretch_N_per_m, shear_N_per_m, drag_kg_per_m2_s;
} Scene;

static const Scene scenes[] = {{"cloth", 30, 1000.0, 50.0, 0.0},
                               {"soft cloth in heavy air", 20, 100.0, 20.0, 2.0}};

enum { SCENE_COUNT = sizeof scenes / sizeof scenes[0] };

/* Where a run ended. */
typedef struct End {
    double *x;          /* 3 per vertex */
    double energy_J;    /* kinetic and potential */
    double gravity_J;   /* of that, 0 at the start */
    int64_t substeps;   /* sum over frames */
    int32_t most_steps; /* sub-steps of one frame */
    double seconds;     /* of all steps */
} End;

/* What is told about one integrator. */
typedef struct Result {
    bool refused;
    char sentence[512]; /* why */
    double substeps;    /* a frame */
    double rms_m;       /* distance of vertices to the reference at the end */
    double energy;      /* above the reference's, over the gravity energy released; ratio */
} Result;

/* One scene and what was found. */
typedef struct Hang {
    const Scene *scene;
    int32_t frames;
    TlBenchMesh mesh;
    End end, reference;
    Result results[WAY_COUNT];
} Hang;

static ToileStatus make_sim(const Hang *hang, ToileIntegrator integrator, int32_t substeps,
                            ToileSim **sim, ToileClothId *id, ToileError *error) {
    const Scene *scene = hang->scene;
    const int32_t pins[2] = {0, scene->cells};
    ToileSimDef def = toile_sim_def_default();
    def.contact_self = 0;
    ToileFabric fabric = toile_fabric_default();
    ToileMeshDef mesh = tl_bench_mesh_def(&hang->mesh);
    ToileClothDef cloth = toile_cloth_def_default();
    def.threads = 1;
    def.integrator = (int32_t)integrator;
    def.substeps = substeps;
    def.drag_kg_per_m2_s = scene->drag_kg_per_m2_s;
    fabric.density_kg_per_m2 = 0.187;
    fabric.stretch_weft_N_per_m = fabric.stretch_warp_N_per_m = scene->stretch_N_per_m;
    fabric.stretch_shear_N_per_m = scene->shear_N_per_m;
    cloth.mesh = &mesh;
    cloth.fabric = &fabric;
    cloth.pin_vertices = pins;
    cloth.pin_count = 2;
    return tl_bench_sim(&def, &cloth, sim, id, error);
}

static ToileStatus read_end(ToileSim *sim, ToileClothId id, End *end, ToileError *error) {
    ToileEnergies energies = toile_energies_default();
    ToileStatus status = toile_sim_get_positions(sim, id, end->x, error);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_get_energies(sim, &energies, error);
    end->energy_J = energies.total_J + energies.kinetic_J;
    end->gravity_J = energies.gravity_J;
    return status;
}

/* Runs all frames. `substeps` is 0 for those taken by default. */
static ToileStatus run_to(const Hang *hang, ToileIntegrator integrator, int32_t substeps, End *end,
                          ToileError *error) {
    ToileSim *sim = NULL;
    ToileClothId id;
    ToileStatus status = make_sim(hang, integrator, substeps, &sim, &id, error);
    end->substeps = end->most_steps = 0;
    end->seconds = 0.0;
    for (int32_t i = 0; i < hang->frames && status == TOILE_STATUS_OK; i++) {
        ToileStats stats = toile_stats_default();
        double begun_s = tl_now_s();
        status = toile_sim_step(sim, error);
        end->seconds += tl_now_s() - begun_s;
        if (status == TOILE_STATUS_OK)
            status = toile_sim_get_stats(sim, &stats, error);
        end->substeps += stats.substeps;
        end->most_steps = stats.substeps > end->most_steps ? stats.substeps : end->most_steps;
    }
    if (status == TOILE_STATUS_OK)
        status = read_end(sim, id, end, error);
    toile_sim_destroy(sim);
    return status;
}

static ToileStatus find_reference(Hang *hang, ToileError *error) {
    End *end = &hang->reference;
    ToileStatus status = run_to(hang, TOILE_INTEGRATOR_RK4, 0, end, error);
    int32_t finer = FINER * end->most_steps;
    finer = finer < MOST_SUBSTEPS ? finer : MOST_SUBSTEPS;
    return status == TOILE_STATUS_OK ? run_to(hang, TOILE_INTEGRATOR_RK4, finer, end, error)
                                     : status;
}

static void compare(const Hang *hang, Result *result) {
    const End *end = &hang->end, *reference = &hang->reference;
    double sum = 0.0;
    for (int32_t i = 0; i < 3 * hang->mesh.vertex_count; i++)
        sum += (end->x[i] - reference->x[i]) * (end->x[i] - reference->x[i]);
    result->rms_m = sqrt(sum / hang->mesh.vertex_count);
    result->energy = (end->energy_J - reference->energy_J) / fabs(reference->gravity_J);
    result->substeps = (double)end->substeps / hang->frames;
}

/* An integrator that refuses this cloth is a result, too. */
static ToileStatus run_way(void *context, int32_t way, double *seconds, ToileError *error) {
    Hang *hang = context;
    Result *result = &hang->results[way];
    ToileError refusal = toile_error_default();
    *seconds = 1.0;
    if (result->refused)
        return TOILE_STATUS_OK;
    ToileStatus status = run_to(hang, ways[way].integrator, 0, &hang->end, &refusal);
    if (status == TOILE_STATUS_DIVERGED) {
        result->refused = true;
        memcpy(result->sentence, refusal.message, sizeof result->sentence);
        return TOILE_STATUS_OK;
    }
    if (status != TOILE_STATUS_OK) {
        *error = refusal;
        return status;
    }
    *seconds = hang->end.seconds / hang->frames;
    compare(hang, result);
    return TOILE_STATUS_OK;
}

/* ---- the result ---- */

static void json_way(const Result *result, const TlRounds *rounds, int32_t way) {
    printf("%s\n  {\"name\": \"%s\"", way ? "," : "", ways[way].name);
    if (result->refused) {
        fputs(", \"refused\": ", stdout);
        tl_json_string(stdout, result->sentence);
    } else {
        tl_json_field("ms_per_frame", 1000.0 * tl_rounds_seconds(rounds, way).median);
        tl_json_field("substeps_per_frame", result->substeps);
        tl_json_field("rms_m", result->rms_m);
        tl_json_field("energy_error", result->energy);
        tl_json_quartiles("ratio", tl_rounds_ratio(rounds, way, 0));
    }
    fputs("}", stdout);
}

static void print_json(const Hang *hang, const TlRounds *rounds) {
    printf("\n {\"scene\": \"%s\", \"quads\": %d, \"ways\": [", hang->scene->name,
           (int)hang->mesh.face_count);
    for (int32_t way = 0; way < WAY_COUNT; way++)
        json_way(&hang->results[way], rounds, way);
    fputs("]}", stdout);
}

static void print_table(const Hang *hang, const TlRounds *rounds) {
    printf("  %s: %d quads, %g N/m, drag %g kg/(m2 s); errors at the end\n"
           "    %-16s %10s %10s %9s %8s   time / implicit-euler's\n",
           hang->scene->name, (int)hang->mesh.face_count, hang->scene->stretch_N_per_m,
           hang->scene->drag_kg_per_m2_s, "", "ms/frame", "sub-steps", "rms, mm", "energy");
    for (int32_t way = 0; way < WAY_COUNT; way++) {
        const Result *result = &hang->results[way];
        if (result->refused) {
            printf("    %-16s refused: %s\n", ways[way].name, result->sentence);
            continue;
        }
        TlQuartiles ratio = tl_rounds_ratio(rounds, way, 0);
        printf("    %-16s %10.2f %10.1f %9.3f %+7.2f%%   %.3g (%.3g to %.3g)\n", ways[way].name,
               1000.0 * tl_rounds_seconds(rounds, way).median, result->substeps,
               1000.0 * result->rms_m, 100.0 * result->energy, ratio.median, ratio.q1, ratio.q3);
    }
}

static ToileStatus run_scene(const TlBenchOptions *options, const Scene *scene, ToileError *error) {
    TlRounds rounds;
    Hang *hang = calloc(1, sizeof *hang);
    ToileStatus status = TOILE_STATUS_OUT_OF_MEMORY;
    if (tl_rounds_alloc(&rounds, options->pairs, WAY_COUNT) && hang &&
        tl_bench_sheet(&hang->mesh, scene->cells, false)) {
        hang->scene = scene;
        hang->frames = options->frames;
        hang->end.x = calloc(3 * (size_t)hang->mesh.vertex_count, sizeof *hang->end.x);
        hang->reference.x = calloc(3 * (size_t)hang->mesh.vertex_count, sizeof *hang->end.x);
        if (hang->end.x && hang->reference.x)
            status = find_reference(hang, error);
    }
    if (status == TOILE_STATUS_OK)
        status = tl_rounds_run(&rounds, run_way, hang, error);
    if (status == TOILE_STATUS_OK && options->json)
        print_json(hang, &rounds);
    else if (status == TOILE_STATUS_OK)
        print_table(hang, &rounds);
    if (hang) {
        tl_bench_mesh_free(&hang->mesh);
        free(hang->end.x);
        free(hang->reference.x);
    }
    free(hang);
    tl_rounds_free(&rounds);
    return status;
}

static int run_integrators(const TlBenchOptions *options) {
    ToileError error = toile_error_default();
    ToileStatus status = TOILE_STATUS_OK;
    if (options->json)
        printf("{\"bench\": \"integrators\", \"threads\": 1, \"pairs\": %d, \"frames\": %d, "
               "\"ratio\": \"this / implicit-euler\", \"scenes\": [",
               (int)options->pairs, (int)options->frames);
    else
        printf("integrators: a sheet hung by two corners, %d pair(s) of runs of %d frame(s), 1 "
               "thread; median (quartiles)\n",
               (int)options->pairs, (int)options->frames);
    for (int32_t i = 0; i < SCENE_COUNT && status == TOILE_STATUS_OK; i++) {
        fputs(options->json && i ? "," : "", stdout);
        status = run_scene(options, &scenes[i], &error);
    }
    fputs(options->json ? "]}\n" : "", stdout);
    return tl_bench_code(status, &error);
}

const TlBench tl_bench_integrators = {"integrators", "every integrator: time and error",
                                      run_integrators};
