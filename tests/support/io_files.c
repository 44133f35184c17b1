/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Files and findings for the tests of readers and writers. */
#define _POSIX_C_SOURCE 200809L

#include "io_files.h"

#include "run_suite.h"

#include <check.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void io_folder_make(char folder[IO_PATH_SIZE]) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, IO_PATH_SIZE, "%.200s/toile-test-XXXXXX", base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static bool is_own(const struct dirent *entry) {
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

void io_folder_remove(const char *folder) {
    DIR *directory = opendir(folder);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[2 * IO_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (is_own(entry))
            remove(path);
    }
    closedir(directory);
    rmdir(folder);
}

int io_run_in_folder(char *folder, Suite *suite) {
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        perror(folder);
        return 1;
    }
    int answer = run_suite(suite);
    if (chdir("/") == 0)
        rmdir(folder);
    return answer;
}

int io_folder_count(const char *folder) {
    int count = 0;
    DIR *directory = opendir(folder);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        count += is_own(entry) ? 1 : 0;
    closedir(directory);
    return count;
}

void io_file_write(const char *folder, const char *name, const void *data, size_t size,
                   char path[IO_PATH_SIZE]) {
    snprintf(path, IO_PATH_SIZE, "%.180s/%.60s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

void io_file_write_text(const char *folder, const char *name, const char *text,
                        char path[IO_PATH_SIZE]) {
    io_file_write(folder, name, text, strlen(text), path);
}

void io_findings_add(void *user, const ToileDiagnostic *diagnostic) {
    IoFindings *findings = user;
    if (findings->count < IO_FINDINGS_MAX) {
        IoFinding *item = &findings->items[findings->count];
        item->level = diagnostic->level;
        item->status = diagnostic->status;
        item->line = diagnostic->line;
        item->column = diagnostic->column;
        snprintf(item->file, sizeof item->file, "%s", diagnostic->file);
        snprintf(item->message, sizeof item->message, "%s", diagnostic->message);
    }
    findings->count++;
}

const IoFinding *io_findings_find(const IoFindings *findings, int32_t line, int32_t column,
                                  const char *part) {
    int32_t kept = findings->count < IO_FINDINGS_MAX ? findings->count : IO_FINDINGS_MAX;
    for (int32_t i = 0; i < kept; i++) {
        const IoFinding *item = &findings->items[i];
        if (item->line == line && item->column == column && strstr(item->message, part))
            return item;
    }
    return NULL;
}

uint64_t io_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

uint64_t io_random_seed(const char *test) {
    const char *text = getenv("TOILE_TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : UINT64_C(20260101);
    seed = seed ? seed : 1;
    printf("%s: seed %" PRIu64 "\n", test, seed);
    return seed;
}
