/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* How far a simulation is, on standard output: a bar with the time left on a terminal, else one
 * record a line in the dialects that farms read. Never a carriage return or colour outside a
 * terminal, and the percentage never goes back.
 *
 *   plain    PROGRESS: 45%            FRAME 54/120 1.82s
 *   openjd   openjd_progress: 45.0    openjd_status: frame 54/120    openjd_fail: sentence
 *   alfred   ALF_PROGRESS 45%
 *   json     one object a line: event, frame, percent, seconds, and every number of ToileStats
 *
 * Percentages also come within a frame that takes long, or while a cloth settles, at most once a
 * second. */
#ifndef TL_CLI_PROGRESS_H
#define TL_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <toile/types.h>

typedef enum TlDialect {
    TL_DIALECT_BAR = 1,
    TL_DIALECT_PLAIN = 2,
    TL_DIALECT_OPENJD = 4,
    TL_DIALECT_ALFRED = 8,
    TL_DIALECT_JSON = 16
} TlDialect;

/* The state of the display. Start from all zero and set `dialects`; the rest is private. */
typedef struct TlProgress {
    unsigned dialects; /* any of TlDialect; 0: silence */
    int32_t first;     /* frames of the simulation */
    int32_t last;
    int32_t frame;  /* last complete one; below `first` while the cloth settles */
    double begun_s; /* clock when the simulation began */
    double drawn_s; /* clock when the bar was last drawn */
    double said_s;  /* clock when a percentage was last printed */
    int32_t said;   /* that percentage, whole */
    bool bar_shown;
} TlProgress;

/* Adds the dialects of "plain", "openjd,json"... to `dialects`; false: one is unknown. */
bool tl_progress_parse(const char *text, unsigned *dialects);
/* What fits standard output: the bar on a terminal, plain lines elsewhere. */
unsigned tl_progress_fitting(void);

/* The simulation goes from `first`, which is the start state, to `last`. */
void tl_progress_begin(TlProgress *progress, int32_t first, int32_t last);
/* `frame` is complete after `seconds`; `stats` (NULL for the start state) says how it went. */
void tl_progress_frame(TlProgress *progress, int32_t frame, double seconds,
                       const ToileStats *stats);
/* `fraction` of the next frame is done; moves the bar or tells the percentage now and then. */
void tl_progress_within(TlProgress *progress, double fraction);
/* Removes the bar, so that a sentence can be printed; it returns by itself. */
void tl_progress_clear(TlProgress *progress);
/* The run failed with `exit_code` for this reason. */
void tl_progress_fail(TlProgress *progress, int exit_code, const char *reason);
/* The run ends. */
void tl_progress_end(TlProgress *progress);

#endif
