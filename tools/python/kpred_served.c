/* kpred_served.c - for servers' plug-ins: the answer of `kpred serve` to the look-up of one file
   SPDX-License-Identifier: MIT */
#include "model/gpus.h"
#include "serve/serve.h"

#include <stdlib.h>
#include <string.h>

/* The answer to vLLM's look-up of the file with this name, as JSON, which kpred_served_free takes.
   Members: answered_by, why, model and tile (as serve.h has them), and file, or null for those that
   there are none of. NULL: it is the name of no such file, or a message says why. One call at a
   time */
extern char *kpred_served(const char *name);
extern void kpred_served_free(char *answer);

/* What runs without being asked for may not be worse than without it: on these GPUs predictions
   were no better than the server's defaults. A process has one GPU, which is looked up once. */
static const char *served_doubt(const struct triton_name *name)
{
    static char device[sizeof name->device];
    static int is_doubtful;
    if (strcmp(device, name->device) != 0) {
        const struct product *p = product_of_device(name->device);
        is_doubtful = p != NULL && strcmp(p->arch, "gfx950") == 0;
        strcpy(device, name->device);
    }
    return is_doubtful ? "on gfx950 predictions are no better than the server's default" : NULL;
}

static void add_member(struct buf *b, const char *name, const char *value)
{
    buf_printf(b, ", \"%s\": ", name);
    if (value != NULL)
        table_json_text(b, value, strlen(value));
    else
        buf_puts(b, "null");
}

static char *served_text(const struct answer *a, const char *doubt)
{
    struct buf b = {NULL, 0, 0};
    buf_printf(&b, "{\"tile\": %d", a->tile);
    add_member(&b, "answered_by", answer_names[doubt != NULL ? ANSWER_LEFT : a->kind]);
    add_member(&b, "why", doubt != NULL ? doubt : a->why);
    add_member(&b, "model", a->model != NULL ? a->model->name : NULL);
    buf_printf(&b, ", \"file\": %s}", doubt == NULL && a->text.n != 0 ? a->text.s : "null");
    return b.s;
}

char *kpred_served(const char *name)
{
    static struct predictors predictors; /* for the time of the process */
    struct folder none = {.n = 0};
    const struct answers_how how = {.predictors = &predictors, .installed = &none, .known = &none};
    struct lookup l = {.of = LOOKUP_TRITON};
    struct answer a = {.of = &l, .kind = ANSWER_LEFT, .tuple = -1, .tile = -1};
    struct buf why = {NULL, 0, 0};
    char *text = NULL;
    if (triton_name_parse(&l.name, name, &why) == 0 && l.name.server != TRITON_SGLANG) {
        l.name.server = TRITON_VLLM;
        if (answer_make(&a, &how) == 0)
            text = served_text(&a, served_doubt(&l.name));
    }
    answer_free(&a);
    buf_free(&why);
    return text;
}

void kpred_served_free(char *answer)
{
    free(answer);
}
