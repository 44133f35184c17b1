/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of a frame that step.c puts in order: options, sub-steps and what is thought of them,
 * backup, arrival. */
#include "sim/sim_internal.h"

#include "base/platform.h"
#include "base/vec.h"
#include "solve/stability.h"

#include <inttypes.h>
#include <string.h>

enum {
    SUBSTEPS_PER_SECOND = 96, /* of the automatic choice */
    MOST_CG = 400,
    MOST_RESCUES = 6,
    MOST_LIMITED = 100, /* with a strain limit */
    MOST_NEWTON = 100,  /* where the caller says how accurate */
    MOST_CUTS = 3,      /* halvings of a Newton step that are still believed, on average */
    COPY_GRAIN = 1024,
};

/* of the stretch that a strain limit allows: Newton's tolerance */
#define LIMIT_PART 0.1
/* of an edge: steps that stretch it by so little, or turn it by as little, 11 degrees, are safe */
#define GENTLE 0.2
/* an impact whose last correction is larger than this is not yet solved; twice that at `fast` */
#define RESCUE_M 0.005
/* stretch beyond which no cloth is used, and its growth in a sub-step that is too much then, ratios
 */
#define LARGE_STRETCH 2.0
#define MOST_GROWTH 1.25

/* The stretch, m, that the strictest strain limit allows an edge; infinite without one. */
static double least_stretch(const TlModel *model) {
    const TlEdgeSet *edges = &model->sets.edges;
    double least = (double)INFINITY;
    bool limited = false;
    for (int32_t m = 0; m < model->material_count; m++) {
        limited = limited || model->materials[m].stretch_limit > 0.0;
    }
    for (int32_t e = 0; limited && e < edges->count; e++) {
        double limit = model->materials[edges->material[e]].stretch_limit;
        least = limit > 0.0 ? tl_min(least, limit * edges->length[e]) : least;
    }
    return least;
}

/* What a quality asks of Newton's method. */
typedef struct Level {
    int32_t iterations;
    double tolerance_m;
    double linear, later; /* ratios, of the conjugate gradients, see TlNewton */
    double gentle;        /* ratio, see TlNewton */
    double rescue_m;      /* a larger last correction is not yet solved */
    double most_held;     /* ratio, see TlNewton */
    int32_t patience;     /* see TlNewton */
} Level;

/* A strain limit is a barrier, which holds only where steps are solved: quality is accurate then,
 * and tolerances are small beside what the limit leaves. */
static Level level_of(const ToileSim *sim) {
    static const Level levels[] = {
        [TOILE_QUALITY_FAST] = {.iterations = 1,
                                .linear = 0.15,
                                .gentle = GENTLE,
                                .rescue_m = 2.0 * RESCUE_M,
                                .most_held = 0.01,
                                .patience = 2},
        [TOILE_QUALITY_STANDARD] =
            {.iterations = 2, .linear = 0.2, .later = 0.25, .gentle = GENTLE, .rescue_m = RESCUE_M},
        [TOILE_QUALITY_ACCURATE] = {
            .iterations = 20, .tolerance_m = 2e-4, .linear = 0.04, .rescue_m = RESCUE_M}};
    double stretch = least_stretch(&sim->model);
    Level level = levels[stretch < (double)INFINITY ? TOILE_QUALITY_ACCURATE : sim->def.quality];
    level.tolerance_m = tl_min(level.tolerance_m, LIMIT_PART * stretch);
    level.iterations = stretch < (double)INFINITY ? MOST_LIMITED : level.iterations;
    return level;
}

TlNewton tl_newton_options(const ToileSim *sim, double dt_s) {
    const ToileSimDef *def = &sim->def;
    Level level = level_of(sim);
    TlNewton options = {.dt_s = dt_s,
                        .most_iterations = level.iterations,
                        .tolerance_m = level.tolerance_m,
                        .linear_tolerance = level.linear,
                        .later_tolerance = level.later,
                        .gentle = level.gentle,
                        .most_rescues = def->newton_iterations > 0 ? 0 : MOST_RESCUES,
                        .rescue_m = level.rescue_m,
                        .most_held = def->newton_iterations > 0 ? 0.0 : level.most_held,
                        .patience = level.patience,
                        .most_cg = MOST_CG};
    if (def->newton_iterations > 0) {
        options.most_iterations = def->newton_iterations;
    }
    if (def->tolerance_m > 0.0) {
        options.gentle = options.later_tolerance = 0.0;
        options.tolerance_m = def->tolerance_m;
        options.most_iterations = def->newton_iterations > 0 ? def->newton_iterations : MOST_NEWTON;
    }
    if (def->linear_tolerance > 0.0) {
        options.linear_tolerance = def->linear_tolerance;
        options.later_tolerance = 0.0;
        options.most_cg = 10 * MOST_CG;
    }
    return options;
}

int32_t tl_substep_count(const ToileSimDef *def) {
    if (def->substeps > 0) {
        return def->substeps;
    }
    double wanted = SUBSTEPS_PER_SECOND / def->fps;
    int32_t count = (int32_t)wanted;
    return (double)count < wanted - 1e-9 || count < 1 ? count + 1 : count;
}

/* The next of 1 to 8, 10, 12, 14, 16, 20, 24, ...: so that a stiffness that changes a little does
 * not change the step, nor what is kept for it. */
static int32_t round_up(int32_t count) {
    int32_t unit = 1;
    while (8 * unit < count) {
        unit *= 2;
    }
    return (count + unit - 1) / unit * unit;
}

static void tell_substeps(ToileSim *sim, int32_t count, int32_t asked, double h) {
    const TlIntegrator *integrator = tl_integrator(sim->def.integrator);
    if (sim->told_substeps) {
        return;
    }
    sim->told_substeps = true;
    if (integrator->bound == TL_BOUND_GROWTH) {
        tl_log(&sim->def.log, TOILE_LOG_WARNING,
               "%s is never stable without damping: %" PRId32
               " sub-steps a frame are taken instead of %" PRId32
               ", so that errors grow at most e-fold in a second; symplectic-euler needs far fewer",
               integrator->name, count, asked);
    } else {
        tl_log(&sim->def.log, TOILE_LOG_WARNING,
               "%s is stable on this cloth with steps up to %.3g s: %" PRId32
               " sub-steps a frame are taken instead of %" PRId32 ", and more when it gets stiffer",
               integrator->name, h, count, asked);
    }
}

static ToileStatus refuse_substeps(const TlIntegrator *integrator, double needed,
                                   ToileError *error) {
    bool growth = integrator->bound == TL_BOUND_GROWTH;
    return tl_fail(error, TOILE_STATUS_DIVERGED,
                   "%s%s needs %.3g sub-steps a frame on this cloth, and at most %d are taken; use "
                   "%simplicit-euler, softer fabric, a coarser mesh or a higher frame rate",
                   integrator->name, growth ? ", never stable without damping," : "", needed,
                   TL_MOST_SUBSTEPS, growth ? "symplectic-euler, " : "");
}

ToileStatus tl_plan_substeps(ToileSim *sim, int32_t *count, ToileError *error) {
    const TlIntegrator *integrator = tl_integrator(sim->def.integrator);
    const double *g = sim->def.gravity_m_per_s2;
    TlExternal external = {{g[0], g[1], g[2]}, sim->def.drag_kg_per_m2_s};
    double h = tl_stable_step(&sim->system, integrator->bound, sim->integration.damped, &external,
                              sim->state.x);
    double needed = 1.0 / (sim->def.fps * h);
    int32_t asked = tl_substep_count(&sim->def);
    *count = sim->stats.substeps_planned = asked;
    if (needed <= asked) {
        return TOILE_STATUS_OK;
    }
    if (!(needed < TL_MOST_SUBSTEPS)) {
        return refuse_substeps(integrator, needed, error);
    }
    *count = round_up((int32_t)needed + 1);
    *count = *count < TL_MOST_SUBSTEPS ? *count : TL_MOST_SUBSTEPS;
    sim->stats.substeps_planned = *count;
    sim->stats.substeps_added = *count - asked;
    tell_substeps(sim, *count, asked, h);
    return TOILE_STATUS_OK;
}

int32_t tl_short_enough(ToileSim *sim, int32_t tick, int32_t size, int32_t total) {
    int32_t short_size = size;
    double clock_s = tl_clock_s();
    while (short_size > 1 &&
           tl_too_far(sim, (double)tick / total, (double)(tick + short_size) / total)) {
        short_size /= 2;
    }
    sim->integration.cut = short_size < size;
    sim->stats.substeps_shortened += short_size < size;
    sim->stats.contact_s += tl_lap(&clock_s);
    return short_size;
}

bool tl_is_slow(ToileSim *sim, int32_t tick, int32_t size, int32_t total) {
    double clock_s = tl_clock_s();
    int32_t from = tick + size < total ? tick : total - size;
    bool slow = !tl_too_far(sim, (double)from / total, (double)(from + size) / total);
    sim->stats.contact_s += tl_lap(&clock_s);
    return slow;
}

/* ---- judgement ---- */

/* Newton's method stopped although it had still far to go: because its steps were cut to an eighth
 * on average, or to nothing, or because all iterations were used up. */
static bool is_unsolved(const TlNewtonResult *newton, double rescue_m) {
    return newton->last_step_m > rescue_m * newton->part &&
           (newton->stuck || newton->cuts >= MOST_CUTS * newton->iterations ||
            newton->rescues >= MOST_RESCUES);
}

/* Whether an edge is longer than its strain limit allows. */
static bool overruns_limit(const ToileSim *sim) {
    const TlEdgeSet *edges = &sim->model.sets.edges;
    bool limited = least_stretch(&sim->model) < (double)INFINITY;
    for (int32_t e = 0; limited && e < edges->count; e++) {
        double limit = sim->model.materials[edges->material[e]].stretch_limit;
        TlVec3 a = tl_load3(sim->state.x + 3 * (int64_t)edges->vertex[2 * (int64_t)e]);
        TlVec3 b = tl_load3(sim->state.x + 3 * (int64_t)edges->vertex[2 * (int64_t)e + 1]);
        if (limit > 0.0 && tl_length3(tl_sub3(a, b)) > (1.0 + limit) * edges->length[e]) {
            return true;
        }
    }
    return false;
}

TlVerdict tl_judge(ToileSim *sim, const TlStepResult *result, bool strictly) {
    if (!result->ok) {
        return TL_VERDICT_FAILED;
    }
    if (!strictly || !tl_is_judged(tl_integrator(sim->def.integrator))) {
        return TL_VERDICT_SOUND;
    }
    if (is_unsolved(&result->newton, level_of(sim).rescue_m)) {
        return TL_VERDICT_UNSOLVED;
    }
    bool strained = tl_strained_count(sim, LARGE_STRETCH, MOST_GROWTH) > 0 || overruns_limit(sim);
    return strained ? TL_VERDICT_STRAINED : TL_VERDICT_SOUND;
}

bool tl_is_judged(const TlIntegrator *integrator) {
    return integrator->bound == TL_BOUND_NONE;
}

/* ---- backups ---- */

/* Positions and velocities of one state, from and to. */
typedef struct Copy {
    double *x, *v;
    const double *from_x, *from_v;
} Copy;

static void copy_range(void *data, int32_t begin, int32_t end) {
    const Copy *copy = data;
    size_t first = 3 * (size_t)begin, size = 3 * sizeof *copy->x * (size_t)(end - begin);
    memcpy(copy->x + first, copy->from_x + first, size);
    memcpy(copy->v + first, copy->from_v + first, size);
}

static void copy_state(const ToileSim *sim, Copy copy) {
    tl_parallel_for(sim->pool, sim->state.vertex_count, COPY_GRAIN, copy_range, &copy);
}

static void copy_history(const ToileSim *sim, TlHistory *to, const TlHistory *from) {
    if (from->x != NULL) {
        copy_state(sim, (Copy){to->x, to->v, from->x, from->v});
    }
    to->dt_s = from->dt_s;
}

void tl_back_up(ToileSim *sim) {
    TlState *state = &sim->state;
    copy_state(sim, (Copy){state->x_backup, state->v_backup, state->x, state->v});
    copy_history(sim, &state->history_backup, &state->history);
}

void tl_roll_back(ToileSim *sim) {
    TlState *state = &sim->state;
    copy_state(sim, (Copy){state->x, state->v, state->x_backup, state->v_backup});
    copy_history(sim, &state->history, &state->history_backup);
}

void tl_keep_start(ToileSim *sim) {
    TlState *state = &sim->state;
    if (state->x_start != NULL) {
        copy_state(sim, (Copy){state->x_start, state->v_start, state->x, state->v});
        copy_history(sim, &state->history_start, &state->history);
    }
}

void tl_retry(ToileSim *sim, TlVerdict verdict) {
    TlState *state = &sim->state;
    sim->stats.retries++;
    sim->stats.retries_failed += verdict == TL_VERDICT_FAILED;
    sim->stats.retries_strain += verdict == TL_VERDICT_STRAINED;
    sim->stats.retries_newton += verdict == TL_VERDICT_UNSOLVED;
    if (verdict != TL_VERDICT_FAILED) {
        copy_state(sim, (Copy){state->x, state->v, state->x_start, state->v_start});
        copy_history(sim, &state->history, &state->history_start);
    }
}

void tl_arrive(ToileSim *sim) {
    for (int32_t i = 0; i < sim->collider_capacity; i++) {
        tl_collider_arrive(&sim->colliders[i]);
    }
}

bool tl_too_far(ToileSim *sim, double from, double to) {
    double dt_s = (to - from) / sim->def.fps;
    if (tl_sim_travels_far(sim, from, to)) {
        return true;
    }
    TlContacts contacts = tl_sim_contacts(sim, from, to, dt_s);
    const double *g = sim->def.gravity_m_per_s2;
    TlVec3 fall = tl_vec3(dt_s * g[0], dt_s * g[1], dt_s * g[2]);
    for (int32_t i = 0; i < contacts.collider_count; i++) {
        double safe = tl_collider_safe_move(contacts.now[i].collider);
        for (int32_t v = 0; safe < (double)INFINITY && v < sim->state.vertex_count; v++) {
            if (sim->system.fixed[v]) {
                continue;
            }
            TlVec3 x = tl_load3(sim->state.x + 3 * (int64_t)v), n;
            TlVec3 velocity = tl_add3(tl_load3(sim->state.v + 3 * (int64_t)v), fall);
            TlVec3 carried = tl_collider_carry_back(&contacts.before[i], &contacts.now[i], x);
            TlVec3 move = tl_add3(tl_scale3(dt_s, velocity), tl_sub3(carried, x));
            double travel = tl_length3(move);
            if (travel > safe && tl_collider_distance(&contacts.before[i], x, &n) < travel) {
                return true;
            }
        }
    }
    return false;
}
