/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of an energy. Layer 3a.
 *
 * An energy is a set of elements, each over a few vertices, its corners. It answers its value, and
 * for a range of elements the gradient and a positive semi-definite Hessian, into buffers with one
 * place per element; the solver gathers them by vertex in a fixed order. Nothing is scattered, so
 * threads never change a bit. All answers are numbers, and energies not negative, for any positions
 * up to 1e30 m: collapsed, coincident or far apart (tests/test_models.c). */
#ifndef TL_ENERGY_H
#define TL_ENERGY_H

#include "rest/model.h"

/* Where an energy is evaluated. */
typedef struct TlPoint {
    const double *x;       /* positions, 3 per vertex */
    const double *x_start; /* those at the start of the step, for damping; unused when dt_s is 0 */
    double dt_s;           /* 0: static, no damping */
} TlPoint;

/* Weight of strain-rate damping over a step, tau/dt; 0: none. */
static inline double tl_damping_rate(const TlMaterial *m, const TlPoint *at) {
    return at->dt_s > 0.0 ? m->stretch_damping_s / at->dt_s : 0.0;
}

/* Which sum an energy counts for. */
typedef enum TlEnergyGroup { TL_ENERGY_STRETCH, TL_ENERGY_BEND } TlEnergyGroup;

/* How the Hessian of an element is handed over. */
enum {
    TL_HESSIAN_MATRIX = -2, /* constant: gradient and Hessian are those of the bending matrix */
    TL_HESSIAN_NONE = -1,   /* that of the bending matrix is used; the gradient is the element's */
    TL_HESSIAN_BLOCKS = 0   /* blocks (a, b), a <= b, row by row, 9 each; fixed arity only */
    /* k > 0: as H = sum of g_i g_i^T over k rows of 3 values per corner */
};

typedef struct TlElements {
    const char *name;
    TlEnergyGroup group;
    int32_t count;
    int32_t arity;         /* corners of every element, or 0: see first */
    const int32_t *first;  /* corners of element e: [first[e], first[e + 1]); NULL with an arity */
    const int32_t *vertex; /* per corner */
    int32_t hessian;       /* one of the above, or a number of rows */
    int32_t vectors;       /* differences of corners that packed Hessians act on; 0: not packed */
    const TlModel *model;
    /* sum of the energies of elements [begin, end), added in order */
    double (*value)(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end);
    /* for elements [begin, end): gradient, 3 per corner, and unless `hess` is NULL the Hessian.
     * Both buffers start at element 0. */
    void (*derive)(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end,
                   double *grad, double *hess);
    /* Faces only, others NULL: the same for the solver, four elements side by side, with the
     * Hessian packed in single precision, see tl_packed_size, and unless NULL in full. `begin` is a
     * multiple of eight, and all buffers start at that element. */
    void (*pack)(const TlModel *model, const TlPoint *at, int32_t begin, int32_t end, double *grad,
                 float *packed, float *diagonal, double *hess);
    /* for elements [begin, end): minus the damping force at positions x and velocities v, 3 per
     * corner. NULL: no damping. */
    void (*damp)(const TlModel *model, const double *x, const double *v, int32_t begin, int32_t end,
                 double *grad);
} TlElements;

/* Whether the elements have Hessians of their own, and whether these are packed. */
static inline bool tl_has_hessian(const TlElements *elements) {
    return elements->hessian >= 0;
}
static inline bool tl_is_packed(const TlElements *elements) {
    return elements->vectors > 0;
}
/* First corner of an element. */
static inline int32_t tl_first_corner(const TlElements *elements, int32_t e) {
    return elements->first != NULL ? elements->first[e] : elements->arity * e;
}
/* The element a corner belongs to. */
static inline int32_t tl_element_of(const TlElements *elements, int32_t corner) {
    if (elements->first == NULL) {
        return corner / elements->arity;
    }
    int32_t low = 0, high = elements->count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (elements->first[middle] <= corner) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
/* Blocks of one element's symmetric Hessian. */
static inline int32_t tl_block_count(int32_t arity) {
    return arity * (arity + 1) / 2;
}
/* Place of block (a, b), a <= b. */
static inline int32_t tl_block_index(int32_t arity, int32_t a, int32_t b) {
    return a * arity - a * (a - 1) / 2 + (b - a);
}
/* Values in the buffer of all Hessians. */
static inline int64_t tl_hessian_size(const TlElements *elements) {
    if (elements->hessian == TL_HESSIAN_BLOCKS) {
        return (int64_t)9 * tl_block_count(elements->arity) * elements->count;
    }
    int64_t corners = tl_first_corner(elements, elements->count);
    return elements->hessian > 0 ? 3 * elements->hessian * corners : 0;
}
/* Packed Hessians act on differences of corners: p1 - p0 and p2 - p0 of triangles, p2 - p0, p1 - p3
 * and p0 - p1 + p2 - p3 of quads, so that translations have no force to the last bit. Of each pair
 * of vectors A <= B there is a block, the upper half only where A = B; first all (A, A), then (0,
 * 1), (0, 2), (1, 2). Each number stands for eight elements side by side. `diagonal` holds 8
 * numbers per corner, of which 6 are the upper half of the corner's diagonal block. Both are padded
 * to whole groups of eight. Answers the numbers of one element. */
static inline int32_t tl_packed_size(const TlElements *elements) {
    return 6 * elements->vectors + 9 * (elements->vectors * (elements->vectors - 1) / 2);
}
/* Groups of eight elements. */
static inline int32_t tl_group_count(const TlElements *elements) {
    return elements->count / 8 + (elements->count % 8 > 0);
}
/* Where the packed numbers of four elements from `first` on begin, when the buffer starts at a
 * multiple of eight; each is followed by the next at twice the distance. */
static inline float *tl_packed_at(float *packed, int32_t size, int64_t first) {
    return packed + 8 * (int64_t)size * (first / 8) + first % 8;
}

#endif
