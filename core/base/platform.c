/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and clock over POSIX (and winpthreads). */
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "base/platform.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct TlThread {
    pthread_t handle;
    void (*run)(void *);
    void *argument;
};

struct TlSemaphore {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int64_t count;
};

static void *thread_main(void *data) {
    TlThread *thread = data;
    thread->run(thread->argument);
    return NULL;
}

TlThread *tl_thread_create(void (*run)(void *), void *argument) {
    TlThread *thread = malloc(sizeof *thread);
    if (thread == NULL) {
        return NULL;
    }
    thread->run = run;
    thread->argument = argument;
    if (pthread_create(&thread->handle, NULL, thread_main, thread) != 0) {
        free(thread);
        return NULL;
    }
    return thread;
}

void tl_thread_join(TlThread *thread) {
    pthread_join(thread->handle, NULL);
    free(thread);
}

TlSemaphore *tl_semaphore_create(void) {
    TlSemaphore *semaphore = malloc(sizeof *semaphore);
    if (semaphore == NULL) {
        return NULL;
    }
    pthread_mutex_init(&semaphore->mutex, NULL);
    pthread_cond_init(&semaphore->changed, NULL);
    semaphore->count = 0;
    return semaphore;
}

void tl_semaphore_destroy(TlSemaphore *semaphore) {
    if (semaphore != NULL) {
        pthread_cond_destroy(&semaphore->changed);
        pthread_mutex_destroy(&semaphore->mutex);
        free(semaphore);
    }
}

void tl_semaphore_post(TlSemaphore *semaphore) {
    pthread_mutex_lock(&semaphore->mutex);
    semaphore->count++;
    pthread_cond_signal(&semaphore->changed);
    pthread_mutex_unlock(&semaphore->mutex);
}

void tl_semaphore_wait(TlSemaphore *semaphore) {
    pthread_mutex_lock(&semaphore->mutex);
    while (semaphore->count == 0) {
        pthread_cond_wait(&semaphore->changed, &semaphore->mutex);
    }
    semaphore->count--;
    pthread_mutex_unlock(&semaphore->mutex);
}

void tl_thread_yield(void) {
    sched_yield();
}

int32_t tl_processor_count(void) {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int count = CPU_COUNT(&set);
        return count > 0 ? count : 1;
    }
#endif
#if defined(_SC_NPROCESSORS_ONLN)
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int32_t)online : 1;
#else
    return 1;
#endif
}

double tl_clock_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
