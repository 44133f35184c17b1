/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Contact potential per vertex, a function of the distance d to a collider:
 *
 *   d >= r          0
 *   d < r           soft/2 (r - d)^2
 *   d < d1 = r/2    in addition hard (d - d1)^2 ln(d1/d), which has no end: whatever presses finds
 *                   its balance before the distance that motion keeps, where it could not slide
 *   d < d0          its quadratic continuation, so that it is finite everywhere; d0 = r/200
 *
 * soft = area * pressure / r: a load of that pressure presses the cloth through its contact
 * distance, whatever the mesh. Friction is Coulomb's, lagged: the normal force and the tangent
 * plane are those of the current Newton iterate, the slip counts from the place the vertex would
 * have had it stuck. f1(y) = 2y - y^2 for y = slip/slip_m < 1 smooths the start; the Hessian of
 * that potential is never negative; it is exact where motion goes on; where friction would turn it
 * round within the step it is so much more that motion ends, and where cloth is pulled off so much
 * less. The projection is the hard guarantee that no vertex ends inside a collider. [CIPC] Li,
 * Kaufman, Jiang: Codimensional incremental potential contact, 2021, for the lagged friction
 * potential. */
#include "contact/response.h"

#include "base/elementary.h"

/* how far motion goes on to a contact, over the way to it */
#define ENTERED 1.001
/* slip that has no direction, over slip_m */
#define LEAST_SLIP 1e-9
#define SOFT_END 5e-3       /* d0 over r */
#define NEAR 0.5            /* d1 over r */
#define APPROACH 0.6        /* a step may take a vertex to this part of its distance */
#define PROJECTION_ROUNDS 8 /* for places between colliders */

TlStiffness tl_contact_stiffness(double area, double pressure, double r) {
    double k = area * pressure / r;
    return (TlStiffness){(float)k, (float)(TL_HARD * k)};
}

double tl_contact_potential(TlStiffness k, double r, double d, double *first, double *second) {
    double soft = (double)k.soft, near = NEAR * r, value = 0.5 * soft * (r - d) * (r - d);
    *first = -soft * (r - d);
    *second = soft;
    if (d < near) {
        double d0 = SOFT_END * r, at = d > d0 ? d : d0, past = d - at, hard = (double)k.hard;
        double e = at - near, ln = tl_ln(near / at);
        double slope = hard * (2.0 * e * ln - e * e / at);
        double bend = hard * (2.0 * ln - 4.0 * e / at + e * e / (at * at));
        value += hard * e * e * ln + (slope + 0.5 * bend * past) * past;
        *first += slope + bend * past;
        *second += bend;
    }
    return value;
}

double tl_contact_value(const TlContacts *contacts, int32_t cloth, double area, TlVec3 x) {
    double total = 0.0, first, second;
    TlVec3 n;
    for (int32_t i = 0; i < contacts->collider_count; i++) {
        double r = contacts->radius[cloth * contacts->collider_count + i];
        if (tl_is_beyond(&contacts->now[i], x, r)) {
            continue;
        }
        double d = tl_collider_distance(&contacts->now[i], x, &n);
        if (d < r) {
            TlStiffness k = tl_contact_stiffness(area, TL_CONTACT_PRESSURE, r);
            total += tl_contact_potential(k, r, d, &first, &second);
        }
    }
    return total;
}

int32_t tl_contact_derive(const TlContacts *contacts, int32_t cloth, double area, TlVec3 x,
                          double grad[3], double hess[9], double *force, TlVec3 *normal) {
    int32_t deepest = -1;
    *force = 0.0;
    for (int32_t i = 0; i < contacts->collider_count; i++) {
        double r = contacts->radius[cloth * contacts->collider_count + i], first, second;
        TlVec3 n;
        if (tl_is_beyond(&contacts->now[i], x, r)) {
            continue;
        }
        double d = tl_collider_distance(&contacts->now[i], x, &n);
        if (d >= r) {
            continue;
        }
        tl_contact_potential(tl_contact_stiffness(area, TL_CONTACT_PRESSURE, r), r, d, &first,
                             &second);
        const double a[3] = {n.x, n.y, n.z};
        for (int j = 0; j < 3; j++) {
            grad[j] += first * a[j];
            for (int k = 0; k < 3; k++) {
                hess[3 * j + k] += second * a[j] * a[k];
            }
        }
        if (-first > *force) {
            *force = -first;
            *normal = n;
            deepest = i;
        }
    }
    return deepest;
}

double tl_contact_most_grip(const TlContacts *contacts, int32_t cloth, int32_t collider,
                            double area) {
    double r = contacts->radius[cloth * contacts->collider_count + collider], first, second;
    tl_contact_potential(tl_contact_stiffness(area, TL_CONTACT_PRESSURE, r), r, SOFT_END * r,
                         &first, &second);
    return -first;
}

TlVec3 tl_contact_stop(TlVec3 n, double apart, TlVec3 u) {
    double most = ENTERED * tl_max(apart, 0.0), nearer = -tl_dot3(n, u);
    return nearer > most ? tl_madd3(u, nearer - most, n) : u;
}

TlVec3 tl_contact_stop_all(const TlContacts *contacts, int32_t cloth, TlVec3 x, TlVec3 u) {
    for (int32_t i = 0; i < contacts->collider_count; i++) {
        double r = contacts->radius[cloth * contacts->collider_count + i];
        TlVec3 n;
        if (!tl_is_beyond(&contacts->now[i], x, r + tl_length3(u))) {
            double d = tl_collider_distance(&contacts->now[i], x, &n);
            u = tl_contact_stop(n, d - r, u);
        }
    }
    return u;
}

TlVec3 tl_contact_land_on(TlVec3 n, double d, double r, TlVec3 u) {
    return tl_contact_stop(n, (d - TL_LANDED * r) / ENTERED, u);
}

TlVec3 tl_contact_land(const TlContacts *contacts, int32_t cloth, TlVec3 x, TlVec3 u) {
    for (int32_t i = 0; i < contacts->collider_count; i++) {
        double r = contacts->radius[cloth * contacts->collider_count + i];
        TlVec3 n, unused;
        if (tl_is_beyond(&contacts->now[i], x, r + tl_length3(u))) {
            continue;
        }
        double d = tl_collider_distance(&contacts->now[i], x, &n);
        /* what passes beside does not come to it */
        if (d > r &&
            tl_collider_distance(&contacts->now[i], tl_add3(x, u), &unused) < TL_LANDED * r) {
            u = tl_contact_land_on(n, d, r, u);
        }
    }
    return u;
}

bool tl_contact_ahead(const TlContacts *contacts, int32_t cloth, double area, TlVec3 x,
                      TlVec3 ahead, const TlDrive *drive, double hess[9], double push[3]) {
    bool any = false;
    for (int32_t i = 0; i < contacts->collider_count; i++) {
        double r = contacts->radius[cloth * contacts->collider_count + i];
        TlVec3 n;
        if (tl_is_beyond(&contacts->now[i], x, r + tl_length3(ahead))) {
            continue;
        }
        double d = tl_collider_distance(&contacts->now[i], x, &n);
        /* what cloth holds back does not come */
        double coming = tl_dot3(n, ahead);
        coming += tl_min(tl_max(0.0, tl_dot3(n, drive->force) / drive->inertia), -coming);
        if (d < r || d + coming >= r) {
            continue;
        }
        const double a[3] = {n.x, n.y, n.z}, stiffness = area * TL_CONTACT_PRESSURE / r;
        for (int j = 0; j < 3; j++) {
            push[j] += stiffness * (r - d) * a[j];
            for (int k = 0; k < 3; k++) {
                hess[3 * j + k] += stiffness * a[j] * a[k];
            }
        }
        any = true;
    }
    return any;
}

TlFriction tl_friction_lag(const TlContacts *contacts, int32_t cloth, int32_t collider,
                           double force, TlVec3 normal, TlVec3 x, TlVec3 x_start) {
    double mu = contacts->friction[cloth * contacts->collider_count + collider];
    /* the collider's own motion at this place during the step */
    TlVec3 was = tl_collider_carry_back(&contacts->before[collider], &contacts->now[collider], x);
    return (TlFriction){normal, tl_add3(x_start, tl_sub3(x, was)), mu * force};
}

static TlVec3 slip_of(const TlFriction *friction, TlVec3 x) {
    TlVec3 d = tl_sub3(x, friction->origin);
    return tl_madd3(d, -tl_dot3(d, friction->normal), friction->normal);
}

double tl_friction_value(const TlFriction *friction, double slip_m, TlVec3 x) {
    double s = tl_length3(slip_of(friction, x)), y = s / slip_m;
    return friction->force * (y < 1.0 ? slip_m * (y * y - y * y * y / 3.0) : s - slip_m / 3.0);
}

void tl_friction_derive(const TlFriction *friction, double slip_m, const TlDrive *drive, TlVec3 x,
                        double grad[3], double hess[9]) {
    TlVec3 slip = slip_of(friction, x);
    double s = tl_length3(slip), y = s / slip_m;
    bool moves = y > LEAST_SLIP;
    /* stiffness across the slip and along it; both are never negative */
    double k = friction->force * (y < 1.0 ? (2.0 - y) / slip_m : 1.0 / s);
    double along = y < 1.0 ? friction->force * (2.0 - 2.0 * y) / slip_m : 0.0;
    /* friction stops motion within the step, but does not turn it round */
    if (drive != NULL && moves) {
        along = tl_max(along, k - tl_dot3(drive->force, slip) / (s * s) - drive->inertia);
    }
    if (drive != NULL && y < 1.0) {
        /* nor does it hold what is pulled off in this step: the secant to where that comes */
        TlVec3 pull =
            tl_madd3(drive->force, -tl_dot3(drive->force, friction->normal), friction->normal);
        double way =
            (tl_length3(tl_madd3(pull, drive->inertia, slip)) - friction->force) / drive->inertia;
        if (way > slip_m) {
            k = along = friction->force / way;
        }
    }
    const double n[3] = {friction->normal.x, friction->normal.y, friction->normal.z};
    const double d[3] = {slip.x, slip.y, slip.z};
    double turn = moves ? (along - k) / (s * s) : 0.0;
    for (int i = 0; i < 3; i++) {
        grad[i] += k * d[i];
        for (int j = 0; j < 3; j++) {
            hess[3 * i + j] += k * ((i == j ? 1.0 : 0.0) - n[i] * n[j]) + turn * d[i] * d[j];
        }
    }
}

/* Distance to be kept from collider i, by who is d away: that of its contact distance, or less
 * where it comes `from` near by. */
static double gap_of(const TlContacts *contacts, int32_t i, double r, double part,
                     const TlVec3 *from, double d) {
    double gap = tl_max(part, TL_LEAST_GAP) * r;
    if (from != NULL && d < gap) {
        TlVec3 n;
        double was = tl_collider_distance(&contacts->now[i], *from, &n);
        gap = tl_max(tl_min(part * r, APPROACH * was), TL_LEAST_GAP * r);
    }
    return gap;
}

bool tl_contact_project(const TlContacts *contacts, int32_t cloth, double part, const TlVec3 *from,
                        TlVec3 *x) {
    bool moved = false;
    for (int32_t round = 0; round < PROJECTION_ROUNDS; round++) {
        bool clear = true;
        for (int32_t i = 0; i < contacts->collider_count; i++) {
            TlVec3 n;
            double r = contacts->radius[cloth * contacts->collider_count + i];
            if (tl_is_beyond(&contacts->now[i], *x, r)) {
                continue; /* gaps are smaller */
            }
            double d = tl_collider_distance(&contacts->now[i], *x, &n);
            double gap = gap_of(contacts, i, r, part, from, d);
            if (d < gap) {
                *x = tl_madd3(*x, gap - d, n);
                moved = true;
                clear = false;
            }
        }
        if (clear) {
            break;
        }
    }
    return moved;
}

double tl_contact_depth(const TlContacts *contacts, TlVec3 x) {
    double depth = 0.0;
    TlVec3 n;
    for (int32_t i = 0; i < contacts->collider_count; i++) {
        if (!tl_is_beyond(&contacts->now[i], x, 0.0)) {
            depth = tl_max(depth, -tl_collider_distance(&contacts->now[i], x, &n));
        }
    }
    return depth;
}
