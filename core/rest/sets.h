/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* All sets of elements that cloth is made of at rest. The same struct holds those of one cloth
 * (TlRest) and those of all cloths of a simulation, one after the other (TlModel). Which sets a
 * cloth fills depends on its fabric; most are empty. */
#ifndef TL_SETS_H
#define TL_SETS_H

#include "rest/columns.h"
#include "rest/quad_point.h"

/* Areas up to this, m^2, count as none: what is divided by them, and its square, must stay a number
 * wherever the vertices of a cloth are. */
#define TL_LEAST_AREA 1e-100

/* Edges of faces, each once, without the diagonals of quads. */
typedef struct TlEdgeSet {
    int32_t count;
    int32_t *vertex;   /* 2 each */
    int32_t *material; /* index into the materials */
    double *length;    /* at rest, m; mean of the faces around */
    double *stiffness; /* of the strip of cloth an edge stands for, N/m */
} TlEdgeSet;

/* Stretch elements: triangles. */
typedef struct TlTriangleSet {
    int32_t count;
    int32_t *vertex; /* 3 each */
    int32_t *face;   /* face of the mesh */
    int32_t *material;
    double *g;    /* 4 each: gradients (u, v) of the hat functions of corners 1 and 2, 1/m */
    double *area; /* rest area, m^2 */
} TlTriangleSet;

/* Stretch elements: bilinear quads. */
typedef struct TlQuadSet {
    int32_t count, point_count;
    int32_t *first;  /* quadrature points of quad q: [first[q], first[q + 1]); none where the fabric
                        resists compression as it resists tension */
    int32_t *vertex; /* 4 each */
    int32_t *face;
    int32_t *material;
    double *khat; /* TL_KHAT each: stiffness over the six inner products of the diagonals and T, see
                     quad_point.h, N/m^3 */
    double *rest; /* 6 each: the seven strains at rest without the constant, m^2 */
    double *h;    /* 4 each: H = J^-1 at the middle (Hsu Hsv Htu Htv), 1/m */
    double *area; /* rest area |P x Q|, m^2 */
    TlQuadPoint *point;
} TlQuadSet;

/* Springs between two vertices. */
typedef struct TlSpringSet {
    int32_t count;
    int32_t *vertex; /* 2 each */
    int32_t *material;
    double *length; /* at rest, m */
    double *k;      /* N/m */
} TlSpringSet;

/* Strips between two vertices that are compressed a little, then buckle; see rest/buckling.h. */
typedef struct TlBuckleSet {
    int32_t count;
    int32_t *vertex; /* 2 each */
    int32_t *material;
    double *length;      /* at rest, m */
    double *kb;          /* bending stiffness, N m^2 */
    double *ramp;        /* stiffness before buckling, N/m */
    double *ramp_length; /* shortening at which they buckle, m */
    double *ramp_energy; /* energy at that point less that of the arc, J */
} TlBuckleSet;

/* Bending hinges over an edge C-D, or over a diagonal of a quad. The point A (B) opposite it is a
 * vertex, or stands on the far side of a quad, between two; corners are those of A, those of B, C,
 * D. */
typedef struct TlHingeSet {
    int32_t count, corner_count;
    int32_t *first;     /* corners of hinge h: [first[h], first[h + 1]) */
    int32_t *corners_a; /* how many of them make A: 1 or 2 */
    int32_t *material;
    int32_t *vertex;    /* per corner */
    double *share;      /* per corner: its part of the point it makes; those of a point sum to 1 */
    double *alpha;      /* per corner, sum 0: R = sum alpha_J P_J */
    double *lambda;     /* mu area / reach^2, N/m */
    double *length;     /* l, m */
    double *height_a;   /* m */
    double *height_b;   /* m */
    double *reach;      /* |R| at a curvature of 1/m, m^2: hA hB / 2 over an edge */
    double *area;       /* cloth the hinge stands for, times the bending factor, m^2 */
    double *mu;         /* modulus for this edge's direction, N m */
    double *k_e;        /* equivalent angular spring, N m */
    double *viscosity;  /* nu, as lambda with the viscous modulus, N s/m */
    double *rest_r;     /* R.N at rest, m: rho0 of a given curvature, or that of the rest shape */
    double *rest_theta; /* angle at rest, rad */
} TlHingeSet;

/* What is done with a cloth's hinges. */
typedef enum TlHingeKind {
    TL_HINGE_LINEAR,   /* flat at rest: all in the constant matrix */
    TL_HINGE_CURVED,   /* curved at rest: matrix as approximation, force by hinge */
    TL_HINGE_LAW,      /* nonlinear law */
    TL_HINGE_DIHEDRAL, /* Discrete Shells */
    TL_HINGE_NORMAL,   /* half angles */
    TL_HINGE_KINDS
} TlHingeKind;

/* Koiter: one element per vertex, its corners the vertices of the faces around, itself first. A
 * vertex where separate fans of faces meet has one element for each. */
typedef struct TlRingSet {
    int32_t count, corner_count;
    int32_t *first;
    int32_t *material;
    int32_t *vertex;   /* per corner */
    double *tangent;   /* 2 per corner, sums 0: t_b = sum tangent[b] x_corner, 1/m */
    double *area;      /* m^2 */
    double *rest;      /* 3 each: b11, b22, b12 at rest, 1/m */
    double *stiffness; /* 6 each: C11 C12 C13 C22 C23 C33 over (b11, b22, b12) in the vertex's
                          frame, area included, N m^3 */
} TlRingSet;

/* Koiter: the faces around each vertex, in the same order of elements as the rings. */
typedef struct TlFanSet {
    int32_t count, corner_count;
    int32_t *first;
    int32_t *corner;  /* 4 per face: its vertices as places in the ring, all faces wound alike; of a
                         triangle the last is the first again */
    double *gradient; /* 2 per face: (abar_f/abar_v) ghat_{f,v}, 1/m */
    double *weight;   /* per face: abar_f/deg f/abar_v */
} TlFanSet;

/* Koiter: bending inside quads. */
typedef struct TlPatchSet {
    int32_t count;
    int32_t *vertex; /* 4 each */
    int32_t *material;
    double *stiffness; /* w_in c_q, N/m */
    double *viscosity; /* the same of the viscous modulus, N s/m */
    double *rest;      /* b at rest, m */
} TlPatchSet;

/* In the order of the numbers below. */
typedef struct TlSets {
    TlEdgeSet edges;
    TlTriangleSet triangles;
    TlQuadSet quads;
    TlSpringSet springs;   /* mass-spring stretch */
    TlSpringSet crossover; /* bending */
    TlBuckleSet choi_ko;   /* bending */
    TlRingSet rings;
    TlFanSet fans;
    TlPatchSet patches;
    TlHingeSet hinges[TL_HINGE_KINDS];
} TlSets;

/* Numbers of the sets. */
enum {
    TL_SET_EDGES,
    TL_SET_TRIANGLES,
    TL_SET_QUADS,
    TL_SET_SPRINGS,
    TL_SET_CROSSOVER,
    TL_SET_CHOI_KO,
    TL_SET_RINGS,
    TL_SET_FANS,
    TL_SET_PATCHES,
    TL_SET_HINGES, /* and the other kinds behind it */
    TL_SET_COUNT = TL_SET_HINGES + TL_HINGE_KINDS,
    TL_MOST_COLUMNS = 20
};

/* Set number `i` of TL_SET_COUNT, as its counts and columns. */
typedef struct TlSetView {
    int32_t *count;
    int32_t *corner_count; /* NULL: a fixed number of corners each */
    int32_t column_count;
    TlColumn columns[TL_MOST_COLUMNS];
} TlSetView;

TlSetView tl_set_view(TlSets *sets, int32_t i);
/* Empty arrays for one set, found by its address; false when memory is refused. The counts are set
 * to the sizes. */
bool tl_set_alloc(TlArena *arena, TlSets *sets, const void *set, int32_t elements, int32_t corners);

#endif
