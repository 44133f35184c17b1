/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of every public struct. */
#include "toile/types.h"

#include <math.h>
#include <string.h>

static void write_def(void *to, uint32_t to_size, void *from, size_t from_size) {
    memcpy(from, &to_size, sizeof to_size);
    memcpy(to, from, to_size < from_size ? to_size : from_size);
}

void toile_mesh_def_init(ToileMeshDef *def, uint32_t struct_size) {
    ToileMeshDef init;
    memset(&init, 0, sizeof init);
    write_def(def, struct_size, &init, sizeof init);
}

void toile_fabric_init(ToileFabric *fabric, uint32_t struct_size) {
    ToileFabric init;
    memset(&init, 0, sizeof init);
    init.bend_scale = TOILE_BEND_CALIBRATED;
    init.density_kg_per_m2 = 0.15;
    init.thickness_m = 0.0003;
    init.friction = 0.3;
    init.stretch_weft_N_per_m = 1000.0;
    init.stretch_warp_N_per_m = 1000.0;
    init.stretch_shear_N_per_m = 50.0;
    init.stretch_poisson = 0.2;
    init.bend_weft_N_m = 5e-5;
    init.bend_warp_N_m = 5e-5;
    init.gauss_points = 4;
    init.bend_intervals = 10;
    init.bend_fold_exponent = 1;
    init.compression_factor = 1.0;
    init.bend_in_element_weight = 0.1;
    write_def(fabric, struct_size, &init, sizeof init);
}

void toile_cloth_def_init(ToileClothDef *def, uint32_t struct_size) {
    ToileClothDef init;
    memset(&init, 0, sizeof init);
    init.name = "cloth";
    init.pattern_scale_m = 1.0;
    write_def(def, struct_size, &init, sizeof init);
}

void toile_collider_def_init(ToileColliderDef *def, uint32_t struct_size) {
    ToileColliderDef init;
    memset(&init, 0, sizeof init);
    init.name = "collider";
    init.radius_m = 0.5;
    init.normal[1] = 1.0;
    init.half_m[0] = init.half_m[1] = init.half_m[2] = 0.5;
    init.thickness_m = 0.001;
    init.friction = -1.0;
    init.end_m[1] = 1.0;
    write_def(def, struct_size, &init, sizeof init);
}

void toile_sim_def_init(ToileSimDef *def, uint32_t struct_size) {
    ToileSimDef init;
    memset(&init, 0, sizeof init);
    init.quality = TOILE_QUALITY_STANDARD;
    init.start_frame = 1;
    init.fps = 24.0;
    init.gravity_m_per_s2[1] = -9.81;
    init.contact_thickness_m = -1.0;
    init.contact_friction = -1.0;
    init.contact_self = 1;
    write_def(def, struct_size, &init, sizeof init);
}

void toile_settle_def_init(ToileSettleDef *def, uint32_t struct_size) {
    ToileSettleDef init;
    memset(&init, 0, sizeof init);
    init.max_iterations = 2000;
    init.tolerance = 1e-6;
    write_def(def, struct_size, &init, sizeof init);
}

void toile_stats_init(ToileStats *stats, uint32_t struct_size) {
    ToileStats init;
    memset(&init, 0, sizeof init);
    write_def(stats, struct_size, &init, sizeof init);
}

void toile_intersection_init(ToileIntersection *intersection, uint32_t struct_size) {
    ToileIntersection init;
    memset(&init, 0, sizeof init);
    write_def(intersection, struct_size, &init, sizeof init);
}

void toile_energies_init(ToileEnergies *energies, uint32_t struct_size) {
    ToileEnergies init;
    memset(&init, 0, sizeof init);
    write_def(energies, struct_size, &init, sizeof init);
}

void toile_settle_result_init(ToileSettleResult *result, uint32_t struct_size) {
    ToileSettleResult init;
    memset(&init, 0, sizeof init);
    write_def(result, struct_size, &init, sizeof init);
}
