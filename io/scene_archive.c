/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Colliders from archives, FILE.abc:/path: the mesh at the path, or the only one below it, in the
 * world of the archive. Positions and matrices at frame / fps seconds move evenly between samples;
 * units and axes are those of the scene. Visibility is passed over, since proxies are often hidden.
 * The faces must stay the same. */
#include "scene_types.h"

#include "platform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COORDINATE_MAX_M 1e9
#define NAMES_SHOWN 6

static ToileStatus status_of(abcc_status status) {
    switch (status) {
    case ABCC_OK:
        return TOILE_STATUS_OK;
    case ABCC_E_OPEN:
        return TOILE_STATUS_NOT_FOUND;
    case ABCC_E_HDF5:
        return TOILE_STATUS_UNSUPPORTED;
    case ABCC_E_IO:
        return TOILE_STATUS_IO_ERROR;
    case ABCC_E_MEMORY:
        return TOILE_STATUS_OUT_OF_MEMORY;
    case ABCC_E_INTERNAL:
        return TOILE_STATUS_INTERNAL;
    default:
        return TOILE_STATUS_INVALID_DATA;
    }
}

/* What the finding of an archive shares. */
typedef struct Search {
    TlSceneReader *reader;
    const TlKeys *keys;
    const TlJson *value;
    TlSceneSurface *surface;
    char *path;         /* of the file, resolved; for free() */
    const char *object; /* "/a/b", or "/" for the whole file */
} Search;

static bool complain(const Search *search, abcc_status status, const abcc_error *error) {
    if (status == ABCC_E_MEMORY)
        tl_report_out_of_memory(search->reader->report);
    else
        tl_keys_error(search->keys, "mesh", search->value, status_of(status), "%.200s: %s",
                      search->path, error->text);
    return false;
}

/* Splits FILE.abc:/path and adds the file to the hash. */
static bool find_file(Search *search) {
    const char *text = search->value->string;
    const char *colon = strstr(text, ".abc:/");
    size_t length = colon ? (size_t)(colon - text) + 4 : strlen(text);
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    char *file = malloc(length + 1);
    search->object = colon ? colon + 5 : "/";
    if (file) {
        memcpy(file, text, length);
        file[length] = '\0';
        search->path = tl_io_path_beside(search->reader->path, file);
    }
    free(file);
    if (!search->path) {
        tl_report_out_of_memory(search->reader->report);
        return false;
    }
    ToileStatus status = tl_scene_hash_file(search->reader, search->path, &error);
    if (status != TOILE_STATUS_OK)
        tl_scene_cannot_read(search->keys, "mesh", search->value, search->path, status, &error);
    return status == TOILE_STATUS_OK;
}

/* ---- the object ---- */

static bool is_mesh(const abcc_object *object) {
    return object->kind == ABCC_MESH || object->kind == ABCC_SUBD;
}

static bool is_below(abcc_reader *archive, abcc_obj obj, abcc_obj top) {
    while (obj > top) {
        abcc_object object = abcc_object_default();
        if (abcc_object_get(archive, obj, &object, NULL) != ABCC_OK)
            return false;
        obj = object.parent;
    }
    return obj == top;
}

/* Finds the only mesh below `top`; several are listed in the complaint. */
static bool find_below(Search *search, abcc_obj top) {
    abcc_reader *archive = search->surface->archive;
    uint32_t count = abcc_object_count(archive);
    char names[512] = "";
    size_t used = 0;
    int32_t found = 0;
    for (abcc_obj obj = top + 1; obj < count && is_below(archive, obj, top); obj++) {
        abcc_object object = abcc_object_default();
        if (abcc_object_get(archive, obj, &object, NULL) != ABCC_OK || !is_mesh(&object))
            continue;
        if (found++ == 0)
            search->surface->object = obj;
        if (found <= NAMES_SHOWN && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.64s",
                                     found > 1 ? ", " : "", object.path);
    }
    if (found == 0)
        tl_keys_error(search->keys, "mesh", search->value, TOILE_STATUS_INVALID_DATA,
                      "%.200s has no mesh at or below \"%.100s\"", search->path, search->object);
    if (found > 1)
        tl_keys_error(search->keys, "mesh", search->value, TOILE_STATUS_INVALID_DATA,
                      "%.200s has %d meshes below \"%.100s\", and a collider is one of them; name "
                      "it: %s%s",
                      search->path, found, search->object, names,
                      found > NAMES_SHOWN ? ", ..." : "");
    return found == 1;
}

static bool find_object(Search *search) {
    abcc_error error = {0};
    abcc_object object = abcc_object_default();
    TlSceneSurface *surface = search->surface;
    abcc_obj obj = 0;
    abcc_status status = ABCC_OK;
    if (strcmp(search->object, "/") != 0)
        status = abcc_find(surface->archive, search->object, &obj, &error);
    if (status == ABCC_OK)
        status = abcc_object_get(surface->archive, obj, &object, &error);
    if (status != ABCC_OK)
        return complain(search, status, &error);
    surface->object = obj;
    if (is_mesh(&object))
        return true;
    if (obj == 0 || object.kind == ABCC_XFORM || object.kind == ABCC_OTHER)
        return find_below(search, obj);
    tl_keys_error(search->keys, "mesh", search->value, TOILE_STATUS_INVALID_DATA,
                  "\"%.100s\" of %.200s is no mesh; colliders are meshes", search->object,
                  search->path);
    return false;
}

/* Whether the mesh or a transform above it has more than one sample. */
static bool find_motion(TlSceneSurface *surface) {
    for (abcc_obj obj = surface->object; obj > 0;) {
        abcc_object object = abcc_object_default();
        if (abcc_object_get(surface->archive, obj, &object, NULL) != ABCC_OK)
            return false;
        if (object.samples > 1)
            return true;
        obj = object.parent;
    }
    return false;
}

/* "file:/object" with the path that the mesh has in the file */
static bool name_file(Search *search, const abcc_object *object) {
    size_t length = strlen(search->path) + strlen(object->path) + 2;
    search->surface->file = malloc(length);
    if (search->surface->file)
        snprintf(search->surface->file, length, "%s:%s", search->path, object->path);
    else
        tl_report_out_of_memory(search->reader->report);
    return search->surface->file != NULL;
}

static bool check_object(Search *search, abcc_mesh_sizes *sizes) {
    abcc_error error = {0};
    abcc_object object = abcc_object_default();
    TlSceneSurface *surface = search->surface;
    abcc_status status = abcc_object_get(surface->archive, surface->object, &object, &error);
    if (status == ABCC_OK && object.samples > 0)
        status = abcc_mesh_size(surface->archive, surface->object, 0, sizes, &error);
    if (status != ABCC_OK)
        return complain(search, status, &error);
    if (!name_file(search, &object))
        return false;
    if (object.samples > 0 && sizes->topology == ABCC_TOPO_CHANGING) {
        tl_keys_unavailable(search->keys, "mesh", search->value,
                            "colliders whose faces change from sample to sample are",
                            "export a mesh that only moves");
        return false;
    }
    if (sizes->verts == 0 || sizes->faces == 0 || sizes->corners > INT32_MAX / 3 ||
        sizes->verts > INT32_MAX / 3) {
        tl_keys_error(search->keys, "mesh", search->value, TOILE_STATUS_INVALID_DATA,
                      "%.300s has %u vertices and %u faces; a collider needs at least one face, "
                      "and at most %d corners",
                      surface->file, (unsigned)sizes->verts, (unsigned)sizes->faces, INT32_MAX / 3);
        return false;
    }
    if (object.kind == ABCC_SUBD)
        tl_keys_warning(search->keys, "mesh", search->value,
                        "%.300s is a subdivision surface; cloth meets its cage, not the smooth "
                        "surface",
                        surface->file);
    return true;
}

/* ---- samples ---- */

static ToileStatus pass_on(const TlSceneSurface *surface, abcc_status status,
                           const abcc_error *from, ToileError *error) {
    if (status == ABCC_OK)
        return TOILE_STATUS_OK;
    return tl_io_fail(error, status_of(status), "%.200s: %s", surface->file, from->text);
}

/* Two samples around a time, and the weight of the later one. */
typedef struct Samples {
    float *before, *after;
    double weight;
} Samples;

static ToileStatus read_samples(const TlSceneSurface *surface, double seconds, Samples *samples,
                                ToileError *error) {
    abcc_error abc = {0};
    uint32_t before = 0, after = 0;
    abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
    abcc_mesh_out out = abcc_mesh_out_default();
    abcc_status status = abcc_sample_at(surface->archive, surface->object, seconds, &before, &after,
                                        &samples->weight, &abc);
    if (status == ABCC_OK)
        status = abcc_mesh_size(surface->archive, surface->object, before, &sizes, &abc);
    if (status == ABCC_OK && sizes.verts != (uint32_t)surface->mesh.vertex_count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "%.200s has %u vertices in one sample and %d in another; a collider's "
                          "must stay the same",
                          surface->file, (unsigned)sizes.verts, surface->mesh.vertex_count);
    out.cap_verts = (uint32_t)surface->mesh.vertex_count;
    out.P = samples->before;
    if (status == ABCC_OK)
        status = abcc_mesh_read(surface->archive, surface->object, before, &out, &abc);
    out.P = samples->after;
    if (status == ABCC_OK && samples->weight > 0)
        status = abcc_mesh_read(surface->archive, surface->object, after, &out, &abc);
    return pass_on(surface, status, &abc, error);
}

/* Puts the samples together, into the world and into the scene's units and axes. */
static ToileStatus place_points(const TlSceneSurface *surface, const Samples *samples,
                                const double m[16], double *positions_m, ToileError *error) {
    for (size_t i = 0; i < (size_t)surface->mesh.vertex_count; i++) {
        double p[3], world[3];
        for (size_t k = 0; k < 3; k++) {
            p[k] = (double)samples->before[3 * i + k];
            if (samples->weight > 0)
                p[k] = (1 - samples->weight) * p[k] +
                       samples->weight * (double)samples->after[3 * i + k];
        }
        for (size_t k = 0; k < 3; k++) {
            world[k] =
                surface->unit_m * (p[0] * m[k] + p[1] * m[4 + k] + p[2] * m[8 + k] + m[12 + k]);
            if (!(fabs(world[k]) <= COORDINATE_MAX_M))
                return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                                  "%.200s: vertex %zu is not a finite number or beyond 1e9 m",
                                  surface->file, i);
        }
        /* (x, y, z) -> (x, z, -y) took it from z up to the archive's Y up */
        positions_m[3 * i] = world[0];
        positions_m[3 * i + 1] = surface->z_up ? -world[2] : world[1];
        positions_m[3 * i + 2] = surface->z_up ? world[1] : world[2];
    }
    return TOILE_STATUS_OK;
}

ToileStatus tl_scene_archive_positions(const TlSceneSurface *surface, const char *name,
                                       double frame, double *positions_m, ToileError *error) {
    size_t count = 3 * (size_t)surface->mesh.vertex_count;
    double seconds = frame / surface->fps, m[16];
    abcc_error abc = {0};
    Samples samples = {malloc(count * sizeof(float)), malloc(count * sizeof(float)), 0.0};
    ToileStatus status = TOILE_STATUS_OUT_OF_MEMORY;
    (void)name;
    if (samples.before && samples.after)
        status = read_samples(surface, seconds, &samples, error);
    else
        tl_io_out_of_memory(error);
    if (status == TOILE_STATUS_OK)
        status = pass_on(
            surface, abcc_world(surface->archive, surface->object, seconds, m, NULL, NULL, &abc),
            &abc, error);
    if (status == TOILE_STATUS_OK)
        status = place_points(surface, &samples, m, positions_m, error);
    free(samples.before);
    free(samples.after);
    return status;
}

static bool read_first(Search *search, const abcc_mesh_sizes *sizes) {
    abcc_error abc = {0};
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    TlSceneSurface *surface = search->surface;
    ToileMeshDef *mesh = &surface->mesh;
    toile_mesh_def_init(mesh, (uint32_t)sizeof *mesh);
    mesh->vertex_count = (int32_t)sizes->verts;
    mesh->face_count = (int32_t)sizes->faces;
    mesh->corner_count = (int32_t)sizes->corners;
    mesh->positions_m = surface->positions_m =
        malloc(3 * (size_t)sizes->verts * sizeof *surface->positions_m);
    mesh->face_sizes = surface->face_sizes =
        malloc((size_t)sizes->faces * sizeof *surface->face_sizes);
    mesh->corners = surface->corners =
        malloc(((size_t)sizes->corners + 1) * sizeof *surface->corners);
    if (!surface->positions_m || !surface->face_sizes || !surface->corners) {
        tl_report_out_of_memory(search->reader->report);
        return false;
    }
    abcc_mesh_out out = abcc_mesh_out_default();
    out.cap_faces = sizes->faces;
    out.cap_corners = sizes->corners;
    out.face_count = surface->face_sizes;
    out.index = surface->corners;
    abcc_status status = abcc_mesh_read(surface->archive, surface->object, 0, &out, &abc);
    if (status != ABCC_OK)
        return complain(search, status, &abc);
    double frame = search->reader->scene->sim.start_frame;
    ToileStatus read = tl_scene_archive_positions(surface, "", frame, surface->positions_m, &error);
    if (read != TOILE_STATUS_OK)
        tl_keys_error(search->keys, "mesh", search->value, read, "%s", error.message);
    return read == TOILE_STATUS_OK;
}

bool tl_scene_open_archive(TlSceneReader *reader, const TlKeys *keys, const TlJson *value,
                           TlSceneSurface *surface) {
    Search search = {.reader = reader, .keys = keys, .value = value, .surface = surface};
    abcc_error error = {0};
    abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
    bool fine = find_file(&search);
    if (fine) {
        abcc_status status = abcc_open(search.path, 0, NULL, &surface->archive, &error);
        fine = status == ABCC_OK || complain(&search, status, &error);
    }
    fine = fine && find_object(&search) && check_object(&search, &sizes);
    surface->deforms = fine && find_motion(surface);
    fine = fine && read_first(&search, &sizes);
    free(search.path);
    return fine;
}
