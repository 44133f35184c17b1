/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* From the space of an object to metres in the host's axes and back: x = unit (M p + t). Values
 * under the identity keep their bits, so that a session of such objects equals a simulation of the
 * same numbers. */
#include "session_internal.h"

#include <math.h>
#include <string.h>

/* volume of the box that a matrix makes of the unit cube, over the product of its edges: below
 * this it has no volume as far as double arithmetic can tell */
#define FLAT_RATIO 1e-12

static const double IDENTITY[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static bool is_identity(const double m[16]) {
    for (int32_t i = 0; i < 16; i++)
        if (m[i] != IDENTITY[i])
            return false;
    return true;
}

static double column_length(const double m[16], int32_t column) {
    double a = m[column], b = m[4 + column], c = m[8 + column];
    return sqrt(a * a + b * b + c * c);
}

/* cofactors over the determinant; false when there is no inverse */
static bool invert(const double m[16], double out[9]) {
    double det = 0.0;
    for (int32_t i = 0; i < 3; i++)
        for (int32_t j = 0; j < 3; j++) {
            int32_t r = (i + 1) % 3, s = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            out[3 * j + i] = m[4 * r + c] * m[4 * s + d] - m[4 * r + d] * m[4 * s + c];
        }
    for (int32_t j = 0; j < 3; j++)
        det += m[j] * out[3 * j];
    double edges = column_length(m, 0) * column_length(m, 1) * column_length(m, 2);
    if (!(fabs(det) > FLAT_RATIO * edges))
        return false;
    for (int32_t i = 0; i < 9; i++) {
        out[i] /= det;
        if (!isfinite(out[i]))
            return false;
    }
    return true;
}

ToileStatus tl_space_make(const double matrix[16], double unit_m, const char *name, TlSpace *out,
                          ToileError *error) {
    for (int32_t i = 0; i < 16; i++)
        if (!isfinite(matrix[i]))
            return tl_session_fail(error, TOILE_STATUS_INVALID_DATA, name,
                                   "The matrix of '%.64s' holds a value that is not a number; look "
                                   "at its transform and those of its parents.",
                                   name);
    if (matrix[12] != 0.0 || matrix[13] != 0.0 || matrix[14] != 0.0 || matrix[15] != 1.0)
        return tl_session_fail(error, TOILE_STATUS_INVALID_DATA, name,
                               "The matrix of '%.64s' does not end in the row 0, 0, 0, 1; give it "
                               "row by row, with the translation in the last column.",
                               name);
    memcpy(out->m, matrix, sizeof out->m);
    out->unit_m = unit_m;
    out->identity = is_identity(matrix);
    if (!invert(matrix, out->inverse))
        return tl_session_fail(
            error, TOILE_STATUS_INVALID_DATA, name,
            "'%.64s' is scaled by %s, which leaves it no volume; set every scale to "
            "something else than 0, or apply it.",
            name,
            tl_session_triple(column_length(matrix, 0), column_length(matrix, 1),
                              column_length(matrix, 2))
                .text);
    return TOILE_STATUS_OK;
}

/* the upper left part with the translation weighted by w, 0 or 1 */
static void apply(const double m[16], const double p[3], double w, double out[3]) {
    for (int32_t i = 0; i < 3; i++)
        out[i] = ((m[4 * i] * p[0] + m[4 * i + 1] * p[1]) + m[4 * i + 2] * p[2]) + w * m[4 * i + 3];
}

static void apply_inverse(const TlSpace *space, const double p[3], double out[3]) {
    const double *m = space->inverse;
    for (int32_t i = 0; i < 3; i++)
        out[i] = (m[3 * i] * p[0] + m[3 * i + 1] * p[1]) + m[3 * i + 2] * p[2];
}

void tl_space_to_world(const TlSpace *space, const float *points, int32_t count,
                       double *positions_m) {
    for (size_t i = 0; i < 3 * (size_t)count; i += 3) {
        double p[3] = {(double)points[i], (double)points[i + 1], (double)points[i + 2]};
        if (!space->identity) {
            double q[3];
            apply(space->m, p, 1.0, q);
            memcpy(p, q, sizeof p);
        }
        for (size_t k = 0; k < 3; k++)
            positions_m[i + k] = p[k] * space->unit_m;
    }
}

double tl_space_extent_m(const TlSpace *space, const float *points, int32_t count) {
    double farthest = 0.0, scale = 0.0;
    for (size_t i = 0; i < 3 * (size_t)count; i++)
        farthest = fmax(farthest, fabs((double)points[i]));
    for (int32_t i = 0; i < 3; i++)
        scale = fmax(scale, column_length(space->m, i));
    return farthest * scale * space->unit_m;
}

/* the point that a position of the simulation is in the object's space */
static void object_point(const TlSpace *space, const double *position_m, double out[3]) {
    double world[3];
    for (int32_t k = 0; k < 3; k++)
        world[k] = position_m[k] / space->unit_m;
    if (space->identity) {
        memcpy(out, world, sizeof world);
        return;
    }
    for (int32_t k = 0; k < 3; k++)
        world[k] -= space->m[4 * k + 3];
    apply_inverse(space, world, out);
}

void tl_space_to_object(const TlSpace *space, const double *positions_m, int32_t count,
                        float *points) {
    for (size_t i = 0; i < 3 * (size_t)count; i += 3) {
        double p[3];
        object_point(space, positions_m + i, p);
        for (size_t k = 0; k < 3; k++)
            points[i + k] = (float)p[k];
    }
}

void tl_space_velocities(const TlSpace *space, const TlSpace *before, double fps,
                         const double *positions_m, const double *velocities_m_per_s, int32_t count,
                         float *velocities) {
    bool moved = memcmp(space->m, before->m, sizeof space->m) != 0;
    double rate[16];
    for (int32_t k = 0; k < 16; k++)
        rate[k] = (space->m[k] - before->m[k]) * fps;
    for (size_t i = 0; i < 3 * (size_t)count; i += 3) {
        double v[3], carried[3] = {0.0, 0.0, 0.0}, p[3];
        for (size_t k = 0; k < 3; k++)
            v[k] = velocities_m_per_s[i + k] / space->unit_m;
        /* x = M p + t: what the object's own motion does to the point is not the point's */
        if (moved) {
            object_point(space, positions_m + i, p);
            apply(rate, p, 1.0, carried);
        }
        for (size_t k = 0; k < 3; k++)
            v[k] -= carried[k];
        if (!space->identity) {
            apply_inverse(space, v, p);
            memcpy(v, p, sizeof v);
        }
        for (size_t k = 0; k < 3; k++)
            velocities[i + k] = (float)v[k];
    }
}
