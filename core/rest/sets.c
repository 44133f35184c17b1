/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of every set; see sets.h. */
#include "rest/sets.h"

#include <string.h>

static void add(TlSetView *view, TlColumn column) {
    view->columns[view->column_count++] = column;
}

#define VALUE(array, width) add(&view, (TlColumn)TL_COLUMN(array, TL_COLUMN_VALUE, width))
#define VERTEX(array, width) add(&view, (TlColumn)TL_COLUMN(array, TL_COLUMN_VERTEX, width))
#define MATERIAL(array) add(&view, (TlColumn)TL_COLUMN(array, TL_COLUMN_MATERIAL, 1))
#define FIRST(array) add(&view, (TlColumn)TL_COLUMN(array, TL_COLUMN_FIRST, 1))
#define CORNER_VALUE(array, width)                                                                 \
    add(&view, (TlColumn)TL_CORNER_COLUMN(array, TL_COLUMN_VALUE, width))
#define CORNER_VERTEX(array) add(&view, (TlColumn)TL_CORNER_COLUMN(array, TL_COLUMN_VERTEX, 1))

static TlSetView edges_view(TlEdgeSet *set) {
    TlSetView view = {.count = &set->count};
    VERTEX(set->vertex, 2);
    MATERIAL(set->material);
    VALUE(set->length, 1);
    VALUE(set->stiffness, 1);
    return view;
}

static TlSetView triangles_view(TlTriangleSet *set) {
    TlSetView view = {.count = &set->count};
    VERTEX(set->vertex, 3);
    VALUE(set->face, 1);
    MATERIAL(set->material);
    VALUE(set->g, 4);
    VALUE(set->area, 1);
    return view;
}

static TlSetView quads_view(TlQuadSet *set) {
    TlSetView view = {.count = &set->count, .corner_count = &set->point_count};
    FIRST(set->first);
    VERTEX(set->vertex, 4);
    VALUE(set->face, 1);
    MATERIAL(set->material);
    VALUE(set->khat, TL_KHAT);
    VALUE(set->rest, 6);
    VALUE(set->h, 4);
    VALUE(set->area, 1);
    CORNER_VALUE(set->point, 1);
    return view;
}

static TlSetView springs_view(TlSpringSet *set) {
    TlSetView view = {.count = &set->count};
    VERTEX(set->vertex, 2);
    MATERIAL(set->material);
    VALUE(set->length, 1);
    VALUE(set->k, 1);
    return view;
}

static TlSetView buckles_view(TlBuckleSet *set) {
    TlSetView view = {.count = &set->count};
    VERTEX(set->vertex, 2);
    MATERIAL(set->material);
    VALUE(set->length, 1);
    VALUE(set->kb, 1);
    VALUE(set->ramp, 1);
    VALUE(set->ramp_length, 1);
    VALUE(set->ramp_energy, 1);
    return view;
}

static TlSetView hinges_view(TlHingeSet *set) {
    TlSetView view = {.count = &set->count, .corner_count = &set->corner_count};
    FIRST(set->first);
    VALUE(set->corners_a, 1);
    MATERIAL(set->material);
    CORNER_VERTEX(set->vertex);
    CORNER_VALUE(set->share, 1);
    CORNER_VALUE(set->alpha, 1);
    VALUE(set->lambda, 1);
    VALUE(set->length, 1);
    VALUE(set->height_a, 1);
    VALUE(set->height_b, 1);
    VALUE(set->reach, 1);
    VALUE(set->area, 1);
    VALUE(set->mu, 1);
    VALUE(set->k_e, 1);
    VALUE(set->viscosity, 1);
    VALUE(set->rest_r, 1);
    VALUE(set->rest_theta, 1);
    return view;
}

static TlSetView rings_view(TlRingSet *set) {
    TlSetView view = {.count = &set->count, .corner_count = &set->corner_count};
    FIRST(set->first);
    MATERIAL(set->material);
    CORNER_VERTEX(set->vertex);
    CORNER_VALUE(set->tangent, 2);
    VALUE(set->area, 1);
    VALUE(set->rest, 3);
    VALUE(set->stiffness, 6);
    return view;
}

static TlSetView fans_view(TlFanSet *set) {
    TlSetView view = {.count = &set->count, .corner_count = &set->corner_count};
    FIRST(set->first);
    CORNER_VALUE(set->corner, 4);
    CORNER_VALUE(set->gradient, 2);
    CORNER_VALUE(set->weight, 1);
    return view;
}

static TlSetView patches_view(TlPatchSet *set) {
    TlSetView view = {.count = &set->count};
    VERTEX(set->vertex, 4);
    MATERIAL(set->material);
    VALUE(set->stiffness, 1);
    VALUE(set->viscosity, 1);
    VALUE(set->rest, 1);
    return view;
}

TlSetView tl_set_view(TlSets *sets, int32_t i) {
    switch (i) {
    case TL_SET_EDGES:
        return edges_view(&sets->edges);
    case TL_SET_TRIANGLES:
        return triangles_view(&sets->triangles);
    case TL_SET_QUADS:
        return quads_view(&sets->quads);
    case TL_SET_SPRINGS:
        return springs_view(&sets->springs);
    case TL_SET_CROSSOVER:
        return springs_view(&sets->crossover);
    case TL_SET_CHOI_KO:
        return buckles_view(&sets->choi_ko);
    case TL_SET_RINGS:
        return rings_view(&sets->rings);
    case TL_SET_FANS:
        return fans_view(&sets->fans);
    case TL_SET_PATCHES:
        return patches_view(&sets->patches);
    default:
        return hinges_view(&sets->hinges[i - TL_SET_HINGES]);
    }
}

bool tl_set_alloc(TlArena *arena, TlSets *sets, const void *set, int32_t elements,
                  int32_t corners) {
    for (int32_t i = 0; i < TL_SET_COUNT; i++) {
        TlSetView view = tl_set_view(sets, i);
        if ((const void *)view.count != set) {
            continue;
        }
        *view.count = elements;
        if (view.corner_count != NULL) {
            *view.corner_count = corners;
        }
        return tl_columns_alloc(arena, view.columns, view.column_count, elements, corners);
    }
    return false;
}
