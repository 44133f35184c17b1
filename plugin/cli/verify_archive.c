/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Reads archives for the checker. Positions are stored as float32 below a transform; they are put
 * into the world in double precision, and how far apart stored numbers are is told along. */
#include "verify_archive.h"

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOAT_SPACING (1.0 / 8388608.0) /* of float32 numbers, relative: 2^-23 */
/* Samples nearer than this part of a frame are of the same time. */
#define SAME_TIME 1e-3
/* Of all meshes together. Repeats are not stored, so that a small file may claim any number. */
#define MOST_SAMPLES (1 << 22)

static int out_of_memory(void) {
    tl_message("there is not enough memory.");
    return TL_EXIT_FAILURE;
}

/* ---- what the archive holds ---- */

/* metres a unit, as a Toile cache records it; else that of the world */
static double unit_of(const TlArchive *archive, abcc_obj obj, double unit_m) {
    uint32_t count = 0;
    if (abcc_param_count(archive->reader, obj, &count, NULL) != ABCC_OK)
        return unit_m;
    for (uint32_t i = 0; i < count; i++) {
        abcc_param param = abcc_param_default();
        double value = 0.0;
        if (abcc_param_get(archive->reader, obj, i, &param, NULL) == ABCC_OK &&
            strcmp(param.name, "unit_m") == 0 && param.type == ABCC_F64 && param.width == 1 &&
            abcc_param_read(archive->reader, obj, i, 0, &value, sizeof value, NULL, 0, NULL) ==
                ABCC_OK &&
            value > 0.0)
            return value;
    }
    return unit_m;
}

/* "skirt" of /skirt/skirtShape, "a/b" of /a/b; NULL: no memory */
static char *name_of(const char *path) {
    size_t length = strlen(path) - 1;
    char *name = calloc(length + 1, 1);
    if (!name)
        return NULL;
    memcpy(name, path + 1, length);
    char *shape = strrchr(name, '/');
    if (!shape)
        return name;
    *shape++ = '\0';
    const char *parent = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    size_t stem = strlen(parent);
    if (strncmp(shape, parent, stem) != 0 || strcmp(shape + stem, "Shape") != 0)
        shape[-1] = '/';
    return name;
}

static int find_meshes(TlArchive *archive, double unit_m) {
    uint32_t count = abcc_object_count(archive->reader);
    archive->meshes = calloc((size_t)count + 1, sizeof *archive->meshes);
    if (!archive->meshes)
        return out_of_memory();
    for (uint32_t obj = 1; obj < count; obj++) {
        abcc_error error = {0};
        abcc_object object = abcc_object_default();
        abcc_status status = abcc_object_get(archive->reader, obj, &object, &error);
        if (status != ABCC_OK)
            return tl_fail_archive(status, &error, archive->path);
        if ((object.kind != ABCC_MESH && object.kind != ABCC_SUBD) || object.samples == 0)
            continue;
        TlArchiveMesh *mesh = &archive->meshes[archive->mesh_count++];
        mesh->obj = obj;
        mesh->samples = object.samples;
        mesh->unit_m = unit_of(archive, obj, unit_m);
        mesh->name = name_of(object.path);
        if (!mesh->name)
            return out_of_memory();
    }
    if (archive->mesh_count > 0)
        return TL_EXIT_OK;
    tl_message("%s: the archive holds no mesh to check.", archive->path);
    return TL_EXIT_DATA;
}

/* ---- times ---- */

static int compare_times(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int add_times(TlArchive *archive, const TlArchiveMesh *mesh) {
    for (uint32_t i = 0; i < mesh->samples; i++) {
        abcc_error error = {0};
        abcc_status status = abcc_sample_time(archive->reader, mesh->obj, i,
                                              &archive->times_s[archive->time_count++], &error);
        if (status != ABCC_OK)
            return tl_fail_archive(status, &error, archive->path);
    }
    return TL_EXIT_OK;
}

/* the times of all that moves; of all, when nothing does */
static int find_times(TlArchive *archive) {
    size_t total = 0;
    archive->still = true;
    for (int32_t i = 0; i < archive->mesh_count; i++) {
        total += archive->meshes[i].samples;
        archive->still = archive->still && archive->meshes[i].samples < 2;
    }
    if (total > MOST_SAMPLES) {
        tl_message("%s: the meshes claim %zu samples; at most %d can be checked.", archive->path,
                   total, MOST_SAMPLES);
        return TL_EXIT_DATA;
    }
    archive->times_s = calloc(total + 1, sizeof *archive->times_s);
    if (!archive->times_s)
        return out_of_memory();
    for (int32_t i = 0; i < archive->mesh_count; i++) {
        if (archive->meshes[i].samples < 2 && !archive->still)
            continue;
        int code = add_times(archive, &archive->meshes[i]);
        if (code != TL_EXIT_OK)
            return code;
    }
    qsort(archive->times_s, (size_t)archive->time_count, sizeof *archive->times_s, compare_times);
    int32_t kept = 0;
    for (int32_t i = 1; i < archive->time_count; i++)
        if (archive->times_s[i] - archive->times_s[kept] > SAME_TIME / archive->fps)
            archive->times_s[++kept] = archive->times_s[i];
    archive->time_count = kept + 1;
    return TL_EXIT_OK;
}

int tl_archive_open(TlArchive *archive, const char *path, const TlArchiveWorld *world) {
    abcc_error error = {0};
    abcc_info info = abcc_info_default();
    archive->path = path;
    archive->z_up = world->z_up;
    abcc_status status = abcc_open(path, 0, NULL, &archive->reader, &error);
    if (status == ABCC_OK)
        status = abcc_info_get(archive->reader, &info, &error);
    if (status != ABCC_OK)
        return tl_fail_archive(status, &error, path);
    archive->fps = info.fps > 0.0 ? info.fps : world->fps;
    int code = find_meshes(archive, world->unit_m);
    return code == TL_EXIT_OK ? find_times(archive) : code;
}

static void free_arrays(TlArchiveMesh *mesh) {
    free(mesh->stored);
    free(mesh->next);
    free(mesh->x);
    free(mesh->face_sizes);
    free(mesh->corners);
}

void tl_archive_close(TlArchive *archive) {
    for (int32_t i = 0; i < archive->mesh_count; i++) {
        free_arrays(&archive->meshes[i]);
        free(archive->meshes[i].name);
    }
    free(archive->meshes);
    free(archive->times_s);
    abcc_close(archive->reader);
}

/* ---- reading ---- */

static bool make_room(TlArchiveMesh *mesh, const abcc_mesh_sizes *sizes) {
    size_t verts = sizes->verts, faces = sizes->faces, corners = sizes->corners;
    if (mesh->x && sizes->verts <= mesh->room_verts && sizes->faces <= mesh->room_faces &&
        sizes->corners <= mesh->room_corners)
        return true;
    free_arrays(mesh);
    mesh->room_verts = sizes->verts;
    mesh->room_faces = sizes->faces;
    mesh->room_corners = sizes->corners;
    mesh->stored = malloc((3 * verts + 1) * sizeof *mesh->stored);
    mesh->next = malloc((3 * verts + 1) * sizeof *mesh->next);
    mesh->x = malloc((3 * verts + 1) * sizeof *mesh->x);
    mesh->face_sizes = malloc((faces + 1) * sizeof *mesh->face_sizes);
    mesh->corners = malloc((corners + 1) * sizeof *mesh->corners);
    return mesh->stored && mesh->next && mesh->x && mesh->face_sizes && mesh->corners;
}

/* the faces and points of a sample, in the mesh's own space */
static abcc_status read_sample(const TlArchive *archive, TlArchiveMesh *mesh, uint32_t sample,
                               abcc_error *error) {
    abcc_mesh_out out = abcc_mesh_out_default();
    out.cap_verts = mesh->room_verts;
    out.cap_faces = mesh->room_faces;
    out.cap_corners = mesh->room_corners;
    out.P = mesh->stored;
    out.face_count = mesh->face_sizes;
    out.index = mesh->corners;
    abcc_status status = abcc_mesh_read(archive->reader, mesh->obj, sample, &out, error);
    for (size_t i = 0; status == ABCC_OK && i < 3 * (size_t)mesh->sizes.verts; i++)
        mesh->x[i] = (double)mesh->stored[i];
    return status;
}

/* moves the points towards a later sample with the same faces */
static abcc_status blend(const TlArchive *archive, TlArchiveMesh *mesh, uint32_t sample,
                         double weight, abcc_error *error) {
    abcc_mesh_out out = abcc_mesh_out_default();
    out.cap_verts = mesh->room_verts;
    out.P = mesh->next;
    abcc_status status = abcc_mesh_read(archive->reader, mesh->obj, sample, &out, error);
    for (size_t i = 0; status == ABCC_OK && i < 3 * (size_t)mesh->sizes.verts; i++)
        mesh->x[i] += weight * ((double)mesh->next[i] - mesh->x[i]);
    return status;
}

/* by how much stored numbers differ in the world, at the largest of them */
static double spacing_of(const TlArchiveMesh *mesh, const double m[16]) {
    double largest = 0.0, scale = 0.0;
    for (size_t i = 0; i < 3 * (size_t)mesh->sizes.verts; i++)
        largest = fabs(mesh->x[i]) > largest ? fabs(mesh->x[i]) : largest;
    for (int row = 0; row < 3; row++) {
        const double *r = m + (ptrdiff_t)4 * row;
        double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
        scale = length > scale ? length : scale;
    }
    return FLOAT_SPACING * largest * scale * mesh->unit_m;
}

static abcc_status to_world(const TlArchive *archive, TlArchiveMesh *mesh, double seconds,
                            abcc_error *error) {
    double m[16];
    abcc_status status = abcc_world(archive->reader, mesh->obj, seconds, m, NULL, NULL, error);
    if (status != ABCC_OK)
        return status;
    mesh->spacing_m = spacing_of(mesh, m);
    for (size_t i = 0; i < mesh->sizes.verts; i++) {
        double *x = mesh->x + 3 * i, w[3];
        for (int k = 0; k < 3; k++)
            w[k] = mesh->unit_m * (x[0] * m[k] + x[1] * m[4 + k] + x[2] * m[8 + k] + m[12 + k]);
        x[0] = w[0];
        x[1] = archive->z_up ? -w[2] : w[1];
        x[2] = archive->z_up ? w[1] : w[2];
    }
    return ABCC_OK;
}

static int read_mesh(const TlArchive *archive, TlArchiveMesh *mesh, double seconds) {
    abcc_error error = {0};
    uint32_t before = 0, after = 0;
    double weight = 0.0;
    mesh->sizes = abcc_mesh_sizes_default();
    abcc_status status =
        abcc_sample_at(archive->reader, mesh->obj, seconds, &before, &after, &weight, &error);
    if (status == ABCC_OK)
        status = abcc_mesh_size(archive->reader, mesh->obj, before, &mesh->sizes, &error);
    if (status != ABCC_OK)
        return tl_fail_archive(status, &error, archive->path);
    if (!make_room(mesh, &mesh->sizes))
        return out_of_memory();
    status = read_sample(archive, mesh, before, &error);
    if (status == ABCC_OK && weight > 0.0 && mesh->sizes.topology != ABCC_TOPO_CHANGING)
        status = blend(archive, mesh, after, weight, &error);
    if (status == ABCC_OK)
        status = to_world(archive, mesh, seconds, &error);
    return status == ABCC_OK ? TL_EXIT_OK : tl_fail_archive(status, &error, archive->path);
}

int tl_archive_read(TlArchive *archive, double seconds, TlCrossBody *bodies) {
    for (int32_t i = 0; i < archive->mesh_count; i++) {
        TlArchiveMesh *mesh = &archive->meshes[i];
        int code = read_mesh(archive, mesh, seconds);
        if (code != TL_EXIT_OK)
            return code;
        if (mesh->sizes.verts > INT32_MAX || mesh->sizes.faces > INT32_MAX) {
            tl_message("%s: '%s' is too large to be checked.", archive->path, mesh->name);
            return TL_EXIT_DATA;
        }
        bodies[i] = (TlCrossBody){.name = mesh->name,
                                  .x = mesh->x,
                                  .vertex_count = (int32_t)mesh->sizes.verts,
                                  .face_count = (int32_t)mesh->sizes.faces,
                                  .face_sizes = mesh->face_sizes,
                                  .corners = mesh->corners,
                                  .spacing_m = mesh->spacing_m};
    }
    return TL_EXIT_OK;
}
