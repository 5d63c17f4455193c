/* gpu_tokens.c - which token of a spec a GPU is: its own, or one for GPUs that were not measured
   SPDX-License-Identifier: MIT */
#include "gpus.h"

#include <string.h>

/* ---- its own ---- */

/* Is the token spelled as another product than the one of the text? */
static int is_other_product(const char *token, const struct product *p)
{
    const struct product *other = p != NULL ? product_of_device(token) : NULL;
    return other != NULL && other != p;
}

static int token_of_product(const struct spec_field *f, const struct product *p)
{
    for (size_t i = 0; p != NULL && i < f->n_tokens; i++)
        if (product_of_device(f->tokens[i]) == p)
            return (int)i;
    return -1;
}

static int token_of_gpu(const struct spec_field *f, const char *text)
{
    const struct product *p = product_of_device(text);
    const int token = token_of_product(f, p);
    for (size_t i = 0; token < 0 && i < f->n_tokens; i++)
        if (!is_other_product(f->tokens[i], p) && gpu_same(f->tokens[i], text))
            return (int)i;
    return token;
}

/* The only token of the chip of a server that a text names with or without the words of its card */
static int token_of_chip(const struct spec_field *f, const char *text)
{
    const struct chip *c = chip_of_any_form(text);
    int token = -1;
    for (size_t i = 0; c != NULL && i < f->n_tokens; i++) {
        const int is_there = chip_of_any_form(f->tokens[i]) == c;
        if (is_there && token >= 0)
            return -1;
        token = is_there ? (int)i : token;
    }
    return token;
}

int field_token(const struct spec_field *f, const char *text)
{
    int token = spec_token(f, text);
    if (token >= 0 || strcmp(f->name, "gpu") != 0)
        return token;
    token = token_of_gpu(f, gpu_server_name(text));
    return token >= 0 ? token : token_of_chip(f, text);
}

int gpu_token(const struct spec_field *f, const char *text)
{
    int token = field_token(f, text);
    const struct product *p = product_of_device(text);
    for (size_t i = 0, n = 0; (token < 0 || n > 0) && i < f->n_tokens; i++)
        if (!is_other_product(f->tokens[i], p) && gpu_may_be(f->tokens[i], text))
            token = n++ == 0 ? (int)i : -1;
    return token;
}

/* ---- the section [unseen] ---- */

static int gpu_tokens_wrong(const struct spec *s, const struct spec_line *line, size_t at,
                            const char *word, const char *what)
{
    return fail("%s:%ld:%ld: [unseen]: \"%s\": %s", s->path, line->line, line->column + (long)at,
                word, what);
}

/* The token that begins at *at of a line, and *at behind it; -1 with a message */
static int32_t next_token(const struct spec *s, const struct unseen *u,
                          const struct spec_line *line, size_t *at)
{
    char word[64];
    const size_t n = strcspn(line->text + *at, " \t="), start = *at;
    snprintf(word, sizeof word, "%.*s", (int)n, line->text + start);
    *at += n;
    const int token = field_token(&s->fields[u->field], word);
    return token >= 0 ? token
                      : gpu_tokens_wrong(s, line, start, word, "is not a token of the field gpu");
}

static size_t skip_blanks(const struct spec_line *line, size_t at)
{
    return at + strspn(line->text + at, " \t");
}

/* NAME = TOKEN TOKEN ... */
static int read_line(struct unseen *u, const struct spec *s, const struct spec_line *line)
{
    struct unseen_name *name = &u->v[u->n];
    size_t at = 0;
    if (u->n == UNSEEN_MAX)
        return gpu_tokens_wrong(s, line, 0, line->text, "there are too many names");
    name->token = next_token(s, u, line, &at);
    if (name->token < 0)
        return -1;
    at = skip_blanks(line, at);
    if (line->text[at] != '=')
        return gpu_tokens_wrong(s, line, at, line->text,
                                "is not of the form NAME = TOKEN TOKEN ...");
    for (at = skip_blanks(line, at + 1); line->text[at] != '\0'; at = skip_blanks(line, at)) {
        const int32_t token = next_token(s, u, line, &at);
        if (token < 0)
            return -1;
        name->stands_for[token] = 1;
    }
    u->n++;
    return memchr(name->stands_for, 1, sizeof name->stands_for) != NULL
               ? 0
               : gpu_tokens_wrong(s, line, at, line->text, "names no GPU");
}

int unseen_index(const struct unseen *u, int32_t token)
{
    for (size_t i = 0; i < u->n; i++)
        if (u->v[i].token == token)
            return (int)i;
    return -1;
}

/* No name comes twice, and none stands for another. */
static int check_names(const struct unseen *u, const struct spec *s)
{
    for (size_t i = 0; i < u->n; i++) {
        const char *token = s->fields[u->field].tokens[u->v[i].token];
        if (unseen_index(u, u->v[i].token) < (int)i)
            return gpu_tokens_wrong(s, &s->unseen.v[i], 0, token, "is given twice");
        for (size_t j = 0; j < u->n; j++)
            if (u->v[j].stands_for[u->v[i].token])
                return gpu_tokens_wrong(s, &s->unseen.v[j], 0, token,
                                        "is a name of this section, not a GPU that was measured");
    }
    return 0;
}

int unseen_read(struct unseen *u, const struct spec *spec)
{
    const int field = spec_field_index(spec, "gpu");
    memset(u, 0, sizeof *u);
    if (spec->unseen.line == 0)
        return 0;
    if (field < 0 || spec->fields[field].n_tokens == 0)
        return fail("%s:%ld: [unseen]: the spec has no field gpu with tokens", spec->path,
                    spec->unseen.line);
    if (!spec_is_timed(spec))
        return fail("%s:%ld: [unseen]: is for data with times (format = timed)", spec->path,
                    spec->unseen.line);
    if (spec->unseen.n == 0)
        return fail("%s:%ld: [unseen]: is empty", spec->path, spec->unseen.line);
    u->field = (size_t)field;
    for (size_t i = 0; i < spec->unseen.n; i++)
        if (read_line(u, spec, &spec->unseen.v[i]) != 0)
            return -1;
    return check_names(u, spec);
}

/* ---- weights ---- */

/* Has `wide` all GPUs of `narrow`? */
static int contains(const struct unseen_name *wide, const struct unseen_name *narrow)
{
    for (size_t t = 0; t < SPEC_MAX_TOKENS; t++)
        if (narrow->stands_for[t] && !wide->stands_for[t])
            return 0;
    return 1;
}

double unseen_weight(const struct unseen *u, size_t i, int32_t gpu)
{
    if (u->v[i].stands_for[gpu])
        return 1;
    for (size_t j = 0; j < u->n; j++)
        if (u->v[j].stands_for[gpu] && contains(&u->v[j], &u->v[i]))
            return 0.5;
    return 0.05;
}
