/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces, their coordinates and frames; see pieces.h. A quad p0 p1 p2 p3 is the bilinear patch with
 * P = p_s and Q = p_t at the middle and T = p_st: p_s = P + (t - 1/2) T, p_t = Q + (s - 1/2) T. */
#include "rest/pieces.h"

#include "mesh/split.h"

#include <string.h>

static TlVec3 load_uv(const TlMesh *mesh, int32_t corner, double scale) {
    const double *uv = mesh->uvs + 2 * (int64_t)mesh->corner_uvs[corner];
    return tl_vec3(scale * uv[0], scale * uv[1], 0.0);
}

static TlVec3 rest_point(const TlRestInput *in, int32_t corner) {
    if (in->pattern == TOILE_PATTERN_METRIC) {
        return load_uv(in->mesh, corner, in->pattern_scale_m);
    }
    return tl_load3(in->positions + 3 * (int64_t)in->mesh->corners[corner]);
}

/* Whether a quad, given by its first corner in the mesh, is convex in its rest shape and, where
 * that counts, in uv. */
static bool is_convex(const TlRestInput *in, int32_t first_corner) {
    TlVec3 rest[4], uv[4];
    for (int k = 0; k < 4; k++) {
        rest[k] = rest_point(in, first_corner + k);
        if (in->pattern == TOILE_PATTERN_ORIENTATION) {
            uv[k] = load_uv(in->mesh, first_corner + k, 1.0);
        }
    }
    return tl_quad_turns_one_way(rest) &&
           (in->pattern != TOILE_PATTERN_ORIENTATION || tl_quad_turns_one_way(uv));
}

static void add_piece(TlPieces *out, int32_t face, int32_t size, const int32_t *corners) {
    int32_t at = out->start[out->count];
    for (int32_t k = 0; k < size; k++) {
        out->corner[at + k] = corners[k];
        out->vertex[at + k] = out->in.mesh->corners[corners[k]];
    }
    out->face[out->count++] = face;
    out->start[out->count] = at + size;
    out->triangle_count += size == 3;
    out->quad_count += size == 4;
}

/* Whether both triangles of a split have an area, and turn the same way: the split of an arrowhead
 * through the wrong corner folds one over the other. */
static bool is_sound_split(const TlRestInput *in, int32_t begin, int32_t split[2][3]) {
    TlVec3 p[4], uv[4], normal[2];
    bool oriented = in->pattern == TOILE_PATTERN_ORIENTATION;
    for (int k = 0; k < 4; k++) {
        p[k] = rest_point(in, begin + k);
        uv[k] = oriented ? load_uv(in->mesh, begin + k, 1.0) : p[k];
    }
    for (int t = 0; t < 2; t++) {
        const int32_t *c = split[t];
        normal[t] = tl_cross3(tl_sub3(p[c[1]], p[c[0]]), tl_sub3(p[c[2]], p[c[0]]));
    }
    return !tl_split_is_flat(p, split) && !tl_split_is_flat(uv, split) &&
           tl_dot3(normal[0], normal[1]) > 0.0;
}

/* Triangles of a face as offsets into its corners: through the lowest-numbered vertex, or where
 * that is unsound through its neighbour. */
static int32_t split_face(const TlRestInput *in, int32_t face, int32_t split[2][3]) {
    int32_t begin = in->mesh->face_start[face], size = in->mesh->face_start[face + 1] - begin;
    int32_t n = tl_split_face(in->mesh->corners + begin, size, split), other[2][3];
    if (n == 2 && !is_sound_split(in, begin, split)) {
        tl_split_other(split, other);
        if (is_sound_split(in, begin, other)) {
            memcpy(split, other, sizeof other);
        }
    }
    return n;
}

static void add_face(TlPieces *out, int32_t face) {
    const TlMesh *mesh = out->in.mesh;
    int32_t begin = mesh->face_start[face], size = mesh->face_start[face + 1] - begin;
    if (size == 4 && out->in.native && is_convex(&out->in, begin)) {
        const int32_t corners[4] = {begin, begin + 1, begin + 2, begin + 3};
        add_piece(out, face, 4, corners);
        return;
    }
    int32_t split[2][3], n = split_face(&out->in, face, split);
    for (int32_t t = 0; t < n; t++) {
        const int32_t corners[3] = {begin + split[t][0], begin + split[t][1], begin + split[t][2]};
        add_piece(out, face, 3, corners);
    }
}

bool tl_pieces_build(TlArena *arena, const TlRestInput *in, TlPieces *out) {
    const TlMesh *mesh = in->mesh;
    *out = (TlPieces){.in = *in};
    int32_t most = mesh->corner_count - 2 * mesh->face_count;
    out->start = TL_NEW(arena, int32_t, most + 1);
    out->vertex = TL_NEW(arena, int32_t, 3 * (int64_t)most + 1);
    out->corner = TL_NEW(arena, int32_t, 3 * (int64_t)most + 1);
    out->face = TL_NEW(arena, int32_t, most);
    if (out->start == NULL || out->vertex == NULL || out->corner == NULL || out->face == NULL) {
        return false;
    }
    for (int32_t f = 0; f < mesh->face_count; f++) {
        add_face(out, f);
    }
    return tl_edges_build(arena, mesh->vertex_count, out->count, out->start, out->vertex,
                          &out->edges);
}

TlVec3 tl_piece_rest(const TlPieces *pieces, int32_t p, int32_t k) {
    return rest_point(&pieces->in, pieces->corner[pieces->start[p] + k]);
}

double tl_piece_area(const TlPieces *pieces, int32_t p) {
    TlVec3 a = tl_piece_rest(pieces, p, 0), b = tl_piece_rest(pieces, p, 1);
    TlVec3 c = tl_piece_rest(pieces, p, 2);
    if (tl_piece_size(pieces, p) == 3) {
        return 0.5 * tl_length3(tl_cross3(tl_sub3(b, a), tl_sub3(c, a)));
    }
    TlVec3 d = tl_piece_rest(pieces, p, 3);
    return 0.5 * tl_length3(tl_cross3(tl_sub3(c, a), tl_sub3(d, b)));
}

/* Both tangents of the map from (s, t) to the four or three points at (s, t). */
static void tangents(const TlVec3 *q, int32_t size, double s, double t, TlVec3 *ps, TlVec3 *pt) {
    if (size == 3) {
        *ps = tl_sub3(q[1], q[0]);
        *pt = tl_sub3(q[2], q[0]);
        return;
    }
    TlVec3 low = tl_sub3(q[1], q[0]), high = tl_sub3(q[2], q[3]);
    TlVec3 left = tl_sub3(q[3], q[0]), right = tl_sub3(q[2], q[1]);
    *ps = tl_madd3(tl_scale3(1.0 - t, low), t, high);
    *pt = tl_madd3(tl_scale3(1.0 - s, left), s, right);
}

/* The first edge of the whole face: both halves of a split quad take their weft from it. */
static TlVec3 first_edge(const TlPieces *pieces, int32_t p) {
    const TlMesh *mesh = pieces->in.mesh;
    int32_t begin = mesh->face_start[pieces->face[p]];
    return tl_sub3(rest_point(&pieces->in, begin + 1), rest_point(&pieces->in, begin));
}

TlFrame tl_piece_frame(const TlPieces *pieces, int32_t p, double s, double t) {
    int32_t size = tl_piece_size(pieces, p);
    TlVec3 rest[4] = {{0, 0, 0}}, uv[4] = {{0, 0, 0}};
    TlFrame frame;
    for (int32_t k = 0; k < size; k++) {
        rest[k] = tl_piece_rest(pieces, p, k);
    }
    tangents(rest, size, s, t, &frame.ps, &frame.pt);
    if (pieces->in.pattern == TOILE_PATTERN_METRIC) {
        frame.e1 = tl_vec3(1.0, 0.0, 0.0);
        frame.e2 = tl_vec3(0.0, 1.0, 0.0);
        return frame;
    }
    TlVec3 normal = tl_unit3(tl_cross3(frame.ps, frame.pt)), weft;
    bool mirrored = false;
    if (pieces->in.pattern == TOILE_PATTERN_ORIENTATION) {
        TlVec3 us, ut;
        for (int32_t k = 0; k < size; k++) {
            uv[k] = load_uv(pieces->in.mesh, pieces->corner[pieces->start[p] + k], 1.0);
        }
        tangents(uv, size, s, t, &us, &ut);
        mirrored = us.x * ut.y - ut.x * us.y < 0.0;
        /* d p/du = p_s ds/du + p_t dt/du with the inverse of the uv map's Jacobian */
        weft = tl_sub3(tl_scale3(ut.y, frame.ps), tl_scale3(us.y, frame.pt));
        weft = mirrored ? tl_scale3(-1.0, weft) : weft;
    } else {
        weft = size == 4 ? frame.ps : first_edge(pieces, p);
        weft = tl_madd3(weft, -tl_dot3(weft, normal), normal);
    }
    frame.e1 = tl_unit3(weft);
    frame.e2 = tl_scale3(mirrored ? -1.0 : 1.0, tl_cross3(normal, frame.e1));
    return frame;
}

double tl_frame_inverse(const TlFrame *f, double H[4]) {
    double us = tl_dot3(f->ps, f->e1), vs = tl_dot3(f->ps, f->e2);
    double ut = tl_dot3(f->pt, f->e1), vt = tl_dot3(f->pt, f->e2), det = us * vt - ut * vs;
    H[0] = vt / det;
    H[1] = -ut / det;
    H[2] = -vs / det;
    H[3] = us / det;
    return det;
}

TlPieceEdge tl_piece_edge(const TlPieces *pieces, int32_t p, int32_t k) {
    int32_t size = tl_piece_size(pieces, p);
    static const double middle[4][2] = {{0.5, 0.0}, {1.0, 0.5}, {0.5, 1.0}, {0.0, 0.5}};
    TlFrame frame = tl_piece_frame(pieces, p, middle[k][0], middle[k][1]);
    TlVec3 e = tl_sub3(tl_piece_rest(pieces, p, (k + 1) % size), tl_piece_rest(pieces, p, k));
    double u = tl_dot3(e, frame.e1), v = tl_dot3(e, frame.e2), flat = sqrt(u * u + v * v);
    return (TlPieceEdge){tl_length3(e), u / flat, v / flat};
}

TlSide tl_piece_side(const TlPieces *pieces, int32_t p, int32_t first, bool from_c) {
    int32_t size = tl_piece_size(pieces, p), last = (first + 1) % size;
    TlVec3 c = tl_piece_rest(pieces, p, from_c ? first : last);
    TlVec3 d = tl_piece_rest(pieces, p, from_c ? last : first);
    TlSide side = {.far_count = size - 2, .by_c = from_c ? size - 3 : 0, .e = tl_sub3(d, c)};
    for (int32_t k = 0; k < side.far_count; k++) {
        int32_t corner = (first + 2 + k) % size;
        side.far[k] = pieces->vertex[pieces->start[p] + corner];
        side.offset[k] = tl_sub3(tl_piece_rest(pieces, p, corner), c);
    }
    side.edge = tl_piece_edge(pieces, p, first);
    return side;
}

void tl_piece_sides(const TlPieces *pieces, const TlEdgeUse uses[2], TlSide sides[2]) {
    for (int i = 0; i < 2; i++) {
        int32_t p = uses[i].face, first = uses[i].corner - pieces->start[p];
        sides[i] = tl_piece_side(pieces, p, first, i == 0 || uses[i].forward == uses[0].forward);
    }
}

TlFoot tl_foot(TlVec3 point, TlVec3 e) {
    return (TlFoot){tl_dot3(point, e) / tl_dot3(e, e),
                    tl_length3(tl_cross3(point, e)) / tl_length3(e)};
}
