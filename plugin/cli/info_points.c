/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The part of `toile info` for point caches: how many points and samples, and when. PC2 counts in
 * frames, MDD in seconds; neither tells the frames a second. */
#include "cli.h"

#include <toile_io/pointcache.h>

static void print_text(const char *path, const ToilePointCacheInfo *info) {
    const char *unit = info->in_seconds ? " s" : "";
    tl_text(stdout, path);
    printf(": %s point cache\n  %d point%s, %d sample%s", info->in_seconds ? "MDD" : "PC2",
           (int)info->point_count, info->point_count == 1 ? "" : "s", (int)info->sample_count,
           info->sample_count == 1 ? "" : "s");
    printf(info->in_seconds ? " from %g to %g s" : " of frames %g to %g", info->first, info->last);
    if (info->step > 0.0)
        printf(", one every %g%s", info->step, unit);
    else if (info->sample_count > 1)
        fputs(", unevenly spaced", stdout);
    fputc('\n', stdout);
}

static void print_json(const ToilePointCacheInfo *info) {
    const double range[2] = {info->first, info->last};
    printf("{\"kind\": \"points\", \"format\": \"%s\", \"points\": %d, \"samples\": %d, \"%s\": ",
           info->in_seconds ? "mdd" : "pc2", (int)info->point_count, (int)info->sample_count,
           info->in_seconds ? "times_s" : "frames");
    tl_json_numbers(stdout, range, 2);
    fputs(", \"step\": ", stdout);
    tl_json_number(stdout, info->step);
    fputs("}\n", stdout);
}

int tl_info_points(const char *path, bool json) {
    ToileError error = toile_error_default();
    ToilePointCacheReader *reader = NULL;
    ToilePointCacheInfo info = {0};
    info.struct_size = (uint32_t)sizeof info;
    ToileStatus status = toile_pointcache_open(path, &info, &reader, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    toile_pointcache_close(reader);
    if (json)
        print_json(&info);
    else
        print_text(path, &info);
    return TL_EXIT_OK;
}
