/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The guarantee: how far every vertex may go on its way so that no pair comes to touch. */
#ifndef TL_TRUNCATE_H
#define TL_TRUNCATE_H

#include "base/parallel.h"
#include "contact/pairs.h"

/* Vertex i goes from x_i to x_i + s_i u_i. */
typedef struct TlMove {
    int32_t vertex_count;
    const double *x, *u; /* 3 per vertex */
    double *s;           /* per vertex: on entry what it may do at most, 0 to 1 */
    const uint8_t
        *loose; /* per vertex, see pairs.h; pairs that are loose are not looked at; NULL: none */
    const uint8_t *pinched; /* per vertex: is not kept apart from what is prescribed; NULL: none */
    int32_t cloth;          /* vertices from this one on are prescribed */
} TlMove;

/* Work arrays, which grow as needed. */
typedef struct TlTruncation TlTruncation;

typedef struct TlTruncated {
    bool ok;     /* false: memory was refused, and nothing may move */
    int32_t cut; /* vertices that got less than they asked for */
    int32_t passes;
    int32_t measured; /* pairs whose distance was needed */
    int32_t growths;  /* times work arrays were made larger, since they were built */
} TlTruncated;

TlTruncation *tl_truncation_build(TlArena *arena);
/* Lowers s until every pair stays apart at all times of the move, and `least` of every pair to what
 * holds after it. Both also hold for part of the move: all s times one number from 0 to 1, and no
 * other change of s. u must be finite. Memory is asked for on the calling thread, when there are
 * more vertices, pairs or cuts than ever before. */
TlTruncated tl_truncate(TlTruncation *truncation, TlPool *pool, TlArena *arena, TlPairs *pairs,
                        const TlMove *move);

/* Takes out the pairs that stay farther apart than their radius whatever their vertices do within
 * the sweep, fills `least`; radius, solid and floor must be filled. The others keep their order.
 * Boxes count as motion, without what is around vertices. */
void tl_pairs_cull(TlPool *pool, TlPairs *pairs, const TlSweep *sweep);

#endif
