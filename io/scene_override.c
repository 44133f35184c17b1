/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Overrides "key.path=value" and values of wedges: put into the tree before it is checked, so that
 * a wrong one is reported like a wrong line of the file. A fabric that is only named is expanded
 * first. */
#include "fabric_library.h"
#include "platform.h"
#include "scene_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 64

/* One override on its way down the tree. */
typedef struct Walk {
    TlSceneReader *reader;
    TlIoPlace place;     /* names the override in findings */
    const char *subject; /* begins their sentences */
    const char *part;    /* where the walk is, in a path cut into parts by zero bytes */
    int32_t parts_left;
} Walk;

static bool complain(Walk *walk, const char *sentence) {
    tl_report_error(walk->reader->report, TOILE_STATUS_INVALID_DATA, walk->place, "%s%s",
                    walk->subject, sentence);
    return false;
}

static void *out_of_memory(Walk *walk) {
    tl_report_out_of_memory(walk->reader->report);
    return NULL;
}

/* Everything in an inserted tree stands, for findings, where the override or fabric stands. */
static void set_place(TlJson *value, TlIoPlace place) {
    value->place = place;
    value->key_place = place;
    for (TlJson *child = value->first; child; child = child->next)
        set_place(child, place);
}

/* Replaces the content of `target`, keeping its key and its place in the list. */
static void replace(TlJson *target, const TlJson *value) {
    TlJson *next = target->next;
    const char *key = target->key;
    TlIoPlace key_place = target->key_place;
    *target = *value;
    target->next = next;
    target->key = key;
    target->key_place = key_place;
}

/* ---- the value ---- */

/* True for a text that can only be meant as JSON, so that a mistake in it is reported. */
static bool looks_like_json(const char *text) {
    return text[0] && (strchr("{[\"-0123456789", text[0]) || strcmp(text, "true") == 0 ||
                       strcmp(text, "false") == 0 || strcmp(text, "null") == 0);
}

static TlJson *parse_override_value(Walk *walk, const char *text) {
    TlSceneReader *reader = walk->reader;
    TlIoArena *arena = &reader->scene->arena;
    TlReport quiet = {0};
    TlJson *value = tl_json_parse(text, strlen(text), walk->place.file, arena, &quiet);
    if (!value && quiet.status == TOILE_STATUS_OUT_OF_MEMORY)
        return out_of_memory(walk);
    /* a bare word, or one such as 1-48 or 3d.obj that only begins like a number */
    if (!value && (!looks_like_json(text) || !strchr("{[\"", text[0]))) {
        value = tl_io_arena_alloc(arena, sizeof *value);
        if (!value)
            return out_of_memory(walk);
        value->kind = TL_JSON_STRING;
        value->string = tl_io_arena_copy(arena, text, strlen(text));
        if (!value->string)
            return out_of_memory(walk);
    }
    if (!value) {
        tl_json_parse(text, strlen(text), walk->place.file, arena, reader->report);
        return NULL;
    }
    set_place(value, walk->place);
    return value;
}

/* ---- fabrics ---- */

static bool expand_library_fabric(Walk *walk, TlJson *target) {
    ToileFabricEntry entry = {.struct_size = (uint32_t)sizeof entry};
    ToileError error = {.struct_size = (uint32_t)sizeof error};
    TlIoText text = {0};
    if (toile_fabric_find(target->string, &entry, &error) != TOILE_STATUS_OK)
        return complain(walk, error.message);
    tl_fabric_write(&entry, &text);
    TlReport quiet = {0};
    TlJson *object = NULL;
    if (!text.failed)
        object = tl_json_parse(text.data, text.length, target->place.file,
                               &walk->reader->scene->arena, &quiet);
    tl_io_text_free(&text);
    if (!object)
        return out_of_memory(walk) != NULL;
    set_place(object, target->place);
    replace(target, object);
    return true;
}

static bool expand_fabric_file(Walk *walk, TlJson *target) {
    TlSceneReader *reader = walk->reader;
    TlKeys keys = {.report = reader->report};
    char *resolved = NULL;
    size_t size = 0;
    char *text =
        tl_scene_read_input(reader, &keys, "fabric", target, TL_JSON_MAX_BYTES, &resolved, &size);
    if (!text)
        return false;
    TlJson *object = NULL;
    const char *file = tl_io_arena_copy(&reader->scene->arena, resolved, strlen(resolved));
    if (file)
        object = tl_json_parse(text, size, file, &reader->scene->arena, reader->report);
    else
        out_of_memory(walk);
    free(text);
    free(resolved);
    if (!object)
        return false;
    replace(target, object);
    return true;
}

/* A fabric given by name or file becomes the object it stands for. */
static bool expand(Walk *walk, TlJson *target) {
    bool is_fabric =
        target->kind == TL_JSON_STRING && target->key && strcmp(target->key, "fabric") == 0;
    if (!is_fabric)
        return true;
    if (tl_io_has_ending(target->string, ".json"))
        return expand_fabric_file(walk, target);
    return expand_library_fabric(walk, target);
}

/* ---- the way down ---- */

static TlJson *add_child(Walk *walk, TlJson *object) {
    TlIoArena *arena = &walk->reader->scene->arena;
    TlJson *child = tl_io_arena_alloc(arena, sizeof *child);
    if (!child)
        return out_of_memory(walk);
    child->kind = TL_JSON_OBJECT;
    child->key = walk->part;
    child->place = walk->place;
    child->key_place = walk->place;
    if (object->last)
        object->last->next = child;
    else
        object->first = child;
    object->last = child;
    object->count++;
    return child;
}

static TlJson *find_element(Walk *walk, const TlJson *array) {
    const char *names[NAMES_MAX];
    int32_t name_count = 0;
    int32_t index = 0;
    char sentence[512];
    bool is_index = walk->part[0] != '\0' && strlen(walk->part) <= 9 &&
                    strspn(walk->part, "0123456789") == strlen(walk->part);
    for (TlJson *child = array->first; child; child = child->next, index++) {
        const TlJson *name = tl_json_get(child, "name");
        if (name && name->kind == TL_JSON_STRING) {
            if (strcmp(name->string, walk->part) == 0)
                return child;
            if (name_count < NAMES_MAX)
                names[name_count++] = name->string;
        }
    }
    /* a name made of digits was looked for first */
    TlJson *child = is_index ? tl_json_at(array, atoi(walk->part)) : NULL;
    if (child)
        return child;
    const char *near = tl_io_nearest(walk->part, names, name_count);
    snprintf(sentence, sizeof sentence,
             "the list has no element \"%.64s\"%s%.64s%s; name one of its %d elements by name or "
             "by a number from 0",
             walk->part, near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "",
             array->count);
    complain(walk, sentence);
    return NULL;
}

/* One step down: into a key, which is made when it is not there, or into an element of a list. */
static TlJson *descend(Walk *walk, TlJson *value) {
    char found[TL_JSON_DESCRIBE_SIZE];
    char sentence[256];
    if (!expand(walk, value))
        return NULL;
    if (value->kind == TL_JSON_ARRAY)
        return find_element(walk, value);
    if (value->kind == TL_JSON_NULL) {
        value->kind = TL_JSON_OBJECT;
        value->first = value->last = NULL;
        value->count = 0;
    }
    if (value->kind == TL_JSON_OBJECT) {
        TlJson *child = tl_json_get(value, walk->part);
        return child ? child : add_child(walk, value);
    }
    tl_json_describe(value, found);
    snprintf(sentence, sizeof sentence,
             "%s has no key \"%.64s\"; only lists and objects have parts", found, walk->part);
    complain(walk, sentence);
    return NULL;
}

/* Cuts the path at its points; answers the number of parts, or 0 when one is empty. */
static int32_t cut_path(char *path) {
    int32_t parts = 1;
    bool empty = path[0] == '\0';
    for (char *c = path; *c; c++) {
        if (*c != '.')
            continue;
        empty = empty || c[1] == '.' || c[1] == '\0' || c == path;
        *c = '\0';
        parts++;
    }
    return empty ? 0 : parts;
}

void tl_scene_put(TlSceneReader *reader, TlJson *root, const char *key, const TlJson *value,
                  TlIoPlace place, const char *subject) {
    char *path = tl_io_arena_copy(&reader->scene->arena, key, strlen(key));
    Walk walk = {.reader = reader, .place = place, .subject = subject, .part = path};
    if (!path) {
        out_of_memory(&walk);
        return;
    }
    walk.parts_left = cut_path(path);
    TlJson *target = root;
    while (target && walk.parts_left-- > 0) {
        target = descend(&walk, target);
        walk.part += strlen(walk.part) + 1;
    }
    if (target)
        replace(target, value);
}

static void apply(TlSceneReader *reader, TlJson *root, const char *text) {
    TlIoArena *arena = &reader->scene->arena;
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    char *label = tl_io_arena_alloc(arena, strlen(text) + 8);
    char *key = tl_io_arena_copy(arena, text, length);
    char *parts = tl_io_arena_copy(arena, text, length);
    Walk walk = {.reader = reader, .subject = ""};
    if (!label || !key || !parts) {
        out_of_memory(&walk);
        return;
    }
    memcpy(label, "--set ", 6);
    memcpy(label + 6, text, strlen(text));
    walk.place = (TlIoPlace){label, 0, 0};
    if (!equals || cut_path(parts) == 0) {
        complain(&walk, "the override cannot be read; write key.path=value, such as "
                        "cloth.0.fabric=linen");
        return;
    }
    TlJson *value = parse_override_value(&walk, equals + 1);
    if (value)
        tl_scene_put(reader, root, key, value, walk.place, "");
}

void tl_scene_override(TlSceneReader *reader, TlJson *root, const char *const *overrides,
                       int32_t count) {
    for (int32_t i = 0; i < count; i++)
        apply(reader, root, overrides[i]);
}
