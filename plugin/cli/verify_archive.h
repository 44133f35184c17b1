/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The meshes of an archive at the times it holds samples for, in metres and in the axes of a scene,
 * in double precision from what is stored. */
#ifndef TL_CLI_VERIFY_ARCHIVE_H
#define TL_CLI_VERIFY_ARCHIVE_H

#include "crossings.h"

#include <toile_io/abc_c.h>

/* One mesh and its arrays of the time that was read last. */
typedef struct TlArchiveMesh {
    abcc_obj obj;
    uint32_t samples;
    char *name;    /* its path, without the shape's own name where that says nothing new */
    double unit_m; /* metres a unit */
    float *stored; /* 3 * verts, as in the file */
    float *next;   /* the sample after, to blend with */
    double *x;     /* 3 * verts, metres */
    int32_t *face_sizes;
    int32_t *corners;
    double spacing_m;
    abcc_mesh_sizes sizes;
    uint32_t room_verts, room_faces, room_corners;
} TlArchiveMesh;

/* Start from all zero. */
typedef struct TlArchive {
    const char *path;
    abcc_reader *reader;
    double fps;
    bool z_up; /* of the axes that positions are wanted in; the archive is Y up */
    TlArchiveMesh *meshes;
    int32_t mesh_count;
    double *times_s; /* of all samples, ascending, each once */
    int32_t time_count;
    bool still; /* no mesh has more than one sample */
} TlArchive;

/* What a scene says about an archive of its cloths. */
typedef struct TlArchiveWorld {
    double fps;    /* where the archive records none */
    double unit_m; /* of meshes that record none */
    bool z_up;
} TlArchiveWorld;

/* Opens an archive and lists its meshes and times. Answers an exit code, with a sentence when it is
 * not 0; tl_archive_close is due either way. */
int tl_archive_open(TlArchive *archive, const char *path, const TlArchiveWorld *world);
void tl_archive_close(TlArchive *archive);

/* Reads all meshes at a time into `bodies`, mesh_count of them, whose arrays belong to the archive
 * and are valid until the next call. Between samples positions are blended. Answers an exit code.
 */
int tl_archive_read(TlArchive *archive, double seconds, TlCrossBody *bodies);

#endif
