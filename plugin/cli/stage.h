/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What a preview shows of one frame: the meshes of an archive or point cache at that time, and the
 * colliders of a scene if there is one, in metres and Y up, ready for the renderer. */
#ifndef TL_CLI_STAGE_H
#define TL_CLI_STAGE_H

#include "shapes.h"
#include "sheet.h"

#include <toile_io/abc_c.h>
#include <toile_io/pointcache.h>
#include <toile_io/scene.h>

/* One mesh of the archive and the arrays of the frame being drawn. */
typedef struct TlActor {
    abcc_obj obj;
    uint32_t samples;
    double unit_m; /* metres a unit of the archive */
    float *x;
    float *next; /* the sample after, to blend with */
    int32_t *face_counts;
    int32_t *corners;
    abcc_mesh_sizes sizes; /* of the arrays; all zero: nothing to draw */
    uint32_t room_verts, room_faces, room_corners;
} TlActor;

/* One collider of the frame being drawn. */
typedef struct TlProp {
    TlShape shape;
    double inset_m;
    bool endless;     /* a plane: it does not widen the view, and hides nothing from behind */
    double point[3];  /* of the plane */
    double normal[3]; /* towards its free side */
} TlProp;

/* Everything a preview draws from. Start from all zero. */
typedef struct TlStage {
    const char *archive;
    const ToileScene *scene; /* may be NULL */
    abcc_reader *reader;
    ToilePointCacheReader *points; /* of a point cache, which has no reader above */
    ToilePointCacheInfo points_info;
    double fps;
    TlActor *actors;
    int32_t actor_count;
    TlProp *props;      /* room for every collider */
    int32_t prop_count; /* made for this frame; a level floor is not among them */
    int32_t collider_count;
    bool z_up;
    TlRenderMesh *meshes; /* actors, then props */
    TlBounds bounds;      /* of all frames shown */
    double edge_m;        /* length of a typical cloth edge */
    double ground_y_m;
    bool has_plane; /* the ground is a collider */
} TlStage;

/* Opens the archive or point cache and lists its meshes; `scene` must outlive the stage and may be
 * NULL for archives. Answers an exit code, with a sentence when it is not 0; tl_stage_close is due
 * either way. */
int tl_stage_open(TlStage *stage, const char *archive, const ToileScene *scene);
void tl_stage_close(TlStage *stage);

/* The time of a sample of an actor; answers an exit code. */
int tl_stage_sample_time(const TlStage *stage, const TlActor *actor, uint32_t sample,
                         double *seconds);

/* Widens stage->bounds to what the frames hold, colliders included unless they are far larger than
 * the cloth. To be called once, before tl_stage_compose. Answers an exit code. */
int tl_stage_measure(TlStage *stage, const int32_t *frames, int32_t frame_count);

/* Reads a frame and lists what this camera shall see; `scene` is valid until the next call. Answers
 * an exit code. */
int tl_stage_compose(TlStage *stage, int32_t frame, const TlCamera *camera, TlRenderScene *scene);

/* ---- stage_points.c ---- */

/* Opens the point cache stage->archive; answers an exit code. */
int tl_stage_open_points(TlStage *stage);
/* Reads a frame into its actor; answers an exit code. */
int tl_stage_read_points(TlStage *stage, int32_t frame);
double tl_stage_points_time_s(const TlStage *stage, uint32_t sample);

#endif
