/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* All cloths of a simulation in one set of arrays: constants that a step reads and never writes. */
#ifndef TL_MODEL_H
#define TL_MODEL_H

#include "rest/rest_shape.h"

typedef struct TlModel {
    int32_t vertex_count;
    int32_t material_count;
    const TlMaterial *materials; /* one per cloth */
    int32_t *vertex_material;    /* cloth of each vertex */
    double *mass;
    double *area;
    double *position; /* 3 per vertex, see TlRest */
    TlSets sets;
} TlModel;

/* Lays the rest shapes of `count` cloths behind each other; materials[i] belongs to rests[i]. False
 * when memory is refused. */
bool tl_model_build(TlArena *arena, TlRest *const *rests, const TlMaterial *materials,
                    int32_t count, TlModel *out);

#endif
