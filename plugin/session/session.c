/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a session and the order of its calls: a simulation and a cache that march together, frame
 * by frame. A call that is refused changes nothing. */
#include "session_internal.h"

#include "toile_io/cache.h"
#include "toile_io/fabric.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum Stage {
    STAGE_ADDING,  /* before begin */
    STAGE_RUNNING, /* frames are simulated and written */
    STAGE_BROKEN,  /* the cache could not be written; it is gone */
    STAGE_FINISHED
} Stage;

struct ToileSession {
    ToileSessionDef def; /* `cache` is a copy */
    Stage stage;
    ToileSim *sim;
    ToileCache *cache; /* NULL: none, or not open */
    TlGarment *garments;
    int32_t garment_count;
    TlSolid *solids;
    int32_t solid_count;
    /* one pointer per garment, as the cache takes them */
    const float **points;
    const float **velocities;
    const double **matrices;
};

/* ---- definitions ---- */

static void init(void *to, uint32_t to_size, void *from, size_t from_size) {
    memcpy(from, &to_size, sizeof to_size);
    memcpy(to, from, to_size < from_size ? to_size : from_size);
}

static void set_identity(double matrix[16]) {
    for (int32_t i = 0; i < 16; i++)
        matrix[i] = i % 5 == 0 ? 1.0 : 0.0;
}

void toile_session_def_init(ToileSessionDef *def, uint32_t struct_size) {
    ToileSessionDef full;
    memset(&full, 0, sizeof full);
    full.up = 1;
    full.first_frame = 1;
    full.last_frame = 48;
    full.quality = TOILE_QUALITY_STANDARD;
    full.velocities = 1;
    full.fps = 24.0;
    full.unit_m = 1.0;
    full.gravity_m_per_s2[2] = -9.81;
    full.contact_thickness_m = -1.0;
    full.contact_self = 1;
    init(def, struct_size, &full, sizeof full);
}

void toile_session_cloth_init(ToileSessionCloth *cloth, uint32_t struct_size) {
    ToileSessionCloth full;
    memset(&full, 0, sizeof full);
    full.pattern = TOILE_PATTERN_NONE;
    full.pattern_scale_m = 1.0;
    set_identity(full.matrix);
    init(cloth, struct_size, &full, sizeof full);
}

void toile_session_collider_init(ToileSessionCollider *collider, uint32_t struct_size) {
    ToileSessionCollider full;
    memset(&full, 0, sizeof full);
    full.shape = TOILE_COLLIDER_SPHERE;
    full.radius = 0.5;
    full.half[0] = full.half[1] = full.half[2] = 0.5;
    full.normal[2] = 1.0;
    full.thickness_m = 0.001;
    full.friction = -1.0;
    full.end[2] = 1.0;
    set_identity(full.matrix);
    init(collider, struct_size, &full, sizeof full);
}

/* ---- life ---- */

static bool ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    if (length <= tail)
        return false;
    for (size_t i = 0; i < tail; i++) {
        char c = path[length - tail + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != ending[i])
            return false;
    }
    return true;
}

static ToileStatus check_def(const ToileSessionDef *def, ToileError *error) {
    if (def->up != 0 && def->up != 1)
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "up is %d; allowed are 0 (the host's Y is up) and 1 (its Z).",
                               (int)def->up);
    if (def->last_frame < def->first_frame)
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "The last frame, %d, lies before the first, %d; swap them.",
                               (int)def->last_frame, (int)def->first_frame);
    if ((int64_t)def->last_frame - def->first_frame >= INT32_MAX)
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "The frames from %d to %d are too many; use fewer.",
                               (int)def->first_frame, (int)def->last_frame);
    if (!(def->unit_m > 0.0) || !isfinite(def->unit_m))
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "unit_m must be a number above 0: metres per unit of the host.");
    if (def->cache && !ends_in(def->cache, ".abc") && !ends_in(def->cache, ".pc2") &&
        !ends_in(def->cache, ".mdd"))
        return tl_session_fail(error, TOILE_STATUS_UNSUPPORTED, NULL,
                               "The cache '%.300s' must end in .abc, .pc2 or .mdd.", def->cache);
    return TOILE_STATUS_OK;
}

static ToileStatus create_sim(ToileSession *session, ToileError *error) {
    const ToileSessionDef *from = &session->def;
    ToileSimDef def = toile_sim_def_default();
    def.threads = from->threads;
    def.quality = from->quality;
    def.substeps = from->substeps;
    def.start_frame = from->first_frame;
    def.fps = from->fps;
    memcpy(def.gravity_m_per_s2, from->gravity_m_per_s2, sizeof def.gravity_m_per_s2);
    def.drag_kg_per_m2_s = from->drag_kg_per_m2_s;
    def.contact_thickness_m = from->contact_thickness_m;
    def.contact_self = from->contact_self;
    def.log = from->log;
    def.progress = from->progress;
    return toile_sim_create(&def, &session->sim, error);
}

ToileStatus toile_session_create(const ToileSessionDef *def, ToileSession **out,
                                 ToileError *error) {
    ToileSessionDef local;
    if (!out)
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "toile_session_create needs `out`.");
    *out = NULL;
    toile_session_def_init(&local, (uint32_t)sizeof local);
    if (!tl_session_read_def(&local, sizeof local, def))
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "The definition is NULL or not initialised; fill it with "
                               "toile_session_def_init.");
    /* callers from before the field was there */
    if (def->struct_size < offsetof(ToileSessionDef, reserved))
        local.contact_self = 0;
    ToileStatus status = check_def(&local, error);
    if (status != TOILE_STATUS_OK)
        return status;
    ToileSession *session = calloc(1, sizeof *session);
    if (!session)
        return tl_session_out_of_memory(error);
    session->def = local;
    session->def.cache = local.cache ? tl_session_copy_text(local.cache) : NULL;
    status = local.cache && !session->def.cache ? tl_session_out_of_memory(error)
                                                : create_sim(session, error);
    if (status == TOILE_STATUS_OK)
        *out = session;
    else
        toile_session_destroy(session);
    return status;
}

void toile_session_destroy(ToileSession *session) {
    if (!session)
        return;
    toile_cache_abandon(session->cache);
    toile_sim_destroy(session->sim);
    for (int32_t i = 0; i < session->garment_count; i++)
        tl_garment_free(&session->garments[i]);
    for (int32_t i = 0; i < session->solid_count; i++)
        tl_solid_free(&session->solids[i]);
    free(session->garments);
    free(session->solids);
    free((void *)session->points);
    free((void *)session->velocities);
    free((void *)session->matrices);
    free((char *)session->def.cache);
    free(session);
}

/* ---- the order of calls ---- */

static ToileStatus need_stage(const ToileSession *session, Stage stage, const char *call,
                              ToileError *error) {
    if (!session)
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "%s needs a session, not NULL.", call);
    if (session->stage == stage)
        return TOILE_STATUS_OK;
    const char *why = session->stage == STAGE_ADDING    ? "has not begun: call toile_session_begin"
                      : session->stage == STAGE_RUNNING ? "has begun: nothing can be added"
                      : session->stage == STAGE_BROKEN
                          ? "ended when its cache could not be written; make a new one"
                          : "is finished; make a new one";
    return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL, "%s: the session %s.", call,
                           why);
}

static ToileStatus need_cloth(const ToileSession *session, int32_t index, ToileError *error) {
    if (index >= 0 && index < session->garment_count)
        return TOILE_STATUS_OK;
    return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                           "There is no cloth %d; the session has %d, counted from 0.", (int)index,
                           (int)session->garment_count);
}

/* ---- adding ---- */

static ToileStatus add_to_sim(ToileSession *session, const ToileSessionCloth *cloth,
                              TlGarment *garment, ToileError *error) {
    ToileClothDef def = toile_cloth_def_default();
    ToileFabricEntry entry = {0};
    entry.struct_size = (uint32_t)sizeof entry;
    def.name = garment->name;
    def.mesh = &garment->mesh;
    def.pattern = cloth->pattern;
    def.pattern_scale_m = cloth->pattern_scale_m;
    def.pin_count = garment->pin_count;
    def.pin_vertices = garment->pins;
    def.fabric = cloth->fabric;
    def.stored_far_m = tl_space_extent_m(&garment->space, cloth->positions, cloth->vertex_count);
    ToileStatus status = TOILE_STATUS_OK;
    if (cloth->fabric_name) {
        status = toile_fabric_find(cloth->fabric_name, &entry, error);
        def.fabric = &entry.fabric;
    }
    if (status == TOILE_STATUS_OK)
        status = toile_sim_add_cloth(session->sim, &def, &garment->id, error);
    if (status == TOILE_STATUS_OK)
        return status;
    tl_session_name_object(error, garment->name);
    /* a face is shown by one of its vertices where the check named none */
    int64_t corner = 0;
    if (error && error->struct_size >= sizeof *error && error->vertex < 0 && error->face >= 0 &&
        error->face < garment->mesh.face_count) {
        for (int64_t f = 0; f < error->face; f++)
            corner += garment->mesh.face_sizes[f];
        error->vertex = corner < garment->mesh.corner_count ? garment->mesh.corners[corner] : -1;
    }
    return status;
}

ToileStatus toile_session_add_cloth(ToileSession *session, const ToileSessionCloth *cloth,
                                    int32_t *index, ToileError *error) {
    ToileSessionCloth local;
    toile_session_cloth_init(&local, (uint32_t)sizeof local);
    ToileStatus status = need_stage(session, STAGE_ADDING, "toile_session_add_cloth", error);
    if (status != TOILE_STATUS_OK)
        return status;
    if (!tl_session_read_def(&local, sizeof local, cloth))
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "The cloth is NULL or not initialised; fill it with "
                               "toile_session_cloth_init.");
    size_t count = (size_t)session->garment_count;
    TlGarment *larger = realloc(session->garments, (count + 1) * sizeof *larger);
    if (!larger)
        return tl_session_out_of_memory(error);
    session->garments = larger;
    TlGarment *garment = &session->garments[count];
    memset(garment, 0, sizeof *garment);
    status = tl_garment_read(&local, session->def.unit_m, garment, error);
    if (status == TOILE_STATUS_OK)
        status = add_to_sim(session, &local, garment, error);
    if (status != TOILE_STATUS_OK) {
        tl_garment_free(garment);
        return status;
    }
    session->garment_count++;
    if (index)
        *index = (int32_t)count;
    return TOILE_STATUS_OK;
}

ToileStatus toile_session_add_collider(ToileSession *session, const ToileSessionCollider *collider,
                                       int32_t *index, ToileError *error) {
    ToileSessionCollider local;
    toile_session_collider_init(&local, (uint32_t)sizeof local);
    ToileStatus status = need_stage(session, STAGE_ADDING, "toile_session_add_collider", error);
    if (status != TOILE_STATUS_OK)
        return status;
    if (!tl_session_read_def(&local, sizeof local, collider))
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "The collider is NULL or not initialised; fill it with "
                               "toile_session_collider_init.");
    size_t count = (size_t)session->solid_count;
    TlSolid *larger = realloc(session->solids, (count + 1) * sizeof *larger);
    if (!larger)
        return tl_session_out_of_memory(error);
    session->solids = larger;
    TlSolid *solid = &session->solids[count];
    memset(solid, 0, sizeof *solid);
    status = tl_solid_add(&local, session->def.unit_m, session->sim, solid, error);
    if (status != TOILE_STATUS_OK) {
        tl_solid_free(solid);
        return status;
    }
    session->solid_count++;
    if (index)
        *index = (int32_t)count;
    return TOILE_STATUS_OK;
}

/* ---- the cache ---- */

static ToileStatus add_objects(ToileSession *session, ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t i = 0; i < session->garment_count && status == TOILE_STATUS_OK; i++) {
        const TlGarment *garment = &session->garments[i];
        ToileCacheObject object = toile_cache_object_default();
        object.has_matrix = 1;
        object.name = garment->name;
        object.mesh = &garment->mesh;
        object.uv_name = garment->uv_name;
        object.unit_m = session->def.unit_m;
        status = toile_cache_add_object(session->cache, &object, error);
    }
    return status;
}

static ToileStatus open_cache(ToileSession *session, ToileError *error) {
    const ToileSessionDef *from = &session->def;
    ToileCacheDef def = toile_cache_def_default();
    def.frame_count = from->last_frame - from->first_frame + 1;
    int32_t *frames = malloc((size_t)def.frame_count * sizeof *frames);
    if (!frames)
        return tl_session_out_of_memory(error);
    for (int32_t i = 0; i < def.frame_count; i++)
        frames[i] = from->first_frame + i;
    def.frames = frames;
    def.up = from->up == 1 ? TOILE_UP_Z : TOILE_UP_Y;
    def.velocities = from->velocities;
    def.fps = from->fps;
    def.unit_m = from->unit_m;
    ToileStatus status = toile_cache_open(from->cache, &def, &session->cache, error);
    free(frames);
    return status == TOILE_STATUS_OK ? add_objects(session, error) : status;
}

static ToileStatus write_frame(ToileSession *session, ToileError *error) {
    for (int32_t i = 0; i < session->garment_count; i++) {
        session->points[i] = session->garments[i].points;
        session->velocities[i] = session->garments[i].velocities;
        session->matrices[i] = session->garments[i].space.m;
    }
    ToileStatus status = toile_cache_add_arrays(session->cache, session->points,
                                                session->velocities, session->matrices, error);
    if (status != TOILE_STATUS_OK)
        tl_session_name_frame(error, toile_session_frame(session));
    return status;
}

static void close_cache(ToileSession *session) {
    toile_cache_abandon(session->cache);
    session->cache = NULL;
}

static ToileStatus start_cache(ToileSession *session, ToileError *error) {
    size_t count = (size_t)session->garment_count;
    free((void *)session->points);
    free((void *)session->velocities);
    free((void *)session->matrices);
    session->points = calloc(count, sizeof *session->points);
    session->velocities = calloc(count, sizeof *session->velocities);
    session->matrices = calloc(count, sizeof *session->matrices);
    if (!session->points || !session->velocities || !session->matrices)
        return tl_session_out_of_memory(error);
    ToileStatus status = open_cache(session, error);
    if (status == TOILE_STATUS_OK)
        status = write_frame(session, error);
    if (status != TOILE_STATUS_OK)
        close_cache(session);
    return status;
}

ToileStatus toile_session_begin(ToileSession *session, ToileError *error) {
    ToileStatus status = need_stage(session, STAGE_ADDING, "toile_session_begin", error);
    if (status == TOILE_STATUS_OK && session->garment_count == 0)
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "There is no cloth to simulate; add one first.");
    if (status == TOILE_STATUS_OK && session->def.cache)
        status = start_cache(session, error);
    if (status == TOILE_STATUS_OK)
        session->stage = STAGE_RUNNING;
    return status;
}

/* ---- motion ---- */

/* a collider that is told where it is next, by an array that is there */
static ToileStatus need_collider(const ToileSession *session, int32_t index, const void *array,
                                 const char *call, ToileError *error) {
    ToileStatus status = need_stage(session, STAGE_RUNNING, call, error);
    if (status != TOILE_STATUS_OK)
        return status;
    if (array && index >= 0 && index < session->solid_count)
        return TOILE_STATUS_OK;
    return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                           "%s: there is no collider %d, or its array is NULL; the session has %d, "
                           "counted from 0.",
                           call, (int)index, (int)session->solid_count);
}

ToileStatus toile_session_set_collider_matrix(ToileSession *session, int32_t index,
                                              const double matrix[16], ToileError *error) {
    ToileStatus status =
        need_collider(session, index, matrix, "toile_session_set_collider_matrix", error);
    if (status != TOILE_STATUS_OK)
        return status;
    status = tl_solid_set_matrix(&session->solids[index], matrix, session->def.unit_m, session->sim,
                                 error);
    if (status != TOILE_STATUS_OK)
        tl_session_name_frame(error, (int64_t)toile_session_frame(session) + 1);
    return status;
}

ToileStatus toile_session_set_collider_positions(ToileSession *session, int32_t index,
                                                 const float *positions, int32_t vertex_count,
                                                 ToileError *error) {
    ToileStatus status =
        need_collider(session, index, positions, "toile_session_set_collider_positions", error);
    if (status != TOILE_STATUS_OK)
        return status;
    status = tl_solid_set_positions(&session->solids[index], positions, vertex_count,
                                    session->def.unit_m, session->sim, error);
    if (status != TOILE_STATUS_OK)
        tl_session_name_frame(error, (int64_t)toile_session_frame(session) + 1);
    return status;
}

ToileStatus toile_session_set_cloth_matrix(ToileSession *session, int32_t index,
                                           const double matrix[16], ToileError *error) {
    TlSpace next;
    ToileStatus status =
        need_stage(session, STAGE_RUNNING, "toile_session_set_cloth_matrix", error);
    if (status == TOILE_STATUS_OK)
        status = need_cloth(session, index, error);
    if (status != TOILE_STATUS_OK)
        return status;
    TlGarment *garment = &session->garments[index];
    if (!matrix)
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, garment->name,
                               "The matrix of '%.64s' is NULL.", garment->name);
    status = tl_space_make(matrix, session->def.unit_m, garment->name, &next, error);
    if (status == TOILE_STATUS_OK && garment->pin_count > 0) {
        tl_space_to_world(&next, garment->pin_points, garment->pin_count, garment->pin_targets_m);
        status = toile_sim_set_pin_targets(session->sim, garment->id, garment->pins,
                                           garment->pin_count, garment->pin_targets_m, error);
    }
    if (status == TOILE_STATUS_OK)
        garment->next = next;
    else
        tl_session_name_frame(error, (int64_t)toile_session_frame(session) + 1);
    return status;
}

/* ---- frames ---- */

/* brings the state of the simulation into the spaces of the objects */
static ToileStatus fetch(ToileSession *session, TlGarment *garment, ToileError *error) {
    int32_t count = garment->mesh.vertex_count;
    TlSpace before = garment->space;
    ToileStatus status = toile_sim_get_positions(session->sim, garment->id, garment->x, error);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_get_velocities(session->sim, garment->id, garment->v, error);
    if (status != TOILE_STATUS_OK)
        return status;
    garment->space = garment->next;
    tl_space_to_object(&garment->space, garment->x, count, garment->points);
    if (session->cache && session->def.velocities)
        tl_space_velocities(&garment->space, &before, session->def.fps, garment->x, garment->v,
                            count, garment->velocities);
    return TOILE_STATUS_OK;
}

static ToileStatus explain_cancel(const ToileSession *session, ToileError *error) {
    int32_t frame = toile_session_frame(session);
    tl_session_fail(error, TOILE_STATUS_CANCELLED, NULL,
                    "The step to frame %d was cancelled; the frames up to %d are kept.",
                    (int)frame + 1, (int)frame);
    tl_session_name_frame(error, (int64_t)frame + 1);
    return TOILE_STATUS_CANCELLED;
}

ToileStatus toile_session_step(ToileSession *session, ToileError *error) {
    ToileStatus status = need_stage(session, STAGE_RUNNING, "toile_session_step", error);
    if (status != TOILE_STATUS_OK)
        return status;
    if (toile_session_frame(session) >= session->def.last_frame)
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "Frame %d is the last of this session; finish it.",
                               (int)session->def.last_frame);
    status = toile_sim_step(session->sim, error);
    if (status == TOILE_STATUS_CANCELLED)
        return explain_cancel(session, error);
    if (status != TOILE_STATUS_OK)
        return status;
    for (int32_t i = 0; i < session->garment_count && status == TOILE_STATUS_OK; i++)
        status = fetch(session, &session->garments[i], error);
    if (status == TOILE_STATUS_OK && session->cache)
        status = write_frame(session, error);
    if (status != TOILE_STATUS_OK) {
        close_cache(session);
        session->stage = STAGE_BROKEN;
    }
    return status;
}

ToileStatus toile_session_get_positions(const ToileSession *session, int32_t index,
                                        float *positions, ToileError *error) {
    if (!session || !positions)
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "toile_session_get_positions needs a session and a place for the "
                               "positions, not NULL.");
    ToileStatus status = need_cloth(session, index, error);
    if (status != TOILE_STATUS_OK)
        return status;
    const TlGarment *garment = &session->garments[index];
    memcpy(positions, garment->points, 3 * (size_t)garment->mesh.vertex_count * sizeof *positions);
    return TOILE_STATUS_OK;
}

int32_t toile_session_frame(const ToileSession *session) {
    return session ? (int32_t)toile_sim_frame(session->sim) : INT32_MIN;
}

ToileStatus toile_session_get_stats(const ToileSession *session, ToileStats *stats,
                                    ToileError *error) {
    if (!session)
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "toile_session_get_stats needs a session, not NULL.");
    return toile_sim_get_stats(session->sim, stats, error);
}

/* marks the faces of a cloth that go through something */
static ToileStatus mark_faces(const ToileSession *session, const TlGarment *garment,
                              unsigned char *marks, ToileError *error) {
    int32_t found = toile_sim_intersection_count(session->sim);
    for (int32_t i = 0; i < found; i++) {
        ToileIntersection each = toile_intersection_default();
        ToileStatus status = toile_sim_get_intersection(session->sim, i, &each, error);
        if (status != TOILE_STATUS_OK)
            return status;
        if (each.cloth.slot == garment->id.slot)
            marks[each.face] = 1;
        if (each.other_cloth.slot == garment->id.slot)
            marks[each.other_face] = 1;
    }
    return TOILE_STATUS_OK;
}

ToileStatus toile_session_get_intersecting_faces(const ToileSession *session, int32_t index,
                                                 int32_t *faces, int32_t capacity, int32_t *count,
                                                 ToileError *error) {
    if (!session || !count || capacity < 0 || (capacity > 0 && !faces))
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, NULL,
                               "toile_session_get_intersecting_faces needs a session, a place for "
                               "the count, and one for the faces.");
    ToileStatus status = need_cloth(session, index, error);
    if (status != TOILE_STATUS_OK)
        return status;
    const TlGarment *garment = &session->garments[index];
    unsigned char *marks = calloc((size_t)garment->mesh.face_count, 1);
    if (!marks)
        return tl_session_out_of_memory(error);
    status = mark_faces(session, garment, marks, error);
    *count = 0;
    for (int32_t f = 0; f < garment->mesh.face_count && status == TOILE_STATUS_OK; f++) {
        if (!marks[f])
            continue;
        if (*count < capacity)
            faces[*count] = f;
        (*count)++;
    }
    free(marks);
    return status;
}

ToileStatus toile_session_finish(ToileSession *session, ToileError *error) {
    ToileStatus status = need_stage(session, STAGE_RUNNING, "toile_session_finish", error);
    if (status != TOILE_STATUS_OK)
        return status;
    session->stage = STAGE_FINISHED;
    if (session->cache)
        status = toile_cache_finish(session->cache, error);
    session->cache = NULL;
    return status;
}
