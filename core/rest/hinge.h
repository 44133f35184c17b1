/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry of one hinge: the edge C-D and the points A and B to its left and right, where A and B
 * are vertices or stand on the far side of a quad; bending vector, normal, fold angle and their
 * gradients. Layer 2, because the rest shape is measured by the same functions. */
#ifndef TL_HINGE_H
#define TL_HINGE_H

#include "base/vec.h"
#include "rest/sets.h"

/* Places in arrays of four: the points of a hinge. */
enum { TL_A, TL_B, TL_C, TL_D, TL_HINGE_POINTS, TL_HINGE_CORNERS = 6 };

/* The points as seen from C; the same of velocities. */
typedef struct TlHinge {
    TlVec3 a, b, e; /* A - C, B - C, D - C */
    double alpha[TL_HINGE_POINTS];
} TlHinge;

TlHinge tl_hinge_at(const TlHingeSet *set, const double *x, int32_t h);
/* Sum over the points of g . (point of `other`), where the g sum to zero. */
double tl_hinge_dot(const TlVec3 g[TL_HINGE_POINTS], const TlHinge *other);
/* Writes scale times g, handed from the points to the hinge's corners, 3 values each; `out` is
 * where the first corner stands. */
void tl_hinge_spread(const TlHingeSet *set, int32_t h, double scale,
                     const TlVec3 g[TL_HINGE_POINTS], double *out);

/* [V] Eq. 4 and 16. N = (B - A) x (D - C) / |.|, zero where AB and CD are parallel. */
typedef struct TlHingeBend {
    TlVec3 R, N;
    double r;       /* R . N */
    double inverse; /* 1 / |(B - A) x (D - C)|, or 0 */
} TlHingeBend;

TlHingeBend tl_hinge_bend(const TlHinge *hinge);
/* Gradient of v . N, v being fixed. */
void tl_hinge_turn(const TlHinge *hinge, const TlHingeBend *bend, TlVec3 v,
                   TlVec3 g[TL_HINGE_POINTS]);
/* Gradient of r. */
void tl_hinge_grad_r(const TlHinge *hinge, const TlHingeBend *bend, TlVec3 g[TL_HINGE_POINTS]);

/* Fold angle, positive in a valley seen from +N, and the frames of both sides. A collapsed side has
 * no normal and no slope. */
typedef struct TlHingeAngle {
    double theta;
    TlVec3 t;                  /* unit edge */
    TlVec3 normal_a, normal_b; /* unit */
    double slope_a, slope_b;   /* 1 / height of A and B over the edge, or 0 */
    double along_a, along_b;   /* feet of A and B, from C, as part of the edge */
    double inverse_length;     /* of the edge */
} TlHingeAngle;

TlHingeAngle tl_hinge_angle(const TlHinge *hinge);
/* Gradient of p . u_A/h_A + q . u_B/h_B + z . w/l, all three vectors being fixed: u is the motion
 * of A or B against its foot on the edge, w that of D against C. With the normals as p and q, and z
 * = 0, this is the gradient of the angle. */
void tl_hinge_row(const TlHingeAngle *angle, TlVec3 p, TlVec3 q, TlVec3 z,
                  TlVec3 g[TL_HINGE_POINTS]);
void tl_hinge_grad_theta(const TlHingeAngle *angle, TlVec3 g[TL_HINGE_POINTS]);

#endif
