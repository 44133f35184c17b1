/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Strain, stress and stiffness at a quadrature point; see quad_point.h. With p_s = P + a T and p_t
 * = Q + b T the metric is g_ss = p_s.p_s and so on; its change since rest times the map is the
 * Green strain, since that of the rest shape is zero at every point. */
#include "rest/quad_point.h"

void tl_quad_point_map(const double H[4], double map[9]) {
    double su = H[0], sv = H[1], tu = H[2], tv = H[3];
    map[0] = su * su;
    map[1] = tu * tu;
    map[2] = su * tu;
    map[3] = sv * sv;
    map[4] = tv * tv;
    map[5] = sv * tv;
    map[6] = 2.0 * su * sv;
    map[7] = 2.0 * tu * tv;
    map[8] = su * tv + tu * sv;
}

void tl_quad_strains(const TlVec3 p[4], double z[6]) {
    TlVec3 D1 = tl_sub3(p[2], p[0]), D2 = tl_sub3(p[1], p[3]);
    TlVec3 P = tl_scale3(0.5, tl_add3(D1, D2)), Q = tl_scale3(0.5, tl_sub3(D1, D2));
    TlVec3 T = tl_add3(tl_sub3(p[0], p[1]), tl_sub3(p[2], p[3]));
    z[0] = 0.5 * tl_dot3(P, P);
    z[1] = 0.5 * tl_dot3(Q, Q);
    z[2] = tl_dot3(P, Q);
    z[3] = tl_dot3(P, T);
    z[4] = tl_dot3(Q, T);
    z[5] = 0.5 * tl_dot3(T, T);
}

/* Strain as B e: the map times the metric in inner products of diagonals and T. */
static void strain_rows(const TlQuadPoint *point, double B[3][6]) {
    double a = point->a, b = point->b;
    for (int i = 0; i < 3; i++) {
        double ss = point->map[3 * i], tt = point->map[3 * i + 1], st = point->map[3 * i + 2];
        double even = 0.25 * (ss + tt), odd = 0.5 * st;
        B[i][0] = even + odd;
        B[i][1] = even - odd;
        B[i][2] = 0.25 * (ss - tt);
        B[i][3] = 0.5 * (a * ss + b * tt + (a + b) * st);
        B[i][4] = 0.5 * (a * ss - b * tt + (b - a) * st);
        B[i][5] = a * a * ss + b * b * tt + 2.0 * a * b * st;
    }
}

void tl_quad_point_add_stiffness(const TlQuadPoint *point, const double C[6], double k[TL_KHAT]) {
    double B[3][6], w = point->weight;
    strain_rows(point, B);
    for (int i = 0, at = 0; i < 6; i++) {
        double x = B[0][i], y = B[1][i], z = B[2][i];
        double row[3] = {w * (C[0] * x + C[1] * y + C[2] * z), w * (C[1] * x + C[3] * y + C[4] * z),
                         w * (C[2] * x + C[4] * y + C[5] * z)};
        for (int j = i; j < 6; j++, at++) {
            k[at] += row[0] * B[0][j] + row[1] * B[1][j] + row[2] * B[2][j];
        }
    }
}
