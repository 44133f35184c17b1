/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Opens changed archives, reads them whole and takes them into scenes: no report of a sanitizer,
 * none longer than 5 s, memory under 1 GiB.
 *
 *   fuzz_archive COUNT FIRST SECONDS FILE.abc...
 *
 * reads COUNT archives, numbered from FIRST on, but stops after SECONDS; 0: no limit. The same
 * number is the same archive, made from the given files and from those that abc_unusual.cpp writes.
 * On failure the archive stays in TOILE_FUZZ_FILE. */
#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "archive_target.h"
#include "mutate.h"
#include "scene_target.h"

#include "../support/abc_unusual.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SEED_BYTES_MAX 262144 /* larger ones would only be slow */
#define SEEDS_MAX 200
#define DEADLINE_S 5  /* of computing, since a loaded machine may wait */
#define WAITING_S 120 /* in all, for what does not even compute */
#define MEMORY_MAX_KIB (1024L * 1024L)

/* Sanitizers keep freed memory for a while; less of it keeps the measure honest. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "quarantine_size_mb=64:max_allocation_size_mb=1024:hard_rss_limit_mb=1024";
}

typedef struct Corpus {
    Seed seeds[SEEDS_MAX];
    size_t count;
} Corpus;

typedef struct Tally {
    uint64_t done, opened, flawed; /* opened: by the shim; flawed: with refusals inside */
    uint64_t scenes;               /* that took one */
    double slowest_s;
    uint64_t slowest;
} Tally;

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- corpus ---- */

static void add_file(Corpus *corpus, const char *name, const char *path) {
    static uint8_t bytes[SEED_BYTES_MAX];
    FILE *file = fopen(path, "rb");
    if (!file || corpus->count == SEEDS_MAX) {
        fprintf(stderr, "fuzz: cannot take up %s\n", path);
        exit(66);
    }
    size_t size = fread(bytes, 1, sizeof bytes, file);
    bool whole = fgetc(file) == EOF;
    fclose(file);
    if (!whole || size == 0)
        return;
    Seed *seed = &corpus->seeds[corpus->count++];
    seed->name = strdup(name);
    seed->size = size;
    seed->bytes = malloc(size);
    if (!seed->name || !seed->bytes)
        abort();
    memcpy(seed->bytes, bytes, size);
    seed->map = ogawa_map_make(seed->bytes, size);
}

static void add_unusual(Corpus *corpus) {
    for (int kind = 0; kind < abc_unusual_count(); kind++) {
        if (!abc_unusual_write(kind, archive_file()))
            exit(70);
        add_file(corpus, abc_unusual_name(kind), archive_file());
    }
}

static void free_corpus(Corpus *corpus) {
    for (size_t i = 0; i < corpus->count; i++) {
        free(corpus->seeds[i].name);
        free(corpus->seeds[i].bytes);
        ogawa_map_free(&corpus->seeds[i].map);
    }
}

/* ---- one archive ---- */

static void stop_hang(int number) {
    static const char text[] = "fuzz: an archive took more than 5 s\n";
    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(2);
    _exit(1);
}

/* 0: none */
static void set_deadline(int seconds) {
    struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_PROF, &timer, NULL);
    alarm(seconds ? WAITING_S : 0);
}

static void run_one(const Corpus *corpus, uint64_t number, Tally *tally) {
    uint64_t state = number;
    const Seed *seed = &corpus->seeds[mutate_random(&state) % corpus->count];
    const Seed *other = &corpus->seeds[mutate_random(&state) % corpus->count];
    Mutant mutant = mutate(seed, other, number);
    double begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    set_deadline(DEADLINE_S);
    LLVMFuzzerTestOneInput(mutant.bytes, mutant.size);
    set_deadline(0);
    double took = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
    free(mutant.bytes);
    tally->done++;
    tally->opened += archive_status == ABCC_OK;
    tally->flawed += archive_status == ABCC_OK && archive_seen.refusals > 0;
    tally->scenes += (uint64_t)archive_scenes;
    if (took > tally->slowest_s) {
        tally->slowest_s = took;
        tally->slowest = number;
    }
}

static long memory_KiB(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static int report(const Corpus *corpus, const Tally *tally, uint64_t first) {
    printf(
        "fuzz: %llu archives from %zu seeds, from number %llu on: %llu opened, %llu of them with "
        "parts that were refused, and %llu scenes that took them; slowest %.0f ms (number %llu), "
        "memory %ld MiB\n",
        (unsigned long long)tally->done, corpus->count, (unsigned long long)first,
        (unsigned long long)tally->opened, (unsigned long long)tally->flawed,
        (unsigned long long)tally->scenes, 1e3 * tally->slowest_s,
        (unsigned long long)tally->slowest, memory_KiB() / 1024);
    if (memory_KiB() > MEMORY_MAX_KIB) {
        fprintf(stderr, "fuzz: memory went beyond 1 GiB\n");
        return EXIT_FAILURE;
    }
    /* else the changes are too harsh, or too mild, to test anything */
    if (tally->done >= 200 &&
        (tally->opened < tally->done / 20 || tally->flawed == 0 ||
         tally->scenes < tally->done / 20 || tally->done - tally->opened < tally->done / 20)) {
        fprintf(stderr, "fuzz: of so many archives some must open, some be refused\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    static Corpus corpus;
    Tally tally = {0};
    if (argc < 4) {
        fprintf(stderr, "usage: fuzz_archive COUNT FIRST SECONDS FILE.abc...\n");
        return 64;
    }
    uint64_t count = strtoull(argv[1], NULL, 10), first = strtoull(argv[2], NULL, 10);
    double seconds = strtod(argv[3], NULL), begin = seconds_of(CLOCK_MONOTONIC);
    for (int i = 4; i < argc; i++)
        add_file(&corpus, argv[i], argv[i]);
    add_unusual(&corpus);
    signal(SIGALRM, stop_hang);
    signal(SIGPROF, stop_hang);
    for (uint64_t i = 0; i < count; i++) {
        if (seconds > 0 && seconds_of(CLOCK_MONOTONIC) - begin > seconds)
            break;
        run_one(&corpus, first + i, &tally);
    }
    int code = report(&corpus, &tally, first);
    if (code == EXIT_SUCCESS)
        remove(archive_file());
    scene_clean_up(archive_file());
    free_corpus(&corpus);
    return code;
}
