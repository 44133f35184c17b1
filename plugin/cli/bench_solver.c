/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile bench solver`: the implicit solver at standard and fast quality against small-step XPBD
 * with 200 sub-steps a frame, on a sheet of 100 x 100 quads and on an irregular dress and a mixed
 * mesh of about as many vertices; how its iterations depend on stiffness and resolution; what a
 * second thread and more vertices do to its time.
 *
 * Speed without accuracy means little. The error is the distance to the tight solution of the same
 * sub-steps, each solved to 0.01 mm; long after the first second motion is chaotic, and no distance
 * has a meaning. Kinetic energy is averaged over the frames. XPBD takes 50 times as many sub-steps
 * of its own, which damp less, and springs in place of the continuum: its distance is that to what
 * Toile would show. */
#include "bench.h"

#include "bench_scene.h"
#include "bench_xpbd.h"
#include "cli.h"
#include "platform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    XPBD_SUBSTEPS = 200,
    SHEET_CELLS = 100,
    MIXED_CELLS = 100,
    GARMENT_ROWS = 84,
    SCALING_FRAMES = 3,
    SMALLER = 6, /* --small: by this in width and height */
};

/* what is wanted of the ratios */
#define MOST_STANDARD 0.8
#define MOST_FAST 0.45
#define MOST_RMS_MM 10.0
#define MOST_BY_STIFFNESS 1.3
#define MOST_BY_RESOLUTION 2.0
#define LEAST_BY_THREADS 1.6
#define MOST_EXPONENT 1.2

/* ---- a scene ---- */

enum { STANDARD, FAST, XPBD, WAYS };

static const char *const way_names[WAYS] = {"standard", "fast", "xpbd"};

/* A solution of a scene. */
typedef struct Outcome {
    double *x_m;  /* at the end */
    double rms_m; /* distance to the tight one */
    double stretch_p99;
    TlBenchCost cost; /* of one run */
} Outcome;

/* A scene and those who take part in it. */
typedef struct Contest {
    const TlBenchPlan *plan;
    TlBenchScene scene;
    TlBenchSim sims[2]; /* standard, fast */
    TlXpbd *xpbd;
    Outcome tight, outcomes[WAYS];
    TlRounds rounds;
} Contest;

static int compare_numbers(const void *a, const void *b) {
    double l = *(const double *)a, r = *(const double *)b;
    return l < r ? -1 : l > r;
}

static double distance(const double *x, int32_t a, int32_t b) {
    double sum = 0.0;
    for (int32_t k = 0; k < 3; k++) {
        double d = x[3 * (size_t)a + (size_t)k] - x[3 * (size_t)b + (size_t)k];
        sum += d * d;
    }
    return sqrt(sum);
}

/* The 99th percentile of length over length at rest over the sides of all faces. */
static ToileStatus find_stretch(const TlBenchMesh *mesh, Outcome *outcome) {
    double *ratios = malloc((size_t)mesh->corner_count * sizeof *ratios);
    if (!ratios)
        return TOILE_STATUS_OUT_OF_MEMORY;
    for (int32_t face = 0, corner = 0; face < mesh->face_count; face++) {
        int32_t size = mesh->face_sizes[face];
        for (int32_t k = 0; k < size; k++) {
            int32_t a = mesh->corners[corner + k], b = mesh->corners[corner + (k + 1) % size];
            ratios[corner + k] = distance(outcome->x_m, a, b) / distance(mesh->positions_m, a, b);
        }
        corner += size;
    }
    qsort(ratios, (size_t)mesh->corner_count, sizeof *ratios, compare_numbers);
    outcome->stretch_p99 = ratios[(int32_t)(0.99 * mesh->corner_count)];
    free(ratios);
    return TOILE_STATUS_OK;
}

static double find_rms(const Contest *contest, const Outcome *outcome) {
    int32_t count = 3 * contest->scene.mesh.vertex_count;
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        double d = outcome->x_m[i] - contest->tight.x_m[i];
        sum += d * d;
    }
    return sqrt(3.0 * sum / count);
}

static ToileStatus run_xpbd(Contest *contest, Outcome *outcome) {
    tl_xpbd_restart(contest->xpbd);
    for (int32_t i = 0; i < contest->plan->frames; i++) {
        double begun_s = tl_now_s();
        tl_xpbd_step(contest->xpbd);
        outcome->cost.seconds += tl_now_s() - begun_s;
        outcome->cost.kinetic_J += tl_xpbd_kinetic_J(contest->xpbd);
    }
    outcome->cost.frames = contest->plan->frames;
    outcome->cost.substeps = (int64_t)XPBD_SUBSTEPS * contest->plan->frames;
    tl_xpbd_get_positions(contest->xpbd, outcome->x_m);
    return TOILE_STATUS_OK;
}

static ToileStatus run_sim(Contest *contest, TlBenchSim *sim, Outcome *outcome, ToileError *error) {
    ToileStatus status = tl_bench_sim_restart(sim, error);
    if (status == TOILE_STATUS_OK)
        status = tl_bench_step(sim, contest->plan->frames, &outcome->cost, error);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_get_positions(sim->sim, sim->cloth, outcome->x_m, error);
    return status;
}

/* Each run of a way does the same; the last one's outcome is kept. */
static ToileStatus run_way(void *context, int32_t way, double *seconds, ToileError *error) {
    Contest *contest = context;
    Outcome *outcome = &contest->outcomes[way];
    outcome->cost = (TlBenchCost){0};
    ToileStatus status = way == XPBD ? run_xpbd(contest, outcome)
                                     : run_sim(contest, &contest->sims[way], outcome, error);
    *seconds = outcome->cost.seconds / contest->plan->frames;
    return status;
}

static ToileStatus solve_tightly(Contest *contest, ToileError *error) {
    TlBenchWay way = tl_bench_way_default();
    TlBenchSim sim;
    way.tight = true;
    ToileStatus status = tl_bench_sim_create(&contest->scene, &way, &sim, error);
    if (status == TOILE_STATUS_OK)
        status = run_sim(contest, &sim, &contest->tight, error);
    tl_bench_sim_destroy(&sim);
    return status;
}

static ToileStatus invite(Contest *contest, ToileError *error) {
    TlBenchWay way = tl_bench_way_default();
    ToileMeshDef mesh = tl_bench_scene_mesh(&contest->scene);
    ToileFabric fabric = tl_bench_fabric(way.stretch_N_per_m);
    ToileSimDef sim = toile_sim_def_default();
    sim.contact_self = 0;
    TlXpbdDef def = {.mesh = &mesh,
                     .fabric = &fabric,
                     .pins = contest->scene.pins,
                     .pin_count = contest->scene.pin_count,
                     .substeps = XPBD_SUBSTEPS,
                     .fps = sim.fps};
    memcpy(def.gravity_m_per_s2, sim.gravity_m_per_s2, sizeof def.gravity_m_per_s2);
    size_t bytes = 3 * (size_t)mesh.vertex_count * sizeof(double);
    bool ok = tl_rounds_alloc(&contest->rounds, contest->plan->pairs, WAYS);
    for (int32_t i = 0; i < WAYS; i++)
        ok = (contest->outcomes[i].x_m = malloc(bytes)) != NULL && ok;
    ok = (contest->tight.x_m = malloc(bytes)) != NULL && ok;
    ok = ok && (contest->xpbd = tl_xpbd_create(&def)) != NULL;
    if (!ok)
        return TOILE_STATUS_OUT_OF_MEMORY;
    ToileStatus status = tl_bench_sim_create(&contest->scene, &way, &contest->sims[0], error);
    way.quality = TOILE_QUALITY_FAST;
    if (status == TOILE_STATUS_OK)
        status = tl_bench_sim_create(&contest->scene, &way, &contest->sims[1], error);
    return status;
}

static void part_company(Contest *contest) {
    for (int32_t i = 0; i < 2; i++)
        tl_bench_sim_destroy(&contest->sims[i]);
    for (int32_t i = 0; i < WAYS; i++)
        free(contest->outcomes[i].x_m);
    free(contest->tight.x_m);
    tl_xpbd_destroy(contest->xpbd);
    tl_rounds_free(&contest->rounds);
}

static ToileStatus judge(Contest *contest) {
    ToileStatus status = find_stretch(&contest->scene.mesh, &contest->tight);
    for (int32_t i = 0; i < WAYS && status == TOILE_STATUS_OK; i++) {
        contest->outcomes[i].rms_m = find_rms(contest, &contest->outcomes[i]);
        status = find_stretch(&contest->scene.mesh, &contest->outcomes[i]);
    }
    return status;
}

/* ---- its result ---- */

static double per(int64_t sum, int64_t count) {
    return count > 0 ? (double)sum / (double)count : 0.0;
}

static double kinetic_ratio(const Contest *contest, const Outcome *outcome) {
    return outcome->cost.kinetic_J / contest->tight.cost.kinetic_J;
}

static void json_outcome(const Contest *contest, const char *name, const Outcome *outcome,
                         double frame_s) {
    const TlBenchCost *cost = &outcome->cost;
    printf(",\n  \"%s\": {\"ms_per_frame\": ", name);
    tl_json_number(stdout, 1000.0 * frame_s);
    tl_json_field("rms_mm", 1000.0 * outcome->rms_m);
    tl_json_field("kinetic_ratio", kinetic_ratio(contest, outcome));
    tl_json_field("stretch_p99", outcome->stretch_p99);
    tl_json_field("newton_per_substep", per(cost->newton_iterations, cost->substeps));
    tl_json_field("cg_per_newton", per(cost->cg_iterations, cost->newton_iterations));
    fputs("}", stdout);
}

static void print_outcome(const Contest *contest, const char *name, const Outcome *outcome,
                          double frame_s) {
    const TlBenchCost *cost = &outcome->cost;
    printf("    %-9s %11.2f %9.2f %9.3f %9.4f %9.2f %9.2f\n", name, 1000.0 * frame_s,
           1000.0 * outcome->rms_m, kinetic_ratio(contest, outcome), outcome->stretch_p99,
           per(cost->newton_iterations, cost->substeps),
           per(cost->cg_iterations, cost->newton_iterations));
}

static void print_ratio(const char *name, TlQuartiles ratio, const char *bound, double wanted) {
    printf("    %-24s %.3f (%.3f to %.3f), wanted: %s %g\n", name, ratio.median, ratio.q1, ratio.q3,
           bound, wanted);
}

static void print_contest(const Contest *contest, const char *name) {
    const TlBenchMesh *mesh = &contest->scene.mesh;
    bool json = contest->plan->json;
    void (*print)(const Contest *, const char *, const Outcome *, double) =
        json ? json_outcome : print_outcome;
    if (json)
        printf(",\n \"%s\": {\"vertices\": %d, \"faces\": %d", name, (int)mesh->vertex_count,
               (int)mesh->face_count);
    else
        printf("  %s: %d vertices, %d faces\n"
               "    %-9s %11s %9s %9s %9s %9s %9s\n",
               name, (int)mesh->vertex_count, (int)mesh->face_count, "", "ms a frame", "rms mm",
               "kinetic", "p99", "Newton", "CG");
    for (int32_t i = 0; i < WAYS; i++)
        print(contest, way_names[i], &contest->outcomes[i],
              tl_rounds_seconds(&contest->rounds, i).median);
    print(contest, "tight", &contest->tight, contest->tight.cost.seconds / contest->plan->frames);
    TlQuartiles standard = tl_rounds_ratio(&contest->rounds, STANDARD, XPBD);
    TlQuartiles fast = tl_rounds_ratio(&contest->rounds, FAST, XPBD);
    if (json) {
        tl_json_quartiles("standard_over_xpbd", standard);
        tl_json_quartiles("fast_over_xpbd", fast);
        fputs("}", stdout);
    } else {
        print_ratio("standard / xpbd", standard, "at most", MOST_STANDARD);
        print_ratio("fast / xpbd", fast, "at most", MOST_FAST);
    }
}

/* Takes the scene over; `made` tells whether there was memory for it. */
static ToileStatus run_contest(const TlBenchPlan *plan, const char *name, TlBenchScene *scene,
                               bool made, ToileError *error) {
    Contest contest = {.plan = plan, .scene = *scene};
    ToileStatus status = made ? invite(&contest, error) : TOILE_STATUS_OUT_OF_MEMORY;
    if (status == TOILE_STATUS_OK)
        status = solve_tightly(&contest, error);
    if (status == TOILE_STATUS_OK)
        status = tl_rounds_run(&contest.rounds, run_way, &contest, error);
    if (status == TOILE_STATUS_OK)
        status = judge(&contest);
    if (status == TOILE_STATUS_OK)
        print_contest(&contest, name);
    part_company(&contest);
    tl_bench_scene_free(scene);
    return status;
}

/* The meshes, of about as many vertices. */
typedef struct Kind {
    const char *name;
    bool (*make)(TlBenchScene *scene, int32_t size);
    int32_t size;
} Kind;

static const Kind kinds[] = {{"sheet", tl_bench_hang, SHEET_CELLS},
                             {"garment", tl_bench_garment, GARMENT_ROWS},
                             {"mixed", tl_bench_mixed, MIXED_CELLS}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static ToileStatus run_kind(const TlBenchPlan *plan, const Kind *kind, ToileError *error) {
    TlBenchScene scene;
    bool made = kind->make(&scene, kind->size / plan->smaller);
    return run_contest(plan, kind->name, &scene, made, error);
}

static ToileStatus run_sheet(const TlBenchPlan *plan, ToileError *error) {
    return run_kind(plan, &kinds[0], error);
}

static ToileStatus run_garment(const TlBenchPlan *plan, ToileError *error) {
    return run_kind(plan, &kinds[1], error);
}

static ToileStatus run_mixed(const TlBenchPlan *plan, ToileError *error) {
    return run_kind(plan, &kinds[2], error);
}

/* ---- iterations ---- */

/* CG iterations a Newton iteration on a mesh. */
typedef struct Count {
    int32_t finer; /* in width and height */
    double stretch_N_per_m;
    int32_t vertices;
    double cg_per_newton;
} Count;

static ToileStatus count_iterations(const TlBenchPlan *plan, const Kind *kind, Count *count,
                                    ToileError *error) {
    TlBenchScene scene;
    TlBenchSim sim = {0};
    TlBenchWay way = tl_bench_way_default();
    TlBenchCost cost = {0};
    way.stretch_N_per_m = count->stretch_N_per_m;
    ToileStatus status = kind->make(&scene, count->finer * (kind->size / plan->smaller))
                             ? tl_bench_sim_create(&scene, &way, &sim, error)
                             : TOILE_STATUS_OUT_OF_MEMORY;
    if (status == TOILE_STATUS_OK)
        status = tl_bench_step(&sim, plan->frames, &cost, error);
    count->vertices = scene.mesh.vertex_count;
    count->cg_per_newton = per(cost.cg_iterations, cost.newton_iterations);
    tl_bench_sim_destroy(&sim);
    tl_bench_scene_free(&scene);
    return status;
}

/* Of a mesh: as it is, stiffer, and finer. */
static ToileStatus count_kind(const TlBenchPlan *plan, const Kind *kind, bool first,
                              ToileError *error) {
    Count counts[3] = {{1, 1000.0, 0, 0}, {1, 5000.0, 0, 0}, {2, 1000.0, 0, 0}};
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t i = 0; i < 3 && status == TOILE_STATUS_OK; i++)
        status = count_iterations(plan, kind, &counts[i], error);
    if (status != TOILE_STATUS_OK)
        return status;
    const double cg[3] = {counts[0].cg_per_newton, counts[1].cg_per_newton,
                          counts[2].cg_per_newton};
    if (plan->json) {
        printf("%s\"%s\": {\"cg_per_newton\": ", first ? "" : ", ", kind->name);
        tl_json_numbers(stdout, cg, 3);
        tl_json_field("stiffness_ratio", cg[1] / cg[0]);
        tl_json_field("resolution_ratio", cg[2] / cg[0]);
        fputs("}", stdout);
        return status;
    }
    printf("    %s\n"
           "      %d vertices: %.2f at 1000 N/m, %.2f at 5000 N/m: times %.3f, wanted: at most %g\n"
           "      %d vertices: %.2f at 1000 N/m: times %.3f, wanted: at most %g\n",
           kind->name, (int)counts[0].vertices, cg[0], cg[1], cg[1] / cg[0], MOST_BY_STIFFNESS,
           (int)counts[2].vertices, cg[2], cg[2] / cg[0], MOST_BY_RESOLUTION);
    return status;
}

static ToileStatus run_iterations(const TlBenchPlan *plan, ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    fputs(plan->json ? ",\n \"iterations\": {"
                     : "  iterations: CG a Newton iteration, standard quality\n",
          stdout);
    for (int32_t i = 0; i < KINDS && status == TOILE_STATUS_OK; i++)
        status = count_kind(plan, &kinds[i], i == 0, error);
    if (plan->json)
        fputs("}", stdout);
    return status;
}

/* ---- threads and sizes ---- */

enum { SMALL, MEDIUM, LARGE, MEDIUM_THREADS, SIZES };

typedef struct Scaling {
    const TlBenchPlan *plan;
    TlBenchSim sims[SIZES];
    int32_t vertices[SIZES];
    TlRounds rounds;
} Scaling;

/* Large meshes have fewer frames. */
static int32_t scaling_frames(const TlBenchPlan *plan) {
    return plan->frames < SCALING_FRAMES ? plan->frames : SCALING_FRAMES;
}

static ToileStatus run_size(void *context, int32_t way, double *seconds, ToileError *error) {
    Scaling *scaling = context;
    TlBenchCost cost = {0};
    ToileStatus status = tl_bench_sim_restart(&scaling->sims[way], error);
    if (status == TOILE_STATUS_OK)
        status = tl_bench_step(&scaling->sims[way], scaling_frames(scaling->plan), &cost, error);
    *seconds = cost.seconds / (double)(cost.substeps > 0 ? cost.substeps : 1);
    return status;
}

static ToileStatus make_sizes(Scaling *scaling, ToileError *error) {
    static const int32_t finer[SIZES] = {1, 2, 4, 2}, threads[SIZES] = {1, 1, 1, 2};
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t i = 0; i < SIZES && status == TOILE_STATUS_OK; i++) {
        TlBenchScene scene;
        TlBenchWay way = tl_bench_way_default();
        way.threads = threads[i];
        status = tl_bench_hang(&scene, finer[i] * (SHEET_CELLS / scaling->plan->smaller))
                     ? tl_bench_sim_create(&scene, &way, &scaling->sims[i], error)
                     : TOILE_STATUS_OUT_OF_MEMORY;
        scaling->vertices[i] = scene.mesh.vertex_count;
        tl_bench_scene_free(&scene);
    }
    return status;
}

/* The exponent of time by vertices that a ratio of times between two sizes means. */
static TlQuartiles exponent(const Scaling *scaling, int32_t large, int32_t small) {
    TlQuartiles ratio = tl_rounds_ratio(&scaling->rounds, large, small);
    double growth = log((double)scaling->vertices[large] / scaling->vertices[small]);
    return (TlQuartiles){log(ratio.q1) / growth, log(ratio.median) / growth,
                         log(ratio.q3) / growth};
}

static void print_scaling(const Scaling *scaling) {
    TlQuartiles threads = tl_rounds_ratio(&scaling->rounds, MEDIUM, MEDIUM_THREADS);
    TlQuartiles growth = exponent(scaling, LARGE, SMALL);
    int processors = (int)tl_usable_processors();
    if (scaling->plan->json) {
        printf(",\n \"scaling\": {\"frames\": %d, \"processors\": %d",
               (int)scaling_frames(scaling->plan), processors);
        static const char *const names[] = {"small", "medium", "large", "medium_two_threads"};
        for (int32_t i = 0; i < SIZES; i++) {
            printf(", \"%s\": {\"vertices\": %d", names[i], (int)scaling->vertices[i]);
            tl_json_field("ms_per_substep", 1000.0 * tl_rounds_seconds(&scaling->rounds, i).median);
            fputs("}", stdout);
        }
        tl_json_quartiles("two_threads_speedup", threads);
        tl_json_quartiles("exponent", growth);
        fputs("}", stdout);
        return;
    }
    printf("  scaling: %d frame(s) a run, standard quality, %d processor(s)\n",
           (int)scaling_frames(scaling->plan), processors);
    for (int32_t i = 0; i < SIZES; i++)
        printf("    %7d vertices, %d thread(s) %9.3f ms a sub-step\n", (int)scaling->vertices[i],
               i == MEDIUM_THREADS ? 2 : 1, 1000.0 * tl_rounds_seconds(&scaling->rounds, i).median);
    print_ratio("one thread / two", threads, "at least", LEAST_BY_THREADS);
    print_ratio("exponent by vertices", growth, "at most", MOST_EXPONENT);
}

static ToileStatus run_scaling(const TlBenchPlan *plan, ToileError *error) {
    Scaling scaling = {.plan = plan};
    ToileStatus status = tl_rounds_alloc(&scaling.rounds, plan->pairs, SIZES)
                             ? make_sizes(&scaling, error)
                             : TOILE_STATUS_OUT_OF_MEMORY;
    if (status == TOILE_STATUS_OK)
        status = tl_rounds_run(&scaling.rounds, run_size, &scaling, error);
    if (status == TOILE_STATUS_OK)
        print_scaling(&scaling);
    for (int32_t i = 0; i < SIZES; i++)
        tl_bench_sim_destroy(&scaling.sims[i]);
    tl_rounds_free(&scaling.rounds);
    return status;
}

/* ---- all of it ---- */

static int run_solver(const TlBenchOptions *options) {
    static const TlBenchPart parts[] = {{"sheet", run_sheet},
                                        {"garment", run_garment},
                                        {"mixed", run_mixed},
                                        {"iterations", run_iterations},
                                        {"scaling", run_scaling}};
    static const TlBenchParts bench = {"solver",
                                       "1 thread; error and energy against the tight "
                                       "solution;\nNewton iterations a sub-step, CG a "
                                       "Newton iteration; ratios: median (quartiles)",
                                       parts, sizeof parts / sizeof *parts};
    TlBenchPlan plan = {options->pairs, options->frames, options->small ? SMALLER : 1,
                        options->json};
    return tl_bench_run_parts(&bench, &plan, options->part);
}

const TlBench tl_bench_solver = {"solver", "the implicit solver against small-step XPBD",
                                 run_solver};
