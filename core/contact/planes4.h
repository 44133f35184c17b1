/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs as they are seen along planes that part them, four side by side: how far their things are
 * apart, and how much nearer a move brings them. Points 2, 5 and 8 of the proof in truncate.c. */
#ifndef TL_PLANES4_H
#define TL_PLANES4_H

#include "contact/closest4.h"
#include "contact/truncate.h"

/* part of a gap, less what it keeps, that a pair may lose in a move without being cut */
#define TL_PASS 0.95
/* rounding of motion along a normal, over the size of the motion */
#define TL_SLIP 1e-14
/* planes that may part a pair one after the other */
enum { TL_MOST_PLANES = 8 };

/* What a pair keeps that is `apart`. */
TL_INLINE float tl_kept_of(const TlPair *pair, float apart) {
    float half = 0.5F * (apart < pair->radius ? apart : pair->radius);
    return half > pair->floor ? half : pair->floor;
}

/* Four pairs along their normals: seen from vertex 0, towards the other thing counts as down. */
typedef struct TlSeen4 {
    TlDouble4 height[4]; /* over the lowest of its thing */
    TlDouble4 rise[4];   /* motion */
    TlDouble4 fall[2];   /* how much A and B come nearer at the end; negative: they go away */
    TlDouble4 gap;       /* distance less what is solid */
    TlDouble4 usable;    /* what of it may be lost */
    TlDouble4 slip;
    TlBits4 parted; /* there is a normal */
} TlSeen4;

TL_INLINE TlDouble4 tl_solids_of4(const TlPair *const pair[4]) {
    return tl_widen4((TlFloat4){pair[0]->solid, pair[1]->solid, pair[2]->solid, pair[3]->solid});
}

/* What pairs may lose of a gap. */
TL_INLINE TlDouble4 tl_usable_of4(const TlPair *const pair[4], TlDouble4 gap) {
    TlDouble4 keep =
        tl_widen4((TlFloat4){pair[0]->floor, pair[1]->floor, pair[2]->floor, pair[3]->floor});
    TlDouble4 radius =
        tl_widen4((TlFloat4){pair[0]->radius, pair[1]->radius, pair[2]->radius, pair[3]->radius});
    keep = tl_max4(keep, 0.5 * tl_min4(radius, gap));
    return tl_max4(tl_double4(0.0), gap - keep);
}

TL_INLINE TlDouble4 tl_shares_of4(const double *s, const TlPair *const pair[4], int corner) {
    return (TlDouble4){s[pair[0]->vertex[corner]], s[pair[1]->vertex[corner]],
                       s[pair[2]->vertex[corner]], s[pair[3]->vertex[corner]]};
}

/* Four pairs on their way: where their vertices are, and what they are to do. */
typedef struct TlGoing4 {
    TlVec4 x[4], d[4];
} TlGoing4;

TL_INLINE TlGoing4 tl_going4(const TlMove *move, const TlPair *const pair[4]) {
    TlGoing4 going;
    for (int c = 0; c < 4; c++) {
        going.x[c] = tl_gather4(move->x, pair, c);
        going.d[c] = tl_scale4(tl_shares_of4(move->s, pair, c), tl_gather4(move->u, pair, c));
    }
    return going;
}

/* Along given normals. */
TL_INLINE TlSeen4 tl_see_along4(const TlGoing4 *going, const TlPair *const pair[4], TlVec4 normal,
                                bool edges) {
    const TlDouble4 zero = tl_double4(0.0);
    const int split = edges ? 2 : 1;
    TlDouble4 now[2], end[2], size = zero;
    TlSeen4 seen;
    for (int c = 0; c < 4; c++) {
        int b = c >= split;
        TlVec4 up = b ? tl_scale4(tl_double4(-1.0), normal) : normal;
        TlDouble4 at = tl_dot4(up, tl_sub4(going->x[c], going->x[0]));
        TlVec4 d = going->d[c];
        TlDouble4 rise = tl_dot4(up, d);
        bool first = c == 0 || c == split;
        now[b] = first ? at : tl_min4(now[b], at);
        end[b] = first ? at + rise : tl_min4(end[b], at + rise);
        size = tl_max4(size, tl_abs4(at) + (tl_abs4(d.x) + tl_abs4(d.y) + tl_abs4(d.z)));
        seen.height[c] = at;
        seen.rise[c] = rise;
    }
    for (int c = 0; c < 4; c++) {
        seen.height[c] -= now[c >= split];
    }
    seen.fall[0] = now[0] - end[0];
    seen.fall[1] = now[1] - end[1];
    seen.gap = now[0] + now[1] - tl_solids_of4(pair);
    seen.usable = tl_usable_of4(pair, seen.gap);
    seen.slip = TL_SLIP * size;
    return seen;
}

/* Normals of the triangles, or of both edges, towards A. */
TL_INLINE TlVec4 tl_face_normal4(const TlVec4 x[4], TlVec4 towards, bool edges) {
    TlVec4 n = edges ? tl_cross4(tl_sub4(x[1], x[0]), tl_sub4(x[3], x[2]))
                     : tl_cross4(tl_sub4(x[2], x[1]), tl_sub4(x[3], x[1]));
    TlDouble4 length2 = tl_dot4(n, n);
    /* without a direction it is no number, and so never better */
    return tl_scale4(tl_sign4(tl_dot4(n, towards)) / tl_sqrt4(length2), n);
}

/* Takes `other` where it leaves more room. */
TL_INLINE void tl_take_better4(TlSeen4 *seen, const TlSeen4 *other) {
    TlDouble4 room = seen->usable - (seen->fall[0] + seen->fall[1]);
    TlDouble4 others = other->usable - (other->fall[0] + other->fall[1]);
    TlBits4 better = (TlBits4)(other->usable > 0.0) & (TlBits4)(others > room);
    for (int c = 0; c < 4; c++) {
        seen->height[c] = tl_choose4(better, other->height[c], seen->height[c]);
        seen->rise[c] = tl_choose4(better, other->rise[c], seen->rise[c]);
    }
    seen->fall[0] = tl_choose4(better, other->fall[0], seen->fall[0]);
    seen->fall[1] = tl_choose4(better, other->fall[1], seen->fall[1]);
    seen->gap = tl_choose4(better, other->gap, seen->gap);
    seen->usable = tl_choose4(better, other->usable, seen->usable);
    seen->slip = tl_choose4(better, other->slip, seen->slip);
}

TL_INLINE TlBits4 tl_passes4(const TlSeen4 *seen) {
    return (TlBits4)(seen->fall[0] + seen->fall[1] <= TL_PASS * seen->usable + seen->slip);
}

/* Whether vertex a of a pair and the next are the ends of a line of a collider: an edge, or the
 * line in a capsule, which is a triangle with two equal vertices. */
TL_INLINE bool tl_is_line(const TlMove *move, const TlPair *pair, int a, bool edges) {
    return pair->vertex[a] >= move->cloth && (edges || pair->vertex[2] == pair->vertex[3]);
}

TL_INLINE TlVec4 tl_between4(TlVec4 a, TlVec4 b, TlDouble4 t) {
    return tl_less4(a, 0.0 - t, tl_sub4(b, a));
}

/* Largest size of a difference of motions, of end a or b of a line and any of the other thing. */
TL_INLINE TlDouble4 tl_most_apart4(const TlVec4 d[4], int a, int b, int first, int last) {
    TlDouble4 most = tl_double4(0.0);
    for (int j = first; j < last; j++) {
        TlVec4 e = tl_sub4(d[a], d[j]), f = tl_sub4(d[b], d[j]);
        most = tl_max4(most, tl_max4(tl_dot4(e, e), tl_dot4(f, f)));
    }
    return tl_sqrt4(most);
}

/* Cuts the line from vertex a to b of pairs in `which` down to what can come nearer than it is: the
 * other thing, vertices [first, last), is of size `size` around its closest point. Point 8 of the
 * proof. */
TL_INLINE void tl_shorten4(TlGoing4 *going, const TlClosest4 *closest, TlBits4 which, int a, int b,
                           int first, int last, TlDouble4 size) {
    const TlDouble4 zero = tl_double4(0.0), one = tl_double4(1.0);
    TlDouble4 at = one - tl_abs4(closest->weight[a]);
    for (int round = 0; round < 2; round++) {
        TlDouble4 most = tl_most_apart4(going->d, a, b, first, last);
        TlDouble4 reach = size + tl_sqrt4(most * (2.0 * closest->distance + most));
        TlVec4 line = tl_sub4(going->x[b], going->x[a]);
        TlDouble4 part = 1.000001 * reach / tl_sqrt4(tl_dot4(line, line));
        TlDouble4 low = tl_max4(zero, at - part), high = tl_min4(one, at + part);
        TlBits4 shorter = which & (TlBits4)(high > low);
        low = tl_choose4(shorter, low, zero);
        high = tl_choose4(shorter, high, one);
        for (int of = 0; of < 2; of++) {
            TlVec4 *v = of == 0 ? going->x : going->d, start = v[a], end = v[b];
            v[a] = tl_choose_vec4(shorter, tl_between4(start, end, low), start);
            v[b] = tl_choose_vec4(shorter, tl_between4(start, end, high), end);
        }
        at = (at - low) / (high - low);
    }
}

/* Does so for lines of colliders, which are long and turn. */
TL_INLINE void tl_shorten_lines4(const TlMove *move, const TlPair *const pair[4],
                                 const TlClosest4 *closest, bool edges, TlGoing4 *going) {
    for (int a = edges ? 0 : 1; a < 4; a += 2) {
        TlBits4 which = {0, 0, 0, 0};
        bool any = false;
        for (int k = 0; k < TL_LANES; k++) {
            bool line = a < 3 && tl_is_line(move, pair[k], a, edges);
            which[k] = line ? -1 : 0;
            any = any || line;
        }
        if (!any) {
            continue;
        }
        int first = edges ? 2 - a : 0, last = edges ? 4 - a : 1;
        TlVec4 other = tl_sub4(going->x[last - 1], going->x[first]);
        TlDouble4 size = tl_sqrt4(tl_dot4(other, other));
        tl_shorten4(going, closest, which, a, a + 1, first, last, size);
        if (!edges) {
            going->x[3] = tl_choose_vec4(which, going->x[2], going->x[3]);
            going->d[3] = tl_choose_vec4(which, going->d[2], going->d[3]);
        }
    }
}

/* `all` of the lines of colliders counts, or only what can come nearer. */
TL_INLINE TlSeen4 tl_see4(const TlMove *move, const TlPair *const pair[4], bool edges, bool all) {
    TlGoing4 going = tl_going4(move, pair);
    TlClosest4 closest = tl_closest4(going.x, edges);
    if (!all) {
        tl_shorten_lines4(move, pair, &closest, edges, &going);
    }
    TlSeen4 seen = tl_see_along4(&going, pair, closest.normal, edges);
    TlBits4 ok = tl_passes4(&seen);
    if (!(ok[0] && ok[1] && ok[2] && ok[3])) {
        TlVec4 face = tl_face_normal4(going.x, closest.normal, edges);
        TlSeen4 other = tl_see_along4(&going, pair, face, edges);
        tl_take_better4(&seen, &other);
    }
    seen.parted = (TlBits4)(closest.distance > 0.0);
    return seen;
}

/* The largest further part of the move d from x that leaves `keep` between all vertices of A and
 * all of B along n; at most 1. */
TL_INLINE TlDouble4 tl_farther4(const TlVec4 x[4], const TlVec4 d[4], int split, TlVec4 n,
                                TlDouble4 keep) {
    TlDouble4 most = tl_double4(1.0);
    for (int i = 0; i < split; i++) {
        for (int j = split; j < 4; j++) {
            TlDouble4 apart = tl_dot4(n, tl_sub4(x[i], x[j])) - keep;
            TlDouble4 rate = tl_dot4(n, tl_sub4(d[i], d[j]));
            TlBits4 nearing = (TlBits4)(rate < 0.0);
            TlDouble4 part = apart / tl_choose4(nearing, 0.0 - rate, tl_double4(1.0));
            most = tl_choose4(nearing, tl_min4(most, part), most);
        }
    }
    return most;
}

/* Whether pairs that no single plane parts all the time stay apart nevertheless, as what slides
 * round a corner does: goes on from one plane to the next. `gap`: what they have now. */
TL_INLINE TlBits4 tl_go_round4(const TlMove *move, const TlPair *const pair[4], bool edges,
                               TlDouble4 gap) {
    TlGoing4 going = tl_going4(move, pair);
    TlVec4 at[4];
    TlDouble4 t = tl_double4(0.0), solid = tl_solids_of4(pair);
    TlDouble4 keep = gap - TL_PASS * tl_usable_of4(pair, gap);
    TlBits4 on = (TlBits4)(t < 1.0);
    for (int step = 0; step < TL_MOST_PLANES && (on[0] | on[1] | on[2] | on[3]) != 0; step++) {
        for (int c = 0; c < 4; c++) {
            at[c] = tl_less4(going.x[c], 0.0 - t, going.d[c]);
        }
        TlClosest4 closest = tl_closest4(at, edges);
        TlDouble4 apart = closest.distance - solid;
        /* not all of what is left, so that the next plane has something too */
        TlDouble4 least = keep + 0.1 * (apart - keep) + solid;
        TlDouble4 part = tl_farther4(at, going.d, edges ? 2 : 1, closest.normal, least);
        on &= (TlBits4)(apart > keep) & (TlBits4)(part > 1e-6);
        t = tl_choose4(on, t + part, t);
        on &= (TlBits4)(t < 1.0);
    }
    return (TlBits4)(t >= 1.0);
}

#endif
