/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The scene outside of cloths and colliders: format, frames, axes, solver, fields, contact, output;
 * and what the other parts share. */
#include "platform.h"
#include "scene_types.h"
#include "toile_io/cache.h"
#include "toile_io/frames.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (int32_t)(sizeof(array) / sizeof((array)[0]))
#define SAMPLES_MAX 64 /* of a frame in a cache */
#define FORMAT_VERSION 1
#define GRAVITY_M_PER_S2 9.81

static const TlRange above_zero = {0, HUGE_VAL, true};
static const TlRange zero_or_more = {0, HUGE_VAL, false};

/* ---- shared ---- */

void tl_scene_check_name(const TlKeys *keys, const char *name) {
    const TlJson *value = tl_keys_get(keys, "name", TL_KEY_PLAIN);
    size_t longest = sizeof((ToileError *)0)->object - 1;
    bool fine = true;
    if (!name)
        return;
    for (const char *c = name; *c; c++)
        fine = fine && *c != '/' && *c != '\\' && (unsigned char)*c >= 0x20;
    if (!fine)
        tl_keys_error(keys, "name", value, TOILE_STATUS_INVALID_DATA,
                      "\"%.64s\" has a slash, a backslash or a control character; names of objects "
                      "may not",
                      name);
    if (strlen(name) > longest)
        tl_keys_error(keys, "name", value, TOILE_STATUS_INVALID_DATA,
                      "the name has %zu bytes; at most %zu are allowed", strlen(name), longest);
}

static void add_number(TlSha256 *sha, uint64_t number) {
    uint8_t bytes[8];
    for (int32_t i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> (8 * i));
    tl_sha256_add(sha, bytes, sizeof bytes);
}

/* A block of bytes, whole words of 8 but for the last block of a file, mixed into 64 bits: SHA-256
 * would read a large clip at a tenth of the speed. Each step is one to one, so that two
 * files that differ in one word never mix to the same. */
static uint64_t mix(uint64_t state, const uint8_t *data, size_t size) {
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = 0;
        for (size_t i = 0; i < 8 && at + i < size; i++)
            word |= (uint64_t)data[at + i] << (8 * i);
        state = (state ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        state ^= state >> 32;
    }
    return state;
}

ToileStatus tl_scene_add_input(ToileScene *scene, const char *path, ToileError *error) {
    TlSceneInput *input = tl_io_arena_alloc(&scene->arena, sizeof *input);
    if (input)
        input->path = tl_io_arena_copy(&scene->arena, path, strlen(path));
    if (!input || !input->path)
        return tl_io_out_of_memory(error);
    input->next = scene->inputs;
    scene->inputs = input;
    return TOILE_STATUS_OK;
}

bool toile_file_same(const char *a, const char *b) {
    return a && b && tl_io_same_file(a, b);
}

bool toile_scene_reads(const ToileScene *scene, const char *path) {
    /* most names are free, which need not be compared with every input */
    bool there = scene && path && tl_io_same_file(path, path);
    for (const TlSceneInput *input = there ? scene->inputs : NULL; input; input = input->next)
        if (tl_io_same_file(input->path, path))
            return true;
    return false;
}

ToileStatus tl_scene_hash_file(TlSceneReader *reader, const char *path, ToileError *error) {
    uint8_t block[1 << 16];
    TlIoReader *file = NULL;
    int64_t size = 0;
    uint64_t state = 0;
    ToileStatus status = tl_io_reader_open(path, &file, &size, error);
    if (status != TOILE_STATUS_OK)
        return status;
    for (int64_t at = 0; at < size && status == TOILE_STATUS_OK; at += (int64_t)sizeof block) {
        size_t part = size - at < (int64_t)sizeof block ? (size_t)(size - at) : sizeof block;
        status = tl_io_reader_get(file, at, block, part, error);
        if (status == TOILE_STATUS_OK)
            state = mix(state, block, part);
    }
    tl_io_reader_close(file);
    add_number(&reader->sha, (uint64_t)size);
    add_number(&reader->sha, state);
    return status == TOILE_STATUS_OK ? tl_scene_add_input(reader->scene, path, error) : status;
}

void tl_scene_cannot_read(const TlKeys *keys, const char *key, const TlJson *value,
                          const char *resolved, ToileStatus status, const ToileError *error) {
    if (status == TOILE_STATUS_NOT_FOUND && !tl_io_is_folder(resolved))
        tl_keys_error(
            keys, key, value, status,
            "there is no file \"%.200s\" (looked for %s); correct the path or put the file there",
            value->string, resolved);
    else if (status == TOILE_STATUS_OUT_OF_MEMORY)
        tl_report_out_of_memory(keys->report);
    else
        tl_keys_error(keys, key, value, status, "%s", error->message);
}

char *tl_scene_read_input(TlSceneReader *reader, const TlKeys *keys, const char *key,
                          const TlJson *value, size_t limit, char **resolved, size_t *size) {
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    char *text = NULL;
    *size = 0;
    *resolved = tl_io_path_beside(reader->path, value->string);
    if (!*resolved) {
        tl_report_out_of_memory(reader->report);
        return NULL;
    }
    ToileStatus status = tl_io_read_file(*resolved, limit, &text, size, &error);
    if (status == TOILE_STATUS_OK)
        status = tl_scene_add_input(reader->scene, *resolved, &error);
    if (status == TOILE_STATUS_OK) {
        add_number(&reader->sha, *size);
        tl_sha256_add(&reader->sha, text, *size);
        return text;
    }
    free(text);
    tl_scene_cannot_read(keys, key, value, *resolved, status, &error);
    free(*resolved);
    *resolved = NULL;
    return NULL;
}

/* The range as text; a single frame may also be a number, which `single` then holds. */
static const char *frames_text(const TlKeys *keys, const TlJson *value, char single[16]) {
    const char *text = NULL;
    int32_t frame = INT32_MIN;
    if (value->kind != TL_JSON_NUMBER) {
        tl_keys_string(keys, "frames", TL_KEY_PLAIN, &text);
        return text;
    }
    tl_keys_integer(keys, "frames", TL_KEY_PLAIN, -INT32_MAX, INT32_MAX, &frame);
    snprintf(single, 16, "%d", frame);
    return frame == INT32_MIN ? NULL : single;
}

void tl_scene_read_frames(TlSceneReader *reader, const TlKeys *keys, int flags, bool ascending,
                          int32_t **frames, int32_t *count) {
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    TlIoArena *arena = &reader->scene->arena;
    const TlJson *value = tl_keys_get(keys, "frames", flags);
    const char *text = NULL;
    char single[16];
    int32_t found = 0;
    if (!value)
        return;
    text = frames_text(keys, value, single);
    if (!text)
        return;
    /* once to count, once to list */
    ToileStatus status = toile_frames_parse(text, ascending, NULL, 0, &found, &error);
    int32_t *list = NULL;
    if (status == TOILE_STATUS_OK) {
        list = tl_io_arena_array(arena, (size_t)found, sizeof *list);
        status = list ? toile_frames_parse(text, ascending, list, found, &found, &error)
                      : TOILE_STATUS_OUT_OF_MEMORY;
    }
    if (status == TOILE_STATUS_OUT_OF_MEMORY) {
        tl_report_out_of_memory(reader->report);
    } else if (status != TOILE_STATUS_OK) {
        tl_keys_error(keys, "frames", value, TOILE_STATUS_INVALID_DATA, "%s", error.message);
    } else {
        *frames = list;
        *count = found;
    }
}

/* ---- the top of the file ---- */

static void read_format(const TlKeys *keys) {
    const TlJson *value = tl_keys_get(keys, "toile", TL_KEY_REQUIRED);
    if (!value)
        return;
    if (value->kind == TL_JSON_NUMBER && value->number == FORMAT_VERSION)
        return;
    char found[TL_JSON_DESCRIBE_SIZE];
    tl_json_describe(value, found);
    bool newer = value->kind == TL_JSON_NUMBER && value->number > FORMAT_VERSION;
    tl_keys_error(keys, "toile", value,
                  newer ? TOILE_STATUS_UNSUPPORTED : TOILE_STATUS_INVALID_DATA,
                  "%s is not a format version this Toile (%s) reads; %d is", found,
                  toile_version_string(), FORMAT_VERSION);
}

static void read_frames(TlSceneReader *reader, const TlKeys *keys) {
    ToileScene *scene = reader->scene;
    tl_scene_read_frames(reader, keys, TL_KEY_REQUIRED, true, &scene->frames, &scene->frame_count);
    if (scene->frames)
        scene->sim.start_frame = scene->frames[0];
}

static void read_axes(TlSceneReader *reader, const TlKeys *keys) {
    static const TlChoice axes[] = {{"y", TOILE_UP_Y, true}, {"z", TOILE_UP_Z, true}};
    ToileScene *scene = reader->scene;
    tl_keys_choice(keys, "up", TL_KEY_PLAIN, axes, COUNT(axes), &scene->up);
    tl_keys_number(keys, "unit_m", TL_KEY_PLAIN, (TlRange){0, 1e6, true}, &scene->unit_m);
    double *gravity = scene->sim.gravity_m_per_s2;
    gravity[0] = 0;
    gravity[1] = scene->up == TOILE_UP_Y ? -GRAVITY_M_PER_S2 : 0;
    gravity[2] = scene->up == TOILE_UP_Z ? -GRAVITY_M_PER_S2 : 0;
    tl_keys_vector(keys, "gravity_m_per_s2", TL_KEY_ANIMATED, 1e6, gravity);
}

/* ---- solver ---- */

static void read_substeps(const TlKeys *keys, ToileSimDef *sim) {
    const TlJson *value = tl_keys_get(keys, "substeps", TL_KEY_PLAIN);
    if (!value)
        return;
    if (value->kind == TL_JSON_NUMBER) {
        tl_keys_integer(keys, "substeps", TL_KEY_PLAIN, 1, 10000, &sim->substeps);
    } else if (value->kind != TL_JSON_STRING || strcmp(value->string, "auto") != 0) {
        char found[TL_JSON_DESCRIBE_SIZE];
        tl_json_describe(value, found);
        tl_keys_error(keys, "substeps", value, TOILE_STATUS_INVALID_DATA,
                      "%s stands where \"auto\" or a whole number from 1 to 10000 is needed",
                      found);
    }
}

static void read_solver(TlSceneReader *reader, const TlKeys *root) {
    static const char *const known[] = {"integrator",        "quality",     "substeps",
                                        "newton_iterations", "tolerance_m", "linear_tolerance",
                                        "threads",           "settle"};
    static const TlChoice integrators[] = {
        {"implicit-euler", TOILE_INTEGRATOR_IMPLICIT_EULER, true},
        {"bdf2", TOILE_INTEGRATOR_BDF2, true},
        {"semi-implicit", TOILE_INTEGRATOR_SEMI_IMPLICIT, true},
        {"imex", TOILE_INTEGRATOR_IMEX, true},
        {"symplectic-euler", TOILE_INTEGRATOR_SYMPLECTIC_EULER, true},
        {"verlet", TOILE_INTEGRATOR_VERLET, true},
        {"rk4", TOILE_INTEGRATOR_RK4, true},
        {"explicit-euler", TOILE_INTEGRATOR_EXPLICIT_EULER, true}};
    static const TlChoice qualities[] = {{"fast", TOILE_QUALITY_FAST, true},
                                         {"standard", TOILE_QUALITY_STANDARD, true},
                                         {"accurate", TOILE_QUALITY_ACCURATE, true}};
    TlKeys keys;
    ToileSimDef *sim = &reader->scene->sim;
    tl_keys_open_child(&keys, root, "solver", TL_KEY_PLAIN, known, COUNT(known));
    tl_keys_choice(&keys, "integrator", TL_KEY_PLAIN, integrators, COUNT(integrators),
                   &sim->integrator);
    tl_keys_choice(&keys, "quality", TL_KEY_PLAIN, qualities, COUNT(qualities), &sim->quality);
    read_substeps(&keys, sim);
    tl_keys_integer(&keys, "newton_iterations", TL_KEY_NULLABLE, 1, 1000, &sim->newton_iterations);
    tl_keys_number(&keys, "tolerance_m", TL_KEY_NULLABLE, above_zero, &sim->tolerance_m);
    tl_keys_number(&keys, "linear_tolerance", TL_KEY_NULLABLE, (TlRange){0, 1, true},
                   &sim->linear_tolerance);
    tl_keys_integer(&keys, "threads", TL_KEY_PLAIN, 0, 1024, &sim->threads);
    tl_keys_bool(&keys, "settle", TL_KEY_PLAIN, &reader->scene->settle);
}

/* ---- fields and contact ---- */

static void read_field(TlSceneReader *reader, const TlKeys *root, const TlJson *field,
                       int32_t index) {
    static const char *const known[] = {"wind", "drag", "pressure"};
    static const char *const drag_known[] = {"coefficient_kg_per_m2_s"};
    char path[TL_PATH_SIZE];
    TlKeys keys;
    TlKeys drag;
    double coefficient = 0;
    tl_path_element(path, root->path, "fields", index);
    tl_keys_open(&keys, reader->report, field, path, known, COUNT(known));
    tl_keys_refuse(&keys, "wind", "wind is");
    tl_keys_refuse(&keys, "pressure", "pressure is");
    if (keys.object && field->count != 1)
        tl_keys_error(&keys, "", field, TOILE_STATUS_INVALID_DATA,
                      "this field has %d keys; exactly one of \"wind\", \"drag\" or \"pressure\" "
                      "is allowed",
                      field->count);
    tl_keys_open_child(&drag, &keys, "drag", TL_KEY_PLAIN, drag_known, COUNT(drag_known));
    tl_keys_number(&drag, "coefficient_kg_per_m2_s", TL_KEY_REQUIRED | TL_KEY_ANIMATED,
                   zero_or_more, &coefficient);
    reader->scene->sim.drag_kg_per_m2_s += coefficient;
}

static void read_fields(TlSceneReader *reader, const TlKeys *root) {
    const TlJson *list = tl_keys_list(root, "fields", TL_KEY_NULLABLE);
    int32_t index = 0;
    for (const TlJson *field = list ? list->first : NULL; field; field = field->next)
        read_field(reader, root, field, index++);
}

/* The mean length of the sides of faces. */
static double mean_side_m(const ToileMeshDef *mesh) {
    double sum = 0;
    size_t corner = 0;
    for (int32_t f = 0; f < mesh->face_count; corner += (size_t)mesh->face_sizes[f++])
        for (int32_t c = 0; c < mesh->face_sizes[f]; c++) {
            int32_t next = (c + 1) % mesh->face_sizes[f];
            const double *a = mesh->positions_m + 3 * (size_t)mesh->corners[corner + (size_t)c];
            const double *b = mesh->positions_m + 3 * (size_t)mesh->corners[corner + (size_t)next];
            sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                        (a[2] - b[2]) * (a[2] - b[2]));
        }
    return corner > 0 ? sum / (double)corner : (double)INFINITY;
}

/* Warns of cloth that contact holds farther apart than its vertices are. */
static void warn_if_thick(const ToileScene *scene, const TlKeys *root, const TlKeys *keys) {
    const TlJson *value = tl_keys_get(keys, "thickness_m", TL_KEY_PLAIN);
    for (int32_t i = 0; i < scene->cloth_count; i++) {
        const TlSceneCloth *cloth = &scene->cloths[i];
        double given = scene->sim.contact_thickness_m, by_fabric = 2 * cloth->fabric.thickness_m;
        double apart = given > 0 ? given : by_fabric > 1e-3 ? by_fabric : 1e-3;
        double side = cloth->mesh ? mean_side_m(&cloth->mesh->mesh) : (double)INFINITY;
        if (apart > side)
            tl_keys_warning(
                value ? keys : root, value ? "thickness_m" : "cloth",
                value ? value : tl_keys_get(root, "cloth", TL_KEY_PLAIN),
                "contact keeps cloth %g m apart, but the edges of \"%s\" have %.3g m on "
                "average; folds will be as wide as that, so lower "
                "\"contact.thickness_m\" or give it larger faces",
                apart, cloth->name, side);
    }
}

static void read_contact(TlSceneReader *reader, const TlKeys *root) {
    static const char *const known[] = {"self", "thickness_m", "friction"};
    ToileSimDef *sim = &reader->scene->sim;
    TlKeys keys;
    bool self = sim->contact_self != 0;
    tl_keys_open_child(&keys, root, "contact", TL_KEY_PLAIN, known, COUNT(known));
    tl_keys_bool(&keys, "self", TL_KEY_PLAIN, &self);
    sim->contact_self = self ? 1 : 0;
    tl_keys_number(&keys, "thickness_m", TL_KEY_NULLABLE, above_zero, &sim->contact_thickness_m);
    tl_keys_number(&keys, "friction", TL_KEY_NULLABLE | TL_KEY_ANIMATED, zero_or_more,
                   &sim->contact_friction);
    warn_if_thick(reader->scene, root, &keys);
}

/* ---- output ---- */

static char *resolve_output(TlSceneReader *reader, const TlKeys *keys, const char *key,
                            const char *const *endings, int32_t ending_count, const char *allowed) {
    const char *text = NULL;
    bool fine = false;
    bool bare = false; /* nothing but an ending */
    tl_keys_string(keys, key, TL_KEY_NULLABLE, &text);
    if (!text)
        return NULL;
    const TlJson *value = tl_keys_get(keys, key, TL_KEY_PLAIN);
    for (int32_t i = 0; i < ending_count; i++) {
        fine = fine || tl_io_has_ending(text, endings[i]);
        bare = bare || (fine && strlen(text) == strlen(endings[i]));
    }
    if (!fine || bare) {
        tl_keys_error(keys, key, value, TOILE_STATUS_INVALID_DATA, "\"%.200s\" has no %s; %s", text,
                      bare ? "name before its ending" : "ending that is known here", allowed);
        return NULL;
    }
    char *resolved = tl_io_path_beside(reader->path, text);
    if (!resolved)
        tl_report_out_of_memory(reader->report);
    return resolved;
}

/* Samples between frames are steps of the simulation, and so belong to its hash. */
static void read_samples(TlSceneReader *reader, const TlKeys *keys) {
    ToileScene *scene = reader->scene;
    const TlJson *value = tl_keys_get(keys, "samples_per_frame", TL_KEY_PLAIN);
    tl_keys_integer(keys, "samples_per_frame", TL_KEY_PLAIN, 1, SAMPLES_MAX, &scene->samples);
    if (scene->samples > 1)
        add_number(&reader->sha, (uint64_t)scene->samples);
    if (scene->samples > 1 && scene->cache && tl_io_has_ending(scene->cache, ".obj"))
        tl_keys_error(keys, "samples_per_frame", value, TOILE_STATUS_INVALID_DATA,
                      "OBJ files are numbered by frame, and hold no samples between; use 1, or an "
                      ".abc, .pc2 or .mdd cache");
}

/* Whether cages are written, which decides what of them has to be read; what else may stand there
 * is refused by read_output. */
static int32_t peek_schema(const TlJson *root) {
    const TlJson *output = root->kind == TL_JSON_OBJECT ? tl_json_get(root, "output") : NULL;
    const TlJson *schema =
        output && output->kind == TL_JSON_OBJECT ? tl_json_get(output, "schema") : NULL;
    bool cages = schema && schema->kind == TL_JSON_STRING && strcmp(schema->string, "subd") == 0;
    return cages ? TOILE_SCHEMA_SUBD : TOILE_SCHEMA_POLYMESH;
}

static void read_output(TlSceneReader *reader, const TlKeys *root) {
    static const char *const known[] = {
        "cache", "schema", "velocities", "samples_per_frame", "checkpoint_every", "preview"};
    static const char *const cache_endings[] = {".abc", ".pc2", ".mdd", ".obj"};
    static const char *const preview_endings[] = {".png"};
    static const TlChoice schemas[] = {{"polymesh", TOILE_SCHEMA_POLYMESH, true},
                                       {"subd", TOILE_SCHEMA_SUBD, true}};
    TlKeys keys;
    int32_t every = 0;
    ToileScene *scene = reader->scene;
    tl_keys_open_child(&keys, root, "output", TL_KEY_PLAIN, known, COUNT(known));
    scene->cache = resolve_output(reader, &keys, "cache", cache_endings, COUNT(cache_endings),
                                  "use .abc, .pc2, .mdd or .obj");
    bool points = scene->cache && (tl_io_has_ending(scene->cache, ".pc2") ||
                                   tl_io_has_ending(scene->cache, ".mdd"));
    if (points && scene->cloth_count > 1)
        tl_keys_error(&keys, "cache", tl_keys_get(&keys, "cache", TL_KEY_PLAIN),
                      TOILE_STATUS_INVALID_DATA,
                      "a point cache holds one mesh, but the scene has %d cloths; use .abc or .obj",
                      scene->cloth_count);
    scene->preview = resolve_output(reader, &keys, "preview", preview_endings,
                                    COUNT(preview_endings), "use .png");
    tl_keys_choice(&keys, "schema", TL_KEY_PLAIN, schemas, COUNT(schemas), &scene->schema);
    tl_keys_bool(&keys, "velocities", TL_KEY_PLAIN, &scene->velocities);
    read_samples(reader, &keys);
    tl_keys_integer(&keys, "checkpoint_every", TL_KEY_NULLABLE, 0, 1000000, &every);
}

void tl_scene_read(TlSceneReader *reader, const TlJson *root) {
    static const char *const known[] = {
        "toile", "fps",       "frames", "up",      "unit_m", "gravity_m_per_s2", "solver",
        "cloth", "colliders", "fields", "contact", "output", "wedges",           "$schema"};
    ToileScene *scene = reader->scene;
    TlKeys keys;
    toile_sim_def_init(&scene->sim, (uint32_t)sizeof scene->sim);
    scene->unit_m = 1;
    scene->velocities = true;
    scene->samples = 1;
    scene->schema = peek_schema(root);
    tl_keys_open(&keys, reader->report, root, "", known, COUNT(known));
    read_format(&keys);
    tl_keys_number(&keys, "fps", TL_KEY_PLAIN, (TlRange){0, 10000, true}, &scene->sim.fps);
    read_frames(reader, &keys);
    read_axes(reader, &keys);
    read_solver(reader, &keys);
    tl_scene_read_colliders(reader, &keys);
    if (reader->scene->settle && reader->scene->collider_count > 0)
        tl_keys_warning(&keys, "solver", tl_keys_get(&keys, "solver", TL_KEY_PLAIN),
                        "the static drape is found without friction; what only friction holds "
                        "slides off");
    tl_scene_read_cloth(reader, &keys);
    read_fields(reader, &keys);
    read_contact(reader, &keys);
    read_output(reader, &keys);
}
