/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Cloths of a scene: names, meshes and their defects, pattern and fabric. Pins stand in
 * scene_pins.c. */
#include "number.h"
#include "scene_types.h"

#include "obj_parse.h"
#include "platform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (int32_t)(sizeof(array) / sizeof((array)[0]))
#define SAME_KIND_MAX 10 /* findings of one kind that are listed for one mesh */
#define ISSUES_MAX 4096
#define LARGE_M 50.0
#define SMALL_M 0.01
#define PATTERN_FACTOR 1.5 /* between the areas of pattern and mesh, beyond which it is odd */

/* ---- files ---- */

ToileObj *tl_scene_read_mesh(TlSceneReader *reader, const TlKeys *keys, const char *key,
                             double unit_m, bool need_faces, char **resolved) {
    const char *text = NULL;
    size_t size = 0;
    *resolved = NULL;
    tl_keys_string(keys, key, TL_KEY_NULLABLE, &text);
    if (!text)
        return NULL;
    const TlJson *value = tl_keys_get(keys, key, TL_KEY_PLAIN);
    if (!tl_io_has_ending(text, ".obj")) {
        tl_keys_error(keys, key, value, TOILE_STATUS_INVALID_DATA,
                      "\"%.200s\" is not the name of a mesh; it must end in .obj, or be "
                      "FILE.abc:/path",
                      text);
        return NULL;
    }
    char *content =
        tl_scene_read_input(reader, keys, key, value, TL_OBJ_MAX_BYTES, resolved, &size);
    if (!content)
        return NULL;
    ToileObj *obj = tl_obj_parse(content, size, *resolved, unit_m, need_faces, reader->report);
    free(content);
    return obj;
}

/* Reads a mesh of an archive at the first frame; *archive stays open for the caller to close. */
static ToileObj *read_archive(TlSceneReader *reader, const TlKeys *keys, const char *key,
                              double unit_m, const char *uv_set, TlSceneArchive *archive) {
    const TlJson *value = tl_keys_get(keys, key, TL_KEY_PLAIN);
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    ToileObj *obj = NULL;
    if (!tl_scene_archive_open(reader, keys, key, unit_m, archive))
        return NULL;
    if (archive->changes) {
        tl_keys_error(keys, key, value, TOILE_STATUS_INVALID_DATA,
                      "the faces of %.300s change from sample to sample; cloth needs a mesh whose "
                      "faces stay the same",
                      archive->file);
        return NULL;
    }
    ToileStatus status =
        tl_scene_archive_mesh(archive, reader->scene->sim.start_frame, uv_set, &obj, &error);
    if (status == TOILE_STATUS_OUT_OF_MEMORY)
        tl_report_out_of_memory(reader->report);
    else if (status != TOILE_STATUS_OK)
        tl_keys_error(keys, key, value, status, "%s", error.message);
    return obj;
}

/* Reads the mesh of a cloth, or another pose of it, from any kind of file. `archive` is opened when
 * it is in one. */
static ToileObj *read_any_mesh(TlSceneReader *reader, const TlKeys *keys, const char *key,
                               const TlSceneCloth *cloth, bool need_faces, TlSceneArchive *archive,
                               char **resolved) {
    const TlJson *value = tl_keys_get(keys, key, TL_KEY_NULLABLE);
    *resolved = NULL;
    if (!value || value->kind != TL_JSON_STRING || !tl_scene_names_archive(value->string))
        return tl_scene_read_mesh(reader, keys, key, cloth->unit_m, need_faces, resolved);
    ToileObj *obj = read_archive(reader, keys, key, cloth->unit_m, cloth->uv_set, archive);
    if (archive->file)
        *resolved = tl_io_path_beside("", archive->file);
    if (!obj || *resolved)
        return obj;
    tl_report_out_of_memory(reader->report);
    toile_obj_free(obj);
    return NULL;
}

bool tl_scene_same_faces(const ToileMeshDef *a, const ToileMeshDef *b) {
    if (a->face_count == 0 || b->face_count == 0)
        return true;
    return a->face_count == b->face_count && a->corner_count == b->corner_count &&
           memcmp(a->face_sizes, b->face_sizes, sizeof *a->face_sizes * (size_t)a->face_count) ==
               0 &&
           memcmp(a->corners, b->corners, sizeof *a->corners * (size_t)a->corner_count) == 0;
}

/* Reads another pose of the cloth's mesh; NULL when there is none or it does not fit. */
static ToileObj *read_pose(TlSceneReader *reader, const TlKeys *keys, const char *key,
                           const TlSceneCloth *cloth) {
    char *resolved = NULL;
    TlSceneArchive archive = {0};
    ToileObj *obj = read_any_mesh(reader, keys, key, cloth, false, &archive, &resolved);
    tl_scene_archive_close(&archive);
    if (obj && cloth->mesh && obj->mesh.vertex_count != cloth->mesh->mesh.vertex_count) {
        tl_keys_error(keys, key, tl_keys_get(keys, key, TL_KEY_PLAIN), TOILE_STATUS_INVALID_DATA,
                      "%.200s has %d vertices, but the mesh %.200s has %d; they must be the same "
                      "vertices in the same order",
                      resolved, obj->mesh.vertex_count, cloth->mesh_file,
                      cloth->mesh->mesh.vertex_count);
        toile_obj_free(obj);
        obj = NULL;
    }
    if (obj && cloth->mesh && !tl_scene_same_faces(&obj->mesh, &cloth->mesh->mesh)) {
        tl_keys_error(keys, key, tl_keys_get(keys, key, TL_KEY_PLAIN), TOILE_STATUS_INVALID_DATA,
                      "the faces of %.200s are not those of the mesh %.200s; export it from the "
                      "same mesh, or without faces",
                      resolved, cloth->mesh_file);
        toile_obj_free(obj);
        obj = NULL;
    }
    free(resolved);
    return obj;
}

/* ---- defects ---- */

static TlIoPlace issue_place(const TlSceneCloth *cloth, const ToileMeshIssue *issue) {
    TlIoPlace place = {cloth->mesh_file, 0, 0};
    const ToileMeshDef *mesh = &cloth->mesh->mesh;
    if (issue->face >= 0 && issue->face < mesh->face_count)
        place.line = cloth->mesh->face_lines[issue->face];
    else if (issue->vertex >= 0 && issue->vertex < mesh->vertex_count)
        place.line = cloth->mesh->vertex_lines[issue->vertex];
    return place;
}

/* Lists the issues, at most SAME_KIND_MAX of a kind and one of a kind for a face (a quad is checked
 * as two triangles), and answers how many were left out. */
static int32_t list_issues(TlSceneReader *reader, const TlSceneCloth *cloth,
                           const ToileMeshIssue *issues, int32_t count) {
    int32_t of_kind[16] = {0};
    int32_t last_face[16] = {0}; /* the face of the last issue of each kind */
    int32_t left_out = 0;
    const ToileMeshDef *mesh = &cloth->mesh->mesh;
    for (int32_t i = 0; i < count; i++) {
        const ToileMeshIssue *issue = &issues[i];
        int32_t kind = issue->kind >= 0 && issue->kind < 16 ? issue->kind : 0;
        bool again = of_kind[kind] > 0 && issue->face >= 0 && issue->face == last_face[kind] &&
                     (issue->kind == TOILE_MESH_ZERO_AREA || issue->kind == TOILE_MESH_SLIVER ||
                      issue->kind == TOILE_MESH_ZERO_UV_AREA);
        last_face[kind] = issue->face;
        if (again)
            continue;
        if (of_kind[kind]++ >= SAME_KIND_MAX) {
            left_out++;
            continue;
        }
        TlIoPlace place = issue_place(cloth, issue);
        bool wide = issue->kind == TOILE_MESH_NGON && mesh->face_sizes[issue->face] > 4;
        if (issue->is_error)
            tl_report_error(
                reader->report, TOILE_STATUS_INVALID_DATA, place, "%s%s", issue->message,
                wide ? ", or let \"subdivide\": {\"simulate\": 1} make quads of it" : "");
        else
            tl_report_warning(reader->report, place, "%s", issue->message);
    }
    return left_out;
}

static void warn_about_size(TlSceneReader *reader, const TlSceneCloth *cloth) {
    const ToileMeshDef *mesh = &cloth->mesh->mesh;
    double largest = 0;
    for (int32_t k = 0; k < 3; k++) {
        double low = HUGE_VAL;
        double high = -HUGE_VAL;
        for (size_t i = 0; i < (size_t)mesh->vertex_count; i++) {
            double x = mesh->positions_m[3 * i + (size_t)k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        largest = high - low > largest ? high - low : largest;
    }
    if (largest <= LARGE_M && largest >= SMALL_M)
        return;
    char size[TL_NUMBER_SIZE];
    tl_number_format(largest, 3, size);
    tl_report_warning(reader->report, (TlIoPlace){cloth->mesh_file, 0, 0},
                      "the cloth \"%s\" is %s m across; if that is not meant, set unit_m (0.01 for "
                      "centimetres)",
                      cloth->name, size);
}

/* A rest shape without area has no meaning, whatever the mesh itself looks like. */
static void check_rest(const TlKeys *keys, const TlSceneCloth *cloth) {
    ToileMeshDef mesh = cloth->mesh->mesh;
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    int32_t count = 0;
    if (!cloth->rest)
        return;
    mesh.positions_m = cloth->rest->mesh.positions_m;
    ToileStatus status = toile_mesh_check(&mesh, false, NULL, 0, &count, &error);
    if (status != TOILE_STATUS_OK)
        tl_keys_error(keys, "rest", tl_keys_get(keys, "rest", TL_KEY_PLAIN), status,
                      "the rest shape cannot be used: %s", error.message);
}

static void check_pattern(TlSceneReader *reader, const TlKeys *keys, const TlSceneCloth *cloth) {
    const ToileObj *obj = cloth->mesh;
    const TlJson *value = tl_keys_get(keys, "pattern", TL_KEY_PLAIN);
    bool unused = cloth->pattern == TOILE_PATTERN_NONE;
    if (obj->mesh.uv_count > 0 || (unused && obj->bare_face < 0))
        return;
    /* of a mesh that is refused anyway, the refusal is all there is to say */
    if (unused && reader->report->error_count > 0)
        return;
    if (unused)
        tl_report_warning(reader->report,
                          (TlIoPlace){cloth->mesh_file, obj->face_lines[obj->bare_face], 0},
                          "face %d (counted from 0) has corners without texture coordinates, so "
                          "those of the other faces are not used or written: unwrap the whole mesh",
                          obj->bare_face);
    else if (obj->bare_face >= 0)
        tl_report_error(
            reader->report, TOILE_STATUS_INVALID_DATA,
            (TlIoPlace){cloth->mesh_file, obj->face_lines[obj->bare_face], 0},
            "face %d (counted from 0) has corners without texture coordinates, but the "
            "pattern of the cloth \"%s\" needs them on all faces: unwrap the whole mesh",
            obj->bare_face, cloth->name);
    else
        tl_keys_error(keys, "pattern", value, TOILE_STATUS_INVALID_DATA,
                      "the pattern needs texture coordinates, but %s has none; unwrap the mesh or "
                      "use \"none\"",
                      cloth->mesh_file);
}

void tl_scene_add_area(const double *positions, const int32_t *corners, int32_t size,
                       double area2[3]) {
    const double *o = positions + 3 * (size_t)corners[0];
    for (int32_t c = 1; c + 1 < size; c++) {
        const double *p = positions + 3 * (size_t)corners[c];
        const double *q = positions + 3 * (size_t)corners[c + 1];
        for (int32_t k = 0; k < 3; k++) {
            int32_t i = (k + 1) % 3, j = (k + 2) % 3;
            area2[k] += (p[i] - o[i]) * (q[j] - o[j]) - (p[j] - o[j]) * (q[i] - o[i]);
        }
    }
}

/* Twice the area in uv, below 0 where the face is mirrored. */
static double uv_area2(const double *uvs, const int32_t *corners, int32_t size) {
    const double *o = uvs + 2 * (size_t)corners[0];
    double area2 = 0;
    for (int32_t c = 1; c + 1 < size; c++) {
        const double *p = uvs + 2 * (size_t)corners[c];
        const double *q = uvs + 2 * (size_t)corners[c + 1];
        area2 += (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
    }
    return area2;
}

/* What the pattern looks like against the mesh. */
typedef struct PatternSizes {
    double mesh_m2;
    double pattern_m2;
    int32_t turned[2];       /* faces as they are, and mirrored, in uv */
    int32_t first_turned[2]; /* the first of each */
} PatternSizes;

static PatternSizes measure_pattern(const TlSceneCloth *cloth) {
    const ToileMeshDef *mesh = &cloth->mesh->mesh;
    PatternSizes sizes = {0};
    size_t corner = 0;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        int32_t size = mesh->face_sizes[f];
        double area2[3] = {0, 0, 0};
        tl_scene_add_area(mesh->positions_m, mesh->corners + corner, size, area2);
        double uv2 = uv_area2(mesh->uvs, mesh->corner_uvs + corner, size);
        sizes.mesh_m2 +=
            0.5 * sqrt(area2[0] * area2[0] + area2[1] * area2[1] + area2[2] * area2[2]);
        sizes.pattern_m2 += 0.5 * fabs(uv2) * cloth->pattern_scale_m * cloth->pattern_scale_m;
        if (uv2 != 0 && sizes.turned[uv2 < 0]++ == 0)
            sizes.first_turned[uv2 < 0] = f;
        corner += (size_t)size;
    }
    return sizes;
}

static void warn_about_pattern(TlSceneReader *reader, const TlKeys *keys,
                               const TlSceneCloth *cloth) {
    if (cloth->pattern == TOILE_PATTERN_NONE || cloth->mesh->mesh.uv_count == 0)
        return;
    PatternSizes sizes = measure_pattern(cloth);
    bool differs = sizes.pattern_m2 > PATTERN_FACTOR * sizes.mesh_m2 ||
                   sizes.mesh_m2 > PATTERN_FACTOR * sizes.pattern_m2;
    if (cloth->pattern == TOILE_PATTERN_METRIC && differs && sizes.pattern_m2 > 0) {
        char pattern[TL_NUMBER_SIZE], mesh[TL_NUMBER_SIZE], scale[TL_NUMBER_SIZE];
        tl_number_format(sizes.pattern_m2, 3, pattern);
        tl_number_format(sizes.mesh_m2, 3, mesh);
        tl_number_format(cloth->pattern_scale_m * sqrt(sizes.mesh_m2 / sizes.pattern_m2), 3, scale);
        tl_keys_warning(keys, "pattern_scale_m", tl_keys_get(keys, "pattern_scale_m", TL_KEY_PLAIN),
                        "the pattern has an area of %s m2, but the mesh one of %s m2; if that is "
                        "not meant, set pattern_scale_m (%s would make them equal)",
                        pattern, mesh, scale);
    }
    int32_t fewer = sizes.turned[1] <= sizes.turned[0];
    if (sizes.turned[fewer] == 0)
        return;
    int32_t face = sizes.first_turned[fewer];
    tl_report_warning(reader->report,
                      (TlIoPlace){cloth->mesh_file, cloth->mesh->face_lines[face], 0},
                      "face %d (counted from 0) is turned over in uv against most others, as are "
                      "%d of %d faces; mirror their islands if that is not meant",
                      face, sizes.turned[fewer], cloth->mesh->mesh.face_count);
}

/* Checks the faces as they are simulated. */
static ToileStatus check_faces(TlSceneReader *reader, const TlSceneCloth *cloth) {
    bool patterned = cloth->pattern != TOILE_PATTERN_NONE && cloth->mesh->mesh.uv_count > 0;
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    int32_t errors_before = reader->report->error_count;
    int32_t count = 0;
    ToileMeshIssue *issues = malloc(ISSUES_MAX * sizeof *issues);
    if (!issues) {
        tl_report_out_of_memory(reader->report);
        return TOILE_STATUS_OUT_OF_MEMORY;
    }
    ToileStatus status =
        toile_mesh_check(&cloth->mesh->mesh, patterned, issues, ISSUES_MAX, &count, &error);
    int32_t held = count < ISSUES_MAX ? count : ISSUES_MAX;
    int32_t left_out = list_issues(reader, cloth, issues, held) + (count - held);
    free(issues);
    if (status != TOILE_STATUS_OK && reader->report->error_count == errors_before)
        tl_report_error(reader->report, status, (TlIoPlace){cloth->mesh_file, 0, 0}, "%s",
                        error.message);
    if (left_out > 0)
        tl_report_warning(reader->report, (TlIoPlace){cloth->mesh_file, 0, 0},
                          "%d more findings of the same kinds are not listed", left_out);
    return status;
}

void tl_scene_check_mesh(TlSceneReader *reader, const TlKeys *keys, const TlSceneCloth *cloth) {
    /* such a mesh is checked when it is subdivided */
    bool later = tl_scene_makes_quads(cloth);
    ToileStatus status = later ? TOILE_STATUS_OK : check_faces(reader, cloth);
    check_pattern(reader, keys, cloth);
    if (status != TOILE_STATUS_OK)
        return;
    warn_about_size(reader, cloth);
    warn_about_pattern(reader, keys, cloth);
    if (!later)
        check_rest(keys, cloth);
}

/* ---- one cloth ---- */

static void check_unique(TlSceneReader *reader, const TlKeys *keys, int32_t index) {
    const TlSceneCloth *cloths = reader->scene->cloths;
    for (int32_t i = 0; i < index; i++)
        if (strcmp(cloths[i].name, cloths[index].name) == 0)
            tl_keys_error(
                keys, "name", tl_keys_get(keys, "name", TL_KEY_PLAIN), TOILE_STATUS_INVALID_DATA,
                "\"%.64s\" is also the name of cloth[%d]; names must differ", cloths[i].name, i);
}

static void read_shape(TlSceneReader *reader, const TlKeys *keys, TlSceneCloth *cloth) {
    static const TlChoice patterns[] = {{"none", TOILE_PATTERN_NONE, true},
                                        {"orientation", TOILE_PATTERN_ORIENTATION, true},
                                        {"metric", TOILE_PATTERN_METRIC, true}};
    static const TlChoice elements[] = {{"native", TOILE_ELEMENTS_NATIVE, true},
                                        {"triangles", TOILE_ELEMENTS_TRIANGLES, true}};
    TlKeys subdivide;
    tl_keys_choice(keys, "pattern", TL_KEY_PLAIN, patterns, COUNT(patterns), &cloth->pattern);
    tl_keys_number(keys, "pattern_scale_m", TL_KEY_PLAIN, (TlRange){0, 1e6, true},
                   &cloth->pattern_scale_m);
    tl_keys_choice(keys, "elements", TL_KEY_PLAIN, elements, COUNT(elements), &cloth->elements);
    tl_keys_get(keys, "mesh", TL_KEY_REQUIRED | TL_KEY_NULLABLE);
    tl_keys_string(keys, "uv_set", TL_KEY_NULLABLE, &cloth->uv_set);
    cloth->mesh =
        read_any_mesh(reader, keys, "mesh", cloth, true, &cloth->source, &cloth->mesh_file);
    if (cloth->uv_set && cloth->mesh && !cloth->source.reader)
        tl_keys_error(keys, "uv_set", tl_keys_get(keys, "uv_set", TL_KEY_PLAIN),
                      TOILE_STATUS_INVALID_DATA,
                      "%.200s is an OBJ file, which has one uv set without a name; leave this out",
                      cloth->mesh_file);
    cloth->start = read_pose(reader, keys, "start", cloth);
    cloth->rest = read_pose(reader, keys, "rest", cloth);
    int32_t errors_before = reader->report->error_count;
    tl_scene_read_subdivide(reader, keys, cloth, &subdivide);
    if (cloth->mesh)
        tl_scene_check_mesh(reader, keys, cloth);
    if (cloth->mesh && reader->report->error_count == errors_before)
        tl_scene_subdivide(reader, &subdivide, cloth);
}

static void read_cloth(TlSceneReader *reader, const TlKeys *root, const TlJson *value,
                       int32_t index) {
    static const char *const known[] = {
        "name",     "mesh",   "start", "rest", "unit_m", "pattern",   "pattern_scale_m",
        "elements", "fabric", "maps",  "pins", "seams",  "subdivide", "uv_set"};
    char path[TL_PATH_SIZE];
    TlKeys keys;
    TlSceneCloth *cloth = &reader->scene->cloths[index];
    int32_t errors_before = reader->report->error_count;
    cloth->name = "";
    cloth->unit_m = reader->scene->unit_m;
    cloth->pattern_scale_m = 1;
    tl_path_element(path, root->path, "cloth", index);
    tl_keys_open(&keys, reader->report, value, path, known, COUNT(known));
    tl_keys_string(&keys, "name", TL_KEY_REQUIRED, &cloth->name);
    if (cloth->name[0]) {
        tl_scene_check_name(&keys, cloth->name);
        check_unique(reader, &keys, index);
    }
    tl_keys_number(&keys, "unit_m", TL_KEY_PLAIN, (TlRange){0, 1e6, true}, &cloth->unit_m);
    read_shape(reader, &keys, cloth);
    tl_scene_read_fabric(reader, &keys, cloth);
    if (cloth->mesh && reader->report->error_count == errors_before)
        tl_scene_warn_if_curved(reader, &keys, cloth);
    tl_scene_read_pins(reader, &keys, cloth);
    tl_keys_refuse(&keys, "maps", "maps of fabric factors are");
    tl_keys_refuse(&keys, "seams", "seams are");
}

void tl_scene_read_cloth(TlSceneReader *reader, const TlKeys *root) {
    ToileScene *scene = reader->scene;
    const TlJson *list = tl_keys_list(root, "cloth", TL_KEY_REQUIRED);
    int32_t index = 0;
    if (!list)
        return;
    if (list->count == 0) {
        tl_keys_error(root, "cloth", list, TOILE_STATUS_INVALID_DATA,
                      "the list is empty; a scene needs at least one cloth");
        return;
    }
    scene->cloths = tl_io_arena_array(&scene->arena, (size_t)list->count, sizeof *scene->cloths);
    if (!scene->cloths) {
        tl_report_out_of_memory(reader->report);
        return;
    }
    for (const TlJson *value = list->first; value; value = value->next) {
        scene->cloth_count = index + 1; /* what was read so far is freed with the scene */
        read_cloth(reader, root, value, index++);
    }
}
