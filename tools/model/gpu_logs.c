/* gpu_logs.c - the GPU that a log names, beside the one that an option names
   SPDX-License-Identifier: MIT */
#include "gpus.h"

#include <string.h>

/* The same product or chip; else, of AMD's, the same architecture and units as far as both tell */
static int is_one(const char *name, const char *gpu)
{
    struct buf a = {0}, b = {0};
    const struct product *p = product_of_device(name), *q = product_of_device(gpu);
    const struct chip *c = chip_of_device(name), *d = chip_of_device(gpu);
    const struct gpu x = gpu_parse(gpu_name(name, &a)), y = gpu_parse(gpu_name(gpu, &b));
    buf_free(&a);
    buf_free(&b);
    if ((p != NULL && q != NULL) || (c != NULL && d != NULL))
        return p == q && c == d;
    if (*x.arch == '\0' || *y.arch == '\0')
        return gpu_same(name, gpu);
    return strcmp(x.arch, y.arch) == 0 && (x.units == y.units || x.units == 0 || y.units == 0);
}

int gpu_is_device(const char *device, const char *gpu)
{
    return is_one(gpu_server_name(device), gpu_server_name(gpu));
}

void gpu_told(struct gpu_told *t, int is_ours, int is_certain, const char *name, struct place at)
{
    t->has_ours |= is_ours;
    if (is_ours || (*t->other != '\0' && t->is_certain >= is_certain))
        return;
    snprintf(t->other, sizeof t->other, "%s", name);
    t->is_certain = is_certain;
    t->at = at;
}

static int is_arch(const char *name)
{
    return product_of_arch(gpu_parse(name).arch) != NULL;
}

static int is_product(const char *name)
{
    return product_of_device(name) != NULL;
}

static int is_chip(const char *name)
{
    return chip_of_device(name) != NULL;
}

/* A word of a line, of which so many bytes are passed, and what may follow it: is that a GPU? */
struct named_by {
    const char *word;
    size_t passed;
    const char *letters;
    int (*is_gpu)(const char *name);
};

static void gpu_logs_tell(struct gpu_told *t, const char *gpu, const char *p,
                          const struct named_by *by, struct place at)
{
    char name[48];
    if (strlen(p) <= by->passed)
        return;
    const size_t n = strspn(p + by->passed, by->letters);
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1),
             p + by->passed);
    if (*name != '\0' && by->is_gpu(name))
        gpu_told(t, gpu_is_device(name, gpu), 0, name, at);
}

void gpu_told_line(struct gpu_told *t, const char *gpu, const char *line, struct place at)
{
    static const struct named_by all[] = {
        {"gfx", 0, "abcdefghijklmnopqrstuvwxyz0123456789_", is_arch},
        {"Instinct", sizeof "Instinct_" - 1, GPU_LETTERS, is_product},
        {"NVIDIA", 0, GPU_LETTERS " _-", is_chip}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const char *p = line; (p = strstr(p, all[i].word)) != NULL; p++)
            gpu_logs_tell(t, gpu, p, &all[i], at);
}

int gpu_told_check(const struct gpu_told *t, const char *gpu, int force)
{
    if (*t->other == '\0' || (t->has_ours && !t->is_certain))
        return 0;
    if (!force)
        return fail("%s:%zu: the log names %s, and --gpu says %s; --force goes on with --gpu",
                    t->at.path, t->at.line, t->other, gpu);
    note("%s:%zu: the log names %s: taken as %s", t->at.path, t->at.line, t->other, gpu);
    return 0;
}
