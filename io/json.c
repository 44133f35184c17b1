/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive descent over the grammar of RFC 8259, to a depth of TL_JSON_MAX_DEPTH. The reader stops
 * at the first mistake: after it, places would be guesses. */
#include "json.h"

#include "number.h"
#include "utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Parser {
    const char *text;
    size_t size;
    size_t at;
    size_t mark; /* a byte of this line whose column is known */
    int32_t mark_column;
    int32_t line;
    int32_t depth;
    const char *file;
    TlIoArena *arena;
    TlReport *report;
} Parser;

static TlJson *parse_value(Parser *parser);

/* ---- places and complaints ---- */

/* Columns count characters: bytes that continue one are passed over. */
static TlIoPlace here(Parser *parser) {
    for (; parser->mark < parser->at && parser->mark < parser->size; parser->mark++)
        if (((unsigned char)parser->text[parser->mark] & 0xC0) != 0x80)
            parser->mark_column++;
    return (TlIoPlace){parser->file, parser->line, parser->mark_column};
}

static bool complain(Parser *parser, const char *sentence) {
    tl_report_error(parser->report, TOILE_STATUS_INVALID_DATA, here(parser), "%s", sentence);
    return false;
}

/* Says what was found where something else was needed. */
static bool complain_found(Parser *parser, const char *needed) {
    if (parser->at >= parser->size) {
        tl_report_error(parser->report, TOILE_STATUS_INVALID_DATA, here(parser),
                        "the text ends where %s is needed; it seems to be cut off", needed);
        return false;
    }
    char found[8] = "";
    size_t length = tl_utf8_length(parser->text + parser->at, parser->size - parser->at);
    unsigned char first = (unsigned char)parser->text[parser->at];
    if (first < 0x20 || first == 0x7F || length == 0)
        snprintf(found, sizeof found, "0x%02X", first);
    else
        snprintf(found, sizeof found, "'%.*s'", (int)length, parser->text + parser->at);
    const char *hint = "";
    if (first == '/' || first == '#')
        hint = "; comments are not allowed";
    else if (first == '\'')
        hint = "; strings stand in double quotes";
    tl_report_error(parser->report, TOILE_STATUS_INVALID_DATA, here(parser),
                    "%s stands where %s is needed%s", found, needed, hint);
    return false;
}

static void *out_of_memory(Parser *parser) {
    tl_report_out_of_memory(parser->report);
    return NULL;
}

/* ---- tokens ---- */

static void skip_space(Parser *parser) {
    for (; parser->at < parser->size; parser->at++) {
        char c = parser->text[parser->at];
        if (c == '\n') {
            parser->line++;
            parser->mark = parser->at + 1;
            parser->mark_column = 1;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

static bool next_is(const Parser *parser, char c) {
    return parser->at < parser->size && parser->text[parser->at] == c;
}

static size_t word_length(const Parser *parser) {
    size_t end = parser->at;
    while (end < parser->size && parser->text[end] != '\0' &&
           strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-.",
                  parser->text[end]))
        end++;
    return end - parser->at;
}

static bool word_is(const Parser *parser, size_t length, const char *word) {
    return length == strlen(word) && memcmp(parser->text + parser->at, word, length) == 0;
}

/* The number grammar of JSON is narrower than that of tl_number_parse. */
static bool is_json_number(const char *text, size_t length) {
    size_t i = length > 0 && text[0] == '-' ? 1 : 0;
    size_t whole = i;
    while (i < length && text[i] >= '0' && text[i] <= '9')
        i++;
    if (i == whole || (text[whole] == '0' && i > whole + 1))
        return false;
    if (i < length && text[i] == '.')
        return i + 1 < length && text[i + 1] >= '0' && text[i + 1] <= '9';
    return true;
}

static bool is_not_finite_word(const Parser *parser, size_t length) {
    static const char *const words[] = {"nan", "inf", "infinity"};
    const char *text = parser->text + parser->at;
    if (length > 0 && (text[0] == '-' || text[0] == '+')) {
        text++;
        length--;
    }
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        size_t i = 0;
        while (i < length && i < strlen(words[w]) && (text[i] | 0x20) == words[w][i])
            i++;
        if (i == length && i == strlen(words[w]))
            return true;
    }
    return false;
}

static bool parse_number(Parser *parser, size_t length, TlJson *value) {
    const char *text = parser->text + parser->at;
    if (!is_json_number(text, length) || !tl_number_parse(text, length, &value->number)) {
        tl_report_error(parser->report, TOILE_STATUS_INVALID_DATA, here(parser),
                        "%.*s is not a number as JSON writes it, such as -1.5e-3",
                        length < 40 ? (int)length : 40, text);
        return false;
    }
    if (isinf(value->number)) {
        tl_report_error(parser->report, TOILE_STATUS_INVALID_DATA, here(parser),
                        "%.*s is too large for a number; at most 1.797e308 is allowed",
                        length < 40 ? (int)length : 40, text);
        return false;
    }
    value->kind = TL_JSON_NUMBER;
    parser->at += length;
    return true;
}

static bool parse_word(Parser *parser, TlJson *value) {
    size_t length = word_length(parser);
    char first = parser->at < parser->size ? parser->text[parser->at] : '\0';
    if (word_is(parser, length, "null")) {
        value->kind = TL_JSON_NULL;
    } else if (word_is(parser, length, "true") || word_is(parser, length, "false")) {
        value->kind = TL_JSON_BOOL;
        value->boolean = first == 't';
    } else if (is_not_finite_word(parser, length)) {
        tl_report_error(parser->report, TOILE_STATUS_INVALID_DATA, here(parser),
                        "%.*s is not allowed; write a finite number", (int)length,
                        parser->text + parser->at);
        return false;
    } else if (length > 0 &&
               (first == '-' || first == '+' || first == '.' || (first >= '0' && first <= '9'))) {
        return parse_number(parser, length, value);
    } else if (length > 0) {
        tl_report_error(parser->report, TOILE_STATUS_INVALID_DATA, here(parser),
                        "%.*s is not a value; words other than true, false and null stand in "
                        "double quotes",
                        length < 40 ? (int)length : 40, parser->text + parser->at);
        return false;
    } else {
        return complain_found(parser, "a value");
    }
    parser->at += length;
    return true;
}

/* ---- strings ---- */

static bool parse_hex(Parser *parser, uint32_t *code) {
    *code = 0;
    for (int32_t i = 0; i < 4; i++, parser->at++) {
        char c = parser->at < parser->size ? parser->text[parser->at] : '\0';
        uint32_t digit = 0;
        if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (uint32_t)((c | 0x20) - 'a') + 10;
        else
            return complain_found(parser, "a hexadecimal digit of \\uXXXX");
        *code = *code * 16 + digit;
    }
    return true;
}

/* Reads \uXXXX or a surrogate pair of them; parser->at stands behind the first u. */
static bool parse_unicode(Parser *parser, char *out, size_t *used) {
    uint32_t code = 0;
    uint32_t low = 0;
    if (!parse_hex(parser, &code))
        return false;
    if (code == 0)
        return complain(parser, "a string may not contain the character U+0000");
    if (code >= 0xDC00 && code < 0xE000)
        return complain(parser, "the second half of a surrogate pair stands without the first");
    if (code >= 0xD800 && code < 0xDC00) {
        if (parser->size - parser->at < 2 || memcmp(parser->text + parser->at, "\\u", 2) != 0)
            return complain(parser, "the first half of a surrogate pair stands without the second");
        parser->at += 2;
        if (!parse_hex(parser, &low))
            return false;
        if (low < 0xDC00 || low >= 0xE000)
            return complain(parser, "the first half of a surrogate pair stands without the second");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    *used += tl_utf8_encode(code, out + *used);
    return true;
}

static bool parse_escape(Parser *parser, char *out, size_t *used) {
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    char c = parser->at < parser->size ? parser->text[parser->at] : '\0';
    if (c == 'u') {
        parser->at++;
        return parse_unicode(parser, out, used);
    }
    const char *found = c ? strchr(names, c) : NULL;
    if (!found)
        return complain_found(parser, "one of \" \\ / b f n r t u behind a backslash");
    out[(*used)++] = values[found - names];
    parser->at++;
    return true;
}

/* Copies one character that is not an escape. */
static bool parse_character(Parser *parser, char *out, size_t *used) {
    unsigned char c = (unsigned char)parser->text[parser->at];
    if (c == '\n' || c == '\r')
        return complain(parser, "the line ends inside a string; close it with a double quote");
    if (c < 0x20)
        return complain(parser, "a control character stands in a string; write it as \\uXXXX");
    size_t length = tl_utf8_length(parser->text + parser->at, parser->size - parser->at);
    if (length == 0)
        return complain(parser, "a byte in this string is not UTF-8; save the file as UTF-8");
    memcpy(out + *used, parser->text + parser->at, length);
    *used += length;
    parser->at += length;
    return true;
}

/* Answers the string at the quote the parser stands on, or NULL. */
static const char *parse_string(Parser *parser) {
    size_t end = parser->at + 1;
    while (end < parser->size && parser->text[end] != '"' && parser->text[end] != '\n')
        end += parser->text[end] == '\\' && end + 1 < parser->size ? 2 : 1;
    /* an escape is never shorter than what it stands for */
    char *out = tl_io_arena_alloc(parser->arena, end - parser->at + 4);
    size_t used = 0;
    if (!out)
        return out_of_memory(parser);
    parser->at++;
    while (parser->at < parser->size && parser->text[parser->at] != '"') {
        bool fine = true;
        if (parser->text[parser->at] == '\\') {
            parser->at++;
            fine = parse_escape(parser, out, &used);
        } else {
            fine = parse_character(parser, out, &used);
        }
        if (!fine)
            return NULL;
    }
    if (parser->at >= parser->size) {
        complain_found(parser, "the double quote that closes a string");
        return NULL;
    }
    parser->at++;
    return out;
}

/* ---- containers ---- */

static bool append(Parser *parser, TlJson *parent, TlJson *child) {
    if (parent->count == INT32_MAX)
        return complain(parser, "there are too many values in this list");
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
    return true;
}

/* Passes a comma, or the bracket that closes; *done says which. */
static bool parse_separator(Parser *parser, char closing, const char *needed, bool *done) {
    skip_space(parser);
    *done = next_is(parser, closing);
    if (!*done && !next_is(parser, ','))
        return complain_found(parser, needed);
    parser->at++;
    skip_space(parser);
    if (!*done && next_is(parser, closing))
        return complain(parser, "a comma stands before the closing bracket; remove the comma");
    return true;
}

static bool parse_array(Parser *parser, TlJson *value) {
    bool done = false;
    value->kind = TL_JSON_ARRAY;
    parser->at++;
    skip_space(parser);
    if (next_is(parser, ']')) {
        parser->at++;
        return true;
    }
    while (!done) {
        TlJson *child = parse_value(parser);
        if (!child || !append(parser, value, child) ||
            !parse_separator(parser, ']', "a comma or ]", &done))
            return false;
    }
    return true;
}

static bool check_new_key(Parser *parser, const TlJson *object, const char *key, TlIoPlace place) {
    const TlJson *other = tl_json_get(object, key);
    if (other) {
        tl_report_error(parser->report, TOILE_STATUS_INVALID_DATA, place,
                        "the key \"%.64s\" stands twice in this object; it was first given in line "
                        "%d",
                        key, other->key_place.line);
        return false;
    }
    if (object->count >= TL_JSON_MAX_KEYS) {
        tl_report_error(parser->report, TOILE_STATUS_INVALID_DATA, place,
                        "this object has more than the %d keys that are allowed", TL_JSON_MAX_KEYS);
        return false;
    }
    return true;
}

static bool parse_member(Parser *parser, TlJson *object) {
    TlIoPlace place = here(parser);
    if (!next_is(parser, '"'))
        return complain_found(parser, "a key in double quotes");
    const char *key = parse_string(parser);
    if (!key || !check_new_key(parser, object, key, place))
        return false;
    skip_space(parser);
    if (!next_is(parser, ':'))
        return complain_found(parser, "a colon behind the key");
    parser->at++;
    skip_space(parser);
    TlJson *child = parse_value(parser);
    if (!child)
        return false;
    child->key = key;
    child->key_place = place;
    return append(parser, object, child);
}

static bool parse_object(Parser *parser, TlJson *value) {
    bool done = false;
    value->kind = TL_JSON_OBJECT;
    parser->at++;
    skip_space(parser);
    if (next_is(parser, '}')) {
        parser->at++;
        return true;
    }
    while (!done)
        if (!parse_member(parser, value) || !parse_separator(parser, '}', "a comma or }", &done))
            return false;
    return true;
}

static bool parse_into(Parser *parser, TlJson *value) {
    if (next_is(parser, '{'))
        return parse_object(parser, value);
    if (next_is(parser, '['))
        return parse_array(parser, value);
    if (next_is(parser, '"')) {
        value->kind = TL_JSON_STRING;
        value->string = parse_string(parser);
        return value->string != NULL;
    }
    return parse_word(parser, value);
}

static TlJson *parse_value(Parser *parser) {
    TlJson *value = tl_io_arena_alloc(parser->arena, sizeof *value);
    if (!value)
        return out_of_memory(parser);
    value->place = here(parser);
    if (parser->depth >= TL_JSON_MAX_DEPTH) {
        tl_report_error(parser->report, TOILE_STATUS_INVALID_DATA, here(parser),
                        "lists and objects are nested deeper than the %d levels that are allowed",
                        TL_JSON_MAX_DEPTH);
        return NULL;
    }
    parser->depth++;
    bool fine = parse_into(parser, value);
    parser->depth--;
    return fine ? value : NULL;
}

TlJson *tl_json_parse(const char *text, size_t size, const char *file, TlIoArena *arena,
                      TlReport *report) {
    Parser parser = {.text = text,
                     .size = size,
                     .mark_column = 1,
                     .line = 1,
                     .file = file,
                     .arena = arena,
                     .report = report};
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        parser.at = 3; /* some editors mark UTF-8 so */
        parser.mark = 3;
    }
    skip_space(&parser);
    TlJson *value = parse_value(&parser);
    if (!value)
        return NULL;
    skip_space(&parser);
    if (parser.at < size) {
        complain_found(&parser, "the end of the text");
        return NULL;
    }
    return value;
}
