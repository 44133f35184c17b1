/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Every function on a ToileSim, and the mesh check.
 *
 * A first simulation: toile_sim_def_default, toile_sim_create, toile_sim_add_cloth, then once a
 * frame toile_sim_set_collider_pose (for what moves), toile_sim_step, toile_sim_get_positions;
 * toile_sim_destroy at the end. The last argument `error` may be NULL everywhere. Output arrays
 * belong to the caller. */
#ifndef TOILE_SIM_H
#define TOILE_SIM_H

#include "toile/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lists every defect of a mesh, in the order of faces, then vertices. `issues` (may be NULL when
 * capacity is 0) receives the first `capacity`, `count` the number found. `uv_is_pattern` also
 * looks for faces without uv area. Answers OK when there is no error among them (warnings are
 * fine), else INVALID_DATA with the first error's sentence. [any thread] */
TOILE_API ToileStatus toile_mesh_check(const ToileMeshDef *mesh, bool uv_is_pattern,
                                       ToileMeshIssue *issues, int32_t capacity, int32_t *count,
                                       ToileError *error);

/* ---- life ---- */

/* Makes an empty simulation. *out is NULL on failure. [any thread] */
TOILE_API ToileStatus toile_sim_create(const ToileSimDef *def, ToileSim **out, ToileError *error);
/* Frees everything; NULL is allowed. [one thread per sim] */
TOILE_API void toile_sim_destroy(ToileSim *sim);

/* Adds a cloth. The mesh is checked by the rules of ToileMeshIssueKind; warnings go to the log.
 * Positions are kept relative to the whole metres nearest to the middle of the first cloth at its
 * start, colliders to whole metres of their own: a scene that is moved by whole metres moves the
 * same bit for bit, if its coordinates are decimals of up to nine places, array by array, or of
 * single precision and their sums with these metres exact in double precision.
 * [one thread per sim] */
TOILE_API ToileStatus toile_sim_add_cloth(ToileSim *sim, const ToileClothDef *def,
                                          ToileClothId *out, ToileError *error);
/* Removes a cloth; the others keep their state. [one thread per sim] */
TOILE_API ToileStatus toile_sim_remove_cloth(ToileSim *sim, ToileClothId cloth, ToileError *error);
TOILE_API ToileStatus toile_sim_add_collider(ToileSim *sim, const ToileColliderDef *def,
                                             ToileColliderId *out, ToileError *error);
TOILE_API ToileStatus toile_sim_remove_collider(ToileSim *sim, ToileColliderId collider,
                                                ToileError *error);

/* ---- animation, before each step ---- */

/* Where the collider is at the end of the next step; it travels there evenly (rotation by the
 * shortest arc). [one thread per sim] */
TOILE_API ToileStatus toile_sim_set_collider_pose(ToileSim *sim, ToileColliderId collider,
                                                  const ToilePose *pose, ToileError *error);
/* Where the vertices of a mesh collider are at the end of the next step, before its pose is
 * applied, 3 * vertex_count values; they travel there evenly. [one thread per sim] */
TOILE_API ToileStatus toile_sim_set_collider_positions(ToileSim *sim, ToileColliderId collider,
                                                       const double *positions_m,
                                                       ToileError *error);
/* Pins (pinned true) or frees vertices from now on. A pinned vertex stays where it is until it gets
 * a target. [one thread per sim] */
TOILE_API ToileStatus toile_sim_set_pinned(ToileSim *sim, ToileClothId cloth,
                                           const int32_t *vertices, int32_t count, bool pinned,
                                           ToileError *error);
/* Where pinned vertices are at the end of the next step; they travel there evenly, and where a
 * collider that turns takes them there, with that collider. `positions_m` holds 3 * count values. A
 * vertex that is not pinned is refused. [one thread per sim] */
TOILE_API ToileStatus toile_sim_set_pin_targets(ToileSim *sim, ToileClothId cloth,
                                                const int32_t *vertices, int32_t count,
                                                const double *positions_m, ToileError *error);

/* ---- time ---- */

/* Advances by one frame, 1 / fps seconds. On failure or cancel the state is that of the last
 * complete frame, and so are targets and poses not yet reached. [one thread per sim] */
TOILE_API ToileStatus toile_sim_step(ToileSim *sim, ToileError *error);
/* Finds the static drape: the state in which forces balance, colliders and pins at their targets.
 * Friction is left out. Velocities become zero; the frame number does not change. `def` and
 * `result` may be NULL. Not converging is not an error: see result. A cancelled or diverged settle
 * leaves the state untouched. [one thread per sim] */
TOILE_API ToileStatus toile_sim_settle(ToileSim *sim, const ToileSettleDef *def,
                                       ToileSettleResult *result, ToileError *error);

/* ---- results ---- */

/* The frame the state belongs to. [one thread per sim] */
TOILE_API int64_t toile_sim_frame(const ToileSim *sim);
/* Vertices of a cloth, in the order of its mesh; -1 for a stale id. [one thread per sim] */
TOILE_API int32_t toile_sim_vertex_count(const ToileSim *sim, ToileClothId cloth);
/* Copies 3 * vertex_count values. Where all that were given together had up to nine decimal places
 * they are told as they were given, pins and their targets for instance, others to within rounding.
 * [one thread per sim] */
TOILE_API ToileStatus toile_sim_get_positions(const ToileSim *sim, ToileClothId cloth,
                                              double *positions_m, ToileError *error);
TOILE_API ToileStatus toile_sim_get_velocities(const ToileSim *sim, ToileClothId cloth,
                                               double *velocities_m_per_s, ToileError *error);
/* Replaces the state; every value must be finite. A coordinate that is as toile_sim_get_positions
 * tells it stays what it is, to the last bit. BDF2 and Verlet start anew. [one thread per sim] */
TOILE_API ToileStatus toile_sim_set_positions(ToileSim *sim, ToileClothId cloth,
                                              const double *positions_m, ToileError *error);
TOILE_API ToileStatus toile_sim_set_velocities(ToileSim *sim, ToileClothId cloth,
                                               const double *velocities_m_per_s, ToileError *error);
/* Of the last step or settle. `stats` must be initialised. [one thread per sim] */
TOILE_API ToileStatus toile_sim_get_stats(const ToileSim *sim, ToileStats *stats,
                                          ToileError *error);
/* How many edges went through faces at the end of the last step or settle, and each of them:
 * `index` from 0 on. `intersection` must be initialised. [one thread per sim] */
TOILE_API int32_t toile_sim_intersection_count(const ToileSim *sim);
TOILE_API ToileStatus toile_sim_get_intersection(const ToileSim *sim, int32_t index,
                                                 ToileIntersection *intersection,
                                                 ToileError *error);
/* Energies of the current state. `energies` must be initialised. [one thread per sim] */
TOILE_API ToileStatus toile_sim_get_energies(ToileSim *sim, ToileEnergies *energies,
                                             ToileError *error);
/* Force of the internal energies (stretch, bend) on each vertex, 3 * vertex_count values, newtons.
 * [one thread per sim] */
TOILE_API ToileStatus toile_sim_get_internal_forces(ToileSim *sim, ToileClothId cloth,
                                                    double *forces_N, ToileError *error);

/* ---- snapshots ---- */

/* Bytes toile_sim_snapshot writes. [one thread per sim] */
TOILE_API size_t toile_sim_snapshot_size(const ToileSim *sim);
/* Writes the whole changing state (positions, velocities, pins, poses, frame; with BDF2 and Verlet
 * also the state one sub-step before). [one thread per sim] */
TOILE_API ToileStatus toile_sim_snapshot(const ToileSim *sim, void *buffer, size_t size,
                                         ToileError *error);
/* Puts a snapshot of this simulation, or of one with the same cloths and colliders, back. Stepping
 * on from it gives the same bits; from a snapshot of another integrator BDF2 and Verlet start anew.
 * A buffer that does not fit is refused and nothing changes. [one thread per sim] */
TOILE_API ToileStatus toile_sim_restore(ToileSim *sim, const void *buffer, size_t size,
                                        ToileError *error);
/* A 64-bit hash (xxHash64) of that state: equal states give equal hashes on every machine. [one
 * thread per sim] */
TOILE_API uint64_t toile_sim_state_hash(const ToileSim *sim);

#ifdef __cplusplus
}
#endif
#endif
