/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Contact of surfaces during a sub-step: the list of pairs and how long it serves, moves that keep
 * every pair apart, and the touches that press. All motion of cloth goes through tl_world_plan and
 * tl_world_commit, so that what begins apart stays apart; see truncate.c for the proof of a move,
 * list.c for that of the list. Layer 3b. */
#ifndef TL_WORLD_H
#define TL_WORLD_H

#include "base/lanes.h"
#include "contact/distance.h"
#include "contact/response.h"
#include "contact/tree.h"
#include "contact/truncate.h"

/* A contact of one or more free vertices: its potential depends on the sum of weight[i] x[i]. */
typedef struct TlTouch {
    int32_t vertex[4]; /* of cloths; any where the weight is 0 */
    double weight[4];  /* 0: prescribed */
    double grad[3];    /* of the potential by that sum */
    double push[3];    /* added to the right-hand side of the linear solve: what is known to come */
    double normal[3];
    double slip[3];   /* tangential motion since the sub-step began */
    double grip;      /* friction coefficient times normal force, N */
    double value;     /* of the normal potential, N m */
    bool linear;      /* a pull: the gradient is all of it, anywhere */
    TlFloat4 hess[2]; /* xx xy xz yy and yz zz */
} TlTouch;

/* What the linear solve needs of a touch, in one line of the cache. */
typedef struct TlPress {
    int32_t vertex[4];
    float weight[4];
    TlFloat4 hess[2];
} TlPress;

/* Counted over a frame, see tl_world_begin_frame. */
typedef struct TlWorldCounts {
    int32_t candidates; /* pairs of the longest list */
    int32_t touches;    /* at the last evaluation */
    int32_t pressed;    /* those of them that press */
    int32_t refreshes;  /* lists made */
    int32_t cuts;       /* vertices that moved less than they wanted, over all moves */
    int32_t blocked;    /* sub-steps in which prescribed motion had no room */
    double broad_s, narrow_s, truncate_s;
} TlWorldCounts;

typedef struct TlWorldDef {
    const TlSurface *surface;
    const double *area;      /* per cloth vertex, m^2 */
    const double *mass;      /* per cloth vertex, kg */
    const double *stretch;   /* per cloth vertex: of its fabric, N/m */
    const uint8_t *analytic; /* per vertex: a cloth vertex feels its body by itself already */
    const uint8_t *fixed;    /* per cloth vertex: not free to move */
    bool self;
    double stored_far_m; /* the most of all cloths, see ToileClothDef */
} TlWorldDef;

/* The triangles of a body. */
typedef struct TlShell {
    int32_t first, count;
    double inside; /* solid angle: where more of it is seen is inside; HUGE_VAL: nowhere */
} TlShell;

struct TlWorld {
    TlWorldDef def;
    TlArena *arena;
    TlPool *pool;
    int32_t n, cloth; /* vertices; those of cloths come first */
    TlBroad *broad;
    TlTruncation *truncation;
    TlPairs pairs;
    TlPairs more;           /* work: what is added to them */
    double t, t_end;        /* of the sweep: now, and after the move */
    double stride;          /* of t, in the first move of a sub-step */
    double left;            /* sub-steps like this one until the frame ends */
    const double *fall;     /* 3 per cloth vertex: what it is to do after the move
                               that is planned; NULL: not known */
    bool fresh;             /* nothing has moved yet since the sub-step's start */
    double *x;              /* 3 per vertex: now, during a sub-step */
    double *start;          /* at the begin of the sub-step */
    double *goal;           /* of what is prescribed: at its end; others: anything */
    double *trial, *motion; /* work */
    double *u, *s;          /* of the move that is planned, see tl_world_way */
    int32_t bodies;         /* those of cloth come first */
    uint8_t *airborne;      /* per body: no analytic collider, nor cloth near one */
    int32_t *company;       /* per body: the lowest that pairs join it to, see carry.c */
    double *company_mass;   /* work: per body that is such a lowest */
    int32_t *leaders;       /* the same: vertices whose ways are told from outside */
    double *carry;          /* 3 per body: what all that pairs join do together; 0:
                               nothing */
    double *apart;          /* 3 per vertex: u without that */
    bool carrying;          /* it is not 0 for some */
    int32_t cut;            /* vertices of it that get less than they want */
    double *origin, *common, *low, *high; /* what the list is good for */
    TlSifted *sifted;                     /* work of culling */
    double *around;                       /* per vertex: contact distance, and what is solid, m */
    uint8_t *straggler;                   /* moves otherwise than its neighbourhood */
    uint8_t *loose;                       /* part of a tangle: what it may pass, see pairs.h */
    uint8_t *marked;                      /* work */
    uint8_t *pulled;                      /* loose because of crossings, which pull there */
    const uint8_t *pinched;               /* per cloth vertex: is not kept out of what is
                                             prescribed, which has no room for it; NULL: none */
    int32_t *region;                      /* see regions.h */
    double *region_area;                  /* m^2, of the region that this vertex stands for */
    uint8_t *region_held;                 /* per cloth vertex that stands for one: inside a body,
                                             held there by pins or drawn through by them */
    TlShell *shells;                      /* bodies with triangles */
    int32_t shell_count;
    double *length;    /* per edge of cloths: at rest, m */
    uint8_t *dragged;  /* per cloth vertex: see drag.c */
    uint8_t *led;      /* per cloth vertex: leaves colliders at `exit`, see drag.c */
    bool leading;      /* some do */
    double *exit;      /* 3 per cloth vertex, m */
    int32_t *group;    /* work: per cloth vertex that is led, the lowest that it is joined to */
    int32_t *anchor;   /* per cloth vertex: the nearest pin along edges */
    double *tether;    /* the way to it, m; HUGE_VAL: there is none */
    uint8_t *anchored; /* what was fixed when these were measured */
    bool tethered;     /* they were */
    uint8_t *edge_cut; /* per edge: crossed an odd number of times */
    uint8_t *yielded;  /* per cloth vertex: lets colliders pass in this frame */
    bool yielding;     /* some does */
    int32_t pulling;   /* crossings that are to be undone: not those of what is pinned or pinched */
    bool listed, tangled;
    bool dense;               /* pairs are many in this frame */
    bool suspect;             /* something may cross that nobody has looked for */
    int32_t *crossed;         /* per vertex: crossings it had when the frame began */
    uint8_t *stuck;           /* per vertex: is not loose, because it got more of them */
    bool wide;                /* crossings loosen one more ring of neighbours */
    bool gentle;              /* pulls are weaker, because strong ones made more crossings */
    bool frozen;              /* nobody is loose: all crossings stay as they are */
    TlCrossings crossings;    /* when last looked for */
    int32_t *fan_start, *fan; /* per edge: triangles at it */
    double margin, grain;
    /* pairs that are near, and what is known of them */
    int32_t near_count, near_room, closest_room;
    int32_t near_edges; /* the first of two edges */
    int32_t *near;
    TlStiffness *held; /* per pair: of the touch that was found last; 0: none */
    bool holds;        /* `held` belongs to the list */
    TlClosest *closest;
    int32_t *chain, *next; /* near pairs of a vertex with triangles: first, and next of each */
    int32_t chunk[64];     /* work: counts of parts, see near.h */
    TlTouch *touch;
    uint8_t *active;
    TlPress *press;    /* per touch */
    TlFloat4 *product; /* per touch: work of the linear solve */
    int32_t touch_count, touch_room;
    int32_t *touch_start, *touch_item; /* per cloth vertex: touches times four plus corner */
    float *touch_share;                /* per item: its weight */
    double *gripped;                   /* per cloth vertex: grip of its touches, N */
    const double *weight;              /* inertia of cloth vertices, N/m */
    const double *grad;                /* of all but touches, 3 per cloth vertex */
    double slip_m;                     /* see TlContacts */
    TlWorldCounts counts;
};

/* Seconds since then that pairs were looked for, measured and kept apart; 0 without a world. */
static inline double tl_world_seconds(const TlWorld *world) {
    return world == NULL
               ? 0.0
               : world->counts.broad_s + world->counts.narrow_s + world->counts.truncate_s;
}

/* What the planned move of vertex i becomes when it is shortened: only that part of it that its
 * company does not do as well, so that cloth which is cut in the air falls on. */
static inline TlVec3 tl_world_way(const TlWorld *world, int32_t i) {
    double s = world->s[i];
    TlVec3 way = tl_scale3(s, tl_load3(world->u + 3 * (int64_t)i));
    if (!world->carrying) {
        return way;
    }
    const double *together = world->carry + 3 * (int64_t)world->def.surface->body[i];
    return tl_madd3(way, 1.0 - s, tl_load3(together));
}

/* The part of the planned move that may be shortened, 3 per vertex. */
static inline const double *tl_world_apart(const TlWorld *world) {
    return world->carrying ? world->apart : world->u;
}

/* NULL when memory is refused. `arena` must live as long; it grows with the lists. */
TlWorld *tl_world_build(TlArena *arena, TlPool *pool, const TlWorldDef *def);
/* A frame begins: lists are made anew, so that it depends on its start alone. Where it is done
 * `again` what was done for it before counts too, but not what had no room. */
void tl_world_begin_frame(TlWorld *world, bool again);
/* The frame is done again, with less freedom for what is tangled: those who got more crossings than
 * they had when tl_world_note_crossings was called, or with `all` everyone, stay as they are, and
 * pulls are gentle. */
void tl_world_note_crossings(TlWorld *world);
void tl_world_hold_worse(TlWorld *world, bool all);
/* A sub-step begins at x (cloth); colliders go from `before` to `goal`, 3 per vertex of theirs. */
void tl_world_begin(TlWorld *world, const double *x, const double *before, const double *goal,
                    double slip_m);
/* The sub-step begins where cloth is now, not where it was given. */
void tl_world_start_here(TlWorld *world);
/* Plans a move of all cloth vertices by u, and with `others` of colliders to their goals: u, 3 per
 * cloth vertex, becomes what they may do, see tl_world_way. False when memory is refused. */
bool tl_world_plan(TlWorld *world, double *u, bool others);
/* Makes a list for motion near the current positions. */
bool tl_world_list_here(TlWorld *world);
/* Takes `part` of what was planned. */
void tl_world_commit(TlWorld *world, double part);
/* How far the vertex that lost most of what it wanted is from it, m. */
double tl_world_lost(const TlWorld *world);
/* Whether colliders still have to go on, and how far the farthest, m. */
double tl_world_missing(const TlWorld *world);
/* Who yields: neighbours of those who do already; in addition what slow colliders find in their
 * way; whatever is in the way. */
typedef enum TlYield { TL_YIELD_NEAR, TL_YIELD_SLOW, TL_YIELD_ALL } TlYield;
/* Finds cloth that is in the way of colliders and did not get what it wanted, after a plan that did
 * not bring them to their goals; answers how many more vertices yield now. */
int32_t tl_world_yield(TlWorld *world, TlYield how);
/* Colliders are put where they belong, and cloth to x, whatever is in the way. */
void tl_world_force(TlWorld *world, const double *x);

/* What cloth is about to do, per vertex of it. */
typedef struct TlAhead {
    const double *motion;  /* by inertia and weight, 3 each */
    const double *elastic; /* gradient of its own energies, 3 each */
    const double *weight;  /* inertia, N/m */
} TlAhead;

/* Finds the pairs that can press at the current positions; `ahead` may be NULL. world->trial
 * becomes what is known to come, of cloth as far as a triangle that bears it lets it. False when
 * memory is refused. */
bool tl_world_look(TlWorld *world, const TlAhead *ahead);
/* Shortens the motion u, 3 per cloth vertex, of vertices that come to triangles of mesh colliders
 * so that they end at their contact distance. Without a list nothing is done. */
void tl_world_land(TlWorld *world, double *u);
/* Pairs that were found expect less than tl_world_look was told: world->trial becomes that. */
void tl_world_expect(TlWorld *world, const TlAhead *ahead);
/* Touches of what tl_world_look found; pairs that would be pressed by what is known to come count
 * as well. `weight` and `grad`: inertia of vertices, and the gradient of all else. False when
 * memory is refused. */
bool tl_world_touch(TlWorld *world, const double *weight, const double *grad);
/* Potential of all touches, where they were found. */
double tl_world_touch_value(const TlWorld *world);
/* Potential of all touches where cloth is moved by u, 3 per cloth vertex; slip
 * is counted for the touches that were found last. */
double tl_world_value(TlWorld *world, const double *u);

#endif
