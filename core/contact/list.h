/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The list of pairs of a world, for its moves; see list.c. Layer 3b. */
#ifndef TL_LIST_H
#define TL_LIST_H

#include "contact/world.h"

/* over all vertices: when more than this leave the list is made anew */
#define TL_MOST_STRAGGLERS 0.25

/* The list for the move world->u from world->x, and what comes after it; vertices that are marked
 * as stragglers may stop anywhere on their way. All answer false when memory is refused. */
bool tl_list_make(TlWorld *world);
/* The same if all but the stragglers stay within the sweep of the list there is. */
bool tl_list_again(TlWorld *world);
/* The same where `leaving` vertices, the stragglers, leave that sweep. */
bool tl_list_follow(TlWorld *world, int32_t leaving);

#endif
