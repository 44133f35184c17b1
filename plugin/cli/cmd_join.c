/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile join`: one cache from chunks of it, such as `toile simulate --frames` writes on several
 * machines, with the bytes that a single run would have written. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char help[] = "usage: toile join OUT.abc CHUNK.abc [CHUNK.abc ...]\n\n"
                           "Joins chunks of one cache, written by 'toile simulate --frames' with "
                           "the same scene, into what\n"
                           "a single run would have written. Their order does not matter; frames "
                           "that are missing between\n"
                           "them, or differ where two have the same, are an error. The chunks "
                           "stay.\n";

static const struct option option_table[] = {
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

#define HASH_SIZE 64

/* the user property "scene_hash" of the first object that has one; "" when none has */
static int read_hash(const char *path, char hash[HASH_SIZE]) {
    abcc_error error = {0};
    abcc_reader *reader = NULL;
    abcc_status status = abcc_open(path, 0, NULL, &reader, &error);
    hash[0] = '\0';
    if (status != ABCC_OK)
        return tl_fail_archive(status, &error, path);
    for (uint32_t obj = 1; obj < abcc_object_count(reader) && !hash[0]; obj++) {
        uint32_t count = 0;
        if (abcc_param_count(reader, obj, &count, NULL) != ABCC_OK)
            continue;
        for (uint32_t i = 0; i < count; i++) {
            abcc_param param = abcc_param_default();
            uint64_t bytes = 0, values = 0, indices = 0;
            if (abcc_param_get(reader, obj, i, &param, NULL) == ABCC_OK &&
                param.type == ABCC_STRING && strcmp(param.name, "scene_hash") == 0 &&
                abcc_param_size(reader, obj, i, 0, &bytes, &values, &indices, NULL) == ABCC_OK &&
                values == 1 && bytes <= HASH_SIZE)
                abcc_param_read(reader, obj, i, 0, hash, bytes, NULL, 0, NULL);
        }
    }
    abcc_close(reader);
    return TL_EXIT_OK;
}

/* chunks of different scenes fit together, but make no sense */
static int check_hashes(const char *const *chunks, int32_t count) {
    char first[HASH_SIZE], other[HASH_SIZE];
    int code = read_hash(chunks[0], first);
    for (int32_t i = 1; i < count && code == TL_EXIT_OK; i++) {
        code = read_hash(chunks[i], other);
        if (code == TL_EXIT_OK && strcmp(first, other) != 0) {
            tl_message("%s was simulated from another scene than %s (scene_hash %s, not %s); "
                       "simulate one of them again.",
                       chunks[i], chunks[0], other[0] ? other : "none", first[0] ? first : "none");
            return TL_EXIT_DATA;
        }
    }
    return code;
}

static int join(const char *output, const char *const *chunks, int32_t count) {
    abcc_error error = {0};
    int code = check_hashes(chunks, count);
    if (code != TL_EXIT_OK)
        return code;
    abcc_status status = abcc_join(chunks, (uint32_t)count, output, NULL, &error);
    if (status == ABCC_OK)
        return TL_EXIT_OK;
    tl_message("%s%s", error.text, error.text[strlen(error.text) - 1] == '.' ? "" : ".");
    bool output_failed = status == ABCC_E_IO || status == ABCC_E_NOSPACE;
    return status == ABCC_E_OPEN     ? TL_EXIT_CANNOT_CREATE
           : output_failed           ? TL_EXIT_IO
           : status == ABCC_E_MEMORY ? TL_EXIT_FAILURE
                                     : TL_EXIT_DATA;
}

static int run_join(int argc, char **argv) {
    const TlCommand *command = &tl_command_join;
    int letter;
    while ((letter = tl_next_option(command, argc, argv, ":h", option_table)) != TL_OPTION_END)
        return letter == TL_OPTION_HELP ? TL_EXIT_OK : TL_EXIT_USAGE;
    if (argc - optind < 2)
        return tl_usage(command, "join needs an archive to write and at least one chunk");
    const char *output = argv[optind];
    if (!tl_has_ending(output, ".abc"))
        return tl_usage(command, "the archive to write must end in .abc, not '%s'", output);
    return join(output, (const char *const *)(argv + optind + 1), argc - optind - 1);
}

const TlCommand tl_command_join = {"join", "makes one cache of chunks", help, true, run_join};
