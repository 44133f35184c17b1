/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: zeroed, aligned, counted, refusing what cannot be. */
#include "base/alloc.h"
#include "support/builders.h"

#include <stdint.h>

START_TEST(alloc_blocks_are_zeroed_aligned_and_freed) {
    TestMemory memory = {0};
    TlArena arena;
    tl_arena_init(&arena, test_allocator(&memory));
    for (int64_t count = 0; count < 200; count += 7) {
        unsigned char *block = tl_arena_alloc(&arena, count, 3);
        ck_assert_ptr_nonnull(block);
        ck_assert_uint_eq((uintptr_t)block % 64, 0);
        for (int64_t i = 0; i < 3 * (count > 0 ? count : 1); i++) {
            ck_assert_uint_eq(block[i], 0);
            block[i] = 0xff;
        }
    }
    ck_assert_int_gt(memory.live_blocks, 0);
    tl_arena_free(&arena);
    ck_assert_int_eq(memory.live_blocks, 0);
    ck_assert_int_eq(memory.live_bytes, 0);
}
END_TEST

START_TEST(alloc_freed_arena_may_be_used_again) {
    TestMemory memory = {0};
    TlArena arena;
    tl_arena_init(&arena, test_allocator(&memory));
    tl_arena_free(&arena);
    ck_assert_ptr_nonnull(TL_NEW(&arena, double, 10));
    tl_arena_free(&arena);
    ck_assert_ptr_nonnull(TL_NEW(&arena, double, 10));
    tl_arena_free(&arena);
    ck_assert_int_eq(memory.live_blocks, 0);
}
END_TEST

START_TEST(alloc_dropped_and_renewed_arrays_are_freed) {
    TestMemory memory = {0};
    TlArena arena;
    int32_t local = 0;
    tl_arena_init(&arena, test_allocator(&memory));
    double *first = TL_NEW(&arena, double, 10), *second = TL_NEW(&arena, double, 20);
    double *third = TL_NEW(&arena, double, 30);
    tl_arena_drop(&arena, second);
    ck_assert_int_eq(memory.live_blocks, 2);
    tl_arena_drop(&arena, NULL);
    tl_arena_drop(&arena, &local);
    ck_assert_int_eq(memory.live_blocks, 2);
    for (int64_t count = 40; count < 1000; count *= 2) {
        third[0] = 1.0;
        third = TL_RENEW(&arena, double, third, count);
        ck_assert_ptr_nonnull(third);
        ck_assert_double_eq(third[0], 0.0);
        ck_assert_int_eq(memory.live_blocks, 2);
    }
    first = TL_RENEW(&arena, double, first, 5);
    ck_assert_ptr_nonnull(first);
    ck_assert_int_eq(arena.requests, 9);
    tl_arena_drop(&arena, first);
    tl_arena_drop(&arena, third);
    ck_assert_int_eq(memory.live_blocks, 0);
    tl_arena_free(&arena);
}
END_TEST

START_TEST(alloc_refusal_is_remembered_until_freed) {
    TestMemory memory = {.fail_at = 2};
    TlArena arena;
    tl_arena_init(&arena, test_allocator(&memory));
    ck_assert_ptr_nonnull(TL_NEW(&arena, int32_t, 4));
    ck_assert(!arena.failed);
    ck_assert_ptr_null(TL_NEW(&arena, int32_t, 4));
    ck_assert(arena.failed);
    ck_assert_ptr_nonnull(TL_NEW(&arena, int32_t, 4));
    ck_assert(arena.failed);
    tl_arena_free(&arena);
    ck_assert(!arena.failed);
    ck_assert_int_eq(memory.live_blocks, 0);
}
END_TEST

START_TEST(alloc_overflowing_products_are_refused) {
    TestMemory memory = {0};
    TlArena arena;
    tl_arena_init(&arena, test_allocator(&memory));
    ck_assert_ptr_null(tl_arena_alloc(&arena, INT64_MAX, 16));
    ck_assert_ptr_null(tl_arena_alloc(&arena, (int64_t)(SIZE_MAX / 16), 16));
    ck_assert_ptr_null(tl_arena_alloc(&arena, 16, SIZE_MAX / 8));
    ck_assert(arena.failed);
    ck_assert_int_eq(memory.requests, 0);
    tl_arena_free(&arena);
}
END_TEST

START_TEST(alloc_half_a_hook_means_the_default) {
    TestMemory memory = {0};
    ToileAllocator whole = test_allocator(&memory), half = whole;
    half.free = NULL;
    ck_assert(tl_allocator_or_default(&whole).alloc == whole.alloc);
    ck_assert(tl_allocator_or_default(&half).alloc != whole.alloc);
    ck_assert(tl_allocator_or_default(NULL).free != NULL);
}
END_TEST

TEST_MAIN("alloc", alloc_blocks_are_zeroed_aligned_and_freed, alloc_freed_arena_may_be_used_again,
          alloc_dropped_and_renewed_arrays_are_freed, alloc_refusal_is_remembered_until_freed,
          alloc_overflowing_products_are_refused, alloc_half_a_hook_means_the_default)
