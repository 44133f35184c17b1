/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Triangles of cloths that reach into solid colliders. A surface is crossed by edges, which
 * contact/tangle.c finds; what is all inside a solid crosses nothing and is found here. */
#include "sim/sim_internal.h"

#include "contact/distance.h"
#include "contact/tangle.h"

/* Distance of a triangle from the line between two points. */
static double line_distance(const TlVec3 t[3], TlVec3 a, TlVec3 b) {
    if (tl_edge_crosses(a, b, t[0], t[1], t[2])) {
        return 0.0;
    }
    const TlVec3 first[4] = {a, t[0], t[1], t[2]}, second[4] = {b, t[0], t[1], t[2]};
    double least = tl_min(tl_closest_vertex_triangle(first).distance,
                          tl_closest_vertex_triangle(second).distance);
    for (int i = 0; i < 3; i++) {
        const TlVec3 edges[4] = {a, b, t[i], t[(i + 1) % 3]};
        least = tl_min(least, tl_closest_edges(edges).distance);
    }
    return least;
}

/* Whether a triangle reaches into a solid. */
static bool reaches_in(const TlPlaced *placed, const TlVec3 t[3]) {
    const TlCollider *collider = placed->collider;
    double size = tl_max(tl_length3(tl_sub3(t[1], t[0])), tl_length3(tl_sub3(t[2], t[0])));
    if (tl_is_beyond(placed, t[0], size)) {
        return false;
    }
    TlVec3 n, center = tl_placed_point(placed, collider->center);
    double near = tl_collider_distance(placed, t[0], &n);
    for (int i = 1; i < 3; i++) {
        near = tl_min(near, tl_collider_distance(placed, t[i], &n));
    }
    size = tl_max(size, tl_length3(tl_sub3(t[2], t[1])));
    if (near < 0.0 || near > size) {
        return near < 0.0;
    }
    if (collider->shape == TOILE_COLLIDER_SPHERE) {
        /* of a mean the square of the distance is the mean of squares less at most a third of that
         * of the longest side */
        double corner = collider->radius + near;
        if (corner * corner - size * size / 3.0 > collider->radius * collider->radius) {
            return false;
        }
        const TlVec3 x[4] = {center, t[0], t[1], t[2]};
        return tl_closest_vertex_triangle(x).distance < collider->radius;
    }
    return collider->shape == TOILE_COLLIDER_CAPSULE &&
           line_distance(t, center, tl_placed_point(placed, collider->end)) < collider->radius;
}

void tl_sim_find_inside(ToileSim *sim) {
    TlContacts contacts = tl_sim_contacts(sim, 1.0, 1.0, 0.0);
    const TlSurface *surface = &sim->surface;
    sim->inside_count = 0;
    for (int32_t i = 0; contacts.collider_count > 0 && i < surface->triangles.cloth; i++) {
        TlVec3 t[3];
        for (int k = 0; k < 3; k++) {
            t[k] = tl_load3(sim->state.x + 3 * (int64_t)surface->triangle[3 * (int64_t)i + k]);
        }
        int32_t c = 0;
        while (c < contacts.collider_count && !reaches_in(&contacts.now[c], t)) {
            c++;
        }
        if (c < contacts.collider_count) {
            sim->inside[sim->inside_count++] = (TlInside){i, c};
        }
    }
}
