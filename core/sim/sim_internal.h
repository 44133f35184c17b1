/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What a ToileSim holds. Layer 5. */
#ifndef TL_SIM_INTERNAL_H
#define TL_SIM_INTERNAL_H

#include "base/error.h"
#include "contact/world.h"
#include "mesh/order.h"
#include "solve/integrator.h"
#include "toile/sim.h"

enum { TL_NAME_SIZE = 64, TL_MOST_SUBSTEPS = 10000 };

/* contact distances below this are not resolved */
#define TL_LEAST_RADIUS_M 1e-5

/* A cloth: constants from its definition. Its state lives in the simulation's arrays. Both may be
 * in another order than the user's mesh; what comes from the user or goes to him passes reorder.c
 * or the functions below. */
typedef struct TlCloth {
    TlArena arena;
    char name[TL_NAME_SIZE];
    TlMaterial material;
    TlRest rest;
    double rest_from[3]; /* whole metres that its positions are relative to, see place.c */
    double stored_far_m; /* see ToileClothDef */
    TlOrder order;
    TlTriangles triangles;                /* of the mesh's faces, for contact */
    int32_t *element_place[TL_SET_COUNT]; /* of every element, counted as the mesh's own order has
                                             it, within its set; NULL: that very order */
    int32_t vertex_offset;                /* into the arrays of all cloths */
    int32_t set_offset[TL_SET_COUNT];     /* the same for every set of elements */
} TlCloth;

typedef struct TlClothSlot {
    uint32_t generation;
    TlCloth *cloth; /* NULL: free */
} TlClothSlot;

/* What only a collider that is a mesh has; all NULL and 0 for the others. */
typedef struct TlColliderMesh {
    int32_t vertex_count;
    TlTriangles triangles;
    double *start, *now, *target; /* 3 per vertex, before the motion, relative to own_from */
    double *thickness, *friction; /* per vertex; NULL: the collider's everywhere */
} TlColliderMesh;

typedef struct TlColliderSlot {
    uint32_t generation;
    bool used;
    char name[TL_NAME_SIZE];
    double pose_from[3], own_from[3]; /* whole metres, see place.c: what translations, and what the
                                         shape's own coordinates are relative to */
    double place[3];                  /* where that was when it was defined, whole metres */
    TlCollider collider;
    TlMotion start, now, target; /* as defined, at the last frame, at the next */
    TlArena arena;               /* of the mesh */
    TlColliderMesh mesh;
} TlColliderSlot;

/* A cloth or collider and its part of the surface. Planes have none. */
typedef struct TlBody {
    int32_t slot; /* of the cloth or collider */
    int32_t first_vertex, vertex_count;
    int32_t first_triangle, triangle_count;
} TlBody;

/* The changing state of all cloths, 3 values per vertex; positions are relative to the simulation's
 * origin. */
typedef struct TlState {
    int32_t vertex_count;
    double *x, *v;
    double *pin_target;
    uint8_t *pinned;
    TlHistory history;           /* multi-step integrators; arrays are NULL for the others */
    double *x_backup, *v_backup; /* last complete frame, during a step */
    TlHistory history_backup;
    int32_t *carrier; /* of pinned vertices: slot of the collider they go with, plus 1; 0: none */
    double *pin_now;  /* where pinned vertices are at the end of a sub-step */
    double *x_start, *v_start; /* start of a sub-step that may be judged and repeated */
    TlHistory history_start;
} TlState;

/* A triangle of a cloth that reaches into a solid collider. */
typedef struct TlInside {
    int32_t triangle;
    int32_t column; /* of the collider among those but meshes */
} TlInside;

struct ToileSim {
    ToileSimDef def;
    ToileAllocator allocator;
    TlPool *pool;
    TlArena own;          /* slots */
    TlArena state_arena;  /* state */
    TlArena system_arena; /* model, system and tables; rebuilt when dirty */
    TlClothSlot *cloths;
    int32_t cloth_capacity;
    TlColliderSlot *colliders;
    int32_t collider_capacity;
    double origin[3]; /* whole metres, see place.c; of the first cloth, while there are any */
    bool placed;      /* there is a cloth */
    TlState state;
    bool dirty; /* cloths or colliders changed since the system was built */
    TlModel model;
    TlSystem system;
    TlIntegration integration;
    bool told_substeps; /* that an explicit integrator takes more than asked for */
    TlPlaced *placed_now, *placed_before;
    double *radius, *friction; /* [cloth * analytic_count + collider] */
    int32_t analytic_count;    /* colliders but for meshes, in the order of slots */
    TlSurface surface;
    TlBody *bodies; /* cloths in the order of the model, then colliders in that of slots */
    int32_t cloth_count, body_count;
    int32_t built_requests; /* of memory for the system; more are lists of contact that grow */
    TlWorld *world;         /* contact of surfaces; NULL: there is none */
    double pin_travel;      /* in this frame, see tl_pin_travel */
    double *points_before, *points_now; /* 3 per vertex of colliders: work */
    TlInside *inside;                   /* found when the frame ended; room for every triangle */
    int32_t inside_count;
    double *stretches; /* work, one per element */
    int64_t frame;
    ToileStats stats;
    double began_s; /* clock when the step or settle began */
};

/* Where a vertex of the user stands in the arrays of all cloths. */
static inline int32_t tl_vertex_at(const TlCloth *cloth, int32_t v) {
    return cloth->vertex_offset + (cloth->order.vertex != NULL ? cloth->order.place[v] : v);
}

/* The user's number of a vertex in those arrays. */
static inline int32_t tl_user_vertex(const TlCloth *cloth, int32_t at) {
    int32_t i = at - cloth->vertex_offset;
    return cloth->order.vertex != NULL ? cloth->order.vertex[i] : i;
}

/* Where element `index` of a set of the cloth stands among those of all cloths. */
static inline int32_t tl_element_at(const TlCloth *cloth, int32_t set, int32_t index) {
    const int32_t *place = cloth->element_place[set];
    return cloth->set_offset[set] + (place != NULL ? place[index] : index);
}

/* ---- place.c ---- */
/* What all numbers of an array are: decimals of at most nine places; of single precision when they
 * are relative to where they shall be. */
typedef struct TlNumbers {
    bool decimal, single;
} TlNumbers;
#define TL_NUMBERS_NONE ((TlNumbers){true, true})
/* The same with one more. */
TlNumbers tl_numbers_with(TlNumbers all, double x, double from);
/* x - from, with `from` in whole metres; the rounding of x is undone where it is of decimals. */
double tl_relative(double x, double from, TlNumbers of);
/* x + from; of what was a decimal, that decimal again. */
double tl_absolute(double x, double from);
/* The whole metres nearest to the middle of the box around n points, 1 or more. */
void tl_whole_middle(const double *x, int64_t n, double out[3]);
/* tl_relative of n points that belong together; `out` may be `x`. */
void tl_relative_points(const double *x, int64_t n, const double from[3], double *out);
/* The same, but a coordinate that is told as x keeps all its bits. */
void tl_relative_again(const double *x, int64_t n, const double from[3], double *now);

/* ---- reorder.c ---- */
/* Makes the cloth's rest shape from one in the mesh's own order; false when memory is refused. */
bool tl_cloth_reorder(TlArena *scratch, TlRest *rest, const TlOrder *order, TlCloth *cloth);
/* Fills what contact needs of a cloth that has its order; false when memory is refused. */
bool tl_cloth_surface(TlArena *scratch, const ToileMeshDef *mesh, TlCloth *cloth);
/* `width` values per vertex of a cloth, from the user's order to the cloth's and back. */
void tl_from_user(const TlCloth *cloth, const double *user, int32_t width, double *own);
void tl_to_user(const TlCloth *cloth, const double *own, int32_t width, double *user);

/* ---- sim.c ---- */
/* A larger table with the slots of the old one, each of `size` bytes, and zeros; *capacity grows
 * with it. NULL when memory is refused. The old table stays in the arena: it grows geometrically,
 * so this is at most as much again. */
void *tl_grow_slots(TlArena *arena, const void *slots, size_t size, int32_t *capacity);
TlCloth *tl_find_cloth(const ToileSim *sim, ToileClothId id, ToileError *error);
/* Builds model and system when something changed. */
ToileStatus tl_sim_prepare(ToileSim *sim, ToileError *error);
/* The slot of the collider in a column of tables. */
int32_t tl_sim_analytic_slot(const ToileSim *sim, int32_t column);
/* Contacts with all colliders but meshes, placements taken `part` of the way from the start of the
 * frame. */
TlContacts tl_sim_contacts(ToileSim *sim, double part_before, double part_now, double dt_s);
/* Distance that two layers of a cloth keep, m. */
double tl_sim_cloth_thickness(const ToileSim *sim, const TlMaterial *material);
/* Friction of a cloth where a collider has none of its own, ratio. */
double tl_sim_cloth_friction(const ToileSim *sim, const TlMaterial *material);

/* ---- colliders.c ---- */
/* Frees what the collider holds; its slot is free then. */
void tl_collider_free(TlColliderSlot *slot);
/* The collider is where it was sent. */
void tl_collider_arrive(TlColliderSlot *slot);
/* The collider under one of its motions, relative to the simulation's origin. */
TlPlaced tl_collider_place(const ToileSim *sim, const TlColliderSlot *slot, const TlMotion *motion);

/* ---- bodies.c ---- */
/* What can touch, into the system's arena; false when memory is refused. */
bool tl_sim_build_surface(ToileSim *sim);
/* Positions of the surface's collider vertices, 3 each, `part` of the way from the last frame
 * to where colliders are sent; 1: exactly there. What does not move has the same bits always. */
void tl_sim_collider_points(const ToileSim *sim, double part, double *out);
/* The name of a body, as the user gave it. */
const char *tl_sim_body_name(const ToileSim *sim, int32_t body);

/* A triangle as the user knows it. */
typedef struct TlPlaceOnBody {
    int32_t body;
    bool is_cloth;
    ToileClothId cloth;       /* of a cloth, else none */
    ToileColliderId collider; /* of a collider, else none */
    int32_t face;             /* of its mesh; of a box: its side; of a capsule: 0 */
} TlPlaceOnBody;
TlPlaceOnBody tl_sim_triangle(const ToileSim *sim, int32_t triangle);

/* ---- meet.c ---- */
/* Contact of surfaces, where there can be any, into the system's arena; false when memory is
 * refused. */
bool tl_sim_build_world(ToileSim *sim);
/* All contacts of the sub-step from part `from` of the frame to part `to`. */
TlContacts tl_sim_meet(ToileSim *sim, double from, double to, double dt_s);
/* Whether a mesh collider near the cloth moves many contact distances in that part of the frame. */
bool tl_sim_travels_far(ToileSim *sim, double from, double to);
/* Lists of contact could not grow: all is built anew when there is memory again. */
ToileStatus tl_lacks_memory(ToileSim *sim, ToileError *error);
/* The state is not of our making: it may be tangled. */
void tl_suspect_crossings(ToileSim *sim);
/* A frame begins, `again` where it is done another time. */
void tl_begin_contact(ToileSim *sim, bool again);
/* How often cloth crosses itself or anything else, at part `at` of the frame, but for what is
 * pinned or pinched in bodies. */
int32_t tl_sim_crossings(ToileSim *sim, double at);
/* What contact of surfaces did in the frame. */
void tl_sim_measure_world(ToileSim *sim);

/* ---- inside.c ---- */
/* Looks for what is in solid colliders. */
void tl_sim_find_inside(ToileSim *sim);

/* ---- check.c ---- */
/* Copies the caller's definition over the defaults, as far as it goes; false when its size is 0. */
bool tl_read_def(void *local, size_t size, const void *def);
/* Copies a result over the caller's struct, as far as that goes; its size stays. */
void tl_write_result(void *result, const void *local, size_t size);
ToileStatus tl_check_sim_def(const ToileSimDef *def, ToileError *error);
ToileStatus tl_check_fabric(const ToileFabric *fabric, ToileError *error);
ToileStatus tl_check_cloth_def(const ToileClothDef *def, ToileError *error);
/* `def->mesh` must have been read by tl_read_def. */
ToileStatus tl_check_collider_def(const ToileColliderDef *def, ToileError *error);
/* `count` vertices' positions of a collider. */
ToileStatus tl_check_collider_positions(const double *positions_m, int32_t count,
                                        ToileError *error);
ToileStatus tl_check_pose(const ToilePose *pose, ToileError *error);
/* Mesh counts and defects; warnings go to the log. */
ToileStatus tl_check_mesh(const ToileMeshDef *mesh, bool uv_is_pattern,
                          const double *rest_positions, ToileAllocator allocator,
                          const ToileLog *log, ToileError *error);

/* What is thought of a sub-step. */
typedef enum TlVerdict {
    TL_VERDICT_SOUND,
    TL_VERDICT_FAILED,   /* nothing moved: it must be repeated with a smaller step */
    TL_VERDICT_STRAINED, /* these should be repeated, but may be kept */
    TL_VERDICT_UNSOLVED
} TlVerdict;

/* ---- stage.c ---- */
TlNewton tl_newton_options(const ToileSim *sim, double dt_s);
int32_t tl_substep_count(const ToileSimDef *def);
/* Sub-steps of the next frame: those asked for, or as many more as an explicit integrator needs on
 * the cloth as it stands, which is told once. Refused when that is too many. */
ToileStatus tl_plan_substeps(ToileSim *sim, int32_t *count, ToileError *error);
/* Whether a free vertex near a collider would move, relative to it, farther than half its
 * thickness in that part of the frame: it could then come out on the wrong side. */
bool tl_too_far(ToileSim *sim, double from, double to);
/* The size in ticks, of `total` in the frame, halved until no vertex moves too far; tells the
 * integrator whether it was cut. */
int32_t tl_short_enough(ToileSim *sim, int32_t tick, int32_t size, int32_t total);
/* Whether a sub-step of so many ticks, about there, would be short enough. */
bool tl_is_slow(ToileSim *sim, int32_t tick, int32_t size, int32_t total);
/* Fixed vertices of the system: pinned ones and those without mass. */
void tl_fix_vertices(ToileSim *sim);
/* Finds which pins go with colliders in the frame that begins. */
void tl_find_carriers(ToileSim *sim);
/* How far pins go at most in the frame that begins, beyond what their cloth does on average, over
 * its contact distance. */
double tl_pin_travel(ToileSim *sim);
/* Where fixed vertices are, `part` of the way to their targets; those without mass stay. */
void tl_place_pins(ToileSim *sim, double part);
/* Keeps the last complete frame, and goes back to it. */
void tl_back_up(ToileSim *sim);
void tl_roll_back(ToileSim *sim);
/* Whether sub-steps of this method are judged: not those with a stable step of their own, which are
 * too many. */
bool tl_is_judged(const TlIntegrator *integrator);
/* Keeps the start of a sub-step, where it may be judged, and goes back to it, which is counted. */
void tl_keep_start(ToileSim *sim);
void tl_retry(ToileSim *sim, TlVerdict verdict);
/* Whether a sub-step from the start that was kept is to be believed: by its strain, when an element
 * is over twice its length and grew by a quarter in this sub-step, and by its line search. Not
 * `strictly`: whatever is sound. */
TlVerdict tl_judge(ToileSim *sim, const TlStepResult *result, bool strictly);
/* Colliders are where they were sent. */
void tl_arrive(ToileSim *sim);

/* ---- stats.c ---- */
/* How many elements have a stretch. */
int32_t tl_stretch_count(const TlModel *model);
/* How many are stretched beyond `large`, and by `growth` times more than at the start of the
 * sub-step, ratios. */
int32_t tl_strained_count(ToileSim *sim, double large, double growth);
/* Statistics from zero; the clock starts. */
void tl_stats_begin(ToileSim *sim);
/* Seconds since *clock_s, which becomes now. */
double tl_lap(double *clock_s);
/* Adds what a sub-step did, which took `seconds`; `kept` false: it is repeated. */
void tl_count_substep(ToileSim *sim, const TlStepResult *result, bool kept, double seconds);
/* Measures the state at the end; the clock stops. */
void tl_sim_measure(ToileSim *sim);

#endif
