/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Shells: E = k_e/2 (theta - theta0)^2 with the fold angle theta.
 *
 * [GHDS03] Grinspun, Hirani, Desbrun, Schroeder: Discrete shells, 2003.
 * [TG13] Tamstorf, Grinspun: Discrete bending forces and their Jacobians, 2013.
 *
 * Hessian k_e (g g^T + phi Hess theta), phi = theta - theta0, with negative eigenvalues set to 0.
 * Let u_A be the motion of A against its foot on the edge, w that of D against C, n_A and m_A the
 * normal and the direction from the edge to A, t the edge, and p = u_A/h_A, q = u_B/h_B, z = w/l.
 * Then ([TG13], sorted)
 *     dtheta  = n_A.p + n_B.q
 *     d2theta = - 2 (n_A.p)(m_A.p) - 2 (n_A.z)(t.p) - (n_A.z)(m_A.z) - the same of B and q
 * In the even and odd parts of p and q under the reflection that exchanges A and B, and with z
 * along the bisectors N = cos(theta/2) n_A + sin(theta/2) m_A and b = cos m_A - sin n_A, the form
 * falls into four blocks [[a, b], [b, 0]]. Each has one positive eigenvalue; we keep just these,
 * as four rows, in the scaled motions p, q, z. */
#include "force/bend_dihedral.h"

#include "base/elementary.h"
#include "rest/hinge.h"

enum { DIHEDRAL_ROWS = 4 };

static double dihedral_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_DIHEDRAL];
    double total = 0.0;
    for (int32_t h = begin; h < end; h++) {
        TlHinge hinge = tl_hinge_at(set, at->x, h);
        double phi = tl_hinge_angle(&hinge).theta - set->rest_theta[h];
        total += 0.5 * set->k_e[h] * phi * phi;
    }
    return total;
}

/* The positive part s s^T of [[a, b], [b, 0]]. */
static void positive_part(double a, double b, double s[2]) {
    double root = sqrt(a * a + 4.0 * b * b);
    double value = a > 0.0 ? 0.5 * (a + root) : root > 0.0 ? 2.0 * b * b / (root - a) : 0.0;
    double size2 = value * value + b * b, scale = size2 > 0.0 ? sqrt(value / size2) : 0.0;
    s[0] = scale * value;
    s[1] = scale * b;
}

/* s0 a + s1 b */
static TlVec3 mix(double s0, TlVec3 a, double s1, TlVec3 b) {
    return tl_madd3(tl_scale3(s0, a), s1, b);
}

/* Even and odd parts are (p + q) and (p - q) over the square root of two. */
static void write_rows(const TlHingeSet *set, int32_t h, const TlHingeAngle *f, double phi,
                       double *rows) {
    static const TlVec3 none = {0, 0, 0};
    const double half = sqrt(0.5), root2 = sqrt(2.0);
    TlVec3 nA = f->normal_a, nB = f->normal_b, mA = tl_cross3(nA, f->t), mB = tl_cross3(f->t, nB);
    double c = tl_cos(0.5 * f->theta), s = tl_sin(0.5 * f->theta), turn = 2.0 * s * c;
    TlVec3 N = mix(c, nA, s, mA), b = mix(c, mA, -s, nA);
    int32_t size = 3 * (set->first[h + 1] - set->first[h]);
    double scale = sqrt(set->k_e[h]), v[2];
    TlVec3 g[TL_HINGE_POINTS], p, q;
    /* normals against heights, even and odd */
    for (int odd = 0; odd < 2; odd++, rows += size) {
        positive_part(odd == 1 ? 0.0 : 2.0, -phi, v);
        p = mix(half * v[0], nA, half * v[1], mA);
        q = mix(half * v[0], nB, half * v[1], mB);
        tl_hinge_row(f, p, odd == 1 ? tl_scale3(-1.0, q) : q, none, g);
        tl_hinge_spread(set, h, scale, g, rows);
    }
    /* turns of the edge against sliding along it, even and odd */
    for (int odd = 0; odd < 2; odd++, rows += size) {
        positive_part(odd == 1 ? phi * turn : -phi * turn,
                      odd == 1 ? root2 * phi * s : -root2 * phi * c, v);
        p = tl_scale3(half * v[1], f->t);
        q = odd == 1 ? tl_scale3(-1.0, p) : p;
        tl_hinge_row(f, p, q, tl_scale3(v[0], odd == 1 ? b : N), g);
        tl_hinge_spread(set, h, scale, g, rows);
    }
}

static void dihedral_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                            double *grad, double *hess) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_DIHEDRAL];
    for (int32_t h = begin; h < end; h++) {
        int64_t first = set->first[h];
        TlHinge hinge = tl_hinge_at(set, at->x, h);
        TlHingeAngle angle = tl_hinge_angle(&hinge);
        double phi = angle.theta - set->rest_theta[h];
        TlVec3 g[TL_HINGE_POINTS];
        tl_hinge_grad_theta(&angle, g);
        tl_hinge_spread(set, h, set->k_e[h] * phi, g, grad + 3 * first);
        if (hess != NULL) {
            write_rows(set, h, &angle, phi, hess + 3 * DIHEDRAL_ROWS * first);
        }
    }
}

TlElements tl_bend_dihedral(const TlModel *model) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_DIHEDRAL];
    return (TlElements){.name = "bend dihedral",
                        .group = TL_ENERGY_BEND,
                        .count = set->count,
                        .first = set->first,
                        .vertex = set->vertex,
                        .hessian = DIHEDRAL_ROWS,
                        .model = model,
                        .value = dihedral_value,
                        .derive = dihedral_derive};
}
