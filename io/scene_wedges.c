/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Wedges: variants of a scene. Each key of "wedges" is the path of a value, as of an override, with
 * the list of values it takes; the cross product of the lists, the last key varying fastest, is the
 * table. The values of a wedge go into the tree before it is checked and hashed; the table itself
 * is not hashed, so that a longer list leaves the wedges it had as they were. */
#include "scene_types.h"

#include <stdio.h>
#include <string.h>

#define WEDGES_MAX 1000000
#define SUBJECT_SIZE 128

static const TlJson *table_of(const TlJson *root) {
    const TlJson *table = root->kind == TL_JSON_OBJECT ? tl_json_get(root, "wedges") : NULL;
    return table && table->kind != TL_JSON_NULL ? table : NULL;
}

/* ---- the table ---- */

static bool is_path(const char *key) {
    size_t length = strlen(key);
    return length > 0 && key[0] != '.' && key[length - 1] != '.' && !strstr(key, "..") &&
           !strchr(key, '=');
}

static bool check_list(TlSceneReader *reader, const TlJson *list) {
    const char *sentence = NULL;
    if (!is_path(list->key))
        sentence = "the key cannot be read; write the path of a value, such as "
                   "cloth.skirt.fabric.bend.weft_N_m";
    else if (strcmp(list->key, "wedges") == 0 || strncmp(list->key, "wedges.", 7) == 0)
        sentence = "wedges cannot change the wedges; name another value of the scene";
    else if (list->kind != TL_JSON_ARRAY)
        sentence = "a list in brackets is needed, with the values this key takes";
    else if (list->count == 0)
        sentence = "the list is empty; give at least one value";
    if (sentence)
        tl_report_error(reader->report, TOILE_STATUS_INVALID_DATA, list->key_place,
                        "wedges \"%.64s\": %s", list->key, sentence);
    return !sentence;
}

/* A list must not replace what an earlier one gave; a later one may change parts of it. */
static bool check_order(TlSceneReader *reader, const TlJson *table, const TlJson *list) {
    size_t length = strlen(list->key);
    for (const TlJson *other = table->first; other != list; other = other->next) {
        if (strncmp(other->key, list->key, length) == 0 && other->key[length] == '.') {
            tl_report_error(reader->report, TOILE_STATUS_INVALID_DATA, list->key_place,
                            "wedges \"%.64s\": it would replace what \"%.64s\" gave; put it "
                            "first or leave out one of them",
                            list->key, other->key);
            return false;
        }
    }
    return true;
}

static const char *write_value(TlSceneReader *reader, const TlJson *value) {
    TlIoText text = {0};
    tl_json_write(value, &text);
    const char *copy =
        text.failed ? NULL : tl_io_arena_copy(&reader->scene->arena, text.data, text.length);
    tl_io_text_free(&text);
    return copy;
}

static bool keep_list(TlSceneReader *reader, const TlJson *list, TlSceneWedgeKey *key) {
    key->key = list->key;
    key->values =
        tl_io_arena_array(&reader->scene->arena, (size_t)list->count, sizeof *key->values);
    if (!key->values)
        return false;
    for (const TlJson *value = list->first; value; value = value->next) {
        const char *text = write_value(reader, value);
        if (!text)
            return false;
        key->values[key->value_count++] = text;
    }
    return true;
}

void tl_scene_read_wedges(TlSceneReader *reader, const TlJson *root) {
    ToileScene *scene = reader->scene;
    const TlJson *table = table_of(root);
    char found[TL_JSON_DESCRIBE_SIZE];
    int64_t product = 1;
    bool fine = true;
    if (!table || (table->kind == TL_JSON_OBJECT && table->count == 0))
        return;
    if (table->kind != TL_JSON_OBJECT) {
        tl_json_describe(table, found);
        tl_report_error(reader->report, TOILE_STATUS_INVALID_DATA, table->place,
                        "wedges: %s stands where an object in braces is needed", found);
        return;
    }
    scene->wedge_keys =
        tl_io_arena_array(&scene->arena, (size_t)table->count, sizeof *scene->wedge_keys);
    if (!scene->wedge_keys) {
        tl_report_out_of_memory(reader->report);
        return;
    }
    for (const TlJson *list = table->first; list; list = list->next) {
        fine = check_list(reader, list) && check_order(reader, table, list) && fine;
        if (!fine)
            continue;
        if (!keep_list(reader, list, &scene->wedge_keys[scene->wedge_key_count++])) {
            tl_report_out_of_memory(reader->report);
            return;
        }
        product = product <= WEDGES_MAX ? product * list->count : product;
    }
    if (fine && product > WEDGES_MAX)
        tl_report_error(reader->report, TOILE_STATUS_INVALID_DATA, table->place,
                        "wedges: the lists make more than the %d wedges that are allowed; shorten "
                        "them",
                        WEDGES_MAX);
    else if (fine)
        scene->wedge_count = (int32_t)product;
}

/* Which value of key `key` wedge `wedge` has. */
static int32_t value_index(const ToileScene *scene, int32_t wedge, int32_t key) {
    int32_t rest = wedge;
    for (int32_t k = scene->wedge_key_count - 1; k > key; k--)
        rest /= scene->wedge_keys[k].value_count;
    return rest % scene->wedge_keys[key].value_count;
}

/* ---- choosing ---- */

static bool is_overridden(const char *key, const char *const *overrides, int32_t count) {
    size_t length = strlen(key);
    for (int32_t i = 0; i < count; i++)
        if (strncmp(overrides[i], key, length) == 0 && overrides[i][length] == '=')
            return true;
    return false;
}

static bool refuse_wedge(TlSceneReader *reader, const TlJson *table, int32_t wedge) {
    TlIoPlace place = table ? table->key_place : (TlIoPlace){reader->path, 0, 0};
    if (reader->scene->wedge_count > 0)
        tl_report_error(reader->report, TOILE_STATUS_INVALID_ARGUMENT, place,
                        "there is no wedge %d; the scene has wedges 0 to %d", wedge,
                        reader->scene->wedge_count - 1);
    else
        tl_report_error(reader->report, TOILE_STATUS_INVALID_ARGUMENT, place,
                        "there is no wedge %d; the scene has no \"wedges\"", wedge);
    return false;
}

bool tl_scene_choose_wedge(TlSceneReader *reader, TlJson *root, int32_t wedge,
                           const char *const *overrides, int32_t override_count) {
    ToileScene *scene = reader->scene;
    const TlJson *table = table_of(root);
    int32_t key = 0;
    scene->wedge = wedge;
    /* a table in error was reported */
    if (wedge < 0 || (table && scene->wedge_count == 0 && reader->report->error_count > 0))
        return true;
    if (wedge >= scene->wedge_count)
        return refuse_wedge(reader, table, wedge);
    for (const TlJson *list = table->first; list; list = list->next, key++) {
        char subject[SUBJECT_SIZE];
        snprintf(subject, sizeof subject, "wedges \"%.64s\": ", list->key);
        if (is_overridden(list->key, overrides, override_count)) {
            tl_report_error(reader->report, TOILE_STATUS_INVALID_ARGUMENT, list->key_place,
                            "%s--set gives the same key a value, which the wedge would replace; "
                            "leave out one of them",
                            subject);
            return false;
        }
        const TlJson *value = tl_json_at(list, value_index(scene, wedge, key));
        /* a copy, since later keys may change parts of it */
        const TlJson *copy = tl_json_copy(value, &scene->arena);
        if (!copy) {
            tl_report_out_of_memory(reader->report);
            return false;
        }
        tl_scene_put(reader, root, list->key, copy, list->key_place, subject);
    }
    return true;
}

/* ---- questions ---- */

ToileStatus toile_scene_get_wedge(const ToileScene *scene, int32_t wedge, int32_t key,
                                  const char **name, const char **value, ToileError *error) {
    if (!scene || !name || !value)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_scene_get_wedge needs a scene and places for the key and its "
                          "value, not NULL");
    if (wedge < 0 || wedge >= scene->wedge_count || key < 0 || key >= scene->wedge_key_count)
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "There is no key %d of wedge %d; the scene has %d wedges of %d keys, "
                          "counted from 0",
                          key, wedge, scene->wedge_count, scene->wedge_key_count);
    *name = scene->wedge_keys[key].key;
    *value = scene->wedge_keys[key].values[value_index(scene, wedge, key)];
    return TOILE_STATUS_OK;
}
