/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile verify --intersections`: looks through every frame of a cache for faces that pass through
 * one another, and with a scene through its colliders. It goes by what is stored alone, in exact
 * arithmetic, and shares nothing with the contact code of the solver. */
#include "cli.h"
#include "verify_archive.h"
#include "verify_frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <toile_io/frames.h>

#define DEFAULT_FPS 24.0
/* Pairs of faces that are listed of a frame. */
#define PAIRS_SHOWN 10
/* A time this near to a frame is that frame. */
#define SAME_FRAME 1e-3

static const char help[] =
    "usage: toile verify --intersections FILE.abc [options]\n\n"
    "Checks every frame of a cache for cloth that passes through itself, through other cloth and,\n"
    "with a scene, through colliders. Positions are rounded to 2^-27 m; the test of every edge\n"
    "against every triangle is exact from there on, and touching counts. Quads are cut through\n"
    "their lowest-numbered vertex. Spheres, boxes, capsules and planes are solid: cloth may enter\n"
    "them by 1e-6 m, or by twice the spacing of stored numbers where that is more.\n\n"
    "Prints a line for each frame that is not clean, with the number of intersections (edges that\n"
    "meet a triangle, triangles that enter a solid) and the pairs of faces, counted from 0. Exits\n"
    "with 0 when all frames are clean and with 1 when one is not.\n\n"
    "  --scene SCENE       also checks against the colliders of this scene, where they are at\n"
    "                      each frame\n"
    "  --wedge W           the colliders of this wedge of the scene, counted from 0\n"
    "  --set KEY=VALUE     replaces a value of the scene first; repeatable\n"
    "  --frames R          only these frames, such as 1-48x4\n"
    "  --all               lists all pairs of faces, not only the first 10 of a frame\n"
    "  --json              as JSON\n";

enum { OPTION_INTERSECTIONS = 256, OPTION_SCENE, OPTION_FRAMES, OPTION_ALL };

static const struct option option_table[] = {
    {"intersections", no_argument, NULL, OPTION_INTERSECTIONS},
    {"scene", required_argument, NULL, OPTION_SCENE},
    {"wedge", required_argument, NULL, 'w'},
    {"set", required_argument, NULL, 's'},
    {"frames", required_argument, NULL, OPTION_FRAMES},
    {"all", no_argument, NULL, OPTION_ALL},
    {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

typedef struct Verify {
    const char *path;
    const char *scene_path; /* NULL: no colliders */
    const char **sets;
    int32_t set_count;
    int32_t wedge;
    const char *range; /* NULL: all frames */
    bool intersections, all, json;
    ToileScene *scene;
    double scene_fps;
    TlArchive archive;
    TlVerifyFrame frame;
    TlCrossings crossings;
    double *times_s; /* to be checked */
    int32_t time_count;
    int64_t total;      /* intersections of all frames */
    int32_t bad_frames; /* that have any */
} Verify;

static int out_of_memory(void) {
    tl_message("there is not enough memory.");
    return TL_EXIT_FAILURE;
}

/* the frame at a time; those of whole numbers are exact */
static double frame_at(double seconds, double fps) {
    double frame = seconds * fps, whole = floor(frame + 0.5);
    return fabs(frame - whole) < SAME_FRAME ? whole : frame;
}

/* ---- times ---- */

static int frame_missing(const Verify *verify, int32_t frame) {
    const TlArchive *archive = &verify->archive;
    tl_message("--frames asks for frame %d, of which %s holds no sample; it holds %d, from frame "
               "%g to %g.",
               (int)frame, verify->path, (int)archive->time_count,
               frame_at(archive->times_s[0], archive->fps),
               frame_at(archive->times_s[archive->time_count - 1], archive->fps));
    return TL_EXIT_USAGE;
}

/* the sample of a frame; where nothing moves, any time will do */
static int find_time(Verify *verify, int32_t frame) {
    const TlArchive *archive = &verify->archive;
    double wanted = frame / archive->fps;
    bool found = archive->still;
    for (int32_t i = 0; i < archive->time_count && !found; i++)
        if (fabs(archive->times_s[i] - wanted) * archive->fps < SAME_FRAME) {
            wanted = archive->times_s[i];
            found = true;
        }
    verify->times_s[verify->time_count++] = wanted;
    return found ? TL_EXIT_OK : frame_missing(verify, frame);
}

static int parse_range(Verify *verify) {
    ToileError error = toile_error_default();
    int32_t count = 0;
    int32_t *frames = NULL;
    ToileStatus status = toile_frames_parse(verify->range, false, NULL, 0, &count, &error);
    if (status == TOILE_STATUS_OK) {
        frames = calloc((size_t)count + 1, sizeof *frames);
        verify->times_s = calloc((size_t)count + 1, sizeof *verify->times_s);
        if (!frames || !verify->times_s) {
            free(frames);
            return out_of_memory();
        }
        status = toile_frames_parse(verify->range, false, frames, count, &count, &error);
    }
    int code = status == TOILE_STATUS_OK ? TL_EXIT_OK : tl_report_failure(status, &error);
    for (int32_t i = 0; i < count && code == TL_EXIT_OK; i++)
        code = find_time(verify, frames[i]);
    free(frames);
    return code;
}

static int choose_times(Verify *verify) {
    const TlArchive *archive = &verify->archive;
    if (verify->range)
        return parse_range(verify);
    verify->times_s = calloc((size_t)archive->time_count, sizeof *verify->times_s);
    if (!verify->times_s)
        return out_of_memory();
    verify->time_count = archive->time_count;
    memcpy(verify->times_s, archive->times_s,
           (size_t)archive->time_count * sizeof *verify->times_s);
    return TL_EXIT_OK;
}

/* ---- printing ---- */

static const char *plural(int64_t count) {
    return count == 1 ? "" : "s";
}

static int32_t shown_count(const Verify *verify) {
    int32_t count = verify->crossings.pair_count;
    return verify->all || count < PAIRS_SHOWN ? count : PAIRS_SHOWN;
}

/* frame 17: 12 intersections: skirt 4 / skirt 90, skirt 7 / ball */
static void print_frame(const Verify *verify, double frame) {
    const TlCrossings *crossings = &verify->crossings;
    int32_t shown = shown_count(verify);
    printf("frame %.6g: %lld intersection%s:", frame, (long long)crossings->count,
           plural(crossings->count));
    for (int32_t i = 0; i < shown; i++) {
        const TlCrossing *pair = &crossings->pairs[i];
        printf("%s%s %d / %s", i ? ", " : " ", tl_verify_frame_name(&verify->frame, pair->body),
               (int)pair->face, tl_verify_frame_name(&verify->frame, pair->other));
        if (pair->other_face >= 0)
            printf(" %d", (int)pair->other_face);
    }
    if (crossings->pair_count > shown)
        printf(", and %d more pairs", (int)(crossings->pair_count - shown));
    fputc('\n', stdout);
}

static void json_name(const char *before, const char *name, const char *value) {
    printf("%s\"%s\": ", before, name);
    tl_json_string(stdout, value);
}

static void json_frame(const Verify *verify, double frame) {
    const TlCrossings *crossings = &verify->crossings;
    int32_t shown = shown_count(verify);
    printf("%s{\"frame\": ", verify->bad_frames > 1 ? ",\n  " : "\n  ");
    tl_json_number(stdout, frame);
    printf(", \"intersections\": %lld, \"pair_count\": %d, \"pairs\": [",
           (long long)crossings->count, (int)crossings->pair_count);
    for (int32_t i = 0; i < shown; i++) {
        const TlCrossing *pair = &crossings->pairs[i];
        json_name(i ? ", {" : "{", "cloth", tl_verify_frame_name(&verify->frame, pair->body));
        printf(", \"face\": %d", (int)pair->face);
        json_name(", ", "other", tl_verify_frame_name(&verify->frame, pair->other));
        if (pair->other_face >= 0)
            printf(", \"other_face\": %d}", (int)pair->other_face);
        else
            fputs(", \"other_face\": null}", stdout);
    }
    fputs("]}", stdout);
}

static void json_start(const Verify *verify) {
    json_name("{", "file", verify->path);
    fputs(", \"scene\": ", stdout);
    if (verify->scene_path)
        tl_json_string(stdout, verify->scene_path);
    else
        fputs("null", stdout);
    fputs(", \"grid_m\": ", stdout);
    tl_json_number(stdout, TL_CROSSINGS_GRID_M);
    fputs(",\n\"frames\": [", stdout);
}

static void print_sum(const Verify *verify) {
    int count = (int)verify->time_count, bad = (int)verify->bad_frames;
    long long total = (long long)verify->total;
    if (verify->json)
        printf("],\n\"intersections\": %lld, \"bad_frames\": %d, \"frame_count\": %d}\n", total,
               bad, count);
    else if (bad > 0)
        printf("%lld intersection%s in %d of %d frame%s\n", total, plural(total), bad, count,
               plural(count));
    else
        printf("0 intersections in %d frame%s\n", count, plural(count));
}

/* ---- checking ---- */

static int check_time(Verify *verify, double seconds) {
    ToileError error = toile_error_default();
    double at = frame_at(seconds, verify->archive.fps);
    int code = tl_archive_read(&verify->archive, seconds, verify->frame.bodies);
    if (code != TL_EXIT_OK)
        return code;
    ToileStatus status =
        tl_verify_frame_pose(&verify->frame, frame_at(seconds, verify->scene_fps), &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    TlCrossScene scene = tl_verify_frame_scene(&verify->frame, true);
    status = tl_crossings_find(&verify->crossings, &scene, &error);
    if (status != TOILE_STATUS_OK) {
        tl_message("%s: frame %.6g: %s.", verify->path, at, error.message);
        return tl_exit_code(status);
    }
    if (verify->crossings.count == 0)
        return TL_EXIT_OK;
    verify->total += verify->crossings.count;
    verify->bad_frames++;
    if (verify->json)
        json_frame(verify, at);
    else
        print_frame(verify, at);
    return TL_EXIT_OK;
}

static int check_all(Verify *verify) {
    int code = choose_times(verify);
    if (code != TL_EXIT_OK)
        return code;
    if (verify->json)
        json_start(verify);
    for (int32_t i = 0; i < verify->time_count; i++) {
        code = check_time(verify, verify->times_s[i]);
        if (code != TL_EXIT_OK)
            return code;
    }
    print_sum(verify);
    return verify->bad_frames ? TL_EXIT_FAILURE : TL_EXIT_OK;
}

static int load_scene(Verify *verify, TlArchiveWorld *world) {
    TlFindings findings = {0};
    ToileError error = toile_error_default();
    ToileSceneInfo info = {0};
    info.struct_size = (uint32_t)sizeof info;
    if (!verify->scene_path)
        return TL_EXIT_OK;
    verify->scene = tl_load_scene(verify->scene_path, verify->sets, verify->set_count,
                                  verify->wedge, &findings);
    if (!verify->scene)
        return findings.first_exit;
    ToileStatus status = toile_scene_get_info(verify->scene, &info, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    *world = (TlArchiveWorld){info.fps, info.unit_m, info.up == TOILE_UP_Z};
    return TL_EXIT_OK;
}

static int open_and_check(Verify *verify) {
    TlArchiveWorld world = {DEFAULT_FPS, 1.0, false};
    ToileError error = toile_error_default();
    int code = load_scene(verify, &world);
    if (code == TL_EXIT_OK)
        code = tl_archive_open(&verify->archive, verify->path, &world);
    if (code != TL_EXIT_OK)
        return code;
    verify->scene_fps = verify->scene ? world.fps : verify->archive.fps;
    ToileStatus status =
        tl_verify_frame_open(&verify->frame, verify->archive.mesh_count, verify->scene, &error);
    return status == TOILE_STATUS_OK ? check_all(verify) : tl_report_failure(status, &error);
}

static void close_all(Verify *verify) {
    free(verify->times_s);
    tl_crossings_free(&verify->crossings);
    tl_verify_frame_close(&verify->frame);
    tl_archive_close(&verify->archive);
    toile_scene_free(verify->scene);
}

/* ---- the command ---- */

static int take_set(Verify *verify, const char *text) {
    if (!strchr(text, '=') || text[0] == '=')
        return tl_usage(&tl_command_verify, "--set takes KEY=VALUE, not '%s'", text);
    verify->sets[verify->set_count++] = text;
    return TL_EXIT_OK;
}

/* answers an exit code, with a sentence when it is not 0 */
static int take_option(Verify *verify, int letter) {
    switch (letter) {
    case OPTION_INTERSECTIONS:
        verify->intersections = true;
        return TL_EXIT_OK;
    case OPTION_SCENE:
        verify->scene_path = optarg;
        return TL_EXIT_OK;
    case OPTION_FRAMES:
        verify->range = optarg;
        return TL_EXIT_OK;
    case OPTION_ALL:
        verify->all = true;
        return TL_EXIT_OK;
    case 'j':
        verify->json = true;
        return TL_EXIT_OK;
    case 'w':
        return tl_parse_wedge(&tl_command_verify, optarg, &verify->wedge);
    default:
        return take_set(verify, optarg);
    }
}

static int check_usage(const Verify *verify, int argc, char **argv) {
    const TlCommand *command = &tl_command_verify;
    if (optind == argc)
        return tl_usage(command, "verify needs an archive");
    if (optind + 1 < argc)
        return tl_usage(command, "verify takes one archive, but '%s' follows '%s'",
                        argv[optind + 1], argv[optind]);
    if (!verify->intersections)
        return tl_usage(command, "verify needs to know what to look for: --intersections");
    if (!verify->scene_path && (verify->set_count > 0 || verify->wedge != TL_NO_WEDGE))
        return tl_usage(command, "--set and --wedge are about a scene, which --scene names");
    return TL_EXIT_OK;
}

static int parse(Verify *verify, int argc, char **argv) {
    const TlCommand *command = &tl_command_verify;
    int letter, code = TL_EXIT_OK;
    while ((letter = tl_next_option(command, argc, argv, ":h", option_table)) != TL_OPTION_END) {
        if (letter == TL_OPTION_HELP)
            return TL_EXIT_OK;
        if (letter == TL_OPTION_BAD)
            return TL_EXIT_USAGE;
        code = take_option(verify, letter);
        if (code != TL_EXIT_OK)
            return code;
    }
    code = check_usage(verify, argc, argv);
    if (code != TL_EXIT_OK)
        return code;
    verify->path = argv[optind];
    return open_and_check(verify);
}

static int run_verify(int argc, char **argv) {
    Verify verify = {.wedge = TL_NO_WEDGE};
    verify.sets = calloc((size_t)argc, sizeof *verify.sets);
    if (!verify.sets)
        return out_of_memory();
    int code = parse(&verify, argc, argv);
    close_all(&verify);
    free(verify.sets);
    return code;
}

const TlCommand tl_command_verify = {"verify", "looks for cloth that passes through things", help,
                                     true, run_verify};
