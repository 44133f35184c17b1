/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Newton with conjugate gradients and an Armijo line search over the step's potential, where steps
 * are not so small that the quadratic model can be believed; see newton.h. A step is put outside
 * the analytic colliders and then shortened vertex by vertex so that nothing crosses,
 * contact/world.h, before it is judged: one vertex at a surface does not shorten the step of all
 * others. While colliders or pins are on their way the potential is not the same before and after a
 * step, and steps are not judged. */
#include "solve/newton.h"

#include "base/platform.h"
#include "base/vec.h"
#include "contact/carry.h"
#include "solve/terms.h"

#include <string.h>

enum { GRAIN = 128, MOST_CUTS = 12, MOST_CUTS_UPHILL = 2, HOLD_ROUNDS = 4 };
/* colliders may take so many iterations to arrive, and more if they will at the rate of the last
 * few
 */
enum { SURE_ARRIVAL = 8, MOST_ARRIVAL = 40, ARRIVAL_RATE = 4 };
/* and pins, and vertices that are to leave colliders, so many */
enum { MOST_WAITING = 16 };
#define ARMIJO 1e-4
/* changes of the potential below this part of its size are rounding and count as descent */
#define ROUNDING 1e-13
/* cloth that is pushed slides away along what the linear solve leaves over, and where layers press
 * each other that keeps them in motion: its tolerance is so many times smaller there */
#define TOUCHING 0.75
#define PRESSED 0.2
/* but what the first of two iterations has solved so well need not be solved again, unless much of
 * the cloth may slide on something: of its tolerance, and of the vertices */
#define SPARE 0.4
#define FEW 0.3

typedef struct Job {
    TlSystem *system;
    const double *x;
    double *out;
    double part;
} Job;

/* Energy of the elements, without that of the bending matrix, of which only changes are needed. */
static double elastic_value(TlSystem *system, double dt_s, const double *x) {
    TlPoint at = {x, system->x_start, dt_s};
    return tl_system_varying(system, &at);
}

void tl_newton_gradient(TlSystem *system, const TlContacts *contacts, const double *x,
                        double *grad) {
    TlPoint at = {x, system->x_start, 0.0};
    tl_system_derive(system, &at, false, grad);
    tl_terms_derive(system, contacts, x, NULL, grad);
}

static void try_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        job->out[i] = job->x[i] + job->part * job->system->step[i];
    }
}

static void scale_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        job->out[i] = job->part * job->x[i];
    }
}

static double dot_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    double sum = 0.0;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        sum += job->x[i] * job->out[i];
    }
    return sum;
}

static double dot(TlSystem *system, const double *a, double *b) {
    Job job = {system, a, b, 0.0};
    return tl_parallel_sum(system->pool, system->model->vertex_count, GRAIN, dot_range, &job);
}

/* Largest size of out[i] - x[i] of vertices [begin, end); `x` of NULL stands for 0. */
TL_HOT static double change_range(void *data, int32_t begin, int32_t end) {
    const Job *job = data;
    const double *from = job->x, *to = job->out;
    int64_t first = 3 * (int64_t)begin, last = 3 * (int64_t)end;
    int64_t whole = first + (last - first) / TL_LANES * TL_LANES;
    TlDouble4 most = tl_double4(0.0);
    double out = 0.0;
    for (int64_t i = first; i < whole; i += TL_LANES) {
        TlDouble4 a = tl_double4(0.0), b;
        memcpy(&b, to + i, sizeof b);
        if (from != NULL) {
            memcpy(&a, from + i, sizeof a);
        }
        b = tl_abs4(b - a);
        most = tl_max4(most, b);
    }
    for (int64_t i = whole; i < last; i++) {
        out = tl_max(out, fabs(to[i] - (from != NULL ? from[i] : 0.0)));
    }
    for (int l = 0; l < TL_LANES; l++) {
        out = tl_max(out, most[l]);
    }
    return out;
}

static double largest_change(TlSystem *system, const double *from, double *to) {
    Job job = {system, from, to, 0.0};
    return tl_parallel_max(system->pool, system->model->vertex_count, GRAIN, change_range, &job);
}

/* ---- one iteration ---- */

/* Of fixed vertices: one that is pinned, and one that is held for one iteration. */
enum { PINNED = 1, HELD = 2 };

/* What an iteration works with. */
typedef struct Iteration {
    TlSystem *system;
    const TlContacts *contacts;
    const TlNewton *options;
    double *x;
    double elastic;               /* at x, where known */
    bool knows_elastic;           /* by a line search that came to x */
    bool moving;                  /* colliders or pins are on their way */
    bool smooth;                  /* gentle steps need no line search */
    double missing[ARRIVAL_RATE]; /* how far colliders were from their goals in the last iterations,
                                     m */
    double slope;                 /* of the potential along what the linear solve found */
} Iteration;

/* How many pins of [begin, end) are not yet at their places. */
static double missing_range(void *data, int32_t begin, int32_t end) {
    const Iteration *in = data;
    const double *target = in->options->pin_target;
    int32_t count = 0;
    for (int32_t v = begin; v < end; v++) {
        if (in->system->fixed[v] == PINNED) {
            int64_t i = 3 * (int64_t)v;
            count += target[i] != in->x[i] || target[i + 1] != in->x[i + 1] ||
                     target[i + 2] != in->x[i + 2];
        }
    }
    return (double)count;
}

/* Whether colliders or pins are not yet where the sub-step ends. */
static bool is_missing(Iteration *in) {
    const TlWorld *world = in->contacts->world;
    bool pins = in->options->pin_target != NULL &&
                tl_parallel_sum(in->system->pool, in->system->model->vertex_count, GRAIN,
                                missing_range, in) > 0.0;
    return pins || (world != NULL && tl_world_missing(world) > 0.0);
}

/* Whether a vertex is in an analytic collider, which may have moved over it. */
static bool is_inside(const Iteration *in) {
    const TlSystem *system = in->system;
    const TlContacts *contacts = in->contacts;
    for (int32_t v = 0; contacts->collider_count > 0 && v < system->model->vertex_count; v++) {
        TlVec3 x = tl_load3(in->x + 3 * (int64_t)v);
        int32_t cloth = system->model->vertex_material[v];
        if (!system->fixed[v] && system->pinched[v] != TL_PINCHED &&
            !tl_is_clear(contacts, contacts->now, cloth, x, 0.0) &&
            tl_contact_depth(contacts, x) > 0.0) {
            return true;
        }
    }
    return false;
}

/* The step from x to where it was put, and of pins to their places. */
static void aim_range(void *data, int32_t begin, int32_t end) {
    const Iteration *in = data;
    TlSystem *system = in->system;
    for (int32_t v = begin; v < end; v++) {
        bool pinned = in->options->pin_target != NULL && system->fixed[v] == PINNED;
        const double *to = pinned ? in->options->pin_target : system->trial;
        for (int64_t i = 3 * (int64_t)v; i < 3 * (int64_t)v + 3; i++) {
            system->step[i] = to[i] - in->x[i];
        }
    }
}

/* From what the linear solve found to what may be done: no vertex farther than it may, none in
 * an analytic collider, pins to their places, and nothing through anything. */
static bool shape_step(Iteration *in) {
    TlSystem *system = in->system;
    int32_t n = system->model->vertex_count;
    double most = in->options->most_move_m;
    double part = most > 0.0 ? tl_min(1.0, most / largest_change(system, NULL, system->step)) : 1.0;
    Job job = {system, in->x, system->trial, part};
    tl_parallel_for(system->pool, n, GRAIN, try_range, &job);
    tl_terms_land(system, in->contacts, in->x, system->trial);
    tl_terms_project(system, in->contacts, TL_NEWTON_GAP, in->x, system->trial);
    tl_parallel_for(system->pool, n, GRAIN, aim_range, in);
    TlWorld *world = in->contacts->world;
    if (world != NULL && !world->tangled) {
        tl_world_land(world, system->step);
    }
    return world == NULL || tl_world_plan(world, system->step, true);
}

/* Change of the potential from x to system->trial, part of a step further; `elastic` becomes that
 * at the trial. */
static double try_part(const Iteration *in, double part, double *elastic) {
    TlSystem *system = in->system;
    int32_t n = system->model->vertex_count;
    Job job = {system, in->x, system->trial, part};
    tl_parallel_for(system->pool, n, GRAIN, try_range, &job);
    *elastic = elastic_value(system, in->options->dt_s, system->trial);
    double after = *elastic + tl_terms_value(system, in->contacts, system->trial) +
                   tl_system_bend_change(system, in->x, system->trial);
    if (in->contacts->world != NULL) {
        Job move = {system, system->step, system->move, part};
        tl_parallel_for(system->pool, n, GRAIN, scale_range, &move);
        after += tl_world_value(in->contacts->world, system->move);
    }
    return after;
}

/* Finds a part of system->step that lowers the potential, leaving the accepted point in
 * system->trial; false when there is none. */
static bool line_search(Iteration *in, TlNewtonResult *result) {
    TlSystem *system = in->system;
    double slope = dot(system, system->grad, system->step), part = 1.0, elastic;
    if (!in->knows_elastic) {
        in->elastic = elastic_value(system, in->options->dt_s, in->x);
    }
    double before = in->elastic + tl_terms_value(system, in->contacts, in->x);
    if (in->contacts->world != NULL) {
        before += tl_world_touch_value(in->contacts->world);
    }
    int32_t most = slope < 0.0 ? MOST_CUTS : MOST_CUTS_UPHILL;
    for (int32_t cut = 0; cut <= most; cut++, part *= 0.5) {
        double after = try_part(in, part, &elastic);
        double promised = ARMIJO * part * tl_min(slope, 0.0);
        if (in->moving ? tl_is_finite(after)
                       : after <= before + promised + ROUNDING * fabs(before)) {
            in->elastic = elastic;
            in->knows_elastic = true;
            result->part = part;
            result->gain = (before - after) / (-slope * part * (1.0 - 0.5 * part));
            return true;
        }
        result->cuts++;
    }
    return false;
}

/* How many edges of [begin, end) a step changes by more than job->part of their length at rest. */
static double changed_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    const TlEdgeSet *edges = &job->system->model->sets.edges;
    int32_t changed = 0;
    for (int32_t e = begin; e < end; e++) {
        const int32_t *v = edges->vertex + 2 * (int64_t)e;
        TlVec3 d =
            tl_sub3(tl_load3(job->x + 3 * (int64_t)v[0]), tl_load3(job->x + 3 * (int64_t)v[1]));
        double most = job->part * edges->length[e];
        changed += !(tl_dot3(d, d) <= most * most);
    }
    return (double)changed;
}

/* Whether the energies are polynomials of low degree, and nothing else is in the potential: then a
 * model that is exact to second order, and has no negative curvature, can be believed near by. */
static bool is_smooth(const TlSystem *system, const TlContacts *contacts) {
    bool smooth = tl_contacts_none(contacts);
    for (int32_t i = 0; i < system->energy_count; i++) {
        const TlElements *elements = &system->energies[i].elements;
        smooth = smooth && (elements->count == 0 || tl_is_packed(elements) ||
                            elements->hessian == TL_HESSIAN_MATRIX);
    }
    return smooth;
}

/* Whether system->trial can be gone to without a line search. */
static bool is_gentle(const Iteration *in) {
    Job job = {in->system, in->system->step, NULL, in->options->gentle};
    return in->smooth && !in->moving && in->options->gentle > 0.0 &&
           tl_parallel_sum(in->system->pool, in->system->model->sets.edges.count, GRAIN,
                           changed_range, &job) == 0.0;
}

/* Leaves in system->trial where to go; false when there is nowhere. */
static bool find_trial(Iteration *in, TlNewtonResult *result) {
    if (is_gentle(in)) {
        in->knows_elastic = false;
        result->part = 1.0;
        result->gain = 0.0;
        return true;
    }
    return line_search(in, result);
}

/* Goes to system->trial. */
static void accept_step(Iteration *in, TlNewtonResult *result) {
    TlSystem *system = in->system;
    int32_t n = system->model->vertex_count;
    TlWorld *world = in->contacts->world;
    result->last_step_m = largest_change(system, in->x, system->trial);
    if (world != NULL) {
        result->last_step_m = tl_max(result->last_step_m, tl_world_lost(world));
        tl_world_commit(world, result->part);
    }
    Job accept = {system, world != NULL ? world->x : system->trial, in->x, 1.0};
    tl_parallel_for(system->pool, n, GRAIN, scale_range, &accept);
}

/* A clock that stands still while pairs are looked for, measured and kept apart, which is counted
 * there. */
static double own_clock_s(const TlContacts *contacts) {
    return tl_clock_s() - tl_world_seconds(contacts->world);
}

/* Seconds since *clock_s, which moves on to now. */
static double lap(const TlContacts *contacts, double *clock_s) {
    double before = *clock_s;
    *clock_s = own_clock_s(contacts);
    return *clock_s - before;
}

/* Whether colliders and pins that are on their way may still arrive, and vertices leave colliders;
 * to be asked in every iteration from the first that is not due anyway. */
static bool may_arrive(Iteration *in, int32_t k) {
    const TlWorld *world = in->contacts->world;
    if (world == NULL) {
        return false;
    }
    double missing = tl_world_missing(world), *before = &in->missing[k % ARRIVAL_RATE];
    double gained = *before - missing;
    *before = missing;
    if (missing > 0.0 && k >= SURE_ARRIVAL) {
        return k < MOST_ARRIVAL && ARRIVAL_RATE * missing < gained * (MOST_ARRIVAL - k);
    }
    return k < MOST_WAITING && (is_missing(in) || is_inside(in));
}

/* Whether many vertices could not go where the last iteration sent them. */
static bool are_held(const Iteration *in) {
    const TlWorld *world = in->contacts->world;
    double most = in->options->most_held;
    return world != NULL && most > 0.0 && world->cut > most * in->system->model->vertex_count;
}

static bool goes_on(Iteration *in, int32_t k, double last_step_m) {
    const TlNewton *options = in->options;
    int32_t most = options->most_iterations;
    if (k < most) {
        return true;
    }
    bool arriving = most > 0 && may_arrive(in, k);
    return arriving || (k == most && are_held(in)) ||
           (k < most + options->most_rescues && last_step_m > options->rescue_m);
}

/* How many vertices touch anything. */
static int32_t count_touching(const TlOperator *A) {
    bool surfaces = tl_touch_count(A) > 0;
    int32_t count = 0;
    for (int32_t v = 0; v < A->n; v++) {
        count +=
            A->touched[v] || (surfaces && A->world->touch_start[v] < A->world->touch_start[v + 1]);
    }
    return count;
}

/* The step that the matrix and the gradient ask for; false when it is not a number. */
static bool solve_linear(Iteration *in, int32_t k, double *clock_s, TlNewtonResult *result) {
    TlSystem *system = in->system;
    const TlNewton *options = in->options;
    int32_t n = system->model->vertex_count;
    /* negative gradient becomes the right-hand side */
    Job turn = {system, system->grad, system->trial, -1.0};
    tl_parallel_for(system->pool, n, GRAIN, scale_range, &turn);
    tl_terms_push(system, in->contacts, system->trial);
    double tolerance = options->linear_tolerance;
    int32_t touching = count_touching(&system->matrix);
    if (touching == 0 && k > 0 && options->later_tolerance > 0.0) {
        tolerance = options->later_tolerance;
    } else if (tl_coarse_is_pressed(&system->matrix)) {
        tolerance *= PRESSED;
    } else if (touching > 0) {
        tolerance *= TOUCHING;
    }
    bool second = k == 1 && k < options->most_iterations && options->tolerance_m == 0.0;
    bool few = touching > 0 && (double)touching < FEW * n;
    system->cg.spare = second && few ? SPARE * tolerance : 0.0;
    /* what friction just holds would be told to stay */
    system->cg.guess = k == 0 && touching == 0 ? options->guess : NULL;
    result->cg_iterations += tl_cg_solve(&system->cg, system->trial, tolerance, options->most_cg,
                                         system->step, &result->residual_ratio);
    result->seconds.linear_s += lap(in->contacts, clock_s);
    in->slope = dot(system, system->grad, system->step);
    return tl_is_finite(in->slope);
}

/* Gradient and matrix at x, and the step of Newton's method in system->step. False when something
 * is not a number, or memory is refused. */
static bool solve_step(Iteration *in, int32_t k, double *clock_s, TlNewtonResult *result) {
    TlSystem *system = in->system;
    const TlNewton *options = in->options;
    TlPoint at = {in->x, system->x_start, options->dt_s};
    tl_system_derive(system, &at, true, system->grad);
    bool ok = tl_terms_derive(system, in->contacts, in->x,
                              k == 0 && options->look_ahead ? system->ahead : NULL, system->grad);
    result->seconds.assembly_s += lap(in->contacts, clock_s);
    /* the first iteration has done what is common to all vertices */
    system->cg.from_zero = k > 0;
    system->cg.patience = options->patience;
    if (!ok || !tl_cg_precondition(&system->cg, k > 0 || options->keep_coarse)) {
        return false;
    }
    return solve_linear(in, k, clock_s, result);
}

/* No direction: fine at rest, a failure of the linear solve anywhere else. Motion to come may lead
 * uphill. */
static bool has_no_direction(const Iteration *in, TlNewtonResult *result) {
    TlSystem *system = in->system;
    if (in->moving || tl_touch_count(&system->matrix) > 0 || in->slope < 0.0) {
        return false;
    }
    result->stuck = largest_change(system, NULL, system->grad) > 0.0;
    return true;
}

/* Where cuts have turned the step uphill: solves again with contacts that know what was cut. If
 * that does not help, holds the vertices that were cut and solves for all others, which is downhill
 * again. */
static bool search_with_held(Iteration *in, int32_t k, double *clock_s, TlNewtonResult *result) {
    TlSystem *system = in->system;
    TlWorld *world = in->contacts->world;
    int32_t n = system->model->vertex_count;
    bool found = false;
    result->finite = solve_step(in, k, clock_s, result) && shape_step(in);
    if (!result->finite || line_search(in, result)) {
        return result->finite;
    }
    tl_world_carry_nobody(world); /* who is held stays where it is */
    for (int32_t round = 0; round < HOLD_ROUNDS && !found && world->cut > 0; round++) {
        for (int32_t v = 0; v < n; v++) {
            system->fixed[v] = !system->fixed[v] && world->s[v] < 1.0 ? HELD : system->fixed[v];
        }
        result->finite = tl_cg_precondition(&system->cg, false) &&
                         solve_linear(in, k, clock_s, result) && shape_step(in);
        found = result->finite && line_search(in, result);
    }
    for (int32_t v = 0; v < n; v++) {
        system->fixed[v] = system->fixed[v] == HELD ? 0 : system->fixed[v];
    }
    return found;
}

TlNewtonResult tl_newton(TlSystem *system, const TlContacts *contacts, const TlNewton *options,
                         double *x) {
    TlNewtonResult result = {.finite = true};
    double clock_s = own_clock_s(contacts);
    Iteration in = {.system = system, .contacts = contacts, .options = options, .x = x};
    in.smooth = is_smooth(system, contacts);
    for (int32_t k = 0; goes_on(&in, k, result.last_step_m); k++) {
        in.moving = is_missing(&in);
        result.finite = solve_step(&in, k, &clock_s, &result);
        if (!result.finite) {
            break;
        }
        result.iterations++;
        result.rescues += k >= options->most_iterations;
        if (has_no_direction(&in, &result)) {
            break;
        }
        result.finite = shape_step(&in);
        bool found = result.finite && find_trial(&in, &result);
        if (!found && result.finite && contacts->world != NULL) {
            found = search_with_held(&in, k, &clock_s, &result);
        }
        result.seconds.search_s += lap(contacts, &clock_s);
        if (!found) {
            result.stuck = true;
            break;
        }
        accept_step(&in, &result);
        if (!(result.last_step_m > options->tolerance_m) && !is_missing(&in) && !is_inside(&in)) {
            break;
        }
    }
    return result;
}
