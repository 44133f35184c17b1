/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Sound archives of kinds that are seldom met: none is refused, and all that they hold is read. */
#include "support/abc_cloth.h"
#include "support/abc_everything.h"
#include "support/abc_unusual.h"
#include "support/run_suite.h"

#include <math.h>
#include <stdlib.h>

static abcc_reader *open_kind(const char *name) {
    for (int kind = 0; kind < abc_unusual_count(); kind++)
        if (strcmp(abc_unusual_name(kind), name) == 0)
            ck_assert(abc_unusual_write(kind, abc_path));
    return abc_open(abc_path, 0);
}

START_TEST(sound_archive_is_read_whole) {
    AbcSeen seen;
    ck_assert(abc_unusual_write(_i, abc_path));
    abcc_status status = abc_read_everything(abc_path, 20, &seen);
    ck_assert_msg(status == ABCC_OK && seen.refusals == 0, "%s: %s", abc_unusual_name(_i),
                  seen.last_error.text);
    ck_assert_uint_gt(seen.objects, 1);
}
END_TEST

/* the patterns of samples, of which repeats are stored once */
START_TEST(repeated_samples_have_their_values) {
    abcc_reader *reader = open_kind("samples");
    abcc_obj mesh = abc_find(reader, "/mesh");
    uint32_t count = 0, read = 0;
    OK(abcc_param_count(reader, mesh, &count, &abc_error));
    for (uint32_t i = 0; i < count; i++) {
        abcc_param param = abcc_param_default();
        OK(abcc_param_get(reader, mesh, i, &param, &abc_error));
        const char *pattern = param.name + 1;
        size_t length = strcspn(pattern, "[$");
        char expected = '?';
        ck_assert_uint_eq(param.samples, length);
        for (uint32_t k = 0; k < length; k++, read++) {
            expected = pattern[k] == '.' ? expected : pattern[k];
            int32_t number = 0;
            char text[8];
            float values[8];
            uint64_t values_count = 0;
            OK(abcc_param_size(reader, mesh, i, k, NULL, &values_count, NULL, &abc_error));
            if (param.type == ABCC_I32) {
                OK(abcc_param_read(reader, mesh, i, k, &number, 4, NULL, 0, &abc_error));
                ck_assert_int_eq(number, expected);
            } else if (param.type == ABCC_STRING) {
                OK(abcc_param_read(reader, mesh, i, k, text, 8, NULL, 0, &abc_error));
                ck_assert(text[0] == expected && text[1] == '\0');
            } else {
                OK(abcc_param_read(reader, mesh, i, k, values, 32, NULL, 0, &abc_error));
                ck_assert_uint_eq(values_count, (uint64_t)(expected % 5));
                for (uint64_t v = 0; v < values_count; v++)
                    ck_assert(values[v] == (float)expected);
            }
        }
    }
    ck_assert_uint_gt(read, 150);
    abcc_close(reader);
}
END_TEST

START_TEST(deep_transforms_add_up) {
    double m[16];
    abcc_reader *reader = open_kind("deep");
    OK(abcc_world(reader, abcc_object_count(reader) - 1, 0, m, NULL, NULL, &abc_error));
    ck_assert(m[12] == 200.0);
    abcc_close(reader);
}
END_TEST

/* Maya's stack: move, pivot, turn about z, y and x, shear, scale */
START_TEST(stack_of_operations_gives_the_matrix) {
    static const double expected[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 1};
    double m[16];
    int visible = 1, mirrored = 0, inherits = 1;
    abcc_reader *reader = open_kind("transforms");
    OK(abcc_world(reader, abc_find(reader, "/maya"), 0, m, NULL, &mirrored, &abc_error));
    ck_assert_int_eq(mirrored, 1);
    for (int i = 0; i < 16; i++)
        ck_assert(fabs(m[i] - expected[i]) < 1e-12);
    OK(abcc_xform_read(reader, abc_find(reader, "/many"), 0, m, NULL, &abc_error));
    ck_assert(m[12] == 100.0);
    abcc_obj alone = abc_find(reader, "/alone");
    OK(abcc_xform_read(reader, alone, 0, m, &inherits, &abc_error));
    OK(abcc_world(reader, alone, 0, m, &visible, NULL, &abc_error));
    ck_assert(inherits == 0 && visible == 0);
    abcc_close(reader);
}
END_TEST

/* a quarter about a hinge keeps the hinge, the size and the middle of the turn */
START_TEST(turns_between_samples_keep_pivot_and_size) {
    double m[16], half = sqrt(0.5);
    abcc_reader *reader = open_kind("transforms");
    OK(abcc_xform_read(reader, abc_find(reader, "/door"), 1.5 / 24, m, NULL, &abc_error));
    const double wanted[16] = {half, 0, -half, 0, 0,        1, 0,    0,
                               half, 0, half,  0, 1 - half, 0, half, 1};
    for (int i = 0; i < 16; i++)
        ck_assert_msg(fabs(m[i] - wanted[i]) < 1e-12, "%d: %g, not %g", i, m[i], wanted[i]);
    /* from 80 degrees about y to 100: the angles jump, the head does not */
    OK(abcc_xform_read(reader, abc_find(reader, "/head"), 1.5 / 24, m, NULL, &abc_error));
    const double over[3][3] = {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}};
    for (int i = 0; i < 9; i++)
        ck_assert_msg(fabs(m[4 * (i / 3) + i % 3] - over[i / 3][i % 3]) < 1e-12, "%d: %g", i,
                      m[4 * (i / 3) + i % 3]);
    abcc_close(reader);
}
END_TEST

START_TEST(instances_of_instances_are_followed_and_lost_ones_listed) {
    abcc_object object = abcc_object_default();
    abcc_reader *reader = open_kind("instances");
    OK(abcc_object_get(reader, abc_find(reader, "/again/tree3/leaf"), &object, &abc_error));
    ck_assert(object.kind == ABCC_MESH && object.instance_of == abc_find(reader, "/tree/leaf"));
    OK(abcc_object_get(reader, abc_find(reader, "/lost"), &object, &abc_error));
    ck_assert(object.kind == ABCC_OTHER && object.instance_of == 0);
    ck_assert_str_eq(object.source, "/not/there");
    abcc_close(reader);
}
END_TEST

/* a few kilobytes must not become gigabytes */
START_TEST(instances_that_unfold_without_end_are_refused) {
    abcc_reader *reader = NULL;
    ck_assert(abc_unusual_unfold(10, 1, abc_path));
    reader = abc_open(abc_path, 0);
    ck_assert_uint_gt(abcc_object_count(reader), 4000);
    abcc_close(reader);
    ck_assert(abc_unusual_unfold(60, 1, abc_path));
    REFUSED(ABCC_E_LIMIT, "more objects", abcc_open(abc_path, 0, NULL, &reader, &abc_error));
    ck_assert(abc_unusual_unfold(30, 3000, abc_path));
    REFUSED(ABCC_E_LIMIT, "longer paths", abcc_open(abc_path, 0, NULL, &reader, &abc_error));
}
END_TEST

START_TEST(sharpness_may_be_given_for_each_edge_or_for_all_corners) {
    abcc_subd_sizes sizes = abcc_subd_sizes_default();
    abcc_subd_out out = abcc_subd_out_default();
    int32_t edge[4];
    float sharpness[3] = {0, 0, 0};
    abcc_reader *reader = open_kind("cages");
    abcc_obj cage = abc_find(reader, "/sharpness of each edge");
    OK(abcc_subd_size(reader, cage, 0, &sizes, &abc_error));
    ck_assert(sizes.creases == 1 && sizes.crease_edges == 2 && sizes.crease_sharps == 2);
    ck_assert_str_eq(sizes.scheme, "loop");
    out.cap_crease_edges = 2;
    out.edge = edge;
    out.edge_sharpness = sharpness;
    OK(abcc_subd_read(reader, cage, 0, &out, &abc_error));
    ck_assert(edge[1] == 1 && edge[2] == 1 && sharpness[0] == 1.0f && sharpness[1] == 2.0f);
    out = abcc_subd_out_default();
    out.cap_corners = 3;
    out.corner_sharpness = sharpness;
    OK(abcc_subd_read(reader, abc_find(reader, "/sharpness of all corners"), 0, &out, &abc_error));
    ck_assert(sharpness[0] == 1.0f && sharpness[2] == 1.0f);
    abcc_close(reader);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("abc_unusual");
    TCase *tests = abc_case(suite, "unusual archives");
    tcase_add_loop_test(tests, sound_archive_is_read_whole, 0, abc_unusual_count());
    tcase_add_test(tests, repeated_samples_have_their_values);
    tcase_add_test(tests, deep_transforms_add_up);
    tcase_add_test(tests, stack_of_operations_gives_the_matrix);
    tcase_add_test(tests, turns_between_samples_keep_pivot_and_size);
    tcase_add_test(tests, instances_of_instances_are_followed_and_lost_ones_listed);
    tcase_add_test(tests, instances_that_unfold_without_end_are_refused);
    tcase_add_test(tests, sharpness_may_be_given_for_each_edge_or_for_all_corners);
    return run_suite(suite);
}
