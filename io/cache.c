/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of a simulation to disk: one Alembic archive (cache_archive.c), one point cache (PC2 or
 * MDD), or one OBJ file a frame and cloth. Objects of a host come in their own space, with a matrix
 * that goes on the transform of an archive; the cloths of a scene come from the simulation
 * (cache_scene.c).
 *
 * OBJ, PC2 and MDD files are in the axes of the scene or host and in the cloth's unit. */
#include "cache_types.h"

#include "platform.h"
#include "report.h"
#include "toile_io/obj.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Name of the uv set when nobody tells one: OBJ files do not. */
#define UV_NAME "uv"
/* most samples a frame */
#define SAMPLES_MAX 64

/* ---- names ---- */

/* a name and an ending that is known */
static TlCacheFormat format_of(const char *path) {
    static const struct {
        const char *ending;
        TlCacheFormat format;
    } known[] = {{".abc", TL_CACHE_ABC},
                 {".pc2", TL_CACHE_POINTS},
                 {".mdd", TL_CACHE_POINTS},
                 {".obj", TL_CACHE_OBJ}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(path) > strlen(known[i].ending) && tl_io_has_ending(path, known[i].ending))
            return known[i].format;
    return TL_CACHE_NONE;
}

static bool is_plain(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static bool name_is_taken(const ToileCache *cache, const char *name) {
    for (int32_t i = 0; i < cache->cloth_count; i++)
        if (strcmp(cache->cloths[i].name, name) == 0)
            return true;
    return false;
}

/* the name with every other byte as _, and a number when two cloths would then be one */
static const char *clean_name(ToileCache *cache, const char *source) {
    size_t length = strlen(source);
    char *name = tl_io_arena_alloc(&cache->arena, length + 24);
    if (!name)
        return NULL;
    for (size_t i = 0; i < length; i++)
        name[i] = is_plain(source[i]) ? source[i] : '_';
    if (length == 0) {
        strcpy(name, "cloth");
        length = 5;
    }
    for (int32_t number = 2; name_is_taken(cache, name); number++)
        snprintf(name + length, 16, "_%d", (int)number);
    return name;
}

double tl_cache_frame(const ToileCache *cache, int32_t sample) {
    const int32_t *frames = cache->def.frames;
    double step = cache->def.frame_count > 1 ? (double)frames[1] - (double)frames[0] : 1.0;
    return frames[0] + sample * step / cache->def.samples_per_frame;
}

/* ---- point caches ---- */

static ToileStatus declare_in_points(ToileCache *cache, const TlCacheCloth *cloth,
                                     ToileError *error) {
    const int32_t *frames = cache->def.frames;
    if (cache->points)
        return tl_io_fail(
            error, TOILE_STATUS_UNSUPPORTED,
            "%s: a point cache holds one mesh, but there are '%.64s' and '%.64s'; write "
            "an .abc cache instead",
            cache->path, cache->cloths[0].source, cloth->source);
    ToilePointCacheDef def = toile_pointcache_def_default();
    def.point_count = cloth->mesh.vertex_count;
    def.sample_count = cache->sample_count;
    def.first_frame = frames[0];
    def.frame_step = tl_cache_frame(cache, 1) - frames[0];
    def.fps = cache->def.fps;
    return toile_pointcache_create(cache->path, &def, &cache->points, error);
}

/* ---- OBJ files ---- */

/* `stem`[.`cloth`].0001.obj */
void tl_cache_name_obj(const ToileCache *cache, const TlCacheCloth *cloth, int32_t frame) {
    bool several = cache->cloth_count > 1;
    int stem = (int)(strlen(cache->path) - strlen(".obj"));
    long long number = frame;
    snprintf(cloth->path, cloth->path_size, "%.*s%s%s.%s%04lld.obj", stem, cache->path,
             several ? "." : "", several ? cloth->name : "", frame < 0 ? "-" : "",
             frame < 0 ? -number : number);
}

ToileStatus tl_cache_put_obj(ToileCache *cache, const TlCacheCloth *cloth, double unit_m,
                             ToileError *error) {
    tl_cache_name_obj(cache, cloth, cache->def.frames[cache->added]);
    return toile_obj_write(cloth->path, &cloth->mesh, cloth->x, unit_m, error);
}

/* the folder is tried now: a frame that cannot be written shall not be simulated first */
static ToileStatus open_sequence(const ToileCache *cache, ToileError *error) {
    TlIoWriter *probe = NULL;
    ToileStatus status = tl_io_writer_open(cache->path, &probe, error);
    tl_io_writer_abandon(probe);
    return status;
}

static ToileStatus declare_in_sequence(ToileCache *cache, TlCacheCloth *cloth, ToileError *error) {
    cloth->path_size = strlen(cache->path) + strlen(cloth->name) + 32;
    cloth->path = tl_io_arena_alloc(&cache->arena, cloth->path_size);
    return cloth->path ? TOILE_STATUS_OK : tl_io_out_of_memory(error);
}

/* ---- opening ---- */

static void init(void *to, uint32_t to_size, void *from, size_t from_size) {
    memcpy(from, &to_size, sizeof to_size);
    memcpy(to, from, to_size < from_size ? to_size : from_size);
}

/* `local` holds defaults; what the caller's struct has is copied over them */
static bool read_def(void *local, size_t size, const void *def) {
    uint32_t given, own = (uint32_t)size;
    if (!def)
        return false;
    memcpy(&given, def, sizeof given);
    if (given < 2 * sizeof given)
        return false;
    memcpy(local, def, given < size ? given : size);
    memcpy(local, &own, sizeof own);
    return true;
}

void toile_cache_def_init(ToileCacheDef *def, uint32_t struct_size) {
    ToileCacheDef full;
    memset(&full, 0, sizeof full);
    full.velocities = 1;
    full.samples_per_frame = 1;
    full.fps = 24.0;
    full.unit_m = 1.0;
    init(def, struct_size, &full, sizeof full);
}

void toile_cache_object_init(ToileCacheObject *object, uint32_t struct_size) {
    ToileCacheObject full;
    memset(&full, 0, sizeof full);
    full.name = "cloth";
    full.unit_m = 1.0;
    init(object, struct_size, &full, sizeof full);
}

static ToileStatus check_frames(const ToileCacheDef *def, TlCacheFormat format, ToileError *error) {
    const int32_t *frames = def->frames;
    if (!frames || def->frame_count < 1)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "A cache needs at least one frame");
    for (int32_t i = 1; i < def->frame_count; i++)
        if (frames[i] <= frames[i - 1])
            return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                              "Frames of a cache must rise, but %d is followed by %d",
                              (int)frames[i - 1], (int)frames[i]);
    for (int32_t i = 2; i < def->frame_count && format != TL_CACHE_OBJ; i++)
        if ((int64_t)frames[i] - frames[i - 1] != (int64_t)frames[1] - frames[0])
            return tl_io_fail(
                error, TOILE_STATUS_INVALID_ARGUMENT,
                "An .abc, .pc2 or .mdd cache needs evenly spaced frames, but %d is followed by %d "
                "where the step was %lld; write .obj files, or frames such as 1-100x5",
                (int)frames[i - 1], (int)frames[i], (long long)frames[1] - frames[0]);
    return TOILE_STATUS_OK;
}

/* between two frames there is room for samples only when no frame is left out */
static ToileStatus check_samples(const ToileCacheDef *def, TlCacheFormat format,
                                 ToileError *error) {
    if (def->samples_per_frame < 1 || def->samples_per_frame > SAMPLES_MAX)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "A cache has %d samples a frame; 1 to %d are allowed",
                          (int)def->samples_per_frame, SAMPLES_MAX);
    if (def->samples_per_frame == 1)
        return TOILE_STATUS_OK;
    if (format == TL_CACHE_OBJ)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "OBJ files are numbered by frame, and hold no samples between; write one "
                          "sample a frame, or an .abc, .pc2 or .mdd cache");
    if (def->frame_count > 1 && def->frames[1] - def->frames[0] != 1)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "A cache with %d samples a frame needs frames that follow one another, "
                          "but %d is followed by %d",
                          (int)def->samples_per_frame, (int)def->frames[0], (int)def->frames[1]);
    return TOILE_STATUS_OK;
}

ToileStatus tl_cache_check_def(const ToileCacheDef *def, const char *path, ToileError *error) {
    if (format_of(path) == TL_CACHE_NONE)
        return tl_io_fail(
            error, TOILE_STATUS_UNSUPPORTED,
            "%s: a cache must end in .abc, .pc2, .mdd or .obj; this version writes no other", path);
    if (!(def->fps > 0.0) || !isfinite(def->fps) || !(def->unit_m > 0.0) || !isfinite(def->unit_m))
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "A cache needs fps and unit_m above 0");
    if (def->up != TOILE_UP_Y && def->up != TOILE_UP_Z)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "The up axis of a cache is %d; allowed are 0 (Y) and 1 (Z)",
                          (int)def->up);
    if (def->schema != TOILE_SCHEMA_POLYMESH && def->schema != TOILE_SCHEMA_SUBD)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "The schema of a cache is %d; allowed are 0 (polygon meshes) and 1 "
                          "(subdivision surfaces)",
                          (int)def->schema);
    if (def->schema == TOILE_SCHEMA_SUBD && format_of(path) != TL_CACHE_ABC)
        return tl_io_fail(
            error, TOILE_STATUS_UNSUPPORTED,
            "%s: only .abc caches hold subdivision surfaces; write one, or the schema "
            "\"polymesh\"",
            path);
    ToileStatus status = check_frames(def, format_of(path), error);
    return status == TOILE_STATUS_OK ? check_samples(def, format_of(path), error) : status;
}

ToileStatus toile_cache_open(const char *path, const ToileCacheDef *def, ToileCache **out,
                             ToileError *error) {
    TlIoArena arena = {0};
    ToileCacheDef local = toile_cache_def_default();
    if (!out)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "toile_cache_open needs `out`");
    *out = NULL;
    if (!path || !read_def(&local, sizeof local, def))
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "A cache needs a path and a definition set up by toile_cache_def_init");
    ToileStatus status = tl_cache_check_def(&local, path, error);
    if (status != TOILE_STATUS_OK)
        return status;
    ToileCache *cache = tl_io_arena_alloc(&arena, sizeof *cache);
    if (!cache)
        return tl_io_out_of_memory(error);
    cache->arena = arena;
    cache->def = local;
    cache->format = format_of(path);
    cache->path = tl_io_arena_copy(&cache->arena, path, strlen(path));
    size_t count = (size_t)local.frame_count;
    int32_t *frames = tl_io_arena_array(&cache->arena, count, sizeof *frames);
    if (!cache->path || !frames) {
        toile_cache_abandon(cache);
        return tl_io_out_of_memory(error);
    }
    memcpy(frames, local.frames, count * sizeof *frames);
    cache->first_frame = frames[0];
    cache->sample_count = (local.frame_count - 1) * local.samples_per_frame + 1;
    cache->def.frames = frames;
    tl_io_remove_stale(cache->path, cache->format == TL_CACHE_OBJ ? ".obj" : NULL);
    if (cache->format == TL_CACHE_ABC)
        status = tl_cache_open_archive(cache, error);
    else
        status = open_sequence(cache, error);
    if (status == TOILE_STATUS_OK)
        *out = cache;
    else
        toile_cache_abandon(cache);
    return status;
}

/* ---- objects ---- */

static void *copy_array(ToileCache *cache, const void *from, size_t count, size_t element) {
    void *copy = tl_io_arena_array(&cache->arena, count + 1, element);
    if (copy && count > 0)
        memcpy(copy, from, count * element);
    return copy;
}

static bool copy_mesh(ToileCache *cache, const ToileMeshDef *mesh, ToileMeshDef *to) {
    size_t corners = (size_t)mesh->corner_count;
    *to = *mesh;
    to->positions_m = NULL;
    to->face_sizes = copy_array(cache, mesh->face_sizes, (size_t)mesh->face_count, sizeof(int32_t));
    to->corners = copy_array(cache, mesh->corners, corners, sizeof(int32_t));
    if (mesh->uv_count == 0)
        return to->face_sizes && to->corners;
    to->uvs = copy_array(cache, mesh->uvs, 2 * (size_t)mesh->uv_count, sizeof(double));
    to->corner_uvs = copy_array(cache, mesh->corner_uvs, corners, sizeof(int32_t));
    return to->face_sizes && to->corners && to->uvs && to->corner_uvs;
}

/* counts and pointers; that indices fit is checked by what writes them */
static bool mesh_is_whole(const ToileMeshDef *mesh) {
    return mesh && mesh->struct_size >= sizeof *mesh && mesh->vertex_count > 0 &&
           mesh->face_count > 0 && mesh->corner_count > 0 && mesh->uv_count >= 0 &&
           mesh->face_sizes && mesh->corners &&
           (mesh->uv_count == 0 || (mesh->uvs && mesh->corner_uvs));
}

static bool prepare_cloth(ToileCache *cache, const ToileCacheObject *object, TlCacheCloth *cloth) {
    size_t values = 3 * (size_t)object->mesh->vertex_count;
    const char *source = object->name ? object->name : "cloth";
    const char *uv_name = object->uv_name ? object->uv_name : UV_NAME;
    bool with_velocities = cache->format == TL_CACHE_ABC && cache->def.velocities;
    memset(cloth, 0, sizeof *cloth);
    cloth->unit_m = object->unit_m;
    cloth->has_matrix = object->has_matrix != 0;
    cloth->sim_count = object->mesh->vertex_count;
    cloth->source = tl_io_arena_copy(&cache->arena, source, strlen(source));
    cloth->name = clean_name(cache, source);
    cloth->x = tl_io_arena_array(&cache->arena, values, sizeof *cloth->x);
    cloth->P = tl_io_arena_array(&cache->arena, values, sizeof *cloth->P);
    if (with_velocities)
        cloth->v = tl_io_arena_array(&cache->arena, values, sizeof *cloth->v);
    if (object->mesh->uv_count > 0)
        cloth->uv_name = tl_io_arena_copy(&cache->arena, uv_name, strlen(uv_name));
    return cloth->source && cloth->name && cloth->x && cloth->P && (cloth->v || !with_velocities) &&
           (cloth->uv_name || object->mesh->uv_count == 0) &&
           copy_mesh(cache, object->mesh, &cloth->mesh);
}

static bool grow_cloths(ToileCache *cache) {
    if (cache->cloth_count < cache->cloth_capacity)
        return true;
    size_t capacity = 2 * (size_t)cache->cloth_capacity + 4;
    TlCacheCloth *larger = tl_io_arena_array(&cache->arena, capacity, sizeof *larger);
    if (!larger)
        return false;
    if (cache->cloth_count > 0)
        memcpy(larger, cache->cloths, (size_t)cache->cloth_count * sizeof *larger);
    cache->cloths = larger;
    cache->cloth_capacity = (int32_t)capacity;
    return true;
}

bool tl_cache_add_name(ToileCache *cache, const char *source) {
    TlCacheCloth cloth = {.source = source};
    if (!grow_cloths(cache))
        return false;
    cloth.name = clean_name(cache, source);
    if (!cloth.name || declare_in_sequence(cache, &cloth, NULL) != TOILE_STATUS_OK)
        return false;
    cache->cloths[cache->cloth_count++] = cloth;
    return true;
}

ToileStatus toile_cache_add_object(ToileCache *cache, const ToileCacheObject *object,
                                   ToileError *error) {
    ToileCacheObject local = toile_cache_object_default();
    if (!cache || !read_def(&local, sizeof local, object) || !mesh_is_whole(local.mesh))
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_cache_add_object needs a cache and an object set up by "
                          "toile_cache_object_init, with a mesh");
    if (cache->added > 0)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "Objects of a cache must be added before its first frame");
    if (!(local.unit_m > 0.0) || !isfinite(local.unit_m))
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "An object of a cache needs a unit_m above 0");
    TlCacheCloth cloth;
    if (!grow_cloths(cache) || !prepare_cloth(cache, &local, &cloth))
        return tl_io_out_of_memory(error);
    ToileStatus status = cache->format == TL_CACHE_ABC ? tl_cache_declare(cache, &cloth, error)
                         : cache->format == TL_CACHE_POINTS
                             ? declare_in_points(cache, &cloth, error)
                             : declare_in_sequence(cache, &cloth, error);
    if (status == TOILE_STATUS_OK)
        cache->cloths[cache->cloth_count++] = cloth;
    return status;
}

/* ---- frames ---- */

ToileStatus tl_cache_check_room(const ToileCache *cache, ToileError *error) {
    if (cache->cloth_count == 0)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "A cache needs an object before its first frame");
    if (cache->added == cache->sample_count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "The cache was made for %d frames, and all of them are written",
                          (int)cache->def.frame_count);
    return TOILE_STATUS_OK;
}

ToileStatus tl_cache_put(ToileCache *cache, TlCacheCloth *cloth, const float *positions,
                         const float *velocities, const double *matrix, ToileError *error) {
    if (!positions || (cloth->v && !velocities) || (cloth->has_matrix && !matrix))
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "The frame of '%.64s' lacks positions, velocities or its matrix",
                          cloth->source);
    if (cache->format == TL_CACHE_ABC) {
        ToileStatus status = TOILE_STATUS_OK;
        if (cloth->has_matrix)
            status = tl_cache_put_matrix(cache, cloth, matrix, error);
        return status == TOILE_STATUS_OK
                   ? tl_cache_put_sample(cache, cloth, positions, velocities, error)
                   : status;
    }
    if (cache->format == TL_CACHE_POINTS)
        return toile_pointcache_add(cache->points, positions, error);
    for (size_t i = 0; i < 3 * (size_t)cloth->mesh.vertex_count; i++)
        cloth->x[i] = (double)positions[i];
    return tl_cache_put_obj(cache, cloth, 1.0, error);
}

ToileStatus toile_cache_add_arrays(ToileCache *cache, const float *const *positions,
                                   const float *const *velocities, const double *const *matrices,
                                   ToileError *error) {
    if (!cache || !positions)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_cache_add_arrays needs a cache and positions");
    ToileStatus status = tl_cache_check_room(cache, error);
    for (int32_t i = 0; i < cache->cloth_count && status == TOILE_STATUS_OK; i++)
        status =
            tl_cache_put(cache, &cache->cloths[i], positions[i], velocities ? velocities[i] : NULL,
                         matrices ? matrices[i] : NULL, error);
    if (status == TOILE_STATUS_OK)
        cache->added++;
    return status;
}

/* ---- the end ---- */

ToileStatus toile_cache_finish(ToileCache *cache, ToileError *error) {
    if (!cache)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "toile_cache_finish needs a cache");
    ToileStatus status = TOILE_STATUS_OK;
    if (cache->writer) {
        status = tl_cache_finish_archive(cache, error);
    } else if (cache->points) {
        status = toile_pointcache_finish(cache->points, error);
        cache->points = NULL;
    }
    toile_cache_abandon(cache);
    return status;
}

void toile_cache_abandon(ToileCache *cache) {
    if (!cache)
        return;
    abcc_abandon(cache->writer);
    toile_pointcache_abandon(cache->points);
    for (int32_t i = 0; i < cache->cloth_count; i++)
        osdc_table_free(cache->cloths[i].smooth);
    /* the cache itself lies in its arena */
    TlIoArena arena = cache->arena;
    tl_io_arena_free(&arena);
}
