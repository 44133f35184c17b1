/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix A of one Newton iteration, which is never put together: its product with a vector is
 * taken element by element, and every vertex sums the parts of its corners in a fixed order. Layer
 * 4. Numbers are single precision here; what is at stake is a direction, while positions, forces
 * and residuals of Newton's method stay in double precision.
 *
 *   A p = own p + sum of elements + L p,
 *
 * own: inertia and contact with analytic colliders, a 3x3 block per vertex; elements: those of
 * energies, and touches of surfaces; L: the constant bending matrix, as far as it
 * reaches beyond a face; what joins two corners of one goes with the face. Elements and L act on
 * differences of vertices, so that a common translation meets inertia alone. */
#ifndef TL_OPERATOR_H
#define TL_OPERATOR_H

#include "base/lanes.h"
#include "base/parallel.h"
#include "base/sparse.h"
#include "contact/world.h"
#include "force/energy.h"

/* Where the derivatives of one set of elements go, and its part of a product. */
typedef struct TlGather {
    TlElements elements;
    double *grad;   /* 3 per corner; packed sets: where only the gradient is wanted */
    int32_t *start; /* per vertex: range of items */
    int32_t *item;  /* corners (counted over all elements), ascending */
    /* sets that are not packed */
    double *hess;      /* tl_hessian_size */
    TlFloat4 *column;  /* blocks: 3 columns of every (a, b) but those of corner 0 */
    TlFloat4 *product; /* per corner */
    /* packed sets, in whole groups of elements, the last element repeated */
    float *packed;
    TlFloat8 *near;  /* the bending matrix inside elements, see tl_near_count */
    int32_t *corner; /* vertices */
    int32_t *target; /* where sums of corners go, see TlOperator */
} TlGather;

/* Rows of L that go through products side by side, so that none waits for its last term. */
enum { TL_SLICE = 4 };

/* Packed elements are cut into a fixed number of parts, and so are vertices. The elements of a part
 * add to its vertices without waiting for anybody; where they have corners in other parts, they add
 * to places of their own behind the vertices, which those parts collect. */
typedef struct TlOperator {
    int32_t n, set_count, part_count;
    TlGather *sets;
    const uint8_t *fixed;       /* per vertex: not moved; rows and columns of A that are left out */
    const double *weight;       /* per vertex: inertia */
    const TlScalarMatrix *bend; /* the whole bending matrix */
    TlPoint at;                 /* where the derivatives were taken; the arrays are the caller\'s */
    int32_t extent;             /* vertices, places behind them, and one for what is not wanted */
    int32_t *part_place;        /* part_count + 1: first place of each part */
    int32_t *place_start;       /* per vertex: range of place_item */
    int32_t *place_item;        /* places that belong to the vertex */
    int32_t *bend_start;        /* L without its diagonal, per slice: range of TL_SLICE entries */
    int32_t *bend_column;       /* one of each row of the slice; its own vertex where it has less */
    float *bend_value;          /* the same */
    double *bend_diagonal;      /* of the whole bending matrix */
    uint8_t *touched;           /* per vertex: has a contact */
    double *contact;            /* 9 per vertex, where touched */
    TlWorld *world;             /* touches of surfaces; NULL: none */
    TlDouble4 *grad;            /* extent: gradients of packed elements */
    TlFloat4 *diagonal;         /* 2 of extent: their diagonal blocks, xx xy xz yy and yz zz */
    float *own;                 /* per vertex: the weight again */
    TlFloat4 *inverse; /* 2 per vertex: the inverted diagonal block, as above; 0 where fixed */
} TlOperator;

/* Tables of one set; false when memory is refused. */
bool tl_gather_build(TlArena *arena, const TlElements *elements, int32_t vertex_count,
                     TlGather *out);
/* The operator over all sets and the bending matrix; false when memory is refused. */
bool tl_operator_build(TlArena *arena, TlGather *sets, int32_t set_count,
                       const TlScalarMatrix *bend, const double *weight, const uint8_t *fixed,
                       TlOperator *out);
/* First item of a part, when `count` items are cut into parts. */
static inline int32_t tl_part_begin(const TlOperator *A, int32_t count, int32_t part) {
    return (int32_t)((int64_t)count * part / A->part_count);
}

/* First element of a part of a packed set. */
static inline int32_t tl_part_first(const TlOperator *A, const TlElements *elements, int32_t part) {
    int64_t first = (int64_t)TL_WIDE * tl_part_begin(A, tl_group_count(elements), part);
    return first < elements->count ? (int32_t)first : elements->count;
}
/* Slices of all vertices; the last may lack some. */
static inline int32_t tl_slice_count(const TlOperator *A) {
    return (A->n + TL_SLICE - 1) / TL_SLICE;
}
/* What a part adds to, [first, last): its vertices, or for `places` what stands for those of
 * others. */
typedef struct TlExtent {
    int32_t first, last;
} TlExtent;
static inline TlExtent tl_part_span(const TlOperator *A, int32_t part, bool places) {
    return places ? (TlExtent){A->part_place[part], A->part_place[part + 1]}
                  : (TlExtent){tl_part_begin(A, A->n, part), tl_part_begin(A, A->n, part + 1)};
}
/* Numbers of the bending matrix inside a packed element: pairs of vectors, in the order of blocks.
 */
static inline int32_t tl_near_count(const TlElements *elements) {
    return elements->vectors * (elements->vectors + 1) / 2;
}

/* Columns from the Hessians of elements [begin, end) of a set that is not packed, where it has
 * blocks. */
void tl_gather_narrow(TlGather *gather, int32_t begin, int32_t end);
/* Gradients and Hessians of all packed sets. */
void tl_operator_derive(TlOperator *A, TlPool *pool, const TlPoint *at);
/* Sum of the packed gradients at a vertex. */
static inline void tl_operator_gradient(const TlOperator *A, int32_t v, double out[3]) {
    TlDouble4 sum = A->grad[v];
    for (int32_t i = A->place_start[v]; i < A->place_start[v + 1]; i++) {
        sum += A->grad[A->place_item[i]];
    }
    for (int i = 0; i < 3; i++) {
        out[i] += sum[i];
    }
}
/* Diagonal blocks, inverted, from the derivatives, weights and contacts; false when a number is too
 * large for single precision. */
bool tl_operator_prepare(TlOperator *A, TlPool *pool);
/* Products leave weights and contacts out, until tl_operator_prepare and new contacts. */
void tl_operator_without_own(TlOperator *A);
/* q = A p, 0 where fixed; answers p . q. p is 0 where fixed; q has room for `extent`. */
double tl_operator_multiply(TlOperator *A, TlPool *pool, const TlFloat4 *p, TlFloat4 *q);
/* r = b - A y in double precision, 0 where fixed, 3 per vertex; slow. Overwrites A->grad. */
void tl_operator_residual(TlOperator *A, TlPool *pool, const double *b, const double *y, double *r);

/* A symmetric block as two vectors xx xy xz yy and yz zz, times d. */
TL_INLINE TlFloat4 tl_symmetric_times(const TlFloat4 *block, TlFloat4 d) {
    TlFloat4 second = __builtin_shufflevector(block[0], block[1], 1, 3, 4, 6);
    TlFloat4 third = __builtin_shufflevector(block[0], block[1], 2, 4, 5, 6);
    TlFloat4 out = d[0] * block[0] + d[1] * second + d[2] * third;
    return __builtin_shufflevector(out, block[1], 0, 1, 2, 6);
}

/* How many touches there are. */
static inline int32_t tl_touch_count(const TlOperator *A) {
    return A->world != NULL ? A->world->touch_count : 0;
}

/* Whether TL_SLICE vertices from v on are free and touch nothing. */
TL_INLINE bool tl_are_alone(const TlOperator *A, int32_t v) {
    uint32_t fixed, touched;
    _Static_assert(TL_SLICE == sizeof fixed, "one byte a vertex");
    __builtin_memcpy(&fixed, A->fixed + v, sizeof fixed);
    __builtin_memcpy(&touched, A->touched + v, sizeof touched);
    return fixed == 0 && touched == 0 &&
           (tl_touch_count(A) == 0 ||
            A->world->touch_start[v] == A->world->touch_start[v + TL_SLICE]);
}

/* Sum of three lanes. */
TL_INLINE double tl_sum3(TlFloat4 a) {
    return ((double)a[0] + (double)a[1]) + (double)a[2];
}

#endif
