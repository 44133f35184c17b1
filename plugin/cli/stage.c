/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the meshes of an archive at a frame, blended between samples and put into the world, and
 * makes meshes of a scene's colliders as they are at that frame. */
#include "stage.h"

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_FPS 24.0
#define DEGREES_PER_RADIAN 57.29577951308232

/* Colliders larger than this many times the cloth do not widen the view. */
#define COLLIDER_REACH 4.0
/* Colliders are drawn this part of the view's radius smaller, so that cloth lies on them. */
#define INSET 0.004

static int out_of_memory(void) {
    tl_message("there is not enough memory.");
    return TL_EXIT_FAILURE;
}

static double view_radius(const TlBounds *bounds) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double side = bounds->high[k] - bounds->low[k];
        sum += side > 0.0 ? side * side : 0.0;
    }
    return 0.5 * sqrt(sum);
}

/* ---- meshes of the archive ---- */

/* metres a unit, as a Toile cache records it; else the scene's, else 1 */
static double unit_of(TlStage *stage, abcc_obj obj) {
    uint32_t count = 0;
    double unit_m = 1.0;
    if (stage->scene) {
        ToileSceneInfo info = {0};
        info.struct_size = (uint32_t)sizeof info;
        if (toile_scene_get_info(stage->scene, &info, NULL) == TOILE_STATUS_OK)
            unit_m = info.unit_m;
    }
    if (abcc_param_count(stage->reader, obj, &count, NULL) != ABCC_OK)
        return unit_m;
    for (uint32_t i = 0; i < count; i++) {
        abcc_param param = abcc_param_default();
        double value = 0.0;
        if (abcc_param_get(stage->reader, obj, i, &param, NULL) == ABCC_OK &&
            strcmp(param.name, "unit_m") == 0 && param.type == ABCC_F64 && param.width == 1 &&
            abcc_param_read(stage->reader, obj, i, 0, &value, sizeof value, NULL, 0, NULL) ==
                ABCC_OK &&
            value > 0.0)
            return value;
    }
    return unit_m;
}

static int find_actors(TlStage *stage) {
    uint32_t count = abcc_object_count(stage->reader);
    stage->actors = calloc((size_t)count + 1, sizeof *stage->actors);
    if (!stage->actors)
        return out_of_memory();
    for (uint32_t obj = 1; obj < count; obj++) {
        abcc_error error = {0};
        abcc_object object = abcc_object_default();
        abcc_status status = abcc_object_get(stage->reader, obj, &object, &error);
        if (status != ABCC_OK)
            return tl_fail_archive(status, &error, stage->archive);
        if ((object.kind != ABCC_MESH && object.kind != ABCC_SUBD) || object.samples == 0)
            continue;
        TlActor *actor = &stage->actors[stage->actor_count++];
        actor->obj = obj;
        actor->samples = object.samples;
        actor->unit_m = unit_of(stage, obj);
    }
    if (stage->actor_count > 0)
        return TL_EXIT_OK;
    tl_message("%s: the archive holds no mesh to draw.", stage->archive);
    return TL_EXIT_DATA;
}

static void free_arrays(TlActor *actor) {
    free(actor->x);
    free(actor->next);
    free(actor->face_counts);
    free(actor->corners);
}

static bool make_room(TlActor *actor, const abcc_mesh_sizes *sizes) {
    if (actor->x && sizes->verts <= actor->room_verts && sizes->faces <= actor->room_faces &&
        sizes->corners <= actor->room_corners)
        return true;
    free_arrays(actor);
    actor->room_verts = sizes->verts;
    actor->room_faces = sizes->faces;
    actor->room_corners = sizes->corners;
    actor->x = malloc((3 * (size_t)sizes->verts + 1) * sizeof *actor->x);
    actor->next = malloc((3 * (size_t)sizes->verts + 1) * sizeof *actor->next);
    actor->face_counts = malloc(((size_t)sizes->faces + 1) * sizeof *actor->face_counts);
    actor->corners = malloc(((size_t)sizes->corners + 1) * sizeof *actor->corners);
    return actor->x && actor->next && actor->face_counts && actor->corners;
}

/* positions between two samples, when the faces stay the same */
static abcc_status blend(TlStage *stage, TlActor *actor, uint32_t sample, double weight,
                         abcc_error *error) {
    abcc_mesh_out out = abcc_mesh_out_default();
    out.cap_verts = actor->room_verts;
    out.P = actor->next;
    abcc_status status = abcc_mesh_read(stage->reader, actor->obj, sample, &out, error);
    if (status != ABCC_OK)
        return status;
    for (size_t i = 0; i < 3 * (size_t)actor->sizes.verts; i++)
        actor->x[i] =
            (float)((1.0 - weight) * (double)actor->x[i] + weight * (double)actor->next[i]);
    return ABCC_OK;
}

static abcc_status to_world(TlStage *stage, TlActor *actor, double seconds, abcc_error *error) {
    double m[16];
    int visible = 1;
    abcc_status status = abcc_world(stage->reader, actor->obj, seconds, m, &visible, NULL, error);
    if (status != ABCC_OK)
        return status;
    if (!visible)
        actor->sizes.verts = actor->sizes.faces = actor->sizes.corners = 0;
    for (size_t i = 0; i < actor->sizes.verts; i++) {
        float *x = actor->x + 3 * i;
        const double p[3] = {(double)x[0], (double)x[1], (double)x[2]};
        for (size_t k = 0; k < 3; k++)
            x[k] = (float)(actor->unit_m *
                           (p[0] * m[k] + p[1] * m[4 + k] + p[2] * m[8 + k] + m[12 + k]));
    }
    return ABCC_OK;
}

static int read_actor(TlStage *stage, TlActor *actor, double seconds) {
    abcc_error error = {0};
    uint32_t before = 0, after = 0;
    double weight = 0.0;
    actor->sizes = abcc_mesh_sizes_default();
    abcc_status status =
        abcc_sample_at(stage->reader, actor->obj, seconds, &before, &after, &weight, &error);
    if (status == ABCC_OK)
        status = abcc_mesh_size(stage->reader, actor->obj, before, &actor->sizes, &error);
    if (status != ABCC_OK)
        return tl_fail_archive(status, &error, stage->archive);
    if (!make_room(actor, &actor->sizes))
        return out_of_memory();
    abcc_mesh_out out = abcc_mesh_out_default();
    out.cap_verts = actor->room_verts;
    out.cap_faces = actor->room_faces;
    out.cap_corners = actor->room_corners;
    out.P = actor->x;
    out.face_count = actor->face_counts;
    out.index = actor->corners;
    status = abcc_mesh_read(stage->reader, actor->obj, before, &out, &error);
    if (status == ABCC_OK && weight > 0.0 && actor->sizes.topology != ABCC_TOPO_CHANGING)
        status = blend(stage, actor, after, weight, &error);
    if (status == ABCC_OK)
        status = to_world(stage, actor, seconds, &error);
    return status == ABCC_OK ? TL_EXIT_OK : tl_fail_archive(status, &error, stage->archive);
}

static int read_frame(TlStage *stage, int32_t frame) {
    int code = TL_EXIT_OK;
    if (stage->points)
        return tl_stage_read_points(stage, frame);
    for (int32_t i = 0; i < stage->actor_count && code == TL_EXIT_OK; i++)
        code = read_actor(stage, &stage->actors[i], frame / stage->fps);
    return code;
}

/* mean length of the first edge of every face */
static double typical_edge(const TlActor *actor) {
    double sum = 0.0;
    size_t corner = 0;
    for (uint32_t face = 0; face < actor->sizes.faces; face++) {
        int32_t count = actor->face_counts[face];
        if (count >= 2) {
            const float *a = actor->x + 3 * (size_t)actor->corners[corner];
            const float *b = actor->x + 3 * (size_t)actor->corners[corner + 1];
            double dx = (double)(a[0] - b[0]), dy = (double)(a[1] - b[1]),
                   dz = (double)(a[2] - b[2]);
            sum += sqrt(dx * dx + dy * dy + dz * dz);
        }
        corner += count > 0 ? (size_t)count : 0;
    }
    return actor->sizes.faces ? sum / actor->sizes.faces : 0.0;
}

/* ---- colliders of the scene ---- */

/* a vector turned by an axis times an angle, in the scene's axes */
static void rotate(const double turn_rad[3], const double in[3], double out[3]) {
    double angle =
        sqrt(turn_rad[0] * turn_rad[0] + turn_rad[1] * turn_rad[1] + turn_rad[2] * turn_rad[2]);
    memcpy(out, in, 3 * sizeof *out);
    if (angle < 1e-12)
        return;
    double s = tl_sine_deg(angle * DEGREES_PER_RADIAN);
    double c = tl_sine_deg(angle * DEGREES_PER_RADIAN + 90.0);
    double axis[3], along = 0.0;
    for (int k = 0; k < 3; k++) {
        axis[k] = turn_rad[k] / angle;
        along += axis[k] * in[k];
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        double cross = axis[a] * in[b] - axis[b] * in[a];
        out[k] = c * in[k] + s * cross + (1.0 - c) * along * axis[k];
    }
}

/* a direction of the scene, posed, in the Y-up axes of the picture */
static void place_direction(const TlStage *stage, const ToilePose *pose, const double in[3],
                            double out[3]) {
    double turned[3];
    rotate(pose->rotate_rad, in, turned);
    out[0] = turned[0];
    out[1] = stage->z_up ? turned[2] : turned[1];
    out[2] = stage->z_up ? -turned[1] : turned[2];
}

static void place_point(const TlStage *stage, const ToilePose *pose, const double in[3],
                        double out[3]) {
    static const ToilePose none = {{0, 0, 0}, {0, 0, 0}};
    double shift[3];
    place_direction(stage, pose, in, out);
    place_direction(stage, &none, pose->translate_m, shift);
    for (int k = 0; k < 3; k++)
        out[k] += shift[k];
}

static bool make_plane(TlStage *stage, TlProp *prop, const double centre[3],
                       const double normal[3]) {
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    /* a level floor is the studio's own */
    if (normal[1] > 0.9999 * length) {
        stage->has_plane = true;
        stage->ground_y_m = centre[1];
        return true;
    }
    double above = 0.0;
    for (int k = 0; k < 3; k++) {
        prop->normal[k] = normal[k] / length;
        prop->point[k] = 0.5 * (stage->bounds.low[k] + stage->bounds.high[k]);
        above += (prop->point[k] - centre[k]) * prop->normal[k];
    }
    /* the part of the plane that is nearest to the cloth */
    for (int k = 0; k < 3; k++)
        prop->point[k] -= above * prop->normal[k];
    prop->endless = true;
    stage->prop_count++;
    return tl_shape_plane(&prop->shape, prop->point, prop->normal,
                          2.0 * view_radius(&stage->bounds));
}

/* a flat face whose corners touch something round lies this deep in it */
static double sag_of(const TlStage *stage, double radius_m) {
    double sag = stage->edge_m * stage->edge_m / (4.0 * radius_m);
    double limit = 0.2 * radius_m;
    return sag < limit ? sag : limit;
}

static bool make_capsule(TlStage *stage, TlProp *prop, const ToileColliderDef *collider,
                         const double centre[3]) {
    double end[3];
    place_point(stage, &collider->pose, collider->end_m, end);
    prop->inset_m += sag_of(stage, collider->radius_m);
    return tl_shape_capsule(&prop->shape, centre, end, collider->radius_m);
}

static bool make_prop(TlStage *stage, const ToileColliderDef *collider) {
    double centre[3], normal[3], axes[3][3];
    TlProp *prop = &stage->props[stage->prop_count];
    memset(prop, 0, sizeof *prop);
    place_point(stage, &collider->pose, collider->center_m, centre);
    prop->inset_m = INSET * view_radius(&stage->bounds);
    if (collider->shape == TOILE_COLLIDER_PLANE) {
        place_direction(stage, &collider->pose, collider->normal, normal);
        return make_plane(stage, prop, centre, normal);
    }
    stage->prop_count++;
    if (collider->shape == TOILE_COLLIDER_SPHERE) {
        prop->inset_m += sag_of(stage, collider->radius_m);
        return tl_shape_sphere(&prop->shape, centre, collider->radius_m);
    }
    if (collider->shape == TOILE_COLLIDER_CAPSULE)
        return make_capsule(stage, prop, collider, centre);
    for (int k = 0; k < 3; k++) {
        double axis[3] = {0.0, 0.0, 0.0};
        axis[k] = collider->half_m[k];
        place_direction(stage, &collider->pose, axis, axes[k]);
    }
    return tl_shape_box(&prop->shape, centre, (const double(*)[3])axes);
}

static void free_props(TlStage *stage) {
    for (int32_t i = 0; i < stage->prop_count; i++)
        tl_shape_destroy(&stage->props[i].shape);
    stage->prop_count = 0;
    stage->has_plane = false;
}

/* draws a mesh in the pose of its collider */
static int add_mesh(TlStage *stage, const ToileMeshDef *mesh, const ToilePose *pose) {
    TlProp *prop = &stage->props[stage->prop_count];
    memset(prop, 0, sizeof *prop);
    prop->inset_m = INSET * view_radius(&stage->bounds);
    if (!tl_shape_reserve(&prop->shape, mesh->vertex_count, mesh->face_count, mesh->corner_count))
        return out_of_memory();
    stage->prop_count++;
    for (size_t i = 0; i < (size_t)mesh->vertex_count; i++) {
        double placed[3];
        place_point(stage, pose, mesh->positions_m + 3 * i, placed);
        for (size_t k = 0; k < 3; k++)
            prop->shape.x[3 * i + k] = (float)placed[k];
    }
    memcpy(prop->shape.face_counts, mesh->face_sizes,
           (size_t)mesh->face_count * sizeof *mesh->face_sizes);
    memcpy(prop->shape.corners, mesh->corners, (size_t)mesh->corner_count * sizeof *mesh->corners);
    return TL_EXIT_OK;
}

/* the mesh of collider `index` at a frame, in its pose */
static int make_mesh(TlStage *stage, int32_t index, int32_t frame,
                     const ToileColliderDef *collider) {
    ToileError error = toile_error_default();
    ToileObj *obj = NULL;
    ToileStatus status = toile_scene_read_collider(stage->scene, index, frame, &obj, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    int code = obj ? add_mesh(stage, &obj->mesh, &collider->pose) : TL_EXIT_OK;
    toile_obj_free(obj);
    return code;
}

static int make_colliders(TlStage *stage, int32_t frame) {
    free_props(stage);
    for (int32_t i = 0; i < stage->collider_count; i++) {
        ToileError error = toile_error_default();
        ToileColliderDef collider = toile_collider_def_default();
        ToileStatus status = toile_scene_get_collider(stage->scene, i, frame, &collider, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        int code = TL_EXIT_OK;
        if (collider.shape == TOILE_COLLIDER_MESH)
            code = make_mesh(stage, i, frame, &collider);
        else if (!make_prop(stage, &collider))
            code = out_of_memory();
        if (code != TL_EXIT_OK)
            return code;
    }
    return TL_EXIT_OK;
}

static int prepare_colliders(TlStage *stage) {
    ToileError error = toile_error_default();
    ToileSceneInfo info = {0};
    info.struct_size = (uint32_t)sizeof info;
    if (stage->scene) {
        ToileStatus status = toile_scene_get_info(stage->scene, &info, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
    }
    stage->collider_count = info.collider_count;
    stage->z_up = info.up == TOILE_UP_Z;
    size_t count = (size_t)info.collider_count + 1;
    stage->props = calloc(count, sizeof *stage->props);
    stage->meshes = calloc(count + (size_t)stage->actor_count, sizeof *stage->meshes);
    return stage->props && stage->meshes ? TL_EXIT_OK : out_of_memory();
}

/* ---- the stage ---- */

/* colliders of a size like the cloth's belong into the picture */
static TlBounds collider_bounds(const TlStage *stage, double reach_m) {
    TlBounds all = tl_bounds_empty();
    for (int32_t i = 0; i < stage->prop_count; i++) {
        const TlProp *prop = &stage->props[i];
        TlBounds own = tl_bounds_empty();
        tl_bounds_add(&own, prop->shape.x, prop->shape.vertex_count);
        if (!prop->endless && view_radius(&own) <= reach_m)
            tl_bounds_join(&all, &own);
    }
    return all;
}

int tl_stage_measure(TlStage *stage, const int32_t *frames, int32_t frame_count) {
    stage->bounds = tl_bounds_empty();
    for (int32_t f = 0; f < frame_count; f++) {
        int code = read_frame(stage, frames[f]);
        if (code != TL_EXIT_OK)
            return code;
        for (int32_t i = 0; i < stage->actor_count; i++)
            tl_bounds_add(&stage->bounds, stage->actors[i].x,
                          (int32_t)stage->actors[i].sizes.verts);
    }
    stage->edge_m = typical_edge(&stage->actors[0]);
    double reach_m = COLLIDER_REACH * view_radius(&stage->bounds);
    TlBounds wide = stage->bounds;
    for (int32_t f = 0; f < frame_count; f++) {
        int code = make_colliders(stage, frames[f]);
        if (code != TL_EXIT_OK)
            return code;
        TlBounds solid = collider_bounds(stage, reach_m);
        tl_bounds_join(&wide, &solid);
    }
    stage->bounds = wide;
    return TL_EXIT_OK;
}

static TlRenderMesh actor_mesh(const TlActor *actor, int32_t index) {
    static const float colours[][3] = {{0.80F, 0.36F, 0.30F}, {0.30F, 0.50F, 0.72F},
                                       {0.86F, 0.68F, 0.34F}, {0.40F, 0.62F, 0.46F},
                                       {0.60F, 0.46F, 0.68F}, {0.74F, 0.74F, 0.70F}};
    const float *colour = colours[(size_t)index % (sizeof colours / sizeof colours[0])];
    return (TlRenderMesh){.x = actor->x,
                          .vertex_count = (int32_t)actor->sizes.verts,
                          .face_counts = actor->face_counts,
                          .face_count = (int32_t)actor->sizes.faces,
                          .corners = actor->corners,
                          .corner_count = (int32_t)actor->sizes.corners,
                          .colour = {colour[0], colour[1], colour[2]},
                          .finish = TL_FINISH_CLOTH};
}

/* a plane seen from behind would hide everything in front of it */
static bool hides_all(const TlProp *prop, const TlCamera *camera) {
    double above = 0.0;
    for (int k = 0; k < 3; k++) {
        double eye = camera->centre[k] + camera->radius_m * camera->eye[k];
        above += (eye - prop->point[k]) * prop->normal[k];
    }
    return prop->endless && above <= 0.0;
}

int tl_stage_compose(TlStage *stage, int32_t frame, const TlCamera *camera, TlRenderScene *scene) {
    int code = read_frame(stage, frame);
    if (code == TL_EXIT_OK)
        code = make_colliders(stage, frame);
    if (code != TL_EXIT_OK)
        return code;
    int32_t count = 0;
    for (int32_t i = 0; i < stage->actor_count; i++)
        stage->meshes[count++] = actor_mesh(&stage->actors[i], i);
    for (int32_t i = 0; i < stage->prop_count; i++) {
        if (hides_all(&stage->props[i], camera))
            continue;
        stage->meshes[count] = tl_shape_mesh(&stage->props[i].shape, 0.62F, 0.63F, 0.65F);
        stage->meshes[count++].inset_m = (float)stage->props[i].inset_m;
    }
    double under_y_m = stage->bounds.low[1] - 0.02 * view_radius(&stage->bounds);
    scene->meshes = stage->meshes;
    scene->mesh_count = count;
    scene->has_ground = true;
    scene->ground_y_m = stage->has_plane ? stage->ground_y_m : under_y_m;
    return TL_EXIT_OK;
}

int tl_stage_sample_time(const TlStage *stage, const TlActor *actor, uint32_t sample,
                         double *seconds) {
    abcc_error error = {0};
    abcc_status status = ABCC_OK;
    if (stage->points)
        *seconds = tl_stage_points_time_s(stage, sample);
    else
        status = abcc_sample_time(stage->reader, actor->obj, sample, seconds, &error);
    return status == ABCC_OK ? TL_EXIT_OK : tl_fail_archive(status, &error, stage->archive);
}

static int open_archive(TlStage *stage) {
    abcc_error error = {0};
    abcc_info info = abcc_info_default();
    abcc_status status = abcc_open(stage->archive, 0, NULL, &stage->reader, &error);
    if (status == ABCC_OK)
        status = abcc_info_get(stage->reader, &info, &error);
    if (status != ABCC_OK)
        return tl_fail_archive(status, &error, stage->archive);
    stage->fps = info.fps > 0.0 ? info.fps : DEFAULT_FPS;
    return find_actors(stage);
}

int tl_stage_open(TlStage *stage, const char *archive, const ToileScene *scene) {
    stage->archive = archive;
    stage->scene = scene;
    bool points = tl_has_ending(archive, ".pc2") || tl_has_ending(archive, ".mdd");
    int code = points ? tl_stage_open_points(stage) : open_archive(stage);
    return code == TL_EXIT_OK ? prepare_colliders(stage) : code;
}

void tl_stage_close(TlStage *stage) {
    if (stage->props)
        free_props(stage);
    for (int32_t i = 0; i < stage->actor_count; i++)
        free_arrays(&stage->actors[i]);
    free(stage->actors);
    free(stage->props);
    free(stage->meshes);
    abcc_close(stage->reader);
    toile_pointcache_close(stage->points);
}
