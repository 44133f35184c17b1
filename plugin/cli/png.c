/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Images, the sRGB curve, and files. Writes a PNG through libpng's simplified interface, which
 * reports errors without long jumps. The bytes depend on the image and on the versions of libpng
 * and zlib, on nothing else: no time stamp is stored. */
#include "png.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PNG_IMAGE_VERSION
#error "<png.h> is not libpng's: plugin/cli must not be on the include path"
#endif

bool tl_image_create(TlImage *image, int width, int height) {
    memset(image, 0, sizeof *image);
    if (width < 1 || height < 1 || width > TL_IMAGE_MAX || height > TL_IMAGE_MAX) {
        return false;
    }
    image->rgb = calloc((size_t)width * (size_t)height, 3);
    if (image->rgb == NULL) {
        return false;
    }
    image->width = width;
    image->height = height;
    image->stride = (size_t)width * 3;
    return true;
}

void tl_image_destroy(TlImage *image) {
    free(image->rgb);
    memset(image, 0, sizeof *image);
}

TlImage tl_image_view(const TlImage *image, int x, int y, int width, int height) {
    TlImage view = {0};
    if (x < 0 || y < 0 || x >= image->width || y >= image->height || width < 1 || height < 1) {
        return view;
    }
    view.width = width < image->width - x ? width : image->width - x;
    view.height = height < image->height - y ? height : image->height - y;
    view.stride = image->stride;
    view.rgb = image->rgb + (size_t)y * image->stride + (size_t)x * 3;
    return view;
}

/* ((value + 0.055) / 1.055)^2.4, the fifth root by Newton's method. */
double tl_srgb_decode(double value) {
    if (value <= 0.04045) {
        return value / 12.92;
    }
    double base = (value + 0.055) / 1.055, root = 1.0;
    for (int i = 0; i < 16; i++) {
        double r4 = root * root * root * root;
        root -= (r4 * root - base) / (5.0 * r4);
    }
    return base * base * root * root;
}

/* 1.055 light^(5/12) - 0.055, the cube root by Newton's method. */
double tl_srgb_encode(double light) {
    if (light <= 0.0031308) {
        return 12.92 * light;
    }
    double base = sqrt(sqrt(light)), root = 1.0;
    for (int i = 0; i < 10; i++) {
        root -= (root * root * root - base) / (3.0 * root * root);
    }
    return 1.055 * root * root * root * root * root - 0.055;
}

/* Fills the caller's record: "cannot <action> '<path>': <reason>" */
static ToileStatus fail(ToileError *error, ToileStatus status, const char *action, const char *path,
                        const char *reason) {
    if (error != NULL && error->struct_size >= sizeof *error) {
        error->status = (int32_t)status;
        error->frame = INT64_MIN;
        error->face = -1;
        error->vertex = -1;
        error->object[0] = '\0';
        snprintf(error->message, sizeof error->message, "cannot %s '%.300s': %.120s", action, path,
                 reason);
    }
    return status;
}

/* `path` with ".tmp" behind it, or NULL when out of memory; the caller frees it. */
static char *temporary_name(const char *path) {
    size_t length = strlen(path);
    char *name = malloc(length + sizeof ".tmp");
    if (name != NULL) {
        memcpy(name, path, length);
        memcpy(name + length, ".tmp", sizeof ".tmp");
    }
    return name;
}

/* why the system refused, else what the library said */
static void tell_reason(char *reason, size_t size, int code, const char *otherwise) {
    snprintf(reason, size, "%s", code ? strerror(code) : otherwise);
}

/* Encodes into an open file. False: `reason` tells why. */
static bool encode(const TlImage *image, FILE *file, char *reason, size_t reason_size) {
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = (png_uint_32)image->width;
    png.height = (png_uint_32)image->height;
    png.format = PNG_FORMAT_RGB;
    errno = 0;
    bool ok =
        png_image_write_to_stdio(&png, file, 0, image->rgb, (png_int_32)image->stride, NULL) != 0;
    if (!ok) {
        tell_reason(reason, reason_size, errno, png.message);
    }
    png_image_free(&png);
    return ok;
}

/* Writes the whole picture to `name`, and removes it again if that fails. */
static ToileStatus write_file(const TlImage *image, const char *name, const char *path,
                              ToileError *error) {
    char reason[128] = "";
    FILE *file = fopen(name, "wb");
    if (file == NULL) {
        return fail(error, TOILE_STATUS_CANNOT_CREATE, "create", path, strerror(errno));
    }
    bool ok = encode(image, file, reason, sizeof reason);
    errno = 0;
    if (ok && fflush(file) != 0) {
        ok = false;
        tell_reason(reason, sizeof reason, errno, "the disk may be full");
    }
    errno = 0;
    if (fclose(file) != 0 && ok) {
        ok = false;
        tell_reason(reason, sizeof reason, errno, "the disk may be full");
    }
    if (!ok) {
        remove(name);
        return fail(error, TOILE_STATUS_IO_ERROR, "write", path, reason);
    }
    return TOILE_STATUS_OK;
}

ToileStatus tl_png_write(const TlImage *image, const char *path, ToileError *error) {
    if (image == NULL || image->rgb == NULL || image->width < 1 || image->height < 1) {
        return fail(error, TOILE_STATUS_INVALID_ARGUMENT, "write", path == NULL ? "" : path,
                    "the image is empty");
    }
    if (path == NULL || path[0] == '\0') {
        return fail(error, TOILE_STATUS_INVALID_ARGUMENT, "write", "", "the file name is empty");
    }
    char *name = temporary_name(path);
    if (name == NULL) {
        return fail(error, TOILE_STATUS_OUT_OF_MEMORY, "write", path, "out of memory");
    }
    ToileStatus status = write_file(image, name, path, error);
    if (status == TOILE_STATUS_OK && rename(name, path) != 0) {
        status = fail(error, TOILE_STATUS_CANNOT_CREATE, "replace", path, strerror(errno));
        remove(name);
    }
    free(name);
    return status;
}

ToileStatus tl_png_probe(const char *path, ToileError *error) {
    errno = 0;
    FILE *old = fopen(path, "r+b");
    if (old == NULL && errno == EISDIR) {
        return fail(error, TOILE_STATUS_CANNOT_CREATE, "create", path, "there is such a folder");
    }
    if (old != NULL) {
        fclose(old);
    }
    char *name = temporary_name(path);
    if (name == NULL) {
        return fail(error, TOILE_STATUS_OUT_OF_MEMORY, "write", path, "out of memory");
    }
    errno = 0;
    FILE *file = fopen(name, "wb");
    ToileStatus status = TOILE_STATUS_OK;
    if (file == NULL) {
        status = fail(error, TOILE_STATUS_CANNOT_CREATE, "create", path, strerror(errno));
    } else {
        fclose(file);
        remove(name);
    }
    free(name);
    return status;
}
