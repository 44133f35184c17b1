/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes: loading, what can be asked of them, freeing. The reader proper stands in scene_read.c and
 * its neighbours, simulations of a scene in scene_build.c. */
#include "toile_io/scene.h"

#include "platform.h"
#include "scene_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

void toile_scene_free(ToileScene *scene) {
    if (!scene)
        return;
    for (int32_t i = 0; i < scene->cloth_count; i++) {
        toile_obj_free(scene->cloths[i].mesh);
        toile_obj_free(scene->cloths[i].start);
        toile_obj_free(scene->cloths[i].rest);
        tl_scene_free_subdivision(&scene->cloths[i].subdivide);
        free(scene->cloths[i].mesh_file);
        tl_scene_archive_close(&scene->cloths[i].source);
        for (int32_t p = 0; p < scene->cloths[i].pin_count; p++)
            tl_scene_free_surface(scene->cloths[i].pins[p].target);
    }
    for (int32_t i = 0; i < scene->collider_count; i++)
        tl_scene_free_surface(scene->colliders[i].surface);
    free(scene->cache);
    free(scene->preview);
    tl_io_arena_free(&scene->arena);
    free(scene);
}

/* A copy of an object without one of its keys; NULL when memory runs out. */
static TlJson *copy_without(TlIoArena *arena, const TlJson *object, const char *key) {
    TlJson *copy = tl_io_arena_alloc(arena, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *object;
    copy->first = copy->last = NULL;
    copy->count = 0;
    for (const TlJson *child = object->first; child; child = child->next) {
        if (strcmp(child->key, key) == 0)
            continue;
        TlJson *kept = tl_io_arena_alloc(arena, sizeof *kept);
        if (!kept)
            return NULL;
        *kept = *child;
        kept->next = NULL;
        *(copy->last ? &copy->last->next : &copy->first) = kept;
        copy->last = kept;
        copy->count++;
    }
    return copy;
}

/* The part of a scene that decides what is simulated: without what is written and where, without
 * the table of wedges, of which one was put in place, and without the number of threads. NULL when
 * memory runs out. */
static const TlJson *essence(TlIoArena *arena, const TlJson *root) {
    if (root->kind != TL_JSON_OBJECT)
        return root;
    TlJson *inputs = copy_without(arena, root, "output");
    TlJson *copy = inputs ? copy_without(arena, inputs, "wedges") : NULL;
    TlJson *solver = copy ? tl_json_get(copy, "solver") : NULL;
    if (!solver || solver->kind != TL_JSON_OBJECT)
        return copy;
    const TlJson *rest = copy_without(arena, solver, "threads");
    if (!rest)
        return NULL;
    if (rest->count == 0)
        return copy_without(arena, copy, "solver");
    solver->first = rest->first;
    return copy;
}

static void hash_text(TlSceneReader *reader, const TlJson *root) {
    TlIoText text = {0};
    const TlJson *part = essence(&reader->scene->arena, root);
    if (part)
        tl_json_write(part, &text);
    if (!part || text.failed)
        tl_report_out_of_memory(reader->report);
    else
        tl_sha256_add(&reader->sha, text.data, text.length);
    tl_io_text_free(&text);
}

static void finish_hash(TlSceneReader *reader) {
    uint8_t digest[32];
    tl_sha256_finish(&reader->sha, digest);
    for (int32_t i = 0; i < 8; i++)
        reader->scene->hash = reader->scene->hash << 8 | digest[i];
}

/* Files that overrides bring in are hashed before the text, those of the scene after it. */
static void read_text(TlSceneReader *reader, const char *text, size_t size,
                      const char *const *overrides, int32_t override_count, int32_t wedge) {
    TlJson *root = tl_json_parse(text, size, reader->path, &reader->scene->arena, reader->report);
    tl_sha256_start(&reader->sha);
    if (!root)
        return;
    if (root->kind == TL_JSON_OBJECT)
        tl_scene_override(reader, root, overrides, override_count);
    tl_scene_read_wedges(reader, root);
    if (!tl_scene_choose_wedge(reader, root, wedge, overrides, override_count))
        return;
    hash_text(reader, root);
    tl_scene_read(reader, root);
    finish_hash(reader);
}

void tl_scene_report_file(TlReport *report, const char *path, ToileStatus status,
                          const ToileError *cause) {
    /* the sentence names the file already; findings hold the place apart */
    const char *sentence = cause->message;
    size_t length = strlen(path);
    if (strncmp(sentence, path, length) == 0 && strncmp(sentence + length, ": ", 2) == 0)
        sentence += length + 2;
    tl_report_error(report, status, (TlIoPlace){path, 0, 0}, "%s", sentence);
}

ToileStatus toile_scene_load(const char *path, const char *const *overrides, int32_t override_count,
                             ToileDiagnosticSink sink, void *user, ToileScene **out,
                             ToileError *error) {
    return toile_scene_load_wedge(path, overrides, override_count, -1, sink, user, out, error);
}

ToileStatus toile_scene_load_wedge(const char *path, const char *const *overrides,
                                   int32_t override_count, int32_t wedge, ToileDiagnosticSink sink,
                                   void *user, ToileScene **out, ToileError *error) {
    TlReport report = {.sink = sink, .user = user, .error = error};
    ToileError cause = {.struct_size = (uint32_t)sizeof cause};
    char *text = NULL;
    size_t size = 0;
    if (!path || !out || override_count < 0 || (override_count > 0 && !overrides) || wedge < -1)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_scene_load needs a path, a place for the scene, as many overrides "
                          "as it is told, and a wedge of 0 or more, or -1");
    *out = NULL;
    ToileStatus status = tl_io_read_file(path, TL_JSON_MAX_BYTES, &text, &size, &cause);
    if (status != TOILE_STATUS_OK) {
        tl_scene_report_file(&report, path, status, &cause);
        return status;
    }
    ToileScene *scene = calloc(1, sizeof *scene);
    if (!scene) {
        free(text);
        return tl_io_out_of_memory(error);
    }
    TlSceneReader reader = {.scene = scene, .path = path, .report = &report};
    read_text(&reader, text, size, overrides, override_count, wedge);
    free(text);
    if (report.status != TOILE_STATUS_OK) {
        toile_scene_free(scene);
        return report.status;
    }
    *out = scene;
    return TOILE_STATUS_OK;
}

/* ---- questions ---- */

static ToileStatus refuse_argument(const char *function, ToileError *error) {
    return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                      "%s needs a scene and an initialised struct to fill, not NULL and not a "
                      "struct_size of 0",
                      function);
}

static ToileStatus refuse_index(const char *what, int32_t index, int32_t count, ToileError *error) {
    return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                      "There is no %s %d in the scene, which has %d; they count from 0", what,
                      index, count);
}

/* Copies as much of a filled struct as the caller's is large. */
static void hand_out(void *target, const void *source, size_t size) {
    uint32_t wanted = 0;
    memcpy(&wanted, target, sizeof wanted);
    memcpy(target, source, wanted < size ? wanted : size);
    memcpy(target, &wanted, sizeof wanted);
}

ToileStatus toile_scene_get_info(const ToileScene *scene, ToileSceneInfo *info, ToileError *error) {
    if (!scene || !info || info->struct_size < sizeof info->struct_size)
        return refuse_argument("toile_scene_get_info", error);
    ToileSceneInfo full;
    memset(&full, 0, sizeof full);
    full.up = scene->up;
    full.settle = scene->settle ? 1 : 0;
    full.frame_count = scene->frame_count;
    full.frames = scene->frames;
    full.fps = scene->sim.fps;
    full.unit_m = scene->unit_m;
    full.cache = scene->cache;
    full.preview = scene->preview;
    full.velocities = scene->velocities ? 1 : 0;
    full.cloth_count = scene->cloth_count;
    full.collider_count = scene->collider_count;
    full.hash = scene->hash;
    full.wedge = scene->wedge;
    full.wedge_count = scene->wedge_count;
    full.wedge_key_count = scene->wedge_key_count;
    full.samples_per_frame = scene->samples;
    full.schema = scene->schema;
    hand_out(info, &full, sizeof full);
    return TOILE_STATUS_OK;
}

/* Vertices held at the first frame, each counted once. */
static int32_t count_pinned(const ToileScene *scene, const TlSceneCloth *cloth) {
    size_t vertex_count = (size_t)cloth->mesh->mesh.vertex_count;
    int32_t total = 0;
    unsigned char *seen = calloc(vertex_count + 1, 1);
    if (!seen)
        return -1;
    for (int32_t p = 0; p < cloth->pin_count; p++) {
        const TlScenePin *pin = &cloth->pins[p];
        if (!tl_scene_pin_holds(pin, scene->sim.start_frame))
            continue;
        for (int32_t i = 0; i < pin->vertex_count; i++) {
            total += seen[pin->vertices[i]] ? 0 : 1;
            seen[pin->vertices[i]] = 1;
        }
    }
    free(seen);
    return total;
}

static void tell_subdivision(const TlSceneCloth *source, ToileSceneCloth *cloth) {
    const TlSceneSubdivision *sub = &source->subdivide;
    osdc_sizes sizes = osdc_sizes_default();
    cloth->subdivide_simulate = sub->simulate;
    cloth->subdivide_output = sub->output;
    cloth->subdivide_limit = sub->limit ? 1 : 0;
    cloth->file_vertex_count = sub->cage_vertex_count;
    cloth->file_face_count = sub->cage_face_count;
    cloth->output_vertex_count = source->mesh->mesh.vertex_count;
    cloth->output_face_count = source->mesh->mesh.face_count;
    if (!sub->surface || osdc_size(sub->surface, (uint32_t)sub->output, &sizes, NULL) != OSDC_OK)
        return;
    cloth->output_vertex_count = (int32_t)sizes.verts;
    cloth->output_face_count = (int32_t)sizes.faces;
}

ToileStatus toile_scene_get_cloth(const ToileScene *scene, int32_t index, ToileSceneCloth *cloth,
                                  ToileError *error) {
    if (!scene || !cloth || cloth->struct_size < sizeof cloth->struct_size)
        return refuse_argument("toile_scene_get_cloth", error);
    if (index < 0 || index >= scene->cloth_count)
        return refuse_index("cloth", index, scene->cloth_count, error);
    const TlSceneCloth *source = &scene->cloths[index];
    ToileSceneCloth full;
    memset(&full, 0, sizeof full);
    full.name = source->name;
    full.mesh_file = source->mesh_file;
    full.fabric_name = source->fabric_name;
    full.mesh = &source->mesh->mesh;
    full.fabric = &source->fabric;
    full.pattern = source->pattern;
    full.unit_m = source->unit_m;
    full.elements = source->elements;
    full.rest_curvature_map_per_m = source->rest_curvature_map_per_m;
    tell_subdivision(source, &full);
    full.pin_count = count_pinned(scene, source);
    if (full.pin_count < 0)
        return tl_io_out_of_memory(error);
    hand_out(cloth, &full, sizeof full);
    return TOILE_STATUS_OK;
}

ToileStatus toile_scene_get_collider(const ToileScene *scene, int32_t index, double frame,
                                     ToileColliderDef *collider, ToileError *error) {
    if (!scene || !collider || collider->struct_size < sizeof collider->struct_size ||
        !isfinite(frame))
        return refuse_argument("toile_scene_get_collider", error);
    if (index < 0 || index >= scene->collider_count)
        return refuse_index("collider", index, scene->collider_count, error);
    ToileColliderDef full = scene->colliders[index].def;
    full.pose = tl_scene_pose(&scene->colliders[index], frame);
    hand_out(collider, &full, sizeof full);
    return TOILE_STATUS_OK;
}

ToileStatus toile_scene_get_collider_file(const ToileScene *scene, int32_t index, const char **file,
                                          int32_t *deforms, ToileError *error) {
    if (!scene || !file)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_scene_get_collider_file needs a scene and a place for the file's "
                          "name, not NULL");
    if (index < 0 || index >= scene->collider_count)
        return refuse_index("collider", index, scene->collider_count, error);
    const TlSceneSurface *surface = scene->colliders[index].surface;
    *file = surface ? surface->file : NULL;
    if (deforms)
        *deforms = surface && surface->deforms ? 1 : 0;
    return TOILE_STATUS_OK;
}

ToileStatus toile_scene_read_collider(const ToileScene *scene, int32_t index, double frame,
                                      ToileObj **out, ToileError *error) {
    if (!scene || !out || !isfinite(frame))
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_scene_read_collider needs a scene, a frame and a place for the "
                          "mesh, not NULL");
    *out = NULL;
    if (index < 0 || index >= scene->collider_count)
        return refuse_index("collider", index, scene->collider_count, error);
    const TlSceneCollider *collider = &scene->colliders[index];
    if (!collider->surface)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "Collider \"%.64s\" is no mesh and has no vertices", collider->def.name);
    return tl_scene_surface_mesh(collider->surface, collider->def.name, frame, out, error);
}
