/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A garment from the arrays of a host: positions to metres, face starts to sizes, one uv per corner
 * to shared uvs, weights to a list of pins. Whether faces make sense is for the simulation to say;
 * here only what is needed to read the arrays is checked. */
#include "session_internal.h"

#include <stdlib.h>
#include <string.h>

#define PINNED_ABOVE 0.5F

/* `count` zeroed elements, and at least one */
static void *new_array(int64_t count, size_t size) {
    return calloc((size_t)count + 1, size);
}

/* ---- faces ---- */

static ToileStatus read_faces(const ToileSessionCloth *cloth, TlGarment *garment,
                              ToileError *error) {
    int32_t *sizes = new_array(cloth->face_count, sizeof *sizes);
    int32_t *corners = new_array(cloth->corner_count, sizeof *corners);
    garment->mesh.face_sizes = sizes;
    garment->mesh.corners = corners;
    if (!sizes || !corners)
        return tl_session_out_of_memory(error);
    memcpy(corners, cloth->corners, (size_t)cloth->corner_count * sizeof *corners);
    return tl_session_read_sizes(garment->name, cloth->face_count, cloth->corner_count,
                                 cloth->face_sizes, cloth->face_starts, sizes, error);
}

/* ---- uvs ---- */

/* Spreads the bits of a corner's vertex and uv over a table of a power of two. */
static uint32_t scatter(int32_t vertex, const float uv[2]) {
    uint32_t u, v;
    memcpy(&u, &uv[0], sizeof u);
    memcpy(&v, &uv[1], sizeof v);
    uint32_t h = (uint32_t)vertex * 0x9E3779B1u ^ u * 0x85EBCA77u ^ v * 0xC2B2AE3Du;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    return h ^ h >> 13;
}

/* Corners of one vertex with the same uv share it, as in a file; numbered by first use. */
static ToileStatus read_uvs(const ToileSessionCloth *cloth, TlGarment *garment, ToileError *error) {
    size_t capacity = 16;
    while (capacity < 2 * (size_t)cloth->corner_count)
        capacity *= 2;
    double *uvs = new_array(2 * (int64_t)cloth->corner_count, sizeof *uvs);
    int32_t *corner_uvs = new_array(cloth->corner_count, sizeof *corner_uvs);
    int32_t *table = new_array((int64_t)capacity, sizeof *table); /* corner + 1 of first use */
    garment->mesh.uvs = uvs;
    garment->mesh.corner_uvs = corner_uvs;
    if (!uvs || !corner_uvs || !table) {
        free(table);
        return tl_session_out_of_memory(error);
    }
    for (int32_t c = 0; c < cloth->corner_count; c++) {
        const float *uv = cloth->corner_uvs + 2 * (size_t)c;
        size_t at = scatter(cloth->corners[c], uv) & (capacity - 1);
        while (table[at] != 0 &&
               (cloth->corners[table[at] - 1] != cloth->corners[c] ||
                memcmp(cloth->corner_uvs + 2 * (size_t)(table[at] - 1), uv, 2 * sizeof *uv) != 0))
            at = (at + 1) & (capacity - 1);
        if (table[at] == 0) {
            table[at] = c + 1;
            corner_uvs[c] = garment->mesh.uv_count++;
            for (size_t k = 0; k < 2; k++)
                uvs[2 * (size_t)corner_uvs[c] + k] = (double)uv[k];
        } else {
            corner_uvs[c] = corner_uvs[table[at] - 1];
        }
    }
    free(table);
    garment->uv_name = cloth->uv_name ? tl_session_copy_text(cloth->uv_name) : NULL;
    return cloth->uv_name && !garment->uv_name ? tl_session_out_of_memory(error) : TOILE_STATUS_OK;
}

/* ---- pins ---- */

static ToileStatus read_pins(const ToileSessionCloth *cloth, TlGarment *garment,
                             ToileError *error) {
    int32_t count = 0;
    for (int32_t v = 0; v < cloth->vertex_count; v++)
        count += cloth->pin_weights[v] > PINNED_ABOVE;
    garment->pins = new_array(count, sizeof *garment->pins);
    garment->pin_points = new_array(3 * (int64_t)count, sizeof *garment->pin_points);
    garment->pin_targets_m = new_array(3 * (int64_t)count, sizeof *garment->pin_targets_m);
    if (!garment->pins || !garment->pin_points || !garment->pin_targets_m)
        return tl_session_out_of_memory(error);
    for (int32_t v = 0; v < cloth->vertex_count; v++) {
        if (!(cloth->pin_weights[v] > PINNED_ABOVE))
            continue;
        memcpy(garment->pin_points + 3 * (size_t)garment->pin_count,
               cloth->positions + 3 * (size_t)v, 3 * sizeof(float));
        garment->pins[garment->pin_count++] = v;
    }
    return TOILE_STATUS_OK;
}

/* ---- all ---- */

static ToileStatus read_positions(const ToileSessionCloth *cloth, TlGarment *garment,
                                  ToileError *error) {
    int64_t values = 3 * (int64_t)cloth->vertex_count;
    double *positions_m = new_array(values, sizeof *positions_m);
    garment->mesh.positions_m = positions_m;
    garment->x = new_array(values, sizeof *garment->x);
    garment->v = new_array(values, sizeof *garment->v);
    garment->points = new_array(values, sizeof *garment->points);
    garment->velocities = new_array(values, sizeof *garment->velocities);
    if (!positions_m || !garment->x || !garment->v || !garment->points || !garment->velocities)
        return tl_session_out_of_memory(error);
    tl_space_to_world(&garment->space, cloth->positions, cloth->vertex_count, positions_m);
    memcpy(garment->points, cloth->positions, (size_t)values * sizeof *garment->points);
    return TOILE_STATUS_OK;
}

ToileStatus tl_garment_read(const ToileSessionCloth *cloth, double unit_m, TlGarment *garment,
                            ToileError *error) {
    garment->name = tl_session_copy_text(cloth->name ? cloth->name : "cloth");
    if (!garment->name)
        return tl_session_out_of_memory(error);
    if (cloth->vertex_count < 1 || cloth->face_count < 1 || cloth->corner_count < 1)
        return tl_session_fail(error, TOILE_STATUS_INVALID_DATA, garment->name,
                               "'%.64s' has %d vertices, %d faces and %d corners; a cloth needs at "
                               "least one face.",
                               garment->name, (int)cloth->vertex_count, (int)cloth->face_count,
                               (int)cloth->corner_count);
    if (!cloth->positions || !cloth->corners || (!cloth->face_sizes && !cloth->face_starts))
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, garment->name,
                               "'%.64s' lacks positions, corners, or face_sizes and face_starts.",
                               garment->name);
    toile_mesh_def_init(&garment->mesh, (uint32_t)sizeof garment->mesh);
    garment->mesh.vertex_count = cloth->vertex_count;
    garment->mesh.face_count = cloth->face_count;
    garment->mesh.corner_count = cloth->corner_count;
    ToileStatus status =
        tl_space_make(cloth->matrix, unit_m, garment->name, &garment->space, error);
    garment->next = garment->space;
    if (status == TOILE_STATUS_OK)
        status = read_positions(cloth, garment, error);
    if (status == TOILE_STATUS_OK)
        status = read_faces(cloth, garment, error);
    if (status == TOILE_STATUS_OK && cloth->corner_uvs)
        status = read_uvs(cloth, garment, error);
    if (status == TOILE_STATUS_OK && cloth->pin_weights)
        status = read_pins(cloth, garment, error);
    return status;
}

void tl_garment_free(TlGarment *garment) {
    free(garment->name);
    free(garment->uv_name);
    free((void *)garment->mesh.positions_m);
    free((void *)garment->mesh.face_sizes);
    free((void *)garment->mesh.corners);
    free((void *)garment->mesh.uvs);
    free((void *)garment->mesh.corner_uvs);
    free(garment->pins);
    free(garment->pin_points);
    free(garment->pin_targets_m);
    free(garment->x);
    free(garment->v);
    free(garment->points);
    free(garment->velocities);
}
