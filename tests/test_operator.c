/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix that is never put together, against sums of blocks in double precision: what elements
 * pack, products over every model and mesh, parts, workers, diagonal blocks. */
#include "solve/operator.h"

#include "force/stretch_quad.h"
#include "force/stretch_stvk.h"
#include "support/laws.h"
#include "support/systems.h"

#include <stdlib.h>
#include <string.h>

/* a few roundings of what was rounded from double once; blocks of a quad's corners are sums of up
 * to nine such numbers */
#define PACKED 1e-6
/* rounding of sums of some hundred terms in double precision */
#define ROUNDING 1e-13
/* of single precision, over PACKED */
#define SMALLEST 1e-30
#define STEP_S 0.01

/* ---- packed elements ---- */

/* A band of `count` faces, quads or triangles, that nobody but their edges joins. */
static TestMesh band(int32_t count, bool quads) {
    enum { MOST = 80 };
    double points[3 * (2 * MOST + 2)];
    int32_t corners[4 * MOST], sizes[MOST], vertices = quads ? 2 * count + 2 : count + 2;
    ck_assert_int_le(count, MOST);
    for (int32_t v = 0; v < vertices; v++) {
        points[3 * v] = quads ? v / 2 : 0.5 * v;
        points[3 * v + 1] = v % 2;
        points[3 * v + 2] = 0.0;
    }
    for (int32_t f = 0; f < count; f++) {
        int32_t low = quads ? 2 * f : f, *c = corners + (quads ? 4 : 3) * f;
        sizes[f] = quads ? 4 : 3;
        c[0] = low;
        c[1] = quads || f % 2 == 0 ? low + 2 : low + 1;
        c[2] = quads ? low + 3 : f % 2 == 0 ? low + 1 : low + 2;
        if (quads) {
            c[3] = low + 1;
        }
    }
    return test_polygons(vertices, points, count, sizes, corners);
}

/* What a packed set answers, and what it derives. */
typedef struct Answers {
    const TlElements *elements;
    double *grad, *packed_grad, *hess, *packed_hess;
    TlFloat8 *packed;
    TlFloat4 *diagonal;
    size_t packed_count, diagonal_count;
} Answers;

static Answers answers_of(TlArena *arena, const TlElements *elements, const TlPoint *at) {
    int32_t groups = tl_group_count(elements), arity = elements->arity, count = elements->count;
    Answers a = {.elements = elements,
                 .packed_count = (size_t)(tl_packed_size(elements) * groups),
                 .diagonal_count = (size_t)(2 * arity * TL_WIDE * groups)};
    a.grad = TL_NEW(arena, double, 3 * arity * count);
    a.packed_grad = TL_NEW(arena, double, 3 * arity * count);
    a.hess = TL_NEW(arena, double, tl_hessian_size(elements));
    a.packed_hess = TL_NEW(arena, double, tl_hessian_size(elements));
    a.packed = TL_NEW(arena, TlFloat8, a.packed_count);
    a.diagonal = TL_NEW(arena, TlFloat4, a.diagonal_count);
    ck_assert(!arena->failed);
    elements->derive(elements->model, at, 0, count, a.grad, a.hess);
    elements->pack(elements->model, at, 0, count, a.packed_grad, (float *)a.packed,
                   (float *)a.diagonal, a.packed_hess);
    return a;
}

/* Entry (i, j) of block (A, B) by vectors, of element e. */
static double packed_entry(const Answers *a, int32_t e, int32_t A, int32_t B, int i, int j) {
    static const int32_t upper[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    int32_t m = a->elements->vectors, at = 6 * A + upper[i][j];
    if (A != B) {
        at = 6 * m + 9 * (A + B - 1) + (A < B ? 3 * i + j : 3 * j + i);
    }
    return (double)a->packed[tl_packed_size(a->elements) * (e / TL_WIDE) + at][e % TL_WIDE];
}

/* The blocks of corners are those of `derive`: every vector is a sum of corners. */
static void check_blocks(const Answers *a, int32_t e, double scale) {
    static const double triangle[3][4] = {{-1, 1, 0}, {-1, 0, 1}};
    static const double quad[3][4] = {{-1, 0, 1, 0}, {0, 1, 0, -1}, {1, -1, 1, -1}};
    int32_t arity = a->elements->arity, m = a->elements->vectors;
    const double(*sign)[4] = m == 2 ? triangle : quad;
    for (int32_t k = 0; k < arity * arity; k++) {
        int32_t c = k / arity, d = k % arity;
        double want[9];
        test_element_block(a->elements, a->hess, e, c, d, want);
        for (int i = 0; i < 9; i++) {
            double sum = 0.0;
            for (int32_t pair = 0; pair < m * m; pair++) {
                int32_t A = pair / m, B = pair % m;
                sum += sign[A][c] * sign[B][d] * packed_entry(a, e, A, B, i / 3, i % 3);
            }
            ASSERT_NEAR(sum, want[i], PACKED * scale);
        }
    }
}

static void check_diagonal(const Answers *a, int32_t e, double scale) {
    static const int upper[6] = {0, 1, 2, 4, 5, 8};
    int32_t arity = a->elements->arity;
    for (int32_t c = 0; c < arity; c++) {
        const TlFloat4 *got = a->diagonal + 2 * (arity * e + c);
        double want[9];
        test_element_block(a->elements, a->hess, e, c, c, want);
        for (int i = 0; i < 6; i++) {
            ASSERT_NEAR((double)got[i / 4][i % 4], want[upper[i]], PACKED * scale);
        }
    }
}

/* A range that begins later answers the same bits, from the start of its buffers on, whether the
 * whole Hessian is wanted or not. */
static void check_range(TlArena *arena, const Answers *a, const TlPoint *at, int32_t begin) {
    const TlElements *elements = a->elements;
    int32_t arity = elements->arity, left = elements->count - begin, group = begin / TL_WIDE;
    size_t packed_count = a->packed_count - (size_t)(tl_packed_size(elements) * group);
    size_t diagonal_count = (size_t)(2 * arity * left);
    double *grad = TL_NEW(arena, double, 3 * arity * left);
    TlFloat8 *packed = TL_NEW(arena, TlFloat8, packed_count);
    TlFloat4 *diagonal = TL_NEW(arena, TlFloat4, a->diagonal_count);
    size_t block = (size_t)(9 * tl_block_count(arity));
    double *hess = TL_NEW(arena, double, block *(size_t)left);
    ck_assert(!arena->failed);
    bool whole = group % 2 == 0;
    elements->pack(elements->model, at, begin, elements->count, grad, (float *)packed,
                   (float *)diagonal, whole ? hess : NULL);
    if (whole) {
        ck_assert_mem_eq(hess, a->packed_hess + block * (size_t)begin,
                         block * (size_t)left * sizeof *hess);
    }
    ck_assert_mem_eq(grad, a->packed_grad + 3 * arity * begin,
                     3 * sizeof *grad * (size_t)(arity * left));
    ck_assert_mem_eq(packed, a->packed + tl_packed_size(elements) * group,
                     packed_count * sizeof *packed);
    ck_assert_mem_eq(diagonal, a->diagonal + 2 * arity * begin, diagonal_count * sizeof *diagonal);
}

static void check_packing(const TlElements *elements, const TlPoint *at) {
    int64_t corners = elements->arity * elements->count;
    TlArena arena;
    tl_arena_init(&arena, tl_allocator_or_default(NULL));
    Answers a = answers_of(&arena, elements, at);
    /* slack cloth has no stiffness, but for numbers that single precision does not know */
    double scale = fmax(test_largest(a.hess, tl_hessian_size(elements)), SMALLEST);
    for (int64_t i = 0; i < 3 * corners; i++) {
        ASSERT_NEAR(a.packed_grad[i], a.grad[i], ROUNDING * test_largest(a.grad, 3 * corners));
    }
    for (int64_t i = 0; i < tl_hessian_size(elements); i++) {
        ASSERT_NEAR(a.packed_hess[i], a.hess[i], ROUNDING * scale);
    }
    for (int32_t e = 0; e < elements->count; e++) {
        check_blocks(&a, e, scale);
        check_diagonal(&a, e, scale);
    }
    for (int32_t begin = TL_WIDE; begin < elements->count; begin += TL_WIDE) {
        check_range(&arena, &a, at, begin);
    }
    tl_arena_free(&arena);
}

/* The faces of a band. */
static const TlElements *faces_of(const TestSystem *f) {
    const TlElements *elements = &f->system.energies[0].elements;
    ck_assert_int_gt(elements->vectors, 0);
    return elements;
}

/* Presses a state together, so that laws of compression act and stresses are clamped. */
static void press(TestSystem *f, double factor) {
    for (int32_t i = 0; i < f->n; i++) {
        f->x[i] *= factor;
    }
}

/* number `i` of plain fabrics and laws of compression, each with and without damping */
static ToileFabric packed_fabric(int32_t i) {
    ToileFabric fabric = law_fabric((Law)(i % LAWS));
    fabric.stretch_damping_s = i < LAWS ? 0.0 : 0.02;
    return fabric;
}

START_TEST(operator_packs_the_hessians_of_elements) {
    TestRandom random = test_random(171);
    for (int32_t i = 0; i < 2 * LAWS; i++) {
        ToileFabric fabric = packed_fabric(i);
        for (int32_t count = 1; count <= 2 * TL_WIDE + 1; count++) {
            for (int32_t pose = 0; pose < 4; pose++) {
                TestSystem f;
                test_system(&f, band(count, pose % 2), &fabric, 1, 0.2, &random);
                press(&f, pose < 2 ? 1.1 : 0.8);
                TlPoint at = test_system_at(&f, i < LAWS ? 0.0 : STEP_S);
                check_packing(faces_of(&f), &at);
                test_system_free(&f);
            }
        }
    }
}
END_TEST

/* more elements than are worked on at a time, of fabrics with and without a law */
START_TEST(operator_packs_long_ranges) {
    TestRandom random = test_random(172);
    for (int32_t i = 0; i < 2 * LAWS; i++) {
        ToileFabric fabric = packed_fabric(i);
        TestSystem f;
        test_system(&f, band(79, i % 2), &fabric, 1, 0.3, &random);
        TlPoint at = test_system_at(&f, STEP_S);
        check_packing(faces_of(&f), &at);
        test_system_free(&f);
    }
}
END_TEST

/* Element by element, and corner by corner, the answers of two cloths are those of each alone. */
static void check_joined(const TlElements *both, const TlPoint *at, const TestSystem *parts) {
    TlArena arena;
    tl_arena_init(&arena, tl_allocator_or_default(NULL));
    Answers all = answers_of(&arena, both, at);
    int32_t first = 0;
    for (int k = 0; k < 2; k++) {
        const TlElements *own = faces_of(&parts[k]);
        TlPoint own_at = test_system_at(&parts[k], at->dt_s);
        Answers a = answers_of(&arena, own, &own_at);
        size_t block = (size_t)(tl_hessian_size(own) / own->count), count = (size_t)own->count;
        size_t corner = (size_t)own->arity * 3;
        ck_assert_mem_eq(all.grad + corner * (size_t)first, a.grad,
                         corner * count * sizeof(double));
        ck_assert_mem_eq(all.hess + block * (size_t)first, a.hess, block * count * sizeof(double));
        first += own->count;
    }
    ck_assert_int_eq(first, both->count);
    tl_arena_free(&arena);
}

/* Groups that two cloths share, of any two laws and dampings. */
START_TEST(operator_packs_cloths_of_different_fabrics) {
    TestRandom random = test_random(185);
    for (int32_t i = 0; i < 2 * 2 * LAWS * 2 * LAWS; i++) {
        TestSystem parts[2];
        TlArena arena;
        TlModel model;
        int32_t quads = i % 2, other = i / 2 / (2 * LAWS), own = i / 2 % (2 * LAWS);
        double x[2][3 * 40];
        ToileFabric fabrics[2] = {packed_fabric(own), packed_fabric(other)};
        for (int k = 0; k < 2; k++) {
            test_system(&parts[k], band(5 + k, quads), &fabrics[k], 1, 0.2, &random);
            press(&parts[k], 0.9);
        }
        size_t room = sizeof(double) * (size_t)parts[0].n;
        ck_assert_int_le(parts[0].n + parts[1].n, 3 * 40);
        for (int k = 0; k < 2; k++) {
            memcpy(x[k], k == 0 ? parts[0].x : parts[0].start, room);
            memcpy(x[k] + parts[0].n, k == 0 ? parts[1].x : parts[1].start,
                   sizeof(double) * (size_t)parts[1].n);
        }
        TlRest *rests[2] = {&parts[0].model.rest, &parts[1].model.rest};
        TlMaterial materials[2] = {parts[0].model.material, parts[1].model.material};
        tl_arena_init(&arena, tl_allocator_or_default(NULL));
        ck_assert(tl_model_build(&arena, rests, materials, 2, &model));
        TlElements both = quads ? tl_stretch_quad(&model) : tl_stretch_stvk(&model);
        TlPoint at = {x[0], x[1], STEP_S};
        check_packing(&both, &at);
        check_joined(&both, &at, parts);
        tl_arena_free(&arena);
        test_system_free(&parts[0]);
        test_system_free(&parts[1]);
    }
}
END_TEST

/* ---- products ---- */

/* Numbers of single precision, up to 1. */
static double *singles(int32_t n, TestRandom *random) {
    double *p = test_alloc(sizeof(double) * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        p[i] = (double)(float)test_between(random, -1, 1);
    }
    return p;
}

static void leave_out_fixed(const TestSystem *f, double *p) {
    for (int32_t i = 0; i < f->n; i++) {
        p[i] = f->system.fixed[i / 3] ? 0.0 : p[i];
    }
}

/* One product is that of the blocks, and answers p . q. */
static void check_product(TestSystem *f, const TlPoint *at, TestRandom *random) {
    size_t room = sizeof(double) * (size_t)f->n;
    double *p = singles(f->n, random), *q = test_alloc(room), *want = test_alloc(room),
           *size = test_alloc(room), dot = 0.0;
    TestBlocks blocks = test_blocks(f, at);
    leave_out_fixed(f, p);
    double answer = test_system_times(f, p, q);
    test_blocks_times(&blocks, f->n, p, want, size);
    double scale = test_largest(size, f->n);
    for (int32_t i = 0; i < f->n; i++) {
        if (f->system.fixed[i / 3]) {
            ck_assert(q[i] == 0.0);
        } else {
            ASSERT_NEAR(q[i], want[i], SINGLE * scale);
        }
        dot += p[i] * q[i];
        size[i] *= fabs(p[i]);
    }
    double most = 0.0;
    for (int32_t i = 0; i < f->n; i++) {
        most += size[i];
    }
    ASSERT_NEAR(answer, dot, SINGLE * most);
    test_blocks_free(&blocks);
    free(p);
    free(q);
    free(want);
    free(size);
}

/* The residual in double precision. */
static void check_residual(TestSystem *f, const TlPoint *at, TestRandom *random) {
    size_t room = sizeof(double) * (size_t)f->n;
    double *b = test_alloc(room), *y = test_alloc(room), *r = test_alloc(room),
           *want = test_alloc(room), *size = test_alloc(room);
    TestBlocks blocks = test_blocks(f, at);
    for (int32_t i = 0; i < f->n; i++) {
        b[i] = test_between(random, -1, 1);
        y[i] = f->system.fixed[i / 3] ? 0.0 : test_between(random, -1, 1);
    }
    tl_operator_residual(&f->system.matrix, f->pool, b, y, r);
    test_blocks_times(&blocks, f->n, y, want, size);
    double scale = test_largest(size, f->n);
    for (int32_t i = 0; i < f->n; i++) {
        if (f->system.fixed[i / 3]) {
            ck_assert(r[i] == 0.0);
        } else {
            ASSERT_NEAR(r[i], b[i] - want[i], ROUNDING * scale);
        }
    }
    test_blocks_free(&blocks);
    free(b);
    free(y);
    free(r);
    free(want);
    free(size);
}

/* Weights, contacts and fixed vertices as a step has them, and the derivatives. */
static void make_ready(TestSystem *f, const TlPoint *at, TestRandom *random) {
    test_system_weigh(f, 10, 100, random);
    test_system_touch(f, 3, 500, random);
    test_system_fix(f, 5, random);
    tl_system_derive(&f->system, at, true, f->system.grad);
    ck_assert(tl_operator_prepare(&f->system.matrix, f->pool));
}

/* Mesh number i: triangles, quads, both. */
enum { MESHES = 3 };
static TestMesh any_mesh(int32_t i, int32_t side, TestRandom *random) {
    return i == 0   ? test_jittered(side, side, random)
           : i == 1 ? test_grid(side, side, side, side, TEST_DIAGONAL_NONE)
                    : test_mixed(side, side, random);
}

/* Standing still and stepping with packed faces, and standing still with blocks of theirs. */
START_TEST(operator_is_the_sum_of_all_energies) {
    TestRandom random = test_random(173);
    for (int32_t i = 0; i < TEST_FABRICS * MESHES; i++) {
        ToileFabric fabric = test_any_fabric(i / MESHES);
        TestSystem f;
        test_system_bent(&f, any_mesh(i % MESHES, 4, &random), &fabric, 0.1, 0.2, &random);
        for (int k = 0; k < 3; k++) {
            TlPoint at = test_system_at(&f, k % 2 * STEP_S);
            make_ready(&f, &at, &random);
            check_product(&f, &at, &random);
            check_residual(&f, &at, &random);
            /* which leaves products as they were */
            check_product(&f, &at, &random);
            if (k == 1) {
                test_system_unpack(&f);
            }
        }
        test_system_free(&f);
    }
}
END_TEST

START_TEST(operator_of_few_elements) {
    TestRandom random = test_random(174);
    ToileFabric fabric = test_any_fabric(0);
    for (int32_t count = 1; count <= 2 * TL_WIDE + 1; count++) {
        for (int quads = 0; quads < 2; quads++) {
            TestSystem f;
            test_system(&f, band(count, quads), &fabric, 1, 0.2, &random);
            TlPoint at = test_system_at(&f, STEP_S);
            make_ready(&f, &at, &random);
            check_product(&f, &at, &random);
            check_residual(&f, &at, &random);
            test_system_free(&f);
        }
    }
}
END_TEST

/* A common translation: all differences are 0, and so is what they are multiplied with. */
START_TEST(operator_translation_meets_inertia_alone) {
    TestRandom random = test_random(175);
    for (int32_t i = 0; i < TEST_FABRICS * MESHES; i++) {
        ToileFabric fabric = test_any_fabric(i / MESHES);
        TestSystem f;
        test_system_bent(&f, any_mesh(i % MESHES, 4, &random), &fabric, 0.1, 0.3, &random);
        TlPoint at = test_system_at(&f, STEP_S);
        tl_system_derive(&f.system, &at, true, f.system.grad);
        double *p = singles(f.n, &random), *q = test_alloc(sizeof(double) * (size_t)f.n);
        for (int32_t k = 3; k < f.n; k++) {
            p[k] = p[k % 3];
        }
        ck_assert(tl_operator_prepare(&f.system.matrix, f.pool));
        ck_assert(test_system_times(&f, p, q) == 0.0);
        ck_assert(test_largest(q, f.n) == 0.0);
        test_system_weigh(&f, 1e-3, 1, &random);
        ck_assert(tl_operator_prepare(&f.system.matrix, f.pool));
        test_system_times(&f, p, q);
        for (int32_t k = 0; k < f.n; k++) {
            float want = (float)f.system.weight[k / 3] * (float)p[k];
            ck_assert(q[k] == (double)want);
        }
        free(p);
        free(q);
        test_system_free(&f);
    }
}
END_TEST

static double dot_of(const double *a, const double *b, int32_t n, double *size) {
    double sum = 0.0;
    *size = 0.0;
    for (int32_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
        *size += fabs(a[i] * b[i]);
    }
    return sum;
}

START_TEST(operator_is_symmetric) {
    TestRandom random = test_random(176);
    for (int32_t i = 0; i < TEST_FABRICS * MESHES; i++) {
        ToileFabric fabric = test_any_fabric(i / MESHES);
        TestSystem f;
        test_system_bent(&f, any_mesh(i % MESHES, 5, &random), &fabric, 0.1, 0.3, &random);
        TlPoint at = test_system_at(&f, STEP_S);
        make_ready(&f, &at, &random);
        size_t room = sizeof(double) * (size_t)f.n;
        double *p = singles(f.n, &random), *r = singles(f.n, &random), *Ap = test_alloc(room),
               *Ar = test_alloc(room), size[2];
        leave_out_fixed(&f, p);
        leave_out_fixed(&f, r);
        test_system_times(&f, p, Ap);
        test_system_times(&f, r, Ar);
        double left = dot_of(p, Ar, f.n, &size[0]), right = dot_of(r, Ap, f.n, &size[1]);
        ASSERT_NEAR(left, right, SINGLE * (size[0] + size[1]));
        free(p);
        free(r);
        free(Ap);
        free(Ar);
        test_system_free(&f);
    }
}
END_TEST

/* Fixed vertices give nothing and answer nothing, whatever they weigh and touch. */
START_TEST(operator_fixed_vertices_take_no_part) {
    TestRandom random = test_random(177);
    ToileFabric fabric = test_any_fabric(0);
    TestSystem f;
    test_system(&f, test_mixed(5, 5, &random), &fabric, 1, 0.2, &random);
    TlPoint at = test_system_at(&f, 0.0);
    make_ready(&f, &at, &random);
    size_t room = sizeof(double) * (size_t)f.n;
    double *p = singles(f.n, &random), *q = test_alloc(room), *again = test_alloc(room);
    double answer = test_system_times(&f, p, q);
    for (int32_t v = 0; v < f.mesh.vertex_count; v++) {
        if (f.system.fixed[v]) {
            f.system.weight[v] = 1e6;
            f.system.matrix.touched[v] = 1;
            f.system.matrix.contact[9 * v] = 1e6;
            for (int k = 0; k < 8; k++) {
                ck_assert(f.system.matrix.inverse[2 * v + k / 4][k % 4] == 0.0F);
            }
        }
    }
    ck_assert(tl_operator_prepare(&f.system.matrix, f.pool));
    ck_assert(test_system_times(&f, p, again) == answer);
    ck_assert_mem_eq(q, again, room);
    free(p);
    free(q);
    free(again);
    test_system_free(&f);
}
END_TEST

START_TEST(operator_without_own_is_the_cloth_alone) {
    TestRandom random = test_random(178);
    ToileFabric fabric = test_any_fabric(12);
    TestSystem f;
    test_system(&f, test_mixed(5, 5, &random), &fabric, 1, 0.2, &random);
    TlPoint at = test_system_at(&f, STEP_S);
    make_ready(&f, &at, &random);
    tl_operator_without_own(&f.system.matrix);
    test_system_weigh(&f, 0, 0, &random);
    check_product(&f, &at, &random);
    test_system_free(&f);
}
END_TEST

/* ---- diagonal blocks ---- */

/* Block times its inverse is the unit matrix, to what rounding of either makes of it. */
static void check_inverse(const TlFloat4 *inverse, const double own[9]) {
    static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double turned[9];
    for (int i = 0; i < 9; i++) {
        turned[i] = (double)inverse[place[i] / 4][place[i] % 4];
    }
    double scale = 9.0 * test_largest(own, 9) * test_largest(turned, 9);
    for (int i = 0; i < 9; i++) {
        double sum = 0.0;
        for (int k = 0; k < 3; k++) {
            sum += own[3 * (i / 3) + k] * turned[3 * k + i % 3];
        }
        ASSERT_NEAR(sum, i % 4 == 0 ? 1.0 : 0.0, SINGLE * scale);
    }
}

static void check_inverses(const TestSystem *f, const TlPoint *at) {
    TestBlocks blocks = test_blocks(f, at);
    for (int64_t i = 0; i < blocks.count; i++) {
        int32_t v = blocks.row[i];
        if (v == blocks.column[i] && !f->system.fixed[v]) {
            check_inverse(f->system.matrix.inverse + 2 * v, blocks.block[i]);
        }
    }
    test_blocks_free(&blocks);
}

START_TEST(operator_inverts_diagonal_blocks) {
    TestRandom random = test_random(179);
    for (int32_t i = 0; i < TEST_FABRICS * MESHES; i++) {
        ToileFabric fabric = test_any_fabric(i / MESHES);
        TestSystem f;
        test_system_bent(&f, any_mesh(i % MESHES, 4, &random), &fabric, 0.1, 0.2, &random);
        TlPoint at = test_system_at(&f, STEP_S);
        make_ready(&f, &at, &random);
        check_inverses(&f, &at);
        test_system_free(&f);
    }
}
END_TEST

/* Four vertices at once are inverted to the bits of one at a time, as those that touch are: here
 * without being pushed. */
START_TEST(operator_inverts_four_blocks_as_one) {
    TestRandom random = test_random(187);
    ToileFabric fabric = test_any_fabric(0);
    TestSystem f;
    test_system(&f, test_mixed(20, 20, &random), &fabric, 1, 0.2, &random);
    TlPoint at = test_system_at(&f, STEP_S);
    test_system_weigh(&f, 1, 2, &random);
    test_system_fix(&f, 5, &random);
    tl_system_derive(&f.system, &at, true, f.system.grad);
    TlOperator *A = &f.system.matrix;
    A->diagonal[2 * 9] = tl_float4(-1e6F); /* one that is not positive definite */
    size_t size = 2 * sizeof *A->inverse * (size_t)A->n;
    TlFloat4 *four = test_alloc(size);
    float *own = test_alloc(sizeof *own * (size_t)A->n);
    ck_assert_int_ne(A->n % TL_SLICE, 0);
    ck_assert(tl_operator_prepare(A, f.system.pool));
    memcpy(four, A->inverse, size);
    memcpy(own, A->own, sizeof *own * (size_t)A->n);
    memset(A->touched, 1, (size_t)A->n);
    memset(A->contact, 0, 9 * sizeof *A->contact * (size_t)A->n);
    ck_assert(tl_operator_prepare(A, f.system.pool));
    for (int32_t i = 0; i < 8 * A->n; i++) {
        ck_assert(four[i / 4][i % 4] == A->inverse[i / 4][i % 4]);
    }
    for (int32_t v = 0; v < A->n; v++) {
        ck_assert(own[v] == A->own[v]);
    }
    free(four);
    free(own);
    test_system_free(&f);
}
END_TEST

/* ---- parts ---- */

/* A mixed mesh of side x side cells under shuffled numbers, so that faces reach into other parts.
 */
static TestMesh shuffled(int32_t side, TestRandom *random) {
    TestMesh plain = test_mixed(side, side, random);
    int32_t *order = test_alloc(sizeof(int32_t) * (size_t)plain.vertex_count);
    test_shuffle(random, order, plain.vertex_count);
    TestMesh mesh = test_renumbered(&plain, order);
    free(order);
    test_mesh_free(&plain);
    return mesh;
}

START_TEST(operator_parts_add_up) {
    static const struct {
        int32_t side, parts, fabric;
    } cases[] = {{20, 1, 0}, {50, 2, 14}, {57, 3, 0}, {57, 3, 12}, {130, 16, 3}};
    TestRandom random = test_random(180);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ToileFabric fabric = test_any_fabric(cases[i].fabric);
        /* the largest is slow to build */
        for (int plain = 0; plain < (cases[i].parts < 16 ? 2 : 1); plain++) {
            TestMesh mesh = plain ? test_mixed(cases[i].side, cases[i].side, &random)
                                  : shuffled(cases[i].side, &random);
            TestSystem f;
            test_system(&f, mesh, &fabric, 1, 0.2, &random);
            ck_assert_int_eq(f.system.matrix.part_count, cases[i].parts);
            /* some corners do fall into other parts */
            ck_assert((f.system.matrix.extent > f.mesh.vertex_count + 1) == (cases[i].parts > 1));
            TlPoint at = test_system_at(&f, STEP_S);
            make_ready(&f, &at, &random);
            check_product(&f, &at, &random);
            check_residual(&f, &at, &random);
            check_inverses(&f, &at);
            test_system_free(&f);
        }
    }
}
END_TEST

/* What one run of the solver answers. */
typedef struct Run {
    double *grad, *q, *y, *r, *coarse;
    TlDouble4 *nodes;
    TlFloat4 *inverse;
    double answer;
    int32_t iterations;
} Run;

/* Everything a Newton iteration asks for, by a pool. */
static void run_system(TestSystem *f, TlPool *pool, const double *p, Run *out) {
    TlSystem *system = &f->system;
    TlPoint at = test_system_at(f, STEP_S);
    size_t size = 3 * (size_t)system->coarse.hubs.count;
    system->pool = system->cg.pool = f->pool = pool;
    tl_system_derive(system, &at, true, out->grad);
    ck_assert(tl_cg_precondition(&system->cg, false));
    ck_assert(system->coarse.ready);
    out->answer = test_system_times(f, p, out->q);
    memcpy(out->inverse, system->matrix.inverse,
           2 * sizeof *out->inverse * (size_t)system->matrix.n);
    memcpy(out->coarse, system->coarse.dense, sizeof(double) * size * size);
    memcpy(out->nodes, system->coarse.matrix.block,
           3 * sizeof *out->nodes * (size_t)system->coarse.matrix.count);
    out->iterations = tl_cg_solve(&system->cg, out->grad, 1e-3, 50, out->y, NULL);
    tl_operator_residual(&system->matrix, pool, out->grad, out->y, out->r);
}

static Run new_run(TlArena *arena, const TestSystem *f) {
    int64_t size = 3 * (int64_t)f->system.coarse.hubs.count;
    Run run = {TL_NEW(arena, double, f->n),
               TL_NEW(arena, double, f->n),
               TL_NEW(arena, double, f->n),
               TL_NEW(arena, double, f->n),
               TL_NEW(arena, double, size *size),
               TL_NEW(arena, TlDouble4, 3 * f->system.coarse.matrix.count),
               TL_NEW(arena, TlFloat4, 2 * f->mesh.vertex_count),
               0.0,
               0};
    ck_assert(!arena->failed);
    return run;
}

static void expect_same_bits(const TestSystem *f, const Run *a, const Run *b) {
    size_t room = sizeof(double) * (size_t)f->n;
    size_t size = 3 * (size_t)f->system.coarse.hubs.count;
    ck_assert_mem_eq(a->grad, b->grad, room);
    ck_assert_mem_eq(a->q, b->q, room);
    ck_assert_mem_eq(a->y, b->y, room);
    ck_assert_mem_eq(a->r, b->r, room);
    for (size_t i = 0; i < size; i++) { /* the lower half, above it is anything */
        ck_assert_mem_eq(a->coarse + i * size, b->coarse + i * size, sizeof(double) * (i + 1));
    }
    ck_assert_mem_eq(a->nodes, b->nodes,
                     3 * sizeof *a->nodes * (size_t)f->system.coarse.matrix.count);
    ck_assert_mem_eq(a->inverse, b->inverse, 2 * sizeof *a->inverse * (size_t)f->mesh.vertex_count);
    ck_assert(a->answer == b->answer);
    ck_assert_int_eq(a->iterations, b->iterations);
}

static void check_workers(TestSystem *f, TestRandom *random) {
    static const int32_t workers[] = {1, 2, 3, 8, 0};
    TlArena arena;
    tl_arena_init(&arena, tl_allocator_or_default(NULL));
    Run first = new_run(&arena, f), run = new_run(&arena, f);
    double *p = singles(f->n, random);
    TlPool *own = f->pool;
    run_system(f, own, p, &first);
    for (int i = 0; i < 5; i++) {
        /* the last pool goes through its chunks from last to first */
        ToileTasks tasks = test_tasks_reversed();
        TlPool *pool = tl_pool_create(workers[i], workers[i] > 0 ? NULL : &tasks);
        ck_assert_ptr_nonnull(pool);
        run_system(f, pool, p, &run);
        expect_same_bits(f, &first, &run);
        f->pool = own;
        tl_pool_destroy(pool);
    }
    free(p);
    tl_arena_free(&arena);
}

START_TEST(operator_same_bits_with_any_workers) {
    static const int32_t fabrics[] = {0, 12, 18};
    TestRandom random = test_random(181);
    for (int i = 0; i < 3; i++) {
        ToileFabric fabric = test_any_fabric(fabrics[i]);
        TestSystem f;
        test_system(&f, shuffled(57, &random), &fabric, 1, 0.1, &random);
        test_system_weigh(&f, 10, 100, &random);
        test_system_touch(&f, 10, 500, &random);
        test_system_fix(&f, 50, &random);
        check_workers(&f, &random);
        test_system_free(&f);
    }
}
END_TEST

/* ---- gradients and extremes ---- */

START_TEST(operator_gradient_is_that_without_the_matrix) {
    TestRandom random = test_random(182);
    for (int32_t i = 0; i < TEST_FABRICS * (MESHES + 1); i++) {
        ToileFabric fabric = test_any_fabric(i / (MESHES + 1));
        TestMesh mesh = i % (MESHES + 1) == MESHES ? shuffled(46, &random)
                                                   : any_mesh(i % (MESHES + 1), 4, &random);
        TestSystem f;
        test_system_bent(&f, mesh, &fabric, 0.1, 0.2, &random);
        double *grad = test_alloc(sizeof(double) * (size_t)f.n);
        for (int k = 0; k < 2; k++) {
            TlPoint at = test_system_at(&f, k * STEP_S);
            tl_system_derive(&f.system, &at, true, grad);
            tl_system_derive(&f.system, &at, false, f.system.grad);
            double scale = test_largest(grad, f.n);
            for (int32_t j = 0; j < f.n; j++) {
                ASSERT_NEAR(grad[j], f.system.grad[j], ROUNDING * scale);
            }
        }
        free(grad);
        test_system_free(&f);
    }
}
END_TEST

START_TEST(operator_says_when_numbers_are_too_large) {
    TestRandom random = test_random(183);
    for (int32_t i = 0; i < TEST_FABRICS * MESHES; i++) {
        ToileFabric fabric = test_any_fabric(i / MESHES);
        /* springs grow no stiffer when they are long */
        if (fabric.stretch_model == TOILE_STRETCH_SPRINGS) {
            continue;
        }
        TestSystem f;
        test_system_bent(&f, any_mesh(i % MESHES, 4, &random), &fabric, 0.1, 0.2, &random);
        TlPoint at = test_system_at(&f, 0.0);
        test_system_weigh(&f, 10, 100, &random);
        double before = f.x[7];
        f.x[7] = 1e30;
        tl_system_derive(&f.system, &at, true, f.system.grad);
        ck_assert(!tl_operator_prepare(&f.system.matrix, f.pool));
        /* which is forgotten */
        f.x[7] = before;
        tl_system_derive(&f.system, &at, true, f.system.grad);
        ck_assert(tl_operator_prepare(&f.system.matrix, f.pool));
        check_product(&f, &at, &random);
        test_system_free(&f);
    }
}
END_TEST

START_TEST(operator_says_when_weights_and_contacts_are_too_large) {
    TestRandom random = test_random(184);
    ToileFabric fabric = test_any_fabric(0);
    TestSystem f;
    test_system(&f, test_mixed(4, 4, &random), &fabric, 1, 0.2, &random);
    TlPoint at = test_system_at(&f, 0.0);
    test_system_weigh(&f, 10, 100, &random);
    tl_system_derive(&f.system, &at, true, f.system.grad);
    f.system.weight[3] = 1e40;
    ck_assert(!tl_operator_prepare(&f.system.matrix, f.pool));
    f.system.weight[3] = 10.0;
    ck_assert(tl_operator_prepare(&f.system.matrix, f.pool));
    f.system.matrix.touched[5] = 1;
    f.system.matrix.contact[9 * 5 + 4] = 1e40;
    ck_assert(!tl_operator_prepare(&f.system.matrix, f.pool));
    f.system.matrix.touched[5] = 0;
    ck_assert(tl_operator_prepare(&f.system.matrix, f.pool));
    test_system_free(&f);
}
END_TEST

TEST_MAIN("operator", operator_packs_the_hessians_of_elements, operator_packs_long_ranges,
          operator_packs_cloths_of_different_fabrics, operator_is_the_sum_of_all_energies,
          operator_of_few_elements, operator_translation_meets_inertia_alone, operator_is_symmetric,
          operator_fixed_vertices_take_no_part, operator_without_own_is_the_cloth_alone,
          operator_inverts_diagonal_blocks, operator_inverts_four_blocks_as_one,
          operator_parts_add_up, operator_same_bits_with_any_workers,
          operator_gradient_is_that_without_the_matrix, operator_says_when_numbers_are_too_large,
          operator_says_when_weights_and_contacts_are_too_large)
