/* kernel_driver.c - runs a kernel by its harness as kpred-evolve would, but without any sandbox
   SPDX-License-Identifier: MIT

   kernel_driver check HARNESS.so FUNCTION KERNEL.so...
       All kernels run all cases twice, each time over another poison. The outputs of both runs, and
       those of all kernels, have to be equal bit for bit, and inputs stay as they are.
   kernel_driver time HARNESS.so FUNCTION KERNEL.so...
       A line for each timed case: microseconds of the first kernel, then the median of the ratios
       of each other one to it, taken by turns.

   Behind each buffer begins a page that nobody may touch. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "evolve/harness.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST_KERNELS = 8, ROUNDS = 301 };

static void die(const char *what, const char *which)
{
    fprintf(stderr, "kernel_driver: %s: %s\n", what, which);
    exit(1);
}

/* ---- cases ---- */

static size_t bytes_of(const struct ev_buffer *b)
{
    return b->n * ev_size_of(b->type);
}

static void *allocate(struct ev_case *c, size_t i)
{
    const struct ev_buffer *b = &c->buffer[i];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = bytes_of(b);
    const size_t room = (bytes + page - 1) / page * page;
    unsigned char *p;
    if (b->same_as >= 0)
        return (unsigned char *)c->at[b->same_as] + b->from * ev_size_of(b->type);
    p = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + room, page, PROT_NONE) != 0)
        die("no memory", b->name);
    return p + room - bytes;
}

static void free_case(struct ev_case *c)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < c->n_buffers; i++) {
        const size_t bytes = bytes_of(&c->buffer[i]), room = (bytes + page - 1) / page * page;
        if (c->buffer[i].same_as < 0)
            munmap((unsigned char *)c->at[i] + bytes - room, room + page);
    }
}

static void open_case(const struct ev_harness *h, const struct ev_shape *shape, struct ev_case *c)
{
    memset(c, 0, sizeof *c);
    memcpy(c->size, shape->size, sizeof c->size);
    c->special = shape->special;
    c->alias = shape->alias;
    c->random = shape->seed;
    c->allocate = allocate;
    h->set_up(c);
    if (c->n_buffers > EV_MAX_BUFFERS)
        die("too many buffers", h->sizes);
}

static void poison(struct ev_case *c, int with)
{
    for (size_t i = 0; i < c->n_buffers; i++)
        if (c->buffer[i].role == EV_OUT || c->buffer[i].role == EV_SCRATCH)
            memset(c->at[i], with, bytes_of(&c->buffer[i]));
}

/* ---- check ---- */

static int same_number(const struct ev_buffer *b, const void *a, const void *z, size_t k)
{
    const size_t size = ev_size_of(b->type);
    if (memcmp((const char *)a + k * size, (const char *)z + k * size, size) == 0)
        return 1;
    if (b->type == EV_F32)
        return isnan(((const float *)a)[k]) && isnan(((const float *)z)[k]);
    return b->type == EV_F64 && isnan(((const double *)a)[k]) && isnan(((const double *)z)[k]);
}

/* NULL, or the name of a buffer that is not the same in both */
static const char *other_outputs(const struct ev_case *a, const struct ev_case *z)
{
    for (size_t i = 0; i < a->n_buffers; i++)
        for (size_t k = 0; a->buffer[i].role != EV_SCRATCH && k < a->buffer[i].n; k++)
            if (!same_number(&a->buffer[i], a->at[i], z->at[i], k))
                return a->buffer[i].name;
    return NULL;
}

/* NULL, or the name of a buffer, an input if only these count, that is not as it was: any changed
   bit, of inputs or of poison */
static const char *changed(const struct ev_case *before, const struct ev_case *after,
                           int inputs_alone)
{
    for (size_t i = 0; i < before->n_buffers; i++)
        if ((!inputs_alone || (before->buffer[i].role == EV_IN && before->buffer[i].same_as < 0))
            && memcmp(before->at[i], after->at[i], bytes_of(&before->buffer[i])) != 0)
            return before->buffer[i].name;
    return NULL;
}

static const char *check_case(const struct ev_harness *h, const struct ev_shape *shape,
                              ev_kernel *const *kernels, size_t n)
{
    const char *bad = NULL;
    struct ev_case before, want, got;
    open_case(h, shape, &before);
    open_case(h, shape, &want);
    poison(&before, 0x5a);
    poison(&want, 0x5a);
    h->call(&want, kernels[0]);
    if (changed(&before, &want, 0) == NULL) /* is there a case where it does nothing? */
        bad = "(nothing is written)";
    for (size_t i = 0; i < 2 * n && bad == NULL; i++) {
        open_case(h, shape, &got);
        poison(&got, i % 2 ? 0x5a : 0xff);
        h->call(&got, kernels[i / 2]);
        if ((bad = changed(&before, &got, 1)) == NULL)
            bad = other_outputs(&want, &got);
        free_case(&got);
    }
    free_case(&before);
    free_case(&want);
    return bad;
}

/* ---- time ---- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, ROUNDS, sizeof *x, by_value);
    return x[ROUNDS / 2];
}

/* Inputs that a kernel changes are put back before each call. */
static double time_once(const struct ev_harness *h, struct ev_case *c, const struct ev_case *fresh,
                        ev_kernel *kernel)
{
    double began;
    for (size_t i = 0; i < c->n_buffers; i++)
        if (c->buffer[i].role == EV_INOUT)
            memcpy(c->at[i], fresh->at[i], bytes_of(&c->buffer[i]));
    began = seconds();
    h->call(c, kernel);
    return seconds() - began;
}

static void time_case(const struct ev_harness *h, const struct ev_shape *shape,
                      ev_kernel *const *kernels, size_t n)
{
    static double us[MOST_KERNELS][ROUNDS];
    struct ev_case c, fresh;
    size_t n_sizes = 1;
    open_case(h, shape, &c);
    open_case(h, shape, &fresh);
    poison(&c, 0);
    for (size_t r = 0; r < ROUNDS; r++)
        for (size_t k = 0; k < n; k++) {
            const size_t turn = (k + r) % n;
            us[turn][r] = 1e6 * time_once(h, &c, &fresh, kernels[turn]);
        }
    for (size_t r = 0; r < ROUNDS; r++)
        for (size_t k = 1; k < n; k++)
            us[k][r] /= us[0][r];
    for (const char *s = h->sizes; *s; s++)
        n_sizes += *s == ' ';
    for (size_t i = 0; i < n_sizes; i++)
        printf("%s%lld", i ? "," : "", (long long)shape->size[i]);
    for (size_t k = 0; k < n; k++)
        printf(k ? " %.3f" : " %.2f us", median(us[k]));
    printf("\n");
    free_case(&c);
    free_case(&fresh);
}

static void *symbol_of(const char *path, const char *name)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *found;
    if (library == NULL)
        die("cannot be loaded", dlerror());
    if ((found = dlsym(library, name)) == NULL)
        die("has no such symbol", name);
    return found;
}

int main(int argc, char **argv)
{
    const struct ev_harness *h;
    ev_kernel *kernels[MOST_KERNELS];
    size_t n = 0;
    if (argc < 5 || argc > 4 + MOST_KERNELS)
        die("usage", "kernel_driver check|time HARNESS.so FUNCTION KERNEL.so...");
    h = symbol_of(argv[2], "ev_harness");
    if (h->n_shapes > EV_MAX_SHAPES)
        die("too many shapes", argv[2]);
    for (; n < (size_t)argc - 4; n++) {
        void *at = symbol_of(argv[4 + n], argv[3]);
        memcpy(&kernels[n], &at, sizeof at);
    }
    for (size_t i = 0; i < h->n_shapes; i++) {
        const struct ev_shape *shape = &h->shapes[i];
        if (strcmp(argv[1], "check") == 0) {
            const char *bad = check_case(h, shape, kernels, n);
            if (bad != NULL) {
                printf("shape %d: %s\n", (int)i, bad);
                return 1;
            }
        } else if (!shape->held_out && !shape->untimed) {
            time_case(h, shape, kernels, n);
        }
    }
    return 0;
}
