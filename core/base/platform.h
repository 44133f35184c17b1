/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What ISO C lacks and the core needs: threads, sleeping, the number of processors, a steady clock.
 */
#ifndef TL_PLATFORM_H
#define TL_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct TlThread TlThread;
typedef struct TlSemaphore TlSemaphore;

/* NULL when the system refuses. */
TlThread *tl_thread_create(void (*run)(void *), void *argument);
void tl_thread_join(TlThread *thread);

TlSemaphore *tl_semaphore_create(void);
void tl_semaphore_destroy(TlSemaphore *semaphore);
void tl_semaphore_post(TlSemaphore *semaphore);
void tl_semaphore_wait(TlSemaphore *semaphore);

void tl_thread_yield(void);
/* Processors this process may use, at least 1. */
int32_t tl_processor_count(void);
/* Seconds of a clock that never goes back, from some fixed moment: for statistics only, never for a
 * decision, since results must not depend on it. */
double tl_clock_s(void);

#endif
