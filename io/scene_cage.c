/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Cloth that is a subdivision surface in an archive: its scheme, rules, creases and corners. What
 * cannot be is mended with a warning, since the mesh itself is sound: a sharpness below 0 or that
 * is no number counts as smooth, one beyond all numbers as sharp, an unknown scheme as
 * Catmull-Clark. */
#include "scene_types.h"

#include <float.h>
#include <string.h>

#define COUNT(array) (int32_t)(sizeof(array) / sizeof((array)[0]))
#define SHARPEST 10.0F

/* What the rules of an archive are here. Without a rule for the rim the faces there would not be
 * part of the surface, which nobody means who simulates them. */
static void take_rules(const abcc_subd_sizes *sizes, osdc_options *rule) {
    static const osdc_uv_rule uvs[] = {OSDC_UV_LINEAR, OSDC_UV_CORNERS_PLUS1, OSDC_UV_SMOOTH,
                                       OSDC_UV_BOUNDARIES};
    if (strcmp(sizes->scheme, "loop") == 0)
        rule->scheme = OSDC_LOOP;
    if (strcmp(sizes->scheme, "bilinear") == 0)
        rule->scheme = OSDC_BILINEAR;
    rule->boundary = sizes->boundary == 2 ? OSDC_EDGE_ONLY : OSDC_EDGE_AND_CORNER;
    if (sizes->fvar_boundary >= 0 && sizes->fvar_boundary < COUNT(uvs))
        rule->uv = uvs[sizes->fvar_boundary];
    if (rule->uv == OSDC_UV_CORNERS_PLUS1 && sizes->fvar_propagate_corners)
        rule->uv = OSDC_UV_CORNERS_PLUS2;
}

/* NULL when memory runs out. */
static void *take(TlIoArena *arena, size_t count, size_t size) {
    return tl_io_arena_array(arena, count + 1, size);
}

static abcc_status take_tags(TlIoArena *arena, const TlSceneArchive *archive,
                             const abcc_subd_sizes *sizes, TlSceneTags *tags, abcc_error *error) {
    abcc_subd_out out = abcc_subd_out_default();
    *tags = (TlSceneTags){0};
    tags->creases = out.cap_crease_edges = sizes->crease_edges;
    tags->corners = out.cap_corners = sizes->corners;
    out.edge = tags->crease_pairs = take(arena, 2 * (size_t)tags->creases, sizeof(int32_t));
    out.edge_sharpness = tags->crease_sharpness = take(arena, tags->creases, sizeof(float));
    out.corner_vert = tags->corner_vert = take(arena, tags->corners, sizeof(int32_t));
    out.corner_sharpness = tags->corner_sharpness = take(arena, tags->corners, sizeof(float));
    if (!out.edge || !out.edge_sharpness || !out.corner_vert || !out.corner_sharpness)
        return ABCC_E_MEMORY;
    return abcc_subd_read(archive->reader, archive->object, 0, &out, error);
}

/* ---- what cannot be ---- */

/* The first sharpness that is below 0 or not finite; `count` when there is none. */
static uint32_t first_bad(const float *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!(values[i] >= 0.0F && values[i] <= FLT_MAX))
            return i;
    return count;
}

void tl_scene_mend_sharpness(float *values, uint32_t count) {
    for (uint32_t i = first_bad(values, count); i < count; i++)
        if (!(values[i] >= 0.0F && values[i] <= FLT_MAX))
            values[i] = values[i] > 0.0F ? SHARPEST : 0.0F;
}

const char *tl_scene_known_scheme(const char *scheme) {
    return strcmp(scheme, "loop") == 0 || strcmp(scheme, "bilinear") == 0 ? scheme
                                                                          : "catmull-clark";
}

static void mend_tags(const TlKeys *keys, const TlJson *value, const char *file,
                      const TlSceneTags *tags) {
    uint32_t edge = first_bad(tags->crease_sharpness, tags->creases);
    uint32_t corner = first_bad(tags->corner_sharpness, tags->corners);
    if (edge < tags->creases)
        tl_keys_warning(keys, "mesh", value,
                        "%.200s: the crease between vertices %d and %d (counted from 0) has the "
                        "sharpness %g; what is below 0 or no number counts as smooth",
                        file, (int)tags->crease_pairs[2 * (size_t)edge],
                        (int)tags->crease_pairs[2 * (size_t)edge + 1],
                        (double)tags->crease_sharpness[edge]);
    if (corner < tags->corners)
        tl_keys_warning(keys, "mesh", value,
                        "%.200s: the corner at vertex %d (counted from 0) has the sharpness %g; "
                        "what is below 0 or no number counts as smooth",
                        file, (int)tags->corner_vert[corner],
                        (double)tags->corner_sharpness[corner]);
    tl_scene_mend_sharpness(tags->crease_sharpness, tags->creases);
    tl_scene_mend_sharpness(tags->corner_sharpness, tags->corners);
}

static void warn_of_scheme(const TlKeys *keys, const TlJson *value, const TlSceneCloth *cloth,
                           const abcc_subd_sizes *sizes) {
    if (strcmp(tl_scene_known_scheme(sizes->scheme), sizes->scheme) != 0)
        tl_keys_warning(
            keys, "mesh", value,
            "%.200s has the subdivision scheme \"%.40s\", which is not known and counts "
            "as \"catmull-clark\"",
            cloth->mesh_file, sizes->scheme);
}

/* Holes are left out of a subdivision surface, but not of cloth. */
static void warn_of_holes(const TlKeys *keys, const TlJson *value, const TlSceneCloth *cloth,
                          const abcc_subd_sizes *sizes) {
    if (sizes->holes > 0)
        tl_keys_warning(keys, "mesh", value,
                        "%.200s has %u face(s) marked as holes; they are simulated and written as "
                        "cloth, so delete them if they shall be open",
                        cloth->mesh_file, (unsigned)sizes->holes);
}

/* ---- reading ---- */

abcc_status tl_scene_cage_tags(TlIoArena *arena, const TlSceneArchive *archive, TlSceneTags *tags,
                               abcc_error *error) {
    abcc_subd_sizes sizes = abcc_subd_sizes_default();
    abcc_status status = abcc_subd_size(archive->reader, archive->object, 0, &sizes, error);
    if (status == ABCC_OK)
        status = take_tags(arena, archive, &sizes, tags, error);
    if (status == ABCC_OK) {
        tl_scene_mend_sharpness(tags->crease_sharpness, tags->creases);
        tl_scene_mend_sharpness(tags->corner_sharpness, tags->corners);
    }
    return status;
}

void tl_scene_read_cage(TlSceneReader *reader, const TlKeys *cloth_keys, TlSceneCloth *cloth,
                        bool used) {
    const TlSceneArchive *archive = &cloth->source;
    const TlJson *value = tl_keys_get(cloth_keys, "mesh", TL_KEY_PLAIN);
    abcc_subd_sizes sizes = abcc_subd_sizes_default();
    abcc_error error = {0};
    if (!archive->reader || !archive->is_cage)
        return;
    abcc_status status = abcc_subd_size(archive->reader, archive->object, 0, &sizes, &error);
    if (status == ABCC_OK)
        warn_of_holes(cloth_keys, value, cloth, &sizes);
    if (!used)
        return;
    if (status == ABCC_OK) {
        take_rules(&sizes, &cloth->subdivide.rule);
        status = take_tags(&reader->scene->arena, archive, &sizes, &cloth->subdivide.tags, &error);
    }
    if (status == ABCC_E_MEMORY) {
        tl_report_out_of_memory(reader->report);
    } else if (status != ABCC_OK) {
        tl_keys_error(cloth_keys, "mesh", value, TOILE_STATUS_INVALID_DATA, "%.200s: %s",
                      cloth->mesh_file, error.text);
    } else {
        mend_tags(cloth_keys, value, cloth->mesh_file, &cloth->subdivide.tags);
        warn_of_scheme(cloth_keys, value, cloth, &sizes);
    }
}
