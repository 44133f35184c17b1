/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Nested dissection by level sets: the rows of one distance from a far end of a part separate the
 * nearer ones from the farther ones. Both sides are ordered first, by the same rule, the separator
 * last.
 *
 * [G73] George: Nested dissection of a regular finite element mesh, 1973; the level sets as in
 * George, Liu: Computer solution of large sparse positive definite systems, 1981. */
#include "solve/dissection.h"

enum {
    LEAF = 40,      /* parts of this size stay as they are */
    FAR_TRIALS = 3, /* walks to find a far end */
    MIDDLE_LOW = 3, /* a separator leaves at least 3/10 on one side */
    MIDDLE_HIGH = 7
};

typedef struct Range {
    int32_t begin, end;
} Range;

typedef struct Cut {
    const TlScalarMatrix *graph;
    int32_t *order;
    int32_t *part;  /* per row: the range it belongs to now, by its first place; -1: done */
    int32_t *level; /* per row: distance from the root of the last walk; -1: not reached */
    int32_t *queue;
    Range *stack;
    int32_t depth;
} Cut;

/* Breadth first from `root` over its part; answers how many rows were reached, `queue` holds them
 * in order. */
static int32_t walk(Cut *cut, int32_t root) {
    int32_t count = 0;
    cut->queue[count++] = root;
    cut->level[root] = 0;
    for (int32_t at = 0; at < count; at++) {
        int32_t row = cut->queue[at];
        for (int32_t s = cut->graph->row_start[row]; s < cut->graph->row_start[row + 1]; s++) {
            int32_t other = cut->graph->column[s];
            if (cut->part[other] == cut->part[row] && cut->level[other] < 0) {
                cut->level[other] = cut->level[row] + 1;
                cut->queue[count++] = other;
            }
        }
    }
    return count;
}

static void forget_levels(Cut *cut, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        cut->level[cut->queue[i]] = -1;
    }
}

/* Takes [begin, end) on the stack as a part of its own. */
static void push(Cut *cut, int32_t begin, int32_t end) {
    if (end > begin) {
        for (int32_t k = begin; k < end; k++) {
            cut->part[cut->order[k]] = begin;
        }
        cut->stack[cut->depth++] = (Range){begin, end};
    }
}

/* Walks over the part from one far end to the other; answers the rows reached. */
static int32_t far_walk(Cut *cut, Range range) {
    int32_t root = cut->order[range.begin], reached = walk(cut, root);
    for (int k = 0; k < FAR_TRIALS; k++) {
        root = cut->queue[reached - 1];
        forget_levels(cut, reached);
        reached = walk(cut, root);
    }
    return reached;
}

/* The smallest level near the middle of the walk, or -1 when the walk is too short to be cut. */
static int32_t separator_of(const Cut *cut, int32_t count) {
    int32_t best = -1, size = INT32_MAX, last = cut->level[cut->queue[count - 1]];
    for (int32_t at = 0; at < count;) {
        int32_t level = cut->level[cut->queue[at]], end = at;
        while (end < count && cut->level[cut->queue[end]] == level) {
            end++;
        }
        int64_t middle = 5 * ((int64_t)at + end); /* tenths of the walk */
        bool inside = level > 0 && level < last && middle >= (int64_t)MIDDLE_LOW * count &&
                      middle <= (int64_t)MIDDLE_HIGH * count;
        if (inside && end - at < size) {
            best = level;
            size = end - at;
        }
        at = end;
    }
    return best;
}

/* Sorts the walked part into nearer, farther and separating rows. */
static void cut_in_two(Cut *cut, Range range, int32_t separator) {
    int32_t count = range.end - range.begin, near = 0, far = 0;
    for (int32_t i = 0; i < count; i++) {
        near += cut->level[cut->queue[i]] < separator;
        far += cut->level[cut->queue[i]] > separator;
    }
    int32_t next[3] = {range.begin, range.begin + near + far, range.begin + near};
    for (int32_t i = 0; i < count; i++) {
        int32_t row = cut->queue[i], level = cut->level[row];
        int side = level < separator ? 0 : level > separator ? 2 : 1;
        cut->order[next[side]++] = row;
        cut->part[row] = -1;
    }
    forget_levels(cut, count);
    push(cut, range.begin, range.begin + near);
    push(cut, range.begin + near, range.begin + near + far);
}

/* Rows of the part that the walk missed go behind those it reached. */
static void split_apart(Cut *cut, Range range, int32_t reached) {
    int32_t rest = range.begin + reached, from = cut->part[cut->order[range.begin]];
    for (int32_t i = 0; i < reached; i++) {
        cut->part[cut->queue[i]] = -1;
    }
    /* from the back, so that nothing is overwritten before it was moved */
    for (int32_t k = range.end - 1, to = range.end; to > rest; k--) {
        if (cut->part[cut->order[k]] == from) {
            cut->order[--to] = cut->order[k];
        }
    }
    for (int32_t i = 0; i < reached; i++) {
        cut->order[range.begin + i] = cut->queue[i];
    }
    forget_levels(cut, reached);
    push(cut, rest, range.end);
    push(cut, range.begin, rest);
}

static void dissect(Cut *cut, Range range) {
    if (range.end - range.begin <= LEAF) {
        return;
    }
    int32_t reached = far_walk(cut, range);
    if (reached < range.end - range.begin) {
        split_apart(cut, range, reached);
        return;
    }
    int32_t separator = separator_of(cut, reached);
    if (separator < 0) {
        forget_levels(cut, reached);
    } else {
        cut_in_two(cut, range, separator);
    }
}

/* Connected parts one after the other, each in the order of a walk. */
static void list_parts(Cut *cut, int32_t n) {
    int32_t next = 0;
    for (int32_t row = 0; row < n; row++) {
        cut->level[row] = -1;
        cut->part[row] = n;
    }
    for (int32_t row = 0; row < n; row++) {
        if (cut->part[row] == n) {
            int32_t begin = next, count = walk(cut, row);
            for (int32_t i = 0; i < count; i++) {
                cut->order[next++] = cut->queue[i];
            }
            forget_levels(cut, count);
            push(cut, begin, next);
        }
    }
}

bool tl_dissection(ToileAllocator allocator, const TlScalarMatrix *matrix, int32_t *order) {
    int32_t n = matrix->row_count;
    TlArena scratch;
    tl_arena_init(&scratch, allocator);
    Cut cut = {.graph = matrix,
               .order = order,
               .part = TL_NEW(&scratch, int32_t, n),
               .level = TL_NEW(&scratch, int32_t, n),
               .queue = TL_NEW(&scratch, int32_t, n),
               .stack = TL_NEW(&scratch, Range, n)};
    bool ok = !scratch.failed;
    if (ok) {
        list_parts(&cut, n);
        while (cut.depth > 0) {
            dissect(&cut, cut.stack[--cut.depth]);
        }
    }
    tl_arena_free(&scratch);
    return ok;
}
