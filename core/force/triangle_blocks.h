/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a triangle's Hessian, of stretch_stvk.c alone, which includes this once for double
 * and once for single precision: TRIANGLE_WIDE is the type of the numbers of several triangles side
 * by side, TRIANGLE(name) what a function is called for it. */

/* What the blocks are made of: U and V, gradients of the corners, area times stiffness, and area
 * times the clamped stress. */
typedef struct TRIANGLE(Taut) {
    TRIANGLE_WIDE U[3], V[3], g[4], C[6], S[3];
} TRIANGLE(Taut);

/* The blocks by corners 1 and 2: M[0] = (1, 1), M[1] = (2, 2), M[2] = (1, 2). */
TL_INLINE void TRIANGLE(corner_blocks)(const TRIANGLE(Taut) * in, TRIANGLE_WIDE M[3][9]) {
    static const int first[3] = {0, 1, 0}, second[3] = {0, 1, 1};
    const TRIANGLE_WIDE *C = in->C, *S = in->S, *U = in->U, *V = in->V;
    for (int k = 0; k < 3; k++) {
        TRIANGLE_WIDE ui = in->g[2 * first[k]], vi = in->g[2 * first[k] + 1];
        TRIANGLE_WIDE uj = in->g[2 * second[k]], vj = in->g[2 * second[k] + 1];
        TRIANGLE_WIDE uu = ui * uj, vv = vi * vj, uv = ui * vj, vu = vi * uj, both = uv + vu;
        TRIANGLE_WIDE straight = C[2] * uu + C[4] * vv;
        /* a UU^T + b VV^T + c UV^T + d VU^T + s I */
        TRIANGLE_WIDE a = C[0] * uu + C[2] * both + C[5] * vv;
        TRIANGLE_WIDE b = C[3] * vv + C[4] * both + C[5] * uu;
        TRIANGLE_WIDE c = C[1] * uv + straight + C[5] * vu, d = C[1] * vu + straight + C[5] * uv;
        TRIANGLE_WIDE s = S[0] * uu + S[1] * vv + S[2] * both;
        for (int j = 0; j < 3; j++) {
            TRIANGLE_WIDE left_u = a * U[j] + c * V[j], left_v = b * V[j] + d * U[j];
            for (int i = 0; i < 3; i++) {
                M[k][3 * i + j] = U[i] * left_u + V[i] * left_v;
            }
            M[k][4 * j] += s;
        }
    }
}
