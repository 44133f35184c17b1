/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A small cloth for the tests of the Alembic shim: how to write it, and how to read whatever a file
 * holds. Each case works in a folder of its own. */
#ifndef TEST_ABC_CLOTH_H
#define TEST_ABC_CLOTH_H

#include "toile_io/abc_c.h"

#include <check.h>
#include <stdbool.h>

#define COLUMNS 4
#define ROWS 3
#define VERTS ((COLUMNS + 1) * (ROWS + 1))
#define FACES (COLUMNS * ROWS + 1)
#define CORNERS (4 * (COLUMNS * ROWS - 1) + 6)
#define FRAMES 6
#define FIRST_FRAME 1
#define FPS 24.0

/* Fails the case with the library's own sentence. */
#define OK(call)                                                                                   \
    do {                                                                                           \
        abcc_status status_ = (call);                                                              \
        ck_assert_msg(status_ == ABCC_OK, "%s: status %d: %s", #call, (int)status_,                \
                      abc_error.text);                                                             \
    } while (0)

/* The call is refused with a status and a sentence that contains a text. */
#define REFUSED(expected, part, call)                                                              \
    do {                                                                                           \
        memset(&abc_error, 0, sizeof abc_error);                                                   \
        abcc_status status_ = (call);                                                              \
        ck_assert_msg(status_ == (expected) && abc_error.code == (expected), "%s: status %d: %s",  \
                      #call, (int)status_, abc_error.text);                                        \
        ck_assert_msg(strstr(abc_error.text, part) != NULL, "'%s' lacks '%s'", abc_error.text,     \
                      part);                                                                       \
    } while (0)

/* The case's folder, a file name in it, and the record behind OK and REFUSED. */
extern char abc_folder[256];
extern char abc_path[300];
extern abcc_error abc_error;

/* Quads, the first one cut into two triangles, with one uv seam. */
typedef struct AbcGrid {
    float P[3 * VERTS], v[3 * VERTS], uv[2 * (VERTS + 1)];
    int32_t count[FACES], index[CORNERS];
    uint32_t uv_index[CORNERS];
} AbcGrid;

AbcGrid abc_grid_make(void);
/* Moves the points, and sets their velocities, to those of a frame. */
void abc_grid_move(AbcGrid *grid, int frame);
abcc_mesh_in abc_grid_sample(const AbcGrid *grid, bool faces, bool velocities);
abcc_mesh_out abc_grid_room(AbcGrid *grid);

/* Fixtures: make and remove the folder. */
void abc_setup(void);
void abc_teardown(void);
/* A new case of a suite, with these fixtures. */
TCase *abc_case(Suite *suite, const char *name);

/* How many files the folder holds. */
int abc_files(bool remove_them);
bool abc_exists(const char *name);
/* The content of a file in a block for free(). */
uint8_t *abc_load(const char *name, size_t *size);
void abc_save(const char *name, const void *bytes, size_t size);

abcc_writer *abc_begin(const char *name, unsigned flags);
/* Begins a file with /cloth, a transform, and /cloth/clothShape, a mesh with one sample a frame. */
abcc_writer *abc_begin_cloth(const char *name, unsigned flags, abcc_obj *mesh);
void abc_write_frames(abcc_writer *writer, abcc_obj mesh, AbcGrid *grid, int frames);
/* A whole file of FRAMES frames with three user properties. */
void abc_write_cloth(const char *name, unsigned flags);

/* abc_path with two frames of a mesh below a transform that moves it by 100 along x. */
void abc_write_shifted(void);

abcc_reader *abc_open(const char *name, unsigned flags);
abcc_obj abc_find(abcc_reader *reader, const char *name);
/* Reads all arrays of one sample of any mesh. */
abcc_status abc_read_mesh(abcc_reader *reader, abcc_obj obj, uint32_t sample);
/* Reads whatever a file offers and answers with the first refusal. */
abcc_status abc_read_all(const char *name);

/* The folder of the shared archives, and one of them by its name without ending; NULL, the second
 * with a note, when TOILE_SHARED does not lead to them. */
const char *abc_shared_folder(void);
const char *abc_shared_file(const char *name);

#endif
