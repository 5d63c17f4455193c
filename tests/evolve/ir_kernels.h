/* ir_kernels.h - kernels of fixtures/, as IR, and their text
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/ir/ir.h"
#include "harness/test.h"

#include <stdlib.h>
#include <unistd.h>

#define FIXTURE(name) "tests/evolve/fixtures/" name

/* NULL after a message */
static inline struct ir *kernel_of(const char *path, const char *function,
                                   const struct ir_passes *passes)
{
    struct ir *ir = NULL;
    const struct ir_source source = {path, function, NULL, NULL, NULL, 0};
    return ir_open(&ir, &source, passes) == 0 ? ir : NULL;
}

/* A list of one line of text; to be freed by list_free */
static inline struct edits list_of(const struct edit *edits, size_t n)
{
    struct edits list = {NULL, 0, 0};
    for (size_t i = 0; i < n; i++)
        edits_add(&list, &edits[i]);
    return list;
}
#define LIST(...)                               \
    list_of((const struct edit[]){__VA_ARGS__}, \
            sizeof((const struct edit[]){__VA_ARGS__}) / sizeof(struct edit))

static inline void list_free(struct edits *list)
{
    free(list->v);
    list->v = NULL;
    list->n = list->cap = 0;
}

/* The module with these edits, or "" if they do not apply */
static inline char *text_with(struct ir *ir, const struct edits *list)
{
    struct buf out = {0};
    const int applies = ir_applies(ir, list) && ir_emit(ir, list, IR_TEXT, NULL, &out) == 0;
    if (!applies)
        buf_puts(&out, "");
    return out.s != NULL ? out.s : xstrdup("");
}

/* How often a text has another one in it */
static inline int count_of(const char *text, const char *part)
{
    int n = 0;
    while ((text = strstr(text, part)) != NULL)
        n++, text += strlen(part);
    return n;
}

/* What ir_emit gives, or "" */
static inline char *emitted(struct ir *ir, const struct edits *list, enum ir_form form,
                            const char *name)
{
    struct buf out = {0};
    const int status = ir_emit(ir, list, form, name, &out);
    return status == 0 && out.s != NULL ? out.s : xstrdup("");
}

/* Between the two, what is written on standard error is kept from it, and taken. */
enum { OLD_STDERR = 99 };

static inline FILE *listen_to_stderr(void)
{
    FILE *messages = tmpfile();
    fflush(stderr);
    dup2(2, OLD_STDERR);
    dup2(fileno(messages), 2);
    return messages;
}

static inline void take(FILE *messages, char *said, size_t size)
{
    fflush(stderr);
    dup2(OLD_STDERR, 2);
    close(OLD_STDERR);
    rewind(messages);
    said[fread(said, 1, size - 1, messages)] = '\0';
    fclose(messages);
}
