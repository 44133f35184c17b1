/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers in and out, exact and without regard to the locale a host has set. */
#ifndef TL_IO_NUMBER_H
#define TL_IO_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest text tl_number_format and tl_number_shortest write, with the ending zero byte. */
#define TL_NUMBER_SIZE 32

/* Reads [sign] digits [. digits] [e [sign] digits] from exactly `length` characters, with a digit
 * before or after the point, and rounds correctly (to nearest, ties to even). Answers false for any
 * other text. A value beyond the largest double becomes an infinity. */
bool tl_number_parse(const char *text, size_t length, double *value);

/* As printf's %.<digits>g (digits 1 to 17) with a point, and an exponent of two or three digits. */
void tl_number_format(double value, int digits, char text[TL_NUMBER_SIZE]);

/* The fewest of 15, 16 or 17 digits that read back as the same double. */
void tl_number_shortest(double value, char text[TL_NUMBER_SIZE]);

#endif
