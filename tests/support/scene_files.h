/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of one cloth in a folder of their own, loaded, and what must be found in them. The names
 * are those of the tests of scenes, which all begin with them. */
#ifndef TL_TEST_SCENE_FILES_H
#define TL_TEST_SCENE_FILES_H

#include "support/io_files.h"

#define INVALID TOILE_STATUS_INVALID_DATA
#define UNSUPPORTED TOILE_STATUS_UNSUPPORTED

/* A unit square in the plane y = 0 with uvs and the group "all", as text of an OBJ file. */
extern const char scene_quad_obj[];
extern char scene_folder[IO_PATH_SIZE];
extern char scene_path[IO_PATH_SIZE]; /* of the scene written last */

/* A checked fixture: makes the folder with the square as q.obj, and removes it. */
void scene_make_folder(void);
void scene_remove_folder(void);

/* Writes a scene of one cloth: `cloth_keys` stand at the start of line 4, `root_keys` at that of
 * line 6, each beginning with a comma or empty. */
void scene_write(const char *cloth_keys, const char *root_keys);
/* "fabric" as `cloth_keys`: what stands in its "stretch" begins at column 27 of line 4, what stands
 * in its "bend" at column 24. */
#define STRETCH(text) ", \"fabric\": {\"stretch\": {" text "}}"
#define BEND(text) ", \"fabric\": {\"bend\": {" text "}}"

ToileStatus scene_load(const char *const *overrides, int32_t count, IoFindings *findings,
                       ToileScene **scene, ToileError *error);
ToileScene *scene_load_good(void);
ToileSceneInfo scene_info(const ToileScene *scene);
ToileSceneCloth scene_cloth(const ToileScene *scene, int32_t index);

/* A scene that is refused, and the finding that must be the first. */
typedef struct Bad {
    const char *cloth_keys; /* at line 4, column 1 */
    const char *root_keys;  /* at line 6, column 1 */
    ToileStatus status;
    int32_t line, column;
    const char *part;
} Bad;

void scene_check_bad(const Bad *bads, size_t count);
#define CHECK_BAD(bads) scene_check_bad(bads, sizeof(bads) / sizeof((bads)[0]))

/* The scene written last is accepted with this warning. */
void scene_check_warning(int32_t line, int32_t column, const char *part);
/* The scene written last is accepted without any. */
void scene_check_no_warning(void);

#endif
