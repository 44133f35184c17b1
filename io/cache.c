/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of a simulation to disk: one Alembic archive, or one OBJ file a frame and cloth.
 *
 * An archive holds for each cloth a transform /<name> and below it the mesh <name>Shape with
 * float32 positions, velocities per second on request, and its uvs; faces and uvs are handed over
 * once. The sample of frame f stands at f / fps seconds. Alembic is Y up, so that a scene whose up
 * is z is turned by (x, y, z) -> (x, z, -y), which is exact. Lengths are in the cloth's unit. Far
 * from the origin float32 is coarse: there the positions are relative to a point in whole metres,
 * which the transform carries. Nothing in the file tells the machine, the folder or the day.
 *
 * OBJ files are in the scene's axes and in the cloth's unit. */
#include "toile_io/cache.h"

#include "arena.h"
#include "number.h"
#include "platform.h"
#include "report.h"
#include "toile_io/abc_c.h"
#include "toile_io/obj.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Distance of the start box's centre from the origin beyond which positions become relative. At
 * 10 m float32 resolves one micrometre, the contact distance being a thousand. */
#define FAR_M 10.0

/* Name of the uv set: OBJ files do not tell one. */
#define UV_NAME "uv"

typedef struct CacheCloth {
    ToileSceneCloth def; /* its strings and arrays belong to the scene */
    const char *name;    /* letters, digits and _ only, unlike any other cloth's */
    char *path;          /* of its OBJ file; room for any frame */
    size_t path_size;
    abcc_obj xform;
    abcc_obj mesh;
    double offset_m[3]; /* what positions in the archive are relative to, Y up */
    double *x;          /* 3 * vertex_count, of the frame being added */
    float *P;           /* the same as the archive takes it */
    float *v;           /* NULL: velocities are not written */
    float *uv;          /* NULL: the mesh has none */
    uint32_t *uv_index;
} CacheCloth;

struct ToileCache {
    TlIoArena arena;
    const ToileScene *scene; /* outlives the cache */
    ToileSceneInfo info;
    const char *stem; /* path of OBJ files without ending */
    const int32_t *frames;
    int32_t frame_count;
    int32_t added;
    CacheCloth *cloths;  /* info.cloth_count */
    abcc_writer *writer; /* NULL: OBJ files */
};

/* ---- names ---- */

static bool has_ending(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    if (length <= tail)
        return false;
    for (size_t i = 0; i < tail; i++) {
        char c = path[length - tail + i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != ending[i])
            return false;
    }
    return true;
}

static bool is_plain(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static bool name_is_taken(const ToileCache *cache, int32_t count, const char *name) {
    for (int32_t i = 0; i < count; i++)
        if (strcmp(cache->cloths[i].name, name) == 0)
            return true;
    return false;
}

/* the name with every other byte as _, and a number when two cloths would then be one */
static const char *clean_name(ToileCache *cache, int32_t index) {
    const char *source = cache->cloths[index].def.name;
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
    for (int32_t number = 2; name_is_taken(cache, index, name); number++)
        snprintf(name + length, 16, "_%d", (int)number);
    return name;
}

/* ---- archives ---- */

static ToileStatus pass_on(abcc_status status, const abcc_error *from, ToileError *error) {
    ToileStatus answer = TOILE_STATUS_INTERNAL;
    if (status == ABCC_OK)
        return TOILE_STATUS_OK;
    if (status == ABCC_E_OPEN)
        answer = TOILE_STATUS_CANNOT_CREATE;
    else if (status == ABCC_E_IO || status == ABCC_E_NOSPACE)
        answer = TOILE_STATUS_IO_ERROR;
    else if (status == ABCC_E_MEMORY)
        answer = TOILE_STATUS_OUT_OF_MEMORY;
    return tl_io_fail(error, answer, "%s", from->text);
}

static ToileStatus check_spacing(const int32_t *frames, int32_t count, ToileError *error) {
    for (int32_t i = 2; i < count; i++)
        if ((int64_t)frames[i] - frames[i - 1] != (int64_t)frames[1] - frames[0])
            return tl_io_fail(
                error, TOILE_STATUS_INVALID_ARGUMENT,
                "An .abc cache needs evenly spaced frames, but %d is followed by %d "
                "where the step was %lld; write .obj files, or frames such as 1-100x5.",
                (int)frames[i - 1], (int)frames[i], (long long)frames[1] - frames[0]);
    return TOILE_STATUS_OK;
}

static ToileStatus add_objects(ToileCache *cache, ToileError *error) {
    abcc_error abc = {0};
    abcc_time time = 0;
    const int32_t *frames = cache->frames;
    double fps = cache->info.fps;
    double step = cache->frame_count > 1 ? (double)frames[1] - (double)frames[0] : 1.0;
    abcc_status status = abcc_time_uniform(cache->writer, frames[0] / fps, step / fps, &time, &abc);
    for (int32_t i = 0; i < cache->info.cloth_count && status == ABCC_OK; i++) {
        CacheCloth *cloth = &cache->cloths[i];
        size_t length = strlen(cloth->name);
        char *shape = tl_io_arena_alloc(&cache->arena, length + 6);
        if (!shape)
            return tl_io_out_of_memory(error);
        memcpy(shape, cloth->name, length);
        strcpy(shape + length, "Shape");
        status = abcc_add_xform(cache->writer, 0, cloth->name, 0, &cloth->xform, &abc);
        if (status == ABCC_OK)
            status = abcc_add_mesh(cache->writer, cloth->xform, shape, time,
                                   cloth->uv ? UV_NAME : NULL, &cloth->mesh, &abc);
    }
    return pass_on(status, &abc, error);
}

static ToileStatus open_archive(ToileCache *cache, const char *path, ToileError *error) {
    char application[64], unit[TL_NUMBER_SIZE], description[160];
    ToileStatus status = check_spacing(cache->frames, cache->frame_count, error);
    if (status != TOILE_STATUS_OK)
        return status;
    tl_number_shortest(cache->info.unit_m, unit);
    snprintf(application, sizeof application, "Toile %s", toile_version_string());
    snprintf(description, sizeof description, "Cloth simulation, Y up, %s m a unit, scene %016llx",
             unit, (unsigned long long)cache->info.hash);
    abcc_error abc = {0};
    abcc_create_info info = abcc_create_info_default();
    info.fps = cache->info.fps;
    info.application = application;
    info.description = description;
    status = pass_on(abcc_create(path, &info, &cache->writer, &abc), &abc, error);
    return status == TOILE_STATUS_OK ? add_objects(cache, error) : status;
}

/* exact: only signs and places change */
static void to_y_up(const ToileCache *cache, const double in[3], double out[3]) {
    bool turn = cache->info.up == TOILE_UP_Z;
    out[0] = in[0];
    out[1] = turn ? in[2] : in[1];
    out[2] = turn ? -in[1] : in[2];
}

/* where positions of the archive begin: the centre of the box when that is far away */
static void choose_offset(ToileCache *cache, CacheCloth *cloth) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double centre[3], distance2 = 0.0;
    for (int32_t i = 0; i < cloth->def.mesh->vertex_count; i++) {
        double x[3];
        to_y_up(cache, cloth->x + 3 * (size_t)i, x);
        for (int32_t k = 0; k < 3; k++) {
            low[k] = x[k] < low[k] ? x[k] : low[k];
            high[k] = x[k] > high[k] ? x[k] : high[k];
        }
    }
    for (int32_t k = 0; k < 3; k++) {
        centre[k] = 0.5 * (low[k] + high[k]);
        distance2 += centre[k] * centre[k];
    }
    for (int32_t k = 0; k < 3; k++)
        cloth->offset_m[k] = distance2 > FAR_M * FAR_M ? floor(centre[k] + 0.5) : 0.0;
}

static abcc_status write_offset(ToileCache *cache, const CacheCloth *cloth, abcc_error *abc) {
    const double *offset = cloth->offset_m;
    double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    /* no sample means identity */
    if (offset[0] == 0.0 && offset[1] == 0.0 && offset[2] == 0.0)
        return ABCC_OK;
    for (int32_t k = 0; k < 3; k++)
        m[12 + k] = offset[k] / cloth->def.unit_m;
    return abcc_xform_write(cache->writer, cloth->xform, m, 1, abc);
}

static void convert(const ToileCache *cache, const CacheCloth *cloth, const double offset_m[3],
                    float *out) {
    for (int32_t i = 0; i < cloth->def.mesh->vertex_count; i++) {
        double x[3];
        to_y_up(cache, cloth->x + 3 * (size_t)i, x);
        for (int32_t k = 0; k < 3; k++)
            out[3 * (size_t)i + (size_t)k] = (float)((x[k] - offset_m[k]) / cloth->def.unit_m);
    }
}

static ToileStatus add_sample(ToileCache *cache, CacheCloth *cloth, const ToileSim *sim,
                              ToileClothId id, ToileError *error) {
    static const double nothing[3] = {0.0, 0.0, 0.0};
    const ToileMeshDef *mesh = cloth->def.mesh;
    abcc_error abc = {0};
    abcc_status status = ABCC_OK;
    abcc_mesh_in in = abcc_mesh_in_default();
    in.verts = (uint32_t)mesh->vertex_count;
    if (cache->added == 0) {
        choose_offset(cache, cloth);
        status = write_offset(cache, cloth, &abc);
        in.faces = (uint32_t)mesh->face_count;
        in.corners = (uint32_t)mesh->corner_count;
        in.face_count = mesh->face_sizes;
        in.index = mesh->corners;
        in.uv_values = cloth->uv ? (uint32_t)mesh->uv_count : 0;
        in.uv = cloth->uv;
        in.uv_index = cloth->uv_index;
    }
    convert(cache, cloth, cloth->offset_m, cloth->P);
    in.P = cloth->P;
    if (cloth->v) {
        ToileStatus got = toile_sim_get_velocities(sim, id, cloth->x, error);
        if (got != TOILE_STATUS_OK)
            return got;
        convert(cache, cloth, nothing, cloth->v);
        in.v = cloth->v;
    }
    if (status == ABCC_OK)
        status = abcc_mesh_write(cache->writer, cloth->mesh, &in, &abc);
    return pass_on(status, &abc, error);
}

static abcc_status write_properties(ToileCache *cache, const CacheCloth *cloth, abcc_error *abc) {
    abcc_writer *writer = cache->writer;
    const int32_t *frames = cache->frames;
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)cache->info.hash);
    const struct {
        const char *name, *text;
    } texts[] = {{"toile_version", toile_version_string()},
                 {"scene_hash", hash},
                 {"source_name", cloth->def.name}};
    const struct {
        const char *name;
        int32_t value;
    } numbers[] = {{"first_frame", frames[0]},
                   {"last_frame", frames[cache->frame_count - 1]},
                   {"frame_step", cache->frame_count > 1 ? frames[1] - frames[0] : 1},
                   {"complete", cache->added == cache->frame_count}};
    abcc_status status = ABCC_OK;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && status == ABCC_OK; i++)
        status = abcc_property_string(writer, cloth->mesh, texts[i].name, texts[i].text, abc);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == ABCC_OK; i++)
        status = abcc_property_int(writer, cloth->mesh, numbers[i].name, numbers[i].value, abc);
    if (status == ABCC_OK)
        status = abcc_property_double(writer, cloth->mesh, "unit_m", cloth->def.unit_m, abc);
    return status;
}

static ToileStatus finish_archive(ToileCache *cache, ToileError *error) {
    abcc_error abc = {0};
    abcc_status status = ABCC_OK;
    for (int32_t i = 0; i < cache->info.cloth_count && status == ABCC_OK; i++)
        status = write_properties(cache, &cache->cloths[i], &abc);
    if (status != ABCC_OK)
        return pass_on(status, &abc, error);
    abcc_writer *writer = cache->writer;
    cache->writer = NULL;
    return pass_on(abcc_finish(writer, &abc), &abc, error);
}

/* ---- OBJ files ---- */

/* `stem`[.`cloth`].0001.obj */
static ToileStatus write_obj(ToileCache *cache, const CacheCloth *cloth, ToileError *error) {
    long long frame = cache->frames[cache->added];
    bool several = cache->info.cloth_count > 1;
    snprintf(cloth->path, cloth->path_size, "%s%s%s.%s%04lld.obj", cache->stem, several ? "." : "",
             several ? cloth->name : "", frame < 0 ? "-" : "", frame < 0 ? -frame : frame);
    return toile_obj_write(cloth->path, cloth->def.mesh, cloth->x, cloth->def.unit_m, error);
}

/* the folder is tried now: a frame that cannot be written shall not be simulated first */
static ToileStatus open_sequence(ToileCache *cache, const char *path, ToileError *error) {
    TlIoWriter *probe = NULL;
    cache->stem = tl_io_arena_copy(&cache->arena, path, strlen(path) - strlen(".obj"));
    if (!cache->stem)
        return tl_io_out_of_memory(error);
    for (int32_t i = 0; i < cache->info.cloth_count; i++) {
        CacheCloth *cloth = &cache->cloths[i];
        cloth->path_size = strlen(path) + strlen(cloth->name) + 32;
        cloth->path = tl_io_arena_alloc(&cache->arena, cloth->path_size);
        if (!cloth->path)
            return tl_io_out_of_memory(error);
    }
    ToileStatus status = tl_io_writer_open(path, &probe, error);
    tl_io_writer_abandon(probe);
    return status;
}

/* ---- life ---- */

static bool copy_uvs(ToileCache *cache, CacheCloth *cloth) {
    const ToileMeshDef *mesh = cloth->def.mesh;
    if (mesh->uv_count == 0)
        return true;
    cloth->uv = tl_io_arena_array(&cache->arena, 2 * (size_t)mesh->uv_count, sizeof *cloth->uv);
    cloth->uv_index =
        tl_io_arena_array(&cache->arena, (size_t)mesh->corner_count, sizeof *cloth->uv_index);
    if (!cloth->uv || !cloth->uv_index)
        return false;
    for (size_t i = 0; i < 2 * (size_t)mesh->uv_count; i++)
        cloth->uv[i] = (float)mesh->uvs[i];
    for (int32_t i = 0; i < mesh->corner_count; i++)
        cloth->uv_index[i] = (uint32_t)mesh->corner_uvs[i];
    return true;
}

static ToileStatus prepare_cloth(ToileCache *cache, int32_t index, ToileError *error) {
    CacheCloth *cloth = &cache->cloths[index];
    cloth->def.struct_size = (uint32_t)sizeof cloth->def;
    ToileStatus status = toile_scene_get_cloth(cache->scene, index, &cloth->def, error);
    if (status != TOILE_STATUS_OK)
        return status;
    size_t values = 3 * (size_t)cloth->def.mesh->vertex_count;
    cloth->name = clean_name(cache, index);
    cloth->x = tl_io_arena_array(&cache->arena, values, sizeof *cloth->x);
    cloth->P = tl_io_arena_array(&cache->arena, values, sizeof *cloth->P);
    if (cache->info.velocities)
        cloth->v = tl_io_arena_array(&cache->arena, values, sizeof *cloth->v);
    bool whole = cloth->name && cloth->x && cloth->P && (cloth->v || !cache->info.velocities);
    return whole && copy_uvs(cache, cloth) ? TOILE_STATUS_OK : tl_io_out_of_memory(error);
}

static ToileStatus prepare(ToileCache *cache, const int32_t *frames, ToileError *error) {
    size_t count = (size_t)cache->frame_count;
    int32_t *copy = tl_io_arena_array(&cache->arena, count, sizeof *copy);
    if (!copy)
        return tl_io_out_of_memory(error);
    memcpy(copy, frames, count * sizeof *copy);
    cache->frames = copy;
    cache->info.struct_size = (uint32_t)sizeof cache->info;
    ToileStatus status = toile_scene_get_info(cache->scene, &cache->info, error);
    if (status != TOILE_STATUS_OK)
        return status;
    cache->cloths = tl_io_arena_array(&cache->arena, (size_t)cache->info.cloth_count + 1,
                                      sizeof *cache->cloths);
    if (!cache->cloths)
        return tl_io_out_of_memory(error);
    for (int32_t i = 0; i < cache->info.cloth_count && status == TOILE_STATUS_OK; i++)
        status = prepare_cloth(cache, i, error);
    return status;
}

static ToileStatus check_arguments(const char *path, const ToileScene *scene, const int32_t *frames,
                                   int32_t frame_count, ToileError *error) {
    if (!path || !scene || !frames || frame_count < 1)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "A cache needs a path, a scene and at least one frame.");
    for (int32_t i = 1; i < frame_count; i++)
        if (frames[i] <= frames[i - 1])
            return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                              "Frames of a cache must rise, but %d is followed by %d.",
                              (int)frames[i - 1], (int)frames[i]);
    if (!has_ending(path, ".abc") && !has_ending(path, ".obj"))
        return tl_io_fail(error, TOILE_STATUS_UNSUPPORTED,
                          "%s: a cache must end in .abc or .obj; this version writes no other.",
                          path);
    return TOILE_STATUS_OK;
}

ToileStatus toile_cache_create(const char *path, const ToileScene *scene, const int32_t *frames,
                               int32_t frame_count, ToileCache **out, ToileError *error) {
    TlIoArena arena = {0};
    if (!out)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "toile_cache_create needs `out`.");
    *out = NULL;
    ToileStatus status = check_arguments(path, scene, frames, frame_count, error);
    if (status != TOILE_STATUS_OK)
        return status;
    ToileCache *cache = tl_io_arena_alloc(&arena, sizeof *cache);
    if (!cache)
        return tl_io_out_of_memory(error);
    cache->arena = arena;
    cache->scene = scene;
    cache->frame_count = frame_count;
    status = prepare(cache, frames, error);
    if (status == TOILE_STATUS_OK)
        status = has_ending(path, ".abc") ? open_archive(cache, path, error)
                                          : open_sequence(cache, path, error);
    if (status == TOILE_STATUS_OK)
        *out = cache;
    else
        toile_cache_abandon(cache);
    return status;
}

ToileStatus toile_cache_add(ToileCache *cache, const ToileSim *sim, const ToileClothId *cloths,
                            ToileError *error) {
    if (!cache || !sim || !cloths)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_cache_add needs a cache, a simulation and its cloths.");
    if (cache->added == cache->frame_count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "The cache was made for %d frames, and all of them are written.",
                          (int)cache->frame_count);
    for (int32_t i = 0; i < cache->info.cloth_count; i++) {
        CacheCloth *cloth = &cache->cloths[i];
        if (toile_sim_vertex_count(sim, cloths[i]) != cloth->def.mesh->vertex_count)
            return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                              "Cloth '%s' of the simulation is not that of the scene.",
                              cloth->def.name);
        ToileStatus status = toile_sim_get_positions(sim, cloths[i], cloth->x, error);
        if (status == TOILE_STATUS_OK)
            status = cache->writer ? add_sample(cache, cloth, sim, cloths[i], error)
                                   : write_obj(cache, cloth, error);
        if (status != TOILE_STATUS_OK)
            return status;
    }
    cache->added++;
    return TOILE_STATUS_OK;
}

ToileStatus toile_cache_finish(ToileCache *cache, ToileError *error) {
    if (!cache)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_cache_finish needs a cache.");
    ToileStatus status = cache->writer ? finish_archive(cache, error) : TOILE_STATUS_OK;
    toile_cache_abandon(cache);
    return status;
}

void toile_cache_abandon(ToileCache *cache) {
    if (!cache)
        return;
    abcc_abandon(cache->writer);
    /* the cache itself lies in its arena */
    TlIoArena arena = cache->arena;
    tl_io_arena_free(&arena);
}
