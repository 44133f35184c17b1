/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates relative to whole metres: decimals and single precision lose nothing, everything else
 * no more than a subtraction costs; and a simulation far away is the one at the origin, after a
 * restore into another place too. */
#include "sim/sim_internal.h"
#include "support/builders.h"

#include <stdlib.h>
#include <string.h>

static const double far_away[] = {1.0, 1000.0, -2000.0, 500.0, 123456.0, -999999.0};
enum { PLACES = sizeof far_away / sizeof far_away[0] };

/* A decimal of at most `places` places, as a parser reads it: division rounds correctly. */
static double any_decimal(TestRandom *random, int32_t places) {
    double unit = 1.0;
    for (int32_t i = 0; i < places; i++) {
        unit *= 10.0;
    }
    return floor(test_between(random, -3.0, 3.0) * unit) / unit;
}

static bool is_decimal(double x) {
    return tl_numbers_with(TL_NUMBERS_NONE, x, 0.0).decimal;
}

START_TEST(place_keeps_decimals) {
    static const double zero[3] = {0, 0, 0};
    TestRandom random = test_random(911);
    for (int32_t i = 0; i < 1000; i++) {
        double x[3], out[3];
        for (int k = 0; k < 3; k++) {
            x[k] = any_decimal(&random, i % 10);
        }
        tl_relative_points(x, 1, zero, out);
        for (int k = 0; k < 3; k++) {
            ck_assert_double_eq(out[k], x[k]);
        }
    }
}
END_TEST

START_TEST(place_undoes_the_rounding_of_decimals) {
    const double given[3] = {1000.3, -999.7, 1000.123456789}, from[3] = {1000, -1000, 1000};
    double out[3];
    /* which is there */
    ck_assert(given[0] - from[0] != 0.3);
    tl_relative_points(given, 1, from, out);
    ck_assert_double_eq(out[0], 0.3);
    ck_assert_double_eq(out[1], 0.3);
    ck_assert_double_eq(out[2], 0.123456789);
    for (int k = 0; k < 3; k++) {
        ck_assert_double_eq(tl_absolute(out[k], from[k]), given[k]);
    }
}
END_TEST

/* by the sum of a decimal and whole metres, which is rounded as the decimal of both is */
START_TEST(place_finds_moved_decimals_again) {
    TestRandom random = test_random(912);
    for (int32_t i = 0; i < 1000; i++) {
        double far = far_away[i % PLACES], x[3], moved[3], from[3] = {far, far, far}, out[3];
        for (int k = 0; k < 3; k++) {
            x[k] = any_decimal(&random, i % 10);
            moved[k] = x[k] + far;
        }
        tl_relative_points(moved, 1, from, out);
        for (int k = 0; k < 3; k++) {
            ck_assert_double_eq(out[k], x[k]);
            /* near zero the sum may be another double than the decimal */
            ASSERT_NEAR(tl_absolute(out[k], far), moved[k], 1e-15);
            ck_assert(fabs(far) < 10.0 || tl_absolute(out[k], far) == moved[k]);
        }
    }
}
END_TEST

START_TEST(place_keeps_single_precision) {
    TestRandom random = test_random(913);
    enum { COUNT = 30 };
    for (int32_t i = 0; i < 200; i++) {
        double far = far_away[i % PLACES], from[3] = {far, far, far}, moved[3 * COUNT];
        float x[3 * COUNT];
        for (int k = 0; k < 3 * COUNT; k++) {
            /* not so small that the sum has more bits than a double */
            x[k] = (float)(test_between(&random, 0.01, 2.0) * (k % 2 == 0 ? 1.0 : -1.0));
            moved[k] = (double)x[k] + far;
        }
        tl_relative_points(moved, COUNT, from, moved);
        for (int k = 0; k < 3 * COUNT; k++) {
            ck_assert_double_eq(moved[k], (double)x[k]);
        }
    }
}
END_TEST

/* one that looks like a decimal far away is none */
START_TEST(place_keeps_lone_numbers_of_single_precision) {
    static const float by_chance[] = {0.688585639F, 0.415966779F};
    static const double far[] = {1000.0, 123456.0};
    TestRandom random = test_random(914);
    int32_t decimals = 0;
    for (int32_t i = 0; i < 4000; i++) {
        float x = i < 2 ? by_chance[i] : (float)test_between(&random, 0.01, 2.0);
        double moved[3] = {(double)x + far[i % 2], 0.0, 2.0}, from[3] = {far[i % 2], 0.0, 1.0};
        decimals += tl_numbers_with(TL_NUMBERS_NONE, moved[0], 0.0).decimal;
        tl_relative_points(moved, 1, from, moved);
        ck_assert_double_eq(moved[0], (double)x);
    }
    ck_assert_int_gt(decimals, 2);
}
END_TEST

/* the array decides: one value may be a decimal by chance */
START_TEST(place_only_subtracts_from_other_numbers) {
    const double from[3] = {1000, 1000, 1000}, third = 1000.0 + 1.0 / 3.0;
    const double given[6] = {1000.3, 1000.7, 999.9, 1000.1, third, 1000.2};
    double out[6];
    ck_assert(is_decimal(given[0]) && !is_decimal(third));
    tl_relative_points(given, 2, from, out);
    for (int i = 0; i < 6; i++) {
        ck_assert_double_eq(out[i], given[i] - 1000.0);
    }
    ck_assert(!is_decimal((double)0.1F) && !is_decimal(1.0 / 3.0));
    ck_assert(is_decimal(0.1 + 0.2) && is_decimal(1e-9) && !is_decimal(1.5e-9));
}
END_TEST

/* half a metre goes up, here and elsewhere, whatever was rounded on the way */
START_TEST(place_middle_does_not_tip) {
    static const double half[6] = {-0.3, 0.7, 0.1, 1.3, 1.3, 0.9};
    static const double less[6] = {-0.3, 0.7, 0.1, 1.299999998, 1.3, 0.899999998};
    const double *const given[2] = {half, less};
    for (int p = 0; p < PLACES; p++) {
        for (int i = 0; i < 2; i++) {
            double x[6], out[3];
            for (int k = 0; k < 6; k++) {
                x[k] = given[i][k] + far_away[p];
            }
            tl_whole_middle(x, 2, out);
            ck_assert_double_eq(out[0], far_away[p] + 1 - i);
            ck_assert_double_eq(out[1], far_away[p] + 1);
            ck_assert_double_eq(out[2], far_away[p] + 1 - i);
        }
    }
}
END_TEST

START_TEST(place_stays_finite) {
    const double most = 1.7e308, x[6] = {-most, most, 0.5, most, most, -1e15};
    double from[3], out[6];
    tl_whole_middle(x, 2, from);
    tl_relative_points(x, 2, from, out);
    for (int i = 0; i < 6; i++) {
        ck_assert(out[i] >= -most && out[i] <= most);
        ck_assert_double_eq(tl_absolute(out[i], from[i % 3]), x[i]);
    }
}
END_TEST

/* ---- simulations ---- */

static const int32_t pins[2] = {0, 5};

typedef struct World {
    ToileSim *sim;
    ToileClothId cloth;
    ToileColliderId ball, strip;
    double at[3];
    double positions[24]; /* of the strip */
} World;

static void move(double *x, int32_t count, const double by[3]) {
    for (int32_t i = 0; i < 3 * count; i++) {
        x[i] += by[i % 3];
    }
}

/* A patch with two pins over a ball that has its place from its pose and a strip that has it from
 * its positions; these were defined `off` elsewhere. */
static World make_world(const double at[3], const double off[3], int32_t integrator) {
    World world = {.at = {at[0], at[1], at[2]}};
    ToileSimDef def = toile_sim_def_default();
    ToileColliderDef ball = toile_collider_def_default(), sheet = ball;
    TestMesh mesh = test_grid(5, 5, 1, 1, TEST_DIAGONAL_NONE);
    TestMesh strip = test_grid(3, 1, 1, 1, TEST_DIAGONAL_NONE);
    def.threads = 1;
    def.integrator = integrator;
    world.sim = test_sim(&def);
    test_lay_flat(&mesh, 0.55);
    test_lay_flat(&strip, -0.2);
    for (int32_t i = 0; i < 3 * mesh.vertex_count; i++) {
        mesh.positions[i] = floor(1e6 * mesh.positions[i] + 0.5) / 1e6;
    }
    for (int32_t i = 0; i < 24; i++) {
        strip.positions[i] = floor(1e6 * strip.positions[i] + 0.5) / 1e6;
    }
    move(mesh.positions, mesh.vertex_count, at);
    move(strip.positions, 8, at);
    memcpy(world.positions, strip.positions, sizeof world.positions);
    move(strip.positions, 8, off);
    world.cloth = test_add(world.sim, &mesh, NULL, pins, 2);
    move(ball.pose.translate_m, 1, at);
    move(ball.pose.translate_m, 1, off);
    ASSERT_OK(toile_sim_add_collider(world.sim, &ball, &world.ball, NULL));
    ToileMeshDef strip_mesh = test_mesh_def(&strip);
    sheet.shape = TOILE_COLLIDER_MESH;
    sheet.mesh = &strip_mesh;
    ASSERT_OK(toile_sim_add_collider(world.sim, &sheet, &world.strip, NULL));
    test_mesh_free(&mesh);
    test_mesh_free(&strip);
    return world;
}

/* One frame: the ball moves and turns, the strip rises, a pin travels. */
static void advance(World *world) {
    double frame = (double)toile_sim_frame(world->sim), x[24], target[3] = {0, 0.55, 0};
    ToilePose pose = {{0, 0, 0}, {0, 0.05 * frame, 0}};
    memcpy(x, world->positions, sizeof x);
    pose.translate_m[0] = frame / 100.0;
    target[0] = frame / 500.0;
    for (int i = 0; i < 8; i++) {
        /* of the very decimal */
        x[3 * i + 1] = (frame - 20.0) / 100.0 + world->at[1];
    }
    move(pose.translate_m, 1, world->at);
    move(target, 1, world->at);
    ASSERT_OK(toile_sim_set_collider_pose(world->sim, world->ball, &pose, NULL));
    ASSERT_OK(toile_sim_set_collider_positions(world->sim, world->strip, x, NULL));
    ASSERT_OK(toile_sim_set_pin_targets(world->sim, world->cloth, pins, 1, target, NULL));
    test_step(world->sim, 1);
}

static const double nowhere[3] = {0, 0, 0};
static const double places[][3] = {{1000, 0, 1000}, {-2000, 500, 123456}, {1, -3, 0}};

/* Of the cloth the very state, and what is told of it moved along. */
static void expect_same(const World *a, const World *b) {
    size_t size = 3 * sizeof(double) * (size_t)a->sim->state.vertex_count;
    ck_assert_mem_eq(a->sim->state.x, b->sim->state.x, size);
    ck_assert_mem_eq(a->sim->state.v, b->sim->state.v, size);
    ck_assert_mem_eq(a->sim->state.pin_target, b->sim->state.pin_target, size);
    ToileStats s = test_stats(a->sim), t = test_stats(b->sim);
    double lift = 0.0, mass = 0.0;
    for (int32_t v = 0; v < a->sim->state.vertex_count; v++) {
        mass += a->sim->model.mass[v];
    }
    for (int k = 0; k < 3; k++) {
        ASSERT_NEAR(t.center_m[k], s.center_m[k] + b->at[k] - a->at[k], 1e-10);
    }
    lift = 9.81 * mass * (b->at[1] - a->at[1]);
    ASSERT_NEAR(t.gravity_J, s.gravity_J + lift, 1e-10 * (1.0 + fabs(lift)));
    ck_assert_double_eq(t.kinetic_J, s.kinetic_J);
    ck_assert_double_eq(t.stretch_J, s.stretch_J);
}

START_TEST(place_of_a_scene_changes_no_bit) {
    for (int p = 0; p < 3; p++) {
        World near = make_world(nowhere, nowhere, TOILE_INTEGRATOR_IMPLICIT_EULER);
        World far = make_world(places[p], nowhere, TOILE_INTEGRATOR_IMPLICIT_EULER);
        for (int frame = 0; frame < 16; frame++) {
            advance(&near);
            advance(&far);
            expect_same(&near, &far);
        }
        ASSERT_OK(toile_sim_settle(near.sim, NULL, NULL, NULL));
        ASSERT_OK(toile_sim_settle(far.sim, NULL, NULL, NULL));
        expect_same(&near, &far);
        toile_sim_destroy(near.sim);
        toile_sim_destroy(far.sim);
    }
}
END_TEST

/* into a simulation that was begun elsewhere, its colliders too */
/* A crumpled patch that falls on a floor, which is named at `point`. */
static World make_floor(const double at[3], const double point[3]) {
    World world = {.at = {at[0], at[1], at[2]}};
    ToileSimDef def = toile_sim_def_default();
    ToileColliderDef floor = toile_collider_def_default();
    TestMesh mesh = test_grid(5, 5, 1, 1, TEST_DIAGONAL_NONE);
    def.threads = 1;
    world.sim = test_sim(&def);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        double *x = mesh.positions + 3 * v;
        x[0] = (double)(v % 6) / 5.0;
        x[1] = (double)(1 + v % 7) / 100.0;
        x[2] = (double)(v / 6) / 5.0;
    }
    move(mesh.positions, mesh.vertex_count, at);
    world.cloth = test_add(world.sim, &mesh, NULL, NULL, 0);
    floor.shape = TOILE_COLLIDER_PLANE;
    memcpy(floor.center_m, point, sizeof floor.center_m);
    ASSERT_OK(toile_sim_add_collider(world.sim, &floor, NULL, NULL));
    test_mesh_free(&mesh);
    return world;
}

/* floors are named at the world's zero, wherever the cloth is */
START_TEST(place_of_a_floor_may_be_anywhere_on_it) {
    const double at[3] = {1000, 0, -3000}, point[3] = {0.3, 0, 77.7};
    World near = make_floor(nowhere, nowhere), far = make_floor(at, nowhere);
    World other = make_floor(nowhere, point);
    int32_t contacts = 0;
    for (int frame = 0; frame < 16; frame++) {
        test_step(near.sim, 1);
        test_step(far.sim, 1);
        test_step(other.sim, 1);
        expect_same(&near, &far);
        expect_same(&near, &other);
        contacts += test_stats(near.sim).contacts;
    }
    ck_assert_int_gt(contacts, 0);
    toile_sim_destroy(near.sim);
    toile_sim_destroy(far.sim);
    toile_sim_destroy(other.sim);
}
END_TEST

START_TEST(place_comes_with_a_snapshot) {
    static const double off[3] = {2, -7, 40};
    for (int integrator = 0; integrator <= TOILE_INTEGRATOR_BDF2; integrator++) {
        World world = make_world(places[0], nowhere, integrator);
        World other = make_world(places[1], off, integrator);
        for (int frame = 0; frame < 4; frame++) {
            advance(&world);
        }
        advance(&other);
        size_t size = toile_sim_snapshot_size(world.sim);
        void *buffer = test_alloc(size);
        ASSERT_OK(toile_sim_snapshot(world.sim, buffer, size, NULL));
        ASSERT_OK(toile_sim_restore(other.sim, buffer, size, NULL));
        memcpy(other.at, world.at, sizeof world.at);
        memcpy(other.positions, world.positions, sizeof world.positions);
        uint64_t hash = toile_sim_state_hash(world.sim);
        ck_assert_uint_eq(toile_sim_state_hash(other.sim), hash);
        for (int frame = 0; frame < 8; frame++) {
            advance(&world);
            advance(&other);
            ck_assert_uint_eq(toile_sim_state_hash(other.sim), toile_sim_state_hash(world.sim));
        }
        free(buffer);
        toile_sim_destroy(world.sim);
        toile_sim_destroy(other.sim);
    }
}
END_TEST

/* what was read and is given back changes nothing, wherever it is */
START_TEST(place_of_what_is_given_back_is_kept) {
    for (int p = 0; p < 3; p++) {
        World world = make_world(places[p], nowhere, TOILE_INTEGRATOR_IMPLICIT_EULER);
        for (int frame = 0; frame < 6; frame++) {
            advance(&world);
        }
        double *x = test_positions(world.sim, world.cloth), own[3 * 36];
        memcpy(own, world.sim->state.x, sizeof own);
        ASSERT_OK(toile_sim_set_positions(world.sim, world.cloth, x, NULL));
        ck_assert_mem_eq(world.sim->state.x, own, sizeof own);
        /* one that is new is a decimal all the same */
        x[4] = places[p][1] + 0.3;
        ASSERT_OK(toile_sim_set_positions(world.sim, world.cloth, x, NULL));
        double want =
            tl_relative(0.3 + places[p][1], world.sim->origin[1], (TlNumbers){true, false});
        ck_assert_double_eq(world.sim->state.x[4], want);
        x[0] += 0.25;
        ASSERT_OK(toile_sim_set_positions(world.sim, world.cloth, x, NULL));
        ck_assert_double_eq(world.sim->state.x[4], want);
        free(x);
        toile_sim_destroy(world.sim);
    }
}
END_TEST

/* a mesh that stands still between decimals that move and one that is none */
START_TEST(place_of_what_stands_still_is_kept) {
    const double from[3] = {1000, 1000, 1000};
    double x[6] = {1000.3, 1000.1, 999.9, 1000.7, 1000.2, 1000.4}, now[6];
    tl_relative_points(x, 2, from, now);
    x[5] = 1000.0 + 1.0 / 3.0;
    tl_relative_again(x, 2, from, now);
    for (int i = 0; i < 5; i++) {
        ck_assert_double_eq(now[i], tl_relative(x[i], 1000.0, (TlNumbers){true, false}));
    }
    ck_assert_double_eq(now[5], x[5] - 1000.0);
}
END_TEST

/* when all cloths are gone the next one is the first */
START_TEST(place_is_that_of_the_first_cloth_there_is) {
    ToileSimDef def = toile_sim_def_default();
    ToileSim *sim = test_sim(&def);
    TestMesh mesh = test_grid(1, 1, 1, 1, TEST_DIAGONAL_NONE);
    ToileClothId a = test_add(sim, &mesh, NULL, NULL, 0);
    for (int32_t i = 0; i < 3 * mesh.vertex_count; i++) {
        mesh.positions[i] += 5000.0;
    }
    ToileClothId b = test_add(sim, &mesh, NULL, NULL, 0);
    ck_assert(fabs(sim->origin[0]) < 2.0);
    ASSERT_OK(toile_sim_remove_cloth(sim, a, NULL));
    ck_assert(fabs(sim->origin[0]) < 2.0);
    ASSERT_OK(toile_sim_remove_cloth(sim, b, NULL));
    test_add(sim, &mesh, NULL, NULL, 0);
    ck_assert(fabs(sim->origin[0] - 5000.0) < 2.0);
    test_mesh_free(&mesh);
    toile_sim_destroy(sim);
}
END_TEST

TEST_MAIN("place", place_keeps_decimals, place_undoes_the_rounding_of_decimals,
          place_finds_moved_decimals_again, place_keeps_single_precision,
          place_keeps_lone_numbers_of_single_precision, place_only_subtracts_from_other_numbers,
          place_middle_does_not_tip, place_stays_finite, place_of_a_scene_changes_no_bit,
          place_of_a_floor_may_be_anywhere_on_it, place_comes_with_a_snapshot,
          place_of_what_is_given_back_is_kept, place_of_what_stands_still_is_kept,
          place_is_that_of_the_first_cloth_there_is)
