/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the command needs beyond ISO C: signals, the terminal, the clock, the processors. Only
 * platform.c knows the operating system. */
#ifndef TL_CLI_PLATFORM_H
#define TL_CLI_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* From now on SIGINT, SIGTERM and, unless it was ignored, SIGHUP only leave a note for
 * tl_stop_requested, however often they come; SIGQUIT ends the process at once; a closed pipe is an
 * error of the stream, not a signal. */
void tl_catch_signals(void);
/* True once one of these has come. */
bool tl_stop_requested(void);

/* Seconds on a clock that never goes back; only differences mean anything. */
double tl_now_s(void);
bool tl_is_terminal(FILE *stream);
/* Columns of the terminal on standard output; 80 when unknown. */
int tl_terminal_width(void);
/* Processors this process may use, 1 or more. */
int32_t tl_usable_processors(void);

/* Most memory this process has held, in bytes; 0 when unknown. */
double tl_peak_memory_bytes(void);

/* Waits until what was written to a file is on disk; false when that failed. */
bool tl_force_to_disk(FILE *file);

#endif
