/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshot, restore and state hash. The layout is private to one version: a header that tells what
 * it belongs to, then plain arrays. Vertices are in the order the cloths keep them in
 * (mesh/order.h), which is a function of their meshes, and so the same in every simulation with
 * these cloths. */
#include "sim/sim_internal.h"

#include "base/hash.h"

#include <string.h>

#define MAGIC 0x3350414e53454c54ULL /* "TLESNAP3" */

typedef struct Header {
    uint64_t magic;
    uint32_t version;
    int32_t cloth_count;
    int32_t collider_count;
    int32_t vertex_count;
    int64_t frame;
    uint64_t shape;     /* hash of the edges and orders of the cloths, and of mesh colliders */
    uint64_t content;   /* hash of the state, which finds damage */
    int32_t integrator; /* of the history that ends the state; 0: there is none */
    int32_t mesh_vertex_count; /* of all colliders that are meshes */
    int32_t mesh_count;        /* of those that have vertices */
    int32_t reserved;
} Header;

/* Writes, reads or hashes the state in one fixed order. */
typedef struct Stream {
    unsigned char *write;
    const unsigned char *read;
    TlHash *hash;
} Stream;

static void pass(Stream *stream, void *data, size_t size) {
    if (stream->write != NULL) {
        memcpy(stream->write, data, size);
        stream->write += size;
    } else if (stream->read != NULL) {
        memcpy(data, stream->read, size);
        stream->read += size;
    } else {
        tl_hash_add(stream->hash, data, size);
    }
}

/* The history, when there is one, comes last; a reader that cannot use it leaves it out. */
static void pass_history(Stream *stream, TlHistory *history, int32_t n) {
    size_t size = 3 * sizeof(double) * (size_t)n;
    if (history->x != NULL) {
        pass(stream, &history->dt_s, sizeof history->dt_s);
        pass(stream, history->x, size);
        pass(stream, history->v, size);
    }
}

/* What the mesh is relative to goes with it: it may have been defined elsewhere. */
static void pass_mesh(Stream *stream, TlColliderMesh *mesh, double own_from[3]) {
    size_t size = 3 * sizeof(double) * (size_t)mesh->vertex_count;
    if (mesh->vertex_count > 0) {
        pass(stream, own_from, 3 * sizeof *own_from);
        pass(stream, mesh->now, size);
        pass(stream, mesh->target, size);
    }
}

static void pass_state(Stream *stream, ToileSim *sim) {
    TlState *state = &sim->state;
    size_t size = 3 * sizeof(double) * (size_t)state->vertex_count;
    pass(stream, sim->origin, sizeof sim->origin);
    pass(stream, &sim->placed, sizeof sim->placed);
    pass(stream, state->x, size);
    pass(stream, state->v, size);
    pass(stream, state->pin_target, size);
    pass(stream, state->pinned, (size_t)state->vertex_count);
    for (int32_t i = 0; i < sim->collider_capacity; i++) {
        TlColliderSlot *slot = &sim->colliders[i];
        if (slot->used) {
            pass(stream, slot->pose_from, sizeof slot->pose_from);
            pass(stream, &slot->now, sizeof slot->now);
            pass(stream, &slot->target, sizeof slot->target);
            pass_mesh(stream, &slot->mesh, slot->own_from);
        }
    }
}

/* Whose history the state holds; 0: none. */
static int32_t history_of(const ToileSim *sim) {
    return tl_integrator(sim->def.integrator)->multi_step ? sim->def.integrator : 0;
}

static Header header_of(const ToileSim *sim) {
    Header header;
    TlHash hash;
    memset(&header, 0, sizeof header);
    header.magic = MAGIC;
    header.version = toile_version();
    header.vertex_count = sim->state.vertex_count;
    header.frame = sim->frame;
    header.integrator = history_of(sim);
    tl_hash_init(&hash, 0);
    for (int32_t i = 0; i < sim->cloth_capacity; i++) {
        if (sim->cloths[i].cloth != NULL) {
            const TlCloth *cloth = sim->cloths[i].cloth;
            const TlRest *rest = &cloth->rest;
            header.cloth_count++;
            tl_hash_add(&hash, &rest->vertex_count, sizeof rest->vertex_count);
            tl_hash_add(&hash, rest->sets.edges.vertex,
                        2 * sizeof *rest->sets.edges.vertex * (size_t)rest->sets.edges.count);
            if (cloth->order.vertex != NULL) {
                tl_hash_add(&hash, cloth->order.vertex,
                            sizeof *cloth->order.vertex * (size_t)rest->vertex_count);
            }
        }
    }
    for (int32_t i = 0; i < sim->collider_capacity; i++) {
        const TlColliderMesh *mesh = &sim->colliders[i].mesh;
        header.collider_count += sim->colliders[i].used;
        header.mesh_vertex_count += mesh->vertex_count;
        header.mesh_count += mesh->vertex_count > 0;
        if (mesh->vertex_count > 0) {
            /* which of the colliders it is, and its size */
            tl_hash_add(&hash, &header.collider_count, sizeof header.collider_count);
            tl_hash_add(&hash, &mesh->vertex_count, sizeof mesh->vertex_count);
        }
    }
    header.shape = tl_hash_end(&hash);
    return header;
}

static size_t size_of(const Header *header) {
    size_t n = (size_t)header->vertex_count;
    size_t history = header->integrator != 0 ? (1 + 6 * n) * sizeof(double) : 0;
    return sizeof *header + 3 * sizeof(double) + sizeof(bool) + (9 * sizeof(double) + 1) * n +
           (2 * sizeof(TlMotion) + 3 * sizeof(double)) * (size_t)header->collider_count +
           3 * sizeof(double) * (size_t)header->mesh_count +
           6 * sizeof(double) * (size_t)header->mesh_vertex_count + history;
}

size_t toile_sim_snapshot_size(const ToileSim *sim) {
    if (sim == NULL) {
        return 0;
    }
    Header header = header_of(sim);
    return size_of(&header);
}

/* What a hash of the state starts with. */
static void begin_hash(TlHash *hash, int64_t frame, int32_t integrator) {
    tl_hash_init(hash, 0);
    tl_hash_add(hash, &frame, sizeof frame);
    if (integrator != 0) {
        tl_hash_add(hash, &integrator, sizeof integrator);
    }
}

ToileStatus toile_sim_snapshot(const ToileSim *sim, void *buffer, size_t size, ToileError *error) {
    if (sim == NULL || buffer == NULL || size < toile_sim_snapshot_size(sim)) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                       "sim or buffer is NULL, or size %zu below toile_sim_snapshot_size", size);
    }
    Header header = header_of(sim);
    header.content = toile_sim_state_hash(sim);
    Stream stream = {buffer, NULL, NULL};
    ToileSim copy = *sim;
    pass(&stream, &header, sizeof header);
    pass_state(&stream, &copy);
    pass_history(&stream, &copy.state.history, copy.state.vertex_count);
    return TOILE_STATUS_OK;
}

ToileStatus toile_sim_restore(ToileSim *sim, const void *buffer, size_t size, ToileError *error) {
    if (sim == NULL || buffer == NULL) {
        return tl_fail(error, TOILE_STATUS_INVALID_ARGUMENT, "sim or buffer is NULL");
    }
    Header own = header_of(sim), header;
    memset(&header, 0, sizeof header);
    memcpy(&header, buffer, size < sizeof header ? size : sizeof header);
    own.frame = header.frame;
    own.content = header.content;
    int32_t integrator = own.integrator;
    own.integrator = header.integrator;
    size_t whole = size_of(&own);
    if (size < whole || memcmp(&own, &header, sizeof own) != 0) {
        return tl_fail(error, TOILE_STATUS_INVALID_DATA,
                       "the snapshot is cut short, of another version, or of other cloths or "
                       "colliders");
    }
    TlHash hash;
    begin_hash(&hash, header.frame, header.integrator);
    tl_hash_add(&hash, (const unsigned char *)buffer + sizeof header, whole - sizeof header);
    if (tl_hash_end(&hash) != header.content) {
        return tl_fail(error, TOILE_STATUS_INVALID_DATA, "the snapshot is damaged");
    }
    Stream stream = {NULL, (const unsigned char *)buffer + sizeof header, NULL};
    pass_state(&stream, sim);
    tl_history_forget(&sim->state.history, sim->state.vertex_count);
    if (header.integrator == integrator) {
        pass_history(&stream, &sim->state.history, sim->state.vertex_count);
    }
    sim->frame = header.frame;
    tl_suspect_crossings(sim);
    return TOILE_STATUS_OK;
}

uint64_t toile_sim_state_hash(const ToileSim *sim) {
    if (sim == NULL) {
        return 0;
    }
    TlHash hash;
    begin_hash(&hash, sim->frame, history_of(sim));
    Stream stream = {NULL, NULL, &hash};
    ToileSim copy = *sim;
    pass_state(&stream, &copy);
    pass_history(&stream, &copy.state.history, copy.state.vertex_count);
    return tl_hash_end(&hash);
}
