/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Bilinear quads at rest: the stiffness over the strains of the whole quad, integrated once by
 * Gauss.
 *
 * [S] Schweickart, Zhai: Simulating cloth using bilinear elements, 2021. Khat = sum_q w_q |p_s x
 * p_t| B^T K B, B(s, t) the strain as a linear map of seven values. We keep the six that vary, as
 * differences to rest: Khat times the seven at rest is zero, since the strain at rest is zero at
 * every point, so the seventh row and column follow from the others and the stress at rest is
 * exactly zero. The rest shape may be non-planar: J stands in the tangent plane of each point.
 * Points are stored only where the fabric does not resist compression as it resists tension, since
 * its law acts at points. */
#include "base/elementary.h"
#include "rest/compression.h"
#include "rest/rest_shape.h"

enum { MOST_POINTS = 12, NEWTON_STEPS = 6 };
#define PI 3.14159265358979323846

/* Nodes and weights of n-point Gauss-Legendre quadrature on [-1/2, 1/2]. */
typedef struct Gauss {
    int32_t n;
    double node[MOST_POINTS], weight[MOST_POINTS];
} Gauss;

/* Legendre polynomial of degree n and its derivative at x inside (-1, 1). */
static double legendre(int32_t n, double x, double *slope) {
    double before = 1.0, value = x;
    for (int32_t k = 2; k <= n; k++) {
        double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
        before = value;
        value = next;
    }
    *slope = n * (before - x * value) / (1.0 - x * x);
    return value;
}

static Gauss gauss_of(int32_t n) {
    Gauss gauss = {.n = n};
    for (int32_t i = 0; i < (n + 1) / 2; i++) {
        double slope, x = 2 * i + 1 == n ? 0.0 : tl_cos(PI * (i + 0.75) / (n + 0.5));
        for (int32_t step = 0; step < NEWTON_STEPS; step++) {
            double value = legendre(n, x, &slope);
            x -= value / slope;
        }
        legendre(n, x, &slope);
        gauss.node[i] = -0.5 * x;
        gauss.node[n - 1 - i] = 0.5 * x;
        gauss.weight[i] = gauss.weight[n - 1 - i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
    return gauss;
}

static TlQuadPoint point_of(const TlPieces *pieces, int32_t p, double a, double b, double weight) {
    TlFrame f = tl_piece_frame(pieces, p, b + 0.5, a + 0.5);
    TlQuadPoint point = {.weight = weight * tl_length3(tl_cross3(f.ps, f.pt)), .a = a, .b = b};
    double H[4];
    tl_frame_inverse(&f, H);
    tl_quad_point_map(H, point.map);
    return point;
}

static void add_quad(const TlPieces *pieces, int32_t p, const Gauss *gauss, int32_t i,
                     TlQuadSet *set) {
    const TlMaterial *m = pieces->in.material;
    const double K[6] = {m->K11, m->K12, 0.0, m->K22, 0.0, m->K33};
    bool keep = !tl_compression_is_plain(m);
    for (int32_t row = 0; row < gauss->n; row++) {
        for (int32_t column = 0; column < gauss->n; column++) {
            TlQuadPoint point = point_of(pieces, p, gauss->node[row], gauss->node[column],
                                         gauss->weight[row] * gauss->weight[column]);
            tl_quad_point_add_stiffness(&point, K, set->khat + TL_KHAT * (int64_t)i);
            if (keep) {
                set->point[set->point_count++] = point;
            }
        }
    }
    set->first[i + 1] = set->point_count;
    TlFrame middle = tl_piece_frame(pieces, p, 0.5, 0.5);
    TlVec3 corners[4];
    for (int32_t k = 0; k < 4; k++) {
        corners[k] = tl_piece_rest(pieces, p, k);
        set->vertex[4 * (int64_t)i + k] = pieces->vertex[pieces->start[p] + k];
    }
    tl_frame_inverse(&middle, set->h + 4 * (int64_t)i);
    tl_quad_strains(corners, set->rest + 6 * (int64_t)i);
    set->area[i] = tl_piece_area(pieces, p);
    set->face[i] = pieces->face[p];
}

bool tl_rest_quads(TlArena *arena, const TlPieces *pieces, TlRest *out) {
    const TlMaterial *m = pieces->in.material;
    TlQuadSet *set = &out->sets.quads;
    Gauss gauss = gauss_of(m->gauss_points);
    int64_t points =
        tl_compression_is_plain(m) ? 0 : (int64_t)pieces->quad_count * gauss.n * gauss.n;
    if (points > INT32_MAX ||
        !tl_set_alloc(arena, &out->sets, set, pieces->quad_count, (int32_t)points)) {
        return false;
    }
    set->point_count = 0;
    int32_t i = 0;
    for (int32_t p = 0; p < pieces->count; p++) {
        if (tl_piece_size(pieces, p) == 4) {
            add_quad(pieces, p, &gauss, i++, set);
        }
    }
    return true;
}
