/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Colliders from the structs and arrays of a host. The matrix of an object is split as M = R U: a
 * mesh enters the simulation as U p, which changes when the object deforms or its scale does, and R
 * with the translation is its pose, so that what only turns is carried along arcs. */
#include "session_internal.h"

#include "toile_io/scene.h"

#include <stdlib.h>
#include <string.h>

/* The arrays of a mesh on its way into the simulation. */
typedef struct Arrays {
    int32_t *sizes;                       /* of the host's faces */
    int32_t *split_sizes, *split_corners; /* of faces of at most four corners */
    double *thickness_m, *friction;
} Arrays;

static void free_arrays(Arrays *arrays) {
    free(arrays->sizes);
    free(arrays->split_sizes);
    free(arrays->split_corners);
    free(arrays->thickness_m);
    free(arrays->friction);
}

static ToileStatus check_mesh(const ToileSessionCollider *collider, ToileError *error) {
    if (collider->vertex_count < 1 || collider->face_count < 1 || collider->corner_count < 1)
        return tl_session_fail(error, TOILE_STATUS_INVALID_DATA, collider->name,
                               "The mesh of collider '%.64s' has %d vertices, %d faces and %d "
                               "corners; it needs at least one face.",
                               collider->name, (int)collider->vertex_count,
                               (int)collider->face_count, (int)collider->corner_count);
    if (!collider->positions || !collider->corners ||
        (!collider->face_sizes && !collider->face_starts))
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, collider->name,
                               "Collider '%.64s' lacks positions, corners, or face_sizes and "
                               "face_starts.",
                               collider->name);
    return TOILE_STATUS_OK;
}

/* The object's points, kept for the frames to come, and where the simulation has them. */
static ToileStatus read_points(const ToileSessionCollider *collider, double unit_m, TlSolid *solid,
                               ToileError *error) {
    size_t values = 3 * (size_t)collider->vertex_count;
    solid->vertex_count = collider->vertex_count;
    solid->points = malloc(values * sizeof *solid->points);
    solid->positions_m = malloc(values * sizeof *solid->positions_m);
    if (!solid->points || !solid->positions_m)
        return tl_session_out_of_memory(error);
    memcpy(solid->points, collider->positions, values * sizeof *solid->points);
    tl_fit_points(&solid->first, unit_m, solid->points, solid->vertex_count, solid->positions_m);
    return TOILE_STATUS_OK;
}

static ToileStatus read_faces(const ToileSessionCollider *collider, Arrays *arrays,
                              ToileMeshDef *mesh, ToileError *error) {
    size_t corners = (size_t)collider->corner_count;
    arrays->sizes = malloc((size_t)collider->face_count * sizeof *arrays->sizes);
    arrays->split_sizes = malloc(corners * sizeof *arrays->split_sizes);
    arrays->split_corners = malloc(3 * corners * sizeof *arrays->split_corners);
    if (!arrays->sizes || !arrays->split_sizes || !arrays->split_corners)
        return tl_session_out_of_memory(error);
    ToileStatus status =
        tl_session_read_sizes(collider->name, collider->face_count, collider->corner_count,
                              collider->face_sizes, collider->face_starts, arrays->sizes, error);
    if (status != TOILE_STATUS_OK)
        return status;
    mesh->face_count = collider->face_count;
    mesh->corner_count = collider->corner_count;
    mesh->face_sizes = arrays->sizes;
    mesh->corners = collider->corners;
    int32_t face_count = 0, corner_count = 0;
    status = toile_mesh_fan(mesh, arrays->split_sizes, arrays->split_corners, &face_count,
                            &corner_count, error);
    mesh->face_count = face_count;
    mesh->corner_count = corner_count;
    mesh->face_sizes = arrays->split_sizes;
    mesh->corners = arrays->split_corners;
    return status;
}

/* NULL stays NULL; false when memory runs out. */
static bool read_map(const float *map, int32_t count, double **out) {
    if (!map)
        return true;
    *out = malloc((size_t)count * sizeof **out);
    for (int32_t v = 0; *out && v < count; v++)
        (*out)[v] = (double)map[v];
    return *out != NULL;
}

static ToileStatus add_mesh(const ToileSessionCollider *collider, double unit_m, ToileSim *sim,
                            ToileColliderDef *def, TlSolid *solid, ToileError *error) {
    ToileMeshDef mesh = toile_mesh_def_default();
    Arrays arrays = {0};
    ToileStatus status = check_mesh(collider, error);
    if (status == TOILE_STATUS_OK)
        status = read_points(collider, unit_m, solid, error);
    mesh.vertex_count = solid->vertex_count;
    mesh.positions_m = solid->positions_m;
    if (status == TOILE_STATUS_OK)
        status = read_faces(collider, &arrays, &mesh, error);
    if (status == TOILE_STATUS_OK &&
        (!read_map(collider->vertex_thickness_m, solid->vertex_count, &arrays.thickness_m) ||
         !read_map(collider->vertex_friction, solid->vertex_count, &arrays.friction)))
        status = tl_session_out_of_memory(error);
    def->mesh = &mesh;
    def->vertex_thickness_m = arrays.thickness_m;
    def->vertex_friction = arrays.friction;
    if (status == TOILE_STATUS_OK)
        status = toile_sim_add_collider(sim, def, &solid->id, error);
    free_arrays(&arrays);
    return status;
}

ToileStatus tl_solid_add(const ToileSessionCollider *collider, double unit_m, ToileSim *sim,
                         TlSolid *solid, ToileError *error) {
    ToileSessionCollider named = *collider;
    ToileColliderDef def;
    if (!named.name)
        named.name = "collider";
    solid->name = tl_session_copy_text(named.name);
    solid->shape = named.shape;
    ToileStatus status = solid->name
                             ? tl_fit_matrix(named.matrix, unit_m, named.name, &solid->first, error)
                             : tl_session_out_of_memory(error);
    solid->next = solid->first;
    if (status == TOILE_STATUS_OK)
        status = tl_fit_collider(&named, &solid->first, unit_m, &def, error);
    if (status != TOILE_STATUS_OK)
        return status;
    status = named.shape == TOILE_COLLIDER_MESH
                 ? add_mesh(&named, unit_m, sim, &def, solid, error)
                 : toile_sim_add_collider(sim, &def, &solid->id, error);
    if (status != TOILE_STATUS_OK)
        tl_session_name_object(error, named.name);
    return status;
}

void tl_solid_free(TlSolid *solid) {
    free(solid->name);
    free(solid->points);
    free(solid->positions_m);
}

/* ---- motion ---- */

/* Sends points of the object under a matrix. */
static ToileStatus send(TlSolid *solid, const TlFit *fit, const float *points, double unit_m,
                        ToileSim *sim, ToileError *error) {
    tl_fit_points(fit, unit_m, points, solid->vertex_count, solid->positions_m);
    ToileStatus status =
        toile_sim_set_collider_positions(sim, solid->id, solid->positions_m, error);
    if (status != TOILE_STATUS_OK)
        tl_session_name_object(error, solid->name);
    return status;
}

ToileStatus tl_solid_set_matrix(TlSolid *solid, const double matrix[16], double unit_m,
                                ToileSim *sim, ToileError *error) {
    TlFit fit;
    bool is_mesh = solid->shape == TOILE_COLLIDER_MESH;
    ToileStatus status = tl_fit_matrix(matrix, unit_m, solid->name, &fit, error);
    if (status == TOILE_STATUS_OK && !is_mesh)
        status = tl_fit_same_size(&fit, &solid->first, solid->name, error);
    if (status == TOILE_STATUS_OK && is_mesh && !tl_fit_is_alike(&fit, &solid->next))
        status = send(solid, &fit, solid->points, unit_m, sim, error);
    else if (is_mesh)
        memcpy(fit.U, solid->next.U, sizeof fit.U);
    if (status == TOILE_STATUS_OK)
        status = toile_sim_set_collider_pose(sim, solid->id, &fit.pose, error);
    if (status == TOILE_STATUS_OK)
        solid->next = fit;
    return status;
}

ToileStatus tl_solid_set_positions(TlSolid *solid, const float *positions, int32_t vertex_count,
                                   double unit_m, ToileSim *sim, ToileError *error) {
    if (solid->shape != TOILE_COLLIDER_MESH)
        return tl_session_fail(error, TOILE_STATUS_INVALID_ARGUMENT, solid->name,
                               "Collider '%.64s' is no mesh and has no vertices; give it a matrix.",
                               solid->name);
    if (vertex_count != solid->vertex_count)
        return tl_session_fail(error, TOILE_STATUS_INVALID_DATA, solid->name,
                               "The mesh of collider '%.64s' has %d vertices but began with %d; it "
                               "may deform, but its faces must stay the same: look at its "
                               "modifiers.",
                               solid->name, (int)vertex_count, (int)solid->vertex_count);
    ToileStatus status = send(solid, &solid->next, positions, unit_m, sim, error);
    if (status == TOILE_STATUS_OK)
        memcpy(solid->points, positions, 3 * (size_t)vertex_count * sizeof *positions);
    return status;
}
