/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in memory and on disk, and the sRGB curve between light and stored values. libpng stands
 * behind tl_png_write alone. */
#ifndef TL_CLI_PNG_H
#define TL_CLI_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <toile/base.h>

/* Largest width or height of an image, in pixels. */
#define TL_IMAGE_MAX 16384

/* Rows from top to bottom, three bytes a pixel: red, green, blue in sRGB. */
typedef struct TlImage {
    int width, height;  /* pixels */
    size_t stride;      /* bytes from one row to the next */
    unsigned char *rgb; /* owned, unless the image is a view */
} TlImage;

/* Allocates a black image. False: a size outside 1 to TL_IMAGE_MAX, or no memory; `image` is then
 * empty. */
bool tl_image_create(TlImage *image, int width, int height);

/* Frees the pixels. Accepts an image that is all zero; never call it on a view. */
void tl_image_destroy(TlImage *image);

/* A window onto the pixels of `image`, cut to its borders; valid as long as the image is. */
TlImage tl_image_view(const TlImage *image, int x, int y, int width, int height);

/* From a stored value to linear light and back, both 0 to 1; within 1e-12 of the exact curve, the
 * same on every machine. */
double tl_srgb_decode(double value);
double tl_srgb_encode(double light);

/* Writes the image as an 8-bit sRGB PNG. The file appears under its name only when it is complete:
 * it is written as `path`.tmp beside it and then renamed, which replaces an older picture. On
 * failure an older picture stays as it was, nothing new is left behind, and `error`, if given, gets
 * a sentence. */
ToileStatus tl_png_write(const TlImage *image, const char *path, ToileError *error);
/* Tells what tl_png_write would refuse about `path`, before there is an image. Leaves nothing. */
ToileStatus tl_png_probe(const char *path, ToileError *error);

#endif
