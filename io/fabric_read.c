/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics in scenes: a name of the library, a JSON file, or an object in place. Keys of models that
 * this version does not have are known; what would change the result is refused, what has no effect
 * on the linear models draws a warning. */
#include "fabric_library.h"
#include "number.h"
#include "scene_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (int32_t)(sizeof(array) / sizeof((array)[0]))

static const TlRange above_zero = {0, HUGE_VAL, true};
static const TlRange zero_or_more = {0, HUGE_VAL, false};

/* Refuses any value of a key but the one this version works with. */
static void only_number(const TlKeys *keys, const char *key, double allowed, const char *what) {
    const TlJson *value = tl_keys_get(keys, key, TL_KEY_NULLABLE);
    double number = allowed;
    char text[TL_NUMBER_SIZE];
    char advice[64] = "use ";
    if (!value)
        return;
    if (value->kind == TL_JSON_NUMBER || value->kind == TL_JSON_NULL) {
        tl_keys_number(keys, key, TL_KEY_PLAIN, (TlRange){-HUGE_VAL, HUGE_VAL, false}, &number);
        if (number == allowed)
            return;
    }
    tl_number_shortest(allowed, text);
    strcat(advice, text);
    tl_keys_unavailable(keys, key, value, what, advice);
}

/* Warns about a key of another bending model when it is not at its default. */
static void no_effect(const TlKeys *keys, const char *key, TlRange range, double usual) {
    double number = usual;
    tl_keys_number(keys, key, TL_KEY_PLAIN, range, &number);
    if (number != usual)
        tl_keys_warning(keys, key, tl_keys_get(keys, key, TL_KEY_PLAIN),
                        "this key has no effect on the bending model \"linear\"");
}

static void read_stretch(const TlKeys *fabric_keys, ToileFabric *fabric) {
    static const char *const known[] = {"model",   "weft_N_per_m", "warp_N_per_m", "shear_N_per_m",
                                        "poisson", "damping_s",    "compression",  "gauss_points"};
    static const TlChoice models[] = {{"stvk", 0, true}, {"springs", 1, false}};
    TlKeys keys;
    int32_t model = 0;
    int32_t gauss_points = 0;
    tl_keys_open_child(&keys, fabric_keys, "stretch", TL_KEY_PLAIN, known, COUNT(known));
    tl_keys_choice(&keys, "model", TL_KEY_PLAIN, models, COUNT(models), &model);
    tl_keys_number(&keys, "weft_N_per_m", TL_KEY_ANIMATED, above_zero,
                   &fabric->stretch_weft_N_per_m);
    tl_keys_number(&keys, "warp_N_per_m", TL_KEY_ANIMATED, above_zero,
                   &fabric->stretch_warp_N_per_m);
    tl_keys_number(&keys, "shear_N_per_m", TL_KEY_ANIMATED, above_zero,
                   &fabric->stretch_shear_N_per_m);
    tl_keys_number(&keys, "poisson", TL_KEY_PLAIN, (TlRange){-1, HUGE_VAL, true},
                   &fabric->stretch_poisson);
    tl_keys_number(&keys, "damping_s", TL_KEY_ANIMATED, zero_or_more, &fabric->stretch_damping_s);
    only_number(&keys, "compression", 1, "other resistance to compression than to tension is");
    tl_keys_integer(&keys, "gauss_points", TL_KEY_PLAIN, 1, 12, &gauss_points);
    double product = fabric->stretch_poisson * fabric->stretch_poisson *
                     (fabric->stretch_warp_N_per_m / fabric->stretch_weft_N_per_m);
    if (keys.object && !(product < 1)) {
        char found[TL_NUMBER_SIZE];
        tl_number_shortest(product, found);
        tl_keys_error(&keys, "poisson", tl_keys_get(&keys, "poisson", TL_KEY_PLAIN),
                      TOILE_STATUS_INVALID_DATA,
                      "poisson * poisson * warp_N_per_m / weft_N_per_m is %s, so that the fabric "
                      "would gain energy when stretched; below 1 is allowed",
                      found);
    }
}

static void read_bend(const TlKeys *fabric_keys, ToileFabric *fabric) {
    static const char *const known[] = {"model",
                                        "weft_N_m",
                                        "warp_N_m",
                                        "damping_N_m_s",
                                        "scale",
                                        "poisson",
                                        "in_element_weight",
                                        "fold_exponent",
                                        "intervals",
                                        "law",
                                        "rest_curvature_per_m"};
    static const TlChoice models[] = {{"linear", 0, true},   {"dihedral", 1, false},
                                      {"normal", 2, false},  {"crossover", 3, false},
                                      {"choi-ko", 4, false}, {"choi-ko-table", 5, false},
                                      {"koiter", 6, false}};
    static const TlChoice scales[] = {{"calibrated", TOILE_BEND_CALIBRATED, true},
                                      {"paper", TOILE_BEND_PAPER, true}};
    TlKeys keys;
    int32_t model = 0;
    tl_keys_open_child(&keys, fabric_keys, "bend", TL_KEY_PLAIN, known, COUNT(known));
    tl_keys_choice(&keys, "model", TL_KEY_PLAIN, models, COUNT(models), &model);
    tl_keys_number(&keys, "weft_N_m", TL_KEY_ANIMATED, zero_or_more, &fabric->bend_weft_N_m);
    tl_keys_number(&keys, "warp_N_m", TL_KEY_ANIMATED, zero_or_more, &fabric->bend_warp_N_m);
    only_number(&keys, "damping_N_m_s", 0, "bending damping is");
    tl_keys_choice(&keys, "scale", TL_KEY_PLAIN, scales, COUNT(scales), &fabric->bend_scale);
    no_effect(&keys, "poisson", (TlRange){-1, 1, false}, 0);
    no_effect(&keys, "in_element_weight", zero_or_more, 0.1);
    no_effect(&keys, "fold_exponent", zero_or_more, 1);
    no_effect(&keys, "intervals", (TlRange){1, 1000, false}, 10);
    tl_keys_refuse(&keys, "law", "nonlinear bending laws are");
    only_number(&keys, "rest_curvature_per_m", 0, "a curved rest shape is");
}

static void read_object(const TlKeys *keys, ToileFabric *fabric, const char **name) {
    const char *source = NULL;
    tl_keys_string(keys, "name", TL_KEY_PLAIN, name);
    tl_keys_string(keys, "source", TL_KEY_PLAIN, &source);
    tl_keys_number(keys, "density_kg_per_m2", TL_KEY_ANIMATED, above_zero,
                   &fabric->density_kg_per_m2);
    tl_keys_number(keys, "thickness_m", TL_KEY_ANIMATED, above_zero, &fabric->thickness_m);
    tl_keys_number(keys, "friction", TL_KEY_ANIMATED, zero_or_more, &fabric->friction);
    read_stretch(keys, fabric);
    read_bend(keys, fabric);
}

static void open_and_read(TlSceneReader *reader, const TlJson *object, const char *path,
                          ToileFabric *fabric, const char **name) {
    static const char *const known[] = {"name",        "source",   "density_kg_per_m2",
                                        "thickness_m", "friction", "stretch",
                                        "bend",        "$schema"};
    TlKeys keys;
    tl_keys_open(&keys, reader->report, object, path, known, COUNT(known));
    read_object(&keys, fabric, name);
}

/* Reads the file a fabric names and the object in it. */
static void read_file(TlSceneReader *reader, const TlKeys *cloth_keys, const TlJson *value,
                      ToileFabric *fabric, const char **name) {
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
        open_and_read(reader, object, "", fabric, name);
}

static void read_name(const TlKeys *cloth_keys, const TlJson *value, ToileFabric *fabric,
                      const char **name) {
    ToileFabricEntry entry = {.struct_size = (uint32_t)sizeof entry};
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    ToileStatus status = toile_fabric_find(value->string, &entry, &error);
    if (status != TOILE_STATUS_OK) {
        tl_keys_error(cloth_keys, "fabric", value, TOILE_STATUS_INVALID_DATA, "%s", error.message);
        return;
    }
    *fabric = entry.fabric;
    *name = entry.name;
}

void tl_scene_read_fabric(TlSceneReader *reader, const TlKeys *cloth_keys, ToileFabric *fabric,
                          const char **name) {
    char path[TL_PATH_SIZE];
    const TlJson *value = tl_keys_get(cloth_keys, "fabric", TL_KEY_NULLABLE);
    toile_fabric_init(fabric, (uint32_t)sizeof *fabric);
    *name = "default";
    if (!value)
        return;
    tl_path_key(path, cloth_keys->path, "fabric");
    if (value->kind == TL_JSON_STRING && tl_scene_has_ending(value->string, ".json")) {
        *name = value->string;
        read_file(reader, cloth_keys, value, fabric, name);
    } else if (value->kind == TL_JSON_STRING) {
        read_name(cloth_keys, value, fabric, name);
    } else if (value->kind == TL_JSON_OBJECT) {
        *name = "custom";
        open_and_read(reader, value, path, fabric, name);
    } else {
        char found[TL_JSON_DESCRIBE_SIZE];
        tl_json_describe(value, found);
        tl_keys_error(cloth_keys, "fabric", value, TOILE_STATUS_INVALID_DATA,
                      "%s stands where a fabric's name, a .json file or an object is needed",
                      found);
    }
}
