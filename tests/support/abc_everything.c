/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whatever an archive offers. Buffers have exactly the size that was announced, so that a
 * sanitizer sees any byte too many. */
#include "abc_everything.h"

#include <stdlib.h>

/* At most this much for one array, since a test must not be stopped by a large announcement. */
#define ROOM_MAX ((uint64_t)1 << 30)

static void *room(uint64_t count, uint64_t size) {
    return count > ROOM_MAX / size ? NULL : malloc((size_t)(count * size) + (count == 0));
}

static void note(AbcSeen *seen, abcc_status status, const abcc_error *error) {
    if (status == ABCC_OK)
        return;
    seen->refusals++;
    seen->first = seen->first == ABCC_OK ? status : seen->first;
    seen->last_error = *error;
}

/* ---- meshes ---- */

abcc_status abc_read_mesh_sample(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                 abcc_error *error) {
    abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
    abcc_mesh_out out = abcc_mesh_out_default();
    abcc_status status = abcc_mesh_size(reader, obj, sample, &sizes, error);
    if (status != ABCC_OK)
        return status;
    out.cap_verts = sizes.verts;
    out.cap_faces = sizes.faces;
    out.cap_corners = sizes.corners;
    out.cap_uv = sizes.uv_values;
    out.P = room(sizes.verts, 12);
    out.face_count = room(sizes.faces, 4);
    out.index = room(sizes.corners, 4);
    if (sizes.velocities)
        out.v = room(sizes.verts, 12);
    if (sizes.uv_values) {
        out.uv = room(sizes.uv_values, 8);
        out.uv_index = room(sizes.corners, 4);
    }
    if (sizes.normals)
        out.normal = room(sizes.corners, 12);
    status = abcc_mesh_read(reader, obj, sample, &out, error);
    free(out.P);
    free(out.v);
    free(out.face_count);
    free(out.index);
    free(out.uv);
    free(out.uv_index);
    free(out.normal);
    return status;
}

static abcc_status read_cage(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                             abcc_error *error) {
    abcc_subd_sizes sizes = abcc_subd_sizes_default();
    abcc_subd_out out = abcc_subd_out_default();
    abcc_status status = abcc_subd_size(reader, obj, sample, &sizes, error);
    if (status != ABCC_OK)
        return status;
    out.cap_creases = sizes.creases;
    out.cap_crease_verts = sizes.crease_verts;
    out.cap_crease_sharps = sizes.crease_sharps;
    out.cap_crease_edges = sizes.crease_edges;
    out.cap_corners = sizes.corners;
    out.cap_holes = sizes.holes;
    out.crease_length = room(sizes.creases, 4);
    out.crease_vert = room(sizes.crease_verts, 4);
    out.crease_sharpness = room(sizes.crease_sharps, 4);
    out.edge = room(sizes.crease_edges, 8);
    out.edge_sharpness = room(sizes.crease_edges, 4);
    out.corner_vert = room(sizes.corners, 4);
    out.corner_sharpness = room(sizes.corners, 4);
    out.hole = room(sizes.holes, 4);
    status = abcc_subd_read(reader, obj, sample, &out, error);
    free(out.crease_length);
    free(out.crease_vert);
    free(out.crease_sharpness);
    free(out.edge);
    free(out.edge_sharpness);
    free(out.corner_vert);
    free(out.corner_sharpness);
    free(out.hole);
    return status;
}

static void read_uvs(abcc_reader *reader, abcc_obj obj, uint32_t sample, AbcSeen *seen) {
    abcc_error error = {0};
    uint32_t count = 0, values = 0;
    abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
    note(seen, abcc_uv_count(reader, obj, &count, &error), &error);
    if (abcc_mesh_size(reader, obj, sample, &sizes, NULL) != ABCC_OK)
        return;
    for (uint32_t i = 0; i < count; i++) {
        abcc_uv_set set = abcc_uv_set_default();
        note(seen, abcc_uv_get(reader, obj, i, &set, &error), &error);
        abcc_status status = abcc_uv_size(reader, obj, i, sample, &values, &error);
        note(seen, status, &error);
        if (status != ABCC_OK || values == 0)
            continue;
        float *uv = room(values, 8);
        uint32_t *uv_index = room(sizes.corners, 4);
        status = abcc_uv_read(reader, obj, i, sample, uv, values, uv_index, sizes.corners, &error);
        note(seen, status, &error);
        free(uv);
        free(uv_index);
    }
}

/* ---- face sets, parameters ---- */

static abcc_status read_faceset(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                abcc_error *error) {
    uint32_t count = 0;
    abcc_status status = abcc_faceset_size(reader, obj, sample, &count, error);
    if (status != ABCC_OK)
        return status;
    int32_t *face = room(count, 4);
    status = abcc_faceset_read(reader, obj, sample, UINT32_MAX, face, count, error);
    free(face);
    return status;
}

static void read_param(abcc_reader *reader, abcc_obj obj, uint32_t i, uint32_t sample,
                       AbcSeen *seen) {
    abcc_error error = {0};
    uint64_t bytes = 0, values = 0, indices = 0;
    abcc_status status = abcc_param_size(reader, obj, i, sample, &bytes, &values, &indices, &error);
    note(seen, status, &error);
    if (status != ABCC_OK)
        return;
    void *to = room(bytes, 1);
    uint32_t *index = room(indices, 4);
    if (to && index)
        note(seen, abcc_param_read(reader, obj, i, sample, to, bytes, index, indices, &error),
             &error);
    free(to);
    free(index);
}

static void read_params(abcc_reader *reader, abcc_obj obj, uint32_t max_samples, AbcSeen *seen) {
    abcc_error error = {0};
    uint32_t count = 0;
    note(seen, abcc_param_count(reader, obj, &count, &error), &error);
    for (uint32_t i = 0; i < count; i++) {
        abcc_param param = abcc_param_default();
        note(seen, abcc_param_get(reader, obj, i, &param, &error), &error);
        seen->params++;
        /* wide text is refused by design */
        for (uint32_t k = 0; k < param.samples && k < max_samples && param.type != ABCC_WSTRING;
             k++)
            read_param(reader, obj, i, k, seen);
    }
}

/* ---- objects ---- */

static void read_sample(abcc_reader *reader, abcc_obj obj, abcc_kind kind, uint32_t sample,
                        AbcSeen *seen) {
    abcc_error error = {0};
    uint32_t count = 0;
    seen->samples++;
    if (kind == ABCC_MESH || kind == ABCC_SUBD) {
        note(seen, abc_read_mesh_sample(reader, obj, sample, &error), &error);
        read_uvs(reader, obj, sample, seen);
    }
    if (kind == ABCC_SUBD)
        note(seen, read_cage(reader, obj, sample, &error), &error);
    if (kind == ABCC_FACESET)
        note(seen, read_faceset(reader, obj, sample, &error), &error);
    if (kind == ABCC_POINTS || kind == ABCC_CURVES) {
        note(seen, abcc_points_size(reader, obj, sample, &count, &error), &error);
        note(seen, abcc_points_velocities(reader, obj, sample, &count, &error), &error);
    }
}

static void read_place(abcc_reader *reader, abcc_obj obj, abcc_kind kind, double seconds,
                       AbcSeen *seen) {
    abcc_error error = {0};
    double m[16], bounds[6];
    int value = 0, known = 0;
    uint32_t count = 0;
    note(seen, abcc_world(reader, obj, seconds, m, &value, &known, &error), &error);
    if (kind == ABCC_XFORM)
        note(seen, abcc_xform_read(reader, obj, seconds, m, &value, &error), &error);
    note(seen, abcc_visibility(reader, obj, seconds, &value, &count, &error), &error);
    note(seen, abcc_child_bounds(reader, obj, seconds, bounds, &known, &error), &error);
}

static void read_object(abcc_reader *reader, abcc_obj obj, uint32_t max_samples, AbcSeen *seen) {
    abcc_error error = {0};
    abcc_object object = abcc_object_default();
    abcc_times times = abcc_times_default();
    uint32_t floor_sample = 0, ceil_sample = 0;
    double weight = 0;
    note(seen, abcc_object_get(reader, obj, &object, &error), &error);
    note(seen, abcc_times_get(reader, obj, &times, &error), &error);
    seen->objects++;
    for (uint32_t k = 0; k < object.samples && k < max_samples; k++)
        read_sample(reader, obj, object.kind, k, seen);
    if (object.samples > 0)
        note(seen,
             abcc_sample_at(reader, obj, 0.5 * (times.first + times.last), &floor_sample,
                            &ceil_sample, &weight, &error),
             &error);
    read_place(reader, obj, object.kind, 0.5 * (times.first + times.last), seen);
    read_params(reader, obj, max_samples, seen);
}

abcc_status abc_read_everything(const char *path, uint32_t max_samples, AbcSeen *seen) {
    abcc_reader *reader = NULL;
    abcc_info info = abcc_info_default();
    memset(seen, 0, sizeof *seen);
    abcc_status status = abcc_open(path, 0, NULL, &reader, &seen->last_error);
    if (status != ABCC_OK)
        return status;
    note(seen, abcc_info_get(reader, &info, &seen->last_error), &seen->last_error);
    for (abcc_obj obj = 0; obj < abcc_object_count(reader); obj++)
        read_object(reader, obj, max_samples, seen);
    abcc_close(reader);
    return ABCC_OK;
}
