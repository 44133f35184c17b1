/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Short labels on pictures, in a small bitmap font drawn for Toile: letters, digits, space and . -
 * : / _ + Any other byte shows as a box. */
#ifndef TL_CLI_FONT_H
#define TL_CLI_FONT_H

#include "raster.h"

#define TL_FONT_HEIGHT 9  /* rows of a line at scale 1: seven above the base line, two below */
#define TL_FONT_ADVANCE 6 /* columns from one letter to the next at scale 1 */

/* Width of `text` in pixels at a scale of 1 or more, without the gap after the last letter. */
int tl_text_width(const char *text, int scale);

/* Draws `text` with its upper left corner at (x, y), cut at the borders of the image. */
void tl_text_draw(const TlImage *image, int x, int y, int scale, const unsigned char rgb[3],
                  const char *text);

#endif
