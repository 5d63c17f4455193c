/* kpred_served.c - for servers' plug-ins: the answer of `kpred serve` to the look-up of one file
   SPDX-License-Identifier: MIT */
#include "serve/serve.h"

#include <stdlib.h>
#include <string.h>

/* The answer to vLLM's look-up of the file with this name, as JSON, which kpred_served_free takes.
   Members: answered_by, why, model and tile (as serve.h has them), and file, or null for those that
   there are none of; the server's default has no file. NULL: it is the name of no such file, or a
   message says why. One call at a time */
extern char *kpred_served(const char *name);
extern void kpred_served_free(char *answer);

static void add_member(struct buf *b, const char *name, const char *value)
{
    buf_printf(b, ", \"%s\": ", name);
    if (value != NULL)
        table_json_text(b, value, strlen(value));
    else
        buf_puts(b, "null");
}

/* A default is the server's own formula, of which a file has some numbers of tokens alone. */
static char *served_text(const struct answer *a)
{
    struct buf b = {NULL, 0, 0};
    buf_printf(&b, "{\"tile\": %d", a->tile);
    add_member(&b, "answered_by", answer_names[a->kind]);
    add_member(&b, "why", a->why);
    add_member(&b, "model", a->model != NULL ? a->model->name : NULL);
    buf_printf(&b, ", \"file\": %s}",
               a->kind == ANSWER_DEFAULT || a->text.n == 0 ? "null" : a->text.s);
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
            text = served_text(&a);
    }
    answer_free(&a);
    buf_free(&why);
    return text;
}

void kpred_served_free(char *answer)
{
    free(answer);
}
