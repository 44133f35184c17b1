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
        status =
            check_choice("integrator", def->integrator, TOILE_INTEGRATOR_EXPLICIT_EULER, error);
    }
    if (status == TOILE_STATUS_OK) {
        status = check_choice("contact_self", def->contact_self, 1, error);
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

static ToileStatus check_choices(const ToileFabric *f, ToileError *error) {
    const struct {
        const char *name;
        int32_t value, least, most;
    } choices[] = {
        {"bend_scale", f->bend_scale, 0, TOILE_BEND_PAPER},
        {"stretch_model", f->stretch_model, 0, TOILE_STRETCH_SPRINGS},
        {"compression", f->compression, 0, TOILE_COMPRESSION_TENSION_FIELD},
        {"gauss_points", f->gauss_points, 1, 12},
        {"bend_model", f->bend_model, 0, TOILE_BEND_KOITER},
        {"bend_damping_model", f->bend_damping_model, 0, TOILE_BEND_DAMPING_PROJECTED},
        {"bend_intervals", f->bend_intervals, 1, 1000},
        {"bend_fold_exponent", f->bend_fold_exponent, 0, 2},
        {"rest_curvature", f->rest_curvature, 0, TOILE_REST_CURVATURE_FROM_REST},
    };
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (choices[i].value < choices[i].least || choices[i].value > choices[i].most) {
            return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                           "%s is %" PRId32 "; allowed are %" PRId32 " to %" PRId32,
                           choices[i].name, choices[i].value, choices[i].least, choices[i].most);
        }
    }
    return TOILE_STATUS_OK;
}

/* What compression asks of the other constants, so that the stress neither jumps nor turns. */
static ToileStatus check_compression(const ToileFabric *f, ToileError *error) {
    double E1 = f->stretch_weft_N_per_m, E2 = f->stretch_warp_N_per_m, nu = f->stretch_poisson;
    double least = fabs(nu) * sqrt(E2 / E1), shear = 0.5 * E1 / (1.0 + nu);
    bool field = f->compression == TOILE_COMPRESSION_TENSION_FIELD;
    if (!field && f->compression_factor == 1.0) {
        return TOILE_STATUS_OK;
    }
    if (f->stretch_model != TOILE_STRETCH_STVK) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "compression is not that of tension, but springs have no such option; use "
                       "the stvk stretch model");
    }
    if (field &&
        !(fabs(E1 - E2) <= 1e-6 * E1 && fabs(f->stretch_shear_N_per_m - shear) <= 1e-6 * shear)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "a tension field needs an isotropic fabric: weft equal to warp, and shear "
                       "%g, but weft, warp and shear are %g, %g and %g",
                       shear, E1, E2, f->stretch_shear_N_per_m);
    }
    if (!field && (f->compression_factor < least || f->compression_factor > 1.0)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "compression_factor is %g; with this poisson ratio %g to 1 is allowed",
                       f->compression_factor, least);
    }
    return TOILE_STATUS_OK;
}

static ToileStatus check_law(const ToileFabric *f, ToileError *error) {
    int32_t n = f->bend_law_count;
    if (f->bend_law == NULL || n == 0) {
        return f->bend_law == NULL && n == 0
                   ? TOILE_STATUS_OK
                   : tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                             "bend_law and bend_law_count must both be given or neither");
    }
    if (f->bend_model != TOILE_BEND_LINEAR) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "a bending law needs the linear bending model");
    }
    if (n < 2 || f->bend_law[0] != 0.0 || f->bend_law[1] != 0.0) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "bend_law must have two points or more, the first being (0, 0)");
    }
    for (int32_t i = 1; i < n; i++) {
        const double *p = f->bend_law + 2 * (int64_t)i;
        if (!tl_is_finite(p[0]) || !tl_is_finite(p[1]) || !(p[0] > p[-2]) || p[1] < 0.0) {
            return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                           "point %" PRId32 " of bend_law is (%g, %g); curvatures must rise and "
                           "moments be 0 or more",
                           i, p[0], p[1]);
        }
    }
    if (f->bend_law[2 * (int64_t)n - 1] < f->bend_law[2 * (int64_t)n - 3]) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "the last moment of bend_law is below the one before; it goes on from there "
                       "in a straight line, which would end below 0");
    }
    return TOILE_STATUS_OK;
}

/* What the bending models cannot do. */
static ToileStatus check_bend(const ToileFabric *f, ToileError *error) {
    bool hinges = f->bend_model <= TOILE_BEND_NORMAL, koiter = f->bend_model == TOILE_BEND_KOITER;
    bool curved = f->rest_curvature != TOILE_REST_CURVATURE_GIVEN || f->rest_curvature_per_m != 0.0;
    if (!tl_is_finite(f->rest_curvature_per_m)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "rest_curvature_per_m is not a number");
    }
    if (curved && !hinges && !koiter) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "bending springs are straight at rest; use the linear, dihedral or normal "
                       "model for a rest curvature");
    }
    if (f->bend_damping_model == TOILE_BEND_DAMPING_PROJECTED && f->bend_damping_N_m_s > 0.0 &&
        f->bend_model != TOILE_BEND_LINEAR) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "projected bending damping needs the linear bending model");
    }
    if (!(f->bend_poisson < 1.0)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "bend_poisson is %g; it must be above -1 and below 1", f->bend_poisson);
    }
    return check_law(f, error);
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
        {"stretch_limit", f->stretch_limit, 0.0, false},
        {"compression_factor", f->compression_factor, 0.0, false},
        {"bend_weft_N_m", f->bend_weft_N_m, 0.0, false},
        {"bend_warp_N_m", f->bend_warp_N_m, 0.0, false},
        {"bend_damping_N_m_s", f->bend_damping_N_m_s, 0.0, false},
        {"bend_poisson", f->bend_poisson, -1.0, true},
        {"bend_in_element_weight", f->bend_in_element_weight, 0.0, false},
    };
    ToileStatus status = CHECK_RULES(rules, error);
    if (status == TOILE_STATUS_OK) {
        status = check_choices(f, error);
    }
    double nu12 = f->stretch_poisson,
           nu21 = nu12 * f->stretch_warp_N_per_m / f->stretch_weft_N_per_m;
    if (status == TOILE_STATUS_OK && !(nu12 * nu21 < 1.0)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "stretch_poisson is %g; with warp/weft = %g it must be below %g in size",
                       nu12, f->stretch_warp_N_per_m / f->stretch_weft_N_per_m,
                       sqrt(f->stretch_weft_N_per_m / f->stretch_warp_N_per_m));
    }
    if (status == TOILE_STATUS_OK) {
        status = check_compression(f, error);
    }
    return status == TOILE_STATUS_OK ? check_bend(f, error) : status;
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
    const Rule rules[] = {{"pattern_scale_m", def->pattern_scale_m, 0.0, true},
                          {"stored_far_m", def->stored_far_m, 0.0, false}};
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
    if (status == TOILE_STATUS_OK && def->rest_curvature_map_per_m != NULL) {
        status = check_finite("rest_curvature_map_per_m", def->rest_curvature_map_per_m,
                              def->mesh->vertex_count, error);
    }
    return status == TOILE_STATUS_OK ? check_pins(def, error) : status;
}

ToileStatus tl_check_pose(const ToilePose *pose, ToileError *error) {
    ToileStatus status = check_finite("pose.translate_m", pose->translate_m, 3, error);
    return status == TOILE_STATUS_OK ? check_finite("pose.rotate_rad", pose->rotate_rad, 3, error)
                                     : status;
}

ToileStatus tl_check_collider_positions(const double *positions_m, int32_t count,
                                        ToileError *error) {
    if (positions_m == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "positions_m is NULL");
    }
    for (int64_t i = 0; i < 3 * (int64_t)count; i++) {
        if (!tl_is_finite(positions_m[i])) {
            tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                    "the position of vertex %" PRId64 " is not a number", i / 3);
            tl_fail_at(error, "", -1, i / 3);
            return TOILE_STATUS_INVALID_ARGUMENT;
        }
    }
    return TOILE_STATUS_OK;
}

/* One face of a collider, whose corners begin at `begin`. What has no area is allowed. */
static ToileStatus check_collider_face(const ToileMeshDef *mesh, int32_t face, int32_t begin,
                                       ToileError *error) {
    int32_t size = mesh->face_sizes[face];
    if (size != 3 && size != 4) {
        tl_fail(error, TOILE_STATUS_INVALID_DATA,
                "face %" PRId32 " of the collider has %" PRId32
                " corners; only triangles and quads are taken: split it",
                face, size);
        tl_fail_at(error, "", face, -1);
        return TOILE_STATUS_INVALID_DATA;
    }
    for (int32_t c = begin; c < begin + size; c++) {
        int32_t v = mesh->corners[c];
        if (v < 0 || v >= mesh->vertex_count) {
            tl_fail(error, TOILE_STATUS_INVALID_DATA,
                    "face %" PRId32 " of the collider uses vertex %" PRId32
                    ", but vertices run from 0 to %" PRId32,
                    face, v, mesh->vertex_count - 1);
            tl_fail_at(error, "", face, v);
            return TOILE_STATUS_INVALID_DATA;
        }
    }
    return TOILE_STATUS_OK;
}

static ToileStatus check_collider_mesh(const ToileMeshDef *mesh, ToileError *error) {
    ToileMeshDef bare = *mesh;
    bare.uv_count = 0;
    const char *sentence = tl_mesh_check_counts(&bare);
    if (sentence != NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_DATA, "%s", sentence);
    }
    if (mesh->vertex_count < 3) {
        return tl_fail(error, TOILE_STATUS_INVALID_DATA,
                       "the collider's mesh has %" PRId32 " vertices; it must have 3 or more",
                       mesh->vertex_count);
    }
    ToileStatus status = tl_check_collider_positions(mesh->positions_m, mesh->vertex_count, error);
    for (int32_t f = 0, begin = 0; status == TOILE_STATUS_OK && f < mesh->face_count; f++) {
        status = check_collider_face(mesh, f, begin, error);
        begin += mesh->face_sizes[f];
    }
    return status;
}

/* One value per vertex; those below `least` are refused. */
static ToileStatus check_collider_map(const char *name, const double *values, int32_t count,
                                      double least, ToileError *error) {
    for (int32_t v = 0; values != NULL && v < count; v++) {
        if (!tl_is_finite(values[v]) || values[v] < least) {
            tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                    "%s of vertex %" PRId32 " is %g; it must be a number%s", name, v, values[v],
                    least == 0.0 ? " of at least 0" : "");
            tl_fail_at(error, "", -1, v);
            return TOILE_STATUS_INVALID_ARGUMENT;
        }
    }
    return TOILE_STATUS_OK;
}

/* The mesh and what belongs to its vertices, which only that shape has. */
static ToileStatus check_collider_vertices(const ToileColliderDef *def, ToileError *error) {
    if (def->shape != TOILE_COLLIDER_MESH) {
        bool none =
            def->mesh == NULL && def->vertex_thickness_m == NULL && def->vertex_friction == NULL;
        return none ? TOILE_STATUS_OK
                    : tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                              "mesh, vertex_thickness_m or vertex_friction is given, but the shape "
                              "is not mesh");
    }
    if (def->mesh == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "the collider's shape is mesh, but it has no mesh");
    }
    int32_t n = def->mesh->vertex_count;
    ToileStatus status = check_collider_mesh(def->mesh, error);
    if (status == TOILE_STATUS_OK) {
        status = check_collider_map("vertex_thickness_m", def->vertex_thickness_m, n, 0.0, error);
    }
    if (status == TOILE_STATUS_OK) {
        status = check_collider_map("vertex_friction", def->vertex_friction, n, -(double)INFINITY,
                                    error);
    }
    return status;
}

ToileStatus tl_check_collider_def(const ToileColliderDef *def, ToileError *error) {
    ToileStatus status = check_choice("shape", def->shape, TOILE_COLLIDER_MESH, error);
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
        status = check_finite("end_m", def->end_m, 3, error);
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
    if (status == TOILE_STATUS_OK) {
        status = check_collider_vertices(def, error);
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
