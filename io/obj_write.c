/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Wavefront OBJ out: v with %.9g, vt where the mesh has them, f. */
#include "number.h"
#include "platform.h"
#include "report.h"
#include "toile_io/obj.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A line being put together. */
typedef struct Line {
    char text[256];
    size_t length;
    TlIoWriter *writer;
} Line;

static void add_text(Line *line, const char *text) {
    size_t length = strlen(text);
    if (line->length + length > sizeof line->text) {
        tl_io_writer_add(line->writer, line->text, line->length);
        line->length = 0;
    }
    memcpy(line->text + line->length, text, length);
    line->length += length;
}

static void end_line(Line *line) {
    add_text(line, "\n");
    tl_io_writer_add(line->writer, line->text, line->length);
    line->length = 0;
}

static void write_numbers(Line *line, const char *keyword, const double *values, int32_t count,
                          double unit) {
    char number[TL_NUMBER_SIZE];
    add_text(line, keyword);
    for (int32_t k = 0; k < count; k++) {
        tl_number_format(values[k] / unit, 9, number);
        add_text(line, " ");
        add_text(line, number);
    }
    end_line(line);
}

static void write_faces(Line *line, const ToileMeshDef *mesh) {
    int32_t corner = 0;
    for (int32_t face = 0; face < mesh->face_count; face++) {
        add_text(line, "f");
        for (int32_t c = 0; c < mesh->face_sizes[face]; c++, corner++) {
            char text[32];
            if (mesh->uv_count > 0)
                snprintf(text, sizeof text, " %d/%d", mesh->corners[corner] + 1,
                         mesh->corner_uvs[corner] + 1);
            else
                snprintf(text, sizeof text, " %d", mesh->corners[corner] + 1);
            add_text(line, text);
        }
        end_line(line);
    }
}

static ToileStatus check_finite(const char *path, const double *positions_m, int32_t vertex_count,
                                ToileError *error) {
    for (int64_t i = 0; i < (int64_t)3 * vertex_count; i++)
        if (!isfinite(positions_m[i]))
            return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                              "%s: vertex %d has a coordinate that is not finite; nothing was "
                              "written",
                              path, (int32_t)(i / 3));
    return TOILE_STATUS_OK;
}

ToileStatus toile_obj_write(const char *path, const ToileMeshDef *mesh, const double *positions_m,
                            double unit_m, ToileError *error) {
    if (!path || !mesh || mesh->struct_size < sizeof *mesh || !(unit_m > 0) || !isfinite(unit_m))
        return tl_io_fail(error, TOILE_STATUS_INVALID_ARGUMENT,
                          "toile_obj_write needs a path, an initialised mesh, and a unit_m above "
                          "0");
    const double *positions = positions_m ? positions_m : mesh->positions_m;
    ToileStatus status = check_finite(path, positions, mesh->vertex_count, error);
    Line line = {.length = 0};
    if (status == TOILE_STATUS_OK)
        status = tl_io_writer_open(path, &line.writer, error);
    if (status != TOILE_STATUS_OK)
        return status;
    add_text(&line, "# Toile ");
    add_text(&line, toile_version_string());
    end_line(&line);
    for (int32_t i = 0; i < mesh->vertex_count; i++)
        write_numbers(&line, "v", positions + (size_t)3 * (size_t)i, 3, unit_m);
    for (int32_t i = 0; i < mesh->uv_count; i++)
        write_numbers(&line, "vt", mesh->uvs + (size_t)2 * (size_t)i, 2, 1.0);
    write_faces(&line, mesh);
    return tl_io_writer_commit(line.writer, error);
}
