/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Pins of a cloth: which vertices, in which frames, and the collider or mesh they follow. */
#include "scene_types.h"

#include "platform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (int32_t)(sizeof(array) / sizeof((array)[0]))
#define NAMES_MAX 256
#define NAMES_SHOWN 10

static int compare_ints(const void *a, const void *b) {
    int32_t left = *(const int32_t *)a;
    int32_t right = *(const int32_t *)b;
    return left < right ? -1 : left > right;
}

/* ---- vertices ---- */

/* Lists the first groups of a mesh: "a", "b" and 3 more. */
static void list_groups(const ToileObj *obj, char *text, size_t size) {
    int32_t listed = obj->group_count < NAMES_SHOWN ? obj->group_count : NAMES_SHOWN;
    size_t used = 0;
    text[0] = '\0';
    for (int32_t i = 0; i < listed && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s\"%.32s\"", i ? ", " : "",
                                 obj->group_names[i]);
    if (obj->group_count > listed && used < size)
        snprintf(text + used, size - used, " and %d more", obj->group_count - listed);
}

int32_t tl_scene_find_group(const TlKeys *keys, const TlSceneCloth *cloth) {
    return tl_scene_find_group_of(keys, cloth->mesh, cloth->mesh_file);
}

int32_t tl_scene_find_group_of(const TlKeys *keys, const ToileObj *obj, const char *file) {
    const char *name = NULL;
    tl_keys_string(keys, "group", TL_KEY_NULLABLE, &name);
    if (!name || !obj)
        return -1;
    for (int32_t i = 0; i < obj->group_count; i++)
        if (strcmp(obj->group_names[i], name) == 0)
            return i;
    const TlJson *value = tl_keys_get(keys, "group", TL_KEY_PLAIN);
    int32_t count = obj->group_count < NAMES_MAX ? obj->group_count : NAMES_MAX;
    const char *near = tl_io_nearest(name, obj->group_names, count);
    char groups[NAMES_SHOWN * 40 + 32];
    list_groups(obj, groups, sizeof groups);
    if (near)
        tl_keys_error(keys, "group", value, TOILE_STATUS_INVALID_DATA,
                      "%.200s has no group \"%.64s\", only %s; did you mean \"%.64s\"?", file, name,
                      groups, near);
    else if (obj->group_count > 0)
        tl_keys_error(keys, "group", value, TOILE_STATUS_INVALID_DATA,
                      "%.200s has no group \"%.64s\", only %s", file, name, groups);
    else
        tl_keys_error(keys, "group", value, TOILE_STATUS_INVALID_DATA,
                      "%.200s has no group \"%.64s\", nor any other (g or o statements name them)",
                      file, name);
    return -1;
}

static bool read_vertex(const TlKeys *keys, const TlJson *value, int32_t index,
                        const TlSceneCloth *cloth, int32_t *vertex) {
    char key[TL_PATH_SIZE];
    char found[TL_JSON_DESCRIBE_SIZE];
    int32_t count = cloth->mesh ? tl_scene_cage_vertices(cloth) : INT32_MAX;
    if (value->kind == TL_JSON_NUMBER && value->number == floor(value->number) &&
        value->number >= 0 && value->number < count) {
        *vertex = (int32_t)value->number;
        return true;
    }
    tl_path_element(key, "", "vertices", index);
    tl_json_describe(value, found);
    tl_keys_error(keys, key, value, TOILE_STATUS_INVALID_DATA,
                  "%s is not a vertex of the mesh; whole numbers from 0 to %d are allowed", found,
                  count - 1);
    return false;
}

/* The vertices of a list, which are those of the file, on the mesh that is simulated; NULL when
 * memory ran out. */
static int32_t *read_list(TlSceneReader *reader, const TlKeys *keys, const TlJson *list,
                          const TlSceneCloth *cloth, int32_t *count) {
    int32_t *vertices = tl_io_arena_array(&reader->scene->arena,
                                          (size_t)(list ? list->count : 0) + 1, sizeof *vertices);
    int32_t index = 0;
    if (!vertices)
        return NULL;
    for (const TlJson *value = list ? list->first : NULL; value; value = value->next)
        if (read_vertex(keys, value, index++, cloth, &vertices[*count]))
            ++*count;
    return tl_scene_refine_list(reader, cloth, &vertices, count) ? vertices : NULL;
}

static void read_vertices(TlSceneReader *reader, const TlKeys *keys, const TlSceneCloth *cloth,
                          TlScenePin *pin) {
    const TlJson *list = tl_keys_list(keys, "vertices", TL_KEY_NULLABLE);
    int32_t group = tl_scene_find_group(keys, cloth);
    int32_t from_group = group >= 0 ? cloth->mesh->group_vertex_counts[group] : 0;
    int32_t used = 0;
    int32_t *listed = read_list(reader, keys, list, cloth, &used);
    size_t most = (size_t)from_group + (size_t)used;
    pin->vertices = tl_io_arena_array(&reader->scene->arena, most, sizeof *pin->vertices);
    if (!listed || !pin->vertices) {
        tl_report_out_of_memory(reader->report);
        return;
    }
    if (used > 0)
        memcpy(pin->vertices, listed, (size_t)used * sizeof *listed);
    if (from_group > 0)
        memcpy(pin->vertices + used, cloth->mesh->group_vertices[group],
               (size_t)from_group * sizeof *pin->vertices);
    used += from_group;
    qsort(pin->vertices, (size_t)used, sizeof *pin->vertices, compare_ints);
    for (int32_t i = 0; i < used; i++)
        if (i == 0 || pin->vertices[i] != pin->vertices[i - 1])
            pin->vertices[pin->vertex_count++] = pin->vertices[i];
}

/* ---- frames ---- */

static void read_frames(TlSceneReader *reader, const TlKeys *keys, TlScenePin *pin) {
    tl_scene_read_frames(reader, keys, TL_KEY_NULLABLE, false, &pin->frames, &pin->frame_count);
    if (pin->frames)
        qsort(pin->frames, (size_t)pin->frame_count, sizeof *pin->frames, compare_ints);
}

bool tl_scene_pin_holds(const TlScenePin *pin, int32_t frame) {
    if (!pin->frames)
        return true;
    return bsearch(&frame, pin->frames, (size_t)pin->frame_count, sizeof *pin->frames,
                   compare_ints) != NULL;
}

static int32_t first_break(const TlScenePin *pin, int32_t start) {
    int32_t frame = start;
    if (!pin->frames)
        return INT32_MAX;
    while (frame < INT32_MAX && tl_scene_pin_holds(pin, frame))
        frame++;
    return frame;
}

/* ---- following ---- */

/* Whether a text is the name of a mesh, rather than of a collider. */
static bool names_mesh(const char *text) {
    return tl_io_has_ending(text, ".obj") || tl_scene_names_archive(text);
}

static int32_t find_collider(TlSceneReader *reader, const TlKeys *keys, const TlJson *value) {
    const ToileScene *scene = reader->scene;
    const char *names[NAMES_MAX];
    for (int32_t i = 0; i < scene->collider_count; i++) {
        if (i < NAMES_MAX)
            names[i] = scene->colliders[i].def.name;
        if (strcmp(scene->colliders[i].def.name, value->string) == 0)
            return i;
    }
    int32_t count = scene->collider_count < NAMES_MAX ? scene->collider_count : NAMES_MAX;
    const char *near = tl_io_nearest(value->string, names, count);
    if (near)
        tl_keys_error(keys, "follow", value, TOILE_STATUS_INVALID_DATA,
                      "there is no collider \"%.64s\"; did you mean \"%s\"?", value->string, near);
    else
        tl_keys_error(keys, "follow", value, TOILE_STATUS_INVALID_DATA,
                      "there is no collider \"%.64s\"; the name of one of the scene's %d colliders "
                      "or of a mesh is needed",
                      value->string, scene->collider_count);
    return -1;
}

/* A mesh of the pin's own: its name, or an object with "mesh", "points" and "unit_m". */
static TlSceneSurface *read_target(TlSceneReader *reader, const TlKeys *keys, const TlJson *value) {
    static const char *const known[] = {"mesh", "points", "unit_m"};
    double unit_m = reader->scene->unit_m;
    TlKeys target;
    if (value->kind == TL_JSON_STRING)
        return tl_scene_read_surface(reader, keys, "follow", unit_m);
    tl_keys_open_child(&target, keys, "follow", TL_KEY_NULLABLE, known, COUNT(known));
    tl_keys_get(&target, "mesh", TL_KEY_REQUIRED);
    tl_keys_number(&target, "unit_m", TL_KEY_PLAIN, (TlRange){0, 1e6, true}, &unit_m);
    return target.object ? tl_scene_read_surface(reader, &target, "mesh", unit_m) : NULL;
}

/* Reads what a pin follows: a collider, or a mesh that need not be one. */
static void read_follow(TlSceneReader *reader, const TlKeys *keys, const TlSceneCloth *cloth,
                        TlScenePin *pin) {
    const TlJson *value = tl_keys_get(keys, "follow", TL_KEY_NULLABLE);
    pin->follow = -1;
    if (!value)
        return;
    if (value->kind == TL_JSON_OBJECT ||
        (value->kind == TL_JSON_STRING && names_mesh(value->string))) {
        pin->target = read_target(reader, keys, value);
    } else {
        const char *name = NULL;
        tl_keys_string(keys, "follow", TL_KEY_NULLABLE, &name);
        pin->follow = name ? find_collider(reader, keys, value) : -1;
    }
    const TlSceneSurface *surface =
        pin->follow >= 0 ? reader->scene->colliders[pin->follow].surface : pin->target;
    if (surface && surface->archive.changes)
        tl_keys_error(keys, "follow", value, TOILE_STATUS_INVALID_DATA,
                      "the faces of %.200s change from sample to sample, so that a pin cannot keep "
                      "its place on it; follow a mesh that only moves",
                      surface->file);
    else if (surface && (surface->deforms || pin->target) && cloth->mesh)
        tl_scene_hold(reader, cloth, pin);
}

static void read_weight(const TlKeys *keys) {
    double weight = 1;
    tl_keys_number(keys, "weight", TL_KEY_ANIMATED, (TlRange){0, 1, false}, &weight);
    if (weight != 1)
        tl_keys_unavailable(keys, "weight", tl_keys_get(keys, "weight", TL_KEY_PLAIN),
                            "soft pins with a weight below 1 are", "use 1");
    tl_keys_refuse(keys, "stiffness", "soft pins with a stiffness are");
}

static void read_pin(TlSceneReader *reader, const TlKeys *cloth_keys, const TlJson *value,
                     int32_t index, TlSceneCloth *cloth) {
    static const char *const known[] = {"vertices", "group",  "follow",
                                        "weight",   "frames", "stiffness"};
    char path[TL_PATH_SIZE];
    TlKeys keys;
    TlScenePin *pin = &cloth->pins[index];
    tl_path_element(path, cloth_keys->path, "pins", index);
    tl_keys_open(&keys, reader->report, value, path, known, COUNT(known));
    if (keys.object && !tl_keys_get(&keys, "vertices", TL_KEY_NULLABLE) &&
        !tl_keys_get(&keys, "group", TL_KEY_NULLABLE))
        tl_keys_error(&keys, "", NULL, TOILE_STATUS_INVALID_DATA,
                      "the pin names no vertices; give \"vertices\", \"group\" or both");
    read_vertices(reader, &keys, cloth, pin);
    read_frames(reader, &keys, pin);
    read_follow(reader, &keys, cloth, pin);
    pin->held_before = first_break(pin, reader->scene->sim.start_frame);
    read_weight(&keys);
}

void tl_scene_read_pins(TlSceneReader *reader, const TlKeys *cloth_keys, TlSceneCloth *cloth) {
    const TlJson *list = tl_keys_list(cloth_keys, "pins", TL_KEY_NULLABLE);
    int32_t index = 0;
    if (!list || list->count == 0)
        return;
    cloth->pins =
        tl_io_arena_array(&reader->scene->arena, (size_t)list->count, sizeof *cloth->pins);
    if (!cloth->pins) {
        tl_report_out_of_memory(reader->report);
        return;
    }
    cloth->pin_count = list->count;
    for (const TlJson *value = list->first; value; value = value->next)
        read_pin(reader, cloth_keys, value, index++, cloth);
}
