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
 * and t = 0 or where t is by now. What all vertices of a pair have in common cancels.
 *
 * f bounds the distance for any n, and n may be of any length. So before distances are measured,
 * most pairs, which are of neighbours in cloth that is nowhere near itself, are told apart in
 * single precision, eight at a time, by a direction that is only about right. What single precision
 * loses is added to the boxes: 2^-20 of every magnitude that enters f, which is more than its sums
 * of four such numbers lose. */
#include "contact/blocks.h"
#include "contact/closest4.h"
#include "contact/truncate.h"

#include <string.h>

enum { GRAIN = 512 };
#define SINGLE 0x1p-20
/* what is needed may be this much more by rounding */
#define NEEDED 1.00001F

typedef struct Cull {
    TlPairs *pairs;
    const TlSweep *sweep;
    TlBlocks blocks;
    int32_t kept[TL_MOST_BLOCKS];
} Cull;

/* Whether a vertex of a pair is the first of its thing. */
TL_INLINE bool is_first(int corner, bool edges) {
    return corner == 0 || corner == (edges ? 2 : 1);
}

/* ---- the sieve ---- */

/* A vector in each lane. */
typedef struct Vec8 {
    TlFloat8 x, y, z;
} Vec8;

typedef int32_t Bits8 __attribute__((vector_size(32)));

TL_INLINE TlFloat8 spread8(float a) {
    return (TlFloat8){a, a, a, a, a, a, a, a};
}
TL_INLINE TlFloat8 choose8(Bits8 mask, TlFloat8 yes, TlFloat8 no) {
    return (TlFloat8)(((Bits8)yes & mask) | ((Bits8)no & ~mask));
}
TL_INLINE TlFloat8 min8(TlFloat8 a, TlFloat8 b) {
    return choose8((Bits8)(b < a), b, a);
}
TL_INLINE TlFloat8 abs8(TlFloat8 a) {
    return (TlFloat8)((Bits8)a & INT32_MAX);
}
TL_INLINE TlFloat8 dot8(Vec8 a, Vec8 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
/* a + s b */
TL_INLINE Vec8 add8(Vec8 a, TlFloat8 s, Vec8 b) {
    return (Vec8){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
TL_INLINE Vec8 sub8(Vec8 a, Vec8 b) {
    return (Vec8){a.x - b.x, a.y - b.y, a.z - b.z};
}
/* a/b from 0 to 1; anything there where b is 0 */
TL_INLINE TlFloat8 part8(TlFloat8 a, TlFloat8 b) {
    TlFloat8 part = a / choose8((Bits8)(b > 0.0F), b, spread8(1.0F));
    part = choose8((Bits8)(part > 0.0F), part, spread8(0.0F));
    return min8(part, spread8(1.0F));
}

/* Four numbers of eight vertices, the first three as rows. */
TL_INLINE Vec8 rows8(const TlFloat4 *const of[8]) {
    TlFloat8 ae = tl_join8(*of[0], *of[4]), bf = tl_join8(*of[1], *of[5]);
    TlFloat8 cg = tl_join8(*of[2], *of[6]), dh = tl_join8(*of[3], *of[7]);
    TlFloat8 ab = __builtin_shufflevector(ae, bf, 0, 8, 1, 9, 4, 12, 5, 13);
    TlFloat8 cd = __builtin_shufflevector(cg, dh, 0, 8, 1, 9, 4, 12, 5, 13);
    TlFloat8 ab_z = __builtin_shufflevector(ae, bf, 2, 10, 3, 11, 6, 14, 7, 15);
    TlFloat8 cd_z = __builtin_shufflevector(cg, dh, 2, 10, 3, 11, 6, 14, 7, 15);
    return (Vec8){__builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13),
                  __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15),
                  __builtin_shufflevector(ab_z, cd_z, 0, 1, 8, 9, 4, 5, 12, 13)};
}

/* What is known of one vertex of eight pairs. */
typedef struct Sifted8 {
    Vec8 middle, common, half;
} Sifted8;

TL_INLINE Sifted8 sifted8(const TlSifted *sifted, const TlPair *const pair[8], int corner) {
    const TlFloat4 *middle[8], *common[8], *half[8];
    for (int k = 0; k < 8; k++) {
        const TlSifted *of = &sifted[pair[k]->vertex[corner]];
        middle[k] = &of->middle;
        common[k] = &of->common;
        half[k] = &of->half;
    }
    return (Sifted8){rows8(middle), rows8(common), rows8(half)};
}

/* About from the closest point of two edges, or of a triangle's middle, to that of the first. */
TL_INLINE Vec8 between8(const Sifted8 v[4], bool edges) {
    if (!edges) {
        TlFloat8 third = spread8(1.0F / 3.0F);
        Vec8 to = sub8(v[0].middle, v[1].middle);
        to = add8(to, third, sub8(v[1].middle, v[2].middle));
        return add8(to, third, sub8(v[1].middle, v[3].middle));
    }
    Vec8 a = sub8(v[1].middle, v[0].middle), b = sub8(v[3].middle, v[2].middle);
    Vec8 r = sub8(v[2].middle, v[0].middle);
    TlFloat8 aa = dot8(a, a), bb = dot8(b, b), ab = dot8(a, b), ar = dot8(a, r), br = dot8(b, r);
    TlFloat8 s = part8(ar * bb - br * ab, aa * bb - ab * ab);
    TlFloat8 t = part8(s * ab - br, bb);
    s = part8(ar + t * ab, aa);
    return sub8(add8((Vec8){0.0F - r.x, 0.0F - r.y, 0.0F - r.z}, s, a),
                (Vec8){t * b.x, t * b.y, t * b.z});
}

/* Not 0 where pairs are apart all the time. */
TL_INLINE Bits8 apart8(const TlSweep *sweep, const TlPair *const pair[8], bool edges) {
    Sifted8 v[4];
    for (int c = 0; c < 4; c++) {
        v[c] = sifted8(sweep->sifted, pair, c);
    }
    Vec8 n = between8(v, edges), size = {abs8(n.x), abs8(n.y), abs8(n.z)};
    TlFloat8 from = spread8((float)sweep->from), begin[2], end[2], need;
    for (int c = 0; c < 4; c++) {
        int b = c >= (edges ? 2 : 1);
        TlFloat8 sign = spread8(b ? -1.0F : 1.0F), box = dot8(size, v[c].half);
        TlFloat8 at = sign * dot8(n, v[c].middle) - box, way = sign * dot8(n, v[c].common);
        TlFloat8 first = at + from * way, last = at + way;
        begin[b] = is_first(c, edges) ? first : min8(begin[b], first);
        end[b] = is_first(c, edges) ? last : min8(end[b], last);
    }
    for (int k = 0; k < 8; k++) {
        need[k] = NEEDED * (pair[k]->radius + pair[k]->solid);
    }
    TlFloat8 gap = min8(begin[0] + begin[1], end[0] + end[1]);
    return (Bits8)(gap > 0.0F) & (Bits8)(gap * gap > dot8(n, n) * (need * need));
}

/* Moves pairs of [begin, end) that are not clearly apart to its front; answers where they end. */
TL_INLINE int32_t sieve_block(TlPair *pairs, const TlSweep *sweep, int32_t begin, int32_t end,
                              bool edges) {
    int32_t kept = begin;
    for (int32_t i = begin; i < end; i += TL_WIDE) {
        const TlPair *eight[TL_WIDE];
        for (int32_t k = 0; k < TL_WIDE; k++) {
            eight[k] = &pairs[i + k < end ? i + k : end - 1];
        }
        Bits8 apart = apart8(sweep, eight, edges);
        for (int32_t k = 0; k < TL_WIDE && i + k < end; k++) {
            pairs[kept] = pairs[i + k];
            kept += apart[k] == 0;
        }
    }
    return kept;
}

TL_HOT static void sift_range(void *data, int32_t begin, int32_t end) {
    const TlSweep *sweep = data;
    int32_t last = sweep->vertex_count - 1;
    TlDouble4 origin = tl_vertex4(sweep->x, 0, last);
    for (int32_t v = begin; v < end; v++) {
        TlDouble4 low = tl_vertex4(sweep->low, v, last), high = tl_vertex4(sweep->high, v, last);
        TlDouble4 x = tl_vertex4(sweep->x, v, last) - origin + 0.5 * (low + high);
        TlDouble4 common = tl_vertex4(sweep->common, v, last);
        TlDouble4 half = 0.5 * (high - low);
        half += SINGLE * (tl_abs4(x) + tl_abs4(common) + half);
        sweep->sifted[v] = (TlSifted){tl_narrow4(x), tl_narrow4(common), tl_narrow4(half)};
    }
}

/* ---- the cull ---- */

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
        bool fresh = is_first(c, edges);
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
    end = sweep->sifted != NULL ? sieve_block(pairs, sweep, begin, end, edges) : end;
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
    if (sweep->sifted != NULL) {
        TlSweep own = *sweep;
        tl_parallel_for(pool, own.vertex_count, GRAIN, sift_range, &own);
    }
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
