/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What is done with a JSON tree once it is read: look up, describe, write as compact text. */
#include "json.h"

#include "number.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>

TlJson *tl_json_get(const TlJson *object, const char *key) {
    if (object->kind != TL_JSON_OBJECT)
        return NULL;
    for (TlJson *child = object->first; child; child = child->next)
        if (strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

TlJson *tl_json_at(const TlJson *array, int32_t index) {
    if (array->kind != TL_JSON_ARRAY || index < 0 || index >= array->count)
        return NULL;
    TlJson *child = array->first;
    while (index-- > 0)
        child = child->next;
    return child;
}

/* Recursion goes no deeper than the reader allowed. */
TlJson *tl_json_copy(const TlJson *value, TlIoArena *arena) {
    TlJson *copy = tl_io_arena_alloc(arena, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *value;
    copy->first = copy->last = copy->next = NULL;
    for (const TlJson *child = value->first; child; child = child->next) {
        TlJson *added = tl_json_copy(child, arena);
        if (!added)
            return NULL;
        *(copy->last ? &copy->last->next : &copy->first) = added;
        copy->last = added;
    }
    return copy;
}

void tl_json_write_string(const char *string, TlIoText *text) {
    tl_io_text_add(text, "\"", 1);
    for (const char *c = string; *c; c++) {
        char escape[8] = "";
        unsigned char byte = (unsigned char)*c;
        if (*c == '"' || *c == '\\')
            snprintf(escape, sizeof escape, "\\%c", *c);
        else if (*c == '\n')
            snprintf(escape, sizeof escape, "\\n");
        else if (byte < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", byte);
        if (escape[0])
            tl_io_text_add_string(text, escape);
        else
            tl_io_text_add(text, c, 1);
    }
    tl_io_text_add(text, "\"", 1);
}

static void write_container(const TlJson *value, TlIoText *text) {
    bool is_object = value->kind == TL_JSON_OBJECT;
    tl_io_text_add(text, is_object ? "{" : "[", 1);
    for (const TlJson *child = value->first; child; child = child->next) {
        if (child != value->first)
            tl_io_text_add(text, ",", 1);
        if (is_object) {
            tl_json_write_string(child->key, text);
            tl_io_text_add(text, ":", 1);
        }
        tl_json_write(child, text);
    }
    tl_io_text_add(text, is_object ? "}" : "]", 1);
}

/* Recursion goes no deeper than the reader allowed. */
void tl_json_write(const TlJson *value, TlIoText *text) {
    char number[TL_NUMBER_SIZE];
    switch (value->kind) {
    case TL_JSON_NULL:
        tl_io_text_add_string(text, "null");
        break;
    case TL_JSON_BOOL:
        tl_io_text_add_string(text, value->boolean ? "true" : "false");
        break;
    case TL_JSON_NUMBER:
        tl_number_shortest(value->number, number);
        tl_io_text_add_string(text, number);
        break;
    case TL_JSON_STRING:
        tl_json_write_string(value->string, text);
        break;
    case TL_JSON_ARRAY:
    case TL_JSON_OBJECT:
        write_container(value, text);
        break;
    }
}

static void describe_string(const char *string, char text[TL_JSON_DESCRIBE_SIZE]) {
    size_t length = strlen(string);
    size_t used = 0;
    /* whole characters up to a length that leaves room for quotes and dots */
    while (used < length) {
        size_t step = tl_utf8_length(string + used, length - used);
        if (step == 0 || used + step > 40)
            break;
        used += step;
    }
    snprintf(text, TL_JSON_DESCRIBE_SIZE, "\"%.*s%s\"", (int)used, string,
             used < length ? "..." : "");
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20)
            *c = ' ';
}

void tl_json_describe(const TlJson *value, char text[TL_JSON_DESCRIBE_SIZE]) {
    char number[TL_NUMBER_SIZE];
    const char *many = value->count == 1 ? "" : "s";
    switch (value->kind) {
    case TL_JSON_NULL:
        snprintf(text, TL_JSON_DESCRIBE_SIZE, "null");
        break;
    case TL_JSON_BOOL:
        snprintf(text, TL_JSON_DESCRIBE_SIZE, "%s", value->boolean ? "true" : "false");
        break;
    case TL_JSON_NUMBER:
        tl_number_shortest(value->number, number);
        snprintf(text, TL_JSON_DESCRIBE_SIZE, "%s", number);
        break;
    case TL_JSON_STRING:
        describe_string(value->string, text);
        break;
    case TL_JSON_ARRAY:
        snprintf(text, TL_JSON_DESCRIBE_SIZE, "a list of %d value%s", value->count, many);
        break;
    case TL_JSON_OBJECT:
        snprintf(text, TL_JSON_DESCRIBE_SIZE, "an object of %d key%s", value->count, many);
        break;
    }
}
