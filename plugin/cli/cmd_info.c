/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile info`: what an Alembic archive or a scene holds, for people or as JSON. An archive is told
 * by its first bytes or its ending; everything else is read as a scene. An object of an archive
 * that cannot be read is listed with the reason, and the rest goes on. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values of a property that are printed at most, and bytes that are read for them. */
#define VALUES_SHOWN 16
#define PROPERTY_BYTES 4096

static const char help[] =
    "usage: toile info FILE.abc|FILE.pc2|FILE.mdd|SCENE [--json] [--set KEY=VALUE]...\n\n"
    "Of an archive: who wrote it, its objects with their counts, samples, frames, uvs, velocities\n"
    "and properties. Of a point cache: points, samples and when. Of a scene: cloths, fabrics, "
    "colliders and frames.\n\n"
    "  --json            as JSON\n"
    "  --set KEY=VALUE   replaces a value of the scene first; repeatable\n";

static const struct option option_table[] = {
    {"json", no_argument, NULL, 'j'},
    {"set", required_argument, NULL, 's'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* ---- properties ---- */

static double number_at(const void *bytes, abcc_type type, size_t i) {
    switch (type) {
    case ABCC_BOOL:
    case ABCC_U8:
        return ((const uint8_t *)bytes)[i];
    case ABCC_I8:
        return ((const int8_t *)bytes)[i];
    case ABCC_U16:
        return ((const uint16_t *)bytes)[i];
    case ABCC_I16:
        return ((const int16_t *)bytes)[i];
    case ABCC_U32:
        return ((const uint32_t *)bytes)[i];
    case ABCC_I32:
        return ((const int32_t *)bytes)[i];
    case ABCC_U64:
        return (double)((const uint64_t *)bytes)[i];
    case ABCC_I64:
        return (double)((const int64_t *)bytes)[i];
    case ABCC_F32:
        return (double)((const float *)bytes)[i];
    case ABCC_F64:
        return ((const double *)bytes)[i];
    default:
        return (double)NAN;
    }
}

/* `count` values as JSON, which people can read as well; a single one without brackets */
static void print_values(const void *bytes, const abcc_param *param, uint64_t count) {
    const char *text = bytes;
    if (count != 1)
        fputc('[', stdout);
    for (uint64_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", stdout);
        if (param->type == ABCC_STRING) {
            tl_json_string(stdout, text);
            text += strlen(text) + 1;
        } else {
            tl_json_number(stdout, number_at(bytes, param->type, (size_t)i));
        }
    }
    if (count != 1)
        fputc(']', stdout);
}

/* prints the first sample when it is short and of a kind people can read, else says what it is */
static void print_property_value(abcc_reader *reader, abcc_obj obj, uint32_t i,
                                 const abcc_param *param) {
    _Alignas(double) char bytes[PROPERTY_BYTES];
    uint64_t size = 0, values = 0, indices = 0;
    bool readable = param->samples > 0 && param->type != ABCC_F16 && param->type != ABCC_WSTRING &&
                    abcc_param_size(reader, obj, i, 0, &size, &values, &indices, NULL) == ABCC_OK &&
                    size <= sizeof bytes && values * param->width <= VALUES_SHOWN &&
                    abcc_param_read(reader, obj, i, 0, bytes, size, NULL, 0, NULL) == ABCC_OK;
    if (readable)
        print_values(bytes, param, values * param->width);
    else
        printf("\"%llu values, %u samples\"", (unsigned long long)values, (unsigned)param->samples);
}

static void print_properties(abcc_reader *reader, abcc_obj obj, bool json) {
    uint32_t count = 0;
    if (abcc_param_count(reader, obj, &count, NULL) != ABCC_OK)
        return;
    if (json && count)
        fputs(", \"properties\": {", stdout);
    for (uint32_t i = 0; i < count; i++) {
        abcc_param param = abcc_param_default();
        abcc_error error = {0};
        bool known = abcc_param_get(reader, obj, i, &param, &error) == ABCC_OK;
        if (json) {
            fputs(i ? ", " : "", stdout);
            tl_json_string(stdout, known ? param.name : "");
            fputs(": ", stdout);
        } else {
            printf("    %s = ", known ? param.name : "?");
        }
        if (known)
            print_property_value(reader, obj, i, &param);
        else
            tl_json_string(stdout, error.text);
        if (!json)
            fputc('\n', stdout);
    }
    if (json && count)
        fputc('}', stdout);
}

/* ---- objects of an archive ---- */

static const char *kind_name(abcc_kind kind) {
    static const char *const names[] = {"other",  "transform", "mesh",   "subdivision mesh",
                                        "points", "curves",    "camera", "face set"};
    size_t i = (size_t)kind;
    return i < sizeof names / sizeof names[0] ? names[i] : names[0];
}

static const char *topology_name(abcc_topology topology) {
    if (topology == ABCC_TOPO_STATIC)
        return "static";
    return topology == ABCC_TOPO_FIXED ? "fixed" : "changing";
}

static const char *scope_name(abcc_scope scope) {
    static const char *const names[] = {"none",    "constant", "uniform",
                                        "varying", "vertex",   "face-varying"};
    size_t i = (size_t)scope;
    return i < sizeof names / sizeof names[0] ? names[i] : names[0];
}

/* One object with what could be learnt of it. */
typedef struct Entry {
    abcc_object object;
    abcc_mesh_sizes sizes;
    double first_s, last_s;
    bool has_times;
    bool has_mesh;
    char problem[252]; /* why it cannot be read, or "" */
} Entry;

static void learn(abcc_reader *reader, abcc_obj obj, Entry *entry) {
    abcc_error error = {0};
    uint32_t samples = entry->object.samples;
    bool mesh = entry->object.kind == ABCC_MESH || entry->object.kind == ABCC_SUBD;
    if (samples == 0)
        return;
    entry->has_times =
        abcc_sample_time(reader, obj, 0, &entry->first_s, &error) == ABCC_OK &&
        abcc_sample_time(reader, obj, samples - 1, &entry->last_s, &error) == ABCC_OK;
    entry->has_mesh = mesh && abcc_mesh_size(reader, obj, 0, &entry->sizes, &error) == ABCC_OK;
    if (error.code != ABCC_OK)
        snprintf(entry->problem, sizeof entry->problem, "%s", error.text);
}

static void text_object(const Entry *entry, double fps) {
    const abcc_object *object = &entry->object;
    const abcc_mesh_sizes *sizes = &entry->sizes;
    printf("  %s  %s", object->path, kind_name(object->kind));
    if (object->kind == ABCC_OTHER && object->schema[0])
        printf(" (%s)", object->schema);
    if (object->instance_of)
        fputs(", instance", stdout);
    if (entry->has_mesh)
        printf(", %u vertices, %u faces, %s topology", (unsigned)sizes->verts,
               (unsigned)sizes->faces, topology_name(sizes->topology));
    printf(", %u sample%s", (unsigned)object->samples, object->samples == 1 ? "" : "s");
    if (entry->has_times && object->samples > 1) {
        printf(" from %g to %g s", entry->first_s, entry->last_s);
        if (fps > 0.0)
            printf(" (frames %g to %g)", entry->first_s * fps, entry->last_s * fps);
    }
    if (entry->has_mesh && sizes->uv_values)
        printf(", uvs '%s' (%s)", sizes->uv_name, scope_name(sizes->uv_scope));
    if (entry->has_mesh && sizes->velocities)
        fputs(", velocities", stdout);
    fputc('\n', stdout);
    if (entry->problem[0])
        printf("    cannot be read: %s\n", entry->problem);
}

static void json_pair(const char *name, double first, double last) {
    const double pair[2] = {first, last};
    printf(", \"%s\": ", name);
    tl_json_numbers(stdout, pair, 2);
}

static void json_mesh(const abcc_mesh_sizes *sizes) {
    printf(", \"vertices\": %u, \"faces\": %u, \"corners\": %u, \"topology\": \"%s\", "
           "\"velocities\": %s, \"uv\": ",
           (unsigned)sizes->verts, (unsigned)sizes->faces, (unsigned)sizes->corners,
           topology_name(sizes->topology), sizes->velocities ? "true" : "false");
    if (sizes->uv_values) {
        fputs("{\"name\": ", stdout);
        tl_json_string(stdout, sizes->uv_name);
        printf(", \"values\": %u, \"scope\": \"%s\"}", (unsigned)sizes->uv_values,
               scope_name(sizes->uv_scope));
    } else {
        fputs("null", stdout);
    }
    if (sizes->has_bounds) {
        fputs(", \"bounds\": ", stdout);
        tl_json_numbers(stdout, sizes->bounds, 6);
    }
}

static void json_object(const Entry *entry, double fps) {
    const abcc_object *object = &entry->object;
    fputs("{\"path\": ", stdout);
    tl_json_string(stdout, object->path);
    printf(", \"kind\": \"%s\", \"schema\": ", kind_name(object->kind));
    tl_json_string(stdout, object->schema);
    printf(", \"instance\": %s, \"samples\": %u", object->instance_of ? "true" : "false",
           (unsigned)object->samples);
    if (entry->has_times) {
        json_pair("times_s", entry->first_s, entry->last_s);
        if (fps > 0.0)
            json_pair("frames", entry->first_s * fps, entry->last_s * fps);
    }
    if (entry->has_mesh)
        json_mesh(&entry->sizes);
    if (entry->problem[0]) {
        fputs(", \"problem\": ", stdout);
        tl_json_string(stdout, entry->problem);
    }
}

static int print_objects(abcc_reader *reader, const char *path, double fps, bool json) {
    uint32_t count = abcc_object_count(reader);
    for (uint32_t obj = 1; obj < count; obj++) {
        Entry entry = {.object = abcc_object_default(), .sizes = abcc_mesh_sizes_default()};
        abcc_error error = {0};
        abcc_status status = abcc_object_get(reader, obj, &entry.object, &error);
        if (status != ABCC_OK)
            return tl_fail_archive(status, &error, path);
        learn(reader, obj, &entry);
        if (json) {
            fputs(obj > 1 ? ",\n  " : "\n  ", stdout);
            json_object(&entry, fps);
            print_properties(reader, obj, true);
            fputc('}', stdout);
        } else {
            text_object(&entry, fps);
            print_properties(reader, obj, false);
        }
    }
    return TL_EXIT_OK;
}

static void json_text(const char *before, const char *name, const char *value) {
    printf("%s\"%s\": ", before, name);
    tl_json_string(stdout, value);
}

static int print_archive(abcc_reader *reader, const char *path, bool json) {
    abcc_error error = {0};
    abcc_info info = abcc_info_default();
    abcc_status status = abcc_info_get(reader, &info, &error);
    if (status != ABCC_OK)
        return tl_fail_archive(status, &error, path);
    if (!json) {
        printf("%s: Alembic archive\n  application  %s\n  description  %s\n  library      %s\n",
               path, info.application, info.description, info.library);
        if (info.date[0])
            printf("  date         %s\n", info.date);
        if (info.fps > 0.0)
            printf("  fps          %g\n", info.fps);
        return print_objects(reader, path, info.fps, false);
    }
    json_text("{\"kind\": \"archive\", ", "application", info.application);
    json_text(", ", "description", info.description);
    json_text(", ", "library", info.library);
    json_text(", ", "date", info.date);
    fputs(", \"fps\": ", stdout);
    tl_json_number(stdout, info.fps > 0.0 ? info.fps : (double)NAN);
    fputs(",\n\"objects\": [", stdout);
    int code = print_objects(reader, path, info.fps, true);
    fputs("]}\n", stdout);
    return code;
}

static int info_archive(const char *path, bool json) {
    abcc_error error = {0};
    abcc_reader *reader = NULL;
    abcc_status status = abcc_open(path, 0, NULL, &reader, &error);
    if (status != ABCC_OK)
        return tl_fail_archive(status, &error, path);
    int code = print_archive(reader, path, json);
    abcc_close(reader);
    return code;
}

/* ---- scenes ---- */

static int64_t triangle_count(const ToileMeshDef *mesh) {
    return (int64_t)mesh->corner_count - 2 * (int64_t)mesh->face_count;
}

static const char *pattern_name(int32_t pattern) {
    if (pattern == TOILE_PATTERN_METRIC)
        return "metric";
    return pattern == TOILE_PATTERN_ORIENTATION ? "orientation" : "none";
}

static const char *shape_name(int32_t shape) {
    static const char *const names[] = {"sphere", "plane", "box", "capsule", "mesh"};
    return shape >= 0 && shape < (int32_t)(sizeof names / sizeof names[0]) ? names[shape] : "?";
}

static int print_cloths(const ToileScene *scene, int32_t count, bool json) {
    for (int32_t i = 0; i < count; i++) {
        ToileError error = toile_error_default();
        ToileSceneCloth cloth = {0};
        cloth.struct_size = (uint32_t)sizeof cloth;
        ToileStatus status = toile_scene_get_cloth(scene, i, &cloth, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        long long triangles = triangle_count(cloth.mesh);
        if (json) {
            json_text(i ? ",\n  {" : "\n  {", "name", cloth.name);
            json_text(", ", "mesh", cloth.mesh_file);
            json_text(", ", "fabric", cloth.fabric_name);
            printf(", \"vertices\": %d, \"faces\": %d, \"triangles\": %lld, \"pattern\": \"%s\", "
                   "\"pins\": %d, \"unit_m\": ",
                   (int)cloth.mesh->vertex_count, (int)cloth.mesh->face_count, triangles,
                   pattern_name(cloth.pattern), (int)cloth.pin_count);
            tl_json_number(stdout, cloth.unit_m);
            fputc('}', stdout);
        } else {
            printf("  cloth %s: %d vertices, %d faces (%lld triangles), fabric %s, pattern %s, "
                   "%d pinned, from %s\n",
                   cloth.name, (int)cloth.mesh->vertex_count, (int)cloth.mesh->face_count,
                   triangles, cloth.fabric_name, pattern_name(cloth.pattern), (int)cloth.pin_count,
                   cloth.mesh_file);
        }
    }
    return TL_EXIT_OK;
}

static void text_collider(const ToileColliderDef *collider, const char *file, bool deforms) {
    printf("  collider %s: %s", collider->name, shape_name(collider->shape));
    if (collider->mesh)
        printf(" of %d vertices, %d faces (%lld triangles)%s, from %s",
               (int)collider->mesh->vertex_count, (int)collider->mesh->face_count,
               (long long)triangle_count(collider->mesh), deforms ? ", deforming" : "", file);
    fputc('\n', stdout);
}

static void json_collider(const ToileColliderDef *collider, const char *file, bool deforms) {
    json_text("{", "name", collider->name);
    json_text(", ", "shape", shape_name(collider->shape));
    if (collider->mesh) {
        json_text(", ", "mesh", file);
        printf(", \"vertices\": %d, \"faces\": %d, \"triangles\": %lld, \"deforms\": %s",
               (int)collider->mesh->vertex_count, (int)collider->mesh->face_count,
               (long long)triangle_count(collider->mesh), deforms ? "true" : "false");
    }
    fputc('}', stdout);
}

static int print_colliders(const ToileScene *scene, const ToileSceneInfo *info, bool json) {
    for (int32_t i = 0; i < info->collider_count; i++) {
        ToileError error = toile_error_default();
        ToileColliderDef collider = toile_collider_def_default();
        ToileStatus status = toile_scene_get_collider(scene, i, info->frames[0], &collider, &error);
        const char *file = NULL;
        int32_t deforms = 0;
        if (status == TOILE_STATUS_OK)
            status = toile_scene_get_collider_file(scene, i, &file, &deforms, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        if (json) {
            fputs(i ? ",\n  " : "\n  ", stdout);
            json_collider(&collider, file, deforms != 0);
        } else {
            text_collider(&collider, file, deforms != 0);
        }
    }
    return TL_EXIT_OK;
}

/* whether cloths meet themselves and each other */
static bool has_self_contact(const ToileScene *scene) {
    ToileSimDef def = toile_sim_def_default();
    return toile_scene_sim_def(scene, &def, NULL) == TOILE_STATUS_OK && def.contact_self;
}

static int json_scene(const ToileScene *scene, const ToileSceneInfo *info) {
    printf("{\"kind\": \"scene\", \"up\": \"%s\", \"settle\": %s, \"frames\": {\"first\": %d, "
           "\"last\": %d, \"count\": %d}, \"fps\": ",
           info->up == TOILE_UP_Z ? "z" : "y", info->settle ? "true" : "false",
           (int)info->frames[0], (int)info->frames[info->frame_count - 1], (int)info->frame_count);
    tl_json_number(stdout, info->fps);
    fputs(", \"unit_m\": ", stdout);
    tl_json_number(stdout, info->unit_m);
    json_text(", ", "cache", info->cache ? info->cache : "");
    printf(", \"self_contact\": %s", has_self_contact(scene) ? "true" : "false");
    printf(", \"hash\": \"%016llx\", \"wedges\": %d,\n\"cloth\": [", (unsigned long long)info->hash,
           (int)info->wedge_count);
    int code = print_cloths(scene, info->cloth_count, true);
    fputs("],\n\"colliders\": [", stdout);
    if (code == TL_EXIT_OK)
        code = print_colliders(scene, info, true);
    fputs("]}\n", stdout);
    return code;
}

static int text_scene(const ToileScene *scene, const ToileSceneInfo *info, const char *path) {
    printf("%s: scene\n  frames %d to %d (%d written) at %g fps, up %s, %g m a unit%s%s\n", path,
           (int)info->frames[0], (int)info->frames[info->frame_count - 1], (int)info->frame_count,
           info->fps, info->up == TOILE_UP_Z ? "z" : "y", info->unit_m,
           info->settle ? ", settles" : "",
           has_self_contact(scene) ? "" : ", without self-collision");
    if (info->cache)
        printf("  cache %s%s\n", info->cache, info->velocities ? " with velocities" : "");
    printf("  hash %016llx\n", (unsigned long long)info->hash);
    if (info->wedge_count > 0)
        printf("  %d wedges, which 'toile wedge list' lists\n", (int)info->wedge_count);
    int code = print_cloths(scene, info->cloth_count, false);
    return code == TL_EXIT_OK ? print_colliders(scene, info, false) : code;
}

static int info_scene(const char *path, const char *const *sets, int32_t set_count, bool json) {
    TlFindings findings = {0};
    ToileError error = toile_error_default();
    ToileScene *scene = tl_load_scene(path, sets, set_count, TL_NO_WEDGE, &findings);
    if (!scene)
        return findings.first_exit;
    ToileSceneInfo info = {0};
    info.struct_size = (uint32_t)sizeof info;
    ToileStatus status = toile_scene_get_info(scene, &info, &error);
    int code = TL_EXIT_OK;
    if (status != TOILE_STATUS_OK)
        code = tl_report_failure(status, &error);
    else
        code = json ? json_scene(scene, &info) : text_scene(scene, &info, path);
    toile_scene_free(scene);
    return code;
}

/* ---- the command ---- */

/* the magic of Ogawa and of HDF5 files; a missing file goes by its ending */
static bool is_archive(const char *path) {
    char start[5] = {0};
    FILE *file = fopen(path, "rb");
    if (file) {
        size_t got = fread(start, 1, sizeof start, file);
        fclose(file);
        if (got == sizeof start &&
            (memcmp(start, "Ogawa", 5) == 0 || memcmp(start, "\x89HDF\r", 5) == 0))
            return true;
    }
    return tl_has_ending(path, ".abc");
}

static int parse(int argc, char **argv, const char **sets) {
    const TlCommand *command = &tl_command_info;
    bool json = false;
    int32_t set_count = 0;
    int letter;
    while ((letter = tl_next_option(command, argc, argv, ":h", option_table)) != TL_OPTION_END) {
        if (letter == TL_OPTION_HELP)
            return TL_EXIT_OK;
        if (letter == TL_OPTION_BAD)
            return TL_EXIT_USAGE;
        if (letter == 'j')
            json = true;
        else if (!strchr(optarg, '=') || optarg[0] == '=')
            return tl_usage(command, "--set takes KEY=VALUE, not '%s'", optarg);
        else
            sets[set_count++] = optarg;
    }
    if (optind == argc)
        return tl_usage(command, "info needs an archive or a scene");
    if (optind + 1 < argc)
        return tl_usage(command, "info takes one file, but '%s' follows '%s'", argv[optind + 1],
                        argv[optind]);
    if (tl_has_ending(argv[optind], ".pc2") || tl_has_ending(argv[optind], ".mdd"))
        return tl_info_points(argv[optind], json);
    if (is_archive(argv[optind]))
        return info_archive(argv[optind], json);
    return info_scene(argv[optind], sets, set_count, json);
}

static int run_info(int argc, char **argv) {
    const char **sets = calloc((size_t)argc, sizeof *sets);
    if (!sets) {
        tl_message("there is not enough memory.");
        return TL_EXIT_FAILURE;
    }
    int code = parse(argc, argv, sets);
    free(sets);
    return code;
}

const TlCommand tl_command_info = {"info", "says what an archive or a scene holds", help, true,
                                   run_info};
