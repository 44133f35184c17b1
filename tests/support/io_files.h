/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A folder for the files of one test, and a sink that keeps findings. */
#ifndef TL_TEST_IO_FILES_H
#define TL_TEST_IO_FILES_H

#include "toile_io/scene.h"

#include <check.h>

#define IO_PATH_SIZE 256
#define IO_FINDINGS_MAX 64

/* Makes an empty folder and stores its path; stops the test when it cannot. */
void io_folder_make(char folder[IO_PATH_SIZE]);
/* Removes the folder and the files in it. */
void io_folder_remove(const char *folder);
/* Writes `size` bytes to a file of the folder, and stores its path in `path`. */
void io_file_write(const char *folder, const char *name, const void *data, size_t size,
                   char path[IO_PATH_SIZE]);
void io_file_write_text(const char *folder, const char *name, const char *text,
                        char path[IO_PATH_SIZE]);
/* Runs a suite in a new folder, "/tmp/name.XXXXXX", which is removed when its tests left nothing
 * there; what main() returns. */
int io_run_in_folder(char *folder, Suite *suite);
/* Number of files in the folder. */
int io_folder_count(const char *folder);

typedef struct IoFinding {
    int32_t level, status, line, column;
    char file[IO_PATH_SIZE];
    char message[1024];
} IoFinding;

typedef struct IoFindings {
    int32_t count; /* may be above IO_FINDINGS_MAX; the rest is not kept */
    IoFinding items[IO_FINDINGS_MAX];
} IoFindings;

/* A ToileDiagnosticSink whose user pointer is an IoFindings. */
void io_findings_add(void *user, const ToileDiagnostic *diagnostic);
/* The finding at a line and column whose message holds `part`, or NULL. */
const IoFinding *io_findings_find(const IoFindings *findings, int32_t line, int32_t column,
                                  const char *part);

/* A random number generator (xorshift64*), the same everywhere. */
uint64_t io_random(uint64_t *state);
/* The seed of a random loop: TOILE_TEST_SEED or a fixed one; printed. */
uint64_t io_random_seed(const char *test);

#endif
