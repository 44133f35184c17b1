/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes that colliders and pins take from files: an OBJ file, OBJ files numbered by frame
 * ("arm.%04d.obj"), an OBJ file whose vertices a point cache moves, or an object of an archive,
 * which scene_archive.c reads. Of what deforms only the first frame is kept, so that memory does
 * not grow with the length of a clip; the others are read when they are asked for. */
#include "scene_types.h"

#include "obj_parse.h"
#include "platform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 9 /* that a frame may be padded to */
#define COORDINATE_MAX_M 1e9

void tl_scene_free_surface(TlSceneSurface *surface) {
    if (!surface)
        return;
    toile_obj_free(surface->obj);
    tl_scene_archive_close(&surface->archive);
    toile_pointcache_close(surface->points);
    free(surface->file);
    free(surface->points_file);
    free(surface->positions_m);
    free(surface->face_sizes);
    free(surface->corners);
    free(surface);
}

/* The place in the scene that names a mesh. */
typedef struct Source {
    TlSceneReader *reader;
    const TlKeys *keys;
    const char *key;
    const TlJson *value; /* a string */
} Source;

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
static bool find_numbered(const Source *source, const TlSceneSurface *surface) {
    TlSceneReader *reader = source->reader;
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
        tl_scene_cannot_read(source->keys, source->key, source->value, surface->file, status,
                             &error);
    else if (missing_count > 0)
        tl_keys_error(source->keys, source->key, source->value, TOILE_STATUS_NOT_FOUND,
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

static bool read_numbered(const Source *source, TlSceneSurface *surface) {
    TlSceneReader *reader = source->reader;
    surface->deforms = true;
    surface->file = tl_io_path_beside(reader->path, source->value->string);
    if (!surface->file) {
        tl_report_out_of_memory(reader->report);
        return false;
    }
    /* without frames the scene is refused already */
    if (reader->scene->frame_count == 0 || !find_numbered(source, surface))
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

/* ---- point caches ---- */

/* Opens the cache under "points" and checks that it fits the mesh. */
static bool open_points(const Source *source, TlSceneSurface *surface) {
    const TlJson *value = tl_keys_get(source->keys, "points", TL_KEY_NULLABLE);
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    ToilePointCacheInfo info = {.struct_size = (uint32_t)sizeof info};
    const char *text = NULL;
    tl_keys_string(source->keys, "points", TL_KEY_NULLABLE, &text);
    if (!text)
        return !value;
    if (!tl_io_has_ending(text, ".pc2") && !tl_io_has_ending(text, ".mdd")) {
        tl_keys_error(source->keys, "points", value, TOILE_STATUS_INVALID_DATA,
                      "\"%.200s\" is not the name of a point cache; it must end in .pc2 or .mdd",
                      text);
        return false;
    }
    surface->points_file = tl_io_path_beside(source->reader->path, text);
    if (!surface->points_file) {
        tl_report_out_of_memory(source->reader->report);
        return false;
    }
    ToileStatus status = tl_scene_hash_file(source->reader, surface->points_file, &error);
    if (status == TOILE_STATUS_OK)
        status = toile_pointcache_open(surface->points_file, &info, &surface->points, &error);
    if (status != TOILE_STATUS_OK) {
        tl_scene_cannot_read(source->keys, "points", value, surface->points_file, status, &error);
        return false;
    }
    if (info.point_count == surface->obj->mesh.vertex_count)
        return true;
    tl_keys_error(
        source->keys, "points", value, TOILE_STATUS_INVALID_DATA,
        "%.200s has %d points, but the mesh %.200s has %d vertices; they must be the same "
        "vertices in the same order",
        surface->points_file, (int)info.point_count, surface->file,
        (int)surface->obj->mesh.vertex_count);
    return false;
}

/* Adds `weight` times a sample of the cache to the positions. */
static ToileStatus add_sample(const TlSceneSurface *surface, int32_t sample, double weight,
                              float *values, double *positions_m, ToileError *error) {
    size_t count = 3 * (size_t)surface->mesh.vertex_count;
    ToileStatus status = toile_pointcache_read(surface->points, sample, values, error);
    for (size_t i = 0; i < count && status == TOILE_STATUS_OK; i++) {
        positions_m[i] += weight * surface->unit_m * (double)values[i];
        if (!(fabs(positions_m[i]) <= COORDINATE_MAX_M))
            return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                              "%.200s: point %zu of sample %d is not a finite number or beyond 1e9 "
                              "m",
                              surface->points_file, i / 3, (int)sample);
    }
    return status;
}

static ToileStatus cached_positions(const TlSceneSurface *surface, double frame,
                                    double *positions_m, ToileError *error) {
    size_t count = 3 * (size_t)surface->mesh.vertex_count;
    int32_t before = 0, after = 0;
    double weight = 0;
    float *values = malloc(count * sizeof *values);
    if (!values)
        return tl_io_out_of_memory(error);
    memset(positions_m, 0, count * sizeof *positions_m);
    ToileStatus status = toile_pointcache_find(surface->points, frame, surface->fps, &before,
                                               &after, &weight, error);
    if (status == TOILE_STATUS_OK)
        status = add_sample(surface, before, 1 - weight, values, positions_m, error);
    if (status == TOILE_STATUS_OK && weight > 0)
        status = add_sample(surface, after, weight, values, positions_m, error);
    free(values);
    return status;
}

/* ---- any of them ---- */

ToileStatus tl_scene_surface_positions(const TlSceneSurface *surface, const char *name,
                                       double frame, double *positions_m, ToileError *error) {
    if (surface->deforms && surface->archive.reader)
        return tl_scene_archive_positions(&surface->archive, frame, surface->mesh.vertex_count,
                                          positions_m, error);
    if (surface->points)
        return cached_positions(surface, frame, positions_m, error);
    if (surface->deforms)
        return numbered_positions(surface, name, frame, positions_m, error);
    memcpy(positions_m, surface->mesh.positions_m,
           3 * (size_t)surface->mesh.vertex_count * sizeof *positions_m);
    return TOILE_STATUS_OK;
}

/* Splits faces of more than four corners; face sizes and corners are new arrays for free(). */
static ToileStatus split_faces(ToileMeshDef *mesh, int32_t **face_sizes, int32_t **corners,
                               ToileError *error) {
    size_t room = (size_t)mesh->corner_count;
    int32_t face_count = 0, corner_count = 0;
    *face_sizes = malloc((room + 1) * sizeof **face_sizes);
    *corners = malloc((3 * room + 1) * sizeof **corners);
    if (!*face_sizes || !*corners)
        return tl_io_out_of_memory(error);
    ToileStatus status =
        toile_mesh_fan(mesh, *face_sizes, *corners, &face_count, &corner_count, error);
    mesh->face_sizes = *face_sizes;
    mesh->corners = *corners;
    mesh->face_count = face_count;
    mesh->corner_count = corner_count;
    /* what a collider has no use for */
    mesh->uv_count = 0;
    mesh->uvs = NULL;
    mesh->corner_uvs = NULL;
    return status;
}

/* The mesh of an archive at a frame. */
static ToileStatus changed_mesh(const TlSceneSurface *surface, double frame, ToileObj **out,
                                ToileError *error) {
    uint8_t key[16];
    int32_t vertex_count = 0, face_count = 0;
    int32_t *face_sizes = NULL, *corners = NULL;
    ToileObj *obj = NULL;
    ToileStatus status =
        tl_scene_archive_faces(&surface->archive, frame, key, &vertex_count, &face_count, error);
    if (status != TOILE_STATUS_OK || vertex_count == 0 || face_count == 0)
        return status;
    TlSceneArchive archive = surface->archive;
    status = tl_scene_archive_mesh(&archive, frame, NULL, &obj, error);
    if (status != TOILE_STATUS_OK)
        return status;
    ToileMeshDef mesh = obj->mesh;
    status = split_faces(&mesh, &face_sizes, &corners, error);
    if (status == TOILE_STATUS_OK) {
        *out = tl_obj_make(&mesh, NULL, 0);
        status = *out ? TOILE_STATUS_OK : tl_io_out_of_memory(error);
    }
    free(face_sizes);
    free(corners);
    toile_obj_free(obj);
    return status;
}

ToileStatus tl_scene_surface_mesh(const TlSceneSurface *surface, const char *name, double frame,
                                  ToileObj **out, ToileError *error) {
    *out = NULL;
    if (surface->archive.changes)
        return changed_mesh(surface, frame, out, error);
    ToileMeshDef mesh = surface->mesh;
    double *positions_m = malloc(3 * (size_t)mesh.vertex_count * sizeof *positions_m);
    if (!positions_m)
        return tl_io_out_of_memory(error);
    mesh.positions_m = positions_m;
    ToileStatus status = tl_scene_surface_positions(surface, name, frame, positions_m, error);
    if (status == TOILE_STATUS_OK) {
        *out = tl_obj_make(&mesh, NULL, 0);
        status = *out ? TOILE_STATUS_OK : tl_io_out_of_memory(error);
    }
    free(positions_m);
    return status;
}

/* The mesh of an archive at the first frame, or where it first has faces. */
static ToileStatus read_first(const Source *source, TlSceneSurface *surface, ToileError *error) {
    TlSceneArchive *archive = &surface->archive;
    double frame = source->reader->scene->sim.start_frame;
    ToileStatus status = TOILE_STATUS_OK;
    if (archive->changes)
        status = tl_scene_archive_appears(archive, &frame, error);
    return status == TOILE_STATUS_OK
               ? tl_scene_archive_mesh(archive, frame, NULL, &surface->obj, error)
               : status;
}

static bool open_archive(const Source *source, TlSceneSurface *surface) {
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    TlSceneArchive *archive = &surface->archive;
    if (!tl_scene_archive_open(source->reader, source->keys, source->key, surface->unit_m, archive))
        return false;
    surface->file = tl_io_path_beside("", archive->file);
    surface->deforms = archive->moves || archive->changes;
    ToileStatus status =
        surface->file ? read_first(source, surface, &error) : tl_io_out_of_memory(&error);
    if (status == TOILE_STATUS_OUT_OF_MEMORY)
        tl_report_out_of_memory(source->reader->report);
    else if (status != TOILE_STATUS_OK)
        tl_keys_error(source->keys, source->key, source->value, status, "%s", error.message);
    else if (archive->is_cage)
        tl_keys_warning(source->keys, source->key, source->value,
                        "%.300s is a subdivision surface; cloth meets its cage, not the smooth "
                        "surface",
                        archive->file);
    return status == TOILE_STATUS_OK;
}

static bool read_obj(const Source *source, TlSceneSurface *surface) {
    const char *text = source->value->string;
    Number number;
    if (!tl_io_has_ending(text, ".obj")) {
        tl_keys_error(source->keys, source->key, source->value, TOILE_STATUS_INVALID_DATA,
                      "\"%.200s\" is not the name of a mesh; it must end in .obj, or be "
                      "FILE.abc:/path",
                      text);
        return false;
    }
    bool numbered = find_number(text, 0, &number);
    const TlJson *points = tl_keys_get(source->keys, "points", TL_KEY_NULLABLE);
    if (numbered && points) {
        tl_keys_error(source->keys, "points", points, TOILE_STATUS_INVALID_DATA,
                      "numbered files move by themselves; name one mesh, or leave out the points");
        return false;
    }
    if (numbered)
        return read_numbered(source, surface);
    surface->obj = tl_scene_read_mesh(source->reader, source->keys, source->key, surface->unit_m,
                                      true, &surface->file);
    return surface->obj && open_points(source, surface);
}

static bool read_any(const Source *source, TlSceneSurface *surface) {
    const TlJson *points = tl_keys_get(source->keys, "points", TL_KEY_NULLABLE);
    if (!tl_scene_names_archive(source->value->string))
        return read_obj(source, surface);
    if (points)
        tl_keys_error(source->keys, "points", points, TOILE_STATUS_INVALID_DATA,
                      "an archive moves by itself; name an OBJ file, or leave out the points");
    return !points && open_archive(source, surface);
}

/* A mesh that a point cache moves begins where that is at the first frame. */
static ToileStatus begin_points(const Source *source, TlSceneSurface *surface, ToileError *error) {
    ToileMeshDef mesh = surface->obj->mesh;
    if (!surface->points)
        return TOILE_STATUS_OK;
    surface->deforms = true;
    surface->positions_m = malloc(3 * (size_t)mesh.vertex_count * sizeof *surface->positions_m);
    if (!surface->positions_m)
        return tl_io_out_of_memory(error);
    surface->mesh.positions_m = surface->positions_m;
    return cached_positions(surface, source->reader->scene->sim.start_frame, surface->positions_m,
                            error);
}

TlSceneSurface *tl_scene_read_surface(TlSceneReader *reader, const TlKeys *keys, const char *key,
                                      double unit_m) {
    Source source = {reader, keys, key, tl_keys_get(keys, key, TL_KEY_PLAIN)};
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    const char *text = NULL;
    tl_keys_string(keys, key, TL_KEY_PLAIN, &text);
    if (!text)
        return NULL;
    TlSceneSurface *surface = calloc(1, sizeof *surface);
    if (!surface) {
        tl_report_out_of_memory(reader->report);
        return NULL;
    }
    surface->unit_m = unit_m;
    surface->fps = reader->scene->sim.fps;
    if (!read_any(&source, surface)) {
        tl_scene_free_surface(surface);
        return NULL;
    }
    surface->mesh = surface->obj->mesh;
    ToileStatus status = begin_points(&source, surface, &error);
    if (status == TOILE_STATUS_OK)
        status = split_faces(&surface->mesh, &surface->face_sizes, &surface->corners, &error);
    if (status == TOILE_STATUS_OK)
        return surface;
    if (status == TOILE_STATUS_OUT_OF_MEMORY)
        tl_report_out_of_memory(reader->report);
    else
        tl_keys_error(keys, key, source.value, status, "%.300s: %s", surface->file, error.message);
    tl_scene_free_surface(surface);
    return NULL;
}
