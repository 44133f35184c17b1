/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes in memory, with groups and the vertices of each: of an OBJ file that was read, of arrays
 * from elsewhere, and of a mesh that was refined. */
#include "obj_parse.h"
#include "obj_storage.h"

#include <stdlib.h>
#include <string.h>

void tl_obj_free_storage(TlObjStorage *storage) {
    for (size_t i = 0; i < storage->group_count; i++) {
        free(storage->groups[i].name);
        free(storage->groups[i].faces.data);
        free(storage->groups[i].vertices);
    }
    free(storage->positions.data);
    free(storage->uvs.data);
    free(storage->face_sizes.data);
    free(storage->corners.data);
    free(storage->corner_uvs.data);
    free(storage->face_lines.data);
    free(storage->vertex_lines.data);
    free(storage->groups);
    free(storage->group_names);
    free(storage->group_vertices);
    free(storage->group_vertex_counts);
    free(storage);
}

static int compare_ints(const void *a, const void *b) {
    int32_t left = *(const int32_t *)a;
    int32_t right = *(const int32_t *)b;
    return left < right ? -1 : left > right;
}

/* Lists the vertices of a group's faces, ascending and each once. `starts` holds the first corner
 * of each face. */
static bool collect_group(TlObjStorage *storage, TlObjPart *group, const size_t *starts) {
    size_t total = 0;
    for (size_t i = 0; i < group->faces.count; i++)
        total += (size_t)storage->face_sizes.data[group->faces.data[i]];
    group->vertices = malloc((total ? total : 1) * sizeof *group->vertices);
    if (!group->vertices)
        return false;
    size_t used = 0;
    for (size_t i = 0; i < group->faces.count; i++) {
        int32_t face = group->faces.data[i];
        for (int32_t c = 0; c < storage->face_sizes.data[face]; c++)
            group->vertices[used++] = storage->corners.data[starts[face] + (size_t)c];
    }
    qsort(group->vertices, used, sizeof *group->vertices, compare_ints);
    for (size_t i = 0; i < used; i++)
        if (i == 0 || group->vertices[i] != group->vertices[i - 1])
            group->vertices[group->vertex_count++] = group->vertices[i];
    return true;
}

bool tl_obj_collect_groups(TlObjStorage *storage) {
    size_t count = storage->group_count;
    size_t *starts = malloc((storage->face_sizes.count + 1) * sizeof *starts);
    storage->group_names = calloc(count + 1, sizeof *storage->group_names);
    storage->group_vertices = calloc(count + 1, sizeof *storage->group_vertices);
    storage->group_vertex_counts = calloc(count + 1, sizeof *storage->group_vertex_counts);
    bool fine =
        starts && storage->group_names && storage->group_vertices && storage->group_vertex_counts;
    size_t corner = 0;
    for (size_t face = 0; fine && face < storage->face_sizes.count; face++) {
        starts[face] = corner;
        corner += (size_t)storage->face_sizes.data[face];
    }
    for (size_t i = 0; fine && i < count; i++) {
        fine = collect_group(storage, &storage->groups[i], starts);
        storage->group_names[i] = storage->groups[i].name;
        storage->group_vertices[i] = storage->groups[i].vertices;
        storage->group_vertex_counts[i] = storage->groups[i].vertex_count;
    }
    free(starts);
    return fine;
}

void tl_obj_fill(TlObjStorage *storage, bool has_uvs, int32_t bare_face) {
    ToileObj *obj = &storage->obj;
    toile_mesh_def_init(&obj->mesh, (uint32_t)sizeof obj->mesh);
    obj->mesh.vertex_count = (int32_t)(storage->positions.count / 3);
    obj->mesh.face_count = (int32_t)storage->face_sizes.count;
    obj->mesh.corner_count = (int32_t)storage->corners.count;
    obj->mesh.positions_m = storage->positions.data;
    obj->mesh.face_sizes = storage->face_sizes.data;
    obj->mesh.corners = storage->corners.data;
    if (has_uvs) {
        obj->mesh.uv_count = (int32_t)(storage->uvs.count / 2);
        obj->mesh.uvs = storage->uvs.data;
        obj->mesh.corner_uvs = storage->corner_uvs.data;
    }
    obj->face_lines = storage->face_lines.data;
    obj->vertex_lines = storage->vertex_lines.data;
    obj->group_count = (int32_t)storage->group_count;
    obj->group_names = storage->group_names;
    obj->group_vertices = storage->group_vertices;
    obj->group_vertex_counts = storage->group_vertex_counts;
    obj->bare_face = bare_face;
    obj->storage = storage;
}

/* ---- meshes from elsewhere ---- */

static bool copy_ints(TlObjInts *to, const int32_t *from, int32_t count) {
    to->count = to->capacity = (size_t)count;
    to->data = calloc((size_t)count + 1, sizeof *to->data);
    if (to->data && from && count > 0)
        memcpy(to->data, from, (size_t)count * sizeof *from);
    return to->data != NULL;
}

static bool copy_doubles(TlObjDoubles *to, const double *from, size_t count) {
    to->count = to->capacity = count;
    to->data = calloc(count + 1, sizeof *to->data);
    if (to->data && from && count > 0)
        memcpy(to->data, from, count * sizeof *from);
    return to->data != NULL;
}

static bool copy_group(TlObjStorage *storage, const TlObjGroup *group) {
    TlObjPart *to = &storage->groups[storage->group_count++];
    size_t length = strlen(group->name) + 1;
    to->name = malloc(length);
    if (to->name)
        memcpy(to->name, group->name, length);
    return to->name && copy_ints(&to->faces, group->faces, group->face_count);
}

ToileObj *tl_obj_make(const ToileMeshDef *mesh, const TlObjGroup *groups, int32_t group_count) {
    TlObjStorage *storage = calloc(1, sizeof *storage);
    if (!storage)
        return NULL;
    int32_t uv_corners = mesh->uv_count > 0 ? mesh->corner_count : 0;
    storage->groups = calloc((size_t)group_count + 1, sizeof *storage->groups);
    bool fine =
        storage->groups &&
        copy_doubles(&storage->positions, mesh->positions_m, 3 * (size_t)mesh->vertex_count) &&
        copy_doubles(&storage->uvs, mesh->uvs, 2 * (size_t)mesh->uv_count) &&
        copy_ints(&storage->face_sizes, mesh->face_sizes, mesh->face_count) &&
        copy_ints(&storage->corners, mesh->corners, mesh->corner_count) &&
        copy_ints(&storage->corner_uvs, mesh->corner_uvs, uv_corners) &&
        copy_ints(&storage->face_lines, NULL, mesh->face_count) &&
        copy_ints(&storage->vertex_lines, NULL, mesh->vertex_count);
    for (int32_t i = 0; fine && i < group_count; i++)
        fine = copy_group(storage, &groups[i]);
    if (!fine || !tl_obj_collect_groups(storage)) {
        tl_obj_free_storage(storage);
        return NULL;
    }
    tl_obj_fill(storage, mesh->uv_count > 0, -1);
    return &storage->obj;
}

int32_t tl_obj_group_faces(const ToileObj *obj, int32_t group, const int32_t **faces) {
    const TlObjStorage *storage = obj->storage;
    *faces = storage->groups[group].faces.data;
    return (int32_t)storage->groups[group].faces.count;
}

void toile_obj_free(ToileObj *obj) {
    if (obj)
        tl_obj_free_storage(obj->storage);
}

/* ---- refined meshes ---- */

/* Lists the faces whose cage face is in a group; `mark` has a byte for each cage face. */
static bool refine_group(const TlObjPart *group, const ToileMeshDef *mesh,
                         const uint32_t *cage_face, unsigned char *mark, TlObjGroup *to) {
    int32_t *faces = calloc((size_t)mesh->face_count + 1, sizeof *faces);
    if (!faces)
        return false;
    for (size_t i = 0; i < group->faces.count; i++)
        mark[group->faces.data[i]] = 1;
    for (int32_t f = 0; f < mesh->face_count; f++)
        if (mark[cage_face[f]])
            faces[to->face_count++] = f;
    for (size_t i = 0; i < group->faces.count; i++)
        mark[group->faces.data[i]] = 0;
    to->name = group->name;
    to->faces = faces;
    return true;
}

ToileObj *tl_obj_refine(const ToileObj *cage, const ToileMeshDef *mesh, const uint32_t *cage_face) {
    const TlObjStorage *from = cage->storage;
    int32_t count = (int32_t)from->group_count;
    TlObjGroup *groups = calloc((size_t)count + 1, sizeof *groups);
    unsigned char *mark = calloc((size_t)cage->mesh.face_count + 1, 1);
    bool fine = groups && mark;
    for (int32_t i = 0; fine && i < count; i++)
        fine = refine_group(&from->groups[i], mesh, cage_face, mark, &groups[i]);
    ToileObj *obj = fine ? tl_obj_make(mesh, groups, count) : NULL;
    for (int32_t i = 0; groups && i < count; i++)
        free((void *)groups[i].faces);
    free(groups);
    free(mark);
    if (obj) {
        TlObjStorage *storage = obj->storage;
        for (int32_t f = 0; f < mesh->face_count; f++)
            storage->face_lines.data[f] = from->face_lines.data[cage_face[f]];
        obj->bare_face = -1;
    }
    return obj;
}
