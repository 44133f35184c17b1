/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What one cloth is at rest: masses, and the sets of elements its fabric's models need. */
#ifndef TL_REST_SHAPE_H
#define TL_REST_SHAPE_H

#include "rest/pieces.h"
#include "rest/sets.h"

typedef struct TlRest {
    int32_t vertex_count;
    double *mass;     /* kg; 0 for a vertex without face */
    double *area;     /* m^2, a third of each triangle and a quarter of each quad around */
    double *position; /* m, 3 per vertex: the shape in space that was given; no energy knows it */
    TlSets sets;
} TlRest;

/* Computes all of it. The mesh passed the check. False when memory is refused. */
bool tl_rest_build(TlArena *arena, const TlRestInput *in, TlRest *out);

/* The builders of single sets; each fills its arrays of out->sets, false when memory is refused. */
bool tl_rest_hinges(TlArena *arena, const TlPieces *pieces, TlRest *out);       /* rest_hinge.c */
bool tl_rest_quads(TlArena *arena, const TlPieces *pieces, TlRest *out);        /* rest_quad.c */
bool tl_rest_springs(TlArena *arena, const TlPieces *pieces, TlRest *out);      /* rest_spring.c */
bool tl_rest_bend_springs(TlArena *arena, const TlPieces *pieces, TlRest *out); /* rest_spring.c */
bool tl_rest_koiter(TlArena *arena, const TlPieces *pieces, TlRest *out);       /* rest_koiter.c */

#endif
