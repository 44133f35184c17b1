/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Median splits, each along the axis in which things are spread widest, and between bodies before
 * all else; ties are broken by number, so that the order is one. */
#include "contact/tree_order.h"

#include "base/vec.h"

#include <string.h>

enum { FAN = TL_TREE_FAN };

static bool before(const TlTreeItem *a, const TlTreeItem *b, int32_t axis) {
    return a->at[axis] < b->at[axis] || (a->at[axis] == b->at[axis] && a->thing < b->thing);
}

static void swap(TlTreeItem *a, TlTreeItem *b) {
    TlTreeItem kept = *a;
    *a = *b;
    *b = kept;
}

/* Puts the median of first, middle and last in the middle, and the others on their sides. */
static void sort_three(TlTreeItem *a, TlTreeItem *b, TlTreeItem *c, int32_t axis) {
    if (before(b, a, axis)) {
        swap(a, b);
    }
    if (before(c, b, axis)) {
        swap(b, c);
    }
    if (before(b, a, axis)) {
        swap(a, b);
    }
}

/* Hoare's selection: the `half` lowest of all items come first. */
static void select_lowest(TlTreeItem *item, int32_t count, int32_t half, int32_t axis) {
    int32_t low = 0, high = count - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2, i = low, j = high;
        sort_three(&item[low], &item[middle], &item[high], axis);
        TlTreeItem pivot = item[middle];
        while (i <= j) {
            while (before(&item[i], &pivot, axis)) {
                i++;
            }
            while (before(&pivot, &item[j], axis)) {
                j--;
            }
            if (i <= j) {
                swap(&item[i++], &item[j--]);
            }
        }
        /* the boundary lies in one of the two parts, or between */
        if (half <= j) {
            high = j;
        } else if (half >= i) {
            low = i;
        } else {
            return;
        }
    }
}

/* Along which items are spread widest; 3, their bodies, while those are several of some size. */
static int32_t widest_axis(const TlTreeItem *item, int32_t count) {
    double low[4], high[4];
    memcpy(low, item[0].at, sizeof low);
    memcpy(high, item[0].at, sizeof high);
    for (int32_t i = 1; i < count; i++) {
        for (int32_t k = 0; k < 4; k++) {
            low[k] = tl_min(low[k], item[i].at[k]);
            high[k] = tl_max(high[k], item[i].at[k]);
        }
    }
    double bodies = high[3] - low[3];
    if (bodies > 0.0 && FAN * bodies < count) {
        return 3;
    }
    int32_t axis = high[1] - low[1] > high[0] - low[0] ? 1 : 0;
    return high[2] - low[2] > high[axis] - low[axis] ? 2 : axis;
}

/* How many of `count` things go to the first half, so that nodes are full: about half of the
 * largest nodes that are fewer than all of it. */
static int32_t first_half(int32_t count) {
    int32_t node = FAN;
    while (node <= (count - 1) / FAN) {
        node *= FAN;
    }
    return (int32_t)(((int64_t)count + node - 1) / node / 2) * node;
}

/* Halves wait on a stack. */
void tl_tree_order(TlTreeItem *item, int32_t count) {
    int32_t begin[32], size[32], waiting = 0;
    begin[waiting] = 0;
    size[waiting++] = count;
    while (waiting > 0) {
        waiting--;
        TlTreeItem *at = item + begin[waiting];
        int32_t total = size[waiting];
        if (total > FAN) {
            int32_t half = first_half(total);
            select_lowest(at, total, half, widest_axis(at, total));
            size[waiting] = half;
            begin[waiting + 1] = begin[waiting] + half;
            size[waiting + 1] = total - half;
            waiting += 2;
        }
    }
}
