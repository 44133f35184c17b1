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
#include "contact/tree_inside.h"

enum { CHUNK_BLOCKS = 8 }; /* leaves that are searched together by one worker */

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
    int32_t body = surface->body[corner(kind, thing, 0)];
    for (int32_t k = 0; k < kind->corners; k++) {
        const double *rest = surface->rest + 3 * (int64_t)corner(kind, thing, k);
        for (int32_t d = 0; d < 3; d++) {
            double at = rest[d] + (surface->place != NULL ? surface->place[3 * body + d] : 0.0);
            item.at[d] += tl_is_finite(at) ? at : 0.0;
        }
    }
    item.at[3] = body;
    return item;
}

static bool make_levels(TlArena *arena, TlTree *tree) {
    int32_t blocks = (tree->count + TL_FAN - 1) / TL_FAN, level = 0;
    for (;; level++) {
        tree->blocks[level] = blocks;
        tree->level[level] = TL_NEW(arena, TlTreeBlock, blocks);
        if (tree->level[level] == NULL) {
            return false;
        }
        if (level > 0 && blocks <= 1) {
            tree->top = level;
            return true;
        }
        blocks = (blocks + TL_FAN - 1) / TL_FAN;
    }
}

static void name_things(TlTree *tree, const Kind *kind, const TlTreeItem *item, int32_t nobody) {
    for (int32_t i = 0; i < kind->count; i++) {
        tree->thing[i] = item[i].thing;
    }
    for (int32_t i = 0; i < tree->blocks[0] * TL_FAN; i++) {
        for (int32_t k = 0; k < kind->corners; k++) {
            int32_t v = i < kind->count ? corner(kind, item[i].thing, k) : nobody;
            TlTreeNames *names = &tree->vertex[i / TL_FAN * kind->corners + k];
            names->part[i % TL_FAN / TL_WIDE][i % TL_WIDE] = v;
        }
    }
}

static bool make_tree(TlArena *arena, TlArena *scratch, const TlSurface *surface, Kind kind,
                      TlTree *tree) {
    tree->count = kind.count;
    tree->corners = kind.corners;
    TlTreeItem *item = TL_NEW(scratch, TlTreeItem, kind.count);
    tree->vertex = TL_NEW(arena, TlTreeNames, ((int64_t)kind.count / TL_FAN + 1) * kind.corners);
    tree->thing = TL_NEW(arena, int32_t, kind.count);
    tree->chosen = TL_NEW(arena, uint16_t, (int64_t)kind.count / TL_FAN + 1);
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
    const TlCounts spans[TL_TREE_KINDS] = {s->vertices, s->edges, s->triangles};
    const int32_t *things[TL_TREE_KINDS] = {NULL, s->edge, s->triangle};
    for (int32_t k = 0; k < TL_TREE_KINDS; k++) {
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
    const TlTree *cloth = broad->cloth, *collider = broad->collider;
    TlTreeSearch *search = broad->search;
    search[TL_CLOTH_CLOTH] =
        (TlTreeSearch){&cloth[TL_TREE_VERTICES], &cloth[TL_TREE_TRIANGLES], true, false};
    search[TL_CLOTH_COLLIDER] =
        (TlTreeSearch){&cloth[TL_TREE_VERTICES], &collider[TL_TREE_TRIANGLES], false, false};
    search[TL_COLLIDER_CLOTH] =
        (TlTreeSearch){&collider[TL_TREE_VERTICES], &cloth[TL_TREE_TRIANGLES], false, false};
    search[TL_EDGES] = (TlTreeSearch){&cloth[TL_TREE_EDGES], &cloth[TL_TREE_EDGES], true, false};
    search[TL_EDGES_COLLIDER] =
        (TlTreeSearch){&cloth[TL_TREE_EDGES], &collider[TL_TREE_EDGES], false, false};
    search[TL_CROSSINGS] =
        (TlTreeSearch){&cloth[TL_TREE_EDGES], &cloth[TL_TREE_TRIANGLES], true, false};
    search[TL_CROSSINGS_COLLIDER] =
        (TlTreeSearch){&cloth[TL_TREE_EDGES], &collider[TL_TREE_TRIANGLES], false, false};
    search[TL_CROSSINGS_CLOTH] =
        (TlTreeSearch){&collider[TL_TREE_EDGES], &cloth[TL_TREE_TRIANGLES], false, false};
    for (int32_t s = 0, to = 0; s < TL_CROSSINGS; s++) {
        broad->both[to++] = search[s];
        if (search[s].a != search[s].b) {
            broad->both[to++] = (TlTreeSearch){search[s].b, search[s].a, search[s].self, true};
        }
    }
}

/* Cuts searches [first, end) into chunks, in their order. */
static bool make_plan(TlArena *arena, const TlTreeSearch *search, int32_t first, int32_t end,
                      TlTreePlan *plan) {
    int64_t most = 0;
    for (int32_t s = first; s < end; s++) {
        most += search[s].a->blocks[0] / CHUNK_BLOCKS + 1;
    }
    plan->chunk = TL_NEW(arena, TlTreeChunk, most);
    if (plan->chunk == NULL) {
        return false;
    }
    for (int32_t s = first; s < end; s++) {
        int32_t blocks = search[s].b->count > 0 ? search[s].a->blocks[0] : 0;
        for (int32_t b = 0; b < blocks; b += CHUNK_BLOCKS) {
            int32_t next = blocks - b < CHUNK_BLOCKS ? blocks : b + CHUNK_BLOCKS;
            plan->chunk[plan->chunk_count++] = (TlTreeChunk){.search = s, .begin = b, .end = next};
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
    broad->reach = TL_NEW(arena, TlReaches, (int64_t)surface->vertices.count + 1);
    TlArena scratch;
    tl_arena_init(&scratch, arena->allocator);
    bool ok = broad->reach != NULL && make_trees(arena, &scratch, broad);
    tl_arena_free(&scratch);
    make_searches(broad);
    if (!ok || !make_plan(arena, broad->search, 0, TL_CROSSINGS, &broad->near) ||
        !make_plan(arena, broad->search, TL_CROSSINGS, TL_SEARCHES, &broad->crossing) ||
        !make_plan(arena, broad->both, 0, TL_MOST_BOTH, &broad->more)) {
        return NULL;
    }
    broad->reach[surface->vertices.count] = tl_nowhere();
    return broad;
}
