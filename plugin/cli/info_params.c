/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile info`: uv sets, arbitrary parameters and user properties of an object. Values are shown
 * when they are few; of the rest it is said how many there are. */
#include "info_archive.h"

#include <math.h>
#include <string.h>

/* Values that are printed at most, bytes that are read for them, and lines for people. */
#define VALUES_SHOWN 16
#define VALUE_BYTES 4096
#define LINES_SHOWN 40

static const char *type_name(abcc_type type) {
    static const char *const names[] = {"bool",    "uint8",   "int8",   "uint16",     "int16",
                                        "uint32",  "int32",   "uint64", "int64",      "float16",
                                        "float32", "float64", "string", "wide string"};
    size_t i = (size_t)type;
    return i < sizeof names / sizeof names[0] ? names[i] : "unknown";
}

/* ---- values ---- */

static double number_at(const void *bytes, abcc_type type, size_t i) {
    switch (type) {
    case ABCC_BOOL:
    case ABCC_U8:
        return ((const uint8_t *)bytes)[i];
    case ABCC_I8:
        return ((const int8_t *)bytes)[i];
    case ABCC_U16:
        return ((const uint16_t *)bytes)[i];
    case ABCC_I16:
        return ((const int16_t *)bytes)[i];
    case ABCC_U32:
        return ((const uint32_t *)bytes)[i];
    case ABCC_I32:
        return ((const int32_t *)bytes)[i];
    case ABCC_U64:
        return (double)((const uint64_t *)bytes)[i];
    case ABCC_I64:
        return (double)((const int64_t *)bytes)[i];
    case ABCC_F32:
        return (double)((const float *)bytes)[i];
    case ABCC_F64:
        return ((const double *)bytes)[i];
    default:
        return (double)NAN;
    }
}

/* all digits for programs; for people as many as the type is good for */
static void print_number(double value, abcc_type type, bool json) {
    if (json || !isfinite(value))
        tl_json_number(stdout, value);
    else
        printf("%.*g", type == ABCC_F32 ? 7 : 15, value);
}

/* `count` values as JSON, which people can read as well; a single one without brackets */
static void print_values(const void *bytes, const abcc_param *param, uint64_t count, bool json) {
    const char *text = bytes;
    if (count != 1)
        fputc('[', stdout);
    for (uint64_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", stdout);
        if (param->type == ABCC_STRING) {
            tl_json_string(stdout, text);
            text += strlen(text) + 1;
        } else {
            print_number(number_at(bytes, param->type, (size_t)i), param->type, json);
        }
    }
    if (count != 1)
        fputc(']', stdout);
}

/* The first sample of a parameter. */
typedef struct Values {
    _Alignas(double) char bytes[VALUE_BYTES];
    uint64_t count; /* of values, each of the parameter's width */
    bool shown;     /* few enough to be printed, and in `bytes` */
} Values;

static void read_values(abcc_reader *reader, abcc_obj obj, uint32_t i, const abcc_param *param,
                        Values *values) {
    uint64_t size = 0, indices = 0;
    values->count = 0;
    values->shown =
        param->samples > 0 && param->type != ABCC_WSTRING &&
        abcc_param_size(reader, obj, i, 0, &size, &values->count, &indices, NULL) == ABCC_OK &&
        param->type != ABCC_F16 && size <= sizeof values->bytes &&
        values->count * param->width <= VALUES_SHOWN &&
        abcc_param_read(reader, obj, i, 0, values->bytes, size, NULL, 0, NULL) == ABCC_OK;
}

/* ---- for people ---- */

static void text_uvs(abcc_reader *reader, abcc_obj obj, int indent) {
    uint32_t count = 0;
    if (abcc_uv_count(reader, obj, &count, NULL) != ABCC_OK)
        return;
    for (uint32_t i = 0; i < count; i++) {
        abcc_uv_set set = abcc_uv_set_default();
        uint32_t values = 0;
        if (abcc_uv_get(reader, obj, i, &set, NULL) != ABCC_OK || set.samples == 0)
            continue;
        printf("%*suvs '", indent, "");
        tl_text(stdout, set.name);
        printf("'%s, %s%s", set.main ? "" : " (further set)", tl_info_scope(set.scope),
               set.indexed ? ", indexed" : "");
        if (abcc_uv_size(reader, obj, i, 0, &values, NULL) == ABCC_OK)
            printf(", %u value%s", (unsigned)values, values == 1 ? "" : "s");
        fputc('\n', stdout);
    }
}

static bool is_uv_set(abcc_reader *reader, abcc_obj obj, const char *name) {
    uint32_t i = 0;
    abcc_uv_set set = abcc_uv_set_default();
    return abcc_uv_find(reader, obj, name, &i, NULL) == ABCC_OK &&
           abcc_uv_get(reader, obj, i, &set, NULL) == ABCC_OK && !set.main;
}

static void text_param(abcc_reader *reader, abcc_obj obj, uint32_t i, const abcc_param *param,
                       int indent) {
    Values values;
    printf("%*s%s ", indent, "",
           param->where == ABCC_IN_USER ? "user" : tl_info_scope(param->scope));
    if (param->meaning[0]) {
        tl_text(stdout, param->meaning);
        fputc(' ', stdout);
    }
    fputs(type_name(param->type), stdout);
    if (param->width > 1)
        printf("[%u]", (unsigned)param->width);
    fputc(' ', stdout);
    tl_text(stdout, param->name);
    read_values(reader, obj, i, param, &values);
    if (values.shown) {
        fputs(" = ", stdout);
        print_values(values.bytes, param, values.count * param->width, false);
    } else if (param->samples > 0) {
        printf(", %llu value%s%s", (unsigned long long)values.count, values.count == 1 ? "" : "s",
               param->indexed ? ", indexed" : "");
    }
    if (param->samples != 1)
        printf(", %u samples", (unsigned)param->samples);
    fputc('\n', stdout);
}

void tl_info_text_params(abcc_reader *reader, abcc_obj obj, int indent) {
    uint32_t count = 0, shown = 0;
    text_uvs(reader, obj, indent);
    if (abcc_param_count(reader, obj, &count, NULL) != ABCC_OK)
        return;
    for (uint32_t i = 0; i < count; i++) {
        abcc_param param = abcc_param_default();
        if (abcc_param_get(reader, obj, i, &param, NULL) != ABCC_OK ||
            (param.where == ABCC_IN_ARB && is_uv_set(reader, obj, param.name)))
            continue;
        if (shown++ == LINES_SHOWN) {
            printf("%*s... and %u more, which --json lists\n", indent, "", (unsigned)(count - i));
            return;
        }
        text_param(reader, obj, i, &param, indent);
    }
}

/* ---- JSON ---- */

static void json_uvs(abcc_reader *reader, abcc_obj obj) {
    uint32_t count = 0;
    if (abcc_uv_count(reader, obj, &count, NULL) != ABCC_OK || count == 0)
        return;
    fputs(", \"uv_sets\": [", stdout);
    for (uint32_t i = 0; i < count; i++) {
        abcc_uv_set set = abcc_uv_set_default();
        uint32_t values = 0;
        if (abcc_uv_get(reader, obj, i, &set, NULL) != ABCC_OK)
            set.name = "";
        else
            abcc_uv_size(reader, obj, i, 0, &values, NULL);
        fputs(i ? ", {\"name\": " : "{\"name\": ", stdout);
        tl_json_string(stdout, set.name);
        printf(", \"main\": %s, \"scope\": \"%s\", \"indexed\": %s, \"values\": %u, \"samples\": "
               "%u}",
               set.main ? "true" : "false", tl_info_scope(set.scope),
               set.indexed ? "true" : "false", (unsigned)values, (unsigned)set.samples);
    }
    fputc(']', stdout);
}

static void json_param(abcc_reader *reader, abcc_obj obj, uint32_t i) {
    abcc_param param = abcc_param_default();
    abcc_error error = {0};
    Values values;
    if (abcc_param_get(reader, obj, i, &param, &error) != ABCC_OK) {
        fputs("{\"problem\": ", stdout);
        tl_json_string(stdout, error.text);
        fputc('}', stdout);
        return;
    }
    fputs("{\"name\": ", stdout);
    tl_json_string(stdout, param.name);
    printf(", \"where\": \"%s\", \"type\": \"%s\", \"width\": %u, \"meaning\": ",
           param.where == ABCC_IN_USER ? "user" : "arbitrary", type_name(param.type),
           (unsigned)param.width);
    tl_json_string(stdout, param.meaning);
    printf(", \"scope\": \"%s\", \"scalar\": %s, \"indexed\": %s, \"samples\": %u",
           tl_info_scope(param.scope), param.scalar ? "true" : "false",
           param.indexed ? "true" : "false", (unsigned)param.samples);
    read_values(reader, obj, i, &param, &values);
    printf(", \"values\": %llu", (unsigned long long)values.count);
    if (values.shown) {
        fputs(", \"value\": ", stdout);
        print_values(values.bytes, &param, values.count * param.width, true);
    }
    fputc('}', stdout);
}

void tl_info_json_params(abcc_reader *reader, abcc_obj obj) {
    uint32_t count = 0;
    json_uvs(reader, obj);
    if (abcc_param_count(reader, obj, &count, NULL) != ABCC_OK || count == 0)
        return;
    fputs(", \"parameters\": [", stdout);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", stdout);
        json_param(reader, obj, i);
    }
    fputc(']', stdout);
}
