/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation from a scene, and its aim at each frame: poses and vertices of colliders, which pins
 * hold, and where pins that follow a collider go. */
#include "report.h"
#include "rotation.h"
#include "scene_types.h"
#include "toile/draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ToileStatus toile_scene_sim_def(const ToileScene *scene, ToileSimDef *def, ToileError *error) {
    if (!scene || !def || def->struct_size < sizeof *def)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_scene_sim_def needs a scene and a definition set up by "
                          "toile_sim_def_init");
    ToileSimDef full = scene->sim;
    full.struct_size = def->struct_size;
    full.fps *= scene->samples;
    full.substeps = (full.substeps + scene->samples - 1) / scene->samples;
    full.allocator = def->allocator;
    full.log = def->log;
    full.progress = def->progress;
    full.tasks = def->tasks;
    *def = full;
    return TOILE_STATUS_OK;
}

/* The ids a new simulation gives to its first things, in order; create_sim checks that it does. */
static ToileClothId cloth_id(int32_t index) {
    return (ToileClothId){(uint32_t)index + 1, 1};
}

static ToileColliderId collider_id(int32_t index) {
    return (ToileColliderId){(uint32_t)index + 1, 1};
}

static ToileStatus unexpected_id(ToileError *error) {
    return tl_io_fail(error, TOILE_STATUS_INTERNAL,
                      "A new simulation numbered its cloths or colliders in another way than its "
                      "scene does; please report this");
}

/* ---- making ---- */

/* Lists the vertices held at the first frame; repeats are allowed. */
static int32_t *list_pinned(const ToileScene *scene, const TlSceneCloth *cloth, int32_t *count) {
    size_t most = 1;
    for (int32_t p = 0; p < cloth->pin_count; p++)
        most += (size_t)cloth->pins[p].vertex_count;
    int32_t *vertices = malloc(most * sizeof *vertices);
    *count = 0;
    for (int32_t p = 0; vertices && p < cloth->pin_count; p++) {
        const TlScenePin *pin = &cloth->pins[p];
        if (!tl_scene_pin_holds(pin, scene->sim.start_frame))
            continue;
        memcpy(vertices + *count, pin->vertices, (size_t)pin->vertex_count * sizeof *vertices);
        *count += pin->vertex_count;
    }
    return vertices;
}

static ToileStatus add_cloth(const ToileScene *scene, int32_t index, ToileSim *sim,
                             ToileError *error) {
    const TlSceneCloth *cloth = &scene->cloths[index];
    ToileClothDef def = toile_cloth_def_default();
    ToileClothId id = {0, 0};
    int32_t *pinned = list_pinned(scene, cloth, &def.pin_count);
    if (!pinned)
        return tl_io_out_of_memory(error);
    def.name = cloth->name;
    def.mesh = &cloth->mesh->mesh;
    def.fabric = &cloth->fabric;
    def.pattern = cloth->pattern;
    def.elements = cloth->elements;
    def.pattern_scale_m = cloth->pattern_scale_m;
    def.pin_vertices = pinned;
    def.rest_curvature_map_per_m = cloth->rest_curvature_map_per_m;
    if (cloth->rest)
        def.rest_positions_m = cloth->rest->mesh.positions_m;
    if (cloth->start)
        def.start_positions_m = cloth->start->mesh.positions_m;
    ToileStatus status = toile_sim_add_cloth(sim, &def, &id, error);
    free(pinned);
    ToileClothId expected = cloth_id(index);
    if (status == TOILE_STATUS_OK &&
        (id.slot != expected.slot || id.generation != expected.generation))
        return unexpected_id(error);
    return status;
}

/* Gives a collider the mesh it has at a frame, or none. */
static ToileStatus change_mesh(const TlSceneCollider *collider, ToileSim *sim, int32_t index,
                               double frame, ToileError *error) {
    ToileObj *obj = NULL;
    ToileStatus status =
        tl_scene_surface_mesh(collider->surface, collider->def.name, frame, &obj, error);
    if (status == TOILE_STATUS_OK)
        status =
            toile_sim_set_collider_mesh(sim, collider_id(index), obj ? &obj->mesh : NULL, error);
    toile_obj_free(obj);
    return status;
}

static ToileStatus add_collider(const ToileScene *scene, int32_t index, ToileSim *sim,
                                ToileError *error) {
    ToileColliderDef def = scene->colliders[index].def;
    ToileColliderId id = {0, 0};
    def.pose = tl_scene_pose(&scene->colliders[index], scene->sim.start_frame);
    ToileStatus status = toile_sim_add_collider(sim, &def, &id, error);
    ToileColliderId expected = collider_id(index);
    if (status == TOILE_STATUS_OK &&
        (id.slot != expected.slot || id.generation != expected.generation))
        return unexpected_id(error);
    /* it was made of its first faces, which may come later */
    if (status == TOILE_STATUS_OK && def.mesh && scene->colliders[index].surface->archive.changes)
        status = change_mesh(&scene->colliders[index], sim, index, scene->sim.start_frame, error);
    return status;
}

ToileStatus toile_scene_create_sim(const ToileScene *scene, const ToileSimDef *def, ToileSim **out,
                                   ToileClothId *cloths, ToileError *error) {
    if (!scene || !def || !out)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_scene_create_sim needs a scene, a definition and a place for the "
                          "simulation, not NULL.");
    *out = NULL;
    ToileSim *sim = NULL;
    ToileStatus status = toile_sim_create(def, &sim, error);
    for (int32_t i = 0; i < scene->cloth_count && status == TOILE_STATUS_OK; i++) {
        status = add_cloth(scene, i, sim, error);
        if (cloths)
            cloths[i] = cloth_id(i);
    }
    for (int32_t i = 0; i < scene->collider_count && status == TOILE_STATUS_OK; i++)
        status = add_collider(scene, i, sim, error);
    if (status != TOILE_STATUS_OK) {
        toile_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return TOILE_STATUS_OK;
}

/* ---- aiming ---- */

/* The frame of the scene at which a simulation is: between frames after a sample there. */
static double now_of(const ToileScene *scene, const ToileSim *sim) {
    double start = scene->sim.start_frame;
    return start + ((double)toile_sim_frame(sim) - start) / scene->samples;
}

/* What becomes of the vertices that the pins of one cloth name. */
typedef struct Aim {
    unsigned char *fate; /* one of the values below, per vertex */
    double *targets_m;   /* 3 per vertex, where fate is AIMED */
    double *now_m;       /* current positions */
    int32_t *list;       /* room for every vertex */
    double *list_m;
} Aim;

enum { UNTOUCHED = 0, FREED = 1, HELD = 2, AIMED = 3 };

static bool make_aim(Aim *aim, int32_t vertex_count) {
    size_t count = (size_t)vertex_count + 1;
    *aim = (Aim){.fate = calloc(count, 1),
                 .targets_m = calloc(3 * count, sizeof(double)),
                 .now_m = calloc(3 * count, sizeof(double)),
                 .list = calloc(count, sizeof(int32_t)),
                 .list_m = calloc(3 * count, sizeof(double))};
    return aim->fate && aim->targets_m && aim->now_m && aim->list && aim->list_m;
}

static void free_aim(Aim *aim) {
    free(aim->fate);
    free(aim->targets_m);
    free(aim->now_m);
    free(aim->list);
    free(aim->list_m);
}

/* The vertices of a mesh that a pin follows, in the world. */
static ToileStatus place_surface(const ToileScene *scene, const TlScenePin *pin, double frame,
                                 double *positions_m, ToileError *error) {
    const TlSceneCollider *collider = pin->target ? NULL : &scene->colliders[pin->follow];
    const TlSceneSurface *surface = collider ? collider->surface : pin->target;
    ToilePose none = {{0, 0, 0}, {0, 0, 0}};
    ToileStatus status = tl_scene_surface_positions(surface, collider ? collider->def.name : "",
                                                    frame, positions_m, error);
    if (status != TOILE_STATUS_OK || !collider || collider->key_count == 0)
        return status;
    ToilePose pose = tl_scene_pose(collider, frame);
    for (size_t i = 0; i < (size_t)surface->mesh.vertex_count; i++) {
        double moved[3];
        tl_pose_carry(&none, &pose, positions_m + 3 * i, moved);
        memcpy(positions_m + 3 * i, moved, sizeof moved);
    }
    return TOILE_STATUS_OK;
}

/* Moves a pin's vertices with the triangles they hold on to. */
static ToileStatus follow_mesh(const ToileScene *scene, const TlScenePin *pin, const double *from_m,
                               double from, double to, Aim *aim, ToileError *error) {
    const TlSceneSurface *surface =
        pin->target ? pin->target : scene->colliders[pin->follow].surface;
    size_t count = 3 * (size_t)surface->mesh.vertex_count;
    double *before_m = malloc(count * sizeof *before_m);
    double *after_m = malloc(count * sizeof *after_m);
    ToileStatus status = before_m && after_m ? TOILE_STATUS_OK : tl_io_out_of_memory(error);
    if (status == TOILE_STATUS_OK)
        status = place_surface(scene, pin, from, before_m, error);
    if (status == TOILE_STATUS_OK)
        status = place_surface(scene, pin, to, after_m, error);
    for (int32_t i = 0; i < pin->vertex_count && status == TOILE_STATUS_OK; i++) {
        size_t at = (size_t)3 * (size_t)pin->vertices[i];
        tl_scene_carry(before_m, after_m, pin->hold + 3 * (size_t)i, from_m + at,
                       aim->targets_m + at);
    }
    free(before_m);
    free(after_m);
    return status;
}

/* Moves a pin's vertices with what it follows: from the start where it held all the time, so that
 * no error gathers, else from where they are. */
static ToileStatus follow(const ToileScene *scene, const TlSceneCloth *cloth, const TlScenePin *pin,
                          double frame, double now, Aim *aim, ToileError *error) {
    const ToileObj *start = cloth->start ? cloth->start : cloth->mesh;
    bool from_start = ceil(frame) < pin->held_before;
    const double *from_m = from_start ? start->mesh.positions_m : aim->now_m;
    double from_frame = from_start ? scene->sim.start_frame : now;
    if (pin->hold)
        return follow_mesh(scene, pin, from_m, from_frame, frame, aim, error);
    ToilePose from = tl_scene_pose(&scene->colliders[pin->follow], from_frame);
    ToilePose to = tl_scene_pose(&scene->colliders[pin->follow], frame);
    for (int32_t i = 0; i < pin->vertex_count; i++) {
        size_t at = (size_t)3 * (size_t)pin->vertices[i];
        tl_pose_carry(&from, &to, from_m + at, aim->targets_m + at);
    }
    return TOILE_STATUS_OK;
}

static bool is_led(const TlScenePin *pin) {
    return pin->follow >= 0 || pin->target;
}

/* Of several pins on a vertex, one that holds wins over one that does not, then the later one. */
static ToileStatus decide(const ToileScene *scene, const TlSceneCloth *cloth, double frame,
                          double now, Aim *aim, ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t p = 0; p < cloth->pin_count && status == TOILE_STATUS_OK; p++) {
        const TlScenePin *pin = &cloth->pins[p];
        bool holds = tl_scene_pin_holds(pin, (int32_t)ceil(frame));
        unsigned char fate = !holds ? FREED : is_led(pin) ? AIMED : HELD;
        for (int32_t i = 0; i < pin->vertex_count; i++)
            if (holds || aim->fate[pin->vertices[i]] == UNTOUCHED)
                aim->fate[pin->vertices[i]] = fate;
        if (fate == AIMED)
            status = follow(scene, cloth, pin, frame, now, aim, error);
    }
    return status;
}

/* Lists the vertices with a fate from `low` to `high`, and their targets. */
static int32_t list_fates(Aim *aim, int32_t vertex_count, unsigned char low, unsigned char high) {
    int32_t count = 0;
    for (int32_t v = 0; v < vertex_count; v++) {
        if (aim->fate[v] < low || aim->fate[v] > high)
            continue;
        memcpy(aim->list_m + (size_t)3 * (size_t)count, aim->targets_m + (size_t)3 * (size_t)v,
               3 * sizeof(double));
        aim->list[count++] = v;
    }
    return count;
}

static ToileStatus apply_aim(ToileSim *sim, ToileClothId id, Aim *aim, int32_t vertex_count,
                             ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    int32_t count = list_fates(aim, vertex_count, FREED, FREED);
    if (count > 0)
        status = toile_sim_set_pinned(sim, id, aim->list, count, false, error);
    count = list_fates(aim, vertex_count, HELD, AIMED);
    if (count > 0 && status == TOILE_STATUS_OK)
        status = toile_sim_set_pinned(sim, id, aim->list, count, true, error);
    count = list_fates(aim, vertex_count, AIMED, AIMED);
    if (count > 0 && status == TOILE_STATUS_OK)
        status = toile_sim_set_pin_targets(sim, id, aim->list, count, aim->list_m, error);
    return status;
}

static ToileStatus aim_cloth(const ToileScene *scene, ToileSim *sim, int32_t index, double frame,
                             ToileError *error) {
    const TlSceneCloth *cloth = &scene->cloths[index];
    int32_t vertex_count = cloth->mesh->mesh.vertex_count;
    bool changes = false;
    Aim aim;
    for (int32_t p = 0; p < cloth->pin_count; p++)
        changes = changes || is_led(&cloth->pins[p]) || cloth->pins[p].frames;
    if (!changes)
        return TOILE_STATUS_OK;
    if (toile_sim_vertex_count(sim, cloth_id(index)) != vertex_count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "The simulation has no cloth like \"%s\"; it must come from "
                          "toile_scene_create_sim of the same scene",
                          cloth->name);
    ToileStatus status = TOILE_STATUS_OK;
    if (!make_aim(&aim, vertex_count))
        status = tl_io_out_of_memory(error);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_get_positions(sim, cloth_id(index), aim.now_m, error);
    if (status == TOILE_STATUS_OK)
        status = decide(scene, cloth, frame, now_of(scene, sim), &aim, error);
    if (status == TOILE_STATUS_OK)
        status = apply_aim(sim, cloth_id(index), &aim, vertex_count, error);
    free_aim(&aim);
    return status;
}

/* Sends the vertices of a collider that deforms. */
static ToileStatus aim_vertices(const TlSceneCollider *collider, ToileSim *sim, int32_t index,
                                double frame, int32_t vertex_count, ToileError *error) {
    const TlSceneSurface *surface = collider->surface;
    if (vertex_count == 0)
        return TOILE_STATUS_OK;
    double *positions_m = malloc(3 * (size_t)vertex_count * sizeof *positions_m);
    if (!positions_m)
        return tl_io_out_of_memory(error);
    ToileStatus status =
        surface->archive.changes
            ? tl_scene_archive_positions(&surface->archive, frame, vertex_count, positions_m, error)
            : tl_scene_surface_positions(surface, collider->def.name, frame, positions_m, error);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_set_collider_positions(sim, collider_id(index), positions_m, error);
    free(positions_m);
    return status;
}

/* A collider whose faces are others at `frame` than now jumps there; else it travels. */
static ToileStatus aim_surface(const ToileScene *scene, ToileSim *sim, int32_t index, double now,
                               double frame, ToileError *error) {
    const TlSceneCollider *collider = &scene->colliders[index];
    const TlSceneArchive *archive = &collider->surface->archive;
    uint8_t before[16], after[16];
    int32_t vertices = 0, faces = 0;
    if (!archive->changes)
        return aim_vertices(collider, sim, index, frame, collider->surface->mesh.vertex_count,
                            error);
    ToileStatus status = tl_scene_archive_faces(archive, now, before, &vertices, &faces, error);
    if (status == TOILE_STATUS_OK)
        status = tl_scene_archive_faces(archive, frame, after, &vertices, &faces, error);
    if (status != TOILE_STATUS_OK)
        return status;
    if (memcmp(before, after, sizeof before) != 0)
        return change_mesh(collider, sim, index, frame, error);
    return aim_vertices(collider, sim, index, frame, faces > 0 ? vertices : 0, error);
}

static ToileStatus aim_collider(const ToileScene *scene, ToileSim *sim, int32_t index, double frame,
                                ToileError *error) {
    double now = now_of(scene, sim);
    const TlSceneCollider *collider = &scene->colliders[index];
    ToileStatus status = TOILE_STATUS_OK;
    if (collider->key_count > 0) {
        ToilePose pose = tl_scene_pose(collider, frame);
        status = toile_sim_set_collider_pose(sim, collider_id(index), &pose, error);
    }
    if (status == TOILE_STATUS_OK && collider->surface && collider->surface->deforms)
        status = aim_surface(scene, sim, index, now, frame, error);
    return status;
}

ToileStatus toile_scene_aim(const ToileScene *scene, ToileSim *sim, double frame,
                            ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    if (!scene || !sim || !(fabs(frame) <= INT32_MAX))
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_scene_aim needs a scene, a simulation of it and a frame.");
    for (int32_t i = 0; i < scene->collider_count && status == TOILE_STATUS_OK; i++)
        status = aim_collider(scene, sim, i, frame, error);
    for (int32_t i = 0; i < scene->cloth_count && status == TOILE_STATUS_OK; i++)
        status = aim_cloth(scene, sim, i, frame, error);
    return status;
}
