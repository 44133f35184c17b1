/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Builders and helpers of the core's tests; see builders.h. */
#include "support/builders.h"

#include "base/platform.h"
#include "rest/model.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tolerances ---- */

double test_scale(void) {
    const char *text = getenv("TOILE_TOLERANCE_SCALE");
    return text != NULL && text[0] != '\0' ? strtod(text, NULL) : 1.0;
}

void test_near(double got, double want, double tolerance, const char *what, const char *file,
               int line) {
    double most = tolerance * test_scale();
    /* asserts of Check write to a pipe even when they hold, and there are millions of these */
    if (!(fabs(got - want) <= most)) {
        ck_abort_msg("%s:%d: %s is %.15g, wanted %.15g (off by %.3g, allowed %.3g)", file, line,
                     what, got, want, got - want, most);
    }
}

/* ---- random numbers ---- */

TestRandom test_random(uint64_t seed) {
    const char *text = getenv("TOILE_TEST_SEED");
    if (text != NULL && text[0] != '\0') {
        seed = strtoull(text, NULL, 0);
    }
    printf("seed %" PRIu64 "\n", seed);
    fflush(stdout);
    return (TestRandom){seed};
}

/* splitmix64 */
uint64_t test_bits(TestRandom *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

double test_between(TestRandom *random, double low, double high) {
    return low + (high - low) * ((double)(test_bits(random) >> 11) * 0x1p-53);
}

int32_t test_below(TestRandom *random, int32_t count) {
    return (int32_t)(test_bits(random) % (uint64_t)count);
}

void *test_alloc(size_t size) {
    void *memory = calloc(1, size > 0 ? size : 1);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

/* ---- meshes ---- */

static TestMesh new_mesh(int32_t vertex_count, int32_t face_count, int32_t corner_count) {
    TestMesh mesh = {vertex_count, face_count, corner_count, vertex_count, NULL,
                     NULL,         NULL,       NULL,         NULL};
    mesh.positions = test_alloc(3 * sizeof(double) * (size_t)vertex_count);
    mesh.face_sizes = test_alloc(sizeof(int32_t) * (size_t)face_count);
    mesh.corners = test_alloc(sizeof(int32_t) * (size_t)corner_count);
    mesh.uvs = test_alloc(2 * sizeof(double) * (size_t)vertex_count);
    mesh.corner_uvs = test_alloc(sizeof(int32_t) * (size_t)corner_count);
    return mesh;
}

/* uv = (x, y), one per vertex. */
static void uvs_from_positions(TestMesh *mesh) {
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        mesh->uvs[2 * v] = mesh->positions[3 * v];
        mesh->uvs[2 * v + 1] = mesh->positions[3 * v + 1];
    }
    memcpy(mesh->corner_uvs, mesh->corners, sizeof(int32_t) * (size_t)mesh->corner_count);
}

/* Appends one face to a mesh being filled; `at` counts faces and corners. */
static void add_face(TestMesh *mesh, int32_t at[2], int32_t size, const int32_t *corners) {
    mesh->face_sizes[at[0]++] = size;
    memcpy(mesh->corners + at[1], corners, sizeof(int32_t) * (size_t)size);
    at[1] += size;
}

static void add_cell(TestMesh *mesh, int32_t at[2], const int32_t q[4], bool flip) {
    const int32_t straight[2][3] = {{q[0], q[1], q[2]}, {q[0], q[2], q[3]}};
    const int32_t flipped[2][3] = {{q[0], q[1], q[3]}, {q[1], q[2], q[3]}};
    add_face(mesh, at, 3, flip ? flipped[0] : straight[0]);
    add_face(mesh, at, 3, flip ? flipped[1] : straight[1]);
}

static TestMesh build_grid(int32_t nx, int32_t ny, double width, double height,
                           TestDiagonal diagonal, TestRandom *random) {
    int32_t cells = nx * ny, at[2] = {0, 0};
    bool quads = diagonal == TEST_DIAGONAL_NONE;
    TestMesh mesh =
        new_mesh((nx + 1) * (ny + 1), quads ? cells : 2 * cells, quads ? 4 * cells : 6 * cells);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        mesh.positions[3 * v] = width * (v % (nx + 1)) / nx;
        mesh.positions[3 * v + 1] = height * (v / (nx + 1)) / ny;
    }
    for (int32_t j = 0; j < ny; j++) {
        for (int32_t i = 0; i < nx; i++) {
            int32_t low = j * (nx + 1) + i, q[4] = {low, low + 1, low + nx + 2, low + nx + 1};
            bool flip = diagonal == TEST_DIAGONAL_HERRINGBONE ? j % 2 == 1
                        : diagonal == TEST_DIAGONAL_RANDOM    ? test_below(random, 2) == 1
                                                              : false;
            if (quads) {
                add_face(&mesh, at, 4, q);
            } else {
                add_cell(&mesh, at, q, flip);
            }
        }
    }
    uvs_from_positions(&mesh);
    return mesh;
}

TestMesh test_grid(int32_t nx, int32_t ny, double width, double height, TestDiagonal diagonal) {
    return build_grid(nx, ny, width, height, diagonal, NULL);
}

/* Moves the vertices inside a grid by up to `most`. */
static void move_inside(TestMesh *mesh, int32_t nx, int32_t ny, double most, TestRandom *random) {
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        int32_t i = v % (nx + 1), j = v / (nx + 1);
        if (i > 0 && i < nx && j > 0 && j < ny) {
            mesh->positions[3 * v] += test_between(random, -most, most);
            mesh->positions[3 * v + 1] += test_between(random, -most, most);
        }
    }
}

TestMesh test_jittered(int32_t nx, int32_t ny, TestRandom *random) {
    TestMesh mesh = build_grid(nx, ny, nx, ny, TEST_DIAGONAL_RANDOM, random);
    move_inside(&mesh, nx, ny, 0.3, random);
    uvs_from_positions(&mesh);
    return mesh;
}

TestMesh test_mixed(int32_t nx, int32_t ny, TestRandom *random) {
    TestMesh mesh = build_grid(nx, ny, nx, ny, TEST_DIAGONAL_SINGLE, NULL);
    int32_t at[2] = {0, 0};
    move_inside(&mesh, nx, ny, 0.25, random);
    for (int32_t cell = 0; cell < nx * ny; cell++) {
        int32_t low = cell / nx * (nx + 1) + cell % nx, first = test_below(random, 4), turned[4];
        const int32_t q[4] = {low, low + 1, low + nx + 2, low + nx + 1};
        for (int32_t k = 0; k < 4; k++) {
            turned[k] = q[(first + k) % 4];
        }
        /* two quads to one pair of triangles, and some of each for sure */
        if (cell % 3 == 1 || (cell > 2 && test_below(random, 4) == 0)) {
            add_cell(&mesh, at, turned, false);
        } else {
            add_face(&mesh, at, 4, turned);
        }
    }
    mesh.face_count = at[0];
    mesh.corner_count = at[1];
    uvs_from_positions(&mesh);
    return mesh;
}

TestMesh test_polygons(int32_t vertex_count, const double *positions, int32_t face_count,
                       const int32_t *sizes, const int32_t *corners) {
    int32_t corner_count = 0, at[2] = {0, 0};
    for (int32_t f = 0; f < face_count; f++) {
        corner_count += sizes[f];
    }
    TestMesh mesh = new_mesh(vertex_count, face_count, corner_count);
    memcpy(mesh.positions, positions, 3 * sizeof(double) * (size_t)vertex_count);
    for (int32_t f = 0; f < face_count; f++) {
        add_face(&mesh, at, sizes[f], corners + at[1]);
    }
    uvs_from_positions(&mesh);
    return mesh;
}

TestMesh test_triangles(int32_t vertex_count, const double (*positions)[3], int32_t face_count,
                        const int32_t (*faces)[3]) {
    TestMesh mesh = new_mesh(vertex_count, face_count, 3 * face_count);
    int32_t at[2] = {0, 0};
    memcpy(mesh.positions, positions, 3 * sizeof(double) * (size_t)vertex_count);
    for (int32_t f = 0; f < face_count; f++) {
        add_face(&mesh, at, 3, faces[f]);
    }
    uvs_from_positions(&mesh);
    return mesh;
}

TestMesh test_hinge(const double (*abcd)[3]) {
    static const int32_t faces[2][3] = {{0, 2, 3}, {1, 3, 2}};
    return test_triangles(4, abcd, 2, faces);
}

TestMesh test_tube(int32_t columns, int32_t rows, double cell, double length) {
    TestMesh mesh = new_mesh(columns * (rows + 1), 2 * columns * rows, 6 * columns * rows);
    int32_t at[2] = {0, 0};
    double step = 8.0 * atan(1.0) / columns, radius = 0.5 * cell / sin(0.5 * step);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        double angle = step * (v % columns);
        mesh.positions[3 * v] = radius * cos(angle);
        mesh.positions[3 * v + 1] = -length * (v / columns) / rows;
        mesh.positions[3 * v + 2] = radius * sin(angle);
    }
    for (int32_t j = 0; j < rows; j++) {
        for (int32_t i = 0; i < columns; i++) {
            int32_t next = (i + 1) % columns, up = j * columns, down = up + columns;
            const int32_t one[3] = {up + i, up + next, down + next};
            /* the first edge of both runs around, so that weft does */
            const int32_t two[3] = {down + next, down + i, up + i};
            add_face(&mesh, at, 3, one);
            add_face(&mesh, at, 3, two);
        }
    }
    uvs_from_positions(&mesh);
    return mesh;
}

void test_shuffle(TestRandom *random, int32_t *order, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        int32_t j = test_below(random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

TestMesh test_renumbered(const TestMesh *mesh, const int32_t *order) {
    TestMesh out = new_mesh(mesh->vertex_count, mesh->face_count, mesh->corner_count);
    int32_t at[2] = {0, 0}, end = mesh->corner_count;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        memcpy(out.positions + 3 * order[v], mesh->positions + 3 * v, 3 * sizeof(double));
        memcpy(out.uvs + 2 * order[v], mesh->uvs + 2 * v, 2 * sizeof(double));
    }
    for (int32_t f = mesh->face_count - 1; f >= 0; f--) {
        int32_t size = mesh->face_sizes[f], corners[4];
        end -= size;
        for (int32_t k = 0; k < size; k++) {
            corners[k] = order[mesh->corners[end + (k + 1) % size]];
        }
        add_face(&out, at, size, corners);
    }
    memcpy(out.corner_uvs, out.corners, sizeof(int32_t) * (size_t)out.corner_count);
    return out;
}

void test_lay_flat(TestMesh *mesh, double height) {
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        mesh->positions[3 * v + 2] = -mesh->positions[3 * v + 1];
        mesh->positions[3 * v + 1] = height;
    }
}

void test_mesh_free(TestMesh *mesh) {
    free(mesh->positions);
    free(mesh->face_sizes);
    free(mesh->corners);
    free(mesh->uvs);
    free(mesh->corner_uvs);
}

ToileMeshDef test_mesh_def(const TestMesh *mesh) {
    ToileMeshDef def = toile_mesh_def_default();
    def.vertex_count = mesh->vertex_count;
    def.face_count = mesh->face_count;
    def.corner_count = mesh->corner_count;
    def.uv_count = mesh->uv_count;
    def.positions_m = mesh->positions;
    def.face_sizes = mesh->face_sizes;
    def.corners = mesh->corners;
    def.uvs = mesh->uvs;
    def.corner_uvs = mesh->corner_uvs;
    return def;
}

/* ---- rest models ---- */

ToileFabric test_fabric(double E1, double E2, double G, double nu12, double mu) {
    ToileFabric fabric = toile_fabric_default();
    fabric.stretch_weft_N_per_m = E1;
    fabric.stretch_warp_N_per_m = E2;
    fabric.stretch_shear_N_per_m = G;
    fabric.stretch_poisson = nu12;
    fabric.bend_weft_N_m = fabric.bend_warp_N_m = mu;
    return fabric;
}

/* What a fabric has beside its bending model. */
enum { CURVED = 1, FROM_REST = 2, LAW = 4, PROJECTED = 8, PAPER = 16 };

static void set_bending(ToileFabric *fabric, ToileBendModel model, int32_t options) {
    static const double law[] = {0, 0, 0.4, 0.008, 1.1, 0.011, 3, 0.04};
    fabric->bend_model = (int32_t)model;
    fabric->rest_curvature_per_m = options & CURVED ? 1.5 : 0.0;
    fabric->rest_curvature =
        options & FROM_REST ? TOILE_REST_CURVATURE_FROM_REST : TOILE_REST_CURVATURE_GIVEN;
    fabric->bend_law = options & LAW ? law : NULL;
    fabric->bend_law_count = options & LAW ? 4 : 0;
    fabric->bend_damping_model =
        options & PROJECTED ? TOILE_BEND_DAMPING_PROJECTED : TOILE_BEND_DAMPING_SCALAR;
    fabric->bend_scale = options & PAPER ? TOILE_BEND_PAPER : TOILE_BEND_CALIBRATED;
}

ToileFabric test_any_fabric(int32_t i) {
    static const struct {
        ToileBendModel model;
        int32_t options;
    } bends[] = {{TOILE_BEND_LINEAR, 0},
                 {TOILE_BEND_LINEAR, CURVED},
                 {TOILE_BEND_LINEAR, FROM_REST | PROJECTED},
                 {TOILE_BEND_LINEAR, LAW | PROJECTED},
                 {TOILE_BEND_LINEAR, LAW | CURVED},
                 {TOILE_BEND_LINEAR, LAW | FROM_REST},
                 {TOILE_BEND_DIHEDRAL, PAPER},
                 {TOILE_BEND_DIHEDRAL, FROM_REST},
                 {TOILE_BEND_NORMAL, CURVED},
                 {TOILE_BEND_CROSSOVER, 0},
                 {TOILE_BEND_CHOI_KO, 0},
                 {TOILE_BEND_CHOI_KO_TABLE, PAPER},
                 {TOILE_BEND_KOITER, 0},
                 {TOILE_BEND_KOITER, 0},
                 {TOILE_BEND_KOITER, 0}};
    enum { BENDS = sizeof bends / sizeof bends[0] };
    ToileFabric fabric = test_fabric(1000, 600, 150, 0.3, 0.01);
    fabric.bend_warp_N_m = 0.03;
    fabric.bend_poisson = 0.3;
    fabric.bend_damping_N_m_s = 1e-3;
    fabric.stretch_damping_s = 0.02;
    if (i < BENDS) {
        set_bending(&fabric, bends[i].model, bends[i].options);
        fabric.bend_fold_exponent = i % 3;
        return fabric;
    }
    /* every model of stretch */
    fabric.stretch_limit = 0.1;
    if (i == BENDS + 1) {
        fabric.compression_factor = 0.4;
    } else if (i == BENDS + 2) {
        fabric.stretch_warp_N_per_m = 1000;
        fabric.stretch_shear_N_per_m = 1000 / 2.6;
        fabric.compression = TOILE_COMPRESSION_TENSION_FIELD;
    } else if (i == BENDS + 3) {
        fabric.stretch_model = TOILE_STRETCH_SPRINGS;
    }
    ck_assert_int_lt(i, TEST_FABRICS);
    return fabric;
}

void test_model_with(const TestMesh *mesh, const ToileFabric *fabric, ToilePattern pattern,
                     bool native, const double *rest, const double *curvature, TestModel *out) {
    ToileMeshDef def = test_mesh_def(mesh);
    memset(out, 0, sizeof *out);
    tl_arena_init(&out->arena, tl_allocator_or_default(NULL));
    TlRest *rests[1] = {&out->rest};
    ck_assert(tl_material(&out->arena, fabric, &out->material));
    ck_assert(tl_mesh_copy(&out->arena, &def, &out->mesh));
    TlRestInput in = {.mesh = &out->mesh,
                      .positions = rest != NULL ? rest : mesh->positions,
                      .pattern = pattern,
                      .pattern_scale_m = 1.0,
                      .native = native,
                      .material = &out->material,
                      .curvature_map = curvature};
    ck_assert(tl_rest_build(&out->arena, &in, &out->rest));
    ck_assert(tl_model_build(&out->arena, rests, &out->material, 1, &out->model));
}

void test_model(const TestMesh *mesh, const ToileFabric *fabric, ToilePattern pattern,
                TestModel *out) {
    test_model_with(mesh, fabric, pattern, false, NULL, NULL, out);
}

void test_model_free(TestModel *model) {
    tl_arena_free(&model->arena);
}

double *test_moved(const double *x, int32_t count, const double axis[3], const double shift[3]) {
    double *out = test_alloc(3 * sizeof(double) * (size_t)count);
    double angle = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double k[3] = {axis[0] / angle, axis[1] / angle, axis[2] / angle}, c = cos(angle),
           s = sin(angle);
    for (int32_t v = 0; v < count; v++) {
        const double *p = x + 3 * v;
        double along = (1.0 - c) * (k[0] * p[0] + k[1] * p[1] + k[2] * p[2]);
        double cross[3] = {k[1] * p[2] - k[2] * p[1], k[2] * p[0] - k[0] * p[2],
                           k[0] * p[1] - k[1] * p[0]};
        for (int i = 0; i < 3; i++) {
            out[3 * v + i] = c * p[i] + s * cross[i] + along * k[i] + shift[i];
        }
    }
    return out;
}

double *test_deformed(const TestMesh *mesh, TestRandom *random, double amplitude) {
    double axis[3], shift[3], *x = test_alloc(3 * sizeof(double) * (size_t)mesh->vertex_count);
    for (int i = 0; i < 3; i++) {
        axis[i] = test_between(random, -2.0, 2.0);
        shift[i] = test_between(random, -2.0, 2.0);
    }
    for (int32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        x[i] = mesh->positions[i] + test_between(random, -amplitude, amplitude);
    }
    double *out = test_moved(x, mesh->vertex_count, axis, shift);
    free(x);
    return out;
}

/* ---- memory ---- */

static void *counting_alloc(void *user, size_t size, size_t align) {
    TestMemory *memory = user;
    if (++memory->requests == memory->fail_at) {
        return NULL;
    }
    void *block = aligned_alloc(align, (size + align - 1) / align * align);
    ck_assert_ptr_nonnull(block);
    /* so that nothing relies on zeroed memory */
    memset(block, 0xa5, size);
    memory->live_blocks++;
    memory->live_bytes += (int64_t)size;
    return block;
}

static void counting_free(void *user, void *ptr, size_t size) {
    TestMemory *memory = user;
    memory->live_blocks--;
    memory->live_bytes -= (int64_t)size;
    free(ptr);
}

ToileAllocator test_allocator(TestMemory *memory) {
    return (ToileAllocator){counting_alloc, counting_free, memory};
}

/* ---- host tasks ---- */

static void run_reversed(void *user, void (*task)(void *, int32_t), void *context, int32_t count) {
    (void)user;
    for (int32_t i = count - 1; i >= 0; i--) {
        task(context, i);
    }
}

ToileTasks test_tasks_reversed(void) {
    return (ToileTasks){run_reversed, NULL};
}

typedef struct HostJob {
    void (*task)(void *, int32_t);
    void *context;
    int32_t count;
    atomic_int next;
} HostJob;

static void host_work(void *argument) {
    HostJob *job = argument;
    for (int32_t i = atomic_fetch_add(&job->next, 1); i < job->count;
         i = atomic_fetch_add(&job->next, 1)) {
        job->task(job->context, i);
    }
}

static void run_threads(void *user, void (*task)(void *, int32_t), void *context, int32_t count) {
    (void)user;
    HostJob job = {task, context, count, 0};
    TlThread *threads[2] = {tl_thread_create(host_work, &job), tl_thread_create(host_work, &job)};
    host_work(&job);
    for (int i = 0; i < 2; i++) {
        if (threads[i] != NULL) {
            tl_thread_join(threads[i]);
        }
    }
}

ToileTasks test_tasks_threads(void) {
    return (ToileTasks){run_threads, NULL};
}

/* ---- simulations ---- */

ToileSimDef test_exact_def(double dt_s) {
    ToileSimDef def = toile_sim_def_default();
    def.threads = 1;
    def.substeps = 1;
    def.fps = 1.0 / dt_s;
    def.newton_iterations = 50;
    def.tolerance_m = 1e-14;
    def.linear_tolerance = 1e-14;
    memset(def.gravity_m_per_s2, 0, sizeof def.gravity_m_per_s2);
    return def;
}

ToileSim *test_sim(const ToileSimDef *def) {
    ToileSim *sim = NULL;
    ToileError error = toile_error_default();
    ck_assert_msg(toile_sim_create(def, &sim, &error) == TOILE_STATUS_OK, "%s", error.message);
    return sim;
}

ToileClothId test_add(ToileSim *sim, const TestMesh *mesh, const ToileFabric *fabric,
                      const int32_t *pins, int32_t pin_count) {
    ToileMeshDef mesh_def = test_mesh_def(mesh);
    ToileClothDef def = toile_cloth_def_default();
    ToileError error = toile_error_default();
    ToileClothId id;
    def.mesh = &mesh_def;
    def.fabric = fabric;
    def.pin_vertices = pins;
    def.pin_count = pin_count;
    ck_assert_msg(toile_sim_add_cloth(sim, &def, &id, &error) == TOILE_STATUS_OK, "%s",
                  error.message);
    return id;
}

double *test_positions(const ToileSim *sim, ToileClothId cloth) {
    double *x = test_alloc(3 * sizeof(double) * (size_t)toile_sim_vertex_count(sim, cloth));
    ASSERT_OK(toile_sim_get_positions(sim, cloth, x, NULL));
    return x;
}

double *test_velocities(const ToileSim *sim, ToileClothId cloth) {
    double *v = test_alloc(3 * sizeof(double) * (size_t)toile_sim_vertex_count(sim, cloth));
    ASSERT_OK(toile_sim_get_velocities(sim, cloth, v, NULL));
    return v;
}

void test_step(ToileSim *sim, int32_t frames) {
    ToileError error = toile_error_default();
    for (int32_t i = 0; i < frames; i++) {
        ck_assert_msg(toile_sim_step(sim, &error) == TOILE_STATUS_OK, "%s", error.message);
    }
}

ToileStats test_stats(const ToileSim *sim) {
    ToileStats stats = toile_stats_default();
    ASSERT_OK(toile_sim_get_stats(sim, &stats, NULL));
    return stats;
}

/* ---- suites ---- */

int test_run(const char *name, const TTest *const *tests, int32_t count) {
    Suite *suite = suite_create(name);
    TCase *all = tcase_create(name);
    const char *part = getenv("TOILE_TESTS");
    tcase_set_timeout(all, 0);
    for (int32_t i = 0; i < count; i++) {
        if (part == NULL || strstr(tests[i]->name, part) != NULL) {
            tcase_add_test(all, tests[i]);
        }
    }
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    bool good = srunner_ntests_failed(runner) == 0 && srunner_ntests_run(runner) > 0;
    srunner_free(runner);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
