/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What a single bilinear quad answers, in the terms of the paper; see stretch_quad.h.
 *
 * [S] Schweickart, Zhai: Simulating cloth using bilinear elements, 2021: the seven strain values
 * and Khat over them. */
#include "base/vec.h"
#include "force/stretch_quad.h"
#include "rest/compression.h"

/* Strain at the middle, and [S]'s strains there. */
static void strain_at_middle(const TlQuadSet *set, const double *x, int32_t q, double z[6],
                             double eps[3]) {
    const double *r = set->rest + 6 * (int64_t)q;
    double map[9];
    TlVec3 corners[4];
    for (int k = 0; k < 4; k++) {
        corners[k] = tl_load3(x + 3 * (int64_t)set->vertex[4 * (int64_t)q + k]);
    }
    tl_quad_strains(corners, z);
    tl_quad_point_map(set->h + 4 * (int64_t)q, map);
    for (int i = 0; i < 3; i++) {
        eps[i] = map[3 * i] * (z[0] - r[0]) + map[3 * i + 1] * (z[1] - r[1]) +
                 map[3 * i + 2] * (z[2] - r[2]);
    }
}

/* The inner products of D1, D2, T from [S]'s strains, which are those of P, Q, T. */
static void to_diagonals(const double z[6], double e[6]) {
    e[0] = z[0] + z[1] + z[2];
    e[1] = z[0] + z[1] - z[2];
    e[2] = 2.0 * (z[0] - z[1]);
    e[3] = z[3] + z[4];
    e[4] = z[3] - z[4];
    e[5] = z[5];
}

/* The stiffness over the inner products of D1, D2, T as a form of two of [S]'s strains. */
static double khat_form(const double k[TL_KHAT], int i, int j) {
    double zi[6] = {0}, zj[6] = {0}, ei[6], ej[6], sum = 0.0;
    zi[i] = zj[j] = 1.0;
    to_diagonals(zi, ei);
    to_diagonals(zj, ej);
    for (int a = 0; a < 6; a++) {
        for (int b = 0; b < 6; b++) {
            sum += ei[a] * k[a <= b ? tl_block_index(6, a, b) : tl_block_index(6, b, a)] * ej[b];
        }
    }
    return sum;
}

/* The 7x7 stiffness over [S]'s strains. Its last row and column follow from zero stress at rest. */
static void khat_of(const TlQuadSet *set, int32_t q, double Khat[49]) {
    const double *k = set->khat + TL_KHAT * (int64_t)q, *r = set->rest + 6 * (int64_t)q;
    Khat[48] = 0.0;
    for (int i = 0; i < 6; i++) {
        Khat[7 * i + 6] = 0.0;
        for (int j = 0; j < 6; j++) {
            Khat[7 * i + j] = i <= j ? khat_form(k, i, j) : Khat[7 * j + i];
            Khat[7 * i + 6] -= Khat[7 * i + j] * r[j];
        }
        Khat[42 + i] = Khat[7 * i + 6];
        Khat[48] -= Khat[7 * i + 6] * r[i];
    }
}

/* The same model with quad q as its first. */
static TlModel begin_at(const TlModel *model, int32_t q) {
    TlModel view = *model;
    TlQuadSet *set = &view.sets.quads;
    set->first += q;
    set->vertex += 4 * (int64_t)q;
    set->material += q;
    set->khat += TL_KHAT * (int64_t)q;
    set->rest += 6 * (int64_t)q;
    set->count = 1;
    return view;
}

TlQuadDetail tl_stretch_quad_detail(const TlModel *model, const double *x, int32_t q) {
    TlModel view = begin_at(model, q);
    TlElements elements = tl_stretch_quad(&view);
    TlPoint at = {.x = x};
    double grad[12], hess[90];
    TlQuadDetail detail = {.strain_hat = {0, 0, 0, 0, 0, 0, 1.0}};
    strain_at_middle(&model->sets.quads, x, q, detail.strain_hat, detail.strain);
    khat_of(&model->sets.quads, q, detail.Khat);
    detail.energy_J = elements.value(&view, &at, 0, 1);
    elements.derive(&view, &at, 0, 1, grad, hess);
    for (int a = 0; a < 4; a++) {
        const double *block = hess + 9 * tl_block_index(4, a, a);
        detail.psd_trace += block[0] + block[4] + block[8];
    }
    return detail;
}

double tl_stretch_quad_stretch(const TlModel *model, const double *x, int32_t q) {
    double z[6], eps[3];
    strain_at_middle(&model->sets.quads, x, q, z, eps);
    return tl_larger_stretch(eps);
}
