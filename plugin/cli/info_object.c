/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Learns of one object of an archive. Of a mesh the first sample is read, so that what contradicts
 * itself is known; of what changes in number every sample is counted. */
#include "info_object.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void note(TlInfoObject *info, abcc_status status, const abcc_error *error) {
    if (status != ABCC_OK && !info->problem[0])
        snprintf(info->problem, sizeof info->problem, "%s", error->text);
}

static void widen(TlInfoRange *range, uint32_t value) {
    range->low = value < range->low ? value : range->low;
    range->high = value > range->high ? value : range->high;
}

/* How many samples are to be counted; one at least. */
static uint32_t counted(const TlInfoObject *info, uint32_t *samples_left) {
    uint32_t samples = info->object.samples < *samples_left ? info->object.samples : *samples_left;
    *samples_left -= samples;
    return samples > 0 ? samples : 1;
}

/* ---- meshes ---- */

/* Reads the faces and uvs of the first sample, for what the checks of the reader say. */
static void probe_faces(abcc_reader *reader, abcc_obj obj, TlInfoObject *info) {
    abcc_error error = {0};
    abcc_mesh_out out = abcc_mesh_out_default();
    out.cap_faces = info->mesh.faces;
    out.cap_corners = info->mesh.corners;
    out.face_count = malloc(((size_t)info->mesh.faces + 1) * sizeof *out.face_count);
    out.index = malloc(((size_t)info->mesh.corners + 1) * sizeof *out.index);
    if (info->mesh.uv_values)
        out.uv_index = malloc(((size_t)info->mesh.corners + 1) * sizeof *out.uv_index);
    if (out.face_count && out.index && (out.uv_index || !info->mesh.uv_values))
        note(info, abcc_mesh_read(reader, obj, 0, &out, &error), &error);
    for (uint32_t f = info->problem[0] ? 0 : info->mesh.faces; f-- > 0 && out.face_count;)
        if (out.face_count[f] < 3) {
            info->thin++;
            info->first_thin = f;
        }
    free(out.face_count);
    free(out.index);
    free(out.uv_index);
}

static void probe_points(abcc_reader *reader, abcc_obj obj, TlInfoObject *info) {
    abcc_error error = {0};
    abcc_mesh_out out = abcc_mesh_out_default();
    out.cap_verts = info->mesh.verts;
    out.P = malloc((3 * (size_t)info->mesh.verts + 1) * sizeof *out.P);
    abcc_status status = out.P ? abcc_mesh_read(reader, obj, 0, &out, &error) : ABCC_E_MEMORY;
    if (out.P)
        note(info, status, &error);
    for (uint32_t v = status == ABCC_OK ? info->mesh.verts : 0; v-- > 0;) {
        const float *p = out.P + 3 * (size_t)v;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) {
            info->not_finite++;
            info->first_not_finite = v;
        }
    }
    free(out.P);
}

static void learn_mesh(abcc_reader *reader, abcc_obj obj, uint32_t *samples_left,
                       TlInfoObject *info) {
    abcc_error error = {0};
    abcc_status status = abcc_mesh_size(reader, obj, 0, &info->mesh, &error);
    note(info, status, &error);
    info->has_mesh = status == ABCC_OK;
    if (!info->has_mesh)
        return;
    info->verts = (TlInfoRange){info->mesh.verts, info->mesh.verts};
    info->faces = (TlInfoRange){info->mesh.faces, info->mesh.faces};
    uint32_t samples = info->mesh.topology == ABCC_TOPO_CHANGING ? counted(info, samples_left) : 1;
    for (uint32_t k = 1; k < samples; k++) {
        abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
        status = abcc_mesh_size(reader, obj, k, &sizes, &error);
        note(info, status, &error);
        if (status != ABCC_OK)
            break;
        widen(&info->verts, sizes.verts);
        widen(&info->faces, sizes.faces);
    }
    info->velocities = info->mesh.velocities > 0;
    probe_faces(reader, obj, info);
    probe_points(reader, obj, info);
    if (info->object.kind != ABCC_SUBD)
        return;
    status = abcc_subd_size(reader, obj, 0, &info->subd, &error);
    note(info, status, &error);
    info->has_subd = status == ABCC_OK;
}

/* ---- others ---- */

typedef abcc_status CountFunction(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                  uint32_t *count, abcc_error *error);

static void learn_count(abcc_reader *reader, abcc_obj obj, CountFunction *count,
                        uint32_t *samples_left, TlInfoObject *info, TlInfoRange *range) {
    uint32_t samples = info->object.constant ? 1 : counted(info, samples_left);
    *range = (TlInfoRange){UINT32_MAX, 0};
    for (uint32_t k = 0; k < samples; k++) {
        abcc_error error = {0};
        uint32_t found = 0;
        abcc_status status = count(reader, obj, k, &found, &error);
        note(info, status, &error);
        widen(range, found);
    }
}

static double determinant(const double m[16]) {
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

static void learn_transform(abcc_reader *reader, abcc_obj obj, TlInfoObject *info) {
    abcc_error error = {0};
    int inherits = 1;
    abcc_status status =
        abcc_xform_read(reader, obj, info->times.first, info->matrix, &inherits, &error);
    note(info, status, &error);
    info->has_transform = status == ABCC_OK;
    info->inherits = inherits != 0;
    info->mirrored = info->has_transform && determinant(info->matrix) < 0.0;
}

static void learn_points(abcc_reader *reader, abcc_obj obj, uint32_t *samples_left,
                         TlInfoObject *info) {
    abcc_error error = {0};
    uint32_t velocities = 0;
    learn_count(reader, obj, abcc_points_size, samples_left, info, &info->verts);
    note(info, abcc_points_velocities(reader, obj, 0, &velocities, &error), &error);
    info->velocities = velocities > 0;
}

static void learn_kind(abcc_reader *reader, abcc_obj obj, uint32_t *samples_left,
                       TlInfoObject *info) {
    switch (info->object.kind) {
    case ABCC_XFORM:
        learn_transform(reader, obj, info);
        break;
    case ABCC_MESH:
    case ABCC_SUBD:
        if (info->object.samples > 0)
            learn_mesh(reader, obj, samples_left, info);
        break;
    case ABCC_POINTS:
    case ABCC_CURVES:
        if (info->object.samples > 0)
            learn_points(reader, obj, samples_left, info);
        break;
    case ABCC_FACESET:
        if (info->object.samples > 0)
            learn_count(reader, obj, abcc_faceset_size, samples_left, info, &info->faces);
        break;
    default:
        break;
    }
}

bool tl_info_learn(abcc_reader *reader, abcc_obj obj, uint32_t *samples_left, TlInfoObject *info,
                   abcc_error *error) {
    abcc_error here = {0};
    memset(info, 0, sizeof *info);
    info->object = abcc_object_default();
    info->times = abcc_times_default();
    info->mesh = abcc_mesh_sizes_default();
    info->subd = abcc_subd_sizes_default();
    if (abcc_object_get(reader, obj, &info->object, error) != ABCC_OK)
        return false;
    note(info, abcc_times_get(reader, obj, &info->times, &here), &here);
    note(info,
         abcc_visibility(reader, obj, info->times.first, &info->visible, &info->visibility_samples,
                         &here),
         &here);
    learn_kind(reader, obj, samples_left, info);
    if (info->object.source[0] && info->object.instance_of == 0)
        snprintf(info->problem, sizeof info->problem, "there is no '%.200s' in the file",
                 info->object.source);
    return true;
}
