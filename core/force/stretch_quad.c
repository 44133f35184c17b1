/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Membrane energy of a bilinear quad, native: E = 1/2 eps_hat^T Khat eps_hat.
 *
 * [S] Schweickart, Zhai: Simulating cloth using bilinear elements, 2021, Eq. 1 and the seven strain
 * values. With P = p_s and Q = p_t at the middle and T = p_st the Green strain at any point is
 * linear in the inner products of P, Q and T, so Gauss quadrature is done once (rest_quad.c).
 * Differences to rest stand for the seventh value. We work with the diagonals D1 = p2 - p0 = P + Q
 * and D2 = p1 - p3 = P - Q in place of P and Q (quad_point.h):
 *
 *     e = inner products - those at rest,  s = K e,  E = 1/2 e . s
 *     dE/dX_A = sum_B S_AB X_B,  X = (D1, D2, T),  S = (s0 s2 s3; s2 s1 s4; s3 s4 s5)
 *     M_AB = sum_cd K[v(A,c)][v(B,d)] X_c X_d^T + S_AB I,  v(A,c) the place of X_A . X_c in e
 *
 * and D1, D2, T are (-1 0 1 0), (0 1 0 -1), (1 -1 1 -1) times p. [S] calls the Hessian constant per
 * element; that is true of K only, M varies with positions and stress. For the projection the
 * eigenvalues of S are clamped in the axes (P, Q, T), which are those of (D1/sqrt 2, D2/sqrt 2, T)
 * turned by 45 degrees; the rest is positive semi-definite as it is.
 *
 * Strain-rate damping adds tau/dt K (e - e_start) to s. Fabrics with a law of their own for
 * compression are summed over quadrature points, where the law acts; their damping takes the
 * tangent at the start of the step for K, so that slack cloth is free to wrinkle.
 *
 * This is the hottest code of a step: four quads go through it side by side, without a branch but
 * those of damping and laws. */
#include "force/stretch_quad.h"

#include "base/lanes.h"
#include "base/vec.h"
#include "rest/compression.h"

enum { BATCH = 4, BLOCKS = 10, HESSIAN = 9 * BLOCKS, PACKED = 45 };

typedef TlDouble4 Wide;

#define SQRT2 1.41421356237309504880

/* Place of the inner product of X_A and X_B. */
static const int PLACE[3][3] = {{0, 2, 3}, {2, 1, 4}, {3, 4, 5}};
/* Place of (i, j) in the upper half of a symmetric 6x6 matrix. */
static const int UPPER[6][6] = {{0, 1, 2, 3, 4, 5},     {1, 6, 7, 8, 9, 10},
                                {2, 7, 11, 12, 13, 14}, {3, 8, 12, 15, 16, 17},
                                {4, 9, 13, 16, 18, 19}, {5, 10, 14, 17, 19, 20}};

TL_INLINE Wide wide_dot(const Wide a[3], const Wide b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- strain ---- */

/* The quads in the lanes; at the end of a range all lanes may hold the same one. */
typedef struct Group {
    int32_t quad[TL_LANES];
    Wide X[3][3]; /* D1, D2, T */
} Group;

TL_INLINE void load_vectors(const TlQuadSet *set, const double *x, const int32_t quad[TL_LANES],
                            Wide X[3][3]) {
    const double *p[4][TL_LANES];
    for (int l = 0; l < TL_LANES; l++) {
        for (int k = 0; k < 4; k++) {
            p[k][l] = x + 3 * (int64_t)set->vertex[4 * (int64_t)quad[l] + k];
        }
    }
    for (int i = 0; i < 3; i++) {
        Wide p0 = {p[0][0][i], p[0][1][i], p[0][2][i], p[0][3][i]};
        Wide p1 = {p[1][0][i], p[1][1][i], p[1][2][i], p[1][3][i]};
        Wide p2 = {p[2][0][i], p[2][1][i], p[2][2][i], p[2][3][i]};
        Wide p3 = {p[3][0][i], p[3][1][i], p[3][2][i], p[3][3][i]};
        X[0][i] = p2 - p0;
        X[1][i] = p1 - p3;
        X[2][i] = (p0 - p1) + (p2 - p3);
    }
}

/* Quad q and the next ones before `end`, at positions x. */
TL_INLINE void load_group(const TlQuadSet *set, const double *x, int32_t q, int32_t end,
                          Group *out) {
    for (int l = 0; l < TL_LANES; l++) {
        out->quad[l] = q + l < end ? q + l : end - 1;
    }
    load_vectors(set, x, out->quad, out->X);
}

/* Number i of `stride` that each of the quads has. */
TL_INLINE Wide load_lanes(const double *values, int32_t stride, const int32_t quad[TL_LANES],
                          int32_t i) {
    return (Wide){values[stride * (int64_t)quad[0] + i], values[stride * (int64_t)quad[1] + i],
                  values[stride * (int64_t)quad[2] + i], values[stride * (int64_t)quad[3] + i]};
}

/* [S]'s seven strains without the constant. */
TL_INLINE void strain_hat(Wide X[3][3], Wide z[6]) {
    Wide P[3], Q[3];
    for (int i = 0; i < 3; i++) {
        P[i] = 0.5 * (X[0][i] + X[1][i]);
        Q[i] = 0.5 * (X[0][i] - X[1][i]);
    }
    z[0] = 0.5 * wide_dot(P, P);
    z[1] = 0.5 * wide_dot(Q, Q);
    z[2] = wide_dot(P, Q);
    z[3] = wide_dot(P, X[2]);
    z[4] = wide_dot(Q, X[2]);
    z[5] = 0.5 * wide_dot(X[2], X[2]);
}

/* The change of the inner products of X since rest. */
TL_INLINE void strain_of(const TlQuadSet *set, const int32_t quad[TL_LANES], Wide X[3][3],
                         Wide e[6]) {
    Wide z[6];
    strain_hat(X, z);
    for (int i = 0; i < 6; i++) {
        z[i] -= load_lanes(set->rest, 6, quad, i);
    }
    e[0] = z[0] + z[1] + z[2];
    e[1] = z[0] + z[1] - z[2];
    e[2] = 2.0 * (z[0] - z[1]);
    e[3] = z[3] + z[4];
    e[4] = z[3] - z[4];
    e[5] = z[5];
}

TL_INLINE void load_stiffness(const TlQuadSet *set, const int32_t quad[TL_LANES], Wide K[TL_KHAT]) {
    for (int i = 0; i < TL_KHAT; i++) {
        K[i] = load_lanes(set->khat, TL_KHAT, quad, i);
    }
}

/* s = K e */
TL_INLINE void multiply(const Wide K[TL_KHAT], const Wide e[6], Wide s[6]) {
    for (int i = 0; i < 6; i++) {
        s[i] = K[UPPER[i][0]] * e[0];
        for (int j = 1; j < 6; j++) {
            s[i] += K[UPPER[i][j]] * e[j];
        }
    }
}

TL_INLINE Wide dot6(const Wide a[6], const Wide b[6]) {
    Wide sum = a[0] * b[0];
    for (int i = 1; i < 6; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* Damping weights tau/dt of the materials; false when there are none. */
TL_INLINE bool rate_of(const TlModel *model, const TlPoint *at, const int32_t quad[TL_LANES],
                       Wide *rate) {
    const int32_t *material = model->sets.quads.material;
    bool any = false;
    for (int l = 0; l < TL_LANES; l++) {
        (*rate)[l] = tl_damping_rate(&model->materials[material[quad[l]]], at);
        any = any || (*rate)[l] > 0.0;
    }
    return any;
}

/* ---- laws of compression ---- */

TL_INLINE bool has_law(const TlQuadSet *set, int32_t q) {
    return set->first[q + 1] > set->first[q];
}

/* The quads of a group follow each other. */
TL_INLINE bool some_law(const TlQuadSet *set, const int32_t quad[TL_LANES]) {
    return set->first[quad[TL_LANES - 1] + 1] > set->first[quad[0]];
}

/* Whether all points of a quad are in the state in which K holds. */
static bool is_plain(const TlQuadSet *set, const TlMaterial *m, int32_t q, const double e[6]) {
    for (int32_t i = set->first[q]; i < set->first[q + 1]; i++) {
        double eps[3];
        tl_quad_point_strain(&set->point[i], e, eps);
        if (!tl_compression_is_taut(m, eps)) {
            return false;
        }
    }
    return true;
}

/* Energy of a quad by points, where K does not hold; unless NULL also its stress and tangent. */
static void sum_points(const TlQuadSet *set, const TlMaterial *m, int32_t q, const double e[6],
                       double *energy, double *s, double *k) {
    for (int32_t i = set->first[q]; i < set->first[q + 1]; i++) {
        const TlQuadPoint *point = &set->point[i];
        double eps[3];
        tl_quad_point_strain(point, e, eps);
        TlMembrane law = tl_compression(m, eps);
        *energy += point->weight * law.energy_J_per_m2;
        if (s != NULL) {
            tl_quad_point_add_stress(point, law.S, s);
        }
        if (k != NULL) {
            tl_quad_point_add_stiffness(point, law.C, k);
        }
    }
}

/* How much of an answer is wanted; each includes those before it. */
typedef enum Want { WANT_ENERGY, WANT_STRESS, WANT_STIFFNESS } Want;

/* What a group answers to its strain. */
typedef struct Response {
    Wide energy;
    Wide s[6];
    Wide K[TL_KHAT];
} Response;

/* Puts the laws in the place of K. */
static void apply_laws(const TlModel *model, const int32_t quad[TL_LANES], const Wide strain[6],
                       Want want, Response *out) {
    const TlQuadSet *set = &model->sets.quads;
    for (int l = 0; l < TL_LANES; l++) {
        const TlMaterial *m = &model->materials[set->material[quad[l]]];
        double e[6], energy = 0.0, s[6] = {0}, k[TL_KHAT] = {0};
        for (int i = 0; i < 6; i++) {
            e[i] = strain[i][l];
        }
        if (!has_law(set, quad[l]) || is_plain(set, m, quad[l], e)) {
            continue;
        }
        sum_points(set, m, quad[l], e, &energy, want >= WANT_STRESS ? s : NULL,
                   want >= WANT_STIFFNESS ? k : NULL);
        out->energy[l] = energy;
        for (int i = 0; i < 6; i++) {
            out->s[i][l] = s[i];
        }
        for (int i = 0; i < TL_KHAT; i++) {
            out->K[i][l] = k[i];
        }
    }
}

/* Energy, stress and stiffness at strain e. */
TL_INLINE void respond(const TlModel *model, const int32_t quad[TL_LANES], const Wide e[6],
                       Want want, Response *out) {
    const TlQuadSet *set = &model->sets.quads;
    load_stiffness(set, quad, out->K);
    multiply(out->K, e, out->s);
    out->energy = 0.5 * dot6(e, out->s);
    if (some_law(set, quad)) {
        apply_laws(model, quad, e, want, out);
    }
}

/* The same with damping, a potential over the step. */
TL_INLINE void respond_damped(const TlModel *model, const TlPoint *at, Group *group, Want want,
                              Response *out) {
    const TlQuadSet *set = &model->sets.quads;
    Wide e[6], rate;
    strain_of(set, group->quad, group->X, e);
    respond(model, group->quad, e, want, out);
    if (!rate_of(model, at, group->quad, &rate)) {
        return;
    }
    Wide X[3][3], change[6], d[6];
    Response start;
    load_vectors(set, at->x_start, group->quad, X);
    strain_of(set, group->quad, X, change);
    respond(model, group->quad, change, WANT_STIFFNESS, &start);
    for (int i = 0; i < 6; i++) {
        change[i] = e[i] - change[i];
    }
    multiply(start.K, change, d);
    out->energy += 0.5 * rate * dot6(change, d);
    for (int i = 0; i < 6; i++) {
        out->s[i] += rate * d[i];
    }
    for (int i = 0; i < TL_KHAT; i++) {
        out->K[i] += rate * start.K[i];
    }
}

/* ---- derivatives ---- */

/* Where the derivatives of the lanes go. */
typedef struct Target {
    double *lane[TL_LANES];
} Target;

TL_INLINE Target target_of(double *values, int32_t stride, const int32_t quad[TL_LANES],
                           int32_t base) {
    Target out;
    for (int l = 0; l < TL_LANES; l++) {
        out.lane[l] = values + stride * (int64_t)(quad[l] - base);
    }
    return out;
}

TL_INLINE void put(const Target *out, int32_t i, Wide value) {
    for (int l = 0; l < TL_LANES; l++) {
        out->lane[l][i] = value[l];
    }
}

/* `grad` starts at quad `base`. */
TL_INLINE void write_gradient(const Group *group, const Wide s[6], int32_t base, double *grad) {
    Target target = target_of(grad, 12, group->quad, base), *out = &target;
    Wide G[3][3];
    for (int A = 0; A < 3; A++) {
        for (int i = 0; i < 3; i++) {
            G[A][i] = s[PLACE[A][0]] * group->X[0][i] + s[PLACE[A][1]] * group->X[1][i] +
                      s[PLACE[A][2]] * group->X[2][i];
        }
    }
    for (int i = 0; i < 3; i++) {
        put(out, i, G[2][i] - G[0][i]);
        put(out, 3 + i, G[1][i] - G[2][i]);
        put(out, 6 + i, G[0][i] + G[2][i]);
        put(out, 9 + i, -(G[1][i] + G[2][i]));
    }
}

/* Largest root of beta^3 - 3 beta = 2 r, 0 <= r <= 1: 2 cos(acos(r) / 3), by a polynomial of error
 * 1e-5 and one step of Halley. */
TL_INLINE Wide largest_root(Wide r) {
    Wide square = r * r;
    Wide b = (1.73206086 + 0.33282344 * r) +
             square * ((-0.09184387 + 0.03502438 * r) - 0.0080708 * square);
    Wide f = (b * b - 3.0) * b - 2.0 * r, slope = 3.0 * (b * b) - 3.0;
    return b - f * slope / (slope * slope - 3.0 * (f * b));
}

/* Positive part of the symmetric matrix S = (s0 s2 s3; s2 s1 s4; s3 s4 s5), in place.
 *
 * A = S - q I has no trace. Its eigenvalue lambda that stands apart from the two others has the
 * projector E = adj(A - lambda I) / (3 lambda^2 - |A|^2 / 2); in the plane that is left, A is D -
 * lambda/2 I with eigenvalues -lambda/2 +- rho. No branch, and errors of the order of rounding of
 * |S| whatever the eigenvalues. */
TL_INLINE void clamp_stress(Wide s[6]) {
    const Wide tiny = tl_double4(1e-200); /* keeps quotients finite without stress */
    Wide q = (1.0 / 3.0) * (s[0] + s[1] + s[5]);
    Wide a = s[0] - q, b = s[1] - q, c = s[5] - q, d = s[2], e = s[3], f = s[4];
    Wide dd = d * d, ee = e * e, ff = f * f;
    Wide half_square = 0.5 * ((a * a + b * b) + c * c) + ((dd + ee) + ff) + tiny;
    Wide p = tl_sqrt4((1.0 / 3.0) * half_square), inverse = 1.0 / p;
    Wide det = (a * (b * c - ff) - b * ee) + d * (2.0 * (e * f) - d * c);
    Wide r = 0.5 * det * (inverse * inverse * inverse);
    Wide lambda = tl_sign4(r) * p * largest_root(tl_abs4(r));
    /* adj(A - lambda I) = A^2 + lambda A + (lambda^2 - |A|^2 / 2) I */
    Wide square = lambda * lambda, shift = square - half_square;
    Wide scale = 1.0 / (3.0 * square - half_square);
    Wide E0 = scale * ((a * a + dd + ee) + lambda * a + shift);
    Wide E1 = scale * ((b * b + dd + ff) + lambda * b + shift);
    Wide E5 = scale * ((c * c + ee + ff) + lambda * c + shift);
    Wide E2 = scale * ((d * (a + b) + e * f) + lambda * d);
    Wide E3 = scale * ((e * (a + c) + d * f) + lambda * e);
    Wide E4 = scale * ((f * (b + c) + d * e) + lambda * f);
    Wide half = 0.5 * lambda, k = 1.5 * lambda;
    Wide D0 = (a + half) - k * E0, D1 = (b + half) - k * E1, D5 = (c + half) - k * E5;
    Wide D2 = d - k * E2, D3 = e - k * E3, D4 = f - k * E4;
    Wide rho = tl_sqrt4(0.5 * ((D0 * D0 + D1 * D1) + D5 * D5) + ((D2 * D2 + D3 * D3) + D4 * D4));
    Wide alone = tl_positive4(q + lambda), high = tl_positive4((q - half) + rho);
    Wide low = tl_positive4((q - half) - rho), mean = 0.5 * (high + low);
    Wide u = alone - mean, v = (high - low) * (1.0 / (2.0 * rho + tiny));
    s[0] = u * E0 + v * D0 + mean;
    s[1] = u * E1 + v * D1 + mean;
    s[2] = u * E2 + v * D2;
    s[3] = u * E3 + v * D3;
    s[4] = u * E4 + v * D4;
    s[5] = u * E5 + v * D5 + mean;
}

/* Replaces the stress s by S+, clamped in the axes of P, Q and T. */
TL_INLINE void positive_stress(Wide s[6]) {
    const double scale[6] = {2.0, 2.0, 2.0, SQRT2, SQRT2, 1.0};
    for (int i = 0; i < 6; i++) {
        s[i] *= scale[i];
    }
    clamp_stress(s);
    for (int i = 0; i < 6; i++) {
        s[i] *= 1.0 / scale[i];
    }
}

#define QUAD_WIDE Wide
#define QUAD(name) double_##name
#include "force/quad_blocks.h"
#undef QUAD_WIDE
#undef QUAD
#define QUAD_WIDE TlFloat8
#define QUAD(name) single_##name
#include "force/quad_blocks.h"
#undef QUAD_WIDE
#undef QUAD

/* Entry i of the blocks of vertices, and t, the same transposed: p0 is T - D1, p1 is D2 - T, p2 is
 * D1 + T and p3 is -D2 - T. */
TL_INLINE void vertex_entries(Wide M[6][9], int i, int t, const Target *out) {
    Wide c = M[5][i], a = M[0][i], b = M[1][i];
    Wide sum1 = M[3][i] + M[3][t], difference1 = M[3][i] - M[3][t];
    Wide sum2 = M[4][i] + M[4][t], difference2 = M[4][i] - M[4][t];
    put(out, i, (a + c) - sum1); /* (0, 0) */
    put(out, t, (a + c) - sum1);
    put(out, 63 + i, (a + c) + sum1); /* (2, 2) */
    put(out, 63 + t, (a + c) + sum1);
    put(out, 36 + i, (b + c) - sum2); /* (1, 1) */
    put(out, 36 + t, (b + c) - sum2);
    put(out, 81 + i, (b + c) + sum2); /* (3, 3) */
    put(out, 81 + t, (b + c) + sum2);
    put(out, 18 + i, (c - a) - difference1); /* (0, 2) */
    put(out, 18 + t, (c - a) + difference1);
    put(out, 54 + i, (c - b) - difference2); /* (1, 3) */
    put(out, 54 + t, (c - b) + difference2);
    put(out, 9 + i, (M[3][i] + M[4][t]) - (M[2][i] + c)); /* (0, 1) */
    put(out, 9 + t, (M[3][t] + M[4][i]) - (M[2][t] + c));
    put(out, 72 + i, -(M[3][i] + M[4][t]) - (M[2][i] + c)); /* (2, 3) */
    put(out, 72 + t, -(M[3][t] + M[4][i]) - (M[2][t] + c));
    put(out, 27 + i, (M[2][i] - c) + (M[3][i] - M[4][t])); /* (0, 3) */
    put(out, 27 + t, (M[2][t] - c) + (M[3][t] - M[4][i]));
    put(out, 45 + i, (M[2][t] - c) - (M[3][t] - M[4][i])); /* (1, 2) */
    put(out, 45 + t, (M[2][i] - c) - (M[3][i] - M[4][t]));
}

/* The stress of the response has been clamped. */
TL_INLINE void write_hessian(const Group *group, const Response *response, const Target *out) {
    Group own = *group;
    Wide M[6][9];
    double_vector_blocks(own.X, response->K, response->s, M);
    vertex_entries(M, 0, 0, out);
    vertex_entries(M, 4, 4, out);
    vertex_entries(M, 8, 8, out);
    vertex_entries(M, 1, 3, out);
    vertex_entries(M, 2, 6, out);
    vertex_entries(M, 5, 7, out);
}

/* The upper half of a symmetric block. */
TL_INLINE void pack_symmetric(const TlFloat8 M[9], TlFloat8 *out) {
    out[0] = M[0];
    out[1] = M[1];
    out[2] = M[2];
    out[3] = M[4];
    out[4] = M[5];
    out[5] = M[8];
}

/* Six numbers of four quads, and two of no meaning, to 8 numbers behind each other per quad. */
TL_INLINE void store_corners(TlFloat4 d[8], TlFloat4 *out) {
    d[6] = d[7] = tl_float4(0.0F);
    tl_transpose4(&d[0], &d[1], &d[2], &d[3]);
    tl_transpose4(&d[4], &d[5], &d[6], &d[7]);
    for (int l = 0; l < TL_LANES; l++) {
        out[8 * l] = d[l];
        out[8 * l + 1] = d[4 + l];
    }
}

/* The diagonal block of one corner, upper half, for each of the quads. */
TL_INLINE void pack_corner(TlFloat8 M[6][9], int own, int with, float sign, TlFloat4 *out) {
    static const int upper[6] = {0, 1, 2, 4, 5, 8}, lower[6] = {0, 3, 6, 4, 7, 8};
    TlFloat4 low[8], high[8];
    for (int i = 0; i < 6; i++) {
        int u = upper[i], t = lower[i];
        TlFloat8 d = (M[own][u] + M[5][u]) + sign * (M[with][u] + M[with][t]);
        low[i] = tl_low4(d);
        high[i] = tl_high4(d);
    }
    store_corners(low, out);
    store_corners(high, out + 8 * TL_LANES);
}

TL_INLINE TlFloat8 narrow8(Wide low, Wide high) {
    return tl_join8(tl_narrow4(low), tl_narrow4(high));
}

/* Two groups, whose stress has been clamped, in single precision. */
TL_INLINE void pack_hessian(const Group group[2], const Response response[2], TlFloat8 *packed,
                            TlFloat4 *diagonal) {
    TlFloat8 X[3][3], K[TL_KHAT], S[6], M[6][9];
    for (int i = 0; i < 9; i++) {
        X[i / 3][i % 3] = narrow8(group[0].X[i / 3][i % 3], group[1].X[i / 3][i % 3]);
    }
    for (int i = 0; i < TL_KHAT; i++) {
        K[i] = narrow8(response[0].K[i], response[1].K[i]);
    }
    for (int i = 0; i < 6; i++) {
        S[i] = narrow8(response[0].s[i], response[1].s[i]);
    }
    single_vector_blocks(X, K, S, M);
    pack_symmetric(M[0], packed);
    pack_symmetric(M[1], packed + 6);
    pack_symmetric(M[5], packed + 12);
    for (int i = 0; i < 9; i++) {
        packed[18 + i] = M[2][i];
        packed[27 + i] = M[3][i];
        packed[36 + i] = M[4][i];
    }
    pack_corner(M, 0, 3, -1.0F, diagonal);
    pack_corner(M, 1, 4, -1.0F, diagonal + 2);
    pack_corner(M, 0, 3, 1.0F, diagonal + 4);
    pack_corner(M, 1, 4, 1.0F, diagonal + 6);
}

/* ---- the energy ---- */

TL_HOT static double quad_value(const TlModel *model, const TlPoint *at, int32_t begin,
                                int32_t end) {
    const TlQuadSet *set = &model->sets.quads;
    double total = 0.0;
    for (int32_t q = begin; q < end; q += TL_LANES) {
        Group group;
        Response response;
        load_group(set, at->x, q, end, &group);
        respond_damped(model, at, &group, WANT_ENERGY, &response);
        for (int32_t l = 0; l < TL_LANES && q + l < end; l++) {
            total += response.energy[l];
        }
    }
    return total;
}

/* Up to BATCH groups on their way through the stages: the clamp is a long chain of operations, and
 * those of several groups overlap. */
typedef struct Batch {
    int32_t count;
    Group group[BATCH];
    Response response[BATCH];
} Batch;

/* Loads quads from q on, writes their gradients into `grad`, which starts at quad `base`, and for
 * `hessian` clamps their stress. */
TL_INLINE void begin_batch(const TlModel *model, const TlPoint *at, int32_t q, int32_t end,
                           bool hessian, int32_t base, double *grad, Batch *batch) {
    batch->count = 0;
    for (; batch->count < BATCH && q < end; q += TL_LANES, batch->count++) {
        Group *group = &batch->group[batch->count];
        Response *response = &batch->response[batch->count];
        load_group(&model->sets.quads, at->x, q, end, group);
        respond_damped(model, at, group, hessian ? WANT_STIFFNESS : WANT_STRESS, response);
        write_gradient(group, response->s, base, grad);
    }
    for (int32_t g = 0; hessian && g < batch->count; g++) {
        positive_stress(batch->response[g].s);
    }
}

TL_HOT static void quad_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                               double *grad, double *hess) {
    for (int32_t q = begin; q < end; q += BATCH * TL_LANES) {
        Batch batch;
        begin_batch(model, at, q, end, hess != NULL, 0, grad, &batch);
        for (int32_t g = 0; hess != NULL && g < batch.count; g++) {
            Target target = target_of(hess, HESSIAN, batch.group[g].quad, 0);
            write_hessian(&batch.group[g], &batch.response[g], &target);
        }
    }
}

TL_HOT static void quad_pack(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                             double *grad, float *packed, float *diagonal, double *hess) {
    for (int32_t q = begin; q < end; q += BATCH * TL_LANES) {
        Batch batch;
        begin_batch(model, at, q, end, true, begin, grad, &batch);
        if (batch.count % 2 == 1) {
            batch.group[batch.count] = batch.group[batch.count - 1];
            batch.response[batch.count] = batch.response[batch.count - 1];
        }
        for (int32_t g = 0; g < batch.count; g += 2) {
            int64_t first = q - begin + TL_LANES * g;
            pack_hessian(&batch.group[g], &batch.response[g],
                         (TlFloat8 *)tl_packed_at(packed, PACKED, first),
                         (TlFloat4 *)(diagonal + 32 * first));
        }
        for (int32_t g = 0; hess != NULL && g < batch.count; g++) {
            Target target = target_of(hess, HESSIAN, batch.group[g].quad, begin);
            write_hessian(&batch.group[g], &batch.response[g], &target);
        }
    }
}

/* Minus the damping force: stress tau K de/dt, K the tangent where a law acts. */
TL_HOT static void quad_damp(const TlModel *model, const double *x, const double *v, int32_t begin,
                             int32_t end, double *grad) {
    const TlQuadSet *set = &model->sets.quads;
    for (int32_t q = begin; q < end; q += TL_LANES) {
        Group group;
        Response response;
        Wide V[3][3], e[6], rate[6];
        load_group(set, x, q, end, &group);
        load_vectors(set, v, group.quad, V);
        strain_of(set, group.quad, group.X, e);
        respond(model, group.quad, e, WANT_STIFFNESS, &response);
        for (int A = 0; A < 3; A++) {
            for (int B = A; B < 3; B++) {
                rate[PLACE[A][B]] = wide_dot(group.X[A], V[B]);
                rate[PLACE[A][B]] += A != B ? wide_dot(group.X[B], V[A]) : tl_double4(0.0);
            }
        }
        multiply(response.K, rate, response.s);
        for (int l = 0; l < TL_LANES; l++) {
            const TlMaterial *m = &model->materials[set->material[group.quad[l]]];
            for (int i = 0; i < 6; i++) {
                response.s[i][l] *= m->stretch_damping_s;
            }
        }
        write_gradient(&group, response.s, 0, grad);
    }
}

TlElements tl_stretch_quad(const TlModel *model) {
    const TlQuadSet *set = &model->sets.quads;
    return (TlElements){.name = "stretch quad",
                        .group = TL_ENERGY_STRETCH,
                        .count = set->count,
                        .arity = 4,
                        .vertex = set->vertex,
                        .hessian = TL_HESSIAN_BLOCKS,
                        .vectors = 3,
                        .model = model,
                        .value = quad_value,
                        .derive = quad_derive,
                        .pack = quad_pack,
                        .damp = quad_damp};
}
