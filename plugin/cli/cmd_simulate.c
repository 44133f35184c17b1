/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile simulate`: a scene in, a cache of frames out.
 *
 * The simulation always begins at the scene's first frame, whose start state is the first sample;
 * --frames only selects what is written. SIGINT, SIGTERM or SIGHUP end the run after the current
 * frame with a cache of the frames done. Options win over TOILE_THREADS, which wins over the scene.
 */
#include "cli.h"
#include "platform.h"
#include "png.h"
#include "progress.h"
#include "simulate_options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <toile_io/cache.h>
#include <toile_io/frames.h>

/* What the frames had in common, for the summary. */
typedef struct Totals {
    int64_t substeps;
    int64_t newton_iterations;
    int64_t cg_iterations;
    int64_t cuts;
    int64_t rescues;
    int64_t added;
    int64_t shortened;
    int64_t extra;
    int64_t retries_failed;
    int64_t retries_strain;
    int64_t retries_newton;
    int64_t lists;
    int64_t held_back;
    int64_t blocked;
    int32_t steps;
    int32_t contacts;
    int32_t candidates;    /* of the longest list */
    int32_t intersections; /* at the end */
    int32_t intersections_max;
    int32_t pinched_max;
    int32_t frames_tangled;
    double stretch_p99;
    double stretch_max;
    double penetration_max_m;
    double seconds;
    double assembly_s;
    double linear_s;
    double search_s;
    double contact_s;
    double broad_s;
    double narrow_s;
    double truncate_s;
} Totals;

typedef struct Run {
    TlSimulateOptions options;
    ToileScene *scene;
    ToileSceneInfo info;
    const char *output;
    char *wedge_cache;   /* the scene's, by the name of the wedge; NULL: none */
    char *wedge_preview; /* likewise */
    int32_t *frames;     /* to be written, ascending */
    int32_t frame_count;
    int32_t written;
    int32_t part; /* samples of the current frame that are done */
    ToileSim *sim;
    ToileClothId *cloths;
    ToileCache *cache;
    TlProgress progress;
    Totals totals;
    double stop_seen_s; /* clock when the stop was first noticed; 0: not */
    bool setting_up;    /* findings about meshes were printed with the scene: once is enough */
} Run;

/* ---- sentences of a run ---- */

static int fail(Run *run, ToileStatus status, const ToileError *error) {
    tl_progress_clear(&run->progress);
    int code = tl_report_failure(status, error);
    tl_progress_fail(&run->progress, code, error->message);
    return code;
}

/* a mistake on the command line that only the scene could tell */
static int refuse(Run *run, const char *sentence) {
    tl_message("%s", sentence);
    tl_progress_fail(&run->progress, TL_EXIT_USAGE, sentence);
    return TL_EXIT_USAGE;
}

static int out_of_memory(Run *run) {
    tl_message("there is not enough memory.");
    tl_progress_fail(&run->progress, TL_EXIT_FAILURE, "there is not enough memory.");
    return TL_EXIT_FAILURE;
}

static void receive_log(void *user, ToileLogLevel level, const char *message) {
    Run *run = user;
    if (level < TOILE_LOG_WARNING || run->setting_up)
        return;
    tl_progress_clear(&run->progress);
    tl_message("frame %lld: warning: %s", (long long)run->progress.frame + 1, message);
}

/* notes a stop once, and says how long the frame may still take */
static bool notice_stop(Run *run) {
    if (!tl_stop_requested())
        return false;
    if (run->stop_seen_s <= 0.0) {
        run->stop_seen_s = tl_now_s();
        tl_progress_clear(&run->progress);
        tl_message("stop requested; frames that are done are kept.");
    }
    return true;
}

/* called by the library once a sub-step; false abandons the frame */
static bool report_progress(void *user, double fraction) {
    Run *run = user;
    tl_progress_within(&run->progress, (run->part + fraction) / run->info.samples_per_frame);
    if (!notice_stop(run))
        return true;
    return !run->info.settle && tl_now_s() - run->stop_seen_s < run->options.grace_s;
}

/* ---- preparation ---- */

/* a number of workers in an environment variable; 0: not set or not one */
static int32_t threads_of(const char *variable) {
    const char *text = getenv(variable);
    if (!text)
        return 0;
    /* OMP_NUM_THREADS may be a list by level; the first is ours */
    long number = strtol(text, NULL, 10);
    return number >= 1 && number <= TL_THREADS_MAX ? (int32_t)number : 0;
}

static int choose_threads(Run *run, int32_t *threads) {
    static const char *const engines[] = {"SLURM_CPUS_PER_TASK", "CUE_THREADS", "OMP_NUM_THREADS"};
    const char *own = getenv("TOILE_THREADS");
    int32_t chosen = *threads;
    if (run->options.threads >= 0)
        chosen = run->options.threads;
    else if (own && own[0] && !tl_parse_int(own, 0, TL_THREADS_MAX, &chosen))
        return refuse(run, "TOILE_THREADS in the environment must be a number from 0 to 1024.");
    for (int32_t i = 0; i < 3 && chosen == 0; i++)
        chosen = threads_of(engines[i]);
    *threads = chosen ? chosen : tl_usable_processors();
    return TL_EXIT_OK;
}

/* the sheet to be drawn at the end, or NULL; -o sends the output elsewhere: nothing is then written
 * beside the scene */
static const char *preview_of(const Run *run) {
    const char *of_wedge = run->wedge_preview ? run->wedge_preview : run->info.preview;
    const char *of_scene = run->options.output ? NULL : of_wedge;
    return run->options.preview ? run->options.preview : of_scene;
}

/* what would only fail once all is simulated */
static int check_preview(Run *run) {
    ToileError error = toile_error_default();
    const char *path = preview_of(run);
    if (!path || !tl_has_ending(run->output, ".abc"))
        return TL_EXIT_OK;
    ToileStatus status = tl_preview_check(path, run->output, run->scene, &error);
    if (status == TOILE_STATUS_OK)
        status = tl_png_probe(path, &error);
    return status == TOILE_STATUS_OK ? TL_EXIT_OK : fail(run, status, &error);
}

/* wedges of one scene must not overwrite one another */
static bool name_wedge_files(Run *run) {
    int32_t wedge = run->info.wedge;
    if (wedge == TL_NO_WEDGE)
        return true;
    if (run->info.cache)
        run->wedge_cache = tl_wedge_path(run->info.cache, wedge);
    if (run->info.preview)
        run->wedge_preview = tl_wedge_path(run->info.preview, wedge);
    return (!run->info.cache || run->wedge_cache) && (!run->info.preview || run->wedge_preview);
}

static int choose_output(Run *run) {
    const TlSimulateOptions *options = &run->options;
    if (!name_wedge_files(run))
        return out_of_memory(run);
    const char *of_scene = run->wedge_cache ? run->wedge_cache : run->info.cache;
    run->output = options->output ? options->output : of_scene;
    if (!run->output)
        return refuse(run, "no output is named: give -o FILE.abc, or output.cache in the scene.");
    if (!tl_has_ending(run->output, ".abc") && !tl_has_ending(run->output, ".pc2") &&
        !tl_has_ending(run->output, ".mdd") && !tl_has_ending(run->output, ".obj"))
        return refuse(run, "the output must be a name that ends in .abc, .pc2, .mdd or .obj: this "
                           "version writes no other.");
    if (options->preview && !tl_has_ending(run->output, ".abc"))
        return refuse(run, "--preview draws an .abc cache; write one by -o FILE.abc.");
    if (options->preview && !tl_has_ending(options->preview, ".png"))
        return refuse(run, "the picture of --preview must end in .png.");
    return check_preview(run);
}

static int parse_frames(Run *run) {
    ToileError error = toile_error_default();
    const char *text = run->options.frames;
    ToileStatus status = toile_frames_parse(text, true, NULL, 0, &run->frame_count, &error);
    if (status != TOILE_STATUS_OK)
        return fail(run, status, &error);
    run->frames = calloc((size_t)run->frame_count, sizeof *run->frames);
    if (!run->frames)
        return out_of_memory(run);
    status =
        toile_frames_parse(text, true, run->frames, run->frame_count, &run->frame_count, &error);
    return status == TOILE_STATUS_OK ? TL_EXIT_OK : fail(run, status, &error);
}

static int choose_frames(Run *run) {
    char sentence[200];
    int32_t first = run->info.frames[0];
    if (run->options.frames) {
        int code = parse_frames(run);
        if (code != TL_EXIT_OK)
            return code;
    } else {
        run->frame_count = run->info.settle ? 1 : run->info.frame_count;
        run->frames = calloc((size_t)run->frame_count, sizeof *run->frames);
        if (!run->frames)
            return out_of_memory(run);
        memcpy(run->frames, run->info.frames, (size_t)run->frame_count * sizeof *run->frames);
    }
    if (run->frames[0] < first) {
        snprintf(sentence, sizeof sentence,
                 "--frames asks for frame %d, but the simulation starts at frame %d.",
                 (int)run->frames[0], (int)first);
        return refuse(run, sentence);
    }
    if (run->info.settle && (run->frame_count != 1 || run->frames[0] != first)) {
        snprintf(sentence, sizeof sentence,
                 "the scene settles instead of moving, so --frames can only be %d.", (int)first);
        return refuse(run, sentence);
    }
    return TL_EXIT_OK;
}

static void print_wedge(const Run *run) {
    char name[TL_WEDGE_NAME_SIZE];
    if (run->info.wedge == TL_NO_WEDGE)
        return;
    tl_wedge_name(run->info.wedge, name);
    for (int32_t i = 0; i < run->info.wedge_key_count; i++) {
        const char *key = "", *value = "";
        toile_scene_get_wedge(run->scene, run->info.wedge, i, &key, &value, NULL);
        tl_message("wedge %d (%s): %s=%s.", (int)run->info.wedge, name, key, value);
    }
}

/* the header of the log; a scene in error gets its sentences only */
static void print_header(const Run *run, int32_t threads) {
    int64_t vertices = 0;
    if (run->options.quiet)
        return;
    for (int32_t i = 0; i < run->info.cloth_count; i++)
        vertices += toile_sim_vertex_count(run->sim, run->cloths[i]);
    tl_message("version %s, %d thread(s), scene %s.", toile_version_string(), (int)threads,
               run->options.scene);
    print_wedge(run);
    int cloths = (int)run->info.cloth_count, colliders = (int)run->info.collider_count;
    if (run->info.settle)
        tl_message("%d cloth(s) of %lld vertices, %d collider(s), settling at frame %d.", cloths,
                   (long long)vertices, colliders, (int)run->info.frames[0]);
    else
        tl_message("%d cloth(s) of %lld vertices, %d collider(s), simulating frame %d to %d at %g "
                   "fps.",
                   cloths, (long long)vertices, colliders, (int)run->info.frames[0],
                   (int)run->frames[run->frame_count - 1], run->info.fps);
}

/* makes the simulation, then the cache, so that a scene in error leaves no file */
static int create_all(Run *run) {
    ToileError error = toile_error_default();
    ToileSimDef def = toile_sim_def_default();
    ToileStatus status = toile_scene_sim_def(run->scene, &def, &error);
    if (status != TOILE_STATUS_OK)
        return fail(run, status, &error);
    int code = choose_threads(run, &def.threads);
    if (code != TL_EXIT_OK)
        return code;
    def.log = (ToileLog){receive_log, run};
    def.progress = (ToileProgress){report_progress, run};
    run->cloths = calloc((size_t)run->info.cloth_count + 1, sizeof *run->cloths);
    if (!run->cloths)
        return out_of_memory(run);
    run->setting_up = true;
    status = toile_scene_create_sim(run->scene, &def, &run->sim, run->cloths, &error);
    run->setting_up = false;
    if (status == TOILE_STATUS_OK)
        status = toile_cache_create(run->output, run->scene, run->frames, run->frame_count,
                                    &run->cache, &error);
    if (status != TOILE_STATUS_OK)
        return fail(run, status, &error);
    print_header(run, def.threads);
    return TL_EXIT_OK;
}

static int prepare(Run *run) {
    TlFindings findings = {0};
    const TlSimulateOptions *options = &run->options;
    run->scene =
        tl_load_scene(options->scene, options->sets, options->set_count, options->wedge, &findings);
    if (!run->scene) {
        tl_progress_fail(&run->progress, findings.first_exit, findings.sentence);
        return findings.first_exit;
    }
    ToileError error = toile_error_default();
    run->info.struct_size = (uint32_t)sizeof run->info;
    ToileStatus status = toile_scene_get_info(run->scene, &run->info, &error);
    if (status != TOILE_STATUS_OK)
        return fail(run, status, &error);
    int code = choose_output(run);
    if (code == TL_EXIT_OK)
        code = choose_frames(run);
    return code == TL_EXIT_OK ? create_all(run) : code;
}

/* ---- frames ---- */

static const char *cloth_name(const Run *run, ToileClothId id) {
    ToileSceneCloth cloth = {0};
    cloth.struct_size = (uint32_t)sizeof cloth;
    toile_scene_get_cloth(run->scene, (int32_t)id.slot - 1, &cloth, NULL);
    return cloth.name ? cloth.name : "?";
}

static const char *collider_name(const Run *run, ToileColliderId id) {
    ToileColliderDef collider = toile_collider_def_default();
    toile_scene_get_collider(run->scene, (int32_t)id.slot - 1, 0.0, &collider, NULL);
    return collider.name;
}

/* says when cloth goes through something, and when that is over */
static void tell_intersections(Run *run, int32_t frame, int32_t count) {
    int32_t before = run->totals.intersections;
    ToileIntersection found = toile_intersection_default();
    if ((count > 0) == (before > 0))
        return;
    tl_progress_clear(&run->progress);
    if (count == 0)
        tl_message("frame %d: free of intersections again.", (int)frame);
    else if (toile_sim_get_intersection(run->sim, 0, &found, NULL) != TOILE_STATUS_OK)
        return;
    else if (found.other_face < 0)
        tl_message("frame %d: warning: %d face(s) are in colliders, the first is face %d of %s in "
                   "%s.",
                   (int)frame, (int)count, (int)found.face, cloth_name(run, found.cloth),
                   collider_name(run, found.other_collider));
    else
        tl_message("frame %d: warning: %d edge(s) go through faces, the first of face %d of %s "
                   "through face %d of %s.",
                   (int)frame, (int)count, (int)found.face,
                   found.cloth.slot ? cloth_name(run, found.cloth)
                                    : collider_name(run, found.collider),
                   (int)found.other_face,
                   found.other_cloth.slot ? cloth_name(run, found.other_cloth)
                                          : collider_name(run, found.other_collider));
}

static void count_contact(Totals *totals, const ToileStats *stats) {
    totals->lists += stats->contact_refreshes;
    totals->held_back += stats->contact_cuts;
    totals->blocked += stats->contact_blocked;
    totals->broad_s += stats->broad_s;
    totals->narrow_s += stats->narrow_s;
    totals->truncate_s += stats->truncate_s;
    totals->intersections = stats->intersections;
    totals->frames_tangled += stats->intersections > 0;
    if (stats->intersections > totals->intersections_max)
        totals->intersections_max = stats->intersections;
    if (stats->contact_candidates > totals->candidates)
        totals->candidates = stats->contact_candidates;
    if (stats->contact_pinched > totals->pinched_max)
        totals->pinched_max = stats->contact_pinched;
}

static void count_work(Totals *totals, const ToileStats *stats) {
    totals->substeps += stats->substeps;
    totals->newton_iterations += stats->newton_iterations;
    totals->cg_iterations += stats->cg_iterations;
    totals->cuts += stats->line_search_cuts;
    totals->rescues += stats->rescues;
    totals->added += stats->substeps_added;
    totals->shortened += stats->substeps_shortened;
    totals->extra += stats->newton_rescues;
    totals->retries_failed += stats->retries_failed;
    totals->retries_strain += stats->retries_strain;
    totals->retries_newton += stats->retries_newton;
    totals->assembly_s += stats->assembly_s;
    totals->linear_s += stats->linear_s;
    totals->search_s += stats->search_s;
    totals->contact_s += stats->contact_s;
}

static void count_step(Run *run, const ToileStats *stats, double seconds) {
    Totals *totals = &run->totals;
    totals->seconds += seconds;
    count_work(totals, stats);
    count_contact(totals, stats);
    totals->contacts = stats->contacts;
    if (stats->stretch_p99 > totals->stretch_p99)
        totals->stretch_p99 = stats->stretch_p99;
    if (stats->stretch_max > totals->stretch_max)
        totals->stretch_max = stats->stretch_max;
    if (stats->penetration_max_m > totals->penetration_max_m)
        totals->penetration_max_m = stats->penetration_max_m;
}

static ToileStatus keep_frame(Run *run, int32_t frame, ToileError *error) {
    if (run->frames[run->written] != frame)
        return TOILE_STATUS_OK;
    ToileStatus status = toile_cache_add(run->cache, run->sim, run->cloths, error);
    if (status == TOILE_STATUS_OK)
        run->written++;
    return status;
}

/* one step of the simulation: to a frame, or to a sample on the way there */
static ToileStatus advance_part(Run *run, int32_t frame, ToileStats *stats, ToileError *error) {
    int32_t samples = run->info.samples_per_frame, part = run->part + 1;
    double at = frame - 1.0 + (double)part / samples, begun_s = tl_now_s();
    ToileStatus status = toile_scene_aim(run->scene, run->sim, at, error);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_step(run->sim, error);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_get_stats(run->sim, stats, error);
    if (status == TOILE_STATUS_OK && part == samples)
        status = keep_frame(run, frame, error);
    else if (status == TOILE_STATUS_OK && run->written > 0)
        status = toile_cache_add(run->cache, run->sim, run->cloths, error);
    if (status != TOILE_STATUS_OK)
        return status;
    tell_intersections(run, frame, stats->intersections);
    count_step(run, stats, tl_now_s() - begun_s);
    run->part = part % samples;
    return status;
}

static ToileStatus advance(Run *run, int32_t frame, ToileStats *stats, ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t i = 0; i < run->info.samples_per_frame && status == TOILE_STATUS_OK; i++)
        status = advance_part(run, frame, stats, error);
    run->totals.steps += status == TOILE_STATUS_OK;
    return status;
}

/* a chunk that ends before the scene does brings the samples up to the next frame, so that the next
 * chunk can begin there */
static ToileStatus fill_up(Run *run, int32_t frame, ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    ToileStats stats = toile_stats_default();
    if (run->written < run->frame_count || frame >= run->info.frames[run->info.frame_count - 1])
        return status;
    for (int32_t i = 1; i < run->info.samples_per_frame && status == TOILE_STATUS_OK; i++)
        status = advance_part(run, frame + 1, &stats, error);
    return status;
}

/* the last frame written, or the stop, ends it; CANCELLED: the grace was over */
static ToileStatus simulate_frames(Run *run, ToileError *error) {
    int32_t frame = run->info.frames[0];
    tl_progress_begin(&run->progress, frame, run->frames[run->frame_count - 1]);
    ToileStatus status = keep_frame(run, frame, error);
    if (status == TOILE_STATUS_OK)
        tl_progress_frame(&run->progress, frame, 0.0, NULL);
    while (status == TOILE_STATUS_OK && run->written < run->frame_count && !notice_stop(run)) {
        ToileStats stats = toile_stats_default();
        double begun_s = tl_now_s();
        status = advance(run, ++frame, &stats, error);
        if (status != TOILE_STATUS_OK)
            return status;
        tl_progress_frame(&run->progress, frame, tl_now_s() - begun_s, &stats);
    }
    return status == TOILE_STATUS_OK ? fill_up(run, frame, error) : status;
}

static ToileStatus settle_once(Run *run, ToileSettleResult *result, ToileError *error) {
    int32_t first = run->info.frames[0];
    tl_progress_begin(&run->progress, first, first);
    run->progress.frame = first - 1;
    double begun_s = tl_now_s();
    ToileStats stats = toile_stats_default();
    ToileStatus status = toile_sim_settle(run->sim, NULL, result, error);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_get_stats(run->sim, &stats, error);
    if (status == TOILE_STATUS_OK)
        status = keep_frame(run, first, error);
    if (status != TOILE_STATUS_OK)
        return status;
    tell_intersections(run, first, stats.intersections);
    count_step(run, &stats, tl_now_s() - begun_s);
    run->totals.steps++;
    tl_progress_frame(&run->progress, first, run->totals.seconds, &stats);
    tl_progress_clear(&run->progress);
    if (!run->options.quiet && result->converged)
        tl_message("settled in %d iterations, residual %.3g of the load, largest force %.3g N.",
                   (int)result->iterations, result->residual, result->largest_force_N);
    return status;
}

/* ---- the end ---- */

static void print_rescues(const Totals *totals) {
    if (totals->rescues == 0)
        tl_message("%lld sub-steps without a rescue.", (long long)totals->substeps);
    else
        tl_message(
            "%lld sub-steps with %lld rescues: %lld added for stability, %lld shortened near "
            "colliders, %lld extra Newton iterations; repeated with half the step: %lld failed, "
            "%lld for strain, %lld not solved.",
            (long long)totals->substeps, (long long)totals->rescues, (long long)totals->added,
            (long long)totals->shortened, (long long)totals->extra,
            (long long)totals->retries_failed, (long long)totals->retries_strain,
            (long long)totals->retries_newton);
}

static void print_times(const Totals *totals) {
    double percent = totals->seconds > 0.0 ? 100.0 / totals->seconds : 0.0;
    double stages = totals->assembly_s + totals->linear_s + totals->search_s + totals->contact_s +
                    totals->broad_s + totals->narrow_s + totals->truncate_s;
    tl_message(
        "time: assembly %.0f %%, linear solves %.0f %%, line searches %.0f %%, colliders and "
        "pins %.0f %%, statistics, cache and the rest %.0f %%.",
        percent * totals->assembly_s, percent * totals->linear_s, percent * totals->search_s,
        percent * totals->contact_s, percent * (totals->seconds - stages));
}

static void print_contact(const Totals *totals) {
    double percent = totals->seconds > 0.0 ? 100.0 / totals->seconds : 0.0;
    tl_message("contact: %lld lists of up to %d pairs, %lld times a vertex was held back; finding "
               "pairs %.0f %%, distances %.0f %%, keeping apart %.0f %% of the time.",
               (long long)totals->lists, (int)totals->candidates, (long long)totals->held_back,
               percent * totals->broad_s, percent * totals->narrow_s, percent * totals->truncate_s);
    if (totals->pinched_max > 0)
        tl_message("contact: up to %d vertices were in colliders, or had no room between them.",
                   (int)totals->pinched_max);
    if (totals->blocked > 0)
        tl_message("contact: in %lld sub-steps colliders or pins had no room and went through "
                   "cloth.",
                   (long long)totals->blocked);
    if (totals->frames_tangled > 0)
        tl_message("contact: intersections in %d frame(s), %d at most, %d at the end.",
                   (int)totals->frames_tangled, (int)totals->intersections_max,
                   (int)totals->intersections);
}

static void print_summary(const Run *run) {
    const Totals *totals = &run->totals;
    if (run->options.quiet || totals->steps == 0)
        return;
    tl_message("%d frame(s) in %.2f s, %.1f ms a frame; %lld Newton and %lld linear iterations, "
               "%lld line search cuts.",
               (int)totals->steps, totals->seconds, 1000.0 * totals->seconds / totals->steps,
               (long long)totals->newton_iterations, (long long)totals->cg_iterations,
               (long long)totals->cuts);
    print_times(totals);
    if (totals->substeps > 0)
        print_rescues(totals);
    if (totals->lists > 0)
        print_contact(totals);
    tl_message(
        "at worst stretch p99 %.4f, largest %.4f, penetration %.3g m; %d vertices in contact "
        "at the end.",
        totals->stretch_p99, totals->stretch_max, totals->penetration_max_m, (int)totals->contacts);
}

static void print_result(const Run *run, const char *word) {
    /* without a frame there is no file */
    bool has_cache = run->written > 0;
    printf("RESULT %s%s%s frames=%d hash=%016llx\n", word, has_cache ? " cache=" : "",
           has_cache ? run->output : "", (int)run->written,
           (unsigned long long)toile_sim_state_hash(run->sim));
}

/* closes the cache with what is in it; a run that failed keeps its frames up to there */
static int close_cache(Run *run, ToileStatus status) {
    ToileError error = toile_error_default();
    ToileCache *cache = run->cache;
    run->cache = NULL;
    if (run->written == 0 || status == TOILE_STATUS_CANNOT_CREATE ||
        status == TOILE_STATUS_IO_ERROR) {
        toile_cache_abandon(cache);
        return TL_EXIT_OK;
    }
    ToileStatus finished = toile_cache_finish(cache, &error);
    return finished == TOILE_STATUS_OK ? TL_EXIT_OK : fail(run, finished, &error);
}

static int draw_preview(Run *run) {
    TlPreview preview = tl_preview_default();
    preview.archive = run->output;
    preview.output = preview_of(run);
    preview.scene = run->scene;
    if (!preview.output)
        return TL_EXIT_OK;
    if (!tl_has_ending(run->output, ".abc")) {
        tl_message("warning: no preview is drawn, because the output is not an .abc cache.");
        return TL_EXIT_OK;
    }
    int code = tl_preview_write(&preview);
    if (code == TL_EXIT_OK && !run->options.quiet)
        tl_message("preview %s.", preview.output);
    return code;
}

static int end_stopped(Run *run) {
    tl_progress_end(&run->progress);
    tl_message("stopped with %d of %d frames written.", (int)run->written, (int)run->frame_count);
    tl_progress_fail(&run->progress, run->options.interrupted_exit, "stopped on request");
    print_summary(run);
    print_result(run, "stopped");
    return run->options.interrupted_exit;
}

static int end_early(int code) {
    printf("RESULT failed code=%d\n", code);
    return code;
}

static int end_failed(Run *run, ToileStatus status, const ToileError *error) {
    int code = fail(run, status, error);
    if (run->written > 0 && code == TL_EXIT_SOFTWARE)
        tl_message("the cache holds the %d frame(s) before that.", (int)run->written);
    return end_early(code);
}

static int end_complete(Run *run, const ToileSettleResult *settled) {
    tl_progress_end(&run->progress);
    int code = draw_preview(run);
    print_summary(run);
    if (run->info.settle && !settled->converged) {
        ToileError error = toile_error_default();
        snprintf(
            error.message, sizeof error.message,
            "the cloth did not settle: after %d iterations %.3g of the load is left; the state "
            "reached was written.",
            (int)settled->iterations, settled->residual);
        code = fail(run, TOILE_STATUS_DIVERGED, &error);
    }
    print_result(run, code == TL_EXIT_OK ? "ok" : "incomplete");
    return code;
}

static int simulate(Run *run) {
    ToileError error = toile_error_default();
    ToileSettleResult settled = toile_settle_result_default();
    int code = prepare(run);
    if (code != TL_EXIT_OK)
        return end_early(code);
    ToileStatus status =
        run->info.settle ? settle_once(run, &settled, &error) : simulate_frames(run, &error);
    code = close_cache(run, status);
    if (code != TL_EXIT_OK)
        return end_early(code);
    bool cancelled = status == TOILE_STATUS_CANCELLED;
    if (cancelled || (status == TOILE_STATUS_OK && run->written < run->frame_count))
        return end_stopped(run);
    return status == TOILE_STATUS_OK ? end_complete(run, &settled)
                                     : end_failed(run, status, &error);
}

static int run_simulate(int argc, char **argv) {
    Run run = {0};
    run.options.sets = calloc((size_t)argc, sizeof *run.options.sets);
    if (!run.options.sets)
        return out_of_memory(&run);
    int code = tl_simulate_parse(&run.options, argc, argv);
    if (code == TL_EXIT_OK && run.options.scene) {
        const TlSimulateOptions *options = &run.options;
        unsigned fitting = options->quiet ? 0 : tl_progress_fitting();
        run.progress.dialects = options->dialects ? options->dialects : fitting;
        tl_catch_signals();
        code = simulate(&run);
    }
    toile_cache_abandon(run.cache);
    toile_sim_destroy(run.sim);
    toile_scene_free(run.scene);
    free(run.cloths);
    free(run.frames);
    free(run.wedge_cache);
    free(run.wedge_preview);
    free(run.options.sets);
    return code;
}

const TlCommand tl_command_simulate = {"simulate", "runs a scene and writes a cache of its frames",
                                       tl_simulate_help, false, run_simulate};
