/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile preview`: shaded pictures of caches without display or GPU. Reads the frames from the
 * archive one by one, takes colliders from a scene if there is one, fits one camera to all frames,
 * and draws a contact sheet or one picture a frame. Several archives share a sheet and a camera,
 * with one frame of each. */
#include "cli.h"
#include "png.h"
#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <toile_io/frames.h>

/* Pictures of a sheet when no frames are named. */
#define FRAMES_SHOWN 12
/* Bytes of a label, which is cut there; no picture is wide enough for more. */
#define LABEL_SIZE 256

static const char help[] =
    "usage: toile preview FILE.abc [FILE.abc ...] [options]\n\n"
    "Draws the meshes of an archive as a contact sheet, without display or GPU. Several archives\n"
    "stand side by side, seen by one camera: the last frame of each, under its name. Point caches\n"
    "(.pc2, .mdd) are drawn too, with the faces of the cloth in --scene.\n\n"
    "  -o, --output FILE.png   default: the archive's name with .png; several archives need it\n"
    "  --frames R              frames to show, such as 1-48x4; default: up to 12, evenly chosen;\n"
    "                          with several archives the one frame to show\n"
    "  --labels TEXT,TEXT,...  what stands below each picture\n"
    "  --size WxH              pixels of one picture; default 480x360\n"
    "  --scene SCENE           draws the colliders of this scene as well; needed by point caches\n"
    "  --azimuth DEG           turns the camera around the vertical; default 32\n"
    "  --elevation DEG         height of the camera, -85 to 85; default 22\n"
    "  --zoom RATIO            enlarges the middle of each picture, 0.1 to 100; default 1\n"
    "  --single                one PNG a frame (name.0001.png) instead of a sheet\n";

enum {
    OPTION_FRAMES = 256,
    OPTION_LABELS,
    OPTION_SIZE,
    OPTION_SCENE,
    OPTION_AZIMUTH,
    OPTION_ELEVATION,
    OPTION_ZOOM,
    OPTION_SINGLE
};

static const struct option option_table[] = {
    {"output", required_argument, NULL, 'o'},
    {"frames", required_argument, NULL, OPTION_FRAMES},
    {"labels", required_argument, NULL, OPTION_LABELS},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"scene", required_argument, NULL, OPTION_SCENE},
    {"azimuth", required_argument, NULL, OPTION_AZIMUTH},
    {"elevation", required_argument, NULL, OPTION_ELEVATION},
    {"zoom", required_argument, NULL, OPTION_ZOOM},
    {"single", no_argument, NULL, OPTION_SINGLE},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* One archive being drawn. */
typedef struct Work {
    const TlPreview *preview;
    const char *archive;
    TlStage stage;
    int32_t *frames; /* to be shown */
    int32_t frame_count;
} Work;

/* All that one command draws. */
typedef struct Album {
    const TlPreview *preview;    /* its archive is not read */
    const char *const *archives; /* 1 or more */
    int32_t archive_count;
    const char *labels; /* texts between commas; NULL: frames, or names of the archives */
    double zoom;        /* ratio, 1 shows everything */
    Work *works;        /* archive_count */
} Album;

static int out_of_memory(void) {
    tl_message("there is not enough memory.");
    return TL_EXIT_FAILURE;
}

/* ---- frames and view ---- */

static int sample_frame(Work *work, const TlActor *actor, uint32_t sample, double *frame) {
    double seconds = 0.0;
    int code = tl_stage_sample_time(&work->stage, actor, sample, &seconds);
    if (code != TL_EXIT_OK)
        return code;
    *frame = floor(seconds * work->stage.fps + 0.5);
    if (fabs(*frame) <= 1e9)
        return TL_EXIT_OK;
    tl_message("%s: sample %u is at %g s, which is no frame.", work->archive, (unsigned)sample,
               seconds);
    return TL_EXIT_DATA;
}

/* refuses frames that no moving mesh has; where nothing moves, any frame shows the same */
static int check_frames(Work *work) {
    double first = HUGE_VAL, last = -HUGE_VAL;
    for (int32_t i = 0; i < work->stage.actor_count; i++) {
        const TlActor *actor = &work->stage.actors[i];
        double begin = 0.0, end = 0.0;
        if (actor->samples < 2)
            continue;
        int code = sample_frame(work, actor, 0, &begin);
        if (code == TL_EXIT_OK)
            code = sample_frame(work, actor, actor->samples - 1, &end);
        if (code != TL_EXIT_OK)
            return code;
        first = begin < first ? begin : first;
        last = end > last ? end : last;
    }
    for (int32_t i = 0; i < work->frame_count && first <= last; i++)
        if (work->frames[i] < first || work->frames[i] > last) {
            tl_message("--frames asks for frame %d, but %s holds frames %.0f to %.0f.",
                       (int)work->frames[i], work->archive, first, last);
            return TL_EXIT_USAGE;
        }
    return TL_EXIT_OK;
}

/* the range given, or for one of several archives its single frame */
static int parse_frames(Work *work, bool several) {
    ToileError error = toile_error_default();
    const char *text = work->preview->frames;
    ToileStatus status = toile_frames_parse(text, false, NULL, 0, &work->frame_count, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    if (several && work->frame_count != 1)
        return tl_usage(&tl_command_preview,
                        "with several archives --frames takes the one frame to show of each, "
                        "not '%s'",
                        text);
    work->frames = calloc((size_t)work->frame_count + 1, sizeof *work->frames);
    if (!work->frames)
        return out_of_memory();
    status = toile_frames_parse(text, false, work->frames, work->frame_count, &work->frame_count,
                                &error);
    return status == TOILE_STATUS_OK ? check_frames(work) : tl_report_failure(status, &error);
}

/* the mesh with the most samples */
static const TlActor *longest_actor(const Work *work) {
    const TlActor *longest = &work->stage.actors[0];
    for (int32_t i = 1; i < work->stage.actor_count; i++)
        if (work->stage.actors[i].samples > longest->samples)
            longest = &work->stage.actors[i];
    return longest;
}

/* up to FRAMES_SHOWN of the longest mesh, the first and the last among them */
static int spread_frames(Work *work) {
    const TlActor *longest = longest_actor(work);
    uint32_t shown = longest->samples < FRAMES_SHOWN ? longest->samples : FRAMES_SHOWN;
    work->frames = calloc(shown, sizeof *work->frames);
    if (!work->frames)
        return out_of_memory();
    for (uint32_t i = 0; i < shown; i++) {
        double frame = 0.0;
        uint64_t span = longest->samples - 1;
        uint32_t sample = shown > 1 ? (uint32_t)((i * span + (shown - 1) / 2) / (shown - 1)) : 0;
        int code = sample_frame(work, longest, sample, &frame);
        if (code != TL_EXIT_OK)
            return code;
        /* several samples may belong to one frame */
        if (i == 0 || (int32_t)frame != work->frames[work->frame_count - 1])
            work->frames[work->frame_count++] = (int32_t)frame;
    }
    return TL_EXIT_OK;
}

static int last_frame(Work *work) {
    const TlActor *longest = longest_actor(work);
    double frame = 0.0;
    work->frames = calloc(1, sizeof *work->frames);
    if (!work->frames)
        return out_of_memory();
    int code = sample_frame(work, longest, longest->samples - 1, &frame);
    work->frames[0] = (int32_t)frame;
    work->frame_count = 1;
    return code;
}

static int choose_frames(Work *work, bool several) {
    if (work->preview->frames)
        return parse_frames(work, several);
    return several ? last_frame(work) : spread_frames(work);
}

/* ---- labels ---- */

static int32_t label_count(const char *labels) {
    int32_t count = 1;
    for (; *labels; labels++)
        count += *labels == ',';
    return count;
}

/* the text of that number between the commas */
static void copy_label(const char *labels, int32_t index, char label[LABEL_SIZE]) {
    for (; index > 0; index--)
        labels += strcspn(labels, ",") + 1;
    snprintf(label, LABEL_SIZE, "%.*s", (int)strcspn(labels, ","), labels);
}

/* of the endings that caches have */
static size_t ending_length(const char *path) {
    return tl_has_ending(path, ".abc") || tl_has_ending(path, ".pc2") || tl_has_ending(path, ".mdd")
               ? 4
               : 0;
}

/* the file's name without folder and ending */
static void copy_name(const char *path, char label[LABEL_SIZE]) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(name) - ending_length(path);
    snprintf(label, LABEL_SIZE, "%.*s", (int)length, name);
}

static int32_t count_pictures(const Album *album) {
    int32_t count = 0;
    for (int32_t i = 0; i < album->archive_count; i++)
        count += album->works[i].frame_count;
    return count;
}

static int check_labels(const Album *album) {
    int32_t pictures = count_pictures(album);
    int32_t count = album->labels ? label_count(album->labels) : pictures;
    if (count == pictures)
        return TL_EXIT_OK;
    return tl_usage(&tl_command_preview,
                    "--labels needs one text for each of the %d picture(s), not %d", (int)pictures,
                    (int)count);
}

/* ---- pictures ---- */

static TlCamera fit_camera(const Album *album) {
    const TlPreview *preview = album->preview;
    TlCamera camera =
        tl_camera_fit(&album->works[0].stage.bounds, (double)preview->width / preview->height,
                      preview->azimuth_deg, preview->elevation_deg);
    camera.half_width /= album->zoom;
    camera.half_height /= album->zoom;
    return camera;
}

static int render_failed(void) {
    tl_message("the picture cannot be drawn: it is too large, or there is not enough memory.");
    return TL_EXIT_FAILURE;
}

/* the pictures of one archive */
static int add_pictures(const Album *album, Work *work, TlSheet *sheet) {
    TlCamera camera = fit_camera(album);
    for (int32_t i = 0; i < work->frame_count; i++) {
        TlRenderScene scene = {0};
        char label[LABEL_SIZE];
        if (album->labels)
            copy_label(album->labels, sheet->next, label);
        else if (album->archive_count > 1)
            copy_name(work->archive, label);
        else
            snprintf(label, sizeof label, "frame %d", (int)work->frames[i]);
        int code = tl_stage_compose(&work->stage, work->frames[i], &camera, &scene);
        if (code != TL_EXIT_OK)
            return code;
        if (!tl_sheet_add(sheet, &scene, &camera, label))
            return render_failed();
    }
    return TL_EXIT_OK;
}

static int write_sheet(Album *album) {
    const TlPreview *preview = album->preview;
    TlSheetDef def = {.frame_count = count_pictures(album),
                      .cell_width = preview->width,
                      .cell_height = preview->height};
    TlSheet sheet;
    if (!tl_sheet_create(&sheet, &def))
        return render_failed();
    int code = TL_EXIT_OK;
    for (int32_t i = 0; i < album->archive_count && code == TL_EXIT_OK; i++)
        code = add_pictures(album, &album->works[i], &sheet);
    if (code == TL_EXIT_OK) {
        ToileError error = toile_error_default();
        ToileStatus status = tl_png_write(&sheet.image, preview->output, &error);
        if (status != TOILE_STATUS_OK)
            code = tl_report_failure(status, &error);
    }
    tl_sheet_destroy(&sheet);
    return code;
}

/* name.0001.png from name.png */
static char *numbered(const char *path, int32_t frame) {
    size_t length = strlen(path) - (tl_has_ending(path, ".png") ? 4 : 0);
    size_t size = length + 24;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s.%s%04lld.png", (int)length, path, frame < 0 ? "-" : "",
                 llabs((long long)frame));
    return name;
}

static int write_single(Work *work, const TlCamera *camera, TlImage *image, int32_t frame) {
    ToileError error = toile_error_default();
    TlRenderScene scene = {0};
    int code = tl_stage_compose(&work->stage, frame, camera, &scene);
    if (code != TL_EXIT_OK)
        return code;
    if (!tl_render(&scene, camera, image))
        return render_failed();
    char *path = numbered(work->preview->output, frame);
    if (!path)
        return out_of_memory();
    ToileStatus status = tl_png_write(image, path, &error);
    free(path);
    return status == TOILE_STATUS_OK ? TL_EXIT_OK : tl_report_failure(status, &error);
}

static int write_singles(Album *album) {
    Work *work = &album->works[0];
    TlCamera camera = fit_camera(album);
    TlImage image;
    if (!tl_image_create(&image, work->preview->width, work->preview->height))
        return render_failed();
    int code = TL_EXIT_OK;
    for (int32_t i = 0; i < work->frame_count && code == TL_EXIT_OK; i++)
        code = write_single(work, &camera, &image, work->frames[i]);
    tl_image_destroy(&image);
    return code;
}

/* ---- what must not be written over ---- */

ToileStatus tl_preview_check(const char *picture, const char *archive, const ToileScene *scene,
                             ToileError *error) {
    if (!toile_file_same(picture, archive) && !toile_scene_reads(scene, picture))
        return TOILE_STATUS_OK;
    error->status = TOILE_STATUS_INVALID_DATA;
    snprintf(error->message, sizeof error->message,
             "%.300s: the picture would take the place of a file that it is drawn from; choose "
             "another name for it",
             picture);
    return error->status;
}

/* the picture against all that is read */
static int check_picture(const Album *album, const char *picture) {
    ToileError error = toile_error_default();
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t i = 0; i < album->archive_count && status == TOILE_STATUS_OK; i++)
        status = tl_preview_check(picture, album->archives[i], album->preview->scene, &error);
    return status == TOILE_STATUS_OK ? TL_EXIT_OK : tl_report_failure(status, &error);
}

static int check_pictures(const Album *album) {
    const TlPreview *preview = album->preview;
    const Work *work = &album->works[0];
    if (!preview->single)
        return check_picture(album, preview->output);
    int code = TL_EXIT_OK;
    for (int32_t i = 0; i < work->frame_count && code == TL_EXIT_OK; i++) {
        char *path = numbered(preview->output, work->frames[i]);
        code = path ? check_picture(album, path) : out_of_memory();
        free(path);
    }
    return code;
}

/* one camera and one ground for all */
static void share_view(Album *album) {
    TlBounds all = album->works[0].stage.bounds;
    for (int32_t i = 1; i < album->archive_count; i++)
        tl_bounds_join(&all, &album->works[i].stage.bounds);
    for (int32_t i = 0; i < album->archive_count; i++)
        album->works[i].stage.bounds = all;
}

static int draw(Album *album) {
    const TlPreview *preview = album->preview;
    int code = TL_EXIT_OK;
    for (int32_t i = 0; i < album->archive_count && code == TL_EXIT_OK; i++) {
        Work *work = &album->works[i];
        work->preview = preview;
        work->archive = album->archives[i];
        code = tl_stage_open(&work->stage, work->archive, preview->scene);
        if (code == TL_EXIT_OK)
            code = choose_frames(work, album->archive_count > 1);
        if (code == TL_EXIT_OK)
            code = tl_stage_measure(&work->stage, work->frames, work->frame_count);
    }
    if (code == TL_EXIT_OK)
        code = check_labels(album);
    if (code == TL_EXIT_OK)
        code = check_pictures(album);
    if (code != TL_EXIT_OK)
        return code;
    share_view(album);
    return preview->single ? write_singles(album) : write_sheet(album);
}

static int write_album(Album *album) {
    album->works = calloc((size_t)album->archive_count, sizeof *album->works);
    if (!album->works)
        return out_of_memory();
    int code = draw(album);
    for (int32_t i = 0; i < album->archive_count; i++) {
        tl_stage_close(&album->works[i].stage);
        free(album->works[i].frames);
    }
    free(album->works);
    return code;
}

TlPreview tl_preview_default(void) {
    return (TlPreview){.width = 480,
                       .height = 360,
                       .azimuth_deg = TL_CAMERA_AZIMUTH_DEG,
                       .elevation_deg = TL_CAMERA_ELEVATION_DEG};
}

int tl_preview_write(const TlPreview *preview) {
    Album album = {
        .preview = preview, .archives = &preview->archive, .archive_count = 1, .zoom = 1.0};
    return write_album(&album);
}

/* ---- options ---- */

static bool parse_size(const char *text, TlPreview *preview) {
    char width[16];
    size_t length = strcspn(text, "xX");
    if (length == 0 || length >= sizeof width || !text[length])
        return false;
    memcpy(width, text, length);
    width[length] = '\0';
    return tl_parse_int(width, 16, TL_IMAGE_MAX, &preview->width) &&
           tl_parse_int(text + length + 1, 16, TL_IMAGE_MAX, &preview->height);
}

/* What the command line asks for. */
typedef struct Request {
    TlPreview preview;
    const char *scene;
    const char *labels;
    double zoom;
} Request;

static int take_option(Request *request, int letter) {
    TlPreview *preview = &request->preview;
    const TlCommand *command = &tl_command_preview;
    switch (letter) {
    case 'o':
        preview->output = optarg;
        return TL_EXIT_OK;
    case OPTION_FRAMES:
        preview->frames = optarg;
        return TL_EXIT_OK;
    case OPTION_SCENE:
        request->scene = optarg;
        return TL_EXIT_OK;
    case OPTION_LABELS:
        request->labels = optarg;
        return TL_EXIT_OK;
    case OPTION_SINGLE:
        preview->single = true;
        return TL_EXIT_OK;
    case OPTION_SIZE:
        if (!parse_size(optarg, preview))
            return tl_usage(command, "--size takes pixels such as 640x480, 16 to %d, not '%s'",
                            TL_IMAGE_MAX, optarg);
        return TL_EXIT_OK;
    case OPTION_ZOOM:
        if (!tl_parse_number(optarg, 0.1, 100.0, &request->zoom))
            return tl_usage(command, "--zoom takes a ratio of 0.1 to 100, not '%s'", optarg);
        return TL_EXIT_OK;
    case OPTION_AZIMUTH:
        if (!tl_parse_number(optarg, -36000.0, 36000.0, &preview->azimuth_deg))
            return tl_usage(command, "--azimuth takes degrees, not '%s'", optarg);
        return TL_EXIT_OK;
    default:
        if (!tl_parse_number(optarg, -85.0, 85.0, &preview->elevation_deg))
            return tl_usage(command, "--elevation takes -85 to 85 degrees, not '%s'", optarg);
        return TL_EXIT_OK;
    }
}

/* the archive's name with .png, in a block for free() */
static char *default_output(const char *archive) {
    size_t length = strlen(archive) - ending_length(archive);
    char *path = malloc(length + 5);
    if (path) {
        memcpy(path, archive, length);
        memcpy(path + length, ".png", 5);
    }
    return path;
}

static int preview_archives(Request *request, const char *const *archives, int32_t count) {
    TlPreview *preview = &request->preview;
    TlFindings findings = {0};
    char *own_output = NULL;
    ToileScene *scene = NULL;
    if (request->scene) {
        scene = tl_load_scene(request->scene, NULL, 0, TL_NO_WEDGE, &findings);
        if (!scene)
            return findings.first_exit;
        preview->scene = scene;
    }
    if (!preview->output)
        preview->output = own_output = default_output(archives[0]);
    Album album = {.preview = preview,
                   .archives = archives,
                   .archive_count = count,
                   .labels = request->labels,
                   .zoom = request->zoom};
    int code = preview->output ? write_album(&album) : out_of_memory();
    free(own_output);
    toile_scene_free(scene);
    return code;
}

static int check_request(const Request *request, int count) {
    const TlCommand *command = &tl_command_preview;
    const TlPreview *preview = &request->preview;
    if (count == 0)
        return tl_usage(command, "preview needs an archive");
    if (preview->output && !tl_has_ending(preview->output, ".png"))
        return tl_usage(command, "the picture must end in .png, not '%s'", preview->output);
    if (count > 1 && !preview->output)
        return tl_usage(command, "a sheet of %d archives needs a name: -o FILE.png", count);
    if (count > 1 && preview->single)
        return tl_usage(command, "--single takes one archive, not %d", count);
    if (request->labels && preview->single)
        return tl_usage(command, "--single draws no labels; leave out --labels");
    return TL_EXIT_OK;
}

static int run_preview(int argc, char **argv) {
    Request request = {.preview = tl_preview_default(), .zoom = 1.0};
    int letter;
    while ((letter = tl_next_option(&tl_command_preview, argc, argv, ":o:h", option_table)) !=
           TL_OPTION_END) {
        if (letter == TL_OPTION_HELP)
            return TL_EXIT_OK;
        int code = letter == TL_OPTION_BAD ? TL_EXIT_USAGE : take_option(&request, letter);
        if (code != TL_EXIT_OK)
            return code;
    }
    int code = check_request(&request, argc - optind);
    if (code != TL_EXIT_OK)
        return code;
    return preview_archives(&request, (const char *const *)(argv + optind), argc - optind);
}

const TlCommand tl_command_preview = {"preview", "draws a contact sheet of archives", help, true,
                                      run_preview};
