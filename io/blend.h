/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices between two others, so that what turns keeps its size. */
#ifndef TL_IO_BLEND_H
#define TL_IO_BLEND_H

/* The 4x4 matrix for row vectors a part `t` (0 to 1) of the way from `a` to `b`: translation and
 * stretch (scale and shear, before the rotation) straight, rotation by the shortest arc at even
 * speed. Mirrors stay mirrors. Where one of them flattens space, so that it has no rotation, all
 * elements go straight. */
void tl_blend_matrix(const double a[16], const double b[16], double t, double out[16]);

#endif
