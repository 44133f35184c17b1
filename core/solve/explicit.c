/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of an explicit sub-step; see explicit.h.
 *
 * Contact has no potential here, which would bound the step more than the cloth does. At the end of
 * a sub-step a vertex that is nearer to a collider than TL_START_GAP of the contact distance is put
 * out to it along the normal. Of its velocity relative to the collider the inward part is lost, an
 * inelastic impact, and Coulomb's friction takes up to mu times as much of the rest. A method whose
 * position has already moved with the velocity that friction stopped takes that motion back, so
 * that cloth that sticks does not creep. */
#include "solve/explicit.h"

#include "base/vec.h"
#include "solve/terms.h"

#include <string.h>

enum { GRAIN = 128 };
/* distances up to this part beyond the gap are contact: rounding of the projection */
#define TOUCH 1e-9

void tl_explicit_begin(TlSystem *system, const TlStep *step, TlIntegration *work) {
    size_t size = 3 * sizeof(double) * (size_t)system->model->vertex_count;
    memcpy(system->x_start, step->x, size);
    memcpy(work->v_start, step->v, size);
    /* no force is left over: the statistics read it here */
    memset(system->grad, 0, size);
    for (int64_t i = 0; i < 3 * (int64_t)system->model->vertex_count; i++) {
        if (system->fixed[i / 3]) {
            step->v[i] = (step->pin_target[i] - step->x[i]) / step->dt_s;
        }
    }
}

typedef struct Job {
    const TlSystem *system;
    const TlContacts *contacts;
    const TlStep *step;
    const double *base, *rate, *force; /* force NULL: none */
    double *out;
    double factor;
} Job;

/* From the gradient in `out`. */
static void accelerate_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    const TlModel *model = job->system->model;
    const TlExternal *external = &job->step->external;
    for (int32_t v = begin; v < end; v++) {
        double *a = job->out + 3 * (int64_t)v;
        if (job->system->fixed[v]) {
            a[0] = a[1] = a[2] = 0.0;
            continue;
        }
        double drag = job->factor * external->drag_kg_per_m2_s * model->area[v];
        for (int i = 0; i < 3; i++) {
            int64_t at = 3 * (int64_t)v + i;
            double f = -a[i] - drag * job->rate[at];
            f += job->force != NULL ? job->force[at] : 0.0;
            a[i] = f / model->mass[v] + external->gravity[i];
        }
    }
}

void tl_explicit_accelerate(TlSystem *system, const TlStep *step, const TlIntegration *work,
                            const double *x, const double *v, bool drag, double *a) {
    TlPoint at = {x, x, 0.0};
    Job job = {.system = system, .step = step, .rate = v, .out = a, .factor = drag ? 1.0 : 0.0};
    if (work->damped) {
        tl_system_damping(system, x, v, system->force);
        job.force = system->force;
    }
    tl_system_derive(system, &at, false, a);
    tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, accelerate_range, &job);
}

static void advance_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        job->out[i] = job->base[i] + job->factor * job->rate[i];
    }
}

void tl_explicit_advance(TlSystem *system, const double *base, double h, const double *rate,
                         double *y) {
    Job job = {.base = base, .rate = rate, .out = y, .factor = h};
    tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, advance_range, &job);
}

/* Velocity of a vertex at x after its contact with collider i; *stopped: what friction took. */
static TlVec3 rebound(const TlContacts *contacts, int32_t i, double mu, double dt_s, TlVec3 x,
                      TlVec3 normal, TlVec3 v, TlVec3 *stopped) {
    TlVec3 was = tl_collider_carry_back(&contacts->before[i], &contacts->now[i], x);
    TlVec3 carried = tl_scale3(1.0 / dt_s, tl_sub3(x, was)), relative = tl_sub3(v, carried);
    double inward = -tl_dot3(relative, normal);
    *stopped = tl_vec3(0, 0, 0);
    if (!(inward > 0.0)) {
        return v;
    }
    TlVec3 slip = tl_madd3(relative, inward, normal);
    double speed = tl_length3(slip), lost = tl_min(mu * inward, speed);
    if (speed > 0.0) {
        *stopped = tl_scale3(-lost / speed, slip);
    }
    return tl_add3(carried, tl_add3(slip, *stopped));
}

/* One free vertex; answers whether it was moved. */
static bool meet_colliders(const Job *job, int32_t v) {
    const TlContacts *contacts = job->contacts;
    int32_t cloth = job->system->model->vertex_material[v];
    double *position = job->step->x + 3 * (int64_t)v, *velocity = job->step->v + 3 * (int64_t)v;
    TlVec3 x = tl_load3(position), u = tl_load3(velocity), n, stopped;
    if (!tl_contact_project(contacts, cloth, TL_START_GAP, NULL, &x)) {
        return false;
    }
    TlVec3 back = {0, 0, 0};
    for (int32_t i = 0; i < contacts->collider_count; i++) {
        int32_t pair = cloth * contacts->collider_count + i;
        double d = tl_collider_distance(&contacts->now[i], x, &n);
        if (d <= TL_START_GAP * contacts->radius[pair] * (1.0 + TOUCH)) {
            u = rebound(contacts, i, contacts->friction[pair], job->step->dt_s, x, n, u, &stopped);
            back = tl_add3(back, stopped);
        }
    }
    x = tl_madd3(x, job->factor * job->step->dt_s, back);
    tl_contact_project(contacts, cloth, TL_START_GAP, NULL, &x);
    tl_store3(position, x);
    tl_store3(velocity, u);
    return true;
}

static double contact_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    int32_t moved = 0;
    for (int32_t v = begin; v < end; v++) {
        if (job->system->fixed[v]) {
            memcpy(job->step->x + 3 * (int64_t)v, job->step->pin_target + 3 * (int64_t)v,
                   3 * sizeof(double));
        } else {
            moved += meet_colliders(job, v);
        }
    }
    return (double)moved;
}

static double infinite_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    double count = 0.0;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; i++) {
        count += !tl_is_finite(job->step->x[i]) || !tl_is_finite(job->step->v[i]);
    }
    return count;
}

/* Cloth goes from the start to where it is now only as far as nothing is in the way; what is cut
 * has the velocity of the way that is left. What is prescribed arrives in any case. False when
 * memory is refused. */
static bool keep_apart(TlSystem *system, const TlContacts *contacts, const TlStep *step) {
    TlWorld *world = contacts->world;
    int64_t count = 3 * (int64_t)system->model->vertex_count;
    world->pinched = NULL; /* nothing goes with colliders here */
    tl_world_begin(world, system->x_start, contacts->points_before, contacts->points_now, 0.0);
    for (int64_t i = 0; i < count; i++) {
        system->step[i] = step->x[i] - system->x_start[i];
    }
    if (!tl_world_plan(world, system->step, true)) {
        return false;
    }
    tl_world_commit(world, 1.0);
    bool missing = tl_world_missing(world) > 0.0;
    for (int64_t i = 0; i < count; i++) {
        if (world->s[i / 3] < 1.0 && system->fixed[i / 3]) {
            missing = true;
        } else if (world->s[i / 3] < 1.0) {
            step->x[i] = world->x[i];
            step->v[i] = (step->x[i] - system->x_start[i]) / step->dt_s;
        }
    }
    if (missing) {
        tl_world_force(world, step->x);
    }
    return true;
}

TlStepResult tl_explicit_end(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                             const TlIntegration *work, double lead) {
    int32_t n = system->model->vertex_count;
    size_t size = 3 * sizeof(double) * (size_t)n;
    Job job = {.system = system, .contacts = contacts, .step = step, .factor = lead};
    TlStepResult result = {.newton = {.finite = true}, .ok = true};
    /* a state that is not finite has no place to be put to */
    result.ok = tl_parallel_sum(system->pool, n, GRAIN, infinite_range, &job) == 0.0;
    if (result.ok) {
        result.projected = (int32_t)tl_parallel_sum(system->pool, n, GRAIN, contact_range, &job);
        result.ok = contacts->world == NULL || keep_apart(system, contacts, step);
    }
    if (!result.ok) {
        memcpy(step->x, system->x_start, size);
        memcpy(step->v, work->v_start, size);
    }
    result.newton.finite = result.ok;
    return result;
}
