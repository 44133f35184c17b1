/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes of colliders: an OBJ file, OBJ files numbered by frame ("arm.%04d.obj"), or an object of
 * an archive, which scene_archive.c reads. Of what deforms only the first frame is kept, so that
 * memory does not grow with the length of a clip; the others are read when they are asked for. */
#include "scene_types.h"

#include "obj_parse.h"
#include "platform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 9 /* that a frame may be padded to */

void tl_scene_free_surface(TlSceneSurface *surface) {
    if (!surface)
        return;
    toile_obj_free(surface->obj);
    abcc_close(surface->archive);
    free(surface->file);
    free(surface->positions_m);
    free(surface->face_sizes);
    free(surface->corners);
    free(surface);
}

/* ---- numbered files ---- */

/* Where a name has the place for the frame: %d, or %04d for zeros up to 4 digits. */
typedef struct Number {
    size_t begin, end;
    int32_t width;
} Number;

static bool find_number(const char *text, size_t from, Number *number) {
    for (const char *at = strchr(text + from, '%'); at; at = strchr(at + 1, '%')) {
        int32_t width = 0;
        const char *c = at + 1;
        for (; *c >= '0' && *c <= '9' && width <= DIGITS_MAX; c++)
            width = 10 * width + (*c - '0');
        if (*c != 'd' || width > DIGITS_MAX || (width > 0 && at[1] != '0'))
            continue;
        *number = (Number){(size_t)(at - text), (size_t)(c - text) + 1, width};
        return true;
    }
    return false;
}

/* The file of a frame, for free(); NULL when memory runs out. */
static char *path_of_frame(const char *pattern, int32_t frame) {
    Number number = {0, 0, 0};
    char digits[DIGITS_MAX + 16];
    /* a folder may be named so, too: the last place counts */
    for (size_t from = 0; find_number(pattern, from, &number);)
        from = number.end;
    int length = snprintf(digits, sizeof digits, "%0*d", number.width, frame);
    size_t tail = strlen(pattern + number.end);
    char *path = malloc(number.begin + (size_t)length + tail + 1);
    if (!path)
        return NULL;
    memcpy(path, pattern, number.begin);
    memcpy(path + number.begin, digits, (size_t)length);
    memcpy(path + number.begin + (size_t)length, pattern + number.end, tail + 1);
    return path;
}

/* Hashes the files of all frames, and reports those that are missing as one error. */
static bool find_numbered(TlSceneReader *reader, const TlKeys *keys, const TlJson *value,
                          const TlSceneSurface *surface) {
    const ToileScene *scene = reader->scene;
    char *missing = NULL;
    int32_t missing_count = 0, missing_frame = 0;
    int32_t first = scene->frames[0];
    int32_t last = scene->settle ? first : scene->frames[scene->frame_count - 1];
    ToileStatus status = TOILE_STATUS_OK;
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    for (int64_t frame = first; frame <= last && status == TOILE_STATUS_OK; frame++) {
        char *path = path_of_frame(surface->file, (int32_t)frame);
        status = path ? tl_scene_hash_file(reader, path, &error) : tl_io_out_of_memory(&error);
        if (status == TOILE_STATUS_NOT_FOUND) {
            status = TOILE_STATUS_OK;
            if (missing_count++ == 0) {
                missing = path;
                missing_frame = (int32_t)frame;
                continue;
            }
        }
        free(path);
    }
    if (status != TOILE_STATUS_OK)
        tl_scene_cannot_read(keys, "mesh", value, surface->file, status, &error);
    else if (missing_count > 0)
        tl_keys_error(keys, "mesh", value, TOILE_STATUS_NOT_FOUND,
                      "there is no file for frame %d (looked for %s); %d of the frames from %d to "
                      "%d have none, and each needs one",
                      missing_frame, missing, missing_count, first, last);
    free(missing);
    return status == TOILE_STATUS_OK && missing_count == 0;
}

static ToileObj *read_frame(const TlSceneSurface *surface, int32_t frame, bool need_faces,
                            TlReport *report) {
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    char *text = NULL;
    size_t size = 0;
    ToileObj *obj = NULL;
    char *path = path_of_frame(surface->file, frame);
    ToileStatus status = path ? tl_io_read_file(path, TL_OBJ_MAX_BYTES, &text, &size, &error)
                              : tl_io_out_of_memory(&error);
    if (status == TOILE_STATUS_OK)
        obj = tl_obj_parse(text, size, path, surface->unit_m, need_faces, report);
    else
        tl_scene_report_file(report, path ? path : surface->file, status, &error);
    free(text);
    free(path);
    return obj;
}

static bool read_numbered(TlSceneReader *reader, const TlKeys *keys, const TlJson *value,
                          TlSceneSurface *surface) {
    surface->deforms = true;
    surface->file = tl_io_path_beside(reader->path, value->string);
    if (!surface->file) {
        tl_report_out_of_memory(reader->report);
        return false;
    }
    /* without frames the scene is refused already */
    if (reader->scene->frame_count == 0 || !find_numbered(reader, keys, value, surface))
        return false;
    surface->obj = read_frame(surface, reader->scene->frames[0], true, reader->report);
    return surface->obj != NULL;
}

/* The vertices of one file, which must be the same as those of the first. */
static ToileStatus read_positions(const TlSceneSurface *surface, const char *name, int32_t frame,
                                  double *positions_m, ToileError *error) {
    const ToileMeshDef *first = &surface->obj->mesh;
    TlReport report = {.error = error};
    ToileObj *obj = read_frame(surface, frame, false, &report);
    if (!obj)
        return report.status;
    ToileStatus status = TOILE_STATUS_OK;
    if (obj->mesh.vertex_count != first->vertex_count || !tl_scene_same_faces(&obj->mesh, first))
        status = tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                            "The mesh of collider \"%.64s\" has %d vertices and %d faces at frame "
                            "%d, but began with %d and %d; its vertices may move, but its faces "
                            "must stay the same",
                            name, obj->mesh.vertex_count, obj->mesh.face_count, frame,
                            first->vertex_count, first->face_count);
    else
        memcpy(positions_m, obj->mesh.positions_m,
               3 * (size_t)first->vertex_count * sizeof *positions_m);
    toile_obj_free(obj);
    return status;
}

static ToileStatus numbered_positions(const TlSceneSurface *surface, const char *name, double frame,
                                      double *positions_m, ToileError *error) {
    size_t count = 3 * (size_t)surface->mesh.vertex_count;
    double before = floor(frame), weight = frame - before;
    if (fabs(frame) > 1e9)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "Frames from -1e9 to 1e9 have numbers");
    ToileStatus status = read_positions(surface, name, (int32_t)before, positions_m, error);
    if (status != TOILE_STATUS_OK || !(weight > 0))
        return status;
    double *after_m = malloc(count * sizeof *after_m);
    if (!after_m)
        return tl_io_out_of_memory(error);
    status = read_positions(surface, name, (int32_t)before + 1, after_m, error);
    for (size_t i = 0; i < count && status == TOILE_STATUS_OK; i++)
        positions_m[i] = (1 - weight) * positions_m[i] + weight * after_m[i];
    free(after_m);
    return status;
}

ToileStatus tl_scene_surface_positions(const TlSceneSurface *surface, const char *name,
                                       double frame, double *positions_m, ToileError *error) {
    if (surface->deforms && surface->archive)
        return tl_scene_archive_positions(surface, name, frame, positions_m, error);
    if (surface->deforms)
        return numbered_positions(surface, name, frame, positions_m, error);
    memcpy(positions_m, surface->mesh.positions_m,
           3 * (size_t)surface->mesh.vertex_count * sizeof *positions_m);
    return TOILE_STATUS_OK;
}

/* ---- any of them ---- */

/* Splits faces of more than four corners; the mesh then has arrays of its own. */
static bool split_faces(TlSceneReader *reader, const TlKeys *keys, const TlJson *value,
                        TlSceneSurface *surface) {
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    ToileMeshDef *mesh = &surface->mesh;
    size_t room = (size_t)mesh->corner_count;
    int32_t *face_sizes = malloc(room * sizeof *face_sizes);
    int32_t *corners = malloc(3 * room * sizeof *corners);
    int32_t face_count = 0, corner_count = 0;
    ToileStatus status = TOILE_STATUS_OUT_OF_MEMORY;
    if (face_sizes && corners)
        status = toile_mesh_fan(mesh, face_sizes, corners, &face_count, &corner_count, &error);
    free(surface->face_sizes);
    free(surface->corners);
    mesh->face_sizes = surface->face_sizes = face_sizes;
    mesh->corners = surface->corners = corners;
    mesh->face_count = face_count;
    mesh->corner_count = corner_count;
    if (status == TOILE_STATUS_OUT_OF_MEMORY)
        tl_report_out_of_memory(reader->report);
    else if (status != TOILE_STATUS_OK)
        tl_keys_error(keys, "mesh", value, status, "%.300s: %s", surface->file, error.message);
    return status == TOILE_STATUS_OK;
}

static bool read_any(TlSceneReader *reader, const TlKeys *keys, const TlJson *value,
                     TlSceneSurface *surface) {
    const char *text = value->string;
    Number number;
    if (tl_scene_names_archive(text))
        return tl_scene_open_archive(reader, keys, value, surface);
    if (!tl_io_has_ending(text, ".obj")) {
        tl_keys_error(keys, "mesh", value, TOILE_STATUS_INVALID_DATA,
                      "\"%.200s\" is not the name of a mesh; it must end in .obj, or be "
                      "FILE.abc:/path",
                      text);
        return false;
    }
    if (find_number(text, 0, &number))
        return read_numbered(reader, keys, value, surface);
    surface->obj = tl_scene_read_mesh(reader, keys, "mesh", surface->unit_m, true, &surface->file);
    return surface->obj != NULL;
}

TlSceneSurface *tl_scene_read_surface(TlSceneReader *reader, const TlKeys *keys, double unit_m) {
    const TlJson *value = tl_keys_get(keys, "mesh", TL_KEY_PLAIN);
    const char *text = NULL;
    tl_keys_string(keys, "mesh", TL_KEY_PLAIN, &text);
    if (!text)
        return NULL;
    TlSceneSurface *surface = calloc(1, sizeof *surface);
    if (!surface) {
        tl_report_out_of_memory(reader->report);
        return NULL;
    }
    surface->unit_m = unit_m;
    surface->fps = reader->scene->sim.fps;
    surface->z_up = reader->scene->up == TOILE_UP_Z;
    bool fine = read_any(reader, keys, value, surface);
    if (fine && surface->obj)
        surface->mesh = surface->obj->mesh;
    /* what a collider has no use for */
    surface->mesh.uv_count = 0;
    surface->mesh.uvs = NULL;
    surface->mesh.corner_uvs = NULL;
    if (fine && split_faces(reader, keys, value, surface))
        return surface;
    tl_scene_free_surface(surface);
    return NULL;
}
