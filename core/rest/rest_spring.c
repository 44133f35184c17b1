/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Springs at rest: of the mass-spring stretch, and those that bend.
 *
 * [P95] Provot: Deformation constraints in a mass-spring model to describe rigid cloth behavior,
 * 1995. [CK02] Choi, Ko: Stable but responsive cloth, 2002. [V] Volino, Magnenat-Thalmann: Simple
 * linear bending stiffness in particle systems, 2006. None of them says how stiff the springs of a
 * given sheet are, or where they run in meshes that are no grids; both are our own:
 *
 * Stretch. Structural springs run along every edge, with the stiffness of the strip of cloth it
 * stands for; shear springs along both diagonals of every quad. Simple shear gamma of a rectangle
 * a x b lengthens one diagonal d by gamma a b/d and shortens the other, and costs 1/2 G gamma^2 a
 * b: k = G d^2/(2 a b) each. Of any convex quad the area stands for a b. Triangles have structural
 * springs only; their edges run in three directions and hold shear as well.
 *
 * Bending. Across the edge C-D between two pieces runs a spring from the neighbour of C on one side
 * to that on the other, and one for D, with half the stiffness each: in a grid of quads the springs
 * along a grid line get both their halves, those along the border one. In a triangle both
 * neighbours are its apex, and springs between the same ends are joined, which leaves one from apex
 * to apex between triangles. Rest lengths are those of the two pieces unfolded into a plane, each
 * side measured in its own piece. */
#include "base/elementary.h"
#include "rest/rest_shape.h"

/* a strip buckles at the latest when shortened by a hundredth: the ramp is at least 1200 kb/L^3
 * stiff, and meets the force 12 kb/L^2 of the arc there. Below that point a sheet has no bending
 * stiffness, as with crossover springs; a hundredth is a turn of half a radian over the strip */
#define LEAST_RAMP 1200.0

/* ---- stretch ---- */

static void add_spring(TlSpringSet *set, int32_t a, int32_t b, double length, double k) {
    int32_t i = set->count++;
    set->vertex[2 * (int64_t)i] = a;
    set->vertex[2 * (int64_t)i + 1] = b;
    set->length[i] = length;
    set->k[i] = k;
}

bool tl_rest_springs(TlArena *arena, const TlPieces *pieces, TlRest *out) {
    const TlEdgeSet *edges = &out->sets.edges;
    TlSpringSet *set = &out->sets.springs;
    int32_t most = edges->count + 2 * pieces->quad_count;
    if (!tl_set_alloc(arena, &out->sets, set, most, 0)) {
        return false;
    }
    set->count = 0;
    for (int32_t i = 0; i < edges->count; i++) {
        const int32_t *vertex = edges->vertex + 2 * (int64_t)i;
        add_spring(set, vertex[0], vertex[1], edges->length[i], edges->stiffness[i]);
    }
    for (int32_t p = 0; p < pieces->count; p++) {
        for (int32_t k = 0; k < 2 && tl_piece_size(pieces, p) == 4; k++) {
            const int32_t *vertex = pieces->vertex + pieces->start[p];
            double d =
                tl_length3(tl_sub3(tl_piece_rest(pieces, p, k + 2), tl_piece_rest(pieces, p, k)));
            add_spring(set, vertex[k], vertex[k + 2], d,
                       pieces->in.material->K33 * d * d / (2.0 * tl_piece_area(pieces, p)));
        }
    }
    return true;
}

/* ---- bending ---- */

/* A bending spring before those with the same ends are joined. */
typedef struct Strip {
    int32_t lo, hi;
    int32_t halves; /* how many were joined */
    double length;
    double k;    /* crossover: N/m; Choi-Ko: kb, N m^2 */
    double ramp; /* Choi-Ko only, N/m */
} Strip;

/* Half the springs over one edge: those of C (end 0) or of D (end 1). False: there is none. */
static bool make_strip(const TlMaterial *m, const TlSide sides[2], int end, Strip *out) {
    double l = 0.0, mu = 0.0, E = 0.0;
    int32_t ends[2];
    TlFoot feet[2];
    for (int i = 0; i < 2; i++) {
        const TlSide *side = &sides[i];
        int32_t k = end == 0 ? side->by_c : side->far_count - 1 - side->by_c;
        ends[i] = side->far[k];
        feet[i] = tl_foot(side->offset[k], side->e);
        l += 0.5 * side->edge.length;
        /* an edge along the weft bends in the warp direction, [V] Eq. 15 */
        double weft = side->edge.ev * side->edge.ev, warp = side->edge.eu * side->edge.eu;
        mu += 0.5 * (m->bend_weft_N_m * weft + m->bend_warp_N_m * warp);
        E += 0.5 * (m->E1 * weft + m->E2 * warp);
    }
    double height = feet[0].height + feet[1].height, along = l * (feet[0].along - feet[1].along);
    double L = sqrt(along * along + height * height);
    *out = (Strip){.lo = ends[0] < ends[1] ? ends[0] : ends[1],
                   .hi = ends[0] < ends[1] ? ends[1] : ends[0],
                   .halves = 1,
                   .length = L};
    if (m->bend_model == TOILE_BEND_CROSSOVER) {
        /* as much energy as the hinge 2 c mu l/(hA + hB) at a fold of one radian */
        double shortening = L * (1.0 - tl_cos(0.5));
        out->k = m->bend_factor * mu * l / (height * shortening * shortening);
    } else {
        out->k = 0.25 * m->bend_factor * mu * l * height / L;
        out->ramp = 0.5 * E * l / L;
    }
    return ends[0] != ends[1] && tl_min(feet[0].height, feet[1].height) >= TL_LEAST_HEIGHT * l;
}

static int32_t make_strips(const TlPieces *pieces, Strip *out) {
    const TlEdges *edges = &pieces->edges;
    int32_t count = 0;
    for (int32_t u = 0; u < edges->use_count;) {
        int32_t next = tl_edges_next(edges, u);
        if (next - u == 2) {
            TlSide sides[2];
            tl_piece_sides(pieces, &edges->uses[u], sides);
            for (int end = 0; end < 2; end++) {
                count += make_strip(pieces->in.material, sides, end, &out[count]);
            }
        }
        u = next;
    }
    return count;
}

/* Stable counting sort by one of the ends; `start` has room for the vertices and two more. */
static void sort_strips(const Strip *from, int32_t count, bool by_hi, int32_t vertex_count,
                        int32_t *start, Strip *to) {
    for (int32_t v = 0; v < vertex_count + 2; v++) {
        start[v] = 0;
    }
    for (int32_t i = 0; i < count; i++) {
        start[(by_hi ? from[i].hi : from[i].lo) + 1]++;
    }
    for (int32_t v = 0; v < vertex_count; v++) {
        start[v + 1] += start[v];
    }
    for (int32_t i = 0; i < count; i++) {
        to[start[by_hi ? from[i].hi : from[i].lo]++] = from[i];
    }
}

/* Joins sorted strips with the same ends: stiffnesses add up, the rest length is the mean. Answers
 * how many are left. */
static int32_t join_strips(Strip *strips, int32_t count) {
    int32_t last = -1;
    for (int32_t i = 0; i < count; i++) {
        const Strip next = strips[i];
        if (last < 0 || strips[last].lo != next.lo || strips[last].hi != next.hi) {
            strips[++last] = next;
            continue;
        }
        Strip *joined = &strips[last];
        joined->halves++;
        joined->length += (next.length - joined->length) / joined->halves;
        joined->k += next.k;
        joined->ramp += next.ramp;
    }
    return last + 1;
}

/* The part of its length by which a strip is shortened when it buckles: where the ramp rho d meets
 * the arc's force -phi(1 - d). That force is convex in d, from 12 to 4 pi^2 < LEAST_RAMP, so they
 * meet once; Newton from the left climbs to it. */
static double buckling_point(const TlArcTable *arcs, double rho) {
    double d = 12.0 / rho;
    for (int k = 0; k < 50; k++) {
        TlArc arc = tl_arc_at(arcs, 1.0 - d);
        double next = d - (rho * d + arc.phi) / (rho - arc.slope);
        if (!(next > d)) {
            break;
        }
        d = next;
    }
    return d;
}

static void add_buckle(const TlArcTable *arcs, const Strip *strip, TlBuckleSet *set) {
    int32_t i = set->count++;
    double L = strip->length, kb = strip->k;
    set->vertex[2 * (int64_t)i] = strip->lo;
    set->vertex[2 * (int64_t)i + 1] = strip->hi;
    set->length[i] = L;
    set->kb[i] = kb;
    if (kb > 0.0) {
        double ramp = tl_max(strip->ramp, LEAST_RAMP * kb / (L * L * L));
        double d = buckling_point(arcs, ramp * L * L * L / kb);
        set->ramp[i] = ramp;
        set->ramp_length[i] = L * d;
        set->ramp_energy[i] = 0.5 * ramp * L * L * d * d - kb / L * tl_arc_at(arcs, 1.0 - d).energy;
    }
}

static bool fill_sets(TlArena *arena, const TlMaterial *m, const Strip *strips, int32_t count,
                      TlSets *sets) {
    bool crossover = m->bend_model == TOILE_BEND_CROSSOVER;
    if (!tl_set_alloc(arena, sets, &sets->crossover, crossover ? count : 0, 0) ||
        !tl_set_alloc(arena, sets, &sets->choi_ko, crossover ? 0 : count, 0)) {
        return false;
    }
    sets->crossover.count = sets->choi_ko.count = 0;
    for (int32_t i = 0; i < count; i++) {
        if (crossover) {
            add_spring(&sets->crossover, strips[i].lo, strips[i].hi, strips[i].length, strips[i].k);
        } else {
            add_buckle(&m->arcs, &strips[i], &sets->choi_ko);
        }
    }
    return true;
}

bool tl_rest_bend_springs(TlArena *arena, const TlPieces *pieces, TlRest *out) {
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    /* two over every pair of uses, and room for one that is not kept */
    int32_t most = pieces->edges.use_count + 1, vertex_count = out->vertex_count;
    Strip *strips = TL_NEW(&scratch, Strip, most), *sorted = TL_NEW(&scratch, Strip, most);
    int32_t *start = TL_NEW(&scratch, int32_t, vertex_count + 2);
    bool ok = strips != NULL && sorted != NULL && start != NULL;
    if (ok) {
        int32_t count = make_strips(pieces, strips);
        sort_strips(strips, count, true, vertex_count, start, sorted);
        sort_strips(sorted, count, false, vertex_count, start, strips);
        count = join_strips(strips, count);
        ok = fill_sets(arena, pieces->in.material, strips, count, &out->sets);
    }
    tl_arena_free(&scratch);
    return ok;
}
