/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Contact and friction of cloth vertices with analytic colliders, as terms of the step's potential.
 */
#ifndef TL_RESPONSE_H
#define TL_RESPONSE_H

#include "contact/collider.h"

typedef struct TlWorld TlWorld;

/* Colliders during one step. */
typedef struct TlContacts {
    int32_t collider_count;
    const TlPlaced *now;    /* at the end of the step */
    const TlPlaced *before; /* at its start */
    const double
        *radius; /* contact distance, per cloth and collider: [cloth * collider_count + collider] */
    const double *friction; /* same order */
    double slip_m;  /* slip below which friction is smoothed: eps_v dt; 0: no friction (static) */
    double left;    /* steps of this length until the frame ends; below 1: not known */
    TlWorld *world; /* contact of surfaces; NULL: none */
    const double *points_before,
        *points_now; /* vertices of colliders at start and end of the step */
} TlContacts;

/* Whether there is nothing but cloth that passes through itself. */
static inline bool tl_contacts_none(const TlContacts *contacts) {
    return contacts->world == NULL && contacts->collider_count == 0;
}

/* Whether a vertex at x is by `more` beyond its contact distance from all colliders where they are
 * `placed`: quick, and inlined, for the many that nothing happens to. */
static inline bool tl_is_clear(const TlContacts *contacts, const TlPlaced *placed, int32_t cloth,
                               TlVec3 x, double more) {
    const double *radius = contacts->radius + (int64_t)cloth * contacts->collider_count;
    for (int32_t i = 0; i < contacts->collider_count; i++) {
        if (!tl_is_beyond(&placed[i], x, radius[i] + more)) {
            return false;
        }
    }
    return true;
}

/* The friction a vertex feels, held fixed while the potential is minimised along one direction. */
typedef struct TlFriction {
    TlVec3 normal;
    TlVec3 origin; /* where the vertex would be had it stuck to the collider */
    double force;  /* mu times the normal force, N; 0: none */
} TlFriction;

/* What contact works against: the force of all else, and the inertia in the step, N/m. */
typedef struct TlDrive {
    TlVec3 force;
    double inertia;
} TlDrive;

/* a load that presses cloth through its contact distance, Pa */
#define TL_CONTACT_PRESSURE 1000.0
/* stiffness of the near part over that of the far one */
#define TL_HARD 10.0

/* How stiff a contact is, N/m: within its distance r, and in addition where it gets near. */
typedef struct TlStiffness {
    float soft, hard;
} TlStiffness;

/* Of what is pressed over an area, m^2, and meets through its distance r under `pressure`, Pa. */
TlStiffness tl_contact_stiffness(double area, double pressure, double r);
/* The potential over a distance d, N m, with its first and second derivative. */
double tl_contact_potential(TlStiffness k, double r, double d, double *first, double *second);
/* Normal potential of one vertex of area `area`. */
double tl_contact_value(const TlContacts *contacts, int32_t cloth, double area, TlVec3 x);
/* Adds gradient and projected Hessian (9) of the normal potential; answers the deepest contact's
 * collider, or -1, and its force. */
int32_t tl_contact_derive(const TlContacts *contacts, int32_t cloth, double area, TlVec3 x,
                          double grad[3], double hess[9], double *force, TlVec3 *normal);
/* The largest force that friction knows: that at the surface. What is deep in a collider would else
 * be held there by all that drives it out. */
double tl_contact_most_grip(const TlContacts *contacts, int32_t cloth, int32_t collider,
                            double area);
/* What is left of the motion u of something that is `apart` from its contact distance when it ends
 * there; n: away from what it meets. */
TlVec3 tl_contact_stop(TlVec3 n, double apart, TlVec3 u);
/* The same at all colliders, of a vertex at x. */
TlVec3 tl_contact_stop_all(const TlContacts *contacts, int32_t cloth, TlVec3 x, TlVec3 u);
/* where motion to a contact ends, over its distance: three Pascals deep, more than most cloth
 * weighs */
#define TL_LANDED 0.997
/* What is left of the motion u of something at a distance d, beyond its contact distance r, when it
 * ends there. */
TlVec3 tl_contact_land_on(TlVec3 n, double d, double r, TlVec3 u);
/* The same at all colliders, of a vertex at x that is not yet in contact. What is goes as deep as
 * it has to. */
TlVec3 tl_contact_land(const TlContacts *contacts, int32_t cloth, TlVec3 x, TlVec3 u);
/* The same for the linear solve alone where x is not yet in contact, but would be after `ahead`,
 * less what the forces of its cloth, `drive`, hold back of it: adds the potential as it is behind
 * the contact distance, and in `push` its force. Answers whether there is any. */
bool tl_contact_ahead(const TlContacts *contacts, int32_t cloth, double area, TlVec3 x,
                      TlVec3 ahead, const TlDrive *drive, double hess[9], double push[3]);
/* Friction at the deepest contact for a vertex that stood at x_start. */
TlFriction tl_friction_lag(const TlContacts *contacts, int32_t cloth, int32_t collider,
                           double force, TlVec3 normal, TlVec3 x, TlVec3 x_start);
double tl_friction_value(const TlFriction *friction, double slip_m, TlVec3 x);
/* Adds gradient and Hessian (9); `drive` of NULL: the exact Hessian. */
void tl_friction_derive(const TlFriction *friction, double slip_m, const TlDrive *drive, TlVec3 x,
                        double grad[3], double hess[9]);

/* Least distance a vertex may end at, over the contact distance. */
#define TL_LEAST_GAP 1e-3

/* Moves x out of every collider, to at least `part` of the contact distance from it; answers
 * whether it moved. A vertex that comes `from` a nearer place (may be NULL) may go on to 0.6 of
 * its distance there, so that high pressure is reached in a few steps, each safe; TL_LEAST_GAP is
 * kept in any case. Colliders that overlap may leave no such place; see tl_contact_depth. */
bool tl_contact_project(const TlContacts *contacts, int32_t cloth, double part, const TlVec3 *from,
                        TlVec3 *x);
/* How far x is inside the colliders; 0 when outside of all. */
double tl_contact_depth(const TlContacts *contacts, TlVec3 x);

#endif
