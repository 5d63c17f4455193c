/* measure.c - what opening a peer costs, what predictions cost, and the memory that is asked for
   SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "bench.h"

#include "base/util.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- opening ---- */

static int open_object(const struct line *line, struct open_peer *p, char why[PEER_WHY])
{
    char path[PEER_PATH];
    snprintf(path, sizeof path, "%s/%s.so", line->task.folder, line->object);
    if (access(path, R_OK) != 0) {
        if (line->package)
            snprintf(why, PEER_WHY, "needs %s", line->package);
        else
            snprintf(why, PEER_WHY, "there is no %.120s", path);
        return -1;
    }
    p->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    p->peer = p->object ? dlsym(p->object, "the_peer") : NULL;
    if (!p->peer)
        snprintf(why, PEER_WHY, "%.150s", dlerror());
    return p->peer ? 0 : -1;
}

int peer_open(const struct line *line, struct open_peer *p, char why[PEER_WHY])
{
    memset(p, 0, sizeof *p);
    snprintf(why, PEER_WHY, "no memory");
    if (open_object(line, p, why))
        return -1;
    p->state = calloc(1, p->peer->state_size);
    if (!p->state)
        return -1;
    p->state->task = line->task;
    if (p->peer->open(p->state, why) == 0)
        return 0;
    peer_close(p);
    return -1;
}

/* The object stays: some libraries do not stand it if they are loaded again. */
void peer_close(struct open_peer *p)
{
    if (p->state)
        p->peer->close(p->state);
    free(p->state);
    p->state = NULL;
}

long peer_file(const struct peer_task *task, const char *name, char path[PEER_PATH],
               char why[PEER_WHY])
{
    struct stat found;
    snprintf(path, PEER_PATH, "%s/%s", task->folder, name);
    if (stat(path, &found) == 0)
        return (long)found.st_size;
    snprintf(why, PEER_WHY, "there is no %.110s: bench_models.py writes it", path);
    return -1;
}

/* ---- its cost ---- */

/* Bytes of memory that this process holds; 0 where nothing tells */
static long resident(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f)
        return 0;
    if (fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

static int add_object(struct dl_phdr_info *info, size_t size, void *total)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            *(size_t *)total += info->dlpi_phdr[i].p_filesz;
    return 0;
}

/* Bytes of all objects that are loaded: code, constants, and data as they begin */
static size_t loaded_bytes(void)
{
    size_t total = 0;
    dl_iterate_phdr(add_object, &total);
    return total;
}

static void load_peer(const struct line *line, const int32_t *problem, struct loaded *out)
{
    kpred_tuple *tuples = calloc(line->task.k, sizeof *tuples);
    const size_t bytes = loaded_bytes();
    const long before = resident();
    const double start = clock_seconds();
    struct open_peer p;
    if (!tuples || peer_open(line, &p, out->why))
        return;
    p.peer->predict(p.state, problem, tuples);
    out->ms = 1e3 * (clock_seconds() - start);
    out->resident = resident() - before;
    out->model = p.state->model_bytes;
    out->code = loaded_bytes() - bytes - (p.peer->holds_model ? out->model : 0);
    out->is_there = 1;
}

void measure_load(const struct line *line, const int32_t *problem, struct loaded *out)
{
    int ends[2];
    memset(out, 0, sizeof *out);
    snprintf(out->why, sizeof out->why, "it ended before it had predicted");
    fflush(NULL);
    if (pipe(ends))
        return;
    const pid_t child = fork();
    if (child == 0) {
        load_peer(line, problem, out);
        _exit(write(ends[1], out, sizeof *out) != (ssize_t)sizeof *out);
    }
    close(ends[1]);
    if (child > 0 && read(ends[0], out, sizeof *out) != (ssize_t)sizeof *out)
        out->is_there = 0;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
}

/* ---- predictions ---- */

double measure_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

__attribute__((noinline)) void measured_predictions(const struct open_peer *p,
                                                    const int32_t *problems, size_t n_fields,
                                                    size_t n, kpred_tuple *tuples)
{
    for (size_t i = 0; i < n; i++)
        p->peer->predict(p->state, problems + i * n_fields, tuples);
}

/* ---- blocks of memory ----

   The program's own functions stand before those of libc for all that is loaded into it. They are
   glibc's own under its second names. */

#if defined(__GLIBC__)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *aligned_alloc(size_t alignment, size_t size);

static size_t count; /* threads may lose one; the peers have one */

void *malloc(size_t size)
{
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    count++;
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    count++;
    return __libc_realloc(p, size);
}

void *memalign(size_t alignment, size_t size)
{
    count++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *p = memalign(alignment, size);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

size_t allocations(void)
{
    return count;
}

#else

size_t allocations(void)
{
    return 0;
}

#endif
