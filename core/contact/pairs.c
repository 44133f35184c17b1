/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves only those pairs in the list that can come near each other.
 *
 * With n the direction between the closest points of a pair now, its distance anywhere in
 * the sweep is at least
 *   f(t) = min over A of (n.x_i + t n.c_i + min n.e_i)
 *        - max over B of (n.x_j + t n.c_j + max n.e_j),
 * where x is the start, c the common motion and e goes through the box of the vertex. f is concave,
 * being a minimum of linear functions less a maximum of such, so that its ends are enough: t = 1,
 * and t = 0 or where t is by now. What all vertices of a pair have in common cancels. */
#include "contact/blocks.h"
#include "contact/closest4.h"
#include "contact/truncate.h"

#include <string.h>

typedef struct Cull {
    TlPairs *pairs;
    const TlSweep *sweep;
    TlBlocks blocks;
    int32_t kept[TL_MOST_BLOCKS];
} Cull;

/* Distances of four pairs, less what is solid: now, and the least in the sweep. */
typedef struct Reach4 {
    TlDouble4 now, least;
} Reach4;

/* Smallest n.e of a box. */
TL_INLINE TlDouble4 box_reach(TlVec4 n, TlVec4 low, TlVec4 high) {
    return tl_min4(n.x * low.x, n.x * high.x) + tl_min4(n.y * low.y, n.y * high.y) +
           tl_min4(n.z * low.z, n.z * high.z);
}

/* `later`: t is not 0 any more. */
TL_INLINE Reach4 reach_of(const TlSweep *sweep, const TlPair *const pair[4], bool edges,
                          bool later) {
    TlVec4 x[4];
    for (int c = 0; c < 4; c++) {
        x[c] = tl_gather4(later ? sweep->now : sweep->x, pair, c);
    }
    TlVec4 n = tl_closest4(x, edges).normal;
    /* how far A is ahead of a plane, and B behind it: now, at t = from and at t = 1 */
    TlDouble4 now[2], begin[2], end[2];
    for (int c = 0; c < 4; c++) {
        int b = c >= (edges ? 2 : 1);
        bool fresh = c == 0 || c == (edges ? 2 : 1);
        TlVec4 m = b ? tl_scale4(tl_double4(-1.0), n) : n;
        TlDouble4 at = tl_dot4(m, tl_sub4(x[c], x[0]));
        TlDouble4 way = tl_dot4(m, tl_gather4(sweep->common, pair, c)), first = at;
        if (later) {
            first = tl_dot4(m, tl_sub4(tl_gather4(sweep->x, pair, c), x[0])) + sweep->from * way;
        }
        first += box_reach(m, tl_gather4(sweep->low, pair, c), tl_gather4(sweep->high, pair, c));
        TlDouble4 last = first + (later ? 1.0 - sweep->from : 1.0) * way;
        now[b] = fresh ? at : tl_min4(now[b], at);
        begin[b] = fresh ? first : tl_min4(begin[b], first);
        end[b] = fresh ? last : tl_min4(end[b], last);
    }
    TlDouble4 solid = {(double)pair[0]->solid, (double)pair[1]->solid, (double)pair[2]->solid,
                       (double)pair[3]->solid};
    return (Reach4){now[0] + now[1] - solid, tl_min4(begin[0] + begin[1], end[0] + end[1]) - solid};
}

/* Moves what is kept of [begin, end) to its front; answers how many. */
TL_INLINE int32_t cull_block(TlPair *pairs, const TlSweep *sweep, int32_t begin, int32_t end,
                             bool edges, bool later) {
    int32_t kept = begin;
    for (int32_t i = begin; i < end; i += TL_LANES) {
        const TlPair *four[TL_LANES];
        for (int32_t k = 0; k < TL_LANES; k++) {
            four[k] = &pairs[i + k < end ? i + k : end - 1];
        }
        Reach4 reach = reach_of(sweep, four, edges, later);
        for (int32_t k = 0; k < TL_LANES && i + k < end; k++) {
            /* what is not a number stays */
            if (!(reach.least[k] > (double)pairs[i + k].radius)) {
                pairs[kept] = pairs[i + k];
                pairs[kept++].least = tl_float_below(reach.now[k]);
            }
        }
    }
    return kept - begin;
}

TL_HOT static void cull_range(void *data, int32_t begin, int32_t end) {
    Cull *cull = data;
    TlPair *pairs = cull->pairs->pair;
    bool later = cull->sweep->now != NULL;
    for (int32_t b = begin; b < end; b++) {
        int32_t from = tl_block_begin(&cull->blocks, b), to = tl_block_end(&cull->blocks, b);
        bool edges = !tl_block_is_first(&cull->blocks, b);
        cull->kept[b] = edges && later ? cull_block(pairs, cull->sweep, from, to, true, true)
                        : edges        ? cull_block(pairs, cull->sweep, from, to, true, false)
                        : later        ? cull_block(pairs, cull->sweep, from, to, false, true)
                                       : cull_block(pairs, cull->sweep, from, to, false, false);
    }
}

void tl_pairs_cull(TlPool *pool, TlPairs *pairs, const TlSweep *sweep) {
    Cull cull;
    cull.pairs = pairs;
    cull.sweep = sweep;
    cull.blocks = tl_blocks(pairs->vertex_triangle, pairs->count);
    tl_parallel_for(pool, cull.blocks.count, 1, cull_range, &cull);
    int32_t count = 0, triangles = 0;
    for (int32_t b = 0; b < cull.blocks.count; b++) {
        memmove(pairs->pair + count, pairs->pair + tl_block_begin(&cull.blocks, b),
                sizeof *pairs->pair * (size_t)cull.kept[b]);
        count += cull.kept[b];
        triangles += tl_block_is_first(&cull.blocks, b) ? cull.kept[b] : 0;
    }
    pairs->vertex_triangle = triangles;
    pairs->count = count;
}
