/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Koiter bending: E = 1/2 (b - bbar)^T C (b - bbar) over the curvatures b = (b11, b22, b12) at
 * every vertex, and E = 1/2 w_in c_q (b - bbar)^2 over the twist b = T.n of every quad.
 *
 * [S] Schweickart, Zhai: Simulating cloth using bilinear elements, 2021, Eq. 2, the sum of both.
 * [DBD20] De Goes, Butts, Desbrun: Discrete differential operators on polygonal meshes, 2020,
 * adjoint shape operator Eq. 26. We differ from [S] on purpose: the rest metric in place of the
 * current one (the same up to membrane strain, and tangents are linear in x); b divided by
 * |nbar|^p, without which folds soften past 45 degrees (p = 0); w_in below 1, because the two terms
 * count smooth twist twice. Curvatures, their rest values and constants stand in rest/koiter.h and
 * rest_koiter.c.
 *
 * The gradient is exact in tangents, normals and |nbar|. The Hessian is that of Gauss and Newton,
 * J^T C J with J = db/dx, as rows L^T J with C = L L^T. Damping is a viscous modulus on the rate of
 * b: over a step the potential 1/(2 dt) db^T C_visc db, db = b - b_start. b does not change with
 * rigid motion, so rigid motion is never damped. */
#include "force/bend_koiter.h"

#include "rest/koiter.h"

/* a pivot below this part of its diagonal is rounding of a singular stiffness */
#define ZERO_PIVOT 1e-14

static TlRings rings_of(const TlModel *model) {
    return (TlRings){&model->sets.rings, &model->sets.fans};
}

static const TlMaterial *ring_material(const TlModel *model, int32_t r) {
    return &model->materials[model->sets.rings.material[r]];
}

/* out = C v, with C as C11 C12 C13 C22 C23 C33 */
static void times(const double C[6], const double v[3], double out[3]) {
    out[0] = C[0] * v[0] + C[1] * v[1] + C[2] * v[2];
    out[1] = C[1] * v[0] + C[3] * v[1] + C[4] * v[2];
    out[2] = C[2] * v[0] + C[4] * v[1] + C[5] * v[2];
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Isotropic viscous stiffness of a ring times `factor`, as C above. */
static void viscosity_of(const TlModel *model, int32_t r, double factor, double C[6]) {
    const TlMaterial *m = ring_material(model, r);
    double D = factor * m->bend_damping_N_m_s * model->sets.rings.area[r], nu = m->bend_poisson;
    C[0] = C[3] = D;
    C[1] = nu * D;
    C[2] = C[4] = 0.0;
    C[5] = 2.0 * (1.0 - nu) * D;
}

/* Curvature of a ring at a point with its energy, moments and total stiffness. */
typedef struct Ring {
    TlRingShape shape;
    double energy, moment[3]; /* moment: dE/db */
    double C[6];              /* elastic, and viscous over the step */
} Ring;

static Ring ring_at(const TlModel *model, const TlPoint *at, int32_t r) {
    const TlRingSet *set = &model->sets.rings;
    const TlMaterial *m = ring_material(model, r);
    const double *rest = set->rest + 3 * (int64_t)r, *C = set->stiffness + 6 * (int64_t)r;
    Ring ring = {.shape = tl_ring_shape(rings_of(model), m->fold_exponent, at->x, r)};
    const double *b = ring.shape.b;
    const double bend[3] = {b[0] - rest[0], b[1] - rest[1], b[2] - rest[2]};
    times(C, bend, ring.moment);
    ring.energy = 0.5 * dot(bend, ring.moment);
    for (int i = 0; i < 6; i++) {
        ring.C[i] = C[i];
    }
    if (at->dt_s > 0.0 && m->bend_damping_N_m_s > 0.0) {
        double viscous[6], moment[3];
        TlRingShape start = tl_ring_shape(rings_of(model), m->fold_exponent, at->x_start, r);
        const double change[3] = {b[0] - start.b[0], b[1] - start.b[1], b[2] - start.b[2]};
        viscosity_of(model, r, 1.0 / at->dt_s, viscous);
        times(viscous, change, moment);
        ring.energy += 0.5 * dot(change, moment);
        for (int i = 0; i < 6; i++) {
            ring.C[i] += viscous[i];
        }
        for (int i = 0; i < 3; i++) {
            ring.moment[i] += moment[i];
        }
    }
    return ring;
}

/* The gradient of weights . b, as what it asks of tangents and normals: a corner gets tangent_1
 * corner[0] + tangent_2 corner[1], a normal gradient_1 normal[0] + gradient_2 normal[1] - weight
 * fold. `out` is 3 per corner of the ring. */
typedef struct Pull {
    TlVec3 corner[2], normal[2], fold;
    double *out;
} Pull;

static Pull pull_of(const TlRingShape *s, const double weights[3], double *out) {
    double w1 = s->scale * weights[0], w2 = s->scale * weights[1],
           w12 = 0.5 * s->scale * weights[2];
    return (Pull){{tl_madd3(tl_scale3(w1, s->N[0]), w12, s->N[1]),
                   tl_madd3(tl_scale3(w2, s->N[1]), w12, s->N[0])},
                  {tl_madd3(tl_scale3(w1, s->t[0]), w12, s->t[1]),
                   tl_madd3(tl_scale3(w2, s->t[1]), w12, s->t[0])},
                  tl_scale3(s->fold * dot(weights, s->b), s->nbar),
                  out};
}

static void add_to(double *out, double sign, TlVec3 a) {
    out[0] += sign * a.x;
    out[1] += sign * a.y;
    out[2] += sign * a.z;
}

/* Writes the gradients of several combinations of the curvatures of ring r. */
static void write_pulls(TlRings set, const double *x, int32_t r, const Pull *pulls, int32_t count) {
    const double *tangent = set.rings->tangent + 2 * (int64_t)set.rings->first[r];
    int32_t corners = set.rings->first[r + 1] - set.rings->first[r];
    for (int32_t i = 0; i < corners; i++) {
        for (int32_t k = 0; k < count; k++) {
            tl_store3(pulls[k].out + 3 * (int64_t)i,
                      tl_madd3(tl_scale3(tangent[2 * i], pulls[k].corner[0]), tangent[2 * i + 1],
                               pulls[k].corner[1]));
        }
    }
    for (int32_t f = set.fans->first[r]; f < set.fans->first[r + 1]; f++) {
        const int32_t *c = set.fans->corner + 4 * (int64_t)f;
        const double *g = set.fans->gradient + 2 * (int64_t)f;
        TlFacet facet = tl_ring_facet(set, x, r, f);
        for (int32_t k = 0; k < count; k++) {
            TlVec3 y = tl_madd3(tl_scale3(g[0], pulls[k].normal[0]), g[1], pulls[k].normal[1]);
            TlVec3 d1, d2;
            tl_facet_pull(&facet, tl_madd3(y, -set.fans->weight[f], pulls[k].fold), &d1, &d2);
            add_to(pulls[k].out + 3 * (int64_t)c[0], -1.0, d1);
            add_to(pulls[k].out + 3 * (int64_t)c[1], -1.0, d2);
            add_to(pulls[k].out + 3 * (int64_t)c[2], 1.0, d1);
            add_to(pulls[k].out + 3 * (int64_t)c[3], 1.0, d2);
        }
    }
}

/* Columns of L with C = L L^T; of a singular C the columns of zero pivots are zero. */
static void factor(const double C[6], double L[3][3]) {
    double a[3][3] = {{C[0], C[1], C[2]}, {C[1], C[3], C[4]}, {C[2], C[4], C[5]}};
    for (int k = 0; k < 3; k++) {
        double pivot = a[k][k];
        bool keep = pivot > ZERO_PIVOT * (k == 0 ? 0.0 : k == 1 ? C[3] : C[5]);
        double root = keep ? 1.0 / sqrt(pivot) : 0.0;
        for (int i = 0; i < 3; i++) {
            L[k][i] = i < k ? 0.0 : root * a[i][k];
        }
        for (int i = k + 1; i < 3; i++) {
            for (int j = k + 1; j < 3; j++) {
                a[i][j] -= L[k][i] * L[k][j];
            }
        }
    }
}

static double cross_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    double total = 0.0;
    for (int32_t r = begin; r < end; r++) {
        total += ring_at(model, at, r).energy;
    }
    return total;
}

static void cross_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                         double *grad, double *hess) {
    const TlRingSet *set = &model->sets.rings;
    for (int32_t r = begin; r < end; r++) {
        Ring ring = ring_at(model, at, r);
        int64_t first = set->first[r], corners = set->first[r + 1] - set->first[r];
        Pull pulls[4] = {pull_of(&ring.shape, ring.moment, grad + 3 * first)};
        int32_t count = 1;
        if (hess != NULL) {
            double L[3][3];
            factor(ring.C, L);
            for (int k = 0; k < 3; k++) {
                pulls[count++] = pull_of(&ring.shape, L[k], hess + 9 * first + 3 * corners * k);
            }
        }
        write_pulls(rings_of(model), at->x, r, pulls, count);
    }
}

/* Rate of the curvature of ring r at velocities v. */
static void ring_rate(TlRings set, const TlRingShape *s, const double *x, const double *v,
                      int32_t r, double rate[3]) {
    TlVec3 t[2], N[2] = {{0, 0, 0}, {0, 0, 0}}, nbar = {0, 0, 0};
    tl_ring_tangents(set.rings, v, r, t);
    for (int32_t f = set.fans->first[r]; f < set.fans->first[r + 1]; f++) {
        const int32_t *c = set.fans->corner + 4 * (int64_t)f;
        TlFacet facet = tl_ring_facet(set, x, r, f);
        TlVec3 n = tl_facet_turn(&facet, tl_ring_edge(set.rings, v, r, c[0], c[2]),
                                 tl_ring_edge(set.rings, v, r, c[1], c[3]));
        N[0] = tl_madd3(N[0], set.fans->gradient[2 * (int64_t)f], n);
        N[1] = tl_madd3(N[1], set.fans->gradient[2 * (int64_t)f + 1], n);
        nbar = tl_madd3(nbar, set.fans->weight[f], n);
    }
    double fold = s->fold * tl_dot3(s->nbar, nbar);
    rate[0] = s->scale * (tl_dot3(N[0], s->t[0]) + tl_dot3(s->N[0], t[0])) - fold * s->b[0];
    rate[1] = s->scale * (tl_dot3(N[1], s->t[1]) + tl_dot3(s->N[1], t[1])) - fold * s->b[1];
    rate[2] = 0.5 * s->scale *
                  (tl_dot3(N[0], s->t[1]) + tl_dot3(s->N[0], t[1]) + tl_dot3(N[1], s->t[0]) +
                   tl_dot3(s->N[1], t[0])) -
              fold * s->b[2];
}

static void cross_damp(const TlModel *model, const double *x, const double *v, int32_t begin,
                       int32_t end, double *grad) {
    TlRings set = rings_of(model);
    for (int32_t r = begin; r < end; r++) {
        double C[6], rate[3], moment[3];
        TlRingShape s = tl_ring_shape(set, ring_material(model, r)->fold_exponent, x, r);
        ring_rate(set, &s, x, v, r, rate);
        viscosity_of(model, r, 1.0, C);
        times(C, rate, moment);
        Pull pull = pull_of(&s, moment, grad + 3 * (int64_t)set.rings->first[r]);
        write_pulls(set, x, r, &pull, 1);
    }
}

TlElements tl_bend_koiter_cross(const TlModel *model) {
    const TlRingSet *set = &model->sets.rings;
    return (TlElements){.name = "bend koiter",
                        .group = TL_ENERGY_BEND,
                        .count = set->count,
                        .first = set->first,
                        .vertex = set->vertex,
                        .hessian = 3,
                        .model = model,
                        .value = cross_value,
                        .derive = cross_derive,
                        .damp = cross_damp};
}

/* Twist of a patch at a point with its energy, moment and total stiffness. */
typedef struct Patch {
    TlPatchShape shape;
    double energy, moment, k;
} Patch;

static Patch patch_at(const TlModel *model, const TlPoint *at, int32_t i) {
    const TlPatchSet *set = &model->sets.patches;
    const int32_t *vertex = set->vertex + 4 * (int64_t)i;
    Patch patch = {.shape = tl_patch_shape(at->x, vertex), .k = set->stiffness[i]};
    double bend = patch.shape.b - set->rest[i];
    patch.moment = patch.k * bend;
    patch.energy = 0.5 * patch.moment * bend;
    if (at->dt_s > 0.0 && set->viscosity[i] > 0.0) {
        double change = patch.shape.b - tl_patch_shape(at->x_start, vertex).b;
        double viscous = set->viscosity[i] / at->dt_s;
        patch.moment += viscous * change;
        patch.energy += 0.5 * viscous * change * change;
        patch.k += viscous;
    }
    return patch;
}

/* Gradient of `weight` times the twist, for the four corners. */
static void write_twist(const TlPatchShape *s, double weight, double out[12]) {
    TlVec3 d1, d2, n = tl_scale3(weight, s->facet.n);
    tl_facet_pull(&s->facet, tl_scale3(weight, s->T), &d1, &d2);
    tl_store3(out, tl_sub3(n, d1));
    tl_store3(out + 3, tl_scale3(-1.0, tl_add3(n, d2)));
    tl_store3(out + 6, tl_add3(n, d1));
    tl_store3(out + 9, tl_sub3(d2, n));
}

static double in_value(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end) {
    double total = 0.0;
    for (int32_t i = begin; i < end; i++) {
        total += patch_at(model, at, i).energy;
    }
    return total;
}

static void in_derive(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                      double *grad, double *hess) {
    for (int32_t i = begin; i < end; i++) {
        Patch patch = patch_at(model, at, i);
        write_twist(&patch.shape, patch.moment, grad + 12 * (int64_t)i);
        if (hess != NULL) {
            write_twist(&patch.shape, sqrt(patch.k), hess + 12 * (int64_t)i);
        }
    }
}

static void in_damp(const TlModel *model, const double *x, const double *v, int32_t begin,
                    int32_t end, double *grad) {
    const TlPatchSet *set = &model->sets.patches;
    for (int32_t i = begin; i < end; i++) {
        const int32_t *vertex = set->vertex + 4 * (int64_t)i;
        TlPatchShape s = tl_patch_shape(x, vertex), rate = tl_patch_shape(v, vertex);
        double change = tl_dot3(rate.T, s.facet.n) +
                        tl_dot3(s.T, tl_facet_turn(&s.facet, rate.facet.d1, rate.facet.d2));
        write_twist(&s, set->viscosity[i] * change, grad + 12 * (int64_t)i);
    }
}

TlElements tl_bend_koiter_in(const TlModel *model) {
    const TlPatchSet *set = &model->sets.patches;
    return (TlElements){.name = "bend koiter inside",
                        .group = TL_ENERGY_BEND,
                        .count = set->count,
                        .arity = 4,
                        .vertex = set->vertex,
                        .hessian = 1,
                        .model = model,
                        .value = in_value,
                        .derive = in_derive,
                        .damp = in_damp};
}

void tl_koiter_energies(const TlModel *model, const double *x, int32_t ring_begin, int32_t ring_end,
                        int32_t patch_begin, int32_t patch_end, double *cross_J, double *in_J) {
    TlPoint at = {x, NULL, 0.0};
    *cross_J = cross_value(model, &at, ring_begin, ring_end);
    *in_J = in_value(model, &at, patch_begin, patch_end);
}
