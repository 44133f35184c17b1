/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a cloth's archive on its mesh once that is subdivided. What belongs to faces is
 * handed down to the faces they are cut into; what belongs to vertices follows the positions, or is
 * interpolated linearly where the file calls it varying; what belongs to corners follows the rule
 * of the uvs, corners of a vertex with equal values being one. Values that change with time, texts
 * and whole numbers of vertices and corners have no refined values; the scene warns of them. */
#include "scene_types.h"

#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_MAX 64 /* numbers a value, as osdc_apply takes them */
#define NAMES_SHOWN 6
#define SHARED_MAX                                                                                 \
    64 /* values of a vertex that are compared, so that a hub of many faces costs little */

/* ---- reading ---- */

/* Bytes of one value; 0: it cannot be copied as bytes. */
static size_t value_size(abcc_type type, uint32_t width) {
    static const uint8_t sizes[] = {
        [ABCC_BOOL] = 1, [ABCC_U8] = 1,  [ABCC_I8] = 1,  [ABCC_U16] = 2,
        [ABCC_I16] = 2,  [ABCC_U32] = 4, [ABCC_I32] = 4, [ABCC_U64] = 8,
        [ABCC_I64] = 8,  [ABCC_F16] = 2, [ABCC_F32] = 4, [ABCC_F64] = 8};
    return (size_t)type < sizeof sizes ? width * (size_t)sizes[type] : 0;
}

static bool counts_elements(const abcc_param *param) {
    return param->where == ABCC_IN_ARB &&
           (param->scope == ABCC_UNIFORM || param->scope == ABCC_VARYING ||
            param->scope == ABCC_VERTEX || param->scope == ABCC_FACEVARYING);
}

static bool can_be_refined(const abcc_param *param) {
    bool number = param->type == ABCC_F32 || param->type == ABCC_F64;
    return param->constant && !param->scalar && param->samples > 0 && !strchr(param->name, '/') &&
           param->width <= WIDTH_MAX && value_size(param->type, param->width) > 0 &&
           (number || param->scope == ABCC_UNIFORM);
}

static size_t element_count(const ToileMeshDef *mesh, abcc_scope scope) {
    return (size_t)(scope == ABCC_UNIFORM       ? mesh->face_count
                    : scope == ABCC_FACEVARYING ? mesh->corner_count
                                                : mesh->vertex_count);
}

/* Reads one value for each face, vertex or corner, in the file's order. UNSUPPORTED: they do not
 * fit the mesh. */
static ToileStatus read_values(const TlSceneArchive *archive, uint32_t i, const abcc_param *param,
                               const ToileMeshDef *mesh, TlIoArena *arena, TlSceneParam *to) {
    uint64_t bytes = 0, values = 0, indices = 0;
    size_t count = element_count(mesh, param->scope), size = value_size(param->type, param->width);
    if (abcc_param_size(archive->reader, archive->object, i, 0, &bytes, &values, &indices, NULL) !=
            ABCC_OK ||
        (param->indexed ? indices : values) != count)
        return TOILE_STATUS_UNSUPPORTED;
    char *stored = tl_io_arena_alloc(arena, (size_t)bytes + 1);
    uint32_t *index = tl_io_arena_array(arena, (size_t)indices + 1, sizeof *index);
    char *spread = tl_io_arena_array(arena, count + 1, size);
    if (!stored || !index || !spread)
        return TOILE_STATUS_OUT_OF_MEMORY;
    if (abcc_param_read(archive->reader, archive->object, i, 0, stored, bytes, index, indices,
                        NULL) != ABCC_OK)
        return TOILE_STATUS_UNSUPPORTED;
    for (size_t k = 0; k < count; k++) {
        size_t at = param->indexed ? index[k] : k;
        if (at >= values)
            return TOILE_STATUS_UNSUPPORTED;
        memcpy(spread + k * size, stored + at * size, size);
    }
    *to = (TlSceneParam){.name = param->name,
                         .meaning = param->meaning,
                         .type = param->type,
                         .scope = param->scope,
                         .width = param->width,
                         .count = (uint32_t)count,
                         .values = spread};
    return TOILE_STATUS_OK;
}

/* Makes one value of those that corners of a vertex share. Corners come in the file's order, which
 * is that of the mesh, or the reverse in each face. */
static ToileStatus share_corners(const ToileMeshDef *mesh, bool reversed, TlIoArena *arena,
                                 TlSceneParam *param) {
    size_t corners = (size_t)mesh->corner_count, size = value_size(param->type, param->width);
    const char *from = param->values;
    char *shared = tl_io_arena_array(arena, corners + 1, size);
    int32_t *first = tl_io_arena_array(arena, (size_t)mesh->vertex_count + 1, sizeof *first);
    int32_t *next = tl_io_arena_array(arena, corners + 1, sizeof *next);
    int32_t count = 0;
    size_t begin = 0;
    param->index = tl_io_arena_array(arena, corners + 1, sizeof *param->index);
    if (!shared || !first || !next || !param->index)
        return TOILE_STATUS_OUT_OF_MEMORY;
    memset(first, -1, ((size_t)mesh->vertex_count + 1) * sizeof *first);
    for (int32_t f = 0; f < mesh->face_count; f++) {
        size_t face = (size_t)mesh->face_sizes[f];
        for (size_t c = 0; c < face; c++) {
            const char *value = from + (begin + (reversed ? face - 1 - c : c)) * size;
            int32_t vertex = mesh->corners[begin + c], k = first[vertex];
            int32_t looked = 0;
            while (k >= 0 && memcmp(shared + (size_t)k * size, value, size) != 0)
                k = ++looked < SHARED_MAX ? next[k] : -1;
            if (k < 0) {
                k = count++;
                memcpy(shared + (size_t)k * size, value, size);
                next[k] = first[vertex];
                first[vertex] = k;
            }
            param->index[begin + c] = (uint32_t)k;
        }
        begin += face;
    }
    param->values = shared;
    param->count = (uint32_t)count;
    return TOILE_STATUS_OK;
}

static ToileStatus read_param(const TlSceneArchive *archive, uint32_t i, const abcc_param *param,
                              const ToileMeshDef *mesh, TlIoArena *arena, TlSceneParam *to) {
    if (!can_be_refined(param))
        return TOILE_STATUS_UNSUPPORTED;
    ToileStatus status = read_values(archive, i, param, mesh, arena, to);
    if (status == TOILE_STATUS_OK && param->scope == ABCC_FACEVARYING)
        status = share_corners(mesh, !archive->turned, arena, to);
    return status;
}

/* The main uv set, where another one is simulated and written as the main one. */
static ToileStatus read_main(const TlSceneCloth *cloth, double frame, const ToileMeshDef *mesh,
                             TlIoArena *arena, TlSceneParam *to, ToileError *error) {
    ToileMeshDef copy = *mesh;
    ToileStatus status = tl_scene_archive_main_uvs(&cloth->source, frame, arena, &copy, error);
    if (status != TOILE_STATUS_OK || copy.uv_count == 0)
        return status;
    float *values = tl_io_arena_array(arena, 2 * (size_t)copy.uv_count, sizeof *values);
    if (!values)
        return tl_io_out_of_memory(error);
    for (size_t i = 0; i < 2 * (size_t)copy.uv_count; i++)
        values[i] = (float)copy.uvs[i];
    *to = (TlSceneParam){.name = tl_scene_archive_uv_name(&cloth->source, NULL),
                         .meaning = "vector",
                         .type = ABCC_F32,
                         .scope = ABCC_FACEVARYING,
                         .width = 2,
                         .count = (uint32_t)copy.uv_count,
                         .values = values,
                         .index = (uint32_t *)copy.corner_uvs};
    return TOILE_STATUS_OK;
}

/* All that can be refined, with the values it has on the mesh of the file. */
static ToileStatus gather(const TlSceneCloth *cloth, double frame, const ToileMeshDef *mesh,
                          TlIoArena *arena, TlSceneParam **params, int32_t *count,
                          ToileError *error) {
    const TlSceneArchive *archive = &cloth->source;
    const char *main_uv = tl_scene_archive_uv_name(archive, NULL);
    uint32_t held = 0;
    abcc_param_count(archive->reader, archive->object, &held, NULL);
    *params = tl_io_arena_array(arena, (size_t)held + 1, sizeof **params);
    if (!*params)
        return tl_io_out_of_memory(error);
    /* the set that is simulated is written with the mesh */
    const char *written = cloth->uv_set ? cloth->uv_set : main_uv;
    if (written && main_uv && strcmp(written, main_uv) != 0) {
        ToileStatus status = read_main(cloth, frame, mesh, arena, *params, error);
        if (status != TOILE_STATUS_OK)
            return status;
        *count += (*params)->values != NULL;
    }
    for (uint32_t i = 0; i < held; i++) {
        abcc_param param = abcc_param_default();
        if (abcc_param_get(archive->reader, archive->object, i, &param, NULL) != ABCC_OK ||
            !counts_elements(&param) || (written && strcmp(param.name, written) == 0))
            continue;
        ToileStatus status = read_param(archive, i, &param, mesh, arena, *params + *count);
        if (status == TOILE_STATUS_OUT_OF_MEMORY)
            return tl_io_out_of_memory(error);
        *count += status == TOILE_STATUS_OK;
    }
    return TOILE_STATUS_OK;
}

void tl_scene_warn_of_params(TlSceneReader *reader, const TlKeys *cloth_keys,
                             const TlSceneCloth *cloth) {
    const TlSceneArchive *archive = &cloth->source;
    TlIoArena scratch = {0};
    char names[256] = "";
    size_t used = 0;
    uint32_t held = 0, left = 0;
    ToileStatus status = TOILE_STATUS_OK;
    abcc_param_count(archive->reader, archive->object, &held, NULL);
    for (uint32_t i = 0; i < held && status != TOILE_STATUS_OUT_OF_MEMORY; i++) {
        abcc_param param = abcc_param_default();
        TlSceneParam ignored;
        if (abcc_param_get(archive->reader, archive->object, i, &param, NULL) != ABCC_OK ||
            !counts_elements(&param))
            continue;
        status = read_param(archive, i, &param, &cloth->mesh->mesh, &scratch, &ignored);
        if (status == TOILE_STATUS_UNSUPPORTED && left++ < NAMES_SHOWN && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.32s",
                                     left > 1 ? ", " : "", param.name);
    }
    tl_io_arena_free(&scratch);
    if (status == TOILE_STATUS_OUT_OF_MEMORY)
        tl_report_out_of_memory(reader->report);
    else if (left > 0)
        tl_keys_warning(cloth_keys, "mesh", tl_keys_get(cloth_keys, "mesh", TL_KEY_PLAIN),
                        "%.200s has %u parameter(s) that cannot be subdivided and will not be in "
                        "the cache, as they change with time, are no real numbers, or do not fit "
                        "the mesh: %s%s",
                        cloth->mesh_file, (unsigned)left, names, left > NAMES_SHOWN ? ", ..." : "");
}

/* ---- refining ---- */

/* One subdivision of a mesh. */
typedef struct Stage {
    const ToileMeshDef *mesh;
    const TlSceneTags *tags;
    osdc_options rule; /* with its level */
    bool limit;
} Stage;

/* What a stage has made so far. */
typedef struct Refined {
    osdc_mesh *mesh;
    osdc_sizes sizes;
    osdc_table *tables[2]; /* of vertices, and of what is varying; NULL: not needed yet */
    uint32_t channel;      /* face-varying ones done */
} Refined;

static osdc_status apply(const osdc_table *table, TlIoArena *arena, TlSceneParam *param) {
    uint32_t rows = 0;
    osdc_table_rows(table, &rows, NULL, NULL, NULL, NULL, NULL);
    void *to = tl_io_arena_array(arena, (size_t)rows + 1, value_size(param->type, param->width));
    if (!to)
        return OSDC_E_MEMORY;
    if (param->type == ABCC_F32)
        osdc_apply(table, param->values, param->width, to, param->width, param->width, 0, rows,
                   NULL);
    else
        osdc_apply_double(table, param->values, param->width, to, param->width, param->width, 0,
                          rows, NULL);
    param->values = to;
    param->count = rows;
    return OSDC_OK;
}

static osdc_status refine_faces(const Refined *refined, uint32_t level, TlIoArena *arena,
                                TlSceneParam *param, osdc_error *error) {
    const osdc_sizes *sizes = &refined->sizes;
    size_t size = value_size(param->type, param->width);
    int32_t *face_count = tl_io_arena_array(arena, (size_t)sizes->faces + 1, sizeof *face_count);
    int32_t *index = tl_io_arena_array(arena, (size_t)sizes->corners + 1, sizeof *index);
    uint32_t *parent = tl_io_arena_array(arena, (size_t)sizes->faces + 1, sizeof *parent);
    char *to = tl_io_arena_array(arena, (size_t)sizes->faces + 1, size);
    if (!face_count || !index || !parent || !to)
        return OSDC_E_MEMORY;
    osdc_status status = osdc_faces(refined->mesh, level, face_count, index, parent, NULL, error);
    for (size_t f = 0; status == OSDC_OK && f < sizes->faces; f++)
        memcpy(to + f * size, (const char *)param->values + parent[f] * size, size);
    param->values = to;
    param->count = sizes->faces;
    return status;
}

static osdc_status refine_corners(Refined *refined, const Stage *stage, TlIoArena *arena,
                                  TlSceneParam *param, osdc_error *error) {
    osdc_table *table = NULL;
    uint32_t channel = refined->channel++;
    param->index = tl_io_arena_array(arena, (size_t)refined->sizes.corners + 1, sizeof(uint32_t));
    if (!param->index)
        return OSDC_E_MEMORY;
    osdc_status status =
        osdc_fvar_index(refined->mesh, stage->rule.level, channel, param->index, error);
    if (status == OSDC_OK)
        status = osdc_table_create(refined->mesh, stage->limit ? OSDC_LIMIT_FVAR : OSDC_FVAR,
                                   channel, &table, error);
    if (status == OSDC_OK)
        status = apply(table, arena, param);
    osdc_table_free(table);
    return status;
}

static osdc_status refine_vertices(Refined *refined, const Stage *stage, TlIoArena *arena,
                                   TlSceneParam *param, osdc_error *error) {
    bool varying = param->scope == ABCC_VARYING;
    osdc_table **table = &refined->tables[varying];
    osdc_kind kind = varying ? OSDC_VARYING : stage->limit ? OSDC_LIMIT : OSDC_VERTEX;
    osdc_status status = OSDC_OK;
    if (!*table)
        status = osdc_table_create(refined->mesh, kind, 0, table, error);
    return status == OSDC_OK ? apply(*table, arena, param) : status;
}

/* Refines the mesh with a channel for each parameter of corners. */
static osdc_status refine_mesh(const Stage *stage, const TlSceneParam *params, int32_t count,
                               TlIoArena *arena, Refined *refined, osdc_error *error) {
    osdc_cage cage = tl_scene_osd_cage(stage->mesh, stage->tags);
    osdc_fvar *fvar = tl_io_arena_array(arena, (size_t)count + 1, sizeof *fvar);
    if (!fvar)
        return OSDC_E_MEMORY;
    for (int32_t i = 0; i < count; i++)
        if (params[i].scope == ABCC_FACEVARYING)
            fvar[cage.fvars++] = (osdc_fvar){params[i].count, params[i].index};
    cage.fvar = fvar;
    refined->sizes = osdc_sizes_default();
    osdc_status status = osdc_create(&cage, &stage->rule, &refined->mesh, error);
    return status == OSDC_OK ? osdc_size(refined->mesh, stage->rule.level, &refined->sizes, error)
                             : status;
}

static osdc_status refine(const Stage *stage, TlSceneParam *params, int32_t count, TlIoArena *arena,
                          osdc_error *error) {
    Refined refined = {0};
    osdc_status status = refine_mesh(stage, params, count, arena, &refined, error);
    for (int32_t i = 0; i < count && status == OSDC_OK; i++)
        status = params[i].scope == ABCC_UNIFORM
                     ? refine_faces(&refined, stage->rule.level, arena, &params[i], error)
                 : params[i].scope == ABCC_FACEVARYING
                     ? refine_corners(&refined, stage, arena, &params[i], error)
                     : refine_vertices(&refined, stage, arena, &params[i], error);
    osdc_table_free(refined.tables[0]);
    osdc_table_free(refined.tables[1]);
    osdc_free(refined.mesh);
    return status;
}

/* Both subdivisions of a cloth, as its mesh went through them. */
static ToileStatus refine_all(const TlSceneCloth *cloth, const ToileMeshDef *cage,
                              TlSceneParam *params, int32_t count, TlIoArena *arena,
                              ToileError *error) {
    const TlSceneSubdivision *sub = &cloth->subdivide;
    TlSceneTags tags = {0};
    osdc_error from = {0};
    abcc_error abc = {0};
    osdc_status status = OSDC_OK;
    Stage stage = {.mesh = cage, .tags = &tags, .rule = tl_scene_simulate_rule(cloth)};
    stage.rule.level = (uint32_t)sub->simulate;
    if (sub->simulate > 0 && cloth->source.is_cage &&
        tl_scene_cage_tags(arena, &cloth->source, &tags, &abc) != ABCC_OK)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA, "%.200s: %s", cloth->mesh_file,
                          abc.text);
    if (sub->simulate > 0)
        status = refine(&stage, params, count, arena, &from);
    stage = (Stage){&cloth->mesh->mesh, &sub->tags, sub->rule, sub->limit};
    stage.rule.level = (uint32_t)sub->output;
    if (sub->output > 0 && status == OSDC_OK)
        status = refine(&stage, params, count, arena, &from);
    if (status == OSDC_E_MEMORY)
        return tl_io_out_of_memory(error);
    return status == OSDC_OK ? TOILE_STATUS_OK
                             : tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                                          "The parameters of %.200s cannot be subdivided: %s",
                                          cloth->mesh_file, from.text);
}

ToileStatus tl_scene_refine_params(const TlSceneCloth *cloth, double frame, TlIoArena *arena,
                                   TlSceneParam **params, int32_t *count, ToileError *error) {
    TlSceneArchive archive = cloth->source;
    ToileObj *cage = NULL;
    *count = 0;
    ToileStatus status = tl_scene_archive_mesh(&archive, frame, cloth->uv_set, &cage, error);
    if (status == TOILE_STATUS_OK)
        status = gather(cloth, frame, &cage->mesh, arena, params, count, error);
    if (status == TOILE_STATUS_OK && *count > 0)
        status = refine_all(cloth, &cage->mesh, *params, *count, arena, error);
    toile_obj_free(cage);
    return status;
}
