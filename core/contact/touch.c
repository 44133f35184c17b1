/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The potential of surfaces in contact, over the pairs of a world.
 *
 * Each pair within its contact distance has the potential of response.h over the distance of its
 * closest points, whose weights and direction count as fixed in derivatives: gradient w_i f n,
 * Hessian w_i w_j f' n n^T. Friction is that of response.h, over the tangential motion of the
 * closest points since the sub-step began. What touches twice counts once: a vertex meets the
 * nearest triangle on each of its sides, triangles about as near share it, and edges meet as far as
 * they cross; these parts count as fixed in derivatives.
 *
 * A pair that is apart now but would be pressed by motion that is known (near.c) has its potential
 * in the linear solve alone, as it is behind the contact distance. */
#include "contact/near.h"
#include "contact/tangle.h"

#include "base/platform.h"

#include <string.h>

enum { PARTS = TL_NEAR_PARTS };
/* vertices of cloth bear first; edges, and vertices of colliders, from this part of the distance
 * on, so that cloth that lies flat feels its vertices alone */
#define BESIDE 0.9
/* area of an edge over that of its vertices; each of two faces carries half of what presses them */
#define EDGE_AREA (1.0 / 6.0)
#define VERTEX_AREA 0.5
/* of cloth on cloth: a load that presses it through its contact distance, Pa. Less than on
 * colliders, because layers that press each other are slow to solve for */
#define CLOTH_PRESSURE 100.0
/* square of the sine of edges that count as parallel */
#define PARALLEL 0.01
/* what is ahead counts where it leaves less of the contact distance */
#define COMES 0.9
/* stiffness over inertia, at least */
#define STOP 10.0

static bool reserve_touches(TlWorld *world) {
    int32_t count = world->near_count + world->crossings.count;
    if (count > world->touch_room) {
        int32_t room = tl_near_room(count);
        world->touch_room = room;
        world->touch = TL_RENEW(world->arena, TlTouch, world->touch, room);
        world->active = TL_RENEW(world->arena, uint8_t, world->active, room);
        world->touch_item = TL_RENEW(world->arena, int32_t, world->touch_item, 4 * (int64_t)room);
        world->touch_share = TL_RENEW(world->arena, float, world->touch_share, 4 * (int64_t)room);
        world->press = TL_RENEW(world->arena, TlPress, world->press, room);
        world->product = TL_RENEW(world->arena, TlFloat4, world->product, room);
    }
    return !world->arena->failed;
}

/* ---- which pairs count ---- */

static TlVec3 corner(const double *x, const TlPair *pair, int i) {
    return tl_load3(x + 3 * (int64_t)pair->vertex[i]);
}

/* Two edges meet as far as they cross: fully in their middles and at right angles, not at all at
 * their ends and when they are parallel, where vertices take over. 0 to 1. */
static double crossing_part(const double *x, const TlPair *pair, const TlClosest *closest) {
    const double *w = closest->weight;
    TlVec3 a = tl_sub3(corner(x, pair, 1), corner(x, pair, 0));
    TlVec3 b = tl_sub3(corner(x, pair, 3), corner(x, pair, 2)), c = tl_cross3(a, b);
    double sine2 = tl_dot3(c, c) / (tl_dot3(a, a) * tl_dot3(b, b));
    double part = 16.0 * w[0] * w[1] * w[2] * w[3] * sine2;
    return part > 0.0 ? part : 0.0;
}

/* Vertices of cloths that a contact rests on. */
static int32_t cloth_corners(const TlWorld *world, const TlPair *pair, const TlClosest *closest) {
    int32_t count = 0;
    for (int i = 0; i < 4; i++) {
        count += closest->weight[i] != 0.0 && pair->vertex[i] < world->cloth;
    }
    return count;
}

static int32_t body_of_others(const TlWorld *world, const TlPair *pair) {
    for (int i = 0; i < 4; i++) {
        if (pair->vertex[i] >= world->cloth) {
            return pair->vertex[i];
        }
    }
    return -1;
}

/* Contact distance of a pair whose closest points are known; 0: it does not count. */
static double reach_of(const TlWorld *world, const TlPair *pair, bool edges,
                       const TlClosest *closest) {
    const TlSurface *surface = world->def.surface;
    /* at rest all bear, so that a static drape has one answer */
    bool vertex = (!edges && pair->vertex[0] < world->cloth) || !(world->slip_m > 0.0);
    double r = (vertex ? 1.0 : BESIDE) * (double)pair->radius;
    int32_t other = body_of_others(world, pair);
    if (other >= 0) {
        if (!world->def.analytic[other]) {
            return r;
        }
        if (cloth_corners(world, pair, closest) == 1) {
            return 0.0;
        }
        return surface->solid[other] > 0.0 ? TL_BETWEEN * r : r;
    }
    return r;
}

static bool is_loose(const TlWorld *world, const TlPair *pair) {
    return tl_is_pinched(world->pinched, world->cloth, pair->vertex) ||
           tl_is_loose(world->tangled ? world->loose : NULL, world->cloth, pair->vertex);
}

/* ---- how much they press ---- */

static double area_of(const TlWorld *world, const TlPair *pair, bool edges,
                      const TlClosest *closest) {
    double sum = 0.0;
    if (!edges && pair->vertex[0] < world->cloth) {
        return VERTEX_AREA * world->def.area[pair->vertex[0]];
    }
    for (int i = 0; i < 4; i++) {
        if (pair->vertex[i] < world->cloth) {
            sum += fabs(closest->weight[i]) * world->def.area[pair->vertex[i]];
        }
    }
    return (edges ? EDGE_AREA : VERTEX_AREA) * sum;
}

/* Inertia that an approach has, N/m. */
static double inertia_of(const TlWorld *world, const TlPair *pair, const TlClosest *closest) {
    double inverse = 0.0;
    for (int i = 0; i < 4; i++) {
        if (pair->vertex[i] < world->cloth) {
            inverse += closest->weight[i] * closest->weight[i] / world->weight[pair->vertex[i]];
        }
    }
    return inverse > 0.0 ? 1.0 / inverse : 0.0;
}

/* 1, and less for edges that are all but parallel, whose closest points are anywhere. */
static double crossing_sine(const double *x, const TlPair *pair) {
    TlVec3 a = tl_sub3(corner(x, pair, 1), corner(x, pair, 0));
    TlVec3 b = tl_sub3(corner(x, pair, 3), corner(x, pair, 2)), c = tl_cross3(a, b);
    double part = tl_dot3(c, c) / (PARALLEL * tl_dot3(a, a) * tl_dot3(b, b));
    return part < 1.0 ? part * (2.0 - part) : 1.0;
}

static TlStiffness scaled(TlStiffness k, double soft, double hard) {
    return (TlStiffness){(float)((double)k.soft * soft), (float)((double)k.hard * hard)};
}

/* Stiffness of a contact: by its area, and enough to stop in a sub-step what comes with the speed
 * that sub-steps are made for. What is near counts in full, wherever edges cross. */
static TlStiffness stiffness_of(const TlWorld *world, const double *x, int32_t i, double r) {
    const TlPair *pair = &world->pairs.pair[world->near[i]];
    const TlClosest *closest = &world->closest[i];
    bool edges = world->near[i] >= world->pairs.vertex_triangle;
    double pressure = body_of_others(world, pair) < 0 ? CLOTH_PRESSURE : TL_CONTACT_PRESSURE;
    double area = area_of(world, pair, edges, closest);
    if (world->slip_m > 0.0) {
        area = tl_max(area, STOP * inertia_of(world, pair, closest) * r / pressure);
    }
    TlStiffness k = tl_contact_stiffness(area, pressure, r);
    if (edges) {
        return scaled(k, crossing_part(x, pair, closest), crossing_sine(x, pair));
    }
    double part = tl_near_part(world, i);
    return scaled(k, part, part);
}

/* Friction of both sides: a collider's where it has one, the mean of two cloths. */
static double friction_of(const TlWorld *world, const TlPair *pair, int32_t split,
                          const TlClosest *closest) {
    const TlSurface *surface = world->def.surface;
    double mu[2] = {0.0, 0.0};
    for (int i = 0; i < 4; i++) {
        mu[i >= split] += fabs(closest->weight[i]) * surface->friction[pair->vertex[i]];
    }
    bool first = pair->vertex[0] >= world->cloth, second = pair->vertex[3] >= world->cloth;
    if (first || second) {
        double own = first ? mu[0] : mu[1];
        return own >= 0.0 ? own : first ? mu[1] : mu[0];
    }
    return 0.5 * (mu[0] + mu[1]);
}

/* Sum of weight[i] of[vertex[i]]. */
static TlVec3 weighted(const TlPair *pair, const TlClosest *closest, const double *of) {
    TlVec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        sum = tl_madd3(sum, closest->weight[i], tl_load3(of + 3 * (int64_t)pair->vertex[i]));
    }
    return sum;
}

/* The same of prescribed vertices alone. */
static TlVec3 weighted_others(const TlWorld *world, const TlPair *pair, const TlClosest *closest,
                              const double *of) {
    TlVec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        if (pair->vertex[i] >= world->cloth) {
            sum = tl_madd3(sum, closest->weight[i], tl_load3(of + 3 * (int64_t)pair->vertex[i]));
        }
    }
    return sum;
}

/* Motion of the closest points since the sub-step began, along the surfaces. */
static TlVec3 slip_of(const TlWorld *world, const TlPair *pair, const TlClosest *closest,
                      TlVec3 normal) {
    TlVec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        int64_t at = 3 * (int64_t)pair->vertex[i];
        sum = tl_madd3(sum, closest->weight[i],
                       tl_sub3(tl_load3(world->x + at), tl_load3(world->start + at)));
    }
    return tl_madd3(sum, -tl_dot3(sum, normal), normal);
}

static void place_corners(const TlWorld *world, const TlPair *pair, const TlClosest *closest,
                          TlTouch *touch) {
    int32_t any = -1;
    for (int i = 0; i < 4; i++) {
        any = any < 0 && pair->vertex[i] < world->cloth ? pair->vertex[i] : any;
    }
    for (int i = 0; i < 4; i++) {
        bool free = pair->vertex[i] < world->cloth;
        touch->vertex[i] = free ? pair->vertex[i] : any;
        touch->weight[i] = free ? closest->weight[i] : 0.0;
    }
}

static void add_hessian(TlTouch *touch, const double hess[9]) {
    touch->hess[0] += (TlFloat4){(float)hess[0], (float)hess[1], (float)hess[2], (float)hess[4]};
    touch->hess[1] += (TlFloat4){(float)hess[5], (float)hess[8], 0.0F, 0.0F};
}

typedef struct Evaluate {
    TlWorld *world;
    const double *ahead; /* 3 per vertex: motion to come */
} Evaluate;

/* Whether the vertex of a pair is a collider's, or rests on something already. */
static bool is_borne(const TlWorld *world, const TlPair *pair) {
    int32_t v = pair->vertex[0];
    bool borne = v >= world->cloth;
    for (int32_t j = world->chain[v]; !borne && j >= 0; j = world->next[j]) {
        const TlPair *other = &world->pairs.pair[world->near[j]];
        borne = world->closest[j].distance - (double)other->solid < (double)other->radius;
    }
    return borne;
}

/* Whether a pair that is apart gets well into its contact distance by what is ahead. Along the
 * normal alone it would also where one slides over the other. */
static bool comes_near(const Evaluate *in, const TlPair *pair, bool edges) {
    TlVec3 at[4];
    for (int k = 0; k < 4; k++) {
        at[k] = tl_add3(corner(in->world->x, pair, k), corner(in->ahead, pair, k));
    }
    TlClosest then = edges ? tl_closest_edges(at) : tl_closest_vertex_triangle(at);
    return then.distance - (double)pair->solid < COMES * (double)pair->radius;
}

/* Fills a touch from near pair i; false when it does not press. */
static bool evaluate(const Evaluate *in, int32_t i, TlTouch *touch) {
    TlWorld *world = in->world;
    int32_t index = world->near[i];
    TlPair *pair = &world->pairs.pair[index];
    const TlClosest *closest = &world->closest[i];
    bool edges = index >= world->pairs.vertex_triangle;
    double d = closest->distance - (double)pair->solid;
    pair->least = (float)d - 1e-6F * fabsf((float)d);
    TlVec3 n = tl_load3(closest->normal);
    double coming = tl_dot3(n, weighted(pair, closest, in->ahead));
    if (d + tl_min(0.0, coming) >= (double)pair->radius || closest->distance <= 0.0 ||
        is_loose(world, pair)) {
        return false;
    }
    double r = reach_of(world, pair, edges, closest), first = 0.0, second = 0.0;
    if (!(r > 0.0) || d + tl_min(0.0, coming) >= r) {
        return false;
    }
    if (d >= r && (edges || is_borne(world, pair)) && !comes_near(in, pair, edges)) {
        return false;
    }
    TlStiffness k = stiffness_of(world, world->x, i, r);
    double push;
    if (!(k.soft > 0.0F || k.hard > 0.0F)) {
        return false;
    }
    world->held[index] = k;
    memset(touch, 0, sizeof *touch);
    if (d < r) {
        touch->value = tl_contact_potential(k, r, d, &first, &second);
        TlVec3 q = weighted_others(world, pair, closest, in->ahead);
        push = -second * tl_dot3(n, q);
    } else {
        /* as far as it is coming */
        second = tl_max((double)k.soft, coming < -d ? (double)k.hard / TL_HARD : 0.0);
        push = second * (r - d - tl_dot3(n, weighted_others(world, pair, closest, in->ahead)));
    }
    double hess[9] = {0};
    for (int a = 0; a < 3; a++) {
        touch->normal[a] = closest->normal[a];
        touch->grad[a] = first * closest->normal[a];
        touch->push[a] = push * closest->normal[a];
        for (int b = 0; b < 3; b++) {
            hess[3 * a + b] = second * closest->normal[a] * closest->normal[b];
        }
    }
    place_corners(world, pair, closest, touch);
    if (world->slip_m > 0.0 && first < 0.0) {
        touch->grip = -first * friction_of(world, pair, edges ? 2 : 1, closest);
        tl_store3(touch->slip, slip_of(world, pair, closest, n));
    }
    add_hessian(touch, hess);
    return true;
}

static void evaluate_range(void *data, int32_t begin, int32_t end) {
    Evaluate *in = data;
    for (int32_t i = begin; i < end; i++) {
        in->world->active[i] = evaluate(in, i, &in->world->touch[i]);
    }
}

/* Lists of touches by vertex. */
static void index_touches(TlWorld *world) {
    int32_t *start = world->touch_start;
    memset(start, 0, sizeof *start * (size_t)(world->cloth + 2));
    for (int32_t t = 0; t < world->touch_count; t++) {
        for (int i = 0; i < 4; i++) {
            start[world->touch[t].vertex[i] + 2] += world->touch[t].weight[i] != 0.0;
        }
    }
    for (int32_t v = 0; v < world->cloth; v++) {
        start[v + 2] += start[v + 1];
    }
    for (int32_t t = 0; t < world->touch_count; t++) {
        for (int i = 0; i < 4; i++) {
            if (world->touch[t].weight[i] != 0.0) {
                world->touch_item[start[world->touch[t].vertex[i] + 1]++] = 4 * t + i;
            }
        }
    }
}

/* ---- friction ---- */

static void grip_range(void *data, int32_t begin, int32_t end) {
    TlWorld *world = data;
    for (int32_t v = begin; v < end; v++) {
        double sum = 0.0;
        for (int32_t i = world->touch_start[v]; i < world->touch_start[v + 1]; i++) {
            const TlTouch *touch = &world->touch[world->touch_item[i] / 4];
            sum += fabs(touch->weight[world->touch_item[i] % 4]) * touch->grip;
        }
        world->gripped[v] = sum;
    }
}

/* What all but contact does to the closest points, as if they were one body. A vertex with several
 * touches gives to each as much of its mass and of its force as that has of its grip. */
static TlDrive drive_of(const TlWorld *world, const TlTouch *touch) {
    double inverse = 0.0;
    TlVec3 move = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        int64_t v = touch->vertex[i];
        double w = touch->weight[i];
        if (w != 0.0) {
            double share = fabs(w) * touch->grip / world->gripped[v];
            inverse += w * w / (world->weight[v] * share);
            move = tl_madd3(move, -w / world->weight[v], tl_load3(world->grad + 3 * v));
        }
    }
    double inertia = 1.0 / inverse;
    return (TlDrive){tl_scale3(inertia, move), inertia};
}

static void friction_range(void *data, int32_t begin, int32_t end) {
    TlWorld *world = data;
    for (int32_t t = begin; t < end; t++) {
        TlTouch *touch = &world->touch[t];
        if (touch->grip > 0.0) {
            double hess[9] = {0};
            TlDrive drive = drive_of(world, touch);
            TlFriction friction = {tl_load3(touch->normal), {0, 0, 0}, touch->grip};
            tl_friction_derive(&friction, world->slip_m, &drive, tl_load3(touch->slip), touch->grad,
                               hess);
            add_hessian(touch, hess);
        }
    }
}

bool tl_world_touch(TlWorld *world, const double *weight, const double *grad) {
    double clock_s = tl_clock_s();
    world->touch_count = world->counts.pressed = 0;
    world->weight = weight;
    world->grad = grad;
    bool ok = reserve_touches(world);
    if (ok) {
        memset(world->held, 0, sizeof *world->held * (size_t)world->pairs.count);
        world->holds = true;
        Evaluate in = {world, world->trial};
        tl_parallel_for(world->pool, world->near_count, PARTS, evaluate_range, &in);
        for (int32_t i = 0; i < world->near_count; i++) {
            if (world->active[i]) {
                world->counts.pressed += world->touch[i].value > 0.0;
                world->touch[world->touch_count++] = world->touch[i];
            }
        }
        for (int32_t i = 0; world->tangled && i < world->crossings.count; i++) {
            world->touch_count +=
                tl_crossing_pull(world, &world->crossings.at[i], &world->touch[world->touch_count]);
        }
    }
    index_touches(world);
    tl_parallel_for(world->pool, world->cloth, PARTS, grip_range, world);
    tl_parallel_for(world->pool, world->touch_count, PARTS, friction_range, world);
    world->counts.touches = world->touch_count;
    world->counts.narrow_s += tl_clock_s() - clock_s;
    return ok;
}

/* ---- the potential somewhere else ---- */

static double value_range(void *data, int32_t begin, int32_t end) {
    TlWorld *world = data;
    double total = 0.0, first, second;
    for (int32_t i = begin; i < end; i++) {
        int32_t index = world->near[i];
        const TlPair *pair = &world->pairs.pair[index];
        const TlClosest *closest = &world->closest[i];
        bool edges = index >= world->pairs.vertex_triangle;
        double d = closest->distance - (double)pair->solid;
        if (d >= (double)pair->radius || closest->distance <= 0.0 || is_loose(world, pair)) {
            continue;
        }
        double r = reach_of(world, pair, edges, closest);
        if (d < r) {
            /* the stiffness of edges counts as fixed in derivatives; triangles pass a vertex on */
            TlStiffness k = world->held[index];
            if (!edges || !world->holds || !(k.soft > 0.0F || k.hard > 0.0F)) {
                k = stiffness_of(world, world->trial, i, r);
            }
            total += tl_contact_potential(k, r, d, &first, &second);
        }
    }
    return total;
}

typedef struct Slide {
    const TlWorld *world;
    const double *u; /* NULL: no further motion */
    bool normal;     /* with the normal potential */
} Slide;

static double slide_range(void *data, int32_t begin, int32_t end) {
    Slide *in = data;
    double total = 0.0;
    for (int32_t t = begin; t < end; t++) {
        const TlTouch *touch = &in->world->touch[t];
        TlVec3 slip = tl_load3(touch->slip);
        total += in->normal ? touch->value : 0.0;
        if (!(touch->grip > 0.0 || touch->linear)) {
            continue;
        }
        for (int i = 0; in->u != NULL && i < 4; i++) {
            slip =
                tl_madd3(slip, touch->weight[i], tl_load3(in->u + 3 * (int64_t)touch->vertex[i]));
        }
        if (touch->linear) {
            total += tl_dot3(tl_load3(touch->grad), slip);
            continue;
        }
        TlFriction friction = {tl_load3(touch->normal), {0, 0, 0}, touch->grip};
        total += tl_friction_value(&friction, in->world->slip_m, slip);
    }
    return total;
}

double tl_world_touch_value(const TlWorld *world) {
    Slide slide = {world, NULL, true};
    return tl_parallel_sum(world->pool, world->touch_count, PARTS, slide_range, &slide);
}

static void hold_range(void *data, int32_t begin, int32_t end) {
    TlWorld *world = data;
    for (int32_t i = begin; i < end; i++) {
        const TlPair *pair = &world->pairs.pair[world->near[i]];
        bool edges = world->near[i] >= world->pairs.vertex_triangle;
        double r = reach_of(world, pair, edges, &world->closest[i]);
        if (r > 0.0) {
            world->held[world->near[i]] = stiffness_of(world, world->x, i, r);
        }
    }
}

/* Stiffness of what is near at x, when the list has been made anew since touches were found. */
static bool hold_again(TlWorld *world) {
    if (!tl_near_find(world, NULL, world->x)) {
        return false;
    }
    memset(world->held, 0, sizeof *world->held * (size_t)world->pairs.count);
    tl_parallel_for(world->pool, world->near_count, PARTS, hold_range, world);
    world->holds = true;
    return true;
}

double tl_world_value(TlWorld *world, const double *u) {
    double clock_s = tl_clock_s();
    int64_t at = 3 * (int64_t)world->cloth;
    size_t size = 3 * sizeof *u * (size_t)(world->n - world->cloth);
    for (int64_t i = 0; i < at; i++) {
        world->trial[i] = world->x[i] + u[i];
        world->motion[i] = u[i];
    }
    memcpy(world->trial + at, world->x + at, size);
    memset(world->motion + at, 0, size);
    double total = (double)NAN;
    if ((world->holds || hold_again(world)) && tl_near_find(world, world->motion, world->trial)) {
        Slide slide = {world, u, false};
        total = tl_parallel_sum(world->pool, world->near_count, PARTS, value_range, world) +
                tl_parallel_sum(world->pool, world->touch_count, PARTS, slide_range, &slide);
    }
    world->counts.narrow_s += tl_clock_s() - clock_s;
    return total;
}
