/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Which vertices are pinched, and where they go; see pinch.h. It depends on where vertices and
 * colliders are alone, so that nothing has to be remembered. */
#include "contact/pinch.h"

enum { MOST_NEAR = 8 };
/* what is less than this part of both contact distances is no room */
#define ROOM 0.1
/* cosine of the directions of colliders that face each other, and of those that both hold a vertex
 * and have a common way out */
#define FACING (-0.1)
#define ALIKE 0.5

/* A collider at a vertex. */
typedef struct Side {
    int32_t collider;
    double distance, radius;
    TlVec3 normal;
} Side;

static Side side_at(const TlContacts *contacts, int32_t cloth, int32_t collider, TlVec3 x) {
    Side side = {.collider = collider,
                 .radius = contacts->radius[cloth * contacts->collider_count + collider]};
    side.distance = tl_collider_distance(&contacts->now[collider], x, &side.normal);
    return side;
}

/* The colliders that touch a vertex at x, or hold it; answers how many. */
static int32_t sides_of(const TlContacts *contacts, int32_t cloth, TlVec3 x,
                        Side sides[MOST_NEAR]) {
    int32_t count = 0;
    for (int32_t i = 0; i < contacts->collider_count && count < MOST_NEAR; i++) {
        double r = contacts->radius[cloth * contacts->collider_count + i];
        if (!tl_is_beyond(&contacts->now[i], x, r)) {
            sides[count] = side_at(contacts, cloth, i, x);
            count += sides[count].distance < r;
        }
    }
    return count;
}

/* Where what is at x before the step goes with a collider. */
static TlVec3 carried(const TlContacts *contacts, int32_t collider, TlVec3 x) {
    return tl_collider_carry_back(&contacts->now[collider], &contacts->before[collider], x);
}

/* What two colliders leave to a vertex at x, over their contact distances. Those that do not close
 * in leave what they leave: cloth finds its place there, or does not get in. */
static double room_between(const TlContacts *contacts, const Side *a, const Side *b, TlVec3 x) {
    double room = (a->distance + b->distance) / (a->radius + b->radius);
    double facing = tl_dot3(a->normal, b->normal);
    double closing = tl_dot3(a->normal, tl_sub3(carried(contacts, a->collider, x), x)) +
                     tl_dot3(b->normal, tl_sub3(carried(contacts, b->collider, x), x));
    bool inside = a->distance < 0.0 && b->distance < 0.0 && facing < ALIKE;
    return inside || (closing > 0.0 && facing < FACING) ? room : (double)INFINITY;
}

static TlVec3 way_between(const TlContacts *contacts, int32_t cloth, const Side *a, const Side *b,
                          TlVec3 x) {
    TlVec3 to = tl_scale3(
        0.5, tl_add3(carried(contacts, a->collider, x), carried(contacts, b->collider, x)));
    Side first = side_at(contacts, cloth, a->collider, to);
    Side second = side_at(contacts, cloth, b->collider, to);
    TlVec3 across = tl_sub3(first.normal, second.normal);
    TlVec3 centre = tl_scale3(0.25 * (second.distance - first.distance), across);
    double most = a->radius + b->radius, size = tl_length3(centre);
    to = tl_madd3(to, size > most ? most / size : 1.0, centre);
    return tl_sub3(to, x);
}

bool tl_contact_pinch(const TlContacts *contacts, int32_t cloth, TlVec3 x, TlVec3 *way) {
    Side sides[MOST_NEAR];
    int32_t count = sides_of(contacts, cloth, x, sides), first = -1, second = -1;
    double least = ROOM;
    for (int32_t a = 0; a < count; a++) {
        for (int32_t b = a + 1; b < count; b++) {
            double room = room_between(contacts, &sides[a], &sides[b], x);
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
