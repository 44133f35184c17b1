/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of a sub-step that minimises a potential; see potential.h. */
#include "solve/potential.h"

#include "base/vec.h"
#include "contact/carry.h"
#include "contact/pinch.h"
#include "contact/tangle.h"
#include "solve/terms.h"

#include <string.h>

enum { GRAIN = 1024, MOST_YIELDS = 6, MOST_NEAR_YIELDS = 2 };

/* a first iteration that got nowhere is a failure only when it wanted to go farther than this */
#define STUCK_STEP_M 1e-6
/* inertia of pinched vertices on their way with colliders, over their own */
#define GLUE 1000.0

/* What the search for pinched vertices works on. */
typedef struct Pinch {
    TlSystem *system;
    const TlContacts *contacts;
    const double *x, *pin_target;
} Pinch;

/* Moves cloth from x to `to` as far as nothing is in the way, with `others` colliders as well; x is
 * where it came to. */
static bool move_to(const TlContacts *contacts, TlSystem *system, const double *to, bool others,
                    double *x) {
    int64_t count = 3 * (int64_t)system->model->vertex_count;
    if (contacts->world == NULL) {
        memmove(x, to, sizeof *x * (size_t)count);
        return true;
    }
    for (int64_t i = 0; i < count; i++) {
        system->step[i] = to[i] - x[i];
    }
    if (others && !contacts->world->tangled) {
        tl_world_land(contacts->world, system->step);
    }
    if (!tl_world_plan(contacts->world, system->step, others)) {
        return false;
    }
    tl_world_commit(contacts->world, 1.0);
    memcpy(x, contacts->world->x, sizeof *x * (size_t)count);
    return true;
}

/* The flags of pinched vertices have changed; `count` of them are set. */
static void tell_pinched(TlSystem *system, TlWorld *world, int32_t count) {
    if (world != NULL) {
        /* who was pinched may have come to cross something */
        world->pinched = count > 0 ? system->pinched : NULL;
        world->suspect = world->suspect || count > 0 || system->pinched_count > 0;
    }
    system->pinched_count = count;
}

/* Puts those who are led where they come out; answers how many are. */
static int32_t place_led(const TlWorld *world, double *x) {
    int32_t count = 0;
    for (int32_t v = 0; world != NULL && world->leading && v < world->cloth; v++) {
        if (world->led[v]) {
            tl_store3(x + 3 * (int64_t)v, tl_load3(world->exit + 3 * (int64_t)v));
            count++;
        }
    }
    return count;
}

/* Puts vertices that are in an analytic collider out of it, with `led` those who are led first, as
 * far as nothing but colliders is in the way; answers how many were. */
static int32_t leave_colliders(const TlContacts *contacts, TlSystem *system, bool led, double *x) {
    int32_t n = system->model->vertex_count, count = 0, leaving = 0;
    if (contacts->collider_count == 0) {
        return 0;
    }
    memcpy(system->trial, x, 3 * sizeof *x * (size_t)n);
    count = led ? place_led(contacts->world, system->trial) : 0;
    count += tl_terms_project(system, contacts, TL_LEAST_GAP, NULL, system->trial);
    for (int32_t v = 0; count > 0 && v < n; v++) {
        size_t at = 3 * (size_t)v;
        bool moves = memcmp(system->trial + at, x + at, 3 * sizeof *x) != 0;
        /* who is hauled may be inside still */
        system->pinched[v] = moves && system->pinched[v] == 0 ? TL_LEAVING : system->pinched[v];
        leaving += system->pinched[v] != 0;
    }
    if (count > 0) {
        tell_pinched(system, contacts->world, leaving);
        move_to(contacts, system, system->trial, false, x);
    }
    return count;
}

/* Whether a vertex that is held is in a collider, before the step or after it. */
static bool is_held_inside(const Pinch *in, int32_t v) {
    TlContacts before = *in->contacts;
    before.now = before.before;
    return tl_contact_depth(in->contacts, tl_load3(in->pin_target + 3 * (int64_t)v)) > 0.0 ||
           tl_contact_depth(&before, tl_load3(in->x + 3 * (int64_t)v)) > 0.0;
}

/* What is to be told of a vertex. */
static uint8_t flag_of(const Pinch *in, int32_t v) {
    const TlWorld *world = in->contacts->world;
    TlVec3 x = tl_load3(in->x + 3 * (int64_t)v), way;
    int32_t cloth = in->system->model->vertex_material[v];
    if (world != NULL && world->yielding && world->yielded[v]) {
        return TL_PINCHED;
    }
    if (in->system->fixed[v]) {
        return is_held_inside(in, v) ? TL_PINCHED : 0;
    }
    if (tl_is_clear(in->contacts, in->contacts->now, cloth, x, 0.0) &&
        tl_is_clear(in->contacts, in->contacts->before, cloth, x, 0.0)) {
        return 0;
    }
    if (tl_contact_pinch(in->contacts, cloth, x, &way)) {
        return TL_PINCHED;
    }
    TlContacts before = *in->contacts;
    before.now = before.before;
    return tl_contact_depth(&before, x) > 0.0 ? TL_LEAVING : 0;
}

static double pinch_range(void *data, int32_t begin, int32_t end) {
    const Pinch *in = data;
    int32_t count = 0;
    for (int32_t v = begin; v < end; v++) {
        in->system->pinched[v] = flag_of(in, v);
        count += in->system->pinched[v] != 0;
    }
    return (double)count;
}

void tl_potential_pinch(TlSystem *system, const TlContacts *contacts, const double *x,
                        const double *pin_target) {
    Pinch pinch = {system, contacts, x, pin_target};
    const TlWorld *world = contacts->world;
    int32_t n = system->model->vertex_count, count = 0;
    if (contacts->collider_count > 0 || (world != NULL && world->yielding)) {
        count = (int32_t)tl_parallel_sum(system->pool, n, GRAIN, pinch_range, &pinch);
    } else if (system->pinched_count > 0) {
        memset(system->pinched, 0, (size_t)n);
    }
    tell_pinched(system, contacts->world, count);
}

void tl_potential_drag(TlSystem *system, const TlContacts *contacts, const TlCarried *carried) {
    TlWorld *world = contacts->world;
    if (world == NULL) {
        return;
    }
    world->leading = false;
    if (system->pinched_count == 0 && world->crossings.count == 0) {
        return;
    }
    if (tl_world_drag(world, contacts, carried, system->pinched)) {
        int32_t count = 0;
        for (int32_t v = 0; v < system->model->vertex_count; v++) {
            count += system->pinched[v] != 0;
        }
        tell_pinched(system, world, count);
        tl_world_sort_crossings(world);
    }
}

void tl_potential_place(TlSystem *system, const TlContacts *contacts, double *x) {
    int32_t n = system->model->vertex_count;
    /* what stands still pinches nobody for good */
    memset(system->pinched, 0, (size_t)n);
    tell_pinched(system, contacts->world, 0);
    if (contacts->world != NULL) {
        tl_world_begin(contacts->world, x, contacts->points_now, contacts->points_now, 0.0);
    }
    memcpy(system->trial, x, 3 * sizeof *x * (size_t)n);
    tl_terms_project(system, contacts, TL_START_GAP, NULL, system->trial);
    move_to(contacts, system, system->trial, false, x);
}

static void find_airborne(const TlContacts *contacts, const TlStep *step) {
    tl_world_find_airborne(contacts->world, contacts, step->x, step->v, step->external.gravity,
                           step->dt_s);
}

void tl_potential_begin(TlSystem *system, const TlContacts *contacts, const TlStep *step) {
    TlContacts before = *contacts;
    before.now = contacts->before;
    tl_potential_pinch(system, contacts, step->x, step->pin_target);
    if (contacts->world != NULL) {
        tl_world_begin(contacts->world, step->x, contacts->points_before, contacts->points_now,
                       contacts->slip_m);
        contacts->world->left = tl_max(1.0, contacts->left);
        find_airborne(contacts, step);
        const TlCarried carried = {step->x, step->pin_target, step->dt_s};
        tl_potential_drag(system, contacts, &carried);
    }
    leave_colliders(&before, system, true, step->x);
    if (contacts->world != NULL) {
        tl_world_start_here(contacts->world);
    }
    memcpy(system->x_start, step->x, 3 * sizeof(double) * (size_t)system->model->vertex_count);
}

/* What the loops over vertices work on. */
typedef struct Job {
    TlSystem *system;
    const TlStep *step;
    double *out;
} Job;

static void euler_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    TlSystem *system = job->system;
    const TlStep *step = job->step;
    double h = step->dt_s;
    for (int32_t v = begin; v < end; v++) {
        double m = system->model->mass[v], drag = step->external.drag_kg_per_m2_s;
        system->weight[v] = m / (h * h) + drag * system->model->area[v] / h;
        for (int i = 0; i < 3; i++) {
            int64_t at = 3 * (int64_t)v + i;
            system->force[at] = m * (step->v[at] / h + step->external.gravity[i]);
        }
    }
}

void tl_potential_euler(TlSystem *system, const TlStep *step) {
    Job job = {system, step, NULL};
    tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, euler_range, &job);
}

static void guess_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    const TlStep *step = job->step;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        bool fixed = job->system->fixed[i / 3];
        job->out[i] = fixed ? step->pin_target[i] : step->x[i] + step->dt_s * step->v[i];
    }
}

void tl_potential_guess(TlSystem *system, const TlStep *step, double *guess) {
    Job job = {system, step, guess};
    tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, guess_range, &job);
}

/* False when the first iteration got nowhere although some vertex had somewhere to go: by the step
 * that was found, or by its own inertia. */
static bool is_sound(const TlSystem *system, const TlNewtonResult *newton) {
    if (!newton->finite || !newton->stuck || newton->iterations > 1) {
        return newton->finite;
    }
    for (int32_t v = 0; v < system->model->vertex_count; v++) {
        for (int i = 0; i < 3 && !system->fixed[v]; i++) {
            int64_t at = 3 * (int64_t)v + i;
            double wanted =
                tl_max(fabs(system->step[at]), fabs(system->grad[at]) / system->weight[v]);
            if (!(wanted < STUCK_STEP_M)) {
                return false;
            }
        }
    }
    return true;
}

/* What vertex v wants to do beyond its guess by its weight. */
static TlVec3 own_fall(const TlSystem *system, const double *guess, int32_t v) {
    int64_t at = 3 * (int64_t)v;
    TlVec3 fall = tl_sub3(tl_load3(system->x_start + at), tl_load3(guess + at));
    return tl_madd3(fall, 1.0 / system->weight[v], tl_load3(system->force + at));
}

/* The same as move_to, with colliders; contact knows that cloth is to fall after that. */
static bool move_and_fall(const TlContacts *contacts, TlSystem *system, const double *guess,
                          const double *to, double *x) {
    for (int32_t v = 0; v < system->model->vertex_count; v++) {
        TlVec3 fall = system->fixed[v] ? tl_vec3(0, 0, 0) : own_fall(system, guess, v);
        tl_store3(system->move + 3 * (int64_t)v, fall);
    }
    if (contacts->world != NULL) {
        contacts->world->fall = system->move;
    }
    bool ok = move_to(contacts, system, to, true, x);
    if (contacts->world != NULL) {
        contacts->world->fall = NULL;
    }
    return ok;
}

/* The guess in x is put outside analytic colliders and reached from the start as far as nothing is
 * in the way; system->ahead becomes what inertia and weight would do from there, and system->borne
 * the same where colliders bear the weight. */
static bool reach_guess(TlSystem *system, const TlContacts *contacts, double *x) {
    if (tl_contacts_none(contacts)) {
        return true;
    }
    int32_t n = system->model->vertex_count;
    size_t size = 3 * sizeof *x * (size_t)n;
    double *guess = system->borne;
    memcpy(guess, x, size);
    tl_terms_land(system, contacts, system->x_start, x);
    tl_terms_project(system, contacts, TL_START_GAP, NULL, x);
    memcpy(system->ahead, x, size);
    memcpy(x, system->x_start, size);
    bool ok = move_and_fall(contacts, system, guess, system->ahead, x);
    for (int32_t v = 0; v < n; v++) {
        int64_t at = 3 * (int64_t)v;
        TlVec3 here = tl_load3(x + at), fall = own_fall(system, guess, v);
        TlVec3 lost = tl_sub3(tl_load3(guess + at), here), none = {0, 0, 0};
        int32_t cloth = system->model->vertex_material[v];
        bool clear = tl_is_clear(contacts, contacts->now, cloth, here, tl_length3(fall));
        TlVec3 borne = clear ? fall : tl_contact_stop_all(contacts, cloth, here, fall);
        tl_store3(system->ahead + at, system->fixed[v] ? none : tl_add3(lost, fall));
        tl_store3(system->borne + at, system->fixed[v] ? none : tl_add3(lost, borne));
    }
    return ok;
}

/* The way of a vertex with the colliders that pinch it; false when none do. */
static bool glued_way(const TlSystem *system, const TlContacts *contacts, int32_t v, TlVec3 *way) {
    TlVec3 x = tl_load3(system->x_start + 3 * (int64_t)v);
    return system->pinched[v] == TL_PINCHED && !system->fixed[v] &&
           tl_contact_pinch(contacts, system->model->vertex_material[v], x, way);
}

/* Pinched vertices go with the colliders that pinch them: their way, with many times their inertia.
 */
static void glue_pinched(TlSystem *system, const TlContacts *contacts) {
    TlVec3 way;
    for (int32_t v = 0; system->pinched_count > 0 && v < system->model->vertex_count; v++) {
        if (glued_way(system, contacts, v, &way)) {
            double glue = GLUE * system->weight[v], *force = system->force + 3 * (int64_t)v;
            system->weight[v] += glue;
            tl_store3(force, tl_madd3(tl_load3(force), glue, way));
        }
    }
}

/* The guess of those that are glued is their way. */
static void guess_pinched(const TlSystem *system, const TlContacts *contacts, const TlStep *step) {
    TlVec3 way;
    for (int32_t v = 0; system->pinched_count > 0 && v < system->model->vertex_count; v++) {
        int64_t at = 3 * (int64_t)v;
        if (glued_way(system, contacts, v, &way)) {
            tl_store3(step->x + at, tl_add3(tl_load3(system->x_start + at), way));
        }
    }
}

/* Whether colliders or pins have not come to where the sub-step ends. */
static bool is_blocked(const TlSystem *system, const TlContacts *contacts, const TlStep *step) {
    bool missing = contacts->world != NULL && tl_world_missing(contacts->world) > 0.0;
    for (int32_t v = 0; !missing && v < system->model->vertex_count; v++) {
        for (int64_t i = 3 * (int64_t)v; system->fixed[v] && i < 3 * (int64_t)v + 3; i++) {
            missing = missing || step->x[i] != step->pin_target[i];
        }
    }
    return missing;
}

/* What is prescribed and has found no room is put where it belongs: the cloth is tangled there, and
 * frees itself later. */
static void force_arrival(TlSystem *system, const TlContacts *contacts, const TlStep *step) {
    for (int64_t i = 0; i < 3 * (int64_t)system->model->vertex_count; i++) {
        step->x[i] = system->fixed[i / 3] ? step->pin_target[i] : step->x[i];
    }
    if (contacts->world != NULL) {
        tl_world_force(contacts->world, step->x);
    }
}

static void correction_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    const TlStep *step = job->step;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        job->out[i] = step->x[i] - job->system->x_start[i] - step->dt_s * step->v[i];
    }
}

/* What came to the inertial guess, h^2 times the acceleration, changes little in a sub-step. */
static void keep_correction(TlSystem *system, const TlStep *step) {
    Job job = {system, step, system->last};
    tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, correction_range, &job);
    system->knows_last = true;
}

/* From the guess in step->x to the minimum; whether that is sound. What it took is added. */
static bool try_minimise(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                         const TlNewton *options, TlNewtonResult *total) {
    TlNewton newton = *options;
    guess_pinched(system, contacts, step);
    if (!reach_guess(system, contacts, step->x)) {
        return false;
    }
    newton.pin_target = step->pin_target;
    newton.look_ahead = true;
    TlNewtonResult before = *total;
    *total = tl_newton(system, contacts, &newton, step->x);
    bool sound = is_sound(system, total);
    total->iterations += before.iterations;
    total->rescues += before.rescues;
    total->cg_iterations += before.cg_iterations;
    total->cuts += before.cuts;
    total->seconds.assembly_s += before.seconds.assembly_s;
    total->seconds.linear_s += before.seconds.linear_s;
    total->seconds.search_s += before.seconds.search_s;
    return sound;
}

/* Who yields has no contact with colliders any more. */
static void pinch_yielded(TlSystem *system, TlWorld *world) {
    int32_t count = 0;
    for (int32_t v = 0; v < system->model->vertex_count; v++) {
        system->pinched[v] = world->yielded[v] ? TL_PINCHED : system->pinched[v];
        count += system->pinched[v] != 0;
    }
    tell_pinched(system, world, count);
}

/* What has no room yields to colliders that have to arrive, and all is tried again. Answers whether
 * they have not come. */
static bool try_yielding(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                         const TlNewton *options, TlStepResult *result) {
    TlWorld *world = contacts->world;
    TlYield how = step->force ? TL_YIELD_ALL : step->yield ? TL_YIELD_SLOW : TL_YIELD_NEAR;
    int32_t n = system->model->vertex_count;
    bool blocked = true;
    int32_t most = how == TL_YIELD_NEAR ? MOST_NEAR_YIELDS : MOST_YIELDS;
    for (int32_t round = 0; round < most && blocked; round++) {
        if (tl_world_yield(world, how) == 0) {
            break;
        }
        pinch_yielded(system, world);
        memcpy(step->x, system->x_start, 3 * sizeof(double) * (size_t)n);
        tl_world_begin(world, step->x, contacts->points_before, contacts->points_now,
                       contacts->slip_m);
        find_airborne(contacts, step);
        tl_world_start_here(world);
        tl_potential_guess(system, step, step->x);
        result->ok = try_minimise(system, contacts, step, options, &result->newton);
        blocked = !result->ok || is_blocked(system, contacts, step);
    }
    return blocked;
}

TlStepResult tl_potential_minimise(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                                   const TlNewton *options) {
    TlStepResult result = {.newton = {.finite = true}};
    glue_pinched(system, contacts);
    result.ok = try_minimise(system, contacts, step, options, &result.newton);
    bool blocked = result.ok && is_blocked(system, contacts, step);
    if (blocked && contacts->world != NULL && (step->yield || contacts->world->yielding)) {
        blocked = try_yielding(system, contacts, step, options, &result);
    }
    result.ok = result.ok && (!blocked || step->force || contacts->world == NULL);
    if (!result.ok) {
        memcpy(step->x, system->x_start, 3 * sizeof(double) * (size_t)system->model->vertex_count);
        /* what has no room may press cloth beyond all numbers: then cloth waits */
        blocked = step->force && contacts->world != NULL &&
                  (contacts->world->touch_count > 0 || is_blocked(system, contacts, step));
        result.ok = blocked;
    } else {
        keep_correction(system, step);
        result.projected = leave_colliders(contacts, system, false, step->x);
    }
    if (result.ok && blocked) {
        force_arrival(system, contacts, step);
    }
    return result;
}

static void velocity_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    const TlStep *step = job->step;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        step->v[i] = (step->x[i] - job->system->x_start[i]) / step->dt_s;
    }
}

void tl_potential_velocity(TlSystem *system, const TlStep *step) {
    Job job = {system, step, NULL};
    tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, velocity_range, &job);
}

void tl_potential_calm(TlSystem *system, const TlContacts *contacts, const TlStep *step) {
    const TlModel *model = system->model;
    const TlWorld *world = contacts->world;
    if (world == NULL || world->pulling == 0) {
        return;
    }
    memset(system->drift, 0, 4 * sizeof *system->drift * (size_t)model->material_count);
    for (int32_t v = 0; v < model->vertex_count; v++) {
        double *drift = system->drift + 4 * (int64_t)model->vertex_material[v];
        for (int i = 0; i < 3; i++) {
            drift[i] += model->mass[v] * step->v[3 * (int64_t)v + i];
        }
        drift[3] += model->mass[v];
    }
    for (int32_t v = 0; v < model->vertex_count; v++) {
        const double *drift = system->drift + 4 * (int64_t)model->vertex_material[v];
        for (int i = 0; i < 3 && world->pulled[v] && !system->fixed[v]; i++) {
            step->v[3 * (int64_t)v + i] = drift[i] / drift[3];
        }
    }
}
