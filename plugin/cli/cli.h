/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of `toile` share: the table of commands, exit codes, sentences on standard
 * error, options, scenes with their findings, and JSON on standard output.
 *
 * Sentences go to standard error as `toile: file:line:column: sentence`; results and progress go to
 * standard output. The locale is never set, so numbers are read and written the same everywhere. */
#ifndef TL_CLI_CLI_H
#define TL_CLI_CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <toile_io/abc_c.h>
#include <toile_io/scene.h>

/* What the process answers; farms decide by it whether to try again. */
enum {
    TL_EXIT_OK = 0,
    TL_EXIT_FAILURE = 1,        /* unclassified, such as no memory; verify found some */
    TL_EXIT_USAGE = 64,         /* the command line, a frame range */
    TL_EXIT_DATA = 65,          /* a scene, mesh or cache whose content cannot be used */
    TL_EXIT_NO_INPUT = 66,      /* a file that is not there */
    TL_EXIT_SOFTWARE = 70,      /* solver blow-up or our own fault */
    TL_EXIT_CANNOT_CREATE = 73, /* the output cannot be made */
    TL_EXIT_IO = 74,            /* reading or writing failed, disk full */
    TL_EXIT_STOPPED = 75        /* stopped by a signal, frames done are kept */
};

/* One command: its name, one line for `toile --help`, the whole text of `toile NAME --help`. */
typedef struct TlCommand {
    const char *name;
    const char *summary;
    const char *help;
    bool answers; /* its product is standard output: when that cannot be written, it failed */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; answers the exit code */
} TlCommand;

extern const TlCommand tl_command_simulate;
extern const TlCommand tl_command_check;
extern const TlCommand tl_command_eval;
extern const TlCommand tl_command_info;
extern const TlCommand tl_command_preview;
extern const TlCommand tl_command_verify;
extern const TlCommand tl_command_fabrics;
extern const TlCommand tl_command_wedge;
extern const TlCommand tl_command_join;
extern const TlCommand tl_command_bench;

/* ---- sentences ---- */

/* The exit code a status leads to. */
int tl_exit_code(ToileStatus status);
/* One line on standard error: "toile: " and the text. */
void tl_message(const char *format, ...);
/* A mistake on the command line: the sentence, where help is, and TL_EXIT_USAGE. */
int tl_usage(const TlCommand *command, const char *format, ...);
/* Prints the error's sentence and answers the exit code of `status`. */
int tl_report_failure(ToileStatus status, const ToileError *error);
/* The same for an archive that is read, named at the start of the sentence. */
int tl_fail_archive(abcc_status status, const abcc_error *error, const char *path);
/* The word of `words` nearest to `word`, or NULL when none resembles it. */
const char *tl_nearest(const char *word, const char *const *words, int32_t count);

/* ---- options ---- */

/* What tl_next_option answers besides an option's letter. */
enum { TL_OPTION_END = -1, TL_OPTION_HELP = 1000, TL_OPTION_BAD = 1001 };

/* The next option by getopt_long, whose table must hold "help". TL_OPTION_HELP: the help was
 * printed; TL_OPTION_BAD: a sentence was. Operands may stand between options; they are at
 * argv[optind] on. */
int tl_next_option(const TlCommand *command, int argc, char **argv, const char *letters,
                   const struct option *options);
/* Reads a whole decimal number in [low, high]; false leaves `value` alone. */
bool tl_parse_int(const char *text, int32_t low, int32_t high, int32_t *value);
/* Reads a finite number in [low, high]; false leaves `value` alone. */
bool tl_parse_number(const char *text, double low, double high, double *value);
/* True when `path` is a name that ends in `ending`, such as ".abc", in either case. */
bool tl_has_ending(const char *path, const char *ending);

/* ---- scenes ---- */

#define TL_FINDINGS_KNOWN 256

/* What loading a scene found, once or for several wedges. Start from all zero. */
typedef struct TlFindings {
    int32_t errors;
    int32_t warnings;
    int first_exit;     /* exit code of the first error */
    char sentence[512]; /* the first error, for progress dialects that report failure */
    int32_t known_count;
    uint64_t known[TL_FINDINGS_KNOWN]; /* hashes of the first ones, which are told but once */
} TlFindings;

/* What --wedge takes: -1 when it was not given. */
enum { TL_NO_WEDGE = -1 };

/* Loads a scene or one of its wedges, printing each finding as a line; `findings` counts them.
 * NULL: it failed, and the sentences are out. Free the result by toile_scene_free. */
ToileScene *tl_load_scene(const char *path, const char *const *overrides, int32_t override_count,
                          int32_t wedge, TlFindings *findings);

/* Prints and counts what was found beside loading, as a warning about the file; the same sentence
 * but once. */
void tl_add_warning(TlFindings *findings, const char *file, const char *sentence);

/* Reads the value of --wedge; answers an exit code, with a sentence when it is not 0. */
int tl_parse_wedge(const TlCommand *command, const char *text, int32_t *wedge);
/* The name by which farms and files call a wedge, such as W0003. */
#define TL_WEDGE_NAME_SIZE 16
void tl_wedge_name(int32_t wedge, char name[TL_WEDGE_NAME_SIZE]);
/* The file of a wedge: its name before the ending, as in skirt.W0003.abc. For free(); NULL when
 * memory runs out. */
char *tl_wedge_path(const char *path, int32_t wedge);

/* Prints a text of a file, with '?' for control characters and what is not UTF-8. */
void tl_text(FILE *out, const char *text);

/* ---- JSON on a stream ---- */

/* Control characters are escaped; each byte that is not UTF-8 becomes U+FFFD. */
void tl_json_string(FILE *out, const char *text);
/* 17 digits, so that the same number is read back; what is not finite becomes null. */
void tl_json_number(FILE *out, double value);
/* [a, b, ...] */
void tl_json_numbers(FILE *out, const double *values, int32_t count);

/* ---- parts of `toile info` ---- */

/* Prints what a point cache (.pc2, .mdd) holds; answers an exit code. */
int tl_info_points(const char *path, bool json);

/* ---- previews ---- */

/* What a preview shows. Start from tl_preview_default. */
typedef struct TlPreview {
    const char *archive;     /* the cache that is drawn */
    const char *output;      /* PNG; with `single`, the name the frame number is put into */
    const char *frames;      /* range to show, or NULL: up to 12, evenly chosen */
    const ToileScene *scene; /* its colliders are drawn; may be NULL */
    int32_t width, height;   /* pixels of one picture of the sheet */
    double azimuth_deg;
    double elevation_deg;
    bool single; /* one PNG a frame instead of a sheet */
} TlPreview;

TlPreview tl_preview_default(void);
/* Draws and writes; answers an exit code, with a sentence when it is not 0. */
int tl_preview_write(const TlPreview *preview);
/* Refuses a picture that would take the place of what it is drawn from; `scene` may be NULL. */
ToileStatus tl_preview_check(const char *picture, const char *archive, const ToileScene *scene,
                             ToileError *error);

#endif
