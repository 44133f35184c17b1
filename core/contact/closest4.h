/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Closest points of four pairs side by side, to be inlined where distances are needed. All other
 * distances are made of these, so that they have the same bits.
 *
 * Every result is a point of either thing, whatever the shape: a triangle's closest point is the
 * nearest of those on its edges and, where the foot of the vertex lies inside, of that foot; on two
 * edges it is the foot of the common perpendicular, moved into the one and then into the other
 * ([E05] Ericson: Real-time collision detection, 2005, 5.1.9). Coordinates are those of a
 * perpendicular got by cross products, which keep their digits on slivers and nearly parallel edges
 * where products of lengths lose them; an edge or triangle without extent has its first vertex
 * for all of it. */
#ifndef TL_CLOSEST4_H
#define TL_CLOSEST4_H

#include "base/lanes.h"
#include "base/vec.h"
#include "contact/pairs.h"

/* A vector in each lane. */
typedef struct TlVec4 {
    TlDouble4 x, y, z;
} TlVec4;

/* Of four pairs what TlClosest is of one. */
typedef struct TlClosest4 {
    TlDouble4 weight[4];
    TlVec4 normal;
    TlDouble4 distance;
} TlClosest4;

/* A triangle whose altitude is less than 1e-7 of its longest side, squared, is as good as its
 * edges.
 */
#define TL_SLIVER2 1e-14
/* 1 and what rounding makes of the square of a distance that is a millionth of the size. */
#define TL_CORNER2 (1.0 + 1e-9)
/* Squares of lengths below this have lost digits: such things touch, or have no extent. */
#define TL_TINY2 1e-280

/* yes where the mask says so, else no. */
TL_INLINE TlDouble4 tl_choose4(TlBits4 mask, TlDouble4 yes, TlDouble4 no) {
    return (TlDouble4)(((TlBits4)yes & mask) | ((TlBits4)no & ~mask));
}
/* The smaller of each; a where b is not a number. */
TL_INLINE TlDouble4 tl_min4(TlDouble4 a, TlDouble4 b) {
    return tl_choose4((TlBits4)(b < a), b, a);
}
TL_INLINE TlVec4 tl_sub4(TlVec4 a, TlVec4 b) {
    return (TlVec4){a.x - b.x, a.y - b.y, a.z - b.z};
}
TL_INLINE TlVec4 tl_scale4(TlDouble4 s, TlVec4 a) {
    return (TlVec4){s * a.x, s * a.y, s * a.z};
}
/* a - s b */
TL_INLINE TlVec4 tl_less4(TlVec4 a, TlDouble4 s, TlVec4 b) {
    return (TlVec4){a.x - s * b.x, a.y - s * b.y, a.z - s * b.z};
}
TL_INLINE TlDouble4 tl_dot4(TlVec4 a, TlVec4 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
TL_INLINE TlVec4 tl_cross4(TlVec4 a, TlVec4 b) {
    return (TlVec4){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
TL_INLINE TlVec4 tl_choose_vec4(TlBits4 mask, TlVec4 yes, TlVec4 no) {
    return (TlVec4){tl_choose4(mask, yes.x, no.x), tl_choose4(mask, yes.y, no.y),
                    tl_choose4(mask, yes.z, no.z)};
}

/* Vertex `corner` of four pairs. Two numbers at a time: taken one by one they wait for each other
 * in the one unit that shuffles. */
TL_INLINE TlVec4 tl_gather4(const double *x, const TlPair *const pair[4], int corner) {
    const double *a = x + 3 * (int64_t)pair[0]->vertex[corner];
    const double *b = x + 3 * (int64_t)pair[1]->vertex[corner];
    const double *c = x + 3 * (int64_t)pair[2]->vertex[corner];
    const double *d = x + 3 * (int64_t)pair[3]->vertex[corner];
    TlDouble2 a01, b01, c01, d01;
    __builtin_memcpy(&a01, a, sizeof a01);
    __builtin_memcpy(&b01, b, sizeof b01);
    __builtin_memcpy(&c01, c, sizeof c01);
    __builtin_memcpy(&d01, d, sizeof d01);
    TlDouble4 ac = __builtin_shufflevector(a01, c01, 0, 1, 2, 3);
    TlDouble4 bd = __builtin_shufflevector(b01, d01, 0, 1, 2, 3);
    return (TlVec4){__builtin_shufflevector(ac, bd, 0, 4, 2, 6),
                    __builtin_shufflevector(ac, bd, 1, 5, 3, 7),
                    {a[2], b[2], c[2], d[2]}};
}

/* A number of single precision that is not larger. */
static inline float tl_float_below(double a) {
    return (float)(a - fabs(a) * 2.5e-7 - 1e-37);
}

/* a/b from 0 to 1; 0 where b is 0. */
TL_INLINE TlDouble4 tl_part4(TlDouble4 a, TlDouble4 b) {
    const TlDouble4 zero = tl_double4(0.0), one = tl_double4(1.0);
    TlDouble4 part = a / tl_choose4((TlBits4)(b > TL_TINY2), b, one);
    part = tl_choose4((TlBits4)((b > TL_TINY2) & (part > 0.0)), part, zero);
    return tl_choose4((TlBits4)(part < 1.0), part, one);
}

/* Unit normal and length of the way `apart` from B to A. Where `flat`, `across` is perpendicular to
 * both things, and the better direction if it is longer than that way times `side`. */
TL_INLINE void tl_direct4(TlVec4 apart, TlBits4 flat, TlVec4 across, TlDouble4 side2,
                          TlClosest4 *out) {
    const TlDouble4 zero = tl_double4(0.0), one = tl_double4(1.0);
    TlDouble4 d2 = tl_dot4(apart, apart), across2 = tl_dot4(across, across);
    TlBits4 better = flat & (TlBits4)(across2 > d2 * side2) & (TlBits4)(across2 > TL_TINY2);
    TlDouble4 sign = tl_sign4(tl_dot4(apart, across));
    TlVec4 way = tl_choose_vec4(better, tl_scale4(sign, across), apart);
    TlBits4 some = (TlBits4)(d2 > TL_TINY2);
    TlDouble4 length = tl_sqrt4(tl_choose4(some, tl_choose4(better, across2, d2), one));
    out->normal = tl_scale4(tl_choose4(some, one / length, zero), way);
    out->distance = tl_dot4(out->normal, apart);
}

/* The nearest point on an edge so far: the way from it, the square of that, weights of corners. */
typedef struct TlOnEdges {
    TlVec4 apart;
    TlDouble4 d2;
    TlDouble4 weight[3];
} TlOnEdges;

/* The edge `e` from corner i to corner j, with p seen from corner i, takes over where it is nearer.
 * A corner counts as a little farther than it is: beside it an edge has nearly the same distance,
 * and the better normal. */
TL_INLINE void tl_try_edge4(TlVec4 e, TlVec4 p, int i, int j, TlOnEdges *best) {
    TlDouble4 t = tl_part4(tl_dot4(p, e), tl_dot4(e, e));
    TlVec4 apart = tl_less4(p, t, e);
    TlDouble4 d2 = tl_dot4(apart, apart);
    d2 = tl_choose4((TlBits4)((t > 0.0) & (t < 1.0)), d2, d2 * TL_CORNER2);
    TlBits4 nearer = (TlBits4)(d2 < best->d2);
    best->apart = tl_choose_vec4(nearer, apart, best->apart);
    best->d2 = tl_choose4(nearer, d2, best->d2);
    best->weight[i] = tl_choose4(nearer, 1.0 - t, best->weight[i]);
    best->weight[j] = tl_choose4(nearer, t, best->weight[j]);
    best->weight[3 - i - j] = tl_choose4(nearer, tl_double4(0.0), best->weight[3 - i - j]);
}

/* The longer of two sides, and the square of its length. */
TL_INLINE void tl_longer4(TlVec4 e, TlVec4 *side, TlDouble4 *side2) {
    TlDouble4 e2 = tl_dot4(e, e);
    TlBits4 longer = (TlBits4)(e2 > *side2);
    *side = tl_choose_vec4(longer, e, *side);
    *side2 = tl_choose4(longer, e2, *side2);
}

TL_INLINE TlClosest4 tl_closest_vertex_triangle4(const TlVec4 x[4]) {
    const TlDouble4 zero = tl_double4(0.0);
    TlVec4 ab = tl_sub4(x[2], x[1]), ac = tl_sub4(x[3], x[1]), bc = tl_sub4(x[3], x[2]);
    TlVec4 p = tl_sub4(x[0], x[1]), q = tl_sub4(x[0], x[2]);
    TlOnEdges on = {p, tl_dot4(p, p) * TL_CORNER2, {tl_double4(1.0), zero, zero}};
    tl_try_edge4(ab, p, 0, 1, &on);
    tl_try_edge4(bc, q, 1, 2, &on);
    tl_try_edge4(ac, p, 0, 2, &on);
    /* the foot on the plane, by areas; the plane of a sliver is not known, but its edges will do */
    TlVec4 N = tl_cross4(ab, ac);
    TlDouble4 side2 = tl_dot4(ab, ab);
    TlVec4 side = ab;
    tl_longer4(ac, &side, &side2);
    tl_longer4(bc, &side, &side2);
    TlBits4 wide = (TlBits4)(tl_dot4(N, N) > TL_SLIVER2 * (side2 * side2));
    TlDouble4 wa = tl_dot4(N, tl_cross4(bc, q)), wb = tl_dot4(N, tl_cross4(p, ac));
    TlDouble4 wc = tl_dot4(N, tl_cross4(ab, p)), sum = wa + wb + wc;
    TlBits4 inside = wide & (TlBits4)((wa > 0.0) & (wb > 0.0) & (wc > 0.0) & (sum > TL_TINY2));
    TlDouble4 scale = 1.0 / tl_choose4(inside, sum, tl_double4(1.0));
    wb *= scale;
    wc *= scale;
    TlVec4 apart = tl_less4(tl_less4(p, wb, ab), wc, ac);
    TlClosest4 out;
    out.weight[0] = tl_double4(1.0);
    out.weight[1] = 0.0 - tl_choose4(inside, wa * scale, on.weight[0]);
    out.weight[2] = 0.0 - tl_choose4(inside, wb, on.weight[1]);
    out.weight[3] = 0.0 - tl_choose4(inside, wc, on.weight[2]);
    /* a plane that tilts, by rounding, about the longest side is as good */
    N = tl_less4(N, tl_dot4(N, side) / tl_choose4(inside, side2, tl_double4(1.0)), side);
    tl_direct4(tl_choose_vec4(inside, apart, on.apart), inside, N, zero, &out);
    return out;
}

TL_INLINE TlClosest4 tl_closest_edges4(const TlVec4 x[4]) {
    TlVec4 u = tl_sub4(x[1], x[0]), v = tl_sub4(x[3], x[2]), r = tl_sub4(x[2], x[0]);
    TlVec4 N = tl_cross4(u, v);
    TlDouble4 u2 = tl_dot4(u, u), v2 = tl_dot4(v, v), uv = tl_dot4(u, v), N2 = tl_dot4(N, N);
    /* the perpendicular's foot on A, then the nearest to it on B */
    TlDouble4 s = tl_part4(tl_dot4(tl_cross4(r, v), N), N2);
    TlDouble4 t = tl_part4(tl_dot4(tl_less4(tl_scale4(s, u), tl_double4(1.0), r), v), v2);
    /* at an end of B: the nearest to that on A */
    TlBits4 at_end = (TlBits4)((t <= 0.0) | (t >= 1.0));
    s = tl_choose4(at_end, tl_part4(tl_dot4(r, u) + t * uv, u2), s);
    TlVec4 apart = tl_less4(tl_less4(tl_scale4(s, u), tl_double4(1.0), r), t, v);
    TlClosest4 out;
    out.weight[0] = 1.0 - s;
    out.weight[1] = s;
    out.weight[2] = t - 1.0;
    out.weight[3] = 0.0 - t;
    TlBits4 within = (TlBits4)((s > 0.0) & (s < 1.0)) & ~at_end;
    /* the longer edge, seen across the other, is larger than the distance: N is the better normal
     */
    tl_direct4(apart, within, N, tl_min4(u2, v2), &out);
    return out;
}

TL_INLINE TlClosest4 tl_closest4(const TlVec4 x[4], bool edges) {
    return edges ? tl_closest_edges4(x) : tl_closest_vertex_triangle4(x);
}

#endif
