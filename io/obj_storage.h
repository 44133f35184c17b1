/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What a ToileObj lies in, while it is read and afterwards. */
#ifndef TL_IO_OBJ_STORAGE_H
#define TL_IO_OBJ_STORAGE_H

#include "toile_io/obj.h"

/* A growing array of one of the types below. */
typedef struct TlObjInts {
    int32_t *data;
    size_t count, capacity;
} TlObjInts;

typedef struct TlObjDoubles {
    double *data;
    size_t count, capacity;
} TlObjDoubles;

/* A group: its faces, and the vertices of these, ascending and each once. */
typedef struct TlObjPart {
    char *name;
    TlObjInts faces;
    int32_t *vertices;
    int32_t vertex_count;
} TlObjPart;

/* What ToileObj.storage points to. */
typedef struct TlObjStorage {
    ToileObj obj;
    TlObjDoubles positions, uvs;
    TlObjInts face_sizes, corners, corner_uvs, face_lines, vertex_lines;
    TlObjPart *groups;
    size_t group_count, group_capacity;
    const char **group_names;
    const int32_t **group_vertices;
    int32_t *group_vertex_counts;
} TlObjStorage;

/* Lists the vertices of all groups; false when memory runs out. */
bool tl_obj_collect_groups(TlObjStorage *storage);
/* Lets storage->obj show what is stored. `bare_face`: the first corner without uvs where others
 * have some, or -1. */
void tl_obj_fill(TlObjStorage *storage, bool has_uvs, int32_t bare_face);
void tl_obj_free_storage(TlObjStorage *storage);

#endif
