/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a simulation: create, destroy, cloths with ids, and the arrays that a step works on.
 * Colliders are in colliders.c. */
#include "sim/sim_internal.h"

#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Auto thickness of cloth, SCENE: the larger of 1 mm and twice the fabric's. */
#define LEAST_THICKNESS_M 0.001
/* slip speed below which friction is smoothed */
#define SLIP_SPEED_M_PER_S 5e-5

static bool relayout(ToileSim *sim, const TlCloth *fresh);

ToileStatus toile_sim_create(const ToileSimDef *def, ToileSim **out, ToileError *error) {
    if (out == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "out is NULL");
    }
    *out = NULL;
    ToileSimDef local = toile_sim_def_default();
    /* a caller who does not know of it has none */
    local.contact_self = 0;
    if (def == NULL || !tl_read_def(&local, sizeof local, def)) {
        return tl_fail(
            error, TOILE_STATUS_INVALID_ARGUMENT,
            "the definition is NULL or not initialised; fill it with toile_sim_def_init");
    }
    ToileStatus status = tl_check_sim_def(&local, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    ToileAllocator allocator = tl_allocator_or_default(&local.allocator);
    ToileSim *sim = allocator.alloc(allocator.user, sizeof *sim, 64);
    if (sim == NULL) {
        return tl_fail_memory(error);
    }
    memset(sim, 0, sizeof *sim);
    sim->def = local;
    sim->allocator = allocator;
    sim->frame = local.start_frame;
    sim->dirty = true;
    toile_stats_init(&sim->stats, sizeof sim->stats);
    tl_arena_init(&sim->own, allocator);
    tl_arena_init(&sim->state_arena, allocator);
    tl_arena_init(&sim->system_arena, allocator);
    sim->pool = tl_pool_create(local.threads, &local.tasks);
    if (sim->pool == NULL || !relayout(sim, NULL)) {
        toile_sim_destroy(sim);
        return tl_fail_memory(error);
    }
    *out = sim;
    return TOILE_STATUS_OK;
}

static void free_cloth(ToileSim *sim, TlCloth *cloth) {
    tl_arena_free(&cloth->arena);
    sim->allocator.free(sim->allocator.user, cloth, sizeof *cloth);
}

void toile_sim_destroy(ToileSim *sim) {
    if (sim == NULL) {
        return;
    }
    for (int32_t i = 0; i < sim->cloth_capacity; i++) {
        if (sim->cloths[i].cloth != NULL) {
            free_cloth(sim, sim->cloths[i].cloth);
        }
    }
    for (int32_t i = 0; i < sim->collider_capacity; i++) {
        if (sim->colliders[i].used) {
            tl_collider_free(&sim->colliders[i]);
        }
    }
    tl_pool_destroy(sim->pool);
    tl_arena_free(&sim->own);
    tl_arena_free(&sim->state_arena);
    tl_arena_free(&sim->system_arena);
    ToileAllocator allocator = sim->allocator;
    allocator.free(allocator.user, sim, sizeof *sim);
}

/* ---- ids ---- */

TlCloth *tl_find_cloth(const ToileSim *sim, ToileClothId id, ToileError *error) {
    if (sim != NULL && id.slot >= 1 && id.slot <= (uint32_t)sim->cloth_capacity) {
        const TlClothSlot *slot = &sim->cloths[id.slot - 1];
        if (slot->cloth != NULL && slot->generation == id.generation) {
            return slot->cloth;
        }
    }
    tl_fail(error, TOILE_STATUS_STALE_ID,
            "no cloth has the id (%" PRIu32 ", %" PRIu32 "); was it removed?", id.slot,
            id.generation);
    return NULL;
}

void *tl_grow_slots(TlArena *arena, const void *slots, size_t size, int32_t *capacity) {
    int32_t grown = *capacity == 0 ? 8 : 2 * *capacity;
    void *copy = tl_arena_alloc(arena, grown, size);
    if (copy == NULL) {
        return NULL;
    }
    if (*capacity > 0) {
        memcpy(copy, slots, (size_t)*capacity * size);
    }
    *capacity = grown;
    return copy;
}

/* A free slot, growing the table when there is none; -1 when memory is refused. */
static int32_t free_cloth_slot(ToileSim *sim) {
    int32_t count = sim->cloth_capacity;
    for (int32_t i = 0; i < count; i++) {
        if (sim->cloths[i].cloth == NULL) {
            return i;
        }
    }
    TlClothSlot *slots = tl_grow_slots(&sim->own, sim->cloths, sizeof *slots, &sim->cloth_capacity);
    if (slots == NULL) {
        return -1;
    }
    sim->cloths = slots;
    return count;
}

/* ---- state ---- */

static bool alloc_history(TlArena *arena, int32_t n, TlHistory *out) {
    out->x = TL_NEW(arena, double, 3 * (int64_t)n);
    out->v = TL_NEW(arena, double, 3 * (int64_t)n);
    return !arena->failed;
}

static bool alloc_state(TlArena *arena, int32_t n, const TlIntegrator *integrator, TlState *out) {
    memset(out, 0, sizeof *out);
    out->vertex_count = n;
    out->x = TL_NEW(arena, double, 3 * (int64_t)n);
    out->v = TL_NEW(arena, double, 3 * (int64_t)n);
    out->pin_target = TL_NEW(arena, double, 3 * (int64_t)n);
    out->pinned = TL_NEW(arena, uint8_t, n);
    out->carrier = TL_NEW(arena, int32_t, n);
    out->x_backup = TL_NEW(arena, double, 3 * (int64_t)n);
    out->v_backup = TL_NEW(arena, double, 3 * (int64_t)n);
    out->pin_now = TL_NEW(arena, double, 3 * (int64_t)n);
    if (tl_is_judged(integrator)) {
        out->x_start = TL_NEW(arena, double, 3 * (int64_t)n);
        out->v_start = TL_NEW(arena, double, 3 * (int64_t)n);
    }
    if (integrator->multi_step && (!alloc_history(arena, n, &out->history) ||
                                   !alloc_history(arena, n, &out->history_backup) ||
                                   !alloc_history(arena, n, &out->history_start))) {
        return false;
    }
    return !arena->failed;
}

static void copy_state(TlState *to, int32_t to_offset, const TlState *from, int32_t from_offset,
                       int32_t n) {
    int64_t a = 3 * (int64_t)to_offset, b = 3 * (int64_t)from_offset;
    size_t size = 3 * sizeof(double) * (size_t)n;
    memcpy(to->x + a, from->x + b, size);
    memcpy(to->v + a, from->v + b, size);
    memcpy(to->pin_target + a, from->pin_target + b, size);
    memcpy(to->pinned + to_offset, from->pinned + from_offset, (size_t)n);
}

/* Lays the state of all cloths out anew; a cloth in `fresh` keeps zeroes, multi-step integrators
 * start anew. False when memory is refused: nothing changed then. */
static bool relayout(ToileSim *sim, const TlCloth *fresh) {
    int32_t n = 0;
    for (int32_t i = 0; i < sim->cloth_capacity; i++) {
        n += sim->cloths[i].cloth != NULL ? sim->cloths[i].cloth->rest.vertex_count : 0;
    }
    TlArena arena;
    TlState state;
    tl_arena_init(&arena, sim->allocator);
    if (!alloc_state(&arena, n, tl_integrator(sim->def.integrator), &state)) {
        tl_arena_free(&arena);
        return false;
    }
    int32_t vertex = 0, next[TL_SET_COUNT] = {0};
    for (int32_t i = 0; i < sim->cloth_capacity; i++) {
        TlCloth *cloth = sim->cloths[i].cloth;
        if (cloth == NULL) {
            continue;
        }
        if (cloth != fresh) {
            copy_state(&state, vertex, &sim->state, cloth->vertex_offset, cloth->rest.vertex_count);
        }
        cloth->vertex_offset = vertex;
        vertex += cloth->rest.vertex_count;
        for (int32_t s = 0; s < TL_SET_COUNT; s++) {
            cloth->set_offset[s] = next[s];
            next[s] += *tl_set_view(&cloth->rest.sets, s).count;
        }
    }
    tl_arena_free(&sim->state_arena);
    sim->state_arena = arena;
    sim->state = state;
    sim->dirty = true;
    return true;
}

/* ---- cloths ---- */

/* The rest shape, in an order that suits the mesh. It is computed near its own middle, so that it
 * is the same wherever the mesh stands. */
static bool build_rest(TlArena *scratch, const ToileClothDef *def, TlCloth *cloth) {
    TlMesh mesh;
    TlOrder order;
    TlRest rest;
    TlRestInput in = {.mesh = &mesh,
                      .pattern = (ToilePattern)def->pattern,
                      .pattern_scale_m = def->pattern_scale_m,
                      .native = def->elements == TOILE_ELEMENTS_NATIVE,
                      .material = &cloth->material,
                      .curvature_map = def->rest_curvature_map_per_m};
    if (!tl_mesh_copy(scratch, def->mesh, &mesh) || !tl_order_choose(scratch, &mesh, &order)) {
        return false;
    }
    if (def->rest_positions_m != NULL) {
        memcpy(mesh.positions, def->rest_positions_m,
               3 * sizeof *mesh.positions * (size_t)mesh.vertex_count);
    }
    tl_whole_middle(mesh.positions, mesh.vertex_count, cloth->rest_from);
    tl_relative_points(mesh.positions, mesh.vertex_count, cloth->rest_from, mesh.positions);
    in.positions = mesh.positions;
    if (order.vertex == NULL) {
        return tl_rest_build(&cloth->arena, &in, &cloth->rest);
    }
    return tl_rest_build(scratch, &in, &rest) && tl_cloth_reorder(scratch, &rest, &order, cloth);
}

static ToileStatus build_cloth(const ToileClothDef *def, const ToileFabric *fabric, TlCloth *cloth,
                               ToileError *error) {
    TlArena scratch;
    snprintf(cloth->name, sizeof cloth->name, "%s", def->name != NULL ? def->name : "cloth");
    cloth->stored_far_m = def->stored_far_m;
    tl_arena_init(&scratch, cloth->arena.allocator);
    bool ok = tl_material(&cloth->arena, fabric, &cloth->material) &&
              build_rest(&scratch, def, cloth) && tl_cloth_surface(&scratch, def->mesh, cloth);
    tl_arena_free(&scratch);
    return ok ? TOILE_STATUS_OK : tl_fail_memory(error);
}

static void start_state(ToileSim *sim, const ToileClothDef *def, const TlCloth *cloth) {
    TlState *state = &sim->state;
    int64_t at = 3 * (int64_t)cloth->vertex_offset;
    const double *start =
        def->start_positions_m != NULL ? def->start_positions_m : def->mesh->positions_m;
    int32_t n = cloth->rest.vertex_count;
    if (!sim->placed) {
        tl_whole_middle(start, n, sim->origin);
        sim->placed = true;
    }
    tl_from_user(cloth, start, 3, state->x + at);
    tl_relative_points(state->x + at, n, sim->origin, state->x + at);
    memcpy(state->pin_target + at, state->x + at, 3 * sizeof *state->x * (size_t)n);
    if (def->start_velocities_m_per_s != NULL) {
        tl_from_user(cloth, def->start_velocities_m_per_s, 3, state->v + at);
    }
    for (int32_t i = 0; i < def->pin_count; i++) {
        state->pinned[tl_vertex_at(cloth, def->pin_vertices[i])] = 1;
    }
}

/* Reads and checks the definition with its mesh and fabric; the copies point into the caller's
 * arrays. */
static ToileStatus read_cloth_def(const ToileSim *sim, const ToileClothDef *def,
                                  ToileClothDef *local, ToileMeshDef *mesh, ToileFabric *fabric,
                                  ToileError *error) {
    *local = toile_cloth_def_default();
    *mesh = toile_mesh_def_default();
    *fabric = toile_fabric_default();
    if (def == NULL || !tl_read_def(local, sizeof *local, def)) {
        return tl_fail(
            error, TOILE_STATUS_INVALID_ARGUMENT,
            "the definition is NULL or not initialised; fill it with toile_cloth_def_init");
    }
    if ((local->mesh != NULL && !tl_read_def(mesh, sizeof *mesh, local->mesh)) ||
        (local->fabric != NULL && !tl_read_def(fabric, sizeof *fabric, local->fabric))) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "the mesh or fabric is not initialised; fill it with its init function");
    }
    local->mesh = local->mesh != NULL ? mesh : NULL;
    ToileStatus status = tl_check_fabric(fabric, error);
    if (status == TOILE_STATUS_OK && local->mesh != NULL) {
        status = tl_check_mesh(mesh, local->pattern != TOILE_PATTERN_NONE, local->rest_positions_m,
                               sim->allocator, &sim->def.log, error);
    }
    return status == TOILE_STATUS_OK ? tl_check_cloth_def(local, error) : status;
}

ToileStatus toile_sim_add_cloth(ToileSim *sim, const ToileClothDef *def, ToileClothId *out,
                                ToileError *error) {
    ToileClothDef local;
    ToileMeshDef mesh;
    ToileFabric fabric;
    if (sim == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "sim is NULL");
    }
    ToileStatus status = read_cloth_def(sim, def, &local, &mesh, &fabric, error);
    if (status != TOILE_STATUS_OK) {
        tl_fail_object(error, local.name);
        return status;
    }
    int32_t slot = free_cloth_slot(sim);
    TlCloth *cloth = slot < 0 ? NULL : sim->allocator.alloc(sim->allocator.user, sizeof *cloth, 64);
    if (cloth == NULL) {
        return tl_fail_memory(error);
    }
    memset(cloth, 0, sizeof *cloth);
    tl_arena_init(&cloth->arena, sim->allocator);
    status = build_cloth(&local, &fabric, cloth, error);
    if (status == TOILE_STATUS_OK) {
        sim->cloths[slot].cloth = cloth;
        if (!relayout(sim, cloth)) {
            sim->cloths[slot].cloth = NULL;
            status = tl_fail_memory(error);
        }
    }
    if (status != TOILE_STATUS_OK) {
        free_cloth(sim, cloth);
        return status;
    }
    sim->cloths[slot].generation++;
    start_state(sim, &local, cloth);
    if (out != NULL) {
        *out = (ToileClothId){(uint32_t)slot + 1, sim->cloths[slot].generation};
    }
    return TOILE_STATUS_OK;
}

ToileStatus toile_sim_remove_cloth(ToileSim *sim, ToileClothId id, ToileError *error) {
    TlCloth *cloth = tl_find_cloth(sim, id, error);
    if (cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    sim->cloths[id.slot - 1].cloth = NULL;
    if (!relayout(sim, NULL)) {
        sim->cloths[id.slot - 1].cloth = cloth;
        return tl_fail_memory(error);
    }
    free_cloth(sim, cloth);
    sim->placed = sim->state.vertex_count > 0;
    return TOILE_STATUS_OK;
}

/* ---- model, system and tables ---- */

double tl_sim_cloth_thickness(const ToileSim *sim, const TlMaterial *material) {
    double given = sim->def.contact_thickness_m;
    return given >= 0.0 ? given : tl_max(LEAST_THICKNESS_M, 2.0 * material->thickness_m);
}

double tl_sim_cloth_friction(const ToileSim *sim, const TlMaterial *material) {
    return sim->def.contact_friction >= 0.0 ? sim->def.contact_friction : material->friction;
}

/* Whether the collider in a slot has a distance function: all but meshes. */
static bool is_analytic(const TlColliderSlot *slot) {
    return slot->used && slot->collider.shape != TOILE_COLLIDER_MESH;
}

/* Contact distance and friction of every cloth with every analytic collider. */
static void fill_tables(ToileSim *sim) {
    int32_t column = 0;
    for (int32_t i = 0; i < sim->collider_capacity; i++) {
        const TlColliderSlot *slot = &sim->colliders[i];
        if (!is_analytic(slot)) {
            continue;
        }
        for (int32_t c = 0; c < sim->model.material_count; c++) {
            const TlMaterial *m = &sim->model.materials[c];
            int32_t at = c * sim->analytic_count + column;
            double gap = 0.5 * tl_sim_cloth_thickness(sim, m) + slot->collider.thickness;
            sim->radius[at] = tl_max(gap, TL_LEAST_RADIUS_M);
            sim->friction[at] = slot->collider.friction >= 0.0 ? slot->collider.friction
                                                               : tl_sim_cloth_friction(sim, m);
        }
        column++;
    }
}

static bool build_system(ToileSim *sim, TlRest **rests, TlMaterial *materials) {
    int32_t count = 0;
    for (int32_t i = 0; i < sim->cloth_capacity; i++) {
        if (sim->cloths[i].cloth != NULL) {
            rests[count] = &sim->cloths[i].cloth->rest;
            materials[count++] = sim->cloths[i].cloth->material;
        }
    }
    TlArena *arena = &sim->system_arena;
    sim->analytic_count = 0;
    for (int32_t i = 0; i < sim->collider_capacity; i++) {
        sim->analytic_count += is_analytic(&sim->colliders[i]);
    }
    int64_t pairs = (int64_t)count * sim->analytic_count;
    sim->placed_now = TL_NEW(arena, TlPlaced, sim->analytic_count);
    sim->placed_before = TL_NEW(arena, TlPlaced, sim->analytic_count);
    sim->radius = TL_NEW(arena, double, pairs);
    sim->friction = TL_NEW(arena, double, pairs);
    if (arena->failed || !tl_model_build(arena, rests, materials, count, &sim->model) ||
        !tl_system_build(arena, &sim->model, sim->pool, &sim->system) ||
        !tl_integration_build(arena, &sim->system, tl_integrator(sim->def.integrator),
                              &sim->state.history, &sim->integration) ||
        !tl_sim_build_surface(sim) || !tl_sim_build_world(sim)) {
        return false;
    }
    sim->stretches = TL_NEW(arena, double, tl_stretch_count(&sim->model));
    if (sim->stretches == NULL) {
        return false;
    }
    fill_tables(sim);
    sim->built_requests = arena->requests;
    return true;
}

ToileStatus tl_sim_prepare(ToileSim *sim, ToileError *error) {
    if (!sim->dirty) {
        return TOILE_STATUS_OK;
    }
    tl_arena_free(&sim->system_arena);
    TlArena scratch;
    tl_arena_init(&scratch, sim->allocator);
    TlRest **rests = TL_NEW(&scratch, TlRest *, sim->cloth_capacity);
    TlMaterial *materials = TL_NEW(&scratch, TlMaterial, sim->cloth_capacity);
    bool ok = !scratch.failed && build_system(sim, rests, materials);
    tl_arena_free(&scratch);
    if (!ok) {
        tl_arena_free(&sim->system_arena);
        return tl_fail_memory(error);
    }
    sim->dirty = false;
    return TOILE_STATUS_OK;
}

int32_t tl_sim_analytic_slot(const ToileSim *sim, int32_t column) {
    int32_t slot = 0;
    while (!is_analytic(&sim->colliders[slot]) || column-- > 0) {
        slot++;
    }
    return slot;
}

TlContacts tl_sim_contacts(ToileSim *sim, double part_before, double part_now, double dt_s) {
    int32_t column = 0;
    for (int32_t i = 0; i < sim->collider_capacity; i++) {
        const TlColliderSlot *slot = &sim->colliders[i];
        if (is_analytic(slot)) {
            TlMotion before = tl_motion_between(&slot->now, &slot->target, part_before);
            TlMotion now = tl_motion_between(&slot->now, &slot->target, part_now);
            sim->placed_before[column] = tl_collider_place(sim, slot, &before);
            sim->placed_now[column] = tl_collider_place(sim, slot, &now);
            column++;
        }
    }
    return (TlContacts){.collider_count = sim->analytic_count,
                        .now = sim->placed_now,
                        .before = sim->placed_before,
                        .radius = sim->radius,
                        .friction = sim->friction,
                        .slip_m = SLIP_SPEED_M_PER_S * dt_s};
}
