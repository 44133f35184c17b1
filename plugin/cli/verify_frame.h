/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies and solids of one frame for the checker: cloths, which the caller fills in, and the
 * colliders of a scene, posed. */
#ifndef TL_CLI_VERIFY_FRAME_H
#define TL_CLI_VERIFY_FRAME_H

#include "crossings.h"

#include <toile_io/scene.h>

/* Start from all zero. */
typedef struct TlVerifyFrame {
    TlCrossBody *bodies; /* cloth_count of the caller's, then collider meshes */
    int32_t cloth_count;
    int32_t body_count;
    TlSolid *solids;
    int32_t solid_count;
    const ToileScene *scene; /* may be NULL: no colliders */
    int32_t collider_count;
    ToileObj **meshes; /* collider_count: those that are meshes, at the frame, else NULL */
    double **x;        /* collider_count: their vertices in the world */
} TlVerifyFrame;

/* Makes room for cloths and for the colliders of a scene, which may be NULL and must outlive the
 * frame. tl_verify_frame_close is due either way. */
ToileStatus tl_verify_frame_open(TlVerifyFrame *frame, int32_t cloth_count, const ToileScene *scene,
                                 ToileError *error);
void tl_verify_frame_close(TlVerifyFrame *frame);

/* Puts the colliders where they are at a frame of the scene. */
ToileStatus tl_verify_frame_pose(TlVerifyFrame *frame, double at, ToileError *error);
/* What tl_crossings_find takes. */
TlCrossScene tl_verify_frame_scene(const TlVerifyFrame *frame, bool cloth_cloth);
/* The name of a body, or from body_count on of a solid. */
const char *tl_verify_frame_name(const TlVerifyFrame *frame, int32_t index);

#endif
