/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a quad's Hessian, of stretch_quad.c alone, which includes this once for double and
 * once for single precision: QUAD_WIDE is the type of the numbers of several quads side by side,
 * QUAD(name) what a function is called for it. */

/* Row k of K times the derivative of e by X_B. */
TL_INLINE void QUAD(stress_row)(const QUAD_WIDE K[TL_KHAT], QUAD_WIDE X[3][3], int k, int B,
                                QUAD_WIDE out[3]) {
    QUAD_WIDE x = K[UPPER[k][PLACE[B][0]]], y = K[UPPER[k][PLACE[B][1]]],
              z = K[UPPER[k][PLACE[B][2]]];
    for (int j = 0; j < 3; j++) {
        out[j] = x * X[0][j] + y * X[1][j] + z * X[2][j];
    }
}

TL_INLINE QUAD_WIDE QUAD(entry)(QUAD_WIDE X[3][3], const QUAD_WIDE *a, const QUAD_WIDE *b,
                                const QUAD_WIDE *c, int i, int j) {
    return X[0][i] * a[j] + X[1][i] * b[j] + X[2][i] * c[j];
}

/* out = D1 a^T + D2 b^T + T c^T + s I */
TL_INLINE void QUAD(full_block)(QUAD_WIDE X[3][3], const QUAD_WIDE a[3], const QUAD_WIDE b[3],
                                const QUAD_WIDE c[3], QUAD_WIDE s, QUAD_WIDE out[9]) {
    out[0] = QUAD(entry)(X, a, b, c, 0, 0) + s;
    out[1] = QUAD(entry)(X, a, b, c, 0, 1);
    out[2] = QUAD(entry)(X, a, b, c, 0, 2);
    out[3] = QUAD(entry)(X, a, b, c, 1, 0);
    out[4] = QUAD(entry)(X, a, b, c, 1, 1) + s;
    out[5] = QUAD(entry)(X, a, b, c, 1, 2);
    out[6] = QUAD(entry)(X, a, b, c, 2, 0);
    out[7] = QUAD(entry)(X, a, b, c, 2, 1);
    out[8] = QUAD(entry)(X, a, b, c, 2, 2) + s;
}

/* The same where it is symmetric; the lower half is not written. */
TL_INLINE void QUAD(symmetric_block)(QUAD_WIDE X[3][3], const QUAD_WIDE a[3], const QUAD_WIDE b[3],
                                     const QUAD_WIDE c[3], QUAD_WIDE s, QUAD_WIDE out[9]) {
    out[0] = QUAD(entry)(X, a, b, c, 0, 0) + s;
    out[1] = QUAD(entry)(X, a, b, c, 0, 1);
    out[2] = QUAD(entry)(X, a, b, c, 0, 2);
    out[4] = QUAD(entry)(X, a, b, c, 1, 1) + s;
    out[5] = QUAD(entry)(X, a, b, c, 1, 2);
    out[8] = QUAD(entry)(X, a, b, c, 2, 2) + s;
}

/* The second derivatives by D1, D2 and T: M[0] = (1,1), M[1] = (2,2), M[2] = (1,2), M[3] = (1,T),
 * M[4] = (2,T), M[5] = (T,T). Written out, so that every index is a constant. */
TL_INLINE void QUAD(vector_blocks)(QUAD_WIDE X[3][3], const QUAD_WIDE K[TL_KHAT],
                                   const QUAD_WIDE S[6], QUAD_WIDE M[6][9]) {
    QUAD_WIDE Y[6][3];
    QUAD(stress_row)(K, X, 0, 0, Y[0]);
    QUAD(stress_row)(K, X, 2, 0, Y[2]);
    QUAD(stress_row)(K, X, 3, 0, Y[3]);
    QUAD(symmetric_block)(X, Y[0], Y[2], Y[3], S[0], M[0]);
    QUAD(stress_row)(K, X, 0, 1, Y[0]);
    QUAD(stress_row)(K, X, 1, 1, Y[1]);
    QUAD(stress_row)(K, X, 2, 1, Y[2]);
    QUAD(stress_row)(K, X, 3, 1, Y[3]);
    QUAD(stress_row)(K, X, 4, 1, Y[4]);
    QUAD(full_block)(X, Y[0], Y[2], Y[3], S[2], M[2]);
    QUAD(symmetric_block)(X, Y[2], Y[1], Y[4], S[1], M[1]);
    QUAD(stress_row)(K, X, 0, 2, Y[0]);
    QUAD(stress_row)(K, X, 1, 2, Y[1]);
    QUAD(stress_row)(K, X, 2, 2, Y[2]);
    QUAD(stress_row)(K, X, 3, 2, Y[3]);
    QUAD(stress_row)(K, X, 4, 2, Y[4]);
    QUAD(stress_row)(K, X, 5, 2, Y[5]);
    QUAD(full_block)(X, Y[0], Y[2], Y[3], S[3], M[3]);
    QUAD(full_block)(X, Y[2], Y[1], Y[4], S[4], M[4]);
    QUAD(symmetric_block)(X, Y[3], Y[4], Y[5], S[5], M[5]);
}
