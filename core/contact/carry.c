/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What cloths in the air do together. Cloth that is crumpled is held up by itself in every step. If
 * its ways were shortened as a whole, each would lose a part of the fall that all have in common,
 * and a knot would hang in the air. So cloths that pairs join are a company, and only what a
 * vertex does beyond the way of the centre of mass of its company is shortened. A translation that
 * both sides of every pair share changes nothing between them. Where pins or colliders lead, and
 * all go the same way, that is what their company does together: cloth that is towed and flutters
 * is not left behind, and what leads arrives where it is told to. Where they differ nobody is
 * carried, nor where they rest, or an analytic collider is near, which has no pairs of its own. */
#include "contact/carry.h"

#include <string.h>

/* ways may be so much longer than velocities and gravity say */
#define LONGER 2.0
/* and so far beyond that analytic colliders are near, m */
#define NEAR_M 0.01
/* those who lead go the same way when none differs by more than this part of it from the mean */
#define UNLIKE 0.25

/* Whether vertex i can come near an analytic collider on its way. */
static bool may_meet(const TlWorld *world, const TlContacts *contacts, int32_t i, TlVec3 x,
                     double way_m) {
    const double *radius =
        contacts->radius + (int64_t)world->def.surface->body[i] * contacts->collider_count;
    for (int32_t c = 0; c < contacts->collider_count; c++) {
        TlVec3 n;
        double reach = LONGER * way_m + radius[c] + NEAR_M;
        /* one that moves has its own way too: before and after are looked at */
        const TlPlaced *at[2] = {&contacts->before[c], &contacts->now[c]};
        for (int k = 0; k < 2; k++) {
            if (!tl_is_beyond(at[k], x, reach) && tl_collider_distance(at[k], x, &n) < reach) {
                return true;
            }
        }
    }
    return false;
}

void tl_world_find_airborne(TlWorld *world, const TlContacts *contacts, const double *x,
                            const double *v, const double gravity_m_per_s2[3], double dt_s) {
    TlVec3 gained = tl_scale3(dt_s, tl_load3(gravity_m_per_s2));
    const int32_t *body = world->def.surface->body;
    for (int32_t i = 0; i < world->n; i++) {
        world->airborne[body[i]] = !world->def.analytic[i];
    }
    for (int32_t i = 0; i < world->cloth; i++) {
        uint8_t *airborne = &world->airborne[body[i]];
        double way_m = dt_s * tl_length3(tl_add3(tl_load3(v + 3 * (int64_t)i), gained));
        *airborne = *airborne && !may_meet(world, contacts, i, tl_load3(x + 3 * (int64_t)i), way_m);
    }
}

void tl_world_carry_nobody(TlWorld *world) {
    memset(world->airborne, 0, (size_t)world->bodies);
}

static int32_t company_of(int32_t *company, int32_t body) {
    while (company[body] != body) {
        company[body] = company[company[body]];
        body = company[body];
    }
    return body;
}

/* Finds which bodies pairs join. */
static void find_companies(TlWorld *world) {
    const int32_t *body = world->def.surface->body;
    for (int32_t b = 0; b < world->bodies; b++) {
        world->company[b] = b;
    }
    for (int32_t p = 0; p < world->pairs.count; p++) {
        const int32_t *v = world->pairs.pair[p].vertex;
        if (body[v[0]] != body[v[3]]) {
            int32_t a = company_of(world->company, body[v[0]]);
            int32_t b = company_of(world->company, body[v[3]]);
            world->company[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int32_t b = 0; b < world->bodies; b++) {
        world->company[b] = company_of(world->company, b);
    }
}

/* Whether the way of vertex i is told from outside, so that it leads others. */
static bool leads(const TlWorld *world, int32_t i) {
    return i >= world->cloth || world->def.fixed[i];
}

/* Sums the ways of those of every company who lead it, or where nobody does of all, by mass. */
static void add_ways(TlWorld *world) {
    const int32_t *body = world->def.surface->body;
    for (int32_t i = 0; i < world->n; i++) {
        int32_t company = world->company[body[i]];
        world->leaders[company] += leads(world, i);
    }
    for (int32_t i = 0; i < world->n; i++) {
        int32_t company = world->company[body[i]];
        double *sum = world->carry + 3 * (int64_t)company;
        double own = leads(world, i)                ? 1.0
                     : world->leaders[company] == 0 ? world->def.mass[i]
                                                    : 0.0;
        tl_store3(sum, tl_madd3(tl_load3(sum), own, tl_load3(world->u + 3 * (int64_t)i)));
        world->company_mass[company] += own;
    }
}

/* Where leaders do not go the same way nobody is carried. */
static void compare_leaders(TlWorld *world) {
    const int32_t *body = world->def.surface->body;
    for (int32_t i = 0; i < world->n; i++) {
        int32_t company = world->company[body[i]];
        double *way = world->carry + 3 * (int64_t)company;
        TlVec3 off = tl_sub3(tl_load3(world->u + 3 * (int64_t)i), tl_load3(way));
        if (leads(world, i) && !(tl_length3(off) <= UNLIKE * tl_length3(tl_load3(way)))) {
            memset(way, 0, 3 * sizeof *way);
        }
    }
}

/* What each company does together; who is not airborne has no end of mass. */
static void find_means(TlWorld *world) {
    double *mass = world->company_mass;
    memset(mass, 0, sizeof *mass * (size_t)world->bodies);
    memset(world->leaders, 0, sizeof *world->leaders * (size_t)world->bodies);
    for (int32_t b = 0; b < world->bodies; b++) {
        mass[world->company[b]] += world->airborne[b] ? 0.0 : HUGE_VAL;
    }
    add_ways(world);
    for (int32_t b = 0; b < world->bodies; b++) {
        double *way = world->carry + 3 * (int64_t)b, part = mass[b] > 0.0 ? 1.0 / mass[b] : 0.0;
        tl_store3(way, tl_scale3(part, tl_load3(way)));
    }
    compare_leaders(world);
    for (int32_t b = 0; b < world->bodies; b++) {
        memmove(world->carry + 3 * (int64_t)b, world->carry + 3 * (int64_t)world->company[b],
                3 * sizeof *world->carry);
    }
}

static void find_apart(TlWorld *world) {
    for (int32_t i = 0; i < world->n; i++) {
        const double *carry = world->carry + 3 * (int64_t)world->def.surface->body[i];
        TlVec3 u = tl_load3(world->u + 3 * (int64_t)i);
        tl_store3(world->apart + 3 * (int64_t)i, tl_sub3(u, tl_load3(carry)));
    }
}

/* Whether any cloth is airborne; bodies of cloth come first. */
static bool is_any_airborne(const TlWorld *world) {
    int32_t last = world->cloth - 1;
    return last >= 0 &&
           memchr(world->airborne, 1, (size_t)world->def.surface->body[last] + 1) != NULL;
}

void tl_world_find_carry(TlWorld *world, bool any) {
    memset(world->carry, 0, 3 * sizeof *world->carry * (size_t)world->bodies);
    world->carrying = false;
    if (any && is_any_airborne(world)) {
        find_companies(world);
        find_means(world);
        for (int64_t i = 0; i < 3 * (int64_t)world->bodies; i++) {
            world->carrying = world->carrying || world->carry[i] != 0.0;
        }
    }
    if (world->carrying) {
        find_apart(world);
    }
}
