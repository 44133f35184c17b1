/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenates rest shapes; see model.h. */
#include "rest/model.h"

#include <string.h>

static void copy(void *to, int64_t at, const void *from, int64_t count, size_t size) {
    memcpy((char *)to + (size_t)at * size, from, (size_t)count * size);
}

static void append_triangles(TlTriangleSet *to, const TlTriangleSet *from, int32_t vertex_offset,
                             int32_t material) {
    int32_t at = to->count;
    for (int64_t i = 0; i < 3 * (int64_t)from->count; i++) {
        to->vertex[3 * (int64_t)at + i] = from->vertex[i] + vertex_offset;
    }
    for (int32_t i = 0; i < from->count; i++) {
        to->material[at + i] = material;
    }
    copy(to->face, at, from->face, from->count, sizeof(int32_t));
    copy(to->g, 4 * (int64_t)at, from->g, 4 * (int64_t)from->count, sizeof(double));
    copy(to->area, at, from->area, from->count, sizeof(double));
    to->count += from->count;
}

static void append_hinges(TlHingeSet *to, const TlHingeSet *from, int32_t vertex_offset) {
    int32_t at = to->count, n = from->count;
    for (int64_t i = 0; i < 4 * (int64_t)n; i++) {
        to->vertex[4 * (int64_t)at + i] = from->vertex[i] + vertex_offset;
    }
    copy(to->alpha, 4 * (int64_t)at, from->alpha, 4 * (int64_t)n, sizeof(double));
    copy(to->lambda, at, from->lambda, n, sizeof(double));
    copy(to->length, at, from->length, n, sizeof(double));
    copy(to->height_a, at, from->height_a, n, sizeof(double));
    copy(to->height_b, at, from->height_b, n, sizeof(double));
    copy(to->mu, at, from->mu, n, sizeof(double));
    copy(to->k_e, at, from->k_e, n, sizeof(double));
    to->count += n;
}

bool tl_model_build(TlArena *arena, const TlRest *const *rests, const TlMaterial *materials,
                    int32_t count, TlModel *out) {
    memset(out, 0, sizeof *out);
    int32_t vertices = 0, triangles = 0, hinges = 0;
    for (int32_t i = 0; i < count; i++) {
        vertices += rests[i]->vertex_count;
        triangles += rests[i]->triangles.count;
        hinges += rests[i]->hinges.count;
    }
    TlMaterial *own_materials = TL_NEW(arena, TlMaterial, count);
    out->vertex_material = TL_NEW(arena, int32_t, vertices);
    out->mass = TL_NEW(arena, double, vertices);
    out->area = TL_NEW(arena, double, vertices);
    if (own_materials == NULL || out->vertex_material == NULL || out->mass == NULL ||
        out->area == NULL || !tl_triangle_set_alloc(arena, triangles, &out->triangles) ||
        !tl_hinge_set_alloc(arena, hinges, &out->hinges)) {
        return false;
    }
    out->triangles.count = 0;
    out->hinges.count = 0;
    for (int32_t i = 0; i < count; i++) {
        const TlRest *rest = rests[i];
        int32_t offset = out->vertex_count;
        own_materials[i] = materials[i];
        append_triangles(&out->triangles, &rest->triangles, offset, i);
        append_hinges(&out->hinges, &rest->hinges, offset);
        copy(out->mass, offset, rest->mass, rest->vertex_count, sizeof(double));
        copy(out->area, offset, rest->area, rest->vertex_count, sizeof(double));
        for (int32_t v = 0; v < rest->vertex_count; v++) {
            out->vertex_material[offset + v] = i;
        }
        out->vertex_count += rest->vertex_count;
    }
    out->materials = own_materials;
    out->material_count = count;
    return true;
}
