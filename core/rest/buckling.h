/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A strip that buckles into an arc: force and energy from the distance of its ends, exact and from
 * a table. Inline, because the table is made with the material and both are used by the force.
 *
 * [CK02] Choi, Ko: Stable but responsive cloth, 2002. [E] ElBadrawy, Hemayed: Speeding up cloth
 * simulation by linearizing the bending function of the physical mass-spring model, 2011 (the
 * table). A strip of length L and bending stiffness kb, ends y L apart, has y = sinc(u), u = kappa
 * L/2 in [0, pi]. With w = u^2, sinc is the entire function S(w) = 1 - w/6 + w^2/120 - ..., so that
 * nothing is singular: energy E = 1/2 kb L kappa^2 = kb/L 2 w, force dE/d|x| = kb/L^2 phi with phi
 * = 2/S'(w), from -12 at y = 1 to -4 pi^2 at y = 0. */
#ifndef TL_BUCKLING_H
#define TL_BUCKLING_H

#include <math.h>
#include <stdint.h>

typedef struct TlArc {
    double phi;    /* dE/d|x| L^2/kb; never positive: the ends are pushed apart */
    double slope;  /* d phi/dy */
    double energy; /* E L/kb: the integral of -phi from y to 1; exact arcs: (kappa L)^2/2 */
} TlArc;

/* phi at even steps of y from 0 to 1, linear between. */
typedef struct TlArcTable {
    int32_t intervals; /* 0: no table, arcs are exact */
    double *phi;       /* intervals + 1 */
    double *energy;    /* intervals + 1: the integral of -phi from there to 1 */
} TlArcTable;

enum { TL_ARC_TERMS = 12, TL_ARC_STEPS = 4 };

/* 1 - S(w) and its first two derivatives for w in [0, pi^2], to 1e-16. */
static inline void tl_arc_series(double w, double out[3]) {
    /* 1/(2n (2n + 1)) from n = 2 on: S = 1 - w/6 (1 - w/20 (1 - w/42 (...))) */
    static const double c[TL_ARC_TERMS] = {1.0 / 20,  1.0 / 42,  1.0 / 72,  1.0 / 110,
                                           1.0 / 156, 1.0 / 210, 1.0 / 272, 1.0 / 342,
                                           1.0 / 420, 1.0 / 506, 1.0 / 600, 1.0 / 702};
    double v = 1.0, dv = 0.0, ddv = 0.0;
    for (int n = TL_ARC_TERMS - 1; n >= 0; n--) {
        double cw = c[n] * w;
        ddv = -(2.0 * c[n] * dv + cw * ddv);
        dv = -(c[n] * v + cw * dv);
        v = 1.0 - cw * v;
    }
    out[0] = w * v / 6.0;
    out[1] = (v + w * dv) / 6.0;
    out[2] = (2.0 * dv + w * ddv) / 6.0;
}

/* The exact arc whose ends have come closer by d = 1 - y, in [0, 1]. Newton on 1 - S(w) = d; the
 * left side is concave and rising, so that every step but the first climbs and none passes the
 * root. */
static inline TlArc tl_arc(double d) {
    /* the inverse series to third order, the last term meets w = pi^2 at d = 1: within 2.2 % */
    double w = 6.0 * d * (1.0 + d * (0.3 + d * (24.0 / 175 + d * 0.2077912097)));
    double s[3];
    tl_arc_series(w, s);
    for (int k = 0; k < TL_ARC_STEPS; k++) {
        double step = (d - s[0]) / s[1];
        w += step;
        tl_arc_series(w, s);
        /* the next step would be below the square of this one */
        if (fabs(step) <= 1e-8 * w) {
            break;
        }
    }
    double phi = -2.0 / s[1];
    return (TlArc){phi, 0.25 * phi * phi * phi * s[2], 2.0 * w};
}

/* [E]: the arc from a table, its interval found directly. y in [0, 1). */
static inline TlArc tl_arc_from_table(const TlArcTable *table, double y) {
    int32_t n = table->intervals, i = (int32_t)(y * n);
    i = i < n ? i : n - 1;
    double part = y * n - i, rise = table->phi[i + 1] - table->phi[i];
    double phi = table->phi[i] + part * rise;
    double left = 0.5 * (1.0 - part) / n * (phi + table->phi[i + 1]);
    return (TlArc){phi, n * rise, table->energy[i + 1] - left};
}

/* Whichever is meant, for ends at y L. */
static inline TlArc tl_arc_at(const TlArcTable *table, double y) {
    return table->intervals > 0 ? tl_arc_from_table(table, y) : tl_arc(1.0 - y);
}

#endif
