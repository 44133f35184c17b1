/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Four or eight numbers side by side, by the vector extension that GCC and Clang share. Operators
 * act on all lanes alike, each as IEEE says, so that every instruction set gives the same bits. */
#ifndef TL_LANES_H
#define TL_LANES_H

#include <math.h>
#include <stdint.h>

enum { TL_LANES = 4, TL_WIDE = 8 };

typedef float TlFloat4 __attribute__((vector_size(16)));
typedef float TlFloat8 __attribute__((vector_size(32)));
typedef double TlDouble2 __attribute__((vector_size(16)));
typedef double TlDouble4 __attribute__((vector_size(32)));
typedef int64_t TlBits4 __attribute__((vector_size(32)));

/* A function that is compiled for wider registers as well; which one runs is decided when the
 * library is loaded. Sanitizers cannot run code that early, and Clang refuses to hand vectors from
 * one kind of function to another, even where it inlines them. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) &&                            \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TL_HOT __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define TL_HOT
#endif

/* Inlined even without optimisation: what takes vectors has no other interface. */
#define TL_INLINE static inline __attribute__((always_inline))

TL_INLINE TlDouble4 tl_double4(double a) {
    return (TlDouble4){a, a, a, a};
}
TL_INLINE TlFloat4 tl_float4(float a) {
    return (TlFloat4){a, a, a, a};
}
TL_INLINE TlDouble4 tl_abs4(TlDouble4 a) {
    return (TlDouble4)((TlBits4)a & INT64_MAX);
}
/* 1 or -1 */
TL_INLINE TlDouble4 tl_sign4(TlDouble4 a) {
    return (TlDouble4)(((TlBits4)a & INT64_MIN) | (TlBits4)tl_double4(1.0));
}
TL_INLINE TlDouble4 tl_positive4(TlDouble4 a) {
    return 0.5 * (a + tl_abs4(a));
}
/* The larger of each; a where b is not a number. */
TL_INLINE TlDouble4 tl_max4(TlDouble4 a, TlDouble4 b) {
    TlBits4 larger = (TlBits4)(b > a);
    return (TlDouble4)(((TlBits4)b & larger) | ((TlBits4)a & ~larger));
}
TL_INLINE TlDouble4 tl_sqrt4(TlDouble4 a) {
    return (TlDouble4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
}
TL_INLINE TlFloat4 tl_narrow4(TlDouble4 a) {
    return __builtin_convertvector(a, TlFloat4);
}
TL_INLINE TlDouble4 tl_widen4(TlFloat4 a) {
    return __builtin_convertvector(a, TlDouble4);
}

/* The three numbers of vertex v, and in the fourth lane anything; nothing follows the last vertex.
 */
TL_INLINE TlDouble4 tl_vertex4(const double *x, int32_t v, int32_t last) {
    const double *at = x + 3 * (int64_t)v;
    if (v == last) {
        return (TlDouble4){at[0], at[1], at[2], 0.0};
    }
    TlDouble4 out;
    __builtin_memcpy(&out, at, sizeof out);
    return out;
}

TL_INLINE TlFloat8 tl_join8(TlFloat4 low, TlFloat4 high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
TL_INLINE TlFloat4 tl_low4(TlFloat8 a) {
    return __builtin_shufflevector(a, a, 0, 1, 2, 3);
}
TL_INLINE TlFloat4 tl_high4(TlFloat8 a) {
    return __builtin_shufflevector(a, a, 4, 5, 6, 7);
}

/* Rows to columns: a, b, c, d become the first, second, third and fourth lanes of all. */
TL_INLINE void tl_transpose4(TlFloat4 *a, TlFloat4 *b, TlFloat4 *c, TlFloat4 *d) {
    TlFloat4 ab_low = __builtin_shufflevector(*a, *b, 0, 4, 1, 5);
    TlFloat4 cd_low = __builtin_shufflevector(*c, *d, 0, 4, 1, 5);
    TlFloat4 ab_high = __builtin_shufflevector(*a, *b, 2, 6, 3, 7);
    TlFloat4 cd_high = __builtin_shufflevector(*c, *d, 2, 6, 3, 7);
    *a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    *b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    *c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    *d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

#endif
