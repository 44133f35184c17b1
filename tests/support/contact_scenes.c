/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes by rule, and the life of a scene; the scenes themselves are in contact_set.c. */
#include "support/contact_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
/* where archives begin to store positions relative to a point of whole metres */
#define FAR_M 10.0

static void *allocate(size_t size) {
    void *memory = calloc(1, size > 0 ? size : 1);
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return memory;
}

/* ---- meshes ---- */

static ContactMesh new_mesh(int32_t vertices, int32_t faces, int32_t corners) {
    ContactMesh mesh = {vertices, 0, 0, NULL, NULL, NULL};
    mesh.positions = allocate(3 * sizeof(double) * (size_t)vertices);
    mesh.face_sizes = allocate(sizeof(int32_t) * (size_t)faces);
    mesh.corners = allocate(sizeof(int32_t) * (size_t)corners);
    return mesh;
}

void contact_mesh_free(ContactMesh *mesh) {
    free(mesh->positions);
    free(mesh->face_sizes);
    free(mesh->corners);
    memset(mesh, 0, sizeof *mesh);
}

static void add_face(ContactMesh *mesh, int32_t size, const int32_t *corners) {
    mesh->face_sizes[mesh->face_count++] = size;
    memcpy(mesh->corners + mesh->corner_count, corners, sizeof *corners * (size_t)size);
    mesh->corner_count += size;
}

static void add_triangle(ContactMesh *mesh, int32_t a, int32_t b, int32_t c) {
    const int32_t corners[3] = {a, b, c};
    add_face(mesh, 3, corners);
}

static void add_cell(ContactMesh *mesh, const int32_t q[4], ContactFaces faces, bool odd) {
    if (faces == CONTACT_QUADS || (faces == CONTACT_MIXED && mesh->face_count % 4 < 2)) {
        add_face(mesh, 4, q);
    } else if (odd) {
        add_triangle(mesh, q[0], q[1], q[3]);
        add_triangle(mesh, q[1], q[2], q[3]);
    } else {
        add_triangle(mesh, q[0], q[1], q[2]);
        add_triangle(mesh, q[0], q[2], q[3]);
    }
}

/* Rows of `across` vertices; joined: the last column of cells ends at the first. */
static ContactMesh make_grid(int32_t nx, int32_t ny, bool joined, ContactFaces faces,
                             ContactPlace place, const void *user) {
    int32_t across = joined ? nx : nx + 1;
    ContactMesh mesh = new_mesh(across * (ny + 1), 2 * nx * ny, 6 * nx * ny);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        place(user, (double)(v % across) / nx, (double)(v / across) / ny, mesh.positions + 3 * v);
    }
    for (int32_t cell = 0; cell < nx * ny; cell++) {
        int32_t i = cell % nx, j = cell / nx, next = (i + 1) % across, low = j * across;
        const int32_t q[4] = {low + i, low + next, low + across + next, low + across + i};
        add_cell(&mesh, q, faces, (i + j) % 2 != 0);
    }
    return mesh;
}

ContactMesh contact_grid(int32_t nx, int32_t ny, ContactFaces faces, ContactPlace place,
                         const void *user) {
    return make_grid(nx, ny, false, faces, place, user);
}

ContactMesh contact_tube(int32_t nx, int32_t ny, ContactFaces faces, ContactPlace place,
                         const void *user) {
    return make_grid(nx, ny, true, faces, place, user);
}

ContactMesh contact_ball(int32_t columns, int32_t rows, const double center[3], double radius) {
    int32_t rings = rows - 1, poles = columns * rings;
    ContactMesh mesh = new_mesh(poles + 2, columns * rows, 4 * columns * rows);
    for (int32_t v = 0; v < poles + 2; v++) {
        double down = v < poles ? PI * (v / columns + 1) / rows : v == poles ? 0.0 : PI;
        double around = 2.0 * PI * (v % columns + 0.37) / columns;
        mesh.positions[3 * v] = center[0] + radius * sin(down) * cos(around);
        mesh.positions[3 * v + 1] = center[1] + radius * cos(down);
        mesh.positions[3 * v + 2] = center[2] - radius * sin(down) * sin(around);
    }
    for (int32_t i = 0; i < columns; i++) {
        int32_t next = (i + 1) % columns, last = columns * (rings - 1);
        add_triangle(&mesh, poles, i, next);
        for (int32_t j = 0; j + 1 < rings; j++) {
            const int32_t q[4] = {columns * j + i, columns * (j + 1) + i, columns * (j + 1) + next,
                                  columns * j + next};
            add_face(&mesh, 4, q);
        }
        add_triangle(&mesh, poles + 1, last + next, last + i);
    }
    return mesh;
}

ContactMesh contact_needles(int32_t count, double spacing, double radius, double height) {
    enum { SIDES = 5 };
    ContactMesh mesh =
        new_mesh(count * count * (SIDES + 1), count * count * SIDES, count * count * SIDES * 3);
    for (int32_t n = 0; n < count * count; n++) {
        int32_t tip = n * (SIDES + 1);
        double *x = mesh.positions + 3 * tip;
        x[0] = spacing * (n % count - 0.5 * (count - 1));
        x[2] = spacing * (n / count - 0.5 * (count - 1));
        for (int32_t k = 0; k < SIDES; k++) {
            double *foot = x + 3 * (k + 1), angle = 2.0 * PI * k / SIDES;
            foot[0] = x[0] + radius * cos(angle);
            foot[1] = -height;
            foot[2] = x[2] - radius * sin(angle);
            add_triangle(&mesh, tip, tip + 1 + k, tip + 1 + (k + 1) % SIDES);
        }
    }
    return mesh;
}

static ToileMeshDef mesh_def(const ContactMesh *mesh) {
    ToileMeshDef def = toile_mesh_def_default();
    def.vertex_count = mesh->vertex_count;
    def.face_count = mesh->face_count;
    def.corner_count = mesh->corner_count;
    def.positions_m = mesh->positions;
    def.face_sizes = mesh->face_sizes;
    def.corners = mesh->corners;
    return def;
}

/* ---- building ---- */

static bool is_fine(const ContactScene *scene) {
    return scene->status == TOILE_STATUS_OK;
}

static void shift(double *x, int32_t count, const double by[3]) {
    for (int32_t i = 0; i < 3 * count; i++) {
        x[i] += by[i % 3];
    }
}

/* Points of the scene to where it stands. */
static void put(const ContactScene *scene, double *x, int32_t count) {
    for (int32_t i = 0; scene->options.rounded && i < 3 * count; i++) {
        x[i] = floor(x[i] * 1e6 + 0.5) / 1e6;
    }
    shift(x, count, scene->options.at_m);
}

/* The same of a collider's own coordinates, or of its pose; whichever is not moved is rounded. */
static void put_collider(const ContactScene *scene, bool pose, double *x, int32_t count) {
    ContactScene still = {.options = scene->options};
    memset(still.options.at_m, 0, sizeof still.options.at_m);
    put(pose == scene->options.by_pose ? scene : &still, x, count);
}

/* A number between two, by the seed of the scene; `usual` without one. */
static double vary(ContactScene *scene, double low, double usual, double high) {
    if (scene->options.seed == 0) {
        return usual;
    }
    /* splitmix64 */
    uint64_t z = scene->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void vary_fabric(ContactScene *scene, ToileFabric *fabric) {
    double stiff = vary(scene, 0.4, 1.0, 4.0), bend = exp(vary(scene, -2.3, 0.0, 2.3));
    fabric->density_kg_per_m2 *= vary(scene, 0.6, 1.0, 2.5);
    fabric->stretch_weft_N_per_m *= stiff;
    fabric->stretch_warp_N_per_m *= stiff;
    fabric->stretch_shear_N_per_m *= stiff;
    fabric->bend_weft_N_m *= bend;
    fabric->bend_warp_N_m *= bend;
    fabric->friction = vary(scene, 0.0, fabric->friction, 0.6);
}

static void vary_collider(ContactScene *scene, ToileColliderDef *def, ContactMesh *mesh,
                          double by[3]) {
    double size = vary(scene, 0.85, 1.0, 1.1);
    by[0] = vary(scene, -0.006, 0.0, 0.006);
    by[2] = vary(scene, -0.006, 0.0, 0.006);
    def->thickness_m *= vary(scene, 0.6, 1.0, 2.5);
    def->friction = vary(scene, 0.0, def->friction, 0.8);
    def->radius_m *= size;
    for (int i = 0; i < 3; i++) {
        def->half_m[i] *= size;
    }
    shift(def->center_m, 1, by);
    shift(def->end_m, 1, by);
    if (mesh != NULL) {
        shift(mesh->positions, mesh->vertex_count, by);
    }
}

ContactCloth *contact_add_cloth(ContactScene *scene, ContactMesh mesh, const ToileFabric *fabric,
                                const double *rest, const int32_t *pins, int32_t pin_count) {
    ContactCloth *cloth = &scene->cloths[scene->cloth_count++];
    ToileClothDef def = toile_cloth_def_default();
    cloth->mesh = mesh;
    cloth->x = allocate(3 * sizeof(double) * (size_t)mesh.vertex_count);
    cloth->pins = allocate(sizeof *pins * (size_t)pin_count);
    cloth->targets = allocate(3 * sizeof(double) * (size_t)pin_count);
    cloth->pin_count = pin_count;
    for (int32_t i = 0; i < pin_count; i++) {
        cloth->pins[i] = pins[i];
    }
    put(scene, cloth->mesh.positions, mesh.vertex_count);
    ToileMeshDef of_mesh = mesh_def(&cloth->mesh);
    def.mesh = &of_mesh;
    ToileFabric varied = fabric != NULL ? *fabric : toile_fabric_default();
    vary_fabric(scene, &varied);
    def.fabric = &varied;
    def.rest_positions_m = rest;
    def.pin_vertices = cloth->pins;
    def.pin_count = pin_count;
    def.stored_far_m = scene->options.stored_m;
    if (is_fine(scene)) {
        scene->status = toile_sim_add_cloth(scene->sim, &def, &cloth->id, &scene->error);
    }
    return cloth;
}

ContactCollider *contact_add_collider(ContactScene *scene, const ToileColliderDef *def,
                                      ContactMesh *mesh) {
    ContactCollider *collider = &scene->colliders[scene->collider_count++];
    ToileMeshDef of_mesh;
    collider->def = *def;
    vary_collider(scene, &collider->def, mesh, collider->by);
    put_collider(scene, false, collider->def.center_m, 1);
    put_collider(scene, false, collider->def.end_m, 1);
    put_collider(scene, true, collider->def.pose.translate_m, 1);
    if (mesh != NULL) {
        collider->mesh = *mesh;
        collider->x = allocate(3 * sizeof(double) * (size_t)mesh->vertex_count);
        put_collider(scene, false, collider->mesh.positions, mesh->vertex_count);
        of_mesh = mesh_def(&collider->mesh);
        collider->def.shape = TOILE_COLLIDER_MESH;
        collider->def.mesh = &of_mesh;
    }
    if (is_fine(scene)) {
        scene->status =
            toile_sim_add_collider(scene->sim, &collider->def, &collider->id, &scene->error);
    }
    collider->def.mesh = NULL;
    return collider;
}

/* ---- animation ---- */

void contact_move(ContactScene *scene, int32_t collider, const ToilePose *pose) {
    ContactCollider *at = &scene->colliders[collider];
    at->def.pose = *pose;
    put_collider(scene, true, at->def.pose.translate_m, 1);
    if (is_fine(scene)) {
        scene->status =
            toile_sim_set_collider_pose(scene->sim, at->id, &at->def.pose, &scene->error);
    }
}

void contact_deform(ContactScene *scene, int32_t collider, const double *positions) {
    ContactCollider *at = &scene->colliders[collider];
    memcpy(at->mesh.positions, positions, 3 * sizeof *positions * (size_t)at->mesh.vertex_count);
    shift(at->mesh.positions, at->mesh.vertex_count, at->by);
    put_collider(scene, false, at->mesh.positions, at->mesh.vertex_count);
    if (is_fine(scene)) {
        scene->status =
            toile_sim_set_collider_positions(scene->sim, at->id, at->mesh.positions, &scene->error);
    }
}

void contact_pull(ContactScene *scene, int32_t cloth, double angle_rad, const double by[3]) {
    ContactCloth *at = &scene->cloths[cloth];
    double c = cos(angle_rad), s = sin(angle_rad);
    for (int32_t i = 0; i < at->pin_count; i++) {
        const double *from = at->mesh.positions + 3 * at->pins[i], *origin = scene->options.at_m;
        double x = from[0] - origin[0], z = from[2] - origin[2], *to = at->targets + 3 * i;
        to[0] = c * x + s * z + by[0];
        to[1] = from[1] - origin[1] + by[1];
        to[2] = c * z - s * x + by[2];
        put(scene, to, 1);
    }
    if (is_fine(scene)) {
        scene->status = toile_sim_set_pin_targets(scene->sim, at->id, at->pins, at->pin_count,
                                                  at->targets, &scene->error);
    }
}

/* ---- life ---- */

void contact_open(ContactScene *scene, const ContactKind *kind, const ContactOptions *options) {
    ToileSimDef def = toile_sim_def_default();
    memset(scene, 0, sizeof *scene);
    scene->kind = kind;
    scene->options = *options;
    scene->error = toile_error_default();
    scene->random = options->seed;
    def.threads = options->threads > 0 ? options->threads : 1;
    def.fps = vary(scene, 16.0, def.fps, 36.0);
    def.quality =
        scene->options.fast || vary(scene, 0.0, 1.0, 1.0) < 0.3 ? TOILE_QUALITY_FAST : def.quality;
    def.contact_thickness_m = vary(scene, 1e-3, def.contact_thickness_m, 3e-3);
    def.allocator = options->allocator;
    if (options->tight) {
        def.newton_iterations = 30;
        def.tolerance_m = 1e-7;
        def.linear_tolerance = 1e-8;
    }
    scene->status = toile_sim_create(&def, &scene->sim, &scene->error);
    kind->build(scene);
}

void contact_step(ContactScene *scene) {
    scene->frame++;
    if (scene->kind->animate != NULL) {
        scene->kind->animate(scene, scene->frame);
    }
    if (is_fine(scene)) {
        scene->status = toile_sim_step(scene->sim, &scene->error);
    }
}

static void pose_point(const ToilePose *pose, const double in[3], double out[3]) {
    const double *r = pose->rotate_rad;
    double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), c = cos(angle);
    double s = angle > 0.0 ? sin(angle) / angle : 1.0;
    double along = angle > 0.0 ? (1.0 - c) / (angle * angle) : 0.5;
    double dot = r[0] * in[0] + r[1] * in[1] + r[2] * in[2];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = c * in[i] + s * (r[j] * in[k] - r[k] * in[j]) + along * dot * r[i] +
                 pose->translate_m[i];
    }
}

bool contact_is_far(const ContactScene *scene) {
    const double *at = scene->options.at_m;
    return at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > FAR_M * FAR_M;
}

/* A coordinate as an archive stores it, relative to where the scene stands. */
static double stored(const ContactScene *scene, double x, int32_t k) {
    double at = scene->options.at_m[k], to = k == 0 ? scene->options.stored_m : 0.0;
    if (to > 0.0) {
        return (double)(float)(x - at + to) - to;
    }
    return contact_is_far(scene) ? (double)(float)(x - at) : (double)(float)x - at;
}

void contact_look(ContactScene *scene) {
    for (int32_t c = 0; c < scene->cloth_count; c++) {
        ContactCloth *cloth = &scene->cloths[c];
        if (is_fine(scene)) {
            scene->status = toile_sim_get_positions(scene->sim, cloth->id, cloth->x, &scene->error);
        }
        for (int32_t i = 0; i < 3 * cloth->mesh.vertex_count; i++) {
            cloth->x[i] = stored(scene, cloth->x[i], i % 3);
        }
    }
    for (int32_t c = 0; c < scene->collider_count; c++) {
        ContactCollider *collider = &scene->colliders[c];
        for (int32_t v = 0; v < collider->mesh.vertex_count; v++) {
            double *x = collider->x + 3 * v;
            pose_point(&collider->def.pose, collider->mesh.positions + 3 * v, x);
            for (int i = 0; i < 3; i++) {
                x[i] -= scene->options.at_m[i];
            }
        }
    }
}

void contact_close(ContactScene *scene) {
    toile_sim_destroy(scene->sim);
    for (int32_t c = 0; c < scene->cloth_count; c++) {
        ContactCloth *cloth = &scene->cloths[c];
        contact_mesh_free(&cloth->mesh);
        free(cloth->x);
        free(cloth->pins);
        free(cloth->targets);
    }
    for (int32_t c = 0; c < scene->collider_count; c++) {
        contact_mesh_free(&scene->colliders[c].mesh);
        free(scene->colliders[c].x);
    }
    memset(scene, 0, sizeof *scene);
}

/* ---- sides ---- */

static void sub(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] - b[i];
    }
}

static double triple(const double a[3], const double b[3], const double c[3]) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static bool ray_meets(const double from[3], const double d[3], const double *a, const double *b,
                      const double *c) {
    double pa[3], pb[3], pc[3];
    sub(a, from, pa);
    sub(b, from, pb);
    sub(c, from, pc);
    double u = triple(d, pb, pc), v = triple(d, pc, pa), w = triple(d, pa, pb);
    bool inside = (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
    return inside && triple(pa, pb, pc) / (u + v + w) > 0.0;
}

int32_t contact_hits(const ContactScene *scene, int32_t cloth, const double from[3],
                     const double direction[3]) {
    const ContactCloth *of = &scene->cloths[cloth];
    const int32_t *corner = of->mesh.corners;
    int32_t hits = 0;
    for (int32_t f = 0; f < of->mesh.face_count; f++) {
        int32_t size = of->mesh.face_sizes[f];
        for (int32_t k = 1; k + 1 < size; k++) {
            hits += ray_meets(from, direction, of->x + 3 * corner[0], of->x + 3 * corner[k],
                              of->x + 3 * corner[k + 1]);
        }
        corner += size;
    }
    return hits;
}
