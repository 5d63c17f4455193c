/* twin.c - does the module of a network compute what the network in C does?
   SPDX-License-Identifier: MIT

   twin.h declares it. */
#include "twin.h"

#include "engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct comparison {
    const struct net *net;
    const struct images *all;
    size_t batch;
    double most;   /* how far numbers are from each other */
    size_t differ; /* images with another label */
};

/* Those from `from` on; a batch that is not full has the first image in the other places. */
static int compare_batch(struct comparison *c, ev_kernel *entry, size_t from, float *in, float *out)
{
    const struct net_shape shape = c->net->layer[0].in;
    const int n = c->net->layer[c->net->n - 1].out.channels;
    const long batch = (long)c->batch;
    const struct engine_tensor images = {in, 4, {batch, shape.height, shape.width, shape.channels}};
    const struct engine_tensor numbers = {out, 2, {batch, n}};
    for (size_t i = 0; i < c->batch; i++)
        memcpy(in + i * c->all->size,
               c->all->pixel + (from + i < c->all->n ? from + i : 0) * c->all->size,
               c->all->size * sizeof *in);
    if (engine_run(entry, &images, 1, &numbers) != 0)
        return -1;
    float *want = xcalloc((size_t)n, sizeof *want);
    for (size_t i = 0; i < c->batch && from + i < c->all->n; i++) {
        const float *got = out + i * (size_t)n;
        net_run(c->net, in + i * c->all->size, want);
        c->differ += net_likeliest(got, n) != net_likeliest(want, n);
        for (int k = 0; k < n; k++)
            c->most = fmax(c->most, fabs((double)got[k] - (double)want[k]));
    }
    free(want);
    return 0;
}

static int compare(struct comparison *c, ev_kernel *entry)
{
    const struct net_layer *last = &c->net->layer[c->net->n - 1];
    float *in = xcalloc(c->batch * c->all->size, sizeof *in);
    float *out = xcalloc(c->batch * net_size(last->out), sizeof *out);
    int rc = 0;
    for (size_t from = 0; rc == 0 && from < c->all->n; from += c->batch)
        rc = compare_batch(c, entry, from, in, out);
    free(in);
    free(out);
    return rc;
}

static int compile(struct engine *e, const char *path, const struct buf *text, const char *function,
                   struct engine_code **code)
{
    MlirModule module = engine_parse(e, path, text->s, text->n);
    if (mlirModuleIsNull(module))
        return -1;
    const int rc = engine_build(e, path, module, function, code);
    mlirModuleDestroy(module);
    return rc;
}

int twin_check(const struct net *net, const struct images *images, size_t batch, const char *path,
               const struct buf *text)
{
    struct engine *e;
    struct engine_code *code = NULL;
    struct comparison c = {net, images, batch, 0, 0};
    if (engine_open(&e) != 0)
        return -1;
    int rc = compile(e, path, text, net->name, &code);
    if (rc == 0 && compare(&c, engine_entry(code)) != 0)
        rc = engine_tell_full(path);
    if (rc == 0) {
        printf("module: %zu images, %zu of them with another label; numbers differ by %.1e at "
               "most\n",
               images->n, c.differ, c.most);
        rc = c.differ == 0 ? flush_stdout() : fail("%s: the module computes something else", path);
    }
    engine_free(code);
    engine_close(e);
    return rc;
}
