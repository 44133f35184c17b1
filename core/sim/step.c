/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* One frame: the order of stages and nothing else. Read this file first.
 *
 *   toile_sim_step     prepare -> plan sub-steps -> sub-steps -> arrive -> measure
 *   one sub-step       short enough for thin colliders? -> place colliders and pins
 *                      -> the integrator, solve/integrator.h -> judge -> keep, or halve
 *   toile_sim_settle   prepare -> place -> solve/settle.c -> arrive -> measure */
#include "sim/sim_internal.h"

#include "base/platform.h"
#include "base/vec.h"
#include "solve/settle.h"

#include <inttypes.h>
#include <string.h>

/* A sub-step can be halved eleven times, and is kept whatever is thought of it after three.
 * Colliders and pins that find no room go through cloth in sub-steps of so many ticks, and of one
 * part in so many of what the speed of colliders calls for. While cloth is clean they are shorter,
 * and pins go no farther in them than part of the contact distance: where cloth is stretched hard,
 * or pins turn back into their own cloth, longer ones fail although there is room. Cloth yields to
 * slow colliders only in the shortest of all. */
enum {
    TICKS = 2048,
    LEAST_JUDGED = 512,
    MOST_FORCED = 256,
    MOST_WHILE_CLEAN = 16,
    FORCED_PART = 32,
    MOST_ROUNDS = 6
};
#define MOST_PIN_TRAVEL 0.5

static bool report_progress(const ToileSim *sim, double fraction) {
    const ToileProgress *progress = &sim->def.progress;
    return progress->report == NULL || progress->report(progress->user, fraction);
}

/* Tries the part of the frame from `from` to `to`. Sub-steps of the same length may work with the
 * coarse levels of those before, which are costly and change little. `yield`: cloth without room
 * lets slow colliders pass; `force`: colliders and pins arrive, whatever is in the way. */
static TlVerdict substep(ToileSim *sim, double from, double to, bool keep_coarse, bool yield,
                         bool force, bool strictly) {
    tl_keep_start(sim);
    double dt_s = (to - from) / sim->def.fps, clock_s = tl_clock_s();
    TlContacts contacts = tl_sim_meet(sim, from, to, dt_s);
    tl_place_pins(sim, to);
    TlStep step = {
        sim->state.x,
        sim->state.v,
        sim->state.pin_now,
        dt_s,
        {{sim->def.gravity_m_per_s2[0], sim->def.gravity_m_per_s2[1], sim->def.gravity_m_per_s2[2]},
         sim->def.drag_kg_per_m2_s},
        tl_newton_options(sim, dt_s),
        yield,
        force};
    step.newton.keep_coarse = keep_coarse;
    step.newton.guess = sim->system.knows_last ? sim->system.last : NULL;
    sim->stats.contact_s += tl_lap(&clock_s);
    double meeting_s = tl_world_seconds(contacts.world);
    TlStepResult result =
        tl_integrator(sim->def.integrator)->step(&sim->system, &contacts, &step, &sim->integration);
    double seconds = tl_lap(&clock_s) - (tl_world_seconds(contacts.world) - meeting_s);
    TlVerdict verdict = tl_judge(sim, &result, strictly);
    tl_count_substep(sim, &result, verdict == TL_VERDICT_SOUND, seconds);
    return verdict;
}

/* Whether cloth crosses nothing yet. */
static bool is_clean(const ToileSim *sim) {
    const TlWorld *world = sim->world;
    return world != NULL && !world->suspect && world->crossings.count == 0 &&
           sim->system.pinched_count == 0;
}

/* Whether sub-steps of this size are so short, for the speed of what is prescribed too, that
 * shorter ones would find no room either. */
static bool may_force(ToileSim *sim, int32_t tick, int32_t size, int32_t total) {
    int32_t more = FORCED_PART * size < TICKS ? FORCED_PART * size : TICKS;
    bool clean = is_clean(sim);
    if (size == 1 || size > (clean ? MOST_WHILE_CLEAN : MOST_FORCED)) {
        return size == 1;
    }
    bool near = !clean || sim->pin_travel * size <= MOST_PIN_TRAVEL * total;
    return near && tl_is_slow(sim, tick, more, total);
}

/* All sub-steps of a frame. Time runs in whole ticks, so that halving and going on is exact. */
static ToileStatus run_substeps(ToileSim *sim, ToileError *error) {
    int32_t count, size = TICKS, last_size = 0;
    sim->system.knows_last = false;
    ToileStatus status = tl_plan_substeps(sim, &count, error);
    int32_t total = status == TOILE_STATUS_OK ? count * TICKS : 0;
    for (int32_t tick = 0; tick < total;) {
        if (!report_progress(sim, (double)tick / total)) {
            return tl_fail(error, TOILE_STATUS_CANCELLED, "cancelled");
        }
        size = tl_short_enough(sim, tick, size, total);
        bool keep_coarse = size == last_size;
        last_size = size;
        TlVerdict verdict =
            substep(sim, (double)tick / total, (double)(tick + size) / total, keep_coarse,
                    size == 1, may_force(sim, tick, size, total), size >= LEAST_JUDGED);
        if (sim->system_arena.failed) {
            return tl_lacks_memory(sim, error);
        }
        if (verdict == TL_VERDICT_SOUND) {
            tick += size;
            while (size < TICKS && tick % (2 * size) == 0) {
                size *= 2;
            }
        } else if (size > 1) {
            size /= 2;
            sim->system.knows_last = false;
            tl_retry(sim, verdict);
        } else {
            return tl_fail(error, TOILE_STATUS_DIVERGED,
                           "the solver found no sound state on the way to frame %" PRId64
                           "; use more substeps or softer fabric, and look for extreme motion",
                           sim->frame + 1);
        }
    }
    return status;
}

/* The frame. Cloth that is tangled must not get more so: where it does, the frame is done again
 * with less freedom there, and in the end with none. Colliders and pins may press it all the same.
 */
static ToileStatus run_frame(ToileSim *sim, ToileError *error) {
    tl_begin_contact(sim, false);
    sim->pin_travel = tl_pin_travel(sim);
    int32_t before = tl_sim_crossings(sim, 0.0);
    if (sim->world != NULL) {
        tl_world_note_crossings(sim->world);
    }
    ToileStatus status = run_substeps(sim, error);
    for (int32_t round = 1; before > 0 && status == TOILE_STATUS_OK && round <= MOST_ROUNDS;
         round++) {
        if (tl_sim_crossings(sim, 1.0) <= before) {
            break;
        }
        tl_world_hold_worse(sim->world, round == MOST_ROUNDS);
        tl_roll_back(sim);
        tl_suspect_crossings(sim);
        sim->stats.retries++;
        tl_begin_contact(sim, true);
        status = run_substeps(sim, error);
    }
    return status;
}

/* Prepares what changed since the last frame, and keeps what to go back to. */
static ToileStatus make_ready(ToileSim *sim, ToileError *error) {
    ToileStatus status = tl_sim_prepare(sim, error);
    if (status == TOILE_STATUS_OK) {
        tl_stats_begin(sim);
        tl_back_up(sim);
        tl_fix_vertices(sim);
        tl_find_carriers(sim);
    }
    return status;
}

ToileStatus toile_sim_step(ToileSim *sim, ToileError *error) {
    if (sim == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "sim is NULL");
    }
    ToileStatus status = make_ready(sim, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    status = run_frame(sim, error);
    if (status != TOILE_STATUS_OK) {
        tl_roll_back(sim);
        tl_fail_frame(error, sim->frame + 1);
        return status;
    }
    tl_arrive(sim);
    sim->frame++;
    tl_sim_measure(sim);
    return TOILE_STATUS_OK;
}

static bool watch_settle(void *user, int32_t iteration, double residual) {
    (void)residual;
    const ToileSim *sim = user;
    return report_progress(sim, 1.0 - 1.0 / (1.0 + 0.02 * iteration));
}

static void report_settle(ToileSim *sim, const TlSettleResult *from, ToileSettleResult *to) {
    sim->stats.newton_iterations = from->iterations;
    sim->stats.cg_iterations = from->cg_iterations;
    sim->stats.line_search_cuts = from->cuts;
    sim->stats.linear_residual = from->residual_ratio;
    sim->stats.assembly_s = from->seconds.assembly_s;
    sim->stats.linear_s = from->seconds.linear_s;
    sim->stats.search_s = from->seconds.search_s;
    ToileSettleResult local = toile_settle_result_default();
    local.iterations = from->iterations;
    local.converged = from->converged;
    local.residual = from->residual;
    local.largest_force_N = from->largest_force_N;
    if (to != NULL) {
        tl_write_result(to, &local, sizeof local);
    }
}

static ToileStatus settle_status(const TlSettleResult *found, ToileError *error) {
    if (found->cancelled) {
        return tl_fail(error, TOILE_STATUS_CANCELLED, "cancelled");
    }
    if (found->unheld) {
        return tl_fail(
            error, TOILE_STATUS_DIVERGED,
            "nothing holds the cloth, so it has no static drape; pin it or put a collider "
            "under it");
    }
    if (!found->finite) {
        return tl_fail(error, TOILE_STATUS_DIVERGED,
                       "settling found no finite state; start from a cleaner pose");
    }
    return TOILE_STATUS_OK;
}

ToileStatus toile_sim_settle(ToileSim *sim, const ToileSettleDef *def, ToileSettleResult *result,
                             ToileError *error) {
    ToileSettleDef local = toile_settle_def_default();
    ToileSettleResult unused;
    if (sim == NULL || (def != NULL && !tl_read_def(&local, sizeof local, def)) ||
        (result != NULL && !tl_read_def(&unused, sizeof unused, result))) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "sim is NULL, or the definition or result not initialised");
    }
    if (local.max_iterations < 1 || !(local.tolerance > 0.0)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "max_iterations is %" PRId32 " and tolerance %g; both must be above 0",
                       local.max_iterations, local.tolerance);
    }
    ToileStatus status = make_ready(sim, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    tl_begin_contact(sim, false);
    if (sim->world != NULL) {
        tl_world_note_crossings(sim->world);
    }
    tl_place_pins(sim, 1.0);
    for (int32_t v = 0; v < sim->state.vertex_count; v++) {
        if (sim->system.fixed[v]) {
            memcpy(sim->state.x + 3 * (int64_t)v, sim->state.pin_now + 3 * (int64_t)v,
                   3 * sizeof(double));
        }
    }
    TlContacts contacts = tl_sim_meet(sim, 1.0, 1.0, 0.0);
    TlSettle options = {sim->def.gravity_m_per_s2, local.max_iterations, local.tolerance,
                        watch_settle, sim};
    TlSettleResult found = tl_settle(&sim->system, &contacts, &options, sim->state.x);
    report_settle(sim, &found, result);
    status = sim->system_arena.failed ? tl_lacks_memory(sim, error) : settle_status(&found, error);
    if (status != TOILE_STATUS_OK) {
        tl_roll_back(sim);
        return status;
    }
    memset(sim->state.v, 0, 3 * sizeof(double) * (size_t)sim->state.vertex_count);
    tl_history_forget(&sim->state.history, sim->state.vertex_count);
    tl_arrive(sim);
    tl_sim_measure(sim);
    return TOILE_STATUS_OK;
}
