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

#include <string.h>

enum { GRAIN = 128, MOST_CUTS = 12, MOST_CUTS_UPHILL = 2, MOST_ARRIVAL = 16, HOLD_ROUNDS = 4 };
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
    const TlContacts *contacts;
    const double *x;
    double *out;
    double part;
    const double *ahead; /* 3 per vertex: motion that is known to come; NULL: none */
} Job;

/* Inertia, constant force, contact and friction of vertices [begin, end). */
static double vertex_value(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    const TlSystem *system = job->system;
    double total = 0.0;
    for (int32_t v = begin; v < end; v++) {
        if (system->fixed[v]) {
            continue;
        }
        TlVec3 x = tl_load3(job->x + 3 * (int64_t)v);
        TlVec3 d = tl_sub3(x, tl_load3(system->x_start + 3 * (int64_t)v));
        total += 0.5 * system->weight[v] * tl_dot3(d, d);
        total -= tl_dot3(tl_load3(system->force + 3 * (int64_t)v), d);
        if (job->contacts->collider_count == 0) {
            continue;
        }
        total += tl_contact_value(job->contacts, system->model->vertex_material[v],
                                  system->model->area[v], x);
        if (system->friction[v].force > 0.0) {
            total += tl_friction_value(&system->friction[v], job->contacts->slip_m, x);
        }
    }
    return total;
}

/* Energy of the elements, without that of the bending matrix, of which only changes are needed. */
static double elastic_value(TlSystem *system, double dt_s, const double *x) {
    TlPoint at = {x, system->x_start, dt_s};
    return tl_system_varying(system, &at);
}

static double vertex_sum(TlSystem *system, const TlContacts *contacts, const double *x) {
    Job job = {system, contacts, x, NULL, 0.0, NULL};
    return tl_parallel_sum(system->pool, system->model->vertex_count, GRAIN, vertex_value, &job);
}

/* Adds the vertex terms to grad and to the diagonal blocks, and lags the friction. */
static void vertex_derive(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    TlSystem *system = job->system;
    for (int32_t v = begin; v < end; v++) {
        double *grad = job->out + 3 * (int64_t)v;
        if (system->fixed[v]) {
            grad[0] = grad[1] = grad[2] = 0.0;
            continue;
        }
        int32_t cloth = system->model->vertex_material[v];
        TlVec3 x = tl_load3(job->x + 3 * (int64_t)v),
               start = tl_load3(system->x_start + 3 * (int64_t)v);
        TlVec3 d = tl_sub3(x, start), normal = {0, 0, 0};
        double *block = system->matrix.contact + 9 * (int64_t)v;
        double w = system->weight[v], pressed;
        const TlDrive held = {tl_scale3(-1.0, tl_load3(grad)), w}; /* by its own energies */
        const double *f = system->force + 3 * (int64_t)v;
        grad[0] += w * d.x - f[0];
        grad[1] += w * d.y - f[1];
        grad[2] += w * d.z - f[2];
        system->matrix.touched[v] = false;
        tl_store3(system->push + 3 * (int64_t)v, tl_vec3(0, 0, 0));
        TlFriction *friction = &system->friction[v];
        friction->force = 0.0;
        if (job->contacts->collider_count == 0) {
            continue;
        }
        memset(block, 0, 9 * sizeof *block);
        int32_t collider = tl_contact_derive(job->contacts, cloth, system->model->area[v], x, grad,
                                             block, &pressed, &normal);
        system->matrix.touched[v] = collider >= 0;
        if (job->ahead != NULL) {
            TlVec3 next = tl_load3(job->ahead + 3 * (int64_t)v);
            system->matrix.touched[v] |=
                tl_contact_ahead(job->contacts, cloth, system->model->area[v], x, next, &held,
                                 block, system->push + 3 * (int64_t)v);
        }
        if (collider >= 0 && job->contacts->slip_m > 0.0) {
            double most =
                tl_contact_most_grip(job->contacts, cloth, collider, system->model->area[v]);
            pressed = tl_min(pressed, most);
            *friction = tl_friction_lag(job->contacts, cloth, collider, pressed, normal, x, start);
            TlDrive drive = {tl_scale3(-1.0, tl_load3(grad)), w};
            tl_friction_derive(friction, job->contacts->slip_m, &drive, x, grad, block);
        }
    }
}

/* The same where nothing touches anything: inertia and constant force. */
static void inertia_derive(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    const TlSystem *system = job->system;
    for (int32_t v = begin; v < end; v++) {
        double w = system->weight[v];
        for (int64_t i = 3 * (int64_t)v; i < 3 * (int64_t)v + 3; i++) {
            double grad = job->out[i] + (w * (job->x[i] - system->x_start[i]) - system->force[i]);
            job->out[i] = system->fixed[v] ? 0.0 : grad;
        }
    }
}

/* Adds the gradients of touches. */
static void add_gradients(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    const TlWorld *world = job->contacts->world;
    for (int32_t v = begin; v < end; v++) {
        double *grad = job->out + 3 * (int64_t)v;
        for (int32_t i = world->touch_start[v];
             !job->system->fixed[v] && i < world->touch_start[v + 1]; i++) {
            const TlTouch *touch = &world->touch[world->touch_item[i] / 4];
            double w = touch->weight[world->touch_item[i] % 4];
            for (int k = 0; k < 3; k++) {
                grad[k] += w * touch->grad[k];
            }
        }
    }
}

/* Adds what contacts know of motion to come. */
static void add_pushes(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    const TlWorld *world = job->contacts->world;
    for (int32_t v = begin; v < end; v++) {
        double *out = job->out + 3 * (int64_t)v;
        if (job->system->fixed[v]) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            out[k] += job->system->push[3 * (int64_t)v + k];
        }
        for (int32_t i = world != NULL ? world->touch_start[v] : 0;
             world != NULL && i < world->touch_start[v + 1]; i++) {
            const TlTouch *touch = &world->touch[world->touch_item[i] / 4];
            double w = touch->weight[world->touch_item[i] % 4];
            for (int k = 0; k < 3; k++) {
                out[k] += w * touch->push[k];
            }
        }
    }
}

/* Vertex terms and touches at x, where the world stands, on top of the elastic gradient in `grad`.
 * False when memory is refused. */
static bool derive_contact(TlSystem *system, const TlContacts *contacts, const double *x,
                           const double *ahead, double *grad) {
    Job job = {system, contacts, x, grad, 0.0, ahead};
    int32_t n = system->model->vertex_count;
    TlWorld *world = contacts->world;
    if (tl_contacts_none(contacts)) {
        memset(system->matrix.touched, 0, sizeof *system->matrix.touched * (size_t)n);
        tl_parallel_for(system->pool, n, GRAIN, inertia_derive, &job);
        system->matrix.world = NULL;
        return true;
    }
    TlAhead coming = {ahead, grad, system->weight}, borne = {system->borne, grad, system->weight};
    bool ok = world == NULL || tl_world_look(world, ahead != NULL ? &coming : NULL);
    if (world != NULL && ok && ahead != NULL && !world->tangled) {
        /* cloth stops a vertex before a collider, and colliders what is between vertices */
        memcpy(system->trial, world->trial, 3 * sizeof *grad * (size_t)n);
        job.ahead = system->trial;
        tl_world_expect(world, &borne);
    }
    tl_parallel_for(system->pool, n, GRAIN, vertex_derive, &job);
    system->matrix.world = world;
    if (world == NULL) {
        return true;
    }
    ok = ok && tl_world_touch(world, system->weight, grad);
    tl_parallel_for(system->pool, n, GRAIN, add_gradients, &job);
    return ok;
}

void tl_newton_gradient(TlSystem *system, const TlContacts *contacts, const double *x,
                        double *grad) {
    TlPoint at = {x, system->x_start, 0.0};
    tl_system_derive(system, &at, false, grad);
    derive_contact(system, contacts, x, NULL, grad);
}

static double project_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    int32_t moved = 0;
    for (int32_t v = begin; v < end; v++) {
        if (!job->system->fixed[v]) {
            TlVec3 x = tl_load3(job->out + 3 * (int64_t)v), from = x;
            if (job->x != NULL) {
                from = tl_load3(job->x + 3 * (int64_t)v);
            }
            if (tl_contact_project(job->contacts, job->system->model->vertex_material[v], job->part,
                                   job->x != NULL ? &from : NULL, &x)) {
                tl_store3(job->out + 3 * (int64_t)v, x);
                moved++;
            }
        }
    }
    return (double)moved;
}

int32_t tl_newton_project(TlSystem *system, const TlContacts *contacts, double gap,
                          const double *from, double *x) {
    Job job = {system, contacts, from, x, gap, NULL};
    if (contacts->collider_count == 0) {
        return 0;
    }
    return (int32_t)tl_parallel_sum(system->pool, system->model->vertex_count, GRAIN, project_range,
                                    &job);
}

static void land_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    for (int32_t v = begin; v < end; v++) {
        int64_t at = 3 * (int64_t)v;
        TlVec3 x = tl_load3(job->x + at), u = tl_sub3(tl_load3(job->out + at), x);
        if (!job->system->fixed[v]) {
            u = tl_contact_land(job->contacts, job->system->model->vertex_material[v], x, u);
            tl_store3(job->out + at, tl_add3(x, u));
        }
    }
}

void tl_newton_land(TlSystem *system, const TlContacts *contacts, const double *from, double *x) {
    Job job = {system, contacts, from, x, 0.0, NULL};
    if (contacts->collider_count > 0) {
        tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, land_range, &job);
    }
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
    Job job = {system, NULL, a, b, 0.0, NULL};
    return tl_parallel_sum(system->pool, system->model->vertex_count, GRAIN, dot_range, &job);
}

/* Largest size of to[i] - from[i] among 3 n values; `from` of NULL stands for 0. */
TL_HOT static double largest_change(const double *from, const double *to, int32_t n) {
    int64_t count = 3 * (int64_t)n, whole = count / TL_LANES * TL_LANES;
    TlDouble4 most = tl_double4(0.0);
    double out = 0.0;
    for (int64_t i = 0; i < whole; i += TL_LANES) {
        TlDouble4 a = tl_double4(0.0), b;
        memcpy(&b, to + i, sizeof b);
        if (from != NULL) {
            memcpy(&a, from + i, sizeof a);
        }
        b = tl_abs4(b - a);
        most = tl_max4(most, b);
    }
    for (int64_t i = whole; i < count; i++) {
        out = tl_max(out, fabs(to[i] - (from != NULL ? from[i] : 0.0)));
    }
    for (int l = 0; l < TL_LANES; l++) {
        out = tl_max(out, most[l]);
    }
    return out;
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
    double elastic;     /* at x, where known */
    bool knows_elastic; /* by a line search that came to x */
    bool moving;        /* colliders or pins are on their way */
    bool smooth;        /* gentle steps need no line search */
    double slope;       /* of the potential along what the linear solve found */
} Iteration;

/* How far pins still are from their places, m. */
static double missing_pins(const Iteration *in) {
    double most = 0.0;
    const double *target = in->options->pin_target;
    for (int32_t v = 0; target != NULL && v < in->system->model->vertex_count; v++) {
        for (int64_t i = 3 * (int64_t)v; in->system->fixed[v] == PINNED && i < 3 * (int64_t)v + 3;
             i++) {
            most = tl_max(most, fabs(target[i] - in->x[i]));
        }
    }
    return most;
}

/* Whether colliders or pins are not yet where the sub-step ends. */
static bool is_missing(const Iteration *in) {
    const TlWorld *world = in->contacts->world;
    return missing_pins(in) > 0.0 || (world != NULL && tl_world_missing(world) > 0.0);
}

/* Whether a vertex is in an analytic collider, which may have moved over it. */
static bool is_inside(const Iteration *in) {
    const TlSystem *system = in->system;
    for (int32_t v = 0; in->contacts->collider_count > 0 && v < system->model->vertex_count; v++) {
        if (!system->fixed[v] &&
            tl_contact_depth(in->contacts, tl_load3(in->x + 3 * (int64_t)v)) > 0.0) {
            return true;
        }
    }
    return false;
}

/* From what the linear solve found to what may be done: no vertex too far, none in an analytic
 * collider, pins to their places, and nothing through anything. */
static bool shape_step(const Iteration *in) {
    TlSystem *system = in->system;
    int32_t n = system->model->vertex_count;
    double part = tl_min(1.0, in->options->most_move_m / largest_change(NULL, system->step, n));
    Job job = {system, NULL, in->x, system->trial, part, NULL};
    tl_parallel_for(system->pool, n, GRAIN, try_range, &job);
    tl_newton_land(system, in->contacts, in->x, system->trial);
    tl_newton_project(system, in->contacts, TL_NEWTON_GAP, in->x, system->trial);
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) {
        bool pinned = in->options->pin_target != NULL && system->fixed[i / 3] == PINNED;
        system->step[i] = (pinned ? in->options->pin_target[i] : system->trial[i]) - in->x[i];
    }
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
    Job job = {system, NULL, in->x, system->trial, part, NULL};
    tl_parallel_for(system->pool, n, GRAIN, try_range, &job);
    *elastic = elastic_value(system, in->options->dt_s, system->trial);
    double after = *elastic + vertex_sum(system, in->contacts, system->trial) +
                   tl_system_bend_change(system, in->x, system->trial);
    if (in->contacts->world != NULL) {
        Job move = {system, NULL, system->step, system->move, part, NULL};
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
    double before = in->elastic + vertex_sum(system, in->contacts, in->x);
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
    Job job = {in->system, NULL, in->system->step, NULL, in->options->gentle, NULL};
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
    result->last_step_m = largest_change(in->x, system->trial, n);
    if (world != NULL) {
        result->last_step_m = tl_max(result->last_step_m, tl_world_lost(world));
        tl_world_commit(world, result->part);
    }
    Job accept = {system, NULL, world != NULL ? world->x : system->trial, in->x, 1.0, NULL};
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

static bool goes_on(const Iteration *in, int32_t k, double last_step_m) {
    const TlNewton *options = in->options;
    int32_t most = options->most_iterations;
    return k < most || (k < most + options->most_rescues && last_step_m > options->rescue_m) ||
           (k < MOST_ARRIVAL && most > 0 && in->contacts->world != NULL &&
            (is_missing(in) || is_inside(in)));
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
    Job turn = {system, in->contacts, system->grad, system->trial, -1.0, NULL};
    tl_parallel_for(system->pool, n, GRAIN, scale_range, &turn);
    if (!tl_contacts_none(in->contacts)) {
        tl_parallel_for(system->pool, n, GRAIN, add_pushes, &turn);
    }
    double tolerance = options->linear_tolerance;
    int32_t touching = count_touching(&system->matrix);
    if (tl_coarse_is_pressed(&system->matrix)) {
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
    bool ok = derive_contact(system, in->contacts, in->x,
                             k == 0 && options->look_ahead ? system->ahead : NULL, system->grad);
    result->seconds.assembly_s += lap(in->contacts, clock_s);
    /* the first iteration has done what is common to all vertices */
    system->cg.from_zero = k > 0;
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
    result->stuck = largest_change(NULL, system->grad, system->model->vertex_count) > 0.0;
    return true;
}

/* Where cuts have turned the step uphill: solves again with contacts that know what was cut. If
 * that does not help, holds the vertices that were cut and solves for all others, which is downhill
 * again. */
static bool search_with_held(Iteration *in, int32_t k, double *clock_s, TlNewtonResult *result) {
    TlSystem *system = in->system;
    const TlWorld *world = in->contacts->world;
    int32_t n = system->model->vertex_count;
    bool found = false;
    result->finite = solve_step(in, k, clock_s, result) && shape_step(in);
    if (!result->finite || line_search(in, result)) {
        return result->finite;
    }
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
