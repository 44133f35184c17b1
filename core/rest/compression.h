/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The membrane law of a fabric whose resistance to compression differs from that to tension:
 * energy, stress and tangent at a Green strain, per rest area. It stands with the rest state
 * because quads keep their quadrature points for it. */
#ifndef TL_COMPRESSION_H
#define TL_COMPRESSION_H

#include "base/vec.h"
#include "rest/material.h"

/* Whether compression is resisted as tension is, so that stress is K times strain. */
static inline bool tl_compression_is_plain(const TlMaterial *m) {
    return m->compression == TOILE_COMPRESSION_FACTOR && m->compression_factor == 1.0;
}

/* Larger principal stretch at a strain (weft, warp, engineering shear): the square root of the
 * larger eigenvalue of F^T F. */
static inline double tl_larger_stretch(const double eps[3]) {
    double difference = eps[0] - eps[1];
    double largest = 1.0 + eps[0] + eps[1] + sqrt(difference * difference + eps[2] * eps[2]);
    return sqrt(tl_max(largest, 0.0));
}

typedef struct TlMembrane {
    double energy_J_per_m2;
    double S[3]; /* stress in weft, warp and shear, N/m */
    double C[6]; /* its derivative by strain, upper half row by row, positive semi-definite, N/m */
} TlMembrane;

/* Whether the law is that of K at the strain (weft, warp, engineering shear). */
bool tl_compression_is_taut(const TlMaterial *m, const double eps[3]);
/* The law at a strain. */
TlMembrane tl_compression(const TlMaterial *m, const double eps[3]);

#endif
