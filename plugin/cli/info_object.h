/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What `toile info` learns of one object of an archive before it prints a word. */
#ifndef TL_CLI_INFO_OBJECT_H
#define TL_CLI_INFO_OBJECT_H

#include "cli.h"

/* Smallest and largest of the samples. */
typedef struct TlInfoRange {
    uint32_t low, high;
} TlInfoRange;

typedef struct TlInfoObject {
    abcc_object object;
    abcc_times times;
    bool has_mesh;                         /* of a mesh or cage */
    abcc_mesh_sizes mesh;                  /* of the first sample */
    TlInfoRange verts;                     /* of a mesh; of points and curves the points */
    TlInfoRange faces;                     /* of a mesh or face set */
    uint32_t not_finite, first_not_finite; /* vertices of the first sample, and the first of them */
    uint32_t thin, first_thin; /* faces of fewer than three corners in the first sample */
    bool velocities;           /* of a mesh, points or curves, in the first sample */
    bool has_subd;             /* of a cage */
    abcc_subd_sizes subd;      /* of the first sample */
    bool has_transform;        /* of a transform, at its first sample */
    bool inherits, mirrored;   /* takes up its parents; turns faces inside out */
    double matrix[16];
    int visible; /* -1, 0, 1 as abcc_visibility says, at the first time */
    uint32_t visibility_samples;
    char problem[252]; /* why it cannot be read, or "" */
} TlInfoObject;

/* Samples of an archive that are counted at most for the ranges; it may claim millions without
 * holding them. */
#define TL_INFO_SAMPLES 100000u

/* Learns of an object; one that cannot be read gets a problem, and keeps what is known. What is
 * counted goes off *samples_left. False, with `error`, when the archive itself fails. */
bool tl_info_learn(abcc_reader *reader, abcc_obj obj, uint32_t *samples_left, TlInfoObject *info,
                   abcc_error *error);

#endif
