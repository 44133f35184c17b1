/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Progress in the dialects of terminals and farms. */
#include "progress.h"

#include "cli.h"
#include "platform.h"

#include <stddef.h>
#include <string.h>

/* Seconds between two drawings of the bar. */
#define BAR_PERIOD_S 0.1
/* Seconds between two lines within a frame. */
#define LINE_PERIOD_S 1.0
/* Columns the text beside the bar needs at most. */
#define BAR_TEXT 46

static unsigned dialect_of(const char *name, size_t length) {
    static const struct {
        const char *name;
        unsigned dialect;
    } known[] = {{"bar", TL_DIALECT_BAR},
                 {"plain", TL_DIALECT_PLAIN},
                 {"openjd", TL_DIALECT_OPENJD},
                 {"alfred", TL_DIALECT_ALFRED},
                 {"json", TL_DIALECT_JSON}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].name) == length && strncmp(known[i].name, name, length) == 0)
            return known[i].dialect;
    return 0;
}

bool tl_progress_parse(const char *text, unsigned *dialects) {
    while (true) {
        size_t length = strcspn(text, ",");
        unsigned dialect = dialect_of(text, length);
        if (!dialect)
            return false;
        /* a bar without a terminal would be carriage returns in a log */
        if (dialect == TL_DIALECT_BAR)
            dialect = tl_progress_fitting();
        *dialects |= dialect;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

unsigned tl_progress_fitting(void) {
    return tl_is_terminal(stdout) ? TL_DIALECT_BAR : TL_DIALECT_PLAIN;
}

/* part done, 0 to 1, when `frame` is complete and `within` of the next; the start state counts as
 * one frame, so that frame 54 of 120 is 45 % */
static double part_done(const TlProgress *progress, int32_t frame, double within) {
    double count = (double)progress->last - (double)progress->first + 1.0;
    double done = (double)frame - (double)progress->first + 1.0 + within;
    return done < count ? done / count : 1.0;
}

static void print_duration(double seconds) {
    int64_t whole = (int64_t)(seconds + 0.5);
    if (whole >= 3600)
        printf("%d h %02d min", (int)(whole / 3600), (int)(whole / 60 % 60));
    else if (whole >= 60)
        printf("%d min %02d s", (int)(whole / 60), (int)(whole % 60));
    else
        printf("%d s", (int)whole);
}

static void draw_bar(TlProgress *progress, double within) {
    double done = part_done(progress, progress->frame, within);
    double now_s = tl_now_s();
    int width = tl_terminal_width() - BAR_TEXT;
    width = width > 60 ? 60 : width;
    int filled = (int)(done * width);
    fputs("\r[", stdout);
    for (int i = 0; i < width; i++)
        fputc(i < filled ? '#' : '.', stdout);
    printf("] %3d %%  ", (int)(100.0 * done));
    if (progress->frame < progress->first)
        fputs("settling", stdout);
    else
        printf("frame %d/%d", (int)progress->frame, (int)progress->last);

    /* the start state took no time: what was simulated since tells the speed */
    double steps = (double)progress->frame - (double)progress->first + within;
    double left = (double)progress->last - (double)progress->frame - within;
    if (steps > 0.0 && left > 0.0) {
        fputs(", ", stdout);
        print_duration((now_s - progress->begun_s) / steps * left);
        fputs(" left", stdout);
    }
    fputs("\033[K", stdout);
    fflush(stdout);
    progress->drawn_s = now_s;
    progress->bar_shown = true;
}

static void move_bar(TlProgress *progress, double within) {
    if ((progress->dialects & TL_DIALECT_BAR) && tl_now_s() - progress->drawn_s > BAR_PERIOD_S)
        draw_bar(progress, within);
}

void tl_progress_clear(TlProgress *progress) {
    if (!progress->bar_shown)
        return;
    fputs("\r\033[K", stdout);
    fflush(stdout);
    progress->bar_shown = false;
}

void tl_progress_begin(TlProgress *progress, int32_t first, int32_t last) {
    progress->first = first;
    progress->last = last;
    progress->frame = first;
    progress->begun_s = progress->said_s = tl_now_s();
    if (progress->dialects & TL_DIALECT_JSON)
        printf("{\"event\": \"start\", \"first\": %d, \"last\": %d, \"version\": \"%s\"}\n",
               (int)first, (int)last, toile_version_string());
}

/* One number of ToileStats, by its name there. */
typedef struct Field {
    const char *name;
    size_t offset;
    int32_t count; /* of doubles; 0: an int32_t */
} Field;

#define COUNT(name)                                                                                \
    { #name, offsetof(ToileStats, name), 0 }
#define VALUE(name)                                                                                \
    { #name, offsetof(ToileStats, name), 1 }
#define VECTOR(name)                                                                               \
    { #name, offsetof(ToileStats, name), 3 }

static const Field stats_fields[] = {
    COUNT(substeps),
    COUNT(substeps_planned),
    COUNT(newton_iterations),
    COUNT(cg_iterations),
    COUNT(line_search_cuts),
    COUNT(rescues),
    COUNT(substeps_added),
    COUNT(substeps_shortened),
    COUNT(newton_rescues),
    COUNT(retries),
    COUNT(retries_failed),
    COUNT(retries_strain),
    COUNT(retries_newton),
    COUNT(contacts),
    COUNT(projected),
    COUNT(intersections),
    COUNT(contact_candidates),
    COUNT(contact_touches),
    COUNT(contact_refreshes),
    COUNT(contact_cuts),
    COUNT(contact_blocked),
    COUNT(contact_growths),
    COUNT(contact_pinched),
    VALUE(residual_N),
    VALUE(newton_step_m),
    VALUE(linear_residual),
    VALUE(kinetic_J),
    VALUE(gravity_J),
    VALUE(stretch_J),
    VALUE(bend_J),
    VALUE(energy_J),
    VECTOR(center_m),
    VECTOR(momentum_kg_m_per_s),
    VECTOR(angular_momentum_kg_m2_per_s),
    VALUE(stretch_p50),
    VALUE(stretch_p90),
    VALUE(stretch_p99),
    VALUE(stretch_max),
    VALUE(speed_max_m_per_s),
    VALUE(penetration_max_m),
    VALUE(total_s),
    VALUE(assembly_s),
    VALUE(linear_s),
    VALUE(search_s),
    VALUE(contact_s),
    VALUE(broad_s),
    VALUE(narrow_s),
    VALUE(truncate_s),
};

static void print_json_field(const Field *field, const ToileStats *stats) {
    const char *at = (const char *)stats + field->offset;
    double values[3] = {0.0, 0.0, 0.0};
    printf(", \"%s\": ", field->name);
    if (field->count == 0) {
        int32_t count;
        memcpy(&count, at, sizeof count);
        printf("%d", (int)count);
        return;
    }
    memcpy(values, at, (size_t)field->count * sizeof values[0]);
    if (field->count == 1)
        tl_json_number(stdout, values[0]);
    else
        tl_json_numbers(stdout, values, field->count);
}

static void print_json_frame(int32_t frame, double percent, double seconds,
                             const ToileStats *stats) {
    printf("{\"event\": \"frame\", \"frame\": %d, \"percent\": %.1f, \"seconds\": %.3f", (int)frame,
           percent, seconds);
    for (size_t i = 0; stats && i < sizeof stats_fields / sizeof stats_fields[0]; i++)
        print_json_field(&stats_fields[i], stats);
    fputs("}\n", stdout);
}

static void print_percent(TlProgress *progress, double percent) {
    if (progress->dialects & TL_DIALECT_PLAIN)
        printf("PROGRESS: %d%%\n", (int)percent);
    if (progress->dialects & TL_DIALECT_OPENJD)
        printf("openjd_progress: %.1f\n", percent);
    if (progress->dialects & TL_DIALECT_ALFRED)
        printf("ALF_PROGRESS %d%%\n", (int)percent);
    progress->said = (int32_t)percent;
    progress->said_s = tl_now_s();
}

void tl_progress_frame(TlProgress *progress, int32_t frame, double seconds,
                       const ToileStats *stats) {
    progress->frame = frame;
    double percent = 100.0 * part_done(progress, frame, 0.0);
    if (frame == progress->last)
        progress->drawn_s = 0.0;
    move_bar(progress, 0.0);
    print_percent(progress, percent);
    if (progress->dialects & TL_DIALECT_PLAIN)
        printf("FRAME %d/%d %.2fs\n", (int)frame, (int)progress->last, seconds);
    if (progress->dialects & TL_DIALECT_OPENJD)
        printf("openjd_status: frame %d/%d\n", (int)frame, (int)progress->last);
    if (progress->dialects & TL_DIALECT_JSON)
        print_json_frame(frame, percent, seconds, stats);
}

void tl_progress_within(TlProgress *progress, double fraction) {
    move_bar(progress, fraction);
    /* a step that is tried again begins anew, the percentage does not */
    double percent = 100.0 * part_done(progress, progress->frame, fraction);
    if (tl_now_s() - progress->said_s > LINE_PERIOD_S && (int32_t)percent > progress->said)
        print_percent(progress, percent);
}

void tl_progress_fail(TlProgress *progress, int exit_code, const char *reason) {
    tl_progress_clear(progress);
    if (progress->dialects & TL_DIALECT_OPENJD)
        printf("openjd_fail: %s\n", reason);
    if (progress->dialects & TL_DIALECT_JSON) {
        printf("{\"event\": \"fail\", \"code\": %d, \"reason\": ", exit_code);
        tl_json_string(stdout, reason);
        fputs("}\n", stdout);
    }
}

void tl_progress_end(TlProgress *progress) {
    tl_progress_clear(progress);
    if (progress->dialects & TL_DIALECT_JSON)
        printf("{\"event\": \"end\", \"seconds\": %.3f}\n", tl_now_s() - progress->begun_s);
}
