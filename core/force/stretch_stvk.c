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
 * at the start of the step, so that slack cloth is free to wrinkle.
 *
 * Four triangles go through side by side; triangles with a law answer one by one in between. */
#include "force/stretch_stvk.h"

#include "base/lanes.h"
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

/* ---- four triangles ---- */

enum { HESSIAN = 54, PACKED = 21 };

typedef TlDouble4 Wide;

/* The triangles in the lanes; at the end of a range the last one is repeated. */
typedef struct Group {
    int32_t triangle[TL_LANES];
    bool laws; /* some of them have a law of compression */
    Wide U[3], V[3], eps[3];
    Wide g[4], area;
} Group;

/* What they answer to their strain, per area. */
typedef struct Response {
    Wide energy, S[3], C[6];
} Response;

TL_INLINE Wide wide_dot(const Wide a[3], const Wide b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Number i of `stride` that each of the triangles has. */
TL_INLINE Wide load_lanes(const double *values, int32_t stride, const int32_t *triangle,
                          int32_t i) {
    return (Wide){
        values[stride * (int64_t)triangle[0] + i], values[stride * (int64_t)triangle[1] + i],
        values[stride * (int64_t)triangle[2] + i], values[stride * (int64_t)triangle[3] + i]};
}

/* Strain at positions x. */
TL_INLINE void load_strain(const TlTriangleSet *set, const double *x, Group *group) {
    const double *p[3][TL_LANES];
    for (int l = 0; l < TL_LANES; l++) {
        for (int k = 0; k < 3; k++) {
            p[k][l] = x + 3 * (int64_t)set->vertex[3 * (int64_t)group->triangle[l] + k];
        }
    }
    for (int i = 0; i < 3; i++) {
        Wide p0 = {p[0][0][i], p[0][1][i], p[0][2][i], p[0][3][i]};
        Wide d1 = (Wide){p[1][0][i], p[1][1][i], p[1][2][i], p[1][3][i]} - p0;
        Wide d2 = (Wide){p[2][0][i], p[2][1][i], p[2][2][i], p[2][3][i]} - p0;
        group->U[i] = group->g[0] * d1 + group->g[2] * d2;
        group->V[i] = group->g[1] * d1 + group->g[3] * d2;
    }
    group->eps[0] = 0.5 * (wide_dot(group->U, group->U) - 1.0);
    group->eps[1] = 0.5 * (wide_dot(group->V, group->V) - 1.0);
    group->eps[2] = wide_dot(group->U, group->V);
}

/* Triangle t and the next ones before `end`, at positions x. */
TL_INLINE void load_group(const TlModel *model, const double *x, int32_t t, int32_t end,
                          Group *out) {
    const TlTriangleSet *set = &model->sets.triangles;
    out->laws = false;
    for (int l = 0; l < TL_LANES; l++) {
        out->triangle[l] = t + l < end ? t + l : end - 1;
        const TlMaterial *m = &model->materials[set->material[out->triangle[l]]];
        out->laws = out->laws || !tl_compression_is_plain(m);
    }
    for (int i = 0; i < 4; i++) {
        out->g[i] = load_lanes(set->g, 4, out->triangle, i);
    }
    out->area = load_lanes(set->area, 1, out->triangle, 0);
    load_strain(set, x, out);
}

/* S = C eps */
TL_INLINE void wide_multiply(const Wide C[6], const Wide eps[3], Wide S[3]) {
    S[0] = C[0] * eps[0] + C[1] * eps[1] + C[2] * eps[2];
    S[1] = C[1] * eps[0] + C[3] * eps[1] + C[4] * eps[2];
    S[2] = C[2] * eps[0] + C[4] * eps[1] + C[5] * eps[2];
}

/* Puts the law in the place of K where there is one. */
static void apply_laws(const TlModel *model, const TlPoint *at, const Group *group, Response *out) {
    for (int l = 0; l < TL_LANES; l++) {
        int32_t t = group->triangle[l];
        Strain s;
        if (tl_compression_is_plain(&model->materials[model->sets.triangles.material[t]])) {
            continue;
        }
        TlMembrane law = law_of(model, at, t, &s);
        out->energy[l] = law.energy_J_per_m2;
        for (int i = 0; i < 3; i++) {
            out->S[i][l] = law.S[i];
        }
        for (int i = 0; i < 6; i++) {
            out->C[i][l] = law.C[i];
        }
    }
}

/* Stiffness and damping weights of the materials; false when none damps. Most triangles have the
 * material of their neighbours. */
TL_INLINE bool load_materials(const TlModel *model, const TlPoint *at, const int32_t *triangle,
                              Wide C[6], Wide *rate) {
    const int32_t *material = model->sets.triangles.material;
    const TlMaterial *m = &model->materials[material[triangle[0]]];
    bool same = true, damped = tl_damping_rate(m, at) > 0.0;
    for (int l = 1; l < TL_LANES; l++) {
        same = same && material[triangle[l]] == material[triangle[0]];
    }
    C[0] = tl_double4(m->K11);
    C[1] = tl_double4(m->K12);
    C[3] = tl_double4(m->K22);
    C[5] = tl_double4(m->K33);
    C[2] = C[4] = tl_double4(0.0);
    *rate = tl_double4(tl_damping_rate(m, at));
    for (int l = 1; l < TL_LANES && !same; l++) {
        m = &model->materials[material[triangle[l]]];
        C[0][l] = m->K11;
        C[1][l] = m->K12;
        C[3][l] = m->K22;
        C[5][l] = m->K33;
        (*rate)[l] = tl_damping_rate(m, at);
        damped = damped || (*rate)[l] > 0.0;
    }
    return damped;
}

/* Energy, stress and stiffness, with damping as a potential over the step. */
TL_INLINE void respond(const TlModel *model, const TlPoint *at, const Group *group, Response *out) {
    const TlTriangleSet *set = &model->sets.triangles;
    Wide rate;
    bool damped = load_materials(model, at, group->triangle, out->C, &rate);
    wide_multiply(out->C, group->eps, out->S);
    out->energy = 0.5 * wide_dot(group->eps, out->S);
    if (damped) {
        Group start = *group;
        Wide change[3], S[3];
        load_strain(set, at->x_start, &start);
        for (int i = 0; i < 3; i++) {
            change[i] = group->eps[i] - start.eps[i];
        }
        wide_multiply(out->C, change, S);
        out->energy += 0.5 * rate * wide_dot(change, S);
        for (int i = 0; i < 3; i++) {
            out->S[i] += rate * S[i];
        }
        for (int i = 0; i < 6; i++) {
            out->C[i] += rate * out->C[i];
        }
    }
    if (group->laws) {
        apply_laws(model, at, group, out);
    }
}

/* Positive part of the symmetric 2x2 matrices (S0, S2; S2, S1), in place: eigenvalues m +- r with
 * S = m I + D, |D| = r, become h and l, so S+ = (h + l)/2 I + (h - l)/(2 r) D. */
TL_INLINE void clamp_stress(Wide S[3]) {
    Wide mean = 0.5 * (S[0] + S[1]), half = 0.5 * (S[0] - S[1]);
    Wide radius = tl_sqrt4(half * half + S[2] * S[2]);
    Wide high = tl_positive4(mean + radius), low = tl_positive4(mean - radius);
    Wide centre = 0.5 * (high + low), scale = 0.5 * (high - low) / (radius + 1e-200);
    S[0] = centre + scale * half;
    S[1] = centre - scale * half;
    S[2] = scale * S[2];
}

#define TRIANGLE_WIDE Wide
#define TRIANGLE(name) double_##name
#include "force/triangle_blocks.h"
#undef TRIANGLE_WIDE
#undef TRIANGLE
#define TRIANGLE_WIDE TlFloat8
#define TRIANGLE(name) single_##name
#include "force/triangle_blocks.h"
#undef TRIANGLE_WIDE
#undef TRIANGLE

/* S is clamped. */
TL_INLINE void corner_blocks(const Group *group, const Response *response, Wide M[3][9]) {
    double_Taut taut;
    for (int i = 0; i < 3; i++) {
        taut.U[i] = group->U[i];
        taut.V[i] = group->V[i];
        taut.S[i] = group->area * response->S[i];
    }
    for (int i = 0; i < 4; i++) {
        taut.g[i] = group->g[i];
    }
    for (int i = 0; i < 6; i++) {
        taut.C[i] = group->area * response->C[i];
    }
    double_corner_blocks(&taut, M);
}

TL_INLINE TlFloat8 narrow8(Wide low, Wide high) {
    return tl_join8(tl_narrow4(low), tl_narrow4(high));
}

/* The same of two groups in single precision. */
TL_INLINE void single_blocks(const Group group[2], const Response response[2], TlFloat8 M[3][9]) {
    single_Taut taut;
    Wide area0 = group[0].area, area1 = group[1].area;
    for (int i = 0; i < 3; i++) {
        taut.U[i] = narrow8(group[0].U[i], group[1].U[i]);
        taut.V[i] = narrow8(group[0].V[i], group[1].V[i]);
        taut.S[i] = narrow8(area0 * response[0].S[i], area1 * response[1].S[i]);
    }
    for (int i = 0; i < 4; i++) {
        taut.g[i] = narrow8(group[0].g[i], group[1].g[i]);
    }
    for (int i = 0; i < 6; i++) {
        taut.C[i] = narrow8(area0 * response[0].C[i], area1 * response[1].C[i]);
    }
    single_corner_blocks(&taut, M);
}

/* Gradient by the corners, into `grad`, which starts at triangle `base`. */
TL_INLINE void wide_gradient(const Group *group, const Wide S[3], int32_t base, double *grad) {
    for (int i = 0; i < 3; i++) {
        Wide u = group->area * (S[0] * group->U[i] + S[2] * group->V[i]);
        Wide v = group->area * (S[2] * group->U[i] + S[1] * group->V[i]);
        Wide g1 = group->g[0] * u + group->g[1] * v, g2 = group->g[2] * u + group->g[3] * v;
        Wide g0 = -(g1 + g2);
        for (int l = 0; l < TL_LANES; l++) {
            double *out = grad + 9 * (int64_t)(group->triangle[l] - base) + i;
            out[0] = g0[l];
            out[3] = g1[l];
            out[6] = g2[l];
        }
    }
}

/* All blocks (a, b), a <= b, of each triangle: rows and columns sum to zero. */
TL_INLINE void wide_hessian(const Group *group, Wide M[3][9], int32_t base, double *hess) {
    for (int i = 0; i < 9; i++) {
        int t = 3 * (i % 3) + i / 3;
        Wide with1 = -(M[0][i] + M[2][t]), with2 = -(M[2][i] + M[1][i]), own = -(with1 + with2);
        for (int l = 0; l < TL_LANES; l++) {
            double *out = hess + HESSIAN * (int64_t)(group->triangle[l] - base) + i;
            out[0] = own[l];
            out[9] = with1[l];
            out[18] = with2[l];
            out[27] = M[0][i][l];
            out[36] = M[2][i][l];
            out[45] = M[1][i][l];
        }
    }
}

/* The upper half of a diagonal block of one corner, for four of the triangles. */
TL_INLINE void pack_corner(const TlFloat4 upper[6], TlFloat4 *out) {
    TlFloat4 d[8];
    for (int i = 0; i < 6; i++) {
        d[i] = upper[i];
    }
    d[6] = d[7] = tl_float4(0.0F);
    tl_transpose4(&d[0], &d[1], &d[2], &d[3]);
    tl_transpose4(&d[4], &d[5], &d[6], &d[7]);
    for (int l = 0; l < TL_LANES; l++) {
        out[6 * l] = d[l];
        out[6 * l + 1] = d[4 + l];
    }
}

TL_INLINE void wide_pack(TlFloat8 M[3][9], TlFloat8 *packed, TlFloat4 *diagonal) {
    static const int upper[6] = {0, 1, 2, 4, 5, 8}, lower[6] = {0, 3, 6, 4, 7, 8};
    TlFloat4 low[3][6], high[3][6];
    for (int i = 0; i < 6; i++) {
        int u = upper[i], t = lower[i];
        TlFloat8 corner[3] = {(M[0][u] + M[1][u]) + (M[2][u] + M[2][t]), M[0][u], M[1][u]};
        packed[i] = M[0][u];
        packed[6 + i] = M[1][u];
        for (int k = 0; k < 3; k++) {
            low[k][i] = tl_low4(corner[k]);
            high[k][i] = tl_high4(corner[k]);
        }
    }
    for (int i = 0; i < 9; i++) {
        packed[12 + i] = M[2][i];
    }
    for (int k = 0; k < 3; k++) {
        pack_corner(low[k], diagonal + 2 * k);
        pack_corner(high[k], diagonal + 6 * TL_LANES + 2 * k);
    }
}

/* ---- the energy ---- */

TL_HOT static double stvk_value(const TlModel *model, const TlPoint *at, int32_t begin,
                                int32_t end) {
    double total = 0.0;
    for (int32_t t = begin; t < end; t += TL_LANES) {
        Group group;
        Response response;
        load_group(model, at->x, t, end, &group);
        respond(model, at, &group, &response);
        Wide energy = group.area * response.energy;
        for (int32_t l = 0; l < TL_LANES && t + l < end; l++) {
            total += energy[l];
        }
    }
    return total;
}

TL_HOT static void stvk_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                               double *grad, double *hess) {
    for (int32_t t = begin; t < end; t += TL_LANES) {
        Group group;
        Response response;
        load_group(model, at->x, t, end, &group);
        respond(model, at, &group, &response);
        wide_gradient(&group, response.S, 0, grad);
        if (hess != NULL) {
            Wide M[3][9];
            clamp_stress(response.S);
            corner_blocks(&group, &response, M);
            wide_hessian(&group, M, 0, hess);
        }
    }
}

/* Eight at a time; behind the last one come others that are not wanted, for which there is room. */
TL_HOT static void stvk_pack(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                             double *grad, float *packed, float *diagonal, double *hess) {
    for (int32_t t = begin; t < end; t += TL_WIDE) {
        Group group[2];
        Response response[2];
        TlFloat8 M[3][9];
        for (int k = 0; k < 2; k++) {
            int32_t first = t + TL_LANES * k < end ? t + TL_LANES * k : end - 1;
            load_group(model, at->x, first, end, &group[k]);
            respond(model, at, &group[k], &response[k]);
            wide_gradient(&group[k], response[k].S, begin, grad);
            clamp_stress(response[k].S);
            if (hess != NULL) {
                Wide exact[3][9];
                corner_blocks(&group[k], &response[k], exact);
                wide_hessian(&group[k], exact, begin, hess);
            }
        }
        single_blocks(group, response, M);
        wide_pack(M, (TlFloat8 *)tl_packed_at(packed, PACKED, t - begin),
                  (TlFloat4 *)(diagonal + 24 * (int64_t)(t - begin)));
    }
}

static void write_gradient(const Strain *s, const double gu[3], const double gv[3],
                           const double S[3], double area, double *out) {
    for (int i = 0; i < 3; i++) {
        double a = area * (S[0] * gu[i] + S[2] * gv[i]), b = area * (S[2] * gu[i] + S[1] * gv[i]);
        tl_store3(out + 3 * i, tl_madd3(tl_scale3(a, s->U), b, s->V));
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
                        .vectors = 2,
                        .model = model,
                        .value = stvk_value,
                        .derive = stvk_derive,
                        .pack = stvk_pack,
                        .damp = stvk_damp};
}

TlStvkDetail tl_stretch_stvk_detail(const TlModel *model, const double *x, int32_t t) {
    TlPoint at = {.x = x};
    Group group;
    Response response;
    Wide M[3][9];
    double blocks[HESSIAN];
    load_group(model, x, t, t + 1, &group);
    respond(model, &at, &group, &response);
    TlStvkDetail detail = {{group.eps[0][0], group.eps[1][0], group.eps[2][0]},
                           group.area[0] * response.energy[0],
                           0.0};
    clamp_stress(response.S);
    corner_blocks(&group, &response, M);
    wide_hessian(&group, M, t, blocks);
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
