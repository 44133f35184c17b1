/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes of a scene from archives, FILE.abc:/path: the mesh at the path, or the only one below it,
 * in the world of the archive. Units and axes become those of the scene; frame f is at f / fps
 * seconds. Between samples positions and transforms move evenly, unless the faces change there:
 * then the earlier sample stays until the later one. Faces of a mesh that its transforms mirror are
 * turned round, so that their outside stays outside. Visibility is passed over, since proxies for
 * collision are often hidden. */
#include "scene_types.h"

#include "obj_parse.h"
#include "platform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COORDINATE_MAX_M 1e9
#define NAMES_SHOWN 6
/* Samples that are looked at for the first with faces: a small file may claim millions. */
#define SAMPLES_SOUGHT 20000u

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

/* ---- finding the object ---- */

/* What the finding of an object shares. */
typedef struct Search {
    TlSceneReader *reader;
    const TlKeys *keys;
    const char *key;
    const TlJson *value;
    TlSceneArchive *archive;
    char *path;         /* of the file, resolved; for free() */
    const char *object; /* "/a/b", or "/" for the whole file */
} Search;

static bool complain(const Search *search, abcc_status status, const abcc_error *error) {
    if (status == ABCC_E_MEMORY)
        tl_report_out_of_memory(search->reader->report);
    else
        tl_keys_error(search->keys, search->key, search->value, status_of(status), "%.200s: %s",
                      search->path, error->text);
    return false;
}

bool tl_scene_names_archive(const char *text) {
    return tl_io_has_ending(text, ".abc") || strstr(text, ".abc:/") != NULL;
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
        tl_scene_cannot_read(search->keys, search->key, search->value, search->path, status,
                             &error);
    return status == TOILE_STATUS_OK;
}

static bool is_mesh(const abcc_object *object) {
    return object->kind == ABCC_MESH || object->kind == ABCC_SUBD;
}

static bool is_below(abcc_reader *reader, abcc_obj obj, abcc_obj top) {
    while (obj > top) {
        abcc_object object = abcc_object_default();
        if (abcc_object_get(reader, obj, &object, NULL) != ABCC_OK)
            return false;
        obj = object.parent;
    }
    return obj == top;
}

/* Finds the only mesh below `top`; several are listed in the complaint. */
static bool find_below(Search *search, abcc_obj top) {
    abcc_reader *reader = search->archive->reader;
    uint32_t count = abcc_object_count(reader);
    char names[512] = "";
    size_t used = 0;
    int32_t found = 0;
    for (abcc_obj obj = top + 1; obj < count && is_below(reader, obj, top); obj++) {
        abcc_object object = abcc_object_default();
        if (abcc_object_get(reader, obj, &object, NULL) != ABCC_OK || !is_mesh(&object))
            continue;
        if (found++ == 0)
            search->archive->object = obj;
        if (found <= NAMES_SHOWN && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.64s",
                                     found > 1 ? ", " : "", object.path);
    }
    if (found == 0)
        tl_keys_error(search->keys, search->key, search->value, TOILE_STATUS_INVALID_DATA,
                      "%.200s has no mesh at or below \"%.100s\"", search->path, search->object);
    if (found > 1)
        tl_keys_error(search->keys, search->key, search->value, TOILE_STATUS_INVALID_DATA,
                      "%.200s has %d meshes below \"%.100s\", and one is needed; name it: %s%s",
                      search->path, found, search->object, names,
                      found > NAMES_SHOWN ? ", ..." : "");
    return found == 1;
}

static bool find_object(Search *search) {
    abcc_error error = {0};
    abcc_object object = abcc_object_default();
    TlSceneArchive *archive = search->archive;
    abcc_obj obj = 0;
    abcc_status status = ABCC_OK;
    if (strcmp(search->object, "/") != 0)
        status = abcc_find(archive->reader, search->object, &obj, &error);
    if (status == ABCC_OK)
        status = abcc_object_get(archive->reader, obj, &object, &error);
    if (status != ABCC_OK)
        return complain(search, status, &error);
    archive->object = obj;
    if (is_mesh(&object))
        return true;
    if (obj == 0 || object.kind == ABCC_XFORM || object.kind == ABCC_OTHER)
        return find_below(search, obj);
    tl_keys_error(search->keys, search->key, search->value, TOILE_STATUS_INVALID_DATA,
                  "\"%.100s\" of %.200s is no mesh; a mesh is needed", search->object,
                  search->path);
    return false;
}

/* Learns what the object is and how it moves; its name becomes "file:/object". */
static bool describe_object(Search *search) {
    abcc_error error = {0};
    TlSceneArchive *archive = search->archive;
    abcc_object object = abcc_object_default();
    abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
    abcc_status status = abcc_object_get(archive->reader, archive->object, &object, &error);
    if (status == ABCC_OK && object.samples > 0)
        status = abcc_mesh_size(archive->reader, archive->object, 0, &sizes, &error);
    if (status != ABCC_OK)
        return complain(search, status, &error);
    size_t length = strlen(search->path) + strlen(object.path) + 2;
    archive->file = malloc(length);
    if (!archive->file) {
        tl_report_out_of_memory(search->reader->report);
        return false;
    }
    snprintf(archive->file, length, "%s:%s", search->path, object.path);
    archive->samples = object.samples;
    archive->is_cage = object.kind == ABCC_SUBD;
    archive->changes = object.samples > 0 && sizes.topology == ABCC_TOPO_CHANGING;
    for (abcc_obj obj = archive->object; obj > 0; obj = object.parent) {
        object = abcc_object_default();
        if (abcc_object_get(archive->reader, obj, &object, NULL) != ABCC_OK)
            break;
        archive->moves = archive->moves || (object.samples > 1 && !object.constant);
    }
    return true;
}

bool tl_scene_archive_open(TlSceneReader *reader, const TlKeys *keys, const char *key,
                           double unit_m, TlSceneArchive *archive) {
    Search search = {.reader = reader,
                     .keys = keys,
                     .key = key,
                     .value = tl_keys_get(keys, key, TL_KEY_PLAIN),
                     .archive = archive};
    abcc_error error = {0};
    *archive = (TlSceneArchive){
        .unit_m = unit_m, .fps = reader->scene->sim.fps, .z_up = reader->scene->up == TOILE_UP_Z};
    bool fine = find_file(&search);
    if (fine) {
        abcc_status status = abcc_open(search.path, 0, NULL, &archive->reader, &error);
        fine = status == ABCC_OK || complain(&search, status, &error);
    }
    fine = fine && find_object(&search) && describe_object(&search);
    free(search.path);
    if (!fine)
        tl_scene_archive_close(archive);
    return fine;
}

void tl_scene_archive_close(TlSceneArchive *archive) {
    abcc_close(archive->reader);
    free(archive->file);
    *archive = (TlSceneArchive){0};
}

/* ---- samples ---- */

static ToileStatus pass_on(const TlSceneArchive *archive, abcc_status status,
                           const abcc_error *from, ToileError *error) {
    if (status == ABCC_OK)
        return TOILE_STATUS_OK;
    /* a sentence about an object begins with its path, which need not be told twice */
    const char *end = strstr(archive->file, ".abc:/");
    int length = end && from->text[0] == '\'' ? (int)(end - archive->file) + 4 : 200;
    return tl_io_fail(error, status_of(status), "%.*s: %s", length, archive->file, from->text);
}

/* What an archive shows at a time: one sample, or two of the same faces and a weight. */
typedef struct Moment {
    uint32_t before, after;
    double weight; /* of the later one */
    double seconds;
    abcc_mesh_sizes sizes; /* of the earlier one */
} Moment;

static ToileStatus find_moment(const TlSceneArchive *archive, double frame, Moment *moment,
                               ToileError *error) {
    abcc_error abc = {0};
    abcc_mesh_sizes later = abcc_mesh_sizes_default();
    *moment = (Moment){.seconds = frame / archive->fps, .sizes = abcc_mesh_sizes_default()};
    if (archive->samples == 0)
        return TOILE_STATUS_OK;
    abcc_status status = abcc_sample_at(archive->reader, archive->object, moment->seconds,
                                        &moment->before, &moment->after, &moment->weight, &abc);
    if (status == ABCC_OK)
        status =
            abcc_mesh_size(archive->reader, archive->object, moment->before, &moment->sizes, &abc);
    if (status == ABCC_OK && archive->changes && moment->weight > 0) {
        status = abcc_mesh_size(archive->reader, archive->object, moment->after, &later, &abc);
        if (memcmp(later.topology_key, moment->sizes.topology_key, sizeof later.topology_key) != 0)
            moment->weight = 0;
    }
    if (status == ABCC_OK &&
        (moment->sizes.verts > INT32_MAX / 3 || moment->sizes.corners > INT32_MAX / 3))
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "%.200s has %u vertices and %u corners; %d are allowed", archive->file,
                          (unsigned)moment->sizes.verts, (unsigned)moment->sizes.corners,
                          INT32_MAX / 3);
    return pass_on(archive, status, &abc, error);
}

/* Puts a point into the world of the scene: its unit and its axes. */
static bool place_point(const TlSceneArchive *archive, const double m[16], const double p[3],
                        double out[3]) {
    double world[3];
    for (size_t k = 0; k < 3; k++) {
        world[k] = archive->unit_m * (p[0] * m[k] + p[1] * m[4 + k] + p[2] * m[8 + k] + m[12 + k]);
        if (!(fabs(world[k]) <= COORDINATE_MAX_M))
            return false;
    }
    /* (x, y, z) -> (x, z, -y) took it from z up to the archive's Y up */
    out[0] = world[0];
    out[1] = archive->z_up ? -world[2] : world[1];
    out[2] = archive->z_up ? world[1] : world[2];
    return true;
}

static ToileStatus place_points(const TlSceneArchive *archive, const Moment *moment,
                                const float *before, const float *after, double *positions_m,
                                ToileError *error) {
    abcc_error abc = {0};
    double m[16], w = moment->weight;
    abcc_status status =
        abcc_world(archive->reader, archive->object, moment->seconds, m, NULL, NULL, &abc);
    if (status != ABCC_OK)
        return pass_on(archive, status, &abc, error);
    for (size_t i = 0; i < moment->sizes.verts; i++) {
        double p[3];
        for (size_t k = 0; k < 3; k++)
            p[k] = w > 0 ? (1 - w) * (double)before[3 * i + k] + w * (double)after[3 * i + k]
                         : (double)before[3 * i + k];
        if (!place_point(archive, m, p, positions_m + 3 * i))
            return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                              "%.200s: vertex %zu is not a finite number or beyond 1e9 m",
                              archive->file, i);
    }
    return TOILE_STATUS_OK;
}

static ToileStatus read_points(const TlSceneArchive *archive, const Moment *moment,
                               double *positions_m, ToileError *error) {
    abcc_error abc = {0};
    size_t count = 3 * (size_t)moment->sizes.verts;
    float *before = malloc((count + 1) * sizeof *before);
    float *after = malloc((count + 1) * sizeof *after);
    abcc_mesh_out out = abcc_mesh_out_default();
    abcc_status status = ABCC_OK;
    out.cap_verts = moment->sizes.verts;
    if (!before || !after) {
        free(before);
        free(after);
        return tl_io_out_of_memory(error);
    }
    out.P = before;
    status = abcc_mesh_read(archive->reader, archive->object, moment->before, &out, &abc);
    out.P = after;
    if (status == ABCC_OK && moment->weight > 0)
        status = abcc_mesh_read(archive->reader, archive->object, moment->after, &out, &abc);
    ToileStatus result = status == ABCC_OK
                             ? place_points(archive, moment, before, after, positions_m, error)
                             : pass_on(archive, status, &abc, error);
    free(before);
    free(after);
    return result;
}

ToileStatus tl_scene_archive_positions(const TlSceneArchive *archive, double frame,
                                       int32_t vertex_count, double *positions_m,
                                       ToileError *error) {
    Moment moment;
    ToileStatus status = find_moment(archive, frame, &moment, error);
    if (status == TOILE_STATUS_OK && moment.sizes.verts != (uint32_t)vertex_count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "%.200s has %u vertices at frame %g, but %d were expected; its vertices "
                          "must stay the same",
                          archive->file, (unsigned)moment.sizes.verts, frame, (int)vertex_count);
    return status == TOILE_STATUS_OK ? read_points(archive, &moment, positions_m, error) : status;
}

ToileStatus tl_scene_archive_faces(const TlSceneArchive *archive, double frame, uint8_t key[16],
                                   int32_t *vertex_count, int32_t *face_count, ToileError *error) {
    Moment moment;
    ToileStatus status = find_moment(archive, frame, &moment, error);
    memcpy(key, moment.sizes.topology_key, 16);
    *vertex_count = status == TOILE_STATUS_OK ? (int32_t)moment.sizes.verts : 0;
    *face_count = status == TOILE_STATUS_OK ? (int32_t)moment.sizes.faces : 0;
    return status;
}

ToileStatus tl_scene_archive_appears(const TlSceneArchive *archive, double *frame,
                                     ToileError *error) {
    abcc_error abc = {0};
    Moment moment;
    ToileStatus status = find_moment(archive, *frame, &moment, error);
    abcc_mesh_sizes sizes = moment.sizes;
    if (status != TOILE_STATUS_OK || (sizes.verts > 0 && sizes.faces > 0))
        return status;
    for (uint32_t i = 1; i <= SAMPLES_SOUGHT && i < archive->samples - moment.before; i++) {
        double seconds = 0;
        uint32_t sample = moment.before + i;
        abcc_status found = abcc_mesh_size(archive->reader, archive->object, sample, &sizes, &abc);
        if (found == ABCC_OK && (sizes.verts == 0 || sizes.faces == 0))
            continue;
        if (found == ABCC_OK)
            found = abcc_sample_time(archive->reader, archive->object, sample, &seconds, &abc);
        *frame = seconds * archive->fps;
        return pass_on(archive, found, &abc, error);
    }
    return TOILE_STATUS_OK;
}

/* ---- whole meshes ---- */

/* A mesh being read; its arrays are copied in the end. */
typedef struct Draft {
    TlIoArena arena;
    ToileMeshDef mesh;
    double *positions_m;
    int32_t *face_sizes, *corners, *corner_uvs;
    TlObjGroup *groups;
    int32_t group_count;
} Draft;

static bool make_draft(Draft *draft, const abcc_mesh_sizes *sizes) {
    ToileMeshDef *mesh = &draft->mesh;
    toile_mesh_def_init(mesh, (uint32_t)sizeof *mesh);
    mesh->vertex_count = (int32_t)sizes->verts;
    mesh->face_count = (int32_t)sizes->faces;
    mesh->corner_count = (int32_t)sizes->corners;
    mesh->positions_m = draft->positions_m =
        tl_io_arena_array(&draft->arena, 3 * (size_t)sizes->verts + 1, sizeof(double));
    mesh->face_sizes = draft->face_sizes =
        tl_io_arena_array(&draft->arena, (size_t)sizes->faces + 1, sizeof(int32_t));
    mesh->corners = draft->corners =
        tl_io_arena_array(&draft->arena, (size_t)sizes->corners + 1, sizeof(int32_t));
    return mesh->positions_m && mesh->face_sizes && mesh->corners;
}

/* Reads the uv set of a name, or the main one, into `mesh`; *corner_uvs gets its indices. */
static ToileStatus read_uvs(const TlSceneArchive *archive, const Moment *moment, const char *name,
                            TlIoArena *arena, ToileMeshDef *mesh, int32_t **corner_uvs,
                            ToileError *error) {
    abcc_error abc = {0};
    uint32_t count = 0, set = 0, values = 0, corners = moment->sizes.corners;
    abcc_status status = abcc_uv_count(archive->reader, archive->object, &count, &abc);
    if (status == ABCC_OK && name)
        status = abcc_uv_find(archive->reader, archive->object, name, &set, &abc);
    if (status == ABCC_OK && count > 0)
        status = abcc_uv_size(archive->reader, archive->object, set, moment->before, &values, &abc);
    if (status != ABCC_OK || values == 0)
        return pass_on(archive, status, &abc, error);
    float *uv = tl_io_arena_array(arena, 2 * (size_t)values, sizeof *uv);
    double *uvs = tl_io_arena_array(arena, 2 * (size_t)values, sizeof *uvs);
    *corner_uvs = tl_io_arena_array(arena, (size_t)corners + 1, sizeof **corner_uvs);
    if (!uv || !uvs || !*corner_uvs)
        return tl_io_out_of_memory(error);
    /* indices were checked against the number of values, so that they fit a signed number */
    status = abcc_uv_read(archive->reader, archive->object, set, moment->before, uv, values,
                          (uint32_t *)*corner_uvs, corners, &abc);
    for (size_t i = 0; i < 2 * (size_t)values; i++)
        uvs[i] = (double)uv[i];
    mesh->uv_count = (int32_t)values;
    mesh->uvs = uvs;
    mesh->corner_uvs = *corner_uvs;
    return pass_on(archive, status, &abc, error);
}

/* Reverses each face of what is stored by corner. */
static void turn(const ToileMeshDef *mesh, int32_t *values) {
    for (int32_t f = 0; values && f < mesh->face_count; f++) {
        int32_t size = mesh->face_sizes[f];
        for (int32_t i = 0, j = size - 1; i < j; i++, j--) {
            int32_t kept = values[i];
            values[i] = values[j];
            values[j] = kept;
        }
        values += size;
    }
}

ToileStatus tl_scene_archive_main_uvs(const TlSceneArchive *archive, double frame, TlIoArena *arena,
                                      ToileMeshDef *mesh, ToileError *error) {
    Moment moment;
    abcc_uv_set set = abcc_uv_set_default();
    int32_t *corner_uvs = NULL;
    mesh->uv_count = 0;
    if (abcc_uv_get(archive->reader, archive->object, 0, &set, NULL) != ABCC_OK || !set.main)
        return TOILE_STATUS_OK;
    ToileStatus status = find_moment(archive, frame, &moment, error);
    if (status == TOILE_STATUS_OK)
        status = read_uvs(archive, &moment, NULL, arena, mesh, &corner_uvs, error);
    if (status == TOILE_STATUS_OK && archive->turned)
        turn(mesh, corner_uvs);
    return status;
}

const char *tl_scene_archive_uv_name(const TlSceneArchive *archive, const char *uv_set) {
    abcc_uv_set set = abcc_uv_set_default();
    if (uv_set || !archive->reader)
        return uv_set;
    return abcc_uv_get(archive->reader, archive->object, 0, &set, NULL) == ABCC_OK ? set.name
                                                                                   : NULL;
}

/* Reads one face set as a group. */
static ToileStatus read_group(const TlSceneArchive *archive, const Moment *moment, abcc_obj obj,
                              const abcc_object *object, Draft *draft, ToileError *error) {
    abcc_error abc = {0};
    uint32_t before = 0, after = 0, count = 0;
    double weight = 0;
    TlObjGroup *group = &draft->groups[draft->group_count];
    abcc_status status =
        abcc_sample_at(archive->reader, obj, moment->seconds, &before, &after, &weight, &abc);
    if (status == ABCC_OK)
        status = abcc_faceset_size(archive->reader, obj, before, &count, &abc);
    if (status != ABCC_OK)
        return pass_on(archive, status, &abc, error);
    int32_t *faces = tl_io_arena_array(&draft->arena, (size_t)count + 1, sizeof *faces);
    if (!faces)
        return tl_io_out_of_memory(error);
    status =
        abcc_faceset_read(archive->reader, obj, before, moment->sizes.faces, faces, count, &abc);
    *group = (TlObjGroup){object->name, faces, (int32_t)count};
    draft->group_count++;
    return pass_on(archive, status, &abc, error);
}

/* Reads the face sets below the mesh. */
static ToileStatus read_groups(const TlSceneArchive *archive, const Moment *moment, Draft *draft,
                               ToileError *error) {
    uint32_t most = abcc_object_count(archive->reader), held = 0;
    for (int32_t pass = 0; pass < 2; pass++) {
        for (abcc_obj obj = archive->object + 1; obj < most; obj++) {
            abcc_object object = abcc_object_default();
            if (abcc_object_get(archive->reader, obj, &object, NULL) != ABCC_OK ||
                object.parent < archive->object)
                break;
            if (object.parent != archive->object || object.kind != ABCC_FACESET ||
                object.samples == 0)
                continue;
            held += pass == 0;
            ToileStatus status = TOILE_STATUS_OK;
            if (pass == 1)
                status = read_group(archive, moment, obj, &object, draft, error);
            if (status != TOILE_STATUS_OK)
                return status;
        }
        if (pass == 0)
            draft->groups =
                tl_io_arena_array(&draft->arena, (size_t)held + 1, sizeof *draft->groups);
        if (!draft->groups)
            return tl_io_out_of_memory(error);
    }
    return TOILE_STATUS_OK;
}

/* Turns the faces round where the transforms mirror the mesh. */
static ToileStatus turn_faces(TlSceneArchive *archive, const Moment *moment, Draft *draft,
                              ToileError *error) {
    abcc_error abc = {0};
    double m[16];
    int mirrored = 0;
    abcc_status status =
        abcc_world(archive->reader, archive->object, moment->seconds, m, NULL, &mirrored, &abc);
    archive->turned = mirrored != 0;
    if (archive->turned && status == ABCC_OK) {
        turn(&draft->mesh, draft->corners);
        turn(&draft->mesh, draft->corner_uvs);
    }
    return pass_on(archive, status, &abc, error);
}

static ToileStatus read_faces(const TlSceneArchive *archive, const Moment *moment, Draft *draft,
                              ToileError *error) {
    abcc_error abc = {0};
    abcc_mesh_out out = abcc_mesh_out_default();
    out.cap_faces = moment->sizes.faces;
    out.cap_corners = moment->sizes.corners;
    out.face_count = draft->face_sizes;
    out.index = draft->corners;
    return pass_on(archive,
                   abcc_mesh_read(archive->reader, archive->object, moment->before, &out, &abc),
                   &abc, error);
}

ToileStatus tl_scene_archive_mesh(TlSceneArchive *archive, double frame, const char *uv_set,
                                  ToileObj **out, ToileError *error) {
    Moment moment;
    Draft draft = {0};
    *out = NULL;
    ToileStatus status = find_moment(archive, frame, &moment, error);
    if (status != TOILE_STATUS_OK)
        return status;
    if (moment.sizes.verts == 0 || moment.sizes.faces == 0)
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "%.300s has %u vertices and %u faces at frame %g; a mesh with at least "
                          "one face is needed",
                          archive->file, (unsigned)moment.sizes.verts, (unsigned)moment.sizes.faces,
                          frame);
    if (!make_draft(&draft, &moment.sizes))
        status = tl_io_out_of_memory(error);
    if (status == TOILE_STATUS_OK)
        status = read_faces(archive, &moment, &draft, error);
    if (status == TOILE_STATUS_OK)
        status = read_points(archive, &moment, draft.positions_m, error);
    if (status == TOILE_STATUS_OK)
        status =
            read_uvs(archive, &moment, uv_set, &draft.arena, &draft.mesh, &draft.corner_uvs, error);
    if (status == TOILE_STATUS_OK)
        status = read_groups(archive, &moment, &draft, error);
    if (status == TOILE_STATUS_OK)
        status = turn_faces(archive, &moment, &draft, error);
    if (status == TOILE_STATUS_OK) {
        *out = tl_obj_make(&draft.mesh, draft.groups, draft.group_count);
        status = *out ? TOILE_STATUS_OK : tl_io_out_of_memory(error);
    }
    tl_io_arena_free(&draft.arena);
    return status;
}
