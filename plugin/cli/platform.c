/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Signals, terminal, clock, processors, memory and disk for Linux, other POSIX systems and Windows.
 */
#define _GNU_SOURCE
#include "platform.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <io.h>
#include <windows.h>
#else
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#endif

#define DEFAULT_WIDTH 80

/* Written by the handler, the one thing it may do. Atomic, because a signal may reach any of the
 * library's threads. */
static atomic_int stop_signal;

static void note_stop(int number) {
    atomic_store(&stop_signal, number);
#if defined(_WIN32)
    /* the C library there puts the default back before it calls */
    signal(number, note_stop);
#endif
}

bool tl_stop_requested(void) {
    return atomic_load(&stop_signal) != 0;
}

#if defined(_WIN32)

void tl_catch_signals(void) {
    signal(SIGINT, note_stop);
    signal(SIGTERM, note_stop);
    signal(SIGBREAK, note_stop);
}

double tl_now_s(void) {
    LARGE_INTEGER ticks, rate;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&rate);
    return (double)ticks.QuadPart / (double)rate.QuadPart;
}

bool tl_is_terminal(FILE *stream) {
    return _isatty(_fileno(stream)) != 0;
}

int tl_terminal_width(void) {
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info))
        return DEFAULT_WIDTH;
    return info.srWindow.Right - info.srWindow.Left + 1;
}

int32_t tl_usable_processors(void) {
    DWORD_PTR process = 0, machine = 0;
    int32_t count = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &process, &machine))
        return 1;
    for (; process; process &= process - 1)
        count++;
    return count > 0 ? count : 1;
}

double tl_peak_memory_bytes(void) {
    return 0.0;
}

bool tl_force_to_disk(FILE *file) {
    return fflush(file) == 0 && _commit(_fileno(file)) == 0;
}

#else

static void quit_at_once(int number) {
    _Exit(128 + number);
}

static void catch_signal(int number, void (*handler)(int)) {
    struct sigaction action = {0};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* a run started by nohup ignores the hangup, and shall go on doing so */
static void catch_hangup(void) {
    struct sigaction before = {0};
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        catch_signal(SIGHUP, note_stop);
}

void tl_catch_signals(void) {
    catch_signal(SIGINT, note_stop);
    catch_signal(SIGTERM, note_stop);
    catch_hangup();
    catch_signal(SIGQUIT, quit_at_once);
    catch_signal(SIGPIPE, SIG_IGN);
    /* a file over the size limit becomes an error of the write, with its sentence */
    catch_signal(SIGXFSZ, SIG_IGN);
}

double tl_now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool tl_is_terminal(FILE *stream) {
    return isatty(fileno(stream)) == 1;
}

int tl_terminal_width(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return DEFAULT_WIDTH;
    return size.ws_col;
}

int32_t tl_usable_processors(void) {
#if defined(__linux__)
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) > 0)
        return CPU_COUNT(&mask);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int32_t)online : 1;
}

double tl_peak_memory_bytes(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0.0;
#if defined(__APPLE__)
    return (double)usage.ru_maxrss;
#else
    return 1024.0 * (double)usage.ru_maxrss;
#endif
}

bool tl_force_to_disk(FILE *file) {
    return fflush(file) == 0 && fsync(fileno(file)) == 0;
}

#endif
