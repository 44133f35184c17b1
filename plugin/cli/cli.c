/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The shared part of the commands: sentences, exit codes, options, scenes and JSON. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Lines printed for one scene; a file of the wrong kind would else fill the screen. */
#define TL_FINDINGS_SHOWN 50

/* Longest word tl_nearest compares. */
#define TL_WORD_MAX 64

/* Longest sentence; a path in it may be 4096 bytes. */
#define SENTENCE_BYTES 16384

/* ---- sentences ---- */

int tl_exit_code(ToileStatus status) {
    switch (status) {
    case TOILE_STATUS_OK:
        return TL_EXIT_OK;
    case TOILE_STATUS_INVALID_ARGUMENT:
        return TL_EXIT_USAGE;
    case TOILE_STATUS_INVALID_DATA:
    case TOILE_STATUS_UNSUPPORTED:
        return TL_EXIT_DATA;
    case TOILE_STATUS_NOT_FOUND:
        return TL_EXIT_NO_INPUT;
    case TOILE_STATUS_CANCELLED:
        return TL_EXIT_STOPPED;
    case TOILE_STATUS_CANNOT_CREATE:
        return TL_EXIT_CANNOT_CREATE;
    case TOILE_STATUS_IO_ERROR:
        return TL_EXIT_IO;
    case TOILE_STATUS_DIVERGED:
    case TOILE_STATUS_STALE_ID:
    case TOILE_STATUS_INTERNAL:
        return TL_EXIT_SOFTWARE;
    case TOILE_STATUS_OUT_OF_MEMORY:
    default:
        return TL_EXIT_FAILURE;
    }
}

/* Bytes of the UTF-8 character at `text`, or 0 when there is none (RFC 3629). */
static size_t character_length(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    size_t length = c[0] < 0x80 ? 1 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    if (length > 1 && (c[0] < 0xc2 || c[0] > 0xf4))
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    /* longer than needed, a surrogate, beyond U+10FFFF */
    bool wrong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
                 (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f);
    return wrong ? 0 : length;
}

/* C0, DEL and, in two bytes, C1 */
static bool is_control(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    return c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
}

/* Bytes up to the first character that cannot be shown or is one of `others`. */
static size_t plain_length(const char *text, const char *others) {
    size_t at = 0;
    while (text[at] && !is_control(text + at) && !strchr(others, text[at])) {
        size_t length = character_length(text + at);
        if (length == 0)
            break;
        at += length;
    }
    return at;
}

void tl_text(FILE *out, const char *text) {
    while (*text) {
        size_t plain = plain_length(text, "");
        fwrite(text, 1, plain, out);
        text += plain;
        if (*text) {
            size_t length = character_length(text);
            fputc('?', out);
            text += length ? length : 1;
        }
    }
}

/* names in it come from files that nobody has vetted */
static void print_sentence(const char *format, va_list arguments) {
    char text[SENTENCE_BYTES];
    vsnprintf(text, sizeof text, format, arguments);
    fputs("toile: ", stderr);
    tl_text(stderr, text);
}

void tl_message(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_sentence(format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

int tl_usage(const TlCommand *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_sentence(format, arguments);
    va_end(arguments);
    fprintf(stderr, "; see 'toile %s%s--help'.\n", command ? command->name : "",
            command ? " " : "");
    return TL_EXIT_USAGE;
}

/* the full stop, for libraries that leave it out */
static const char *stop_of(const char *sentence) {
    size_t length = strlen(sentence);
    return length > 0 && strchr(".?!", sentence[length - 1]) ? "" : ".";
}

int tl_report_failure(ToileStatus status, const ToileError *error) {
    if (error && error->message[0])
        tl_message("%s%s", error->message, stop_of(error->message));
    else
        tl_message("the library answered %s without a sentence.", toile_status_name(status));
    return tl_exit_code(status);
}

int tl_fail_archive(abcc_status status, const abcc_error *error, const char *path) {
    if (strncmp(error->text, path, strlen(path)) == 0)
        tl_message("%s%s", error->text, stop_of(error->text));
    else
        tl_message("%s: %s%s", path, error->text, stop_of(error->text));
    switch (status) {
    case ABCC_E_OPEN:
        return TL_EXIT_NO_INPUT;
    case ABCC_E_HDF5:
    case ABCC_E_NOT_ALEMBIC:
    case ABCC_E_UNFINISHED:
    case ABCC_E_CORRUPT:
    case ABCC_E_LIMIT:
        return TL_EXIT_DATA;
    case ABCC_E_IO:
    case ABCC_E_NOSPACE:
        return TL_EXIT_IO;
    case ABCC_E_MEMORY:
        return TL_EXIT_FAILURE;
    default:
        return TL_EXIT_SOFTWARE;
    }
}

/* number of letters to change, add or drop, by one row of the usual table */
static int32_t edit_distance(const char *a, const char *b) {
    int32_t row[TL_WORD_MAX + 1];
    int32_t length = (int32_t)strlen(b);
    for (int32_t j = 0; j <= length; j++)
        row[j] = j;
    for (int32_t i = 1; a[i - 1]; i++) {
        int32_t diagonal = row[0];
        row[0] = i;
        for (int32_t j = 1; j <= length; j++) {
            int32_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[length];
}

const char *tl_nearest(const char *word, const char *const *words, int32_t count) {
    const char *nearest = NULL;
    size_t length = strlen(word);
    if (length > TL_WORD_MAX)
        return NULL;
    int32_t best = (int32_t)length / 3 + 2;
    for (int32_t i = 0; i < count; i++) {
        if (strlen(words[i]) > TL_WORD_MAX)
            continue;
        int32_t distance = edit_distance(word, words[i]);
        if (distance < best) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

/* ---- options ---- */

/* says what getopt_long did not understand, and which option was probably meant */
static void report_unknown(const TlCommand *command, char **argv, const struct option *options) {
    const char *names[TL_WORD_MAX];
    int32_t count = 0;
    char word[TL_WORD_MAX + 1];
    if (optopt > 0 && optopt < 256) {
        tl_usage(command, "there is no option '-%c'", optopt);
        return;
    }
    while (options[count].name && count < TL_WORD_MAX) {
        names[count] = options[count].name;
        count++;
    }
    snprintf(word, sizeof word, "%s", argv[optind - 1] + 2);
    word[strcspn(word, "=")] = '\0';
    const char *nearest = tl_nearest(word, names, count);
    if (nearest)
        tl_usage(command, "there is no option '%s', perhaps '--%s'", argv[optind - 1], nearest);
    else
        tl_usage(command, "there is no option '%s'", argv[optind - 1]);
}

int tl_next_option(const TlCommand *command, int argc, char **argv, const char *letters,
                   const struct option *options) {
    opterr = 0;
    int letter = getopt_long(argc, argv, letters, options, NULL);
    if (letter == 'h') {
        fputs(command->help, stdout);
        return TL_OPTION_HELP;
    }
    if (letter == ':') {
        tl_usage(command, "option '%s' needs a value", argv[optind - 1]);
        return TL_OPTION_BAD;
    }
    if (letter == '?') {
        report_unknown(command, argv, options);
        return TL_OPTION_BAD;
    }
    return letter;
}

bool tl_parse_int(const char *text, int32_t low, int32_t high, int32_t *value) {
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    bool starts_well = (text[0] >= '0' && text[0] <= '9') || text[0] == '-';
    if (!starts_well || end == text || *end || errno || number < low || number > high)
        return false;
    *value = (int32_t)number;
    return true;
}

bool tl_parse_number(const char *text, double low, double high, double *value) {
    char *end = NULL;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number) || number < low || number > high)
        return false;
    *value = number;
    return true;
}

bool tl_has_ending(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    if (length <= tail || path[length - tail - 1] == '/')
        return false;
    for (size_t i = 0; i < tail; i++) {
        char c = path[length - tail + i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != ending[i])
            return false;
    }
    return true;
}

/* ---- scenes ---- */

static void print_finding(const ToileDiagnostic *finding) {
    const char *kind = finding->level == TOILE_LOG_ERROR ? "" : "warning: ";
    const char *text = finding->message;
    int line = (int)finding->line, column = (int)finding->column;
    if (line > 0 && column > 0)
        tl_message("%s:%d:%d: %s%s%s", finding->file, line, column, kind, text, stop_of(text));
    else if (line > 0)
        tl_message("%s:%d: %s%s%s", finding->file, line, kind, text, stop_of(text));
    else
        tl_message("%s: %s%s%s", finding->file, kind, text, stop_of(text));
}

static uint64_t add_to_hash(uint64_t hash, const char *text) {
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash * UINT64_C(0x100000001b3);
}

/* true when the same was found at the same place before; wedges have most findings in common */
static bool is_known(TlFindings *findings, const ToileDiagnostic *finding) {
    char place[32];
    snprintf(place, sizeof place, "%d:%d", (int)finding->line, (int)finding->column);
    uint64_t hash = add_to_hash(UINT64_C(0xcbf29ce484222325), finding->file);
    hash = add_to_hash(add_to_hash(hash, place), finding->message);
    for (int32_t i = 0; i < findings->known_count; i++)
        if (findings->known[i] == hash)
            return true;
    if (findings->known_count < TL_FINDINGS_KNOWN)
        findings->known[findings->known_count++] = hash;
    return false;
}

static void receive_finding(void *user, const ToileDiagnostic *finding) {
    TlFindings *findings = user;
    if (is_known(findings, finding))
        return;
    if (finding->level == TOILE_LOG_ERROR) {
        if (findings->errors++ == 0) {
            findings->first_exit = tl_exit_code((ToileStatus)finding->status);
            snprintf(findings->sentence, sizeof findings->sentence, "%s:%d: %s", finding->file,
                     (int)finding->line, finding->message);
        }
    } else {
        findings->warnings++;
    }
    if (findings->errors + findings->warnings <= TL_FINDINGS_SHOWN)
        print_finding(finding);
}

ToileScene *tl_load_scene(const char *path, const char *const *overrides, int32_t override_count,
                          int32_t wedge, TlFindings *findings) {
    ToileScene *scene = NULL;
    ToileError error = toile_error_default();
    int32_t before = findings->errors + findings->warnings;
    ToileStatus status = toile_scene_load_wedge(path, overrides, override_count, wedge,
                                                receive_finding, findings, &scene, &error);
    int32_t shown = before > TL_FINDINGS_SHOWN ? before : TL_FINDINGS_SHOWN;
    int32_t hidden = findings->errors + findings->warnings - shown;
    if (hidden > 0)
        tl_message("%s: %d more of these are not shown.", path, (int)hidden);
    if (status == TOILE_STATUS_OK)
        return scene;
    if (findings->errors == 0) {
        findings->errors = 1;
        findings->first_exit = tl_report_failure(status, &error);
        snprintf(findings->sentence, sizeof findings->sentence, "%s", error.message);
    }
    return NULL;
}

void tl_add_warning(TlFindings *findings, const char *file, const char *sentence) {
    const ToileDiagnostic finding = {
        .level = TOILE_LOG_WARNING, .status = TOILE_STATUS_OK, .file = file, .message = sentence};
    receive_finding(findings, &finding);
}

int tl_parse_wedge(const TlCommand *command, const char *text, int32_t *wedge) {
    if (tl_parse_int(text, 0, INT32_MAX, wedge))
        return TL_EXIT_OK;
    return tl_usage(command, "--wedge takes the number of a wedge, from 0, not '%s'", text);
}

void tl_wedge_name(int32_t wedge, char name[TL_WEDGE_NAME_SIZE]) {
    snprintf(name, TL_WEDGE_NAME_SIZE, "W%04d", (int)wedge);
}

char *tl_wedge_path(const char *path, int32_t wedge) {
    char name[TL_WEDGE_NAME_SIZE];
    tl_wedge_name(wedge, name);
    size_t size = strlen(path) + sizeof name + 2;
    const char *ending = strrchr(path, '.');
    int stem = (int)(ending ? (size_t)(ending - path) : strlen(path));
    char *result = malloc(size);
    if (result)
        snprintf(result, size, "%.*s.%s%s", stem, path, name, ending ? ending : "");
    return result;
}

/* ---- JSON ---- */

void tl_json_string(FILE *out, const char *text) {
    fputc('"', out);
    while (*text) {
        size_t plain = plain_length(text, "\"\\");
        fwrite(text, 1, plain, out);
        text += plain;
        size_t length = character_length(text);
        if (length == 0) /* nothing that JSON could hold */
            fputs("\\ufffd", out);
        else if (*text && is_control(text))
            fprintf(out, "\\u%04x", (unsigned char)text[length - 1]);
        else if (*text)
            fprintf(out, "\\%c", *text);
        text += *text ? (length ? length : 1) : 0;
    }
    fputc('"', out);
}

void tl_json_number(FILE *out, double value) {
    if (isfinite(value))
        fprintf(out, "%.17g", value);
    else
        fputs("null", out);
}

void tl_json_numbers(FILE *out, const double *values, int32_t count) {
    fputc('[', out);
    for (int32_t i = 0; i < count; i++) {
        if (i)
            fputs(", ", out);
        tl_json_number(out, values[i]);
    }
    fputc(']', out);
}
