/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric library: complete, physical, with sources, and found by name. */
#include "../io/fabric_library.h"
#include "../io/json.h"
#include "support/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static ToileFabricEntry get(int32_t index) {
    ToileFabricEntry entry = {.struct_size = sizeof entry};
    ck_assert_int_eq(toile_fabric_get(index, &entry, NULL), TOILE_STATUS_OK);
    return entry;
}

START_TEST(fabric_library_is_sorted_by_name) {
    ck_assert_int_ge(toile_fabric_count(), 20);
    for (int32_t i = 1; i < toile_fabric_count(); i++)
        ck_assert_int_lt(strcmp(get(i - 1).name, get(i).name), 0);
}
END_TEST

START_TEST(fabric_numbers_are_physical) {
    for (int32_t i = 0; i < toile_fabric_count(); i++) {
        ToileFabricEntry entry = get(i);
        const ToileFabric *f = &entry.fabric;
        ck_assert_msg(f->density_kg_per_m2 > 0.01 && f->density_kg_per_m2 < 2, "%s", entry.name);
        ck_assert_msg(f->thickness_m > 0 && f->thickness_m < 0.01, "%s", entry.name);
        ck_assert_msg(f->friction >= 0 && f->friction < 2, "%s", entry.name);
        ck_assert_msg(f->stretch_damping_s >= 0, "%s", entry.name);
        ck_assert_msg(f->bend_weft_N_m > 0 && f->bend_warp_N_m > 0, "%s", entry.name);
        ck_assert_msg(f->bend_scale == TOILE_BEND_CALIBRATED, "%s", entry.name);
    }
}
END_TEST

/* Sylvester: weft and shear above 0 and a positive 2x2 determinant */
START_TEST(fabric_stretch_is_positive_definite) {
    for (int32_t i = 0; i < toile_fabric_count(); i++) {
        ToileFabricEntry entry = get(i);
        const ToileFabric *f = &entry.fabric;
        double nu21 = f->stretch_poisson * f->stretch_warp_N_per_m / f->stretch_weft_N_per_m;
        double d = 1 - f->stretch_poisson * nu21;
        ck_assert_msg(d > 0, "%s", entry.name);
        double K11 = f->stretch_weft_N_per_m / d;
        double K22 = f->stretch_warp_N_per_m / d;
        double K12 = f->stretch_poisson * K22;
        ck_assert_msg(K11 > 0 && K11 * K22 - K12 * K12 > 0, "%s", entry.name);
        ck_assert_msg(f->stretch_shear_N_per_m > 0, "%s", entry.name);
    }
}
END_TEST

START_TEST(fabric_has_title_and_source) {
    for (int32_t i = 0; i < toile_fabric_count(); i++) {
        ToileFabricEntry entry = get(i);
        ck_assert_msg(strlen(entry.title) > 3, "%s", entry.name);
        ck_assert_msg(strstr(entry.source, "20") != NULL, "%s names no year", entry.name);
        ck_assert_msg(strstr(entry.source, "estimated: ") != NULL, "%s hides estimates",
                      entry.name);
    }
}
END_TEST

START_TEST(fabric_measured_numbers_are_those_published) {
    ToileFabricEntry entry = {.struct_size = sizeof entry};
    ck_assert_int_eq(toile_fabric_find("11-oz-black-denim", &entry, NULL), TOILE_STATUS_OK);
    ck_assert_double_eq(entry.fabric.density_kg_per_m2, 0.324);
    ck_assert_double_eq(entry.fabric.stretch_weft_N_per_m, 205);
    ck_assert_double_eq(entry.fabric.stretch_warp_N_per_m, 1014);
    ck_assert_double_eq(entry.fabric.bend_weft_N_m, 64e-6);
    ck_assert_double_eq(entry.fabric.bend_warp_N_m, 97e-6);
    ck_assert_int_eq(toile_fabric_find("white-swim-solid", &entry, NULL), TOILE_STATUS_OK);
    ck_assert_double_eq(entry.fabric.density_kg_per_m2, 0.204);
    ck_assert_double_eq(entry.fabric.bend_warp_N_m, 51e-6);
    ck_assert_int_eq(toile_fabric_find("silk-satin", &entry, NULL), TOILE_STATUS_OK);
    ck_assert_double_eq(entry.fabric.density_kg_per_m2, 0.090);
}
END_TEST

START_TEST(fabric_find_suggests_the_nearest_name) {
    ToileFabricEntry entry = {.struct_size = sizeof entry};
    ToileError error = toile_error_default();
    ck_assert_int_eq(toile_fabric_find("coton-poplin", &entry, &error), TOILE_STATUS_NOT_FOUND);
    ck_assert_str_eq(error.message, "there is no fabric named \"coton-poplin\" in the library; did "
                                    "you mean \"cotton-poplin\"?");
    ck_assert_int_eq(toile_fabric_find("xyzzy", &entry, &error), TOILE_STATUS_NOT_FOUND);
    ck_assert_ptr_null(strstr(error.message, "did you mean"));
}
END_TEST

START_TEST(fabric_refuses_wrong_arguments) {
    ToileFabricEntry entry = {.struct_size = sizeof entry};
    ToileError error = toile_error_default();
    ck_assert_int_eq(toile_fabric_get(-1, &entry, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_fabric_get(toile_fabric_count(), &entry, &error),
                     TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_fabric_get(0, NULL, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_int_eq(toile_fabric_find(NULL, &entry, &error), TOILE_STATUS_INVALID_ARGUMENT);
    entry.struct_size = 0;
    ck_assert_int_eq(toile_fabric_get(0, &entry, &error), TOILE_STATUS_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "struct_size of 0"));
}
END_TEST

START_TEST(fabric_never_writes_past_a_smaller_struct) {
    ToileFabricEntry entry;
    memset(&entry, 0x5A, sizeof entry);
    entry.struct_size = (uint32_t)offsetof(ToileFabricEntry, source);
    ck_assert_int_eq(toile_fabric_get(0, &entry, NULL), TOILE_STATUS_OK);
    ck_assert_ptr_nonnull(entry.name);
    unsigned char byte = 0;
    memcpy(&byte, &entry.source, 1);
    ck_assert_uint_eq(byte, 0x5A);
}
END_TEST

START_TEST(fabric_text_reads_back) {
    TlIoText text = {0};
    TlIoArena arena = {0};
    TlReport report = {0};
    ToileFabricEntry entry = {.struct_size = sizeof entry};
    ck_assert_int_eq(toile_fabric_find("linen", &entry, NULL), TOILE_STATUS_OK);
    tl_fabric_write(&entry, &text);
    const TlJson *object = tl_json_parse(text.data, text.length, "linen", &arena, &report);
    ck_assert_ptr_nonnull(object);
    ck_assert_str_eq(tl_json_get(object, "name")->string, "linen");
    const TlJson *bend = tl_json_get(object, "bend");
    ck_assert_double_eq(tl_json_get(bend, "weft_N_m")->number, entry.fabric.bend_weft_N_m);
    const TlJson *stretch = tl_json_get(object, "stretch");
    ck_assert_double_eq(tl_json_get(stretch, "poisson")->number, entry.fabric.stretch_poisson);
    /* what stands at its default is left out */
    ck_assert_int_eq(stretch->count, 5);
    ck_assert_int_eq(bend->count, 3);
    tl_io_arena_free(&arena);
    tl_io_text_free(&text);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("fabric");
    TCase *tcase = tcase_create("fabric");
    tcase_add_test(tcase, fabric_library_is_sorted_by_name);
    tcase_add_test(tcase, fabric_numbers_are_physical);
    tcase_add_test(tcase, fabric_stretch_is_positive_definite);
    tcase_add_test(tcase, fabric_has_title_and_source);
    tcase_add_test(tcase, fabric_measured_numbers_are_those_published);
    tcase_add_test(tcase, fabric_find_suggests_the_nearest_name);
    tcase_add_test(tcase, fabric_refuses_wrong_arguments);
    tcase_add_test(tcase, fabric_never_writes_past_a_smaller_struct);
    tcase_add_test(tcase, fabric_text_reads_back);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
