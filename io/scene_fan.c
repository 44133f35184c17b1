/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Faces of any size as triangles and quads, for meshes that cloth only collides with. A face of
 * more than four corners becomes a fan of triangles about one of its corners: the one of the lowest
 * number, unless the face is not convex and the fan would fold over there; then the next one whose
 * fan does not. */
#include "report.h"

#include <math.h>

#define SEARCHED_MAX 1024 /* corners of a face beyond which no better fan is looked for */
/* part of a face's area that a triangle may be turned over by rounding */
#define FLAT_RATIO 1e-9

/* Adds the cross product of two sides of a triangle, which is twice its area. */
static void add_triangle(const double *a, const double *b, const double *c, double area2[3]) {
    for (int32_t k = 0; k < 3; k++) {
        int32_t i = (k + 1) % 3, j = (k + 2) % 3;
        area2[k] += (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
    }
}

static const double *point(const ToileMeshDef *mesh, const int32_t *face, int32_t size,
                           int32_t corner) {
    return mesh->positions_m + 3 * (size_t)face[corner % size];
}

/* Whether the triangles about `origin` all look the way the whole face does. */
static bool is_flat_fan(const ToileMeshDef *mesh, const int32_t *face, int32_t size, int32_t origin,
                        const double area2[3]) {
    double least = -FLAT_RATIO * (area2[0] * area2[0] + area2[1] * area2[1] + area2[2] * area2[2]);
    for (int32_t k = 1; k + 1 < size; k++) {
        double own[3] = {0, 0, 0};
        add_triangle(point(mesh, face, size, origin), point(mesh, face, size, origin + k),
                     point(mesh, face, size, origin + k + 1), own);
        if (own[0] * area2[0] + own[1] * area2[1] + own[2] * area2[2] < least)
            return false;
    }
    return true;
}

/* The corner to draw the fan about. */
static int32_t fan_origin(const ToileMeshDef *mesh, const int32_t *face, int32_t size) {
    double area2[3] = {0, 0, 0};
    int32_t lowest = 0;
    for (int32_t k = 1; k < size; k++)
        lowest = face[k] < face[lowest] ? k : lowest;
    for (int32_t k = 1; k + 1 < size; k++)
        add_triangle(point(mesh, face, size, 0), point(mesh, face, size, k),
                     point(mesh, face, size, k + 1), area2);
    for (int32_t k = 0; k < size && size <= SEARCHED_MAX; k++)
        if (is_flat_fan(mesh, face, size, lowest + k, area2))
            return (lowest + k) % size;
    return lowest;
}

static ToileStatus check_face(const ToileMeshDef *mesh, int32_t index, int64_t begin,
                              ToileError *error) {
    int32_t size = mesh->face_sizes[index];
    if (size < 3)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "face %d (counted from 0) has %d corners; at least 3 are needed", index,
                          size);
    if (begin + size > mesh->corner_count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "face %d (counted from 0) ends at corner %lld, but the mesh has only %d",
                          index, (long long)(begin + size), mesh->corner_count);
    for (int32_t k = 0; k < size; k++) {
        int32_t vertex = mesh->corners[begin + k];
        if (vertex < 0 || vertex >= mesh->vertex_count)
            return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                              "face %d (counted from 0) uses vertex %d, but the mesh has %d, "
                              "counted from 0",
                              index, vertex, mesh->vertex_count);
    }
    return TOILE_STATUS_OK;
}

ToileStatus toile_mesh_fan(const ToileMeshDef *mesh, int32_t *face_sizes, int32_t *corners,
                           int32_t *face_count, int32_t *corner_count, ToileError *error) {
    if (!mesh || mesh->struct_size < sizeof *mesh || !face_sizes || !corners || !face_count ||
        !corner_count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_mesh_fan needs an initialised mesh and places for the faces, not "
                          "NULL");
    if (mesh->corner_count > INT32_MAX / 3)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "the mesh has %d corners; at most %d are allowed", mesh->corner_count,
                          INT32_MAX / 3);
    int64_t begin = 0;
    *face_count = *corner_count = 0;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        ToileStatus status = check_face(mesh, f, begin, error);
        if (status != TOILE_STATUS_OK)
            return status;
        const int32_t *face = mesh->corners + begin;
        int32_t size = mesh->face_sizes[f];
        int32_t origin = size > 4 ? fan_origin(mesh, face, size) : 0;
        for (int32_t k = 0; size <= 4 && k < size; k++)
            corners[(*corner_count)++] = face[k];
        for (int32_t k = 1; size > 4 && k + 1 < size; k++) {
            corners[(*corner_count)++] = face[origin];
            corners[(*corner_count)++] = face[(origin + k) % size];
            corners[(*corner_count)++] = face[(origin + k + 1) % size];
            face_sizes[(*face_count)++] = 3;
        }
        if (size <= 4)
            face_sizes[(*face_count)++] = size;
        begin += size;
    }
    return TOILE_STATUS_OK;
}
