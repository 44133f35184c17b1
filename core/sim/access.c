/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and replacing the state of cloths, pins included. */
#include "sim/sim_internal.h"

#include "base/vec.h"

#include <inttypes.h>
#include <string.h>

int64_t toile_sim_frame(const ToileSim *sim) {
    return sim != NULL ? sim->frame : INT64_MIN;
}

int32_t toile_sim_vertex_count(const ToileSim *sim, ToileClothId id) {
    TlCloth *cloth = tl_find_cloth(sim, id, NULL);
    return cloth != NULL ? cloth->rest.vertex_count : -1;
}

static ToileStatus copy_out(const ToileSim *sim, ToileClothId id, const double *all, double *out,
                            ToileError *error) {
    TlCloth *cloth = tl_find_cloth(sim, id, error);
    if (cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    if (out == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "the output array is NULL");
    }
    tl_to_user(cloth, all + 3 * (int64_t)cloth->vertex_offset, 3, out);
    return TOILE_STATUS_OK;
}

/* Where a coordinate of the state is in the world, as it is told. */
static double world_of(const ToileSim *sim, int64_t at) {
    return tl_absolute(sim->state.x[at], sim->origin[at % 3]);
}

ToileStatus toile_sim_get_positions(const ToileSim *sim, ToileClothId id, double *positions_m,
                                    ToileError *error) {
    ToileStatus status = copy_out(sim, id, sim != NULL ? sim->state.x : NULL, positions_m, error);
    int64_t count = status == TOILE_STATUS_OK ? 3 * (int64_t)toile_sim_vertex_count(sim, id) : 0;
    for (int64_t i = 0; i < count; i++) {
        positions_m[i] = tl_absolute(positions_m[i], sim->origin[i % 3]);
    }
    return status;
}

ToileStatus toile_sim_get_velocities(const ToileSim *sim, ToileClothId id, double *velocities,
                                     ToileError *error) {
    return copy_out(sim, id, sim != NULL ? sim->state.v : NULL, velocities, error);
}

/* Refuses values that are not finite, naming the vertex. */
static ToileStatus check_values(const TlCloth *cloth, const double *values, int32_t count,
                                const int32_t *vertices, ToileError *error) {
    if (values == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "the input array is NULL");
    }
    for (int64_t i = 0; i < 3 * (int64_t)count; i++) {
        if (!tl_is_finite(values[i])) {
            int32_t v = vertices != NULL ? vertices[i / 3] : (int32_t)(i / 3);
            tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                    "the value for vertex %" PRId32 " is not a number", v);
            tl_fail_at(error, cloth->name, -1, v);
            return TOILE_STATUS_INVALID_ARGUMENT;
        }
    }
    return TOILE_STATUS_OK;
}

/* Makes positions in the world targets of so many vertices; NULL: of all. A coordinate that is as
 * it was told keeps every bit it has, which adding the origin may have rounded away. */
static void set_targets(ToileSim *sim, const TlCloth *cloth, const int32_t *vertices, int32_t count,
                        const double *positions_m) {
    TlNumbers all = TL_NUMBERS_NONE;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < 3 * (int64_t)count; i++) {
            int32_t v = vertices != NULL ? vertices[i / 3] : (int32_t)(i / 3);
            int64_t at = 3 * (int64_t)tl_vertex_at(cloth, v) + i % 3;
            bool kept = world_of(sim, at) == positions_m[i];
            if (pass == 0) {
                all = kept ? all : tl_numbers_with(all, positions_m[i], sim->origin[i % 3]);
            } else {
                sim->state.pin_target[at] =
                    kept ? sim->state.x[at] : tl_relative(positions_m[i], sim->origin[i % 3], all);
            }
        }
    }
}

ToileStatus toile_sim_set_positions(ToileSim *sim, ToileClothId id, const double *positions_m,
                                    ToileError *error) {
    TlCloth *cloth = tl_find_cloth(sim, id, error);
    if (cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    ToileStatus status = check_values(cloth, positions_m, cloth->rest.vertex_count, NULL, error);
    if (status == TOILE_STATUS_OK) {
        int64_t at = 3 * (int64_t)cloth->vertex_offset;
        set_targets(sim, cloth, NULL, cloth->rest.vertex_count, positions_m);
        memcpy(sim->state.x + at, sim->state.pin_target + at,
               3 * sizeof *sim->state.x * (size_t)cloth->rest.vertex_count);
        tl_history_forget(&sim->state.history, sim->state.vertex_count);
        tl_suspect_crossings(sim);
    }
    return status;
}

ToileStatus toile_sim_set_velocities(ToileSim *sim, ToileClothId id, const double *velocities,
                                     ToileError *error) {
    TlCloth *cloth = tl_find_cloth(sim, id, error);
    if (cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    ToileStatus status = check_values(cloth, velocities, cloth->rest.vertex_count, NULL, error);
    if (status == TOILE_STATUS_OK) {
        tl_from_user(cloth, velocities, 3, sim->state.v + 3 * (int64_t)cloth->vertex_offset);
        tl_history_forget(&sim->state.history, sim->state.vertex_count);
    }
    return status;
}

static ToileStatus check_vertices(const TlCloth *cloth, const int32_t *vertices, int32_t count,
                                  ToileError *error) {
    if (count < 0 || (count > 0 && vertices == NULL)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "vertices is NULL or count (%" PRId32 ") negative", count);
    }
    for (int32_t i = 0; i < count; i++) {
        if (vertices[i] < 0 || vertices[i] >= cloth->rest.vertex_count) {
            tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                    "vertex %" PRId32 " is out of range; vertices run from 0 to %" PRId32,
                    vertices[i], cloth->rest.vertex_count - 1);
            tl_fail_at(error, cloth->name, -1, vertices[i]);
            return TOILE_STATUS_INVALID_ARGUMENT;
        }
    }
    return TOILE_STATUS_OK;
}

ToileStatus toile_sim_set_pinned(ToileSim *sim, ToileClothId id, const int32_t *vertices,
                                 int32_t count, bool pinned, ToileError *error) {
    TlCloth *cloth = tl_find_cloth(sim, id, error);
    if (cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    ToileStatus status = check_vertices(cloth, vertices, count, error);
    for (int32_t i = 0; status == TOILE_STATUS_OK && i < count; i++) {
        int32_t v = tl_vertex_at(cloth, vertices[i]);
        if (sim->state.pinned[v] != pinned) {
            sim->state.pinned[v] = pinned;
            memcpy(sim->state.pin_target + 3 * (int64_t)v, sim->state.x + 3 * (int64_t)v,
                   3 * sizeof(double));
        }
    }
    return status;
}

ToileStatus toile_sim_set_pin_targets(ToileSim *sim, ToileClothId id, const int32_t *vertices,
                                      int32_t count, const double *positions_m, ToileError *error) {
    TlCloth *cloth = tl_find_cloth(sim, id, error);
    if (cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    ToileStatus status = check_vertices(cloth, vertices, count, error);
    if (status == TOILE_STATUS_OK) {
        status = check_values(cloth, positions_m, count, vertices, error);
    }
    for (int32_t i = 0; status == TOILE_STATUS_OK && i < count; i++) {
        if (!sim->state.pinned[tl_vertex_at(cloth, vertices[i])]) {
            status = tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                             "vertex %" PRId32 " is not pinned; pin it first", vertices[i]);
            tl_fail_at(error, cloth->name, -1, vertices[i]);
        }
    }
    if (status == TOILE_STATUS_OK) {
        set_targets(sim, cloth, vertices, count, positions_m);
    }
    return status;
}
