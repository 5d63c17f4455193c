/* told.h - a working folder for a test, what is told on standard error, and checks that say what
   they saw
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/task.h"
#include "harness/cases.h"

#include <time.h>

/* A CHECK with a text made as by printf */
#define EXPECT(condition, ...) \
    (snprintf(expected(), 256, __VA_ARGS__), CHECK_OF(condition, expected()))

static inline char *expected(void)
{
    static char text[256];
    return text;
}

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void nap(void)
{
    nanosleep(&(struct timespec){0, 5000000}, NULL);
}

static inline int no_children(void)
{
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
}

/* The working folder is a new one, and standard error goes into a file there. */
static inline void told_begin(void)
{
    program_begin();
    if (freopen("messages", "w", stderr) == NULL)
        program_stop("messages");
}

/* What parent and children share: that of this process, and of the children that it forks later */
struct shared {
    struct {
        unsigned char *from;
        size_t bytes;
    } area[512];
    size_t n;
};

static inline struct shared *shared_now(void)
{
    static struct shared now;
    return &now;
}

static inline void find_shared(void)
{
    struct shared *s = shared_now();
    char line[512];
    FILE *f = fopen("/proc/self/maps", "r");
    s->n = 0;
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        unsigned long from = 0, to = 0;
        char rights[8] = "";
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 && strcmp(rights, "rw-s") == 0
            && s->n < COUNT(s->area)) {
            s->area[s->n].from = (unsigned char *)(uintptr_t)from;
            s->area[s->n++].bytes = to - from;
        }
    }
    if (f != NULL)
        fclose(f);
}

/* What was told since the last call */
static inline const char *told(void)
{
    fflush(stderr);
    const char *said = new_copy(text_of("messages"));
    if (freopen("messages", "w", stderr) == NULL)
        program_stop("messages");
    return said;
}

static inline int was_told(const char *text)
{
    return has(told(), text);
}

/* One without a log */
static inline struct archive *in_memory(struct edit_names names)
{
    struct archive *a = NULL;
    if (archive_open(&a, NULL, 0, NULL, names) != 0)
        program_stop("an archive");
    return a;
}

/* A list by its text: operator, what, where, index, seed */
static inline struct edits *list_of(const char *text)
{
    struct edits *list = new_memory(1, sizeof *list);
    if (edits_parse(text, edit_operators, list) != 0)
        program_stop(text);
    return list;
}

/* What a test is without the library that it is about */
static inline int without_mlir(void)
{
    skip_case("all", "there is no MLIR");
    return test_end();
}
