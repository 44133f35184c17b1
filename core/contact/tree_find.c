/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the broad phase found: room for it, and the lists of pairs; see tree.c. */
#include "contact/tree_inside.h"

enum { LEAST_PAIRS = 1024 };

/* What is found, and where it is written. */
typedef struct Found {
    TlTreeQuest quest;
    TlPair *pair;
    TlCrossing *crossing;
} Found;

/* ---- room ---- */

/* Shares the room for rows out by what chunks needed last time and an equal part for each; answers
 * how much would give everybody at least the first. */
static int64_t share_rows(TlTreePlan *plan) {
    int64_t sum = 0, start = 0;
    for (int32_t c = 0; c < plan->chunk_count; c++) {
        sum += plan->chunk[c].rows;
    }
    int64_t equal = sum / plan->chunk_count + 1, whole = sum + equal * plan->chunk_count;
    for (int32_t c = 0; c < plan->chunk_count; c++) {
        TlTreeChunk *chunk = &plan->chunk[c];
        double part = (double)(chunk->rows + equal) / (double)whole;
        chunk->start = start;
        chunk->capacity = (int64_t)(part * (double)plan->row_capacity);
        start += chunk->capacity;
    }
    return whole;
}

static bool rows_fit(const TlTreePlan *plan) {
    bool fit = true;
    for (int32_t c = 0; c < plan->chunk_count; c++) {
        fit = fit && plan->chunk[c].rows <= plan->chunk[c].capacity;
    }
    return fit;
}

/* Room for the rows that were counted. */
static bool grow_rows(TlTreePlan *plan, TlArena *arena, int32_t *growths) {
    int64_t need = share_rows(plan);
    if (need > plan->row_capacity) {
        int64_t capacity = need + need / 2;
        plan->row = TL_RENEW(arena, TlTreeRow, plan->row, capacity);
        plan->row_capacity = plan->row != NULL ? capacity : 0;
        ++*growths;
        share_rows(plan);
        return plan->row != NULL;
    }
    return true;
}

/* Does all searches of the plan; answers how many pairs there are, -1: memory was refused, or they
 * are too many to be counted. */
static int32_t search_all(Found *found, TlPool *pool, TlArena *arena, int32_t *growths) {
    TlTreePlan *plan = found->quest.plan;
    share_rows(plan);
    tl_parallel_for(pool, plan->chunk_count, 1, tl_tree_walk, &found->quest);
    if (!rows_fit(plan)) {
        if (!grow_rows(plan, arena, growths)) {
            return -1;
        }
        tl_parallel_for(pool, plan->chunk_count, 1, tl_tree_walk, &found->quest);
    }
    int64_t count = 0;
    for (int32_t c = 0; c < plan->chunk_count; c++) {
        plan->chunk[c].offset = count;
        count += plan->chunk[c].pairs;
    }
    return count <= INT32_MAX / 2 ? (int32_t)count : -1;
}

/* An array for `count` things of `size` bytes: the one there is, or a larger one in its place; NULL
 * when memory is refused. */
static void *grow(TlArena *arena, void *array, int32_t count, size_t size, int32_t *capacity,
                  int32_t *growths) {
    if (count <= *capacity) {
        return array;
    }
    int32_t larger = count + count / 2 + LEAST_PAIRS;
    void *out = tl_arena_renew(arena, array, larger, size);
    ++*growths;
    *capacity = out != NULL ? larger : 0;
    return out;
}

/* ---- pairs ---- */

/* All pairs of a row; `m` vertices are of the first thing. */
TL_INLINE TlPair *write_row(const TlTreeSearch *search, const TlTreeRow *row, int32_t m,
                            TlPair *out) {
    int32_t n = 4 - m, lane = row->first % TL_FAN;
    const TlTreeNames *a = search->a->vertex + row->first / TL_FAN * (int64_t)m;
    const TlTreeNames *b = search->b->vertex + row->block * (int64_t)n;
    for (uint32_t left = row->lanes; left != 0; left &= left - 1, out++) {
        int32_t other = __builtin_ctz(left);
        for (int32_t k = 0; k < 4; k++) {
            out->vertex[search->swapped ? (k + n) % 4 : k] =
                k < m ? tl_tree_name(&a[k], lane) : tl_tree_name(&b[k - m], other);
        }
        out->least = out->radius = out->solid = out->floor = 0.0f;
    }
    return out;
}

static void write_pairs(void *data, int32_t begin, int32_t end) {
    const Found *found = data;
    for (int32_t c = begin; c < end; c++) {
        const TlTreeChunk *chunk = &found->quest.plan->chunk[c];
        const TlTreeSearch *search = &found->quest.search[chunk->search];
        TlPair *out = found->pair + chunk->offset;
        for (int64_t i = 0; i < chunk->rows; i++) {
            const TlTreeRow *row = &found->quest.plan->row[chunk->start + i];
            out = search->a->corners == 1   ? write_row(search, row, 1, out)
                  : search->a->corners == 2 ? write_row(search, row, 2, out)
                                            : write_row(search, row, 3, out);
        }
    }
}

static void write_crossings(void *data, int32_t begin, int32_t end) {
    const Found *found = data;
    for (int32_t c = begin; c < end; c++) {
        const TlTreeChunk *chunk = &found->quest.plan->chunk[c];
        const TlTreeSearch *search = &found->quest.search[chunk->search];
        TlCrossing *out = found->crossing + chunk->offset;
        for (int64_t i = 0; i < chunk->rows; i++) {
            const TlTreeRow *row = &found->quest.plan->row[chunk->start + i];
            for (uint32_t left = row->lanes; left != 0; left &= left - 1) {
                int32_t other = search->b->thing[row->block * TL_FAN + __builtin_ctz(left)];
                *out++ = (TlCrossing){.edge = search->a->thing[row->first], .triangle = other};
            }
        }
    }
}

/* How many pairs are of searches before `search`. */
static int32_t count_before(const TlTreePlan *plan, int32_t search, int32_t all) {
    for (int32_t c = 0; c < plan->chunk_count; c++) {
        if (plan->chunk[c].search >= search) {
            return (int32_t)plan->chunk[c].offset;
        }
    }
    return all;
}

/* Whether anything could be found. */
static bool is_possible(const TlBroad *broad, const TlTreePlan *plan, bool self) {
    bool colliders = broad->surface->vertices.count > broad->surface->vertices.cloth;
    return plan->chunk_count > 0 && (self || colliders);
}

/* Does the searches of a plan of pairs, of which those from `edges` on are of two edges. */
static bool find_pairs(Found *found, TlPool *pool, int32_t edges, TlArena *arena, TlPairs *pairs) {
    int32_t count = search_all(found, pool, arena, &pairs->growths);
    if (count <= 0) {
        return count == 0;
    }
    pairs->pair = found->pair =
        grow(arena, pairs->pair, count, sizeof(TlPair), &pairs->capacity, &pairs->growths);
    if (found->pair == NULL) {
        return false;
    }
    tl_parallel_for(pool, found->quest.plan->chunk_count, 1, write_pairs, found);
    pairs->count = count;
    pairs->vertex_triangle = count_before(found->quest.plan, edges, count);
    return true;
}

bool tl_broad_find(TlBroad *broad, TlPool *pool, const TlSweep *sweep, bool self, TlArena *arena,
                   TlPairs *pairs) {
    pairs->count = pairs->vertex_triangle = 0;
    if (!is_possible(broad, &broad->near, self)) {
        return true;
    }
    tl_tree_fit(broad, pool, sweep);
    Found found = {.quest = {.search = broad->search, .plan = &broad->near, .self = self}};
    return find_pairs(&found, pool, TL_EDGES, arena, pairs);
}

bool tl_broad_find_some(TlBroad *broad, TlPool *pool, const TlSweep *sweep, bool self,
                        const uint8_t *chosen, TlArena *arena, TlPairs *pairs) {
    pairs->count = pairs->vertex_triangle = 0;
    if (!is_possible(broad, &broad->more, self)) {
        return true;
    }
    tl_tree_fit_some(broad, pool, sweep, chosen);
    Found found = {
        .quest = {.search = broad->both, .plan = &broad->more, .self = self, .some = true}};
    return find_pairs(&found, pool, TL_BOTH_EDGES, arena, pairs);
}

bool tl_broad_crossings(TlBroad *broad, TlPool *pool, const double *x, bool self, TlArena *arena,
                        TlCrossings *out) {
    out->count = 0;
    if (!is_possible(broad, &broad->crossing, self)) {
        return true;
    }
    TlSweep still = {.x = x};
    tl_tree_fit(broad, pool, &still);
    Found found = {.quest = {.search = broad->search, .plan = &broad->crossing, .self = self}};
    int32_t count = search_all(&found, pool, arena, &out->growths);
    if (count <= 0) {
        return count == 0;
    }
    out->at = found.crossing =
        grow(arena, out->at, count, sizeof(TlCrossing), &out->capacity, &out->growths);
    if (found.crossing == NULL) {
        return false;
    }
    tl_parallel_for(pool, found.quest.plan->chunk_count, 1, write_crossings, &found);
    out->count = count;
    return true;
}
