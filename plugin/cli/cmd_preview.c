/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile preview`: shaded pictures of a cache without display or GPU. Reads the frames from the
 * archive one by one, takes colliders from a scene if there is one, fits one camera to all frames,
 * and draws a contact sheet or one picture a frame. */
#include "cli.h"
#include "png.h"
#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <toile_io/frames.h>

/* Pictures of a sheet when no frames are named. */
#define FRAMES_SHOWN 12

static const char help[] =
    "usage: toile preview FILE.abc [options]\n\n"
    "Draws the meshes of an archive as a contact sheet, without display or GPU.\n\n"
    "  -o, --output FILE.png   default: the archive's name with .png\n"
    "  --frames R              frames to show, such as 1-48x4; default: up to 12, evenly chosen\n"
    "  --size WxH              pixels of one picture; default 480x360\n"
    "  --scene SCENE           draws the colliders of this scene as well\n"
    "  --azimuth DEG           turns the camera around the vertical; default 32\n"
    "  --elevation DEG         height of the camera, -85 to 85; default 22\n"
    "  --single                one PNG a frame (name.0001.png) instead of a sheet\n";

enum {
    OPTION_FRAMES = 256,
    OPTION_SIZE,
    OPTION_SCENE,
    OPTION_AZIMUTH,
    OPTION_ELEVATION,
    OPTION_SINGLE
};

static const struct option option_table[] = {
    {"output", required_argument, NULL, 'o'},
    {"frames", required_argument, NULL, OPTION_FRAMES},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"scene", required_argument, NULL, OPTION_SCENE},
    {"azimuth", required_argument, NULL, OPTION_AZIMUTH},
    {"elevation", required_argument, NULL, OPTION_ELEVATION},
    {"single", no_argument, NULL, OPTION_SINGLE},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* One preview being made. */
typedef struct Work {
    const TlPreview *preview;
    TlStage stage;
    int32_t *frames; /* to be shown */
    int32_t frame_count;
} Work;

static int out_of_memory(void) {
    tl_message("there is not enough memory.");
    return TL_EXIT_FAILURE;
}

/* ---- frames and view ---- */

static int sample_frame(Work *work, const TlActor *actor, uint32_t sample, double *frame) {
    abcc_error error = {0};
    double seconds = 0.0;
    abcc_status status = abcc_sample_time(work->stage.reader, actor->obj, sample, &seconds, &error);
    if (status != ABCC_OK)
        return tl_fail_archive(status, &error, work->preview->archive);
    *frame = floor(seconds * work->stage.fps + 0.5);
    if (fabs(*frame) <= 1e9)
        return TL_EXIT_OK;
    tl_message("%s: sample %u is at %g s, which is no frame.", work->preview->archive,
               (unsigned)sample, seconds);
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
                       (int)work->frames[i], work->preview->archive, first, last);
            return TL_EXIT_USAGE;
        }
    return TL_EXIT_OK;
}

static int parse_frames(Work *work) {
    ToileError error = toile_error_default();
    const char *text = work->preview->frames;
    ToileStatus status = toile_frames_parse(text, false, NULL, 0, &work->frame_count, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    work->frames = calloc((size_t)work->frame_count + 1, sizeof *work->frames);
    if (!work->frames)
        return out_of_memory();
    status = toile_frames_parse(text, false, work->frames, work->frame_count, &work->frame_count,
                                &error);
    return status == TOILE_STATUS_OK ? check_frames(work) : tl_report_failure(status, &error);
}

/* up to FRAMES_SHOWN of the mesh with the most samples, the first and the last among them */
static int spread_frames(Work *work) {
    const TlActor *longest = &work->stage.actors[0];
    for (int32_t i = 1; i < work->stage.actor_count; i++)
        if (work->stage.actors[i].samples > longest->samples)
            longest = &work->stage.actors[i];
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

/* ---- pictures ---- */

static TlCamera fit_camera(const Work *work) {
    const TlPreview *preview = work->preview;
    return tl_camera_fit(&work->stage.bounds, (double)preview->width / preview->height,
                         preview->azimuth_deg, preview->elevation_deg);
}

static int render_failed(void) {
    tl_message("the picture cannot be drawn: it is too large, or there is not enough memory.");
    return TL_EXIT_FAILURE;
}

static int write_sheet(Work *work) {
    const TlPreview *preview = work->preview;
    TlCamera camera = fit_camera(work);
    TlSheetDef def = {.frame_count = work->frame_count,
                      .cell_width = preview->width,
                      .cell_height = preview->height};
    TlSheet sheet;
    if (!tl_sheet_create(&sheet, &def))
        return render_failed();
    int code = TL_EXIT_OK;
    for (int32_t i = 0; i < work->frame_count && code == TL_EXIT_OK; i++) {
        TlRenderScene scene = {0};
        char label[32];
        snprintf(label, sizeof label, "frame %d", (int)work->frames[i]);
        code = tl_stage_compose(&work->stage, work->frames[i], &camera, &scene);
        if (code == TL_EXIT_OK && !tl_sheet_add(&sheet, &scene, &camera, label))
            code = render_failed();
    }
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

static int write_singles(Work *work) {
    TlCamera camera = fit_camera(work);
    TlImage image;
    if (!tl_image_create(&image, work->preview->width, work->preview->height))
        return render_failed();
    int code = TL_EXIT_OK;
    for (int32_t i = 0; i < work->frame_count && code == TL_EXIT_OK; i++)
        code = write_single(work, &camera, &image, work->frames[i]);
    tl_image_destroy(&image);
    return code;
}

static int draw(Work *work) {
    const TlPreview *preview = work->preview;
    int code = tl_stage_open(&work->stage, preview->archive, preview->scene);
    if (code == TL_EXIT_OK)
        code = preview->frames ? parse_frames(work) : spread_frames(work);
    if (code == TL_EXIT_OK)
        code = tl_stage_measure(&work->stage, work->frames, work->frame_count);
    if (code != TL_EXIT_OK)
        return code;
    return preview->single ? write_singles(work) : write_sheet(work);
}

TlPreview tl_preview_default(void) {
    return (TlPreview){.width = 480,
                       .height = 360,
                       .azimuth_deg = TL_CAMERA_AZIMUTH_DEG,
                       .elevation_deg = TL_CAMERA_ELEVATION_DEG};
}

int tl_preview_write(const TlPreview *preview) {
    Work work = {.preview = preview};
    int code = draw(&work);
    tl_stage_close(&work.stage);
    free(work.frames);
    return code;
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

static int take_option(TlPreview *preview, const char **scene, int letter) {
    const TlCommand *command = &tl_command_preview;
    switch (letter) {
    case 'o':
        preview->output = optarg;
        return TL_EXIT_OK;
    case OPTION_FRAMES:
        preview->frames = optarg;
        return TL_EXIT_OK;
    case OPTION_SCENE:
        *scene = optarg;
        return TL_EXIT_OK;
    case OPTION_SINGLE:
        preview->single = true;
        return TL_EXIT_OK;
    case OPTION_SIZE:
        if (!parse_size(optarg, preview))
            return tl_usage(command, "--size takes pixels such as 640x480, 16 to %d, not '%s'",
                            TL_IMAGE_MAX, optarg);
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
    size_t length = strlen(archive) - (tl_has_ending(archive, ".abc") ? 4 : 0);
    char *path = malloc(length + 5);
    if (path) {
        memcpy(path, archive, length);
        memcpy(path + length, ".png", 5);
    }
    return path;
}

static int preview_archive(TlPreview *preview, const char *scene_path) {
    TlFindings findings = {0};
    char *own_output = NULL;
    ToileScene *scene = NULL;
    if (scene_path) {
        scene = tl_load_scene(scene_path, NULL, 0, TL_NO_WEDGE, &findings);
        if (!scene)
            return findings.first_exit;
        preview->scene = scene;
    }
    if (!preview->output)
        preview->output = own_output = default_output(preview->archive);
    int code = preview->output ? tl_preview_write(preview) : out_of_memory();
    free(own_output);
    toile_scene_free(scene);
    return code;
}

static int run_preview(int argc, char **argv) {
    const TlCommand *command = &tl_command_preview;
    TlPreview preview = tl_preview_default();
    const char *scene = NULL;
    int letter;
    while ((letter = tl_next_option(command, argc, argv, ":o:h", option_table)) != TL_OPTION_END) {
        if (letter == TL_OPTION_HELP)
            return TL_EXIT_OK;
        int code = letter == TL_OPTION_BAD ? TL_EXIT_USAGE : take_option(&preview, &scene, letter);
        if (code != TL_EXIT_OK)
            return code;
    }
    if (optind == argc)
        return tl_usage(command, "preview needs an archive");
    if (optind + 1 < argc)
        return tl_usage(command, "preview takes one archive, but '%s' follows '%s'",
                        argv[optind + 1], argv[optind]);
    if (preview.output && !tl_has_ending(preview.output, ".png"))
        return tl_usage(command, "the picture must end in .png, not '%s'", preview.output);
    preview.archive = argv[optind];
    return preview_archive(&preview, scene);
}

const TlCommand tl_command_preview = {"preview", "draws a contact sheet of an archive", help, true,
                                      run_preview};
