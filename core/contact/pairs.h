/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs that may come to touch: a vertex and a triangle, or two edges. */
#ifndef TL_PAIRS_H
#define TL_PAIRS_H

#include "base/alloc.h"
#include "base/lanes.h"

/* Vertices A of the first thing, then B of the second: v | t0 t1 t2, or a0 a1 | b0 b1. Distances
 * are those of the closest points less what is solid around them. */
typedef struct TlPair {
    int32_t vertex[4];
    float least;  /* the distance is not smaller than this */
    float radius; /* contact distance */
    float solid;  /* sum of the radii of what is solid around A and B */
    float floor;  /* motion never brings them nearer than this */
} TlPair;

/* Vertices of cloth that are not kept apart from what is prescribed: what is pinched has no contact
 * with it at all, what is leaving is still pushed out of analytic colliders. */
enum { TL_PINCHED = 1, TL_LEAVING = 2 };

/* Whether a pair is of such a vertex and of what is prescribed, which are the vertices
 * from `cloth` on; `pinched` may be NULL. */
static inline bool tl_is_pinched(const uint8_t *pinched, int32_t cloth, const int32_t vertex[4]) {
    if (pinched == NULL || (vertex[0] < cloth && vertex[3] < cloth)) {
        return false;
    }
    bool any = false;
    for (int i = 0; i < 4; i++) {
        any = any || (vertex[i] < cloth && pinched[vertex[i]] != 0);
    }
    return any;
}

/* Vertices of crossings: pairs of cloth and a body, or of cloth alone, whose vertices all have that
 * mark may pass through each other. */
enum { TL_LOOSE_IN_BODIES = 1, TL_LOOSE_IN_CLOTH = 2 };

/* Whether a pair is of loose vertices alone; `loose` may be NULL. */
static inline bool tl_is_loose(const uint8_t *loose, int32_t cloth, const int32_t vertex[4]) {
    bool body = vertex[0] >= cloth || vertex[3] >= cloth;
    uint8_t bit = body ? TL_LOOSE_IN_BODIES : TL_LOOSE_IN_CLOTH;
    return loose != NULL &&
           (loose[vertex[0]] & loose[vertex[1]] & loose[vertex[2]] & loose[vertex[3]] & bit) != 0;
}

typedef struct TlPairs {
    TlPair *pair;
    int32_t vertex_triangle; /* the first so many are of vertices and triangles */
    int32_t count;
    int32_t capacity;
    int32_t growths; /* times memory was asked for */
} TlPairs;

/* What the sieve of pairs.c knows of a vertex: the middle of its box, its common motion, and half
 * the box with all that single precision loses; three numbers each. */
typedef struct TlSifted {
    TlFloat4 middle, common, half;
} TlSifted;

/* Where vertices may be: x_i + t common_i + e with low_i <= e <= high_i, for one t in [0, 1] that
 * all share. Cloth that moves together has nearly the same `common`, and meets nobody. 3 per
 * vertex. */
typedef struct TlSweep {
    const double *x, *common, *low, *high;
    const double *around; /* 1 per vertex: its part of how near is near, m; NULL: nothing */
    TlSifted *sifted;     /* 1 per vertex: work of the sieve in the cull; NULL: there is none */
    int32_t vertex_count; /* of `sifted` */
    const double *now;    /* where vertices are, at t = from; NULL: at x, and from is 0 */
    double from;          /* t is not smaller any more */
} TlSweep;

/* An edge and a triangle. */
typedef struct TlCrossing {
    int32_t edge, triangle;
    int32_t next; /* work: another one of the edges with the same first vertex; -1: none */
    double place; /* on the edge, 0 to 1 */
    bool back;    /* against the normal of the triangle */
} TlCrossing;

typedef struct TlCrossings {
    TlCrossing *at;
    int32_t count, capacity;
    int32_t growths;
} TlCrossings;

#endif
