/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of the broad phase: of vertices, of things, and of blocks; see tree.c. */
#include "contact/tree_inside.h"

#include <string.h>

enum { SAMPLES = 64 }; /* vertices whose median is the origin, at most */
enum { VERTEX_GRAIN = 512 };

/* Nothing reaches farther than this, m; what would is taken to end here, on all sides alike, so
 * that sums stay finite. */
static const float FARTHEST = 1e30f;
/* Of all magnitudes that enter a reach: more than four sums in double precision can lose. */
static const double ROUNDING = 0x1p-50;

typedef int32_t Bits4 __attribute__((vector_size(16)));

/* ---- boxes ---- */

typedef struct Fit {
    TlBroad *broad;
    const TlSweep *sweep;
    const uint8_t *chosen; /* of some */
} Fit;

/* The median of some cloth vertices along each axis, which one that flew off does not move. */
static void find_origin(const TlSurface *surface, const double *x, double origin[3]) {
    int32_t count = surface->vertices.cloth, step = count / SAMPLES + 1;
    for (int32_t d = 0; d < 3; d++) {
        double sorted[SAMPLES];
        int32_t found = 0;
        for (int32_t v = 0; v < count; v += step) {
            double at = x[3 * (int64_t)v + d];
            int32_t i = tl_is_finite(at) ? found++ : -1;
            for (; i > 0 && sorted[i - 1] > at; i--) {
                sorted[i] = sorted[i - 1];
            }
            if (i >= 0) {
                sorted[i] = at;
            }
        }
        origin[d] = found > 0 ? sorted[found / 2] : 0.0;
    }
}

/* Not farther than FARTHEST; what is not a number reaches least of all. */
TL_INLINE TlFloat4 limited(TlDouble4 reach) {
    TlDouble4 far = tl_double4((double)FARTHEST);
    return tl_narrow4(-tl_max4(-far, -tl_max4(-far, reach)));
}

TL_INLINE TlReaches reach_of(TlDouble4 x, TlDouble4 common, TlDouble4 low, TlDouble4 high) {
    TlDouble4 size = tl_abs4(x) + tl_abs4(common) + tl_abs4(low) + tl_abs4(high);
    TlDouble4 more = ROUNDING * size;
    return (TlReaches){{limited(x + high + more), limited(more - (x + low)),
                        limited(x + high + common + more), limited(more - (x + low + common))}};
}

TL_INLINE void fit_vertex(const Fit *fit, int32_t v, int32_t last) {
    const TlSweep *sweep = fit->sweep;
    const double *origin = fit->broad->origin;
    TlDouble4 x = tl_vertex4(sweep->x, v, last) - (TlDouble4){origin[0], origin[1], origin[2], 0.0};
    TlDouble4 around = tl_double4(sweep->around != NULL ? sweep->around[v] : 0.0);
    fit->broad->reach[v] =
        reach_of(x, tl_vertex4(sweep->common, v, last), tl_vertex4(sweep->low, v, last) - around,
                 tl_vertex4(sweep->high, v, last) + around);
}

TL_HOT static void fit_vertices(void *data, int32_t begin, int32_t end) {
    const Fit *fit = data;
    int32_t last = fit->broad->surface->vertices.count - 1;
    for (int32_t v = begin; v < end; v++) {
        fit_vertex(fit, v, last);
    }
}

TL_HOT static void fit_chosen_vertices(void *data, int32_t begin, int32_t end) {
    const Fit *fit = data;
    int32_t last = fit->broad->surface->vertices.count - 1;
    for (int32_t v = begin; v < end; v++) {
        if (fit->chosen[v]) {
            fit_vertex(fit, v, last);
        }
    }
}

/* The same of a sweep that is positions alone. */
TL_HOT static void fit_points(void *data, int32_t begin, int32_t end) {
    const Fit *fit = data;
    int32_t last = fit->broad->surface->vertices.count - 1;
    const double *at = fit->broad->origin;
    TlDouble4 origin = {at[0], at[1], at[2], 0.0}, none = tl_double4(0.0);
    for (int32_t v = begin; v < end; v++) {
        TlDouble4 x = tl_vertex4(fit->sweep->x, v, last) - origin;
        fit->broad->reach[v] = reach_of(x, none, none, none);
    }
}

TL_INLINE void join(TlReaches *to, const TlReaches *from) {
    for (int32_t i = 0; i < 4; i++) {
        Bits4 larger = from->at[i] > to->at[i];
        to->at[i] = (TlFloat4)(((Bits4)from->at[i] & larger) | ((Bits4)to->at[i] & ~larger));
    }
}

/* Writes four boxes beside each other, from lane `lane` on. */
TL_INLINE void store_four(TlTreeBlock *block, int32_t lane, const TlReaches reach[4]) {
    for (int32_t i = 0; i < 4; i++) {
        TlFloat4 row[4];
        for (int32_t k = 0; k < 4; k++) {
            row[k] = reach[k].at[i];
        }
        tl_transpose4(&row[0], &row[1], &row[2], &row[3]);
        for (int32_t d = 0; d < 3; d++) {
            memcpy((float *)&block->reach[i / 2][i % 2 * 3 + d] + lane, &row[d], sizeof row[d]);
        }
    }
}

/* Writes one box. */
TL_INLINE void store_one(TlTreeBlock *block, int32_t lane, const TlReaches *reach) {
    for (int32_t i = 0; i < 4; i++) {
        for (int32_t d = 0; d < 3; d++) {
            block->reach[i / 2][i % 2 * 3 + d][lane / TL_WIDE][lane % TL_WIDE] = reach->at[i][d];
        }
    }
}

/* Fits the boxes of one block of things; answers what holds them all. */
TL_INLINE TlReaches fit_leaf(const TlTree *tree, int32_t leaf, const TlReaches *vertex,
                             int32_t corners) {
    TlReaches all = tl_nowhere();
    const TlTreeNames *name = tree->vertex + leaf * (int64_t)corners;
    for (int32_t lane = 0; lane < TL_FAN; lane += 4) {
        TlReaches four[4];
        for (int32_t i = 0; i < 4; i++) {
            four[i] = vertex[tl_tree_name(&name[0], lane + i)];
            for (int32_t k = 1; k < corners; k++) {
                join(&four[i], &vertex[tl_tree_name(&name[k], lane + i)]);
            }
            join(&all, &four[i]);
        }
        store_four(&tree->level[0][leaf], lane, four);
    }
    return all;
}

TL_INLINE void fit_leaves(const TlTree *tree, int32_t node, const TlReaches *vertex,
                          int32_t corners) {
    for (int32_t lane = 0; lane < TL_FAN; lane += 4) {
        TlReaches four[4];
        for (int32_t i = 0; i < 4; i++) {
            int32_t leaf = node * TL_FAN + lane + i;
            four[i] = leaf < tree->blocks[0] ? fit_leaf(tree, leaf, vertex, corners) : tl_nowhere();
        }
        store_four(&tree->level[1][node], lane, four);
    }
}

/* Fits one node of level 1 and the sixteen leaves under it. */
TL_HOT static void fit_node(const TlTree *tree, int32_t node, const TlReaches *vertex) {
    if (tree->corners == 1) {
        fit_leaves(tree, node, vertex, 1);
    } else if (tree->corners == 2) {
        fit_leaves(tree, node, vertex, 2);
    } else {
        fit_leaves(tree, node, vertex, 3);
    }
}

/* Chooses things of a leaf by their vertices. */
TL_INLINE uint32_t choose_things(const TlTree *tree, int32_t leaf, const uint8_t *chosen,
                                 int32_t nobody) {
    uint32_t bits = 0;
    for (int32_t k = 0; k < tree->corners; k++) {
        const TlTreeNames *name = &tree->vertex[leaf * (int64_t)tree->corners + k];
        for (int32_t lane = 0; lane < TL_FAN; lane++) {
            int32_t v = tl_tree_name(name, lane);
            bits |= v != nobody && chosen[v] ? 1u << lane : 0u;
        }
    }
    return bits;
}

/* Fits the leaves of a node of level 1 that have chosen things, and their boxes in it. */
TL_HOT static void fit_chosen_node(const TlTree *tree, int32_t node, const TlReaches *vertex,
                                   const uint8_t *chosen, int32_t nobody) {
    int32_t end = (node + 1) * TL_FAN < tree->blocks[0] ? (node + 1) * TL_FAN : tree->blocks[0];
    for (int32_t leaf = node * TL_FAN; leaf < end; leaf++) {
        tree->chosen[leaf] = (uint16_t)choose_things(tree, leaf, chosen, nobody);
        if (tree->chosen[leaf] != 0) {
            TlReaches all = tree->corners == 1   ? fit_leaf(tree, leaf, vertex, 1)
                            : tree->corners == 2 ? fit_leaf(tree, leaf, vertex, 2)
                                                 : fit_leaf(tree, leaf, vertex, 3);
            store_one(&tree->level[1][node], leaf % TL_FAN, &all);
        }
    }
}

static void fit_nodes(void *data, int32_t begin, int32_t end) {
    const Fit *fit = data;
    int32_t first = 0;
    for (int32_t k = 0; k < 2 * TL_TREE_KINDS; k++) {
        const TlTree *tree =
            k < TL_TREE_KINDS ? &fit->broad->cloth[k] : &fit->broad->collider[k - TL_TREE_KINDS];
        int32_t low = begin > first ? begin : first, next = first + tree->blocks[1];
        for (int32_t i = low; i < end && i < next; i++) {
            if (fit->chosen == NULL) {
                fit_node(tree, i - first, fit->broad->reach);
            } else {
                fit_chosen_node(tree, i - first, fit->broad->reach, fit->chosen,
                                fit->broad->surface->vertices.count);
            }
        }
        first = next;
    }
}

/* Level 2 and those above, of which there are few. */
static void fit_above(const TlTree *tree) {
    for (int32_t level = 2; level <= tree->top; level++) {
        for (int32_t child = 0; child < tree->blocks[level] * TL_FAN; child++) {
            for (int32_t i = 0; i < 12; i++) {
                float most = TL_NOWHERE;
                for (int32_t k = 0; k < TL_FAN && child < tree->blocks[level - 1]; k++) {
                    float reach =
                        tree->level[level - 1][child].reach[i / 6][i % 6][k / TL_WIDE][k % TL_WIDE];
                    most = reach > most ? reach : most;
                }
                TlFloat8 *to = tree->level[level][child / TL_FAN].reach[i / 6][i % 6];
                to[child % TL_FAN / TL_WIDE][child % TL_WIDE] = most;
            }
        }
    }
}

/* All trees, whose vertices are fitted. */
static void fit_trees(TlPool *pool, Fit *fit) {
    TlBroad *broad = fit->broad;
    int32_t nodes = 0;
    for (int32_t k = 0; k < TL_TREE_KINDS; k++) {
        nodes += broad->cloth[k].blocks[1] + broad->collider[k].blocks[1];
    }
    tl_parallel_for(pool, nodes, 4, fit_nodes, fit);
    for (int32_t k = 0; k < TL_TREE_KINDS; k++) {
        fit_above(&broad->cloth[k]);
        fit_above(&broad->collider[k]);
    }
}

void tl_tree_fit(TlBroad *broad, TlPool *pool, const TlSweep *sweep) {
    Fit fit = {broad, sweep, NULL};
    find_origin(broad->surface, sweep->x, broad->origin);
    tl_parallel_for(pool, broad->surface->vertices.count, VERTEX_GRAIN,
                    sweep->common != NULL ? fit_vertices : fit_points, &fit);
    fit_trees(pool, &fit);
    broad->swept = sweep->common != NULL;
}

void tl_tree_fit_some(TlBroad *broad, TlPool *pool, const TlSweep *sweep, const uint8_t *chosen) {
    if (!broad->swept) {
        tl_tree_fit(broad, pool, sweep);
    }
    Fit fit = {broad, sweep, chosen};
    tl_parallel_for(pool, broad->surface->vertices.count, VERTEX_GRAIN, fit_chosen_vertices, &fit);
    fit_trees(pool, &fit);
}
