/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Exact tests between points of an integer grid: every answer is right, whatever lies how close,
 * flat or degenerate. Segments and triangles include their borders: touching is meeting. */
#ifndef TL_CLI_VERIFY_EXACT_H
#define TL_CLI_VERIFY_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* Coordinates from -TL_EXACT_LIMIT to TL_EXACT_LIMIT. Differences then have 41 bits and a
 * determinant of three of them at most 3 * 2 * 2^123 in size, which 128 bits hold. */
#define TL_EXACT_LIMIT (INT64_C(1) << 40)

/* One point: three coordinates. */
typedef int64_t TlGridPoint[3];

/* True when the segment from p to q and the triangle a b c have a point in common. The segment may
 * be a point, the triangle a segment or a point. */
bool tl_segment_meets_triangle(const TlGridPoint p, const TlGridPoint q, const TlGridPoint a,
                               const TlGridPoint b, const TlGridPoint c);

#endif
