/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Changes archives, with an eye for how they are built. Equal seeds give equal changes. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include "ogawa_map.h"

/* One archive of the corpus. */
typedef struct Seed {
    char *name;
    uint8_t *bytes;
    size_t size;
    OgawaMap map;
} Seed;

/* An archive changed, for free(). */
typedef struct Mutant {
    uint8_t *bytes;
    size_t size;
} Mutant;

/* Changes `seed` in one to four places, in one of them perhaps by a piece of `other`. */
Mutant mutate(const Seed *seed, const Seed *other, uint64_t number);

/* Of numbers that follow each other a good mix of numbers. */
uint64_t mutate_random(uint64_t *state);

#endif
