/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What `toile simulate` is told on the command line. */
#ifndef TL_CLI_SIMULATE_OPTIONS_H
#define TL_CLI_SIMULATE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define TL_THREADS_MAX 1024

typedef struct TlSimulateOptions {
    const char *scene;
    const char *output;  /* NULL: the scene's */
    const char *frames;  /* NULL: the scene's */
    const char *preview; /* NULL: the scene's */
    const char **sets;
    int32_t set_count;
    int32_t threads; /* -1: not given */
    int32_t wedge;   /* TL_NO_WEDGE: not given */
    int32_t interrupted_exit;
    double grace_s;
    unsigned dialects; /* 0: not given */
    bool quiet;
} TlSimulateOptions;

extern const char tl_simulate_help[];

/* Reads the options into `options`, all zero but for `sets`, which has room for argc. Answers an
 * exit code, with a sentence when it is not 0; TL_EXIT_OK with options->scene NULL: only help was
 * asked for. */
int tl_simulate_parse(TlSimulateOptions *options, int argc, char **argv);

#endif
