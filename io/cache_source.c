/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What a cache takes over from the file a cloth comes from. Of an archive: every parameter and face
 * set beside the mesh, bit for bit and with its changes in time, and the creases of a cage. Where
 * the mesh was subdivided, what can be is refined with it. Otherwise the groups of the mesh become
 * face sets, of which hosts make material slots. */
#include "cache_types.h"

#include "obj_parse.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters ---- */

/* The sample of the source that is shown at a sample of the cache. */
static abcc_status find_sample(const ToileCache *cache, const TlSceneArchive *source,
                               uint32_t *sample, abcc_error *abc) {
    double seconds = tl_cache_frame(cache, cache->added) / cache->def.fps, weight = 0;
    uint32_t after = 0;
    return abcc_sample_at(source->reader, source->object, seconds, sample, &after, &weight, abc);
}

static abcc_status copy_params(ToileCache *cache, const TlCacheCloth *cloth, abcc_error *abc) {
    const TlSceneArchive *source = cloth->archive;
    uint32_t sample = 0;
    abcc_status status = find_sample(cache, source, &sample, abc);
    if (status == ABCC_OK)
        status = abcc_params_copy(source->reader, source->object, sample, cloth->copy_flags,
                                  cache->writer, cloth->shape, abc);
    return status;
}

ToileStatus tl_cache_take_again(ToileCache *cache, const TlCacheCloth *cloth, ToileError *error) {
    abcc_error abc = {0};
    return tl_cache_pass_on(copy_params(cache, cloth, &abc), &abc, error);
}

static abcc_status add_param(const ToileCache *cache, const TlCacheCloth *cloth,
                             const TlSceneParam *from, abcc_error *abc) {
    abcc_param param = abcc_param_default();
    uint32_t id = 0;
    param.where = ABCC_IN_ARB;
    param.type = from->type;
    param.scope = from->scope;
    param.width = from->width;
    param.samples = 1;
    param.indexed = from->index != NULL;
    param.name = from->name;
    param.meaning = from->meaning;
    abcc_status status = abcc_param_add(cache->writer, cloth->shape, &param, &id, abc);
    if (status == ABCC_OK)
        status = abcc_param_write(cache->writer, cloth->shape, id, from->values, from->count,
                                  from->index, from->index ? (uint64_t)cloth->mesh.corner_count : 0,
                                  abc);
    return status;
}

/* Adds what can be refined with the mesh. */
static ToileStatus add_refined(const ToileCache *cache, const TlCacheCloth *cloth,
                               const TlSceneCloth *from, ToileError *error) {
    TlIoArena scratch = {0};
    TlSceneParam *params = NULL;
    int32_t count = 0;
    abcc_error abc = {0};
    ToileStatus status =
        tl_scene_refine_params(from, cache->first_frame, &scratch, &params, &count, error);
    for (int32_t i = 0; i < count && status == TOILE_STATUS_OK; i++)
        status = tl_cache_pass_on(add_param(cache, cloth, &params[i], &abc), &abc, error);
    tl_io_arena_free(&scratch);
    return status;
}

/* ---- face sets ---- */

/* A name of letters, digits and _ that no group before has. */
static char *face_set_name(ToileCache *cache, const ToileObj *obj, int32_t group) {
    const char *source = obj->group_names[group];
    size_t length = strlen(source);
    char *name = tl_io_arena_alloc(&cache->arena, length + 16);
    for (size_t i = 0; name && i < length; i++) {
        char c = source[i];
        bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        name[i] = plain ? c : '_';
    }
    return name;
}

static int compare_ints(const void *a, const void *b) {
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return left < right ? -1 : left > right;
}

/* Faces in rising order, each once. */
static int32_t *sorted(ToileCache *cache, const int32_t *faces, int32_t *count) {
    int32_t *copy = tl_io_arena_array(&cache->arena, (size_t)*count + 1, sizeof *copy);
    int32_t used = 0;
    if (!copy)
        return NULL;
    memcpy(copy, faces, (size_t)*count * sizeof *copy);
    qsort(copy, (size_t)*count, sizeof *copy, compare_ints);
    for (int32_t i = 0; i < *count; i++)
        if (i == 0 || copy[i] != copy[i - 1])
            copy[used++] = copy[i];
    *count = used;
    return copy;
}

/* Adds the groups of a mesh, but for those that hold no face or all of them, which tell nothing. */
static ToileStatus add_face_sets(ToileCache *cache, const TlCacheCloth *cloth, const ToileObj *obj,
                                 ToileError *error) {
    abcc_error abc = {0};
    abcc_status status = ABCC_OK;
    for (int32_t g = 0; g < obj->group_count && status == ABCC_OK; g++) {
        const int32_t *listed = NULL;
        int32_t count = tl_obj_group_faces(obj, g, &listed);
        int32_t *faces = sorted(cache, listed, &count);
        char *name = face_set_name(cache, obj, g);
        abcc_obj set = 0;
        if (!faces || !name)
            return tl_io_out_of_memory(error);
        if (count == 0 || count == obj->mesh.face_count)
            continue;
        status =
            abcc_add_faceset(cache->writer, cloth->shape, name, faces, (uint32_t)count, &set, &abc);
        /* a name that is taken gets the number of its group */
        size_t length = strlen(name);
        if (status == ABCC_E_ARG || status == ABCC_E_ORDER) {
            snprintf(name + length, 16, "_%d", (int)g);
            status = abcc_add_faceset(cache->writer, cloth->shape, name, faces, (uint32_t)count,
                                      &set, &abc);
        }
    }
    return tl_cache_pass_on(status, &abc, error);
}

/* ---- all of it ---- */

ToileStatus tl_cache_take_along(ToileCache *cache, TlCacheCloth *cloth, const TlSceneCloth *from,
                                const ToileObj *written, ToileError *error) {
    abcc_error abc = {0};
    abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
    const TlSceneArchive *source = &from->source;
    if (!source->reader)
        return add_face_sets(cache, cloth, written, error);
    ToileStatus status = tl_cache_pass_on(
        abcc_mesh_size(source->reader, source->object, 0, &sizes, &abc), &abc, error);
    bool same = (uint32_t)cloth->mesh.face_count == sizes.faces && !cloth->rules;
    cloth->archive = source;
    cloth->copy_flags = !same ? ABCC_COPY_CONSTANT : source->turned ? ABCC_COPY_TURNED : 0;
    /* before the user properties, as toile join writes them */
    if (status == TOILE_STATUS_OK && !same)
        status = add_refined(cache, cloth, from, error);
    if (status == TOILE_STATUS_OK)
        status = tl_cache_take_again(cache, cloth, error);
    if (status == TOILE_STATUS_OK && !same)
        status = add_face_sets(cache, cloth, written, error);
    return status;
}

/* ---- cages ---- */

/* Rules as archives number them: see abcc_subd_in. */
enum { BOUNDARY_EDGE_AND_CORNER = 1, UV_LINEAR_BOUNDARIES = 3 };

/* Leaves out runs of fewer than two vertices, which have no edge, and mends what else cannot be. */
static void mend_cage(abcc_subd_in *in, const abcc_subd_out *out) {
    bool by_run = in->crease_sharps == in->creases;
    const int32_t *vert = out->crease_vert;
    uint32_t runs = 0, verts = 0;
    for (uint32_t i = 0; i < in->creases; i++) {
        int32_t length = out->crease_length[i];
        if (length >= 2) {
            memmove(out->crease_vert + verts, vert, (size_t)length * sizeof *vert);
            verts += (uint32_t)length;
            if (by_run)
                out->crease_sharpness[runs] = out->crease_sharpness[i];
            out->crease_length[runs++] = length;
        }
        vert += length;
    }
    in->creases = runs;
    in->crease_verts = verts;
    in->crease_sharps = by_run ? runs : in->crease_sharps;
    tl_scene_mend_sharpness(out->crease_sharpness, in->crease_sharps);
    tl_scene_mend_sharpness(out->corner_sharpness, in->corners);
}

/* Reads creases, corners and holes into the arena of the cache. */
static abcc_status read_cage(ToileCache *cache, const TlSceneArchive *source, abcc_subd_in *in,
                             abcc_error *abc) {
    abcc_subd_sizes sizes = abcc_subd_sizes_default();
    abcc_subd_out out = abcc_subd_out_default();
    TlIoArena *arena = &cache->arena;
    uint32_t sample = 0;
    abcc_status status = find_sample(cache, source, &sample, abc);
    if (status == ABCC_OK)
        status = abcc_subd_size(source->reader, source->object, sample, &sizes, abc);
    if (status != ABCC_OK)
        return status;
    in->creases = out.cap_creases = sizes.creases;
    in->crease_verts = out.cap_crease_verts = sizes.crease_verts;
    in->crease_sharps = out.cap_crease_sharps = sizes.crease_sharps;
    in->corners = out.cap_corners = sizes.corners;
    in->holes = out.cap_holes = sizes.holes;
    in->boundary = sizes.boundary;
    in->fvar_boundary = sizes.fvar_boundary;
    in->fvar_propagate_corners = sizes.fvar_propagate_corners;
    in->scheme = tl_scene_known_scheme(sizes.scheme);
    in->crease_length = out.crease_length =
        tl_io_arena_array(arena, (size_t)sizes.creases + 1, sizeof(int32_t));
    in->crease_vert = out.crease_vert =
        tl_io_arena_array(arena, (size_t)sizes.crease_verts + 1, sizeof(int32_t));
    in->crease_sharpness = out.crease_sharpness =
        tl_io_arena_array(arena, (size_t)sizes.crease_sharps + 1, sizeof(float));
    in->corner_vert = out.corner_vert =
        tl_io_arena_array(arena, (size_t)sizes.corners + 1, sizeof(int32_t));
    in->corner_sharpness = out.corner_sharpness =
        tl_io_arena_array(arena, (size_t)sizes.corners + 1, sizeof(float));
    in->hole = out.hole = tl_io_arena_array(arena, (size_t)sizes.holes + 1, sizeof(int32_t));
    if (!out.crease_length || !out.crease_vert || !out.crease_sharpness || !out.corner_vert ||
        !out.corner_sharpness || !out.hole) {
        snprintf(abc->text, sizeof abc->text, "There is not enough memory");
        return ABCC_E_MEMORY;
    }
    status = abcc_subd_read(source->reader, source->object, sample, &out, abc);
    if (status == ABCC_OK)
        mend_cage(in, &out);
    return status;
}

/* What is left of the creases of a cage that was subdivided: each edge is a run of its own. */
static abcc_status make_cage(ToileCache *cache, const TlCacheCloth *cloth, abcc_subd_in *in,
                             abcc_error *abc) {
    static const char *const schemes[] = {"catmull-clark", "loop", "bilinear"};
    static const int uvs[] = {2, 1, 1, 1, 3, 0};
    const TlSceneTags *tags = &cloth->tags;
    const osdc_options *rule = &cloth->rules->rule;
    int32_t *lengths = tl_io_arena_array(&cache->arena, (size_t)tags->creases + 1, sizeof *lengths);
    if (!lengths) {
        snprintf(abc->text, sizeof abc->text, "There is not enough memory");
        return ABCC_E_MEMORY;
    }
    for (uint32_t i = 0; i < tags->creases; i++)
        lengths[i] = 2;
    in->creases = in->crease_sharps = tags->creases;
    in->crease_verts = 2 * tags->creases;
    in->crease_length = lengths;
    in->crease_vert = tags->crease_pairs;
    in->crease_sharpness = tags->crease_sharpness;
    in->corners = tags->corners;
    in->corner_vert = tags->corner_vert;
    in->corner_sharpness = tags->corner_sharpness;
    in->boundary = rule->boundary == OSDC_EDGE_ONLY ? 2 : 1;
    in->fvar_boundary = uvs[rule->uv];
    in->fvar_propagate_corners = rule->uv == OSDC_UV_CORNERS_PLUS2;
    in->scheme = schemes[rule->scheme];
    return ABCC_OK;
}

abcc_status tl_cache_put_cage(ToileCache *cache, const TlCacheCloth *cloth, const abcc_mesh_in *in,
                              abcc_error *abc) {
    abcc_subd_in cage = abcc_subd_in_default();
    bool same =
        cloth->archive && cloth->archive->is_cage && cloth->copy_flags != ABCC_COPY_CONSTANT;
    abcc_status status = ABCC_OK;
    if (same) {
        status = read_cage(cache, cloth->archive, &cage, abc);
    } else if (cloth->rules) {
        status = make_cage(cache, cloth, &cage, abc);
    } else {
        /* the rules subdivision has here: without one the faces at the rim would not be shown */
        cage.boundary = BOUNDARY_EDGE_AND_CORNER;
        cage.fvar_boundary = UV_LINEAR_BOUNDARIES;
    }
    if (status == ABCC_OK)
        status = abcc_subd_write(cache->writer, cloth->shape, in, &cage, abc);
    return status;
}
