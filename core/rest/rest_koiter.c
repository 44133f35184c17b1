/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Rings and patches of the Koiter model at rest, from the pieces and their frames.
 *
 * [S] Schweickart, Zhai: Simulating cloth using bilinear elements, 2021 (adjoint shape operator at
 * vertices, bending inside quads). [DBD20] De Goes, Butts, Desbrun: Discrete differential operators
 * on polygonal meshes, 2020, Eq. 24 and 26. The formulas of koiter.h are taken with the metric of
 * the rest shape, so that everything but the normals is constant.
 *
 * A ring is a fan of pieces around a vertex, found by walking over edges that two pieces share; it
 * ends at borders and at edges of three or more pieces. Pieces that are wound against the first are
 * turned, so flipped neighbours bend as others do. Fans of one piece have no curvature and are left
 * out. Every piece is flat in its own rest coordinates and is laid into the plane of the vertex:
 * - pattern none or orientation: by the minimal rotation of its normal to that of the vertex, the
 *   mean by area;
 * - metric pattern: by unrolling the fan in the plane, piece after piece by its angle in uv. A
 *   piece of negative uv area is mirrored first. Only angles and lengths of single pieces enter, so
 *   seams, islands, their place and turn have no effect. Around an inner vertex the angles are
 *   scaled to sum to a full turn, with every piece in the middle of its share.
 * The curvature at rest is always that of the 3D rest mesh, measured by the operator so built.
 *
 * Stiffness, that of the orthotropic plate of plate_form below, is taken along the pieces' weft and
 * warp and turned to the frame of the vertex, their mean by area. We average the stiffness and not
 * the directions: the two are the same where the grain is, and the mean of directions has no answer
 * at the seam of two panels cut across each other. */
#include "base/elementary.h"
#include "rest/koiter.h"
#include "rest/rest_shape.h"

#include <string.h>

/* normals this close to opposite have no minimal rotation; half a turn is taken */
#define OPPOSITE 1e-9
#define FULL_TURN 6.283185307179586477

/* The fans of all vertices. Slots are corners, counted over all pieces. */
typedef struct Fans {
    const TlPieces *pieces;
    int32_t *piece; /* per slot */
    int32_t *mate;  /* per slot: the other use of the edge that starts there; -1: none or many */
    int32_t count;
    int32_t *start;   /* per fan: range of the arrays below */
    uint8_t *closed;  /* per fan: all around the vertex */
    int32_t *slot;    /* corners of the vertex, counter-clockwise */
    uint8_t *flipped; /* the piece is wound clockwise */
} Fans;

static int32_t slot_after(const Fans *fans, int32_t slot, int32_t steps) {
    const TlPieces *pieces = fans->pieces;
    int32_t p = fans->piece[slot], first = pieces->start[p];
    return first + (slot - first + steps) % tl_piece_size(pieces, p);
}

static int32_t slot_before(const Fans *fans, int32_t slot) {
    return slot_after(fans, slot, tl_piece_size(fans->pieces, fans->piece[slot]) - 1);
}

/* A place in a walk around a vertex. */
typedef struct Place {
    int32_t slot; /* -1: over the border */
    bool flipped;
} Place;

/* The next piece around the vertex, counter-clockwise or back. */
static Place walk(const Fans *fans, Place at, bool back) {
    const int32_t *vertex = fans->pieces->vertex;
    int32_t edge = at.flipped == back ? slot_before(fans, at.slot) : at.slot;
    int32_t mate = fans->mate[edge];
    if (mate < 0) {
        return (Place){-1, false};
    }
    bool starts = vertex[mate] == vertex[at.slot];
    return (Place){starts ? mate : slot_after(fans, mate, 1), starts == back};
}

/* Appends the fan that holds the corner `slot`, and marks its corners. */
static void add_fan(Fans *fans, int32_t slot, uint8_t *seen) {
    Place begin = {slot, false};
    bool closed = false;
    for (Place at = walk(fans, begin, true); at.slot >= 0; at = walk(fans, at, true)) {
        if (at.slot == slot) {
            begin = at;
            closed = true;
            break;
        }
        begin = at;
    }
    int32_t count = fans->start[fans->count];
    Place at = begin;
    do {
        fans->slot[count] = at.slot;
        fans->flipped[count++] = at.flipped;
        seen[at.slot] = 1;
        at = walk(fans, at, false);
    } while (at.slot >= 0 && at.slot != begin.slot);
    /* a single piece is flat to its corner: not kept */
    if (count - fans->start[fans->count] > 1) {
        fans->closed[fans->count++] = closed;
        fans->start[fans->count] = count;
    }
}

static void find_mates(Fans *fans) {
    const TlEdges *edges = &fans->pieces->edges;
    for (int32_t u = 0; u < edges->use_count;) {
        int32_t next = tl_edges_next(edges, u);
        for (int32_t use = u; use < next; use++) {
            fans->mate[edges->uses[use].corner] =
                next - u == 2 ? edges->uses[u + next - 1 - use].corner : -1;
        }
        u = next;
    }
}

static bool build_fans(TlArena *scratch, const TlPieces *pieces, Fans *out) {
    int32_t slots = pieces->start[pieces->count];
    *out = (Fans){.pieces = pieces};
    out->piece = TL_NEW(scratch, int32_t, slots);
    out->mate = TL_NEW(scratch, int32_t, slots);
    out->start = TL_NEW(scratch, int32_t, slots + 1);
    out->closed = TL_NEW(scratch, uint8_t, slots);
    out->slot = TL_NEW(scratch, int32_t, slots);
    out->flipped = TL_NEW(scratch, uint8_t, slots);
    uint8_t *seen = TL_NEW(scratch, uint8_t, slots);
    if (scratch->failed) {
        return false;
    }
    for (int32_t p = 0; p < pieces->count; p++) {
        for (int32_t s = pieces->start[p]; s < pieces->start[p + 1]; s++) {
            out->piece[s] = p;
        }
    }
    find_mates(out);
    for (int32_t s = 0; s < slots; s++) {
        if (!seen[s]) {
            add_fan(out, s, seen);
        }
    }
    return true;
}

/* One piece of a fan, its corners counter-clockwise from the vertex of the fan. */
typedef struct Facet {
    int32_t piece, size;
    int32_t corner[4]; /* of the piece; of a triangle the last is the first again */
    TlVec3 rest[4];
    TlFacet shape;
    TlVec3 axis[2]; /* the axes of the vertex in the piece's own rest coordinates */
} Facet;

static Facet facet_of(const Fans *fans, int32_t i) {
    int32_t p = fans->piece[fans->slot[i]], size = tl_piece_size(fans->pieces, p);
    Facet facet = {.piece = p, .size = size};
    for (int32_t k = 0; k < 4; k++) {
        int32_t steps = fans->flipped[i] ? (2 * size - k) % size : k % size;
        facet.corner[k] = slot_after(fans, fans->slot[i], steps) - fans->pieces->start[p];
        facet.rest[k] = tl_piece_rest(fans->pieces, p, facet.corner[k]);
    }
    facet.shape =
        tl_facet(tl_sub3(facet.rest[2], facet.rest[0]), tl_sub3(facet.rest[3], facet.rest[1]));
    return facet;
}

/* How the pieces of a fan lie in the plane of its vertex. */
typedef struct Layout {
    bool unrolled;
    TlVec3 normal, axis[2]; /* rotated: the plane in space */
    double angle, scale;    /* unrolled: where the next piece begins, share of its angle */
} Layout;

/* Any unit axes of the plane across n. */
static void plane_axes(TlVec3 n, TlVec3 axis[2]) {
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    TlVec3 least = x <= y && x <= z ? tl_vec3(1, 0, 0)
                   : y <= z         ? tl_vec3(0, 1, 0)
                                    : tl_vec3(0, 0, 1);
    axis[0] = tl_unit3(tl_cross3(least, n));
    axis[1] = tl_cross3(n, axis[0]);
}

/* First and last edge at the vertex, of a piece in uv, mirrored where its area is negative; answers
 * the angle from one to the other. */
static double uv_angle(const Facet *facet, TlVec3 *first) {
    double side = facet->shape.n.z < 0.0 ? -1.0 : 1.0;
    TlVec3 a = tl_sub3(facet->rest[1], facet->rest[0]);
    TlVec3 b = tl_sub3(facet->rest[facet->size - 1], facet->rest[0]);
    *first = tl_vec3(a.x, side * a.y, 0.0);
    return tl_atan2(side * (a.x * b.y - a.y * b.x), a.x * b.x + a.y * b.y);
}

static Layout layout_of(const Fans *fans, int32_t fan) {
    Layout layout = {.unrolled = fans->pieces->in.pattern == TOILE_PATTERN_METRIC, .scale = 1.0};
    double turn = 0.0;
    TlVec3 normal = {0, 0, 0}, first;
    for (int32_t i = fans->start[fan]; i < fans->start[fan + 1]; i++) {
        Facet facet = facet_of(fans, i);
        normal = tl_madd3(normal, facet.shape.area, facet.shape.n);
        turn += layout.unrolled ? uv_angle(&facet, &first) : 0.0;
    }
    if (layout.unrolled) {
        layout.scale = fans->closed[fan] ? FULL_TURN / turn : 1.0;
        return layout;
    }
    layout.normal = tl_unit3(normal);
    if (!(tl_dot3(layout.normal, layout.normal) > 0.0)) {
        layout.normal = facet_of(fans, fans->start[fan]).shape.n;
    }
    plane_axes(layout.normal, layout.axis);
    return layout;
}

/* Lays the next piece into the plane of the vertex. */
static void lay_facet(Layout *layout, Facet *facet) {
    if (layout->unrolled) {
        TlVec3 first;
        double own = uv_angle(facet, &first), share = layout->scale * own;
        double turn = layout->angle + 0.5 * (share - own) - tl_atan2(first.y, first.x);
        double side = facet->shape.n.z < 0.0 ? -1.0 : 1.0, c = tl_cos(turn), s = tl_sin(turn);
        facet->axis[0] = tl_vec3(c, -side * s, 0.0);
        facet->axis[1] = tl_vec3(s, side * c, 0.0);
        layout->angle += share;
        return;
    }
    /* the minimal rotation back, of a vector g across the normal of the vertex */
    TlVec3 sum = tl_add3(facet->shape.n, layout->normal);
    double whole = 1.0 + tl_dot3(facet->shape.n, layout->normal);
    for (int k = 0; k < 2; k++) {
        TlVec3 g = layout->axis[k];
        double part = whole > OPPOSITE ? tl_dot3(facet->shape.n, g) / whole : 0.0;
        facet->axis[k] = tl_madd3(g, -part, sum);
    }
    if (!(whole > OPPOSITE)) {
        facet->axis[1] = tl_scale3(-1.0, facet->axis[1]);
    }
}

/* Bending moduli in weft and warp, and Poisson's ratio. */
typedef struct Plate {
    double D1, D2, nu;
} Plate;

/* D1 k1^2 + D2 k2^2 + 2 nu sqrt(D1 D2) k1 k2 + 2 (1 - nu) sqrt(D1 D2) k12^2 as a bilinear form. */
static double plate_form(Plate m, const double a[3], const double b[3]) {
    double mean = sqrt(m.D1 * m.D2);
    return m.D1 * a[0] * b[0] + m.D2 * a[1] * b[1] +
           mean * (m.nu * (a[0] * b[1] + a[1] * b[0]) + 2.0 * (1.0 - m.nu) * a[2] * b[2]);
}

static Plate plate_of(const TlMaterial *m) {
    return (Plate){m->bend_weft_N_m, m->bend_warp_N_m, m->bend_poisson};
}

/* Adds the stiffness of a piece, turned from its weft and warp to the axes of the vertex. */
static void add_stiffness(const TlPieces *pieces, const Facet *facet, double area, double C[6]) {
    TlVec3 weft = tl_piece_frame(pieces, facet->piece, 0.5, 0.5).e1;
    double c = tl_dot3(facet->axis[0], weft), s = tl_dot3(facet->axis[1], weft);
    /* curvatures along weft, along warp and twist, of unit b11, b22 and b12 */
    const double k[3][3] = {
        {c * c, s * s, -c * s}, {s * s, c * c, c * s}, {2.0 * c * s, -2.0 * c * s, c * c - s * s}};
    int at = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            C[at++] += area * plate_form(plate_of(pieces->in.material), k[i], k[j]);
        }
    }
}

/* Where rings are put together. */
typedef struct Builder {
    Fans fans;
    TlRingSet *rings;
    TlFanSet *set;
    int32_t *owner, *place; /* per vertex: the last fan that met it, plus 1, and its place there */
} Builder;

/* Place of a vertex in the ring of a fan; `count` grows when it is new. */
static int32_t place_in(Builder *b, int32_t fan, int32_t vertex, int32_t *count) {
    if (b->owner[vertex] != fan + 1) {
        b->owner[vertex] = fan + 1;
        b->place[vertex] = (*count)++;
    }
    return b->place[vertex];
}

static int32_t vertex_of(const Builder *b, const Facet *facet, int32_t k) {
    const TlPieces *pieces = b->fans.pieces;
    return pieces->vertex[pieces->start[facet->piece] + facet->corner[k]];
}

/* Corners of all rings together. */
static int32_t count_corners(Builder *b) {
    int32_t total = 0;
    for (int32_t fan = 0; fan < b->fans.count; fan++) {
        for (int32_t i = b->fans.start[fan]; i < b->fans.start[fan + 1]; i++) {
            Facet facet = facet_of(&b->fans, i);
            for (int32_t k = 0; k < facet.size; k++) {
                place_in(b, fan, vertex_of(b, &facet, k), &total);
            }
        }
    }
    return total;
}

/* Adds one piece to its ring. */
static void add_facet(Builder *b, int32_t fan, int32_t i, const Facet *facet, int32_t *count) {
    TlRingSet *rings = b->rings;
    int32_t first = rings->first[fan];
    double area = facet->shape.area, share = area / facet->size;
    const TlVec3 *p = facet->rest;
    for (int32_t k = 0; k < 4; k++) {
        int32_t vertex = vertex_of(b, facet, k), at = place_in(b, fan, vertex, count);
        rings->vertex[first + at] = vertex;
        b->set->corner[4 * (int64_t)i + k] = at;
        /* grad phi_k = n x (p_k-1 - p_k+1) / 2a; the two of a triangle's double corner add up */
        TlVec3 across = tl_sub3(p[(k + 3) % 4], p[(k + 1) % 4]);
        TlVec3 grad = tl_scale3(0.5 / area, tl_cross3(facet->shape.n, across));
        for (int32_t beta = 0; beta < 2; beta++) {
            double g = tl_dot3(facet->axis[beta], grad);
            rings->tangent[2 * (int64_t)(first + at) + beta] += share * g;
            b->set->gradient[2 * (int64_t)i + beta] += at == 0 ? area * g : 0.0;
        }
    }
    b->set->weight[i] = share;
    rings->area[fan] += share;
    add_stiffness(b->fans.pieces, facet, share, rings->stiffness + 6 * (int64_t)fan);
}

/* Divides by the area of the ring, makes the tangents sum to zero. */
static void finish_ring(Builder *b, int32_t fan) {
    double area = b->rings->area[fan];
    int64_t first = b->rings->first[fan], end = b->rings->first[fan + 1];
    double *tangent = b->rings->tangent;
    tangent[2 * first] = tangent[2 * first + 1] = 0.0;
    for (int64_t c = first + 1; c < end; c++) {
        for (int beta = 0; beta < 2; beta++) {
            tangent[2 * c + beta] /= area;
            tangent[2 * first + beta] -= tangent[2 * c + beta];
        }
    }
    for (int64_t i = b->set->first[fan]; i < b->set->first[fan + 1]; i++) {
        b->set->gradient[2 * i] /= area;
        b->set->gradient[2 * i + 1] /= area;
        b->set->weight[i] /= area;
    }
}

static void add_ring(Builder *b, int32_t fan) {
    Layout layout = layout_of(&b->fans, fan);
    int32_t count = 0;
    for (int32_t i = b->fans.start[fan]; i < b->fans.start[fan + 1]; i++) {
        Facet facet = facet_of(&b->fans, i);
        lay_facet(&layout, &facet);
        add_facet(b, fan, i, &facet, &count);
    }
    b->rings->first[fan + 1] = b->rings->first[fan] + count;
    b->set->first[fan + 1] = b->fans.start[fan + 1];
    finish_ring(b, fan);
    TlRings set = {b->rings, b->set};
    const TlRestInput *in = &b->fans.pieces->in;
    TlRingShape shape = tl_ring_shape(set, in->material->fold_exponent, in->positions, fan);
    memcpy(b->rings->rest + 3 * (int64_t)fan, shape.b, sizeof shape.b);
}

static bool add_rings(TlArena *arena, TlArena *scratch, const TlPieces *pieces, TlRest *out) {
    Builder b = {.rings = &out->sets.rings, .set = &out->sets.fans};
    int32_t n = pieces->in.mesh->vertex_count;
    b.owner = TL_NEW(scratch, int32_t, n);
    b.place = TL_NEW(scratch, int32_t, n);
    if (b.owner == NULL || b.place == NULL || !build_fans(scratch, pieces, &b.fans)) {
        return false;
    }
    int32_t count = b.fans.count, corners = count_corners(&b);
    if (!tl_set_alloc(arena, &out->sets, b.rings, count, corners) ||
        !tl_set_alloc(arena, &out->sets, b.set, count, b.fans.start[count])) {
        return false;
    }
    memset(b.owner, 0, sizeof *b.owner * (size_t)n);
    for (int32_t fan = 0; fan < count; fan++) {
        add_ring(&b, fan);
    }
    return true;
}

/* Bending inside quad p: II = b (0 1; 1 0) over (s, t), turned to weft and warp by H = J^-1. */
static void add_patch(const TlPieces *pieces, int32_t p, TlPatchSet *set) {
    const TlMaterial *m = pieces->in.material;
    int32_t i = set->count++, *vertex = set->vertex + 4 * (int64_t)i;
    memcpy(vertex, pieces->vertex + pieces->start[p], 4 * sizeof *vertex);
    TlFrame f = tl_piece_frame(pieces, p, 0.5, 0.5);
    double H[4], det = tl_frame_inverse(&f, H);
    const double k[3] = {2.0 * H[0] * H[2], 2.0 * H[1] * H[3], H[0] * H[3] + H[2] * H[1]};
    Plate viscous = {m->bend_damping_N_m_s, m->bend_damping_N_m_s, m->bend_poisson};
    double scale = m->in_element_weight * fabs(det);
    set->stiffness[i] = scale * plate_form(plate_of(m), k, k);
    set->viscosity[i] = scale * plate_form(viscous, k, k);
    set->rest[i] = tl_patch_shape(pieces->in.positions, vertex).b;
}

static bool add_patches(TlArena *arena, const TlPieces *pieces, TlRest *out) {
    TlPatchSet *set = &out->sets.patches;
    int32_t count = pieces->in.material->in_element_weight > 0.0 ? pieces->quad_count : 0;
    if (!tl_set_alloc(arena, &out->sets, set, count, 0)) {
        return false;
    }
    set->count = 0;
    for (int32_t p = 0; p < pieces->count && count > 0; p++) {
        if (tl_piece_size(pieces, p) == 4) {
            add_patch(pieces, p, set);
        }
    }
    return true;
}

bool tl_rest_koiter(TlArena *arena, const TlPieces *pieces, TlRest *out) {
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    bool ok = add_rings(arena, &scratch, pieces, out) && add_patches(arena, pieces, out);
    tl_arena_free(&scratch);
    return ok;
}
