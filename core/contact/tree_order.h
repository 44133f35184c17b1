/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The order of things in the leaves of a tree, tree.c. */
#ifndef TL_TREE_ORDER_H
#define TL_TREE_ORDER_H

#include <stdint.h>

/* Children of a node, and things of a leaf. */
enum { TL_TREE_FAN = 16 };

/* A thing while it is put in order: its middle at rest, and its body. */
typedef struct TlTreeItem {
    double at[4];
    int32_t thing;
} TlTreeItem;

/* Puts things in an order in which those that are near each other share leaves and nodes. */
void tl_tree_order(TlTreeItem *item, int32_t count);

#endif
