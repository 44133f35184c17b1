/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices between two others. The 3x3 part A is split into A = S R, S symmetric and R a rotation,
 * by Newton's iteration for the polar decomposition, scaled to be quick [Hig86]: 5 to 10 rounds of
 * sums, products, quotients and square roots, so that every machine gets the same bits. A mirror is
 * left to S, which then is negative definite.
 *
 * [Hig86] N. J. Higham, Computing the polar decomposition with applications, SIAM J. Sci. Stat.
 * Comput. 7(4), 1986. */
#include "blend.h"

#include "rotation.h"

#include <math.h>
#include <string.h>

#define ROUNDS_MAX 50
/* Change of one round, relative to the orthogonal factor, at which the next adds only rounding. */
#define SETTLED 1e-9
/* |det A| / |A|^3 below which A counts as flat; rounding alone may give 1e-16. */
#define FLAT 1e-12

/* m[3 * row + column] */
typedef double Mat3[9];

static double norm(const Mat3 m) {
    double sum = 0;
    for (int i = 0; i < 9; i++)
        sum += m[i] * m[i];
    return sqrt(sum);
}

/* The matrix of cofactors, which is the transposed inverse times the determinant. */
static double cofactors(const Mat3 m, Mat3 out) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            out[3 * i + j] = m[3 * i1 + j1] * m[3 * i2 + j2] - m[3 * i1 + j2] * m[3 * i2 + j1];
        }
    return m[0] * out[0] + m[1] * out[1] + m[2] * out[2];
}

/* The nearest rotation or mirrored rotation; false when the matrix is flat. */
static bool find_orthogonal(const Mat3 m, Mat3 q) {
    Mat3 c;
    double length = norm(m), change = 1;
    if (!(length > 0) || !(length < HUGE_VAL))
        return false;
    for (int i = 0; i < 9; i++)
        q[i] = m[i] / length;
    if (!(fabs(cofactors(q, c)) > FLAT))
        return false;
    for (int round = 0; round < ROUNDS_MAX && change > SETTLED; round++) {
        double det = cofactors(q, c), scale = sqrt(norm(c) / fabs(det) / norm(q));
        change = 0;
        for (int i = 0; i < 9; i++) {
            double next = 0.5 * (scale * q[i] + c[i] / (det * scale));
            change += fabs(next - q[i]);
            q[i] = next;
        }
    }
    return true;
}

/* Splits A = S R; false when A is flat. */
static bool split(const Mat3 a, Mat3 s, Mat3 r) {
    Mat3 c;
    if (!find_orthogonal(a, r))
        return false;
    if (cofactors(r, c) < 0)
        for (int i = 0; i < 9; i++)
            r[i] = -r[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s[3 * i + j] =
                a[3 * i] * r[3 * j] + a[3 * i + 1] * r[3 * j + 1] + a[3 * i + 2] * r[3 * j + 2];
    return true;
}

/* ---- rotations ---- */

/* By the greatest of the four squares, so that no quotient is small [Shepperd 1978]. */
static TlQuaternion quaternion_of(const Mat3 r) {
    const double trace = r[0] + r[4] + r[8];
    double squares[4] = {1 + trace, 1 + 2 * r[0] - trace, 1 + 2 * r[4] - trace,
                         1 + 2 * r[8] - trace};
    /* four times the products of w, x, y, z with each other */
    const double wx = r[5] - r[7], wy = r[6] - r[2], wz = r[1] - r[3];
    const double xy = r[1] + r[3], xz = r[6] + r[2], yz = r[5] + r[7];
    const double rows[4][4] = {{squares[0], wx, wy, wz},
                               {wx, squares[1], xy, xz},
                               {wy, xy, squares[2], yz},
                               {wz, xz, yz, squares[3]}};
    int most = 0;
    for (int i = 1; i < 4; i++)
        most = squares[i] > squares[most] ? i : most;
    double f = 0.5 / sqrt(squares[most]);
    const double *row = rows[most];
    return (TlQuaternion){f * row[0], f * row[1], f * row[2], f * row[3]};
}

/* The row that a unit vector becomes is a row of the matrix. */
static void matrix_of(TlQuaternion q, Mat3 r) {
    for (int i = 0; i < 3; i++) {
        const double unit[3] = {i == 0, i == 1, i == 2};
        tl_rotation_apply(q, unit, r + 3 * i);
    }
}

static TlQuaternion turn_between(TlQuaternion a, TlQuaternion b, double t) {
    double step[3];
    tl_rotation_to_vector(tl_rotation_multiply(b, tl_rotation_inverse(a)), step);
    for (int i = 0; i < 3; i++)
        step[i] *= t;
    return tl_rotation_multiply(tl_rotation_from_vector(step), a);
}

/* ---- both ---- */

static void blend_linear(const double *a, const double *b, int count, double t, double *out) {
    for (int i = 0; i < count; i++)
        out[i] = (1 - t) * a[i] + t * b[i];
}

static void multiply(const Mat3 a, const Mat3 b, Mat3 out) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

static void take_part(const double m[16], Mat3 part) {
    for (int i = 0; i < 3; i++)
        memcpy(part + 3 * i, m + 4 * i, 3 * sizeof *part);
}

void tl_blend_matrix(const double a[16], const double b[16], double t, double out[16]) {
    Mat3 part, stretch[3], turn[3];
    if (memcmp(a, b, 16 * sizeof *a) == 0 || t <= 0 || t >= 1) {
        memcpy(out, t >= 1 ? b : a, 16 * sizeof *a);
        return;
    }
    blend_linear(a, b, 16, t, out);
    take_part(a, part);
    if (!split(part, stretch[0], turn[0]))
        return;
    take_part(b, part);
    if (!split(part, stretch[1], turn[1]))
        return;
    blend_linear(stretch[0], stretch[1], 9, t, stretch[2]);
    matrix_of(turn_between(quaternion_of(turn[0]), quaternion_of(turn[1]), t), turn[2]);
    multiply(stretch[2], turn[2], part);
    for (int i = 0; i < 3; i++)
        memcpy(out + 4 * i, part + 3 * i, 3 * sizeof *part);
}
