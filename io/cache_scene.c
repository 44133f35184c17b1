/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The cloths of a scene into a cache, from the simulation itself: metres and scene axes, divided by
 * the unit of the scene in an archive, which holds all cloths, and by that of each cloth elsewhere.
 * A cloth that is subdivided for output is refined here, positions and velocities by one table. Far
 * from the origin float32 is coarse: there the positions of an archive are relative to a point in
 * whole metres, which the transform carries. */
#include "cache_types.h"

#include "obj_parse.h"
#include "platform.h"
#include "report.h"
#include "scene_types.h"

#include <math.h>
#include <string.h>

/* Distance of the start box's centre from the origin beyond which positions become relative. At
 * 10 m float32 resolves one micrometre, the contact distance being a thousand. */
#define FAR_M 10.0

/* Adds the refined mesh of a cloth, and the table that makes its vertices of the simulated ones.
 * *written gets its faces and groups, for toile_obj_free. */
static ToileStatus add_refined(ToileCache *cache, const TlSceneCloth *source,
                               ToileCacheObject *object, ToileObj **written, ToileError *error) {
    TlIoArena scratch = {0};
    TlSceneLevel level = {0};
    osdc_table *smooth = NULL;
    ToileStatus status = tl_scene_make_surface(source, &scratch, &level, &smooth, error);
    object->mesh = &level.mesh;
    if (status == TOILE_STATUS_OK)
        status = toile_cache_add_object(cache, object, error);
    if (status == TOILE_STATUS_OK) {
        TlCacheCloth *cloth = &cache->cloths[cache->cloth_count - 1];
        cloth->smooth = smooth;
        smooth = NULL;
        cloth->sim_count = source->mesh->mesh.vertex_count;
        cloth->sim_x =
            tl_io_arena_array(&cache->arena, 3 * (size_t)cloth->sim_count, sizeof *cloth->sim_x);
        cloth->tags = level.tags;
        *written = tl_obj_refine(source->mesh, &level.mesh, level.cage_face);
        if (!cloth->sim_x || !*written || !tl_scene_copy_tags(&cache->arena, &cloth->tags))
            status = tl_io_out_of_memory(error);
    }
    osdc_table_free(smooth);
    tl_io_arena_free(&scratch);
    return status;
}

/* where positions of the archive begin: the centre of the box at the start, when that is far away,
 * in whole metres; the same for every chunk of a cache */
static void choose_offset(const ToileCache *cache, const ToileMeshDef *start, TlCacheCloth *cloth) {
    const double *x = start->positions_m;
    double low[3], high[3], centre[3], distance2 = 0.0;
    memcpy(low, x, sizeof low);
    memcpy(high, x, sizeof high);
    for (size_t i = 0; i < 3 * (size_t)start->vertex_count; i++) {
        low[i % 3] = x[i] < low[i % 3] ? x[i] : low[i % 3];
        high[i % 3] = x[i] > high[i % 3] ? x[i] : high[i % 3];
    }
    for (int32_t k = 0; k < 3; k++) {
        centre[k] = 0.5 * (low[k] + high[k]);
        distance2 += centre[k] * centre[k];
    }
    /* what becomes z is rounded as z, so that the file's offset does not depend on the way here */
    for (int32_t k = 0; k < 3 && distance2 > FAR_M * FAR_M; k++) {
        bool negative = cache->def.up == TOILE_UP_Z && k == 1;
        double whole = floor((negative ? -centre[k] : centre[k]) + 0.5);
        cloth->offset_m[k] = negative && whole != 0.0 ? -whole : whole;
    }
}

static ToileStatus write_offset(ToileCache *cache, const TlCacheCloth *cloth, ToileError *error) {
    const double *offset = cloth->offset_m;
    double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    /* no sample means identity */
    if (offset[0] == 0.0 && offset[1] == 0.0 && offset[2] == 0.0)
        return TOILE_STATUS_OK;
    for (int32_t k = 0; k < 3; k++)
        m[4 * k + 3] = offset[k] / cloth->unit_m;
    return tl_cache_put_matrix(cache, cloth, m, error);
}

/* Adds the mesh of a cloth as it is simulated. Beside what an archive brings along the uvs are its
 * main set, for the set that is simulated may be another. */
static ToileStatus add_simulated(ToileCache *cache, const TlSceneCloth *source, double frame,
                                 ToileCacheObject *object, ToileError *error) {
    TlIoArena scratch = {0};
    ToileMeshDef mesh = *object->mesh;
    ToileStatus status = TOILE_STATUS_OK;
    if (cache->format == TL_CACHE_ABC && source->source.reader && source->subdivide.simulate == 0) {
        status = tl_scene_archive_main_uvs(&source->source, frame, &scratch, &mesh, error);
        object->uv_name = tl_scene_archive_uv_name(&source->source, NULL);
    }
    object->mesh = &mesh;
    if (status == TOILE_STATUS_OK)
        status = toile_cache_add_object(cache, object, error);
    tl_io_arena_free(&scratch);
    return status;
}

static ToileStatus add_scene_cloth(ToileCache *cache, const ToileScene *scene, int32_t index,
                                   ToileError *error) {
    ToileSceneCloth cloth = {0};
    cloth.struct_size = (uint32_t)sizeof cloth;
    ToileStatus status = toile_scene_get_cloth(scene, index, &cloth, error);
    if (status != TOILE_STATUS_OK)
        return status;
    ToileCacheObject object = toile_cache_object_default();
    object.name = cloth.name;
    object.mesh = cloth.mesh;
    object.uv_name =
        tl_scene_archive_uv_name(&scene->cloths[index].source, scene->cloths[index].uv_set);
    object.unit_m = cache->format == TL_CACHE_ABC ? cache->def.unit_m : cloth.unit_m;
    const TlSceneCloth *source = &scene->cloths[index];
    ToileObj *refined = NULL;
    status = source->subdivide.surface
                 ? add_refined(cache, source, &object, &refined, error)
                 : add_simulated(cache, source, scene->sim.start_frame, &object, error);
    if (status == TOILE_STATUS_OK && cache->format == TL_CACHE_ABC) {
        TlCacheCloth *added = &cache->cloths[cache->cloth_count - 1];
        if (source->subdivide.simulate > 0 || refined)
            added->rules = &source->subdivide;
        if (!refined)
            added->tags = source->subdivide.tags;
        choose_offset(cache, source->start ? &source->start->mesh : &source->mesh->mesh, added);
        /* before the face sets, as toile join writes it */
        status = write_offset(cache, added, error);
        if (status == TOILE_STATUS_OK)
            status =
                tl_cache_take_along(cache, added, source, refined ? refined : source->mesh, error);
    }
    toile_obj_free(refined);
    return status;
}

/* ---- before anything is written ---- */

static ToileCacheDef def_of(const ToileSceneInfo *info, const int32_t *frames,
                            int32_t frame_count) {
    ToileCacheDef def = toile_cache_def_default();
    def.up = info->up;
    def.velocities = info->velocities;
    def.frames = frames;
    def.frame_count = frame_count;
    def.fps = info->fps;
    def.unit_m = info->unit_m;
    def.hash = info->hash;
    def.schema = info->schema;
    def.samples_per_frame = info->samples_per_frame;
    return def;
}

static ToileStatus refuse_input(const ToileScene *scene, const char *path, ToileError *error) {
    if (!toile_scene_reads(scene, path))
        return TOILE_STATUS_OK;
    return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                      "%s: the scene reads this file, and the cache would take its place; choose "
                      "another name for the cache",
                      path);
}

/* The same for each of the numbered OBJ files. */
static ToileStatus refuse_inputs(const char *path, const ToileScene *scene, const int32_t *frames,
                                 int32_t frame_count, ToileError *error) {
    ToileCache plan = {.path = path};
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t i = 0; i < scene->cloth_count && status == TOILE_STATUS_OK; i++)
        if (!tl_cache_add_name(&plan, scene->cloths[i].name))
            status = tl_io_out_of_memory(error);
    for (int32_t i = 0; i < plan.cloth_count; i++)
        for (int32_t f = 0; f < frame_count && status == TOILE_STATUS_OK; f++) {
            tl_cache_name_obj(&plan, &plan.cloths[i], frames[f]);
            status = refuse_input(scene, plan.cloths[i].path, error);
        }
    tl_io_arena_free(&plan.arena);
    return status;
}

ToileStatus toile_cache_check(const char *path, const ToileScene *scene, const int32_t *frames,
                              int32_t frame_count, ToileError *error) {
    ToileSceneInfo info = {.struct_size = (uint32_t)sizeof info};
    if (!path || !scene || !frames || frame_count < 1)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "A cache needs a path, a scene and at least one frame");
    ToileStatus status = toile_scene_get_info(scene, &info, error);
    if (status != TOILE_STATUS_OK)
        return status;
    ToileCacheDef def = def_of(&info, frames, frame_count);
    status = tl_cache_check_def(&def, path, error);
    if (status != TOILE_STATUS_OK)
        return status;
    return tl_io_has_ending(path, ".obj") ? refuse_inputs(path, scene, frames, frame_count, error)
                                          : refuse_input(scene, path, error);
}

/* ---- making it ---- */

ToileStatus toile_cache_create(const char *path, const ToileScene *scene, const int32_t *frames,
                               int32_t frame_count, ToileCache **out, ToileError *error) {
    ToileCache *cache = NULL;
    ToileSceneInfo info = {.struct_size = (uint32_t)sizeof info};
    if (!out)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "toile_cache_create needs `out`");
    *out = NULL;
    ToileStatus status = toile_cache_check(path, scene, frames, frame_count, error);
    if (status == TOILE_STATUS_OK)
        status = toile_scene_get_info(scene, &info, error);
    if (status != TOILE_STATUS_OK)
        return status;
    ToileCacheDef def = def_of(&info, frames, frame_count);
    status = toile_cache_open(path, &def, &cache, error);
    if (status == TOILE_STATUS_OK) {
        cache->first_frame = info.frames[0];
        if (!info.settle && frames[frame_count - 1] < info.frames[info.frame_count - 1])
            cache->sample_count += info.samples_per_frame - 1;
    }
    for (int32_t i = 0; i < info.cloth_count && status == TOILE_STATUS_OK; i++)
        status = add_scene_cloth(cache, scene, i, error);
    if (status == TOILE_STATUS_OK)
        *out = cache;
    else
        toile_cache_abandon(cache);
    return status;
}

static void convert(const TlCacheCloth *cloth, const double offset_m[3], float *out) {
    for (size_t i = 0; i < 3 * (size_t)cloth->mesh.vertex_count; i++)
        out[i] = (float)((cloth->x[i] - offset_m[i % 3]) / cloth->unit_m);
}

typedef ToileStatus (*GetVertices)(const ToileSim *sim, ToileClothId id, double *values,
                                   ToileError *error);

/* Positions or velocities of what is written into cloth->x. */
static ToileStatus take_vertices(GetVertices get, const ToileSim *sim, ToileClothId id,
                                 TlCacheCloth *cloth, ToileError *error) {
    if (!cloth->smooth)
        return get(sim, id, cloth->x, error);
    ToileStatus status = get(sim, id, cloth->sim_x, error);
    if (status == TOILE_STATUS_OK)
        osdc_apply_double(cloth->smooth, cloth->sim_x, 3, cloth->x, 3, 3, 0,
                          (uint32_t)cloth->mesh.vertex_count, NULL);
    return status;
}

static ToileStatus add_state(ToileCache *cache, TlCacheCloth *cloth, const ToileSim *sim,
                             ToileClothId id, ToileError *error) {
    static const double nothing[3] = {0.0, 0.0, 0.0};
    ToileStatus status = take_vertices(toile_sim_get_positions, sim, id, cloth, error);
    if (status == TOILE_STATUS_OK && cache->format == TL_CACHE_OBJ)
        return tl_cache_put_obj(cache, cloth, cloth->unit_m, error);
    if (status != TOILE_STATUS_OK)
        return status;
    if (cloth->archive && cache->added > 0)
        status = tl_cache_take_again(cache, cloth, error);
    if (status != TOILE_STATUS_OK)
        return status;
    convert(cloth, cloth->offset_m, cloth->P);
    if (cloth->v) {
        status = take_vertices(toile_sim_get_velocities, sim, id, cloth, error);
        convert(cloth, nothing, cloth->v);
    }
    return status == TOILE_STATUS_OK ? tl_cache_put(cache, cloth, cloth->P, cloth->v, NULL, error)
                                     : status;
}

ToileStatus toile_cache_add(ToileCache *cache, const ToileSim *sim, const ToileClothId *cloths,
                            ToileError *error) {
    if (!cache || !sim || !cloths)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_cache_add needs a cache, a simulation and its cloths");
    ToileStatus status = tl_cache_check_room(cache, error);
    for (int32_t i = 0; i < cache->cloth_count && status == TOILE_STATUS_OK; i++) {
        TlCacheCloth *cloth = &cache->cloths[i];
        if (toile_sim_vertex_count(sim, cloths[i]) != cloth->sim_count)
            return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                              "Cloth '%s' of the simulation is not that of the scene",
                              cloth->source);
        status = add_state(cache, cloth, sim, cloths[i], error);
    }
    if (status == TOILE_STATUS_OK)
        cache->added++;
    return status;
}
