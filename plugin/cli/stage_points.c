/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A point cache on the stage: its positions, in the axes and the unit that the cloth of the scene
 * it was simulated from has, with the faces of that cloth. */
#include "stage.h"

#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* the first cloth that is written with so many vertices; its faces are known unless it is
 * subdivided for output */
static bool find_cloth(const TlStage *stage, int32_t points, ToileSceneCloth *cloth) {
    ToileSceneInfo info = {.struct_size = (uint32_t)sizeof info};
    toile_scene_get_info(stage->scene, &info, NULL);
    for (int32_t i = 0; i < info.cloth_count; i++) {
        *cloth = (ToileSceneCloth){.struct_size = (uint32_t)sizeof *cloth};
        if (toile_scene_get_cloth(stage->scene, i, cloth, NULL) == TOILE_STATUS_OK &&
            cloth->mesh->vertex_count == points && cloth->subdivide_output == 0)
            return true;
    }
    tl_message("%s has %d points, which no cloth of the scene has that is written as it is "
               "simulated; name the scene of this cache by --scene, or draw an .abc cache.",
               stage->archive, (int)points);
    return false;
}

static bool make_actor(TlStage *stage, const ToileSceneCloth *cloth, int32_t samples) {
    const ToileMeshDef *mesh = cloth->mesh;
    size_t faces = (size_t)mesh->face_count, corners = (size_t)mesh->corner_count;
    size_t values = 3 * (size_t)mesh->vertex_count;
    TlActor *actor = stage->actors = calloc(1, sizeof *stage->actors);
    if (!actor)
        return false;
    stage->actor_count = 1;
    actor->samples = (uint32_t)samples;
    actor->unit_m = cloth->unit_m;
    actor->sizes = abcc_mesh_sizes_default();
    actor->sizes.verts = (uint32_t)mesh->vertex_count;
    actor->sizes.faces = (uint32_t)faces;
    actor->sizes.corners = (uint32_t)corners;
    actor->x = calloc(values + 1, sizeof *actor->x);
    actor->next = calloc(values + 1, sizeof *actor->next);
    actor->face_counts = calloc(faces + 1, sizeof *actor->face_counts);
    actor->corners = calloc(corners + 1, sizeof *actor->corners);
    if (!actor->x || !actor->next || !actor->face_counts || !actor->corners)
        return false;
    memcpy(actor->face_counts, mesh->face_sizes, faces * sizeof *actor->face_counts);
    memcpy(actor->corners, mesh->corners, corners * sizeof *actor->corners);
    return true;
}

int tl_stage_open_points(TlStage *stage) {
    ToileError error = toile_error_default();
    ToileSceneInfo info = {.struct_size = (uint32_t)sizeof info};
    ToileSceneCloth cloth = {0};
    if (!stage->scene) {
        tl_message("%s: a point cache has no faces of its own; name its scene by --scene SCENE.",
                   stage->archive);
        return TL_EXIT_USAGE;
    }
    stage->points_info.struct_size = (uint32_t)sizeof stage->points_info;
    ToileStatus status =
        toile_pointcache_open(stage->archive, &stage->points_info, &stage->points, &error);
    if (status == TOILE_STATUS_OK)
        status = toile_scene_get_info(stage->scene, &info, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    stage->fps = info.fps;
    if (!find_cloth(stage, stage->points_info.point_count, &cloth))
        return TL_EXIT_DATA;
    if (make_actor(stage, &cloth, stage->points_info.sample_count))
        return TL_EXIT_OK;
    tl_message("there is not enough memory.");
    return TL_EXIT_FAILURE;
}

int tl_stage_read_points(TlStage *stage, int32_t frame) {
    ToileError error = toile_error_default();
    TlActor *actor = &stage->actors[0];
    int32_t before = 0, after = 0;
    double weight = 0.0;
    ToileStatus status =
        toile_pointcache_find(stage->points, frame, stage->fps, &before, &after, &weight, &error);
    if (status == TOILE_STATUS_OK)
        status = toile_pointcache_read(stage->points, before, actor->x, &error);
    if (status == TOILE_STATUS_OK)
        status = toile_pointcache_read(stage->points, after, actor->next, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    for (size_t i = 0; i < 3 * (size_t)actor->sizes.verts; i += 3) {
        double p[3];
        for (size_t k = 0; k < 3; k++)
            p[k] = actor->unit_m *
                   ((1.0 - weight) * (double)actor->x[i + k] + weight * (double)actor->next[i + k]);
        actor->x[i] = (float)p[0];
        actor->x[i + 1] = (float)(stage->z_up ? p[2] : p[1]);
        actor->x[i + 2] = (float)(stage->z_up ? -p[1] : p[2]);
    }
    return TL_EXIT_OK;
}

double tl_stage_points_time_s(const TlStage *stage, uint32_t sample) {
    const ToilePointCacheInfo *info = &stage->points_info;
    double part = info->sample_count > 1 ? (double)sample / (info->sample_count - 1) : 0.0;
    double at = info->first + part * (info->last - info->first);
    return info->in_seconds ? at : at / stage->fps;
}
