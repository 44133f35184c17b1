/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What pins drag into colliders, the regions that bodies cut off, and who yields to colliders: a
 * ribbon along x, 0.1 m wide, of cells of 0.1 m, with a sphere or a cube. */
#include "contact/drag.h"
#include "contact/regions.h"
#include "contact/tangle.h"

#include "support/builders.h"
#include "support/run_suite.h"

#include <string.h>

enum { CELLS = 10, CLOTH = 2 * (CELLS + 1), CUBE = 8 };

#define CELL 0.1
#define EXACT 1e-12
#define DT_S 0.01
#define SPHERE 0.2

typedef struct Fixture {
    TlArena arena;
    TlPool *pool;
    TlSurface surface;
    TlWorld *world;
    TlCollider collider;
    TlPlaced placed;
    TlContacts contacts;
    uint8_t fixed[CLOTH], pinched[CLOTH], analytic[CLOTH + CUBE];
    double area[CLOTH], stretch[CLOTH], radius;
    double x[3 * CLOTH], target[3 * CLOTH], cube[3 * CUBE];
} Fixture;

/* Vertex `side` of column i. */
static int32_t at(int32_t i, int32_t side) {
    return 2 * i + side;
}

static void add_triangle(TlSurface *surface, int32_t *count, int32_t a, int32_t b, int32_t c) {
    int32_t *t = surface->triangle + 3 * (int64_t)(*count)++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/* A cube around the origin: closed, with its last side turned, or without that, the one of least x.
 */
typedef enum Cube { CLOSED, TURNED, OPEN } Cube;

static void add_cube(Fixture *f, int32_t *count, double half, Cube kind) {
    static const int32_t side[6][4] = {{1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3},
                                       {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 4, 6, 2}};
    for (int32_t i = 0; i < CUBE; i++) {
        for (int k = 0; k < 3; k++) {
            f->cube[3 * i + k] = (i >> k & 1) != 0 ? half : -half;
        }
    }
    for (int s = 0; s < (kind == OPEN ? 5 : 6); s++) {
        const int32_t *q = side[s];
        int b = s == 5 && kind == TURNED ? 3 : 1, d = 4 - b;
        add_triangle(&f->surface, count, CLOTH + q[0], CLOTH + q[b], CLOTH + q[2]);
        add_triangle(&f->surface, count, CLOTH + q[0], CLOTH + q[2], CLOTH + q[d]);
    }
}

static void set_up(Fixture *f, double start, double cube, Cube kind) {
    int32_t cloth = 2 * CELLS, all = cloth + (cube > 0.0 ? kind == OPEN ? 10 : 12 : 0), count = 0;
    int32_t vertices = CLOTH + (cube > 0.0 ? CUBE : 0);
    memset(f, 0, sizeof *f);
    tl_arena_init(&f->arena, tl_allocator_or_default(NULL));
    ck_assert(tl_surface_alloc(&f->arena, (TlCounts){CLOTH, vertices}, (TlCounts){cloth, all},
                               &f->surface));
    for (int32_t i = 0; i < CELLS; i++) {
        add_triangle(&f->surface, &count, at(i, 0), at(i + 1, 0), at(i + 1, 1));
        add_triangle(&f->surface, &count, at(i, 0), at(i + 1, 1), at(i, 1));
    }
    if (cube > 0.0) {
        add_cube(f, &count, cube, kind);
    }
    for (int32_t v = 0; v < CLOTH; v++) {
        f->x[3 * v] = start + CELL * (v / 2);
        f->x[3 * v + 2] = CELL * (v % 2 - 0.5);
        f->stretch[v] = 1000.0;
        f->area[v] = CELL * CELL * CELLS / CLOTH; /* that of the ribbon in all */
    }
    memcpy(f->surface.rest, f->x, sizeof f->x);
    memcpy(f->target, f->x, sizeof f->x);
    for (int32_t v = 0; v < vertices; v++) {
        f->surface.body[v] = v >= CLOTH;
        f->surface.half[v] = 1e-3;
    }
    ck_assert(tl_surface_connect(&f->arena, &f->surface));
    TlWorldDef def = {&f->surface, f->area, f->area, f->stretch, f->analytic, f->fixed, true, 0.0};
    f->pool = tl_pool_create(1, NULL);
    f->world = tl_world_build(&f->arena, f->pool, &def);
    ck_assert_ptr_nonnull(f->world);
    ToileColliderDef sphere = toile_collider_def_default();
    sphere.radius_m = SPHERE;
    ToilePose pose = {{0, 0, 0}, {0, 0, 0}};
    TlMotion motion = tl_motion_from_pose(&pose);
    f->collider = tl_collider(&sphere);
    f->placed = tl_place(&f->collider, &motion);
    f->radius = 2e-3;
    f->contacts = (TlContacts){.collider_count = cube > 0.0 ? 0 : 1,
                               .now = &f->placed,
                               .before = &f->placed,
                               .radius = &f->radius,
                               .world = f->world};
}

static void tear_down(Fixture *f) {
    tl_pool_destroy(f->pool);
    tl_arena_free(&f->arena);
}

/* Moves all of the ribbon up. */
static void lift(Fixture *f, double by) {
    for (int32_t v = 0; v < CLOTH; v++) {
        f->x[3 * v + 1] = f->target[3 * v + 1] = by;
    }
}

/* Flags vertices as a step does, and then who is dragged. */
static bool drag(Fixture *f) {
    for (int32_t v = 0; v < CLOTH; v++) {
        bool in = f->contacts.collider_count > 0 &&
                  tl_contact_depth(&f->contacts, tl_load3(f->x + 3 * (int64_t)v)) > 0.0;
        f->pinched[v] = in ? (f->fixed[v] ? TL_PINCHED : TL_LEAVING) : 0;
    }
    tl_world_begin(f->world, f->x, f->cube, f->cube, 0.0);
    const TlCarried dragged = {f->x, f->target, DT_S};
    return tl_world_drag(f->world, &f->contacts, &dragged, f->pinched);
}

static int32_t count_pinched(const Fixture *f) {
    int32_t count = 0;
    for (int32_t v = 0; v < CLOTH; v++) {
        count += f->pinched[v] == TL_PINCHED;
    }
    return count;
}

START_TEST(drag_needs_pins) {
    Fixture f;
    set_up(&f, -0.3, 0.0, CLOSED);
    ck_assert(!drag(&f));
    ck_assert_int_eq(count_pinched(&f), 0);
    tear_down(&f);
}
END_TEST

/* The pin is in the middle of a sphere, the next column inside too: it could only be put out
 * twice as far as its cell is long. The column after that touches the surface. */
START_TEST(drag_takes_along_what_would_be_torn) {
    Fixture f;
    set_up(&f, 0.0, 0.0, CLOSED);
    f.fixed[at(0, 0)] = f.fixed[at(0, 1)] = 1;
    ck_assert(drag(&f));
    for (int32_t i = 0; i <= CELLS; i++) {
        for (int32_t side = 0; side < 2; side++) {
            ck_assert_int_eq(f.pinched[at(i, side)], i < 2 ? TL_PINCHED : 0);
        }
    }
    tear_down(&f);
}
END_TEST

/* Pins a little inside: their neighbours are put out, which stretches nothing. */
START_TEST(drag_leaves_what_can_be_put_out) {
    Fixture f;
    set_up(&f, 0.15, 0.0, CLOSED);
    f.fixed[at(0, 0)] = f.fixed[at(0, 1)] = 1;
    ck_assert(drag(&f));
    ck_assert_int_eq(count_pinched(&f), 2);
    tear_down(&f);
}
END_TEST

/* Outside cloth follows when it lies against the sphere and hangs far from a pin inside; elsewhere
 * it may be stretched as it likes. */
START_TEST(drag_draws_in_what_is_kept_out) {
    for (int away = 0; away < 2; away++) {
        Fixture f;
        set_up(&f, 0.05, 0.0, CLOSED);
        f.fixed[at(0, 0)] = f.fixed[at(0, 1)] = 1;
        double radius = SPHERE + (away ? 5e-3 : 1e-3);
        for (int32_t v = at(1, 0); v < CLOTH; v++) {
            f.x[3 * v] += sqrt(radius * radius - 0.25 * CELL * CELL) - 0.15;
        }
        ck_assert(drag(&f));
        ck_assert_int_eq(count_pinched(&f), away ? 2 : 4);
        tear_down(&f);
    }
}
END_TEST

/* A pin inside does not let go of cloth that is stretched all along. */
START_TEST(drag_does_not_spread_over_stretched_cloth) {
    Fixture f;
    set_up(&f, 0.1, 0.0, CLOSED);
    f.fixed[at(0, 0)] = f.fixed[at(0, 1)] = 1;
    for (int32_t v = 0; v < CLOTH; v++) {
        f.x[3 * v] = f.target[3 * v] = 0.1 + 1.5 * CELL * (v / 2);
    }
    ck_assert(drag(&f));
    ck_assert_int_eq(count_pinched(&f), 2);
    tear_down(&f);
}
END_TEST

/* The length of edges is that of the pattern, as far as areas tell. */
START_TEST(drag_goes_by_the_size_of_the_pattern) {
    Fixture f;
    set_up(&f, 0.0, 0.0, CLOSED);
    for (int32_t v = 0; v < CLOTH; v++) {
        f.area[v] *= 2.25; /* half as large again */
    }
    f.world = tl_world_build(&f.arena, f.pool, &f.world->def);
    ck_assert_ptr_nonnull(f.world);
    for (int32_t e = 0; e < f.surface.edges.cloth; e++) {
        const int32_t *v = f.surface.edge + 2 * (int64_t)e;
        TlVec3 a = tl_load3(f.x + 3 * (int64_t)v[0]), b = tl_load3(f.x + 3 * (int64_t)v[1]);
        ck_assert_double_eq_tol(f.world->length[e], 1.5 * tl_length3(tl_sub3(a, b)), EXACT);
    }
    tear_down(&f);
}
END_TEST

/* The way along edges to the nearest pin. */
START_TEST(drag_knows_tethers) {
    Fixture f;
    set_up(&f, -0.05, 0.0, CLOSED);
    f.fixed[at(0, 0)] = f.fixed[at(0, 1)] = f.fixed[at(CELLS, 0)] = 1;
    drag(&f);
    for (int32_t i = 0; i <= CELLS; i++) {
        double left = CELL * i, right = CELL * (CELLS - i);
        ck_assert_double_eq_tol(f.world->tether[at(i, 0)], tl_min(left, right), EXACT);
        ck_assert(2 * i == CELLS ||
                  f.world->anchor[at(i, 0)] == (left < right ? at(0, 0) : at(CELLS, 0)));
    }
    memset(f.fixed, 0, sizeof f.fixed);
    f.fixed[at(CELLS, 0)] = 1;
    drag(&f);
    ck_assert_double_eq_tol(f.world->tether[at(0, 0)], CELL * CELLS, EXACT);
    tear_down(&f);
}
END_TEST

/* Where who is led comes out of the sphere: at its surface, on the side of less x. */
static void expect_led(const Fixture *f, int32_t v) {
    ck_assert(f->world->leading && f->world->led[v]);
    ck_assert_int_eq(f->pinched[v], TL_LEAVING);
    TlVec3 n, exit = tl_load3(f->world->exit + 3 * (int64_t)v);
    double d = tl_collider_distance(&f->placed, exit, &n);
    ck_assert_double_ge(d, 0.0);
    ck_assert_double_lt(d, 1e-3 * SPHERE);
    ck_assert_double_lt(exit.x, 0.0);
}

/* Where a vertex is when the step begins. */
static TlVec3 place_of(const Fixture *f, int32_t v) {
    return tl_load3((f->world->led[v] ? f->world->exit : f->x) + 3 * (int64_t)v);
}

/* The pin is beyond the sphere, the ribbon goes through it. It would be put out on both sides. */
START_TEST(drag_goes_on_as_long_as_pins_pull) {
    Fixture f;
    set_up(&f, -0.34, 0.0, CLOSED);
    lift(&f, 0.01);
    f.fixed[at(0, 0)] = f.fixed[at(0, 1)] = 1;
    f.target[3 * at(0, 0)] = f.target[3 * at(0, 1)] = -0.35;
    ck_assert(drag(&f));
    ck_assert_int_ge(count_pinched(&f), 4);
    ck_assert(!f.world->leading);
    tear_down(&f);
}
END_TEST

/* The same when the pin stands still, or comes back: all that is inside leaves on its side, and the
 * rest of the ribbon is hauled after it, not torn from it. */
START_TEST(drag_leads_to_the_side_of_pins_that_do_not_pull) {
    for (int back = 0; back < 2; back++) {
        Fixture f;
        set_up(&f, -0.34, 0.0, CLOSED);
        lift(&f, 0.01);
        f.fixed[at(0, 0)] = f.fixed[at(0, 1)] = 1;
        f.target[3 * at(0, 0)] = f.target[3 * at(0, 1)] = back ? -0.33 : -0.34;
        drag(&f);
        for (int32_t v = at(2, 0); v <= at(5, 1); v++) {
            expect_led(&f, v);
        }
        ck_assert(!f.world->led[at(1, 0)]);
        for (int32_t i = 5; i < CELLS; i++) {
            double apart = tl_length3(tl_sub3(place_of(&f, at(i + 1, 0)), place_of(&f, at(i, 0))));
            ck_assert_double_gt(apart, 0.9 * CELL);
            ck_assert_double_lt(apart, 1.31 * CELL);
        }
        ck_assert(f.world->led[at(6, 0)]);
        tear_down(&f);
    }
}
END_TEST

/* Pins on both sides of the sphere lead nowhere. */
START_TEST(drag_does_not_lead_between_pins) {
    Fixture f;
    set_up(&f, -0.5, 0.0, CLOSED);
    lift(&f, 0.01);
    f.fixed[at(0, 0)] = f.fixed[at(0, 1)] = 1;
    f.fixed[at(CELLS, 0)] = f.fixed[at(CELLS, 1)] = 1;
    ck_assert(!drag(&f));
    ck_assert(!f.world->leading);
    tear_down(&f);
}
END_TEST

/* An edge through the sphere that is torn brings the end along that is farther from the pin. */
START_TEST(drag_draws_torn_edges_through) {
    Fixture f;
    set_up(&f, -0.6, 0.0, CLOSED);
    lift(&f, 0.01);
    f.fixed[at(0, 0)] = f.fixed[at(0, 1)] = 1;
    for (int32_t v = at(4, 0); v < CLOTH; v++) {
        f.x[3 * v] += 0.41; /* the others end at -0.3, these begin at 0.21 */
    }
    f.x[3 * at(CELLS, 0)] = 0.0; /* somebody is inside */
    ck_assert(drag(&f));
    for (int32_t i = 1; i < CELLS - 1; i++) {
        ck_assert_int_eq(f.pinched[at(i, 0)], i == 4 ? TL_PINCHED : 0);
    }
    tear_down(&f);
}
END_TEST

/* A tether that is too short to be put out on its side leads without a pull, and drags while its
 * pin is inside too. */
START_TEST(drag_holds_what_tethers_hold) {
    Fixture f;
    set_up(&f, -0.23, 0.0, CLOSED);
    lift(&f, 0.01);
    f.fixed[at(0, 0)] = f.fixed[at(0, 1)] = 1;
    for (int32_t v = at(1, 0); v < CLOTH; v++) {
        f.x[3 * v] += 0.14; /* beyond the middle */
    }
    drag(&f);
    expect_led(&f, at(1, 0));
    f.x[3 * at(0, 0)] = f.target[3 * at(0, 0)] = -0.19;
    f.x[3 * at(0, 1)] = f.target[3 * at(0, 1)] = -0.19;
    ck_assert(drag(&f));
    ck_assert_int_eq(f.pinched[at(0, 0)], TL_PINCHED);
    ck_assert_int_eq(f.pinched[at(1, 0)], TL_PINCHED);
    tear_down(&f);
}
END_TEST

/* ---- regions ---- */

/* The ribbon comes out of a cube at x = 0.25, through the diagonal of its side. */
START_TEST(regions_inside_a_body_are_held_by_pins) {
    Fixture f;
    set_up(&f, -0.2, 0.25, CLOSED);
    f.fixed[at(0, 0)] = f.fixed[at(0, 1)] = 1;
    ck_assert(drag(&f));
    int32_t inside = f.world->region[at(0, 0)], outside = f.world->region[at(CELLS, 0)];
    ck_assert_int_ne(inside, outside);
    ck_assert(tl_regions_is_inside(f.world, inside));
    ck_assert(!tl_regions_is_inside(f.world, outside));
    ck_assert_int_eq(f.world->region_held[inside], 1);
    ck_assert_int_eq(f.world->region_held[outside], 0);
    for (int32_t i = 0; i <= CELLS; i++) {
        ck_assert_int_eq(f.pinched[at(i, 0)], i < 5 ? TL_PINCHED : 0);
    }
    f.world->pinched = f.pinched;
    tl_world_sort_crossings(f.world);
    ck_assert_int_eq(f.world->pulling, 0);
    ck_assert(!f.world->tangled);
    tear_down(&f);
}
END_TEST

/* A cube whose sides do not face the same way has no inside, and one without a side none near
 * that. In its middle four fifths of all directions are closed. */
START_TEST(regions_know_which_bodies_have_an_inside) {
    for (int kind = TURNED; kind <= OPEN; kind++) {
        Fixture f;
        set_up(&f, -0.2, 0.25, (Cube)kind);
        f.fixed[at(0, 0)] = f.fixed[at(0, 1)] = 1;
        ck_assert(!drag(&f));
        ck_assert_int_gt(f.world->crossings.count, 0);
        ck_assert_int_eq(tl_regions_is_inside(f.world, at(2, 0)), kind == OPEN);
        ck_assert(!tl_regions_is_inside(f.world, at(CELLS, 0)));
        tear_down(&f);
    }
}
END_TEST

/* What pins draw passes; what stands still, or moves with the body, does not. */
START_TEST(regions_that_pass_are_held) {
    enum { NOBODY, ALL, PINS, CASES };
    for (int moves = 0; moves < CASES; moves++) {
        Fixture f;
        double goal[3 * CUBE];
        set_up(&f, -0.7, 0.25, CLOSED); /* in on one side, out on the other */
        f.fixed[at(0, 0)] = f.fixed[at(0, 1)] = 1;
        memcpy(goal, f.cube, sizeof goal);
        for (int32_t v = 0; v < CLOTH; v++) {
            f.target[3 * v] -= moves == NOBODY ? 0.0 : 0.01;
        }
        for (int32_t i = 0; i < CUBE; i++) {
            goal[3 * i] -= moves == ALL ? 0.01 : 0.0;
        }
        tl_world_begin(f.world, f.x, f.cube, goal, 0.0);
        const TlCarried carried = {f.x, f.target, DT_S};
        bool dragged = tl_world_drag(f.world, &f.contacts, &carried, f.pinched);
        ck_assert_int_eq(dragged, moves == PINS);
        ck_assert_int_eq(f.pinched[at(7, 0)] == TL_PINCHED, moves == PINS);
        tear_down(&f);
    }
}
END_TEST

/* Without pins the same crossings are to be undone. */
START_TEST(regions_without_pins_are_pulled) {
    Fixture f;
    set_up(&f, -0.2, 0.25, CLOSED);
    ck_assert(!drag(&f));
    ck_assert_int_gt(f.world->crossings.count, 0);
    ck_assert_int_eq(f.world->pulling, f.world->crossings.count);
    ck_assert(f.world->tangled);
    tear_down(&f);
}
END_TEST

/* An edge through the diagonal of a side meets two triangles, and is cut once. */
START_TEST(regions_count_a_place_once) {
    Fixture f;
    set_up(&f, -0.2, 0.25, CLOSED);
    for (int32_t v = 0; v < CLOTH; v++) {
        f.x[3 * v + 1] = f.x[3 * v + 2]; /* in the plane of the diagonal */
    }
    tl_world_begin(f.world, f.x, f.cube, f.cube, 0.0);
    int32_t met = 0;
    for (int32_t i = 0; i < f.world->crossings.count; i++) {
        const int32_t *e = f.surface.edge + 2 * (int64_t)f.world->crossings.at[i].edge;
        met += e[0] == at(4, 0) && e[1] == at(5, 0);
    }
    ck_assert_int_eq(met, 2);
    ck_assert_int_ne(f.world->region[at(0, 0)], f.world->region[at(CELLS, 0)]);
    tear_down(&f);
}
END_TEST

/* ---- yielding ---- */

/* a neighbour yields already */
static bool near_yields;

/* One vertex of the ribbon is 1 mm above the cube, which still has to rise; it got so much of its
 * own way. Answers how many yield. */
static int32_t yields(double rises_m, double got, double cube_way_m, TlYield how) {
    static const int32_t top[3] = {2, 6, 7};
    Fixture f;
    set_up(&f, -0.5, 0.25, CLOSED);
    TlWorld *world = f.world;
    TlPair pair = {{at(5, 1), CLOTH + top[0], CLOTH + top[1], CLOTH + top[2]}, 0, 2e-3F, 0, 4e-5F};
    lift(&f, 0.251);
    tl_world_begin(world, f.x, f.cube, f.cube, 0.0);
    for (int32_t v = CLOTH; v < CLOTH + CUBE; v++) {
        world->goal[3 * v + 1] = world->x[3 * v + 1] + rises_m;
        world->start[3 * v + 1] = world->goal[3 * v + 1] - cube_way_m;
    }
    for (int32_t v = 0; v < world->n; v++) {
        world->s[v] = got;
    }
    world->pairs = (TlPairs){.pair = &pair, .count = 1, .vertex_triangle = 1, .capacity = 1};
    world->yielding = near_yields;
    world->yielded[at(6, 1)] = near_yields;
    int32_t count = tl_world_yield(world, how);
    ck_assert_int_eq(count, world->yielded[at(5, 1)]);
    ck_assert_int_eq(count > 0 || near_yields, world->yielding);
    ck_assert_int_eq(tl_world_yield(world, how), 0); /* once is enough */
    tear_down(&f);
    return count;
}

START_TEST(yield_is_of_what_is_held_up_in_the_way) {
    ck_assert_int_eq(yields(1e-3, 0.5, 2e-4, TL_YIELD_SLOW), 1);
    /* it got all it wanted: it is slow, but has room */
    ck_assert_int_eq(yields(1e-3, 1.0, 2e-4, TL_YIELD_SLOW), 0);
    /* there is room for all of the way, or the cube goes away */
    ck_assert_int_eq(yields(9e-4, 0.5, 2e-4, TL_YIELD_SLOW), 0);
    ck_assert_int_eq(yields(-1e-3, 0.5, 2e-4, TL_YIELD_SLOW), 0);
    ck_assert_int_eq(yields(0.0, 0.5, 0.0, TL_YIELD_ALL), 0);
}
END_TEST

/* What goes 0.3 mm in a step, 0.15 of the contact distance, is not slow. */
START_TEST(yield_to_what_is_fast_must_be_forced) {
    ck_assert_int_eq(yields(1e-3, 0.5, 2.9e-4, TL_YIELD_SLOW), 1);
    ck_assert_int_eq(yields(1e-3, 0.5, 3.1e-4, TL_YIELD_SLOW), 0);
    ck_assert_int_eq(yields(1e-3, 0.5, 3.1e-4, TL_YIELD_ALL), 1);
}
END_TEST

/* Neighbours of who yields follow colliders of up to two contact distances, and others do not. */
START_TEST(yield_spreads_to_neighbours) {
    ck_assert_int_eq(yields(1e-3, 0.5, 1e-3, TL_YIELD_NEAR), 0);
    near_yields = true;
    ck_assert_int_eq(yields(1e-3, 0.5, 3.9e-3, TL_YIELD_NEAR), 1);
    ck_assert_int_eq(yields(1e-3, 0.5, 4.1e-3, TL_YIELD_NEAR), 0);
    ck_assert_int_eq(yields(1e-3, 1.0, 1e-3, TL_YIELD_NEAR), 0);
    near_yields = false;
}
END_TEST

int main(void) {
    TCase *one = tcase_create("drag");
    tcase_add_test(one, drag_needs_pins);
    tcase_add_test(one, drag_takes_along_what_would_be_torn);
    tcase_add_test(one, drag_leaves_what_can_be_put_out);
    tcase_add_test(one, drag_draws_in_what_is_kept_out);
    tcase_add_test(one, drag_does_not_spread_over_stretched_cloth);
    tcase_add_test(one, drag_goes_by_the_size_of_the_pattern);
    tcase_add_test(one, drag_knows_tethers);
    tcase_add_test(one, drag_goes_on_as_long_as_pins_pull);
    tcase_add_test(one, drag_leads_to_the_side_of_pins_that_do_not_pull);
    tcase_add_test(one, drag_does_not_lead_between_pins);
    tcase_add_test(one, drag_draws_torn_edges_through);
    tcase_add_test(one, drag_holds_what_tethers_hold);
    tcase_add_test(one, regions_inside_a_body_are_held_by_pins);
    tcase_add_test(one, regions_know_which_bodies_have_an_inside);
    tcase_add_test(one, regions_that_pass_are_held);
    tcase_add_test(one, regions_without_pins_are_pulled);
    tcase_add_test(one, regions_count_a_place_once);
    tcase_add_test(one, yield_is_of_what_is_held_up_in_the_way);
    tcase_add_test(one, yield_to_what_is_fast_must_be_forced);
    tcase_add_test(one, yield_spreads_to_neighbours);
    Suite *suite = suite_create("drag");
    suite_add_tcase(suite, one);
    return run_suite(suite);
}
