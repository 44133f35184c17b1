/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a cloth's rest shape is folded though its fabric rests flat: such a cloth pushes itself
 * flat from the first frame on, which is seldom meant. */
#include "scene_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FOLD_DEGREES 1
#define FOLD_COSINE 0.99984769515639124 /* of that angle */

/* An edge of a face, its vertices in ascending order. */
typedef struct Side {
    int32_t low, high;
    int32_t face;
    int32_t backward; /* 1: the face runs from high to low */
} Side;

static int compare_sides(const void *a, const void *b) {
    const Side *l = a, *r = b;
    if (l->low != r->low)
        return l->low < r->low ? -1 : 1;
    if (l->high != r->high)
        return l->high < r->high ? -1 : 1;
    return l->face < r->face ? -1 : l->face > r->face;
}

/* True when two area vectors, or the one and the other turned over, differ in direction. */
static bool differ(const double *a, const double *b, bool turned) {
    double ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    double aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    double bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    return (turned ? -ab : ab) < FOLD_COSINE * sqrt(aa) * sqrt(bb);
}

/* Edges and diagonals that can be folded, and those that are. */
typedef struct Folds {
    int32_t folded;
    int32_t total;
    bool quads; /* diagonals are among them */
} Folds;

/* Lists the sides of all faces and their areas, and counts diagonals of quads. */
static void list_sides(const ToileMeshDef *mesh, const double *positions, Side *sides,
                       double *areas, Folds *folds) {
    size_t corner = 0;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        const int32_t *v = mesh->corners + corner;
        int32_t size = mesh->face_sizes[f];
        tl_scene_add_area(positions, v, size, areas + 3 * (size_t)f);
        for (int32_t c = 0; c < size; c++) {
            int32_t from = v[c], to = v[(c + 1) % size];
            bool backward = from > to;
            sides[corner + (size_t)c] = (Side){.low = backward ? to : from,
                                               .high = backward ? from : to,
                                               .face = f,
                                               .backward = backward};
        }
        if (size == 4) {
            const int32_t halves[2][3] = {{v[0], v[1], v[2]}, {v[0], v[2], v[3]}};
            double first[3] = {0, 0, 0}, second[3] = {0, 0, 0};
            tl_scene_add_area(positions, halves[0], 3, first);
            tl_scene_add_area(positions, halves[1], 3, second);
            /* the halves of a flat arrowhead face opposite ways */
            folds->folded += differ(first, second, false) && differ(first, second, true);
            folds->total++;
            folds->quads = true;
        }
        corner += (size_t)size;
    }
}

/* Counts the edges between exactly two faces; others do not resist bending. */
static void count_edges(const Side *sides, size_t count, const double *areas, Folds *folds) {
    for (size_t i = 0, next = 0; i < count; i = next) {
        next = i + 1;
        while (next < count && sides[next].low == sides[i].low && sides[next].high == sides[i].high)
            next++;
        if (next - i != 2)
            continue;
        const double *a = areas + 3 * (size_t)sides[i].face;
        const double *b = areas + 3 * (size_t)sides[i + 1].face;
        folds->folded += differ(a, b, sides[i].backward == sides[i + 1].backward);
        folds->total++;
    }
}

static bool count_folds(const TlSceneCloth *cloth, Folds *folds) {
    const ToileMeshDef *mesh = &cloth->mesh->mesh;
    const double *positions = cloth->rest ? cloth->rest->mesh.positions_m : mesh->positions_m;
    size_t count = (size_t)mesh->corner_count;
    Side *sides = calloc(count + 1, sizeof *sides);
    double *areas = calloc(3 * (size_t)mesh->face_count + 1, sizeof *areas);
    if (sides && areas) {
        list_sides(mesh, positions, sides, areas, folds);
        qsort(sides, count, sizeof *sides, compare_sides);
        count_edges(sides, count, areas, folds);
    }
    bool fine = sides && areas;
    free(sides);
    free(areas);
    return fine;
}

void tl_scene_warn_if_curved(TlSceneReader *reader, const TlKeys *keys, const TlSceneCloth *cloth) {
    const ToileFabric *fabric = &cloth->fabric;
    Folds folds = {0};
    if (fabric->bend_model == TOILE_BEND_KOITER ||
        fabric->rest_curvature != TOILE_REST_CURVATURE_GIVEN || fabric->rest_curvature_per_m != 0 ||
        cloth->rest_curvature_map_per_m ||
        (fabric->bend_weft_N_m == 0 && fabric->bend_warp_N_m == 0))
        return;
    if (!count_folds(cloth, &folds)) {
        tl_report_out_of_memory(reader->report);
        return;
    }
    if (folds.folded == 0)
        return;
    const char *advice = fabric->bend_model <= TOILE_BEND_NORMAL
                             ? "set bend.rest_curvature_per_m to \"from-rest\""
                             : "use the bending model \"linear\", \"dihedral\" or \"normal\" with "
                               "rest_curvature_per_m \"from-rest\", or \"koiter\"";
    tl_keys_warning(keys, "fabric", tl_keys_get(keys, "fabric", TL_KEY_PLAIN),
                    "the fabric rests flat, but %d of %d edges%s inside the rest shape are folded "
                    "by more than %d degree; if the cloth shall keep that shape, %s",
                    folds.folded, folds.total, folds.quads ? " and diagonals of quads" : "",
                    FOLD_DEGREES, advice);
}
