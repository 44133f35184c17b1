/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Flat trees of boxes with sixteen children a node, one each for the vertices, edges and triangles
 * of cloths and of colliders, so that two things of colliders are never compared.
 *
 * A box is kept by how far it reaches in the six directions +x +y +z -x -y -z from an origin near
 * the cloth, when t is 0 and when t is 1; joining boxes is taking the larger reach. Between, a
 * thing stays within what one gets by interpolating: its reach is the largest of functions linear
 * in t, which is convex, so that it lies below the chord. In one direction two things are apart
 * when reach of the one plus opposite reach of the other is negative; interpolated, that is linear
 * in t, and it is negative for all t when it is at both ends. Things that are apart at all times in
 * one direction never meet. Reaches are never too small: what sums in double precision may lose is
 * added; rounding to single precision keeps the order of numbers, and the sign of a sum of two
 * floats is exact. So nothing that meets is missed.
 *
 * The order of things in leaves is by median splits of the rest shape ([Wald07]: a tree that is
 * only fitted anew stays good as long as neighbours stay neighbours, which cloth does). Blocks of
 * sixteen things are searched together, in chunks that depend on the surface alone. A chunk writes
 * what it finds as rows (one thing, sixteen others, a bit each); where its room is too small it
 * goes on counting, the main thread makes room, and the search is repeated.
 *
 * [Wald07] Wald, Boulos, Shirley: Ray tracing deformable scenes using dynamic bounding volume
 * hierarchies, 2007. */
#include "contact/tree.h"

#include "base/lanes.h"
#include "contact/tree_order.h"

#include <string.h>

enum {
    FAN = TL_TREE_FAN,
    FAN_BITS = 4,     /* of a number below FAN */
    MOST_LEVELS = 8,  /* FAN to this power things fit */
    CHUNK_BLOCKS = 8, /* leaves that are searched together by one worker */
    SAMPLES = 64,     /* vertices whose median is the origin, at most */
    LEAST_PAIRS = 1024
};

/* Nothing reaches farther than this, m; what would is taken to end here, on all sides alike, so
 * that sums stay finite. What does not exist reaches NOWHERE, and meets nothing. */
static const float FARTHEST = 1e30f, NOWHERE = -4e30f;
/* Of all magnitudes that enter a reach: more than four sums in double precision can lose. */
static const double ROUNDING = 0x1p-50;

typedef float Float16 __attribute__((vector_size(64)));
typedef int32_t Bits16 __attribute__((vector_size(64)));
typedef int32_t Bits8 __attribute__((vector_size(32)));
typedef int32_t Bits4 __attribute__((vector_size(16)));

/* How far one thing reaches: +xyz at 0, -xyz at 0, +xyz at 1, -xyz at 1; the fourth of each is not
 * used. */
typedef struct Reach {
    TlFloat4 at[4];
} Reach;

TL_INLINE Reach nowhere(void) {
    TlFloat4 none = tl_float4(NOWHERE);
    return (Reach){{none, none, none, none}};
}

/* Sixteen boxes. */
typedef struct Block {
    Float16 reach[2][6]; /* [t][direction]; the opposite of direction d is d + 3 or d - 3 */
} Block;

typedef struct Tree {
    int32_t corners; /* vertices of a thing */
    int32_t count;
    int32_t top;                 /* the level that is one block; 1 at least */
    int32_t blocks[MOST_LEVELS]; /* per level; 0 holds things, level i + 1 the blocks of level i */
    Block *level[MOST_LEVELS];
    Bits16 *vertex;   /* per block of things: `corners` times sixteen vertices */
    int32_t *thing;   /* numbers of things, in the order of blocks */
    uint16_t *chosen; /* per block of things: a bit for each that has a chosen vertex */
} Tree;

/* One kind of pairs: things of a against things of b. */
typedef struct Search {
    const Tree *a, *b;
    bool self;    /* both are of cloths */
    bool swapped; /* a is the second thing of a pair; those of b that are chosen do not count */
} Search;

/* pairs of vertices and triangles, pairs of edges, edges and triangles that may cross */
enum {
    CLOTH_CLOTH,
    CLOTH_COLLIDER,
    COLLIDER_CLOTH,
    EDGES,
    EDGES_COLLIDER,
    CROSSINGS,
    CROSSINGS_COLLIDER,
    CROSSINGS_CLOTH,
    SEARCHES
};

/* Searches from chosen things: each of the first kinds, and swapped unless a is b. */
enum { BOTH_EDGES = 6, MOST_BOTH = 9 };

/* Thing `first` of a meets `lanes` of block `block` of b. */
typedef struct Row {
    int32_t first, block;
    uint32_t lanes;
} Row;

/* Some blocks of a search, where its rows are and where its pairs go. */
typedef struct Chunk {
    int32_t search, begin, end;
    int64_t start, capacity; /* rows it may write */
    int64_t rows, pairs;     /* found */
    int64_t offset;
} Chunk;

/* Searches that are done together. */
typedef struct Plan {
    Chunk *chunk;
    int32_t chunk_count;
    Row *row;
    int64_t row_capacity;
} Plan;

enum { VERTICES, EDGE_TREE, TRIANGLES, KINDS };

struct TlBroad {
    const TlSurface *surface;
    Tree cloth[KINDS], collider[KINDS];
    Search search[SEARCHES], both[MOST_BOTH];
    Reach *reach; /* per vertex, and one more that is nowhere, of things that fill up leaves */
    Plan near, crossing, more;
};

/* ---- trees ---- */

/* Things [begin, begin + count) of one kind, `corners` vertices each; NULL: vertices themselves. */
typedef struct Kind {
    const int32_t *thing;
    int32_t corners, begin, count;
} Kind;

static int32_t corner(const Kind *kind, int32_t i, int32_t k) {
    return kind->thing != NULL ? kind->thing[kind->corners * i + k] : i;
}

static TlTreeItem item_of(const TlSurface *surface, const Kind *kind, int32_t thing) {
    TlTreeItem item = {{0}, thing};
    for (int32_t k = 0; k < kind->corners; k++) {
        const double *rest = surface->rest + 3 * (int64_t)corner(kind, thing, k);
        for (int32_t d = 0; d < 3; d++) {
            item.at[d] += tl_is_finite(rest[d]) ? rest[d] : 0.0;
        }
    }
    item.at[3] = surface->body[corner(kind, thing, 0)];
    return item;
}

static bool make_levels(TlArena *arena, Tree *tree) {
    int32_t blocks = (tree->count + FAN - 1) / FAN, level = 0;
    for (;; level++) {
        tree->blocks[level] = blocks;
        tree->level[level] = TL_NEW(arena, Block, blocks);
        if (tree->level[level] == NULL) {
            return false;
        }
        if (level > 0 && blocks <= 1) {
            tree->top = level;
            return true;
        }
        blocks = (blocks + FAN - 1) / FAN;
    }
}

static void name_things(Tree *tree, const Kind *kind, const TlTreeItem *item, int32_t nobody) {
    for (int32_t i = 0; i < kind->count; i++) {
        tree->thing[i] = item[i].thing;
    }
    for (int32_t i = 0; i < tree->blocks[0] * FAN; i++) {
        for (int32_t k = 0; k < kind->corners; k++) {
            int32_t v = i < kind->count ? corner(kind, item[i].thing, k) : nobody;
            tree->vertex[i / FAN * kind->corners + k][i % FAN] = v;
        }
    }
}

static bool make_tree(TlArena *arena, TlArena *scratch, const TlSurface *surface, Kind kind,
                      Tree *tree) {
    tree->count = kind.count;
    tree->corners = kind.corners;
    TlTreeItem *item = TL_NEW(scratch, TlTreeItem, kind.count);
    tree->vertex = TL_NEW(arena, Bits16, ((int64_t)kind.count / FAN + 1) * kind.corners);
    tree->thing = TL_NEW(arena, int32_t, kind.count);
    tree->chosen = TL_NEW(arena, uint16_t, (int64_t)kind.count / FAN + 1);
    if (item == NULL || tree->vertex == NULL || tree->thing == NULL || tree->chosen == NULL ||
        !make_levels(arena, tree)) {
        return false;
    }
    for (int32_t i = 0; i < kind.count; i++) {
        item[i] = item_of(surface, &kind, kind.begin + i);
    }
    tl_tree_order(item, kind.count);
    name_things(tree, &kind, item, surface->vertices.count);
    return true;
}

static bool make_trees(TlArena *arena, TlArena *scratch, TlBroad *broad) {
    const TlSurface *s = broad->surface;
    const TlCounts spans[KINDS] = {s->vertices, s->edges, s->triangles};
    const int32_t *things[KINDS] = {NULL, s->edge, s->triangle};
    for (int32_t k = 0; k < KINDS; k++) {
        Kind cloth = {things[k], k + 1, 0, spans[k].cloth};
        Kind collider = {things[k], k + 1, spans[k].cloth, spans[k].count - spans[k].cloth};
        if (!make_tree(arena, scratch, s, cloth, &broad->cloth[k]) ||
            !make_tree(arena, scratch, s, collider, &broad->collider[k])) {
            return false;
        }
    }
    return true;
}

static void make_searches(TlBroad *broad) {
    const Tree *cloth = broad->cloth, *collider = broad->collider;
    Search *search = broad->search;
    search[CLOTH_CLOTH] = (Search){&cloth[VERTICES], &cloth[TRIANGLES], true, false};
    search[CLOTH_COLLIDER] = (Search){&cloth[VERTICES], &collider[TRIANGLES], false, false};
    search[COLLIDER_CLOTH] = (Search){&collider[VERTICES], &cloth[TRIANGLES], false, false};
    search[EDGES] = (Search){&cloth[EDGE_TREE], &cloth[EDGE_TREE], true, false};
    search[EDGES_COLLIDER] = (Search){&cloth[EDGE_TREE], &collider[EDGE_TREE], false, false};
    search[CROSSINGS] = (Search){&cloth[EDGE_TREE], &cloth[TRIANGLES], true, false};
    search[CROSSINGS_COLLIDER] = (Search){&cloth[EDGE_TREE], &collider[TRIANGLES], false, false};
    search[CROSSINGS_CLOTH] = (Search){&collider[EDGE_TREE], &cloth[TRIANGLES], false, false};
    for (int32_t s = 0, to = 0; s < CROSSINGS; s++) {
        broad->both[to++] = search[s];
        if (search[s].a != search[s].b) {
            broad->both[to++] = (Search){search[s].b, search[s].a, search[s].self, true};
        }
    }
}

/* Cuts searches [first, end) into chunks, in their order. */
static bool make_plan(TlArena *arena, const Search *search, int32_t first, int32_t end,
                      Plan *plan) {
    int64_t most = 0;
    for (int32_t s = first; s < end; s++) {
        most += search[s].a->blocks[0] / CHUNK_BLOCKS + 1;
    }
    plan->chunk = TL_NEW(arena, Chunk, most);
    if (plan->chunk == NULL) {
        return false;
    }
    for (int32_t s = first; s < end; s++) {
        int32_t blocks = search[s].b->count > 0 ? search[s].a->blocks[0] : 0;
        for (int32_t b = 0; b < blocks; b += CHUNK_BLOCKS) {
            int32_t next = blocks - b < CHUNK_BLOCKS ? blocks : b + CHUNK_BLOCKS;
            plan->chunk[plan->chunk_count++] = (Chunk){.search = s, .begin = b, .end = next};
        }
    }
    return true;
}

TlBroad *tl_broad_build(TlArena *arena, const TlSurface *surface) {
    TlBroad *broad = TL_NEW(arena, TlBroad, 1);
    if (broad == NULL) {
        return NULL;
    }
    broad->surface = surface;
    broad->reach = TL_NEW(arena, Reach, (int64_t)surface->vertices.count + 1);
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    bool ok = broad->reach != NULL && make_trees(arena, &scratch, broad);
    tl_arena_free(&scratch);
    make_searches(broad);
    if (!ok || !make_plan(arena, broad->search, 0, CROSSINGS, &broad->near) ||
        !make_plan(arena, broad->search, CROSSINGS, SEARCHES, &broad->crossing) ||
        !make_plan(arena, broad->both, 0, MOST_BOTH, &broad->more)) {
        return NULL;
    }
    broad->reach[surface->vertices.count] = nowhere();
    return broad;
}

/* ---- boxes ---- */

typedef struct Fit {
    TlBroad *broad;
    const TlSweep *sweep;
    double origin[3];
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

TL_INLINE Reach reach_of(TlDouble4 x, TlDouble4 common, TlDouble4 low, TlDouble4 high) {
    TlDouble4 size = tl_abs4(x) + tl_abs4(common) + tl_abs4(low) + tl_abs4(high);
    TlDouble4 more = ROUNDING * size;
    return (Reach){{limited(x + high + more), limited(more - (x + low)),
                    limited(x + high + common + more), limited(more - (x + low + common))}};
}

TL_HOT static void fit_vertices(void *data, int32_t begin, int32_t end) {
    const Fit *fit = data;
    const TlSweep *sweep = fit->sweep;
    int32_t last = fit->broad->surface->vertices.count - 1;
    TlDouble4 origin = {fit->origin[0], fit->origin[1], fit->origin[2], 0.0};
    for (int32_t v = begin; v < end; v++) {
        TlDouble4 x = tl_vertex4(sweep->x, v, last) - origin;
        fit->broad->reach[v] =
            reach_of(x, tl_vertex4(sweep->common, v, last), tl_vertex4(sweep->low, v, last),
                     tl_vertex4(sweep->high, v, last));
    }
}

/* The same of a sweep that is positions alone. */
TL_HOT static void fit_points(void *data, int32_t begin, int32_t end) {
    const Fit *fit = data;
    int32_t last = fit->broad->surface->vertices.count - 1;
    TlDouble4 origin = {fit->origin[0], fit->origin[1], fit->origin[2], 0.0};
    TlDouble4 none = tl_double4(0.0);
    for (int32_t v = begin; v < end; v++) {
        TlDouble4 x = tl_vertex4(fit->sweep->x, v, last) - origin;
        fit->broad->reach[v] = reach_of(x, none, none, none);
    }
}

TL_INLINE void join(Reach *to, const Reach *from) {
    for (int32_t i = 0; i < 4; i++) {
        Bits4 larger = from->at[i] > to->at[i];
        to->at[i] = (TlFloat4)(((Bits4)from->at[i] & larger) | ((Bits4)to->at[i] & ~larger));
    }
}

/* Writes four boxes beside each other, from lane `lane` on. */
TL_INLINE void store_four(Block *block, int32_t lane, const Reach reach[4]) {
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

/* Fits the boxes of one block of things; answers what holds them all. */
TL_INLINE Reach fit_leaf(const Tree *tree, int32_t leaf, const Reach *vertex, int32_t corners) {
    Reach all = nowhere();
    const Bits16 *name = tree->vertex + leaf * (int64_t)corners;
    for (int32_t lane = 0; lane < FAN; lane += 4) {
        Reach four[4];
        for (int32_t i = 0; i < 4; i++) {
            four[i] = vertex[name[0][lane + i]];
            for (int32_t k = 1; k < corners; k++) {
                join(&four[i], &vertex[name[k][lane + i]]);
            }
            join(&all, &four[i]);
        }
        store_four(&tree->level[0][leaf], lane, four);
    }
    return all;
}

TL_INLINE void fit_leaves(const Tree *tree, int32_t node, const Reach *vertex, int32_t corners) {
    for (int32_t lane = 0; lane < FAN; lane += 4) {
        Reach four[4];
        for (int32_t i = 0; i < 4; i++) {
            int32_t leaf = node * FAN + lane + i;
            four[i] = leaf < tree->blocks[0] ? fit_leaf(tree, leaf, vertex, corners) : nowhere();
        }
        store_four(&tree->level[1][node], lane, four);
    }
}

/* Fits one node of level 1 and the sixteen leaves under it. */
TL_HOT static void fit_node(const Tree *tree, int32_t node, const Reach *vertex) {
    if (tree->corners == 1) {
        fit_leaves(tree, node, vertex, 1);
    } else if (tree->corners == 2) {
        fit_leaves(tree, node, vertex, 2);
    } else {
        fit_leaves(tree, node, vertex, 3);
    }
}

static void fit_nodes(void *data, int32_t begin, int32_t end) {
    const Fit *fit = data;
    int32_t first = 0;
    for (int32_t k = 0; k < 2 * KINDS; k++) {
        const Tree *tree = k < KINDS ? &fit->broad->cloth[k] : &fit->broad->collider[k - KINDS];
        int32_t low = begin > first ? begin : first, next = first + tree->blocks[1];
        for (int32_t i = low; i < end && i < next; i++) {
            fit_node(tree, i - first, fit->broad->reach);
        }
        first = next;
    }
}

/* Level 2 and those above, of which there are few. */
static void fit_above(const Tree *tree) {
    for (int32_t level = 2; level <= tree->top; level++) {
        for (int32_t child = 0; child < tree->blocks[level] * FAN; child++) {
            for (int32_t i = 0; i < 12; i++) {
                float most = NOWHERE;
                for (int32_t k = 0; k < FAN && child < tree->blocks[level - 1]; k++) {
                    float reach = tree->level[level - 1][child].reach[i / 6][i % 6][k];
                    most = reach > most ? reach : most;
                }
                tree->level[level][child / FAN].reach[i / 6][i % 6][child % FAN] = most;
            }
        }
    }
}

static void fit_all(TlBroad *broad, TlPool *pool, const TlSweep *sweep) {
    Fit fit = {broad, sweep, {0}};
    find_origin(broad->surface, sweep->x, fit.origin);
    tl_parallel_for(pool, broad->surface->vertices.count, 512,
                    sweep->common != NULL ? fit_vertices : fit_points, &fit);
    int32_t nodes = 0;
    for (int32_t k = 0; k < KINDS; k++) {
        nodes += broad->cloth[k].blocks[1] + broad->collider[k].blocks[1];
    }
    tl_parallel_for(pool, nodes, 4, fit_nodes, &fit);
    for (int32_t k = 0; k < KINDS; k++) {
        fit_above(&broad->cloth[k]);
        fit_above(&broad->collider[k]);
    }
}

/* ---- search ---- */

/* One bit for each lane whose sign is set. */
TL_INLINE uint32_t signs16(Bits16 a) {
    const Bits16 bit = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                        1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    a = (a >> 31) & bit;
    Bits8 b = __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7) |
              __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15);
    Bits4 c = __builtin_shufflevector(b, b, 0, 1, 2, 3) | __builtin_shufflevector(b, b, 4, 5, 6, 7);
    c |= __builtin_shufflevector(c, c, 2, 3, 0, 1);
    return (uint32_t)(c[0] | c[1]);
}

/* Sign bits where a box of `block` never meets lane `lane` of `other`. */
TL_INLINE Bits16 apart(const Block *block, const Block *other, int32_t lane) {
    Bits16 out = {0};
    for (int32_t d = 0; d < 6; d++) {
        int32_t opposite = d < 3 ? d + 3 : d - 3;
        Float16 at_0 = block->reach[0][d] + other->reach[0][opposite][lane];
        Float16 at_1 = block->reach[1][d] + other->reach[1][opposite][lane];
        out |= (Bits16)at_0 & (Bits16)at_1;
    }
    return out;
}

/* What a chunk works on. */
typedef struct Walk {
    const Tree *a, *b;
    bool once; /* a is b: of every pair only that with the lower thing first */
    bool swapped;
    Row *row, spare; /* the spare one takes what has no room */
    int64_t capacity, rows, pairs;
} Walk;

/* Without a branch: whether there is something to add is hard to foresee. */
TL_INLINE void add_row(Walk *walk, int32_t first, int32_t block, uint32_t lanes) {
    Row *to = walk->rows < walk->capacity ? walk->row + walk->rows : &walk->spare;
    *to = (Row){first, block, lanes};
    walk->rows += lanes != 0;
    walk->pairs += __builtin_popcount(lanes);
}

/* Lanes of leaf b that meet lane `lane` of leaf a and share no vertex with it. */
TL_INLINE uint32_t meet_thing(const Walk *walk, int32_t a, int32_t lane, int32_t b,
                              int32_t a_corners, int32_t b_corners) {
    Bits16 out = apart(&walk->b->level[0][b], &walk->a->level[0][a], lane);
    for (int32_t i = 0; i < a_corners; i++) {
        int32_t v = walk->a->vertex[a * (int64_t)a_corners + i][lane];
        for (int32_t k = 0; k < b_corners; k++) {
            /* negative where equal */
            out |= (walk->b->vertex[b * (int64_t)b_corners + k] ^ v) - 1;
        }
    }
    return signs16(~out);
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
    const Block *around = &walk->b->level[1][b / FAN];
    uint32_t left = signs16(~apart(&walk->a->level[0][a], around, b % FAN));
    left &= some ? walk->a->chosen[a] : ~0u;
    for (; left != 0; left &= left - 1) {
        int32_t lane = __builtin_ctz(left);
        uint32_t lanes = meet_thing(walk, a, lane, b, a_corners, b_corners);
        add_row(walk, a * FAN + lane, b, lanes & counting(walk, a, lane, b, some));
    }
}

/* Children of a node of b that meet leaf a. */
TL_INLINE uint32_t meet_node(const Walk *walk, int32_t a, int32_t level, int32_t node, bool some) {
    uint32_t lanes =
        signs16(~apart(&walk->b->level[level][node], &walk->a->level[1][a / FAN], a % FAN));
    if (walk->once && !some) {
        /* leaves before a have met it already */
        int32_t first = (a >> FAN_BITS * (level - 1)) - node * FAN;
        lanes = first > 0 ? lanes & ~0u << first : lanes;
    }
    return lanes;
}

/* All leaves of b, in their order, that meet leaf a. */
TL_INLINE void walk_leaf(Walk *walk, int32_t a, int32_t a_corners, int32_t b_corners, bool some) {
    int32_t node[MOST_LEVELS], top = walk->b->top, level = top;
    uint32_t left[MOST_LEVELS];
    node[top] = 0;
    left[top] = meet_node(walk, a, top, 0, some);
    while (level <= top) {
        if (left[level] == 0) {
            level++;
            continue;
        }
        int32_t child = node[level] * FAN + __builtin_ctz(left[level]);
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

/* What is found, and where it is written. */
typedef struct Found {
    const Search *search;
    Plan *plan;
    bool self, some; /* `some`: from chosen things */
    TlPair *pair;
    TlCrossing *crossing;
} Found;

static void search_chunks(void *data, int32_t begin, int32_t end) {
    const Found *found = data;
    for (int32_t c = begin; c < end; c++) {
        Chunk *chunk = &found->plan->chunk[c];
        const Search *search = &found->search[chunk->search];
        Walk walk = {.a = search->a, .b = search->b, .once = search->a == search->b};
        walk.swapped = search->swapped;
        walk.capacity = chunk->capacity;
        walk.row = chunk->capacity > 0 ? found->plan->row + chunk->start : NULL;
        if (found->self || !search->self) {
            (found->some ? walk_chosen : walk_leaves)(&walk, chunk->begin, chunk->end);
        }
        chunk->rows = walk.rows;
        chunk->pairs = walk.pairs;
    }
}

/* ---- room ---- */

/* Shares the room for rows out by what chunks needed last time and an equal part for each; answers
 * how much would give everybody at least the first. */
static int64_t share_rows(Plan *plan) {
    int64_t sum = 0, start = 0;
    for (int32_t c = 0; c < plan->chunk_count; c++) {
        sum += plan->chunk[c].rows;
    }
    int64_t equal = sum / plan->chunk_count + 1, whole = sum + equal * plan->chunk_count;
    for (int32_t c = 0; c < plan->chunk_count; c++) {
        Chunk *chunk = &plan->chunk[c];
        double part = (double)(chunk->rows + equal) / (double)whole;
        chunk->start = start;
        chunk->capacity = (int64_t)(part * (double)plan->row_capacity);
        start += chunk->capacity;
    }
    return whole;
}

static bool rows_fit(const Plan *plan) {
    bool fit = true;
    for (int32_t c = 0; c < plan->chunk_count; c++) {
        fit = fit && plan->chunk[c].rows <= plan->chunk[c].capacity;
    }
    return fit;
}

/* Room for the rows that were counted. */
static bool grow_rows(Plan *plan, TlArena *arena, int32_t *growths) {
    int64_t need = share_rows(plan);
    if (need > plan->row_capacity) {
        int64_t capacity = need + need / 2;
        Row *row = TL_NEW(arena, Row, capacity);
        ++*growths;
        if (row == NULL) {
            return false;
        }
        plan->row = row;
        plan->row_capacity = capacity;
        share_rows(plan);
    }
    return true;
}

/* Does all searches of the plan; answers how many pairs there are, -1: memory was refused, or they
 * are too many to be counted. */
static int32_t search_all(Found *found, TlPool *pool, TlArena *arena, int32_t *growths) {
    Plan *plan = found->plan;
    share_rows(plan);
    tl_parallel_for(pool, plan->chunk_count, 1, search_chunks, found);
    if (!rows_fit(plan)) {
        if (!grow_rows(plan, arena, growths)) {
            return -1;
        }
        tl_parallel_for(pool, plan->chunk_count, 1, search_chunks, found);
    }
    int64_t count = 0;
    for (int32_t c = 0; c < plan->chunk_count; c++) {
        plan->chunk[c].offset = count;
        count += plan->chunk[c].pairs;
    }
    return count <= INT32_MAX / 2 ? (int32_t)count : -1;
}

/* An array for `count` things of `size` bytes: the one there is, or a larger one; NULL when memory
 * is refused. */
static void *grow(TlArena *arena, void *array, int32_t count, size_t size, int32_t *capacity,
                  int32_t *growths) {
    if (count <= *capacity) {
        return array;
    }
    int32_t larger = count + count / 2 + LEAST_PAIRS;
    void *out = tl_arena_alloc(arena, larger, size);
    ++*growths;
    *capacity = out != NULL ? larger : *capacity;
    return out;
}

/* ---- pairs ---- */

/* All pairs of a row; `m` vertices are of the first thing. */
TL_INLINE TlPair *write_row(const Search *search, const Row *row, int32_t m, TlPair *out) {
    int32_t n = 4 - m, lane = row->first % FAN;
    const Bits16 *a = search->a->vertex + row->first / FAN * (int64_t)m;
    const Bits16 *b = search->b->vertex + row->block * (int64_t)n;
    for (uint32_t left = row->lanes; left != 0; left &= left - 1, out++) {
        int32_t other = __builtin_ctz(left);
        for (int32_t k = 0; k < 4; k++) {
            out->vertex[search->swapped ? (k + n) % 4 : k] = k < m ? a[k][lane] : b[k - m][other];
        }
        out->least = out->radius = out->solid = out->floor = 0.0f;
    }
    return out;
}

static void write_pairs(void *data, int32_t begin, int32_t end) {
    const Found *found = data;
    for (int32_t c = begin; c < end; c++) {
        const Chunk *chunk = &found->plan->chunk[c];
        const Search *search = &found->search[chunk->search];
        TlPair *out = found->pair + chunk->offset;
        for (int64_t i = 0; i < chunk->rows; i++) {
            const Row *row = &found->plan->row[chunk->start + i];
            out = search->a->corners == 1   ? write_row(search, row, 1, out)
                  : search->a->corners == 2 ? write_row(search, row, 2, out)
                                            : write_row(search, row, 3, out);
        }
    }
}

static void write_crossings(void *data, int32_t begin, int32_t end) {
    const Found *found = data;
    for (int32_t c = begin; c < end; c++) {
        const Chunk *chunk = &found->plan->chunk[c];
        const Search *search = &found->search[chunk->search];
        TlCrossing *out = found->crossing + chunk->offset;
        for (int64_t i = 0; i < chunk->rows; i++) {
            const Row *row = &found->plan->row[chunk->start + i];
            for (uint32_t left = row->lanes; left != 0; left &= left - 1) {
                *out++ = (TlCrossing){search->a->thing[row->first],
                                      search->b->thing[row->block * FAN + __builtin_ctz(left)]};
            }
        }
    }
}

/* How many pairs are of searches before `search`. */
static int32_t count_before(const Plan *plan, int32_t search, int32_t all) {
    for (int32_t c = 0; c < plan->chunk_count; c++) {
        if (plan->chunk[c].search >= search) {
            return (int32_t)plan->chunk[c].offset;
        }
    }
    return all;
}

/* Whether anything could be found. */
static bool is_possible(const TlBroad *broad, const Plan *plan, bool self) {
    bool colliders = broad->surface->vertices.count > broad->surface->vertices.cloth;
    return plan->chunk_count > 0 && (self || colliders);
}

/* Does the searches of a plan of pairs, of which those from `edges` on are of two edges. */
static bool find_pairs(Found *found, TlPool *pool, int32_t edges, TlArena *arena, TlPairs *pairs) {
    int32_t count = search_all(found, pool, arena, &pairs->growths);
    if (count <= 0) {
        return count == 0;
    }
    found->pair =
        grow(arena, pairs->pair, count, sizeof(TlPair), &pairs->capacity, &pairs->growths);
    if (found->pair == NULL) {
        return false;
    }
    tl_parallel_for(pool, found->plan->chunk_count, 1, write_pairs, found);
    pairs->pair = found->pair;
    pairs->count = count;
    pairs->vertex_triangle = count_before(found->plan, edges, count);
    return true;
}

bool tl_broad_find(TlBroad *broad, TlPool *pool, const TlSweep *sweep, bool self, TlArena *arena,
                   TlPairs *pairs) {
    pairs->count = pairs->vertex_triangle = 0;
    if (!is_possible(broad, &broad->near, self)) {
        return true;
    }
    fit_all(broad, pool, sweep);
    Found found = {.search = broad->search, .plan = &broad->near, .self = self};
    return find_pairs(&found, pool, EDGES, arena, pairs);
}

/* Chooses things of a tree by their vertices. */
static void choose_things(Tree *tree, const uint8_t *chosen, int32_t nobody) {
    for (int32_t b = 0; b < tree->blocks[0]; b++) {
        uint32_t bits = 0;
        for (int32_t k = 0; k < tree->corners; k++) {
            for (int32_t lane = 0; lane < FAN; lane++) {
                int32_t v = tree->vertex[b * (int64_t)tree->corners + k][lane];
                bits |= v != nobody && chosen[v] ? 1u << lane : 0u;
            }
        }
        tree->chosen[b] = (uint16_t)bits;
    }
}

bool tl_broad_find_some(TlBroad *broad, TlPool *pool, const TlSweep *sweep, bool self,
                        const uint8_t *chosen, TlArena *arena, TlPairs *pairs) {
    pairs->count = pairs->vertex_triangle = 0;
    if (!is_possible(broad, &broad->more, self)) {
        return true;
    }
    fit_all(broad, pool, sweep);
    for (int32_t k = 0; k < KINDS; k++) {
        choose_things(&broad->cloth[k], chosen, broad->surface->vertices.count);
        choose_things(&broad->collider[k], chosen, broad->surface->vertices.count);
    }
    Found found = {.search = broad->both, .plan = &broad->more, .self = self, .some = true};
    return find_pairs(&found, pool, BOTH_EDGES, arena, pairs);
}

bool tl_broad_crossings(TlBroad *broad, TlPool *pool, const double *x, bool self, TlArena *arena,
                        TlCrossings *out) {
    out->count = 0;
    if (!is_possible(broad, &broad->crossing, self)) {
        return true;
    }
    TlSweep still = {x, NULL, NULL, NULL};
    fit_all(broad, pool, &still);
    Found found = {.search = broad->search, .plan = &broad->crossing, .self = self};
    int32_t count = search_all(&found, pool, arena, &out->growths);
    if (count <= 0) {
        return count == 0;
    }
    found.crossing = grow(arena, out->at, count, sizeof(TlCrossing), &out->capacity, &out->growths);
    if (found.crossing == NULL) {
        return false;
    }
    tl_parallel_for(pool, found.plan->chunk_count, 1, write_crossings, &found);
    out->at = found.crossing;
    out->count = count;
    return true;
}
