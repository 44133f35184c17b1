/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenates rest shapes; see model.h. */
#include "rest/model.h"

#include <string.h>

/* vertices, or elements of up to four corners each: these still count in 32 bits */
#define MOST_ITEMS (INT32_MAX / 4)

static int32_t corners_of(const TlSetView *view) {
    return view->corner_count != NULL ? *view->corner_count : 0;
}

/* Joins set number `s` of all cloths. */
static bool join(TlArena *arena, TlRest *const *rests, int32_t count, int32_t s, TlSets *out) {
    int64_t elements = 0, corners = 0;
    for (int32_t i = 0; i < count; i++) {
        TlSetView view = tl_set_view(&rests[i]->sets, s);
        elements += *view.count;
        corners += corners_of(&view);
    }
    TlSetView to = tl_set_view(out, s);
    if (elements > MOST_ITEMS || corners > INT32_MAX ||
        !tl_columns_alloc(arena, to.columns, to.column_count, (int32_t)elements,
                          (int32_t)corners)) {
        return false;
    }
    TlAppend append = {.vertex_offset = 0};
    for (int32_t i = 0; i < count; i++) {
        TlSetView from = tl_set_view(&rests[i]->sets, s);
        append.element_count = *from.count;
        append.corner_count = corners_of(&from);
        append.material = i;
        if (append.element_count > 0) {
            tl_columns_append(to.columns, from.columns, to.column_count, &append);
        }
        append.element_at += append.element_count;
        append.corner_at += append.corner_count;
        append.vertex_offset += rests[i]->vertex_count;
    }
    *to.count = append.element_at;
    if (to.corner_count != NULL) {
        *to.corner_count = append.corner_at;
    }
    return true;
}

bool tl_model_build(TlArena *arena, TlRest *const *rests, const TlMaterial *materials,
                    int32_t count, TlModel *out) {
    memset(out, 0, sizeof *out);
    int64_t vertices = 0;
    for (int32_t i = 0; i < count; i++) {
        vertices += rests[i]->vertex_count;
    }
    if (vertices > MOST_ITEMS) {
        return false;
    }
    TlMaterial *own_materials = TL_NEW(arena, TlMaterial, count);
    out->vertex_material = TL_NEW(arena, int32_t, vertices);
    out->mass = TL_NEW(arena, double, vertices);
    out->area = TL_NEW(arena, double, vertices);
    out->position = TL_NEW(arena, double, 3 * vertices);
    if (arena->failed) {
        return false;
    }
    for (int32_t s = 0; s < TL_SET_COUNT; s++) {
        if (!join(arena, rests, count, s, &out->sets)) {
            return false;
        }
    }
    for (int32_t i = 0; i < count; i++) {
        const TlRest *rest = rests[i];
        int32_t offset = out->vertex_count;
        own_materials[i] = materials[i];
        for (int32_t v = 0; v < rest->vertex_count; v++) {
            out->mass[offset + v] = rest->mass[v];
            out->area[offset + v] = rest->area[v];
            out->vertex_material[offset + v] = i;
        }
        for (int64_t k = 0; k < 3 * (int64_t)rest->vertex_count; k++) {
            out->position[3 * (int64_t)offset + k] = rest->position[k];
        }
        out->vertex_count += rest->vertex_count;
    }
    out->materials = own_materials;
    out->material_count = count;
    return true;
}
