/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry of a hinge; see hinge.h.
 *
 * [V] Volino, Magnenat-Thalmann: Simple linear bending stiffness in particle systems, 2006.
 * [GHDS03] Grinspun, Hirani, Desbrun, Schroeder: Discrete shells, 2003.
 * All sums run over differences to C, so that a distant cloth loses no digits. */
#include "rest/hinge.h"

#include "base/elementary.h"

TlHinge tl_hinge_at(const TlHingeSet *set, const double *x, int32_t h) {
    int32_t begin = set->first[h], end = set->first[h + 1] - 2;
    int32_t middle = begin + set->corners_a[h];
    TlVec3 C = tl_load3(x + 3 * (int64_t)set->vertex[end]);
    TlHinge hinge = {.alpha = {0.0, 0.0, set->alpha[end], set->alpha[end + 1]}};
    hinge.e = tl_sub3(tl_load3(x + 3 * (int64_t)set->vertex[end + 1]), C);
    for (int32_t c = begin; c < end; c++) {
        TlVec3 d = tl_sub3(tl_load3(x + 3 * (int64_t)set->vertex[c]), C);
        TlVec3 *point = c < middle ? &hinge.a : &hinge.b;
        *point = tl_madd3(*point, set->share[c], d);
        hinge.alpha[c < middle ? TL_A : TL_B] += set->alpha[c];
    }
    return hinge;
}

double tl_hinge_dot(const TlVec3 g[TL_HINGE_POINTS], const TlHinge *other) {
    return tl_dot3(g[TL_A], other->a) + tl_dot3(g[TL_B], other->b) + tl_dot3(g[TL_D], other->e);
}

void tl_hinge_spread(const TlHingeSet *set, int32_t h, double scale,
                     const TlVec3 g[TL_HINGE_POINTS], double *out) {
    int32_t begin = set->first[h], end = set->first[h + 1];
    for (int32_t c = begin; c < end; c++, out += 3) {
        int point = c == end - 1                    ? TL_D
                    : c == end - 2                  ? TL_C
                    : c < begin + set->corners_a[h] ? TL_A
                                                    : TL_B;
        tl_store3(out, tl_scale3(scale * set->share[c], g[point]));
    }
}

TlHingeBend tl_hinge_bend(const TlHinge *hinge) {
    const double *alpha = hinge->alpha;
    TlVec3 M = tl_cross3(tl_sub3(hinge->b, hinge->a), hinge->e);
    double size = tl_length3(M);
    TlHingeBend bend;
    bend.inverse = size > TL_LEAST_AREA ? 1.0 / size : 0.0;
    bend.N = tl_scale3(bend.inverse, M);
    bend.R = tl_madd3(tl_scale3(alpha[TL_A], hinge->a), alpha[TL_B], hinge->b);
    bend.R = tl_madd3(bend.R, alpha[TL_D], hinge->e);
    bend.r = tl_dot3(bend.R, bend.N);
    return bend;
}

void tl_hinge_turn(const TlHinge *hinge, const TlHingeBend *bend, TlVec3 v,
                   TlVec3 g[TL_HINGE_POINTS]) {
    TlVec3 G = tl_scale3(bend->inverse, tl_madd3(v, -tl_dot3(v, bend->N), bend->N));
    g[TL_B] = tl_cross3(hinge->e, G);
    g[TL_A] = tl_scale3(-1.0, g[TL_B]);
    g[TL_D] = tl_cross3(G, tl_sub3(hinge->b, hinge->a));
    g[TL_C] = tl_scale3(-1.0, g[TL_D]);
}

void tl_hinge_grad_r(const TlHinge *hinge, const TlHingeBend *bend, TlVec3 g[TL_HINGE_POINTS]) {
    tl_hinge_turn(hinge, bend, bend->R, g);
    for (int i = 0; i < TL_HINGE_POINTS; i++) {
        g[i] = tl_madd3(g[i], hinge->alpha[i], bend->N);
    }
}

TlHingeAngle tl_hinge_angle(const TlHinge *hinge) {
    TlVec3 NA = tl_cross3(hinge->e, hinge->a), NB = tl_cross3(hinge->b, hinge->e);
    double l = tl_length3(hinge->e), size_a = tl_length3(NA), size_b = tl_length3(NB);
    TlHingeAngle angle;
    angle.t = tl_unit3(hinge->e);
    angle.normal_a = tl_unit3(NA);
    angle.normal_b = tl_unit3(NB);
    angle.slope_a = size_a > TL_LEAST_AREA ? l / size_a : 0.0;
    angle.slope_b = size_b > TL_LEAST_AREA ? l / size_b : 0.0;
    angle.inverse_length = l * l > TL_LEAST_AREA ? 1.0 / l : 0.0;
    angle.along_a = tl_dot3(hinge->a, angle.t) * angle.inverse_length;
    angle.along_b = tl_dot3(hinge->b, angle.t) * angle.inverse_length;
    angle.theta = tl_atan2(-tl_dot3(tl_cross3(angle.normal_a, angle.normal_b), angle.t),
                           tl_dot3(angle.normal_a, angle.normal_b));
    return angle;
}

void tl_hinge_row(const TlHingeAngle *angle, TlVec3 p, TlVec3 q, TlVec3 z,
                  TlVec3 g[TL_HINGE_POINTS]) {
    TlVec3 w = tl_scale3(angle->inverse_length, z);
    g[TL_A] = tl_scale3(angle->slope_a, p);
    g[TL_B] = tl_scale3(angle->slope_b, q);
    g[TL_D] = tl_madd3(tl_madd3(w, -angle->along_a, g[TL_A]), -angle->along_b, g[TL_B]);
    /* the sum of all four vanishes */
    g[TL_C] = tl_scale3(-1.0, tl_add3(tl_add3(g[TL_A], g[TL_B]), g[TL_D]));
}

void tl_hinge_grad_theta(const TlHingeAngle *angle, TlVec3 g[TL_HINGE_POINTS]) {
    tl_hinge_row(angle, angle->normal_a, angle->normal_b, tl_vec3(0.0, 0.0, 0.0), g);
}
