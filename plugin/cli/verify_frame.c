/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what may meet in a frame; see verify_frame.h. */
#include "verify_frame.h"

#include <stdio.h>
#include <stdlib.h>

static ToileStatus out_of_memory(ToileError *error) {
    error->status = TOILE_STATUS_OUT_OF_MEMORY;
    snprintf(error->message, sizeof error->message, "There is not enough memory");
    return TOILE_STATUS_OUT_OF_MEMORY;
}

ToileStatus tl_verify_frame_open(TlVerifyFrame *frame, int32_t cloth_count, const ToileScene *scene,
                                 ToileError *error) {
    ToileSceneInfo info = {0};
    info.struct_size = (uint32_t)sizeof info;
    if (scene) {
        ToileStatus status = toile_scene_get_info(scene, &info, error);
        if (status != TOILE_STATUS_OK)
            return status;
    }
    size_t colliders = (size_t)info.collider_count;
    frame->scene = scene;
    frame->cloth_count = frame->body_count = cloth_count;
    frame->bodies = calloc((size_t)cloth_count + colliders + 1, sizeof *frame->bodies);
    frame->solids = calloc(colliders + 1, sizeof *frame->solids);
    frame->x = calloc(colliders + 1, sizeof *frame->x);
    frame->meshes = calloc(colliders + 1, sizeof *frame->meshes);
    if (!frame->bodies || !frame->solids || !frame->x || !frame->meshes)
        return out_of_memory(error);
    frame->collider_count = info.collider_count;
    return TOILE_STATUS_OK;
}

void tl_verify_frame_close(TlVerifyFrame *frame) {
    for (int32_t i = 0; i < frame->collider_count; i++) {
        toile_obj_free(frame->meshes[i]);
        free(frame->x[i]);
    }
    free(frame->meshes);
    free(frame->bodies);
    free(frame->solids);
    free(frame->x);
}

/* the mesh of a collider with its vertices in the world */
static ToileStatus add_mesh(TlVerifyFrame *frame, int32_t index, const ToileColliderDef *collider,
                            double at, ToileError *error) {
    ToileObj **obj = &frame->meshes[index];
    toile_obj_free(*obj);
    ToileStatus status = toile_scene_read_collider(frame->scene, index, at, obj, error);
    if (status != TOILE_STATUS_OK || !*obj)
        return status;
    const ToileMeshDef *mesh = &(*obj)->mesh;
    size_t count = (size_t)mesh->vertex_count;
    double *x = calloc(3 * count, sizeof *x);
    free(frame->x[index]);
    frame->x[index] = x;
    if (!x)
        return out_of_memory(error);
    for (size_t v = 0; v < count; v++)
        tl_pose_point(&collider->pose, mesh->positions_m + 3 * v, x + 3 * v);
    frame->bodies[frame->body_count++] = (TlCrossBody){.name = collider->name,
                                                       .x = x,
                                                       .vertex_count = mesh->vertex_count,
                                                       .face_count = mesh->face_count,
                                                       .face_sizes = mesh->face_sizes,
                                                       .corners = mesh->corners};
    return TOILE_STATUS_OK;
}

ToileStatus tl_verify_frame_pose(TlVerifyFrame *frame, double at, ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    frame->body_count = frame->cloth_count;
    frame->solid_count = 0;
    for (int32_t i = 0; i < frame->collider_count && status == TOILE_STATUS_OK; i++) {
        ToileColliderDef collider = toile_collider_def_default();
        status = toile_scene_get_collider(frame->scene, i, at, &collider, error);
        if (status == TOILE_STATUS_OK && collider.shape == TOILE_COLLIDER_MESH)
            status = add_mesh(frame, i, &collider, at, error);
        else if (status == TOILE_STATUS_OK)
            frame->solids[frame->solid_count++] = tl_solid_of(&collider);
    }
    return status;
}

TlCrossScene tl_verify_frame_scene(const TlVerifyFrame *frame, bool cloth_cloth) {
    return (TlCrossScene){.bodies = frame->bodies,
                          .cloth_count = frame->cloth_count,
                          .body_count = frame->body_count,
                          .solids = frame->solids,
                          .solid_count = frame->solid_count,
                          .cloth_cloth = cloth_cloth};
}

const char *tl_verify_frame_name(const TlVerifyFrame *frame, int32_t index) {
    return index < frame->body_count ? frame->bodies[index].name
                                     : frame->solids[index - frame->body_count].name;
}
