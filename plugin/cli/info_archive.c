/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile info` of an archive: who wrote it, what it holds altogether, and its objects as a tree,
 * each with the path by which scenes name it. An object that cannot be read is listed with the
 * reason, and the rest goes on. */
#include "info_archive.h"

#include <math.h>
#include <string.h>

#define KINDS 8

static const char *const kind_names[KINDS] = {"other",  "transform", "mesh",   "subdivision mesh",
                                              "points", "curves",    "camera", "face set"};

static const char *kind_name(abcc_kind kind) {
    return (unsigned)kind < KINDS ? kind_names[kind] : kind_names[0];
}

static const char *topology_name(abcc_topology topology) {
    if (topology == ABCC_TOPO_STATIC)
        return "static";
    return topology == ABCC_TOPO_FIXED ? "fixed" : "changing";
}

static const char *time_name(abcc_time_kind kind) {
    if (kind == ABCC_TIME_UNIFORM)
        return "uniform";
    return kind == ABCC_TIME_CYCLIC ? "cyclic" : "acyclic";
}

static const char *visibility_name(int visible) {
    if (visible < 0)
        return "inherited";
    return visible ? "shown" : "hidden";
}

const char *tl_info_scope(abcc_scope scope) {
    static const char *const names[] = {"none",    "constant", "uniform",
                                        "varying", "vertex",   "face-varying"};
    size_t i = (size_t)scope;
    return i < sizeof names / sizeof names[0] ? names[i] : names[0];
}

/* ---- the tree for people ---- */

static void text_range(const char *before, TlInfoRange range, const char *what, const char *many) {
    printf("%s%u", before, (unsigned)range.low);
    if (range.high != range.low)
        printf(" to %u", (unsigned)range.high);
    printf(" %s", range.high == 1 ? what : many);
}

/* "every frame", or how else the samples are spread */
static void text_step(const abcc_times *times, double fps) {
    double frames = times->period * fps;
    if (times->kind == ABCC_TIME_ACYCLIC) {
        fputs(", at irregular times", stdout);
        return;
    }
    if (times->kind == ABCC_TIME_CYCLIC)
        printf(", %u in", (unsigned)times->per_period);
    fputs(times->kind == ABCC_TIME_CYCLIC ? " each " : ", every ", stdout);
    if (fps > 0.0 && fabs(frames - 1.0) < 1e-6)
        fputs("frame", stdout);
    else if (fps > 0.0)
        printf("%g frames", frames);
    else
        printf("%g s", times->period);
}

static void text_times(const TlInfoObject *info, double fps) {
    const abcc_times *times = &info->times;
    uint32_t samples = info->object.samples;
    printf(", %u sample%s", (unsigned)samples, samples == 1 ? "" : "s");
    if (samples < 2)
        return;
    if (fps > 0.0)
        printf(", frames %g to %g (%g to %g s)", times->first * fps, times->last * fps,
               times->first, times->last);
    else
        printf(", %g to %g s", times->first, times->last);
    text_step(times, fps);
    if (info->object.constant && !(info->has_mesh && info->mesh.topology != ABCC_TOPO_STATIC))
        fputs(", all equal", stdout);
}

static void text_subd(const abcc_subd_sizes *subd, int indent) {
    printf("%*s", indent, "");
    tl_text(stdout, subd->scheme);
    printf(", boundary rule %d, uv rule %d", subd->boundary, subd->fvar_boundary);
    if (subd->creases)
        printf(", %u crease%s of %u edge%s", (unsigned)subd->creases, subd->creases == 1 ? "" : "s",
               (unsigned)subd->crease_edges, subd->crease_edges == 1 ? "" : "s");
    if (subd->corners)
        printf(", %u sharp vert%s", (unsigned)subd->corners, subd->corners == 1 ? "ex" : "ices");
    if (subd->holes)
        printf(", %u hole%s", (unsigned)subd->holes, subd->holes == 1 ? "" : "s");
    fputc('\n', stdout);
}

static void text_mesh(const TlInfoObject *info) {
    text_range(", ", info->verts, "vertex", "vertices");
    text_range(", ", info->faces, "face", "faces");
    printf(", %s topology", topology_name(info->mesh.topology));
    if (info->mesh.normals)
        printf(", normals (%s)", tl_info_scope(info->mesh.normal_scope));
}

static void text_visibility(const TlInfoObject *info) {
    if (info->visibility_samples > 1)
        printf(", visibility changes (%u samples, first %s)", (unsigned)info->visibility_samples,
               visibility_name(info->visible));
    else if (info->visibility_samples == 1 && info->visible >= 0)
        printf(", %s", visibility_name(info->visible));
}

static void text_transform(const TlInfoObject *info) {
    if (info->object.samples == 0)
        fputs(", identity", stdout);
    else
        fputs(info->object.constant ? ", still" : ", moving", stdout);
    if (!info->inherits)
        fputs(", ignores its parents", stdout);
    if (info->mirrored)
        fputs(", mirrors", stdout);
}

/* what is read, but may be refused where it is used */
static void text_defects(const TlInfoObject *info, int indent) {
    if (info->not_finite > 0)
        printf("%*s%u %s not finite, the first is vertex %u\n", indent, "",
               (unsigned)info->not_finite, info->not_finite == 1 ? "vertex is" : "vertices are",
               (unsigned)info->first_not_finite);
    if (info->thin > 0)
        printf("%*s%u %s fewer than 3 corners, the first is face %u\n", indent, "",
               (unsigned)info->thin, info->thin == 1 ? "face has" : "faces have",
               (unsigned)info->first_thin);
}

static void text_object(const TlInfoObject *info, double fps, int indent) {
    const abcc_object *object = &info->object;
    printf("%*s", indent, "");
    tl_text(stdout, object->path);
    printf("  %s", kind_name(object->kind));
    if (object->kind == ABCC_OTHER && object->schema[0]) {
        fputs(" (", stdout);
        tl_text(stdout, object->schema);
        fputc(')', stdout);
    }
    if (object->source[0]) {
        fputs(", instance of ", stdout);
        tl_text(stdout, object->source);
    }
    if (info->has_mesh)
        text_mesh(info);
    if (object->samples > 0 && (object->kind == ABCC_POINTS || object->kind == ABCC_CURVES))
        text_range(", ", info->verts, "point", "points");
    if (info->velocities)
        fputs(", velocities", stdout);
    if (object->samples > 0 && object->kind == ABCC_FACESET)
        text_range(", ", info->faces, "face", "faces");
    if (info->has_transform)
        text_transform(info);
    if (object->kind != ABCC_OTHER)
        text_times(info, fps);
    text_visibility(info);
    fputc('\n', stdout);
    if (info->problem[0])
        printf("%*scannot be read: %s\n", indent + 2, "", info->problem);
    text_defects(info, indent + 2);
    if (info->has_subd)
        text_subd(&info->subd, indent + 2);
}

/* ---- JSON ---- */

static const char *truth(bool value) {
    return value ? "true" : "false";
}

static void json_text(const char *before, const char *name, const char *value) {
    printf("%s\"%s\": ", before, name);
    tl_json_string(stdout, value);
}

static void json_numbers(const char *name, const double *values, int32_t count) {
    printf(", \"%s\": ", name);
    tl_json_numbers(stdout, values, count);
}

static void json_range(const char *name, TlInfoRange range) {
    if (range.low == range.high)
        printf(", \"%s\": %u", name, (unsigned)range.low);
    else
        printf(", \"%s\": [%u, %u]", name, (unsigned)range.low, (unsigned)range.high);
}

static void json_times(const abcc_times *times, double fps) {
    const double seconds[2] = {times->first, times->last};
    const double frames[2] = {times->first * fps, times->last * fps};
    json_numbers("times_s", seconds, 2);
    if (fps > 0.0)
        json_numbers("frames", frames, 2);
    printf(", \"sampling\": {\"id\": %u, \"kind\": \"%s\", \"per_period\": %u, \"period_s\": ",
           (unsigned)times->id, time_name(times->kind), (unsigned)times->per_period);
    tl_json_number(stdout, times->kind == ABCC_TIME_ACYCLIC ? (double)NAN : times->period);
    fputc('}', stdout);
}

static void json_mesh(const TlInfoObject *info) {
    const abcc_mesh_sizes *sizes = &info->mesh;
    json_range("vertices", info->verts);
    json_range("faces", info->faces);
    printf(", \"corners\": %u, \"topology\": \"%s\", \"vertices_not_finite\": %u, "
           "\"faces_below_3_corners\": %u, \"normals\": ",
           (unsigned)sizes->corners, topology_name(sizes->topology), (unsigned)info->not_finite,
           (unsigned)info->thin);
    if (sizes->normals)
        printf("{\"values\": %u, \"scope\": \"%s\"}", (unsigned)sizes->normals,
               tl_info_scope(sizes->normal_scope));
    else
        fputs("null", stdout);
    if (sizes->has_bounds)
        json_numbers("bounds", sizes->bounds, 6);
}

static void json_subd(const abcc_subd_sizes *subd) {
    json_text(", \"subdivision\": {", "scheme", subd->scheme);
    printf(", \"boundary\": %d, \"face_varying_boundary\": %d, \"propagate_corners\": %d, "
           "\"creases\": %u, \"crease_edges\": %u, \"corners\": %u, \"holes\": %u}",
           subd->boundary, subd->fvar_boundary, subd->fvar_propagate_corners,
           (unsigned)subd->creases, (unsigned)subd->crease_edges, (unsigned)subd->corners,
           (unsigned)subd->holes);
}

static void json_object(const TlInfoObject *info, double fps) {
    const abcc_object *object = &info->object;
    json_text("{", "path", object->path);
    printf(", \"kind\": \"%s\"", kind_name(object->kind));
    json_text(", ", "schema", object->schema);
    printf(", \"instance\": %s", truth(object->source[0] || object->instance_of));
    if (object->source[0])
        json_text(", ", "instance_of", object->source);
    printf(", \"samples\": %u, \"constant\": %s", (unsigned)object->samples,
           truth(object->constant));
    if (object->samples > 0)
        json_times(&info->times, fps);
    if (info->has_mesh)
        json_mesh(info);
    if (info->has_subd)
        json_subd(&info->subd);
    if (object->samples > 0 && (object->kind == ABCC_POINTS || object->kind == ABCC_CURVES))
        json_range("points", info->verts);
    if (info->has_mesh || object->kind == ABCC_POINTS || object->kind == ABCC_CURVES)
        printf(", \"velocities\": %s", truth(info->velocities));
    if (object->samples > 0 && object->kind == ABCC_FACESET)
        json_range("faces", info->faces);
    if (info->has_transform) {
        printf(", \"inherits\": %s, \"mirrors\": %s", truth(info->inherits), truth(info->mirrored));
        json_numbers("matrix", info->matrix, 16);
    }
    printf(", \"visibility\": {\"value\": \"%s\", \"samples\": %u}", visibility_name(info->visible),
           (unsigned)info->visibility_samples);
    if (info->problem[0])
        json_text(", ", "problem", info->problem);
}

/* ---- the archive ---- */

static int print_objects(abcc_reader *reader, const char *path, double fps, bool json) {
    uint32_t count = abcc_object_count(reader), samples_left = TL_INFO_SAMPLES;
    for (uint32_t obj = 1; obj < count; obj++) {
        TlInfoObject info;
        abcc_error error = {0};
        if (!tl_info_learn(reader, obj, &samples_left, &info, &error))
            return tl_fail_archive(error.code, &error, path);
        int indent = 0;
        for (const char *c = info.object.path; *c; c++)
            indent += *c == '/' ? 2 : 0;
        if (json) {
            fputs(obj > 1 ? ",\n  " : "\n  ", stdout);
            json_object(&info, fps);
            tl_info_json_params(reader, obj);
            fputc('}', stdout);
        } else {
            text_object(&info, fps, indent);
            tl_info_text_params(reader, obj, indent + 2);
        }
    }
    return TL_EXIT_OK;
}

/* "2 meshes, 3 transforms" */
static void text_contents(abcc_reader *reader) {
    static const char *const one[KINDS] = {
        "other",       "transform",     "mesh",   "subdivision mesh",
        "point cloud", "set of curves", "camera", "face set"};
    static const char *const many[KINDS] = {
        "others",       "transforms",     "meshes",  "subdivision meshes",
        "point clouds", "sets of curves", "cameras", "face sets"};
    uint32_t counts[KINDS] = {0}, instances = 0, count = abcc_object_count(reader);
    const char *before = "";
    for (uint32_t obj = 1; obj < count; obj++) {
        abcc_object object = abcc_object_default();
        if (abcc_object_get(reader, obj, &object, NULL) != ABCC_OK)
            continue;
        instances += object.source[0] != 0;
        counts[(unsigned)object.kind < KINDS ? object.kind : 0]++;
    }
    fputs("  contents     ", stdout);
    for (int kind = 0; kind < KINDS; kind++)
        if (counts[kind] > 0) {
            printf("%s%u %s", before, (unsigned)counts[kind],
                   counts[kind] == 1 ? one[kind] : many[kind]);
            before = ", ";
        }
    if (instances)
        printf("%s%u of them by instances", before, (unsigned)instances);
    puts(count < 2 ? "nothing" : "");
}

static void text_line(const char *name, const char *value) {
    if (!value[0])
        return;
    printf("  %-12s ", name);
    tl_text(stdout, value);
    fputc('\n', stdout);
}

static int text_archive(abcc_reader *reader, const char *path, const abcc_info *info) {
    tl_text(stdout, path);
    puts(": Alembic archive");
    text_line("application", info->application);
    text_line("description", info->description);
    text_line("library", info->library);
    text_line("date", info->date);
    if (info->fps > 0.0)
        printf("  fps          %g\n", info->fps);
    text_contents(reader);
    return print_objects(reader, path, info->fps, false);
}

static int json_archive(abcc_reader *reader, const char *path, const abcc_info *info) {
    json_text("{\"kind\": \"archive\", ", "application", info->application);
    json_text(", ", "description", info->description);
    json_text(", ", "library", info->library);
    json_text(", ", "date", info->date);
    fputs(", \"fps\": ", stdout);
    tl_json_number(stdout, info->fps > 0.0 ? info->fps : (double)NAN);
    printf(", \"time_samplings\": %u,\n\"objects\": [", (unsigned)info->time_samplings);
    int code = print_objects(reader, path, info->fps, true);
    fputs("]}\n", stdout);
    return code;
}

int tl_info_archive(const char *path, bool json) {
    abcc_error error = {0};
    abcc_reader *reader = NULL;
    abcc_info info = abcc_info_default();
    abcc_status status = abcc_open(path, 0, NULL, &reader, &error);
    if (status == ABCC_OK)
        status = abcc_info_get(reader, &info, &error);
    int code = TL_EXIT_OK;
    if (status != ABCC_OK)
        code = tl_fail_archive(status, &error, path);
    else
        code = json ? json_archive(reader, path, &info) : text_archive(reader, path, &info);
    abcc_close(reader);
    return code;
}
