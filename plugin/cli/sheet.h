/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Framing of a clip and contact sheets. One camera is fitted to the bounds of all frames, so that
 * the frames of a sheet can be compared; each frame is then drawn straight into its cell, and
 * memory does not grow with the length of the clip. */
#ifndef TL_CLI_SHEET_H
#define TL_CLI_SHEET_H

#include "raster.h"

/* Sine of an angle in degrees; exact at multiples of 90, within 4e-15 up to 720 degrees. */
double tl_sine_deg(double angle_deg);

/* An axis-aligned box in metres; empty while low > high. */
typedef struct TlBounds {
    double low[3], high[3];
} TlBounds;

TlBounds tl_bounds_empty(void);

/* Grows the box by `count` points of three floats; points that are not finite are passed over. */
void tl_bounds_add(TlBounds *bounds, const float *x, int32_t count);

/* Grows the box to hold another one too; either may be empty. */
void tl_bounds_join(TlBounds *bounds, const TlBounds *other);

/* A camera that sees the whole box with a little room around it. `aspect` is width over height of
 * the picture. Azimuth 0 looks along -Z and grows as the eye moves towards +X; elevation is the
 * height of the eye, -85 to 85 (clamped). An empty box or a single point gives a view of a ball
 * around it. */
TlCamera tl_camera_fit(const TlBounds *bounds, double aspect, double azimuth_deg,
                       double elevation_deg);

/* The three-quarter view from slightly above that previews use. */
#define TL_CAMERA_AZIMUTH_DEG 32.0
#define TL_CAMERA_ELEVATION_DEG 22.0

/* What a sheet shall hold. */
typedef struct TlSheetDef {
    int frame_count; /* cells, 1 or more */
    int columns;     /* 0: chosen so that the sheet is about 16:9 with few empty cells */
    int cell_width, cell_height; /* pixels of one picture */
} TlSheetDef;

/* A contact sheet; all sizes in pixels. */
typedef struct TlSheet {
    TlImage image; /* owned */
    int frame_count, columns, rows;
    int cell_width, cell_height, label_height;
    int margin; /* around the sheet and between the cells */
    int text_scale;
    int next; /* cell of the next frame */
} TlSheet;

/* Lays out an empty sheet. False: a count or size below 1, an image larger than TL_IMAGE_MAX on a
 * side, or no memory; `sheet` is then all zero. */
bool tl_sheet_create(TlSheet *sheet, const TlSheetDef *def);

/* Frees the image. Accepts a sheet that is all zero. */
void tl_sheet_destroy(TlSheet *sheet);

/* The picture of cell `index` as a view onto the sheet; empty when there is no such cell. */
TlImage tl_sheet_cell(const TlSheet *sheet, int index);

/* Draws the next frame and its label below it, smaller where it would be wider than the picture.
 * `label` may be NULL. False: the sheet is full, or rendering failed. */
bool tl_sheet_add(TlSheet *sheet, const TlRenderScene *scene, const TlCamera *camera,
                  const char *label);

#endif
