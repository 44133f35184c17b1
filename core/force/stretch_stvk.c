/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Membrane energy of a triangle: E = A/2 eps^T K eps with the Green strain eps in weft and warp
 * axes.
 *
 * [VMF09] Volino, Magnenat-Thalmann, Faure: A simple approach to nonlinear tensile stiffness for
 * accurate cloth simulation, 2009. F = [U V] = sum x_i g_i^T, eps = ((U.U - 1)/2, (V.V - 1)/2,
 * U.V), S = K eps, grad_i = A F S g_i, Hessian A [B_i^T K B_j + (g_i . S g_j) I]. For the
 * projection S is replaced by its positive part in the second term, which keeps the Hessian exact
 * wherever both principal stresses are tensile. Strain-rate damping adds tau/dt K (eps - eps_start)
 * to the stress: it depends on strains only, so rigid motion is never damped. A law of compression
 * (compression.h) replaces K eps by its stress and K by its tangent; damping then takes the tangent
 * at the start of the step, so that slack cloth is free to wrinkle. */
#include "force/stretch_stvk.h"

#include "base/vec.h"
#include "rest/compression.h"

typedef struct Strain {
    TlVec3 U, V;
    double eps[3];
} Strain;

static inline Strain strain_of(const double *x, const int32_t *vertex, const double *g) {
    TlVec3 x0 = tl_load3(x + 3 * (int64_t)vertex[0]);
    TlVec3 d1 = tl_sub3(tl_load3(x + 3 * (int64_t)vertex[1]), x0);
    TlVec3 d2 = tl_sub3(tl_load3(x + 3 * (int64_t)vertex[2]), x0);
    Strain s;
    s.U = tl_madd3(tl_scale3(g[0], d1), g[2], d2);
    s.V = tl_madd3(tl_scale3(g[1], d1), g[3], d2);
    s.eps[0] = 0.5 * (tl_dot3(s.U, s.U) - 1.0);
    s.eps[1] = 0.5 * (tl_dot3(s.V, s.V) - 1.0);
    s.eps[2] = tl_dot3(s.U, s.V);
    return s;
}

static inline void stress_of(const TlMaterial *m, const double eps[3], double S[3]) {
    S[0] = m->K11 * eps[0] + m->K12 * eps[1];
    S[1] = m->K12 * eps[0] + m->K22 * eps[1];
    S[2] = m->K33 * eps[2];
}

static inline double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* S = C eps, C the upper half of a symmetric matrix. */
static void multiply(const double C[6], const double eps[3], double S[3]) {
    S[0] = C[0] * eps[0] + C[1] * eps[1] + C[2] * eps[2];
    S[1] = C[1] * eps[0] + C[3] * eps[1] + C[4] * eps[2];
    S[2] = C[2] * eps[0] + C[4] * eps[1] + C[5] * eps[2];
}

/* Energy, stress and tangent of triangle t with a law of compression, damping included. Answers the
 * strain too. */
static TlMembrane law_of(const TlModel *model, const TlPoint *at, int32_t t, Strain *s) {
    const TlTriangleSet *set = &model->sets.triangles;
    const TlMaterial *m = &model->materials[set->material[t]];
    const int32_t *vertex = set->vertex + 3 * (int64_t)t;
    const double *g = set->g + 4 * (int64_t)t;
    *s = strain_of(at->x, vertex, g);
    TlMembrane law = tl_compression(m, s->eps);
    double rate = tl_damping_rate(m, at), S[3];
    if (rate > 0.0) {
        Strain s0 = strain_of(at->x_start, vertex, g);
        TlMembrane start = tl_compression(m, s0.eps);
        double change[3] = {s->eps[0] - s0.eps[0], s->eps[1] - s0.eps[1], s->eps[2] - s0.eps[2]};
        multiply(start.C, change, S);
        law.energy_J_per_m2 += 0.5 * rate * dot(change, S);
        for (int i = 0; i < 3; i++) {
            law.S[i] += rate * S[i];
        }
        for (int i = 0; i < 6; i++) {
            law.C[i] += rate * start.C[i];
        }
    }
    return law;
}

/* End of the run of triangles of one material from t on, so that laws stay out of the loops of K.
 * Cloths, and so materials, follow each other. */
static int32_t run_end(const TlTriangleSet *set, int32_t t, int32_t end) {
    int32_t material = set->material[t];
    if (set->material[end - 1] == material) {
        return end;
    }
    while (t < end && set->material[t] == material) {
        t++;
    }
    return t;
}

static double law_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    double total = 0.0;
    for (int32_t t = begin; t < end; t++) {
        Strain s;
        total += model->sets.triangles.area[t] * law_of(model, at, t, &s).energy_J_per_m2;
    }
    return total;
}

static double plain_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    const TlTriangleSet *set = &model->sets.triangles;
    double total = 0.0;
    for (int32_t t = begin; t < end; t++) {
        const TlMaterial *m = &model->materials[set->material[t]];
        const int32_t *vertex = set->vertex + 3 * (int64_t)t;
        const double *g = set->g + 4 * (int64_t)t;
        Strain s = strain_of(at->x, vertex, g);
        double S[3], density, rate = tl_damping_rate(m, at);
        stress_of(m, s.eps, S);
        density = 0.5 * dot(s.eps, S);
        if (rate > 0.0) {
            Strain s0 = strain_of(at->x_start, vertex, g);
            double change[3] = {s.eps[0] - s0.eps[0], s.eps[1] - s0.eps[1], s.eps[2] - s0.eps[2]};
            stress_of(m, change, S);
            density += 0.5 * rate * dot(change, S);
        }
        total += set->area[t] * density;
    }
    return total;
}

static double stvk_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    const TlTriangleSet *set = &model->sets.triangles;
    double total = 0.0;
    for (int32_t t = begin, next; t < end; t = next) {
        next = run_end(set, t, end);
        bool plain = tl_compression_is_plain(&model->materials[set->material[t]]);
        total += plain ? plain_value(model, at, t, next) : law_value(model, at, t, next);
    }
    return total;
}

/* Positive part of the symmetric 2x2 matrix (S0, S2; S2, S1), in place. */
static void clamp_stress(double S[3]) {
    double mean = 0.5 * (S[0] + S[1]), half = 0.5 * (S[0] - S[1]);
    double radius = sqrt(half * half + S[2] * S[2]);
    double high = mean + radius, low = mean - radius;
    if (low >= 0.0) {
        return;
    }
    if (high <= 0.0) {
        S[0] = S[1] = S[2] = 0.0;
        return;
    }
    /* high times the projector on its eigenvector, (S - low I) / (high - low) */
    double scale = high / (high - low);
    S[0] = scale * (S[0] - low);
    S[1] = scale * (S[1] - low);
    S[2] = scale * S[2];
}

/* out = a UU^T + b VV^T + c UV^T + d VU^T + s I */
static void write_block(TlVec3 U, TlVec3 V, double a, double b, double c, double d, double s,
                        double *out) {
    TlVec3 left_u = tl_madd3(tl_scale3(a, U), c, V); /* row factor of U */
    TlVec3 left_v = tl_madd3(tl_scale3(b, V), d, U); /* row factor of V */
    const double u[3] = {U.x, U.y, U.z}, v[3] = {V.x, V.y, V.z};
    for (int i = 0; i < 3; i++) {
        out[3 * i + 0] = u[i] * left_u.x + v[i] * left_v.x;
        out[3 * i + 1] = u[i] * left_u.y + v[i] * left_v.y;
        out[3 * i + 2] = u[i] * left_u.z + v[i] * left_v.z;
        out[3 * i + i] += s;
    }
}

static void write_hessian(const TlMaterial *m, const Strain *s, const double gu[3],
                          const double gv[3], const double S[3], double area, double stiffening,
                          double *out) {
    double k = area * stiffening;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            double uu = gu[i] * gu[j], vv = gv[i] * gv[j], uv = gu[i] * gv[j], vu = gv[i] * gu[j];
            double geometric = area * (S[0] * uu + S[1] * vv + S[2] * (uv + vu));
            write_block(s->U, s->V, k * (m->K11 * uu + m->K33 * vv),
                        k * (m->K22 * vv + m->K33 * uu), k * (m->K12 * uv + m->K33 * vu),
                        k * (m->K12 * vu + m->K33 * uv), geometric, out);
            out += 9;
        }
    }
}

/* The same with a tangent C that couples shear to stretch. */
static void write_law_hessian(const double C[6], const Strain *s, const double gu[3],
                              const double gv[3], const double S[3], double area, double *out) {
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            double uu = gu[i] * gu[j], vv = gv[i] * gv[j], uv = gu[i] * gv[j], vu = gv[i] * gu[j];
            double both = uv + vu, straight = C[2] * uu + C[4] * vv;
            double geometric = area * (S[0] * uu + S[1] * vv + S[2] * both);
            write_block(s->U, s->V, area * (C[0] * uu + C[2] * both + C[5] * vv),
                        area * (C[3] * vv + C[4] * both + C[5] * uu),
                        area * (C[1] * uv + straight + C[5] * vu),
                        area * (C[1] * vu + straight + C[5] * uv), geometric, out);
            out += 9;
        }
    }
}

static void write_gradient(const Strain *s, const double gu[3], const double gv[3],
                           const double S[3], double area, double *out) {
    for (int i = 0; i < 3; i++) {
        double a = area * (S[0] * gu[i] + S[2] * gv[i]), b = area * (S[2] * gu[i] + S[1] * gv[i]);
        tl_store3(out + 3 * i, tl_madd3(tl_scale3(a, s->U), b, s->V));
    }
}

static void law_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                       double *grad, double *hess) {
    const TlTriangleSet *set = &model->sets.triangles;
    for (int32_t t = begin; t < end; t++) {
        const double *g = set->g + 4 * (int64_t)t;
        const double gu[3] = {-g[0] - g[2], g[0], g[2]}, gv[3] = {-g[1] - g[3], g[1], g[3]};
        Strain s;
        TlMembrane law = law_of(model, at, t, &s);
        write_gradient(&s, gu, gv, law.S, set->area[t], grad + 9 * (int64_t)t);
        if (hess != NULL) {
            clamp_stress(law.S);
            write_law_hessian(law.C, &s, gu, gv, law.S, set->area[t], hess + 54 * (int64_t)t);
        }
    }
}

static void plain_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                         double *grad, double *hess) {
    const TlTriangleSet *set = &model->sets.triangles;
    for (int32_t t = begin; t < end; t++) {
        const TlMaterial *m = &model->materials[set->material[t]];
        const int32_t *vertex = set->vertex + 3 * (int64_t)t;
        const double *g = set->g + 4 * (int64_t)t;
        const double gu[3] = {-g[0] - g[2], g[0], g[2]}, gv[3] = {-g[1] - g[3], g[1], g[3]};
        Strain s = strain_of(at->x, vertex, g);
        double rate = tl_damping_rate(m, at), S[3], A = set->area[t];
        double eps[3] = {s.eps[0], s.eps[1], s.eps[2]};
        if (rate > 0.0) {
            Strain s0 = strain_of(at->x_start, vertex, g);
            for (int k = 0; k < 3; k++) {
                eps[k] += rate * (s.eps[k] - s0.eps[k]);
            }
        }
        stress_of(m, eps, S);
        write_gradient(&s, gu, gv, S, A, grad + 9 * (int64_t)t);
        if (hess != NULL) {
            clamp_stress(S);
            write_hessian(m, &s, gu, gv, S, A, 1.0 + rate, hess + 54 * (int64_t)t);
        }
    }
}

static void stvk_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                        double *grad, double *hess) {
    const TlTriangleSet *set = &model->sets.triangles;
    for (int32_t t = begin, next; t < end; t = next) {
        next = run_end(set, t, end);
        bool plain = tl_compression_is_plain(&model->materials[set->material[t]]);
        (plain ? plain_derive : law_derive)(model, at, t, next, grad, hess);
    }
}

/* Minus the damping force: stress tau K d eps/dt, K the tangent where a law acts. */
static void stvk_damp(const TlModel *model, const double *x, const double *v, int32_t begin,
                      int32_t end, double *grad) {
    const TlTriangleSet *set = &model->sets.triangles;
    for (int32_t t = begin; t < end; t++) {
        const TlMaterial *m = &model->materials[set->material[t]];
        const int32_t *vertex = set->vertex + 3 * (int64_t)t;
        const double *g = set->g + 4 * (int64_t)t;
        const double gu[3] = {-g[0] - g[2], g[0], g[2]}, gv[3] = {-g[1] - g[3], g[1], g[3]};
        Strain s = strain_of(x, vertex, g), w = strain_of(v, vertex, g);
        double S[3],
            rate[3] = {tl_dot3(s.U, w.U), tl_dot3(s.V, w.V), tl_dot3(s.U, w.V) + tl_dot3(s.V, w.U)};
        if (tl_compression_is_plain(m)) {
            stress_of(m, rate, S);
        } else {
            multiply(tl_compression(m, s.eps).C, rate, S);
        }
        write_gradient(&s, gu, gv, S, set->area[t] * m->stretch_damping_s, grad + 9 * (int64_t)t);
    }
}

TlElements tl_stretch_stvk(const TlModel *model) {
    const TlTriangleSet *set = &model->sets.triangles;
    return (TlElements){.name = "stretch stvk",
                        .group = TL_ENERGY_STRETCH,
                        .count = set->count,
                        .arity = 3,
                        .vertex = set->vertex,
                        .hessian = TL_HESSIAN_BLOCKS,
                        .model = model,
                        .value = stvk_value,
                        .derive = stvk_derive,
                        .damp = stvk_damp};
}

TlStvkDetail tl_stretch_stvk_detail(const TlModel *model, const double *x, int32_t t) {
    const TlTriangleSet *set = &model->sets.triangles;
    const double *g = set->g + 4 * (int64_t)t;
    const double gu[3] = {-g[0] - g[2], g[0], g[2]}, gv[3] = {-g[1] - g[3], g[1], g[3]};
    TlPoint at = {.x = x};
    Strain s;
    double blocks[54];
    /* the same as the plain path where there is no law */
    TlMembrane law = law_of(model, &at, t, &s);
    TlStvkDetail detail = {{s.eps[0], s.eps[1], s.eps[2]}, set->area[t] * law.energy_J_per_m2, 0.0};
    clamp_stress(law.S);
    write_law_hessian(law.C, &s, gu, gv, law.S, set->area[t], blocks);
    for (int a = 0; a < 3; a++) {
        const double *block = blocks + 9 * tl_block_index(3, a, a);
        detail.psd_trace += block[0] + block[4] + block[8];
    }
    return detail;
}

double tl_stretch_stvk_stretch(const TlModel *model, const double *x, int32_t t) {
    const TlTriangleSet *set = &model->sets.triangles;
    Strain s = strain_of(x, set->vertex + 3 * (int64_t)t, set->g + 4 * (int64_t)t);
    return tl_larger_stretch(s.eps);
}
