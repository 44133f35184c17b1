/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* One sub-step, by any of the integrators: all take the same forces, pins and colliders and stand
 * behind one interface, each in a file of its own. */
#ifndef TL_INTEGRATOR_H
#define TL_INTEGRATOR_H

#include "solve/ldl.h"
#include "solve/newton.h"

/* What a sub-step starts from and changes. */
typedef struct TlStep {
    double *x, *v;            /* state, 3 per vertex */
    const double *pin_target; /* 3 per vertex: where fixed vertices are at the end */
    double dt_s;
    TlExternal external;
    TlNewton newton;
    bool yield; /* cloth that has no room lets slow colliders pass */
    bool force; /* colliders and pins that find no room go through cloth; else the step fails */
} TlStep;

typedef struct TlStepResult {
    TlNewtonResult newton; /* nothing but `finite` where there is no Newton */
    bool ok;
    int32_t projected; /* vertices put back outside a collider */
} TlStepResult;

/* The state before the last sub-step, which multi-step methods need; a part of the state of a
 * simulation. */
typedef struct TlHistory {
    double *x, *v; /* 3 per vertex; 0 when there is none */
    double dt_s;   /* length of that sub-step; 0: there is none, the method starts anew */
} TlHistory;

/* What an integrator works with between and during sub-steps. */
typedef struct TlIntegration {
    TlHistory *history;      /* multi-step methods only */
    bool cut;                /* this sub-step is short because of a collider */
    bool damped;             /* some fabric has damping */
    double *v_start;         /* all but the methods with a potential for contact; 3 per vertex */
    double *a, *stage, *sum; /* explicit methods, 3 per vertex */
    /* imex: the factor and what it was made for */
    TlLdl ldl;
    double *diagonal; /* per vertex */
    uint8_t *fixed;
    double dt_s, drag; /* dt_s 0: not made yet */
} TlIntegration;

/* What bounds the step of a method. */
typedef enum TlBound {
    TL_BOUND_NONE,       /* stable with any step */
    TL_BOUND_GROWTH,     /* explicit Euler: never stable without damping */
    TL_BOUND_SYMPLECTIC, /* h omega < 2 */
    TL_BOUND_RK4,        /* h omega < 2.785, see stability.c */
    TL_BOUND_IMEX        /* as symplectic, less the implicit part */
} TlBound;

/* Advances x and v by dt_s; when result.ok is false no sound state was found and nothing moved. */
typedef TlStepResult (*TlIntegrate)(TlSystem *system, const TlContacts *contacts,
                                    const TlStep *step, TlIntegration *work);

typedef struct TlIntegrator {
    const char *name; /* as in scenes */
    TlIntegrate step;
    TlBound bound;
    bool multi_step;
    bool impulses; /* meets colliders at the end of a sub-step, not by a potential: explicit.c */
} TlIntegrator;

/* By its number, a ToileIntegrator. */
const TlIntegrator *tl_integrator(int32_t which);
/* Work arrays of one integrator; false when memory is refused. */
bool tl_integration_build(TlArena *arena, const TlSystem *system, const TlIntegrator *integrator,
                          TlHistory *history, TlIntegration *out);
/* Multi-step methods start anew. */
void tl_history_forget(TlHistory *history, int32_t vertex_count);

TlStepResult tl_bdf2(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                     TlIntegration *work);
TlStepResult tl_semi_implicit(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                              TlIntegration *work);
TlStepResult tl_imex(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                     TlIntegration *work);
TlStepResult tl_symplectic_euler(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                                 TlIntegration *work);
TlStepResult tl_verlet(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                       TlIntegration *work);
TlStepResult tl_rk4(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                    TlIntegration *work);
TlStepResult tl_explicit_euler(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                               TlIntegration *work);

#endif
