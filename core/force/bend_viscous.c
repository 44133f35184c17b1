/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Viscous bending of hinges: resists the rate of the fold, never rigid motion.
 *
 * [V] Volino, Magnenat-Thalmann: Simple linear bending stiffness in particle systems, 2006, Eq. 18
 * damps R' = sum alpha_J V_J, which resists rigid rotation and makes a torque. Two forms without
 * these faults:
 *
 * - scalar: F_J = -nu r' grad_J r, and the same of the angle theta for the angle models. Over a
 *   step, as a potential: nu/(2 dt) (r - r_start)^2, exactly blind to rigid motion of any size.
 * - projected: F = Pi(-nu alpha alpha^T Pi V), where Pi removes the best rigid motion of the four
 *   points A, B, C, D, each weighing the same; it keeps the damping across N. Over a step, Pi is
 *   that of its start: nu/(2 dt) |alpha^T Pi (x - x_start)|^2. Forces on A and B go to their
 *   corners by their shares, which keeps force and torque.
 *
 * nu is lambda with the viscous modulus in place of the elastic one. */
#include "force/bend_viscous.h"

#include "rest/hinge.h"

#define PI 3.14159265358979323846
/* points closer to a line than this, by the determinant of their inertia over its cubed trace */
#define COLLINEAR 1e-12

enum { PROJECTED_ROWS = 3 };

static bool has_angle(TlHingeKind kind) {
    return kind == TL_HINGE_DIHEDRAL || kind == TL_HINGE_NORMAL;
}

static bool is_projected(const TlModel *model, TlHingeKind kind, int32_t h) {
    const TlMaterial *m = &model->materials[model->sets.hinges[kind].material[h]];
    return !has_angle(kind) && m->bend_damping_model == TOILE_BEND_DAMPING_PROJECTED;
}

/* ---- scalar ---- */

/* Viscosity of r, or of theta: there r is theta times hA hB/(hA + hB). */
static double viscosity_of(const TlHingeSet *set, TlHingeKind kind, int32_t h) {
    double hA = set->height_a[h], hB = set->height_b[h], lever = hA * hB / (hA + hB);
    return set->viscosity[h] * (has_angle(kind) ? lever * lever : 1.0);
}

/* r or theta, and its gradient. */
static double fold_of(const TlHingeSet *set, TlHingeKind kind, const double *x, int32_t h,
                      TlVec3 g[TL_HINGE_POINTS]) {
    TlHinge hinge = tl_hinge_at(set, x, h);
    if (has_angle(kind)) {
        TlHingeAngle angle = tl_hinge_angle(&hinge);
        tl_hinge_grad_theta(&angle, g);
        return angle.theta;
    }
    TlHingeBend bend = tl_hinge_bend(&hinge);
    tl_hinge_grad_r(&hinge, &bend, g);
    return bend.r;
}

/* Change of the fold over the step, and the gradient at its end. */
static double fold_change(const TlHingeSet *set, TlHingeKind kind, const TlPoint *at, int32_t h,
                          TlVec3 g[TL_HINGE_POINTS]) {
    double change = -fold_of(set, kind, at->x_start, h, g);
    change += fold_of(set, kind, at->x, h, g);
    /* a fold that passes half a turn goes on */
    if (has_angle(kind)) {
        change -= change > PI ? 2.0 * PI : 0.0;
        change += change < -PI ? 2.0 * PI : 0.0;
    }
    return change;
}

/* ---- projected ---- */

/* Pseudo-inverse of the inertia of points on a line along `axis`: I = sum y^2 (1 - axis axis^T). */
static void invert_line(double trace, TlVec3 axis, double out[9]) {
    const double a[3] = {axis.x, axis.y, axis.z};
    for (int i = 0; i < 9; i++) {
        double along = a[i / 3] * a[i % 3];
        out[i] = trace > TL_LEAST_AREA ? 2.0 / trace * ((i % 4 == 0 ? 1.0 : 0.0) - along) : 0.0;
    }
}

/* Points against their mean, and the inverse of their inertia. */
static TlMat3 inverse_inertia(const TlHinge *hinge, TlVec3 y[TL_HINGE_POINTS]) {
    TlVec3 mean = tl_scale3(0.25, tl_add3(tl_add3(hinge->a, hinge->b), hinge->e)), longest = {0};
    const TlVec3 points[TL_HINGE_POINTS] = {hinge->a, hinge->b, {0, 0, 0}, hinge->e};
    double I[9] = {0}, trace, least;
    TlMat3 out;
    for (int k = 0; k < TL_HINGE_POINTS; k++) {
        y[k] = tl_sub3(points[k], mean);
        const double p[3] = {y[k].x, y[k].y, y[k].z};
        for (int i = 0; i < 9; i++) {
            I[i] += (i % 4 == 0 ? tl_dot3(y[k], y[k]) : 0.0) - p[i / 3] * p[i % 3];
        }
        longest = tl_dot3(y[k], y[k]) > tl_dot3(longest, longest) ? y[k] : longest;
    }
    trace = I[0] + I[4] + I[8];
    least = COLLINEAR * trace * trace * trace;
    double det = I[0] * (I[4] * I[8] - I[5] * I[7]) + I[1] * (I[5] * I[6] - I[3] * I[8]) +
                 I[2] * (I[3] * I[7] - I[4] * I[6]);
    if (!(det > least) || !tl_invert_spd3(I, out.m)) {
        invert_line(trace, tl_unit3(longest), out.m);
    }
    return out;
}

/* Rows g_k with g_k . V = (alpha^T Pi V)_k: alpha_J e_k - (I^-1 (R x e_k)) x y_J. */
static void projected_rows(const TlHinge *hinge, TlVec3 rows[PROJECTED_ROWS][TL_HINGE_POINTS]) {
    static const TlVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    TlVec3 y[TL_HINGE_POINTS], R = tl_hinge_bend(hinge).R;
    TlMat3 inverse = inverse_inertia(hinge, y);
    for (int k = 0; k < PROJECTED_ROWS; k++) {
        TlVec3 spin = tl_mul3(&inverse, tl_cross3(R, axes[k]));
        for (int i = 0; i < TL_HINGE_POINTS; i++) {
            rows[k][i] = tl_sub3(tl_scale3(hinge->alpha[i], axes[k]), tl_cross3(spin, y[i]));
        }
    }
}

/* The rows at the start of the step, and what they make of its motion. */
static void projected_change(const TlHingeSet *set, const TlPoint *at, int32_t h,
                             TlVec3 rows[PROJECTED_ROWS][TL_HINGE_POINTS],
                             double change[PROJECTED_ROWS]) {
    TlHinge start = tl_hinge_at(set, at->x_start, h), moved = tl_hinge_at(set, at->x, h);
    projected_rows(&start, rows);
    moved.a = tl_sub3(moved.a, start.a);
    moved.b = tl_sub3(moved.b, start.b);
    moved.e = tl_sub3(moved.e, start.e);
    for (int k = 0; k < PROJECTED_ROWS; k++) {
        change[k] = tl_hinge_dot(rows[k], &moved);
    }
}

/* ---- both ---- */

/* Up to three rows of one hinge and the change, or rate, along each. */
typedef struct Damper {
    int32_t count;
    double nu;
    TlVec3 rows[PROJECTED_ROWS][TL_HINGE_POINTS];
    double change[PROJECTED_ROWS];
} Damper;

static Damper step_damper(const TlModel *model, TlHingeKind kind, const TlPoint *at, int32_t h) {
    const TlHingeSet *set = &model->sets.hinges[kind];
    Damper damper = {.count = 1, .nu = viscosity_of(set, kind, h)};
    if (!(at->dt_s > 0.0) || !(damper.nu > 0.0)) {
        damper.count = 0;
    } else if (is_projected(model, kind, h)) {
        damper.count = PROJECTED_ROWS;
        projected_change(set, at, h, damper.rows, damper.change);
    } else {
        damper.change[0] = fold_change(set, kind, at, h, damper.rows[0]);
    }
    return damper;
}

static Damper rate_damper(const TlModel *model, TlHingeKind kind, const double *x, const double *v,
                          int32_t h) {
    const TlHingeSet *set = &model->sets.hinges[kind];
    Damper damper = {.count = 1, .nu = viscosity_of(set, kind, h)};
    TlHinge hinge = tl_hinge_at(set, x, h), rate = tl_hinge_at(set, v, h);
    if (is_projected(model, kind, h)) {
        damper.count = PROJECTED_ROWS;
        projected_rows(&hinge, damper.rows);
    } else {
        (void)fold_of(set, kind, x, h, damper.rows[0]);
    }
    for (int32_t k = 0; k < damper.count; k++) {
        damper.change[k] = tl_hinge_dot((const TlVec3 *)damper.rows[k], &rate);
    }
    return damper;
}

/* Rows of a whole set: three as soon as one cloth is projected. */
static int32_t row_count(const TlModel *model, TlHingeKind kind) {
    for (int32_t i = 0; i < model->material_count && !has_angle(kind); i++) {
        const TlMaterial *m = &model->materials[i];
        if (m->bend_damping_N_m_s > 0.0 && m->bend_damping_model == TOILE_BEND_DAMPING_PROJECTED) {
            return PROJECTED_ROWS;
        }
    }
    return 1;
}

static bool is_damped(const TlHingeSet *set) {
    for (int32_t h = 0; h < set->count; h++) {
        if (set->viscosity[h] > 0.0) {
            return true;
        }
    }
    return false;
}

static void write_gradient(const TlHingeSet *set, int32_t h, const Damper *damper, double factor,
                           double *out) {
    TlVec3 sum[TL_HINGE_POINTS] = {{0, 0, 0}};
    for (int32_t k = 0; k < damper->count; k++) {
        for (int i = 0; i < TL_HINGE_POINTS; i++) {
            sum[i] = tl_madd3(sum[i], damper->change[k], damper->rows[k][i]);
        }
    }
    tl_hinge_spread(set, h, factor, sum, out);
}

static double viscous_value(const TlModel *model, TlHingeKind kind, const TlPoint *at,
                            int32_t begin, int32_t end) {
    double total = 0.0;
    for (int32_t h = begin; h < end; h++) {
        Damper damper = step_damper(model, kind, at, h);
        for (int32_t k = 0; k < damper.count; k++) {
            total += 0.5 * damper.nu / at->dt_s * damper.change[k] * damper.change[k];
        }
    }
    return total;
}

static void viscous_derive(const TlModel *model, TlHingeKind kind, const TlPoint *at, int32_t begin,
                           int32_t end, double *grad, double *hess) {
    static const TlVec3 none[TL_HINGE_POINTS] = {{0, 0, 0}};
    const TlHingeSet *set = &model->sets.hinges[kind];
    int32_t rows = hess != NULL ? row_count(model, kind) : 0;
    for (int32_t h = begin; h < end; h++) {
        Damper damper = step_damper(model, kind, at, h);
        int64_t first = set->first[h], size = 3 * (set->first[h + 1] - first);
        double factor = damper.count > 0 ? damper.nu / at->dt_s : 0.0;
        write_gradient(set, h, &damper, factor, grad + 3 * first);
        for (int32_t k = 0; k < rows; k++) {
            double *row = hess + 3 * rows * first + k * size;
            tl_hinge_spread(set, h, sqrt(factor),
                            k < damper.count ? (const TlVec3 *)damper.rows[k] : none, row);
        }
    }
}

static void viscous_damp(const TlModel *model, TlHingeKind kind, const double *x, const double *v,
                         int32_t begin, int32_t end, double *grad) {
    const TlHingeSet *set = &model->sets.hinges[kind];
    for (int32_t h = begin; h < end; h++) {
        Damper damper = rate_damper(model, kind, x, v, h);
        write_gradient(set, h, &damper, damper.nu, grad + 3 * (int64_t)set->first[h]);
    }
}

/* The contract's functions know the model only, so each kind of hinge has its own three. */
#define OF_KIND(name, kind)                                                                        \
    static double value_##name(const TlModel *model, const TlPoint *at, int32_t begin,             \
                               int32_t end) {                                                      \
        return viscous_value(model, kind, at, begin, end);                                         \
    }                                                                                              \
    static void derive_##name(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end, \
                              double *grad, double *hess) {                                        \
        viscous_derive(model, kind, at, begin, end, grad, hess);                                   \
    }                                                                                              \
    static void damp_##name(const TlModel *model, const double *x, const double *v, int32_t begin, \
                            int32_t end, double *grad) {                                           \
        viscous_damp(model, kind, x, v, begin, end, grad);                                         \
    }

OF_KIND(linear, TL_HINGE_LINEAR)
OF_KIND(curved, TL_HINGE_CURVED)
OF_KIND(law, TL_HINGE_LAW)
OF_KIND(dihedral, TL_HINGE_DIHEDRAL)
OF_KIND(normal, TL_HINGE_NORMAL)

#define FUNCTIONS(name) value_##name, derive_##name, damp_##name

static const struct {
    double (*value)(const TlModel *, const TlPoint *, int32_t, int32_t);
    void (*derive)(const TlModel *, const TlPoint *, int32_t, int32_t, double *, double *);
    void (*damp)(const TlModel *, const double *, const double *, int32_t, int32_t, double *);
} functions[TL_HINGE_KINDS] = {[TL_HINGE_LINEAR] = {FUNCTIONS(linear)},
                               [TL_HINGE_CURVED] = {FUNCTIONS(curved)},
                               [TL_HINGE_LAW] = {FUNCTIONS(law)},
                               [TL_HINGE_DIHEDRAL] = {FUNCTIONS(dihedral)},
                               [TL_HINGE_NORMAL] = {FUNCTIONS(normal)}};

TlElements tl_bend_viscous(const TlModel *model, TlHingeKind kind) {
    const TlHingeSet *set = &model->sets.hinges[kind];
    return (TlElements){.name = "bend viscous",
                        .group = TL_ENERGY_BEND,
                        .count = is_damped(set) ? set->count : 0,
                        .first = set->first,
                        .vertex = set->vertex,
                        .hessian = row_count(model, kind),
                        .model = model,
                        .value = functions[kind].value,
                        .derive = functions[kind].derive,
                        .damp = functions[kind].damp};
}
