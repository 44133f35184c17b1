/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Touches on the coarse levels. Which nodes touch changes all the time, so that their blocks have
 * no place in the matrix on the nodes: there they only count on the diagonal, which is all that
 * block Jacobi uses. The matrix on the hubs is dense and takes them whole. Layers that press each
 * other are then solved for as the chain of springs that they are, instead of one layer an
 * iteration. */
#include "base/vec.h"
#include "solve/coarse.h"

#include <string.h>

enum { ROWS = 3, CORNERS = 4 };
enum { MOST_NODES = CORNERS * TL_COARSE_SUPPORT, MOST_HUBS = MOST_NODES * TL_COARSE_SUPPORT };

/* Coarse values that a touch takes part in, and how much. */
typedef struct Shares {
    int32_t count;
    int32_t at[MOST_HUBS];
    double weight[MOST_HUBS];
} Shares;

static void add_share(Shares *shares, int32_t at, double weight) {
    int32_t i = 0;
    while (i < shares->count && shares->at[i] != at) {
        i++;
    }
    if (i == shares->count) {
        shares->at[shares->count++] = at;
        shares->weight[i] = 0.0;
    }
    shares->weight[i] += weight;
}

/* Adds `weight` times one row of an interpolation. */
static void add_row_shares(Shares *shares, const TlInterpolation *from, int32_t row,
                           double weight) {
    int64_t first = TL_COARSE_SUPPORT * (int64_t)row;
    for (int64_t i = first; i < first + TL_COARSE_SUPPORT && from->node[i] >= 0; i++) {
        add_share(shares, from->node[i], weight * (double)from->weight[i]);
    }
}

/* The nodes of the free vertices of a touch. */
static void find_nodes(const TlCoarse *coarse, const TlOperator *A, const TlTouch *touch,
                       Shares *nodes) {
    nodes->count = 0;
    for (int i = 0; i < CORNERS; i++) {
        if (touch->weight[i] != 0.0 && !A->fixed[touch->vertex[i]]) {
            add_row_shares(nodes, &coarse->nodes, touch->vertex[i], touch->weight[i]);
        }
    }
}

/* The same for hubs, which are many: coarse->place knows where they stand. */
static void find_hubs(const TlCoarse *coarse, const Shares *nodes, Shares *hubs) {
    const TlInterpolation *from = &coarse->hubs;
    hubs->count = 0;
    for (int32_t i = 0; i < nodes->count; i++) {
        int64_t first = TL_COARSE_SUPPORT * (int64_t)nodes->at[i];
        for (int64_t k = first; k < first + TL_COARSE_SUPPORT && from->node[k] >= 0; k++) {
            int32_t *place = &coarse->place[from->node[k]];
            if (*place < 0) {
                *place = hubs->count++;
                hubs->at[*place] = from->node[k];
                hubs->weight[*place] = 0.0;
            }
            hubs->weight[*place] += nodes->weight[i] * (double)from->weight[k];
        }
    }
    for (int32_t i = 0; i < hubs->count; i++) {
        coarse->place[hubs->at[i]] = -1;
    }
}

/* Adds a touch to the upper half of the matrix on the hubs, with half its diagonal. */
static void add_hub_blocks(TlCoarse *coarse, const Shares *hubs, const TlDouble4 H[ROWS]) {
    for (int32_t i = 0; i < hubs->count; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double w = hubs->weight[i] * hubs->weight[j] * (i == j ? 0.5 : 1.0);
            int64_t at = (int64_t)coarse->hubs.count * hubs->at[i] + hubs->at[j];
            for (int k = 0; k < ROWS; k++) {
                coarse->square[ROWS * at + k] += w * H[k];
            }
        }
    }
}

void tl_coarse_touches(TlCoarse *coarse, const TlOperator *A) {
    memset(coarse->touch_diagonal, 0,
           2 * sizeof *coarse->touch_diagonal * (size_t)coarse->nodes.count);
    for (int32_t t = 0; tl_coarse_is_pressed(A) && t < tl_touch_count(A); t++) {
        const TlTouch *touch = &A->world->touch[t];
        Shares nodes, hubs;
        find_nodes(coarse, A, touch, &nodes);
        find_hubs(coarse, &nodes, &hubs);
        TlDouble4 low = tl_widen4(touch->hess[0]), high = tl_widen4(touch->hess[1]);
        for (int32_t i = 0; i < nodes.count; i++) {
            double w = nodes.weight[i] * nodes.weight[i];
            coarse->touch_diagonal[2 * (int64_t)nodes.at[i]] += w * low;
            coarse->touch_diagonal[2 * (int64_t)nodes.at[i] + 1] += w * high;
        }
        const TlDouble4 H[ROWS] = {{low[0], low[1], low[2], 0.0},
                                   {low[1], low[3], high[0], 0.0},
                                   {low[2], high[0], high[1], 0.0}};
        add_hub_blocks(coarse, &hubs, H);
    }
}
