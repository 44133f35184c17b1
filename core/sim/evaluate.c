/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Energies, forces and their parts at the current state, for `toile eval` and tests. */
#include "sim/sim_internal.h"

#include "base/vec.h"
#include "force/bend_linear.h"
#include "force/stretch_stvk.h"
#include "toile/draft.h"

#include <inttypes.h>
#include <string.h>

static double kinetic_energy(const ToileSim *sim) {
    double total = 0.0;
    for (int32_t v = 0; v < sim->state.vertex_count; v++) {
        TlVec3 velocity = tl_load3(sim->state.v + 3 * (int64_t)v);
        total += 0.5 * sim->model.mass[v] * tl_dot3(velocity, velocity);
    }
    return total;
}

ToileStatus toile_sim_get_energies(ToileSim *sim, ToileEnergies *energies, ToileError *error) {
    ToileEnergies local = toile_energies_default();
    if (sim == NULL || energies == NULL || !tl_read_def(&local, sizeof local, energies)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "sim or energies is NULL, or energies not initialised");
    }
    ToileStatus status = tl_sim_prepare(sim, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    TlPoint at = {sim->state.x, sim->state.x, 0.0};
    const double *g = sim->def.gravity_m_per_s2;
    TlExternal external = {{g[0], g[1], g[2]}, 0.0};
    local.stretch_J = tl_system_stretch(&sim->system, &at);
    local.bend_J = tl_system_bend(&sim->system, &at);
    local.gravity_J = tl_gravity_energy(&sim->model, &external, sim->state.x);
    local.kinetic_J = kinetic_energy(sim);
    local.total_J = local.stretch_J + local.bend_J + local.gravity_J;
    tl_write_result(energies, &local, sizeof local);
    return TOILE_STATUS_OK;
}

ToileStatus toile_sim_get_internal_forces(ToileSim *sim, ToileClothId id, double *forces_N,
                                          ToileError *error) {
    TlCloth *cloth = tl_find_cloth(sim, id, error);
    if (cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    if (forces_N == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "forces_N is NULL");
    }
    ToileStatus status = tl_sim_prepare(sim, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    TlPoint at = {sim->state.x, sim->state.x, 0.0};
    tl_system_derive(&sim->system, &at, false, sim->system.grad);
    const double *grad = sim->system.grad + 3 * (int64_t)cloth->vertex_offset;
    for (int64_t i = 0; i < 3 * (int64_t)cloth->rest.vertex_count; i++) {
        forces_N[i] = -grad[i];
    }
    return TOILE_STATUS_OK;
}

int32_t toile_sim_hinge_count(ToileSim *sim, ToileClothId id) {
    TlCloth *cloth = tl_find_cloth(sim, id, NULL);
    return cloth != NULL ? cloth->rest.hinges.count : -1;
}

int32_t toile_sim_element_count(ToileSim *sim, ToileClothId id) {
    TlCloth *cloth = tl_find_cloth(sim, id, NULL);
    return cloth != NULL ? cloth->rest.triangles.count : -1;
}

/* Common entry of the two below: finds the cloth, checks size and index, prepares the system. */
static ToileStatus enter(ToileSim *sim, ToileClothId id, int32_t index, bool hinge,
                         const uint32_t *size, uint32_t needed, TlCloth **cloth,
                         ToileError *error) {
    *cloth = tl_find_cloth(sim, id, error);
    if (*cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    int32_t count = hinge ? (*cloth)->rest.hinges.count : (*cloth)->rest.triangles.count;
    if (size == NULL || *size < needed || index < 0 || index >= count) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "the detail is NULL or not initialised, or index %" PRId32
                       " is not in 0 to %" PRId32,
                       index, count - 1);
    }
    return tl_sim_prepare(sim, error);
}

ToileStatus toile_sim_get_hinge(ToileSim *sim, ToileClothId id, int32_t index,
                                ToileHingeDetail *detail, ToileError *error) {
    const uint32_t *size = detail != NULL ? &detail->struct_size : NULL;
    TlCloth *cloth;
    ToileStatus status = enter(sim, id, index, true, size, sizeof *detail, &cloth, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    int32_t h = cloth->hinge_offset + index;
    const TlHingeSet *set = &sim->model.hinges;
    TlHingeState state = tl_bend_linear_state(&sim->model, sim->state.x, h);
    for (int k = 0; k < 4; k++) {
        detail->vertices[k] = set->vertex[4 * (int64_t)h + k] - cloth->vertex_offset;
        detail->alpha[k] = set->alpha[4 * (int64_t)h + k];
    }
    detail->length_m = set->length[h];
    detail->height_a_m = set->height_a[h];
    detail->height_b_m = set->height_b[h];
    detail->lambda_N_per_m = set->lambda[h];
    detail->k_e_N_m = set->k_e[h];
    detail->mu_N_m = set->mu[h];
    memcpy(detail->R_m, state.R, sizeof state.R);
    detail->r_m = state.r;
    detail->gamma_per_m = state.gamma;
    detail->theta_rad = state.theta;
    return TOILE_STATUS_OK;
}

ToileStatus toile_sim_get_element(ToileSim *sim, ToileClothId id, int32_t index,
                                  ToileElementDetail *detail, ToileError *error) {
    const uint32_t *size = detail != NULL ? &detail->struct_size : NULL;
    TlCloth *cloth;
    ToileStatus status = enter(sim, id, index, false, size, sizeof *detail, &cloth, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    int32_t t = cloth->triangle_offset + index;
    const TlTriangleSet *set = &sim->model.triangles;
    const TlMaterial *m = &sim->model.materials[set->material[t]];
    TlStvkDetail state = tl_stretch_stvk_detail(&sim->model, sim->state.x, t);
    const double K[6] = {m->K11, m->K12, 0.0, m->K22, 0.0, m->K33};
    detail->face = set->face[t];
    for (int k = 0; k < 3; k++) {
        detail->vertices[k] = set->vertex[3 * (int64_t)t + k] - cloth->vertex_offset;
        detail->strain[k] = state.strain[k];
    }
    detail->area_m2 = set->area[t];
    memcpy(detail->K_N_per_m, K, sizeof K);
    detail->energy_J = state.energy_J;
    detail->psd_trace = state.psd_trace;
    return TOILE_STATUS_OK;
}
