/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Linear bending with a nonlinear law of moment over curvature.
 *
 * [V] Volino, Magnenat-Thalmann: Simple linear bending stiffness in particle systems, 2006, Eq. 16
 * scales the linear force by a function of the curvature, which is no gradient of an energy. We
 * take E = area Psi(gamma), gamma = |w| / reach (2 |w|/(hA hB) over an edge), Psi' = M the law. w
 * is the bending vector R, or R - rho0 N with a given rest curvature, or r - r_rest along N with
 * that of the rest shape (see bend_curved.c). With M = mu gamma this is linear bending. The table
 * is measured along the weft; for other directions M is scaled by mu/mu_weft. */
#include "force/bend_law.h"

#include "rest/hinge.h"

enum { LAW_ROWS = 3 };

/* The law at one curvature. */
typedef struct Moment {
    double energy;  /* Psi, N/m */
    double secant;  /* M / gamma, N m */
    double tangent; /* dM / d gamma, N m */
} Moment;

static Moment moment_at(const TlBendLaw *law, double gamma, double scale) {
    int32_t i = 0;
    while (i < law->count - 2 && gamma > law->curvature[i + 1]) {
        i++;
    }
    double slope =
        (law->moment[i + 1] - law->moment[i]) / (law->curvature[i + 1] - law->curvature[i]);
    double d = gamma - law->curvature[i], M = law->moment[i] + slope * d;
    return (Moment){scale * (law->energy[i] + (law->moment[i] + 0.5 * slope * d) * d),
                    scale * (gamma > 0.0 ? M / gamma : slope), scale * slope};
}

/* One bent hinge. */
typedef struct Bent {
    TlHinge hinge;
    TlHingeBend bend;
    bool from_rest;
    double rho;  /* r at rest */
    TlVec3 w;    /* R - rho0 N, or (r - r_rest) N */
    double size; /* of w */
    Moment moment;
} Bent;

static Bent bent_at(const TlModel *model, const TlHingeSet *set, const double *x, int32_t h) {
    const TlMaterial *m = &model->materials[set->material[h]];
    Bent bent = {.hinge = tl_hinge_at(set, x, h), .rho = set->rest_r[h]};
    bent.bend = tl_hinge_bend(&bent.hinge);
    bent.from_rest = m->rest_curvature == TOILE_REST_CURVATURE_FROM_REST;
    bent.w = bent.from_rest ? tl_scale3(bent.bend.r - bent.rho, bent.bend.N)
                            : tl_madd3(bent.bend.R, -bent.rho, bent.bend.N);
    bent.size = bent.from_rest ? fabs(bent.bend.r - bent.rho) : tl_length3(bent.w);
    double scale = m->bend_weft_N_m > 0.0 ? set->mu[h] / m->bend_weft_N_m : 1.0;
    bent.moment = moment_at(&m->law, bent.size / set->reach[h], scale);
    return bent;
}

static double law_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_LAW];
    double total = 0.0;
    for (int32_t h = begin; h < end; h++) {
        total += set->area[h] * bent_at(model, set, at->x, h).moment.energy;
    }
    return total;
}

/* Gradient of v . w, v being fixed: all of it for R - rho0 N; of v = N for the scalar form. */
static void grad_w(const Bent *bent, TlVec3 v, TlVec3 g[TL_HINGE_POINTS]) {
    if (bent->from_rest) {
        tl_hinge_grad_r(&bent->hinge, &bent->bend, g);
        return;
    }
    tl_hinge_turn(&bent->hinge, &bent->bend, v, g);
    for (int i = 0; i < TL_HINGE_POINTS; i++) {
        g[i] = tl_madd3(tl_scale3(bent->hinge.alpha[i], v), -bent->rho, g[i]);
    }
}

/* Three orthonormal directions, the first along w. */
static void directions(const Bent *bent, TlVec3 v[3]) {
    v[0] = bent->size > 0.0 ? tl_scale3(1.0 / bent->size, bent->w) : tl_vec3(0.0, 0.0, 1.0);
    TlVec3 helper = fabs(v[0].x) < 0.6 ? tl_vec3(1.0, 0.0, 0.0) : tl_vec3(0.0, 1.0, 0.0);
    v[1] = tl_unit3(tl_cross3(v[0], helper));
    v[2] = tl_cross3(v[0], v[1]);
}

/* Rows: along w the tangent of the law where it rises, across it the secant; what comes from the
 * second derivatives of w is left out. */
static void write_rows(const TlHingeSet *set, int32_t h, const Bent *bent, double stiffness,
                       double *rows) {
    int32_t size = 3 * (set->first[h + 1] - set->first[h]);
    TlVec3 v[LAW_ROWS], g[TL_HINGE_POINTS];
    directions(bent, v);
    for (int i = 0; i < LAW_ROWS; i++, rows += size) {
        double k = i == 0 ? bent->moment.tangent : bent->from_rest ? 0.0 : bent->moment.secant;
        grad_w(bent, v[i], g);
        tl_hinge_spread(set, h, sqrt(tl_max(0.0, stiffness * k)), g, rows);
    }
}

static void law_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                       double *grad, double *hess) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_LAW];
    for (int32_t h = begin; h < end; h++) {
        int64_t first = set->first[h];
        Bent bent = bent_at(model, set, at->x, h);
        double stiffness = set->area[h] / (set->reach[h] * set->reach[h]);
        double scale = stiffness * bent.moment.secant;
        TlVec3 g[TL_HINGE_POINTS];
        grad_w(&bent, bent.w, g);
        tl_hinge_spread(set, h, bent.from_rest ? scale * (bent.bend.r - bent.rho) : scale, g,
                        grad + 3 * first);
        if (hess != NULL) {
            write_rows(set, h, &bent, stiffness, hess + 3 * LAW_ROWS * first);
        }
    }
}

TlElements tl_bend_law(const TlModel *model) {
    const TlHingeSet *set = &model->sets.hinges[TL_HINGE_LAW];
    return (TlElements){.name = "bend law",
                        .group = TL_ENERGY_BEND,
                        .count = set->count,
                        .first = set->first,
                        .vertex = set->vertex,
                        .hessian = LAW_ROWS,
                        .model = model,
                        .value = law_value,
                        .derive = law_derive};
}
