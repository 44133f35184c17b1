/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* One input of the archive fuzzer: any bytes, opened as an archive, read whole through the shim and
 * taken into scenes.
 * The entry is libFuzzer's, so that clang's -fsanitize=fuzzer can drive it as well as
 * fuzz_archive.c. The shim reads files, so the bytes go through one, which is left behind when the
 * process dies: TOILE_FUZZ_FILE, or a name in the temporary folder. */
#include "archive_target.h"

#include "scene_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SAMPLES_MAX 6

AbcSeen archive_seen;
abcc_status archive_status;
int archive_scenes;

const char *archive_file(void) {
    static char name[1000];
    const char *given = getenv("TOILE_FUZZ_FILE"), *folder = getenv("TMPDIR");
    if (!name[0] && given && *given)
        snprintf(name, sizeof name, "%s", given);
    else if (!name[0])
        snprintf(name, sizeof name, "%s/toile-fuzz.%ld.abc", folder && *folder ? folder : "/tmp",
                 (long)getpid());
    return name;
}

/* A refusal is one sentence: not empty, no control characters, ended. */
static void check_sentence(const abcc_error *error) {
    size_t length = 0;
    while (length < sizeof error->text && error->text[length])
        length++;
    if (length == 0 || length == sizeof error->text)
        abort();
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)error->text[i] < 0x20)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FILE *file = fopen(archive_file(), "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "fuzz: cannot write %s\n", archive_file());
        exit(74);
    }
    archive_status = abc_read_everything(archive_file(), SAMPLES_MAX, &archive_seen);
    if (archive_status != ABCC_OK || archive_seen.refusals > 0)
        check_sentence(&archive_seen.last_error);
    archive_scenes = 0;
    if (archive_status == ABCC_OK && size > 0)
        archive_scenes = scene_take_archive(archive_file(), size + data[size / 2]);
    return 0;
}
