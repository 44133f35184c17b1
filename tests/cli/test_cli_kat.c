/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile eval` against the machine-readable known answers of the physics specification,
 * dev_kat.json and dev_meshE.json: every number of a force model that the command prints. Geometry,
 * stiffness and expected numbers all come from the files, entry by entry, so that files of the same
 * structure with other numbers are tested as well; a key without a test fails.
 *
 * TOILE_COMMAND names the command, TOILE_SHARED the folder of the shared data. */
#define _POSIX_C_SOURCE 200809L

#include "../../io/json.h"
#include "../../io/platform.h"

#include <check.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the numbers are compared with: they have 12 to 15 digits. */
#define TOLERANCE 1e-9
/* Below this part of their scale numbers are rounding of others, and compared absolutely. */
#define NOTHING 1e-12

enum { MOST_VERTICES = 4096, MOST_FACES = 8192, MOST_NUMBERS = 3 * MOST_VERTICES };

/* Stretch so weak that it does not show beside bending. */
static const char no_stretch[] =
    "\"weft_N_per_m\": 1e-18, \"warp_N_per_m\": 1e-18, \"shear_N_per_m\": 1e-18, \"poisson\": 0";
static const char no_bend[] = "\"weft_N_m\": 0, \"warp_N_m\": 0";

static char folder[] = "/tmp/toile-kat.XXXXXX";
static TlIoArena arena;
static const TlJson *output; /* what the command printed */

/* ---- trees ---- */

static const TlJson *parse(const char *text, size_t size, const char *name) {
    ToileError error = {.struct_size = sizeof error};
    TlReport report = {.error = &error};
    const TlJson *tree = tl_json_parse(text, size, name, &arena, &report);
    ck_assert_msg(tree != NULL, "%s", error.message);
    return tree;
}

/* NULL when the file is not there. */
static const TlJson *read_shared(const char *name) {
    char path[1024];
    char *text = NULL;
    size_t size = 0;
    const char *shared = getenv("TOILE_SHARED");
    snprintf(path, sizeof path, "%s/data/physics/%s", shared ? shared : "", name);
    if (!shared ||
        tl_io_read_file(path, TL_JSON_MAX_BYTES, &text, &size, NULL) != TOILE_STATUS_OK) {
        printf("note: %s left out: TOILE_SHARED is not set or has no data/physics\n", name);
        return NULL;
    }
    const TlJson *tree = parse(text, size, name);
    free(text);
    return tree;
}

static const TlJson *get(const TlJson *object, const char *key) {
    const TlJson *value = object ? tl_json_get(object, key) : NULL;
    ck_assert_msg(value != NULL, "there is no \"%s\"", key);
    return value;
}

static double number(const TlJson *object, const char *key) {
    const TlJson *value = get(object, key);
    ck_assert_msg(value->kind == TL_JSON_NUMBER, "\"%s\" is not a number", key);
    return value->number;
}

/* Number `index` of the list under a key. */
static double entry(const TlJson *object, const char *key, int32_t index) {
    const TlJson *value = tl_json_at(get(object, key), index);
    ck_assert_msg(value && value->kind == TL_JSON_NUMBER, "\"%s\" has no number %d", key,
                  (int)index);
    return value->number;
}

/* All numbers of nested lists in order; answers their count. */
static int32_t flatten(const TlJson *value, double *numbers, int32_t count) {
    if (value->kind == TL_JSON_NUMBER) {
        ck_assert_int_lt(count, MOST_NUMBERS);
        numbers[count++] = value->number;
    }
    for (const TlJson *child = value->first; child; child = child->next)
        count = flatten(child, numbers, count);
    return count;
}

/* True when `text` is `start` and digits, which *tail receives as a number. */
static bool begins(const char *text, const char *start, double *tail) {
    char *end = NULL;
    size_t length = strlen(start);
    if (strncmp(text, start, length) != 0)
        return false;
    *tail = strtod(text + length, &end);
    return end != text + length && *end == '\0';
}

static bool is_one_of(const char *key, const char *const *keys) {
    for (; *keys; keys++)
        if (strcmp(key, *keys) == 0)
            return true;
    return false;
}

/* ---- comparison ---- */

static void compare(const char *what, const char *key, double found, double expected,
                    double scale) {
    double allowed =
        fabs(expected) < NOTHING * scale ? NOTHING * scale : TOLERANCE * fabs(expected);
    ck_assert_msg(fabs(found - expected) <= allowed, "%s %s is %.17g instead of %.17g", what, key,
                  found, expected);
}

static double largest(const double *numbers, int32_t count) {
    double most = 0.0;
    for (int32_t i = 0; i < count; i++)
        most = fmax(most, fabs(numbers[i]));
    return most;
}

/* Compares `sign` times the numbers of two lists. */
static void compare_lists(const char *what, const char *key, const TlJson *found, double sign,
                          const TlJson *expected) {
    static double have[MOST_NUMBERS], want[MOST_NUMBERS];
    int32_t count = flatten(expected, want, 0);
    ck_assert_int_eq(flatten(found, have, 0), count);
    for (int32_t i = 0; i < count; i++)
        compare(what, key, sign * have[i], want[i], largest(want, count));
}

/* ---- files and the command ---- */

typedef struct Mesh {
    int32_t vertex_count, face_count;
    bool has_uv;
    double x[MOST_VERTICES][3];
    double uv[MOST_VERTICES][2];
    int32_t sizes[MOST_FACES];
    int32_t faces[MOST_FACES][4];
} Mesh;

static Mesh mesh;

static void write_obj(const char *name) {
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    for (int32_t i = 0; i < mesh.vertex_count; i++)
        fprintf(file, "v %.17g %.17g %.17g\n", mesh.x[i][0], mesh.x[i][1], mesh.x[i][2]);
    for (int32_t i = 0; mesh.has_uv && i < mesh.vertex_count; i++)
        fprintf(file, "vt %.17g %.17g\n", mesh.uv[i][0], mesh.uv[i][1]);
    for (int32_t f = 0; f < mesh.face_count; f++) {
        fputs("f", file);
        for (int32_t c = 0; c < mesh.sizes[f]; c++) {
            int v = (int)mesh.faces[f][c] + 1;
            if (mesh.has_uv)
                fprintf(file, " %d/%d", v, v);
            else
                fprintf(file, " %d", v);
        }
        fputs("\n", file);
    }
    ck_assert_int_eq(fclose(file), 0);
}

/* Points of a list of lists of 2 or 3 numbers. */
static void take_points(const TlJson *list) {
    mesh.vertex_count = 0;
    for (const TlJson *point = list->first; point; point = point->next) {
        double *x = mesh.x[mesh.vertex_count++];
        ck_assert_int_lt(mesh.vertex_count, MOST_VERTICES);
        x[0] = tl_json_at(point, 0)->number;
        x[1] = tl_json_at(point, 1)->number;
        x[2] = point->count > 2 ? tl_json_at(point, 2)->number : 0.0;
    }
}

static void take_uvs(const TlJson *list) {
    int32_t i = 0;
    mesh.has_uv = list && list->kind == TL_JSON_ARRAY;
    for (const TlJson *point = mesh.has_uv ? list->first : NULL; point; point = point->next, i++) {
        mesh.uv[i][0] = tl_json_at(point, 0)->number;
        mesh.uv[i][1] = tl_json_at(point, 1)->number;
    }
}

static void add_face(int32_t a, int32_t b, int32_t c, int32_t d) {
    int32_t f = mesh.face_count++;
    ck_assert_int_lt(f, MOST_FACES);
    mesh.sizes[f] = d < 0 ? 3 : 4;
    mesh.faces[f][0] = a;
    mesh.faces[f][1] = b;
    mesh.faces[f][2] = c;
    mesh.faces[f][3] = d;
}

static void take_faces(const TlJson *list) {
    mesh.face_count = 0;
    for (const TlJson *face = list->first; face; face = face->next)
        add_face((int32_t)tl_json_at(face, 0)->number, (int32_t)tl_json_at(face, 1)->number,
                 (int32_t)tl_json_at(face, 2)->number,
                 face->count > 3 ? (int32_t)tl_json_at(face, 3)->number : -1);
}

/* Writes the points of a list as an OBJ file of vertices only. */
static void write_points(const char *name, const TlJson *list) {
    int32_t faces = mesh.face_count;
    mesh.face_count = 0;
    take_points(list);
    write_obj(name);
    mesh.face_count = faces;
}

static void write_scene(const char *pattern, const char *stretch, const char *bend) {
    FILE *file = fopen("scene.json", "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "{\"toile\": 1, \"frames\": \"1-2\", \"cloth\": [{\"name\": \"c\", \"mesh\": "
            "\"rest.obj\", \"pattern\": \"%s\", \"fabric\": {\"density_kg_per_m2\": 0.1, "
            "\"stretch\": {%s}, \"bend\": {%s}}}]}\n",
            pattern, stretch, bend);
    ck_assert_int_eq(fclose(file), 0);
}

/* Text of a fabric's part. */
static const char *text(const char *format, ...) {
    static char buffers[4][512];
    static int next;
    char *buffer = buffers[next++ % 4];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffers[0], format, arguments);
    va_end(arguments);
    return buffer;
}

/* Runs eval on scene.json; the output is then in `output`. */
static void evaluate(const char *arguments) {
    char command[1000];
    TlIoText printed = {0};
    char part[4096];
    size_t length;
    const char *toile = getenv("TOILE_COMMAND");
    ck_assert_msg(toile != NULL, "TOILE_COMMAND does not name the command");
    snprintf(command, sizeof command, "'%s' eval scene.json --detail --json %s 2>errors.txt", toile,
             arguments);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    while ((length = fread(part, 1, sizeof part, pipe)) > 0)
        tl_io_text_add(&printed, part, length);
    int status = pclose(pipe);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s failed", command);
    output = parse(printed.data, printed.length, "output");
    tl_io_text_free(&printed);
}

static double energy(const char *term) {
    return number(get(output, "energy_J"), term);
}

/* ---- pairs of triangles ---- */

/* One pair A, B, C, D of the file. */
typedef struct Pair {
    const TlJson *json;
    const char *name;
    bool flat; /* 2D rest coordinates, which are uvs as well */
    double mu;
} Pair;

static void write_pair(const Pair *pair) {
    const TlJson *rest = get(pair->json, "rest_ABCD");
    take_points(rest);
    take_uvs(pair->flat ? rest : NULL);
    mesh.face_count = 0;
    add_face(2, 3, 0, -1);
    add_face(3, 2, 1, -1);
    write_obj("rest.obj");
    write_points("pose.obj", get(pair->json, "cur_ABCD"));
    write_points("velocity.obj", get(pair->json, "vel_ABCD"));
}

static const TlJson *only_hinge(void) {
    ck_assert_int_eq(get(output, "hinges")->count, 1);
    return get(output, "hinges")->first;
}

/* A list of the hinge, one value or point for each corner, against one in the order A, B, C, D. */
static void compare_corners(const Pair *pair, const char *key, const char *of_file) {
    static double have[12], want[12], ordered[12];
    const TlJson *hinge = only_hinge();
    int32_t count = flatten(get(hinge, key), have, 0);
    ck_assert_int_eq(flatten(get(pair->json, of_file), want, 0), count);
    for (int32_t corner = 0; corner < 4; corner++) {
        int32_t vertex = (int32_t)entry(hinge, "vertices", corner);
        ck_assert(vertex >= 0 && vertex < 4);
        memcpy(ordered + vertex * (count / 4), have + corner * (count / 4),
               (size_t)(count / 4) * sizeof *have);
    }
    for (int32_t i = 0; i < count; i++)
        compare(pair->name, of_file, ordered[i], want[i], largest(want, count));
}

static void compare_hinge(const Pair *pair, const char *key, const char *of_file) {
    double want = number(pair->json, of_file);
    compare(pair->name, of_file, number(only_hinge(), key), want, fabs(want));
}

static const char *moduli(double weft, double warp, const char *more) {
    return text("\"weft_N_m\": %.17g, \"warp_N_m\": %.17g%s", weft, warp, more);
}

/* Coefficients, which depend on the rest shape alone; `pattern` none or metric must not matter. */
static void check_rest_of_pair(const Pair *pair, const char *pattern) {
    double l = number(pair->json, "l");
    write_scene(pattern, no_stretch, moduli(pair->mu, pair->mu, ""));
    evaluate("");
    bool swapped = entry(only_hinge(), "vertices", 0) != 0.0;
    compare_corners(pair, "alpha", "alpha_ABCD");
    compare_hinge(pair, "l", "l");
    compare_hinge(pair, swapped ? "hB" : "hA", "hA");
    compare_hinge(pair, swapped ? "hA" : "hB", "hB");
    compare_hinge(pair, "lambda", "lambda_c1");
    compare_hinge(pair, "k_e", "k_hinge_c1");
    compare("mu of", pair->name, number(only_hinge(), "mu"), pair->mu, pair->mu);
    for (int32_t k = 0; k < 3; k++)
        compare(pair->name, "R_at_rest", entry(only_hinge(), "R", k),
                entry(pair->json, "R_at_rest", k), l);
    write_scene(pattern, no_stretch, moduli(pair->mu, pair->mu, ", \"scale\": \"paper\""));
    evaluate("");
    compare_hinge(pair, "lambda", "lambda_c_third");
}

static void check_bent_pair(const Pair *pair) {
    double E = number(pair->json, "E_c1");
    write_scene("none", no_stretch, moduli(pair->mu, pair->mu, ""));
    evaluate("--pose pose.obj");
    compare_lists(pair->name, "R", get(only_hinge(), "R"), 1, get(pair->json, "R"));
    compare_hinge(pair, "r", "r");
    compare_hinge(pair, "gamma", "gamma_eq16");
    compare_hinge(pair, "theta", "theta");
    compare_corners(pair, "grad_theta", "grad_theta");
    compare(pair->name, "E_c1", energy("bend"), E, E);
    compare(pair->name, "E_c1", number(only_hinge(), "energy_J"), E, E);
    compare_lists(pair->name, "F_c1_ABCD", get(output, "force_N"), 1, get(pair->json, "F_c1_ABCD"));
}

/* The forces on A and B of [PHYSICS 1.6] add up to lambda (rho0 N - R). */
static void check_rest_vector(const Pair *pair) {
    double force[12], R[3], R0[3], N[3];
    double lambda = number(only_hinge(), "lambda"), rho0 = number(only_hinge(), "r_rest");
    const TlJson *want = get(pair->json, "R0_eq17");
    ck_assert_int_eq(flatten(get(output, "force_N"), force, 0), 12);
    flatten(get(only_hinge(), "R"), R, 0);
    double size = fabs(rho0);
    for (int32_t k = 0; k < 3; k++) {
        R0[k] = R[k] + (force[k] + force[3 + k]) / lambda;
        N[k] = R0[k] / rho0;
        compare(pair->name, "R0_eq17", R0[k], tl_json_at(want, k)->number, size);
        compare(pair->name, "N", N[k], entry(pair->json, "N", k), 1.0);
    }
}

static void check_curved_pair(const Pair *pair) {
    double E = number(pair->json, "E_R0_c1"), gamma0 = number(pair->json, "gamma0");
    write_scene("none", no_stretch,
                moduli(pair->mu, pair->mu, text(", \"rest_curvature_per_m\": %.17g", gamma0)));
    evaluate("--pose pose.obj");
    compare(pair->name, "E_R0_c1", energy("bend"), E, E);
    compare_lists(pair->name, "F_R0_c1_conserving", get(output, "force_N"), 1,
                  get(pair->json, "F_R0_c1_conserving"));
    check_rest_vector(pair);
}

/* The file's viscosity is the hinge's; the fabric's is to it as mu is to lambda [PHYSICS 1.7]. */
static void check_viscous_pair(const Pair *pair, const char *model, const char *of_file) {
    double visc = number(pair->json, "visc");
    double damping = visc * pair->mu / number(pair->json, "lambda_c1");
    write_scene(
        "none", no_stretch,
        moduli(pair->mu, pair->mu,
               text(", \"damping_N_m_s\": %.17g, \"damping_model\": \"%s\"", damping, model)));
    evaluate("--pose pose.obj --velocity velocity.obj");
    compare(pair->name, "visc", number(only_hinge(), "nu"), visc, visc);
    compare_lists(pair->name, "Rdot", get(only_hinge(), "R_dot"), 1, get(pair->json, "Rdot"));
    compare_lists(pair->name, of_file, get(output, "damping_N"), 1, get(pair->json, of_file));
}

static void check_directions(const Pair *pair, const char *pattern) {
    write_scene(pattern, no_stretch,
                moduli(entry(pair->json, "muU_muV", 0), entry(pair->json, "muU_muV", 1), ""));
    evaluate("");
    compare_hinge(pair, "mu", "mu_eq15");
}

static void check_pair(const TlJson *json) {
    /* all keys, those of the paper's or the uncompensated form last */
    static const char *const known[] = {"rest_ABCD",
                                        "mu",
                                        "alpha_ABCD",
                                        "l",
                                        "hA",
                                        "hB",
                                        "lambda_c_third",
                                        "lambda_c1",
                                        "R_at_rest",
                                        "cur_ABCD",
                                        "R",
                                        "N",
                                        "r",
                                        "gamma_eq16",
                                        "E_c1",
                                        "F_c1_ABCD",
                                        "gamma0",
                                        "R0_eq17",
                                        "E_R0_c1",
                                        "F_R0_c1_conserving",
                                        "vel_ABCD",
                                        "visc",
                                        "F_visc_projected",
                                        "F_visc_scalar",
                                        "theta",
                                        "grad_theta",
                                        "k_hinge_c1",
                                        "muU_muV",
                                        "mu_eq15",
                                        "Rdot",
                                        "alpha_paper_eq5_magnitudes",
                                        "F_R0_c1_uncompensated",
                                        "torque_uncompensated",
                                        "F_visc_paper",
                                        NULL};
    Pair pair = {.json = json, .name = json->key, .mu = number(json, "mu")};
    pair.flat = get(json, "rest_ABCD")->first->count == 2;
    for (const TlJson *child = json->first; child; child = child->next)
        ck_assert_msg(is_one_of(child->key, known), "%s %s is not tested", json->key, child->key);
    write_pair(&pair);
    check_rest_of_pair(&pair, "none");
    if (pair.flat)
        check_rest_of_pair(&pair, "metric");
    check_bent_pair(&pair);
    check_curved_pair(&pair);
    check_viscous_pair(&pair, "scalar", "F_visc_scalar");
    check_viscous_pair(&pair, "projected", "F_visc_projected");
    if (tl_json_get(json, "muU_muV")) {
        check_directions(&pair, "metric");
        check_directions(&pair, "orientation");
    }
}

static const TlJson *kat; /* dev_kat.json, or NULL */

static void read_kat(void) {
    kat = read_shared("dev_kat.json");
}

START_TEST(kat_pairs) {
    for (const TlJson *pair = kat ? get(kat, "pairs")->first : NULL; pair; pair = pair->next)
        check_pair(pair);
}
END_TEST

/* ---- Choi-Ko ---- */

/* The bending spring between the apexes of two triangles, which are 2 y apart and were 2. */
static const TlJson *buckle(double y, const char *model) {
    static const double rest[4][3] = {{0, 1, 0}, {0, -1, 0}, {-1, 0, 0}, {1, 0, 0}};
    memcpy(mesh.x, rest, sizeof rest);
    mesh.vertex_count = 4;
    mesh.has_uv = false;
    mesh.face_count = 0;
    add_face(2, 3, 0, -1);
    add_face(3, 2, 1, -1);
    write_obj("rest.obj");
    mesh.x[0][1] = y;
    mesh.x[1][1] = -y;
    write_obj("pose.obj");
    write_scene("none", "", model);
    evaluate("--pose pose.obj");
    for (const TlJson *spring = get(output, "springs")->first; spring; spring = spring->next) {
        double ends = entry(spring, "vertices", 0) + entry(spring, "vertices", 1);
        double product = entry(spring, "vertices", 0) * entry(spring, "vertices", 1);
        if (strcmp(get(spring, "kind")->string, "bend") == 0 && ends == 1.0 && product == 0.0) {
            compare("Choi-Ko", "L", number(spring, "L"), 2.0, 2.0);
            compare("Choi-Ko", "length", number(spring, "length"), 2.0 * y, 2.0);
            return spring;
        }
    }
    ck_abort_msg("there is no bending spring between the apexes");
    return NULL;
}

static const char *table_of(int32_t intervals) {
    return text("\"model\": \"choi-ko-table\", \"intervals\": %d", (int)intervals);
}

/* The table at a knot; at its ends, where the spring is slack or without direction, by a line
 * through two points of the outermost interval. */
static double knot(int32_t i, int32_t n) {
    double y = (double)i / n, step = i == 0 ? 0.25 / n : -0.25 / n;
    if (i > 0 && i < n)
        return number(buckle(y, table_of(n)), "phi");
    double near = number(buckle(y + step, table_of(n)), "phi");
    return 2.0 * near - number(buckle(y + 2.0 * step, table_of(n)), "phi");
}

static void check_knots(const TlJson *knots, int32_t n) {
    int32_t i = 0;
    ck_assert_int_eq(knots->count, n + 1);
    for (const TlJson *value = knots->first; value; value = value->next, i++) {
        compare("Choi-Ko", "knots", knot(i, n), value->number, fabs(value->number));
        if (i > 0 && i < n)
            compare("Choi-Ko", "knots, exact",
                    number(buckle((double)i / n, "\"model\": \"choi-ko\""), "phi"), value->number,
                    fabs(value->number));
    }
}

START_TEST(kat_choi_ko) {
    const TlJson *section = kat ? get(kat, "choi_ko") : NULL;
    for (const TlJson *child = section ? section->first : NULL; child; child = child->next) {
        int32_t n = (int32_t)number(section, "piecewise_n");
        const char *model = "\"model\": \"choi-ko\"", *key = "phi";
        if (strcmp(child->key, "piecewise_n") == 0)
            continue;
        if (strcmp(child->key, "knots") == 0) {
            check_knots(child, n);
            continue;
        }
        if (strcmp(child->key, "kappaL") == 0)
            key = "kappa_L";
        else if (strcmp(child->key, "piecewise") == 0)
            model = table_of(n);
        else
            ck_assert_str_eq(child->key, "fbL2_over_kb");
        for (const TlJson *value = child->first; value; value = value->next)
            compare(child->key, value->key, number(buckle(atof(value->key), model), key),
                    value->number, fabs(value->number));
    }
}
END_TEST

/* ---- membranes ---- */

static const char *engineering(const TlJson *json) {
    return text("\"weft_N_per_m\": %.17g, \"warp_N_per_m\": %.17g, \"shear_N_per_m\": %.17g, "
                "\"poisson\": %.17g",
                entry(json, "E1_E2_G_nu12", 0), entry(json, "E1_E2_G_nu12", 1),
                entry(json, "E1_E2_G_nu12", 2), entry(json, "E1_E2_G_nu12", 3));
}

static const TlJson *only_face(void) {
    ck_assert_int_eq(get(output, "faces")->count, 1);
    return get(output, "faces")->first;
}

static void compare_face(const char *what, const TlJson *json, const char *key,
                         const char *of_file) {
    double want = number(json, of_file);
    compare(what, of_file, number(only_face(), key), want, fabs(want));
}

START_TEST(kat_stvk_triangles) {
    static const char *const known[] = {
        "uv", "P", "E1_E2_G_nu12", "K", "area", "strain", "E", "grad", "hess_psd_trace",
        /* Hessians, which the command does not print */
        "hess_full_trace", "hess_full_min_eig", "hess_psd_fro", NULL};
    const TlJson *list = kat ? get(kat, "stvk_tri") : NULL;
    for (const TlJson *json = list ? list->first : NULL; json; json = json->next) {
        double E = number(json, "E");
        for (const TlJson *child = json->first; child; child = child->next)
            ck_assert_msg(is_one_of(child->key, known), "%s is not tested", child->key);
        take_points(get(json, "uv"));
        take_uvs(get(json, "uv"));
        mesh.face_count = 0;
        add_face(0, 1, 2, -1);
        write_obj("rest.obj");
        write_points("pose.obj", get(json, "P"));
        write_scene("metric", engineering(json), no_bend);
        evaluate("--pose pose.obj");
        compare_lists("triangle", "K", get(only_face(), "K"), 1, get(json, "K"));
        compare_lists("triangle", "strain", get(only_face(), "strain"), 1, get(json, "strain"));
        compare_lists("triangle", "grad", get(output, "force_N"), -1, get(json, "grad"));
        compare_face("triangle", json, "area", "area");
        compare_face("triangle", json, "energy_J", "E");
        compare_face("triangle", json, "psd_trace", "hess_psd_trace");
        compare("triangle", "E", energy("stretch"), E, E);
    }
}
END_TEST

static void evaluate_quad(const TlJson *json, int32_t gauss_points) {
    write_scene(mesh.has_uv ? "orientation" : "none",
                text("%s, \"gauss_points\": %d", engineering(json), (int)gauss_points), no_bend);
    evaluate("--pose pose.obj");
}

static void check_quad(const TlJson *json) {
    static const char *const known[] = {"rest", "uv", "p", "E1_E2_G_nu12", "eps_hat",
                                        "hess_psd_trace", "E_converged",
                                        /* not printed by the command */
                                        "hess_full_min_eig", "rest_rank", NULL};
    const char *name = json->key;
    double n = 0.0;
    take_points(get(json, "rest"));
    take_uvs(get(json, "uv"));
    mesh.face_count = 0;
    add_face(0, 1, 2, 3);
    write_obj("rest.obj");
    bool has_uv = mesh.has_uv;
    mesh.has_uv = false;
    write_points("pose.obj", get(json, "p"));
    mesh.has_uv = has_uv;
    for (const TlJson *child = json->first; child; child = child->next) {
        if (begins(child->key, "E_gauss", &n)) {
            evaluate_quad(json, (int32_t)n);
            compare(name, child->key, energy("stretch"), child->number, child->number);
            compare(name, child->key, number(only_face(), "energy_J"), child->number,
                    child->number);
        } else if (begins(child->key, "Khat_gauss", &n)) {
            evaluate_quad(json, (int32_t)n);
            compare_lists(name, child->key, get(only_face(), "Khat"), 1, child);
        } else if (begins(child->key, "grad_gauss", &n)) {
            evaluate_quad(json, (int32_t)n);
            compare_lists(name, child->key, get(output, "force_N"), -1, child);
            compare_face(name, json, "psd_trace", "hess_psd_trace");
        } else if (strcmp(child->key, "E_converged") == 0) {
            evaluate_quad(json, 12);
            compare(name, child->key, energy("stretch"), child->number, child->number);
        } else if (strcmp(child->key, "eps_hat") == 0) {
            evaluate_quad(json, 4);
            compare_lists(name, child->key, get(only_face(), "strain_hat"), 1, child);
        } else {
            ck_assert_msg(is_one_of(child->key, known), "%s %s is not tested", name, child->key);
        }
    }
}

START_TEST(kat_quads) {
    for (const TlJson *quad = kat ? get(kat, "quads")->first : NULL; quad; quad = quad->next)
        check_quad(quad);
}
END_TEST

/* A square stretched along the weft, its sides as narrow as they like to be. */
START_TEST(kat_uniaxial) {
    static const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const TlJson *list = kat ? get(kat, "uniaxial") : NULL;
    for (const TlJson *json = list ? list->first : NULL; json; json = json->next) {
        double stretch[2] = {number(json, "lambda1"), number(json, "lambda2_free")};
        double PK1 = number(json, "PK1"), density = number(json, "energy_density");
        double force[12];
        mesh.vertex_count = 4;
        mesh.has_uv = true;
        mesh.face_count = 0;
        add_face(0, 1, 2, -1);
        add_face(0, 2, 3, -1);
        memcpy(mesh.uv, square, sizeof square);
        for (int32_t moved = 0; moved < 2; moved++) {
            for (int32_t i = 0; i < 4; i++)
                for (int32_t k = 0; k < 3; k++)
                    mesh.x[i][k] = k == 2 ? 0.0 : square[i][k] * (moved ? stretch[k] : 1.0);
            write_obj(moved ? "pose.obj" : "rest.obj");
        }
        write_scene("metric",
                    text("\"weft_N_per_m\": %.17g, \"warp_N_per_m\": %.17g, \"shear_N_per_m\": "
                         "%.17g, \"poisson\": %.17g",
                         number(json, "E1"), number(json, "E2"), number(json, "G"),
                         number(json, "nu12")),
                    no_bend);
        evaluate("--pose pose.obj");
        ck_assert_int_eq(flatten(get(output, "force_N"), force, 0), 12);
        compare("uniaxial", "energy_density", energy("stretch"), density, density);
        compare("uniaxial", "PK1", -(force[3] + force[6]), PK1, PK1);
        compare("uniaxial", "lambda2_free", force[7] + force[10], 0.0, PK1);
    }
}
END_TEST

/* ---- Koiter ---- */

static void check_fold(const char *name, const TlJson *json, const TlJson *fold, double exponent) {
    double cross = number(fold, "E_cross"), in = number(fold, "E_in");
    write_scene("none", no_stretch,
                text("\"model\": \"koiter\", \"weft_N_m\": %.17g, \"warp_N_m\": %.17g, "
                     "\"poisson\": %.17g, \"in_element_weight\": 1, \"fold_exponent\": %d",
                     number(json, "D"), number(json, "D"), number(json, "nu"), (int)exponent));
    evaluate("--pose pose.obj");
    compare(name, "E_cross", number(get(output, "koiter"), "cross_J"), cross, cross);
    compare(name, "E_in", number(get(output, "koiter"), "in_element_J"), in, cross);
    compare(name, "E", energy("bend"), cross + in, cross);
    compare_lists(name, "grad_total", get(output, "force_N"), -1, get(fold, "grad_total"));
}

START_TEST(kat_koiter) {
    static const char *const known[] = {"rest", "faces", "x", "D", "nu", "vertex_area", NULL};
    for (const TlJson *json = kat ? get(kat, "koiter")->first : NULL; json; json = json->next) {
        double exponent = 0.0;
        take_points(get(json, "rest"));
        take_faces(get(json, "faces"));
        mesh.has_uv = false;
        write_obj("rest.obj");
        write_points("pose.obj", get(json, "x"));
        for (const TlJson *child = json->first; child; child = child->next) {
            if (begins(child->key, "fold", &exponent))
                check_fold(json->key, json, child, exponent);
            else
                ck_assert_msg(is_one_of(child->key, known), "%s is not tested", child->key);
        }
        compare_lists(json->key, "vertex_area", get(output, "vertex_area_m2"), 1,
                      get(json, "vertex_area"));
    }
}
END_TEST

/* ---- grids ---- */

/* Cells of dx by dy, native or split along (i, j)-(i + 1, j + 1), with uvs. */
static void make_grid(int32_t columns, int32_t rows, double dx, double dy, bool split) {
    mesh.vertex_count = mesh.face_count = 0;
    mesh.has_uv = true;
    for (int32_t j = 0; j <= rows; j++)
        for (int32_t i = 0; i <= columns; i++) {
            int32_t at = mesh.vertex_count++;
            ck_assert_int_lt(at, MOST_VERTICES);
            mesh.x[at][0] = mesh.uv[at][0] = dx * i;
            mesh.x[at][1] = mesh.uv[at][1] = dy * j;
            mesh.x[at][2] = 0.0;
        }
    for (int32_t j = 0; j < rows; j++)
        for (int32_t i = 0; i < columns; i++) {
            int32_t a = j * (columns + 1) + i, c = a + columns + 2;
            if (split) {
                add_face(a, a + 1, c, -1);
                add_face(a, c, c - 1, -1);
            } else {
                add_face(a, a + 1, c, c - 1);
            }
        }
}

/* A grid of single diagonals on a parabolic cylinder: one hinge of each direction makes up a cell.
 */
START_TEST(kat_cylinder_ratios) {
    const double k = 0.2;
    const TlJson *list = kat ? get(kat, "right_mesh_cylinder_ratio_c1") : NULL;
    for (const TlJson *json = list ? list->first : NULL; json; json = json->next) {
        double a = number(json, "a"), b = number(json, "b"), sum[3] = {0, 0, 0};
        double phi = number(json, "phi_deg") * acos(-1.0) / 180.0, ratio = number(json, "ratio");
        make_grid(3, 3, a, b, true);
        write_obj("rest.obj");
        for (int32_t i = 0; i < mesh.vertex_count; i++) {
            double along = cos(phi) * mesh.uv[i][0] + sin(phi) * mesh.uv[i][1];
            mesh.x[i][2] = 0.5 * k * along * along;
        }
        write_obj("pose.obj");
        write_scene("metric", no_stretch, moduli(1.0, 1.0, ""));
        evaluate("--pose pose.obj");
        for (const TlJson *h = get(output, "hinges")->first; h; h = h->next) {
            int32_t c = (int32_t)entry(h, "vertices", 2), d = (int32_t)entry(h, "vertices", 3);
            bool level = mesh.uv[c][1] == mesh.uv[d][1], upright = mesh.uv[c][0] == mesh.uv[d][0];
            sum[level ? 0 : upright ? 1 : 2] = number(h, "energy_J");
        }
        double exact = 0.5 * k * k * a * b;
        compare("cylinder", "ratio", (sum[0] + sum[1] + sum[2]) / exact, ratio, ratio);
    }
}
END_TEST

/* Poses of dev_meshE.json, by their names. */
static void write_pose(const char *name) {
    double k = 0.0, degrees = 0.0;
    bool is_roll = sscanf(name, "roll_k%lf_dir%lf", &k, &degrees) == 2;
    ck_assert_msg(is_roll || strcmp(name, "map") == 0, "the pose %s is not known", name);
    double c = cos(degrees * acos(-1.0) / 180.0), s = sin(degrees * acos(-1.0) / 180.0);
    for (int32_t i = 0; i < mesh.vertex_count; i++) {
        double u = mesh.uv[i][0], v = mesh.uv[i][1];
        double along = c * u + s * v, across = c * v - s * u,
               arc = is_roll ? sin(k * along) / k : 0;
        mesh.x[i][0] = is_roll ? c * arc - s * across : 1.05 * u + .1 * u * v;
        mesh.x[i][1] = is_roll ? s * arc + c * across : .97 * v + .05 * u * u;
        mesh.x[i][2] = is_roll ? (1.0 - cos(k * along)) / k : .3 * u * u - .2 * u * v + .1 * v * v;
    }
    write_obj("pose.obj");
}

/* Stiffness of the membranes, and Poisson's ratio of bending where a key does not say it
 * [PHYSICS 6.4]. */
static const char grid_stretch[] =
    "\"weft_N_per_m\": 1000, \"warp_N_per_m\": 600, \"shear_N_per_m\": 150, \"poisson\": 0.3";
#define GRID_POISSON 0.2

static void evaluate_grid(const char *stretch, const char *bend) {
    write_scene("metric", stretch, bend);
    evaluate("--pose pose.obj");
}

static const char *koiter(double nu, double weight, double exponent) {
    return text("\"model\": \"koiter\", \"weft_N_m\": 1, \"warp_N_m\": 1, \"poisson\": %.17g, "
                "\"in_element_weight\": %.17g, \"fold_exponent\": %d",
                nu, weight, (int)exponent);
}

/* The number of one key, after the command was run for it. */
static double grid_number(const char *key, double *scale) {
    double n = 0.0, nu = 0.0;
    if (sscanf(key, "E_koiter_nu%lf_fold%lf", &nu, &n) == 2) {
        evaluate_grid(no_stretch, koiter(nu, 1.0, n));
        return energy("bend");
    }
    if (begins(key, "E_cross_fold", &n)) {
        evaluate_grid(no_stretch, koiter(GRID_POISSON, 1.0, n));
        return number(get(output, "koiter"), "cross_J");
    }
    if (begins(key, "E_in_win", &n)) {
        evaluate_grid(no_stretch, koiter(GRID_POISSON, n, 1.0));
        *scale = number(get(output, "koiter"), "cross_J");
        return number(get(output, "koiter"), "in_element_J");
    }
    if (begins(key, "E_khat_gauss", &n)) {
        evaluate_grid(text("%s, \"gauss_points\": %d", grid_stretch, (int)n), no_bend);
        return energy("stretch");
    }
    bool dihedral = strcmp(key, "E_dihedral_c1") == 0, third = strcmp(key, "E_linear_c_third") == 0;
    evaluate_grid(grid_stretch, moduli(1.0, 1.0,
                                       dihedral ? ", \"model\": \"dihedral\""
                                       : third  ? ", \"scale\": \"paper\""
                                                : ""));
    if (dihedral || third || strcmp(key, "E_linear_c1") == 0)
        return energy("bend");
    if (strcmp(key, "n_hinges") == 0)
        return get(output, "hinges")->count;
    if (strcmp(key, "E_stvk") == 0)
        return energy("stretch");
    ck_assert_msg(strcmp(key, "area") == 0, "%s is not tested", key);
    double area = 0.0;
    for (const TlJson *face = get(output, "faces")->first; face; face = face->next)
        area += number(face, "area");
    return area;
}

START_TEST(kat_grids) {
    const TlJson *file = read_shared("dev_meshE.json");
    for (const TlJson *grid = file ? file->first : NULL; grid; grid = grid->next) {
        int columns = 0, rows = 0, used = 0;
        double size = 0.0;
        ck_assert_msg(sscanf(grid->key, "grid_%dx%d_a%lf_%n", &columns, &rows, &size, &used) == 3,
                      "the grid %s is not known", grid->key);
        bool split = strcmp(grid->key + used, "quads") != 0;
        ck_assert(!split || strcmp(grid->key + used, "single_diagonal") == 0);
        for (const TlJson *pose = grid->first; pose; pose = pose->next) {
            make_grid(columns, rows, size, size, split);
            write_obj("rest.obj");
            write_pose(pose->key);
            for (const TlJson *child = pose->first; child; child = child->next) {
                char what[128];
                double scale = fabs(child->number);
                /* what the rolled sheet would have, not a number of a model */
                if (strcmp(child->key, "half_mu_k2_A_if_roll") == 0)
                    continue;
                snprintf(what, sizeof what, "%.60s %.60s", grid->key, pose->key);
                double found = grid_number(child->key, &scale);
                compare(what, child->key, found, child->number, scale);
            }
        }
    }
}
END_TEST

/* Sections of other tests: motion, statics and their limits. */
START_TEST(kat_has_no_section_that_is_not_tested) {
    static const char *const known[] = {"pairs",
                                        "choi_ko",
                                        "stvk_tri",
                                        "quads",
                                        "koiter",
                                        "right_mesh_cylinder_ratio_c1",
                                        "uniaxial",
                                        "implicit_euler_pair",
                                        "elastica",
                                        "chain_mid_clamp",
                                        "vibration_mid_clamp",
                                        "hanging_stvk",
                                        "catenary",
                                        "free_fall",
                                        "drag",
                                        "oscillator",
                                        "lateral_beam_limit",
                                        NULL};
    for (const TlJson *section = kat ? kat->first : NULL; section; section = section->next)
        ck_assert_msg(is_one_of(section->key, known), "%s is not tested", section->key);
}
END_TEST

static void clean_up(void) {
    static const char *const names[] = {"rest.obj", "pose.obj", "velocity.obj", "scene.json",
                                        "errors.txt"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(names[i]);
    if (chdir("/") == 0)
        rmdir(folder);
    tl_io_arena_free(&arena);
}

int main(void) {
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        perror(folder);
        return 1;
    }
    Suite *suite = suite_create("cli_kat");
    TCase *cases = tcase_create("known answers");
    tcase_add_checked_fixture(cases, read_kat, NULL);
    tcase_add_test(cases, kat_pairs);
    tcase_add_test(cases, kat_choi_ko);
    tcase_add_test(cases, kat_stvk_triangles);
    tcase_add_test(cases, kat_quads);
    tcase_add_test(cases, kat_uniaxial);
    tcase_add_test(cases, kat_koiter);
    tcase_add_test(cases, kat_cylinder_ratios);
    tcase_add_test(cases, kat_grids);
    tcase_add_test(cases, kat_has_no_section_that_is_not_tested);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    clean_up();
    return failed != 0;
}
