/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile bench contact`: what contact costs. A sheet of 100 x 100 quads that drapes over a sphere
 * and meets itself, against the same sheet held by its middle vertex with nothing to touch, and
 * with two threads; where the time of a frame goes there, in a sheet of 200 x 200 quads that falls
 * on a floor and folds, and in a stack of 50 layers; the memory of contact. */
#include "bench.h"

#include "bench_scene.h"
#include "cli.h"
#include "platform.h"

#include <stdlib.h>
#include <string.h>

enum {
    DRAPE_CELLS = 100,
    FALL_CELLS = 200,
    LAYERS = 50,
    LAYER_CELLS = 13,
    SMALLER = 5,       /* --small: by this in width and height */
    SMALL_PAIRS = 2,   /* --small: at most */
    SMALL_FRAMES = 12, /* --small: at most */
    LARGE_PART = 3,    /* the larger scenes take so many times fewer frames */
    ALIGN = 64,        /* the most that is asked of an allocator */
};

/* what is wanted of the ratios */
#define MOST_BY_CONTACT 3.0

/* ---- where the time goes ---- */

/* REST is what none of the others counts. */
enum { BROAD, NARROW, TRUNCATE, ASSEMBLY, LINEAR, SEARCH, REST, STAGES };

static const char *const stage_names[STAGES] = {"broad",  "narrow", "truncate", "assembly",
                                                "linear", "search", "rest"};

/* What some frames took and did. */
typedef struct Split {
    int32_t frames;
    double seconds[STAGES], total_s;
    int64_t substeps, newton_iterations, cg_iterations, retries, refreshes, cuts;
    int64_t touches;       /* sum over the ends of frames */
    int32_t candidates;    /* the longest list of all */
    int32_t intersections; /* the most at the end of a frame */
    double kinetic_J;      /* at the end */
} Split;

static int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static void add_seconds(Split *split, const ToileStats *stats) {
    const double seconds[REST] = {stats->broad_s,    stats->narrow_s, stats->truncate_s,
                                  stats->assembly_s, stats->linear_s, stats->search_s};
    split->total_s += stats->total_s;
    split->seconds[REST] += stats->total_s;
    for (int32_t i = 0; i < REST; i++) {
        split->seconds[i] += seconds[i];
        split->seconds[REST] -= seconds[i];
    }
}

static void add_frame(Split *split, const ToileStats *stats) {
    add_seconds(split, stats);
    split->frames++;
    split->substeps += stats->substeps;
    split->newton_iterations += stats->newton_iterations;
    split->cg_iterations += stats->cg_iterations;
    split->retries += stats->retries;
    split->refreshes += stats->contact_refreshes;
    split->cuts += stats->contact_cuts;
    split->touches += stats->contact_touches;
    split->candidates = larger(split->candidates, stats->contact_candidates);
    split->intersections = larger(split->intersections, stats->intersections);
    split->kinetic_J = stats->kinetic_J;
}

/* Runs from the start and adds what it took; `seconds` is that of all frames. */
static ToileStatus run_frames(TlBenchSim *sim, int32_t frames, Split *split, double *seconds,
                              ToileError *error) {
    ToileStatus status = tl_bench_sim_restart(sim, error);
    *seconds = 0.0;
    for (int32_t i = 0; i < frames && status == TOILE_STATUS_OK; i++) {
        ToileStats stats = toile_stats_default();
        double begun_s = tl_now_s();
        status = toile_sim_step(sim->sim, error);
        *seconds += tl_now_s() - begun_s;
        if (status == TOILE_STATUS_OK)
            status = toile_sim_get_stats(sim->sim, &stats, error);
        add_frame(split, &stats);
    }
    return status;
}

/* ---- its result ---- */

/* A number beside the split. */
typedef struct Count {
    const char *key, *text;
    double value;
} Count;

enum { COUNTS = 10 };

static double per(int64_t sum, int64_t count) {
    return count > 0 ? (double)sum / (double)count : 0.0;
}

static void list_counts(const Split *split, Count counts[COUNTS]) {
    const Count all[COUNTS] = {
        {"candidates", "pairs of the longest list", split->candidates},
        {"touches", "touches at the end of a frame", per(split->touches, split->frames)},
        {"refreshes_per_frame", "lists a frame", per(split->refreshes, split->frames)},
        {"cuts_per_frame", "cuts of a vertex a frame", per(split->cuts, split->frames)},
        {"substeps_per_frame", "sub-steps a frame", per(split->substeps, split->frames)},
        {"retries_per_frame", "of them repeated", per(split->retries, split->frames)},
        {"newton_per_substep", "Newton iterations a sub-step",
         per(split->newton_iterations, split->substeps)},
        {"cg_per_newton", "CG iterations a Newton iteration",
         per(split->cg_iterations, split->newton_iterations)},
        {"intersections", "edges through faces", split->intersections},
        {"kinetic_J", "J kinetic energy at the end", split->kinetic_J}};
    memcpy(counts, all, sizeof all);
}

static void json_split(const char *name, const Split *split) {
    Count counts[COUNTS];
    list_counts(split, counts);
    printf(",\n  \"%s\": {\"frames\": %d", name, (int)split->frames);
    tl_json_field("ms_per_frame", 1000.0 * split->total_s / split->frames);
    for (int32_t i = 0; i < STAGES; i++) {
        printf(",\n   \"%s\": {\"ms_per_frame\": ", stage_names[i]);
        tl_json_number(stdout, 1000.0 * split->seconds[i] / split->frames);
        tl_json_field("percent", 100.0 * split->seconds[i] / split->total_s);
        fputs("}", stdout);
    }
    printf(",\n   \"counts\": {\"%s\": ", counts[0].key);
    tl_json_number(stdout, counts[0].value);
    for (int32_t i = 1; i < COUNTS; i++)
        tl_json_field(counts[i].key, counts[i].value);
    fputs("}}", stdout);
}

static void print_split(const char *name, const Split *split) {
    Count counts[COUNTS];
    list_counts(split, counts);
    printf("    %-10s %9.2f ms a frame\n", name, 1000.0 * split->total_s / split->frames);
    for (int32_t i = 0; i < STAGES; i++)
        printf("      %-10s %9.2f ms %6.1f %%\n", stage_names[i],
               1000.0 * split->seconds[i] / split->frames,
               100.0 * split->seconds[i] / split->total_s);
    for (int32_t i = 0; i < COUNTS; i++)
        printf("      %12.6g %s\n", counts[i].value, counts[i].text);
}

static void begin_part(const TlBenchPlan *plan, const char *name, int32_t vertices,
                       int32_t frames) {
    printf(plan->json ? ",\n \"%s\": {\"vertices\": %d, \"frames\": %d"
                      : "  %s: %d vertices, %d frame(s) a run\n",
           name, (int)vertices, (int)frames);
}

static void show_split(const TlBenchPlan *plan, const char *name, const Split *split) {
    (plan->json ? json_split : print_split)(name, split);
}

/* ---- the drape ---- */

enum { MEETING, FREE, TWO_THREADS, WAYS };

static const char *const way_names[WAYS] = {"contact", "free", "two_threads"};

typedef struct Drape {
    const TlBenchPlan *plan;
    TlBenchSim sims[WAYS];
    int32_t vertices;
    Split splits[WAYS]; /* of all rounds */
    TlRounds rounds;
} Drape;

static ToileStatus run_way(void *context, int32_t way, double *seconds, ToileError *error) {
    Drape *drape = context;
    ToileStatus status =
        run_frames(&drape->sims[way], drape->plan->frames, &drape->splits[way], seconds, error);
    *seconds /= drape->plan->frames;
    return status;
}

static ToileStatus make_ways(Drape *drape, ToileError *error) {
    int32_t cells = DRAPE_CELLS / drape->plan->smaller;
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t i = 0; i < WAYS && status == TOILE_STATUS_OK; i++) {
        TlBenchScene scene;
        TlBenchWay way = tl_bench_way_default();
        way.threads = i == TWO_THREADS ? 2 : 1;
        bool made =
            i == FREE ? tl_bench_hang_by_middle(&scene, cells) : tl_bench_drape(&scene, cells);
        status = made ? tl_bench_sim_create(&scene, &way, &drape->sims[i], error)
                      : TOILE_STATUS_OUT_OF_MEMORY;
        drape->vertices = scene.mesh.vertex_count;
        tl_bench_scene_free(&scene);
    }
    return status;
}

static void print_drape(const Drape *drape) {
    TlQuartiles cost = tl_rounds_ratio(&drape->rounds, MEETING, FREE);
    TlQuartiles threads = tl_rounds_ratio(&drape->rounds, MEETING, TWO_THREADS);
    begin_part(drape->plan, "drape", drape->vertices, drape->plan->frames);
    for (int32_t i = 0; i < TWO_THREADS; i++)
        show_split(drape->plan, way_names[i], &drape->splits[i]);
    if (drape->plan->json) {
        tl_json_quartiles("contact_over_free", cost);
        tl_json_quartiles("two_threads_speedup", threads);
        printf(", \"processors\": %d}", (int)tl_usable_processors());
        return;
    }
    printf("    contact / free     %.3f (%.3f to %.3f), wanted: at most %g\n", cost.median, cost.q1,
           cost.q3, MOST_BY_CONTACT);
    printf("    one thread / two   %.3f (%.3f to %.3f), %d processor(s)\n", threads.median,
           threads.q1, threads.q3, (int)tl_usable_processors());
}

static ToileStatus run_drape(const TlBenchPlan *plan, ToileError *error) {
    Drape drape = {.plan = plan};
    ToileStatus status = tl_rounds_alloc(&drape.rounds, plan->pairs, WAYS)
                             ? make_ways(&drape, error)
                             : TOILE_STATUS_OUT_OF_MEMORY;
    if (status == TOILE_STATUS_OK)
        status = tl_rounds_run(&drape.rounds, run_way, &drape, error);
    if (status == TOILE_STATUS_OK)
        print_drape(&drape);
    for (int32_t i = 0; i < WAYS; i++)
        tl_bench_sim_destroy(&drape.sims[i]);
    tl_rounds_free(&drape.rounds);
    return status;
}

/* ---- the fall and the stack ---- */

/* One run. Takes the scene over; `made` tells whether there was memory for it. */
static ToileStatus run_once(const TlBenchPlan *plan, const char *name, TlBenchScene *scene,
                            bool made, int32_t frames, ToileError *error) {
    TlBenchWay way = tl_bench_way_default();
    TlBenchSim sim = {0};
    Split split = {0};
    double seconds;
    ToileStatus status =
        made ? tl_bench_sim_create(scene, &way, &sim, error) : TOILE_STATUS_OUT_OF_MEMORY;
    if (status == TOILE_STATUS_OK)
        status = run_frames(&sim, frames, &split, &seconds, error);
    if (status == TOILE_STATUS_OK) {
        begin_part(plan, name, scene->mesh.vertex_count, frames);
        show_split(plan, way_names[MEETING], &split);
        fputs(plan->json ? "}" : "", stdout);
    }
    tl_bench_sim_destroy(&sim);
    tl_bench_scene_free(scene);
    return status;
}

static int32_t large_frames(const TlBenchPlan *plan) {
    return larger(plan->frames / LARGE_PART, 1);
}

static ToileStatus run_fall(const TlBenchPlan *plan, ToileError *error) {
    TlBenchScene scene;
    bool made = tl_bench_fall(&scene, FALL_CELLS / plan->smaller);
    return run_once(plan, "fall", &scene, made, large_frames(plan), error);
}

static ToileStatus run_stack(const TlBenchPlan *plan, ToileError *error) {
    TlBenchScene scene;
    bool made = tl_bench_stack(&scene, LAYERS / plan->smaller, LAYER_CELLS);
    return run_once(plan, "stack", &scene, made, large_frames(plan), error);
}

/* ---- memory ---- */

/* Bytes that are held now, and the most there ever were. */
typedef struct Meter {
    size_t held, most;
} Meter;

/* The block that malloc gave stands before the aligned one. */
static void *meter_alloc(void *user, size_t size, size_t align) {
    Meter *meter = user;
    char *block = align <= ALIGN ? malloc(size + ALIGN + sizeof block) : NULL;
    if (!block)
        return NULL;
    char *aligned = block + sizeof block;
    aligned += (ALIGN - (uintptr_t)aligned % ALIGN) % ALIGN;
    memcpy(aligned - sizeof block, &block, sizeof block);
    meter->held += size;
    meter->most = meter->held > meter->most ? meter->held : meter->most;
    return aligned;
}

static void meter_free(void *user, void *ptr, size_t size) {
    Meter *meter = user;
    char *block;
    if (!ptr)
        return;
    memcpy(&block, (char *)ptr - sizeof block, sizeof block);
    meter->held -= size;
    free(block);
}

/* What the drape holds after its frames, and the most until then, bytes a vertex. */
typedef struct Memory {
    int32_t vertices;
    double held, most;
} Memory;

static ToileStatus weigh(int32_t cells, bool meets, int32_t frames, Memory *memory,
                         ToileError *error) {
    TlBenchScene scene;
    TlBenchSim sim = {0};
    TlBenchWay way = tl_bench_way_default();
    Meter meter = {0};
    TlBenchCost cost = {0};
    way.allocator = (ToileAllocator){meter_alloc, meter_free, &meter};
    bool made = meets ? tl_bench_drape(&scene, cells) : tl_bench_hang_by_middle(&scene, cells);
    ToileStatus status =
        made ? tl_bench_sim_create(&scene, &way, &sim, error) : TOILE_STATUS_OUT_OF_MEMORY;
    if (status == TOILE_STATUS_OK)
        status = tl_bench_step(&sim, frames, &cost, error);
    memory->vertices = scene.mesh.vertex_count;
    memory->held = (double)meter.held / scene.mesh.vertex_count;
    memory->most = (double)meter.most / scene.mesh.vertex_count;
    tl_bench_sim_destroy(&sim);
    tl_bench_scene_free(&scene);
    return status;
}

static void print_memory(const TlBenchPlan *plan, const char *name, const Memory *with,
                         const Memory *without) {
    double contact = with->held - without->held;
    if (!plan->json) {
        printf("    %d vertices: %.0f bytes each with contact, %.0f without: %.0f of contact; at "
               "most %.0f\n",
               (int)with->vertices, with->held, without->held, contact, with->most);
        return;
    }
    printf(",\n  \"%s\": {\"vertices\": %d", name, (int)with->vertices);
    tl_json_field("bytes_per_vertex", with->held);
    tl_json_field("bytes_per_vertex_without_contact", without->held);
    tl_json_field("bytes_per_vertex_of_contact", contact);
    tl_json_field("most_bytes_per_vertex", with->most);
    fputs("}", stdout);
}

static ToileStatus run_memory(const TlBenchPlan *plan, ToileError *error) {
    static const char *const names[2] = {"medium", "large"};
    const int32_t cells[2] = {DRAPE_CELLS / plan->smaller, FALL_CELLS / plan->smaller};
    ToileStatus status = TOILE_STATUS_OK;
    printf(plan->json ? ",\n \"memory\": {\"frames\": %d"
                      : "  memory: the drape after %d frame(s)\n",
           (int)large_frames(plan));
    for (int32_t i = 0; i < 2 && status == TOILE_STATUS_OK; i++) {
        Memory with, without;
        status = weigh(cells[i], true, large_frames(plan), &with, error);
        if (status == TOILE_STATUS_OK)
            status = weigh(cells[i], false, 1, &without, error);
        if (status == TOILE_STATUS_OK)
            print_memory(plan, names[i], &with, &without);
    }
    fputs(plan->json ? "}" : "", stdout);
    return status;
}

/* ---- all of it ---- */

static int32_t at_most(int32_t value, int32_t most) {
    return value < most ? value : most;
}

static int run_contact(const TlBenchOptions *options) {
    static const TlBenchPart parts[] = {
        {"drape", run_drape}, {"fall", run_fall}, {"stack", run_stack}, {"memory", run_memory}};
    static const TlBenchParts bench = {"contact",
                                       "standard quality, 1 thread; ratios: median (quartiles)",
                                       parts, sizeof parts / sizeof *parts};
    TlBenchPlan plan = {options->pairs, options->frames, 1, options->json};
    if (options->small) {
        plan.smaller = SMALLER;
        plan.pairs = at_most(plan.pairs, SMALL_PAIRS);
        plan.frames = at_most(plan.frames, SMALL_FRAMES);
    }
    return tl_bench_run_parts(&bench, &plan, options->part);
}

const TlBench tl_bench_contact = {"contact", "what contact costs", run_contact};
