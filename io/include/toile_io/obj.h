/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Wavefront OBJ: meshes in, meshes out. Reads v, vt, f (any polygon; negative indices too), g, o;
 * other statements are passed over. Numbers are read and written without regard to the locale, and
 * %.9g keeps every float. */
#ifndef TOILE_IO_OBJ_H
#define TOILE_IO_OBJ_H

#include "toile/toile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A mesh read from a file. Owned by toile_obj_free. */
typedef struct ToileObj {
    ToileMeshDef mesh; /* points into the arrays of this object; faces of any size, not yet checked
                          beyond indices */
    const int32_t *face_lines; /* line of each face in the file, from 1 */
    const int32_t *vertex_lines;
    int32_t group_count;
    const char *const *group_names; /* of g and o statements, in order of first use */
    /* vertices used by the faces of a group, ascending, each once */
    const int32_t *const *group_vertices;
    const int32_t *group_vertex_counts;
    int32_t bare_face; /* first face with a corner without uv though others have them (the mesh then
                          has none), or -1 */
    void *storage;
} ToileObj;

/* Reads a file; positions are multiplied by `unit_m`. Errors name file and line. A file without a
 * vertex is an error; one without a face is too when `need_faces`. [any thread] */
TOILE_API ToileStatus toile_obj_read(const char *path, double unit_m, bool need_faces,
                                     ToileObj **out, ToileError *error);
TOILE_API void toile_obj_free(ToileObj *obj);
/* Writes a mesh through a temporary file and a rename; positions are divided by `unit_m`;
 * `positions_m` (may be NULL) replaces the mesh's own. [any thread] */
TOILE_API ToileStatus toile_obj_write(const char *path, const ToileMeshDef *mesh,
                                      const double *positions_m, double unit_m, ToileError *error);

#ifdef __cplusplus
}
#endif
#endif
