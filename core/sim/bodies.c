/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The surface of a simulation: what its cloths and colliders bring to contact, where the colliders'
 * part of it is, and whose a part is. */
#include "sim/sim_internal.h"

#include <string.h>

/* most vertices and triangles of all bodies, so that three indices of each count in 32 bits */
#define MOST_THINGS (INT32_MAX / 3)

/* ---- counting ---- */

/* Lays bodies out one behind the other. */
typedef struct Layout {
    TlBody *bodies;
    int32_t count;
    int64_t vertices, triangles;
} Layout;

static void lay(Layout *layout, int32_t slot, int32_t vertex_count, int32_t triangle_count) {
    layout->bodies[layout->count++] = (TlBody){slot, (int32_t)layout->vertices, vertex_count,
                                               (int32_t)layout->triangles, triangle_count};
    layout->vertices += vertex_count;
    layout->triangles += triangle_count;
}

static void lay_cloths(const ToileSim *sim, Layout *layout) {
    for (int32_t i = 0; i < sim->cloth_capacity; i++) {
        const TlCloth *cloth = sim->cloths[i].cloth;
        if (cloth != NULL) {
            lay(layout, i, cloth->rest.vertex_count, cloth->triangles.count);
        }
    }
}

/* The triangles by which a collider stands in the surface. */
static TlTriangles triangles_of(const TlColliderSlot *slot) {
    return slot->collider.shape == TOILE_COLLIDER_MESH ? slot->mesh.triangles
                                                       : tl_collider_triangles(&slot->collider);
}

static void lay_colliders(const ToileSim *sim, Layout *layout) {
    for (int32_t i = 0; i < sim->collider_capacity; i++) {
        const TlColliderSlot *slot = &sim->colliders[i];
        if (slot->used) {
            int32_t vertices = slot->collider.shape == TOILE_COLLIDER_MESH
                                   ? slot->mesh.vertex_count
                                   : tl_collider_vertex_count(&slot->collider);
            lay(layout, i, vertices, triangles_of(slot).count);
        }
    }
}

/* ---- filling ---- */

static void fill_triangles(TlSurface *s, const TlBody *body, const TlTriangles *triangles) {
    int64_t first = body->first_triangle;
    for (int64_t k = 0; k < 3 * (int64_t)triangles->count; k++) {
        s->triangle[3 * first + k] = body->first_vertex + triangles->vertex[k];
    }
    for (int32_t t = 0; t < triangles->count; t++) {
        s->face[first + t] = triangles->face[t];
    }
}

/* Tells where a body is beside the first cloth, which is the same wherever all are. */
static void place_body(ToileSim *sim, int32_t b, const double at_m[3]) {
    if (sim->cloth_count > 0) {
        const double *first = sim->cloths[sim->bodies[0].slot].cloth->rest_from;
        tl_store3(sim->surface.place + 3 * (int64_t)b, tl_sub3(tl_load3(at_m), tl_load3(first)));
    }
}

static void fill_cloth(ToileSim *sim, int32_t b) {
    TlSurface *s = &sim->surface;
    const TlBody *body = &sim->bodies[b];
    const TlCloth *cloth = sim->cloths[body->slot].cloth;
    double half = 0.5 * tl_max(tl_sim_cloth_thickness(sim, &cloth->material), TL_LEAST_RADIUS_M);
    for (int32_t i = 0; i < body->vertex_count; i++) {
        int64_t v = (int64_t)body->first_vertex + i;
        s->body[v] = b;
        s->half[v] = half;
        s->friction[v] = tl_sim_cloth_friction(sim, &cloth->material);
        tl_store3(s->rest + 3 * v, tl_load3(cloth->rest.position + 3 * (int64_t)i));
    }
    place_body(sim, b, cloth->rest_from);
    fill_triangles(s, body, &cloth->triangles);
}

/* Positions of a collider's vertices where it is placed. Those of a mesh are `part` of the way from
 * `from` to `to` before that. */
static void place_vertices(const TlColliderSlot *slot, const TlPlaced *placed, const double *from,
                           const double *to, double part, double *out) {
    TlVec3 own[TL_COLLIDER_MOST_VERTICES];
    int32_t count = tl_collider_vertex_count(&slot->collider);
    tl_collider_vertices(&slot->collider, own);
    for (int32_t i = 0; i < count; i++) {
        tl_store3(out + 3 * (int64_t)i, tl_placed_point(placed, own[i]));
    }
    for (int64_t i = 0; i < slot->mesh.vertex_count; i++) {
        TlVec3 a = tl_load3(from + 3 * i), b = tl_load3(to + 3 * i);
        TlVec3 p = part >= 1.0 ? b : tl_madd3(a, part, tl_sub3(b, a));
        tl_store3(out + 3 * i, tl_placed_point(placed, p));
    }
}

static void fill_collider(ToileSim *sim, int32_t b) {
    TlSurface *s = &sim->surface;
    const TlBody *body = &sim->bodies[b];
    const TlColliderSlot *slot = &sim->colliders[body->slot];
    const TlColliderMesh *mesh = &slot->mesh;
    for (int32_t i = 0; i < body->vertex_count; i++) {
        int64_t v = (int64_t)body->first_vertex + i;
        s->body[v] = b;
        s->half[v] = mesh->thickness != NULL ? mesh->thickness[i] : slot->collider.thickness;
        s->friction[v] = mesh->friction != NULL ? mesh->friction[i] : slot->collider.friction;
        s->solid[v] = tl_collider_solid(&slot->collider);
    }
    /* where it was defined, but for whole metres, which a snapshot may change: so this never does,
       whenever the surface is built */
    TlPlaced placed = tl_place(&slot->collider, &slot->start);
    place_vertices(slot, &placed, mesh->start, mesh->start, 1.0,
                   s->rest + 3 * (int64_t)body->first_vertex);
    place_body(sim, b, slot->place);
    TlTriangles triangles = triangles_of(slot);
    fill_triangles(s, body, &triangles);
}

bool tl_sim_build_surface(ToileSim *sim) {
    TlArena *arena = &sim->system_arena;
    int64_t most = (int64_t)sim->cloth_capacity + sim->collider_capacity;
    Layout layout = {TL_NEW(arena, TlBody, most), 0, 0, 0};
    if (layout.bodies == NULL) {
        return false;
    }
    lay_cloths(sim, &layout);
    sim->cloth_count = layout.count;
    int64_t vertices = layout.vertices, triangles = layout.triangles;
    lay_colliders(sim, &layout);
    sim->body_count = layout.count;
    sim->bodies = layout.bodies;
    if (layout.vertices > MOST_THINGS || layout.triangles > MOST_THINGS ||
        !tl_surface_alloc(arena, (TlCounts){(int32_t)vertices, (int32_t)layout.vertices},
                          (TlCounts){(int32_t)triangles, (int32_t)layout.triangles},
                          &sim->surface)) {
        return false;
    }
    sim->surface.place = TL_NEW(arena, double, 3 * (int64_t)sim->body_count);
    if (sim->surface.place == NULL) {
        return false;
    }
    for (int32_t b = 0; b < sim->cloth_count; b++) {
        fill_cloth(sim, b);
    }
    for (int32_t b = sim->cloth_count; b < sim->body_count; b++) {
        fill_collider(sim, b);
    }
    return tl_surface_connect(arena, &sim->surface);
}

/* ---- asking ---- */

/* `part` of a collider's way; what does not move, and the start, are the same bits. */
static TlMotion motion_at(const TlColliderSlot *slot, double part) {
    bool still = memcmp(&slot->now, &slot->target, sizeof slot->now) == 0;
    return still || part <= 0.0 ? slot->now : tl_motion_between(&slot->now, &slot->target, part);
}

void tl_sim_collider_points(const ToileSim *sim, double part, double *out) {
    for (int32_t b = sim->cloth_count; b < sim->body_count; b++) {
        const TlBody *body = &sim->bodies[b];
        const TlColliderSlot *slot = &sim->colliders[body->slot];
        TlMotion motion = motion_at(slot, part);
        TlPlaced placed = tl_collider_place(sim, slot, &motion);
        int64_t at = (int64_t)body->first_vertex - sim->surface.vertices.cloth;
        place_vertices(slot, &placed, slot->mesh.now, slot->mesh.target, part, out + 3 * at);
    }
}

const char *tl_sim_body_name(const ToileSim *sim, int32_t body) {
    int32_t slot = sim->bodies[body].slot;
    return body < sim->cloth_count ? sim->cloths[slot].cloth->name : sim->colliders[slot].name;
}

TlPlaceOnBody tl_sim_triangle(const ToileSim *sim, int32_t triangle) {
    const TlSurface *s = &sim->surface;
    TlPlaceOnBody place = {.body = s->body[s->triangle[3 * (int64_t)triangle]],
                           .face = s->face[triangle]};
    int32_t slot = sim->bodies[place.body].slot;
    place.is_cloth = place.body < sim->cloth_count;
    if (place.is_cloth) {
        place.cloth = (ToileClothId){(uint32_t)slot + 1, sim->cloths[slot].generation};
    } else {
        place.collider = (ToileColliderId){(uint32_t)slot + 1, sim->colliders[slot].generation};
    }
    return place;
}
