/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile bench bending`: one evaluation of the bending forces of all vertices, one thread. A sheet
 * of 10082 triangles, and one of 10000 quads, in a wavy pose. The linear model of Toile is measured
 * against its normal-based and crossover models and against two yardsticks that are written here as
 * a program with nothing but this model would write them, in double precision, forces added to the
 * vertices at once:
 *
 *   springs            E = k/2 (l - L)^2 between the ends of Toile's crossover springs: on
 *                      triangles the two vertices opposite of every edge
 *   original normals   [BMF03] Bridson, Marino, Fedkiw: Simulation of clothing with folds and
 *                      wrinkles, 2003: force k l^2/(|NA| + |NB|) sin(theta/2) u with the current
 *                      lengths, without trigonometry; triangles only
 *
 * Both are compared with the forces of Toile before anything is timed. */
#include "bench.h"

#include "bench_meshes.h"
#include "cli.h"
#include "platform.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <toile/draft.h>

enum { EVALUATIONS_PER_FRAME = 25, TRIANGLE_CELLS = 71, QUAD_CELLS = 100 };

/* the springs are the same; the original force has the lengths of the pose, which is stretched by
 * a few percent */
#define SPRINGS_AGREE 1e-9
#define NORMALS_AGREE 0.1

typedef enum Way { LINEAR, SPRINGS, CROSSOVER, NORMAL, ORIGINAL, WAY_COUNT } Way;

static const char *const way_names[WAY_COUNT] = {"linear", "springs", "crossover", "normal",
                                                 "original normals"};

/* The yardsticks' data, one contiguous array per attribute. */
typedef struct Springs {
    int32_t count;
    int32_t *ends;  /* 2 */
    double *length; /* m */
    double *k;      /* N/m */
} Springs;

typedef struct Hinges {
    int32_t count;
    int32_t *corners; /* 4: A, B, C, D */
    double *k;        /* N m */
} Hinges;

/* Everything about one sheet. */
typedef struct Sheet {
    bool triangles;
    int32_t way_count; /* quads have no original normals */
    int32_t evaluations;
    TlBenchMesh mesh;
    double *x, *force; /* 3 per vertex: the pose and the result */
    ToileSim *sims[WAY_COUNT];
    ToileClothId cloths[WAY_COUNT];
    Springs springs;
    Hinges hinges;
    TlRounds rounds;
} Sheet;

/* ---- yardsticks ---- */

static void spring_forces(const Springs *springs, int32_t vertex_count, const double *restrict x,
                          double *restrict force) {
    memset(force, 0, 3 * (size_t)vertex_count * sizeof *force);
    for (int32_t s = 0; s < springs->count; s++) {
        int32_t a = 3 * springs->ends[2 * s], b = 3 * springs->ends[2 * s + 1];
        double dx = x[b] - x[a], dy = x[b + 1] - x[a + 1], dz = x[b + 2] - x[a + 2];
        double f = springs->k[s] * (1.0 - springs->length[s] / sqrt(dx * dx + dy * dy + dz * dz));
        force[a] += f * dx;
        force[a + 1] += f * dy;
        force[a + 2] += f * dz;
        force[b] -= f * dx;
        force[b + 1] -= f * dy;
        force[b + 2] -= f * dz;
    }
}

typedef struct Vec {
    double x, y, z;
} Vec;

static inline Vec load(const double *x, int32_t v) {
    return (Vec){x[3 * v], x[3 * v + 1], x[3 * v + 2]};
}

static inline Vec minus(Vec a, Vec b) {
    return (Vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline double dot(Vec a, Vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vec cross(Vec a, Vec b) {
    return (Vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Adds f a + g b to a vertex. */
static inline void add_to(double *force, int32_t v, double f, Vec a, double g, Vec b) {
    force[3 * v] += f * a.x + g * b.x;
    force[3 * v + 1] += f * a.y + g * b.y;
    force[3 * v + 2] += f * a.z + g * b.z;
}

static void normal_forces(const Hinges *hinges, int32_t vertex_count, const double *restrict x,
                          double *restrict force) {
    memset(force, 0, 3 * (size_t)vertex_count * sizeof *force);
    for (int32_t h = 0; h < hinges->count; h++) {
        const int32_t *v = hinges->corners + 4 * (size_t)h;
        Vec A = load(x, v[0]), B = load(x, v[1]), C = load(x, v[2]), D = load(x, v[3]);
        Vec e = minus(D, C), ca = minus(A, C), cb = minus(B, C);
        Vec NA = cross(e, ca), NB = cross(cb, e);
        double a2 = dot(NA, NA), b2 = dot(NB, NB), l2 = dot(e, e);
        double a = sqrt(a2), b = sqrt(b2), l = sqrt(l2);
        /* sin(theta/2) = sqrt((1 - nA.nB)/2), above 0 for a valley: B on the side of NA */
        double half = 0.5 * (1.0 - dot(NA, NB) / (a * b));
        double sine = sqrt(half > 0.0 ? half : 0.0);
        double f = hinges->k[h] * l2 / (a + b) * (dot(NA, cb) > 0.0 ? -sine : sine);
        /* modes u of the fold: l N/|N|^2 for A and B, the rest to C and D by leverage */
        double fa = f * l / a2, fb = f * l / b2;
        double sa = dot(ca, e) / l2, sb = dot(cb, e) / l2;
        add_to(force, v[0], fa, NA, 0.0, NB);
        add_to(force, v[1], 0.0, NA, fb, NB);
        add_to(force, v[2], fa * (sa - 1.0), NA, fb * (sb - 1.0), NB);
        add_to(force, v[3], -fa * sa, NA, -fb * sb, NB);
    }
}

/* ---- preparation ---- */

/* Waves of 3 cm in two directions. */
static void pose(const TlBenchMesh *mesh, double *x) {
    memcpy(x, mesh->positions_m, 3 * (size_t)mesh->vertex_count * sizeof *x);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        double *p = x + 3 * (size_t)v;
        p[1] = 0.02 * sin(17.0 * p[0] + 5.0 * p[2]) + 0.01 * cos(23.0 * p[2]);
    }
}

static ToileStatus make_sim(Sheet *sheet, Way way, int32_t model, ToileError *error) {
    ToileSimDef def = toile_sim_def_default();
    def.contact_self = 0;
    ToileFabric fabric = toile_fabric_default();
    ToileMeshDef mesh = tl_bench_mesh_def(&sheet->mesh);
    ToileClothDef cloth = toile_cloth_def_default();
    def.threads = 1;
    fabric.bend_model = model;
    cloth.mesh = &mesh;
    cloth.fabric = &fabric;
    cloth.start_positions_m = sheet->x;
    return tl_bench_sim(&def, &cloth, &sheet->sims[way], &sheet->cloths[way], error);
}

static ToileStatus copy_springs(Sheet *sheet, ToileError *error) {
    ToileSim *sim = sheet->sims[CROSSOVER];
    Springs *springs = &sheet->springs;
    springs->count = toile_sim_spring_count(sim, sheet->cloths[CROSSOVER]);
    springs->ends = malloc(2 * (size_t)springs->count * sizeof *springs->ends);
    springs->length = malloc((size_t)springs->count * sizeof *springs->length);
    springs->k = malloc((size_t)springs->count * sizeof *springs->k);
    if (!springs->ends || !springs->length || !springs->k)
        return TOILE_STATUS_OUT_OF_MEMORY;
    for (int32_t s = 0; s < springs->count; s++) {
        ToileSpringDetail detail = {.struct_size = sizeof detail};
        ToileStatus status = toile_sim_get_spring(sim, sheet->cloths[CROSSOVER], s, &detail, error);
        if (status != TOILE_STATUS_OK)
            return status;
        memcpy(springs->ends + 2 * (size_t)s, detail.vertices, sizeof detail.vertices);
        springs->length[s] = detail.rest_length_m;
        springs->k[s] = detail.k_N_per_m;
    }
    return TOILE_STATUS_OK;
}

static ToileStatus copy_hinges(Sheet *sheet, ToileError *error) {
    ToileSim *sim = sheet->sims[NORMAL];
    Hinges *hinges = &sheet->hinges;
    hinges->count = toile_sim_hinge_count(sim, sheet->cloths[NORMAL]);
    hinges->corners = malloc(4 * (size_t)hinges->count * sizeof *hinges->corners);
    hinges->k = malloc((size_t)hinges->count * sizeof *hinges->k);
    if (!hinges->corners || !hinges->k)
        return TOILE_STATUS_OUT_OF_MEMORY;
    for (int32_t h = 0; h < hinges->count && sheet->triangles; h++) {
        ToileHingeDetail detail = {.struct_size = sizeof detail};
        ToileStatus status = toile_sim_get_hinge(sim, sheet->cloths[NORMAL], h, &detail, error);
        if (status != TOILE_STATUS_OK)
            return status;
        memcpy(hinges->corners + 4 * (size_t)h, detail.vertices, 4 * sizeof *detail.vertices);
        /* of Toile: 2 k_e sin(theta/2) u; l^2/(|NA| + |NB|) = l/(hA + hB) at rest */
        hinges->k[h] =
            2.0 * detail.k_e_N_m * (detail.height_a_m + detail.height_b_m) / detail.length_m;
    }
    return TOILE_STATUS_OK;
}

/* Evaluates the forces of one way some times; the result is in sheet->force. */
static ToileStatus evaluate(Sheet *sheet, Way way, int32_t count, ToileError *error) {
    int32_t n = sheet->mesh.vertex_count;
    if (way == SPRINGS)
        for (int32_t i = 0; i < count; i++)
            spring_forces(&sheet->springs, n, sheet->x, sheet->force);
    else if (way == ORIGINAL)
        for (int32_t i = 0; i < count; i++)
            normal_forces(&sheet->hinges, n, sheet->x, sheet->force);
    else
        return toile_sim_get_bend_forces(sheet->sims[way], sheet->cloths[way], count, sheet->force,
                                         error);
    return TOILE_STATUS_OK;
}

/* A yardstick must do the work of the model it stands for. */
static ToileStatus compare(Sheet *sheet, Way yardstick, Way model, double tolerance,
                           ToileError *error) {
    size_t n = 3 * (size_t)sheet->mesh.vertex_count;
    double *other = malloc(n * sizeof *other), apart = 0.0, size = 0.0;
    if (!other)
        return TOILE_STATUS_OUT_OF_MEMORY;
    ToileStatus status = evaluate(sheet, model, 1, error);
    memcpy(other, sheet->force, n * sizeof *other);
    if (status == TOILE_STATUS_OK)
        status = evaluate(sheet, yardstick, 1, error);
    for (size_t i = 0; i < n; i++) {
        apart += (sheet->force[i] - other[i]) * (sheet->force[i] - other[i]);
        size += other[i] * other[i];
    }
    free(other);
    if (status != TOILE_STATUS_OK || (size > 0.0 && apart <= tolerance * tolerance * size))
        return status;
    snprintf(error->message, sizeof error->message,
             "the forces of '%s' and '%s' differ by %g of their size, and %g is allowed",
             way_names[yardstick], way_names[model], sqrt(apart / size), tolerance);
    return TOILE_STATUS_INTERNAL;
}

static ToileStatus prepare(Sheet *sheet, const TlBenchOptions *options, ToileError *error) {
    int32_t cells = sheet->triangles ? TRIANGLE_CELLS : QUAD_CELLS;
    sheet->way_count = sheet->triangles ? WAY_COUNT : ORIGINAL;
    sheet->evaluations = EVALUATIONS_PER_FRAME * options->frames;
    bool room = tl_bench_sheet(&sheet->mesh, cells, sheet->triangles);
    sheet->x = calloc(3 * (size_t)sheet->mesh.vertex_count, sizeof *sheet->x);
    sheet->force = calloc(3 * (size_t)sheet->mesh.vertex_count, sizeof *sheet->force);
    room = tl_rounds_alloc(&sheet->rounds, options->pairs, sheet->way_count) && room;
    if (!room || !sheet->x || !sheet->force)
        return TOILE_STATUS_OUT_OF_MEMORY;
    pose(&sheet->mesh, sheet->x);
    ToileStatus status = make_sim(sheet, LINEAR, TOILE_BEND_LINEAR, error);
    if (status == TOILE_STATUS_OK)
        status = make_sim(sheet, CROSSOVER, TOILE_BEND_CROSSOVER, error);
    if (status == TOILE_STATUS_OK)
        status = make_sim(sheet, NORMAL, TOILE_BEND_NORMAL, error);
    if (status == TOILE_STATUS_OK)
        status = copy_springs(sheet, error);
    if (status == TOILE_STATUS_OK)
        status = copy_hinges(sheet, error);
    if (status == TOILE_STATUS_OK)
        status = compare(sheet, SPRINGS, CROSSOVER, SPRINGS_AGREE, error);
    if (status == TOILE_STATUS_OK && sheet->triangles)
        status = compare(sheet, ORIGINAL, NORMAL, NORMALS_AGREE, error);
    return status;
}

static void release(Sheet *sheet) {
    for (int32_t i = 0; i < WAY_COUNT; i++)
        toile_sim_destroy(sheet->sims[i]);
    tl_bench_mesh_free(&sheet->mesh);
    tl_rounds_free(&sheet->rounds);
    free(sheet->x);
    free(sheet->force);
    free(sheet->springs.ends);
    free(sheet->springs.length);
    free(sheet->springs.k);
    free(sheet->hinges.corners);
    free(sheet->hinges.k);
}

static ToileStatus run_way(void *context, int32_t way, double *seconds, ToileError *error) {
    Sheet *sheet = context;
    /* once beforehand, so that caches hold what this way needs */
    ToileStatus status = evaluate(sheet, (Way)way, 1, error);
    double begun_s = tl_now_s();
    if (status == TOILE_STATUS_OK)
        status = evaluate(sheet, (Way)way, sheet->evaluations, error);
    *seconds = (tl_now_s() - begun_s) / sheet->evaluations;
    return status;
}

/* ---- the result ---- */

static void print_json(const Sheet *sheet) {
    printf("\n {\"faces\": %d, \"corners\": %d, \"hinges\": %d, \"springs\": %d, \"ways\": [",
           (int)sheet->mesh.face_count, sheet->triangles ? 3 : 4, (int)sheet->hinges.count,
           (int)sheet->springs.count);
    for (int32_t way = 0; way < sheet->way_count; way++) {
        double us = 1e6 * tl_rounds_seconds(&sheet->rounds, way).median;
        printf("%s\n  {\"name\": \"%s\"", way ? "," : "", way_names[way]);
        tl_json_field("us", us);
        tl_json_field("ns_per_hinge", 1000.0 * us / sheet->hinges.count);
        if (way != LINEAR)
            tl_json_quartiles("ratio", tl_rounds_ratio(&sheet->rounds, LINEAR, way));
        fputs("}", stdout);
    }
    fputs("]}", stdout);
}

static void print_table(const Sheet *sheet) {
    printf("  %d %s, %d hinges, %d springs\n", (int)sheet->mesh.face_count,
           sheet->triangles ? "triangles" : "quads", (int)sheet->hinges.count,
           (int)sheet->springs.count);
    for (int32_t way = 0; way < sheet->way_count; way++) {
        double us = 1e6 * tl_rounds_seconds(&sheet->rounds, way).median;
        printf("    %-16s %8.1f us, %6.2f ns a hinge", way_names[way], us,
               1000.0 * us / sheet->hinges.count);
        TlQuartiles ratio = tl_rounds_ratio(&sheet->rounds, LINEAR, way);
        if (way != LINEAR)
            printf("   linear / this: %.3f (%.3f to %.3f)", ratio.median, ratio.q1, ratio.q3);
        fputs("\n", stdout);
    }
}

static ToileStatus run_sheet(const TlBenchOptions *options, bool triangles, ToileError *error) {
    Sheet sheet = {.triangles = triangles};
    ToileStatus status = prepare(&sheet, options, error);
    if (status == TOILE_STATUS_OK)
        status = tl_rounds_run(&sheet.rounds, run_way, &sheet, error);
    if (status == TOILE_STATUS_OK && options->json)
        print_json(&sheet);
    else if (status == TOILE_STATUS_OK)
        print_table(&sheet);
    release(&sheet);
    return status;
}

static int run_bending(const TlBenchOptions *options) {
    ToileError error = toile_error_default();
    int evaluations = EVALUATIONS_PER_FRAME * (int)options->frames;
    if (options->json)
        printf("{\"bench\": \"bending\", \"threads\": 1, \"pairs\": %d, \"evaluations\": %d, "
               "\"ratio\": \"linear / this\", \"meshes\": [",
               (int)options->pairs, evaluations);
    else
        printf("bending: forces of all vertices, %d pair(s) of runs of %d evaluations, 1 thread; "
               "median (quartiles)\n",
               (int)options->pairs, evaluations);
    ToileStatus status = run_sheet(options, true, &error);
    if (status == TOILE_STATUS_OK) {
        fputs(options->json ? "," : "", stdout);
        status = run_sheet(options, false, &error);
    }
    fputs(options->json ? "]}\n" : "", stdout);
    return tl_bench_code(status, &error);
}

const TlBench tl_bench_bending = {"bending", "linear bending against springs and normals",
                                  run_bending};
