/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The Alembic side of a cache: for each cloth a transform /<name> and below it the mesh <name>Shape
 * with float32 positions, velocities per second on request, and its uvs; faces and uvs are handed
 * over once. The sample of frame f stands at f / fps seconds. Alembic is Y up, so that what comes
 * with z up is turned by (x, y, z) -> (x, z, -y), which is exact; matrices likewise. Nothing in the
 * file tells the machine, the folder or the day. */
#include "cache_types.h"

#include "number.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ToileStatus tl_cache_pass_on(abcc_status status, const abcc_error *from, ToileError *error) {
    ToileStatus answer = TOILE_STATUS_INTERNAL;
    if (status == ABCC_OK)
        return TOILE_STATUS_OK;
    if (status == ABCC_E_OPEN)
        answer = TOILE_STATUS_CANNOT_CREATE;
    else if (status == ABCC_E_IO || status == ABCC_E_NOSPACE)
        answer = TOILE_STATUS_IO_ERROR;
    else if (status == ABCC_E_MEMORY)
        answer = TOILE_STATUS_OUT_OF_MEMORY;
    else if (status != ABCC_E_ORDER && status != ABCC_E_INTERNAL)
        answer = TOILE_STATUS_INVALID_DATA;
    return tl_io_fail(error, answer, "%s", from->text);
}

ToileStatus tl_cache_open_archive(ToileCache *cache, ToileError *error) {
    char application[64], unit[TL_NUMBER_SIZE], description[160];
    const int32_t *frames = cache->def.frames;
    double fps = cache->def.fps;
    double step = tl_cache_frame(cache, 1) - frames[0];
    tl_number_shortest(cache->def.unit_m, unit);
    snprintf(application, sizeof application, "Toile %s", toile_version_string());
    int length =
        snprintf(description, sizeof description, "Cloth simulation, Y up, %s m a unit", unit);
    if (cache->def.hash != 0)
        snprintf(description + length, sizeof description - (size_t)length, ", scene %016llx",
                 (unsigned long long)cache->def.hash);
    abcc_error abc = {0};
    abcc_create_info info = abcc_create_info_default();
    info.fps = fps;
    info.application = application;
    info.description = description;
    abcc_status status = abcc_create(cache->path, &info, &cache->writer, &abc);
    if (status == ABCC_OK)
        status = abcc_time_uniform(cache->writer, frames[0] / fps, step / fps, &cache->time, &abc);
    return tl_cache_pass_on(status, &abc, error);
}

ToileStatus tl_cache_declare(ToileCache *cache, TlCacheCloth *cloth, ToileError *error) {
    abcc_error abc = {0};
    size_t length = strlen(cloth->name);
    char *shape = tl_io_arena_alloc(&cache->arena, length + 6);
    if (!shape)
        return tl_io_out_of_memory(error);
    memcpy(shape, cloth->name, length);
    strcpy(shape + length, "Shape");
    abcc_status status = abcc_add_xform(cache->writer, 0, cloth->name,
                                        cloth->has_matrix ? cache->time : 0, &cloth->xform, &abc);
    bool cage = cache->def.schema == TOILE_SCHEMA_SUBD;
    if (status == ABCC_OK)
        status = (cage ? abcc_add_subd : abcc_add_mesh)(
            cache->writer, cloth->xform, shape, cache->time, cloth->uv_name, &cloth->shape, &abc);
    return tl_cache_pass_on(status, &abc, error);
}

/* Y up: component i of a turned vector is SIGN[i] times component FROM[i]; exact */
static const int32_t FROM[3] = {0, 2, 1};
static const double SIGN[3] = {1.0, 1.0, -1.0};

/* vectors as the archive takes them: those given, or turned ones in `room` */
static const float *turned(const ToileCache *cache, const float *in, int32_t count, float *room) {
    if (cache->def.up != TOILE_UP_Z)
        return in;
    for (size_t i = 0; i < 3 * (size_t)count; i += 3) {
        float x = in[i], y = in[i + 1], z = in[i + 2];
        room[i] = x;
        room[i + 1] = z;
        room[i + 2] = -y;
    }
    return room;
}

ToileStatus tl_cache_put_matrix(ToileCache *cache, const TlCacheCloth *cloth,
                                const double matrix[16], ToileError *error) {
    abcc_error abc = {0};
    bool turn = cache->def.up == TOILE_UP_Z;
    double m[16] = {0};
    m[15] = 1.0;
    /* transposed, since archives take row vectors */
    for (int32_t i = 0; i < 3; i++) {
        const double *row = matrix + 4 * (turn ? FROM[i] : i);
        double sign = turn ? SIGN[i] : 1.0;
        /* adding 0 makes a plain zero of a negative one */
        for (int32_t j = 0; j < 3; j++)
            m[4 * j + i] = turn ? sign * SIGN[j] * row[FROM[j]] + 0.0 : row[j];
        m[12 + i] = sign * row[3] + 0.0;
    }
    return tl_cache_pass_on(abcc_xform_write(cache->writer, cloth->xform, m, 1, &abc), &abc, error);
}

static abcc_status write_sample(ToileCache *cache, const TlCacheCloth *cloth,
                                const abcc_mesh_in *in, abcc_error *abc) {
    if (cache->def.schema != TOILE_SCHEMA_SUBD)
        return abcc_mesh_write(cache->writer, cloth->shape, in, abc);
    return cache->added == 0 ? tl_cache_put_cage(cache, cloth, in, abc)
                             : abcc_subd_write(cache->writer, cloth->shape, in, NULL, abc);
}

/* the first sample, which brings faces and uvs */
static abcc_status write_first(ToileCache *cache, const TlCacheCloth *cloth, abcc_mesh_in *in,
                               abcc_error *abc) {
    const ToileMeshDef *mesh = &cloth->mesh;
    in->faces = (uint32_t)mesh->face_count;
    in->corners = (uint32_t)mesh->corner_count;
    in->face_count = mesh->face_sizes;
    in->index = mesh->corners;
    if (mesh->uv_count == 0)
        return write_sample(cache, cloth, in, abc);
    size_t values = 2 * (size_t)mesh->uv_count, corners = (size_t)mesh->corner_count;
    float *uv = malloc(values * sizeof *uv);
    uint32_t *uv_index = malloc(corners * sizeof *uv_index);
    abcc_status status = ABCC_E_MEMORY;
    snprintf(abc->text, sizeof abc->text, "There is not enough memory");
    if (uv && uv_index) {
        for (size_t i = 0; i < values; i++)
            uv[i] = (float)mesh->uvs[i];
        for (size_t i = 0; i < corners; i++)
            uv_index[i] = (uint32_t)mesh->corner_uvs[i];
        in->uv_values = (uint32_t)mesh->uv_count;
        in->uv = uv;
        in->uv_index = uv_index;
        status = write_sample(cache, cloth, in, abc);
    }
    free(uv);
    free(uv_index);
    return status;
}

ToileStatus tl_cache_put_sample(ToileCache *cache, TlCacheCloth *cloth, const float *P,
                                const float *v, ToileError *error) {
    abcc_error abc = {0};
    abcc_mesh_in in = abcc_mesh_in_default();
    in.verts = (uint32_t)cloth->mesh.vertex_count;
    in.P = turned(cache, P, cloth->mesh.vertex_count, cloth->P);
    if (cloth->v)
        in.v = turned(cache, v, cloth->mesh.vertex_count, cloth->v);
    abcc_status status = cache->added == 0 ? write_first(cache, cloth, &in, &abc)
                                           : write_sample(cache, cloth, &in, &abc);
    return tl_cache_pass_on(status, &abc, error);
}

static abcc_status write_properties(ToileCache *cache, const TlCacheCloth *cloth, abcc_error *abc) {
    abcc_writer *writer = cache->writer;
    const int32_t *frames = cache->def.frames;
    int32_t count = cache->def.frame_count, per_frame = cache->def.samples_per_frame;
    int32_t added = cache->added > 0 ? cache->added : 1;
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)cache->def.hash);
    const struct {
        const char *name, *text;
    } texts[] = {{"toile_version", toile_version_string()},
                 {"scene_hash", cache->def.hash != 0 ? hash : NULL},
                 {"source_name", cloth->source}};
    const struct {
        const char *name;
        int32_t value;
    } numbers[] = {{"first_frame", cache->first_frame},
                   {"last_frame", frames[(added - 1) / per_frame]},
                   {"frame_step", count > 1 ? frames[1] - frames[0] : 1},
                   {"samples_per_frame", per_frame},
                   {"complete", cache->added == cache->sample_count}};
    abcc_status status = ABCC_OK;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && status == ABCC_OK; i++)
        if (texts[i].text)
            status = abcc_property_string(writer, cloth->shape, texts[i].name, texts[i].text, abc);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == ABCC_OK; i++)
        status = abcc_property_int(writer, cloth->shape, numbers[i].name, numbers[i].value, abc);
    if (status == ABCC_OK)
        status = abcc_property_double(writer, cloth->shape, "unit_m", cloth->unit_m, abc);
    return status;
}

ToileStatus tl_cache_finish_archive(ToileCache *cache, ToileError *error) {
    abcc_error abc = {0};
    abcc_status status = ABCC_OK;
    for (int32_t i = 0; i < cache->cloth_count && status == ABCC_OK; i++)
        status = write_properties(cache, &cache->cloths[i], &abc);
    if (status != ABCC_OK)
        return tl_cache_pass_on(status, &abc, error);
    abcc_writer *writer = cache->writer;
    cache->writer = NULL;
    return tl_cache_pass_on(abcc_finish(writer, &abc), &abc, error);
}
