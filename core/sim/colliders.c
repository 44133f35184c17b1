/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Colliders of a simulation: adding, removing, and where they go next. */
#include "base/vec.h"
#include "sim/sim_internal.h"
#include "toile/draft.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- ids ---- */

static TlColliderSlot *find_collider(const ToileSim *sim, ToileColliderId id, ToileError *error) {
    if (sim != NULL && id.slot >= 1 && id.slot <= (uint32_t)sim->collider_capacity) {
        TlColliderSlot *slot = &sim->colliders[id.slot - 1];
        if (slot->used && slot->generation == id.generation) {
            return slot;
        }
    }
    tl_fail(error, TOILE_STATUS_STALE_ID,
            "no collider has the id (%" PRIu32 ", %" PRIu32 "); was it removed?", id.slot,
            id.generation);
    return NULL;
}

/* A free slot, as free_cloth_slot in sim.c; -1 when memory is refused. */
static int32_t free_collider_slot(ToileSim *sim) {
    int32_t count = sim->collider_capacity;
    for (int32_t i = 0; i < count; i++) {
        if (!sim->colliders[i].used) {
            return i;
        }
    }
    TlColliderSlot *slots =
        tl_grow_slots(&sim->own, sim->colliders, sizeof *slots, &sim->collider_capacity);
    if (slots == NULL) {
        return -1;
    }
    sim->colliders = slots;
    return count;
}

/* ---- life ---- */

/* A copy of `count` values, or NULL when there are none to copy or memory is refused. */
static double *copy_of(TlArena *arena, const double *values, int64_t count) {
    double *copy = values != NULL ? TL_NEW(arena, double, count) : NULL;
    if (copy != NULL) {
        memcpy(copy, values, sizeof *copy * (size_t)count);
    }
    return copy;
}

/* The mesh relative to whole metres in its own middle, which go to `from`. */
static bool copy_mesh(TlArena *arena, const ToileColliderDef *def, TlColliderMesh *out,
                      double from[3]) {
    memset(out, 0, sizeof *out);
    if (def->mesh == NULL) {
        return true;
    }
    int64_t n = def->mesh->vertex_count;
    out->vertex_count = def->mesh->vertex_count;
    out->start = copy_of(arena, def->mesh->positions_m, 3 * n);
    if (out->start == NULL) {
        return false;
    }
    tl_whole_middle(out->start, n, from);
    tl_relative_points(out->start, n, from, out->start);
    out->now = copy_of(arena, out->start, 3 * n);
    out->target = copy_of(arena, out->start, 3 * n);
    out->thickness = copy_of(arena, def->vertex_thickness_m, n);
    out->friction = copy_of(arena, def->vertex_friction, n);
    return tl_triangles_build(arena, def->mesh, &out->triangles) && !arena->failed;
}

/* The shape of a definition, relative to whole metres in its middle; those of a mesh are known. */
static void read_shape(const ToileColliderDef *def, TlColliderSlot *slot) {
    bool capsule = def->shape == TOILE_COLLIDER_CAPSULE;
    double points[6];
    slot->collider = tl_collider(def);
    tl_store3(points, slot->collider.center);
    tl_store3(points + 3, slot->collider.end);
    if (def->shape != TOILE_COLLIDER_MESH) {
        tl_whole_middle(points, capsule ? 2 : 1, slot->own_from);
    }
    tl_relative_points(points, capsule ? 2 : 1, slot->own_from, points);
    slot->collider.center = tl_load3(points);
    slot->collider.end = tl_load3(points + 3);
}

static TlMotion read_motion(const TlColliderSlot *slot, const ToilePose *pose) {
    TlMotion motion = tl_motion_from_pose(pose);
    tl_relative_points(motion.t, 1, slot->pose_from, motion.t);
    return motion;
}

/* Tells the whole metres nearest to where the shape begins. */
static void note_place(TlColliderSlot *slot) {
    TlPlaced placed = tl_place(&slot->collider, &slot->start);
    double turned[3];
    tl_store3(turned, tl_mul3(&placed.R, tl_load3(slot->own_from)));
    for (int k = 0; k < 3; k++) {
        slot->place[k] = slot->pose_from[k] + floor(turned[k] + 0.5);
    }
}

void tl_collider_free(TlColliderSlot *slot) {
    tl_arena_free(&slot->arena);
    memset(&slot->mesh, 0, sizeof slot->mesh);
    slot->used = false;
}

/* Reads and checks the definition with its mesh; the copies point into the caller's arrays. */
static ToileStatus read_collider_def(const ToileColliderDef *def, ToileColliderDef *local,
                                     ToileMeshDef *mesh, ToileError *error) {
    *local = toile_collider_def_default();
    *mesh = toile_mesh_def_default();
    if (def == NULL || !tl_read_def(local, sizeof *local, def)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "the definition is NULL or not initialised; fill it with "
                       "toile_collider_def_init");
    }
    if (local->mesh != NULL) {
        if (!tl_read_def(mesh, sizeof *mesh, local->mesh)) {
            return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                           "the mesh is not initialised; fill it with toile_mesh_def_init");
        }
        local->mesh = mesh;
    }
    return tl_check_collider_def(local, error);
}

ToileStatus toile_sim_add_collider(ToileSim *sim, const ToileColliderDef *def, ToileColliderId *out,
                                   ToileError *error) {
    ToileColliderDef local;
    ToileMeshDef mesh;
    if (sim == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "sim is NULL");
    }
    ToileStatus status = read_collider_def(def, &local, &mesh, error);
    if (status != TOILE_STATUS_OK) {
        tl_fail_object(error, local.name);
        return status;
    }
    int32_t i = free_collider_slot(sim);
    TlColliderSlot *slot = i < 0 ? NULL : &sim->colliders[i];
    if (slot == NULL) {
        return tl_fail_memory(error);
    }
    tl_arena_init(&slot->arena, sim->allocator);
    if (!copy_mesh(&slot->arena, &local, &slot->mesh, slot->own_from)) {
        tl_collider_free(slot);
        return tl_fail_memory(error);
    }
    slot->used = true;
    slot->generation++;
    snprintf(slot->name, sizeof slot->name, "%s", local.name != NULL ? local.name : "collider");
    read_shape(&local, slot);
    tl_whole_middle(local.pose.translate_m, 1, slot->pose_from);
    slot->start = slot->now = slot->target = read_motion(slot, &local.pose);
    note_place(slot);
    sim->dirty = true;
    if (out != NULL) {
        *out = (ToileColliderId){(uint32_t)i + 1, slot->generation};
    }
    return TOILE_STATUS_OK;
}

ToileStatus toile_sim_remove_collider(ToileSim *sim, ToileColliderId id, ToileError *error) {
    TlColliderSlot *slot = find_collider(sim, id, error);
    if (slot == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    tl_collider_free(slot);
    sim->dirty = true;
    return TOILE_STATUS_OK;
}

/* ---- motion ---- */

ToileStatus toile_sim_set_collider_pose(ToileSim *sim, ToileColliderId id, const ToilePose *pose,
                                        ToileError *error) {
    TlColliderSlot *slot = find_collider(sim, id, error);
    if (slot == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    if (pose == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "pose is NULL");
    }
    ToileStatus status = tl_check_pose(pose, error);
    if (status == TOILE_STATUS_OK) {
        slot->target = read_motion(slot, pose);
    }
    return status;
}

ToileStatus toile_sim_set_collider_positions(ToileSim *sim, ToileColliderId id,
                                             const double *positions_m, ToileError *error) {
    TlColliderSlot *slot = find_collider(sim, id, error);
    if (slot == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    ToileStatus status =
        slot->mesh.now == NULL
            ? tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                      "the collider is no mesh, and has no positions; give it a pose")
            : tl_check_collider_positions(positions_m, slot->mesh.vertex_count, error);
    if (status == TOILE_STATUS_OK) {
        tl_relative_again(positions_m, slot->mesh.vertex_count, slot->own_from, slot->mesh.target);
    } else {
        tl_fail_object(error, slot->name);
    }
    return status;
}

/* Checks a mesh and copies it into an arena. */
static ToileStatus read_collider_mesh(const ToileMeshDef *mesh, TlArena *arena, TlColliderMesh *out,
                                      double from[3], ToileError *error) {
    ToileColliderDef def = toile_collider_def_default(), local;
    ToileMeshDef own;
    memset(out, 0, sizeof *out);
    if (mesh == NULL) {
        return TOILE_STATUS_OK;
    }
    def.shape = TOILE_COLLIDER_MESH;
    def.mesh = mesh;
    ToileStatus status = read_collider_def(&def, &local, &own, error);
    if (status == TOILE_STATUS_OK && !copy_mesh(arena, &local, out, from)) {
        status = tl_fail_memory(error);
    }
    return status;
}

ToileStatus toile_sim_set_collider_mesh(ToileSim *sim, ToileColliderId id, const ToileMeshDef *mesh,
                                        ToileError *error) {
    TlColliderSlot *slot = find_collider(sim, id, error);
    TlColliderMesh copy;
    TlArena arena;
    double from[3] = {0.0, 0.0, 0.0};
    if (slot == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    if (slot->collider.shape != TOILE_COLLIDER_MESH) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "the collider is no mesh, and cannot become one; add another");
    }
    tl_arena_init(&arena, sim->allocator);
    ToileStatus status = read_collider_mesh(mesh, &arena, &copy, from, error);
    if (status != TOILE_STATUS_OK) {
        tl_arena_free(&arena);
        tl_fail_object(error, slot->name);
        return status;
    }
    tl_arena_free(&slot->arena);
    slot->arena = arena;
    slot->mesh = copy;
    memcpy(slot->own_from, from, sizeof from);
    note_place(slot);
    sim->dirty = true;
    return TOILE_STATUS_OK;
}

void tl_collider_arrive(TlColliderSlot *slot) {
    slot->now = slot->target;
    if (slot->mesh.now != NULL) {
        memcpy(slot->mesh.now, slot->mesh.target,
               3 * sizeof *slot->mesh.now * (size_t)slot->mesh.vertex_count);
    }
}

TlPlaced tl_collider_place(const ToileSim *sim, const TlColliderSlot *slot,
                           const TlMotion *motion) {
    TlPlaced placed = tl_place(&slot->collider, motion);
    /* whole metres first, which is exact; the motion turns about the zero of the shape's own
       coordinates as they were given */
    TlVec3 by = tl_sub3(tl_load3(slot->pose_from), tl_load3(sim->origin));
    by = tl_add3(by, tl_mul3(&placed.R, tl_load3(slot->own_from)));
    placed.t = tl_add3(placed.t, by);
    placed.middle = tl_add3(placed.middle, by);
    return placed;
}
