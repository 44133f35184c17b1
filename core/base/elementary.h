/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Sine, cosine, arc tangent and logarithm as own code, because libm's differ between platforms in
 * the last bit. Absolute error of sine and cosine below 4e-16 for |x| <= 1e4, of the arc tangent
 * and, relative, of the logarithm below 1e-15 (tested against libm). */
#ifndef TL_ELEMENTARY_H
#define TL_ELEMENTARY_H

double tl_sin(double x);
double tl_cos(double x);
/* Angle of (x, y) in (-pi, pi]; 0 for the origin. */
double tl_atan2(double y, double x);
/* Natural logarithm of a positive number. */
double tl_ln(double x);

#endif
