/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Hinges over the edges between pieces, and inside quads.
 *
 * [V] Volino, Magnenat-Thalmann: Simple linear bending stiffness in particle systems, 2006. We use
 * the signed form of Eq. 5 (valid for non-convex pairs too) and factor c = 1 instead of 1/3 in Eq.
 * 10 unless the paper's scale is asked for. Each side of a hinge is measured in its own piece.
 *
 * Quads are our own extension. Over an edge of a quad, A stands on the far side where its foot is
 * nearest to the middle of the edge: the hinge then measures curvature across the edge, also in
 * sheared quads. Twist of a patch is seen by no edge; it is measured by the affine relation of its
 * corners, which is [V]'s pair over either diagonal. A small height field of curvature k gives R =
 * V : k with V = 1/2 sum alpha_J x_J x_J^T; lambda = mu area / |V|^2 makes the hinge resist just
 * this part of k. On rectangles edges and twist add up to the exact plate energy of Poisson ratio
 * 0, 1/2 mu k : k; elsewhere see the table in tests/test_bend_linear.c. */
#include "rest/hinge.h"
#include "rest/rest_shape.h"

/* heights count as at least this part of the edge in lambda, which grows with 1/h^2; never in alpha
 */
#define LAMBDA_HEIGHT 0.05
/* how much the place of A on the far side of a quad is drawn to its middle, against the foot */
#define MIDDLE_PULL (1.0 / 16.0)
/* A is at least this part as high as the middle of the far side */
#define LEAST_APEX 0.5

/* One side of a hinge in its own piece: where the apex stands over the edge C-D. */
typedef struct Wing {
    int32_t apex_count;
    int32_t apex[2];
    double share[2];
    double length;
    TlFoot foot; /* of the apex */
    double mu;
} Wing;

/* A hinge before it is written into the set. */
typedef struct Draft {
    Wing a, b;
    int32_t c, d;
    double alpha[TL_HINGE_POINTS];
    double mu, scale; /* lambda = scale mu */
    double reach, k_e;
    double rest_r; /* of the given curvature */
} Draft;

static bool has_angles(const TlMaterial *m) {
    return m->bend_model == TOILE_BEND_DIHEDRAL || m->bend_model == TOILE_BEND_NORMAL;
}

static TlHingeKind hinge_kind(const TlRestInput *in) {
    const TlMaterial *m = in->material;
    if (has_angles(m)) {
        return m->bend_model == TOILE_BEND_DIHEDRAL ? TL_HINGE_DIHEDRAL : TL_HINGE_NORMAL;
    }
    if (m->law.count > 0) {
        return TL_HINGE_LAW;
    }
    bool curved = m->rest_curvature == TOILE_REST_CURVATURE_FROM_REST ||
                  in->curvature_map != NULL || m->rest_curvature_per_m != 0.0;
    return curved ? TL_HINGE_CURVED : TL_HINGE_LINEAR;
}

/* Part of the first far corner `p` in the apex over an edge from the origin along `e`, the second
 * being `q`: least squares between a foot in the middle of the edge and the middle of the far side.
 */
static double apex_share(TlVec3 e, TlVec3 p, TlVec3 q) {
    double l2 = tl_dot3(e, e), x_p = tl_dot3(p, e) / l2, x_q = tl_dot3(q, e) / l2;
    double span = x_p - x_q, off = 0.5 - 0.5 * (x_p + x_q);
    double more = span * off / (span * span + MIDDLE_PULL); /* than a half */
    /* heights along the perpendicular through the middle of the far side */
    TlVec3 middle = tl_scale3(0.5, tl_add3(p, q));
    TlVec3 up = tl_unit3(tl_madd3(middle, -0.5 * (x_p + x_q), e));
    double height = tl_dot3(middle, up), rise = tl_dot3(tl_sub3(p, q), up);
    if (height + more * rise < LEAST_APEX * height) {
        more = (LEAST_APEX - 1.0) * height / rise;
    }
    return 0.5 + more;
}

static Wing wing_of(const TlMaterial *m, const TlSide *from) {
    const TlPieceEdge *edge = &from->edge;
    TlVec3 a = {0, 0, 0};
    Wing wing = {.apex_count = from->far_count,
                 .apex = {from->far[0], from->far[1]},
                 .share = {1.0, 0.0},
                 .length = edge->length};
    if (wing.apex_count == 2) {
        wing.share[0] = apex_share(from->e, from->offset[0], from->offset[1]);
        wing.share[1] = 1.0 - wing.share[0];
    }
    for (int32_t k = 0; k < wing.apex_count; k++) {
        a = tl_madd3(a, wing.share[k], from->offset[k]);
    }
    wing.foot = tl_foot(a, from->e);
    /* [V] Eq. 15: an edge along the weft bends in the warp direction */
    wing.mu = m->bend_weft_N_m * edge->ev * edge->ev + m->bend_warp_N_m * edge->eu * edge->eu;
    return wing;
}

/* [V] Eq. 5 and 6 in signed form. */
static void set_alpha(Draft *draft) {
    double hA = draft->a.foot.height, hB = draft->b.foot.height;
    double aA = hB / (hA + hB), aB = hA / (hA + hB);
    draft->alpha[TL_A] = aA;
    draft->alpha[TL_B] = aB;
    draft->alpha[TL_D] = -(aA * draft->a.foot.along + aB * draft->b.foot.along);
    draft->alpha[TL_C] = -1.0 - draft->alpha[TL_D];
}

/* Appends the corners of one point: their weights in the point and in the bending vector. */
static void add_point(TlHingeSet *set, int32_t count, const int32_t *vertex, const double *share,
                      double alpha) {
    for (int32_t k = 0; k < count; k++) {
        int32_t at = set->corner_count++;
        set->vertex[at] = vertex[k];
        set->share[at] = share[k];
        set->alpha[at] = alpha * share[k];
    }
}

static void add_hinge(const TlPieces *pieces, const Draft *draft, TlHingeSet *set) {
    const TlMaterial *m = pieces->in.material;
    const Wing *a = &draft->a, *b = &draft->b;
    double hA = a->foot.height, hB = b->foot.height, l = 0.5 * (a->length + b->length);
    static const double whole = 1.0;
    if (tl_min(hA, hB) < TL_LEAST_HEIGHT * l) {
        return;
    }
    int32_t i = set->count++;
    add_point(set, a->apex_count, a->apex, a->share, draft->alpha[TL_A]);
    add_point(set, b->apex_count, b->apex, b->share, draft->alpha[TL_B]);
    add_point(set, 1, &draft->c, &whole, draft->alpha[TL_C]);
    add_point(set, 1, &draft->d, &whole, draft->alpha[TL_D]);
    set->first[i + 1] = set->corner_count;
    set->corners_a[i] = a->apex_count;
    set->length[i] = l;
    set->height_a[i] = hA;
    set->height_b[i] = hB;
    set->reach[i] = draft->reach;
    set->area[i] = draft->scale * draft->reach * draft->reach;
    set->mu[i] = draft->mu;
    set->k_e[i] = draft->k_e;
    set->lambda[i] = draft->scale * draft->mu;
    set->viscosity[i] = draft->scale * m->bend_damping_N_m_s;
    if (m->rest_curvature == TOILE_REST_CURVATURE_FROM_REST) {
        TlHinge hinge = tl_hinge_at(set, pieces->in.positions, i);
        set->rest_r[i] = tl_hinge_bend(&hinge).r;
        set->rest_theta[i] = tl_hinge_angle(&hinge).theta;
    } else {
        set->rest_r[i] = draft->rest_r;
        set->rest_theta[i] = draft->rest_r * (hA + hB) / (hA * hB);
    }
}

/* Curvature given at a vertex. */
static double curvature_at(const TlRestInput *in, int32_t v) {
    return in->curvature_map != NULL ? in->curvature_map[v] : in->material->rest_curvature_per_m;
}

/* ---- edges ---- */

/* Wing A is the piece that runs from C to D. */
static void add_edge(const TlPieces *pieces, const TlEdgeUse uses[2], TlHingeSet *set) {
    const TlMaterial *m = pieces->in.material;
    TlSide sides[2];
    tl_piece_sides(pieces, uses, sides);
    Draft draft = {.a = wing_of(m, &sides[0]),
                   .b = wing_of(m, &sides[1]),
                   .c = uses->forward ? uses->lo : uses->hi,
                   .d = uses->forward ? uses->hi : uses->lo};
    double hA = draft.a.foot.height, hB = draft.b.foot.height, c = m->bend_factor;
    double l = 0.5 * (draft.a.length + draft.b.length);
    set_alpha(&draft);
    draft.mu = 0.5 * (draft.a.mu + draft.b.mu);
    /* [V] Eq. 10 with c in place of 1/3 */
    double kA = tl_max(hA, LAMBDA_HEIGHT * l), kB = tl_max(hB, LAMBDA_HEIGHT * l);
    draft.scale = 2.0 * c * (kA + kB) / (kA * kB * kA * kB) * l;
    draft.k_e = 2.0 * c * draft.mu * l / (hA + hB);
    /* [V] Eq. 16 and 17 */
    draft.reach = 0.5 * hA * hB;
    draft.rest_r = draft.reach * 0.5 *
                   (curvature_at(&pieces->in, draft.c) + curvature_at(&pieces->in, draft.d));
    add_hinge(pieces, &draft, set);
}

/* ---- inside quads ---- */

/* What the affine relation of a quad's corners measures, for the diagonal with A at corner 0. */
typedef struct Twist {
    double uu, vv, uv; /* V in weft and warp, m^2 */
    double size2;      /* |V|^2 */
    double share;      /* part of the curvature along V that is left to it by the edges */
} Twist;

/* Corners in weft and warp coordinates at the middle of the quad, from corner 0. */
static void flat_corners(const TlPieces *pieces, int32_t p, double u[4], double v[4]) {
    TlFrame frame = tl_piece_frame(pieces, p, 0.5, 0.5);
    TlVec3 origin = tl_piece_rest(pieces, p, 0);
    for (int32_t k = 0; k < 4; k++) {
        TlVec3 d = tl_sub3(tl_piece_rest(pieces, p, k), origin);
        u[k] = tl_dot3(d, frame.e1);
        v[k] = tl_dot3(d, frame.e2);
    }
}

static Twist twist_of(const TlPieces *pieces, int32_t p) {
    double u[4], v[4], overlap = 0.0, area = tl_piece_area(pieces, p);
    Twist twist = {0.0, 0.0, 0.0, 0.0, 0.0};
    flat_corners(pieces, p, u, v);
    double whole = (u[2] - u[0]) * (v[3] - v[1]) - (u[3] - u[1]) * (v[2] - v[0]);
    for (int k = 0; k < 4; k++) {
        int i = (k + 1) % 4, j = (k + 2) % 4, l = (k + 3) % 4;
        double opposite = (u[j] - u[i]) * (v[l] - v[i]) - (u[l] - u[i]) * (v[j] - v[i]);
        double alpha = (k % 2 == 0 ? 1.0 : -1.0) * opposite / whole;
        twist.uu += 0.5 * alpha * u[k] * u[k];
        twist.vv += 0.5 * alpha * v[k] * v[k];
        twist.uv += 0.5 * alpha * u[k] * v[k];
    }
    twist.size2 = twist.uu * twist.uu + twist.vv * twist.vv + 2.0 * twist.uv * twist.uv;
    /* edges of a quad that is no parallelogram resist some of V already */
    for (int k = 0; k < 4; k++) {
        TlSide edge = tl_piece_side(pieces, p, k, true);
        Wing wing = wing_of(pieces->in.material, &edge);
        double eu = u[(k + 1) % 4] - u[k], ev = v[(k + 1) % 4] - v[k];
        double across = (twist.uu * ev * ev - 2.0 * twist.uv * eu * ev + twist.vv * eu * eu) /
                        (eu * eu + ev * ev);
        overlap += 0.5 * wing.length * wing.foot.height / area * across * across / twist.size2;
    }
    twist.share = 1.0 / (1.0 + overlap);
    return twist;
}

/* The pair over one diagonal of a quad: A is corner k. */
static Draft diagonal_pair(const TlPieces *pieces, int32_t p, int32_t k) {
    const int32_t *vertex = pieces->vertex + pieces->start[p];
    TlVec3 c = tl_piece_rest(pieces, p, (k + 1) % 4);
    TlVec3 e = tl_sub3(tl_piece_rest(pieces, p, (k + 3) % 4), c);
    Draft draft = {.c = vertex[(k + 1) % 4], .d = vertex[(k + 3) % 4]};
    for (int32_t i = 0; i < 2; i++) {
        int32_t corner = (k + 2 * i) % 4;
        TlVec3 a = tl_sub3(tl_piece_rest(pieces, p, corner), c);
        *(i == 0 ? &draft.a : &draft.b) = (Wing){.apex_count = 1,
                                                 .apex = {vertex[corner]},
                                                 .share = {1.0},
                                                 .length = tl_length3(e),
                                                 .foot = tl_foot(a, e)};
    }
    set_alpha(&draft);
    return draft;
}

/* The same relation for both diagonals: the mean of their alphas, which differ, apart from the
 * sign, only where the quad is not flat. */
static void average_alpha(Draft *draft, const Draft *other) {
    static const int same[TL_HINGE_POINTS] = {TL_D, TL_C, TL_A, TL_B};
    for (int i = 0; i < TL_HINGE_POINTS; i++) {
        draft->alpha[i] = 0.5 * (draft->alpha[i] - other->alpha[same[i]]);
    }
}

/* Angles differ between the diagonals, so angle models take both with half the stiffness; neither
 * way depends on the order of corners. */
static void add_quad(const TlPieces *pieces, int32_t p, TlHingeSet *set) {
    const TlMaterial *m = pieces->in.material;
    const int32_t *vertex = pieces->vertex + pieces->start[p];
    Twist twist = twist_of(pieces, p);
    Draft pairs[2] = {diagonal_pair(pieces, p, 0), diagonal_pair(pieces, p, 1)};
    int count = has_angles(m) ? 2 : 1;
    double D1 = m->bend_weft_N_m, D2 = m->bend_warp_N_m, curvature = 0.0;
    if (count == 1) {
        average_alpha(&pairs[0], &pairs[1]);
    }
    for (int k = 0; k < 4; k++) {
        curvature += 0.25 * curvature_at(&pieces->in, vertex[k]);
    }
    for (int i = 0; i < count; i++) {
        Draft *draft = &pairs[i];
        double hA = draft->a.foot.height, hB = draft->b.foot.height, lever = hA * hB / (hA + hB);
        /* the orthotropic plate of Poisson ratio 0: twist between weft and warp has the geometric
         * mean of both moduli */
        draft->mu = (D1 * twist.uu * twist.uu + D2 * twist.vv * twist.vv +
                     2.0 * sqrt(D1 * D2) * twist.uv * twist.uv) /
                    twist.size2;
        draft->scale =
            m->bend_factor * twist.share * tl_piece_area(pieces, p) / (twist.size2 * count);
        draft->k_e = draft->scale * draft->mu * lever * lever;
        /* a pure twist k has the principal curvatures k and -k */
        draft->reach = sqrt(2.0 * twist.size2);
        /* a sphere's */
        draft->rest_r = (i == 0 ? curvature : -curvature) * (twist.uu + twist.vv);
        add_hinge(pieces, draft, set);
    }
}

bool tl_rest_hinges(TlArena *arena, const TlPieces *pieces, TlRest *out) {
    const TlEdges *edges = &pieces->edges;
    TlHingeSet *set = &out->sets.hinges[hinge_kind(&pieces->in)];
    int32_t most = edges->use_count / 2;
    int32_t diagonals = (has_angles(pieces->in.material) ? 2 : 1) * pieces->quad_count;
    if (!tl_set_alloc(arena, &out->sets, set, most + diagonals,
                      TL_HINGE_CORNERS * most + TL_HINGE_POINTS * diagonals)) {
        return false;
    }
    set->count = set->corner_count = 0;
    for (int32_t u = 0; u < edges->use_count;) {
        int32_t next = tl_edges_next(edges, u);
        if (next - u == 2) {
            add_edge(pieces, &edges->uses[u], set);
        }
        u = next;
    }
    for (int32_t p = 0; p < pieces->count; p++) {
        if (tl_piece_size(pieces, p) == 4) {
            add_quad(pieces, p, set);
        }
    }
    return true;
}
