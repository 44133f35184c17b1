/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Energies, forces and their parts at the current state, for `toile eval` and tests. */
#include "sim/sim_internal.h"

#include "base/vec.h"
#include "force/bend_choi_ko.h"
#include "force/bend_crossover.h"
#include "force/bend_koiter.h"
#include "force/bend_linear.h"
#include "force/stretch_quad.h"
#include "force/stretch_springs.h"
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

/* Zero at the origin of the world. */
static double gravity_energy(const ToileSim *sim) {
    const double *g = sim->def.gravity_m_per_s2, *o = sim->origin;
    TlExternal external = {{g[0], g[1], g[2]}, 0.0};
    double mass = 0.0;
    for (int32_t v = 0; v < sim->state.vertex_count; v++) {
        mass += sim->model.mass[v];
    }
    return tl_gravity_energy(&sim->model, &external, sim->state.x) -
           mass * (g[0] * o[0] + g[1] * o[1] + g[2] * o[2]);
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
    local.stretch_J = tl_system_group(&sim->system, TL_ENERGY_STRETCH, &at);
    local.bend_J = tl_system_group(&sim->system, TL_ENERGY_BEND, &at);
    local.gravity_J = gravity_energy(sim);
    local.kinetic_J = kinetic_energy(sim);
    local.total_J = local.stretch_J + local.bend_J + local.gravity_J;
    tl_write_result(energies, &local, sizeof local);
    return TOILE_STATUS_OK;
}

/* What the forces have in common: finds the cloth, checks the array, prepares the system. */
static ToileStatus enter_forces(ToileSim *sim, ToileClothId id, const double *forces_N,
                                TlCloth **cloth, ToileError *error) {
    *cloth = tl_find_cloth(sim, id, error);
    if (*cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    if (forces_N == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "forces_N is NULL");
    }
    return tl_sim_prepare(sim, error);
}

/* Of one cloth, from the gradient over all. */
static void forces_of(const TlCloth *cloth, const double *grad, double *forces_N) {
    tl_to_user(cloth, grad + 3 * (int64_t)cloth->vertex_offset, 3, forces_N);
    for (int64_t i = 0; i < 3 * (int64_t)cloth->rest.vertex_count; i++) {
        forces_N[i] = -forces_N[i];
    }
}

ToileStatus toile_sim_get_internal_forces(ToileSim *sim, ToileClothId id, double *forces_N,
                                          ToileError *error) {
    TlCloth *cloth;
    ToileStatus status = enter_forces(sim, id, forces_N, &cloth, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    TlPoint at = {sim->state.x, sim->state.x, 0.0};
    tl_system_derive(&sim->system, &at, false, sim->system.grad);
    forces_of(cloth, sim->system.grad, forces_N);
    return TOILE_STATUS_OK;
}

/* The same system with the energies of bending alone; arrays are shared. */
static TlSystem bend_part(const TlSystem *system) {
    TlSystem part = *system;
    part.energy_count = 0;
    for (int32_t i = 0; i < system->energy_count; i++) {
        if (system->energies[i].elements.group == TL_ENERGY_BEND) {
            part.energies[part.energy_count++] = system->energies[i];
        }
    }
    return part;
}

ToileStatus toile_sim_get_bend_forces(ToileSim *sim, ToileClothId id, int32_t repeats,
                                      double *forces_N, ToileError *error) {
    TlCloth *cloth;
    ToileStatus status = enter_forces(sim, id, forces_N, &cloth, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    if (repeats < 1) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "repeats is %" PRId32 "; it must be 1 or more", repeats);
    }
    TlPoint at = {sim->state.x, sim->state.x, 0.0};
    TlSystem part = bend_part(&sim->system);
    for (int32_t i = 0; i < repeats; i++) {
        tl_system_derive(&part, &at, false, part.grad);
    }
    forces_of(cloth, part.grad, forces_N);
    return TOILE_STATUS_OK;
}

/* ---- details ---- */

/* The hinges of a cloth are of one kind, chosen by its fabric. */
static int32_t hinge_set(const TlCloth *cloth) {
    int32_t s = TL_SET_HINGES;
    while (s < TL_SET_COUNT - 1 && cloth->rest.sets.hinges[s - TL_SET_HINGES].count == 0) {
        s++;
    }
    return s;
}

int32_t toile_sim_hinge_count(ToileSim *sim, ToileClothId id) {
    TlCloth *cloth = tl_find_cloth(sim, id, NULL);
    return cloth != NULL ? cloth->rest.sets.hinges[hinge_set(cloth) - TL_SET_HINGES].count : -1;
}

static int32_t element_count(const TlCloth *cloth) {
    return cloth->rest.sets.triangles.count + cloth->rest.sets.quads.count;
}

int32_t toile_sim_element_count(ToileSim *sim, ToileClothId id) {
    TlCloth *cloth = tl_find_cloth(sim, id, NULL);
    return cloth != NULL ? element_count(cloth) : -1;
}

static int32_t spring_count(const TlCloth *cloth) {
    const TlSets *sets = &cloth->rest.sets;
    return sets->springs.count + sets->crossover.count + sets->choi_ko.count;
}

int32_t toile_sim_spring_count(ToileSim *sim, ToileClothId id) {
    TlCloth *cloth = tl_find_cloth(sim, id, NULL);
    return cloth != NULL ? spring_count(cloth) : -1;
}

/* What the details have in common: checks the struct's size and the index, prepares the system. */
static ToileStatus enter(ToileSim *sim, int32_t index, int32_t count, const uint32_t *size,
                         uint32_t needed, ToileError *error) {
    if (size == NULL || *size < needed || index < 0 || index >= count) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "the detail is NULL or not initialised, or index %" PRId32
                       " is not in 0 to %" PRId32,
                       index, count - 1);
    }
    return tl_sim_prepare(sim, error);
}

/* Of the energies over this set of hinges; at a standstill the viscous one is zero. */
static double hinge_energy(const ToileSim *sim, const TlHingeSet *set, int32_t h) {
    TlPoint at = {sim->state.x, sim->state.x, 0.0};
    double total = 0.0;
    for (int32_t i = 0; i < sim->system.energy_count; i++) {
        const TlElements *elements = &sim->system.energies[i].elements;
        if (elements->vertex == set->vertex) {
            total += elements->value(elements->model, &at, h, h + 1);
        }
    }
    return total;
}

ToileStatus toile_sim_get_hinge(ToileSim *sim, ToileClothId id, int32_t index,
                                ToileHingeDetail *detail, ToileError *error) {
    const uint32_t *size = detail != NULL ? &detail->struct_size : NULL;
    TlCloth *cloth = tl_find_cloth(sim, id, error);
    if (cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    int32_t number = hinge_set(cloth), kind = number - TL_SET_HINGES;
    ToileStatus status =
        enter(sim, index, cloth->rest.sets.hinges[kind].count, size, sizeof *detail, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    int32_t h = tl_element_at(cloth, number, index);
    const TlHingeSet *set = &sim->model.sets.hinges[kind];
    TlHingeState state = tl_bend_linear_state(set, sim->state.x, h);
    detail->corner_count = set->first[h + 1] - set->first[h];
    for (int32_t k = 0; k < detail->corner_count; k++) {
        detail->vertices[k] = tl_user_vertex(cloth, set->vertex[set->first[h] + k]);
        detail->alpha[k] = set->alpha[set->first[h] + k];
    }
    detail->length_m = set->length[h];
    detail->height_a_m = set->height_a[h];
    detail->height_b_m = set->height_b[h];
    detail->lambda_N_per_m = set->lambda[h];
    detail->k_e_N_m = set->k_e[h];
    detail->mu_N_m = set->mu[h];
    detail->nu_N_s_per_m = set->viscosity[h];
    memcpy(detail->R_m, state.R, sizeof state.R);
    detail->r_m = state.r;
    detail->r_rest_m = set->rest_r[h];
    detail->gamma_per_m = state.gamma;
    detail->theta_rad = state.theta;
    detail->theta_rest_rad = set->rest_theta[h];
    memcpy(detail->grad_theta_per_m, state.grad_theta, sizeof state.grad_theta);
    detail->energy_J = hinge_energy(sim, set, h);
    return TOILE_STATUS_OK;
}

static void triangle_detail(const ToileSim *sim, const TlCloth *cloth, int32_t t,
                            ToileElementDetail *detail) {
    const TlTriangleSet *set = &sim->model.sets.triangles;
    TlStvkDetail state = tl_stretch_stvk_detail(&sim->model, sim->state.x, t);
    detail->face = set->face[t];
    detail->corner_count = 3;
    for (int k = 0; k < 3; k++) {
        detail->vertices[k] = tl_user_vertex(cloth, set->vertex[3 * (int64_t)t + k]);
        detail->strain[k] = state.strain[k];
    }
    detail->area_m2 = set->area[t];
    detail->energy_J = state.energy_J;
    detail->psd_trace = state.psd_trace;
}

static void quad_detail(const ToileSim *sim, const TlCloth *cloth, int32_t q,
                        ToileElementDetail *detail) {
    const TlQuadSet *set = &sim->model.sets.quads;
    TlQuadDetail state = tl_stretch_quad_detail(&sim->model, sim->state.x, q);
    detail->face = set->face[q];
    detail->corner_count = 4;
    for (int k = 0; k < 4; k++) {
        detail->vertices[k] = tl_user_vertex(cloth, set->vertex[4 * (int64_t)q + k]);
    }
    memcpy(detail->strain, state.strain, sizeof state.strain);
    memcpy(detail->strain_hat, state.strain_hat, sizeof state.strain_hat);
    memcpy(detail->Khat_N_per_m, state.Khat, sizeof state.Khat);
    detail->area_m2 = set->area[q];
    detail->energy_J = state.energy_J;
    detail->psd_trace = state.psd_trace;
}

ToileStatus toile_sim_get_element(ToileSim *sim, ToileClothId id, int32_t index,
                                  ToileElementDetail *detail, ToileError *error) {
    const uint32_t *size = detail != NULL ? &detail->struct_size : NULL;
    TlCloth *cloth = tl_find_cloth(sim, id, error);
    if (cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    ToileStatus status = enter(sim, index, element_count(cloth), size, sizeof *detail, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    const TlMaterial *m = &cloth->material;
    const double K[6] = {m->K11, m->K12, 0.0, m->K22, 0.0, m->K33};
    memcpy(detail->K_N_per_m, K, sizeof K);
    int32_t triangles = cloth->rest.sets.triangles.count;
    if (index < triangles) {
        triangle_detail(sim, cloth, tl_element_at(cloth, TL_SET_TRIANGLES, index), detail);
    } else {
        quad_detail(sim, cloth, tl_element_at(cloth, TL_SET_QUADS, index - triangles), detail);
    }
    return TOILE_STATUS_OK;
}

ToileStatus toile_sim_get_vertex_areas(ToileSim *sim, ToileClothId id, double *areas_m2,
                                       ToileError *error) {
    TlCloth *cloth = tl_find_cloth(sim, id, error);
    if (cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    if (areas_m2 == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "areas_m2 is NULL");
    }
    tl_to_user(cloth, cloth->rest.area, 1, areas_m2);
    return TOILE_STATUS_OK;
}

ToileStatus toile_sim_get_damping_forces(ToileSim *sim, ToileClothId id, double *forces_N,
                                         ToileError *error) {
    TlCloth *cloth;
    ToileStatus status = enter_forces(sim, id, forces_N, &cloth, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    tl_system_damping(&sim->system, sim->state.x, sim->state.v, sim->system.grad);
    tl_to_user(cloth, sim->system.grad + 3 * (int64_t)cloth->vertex_offset, 3, forces_N);
    return TOILE_STATUS_OK;
}

/* Spring `index` of a cloth, from the set it stands in. */
static TlSpringDetail find_spring(const ToileSim *sim, const TlCloth *cloth, int32_t index) {
    const TlSets *own = &cloth->rest.sets;
    const TlModel *model = &sim->model;
    const double *x = sim->state.x;
    if (index < own->springs.count) {
        return tl_stretch_springs_detail(model, x, tl_element_at(cloth, TL_SET_SPRINGS, index));
    }
    index -= own->springs.count;
    if (index < own->crossover.count) {
        return tl_bend_crossover_detail(model, x, tl_element_at(cloth, TL_SET_CROSSOVER, index));
    }
    index -= own->crossover.count;
    return tl_bend_choi_ko_detail(model, x, tl_element_at(cloth, TL_SET_CHOI_KO, index));
}

ToileStatus toile_sim_get_spring(ToileSim *sim, ToileClothId id, int32_t index,
                                 ToileSpringDetail *detail, ToileError *error) {
    const uint32_t *size = detail != NULL ? &detail->struct_size : NULL;
    TlCloth *cloth = tl_find_cloth(sim, id, error);
    if (cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    ToileStatus status = enter(sim, index, spring_count(cloth), size, sizeof *detail, error);
    if (status != TOILE_STATUS_OK) {
        return status;
    }
    TlSpringDetail state = find_spring(sim, cloth, index);
    detail->is_bend = index >= cloth->rest.sets.springs.count;
    for (int k = 0; k < 2; k++) {
        detail->vertices[k] = tl_user_vertex(cloth, state.vertices[k]);
    }
    detail->rest_length_m = state.rest_length;
    detail->length_m = state.length;
    detail->k_N_per_m = state.k;
    detail->kb_N_m2 = state.kb;
    detail->kappa_length = state.kappa_length;
    detail->phi = state.phi;
    detail->energy_J = state.energy_J;
    return TOILE_STATUS_OK;
}

ToileStatus toile_sim_get_koiter(ToileSim *sim, ToileClothId id, ToileKoiterDetail *detail,
                                 ToileError *error) {
    const uint32_t *size = detail != NULL ? &detail->struct_size : NULL;
    TlCloth *cloth = tl_find_cloth(sim, id, error);
    if (cloth == NULL) {
        return TOILE_STATUS_STALE_ID;
    }
    ToileStatus status = enter(sim, 0, 1, size, sizeof *detail, error);
    if (status == TOILE_STATUS_OK) {
        int32_t ring = cloth->set_offset[TL_SET_RINGS], patch = cloth->set_offset[TL_SET_PATCHES];
        tl_koiter_energies(&sim->model, sim->state.x, ring, ring + cloth->rest.sets.rings.count,
                           patch, patch + cloth->rest.sets.patches.count, &detail->cross_J,
                           &detail->in_element_J);
    }
    return status;
}
