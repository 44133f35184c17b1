/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Wavefront OBJ in: one pass over the lines that fills growing arrays, then the check of indices.
 * What they are kept in stands in obj_make.c, the writer in obj_write.c. */
#include "obj_parse.h"
#include "obj_storage.h"

#include "number.h"
#include "platform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ERRORS_MAX 20 /* of one file; what follows is mostly the same mistake */
#define GROUPS_MAX 65536
#define COORDINATE_MAX_M 1e9 /* beyond it squares and products lose all meaning */

typedef struct Reader {
    const char *at;
    const char *end;
    int32_t line;
    const char *path;
    double unit_m;
    TlReport *report;
    int32_t errors;
    bool no_memory;
    bool has_uv_corner;
    bool has_bare_corner;
    int32_t bare_face;
    int32_t object;   /* group of the last o statement, or -1 */
    TlObjInts active; /* groups of the last g statement */
    TlObjStorage *storage;
} Reader;

typedef struct Token {
    const char *text;
    size_t length;
} Token;

/* ---- memory ---- */

static bool grow(void **data, size_t *capacity, size_t count, size_t element_size) {
    if (count < *capacity)
        return true;
    size_t larger = *capacity * 2 + 64;
    void *moved = realloc(*data, larger * element_size);
    if (!moved)
        return false;
    *data = moved;
    *capacity = larger;
    return true;
}

static void add_int(Reader *reader, TlObjInts *ints, int32_t value) {
    void *data = ints->data;
    if (!grow(&data, &ints->capacity, ints->count, sizeof value)) {
        reader->no_memory = true;
        return;
    }
    ints->data = data;
    ints->data[ints->count++] = value;
}

static void add_double(Reader *reader, TlObjDoubles *doubles, double value) {
    void *data = doubles->data;
    if (!grow(&data, &doubles->capacity, doubles->count, sizeof value)) {
        reader->no_memory = true;
        return;
    }
    doubles->data = data;
    doubles->data[doubles->count++] = value;
}

/* ---- tokens ---- */

static TlIoPlace place_of(const Reader *reader) {
    return (TlIoPlace){reader->path, reader->line, 0};
}

/* Length of a line's end at `at`: 1 for LF or a lone CR, 2 for CR LF, 0 elsewhere. */
static size_t line_end(const Reader *reader, const char *at) {
    if (at >= reader->end)
        return 0;
    if (*at == '\n')
        return 1;
    if (*at == '\r')
        return at + 1 < reader->end && at[1] == '\n' ? 2 : 1;
    return 0;
}

static void skip_blanks(Reader *reader) {
    while (reader->at < reader->end) {
        size_t next = *reader->at == '\\' ? line_end(reader, reader->at + 1) : 0;
        if (next > 0) { /* the statement goes on in the next line */
            reader->at += 1 + next;
            reader->line++;
        } else if (*reader->at == ' ' || *reader->at == '\t') {
            reader->at++;
        } else {
            return;
        }
    }
}

/* The next word of the statement; empty at its end or at a comment. */
static Token next_token(Reader *reader) {
    skip_blanks(reader);
    Token token = {reader->at, 0};
    while (reader->at < reader->end && !line_end(reader, reader->at) && *reader->at != ' ' &&
           *reader->at != '\t' && *reader->at != '#') {
        if (*reader->at == '\\' && line_end(reader, reader->at + 1) > 0)
            break;
        reader->at++;
    }
    token.length = (size_t)(reader->at - token.text);
    return token;
}

/* Goes to the next line. Only statements that are read may go on behind a backslash: a comment or
 * the path of a material may end with one by chance. */
static void skip_line(Reader *reader) {
    while (reader->at < reader->end && !line_end(reader, reader->at))
        reader->at++;
    size_t next = line_end(reader, reader->at);
    reader->at += next;
    if (next > 0)
        reader->line++;
}

static bool token_is(Token token, const char *word) {
    return token.length == strlen(word) && memcmp(token.text, word, token.length) == 0;
}

static int shown(Token token) {
    return token.length < 40 ? (int)token.length : 40;
}

/* ---- statements ---- */

#define COMPLAIN(reader, ...)                                                                      \
    ((reader)->errors++,                                                                           \
     tl_report_error((reader)->report, TOILE_STATUS_INVALID_DATA, place_of(reader), __VA_ARGS__))

/* Reads one number; `what` names it in a complaint. */
static bool read_number(Reader *reader, const char *what, double *value) {
    Token token = next_token(reader);
    if (token.length == 0) {
        COMPLAIN(reader, "%s is missing; the line ends too early", what);
        return false;
    }
    if (!tl_number_parse(token.text, token.length, value)) {
        COMPLAIN(reader,
                 "%s is %.*s, which is not a finite number; clean the mesh and export it again",
                 what, shown(token), token.text);
        return false;
    }
    if (!isfinite(*value)) {
        COMPLAIN(reader, "%s is %.*s, which is too large for a number", what, shown(token),
                 token.text);
        return false;
    }
    return true;
}

static void read_vertex(Reader *reader) {
    static const char *const names[] = {"the x coordinate", "the y coordinate", "the z coordinate"};
    double position[3] = {0, 0, 0};
    for (int32_t k = 0; k < 3; k++) {
        if (!read_number(reader, names[k], &position[k]))
            break;
        if (fabs(position[k] * reader->unit_m) > COORDINATE_MAX_M) {
            COMPLAIN(reader, "%s is %g m; sizes up to %g m are allowed: check unit_m", names[k],
                     position[k] * reader->unit_m, COORDINATE_MAX_M);
            break;
        }
    }
    /* the vertex keeps its number even when it was refused */
    for (int32_t k = 0; k < 3; k++)
        add_double(reader, &reader->storage->positions, position[k] * reader->unit_m);
    add_int(reader, &reader->storage->vertex_lines, reader->line);
}

static void read_uv(Reader *reader) {
    double uv[2] = {0, 0};
    if (read_number(reader, "the texture coordinate u", &uv[0]))
        read_number(reader, "the texture coordinate v", &uv[1]);
    add_double(reader, &reader->storage->uvs, uv[0]);
    add_double(reader, &reader->storage->uvs, uv[1]);
}

/* Reads an index at token[*at] and makes it count from 0; a negative one counts from the last of
 * the `count` things so far and stays negative when it goes beyond the first. False: it is no
 * index. */
static bool read_index(Token token, size_t *at, size_t count, int32_t *index) {
    bool negative = *at < token.length && token.text[*at] == '-';
    size_t i = *at + (negative ? 1 : 0);
    int64_t value = 0;
    size_t first = i;
    for (; i < token.length && token.text[i] >= '0' && token.text[i] <= '9'; i++)
        if (value <= INT32_MAX)
            value = value * 10 + (token.text[i] - '0');
    *at = i;
    if (i == first || value == 0 || value > INT32_MAX)
        return false;
    value = negative ? (int64_t)count - value : value - 1;
    *index = (int32_t)value;
    return true;
}

static bool counts_too_far(Reader *reader, Token token, int32_t index, const char *what,
                           size_t count) {
    if (index >= 0)
        return false;
    COMPLAIN(reader, "the face corner %.*s counts back beyond the first %s; %zu came before it",
             shown(token), token.text, what, count);
    return true;
}

/* Reads v, v/vt, v//vn or v/vt/vn; *uv is -1 without vt. */
static bool read_corner(Reader *reader, Token token, int32_t *vertex, int32_t *uv) {
    size_t at = 0, vertices = reader->storage->positions.count / 3;
    size_t uvs = reader->storage->uvs.count / 2;
    int32_t normal = 0;
    bool fine = read_index(token, &at, vertices, vertex);
    bool has_uv = false;
    *uv = -1;
    if (fine && at < token.length && token.text[at] == '/') {
        at++;
        has_uv = at < token.length && token.text[at] != '/';
        if (has_uv)
            fine = read_index(token, &at, uvs, uv);
        if (fine && at < token.length && token.text[at] == '/') {
            at++;
            fine = read_index(token, &at, INT32_MAX, &normal);
        }
    }
    if (fine && at == token.length)
        return !counts_too_far(reader, token, *vertex, "vertex", vertices) &&
               !(has_uv && counts_too_far(reader, token, *uv, "texture coordinate", uvs));
    COMPLAIN(reader,
             "the face corner %.*s cannot be read; write v, v/vt, v//vn or v/vt/vn with numbers "
             "from 1, or below 0 to count from the last",
             shown(token), token.text);
    return false;
}

static void add_face_to_groups(Reader *reader, int32_t face) {
    TlObjStorage *storage = reader->storage;
    for (size_t i = 0; i < reader->active.count; i++)
        add_int(reader, &storage->groups[reader->active.data[i]].faces, face);
    if (reader->object >= 0)
        add_int(reader, &storage->groups[reader->object].faces, face);
}

static void read_face(Reader *reader) {
    TlObjStorage *storage = reader->storage;
    int32_t line = reader->line;
    int32_t size = 0;
    int32_t face = (int32_t)storage->face_sizes.count;
    bool bare = false;
    for (Token token = next_token(reader); token.length > 0; token = next_token(reader)) {
        int32_t vertex = 0;
        int32_t uv = -1;
        if (!read_corner(reader, token, &vertex, &uv))
            return;
        add_int(reader, &storage->corners, vertex);
        add_int(reader, &storage->corner_uvs, uv);
        reader->has_uv_corner |= uv >= 0;
        bare |= uv < 0;
        size++;
    }
    if (size < 3) {
        COMPLAIN(reader, "this face has %d corner%s; at least 3 are needed", size,
                 size == 1 ? "" : "s");
        return;
    }
    if (bare && !reader->has_bare_corner) {
        reader->has_bare_corner = true;
        reader->bare_face = face;
    }
    add_int(reader, &storage->face_sizes, size);
    add_int(reader, &storage->face_lines, line);
    add_face_to_groups(reader, face);
}

/* ---- groups ---- */

static int32_t find_group(Reader *reader, Token name) {
    TlObjStorage *storage = reader->storage;
    for (size_t i = 0; i < storage->group_count; i++)
        if (token_is(name, storage->groups[i].name))
            return (int32_t)i;
    if (storage->group_count >= GROUPS_MAX) {
        COMPLAIN(reader, "there are more than the %d groups that are allowed", GROUPS_MAX);
        return -1;
    }
    void *data = storage->groups;
    char *copy = malloc(name.length + 1);
    if (!copy || !grow(&data, &storage->group_capacity, storage->group_count, sizeof(TlObjPart))) {
        free(copy);
        reader->no_memory = true;
        return -1;
    }
    memcpy(copy, name.text, name.length);
    copy[name.length] = '\0';
    storage->groups = data;
    storage->groups[storage->group_count] = (TlObjPart){.name = copy};
    return (int32_t)storage->group_count++;
}

static void read_group(Reader *reader) {
    reader->active.count = 0;
    for (Token name = next_token(reader); name.length > 0; name = next_token(reader)) {
        int32_t group = find_group(reader, name);
        bool known = group < 0 || group == reader->object;
        for (size_t i = 0; i < reader->active.count && !known; i++)
            known = reader->active.data[i] == group;
        if (!known)
            add_int(reader, &reader->active, group);
    }
}

static void read_object(Reader *reader) {
    Token name = next_token(reader);
    reader->active.count = 0; /* a new object starts without groups */
    reader->object = name.length > 0 ? find_group(reader, name) : -1;
}

/* ---- the whole file ---- */

static void read_statement(Reader *reader) {
    Token keyword = next_token(reader);
    if (token_is(keyword, "v"))
        read_vertex(reader);
    else if (token_is(keyword, "vt"))
        read_uv(reader);
    else if (token_is(keyword, "f"))
        read_face(reader);
    else if (token_is(keyword, "g"))
        read_group(reader);
    else if (token_is(keyword, "o"))
        read_object(reader);
    skip_line(reader);
}

static void complain_index(Reader *reader, int32_t line, const char *what, int32_t index,
                           size_t count) {
    reader->line = line;
    COMPLAIN(reader, "this face uses %s %d, but the file has only %zu (counted from 1)", what,
             index + 1, count);
}

/* Vertices may follow the faces that use them, so indices are checked last. */
static void check_indices(Reader *reader) {
    TlObjStorage *storage = reader->storage;
    size_t corner = 0;
    size_t vertices = storage->positions.count / 3;
    size_t uvs = storage->uvs.count / 2;
    for (size_t face = 0; face < storage->face_sizes.count; face++) {
        int32_t line = storage->face_lines.data[face];
        for (int32_t c = 0; c < storage->face_sizes.data[face]; c++, corner++) {
            int32_t vertex = storage->corners.data[corner];
            int32_t uv = storage->corner_uvs.data[corner];
            if ((size_t)vertex >= vertices)
                complain_index(reader, line, "vertex", vertex, vertices);
            if (uv >= 0 && (size_t)uv >= uvs)
                complain_index(reader, line, "texture coordinate", uv, uvs);
            if (reader->errors >= ERRORS_MAX)
                return;
        }
    }
}

static void check_not_empty(Reader *reader, bool need_faces) {
    const TlObjStorage *storage = reader->storage;
    reader->line = 0;
    if (storage->positions.count == 0)
        COMPLAIN(reader, "the file has no vertex (a line such as v 0 0 0); is it a mesh?");
    else if (need_faces && storage->face_sizes.count == 0)
        COMPLAIN(reader, "the file has no face (a line such as f 1 2 3); export the mesh with its "
                         "faces");
}

ToileObj *tl_obj_parse(const char *text, size_t size, const char *path, double unit_m,
                       bool need_faces, TlReport *report) {
    Reader reader = {.at = text,
                     .end = text + size,
                     .line = 1,
                     .path = path,
                     .unit_m = unit_m,
                     .report = report,
                     .object = -1,
                     .storage = calloc(1, sizeof(TlObjStorage))};
    if (!reader.storage) {
        tl_report_out_of_memory(report);
        return NULL;
    }
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        reader.at += 3;
    while (reader.at < reader.end && !reader.no_memory && reader.errors < ERRORS_MAX)
        read_statement(&reader);
    if (reader.errors == 0 && !reader.no_memory)
        check_indices(&reader);
    if (reader.errors == 0 && !reader.no_memory)
        check_not_empty(&reader, need_faces);
    if (reader.errors == 0 && !reader.no_memory && !tl_obj_collect_groups(reader.storage))
        reader.no_memory = true;
    free(reader.active.data);
    if (reader.no_memory)
        tl_report_out_of_memory(report);
    if (reader.no_memory || reader.errors > 0) {
        tl_obj_free_storage(reader.storage);
        return NULL;
    }
    bool some_bare = reader.has_uv_corner && reader.has_bare_corner;
    tl_obj_fill(reader.storage, reader.has_uv_corner && !some_bare,
                some_bare ? reader.bare_face : -1);
    return &reader.storage->obj;
}

ToileStatus toile_obj_read(const char *path, double unit_m, bool need_faces, ToileObj **out,
                           ToileError *error) {
    char *text = NULL;
    size_t size = 0;
    if (!path || !out || !(unit_m > 0) || !isfinite(unit_m))
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_obj_read needs a path, a place for the result, and a unit_m above "
                          "0");
    *out = NULL;
    ToileStatus status = tl_io_read_file(path, TL_OBJ_MAX_BYTES, &text, &size, error);
    if (status != TOILE_STATUS_OK)
        return status;
    TlReport report = {.error = error};
    *out = tl_obj_parse(text, size, path, unit_m, need_faces, &report);
    free(text);
    return report.status;
}
