/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The scenes: what stands where, what moves how, and what must stay on which side. Frames are
 * 1/24 s; thickness, friction and fabric are the defaults unless a scene says otherwise. */
#include "support/contact_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define FPS 24.0

/* nearly up: misses vertices and edges of grids */
static const double up[3] = {0.00731, 1.0, 0.00419};

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* ---- sheets ---- */

/* A rectangle: the middle, and the edge vectors. */
typedef struct Sheet {
    double middle[3], along_u[3], along_v[3];
} Sheet;

static void place_sheet(const void *user, double u, double v, double x[3]) {
    const Sheet *sheet = user;
    for (int i = 0; i < 3; i++) {
        x[i] = sheet->middle[i] + (u - 0.5) * sheet->along_u[i] + (v - 0.5) * sheet->along_v[i];
    }
}

static Sheet level_sheet(double size, double height) {
    return (Sheet){{0, height, 0}, {size, 0, 0}, {0, 0, -size}};
}

/* Hangs in the plane z = 0, its first row on top. */
static Sheet hanging_sheet(double width, double height, double top) {
    return (Sheet){{0, top - 0.5 * height, 0}, {width, 0, 0}, {0, -height, 0}};
}

static ContactCloth *add_sheet(ContactScene *scene, Sheet sheet, int32_t cells, ContactFaces faces,
                               const int32_t *pins, int32_t pin_count) {
    ContactMesh mesh = contact_grid(cells, cells, faces, place_sheet, &sheet);
    return contact_add_cloth(scene, mesh, NULL, NULL, pins, pin_count);
}

/* Vertices first, first + step ... of a row. */
static void fill_pins(int32_t *pins, int32_t count, int32_t first, int32_t step) {
    for (int32_t i = 0; i < count; i++) {
        pins[i] = first + i * step;
    }
}

static void add_floor(ContactScene *scene, double height) {
    ToileColliderDef def = toile_collider_def_default();
    def.shape = TOILE_COLLIDER_PLANE;
    def.center_m[1] = height;
    contact_add_collider(scene, &def, NULL);
}

static void add_rough_ball(ContactScene *scene, const double center[3], double radius,
                           double friction) {
    ToileColliderDef def = toile_collider_def_default();
    def.friction = friction;
    ContactMesh ball = contact_ball(20, 12, center, radius);
    contact_add_collider(scene, &def, &ball);
}

static void add_ball_mesh(ContactScene *scene, double x, double y, double z, double radius) {
    const double center[3] = {x, y, z};
    add_rough_ball(scene, center, radius, -1.0);
}

static int32_t is_uncovered(const ContactScene *scene, const double from[3]) {
    return contact_hits(scene, 0, from, up) % 2 == 0;
}

/* ---- drapes ---- */

static void add_sphere(ContactScene *scene, double radius) {
    ToileColliderDef def = toile_collider_def_default();
    def.radius_m = radius;
    contact_add_collider(scene, &def, NULL);
}

static void build_drape(ContactScene *scene) {
    add_sheet(scene, level_sheet(1.0, 0.28), 28 * scene->options.fineness, CONTACT_QUADS, NULL, 0);
    add_sphere(scene, 0.25);
}

static void build_drape_mesh(ContactScene *scene) {
    add_sheet(scene, level_sheet(1.0, 0.28), 28 * scene->options.fineness, CONTACT_QUADS, NULL, 0);
    add_ball_mesh(scene, 0.01, 0.0, 0.02, 0.25);
}

/* Turned, off the middle and slightly wavy: nothing about it is symmetric. */
static void place_askew(const void *user, double u, double v, double x[3]) {
    (void)user;
    double a = u - 0.5, b = v - 0.5;
    x[0] = cos(0.13) * a - sin(0.13) * b + 0.02;
    x[1] = 0.255 + 2e-4 * sin(9.0 * a + 0.3) * sin(7.0 * b);
    x[2] = -(sin(0.13) * a + cos(0.13) * b);
}

static void build_drape_askew(ContactScene *scene) {
    int32_t cells = 28 * scene->options.fineness;
    ContactMesh mesh = contact_grid(cells, cells, CONTACT_QUADS, place_askew, NULL);
    contact_add_cloth(scene, mesh, NULL, NULL, NULL, 0);
    add_sphere(scene, 0.25);
}

/* Felt bends without buckling, so that its motion does not depend on the last bits. */
static void build_drape_felt(ContactScene *scene) {
    int32_t cells = 16 * scene->options.fineness;
    ToileFabric felt = toile_fabric_default();
    felt.bend_weft_N_m = felt.bend_warp_N_m = 0.02;
    felt.bend_damping_N_m_s = 1e-3;
    felt.stretch_damping_s = 0.01;
    felt.stretch_shear_N_per_m = 400;
    ContactMesh mesh = contact_grid(cells, cells, CONTACT_QUADS, place_askew, NULL);
    for (int32_t i = 0; i < 3 * mesh.vertex_count; i++) {
        mesh.positions[i] *= i % 3 == 1 ? 1.0 : 0.5;
    }
    contact_add_cloth(scene, mesh, &felt, NULL, NULL, 0);
    add_sphere(scene, 0.25);
}

static void build_drape_triangles(ContactScene *scene) {
    add_sheet(scene, level_sheet(1.0, 0.28), 24 * scene->options.fineness, CONTACT_TRIANGLES, NULL,
              0);
    add_ball_mesh(scene, 0.01, 0.0, 0.02, 0.25);
}

static void build_drape_mixed(ContactScene *scene) {
    add_sheet(scene, level_sheet(1.0, 0.28), 24 * scene->options.fineness, CONTACT_MIXED, NULL, 0);
    add_sphere(scene, 0.25);
}

/* cells of 0.2 m on a ball of 0.1 m across, which touches between vertices */
static void build_coarse(ContactScene *scene) {
    Sheet sheet = level_sheet(1.0, 0.08);
    sheet.middle[0] = 0.011;
    sheet.middle[2] = 0.007;
    add_sheet(scene, sheet, 5, CONTACT_QUADS, NULL, 0);
    add_sphere(scene, 0.05);
}

static void build_coarse_mesh(ContactScene *scene) {
    Sheet sheet = level_sheet(1.0, 0.08);
    sheet.middle[0] = 0.011;
    sheet.middle[2] = 0.007;
    add_sheet(scene, sheet, 5, CONTACT_QUADS, NULL, 0);
    add_ball_mesh(scene, 0.0, 0.0, 0.0, 0.05);
}

static void build_box(ContactScene *scene) {
    ToileColliderDef def = toile_collider_def_default();
    add_sheet(scene, level_sheet(1.0, 0.28), 24 * scene->options.fineness, CONTACT_QUADS, NULL, 0);
    def.shape = TOILE_COLLIDER_BOX;
    def.half_m[0] = 0.2;
    def.half_m[1] = 0.25;
    def.half_m[2] = 0.13;
    contact_add_collider(scene, &def, NULL);
}

static void build_capsule(ContactScene *scene) {
    ToileColliderDef def = toile_collider_def_default();
    add_sheet(scene, level_sheet(1.0, 0.14), 24 * scene->options.fineness, CONTACT_QUADS, NULL, 0);
    def.shape = TOILE_COLLIDER_CAPSULE;
    def.radius_m = 0.1;
    def.center_m[0] = -0.3;
    def.end_m[0] = 0.3;
    def.end_m[1] = 0.0;
    contact_add_collider(scene, &def, NULL);
}

static int32_t astray_from_middle(const ContactScene *scene) {
    const double middle[3] = {0, 0, 0};
    return is_uncovered(scene, middle);
}

/* a turn and a half a second about a leaning axis */
static void build_rotating(ContactScene *scene) {
    static const double origin[3] = {0, 0, 0};
    add_sheet(scene, level_sheet(0.9, 0.24), 24 * scene->options.fineness, CONTACT_QUADS, NULL, 0);
    add_rough_ball(scene, origin, 0.22, 0.8);
}

static void animate_rotating(ContactScene *scene, int32_t frame) {
    /* up to full speed within half a second */
    double t = frame / FPS, angle = 3.0 * PI * (t < 0.5 ? t * t : t - 0.25);
    double turned = fmod(angle, 2.0 * PI);
    ToilePose pose = {{0, 0, 0}, {0.28 * turned, 0.96 * turned, 0}};
    contact_move(scene, 0, &pose);
}

/* ---- falls and stacks ---- */

/* a sheet on its edge, leaning, collapses into folds */
static void add_fall(ContactScene *scene, int32_t cells) {
    Sheet sheet = {{0, 0.36, 0}, {0.6, 0, 0.02}, {0.03, 0.68, 0.02}};
    add_sheet(scene, sheet, cells, CONTACT_QUADS, NULL, 0);
    add_floor(scene, 0.0);
}

static void build_fall(ContactScene *scene) {
    add_fall(scene, 24 * scene->options.fineness);
}

static void build_large_fall(ContactScene *scene) {
    add_fall(scene, 200);
}

static int32_t astray_below_floor(const ContactScene *scene) {
    int32_t count = 0;
    for (int32_t c = 0; c < scene->cloth_count; c++) {
        for (int32_t v = 0; v < scene->cloths[c].mesh.vertex_count; v++) {
            count += !(scene->cloths[c].x[3 * v + 1] > 0.0);
        }
    }
    return count;
}

static void add_layers(ContactScene *scene, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        double angle = 0.05 * k, c = 0.2 * cos(angle), s = 0.2 * sin(angle);
        Sheet sheet = {{0, 0.002 + 0.0016 * k, 0}, {c, 0, -s}, {-s, 0, -c}};
        add_sheet(scene, sheet, 10, CONTACT_QUADS, NULL, 0);
    }
}

static void build_stack(ContactScene *scene) {
    add_layers(scene, scene->options.fineness > 1 ? 50 : 12);
    add_floor(scene, 0.0);
}

static void build_bounce(ContactScene *scene) {
    ToileColliderDef def = toile_collider_def_default();
    add_layers(scene, scene->options.fineness > 1 ? 12 : 6);
    def.shape = TOILE_COLLIDER_BOX;
    def.half_m[0] = def.half_m[2] = 0.5;
    def.half_m[1] = 0.05;
    def.center_m[1] = -0.05;
    contact_add_collider(scene, &def, NULL);
}

/* up and down by 5 cm, three times a second: up to 18 m/s^2 */
static double bounce_top(int32_t frame) {
    return 0.05 * (1.0 - cos(6.0 * PI * frame / FPS));
}

static void animate_bounce(ContactScene *scene, int32_t frame) {
    ToilePose pose = {{0, bounce_top(frame), 0}, {0, 0, 0}};
    contact_move(scene, 0, &pose);
}

/* Vertices in or below the box; the sheets tumble over it. */
static int32_t astray_below_box(const ContactScene *scene) {
    int32_t count = 0;
    for (int32_t c = 0; c < scene->cloth_count; c++) {
        const ContactCloth *cloth = &scene->cloths[c];
        for (int32_t i = 0; i < cloth->mesh.vertex_count; i++) {
            const double *x = cloth->x + 3 * i;
            bool over = fabs(x[0]) < 0.5 && fabs(x[2]) < 0.5;
            count += over && x[1] < bounce_top(scene->frame);
        }
    }
    return count;
}

/* Every layer lies over the middle of the ground. */
static int32_t astray_layers(const ContactScene *scene) {
    const double middle[3] = {0, -0.01, 0};
    int32_t count = 0;
    for (int32_t c = 0; c < scene->cloth_count; c++) {
        count += contact_hits(scene, c, middle, up) % 2 == 0;
    }
    return count;
}

/* Two sheets of different weight that begin pressed to a third of their length, and burst into
 * folds while they fall. */
static void place_crumpled(const void *user, double u, double v, double x[3]) {
    const int32_t *layer = user;
    x[0] = 0.33 * u;
    x[1] = 0.02 * *layer + 0.004 * sin(35.0 * u + 1.5 * v) + 0.002 * sin(10.0 * v);
    x[2] = -0.5 * v;
}

static void place_ironed(const void *user, double u, double v, double x[3]) {
    (void)user;
    x[0] = u;
    x[1] = 0.0;
    x[2] = -0.5 * v;
}

static void build_crumpled(ContactScene *scene) {
    int32_t nx = 40 * scene->options.fineness, ny = 20 * scene->options.fineness;
    ContactMesh rest = contact_grid(nx, ny, CONTACT_QUADS, place_ironed, NULL);
    for (int32_t layer = 0; layer < 2; layer++) {
        ToileFabric fabric = toile_fabric_default();
        fabric.density_kg_per_m2 *= layer == 0 ? 1.0 : 3.0;
        ContactMesh mesh = contact_grid(nx, ny, CONTACT_QUADS, place_crumpled, &layer);
        contact_add_cloth(scene, mesh, &fabric, rest.positions, NULL, 0);
    }
    contact_mesh_free(&rest);
}

/* a sheet slides down a mesh of two triangles, 25 degrees */
static void build_incline(ContactScene *scene) {
    double c = cos(25.0 * PI / 180.0), s = sin(25.0 * PI / 180.0), off = 0.002;
    ToileColliderDef def = toile_collider_def_default();
    Sheet slope = {{0, 0, 0}, {4.0 * c, -4.0 * s, 0}, {0, 0, -4.0}};
    Sheet sheet = {{-s * off - c, c * off + s, 0}, {0.4 * c, -0.4 * s, 0}, {0, 0, -0.4}};
    ContactMesh mesh = contact_grid(1, 1, CONTACT_QUADS, place_sheet, &slope);
    add_sheet(scene, sheet, 16 * scene->options.fineness, CONTACT_QUADS, NULL, 0);
    contact_add_collider(scene, &def, &mesh);
}

static int32_t astray_below_incline(const ContactScene *scene) {
    double c = cos(25.0 * PI / 180.0), s = sin(25.0 * PI / 180.0);
    int32_t count = 0;
    for (int32_t v = 0; v < scene->cloths[0].mesh.vertex_count; v++) {
        const double *x = scene->cloths[0].x + 3 * v;
        count += !(c * x[1] + s * x[0] > 0.0);
    }
    return count;
}

/* cloths of all meshes, leaning all ways, fall onto a floor one after the other */
static void build_heap(ContactScene *scene) {
    int32_t count = scene->options.fineness > 1 ? 8 : 5;
    for (int32_t k = 0; k < count; k++) {
        double a = 1.3 * k, lean = 0.25 + 0.1 * (k % 3), c = cos(a), s = sin(a);
        Sheet sheet = {{0.02 * c, 0.1 + 0.15 * k, 0.02 * s},
                       {0.35 * c, 0.35 * lean, 0.35 * s},
                       {0.35 * s, 0.05, -0.35 * c}};
        add_sheet(scene, sheet, 14 * scene->options.fineness, (ContactFaces)(k % 3), NULL, 0);
    }
    add_floor(scene, 0.0);
}

/* ---- fast colliders ---- */

#define BALL_RADIUS 0.12
#define BALL_FROM (-1.25)
#define BALL_TO 0.25

static void build_ball(ContactScene *scene) {
    int32_t cells = 20 * scene->options.fineness, pins[2] = {0, cells};
    add_sheet(scene, hanging_sheet(1.0, 1.0, 0.5), cells, CONTACT_QUADS, pins, 2);
    add_ball_mesh(scene, 0.013, 0.021, BALL_FROM, BALL_RADIUS);
}

/* the same by shapes that are not meshes */
static void add_fast(ContactScene *scene, ToileColliderDef *def) {
    int32_t cells = 20 * scene->options.fineness, pins[2] = {0, cells};
    add_sheet(scene, hanging_sheet(1.0, 1.0, 0.5), cells, CONTACT_QUADS, pins, 2);
    def->center_m[0] = 0.013;
    def->center_m[1] = 0.021;
    def->center_m[2] = BALL_FROM;
    contact_add_collider(scene, def, NULL);
}

static void build_fast_sphere(ContactScene *scene) {
    ToileColliderDef def = toile_collider_def_default();
    def.shape = TOILE_COLLIDER_SPHERE;
    def.radius_m = BALL_RADIUS;
    add_fast(scene, &def);
}

static void build_fast_box(ContactScene *scene) {
    ToileColliderDef def = toile_collider_def_default();
    def.shape = TOILE_COLLIDER_BOX;
    def.half_m[0] = def.half_m[1] = def.half_m[2] = BALL_RADIUS;
    add_fast(scene, &def);
}

static double ball_z(double speed, int32_t frame) {
    return smaller(BALL_FROM + speed * frame / FPS, BALL_TO);
}

static void animate_ball(ContactScene *scene, int32_t frame, double speed) {
    ToilePose pose = {{0, 0, ball_z(speed, frame) - BALL_FROM}, {0, 0, 0}};
    contact_move(scene, 0, &pose);
}

static void animate_ball_4(ContactScene *scene, int32_t frame) {
    animate_ball(scene, frame, 4.0);
}

static void animate_ball_12(ContactScene *scene, int32_t frame) {
    animate_ball(scene, frame, 12.0);
}

static void animate_ball_30(ContactScene *scene, int32_t frame) {
    animate_ball(scene, frame, 30.0);
}

/* The sheet is in front of the ball while that moves: later it flies on, and may swing over its
 * pins. */
static int32_t astray_behind_ball(const ContactScene *scene) {
    static const double ahead[3] = {0.00731, 0.00419, 1.0};
    double z = BALL_FROM + scene->colliders[0].def.pose.translate_m[2];
    const double middle[3] = {0.013, 0.021, z};
    return z < BALL_TO && contact_hits(scene, 0, middle, ahead) % 2 == 0;
}

/* a bar of 1.4 m that leans turns twice a second beside a hanging sheet and winds it up */
static void build_bar(ContactScene *scene) {
    enum { CELLS = 30 };
    int32_t cells = CELLS * scene->options.fineness, pins[2 * CELLS + 1];
    ToileColliderDef def = toile_collider_def_default();
    Sheet sheet = hanging_sheet(0.8, 1.0, 0.5);
    sheet.middle[2] = 0.15;
    fill_pins(pins, cells + 1, 0, 1);
    add_sheet(scene, sheet, cells, CONTACT_QUADS, pins, cells + 1);
    def.shape = TOILE_COLLIDER_CAPSULE;
    def.radius_m = 0.03;
    def.center_m[0] = -0.7;
    def.center_m[1] = -0.1;
    def.end_m[0] = 0.7;
    def.end_m[1] = 0.05;
    contact_add_collider(scene, &def, NULL);
}

static void animate_bar(ContactScene *scene, int32_t frame) {
    ToilePose pose = {{0, 0, 0}, {0, fmod(4.0 * PI * frame / FPS, 2.0 * PI), 0}};
    contact_move(scene, 0, &pose);
}

/* a box passes along a sheet at 30 m/s and takes it with it by its edge */
static void build_graze(ContactScene *scene) {
    int32_t cells = 16 * scene->options.fineness, pins[2] = {0, cells};
    ToileColliderDef def = toile_collider_def_default();
    add_sheet(scene, hanging_sheet(1.0, 1.0, 0.5), cells, CONTACT_QUADS, pins, 2);
    def.shape = TOILE_COLLIDER_BOX;
    def.half_m[0] = def.half_m[1] = 0.1;
    def.half_m[2] = 0.09;
    def.center_m[0] = -1.1;
    def.center_m[1] = -0.1;
    def.center_m[2] = -0.095;
    contact_add_collider(scene, &def, NULL);
}

static void animate_graze(ContactScene *scene, int32_t frame) {
    double way = smaller(30.0 * frame / FPS, 2.2);
    ToilePose pose = {{way, 0, 0.07 * way}, {0, 0, 0}};
    contact_move(scene, 0, &pose);
}

/* an open panel swings between two hanging sheets and hits both, at up to 3 m/s */
static void add_panel(ContactScene *scene, Sheet panel) {
    enum { CELLS = 14 };
    int32_t cells = CELLS * scene->options.fineness, pins[2 * CELLS + 1];
    ToileColliderDef def = toile_collider_def_default();
    fill_pins(pins, cells + 1, 0, 1);
    for (int side = -1; side <= 1; side += 2) {
        Sheet sheet = hanging_sheet(0.5, 0.6, 0.3);
        sheet.middle[2] = 0.08 * side;
        add_sheet(scene, sheet, cells, CONTACT_QUADS, pins, cells + 1);
    }
    ContactMesh mesh = contact_grid(3, 3, CONTACT_TRIANGLES, place_sheet, &panel);
    contact_add_collider(scene, &def, &mesh);
}

static void build_panel(ContactScene *scene) {
    add_panel(scene, (Sheet){{0, -0.2, 0}, {0.9, 0, 0}, {0.02, 0.7, 0}});
}

/* narrower and shorter than the sheets, which catch at its edges */
static void build_small_panel(ContactScene *scene) {
    add_panel(scene, (Sheet){{0, -0.1, 0}, {0.3, 0, 0}, {0.02, 0.2, 0}});
}

static double panel_z(int32_t frame) {
    return 0.25 * sin(4.0 * PI * frame / FPS);
}

static void animate_panel(ContactScene *scene, int32_t frame) {
    ToilePose pose = {{0, 0, panel_z(frame)}, {0, 0, 0}};
    contact_move(scene, 0, &pose);
}

/* Whatever hangs within the outline of the panel is on its own side; slack may hang over its top.
 */
static int32_t astray_from_panel(const ContactScene *scene) {
    double z = panel_z(scene->frame);
    int32_t count = 0;
    for (int c = 0; c < 2; c++) {
        for (int32_t v = 0; v < scene->cloths[c].mesh.vertex_count; v++) {
            const double *x = scene->cloths[c].x + 3 * v;
            bool within = fabs(x[0]) < 0.43 && fabs(x[1] + 0.25) < 0.25;
            count += within && (c == 0 ? x[2] > z : x[2] < z);
        }
    }
    return count;
}

/* a floor of waves that run below a sheet */
static double wave(double x, double t) {
    return 0.05 * sin(9.0 * x - 5.0 * t) * smaller(1.0, 2.0 * t);
}

static void place_wave(const void *user, double u, double v, double x[3]) {
    const double *t = user;
    x[0] = 1.4 * (u - 0.5);
    x[1] = wave(x[0] + 0.3 * v, *t);
    x[2] = -1.4 * (v - 0.5);
}

static void build_wave(ContactScene *scene) {
    double t = 0.0;
    ToileColliderDef def = toile_collider_def_default();
    ContactMesh mesh = contact_grid(24, 6, CONTACT_QUADS, place_wave, &t);
    add_sheet(scene, level_sheet(0.7, 0.01), 22 * scene->options.fineness, CONTACT_QUADS, NULL, 0);
    contact_add_collider(scene, &def, &mesh);
}

static void animate_wave(ContactScene *scene, int32_t frame) {
    double t = frame / FPS;
    ContactMesh mesh = contact_grid(24, 6, CONTACT_QUADS, place_wave, &t);
    contact_deform(scene, 0, mesh.positions);
    contact_mesh_free(&mesh);
}

static int32_t astray_below_waves(const ContactScene *scene) {
    int32_t count = 0;
    for (int32_t v = 0; v < scene->cloths[0].mesh.vertex_count; v++) {
        const double *x = scene->cloths[0].x + 3 * v;
        bool within = fabs(x[0]) < 0.7 && fabs(x[2]) < 0.7;
        double ground = wave(x[0] + 0.3 * (0.5 - x[2] / 1.4), scene->frame / FPS);
        /* cells of the ground are chords of the wave */
        count += within && x[1] < ground - 0.01;
    }
    return count;
}

/* ---- sharp things ---- */

static void build_needles(ContactScene *scene) {
    enum { CELLS = 22 };
    int32_t cells = CELLS * scene->options.fineness, pins[2 * CELLS + 1];
    ToileColliderDef def = toile_collider_def_default();
    ContactMesh needles = contact_needles(5, 0.11, 0.012, 0.12);
    fill_pins(pins, cells + 1, cells, cells + 1);
    add_sheet(scene, level_sheet(0.6, 0.01), cells, CONTACT_QUADS, pins, cells + 1);
    contact_add_collider(scene, &def, &needles);
}

/* a sheet whose edge is towed along itself, faster and faster: it flutters against itself */
static void build_towed(ContactScene *scene) {
    enum { CELLS = 24 };
    int32_t cells = CELLS * scene->options.fineness, pins[2 * CELLS + 1];
    fill_pins(pins, cells + 1, 0, 1);
    add_sheet(scene, level_sheet(0.5, 0.0), cells, CONTACT_QUADS, pins, cells + 1);
}

static void animate_towed(ContactScene *scene, int32_t frame) {
    const double by[3] = {10.0 * frame * frame / (FPS * FPS), 0.0, 0.0};
    contact_pull(scene, 0, 0.0, by);
}

/* a sheet whose edge is pulled away with 12 m/s, back over what follows it, and away again */
static void build_whip(ContactScene *scene) {
    enum { CELLS = 30 };
    int32_t cells = CELLS * scene->options.fineness, pins[2 * CELLS + 1];
    fill_pins(pins, cells + 1, 0, cells + 1);
    add_sheet(scene, level_sheet(1.0, 0.3), cells, CONTACT_QUADS, pins, cells + 1);
    add_floor(scene, 0.0);
}

static void animate_whip(ContactScene *scene, int32_t frame) {
    int32_t k = frame < 2 ? 0 : frame < 14 ? frame - 2 : 12;
    const double by[3] = {-0.5 * (k < 4 ? k : k < 8 ? 8 - k : k - 8), 0.0, 0.0};
    contact_pull(scene, 0, 0.0, by);
}

/* falls onto it for half a second, then one edge is pulled away and up a little */
static void animate_pull(ContactScene *scene, int32_t frame) {
    double t = larger(0.0, (frame - 12) / FPS);
    const double by[3] = {0.35 * t, -0.04 * smaller(1.0, frame / 12.0) + 0.02 * t, 0.0};
    contact_pull(scene, 0, 0.0, by);
}

/* an open strip of triangles on edge, with a wavy blade */
static void place_knife(const void *user, double u, double v, double x[3]) {
    (void)user;
    x[0] = 0.002 * sin(20.0 * u);
    x[1] = -0.2 + 0.2 * v;
    x[2] = 0.9 * (u - 0.5);
}

static void build_knife(ContactScene *scene) {
    enum { CELLS = 22 };
    int32_t cells = CELLS * scene->options.fineness, pins[2 * CELLS + 1];
    ToileColliderDef def = toile_collider_def_default();
    ContactMesh knife = contact_grid(13, 1, CONTACT_TRIANGLES, place_knife, NULL);
    fill_pins(pins, cells + 1, cells, cells + 1);
    add_sheet(scene, level_sheet(0.6, 0.01), cells, CONTACT_QUADS, pins, cells + 1);
    contact_add_collider(scene, &def, &knife);
}

/* ---- narrow things ---- */

#define FUNNEL_TOP 0.4
#define FUNNEL_BOTTOM 0.07
#define FUNNEL_HEIGHT 0.35

static double funnel_radius(double y) {
    return FUNNEL_TOP + (FUNNEL_BOTTOM - FUNNEL_TOP) * smaller(1.0, -y / FUNNEL_HEIGHT);
}

static void place_funnel(const void *user, double u, double v, double x[3]) {
    (void)user;
    double angle = 2.0 * PI * u;
    x[1] = -FUNNEL_HEIGHT * v;
    x[0] = funnel_radius(x[1]) * cos(angle);
    x[2] = -funnel_radius(x[1]) * sin(angle);
}

static void build_funnel(ContactScene *scene) {
    int32_t cells = 22 * scene->options.fineness, middle = (cells + 1) * (cells / 2) + cells / 2;
    int32_t pins[5] = {middle, middle - 1, middle + 1, middle - cells - 1, middle + cells + 1};
    ToileColliderDef def = toile_collider_def_default();
    ContactMesh funnel = contact_tube(24, 4, CONTACT_QUADS, place_funnel, NULL);
    add_sheet(scene, level_sheet(0.52, -0.005), cells, CONTACT_QUADS, pins, 5);
    contact_add_collider(scene, &def, &funnel);
}

static void animate_funnel(ContactScene *scene, int32_t frame) {
    const double by[3] = {0, -0.4 * frame / FPS, 0};
    contact_pull(scene, 0, 0.0, by);
}

static int32_t astray_from_funnel(const ContactScene *scene) {
    int32_t count = 0;
    for (int32_t v = 0; v < scene->cloths[0].mesh.vertex_count; v++) {
        const double *x = scene->cloths[0].x + 3 * v;
        bool within = x[1] < 0.0 && x[1] > -FUNNEL_HEIGHT;
        count += within && hypot(x[0], x[2]) > funnel_radius(x[1]);
    }
    return count;
}

/* A tube about the axis y: radius, height of its top and bottom. */
typedef struct Tube {
    double radius, top, bottom;
} Tube;

static void place_tube(const void *user, double u, double v, double x[3]) {
    const Tube *tube = user;
    double angle = 2.0 * PI * u;
    x[0] = tube->radius * cos(angle);
    x[1] = tube->top + (tube->bottom - tube->top) * v;
    x[2] = -tube->radius * sin(angle);
}

/* a tube whose ends are held and turned against each other, into a rope */
static void add_rope(ContactScene *scene, Tube tube, int32_t around, int32_t along) {
    int32_t pins[4 * 24];
    fill_pins(pins, around, 0, 1);
    fill_pins(pins + around, around, around * along, 1);
    ContactMesh mesh = contact_tube(around, along, CONTACT_QUADS, place_tube, &tube);
    contact_add_cloth(scene, mesh, NULL, NULL, pins, 2 * around);
}

static void build_twist(ContactScene *scene) {
    add_rope(scene, (Tube){0.05, 0.5, -0.5}, 20 * scene->options.fineness,
             64 * scene->options.fineness);
}

/* as many turns of a shorter and wider tube leave its threads no length to spare */
static void build_tight_twist(ContactScene *scene) {
    add_rope(scene, (Tube){0.06, 0.4, -0.4}, 24, 44);
}

/* Four turns in two seconds; ends come together by 0.2 m. */
static void animate_twist(ContactScene *scene, int32_t frame) {
    ContactCloth *cloth = &scene->cloths[0];
    double part = smaller(1.0, frame / 48.0), turn = 4.0 * PI * part, together = 0.1 * part;
    for (int32_t i = 0; i < cloth->pin_count; i++) {
        const double *from = cloth->mesh.positions + 3 * cloth->pins[i];
        double side = from[1] > 0.0 ? 1.0 : -1.0, c = cos(turn), s = side * sin(turn);
        cloth->targets[3 * i] = c * from[0] + s * from[2];
        cloth->targets[3 * i + 1] = from[1] - side * together;
        cloth->targets[3 * i + 2] = c * from[2] - s * from[0];
    }
    if (scene->status == TOILE_STATUS_OK) {
        scene->status = toile_sim_set_pin_targets(scene->sim, cloth->id, cloth->pins,
                                                  cloth->pin_count, cloth->targets, &scene->error);
    }
}

/* a skirt of a knit that is pinned to a body: it turns, within a third of a second faster and
 * faster, up to 50 degrees a frame */
static void place_skirt(const void *user, double u, double v, double x[3]) {
    const double *radius = user;
    double angle = 2.0 * PI * u, r = *radius * (1.0 + 0.4 * v);
    x[0] = r * cos(angle);
    x[1] = 0.3 - 0.5 * v;
    x[2] = -r * sin(angle);
}

static void build_skirt(ContactScene *scene) {
    enum { AROUND = 28 };
    int32_t around = AROUND * scene->options.fineness, pins[2 * AROUND];
    double radius = 0.16;
    ToileColliderDef body = toile_collider_def_default();
    ToileFabric knit = toile_fabric_default();
    knit.density_kg_per_m2 = 0.178;
    knit.stretch_weft_N_per_m = knit.stretch_warp_N_per_m = 25.0;
    knit.stretch_shear_N_per_m = 10.0;
    knit.bend_weft_N_m = knit.bend_warp_N_m = 1.2e-5;
    fill_pins(pins, around, 0, 1);
    ContactMesh mesh =
        contact_tube(around, 22 * scene->options.fineness, CONTACT_QUADS, place_skirt, &radius);
    contact_add_cloth(scene, mesh, &knit, NULL, pins, around);
    body.shape = TOILE_COLLIDER_CAPSULE;
    body.center_m[1] = -0.6;
    body.end_m[1] = 0.6;
    body.radius_m = 0.15;
    contact_add_collider(scene, &body, NULL);
}

static void animate_skirt(ContactScene *scene, int32_t frame) {
    static const double nowhere[3] = {0, 0, 0};
    double whole = 50.0 * PI / 180.0, t = smaller(frame, 8.0);
    double angle = fmod(whole * (t * t / 16.0 + larger(0.0, frame - 8.0)), 2.0 * PI);
    ToilePose pose = {{0, 0, 0}, {0, angle, 0}};
    contact_move(scene, 0, &pose);
    contact_pull(scene, 0, angle, nowhere);
}

/* eight tubes, one in the other, 4 mm apart; their tops are turned against one another */
static void build_tubes(ContactScene *scene) {
    enum { AROUND = 16, TUBES = 8 };
    int32_t around = AROUND * scene->options.fineness, along = 8 * scene->options.fineness;
    int32_t pins[2 * AROUND];
    fill_pins(pins, around, 0, 1);
    for (int32_t k = 0; k < TUBES; k++) {
        const Tube tube = {0.05 + 0.004 * k, 0.0, -0.3 - 0.01 * k};
        ContactMesh mesh = contact_tube(around, along, CONTACT_QUADS, place_tube, &tube);
        contact_add_cloth(scene, mesh, NULL, NULL, pins, around);
    }
}

static void animate_tubes(ContactScene *scene, int32_t frame) {
    static const double nowhere[3] = {0, 0, 0};
    for (int32_t k = 0; k < scene->cloth_count; k++) {
        double side = k % 2 == 0 ? 1.0 : -1.0;
        contact_pull(scene, k, side * 1.5 * PI * smaller(1.0, frame / 36.0), nowhere);
    }
}

/* a ball swings to and fro in a hanging tube that is a little wider */
static void build_bell(ContactScene *scene) {
    enum { AROUND = 22 };
    int32_t around = AROUND * scene->options.fineness, along = 15 * scene->options.fineness;
    int32_t pins[2 * AROUND];
    const Tube tube = {0.125, 0.32, -0.18};
    fill_pins(pins, around, 0, 1);
    ContactMesh mesh = contact_tube(around, along, CONTACT_TRIANGLES, place_tube, &tube);
    ToileFabric linen = toile_fabric_default();
    linen.density_kg_per_m2 = 0.152;
    linen.thickness_m = 4e-4;
    linen.friction = 0.35;
    contact_add_cloth(scene, mesh, &linen, NULL, pins, around);
    add_sphere(scene, 0.1);
}

static void animate_bell(ContactScene *scene, int32_t frame) {
    static const double stop[4][2] = {{0, 0}, {0.15, 0.05}, {-0.12, -0.05}, {0, 0.12}};
    int32_t leg = frame < 24 ? frame / 8 : 2;
    double part = smaller(1.0, (frame - 8.0 * leg) / 8.0);
    ToilePose pose = {{stop[leg][0] + part * (stop[leg + 1][0] - stop[leg][0]), 0,
                       stop[leg][1] + part * (stop[leg + 1][1] - stop[leg][1])},
                      {0, 0, 0}};
    contact_move(scene, 0, &pose);
}

/* ---- no room ---- */

/* A solid plate above or below y = 0; as a mesh it leans, so that two that close cross. */
static void add_plate(ContactScene *scene, double y, bool mesh) {
    ToileColliderDef def = toile_collider_def_default();
    Sheet sheet = level_sheet(0.8, y);
    if (mesh) {
        sheet.along_u[1] = 0.5 * y;
        ContactMesh plate = contact_grid(2, 2, CONTACT_QUADS, place_sheet, &sheet);
        contact_add_collider(scene, &def, &plate);
        return;
    }
    def.shape = TOILE_COLLIDER_BOX;
    def.half_m[0] = def.half_m[2] = 0.4;
    def.half_m[1] = 0.05;
    def.center_m[1] = y < 0.0 ? y - 0.05 : y + 0.05;
    contact_add_collider(scene, &def, NULL);
}

static void add_arch(ContactScene *scene) {
    /* leaning, so that it folds when pressed */
    Sheet sheet = {{0, 0, 0}, {0.3, 0.06, 0}, {0.02, 0.04, -0.3}};
    add_sheet(scene, sheet, 14 * scene->options.fineness, CONTACT_QUADS, NULL, 0);
}

static void build_press(ContactScene *scene) {
    add_arch(scene);
    add_plate(scene, -0.06, false);
    add_plate(scene, 0.06, false);
}

static void build_press_mesh(ContactScene *scene) {
    add_arch(scene);
    add_plate(scene, -0.06, true);
    add_plate(scene, 0.06, true);
}

/* plates are 0.12 m apart; the upper one comes down 5 mm farther, and goes back */
static double press_by(int32_t frame) {
    double closed = 0.125;
    if (frame <= 12) {
        return closed * frame / 12.0;
    }
    return frame <= 16 ? closed : larger(0.0, closed * (1.0 - (frame - 16) / 12.0));
}

static void animate_press(ContactScene *scene, int32_t frame) {
    ToilePose pose = {{0, -press_by(frame), 0}, {0, 0, 0}};
    contact_move(scene, 1, &pose);
}

/* a ball jumps by 10 m into the middle of a sheet, within a frame */
static void build_teleport(ContactScene *scene) {
    int32_t cells = 20 * scene->options.fineness, pins[2] = {0, cells};
    add_sheet(scene, hanging_sheet(1.0, 1.0, 0.5), cells, CONTACT_QUADS, pins, 2);
    add_ball_mesh(scene, 0.013, 0.021, -10.0, BALL_RADIUS);
}

static void animate_teleport(ContactScene *scene, int32_t frame) {
    ToilePose pose = {{0, 0, frame < 3 ? 0.0 : 10.0}, {0, 0, 0}};
    contact_move(scene, 0, &pose);
}

/* a sheet's edge is drawn down through a board, and up again */
static void build_pins_through(ContactScene *scene) {
    enum { CELLS = 16 };
    int32_t cells = CELLS * scene->options.fineness, pins[2 * CELLS + 1];
    ToileColliderDef def = toile_collider_def_default();
    Sheet sheet = level_sheet(0.5, 0.05), board = level_sheet(0.9, 0.0);
    ContactMesh mesh = contact_grid(3, 3, CONTACT_QUADS, place_sheet, &board);
    fill_pins(pins, cells + 1, cells, cells + 1);
    add_sheet(scene, sheet, cells, CONTACT_QUADS, pins, cells + 1);
    contact_add_collider(scene, &def, &mesh);
}

static void animate_pins_through(ContactScene *scene, int32_t frame) {
    double down = frame <= 10 ? 0.012 * frame : larger(-0.05, 0.12 - 0.012 * (frame - 12));
    const double by[3] = {0, -smaller(down, 0.12), 0};
    contact_pull(scene, 0, 0.0, by);
}

/* a hanging sheet is drawn by its upper edge through something, out of it again, and on */
static void add_drawn_sheet(ContactScene *scene) {
    enum { CELLS = 20 };
    int32_t cells = CELLS * scene->options.fineness, pins[2 * CELLS + 1];
    Sheet sheet = hanging_sheet(0.8, 0.8, 0.0);
    sheet.middle[2] = -0.4;
    sheet.along_v[2] = 0.004;
    fill_pins(pins, cells + 1, 0, 1);
    add_sheet(scene, sheet, cells, CONTACT_QUADS, pins, cells + 1);
}

static void build_pull_sphere(ContactScene *scene) {
    add_drawn_sheet(scene);
    add_sphere(scene, 0.2);
}

static void build_pull_capsule(ContactScene *scene) {
    ToileColliderDef def = toile_collider_def_default();
    add_drawn_sheet(scene);
    def.shape = TOILE_COLLIDER_CAPSULE;
    def.radius_m = 0.12;
    def.center_m[0] = def.end_m[0] = 0.03;
    def.center_m[1] = -0.3;
    def.end_m[1] = 0.3;
    contact_add_collider(scene, &def, NULL);
}

static void build_pull_mesh(ContactScene *scene) {
    add_drawn_sheet(scene);
    add_ball_mesh(scene, 0.03, 0.0, 0.0, 0.2);
}

static void build_pull_box(ContactScene *scene) {
    ToileColliderDef def = toile_collider_def_default();
    add_drawn_sheet(scene);
    def.shape = TOILE_COLLIDER_BOX;
    def.half_m[0] = def.half_m[1] = def.half_m[2] = 0.15;
    def.center_m[0] = 0.01;
    contact_add_collider(scene, &def, NULL);
}

/* not far enough: half of the sheet has not passed when the pins stop */
static void animate_impaled(ContactScene *scene, int32_t frame) {
    const double by[3] = {0, 0, 0.06 * smaller(frame, 12)};
    contact_pull(scene, 0, 0.0, by);
}

/* through it and back */
static void animate_there_and_back(ContactScene *scene, int32_t frame) {
    const double by[3] = {0, 0, 0.04 * larger(0.0, 18.0 - fabs(18.0 - frame))};
    contact_pull(scene, 0, 0.0, by);
}

static void animate_drawn(ContactScene *scene, int32_t frame) {
    const double by[3] = {0, 0, 0.05 * smaller(frame, 24)};
    contact_pull(scene, 0, 0.0, by);
}

/* the upper edge of a sheet is held where a belly comes to be, twice */
static void build_belly(ContactScene *scene) {
    enum { CELLS = 20 };
    int32_t cells = CELLS * scene->options.fineness, pins[2 * CELLS + 1];
    fill_pins(pins, cells + 1, 0, 1);
    add_sheet(scene, hanging_sheet(0.5, 0.7, 0.0), cells, CONTACT_QUADS, pins, cells + 1);
    add_ball_mesh(scene, 0.0, 0.0, -0.305, 0.3);
}

static void animate_belly(ContactScene *scene, int32_t frame) {
    double in = frame < 32 ? 0.03 * (1.0 - fabs(1.0 - frame % 16 / 8.0)) : 0.0;
    ToilePose pose = {{0, 0, in}, {0, 0, 0}};
    contact_move(scene, 0, &pose);
}

/* two balls meet with a sheet between them, overlap by 4 cm, and part */
static void build_overlap(ContactScene *scene) {
    int32_t cells = 18 * scene->options.fineness, pins[2] = {0, cells};
    add_sheet(scene, hanging_sheet(0.7, 0.7, 0.35), cells, CONTACT_QUADS, pins, 2);
    add_ball_mesh(scene, 0.0, 0.0, -0.25, 0.12);
    add_ball_mesh(scene, 0.011, 0.006, 0.25, 0.12);
}

static void animate_overlap(ContactScene *scene, int32_t frame) {
    double by = frame <= 12 ? 0.15 * frame / 12.0 : 0.15;
    by = frame <= 16 ? by : larger(0.0, 0.15 * (1.0 - (frame - 16) / 12.0));
    for (int32_t k = 0; k < 2; k++) {
        ToilePose pose = {{0, 0, k == 0 ? by : -by}, {0, 0, 0}};
        contact_move(scene, k, &pose);
    }
}

/* Two solids close on a sheet until they overlap by 100 mm, and part again. */
static void build_solids(ContactScene *scene, int32_t shape) {
    int32_t cells = 20 * scene->options.fineness;
    int32_t pins[4] = {0, cells, (cells + 1) * cells, (cells + 2) * cells};
    add_sheet(scene, level_sheet(0.8, 0.0), cells, CONTACT_QUADS, pins, 4);
    for (int32_t k = 0; k < 2; k++) {
        ToileColliderDef def = toile_collider_def_default();
        def.shape = shape;
        def.radius_m = 0.2;
        def.center_m[1] = k == 0 ? 0.25 : -0.25;
        def.half_m[0] = def.half_m[2] = k == 0 ? 0.15 : 0.2;
        def.half_m[1] = 0.2;
        contact_add_collider(scene, &def, NULL);
    }
}

static void build_spheres(ContactScene *scene) {
    build_solids(scene, TOILE_COLLIDER_SPHERE);
}

static void build_boxes(ContactScene *scene) {
    build_solids(scene, TOILE_COLLIDER_BOX);
}

static void animate_solids(ContactScene *scene, int32_t frame) {
    double part = frame <= 10 ? frame / 10.0 : larger(0.0, 1.0 - larger(0.0, (frame - 14) / 10.0));
    for (int32_t k = 0; k < 2; k++) {
        ToilePose pose = {{0, (k == 0 ? -0.1 : 0.1) * part, 0}, {0, 0, 0}};
        contact_move(scene, k, &pose);
    }
}

/* A sleeve over an arm of two capsules that bends at the elbow by 120 degrees, and stretches. */
static void build_elbow(ContactScene *scene) {
    enum { AROUND = 20 };
    int32_t around = AROUND * scene->options.fineness, along = 36 * scene->options.fineness;
    int32_t pins[2 * AROUND];
    const Tube tube = {0.065, 0.3, -0.3};
    fill_pins(pins, around, 0, 1);
    contact_add_cloth(scene, contact_tube(around, along, CONTACT_QUADS, place_tube, &tube), NULL,
                      NULL, pins, around);
    for (int32_t k = 0; k < 2; k++) {
        ToileColliderDef def = toile_collider_def_default();
        def.shape = TOILE_COLLIDER_CAPSULE;
        def.radius_m = 0.05;
        def.end_m[1] = k == 0 ? 0.35 : -0.35;
        contact_add_collider(scene, &def, NULL);
    }
}

static void animate_elbow(ContactScene *scene, int32_t frame) {
    double part = frame <= 16 ? frame / 16.0 : larger(0.0, 1.0 - larger(0.0, (frame - 18) / 16.0));
    ToilePose pose = {{0, 0, 0}, {part * 2.0 * PI / 3.0, 0, 0}};
    contact_move(scene, 1, &pose);
}

/* ---- tangled starts ---- */

/* Two layers 1 cm apart over a ball: the upper one has a dent and a corner through the lower one.
 */
static void place_layer(const void *user, double u, double v, double x[3]) {
    const int32_t *layer = user;
    double a = u - 0.5, b = v - 0.5, angle = 0.13 + 0.03 * *layer;
    double dent = ((a - 0.1) * (a - 0.1) + (b + 0.05) * (b + 0.05)) / 0.02;
    x[0] = cos(angle) * a - sin(angle) * b + 0.02;
    x[1] = 0.52 + 0.01 * *layer + 2e-4 * sin(9.0 * a) * sin(7.0 * b);
    x[2] = -(sin(angle) * a + cos(angle) * b);
    if (*layer > 0) {
        x[1] -= 0.035 * exp(-dent) + 0.25 * larger(0.0, a + b - 0.72);
    }
}

static void build_dented(ContactScene *scene) {
    int32_t cells = 50 * scene->options.fineness;
    for (int32_t layer = 0; layer < 2; layer++) {
        ContactMesh mesh = contact_grid(cells, cells, CONTACT_TRIANGLES, place_layer, &layer);
        contact_add_cloth(scene, mesh, NULL, NULL, NULL, 0);
    }
    add_ball_mesh(scene, 0.0, 0.0, 0.0, 0.5);
}

/* A sleeve that narrows towards its cuff: radius at part v of its length. */
static double sleeve_radius(double v) {
    return v < 0.5 ? 0.1 : 0.1 - 0.045 * smaller(1.0, 8.0 * (v - 0.5));
}

static void place_straight_sleeve(const void *user, double u, double v, double x[3]) {
    (void)user;
    x[0] = sleeve_radius(v) * cos(2.0 * PI * u);
    x[1] = -0.6 * v;
    x[2] = -sleeve_radius(v) * sin(2.0 * PI * u);
}

/* Its lower half is turned up inside the upper one, and leans out through the side. */
static void place_sleeve(const void *user, double u, double v, double x[3]) {
    double inside = larger(0.0, v - 0.5);
    place_straight_sleeve(user, u, v, x);
    x[0] += 0.6 * inside * sin(0.58);
    x[1] = v < 0.5 ? -0.6 * v : -0.3 + 0.6 * inside * cos(0.58);
}

static void build_sleeve(ContactScene *scene) {
    int32_t around = 24 * scene->options.fineness, along = 30 * scene->options.fineness, pins[48];
    fill_pins(pins, around, 0, 1);
    ContactMesh rest = contact_tube(around, along, CONTACT_QUADS, place_straight_sleeve, NULL);
    ContactMesh mesh = contact_tube(around, along, CONTACT_QUADS, place_sleeve, NULL);
    contact_add_cloth(scene, mesh, NULL, rest.positions, pins, around);
    contact_mesh_free(&rest);
}

/* ---- all ---- */

static const ContactKind kinds[] = {
    {"drape", 36, CONTACT_CLEAN, 0, build_drape, NULL, astray_from_middle, false},
    {"drape_mesh", 36, CONTACT_CLEAN, 0, build_drape_mesh, NULL, astray_from_middle, false},
    {"drape_askew", 36, CONTACT_CLEAN, 0, build_drape_askew, NULL, astray_from_middle, false},
    {"drape_felt", 36, CONTACT_CLEAN, 0, build_drape_felt, NULL, astray_from_middle, false},
    {"drape_triangles", 36, CONTACT_CLEAN, 0, build_drape_triangles, NULL, astray_from_middle,
     false},
    {"drape_mixed", 36, CONTACT_CLEAN, 0, build_drape_mixed, NULL, astray_from_middle, false},
    {"coarse", 24, CONTACT_CLEAN, 0, build_coarse, NULL, astray_from_middle, false},
    {"coarse_mesh", 24, CONTACT_CLEAN, 0, build_coarse_mesh, NULL, astray_from_middle, false},
    {"box", 36, CONTACT_CLEAN, 0, build_box, NULL, astray_from_middle, false},
    {"capsule", 36, CONTACT_CLEAN, 0, build_capsule, NULL, astray_from_middle, false},
    {"rotating", 48, CONTACT_CLEAN, 0, build_rotating, animate_rotating, NULL, false},
    {"fall", 36, CONTACT_CLEAN, 0, build_fall, NULL, astray_below_floor, false},
    {"fall_40k", 36, CONTACT_CLEAN, 0, build_large_fall, NULL, astray_below_floor, true},
    {"stack", 24, CONTACT_CLEAN, 0, build_stack, NULL, astray_layers, false},
    {"bounce", 18, CONTACT_CLEAN, 0, build_bounce, animate_bounce, astray_below_box, false},
    {"crumpled", 24, CONTACT_CLEAN, 0, build_crumpled, NULL, NULL, false},
    {"incline", 24, CONTACT_CLEAN, 0, build_incline, NULL, astray_below_incline, false},
    {"heap", 36, CONTACT_CLEAN, 0, build_heap, NULL, astray_below_floor, false},
    {"ball_4", 24, CONTACT_CLEAN, 0, build_ball, animate_ball_4, astray_behind_ball, false},
    {"ball_12", 24, CONTACT_CLEAN, 0, build_ball, animate_ball_12, astray_behind_ball, false},
    {"ball_30", 24, CONTACT_CLEAN, 0, build_ball, animate_ball_30, astray_behind_ball, false},
    {"sphere_30", 24, CONTACT_CLEAN, 0, build_fast_sphere, animate_ball_30, astray_behind_ball,
     false},
    {"box_12", 24, CONTACT_CLEAN, 0, build_fast_box, animate_ball_12, astray_behind_ball, false},
    {"box_30", 24, CONTACT_CLEAN, 0, build_fast_box, animate_ball_30, astray_behind_ball, false},
    {"bar", 12, CONTACT_CLEAN, 0, build_bar, animate_bar, NULL, false},
    {"graze", 10, CONTACT_CLEAN, 0, build_graze, animate_graze, NULL, false},
    {"panel", 36, CONTACT_CLEAN, 0, build_panel, animate_panel, astray_from_panel, false},
    {"panel_small", 36, CONTACT_CLEAN, 0, build_small_panel, animate_panel, NULL, false},
    {"wave", 36, CONTACT_CLEAN, 0, build_wave, animate_wave, astray_below_waves, false},
    {"whip", 30, CONTACT_CLEAN, 0, build_whip, animate_whip, NULL, false},
    {"skirt", 24, CONTACT_CLEAN, 0, build_skirt, animate_skirt, NULL, false},
    {"towed", 40, CONTACT_CLEAN, 0, build_towed, animate_towed, NULL, false},
    {"needles", 36, CONTACT_CLEAN, 0, build_needles, animate_pull, NULL, false},
    {"knife", 36, CONTACT_CLEAN, 0, build_knife, animate_pull, NULL, false},
    {"funnel", 36, CONTACT_CLEAN, 0, build_funnel, animate_funnel, astray_from_funnel, false},
    {"twist", 52, CONTACT_CLEAN, 0, build_twist, animate_twist, NULL, false},
    {"twist_tight", 52, CONTACT_CLEAN, 0, build_tight_twist, animate_twist, NULL, true},
    {"tubes", 36, CONTACT_CLEAN, 0, build_tubes, animate_tubes, NULL, false},
    {"bell", 31, CONTACT_CLEAN, 0, build_bell, animate_bell, NULL, false},
    {"press", 50, CONTACT_FREED, 18, build_press, animate_press, NULL, false},
    {"press_mesh", 50, CONTACT_FREED, 18, build_press_mesh, animate_press, NULL, false},
    {"teleport", 36, CONTACT_FREED, 3, build_teleport, animate_teleport, NULL, false},
    {"pins_through", 60, CONTACT_FREED, 27, build_pins_through, animate_pins_through, NULL, false},
    {"pull_sphere", 50, CONTACT_PULLED, 24, build_pull_sphere, animate_drawn, NULL, false},
    {"pull_capsule", 60, CONTACT_PULLED, 24, build_pull_capsule, animate_drawn, NULL, false},
    {"impaled", 44, CONTACT_PULLED, 12, build_pull_capsule, animate_impaled, NULL, false},
    {"impaled_sphere", 44, CONTACT_PULLED, 12, build_pull_sphere, animate_impaled, NULL, false},
    {"there_and_back", 68, CONTACT_PULLED, 36, build_pull_box, animate_there_and_back, NULL, false},
    {"pull_mesh", 50, CONTACT_PULLED, 24, build_pull_mesh, animate_drawn, NULL, false},
    {"belly", 64, CONTACT_PULLED, 32, build_belly, animate_belly, NULL, false},
    {"overlap", 50, CONTACT_FREED, 20, build_overlap, animate_overlap, NULL, false},
    {"spheres", 50, CONTACT_FREED, 24, build_spheres, animate_solids, NULL, false},
    {"boxes", 50, CONTACT_FREED, 24, build_boxes, animate_solids, NULL, false},
    {"elbow", 50, CONTACT_CLEAN, 34, build_elbow, animate_elbow, NULL, false},
    {"dented", 30, CONTACT_TANGLED, 30, build_dented, NULL, NULL, false},
    {"sleeve", 60, CONTACT_TANGLED, 0, build_sleeve, NULL, NULL, false},
};

const ContactKind *contact_kinds(int32_t *count) {
    *count = (int32_t)(sizeof kinds / sizeof kinds[0]);
    return kinds;
}

const ContactKind *contact_kind(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}
