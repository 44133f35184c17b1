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

/* Distances of the vertices of A from those of B along n, at the least: after `t` of the move, and
 * what it changes in all of it. Answers the largest further part that leaves `keep`. */
TL_INLINE double tl_farther(const TlVec3 x[4], const TlVec3 d[4], int split, TlVec3 n,
                            double keep) {
    double most = 1.0;
    for (int i = 0; i < split; i++) {
        for (int j = split; j < 4; j++) {
            double apart = tl_dot3(n, tl_sub3(x[i], x[j])) - keep;
            double rate = tl_dot3(n, tl_sub3(d[i], d[j]));
            if (rate < 0.0) {
                most = tl_min(most, apart / -rate);
            }
        }
    }
    return most;
}

/* Whether a pair that no single plane parts all the time stays apart nevertheless, as what slides
 * round a corner does: goes on from one plane to the next. */
static inline bool tl_goes_round(const TlMove *move, const TlPair *pair, bool edges, double gap) {
    TlVec3 x[4], d[4];
    for (int c = 0; c < 4; c++) {
        int64_t v = pair->vertex[c];
        x[c] = tl_load3(move->x + 3 * v);
        d[c] = tl_scale3(move->s[v], tl_load3(move->u + 3 * v));
    }
    double t = 0.0, solid = (double)pair->solid;
    double keep = gap - TL_PASS * tl_max(0.0, gap - (double)tl_kept_of(pair, (float)gap));
    for (int step = 0; step < TL_MOST_PLANES && t < 1.0; step++) {
        TlVec3 at[4];
        for (int c = 0; c < 4; c++) {
            at[c] = tl_madd3(x[c], t, d[c]);
        }
        TlClosest closest = edges ? tl_closest_edges(at) : tl_closest_vertex_triangle(at);
        double apart = closest.distance - solid;
        if (!(apart > keep)) {
            return false;
        }
        /* not all of what is left, so that the next plane has something too */
        double least = keep + 0.1 * (apart - keep);
        double part = tl_farther(at, d, edges ? 2 : 1, tl_load3(closest.normal), least + solid);
        if (!(part > 1e-6)) {
            return false;
        }
        t += part;
    }
    return t >= 1.0;
}

#endif
