/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What cloths in the air do together: three cloths of one triangle each, two of them near each
 * other and the third far above, and a triangle of a collider below them. */
#include "contact/carry.h"

#include "support/builders.h"

#include <string.h>

enum { CLOTHS = 3, BODIES = CLOTHS + 1, CORNERS = 3, CLOTH = CORNERS * CLOTHS };
enum { ALL = CORNERS * BODIES };

#define EXACT 1e-15
#define APART_M 0.01
#define HALF_M 1e-3
#define DT_S 0.01

typedef struct Fixture {
    TlArena arena;
    TlPool *pool;
    TlSurface surface;
    TlWorld *world;
    TlCollider sphere;
    TlPlaced before, now;
    TlContacts contacts;
    double area[CLOTH], mass[CLOTH], stretch[CLOTH], radius[CLOTHS];
    double x[3 * ALL], v[3 * CLOTH], u[3 * ALL];
    uint8_t fixed[CLOTH], analytic[ALL];
} Fixture;

static TlPlaced sphere_at(const TlCollider *sphere, double height) {
    const ToilePose pose = {{0, height, 0}, {0, 0, 0}};
    TlMotion motion = tl_motion_from_pose(&pose);
    return tl_place(sphere, &motion);
}

static void set_up(Fixture *f) {
    static const double corner[CORNERS][2] = {{0, 0}, {0.1, 0}, {0, 0.1}};
    memset(f, 0, sizeof *f);
    tl_arena_init(&f->arena, tl_allocator_or_default(NULL));
    ck_assert(tl_surface_alloc(&f->arena, (TlCounts){CLOTH, ALL}, (TlCounts){CLOTHS, BODIES},
                               &f->surface));
    for (int32_t i = 0; i < ALL; i++) {
        static const double height[BODIES] = {0.0, APART_M, 1.0, -1.0};
        int32_t body = i / CORNERS;
        f->surface.triangle[i] = i;
        f->surface.body[i] = body;
        f->surface.half[i] = HALF_M;
        tl_store3(f->x + 3 * i,
                  tl_vec3(corner[i % CORNERS][0], height[body], corner[i % CORNERS][1]));
    }
    for (int32_t i = 0; i < CLOTH; i++) {
        f->mass[i] = 1e-3 * (1 + i / CORNERS) * (1 + i % CORNERS);
        f->area[i] = 1e-3;
        f->stretch[i] = 1000.0;
    }
    memcpy(f->surface.rest, f->x, sizeof f->x);
    ck_assert(tl_surface_connect(&f->arena, &f->surface));
    TlWorldDef def = {&f->surface, f->area, f->mass, f->stretch, f->analytic, f->fixed, true, 0.0};
    f->pool = tl_pool_create(1, NULL);
    f->world = tl_world_build(&f->arena, f->pool, &def);
    ck_assert_ptr_nonnull(f->world);
    ToileColliderDef sphere = toile_collider_def_default();
    sphere.radius_m = 0.2;
    f->sphere = tl_collider(&sphere);
    f->before = f->now = sphere_at(&f->sphere, -10.0);
    f->radius[0] = f->radius[1] = f->radius[2] = 2e-3;
    f->contacts = (TlContacts){.collider_count = 1,
                               .now = &f->now,
                               .before = &f->before,
                               .radius = f->radius,
                               .world = f->world};
}

static void tear_down(Fixture *f) {
    tl_pool_destroy(f->pool);
    tl_arena_free(&f->arena);
}

static void find_airborne(Fixture *f) {
    static const double gravity[3] = {0, -9.81, 0};
    const double *others = f->x + 3 * CLOTH;
    tl_world_begin_frame(f->world, false);
    tl_world_begin(f->world, f->x, others, others, 0.0);
    tl_world_find_airborne(f->world, &f->contacts, f->x, f->v, gravity, DT_S);
    tl_world_start_here(f->world);
}

/* Pairs of two bodies each, and ways at random: finds what is carried. */
static void carry(Fixture *f, const int32_t (*joined)[2], int32_t count) {
    TestRandom random = test_random(41);
    TlPair pairs[BODIES];
    for (int32_t p = 0; p < count; p++) {
        int32_t a = CORNERS * joined[p][0], b = CORNERS * joined[p][1];
        pairs[p] = (TlPair){.vertex = {a, b, b + 1, b + 2}};
    }
    for (int32_t k = 0; k < 3 * CLOTH; k++) {
        f->world->u[k] = test_between(&random, -0.01, 0.01);
    }
    memcpy(f->world->u + 3 * CLOTH, f->u + 3 * CLOTH, 3 * (ALL - CLOTH) * sizeof *f->u);
    for (int32_t i = 0; i < CLOTH; i++) {
        if (f->fixed[i]) {
            memcpy(f->world->u + 3 * i, f->u + 3 * i, 3 * sizeof *f->u);
        }
    }
    TlPairs kept = f->world->pairs;
    f->world->pairs = (TlPairs){.pair = pairs, .count = count, .vertex_triangle = count};
    tl_world_find_carry(f->world, true);
    f->world->pairs = kept;
}

/* The way of the centre of mass of cloths first to last. */
static TlVec3 mean_way(const Fixture *f, const double *u, int32_t first, int32_t last) {
    TlVec3 sum = {0, 0, 0};
    double mass = 0.0;
    for (int32_t i = CORNERS * first; i < CORNERS * (last + 1); i++) {
        sum = tl_madd3(sum, f->mass[i], tl_load3(u + 3 * i));
        mass += f->mass[i];
    }
    return tl_scale3(1.0 / mass, sum);
}

static void expect_carry(const Fixture *f, int32_t body, TlVec3 want) {
    const double *carry = f->world->carry + 3 * body;
    ASSERT_NEAR(carry[0], want.x, EXACT);
    ASSERT_NEAR(carry[1], want.y, EXACT);
    ASSERT_NEAR(carry[2], want.z, EXACT);
    for (int32_t i = CORNERS * body; i < CORNERS * (body + 1); i++) {
        for (int k = 0; k < 3; k++) {
            ck_assert_double_eq(f->world->apart[3 * i + k], f->world->u[3 * i + k] - carry[k]);
        }
    }
}

START_TEST(carry_is_the_way_of_the_centre_of_mass_of_who_meets) {
    static const int32_t joined[][2] = {{1, 0}};
    Fixture f;
    set_up(&f);
    find_airborne(&f);
    carry(&f, joined, 1);
    ck_assert(f.world->carrying);
    expect_carry(&f, 0, mean_way(&f, f.world->u, 0, 1));
    expect_carry(&f, 1, mean_way(&f, f.world->u, 0, 1));
    expect_carry(&f, 2, mean_way(&f, f.world->u, 2, 2));
    tear_down(&f);
}
END_TEST

START_TEST(carry_joins_chains_in_any_order) {
    static const int32_t joined[2][2][2] = {{{2, 1}, {1, 0}}, {{0, 2}, {2, 1}}};
    for (int order = 0; order < 2; order++) {
        Fixture f;
        set_up(&f);
        find_airborne(&f);
        carry(&f, joined[order], 2);
        for (int32_t b = 0; b < CLOTHS; b++) {
            expect_carry(&f, b, mean_way(&f, f.world->u, 0, 2));
        }
        tear_down(&f);
    }
}
END_TEST

/* a collider that rests */
START_TEST(carry_is_nothing_where_leaders_rest) {
    static const int32_t joined[][2] = {{1, 0}, {0, CLOTHS}};
    Fixture f;
    set_up(&f);
    find_airborne(&f);
    carry(&f, joined, 2);
    for (int32_t b = 0; b < BODIES; b++) {
        expect_carry(&f, b, b == 2 ? mean_way(&f, f.world->u, 2, 2) : tl_vec3(0, 0, 0));
    }
    tear_down(&f);
}
END_TEST

/* of pins, of a collider, and of both, as long as they go the same way; of who does not meet them
 * it is its own */
START_TEST(carry_is_the_way_of_those_who_lead) {
    static const int32_t joined[][2] = {{1, 0}, {0, CLOTHS}};
    const TlVec3 way = {0.2, -0.1, 0.05}, little = {0.02, 0.01, 0}, none = {0, 0, 0};
    for (int by = 1; by < 4; by++) {
        Fixture f;
        set_up(&f);
        TlVec3 mean = way;
        int32_t leaders = 0;
        if (by & 1) {
            f.fixed[0] = f.fixed[CORNERS + 1] = 1;
            tl_store3(f.u, tl_add3(way, little));
            tl_store3(f.u + 3 * (CORNERS + 1), tl_sub3(way, little));
        }
        for (int32_t i = CLOTH; by & 2 && i < ALL; i++) {
            tl_store3(f.u + 3 * i, way);
        }
        find_airborne(&f);
        carry(&f, joined, by & 2 ? 2 : 1);
        expect_carry(&f, 0, mean);
        expect_carry(&f, 1, mean);
        expect_carry(&f, 2, mean_way(&f, f.world->u, 2, 2));
        /* another way than the others */
        leaders = by & 1 ? 0 : CLOTH;
        tl_store3(f.u + 3 * leaders, tl_add3(tl_scale3(2.0, way), little));
        carry(&f, joined, by & 2 ? 2 : 1);
        expect_carry(&f, 0, none);
        expect_carry(&f, 1, none);
        tear_down(&f);
    }
}
END_TEST

START_TEST(carry_is_nothing_in_a_company_near_an_analytic_collider) {
    static const int32_t joined[][2] = {{1, 0}};
    Fixture f;
    set_up(&f);
    f.now = sphere_at(&f.sphere, -0.210);
    f.fixed[CORNERS] = 1;
    tl_store3(f.u + 3 * CORNERS, tl_vec3(0.2, 0, 0));
    find_airborne(&f);
    carry(&f, joined, 1);
    expect_carry(&f, 0, tl_vec3(0, 0, 0));
    expect_carry(&f, 1, tl_vec3(0, 0, 0));
    tear_down(&f);
}
END_TEST

START_TEST(carry_ends_when_it_is_told_to) {
    Fixture f;
    set_up(&f);
    find_airborne(&f);
    carry(&f, NULL, 0);
    ck_assert(f.world->carrying);
    tl_world_find_carry(f.world, false);
    ck_assert(!f.world->carrying);
    tl_world_carry_nobody(f.world);
    carry(&f, NULL, 0);
    ck_assert(!f.world->carrying);
    tear_down(&f);
}
END_TEST

static void expect_airborne(Fixture *f, bool first, bool second, bool third) {
    find_airborne(f);
    ck_assert(f->world->airborne[0] == first && f->world->airborne[1] == second &&
              f->world->airborne[2] == third && f->world->airborne[CLOTHS] == !f->analytic[CLOTH]);
}

START_TEST(airborne_is_who_is_near_no_analytic_collider) {
    Fixture f;
    set_up(&f);
    expect_airborne(&f, true, true, true);
    memset(f.analytic + CLOTH, 1, CORNERS);
    expect_airborne(&f, true, true, true);
    /* 15 mm below the lowest cloth, of which 12 and what its own way may be count as near */
    f.now = sphere_at(&f.sphere, -0.215);
    expect_airborne(&f, true, true, true);
    f.now = sphere_at(&f.sphere, -0.210);
    expect_airborne(&f, false, true, true);
    /* one that leaves was there */
    f.before = f.now;
    f.now = sphere_at(&f.sphere, -10.0);
    expect_airborne(&f, false, true, true);
    f.before = f.now;
    /* what is fast comes farther: 1 m/s is 20 mm of ways that are twice as long as they should be
     */
    f.now = sphere_at(&f.sphere, -0.235);
    expect_airborne(&f, true, true, true);
    f.v[1] = -1.5;
    expect_airborne(&f, false, true, true);
    tear_down(&f);
}
END_TEST

/* Two cloths fall, and the upper one wants to go through the lower: both are stopped before one
 * another, and fall together as they would have. */
START_TEST(carry_leaves_cloths_that_meet_their_common_fall) {
    Fixture f;
    set_up(&f);
    find_airborne(&f);
    for (int32_t i = 0; i < CLOTH; i++) {
        double closing = i < CORNERS ? 0.02 : i < 2 * CORNERS ? -0.03 : 0.1;
        tl_store3(f.u + 3 * i, tl_vec3(0.3, 0.5 + closing, -0.2));
    }
    double u[3 * CLOTH];
    memcpy(u, f.u, sizeof u);
    ck_assert(tl_world_plan(f.world, u, true));
    ck_assert_int_gt(f.world->cut, 0);
    TlVec3 want = mean_way(&f, f.u, 0, 1), got = mean_way(&f, u, 0, 1);
    ASSERT_NEAR(got.x, want.x, 1e-12);
    ASSERT_NEAR(got.z, want.z, 1e-12);
    /* each gives up its own part of what they want of each other */
    ASSERT_NEAR(got.y, want.y, APART_M);
    for (int32_t i = 0; i < CORNERS; i++) {
        double gap = APART_M + u[3 * (CORNERS + i) + 1] - u[3 * i + 1];
        ck_assert(gap > 0.0 && gap < APART_M);
        ck_assert_double_eq(u[3 * (2 * CORNERS + i) + 1], f.u[3 * (2 * CORNERS + i) + 1]);
    }
    tear_down(&f);
}
END_TEST

TEST_MAIN("carry", carry_is_the_way_of_the_centre_of_mass_of_who_meets,
          carry_joins_chains_in_any_order, carry_is_nothing_where_leaders_rest,
          carry_is_the_way_of_those_who_lead,
          carry_is_nothing_in_a_company_near_an_analytic_collider, carry_ends_when_it_is_told_to,
          airborne_is_who_is_near_no_analytic_collider,
          carry_leaves_cloths_that_meet_their_common_fall)
