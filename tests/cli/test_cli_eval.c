/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile eval --detail --json` against known answers: linear bending of one pair of triangles
 * [Volino & Magnenat-Thalmann 2006], the StVK triangle, and whole-mesh energies. The numbers were
 * computed independently with 15 digits. The command is named by the environment variable
 * TOILE_COMMAND. */
#define _POSIX_C_SOURCE 200809L

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The published numbers have 12 to 15 digits; the command's have 17. */
#define TOLERANCE 1e-10
/* Rounding of a sum of forces that cancel, over the largest of them. */
#define BALANCE 1e-14

/* Stretch so weak that it does not show beside bending. */
#define NO_STRETCH                                                                                 \
    "\"weft_N_per_m\": 1e-18, \"warp_N_per_m\": 1e-18, \"shear_N_per_m\": 1e-18, \"poisson\": 0"

static char folder[] = "/tmp/toile-eval.XXXXXX";
static char output[1 << 20]; /* what the command printed */

/* ---- files ---- */

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

/* vertices, uvs (may be NULL) and triangles as an OBJ file; indices from 0 */
static void write_obj(const char *name, const double (*x)[3], int count, const double (*uv)[2],
                      const int (*triangles)[3], int triangle_count) {
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < count; i++)
        fprintf(file, "v %.17g %.17g %.17g\n", x[i][0], x[i][1], x[i][2]);
    for (int i = 0; uv && i < count; i++)
        fprintf(file, "vt %.17g %.17g\n", uv[i][0], uv[i][1]);
    for (int i = 0; i < triangle_count; i++) {
        const int *t = triangles[i];
        if (uv)
            fprintf(file, "f %d/%d %d/%d %d/%d\n", t[0] + 1, t[0] + 1, t[1] + 1, t[1] + 1, t[2] + 1,
                    t[2] + 1);
        else
            fprintf(file, "f %d %d %d\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    fclose(file);
}

static void write_scene(const char *pattern, const char *stretch, const char *bend) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "{\"toile\": 1, \"fps\": 24, \"frames\": \"1-2\", \"cloth\": [{\"name\": \"c\", "
        "\"mesh\": \"rest.obj\", \"pattern\": \"%s\", \"fabric\": {\"density_kg_per_m2\": 0.1, "
        "\"stretch\": {%s}, \"bend\": {%s}}}]}\n",
        pattern, stretch, bend);
    write_text("scene.json", text);
}

/* runs eval with these arguments; answers the exit code */
static int run(const char *arguments) {
    char command[1000];
    const char *toile = getenv("TOILE_COMMAND");
    ck_assert_msg(toile != NULL, "TOILE_COMMAND does not name the command");
    snprintf(command, sizeof command, "'%s' eval scene.json %s 2>&1", toile, arguments);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    size_t length = fread(output, 1, sizeof output - 1, pipe);
    output[length] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* runs eval at pose.obj when `pose`, else at the start */
static void evaluate(int pose) {
    int code = run(pose ? "--detail --json --pose pose.obj" : "--detail --json");
    ck_assert_msg(code == 0, "eval failed with %d: %s", code, output);
}

/* ---- numbers of the JSON ---- */

/* number `index` after the first "key": at or behind `from`, through nested lists */
static double number_from(const char *from, const char *key, int index) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(from, quoted);
    ck_assert_msg(at != NULL, "no %s in the output", quoted);
    at += strlen(quoted);
    for (;; index--) {
        char *end = NULL;
        at += strspn(at, " \n,[]");
        double value = strtod(at, &end);
        ck_assert_msg(end != at, "too few numbers after %s", quoted);
        if (index == 0)
            return value;
        at = end;
    }
}

static double number(const char *key, int index) {
    return number_from(output, key, index);
}

static const char *section(const char *key) {
    const char *at = strstr(output, key);
    ck_assert_msg(at != NULL, "no %s in the output", key);
    return at;
}

/* entries of a list of objects that begin with `key` */
static int count_of(const char *key) {
    int count = 0;
    for (const char *at = strstr(output, key); at; at = strstr(at + 1, key))
        count++;
    return count;
}

static void near_to(const char *what, double found, double expected) {
    ck_assert_msg(fabs(found - expected) <= TOLERANCE * fabs(expected),
                  "%s is %.15g instead of %.15g", what, found, expected);
}

/* forces of internal energies neither push nor turn the cloth as a whole */
static void check_balance(int vertices) {
    double largest = 0.0;
    for (int i = 0; i < 3 * vertices; i++)
        largest = fmax(largest, fabs(number("force_N", i)));
    for (int k = 0; k < 3; k++) {
        ck_assert_double_le(fabs(number("net_force_N", k)), BALANCE * largest * vertices);
        ck_assert_double_le(fabs(number("net_torque_N_m", k)), BALANCE * largest * vertices);
    }
}

/* ---- one pair of triangles ---- */

static const int pair_triangles[2][3] = {{2, 3, 0}, {3, 2, 1}};
static const double convex_rest[4][3] = {{.2, .9, 0}, {.9, -.6, 0}, {0, 0, 0}, {1, .2, 0}};
static const double convex_uv[4][2] = {{.2, .9}, {.9, -.6}, {0, 0}, {1, .2}};
static const double convex_pose[4][3] = {
    {.25, .8, .3}, {.85, -.55, .2}, {0, .05, -.02}, {1.02, .18, .03}};

/* alpha belongs to vertices 0 to 3 in whatever order the hinge names them */
static void check_alpha(const double expected[4]) {
    for (int i = 0; i < 4; i++) {
        int vertex = (int)number_from(section("\"hinges\""), "vertices", i);
        ck_assert_int_ge(vertex, 0);
        ck_assert_int_lt(vertex, 4);
        near_to("alpha", number("alpha", i), expected[vertex]);
    }
}

START_TEST(eval_convex_pair_has_published_coefficients) {
    const double alpha[4] = {0.475609756097561, 0.524390243902439, -0.432926829268293,
                             -0.567073170731707};
    write_obj("rest.obj", convex_rest, 4, NULL, pair_triangles, 2);
    write_scene("none", NO_STRETCH, "\"weft_N_m\": 0.01, \"warp_N_m\": 0.01");
    evaluate(0);
    ck_assert_int_eq(count_of("\"alpha\""), 1);
    check_alpha(alpha);
    int first = (int)number_from(section("\"hinges\""), "vertices", 0);
    near_to("l", number("l", 0), 1.01980390271856);
    near_to("hA", number(first == 0 ? "hA" : "hB", 0), 0.843299381094191);
    near_to("hB", number(first == 0 ? "hB" : "hA", 0), 0.764852927038918);
    near_to("lambda", number("lambda", 0), 0.0788414157803017);
    near_to("k_e", number("k_e", 0), 0.0126829268292683);
    near_to("mu", number("mu", 0), 0.01);
    ck_assert_double_le(fabs(number("bend", 0)), 1e-30);
}
END_TEST

START_TEST(eval_paper_scale_is_a_third) {
    write_obj("rest.obj", convex_rest, 4, NULL, pair_triangles, 2);
    write_scene("none", NO_STRETCH, "\"weft_N_m\": 0.01, \"warp_N_m\": 0.01, \"scale\": \"paper\"");
    evaluate(0);
    near_to("lambda", number("lambda", 0), 0.0262804719267672);
}
END_TEST

START_TEST(eval_edge_direction_blends_weft_and_warp) {
    write_obj("rest.obj", convex_rest, 4, convex_uv, pair_triangles, 2);
    write_scene("metric", NO_STRETCH, "\"weft_N_m\": 0.01, \"warp_N_m\": 0.03");
    evaluate(0);
    near_to("mu", number("mu", 0), 0.0292307692307692);
}
END_TEST

START_TEST(eval_bent_pair_has_published_energy_and_forces) {
    const double R[3] = {-0.0137804878048779, -0.0316463414634147, 0.239207317073171};
    const double force[12] = {0.000516737238762325,  0.00118666649078606,  -0.00896973534364873,
                              0.000569735929917435,  0.00130837587445642,  -0.00988970819940758,
                              -0.000470363384001603, -0.00108017078007449, 0.00816475909485974,
                              -0.000616109784678156, -0.00141487158516799, 0.0106946844481966};
    write_obj("rest.obj", convex_rest, 4, NULL, pair_triangles, 2);
    write_obj("pose.obj", convex_pose, 4, NULL, pair_triangles, 2);
    write_scene("none", NO_STRETCH, "\"weft_N_m\": 0.01, \"warp_N_m\": 0.01");
    evaluate(1);
    for (int k = 0; k < 3; k++)
        near_to("R", number("R", k), R[k]);
    near_to("r", number("r", 0), 0.24143436635483);
    near_to("gamma", number("gamma", 0), 0.748633694123503);
    near_to("theta", number("theta", 0), 0.656203239636);
    near_to("bend", number("bend", 0), 0.00230262399216745);
    for (int i = 0; i < 12; i++)
        near_to("force_N", number("force_N", i), force[i]);
    check_balance(4);
}
END_TEST

START_TEST(eval_non_convex_pair_has_signed_coefficients) {
    const double rest[4][3] = {{1.6, .5, 0}, {1.3, -.4, 0}, {0, 0, 0}, {1, 0, 0}};
    const double alpha[4] = {0.444444444444444, 0.555555555555556, 0.433333333333333,
                             -1.433333333333333};
    write_obj("rest.obj", rest, 4, NULL, pair_triangles, 2);
    write_scene("none", NO_STRETCH, "\"weft_N_m\": 0.002, \"warp_N_m\": 0.002");
    evaluate(0);
    check_alpha(alpha);
    near_to("lambda", number("lambda", 0), 0.09);
}
END_TEST

START_TEST(eval_folded_rest_pair_has_published_coefficients) {
    const double rest[4][3] = {{.3, .7, .25}, {.5, -.6, .2}, {0, 0, 0}, {.9, .1, .05}};
    const double alpha[4] = {0.490503107376, 0.509496892624, -0.542004738724, -0.457995261276};
    write_obj("rest.obj", rest, 4, NULL, pair_triangles, 2);
    write_scene("none", NO_STRETCH, "\"weft_N_m\": 0.01, \"warp_N_m\": 0.01");
    evaluate(0);
    check_alpha(alpha);
}
END_TEST

/* ---- one triangle ---- */

#define STVK                                                                                       \
    "\"weft_N_per_m\": 1000, \"warp_N_per_m\": 600, \"shear_N_per_m\": 150, \"poisson\": 0.3"

START_TEST(eval_triangle_has_published_strain_and_energy) {
    const double uv[3][2] = {{0, 0}, {1, .1}, {.2, .9}};
    const double rest[3][3] = {{0, 0, 0}, {1, .1, 0}, {.2, .9, 0}};
    const double pose[3][3] = {{0, 0, 0}, {1.1, .05, .2}, {.1, .8, -.1}};
    const int triangle[1][3] = {{0, 1, 2}};
    const double K[9] = {
        1057.08245243129, 190.274841437632, 0, 190.274841437632, 634.249471458774, 0, 0, 0, 150};
    const double strain[3] = {0.144192277893, -0.075090392562, -0.221913739669};
    const double gradient[3] = {-49.6220549884, 20.8711233681, -12.4581544125};
    write_obj("rest.obj", rest, 3, uv, triangle, 1);
    write_obj("pose.obj", pose, 3, NULL, triangle, 1);
    write_scene("metric", STVK, "\"weft_N_m\": 0, \"warp_N_m\": 0");
    evaluate(1);
    for (int i = 0; i < 9; i++)
        near_to("K", number("K", i), K[i]);
    for (int i = 0; i < 3; i++) {
        near_to("strain", number("strain", i), strain[i]);
        near_to("force_N", number("force_N", i), -gradient[i]);
    }
    near_to("stretch", number("stretch", 0), 6.34061290021);
    near_to("psd_trace", number("psd_trace", 0), 2231.75270752);
    check_balance(3);
}
END_TEST

/* ---- grids of 8 by 4 cells of 0.125, each split along (i,j)-(i+1,j+1) ---- */

enum { COLUMNS = 9, ROWS = 5, GRID = COLUMNS * ROWS, CELLS = 32 };

static void write_grid(void (*map)(double u, double v, double x[3])) {
    static double rest[GRID][3], uv[GRID][2], pose[GRID][3];
    static int triangles[2 * CELLS][3];
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            int at = j * COLUMNS + i;
            uv[at][0] = rest[at][0] = 0.125 * i;
            uv[at][1] = rest[at][1] = 0.125 * j;
            map(0.125 * i, 0.125 * j, pose[at]);
        }
    for (int cell = 0; cell < CELLS; cell++) {
        int a = cell / 8 * COLUMNS + cell % 8, c = a + COLUMNS + 1;
        const int two[2][3] = {{a, a + 1, c}, {a, c, a + COLUMNS}};
        memcpy(triangles[2 * (size_t)cell], two, sizeof two);
    }
    write_obj("rest.obj", (const double(*)[3])rest, GRID, (const double(*)[2])uv,
              (const int(*)[3])triangles, 2 * CELLS);
    write_obj("pose.obj", (const double(*)[3])pose, GRID, NULL, (const int(*)[3])triangles,
              2 * CELLS);
}

static void rolled(double u, double v, double x[3]) {
    x[0] = sin(1.5 * u) / 1.5;
    x[1] = v;
    x[2] = (1.0 - cos(1.5 * u)) / 1.5;
}

static void warped(double u, double v, double x[3]) {
    x[0] = 1.05 * u + .1 * u * v;
    x[1] = .97 * v + .05 * u * u;
    x[2] = .3 * u * u - .2 * u * v + .1 * v * v;
}

START_TEST(eval_rolled_grid_has_published_energy) {
    write_grid(rolled);
    write_scene("metric", STVK, "\"weft_N_m\": 1, \"warp_N_m\": 1");
    evaluate(1);
    ck_assert_int_eq(count_of("\"alpha\""), 84);
    ck_assert_int_eq(count_of("\"psd_trace\""), 2 * CELLS);
    near_to("bend", number("bend", 0), 0.48931118092);
    near_to("stretch", number("stretch", 0), 0.000565735774072);
    write_scene("none", STVK, "\"weft_N_m\": 1, \"warp_N_m\": 1, \"scale\": \"paper\"");
    evaluate(1);
    near_to("bend", number("bend", 0), 0.163103726973);
    check_balance(GRID);
}
END_TEST

START_TEST(eval_warped_grid_has_published_energy) {
    write_grid(warped);
    write_scene("metric", STVK, "\"weft_N_m\": 1, \"warp_N_m\": 1");
    evaluate(1);
    near_to("bend", number("bend", 0), 0.09125);
    near_to("stretch", number("stretch", 0), 4.91081109309);
    near_to("total", number("total", 0),
            number("bend", 0) + number("stretch", 0) + number("gravity", 0));
    check_balance(GRID);
}
END_TEST

/* ---- velocities ---- */

static const double shaken[4][3] = {{.1, -.2, .5}, {.3, .1, -.4}, {-.2, .05, .1}, {0, .2, -.3}};

/* positions or velocities in another unit */
static void write_scaled(const char *name, const double (*x)[3], double factor) {
    double scaled[4][3];
    for (int i = 0; i < 12; i++)
        scaled[i / 3][i % 3] = factor * x[i / 3][i % 3];
    write_obj(name, (const double(*)[3])scaled, 4, NULL, pair_triangles, 2);
}

static void write_damped(const char *cloths, double unit_m) {
    char text[2000];
    snprintf(text, sizeof text,
             "{\"toile\": 1, \"frames\": \"1-2\", \"unit_m\": %.17g, \"cloth\": [%s]}\n", unit_m,
             cloths);
    write_text("scene.json", text);
    write_scaled("rest.obj", convex_rest, 1.0 / unit_m);
    write_scaled("pose.obj", convex_pose, 1.0 / unit_m);
    write_scaled("velocity.obj", shaken, 1.0 / unit_m);
}

#define DAMPED(name)                                                                               \
    "{\"name\": \"" name "\", \"mesh\": \"rest.obj\", \"fabric\": {\"stretch\": {\"damping_s\": "  \
    "0.01}, \"bend\": {\"damping_N_m_s\": 1e-4}}}"

START_TEST(eval_velocities_are_in_units_of_the_files) {
    double metres[12], largest = 0.0;
    write_damped(DAMPED("c"), 1.0);
    ck_assert_int_eq(run("--json --pose pose.obj"), 0);
    ck_assert_ptr_null(strstr(output, "damping_N"));
    ck_assert_int_eq(run("--json --pose pose.obj --velocity velocity.obj"), 0);
    for (int i = 0; i < 12; i++) {
        metres[i] = number("damping_N", i);
        largest = fmax(largest, fabs(metres[i]));
    }
    ck_assert_double_gt(largest, 1e-6);
    write_damped(DAMPED("c"), 0.01);
    ck_assert_int_eq(run("--json --velocity c=velocity.obj --pose c=pose.obj"), 0);
    for (int i = 0; i < 12; i++)
        ck_assert_msg(fabs(number("damping_N", i) - metres[i]) <= TOLERANCE * largest,
                      "damping_N is %.15g instead of %.15g", number("damping_N", i), metres[i]);
    ck_assert_int_eq(run("--velocity velocity.obj --pose pose.obj"), 0);
    ck_assert_ptr_nonnull(strstr(output, "damping N"));
}
END_TEST

START_TEST(eval_velocities_are_of_the_cloth_that_is_named) {
    write_damped(DAMPED("one") ", " DAMPED("two"), 1.0);
    ck_assert_int_eq(run("--json --velocity velocity.obj"), 64);
    ck_assert_ptr_nonnull(strstr(output, "--velocity takes CLOTH=FILE.obj"));
    ck_assert_int_eq(run("--json --velocity two=velocity.obj"), 0);
    const char *one = section("\"one\""), *two = section("\"two\"");
    for (int i = 0; i < 12; i++)
        ck_assert_double_eq(number_from(one, "damping_N", i), 0.0);
    ck_assert_double_gt(fabs(number_from(two, "damping_N", 2)), 1e-9);
}
END_TEST

/* ---- what a model has ---- */

static void write_quad(const char *stretch, const char *bend) {
    write_text("rest.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 2 0 0\nv 2 0 1\nf 1 4 3 2\n"
                           "f 2 3 6 5\n");
    write_scene("none", stretch, bend);
}

START_TEST(eval_detail_follows_the_models) {
    write_quad("\"weft_N_per_m\": 1000", "\"weft_N_m\": 1e-4");
    evaluate(0);
    ck_assert_int_eq(count_of("\"Khat\""), 2);
    ck_assert_int_eq(count_of("\"strain_hat\""), 2);
    ck_assert_int_eq(count_of("\"kind\""), 0);
    ck_assert_ptr_null(strstr(output, "cross_J"));
    ck_assert_ptr_nonnull(strstr(output, "\"springs\": []"));
    double area = 0.0;
    for (int i = 0; i < 6; i++)
        area += number("vertex_area_m2", i);
    near_to("vertex_area_m2", area, 2.0);
    for (int i = 0; i < 7; i++)
        ck_assert(isfinite(number("strain_hat", i)));
    for (int i = 0; i < 49; i++)
        ck_assert(isfinite(number("Khat", i)));
    ck_assert_int_eq(run("--detail"), 0);
    ck_assert_ptr_nonnull(strstr(output, "A B C D"));
    write_scene("none", "\"weft_N_per_m\": 1000", "\"weft_N_m\": 1e-4, \"model\": \"koiter\"");
    evaluate(0);
    ck_assert_double_eq(number("cross_J", 0), 0.0);
    ck_assert_double_eq(number("in_element_J", 0), 0.0);
    ck_assert_int_eq(run("--detail"), 0);
    ck_assert_ptr_nonnull(strstr(output, "inside quads"));
    write_scene("none", "\"model\": \"springs\"", "\"model\": \"crossover\"");
    evaluate(0);
    ck_assert_int_gt(count_of("\"kind\": \"stretch\""), 0);
    ck_assert_int_gt(count_of("\"kind\": \"bend\""), 0);
    ck_assert_int_eq(run("--detail"), 0);
    ck_assert_ptr_nonnull(strstr(output, "spring"));
}
END_TEST

int main(void) {
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        perror(folder);
        return 1;
    }
    Suite *suite = suite_create("cli_eval");
    TCase *cases = tcase_create("known answers");
    tcase_add_test(cases, eval_convex_pair_has_published_coefficients);
    tcase_add_test(cases, eval_paper_scale_is_a_third);
    tcase_add_test(cases, eval_edge_direction_blends_weft_and_warp);
    tcase_add_test(cases, eval_bent_pair_has_published_energy_and_forces);
    tcase_add_test(cases, eval_non_convex_pair_has_signed_coefficients);
    tcase_add_test(cases, eval_folded_rest_pair_has_published_coefficients);
    tcase_add_test(cases, eval_triangle_has_published_strain_and_energy);
    tcase_add_test(cases, eval_rolled_grid_has_published_energy);
    tcase_add_test(cases, eval_warped_grid_has_published_energy);
    tcase_add_test(cases, eval_velocities_are_in_units_of_the_files);
    tcase_add_test(cases, eval_velocities_are_of_the_cloth_that_is_named);
    tcase_add_test(cases, eval_detail_follows_the_models);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    unlink("rest.obj");
    unlink("pose.obj");
    unlink("velocity.obj");
    unlink("scene.json");
    if (chdir("/") == 0)
        rmdir(folder);
    return failed != 0;
}
