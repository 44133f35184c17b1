/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Curvatures of the Koiter model at given positions: of a ring (the faces around a vertex) and of a
 * patch (a bilinear quad). The rest shape and the forces measure with the same functions, so that a
 * curved rest is free of force to the last bit.
 *
 * [DBD20] De Goes, Butts, Desbrun: Discrete differential operators on polygonal meshes, 2020,
 * adjoint gradient Eq. 24 and shape operator Eq. 26, with the metric of the rest shape:
 *     t_b = sum_i tangent_{i,b} x_i,  N_a = sum_f gradient_{f,a} n_f,
 *     b_ab = sym(N_a . t_b) / |nbar|^p,  nbar = sum_f weight_f n_f.
 * Positive curvature is a valley seen from the normals. */
#ifndef TL_KOITER_H
#define TL_KOITER_H

#include "base/vec.h"
#include "rest/sets.h"

/* |nbar| counts as at least this: a ring folded flat onto itself has no finite curvature */
#define TL_FOLD_FLOOR 0.1

/* A face by its diagonals d1 = p2 - p0 and d2 = p3 - p1; area vector d1 x d2 / 2. A triangle is a
 * quad whose last corner is its first: area, normal and their derivatives are the triangle's. */
typedef struct TlFacet {
    TlVec3 d1, d2;
    TlVec3 n;    /* unit normal; zero when the area is */
    double area; /* 0 below TL_LEAST_AREA */
} TlFacet;

static inline TlFacet tl_facet(TlVec3 d1, TlVec3 d2) {
    TlVec3 a = tl_scale3(0.5, tl_cross3(d1, d2));
    double area = tl_length3(a);
    if (!(area > TL_LEAST_AREA)) {
        return (TlFacet){.d1 = d1, .d2 = d2};
    }
    return (TlFacet){d1, d2, tl_scale3(1.0 / area, a), area};
}

/* Derivative of n for a change of the diagonals. */
static inline TlVec3 tl_facet_turn(const TlFacet *f, TlVec3 d1_change, TlVec3 d2_change) {
    if (!(f->area > 0.0)) {
        return (TlVec3){0, 0, 0};
    }
    TlVec3 a = tl_add3(tl_cross3(d1_change, f->d2), tl_cross3(f->d1, d2_change));
    return tl_scale3(0.5 / f->area, tl_madd3(a, -tl_dot3(f->n, a), f->n));
}

/* The transpose: gradient of y . n with respect to p2 (and minus p0) into `at_d1`, with respect to
 * p3 (and minus p1) into `at_d2`. */
static inline void tl_facet_pull(const TlFacet *f, TlVec3 y, TlVec3 *at_d1, TlVec3 *at_d2) {
    if (!(f->area > 0.0)) {
        *at_d1 = *at_d2 = (TlVec3){0, 0, 0};
        return;
    }
    TlVec3 c = tl_scale3(0.5 / f->area, tl_madd3(y, -tl_dot3(f->n, y), f->n));
    *at_d1 = tl_cross3(f->d2, c);
    *at_d2 = tl_cross3(c, f->d1);
}

/* Both sets of one list of rings. */
typedef struct TlRings {
    const TlRingSet *rings;
    const TlFanSet *fans;
} TlRings;

/* Difference of two corners of ring r, given as places in it. */
static inline TlVec3 tl_ring_edge(const TlRingSet *rings, const double *x, int32_t r, int32_t from,
                                  int32_t to) {
    const int32_t *vertex = rings->vertex + rings->first[r];
    return tl_sub3(tl_load3(x + 3 * (int64_t)vertex[to]), tl_load3(x + 3 * (int64_t)vertex[from]));
}

/* Face f of the list of all faces, which belongs to ring r. */
static inline TlFacet tl_ring_facet(TlRings set, const double *x, int32_t r, int32_t f) {
    const int32_t *c = set.fans->corner + 4 * (int64_t)f;
    return tl_facet(tl_ring_edge(set.rings, x, r, c[0], c[2]),
                    tl_ring_edge(set.rings, x, r, c[1], c[3]));
}

/* Tangents t_1, t_2; with velocities for x, their rates. */
static inline void tl_ring_tangents(const TlRingSet *rings, const double *x, int32_t r,
                                    TlVec3 t[2]) {
    const double *tangent = rings->tangent + 2 * (int64_t)rings->first[r];
    int32_t corners = rings->first[r + 1] - rings->first[r];
    t[0] = t[1] = (TlVec3){0, 0, 0};
    /* over differences to the vertex in the middle: the same sum, without large coordinates */
    for (int32_t i = 1; i < corners; i++) {
        TlVec3 d = tl_ring_edge(rings, x, r, 0, i);
        t[0] = tl_madd3(t[0], tangent[2 * i], d);
        t[1] = tl_madd3(t[1], tangent[2 * i + 1], d);
    }
}

/* The curvature of a ring and what its derivatives need. */
typedef struct TlRingShape {
    TlVec3 t[2], N[2], nbar;
    double scale; /* 1 / |nbar|^p */
    double fold;  /* p / |nbar|^2; 0 below the floor, where the scale is constant */
    double b[3];  /* b11, b22, b12 */
} TlRingShape;

static inline TlRingShape tl_ring_shape(TlRings set, int32_t p, const double *x, int32_t r) {
    TlRingShape s = {.scale = 1.0};
    tl_ring_tangents(set.rings, x, r, s.t);
    for (int32_t f = set.fans->first[r]; f < set.fans->first[r + 1]; f++) {
        TlVec3 n = tl_ring_facet(set, x, r, f).n;
        s.N[0] = tl_madd3(s.N[0], set.fans->gradient[2 * (int64_t)f], n);
        s.N[1] = tl_madd3(s.N[1], set.fans->gradient[2 * (int64_t)f + 1], n);
        s.nbar = tl_madd3(s.nbar, set.fans->weight[f], n);
    }
    double length = tl_length3(s.nbar);
    if (length > TL_FOLD_FLOOR) {
        s.fold = p / (length * length);
    }
    for (int32_t i = 0; i < p; i++) {
        s.scale /= tl_max(length, TL_FOLD_FLOOR);
    }
    s.b[0] = s.scale * tl_dot3(s.N[0], s.t[0]);
    s.b[1] = s.scale * tl_dot3(s.N[1], s.t[1]);
    s.b[2] = 0.5 * s.scale * (tl_dot3(s.N[0], s.t[1]) + tl_dot3(s.N[1], s.t[0]));
    return s;
}

/* A quad p0 p1 p2 p3: b = T . n with T = p0 - p1 + p2 - p3. */
typedef struct TlPatchShape {
    TlFacet facet;
    TlVec3 T;
    double b;
} TlPatchShape;

static inline TlPatchShape tl_patch_shape(const double *x, const int32_t vertex[4]) {
    TlVec3 p0 = tl_load3(x + 3 * (int64_t)vertex[0]), p1 = tl_load3(x + 3 * (int64_t)vertex[1]);
    TlVec3 p2 = tl_load3(x + 3 * (int64_t)vertex[2]), p3 = tl_load3(x + 3 * (int64_t)vertex[3]);
    TlPatchShape s = {.facet = tl_facet(tl_sub3(p2, p0), tl_sub3(p3, p1)),
                      .T = tl_sub3(tl_sub3(p0, p1), tl_sub3(p3, p2))};
    s.b = tl_dot3(s.T, s.facet.n);
    return s;
}

#endif
