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

/* What the line names from there on, n bytes of it */
static void tell(struct gpu_told *t, const char *gpu, const char *from, size_t n, struct place at)
{
    char name[sizeof t->other];
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : 0), from);
    if (*name != '\0')
        gpu_told(t, gpu_is_device(name, gpu), 0, name, at);
}

/* One of AMD's architectures, maybe with units, such as the gfx90a68 of a file's name */
static size_t gfx_at(const char *p)
{
    char name[GPU_NAME];
    const size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789_");
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : 0), p);
    return *name != '\0' && product_of_arch(gpu_parse(name).arch) != NULL ? n : 0;
}

/* NVIDIA H100 80GB HBM3; not every word behind the maker is a chip. */
static size_t chip_at(const char *p)
{
    char name[64];
    const size_t n = strspn(p, GPU_LETTERS " _-");
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), p);
    return chip_of_device(name) != NULL ? n : 0;
}

/* MI250X, behind Instinct and a blank */
static size_t product_at(const char *p)
{
    char name[16];
    const size_t n = strspn(p, GPU_LETTERS);
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : 0), p);
    return product_of_device(name) != NULL ? n : 0;
}

static size_t device_at(const char *p)
{
    const char *end = strstr(p, ".json");
    const size_t n = strcspn(p, ", '\")\t");
    return end != NULL && (size_t)(end - p) < n ? (size_t)(end - p) : n;
}

void gpu_told_line(struct gpu_told *t, const char *gpu, const char *line, struct place at)
{
    static const struct {
        const char *word;
        size_t passed; /* bytes of it that are no part of the name */
        size_t (*length)(const char *p);
    } words[] = {{"gfx", 0, gfx_at},
                 {"device_name=", strlen("device_name="), device_at},
                 {"Instinct", strlen("Instinct_"), product_at},
                 {"NVIDIA", 0, chip_at}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *p = line; (p = strstr(p, words[i].word)) != NULL; p++)
            if (strlen(p) > words[i].passed) {
                const char *name = p + words[i].passed;
                tell(t, gpu, name, words[i].length(name), at);
            }
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
