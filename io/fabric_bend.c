/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The bending part of a fabric: model, moduli, damping, nonlinear law, and the curvature at rest,
 * which may differ from vertex to vertex of the cloth. */
#include "number.h"
#include "scene_types.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (int32_t)(sizeof(array) / sizeof((array)[0]))
#define CURVATURE_MAX 1e6 /* 1/m */

static const TlRange zero_or_more = {0, HUGE_VAL, false};
static const TlRange curvature_range = {-CURVATURE_MAX, CURVATURE_MAX, false};

/* What is being read. */
typedef struct Bend {
    TlSceneReader *reader;
    TlSceneCloth *cloth;
    ToileFabric *fabric; /* the cloth's */
    TlKeys keys;
    const char *model; /* word of the bending model */
} Bend;

static void refuse(const Bend *bend, const char *key, const char *sentence) {
    tl_keys_error(&bend->keys, key, tl_keys_get(&bend->keys, key, TL_KEY_PLAIN),
                  TOILE_STATUS_INVALID_DATA, "%s", sentence);
}

/* Warns about a key that is not at its default though the model makes no use of it. */
static void warn_unless(const Bend *bend, const char *key, bool used, bool changed) {
    if (!used && changed)
        tl_keys_warning(&bend->keys, key, tl_keys_get(&bend->keys, key, TL_KEY_PLAIN),
                        "this key has no effect on the bending model \"%s\"", bend->model);
}

/* ---- model and numbers ---- */

static void read_model(Bend *bend) {
    static const TlChoice models[] = {
        {"linear", TOILE_BEND_LINEAR, true},   {"dihedral", TOILE_BEND_DIHEDRAL, true},
        {"normal", TOILE_BEND_NORMAL, true},   {"crossover", TOILE_BEND_CROSSOVER, true},
        {"choi-ko", TOILE_BEND_CHOI_KO, true}, {"choi-ko-table", TOILE_BEND_CHOI_KO_TABLE, true},
        {"koiter", TOILE_BEND_KOITER, true}};
    static const TlChoice scales[] = {{"calibrated", TOILE_BEND_CALIBRATED, true},
                                      {"paper", TOILE_BEND_PAPER, true}};
    ToileFabric *fabric = bend->fabric;
    tl_keys_choice(&bend->keys, "model", TL_KEY_PLAIN, models, COUNT(models), &fabric->bend_model);
    for (int32_t i = 0; i < COUNT(models); i++)
        if (models[i].value == fabric->bend_model)
            bend->model = models[i].word;
    tl_keys_number(&bend->keys, "weft_N_m", TL_KEY_ANIMATED, zero_or_more, &fabric->bend_weft_N_m);
    tl_keys_number(&bend->keys, "warp_N_m", TL_KEY_ANIMATED, zero_or_more, &fabric->bend_warp_N_m);
    tl_keys_choice(&bend->keys, "scale", TL_KEY_PLAIN, scales, COUNT(scales), &fabric->bend_scale);
    bool scaled = fabric->bend_model != TOILE_BEND_KOITER;
    warn_unless(bend, "scale", scaled, fabric->bend_scale != TOILE_BEND_CALIBRATED);
}

static void read_damping(Bend *bend) {
    static const TlChoice models[] = {{"scalar", TOILE_BEND_DAMPING_SCALAR, true},
                                      {"projected", TOILE_BEND_DAMPING_PROJECTED, true}};
    ToileFabric *fabric = bend->fabric;
    tl_keys_number(&bend->keys, "damping_N_m_s", TL_KEY_NULLABLE | TL_KEY_ANIMATED, zero_or_more,
                   &fabric->bend_damping_N_m_s);
    bool damped =
        fabric->bend_model <= TOILE_BEND_NORMAL || fabric->bend_model == TOILE_BEND_KOITER;
    warn_unless(bend, "damping_N_m_s", damped, fabric->bend_damping_N_m_s > 0);
    tl_keys_choice(&bend->keys, "damping_model", TL_KEY_NULLABLE, models, COUNT(models),
                   &fabric->bend_damping_model);
    if (fabric->bend_damping_model == TOILE_BEND_DAMPING_PROJECTED &&
        fabric->bend_model != TOILE_BEND_LINEAR)
        tl_keys_error(&bend->keys, "damping_model",
                      tl_keys_get(&bend->keys, "damping_model", TL_KEY_PLAIN),
                      TOILE_STATUS_INVALID_DATA,
                      "\"projected\" damps the bending vector of the model \"linear\", but the "
                      "model is \"%s\"; use \"scalar\"",
                      bend->model);
}

/* A ratio between -1 and 1, both left out. */
static void read_poisson(Bend *bend) {
    double poisson = 0;
    char found[TL_NUMBER_SIZE];
    tl_keys_number(&bend->keys, "poisson", TL_KEY_PLAIN, (TlRange){-HUGE_VAL, HUGE_VAL, false},
                   &poisson);
    if (poisson > -1 && poisson < 1) {
        bend->fabric->bend_poisson = poisson;
        return;
    }
    tl_number_shortest(poisson, found);
    tl_keys_error(&bend->keys, "poisson", tl_keys_get(&bend->keys, "poisson", TL_KEY_PLAIN),
                  TOILE_STATUS_INVALID_DATA,
                  "%s is out of range; a number above -1 and below 1 is allowed", found);
}

static void read_special(Bend *bend) {
    const ToileFabric usual = toile_fabric_default();
    ToileFabric *fabric = bend->fabric;
    bool koiter = fabric->bend_model == TOILE_BEND_KOITER;
    bool table = fabric->bend_model == TOILE_BEND_CHOI_KO_TABLE;
    read_poisson(bend);
    tl_keys_number(&bend->keys, "in_element_weight", TL_KEY_PLAIN, zero_or_more,
                   &fabric->bend_in_element_weight);
    tl_keys_integer(&bend->keys, "fold_exponent", TL_KEY_PLAIN, 0, 2, &fabric->bend_fold_exponent);
    tl_keys_integer(&bend->keys, "intervals", TL_KEY_PLAIN, 1, 1000, &fabric->bend_intervals);
    warn_unless(bend, "poisson", koiter, fabric->bend_poisson != usual.bend_poisson);
    if (koiter && fabric->bend_in_element_weight < 0.05)
        tl_keys_warning(&bend->keys, "in_element_weight",
                        tl_keys_get(&bend->keys, "in_element_weight", TL_KEY_PLAIN),
                        "below 0.05 quads may crease in a checkerboard that costs little or "
                        "nothing; 0.1 is usual");
    warn_unless(bend, "in_element_weight", koiter,
                fabric->bend_in_element_weight != usual.bend_in_element_weight);
    warn_unless(bend, "fold_exponent", koiter,
                fabric->bend_fold_exponent != usual.bend_fold_exponent);
    warn_unless(bend, "intervals", table, fabric->bend_intervals != usual.bend_intervals);
}

/* ---- nonlinear law ---- */

static bool is_pair(const TlJson *value) {
    return value->kind == TL_JSON_ARRAY && value->count == 2 &&
           value->first->kind == TL_JSON_NUMBER && value->last->kind == TL_JSON_NUMBER;
}

/* Reads [curvature, moment] behind the `count` pairs of `law`, the first of which is (0, 0). */
static bool read_pair(const Bend *bend, const TlJson *value, int32_t index, double *law,
                      int32_t *count) {
    const char *needed = NULL;
    char found[TL_JSON_DESCRIBE_SIZE];
    char key[TL_PATH_SIZE];
    tl_path_element(key, "", "law", index);
    double curvature = is_pair(value) ? value->first->number : 0;
    double moment = is_pair(value) ? value->last->number : 0;
    if (!is_pair(value))
        needed = "a pair of numbers [curvature_per_m, moment_N] is needed";
    else if (curvature < 0)
        needed = "the curvature must be 0 or more: a law holds in both directions alike";
    else if (index == 0 && curvature == 0 && moment != 0)
        needed = "the moment at curvature 0 must be 0";
    else if (moment < 0)
        needed = "the moment must be 0 or more: it acts against the curvature";
    else if (curvature <= law[2 * (size_t)(*count - 1)] && (index > 0 || curvature != 0))
        needed = "a curvature above the one before is needed";
    if (needed) {
        TlIoText text = {0};
        tl_json_describe(value, found);
        if (is_pair(value))
            tl_json_write(value, &text);
        tl_keys_error(&bend->keys, key, value, TOILE_STATUS_INVALID_DATA, "%s stands where %s",
                      text.data ? text.data : found, needed);
        tl_io_text_free(&text);
        return false;
    }
    if (curvature > 0) {
        law[2 * (size_t)*count] = curvature;
        law[2 * (size_t)*count + 1] = moment;
        ++*count;
    }
    return true;
}

static void read_law(Bend *bend) {
    const TlJson *list = tl_keys_list(&bend->keys, "law", TL_KEY_NULLABLE);
    ToileFabric *fabric = bend->fabric;
    int32_t count = 1, index = 0;
    if (!list)
        return;
    if (fabric->bend_model != TOILE_BEND_LINEAR) {
        tl_keys_error(&bend->keys, "law", list, TOILE_STATUS_INVALID_DATA,
                      "a law bends the model \"linear\" only, but the model is \"%s\"; remove the "
                      "key or use \"linear\"",
                      bend->model);
        return;
    }
    if (!(fabric->bend_weft_N_m > 0)) {
        refuse(bend, "law",
               "a law needs weft_N_m above 0: it holds along the weft, and warp_N_m / weft_N_m "
               "times as stiff along the warp");
        return;
    }
    double *law =
        tl_io_arena_array(&bend->reader->scene->arena, 2 * ((size_t)list->count + 1), sizeof *law);
    if (!law) {
        tl_report_out_of_memory(bend->reader->report);
        return;
    }
    for (const TlJson *value = list->first; value; value = value->next)
        if (!read_pair(bend, value, index++, law, &count))
            return;
    if (count < 2) {
        refuse(bend, "law", "the law has no point beyond [0, 0]; give at least one");
        return;
    }
    if (law[2 * (size_t)count - 1] < law[2 * (size_t)count - 3]) {
        refuse(bend, "law",
               "the last moment is below the one before; the law goes on from there in a straight "
               "line, which would end below 0: let the last part rise or stay level");
        return;
    }
    fabric->bend_law = law;
    fabric->bend_law_count = count;
}

/* ---- curvature at rest ---- */

/* {"group": NAME, "value": NUMBER}: 0 outside of the group. */
static void read_group(const Bend *bend, const TlKeys *keys, double *map) {
    double curvature = 0;
    int32_t group = tl_scene_find_group(keys, bend->cloth);
    tl_keys_number(keys, "value", TL_KEY_REQUIRED, curvature_range, &curvature);
    if (group < 0)
        return;
    const ToileObj *mesh = bend->cloth->mesh;
    for (int32_t i = 0; i < mesh->group_vertex_counts[group]; i++)
        map[mesh->group_vertices[group][i]] = curvature;
}

/* {"values": [...]}, one for each vertex. */
static void read_values(const Bend *bend, const TlKeys *keys, double *map) {
    const TlJson *list = tl_keys_list(keys, "values", TL_KEY_PLAIN);
    int32_t vertex_count = tl_scene_cage_vertices(bend->cloth);
    int32_t index = 0;
    if (!list)
        return;
    if (list->count != vertex_count) {
        tl_keys_error(keys, "values", list, TOILE_STATUS_INVALID_DATA,
                      "the list has %d values, but the mesh has %d vertices; one value for each is "
                      "needed",
                      list->count, vertex_count);
        return;
    }
    for (const TlJson *value = list->first; value; value = value->next, index++) {
        if (value->kind == TL_JSON_NUMBER && fabs(value->number) <= CURVATURE_MAX) {
            map[index] = value->number;
            continue;
        }
        char key[TL_PATH_SIZE];
        char found[TL_JSON_DESCRIBE_SIZE];
        tl_path_element(key, "", "values", index);
        tl_json_describe(value, found);
        tl_keys_error(keys, key, value, TOILE_STATUS_INVALID_DATA,
                      "%s stands where a number from -1000000 to 1000000 is needed", found);
        return;
    }
}

static void read_map(const Bend *bend) {
    static const char *const known[] = {"group", "value", "values"};
    TlKeys keys;
    tl_keys_open_child(&keys, &bend->keys, "rest_curvature_per_m", TL_KEY_PLAIN, known,
                       COUNT(known));
    bool by_group = tl_keys_get(&keys, "group", TL_KEY_NULLABLE) != NULL;
    bool by_vertex = tl_keys_get(&keys, "values", TL_KEY_NULLABLE) != NULL;
    if (by_group == by_vertex || (by_vertex && tl_keys_get(&keys, "value", TL_KEY_NULLABLE))) {
        tl_keys_error(&keys, "", NULL, TOILE_STATUS_INVALID_DATA,
                      "a map has either \"group\" and \"value\", or \"values\", one for each "
                      "vertex");
        return;
    }
    if (!bend->cloth->mesh)
        return;
    double *map = tl_io_arena_array(&bend->reader->scene->arena,
                                    (size_t)bend->cloth->mesh->mesh.vertex_count, sizeof *map);
    if (!map) {
        tl_report_out_of_memory(bend->reader->report);
        return;
    }
    if (by_group)
        read_group(bend, &keys, map);
    else
        read_values(bend, &keys, map);
    if (by_vertex)
        map = tl_scene_refine_values(bend->reader, bend->cloth, map);
    bend->cloth->rest_curvature_map_per_m = map;
}

/* What the models make of a curved rest shape. */
static void check_curvature(const Bend *bend) {
    ToileFabric *fabric = bend->fabric;
    bool curved = fabric->rest_curvature == TOILE_REST_CURVATURE_FROM_REST ||
                  fabric->rest_curvature_per_m != 0 || bend->cloth->rest_curvature_map_per_m;
    if (!curved || fabric->bend_model <= TOILE_BEND_NORMAL)
        return;
    const TlJson *value = tl_keys_get(&bend->keys, "rest_curvature_per_m", TL_KEY_PLAIN);
    if (fabric->bend_model == TOILE_BEND_KOITER)
        tl_keys_warning(&bend->keys, "rest_curvature_per_m", value,
                        "this key has no effect on the bending model \"koiter\", which always "
                        "takes its curvature from the rest shape");
    else
        tl_keys_error(&bend->keys, "rest_curvature_per_m", value, TOILE_STATUS_INVALID_DATA,
                      "the bending model \"%s\" knows no curvature at rest; use 0, or the model "
                      "\"linear\", \"dihedral\" or \"normal\"",
                      bend->model);
    fabric->rest_curvature = TOILE_REST_CURVATURE_GIVEN;
    fabric->rest_curvature_per_m = 0;
    bend->cloth->rest_curvature_map_per_m = NULL;
}

static void read_rest_curvature(Bend *bend) {
    const char *key = "rest_curvature_per_m";
    const TlJson *value = tl_keys_get(&bend->keys, key, TL_KEY_NULLABLE);
    if (!value)
        return;
    if (value->kind == TL_JSON_NUMBER) {
        tl_keys_number(&bend->keys, key, TL_KEY_PLAIN, curvature_range,
                       &bend->fabric->rest_curvature_per_m);
    } else if (value->kind == TL_JSON_STRING && strcmp(value->string, "from-rest") == 0) {
        bend->fabric->rest_curvature = TOILE_REST_CURVATURE_FROM_REST;
    } else if (value->kind == TL_JSON_OBJECT) {
        read_map(bend);
    } else {
        char found[TL_JSON_DESCRIBE_SIZE];
        tl_json_describe(value, found);
        tl_keys_error(&bend->keys, key, value, TOILE_STATUS_INVALID_DATA,
                      "%s stands where a number, \"from-rest\" or a map such as {\"group\": "
                      "\"cuff\", \"value\": 20} is needed",
                      found);
        return;
    }
    check_curvature(bend);
}

void tl_scene_read_bend(TlSceneReader *reader, const TlKeys *fabric_keys, TlSceneCloth *cloth) {
    static const char *const known[] = {
        "model",         "weft_N_m",  "warp_N_m", "damping_N_m_s",
        "damping_model", "scale",     "poisson",  "in_element_weight",
        "fold_exponent", "intervals", "law",      "rest_curvature_per_m"};
    Bend bend = {.reader = reader, .cloth = cloth, .fabric = &cloth->fabric, .model = ""};
    tl_keys_open_child(&bend.keys, fabric_keys, "bend", TL_KEY_PLAIN, known, COUNT(known));
    read_model(&bend);
    read_damping(&bend);
    read_special(&bend);
    read_law(&bend);
    read_rest_curvature(&bend);
}
