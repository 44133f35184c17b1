/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A cloth in another order of vertices than its mesh, and the way between the two.
 *
 * All that a cloth is at rest is computed in the mesh's own numbering, so that neither values nor
 * splits of quads nor messages depend on the order; what is moved afterwards are finished arrays.
 * Elements are sorted by their lowest vertex; corners keep their order. */
#include "sim/sim_internal.h"

#include <string.h>

/* The arrays of a column: old, new. */
typedef struct Pair {
    const char *from;
    char *to;
} Pair;

static Pair arrays_of(const TlColumn *from, const TlColumn *to) {
    Pair pair;
    memcpy(&pair.from, from->data, sizeof pair.from);
    memcpy(&pair.to, to->data, sizeof pair.to);
    return pair;
}

/* Where the corners of elements begin, before and after; NULL in a set that has no such table. */
typedef struct Starts {
    const int32_t *from;
    int32_t *to;
} Starts;

static Starts starts_of(const TlSetView *from, const TlSetView *to) {
    Starts starts = {NULL, NULL};
    for (int32_t i = 0; i < from->column_count; i++) {
        if (from->columns[i].kind == TL_COLUMN_FIRST) {
            memcpy(&starts.from, from->columns[i].data, sizeof starts.from);
            memcpy(&starts.to, to->columns[i].data, sizeof starts.to);
        }
    }
    return starts;
}

/* Items of element e in a column, as [begin, end). */
typedef struct Range {
    int64_t begin, end;
} Range;

static Range items_of(const TlColumn *column, const int32_t *first, int32_t e) {
    int64_t begin = column->by_corner ? first[e] : e;
    int64_t end = column->by_corner ? first[e + 1] : (int64_t)e + 1;
    return (Range){begin * column->width, end * column->width};
}

/* The lowest place of a vertex of each element. */
static void find_lowest(const TlSetView *view, const int32_t *first, const int32_t *place,
                        int32_t *lowest) {
    for (int32_t i = 0; i < view->column_count; i++) {
        const TlColumn *column = &view->columns[i];
        if (column->kind != TL_COLUMN_VERTEX) {
            continue;
        }
        const int32_t *vertex;
        memcpy(&vertex, column->data, sizeof vertex);
        for (int32_t e = 0; e < *view->count; e++) {
            Range items = items_of(column, first, e);
            lowest[e] = place[vertex[items.begin]];
            for (int64_t k = items.begin + 1; k < items.end; k++) {
                lowest[e] = place[vertex[k]] < lowest[e] ? place[vertex[k]] : lowest[e];
            }
        }
    }
}

/* Places of elements, by counting; equal ones stay in the mesh's order. `start` has room for the
 * vertices and one more. */
static void sort_elements(const int32_t *lowest, int32_t count, int32_t vertex_count,
                          int32_t *start, int32_t *element_place) {
    memset(start, 0, sizeof *start * ((size_t)vertex_count + 1));
    for (int32_t e = 0; e < count; e++) {
        start[lowest[e] + 1]++;
    }
    for (int32_t v = 0; v < vertex_count; v++) {
        start[v + 1] += start[v];
    }
    for (int32_t e = 0; e < count; e++) {
        element_place[e] = start[lowest[e]]++;
    }
}

/* The table of first corners, when elements have moved. */
static void move_starts(Starts starts, int32_t count, const int32_t *element_place) {
    for (int32_t e = 0; starts.from != NULL && e < count; e++) {
        starts.to[element_place[e] + 1] = starts.from[e + 1] - starts.from[e];
    }
    for (int32_t e = 0; starts.from != NULL && e < count; e++) {
        starts.to[e + 1] += starts.to[e];
    }
}

static void move_column(const TlColumn *column, Pair arrays, Starts starts, int32_t count,
                        const int32_t *element_place, const int32_t *place) {
    for (int32_t e = 0; e < count; e++) {
        Range from = items_of(column, starts.from, e);
        Range to = items_of(column, starts.to, element_place[e]);
        if (column->kind != TL_COLUMN_VERTEX) {
            memcpy(arrays.to + (size_t)to.begin * column->size,
                   arrays.from + (size_t)from.begin * column->size,
                   (size_t)(from.end - from.begin) * column->size);
            continue;
        }
        const int32_t *source = (const int32_t *)(const void *)arrays.from + from.begin;
        int32_t *target = (int32_t *)(void *)arrays.to + to.begin;
        for (int64_t k = 0; k < from.end - from.begin; k++) {
            target[k] = place[source[k]];
        }
    }
}

static bool move_set(TlCloth *cloth, TlSets *sets, int32_t s, int32_t *lowest, int32_t *start) {
    TlSetView from = tl_set_view(sets, s), to = tl_set_view(&cloth->rest.sets, s);
    int32_t count = *from.count, corners = from.corner_count != NULL ? *from.corner_count : 0;
    cloth->element_place[s] = TL_NEW(&cloth->arena, int32_t, count);
    if (cloth->element_place[s] == NULL ||
        !tl_columns_alloc(&cloth->arena, to.columns, to.column_count, count, corners)) {
        return false;
    }
    *to.count = count;
    if (to.corner_count != NULL) {
        *to.corner_count = corners;
    }
    /* the faces around vertices have no vertices of their own, and go with the rings before them */
    Starts starts = starts_of(&from, &to);
    if (s != TL_SET_FANS) {
        find_lowest(&from, starts.from, cloth->order.place, lowest);
    }
    sort_elements(lowest, count, cloth->rest.vertex_count, start, cloth->element_place[s]);
    move_starts(starts, count, cloth->element_place[s]);
    for (int32_t i = 0; count > 0 && i < from.column_count; i++) {
        if (from.columns[i].kind != TL_COLUMN_FIRST) {
            move_column(&from.columns[i], arrays_of(&from.columns[i], &to.columns[i]), starts,
                        count, cloth->element_place[s], cloth->order.place);
        }
    }
    return true;
}

static int32_t largest_count(TlSets *sets) {
    int32_t most = 0;
    for (int32_t s = 0; s < TL_SET_COUNT; s++) {
        int32_t count = *tl_set_view(sets, s).count;
        most = count > most ? count : most;
    }
    return most;
}

/* The order, and what vertices have. */
static bool move_vertices(TlCloth *cloth, const TlRest *rest, const TlOrder *order) {
    int32_t n = rest->vertex_count;
    cloth->order.vertex = TL_NEW(&cloth->arena, int32_t, n);
    cloth->order.place = TL_NEW(&cloth->arena, int32_t, n);
    cloth->rest.vertex_count = n;
    cloth->rest.mass = TL_NEW(&cloth->arena, double, n);
    cloth->rest.area = TL_NEW(&cloth->arena, double, n);
    cloth->rest.position = TL_NEW(&cloth->arena, double, 3 * (int64_t)n);
    if (cloth->arena.failed) {
        return false;
    }
    memcpy(cloth->order.vertex, order->vertex, sizeof *order->vertex * (size_t)n);
    memcpy(cloth->order.place, order->place, sizeof *order->place * (size_t)n);
    tl_from_user(cloth, rest->mass, 1, cloth->rest.mass);
    tl_from_user(cloth, rest->area, 1, cloth->rest.area);
    tl_from_user(cloth, rest->position, 3, cloth->rest.position);
    return true;
}

bool tl_cloth_reorder(TlArena *scratch, TlRest *rest, const TlOrder *order, TlCloth *cloth) {
    int32_t *lowest = TL_NEW(scratch, int32_t, largest_count(&rest->sets));
    int32_t *start = TL_NEW(scratch, int32_t, (int64_t)rest->vertex_count + 1);
    if (scratch->failed || !move_vertices(cloth, rest, order)) {
        return false;
    }
    for (int32_t s = 0; s < TL_SET_COUNT; s++) {
        if (!move_set(cloth, &rest->sets, s, lowest, start)) {
            return false;
        }
    }
    return true;
}

/* ---- contact ---- */

/* Triangles with the cloth's numbers, sorted by their lowest vertex like all elements. */
static bool move_triangles(TlArena *scratch, const TlTriangles *from, TlCloth *cloth) {
    int32_t n = from->count, *vertex = TL_NEW(&cloth->arena, int32_t, 3 * (int64_t)n);
    int32_t *face = TL_NEW(&cloth->arena, int32_t, n), *lowest = TL_NEW(scratch, int32_t, n);
    int32_t *to = TL_NEW(scratch, int32_t, n);
    int32_t *start = TL_NEW(scratch, int32_t, (int64_t)cloth->rest.vertex_count + 1);
    const int32_t *place = cloth->order.place;
    if (cloth->arena.failed || scratch->failed) {
        return false;
    }
    for (int32_t t = 0; t < n; t++) {
        const int32_t *v = from->vertex + 3 * (int64_t)t;
        int32_t a = place[v[0]], b = place[v[1]], c = place[v[2]], low = a < b ? a : b;
        lowest[t] = low < c ? low : c;
    }
    sort_elements(lowest, n, cloth->rest.vertex_count, start, to);
    for (int32_t t = 0; t < n; t++) {
        for (int32_t k = 0; k < 3; k++) {
            vertex[3 * (int64_t)to[t] + k] = place[from->vertex[3 * (int64_t)t + k]];
        }
        face[to[t]] = from->face[t];
    }
    cloth->triangles = (TlTriangles){n, vertex, face};
    return true;
}

bool tl_cloth_surface(TlArena *scratch, const ToileMeshDef *mesh, TlCloth *cloth) {
    TlTriangles own;
    if (cloth->order.vertex == NULL) {
        return tl_triangles_build(&cloth->arena, mesh, &cloth->triangles);
    }
    /* quads are cut by the numbers of the user, which a cache shows */
    return tl_triangles_build(scratch, mesh, &own) && move_triangles(scratch, &own, cloth);
}

/* ---- values of vertices ---- */

void tl_from_user(const TlCloth *cloth, const double *user, int32_t width, double *own) {
    size_t size = sizeof *own * (size_t)width;
    if (cloth->order.vertex == NULL) {
        memcpy(own, user, size * (size_t)cloth->rest.vertex_count);
        return;
    }
    for (int32_t i = 0; i < cloth->rest.vertex_count; i++) {
        memcpy(own + (int64_t)width * i, user + (int64_t)width * cloth->order.vertex[i], size);
    }
}

void tl_to_user(const TlCloth *cloth, const double *own, int32_t width, double *user) {
    size_t size = sizeof *own * (size_t)width;
    if (cloth->order.vertex == NULL) {
        memcpy(user, own, size * (size_t)cloth->rest.vertex_count);
        return;
    }
    for (int32_t i = 0; i < cloth->rest.vertex_count; i++) {
        memcpy(user + (int64_t)width * cloth->order.vertex[i], own + (int64_t)width * i, size);
    }
}
