/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile fabrics`: the fabric library, as a table, in full for one fabric, or as JSON in the form
 * that a scene's "fabric" takes. */
#include "cli.h"

#include <toile_io/fabric.h>

static const char help[] =
    "usage: toile fabrics [NAME] [--json]\n\n"
    "Lists the fabric library, or everything about one fabric and where its numbers come from.\n\n"
    "  --json   as JSON; one fabric in the form that \"fabric\" of a scene takes\n";

static const struct option option_table[] = {
    {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static void json_field(const char *before, const char *name, double value) {
    printf("%s\"%s\": ", before, name);
    /* the library's numbers are short decimals: 15 digits give them back as they were written */
    printf("%.15g", value);
}

static void print_json(const ToileFabricEntry *entry, const char *indent) {
    const ToileFabric *fabric = &entry->fabric;
    printf("%s{\"name\": ", indent);
    tl_json_string(stdout, entry->name);
    printf(",\n%s \"source\": ", indent);
    tl_json_string(stdout, entry->source);
    printf(",\n%s ", indent);
    json_field("", "density_kg_per_m2", fabric->density_kg_per_m2);
    json_field(", ", "thickness_m", fabric->thickness_m);
    json_field(", ", "friction", fabric->friction);
    printf(",\n%s \"stretch\": {\"model\": \"stvk\"", indent);
    json_field(", ", "weft_N_per_m", fabric->stretch_weft_N_per_m);
    json_field(", ", "warp_N_per_m", fabric->stretch_warp_N_per_m);
    json_field(", ", "shear_N_per_m", fabric->stretch_shear_N_per_m);
    json_field(", ", "poisson", fabric->stretch_poisson);
    json_field(", ", "damping_s", fabric->stretch_damping_s);
    printf("},\n%s \"bend\": {\"model\": \"linear\"", indent);
    json_field(", ", "weft_N_m", fabric->bend_weft_N_m);
    json_field(", ", "warp_N_m", fabric->bend_warp_N_m);
    printf(", \"scale\": \"%s\"}}",
           fabric->bend_scale == TOILE_BEND_PAPER ? "paper" : "calibrated");
}

static void print_whole(const ToileFabricEntry *entry) {
    const ToileFabric *fabric = &entry->fabric;
    printf("%s: %s\n", entry->name, entry->title);
    printf("  density    %g kg/m2\n", fabric->density_kg_per_m2);
    printf("  thickness  %g m\n", fabric->thickness_m);
    printf("  friction   %g\n", fabric->friction);
    printf("  stretch    weft %g, warp %g, shear %g N/m; poisson %g; damping %g s\n",
           fabric->stretch_weft_N_per_m, fabric->stretch_warp_N_per_m,
           fabric->stretch_shear_N_per_m, fabric->stretch_poisson, fabric->stretch_damping_s);
    printf("  bend       weft %g, warp %g N m\n", fabric->bend_weft_N_m, fabric->bend_warp_N_m);
    printf("  source     %s\n", entry->source);
}

static int list(bool json) {
    int32_t count = toile_fabric_count();
    if (json)
        fputs("[", stdout);
    else
        printf("%-22s %8s %8s %8s %9s %9s  %s\n", "name", "kg/m2", "weft N/m", "warp N/m",
               "weft N m", "warp N m", "title");
    for (int32_t i = 0; i < count; i++) {
        ToileError error = toile_error_default();
        ToileFabricEntry entry = {0};
        entry.struct_size = (uint32_t)sizeof entry;
        ToileStatus status = toile_fabric_get(i, &entry, &error);
        if (status != TOILE_STATUS_OK)
            return tl_report_failure(status, &error);
        if (json) {
            fputs(i ? ",\n" : "\n", stdout);
            print_json(&entry, "  ");
        } else {
            const ToileFabric *fabric = &entry.fabric;
            printf("%-22s %8.3g %8.4g %8.4g %9.3g %9.3g  %s\n", entry.name,
                   fabric->density_kg_per_m2, fabric->stretch_weft_N_per_m,
                   fabric->stretch_warp_N_per_m, fabric->bend_weft_N_m, fabric->bend_warp_N_m,
                   entry.title);
        }
    }
    if (json)
        fputs("]\n", stdout);
    return TL_EXIT_OK;
}

static int show(const char *name, bool json) {
    ToileError error = toile_error_default();
    ToileFabricEntry entry = {0};
    entry.struct_size = (uint32_t)sizeof entry;
    ToileStatus status = toile_fabric_find(name, &entry, &error);
    if (status != TOILE_STATUS_OK) {
        tl_report_failure(status, &error);
        return TL_EXIT_USAGE;
    }
    if (json) {
        print_json(&entry, "");
        fputc('\n', stdout);
    } else {
        print_whole(&entry);
    }
    return TL_EXIT_OK;
}

static int run_fabrics(int argc, char **argv) {
    const TlCommand *command = &tl_command_fabrics;
    bool json = false;
    int letter;
    while ((letter = tl_next_option(command, argc, argv, ":h", option_table)) != TL_OPTION_END) {
        if (letter == TL_OPTION_HELP)
            return TL_EXIT_OK;
        if (letter == TL_OPTION_BAD)
            return TL_EXIT_USAGE;
        json = true;
    }
    if (optind == argc)
        return list(json);
    if (optind + 1 < argc)
        return tl_usage(command, "fabrics takes one name, but '%s' follows '%s'", argv[optind + 1],
                        argv[optind]);
    return show(argv[optind], json);
}

const TlCommand tl_command_fabrics = {"fabrics", "lists the fabric library", help, true,
                                      run_fabrics};
