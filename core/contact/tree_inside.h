/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the broad phase share; see tree.c. */
#ifndef TL_TREE_INSIDE_H
#define TL_TREE_INSIDE_H

#include "base/lanes.h"
#include "contact/tree.h"
#include "contact/tree_order.h"

enum {
    TL_FAN = TL_TREE_FAN,
    TL_FAN_BITS = 4, /* of a number below TL_FAN */
    TL_FAN_PARTS = TL_FAN / TL_WIDE,
    TL_TREE_LEVELS = 8, /* TL_FAN to this power things fit */
};

typedef int32_t TlInt8 __attribute__((vector_size(32)));

/* What does not exist reaches so far, m, and meets nothing. */
#define TL_NOWHERE (-4e30F)

/* How far one thing reaches: +xyz at 0, -xyz at 0, +xyz at 1, -xyz at 1; the fourth of each is not
 * used. */
typedef struct TlReaches {
    TlFloat4 at[4];
} TlReaches;

TL_INLINE TlReaches tl_nowhere(void) {
    TlFloat4 none = tl_float4(TL_NOWHERE);
    return (TlReaches){{none, none, none, none}};
}

/* Sixteen boxes. */
typedef struct TlTreeBlock {
    /* [t][direction]; the opposite of direction d is d + 3 or d - 3 */
    TlFloat8 reach[2][6][TL_FAN_PARTS];
} TlTreeBlock;

/* Sixteen vertices, one of each thing of a block. */
typedef struct TlTreeNames {
    TlInt8 part[TL_FAN_PARTS];
} TlTreeNames;

TL_INLINE int32_t tl_tree_name(const TlTreeNames *names, int32_t lane) {
    return names->part[lane / TL_WIDE][lane % TL_WIDE];
}

typedef struct TlTree {
    int32_t corners; /* vertices of a thing */
    int32_t count;
    int32_t top;                    /* the level that is one block; 1 at least */
    int32_t blocks[TL_TREE_LEVELS]; /* per level; 0 holds things, level i + 1 blocks of level i */
    TlTreeBlock *level[TL_TREE_LEVELS];
    TlTreeNames *vertex; /* per block of things: of each corner */
    int32_t *thing;      /* numbers of things, in the order of blocks */
    uint16_t *chosen;    /* per block of things: a bit for each that has a chosen vertex */
} TlTree;

/* One kind of pairs: things of a against things of b. */
typedef struct TlTreeSearch {
    const TlTree *a, *b;
    bool self;    /* both are of cloths */
    bool swapped; /* a is the second thing of a pair; those of b that are chosen do not count */
} TlTreeSearch;

/* pairs of vertices and triangles, pairs of edges, edges and triangles that may cross */
enum {
    TL_CLOTH_CLOTH,
    TL_CLOTH_COLLIDER,
    TL_COLLIDER_CLOTH,
    TL_EDGES,
    TL_EDGES_COLLIDER,
    TL_CROSSINGS,
    TL_CROSSINGS_COLLIDER,
    TL_CROSSINGS_CLOTH,
    TL_SEARCHES
};

/* Searches from chosen things: each of the first kinds, and swapped unless a is b. */
enum { TL_BOTH_EDGES = 6, TL_MOST_BOTH = 9 };

/* Thing `first` of a meets `lanes` of block `block` of b. */
typedef struct TlTreeRow {
    int32_t first, block;
    uint32_t lanes;
} TlTreeRow;

/* Some blocks of a search, where its rows are and where its pairs go. */
typedef struct TlTreeChunk {
    int32_t search, begin, end;
    int64_t start, capacity; /* rows it may write */
    int64_t rows, pairs;     /* found */
    int64_t offset;
} TlTreeChunk;

/* Searches that are done together. */
typedef struct TlTreePlan {
    TlTreeChunk *chunk;
    int32_t chunk_count;
    TlTreeRow *row;
    int64_t row_capacity;
} TlTreePlan;

enum { TL_TREE_VERTICES, TL_TREE_EDGES, TL_TREE_TRIANGLES, TL_TREE_KINDS };

struct TlBroad {
    const TlSurface *surface;
    TlTree cloth[TL_TREE_KINDS], collider[TL_TREE_KINDS];
    TlTreeSearch search[TL_SEARCHES], both[TL_MOST_BOTH];
    TlReaches *reach; /* per vertex, and one more that is nowhere, of things that fill up leaves */
    double origin[3]; /* that they are seen from */
    bool swept;       /* boxes are those of the last sweep */
    TlTreePlan near, crossing, more;
};

/* Fits all boxes to a sweep; without `common` it is positions alone. tree_fit.c */
void tl_tree_fit(TlBroad *broad, TlPool *pool, const TlSweep *sweep);
/* Chooses things by their vertices and fits their boxes alone, unless others were fitted to
 * something else since. */
void tl_tree_fit_some(TlBroad *broad, TlPool *pool, const TlSweep *sweep, const uint8_t *chosen);

/* What is searched for. */
typedef struct TlTreeQuest {
    const TlTreeSearch *search;
    TlTreePlan *plan;
    bool self, some; /* `some`: from chosen things */
} TlTreeQuest;

/* Searches chunks [begin, end) of the plan of a TlTreeQuest: writes rows as far as there is room,
 * and counts all. tree_walk.c */
void tl_tree_walk(void *quest, int32_t begin, int32_t end);

#endif
