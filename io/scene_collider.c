/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Colliders of a scene: shapes, values by group of vertices, and motion: keys of a rigid motion
 * about the origin, straight and by the shortest arc between keys, still before the first and after
 * the last. Meshes are read in scene_surface.c. */
#include "rotation.h"
#include "scene_types.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (int32_t)(sizeof(array) / sizeof((array)[0]))
#define FAR_M 1e9 /* bound on coordinates */

static const TlRange above_zero = {0, FAR_M, true};
static const TlRange zero_or_more = {0, FAR_M, false};

/* ---- shapes ---- */

static void read_sphere(const TlKeys *parent, ToileColliderDef *def) {
    static const char *const known[] = {"center", "radius"};
    TlKeys keys;
    def->shape = TOILE_COLLIDER_SPHERE;
    tl_keys_open_child(&keys, parent, "sphere", TL_KEY_PLAIN, known, COUNT(known));
    tl_keys_vector(&keys, "center", TL_KEY_PLAIN, FAR_M, def->center_m);
    tl_keys_number(&keys, "radius", TL_KEY_REQUIRED, above_zero, &def->radius_m);
}

static void read_plane(const TlKeys *parent, ToileColliderDef *def) {
    static const char *const known[] = {"point", "normal"};
    TlKeys keys;
    def->shape = TOILE_COLLIDER_PLANE;
    tl_keys_open_child(&keys, parent, "plane", TL_KEY_PLAIN, known, COUNT(known));
    tl_keys_vector(&keys, "point", TL_KEY_PLAIN, FAR_M, def->center_m);
    tl_keys_vector(&keys, "normal", TL_KEY_REQUIRED, FAR_M, def->normal);
    const double *n = def->normal;
    if (!(sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) > 1e-100))
        tl_keys_error(&keys, "normal", tl_keys_get(&keys, "normal", TL_KEY_PLAIN),
                      TOILE_STATUS_INVALID_DATA,
                      "the vector has no length; it must point to the free side of the plane");
}

static void read_box(const TlKeys *parent, ToileColliderDef *def) {
    static const char *const known[] = {"center", "half"};
    TlKeys keys;
    def->shape = TOILE_COLLIDER_BOX;
    tl_keys_open_child(&keys, parent, "box", TL_KEY_PLAIN, known, COUNT(known));
    tl_keys_vector(&keys, "center", TL_KEY_PLAIN, FAR_M, def->center_m);
    tl_keys_vector(&keys, "half", TL_KEY_REQUIRED, FAR_M, def->half_m);
    const double *half = def->half_m;
    if (!(half[0] > 0 && half[1] > 0 && half[2] > 0))
        tl_keys_error(&keys, "half", tl_keys_get(&keys, "half", TL_KEY_PLAIN),
                      TOILE_STATUS_INVALID_DATA,
                      "a half size is 0 or less; all three must be above 0");
}

static void read_capsule(const TlKeys *parent, ToileColliderDef *def) {
    static const char *const known[] = {"from", "to", "radius"};
    TlKeys keys;
    def->shape = TOILE_COLLIDER_CAPSULE;
    tl_keys_open_child(&keys, parent, "capsule", TL_KEY_PLAIN, known, COUNT(known));
    tl_keys_get(&keys, "from", TL_KEY_REQUIRED);
    tl_keys_vector(&keys, "from", TL_KEY_PLAIN, FAR_M, def->center_m);
    tl_keys_vector(&keys, "to", TL_KEY_REQUIRED, FAR_M, def->end_m);
    tl_keys_number(&keys, "radius", TL_KEY_REQUIRED, above_zero, &def->radius_m);
}

/* Warns when the archive hides the mesh in part of the clip, which may be meant as its absence. */
static void warn_if_hidden(TlSceneReader *reader, const TlKeys *keys,
                           const TlSceneArchive *archive) {
    const ToileScene *scene = reader->scene;
    int first = 1, visible = 1;
    double m[16];
    for (int32_t i = 0; i < scene->frame_count && !scene->settle; i++) {
        if (abcc_world(archive->reader, archive->object, scene->frames[i] / archive->fps, m,
                       &visible, NULL, NULL) != ABCC_OK)
            return;
        first = i == 0 ? visible : first;
        if (visible == first)
            continue;
        tl_keys_warning(keys, "mesh", tl_keys_get(keys, "mesh", TL_KEY_PLAIN),
                        "%.200s is %s from frame %d on, but cloth meets it all the time, shown or "
                        "hidden",
                        archive->file, visible ? "shown" : "hidden", scene->frames[i]);
        return;
    }
}

static void read_mesh(TlSceneReader *reader, const TlKeys *keys, double unit_m,
                      TlSceneCollider *collider) {
    collider->def.shape = TOILE_COLLIDER_MESH;
    collider->surface = tl_scene_read_surface(reader, keys, "mesh", unit_m);
    if (!collider->surface)
        return;
    collider->def.mesh = &collider->surface->mesh;
    if (collider->surface->archive.reader)
        warn_if_hidden(reader, keys, &collider->surface->archive);
}

static void read_shape(TlSceneReader *reader, const TlKeys *keys, double unit_m,
                       TlSceneCollider *collider) {
    static const char *const shapes[] = {"sphere", "plane", "box", "capsule", "mesh"};
    ToileColliderDef *def = &collider->def;
    int32_t found = 0;
    for (int32_t i = 0; i < COUNT(shapes); i++)
        found += tl_keys_get(keys, shapes[i], TL_KEY_PLAIN) ? 1 : 0;
    if (keys->object && found != 1)
        tl_keys_error(keys, "", NULL, TOILE_STATUS_INVALID_DATA,
                      "this collider has %d shapes; exactly one of \"sphere\", \"plane\", "
                      "\"box\", \"capsule\" or \"mesh\" is allowed",
                      found);
    if (tl_keys_get(keys, "sphere", TL_KEY_PLAIN))
        read_sphere(keys, def);
    if (tl_keys_get(keys, "plane", TL_KEY_PLAIN))
        read_plane(keys, def);
    if (tl_keys_get(keys, "box", TL_KEY_PLAIN))
        read_box(keys, def);
    if (tl_keys_get(keys, "capsule", TL_KEY_PLAIN))
        read_capsule(keys, def);
    const TlJson *points = tl_keys_get(keys, "points", TL_KEY_NULLABLE);
    if (points && !tl_keys_get(keys, "mesh", TL_KEY_PLAIN))
        tl_keys_error(keys, "points", points, TOILE_STATUS_INVALID_DATA,
                      "a point cache moves the vertices of a mesh; give the collider a \"mesh\"");
    if (tl_keys_get(keys, "mesh", TL_KEY_PLAIN))
        read_mesh(reader, keys, unit_m, collider);
}

/* ---- maps ---- */

/* Gives the vertices of a group their own value. */
static void read_group_value(TlSceneReader *reader, const TlJson *object, const char *path,
                             const TlSceneSurface *surface, double *values) {
    static const char *const known[] = {"group", "value"};
    TlKeys keys;
    double value = 0;
    tl_keys_open(&keys, reader->report, object, path, known, COUNT(known));
    tl_keys_get(&keys, "group", TL_KEY_REQUIRED);
    tl_keys_number(&keys, "value", TL_KEY_REQUIRED, zero_or_more, &value);
    int32_t group = tl_scene_find_group_of(&keys, surface->obj, surface->file);
    for (int32_t i = 0; group >= 0 && i < surface->obj->group_vertex_counts[group]; i++)
        values[surface->obj->group_vertices[group][i]] = value;
}

/* One value per vertex: `everywhere`, but for the groups that the map names; NULL: no map. */
static const double *read_map(TlSceneReader *reader, const TlKeys *maps, const char *key,
                              const TlSceneSurface *surface, double everywhere) {
    char path[TL_PATH_SIZE];
    int32_t index = 0;
    const TlJson *map = tl_keys_get(maps, key, TL_KEY_NULLABLE);
    if (!map)
        return NULL;
    size_t count = (size_t)surface->mesh.vertex_count;
    double *values = tl_io_arena_array(&reader->scene->arena, count, sizeof *values);
    if (!values) {
        tl_report_out_of_memory(reader->report);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        values[i] = everywhere;
    tl_path_key(path, maps->path, key);
    if (map->kind != TL_JSON_ARRAY) {
        read_group_value(reader, map, path, surface, values);
        return values;
    }
    for (const TlJson *part = map->first; part; part = part->next) {
        tl_path_element(path, maps->path, key, index++);
        read_group_value(reader, part, path, surface, values);
    }
    return values;
}

static void read_maps(TlSceneReader *reader, const TlKeys *keys, TlSceneCollider *collider) {
    static const char *const known[] = {"thickness", "friction"};
    const TlSceneSurface *surface = collider->surface;
    const TlJson *value = tl_keys_get(keys, "maps", TL_KEY_NULLABLE);
    TlKeys maps;
    tl_keys_open_child(&maps, keys, "maps", TL_KEY_NULLABLE, known, COUNT(known));
    if (!maps.object || value->count == 0)
        return;
    if (collider->def.shape != TOILE_COLLIDER_MESH)
        tl_keys_error(keys, "maps", value, TOILE_STATUS_INVALID_DATA,
                      "only a mesh has groups of vertices; give the collider a \"mesh\", or one "
                      "\"thickness_m\" and \"friction\" for all of it");
    else if (surface && surface->archive.changes)
        tl_keys_error(keys, "maps", value, TOILE_STATUS_INVALID_DATA,
                      "the faces of %.200s change from sample to sample, so that its groups do not "
                      "last; give one \"thickness_m\" and \"friction\" for all of it",
                      surface->file);
    if (!surface || surface->archive.changes)
        return;
    collider->def.vertex_thickness_m =
        read_map(reader, &maps, "thickness", surface, collider->def.thickness_m);
    collider->def.vertex_friction =
        read_map(reader, &maps, "friction", surface, collider->def.friction);
}

/* ---- motion ---- */

static void read_key(TlSceneReader *reader, const TlKeys *collider_keys, const TlJson *value,
                     int32_t index, TlSceneCollider *collider) {
    static const char *const known[] = {"frame", "translate_m", "rotate_rad"};
    char path[TL_PATH_SIZE];
    TlKeys keys;
    TlSceneKey *key = &collider->keys[index];
    tl_path_element(path, collider_keys->path, "motion", index);
    tl_keys_open(&keys, reader->report, value, path, known, COUNT(known));
    tl_keys_number(&keys, "frame", TL_KEY_REQUIRED, (TlRange){-1e9, 1e9, false}, &key->frame);
    tl_keys_vector(&keys, "translate_m", TL_KEY_PLAIN, FAR_M, key->pose.translate_m);
    tl_keys_vector(&keys, "rotate_rad", TL_KEY_PLAIN, TL_ANGLE_MAX / 2, key->pose.rotate_rad);
    if (keys.object && index > 0 && !(key->frame > key[-1].frame))
        tl_keys_error(&keys, "frame", tl_keys_get(&keys, "frame", TL_KEY_PLAIN),
                      TOILE_STATUS_INVALID_DATA,
                      "the frame does not come after that of the key before; list keys in rising "
                      "order of frames, each frame once");
}

static void read_motion(TlSceneReader *reader, const TlKeys *keys, TlSceneCollider *collider) {
    const TlJson *list = tl_keys_list(keys, "motion", TL_KEY_NULLABLE);
    int32_t index = 0;
    if (!list || list->count == 0)
        return;
    collider->keys =
        tl_io_arena_array(&reader->scene->arena, (size_t)list->count, sizeof *collider->keys);
    if (!collider->keys) {
        tl_report_out_of_memory(reader->report);
        return;
    }
    collider->key_count = list->count;
    for (const TlJson *value = list->first; value; value = value->next)
        read_key(reader, keys, value, index++, collider);
}

ToilePose tl_scene_pose(const TlSceneCollider *collider, double frame) {
    const TlSceneKey *keys = collider->keys;
    int32_t last = collider->key_count - 1;
    if (last < 0)
        return collider->def.pose;
    int32_t next = 0;
    while (next <= last && keys[next].frame <= frame)
        next++;
    if (next == 0)
        return keys[0].pose;
    if (next > last)
        return keys[last].pose;
    double t = (frame - keys[next - 1].frame) / (keys[next].frame - keys[next - 1].frame);
    return tl_pose_between(&keys[next - 1].pose, &keys[next].pose, t);
}

/* ---- the list ---- */

static void check_unique(TlSceneReader *reader, const TlKeys *keys, int32_t index) {
    const TlSceneCollider *colliders = reader->scene->colliders;
    for (int32_t i = 0; i < index; i++)
        if (strcmp(colliders[i].def.name, colliders[index].def.name) == 0)
            tl_keys_error(keys, "name", tl_keys_get(keys, "name", TL_KEY_PLAIN),
                          TOILE_STATUS_INVALID_DATA,
                          "\"%.64s\" is also the name of colliders[%d]; names must differ",
                          colliders[i].def.name, i);
}

static void read_collider(TlSceneReader *reader, const TlKeys *root, const TlJson *value,
                          int32_t index) {
    static const char *const known[] = {"name",    "sphere", "plane",       "box",
                                        "capsule", "mesh",   "points",      "unit_m",
                                        "maps",    "motion", "thickness_m", "friction"};
    char path[TL_PATH_SIZE];
    char name[32];
    TlKeys keys;
    double unit_m = reader->scene->unit_m;
    TlSceneCollider *collider = &reader->scene->colliders[index];
    toile_collider_def_init(&collider->def, (uint32_t)sizeof collider->def);
    snprintf(name, sizeof name, "collider%d", index);
    collider->def.name = tl_io_arena_copy(&reader->scene->arena, name, strlen(name));
    if (!collider->def.name) {
        tl_report_out_of_memory(reader->report);
        collider->def.name = "collider";
    }
    tl_path_element(path, root->path, "colliders", index);
    tl_keys_open(&keys, reader->report, value, path, known, COUNT(known));
    tl_keys_string(&keys, "name", TL_KEY_PLAIN, &collider->def.name);
    tl_scene_check_name(&keys, collider->def.name);
    check_unique(reader, &keys, index);
    tl_keys_number(&keys, "unit_m", TL_KEY_PLAIN, (TlRange){0, 1e6, true}, &unit_m);
    read_shape(reader, &keys, unit_m, collider);
    tl_keys_number(&keys, "thickness_m", TL_KEY_PLAIN, zero_or_more, &collider->def.thickness_m);
    tl_keys_number(&keys, "friction", TL_KEY_NULLABLE | TL_KEY_ANIMATED, zero_or_more,
                   &collider->def.friction);
    read_maps(reader, &keys, collider);
    read_motion(reader, &keys, collider);
}

void tl_scene_read_colliders(TlSceneReader *reader, const TlKeys *root) {
    ToileScene *scene = reader->scene;
    const TlJson *list = tl_keys_list(root, "colliders", TL_KEY_NULLABLE);
    int32_t index = 0;
    if (!list || list->count == 0)
        return;
    scene->colliders =
        tl_io_arena_array(&scene->arena, (size_t)list->count, sizeof *scene->colliders);
    if (!scene->colliders) {
        tl_report_out_of_memory(reader->report);
        return;
    }
    for (const TlJson *value = list->first; value; value = value->next) {
        scene->collider_count = index + 1; /* what was read so far is freed with the scene */
        read_collider(reader, root, value, index++);
    }
}
