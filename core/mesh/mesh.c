/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Finds every defect of a mesh and copies sound ones. Faces come first; edges and areas are only
 * looked at where the indices can be trusted. */
#include "mesh/mesh.h"

#include "mesh/split.h"
#include "mesh/topology.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* a triangle lower than this part of its longest edge is a sliver */
#define SLIVER_RATIO 1e-3
/* and one lower than this has no area as far as double arithmetic can tell */
#define FLAT_RATIO 1e-9
/* corners of a quad with a sine below this are not convex enough for a bilinear patch */
#define CONVEX_SINE 0.02
/* so that three coordinates and four corners of each still count in 32 bits */
#define MOST_VERTICES 100000000

typedef struct Check {
    const ToileMeshDef *def;
    const double *positions; /* of the rest shape */
    bool uv_is_pattern;
    TlMeshIssueSink sink;
    void *user;
    bool indices_sound;
} Check;

static void report(const Check *check, ToileMeshIssueKind kind, bool is_error, int32_t face,
                   int32_t vertex, const char *format, ...) {
    ToileMeshIssue issue;
    memset(&issue, 0, sizeof issue);
    issue.kind = (int32_t)kind;
    issue.is_error = is_error;
    issue.face = face;
    issue.vertex = vertex;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(issue.message, sizeof issue.message, format, arguments);
    va_end(arguments);
    check->sink(check->user, &issue);
}

const char *tl_mesh_check_counts(const ToileMeshDef *def) {
    if (def->vertex_count < 1 || def->face_count < 1) {
        return "the mesh has no vertex or no face";
    }
    if (def->vertex_count > MOST_VERTICES || def->face_count > MOST_VERTICES) {
        return "the mesh has more than 100 million vertices or faces";
    }
    if (def->positions_m == NULL || def->face_sizes == NULL || def->corners == NULL) {
        return "the mesh lacks positions_m, face_sizes or corners";
    }
    if (def->uv_count < 0 || (def->uv_count > 0 && (def->uvs == NULL || def->corner_uvs == NULL))) {
        return "the mesh has a uv_count but lacks uvs or corner_uvs";
    }
    int64_t corners = 0;
    for (int32_t f = 0; f < def->face_count; f++) {
        if (def->face_sizes[f] < 0) {
            return "the mesh has a negative face size";
        }
        corners += def->face_sizes[f];
    }
    return corners == def->corner_count ? NULL : "corner_count is not the sum of face_sizes";
}

static void check_corner(Check *check, int32_t face, int32_t corner) {
    const ToileMeshDef *def = check->def;
    int32_t v = def->corners[corner];
    if (v < 0 || v >= def->vertex_count) {
        report(check, TOILE_MESH_INDEX_OUT_OF_RANGE, true, face, v,
               "face %" PRId32 " uses vertex %" PRId32 ", but vertices run from 0 to %" PRId32,
               face, v, def->vertex_count - 1);
        check->indices_sound = false;
    }
    if (def->uv_count > 0 &&
        (def->corner_uvs[corner] < 0 || def->corner_uvs[corner] >= def->uv_count)) {
        report(check, TOILE_MESH_INDEX_OUT_OF_RANGE, true, face, v,
               "face %" PRId32 " uses uv %" PRId32 ", but uvs run from 0 to %" PRId32, face,
               def->corner_uvs[corner], def->uv_count - 1);
        check->indices_sound = false;
    }
}

static void check_face(Check *check, int32_t face, int32_t begin) {
    const ToileMeshDef *def = check->def;
    int32_t size = def->face_sizes[face];
    if (size != 3 && size != 4) {
        report(check, TOILE_MESH_NGON, true, face, -1,
               "face %" PRId32 " has %" PRId32
               " corners; only triangles and quads can be simulated: split it in your modeller",
               face, size);
        check->indices_sound = false;
    }
    for (int32_t c = begin; c < begin + size; c++) {
        check_corner(check, face, c);
        for (int32_t d = begin; d < c && size <= 4; d++) {
            if (def->corners[c] == def->corners[d]) {
                report(check, TOILE_MESH_REPEATED_CORNER, true, face, def->corners[c],
                       "face %" PRId32 " uses vertex %" PRId32 " twice; remove the doubled corner",
                       face, def->corners[c]);
                check->indices_sound = false;
            }
        }
    }
}

static void check_faces(Check *check) {
    int32_t begin = 0;
    for (int32_t f = 0; f < check->def->face_count; f++) {
        check_face(check, f, begin);
        begin += check->def->face_sizes[f];
    }
}

static bool all_finite(const double *values, int count) {
    for (int i = 0; i < count; i++) {
        if (!tl_is_finite(values[i])) {
            return false;
        }
    }
    return true;
}

static void check_finite(Check *check) {
    const ToileMeshDef *def = check->def;
    for (int32_t v = 0; v < def->vertex_count; v++) {
        int64_t at = 3 * (int64_t)v;
        if (!all_finite(def->positions_m + at, 3) || !all_finite(check->positions + at, 3)) {
            report(check, TOILE_MESH_NOT_FINITE, true, -1, v,
                   "vertex %" PRId32 " has a coordinate that is not a number; clean the mesh", v);
            check->indices_sound = false;
        }
    }
    for (int32_t i = 0; i < def->uv_count; i++) {
        if (!all_finite(def->uvs + 2 * (int64_t)i, 2)) {
            report(check, TOILE_MESH_NOT_FINITE, true, -1, -1,
                   "uv %" PRId32 " is not a number; unwrap the mesh again", i);
            check->indices_sound = false;
        }
    }
}

/* Smallest height over longest edge, or -1 when there is no edge. */
static double height_ratio(TlVec3 a, TlVec3 b, TlVec3 c) {
    TlVec3 ab = tl_sub3(b, a), ac = tl_sub3(c, a), bc = tl_sub3(c, b);
    double longest = tl_max(tl_dot3(ab, ab), tl_max(tl_dot3(ac, ac), tl_dot3(bc, bc)));
    return longest > 0.0 ? tl_length3(tl_cross3(ab, ac)) / longest : -1.0;
}

bool tl_quad_turns_one_way(const TlVec3 p[4]) {
    TlVec3 area = tl_cross3(tl_sub3(p[2], p[0]), tl_sub3(p[3], p[1]));
    double size = tl_length3(area);
    for (int k = 0; k < 4; k++) {
        TlVec3 a = tl_sub3(p[(k + 1) % 4], p[k]), b = tl_sub3(p[(k + 3) % 4], p[k]);
        double least = CONVEX_SINE * tl_length3(a) * tl_length3(b) * size;
        if (!(tl_dot3(tl_cross3(a, b), area) > least)) {
            return false;
        }
    }
    return true;
}

bool tl_split_is_flat(const TlVec3 p[4], int32_t split[2][3]) {
    for (int t = 0; t < 2; t++) {
        if (height_ratio(p[split[t][0]], p[split[t][1]], p[split[t][2]]) < FLAT_RATIO) {
            return true;
        }
    }
    return false;
}

/* False when the triangle has no area. */
static bool check_triangle(const Check *check, int32_t face, int32_t begin,
                           const int32_t split[3]) {
    const ToileMeshDef *def = check->def;
    TlVec3 p[3], uv[3];
    for (int k = 0; k < 3; k++) {
        int32_t corner = begin + split[k];
        p[k] = tl_load3(check->positions + 3 * (int64_t)def->corners[corner]);
        if (check->uv_is_pattern) {
            const double *q = def->uvs + 2 * (int64_t)def->corner_uvs[corner];
            uv[k] = tl_vec3(q[0], q[1], 0.0);
        }
    }
    double ratio = height_ratio(p[0], p[1], p[2]);
    if (ratio < FLAT_RATIO) {
        report(check, TOILE_MESH_ZERO_AREA, true, face, def->corners[begin + split[0]],
               "face %" PRId32 " has no area; delete it or merge its vertices", face);
    } else if (ratio < SLIVER_RATIO) {
        report(check, TOILE_MESH_SLIVER, false, face, def->corners[begin + split[0]],
               "face %" PRId32 " is a sliver (height %.2g of its longest edge) and will be stiff",
               face, ratio);
    }
    bool uv_flat = check->uv_is_pattern && height_ratio(uv[0], uv[1], uv[2]) < FLAT_RATIO;
    if (uv_flat) {
        report(check, TOILE_MESH_ZERO_UV_AREA, true, face, def->corners[begin + split[0]],
               "face %" PRId32 " has no area in the uv pattern; unwrap it or set pattern to none",
               face);
    }
    return ratio >= FLAT_RATIO && !uv_flat;
}

/* Corners of a quad at rest, and in uv where that is the pattern. */
typedef struct Quad {
    TlVec3 p[4], uv[4];
} Quad;

static Quad load_quad(const Check *check, int32_t begin) {
    const ToileMeshDef *def = check->def;
    Quad quad = {.uv = {{0, 0, 0}}};
    for (int k = 0; k < 4; k++) {
        quad.p[k] = tl_load3(check->positions + 3 * (int64_t)def->corners[begin + k]);
        if (check->uv_is_pattern) {
            const double *q = def->uvs + 2 * (int64_t)def->corner_uvs[begin + k];
            quad.uv[k] = tl_vec3(q[0], q[1], 0.0);
        }
    }
    return quad;
}

static void check_convex(const Check *check, int32_t face, int32_t begin, const Quad *quad) {
    bool at_rest = tl_quad_turns_one_way(quad->p);
    if (!at_rest || (check->uv_is_pattern && !tl_quad_turns_one_way(quad->uv))) {
        report(check, TOILE_MESH_NOT_CONVEX, false, face, check->def->corners[begin],
               "face %" PRId32 " is a quad that is not convex %s; it will be simulated as two "
               "triangles: move its corners apart or split it",
               face, at_rest ? "in the uv pattern" : "at rest");
    }
}

static bool is_flat(const Check *check, const Quad *quad, int32_t split[2][3]) {
    return tl_split_is_flat(quad->p, split) ||
           (check->uv_is_pattern && tl_split_is_flat(quad->uv, split));
}

static void check_area(const Check *check, int32_t face, int32_t begin) {
    int32_t split[2][3], other[2][3], size = check->def->face_sizes[face];
    int32_t count = tl_split_face(check->def->corners + begin, size, split);
    Quad quad = {.uv = {{0, 0, 0}}};
    if (count == 2) {
        /* a straight corner makes one of the splits flat; the other will be taken */
        quad = load_quad(check, begin);
        tl_split_other(split, other);
        if (is_flat(check, &quad, split) && !is_flat(check, &quad, other)) {
            memcpy(split, other, sizeof other);
        }
    }
    bool has_area = true;
    for (int32_t t = 0; t < count; t++) {
        has_area = check_triangle(check, face, begin, split[t]) && has_area;
    }
    if (count == 2 && has_area) {
        check_convex(check, face, begin, &quad);
    }
}

static void check_areas(const Check *check) {
    int32_t begin = 0;
    for (int32_t f = 0; f < check->def->face_count; f++) {
        check_area(check, f, begin);
        begin += check->def->face_sizes[f];
    }
}

static void check_edge(const Check *check, const TlEdgeUse *uses, int32_t count) {
    if (count > 2) {
        report(check, TOILE_MESH_NON_MANIFOLD_EDGE, false, uses[2].face, uses[0].lo,
               "edge %" PRId32 "-%" PRId32 " is shared by %" PRId32 " faces (one is face %" PRId32
               "); it will not resist bending",
               uses[0].lo, uses[0].hi, count, uses[2].face);
    } else if (count == 2 && uses[0].forward == uses[1].forward) {
        report(check, TOILE_MESH_FLIPPED_NEIGHBOUR, false, uses[1].face, uses[0].lo,
               "faces %" PRId32 " and %" PRId32 " face opposite ways at edge %" PRId32 "-%" PRId32
               "; make normals consistent",
               uses[0].face, uses[1].face, uses[0].lo, uses[0].hi);
    }
}

static bool check_edges(const Check *check, TlArena *arena) {
    const ToileMeshDef *def = check->def;
    int32_t *face_start = TL_NEW(arena, int32_t, def->face_count + 1);
    bool *used = TL_NEW(arena, bool, def->vertex_count);
    TlEdges edges;
    if (face_start == NULL || used == NULL) {
        return false;
    }
    for (int32_t f = 0; f < def->face_count; f++) {
        face_start[f + 1] = face_start[f] + def->face_sizes[f];
    }
    if (!tl_edges_build(arena, def->vertex_count, def->face_count, face_start, def->corners,
                        &edges)) {
        return false;
    }
    for (int32_t u = 0; u < edges.use_count;) {
        int32_t next = tl_edges_next(&edges, u);
        check_edge(check, &edges.uses[u], next - u);
        u = next;
    }
    for (int32_t c = 0; c < def->corner_count; c++) {
        used[def->corners[c]] = true;
    }
    for (int32_t v = 0; v < def->vertex_count; v++) {
        if (!used[v]) {
            report(check, TOILE_MESH_ISOLATED_VERTEX, false, -1, v,
                   "vertex %" PRId32 " belongs to no face; it will stay where it is", v);
        }
    }
    return true;
}

bool tl_mesh_check(const ToileMeshDef *def, bool uv_is_pattern, const double *rest_positions,
                   ToileAllocator allocator, TlMeshIssueSink sink, void *user) {
    Check check = {def,           rest_positions != NULL ? rest_positions : def->positions_m,
                   uv_is_pattern, sink,
                   user,          true};
    check_faces(&check);
    check_finite(&check);
    if (!check.indices_sound) {
        return true;
    }
    check_areas(&check);
    TlArena arena;
    tl_arena_init(&arena, allocator);
    bool ok = check_edges(&check, &arena);
    tl_arena_free(&arena);
    return ok;
}

bool tl_mesh_copy(TlArena *arena, const ToileMeshDef *def, TlMesh *out) {
    memset(out, 0, sizeof *out);
    out->vertex_count = def->vertex_count;
    out->face_count = def->face_count;
    out->corner_count = def->corner_count;
    out->positions = TL_NEW(arena, double, 3 * (int64_t)def->vertex_count);
    out->face_start = TL_NEW(arena, int32_t, def->face_count + 1);
    out->corners = TL_NEW(arena, int32_t, def->corner_count);
    if (out->positions == NULL || out->face_start == NULL || out->corners == NULL) {
        return false;
    }
    memcpy(out->positions, def->positions_m, 3 * sizeof(double) * (size_t)def->vertex_count);
    memcpy(out->corners, def->corners, sizeof(int32_t) * (size_t)def->corner_count);
    for (int32_t f = 0; f < def->face_count; f++) {
        out->face_start[f + 1] = out->face_start[f] + def->face_sizes[f];
    }
    if (def->uv_count == 0) {
        return true;
    }
    out->uv_count = def->uv_count;
    out->uvs = TL_NEW(arena, double, 2 * (int64_t)def->uv_count);
    out->corner_uvs = TL_NEW(arena, int32_t, def->corner_count);
    if (out->uvs == NULL || out->corner_uvs == NULL) {
        return false;
    }
    memcpy(out->uvs, def->uvs, 2 * sizeof(double) * (size_t)def->uv_count);
    memcpy(out->corner_uvs, def->corner_uvs, sizeof(int32_t) * (size_t)def->corner_count);
    return true;
}
