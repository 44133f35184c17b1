/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Shortens the ways of vertices so that no pair comes to touch during a move.
 *
 * Claim. All vertices go at once and evenly, x_i(t) = x_i + t d_i with d_i = s_i u_i, t from 0
 * to 1. Then at all these times the distance of every pair, less what is solid, is at least the
 * smaller of what it keeps and of what it was at t = 0. A pair keeps its floor, and half of what
 * parts it, its distance or its gap along another plane, up to half the contact distance: so that a
 * move that goes wrong, such as one that did not know of a contact, leaves the potential of contact
 * something to work with.
 * Two triangles that are apart can only come to cross when a vertex of one meets the other, or two
 * of their edges meet; so where all such pairs are in the list nothing comes to cross.
 *
 * Proof. A and B, the things of a pair, are the convex hulls of their vertices.
 *  1. Far pairs. The way between a point of A and a point of B is a mean of x_i - x_j, i of A and j
 *     of B, and changes by the same mean of d_i - d_j. So within the move the distance shrinks by
 *     at most rho = max |d_i - d_j|; what the pair moves together does not count. A pair that is
 *     known to be `least` apart may be left alone when least - rho is not below what it keeps, and
 *     afterwards is at least least - rho apart.
 *  2. Planes. For any unit vector n, g(t) = min over A of n.x_i(t) - max over B of n.x_j(t) is a
 *     lower bound of the distance. It is a minimum of linear functions less a maximum of such, thus
 *     concave, and never smaller than the smaller of g(0) and g(1): only the end of the move must
 *     be looked at. Again common motion cancels. With n between the closest points g(0) is the
 *     distance. A pair passes when g(1) >= g(0) - TL_PASS max(0, g(0) - keeps). Where that
 *     fails, the normal of the triangle, or of both edges, is tried: cloth that slides along a
 *     surface towards a triangle of it goes over that triangle, not into it. The plane that leaves
 *     more room counts, and what the pair keeps goes by its g(0). And a pair passes when planes
 *     part it one after the other, each for a part of the time: what slides round a corner has no
 *     plane for all of it.
 *  3. Cuts. Write a = min over A of n.x_i at t = 0, and a' the same at t = 1, b and b' the maxima
 *     over B. A comes nearer by a - a', B by b' - b; at most CUT max(0, g(0) - keeps) is granted to
 *     both together. Who goes away grants as much more to who follows. Vertex i of A is cut when
 *     n.(x_i + d_i) < a - what A may do, and then to equality: n.x_i >= a, so that there is such
 *     an s_i from 0 to what it was. B mirrored. Afterwards the pair passes.
 *  4. Later cuts. When nobody goes away the bounds of 3 hold for every smaller s_i as well, since
 *     they hold for s_i = 0: the pair is settled. Every other pair is looked at again whenever one
 *     of its vertices was cut, until nothing changes. After RELATIVE passes going away grants
 *     nothing, so that every pair that fails is settled; after LAST passes all pairs are settled
 *     at once. So it ends, and every pair has passed with the final s or is settled.
 *  5. Solid. What is within a radius of A is convex too, and reaches that radius farther along
 *     any n: the radii are taken off g, and off distances.
 *  6. No normal (A meets B, or numbers that are none): nothing of the pair moves.
 *  7. Rounding. Positions and planes are good to some 2^-48 of the size of a pair, and a move
 *     rounds positions to 2^-53 of their coordinates; floors must be larger than that by far, and
 *     the part of a gap that CUT leaves is. TL_SLIP is what may be lost in one move, so that a pair
 *     at its floor can slide. Far pairs use single precision, with its error taken off.
 *  8. Lines. Colliders have long edges, and capsules are lines, that turn: then a plane sees the
 *     motion of a far end. For a point p of the line A, and c its point closest to B, |p - b|^2 >=
 *     g^2 + (|p - c| - size)^2 for all b of B, which lie within `size` of its closest point: g is
 *     the distance, and A is convex. Points for which that exceeds (g + rho)^2 do not come nearer
 *     than g, so that only |p - c| <= size + sqrt(rho (2 g + rho)) must be looked at; and, with
 *     the rho of that part, once more. Its ends move by means of what the ends of A do: a cut of
 *     one cuts both, and such pairs are not settled before going away grants nothing, from where
 *     on all of A counts.
 * All of this holds at every t: a caller may stop the move early by scaling all s by one number,
 * and by nothing else. */
#include "contact/truncate.h"

#include "contact/blocks.h"
#include "contact/planes4.h"

#include <string.h>

/* part of a gap, less what it keeps, that a pair may lose in a move once it is cut; less than
 * TL_PASS */
#define CUT 0.9
/* rounding of differences in single precision: of their own size, and of the largest motion */
#define FLOAT_ROUNDING 1.000001F
#define FLOAT_GRAIN 2.5e-7
/* passes in which going away grants something, and passes before all is settled: cloth that falls
 * fast and is stopped somewhere is followed outwards, an edge a pass */
enum { RELATIVE = 24, LAST = 40, TILE = 64 };

/* of a vertex */
enum { CHANGED = 1, SHORTER = 2 };
/* of a pair: `least` is still that at the start; nothing can happen to it any more */
enum { MEASURED = 1, SETTLED = 2 };

typedef struct Shares {
    double s[4];
} Shares;

struct TlTruncation {
    int32_t vertex_room, pair_room, failed_room;
    int32_t growths;
    TlFloat4 *d;      /* per vertex: s u */
    uint8_t *mark;    /* per vertex */
    int32_t *changed; /* vertices that were cut in this pass */
    uint8_t *state;   /* per pair */
    int32_t *failed;  /* pairs that must be cut; every block has the place of its own pairs */
    Shares *shares;   /* per failed pair: what its vertices may do */
};

typedef struct Run {
    TlTruncation *work;
    const TlMove *move;
    TlPair *pair;
    TlBlocks blocks, vertices;
    int32_t pass, changed_count, cut;
    float grain; /* error of a difference of motions in single precision */
    int32_t failed_count, failed_triangles;
    int32_t failed[TL_MOST_BLOCKS], measured[TL_MOST_BLOCKS];
    double largest[TL_MOST_BLOCKS];
} Run;

/* ---- memory, on the calling thread alone ---- */

TlTruncation *tl_truncation_build(TlArena *arena) {
    return TL_NEW(arena, TlTruncation, 1);
}

/* Room for `count`, with a half more; 0: there is enough. */
static int32_t more_room(int32_t room, int32_t count) {
    return count <= room ? 0 : count < INT32_MAX / 2 ? count + count / 2 : INT32_MAX;
}

static bool reserve_vertices(TlTruncation *work, TlArena *arena, int32_t count) {
    int32_t room = more_room(work->vertex_room, count);
    if (room == 0) {
        return true;
    }
    work->d = TL_RENEW(arena, TlFloat4, work->d, room);
    work->mark = TL_RENEW(arena, uint8_t, work->mark, room);
    work->changed = TL_RENEW(arena, int32_t, work->changed, room);
    bool ok = work->d != NULL && work->mark != NULL && work->changed != NULL;
    work->vertex_room = ok ? room : 0;
    work->growths++;
    return ok;
}

static bool reserve_pairs(TlTruncation *work, TlArena *arena, int32_t count) {
    int32_t room = more_room(work->pair_room, count);
    if (room == 0) {
        return true;
    }
    work->state = TL_RENEW(arena, uint8_t, work->state, room);
    work->failed = TL_RENEW(arena, int32_t, work->failed, room);
    bool ok = work->state != NULL && work->failed != NULL;
    work->pair_room = ok ? room : 0;
    work->growths++;
    return ok;
}

static bool reserve_failed(TlTruncation *work, TlArena *arena, int32_t count) {
    int32_t room = more_room(work->failed_room, count);
    if (room == 0) {
        return true;
    }
    work->shares = TL_RENEW(arena, Shares, work->shares, room);
    work->failed_room = work->shares != NULL ? room : 0;
    work->growths++;
    return work->shares != NULL;
}

/* ---- motion in single precision ---- */

/* Motion of vertex v; answers its largest coordinate. One that is no number stays where it is. */
static double set_motion(Run *run, int32_t v) {
    const double *u = run->move->u + 3 * (int64_t)v;
    double *s = &run->move->s[v], d[3] = {*s * u[0], *s * u[1], *s * u[2]};
    if (!tl_is_finite(d[0] + d[1] + d[2])) {
        *s = d[0] = d[1] = d[2] = 0.0;
    }
    run->work->d[v] = (TlFloat4){(float)d[0], (float)d[1], (float)d[2], 0.0F};
    return tl_max(tl_max(fabs(d[0]), fabs(d[1])), fabs(d[2]));
}

static void begin_vertices(void *data, int32_t begin, int32_t end) {
    Run *run = data;
    for (int32_t b = begin; b < end; b++) {
        double largest = 0.0;
        for (int32_t v = tl_block_begin(&run->vertices, b); v < tl_block_end(&run->vertices, b);
             v++) {
            largest = tl_max(largest, set_motion(run, v));
            run->work->mark[v] = 0;
        }
        run->largest[b] = largest;
    }
}

/* The motion of vertex `corner` of four pairs, a coordinate each. */
TL_INLINE void gather_motion(const TlFloat4 *d, const TlPair *const pair[4], int corner,
                             TlFloat4 out[3]) {
    TlFloat4 w = d[pair[3]->vertex[corner]];
    out[0] = d[pair[0]->vertex[corner]];
    out[1] = d[pair[1]->vertex[corner]];
    out[2] = d[pair[2]->vertex[corner]];
    tl_transpose4(&out[0], &out[1], &out[2], &w);
}

/* The larger of most and |a - b|^2. */
TL_INLINE TlFloat4 larger_apart(TlFloat4 most, const TlFloat4 a[3], const TlFloat4 b[3]) {
    TlFloat4 x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    TlFloat4 d2 = x * x + y * y + z * z;
    /* what is no number counts as the largest */
    typedef int32_t Bits __attribute__((vector_size(16)));
    Bits keep = (Bits)(d2 <= most);
    return (TlFloat4)(((Bits)most & keep) | ((Bits)d2 & ~keep));
}

/* rho of four pairs: by how much they can come nearer. */
TL_INLINE TlFloat4 nearing_of(const Run *run, const TlPair *const pair[4], bool edges) {
    TlFloat4 d[4][3], most = tl_float4(0.0F);
    for (int c = 0; c < 4; c++) {
        gather_motion(run->work->d, pair, c, d[c]);
    }
    for (int i = 0; i < (edges ? 2 : 1); i++) {
        for (int j = edges ? 2 : 1; j < 4; j++) {
            most = larger_apart(most, d[i], d[j]);
        }
    }
    TlFloat4 length = {sqrtf(most[0]), sqrtf(most[1]), sqrtf(most[2]), sqrtf(most[3])};
    return length * FLOAT_ROUNDING + run->grain;
}

/* Pairs list[i] to list[i + 3]; the last one stands in for those that are missing. */
TL_INLINE void pick_four(const Run *run, const int32_t *list, int32_t i, int32_t count,
                         const TlPair *four[4]) {
    for (int32_t k = 0; k < TL_LANES; k++) {
        four[k] = &run->pair[list[i + k < count ? i + k : count - 1]];
    }
}

/* Takes pairs that are far for their motion out of the list; answers how many are left. */
TL_INLINE int32_t leave_far(const Run *run, int32_t *list, int32_t count, bool edges) {
    int32_t left = 0;
    for (int32_t i = 0; i < count; i += TL_LANES) {
        const TlPair *four[TL_LANES];
        pick_four(run, list, i, count, four);
        TlFloat4 nearing = nearing_of(run, four, edges);
        for (int32_t k = 0; k < TL_LANES && i + k < count; k++) {
            TlPair *pair = &run->pair[list[i + k]];
            float after = pair->least - nearing[k];
            if (after >= tl_kept_of(pair, pair->least)) {
                run->work->state[list[i + k]] = 0;
                pair->least = after - 1e-7F * after;
            } else {
                list[left++] = list[i + k];
            }
        }
    }
    return left;
}

/* ---- a pass ---- */

/* Pairs of a list that no single plane parts. */
typedef struct Doubtful {
    int32_t count;
    int32_t at[TILE + TL_LANES]; /* in the list */
    double gap[TILE + TL_LANES];
} Doubtful;

/* Those of them that go round something pass. */
TL_INLINE void let_round(const Run *run, const int32_t *list, Doubtful *doubtful, bool edges,
                         bool *fails) {
    for (int32_t i = 0; i < doubtful->count; i += TL_LANES) {
        const TlPair *four[TL_LANES];
        TlDouble4 gap;
        for (int32_t k = 0; k < TL_LANES; k++) {
            int32_t from = i + k < doubtful->count ? i + k : doubtful->count - 1;
            four[k] = &run->pair[list[doubtful->at[from]]];
            gap[k] = doubtful->gap[from];
        }
        TlBits4 round = tl_go_round4(run->move, four, edges, gap);
        for (int32_t k = 0; k < TL_LANES && i + k < doubtful->count; k++) {
            fails[doubtful->at[i + k]] = !round[k];
        }
    }
}

/* Measures the pairs of a list, at most a tile; writes those that do not pass to `failed` and
 * answers how many. */
TL_INLINE int32_t measure(const Run *run, const int32_t *list, int32_t count, bool edges,
                          int32_t *failed) {
    bool fails[TILE], all = run->pass > LAST;
    Doubtful doubtful;
    doubtful.count = 0;
    for (int32_t i = 0; i < count; i += TL_LANES) {
        const TlPair *four[TL_LANES];
        pick_four(run, list, i, count, four);
        TlSeen4 seen = tl_see4(run->move, four, edges, run->pass > RELATIVE);
        TlBits4 good = seen.parted & tl_passes4(&seen);
        for (int32_t k = 0; k < TL_LANES && i + k < count; k++) {
            int32_t p = list[i + k];
            run->pair[p].least = tl_float_below(seen.gap[k]);
            run->work->state[p] = MEASURED;
            fails[i + k] = all || !good[k];
            doubtful.at[doubtful.count] = i + k;
            doubtful.gap[doubtful.count] = seen.gap[k];
            doubtful.count += !good[k] && run->pass <= RELATIVE && seen.parted[k];
        }
    }
    let_round(run, list, &doubtful, edges, fails);
    int32_t failing = 0;
    for (int32_t i = 0; i < count; i++) {
        failed[failing] = list[i];
        failing += fails[i];
    }
    return failing;
}

TL_INLINE bool is_loose(const TlMove *move, const TlPair *pair) {
    return tl_is_pinched(move->pinched, move->cloth, pair->vertex) ||
           tl_is_loose(move->loose, move->cloth, pair->vertex);
}

/* Pairs of [begin, end) that are to be looked at in the first pass. */
TL_INLINE int32_t choose_first(const Run *run, int32_t begin, int32_t end, int32_t *list) {
    int32_t count = 0;
    for (int32_t p = begin; p < end; p++) {
        if (is_loose(run->move, &run->pair[p])) {
            run->pair[p].least = 0.0F;
            run->work->state[p] = SETTLED;
        } else {
            list[count++] = p;
        }
    }
    return count;
}

/* The same in later ones. */
TL_INLINE int32_t choose_again(const Run *run, int32_t begin, int32_t end, int32_t *list) {
    const uint8_t *mark = run->work->mark, *state = run->work->state;
    int32_t count = 0;
    uint8_t all = run->pass > LAST ? CHANGED : 0;
    for (int32_t p = begin; p < end; p++) {
        const int32_t *v = run->pair[p].vertex;
        uint8_t any = all | mark[v[0]] | mark[v[1]] | mark[v[2]] | mark[v[3]];
        list[count] = p;
        count += (any & CHANGED) != 0 && (state[p] & SETTLED) == 0;
    }
    return count;
}

TL_INLINE void visit_block(Run *run, int32_t block, bool edges) {
    int32_t list[TILE], fails = 0, measured = 0;
    int32_t begin = tl_block_begin(&run->blocks, block), end = tl_block_end(&run->blocks, block);
    for (int32_t from = begin; from < end; from += TILE) {
        int32_t to = end - from < TILE ? end : from + TILE;
        int32_t count =
            run->pass == 1 ? choose_first(run, from, to, list) : choose_again(run, from, to, list);
        if (run->pass <= LAST) {
            count = leave_far(run, list, count, edges);
        }
        fails += measure(run, list, count, edges, run->work->failed + begin + fails);
        measured += count;
    }
    run->failed[block] = fails;
    run->measured[block] += measured;
}

TL_HOT static void visit_range(void *data, int32_t begin, int32_t end) {
    Run *run = data;
    for (int32_t b = begin; b < end; b++) {
        if (tl_block_is_first(&run->blocks, b)) {
            visit_block(run, b, false);
        } else {
            visit_block(run, b, true);
        }
    }
}

/* Looks at all pairs that the pass concerns, and lists those that fail in their order. */
static void visit(Run *run, TlPool *pool) {
    int32_t *failed = run->work->failed;
    run->failed_count = run->failed_triangles = 0;
    tl_parallel_for(pool, run->blocks.count, 1, visit_range, run);
    for (int32_t b = 0; b < run->blocks.count; b++) {
        memmove(failed + run->failed_count, failed + tl_block_begin(&run->blocks, b),
                sizeof *failed * (size_t)run->failed[b]);
        run->failed_count += run->failed[b];
        run->failed_triangles += tl_block_is_first(&run->blocks, b) ? run->failed[b] : 0;
    }
}

/* ---- cuts ---- */

/* What A and B may come nearer, from what they want to; answers whether that holds for every
 * smaller motion. */
static bool grant(const double fall[2], double usable, bool relative, double may[2]) {
    double granted = CUT * usable;
    if (fall[0] > 0.0 && fall[1] > 0.0) {
        may[0] = granted * (fall[0] / (fall[0] + fall[1]));
        may[1] = granted * (fall[1] / (fall[0] + fall[1]));
        return true;
    }
    for (int b = 0; b < 2; b++) {
        may[b] = granted + (relative && fall[1 - b] < 0.0 ? -fall[1 - b] : 0.0);
    }
    return !relative || fall[0] == 0.0 || fall[1] == 0.0;
}

/* Whether all vertices of a pair do the same. */
static bool moves_as_one(const Run *run, const TlPair *pair) {
    const double *u = run->move->u, *s = run->move->s;
    int64_t first = pair->vertex[0];
    bool same = true;
    for (int c = 1; c < 4; c++) {
        int64_t v = pair->vertex[c];
        for (int a = 0; a < 3; a++) {
            same = same && s[v] * u[3 * v + a] == s[first] * u[3 * first + a];
        }
    }
    return same;
}

/* Pair p, which meets itself: it stays, or moves as one. */
static void hold(const Run *run, int32_t p, Shares *shares) {
    bool free = run->pass <= LAST && moves_as_one(run, &run->pair[p]);
    for (int c = 0; c < 4; c++) {
        shares->s[c] = free ? run->move->s[run->pair[p].vertex[c]] : 0.0;
    }
    run->work->state[p] = (uint8_t)(MEASURED | (free ? 0 : SETTLED));
}

/* Whether a line of a collider was shortened to see a pair. */
static bool has_line(const Run *run, const TlPair *pair, bool edges) {
    return tl_is_line(run->move, pair, edges ? 0 : 1, edges) ||
           (edges && tl_is_line(run->move, pair, 2, edges));
}

/* Cuts pair p by what lane k shows of it. */
TL_INLINE void cut_pair(const Run *run, int32_t p, const TlSeen4 *seen, int32_t k, bool edges,
                        Shares *shares) {
    const double fall[2] = {seen->fall[0][k], seen->fall[1][k]};
    double may[2];
    if (!seen->parted[k] || !tl_is_finite(fall[0] + fall[1] + seen->usable[k])) {
        hold(run, p, shares);
        return;
    }
    bool lines = run->pass <= RELATIVE && has_line(run, &run->pair[p], edges);
    if (grant(fall, seen->usable[k], run->pass <= RELATIVE, may) && !lines) {
        run->work->state[p] = MEASURED | SETTLED;
    }
    double part[4];
    for (int c = 0; c < 4; c++) {
        double room = seen->height[c][k] + may[c >= (edges ? 2 : 1)], want = -seen->rise[c][k];
        part[c] = want > room ? room / want : 1.0;
    }
    for (int c = 0; c < 4; c++) {
        /* what was seen of a line moves by both of its ends */
        int other = edges ? c ^ 1 : c == 0 ? 0 : c % 3 + 1;
        bool line = lines && run->pair[p].vertex[c] >= run->move->cloth;
        double least = line ? tl_min(part[c], part[other]) : part[c];
        shares->s[c] = run->move->s[run->pair[p].vertex[c]] * least;
    }
}

TL_INLINE void cut_list(const Run *run, int32_t begin, int32_t end, bool edges) {
    const int32_t *failed = run->work->failed;
    for (int32_t i = begin; i < end; i += TL_LANES) {
        const TlPair *four[TL_LANES];
        pick_four(run, failed, i, end, four);
        TlSeen4 seen = tl_see4(run->move, four, edges, run->pass > RELATIVE);
        for (int32_t k = 0; k < TL_LANES && i + k < end; k++) {
            cut_pair(run, failed[i + k], &seen, k, edges, &run->work->shares[i + k]);
        }
    }
}

TL_HOT static void cut_range(void *data, int32_t begin, int32_t end) {
    const Run *run = data;
    int32_t triangles = run->failed_triangles;
    cut_list(run, begin, end < triangles ? end : triangles, false);
    cut_list(run, begin > triangles ? begin : triangles, end, true);
}

static void lower(Run *run, int32_t v, double s) {
    TlTruncation *work = run->work;
    if (s < run->move->s[v]) {
        run->move->s[v] = s;
        run->cut += (work->mark[v] & SHORTER) == 0;
        if ((work->mark[v] & CHANGED) == 0) {
            work->changed[run->changed_count++] = v;
        }
        work->mark[v] = CHANGED | SHORTER;
    }
}

/* Cuts all pairs that failed. */
static void cut(Run *run, TlPool *pool) {
    TlTruncation *work = run->work;
    for (int32_t i = 0; i < run->changed_count; i++) {
        work->mark[work->changed[i]] = SHORTER;
    }
    run->changed_count = 0;
    tl_parallel_for(pool, run->failed_count, TILE, cut_range, run);
    for (int32_t i = 0; i < run->failed_count; i++) {
        const int32_t *vertex = run->pair[work->failed[i]].vertex;
        for (int c = 0; c < 4; c++) {
            lower(run, vertex[c], work->shares[i].s[c]);
        }
    }
    for (int32_t i = 0; i < run->changed_count; i++) {
        set_motion(run, work->changed[i]);
    }
}

/* ---- the whole ---- */

/* What is left of `least` after the move. */
static float least_after(const TlPair *pair, float nearing) {
    float kept = tl_kept_of(pair, pair->least);
    float usable = pair->least > kept ? pair->least - kept : 0.0F;
    float after = pair->least - nearing, sure = pair->least - (float)TL_PASS * usable;
    after = after > sure ? after : sure;
    return after - 1e-6F * fabsf(after);
}

TL_INLINE void settle_list(const Run *run, const int32_t *list, int32_t count, bool edges) {
    for (int32_t i = 0; i < count; i += TL_LANES) {
        const TlPair *four[TL_LANES];
        pick_four(run, list, i, count, four);
        TlFloat4 nearing = nearing_of(run, four, edges);
        for (int32_t k = 0; k < TL_LANES && i + k < count; k++) {
            TlPair *pair = &run->pair[list[i + k]];
            pair->least = least_after(pair, nearing[k]);
        }
    }
}

/* Lowers `least` of the pairs of [begin, end) that were measured. */
TL_INLINE void settle_pairs(const Run *run, int32_t begin, int32_t end, bool edges) {
    int32_t list[TILE];
    for (int32_t from = begin; from < end; from += TILE) {
        int32_t count = 0, to = end - from < TILE ? end : from + TILE;
        for (int32_t p = from; p < to; p++) {
            list[count] = p;
            count += (run->work->state[p] & MEASURED) != 0;
        }
        settle_list(run, list, count, edges);
    }
}

TL_HOT static void settle_range(void *data, int32_t begin, int32_t end) {
    const Run *run = data;
    for (int32_t b = begin; b < end; b++) {
        int32_t from = tl_block_begin(&run->blocks, b), to = tl_block_end(&run->blocks, b);
        if (tl_block_is_first(&run->blocks, b)) {
            settle_pairs(run, from, to, false);
        } else {
            settle_pairs(run, from, to, true);
        }
    }
}

/* Everything stays where it is. */
static TlTruncated refuse(const TlTruncation *work, const TlMove *move) {
    TlTruncated none = {.ok = false, .growths = work->growths};
    for (int32_t v = 0; v < move->vertex_count; v++) {
        none.cut += move->s[v] > 0.0;
        move->s[v] = 0.0;
    }
    return none;
}

static void begin_run(Run *run, TlPool *pool, TlPairs *pairs) {
    run->pair = pairs->pair;
    run->blocks = tl_blocks(pairs->vertex_triangle, pairs->count);
    run->vertices = tl_blocks(run->move->vertex_count, run->move->vertex_count);
    run->pass = 1;
    run->changed_count = run->cut = 0;
    memset(run->measured, 0, sizeof run->measured);
    tl_parallel_for(pool, run->vertices.count, 1, begin_vertices, run);
    double largest = 0.0;
    for (int32_t b = 0; b < run->vertices.count; b++) {
        largest = tl_max(largest, run->largest[b]);
    }
    run->grain = (float)(FLOAT_GRAIN * largest);
}

TlTruncated tl_truncate(TlTruncation *truncation, TlPool *pool, TlArena *arena, TlPairs *pairs,
                        const TlMove *move) {
    Run run;
    run.work = truncation;
    run.move = move;
    if (!reserve_vertices(truncation, arena, move->vertex_count) ||
        !reserve_pairs(truncation, arena, pairs->count)) {
        return refuse(truncation, move);
    }
    begin_run(&run, pool, pairs);
    visit(&run, pool);
    while (run.failed_count > 0) {
        if (!reserve_failed(truncation, arena, run.failed_count)) {
            return refuse(truncation, move);
        }
        cut(&run, pool);
        if (run.pass++ > LAST) {
            break;
        }
        visit(&run, pool);
    }
    tl_parallel_for(pool, run.blocks.count, 1, settle_range, &run);
    TlTruncated done = {true, run.cut, run.pass, 0, truncation->growths};
    for (int32_t b = 0; b < run.blocks.count; b++) {
        done.measured += run.measured[b];
    }
    return done;
}
