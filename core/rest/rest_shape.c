/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Rest shape of a cloth from its 3D rest mesh or its 2D pattern: masses, edges and triangles here,
 * the other sets in files of their own. */
#include "rest/rest_shape.h"

static void add_masses(const TlPieces *pieces, TlRest *out) {
    double density = pieces->in.material->density_kg_per_m2;
    for (int32_t p = 0; p < pieces->count; p++) {
        int32_t size = tl_piece_size(pieces, p);
        double share = tl_piece_area(pieces, p) / size;
        for (int32_t k = 0; k < size; k++) {
            int32_t v = pieces->vertex[pieces->start[p] + k];
            out->area[v] += share;
            out->mass[v] += density * share;
        }
    }
}

/* Stiffness of the strip of cloth beside edge k of a piece: modulus along the edge times width over
 * length; half a quad or a whole triangle is area / length wide. */
static double strip_stiffness(const TlPieces *pieces, int32_t p, const TlPieceEdge *edge) {
    const TlMaterial *m = pieces->in.material;
    double E = m->E1 * edge->eu * edge->eu + m->E2 * edge->ev * edge->ev;
    double area = tl_piece_area(pieces, p) * (tl_piece_size(pieces, p) == 4 ? 0.5 : 1.0);
    return E * area / (edge->length * edge->length);
}

static bool add_edges(TlArena *arena, const TlPieces *pieces, TlRest *out) {
    const TlEdges *edges = &pieces->edges;
    TlEdgeSet *set = &out->sets.edges;
    if (!tl_set_alloc(arena, &out->sets, set, edges->use_count, 0)) {
        return false;
    }
    set->count = 0;
    for (int32_t u = 0; u < edges->use_count;) {
        int32_t next = tl_edges_next(edges, u), i = set->count++;
        set->vertex[2 * (int64_t)i] = edges->uses[u].lo;
        set->vertex[2 * (int64_t)i + 1] = edges->uses[u].hi;
        for (int32_t use = u; use < next; use++) {
            int32_t p = edges->uses[use].face;
            TlPieceEdge edge = tl_piece_edge(pieces, p, edges->uses[use].corner - pieces->start[p]);
            set->length[i] += edge.length / (next - u);
            set->stiffness[i] += strip_stiffness(pieces, p, &edge);
        }
        u = next;
    }
    return true;
}

static bool add_triangles(TlArena *arena, const TlPieces *pieces, TlRest *out) {
    TlTriangleSet *set = &out->sets.triangles;
    if (!tl_set_alloc(arena, &out->sets, set, pieces->triangle_count, 0)) {
        return false;
    }
    int32_t i = 0;
    for (int32_t p = 0; p < pieces->count; p++) {
        if (tl_piece_size(pieces, p) != 3) {
            continue;
        }
        /* hat functions are the coordinates s and t themselves */
        TlFrame frame = tl_piece_frame(pieces, p, 0.0, 0.0);
        set->area[i] = 0.5 * fabs(tl_frame_inverse(&frame, set->g + 4 * (int64_t)i));
        set->face[i] = pieces->face[p];
        for (int k = 0; k < 3; k++) {
            set->vertex[3 * (int64_t)i + k] = pieces->vertex[pieces->start[p] + k];
        }
        i++;
    }
    return true;
}

static bool add_stretch(TlArena *arena, const TlPieces *pieces, TlRest *out) {
    if (pieces->in.material->stretch_model == TOILE_STRETCH_SPRINGS) {
        return tl_rest_springs(arena, pieces, out);
    }
    return add_triangles(arena, pieces, out) && tl_rest_quads(arena, pieces, out);
}

static bool add_bend(TlArena *arena, const TlPieces *pieces, TlRest *out) {
    switch (pieces->in.material->bend_model) {
    case TOILE_BEND_KOITER:
        return tl_rest_koiter(arena, pieces, out);
    case TOILE_BEND_CROSSOVER:
    case TOILE_BEND_CHOI_KO:
    case TOILE_BEND_CHOI_KO_TABLE:
        return tl_rest_bend_springs(arena, pieces, out);
    default:
        return tl_rest_hinges(arena, pieces, out);
    }
}

bool tl_rest_build(TlArena *arena, const TlRestInput *in, TlRest *out) {
    *out = (TlRest){.vertex_count = in->mesh->vertex_count};
    out->mass = TL_NEW(arena, double, in->mesh->vertex_count);
    out->area = TL_NEW(arena, double, in->mesh->vertex_count);
    out->position = TL_NEW(arena, double, 3 * (int64_t)in->mesh->vertex_count);
    if (arena->failed) {
        return false;
    }
    for (int64_t i = 0; i < 3 * (int64_t)in->mesh->vertex_count; i++) {
        out->position[i] = in->positions[i];
    }
    TlArena scratch;
    TlPieces pieces;
    tl_arena_init(&scratch, arena->allocator);
    bool ok = tl_pieces_build(&scratch, in, &pieces);
    if (ok) {
        add_masses(&pieces, out);
        ok = add_edges(arena, &pieces, out) && add_stretch(arena, &pieces, out) &&
             add_bend(arena, &pieces, out);
    }
    tl_arena_free(&scratch);
    return ok;
}
