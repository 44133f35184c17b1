/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Validates every definition on entry: what is wrong, the value found, what is allowed. */
#include "sim/sim_internal.h"

#include "base/vec.h"

#include <inttypes.h>
#include <string.h>

#define LEAST_FPS 0.01
#define MOST_FPS 1e6

bool tl_read_def(void *local, size_t size, const void *def) {
    uint32_t given, own = (uint32_t)size;
    memcpy(&given, def, sizeof given);
    if (given < 2 * sizeof given) {
        return false;
    }
    memcpy(local, def, given < size ? given : size);
    memcpy(local, &own, sizeof own);
    return true;
}

void tl_write_result(void *result, const void *local, size_t size) {
    uint32_t given;
    memcpy(&given, result, sizeof given);
    memcpy(result, local, given < size ? given : size);
    memcpy(result, &given, sizeof given);
}

/* One rule for a number. */
typedef struct Rule {
    const char *name;
    double value;
    double least;
    bool above; /* true: must be above `least`, else at least it */
} Rule;

static ToileStatus check_rules(const Rule *rules, size_t count, ToileError *error) {
    for (size_t i = 0; i < count; i++) {
        const Rule *r = &rules[i];
        bool fine =
            tl_is_finite(r->value) && (r->above ? r->value > r->least : r->value >= r->least);
        if (!fine) {
            return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "%s is %g; it must be %s %g",
                           r->name, r->value, r->above ? "a number above" : "a number of at least",
                           r->least);
        }
    }
    return TOILE_STATUS_OK;
}

#define CHECK_RULES(rules, error) check_rules(rules, sizeof(rules) / sizeof((rules)[0]), error)

static ToileStatus check_choice(const char *name, int32_t value, int32_t most, ToileError *error) {
    if (value < 0 || value > most) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "%s is %" PRId32 "; allowed are 0 to %" PRId32, name, value, most);
    }
    return TOILE_STATUS_OK;
}

static ToileStatus check_finite(const char *name, const double *values, int64_t count,
                                ToileError *error) {
    for (int64_t i = 0; i < count; i++) {
        if (!tl_is_finite(values[i])) {
            return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                           "%s holds a value that is not a number at position %" PRId64, name, i);
        }
    }
    return TOILE_STATUS_OK;
}

ToileStatus tl_check_sim_def(const ToileSimDef *def, ToileError *error) {
    const Rule rules[] = {
        {"fps", def->fps, 0.0, true},
        {"threads", def->threads, 0.0, false},
        {"substeps", def->substeps, 0.0, false},
        {"newton_iterations", def->newton_iterations, 0.0, false},
        {"tolerance_m", def->tolerance_m, 0.0, false},
        {"linear_tolerance", def->linear_tolerance, 0.0, false},
        {"drag_kg_per_m2_s", def->drag_kg_per_m2_s, 0.0, false},
    };
    ToileStatus status = CHECK_RULES(rules, error);
    if (status == TOILE_STATUS_OK) {
        status = check_choice("quality", def->quality, TOILE_QUALITY_ACCURATE, error);
    }
    if (status == TOILE_STATUS_OK) {
        status = check_finite("gravity_m_per_s2", def->gravity_m_per_s2, 3, error);
    }
    if (status == TOILE_STATUS_OK &&
        (!tl_is_finite(def->contact_thickness_m) || !tl_is_finite(def->contact_friction))) {
        status = tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                         "contact_thickness_m or contact_friction is not a number");
    }
    if (status == TOILE_STATUS_OK && (def->fps < LEAST_FPS || def->fps > MOST_FPS)) {
        status = tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "fps is %g; allowed are %g to %g",
                         def->fps, LEAST_FPS, MOST_FPS);
    }
    if (status == TOILE_STATUS_OK && def->substeps > TL_MOST_SUBSTEPS) {
        status = tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                         "substeps is %" PRId32 "; allowed are 0 to %d", def->substeps,
                         TL_MOST_SUBSTEPS);
    }
    if (status == TOILE_STATUS_OK && def->linear_tolerance >= 1.0) {
        status = tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                         "linear_tolerance is %g; it must be below 1", def->linear_tolerance);
    }
    return status;
}

ToileStatus tl_check_fabric(const ToileFabric *f, ToileError *error) {
    const Rule rules[] = {
        {"density_kg_per_m2", f->density_kg_per_m2, 0.0, true},
        {"thickness_m", f->thickness_m, 0.0, true},
        {"friction", f->friction, 0.0, false},
        {"stretch_weft_N_per_m", f->stretch_weft_N_per_m, 0.0, true},
        {"stretch_warp_N_per_m", f->stretch_warp_N_per_m, 0.0, true},
        {"stretch_shear_N_per_m", f->stretch_shear_N_per_m, 0.0, true},
        {"stretch_poisson", f->stretch_poisson, -1.0, true},
        {"stretch_damping_s", f->stretch_damping_s, 0.0, false},
        {"bend_weft_N_m", f->bend_weft_N_m, 0.0, false},
        {"bend_warp_N_m", f->bend_warp_N_m, 0.0, false},
    };
    ToileStatus status = CHECK_RULES(rules, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    double nu12 = f->stretch_poisson,
           nu21 = nu12 * f->stretch_warp_N_per_m / f->stretch_weft_N_per_m;
    if (!(nu12 * nu21 < 1.0)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "stretch_poisson is %g; with warp/weft = %g it must be below %g in size",
                       nu12, f->stretch_warp_N_per_m / f->stretch_weft_N_per_m,
                       sqrt(f->stretch_weft_N_per_m / f->stretch_warp_N_per_m));
    }
    return check_choice("bend_scale", f->bend_scale, TOILE_BEND_PAPER, error);
}

static ToileStatus check_pins(const ToileClothDef *def, ToileError *error) {
    if (def->pin_count < 0 || (def->pin_count > 0 && def->pin_vertices == NULL)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "pin_count is %" PRId32 " but pin_vertices is missing or the count negative",
                       def->pin_count);
    }
    for (int32_t i = 0; i < def->pin_count; i++) {
        int32_t v = def->pin_vertices[i];
        if (v < 0 || v >= def->mesh->vertex_count) {
            tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                    "pin %" PRId32 " names vertex %" PRId32 "; vertices run from 0 to %" PRId32, i,
                    v, def->mesh->vertex_count - 1);
            tl_fail_at(error, def->name, -1, v);
            return TOILE_STATUS_INVALID_ARGUMENT;
        }
    }
    return TOILE_STATUS_OK;
}

ToileStatus tl_check_cloth_def(const ToileClothDef *def, ToileError *error) {
    if (def->mesh == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "the cloth definition has no mesh");
    }
    const Rule rules[] = {{"pattern_scale_m", def->pattern_scale_m, 0.0, true}};
    ToileStatus status = CHECK_RULES(rules, error);
    if (status == TOILE_STATUS_OK) {
        status = check_choice("pattern", def->pattern, TOILE_PATTERN_METRIC, error);
    }
    if (status == TOILE_STATUS_OK) {
        status = check_choice("elements", def->elements, TOILE_ELEMENTS_TRIANGLES, error);
    }
    if (status == TOILE_STATUS_OK && def->pattern != TOILE_PATTERN_NONE &&
        def->mesh->uv_count == 0) {
        status = tl_fail(
            error, TOILE_STATUS_INVALID_DATA,
            "the pattern needs uvs, but the mesh has none; unwrap it or set pattern to none");
    }
    int64_t values = 3 * (int64_t)def->mesh->vertex_count;
    if (status == TOILE_STATUS_OK && def->rest_positions_m != NULL) {
        status = check_finite("rest_positions_m", def->rest_positions_m, values, error);
    }
    if (status == TOILE_STATUS_OK && def->start_positions_m != NULL) {
        status = check_finite("start_positions_m", def->start_positions_m, values, error);
    }
    if (status == TOILE_STATUS_OK && def->start_velocities_m_per_s != NULL) {
        status =
            check_finite("start_velocities_m_per_s", def->start_velocities_m_per_s, values, error);
    }
    return status == TOILE_STATUS_OK ? check_pins(def, error) : status;
}

ToileStatus tl_check_pose(const ToilePose *pose, ToileError *error) {
    ToileStatus status = check_finite("pose.translate_m", pose->translate_m, 3, error);
    return status == TOILE_STATUS_OK ? check_finite("pose.rotate_rad", pose->rotate_rad, 3, error)
                                     : status;
}

ToileStatus tl_check_collider_def(const ToileColliderDef *def, ToileError *error) {
    ToileStatus status = check_choice("shape", def->shape, TOILE_COLLIDER_BOX, error);
    const Rule rules[] = {
        {"radius_m", def->radius_m, 0.0, true},        {"half_m[0]", def->half_m[0], 0.0, true},
        {"half_m[1]", def->half_m[1], 0.0, true},      {"half_m[2]", def->half_m[2], 0.0, true},
        {"thickness_m", def->thickness_m, 0.0, false},
    };
    if (status == TOILE_STATUS_OK) {
        status = CHECK_RULES(rules, error);
    }
    if (status == TOILE_STATUS_OK) {
        status = check_finite("center_m", def->center_m, 3, error);
    }
    if (status == TOILE_STATUS_OK) {
        status = check_finite("normal", def->normal, 3, error);
    }
    if (status == TOILE_STATUS_OK && !tl_is_finite(def->friction)) {
        status = tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "friction is not a number");
    }
    if (status == TOILE_STATUS_OK && !(tl_length3(tl_load3(def->normal)) > 0.0)) {
        status = tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                         "normal is zero; it must point to the free side of the plane");
    }
    return status == TOILE_STATUS_OK ? tl_check_pose(&def->pose, error) : status;
}

/* a bad mesh may have thousands; toile_mesh_check lists them all */
enum { MOST_WARNINGS = 16 };

/* Collects findings for toile_mesh_check and tl_check_mesh. */
typedef struct Findings {
    ToileMeshIssue *issues;
    int32_t capacity;
    int32_t count;
    int32_t warnings;
    bool refused;
    ToileMeshIssue first_error;
    const ToileLog *log;
} Findings;

static void collect(void *user, const ToileMeshIssue *issue) {
    Findings *found = user;
    if (found->count < found->capacity) {
        found->issues[found->count] = *issue;
    }
    found->count++;
    if (issue->is_error && !found->refused) {
        found->refused = true;
        found->first_error = *issue;
    }
    if (!issue->is_error && found->warnings++ < MOST_WARNINGS) {
        tl_log(found->log, TOILE_LOG_WARNING, "%s", issue->message);
    }
}

static ToileStatus check_mesh(const ToileMeshDef *mesh, bool uv_is_pattern, const double *rest,
                              ToileAllocator allocator, Findings *found, ToileError *error) {
    const char *sentence = tl_mesh_check_counts(mesh);
    if (sentence != NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_DATA, "%s", sentence);
    }
    if (!tl_mesh_check(mesh, uv_is_pattern && mesh->uv_count > 0, rest, allocator, collect,
                       found)) {
        return tl_fail_memory(error);
    }
    if (found->refused) {
        tl_fail(error, TOILE_STATUS_INVALID_DATA, "%s", found->first_error.message);
        tl_fail_at(error, "", found->first_error.face, found->first_error.vertex);
        return TOILE_STATUS_INVALID_DATA;
    }
    return TOILE_STATUS_OK;
}

ToileStatus tl_check_mesh(const ToileMeshDef *mesh, bool uv_is_pattern,
                          const double *rest_positions, ToileAllocator allocator,
                          const ToileLog *log, ToileError *error) {
    Findings found;
    memset(&found, 0, sizeof found);
    found.log = log;
    ToileStatus status = check_mesh(mesh, uv_is_pattern, rest_positions, allocator, &found, error);
    if (found.warnings > MOST_WARNINGS) {
        tl_log(log, TOILE_LOG_WARNING, "and %" PRId32 " more warnings about this mesh",
               found.warnings - MOST_WARNINGS);
    }
    return status;
}

ToileStatus toile_mesh_check(const ToileMeshDef *mesh, bool uv_is_pattern, ToileMeshIssue *issues,
                             int32_t capacity, int32_t *count, ToileError *error) {
    ToileMeshDef def = toile_mesh_def_default();
    if (mesh == NULL || !tl_read_def(&def, sizeof def, mesh)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "the mesh is NULL or not initialised");
    }
    Findings found;
    memset(&found, 0, sizeof found);
    found.issues = issues;
    found.capacity = issues != NULL ? capacity : 0;
    ToileStatus status =
        check_mesh(&def, uv_is_pattern, NULL, tl_allocator_or_default(NULL), &found, error);
    if (count != NULL) {
        *count = found.count;
    }
    return status;
}
