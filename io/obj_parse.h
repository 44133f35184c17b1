/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* OBJ from memory, with every finding reported: what toile_obj_read and scenes share. */
#ifndef TL_IO_OBJ_PARSE_H
#define TL_IO_OBJ_PARSE_H

#include "report.h"
#include "toile_io/obj.h"

#define TL_OBJ_MAX_BYTES ((size_t)1 << 31)

/* A mesh whose faces are parts of those of `cage`, as `cage_face` tells for each: they belong to
 * the same groups and lines. Everything is copied. NULL when memory runs out. */
ToileObj *tl_obj_refine(const ToileObj *cage, const ToileMeshDef *mesh, const uint32_t *cage_face);

/* Reads `size` bytes. `path` is only named in findings. Answers NULL after at least one error. */
ToileObj *tl_obj_parse(const char *text, size_t size, const char *path, double unit_m,
                       bool need_faces, TlReport *report);

/* Some faces of a mesh under a name. */
typedef struct TlObjGroup {
    const char *name;
    const int32_t *faces;
    int32_t face_count;
} TlObjGroup;

/* A mesh that did not come from an OBJ file; everything is copied, and lines are 0. Its faces and
 * those of the groups must be sound. NULL when memory runs out. */
ToileObj *tl_obj_make(const ToileMeshDef *mesh, const TlObjGroup *groups, int32_t group_count);

/* The faces of a group; their number is the answer. */
int32_t tl_obj_group_faces(const ToileObj *obj, int32_t group, const int32_t **faces);

#endif
