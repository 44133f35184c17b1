/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs as they are seen along planes that part them, four side by side: how far their things are
 * apart, and how much nearer a move brings them. Points 2 and 5 of the proof in truncate.c. */
#ifndef TL_PLANES4_H
#define TL_PLANES4_H

#include "contact/closest4.h"
#include "contact/distance.h"
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

/* Along given normals. */
TL_INLINE TlSeen4 tl_see_along4(const TlMove *move, const TlPair *const pair[4], const TlVec4 x[4],
                                TlVec4 normal, bool edges) {
    const TlDouble4 zero = tl_double4(0.0);
    const int split = edges ? 2 : 1;
    TlDouble4 now[2], end[2], size = zero;
    TlSeen4 seen;
    for (int c = 0; c < 4; c++) {
        int b = c >= split;
        TlVec4 up = b ? tl_scale4(tl_double4(-1.0), normal) : normal;
        TlDouble4 at = tl_dot4(up, tl_sub4(x[c], x[0]));
        TlVec4 u = tl_gather4(move->u, pair, c);
        TlDouble4 share = tl_shares_of4(move->s, pair, c), rise = share * tl_dot4(up, u);
        bool first = c == 0 || c == split;
        now[b] = first ? at : tl_min4(now[b], at);
        end[b] = first ? at + rise : tl_min4(end[b], at + rise);
        size = tl_max4(size, tl_abs4(at) + share * (tl_abs4(u.x) + tl_abs4(u.y) + tl_abs4(u.z)));
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

TL_INLINE TlSeen4 tl_see4(const TlMove *move, const TlPair *const pair[4], bool edges) {
    TlVec4 x[4];
    for (int c = 0; c < 4; c++) {
        x[c] = tl_gather4(move->x, pair, c);
    }
    TlClosest4 closest = tl_closest4(x, edges);
    TlSeen4 seen = tl_see_along4(move, pair, x, closest.normal, edges);
    TlBits4 ok = tl_passes4(&seen);
    if (!(ok[0] && ok[1] && ok[2] && ok[3])) {
        TlSeen4 other =
            tl_see_along4(move, pair, x, tl_face_normal4(x, closest.normal, edges), edges);
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
    TlVec4 x[4], d[4], at[4];
    for (int c = 0; c < 4; c++) {
        x[c] = tl_gather4(move->x, pair, c);
        d[c] = tl_scale4(tl_shares_of4(move->s, pair, c), tl_gather4(move->u, pair, c));
    }
    TlDouble4 t = tl_double4(0.0), solid = tl_solids_of4(pair);
    TlDouble4 keep = gap - TL_PASS * tl_usable_of4(pair, gap);
    TlBits4 on = (TlBits4)(t < 1.0);
    for (int step = 0; step < TL_MOST_PLANES && (on[0] | on[1] | on[2] | on[3]) != 0; step++) {
        for (int c = 0; c < 4; c++) {
            at[c] = tl_less4(x[c], 0.0 - t, d[c]);
        }
        TlClosest4 closest = tl_closest4(at, edges);
        TlDouble4 apart = closest.distance - solid;
        /* not all of what is left, so that the next plane has something too */
        TlDouble4 least = keep + 0.1 * (apart - keep) + solid;
        TlDouble4 part = tl_farther4(at, d, edges ? 2 : 1, closest.normal, least);
        on &= (TlBits4)(apart > keep) & (TlBits4)(part > 1e-6);
        t = tl_choose4(on, t + part, t);
        on &= (TlBits4)(t < 1.0);
    }
    return (TlBits4)(t >= 1.0);
}

#endif
