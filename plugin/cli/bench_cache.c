/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile bench cache`: what caches cost. Files go to the current folder and are removed.
 *
 * write: an archive of 100 489 vertices with positions and velocities, forced to disk, against the
 * same bytes written in one stream and forced to disk; the two take turns in going first.
 * read: a collider of as many vertices that moves, read from an archive for each frame, against the
 * simulation of that frame, a sheet of 40 x 40 quads that lies on it; one thread.
 * memory: the peak of the process after writing 24 frames, and after writing 240. */
#include "bench.h"

#include "bench_meshes.h"
#include "cli.h"
#include "platform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <toile_io/cache.h>
#include <toile_io/obj.h>

enum { WIDE = 316, NARROW = 40, SMALL = 10 };

enum { CACHE, PLAIN, WAYS };

typedef struct Clip {
    TlBenchMesh mesh;
    float *P, *v; /* 3 * vertex_count */
    int32_t frames;
} Clip;

/* ---- writing ---- */

static bool make_clip(Clip *clip, int32_t cells, int32_t frames) {
    *clip = (Clip){.frames = frames};
    if (!tl_bench_sheet(&clip->mesh, cells, false))
        return false;
    size_t count = 3 * (size_t)clip->mesh.vertex_count;
    clip->P = calloc(count, sizeof *clip->P);
    clip->v = calloc(count, sizeof *clip->v);
    for (size_t i = 0; clip->P && clip->v && i < count; i++) {
        clip->P[i] = (float)clip->mesh.positions_m[i];
        clip->v[i] = (float)(0.001 * (double)i);
    }
    return clip->P && clip->v;
}

static void free_clip(Clip *clip) {
    tl_bench_mesh_free(&clip->mesh);
    free(clip->P);
    free(clip->v);
}

/* no two frames are equal: an archive would store them once */
static void move_clip(Clip *clip, int32_t frame) {
    clip->P[1] = 0.01F * (float)frame;
    clip->v[1] = -0.01F * (float)frame;
}

static ToileStatus write_frames(Clip *clip, ToileCache *cache, int32_t frames, ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t f = 0; f < frames && status == TOILE_STATUS_OK; f++) {
        const float *P = clip->P, *v = clip->v;
        move_clip(clip, f);
        status = toile_cache_add_arrays(cache, &P, &v, NULL, error);
    }
    return status;
}

static ToileStatus write_cache(Clip *clip, const char *path, int32_t frames, ToileError *error) {
    ToileCacheDef def = toile_cache_def_default();
    ToileCacheObject object = toile_cache_object_default();
    ToileMeshDef mesh = tl_bench_mesh_def(&clip->mesh);
    ToileCache *cache = NULL;
    int32_t *list = calloc((size_t)frames, sizeof *list);
    if (!list)
        return TOILE_STATUS_OUT_OF_MEMORY;
    for (int32_t f = 0; f < frames; f++)
        list[f] = f + 1;
    def.frames = list;
    def.frame_count = frames;
    object.mesh = &mesh;
    ToileStatus status = toile_cache_open(path, &def, &cache, error);
    if (status == TOILE_STATUS_OK)
        status = toile_cache_add_object(cache, &object, error);
    if (status == TOILE_STATUS_OK)
        status = write_frames(clip, cache, frames, error);
    if (status == TOILE_STATUS_OK)
        status = toile_cache_finish(cache, error);
    else
        toile_cache_abandon(cache);
    free(list);
    return status;
}

/* the bytes of the frames alone, which are nearly all of the archive's */
static ToileStatus write_plain(Clip *clip, const char *path, ToileError *error) {
    size_t size = 3 * (size_t)clip->mesh.vertex_count * sizeof *clip->P;
    FILE *file = fopen(path, "wb");
    /* without a buffer each call is a write of the system */
    bool fine = file && setvbuf(file, NULL, _IONBF, 0) == 0;
    for (int32_t f = 0; f < clip->frames && fine; f++) {
        move_clip(clip, f);
        fine = fwrite(clip->P, 1, size, file) == size && fwrite(clip->v, 1, size, file) == size;
    }
    fine = fine && tl_force_to_disk(file);
    if (file)
        fine = fclose(file) == 0 && fine;
    if (fine)
        return TOILE_STATUS_OK;
    snprintf(error->message, sizeof error->message, "%s: the file cannot be written", path);
    return TOILE_STATUS_IO_ERROR;
}

static ToileStatus run_write(void *context, int32_t way, double *seconds, ToileError *error) {
    static const char *const paths[WAYS] = {"toile-bench-cache.abc", "toile-bench-cache.bin"};
    Clip *clip = context;
    double begun_s = tl_now_s();
    ToileStatus status = way == CACHE ? write_cache(clip, paths[way], clip->frames, error)
                                      : write_plain(clip, paths[way], error);
    *seconds = tl_now_s() - begun_s;
    remove(paths[way]);
    return status;
}

static double megabytes(const Clip *clip) {
    return 2.0 * 12.0 * clip->mesh.vertex_count * clip->frames / 1e6;
}

static int bench_write(const TlBenchOptions *options) {
    ToileError error = toile_error_default();
    Clip clip;
    TlRounds rounds = {0};
    bool room = make_clip(&clip, options->small ? SMALL : WIDE, options->frames) &&
                tl_rounds_alloc(&rounds, options->pairs, WAYS);
    ToileStatus status =
        room ? tl_rounds_run(&rounds, run_write, &clip, &error) : TOILE_STATUS_OUT_OF_MEMORY;
    if (status == TOILE_STATUS_OK) {
        /* speeds are as the times of the other way */
        TlQuartiles ratio = tl_rounds_ratio(&rounds, PLAIN, CACHE);
        double cache = megabytes(&clip) / tl_rounds_seconds(&rounds, CACHE).median;
        double plain = megabytes(&clip) / tl_rounds_seconds(&rounds, PLAIN).median;
        if (options->json) {
            printf(",\n \"write\": {\"vertices\": %d, \"frames\": %d, \"pairs\": %d",
                   (int)clip.mesh.vertex_count, (int)clip.frames, (int)rounds.count);
            tl_json_quartiles("speed_over_plain", ratio);
            tl_json_field("cache_MB_per_s", cache);
            tl_json_field("plain_MB_per_s", plain);
            fputs("}", stdout);
        } else {
            printf("  write: %d vertices, %d frame(s), %.0f MB: archive %.0f MB/s, write and fsync "
                   "%.0f MB/s\n    archive / plain speed: median (quartiles) %.3f (%.3f to %.3f)\n",
                   (int)clip.mesh.vertex_count, (int)clip.frames, megabytes(&clip), cache, plain,
                   ratio.median, ratio.q1, ratio.q3);
        }
    }
    tl_rounds_free(&rounds);
    free_clip(&clip);
    return tl_bench_code(status, &error);
}

/* ---- reading ---- */

static const char sheet_path[] = "toile-bench-sheet.obj", ground_path[] = "toile-bench-ground.abc",
                  scene_path[] = "toile-bench-cache.json";

/* a sheet of cloth above a wavy ground, as files */
static ToileStatus write_scene(int32_t cells, int32_t ground_cells, int32_t frames,
                               ToileError *error) {
    TlBenchMesh sheet = {0};
    Clip ground = {0};
    FILE *file = NULL;
    ToileStatus status = TOILE_STATUS_OUT_OF_MEMORY;
    if (tl_bench_sheet(&sheet, cells, false) && make_clip(&ground, ground_cells, frames)) {
        ToileMeshDef mesh = tl_bench_mesh_def(&sheet);
        for (int32_t i = 0; i < sheet.vertex_count; i++)
            sheet.positions_m[3 * i + 1] = 0.03;
        for (int32_t i = 0; i < ground.mesh.vertex_count; i++)
            ground.P[3 * i + 1] = (float)(0.02 * sin(12.0 * (double)ground.P[3 * i]));
        status = toile_obj_write(sheet_path, &mesh, NULL, 1.0, error);
        if (status == TOILE_STATUS_OK)
            status = write_cache(&ground, ground_path, frames, error);
        file = status == TOILE_STATUS_OK ? fopen(scene_path, "w") : NULL;
    }
    if (file) {
        fprintf(file,
                "{\"toile\": 1, \"frames\": \"1-%d\", \"cloth\": [{\"name\": \"sheet\", \"mesh\": "
                "\"%s\", \"pattern\": \"none\", \"fabric\": \"cotton-poplin\"}], \"colliders\": "
                "[{\"name\": \"ground\", \"mesh\": \"%s\"}]}\n",
                (int)frames, sheet_path, ground_path);
        fclose(file);
    }
    tl_bench_mesh_free(&sheet);
    free_clip(&ground);
    return status;
}

/* seconds of reading and of the step for each frame but the first, `parts` their quotient */
static ToileStatus run_frames(const ToileScene *scene, int32_t frames, double *parts,
                              double *read_s, double *step_s, ToileError *error) {
    ToileSimDef def = toile_sim_def_default();
    ToileSim *sim = NULL;
    ToileStatus status = toile_scene_sim_def(scene, &def, error);
    def.threads = 1;
    if (status == TOILE_STATUS_OK)
        status = toile_scene_create_sim(scene, &def, &sim, NULL, error);
    for (int32_t f = 2; f <= frames && status == TOILE_STATUS_OK; f++) {
        double begun_s = tl_now_s();
        status = toile_scene_aim(scene, sim, f, error);
        double aimed_s = tl_now_s();
        if (status == TOILE_STATUS_OK)
            status = toile_sim_step(sim, error);
        double done_s = tl_now_s();
        *read_s += aimed_s - begun_s;
        *step_s += done_s - aimed_s;
        parts[f - 2] = (aimed_s - begun_s) / (done_s - begun_s);
    }
    toile_sim_destroy(sim);
    return status;
}

static void print_read(const TlBenchOptions *options, int32_t vertices, int32_t count,
                       TlQuartiles part, double read_s, double step_s) {
    double read_ms = 1000.0 * read_s / count, step_ms = 1000.0 * step_s / count;
    if (options->json) {
        printf(",\n \"read\": {\"vertices\": %d, \"frames\": %d", (int)vertices, (int)count);
        tl_json_quartiles("part_of_a_frame", part);
        tl_json_field("read_ms", read_ms);
        tl_json_field("step_ms", step_ms);
        fputs("}", stdout);
    } else {
        printf("  read: a collider of %d vertices %.2f ms, the step with it %.1f ms a frame, 1 "
               "thread\n    reading / frame: median (quartiles) of %d frame(s) %.4f (%.4f to "
               "%.4f)\n",
               (int)vertices, read_ms, step_ms, (int)count, part.median, part.q1, part.q3);
    }
}

static int bench_read(const TlBenchOptions *options) {
    ToileError error = toile_error_default();
    int32_t frames = options->frames > 24 ? options->frames / 8 : 3,
            cells = options->small ? SMALL : WIDE;
    double *parts = calloc((size_t)frames, sizeof *parts), read_s = 0.0, step_s = 0.0;
    ToileScene *scene = NULL;
    ToileStatus status = parts ? write_scene(options->small ? SMALL : NARROW, cells, frames, &error)
                               : TOILE_STATUS_OUT_OF_MEMORY;
    if (status == TOILE_STATUS_OK)
        status = toile_scene_load(scene_path, NULL, 0, NULL, NULL, &scene, &error);
    if (status == TOILE_STATUS_OK)
        status = run_frames(scene, frames, parts, &read_s, &step_s, &error);
    if (status == TOILE_STATUS_OK)
        print_read(options, (cells + 1) * (cells + 1), frames - 1, tl_quartiles(parts, frames - 1),
                   read_s, step_s);
    toile_scene_free(scene);
    free(parts);
    remove(sheet_path);
    remove(ground_path);
    remove(scene_path);
    return tl_bench_code(status, &error);
}

/* ---- memory ---- */

static int bench_memory(const TlBenchOptions *options) {
    static const char path[] = "toile-bench-memory.abc";
    static const int32_t frames[2] = {24, 240};
    ToileError error = toile_error_default();
    Clip clip;
    double peak_MB[2] = {0.0, 0.0};
    ToileStatus status = make_clip(&clip, options->small ? SMALL : WIDE, 0)
                             ? TOILE_STATUS_OK
                             : TOILE_STATUS_OUT_OF_MEMORY;
    /* the peak never falls, so the shorter clip comes first */
    for (int32_t i = 0; i < 2 && status == TOILE_STATUS_OK; i++) {
        status = write_cache(&clip, path, frames[i], &error);
        peak_MB[i] = tl_peak_memory_bytes() / 1e6;
        remove(path);
    }
    if (status == TOILE_STATUS_OK && options->json) {
        fputs(",\n \"memory\": {\"frames\": [24, 240]", stdout);
        tl_json_field("peak_MB", peak_MB[0]);
        tl_json_field("peak_MB_ten_times_longer", peak_MB[1]);
        fputs("}", stdout);
    } else if (status == TOILE_STATUS_OK) {
        printf("  memory: peak of the process %.1f MB after %d frames, %.1f MB after %d\n",
               peak_MB[0], (int)frames[0], peak_MB[1], (int)frames[1]);
    }
    free_clip(&clip);
    return tl_bench_code(status, &error);
}

/* ---- all of it ---- */

/* memory comes first: the other parts leave higher peaks */
static const struct {
    const char *name;
    int (*run)(const TlBenchOptions *options);
} parts[] = {{"memory", bench_memory}, {"write", bench_write}, {"read", bench_read}};

static int run_cache(const TlBenchOptions *options) {
    int code = TL_EXIT_OK;
    bool found = false;
    fputs(options->json ? "{\"bench\": \"cache\"" : "cache: files in the current folder\n", stdout);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && code == TL_EXIT_OK; i++) {
        if (options->part && strcmp(options->part, parts[i].name) != 0)
            continue;
        found = true;
        code = parts[i].run(options);
    }
    fputs(options->json ? "}\n" : "", stdout);
    if (!found)
        return tl_usage(&tl_command_bench, "cache has the parts memory, write and read, not '%s'",
                        options->part);
    return code;
}

const TlBench tl_bench_cache = {"cache", "archives against plain files", run_cache};
