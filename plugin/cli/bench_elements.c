/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile bench elements`: quads as bilinear patches against the same quads split into triangles. A
 * sheet of 100 x 100 quads, one metre wide and flat at first, hangs by two corners: StVK with 1000
 * N/m and a shear stiffness of 50 N/m, linear bending of 5e-5 N m, 0.187 kg/m2, one thread. Only
 * steps are timed; the two ways take turns in going first. */
#include "bench.h"

#include "bench_scene.h"
#include "cli.h"

enum { CELLS = 100 };

enum { NATIVE, SPLIT, WAYS };

static const char *const way_names[WAYS] = {"native", "split"};

typedef struct Elements {
    TlBenchScene scene;
    TlBenchSim sims[WAYS];
    TlBenchCost costs[WAYS]; /* of one run each; all runs of a way do the same */
    TlRounds rounds;         /* seconds a frame */
    int32_t frames;
} Elements;

static ToileStatus make_sims(Elements *elements, ToileError *error) {
    TlBenchWay way = tl_bench_way_default();
    ToileStatus status =
        tl_bench_sim_create(&elements->scene, &way, &elements->sims[NATIVE], error);
    way.elements = TOILE_ELEMENTS_TRIANGLES;
    if (status == TOILE_STATUS_OK)
        status = tl_bench_sim_create(&elements->scene, &way, &elements->sims[SPLIT], error);
    return status;
}

static ToileStatus run_way(void *context, int32_t way, double *seconds, ToileError *error) {
    Elements *elements = context;
    TlBenchCost *cost = &elements->costs[way];
    *cost = (TlBenchCost){0};
    ToileStatus status = tl_bench_sim_restart(&elements->sims[way], error);
    if (status == TOILE_STATUS_OK)
        status = tl_bench_step(&elements->sims[way], elements->frames, cost, error);
    *seconds = cost->seconds / elements->frames;
    return status;
}

/* ---- the result ---- */

static double newton_per_frame(const Elements *elements, int32_t way) {
    return (double)elements->costs[way].newton_iterations / elements->frames;
}

static double frame_ms(const Elements *elements, int32_t way) {
    return 1000.0 * tl_rounds_seconds(&elements->rounds, way).median;
}

/* The ratio a Newton iteration from that a frame. */
static TlQuartiles by_iteration(const Elements *elements, TlQuartiles frame) {
    double more = newton_per_frame(elements, SPLIT) / newton_per_frame(elements, NATIVE);
    return (TlQuartiles){more * frame.q1, more * frame.median, more * frame.q3};
}

static void print_json(const Elements *elements, TlQuartiles frame, TlQuartiles iteration) {
    printf("{\"bench\": \"elements\", \"quads\": %d, \"threads\": 1, \"pairs\": %d, \"frames\": "
           "%d,\n \"ratio\": \"native / split\"",
           CELLS * CELLS, (int)elements->rounds.count, (int)elements->frames);
    tl_json_quartiles("per_frame", frame);
    tl_json_quartiles("per_newton_iteration", iteration);
    for (int32_t way = 0; way < WAYS; way++) {
        double ms = frame_ms(elements, way), newton = newton_per_frame(elements, way);
        printf(",\n \"%s\": {\"ms_per_frame\": ", way_names[way]);
        tl_json_number(stdout, ms);
        tl_json_field("ms_per_newton_iteration", ms / newton);
        tl_json_field("newton_iterations_per_frame", newton);
        fputs("}", stdout);
    }
    fputs("}\n", stdout);
}

static void print_table(const Elements *elements, TlQuartiles frame, TlQuartiles iteration) {
    printf("elements: %d quads hung by two corners, %d pair(s) of runs of %d frame(s), 1 thread\n",
           CELLS * CELLS, (int)elements->rounds.count, (int)elements->frames);
    for (int32_t way = 0; way < WAYS; way++) {
        double ms = frame_ms(elements, way), newton = newton_per_frame(elements, way);
        printf("  %-6s quads %8.2f ms a frame, %7.3f ms a Newton iteration, %.1f of them a frame\n",
               way_names[way], ms, ms / newton, newton);
    }
    printf("  native / split: median (quartiles)\n"
           "    a frame            %.3f (%.3f to %.3f)\n"
           "    a Newton iteration %.3f (%.3f to %.3f)\n",
           frame.median, frame.q1, frame.q3, iteration.median, iteration.q1, iteration.q3);
}

static int run_elements(const TlBenchOptions *options) {
    ToileError error = toile_error_default();
    Elements elements = {.frames = options->frames};
    bool room = tl_rounds_alloc(&elements.rounds, options->pairs, WAYS) &&
                tl_bench_hang(&elements.scene, CELLS);
    ToileStatus status = room ? make_sims(&elements, &error) : TOILE_STATUS_OUT_OF_MEMORY;
    if (status == TOILE_STATUS_OK)
        status = tl_rounds_run(&elements.rounds, run_way, &elements, &error);
    if (status == TOILE_STATUS_OK) {
        TlQuartiles frame = tl_rounds_ratio(&elements.rounds, NATIVE, SPLIT);
        if (options->json)
            print_json(&elements, frame, by_iteration(&elements, frame));
        else
            print_table(&elements, frame, by_iteration(&elements, frame));
    }
    for (int32_t way = 0; way < WAYS; way++)
        tl_bench_sim_destroy(&elements.sims[way]);
    tl_bench_scene_free(&elements.scene);
    tl_rounds_free(&elements.rounds);
    return tl_bench_code(status, &error);
}

const TlBench tl_bench_elements = {"elements", "native quads against split ones", run_elements};
