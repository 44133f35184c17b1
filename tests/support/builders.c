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
    ck_assert_msg(fabs(got - want) <= most,
                  "%s:%d: %s is %.15g, wanted %.15g (off by %.3g, allowed %.3g)", file, line, what,
                  got, want, got - want, most);
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

TestMesh test_jittered(int32_t nx, int32_t ny, TestRandom *random) {
    TestMesh mesh = build_grid(nx, ny, nx, ny, TEST_DIAGONAL_RANDOM, random);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        int32_t i = v % (nx + 1), j = v / (nx + 1);
        if (i > 0 && i < nx && j > 0 && j < ny) {
            mesh.positions[3 * v] += test_between(random, -0.3, 0.3);
            mesh.positions[3 * v + 1] += test_between(random, -0.3, 0.3);
        }
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

double test_value(const TlElements *elements, const TlPoint *at) {
    return elements->value(elements->model, at, 0, elements->count);
}

void test_gradient(const TlElements *elements, const TlPoint *at, double *grad) {
    int32_t corners = tl_first_corner(elements, elements->count);
    double *local = test_alloc(3 * sizeof(double) * (size_t)(corners + 1));
    elements->derive(elements->model, at, 0, elements->count, local, NULL);
    memset(grad, 0, 3 * sizeof *grad * (size_t)elements->model->vertex_count);
    for (int32_t c = 0; c < corners; c++) {
        for (int i = 0; i < 3; i++) {
            grad[3 * elements->vertex[c] + i] += local[3 * c + i];
        }
    }
    free(local);
}

/* hess(a, b) += block */
static void scatter(double *hess, int32_t n, int32_t a, int32_t b, const double *block) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            hess[(3 * a + i) * n + 3 * b + j] += block[3 * i + j];
        }
    }
}

/* Block (a, b) of an element's Hessian, in whichever form it is handed over. */
static void element_block(const TlElements *elements, const double *hess, int32_t e, int32_t a,
                          int32_t b, double block[9]) {
    int32_t first = tl_first_corner(elements, e), arity = tl_first_corner(elements, e + 1) - first;
    for (int i = 0; i < 9; i++) {
        if (elements->hessian == TL_HESSIAN_BLOCKS) {
            const double *from =
                hess + 9 * (tl_block_count(arity) * e +
                            (a <= b ? tl_block_index(arity, a, b) : tl_block_index(arity, b, a)));
            block[i] = a <= b ? from[i] : from[3 * (i % 3) + i / 3];
            continue;
        }
        block[i] = 0.0;
        for (int32_t k = 0; k < elements->hessian; k++) {
            const double *row = hess + 3 * (elements->hessian * first + k * arity);
            block[i] += row[3 * a + i / 3] * row[3 * b + i % 3];
        }
    }
}

/* The sum of lambda alpha alpha^T over linear hinges, for x, y and z. */
static void linear_hessian(const TlHingeSet *set, int32_t n, double *hess) {
    memset(hess, 0, sizeof *hess * (size_t)n * (size_t)n);
    for (int32_t h = 0; h < set->count; h++) {
        for (int32_t a = set->first[h]; a < set->first[h + 1]; a++) {
            for (int32_t b = set->first[h]; b < set->first[h + 1]; b++) {
                double s = set->lambda[h] * set->alpha[a] * set->alpha[b];
                const double block[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
                scatter(hess, n, set->vertex[a], set->vertex[b], block);
            }
        }
    }
}

void test_hessian(const TlElements *elements, const TlPoint *at, double *hess) {
    int32_t n = 3 * elements->model->vertex_count;
    if (elements->hessian < 0) {
        bool flat = elements->hessian == TL_HESSIAN_MATRIX;
        linear_hessian(&elements->model->sets.hinges[flat ? TL_HINGE_LINEAR : TL_HINGE_CURVED], n,
                       hess);
        return;
    }
    int32_t corners = tl_first_corner(elements, elements->count);
    double *grad = test_alloc(3 * sizeof(double) * (size_t)(corners + 1));
    double *local = test_alloc(sizeof(double) * (size_t)(tl_hessian_size(elements) + 1));
    elements->derive(elements->model, at, 0, elements->count, grad, local);
    memset(hess, 0, sizeof *hess * (size_t)n * (size_t)n);
    for (int32_t e = 0; e < elements->count; e++) {
        int32_t first = tl_first_corner(elements, e), end = tl_first_corner(elements, e + 1);
        for (int32_t a = first; a < end; a++) {
            for (int32_t b = first; b < end; b++) {
                double block[9];
                element_block(elements, local, e, a - first, b - first, block);
                scatter(hess, n, elements->vertex[a], elements->vertex[b], block);
            }
        }
    }
    free(grad);
    free(local);
}

/* ---- numerics ---- */

double test_largest(const double *values, int64_t count) {
    double largest = 0.0;
    for (int64_t i = 0; i < count; i++) {
        largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
    }
    return largest;
}

double test_gradient_error(const TlElements *elements, const TlPoint *at, const double *grad,
                           double h) {
    int32_t n = 3 * elements->model->vertex_count;
    double *x = test_alloc(sizeof(double) * (size_t)n), worst = 0.0;
    TlPoint moved = {x, at->x_start, at->dt_s};
    memcpy(x, at->x, sizeof(double) * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        double old = x[i];
        x[i] = old + h;
        double high = test_value(elements, &moved);
        x[i] = old - h;
        double low = test_value(elements, &moved);
        x[i] = old;
        worst = fmax(worst, fabs((high - low) / (2.0 * h) - grad[i]));
    }
    free(x);
    return worst / test_largest(grad, n);
}

double test_hessian_error(const TlElements *elements, const TlPoint *at, const double *hess,
                          double h) {
    int32_t n = 3 * elements->model->vertex_count;
    double *x = test_alloc(sizeof(double) * (size_t)n),
           *high = test_alloc(sizeof(double) * (size_t)n);
    double *low = test_alloc(sizeof(double) * (size_t)n), worst = 0.0;
    TlPoint moved = {x, at->x_start, at->dt_s};
    memcpy(x, at->x, sizeof(double) * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        double old = x[i];
        x[i] = old + h;
        test_gradient(elements, &moved, high);
        x[i] = old - h;
        test_gradient(elements, &moved, low);
        x[i] = old;
        for (int32_t j = 0; j < n; j++) {
            worst = fmax(worst, fabs((high[j] - low[j]) / (2.0 * h) - hess[j * n + i]));
        }
    }
    free(x);
    free(high);
    free(low);
    return worst / test_largest(hess, (int64_t)n * n);
}

/* One Jacobi rotation that makes a[p][q] zero. */
static void rotate(double *a, int32_t n, int32_t p, int32_t q) {
    double theta = 0.5 * (a[q * n + q] - a[p * n + p]) / a[p * n + q];
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int32_t k = 0; k < n; k++) {
        double kp = a[k * n + p], kq = a[k * n + q];
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
    }
    for (int32_t k = 0; k < n; k++) {
        double pk = a[p * n + k], qk = a[q * n + k];
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
    }
}

void test_eigenvalues(double *a, int32_t n, double *values) {
    double scale = test_largest(a, (int64_t)n * n);
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0.0;
        for (int32_t p = 0; p < n; p++) {
            for (int32_t q = p + 1; q < n; q++) {
                off = fmax(off, fabs(a[p * n + q]));
                if (fabs(a[p * n + q]) > 1e-17 * scale) {
                    rotate(a, n, p, q);
                }
            }
        }
        if (off <= 1e-16 * scale) {
            break;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        values[i] = a[i * n + i];
    }
}

void test_cholesky_solve(double *a, double *b, int32_t n) {
    for (int32_t k = 0; k < n; k++) {
        ck_assert_msg(a[k * n + k] > 0.0, "pivot %" PRId32 " of the reference matrix is %g", k,
                      a[k * n + k]);
        a[k * n + k] = sqrt(a[k * n + k]);
        for (int32_t i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
        }
        for (int32_t i = k + 1; i < n; i++) {
            for (int32_t j = k + 1; j <= i; j++) {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < i; j++) {
            b[i] -= a[i * n + j] * b[j];
        }
        b[i] /= a[i * n + i];
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < n; j++) {
            b[i] -= a[j * n + i] * b[j];
        }
        b[i] /= a[i * n + i];
    }
}

void test_resultants(const double *x, const double *f, int32_t count, double force[3],
                     double torque[3]) {
    memset(force, 0, 3 * sizeof *force);
    memset(torque, 0, 3 * sizeof *torque);
    for (int32_t v = 0; v < count; v++) {
        const double *p = x + 3 * v, *q = f + 3 * v;
        for (int i = 0; i < 3; i++) {
            force[i] += q[i];
            torque[i] += p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
        }
    }
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
    tcase_set_timeout(all, 0);
    for (int32_t i = 0; i < count; i++) {
        tcase_add_test(all, tests[i]);
    }
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
