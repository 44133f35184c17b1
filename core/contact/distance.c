/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Closest points one pair at a time and many; the work is done in closest4.h, so that both have the
 * same bits. */
#include "contact/distance.h"

#include "contact/closest4.h"

/* What lane k holds. */
TL_INLINE TlClosest take_lane(const TlClosest4 *four, int k) {
    TlClosest one;
    for (int i = 0; i < 4; i++) {
        one.weight[i] = four->weight[i][k];
    }
    one.normal[0] = four->normal.x[k];
    one.normal[1] = four->normal.y[k];
    one.normal[2] = four->normal.z[k];
    one.distance = four->distance[k];
    return one;
}

TL_INLINE TlClosest closest_of_one(const TlVec3 x[4], bool edges) {
    TlVec4 all[4];
    for (int i = 0; i < 4; i++) {
        all[i] = (TlVec4){tl_double4(x[i].x), tl_double4(x[i].y), tl_double4(x[i].z)};
    }
    TlClosest4 four = tl_closest4(all, edges);
    return take_lane(&four, 0);
}

TlClosest tl_closest_vertex_triangle(const TlVec3 x[4]) {
    return closest_of_one(x, false);
}

TlClosest tl_closest_edges(const TlVec3 x[4]) {
    return closest_of_one(x, true);
}

/* The last pair stands in for those that are missing in the last four. */
TL_INLINE void closest_of_many(const TlPair *pairs, const int32_t *list, int32_t begin, int32_t end,
                               bool edges, const double *x, TlClosest *out) {
    for (int32_t i = begin; i < end; i += TL_LANES) {
        const TlPair *pair[TL_LANES];
        TlVec4 at[4];
        for (int32_t k = 0; k < TL_LANES; k++) {
            int32_t j = i + k < end ? i + k : end - 1;
            pair[k] = &pairs[list != NULL ? list[j] : j];
        }
        for (int c = 0; c < 4; c++) {
            at[c] = tl_gather4(x, pair, c);
        }
        TlClosest4 four = tl_closest4(at, edges);
        for (int32_t k = 0; k < TL_LANES && i + k < end; k++) {
            out[i - begin + k] = take_lane(&four, k);
        }
    }
}

TL_HOT static void closest_triangles(const TlPair *pairs, const int32_t *list, int32_t begin,
                                     int32_t end, const double *x, TlClosest *out) {
    closest_of_many(pairs, list, begin, end, false, x, out);
}

TL_HOT static void closest_edges(const TlPair *pairs, const int32_t *list, int32_t begin,
                                 int32_t end, const double *x, TlClosest *out) {
    closest_of_many(pairs, list, begin, end, true, x, out);
}

void tl_closest_pairs(const TlPair *pairs, const int32_t *list, int32_t begin, int32_t end,
                      bool edges, const double *x, TlClosest *out) {
    if (edges) {
        closest_edges(pairs, list, begin, end, x, out);
    } else {
        closest_triangles(pairs, list, begin, end, x, out);
    }
}
