/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* BDF2 with variable steps as an incremental potential. With w = h/h_ the ratio to the step before
 * (state x_, v_), A(y) = ((1 + w)^2 y - w^2 y_)/(1 + 2 w) and beta = h (1 + w)/(1 + 2 w):
 *
 *   x+ minimises |x - x^|^2_M / (2 beta^2) + E(x),   x^ = A(x) + beta A(v) + beta^2 g,
 *   v+ = (x+ - A(x))/beta
 *
 * Linear drag adds c A/(2 beta) |x - A(x)|^2. Second order; equal steps give the textbook's
 * coefficients. Strain-rate damping and friction are those over the step, first order, so that they
 * stay blind to rigid motion. The first step is implicit Euler's, and so is the one after a step
 * that a collider cut short, in which vertices had to be put out of one, or in which crossings were
 * pulled apart.
 *
 * At a collider velocities jump, and the formula would throw a vertex that it stopped back with
 * half its speed. A vertex in contact at the end of a step therefore has the velocity of that step
 * alone, and one in contact at the start is stepped as by implicit Euler: first order there, second
 * elsewhere. */
#include "base/vec.h"
#include "solve/implicit_euler.h"
#include "solve/potential.h"

#include <string.h>

typedef struct Formula {
    double beta;
    double pull; /* A(y) = y + pull (y - y_) */
} Formula;

static Formula formula_of(double h, double h_before) {
    double w = h / h_before;
    return (Formula){h * (1.0 + w) / (1.0 + 2.0 * w), w * w / (1.0 + 2.0 * w)};
}

static bool in_contact(const TlSystem *system, const TlContacts *contacts, const double *x,
                       int32_t v) {
    return tl_contact_value(contacts, system->model->vertex_material[v], 1.0,
                            tl_load3(x + 3 * (int64_t)v)) > 0.0;
}

/* Of one vertex: implicit Euler's where it is fixed or starts in contact. */
static Formula formula_at(const TlSystem *system, const TlContacts *contacts, const TlStep *step,
                          Formula usual, int32_t v) {
    TlContacts before = *contacts;
    before.now = contacts->before;
    bool plain = system->fixed[v] || in_contact(system, &before, system->x_start, v);
    return plain ? (Formula){step->dt_s, 0.0} : usual;
}

/* Over d = x - x_n: w = m/beta^2 + c A/beta, f = w (A(x) - x_n) + m (A(v)/beta + g). */
static void describe(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                     const TlHistory *past, Formula usual) {
    const TlModel *model = system->model;
    for (int32_t v = 0; v < model->vertex_count; v++) {
        Formula f = formula_at(system, contacts, step, usual, v);
        double m = model->mass[v], drag = step->external.drag_kg_per_m2_s * model->area[v];
        double w = m / (f.beta * f.beta) + drag / f.beta;
        system->weight[v] = w;
        for (int i = 0; i < 3; i++) {
            int64_t at = 3 * (int64_t)v + i;
            double ahead = f.pull * (step->x[at] - past->x[at]);
            double av = step->v[at] + f.pull * (step->v[at] - past->v[at]);
            system->force[at] = w * ahead + m * (av / f.beta + step->external.gravity[i]);
        }
    }
}

/* Velocities; the start becomes the history. */
static void finish(const TlSystem *system, const TlContacts *contacts, const TlStep *step,
                   TlHistory *past, Formula usual) {
    for (int32_t v = 0; v < system->model->vertex_count; v++) {
        Formula f = formula_at(system, contacts, step, usual, v);
        if (in_contact(system, contacts, step->x, v)) {
            f = (Formula){step->dt_s, 0.0};
        }
        for (int64_t i = 3 * (int64_t)v; i < 3 * (int64_t)v + 3; i++) {
            double start = system->x_start[i], ahead = f.pull * (start - past->x[i]);
            past->x[i] = start;
            past->v[i] = step->v[i];
            step->v[i] = (step->x[i] - start - ahead) / f.beta;
        }
    }
}

static TlStepResult first_step(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                               TlHistory *past) {
    size_t size = 3 * sizeof(double) * (size_t)system->model->vertex_count;
    memcpy(past->v, step->v, size);
    TlStepResult result = tl_implicit_euler(system, contacts, step);
    memcpy(past->x, system->x_start, size);
    return result;
}

static TlStepResult later_step(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                               TlHistory *past) {
    Formula formula = formula_of(step->dt_s, past->dt_s);
    tl_potential_begin(system, contacts, step);
    describe(system, contacts, step, past, formula);
    tl_potential_guess(system, step, step->x);
    TlStepResult result = tl_potential_minimise(system, contacts, step, &step->newton);
    if (result.ok) {
        finish(system, contacts, step, past, formula);
        tl_potential_calm(system, contacts, step);
    }
    return result;
}

TlStepResult tl_bdf2(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                     TlIntegration *work) {
    TlHistory *past = work->history;
    bool first = !(past->dt_s > 0.0);
    TlStepResult result =
        first ? first_step(system, contacts, step, past) : later_step(system, contacts, step, past);
    if (result.ok) {
        past->dt_s = step->dt_s;
    }
    bool pulled = contacts->world != NULL && contacts->world->pulling > 0;
    if ((first && !result.ok) || (result.ok && (work->cut || result.projected > 0 || pulled))) {
        tl_history_forget(past, system->model->vertex_count);
    }
    return result;
}
