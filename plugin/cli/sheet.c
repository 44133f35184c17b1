/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Fits cameras and lays out contact sheets. The fit is exact: of all eyes that look in the given
 * direction, the nearest one that keeps the eight corners of the box inside the four sides of the
 * view. */
#include "sheet.h"

#include "font.h"

#include <math.h>
#include <string.h>

#define HALF_VIEW 0.23 /* tangent of half the view angle across the shorter side */
#define ROOM 1.14      /* space around the box, ratio */

/* ---- camera ---- */

/* Sine of an angle within 45 degrees of zero; the series is cut below 1e-17. */
static double sine_series(double a) {
    double a2 = a * a, term = a, sum = a;
    for (int k = 1; k < 9; k++) {
        term *= -a2 / (2.0 * k * (2.0 * k + 1.0));
        sum += term;
    }
    return sum;
}

static double cosine_series(double a) {
    double a2 = a * a, term = 1.0, sum = 1.0;
    for (int k = 1; k < 9; k++) {
        term *= -a2 / (2.0 * k * (2.0 * k - 1.0));
        sum += term;
    }
    return sum;
}

double tl_sine_deg(double angle_deg) {
    const double rad_per_deg = 0.017453292519943295;
    /* whole turns and then quarter turns are taken off in degrees, without rounding */
    double turned = angle_deg - 360.0 * floor(angle_deg / 360.0);
    double quarter = floor(turned / 90.0 + 0.5);
    double rest = (turned - 90.0 * quarter) * rad_per_deg;
    switch ((int)quarter & 3) {
    case 0:
        return sine_series(rest);
    case 1:
        return cosine_series(rest);
    case 2:
        return -sine_series(rest);
    default:
        return -cosine_series(rest);
    }
}

TlBounds tl_bounds_empty(void) {
    TlBounds bounds = {{1.0, 1.0, 1.0}, {-1.0, -1.0, -1.0}};
    return bounds;
}

static bool bounds_are_empty(const TlBounds *bounds) {
    return !(bounds->low[0] <= bounds->high[0]);
}

/* True for a point of three finite numbers. */
static bool finite_point(const float *x) {
    return fabs((double)x[0]) <= 3e38 && fabs((double)x[1]) <= 3e38 && fabs((double)x[2]) <= 3e38;
}

void tl_bounds_add(TlBounds *bounds, const float *x, int32_t count) {
    for (int32_t i = 0; i < count; i++, x += 3) {
        if (!finite_point(x)) {
            continue;
        }
        bool first = bounds_are_empty(bounds);
        for (int k = 0; k < 3; k++) {
            double a = (double)x[k];
            bounds->low[k] = first || a < bounds->low[k] ? a : bounds->low[k];
            bounds->high[k] = first || a > bounds->high[k] ? a : bounds->high[k];
        }
    }
}

void tl_bounds_join(TlBounds *bounds, const TlBounds *other) {
    bool first = bounds_are_empty(bounds);
    for (int k = 0; k < 3 && !bounds_are_empty(other); k++) {
        bool lower = first || other->low[k] < bounds->low[k];
        bool higher = first || other->high[k] > bounds->high[k];
        bounds->low[k] = lower ? other->low[k] : bounds->low[k];
        bounds->high[k] = higher ? other->high[k] : bounds->high[k];
    }
}

/* Centre and radius of the ball around the box; never without size. */
static void set_ball(TlCamera *camera, const TlBounds *bounds, double half[3]) {
    double size2 = 0.0, away = 0.0;
    for (int k = 0; k < 3; k++) {
        bool empty = bounds_are_empty(bounds);
        camera->centre[k] = empty ? 0.0 : 0.5 * (bounds->low[k] + bounds->high[k]);
        half[k] = empty ? 0.0 : 0.5 * (bounds->high[k] - bounds->low[k]);
        size2 += half[k] * half[k];
        away += fabs(camera->centre[k]);
    }
    /* a ball below the resolution of the coordinates would show rounding only */
    double radius = sqrt(size2), smallest = away * 1e-6;
    if (!(radius > smallest) || !(radius > 1e-30)) {
        radius = smallest > 1e-30 ? smallest : 1.0;
        half[0] = half[1] = half[2] = radius * 0.57;
    }
    camera->radius_m = radius;
}

static void set_axes(TlCamera *camera, double azimuth_deg, double elevation_deg) {
    double lift = elevation_deg < -85.0 ? -85.0 : elevation_deg > 85.0 ? 85.0 : elevation_deg;
    double sa = tl_sine_deg(azimuth_deg), ca = tl_sine_deg(azimuth_deg + 90.0);
    double se = tl_sine_deg(lift), ce = tl_sine_deg(lift + 90.0);
    double right[3] = {ca, 0.0, -sa}, up[3] = {-sa * se, ce, -ca * se},
           back[3] = {sa * ce, se, ca * ce};
    memcpy(camera->right, right, sizeof right);
    memcpy(camera->up, up, sizeof up);
    memcpy(camera->back, back, sizeof back);
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* For the two sides of the view across `axis`, which open by `slope`: the distance from which the
 * box just fits between them, and the sideways place of the eye. A corner at (a, z), z towards the
 * eye, is inside when |a - shift| <= slope * (distance - z). */
static double fit_axis(const TlCamera *camera, const double half[3], const double axis[3],
                       double slope, double *shift) {
    double most = -1e300, least = 1e300;
    for (int corner = 0; corner < 8; corner++) {
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = (corner >> k & 1 ? half[k] : -half[k]) / camera->radius_m;
        }
        double a = dot(p, axis), z = slope * dot(p, camera->back);
        most = a + z > most ? a + z : most;
        least = a - z < least ? a - z : least;
    }
    *shift = 0.5 * (most + least);
    return (most - least) / (2.0 * slope);
}

TlCamera tl_camera_fit(const TlBounds *bounds, double aspect, double azimuth_deg,
                       double elevation_deg) {
    TlCamera camera;
    double half[3], shift_x, shift_y;
    set_ball(&camera, bounds, half);
    set_axes(&camera, azimuth_deg, elevation_deg);
    camera.half_width = aspect > 1.0 ? HALF_VIEW * aspect : HALF_VIEW;
    camera.half_height = aspect > 1.0 ? HALF_VIEW : HALF_VIEW / aspect;
    double across = fit_axis(&camera, half, camera.right, camera.half_width / ROOM, &shift_x);
    double upward = fit_axis(&camera, half, camera.up, camera.half_height / ROOM, &shift_y);
    double distance = across > upward ? across : upward;
    for (int k = 0; k < 3; k++) {
        camera.eye[k] =
            shift_x * camera.right[k] + shift_y * camera.up[k] + distance * camera.back[k];
    }
    return camera;
}

/* ---- sheet ---- */

static int rows_for(int count, int columns) {
    return (count + columns - 1) / columns;
}

/* How far a layout is from a full sheet of 16:9; smaller is better. */
static double layout_cost(const TlSheetDef *def, int columns) {
    int rows = rows_for(def->frame_count, columns);
    double aspect = (double)columns * def->cell_width / ((double)rows * def->cell_height);
    double ratio = aspect * 9.0 / 16.0;
    int unused = columns * rows - def->frame_count;
    return (ratio > 1.0 ? ratio : 1.0 / ratio) + 2.0 * unused / def->frame_count;
}

static int choose_columns(const TlSheetDef *def) {
    int best = 1;
    for (int columns = 2; columns <= def->frame_count; columns++) {
        if (layout_cost(def, columns) < layout_cost(def, best)) {
            best = columns;
        }
    }
    return best;
}

/* Length of `count` pieces with margins around and between them; 0 when it would be too long. */
static int total_length(int count, int piece, int margin) {
    int64_t length = (int64_t)count * piece + ((int64_t)count + 1) * margin;
    return length <= TL_IMAGE_MAX ? (int)length : 0;
}

static void paint_paper(const TlImage *image) {
    for (int y = 0; y < image->height; y++) {
        memset(image->rgb + (size_t)y * image->stride, 0xF6, (size_t)image->width * 3);
    }
}

bool tl_sheet_create(TlSheet *sheet, const TlSheetDef *def) {
    memset(sheet, 0, sizeof *sheet);
    if (def->frame_count < 1 || def->frame_count > TL_IMAGE_MAX || def->columns < 0 ||
        def->cell_width < 1 || def->cell_height < 1 || def->cell_width > TL_IMAGE_MAX ||
        def->cell_height > TL_IMAGE_MAX) {
        return false;
    }
    TlSheet s = {0};
    s.frame_count = def->frame_count;
    s.columns = def->columns > 0 ? def->columns : choose_columns(def);
    s.columns = s.columns < s.frame_count ? s.columns : s.frame_count;
    s.rows = rows_for(s.frame_count, s.columns);
    s.cell_width = def->cell_width;
    s.cell_height = def->cell_height;
    s.text_scale = def->cell_width / 200 > 1 ? def->cell_width / 200 : 1;
    s.label_height = TL_FONT_HEIGHT * s.text_scale + 6 * s.text_scale;
    s.margin = def->cell_width / 40 > 6 ? def->cell_width / 40 : 6;
    int width = total_length(s.columns, s.cell_width, s.margin);
    int height = total_length(s.rows, s.cell_height + s.label_height, s.margin);
    if (!tl_image_create(&s.image, width, height)) {
        return false;
    }
    paint_paper(&s.image);
    *sheet = s;
    return true;
}

void tl_sheet_destroy(TlSheet *sheet) {
    tl_image_destroy(&sheet->image);
    memset(sheet, 0, sizeof *sheet);
}

/* Upper left corner of a cell. */
static void cell_corner(const TlSheet *sheet, int index, int *x, int *y) {
    *x = sheet->margin + index % sheet->columns * (sheet->cell_width + sheet->margin);
    *y = sheet->margin +
         index / sheet->columns * (sheet->cell_height + sheet->label_height + sheet->margin);
}

TlImage tl_sheet_cell(const TlSheet *sheet, int index) {
    TlImage none = {0};
    int x, y;
    if (index < 0 || index >= sheet->frame_count) {
        return none;
    }
    cell_corner(sheet, index, &x, &y);
    return tl_image_view(&sheet->image, x, y, sheet->cell_width, sheet->cell_height);
}

bool tl_sheet_add(TlSheet *sheet, const TlRenderScene *scene, const TlCamera *camera,
                  const char *label) {
    static const unsigned char ink[3] = {0x5A, 0x5E, 0x66};
    TlImage cell = tl_sheet_cell(sheet, sheet->next);
    if (cell.rgb == NULL || !tl_render(scene, camera, &cell)) {
        return false;
    }
    if (label != NULL) {
        int x, y;
        cell_corner(sheet, sheet->next, &x, &y);
        TlImage strip = tl_image_view(&sheet->image, x, y + sheet->cell_height, sheet->cell_width,
                                      sheet->label_height);
        int scale = sheet->text_scale;
        while (scale > 1 && tl_text_width(label, scale) > sheet->cell_width)
            scale--;
        int left = (sheet->cell_width - tl_text_width(label, scale)) / 2;
        tl_text_draw(&strip, left > 0 ? left : 0, 4 * sheet->text_scale, scale, ink, label);
    }
    sheet->next++;
    return true;
}
