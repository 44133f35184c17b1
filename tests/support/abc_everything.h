/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whatever an archive offers through every function of the shim that reads. */
#ifndef TEST_ABC_EVERYTHING_H
#define TEST_ABC_EVERYTHING_H

#include "toile_io/abc_c.h"

/* What was met on the way. */
typedef struct AbcSeen {
    uint32_t objects, samples, params, refusals;
    abcc_status first;     /* the first refusal after opening, or ABCC_OK */
    abcc_error last_error; /* of the last refusal */
} AbcSeen;

/* Answers what opening said; what could not be read after that is counted in `seen`. Of each object
 * the first `max_samples` samples are read. */
abcc_status abc_read_everything(const char *path, uint32_t max_samples, AbcSeen *seen);

/* Reads all arrays of one sample of a mesh or cage. */
abcc_status abc_read_mesh_sample(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                 abcc_error *error);

#endif
