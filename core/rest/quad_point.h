/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* One quadrature point of a bilinear quad: Green strain in weft and warp axes from six numbers of
 * the whole quad, and stress and stiffness back to them.
 *
 * A quad p0 p1 p2 p3 is, up to translation, its diagonals D1 = p2 - p0 and D2 = p1 - p3 and T = p0
 * - p1 + p2 - p3. The six numbers are the inner products
 *
 *     e = (D1.D1/2, D2.D2/2, D1.D2, D1.T, D2.T, T.T/2) minus the same at rest,
 *
 * a linear image of the seven strains of [S] Schweickart, Zhai: Simulating cloth using bilinear
 * elements, 2021 (the seventh is the constant that stands for rest): D1 = P + Q, D2 = P - Q. In
 * diagonals every vertex enters two of the three vectors only, which halves the work of the
 * Hessian. */
#ifndef TL_QUAD_POINT_H
#define TL_QUAD_POINT_H

#include "base/vec.h"

enum { TL_KHAT = 21 }; /* upper half of a symmetric 6x6 matrix, row by row */

typedef struct TlQuadPoint {
    double map[9]; /* strain (uu, vv, 2 uv) from the change of (g_ss/2, g_tt/2, g_st), 1/m^2 */
    double weight; /* rest area the point stands for, m^2 */
    double a, b;   /* t - 1/2 and s - 1/2 */
} TlQuadPoint;

/* The strain map of H = J^-1 (Hsu Hsv Htu Htv). */
void tl_quad_point_map(const double H[4], double map[9]);
/* [S]'s strains of a quad with these corners, without the constant: (P.P/2, Q.Q/2, P.Q, P.T, Q.T,
 * T.T/2), by the very operations of stretch_quad.c, so that the change since rest is exactly zero
 * at rest. */
void tl_quad_strains(const TlVec3 corners[4], double z[6]);
/* k += weight B^T C B, C the upper half of a symmetric 3x3 matrix. */
void tl_quad_point_add_stiffness(const TlQuadPoint *point, const double C[6], double k[TL_KHAT]);

/* Strain (weft, warp, engineering shear) at the point. */
static inline void tl_quad_point_strain(const TlQuadPoint *point, const double e[6],
                                        double eps[3]) {
    double a = point->a, b = point->b;
    /* of P, Q, T again, then the metric */
    double PP = 0.25 * (e[0] + e[1] + e[2]), QQ = 0.25 * (e[0] + e[1] - e[2]);
    double PQ = 0.5 * (e[0] - e[1]), PT = 0.5 * (e[3] + e[4]), QT = 0.5 * (e[3] - e[4]);
    double ss = PP + a * PT + a * a * e[5], tt = QQ + b * QT + b * b * e[5];
    double st = PQ + b * PT + a * QT + 2.0 * a * b * e[5];
    for (int i = 0; i < 3; i++) {
        const double *row = point->map + 3 * i;
        eps[i] = row[0] * ss + row[1] * tt + row[2] * st;
    }
}

/* s += weight B^T S, the conjugates of e. */
static inline void tl_quad_point_add_stress(const TlQuadPoint *point, const double S[3],
                                            double s[6]) {
    const double *map = point->map;
    double a = point->a, b = point->b, w = point->weight;
    /* conjugate to the metric, then to the inner products, the way back of the strain */
    double ss = w * (map[0] * S[0] + map[3] * S[1] + map[6] * S[2]);
    double tt = w * (map[1] * S[0] + map[4] * S[1] + map[7] * S[2]);
    double st = w * (map[2] * S[0] + map[5] * S[1] + map[8] * S[2]);
    double PT = a * ss + b * st, QT = b * tt + a * st;
    double even = 0.25 * (ss + tt), odd = 0.5 * st;
    s[0] += even + odd;
    s[1] += even - odd;
    s[2] += 0.25 * (ss - tt);
    s[3] += 0.5 * (PT + QT);
    s[4] += 0.5 * (PT - QT);
    s[5] += a * a * ss + b * b * tt + 2.0 * a * b * st;
}

#endif
