/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The promises of contact, scene by scene: what starts without intersections has none in any frame
 * and stays on its side; where prescribed motion leaves no room, faces are reported and come free
 * again; what starts tangled comes apart. Judged by the exact checker of `toile verify`, which
 * shares nothing with the solver, from positions as a cache keeps them.
 *
 * Each scene is a test case of its own name: CK_RUN_CASE=needles runs one. TOILE_VERBOSE=1 prints
 * every frame; TOILE_LONG=1 takes finer meshes and more layers; TOILE_SEED=7 varies what scenes are
 * made of, so that the promises are tried where nobody has looked (tests/survey runs many). */
#include "../plugin/cli/crossings.h"
#include "support/contact_scenes.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_FRAMES = 120, FREE_FRAMES = 30 };

/* cloth that comes along with its pins is stretched less than this; kept out of colliders it would
 * be drawn out by their size */
#define MOST_DRAWN 2.5

/* What was seen of a scene, by frame from 1; the start is frame 0. */
typedef struct Seen {
    int64_t count[MOST_FRAMES + 1];   /* by the checker */
    int32_t told[MOST_FRAMES + 1];    /* by the simulation */
    int32_t astray[MOST_FRAMES + 1];  /* on the wrong side */
    int32_t blocked[MOST_FRAMES + 1]; /* sub-steps without room */
    int32_t frames;
    int32_t bad_frames, first_bad; /* with intersections; -1: none */
    int32_t first_astray;
    double stretch; /* the most of all frames */
    double seconds;
} Seen;

static bool is_asked(const char *variable) {
    const char *text = getenv(variable);
    return text != NULL && text[0] != '\0' && text[0] != '0';
}

static ContactOptions default_options(void) {
    const char *seed = getenv("TOILE_SEED");
    return (ContactOptions){.fineness = is_asked("TOILE_LONG") ? 2 : 1,
                            .seed = seed != NULL ? strtoull(seed, NULL, 10) : 0};
}

/* ---- the checker ---- */

/* Of the single precision numbers that the largest coordinate is stored with: far away an archive
 * stores them relative to where the scene stands. */
static double spacing_of(const ContactScene *scene, const double *x, int32_t count) {
    float most = 0.0F;
    for (int32_t i = 0; i < 3 * count; i++) {
        double at = fabs(contact_is_far(scene) ? x[i] : x[i] + scene->options.at_m[i % 3]);
        at += i % 3 == 0 ? scene->options.stored_m : 0.0;
        most = at > (double)most ? (float)at : most;
    }
    return (double)(nextafterf(most, INFINITY) - most);
}

static TlCrossBody body_of(const ContactScene *scene, const char *name, const ContactMesh *mesh,
                           const double *x) {
    return (TlCrossBody){name,
                         x,
                         mesh->vertex_count,
                         mesh->face_count,
                         mesh->face_sizes,
                         mesh->corners,
                         spacing_of(scene, x, mesh->vertex_count)};
}

/* Intersections of what was looked at. */
static int64_t count_crossings(const ContactScene *scene, TlCrossings *crossings) {
    TlCrossBody bodies[CONTACT_MOST_CLOTHS + CONTACT_MOST_COLLIDERS];
    TlSolid solids[CONTACT_MOST_COLLIDERS];
    TlCrossScene all = {bodies, scene->cloth_count, scene->cloth_count, solids, 0, true};
    ToileError error = toile_error_default();
    for (int32_t c = 0; c < scene->cloth_count; c++) {
        bodies[c] = body_of(scene, "cloth", &scene->cloths[c].mesh, scene->cloths[c].x);
    }
    for (int32_t c = 0; c < scene->collider_count; c++) {
        const ContactCollider *collider = &scene->colliders[c];
        if (collider->def.shape == TOILE_COLLIDER_MESH) {
            bodies[all.body_count++] = body_of(scene, "collider", &collider->mesh, collider->x);
            continue;
        }
        ToileColliderDef def = collider->def;
        for (int i = 0; i < 3; i++) {
            double at = scene->options.at_m[i];
            def.center_m[i] -= scene->options.by_pose ? 0.0 : at;
            def.end_m[i] -= scene->options.by_pose ? 0.0 : at;
            def.pose.translate_m[i] -= scene->options.by_pose ? at : 0.0;
        }
        solids[all.solid_count++] = tl_solid_of(&def);
    }
    ck_assert_msg(tl_crossings_find(crossings, &all, &error) == TOILE_STATUS_OK, "%s",
                  error.message);
    return crossings->count;
}

/* ---- runs ---- */

/* Of the processor: scenes have one worker. */
static double now_s(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static void print_frame(const ContactScene *scene, const Seen *seen, double seconds) {
    ToileStats s = toile_stats_default();
    toile_sim_get_stats(scene->sim, &s, NULL);
    int32_t f = scene->frame;
    printf("%3d: %5" PRId64 " found %5d told %3d astray; %3d substeps %3d newton %2d retries "
           "%2d blocked; %6d pairs %5d touch %5d cut %3d lists; stretch %.3f speed %.2f "
           "kinetic %.2e; %.2f s\n",
           f, seen->count[f], seen->told[f], seen->astray[f], s.substeps, s.newton_iterations,
           s.retries, s.contact_blocked, s.contact_candidates, s.contact_touches, s.contact_cuts,
           s.contact_refreshes, s.stretch_max, s.speed_max_m_per_s, s.kinetic_J, seconds);
    fflush(stdout);
}

static void look(ContactScene *scene, TlCrossings *crossings, Seen *seen) {
    int32_t f = scene->frame;
    ToileStats stats = toile_stats_default();
    contact_look(scene);
    ck_assert_msg(scene->status == TOILE_STATUS_OK, "frame %d: %s", f, scene->error.message);
    ck_assert_int_eq(toile_sim_get_stats(scene->sim, &stats, NULL), TOILE_STATUS_OK);
    seen->count[f] = count_crossings(scene, crossings);
    seen->told[f] = f > 0 ? stats.intersections : 0;
    seen->blocked[f] = stats.contact_blocked;
    seen->stretch = fmax(seen->stretch, stats.stretch_max);
    bool sided = scene->kind->astray != NULL && scene->options.seed == 0;
    seen->astray[f] = sided ? scene->kind->astray(scene) : 0;
    if (seen->count[f] > 0 && f > 0) {
        seen->first_bad = seen->bad_frames++ == 0 ? f : seen->first_bad;
    }
    if (seen->astray[f] > 0 && seen->first_astray < 0) {
        seen->first_astray = f;
    }
}

static Seen run(const ContactKind *kind, const ContactOptions *options) {
    ContactScene *scene = malloc(sizeof *scene);
    ck_assert_ptr_nonnull(scene);
    TlCrossings crossings = {0};
    Seen seen = {.frames = kind->frames, .first_bad = -1, .first_astray = -1};
    contact_open(scene, kind, options);
    look(scene, &crossings, &seen);
    printf("%s: %" PRId64 " intersections at the start\n", kind->name, seen.count[0]);
    for (int32_t frame = 1; frame <= kind->frames; frame++) {
        double start_s = now_s();
        contact_step(scene);
        double seconds = now_s() - start_s;
        seen.seconds += seconds;
        look(scene, &crossings, &seen);
        if (is_asked("TOILE_VERBOSE")) {
            print_frame(scene, &seen, seconds);
        }
    }
    printf("%s: %d of %d frames with intersections, first %d, at last %" PRId64
           ", first astray %d; stretch %.2f; %.2f s\n",
           kind->name, seen.bad_frames, seen.frames, seen.first_bad, seen.count[seen.frames],
           seen.first_astray, seen.stretch, seen.seconds);
    tl_crossings_free(&crossings);
    contact_close(scene);
    free(scene);
    return seen;
}

/* ---- promises ---- */

static void expect_clean(const Seen *seen) {
    ck_assert_int_eq(seen->count[0], 0);
    ck_assert_msg(seen->bad_frames == 0, "%d frames with intersections, the first is %d, with %d",
                  seen->bad_frames, seen->first_bad, (int)seen->count[seen->first_bad]);
    ck_assert_msg(seen->first_astray < 0, "on the wrong side in frame %d", seen->first_astray);
    for (int32_t f = 1; f <= seen->frames; f++) {
        ck_assert_msg(seen->told[f] == 0, "%d told in frame %d", seen->told[f], f);
    }
}

/* Never more than before, from a frame on. */
static void expect_less(const Seen *seen, int32_t from) {
    for (int32_t f = from + 1; f <= seen->frames; f++) {
        ck_assert_msg(seen->count[f] <= seen->count[f - 1], "%d in frame %d, %d before",
                      (int)seen->count[f], f, (int)seen->count[f - 1]);
    }
}

static void expect_none(const Seen *seen, int32_t from) {
    for (int32_t f = from; f <= seen->frames; f++) {
        ck_assert_msg(seen->count[f] == 0, "%d left in frame %d", (int)seen->count[f], f);
    }
}

/* What is seen is told. */
static void expect_told(const Seen *seen) {
    for (int32_t f = 1; f <= seen->frames; f++) {
        ck_assert_msg((seen->count[f] > 0) == (seen->told[f] > 0),
                      "%d in frame %d, but %d are told", (int)seen->count[f], f, seen->told[f]);
    }
}

static const ContactKind *kind_of(int index) {
    int32_t count;
    return contact_kinds(&count) + index;
}

static void expect_freed(const Seen *seen, int32_t freed) {
    ck_assert_int_eq(seen->count[0], 0);
    expect_told(seen);
    expect_less(seen, freed);
    expect_none(seen, freed + FREE_FRAMES < seen->frames ? freed + FREE_FRAMES : seen->frames);
}

START_TEST(contact_keeps_clean) {
    ContactOptions options = default_options();
    const ContactKind *kind = kind_of(_i);
    Seen seen = run(kind, &options);
    if (options.seed != 0 && kind->freed > 0) {
        expect_freed(&seen, kind->freed);
        return;
    }
    expect_clean(&seen);
}
END_TEST

START_TEST(contact_without_room_is_told_and_comes_free) {
    ContactOptions options = default_options();
    const ContactKind *kind = kind_of(_i);
    Seen seen = run(kind, &options);
    expect_freed(&seen, kind->freed);
}
END_TEST

START_TEST(contact_comes_along_with_pins) {
    ContactOptions options = default_options();
    const ContactKind *kind = kind_of(_i);
    Seen seen = run(kind, &options);
    expect_freed(&seen, kind->freed);
    ck_assert(seen.bad_frames > 0 || options.seed != 0);
    ck_assert_double_lt(seen.stretch, MOST_DRAWN);
}
END_TEST

START_TEST(contact_comes_apart) {
    ContactOptions options = default_options();
    const ContactKind *kind = kind_of(_i);
    Seen seen = run(kind, &options);
    ck_assert_int_gt(seen.count[0], 0);
    expect_told(&seen);
    if (kind->freed > 0) {
        expect_none(&seen, kind->freed);
    } else {
        expect_less(&seen, 0);
    }
}
END_TEST

/* ---- reports ---- */

/* The mesh of a cloth or collider; exactly one of them is given. */
static const ContactMesh *mesh_of(const ContactScene *scene, ToileClothId cloth,
                                  ToileColliderId collider) {
    const ContactMesh *found = NULL;
    ck_assert((cloth.slot != 0) != (collider.slot != 0));
    for (int32_t c = 0; c < scene->cloth_count; c++) {
        if (memcmp(&scene->cloths[c].id, &cloth, sizeof cloth) == 0) {
            found = &scene->cloths[c].mesh;
        }
    }
    for (int32_t c = 0; c < scene->collider_count; c++) {
        if (memcmp(&scene->colliders[c].id, &collider, sizeof collider) == 0) {
            found = &scene->colliders[c].mesh;
        }
    }
    ck_assert_ptr_nonnull(found);
    return found;
}

static void expect_faces(const ContactScene *scene, int32_t index) {
    ToileIntersection at = toile_intersection_default();
    ck_assert_int_eq(toile_sim_get_intersection(scene->sim, index, &at, NULL), TOILE_STATUS_OK);
    ck_assert(at.cloth.slot != 0 || at.other_cloth.slot != 0);
    ck_assert(at.face >= 0 && at.face < mesh_of(scene, at.cloth, at.collider)->face_count);
    if (at.other_face >= 0) {
        ck_assert_int_lt(at.other_face,
                         mesh_of(scene, at.other_cloth, at.other_collider)->face_count);
    } else {
        ck_assert_int_ne((int)at.other_collider.slot, 0);
    }
}

/* Where motion has no room there are intersections, and each names faces that exist. */
START_TEST(contact_report_names_faces) {
    static const char *const names[] = {"press", "press_mesh", "pins_through", "overlap", "dented"};
    ContactOptions options = default_options();
    ContactScene *scene = malloc(sizeof *scene);
    ck_assert_ptr_nonnull(scene);
    int32_t told = 0;
    contact_open(scene, contact_kind(names[_i]), &options);
    for (int32_t frame = 1; frame <= 14; frame++) {
        contact_step(scene);
        ck_assert_msg(scene->status == TOILE_STATUS_OK, "%s", scene->error.message);
        int32_t count = toile_sim_intersection_count(scene->sim);
        for (int32_t i = 0; i < count; i++) {
            expect_faces(scene, i);
        }
        told += count;
    }
    ck_assert_int_gt(told, 0);
    contact_close(scene);
    free(scene);
}
END_TEST

/* ---- far away ---- */

/* Largest difference of two scenes' cloths, relative to where they stand, m. Velocities are the
 * same bits. */
static double difference(const ContactScene *a, const ContactScene *b) {
    double most = 0.0;
    for (int32_t c = 0; c < a->cloth_count; c++) {
        int32_t n = 3 * a->cloths[c].mesh.vertex_count;
        double *x = malloc(4 * sizeof *x * (size_t)n), *v = x + 2 * n;
        ck_assert_ptr_nonnull(x);
        toile_sim_get_positions(a->sim, a->cloths[c].id, x, NULL);
        toile_sim_get_positions(b->sim, b->cloths[c].id, x + n, NULL);
        toile_sim_get_velocities(a->sim, a->cloths[c].id, v, NULL);
        toile_sim_get_velocities(b->sim, b->cloths[c].id, v + n, NULL);
        for (int32_t i = 0; i < n; i++) {
            double d = fabs(x[i] - a->options.at_m[i % 3] - (x[n + i] - b->options.at_m[i % 3]));
            most = d > most ? d : most;
        }
        ck_assert_msg(memcmp(v, v + n, sizeof *v * (size_t)n) == 0,
                      "velocities differ in frame %d, positions by %g m", a->frame, most);
        free(x);
    }
    return most;
}

/* Of the doubles that tell where something is, a metre or two from where the scene stands. */
static double rounding_at(const double at_m[3]) {
    double most = 2.0;
    for (int i = 0; i < 3; i++) {
        most = fmax(most, fabs(at_m[i]) + 2.0);
    }
    return nextafter(most, (double)INFINITY) - most;
}

/* Runs a scene at the origin and elsewhere: the motion is the same bits, and as clean. */
static void compare_far(const char *name, const ContactOptions *options, int32_t frames) {
    ContactOptions near = *options;
    ContactScene *scenes = malloc(2 * sizeof *scenes);
    ck_assert_ptr_nonnull(scenes);
    TlCrossings crossings = {0};
    double most = 0.0;
    memset(near.at_m, 0, sizeof near.at_m);
    contact_open(&scenes[0], contact_kind(name), &near);
    contact_open(&scenes[1], contact_kind(name), options);
    for (int32_t frame = 1; frame <= frames; frame++) {
        int64_t count[2];
        for (int k = 0; k < 2; k++) {
            contact_step(&scenes[k]);
            contact_look(&scenes[k]);
            ck_assert_msg(scenes[k].status == TOILE_STATUS_OK, "%s", scenes[k].error.message);
            count[k] = count_crossings(&scenes[k], &crossings);
        }
        most = fmax(most, difference(&scenes[0], &scenes[1]));
        ck_assert_double_le(most, rounding_at(options->at_m));
        ck_assert_int_eq(count[0], 0);
        ck_assert_int_eq(count[1], 0);
    }
    printf("%s at (%g, %g, %g): off by %.1e m in %d frames\n", name, options->at_m[0],
           options->at_m[1], options->at_m[2], most, frames);
    tl_crossings_free(&crossings);
    for (int k = 0; k < 2; k++) {
        contact_close(&scenes[k]);
    }
    free(scenes);
}

static ContactOptions far_options(double x, double y, double z) {
    ContactOptions options = default_options();
    options.at_m[0] = x;
    options.at_m[1] = y;
    options.at_m[2] = z;
    options.rounded = true;
    return options;
}

START_TEST(contact_moves_the_same_far_away) {
    ContactOptions options = far_options(1000.0, 0.0, 1000.0);
    options.tight = true;
    compare_far("drape_felt", &options, 24);
}
END_TEST

/* Thin cloth buckles, and coordinates that differ in the last bit make another drape of it within
 * two frames. */
START_TEST(contact_of_thin_cloth_is_the_same_far_away) {
    ContactOptions options = far_options(1000.0, 0.0, 1000.0);
    compare_far("drape_askew", &options, 36);
}
END_TEST

START_TEST(contact_is_the_same_wherever_it_is) {
    static const double at[][3] = {{-2000, 500, 123456}, {3, -1, 2}, {1, 0, 0}};
    ContactOptions options = far_options(at[_i][0], at[_i][1], at[_i][2]);
    compare_far("drape_askew", &options, 12);
}
END_TEST

START_TEST(contact_with_a_mesh_is_the_same_far_away) {
    ContactOptions options = far_options(1000.0, 0.0, 1000.0);
    compare_far("drape_mesh", &options, 36);
}
END_TEST

/* Colliders and pins that move: turning ones by their poses, deforming meshes by positions, solids
 * by either. `heap` has several cloths. */
START_TEST(contact_with_what_moves_is_the_same_far_away) {
    static const struct {
        const char *name;
        bool by_pose;
        int32_t frames;
    } scenes[] = {{"rotating", true, 24},  {"wave", false, 24},  {"ball_4", false, 16},
                  {"sphere_30", true, 16}, {"box_12", true, 16}, {"box", true, 16},
                  {"capsule", false, 16},  {"knife", false, 24}, {"funnel", false, 24},
                  {"heap", false, 12}};
    ContactOptions options = far_options(1000.0, -40.0, 1000.0);
    options.by_pose = scenes[_i].by_pose;
    compare_far(scenes[_i].name, &options, scenes[_i].frames);
}
END_TEST

/* A host may store cloth far from zero, where single precision is nearly as coarse as the
 * least distance of contact. */
START_TEST(contact_is_clean_as_a_host_stores_it) {
    ContactOptions options = default_options();
    options.stored_m = 600.0;
    Seen seen = run(contact_kind("twist"), &options);
    expect_clean(&seen);
}
END_TEST

/* ---- suite ---- */

static TCase *add_case(Suite *suite, const char *name) {
    TCase *one = tcase_create(name);
    suite_add_tcase(suite, one);
    return one;
}

int main(int argc, char **argv) {
    static const TTest *const *const tests[] = {
        &contact_keeps_clean, &contact_without_room_is_told_and_comes_free,
        &contact_comes_along_with_pins, &contact_comes_apart};
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    int32_t count;
    const ContactKind *kinds = contact_kinds(&count);
    for (int32_t i = 0; argc > 1 && i < count; i++) {
        fputs(kinds[i].is_long ? "" : kinds[i].name, stdout);
        fputs(kinds[i].is_long ? "" : "\n", stdout);
    }
    if (argc > 1) {
        return strcmp(argv[1], "--names") == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    Suite *suite = suite_create("contact_scenes");
    for (int32_t i = 0; i < count; i++) {
        if (!kinds[i].is_long || is_asked("TOILE_LONG")) {
            tcase_add_loop_test(add_case(suite, kinds[i].name), *tests[kinds[i].promise], i, i + 1);
        }
    }
    tcase_add_loop_test(add_case(suite, "report"), contact_report_names_faces, 0, 5);
    tcase_add_test(add_case(suite, "far"), contact_moves_the_same_far_away);
    TCase *thin = add_case(suite, "far_thin"), *moving = add_case(suite, "far_moving");
    tcase_add_test(thin, contact_of_thin_cloth_is_the_same_far_away);
    tcase_add_loop_test(thin, contact_is_the_same_wherever_it_is, 0, 3);
    tcase_add_test(add_case(suite, "far_mesh"), contact_with_a_mesh_is_the_same_far_away);
    tcase_add_test(add_case(suite, "stored"), contact_is_clean_as_a_host_stores_it);
    tcase_add_loop_test(moving, contact_with_what_moves_is_the_same_far_away, 0, 10);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
