/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of the benchmarks and simulations of them. What is irregular comes from one generator of
 * pseudo-random numbers with fixed seeds (splitmix64). */
#include "bench_scene.h"

#include "platform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* what a sub-step of a tight solution is solved to */
#define TIGHT_M 1e-5
#define TIGHT_LINEAR 0.01

/* how far a vertex is moved at random, in parts of the distance to its neighbours */
#define MIXED_JITTER 0.2
#define GARMENT_JITTER 0.25
#define TRIANGLE_PART 0.4 /* of the cells of a mixed mesh */

#define GARMENT_LENGTH_M 0.7
#define GARMENT_TOP_M 0.4
#define GARMENT_HEM_M 0.6
#define SHOULDER_PART 0.12 /* of a panel's width, at each side */

#define SPHERE_M 0.25 /* radius under a drape */
#define DROP_M 0.01   /* from which things fall */
#define SLOPE 0.5     /* of a falling sheet: rise over its length, ratio */
#define WAVE_M 0.02   /* of its height, up and down */
#define WAVES 3.0     /* along the slope */
#define LAYER_CELL_M 0.015
#define LAYER_GAP_M 0.0009 /* less than the contact distance: they press from the start */
#define LAYER_TURN 0.15    /* most, rad */

/* ---- random numbers ---- */

static uint64_t random_bits(uint64_t *state) {
    uint64_t bits = *state += 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

/* in [0, 1) */
static double random_part(uint64_t *state) {
    return (double)(random_bits(state) >> 11) * 0x1p-53;
}

static double jitter(uint64_t *state, double most) {
    return most * (2.0 * random_part(state) - 1.0);
}

static int32_t random_below(uint64_t *state, int32_t count) {
    return (int32_t)(random_bits(state) % (uint64_t)count);
}

static void swap_numbers(int32_t *a, int32_t *b) {
    int32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* An order of 0 to count - 1, for free(); NULL when out of memory. */
static int32_t *random_order(uint64_t *state, int32_t count) {
    int32_t *order = malloc((size_t)count * sizeof *order);
    for (int32_t i = 0; order && i < count; i++) {
        order[i] = i;
        swap_numbers(order + i, order + random_below(state, i + 1));
    }
    return order;
}

/* ---- scenes ---- */

void tl_bench_scene_free(TlBenchScene *scene) {
    tl_bench_mesh_free(&scene->mesh);
    free(scene->uvs);
    free(scene->corner_uvs);
    free(scene->pins);
    free(scene->start_m);
    *scene = (TlBenchScene){0};
}

ToileMeshDef tl_bench_scene_mesh(const TlBenchScene *scene) {
    ToileMeshDef def = tl_bench_mesh_def(&scene->mesh);
    def.uv_count = scene->uv_count;
    def.uvs = scene->uvs;
    def.corner_uvs = scene->corner_uvs;
    return def;
}

/* Room for so many at most; the scene is empty. */
static bool reserve(TlBenchScene *scene, int32_t vertices, int32_t uvs, int32_t faces,
                    int32_t corners, int32_t pins) {
    TlBenchMesh *mesh = &scene->mesh;
    *scene = (TlBenchScene){0};
    mesh->positions_m = malloc(3 * (size_t)vertices * sizeof *mesh->positions_m);
    mesh->face_sizes = malloc((size_t)faces * sizeof *mesh->face_sizes);
    mesh->corners = malloc((size_t)corners * sizeof *mesh->corners);
    scene->uvs = malloc(2 * (size_t)uvs * sizeof *scene->uvs);
    scene->corner_uvs = malloc((size_t)corners * sizeof *scene->corner_uvs);
    scene->pins = malloc((size_t)pins * sizeof *scene->pins);
    return mesh->positions_m && mesh->face_sizes && mesh->corners && scene->uvs &&
           scene->corner_uvs && scene->pins;
}

static int32_t add_vertex(TlBenchScene *scene, double x, double y, double z) {
    const double position[3] = {x, y, z};
    memcpy(scene->mesh.positions_m + 3 * (size_t)scene->mesh.vertex_count, position,
           sizeof position);
    return scene->mesh.vertex_count++;
}

static int32_t add_uv(TlBenchScene *scene, double u, double v) {
    scene->uvs[2 * scene->uv_count] = u;
    scene->uvs[2 * scene->uv_count + 1] = v;
    return scene->uv_count++;
}

static void add_face(TlBenchScene *scene, int32_t size, const int32_t *corners,
                     const int32_t *corner_uvs) {
    TlBenchMesh *mesh = &scene->mesh;
    size_t bytes = (size_t)size * sizeof *corners;
    memcpy(mesh->corners + mesh->corner_count, corners, bytes);
    memcpy(scene->corner_uvs + mesh->corner_count, corner_uvs, bytes);
    mesh->corner_count += size;
    mesh->face_sizes[mesh->face_count++] = size;
}

static bool pin_corners(TlBenchScene *scene, int32_t cells) {
    if (!scene->pins)
        scene->pins = malloc(2 * sizeof *scene->pins);
    if (!scene->pins)
        return false;
    scene->pins[0] = 0;
    scene->pins[1] = cells;
    scene->pin_count = 2;
    return true;
}

bool tl_bench_hang(TlBenchScene *scene, int32_t cells) {
    *scene = (TlBenchScene){0};
    return tl_bench_sheet(&scene->mesh, cells, false) && pin_corners(scene, cells);
}

/* A cell as one quad or, at random, as two triangles. */
static void add_cell(TlBenchScene *scene, const int32_t quad[4], uint64_t *random) {
    if (random_part(random) >= TRIANGLE_PART) {
        add_face(scene, 4, quad, quad);
        return;
    }
    int32_t first = random_below(random, 2);
    for (int32_t half = 0; half < 2; half++) {
        int32_t from = first + 2 * half;
        const int32_t corners[3] = {quad[from], quad[(from + 1) % 4], quad[(from + 2) % 4]};
        add_face(scene, 3, corners, corners);
    }
}

bool tl_bench_mixed(TlBenchScene *scene, int32_t cells) {
    int32_t side = cells + 1, quads = cells * cells;
    uint64_t random = 1;
    if (!reserve(scene, side * side, side * side, 2 * quads, 6 * quads, 2))
        return false;
    for (int32_t at = 0; at < side * side; at++) {
        int32_t i = at % side, j = at / side;
        bool inside = i > 0 && i < cells && j > 0 && j < cells;
        double u = i + (inside ? jitter(&random, MIXED_JITTER) : 0.0);
        double v = -j + (inside ? jitter(&random, MIXED_JITTER) : 0.0);
        add_vertex(scene, u / cells, 0.0, v / cells);
        add_uv(scene, u / cells, -v / cells);
    }
    for (int32_t cell = 0; cell < quads; cell++) {
        int32_t a = cell / cells * side + cell % cells;
        const int32_t quad[4] = {a + side, a + side + 1, a + 1, a};
        add_cell(scene, quad, &random);
    }
    return pin_corners(scene, cells);
}

/* ---- things to fall on ---- */

static ToileColliderDef sphere_under(double x, double y, double z) {
    ToileColliderDef sphere = toile_collider_def_default();
    sphere.shape = TOILE_COLLIDER_SPHERE;
    sphere.radius_m = SPHERE_M;
    sphere.center_m[0] = x;
    sphere.center_m[1] = y - SPHERE_M - DROP_M;
    sphere.center_m[2] = z;
    return sphere;
}

static ToileColliderDef floor_at(double y) {
    ToileColliderDef plane = toile_collider_def_default();
    plane.shape = TOILE_COLLIDER_PLANE;
    plane.center_m[1] = y;
    return plane;
}

bool tl_bench_drape(TlBenchScene *scene, int32_t cells) {
    *scene = (TlBenchScene){.meets = true, .collider = sphere_under(0.5, 0.0, -0.5)};
    return tl_bench_sheet(&scene->mesh, cells, false);
}

bool tl_bench_hang_by_middle(TlBenchScene *scene, int32_t cells) {
    *scene = (TlBenchScene){.pins = malloc(sizeof *scene->pins), .pin_count = 1};
    if (!scene->pins)
        return false;
    scene->pins[0] = cells / 2 * (cells + 2);
    return tl_bench_sheet(&scene->mesh, cells, false);
}

bool tl_bench_fall(TlBenchScene *scene, int32_t cells) {
    *scene = (TlBenchScene){.meets = true, .collider = floor_at(-DROP_M)};
    bool ok = tl_bench_sheet(&scene->mesh, cells, false);
    size_t values = 3 * (size_t)scene->mesh.vertex_count;
    scene->start_m = malloc(values * sizeof *scene->start_m);
    if (!ok || !scene->start_m)
        return false;
    for (size_t i = 0; i < values; i += 3) {
        double along = -scene->mesh.positions_m[i + 2];
        scene->start_m[i] = scene->mesh.positions_m[i];
        scene->start_m[i + 1] = SLOPE * along + WAVE_M * (1.0 - cos(2.0 * PI * WAVES * along));
        scene->start_m[i + 2] = -sqrt(1.0 - SLOPE * SLOPE) * along;
    }
    return true;
}

/* One square around the y axis. */
static void add_layer(TlBenchScene *scene, int32_t cells, double y, double turn_rad) {
    int32_t side = cells + 1, first = scene->mesh.vertex_count;
    double c = cos(turn_rad), s = sin(turn_rad);
    for (int32_t at = 0; at < side * side; at++) {
        double x = (at % side - 0.5 * cells) * LAYER_CELL_M;
        double z = (0.5 * cells - at / side) * LAYER_CELL_M;
        add_vertex(scene, c * x - s * z, y, s * x + c * z);
        add_uv(scene, x, -z);
    }
    for (int32_t cell = 0; cell < cells * cells; cell++) {
        int32_t a = first + cell / cells * side + cell % cells;
        const int32_t quad[4] = {a + side, a + side + 1, a + 1, a};
        add_face(scene, 4, quad, quad);
    }
}

bool tl_bench_stack(TlBenchScene *scene, int32_t layers, int32_t cells) {
    int32_t vertices = layers * (cells + 1) * (cells + 1), faces = layers * cells * cells;
    uint64_t random = 3;
    if (!reserve(scene, vertices, vertices, faces, 4 * faces, 1))
        return false;
    for (int32_t i = 0; i < layers; i++)
        add_layer(scene, cells, i * LAYER_GAP_M, jitter(&random, LAYER_TURN));
    scene->meets = true;
    scene->collider = floor_at(-LAYER_GAP_M);
    return true;
}

/* ---- the garment ---- */

/* One vertex of a panel; the sides of both panels share theirs. */
typedef struct PanelPoint {
    int32_t vertex, uv;
    double u, v; /* metres from the top's middle */
} PanelPoint;

/* A panel in rows of points; row i has the points first[i] to first[i + 1]. */
typedef struct Panel {
    int32_t rows;
    int32_t *first;
    PanelPoint *points;
} Panel;

static double width_at(double v) {
    return GARMENT_TOP_M + (GARMENT_HEM_M - GARMENT_TOP_M) * v / GARMENT_LENGTH_M;
}

static bool lay_out(Panel *panel, int32_t rows) {
    double spacing = GARMENT_LENGTH_M / rows;
    *panel = (Panel){.rows = rows, .first = malloc(((size_t)rows + 2) * sizeof *panel->first)};
    if (!panel->first)
        return false;
    panel->first[0] = 0;
    for (int32_t row = 0; row <= rows; row++) {
        int32_t cells = (int32_t)(width_at(row * spacing) / spacing + 0.5);
        panel->first[row + 1] = panel->first[row] + cells + 1;
    }
    panel->points = malloc((size_t)panel->first[rows + 1] * sizeof *panel->points);
    return panel->points != NULL;
}

/* Adds the points of a panel: half of a cone, `side` 1 the front and -1 the back, for which the
 * points of the front stand in `panel`. */
static void add_points(TlBenchScene *scene, Panel *panel, int32_t side, uint64_t *random) {
    double spacing = GARMENT_LENGTH_M / panel->rows;
    for (int32_t row = 0; row <= panel->rows; row++) {
        int32_t cells = panel->first[row + 1] - panel->first[row] - 1;
        for (int32_t i = 0; i <= cells; i++) {
            PanelPoint *point = panel->points + panel->first[row] + i;
            bool at_side = i == 0 || i == cells, at_end = row == 0 || row == panel->rows;
            double part = (i + (at_side ? 0.0 : jitter(random, GARMENT_JITTER))) / cells;
            double v = (row + (at_side || at_end ? 0.0 : jitter(random, GARMENT_JITTER))) * spacing;
            double radius = width_at(v) / PI, angle = PI * part;
            if (side > 0 || !at_side)
                point->vertex =
                    add_vertex(scene, -radius * cos(angle), -v, side * radius * sin(angle));
            bool held = row == 0 && (part < SHOULDER_PART || part > 1.0 - SHOULDER_PART);
            if (held && (side > 0 || !at_side))
                scene->pins[scene->pin_count++] = point->vertex;
            point->u = (part - 0.5) * width_at(v);
            point->v = v;
            /* panels lie apart in the pattern */
            point->uv = add_uv(scene, point->u + (side > 0 ? 0.0 : 1.0), v);
        }
    }
}

static double distance2(const PanelPoint *a, const PanelPoint *b) {
    return (a->u - b->u) * (a->u - b->u) + (a->v - b->v) * (a->v - b->v);
}

static void add_triangle(TlBenchScene *scene, int32_t side, const PanelPoint *a,
                         const PanelPoint *b, const PanelPoint *c) {
    /* fronts look outwards on both panels */
    const PanelPoint *second = side > 0 ? c : b, *third = side > 0 ? b : c;
    const int32_t corners[3] = {a->vertex, second->vertex, third->vertex};
    const int32_t uvs[3] = {a->uv, second->uv, third->uv};
    add_face(scene, 3, corners, uvs);
}

/* Fills the strip between two rows, which have different numbers of points, with triangles over
 * the shorter of the two edges that are possible each time. */
static void add_strip(TlBenchScene *scene, const Panel *panel, int32_t row, int32_t side) {
    const PanelPoint *a = panel->points + panel->first[row],
                     *b = panel->points + panel->first[row + 1];
    const PanelPoint *last_a = b - 1, *last_b = panel->points + panel->first[row + 2] - 1;
    while (a < last_a || b < last_b) {
        bool along_a = a < last_a && (b == last_b || distance2(a + 1, b) < distance2(a, b + 1));
        if (along_a)
            add_triangle(scene, side, a, a + 1, b);
        else
            add_triangle(scene, side, a, b + 1, b);
        a += along_a ? 1 : 0;
        b += along_a ? 0 : 1;
    }
}

static void add_panel(TlBenchScene *scene, Panel *panel, int32_t side, uint64_t *random) {
    add_points(scene, panel, side, random);
    for (int32_t row = 0; row < panel->rows; row++)
        add_strip(scene, panel, row, side);
}

/* Renumbers the vertices. */
static bool scatter_vertices(TlBenchScene *scene, uint64_t *random) {
    TlBenchMesh *mesh = &scene->mesh;
    size_t bytes = 3 * (size_t)mesh->vertex_count * sizeof *mesh->positions_m;
    int32_t *order = random_order(random, mesh->vertex_count);
    double *positions = malloc(bytes);
    for (int32_t i = 0; order && positions && i < mesh->vertex_count; i++)
        memcpy(positions + 3 * (size_t)order[i], mesh->positions_m + 3 * (size_t)i,
               3 * sizeof *positions);
    for (int32_t i = 0; order && i < mesh->corner_count; i++)
        mesh->corners[i] = order[mesh->corners[i]];
    for (int32_t i = 0; order && i < scene->pin_count; i++)
        scene->pins[i] = order[scene->pins[i]];
    free(order);
    if (!order || !positions) {
        free(positions);
        return false;
    }
    free(mesh->positions_m);
    mesh->positions_m = positions;
    return true;
}

/* Changes the order of the faces, which are triangles, and at which corner they begin. */
static void scatter_faces(TlBenchScene *scene, uint64_t *random) {
    for (int32_t i = 0; i < scene->mesh.face_count; i++) {
        int32_t *corners = scene->mesh.corners + 3 * (size_t)i,
                *uvs = scene->corner_uvs + 3 * (size_t)i;
        int32_t other = 3 * random_below(random, i + 1), turns = random_below(random, 3);
        for (int32_t k = 0; k < 3; k++) {
            swap_numbers(corners + k, scene->mesh.corners + other + k);
            swap_numbers(uvs + k, scene->corner_uvs + other + k);
        }
        for (int32_t turn = 0; turn < turns; turn++)
            for (int32_t k = 0; k < 2; k++) {
                swap_numbers(corners + k, corners + k + 1);
                swap_numbers(uvs + k, uvs + k + 1);
            }
    }
}

bool tl_bench_garment(TlBenchScene *scene, int32_t rows) {
    Panel panel;
    uint64_t random = 2;
    *scene = (TlBenchScene){0};
    bool ok = lay_out(&panel, rows);
    int32_t points = ok ? panel.first[rows + 1] : 0;
    /* a panel has fewer than two triangles a point */
    ok = ok && reserve(scene, 2 * points, 2 * points, 4 * points, 12 * points, 2 * points);
    if (ok) {
        add_panel(scene, &panel, 1, &random);
        add_panel(scene, &panel, -1, &random);
        scatter_faces(scene, &random);
        ok = scatter_vertices(scene, &random);
    }
    free(panel.first);
    free(panel.points);
    return ok;
}

/* ---- simulations ---- */

ToileFabric tl_bench_fabric(double stretch_N_per_m) {
    ToileFabric fabric = toile_fabric_default();
    fabric.density_kg_per_m2 = 0.187;
    fabric.stretch_weft_N_per_m = fabric.stretch_warp_N_per_m = stretch_N_per_m;
    fabric.stretch_shear_N_per_m = 50.0;
    fabric.stretch_poisson = 0.0;
    fabric.bend_weft_N_m = fabric.bend_warp_N_m = 5e-5;
    return fabric;
}

TlBenchWay tl_bench_way_default(void) {
    return (TlBenchWay){.quality = TOILE_QUALITY_STANDARD,
                        .elements = TOILE_ELEMENTS_NATIVE,
                        .threads = 1,
                        .stretch_N_per_m = 1000.0};
}

/* Keeps the first state. */
static ToileStatus keep_start(TlBenchSim *sim, ToileError *error) {
    sim->start_size = toile_sim_snapshot_size(sim->sim);
    sim->start = malloc(sim->start_size);
    if (!sim->start)
        return TOILE_STATUS_OUT_OF_MEMORY;
    return toile_sim_snapshot(sim->sim, sim->start, sim->start_size, error);
}

/* And builds what depends on it. */
static ToileStatus add_collider(const TlBenchScene *scene, ToileSim *sim, ToileError *error) {
    ToileColliderId id;
    ToileEnergies energies = toile_energies_default();
    ToileStatus status = toile_sim_add_collider(sim, &scene->collider, &id, error);
    return status == TOILE_STATUS_OK ? toile_sim_get_energies(sim, &energies, error) : status;
}

ToileStatus tl_bench_sim_create(const TlBenchScene *scene, const TlBenchWay *way, TlBenchSim *out,
                                ToileError *error) {
    ToileSimDef def = toile_sim_def_default();
    ToileMeshDef mesh = tl_bench_scene_mesh(scene);
    ToileFabric fabric = tl_bench_fabric(way->stretch_N_per_m);
    ToileClothDef cloth = toile_cloth_def_default();
    *out = (TlBenchSim){0};
    def.threads = way->threads;
    def.quality = (int32_t)way->quality;
    def.contact_self = scene->meets;
    def.allocator = way->allocator;
    def.tolerance_m = way->tight ? TIGHT_M : 0.0;
    def.linear_tolerance = way->tight ? TIGHT_LINEAR : 0.0;
    cloth.mesh = &mesh;
    cloth.fabric = &fabric;
    cloth.elements = (int32_t)way->elements;
    cloth.pattern = scene->uvs ? TOILE_PATTERN_ORIENTATION : TOILE_PATTERN_NONE;
    cloth.pin_vertices = scene->pins;
    cloth.pin_count = scene->pin_count;
    cloth.start_positions_m = scene->start_m;
    ToileStatus status = tl_bench_sim(&def, &cloth, &out->sim, &out->cloth, error);
    if (status == TOILE_STATUS_OK && scene->meets)
        status = add_collider(scene, out->sim, error);
    return status == TOILE_STATUS_OK ? keep_start(out, error) : status;
}

ToileStatus tl_bench_sim_restart(TlBenchSim *sim, ToileError *error) {
    return toile_sim_restore(sim->sim, sim->start, sim->start_size, error);
}

void tl_bench_sim_destroy(TlBenchSim *sim) {
    toile_sim_destroy(sim->sim);
    free(sim->start);
    *sim = (TlBenchSim){0};
}

ToileStatus tl_bench_step(TlBenchSim *sim, int32_t frames, TlBenchCost *cost, ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    for (int32_t i = 0; i < frames && status == TOILE_STATUS_OK; i++) {
        ToileStats stats = toile_stats_default();
        double begun_s = tl_now_s();
        status = toile_sim_step(sim->sim, error);
        cost->seconds += tl_now_s() - begun_s;
        if (status == TOILE_STATUS_OK)
            status = toile_sim_get_stats(sim->sim, &stats, error);
        cost->substeps += stats.substeps;
        cost->newton_iterations += stats.newton_iterations;
        cost->cg_iterations += stats.cg_iterations;
        cost->kinetic_J += stats.kinetic_J;
        cost->frames++;
    }
    return status;
}
