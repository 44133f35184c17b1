/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics in scenes: a name of the library, a JSON file, or an object in place. Here stand what is
 * not bending, for which see fabric_bend.c. A key without effect on the chosen model draws a
 * warning; what the model cannot do is refused. */
#include "fabric_library.h"
#include "number.h"
#include "platform.h"
#include "scene_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (int32_t)(sizeof(array) / sizeof((array)[0]))
#define ISOTROPY 1e-6 /* relative difference of numbers that an isotropic fabric has in common */

static const TlRange above_zero = {0, HUGE_VAL, true};
static const TlRange zero_or_more = {0, HUGE_VAL, false};

/* ---- stretch ---- */

/* Without this, the fabric would gain energy when stretched. */
static void check_poisson(const TlKeys *keys, const ToileFabric *fabric) {
    double product = fabric->stretch_poisson * fabric->stretch_poisson *
                     (fabric->stretch_warp_N_per_m / fabric->stretch_weft_N_per_m);
    if (!keys->object || product < 1)
        return;
    char found[TL_NUMBER_SIZE];
    tl_number_shortest(product, found);
    tl_keys_error(keys, "poisson", tl_keys_get(keys, "poisson", TL_KEY_PLAIN),
                  TOILE_STATUS_INVALID_DATA,
                  "poisson * poisson * warp_N_per_m / weft_N_per_m is %s, so that the fabric "
                  "would gain energy when stretched; below 1 is allowed",
                  found);
}

static void refuse_compression(const TlKeys *keys, const char *sentence) {
    tl_keys_error(keys, "compression", tl_keys_get(keys, "compression", TL_KEY_PLAIN),
                  TOILE_STATUS_INVALID_DATA, "%s", sentence);
}

/* A lesser factor would let the coupling of weft and warp win over both [PHYSICS 3.1 b]. */
static void check_factor(const TlKeys *keys, const ToileFabric *fabric) {
    double least = fabs(fabric->stretch_poisson) *
                   sqrt(fabric->stretch_warp_N_per_m / fabric->stretch_weft_N_per_m);
    if (fabric->compression_factor >= 1 || fabric->compression_factor >= least)
        return;
    char found[TL_NUMBER_SIZE], allowed[TL_NUMBER_SIZE];
    tl_number_shortest(fabric->compression_factor, found);
    tl_number_shortest(least, allowed);
    tl_keys_error(keys, "compression", tl_keys_get(keys, "compression", TL_KEY_PLAIN),
                  TOILE_STATUS_INVALID_DATA,
                  "%s is below |poisson| * sqrt(warp_N_per_m / weft_N_per_m), here %s, so that the "
                  "fabric would gain energy when compressed; raise it or use a poisson nearer to 0",
                  found, allowed);
}

static bool is_isotropic(const ToileFabric *fabric) {
    double weft = fabric->stretch_weft_N_per_m;
    double shear = weft / (2 * (1 + fabric->stretch_poisson));
    return fabs(fabric->stretch_warp_N_per_m - weft) <= ISOTROPY * weft &&
           fabs(fabric->stretch_shear_N_per_m - shear) <= ISOTROPY * shear;
}

static void read_compression(const TlKeys *keys, ToileFabric *fabric) {
    const TlJson *value = tl_keys_get(keys, "compression", TL_KEY_NULLABLE);
    char found[TL_JSON_DESCRIBE_SIZE];
    if (!value)
        return;
    if (value->kind == TL_JSON_NUMBER) {
        tl_keys_number(keys, "compression", TL_KEY_PLAIN, (TlRange){0, 1, false},
                       &fabric->compression_factor);
    } else if (value->kind == TL_JSON_STRING && strcmp(value->string, "tension-field") == 0) {
        fabric->compression = TOILE_COMPRESSION_TENSION_FIELD;
    } else {
        tl_json_describe(value, found);
        tl_keys_error(keys, "compression", value, TOILE_STATUS_INVALID_DATA,
                      "%s stands where a number from 0 to 1 or \"tension-field\" is needed", found);
        return;
    }
    bool field = fabric->compression == TOILE_COMPRESSION_TENSION_FIELD;
    if (fabric->stretch_model != TOILE_STRETCH_STVK && (field || fabric->compression_factor < 1))
        refuse_compression(keys, "springs resist compression as they resist tension; use 1, or the "
                                 "model \"stvk\"");
    else if (field && !is_isotropic(fabric))
        refuse_compression(keys,
                           "a tension field needs an isotropic fabric: warp_N_per_m equal to "
                           "weft_N_per_m, and shear_N_per_m equal to weft_N_per_m / (2 * (1 + "
                           "poisson)); set them so, or give a number");
    else if (!field)
        check_factor(keys, fabric);
}

/* Warns about a key that is not at its default though the model makes no use of it. */
static void warn_of_springs(const TlKeys *keys, const char *key, bool changed) {
    if (changed)
        tl_keys_warning(keys, key, tl_keys_get(keys, key, TL_KEY_PLAIN),
                        "this key has no effect on the stretch model \"springs\"");
}

static void read_stretch(const TlKeys *fabric_keys, ToileFabric *fabric) {
    static const char *const known[] = {"model",         "weft_N_per_m", "warp_N_per_m",
                                        "shear_N_per_m", "poisson",      "damping_s",
                                        "compression",   "gauss_points", "limit"};
    static const TlChoice models[] = {{"stvk", TOILE_STRETCH_STVK, true},
                                      {"springs", TOILE_STRETCH_SPRINGS, true}};
    const ToileFabric usual = toile_fabric_default();
    TlKeys keys;
    tl_keys_open_child(&keys, fabric_keys, "stretch", TL_KEY_PLAIN, known, COUNT(known));
    tl_keys_choice(&keys, "model", TL_KEY_PLAIN, models, COUNT(models), &fabric->stretch_model);
    tl_keys_number(&keys, "weft_N_per_m", TL_KEY_ANIMATED, above_zero,
                   &fabric->stretch_weft_N_per_m);
    tl_keys_number(&keys, "warp_N_per_m", TL_KEY_ANIMATED, above_zero,
                   &fabric->stretch_warp_N_per_m);
    tl_keys_number(&keys, "shear_N_per_m", TL_KEY_ANIMATED, above_zero,
                   &fabric->stretch_shear_N_per_m);
    tl_keys_number(&keys, "poisson", TL_KEY_PLAIN, (TlRange){-1, HUGE_VAL, true},
                   &fabric->stretch_poisson);
    tl_keys_number(&keys, "damping_s", TL_KEY_ANIMATED, zero_or_more, &fabric->stretch_damping_s);
    tl_keys_integer(&keys, "gauss_points", TL_KEY_PLAIN, 1, 12, &fabric->gauss_points);
    tl_keys_number(&keys, "limit", TL_KEY_NULLABLE, above_zero, &fabric->stretch_limit);
    check_poisson(&keys, fabric);
    read_compression(&keys, fabric);
    if (fabric->stretch_model != TOILE_STRETCH_SPRINGS) {
        if (fabric->gauss_points == 1)
            tl_keys_warning(
                &keys, "gauss_points", tl_keys_get(&keys, "gauss_points", TL_KEY_PLAIN),
                "one point does not see two ways in which a quad can deform, which then "
                "cost nothing; use 2 or more");
        return;
    }
    warn_of_springs(&keys, "poisson", fabric->stretch_poisson != usual.stretch_poisson);
    warn_of_springs(&keys, "gauss_points", fabric->gauss_points != usual.gauss_points);
}

/* ---- the whole ---- */

static void read_object(TlSceneReader *reader, const TlKeys *keys, TlSceneCloth *cloth) {
    ToileFabric *fabric = &cloth->fabric;
    const char *source = NULL;
    tl_keys_string(keys, "name", TL_KEY_PLAIN, &cloth->fabric_name);
    tl_keys_string(keys, "source", TL_KEY_PLAIN, &source);
    tl_keys_number(keys, "density_kg_per_m2", TL_KEY_ANIMATED, above_zero,
                   &fabric->density_kg_per_m2);
    tl_keys_number(keys, "thickness_m", TL_KEY_ANIMATED, above_zero, &fabric->thickness_m);
    tl_keys_number(keys, "friction", TL_KEY_ANIMATED, zero_or_more, &fabric->friction);
    read_stretch(keys, fabric);
    tl_scene_read_bend(reader, keys, cloth);
}

static void open_and_read(TlSceneReader *reader, const TlJson *object, const char *path,
                          TlSceneCloth *cloth) {
    static const char *const known[] = {"name",        "source",   "density_kg_per_m2",
                                        "thickness_m", "friction", "stretch",
                                        "bend",        "$schema"};
    TlKeys keys;
    tl_keys_open(&keys, reader->report, object, path, known, COUNT(known));
    read_object(reader, &keys, cloth);
}

/* Reads the file a fabric names and the object in it. */
static void read_file(TlSceneReader *reader, const TlKeys *cloth_keys, const TlJson *value,
                      TlSceneCloth *cloth) {
    char *resolved = NULL;
    size_t size = 0;
    char *text = tl_scene_read_input(reader, cloth_keys, "fabric", value, TL_JSON_MAX_BYTES,
                                     &resolved, &size);
    if (!text)
        return;
    const char *file = tl_io_arena_copy(&reader->scene->arena, resolved, strlen(resolved));
    const TlJson *object = NULL;
    if (file)
        object = tl_json_parse(text, size, file, &reader->scene->arena, reader->report);
    else
        tl_report_out_of_memory(reader->report);
    free(resolved);
    free(text);
    if (object)
        open_and_read(reader, object, "", cloth);
}

static void read_name(const TlKeys *cloth_keys, const TlJson *value, TlSceneCloth *cloth) {
    ToileFabricEntry entry = {.struct_size = (uint32_t)sizeof entry};
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    ToileStatus status = toile_fabric_find(value->string, &entry, &error);
    if (status != TOILE_STATUS_OK) {
        tl_keys_error(cloth_keys, "fabric", value, TOILE_STATUS_INVALID_DATA, "%s", error.message);
        return;
    }
    cloth->fabric = entry.fabric;
    cloth->fabric_name = entry.name;
}

void tl_scene_read_fabric(TlSceneReader *reader, const TlKeys *cloth_keys, TlSceneCloth *cloth) {
    char path[TL_PATH_SIZE];
    const TlJson *value = tl_keys_get(cloth_keys, "fabric", TL_KEY_NULLABLE);
    toile_fabric_init(&cloth->fabric, (uint32_t)sizeof cloth->fabric);
    cloth->fabric_name = "default";
    if (!value)
        return;
    tl_path_key(path, cloth_keys->path, "fabric");
    if (value->kind == TL_JSON_STRING && tl_io_has_ending(value->string, ".json")) {
        cloth->fabric_name = value->string;
        read_file(reader, cloth_keys, value, cloth);
    } else if (value->kind == TL_JSON_STRING) {
        read_name(cloth_keys, value, cloth);
    } else if (value->kind == TL_JSON_OBJECT) {
        cloth->fabric_name = "custom";
        open_and_read(reader, value, path, cloth);
    } else {
        char found[TL_JSON_DESCRIBE_SIZE];
        tl_json_describe(value, found);
        tl_keys_error(cloth_keys, "fabric", value, TOILE_STATUS_INVALID_DATA,
                      "%s stands where a fabric's name, a .json file or an object is needed",
                      found);
    }
}
