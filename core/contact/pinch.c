/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Which vertices are pinched, and where they go; see pinch.h. It depends on where vertices and
 * colliders are alone, so that nothing has to be remembered. */
#include "contact/pinch.h"

enum { MOST_NEAR = 8 };
/* what is less than this part of both contact distances is no room */
#define ROOM 0.1
/* a vertex that is nearer than this part of its contact distance counts as inside */
#define INSIDE 0.02
/* cosine of the directions of colliders that face each other, and of those that both hold a vertex
 * and have a common way out */
#define FACING (-0.1)
/* motion that is no more than rounding, over the contact distances */
#define STILL 1e-6
#define ALIKE 0.5

/* A collider at a vertex, at the end of the step. */
typedef struct Side {
    int32_t collider;
    double radius, distance;
    double before;  /* distance of the same place when the step begins */
    TlVec3 carried; /* where the place goes with the collider */
    TlVec3 normal;
} Side;

static Side side_at(const TlContacts *contacts, int32_t cloth, int32_t i, TlVec3 x) {
    Side side = {.collider = i, .radius = contacts->radius[cloth * contacts->collider_count + i]};
    TlVec3 unused;
    side.distance = tl_collider_distance(&contacts->now[i], x, &side.normal);
    side.before = tl_collider_distance(&contacts->before[i], x, &unused);
    side.carried = tl_collider_carry_back(&contacts->now[i], &contacts->before[i], x);
    return side;
}

/* The colliders that touch a vertex at x, or hold it; answers how many. */
static int32_t sides_of(const TlContacts *contacts, int32_t cloth, TlVec3 x,
                        Side sides[MOST_NEAR]) {
    int32_t count = 0;
    for (int32_t i = 0; i < contacts->collider_count && count < MOST_NEAR; i++) {
        double r = contacts->radius[cloth * contacts->collider_count + i];
        if (!tl_is_beyond(&contacts->now[i], x, r) || !tl_is_beyond(&contacts->before[i], x, r)) {
            sides[count] = side_at(contacts, cloth, i, x);
            count += tl_min(sides[count].distance, sides[count].before) < r;
        }
    }
    return count;
}

static bool is_inside(const Side *side) {
    return tl_min(side->distance, side->before) < INSIDE * side->radius;
}

/* What two colliders leave to a vertex at x, over their contact distances. Those that stand still
 * leave what they leave: cloth finds its place there, or does not get in. */
static double room_between(const Side *a, const Side *b, TlVec3 x) {
    double room = tl_min(a->distance + b->distance, a->before + b->before);
    double facing = tl_dot3(a->normal, b->normal);
    double closing =
        tl_dot3(a->normal, tl_sub3(a->carried, x)) + tl_dot3(b->normal, tl_sub3(b->carried, x));
    bool inside = is_inside(a) && is_inside(b) && facing < ALIKE;
    bool moves = fabs(closing) > STILL * (a->radius + b->radius) && facing < FACING;
    return inside || moves ? room / (a->radius + b->radius) : (double)INFINITY;
}

static TlVec3 way_between(const TlContacts *contacts, int32_t cloth, const Side *a, const Side *b,
                          TlVec3 x) {
    TlVec3 to = tl_scale3(0.5, tl_add3(a->carried, b->carried));
    Side first = side_at(contacts, cloth, a->collider, to);
    Side second = side_at(contacts, cloth, b->collider, to);
    TlVec3 across = tl_sub3(first.normal, second.normal);
    TlVec3 centre = tl_scale3(0.25 * (second.distance - first.distance), across);
    double most = a->radius + b->radius, size = tl_length3(centre);
    to = tl_madd3(to, size > most ? most / size : 1.0, centre);
    return tl_sub3(to, x);
}

bool tl_contact_pinch(const TlContacts *contacts, int32_t cloth, TlVec3 x, TlVec3 *way) {
    if (contacts->collider_count < 2) {
        return false;
    }
    Side sides[MOST_NEAR];
    int32_t count = sides_of(contacts, cloth, x, sides), first = -1, second = -1;
    double least = ROOM;
    for (int32_t a = 0; a < count; a++) {
        for (int32_t b = a + 1; b < count; b++) {
            double room = room_between(&sides[a], &sides[b], x);
            if (room < least) {
                least = room;
                first = a;
                second = b;
            }
        }
    }
    if (first >= 0) {
        *way = way_between(contacts, cloth, &sides[first], &sides[second], x);
    }
    return first >= 0;
}
