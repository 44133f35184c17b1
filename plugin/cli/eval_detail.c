/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the energies as JSON with 17 digits, and as tables for people. */
#include "eval_detail.h"

#include "cli.h"

#include <stdlib.h>
#include <toile/draft.h>

static int out_of_memory(void) {
    tl_message("there is not enough memory.");
    return TL_EXIT_FAILURE;
}

/* ---- JSON ---- */

static void json_field(const char *before, const char *name, double value) {
    printf("%s\"%s\": ", before, name);
    tl_json_number(stdout, value);
}

static void json_list(const char *before, const char *name, const double *values, int32_t count) {
    printf("%s\"%s\": ", before, name);
    tl_json_numbers(stdout, values, count);
}

/* rows in brackets of their own */
static void json_rows(const char *before, const char *name, const double *values, int32_t rows,
                      int32_t columns) {
    printf("%s\"%s\": [", before, name);
    for (int32_t i = 0; i < rows; i++) {
        fputs(i ? ", " : "", stdout);
        tl_json_numbers(stdout, values + (size_t)i * (size_t)columns, columns);
    }
    fputs("]", stdout);
}

static void json_vertices(const char *before, const int32_t *vertices, int32_t count) {
    printf("%s\"vertices\": [", before);
    for (int32_t i = 0; i < count; i++)
        printf("%s%d", i ? ", " : "", (int)vertices[i]);
    fputs("]", stdout);
}

/* rate of the bending vector */
static void json_rate(const ToileHingeDetail *hinge, const double *velocities) {
    double rate[3] = {0, 0, 0};
    for (int32_t i = 0; i < hinge->corner_count; i++)
        for (int32_t k = 0; k < 3; k++)
            rate[k] += hinge->alpha[i] * velocities[3 * (size_t)hinge->vertices[i] + (size_t)k];
    json_list(", ", "R_dot", rate, 3);
}

/* `velocities` of all vertices, or NULL */
static void json_hinge(const ToileHingeDetail *hinge, const double *velocities) {
    int32_t corners = hinge->corner_count;
    json_vertices("{", hinge->vertices, corners);
    json_list(", ", "alpha", hinge->alpha, corners);
    json_field(", ", "l", hinge->length_m);
    json_field(", ", "hA", hinge->height_a_m);
    json_field(", ", "hB", hinge->height_b_m);
    json_field(", ", "lambda", hinge->lambda_N_per_m);
    json_field(", ", "k_e", hinge->k_e_N_m);
    json_field(", ", "mu", hinge->mu_N_m);
    json_field(", ", "nu", hinge->nu_N_s_per_m);
    json_list(", ", "R", hinge->R_m, 3);
    if (velocities)
        json_rate(hinge, velocities);
    json_field(", ", "r", hinge->r_m);
    json_field(", ", "r_rest", hinge->r_rest_m);
    json_field(", ", "gamma", hinge->gamma_per_m);
    json_field(", ", "theta", hinge->theta_rad);
    json_field(", ", "theta_rest", hinge->theta_rest_rad);
    json_rows(", ", "grad_theta", hinge->grad_theta_per_m, corners, 3);
    json_field(", ", "energy_J", hinge->energy_J);
    fputs("}", stdout);
}

static void json_element(const ToileElementDetail *element) {
    const double *K = element->K_N_per_m;
    const double rows[9] = {K[0], K[1], K[2], K[1], K[3], K[4], K[2], K[4], K[5]};
    printf("{\"face\": %d", (int)element->face);
    json_vertices(", ", element->vertices, element->corner_count);
    json_field(", ", "area", element->area_m2);
    json_rows(", ", "K", rows, 3, 3);
    json_list(", ", "strain", element->strain, 3);
    if (element->corner_count == 4) {
        json_list(", ", "strain_hat", element->strain_hat, 7);
        json_rows(", ", "Khat", element->Khat_N_per_m, 7, 7);
    }
    json_field(", ", "energy_J", element->energy_J);
    json_field(", ", "psd_trace", element->psd_trace);
    fputs("}", stdout);
}

static void json_spring(const ToileSpringDetail *spring) {
    printf("{\"kind\": \"%s\"", spring->is_bend ? "bend" : "stretch");
    json_vertices(", ", spring->vertices, 2);
    json_field(", ", "L", spring->rest_length_m);
    json_field(", ", "length", spring->length_m);
    json_field(", ", "k", spring->k_N_per_m);
    json_field(", ", "kb", spring->kb_N_m2);
    json_field(", ", "kappa_L", spring->kappa_length);
    json_field(", ", "phi", spring->phi);
    json_field(", ", "energy_J", spring->energy_J);
    fputs("}", stdout);
}

/* ---- tables ---- */

/* "0 1 2 3", at the right of a column */
static void table_vertices(const int32_t *vertices, int32_t count, int32_t most) {
    for (int32_t i = count; i < most; i++)
        printf(" %5s", "");
    for (int32_t i = 0; i < count; i++)
        printf(" %5d", (int)vertices[i]);
}

static void table_hinge(int32_t index, const ToileHingeDetail *h) {
    printf("  %7d ", (int)index);
    table_vertices(h->vertices, h->corner_count, TOILE_HINGE_CORNERS);
    printf(" %12.5g %12.5g %12.5g %12.5g\n", h->lambda_N_per_m, h->gamma_per_m, h->theta_rad,
           h->energy_J);
}

static void table_element(const ToileElementDetail *e) {
    printf("  %7d  %12.5g %12.5g %12.5g %12.5g %12.5g\n", (int)e->face, e->area_m2, e->strain[0],
           e->strain[1], e->strain[2], e->energy_J);
}

static void table_spring(int32_t index, const ToileSpringDetail *s) {
    printf("  %7d ", (int)index);
    table_vertices(s->vertices, 2, 2);
    printf(" %8s %12.5g %12.5g %12.5g\n", s->is_bend ? "bend" : "stretch", s->rest_length_m,
           s->length_m, s->energy_J);
}

/* ---- both ---- */

/* begins entry `index` of a list */
static void json_next(int32_t index) {
    fputs(index ? ",\n  " : "\n  ", stdout);
}

static int print_hinges(ToileSim *sim, ToileClothId cloth, bool json, const double *velocities) {
    ToileError error = toile_error_default();
    int32_t count = toile_sim_hinge_count(sim, cloth);
    if (json)
        fputs(",\n\"hinges\": [", stdout);
    else if (count > 0)
        printf("    hinge  %35s %12s %12s %12s %12s\n", "A B C D", "lambda N/m", "gamma 1/m",
               "theta rad", "energy J");
    for (int32_t i = 0; i < count; i++) {
        ToileHingeDetail hinge = {0};
        hinge.struct_size = (uint32_t)sizeof hinge;
        ToileStatus status = toile_sim_get_hinge(sim, cloth, i, &hinge, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        if (json) {
            json_next(i);
            json_hinge(&hinge, velocities);
        } else {
            table_hinge(i, &hinge);
        }
    }
    fputs(json ? "]" : "", stdout);
    return count < 0 ? out_of_memory() : TL_EXIT_OK;
}

static int print_elements(ToileSim *sim, ToileClothId cloth, bool json) {
    ToileError error = toile_error_default();
    int32_t count = toile_sim_element_count(sim, cloth);
    if (json)
        fputs(",\n\"faces\": [", stdout);
    else if (count > 0)
        printf("     face  %12s %12s %12s %12s %12s\n", "area m2", "weft", "warp", "shear",
               "energy J");
    for (int32_t i = 0; i < count; i++) {
        ToileElementDetail element = {0};
        element.struct_size = (uint32_t)sizeof element;
        ToileStatus status = toile_sim_get_element(sim, cloth, i, &element, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        if (json) {
            json_next(i);
            json_element(&element);
        } else {
            table_element(&element);
        }
    }
    fputs(json ? "]" : "", stdout);
    return count < 0 ? out_of_memory() : TL_EXIT_OK;
}

static int print_springs(ToileSim *sim, ToileClothId cloth, bool json) {
    ToileError error = toile_error_default();
    int32_t count = toile_sim_spring_count(sim, cloth);
    if (json)
        fputs(",\n\"springs\": [", stdout);
    else if (count > 0)
        printf("   spring  %11s %8s %12s %12s %12s\n", "i j", "kind", "rest m", "length m",
               "energy J");
    for (int32_t i = 0; i < count; i++) {
        ToileSpringDetail spring = {0};
        spring.struct_size = (uint32_t)sizeof spring;
        ToileStatus status = toile_sim_get_spring(sim, cloth, i, &spring, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        if (json) {
            json_next(i);
            json_spring(&spring);
        } else {
            table_spring(i, &spring);
        }
    }
    fputs(json ? "]" : "", stdout);
    return count < 0 ? out_of_memory() : TL_EXIT_OK;
}

static int print_koiter(ToileSim *sim, ToileClothId cloth, bool json) {
    ToileError error = toile_error_default();
    ToileKoiterDetail detail = {0};
    detail.struct_size = (uint32_t)sizeof detail;
    ToileStatus status = toile_sim_get_koiter(sim, cloth, &detail, &error);
    if (status != TOILE_STATUS_OK)
        return tl_report_failure(status, &error);
    if (json) {
        json_field(",\n\"koiter\": {", "cross_J", detail.cross_J);
        json_field(", ", "in_element_J", detail.in_element_J);
        fputs("}", stdout);
    } else {
        printf("  koiter J: across elements %.9g, inside quads %.9g\n", detail.cross_J,
               detail.in_element_J);
    }
    return TL_EXIT_OK;
}

static int json_areas(ToileSim *sim, ToileClothId cloth) {
    ToileError error = toile_error_default();
    int32_t count = toile_sim_vertex_count(sim, cloth);
    double *areas_m2 = calloc((size_t)count + 1, sizeof *areas_m2);
    if (!areas_m2)
        return out_of_memory();
    ToileStatus status = toile_sim_get_vertex_areas(sim, cloth, areas_m2, &error);
    if (status == TOILE_STATUS_OK)
        json_list(",\n", "vertex_area_m2", areas_m2, count);
    free(areas_m2);
    return status == TOILE_STATUS_OK ? TL_EXIT_OK : tl_report_failure(status, &error);
}

static int print_all(ToileSim *sim, ToileClothId cloth, bool koiter, bool json,
                     const double *velocities) {
    int code = print_hinges(sim, cloth, json, velocities);
    if (code == TL_EXIT_OK)
        code = print_elements(sim, cloth, json);
    if (code == TL_EXIT_OK)
        code = print_springs(sim, cloth, json);
    if (code == TL_EXIT_OK && koiter)
        code = print_koiter(sim, cloth, json);
    return code;
}

int tl_eval_json_detail(ToileSim *sim, ToileClothId cloth, bool koiter, bool moving) {
    ToileError error = toile_error_default();
    ToileStatus status = TOILE_STATUS_OK;
    double *velocities = NULL;
    if (moving) {
        size_t values = 3 * (size_t)toile_sim_vertex_count(sim, cloth);
        velocities = calloc(values + 1, sizeof *velocities);
        if (!velocities)
            return out_of_memory();
        status = toile_sim_get_velocities(sim, cloth, velocities, &error);
    }
    int code = status == TOILE_STATUS_OK ? print_all(sim, cloth, koiter, true, velocities)
                                         : tl_report_failure(status, &error);
    free(velocities);
    return code == TL_EXIT_OK ? json_areas(sim, cloth) : code;
}

int tl_eval_table_detail(ToileSim *sim, ToileClothId cloth, bool koiter) {
    return print_all(sim, cloth, koiter, false, NULL);
}
