/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a cage before OpenSubdiv sees it. Given an index out of range the library crashes or not,
 * faces of one or two corners and repeated corners it accepts, and a vertex of very many faces
 * makes its tables fill any memory. Time is linear but for the sorting of edges. */
#include "osd_parts.h"

#include <stdlib.h>

#define FACES_MAX UINT64_C(50000000)
#define TERMS_MAX UINT64_C(200000000) /* weights that crowded vertices may cause: 2.4 GB */
#define CROWDED 16u                   /* neighbours from which on they are counted */

/* A side of a face: an edge with the direction the face runs along it. */
typedef struct Side {
    uint32_t low, high; /* its vertices */
    uint32_t face;
    bool rises; /* the face runs from low to high */
} Side;

static osdc_status check_arguments(const osdc_cage *cage, const osdc_options *options,
                                   osdc_error *error) {
    if (!cage || cage->struct_size < sizeof *cage || !options ||
        options->struct_size < sizeof *options)
        return tl_osd_fail(error, OSDC_E_ARG, OSDC_NOWHERE,
                           "osdc_create needs a cage and options set up by osdc_cage_default and "
                           "osdc_options_default");
    if ((unsigned)options->scheme > OSDC_BILINEAR ||
        (unsigned)options->boundary > OSDC_EDGE_LINEAR || (unsigned)options->uv > OSDC_UV_LINEAR)
        return tl_osd_fail(error, OSDC_E_ARG, OSDC_NOWHERE,
                           "scheme %d, boundary %d or uv rule %d is none of those in osd_c.h",
                           (int)options->scheme, (int)options->boundary, (int)options->uv);
    if (options->level > TL_OSD_LEVEL_MAX)
        return tl_osd_fail(error, OSDC_E_LIMIT, OSDC_NOWHERE,
                           "level %u is too deep; 0 to %u are allowed", (unsigned)options->level,
                           TL_OSD_LEVEL_MAX);
    if (cage->verts == 0 || cage->faces == 0 || !cage->face_count || !cage->index ||
        cage->verts > INT32_MAX / 3 || cage->corners > INT32_MAX / 3)
        return tl_osd_fail(error, OSDC_E_ARG, OSDC_NOWHERE,
                           "the cage has %u vertices, %u faces and %u corners; at least one face "
                           "and at most %d corners and vertices are allowed",
                           (unsigned)cage->verts, (unsigned)cage->faces, (unsigned)cage->corners,
                           INT32_MAX / 3);
    if ((cage->creases > 0 && (!cage->crease_pairs || !cage->crease_sharpness)) ||
        (cage->corner_tags > 0 && (!cage->corner_vert || !cage->corner_sharpness)) ||
        (cage->holes > 0 && !cage->hole) || (cage->fvars > 0 && !cage->fvar))
        return tl_osd_fail(error, OSDC_E_ARG, OSDC_NOWHERE,
                           "the cage counts creases, corners, holes or channels, but their array "
                           "is NULL");
    return OSDC_OK;
}

/* ---- faces ---- */

static osdc_status check_counts(const osdc_cage *cage, const osdc_options *options,
                                osdc_error *error) {
    uint64_t sum = 0;
    for (uint32_t f = 0; f < cage->faces; f++) {
        int32_t size = cage->face_count[f];
        if (size < 3)
            return tl_osd_fail(error, OSDC_E_FACE, f,
                               "face %u has %d corners; at least 3 are needed", (unsigned)f,
                               (int)size);
        if (options->scheme == OSDC_LOOP && size != 3)
            return tl_osd_fail(error, OSDC_E_FACE, f,
                               "face %u has %d corners; Loop subdivision takes triangles only",
                               (unsigned)f, (int)size);
        sum += (uint64_t)size;
    }
    if (sum != cage->corners)
        return tl_osd_fail(error, OSDC_E_ARG, OSDC_NOWHERE,
                           "the faces have %llu corners in sum, but %u are given",
                           (unsigned long long)sum, (unsigned)cage->corners);
    uint64_t most = options->max_faces < FACES_MAX ? options->max_faces : FACES_MAX;
    uint64_t faces = cage->faces;
    for (uint32_t level = 1; level <= options->level; level++)
        faces = level == 1 && options->scheme != OSDC_LOOP ? cage->corners : 4 * faces;
    if (faces > most)
        return tl_osd_fail(error, OSDC_E_LIMIT, OSDC_NOWHERE,
                           "%u faces refined %u times are %llu; at most %llu are allowed, so "
                           "choose a lower level",
                           (unsigned)cage->faces, (unsigned)options->level,
                           (unsigned long long)faces, (unsigned long long)most);
    return OSDC_OK;
}

/* Every corner names a vertex, and no face one twice. `last` holds 0 for every vertex; afterwards
 * it holds how many faces use it. */
static osdc_status check_corners(const osdc_cage *cage, uint32_t *last, uint32_t *valence,
                                 osdc_error *error) {
    size_t corner = 0;
    for (uint32_t f = 0; f < cage->faces; f++)
        for (int32_t c = 0; c < cage->face_count[f]; c++, corner++) {
            int32_t v = cage->index[corner];
            if (v < 0 || (uint32_t)v >= cage->verts)
                return tl_osd_fail(error, OSDC_E_INDEX, f,
                                   "face %u names vertex %d, but there are 0 to %u", (unsigned)f,
                                   (int)v, (unsigned)(cage->verts - 1));
            if (last[v] == f + 1)
                return tl_osd_fail(error, OSDC_E_FACE, f, "face %u has vertex %d twice",
                                   (unsigned)f, (int)v);
            last[v] = f + 1;
            valence[v]++;
        }
    return OSDC_OK;
}

/* Each of n neighbours of a crowded vertex or face gets a row that holds all the others. */
static osdc_status check_crowds(const osdc_cage *cage, const osdc_options *options,
                                const uint32_t *valence, osdc_error *error) {
    uint64_t terms = 0;
    uint32_t worst = 0;
    for (uint32_t v = 0; v < cage->verts; v++) {
        uint64_t n = valence[v] > CROWDED ? valence[v] : 0;
        terms += 4 * n * n * options->level;
        worst = valence[v] > valence[worst] ? v : worst;
    }
    for (uint32_t f = 0; f < cage->faces; f++) {
        uint64_t n = (uint64_t)cage->face_count[f] > CROWDED ? (uint64_t)cage->face_count[f] : 0;
        terms += 4 * n * n * options->level;
    }
    if (terms > TERMS_MAX || valence[worst] > UINT16_MAX)
        return tl_osd_fail(error, OSDC_E_LIMIT, worst,
                           "vertices or faces with too many neighbours, such as vertex %u of %u "
                           "faces, would need %llu weights; cut such fans and faces up",
                           (unsigned)worst, (unsigned)valence[worst], (unsigned long long)terms);
    return OSDC_OK;
}

/* ---- edges ---- */

static int compare_sides(const void *a, const void *b) {
    const Side *left = (const Side *)a, *right = (const Side *)b;
    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    if (left->high != right->high)
        return left->high < right->high ? -1 : 1;
    return left->face < right->face ? -1 : left->face > right->face;
}

static Side *list_sides(const osdc_cage *cage) {
    Side *sides = malloc((size_t)cage->corners * sizeof *sides);
    size_t first = 0;
    for (uint32_t f = 0; sides && f < cage->faces; f++) {
        size_t size = (size_t)cage->face_count[f];
        for (size_t c = 0; c < size; c++) {
            uint32_t from = (uint32_t)cage->index[first + c];
            uint32_t to = (uint32_t)cage->index[first + (c + 1 < size ? c + 1 : 0)];
            sides[first + c] = from < to ? (Side){from, to, f, true} : (Side){to, from, f, false};
        }
        first += size;
    }
    if (sides)
        qsort(sides, cage->corners, sizeof *sides, compare_sides);
    return sides;
}

static bool same_edge(const Side *a, const Side *b) {
    return a->low == b->low && a->high == b->high;
}

static osdc_status check_edges(const osdc_cage *cage, const Side *sides, osdc_error *error) {
    for (uint32_t i = 0; i + 1 < cage->corners; i++) {
        const Side *s = sides + i;
        if (!same_edge(s, s + 1))
            continue;
        if (i + 2 < cage->corners && same_edge(s, s + 2))
            return tl_osd_fail(error, OSDC_E_TOPOLOGY, s[2].face,
                               "the edge between vertices %u and %u is shared by the faces %u, %u "
                               "and %u; at most two faces may meet at an edge",
                               (unsigned)s->low, (unsigned)s->high, (unsigned)s->face,
                               (unsigned)s[1].face, (unsigned)s[2].face);
        if (s->rises == s[1].rises)
            return tl_osd_fail(error, OSDC_E_TOPOLOGY, s[1].face,
                               "the faces %u and %u run along the edge between vertices %u and %u "
                               "in the same direction; turn one of them over",
                               (unsigned)s->face, (unsigned)s[1].face, (unsigned)s->low,
                               (unsigned)s->high);
    }
    return OSDC_OK;
}

/* ---- tags and channels ---- */

static bool is_edge(const osdc_cage *cage, const Side *sides, uint32_t a, uint32_t b) {
    Side wanted = a < b ? (Side){a, b, 0, true} : (Side){b, a, 0, true};
    uint32_t low = 0, high = cage->corners;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_sides(sides + middle, &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < cage->corners && same_edge(sides + low, &wanted);
}

static osdc_status check_creases(const osdc_cage *cage, const Side *sides, osdc_error *error) {
    for (uint32_t i = 0; i < cage->creases; i++) {
        int32_t a = cage->crease_pairs[2 * (size_t)i], b = cage->crease_pairs[2 * (size_t)i + 1];
        if (a < 0 || b < 0 || !is_edge(cage, sides, (uint32_t)a, (uint32_t)b))
            return tl_osd_fail(error, OSDC_E_INDEX, i,
                               "crease %u joins the vertices %d and %d, which no face has as an "
                               "edge",
                               (unsigned)i, (int)a, (int)b);
        if (!(cage->crease_sharpness[i] >= 0))
            return tl_osd_fail(error, OSDC_E_ARG, i,
                               "the sharpness of crease %u is below 0 or not a number; 0 (smooth) "
                               "to 10 (sharp) are allowed",
                               (unsigned)i);
    }
    return OSDC_OK;
}

static osdc_status check_tags(const osdc_cage *cage, osdc_error *error) {
    for (uint32_t i = 0; i < cage->corner_tags; i++) {
        if (cage->corner_vert[i] < 0 || (uint32_t)cage->corner_vert[i] >= cage->verts)
            return tl_osd_fail(error, OSDC_E_INDEX, i,
                               "sharp corner %u is vertex %d, but there are 0 to %u", (unsigned)i,
                               (int)cage->corner_vert[i], (unsigned)(cage->verts - 1));
        if (!(cage->corner_sharpness[i] >= 0))
            return tl_osd_fail(error, OSDC_E_ARG, i,
                               "the sharpness of corner %u is below 0 or not a number; 0 (smooth) "
                               "to 10 (sharp) are allowed",
                               (unsigned)i);
    }
    for (uint32_t i = 0; i < cage->holes; i++)
        if (cage->hole[i] < 0 || (uint32_t)cage->hole[i] >= cage->faces)
            return tl_osd_fail(error, OSDC_E_INDEX, i, "hole %u is face %d, but there are 0 to %u",
                               (unsigned)i, (int)cage->hole[i], (unsigned)(cage->faces - 1));
    return OSDC_OK;
}

static osdc_status check_channels(const osdc_cage *cage, osdc_error *error) {
    for (uint32_t i = 0; i < cage->fvars; i++) {
        const osdc_fvar *fvar = &cage->fvar[i];
        if (!fvar->index || fvar->values > INT32_MAX / 3)
            return tl_osd_fail(error, OSDC_E_ARG, i,
                               "channel %u has no indices, or more than %d values", (unsigned)i,
                               INT32_MAX / 3);
        for (uint32_t c = 0; c < cage->corners; c++)
            if (fvar->index[c] >= fvar->values)
                return tl_osd_fail(
                    error, OSDC_E_INDEX, c, "corner %u names value %u of channel %u, which has %u",
                    (unsigned)c, (unsigned)fvar->index[c], (unsigned)i, (unsigned)fvar->values);
    }
    return OSDC_OK;
}

/* ---- all of it ---- */

static osdc_status check_vertices(const osdc_cage *cage, const osdc_options *options,
                                  osdc_error *error) {
    uint32_t *last = calloc(cage->verts, sizeof *last);
    uint32_t *valence = calloc(cage->verts, sizeof *valence);
    osdc_status status = last && valence
                             ? check_corners(cage, last, valence, error)
                             : tl_osd_fail(error, OSDC_E_MEMORY, OSDC_NOWHERE, "memory ran out");
    if (status == OSDC_OK)
        status = check_crowds(cage, options, valence, error);
    free(last);
    free(valence);
    return status;
}

osdc_status tl_osd_check(const osdc_cage *cage, const osdc_options *options, osdc_error *error) {
    osdc_status status = check_arguments(cage, options, error);
    if (status == OSDC_OK)
        status = check_counts(cage, options, error);
    if (status == OSDC_OK)
        status = check_vertices(cage, options, error);
    if (status == OSDC_OK)
        status = check_tags(cage, error);
    if (status == OSDC_OK)
        status = check_channels(cage, error);
    if (status != OSDC_OK)
        return status;
    Side *sides = list_sides(cage);
    if (!sides)
        return tl_osd_fail(error, OSDC_E_MEMORY, OSDC_NOWHERE, "memory ran out");
    status = check_edges(cage, sides, error);
    if (status == OSDC_OK)
        status = check_creases(cage, sides, error);
    free(sides);
    return status;
}
