/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the potential of a step has beside the energies of elements; see terms.h. */
#include "solve/terms.h"

#include "base/vec.h"

#include <string.h>

enum { GRAIN = 128 };

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
        if (job->contacts->collider_count == 0 || system->pinched[v] == TL_PINCHED) {
            continue;
        }
        int32_t cloth = system->model->vertex_material[v];
        if (!tl_is_clear(job->contacts, job->contacts->now, cloth, x, 0.0)) {
            total += tl_contact_value(job->contacts, cloth, system->model->area[v], x);
        }
        if (system->friction[v].force > 0.0) {
            total += tl_friction_value(&system->friction[v], job->contacts->slip_m, x);
        }
    }
    return total;
}

double tl_terms_value(TlSystem *system, const TlContacts *contacts, const double *x) {
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
        TlVec3 next = {0, 0, 0};
        if (job->ahead != NULL) {
            next = tl_load3(job->ahead + 3 * (int64_t)v);
        }
        if (job->contacts->collider_count == 0 || system->pinched[v] == TL_PINCHED ||
            tl_is_clear(job->contacts, job->contacts->now, cloth, x, tl_length3(next))) {
            continue;
        }
        memset(block, 0, 9 * sizeof *block);
        int32_t collider = tl_contact_derive(job->contacts, cloth, system->model->area[v], x, grad,
                                             block, &pressed, &normal);
        system->matrix.touched[v] = collider >= 0;
        if (job->ahead != NULL) {
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

bool tl_terms_derive(TlSystem *system, const TlContacts *contacts, const double *x,
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

void tl_terms_push(TlSystem *system, const TlContacts *contacts, double *out) {
    Job job = {system, contacts, NULL, out, 0.0, NULL};
    if (!tl_contacts_none(contacts)) {
        tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, add_pushes, &job);
    }
}

static double project_range(void *data, int32_t begin, int32_t end) {
    Job *job = data;
    int32_t moved = 0;
    for (int32_t v = begin; v < end; v++) {
        if (!job->system->fixed[v] && job->system->pinched[v] != TL_PINCHED) {
            TlVec3 x = tl_load3(job->out + 3 * (int64_t)v), from = x;
            if (job->x != NULL) {
                from = tl_load3(job->x + 3 * (int64_t)v);
            }
            int32_t cloth = job->system->model->vertex_material[v];
            if (!tl_is_clear(job->contacts, job->contacts->now, cloth, x, 0.0) &&
                tl_contact_project(job->contacts, cloth, job->part, job->x != NULL ? &from : NULL,
                                   &x)) {
                tl_store3(job->out + 3 * (int64_t)v, x);
                moved++;
            }
        }
    }
    return (double)moved;
}

int32_t tl_terms_project(TlSystem *system, const TlContacts *contacts, double gap,
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
        if (!job->system->fixed[v] && job->system->pinched[v] != TL_PINCHED) {
            int32_t cloth = job->system->model->vertex_material[v];
            if (!tl_is_clear(job->contacts, job->contacts->now, cloth, x, tl_length3(u))) {
                u = tl_contact_land(job->contacts, cloth, x, u);
            }
            tl_store3(job->out + at, tl_add3(x, u));
        }
    }
}

void tl_terms_land(TlSystem *system, const TlContacts *contacts, const double *from, double *x) {
    Job job = {system, contacts, from, x, 0.0, NULL};
    if (contacts->collider_count > 0) {
        tl_parallel_for(system->pool, system->model->vertex_count, GRAIN, land_range, &job);
    }
}
