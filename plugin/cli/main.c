/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The `toile` command: finds the command that was asked for and runs it. Standard input is never
 * read, no terminal, display or home folder is needed, and nothing is ever asked. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define COMMAND_COUNT 10

static const TlCommand *command_at(int32_t index) {
    const TlCommand *const commands[COMMAND_COUNT] = {
        &tl_command_simulate, &tl_command_check,  &tl_command_eval,    &tl_command_info,
        &tl_command_preview,  &tl_command_verify, &tl_command_fabrics, &tl_command_wedge,
        &tl_command_join,     &tl_command_bench,
    };
    return commands[index];
}

static const TlCommand *find_command(const char *name) {
    for (int32_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(command_at(i)->name, name) == 0)
            return command_at(i);
    return NULL;
}

static void print_help(FILE *out) {
    fputs("Toile simulates cloth: a scene in, a cache of frames out.\n\n"
          "usage: toile COMMAND [ARGUMENTS]\n\n",
          out);
    for (int32_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-10s %s\n", command_at(i)->name, command_at(i)->summary);
    fputs("\n  toile COMMAND --help   describes one of them\n"
          "  toile --version        prints the version\n\n"
          "exit codes: 0 done; 64 command line; 65 scene, mesh or cache invalid; 66 file missing;\n"
          "  70 solver failed; 73, 74 output or disk; 75 stopped by a signal;\n"
          "  1 anything else, such as intersections that verify found\n",
          out);
}

static int unknown_command(const char *name) {
    const char *names[COMMAND_COUNT];
    for (int32_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = command_at(i)->name;
    if (name[0] == '-')
        return tl_usage(NULL, "there is no option '%s' before a command", name);
    const char *nearest = tl_nearest(name, names, COMMAND_COUNT);
    if (nearest)
        return tl_usage(NULL, "there is no command '%s', perhaps '%s'", name, nearest);
    return tl_usage(NULL, "there is no command '%s'", name);
}

/* `toile help` and `toile help NAME` */
static int run_help(int argc, char **argv) {
    if (argc < 3) {
        print_help(stdout);
        return TL_EXIT_OK;
    }
    const TlCommand *command = find_command(argv[2]);
    if (!command)
        return unknown_command(argv[2]);
    fputs(command->help, stdout);
    return TL_EXIT_OK;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return TL_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("toile %s\n", toile_version_string());
        return TL_EXIT_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return run_help(argc, argv);
    const TlCommand *command = find_command(argv[1]);
    if (!command)
        return unknown_command(argv[1]);
    int code = command->run(argc - 1, argv + 1);
    if (command->answers && code == TL_EXIT_OK && (fflush(stdout) != 0 || ferror(stdout))) {
        tl_message("standard output cannot be written.");
        return TL_EXIT_IO;
    }
    return code;
}

int main(int argc, char **argv) {
    /* a farm reads progress line by line, also through a pipe */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    return dispatch(argc, argv);
}
