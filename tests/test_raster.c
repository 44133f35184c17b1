/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The preview renderer: what covers which pixel, equal bytes for equal input, odd scenes, the
 * layout of contact sheets, and pictures on disk. */
#include "../plugin/cli/font.h"
#include "../plugin/cli/raster.h"
#include "../plugin/cli/shapes.h"
#include "../plugin/cli/sheet.h"

#include <check.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 60 /* pixels of the square test pictures */

/* An eye on +Z at distance 4 with a square view: the plane z = 0 shows x and y from -1 to 1. */
static TlCamera front_camera(void) {
    TlCamera camera = {
        .radius_m = 1.0,
        .eye = {0.0, 0.0, 4.0},
        .right = {1.0, 0.0, 0.0},
        .up = {0.0, 1.0, 0.0},
        .back = {0.0, 0.0, 1.0},
        .half_width = 0.25,
        .half_height = 0.25,
    };
    return camera;
}

static const int32_t one_triangle[1] = {3};
static const int32_t first_corners[4] = {0, 1, 2, 3};

static TlRenderMesh triangle_mesh(const float *x, float red, float green, float blue) {
    TlRenderMesh mesh = {
        .x = x,
        .vertex_count = 3,
        .face_counts = one_triangle,
        .face_count = 1,
        .corners = first_corners,
        .corner_count = 3,
        .colour = {red, green, blue},
    };
    return mesh;
}

/* Renders meshes without a floor into a new square image. */
static TlImage render(const TlRenderMesh *meshes, int32_t count) {
    TlRenderScene scene = {.meshes = meshes, .mesh_count = count};
    TlCamera camera = front_camera();
    TlImage image;
    ck_assert(tl_image_create(&image, SIDE, SIDE));
    ck_assert(tl_render(&scene, &camera, &image));
    return image;
}

static const unsigned char *pixel(const TlImage *image, int x, int y) {
    return image->rgb + (size_t)y * image->stride + (size_t)x * 3;
}

/* The backdrop is nearly grey; the meshes of these tests are not. */
static bool is_red(const TlImage *image, int x, int y) {
    const unsigned char *p = pixel(image, x, y);
    return p[0] > p[1] + 40 && p[0] > p[2] + 40;
}

static bool is_green(const TlImage *image, int x, int y) {
    const unsigned char *p = pixel(image, x, y);
    return p[1] > p[0] + 40 && p[1] > p[2] + 40;
}

static int count_red(const TlImage *image) {
    int count = 0;
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            count += is_red(image, x, y);
        }
    }
    return count;
}

static uint64_t hash_image(const TlImage *image) {
    uint64_t hash = 14695981039346656037u;
    for (int y = 0; y < image->height; y++) {
        const unsigned char *row = image->rgb + (size_t)y * image->stride;
        for (int x = 0; x < 3 * image->width; x++) {
            hash = (hash ^ row[x]) * 1099511628211u;
        }
    }
    return hash;
}

/* ---- coverage ---- */

START_TEST(raster_triangle_covers_its_pixels) {
    /* legs of length 1 around the centre: the half of a square of 30 x 30 pixels */
    const float x[9] = {-0.5f, -0.5f, 0.0f, 0.5f, -0.5f, 0.0f, -0.5f, 0.5f, 0.0f};
    TlRenderMesh mesh = triangle_mesh(x, 0.9f, 0.05f, 0.05f);
    TlImage image = render(&mesh, 1);
    ck_assert(is_red(&image, 16, 43));
    ck_assert(is_red(&image, 41, 44));
    ck_assert(is_red(&image, 16, 18));
    ck_assert(!is_red(&image, 13, 40));
    ck_assert(!is_red(&image, 20, 46));
    ck_assert(!is_red(&image, 32, 26));
    ck_assert(!is_red(&image, 44, 15));
    /* 450 pixels; those cut by the long side may count or not */
    ck_assert_int_ge(count_red(&image), 450 - 32);
    ck_assert_int_le(count_red(&image), 450 + 32);
    tl_image_destroy(&image);
}
END_TEST

START_TEST(raster_back_face_is_drawn_in_another_tone) {
    const float front[9] = {-0.5f, -0.5f, 0.0f, 0.5f, -0.5f, 0.0f, 0.0f, 0.5f, 0.0f};
    const float back[9] = {-0.5f, -0.5f, 0.0f, 0.0f, 0.5f, 0.0f, 0.5f, -0.5f, 0.0f};
    TlRenderMesh mesh = triangle_mesh(front, 0.9f, 0.05f, 0.05f);
    TlImage a = render(&mesh, 1);
    mesh.x = back;
    TlImage b = render(&mesh, 1);
    ck_assert(is_red(&a, 30, 32) && is_red(&b, 30, 32));
    ck_assert_int_gt(pixel(&a, 30, 32)[0], pixel(&b, 30, 32)[0]);
    tl_image_destroy(&a);
    tl_image_destroy(&b);
}
END_TEST

START_TEST(raster_nearer_wins_in_any_order) {
    const float far_x[9] = {-0.5f, -0.5f, -0.3f, 0.5f, -0.5f, -0.3f, 0.0f, 0.5f, -0.3f};
    const float near_x[9] = {-0.3f, -0.4f, 0.3f, 0.3f, -0.4f, 0.3f, 0.0f, 0.2f, 0.3f};
    TlRenderMesh far_mesh = triangle_mesh(far_x, 0.05f, 0.8f, 0.05f);
    TlRenderMesh near_mesh = triangle_mesh(near_x, 0.9f, 0.05f, 0.05f);
    TlRenderMesh order[2][2] = {{far_mesh, near_mesh}, {near_mesh, far_mesh}};
    for (int k = 0; k < 2; k++) {
        TlImage image = render(order[k], 2);
        ck_assert(is_red(&image, 30, 36));
        ck_assert(is_green(&image, 30, 18));
        tl_image_destroy(&image);
    }
}
END_TEST

START_TEST(raster_shared_edges_leave_no_gap) {
    /* a fan of thin triangles covers a disc without holes */
    enum { PARTS = 97 };
    float x[3 * (PARTS + 1)] = {0.0f, 0.0f, 0.0f};
    int32_t counts[PARTS], corners[3 * PARTS];
    for (int i = 0; i < PARTS; i++) {
        x[3 * i + 3] = (float)(0.8 * tl_sine_deg(i * 360.0 / PARTS + 90.0));
        x[3 * i + 4] = (float)(0.8 * tl_sine_deg(i * 360.0 / PARTS));
        x[3 * i + 5] = 0.0f;
        counts[i] = 3;
        corners[3 * i] = 0;
        corners[3 * i + 1] = i + 1;
        corners[3 * i + 2] = (i + 1) % PARTS + 1;
    }
    TlRenderMesh mesh = triangle_mesh(x, 0.9f, 0.05f, 0.05f);
    mesh.vertex_count = PARTS + 1;
    mesh.face_counts = counts;
    mesh.face_count = PARTS;
    mesh.corners = corners;
    mesh.corner_count = 3 * PARTS;
    TlImage image = render(&mesh, 1);
    const unsigned char *centre = pixel(&image, 30, 30);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int px = i % SIDE, py = i / SIDE, dx = px - 30, dy = py - 30;
        if (dx * dx + dy * dy < 22 * 22) {
            ck_assert(is_red(&image, px, py));
            ck_assert_int_le(abs(pixel(&image, px, py)[1] - centre[1]), 12);
        }
    }
    tl_image_destroy(&image);
}
END_TEST

START_TEST(raster_cuts_what_is_outside) {
    const float wide[9] = {-90.0f, -50.0f, 0.0f, 90.0f, -50.0f, 0.0f, 0.0f, 90.0f, 0.0f};
    const float beside[9] = {2.0f, -0.5f, 0.0f, 3.0f, -0.5f, 0.0f, 2.0f, 0.5f, 0.0f};
    const float behind[9] = {-0.5f, -0.5f, 5.0f, 0.5f, -0.5f, 5.0f, 0.0f, 0.5f, 5.0f};
    const float through[9] = {-0.5f, -0.4f, 0.0f, 0.5f, -0.4f, 0.0f, 0.0f, -0.4f, 9.0f};
    TlRenderMesh mesh = triangle_mesh(wide, 0.9f, 0.05f, 0.05f);
    TlImage image = render(&mesh, 1);
    ck_assert_int_eq(count_red(&image), SIDE * SIDE);
    tl_image_destroy(&image);
    const float *unseen[2] = {beside, behind};
    for (int k = 0; k < 2; k++) {
        mesh.x = unseen[k];
        image = render(&mesh, 1);
        ck_assert_int_eq(count_red(&image), 0);
        tl_image_destroy(&image);
    }
    /* passes beside the eye: the part in front of it is seen, in the lower half only */
    mesh.x = through;
    image = render(&mesh, 1);
    ck_assert(is_red(&image, 30, 50));
    ck_assert(!is_red(&image, 30, 25));
    tl_image_destroy(&image);
}
END_TEST

/* Where a point shows in a picture of SIDE x SIDE pixels. */
static void find_pixel(const TlCamera *c, const double p[3], int *px, int *py) {
    double x = 0.0, y = 0.0, w = 0.0;
    for (int i = 0; i < 3; i++) {
        double d = (p[i] - c->centre[i]) / c->radius_m - c->eye[i];
        x += d * c->right[i];
        y += d * c->up[i];
        w -= d * c->back[i];
    }
    *px = (int)((0.5 + 0.5 * x / w / c->half_width) * SIDE);
    *py = (int)((0.5 - 0.5 * y / w / c->half_height) * SIDE);
}

START_TEST(raster_shadow_darkens_what_lies_below) {
    const float floor_x[12] = {-1.0f, -0.5f, -1.0f, -1.0f, -0.5f, 1.0f,
                               1.0f,  -0.5f, 1.0f,  1.0f,  -0.5f, -1.0f};
    static const int32_t quad[1] = {4};
    TlRenderMesh meshes[2];
    meshes[0] = triangle_mesh(floor_x, 0.8f, 0.8f, 0.8f);
    meshes[0].vertex_count = 4;
    meshes[0].face_counts = quad;
    meshes[0].corner_count = 4;
    TlShape ball;
    const double centre[3] = {0.0, 0.1, 0.0};
    ck_assert(tl_shape_sphere(&ball, centre, 0.3));
    meshes[1] = tl_shape_mesh(&ball, 0.5f, 0.5f, 0.5f);
    TlBounds bounds = tl_bounds_empty();
    tl_bounds_add(&bounds, floor_x, 4);
    TlCamera camera = tl_camera_fit(&bounds, 1.0, 0.0, 40.0);
    /* the key light comes from the left, above and in front: its shadow falls right and behind */
    int level[2], px, py;
    find_pixel(&camera, (const double[3]){0.37, -0.5, -0.25}, &px, &py);
    for (int k = 0; k < 2; k++) {
        TlRenderScene scene = {.meshes = meshes, .mesh_count = k + 1};
        TlImage image;
        ck_assert(tl_image_create(&image, SIDE, SIDE));
        ck_assert(tl_render(&scene, &camera, &image));
        level[k] = pixel(&image, px, py)[1];
        tl_image_destroy(&image);
    }
    ck_assert_int_lt(level[1], level[0] - 40);
    tl_shape_destroy(&ball);
}
END_TEST

/* ---- odd scenes ---- */

START_TEST(raster_skips_faces_it_cannot_draw) {
    float x[12] = {-0.9f, -0.9f, 0.0f, -0.1f, -0.9f, 0.0f, -0.9f, 0.5f, 0.0f, 0.5f, 0.5f, 0.0f};
    const int32_t counts[5] = {3, 3, 2, 0, 3};
    const int32_t corners[11] = {1, 3, 2, 0, 1, 7, 0, 1, 0, 1, 2};
    TlRenderMesh mesh = triangle_mesh(x, 0.9f, 0.05f, 0.05f);
    mesh.vertex_count = 4;
    mesh.face_counts = counts;
    mesh.face_count = 5;
    mesh.corners = corners;
    mesh.corner_count = 11;
    const float bad[3] = {NAN, INFINITY, 1e30f};
    for (int k = 0; k < 3; k++) {
        x[9] = bad[k];
        TlImage image = render(&mesh, 1);
        ck_assert(is_red(&image, 8, 50));
        ck_assert(!is_red(&image, 35, 25));
        tl_image_destroy(&image);
    }
}
END_TEST

START_TEST(raster_empty_scenes_show_the_backdrop) {
    const float same[9] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    TlRenderMesh empty = {.x = NULL};
    TlRenderMesh point = triangle_mesh(same, 0.9f, 0.05f, 0.05f);
    TlImage none = render(NULL, 0), no_face = render(&empty, 1), no_size = render(&point, 1);
    ck_assert_uint_eq(hash_image(&none), hash_image(&no_face));
    ck_assert_uint_eq(hash_image(&none), hash_image(&no_size));
    tl_image_destroy(&none);
    tl_image_destroy(&no_face);
    tl_image_destroy(&no_size);
}
END_TEST

START_TEST(raster_refuses_what_it_cannot_use) {
    TlRenderScene scene = {0};
    TlCamera camera = front_camera();
    TlImage image;
    ck_assert(!tl_image_create(&image, 0, 5));
    ck_assert_ptr_null(image.rgb);
    ck_assert(!tl_render(&scene, &camera, &image));
    ck_assert(!tl_image_create(&image, 5, TL_IMAGE_MAX + 1));
    ck_assert(tl_image_create(&image, 4, 3));
    camera.radius_m = 0.0;
    ck_assert(!tl_render(&scene, &camera, &image));
    ck_assert_ptr_null(tl_image_view(&image, 4, 0, 1, 1).rgb);
    ck_assert_int_eq(tl_image_view(&image, 3, 1, 9, 9).height, 2);
    tl_image_destroy(&image);
}
END_TEST

/* Fills a wavy grid of 12 x 12 quads, scaled and moved. */
enum { GRID = 12, GRID_POINTS = (GRID + 1) * (GRID + 1) };
typedef struct Grid {
    float x[3 * GRID_POINTS];
    int32_t counts[GRID * GRID], corners[4 * GRID * GRID];
} Grid;

static TlRenderMesh wavy_grid(Grid *grid, double size, double offset) {
    for (int i = 0; i < GRID_POINTS; i++) {
        double u = i % (GRID + 1) / (double)GRID, v = i / (GRID + 1) / (double)GRID;
        grid->x[3 * i] = (float)(offset + size * u);
        grid->x[3 * i + 1] = (float)(offset + size * 0.2 * tl_sine_deg(400.0 * u) * v);
        grid->x[3 * i + 2] = (float)(offset - size * v);
    }
    for (int32_t i = 0; i < GRID * GRID; i++) {
        int32_t first = i / GRID * (GRID + 1) + i % GRID;
        const int32_t quad[4] = {first, first + 1, first + GRID + 2, first + GRID + 1};
        grid->counts[i] = 4;
        memcpy(grid->corners + 4 * i, quad, sizeof quad);
    }
    TlRenderMesh mesh = triangle_mesh(grid->x, 0.9f, 0.1f, 0.1f);
    mesh.vertex_count = GRID_POINTS;
    mesh.face_counts = grid->counts;
    mesh.face_count = GRID * GRID;
    mesh.corners = grid->corners;
    mesh.corner_count = 4 * GRID * GRID;
    return mesh;
}

/* Red pixels of the grid seen by a fitted camera, and the hash of the picture. */
static int render_grid(double size, double offset, uint64_t *hash) {
    Grid grid;
    TlRenderMesh mesh = wavy_grid(&grid, size, offset);
    TlRenderScene scene = {&mesh, 1, true, offset - 0.3 * size};
    TlBounds bounds = tl_bounds_empty();
    tl_bounds_add(&bounds, grid.x, GRID_POINTS);
    TlCamera camera = tl_camera_fit(&bounds, 4.0 / 3.0, 30.0, 20.0);
    TlImage image;
    ck_assert(tl_image_create(&image, 80, 60));
    ck_assert(tl_render(&scene, &camera, &image));
    int count = count_red(&image);
    *hash = hash_image(&image);
    tl_image_destroy(&image);
    return count;
}

START_TEST(raster_scale_and_place_do_not_matter) {
    uint64_t hash;
    int usual = render_grid(1.0, 0.0, &hash);
    ck_assert_int_gt(usual, 400);
    /* coordinates are floats, so a few border pixels may change */
    ck_assert_int_le(abs(render_grid(1e-6, 0.0, &hash) - usual), 4);
    ck_assert_int_le(abs(render_grid(1e9, 0.0, &hash) - usual), 4);
    ck_assert_int_le(abs(render_grid(1.0, 1000.0, &hash) - usual), 8);
}
END_TEST

START_TEST(raster_same_input_gives_same_bytes) {
    uint64_t first, second;
    render_grid(1.0, 0.0, &first);
    render_grid(1.0, 0.0, &second);
    ck_assert_uint_eq(first, second);
}
END_TEST

/* ---- camera and shapes ---- */

START_TEST(sine_is_accurate) {
    const double pi = 3.14159265358979323846, tolerance = 4e-15;
    for (int i = -800; i <= 800; i++) {
        double a = i * 0.9;
        ck_assert_double_le(fabs(tl_sine_deg(a) - sin(a * pi / 180.0)), tolerance);
    }
    ck_assert_double_eq(tl_sine_deg(90.0), 1.0);
    ck_assert_double_eq(tl_sine_deg(180.0), 0.0);
    ck_assert_double_eq(tl_sine_deg(-90.0), -1.0);
    ck_assert_double_eq(tl_sine_deg(3600090.0), 1.0);
}
END_TEST

START_TEST(camera_fit_frames_the_box) {
    TlBounds bounds = {{-1.0, 0.0, -3.0}, {2.0, 1.0, 4.0}};
    for (int k = 0; k < 24; k++) {
        TlCamera c = tl_camera_fit(&bounds, 1.6, k * 37.0, k * 8.0 - 90.0);
        double most = 0.0;
        for (int corner = 0; corner < 8; corner++) {
            double d[3], x = 0.0, y = 0.0, w = 0.0;
            for (int i = 0; i < 3; i++) {
                double p = corner >> i & 1 ? bounds.high[i] : bounds.low[i];
                d[i] = (p - c.centre[i]) / c.radius_m - c.eye[i];
                x += d[i] * c.right[i];
                y += d[i] * c.up[i];
                w -= d[i] * c.back[i];
            }
            ck_assert_double_gt(w, 0.0);
            double reach_x = fabs(x) / w / c.half_width, reach_y = fabs(y) / w / c.half_height;
            most = reach_x > most ? reach_x : most;
            most = reach_y > most ? reach_y : most;
        }
        /* inside the picture, and as large as the room around it allows */
        ck_assert_double_lt(most, 0.95);
        ck_assert_double_gt(most, 0.80);
    }
}
END_TEST

START_TEST(bounds_join_holds_both) {
    TlBounds near = {{5.0, 6.0, 7.0}, {8.0, 9.0, 10.0}}, far = {{-3.0, 7.0, 8.0}, {6.0, 8.0, 90.0}};
    TlBounds empty = tl_bounds_empty(), all = near;
    /* nothing to add, and nothing to start from: boxes away from the origin show a wrong start */
    tl_bounds_join(&all, &empty);
    ck_assert_mem_eq(&all, &near, sizeof near);
    tl_bounds_join(&empty, &near);
    ck_assert_mem_eq(&empty, &near, sizeof near);
    tl_bounds_join(&all, &far);
    for (int k = 0; k < 3; k++) {
        const double low[3] = {-3.0, 6.0, 7.0}, high[3] = {8.0, 9.0, 90.0};
        ck_assert_double_eq(all.low[k], low[k]);
        ck_assert_double_eq(all.high[k], high[k]);
    }
}
END_TEST

START_TEST(camera_fit_survives_empty_bounds) {
    const float bad[3] = {NAN, 0.0f, 0.0f}, point[3] = {5.0f, 6.0f, 7.0f};
    TlBounds bounds = tl_bounds_empty();
    tl_bounds_add(&bounds, bad, 1);
    TlCamera camera = tl_camera_fit(&bounds, 1.0, 0.0, 0.0);
    ck_assert_double_gt(camera.radius_m, 0.0);
    tl_bounds_add(&bounds, point, 1);
    camera = tl_camera_fit(&bounds, 1.0, 0.0, 0.0);
    ck_assert_double_eq(camera.centre[2], 7.0);
    ck_assert_double_gt(camera.radius_m, 0.0);
    ck_assert_double_gt(camera.eye[2], 1.0);
}
END_TEST

/* Six times the volume that the faces of a shape enclose. */
static double six_volumes(const TlShape *shape) {
    double sum = 0.0;
    for (int32_t i = 0; i < shape->face_count; i++) {
        const int32_t *c = shape->corners + 4 * i;
        for (int k = 1; k < 3; k++) {
            const float *p = shape->x + 3 * c[0], *q = shape->x + 3 * c[k];
            const float *r = shape->x + 3 * c[k + 1];
            sum +=
                (double)(p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
                         p[2] * (q[0] * r[1] - q[1] * r[0]));
        }
    }
    return sum;
}

START_TEST(shapes_face_outwards) {
    const double centre[3] = {0.1, 0.2, 0.3}, normal[3] = {0.0, 0.0, -2.0};
    const double axes[3][3] = {{0.5, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 2.0}};
    TlShape shape;
    ck_assert(tl_shape_sphere(&shape, centre, 2.0));
    /* the inscribed polyhedron loses under one per cent */
    ck_assert_double_le(fabs(six_volumes(&shape) / 6.0 / 33.5103 - 1.0), 0.01);
    tl_shape_destroy(&shape);
    ck_assert(tl_shape_box(&shape, centre, axes));
    ck_assert_double_le(fabs(six_volumes(&shape) / 6.0 - 8.0), 1e-4);
    tl_shape_destroy(&shape);
    ck_assert(tl_shape_plane(&shape, centre, normal, 1.5));
    const float *p = shape.x, *q = shape.x + 3 * shape.corners[1],
                *r = shape.x + 3 * shape.corners[3];
    double facing = (double)((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
    ck_assert_double_lt(facing, 0.0);
    tl_shape_destroy(&shape);
    tl_shape_destroy(&shape);
}
END_TEST

/* ---- sheets and labels ---- */

START_TEST(sheet_layout_sizes) {
    TlSheet sheet;
    TlSheetDef def = {.frame_count = 6, .cell_width = 160, .cell_height = 120};
    ck_assert(tl_sheet_create(&sheet, &def));
    ck_assert_int_eq(sheet.columns, 3);
    ck_assert_int_eq(sheet.rows, 2);
    ck_assert_int_eq(sheet.image.width, 3 * 160 + 4 * sheet.margin);
    ck_assert_int_eq(sheet.image.height, 2 * (120 + sheet.label_height) + 3 * sheet.margin);
    TlImage last = tl_sheet_cell(&sheet, 5);
    ck_assert_int_eq(last.width, 160);
    ck_assert_int_eq(last.height, 120);
    ck_assert_ptr_null(tl_sheet_cell(&sheet, 6).rgb);
    ck_assert_ptr_null(tl_sheet_cell(&sheet, -1).rgb);
    tl_sheet_destroy(&sheet);
    def.columns = 40;
    ck_assert(tl_sheet_create(&sheet, &def));
    ck_assert_int_eq(sheet.rows, 1);
    tl_sheet_destroy(&sheet);
    def.frame_count = 1;
    ck_assert(tl_sheet_create(&sheet, &def));
    ck_assert_int_eq(sheet.columns, 1);
    tl_sheet_destroy(&sheet);
}
END_TEST

START_TEST(sheet_refuses_impossible_sizes) {
    TlSheet sheet;
    TlSheetDef def = {.frame_count = 0, .cell_width = 10, .cell_height = 10};
    ck_assert(!tl_sheet_create(&sheet, &def));
    def.frame_count = 1000;
    def.columns = 1;
    def.cell_height = 100;
    ck_assert(!tl_sheet_create(&sheet, &def));
    ck_assert_ptr_null(sheet.image.rgb);
    tl_sheet_destroy(&sheet);
}
END_TEST

START_TEST(sheet_draws_into_its_cell_only) {
    const float x[9] = {-90.0f, -50.0f, 0.0f, 90.0f, -50.0f, 0.0f, 0.0f, 90.0f, 0.0f};
    TlRenderMesh mesh = triangle_mesh(x, 0.9f, 0.05f, 0.05f);
    TlRenderScene scene = {.meshes = &mesh, .mesh_count = 1};
    TlCamera camera = front_camera();
    TlSheet sheet;
    TlSheetDef def = {.frame_count = 2, .columns = 2, .cell_width = 60, .cell_height = 40};
    ck_assert(tl_sheet_create(&sheet, &def));
    ck_assert(tl_sheet_add(&sheet, &scene, &camera, "frame 24"));
    ck_assert_int_eq(count_red(&sheet.image), 60 * 40);
    ck_assert(tl_sheet_add(&sheet, &scene, &camera, NULL));
    ck_assert_int_eq(count_red(&sheet.image), 2 * 60 * 40);
    ck_assert(!tl_sheet_add(&sheet, &scene, &camera, NULL));
    /* the first label has ink, the second has none */
    int ink[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        int left = sheet.margin + k * (60 + sheet.margin), top = sheet.margin + 40;
        for (int i = 0; i < 60 * sheet.label_height; i++) {
            ink[k] += pixel(&sheet.image, left + i % 60, top + i / 60)[0] < 0x80;
        }
    }
    ck_assert_int_gt(ink[0], 60);
    ck_assert_int_eq(ink[1], 0);
    tl_sheet_destroy(&sheet);
}
END_TEST

START_TEST(text_is_cut_at_the_borders) {
    const unsigned char white[3] = {255, 255, 255};
    TlImage image;
    ck_assert(tl_image_create(&image, 8, 5));
    tl_text_draw(&image, -3, -2, 2, white, "Frame 09.5: a/b-c \x01");
    ck_assert_int_eq(tl_text_width("", 3), 0);
    ck_assert_int_eq(tl_text_width("ab", 2), 22);
    tl_image_destroy(&image);
}
END_TEST

/* ---- files ---- */

static TlImage coloured_image(void) {
    TlImage image;
    ck_assert(tl_image_create(&image, 37, 23));
    for (int i = 0; i < 37 * 23 * 3; i++) {
        image.rgb[i] = (unsigned char)(i * 7 + i / 37);
    }
    return image;
}

static bool exists(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

START_TEST(png_reads_back_equal) {
    const char *path = "test_raster_tmp.png";
    TlImage image = coloured_image();
    /* twice: the second replaces the first */
    ck_assert_int_eq(tl_png_write(&image, path, NULL), TOILE_STATUS_OK);
    ck_assert_int_eq(tl_png_write(&image, path, NULL), TOILE_STATUS_OK);
    ck_assert(!exists("test_raster_tmp.png.tmp"));
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    ck_assert(png_image_begin_read_from_file(&png, path) != 0);
    ck_assert_uint_eq(png.width, 37u);
    ck_assert_uint_eq(png.height, 23u);
    png.format = PNG_FORMAT_RGB;
    unsigned char read[37 * 23 * 3];
    ck_assert(png_image_finish_read(&png, NULL, read, 37 * 3, NULL) != 0);
    ck_assert_mem_eq(read, image.rgb, sizeof read);
    remove(path);
    tl_image_destroy(&image);
}
END_TEST

START_TEST(png_writes_a_view) {
    const char *path = "test_raster_view.png";
    TlImage image = coloured_image(), view = tl_image_view(&image, 5, 4, 10, 6);
    ck_assert_int_eq(tl_png_write(&view, path, NULL), TOILE_STATUS_OK);
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    ck_assert(png_image_begin_read_from_file(&png, path) != 0);
    png.format = PNG_FORMAT_RGB;
    unsigned char read[10 * 6 * 3];
    ck_assert(png_image_finish_read(&png, NULL, read, 0, NULL) != 0);
    for (int y = 0; y < 6; y++) {
        ck_assert_mem_eq(read + y * 30, pixel(&view, 0, y), 30);
    }
    remove(path);
    tl_image_destroy(&image);
}
END_TEST

START_TEST(png_failure_leaves_nothing) {
    TlImage image = coloured_image(), none = {0};
    ToileError error = {.struct_size = sizeof error};
    const char *path = "no_such_folder/sheet.png";
    ck_assert_int_eq(tl_png_write(&image, path, &error), TOILE_STATUS_CANNOT_CREATE);
    ck_assert_int_eq(error.status, TOILE_STATUS_CANNOT_CREATE);
    ck_assert_ptr_nonnull(strstr(error.message, path));
    ck_assert(!exists(path) && !exists("no_such_folder/sheet.png.tmp"));
    ck_assert_int_eq(tl_png_write(&none, "x.png", &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(tl_png_write(&image, "", &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert(!exists("x.png"));
    tl_image_destroy(&image);
}
END_TEST

START_TEST(srgb_curve_is_its_own_inverse) {
    const double tolerance = 1e-12;
    for (int i = 0; i <= 255; i++) {
        double light = tl_srgb_decode(i / 255.0);
        double exact =
            i / 255.0 <= 0.04045 ? i / 255.0 / 12.92 : pow((i / 255.0 + 0.055) / 1.055, 2.4);
        ck_assert_double_le(fabs(light - exact), tolerance);
    }
    /* the two pieces of the standard's curve meet to about 3e-8 only */
    for (int i = 11; i <= 255; i++) {
        ck_assert_double_le(fabs(tl_srgb_encode(tl_srgb_decode(i / 255.0)) - i / 255.0), tolerance);
    }
}
END_TEST

static Suite *raster_suite(void) {
    Suite *suite = suite_create("raster");
    TCase *cover = tcase_create("coverage"), *odd = tcase_create("odd scenes");
    TCase *view = tcase_create("camera and shapes"), *sheet = tcase_create("sheets");
    TCase *file = tcase_create("files");
    tcase_add_test(cover, raster_triangle_covers_its_pixels);
    tcase_add_test(cover, raster_back_face_is_drawn_in_another_tone);
    tcase_add_test(cover, raster_nearer_wins_in_any_order);
    tcase_add_test(cover, raster_shared_edges_leave_no_gap);
    tcase_add_test(cover, raster_cuts_what_is_outside);
    tcase_add_test(cover, raster_shadow_darkens_what_lies_below);
    tcase_add_test(odd, raster_skips_faces_it_cannot_draw);
    tcase_add_test(odd, raster_empty_scenes_show_the_backdrop);
    tcase_add_test(odd, raster_refuses_what_it_cannot_use);
    tcase_add_test(odd, raster_scale_and_place_do_not_matter);
    tcase_add_test(odd, raster_same_input_gives_same_bytes);
    tcase_add_test(view, sine_is_accurate);
    tcase_add_test(view, camera_fit_frames_the_box);
    tcase_add_test(view, bounds_join_holds_both);
    tcase_add_test(view, camera_fit_survives_empty_bounds);
    tcase_add_test(view, shapes_face_outwards);
    tcase_add_test(sheet, sheet_layout_sizes);
    tcase_add_test(sheet, sheet_refuses_impossible_sizes);
    tcase_add_test(sheet, sheet_draws_into_its_cell_only);
    tcase_add_test(sheet, text_is_cut_at_the_borders);
    tcase_add_test(file, png_reads_back_equal);
    tcase_add_test(file, png_writes_a_view);
    tcase_add_test(file, png_failure_leaves_nothing);
    tcase_add_test(file, srgb_curve_is_its_own_inverse);
    suite_add_tcase(suite, cover);
    suite_add_tcase(suite, odd);
    suite_add_tcase(suite, view);
    suite_add_tcase(suite, sheet);
    suite_add_tcase(suite, file);
    return suite;
}

int main(void) {
    SRunner *runner = srunner_create(raster_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
