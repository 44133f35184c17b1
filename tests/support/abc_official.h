/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Archives as the official library sees them, without the shim in between: what two files differ
 * in, and the floats of one array. */
#ifndef TEST_ABC_OFFICIAL_H
#define TEST_ABC_OFFICIAL_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Compares two archives in every object, property, sample, time, hash and metadata, but for the
 * order of properties. False: `text` gets the first difference. */
bool abc_official_equal(const char *a, const char *b, char *text, size_t size);

/* The same for the named compound, such as ".arbGeomParams", of one object of each file; children
 * of the objects that are face sets are compared when `compound` is NULL. Times may differ, and in
 * a file with more samples than the other the last one holds. */
bool abc_official_equal_params(const char *a, const char *object_a, const char *b,
                               const char *object_b, const char *compound, char *text, size_t size);

/* Floats of one sample of an array such as "P" or ".velocities" of a mesh; answers how many there
 * are, -1 when there is no such array, and stores at most `room`. */
long abc_official_floats(const char *path, const char *object, const char *property, long sample,
                         float *values, long room);

/* Writes a mesh "/source" of a triangle and a quad with three samples and parameters of kinds that
 * Toile itself never writes: nested and empty compounds with metadata, wide strings, halves, two
 * dimensions, texts per corner, values that change, properties without a sample, a face set with
 * properties. */
void abc_official_write_strange(const char *path);

#ifdef __cplusplus
}
#endif
#endif
