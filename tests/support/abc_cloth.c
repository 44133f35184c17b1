/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Builders and readers behind the tests of the Alembic shim. */
#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "abc_cloth.h"

#include "abc_everything.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char abc_folder[256];
char abc_path[300];
abcc_error abc_error;

/* ---- a mesh: quads, the first one cut into two triangles, with one uv seam ---- */

static void grid_face(AbcGrid *grid, int *face, int *corner, const int32_t *verts, int count) {
    grid->count[(*face)++] = count;
    for (int i = 0; i < count; i++) {
        grid->uv_index[*corner] = (uint32_t)verts[i];
        grid->index[(*corner)++] = verts[i];
    }
}

void abc_grid_move(AbcGrid *grid, int frame) {
    for (int i = 0; i < VERTS; i++) {
        float x = (float)(i % (COLUMNS + 1)), y = (float)(i / (COLUMNS + 1));
        float z = sinf(0.7f * x + 0.3f * (float)frame) / 3.0f;
        float p[3] = {x + 0.1f, y - 0.3f * (float)frame, z};
        float v[3] = {0.0f, -7.2f, 7.2f * z};
        memcpy(grid->P + 3 * i, p, sizeof p);
        memcpy(grid->v + 3 * i, v, sizeof v);
    }
}

AbcGrid abc_grid_make(void) {
    AbcGrid grid;
    int face = 0, corner = 0;
    memset(&grid, 0, sizeof grid);
    for (int32_t row = 0; row < ROWS; row++)
        for (int32_t column = 0; column < COLUMNS; column++) {
            int32_t a = row * (COLUMNS + 1) + column, b = a + 1;
            int32_t c = b + COLUMNS + 1, d = a + COLUMNS + 1;
            int32_t quad[4] = {a, b, c, d}, other[3] = {a, c, d};
            grid_face(&grid, &face, &corner, quad, row + column == 0 ? 3 : 4);
            if (row + column == 0)
                grid_face(&grid, &face, &corner, other, 3);
        }
    for (int i = 0; i <= VERTS; i++) {
        grid.uv[2 * i] = (float)(i % (COLUMNS + 1)) / COLUMNS;
        grid.uv[2 * i + 1] = (float)i / VERTS;
    }
    grid.uv_index[CORNERS - 1] = VERTS;
    abc_grid_move(&grid, 0);
    ck_assert_int_eq(face, FACES);
    ck_assert_int_eq(corner, CORNERS);
    return grid;
}

abcc_mesh_in abc_grid_sample(const AbcGrid *grid, bool faces, bool velocities) {
    abcc_mesh_in in = abcc_mesh_in_default();
    in.verts = VERTS;
    in.P = grid->P;
    in.v = velocities ? grid->v : NULL;
    if (faces) {
        in.faces = FACES;
        in.corners = CORNERS;
        in.uv_values = VERTS + 1;
        in.face_count = grid->count;
        in.index = grid->index;
        in.uv = grid->uv;
        in.uv_index = grid->uv_index;
    }
    return in;
}

/* ---- files ---- */

void abc_setup(void) {
    const char *base = getenv("TMPDIR");
    snprintf(abc_folder, sizeof abc_folder, "%s/toile-abc-XXXXXX", base && *base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(abc_folder));
    snprintf(abc_path, sizeof abc_path, "%s/cache.abc", abc_folder);
    memset(&abc_error, 0, sizeof abc_error);
}

int abc_files(bool remove_them) {
    DIR *listing = opendir(abc_folder);
    int count = 0;
    ck_assert_ptr_nonnull(listing);
    for (struct dirent *entry = readdir(listing); entry; entry = readdir(listing)) {
        char name[600];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", abc_folder, entry->d_name);
        count++;
        if (remove_them)
            remove(name);
    }
    closedir(listing);
    return count;
}

void abc_teardown(void) {
    abc_files(true);
    rmdir(abc_folder);
}

TCase *abc_case(Suite *suite, const char *name) {
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, abc_setup, abc_teardown);
    suite_add_tcase(suite, tests);
    return tests;
}

bool abc_exists(const char *name) {
    struct stat status;
    return stat(name, &status) == 0;
}

uint8_t *abc_load(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    ck_assert_msg(file != NULL, "%s cannot be opened", name);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

void abc_save(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(name, "wb");
    ck_assert_msg(file != NULL, "%s cannot be created", name);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

abcc_writer *abc_begin(const char *name, unsigned flags) {
    abcc_create_info info = abcc_create_info_default();
    abcc_writer *writer = NULL;
    info.fps = FPS;
    info.flags = flags;
    info.application = "Toile test";
    info.description = "a=1; b=2";
    OK(abcc_create(name, &info, &writer, &abc_error));
    return writer;
}

/* A transform and a mesh at one sample a frame. */
abcc_writer *abc_begin_cloth(const char *name, unsigned flags, abcc_obj *mesh) {
    abcc_writer *writer = abc_begin(name, flags);
    abcc_time time = 0;
    abcc_obj xform = 0;
    OK(abcc_time_uniform(writer, FIRST_FRAME / FPS, 1 / FPS, &time, &abc_error));
    OK(abcc_add_xform(writer, 0, "cloth", 0, &xform, &abc_error));
    OK(abcc_add_mesh(writer, xform, "clothShape", time, "UVMap", mesh, &abc_error));
    return writer;
}

void abc_write_frames(abcc_writer *writer, abcc_obj mesh, AbcGrid *grid, int frames) {
    for (int frame = 0; frame < frames; frame++) {
        abc_grid_move(grid, frame);
        abcc_mesh_in in = abc_grid_sample(grid, frame == 0, true);
        OK(abcc_mesh_write(writer, mesh, &in, &abc_error));
    }
}

void abc_write_cloth(const char *name, unsigned flags) {
    abcc_obj mesh = 0;
    AbcGrid grid = abc_grid_make();
    abcc_writer *writer = abc_begin_cloth(name, flags, &mesh);
    abc_write_frames(writer, mesh, &grid, FRAMES);
    OK(abcc_property_string(writer, mesh, "toileVersion", "0.1.0", &abc_error));
    OK(abcc_property_double(writer, mesh, "unit_m", 1.0, &abc_error));
    OK(abcc_property_int(writer, mesh, "complete", 0, &abc_error));
    OK(abcc_property_int(writer, mesh, "complete", 1, &abc_error));
    OK(abcc_finish(writer, &abc_error));
}

void abc_write_shifted(void) {
    static const double shift[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 100, 0, 0, 1};
    abcc_obj outer = 0, mesh = 0;
    abcc_time time = 0;
    AbcGrid grid = abc_grid_make();
    abcc_writer *writer = abc_begin(abc_path, 0);
    OK(abcc_time_uniform(writer, FIRST_FRAME / FPS, 1 / FPS, &time, &abc_error));
    OK(abcc_add_xform(writer, 0, "cloth", 0, &outer, &abc_error));
    OK(abcc_xform_write(writer, outer, shift, 1, &abc_error));
    OK(abcc_add_mesh(writer, outer, "clothShape", time, NULL, &mesh, &abc_error));
    abc_write_frames(writer, mesh, &grid, 2);
    OK(abcc_finish(writer, &abc_error));
}

abcc_reader *abc_open(const char *name, unsigned flags) {
    abcc_reader *reader = NULL;
    OK(abcc_open(name, flags, NULL, &reader, &abc_error));
    return reader;
}

abcc_obj abc_find(abcc_reader *reader, const char *name) {
    abcc_obj obj = 0;
    OK(abcc_find(reader, name, &obj, &abc_error));
    return obj;
}

abcc_mesh_out abc_grid_room(AbcGrid *grid) {
    abcc_mesh_out out = abcc_mesh_out_default();
    out.cap_verts = VERTS;
    out.cap_faces = FACES;
    out.cap_corners = CORNERS;
    out.cap_uv = VERTS + 1;
    out.P = grid->P;
    out.v = grid->v;
    out.face_count = grid->count;
    out.index = grid->index;
    out.uv = grid->uv;
    out.uv_index = grid->uv_index;
    return out;
}

/* Reads whatever a file offers; answers with the first refusal. For files of any kind. */
abcc_status abc_read_mesh(abcc_reader *reader, abcc_obj obj, uint32_t sample) {
    return abc_read_mesh_sample(reader, obj, sample, &abc_error);
}

abcc_status abc_read_all(const char *name) {
    AbcSeen seen;
    abcc_status status = abc_read_everything(name, 8, &seen);
    abc_error = seen.last_error;
    return status == ABCC_OK ? seen.first : status;
}

const char *abc_shared_folder(void) {
    static char name[1000];
    const char *shared = getenv("TOILE_SHARED");
    if (!shared || !*shared)
        return NULL;
    snprintf(name, sizeof name, "%s/data/abc", shared);
    return abc_exists(name) ? name : NULL;
}

const char *abc_shared_file(const char *name) {
    static char full[1200];
    const char *where = abc_shared_folder();
    if (!where) {
        printf("note: %s left out: TOILE_SHARED is not set or has no data/abc\n", name);
        return NULL;
    }
    snprintf(full, sizeof full, "%s/%s.abc", where, name);
    return full;
}
