/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric library by index and by name, and a fabric as scene text. */
#include "toile_io/fabric.h"

#include "fabric_library.h"
#include "json.h"
#include "number.h"

#include <string.h>

#define NAMES_MAX 256

static ToileStatus fill(const TlFabricRow *row, ToileFabricEntry *entry, ToileError *error) {
    if (entry->struct_size < sizeof entry->struct_size)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "The fabric entry has a struct_size of 0; set it to "
                          "sizeof(ToileFabricEntry)");
    ToileFabricEntry full;
    memset(&full, 0, sizeof full);
    full.struct_size = entry->struct_size;
    full.name = row->name;
    full.title = row->title;
    full.source = row->source;
    toile_fabric_init(&full.fabric, (uint32_t)sizeof full.fabric);
    full.fabric.density_kg_per_m2 = row->density_kg_per_m2;
    full.fabric.thickness_m = row->thickness_m;
    full.fabric.friction = row->friction;
    full.fabric.stretch_weft_N_per_m = row->weft_N_per_m;
    full.fabric.stretch_warp_N_per_m = row->warp_N_per_m;
    full.fabric.stretch_shear_N_per_m = row->shear_N_per_m;
    full.fabric.stretch_poisson = row->poisson;
    full.fabric.stretch_damping_s = row->damping_s;
    full.fabric.bend_weft_N_m = row->bend_weft_N_m;
    full.fabric.bend_warp_N_m = row->bend_warp_N_m;
    memcpy(entry, &full, entry->struct_size < sizeof full ? entry->struct_size : sizeof full);
    return TOILE_STATUS_OK;
}

int32_t toile_fabric_count(void) {
    int32_t count = 0;
    tl_fabric_rows(&count);
    return count;
}

ToileStatus toile_fabric_get(int32_t index, ToileFabricEntry *entry, ToileError *error) {
    int32_t count = 0;
    const TlFabricRow *rows = tl_fabric_rows(&count);
    if (!entry)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_fabric_get needs an entry to fill, not NULL.");
    if (index < 0 || index >= count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "There is no fabric %d; the library has fabrics 0 to %d", index,
                          count - 1);
    return fill(&rows[index], entry, error);
}

ToileStatus toile_fabric_find(const char *name, ToileFabricEntry *entry, ToileError *error) {
    int32_t count = 0;
    const TlFabricRow *rows = tl_fabric_rows(&count);
    const char *names[NAMES_MAX];
    if (!name || !entry)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_fabric_find needs a name and an entry to fill, not NULL.");
    for (int32_t i = 0; i < count && i < NAMES_MAX; i++) {
        names[i] = rows[i].name;
        if (strcmp(rows[i].name, name) == 0)
            return fill(&rows[i], entry, error);
    }
    const char *near = tl_io_nearest(name, names, count < NAMES_MAX ? count : NAMES_MAX);
    if (near)
        return tl_io_fail(error, TOILE_STATUS_NOT_FOUND,
                          "there is no fabric named \"%.64s\" in the library; did you mean \"%s\"?",
                          name, near);
    return tl_io_fail(error, TOILE_STATUS_NOT_FOUND,
                      "there is no fabric named \"%.64s\" in the library; `toile fabrics` lists "
                      "the names",
                      name);
}

/* ---- as scene text ---- */

static void write_key(const char *separator, const char *key, TlIoText *text) {
    tl_io_text_add_string(text, separator);
    tl_json_write_string(key, text);
    tl_io_text_add_string(text, ":");
}

static void write_number(const char *separator, const char *key, double value, TlIoText *text) {
    char number[TL_NUMBER_SIZE];
    tl_number_shortest(value, number);
    write_key(separator, key, text);
    tl_io_text_add_string(text, number);
}

/* Writes a number that is not at its default. */
static void write_changed(const char *key, double value, double usual, TlIoText *text) {
    if (value != usual)
        write_number(",", key, value, text);
}

static void write_word(const char *separator, const char *key, const char *word, TlIoText *text) {
    write_key(separator, key, text);
    tl_json_write_string(word, text);
}

static void write_stretch(const ToileFabric *fabric, const ToileFabric *usual, TlIoText *text) {
    bool springs = fabric->stretch_model == TOILE_STRETCH_SPRINGS;
    bool field = fabric->compression == TOILE_COMPRESSION_TENSION_FIELD;
    write_number("{", "weft_N_per_m", fabric->stretch_weft_N_per_m, text);
    write_number(",", "warp_N_per_m", fabric->stretch_warp_N_per_m, text);
    write_number(",", "shear_N_per_m", fabric->stretch_shear_N_per_m, text);
    write_number(",", "poisson", fabric->stretch_poisson, text);
    write_number(",", "damping_s", fabric->stretch_damping_s, text);
    if (springs)
        write_word(",", "model", "springs", text);
    if (field)
        write_word(",", "compression", "tension-field", text);
    else
        write_changed("compression", fabric->compression_factor, usual->compression_factor, text);
    write_changed("gauss_points", fabric->gauss_points, usual->gauss_points, text);
    write_changed("limit", fabric->stretch_limit, usual->stretch_limit, text);
    tl_io_text_add_string(text, "}");
}

static void write_law(const ToileFabric *fabric, TlIoText *text) {
    char number[TL_NUMBER_SIZE];
    int32_t count = fabric->bend_law ? fabric->bend_law_count : 0;
    for (int32_t i = 0; i < 2 * count; i++) {
        if (i == 0)
            write_key(",", "law", text);
        tl_io_text_add_string(text, i == 0 ? "[[" : i % 2 == 0 ? "],[" : ",");
        tl_number_shortest(fabric->bend_law[i], number);
        tl_io_text_add_string(text, number);
    }
    if (count > 0)
        tl_io_text_add_string(text, "]]");
}

static void write_bend(const ToileFabric *fabric, const ToileFabric *usual, TlIoText *text) {
    static const char *const models[] = {"linear",  "dihedral",      "normal", "crossover",
                                         "choi-ko", "choi-ko-table", "koiter"};
    bool paper = fabric->bend_scale == TOILE_BEND_PAPER;
    write_number("{", "weft_N_m", fabric->bend_weft_N_m, text);
    write_number(",", "warp_N_m", fabric->bend_warp_N_m, text);
    write_word(",", "scale", paper ? "paper" : "calibrated", text);
    if (fabric->bend_model > TOILE_BEND_LINEAR && fabric->bend_model <= TOILE_BEND_KOITER)
        write_word(",", "model", models[fabric->bend_model], text);
    write_changed("damping_N_m_s", fabric->bend_damping_N_m_s, usual->bend_damping_N_m_s, text);
    if (fabric->bend_damping_model == TOILE_BEND_DAMPING_PROJECTED)
        write_word(",", "damping_model", "projected", text);
    write_changed("poisson", fabric->bend_poisson, usual->bend_poisson, text);
    write_changed("in_element_weight", fabric->bend_in_element_weight,
                  usual->bend_in_element_weight, text);
    write_changed("fold_exponent", fabric->bend_fold_exponent, usual->bend_fold_exponent, text);
    write_changed("intervals", fabric->bend_intervals, usual->bend_intervals, text);
    write_law(fabric, text);
    if (fabric->rest_curvature == TOILE_REST_CURVATURE_FROM_REST)
        write_word(",", "rest_curvature_per_m", "from-rest", text);
    else
        write_changed("rest_curvature_per_m", fabric->rest_curvature_per_m,
                      usual->rest_curvature_per_m, text);
    tl_io_text_add_string(text, "}");
}

void tl_fabric_write(const ToileFabricEntry *entry, TlIoText *text) {
    const ToileFabric usual = toile_fabric_default();
    const ToileFabric *fabric = &entry->fabric;
    write_word("{", "name", entry->name, text);
    write_word(",", "source", entry->source, text);
    write_number(",", "density_kg_per_m2", fabric->density_kg_per_m2, text);
    write_number(",", "thickness_m", fabric->thickness_m, text);
    write_number(",", "friction", fabric->friction, text);
    write_key(",", "stretch", text);
    write_stretch(fabric, &usual, text);
    write_key(",", "bend", text);
    write_bend(fabric, &usual, text);
    tl_io_text_add_string(text, "}");
}
