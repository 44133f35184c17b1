/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Two laws of compression, both with a continuous stress; see compression.h.
 *
 * Factor q: W = 1/2 (k11 eps_uu^2 + k22 eps_vv^2 + K33 eps_uv^2) + K12 eps_uu eps_vv, where k11 is
 * q K11 while eps_uu < 0 and K11 else, k22 alike. K12 stays, or the stress would jump. Convex for q
 * >= |K12| / sqrt(K11 K22).
 *
 * Tension field ([P86] Pipkin: The relaxed energy density for isotropic elastic membranes, 1986):
 * cloth that would be compressed wrinkles instead, at no cost. With principal strains e1 >= e2 of
 * an isotropic fabric: slack (e1 <= 0) W = 0; wrinkled (e2 + nu e1 < 0) W = 1/2 E e1^2; else W is
 * that of K. Convex in the strain, so the tangent is positive semi-definite as it is. */
#include "rest/compression.h"

static TlMembrane linear_law(const TlMaterial *m, const double eps[3], double k11, double k22) {
    TlMembrane out = {
        .S = {k11 * eps[0] + m->K12 * eps[1], m->K12 * eps[0] + k22 * eps[1], m->K33 * eps[2]},
        .C = {k11, m->K12, 0.0, k22, 0.0, m->K33}};
    out.energy_J_per_m2 = 0.5 * (eps[0] * out.S[0] + eps[1] * out.S[1] + eps[2] * out.S[2]);
    return out;
}

/* Principal strains e1 >= e2, and the axes: e1 - e2 = 2 radius, half and shear are radius times the
 * cosine and sine of the double angle. */
typedef struct Principal {
    double e1, e2, radius, half, shear;
} Principal;

static Principal principal_strains(const double eps[3]) {
    double mean = 0.5 * (eps[0] + eps[1]), half = 0.5 * (eps[0] - eps[1]), shear = 0.5 * eps[2];
    double radius = sqrt(half * half + shear * shear);
    return (Principal){mean + radius, mean - radius, radius, half, shear};
}

/* Tension e1 along one direction only: S = E e1 a. The direction turns with the strain, which adds
 * the shear stiffness E e1 / (2 (e1 - e2)) across it. */
static TlMembrane wrinkled_law(double E, const Principal *p) {
    double c = p->half / p->radius, s = p->shear / p->radius;
    const double a[3] = {0.5 * (1.0 + c), 0.5 * (1.0 - c), 0.5 * s}, b[3] = {-s, s, c};
    double G = E * p->e1 / (4.0 * p->radius);
    TlMembrane out = {.energy_J_per_m2 = 0.5 * E * p->e1 * p->e1};
    for (int i = 0, at = 0; i < 3; i++) {
        out.S[i] = E * p->e1 * a[i];
        for (int j = i; j < 3; j++, at++) {
            out.C[at] = E * a[i] * a[j] + G * b[i] * b[j];
        }
    }
    return out;
}

static TlMembrane tension_field(const TlMaterial *m, const double eps[3]) {
    Principal p = principal_strains(eps);
    if (p.e1 <= 0.0) {
        return (TlMembrane){.energy_J_per_m2 = 0.0};
    }
    if (p.e2 + m->poisson * p.e1 < 0.0) {
        return wrinkled_law(m->E1, &p);
    }
    return linear_law(m, eps, m->K11, m->K22);
}

bool tl_compression_is_taut(const TlMaterial *m, const double eps[3]) {
    if (m->compression == TOILE_COMPRESSION_TENSION_FIELD) {
        Principal p = principal_strains(eps);
        return p.e1 > 0.0 && p.e2 + m->poisson * p.e1 >= 0.0;
    }
    return m->compression_factor == 1.0 || (eps[0] >= 0.0 && eps[1] >= 0.0);
}

TlMembrane tl_compression(const TlMaterial *m, const double eps[3]) {
    if (m->compression == TOILE_COMPRESSION_TENSION_FIELD) {
        return tension_field(m, eps);
    }
    double q = m->compression_factor;
    return linear_law(m, eps, eps[0] < 0.0 ? q * m->K11 : m->K11,
                      eps[1] < 0.0 ? q * m->K22 : m->K22);
}
