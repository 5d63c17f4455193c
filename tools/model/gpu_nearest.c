/* gpu_nearest.c - what comes closest to a GPU that a spec lacks; see gpus.h
   SPDX-License-Identifier: MIT */
#include "gpus.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- what is known of a GPU ---- */

struct facts {
    const char *gpu;    /* as it is written */
    const char *vendor; /* NULL: unknown */
    int arch, units;    /* 0: unknown; 0x90a of gfx90a, 86 of sm_86 */
    int is_server;      /* of AMD's: gcn or cdna, whose architectures have one numbering */
};

/* The family of a GPU of AMD, maybe of one that no product has; NULL: it is another. */
static const char *family_of(const char *gfx)
{
    const struct product *p = product_of_arch(gpu_parse(gfx).arch);
    if (!gpu_is_gfx(gfx))
        return NULL;
    if (p != NULL)
        return p->family;
    if (strncmp(gfx, "gfx94", 5) == 0 || strncmp(gfx, "gfx125", 6) == 0)
        return "cdna";
    return strncmp(gfx, "gfx1", 4) == 0 ? "rdna" : "gcn";
}

/* Of an Instinct that no product is, the name says as much. */
static struct facts facts_of(const char *gpu)
{
    struct buf b = {0};
    const char *text = gpu_server_name(gpu), *name = gpu_name(text, &b), *family = family_of(name);
    const struct gpu gfx = gpu_parse(name);
    const struct chip *c = chip_of_device(text);
    struct facts f = {gpu, gpu_vendor(text), 0, 0, strncasecmp(name, "MI", 2) == 0};
    if (family != NULL)
        f = (struct facts){gpu, "amd", (int)strtol(gfx.arch + 3, NULL, 16), gfx.units,
                           strcmp(family, "rdna") != 0};
    else if (c != NULL)
        f = (struct facts){gpu, "nvidia", c->arch, c->units, (c->kind & CHIP_SERVER) != 0};
    buf_free(&b);
    return f;
}

/* ---- how near two GPUs are ---- */

enum kin { ONE_CHIP, ONE_ARCH, ONE_LINE, ONE_MAKER, STRANGERS };

static int is_of(const struct facts *f, const char *vendor)
{
    return f->vendor != NULL && strcmp(f->vendor, vendor) == 0;
}

/* AMD's have names without units: two of an architecture are one chip if both say the same. */
static int is_chip(const struct facts *x, const struct facts *y)
{
    if (is_of(x, "amd") && x->arch != 0)
        return x->arch == y->arch && x->units == y->units && x->units != 0;
    return gpu_share_chip(x->gpu, y->gpu);
}

/* A tuple for servers' GPUs of NVIDIA's is safer for others than one for other GPUs of the maker;
   AMD's two lines differ in the width of a wave. */
static int is_line(const struct facts *x, const struct facts *y)
{
    return is_of(x, "amd") ? x->is_server == y->is_server : y->is_server;
}

static enum kin kin_of(const struct facts *x, const struct facts *y)
{
    if (x->vendor == NULL || !is_of(y, x->vendor))
        return STRANGERS;
    if (is_chip(x, y))
        return ONE_CHIP;
    if (x->arch != 0 && x->arch == y->arch)
        return ONE_ARCH;
    return is_line(x, y) ? ONE_LINE : ONE_MAKER;
}

const char *gpu_kinship(const char *a, const char *b)
{
    static const char *const words[] = {"the same chip", "the same architecture",
                                        "only the same maker", "only the same maker",
                                        "not even the same maker"};
    const struct facts x = facts_of(a), y = facts_of(b);
    return words[kin_of(&x, &y)];
}

enum { KEYS = 4 };

/* The smaller the first key that differs, the nearer. Of a GPU of an unknown architecture, which is
   likely to be a new one, the newest is nearest. */
static void keys_of(const struct facts *x, const struct facts *y, long keys[KEYS])
{
    keys[0] = kin_of(x, y);
    keys[1] = x->arch != 0 ? labs((long)x->arch - y->arch) : -y->arch;
    keys[2] = x->units != 0 ? labs((long)x->units - y->units) : 0;
    keys[3] = -y->units;
}

static int is_nearer(const long a[KEYS], const long b[KEYS])
{
    for (size_t i = 0; i < KEYS; i++)
        if (a[i] != b[i])
            return a[i] < b[i];
    return 0;
}

/* Is the kernel known to run there? */
static int spec_runs_on(const struct spec *spec, const char *gpu)
{
    struct buf b = {0};
    const kpred_model m = {.runs_on = spec->runs_on[0] != NULL ? spec->runs_on : NULL};
    const int runs = kpred_runs_on(&m, gpu_name(gpu, &b));
    buf_free(&b);
    return runs;
}

/* The nearest token; -1: none is of the maker, or the kernel does not run there. A name of [unseen]
   is not a nearer than its maker, and then gpu_nearest looks for such names. */
static int32_t nearest_of(const struct spec *spec, const struct spec_field *f,
                          const struct facts *gpu)
{
    int32_t best = -1;
    long keys[KEYS], least[KEYS] = {STRANGERS, LONG_MIN, 0, 0};
    for (size_t i = 0; i < f->n_tokens; i++) {
        const struct facts token = facts_of(f->tokens[i]);
        keys_of(gpu, &token, keys);
        if (is_nearer(keys, least)) {
            best = (int32_t)i;
            memcpy(least, keys, sizeof least);
        }
    }
    return spec_runs_on(spec, gpu->gpu) ? best : -1;
}

/* ---- names that stand for a GPU ---- */

int unseen_is_for(const char *name, const char *gpu)
{
    struct buf b = {0};
    const char *family = family_of(gpu_name(gpu, &b)), *vendor = gpu_vendor(gpu);
    buf_free(&b);
    return (family != NULL && strcmp(name, family) == 0)
           || strcmp(name, vendor != NULL ? vendor : "other") == 0;
}

int unseen_is_name(const struct spec *spec, int32_t token)
{
    struct unseen u;
    return unseen_read(&u, spec) == 0 && unseen_index(&u, token) >= 0;
}

/* The first of the names that the section has; -1: none */
static int32_t find_name(const struct spec *spec, const char *const *names, size_t n)
{
    struct unseen u;
    if (spec->unseen.line == 0 || unseen_read(&u, spec) != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const int token = names[i] != NULL ? spec_token(&spec->fields[u.field], names[i]) : -1;
        if (token >= 0 && unseen_index(&u, token) >= 0)
            return token;
    }
    return -1;
}

/* Is the GPU nearer than the name that stands for it? A name for NVIDIA's GPUs comes before another
   chip. */
static int is_close(const struct facts *gpu, const char *token)
{
    const struct facts of_token = facts_of(token);
    return kin_of(gpu, &of_token) <= (is_of(gpu, "amd") ? ONE_ARCH : ONE_CHIP);
}

int32_t gpu_nearest(const struct spec *spec, const char *gpu)
{
    struct buf b = {0};
    const struct facts facts = facts_of(gpu);
    const int field = spec_field_index(spec, "gpu");
    const struct spec_field *f = field >= 0 ? &spec->fields[field] : NULL;
    const char *names[] = {family_of(gpu_name(gpu, &b)), gpu_vendor(gpu), "other"};
    const int32_t nearest = f != NULL ? nearest_of(spec, f, &facts) : -1;
    int32_t found = nearest;
    if (nearest < 0 || !is_close(&facts, f->tokens[nearest]))
        found = find_name(spec, names, sizeof names / sizeof *names);
    buf_free(&b);
    return found >= 0 ? found : nearest;
}

int gpu_maker_is_known(const struct spec_field *f, const char *gpu)
{
    const struct facts x = facts_of(gpu);
    for (size_t i = 0; i < f->n_tokens; i++) {
        const struct facts y = facts_of(f->tokens[i]);
        if (x.vendor != NULL && is_of(&y, x.vendor))
            return 1;
    }
    return 0;
}
