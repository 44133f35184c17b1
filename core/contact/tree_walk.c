/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The search of the broad phase: leaves of one tree against another; see tree.c. */
#include "contact/tree_inside.h"

#include <string.h>

typedef int32_t Int4 __attribute__((vector_size(16)));

/* Sixteen answers: the sign of each lane. */
typedef struct Signs {
    TlInt8 part[TL_FAN_PARTS];
} Signs;

/* One bit for each lane whose sign is not set. */
TL_INLINE uint32_t unset(Signs a) {
    const TlInt8 low = {1, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7};
    const TlInt8 high = {1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    TlInt8 b = ((~a.part[0] >> 31) & low) | ((~a.part[1] >> 31) & high);
    Int4 c = __builtin_shufflevector(b, b, 0, 1, 2, 3) | __builtin_shufflevector(b, b, 4, 5, 6, 7);
    c |= __builtin_shufflevector(c, c, 2, 3, 0, 1);
    return (uint32_t)(c[0] | c[1]);
}

/* One of sixteen reaches, in all lanes. */
TL_INLINE TlFloat8 spread(const TlFloat8 reach[TL_FAN_PARTS], int32_t lane) {
    float a;
    memcpy(&a, (const float *)reach + lane, sizeof a);
    return (TlFloat8){a, a, a, a, a, a, a, a};
}

/* Sets the signs where a box of `block` is apart from lane `lane` of `other` in one direction. */
TL_INLINE void part_along(const TlTreeBlock *block, int32_t direction, const TlTreeBlock *other,
                          int32_t opposite, int32_t lane, Signs *out) {
    TlFloat8 first = spread(other->reach[0][opposite], lane);
    TlFloat8 last = spread(other->reach[1][opposite], lane);
    for (int32_t i = 0; i < TL_FAN_PARTS; i++) {
        TlFloat8 at_0 = block->reach[0][direction][i] + first;
        TlFloat8 at_1 = block->reach[1][direction][i] + last;
        out->part[i] |= (TlInt8)at_0 & (TlInt8)at_1;
    }
}

/* Sign bits where a box of `block` never meets lane `lane` of `other`. Written out, and halves of a
 * block one after the other: compilers take vectors of sixteen apart badly where registers hold
 * eight. */
TL_INLINE Signs apart(const TlTreeBlock *block, const TlTreeBlock *other, int32_t lane) {
    Signs out = {{{0}, {0}}};
    part_along(block, 0, other, 3, lane, &out);
    part_along(block, 1, other, 4, lane, &out);
    part_along(block, 2, other, 5, lane, &out);
    part_along(block, 3, other, 0, lane, &out);
    part_along(block, 4, other, 1, lane, &out);
    part_along(block, 5, other, 2, lane, &out);
    return out;
}

/* What a chunk works on. */
typedef struct Walk {
    const TlTree *a, *b;
    bool once; /* a is b: of every pair only that with the lower thing first */
    bool swapped;
    TlTreeRow *row, spare; /* the spare one takes what has no room */
    int64_t capacity, rows, pairs;
} Walk;

/* Without a branch: whether there is something to add is hard to foresee. */
TL_INLINE void add_row(Walk *walk, int32_t first, int32_t block, uint32_t lanes) {
    TlTreeRow *to = walk->rows < walk->capacity ? walk->row + walk->rows : &walk->spare;
    *to = (TlTreeRow){first, block, lanes};
    walk->rows += lanes != 0;
    walk->pairs += __builtin_popcount(lanes);
}

/* Lanes of leaf b that share a vertex with lane `lane` of leaf a. */
TL_INLINE uint32_t shared(const Walk *walk, int32_t a, int32_t lane, int32_t b, int32_t a_corners,
                          int32_t b_corners) {
    Signs out = {{{0}, {0}}};
    for (int32_t i = 0; i < a_corners; i++) {
        const TlTreeNames *own = &walk->a->vertex[a * (int64_t)a_corners + i];
        int32_t v = own->part[lane / TL_WIDE][lane % TL_WIDE];
        TlInt8 name = {v, v, v, v, v, v, v, v};
        for (int32_t k = 0; k < b_corners; k++) {
            const TlTreeNames *other = &walk->b->vertex[b * (int64_t)b_corners + k];
            for (int32_t j = 0; j < TL_FAN_PARTS; j++) {
                out.part[j] |= other->part[j] == name;
            }
        }
    }
    return ~unset(out);
}

/* Lanes of leaf b whose pair with lane `lane` of leaf a is to be found from a. `some`: only chosen
 * things of a search, and those of b that are chosen have their turn too. */
TL_INLINE uint32_t counting(const Walk *walk, int32_t a, int32_t lane, int32_t b, bool some) {
    uint32_t after = b == a ? ~1u << lane : b > a ? ~0u : 0u;
    if (!some) {
        return walk->once ? after : ~0u;
    }
    uint32_t others = ~(uint32_t)walk->b->chosen[b];
    return walk->swapped ? others : walk->once ? others | after : ~0u;
}

/* Things of leaf a against those of leaf b. */
TL_INLINE void meet_leaves(Walk *walk, int32_t a, int32_t b, int32_t a_corners, int32_t b_corners,
                           bool some) {
    const TlTreeBlock *around = &walk->b->level[1][b / TL_FAN];
    uint32_t left = unset(apart(&walk->a->level[0][a], around, b % TL_FAN));
    left &= some ? walk->a->chosen[a] : ~0u;
    for (; left != 0; left &= left - 1) {
        int32_t lane = __builtin_ctz(left);
        uint32_t lanes = unset(apart(&walk->b->level[0][b], &walk->a->level[0][a], lane)) &
                         counting(walk, a, lane, b, some);
        if (lanes != 0) {
            lanes &= ~shared(walk, a, lane, b, a_corners, b_corners);
            add_row(walk, a * TL_FAN + lane, b, lanes);
        }
    }
}

/* Children of a node of b that meet leaf a. */
TL_INLINE uint32_t meet_node(const Walk *walk, int32_t a, int32_t level, int32_t node, bool some) {
    uint32_t lanes =
        unset(apart(&walk->b->level[level][node], &walk->a->level[1][a / TL_FAN], a % TL_FAN));
    if (walk->once && !some) {
        /* leaves before a have met it already */
        int32_t first = (a >> TL_FAN_BITS * (level - 1)) - node * TL_FAN;
        lanes = first > 0 ? lanes & ~0u << first : lanes;
    }
    return lanes;
}

/* All leaves of b, in their order, that meet leaf a. */
TL_INLINE void walk_leaf(Walk *walk, int32_t a, int32_t a_corners, int32_t b_corners, bool some) {
    int32_t node[TL_TREE_LEVELS], top = walk->b->top, level = top;
    uint32_t left[TL_TREE_LEVELS];
    node[top] = 0;
    left[top] = meet_node(walk, a, top, 0, some);
    while (level <= top) {
        if (left[level] == 0) {
            level++;
            continue;
        }
        int32_t child = node[level] * TL_FAN + __builtin_ctz(left[level]);
        left[level] &= left[level] - 1;
        if (level == 1) {
            meet_leaves(walk, a, child, a_corners, b_corners, some);
        } else {
            node[--level] = child;
            left[level] = meet_node(walk, a, level, child, some);
        }
    }
}

TL_HOT static void walk_leaves(Walk *walk, int32_t begin, int32_t end) {
    for (int32_t a = begin; a < end; a++) {
        if (walk->a->corners == 1) {
            walk_leaf(walk, a, 1, 3, false);
        } else if (walk->b->corners == 2) {
            walk_leaf(walk, a, 2, 2, false);
        } else {
            walk_leaf(walk, a, 2, 3, false);
        }
    }
}

/* The same from chosen things alone. */
TL_HOT static void walk_chosen(Walk *walk, int32_t begin, int32_t end) {
    for (int32_t a = begin; a < end; a++) {
        if (walk->a->chosen[a] == 0) {
            continue;
        }
        if (walk->a->corners == 1) {
            walk_leaf(walk, a, 1, 3, true);
        } else if (walk->a->corners == 2) {
            walk_leaf(walk, a, 2, 2, true);
        } else {
            walk_leaf(walk, a, 3, 1, true);
        }
    }
}

void tl_tree_walk(void *quest, int32_t begin, int32_t end) {
    const TlTreeQuest *in = quest;
    for (int32_t c = begin; c < end; c++) {
        TlTreeChunk *chunk = &in->plan->chunk[c];
        const TlTreeSearch *search = &in->search[chunk->search];
        Walk walk = {.a = search->a, .b = search->b, .once = search->a == search->b};
        walk.swapped = search->swapped;
        walk.capacity = chunk->capacity;
        walk.row = chunk->capacity > 0 ? in->plan->row + chunk->start : NULL;
        if (in->self || !search->self) {
            (in->some ? walk_chosen : walk_leaves)(&walk, chunk->begin, chunk->end);
        }
        chunk->rows = walk.rows;
        chunk->pairs = walk.pairs;
    }
}
