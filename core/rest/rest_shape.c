/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Rest shape of a cloth from its 3D rest mesh or its 2D pattern.
 *
 * Every triangle gets flat coordinates of its own in weft (u) and warp (v) axes; gradients, areas
 * and hinges are computed from these alone, so that uv seams need no special case: each side of a
 * hinge uses its own triangle. [V] Volino, Magnenat-Thalmann: Simple linear bending stiffness in
 * particle systems, 2006. We use the signed form of Eq. 5 (valid for non-convex pairs too) and
 * factor c = 1 instead of 1/3 in Eq. 10 unless the paper's scale is asked for. */
#include "rest/rest_shape.h"

#include "base/vec.h"
#include "mesh/topology.h"

#include <string.h>

/* hinges flatter than this part of their edge are left out */
#define DEGENERATE_HEIGHT 1e-6
/* heights count as at least this part of the edge in lambda, which grows with 1/h^2; never in alpha
 */
#define LAMBDA_HEIGHT 0.05

typedef struct Flat {
    double q[3][2]; /* corners in weft and warp coordinates, m */
} Flat;

bool tl_triangle_set_alloc(TlArena *arena, int32_t count, TlTriangleSet *out) {
    out->count = count;
    out->vertex = TL_NEW(arena, int32_t, 3 * (int64_t)count);
    out->face = TL_NEW(arena, int32_t, count);
    out->material = TL_NEW(arena, int32_t, count);
    out->g = TL_NEW(arena, double, 4 * (int64_t)count);
    out->area = TL_NEW(arena, double, count);
    return out->vertex != NULL && out->face != NULL && out->material != NULL && out->g != NULL &&
           out->area != NULL;
}

bool tl_hinge_set_alloc(TlArena *arena, int32_t count, TlHingeSet *out) {
    out->count = count;
    out->vertex = TL_NEW(arena, int32_t, 4 * (int64_t)count);
    out->alpha = TL_NEW(arena, double, 4 * (int64_t)count);
    out->lambda = TL_NEW(arena, double, count);
    out->length = TL_NEW(arena, double, count);
    out->height_a = TL_NEW(arena, double, count);
    out->height_b = TL_NEW(arena, double, count);
    out->mu = TL_NEW(arena, double, count);
    out->k_e = TL_NEW(arena, double, count);
    return out->vertex != NULL && out->alpha != NULL && out->lambda != NULL &&
           out->length != NULL && out->height_a != NULL && out->height_b != NULL &&
           out->mu != NULL && out->k_e != NULL;
}

/* dp/du of the map from uv to space over one triangle; *mirrored tells a negative uv area. */
static TlVec3 weft_direction(const TlVec3 p[3], double (*uv)[2], bool *mirrored) {
    double u1 = uv[1][0] - uv[0][0], v1 = uv[1][1] - uv[0][1];
    double u2 = uv[2][0] - uv[0][0], v2 = uv[2][1] - uv[0][1];
    double det = u1 * v2 - u2 * v1;
    *mirrored = det < 0.0;
    TlVec3 e1 = tl_sub3(p[1], p[0]), e2 = tl_sub3(p[2], p[0]);
    TlVec3 du = tl_sub3(tl_scale3(v2, e1), tl_scale3(v1, e2));
    return tl_unit3(det < 0.0 ? tl_scale3(-1.0, du) : du);
}

typedef struct RestInput {
    const TlMesh *mesh;
    const TlTriangles *triangles;
    const double *positions;
    ToilePattern pattern;
    double scale;
} RestInput;

static Flat flatten(const RestInput *in, int32_t t) {
    const TlMesh *mesh = in->mesh;
    const int32_t *corner = in->triangles->corner + 3 * (int64_t)t;
    double uv[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    TlVec3 p[3];
    for (int k = 0; k < 3; k++) {
        p[k] = tl_load3(in->positions + 3 * (int64_t)mesh->corners[corner[k]]);
        if (in->pattern != TOILE_PATTERN_NONE) {
            const double *q = mesh->uvs + 2 * (int64_t)mesh->corner_uvs[corner[k]];
            uv[k][0] = in->scale * q[0];
            uv[k][1] = in->scale * q[1];
        }
    }
    Flat flat;
    if (in->pattern == TOILE_PATTERN_METRIC) {
        memcpy(flat.q, uv, sizeof uv);
        return flat;
    }
    TlVec3 normal = tl_unit3(tl_cross3(tl_sub3(p[1], p[0]), tl_sub3(p[2], p[0])));
    TlVec3 weft;
    bool mirrored = false;
    if (in->pattern == TOILE_PATTERN_ORIENTATION) {
        weft = weft_direction(p, uv, &mirrored);
    } else {
        /* the face's first edge, so that both halves of a quad agree, laid into this triangle's
         * plane */
        const int32_t *face = mesh->corners + mesh->face_start[in->triangles->face[t]];
        TlVec3 edge = tl_sub3(tl_load3(in->positions + 3 * (int64_t)face[1]),
                              tl_load3(in->positions + 3 * (int64_t)face[0]));
        weft = tl_unit3(tl_madd3(edge, -tl_dot3(edge, normal), normal));
    }
    TlVec3 warp = tl_cross3(normal, weft);
    if (mirrored) {
        warp = tl_scale3(-1.0, warp);
    }
    for (int k = 0; k < 3; k++) {
        TlVec3 d = tl_sub3(p[k], p[0]);
        flat.q[k][0] = tl_dot3(d, weft);
        flat.q[k][1] = tl_dot3(d, warp);
    }
    return flat;
}

static void add_triangle(const RestInput *in, const Flat *flat, int32_t t, double density,
                         TlRest *out) {
    const double(*q)[2] = flat->q;
    double u1 = q[1][0] - q[0][0], v1 = q[1][1] - q[0][1];
    double u2 = q[2][0] - q[0][0], v2 = q[2][1] - q[0][1];
    double det = u1 * v2 - u2 * v1, area = 0.5 * fabs(det);
    TlTriangleSet *set = &out->triangles;
    double *g = set->g + 4 * (int64_t)t;
    g[0] = v2 / det;
    g[1] = -u2 / det;
    g[2] = -v1 / det;
    g[3] = u1 / det;
    set->area[t] = area;
    set->face[t] = in->triangles->face[t];
    for (int k = 0; k < 3; k++) {
        int32_t v = in->triangles->vertex[3 * (int64_t)t + k];
        set->vertex[3 * (int64_t)t + k] = v;
        out->area[v] += area / 3.0;
        out->mass[v] += density * area / 3.0;
    }
}

/* One side of a hinge in its own flat triangle: where the apex stands over the edge C-D. */
typedef struct Side {
    int32_t apex;
    double length, along, height; /* along: foot of the apex, from C, as part of the length */
    double mu;
} Side;

/* `first` is the corner of triangle `t` at which the edge starts; `from_c` tells whether that is C.
 */
static Side hinge_side(const TlTriangles *triangles, const Flat *flats, int32_t t, int32_t first,
                       bool from_c, const TlMaterial *material) {
    const double(*q)[2] = flats[t].q;
    const double *c = q[first], *d = q[(first + 1) % 3], *a = q[(first + 2) % 3];
    if (!from_c) {
        const double *swap = c;
        c = d;
        d = swap;
    }
    double eu = d[0] - c[0], ev = d[1] - c[1], l2 = eu * eu + ev * ev;
    Side side;
    side.apex = triangles->vertex[3 * (int64_t)t + (first + 2) % 3];
    side.length = sqrt(l2);
    side.along = ((a[0] - c[0]) * eu + (a[1] - c[1]) * ev) / l2;
    side.height = fabs((a[0] - c[0]) * ev - (a[1] - c[1]) * eu) / side.length;
    /* [V] Eq. 15: an edge along the weft bends in the warp direction */
    side.mu = (material->bend_weft_N_m * ev * ev + material->bend_warp_N_m * eu * eu) / l2;
    return side;
}

static bool add_hinge(const Side *a, const Side *b, int32_t c, int32_t d, double factor,
                      TlHingeSet *set) {
    double hA = a->height, hB = b->height, l = 0.5 * (a->length + b->length);
    if (tl_min(hA, hB) < DEGENERATE_HEIGHT * l) {
        return false;
    }
    int32_t i = set->count++;
    int32_t *vertex = set->vertex + 4 * (int64_t)i;
    double *alpha = set->alpha + 4 * (int64_t)i;
    vertex[0] = a->apex;
    vertex[1] = b->apex;
    vertex[2] = c;
    vertex[3] = d;
    alpha[0] = hB / (hA + hB);
    alpha[1] = hA / (hA + hB);
    alpha[3] = -(alpha[0] * a->along + alpha[1] * b->along);
    alpha[2] = -1.0 - alpha[3];
    set->length[i] = l;
    set->height_a[i] = hA;
    set->height_b[i] = hB;
    set->mu[i] = 0.5 * (a->mu + b->mu);
    set->k_e[i] = 2.0 * factor * set->mu[i] * l / (hA + hB);
    /* [V] Eq. 10 with c in place of 1/3 */
    double kA = tl_max(hA, LAMBDA_HEIGHT * l), kB = tl_max(hB, LAMBDA_HEIGHT * l);
    set->lambda[i] = 2.0 * factor * (kA + kB) / (kA * kB * kA * kB) * l * set->mu[i];
    return true;
}

static bool add_hinges(TlArena *arena, const TlTriangles *triangles, const Flat *flats,
                       const TlMaterial *material, TlRest *out) {
    int32_t *start = TL_NEW(arena, int32_t, triangles->count + 1);
    TlEdges edges;
    if (start == NULL) {
        return false;
    }
    for (int32_t t = 0; t <= triangles->count; t++) {
        start[t] = 3 * t;
    }
    if (!tl_edges_build(arena, out->vertex_count, triangles->count, start, triangles->vertex,
                        &edges) ||
        !tl_hinge_set_alloc(arena, edges.use_count / 2, &out->hinges)) {
        return false;
    }
    out->hinges.count = 0;
    for (int32_t u = 0; u < edges.use_count;) {
        int32_t next = tl_edges_next(&edges, u);
        if (next - u == 2) {
            /* side A is the triangle that runs from C to D; with flipped neighbours, the first one
             */
            const TlEdgeUse *x = &edges.uses[u], *y = &edges.uses[u + 1];
            int32_t c = x->forward ? x->lo : x->hi, d = x->forward ? x->hi : x->lo;
            Side a = hinge_side(triangles, flats, x->face, x->corner % 3, true, material);
            Side b = hinge_side(triangles, flats, y->face, y->corner % 3, y->forward == x->forward,
                                material);
            add_hinge(&a, &b, c, d, material->bend_factor, &out->hinges);
        }
        u = next;
    }
    return true;
}

bool tl_rest_build(TlArena *arena, const TlMesh *mesh, const TlTriangles *triangles,
                   const double *positions, ToilePattern pattern, double scale,
                   const TlMaterial *material, TlRest *out) {
    RestInput in = {mesh, triangles, positions, pattern, scale};
    out->vertex_count = mesh->vertex_count;
    out->mass = TL_NEW(arena, double, mesh->vertex_count);
    out->area = TL_NEW(arena, double, mesh->vertex_count);
    if (out->mass == NULL || out->area == NULL ||
        !tl_triangle_set_alloc(arena, triangles->count, &out->triangles)) {
        return false;
    }
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    Flat *flats = TL_NEW(&scratch, Flat, triangles->count);
    bool ok = flats != NULL;
    for (int32_t t = 0; ok && t < triangles->count; t++) {
        flats[t] = flatten(&in, t);
        add_triangle(&in, &flats[t], t, material->density_kg_per_m2, out);
    }
    ok = ok && add_hinges(arena, triangles, flats, material, out);
    tl_arena_free(&scratch);
    return ok;
}
