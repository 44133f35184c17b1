/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Subdivision of a cloth: "simulate" refines its mesh before anything else is made of it, "output"
 * what is written of it.
 *
 * Before simulation positions, start and rest go through one table of the scheme. Values given by
 * vertex are interpolated linearly, so that no weight leaves its range, and a vertex is pinned when
 * every cage vertex it is interpolated from is: those of the pinned vertices, of edges between two,
 * and inside faces that are pinned all around. Uvs follow the rule "boundaries": the outline of
 * each panel stays as it was drawn and its inside is smoothed by the masks of the positions. When
 * the uvs are the rest shape, the rim of the mesh stays where it is as well, so that a flat mesh
 * that equals its pattern stays without strain; without that, rounding a hem would stretch it.
 *
 * A subdivision surface of an archive brings its scheme, creases, corners and rules along. What is
 * still sharp after "simulate" stays so in "output". */
#include "scene_types.h"

#include "obj_parse.h"
#include "toile_io/cache.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (int32_t)(sizeof(array) / sizeof((array)[0]))
#define LEVEL_MAX 6

/* ---- from and to the shim ---- */

static ToileStatus status_of(osdc_status status) {
    switch (status) {
    case OSDC_OK:
        return TOILE_STATUS_OK;
    case OSDC_E_MEMORY:
        return TOILE_STATUS_OUT_OF_MEMORY;
    case OSDC_E_INTERNAL:
        return TOILE_STATUS_INTERNAL;
    default:
        return TOILE_STATUS_INVALID_DATA;
    }
}

osdc_cage tl_scene_osd_cage(const ToileMeshDef *mesh, const TlSceneTags *tags) {
    osdc_cage cage = osdc_cage_default();
    cage.verts = (uint32_t)mesh->vertex_count;
    cage.faces = (uint32_t)mesh->face_count;
    cage.corners = (uint32_t)mesh->corner_count;
    cage.face_count = mesh->face_sizes;
    cage.index = mesh->corners;
    cage.creases = tags->creases;
    cage.crease_pairs = tags->crease_pairs;
    cage.crease_sharpness = tags->crease_sharpness;
    cage.corner_tags = tags->corners;
    cage.corner_vert = tags->corner_vert;
    cage.corner_sharpness = tags->corner_sharpness;
    return cage;
}

/* The mesh of a cloth with what is sharp on it and its uvs; `fvar` must live as long. */
static osdc_cage cage_of(const TlSceneCloth *cloth, osdc_fvar *fvar) {
    const ToileMeshDef *mesh = &cloth->mesh->mesh;
    osdc_cage cage = tl_scene_osd_cage(mesh, &cloth->subdivide.tags);
    if (mesh->uv_count > 0) {
        fvar->values = (uint32_t)mesh->uv_count;
        fvar->index = (const uint32_t *)mesh->corner_uvs;
        cage.fvars = 1;
        cage.fvar = fvar;
    }
    return cage;
}

/* Refines the mesh of a cloth; NULL after an error, which is reported under `key`. */
static osdc_mesh *refine(const TlSceneCloth *cloth, const TlKeys *keys, const char *key,
                         int32_t level, osdc_options options) {
    osdc_fvar fvar = {0, NULL};
    osdc_cage cage = cage_of(cloth, &fvar);
    osdc_error error = {.where = OSDC_NOWHERE};
    osdc_mesh *refined = NULL;
    options.level = (uint32_t)level;
    osdc_status status = osdc_create(&cage, &options, &refined, &error);
    if (status == OSDC_E_MEMORY)
        tl_report_out_of_memory(keys->report);
    else if (status != OSDC_OK)
        tl_keys_error(keys, key, tl_keys_get(keys, key, TL_KEY_PLAIN), status_of(status),
                      "%.200s cannot be subdivided: %s (counted from 0)", cloth->mesh_file,
                      error.text);
    return refined;
}

/* ---- making a mesh of a level ---- */

static void *take(TlIoArena *arena, size_t count, size_t size, bool *fine) {
    void *block = tl_io_arena_array(arena, count + 1, size);
    *fine = *fine && block;
    return block;
}

/* Applies a table to `width` doubles a point; NULL when memory runs out. */
static double *apply(TlIoArena *arena, const osdc_table *table, const double *from,
                     uint32_t width) {
    uint32_t rows = 0;
    osdc_table_rows(table, &rows, NULL, NULL, NULL, NULL, NULL);
    double *to = tl_io_arena_array(arena, (size_t)width * rows + 1, sizeof *to);
    if (to)
        osdc_apply_double(table, from, width, to, width, width, 0, rows, NULL);
    return to;
}

/* Applies a table that is needed once. */
static osdc_status apply_once(TlIoArena *arena, const osdc_mesh *refined, osdc_kind kind,
                              const double *from, uint32_t width, double **to, osdc_error *error) {
    osdc_table *table = NULL;
    osdc_status status = osdc_table_create(refined, kind, 0, &table, error);
    if (status != OSDC_OK)
        return status;
    *to = apply(arena, table, from, width);
    osdc_table_free(table);
    return *to ? OSDC_OK : OSDC_E_MEMORY;
}

/* Faces, uvs and tags of a level; not the positions. */
static osdc_status make_level(TlIoArena *arena, const osdc_mesh *refined, uint32_t level,
                              osdc_kind uv_kind, const ToileMeshDef *cage, TlSceneLevel *to,
                              osdc_error *error) {
    osdc_sizes sizes = osdc_sizes_default();
    osdc_status status = osdc_size(refined, level, &sizes, error);
    bool fine = status == OSDC_OK;
    if (!fine)
        return status;
    int32_t *face_sizes = take(arena, sizes.faces, sizeof *face_sizes, &fine);
    int32_t *corners = take(arena, sizes.corners, sizeof *corners, &fine);
    uint32_t *corner_uvs = take(arena, sizes.corners, sizeof *corner_uvs, &fine);
    TlSceneTags *tags = &to->tags;
    to->cage_face = take(arena, sizes.faces, sizeof *to->cage_face, &fine);
    tags->creases = sizes.creases;
    tags->corners = sizes.corner_tags;
    tags->crease_pairs = take(arena, 2 * (size_t)sizes.creases, sizeof(int32_t), &fine);
    tags->crease_sharpness = take(arena, sizes.creases, sizeof(float), &fine);
    tags->corner_vert = take(arena, sizes.corner_tags, sizeof(int32_t), &fine);
    tags->corner_sharpness = take(arena, sizes.corner_tags, sizeof(float), &fine);
    if (!fine)
        return OSDC_E_MEMORY;
    toile_mesh_def_init(&to->mesh, (uint32_t)sizeof to->mesh);
    to->mesh.vertex_count = (int32_t)sizes.verts;
    to->mesh.face_count = (int32_t)sizes.faces;
    to->mesh.corner_count = (int32_t)sizes.corners;
    to->mesh.uv_count = (int32_t)sizes.fvar_values;
    to->mesh.face_sizes = face_sizes;
    to->mesh.corners = corners;
    status = osdc_faces(refined, level, face_sizes, corners, to->cage_face, NULL, error);
    if (status == OSDC_OK)
        status = osdc_tags(refined, level, tags->crease_pairs, tags->crease_sharpness,
                           tags->corner_vert, tags->corner_sharpness, error);
    if (status != OSDC_OK || sizes.fvar_values == 0)
        return status;
    double *uvs = NULL;
    status = osdc_fvar_index(refined, level, 0, corner_uvs, error);
    if (status == OSDC_OK)
        status = apply_once(arena, refined, uv_kind, cage->uvs, 2, &uvs, error);
    to->mesh.uvs = uvs;
    to->mesh.corner_uvs = (const int32_t *)corner_uvs;
    return status;
}

/* ---- before simulation ---- */

/* Another pose of the mesh on the refined one, in place of the old; false when memory runs out. */
static bool refine_pose(TlIoArena *arena, const osdc_table *points, const TlSceneLevel *level,
                        ToileObj **pose) {
    ToileMeshDef mesh = level->mesh;
    if (!*pose)
        return true;
    mesh.positions_m = apply(arena, points, (*pose)->mesh.positions_m, 3);
    ToileObj *refined = mesh.positions_m ? tl_obj_make(&mesh, NULL, 0) : NULL;
    toile_obj_free(*pose);
    *pose = refined;
    return refined != NULL;
}

/* Puts the refined mesh and poses in the place of those of the cage. */
static osdc_status replace_meshes(TlSceneCloth *cloth, const osdc_mesh *refined, TlIoArena *scratch,
                                  TlSceneLevel *level, osdc_error *error) {
    osdc_table *points = NULL;
    ToileObj *cage = cloth->mesh;
    osdc_status status = make_level(scratch, refined, (uint32_t)cloth->subdivide.simulate,
                                    OSDC_FVAR, &cage->mesh, level, error);
    if (status == OSDC_OK)
        status = osdc_table_create(refined, OSDC_VERTEX, 0, &points, error);
    if (status == OSDC_OK)
        status = osdc_table_create(refined, OSDC_VARYING, 0, &cloth->subdivide.by_vertex, error);
    if (status == OSDC_OK) {
        level->mesh.positions_m = apply(scratch, points, cage->mesh.positions_m, 3);
        bool fine = level->mesh.positions_m && refine_pose(scratch, points, level, &cloth->start) &&
                    refine_pose(scratch, points, level, &cloth->rest);
        ToileObj *mesh = fine ? tl_obj_refine(cage, &level->mesh, level->cage_face) : NULL;
        if (mesh) {
            toile_obj_free(cage);
            cloth->mesh = mesh;
        }
        status = mesh ? OSDC_OK : OSDC_E_MEMORY;
    }
    osdc_table_free(points);
    return status;
}

static bool copy(TlIoArena *arena, void *array, size_t count, size_t size) {
    void **from = array;
    void *to = tl_io_arena_array(arena, count + 1, size);
    if (to && count > 0)
        memcpy(to, *from, count * size);
    *from = to;
    return to != NULL;
}

bool tl_scene_copy_tags(TlIoArena *arena, TlSceneTags *tags) {
    return copy(arena, &tags->crease_pairs, 2 * (size_t)tags->creases, sizeof(int32_t)) &&
           copy(arena, &tags->crease_sharpness, tags->creases, sizeof(float)) &&
           copy(arena, &tags->corner_vert, tags->corners, sizeof(int32_t)) &&
           copy(arena, &tags->corner_sharpness, tags->corners, sizeof(float));
}

/* A refined mesh can be unfit where its cage is not: a strongly bent quad may fold over. */
static void check_refined(const TlKeys *keys, const TlSceneCloth *cloth) {
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    ToileMeshDef mesh = cloth->mesh->mesh;
    int32_t count = 0;
    bool patterned = cloth->pattern != TOILE_PATTERN_NONE && mesh.uv_count > 0;
    ToileStatus status = toile_mesh_check(&mesh, patterned, NULL, 0, &count, &error);
    if (status == TOILE_STATUS_OK && cloth->rest) {
        mesh.positions_m = cloth->rest->mesh.positions_m;
        status = toile_mesh_check(&mesh, false, NULL, 0, &count, &error);
    }
    if (status != TOILE_STATUS_OK)
        tl_keys_error(keys, "simulate", tl_keys_get(keys, "simulate", TL_KEY_PLAIN), status,
                      "%.200s is not fit for simulation once it is subdivided: %s",
                      cloth->mesh_file, error.message);
}

osdc_options tl_scene_simulate_rule(const TlSceneCloth *cloth) {
    osdc_options rule = cloth->subdivide.rule;
    if (cloth->pattern == TOILE_PATTERN_METRIC) {
        rule.boundary = OSDC_EDGE_LINEAR;
        rule.uv = OSDC_UV_BOUNDARIES;
    }
    return rule;
}

static void subdivide_for_simulation(TlSceneReader *reader, const TlKeys *keys,
                                     TlSceneCloth *cloth) {
    TlIoArena scratch = {0};
    TlSceneLevel level = {0};
    osdc_error error = {0};
    osdc_mesh *refined =
        refine(cloth, keys, "simulate", cloth->subdivide.simulate, tl_scene_simulate_rule(cloth));
    if (!refined)
        return;
    osdc_status status = replace_meshes(cloth, refined, &scratch, &level, &error);
    osdc_free(refined);
    if (status == OSDC_OK) {
        cloth->subdivide.tags = level.tags;
        if (!tl_scene_copy_tags(&reader->scene->arena, &cloth->subdivide.tags))
            status = OSDC_E_MEMORY;
    }
    tl_io_arena_free(&scratch);
    if (status == OSDC_E_MEMORY)
        tl_report_out_of_memory(reader->report);
    else if (status != OSDC_OK)
        tl_keys_error(keys, "simulate", tl_keys_get(keys, "simulate", TL_KEY_PLAIN),
                      status_of(status), "%.200s cannot be subdivided: %s", cloth->mesh_file,
                      error.text);
    else
        check_refined(keys, cloth);
}

/* ---- reading ---- */

static void read_levels(const TlKeys *cloth_keys, TlSceneSubdivision *sub, TlKeys *keys) {
    static const char *const known[] = {"simulate", "output", "limit", "scheme"};
    tl_keys_open_child(keys, cloth_keys, "subdivide", TL_KEY_NULLABLE, known, COUNT(known));
    tl_keys_integer(keys, "simulate", TL_KEY_PLAIN, 0, LEVEL_MAX, &sub->simulate);
    tl_keys_integer(keys, "output", TL_KEY_PLAIN, 0, LEVEL_MAX, &sub->output);
    tl_keys_bool(keys, "limit", TL_KEY_PLAIN, &sub->limit);
    if (sub->limit && sub->output == 0)
        tl_keys_error(keys, "limit", tl_keys_get(keys, "limit", TL_KEY_PLAIN),
                      TOILE_STATUS_INVALID_DATA,
                      "the limit surface is written at the vertices of \"output\", which is 0; use "
                      "1 or more, or no \"limit\"");
}

static void read_scheme(const TlKeys *keys, TlSceneSubdivision *sub) {
    static const TlChoice schemes[] = {{"catmull-clark", OSDC_CATMULL_CLARK, true},
                                       {"loop", OSDC_LOOP, true},
                                       {"bilinear", OSDC_BILINEAR, true}};
    int32_t scheme = (int32_t)sub->rule.scheme;
    tl_keys_choice(keys, "scheme", TL_KEY_PLAIN, schemes, COUNT(schemes), &scheme);
    sub->rule.scheme = (osdc_scheme)scheme;
}

void tl_scene_read_subdivide(TlSceneReader *reader, const TlKeys *cloth_keys, TlSceneCloth *cloth,
                             TlKeys *keys) {
    TlSceneSubdivision *sub = &cloth->subdivide;
    sub->rule = osdc_options_default();
    read_levels(cloth_keys, sub, keys);
    bool used = sub->simulate > 0 || sub->output > 0 || reader->scene->schema == TOILE_SCHEMA_SUBD;
    if (cloth->mesh)
        tl_scene_read_cage(reader, cloth_keys, cloth, used);
    if (cloth->mesh && cloth->source.reader && (sub->simulate > 0 || sub->output > 0))
        tl_scene_warn_of_params(reader, cloth_keys, cloth);
    read_scheme(keys, sub);
}

bool tl_scene_makes_quads(const TlSceneCloth *cloth) {
    const ToileMeshDef *mesh = &cloth->mesh->mesh;
    bool wide = false;
    for (int32_t f = 0; f < mesh->face_count; f++)
        wide = wide || mesh->face_sizes[f] > 4;
    return wide && cloth->subdivide.simulate > 0 && cloth->subdivide.rule.scheme != OSDC_LOOP;
}

void tl_scene_subdivide(TlSceneReader *reader, const TlKeys *keys, TlSceneCloth *cloth) {
    TlSceneSubdivision *sub = &cloth->subdivide;
    int32_t errors_before = reader->report->error_count;
    sub->cage_vertex_count = cloth->mesh->mesh.vertex_count;
    sub->cage_face_count = cloth->mesh->mesh.face_count;
    if (sub->simulate > 0)
        subdivide_for_simulation(reader, keys, cloth);
    if (sub->output > 0 && reader->report->error_count == errors_before)
        sub->surface = refine(cloth, keys, "output", sub->output, sub->rule);
}

void tl_scene_free_subdivision(TlSceneSubdivision *sub) {
    osdc_table_free(sub->by_vertex);
    osdc_free(sub->surface);
}

/* ---- what is given by cage vertex ---- */

int32_t tl_scene_cage_vertices(const TlSceneCloth *cloth) {
    return cloth->subdivide.by_vertex ? cloth->subdivide.cage_vertex_count
                                      : cloth->mesh->mesh.vertex_count;
}

bool tl_scene_refine_list(TlSceneReader *reader, const TlSceneCloth *cloth, int32_t **vertices,
                          int32_t *count) {
    const uint64_t *offset;
    const int32_t *index;
    uint32_t rows = 0;
    int32_t used = 0;
    if (!cloth->subdivide.by_vertex || *count == 0)
        return true;
    osdc_table_rows(cloth->subdivide.by_vertex, &rows, NULL, &offset, &index, NULL, NULL);
    unsigned char *held = calloc((size_t)cloth->subdivide.cage_vertex_count + 1, 1);
    int32_t *refined = tl_io_arena_array(&reader->scene->arena, rows, sizeof *refined);
    bool fine = held && refined;
    for (int32_t i = 0; fine && i < *count; i++)
        held[(*vertices)[i]] = 1;
    for (uint32_t r = 0; fine && r < rows; r++) {
        bool all = true;
        for (uint64_t t = offset[r]; t < offset[r + 1]; t++)
            all = all && held[index[t]];
        if (all)
            refined[used++] = (int32_t)r;
    }
    free(held);
    if (fine) {
        *vertices = refined;
        *count = used;
    } else {
        tl_report_out_of_memory(reader->report);
    }
    return fine;
}

double *tl_scene_refine_values(TlSceneReader *reader, const TlSceneCloth *cloth, double *values) {
    if (!cloth->subdivide.by_vertex)
        return values;
    double *refined = apply(&reader->scene->arena, cloth->subdivide.by_vertex, values, 1);
    if (!refined)
        tl_report_out_of_memory(reader->report);
    return refined;
}

/* ---- for output ---- */

static ToileStatus pass_on(const TlSceneCloth *cloth, osdc_status status, const osdc_error *from,
                           ToileError *error) {
    if (status == OSDC_E_MEMORY)
        return tl_io_out_of_memory(error);
    return tl_io_fail(error, status_of(status), "%.200s cannot be subdivided: %s", cloth->mesh_file,
                      from->text);
}

ToileStatus tl_scene_make_surface(const TlSceneCloth *cloth, TlIoArena *arena, TlSceneLevel *level,
                                  osdc_table **points, ToileError *error) {
    const TlSceneSubdivision *sub = &cloth->subdivide;
    osdc_error from = {0};
    osdc_status status =
        make_level(arena, sub->surface, (uint32_t)sub->output,
                   sub->limit ? OSDC_LIMIT_FVAR : OSDC_FVAR, &cloth->mesh->mesh, level, &from);
    if (status == OSDC_OK)
        status = osdc_table_create(sub->surface, sub->limit ? OSDC_LIMIT : OSDC_VERTEX, 0, points,
                                   &from);
    return status == OSDC_OK ? TOILE_STATUS_OK : pass_on(cloth, status, &from, error);
}
