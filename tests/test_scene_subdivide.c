/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Subdivision in scenes: what becomes of mesh, pattern, poses, pins and maps before simulation, and
 * what caches hold of a surface. */
#include "scene_types.h"
#include "support/osd_cages.h"
#include "support/run_suite.h"
#include "support/scene_files.h"
#include "toile_io/abc_c.h"
#include "toile_io/cache.h"
#include "toile_io/pointcache.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 6
#define FLOATS 3e-7        /* weights are floats; coordinates are up to 6 */
#define NINE_DIGITS 5.1e-9 /* half of the last one, of numbers below 10 */

/* Writes a grid in the plane z = 0 as q.obj, or as `name` with the positions alone. The lowest row
 * of cells is the group "hem". */
static void write_grid(const TestCage *cage, const char *name, bool whole) {
    static char text[200000];
    char path[IO_PATH_SIZE];
    size_t used = 0;
    uint32_t corner = 0;
#define ADD(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
    for (uint32_t v = 0; v < cage->cage.verts; v++)
        ADD("v %.17g %.17g %.17g\n", cage->x[3 * v], cage->x[3 * v + 1], cage->x[3 * v + 2]);
    for (uint32_t i = 0; whole && i < cage->fvar.values; i++)
        ADD("vt %.17g %.17g\n", cage->uv[2 * i], cage->uv[2 * i + 1]);
    for (uint32_t f = 0; whole && f < cage->cage.faces; f++) {
        ADD("g %s\nf", f < CELLS ? "hem" : "rest");
        for (int32_t c = 0; c < cage->sizes[f]; c++, corner++)
            ADD(" %d/%u", cage->index[corner] + 1, cage->uv_index[corner] + 1);
        ADD("\n");
    }
#undef ADD
    io_file_write_text(scene_folder, name, text, path);
}

static ToileScene *load(const char *cloth_keys, const char *root_keys) {
    scene_write(cloth_keys, root_keys);
    return scene_load_good();
}

/* ---- before simulation ---- */

START_TEST(flat_mesh_that_is_its_pattern_stays_so) {
    /* moved vertices and triangles too: any smoothing that uvs and positions do not share shows */
    TestCage *cage = make_grid(CELLS, CELLS, 1, 0.3, 0.0, 0);
    write_grid(cage, "q.obj", true);
    ToileScene *scene = load(", \"pattern\": \"metric\", \"subdivide\": {\"simulate\": 2}", "");
    ToileSceneCloth cloth = scene_cloth(scene, 0);
    const ToileMeshDef *mesh = cloth.mesh;
    double area = 0;
    ck_assert_int_eq(cloth.file_vertex_count, 49);
    ck_assert_int_eq(cloth.file_face_count, 48);
    ck_assert_int_eq(mesh->face_count, 4 * mesh->corner_count / 16);
    ck_assert_int_eq(mesh->face_count, 4 * (24 * 4 + 24 * 3));
    ck_assert_int_eq(cloth.output_face_count, mesh->face_count);
    for (int32_t c = 0; c < mesh->corner_count; c++)
        for (int32_t k = 0; k < 2; k++)
            ck_assert_double_lt(fabs(mesh->uvs[2 * mesh->corner_uvs[c] + k] -
                                     mesh->positions_m[3 * mesh->corners[c] + k]),
                                6 * FLOATS);
    for (int32_t f = 0; f < mesh->face_count; f++) {
        const int32_t *i = mesh->corner_uvs + 4 * f;
        const double *a = mesh->uvs + 2 * i[0], *b = mesh->uvs + 2 * i[1];
        const double *c = mesh->uvs + 2 * i[2], *d = mesh->uvs + 2 * i[3];
        double twice = (c[0] - a[0]) * (d[1] - b[1]) - (c[1] - a[1]) * (d[0] - b[0]);
        ck_assert_double_gt(twice, 0.0); /* none is turned over */
        area += 0.5 * twice;
    }
    ck_assert_double_lt(fabs(area - CELLS * CELLS), 36 * FLOATS);
    toile_scene_free(scene);
    free(cage);
}
END_TEST

/* a pentagon and a triangle beside it */
START_TEST(faces_of_many_corners_become_quads) {
    static const char mesh_obj[] = "v 0 0 0\nv 1 0 0\nv 1.5 0 1\nv 0.5 0 2\nv -0.5 0 1\nv 2 0 0\n"
                                   "vt 0 0\nvt 1 0\nvt 1.5 1\nvt 0.5 2\nvt -0.5 1\nvt 2 0\n"
                                   "f 1/1 2/2 3/3 4/4 5/5\nf 2/2 6/6 3/3\n";
    char path[IO_PATH_SIZE];
    io_file_write_text(scene_folder, "q.obj", mesh_obj, path);
    ToileScene *scene = load(", \"rest\": \"q.obj\", \"subdivide\": {\"simulate\": 1}, \"pins\": "
                             "[{\"vertices\": [3, 4]}]",
                             "");
    ToileSceneCloth cloth = scene_cloth(scene, 0);
    ck_assert_int_eq(cloth.file_face_count, 2);
    ck_assert_int_eq(cloth.mesh->face_count, 5 + 3);
    ck_assert_int_eq(cloth.mesh->corner_count, 4 * (5 + 3));
    ck_assert_int_eq(cloth.mesh->vertex_count, 6 + 7 + 2);
    ck_assert_int_eq(cloth.pin_count, 3);
    toile_scene_free(scene);
    /* what would be simulated as it is */
    ToileError error = toile_error_default();
    IoFindings findings;
    scene_write(", \"subdivide\": {\"output\": 1}", "");
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, &error), INVALID);
    ck_assert_msg(strstr(error.message, "face 0 has 5 corners") &&
                      strstr(error.message, "\"subdivide\": {\"simulate\": 1}"),
                  "%s", error.message);
    scene_write(", \"subdivide\": {\"simulate\": 1, \"scheme\": \"loop\"}", "");
    ck_assert_int_eq(scene_load(NULL, 0, &findings, &scene, &error), INVALID);
    ck_assert_msg(strstr(error.message, "face 0 has 5 corners"), "%s", error.message);
}
END_TEST

START_TEST(panels_keep_their_outline_and_their_seams) {
    TestCage *cage = make_grid(CELLS, CELLS, 0, 0.3, 0.5, 1);
    write_grid(cage, "q.obj", true);
    ToileScene *scene = load(", \"pattern\": \"metric\", \"subdivide\": {\"simulate\": 1}", "");
    const ToileMeshDef *mesh = scene_cloth(scene, 0).mesh;
    ck_assert_int_eq(mesh->vertex_count, 13 * 13);
    ck_assert_int_eq(mesh->uv_count, 13 * 14);
    /* every vertex and every middle of an edge of the two outlines is there */
    for (int32_t panel = 0; panel < 2; panel++)
        for (int32_t j = 0; j < CELLS; j++) {
            const double *a = cage->uv + 2 * (7 * j + 3), *b = cage->uv + 2 * (7 * (j + 1) + 3);
            double shift = panel ? 10.0 : 0.0, least = 1;
            for (int32_t i = 0; i < mesh->uv_count; i++) {
                double du = mesh->uvs[2 * i] - 0.5 * (a[0] + b[0]) - shift;
                double dv = mesh->uvs[2 * i + 1] - 0.5 * (a[1] + b[1]);
                least = fmin(least, fabs(du) + fabs(dv));
            }
            ck_assert_double_lt(least, 18 * FLOATS);
        }
    toile_scene_free(scene);
    free(cage);
}
END_TEST

START_TEST(start_and_rest_are_refined_by_the_same_rule) {
    TestCage *cage = make_grid(CELLS, CELLS, 0, 0.3, 0.5, 0);
    TestCage *other = make_grid(CELLS, CELLS, 0, 0.0, 1.0, 0);
    write_grid(cage, "q.obj", true);
    write_grid(other, "start.obj", false);
    ToileScene *scene = load(
        ", \"start\": \"start.obj\", \"rest\": \"start.obj\", \"subdivide\": {\"simulate\": 2}",
        "");
    write_grid(other, "q.obj", true);
    ToileScene *reference = load(", \"subdivide\": {\"simulate\": 2}", "");
    const ToileMeshDef *wanted = scene_cloth(reference, 0).mesh;
    size_t bytes = 3 * (size_t)wanted->vertex_count * sizeof(double);
    ck_assert_mem_eq(scene->cloths[0].start->mesh.positions_m, wanted->positions_m, bytes);
    ck_assert_mem_eq(scene->cloths[0].rest->mesh.positions_m, wanted->positions_m, bytes);
    ck_assert(memcmp(scene->cloths[0].mesh->mesh.positions_m, wanted->positions_m, bytes) != 0);
    toile_scene_free(scene);
    toile_scene_free(reference);
    free(cage);
    free(other);
}
END_TEST

START_TEST(pins_hold_refined_vertices_and_edges_between_them) {
    TestCage *cage = make_grid(CELLS, CELLS, 0, 0.0, 0.0, 0);
    write_grid(cage, "q.obj", true);
    /* a chain of two edges, and one vertex of its own */
    ToileScene *scene =
        load(", \"subdivide\": {\"simulate\": 2}, \"pins\": [{\"vertices\": [0, 1, 2, 24]}]", "");
    ck_assert_int_eq(scene_cloth(scene, 0).pin_count, 9 + 1);
    const TlScenePin *pin = &scene->cloths[0].pins[0];
    for (int32_t i = 0; i < pin->vertex_count; i++) {
        const double *x = scene->cloths[0].mesh->mesh.positions_m + 3 * pin->vertices[i];
        ck_assert((x[1] < FLOATS && x[0] < 2 + FLOATS) || fabs(x[0] - 3) + fabs(x[1] - 3) < FLOATS);
    }
    toile_scene_free(scene);
    /* a face with all its corners, and the diagonal of another */
    scene = load(", \"subdivide\": {\"simulate\": 1}, \"pins\": [{\"vertices\": [0, 1, 7, 8, 16]}]",
                 "");
    ck_assert_int_eq(scene_cloth(scene, 0).pin_count, 9 + 1);
    toile_scene_free(scene);
    scene = load(", \"subdivide\": {\"simulate\": 2}, \"pins\": [{\"group\": \"hem\"}]", "");
    ck_assert_int_eq(scene_cloth(scene, 0).pin_count, 25 * 5);
    toile_scene_free(scene);
    static const Bad bads[] = {
        {", \"subdivide\": {\"simulate\": 1}, \"pins\": [{\"vertices\": [49]}]", "", INVALID, 4, 56,
         "whole numbers from 0 to 48 are allowed"}};
    CHECK_BAD(bads);
    free(cage);
}
END_TEST

START_TEST(maps_are_interpolated_within_their_range) {
    char keys[2048];
    size_t used = (size_t)snprintf(keys, sizeof keys,
                                   ", \"subdivide\": {\"simulate\": 2}, \"fabric\": {\"bend\": "
                                   "{\"rest_curvature_per_m\": {\"values\": [");
    TestCage *cage = make_grid(CELLS, CELLS, 0, 0.0, 0.0, 0);
    write_grid(cage, "q.obj", true);
    for (int32_t v = 0; v < 49; v++)
        used += (size_t)snprintf(keys + used, sizeof keys - used, "%s%d", v ? ", " : "",
                                 v % 7 >= 3 ? 8 : 0);
    snprintf(keys + used, sizeof keys - used, "]}}}");
    ToileScene *scene = load(keys, "");
    ToileSceneCloth cloth = scene_cloth(scene, 0);
    for (int32_t v = 0; v < cloth.mesh->vertex_count; v++) {
        double x = cloth.mesh->positions_m[3 * v];
        double wanted = 8 * fmin(fmax(x - 2, 0), 1);
        ck_assert_double_lt(fabs(cloth.rest_curvature_map_per_m[v] - wanted), 8 * 6 * FLOATS);
    }
    toile_scene_free(scene);
    free(cage);
}
END_TEST

START_TEST(subdivision_refuses_what_it_cannot_do) {
    static const Bad bads[] = {
        {", \"subdivide\": {\"simulate\": 7}", "", INVALID, 4, 29,
         "cloth[0].subdivide.simulate: 7"},
        {", \"subdivide\": {\"limit\": true}", "", INVALID, 4, 26,
         "the limit surface is written at the vertices of \"output\", which is 0"},
        {", \"subdivide\": {\"output\": 1, \"scheme\": \"loop\"}", "", INVALID, 4, 27,
         "face 0 has 4 corners; Loop subdivision takes triangles only"},
        {", \"subdivide\": {\"output\": 1, \"scheme\": \"catmull\"}", "", INVALID, 4, 40,
         "catmull-clark"}};
    static const Bad shared[] = {
        {", \"subdivide\": {\"simulate\": 1}", "", INVALID, 4, 29,
         "edge between vertices 0 and 1 is shared by the faces 0, 1 and 2"}};
    char path[IO_PATH_SIZE];
    CHECK_BAD(bads);
    io_file_write_text(scene_folder, "q.obj",
                       "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\n"
                       "f 1 2 3\nf 2 1 4\nf 1 2 5\n",
                       path);
    CHECK_BAD(shared);
}
END_TEST

/* ---- output ---- */

/* A sheet that hangs by two corners, after some frames, with its cache. */
typedef struct Hung {
    ToileScene *scene;
    ToileSim *sim;
    ToileClothId id;
    char cache[IO_PATH_SIZE];
} Hung;

static Hung hang_for(int32_t count, const char *subdivide, const char *ending) {
    char keys[512];
    const int32_t frames[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    ToileError error = toile_error_default();
    ToileSimDef def = toile_sim_def_default();
    ToileCache *cache = NULL;
    Hung hung = {0};
    snprintf(keys, sizeof keys, ", \"pins\": [{\"vertices\": [42, 48]}], \"subdivide\": {%s}",
             subdivide);
    hung.scene = load(keys, ", \"solver\": {\"quality\": \"accurate\"}");
    snprintf(hung.cache, sizeof hung.cache, "%.200s/out.%s", scene_folder, ending);
    toile_scene_sim_def(hung.scene, &def, NULL);
    ToileStatus status = toile_scene_create_sim(hung.scene, &def, &hung.sim, &hung.id, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    status = toile_cache_create(hung.cache, hung.scene, frames, count, &cache, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    for (int32_t frame = 1; frame <= count; frame++) {
        if (frame > 1)
            ck_assert_int_eq(toile_sim_step(hung.sim, &error), TOILE_STATUS_OK);
        ck_assert_int_eq(toile_cache_add(cache, hung.sim, &hung.id, &error), TOILE_STATUS_OK);
    }
    ck_assert_int_eq(toile_cache_finish(cache, &error), TOILE_STATUS_OK);
    return hung;
}

static Hung hang(const char *subdivide, const char *ending) {
    return hang_for(2, subdivide, ending);
}

static void take_down(Hung *hung) {
    toile_sim_destroy(hung->sim);
    toile_scene_free(hung->scene);
}

typedef ToileStatus (*Get)(const ToileSim *, ToileClothId, double *, ToileError *);

/* What a table of the plain grid makes of the simulation's vertices; the file's mesh is simulated.
 */
static double *surface_of(const Hung *hung, const TestCage *cage, uint32_t level, osdc_kind kind,
                          Get get, uint32_t count) {
    osdc_options options = osdc_options_default();
    osdc_mesh *mesh = NULL;
    osdc_table *table = NULL;
    double x[3 * CAGE_MAX], *wanted = calloc(3 * (size_t)count, sizeof *wanted);
    uint32_t rows = 0;
    options.level = level;
    ck_assert_int_eq(osdc_create(&cage->cage, &options, &mesh, NULL), OSDC_OK);
    ck_assert_int_eq(osdc_table_create(mesh, kind, 0, &table, NULL), OSDC_OK);
    osdc_table_rows(table, &rows, NULL, NULL, NULL, NULL, NULL);
    ck_assert_uint_eq(rows, count);
    ck_assert_int_eq(get(hung->sim, hung->id, x, NULL), TOILE_STATUS_OK);
    osdc_apply_double(table, x, 3, wanted, 3, 3, 0, rows, NULL);
    osdc_table_free(table);
    osdc_free(mesh);
    return wanted;
}

/* Files of floats hold it to the last bit. */
static void expect(const Hung *hung, const TestCage *cage, uint32_t level, osdc_kind kind, Get get,
                   const float *found, uint32_t count) {
    double *wanted = surface_of(hung, cage, level, kind, get, count);
    for (uint32_t i = 0; i < 3 * count; i++)
        ck_assert_msg(found[i] == (float)wanted[i], "%u: %.9g, not %.9g", i, (double)found[i],
                      wanted[i]);
    free(wanted);
}

START_TEST(archive_holds_surface_velocities_and_uvs) {
    TestCage *cage = make_grid(CELLS, CELLS, 0, 0.3, 0.5, 1);
    write_grid(cage, "q.obj", true);
    for (int32_t limit = 0; limit < 2; limit++) {
        Hung hung = hang(limit ? "\"output\": 2, \"limit\": true" : "\"output\": 2", "abc");
        abcc_reader *reader = NULL;
        abcc_obj object = 0;
        abcc_mesh_sizes sizes = abcc_mesh_sizes_default();
        abcc_mesh_out out = abcc_mesh_out_default();
        ck_assert_int_eq(abcc_open(hung.cache, 0, NULL, &reader, NULL), ABCC_OK);
        ck_assert_int_eq(abcc_find(reader, "/c/cShape", &object, NULL), ABCC_OK);
        ck_assert_int_eq(abcc_mesh_size(reader, object, 1, &sizes, NULL), ABCC_OK);
        ck_assert_uint_eq(sizes.verts, 25 * 25);
        ck_assert_uint_eq(sizes.faces, 24 * 24);
        ck_assert_uint_eq(sizes.uv_values, 25 * 26);
        ck_assert_int_eq(sizes.topology, ABCC_TOPO_FIXED);
        ck_assert_int_eq(scene_cloth(hung.scene, 0).output_vertex_count, 25 * 25);
        float P[3 * 625], v[3 * 625], uv[2 * 650];
        uint32_t uv_index[4 * 576];
        out.cap_verts = 625;
        out.cap_uv = 650;
        out.cap_corners = 4 * 576;
        out.P = P;
        out.v = v;
        out.uv = uv;
        out.uv_index = uv_index;
        ck_assert_int_eq(abcc_mesh_read(reader, object, 1, &out, NULL), ABCC_OK);
        osdc_kind kind = limit ? OSDC_LIMIT : OSDC_VERTEX;
        expect(&hung, cage, 2, kind, toile_sim_get_positions, P, sizes.verts);
        expect(&hung, cage, 2, kind, toile_sim_get_velocities, v, sizes.verts);
        /* the group of the lowest row holds what became of it */
        uint32_t faces = 0;
        ck_assert_int_eq(abcc_find(reader, "/c/cShape/hem", &object, NULL), ABCC_OK);
        ck_assert_int_eq(abcc_faceset_size(reader, object, 0, &faces, NULL), ABCC_OK);
        ck_assert_uint_eq(faces, 16 * CELLS);
        /* the seam stays a seam */
        for (uint32_t i = 0; i < sizes.uv_values; i++)
            ck_assert(uv[2 * i] < 3.4F || uv[2 * i] > 12.6F);
        abcc_close(reader);
        take_down(&hung);
    }
    free(cage);
}
END_TEST

START_TEST(point_caches_and_obj_files_hold_the_same_surface) {
    static const char *const endings[] = {"pc2", "mdd"};
    TestCage *cage = make_grid(CELLS, CELLS, 1, 0.3, 0.5, 0);
    write_grid(cage, "q.obj", true);
    Hung hung = hang("\"output\": 1, \"limit\": true", "obj");
    char path[IO_PATH_SIZE];
    ToileObj *obj = NULL;
    snprintf(path, sizeof path, "%.200s/out.0002.obj", scene_folder);
    ck_assert_int_eq(toile_obj_read(path, 1.0, true, &obj, NULL), TOILE_STATUS_OK);
    ToileSceneCloth cloth = scene_cloth(hung.scene, 0);
    ck_assert_int_eq(obj->mesh.vertex_count, cloth.output_vertex_count);
    ck_assert_int_eq(obj->mesh.face_count, cloth.output_face_count);
    float *P = calloc(3 * (size_t)obj->mesh.vertex_count, sizeof *P);
    double *wanted = surface_of(&hung, cage, 1, OSDC_LIMIT, toile_sim_get_positions,
                                (uint32_t)obj->mesh.vertex_count);
    for (int32_t i = 0; i < 3 * obj->mesh.vertex_count; i++)
        ck_assert_double_eq_tol(obj->mesh.positions_m[i], wanted[i], NINE_DIGITS);
    free(wanted);
    take_down(&hung);
    for (int32_t e = 0; e < 2; e++) {
        ToilePointCacheInfo info = {.struct_size = (uint32_t)sizeof info};
        ToilePointCacheReader *reader = NULL;
        hung = hang("\"output\": 1, \"limit\": true", endings[e]);
        ck_assert_int_eq(toile_pointcache_open(hung.cache, &info, &reader, NULL), TOILE_STATUS_OK);
        ck_assert_int_eq(info.point_count, obj->mesh.vertex_count);
        ck_assert_int_eq(toile_pointcache_read(reader, 1, P, NULL), TOILE_STATUS_OK);
        expect(&hung, cage, 1, OSDC_LIMIT, toile_sim_get_positions, P, (uint32_t)info.point_count);
        toile_pointcache_close(reader);
        take_down(&hung);
    }
    free(P);
    toile_obj_free(obj);
    free(cage);
}
END_TEST

/* The last sample of a point cache, for free(). */
static float *read_last(const char *path, int32_t *count) {
    ToilePointCacheInfo info = {.struct_size = (uint32_t)sizeof info};
    ToilePointCacheReader *reader = NULL;
    ck_assert_int_eq(toile_pointcache_open(path, &info, &reader, NULL), TOILE_STATUS_OK);
    float *P = calloc(3 * (size_t)info.point_count, sizeof *P);
    ck_assert_int_eq(toile_pointcache_read(reader, info.sample_count - 1, P, NULL),
                     TOILE_STATUS_OK);
    toile_pointcache_close(reader);
    *count = info.point_count;
    return P;
}

/* How far the points of `a` are from the nearest of `b`, at most. */
static double distance(const float *a, const float *b, int32_t count) {
    double worst = 0;
    for (int32_t i = 0; i < count; i++) {
        double least = HUGE_VAL;
        for (int32_t j = 0; j < count; j++) {
            double d2 = 0;
            for (int32_t k = 0; k < 3; k++) {
                double d = (double)a[3 * i + k] - (double)b[3 * j + k];
                d2 += d * d;
            }
            least = fmin(least, d2);
        }
        worst = fmax(worst, least);
    }
    return sqrt(worst);
}

START_TEST(limit_surface_shows_no_diagonals) {
    /* the mirrored sheet has the same numbers, so whatever splits quads by numbers or corners takes
     * the other diagonal; the surface must still be the mirrored one */
    TestCage *cage = make_grid(CELLS, CELLS, 0, 0.3, 0.5, 0);
    TestCage *mirror = make_grid(CELLS, CELLS, 0, 0.3, 0.5, 0);
    for (int32_t v = 0; v < 49; v++) {
        int32_t w = v - v % 7 + 6 - v % 7;
        mirror->x[3 * w] = CELLS - cage->x[3 * v];
        mirror->x[3 * w + 1] = cage->x[3 * v + 1];
        mirror->x[3 * w + 2] = cage->x[3 * v + 2];
    }
    float *P[2];
    int32_t count = 0;
    for (int32_t i = 0; i < 2; i++) {
        write_grid(i ? mirror : cage, "q.obj", true);
        Hung hung = hang_for(8, "\"output\": 2, \"limit\": true", "pc2");
        P[i] = read_last(hung.cache, &count);
        take_down(&hung);
    }
    for (int32_t v = 0; v < count; v++)
        P[1][3 * v] = CELLS - P[1][3 * v];
    double apart = distance(P[0], P[1], count);
    printf("surface and mirrored surface are %.2g m apart, edges 0.25 m\n", apart);
    ck_assert_double_lt(apart, 1e-5); /* what the solver leaves open */
    free(P[0]);
    free(P[1]);
    free(cage);
    free(mirror);
}
END_TEST

/* A cube as a subdivision surface: a crease around the top, one edge and one corner of their own.
 */
static void write_cube(const char *scheme) {
    static const int32_t lengths[2] = {5, 2}, verts[7] = {4, 5, 7, 6, 4, 0, 1}, corner = 2;
    static const float sharpness[2] = {2.5F, 10.0F}, corner_sharpness = 1.5F;
    char path[IO_PATH_SIZE];
    TestCage *cube = make_cube();
    float P[24];
    abcc_writer *writer = NULL;
    abcc_obj object = 0;
    abcc_create_info info = abcc_create_info_default();
    abcc_mesh_in in = abcc_mesh_in_default();
    abcc_subd_in subd = abcc_subd_in_default();
    for (int32_t i = 0; i < 24; i++)
        P[i] = (float)cube->x[i];
    in.verts = 8;
    in.faces = 6;
    in.corners = 24;
    in.P = P;
    in.face_count = cube->sizes;
    in.index = cube->index;
    subd.creases = 2;
    subd.crease_verts = 7;
    subd.crease_sharps = 2;
    subd.corners = 1;
    subd.boundary = 1;
    subd.scheme = scheme;
    subd.crease_length = lengths;
    subd.crease_vert = verts;
    subd.crease_sharpness = sharpness;
    subd.corner_vert = &corner;
    subd.corner_sharpness = &corner_sharpness;
    info.fps = 24;
    snprintf(path, sizeof path, "%.200s/cube.abc", scene_folder);
    ck_assert_int_eq(abcc_create(path, &info, &writer, NULL), ABCC_OK);
    ck_assert_int_eq(abcc_add_subd(writer, 0, "cube", 0, NULL, &object, NULL), ABCC_OK);
    ck_assert_int_eq(abcc_subd_write(writer, object, &in, &subd, NULL), ABCC_OK);
    ck_assert_int_eq(abcc_finish(writer, NULL), ABCC_OK);
    free(cube);
}

/* Writes the start of a cloth that is the cube, to out.ENDING. */
static void write_start(const char *subdivide, const char *root_keys, const char *ending,
                        char path[IO_PATH_SIZE]) {
    const int32_t frame = 1;
    char text[512];
    ToileError error = toile_error_default();
    ToileSimDef def = toile_sim_def_default();
    ToileSim *sim = NULL;
    ToileClothId id;
    ToileCache *cache = NULL;
    snprintf(text, sizeof text,
             "{\"toile\": 1, \"frames\": \"1\", \"cloth\": [{\"name\": \"c\", \"mesh\": "
             "\"cube.abc:/cube\", \"subdivide\": {%s}}]%s}",
             subdivide, root_keys);
    io_file_write_text(scene_folder, "scene.json", text, scene_path);
    ToileScene *scene = scene_load_good();
    snprintf(path, IO_PATH_SIZE, "%.200s/out.%s", scene_folder, ending);
    toile_scene_sim_def(scene, &def, NULL);
    ck_assert_int_eq(toile_scene_create_sim(scene, &def, &sim, &id, &error), TOILE_STATUS_OK);
    ToileStatus status = toile_cache_create(path, scene, &frame, 1, &cache, &error);
    ck_assert_msg(status == TOILE_STATUS_OK, "%s", error.message);
    ck_assert_int_eq(toile_cache_add(cache, sim, &id, &error), TOILE_STATUS_OK);
    ck_assert_int_eq(toile_cache_finish(cache, &error), TOILE_STATUS_OK);
    toile_sim_destroy(sim);
    toile_scene_free(scene);
}

static float *read_start(const char *subdivide, int32_t *count) {
    char path[IO_PATH_SIZE];
    write_start(subdivide, "", "pc2", path);
    return read_last(path, count);
}

START_TEST(creases_of_an_archive_reach_the_surface_by_either_way) {
    static const char *const ways[] = {"\"output\": 3, \"limit\": true",
                                       "\"simulate\": 1, \"output\": 2, \"limit\": true",
                                       "\"simulate\": 2, \"output\": 1, \"limit\": true"};
    TestCage *cube = make_cube();
    osdc_options options = osdc_options_default();
    osdc_mesh *mesh = NULL;
    osdc_table *table = NULL;
    double wanted[3 * 386];
    float P[3 * 386];
    const int32_t top[5] = {4, 5, 7, 6, 4};
    for (int32_t i = 0; i < 4; i++)
        add_crease(cube, top[i], top[i + 1], 2.5F);
    add_crease(cube, 0, 1, 10.0F);
    add_corner(cube, 2, 1.5F);
    options.level = 3;
    ck_assert_int_eq(osdc_create(&cube->cage, &options, &mesh, NULL), OSDC_OK);
    ck_assert_int_eq(osdc_table_create(mesh, OSDC_LIMIT, 0, &table, NULL), OSDC_OK);
    ck_assert_int_eq(osdc_apply_double(table, cube->x, 3, wanted, 3, 3, 0, 386, NULL), OSDC_OK);
    for (int32_t i = 0; i < 3 * 386; i++)
        P[i] = (float)wanted[i];
    write_cube("catmull-clark");
    for (int32_t way = 0; way < 3; way++) {
        int32_t count = 0;
        float *found = read_start(ways[way], &count);
        ck_assert_int_eq(count, 386);
        ck_assert_double_lt(distance(P, found, count), 1e-6);
        free(found);
    }
    osdc_table_free(table);
    osdc_free(mesh);
    free(cube);
}
END_TEST

START_TEST(cage_in_the_cache_has_what_is_still_sharp) {
    /* the crease of 2.5 is twice as many edges of 1.5, the corner of 1.5 one of 0.5 */
    char path[IO_PATH_SIZE];
    abcc_reader *reader = NULL;
    abcc_obj object = 0;
    abcc_subd_sizes sizes = abcc_subd_sizes_default();
    abcc_subd_out out = abcc_subd_out_default();
    float sharpness[10], corner_sharpness[1];
    int32_t corner[1], sharp = 0;
    write_cube("catmull-clark");
    write_start("\"simulate\": 1", ", \"output\": {\"schema\": \"subd\"}", "abc", path);
    ck_assert_int_eq(abcc_open(path, 0, NULL, &reader, NULL), ABCC_OK);
    ck_assert_int_eq(abcc_find(reader, "/c/cShape", &object, NULL), ABCC_OK);
    ck_assert_int_eq(abcc_subd_size(reader, object, 0, &sizes, NULL), ABCC_OK);
    ck_assert_uint_eq(sizes.crease_edges, 10);
    ck_assert_uint_eq(sizes.corners, 1);
    out.cap_crease_edges = 10;
    out.cap_corners = 1;
    out.edge_sharpness = sharpness;
    out.corner_vert = corner;
    out.corner_sharpness = corner_sharpness;
    ck_assert_int_eq(abcc_subd_read(reader, object, 0, &out, NULL), ABCC_OK);
    for (int32_t i = 0; i < 10; i++) {
        sharp += sharpness[i] == 10.0F;
        ck_assert(sharpness[i] == 10.0F || sharpness[i] == 1.5F);
    }
    ck_assert_int_eq(sharp, 2);
    ck_assert_int_eq(corner[0], 2);
    ck_assert(corner_sharpness[0] == 0.5F);
    abcc_close(reader);
}
END_TEST

START_TEST(scheme_of_an_archive_counts_unless_the_scene_says_otherwise) {
    int32_t count = 0;
    write_cube("bilinear");
    float *P = read_start("\"output\": 1", &count);
    ck_assert(P[0] == -1.0F); /* corners stay */
    free(P);
    P = read_start("\"output\": 1, \"scheme\": \"catmull-clark\"", &count);
    ck_assert(P[0] > -1.0F);
    free(P);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("scene_subdivide");
    TCase *simulate = tcase_create("simulate");
    tcase_add_checked_fixture(simulate, scene_make_folder, scene_remove_folder);
    tcase_add_test(simulate, flat_mesh_that_is_its_pattern_stays_so);
    tcase_add_test(simulate, faces_of_many_corners_become_quads);
    tcase_add_test(simulate, panels_keep_their_outline_and_their_seams);
    tcase_add_test(simulate, start_and_rest_are_refined_by_the_same_rule);
    tcase_add_test(simulate, pins_hold_refined_vertices_and_edges_between_them);
    tcase_add_test(simulate, maps_are_interpolated_within_their_range);
    tcase_add_test(simulate, subdivision_refuses_what_it_cannot_do);
    suite_add_tcase(suite, simulate);
    TCase *output = tcase_create("output");
    tcase_add_checked_fixture(output, scene_make_folder, scene_remove_folder);
    tcase_add_test(output, archive_holds_surface_velocities_and_uvs);
    tcase_add_test(output, point_caches_and_obj_files_hold_the_same_surface);
    tcase_add_test(output, limit_surface_shows_no_diagonals);
    tcase_add_test(output, creases_of_an_archive_reach_the_surface_by_either_way);
    tcase_add_test(output, cage_in_the_cache_has_what_is_still_sharp);
    tcase_add_test(output, scheme_of_an_archive_counts_unless_the_scene_says_otherwise);
    suite_add_tcase(suite, output);
    return run_suite(suite);
}
