/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The list of integrators and their work arrays. */
#include "solve/integrator.h"

#include "solve/implicit_euler.h"

#include <string.h>

static TlStepResult implicit_euler(TlSystem *system, const TlContacts *contacts, const TlStep *step,
                                   TlIntegration *work) {
    (void)work;
    return tl_implicit_euler(system, contacts, step);
}

const TlIntegrator *tl_integrator(int32_t which) {
    static const TlIntegrator all[] = {
        [TOILE_INTEGRATOR_IMPLICIT_EULER] = {"implicit-euler", implicit_euler, TL_BOUND_NONE,
                                             .impulses = false},
        [TOILE_INTEGRATOR_BDF2] = {"bdf2", tl_bdf2, TL_BOUND_NONE, .multi_step = true},
        [TOILE_INTEGRATOR_SEMI_IMPLICIT] = {"semi-implicit", tl_semi_implicit, TL_BOUND_NONE,
                                            .impulses = true},
        [TOILE_INTEGRATOR_IMEX] = {"imex", tl_imex, TL_BOUND_IMEX, .impulses = true},
        [TOILE_INTEGRATOR_SYMPLECTIC_EULER] = {"symplectic-euler", tl_symplectic_euler,
                                               TL_BOUND_SYMPLECTIC, .impulses = true},
        [TOILE_INTEGRATOR_VERLET] = {"verlet", tl_verlet, TL_BOUND_SYMPLECTIC, .multi_step = true,
                                     .impulses = true},
        [TOILE_INTEGRATOR_RK4] = {"rk4", tl_rk4, TL_BOUND_RK4, .impulses = true},
        [TOILE_INTEGRATOR_EXPLICIT_EULER] = {"explicit-euler", tl_explicit_euler, TL_BOUND_GROWTH,
                                             .impulses = true},
    };
    return &all[which];
}

static bool is_damped(const TlModel *model) {
    for (int32_t i = 0; i < model->material_count; i++) {
        const TlMaterial *m = &model->materials[i];
        if (m->stretch_damping_s > 0.0 || m->bend_damping_N_m_s > 0.0) {
            return true;
        }
    }
    return false;
}

bool tl_integration_build(TlArena *arena, const TlSystem *system, const TlIntegrator *integrator,
                          TlHistory *history, TlIntegration *out) {
    int32_t n = system->model->vertex_count;
    memset(out, 0, sizeof *out);
    out->history = history;
    out->damped = is_damped(system->model);
    if (integrator->impulses) {
        out->v_start = TL_NEW(arena, double, 3 * (int64_t)n);
    }
    if (integrator->bound == TL_BOUND_NONE) {
        return !arena->failed;
    }
    out->a = TL_NEW(arena, double, 3 * (int64_t)n);
    out->stage = TL_NEW(arena, double, 3 * (int64_t)n);
    out->sum = TL_NEW(arena, double, 3 * (int64_t)n);
    if (integrator->bound == TL_BOUND_IMEX) {
        out->diagonal = TL_NEW(arena, double, n);
        out->fixed = TL_NEW(arena, uint8_t, n);
        return !arena->failed && tl_ldl_build(arena, &system->bend_matrix, &out->ldl);
    }
    return !arena->failed;
}

void tl_history_forget(TlHistory *history, int32_t vertex_count) {
    history->dt_s = 0.0;
    if (history->x != NULL) {
        memset(history->x, 0, 3 * sizeof *history->x * (size_t)vertex_count);
        memset(history->v, 0, 3 * sizeof *history->v * (size_t)vertex_count);
    }
}
